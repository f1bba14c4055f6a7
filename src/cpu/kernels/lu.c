/* LU factors. Columns are halved until a panel is left, which is factored column by column; then the rows that it makes final are
 * solved to its right, and what is below them is updated by a product. So nearly all work is products of many terms. Sums depend on
 * sizes alone: threads divide columns. */
#include "cpu/kernels/lu.h"

#include "base/pool.h"
#include "cpu/kernels/gemm.h"
#include "cpu/kernels/kernel.h"
#include "cpu/kernels/linalg.h"

#include <string.h>

#define STRIP     128   /* least columns of an update worth a thread */
#define MOST_SIDE 65536 /* exchanges are 32-bit numbers; scratch stays small beside the matrix */

typedef struct lu_data {
    fl_dtype dtype;
    int plain;
    int64_t m, n, k, batch, size; /* k: the smaller of m and n; size of an element */
    int64_t workers, slices;      /* matrices at a time; threads of an update */
    int64_t pivots, lower, product,
        bytes; /* places in a worker's scratch, after the panel's columns; of a slice's; its end */
    int64_t product_bytes;
    fl_copy copy;
} lu_data;

typedef struct matrix {
    const lu_data *s;
    char *a, *scratch;
} matrix;

static char *element(const matrix *x, int64_t i, int64_t j)
{
    return x->a + (i * x->s->n + j) * x->s->size;
}

/* ---- the update ---- */

typedef struct update {
    const matrix *x;
    int64_t row, middle, column, end,
        strips; /* rows from `row` final, from `middle` on updated; columns [column, end) */
} update;

/* Solves rows [row, middle) for a strip of columns, then subtracts their products from those below. */
static void update_strip(const void *ctx, int64_t task, int slice)
{
    const update *u = ctx;
    const matrix *x = u->x;
    const lu_data *s = x->s;
    const int64_t all = u->end - u->column, units = fl_div_up(all, 16);
    const int64_t from = units * task / u->strips * 16, to = FL_MIN(units * (task + 1) / u->strips * 16, all);
    const int64_t begin = u->column + from, n = to - from, k = u->middle - u->row;
    char *w = element(x, u->row, begin);
    const char *l = element(x, u->row, u->row);
    enum { BLOCK = 32 };
    for (int64_t i = 0; i < k; i += BLOCK) {
        const int64_t end = FL_MIN(i + BLOCK, k);
        if (s->dtype == FL_F32)
            FL_ISA_PICK(fl_substitute_f32)((float *)w, s->n, n, (const float *)l, s->n, 1, i, end, 1);
        else
            FL_ISA_PICK(fl_substitute_f64)((double *)w, s->n, n, (const double *)l, s->n, 1, i, end, 1);
    }
    const fl_gemm_type *type = fl_gemm_type_for(s->dtype, s->dtype, s->dtype);
    if (u->middle == s->m) return;
    const fl_matrix lower = {x->scratch + s->lower, s->dtype, k, 1}, upper = {w, s->dtype, s->n, 1};
    fl_gemm_block_add(type, s->m - u->middle, n, k, &lower, &upper, element(x, u->middle, begin), s->n,
                      x->scratch + s->product + slice * s->product_bytes);
}

/* The lower part of columns [row, middle), with its sign changed, row after row. */
static void copy_lower(const matrix *x, int64_t row, int64_t middle)
{
    const lu_data *s = x->s;
    const int64_t k = middle - row;
#define COPY(T)                                                                                              \
    for (int64_t i = middle; i < s->m; i++) {                                                                \
        const T *from = (const T *)element(x, i, row);                                                       \
        T *to = (T *)(x->scratch + s->lower) + (i - middle) * k;                                             \
        for (int64_t j = 0; j < k; j++) to[j] = -from[j];                                                    \
    }
    if (s->dtype == FL_F32)
        COPY(float)
    else
        COPY(double)
#undef COPY
}

static void update_columns(const matrix *x, int64_t row, int64_t middle, int64_t end)
{
    update u = {x, row, middle, middle, end, 1};
    copy_lower(x, row, middle);
    u.strips = FL_MIN(x->s->slices, FL_MAX((end - middle) / STRIP, 1));
    fl_for_tasks(u.strips, (int)u.strips, update_strip, &u);
}

/* ---- columns [begin, end) of the matrix, whose rows before `begin` are final ---- */

static void exchange(char *a, char *b, int64_t bytes)
{
    char kept[256];
    for (int64_t i = 0; i < bytes; i += (int64_t)sizeof kept) {
        const size_t n = (size_t)FL_MIN(bytes - i, (int64_t)sizeof kept);
        memcpy(kept, a + i, n);
        memcpy(a + i, b + i, n);
        memcpy(b + i, kept, n);
    }
}

static void factor_panel(const matrix *x, int64_t begin, int64_t end)
{
    const lu_data *s = x->s;
    int *pivots = (int *)(x->scratch + s->pivots);
    char *a = element(x, begin, begin);
    if (s->dtype == FL_F32)
        FL_ISA_PICK(fl_lu_panel_f32)((float *)a, s->n, s->m - begin, end - begin, pivots + begin,
                                     (float *)x->scratch);
    else
        FL_ISA_PICK(fl_lu_panel_f64)((double *)a, s->n, s->m - begin, end - begin, pivots + begin,
                                     (double *)x->scratch);
    for (int64_t j = begin; j < end; j++) { /* the columns on both sides */
        const int64_t p = pivots[j] += (int)begin;
        if (p == j) continue;
        exchange(element(x, j, 0), element(x, p, 0), begin * s->size);
        exchange(element(x, j, end), element(x, p, end), (s->n - end) * s->size);
    }
}

