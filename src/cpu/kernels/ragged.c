/* ragged_dot without batches: of rows [m x k] that come in groups, each with its part [k x n] of the right side, or the sum over the
 * rows of each group. Where groups begin is known when the step runs; what one task computes, when it is planned. */
#include "cpu/kernels/gemm.h"
#include "cpu/kernels/kernel.h"

#include <string.h>

/* Of a block of the result. With so few rows, what the product needs of scratch does not fall as sizes grow. */
enum { ROWS = 112, COLUMNS = 512 };

typedef struct ragged {
    const fl_gemm_type *type;
    int sums; /* over the rows of each group: [k x m] x [m x n] for every group */
    int64_t m, k, n, groups;
    int64_t height, i_blocks, j_blocks; /* rows of a result (m or k), and the grid over it */
    fl_dtype out;
    int direct; /* the result has the compute type's layout */
    int slices;
    size_t pack_bytes, slice_bytes;
} ragged;

typedef struct run {
    const ragged *r;
    const fl_operand *lhs, *rhs;
    const char *a, *b;
    char *out, *scratch;
    const int64_t *begins; /* of groups, and the end of the last */
} run;

static size_t align64(size_t x)
{
    return (x + 63) & ~(size_t)63;
}

static fl_matrix matrix(const char *data, const fl_operand *o, int64_t at, int64_t rows, int64_t columns)
{
    const fl_dtype dtype = (fl_dtype)o->dtype;
    return (fl_matrix){data + at * (int64_t)fl_dtype_bytes(dtype), dtype, rows, columns};
}

/* c [rows x columns] of group g, rows i0... of its result (sums) or of all rows, columns j0... */
static void multiply(const run *x, int64_t g, int64_t i0, int64_t rows, int64_t j0, int64_t columns, char *c,
                     int64_t c_row, void *scratch)
{
    const ragged *r = x->r;
    const int64_t *ls = x->lhs->strides, *rs = x->rhs->strides, begin = x->begins[g];
    const fl_matrix a = r->sums ? matrix(x->a, x->lhs, begin * ls[0] + i0 * ls[1], ls[1], ls[0])
                                : matrix(x->a, x->lhs, i0 * ls[0], ls[0], ls[1]);
    const fl_matrix b = r->sums ? matrix(x->b, x->rhs, begin * rs[0] + j0 * rs[1], rs[0], rs[1])
                                : matrix(x->b, x->rhs, g * rs[0] + j0 * rs[2], rs[1], rs[2]);
    const int64_t depth = r->sums ? x->begins[g + 1] - begin : r->k;
    fl_gemm_block(r->type, rows, columns, depth, &a, &b, c, c_row, 0, scratch);
}

/* The rows from i0 to i1, group after group; those of no group are 0. */
static void multiply_rows(const run *x, int64_t i0, int64_t i1, int64_t j0, int64_t columns, char *c,
                          int64_t c_row, void *scratch)
{
    const ragged *r = x->r;
    const int64_t row = c_row * r->type->size;
    for (int64_t g = 0; g < r->groups; g++) {
        const int64_t from = FL_MAX(i0, x->begins[g]), to = FL_MIN(i1, x->begins[g + 1]);
        if (from < to) multiply(x, g, from, to - from, j0, columns, c + (from - i0) * row, c_row, scratch);
    }
    for (int64_t i = FL_MAX(i0, x->begins[r->groups]); i < i1; i++)
        memset(c + (i - i0) * row, 0, (size_t)(columns * r->type->size));
}

static void run_task(const void *ctx, int64_t task, int slice)
{
    const run *x = ctx;
    const ragged *r = x->r;
    char *scratch = x->scratch + (size_t)slice * r->slice_bytes;
    const int64_t j0 = task % r->j_blocks * COLUMNS, i0 = task / r->j_blocks % r->i_blocks * ROWS,
                  g = task / r->j_blocks / r->i_blocks;
    const int64_t i1 = FL_MIN(i0 + ROWS, r->height), columns = FL_MIN(COLUMNS, r->n - j0),
                  size = r->type->size, out_size = (int64_t)fl_dtype_bytes(r->out);
    char *out = x->out + ((g * r->height + i0) * r->n + j0) * out_size;
    char *c = r->direct ? out : scratch + r->pack_bytes;
    const int64_t c_row = r->direct ? r->n : columns;
    if (r->sums)
        multiply(x, g, i0, i1 - i0, j0, columns, c, c_row, scratch);
    else
        multiply_rows(x, i0, i1, j0, columns, c, c_row, scratch);
    for (int64_t i = i0; !r->direct && i < i1; i++)
        fl_gemm_store(out + (i - i0) * r->n * out_size, r->out, c + (i - i0) * columns * size, r->type->dtype,
                      columns);
}

