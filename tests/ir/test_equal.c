/* Equality of programs: what counts as a difference and what does not. */
#include "check.h"
#include "ir/build.h"

static fl_builder builder, *const b = &builder;

static fl_type vector(fl_dtype dtype)
{
    return fl_type_make(dtype, 1, (int64_t[]){2});
}

/* One operation on parameters of type tensor<2xf32>, with these attributes. */
static fl_program *one_op(fl_opcode code, uint32_t operands, const fl_attr *attrs, uint32_t attr_count)
{
    fl_program *p = NULL;
    fl_ref x[3], r;
    CHECK_OK(fl_builder_init(b, "main"));
    for (uint32_t i = 0; i < operands; i++) x[i] = fl_parameter(b, vector(FL_F32));
    r = fl_build(b, code, x, operands, attrs, attr_count, NULL, 0);
    CHECK_OK(fl_builder_finish(b, &r, 1, &p));
    return p;
}

static fl_program *one_constant(fl_type type, const void *data, uint32_t bytes)
{
    fl_program *p = NULL;
    fl_attr value = {.key = FL_ATTR_value, .count = bytes, .u.dense = data};
    CHECK_OK(fl_builder_init(b, "main"));
    fl_ref r = fl_build_typed(b, FL_OP_constant, NULL, 0, &value, 1, NULL, 0, &type, 1);
    CHECK_OK(fl_builder_finish(b, &r, 1, &p));
    return p;
}

/* Consumes both; `why` is what the difference says, NULL when there must be none. */
static void expect(fl_program *x, fl_program *y, const char *why)
{
    if (!x || !y) return;
    for (int swap = 0; swap < 2; swap++) {
        fl_text text = {0};
        int equal = fl_program_equal(swap ? y : x, swap ? x : y, &text);
        CHECK(equal == !why);
        if (why && (!text.data || !strstr(text.data, why))) CHECK_STRING(text.data, why);
        CHECK(fl_program_equal(swap ? y : x, swap ? x : y, NULL) == equal);
        fl_text_free(&text);
    }
    CHECK(fl_program_equal(x, x, NULL) && fl_program_equal(y, y, NULL));
    fl_program_destroy(x);
    fl_program_destroy(y);
}

static void attributes(void)
{
    fl_attr lt = {.key = FL_ATTR_comparison_direction, .u.i = FL_LT},
            gt = {.key = FL_ATTR_comparison_direction, .u.i = FL_GT};
    fl_attr typed[] = {lt, {.key = FL_ATTR_compare_type, .u.i = FL_COMPARE_NONE}};
    fl_attr total[] = {{.key = FL_ATTR_compare_type, .u.i = FL_COMPARE_TOTALORDER}, lt};
    expect(one_op(FL_OP_compare, 2, &lt, 1), one_op(FL_OP_compare, 2, &lt, 1), NULL);
    expect(one_op(FL_OP_compare, 2, &lt, 1), one_op(FL_OP_compare, 2, typed, 2), NULL);
    expect(one_op(FL_OP_compare, 2, &lt, 1), one_op(FL_OP_compare, 2, &gt, 1),
           "attribute comparison_direction");
    expect(one_op(FL_OP_compare, 2, &lt, 1), one_op(FL_OP_compare, 2, total, 2), "attribute compare_type");
    expect(one_op(FL_OP_add, 2, NULL, 0), one_op(FL_OP_multiply, 2, NULL, 0), "other is");
    expect(one_op(FL_OP_add, 2, NULL, 0), one_op(FL_OP_negate, 1, NULL, 0), "arguments");

    fl_attr dims = {.key = FL_ATTR_lhs_contracting_dimensions, .count = 1, .u.ints = (int64_t[]){0}},
            rhs = dims;
    rhs.key = FL_ATTR_rhs_contracting_dimensions;
    fl_attr none = {.key = FL_ATTR_lhs_batching_dimensions, .u.ints = (int64_t[]){0}};
    fl_attr precision = {.key = FL_ATTR_precision_config, .count = 2, .u.ints = (int64_t[]){0, 0}},
            high = precision;
    high.u.ints = (int64_t[]){0, FL_PRECISION_HIGH};
    expect(one_op(FL_OP_dot_general, 2, (fl_attr[]){dims, rhs}, 2),
           one_op(FL_OP_dot_general, 2, (fl_attr[]){precision, none, rhs, dims}, 4), NULL);
    expect(one_op(FL_OP_dot_general, 2, (fl_attr[]){dims, rhs}, 2),
           one_op(FL_OP_dot_general, 2, (fl_attr[]){dims, rhs, high}, 3), "attribute precision_config");
}

