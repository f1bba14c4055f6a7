/* cholesky and triangular_solve for f32 and f64 (complex: the reference interpreter). Both are forward substitutions with a lower
 * triangular matrix L given by strides, so that all forms (upper, transposed, from the right) are one: reversing the order of
 * rows makes an upper triangle lower, and solving from the right is solving the transposed system. */
#include "cpu/kernels/linalg.h"

#include "base/pool.h"
#include "cpu/kernels/kernel.h"

#include <math.h>
#include <string.h>

#define BLOCK 32  /* rows done between two eliminations */
#define STRIP 128 /* columns done at once */

typedef struct linalg_data {
    fl_dtype dtype;
    int64_t n, columns, batch;   /* order of the matrices, right-hand sides, matrices */
    int64_t row, column, stride; /* as in linalg.h */
    int64_t l_first, w_first;    /* element (0, 0) of L, row 0 of W, within their matrices */
    int unit, lower, transposed; /* transposed: W is a transposed copy, in scratch */
    fl_copy in, out;             /* operand to W; W to result */
} linalg_data;

typedef struct linalg_job {
    const linalg_data *data;
    char *w;
    const char *l;
    int64_t i0, i1; /* cholesky: rows being done */
} linalg_job;

static void substitute(fl_dtype dtype, void *w, int64_t stride, int64_t n, const void *l, int64_t row,
                       int64_t column, int64_t i0, int64_t i1, int unit)
{
    if (dtype == FL_F32) {
        FL_ISA_PICK(fl_substitute_f32)(w, stride, n, l, row, column, i0, i1, unit);
    } else {
        FL_ISA_PICK(fl_substitute_f64)(w, stride, n, l, row, column, i0, i1, unit);
    }
}

static void solve_strips(void *ctx, int64_t begin, int64_t end)
{
    const linalg_job *job = ctx;
    const linalg_data *s = job->data;
    int64_t e = (int64_t)fl_dtype_bytes(s->dtype), strips = (s->columns + STRIP - 1) / STRIP;
    for (int64_t t = begin; t < end; t++) {
        int64_t matrix = t / strips, first = t % strips * STRIP, n = FL_MIN(STRIP, s->columns - first);
        char *w = job->w + (matrix * s->n * s->columns + s->w_first + first) * e;
        const char *l = job->l + (matrix * s->n * s->n + s->l_first) * e;
        for (int64_t i = 0; i < s->n; i += BLOCK)
            substitute(s->dtype, w, s->stride, n, l, s->row, s->column, i, FL_MIN(i + BLOCK, s->n), s->unit);
    }
}

static fl_status run_triangular_solve(const fl_step *step, void *const *slots)
{
    const linalg_data *s = step->data;
    char *to = fl_operand_pointer(&step->outputs[0], slots),
         *w = s->transposed ? slots[step->scratch_slot] : to;
    const char *from = fl_operand_pointer(&step->inputs[1], slots);
    if (w != from) fl_copy_run(&s->in, w, from);
    linalg_job job = {s, w, fl_operand_pointer(&step->inputs[0], slots), 0, 0};
    int64_t strips = (s->columns + STRIP - 1) / STRIP;
    int64_t grain = 1 + 65536 / (s->n * s->n * FL_MIN(s->columns, STRIP) + 1);
    fl_parallel_for(s->batch * strips, grain, solve_strips, &job);
    if (s->transposed) fl_copy_run(&s->out, to, w);
    return NULL;
}

/* Copies of all matrices between dense row-major memory and dense memory with the last two dims exchanged, or not. */
static void prepare_matrix_copy(fl_copy *copy, size_t element, int64_t batch, int64_t rows, int64_t columns,
                                int transposed)
{
    int64_t dims[3] = {batch, rows, columns}, to[3] = {rows * columns, columns, 1},
            from[3] = {rows * columns, columns, 1};
    if (transposed) from[1] = 1, from[2] = rows;
    fl_copy_prepare(copy, element, 3, dims, to, from);
}

static int64_t batch_of(const fl_operand *o)
{
    int64_t n = 1;
    for (int d = 0; d < o->rank - 2; d++) n *= o->dims[d];
    return n;
}

fl_status fl_prepare_triangular_solve(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *b = &step->inputs[1];
    if (b->dtype != FL_F32 && b->dtype != FL_F64) return FL_NO_KERNEL();
    linalg_data *s = FL_NEW(arena, linalg_data);
    if (!s) return FL_NO_MEMORY();
    int left = fl_op_int(step->op, FL_ATTR_left_side, 0) != 0,
        lower = fl_op_int(step->op, FL_ATTR_lower, 0) != 0;
    int flip = fl_op_int(step->op, FL_ATTR_transpose_a, FL_NO_TRANSPOSE) != FL_NO_TRANSPOSE;
    int64_t rows = b->dims[b->rank - 2], columns = b->dims[b->rank - 1];
    size_t element = fl_dtype_bytes((fl_dtype)b->dtype);
    s->dtype = (fl_dtype)b->dtype;
    s->batch = batch_of(b);
    s->n = left ? rows : columns;
    s->columns = left ? columns : rows;
    s->unit = fl_op_int(step->op, FL_ATTR_unit_diagonal, 0) != 0;
    s->transposed = !left;
    s->row = flip ^ !left ? 1 : s->n;
    s->column = flip ^ !left ? s->n : 1;
    s->stride = s->columns;
    if (!(lower ^ flip ^ !left)) { /* last rows first */
        s->l_first = (s->n - 1) * (s->row + s->column);
        s->w_first = (s->n - 1) * s->stride;
        s->row = -s->row, s->column = -s->column, s->stride = -s->stride;
    }
    prepare_matrix_copy(&s->in, element, s->batch, s->n, s->columns, s->transposed);
    prepare_matrix_copy(&s->out, element, s->batch, rows, columns, 1);
    if (s->transposed) step->scratch_bytes = fl_operand_bytes(b);
    step->run = run_triangular_solve;
    step->data = s;
    step->cost = fl_step_traffic(step) + (int64_t)fl_operand_elements(b) * s->n / 8;
    return NULL;
}

