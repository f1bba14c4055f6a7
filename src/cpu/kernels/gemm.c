#include "cpu/kernels/gemm.h"

#include "base/half.h"
#include "base/pool.h"
#include "cpu/isa.h"

#include <stdatomic.h>
#include <string.h>

FL_ISA_DECLARE(extern const fl_gemm_table, fl_gemm_table, [1]);

static const fl_gemm_table *table(void)
{
    return FL_ISA_PICK(fl_gemm_table);
}

static int is_plain_float(fl_dtype t)
{
    return t == FL_F32 || t == FL_BF16 || t == FL_F16 || t == FL_F64;
}

static int is_plain_int(fl_dtype t)
{
    return t == FL_I1 || (fl_is_int(t) && fl_dtypes[t].bits >= 8);
}

const fl_gemm_type *fl_gemm_type_for(fl_dtype lhs, fl_dtype rhs, fl_dtype result)
{
    const int left = is_plain_float(lhs), right = is_plain_float(rhs);
    if ((left || is_plain_int(lhs)) && (right || is_plain_int(rhs)) && (left || right) &&
        is_plain_float(result))
        return lhs == FL_F64 || rhs == FL_F64 || result == FL_F64 ? &table()->f64 : &table()->f32;
    if (is_plain_int(lhs) && is_plain_int(rhs) && is_plain_int(result))
        return fl_dtype_bytes(result) <= 4 ? &table()->u32 : &table()->u64;
    return NULL;
}

int fl_gemm_packs(const fl_gemm_type *type, fl_dtype source)
{
    switch (type->dtype) {
    case FL_F32: return source == FL_F32 || source == FL_BF16 || source == FL_F16 || source == FL_I8;
    case FL_F64: return source == FL_F64;
    case FL_U32: return source == FL_U32 || source == FL_I32 || source == FL_I8 || source == FL_U8;
    default: return source == FL_U64 || source == FL_I64;
    }
}

typedef struct task_run {
    void (*body)(const void *ctx, int64_t task, int slice);
    const void *ctx;
    int64_t tasks;
    atomic_llong next;
} task_run;

static void run_slices(void *ctx, int64_t begin, int64_t end)
{
    task_run *r = ctx;
    for (int64_t slice = begin; slice < end; slice++)
        for (int64_t task; (task = atomic_fetch_add(&r->next, 1)) < r->tasks;)
            r->body(r->ctx, task, (int)slice);
}

void fl_for_tasks(int64_t tasks, int slices, void (*body)(const void *ctx, int64_t task, int slice),
                  const void *ctx)
{
    if (slices == 1) {
        for (int64_t task = 0; task < tasks; task++) body(ctx, task, 0);
        return;
    }
    task_run r = {.body = body, .ctx = ctx, .tasks = tasks};
    fl_parallel_for(slices, 1, run_slices, &r);
}

int fl_task_slices(int64_t tasks, double work)
{
    enum { MOST = 64 }; /* bounds the scratch */
    int64_t n = fl_pool_threads();
    if (work < 40e3) n = 1;
    if (n > MOST) n = MOST;
    return (int)(tasks < n ? tasks : n);
}

/* Element types other than the ones that the vector code packs: one plain loop for each pair. */
#define REAL_SOURCES(X)                                                                                      \
    X(FL_F32, float, x)                                                                                      \
    X(FL_F64, double, x) X(FL_BF16, uint16_t, fl_f32_from_bf16(x)) X(FL_F16, uint16_t, fl_f32_from_f16(x))
#define INT_SOURCES(X)                                                                                       \
    X(FL_I1, uint8_t, x != 0)                                                                                \
    X(FL_I8, int8_t, x)                                                                                      \
    X(FL_U8, uint8_t, x)                                                                                     \
    X(FL_I16, int16_t, x)                                                                                    \
    X(FL_U16, uint16_t, x)                                                                                   \
    X(FL_I32, int32_t, x) X(FL_U32, uint32_t, x) X(FL_I64, int64_t, x) X(FL_U64, uint64_t, x)

#define LOAD_CASE(id, S, expression)                                                                         \
    case id:                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            S x = ((const S *)in)[i * stride];                                                               \
            to[i] = expression;                                                                              \
        }                                                                                                    \
        break;
