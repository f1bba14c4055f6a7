/* Runs one program twice, by plan and by the reference interpreter, with operands laid out as asked, and compares. */
#ifndef FL_TESTS_LOOP_TEST_H
#define FL_TESTS_LOOP_TEST_H

#include "base/half.h"
#include "check.h"
#include "cpu/plan/plan.h"
#include "device/device.h"
#include "ir/build.h"
#include "ref/reference.h"

#include <math.h>
#include <stdlib.h>

#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static uint64_t random_state = 88172645463325252ull;
static inline uint32_t random_u32(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state >> 16);
}
static inline int pick(int n) /* 0 .. n - 1 */
{
    return (int)(random_u32() % (uint32_t)n);
}

static inline void store_number(fl_dtype dtype, void *at, double v)
{
    switch (dtype) {
    case FL_I1: *(uint8_t *)at = v != 0; break;
    case FL_I8: *(int8_t *)at = (int8_t)v; break;
    case FL_U8: *(uint8_t *)at = (uint8_t)(int)v; break;
    case FL_I16: *(int16_t *)at = (int16_t)v; break;
    case FL_U16: *(uint16_t *)at = (uint16_t)(int)v; break;
    case FL_I32: *(int32_t *)at = (int32_t)v; break;
    case FL_U32: *(uint32_t *)at = (uint32_t)(int64_t)v; break;
    case FL_I64: *(int64_t *)at = (int64_t)v; break;
    case FL_U64: *(uint64_t *)at = (uint64_t)(int64_t)v; break;
    case FL_BF16: *(uint16_t *)at = fl_bf16_from_f32((float)v); break;
    case FL_F16: *(uint16_t *)at = fl_f16_from_f32((float)v); break;
    case FL_F32: *(float *)at = (float)v; break;
    case FL_F64: *(double *)at = v; break;
    case FL_C64: ((float *)at)[0] = (float)v, ((float *)at)[1] = (float)(v / 2); break;
    case FL_C128: ((double *)at)[0] = v, ((double *)at)[1] = v / 2; break;
    default: break;
    }
}

static inline double load_number(fl_dtype dtype, const void *at, int part)
{
    switch (dtype) {
    case FL_I1:
    case FL_U8: return *(const uint8_t *)at;
    case FL_I8: return *(const int8_t *)at;
    case FL_I16: return *(const int16_t *)at;
    case FL_U16: return *(const uint16_t *)at;
    case FL_I32: return *(const int32_t *)at;
    case FL_U32: return *(const uint32_t *)at;
    case FL_I64: return (double)*(const int64_t *)at;
    case FL_U64: return (double)*(const uint64_t *)at;
    case FL_BF16: return fl_f32_from_bf16(*(const uint16_t *)at);
    case FL_F16: return fl_f32_from_f16(*(const uint16_t *)at);
    case FL_F32: return *(const float *)at;
    case FL_F64: return *(const double *)at;
    case FL_C64: return ((const float *)at)[part];
    case FL_C128: return ((const double *)at)[part];
    default: return 0;
    }
}

/* Elements between the lowest and the highest address of a layout, + 1. */
static inline int64_t layout_span(const fl_type *t, const int64_t *strides)
{
    int64_t span = 1;
    for (int i = 0; i < t->rank; i++) {
        if (!t->dims[i]) return 0;
        span += (t->dims[i] - 1) * strides[i];
    }
    return span;
}

static inline void dense_layout(const fl_type *t, int64_t *strides)
{
    int64_t step = 1;
    for (int i = t->rank - 1; i >= 0; i--) {
        strides[i] = step;
        step *= t->dims[i];
    }
}

/* Copies between a layout and dense memory, either way. */
static inline void repack(const fl_type *t, const int64_t *strides, char *laid, char *dense, int to_dense)
{
    size_t size = fl_dtype_bytes((fl_dtype)t->dtype);
    int64_t n = fl_type_elements(t);
    for (int64_t k = 0; k < n; k++) {
        int64_t offset = 0, rest = k;
        for (int i = t->rank - 1; i >= 0; i--) {
            offset += rest % t->dims[i] * strides[i];
            rest /= t->dims[i];
        }
        if (to_dense)
            memcpy(dense + (size_t)k * size, laid + (size_t)offset * size, size);
        else
            memcpy(laid + (size_t)offset * size, dense + (size_t)k * size, size);
    }
}

/* Largest error allowed of `want`: `ulp` units of the type's precision, relative; 0: equality. NaNs equal each other. */
static inline int same_number(double got, double want, double relative)
{
    if (got == want || (isnan(got) && isnan(want))) return 1;
    return fabs(got - want) <= relative * fabs(want);
}

static inline int compare_dense(const char *name, int result, const fl_type *t, const char *got,
                                const char *want, double relative)
{
    size_t size = fl_dtype_bytes((fl_dtype)t->dtype);
    int64_t n = fl_type_elements(t);
    check_count++;
    for (int64_t k = 0; k < n; k++)
        for (int part = 0; part < 1 + fl_is_complex((fl_dtype)t->dtype); part++) {
            double g = load_number((fl_dtype)t->dtype, got + (size_t)k * size, part),
                   w = load_number((fl_dtype)t->dtype, want + (size_t)k * size, part);
            if (same_number(g, w, relative)) continue;
            check_failures++;
            fprintf(stderr, "%s: result %d, %s element %lld of %lld: expected %.9g, got %.9g\n", name, result,
                    fl_dtype_name((fl_dtype)t->dtype), (long long)k, (long long)n, w, g);
            return 0;
        }
    return 1;
}