static void constants(void)
{
    float ones[] = {1, 1}, other[] = {1, 2}, zero = 0, negative = -0.0f;
    uint32_t nan1 = 0x7fc00000, nan2 = 0x7fc00001;
    fl_type pair = vector(FL_F32), scalar = fl_type_make(FL_F32, 0, NULL);
    expect(one_constant(pair, ones, 8), one_constant(pair, ones, 4), NULL);
    expect(one_constant(pair, other, 8), one_constant(pair, ones, 4), "attribute value");
    expect(one_constant(scalar, &nan1, 4), one_constant(scalar, &nan1, 4), NULL);
    expect(one_constant(scalar, &nan1, 4), one_constant(scalar, &nan2, 4), "attribute value");
    expect(one_constant(scalar, &zero, 4), one_constant(scalar, &negative, 4), "attribute value");
    expect(one_constant(scalar, &zero, 4), one_constant(fl_type_make(FL_I32, 0, NULL), &zero, 4),
           "type tensor<");
    expect(one_constant(fl_type_make(FL_F32, 2, (int64_t[]){0, 2}), ones, 0),
           one_constant(fl_type_make(FL_F32, 2, (int64_t[]){2, 0}), ones, 0), "type tensor<");
}

/* x - y or y - x: the same operation on other values */
static fl_program *difference(int swapped, int unused_first)
{
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(b, "main"));
    fl_ref x = fl_parameter(b, vector(FL_F32)), y = fl_parameter(b, vector(FL_F32));
    if (unused_first) fl_neg(b, x);
    fl_ref r = fl_sub(b, swapped ? y : x, swapped ? x : y);
    CHECK_OK(fl_builder_finish(b, &r, 1, &p));
    return p;
}

static void values(void)
{
    expect(difference(0, 0), difference(0, 0), NULL);
    expect(difference(0, 0), difference(1, 0), "operand 0");
    expect(difference(0, 0), difference(0, 1), "operation 0");
}

/* Numbers of values do not matter: parameters made late are moved to the front, those made first are there. */
static fl_program *two_parameters(int late)
{
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(b, "main"));
    fl_ref x = fl_parameter(b, vector(FL_F32)), y = late ? FL_NO_REF : fl_parameter(b, vector(FL_F32));
    fl_ref n = fl_neg(b, x);
    if (late) y = fl_parameter(b, vector(FL_F32));
    fl_ref r = fl_add(b, n, y);
    CHECK_OK(fl_builder_finish(b, &r, 1, &p));
    return p;
}

static fl_program *module(const char *name, int visibility, int number, const char *note)
{
    fl_program *p = NULL;
    fl_type t = vector(FL_F32);
    CHECK_OK(fl_builder_init(b, "main"));
    fl_func *f = fl_func_begin(b, "main", &t, 1);
    fl_ref x = fl_block_arg(f->body, 0), r = fl_neg(b, x);
    fl_entry entries[] = {{"a", {.kind = FL_LIT_UNIT}},
                          {"b", {.kind = FL_LIT_INT, .dtype = FL_I64, .u.i = number}}};
    fl_literal dict = {.kind = FL_LIT_DICT, .count = 2, .u.entries = entries}, none = {.kind = FL_LIT_DICT};
    fl_last_op(b)->extra = fl_literal_keep(&b->program->arena, number < 0 ? &none : &dict);
    fl_func_end(b, f, &r, 1);
    f->visibility = (uint8_t)visibility;
    fl_entry entry = {"test.note", {.kind = FL_LIT_STRING, .count = 1, .u.string = note ? note : ""}};
    fl_literal one = {.kind = FL_LIT_DICT, .count = note != NULL, .u.entries = &entry};
    fl_literal all = {.kind = FL_LIT_ARRAY, .count = 1, .u.items = &one};
    f->arg_attrs = fl_literal_keep(&b->program->arena, &all);
    b->program->module_name = name;
    CHECK_OK(fl_builder_finish_module(b, &p));
    return p;
}

static void modules(void)
{
    expect(two_parameters(0), two_parameters(1), NULL);
    expect(module("m", FL_PUBLIC, 1, NULL), module("m", FL_VISIBILITY_NONE, 1, NULL), NULL);
    expect(module("m", FL_PUBLIC, 1, NULL), module("m", FL_PRIVATE, 1, NULL), "visibility");
    expect(module("m", FL_PUBLIC, 1, NULL), module(NULL, FL_PUBLIC, 1, NULL), "modules named");
    expect(module(NULL, FL_PUBLIC, 1, NULL), module(NULL, FL_PUBLIC, 2, NULL), "other attributes");
    expect(module(NULL, FL_PUBLIC, 1, NULL), module(NULL, FL_PUBLIC, -1, NULL), "other attributes");
    expect(module(NULL, FL_PUBLIC, 1, "x"), module(NULL, FL_PUBLIC, 1, "y"), "attributes of arguments");
    expect(module(NULL, FL_PUBLIC, 1, "x"), module(NULL, FL_PUBLIC, 1, NULL), "attributes of arguments");
}

int main(void)
{
    attributes();
    constants();
    values();
    modules();
    return check_result();
}