#define LOADER(name, T, SOURCES)                                                                             \
    static void name(T *to, const void *in, fl_dtype dtype, int64_t stride, int64_t n)                       \
    {                                                                                                        \
        switch (dtype) {                                                                                     \
            SOURCES(LOAD_CASE)                                                                               \
        default: break;                                                                                      \
        }                                                                                                    \
    }
#define ALL_SOURCES(X) REAL_SOURCES(X) INT_SOURCES(X)
LOADER(load_f32, float, ALL_SOURCES)
LOADER(load_f64, double, ALL_SOURCES)
LOADER(load_u32, uint32_t, INT_SOURCES)
LOADER(load_u64, uint64_t, INT_SOURCES)

void fl_gemm_load(void *out, fl_dtype compute, const void *in, fl_dtype dtype, int64_t stride, int64_t n)
{
    switch (compute) {
    case FL_F32: load_f32(out, in, dtype, stride, n); break;
    case FL_F64: load_f64(out, in, dtype, stride, n); break;
    case FL_U32: load_u32(out, in, dtype, stride, n); break;
    default: load_u64(out, in, dtype, stride, n); break;
    }
}

#define REAL_RESULTS(X)                                                                                      \
    X(FL_F32, float, x)                                                                                      \
    X(FL_F64, double, x)                                                                                     \
    X(FL_BF16, uint16_t, fl_bf16_from_f32((float)x)) X(FL_F16, uint16_t, fl_f16_from_f32((float)x))
#define INT_RESULTS(X)                                                                                       \
    X(FL_I1, uint8_t, x != 0)                                                                                \
    X(FL_I8, uint8_t, x)                                                                                     \
    X(FL_U8, uint8_t, x)                                                                                     \
    X(FL_I16, uint16_t, x)                                                                                   \
    X(FL_U16, uint16_t, x)                                                                                   \
    X(FL_I32, uint32_t, x) X(FL_U32, uint32_t, x) X(FL_I64, uint64_t, x) X(FL_U64, uint64_t, x)
#define STORE_CASE(id, D, expression)                                                                        \
    case id:                                                                                                 \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            x = from[i];                                                                                     \
            ((D *)out)[i] = (D)(expression);                                                                 \
        }                                                                                                    \
        break;
#define STORER(name, T, RESULTS)                                                                             \
    static void name(void *out, fl_dtype dtype, const T *from, int64_t n)                                    \
    {                                                                                                        \
        T x;                                                                                                 \
        switch (dtype) {                                                                                     \
            RESULTS(STORE_CASE)                                                                              \
        default: break;                                                                                      \
        }                                                                                                    \
    }
STORER(store_f32, float, REAL_RESULTS)
STORER(store_f64, double, REAL_RESULTS)
STORER(store_u32, uint32_t, INT_RESULTS)
STORER(store_u64, uint64_t, INT_RESULTS)

void fl_gemm_store(void *out, fl_dtype dtype, const void *in, fl_dtype compute, int64_t n)
{
    if (dtype == compute) {
        memcpy(out, in, (size_t)n * fl_dtype_bytes(dtype));
        return;
    }
    if ((dtype == FL_BF16 || dtype == FL_F16) && compute == FL_F32) {
        (dtype == FL_BF16 ? table()->to_bf16 : table()->to_f16)(out, in, n);
        return;
    }
    switch (compute) {
    case FL_F32: store_f32(out, dtype, in, n); break;
    case FL_F64: store_f64(out, dtype, in, n); break;
    case FL_U32: store_u32(out, dtype, in, n); break;
    default: store_u64(out, dtype, in, n); break;
    }
}

#define ADD(T)                                                                                               \
    for (int64_t i = 0; i < n; i++) ((T *)sum)[i] += ((const T *)x)[i];                                      \
    break
void fl_gemm_add(void *sum, const void *x, fl_dtype compute, int64_t n)
{
    switch (compute) {
    case FL_F32: ADD(float);
    case FL_F64: ADD(double);
    case FL_U32: ADD(uint32_t);
    default: ADD(uint64_t);
    }
}
