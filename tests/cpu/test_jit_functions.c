/* Random kernels with elementary functions, at all levels and under register pressure: recorded instructions (template_x86.c) compute
 * what the operations one by one compute, bit by bit. FL_SEED, FL_CASES: others, or more. */
#include "cpu/jit_case.h"

#include <math.h>

enum { MOST_VALUES = 60, ROWS = 3, MOST_COLUMNS = 200, MOST_OUT = 4 };

static uint64_t state = 88172645463325252u;
static int pick(int n)
{
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (int)((state >> 16) % (uint64_t)n);
}

static float random_number(void)
{
    static const float special[] = {0, -0.0f, INFINITY, -INFINITY, NAN, 1e-40f, 3e38f, -3e38f, 1, -1};
    return pick(8) ? (float)(pick(4001) - 2000) * 0.005f : special[pick(10)];
}

static fl_val random_value(fl_jit_builder *b, const fl_val *values, int count)
{
    static const fl_opcode functions[] = {FL_OP_exponential, FL_OP_exponential_minus_one,
                                          FL_OP_log,         FL_OP_log_plus_one,
                                          FL_OP_logistic,    FL_OP_tanh,
                                          FL_OP_erf,         FL_OP_rsqrt},
                           others[] = {FL_OP_add, FL_OP_subtract, FL_OP_multiply, FL_OP_maximum};
    fl_val x[] = {values[pick(count)], values[pick(count)], values[pick(count)]};
    switch (pick(8)) {
    case 0:
    case 1:
    case 2: return fl_jit_op(b, functions[pick(8)], FL_F32, FL_EQ, x, 1);
    case 3: return fl_jit_reduce(b, FL_OP_maximum, x[0]);
    case 4: x[0] = fl_jit_op(b, FL_OP_compare, FL_I1, FL_LT, x, 2); return F32(b, select, x[0], x[1], x[2]);
    default: return fl_jit_op(b, others[pick(4)], FL_F32, FL_EQ, x, 2);
    }
}

/* Memories: two full inputs, one of rows, then outputs. */
static int random_kernel(fl_jit_builder *b)
{
    fl_val values[MOST_VALUES] = {LOAD(b, 0), LOAD(b, 1), fl_jit_load(b, 2, FL_M_ROW, FL_F32),
                                  k_f32(b, 0.75f)};
    int count = 4, most = 6 + pick(pick(2) ? 12 : MOST_VALUES - 6), outputs = 1 + pick(MOST_OUT);
    while (count < most) {
        fl_val v = random_value(b, values, count);
        if (v != FL_NO_VAL) values[count++] = v;
    }
    for (int o = 0; o < outputs; o++) STORE(b, 3 + o, values[o ? pick(count) : count - 1]);
    return outputs;
}

/* Returns how many functions were recorded ones; -1: a loop has more reductions than there are registers. */
static int compile(fl_jit_builder *b, const fl_jtarget *target, fl_jit_kernel *out)
{
    fl_jgraph g;
    fl_jschedule schedule;
    fl_jmade made = {0};
    void *at = NULL;
    CHECK(fl_jgraph_begin(&g, b->arena, target) && fl_jexpand_all(&g, b->records, b->count));
    CHECK(fl_jschedule_make(&g, &schedule));
    fl_status refused = target->emit(&g, &schedule, target->vector_bytes / 4, &made);
    if (fl_status_code(refused) == FL_UNSUPPORTED && target->registers < 32) {
        fl_status_free(refused);
        return -1;
    }
    CHECK_OK(refused);
    CHECK_OK(fl_code_place(made.code, made.bytes, NULL, &at));
    void *entry = (char *)at + made.entry;
    memcpy(&out->run, &entry, sizeof entry);
    out->scratch_per_column = 8 * schedule.kept_count;
    return __builtin_popcount(g.templates);
}

static int same(const float *x, const float *y, int n)
{
    for (int i = 0; i < n; i++)
        if (memcmp(&x[i], &y[i], sizeof *x) != 0 && !(isnan(x[i]) && isnan(y[i]))) return 0;
    return 1;
}

static int random_case(void)
{
    static float in[3][ROWS * MOST_COLUMNS], out[2][MOST_OUT][ROWS * MOST_COLUMNS];
    const fl_jtarget *target = fl_jit_target();
    fl_jtarget plain = *target;
    plain.function = NULL;
    fl_arena arena = {0};
    fl_jit_kernel kernels[2] = {0};
    fl_jit_builder *b = fl_jit_begin(&arena);
    const int outputs = random_kernel(b), columns = 1 + pick(MOST_COLUMNS);
    int good = 1;
    if (pick(2)) fl_jit_hard = (fl_jhard){(uint8_t)(pick(2) ? 0 : 8 + pick(24)), (uint8_t)(1 << pick(3))};
    const int recorded = compile(b, target, &kernels[0]);
    fl_jit_hard = (fl_jhard){0};
    const int plainly = compile(b, &plain, &kernels[1]);
    fl_arena_free(&arena);
    CHECK((recorded < 0) == (plainly < 0));
    if (recorded < 0) return 0;
    for (int m = 0; m < 3; m++)
        for (int i = 0; i < ROWS * MOST_COLUMNS; i++) in[m][i] = random_number();
    for (int k = 0; k < 2; k++) {
        const int64_t row = columns * (int64_t)sizeof(float);
        jit_run r = {ROWS, columns, {{in[0], row, 0}, {in[1], row, 0}, {in[2], sizeof(float), 0}}};
        for (int o = 0; o < outputs; o++) r.memory[3 + o] = (fl_jit_memory){out[k][o], row, 0};
        run_kernel(&kernels[k], &r);
    }
    for (int o = 0; o < outputs; o++) good &= same(out[0][o], out[1][o], ROWS * columns);
    CHECK(good);
    return recorded;
}

int main(void)
{
    const char *seed = getenv("FL_SEED"), *cases = getenv("FL_CASES");
    const int count = cases ? atoi(cases) : 1000;
    int recorded = 0;
    if (no_jit()) return 77;
    if (!fl_jit_target()->function) return printf("skipped: no recorded functions for this processor\n"), 77;
    if (seed) state = strtoull(seed, NULL, 10) * 0x9E3779B97F4A7C15u | 1;
    for (int i = 0; i < count; i++) recorded += random_case();
    printf("%d recorded functions in %d kernels\n", recorded, count);
    CHECK(recorded > count);
    return check_result();
}
