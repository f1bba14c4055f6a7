/* reduce_window: pooling, running reductions and max pooling with positions, against the reference interpreter. Values of add and
 * multiply are chosen so that every order of combining is exact. */
#include "cpu/kernel_case.h"
#include "ir/build_internal.h"
#include "ir/pool.h"

static fl_type random_type(fl_dtype dtype, int rank, int64_t most)
{
    int64_t dims[FL_MAX_RANK];
    for (int i = 0; i < rank; i++) dims[i] = random_in(random_in(0, 15) ? 1 : 0, most);
    return fl_type_make(dtype, rank, dims);
}

typedef struct windows {
    int64_t size[4], stride[4], padding[8], dilation[4], spread[4];
} windows;

static windows random_windows(const fl_type *t, int dilated)
{
    windows w;
    for (int i = 0; i < t->rank; i++) {
        int plain = random_in(0, 2) == 0;
        w.size[i] = plain ? 1 : random_in(1, 4);
        w.stride[i] = plain ? 1 : random_in(1, 3);
        w.padding[2 * i] = plain ? 0 : random_in(-1, 2), w.padding[2 * i + 1] = plain ? 0 : random_in(-1, 2);
        w.dilation[i] = plain || !dilated || random_in(0, 2) ? 1 : random_in(1, 3);
        w.spread[i] = plain || random_in(0, 2) ? 1 : random_in(1, 3);
        if (t->dims[i] + w.padding[2 * i] + w.padding[2 * i + 1] < 0)
            w.padding[2 * i] = w.padding[2 * i + 1] = 0;
    }
    return w;
}

/* Exact under any order: ones, twos and zeros to multiply; for narrow floats small integers to add. */
static void *exact_array(const fl_type *t, fl_opcode code)
{
    static const float factors[] = {1, 1, 1, -1, 2, 0.5f, 1, 0};
    size_t n = (size_t)fl_type_elements(t);
    float *p = malloc((n + 1) * sizeof *p);
    for (size_t i = 0; i < n; i++)
        p[i] = code == FL_OP_multiply ? factors[random_in(0, 7)] : (float)random_in(-9, 9);
    return p;
}

static void test_windows(void)
{
    static const fl_opcode codes[] = {FL_OP_add, FL_OP_maximum, FL_OP_minimum, FL_OP_multiply};
    static const fl_dtype types[] = {FL_F32, FL_F32, FL_F64, FL_I32, FL_I64, FL_U8, FL_I16, FL_BF16, FL_F16};
    for (int i = 0; i < 500; i++) {
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "window"));
        fl_opcode code = codes[random_in(0, 3)];
        fl_dtype dtype = types[random_in(0, 8)];
        if (code == FL_OP_add && (dtype == FL_BF16 || dtype == FL_F16)) dtype = FL_F64; /* sums would round */
        if (code == FL_OP_multiply && fl_is_float(dtype)) dtype = FL_F32;
        fl_type t = random_type(dtype, (int)random_in(1, 4), random_in(0, 3) ? 7 : 20);
        windows w = random_windows(&t, 1);
        void *data[2] = {code == FL_OP_multiply && dtype == FL_F32 ? exact_array(&t, code) : NULL, NULL};
        fl_ref x = fl_parameter(&b, t);
        fl_reduce_window(&b, code, x, w.size, w.stride, w.padding, w.dilation, w.spread);
        void *inputs[2] = {data[0], NULL};
        /* the identity is a constant of the program; its value must be given */
        const fl_op *last = b.status ? NULL : b.block->ops[b.block->op_count - 1];
        if (last)
            inputs[1] = (void *)fl_op_attr(b.program->defs[last->operands[1]].op, FL_ATTR_value)->u.dense;
        check_kernel(&b, inputs, "reduce_window");
        free(data[0]);
    }
}

/* With an initial value that the program does not know. */
static void test_initial(void)
{
    static const fl_opcode codes[] = {FL_OP_add, FL_OP_maximum, FL_OP_multiply};
    static const fl_dtype types[] = {FL_F32, FL_F32, FL_F64, FL_I32};
    for (int i = 0; i < 150; i++) {
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "window"));
        fl_opcode code = codes[random_in(0, 2)];
        fl_dtype dtype = code == FL_OP_multiply ? FL_F32 : types[random_in(0, 3)];
        fl_type t = random_type(dtype, (int)random_in(1, 4), 8);
        windows w = random_windows(&t, 1);
        const float two = 2;
        void *inputs[2] = {code == FL_OP_multiply ? exact_array(&t, code) : NULL,
                           code == FL_OP_multiply ? (void *)&two : NULL};
        fl_ref operands[2] = {fl_parameter(&b, t), fl_parameter(&b, fl_type_make(dtype, 0, NULL))};
        fl_block *region = fl_scalar_region(&b, code, dtype);
        const uint32_t n = t.rank;
        const fl_attr attrs[] = {{.key = FL_ATTR_window_dimensions, .count = n, .u.ints = w.size},
                                 {.key = FL_ATTR_window_strides, .count = n, .u.ints = w.stride},
                                 {.key = FL_ATTR_base_dilations, .count = n, .u.ints = w.dilation},
                                 {.key = FL_ATTR_window_dilations, .count = n, .u.ints = w.spread},
                                 {.key = FL_ATTR_padding, .count = 2 * n, .u.ints = w.padding}};
        fl_build(&b, FL_OP_reduce_window, operands, 2, attrs, 5, &region, 1);
        check_kernel(&b, inputs, "reduce_window with an initial value");
        free(inputs[0]);
    }
}

