/* dot_general: any batch, contracting and free dimensions of strided operands become batched products [m x k] x [k x n]. */
#include "base/pool.h"
#include "cpu/kernels/dot.h"
#include "cpu/kernels/gemm_amx.h"
#include "cpu/kernels/gemm_split.h"
#include "cpu/kernels/kernel.h"

#include <string.h>

typedef struct dot {
    const fl_gemm_type *type;
    int batch_rank;
    int64_t batch_dims[FL_MAX_RANK], batch;
    int64_t m, n, k;
    fl_dot_side lhs, rhs;
    fl_dtype out_dtype;
    int direct; /* the result has the compute type's layout: no conversion */
    int vector; /* 0, or matrix-vector: 1 m == 1, 2 n == 1 */
    int split;  /* gemm_split.h does it */
    int few;    /* rows: fl_gemm_uses_few */
    fl_split_form form;
    int tiles;                                    /* in AMX tiles */
    int64_t m_block, n_block, m_blocks, n_blocks; /* the result's grid of tasks, for each batch element */
    int slices; /* how many tasks may run at once; each has a part of the scratch */
    size_t slice_bytes, pack_bytes;
} dot;

static int contains(const int64_t *list, uint32_t count, int64_t x)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == x) return 1;
    return 0;
}

static void find_roles(const fl_op *op, const fl_operand *o, fl_attr_key batch_key, fl_attr_key contract_key,
                       fl_dot_roles *r)
{
    uint32_t batches = 0, contracts = 0;
    const int64_t *batch = fl_op_ints(op, batch_key, &batches),
                  *contract = fl_op_ints(op, contract_key, &contracts);
    memset(r, 0, sizeof *r);
    for (uint32_t i = 0; i < batches; i++) r->batch[r->batch_count++] = batch[i];
    for (uint32_t i = 0; i < contracts; i++) r->contract[r->contract_count++] = contract[i];
    for (int i = 0; i < o->rank; i++)
        if (!contains(batch, batches, i) && !contains(contract, contracts, i)) r->free[r->free_count++] = i;
}

/* Contracting dimensions may come in any order, if in the same for both: outermost stride of `by` first. */
static void sort_contract(fl_dot_roles *by, const fl_operand *o, fl_dot_roles *other)
{
    for (int i = 1; i < by->contract_count; i++)
        for (int j = i; j > 0 && o->strides[by->contract[j]] > o->strides[by->contract[j - 1]]; j--) {
            int64_t x = by->contract[j], y = other->contract[j];
            by->contract[j] = by->contract[j - 1];
            other->contract[j] = other->contract[j - 1];
            by->contract[j - 1] = x;
            other->contract[j - 1] = y;
        }
}

/* Batch dimensions that the right side repeats are more rows of the left one. */
static void fold_batch(dot *d)
{
    while (d->batch_rank > 0) {
        int i = d->batch_rank - 1;
        if (d->rhs.batch_strides[i] != 0 && d->batch_dims[i] != 1) return;
        if (d->batch_dims[i] != 1 && d->m != 1 && d->lhs.batch_strides[i] != d->lhs.outer * d->m) return;
        if (d->m == 1) d->lhs.outer = d->lhs.batch_strides[i];
        d->m *= d->batch_dims[i];
        d->batch_rank = i;
    }
}

static int64_t product(const fl_operand *o, const int64_t *dims, int count)
{
    int64_t n = 1;
    for (int i = 0; i < count; i++) n *= o->dims[dims[i]];
    return n;
}