static void factor_columns(const matrix *x, int64_t begin, int64_t end)
{
    if (end - begin <= FL_LU_PANEL) {
        factor_panel(x, begin, end);
        return;
    }
    const int64_t middle = begin + fl_round_up((end - begin) / 2, FL_LU_PANEL);
    factor_columns(x, begin, middle);
    update_columns(x, begin, middle, end);
    factor_columns(x, middle, end);
}

static void factor(const matrix *x)
{
    const lu_data *s = x->s;
    int *pivots = (int *)(x->scratch + s->pivots);
    if (s->dtype == FL_C64) {
        FL_ISA_PICK(fl_lu_rows_c64)((float *)x->a, s->m, s->n, pivots);
    } else if (s->dtype == FL_C128) {
        FL_ISA_PICK(fl_lu_rows_c128)((double *)x->a, s->m, s->n, pivots);
    } else {
        factor_columns(x, 0, s->k);
        if (s->n > s->k) update_columns(x, 0, s->k, s->n);
    }
}

/* ---- the call ---- */

/* 1 + the first column without a pivot, or 0. */
static int first_zero(const matrix *x)
{
    const lu_data *s = x->s;
    for (int64_t i = 0; i < s->k; i++) {
        const char *d = element(x, i, i);
        int is_zero;
        switch (s->dtype) {
        case FL_F32: is_zero = *(const float *)d == 0; break;
        case FL_F64: is_zero = *(const double *)d == 0; break;
        case FL_C64: is_zero = ((const float *)d)[0] == 0 && ((const float *)d)[1] == 0; break;
        default: is_zero = ((const double *)d)[0] == 0 && ((const double *)d)[1] == 0; break;
        }
        if (is_zero) return (int)i + 1;
    }
    return 0;
}

typedef struct lu_run {
    const lu_data *s;
    char *out[3], *scratch;
} lu_run;

static void run_matrices(void *ctx, int64_t begin, int64_t end)
{
    const lu_run *r = ctx;
    const lu_data *s = r->s;
    for (int64_t w = begin; w < end; w++)
        for (int64_t b = s->batch * w / s->workers; b < s->batch * (w + 1) / s->workers; b++) {
            const matrix x = {s, r->out[0] + b * s->m * s->n * s->size, r->scratch + w * s->bytes};
            const int *pivots = (const int *)(x.scratch + s->pivots);
            int32_t *exchanges = (int32_t *)r->out[1] + b * s->k, *last = (int32_t *)r->out[2];
            factor(&x);
            for (int64_t i = 0; i < s->k; i++) exchanges[i] = pivots[i] + !s->plain;
            if (!s->plain) {
                last[b] = first_zero(&x);
                continue;
            }
            last += b * s->m;
            for (int64_t i = 0; i < s->m; i++) last[i] = (int32_t)i;
            for (int64_t i = 0; i < s->k; i++) {
                const int32_t kept = last[i];
                last[i] = last[pivots[i]], last[pivots[i]] = kept;
            }
        }
}

static fl_status run_lu(const fl_step *step, void *const *slots)
{
    lu_run r = {.s = step->data, .scratch = slots[step->scratch_slot]};
    for (int i = 0; i < 3; i++) r.out[i] = fl_operand_pointer(&step->outputs[i], slots);
    const char *in = fl_operand_pointer(&step->inputs[0], slots);
    if (r.out[0] != in) fl_copy_run(&r.s->copy, r.out[0], in);
    if (r.s->workers == 1)
        run_matrices(&r, 0, 1);
    else
        fl_parallel_for(r.s->workers, 1, run_matrices, &r);
    return NULL;
}

static int64_t round_up(int64_t bytes)
{
    return fl_round_up(bytes, 64);
}

static void lay_out(lu_data *s)
{
    const int real = s->dtype == FL_F32 || s->dtype == FL_F64;
    s->pivots = real ? round_up(FL_LU_PANEL * fl_lu_apart(s->m) * s->size) : 0;
    s->lower = s->pivots + round_up(s->k * (int64_t)sizeof(int));
    s->product = s->lower;
    if (real) {
        const fl_gemm_type *type = fl_gemm_type_for(s->dtype, s->dtype, s->dtype);
        s->product += round_up(s->m * s->k * s->size);
        s->product_bytes = round_up((int64_t)fl_gemm_block_scratch(type, s->m, s->n, s->k));
    }
    s->bytes = s->product + s->slices * s->product_bytes;
}

fl_status fl_prepare_lu(fl_step *step, fl_arena *arena, int plain)
{
    const fl_operand *in = &step->inputs[0];
    lu_data *s = FL_NEW(arena, lu_data);
    if (!s) return FL_NO_MEMORY();
    s->dtype = (fl_dtype)in->dtype;
    s->plain = plain;
    s->m = in->dims[in->rank - 2], s->n = in->dims[in->rank - 1];
    s->k = FL_MIN(s->m, s->n);
    s->size = (int64_t)fl_dtype_bytes(s->dtype);
    if (s->k < 1 || s->m > MOST_SIDE || s->n > MOST_SIDE) return FL_NO_KERNEL();
    s->batch = fl_operand_elements(in) / (s->m * s->n);
    if (!s->batch) return FL_NO_KERNEL();
    const int64_t threads = FL_MIN(fl_pool_threads(), 64);
    const int64_t work = s->batch * s->m * s->n * s->k;
    s->workers = work < 100000 ? 1 : FL_MIN(s->batch, threads);
    s->slices = s->batch == 1 ? threads : 1;
    lay_out(s);
    fl_copy_prepare_step(&s->copy, step, 0, 0);
    step->scratch_bytes = (size_t)(s->workers * s->bytes);
    step->data = s;
    step->run = run_lu;
    step->cost = fl_step_traffic(step) + work / 8;
    return NULL;
}
