/* Custom calls of linear algebra: LU by lu.c, the others through a LAPACK library, under the names and with the results that ref/factor.h has: matrices are
 * turned to columns, factored, and turned back, one of the batch at a time on each thread. What is not here, or when there
 * is no library, runs in the reference interpreter, which also says what is wrong with shapes. */
#include "cpu/kernels/factor.h"
#include "base/pool.h"
#include "cpu/kernels/kernel.h"
#include "cpu/kernels/lapack.h"
#include "cpu/kernels/lu.h"
#include "ref/custom.h"

#include <math.h>
#include <string.h>

#define MOST_SIDE 16384 /* LAPACK counts in 32 bits */

enum { OWN_LU = FL_LAPACK_EIG + 1 }; /* lu.c, which needs no library */

/* Arguments and results of a call: m and n are sides of the first operand. */
static const struct row {
    const char *name; /* LAPACK's without its letter, or JAX's for TPUs */
    uint8_t plain;    /* the name is as it stands */
    uint8_t kind, ins, outs;
} rows[] = {
    {"LuDecomposition", 1, OWN_LU, 1, 3},
    {"getrf", 0, OWN_LU, 1, 3},
    {"Qr", 1, FL_LAPACK_QR, 1, 2},
    {"geqrf", 0, FL_LAPACK_QR, 1, 2},
    {"ProductOfElementaryHouseholderReflectors", 1, FL_LAPACK_Q, 2, 1},
    {"orgqr", 0, FL_LAPACK_Q, 2, 1},
    {"ungqr", 0, FL_LAPACK_Q, 2, 1},
    {"Eigh", 1, FL_LAPACK_EIGH, 1, 2},
    {"syevd", 0, FL_LAPACK_EIGH, 1, 3},
    {"heevd", 0, FL_LAPACK_EIGH, 1, 3},
    {"gesdd", 0, FL_LAPACK_SVD, 1, 5},
    {"gesvd", 0, FL_LAPACK_SVD, 1, 5},
    {"geev", 0, FL_LAPACK_EIG, 1, 4}, /* of real matrices 5 */
};

typedef struct factor {
    const struct row *row;
    fl_lapack_call call;             /* without memory */
    int64_t batches, workers, bytes; /* bytes of scratch of each worker */
    int64_t a, u, v, values, work;   /* places in it */
    int64_t size;                    /* of an element */
    int64_t copies;                  /* place in the scratch of dense copies of operands that are not */
    fl_copy *copy[2];                /* NULL: it is dense */
} factor;

/* rows x columns, row by row -> columns x rows. */
static void turn(char *to, const char *from, int64_t rows, int64_t columns, int64_t size)
{
#define TURN(T)                                                                                              \
    for (int64_t i = 0; i < rows; i++)                                                                       \
        for (int64_t j = 0; j < columns; j++) ((T *)to)[j * rows + i] = ((const T *)from)[i * columns + j]
    typedef struct {
        double re, im;
    } pair;
    if (size == 4)
        TURN(float);
    else if (size == 8)
        TURN(double);
    else
        TURN(pair);
#undef TURN
}

static int is_finite(const char *x, fl_dtype dtype, int64_t count)
{
    const fl_dtype real = fl_real_dtype(dtype);
    if (real != dtype) count *= 2;
    double sum = 0; /* x - x is 0 or NaN */
    for (int64_t i = 0; i < count; i++) {
        const double v = real == FL_F32 ? ((const float *)x)[i] : ((const double *)x)[i];
        sum += v - v;
    }
    return sum == 0;
}

static void fill_nan(char *x, fl_dtype dtype, int64_t count)
{
    const fl_dtype real = fl_real_dtype(dtype);
    if (real != dtype) count *= 2;
    for (int64_t i = 0; i < count; i++)
        if (real == FL_F32)
            ((float *)x)[i] = NAN;
        else
            ((double *)x)[i] = NAN;
}

/* ---- results ---- */