static void test_running(void)
{
    static const fl_opcode codes[] = {FL_OP_add, FL_OP_multiply, FL_OP_maximum, FL_OP_minimum};
    static const fl_dtype types[] = {FL_F32, FL_F64, FL_I32, FL_I64, FL_I8};
    for (int i = 0; i < 200; i++) {
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "running"));
        fl_opcode code = codes[random_in(0, 3)];
        fl_dtype dtype = types[random_in(0, 4)];
        if (code == FL_OP_multiply && dtype == FL_F64) dtype = FL_F32;
        fl_type t = random_type(dtype, (int)random_in(1, 4), random_in(0, 5) ? 6 : 150);
        if (t.rank > 2) t = random_type(dtype, t.rank, 6);
        void *inputs[2] = {code <= FL_OP_multiply && dtype == FL_F32 ? exact_array(&t, code) : NULL, NULL},
             *own = inputs[0];
        if (code == FL_OP_multiply && dtype == FL_F32 && !inputs[0]) inputs[0] = own = exact_array(&t, code);
        fl_ref x = fl_parameter(&b, t);
        int dim = (int)random_in(0, t.rank - 1);
        if (random_in(0, 3) == 0 && t.dims[dim] > 1) { /* from the end */
            windows w = {.size = {1, 1, 1, 1}};
            w.size[dim] = t.dims[dim];
            w.padding[2 * dim + 1] = t.dims[dim] - 1;
            fl_reduce_window(&b, code, x, w.size, NULL, w.padding, NULL, NULL);
        } else
            fl_cumulative(&b, code, x, dim);
        const fl_op *last = b.status || !b.block->op_count ? NULL : b.block->ops[b.block->op_count - 1];
        if (last)
            inputs[1] = (void *)fl_op_attr(b.program->defs[last->operands[1]].op, FL_ATTR_value)->u.dense;
        check_kernel(&b, inputs, "running reduction");
        free(own);
    }
}

static void test_pairs(void)
{
    static const fl_dtype types[] = {FL_F32, FL_F32, FL_F64, FL_BF16, FL_F16, FL_I32, FL_U8, FL_I64};
    for (int i = 0; i < 300; i++) {
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "pool"));
        fl_type t = random_type(types[random_in(0, 7)], (int)random_in(1, 4), random_in(0, 3) ? 7 : 15),
                it = t;
        it.dtype = random_in(0, 2) ? FL_I64 : FL_I32;
        windows w = random_windows(&t, 0);
        fl_ref x = fl_parameter(&b, t), index = fl_parameter(&b, it), value, at;
        fl_max_pool_with_index(&b, x, index, w.size, w.stride, w.padding, w.spread, &value, &at);
        const fl_op *last = b.status ? NULL : b.block->ops[b.block->op_count - 1];
        if (last) CHECK(fl_pair_kind_of(last) == FL_PAIR_MAX_FIRST);
        void *inputs[4] = {NULL};
        for (int k = 2; last && k < 4; k++)
            inputs[k] = (void *)fl_op_attr(b.program->defs[last->operands[k]].op, FL_ATTR_value)->u.dense;
        check_kernel(&b, inputs, "max pooling with positions");
    }
}

static void test_running_extremes(void)
{
    static const fl_dtype types[] = {FL_F32, FL_F32, FL_F64, FL_BF16, FL_F16, FL_I32, FL_I64};
    for (int i = 0; i < 300; i++) {
        const int largest = (int)random_in(0, 1);
        fl_type t = random_type(types[random_in(0, 6)], (int)random_in(1, 4), random_in(0, 3) ? 7 : 13);
        if (random_in(0, 2) == 0) t.rank = 1, t.dims[0] = random_in(1, 400);
        if (!fl_type_elements(&t)) continue; /* windows have no size 0 */
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "extreme"));
        fl_ref x = fl_parameter(&b, t), value, place;
        const int dim = (int)random_in(0, t.rank - 1);
        fl_running_extreme(&b, largest, x, dim, &value, &place);
        const fl_op *last = b.status ? NULL : b.block->ops[b.block->op_count - 1];
        if (last && last->code == FL_OP_reduce_window)
            CHECK(fl_pair_kind_of(last) == (largest ? FL_PAIR_MAX_LAST : FL_PAIR_MIN_LAST));
        if (last && last->code != FL_OP_reduce_window) { /* nothing runs along one element */
            fl_builder_abandon(&b);
            continue;
        }
        const int64_t count = fl_type_elements(&t);
        int64_t *places = malloc((size_t)(count + 1) * sizeof *places), after = 1;
        for (int d = dim + 1; d < t.rank; d++) after *= t.dims[d];
        for (int64_t k = 0; k < count; k++) places[k] = k / after % t.dims[dim];
        void *inputs[4] = {NULL, places, NULL, NULL};
        for (int k = 2; last && k < 4; k++)
            inputs[k] = (void *)fl_op_attr(b.program->defs[last->operands[k]].op, FL_ATTR_value)->u.dense;
        check_kernel(&b, inputs, "running extremes");
        free(places);
    }
}