/* Cuts the result into tasks: none for little work; a multiple of the threads for much, so that they end together. */
static void choose_grid(dot *d)
{
    const fl_gemm_type *t = d->type;
    const double work = (double)d->m * (double)d->n * (double)d->k / t->lanes; /* about half cycles */
    const int threads = fl_pool_threads();
    int64_t wanted = 1;
    if (work * (double)d->batch > 40e3 && threads > 1 && d->batch < 4 * threads) {
        /* packing in three parts costs more: larger tasks */
        wanted = fl_div_up(work > 4e6 ? (d->split ? 2 : 4) * threads : threads, d->batch);
        if (d->batch > 1 && wanted > 1 && work < 40e3) wanted = 1;
    }
    int64_t m_unit = d->split ? FL_SPLIT_SQUARE : d->vector == 2 ? 64 : t->mr;
    int64_t n_unit = d->split ? FL_SPLIT_SQUARE : d->vector == 1 ? 64 : t->nr;
    int64_t m_parts = 1, n_parts = 1;
    while (m_parts * n_parts < wanted) { /* halve the longer side */
        int64_t mb = d->few ? 0 : d->m / (m_parts * 2), nb = d->n / (n_parts * 2);
        if (mb >= nb && mb >= m_unit)
            m_parts *= 2;
        else if (nb >= n_unit)
            n_parts *= 2;
        else if (mb >= m_unit)
            m_parts *= 2;
        else
            break;
    }
    if (!d->direct) /* the block in the compute type must stay in the cache */
        while (d->m / m_parts * (d->n / n_parts) > 256 * 1024) {
            if (!d->few && d->m / m_parts >= d->n / n_parts)
                m_parts *= 2;
            else
                n_parts *= 2;
        }
    d->m_block = fl_round_up(fl_div_up(d->m, m_parts), m_unit);
    d->n_block = fl_round_up(fl_div_up(d->n, n_parts), n_unit);
    if (d->m_block > d->m) d->m_block = d->m;
    if (d->n_block > d->n) d->n_block = d->n;
    d->m_blocks = d->m ? fl_div_up(d->m, d->m_block) : 0;
    d->n_blocks = d->n ? fl_div_up(d->n, d->n_block) : 0;
    d->slices = fl_task_slices(d->batch * d->m_blocks * d->n_blocks, work * (double)d->batch);
}

static size_t align64(size_t x)
{
    return (x + 63) & ~(size_t)63;
}

typedef struct run {
    const dot *d;
    const char *lhs, *rhs;
    char *out, *scratch;
} run;

static void locate(const dot *d, int64_t index, int64_t *lhs, int64_t *rhs)
{
    *lhs = *rhs = 0;
    for (int i = d->batch_rank - 1; i >= 0 && index; i--) {
        int64_t x = index % d->batch_dims[i];
        index /= d->batch_dims[i];
        *lhs += x * d->lhs.batch_strides[i];
        *rhs += x * d->rhs.batch_strides[i];
    }
}

/* One row or column of the result. The vector must be contiguous in the compute type; the matrix must have a unit stride. */
static void multiply_vector(const dot *d, fl_matrix vector, int64_t step, fl_matrix matrix, int64_t across,
                            int64_t along, int64_t n, void *out, void *scratch)
{
    if (step != 1 || vector.dtype != (fl_dtype)d->type->dtype) {
        fl_gemm_load(scratch, d->type->dtype, vector.data, vector.dtype, step, d->k);
        vector.data = scratch;
    }
    if (across == 1)
        d->type->gemv_rows(out, vector.data, matrix.data, matrix.dtype, along, d->k, n);
    else
        d->type->gemv_columns(out, vector.data, matrix.data, matrix.dtype, across, d->k, n);
}

static void run_task(const void *ctx, int64_t task, int slice)
{
    const run *r = ctx;
    const dot *d = r->d;
    char *scratch = r->scratch + (size_t)slice * d->slice_bytes;
    const int size = d->type->size, out_size = (int)fl_dtype_bytes(d->out_dtype);
    int64_t batch = task, nb = 0, mb = 0, lhs, rhs;
    if (d->m_blocks * d->n_blocks > 1)
        nb = task % d->n_blocks, mb = task / d->n_blocks % d->m_blocks,
        batch = task / d->n_blocks / d->m_blocks;
    int64_t i0 = mb * d->m_block, j0 = nb * d->n_block;
    int64_t m = d->m - i0 < d->m_block ? d->m - i0 : d->m_block,
            n = d->n - j0 < d->n_block ? d->n - j0 : d->n_block;
    locate(d, batch, &lhs, &rhs);
    lhs += i0 * d->lhs.outer;
    rhs += j0 * d->rhs.outer;
    fl_matrix a = {r->lhs + lhs * (int64_t)fl_dtype_bytes(d->lhs.dtype), d->lhs.dtype, d->lhs.outer,
                   d->lhs.inner};
    fl_matrix b = {r->rhs + rhs * (int64_t)fl_dtype_bytes(d->rhs.dtype), d->rhs.dtype, d->rhs.inner,
                   d->rhs.outer};
    char *out = r->out + ((batch * d->m + i0) * d->n + j0) * out_size;
    char *c = d->direct ? out : scratch + d->pack_bytes;
    int64_t c_row = d->direct ? d->n : n;
    if (d->vector == 1)
        multiply_vector(d, a, d->lhs.inner, b, d->rhs.outer, d->rhs.inner, n, c, scratch);
    else if (d->vector == 2)
        multiply_vector(d, b, d->rhs.inner, a, d->lhs.outer, d->lhs.inner, m, c, scratch);
    else if (d->split)
        fl_split_block(m, n, d->k, a, b, (float *)c, c_row, d->form, scratch);
    else if (d->tiles)
        fl_amx_multiply(
            &(fl_amx_product){m, n, d->k, a, b, c, d->direct ? d->out_dtype : d->type->dtype, c_row},
            scratch);
    else
        fl_gemm_block(d->type, m, n, d->k, &a, &b, c, c_row, d->few, scratch);
    if (!d->direct)
        for (int64_t i = 0; i < m; i++)
            fl_gemm_store(out + i * d->n * out_size, d->out_dtype, c + i * n * size, d->type->dtype, n);
}

