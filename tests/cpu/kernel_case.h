/* Runs one operation through its library kernel and through the reference interpreter, and compares the results' bits (NaNs are
 * equal). The operation is the last of a program whose parameters are its operands. Where the kernel takes strided inputs, it
 * also runs with operands whose dims are laid out in another order, reversed, and with gaps. */
#ifndef FL_TESTS_CPU_KERNEL_CASE_H
#define FL_TESTS_CPU_KERNEL_CASE_H

#include "check.h"
#include "cpu/kernels/strided.h"
#include "ir/build.h"
#include "ref/reference.h"

#include <stdlib.h>

static uint64_t case_seed = 1;

static uint64_t random_bits(void) /* splitmix64 */
{
    uint64_t z = case_seed += 0x9E3779B97F4A7C15ull;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

static int64_t random_in(int64_t low, int64_t high) /* inclusive */
{
    return low + (int64_t)(random_bits() % (uint64_t)(high - low + 1));
}

/* A value of any dtype: small numbers with duplicates, sometimes an extreme one, NaN or -0. */
static void random_value(fl_dtype dtype, void *out)
{
    double v = (double)random_in(-40, 40) / 4;
    if (random_in(0, 30) == 0) v = (double[]){0.0 / 0.0, 1 / 0.0, -1 / 0.0, -0.0, 0}[random_in(0, 4)];
    int64_t i = random_in(0, 9) ? random_in(-60, 60) : (int64_t)random_bits();
    switch (dtype) {
    case FL_I1: *(uint8_t *)out = random_bits() & 1; break;
    case FL_BF16: {
        float f = (float)v;
        uint32_t u;
        memcpy(&u, &f, 4);
        *(uint16_t *)out = (uint16_t)(u >> 16);
        break;
    }
    case FL_F16: *(_Float16 *)out = (_Float16)v; break;
    case FL_F32: *(float *)out = (float)v; break;
    case FL_F64: *(double *)out = v; break;
    case FL_C64: random_value(FL_F32, out), random_value(FL_F32, (float *)out + 1); break;
    case FL_C128: random_value(FL_F64, out), random_value(FL_F64, (double *)out + 1); break;
    default: memcpy(out, &i, fl_dtype_bytes(dtype)); break;
    }
}

static void *random_array(const fl_type *t)
{
    size_t n = (size_t)fl_type_elements(t), e = fl_dtype_bytes((fl_dtype)t->dtype);
    char *p = calloc(n + 1, e);
    for (size_t i = 0; i < n; i++) random_value((fl_dtype)t->dtype, p + i * e);
    return p;
}

static int same_value(fl_dtype dtype, const char *a, const char *b)
{
    switch (dtype) {
    case FL_F16:
        return !memcmp(a, b, 2) ||
               (*(const _Float16 *)a != *(const _Float16 *)a && *(const _Float16 *)b != *(const _Float16 *)b);
    case FL_BF16:
        return !memcmp(a, b, 2) ||
               ((*(const uint16_t *)a & 0x7fff) > 0x7f80 && (*(const uint16_t *)b & 0x7fff) > 0x7f80);
    case FL_F32:
        return !memcmp(a, b, 4) ||
               (*(const float *)a != *(const float *)a && *(const float *)b != *(const float *)b);
    case FL_F64:
        return !memcmp(a, b, 8) ||
               (*(const double *)a != *(const double *)a && *(const double *)b != *(const double *)b);
    case FL_C64: return same_value(FL_F32, a, b) && same_value(FL_F32, a + 4, b + 4);
    case FL_C128: return same_value(FL_F64, a, b) && same_value(FL_F64, a + 8, b + 8);
    default: return !memcmp(a, b, fl_dtype_bytes(dtype));
    }
}

/* Chooses a layout for the operand and returns memory that holds `dense` in it; *out_base is to be freed. */
static void *random_layout(fl_operand *o, const void *dense, void **out_base)
{
    int order[FL_MAX_RANK];
    int64_t span = 1, first = 0, e = (int64_t)fl_dtype_bytes((fl_dtype)o->dtype), row_major[FL_MAX_RANK];
    for (int d = 0; d < o->rank; d++) order[d] = d;
    for (int d = o->rank - 1; d > 0; d--) {
        int k = (int)random_in(0, d), t = order[d];
        order[d] = order[k], order[k] = t;
    }
    for (int k = 0; k < o->rank; k++) {
        int d = order[k];
        int64_t stride = span * random_in(1, 2);
        span = stride * (o->dims[d] ? o->dims[d] : 1);
        if (random_in(0, 3) == 0) first += stride * (o->dims[d] ? o->dims[d] - 1 : 0), stride = -stride;
        o->strides[d] = stride;
    }
    char *base = *out_base = calloc((size_t)span + 1, (size_t)e), *p = base + first * e;
    fl_dense_strides(o->rank, o->dims, row_major);
    int64_t n = fl_operand_elements(o);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        for (int d = 0; d < o->rank; d++) at += i / row_major[d] % o->dims[d] * o->strides[d];
        memcpy(p + at * e, (const char *)dense + i * e, (size_t)e);
    }
    return p;
}

