/* Fortran's calling convention: everything by address, and the lengths of strings at the end. */
#include "cpu/kernels/lapack.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* kind, name for real and for complex numbers */
#define FUNCTIONS(X)                                                                                         \
    X(FL_LAPACK_QR, "geqrf", "geqrf")                                                                        \
    X(FL_LAPACK_Q, "orgqr", "ungqr")                                                                         \
    X(FL_LAPACK_EIGH, "syevd", "heevd")                                                                      \
    X(FL_LAPACK_SVD, "gesdd", "gesdd")                                                                       \
    X(FL_LAPACK_EIG, "geev", "geev")
enum { KINDS = FL_LAPACK_EIG + 1, TYPES = 4 };

typedef void (*function)(void);
static function table[KINDS][TYPES];

static int type_of(fl_dtype dtype)
{
    return dtype == FL_F32 ? 0 : dtype == FL_F64 ? 1 : dtype == FL_C64 ? 2 : dtype == FL_C128 ? 3 : -1;
}

static function find(void *library, char letter, const char *name)
{
    static const char *const forms[] = {"scipy_%c%s_", "%c%s_"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char symbol[64];
        snprintf(symbol, sizeof symbol, forms[i], letter, name);
        void *address = dlsym(library, symbol);
        function f;
        memcpy(&f, &address, sizeof f);
        if (f) return f;
    }
    return NULL;
}

static void open_library(void)
{
    const char *path = getenv("FL_LAPACK");
    void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) return;
#define FIND(kind, real, complex)                                                                            \
    for (int t = 0; t < TYPES; t++) table[kind][t] = find(library, "sdcz"[t], t < 2 ? real : complex);
    FUNCTIONS(FIND)
#undef FIND
    /* its own threads would wait for ours */
    void (*threads)(int);
    void *address = dlsym(library, "scipy_openblas_set_num_threads");
    if (!address) address = dlsym(library, "openblas_set_num_threads");
    memcpy(&threads, &address, sizeof threads);
    if (threads) threads(1);
}

int fl_lapack_has(fl_lapack_kind kind, fl_dtype dtype)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_library);
    const int t = type_of(dtype);
    return t >= 0 && table[kind][t] != NULL;
}

/* work, then rwork, then iwork, in the call's work memory; lengths of -1 ask for the sizes. */
typedef struct parts {
    void *work, *rwork;
    int *iwork;
    int lwork, lrwork, liwork;
} parts;

typedef void (*geqrf)(const int *m, const int *n, void *a, const int *lda, void *tau, void *work,
                      const int *lwork, int *info);
typedef void (*orgqr)(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau,
                      void *work, const int *lwork, int *info);