/* Eigenvectors of a real matrix: pairs of conjugates lie as real and imaginary parts in two columns. */
#define UNPACK(T)                                                                                            \
    for (int64_t j = 0; j < n; j++) {                                                                        \
        const T *im = (const T *)imaginary;                                                                  \
        const int64_t first = im[j] < 0 ? j - 1 : j;                                                         \
        const T sign = im[j] < 0 ? -1 : im[j] > 0 ? 1 : 0;                                                   \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            ((T *)to)[2 * (i * n + j)] = ((const T *)from)[first * n + i];                                   \
            ((T *)to)[2 * (i * n + j) + 1] = sign == 0 ? 0 : sign * ((const T *)from)[(first + 1) * n + i];  \
        }                                                                                                    \
    }
static void store_vectors(char *to, const char *from, const char *imaginary, int64_t n, fl_dtype dtype)
{
    if (dtype == FL_F32)
        UNPACK(float)
    else if (dtype == FL_F64)
        UNPACK(double)
    else
        turn(to, from, n, n, (int64_t)fl_dtype_bytes(dtype));
}

typedef struct factor_run {
    const factor *f;
    const char *in[2];
    char *out[6], *scratch;
} factor_run;

static void store(const factor_run *r, int64_t b, const fl_lapack_call *c, int info)
{
    const factor *f = r->f;
    const int64_t m = c->m, n = c->n, k = c->k, size = f->size;
    const int64_t real = (int64_t)fl_dtype_bytes(fl_real_dtype(c->dtype));
    char *const *out = r->out;
    if (c->kind == FL_LAPACK_SVD) {
        const int64_t u = c->all ? m : k, v = c->all ? n : k;
        if (c->left) turn(out[2] + b * m * u * size, c->u, u, m, size);
        if (c->right) turn(out[3] + b * v * n * size, c->v, n, v, size);
        memcpy(out[1] + b * k * real, c->values, (size_t)(k * real));
    } else if (c->kind == FL_LAPACK_EIG) {
        const int parts = real == size ? 2 : 1;
        for (int p = 0; p < parts; p++)
            memcpy(out[p] + b * n * size, (char *)c->values + p * n * size, (size_t)(n * size));
        const char *imaginary = (char *)c->values + n * size;
        const int64_t bytes = b * n * n * 2 * real;
        if (c->left) store_vectors(out[parts] + bytes, c->u, imaginary, n, c->dtype);
        if (c->right) store_vectors(out[parts + 1] + bytes, c->v, imaginary, n, c->dtype);
    } else if (c->left) {
        turn(out[0] + b * m * n * size, c->a, n, m, size);
    }
    if (c->kind == FL_LAPACK_EIGH) memcpy(out[1] + b * n * real, c->values, (size_t)(n * real));
    if (!f->row->plain && c->kind != FL_LAPACK_QR && c->kind != FL_LAPACK_Q)
        ((int32_t *)out[f->row->outs - 1 + (c->kind == FL_LAPACK_EIG && real == size)])[b] = info;
}

static void run_one(const factor_run *r, int64_t b, char *scratch)
{
    const factor *f = r->f;
    fl_lapack_call c = f->call;
    const int64_t count = (int64_t)c.m * c.n;
    const char *in = r->in[0] + b * count * f->size;
    c.a = scratch + f->a, c.u = scratch + f->u, c.v = scratch + f->v;
    c.values = scratch + f->values, c.work = scratch + f->work;
    if (c.kind == FL_LAPACK_QR) c.tau = r->out[1] + b * c.k * f->size;
    if (c.kind == FL_LAPACK_Q) c.tau = (char *)(uintptr_t)(r->in[1] + b * c.k * f->size);
    turn(c.a, in, c.m, c.n, f->size);
    if (c.kind == FL_LAPACK_SVD) memcpy(r->out[0] + b * count * f->size, in, (size_t)(count * f->size));
    const int spectral = c.kind >= FL_LAPACK_EIGH; /* those iterate, and may not end */
    const int info = spectral && !is_finite(in, c.dtype, count) ? 1 : fl_lapack_run(&c);
    if (spectral && info) {
        fill_nan(c.a, c.dtype, count);
        fill_nan(c.u, c.dtype, (f->v - f->u) / f->size);
        fill_nan(c.v, c.dtype, (f->values - f->v) / f->size);
        fill_nan(c.values, fl_real_dtype(c.dtype),
                 (f->work - f->values) / (int64_t)fl_dtype_bytes(fl_real_dtype(c.dtype)));
    }
    store(r, b, &c, info);
}

