/* dot_general touches nothing beyond its operands and result: they end where memory that may not be touched begins. Kernels in
 * assembly and in tiles are not seen by the sanitizers. An infinity and a NaN among the operands reach the results they should. */
#define _GNU_SOURCE
#include "base/half.h"
#include "cpu/plan/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "check.h"

static uint64_t state = 1;
static int64_t pick(int64_t low, int64_t high)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return low + (int64_t)(state >> 33) % (high - low + 1);
}

enum { ROOM = 1 << 20 };
static char *rooms[3]; /* each ends at a page without access */

static void put(char *p, fl_dtype t, int64_t i, double x)
{
    switch (t) {
    case FL_F32: ((float *)p)[i] = (float)x; break;
    case FL_F64: ((double *)p)[i] = x; break;
    case FL_BF16: ((uint16_t *)p)[i] = fl_bf16_from_f32((float)x); break;
    case FL_F16: ((uint16_t *)p)[i] = fl_f16_from_f32((float)x); break;
    case FL_I8: ((int8_t *)p)[i] = (int8_t)x; break;
    default: ((int32_t *)p)[i] = (int32_t)x; break;
    }
}

static double get(const char *p, fl_dtype t, int64_t i)
{
    switch (t) {
    case FL_F32: return (double)((const float *)p)[i];
    case FL_F64: return ((const double *)p)[i];
    case FL_BF16: return (double)fl_f32_from_bf16(((const uint16_t *)p)[i]);
    case FL_F16: return (double)fl_f32_from_f16(((const uint16_t *)p)[i]);
    case FL_I8: return ((const int8_t *)p)[i];
    default: return ((const int32_t *)p)[i];
    }
}

/* Small integers: every sum is exact in every type, in any order. */
static void check_product(fl_dtype in, fl_dtype out, int64_t m, int64_t n, int64_t k, int turned, int special)
{
    int64_t zero = 0, one = 1;
    fl_attr attrs[2] = {{.key = FL_ATTR_lhs_contracting_dimensions, .count = 1, .u.ints = &one},
                        {.key = FL_ATTR_rhs_contracting_dimensions, .count = 1, .u.ints = &zero}};
    fl_op op = {.code = FL_OP_dot_general, .attrs = attrs, .attr_count = 2};
    const int64_t ar = turned & 1 ? 1 : k, ac = turned & 1 ? m : 1, br = turned & 2 ? 1 : n,
                  bc = turned & 2 ? k : 1;
    fl_operand ins[2] = {{.slot = 0, .dtype = (uint8_t)in, .rank = 2, .dims = {m, k}, .strides = {ar, ac}},
                         {.slot = 1, .dtype = (uint8_t)in, .rank = 2, .dims = {k, n}, .strides = {br, bc}}};
    fl_operand result = {.slot = 2, .dtype = (uint8_t)out, .rank = 2, .dims = {m, n}, .strides = {n, 1}};
    fl_step step = {
        .op = &op, .input_count = 2, .output_count = 1, .inputs = ins, .outputs = &result, .scratch_slot = 3};
    fl_arena arena = {0};
    CHECK_OK(fl_kernel_find(FL_OP_dot_general)->prepare(NULL, &step, &arena));
    const int64_t e = (int64_t)fl_dtype_bytes(in);
    char *a = rooms[0] - m * k * e, *b = rooms[1] - k * n * e,
         *c = rooms[2] - m * n * (int64_t)fl_dtype_bytes(out);
    for (int64_t i = 0; i < m * k; i++) put(a, in, i, (double)pick(-2, 2));
    for (int64_t i = 0; i < k * n; i++) put(b, in, i, (double)pick(-2, 2));
    if (special)
        put(a, in, pick(0, m * k - 1), (double)NAN), put(b, in, pick(0, k * n - 1), (double)INFINITY);
    void *scratch = aligned_alloc(64, (step.scratch_bytes + 127) / 64 * 64);
    memset(scratch, 0xff, step.scratch_bytes);
    void *slots[4] = {a, b, c, scratch};
    CHECK_OK(step.run(&step, slots));
    int bad = 0;
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            for (int64_t l = 0; l < k; l++) sum += get(a, in, i * ar + l * ac) * get(b, in, l * br + j * bc);
            const double got = get(c, out, i * n + j);
            bad += isnan(sum) ? !isnan(got) : got != sum;
        }
    CHECK(bad == 0);
    if (bad)
        fprintf(stderr, "%s %dx%dx%d form %d: %d wrong\n", fl_dtype_name(in), (int)m, (int)k, (int)n, turned,
                bad);
    free(scratch);
    fl_arena_free(&arena);
}

int main(void)
{
    static const fl_dtype types[][2] = {{FL_F32, FL_F32},   {FL_F64, FL_F64}, {FL_BF16, FL_F32},
                                        {FL_BF16, FL_BF16}, {FL_F16, FL_F32}, {FL_I8, FL_I32}};
    for (int i = 0; i < 3; i++) {
        char *p = mmap(NULL, ROOM + 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        CHECK(p != MAP_FAILED && mprotect(p + ROOM, 65536, PROT_NONE) == 0);
        rooms[i] = p + ROOM;
    }
    for (int i = 0; i < 1500; i++) {
        const int t = i % 6, turned = (int)pick(0, 3), real = types[t][0] != FL_I8;
        const int64_t most = pick(0, 3) ? 40 : 200;
        const int64_t k =
            types[t][1] == FL_BF16 ? pick(1, 60) : pick(1, most); /* integers up to 256 are exact in bf16 */
        check_product(types[t][0], types[t][1], pick(1, most), pick(1, most), k, turned,
                      real && pick(0, 3) == 0);
    }
    return check_result();
}