/* Negative sizes count as 0, and what goes beyond the rows ends there. */
static void find_groups(const ragged *r, const fl_operand *sizes, const void *data, int64_t *begins)
{
    begins[0] = 0;
    for (int64_t g = 0; g < r->groups; g++) {
        const int64_t at = g * sizes->strides[0];
        int64_t size = sizes->dtype == FL_I64 ? ((const int64_t *)data)[at] : ((const int32_t *)data)[at];
        begins[g + 1] = begins[g] + FL_MIN(FL_MAX(size, 0), r->m - begins[g]);
    }
}

static fl_status run_ragged(const fl_step *step, void *const *slots)
{
    const ragged *r = step->data;
    const fl_operand *in = step->inputs;
    char *scratch = slots[step->scratch_slot];
    int64_t *begins = (int64_t *)(scratch + (size_t)r->slices * r->slice_bytes);
    find_groups(r, &in[2], fl_operand_pointer(&in[2], slots), begins);
    const run x = {.r = r,
                   .lhs = &in[0],
                   .rhs = &in[1],
                   .a = fl_operand_pointer(&in[0], slots),
                   .b = fl_operand_pointer(&in[1], slots),
                   .out = fl_operand_pointer(&step->outputs[0], slots),
                   .scratch = scratch,
                   .begins = begins};
    fl_for_tasks((r->sums ? r->groups : 1) * r->i_blocks * r->j_blocks, r->slices, run_task, &x);
    return NULL;
}

static int is_only(const fl_op *op, fl_attr_key key, int64_t dim)
{
    uint32_t count;
    const int64_t *dims = fl_op_ints(op, key, &count);
    return count == 1 && dims[0] == dim;
}

/* Whether the kernel knows the form, and which of the two it is. */
static int find_form(const fl_step *step, int *sums)
{
    const fl_op *op = step->op;
    const fl_operand *in = step->inputs;
    *sums = in[1].rank == 2;
    if (in[0].rank != 2 || in[2].rank != 1 || (in[2].dtype != FL_I64 && in[2].dtype != FL_I32)) return 0;
    if (!fl_op_attr(op, FL_ATTR_lhs_ragged_dimensions)) return in[1].rank == 3; /* the plain form */
    return is_only(op, FL_ATTR_lhs_ragged_dimensions, 0) &&
           is_only(op, FL_ATTR_lhs_contracting_dimensions, !*sums) &&
           is_only(op, FL_ATTR_rhs_contracting_dimensions, !*sums) &&
           (*sums || (in[1].rank == 3 && is_only(op, FL_ATTR_rhs_group_dimensions, 0)));
}

/* Sums are over any number of rows; the depth of panels is largest for the most that are not cut. */
static size_t pack_bytes(const ragged *r, int64_t rows, int64_t columns)
{
    const int64_t depths[] = {r->sums ? r->m : r->k, FL_MIN(r->m, 128), FL_MIN(r->m, 256)};
    size_t most = 0;
    for (int i = 0; i < (r->sums ? 3 : 1); i++)
        most = FL_MAX(most, fl_gemm_block_scratch(r->type, rows, columns, depths[i]));
    return align64(most);
}

fl_status fl_prepare_ragged_dot(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *lhs = &step->inputs[0], *rhs = &step->inputs[1], *out = &step->outputs[0];
    const fl_gemm_type *type =
        fl_gemm_type_for((fl_dtype)lhs->dtype, (fl_dtype)rhs->dtype, (fl_dtype)out->dtype);
    int sums;
    if (!type || !find_form(step, &sums) || !fl_gemm_packs(type, (fl_dtype)lhs->dtype) ||
        !fl_gemm_packs(type, (fl_dtype)rhs->dtype))
        return FL_NO_KERNEL();
    ragged *r = FL_NEW(arena, ragged);
    if (!r) return FL_NO_MEMORY();
    *r = (ragged){
        .type = type, .sums = sums, .m = lhs->dims[0], .k = lhs->dims[1], .out = (fl_dtype)out->dtype};
    r->n = rhs->dims[rhs->rank - 1];
    r->groups = step->inputs[2].dims[0];
    r->height = sums ? r->k : r->m;
    r->i_blocks = fl_div_up(r->height, ROWS);
    r->j_blocks = fl_div_up(r->n, COLUMNS);
    r->direct = r->out == (fl_dtype)type->dtype;
    const double work = (double)r->m * (double)r->k * (double)r->n / type->lanes;
    r->slices = fl_task_slices(FL_MAX(1, (sums ? r->groups : 1) * r->i_blocks * r->j_blocks), work);
    const int64_t rows = FL_MIN(ROWS, r->height), columns = FL_MIN(COLUMNS, r->n);
    r->pack_bytes = pack_bytes(r, rows, columns);
    r->slice_bytes = r->pack_bytes + (r->direct ? 0 : align64((size_t)(rows * columns) * type->size));
    step->data = r;
    step->run = run_ragged;
    step->scratch_bytes = (size_t)r->slices * r->slice_bytes + (size_t)(r->groups + 1) * sizeof(int64_t);
    step->cost = r->m * r->k * r->n / 4 + fl_step_traffic(step);
    return NULL;
}