#define MAX_OPERANDS 8
typedef struct run_case {
    fl_program *program;
    fl_layout inputs[MAX_OPERANDS], outputs[MAX_OPERANDS];
    uint8_t aliases[MAX_OPERANDS * MAX_OPERANDS];
    int bound[MAX_OPERANDS];     /* result r lies in memory of input bound[r] - 1; 0: its own */
    int64_t shift[MAX_OPERANDS]; /* elements after that input's start */
    char *data[MAX_OPERANDS];    /* dense values of the inputs */
    int use_layouts, use_aliases;
} run_case;

static inline void dense_case(run_case *c, fl_program *program)
{
    memset(c, 0, sizeof *c);
    c->program = program;
    for (uint32_t i = 0; i < program->main->arg_count; i++)
        dense_layout(fl_type_of(program, program->main->first_arg + i), c->inputs[i].strides);
    for (uint32_t i = 0; i < program->main->result_count; i++)
        dense_layout(fl_type_of(program, program->main->results[i]), c->outputs[i].strides);
}

static inline int run_and_compare(run_case *c, const char *name, double relative)
{
    const fl_program *p = c->program;
    uint32_t n = p->main->arg_count, m = p->main->result_count;
    fl_compile_options options = {.name = name,
                                  .inputs = c->use_layouts ? c->inputs : NULL,
                                  .outputs = c->use_layouts ? c->outputs : NULL,
                                  .aliases = c->use_aliases ? c->aliases : NULL};
    char *in[MAX_OPERANDS], *out[MAX_OPERANDS], *got[MAX_OPERANDS], *want[MAX_OPERANDS];
    for (uint32_t i = 0; i < n; i++) {
        const fl_type *t = fl_type_of(p, p->main->first_arg + i);
        in[i] =
            calloc((size_t)layout_span(t, c->inputs[i].strides) * 2 + 64, fl_dtype_bytes((fl_dtype)t->dtype));
        repack(t, c->inputs[i].strides, in[i], c->data[i], 0);
        repack(t, c->inputs[i].strides, in[i], c->data[i], 1); /* overlapping layouts: what is really there */
    }
    for (uint32_t r = 0; r < m; r++) {
        const fl_type *t = fl_type_of(p, p->main->results[r]);
        size_t size = fl_dtype_bytes((fl_dtype)t->dtype);
        got[r] = calloc(fl_type_bytes(t) + 16, 1);
        want[r] = calloc(fl_type_bytes(t) + 16, 1);
        if (c->bound[r])
            out[r] = in[c->bound[r] - 1] + (size_t)c->shift[r] * size;
        else
            out[r] = calloc((size_t)layout_span(t, c->outputs[r].strides) + 16, size);
    }
    fl_plan *plan = NULL;
    fl_status status = fl_plan_create(p, &options, &plan);
    void *scratch = NULL;
    if (!status) {
        scratch = aligned_alloc(64, (plan->scratch_bytes + 64) & ~(size_t)63);
        memset(scratch, 0xee, (plan->scratch_bytes + 64) & ~(size_t)63);
        status = fl_plan_run(plan, (void *const *)in, (void *const *)out, scratch);
    }
    int good = status == NULL;
    CHECK_OK(status);
    if (good) {
        status = fl_reference_run(p, (const void *const *)c->data, (void *const *)want);
        good = status == NULL;
        CHECK_OK(status);
    }
    for (uint32_t r = 0; good && r < m; r++) {
        const fl_type *t = fl_type_of(p, p->main->results[r]);
        repack(t, c->outputs[r].strides, out[r], got[r], 1);
        good = compare_dense(name, (int)r, t, got[r], want[r], relative);
    }
    if (!good) {
        fl_text text = {0};
        fl_program_print(p, &text);
        if (plan) fl_plan_print(plan, &text);
        fprintf(stderr, "%s\n", text.data ? text.data : "");
        fl_text_free(&text);
    }
    for (uint32_t r = 0; r < m; r++) {
        if (!c->bound[r]) free(out[r]);
        free(got[r]), free(want[r]);
    }
    for (uint32_t i = 0; i < n; i++) free(in[i]);
    free(scratch);
    fl_plan_destroy(plan);
    return good;
}

static inline void free_case(run_case *c)
{
    for (int i = 0; i < MAX_OPERANDS; i++) free(c->data[i]);
    fl_program_destroy(c->program);
}

static inline char *random_data(const fl_type *t, int limit)
{
    size_t size = fl_dtype_bytes((fl_dtype)t->dtype);
    int64_t n = fl_type_elements(t);
    char *data = calloc((size_t)n + 1, size);
    int negative = fl_dtype_kind((fl_dtype)t->dtype) != FL_KIND_UINT;
    for (int64_t i = 0; i < n; i++)
        store_number((fl_dtype)t->dtype, data + (size_t)i * size,
                     negative ? pick(2 * limit + 1) - limit : pick(limit + 1));
    return data;
}

#endif