static void run_workers(void *ctx, int64_t begin, int64_t end)
{
    const factor_run *r = ctx;
    const factor *f = r->f;
    for (int64_t w = begin; w < end; w++)
        for (int64_t b = f->batches * w / f->workers; b < f->batches * (w + 1) / f->workers; b++)
            run_one(r, b, r->scratch + w * f->bytes);
}

static fl_status run(const fl_step *step, void *const *slots)
{
    factor_run r = {.f = step->data, .scratch = slots[step->scratch_slot]};
    char *copied = r.scratch + r.f->copies;
    for (int i = 0; i < step->input_count; i++) {
        r.in[i] = fl_operand_pointer(&step->inputs[i], slots);
        if (!r.f->copy[i]) continue;
        fl_copy_run(r.f->copy[i], copied, r.in[i]);
        r.in[i] = copied;
        copied += (fl_operand_bytes(&step->inputs[i]) + 63) & ~(size_t)63;
    }
    for (int i = 0; i < step->output_count; i++) r.out[i] = fl_operand_pointer(&step->outputs[i], slots);
    fl_parallel_for(r.f->workers, 1, run_workers, &r);
    return NULL;
}

/* ---- planning ---- */

static const struct row *find_row(const char *target, fl_dtype dtype)
{
    static const char prefix[] = "lapack_", suffix[] = "_ffi";
    const char letter = dtype == FL_F32 ? 's' : dtype == FL_F64 ? 'd' : dtype == FL_C64 ? 'c' : 'z';
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const size_t n = strlen(rows[i].name), p = sizeof prefix - 1;
        if (rows[i].plain
                ? !strcmp(target, rows[i].name)
                : !strncmp(target, prefix, p) && target[p] == letter &&
                      !strncmp(target + p + 1, rows[i].name, n) && !strcmp(target + p + 1 + n, suffix))
            return &rows[i];
    }
    return NULL;
}

static int64_t last_dim(const fl_operand *o, int from_end)
{
    return o->rank >= from_end ? o->dims[o->rank - from_end] : -1;
}

/* How the call factors, by its attributes; 0: not in a way that is here. */
static int read_options(const fl_op *op, const fl_step *step, factor *f)
{
    fl_lapack_call *c = &f->call;
    const fl_literal *uplo = fl_custom_config(op, "uplo"), *given = fl_op_literal(op, FL_ATTR_backend_config);
    c->upper = uplo && uplo->kind == FL_LIT_INT && uplo->u.i == 'U';
    if (c->kind == FL_LAPACK_EIGH && f->row->plain) /* "lower,sort,..." */
        c->upper = given && given->kind == FL_LIT_STRING && given->u.string[0] == '0';
    if ((c->kind == FL_LAPACK_EIGH || c->kind == FL_LAPACK_EIG) && c->m != c->n) return 0;
    if (c->kind == FL_LAPACK_Q) {
        const int64_t t = last_dim(&step->inputs[1], 1);
        if (c->n > c->m || t < 0 || t > c->n || step->inputs[1].dtype != step->inputs[0].dtype) return 0;
        c->k = (int)t;
    }
    if (c->kind != FL_LAPACK_SVD) return 1;
    const int64_t u = last_dim(&step->outputs[2], 1), v = last_dim(&step->outputs[3], 2);
    c->all = u == c->m && v == c->n;
    return c->all || (u == c->k && v == c->k);
}

/* Values alone are found several times as fast as with their vectors. */
static void find_wanted(const fl_step *step, fl_lapack_call *c)
{
    const int first = c->kind == FL_LAPACK_EIGH  ? 0
                      : c->kind == FL_LAPACK_SVD ? 2
                                                 : step->output_count - 3; /* EIG: in front of info */
    const uint32_t unread = step->unread >> first;
    c->left = c->right = 1;
    if (c->kind == FL_LAPACK_EIGH) c->left = !(unread & 1);
    if (c->kind == FL_LAPACK_SVD) c->left = c->right = (unread & 3) != 3;
    if (c->kind == FL_LAPACK_EIG) c->left = !(unread & 1), c->right = !(unread & 2);
}

