/* Products do not depend on the number of threads: children with 1, 2, 3 and 8 of them agree to the last bit, on sizes around those where
 * the way of multiplying changes. */
#define _GNU_SOURCE
#include "base/half.h"
#include "cpu/plan/plan.h"

#include "check.h"
#include "cpu/threads.h"

enum { PRODUCTS = 300, LARGEST = 300 * 3000 };

static uint64_t state = 1;
static int64_t pick(int64_t n)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(state >> 33) % n;
}

static void fill(void *p, fl_dtype t, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const float x = (float)pick(1 << 24) * 0x1p-23f - 1;
        switch (t) {
        case FL_F32: ((float *)p)[i] = x; break;
        case FL_F64: ((double *)p)[i] = (double)x; break;
        case FL_BF16: ((uint16_t *)p)[i] = fl_bf16_from_f32(x); break;
        default: ((uint16_t *)p)[i] = fl_f16_from_f32(x); break;
        }
    }
}

static uint64_t product(fl_dtype t, int64_t m, int64_t n, int64_t k, int turned, void **memory)
{
    int64_t zero = 0, one = 1;
    fl_attr attrs[2] = {{.key = FL_ATTR_lhs_contracting_dimensions, .count = 1, .u.ints = &one},
                        {.key = FL_ATTR_rhs_contracting_dimensions, .count = 1, .u.ints = &zero}};
    fl_op op = {.code = FL_OP_dot_general, .attrs = attrs, .attr_count = 2};
    const uint8_t type = (uint8_t)t;
    fl_operand in[2] = {{.slot = 0, .dtype = type, .rank = 2, .dims = {m, k}, .strides = {k, 1}},
                        {.slot = 1, .dtype = type, .rank = 2, .dims = {k, n}, .strides = {n, 1}}};
    fl_operand out = {.slot = 2, .dtype = type, .rank = 2, .dims = {m, n}, .strides = {n, 1}};
    if (turned & 1) in[0].strides[0] = 1, in[0].strides[1] = m;
    if (turned & 2) in[1].strides[0] = 1, in[1].strides[1] = k;
    fl_step step = {
        .op = &op, .input_count = 2, .output_count = 1, .inputs = in, .outputs = &out, .scratch_slot = 3};
    fl_arena arena = {0};
    fill(memory[0], t, m * k);
    fill(memory[1], t, k * n);
    if (fl_kernel_find(FL_OP_dot_general)->prepare(NULL, &step, &arena)) return 0;
    void *slots[4] = {memory[0], memory[1], memory[2],
                      aligned_alloc(64, (step.scratch_bytes + 127) / 64 * 64)};
    const uint64_t h = step.run(&step, slots) ? 0 : hash_of(slots[2], (size_t)(m * n) * fl_dtype_bytes(t));
    free(slots[3]);
    fl_arena_free(&arena);
    return h;
}

static void all_products(uint64_t *hashes)
{
    static const fl_dtype types[] = {FL_F32, FL_F32, FL_F64, FL_BF16, FL_F16};
    static const int64_t ms[] = {1,  2,  5,  8,  13, 14, 15,  16,  17,  20, 27,
                                 28, 29, 40, 56, 60, 64, 100, 200, 259, 300},
                         ns[] = {1, 3, 4, 5, 8, 10, 16, 31, 32, 60, 64, 100, 130, 300},
                         ks[] = {16, 40, 100, 256, 300, 512, 1000, 1100, 2048, 3000};
    void *memory[3];
    for (int i = 0; i < 3; i++) memory[i] = malloc(LARGEST * sizeof(double));
    for (int i = 0; i < PRODUCTS; i++) {
        const int64_t m = ms[pick(20)], n = ns[pick(14)], k = ks[pick(10)];
        const fl_dtype t = types[pick(5)];
        hashes[i] = product(t, m, n, k, (int)pick(4), memory);
    }
    for (int i = 0; i < 3; i++) free(memory[i]);
}

int main(void)
{
    check_threads(all_products, PRODUCTS);
    return check_result();
}
