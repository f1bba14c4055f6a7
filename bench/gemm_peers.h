/* Other libraries' matrix products, loaded at run time from the paths in FL_PEERS (colon separated): any with sgemm_ (MKL, also
 * inside PyTorch's libtorch_cpu.so), scipy's OpenBLAS, and oneDNN with its C interface. */
#ifndef FL_BENCH_GEMM_PEERS_H
#define FL_BENCH_GEMM_PEERS_H

#include "base/dtype.h"

#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct product {
    int64_t batch, m, n, k;
    char form[3]; /* "nn", "nt" (rhs stored [n][k]), "tn" (lhs stored [k][m]), "tt" */
    fl_dtype in, out;
    const void *a, *b;
    void *c;
} product;

typedef struct peer {
    const char *name;
    /* Gets ready to run `p`; 0: cannot. */
    int (*prepare)(const product *p);
    void (*run)(const product *p);
} peer;

/* --- BLAS --- */

typedef void sgemm_fn(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                      const float *alpha, const float *a, const int *lda, const float *b, const int *ldb,
                      const float *beta, float *c, const int *ldc);
typedef void dgemm_fn(const char *ta, const char *tb, const int *m, const int *n, const int *k,
                      const double *alpha, const double *a, const int *lda, const double *b, const int *ldb,
                      const double *beta, double *c, const int *ldc);
typedef void sgemm64_fn(const char *ta, const char *tb, const int64_t *m, const int64_t *n, const int64_t *k,
                        const float *alpha, const float *a, const int64_t *lda, const float *b,
                        const int64_t *ldb, const float *beta, float *c, const int64_t *ldc);
typedef void batch_fn(int layout, const int *ta, const int *tb, const int *m, const int *n, const int *k,
                      const float *alpha, const float **a, const int *lda, const float **b, const int *ldb,
                      const float *beta, float **c, const int *ldc, int groups, const int *sizes);

static struct {
    sgemm_fn *sgemm, *cgemm;
    dgemm_fn *dgemm, *zgemm;
    batch_fn *batch;
    sgemm64_fn *openblas;
} blas;
static const float *batch_a[4096], *batch_b[4096];
static float *batch_c[4096];

static inline int mkl_prepare(const product *p)
{
    const size_t e = fl_dtype_bytes(p->in) / 4;
    if (p->in == FL_F64) return blas.dgemm && p->batch == 1;
    if (p->in == FL_C64) return blas.cgemm && p->batch == 1;
    if (p->in == FL_C128) return blas.zgemm && p->batch == 1;
    if (p->in != FL_F32 || p->batch > 4096 || (p->batch > 1 && !blas.batch)) return 0;
    for (int64_t i = 0; i < p->batch; i++) {
        batch_a[i] = (const float *)p->a + (size_t)(i * p->m * p->k) * e;
        batch_b[i] = (const float *)p->b + (size_t)(i * p->k * p->n) * e;
        batch_c[i] = (float *)p->c + (size_t)(i * p->m * p->n) * e;
    }
    return blas.sgemm != NULL;
}

/* Row-major C = A B is column-major C' = B' A'. */
static inline void mkl_run(const product *p)
{
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k, lda = p->form[0] == 't' ? m : k,
              ldb = p->form[1] == 't' ? k : n;
    const float one[2] = {1, 0}, zero[2] = {0, 0};
    const double done[2] = {1, 0}, dzero[2] = {0, 0};
    const char *ta = p->form[0] == 't' ? "T" : "N", *tb = p->form[1] == 't' ? "T" : "N";
    if (p->in == FL_F64 || p->in == FL_C128)
        (p->in == FL_F64 ? blas.dgemm : blas.zgemm)(tb, ta, &n, &m, &k, done, p->b, &ldb, p->a, &lda, dzero,
                                                    p->c, &n);
    else if (p->batch > 1) {
        const int rows = 101, at = p->form[0] == 't' ? 112 : 111, bt = p->form[1] == 't' ? 112 : 111,
                  size = (int)p->batch;
        blas.batch(rows, &at, &bt, &m, &n, &k, one, batch_a, &lda, batch_b, &ldb, zero, batch_c, &n, 1,
                   &size);
    } else
        (p->in == FL_F32 ? blas.sgemm : blas.cgemm)(tb, ta, &n, &m, &k, one, p->b, &ldb, p->a, &lda, zero,
                                                    p->c, &n);
}

static inline int openblas_prepare(const product *p)
{
    return p->in == FL_F32;
}

static inline void openblas_run(const product *p)
{
    const float one = 1, zero = 0;
    const int64_t lda = p->form[0] == 't' ? p->m : p->k, ldb = p->form[1] == 't' ? p->k : p->n;
    for (int64_t i = 0; i < p->batch; i++)
        blas.openblas(p->form[1] == 't' ? "T" : "N", p->form[0] == 't' ? "T" : "N", &p->n, &p->m, &p->k, &one,
                      (const float *)p->b + i * p->k * p->n, &ldb, (const float *)p->a + i * p->m * p->k,
                      &lda, &zero, (float *)p->c + i * p->m * p->n, &p->n);
}

/* --- oneDNN --- */