/* Long lines whose extreme seldom changes, by hand. */
static void test_long_extreme(void)
{
    enum { N = 1000 };
    static float x[N], values[N];
    static int64_t places[N], at[N];
    const int64_t dims[] = {N};
    for (int i = 0; i < N; i++)
        x[i] = i % 300 == 7 ? (float)(i / 300 / 2) : -1 - (float)(i % 50), places[i] = i;
    x[900] = __builtin_nanf("");
    fl_builder b;
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "extreme"));
    fl_ref out[2];
    fl_running_extreme(&b, 1, fl_parameter(&b, fl_type_make(FL_F32, 1, dims)), 0, &out[0], &out[1]);
    CHECK_OK(fl_builder_finish(&b, out, 2, &p));
    const fl_op *op = p->main->ops[p->main->op_count - 1];
    float low = -__builtin_inff();
    int64_t before = -1;
    void *inputs[4] = {x, places, &low, &before}, *outputs[2] = {values, at};
    CHECK_OK(run_kernel(p, op, inputs, outputs, 0));
    float best = low;
    for (int64_t i = 0, place = -1; i < N; i++) {
        if (x[i] >= best || x[i] != x[i]) best = x[i], place = i;
        CHECK((values[i] == best || best != best) && at[i] == place &&
              (values[i] != values[i]) == (best != best));
    }
    fl_program_destroy(p);
}

/* By hand: 1 x 5 window 3 stride 2; NaN wins, the lower index among equals. */
static void test_pairs_by_hand(void)
{
    float x[5] = {1, 3, 3, 0.0f / 0.0f, 2}, values[2];
    int64_t positions[5] = {0, 1, 2, 3, 4}, got[2], dims[1] = {5}, size[1] = {3}, stride[1] = {2};
    fl_builder b;
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "pool"));
    fl_ref out[2], v = fl_parameter(&b, fl_type_make(FL_F32, 1, dims)),
                   i = fl_parameter(&b, fl_type_make(FL_I64, 1, dims));
    fl_max_pool_with_index(&b, v, i, size, stride, NULL, NULL, &out[0], &out[1]);
    CHECK_OK(fl_builder_finish(&b, out, 2, &p));
    const fl_op *op = p->main->ops[p->main->op_count - 1];
    float low = -__builtin_inff();
    int64_t high = INT64_MAX;
    void *inputs[4] = {x, positions, &low, &high}, *outputs[2] = {values, got};
    CHECK_OK(run_kernel(p, op, inputs, outputs, 0));
    CHECK(values[0] == 3 && got[0] == 1 && values[1] != values[1] && got[1] == 3);
    fl_program_destroy(p);
}

static void test_scatter(void)
{
    static const fl_dtype types[] = {FL_F32, FL_F32, FL_F64, FL_BF16, FL_F16,
                                     FL_I32, FL_U8,  FL_I64, FL_I16,  FL_I8};
    static const fl_compare_direction keeps[] = {FL_GE, FL_GE, FL_GT, FL_LE, FL_LT};
    for (int i = 0; i < 400; i++) {
        fl_builder b;
        CHECK_OK(fl_builder_init(&b, "select_and_scatter"));
        fl_type t = random_type(types[random_in(0, 9)], (int)random_in(1, 4), random_in(0, 3) ? 8 : 20),
                source = t;
        if (random_in(0, 5) == 0) t.dims[t.rank - 1] = source.dims[t.rank - 1] = random_in(60, 700);
        if (t.dims[t.rank - 1] > 20 && t.rank > 2) t.dims[0] = source.dims[0] = 2;
        windows w = random_windows(&t, 0);
        const int narrow =
            t.dtype == FL_BF16 || t.dtype == FL_F16; /* windows side by side: sums would round */
        for (int d = 0; d < t.rank; d++) {
            if (narrow) w.stride[d] = w.size[d];
            int64_t padded = t.dims[d] + w.padding[2 * d] + w.padding[2 * d + 1];
            source.dims[d] = padded < w.size[d] ? 0 : (padded - w.size[d]) / w.stride[d] + 1;
        }
        fl_ref x = fl_parameter(&b, t), y = fl_parameter(&b, source);
        fl_select_and_scatter(&b, keeps[random_in(0, 4)], x, y, w.size, w.stride, w.padding);
        check_kernel(&b, NULL, "select_and_scatter");
    }
}

int main(void)
{
    test_scatter();
    test_initial();
    test_windows();
    test_running();
    test_pairs();
    test_pairs_by_hand();
    test_running_extremes();
    test_long_extreme();
    return check_result();
}