typedef void (*syevd)(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, void *w,
                      void *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
typedef void (*heevd)(const char *jobz, const char *uplo, const int *n, void *a, const int *lda, void *w,
                      void *work, const int *lwork, void *rwork, const int *lrwork, int *iwork,
                      const int *liwork, int *info, size_t, size_t);
typedef void (*gesdd)(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                      const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork,
                      int *info, size_t);
typedef void (*gesdd_complex)(const char *jobz, const int *m, const int *n, void *a, const int *lda, void *s,
                              void *u, const int *ldu, void *vt, const int *ldvt, void *work,
                              const int *lwork, void *rwork, int *iwork, int *info, size_t);
typedef void (*geev)(const char *left, const char *right, const int *n, void *a, const int *lda, void *re,
                     void *im, void *vl, const int *ldvl, void *vr, const int *ldvr, void *work,
                     const int *lwork, int *info, size_t, size_t);
typedef void (*geev_complex)(const char *left, const char *right, const int *n, void *a, const int *lda,
                             void *w, void *vl, const int *ldvl, void *vr, const int *ldvr, void *work,
                             const int *lwork, void *rwork, int *info, size_t, size_t);

static int call(const fl_lapack_call *c, const parts *p)
{
    const int type = type_of(c->dtype), complex = type >= 2;
    const function f = table[c->kind][type];
    const char *uplo = c->upper ? "U" : "L", *job = !c->left ? "N" : c->all ? "A" : "S";
    const char *left = c->left ? "V" : "N", *right = c->right ? "V" : "N";
    const int v_rows = c->all ? c->n : c->k;
    char *values = c->values;
    int info = 0;
    switch (c->kind) {
    case FL_LAPACK_QR: ((geqrf)f)(&c->m, &c->n, c->a, &c->m, c->tau, p->work, &p->lwork, &info); break;
    case FL_LAPACK_Q: ((orgqr)f)(&c->m, &c->n, &c->k, c->a, &c->m, c->tau, p->work, &p->lwork, &info); break;
    case FL_LAPACK_EIGH:
        if (complex)
            ((heevd)f)(left, uplo, &c->n, c->a, &c->n, values, p->work, &p->lwork, p->rwork, &p->lrwork,
                       p->iwork, &p->liwork, &info, 1, 1);
        else
            ((syevd)f)(left, uplo, &c->n, c->a, &c->n, values, p->work, &p->lwork, p->iwork, &p->liwork,
                       &info, 1, 1);
        break;
    case FL_LAPACK_SVD:
        if (complex)
            ((gesdd_complex)f)(job, &c->m, &c->n, c->a, &c->m, values, c->u, &c->m, c->v, &v_rows, p->work,
                               &p->lwork, p->rwork, p->iwork, &info, 1);
        else
            ((gesdd)f)(job, &c->m, &c->n, c->a, &c->m, values, c->u, &c->m, c->v, &v_rows, p->work, &p->lwork,
                       p->iwork, &info, 1);
        break;
    case FL_LAPACK_EIG:
        if (complex)
            ((geev_complex)f)(left, right, &c->n, c->a, &c->n, values, c->u, &c->n, c->v, &c->n, p->work,
                              &p->lwork, p->rwork, &info, 1, 1);
        else
            ((geev)f)(left, right, &c->n, c->a, &c->n, values,
                      values + (size_t)c->n * fl_dtype_bytes(c->dtype), c->u, &c->n, c->v, &c->n, p->work,
                      &p->lwork, &info, 1, 1);
        break;
    }
    return info;
}

static int64_t round_up(int64_t bytes)
{
    return (bytes + 63) & ~(int64_t)63;
}

/* A size that a query left as a number of the element type. */
static int64_t size_in(const void *work, fl_dtype dtype)
{
    float f;
    double d;
    memcpy(&f, work, sizeof f);
    memcpy(&d, work, sizeof d);
    const double size = dtype == FL_F32 || dtype == FL_C64 ? (double)f : d;
    return size >= 1 && size < 1e9 ? (int64_t)size + 1 : 1;
}

static int64_t part_bytes(const fl_lapack_call *c, int part)
{
    const int64_t each = part == 2   ? (int64_t)sizeof(int)
                         : part == 0 ? (int64_t)fl_dtype_bytes(c->dtype)
                                     : (int64_t)fl_dtype_bytes(fl_real_dtype(c->dtype));
    return round_up(c->sizes[part] * each);
}

int64_t fl_lapack_work(fl_lapack_call *c)
{
    double work[4] = {1}, rwork[4] = {1};
    int iwork = 1;
    const parts query = {work, rwork, &iwork, -1, -1, -1};
    const int64_t most = c->m > c->n ? c->m : c->n, least = c->k;
    fl_lapack_call asked = *c;
    asked.a = asked.tau = asked.values = asked.u = asked.v = work;
    c->sizes[1] = c->sizes[2] = 1;
    if (call(&asked, &query)) return -1;
    c->sizes[0] = size_in(work, c->dtype);
    if (c->kind == FL_LAPACK_EIGH) {
        c->sizes[1] = size_in(rwork, fl_real_dtype(c->dtype));
        c->sizes[2] = iwork;
    }
    if (c->kind == FL_LAPACK_SVD) { /* what its description says, which cannot be asked for */
        const int64_t a = 5 * least * least + 7 * least, b = 2 * most * least + 2 * least * least + least;
        c->sizes[1] = (a > b ? a : b) + 1;
        c->sizes[2] = 8 * least + 1;
    }
    if (c->kind == FL_LAPACK_EIG) c->sizes[1] = 2 * (int64_t)c->n + 1;
    return part_bytes(c, 0) + part_bytes(c, 1) + part_bytes(c, 2);
}

int fl_lapack_run(const fl_lapack_call *c)
{
    char *work = c->work, *rwork = work + part_bytes(c, 0);
    const parts p = {
        work, rwork, (int *)(rwork + part_bytes(c, 1)), (int)c->sizes[0], (int)c->sizes[1], (int)c->sizes[2]};
    return call(c, &p);
}