/* cholesky: A = U^T U with U upper triangular, found row block by row block: the block's part on the diagonal, then the strips to
 * the right of it, which solve U_block^T X = A. In W = U, row by row; L (i, p) = U (p, i). */

#define FACTOR(T, SUFFIX)                                                                                    \
    static void factor_block_##SUFFIX(T *u, int64_t n, int64_t i0, int64_t i1)                               \
    {                                                                                                        \
        FL_ISA_PICK(fl_eliminate_##SUFFIX)(u + i0, n, i1 - i0, u, 1, n, i0, i1);                             \
        for (int64_t i = i0; i < i1; i++) {                                                                  \
            for (int64_t j = i0; j < i; j++) u[i * n + j] = 0; /* the elimination wrote there */             \
            T pivot = u[i * n + i] = (T)sqrt(u[i * n + i]);                                                  \
            for (int64_t j = i + 1; j < i1; j++) u[i * n + j] /= pivot;                                      \
            for (int64_t r = i + 1; r < i1; r++)                                                             \
                for (int64_t j = r; j < i1; j++) u[r * n + j] -= u[i * n + r] * u[i * n + j];                \
        }                                                                                                    \
    }
FACTOR(float, f32)
FACTOR(double, f64)
#undef FACTOR

static void factor_strips(void *ctx, int64_t begin, int64_t end)
{
    const linalg_job *job = ctx;
    const linalg_data *s = job->data;
    int64_t e = (int64_t)fl_dtype_bytes(s->dtype);
    for (int64_t t = begin; t < end; t++) {
        int64_t first = job->i1 + t * STRIP, n = FL_MIN(STRIP, s->n - first);
        substitute(s->dtype, job->w + first * e, s->n, n, job->w, 1, s->n, job->i0, job->i1, 0);
    }
}

static void factor_matrix(const linalg_data *s, char *u)
{
    int64_t e = (int64_t)fl_dtype_bytes(s->dtype);
    for (int64_t i = 1; i < s->n; i++)
        memset(u + i * s->n * e, 0, (size_t)(i * e)); /* the triangle that is not computed */
    linalg_job job = {s, u, NULL, 0, 0};
    for (; job.i0 < s->n; job.i0 = job.i1) {
        job.i1 = FL_MIN(job.i0 + BLOCK, s->n);
        if (s->dtype == FL_F32) {
            factor_block_f32((float *)u, s->n, job.i0, job.i1);
        } else {
            factor_block_f64((double *)u, s->n, job.i0, job.i1);
        }
        int64_t strips = (s->n - job.i1 + STRIP - 1) / STRIP;
        fl_parallel_for(strips, 1 + 65536 / (job.i1 * BLOCK * STRIP), factor_strips, &job);
    }
}

static void factor_matrices(void *ctx, int64_t begin, int64_t end)
{
    const linalg_job *job = ctx;
    int64_t bytes = job->data->n * job->data->n * (int64_t)fl_dtype_bytes(job->data->dtype);
    for (int64_t m = begin; m < end; m++) factor_matrix(job->data, job->w + m * bytes);
}

static fl_status run_cholesky(const fl_step *step, void *const *slots)
{
    const linalg_data *s = step->data;
    char *to = fl_operand_pointer(&step->outputs[0], slots), *w = s->lower ? slots[step->scratch_slot] : to;
    const char *from = fl_operand_pointer(&step->inputs[0], slots);
    if (w != from) fl_copy_run(&s->in, w, from);
    linalg_job job = {s, w, NULL, 0, 0};
    if (s->batch > 1) { /* fl_parallel_for inside runs on the calling thread then */
        fl_parallel_for(s->batch, 1 + 65536 / (s->n * s->n * s->n + 1), factor_matrices, &job);
    } else if (s->batch) {
        factor_matrix(s, w);
    }
    if (s->lower) fl_copy_run(&s->out, to, w);
    return NULL;
}

fl_status fl_prepare_cholesky(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *a = &step->inputs[0];
    if (a->dtype != FL_F32 && a->dtype != FL_F64) return FL_NO_KERNEL();
    linalg_data *s = FL_NEW(arena, linalg_data);
    if (!s) return FL_NO_MEMORY();
    size_t element = fl_dtype_bytes((fl_dtype)a->dtype);
    s->dtype = (fl_dtype)a->dtype;
    s->batch = batch_of(a);
    s->n = a->dims[a->rank - 1];
    s->lower = fl_op_int(step->op, FL_ATTR_lower, 0) != 0;
    prepare_matrix_copy(&s->in, element, s->batch, s->n, s->n, s->lower);
    prepare_matrix_copy(&s->out, element, s->batch, s->n, s->n, 1);
    if (s->lower) step->scratch_bytes = fl_operand_bytes(a);
    step->run = run_cholesky;
    step->data = s;
    step->cost = fl_step_traffic(step) + (int64_t)fl_operand_elements(a) * s->n / 24;
    return NULL;
}