static fl_status run_dot(const fl_step *step, void *const *slots)
{
    const dot *d = step->data;
    char *scratch = step->scratch_bytes ? slots[step->scratch_slot] : NULL;
    run r = {.d = d, .out = fl_operand_pointer(&step->outputs[0], slots)};
    r.lhs = fl_dot_copy(&d->lhs, &step->inputs[0], d->type->dtype,
                        fl_operand_pointer(&step->inputs[0], slots), scratch);
    r.rhs = fl_dot_copy(&d->rhs, &step->inputs[1], d->type->dtype,
                        fl_operand_pointer(&step->inputs[1], slots), scratch);
    r.scratch = scratch;
    fl_for_tasks(d->batch * d->m_blocks * d->n_blocks, d->slices, run_task, &r);
    return NULL;
}

static fl_amx_product tile_product(const dot *d, int64_t m, int64_t n, fl_dtype result)
{
    return (fl_amx_product){m,
                            n,
                            d->k,
                            {NULL, d->lhs.dtype, d->lhs.outer, d->lhs.inner},
                            {NULL, d->rhs.dtype, d->rhs.inner, d->rhs.outer},
                            NULL,
                            result,
                            n};
}

/* Tiles store any result themselves, unless the sums have to go through memory. */
static void choose_tiles(dot *d)
{
    const fl_amx_product whole = tile_product(d, d->m, d->n, d->out_dtype),
                         sums = tile_product(d, d->m, d->n, d->type->dtype);
    const int stores = fl_amx_takes(&whole);
    d->tiles = !d->vector && (stores || fl_amx_takes(&sums));
    if (d->tiles && stores) d->direct = 1;
}

/* Scratch: a slice for each task that runs at once {packed operands, block in the compute type}, then the copies. */
static size_t lay_out_scratch(dot *d, const fl_operand *lhs, const fl_operand *rhs)
{
    const size_t size = d->type->size;
    const fl_amx_product tiles = tile_product(d, d->m_block, d->n_block, d->out_dtype);
    d->pack_bytes = align64(d->vector  ? (size_t)d->k * size
                            : d->split ? fl_split_scratch(d->lhs.dtype, d->m_block, d->n_block, d->k, d->form)
                            : d->tiles ? fl_amx_scratch(&tiles)
                                       : fl_gemm_block_scratch(d->type, d->m_block, d->n_block, d->k));
    d->slice_bytes = d->pack_bytes + (d->direct ? 0 : align64((size_t)(d->m_block * d->n_block) * size));
    size_t total = d->slice_bytes * (size_t)d->slices;
    fl_dot_side *sides[2] = {&d->lhs, &d->rhs};
    const fl_operand *operands[2] = {lhs, rhs};
    for (int i = 0; i < 2; i++) {
        if (!sides[i]->copied) continue;
        int64_t elements = 1;
        for (int j = 0; j < operands[i]->rank; j++) elements *= operands[i]->dims[j];
        sides[i]->copy_offset = total;
        total += align64((size_t)(elements * sides[i]->parts) * size);
    }
    return total;
}

static int choose_vector(dot *d)
{
    if (d->m == 1 && d->n == 1) d->rhs.outer = d->rhs.inner == 1 ? d->k : 1; /* one dot product */
    if (d->m == 1 && (d->rhs.outer == 1 || d->rhs.inner == 1)) return 1;
    if (d->n == 1 && (d->lhs.outer == 1 || d->lhs.inner == 1)) return 2;
    return 0;
}

/* The algorithm BF16_BF16_F32_X3 of f32 operands. What does not pay in tiles is computed as f32. */
static int wants_three_passes(const fl_op *op, fl_dtype type)
{
    return type == FL_F32 && fl_op_int(op, FL_ATTR_lhs_precision_type, FL_DTYPE_NONE) == FL_BF16 &&
           fl_op_int(op, FL_ATTR_rhs_precision_type, FL_DTYPE_NONE) == FL_BF16 &&
           fl_op_int(op, FL_ATTR_num_primitive_operations, 1) == 3;
}

