/* Custom calls of linear algebra, JAX's for TPUs and LAPACK's as JAX writes them for CPUs. One table says the shapes of each, one
 * driver runs it batch by batch in complex double. Matrices are the last two dimensions; the layouts that calls of LAPACK ask for
 * do not concern values. */
#include "ref/factor_calls.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

/* ---- the table ---- */

/* Shapes: a letter a dimension, k the smaller of m and n, h one less than n; of operands, then of results. A result's element type is
 * the first operand's, or of integers (!), real (~), complex (^). A single dot: whether it worked, an integer. */
static const struct row {
    const char *name, *kinds; /* kinds: LAPACK's letters of element types; empty: the name is as it stands */
    const char *shapes;
    fl_batch_call *run;
} rows[] = {
    {"Qr", "", "mn:mn,k", fl_call_qr},
    {"ProductOfElementaryHouseholderReflectors", "", "mn,t:mn", fl_call_householder},
    {"LuDecomposition", "", "mn:mn,k!,m!", fl_call_lu},
    {"Eigh", "", "nn:nn,n~", fl_call_eigh},
    {"geqrf", "sdcz", "mn:mn,k", fl_call_qr},
    {"orgqr", "sd", "mn,t:mn", fl_call_householder},
    {"ungqr", "cz", "mn,t:mn", fl_call_householder},
    {"ormqr", "sd", "at,t,mn:mn", fl_call_multiply_by_q},
    {"unmqr", "cz", "at,t,mn:mn", fl_call_multiply_by_q},
    {"geqp3", "sdcz", "mn,n!:mn,n!,k", fl_call_qr_with_pivots},
    {"gehrd", "sdcz", "nn:nn,h,.", fl_call_hessenberg},
    {"sytrd", "sd", "nn:nn,n~,h~,h,.", fl_call_tridiagonal_form},
    {"hetrd", "cz", "nn:nn,n~,h~,h,.", fl_call_tridiagonal_form},
    {"getrf", "sdcz", "mn:mn,k!,.", fl_call_lapack_lu},
    {"sytrf", "sdcz", "nn:nn,n!,.", fl_call_ldl},
    {"hetrf", "cz", "nn:nn,n!,.", fl_call_hermitian_ldl},
    {"sytrs", "sdcz", "nn,n!,nr:nr", fl_call_solve_ldl},
    {"hetrs", "cz", "nn,n!,nr:nr", fl_call_solve_hermitian_ldl},
    {"potrf", "sdcz", "nn:nn,.", fl_call_cholesky},
    {"trsm", "sdcz", "aa,mn:mn", fl_call_solve_triangle},
    {"gtsv", "sdcz", "n,n,n,nr:n,n,n,nr,.", fl_call_solve_tridiagonal},
    {"tridiagonal_solve_perturbed_ffi", "", "n,n,n,nr:nr", fl_call_solve_perturbed},
    {"syevd", "sd", "nn:nn,n~,.", fl_call_lapack_eigh},
    {"heevd", "cz", "nn:nn,n~,.", fl_call_lapack_eigh},
    {"gesdd", "sdcz", "mn:mn,k~,mu,vn,.", fl_call_svd},
    {"gesvd", "sdcz", "mn:mn,k~,mu,vn,.", fl_call_svd},
    {"geev", "sd", "nn:n,n,nn^,nn^,.", fl_call_eig_of_real},
    {"geev", "cz", "nn:n,nn,nn,.", fl_call_eig},
    {"gees", "sd", "nn:nn,nn,n,n,.,.", fl_call_real_schur},
    {"gees", "cz", "nn:nn,nn,n,.,.", fl_call_schur},
};

static int is_call(const struct row *row, const char *target)
{
    static const char prefix[] = "lapack_", suffix[] = "_ffi";
    size_t n = strlen(row->name), p = sizeof prefix - 1;
    if (!*row->kinds) return !strcmp(target, row->name);
    return !strncmp(target, prefix, p) && target[p] && strchr(row->kinds, target[p]) &&
           !strncmp(target + p + 1, row->name, n) && !strcmp(target + p + 1 + n, suffix);
}

static const struct row *find_row(const char *target)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_call(&rows[i], target)) return &rows[i];
    return NULL;
}

/* ---- the driver ---- */

typedef struct array {
    const fl_tensor *t;
    int64_t count; /* of a batch */
    int is_info;
} array;

typedef struct plan {
    fl_batch b;
    int batch_rank, wrong;
    int64_t batches;
    const fl_type *first;
    array in[FL_BATCH_MOST_IN], out[FL_BATCH_MOST_OUT];
} plan;

static int dims_of(const char *shape)
{
    int n = 0;
    while (shape[n] >= 'a' && shape[n] <= 'z') n++;
    return n;
}

static const char *next_shape(const char *shape)
{
    while (*shape && *shape != ',' && *shape != ':') shape++;
    return *shape ? shape + 1 : NULL;
}

static fl_dtype expected_dtype(const plan *p, char mark)
{
    const fl_dtype dtype = (fl_dtype)p->first->dtype;
    if (mark == '!') return FL_I32;
    if (mark == '~') return fl_real_dtype(dtype);
    if (mark == '^') return dtype == FL_F64 ? FL_C128 : FL_C64;
    return dtype;
}