static fl_operand operand_of(const fl_program *p, fl_ref r, uint32_t slot)
{
    const fl_type *t = fl_type_of(p, r);
    fl_operand o = {.slot = slot, .dtype = t->dtype, .rank = t->rank};
    memcpy(o.dims, t->dims, sizeof o.dims);
    fl_dense_strides(o.rank, o.dims, o.strides);
    return o;
}

/* Runs the kernel on dense inputs (in random layouts when `scatter_layout`); FL_UNSUPPORTED when there is none. */
static fl_status run_kernel(const fl_program *p, const fl_op *op, void *const *inputs, void *const *outputs,
                            int scatter_layout)
{
    void *slots[64] = {0}, *bases[64] = {0};
    fl_operand ins[32], outs[32];
    fl_arena arena = {0};
    fl_step step = {.op = op,
                    .name = fl_op_infos[op->code].name,
                    .input_count = op->operand_count,
                    .output_count = op->result_count,
                    .inputs = ins,
                    .outputs = outs};
    const fl_kernel *kernel = fl_kernel_find((fl_opcode)op->code);
    FL_CHECK(kernel, FL_UNSUPPORTED, "no kernel for %s", step.name);
    for (int i = 0; i < op->operand_count; i++) {
        ins[i] = operand_of(p, op->operands[i], (uint32_t)i);
        slots[i] = scatter_layout && !kernel->dense_inputs ? random_layout(&ins[i], inputs[i], &bases[i])
                                                           : inputs[i];
    }
    for (int i = 0; i < op->result_count; i++) {
        outs[i] = operand_of(p, op->first_result + (fl_ref)i, (uint32_t)(op->operand_count + i));
        slots[op->operand_count + i] = outputs[i];
    }
    fl_status status = kernel->prepare(p, &step, &arena);
    if (!status) {
        step.scratch_slot = (uint32_t)(op->operand_count + op->result_count);
        slots[step.scratch_slot] = aligned_alloc(64, (step.scratch_bytes + 64) / 64 * 64);
        status = step.run(&step, slots);
        free(slots[step.scratch_slot]);
    }
    for (int i = 0; i < 64; i++) free(bases[i]);
    fl_arena_free(&arena);
    return status;
}

static void compare_results(const fl_program *p, const fl_op *op, void *const *got, void *const *expected,
                            const char *what)
{
    for (int k = 0; k < op->result_count; k++) {
        const fl_type *t = fl_type_of(p, op->first_result + (fl_ref)k);
        size_t e = fl_dtype_bytes((fl_dtype)t->dtype);
        int64_t n = fl_type_elements(t), i = 0;
        while (i < n && same_value((fl_dtype)t->dtype, (char *)got[k] + (size_t)i * e,
                                   (char *)expected[k] + (size_t)i * e))
            i++;
        check_count++;
        if (i < n) {
            check_failures++;
            char text[128];
            uint64_t bits[4] = {0};
            memcpy(bits, (char *)got[k] + (size_t)i * e, e),
                memcpy(bits + 2, (char *)expected[k] + (size_t)i * e, e);
            fprintf(
                stderr,
                "%s of %s: result %d differs at element %lld of %lld: expected %llx %llx, got %llx %llx\n",
                what, fl_type_text(t, text, sizeof text), k, (long long)i, (long long)n,
                (unsigned long long)bits[2], (unsigned long long)bits[3], (unsigned long long)bits[0],
                (unsigned long long)bits[1]);
        }
    }
}

/* Finishes the builder with the results of its last operation and checks it. `inputs` are dense; NULL members are filled with
 * random values. */
static inline void check_kernel(fl_builder *b, void **inputs, const char *what)
{
    fl_program *p = NULL;
    fl_ref results[32];
    if (b->status || !b->block->op_count) { /* an error to report, or the builder found nothing to do */
        CHECK_OK(b->status);
        b->status = NULL;
        fl_builder_abandon(b);
        return;
    }
    const fl_op *last = b->block->ops[b->block->op_count - 1];
    for (int i = 0; i < last->result_count; i++) results[i] = last->first_result + (fl_ref)i;
    fl_status status = fl_builder_finish(b, results, last->result_count, &p);
    CHECK_OK(status);
    if (!p) return;
    const fl_op *op = p->main->ops[p->main->op_count - 1];
    void *data[32], *got[32], *expected[32];
    for (int i = 0; i < op->operand_count; i++)
        data[i] = inputs && inputs[i] ? inputs[i] : random_array(fl_type_of(p, op->operands[i]));
    for (int i = 0; i < op->result_count; i++) {
        size_t bytes = fl_type_bytes(fl_type_of(p, op->first_result + (fl_ref)i));
        got[i] = malloc(bytes + 1), expected[i] = malloc(bytes + 1);
    }
    CHECK_OK(fl_reference_op(p, op, (const void *const *)data, expected));
    for (int layout = 0; layout < 3; layout++) {
        for (int i = 0; i < op->result_count; i++)
            memset(got[i], 0x5a, fl_type_bytes(fl_type_of(p, op->first_result + (fl_ref)i)));
        CHECK_OK(run_kernel(p, op, data, got, layout));
        compare_results(p, op, got, expected, what);
    }
    for (int i = 0; i < op->operand_count; i++)
        if (!inputs || data[i] != inputs[i]) free(data[i]);
    for (int i = 0; i < op->result_count; i++) free(got[i]), free(expected[i]);
    fl_program_destroy(p);
}

#endif