typedef struct argument {
    int which;
    void *memory;
} argument;
static struct {
    int (*engine_create)(void **, int, size_t);
    int (*stream_create)(void **, void *, unsigned);
    int (*desc)(void **, int, const int64_t *, int, const int64_t *);
    int (*matmul)(void **, void *, void *, void *, void *, void *, void *);
    int (*create)(void **, void *);
    int (*memory)(void **, void *, void *, void *);
    int (*execute)(void *, void *, int, const argument *);
    int (*wait)(void *);
    void *engine, *stream, *primitive;
    argument arguments[3];
} onednn;

static inline int onednn_type(fl_dtype t)
{
    return t == FL_F16    ? 1
           : t == FL_BF16 ? 2
           : t == FL_F32  ? 3
           : t == FL_I32  ? 4
           : t == FL_I8   ? 5
           : t == FL_U8   ? 6
                          : 0;
}

static inline int onednn_prepare(const product *p)
{
    enum { SOURCE = 1, WEIGHTS = 33, RESULT = 17 };
    int64_t dims[3][12] = {{p->batch, p->m, p->k}, {p->batch, p->k, p->n}, {p->batch, p->m, p->n}};
    int64_t strides[3][12] = {{p->m * p->k, p->k, 1}, {p->k * p->n, p->n, 1}, {p->m * p->n, p->n, 1}};
    if (p->form[0] == 't') strides[0][1] = 1, strides[0][2] = p->m;
    if (p->form[1] == 't') strides[1][1] = 1, strides[1][2] = p->k;
    void *desc[3], *primitive, *memory[3];
    const fl_dtype types[3] = {p->in, p->in, p->out};
    const void *data[3] = {p->a, p->b, p->c};
    const int skip = p->batch == 1;
    for (int i = 0; i < 3; i++)
        if (!onednn_type(types[i]) ||
            onednn.desc(&desc[i], 3 - skip, dims[i] + skip, onednn_type(types[i]), strides[i] + skip))
            return 0;
    if (onednn.matmul(&primitive, onednn.engine, desc[0], desc[1], NULL, desc[2], NULL)) return 0;
    if (onednn.create(&onednn.primitive, primitive)) return 0;
    for (int i = 0; i < 3; i++)
        if (onednn.memory(&memory[i], desc[i], onednn.engine, (void *)(uintptr_t)data[i])) return 0;
    onednn.arguments[0] = (argument){SOURCE, memory[0]}, onednn.arguments[1] = (argument){WEIGHTS, memory[1]};
    onednn.arguments[2] = (argument){RESULT, memory[2]};
    return 1;
}

static inline void onednn_run(const product *p)
{
    (void)p;
    onednn.execute(onednn.primitive, onednn.stream, 3, onednn.arguments);
    onednn.wait(onednn.stream);
}

static inline int onednn_load(void *library)
{
    *(void **)&onednn.engine_create = dlsym(library, "dnnl_engine_create");
    *(void **)&onednn.stream_create = dlsym(library, "dnnl_stream_create");
    *(void **)&onednn.desc = dlsym(library, "dnnl_memory_desc_create_with_strides");
    *(void **)&onednn.matmul = dlsym(library, "dnnl_matmul_primitive_desc_create");
    *(void **)&onednn.create = dlsym(library, "dnnl_primitive_create");
    *(void **)&onednn.memory = dlsym(library, "dnnl_memory_create");
    *(void **)&onednn.execute = dlsym(library, "dnnl_primitive_execute");
    *(void **)&onednn.wait = dlsym(library, "dnnl_stream_wait");
    return onednn.matmul && onednn.desc && !onednn.engine_create(&onednn.engine, 1, 0) &&
           !onednn.stream_create(&onednn.stream, onednn.engine, 1);
}

/* Fills `out` with what was found; returns how many. */
static inline int load_peers(peer *out, int most)
{
    char *paths = getenv("FL_PEERS") ? strdup(getenv("FL_PEERS")) : NULL;
    int count = 0;
    for (char *rest = NULL, *path = paths ? strtok_r(paths, ":", &rest) : NULL; path && count < most;
         path = strtok_r(NULL, ":", &rest)) {
        void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (!library) {
            fprintf(stderr, "%s\n", dlerror());
        } else if (dlsym(library, "scipy_sgemm_64_")) {
            *(void **)&blas.openblas = dlsym(library, "scipy_sgemm_64_");
            out[count++] = (peer){"OpenBLAS", openblas_prepare, openblas_run};
        } else if (dlsym(library, "dnnl_engine_create")) {
            if (onednn_load(library)) out[count++] = (peer){"oneDNN", onednn_prepare, onednn_run};
        } else if (dlsym(library, "sgemm_")) {
            *(void **)&blas.sgemm = dlsym(library, "sgemm_");
            *(void **)&blas.dgemm = dlsym(library, "dgemm_");
            *(void **)&blas.cgemm = dlsym(library, "cgemm_");
            *(void **)&blas.zgemm = dlsym(library, "zgemm_");
            *(void **)&blas.batch = dlsym(library, "cblas_sgemm_batch");
            out[count++] = (peer){"MKL", mkl_prepare, mkl_run};
        }
    }
    free(paths);
    return count;
}

#endif