/* Splitting the larger operand needs enough uses of its elements; more where it is too large to stay near, or a part of the multiplying is
 * for nothing; half as many for two parts. */
static int worth_splitting(const dot *d, int parts)
{
    const int64_t uses = d->m < d->n ? d->m : d->n, larger = d->m < d->n ? d->n : d->m;
    const int whole = uses % FL_SPLIT_SQUARE == 0 && d->k % FL_SPLIT_DEPTH == 0;
    const int64_t least = larger <= 1024 ? 48 : whole ? 64 : 96;
    return uses >= (parts == 3 ? least : least / 2);
}

fl_status fl_prepare_dot_general(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *lhs = &step->inputs[0], *rhs = &step->inputs[1], *out = &step->outputs[0];
    const int complex =
        fl_is_complex((fl_dtype)out->dtype) && lhs->dtype == out->dtype && rhs->dtype == out->dtype;
    const fl_dtype result = complex ? fl_real_dtype((fl_dtype)out->dtype) : (fl_dtype)out->dtype;
    const fl_gemm_type *type =
        complex ? fl_gemm_type_for(result, result, result) : fl_gemm_type_for(lhs->dtype, rhs->dtype, result);
    FL_CHECK(type, FL_UNSUPPORTED, "dot_general of %s and %s", fl_dtype_name(lhs->dtype),
             fl_dtype_name(rhs->dtype));
    dot *d = FL_NEW(arena, dot);
    FL_CHECK(d, FL_OOM, "out of memory for a plan");
    fl_dot_roles l, r;
    find_roles(step->op, lhs, FL_ATTR_lhs_batching_dimensions, FL_ATTR_lhs_contracting_dimensions, &l);
    find_roles(step->op, rhs, FL_ATTR_rhs_batching_dimensions, FL_ATTR_rhs_contracting_dimensions, &r);
    d->type = type;
    d->out_dtype = result;
    d->direct = fl_dtype_bytes(result) == type->size && fl_gemm_packs(type, result);
    d->m = product(lhs, l.free, l.free_count);
    d->n = product(rhs, r.free, r.free_count);
    d->k = product(lhs, l.contract, l.contract_count);
    d->batch = product(lhs, l.batch, l.batch_count);
    d->batch_rank = l.batch_count;
    for (int i = 0; i < l.batch_count; i++) d->batch_dims[i] = lhs->dims[l.batch[i]];
    sort_contract(&l, lhs, &r);
    if (complex) {
        fl_dot_plan_complex(type, lhs, &l, d->m, d->k, 0, &d->lhs);
        fl_dot_plan_complex(type, rhs, &r, d->n, d->k, 1, &d->rhs);
        d->n *= 2, d->k *= 2;
    } else if (fl_dot_plan_side(type, lhs, &l, d->m, d->k, &d->lhs) +
               fl_dot_plan_side(type, rhs, &r, d->n, d->k, &d->rhs)) {
        sort_contract(&r, rhs, &l);
        fl_dot_plan_side(type, lhs, &l, d->m, d->k, &d->lhs);
        fl_dot_plan_side(type, rhs, &r, d->n, d->k, &d->rhs);
    }
    fold_batch(d);
    d->batch = 1;
    for (int i = 0; i < d->batch_rank; i++) d->batch *= d->batch_dims[i];
    d->vector = choose_vector(d);
    choose_tiles(d);
    const int high = wants_three_passes(step->op, d->lhs.dtype);
    d->split = !d->vector && type->dtype == FL_F32 && d->lhs.dtype == d->rhs.dtype &&
               worth_splitting(d, fl_split_parts(d->lhs.dtype) - high) &&
               fl_split_uses(d->lhs.dtype, d->m, d->n, d->k);
    if (d->split) d->form = fl_split_form_for(d->lhs.dtype, high, d->m, d->n, d->k, d->rhs.inner);
    const fl_matrix right = {NULL, d->rhs.dtype, d->rhs.inner, d->rhs.outer};
    d->few = !d->vector && !d->split && !d->tiles && fl_gemm_uses_few(type, d->m, d->n, d->k, right);
    choose_grid(d);
    step->data = d;
    step->run = run_dot;
    step->scratch_bytes = lay_out_scratch(d, lhs, rhs);
    step->cost = d->batch * (d->m * d->n * d->k / 4 + d->m * d->n * (int64_t)fl_dtype_bytes(out->dtype));
    return NULL;
}