/* Gives letters their sizes at their first appearance, and asks for the same ones later. */
static void bind_shape(plan *p, const char *shape, const fl_tensor *t, array *out)
{
    const fl_type *type = t->type;
    const int rank = dims_of(shape), is_info = *shape == '.';
    *out = (array){t, 1, is_info};
    p->wrong |= type->rank != p->batch_rank + rank ||
                type->dtype != (is_info ? FL_I32 : expected_dtype(p, shape[rank]));
    for (int d = 0; !p->wrong && d < p->batch_rank; d++) p->wrong |= type->dims[d] != p->first->dims[d];
    for (int d = 0; !p->wrong && d < rank; d++) {
        int64_t *size = &p->b.size[(int)shape[d]], dim = type->dims[p->batch_rank + d];
        if (*size < 0) *size = dim;
        p->wrong |= *size != dim;
        out->count *= dim;
    }
    int64_t m = p->b.size['m'], n = p->b.size['n'];
    if (m >= 0 && n >= 0) p->b.size['k'] = m < n ? m : n;
    if (n >= 0) p->b.size['h'] = n > 0 ? n - 1 : 0;
}

static fl_status make_plan(const fl_custom_args *args, const struct row *row, plan *p)
{
    const char *shape = row->shapes;
    uint32_t ins = 0, outs = 0;
    p->b.op = args->op;
    for (int c = 0; c <= 'z'; c++) p->b.size[c] = -1;
    for (const char *s = shape; s; s = next_shape(s)) (s > strchr(shape, ':') ? outs++ : ins++);
    FL_CHECK(args->in_count == ins && args->out_count == outs, FL_INVALID,
             "expected %u operands and %u results, got %u and %u", ins, outs, args->in_count,
             args->out_count);
    p->first = args->in->type;
    FL_CHECK(fl_is_float((fl_dtype)p->first->dtype) || fl_is_complex((fl_dtype)p->first->dtype), FL_INVALID,
             "expected real or complex numbers");
    p->b.epsilon = fl_real_dtype((fl_dtype)p->first->dtype) == FL_F64 ? DBL_EPSILON : FLT_EPSILON;
    p->batch_rank = p->first->rank - dims_of(shape);
    p->wrong = p->batch_rank < 0;
    for (uint32_t i = 0; !p->wrong && i < ins; i++, shape = next_shape(shape))
        bind_shape(p, shape, &args->in[i], &p->in[i]);
    for (uint32_t i = 0; !p->wrong && i < outs; i++, shape = next_shape(shape))
        bind_shape(p, shape, &args->out[i], &p->out[i]);
    FL_CHECK(!p->wrong, FL_INVALID, "expected operands and results of shapes %s", row->shapes);
    p->batches = 1;
    for (int d = 0; d < p->batch_rank; d++) p->batches *= p->first->dims[d];
    return NULL;
}

static void load(const array *a, int64_t number, double complex *to)
{
    const fl_kind kind = fl_dtype_kind((fl_dtype)a->t->type->dtype);
    for (int64_t i = 0; i < a->count; i++) {
        fl_scalar s = fl_get(a->t, number * a->count + i);
        to[i] = kind == FL_KIND_COMPLEX ? fl_scalar_complex(s) : kind == FL_KIND_FLOAT ? s.re : (double)s.i;
    }
}

static void store(const array *a, int64_t number, const double complex *from)
{
    const int is_integer = a->t->type->dtype == FL_I32;
    for (int64_t i = 0; i < a->count; i++)
        fl_set(a->t, number * a->count + i,
               is_integer ? (fl_scalar){.i = (int64_t)creal(from[i])} : fl_complex_scalar(from[i]));
}

/* Room for all arrays of a batch, and for four square matrices and some vectors. */
static fl_status allocate(plan *p, uint32_t ins, uint32_t outs, double complex **out)
{
    size_t m = (size_t)(p->b.size['m'] > 0 ? p->b.size['m'] : 0),
           n = (size_t)(p->b.size['n'] > 0 ? p->b.size['n'] : 0), side = m > n ? m : n, total;
    FL_CHECK(!__builtin_mul_overflow(3 * side + 4, side, &total), FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < ins; i++) total += (size_t)p->in[i].count;
    for (uint32_t i = 0; i < outs; i++) total += (size_t)p->out[i].count;
    double complex *at = *out = calloc(total + 1, sizeof *at);
    FL_CHECK(at, FL_OOM, "no memory for matrices of %zu rows and columns", side);
    for (uint32_t i = 0; i < ins; i++) p->b.in[i] = at, at += p->in[i].count;
    for (uint32_t i = 0; i < outs; i++) p->b.out[i] = at, at += p->out[i].count;
    p->b.scratch = at;
    return NULL;
}

static fl_status run(const fl_custom_args *args)
{
    const char *target = fl_op_string(args->op, FL_ATTR_call_target_name);
    const struct row *row = find_row(target);
    double complex *memory;
    plan p = {0};
    FL_CHECK(row, FL_UNSUPPORTED, "expected a custom call of linear algebra, got %s", target);
    FL_TRY(make_plan(args, row, &p));
    FL_TRY(allocate(&p, args->in_count, args->out_count, &memory));
    int result = 0;
    for (int64_t n = 0; result != FL_BATCH_WRONG && n < p.batches; n++) {
        for (uint32_t i = 0; i < args->in_count; i++) load(&p.in[i], n, p.b.in[i]);
        for (uint32_t i = 0; i < args->out_count; i++)
            memset(p.b.out[i], 0, (size_t)p.out[i].count * sizeof *memory);
        result = row->run(&p.b);
        for (uint32_t i = 0; i < args->out_count; i++) {
            if (p.out[i].is_info) *p.b.out[i] = i + 1 == args->out_count ? result : 0;
            store(&p.out[i], n, p.b.out[i]);
        }
    }
    free(memory);
    FL_CHECK(result != FL_BATCH_WRONG, FL_INVALID, "expected operands and results that fit, of shapes %s",
             row->shapes);
    return NULL;
}

fl_custom_function *fl_factor_find(const char *name)
{
    return find_row(name) ? run : NULL;
}