static void lay_out(factor *f)
{
    const fl_lapack_call *c = &f->call;
    const int64_t m = c->m, n = c->n, size = f->size;
    const int svd = c->kind == FL_LAPACK_SVD, eig = c->kind == FL_LAPACK_EIG;
    const int64_t u = !c->left ? 0 : svd ? m * (c->all ? m : c->k) : eig ? n * n : 0;
    const int64_t v = !c->right ? 0 : svd ? n * (c->all ? n : c->k) : eig ? n * n : 0;
    f->u = f->a + (m * n * size + 63) / 64 * 64;
    f->v = f->u + (u * size + 63) / 64 * 64;
    f->values = f->v + (v * size + 63) / 64 * 64;
    f->work = f->values + (2 * FL_MAX(m, n) * size + 63) / 64 * 64;
}

/* Bytes of the copies; -1: out of memory. */
static int64_t prepare_copies(factor *f, const fl_step *step, fl_arena *arena)
{
    int64_t bytes = 0;
    for (int i = 0; i < step->input_count; i++) {
        const fl_operand *in = &step->inputs[i];
        int64_t dense[FL_MAX_RANK];
        if (fl_operand_is_dense(in)) continue;
        f->copy[i] = FL_NEW(arena, fl_copy);
        if (!f->copy[i]) return -1;
        fl_dense_strides(in->rank, in->dims, dense);
        fl_copy_prepare(f->copy[i], fl_dtype_bytes((fl_dtype)in->dtype), in->rank, in->dims, dense,
                        in->strides);
        bytes += (int64_t)((fl_operand_bytes(in) + 63) & ~(size_t)63);
    }
    return bytes;
}

fl_status fl_prepare_factor(fl_step *step, fl_arena *arena)
{
    const char *target = fl_op_string(step->op, FL_ATTR_call_target_name);
    const fl_operand *in = &step->inputs[0];
    if (!target || !step->input_count || in->rank < 2) return FL_NO_KERNEL();
    const struct row *row = find_row(target, (fl_dtype)in->dtype);
    if (!row) return FL_NO_KERNEL();
    if (row->kind == OWN_LU)
        return step->output_count == row->outs ? fl_prepare_lu(step, arena, row->plain) : FL_NO_KERNEL();
    if (!fl_lapack_has((fl_lapack_kind)row->kind, (fl_dtype)in->dtype)) return FL_NO_KERNEL();
    const int real = fl_real_dtype((fl_dtype)in->dtype) == (fl_dtype)in->dtype;
    const int outs = row->outs + (row->kind == FL_LAPACK_EIG && real);
    const int64_t m = last_dim(in, 2), n = last_dim(in, 1);
    if (step->input_count != row->ins || step->output_count != outs || m < 1 || n < 1 || m > MOST_SIDE ||
        n > MOST_SIDE)
        return FL_NO_KERNEL();
    factor *f = FL_NEW(arena, factor);
    if (!f) return FL_NO_MEMORY();
    f->row = row;
    f->size = (int64_t)fl_dtype_bytes((fl_dtype)in->dtype);
    f->call = (fl_lapack_call){
        .kind = (fl_lapack_kind)row->kind, .dtype = (fl_dtype)in->dtype, .m = (int)m, .n = (int)n};
    f->call.k = (int)FL_MIN(m, n);
    f->batches = fl_operand_elements(in) / (m * n);
    if (!f->batches || !read_options(step->op, step, f)) return FL_NO_KERNEL();
    find_wanted(step, &f->call);
    lay_out(f);
    const int64_t work = fl_lapack_work(&f->call);
    if (work < 0) return FL_NO_KERNEL();
    f->bytes = (f->work + work + 63) / 64 * 64;
    f->workers = FL_MIN(f->batches, FL_MIN(fl_pool_threads(), 64));
    step->data = f;
    step->run = run;
    f->copies = f->workers * f->bytes;
    const int64_t copies = prepare_copies(f, step, arena);
    if (copies < 0) return FL_NO_MEMORY();
    step->scratch_bytes = (size_t)(f->copies + copies);
    step->cost = fl_step_traffic(step) + f->batches * m * n * f->call.k / 4;
    return NULL;
}
