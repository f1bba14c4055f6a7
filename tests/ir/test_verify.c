/* The verifier refuses programs that were damaged after they were built. */
#include "ir/case.h"

static fl_builder builder, *const b = &builder;

/* x: 2x3xf32; %2 = x + x; reduce over dimension 1 with its region; then a negation. */
static fl_program *sample(void)
{
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(b, "main"));
    fl_ref x = fl_parameter(b, type_of_text("2x3xf32"));
    fl_ref sum = fl_add(b, x, x), r = fl_neg(b, fl_reduce_dim(b, FL_OP_add, sum, 1, 0));
    CHECK_OK(fl_builder_finish(b, &r, 1, &p));
    return p;
}

enum { ADD, ZERO, REDUCE, NEGATE }; /* operations of main */

#define DAMAGED(damage, code, part)                                                                          \
    do {                                                                                                     \
        fl_program *p = sample();                                                                            \
        fl_op **ops = p->main->ops;                                                                          \
        (void)ops;                                                                                           \
        CHECK_OK(fl_program_verify(p));                                                                      \
        damage;                                                                                              \
        CHECK_ERROR(fl_program_verify(p), code, part);                                                       \
        fl_program_destroy(p);                                                                               \
    } while (0)

static void structure(void)
{
    DAMAGED(ops[ADD]->operands[1] = ops[NEGATE]->first_result, FL_INVALID, "not defined before its use");
    DAMAGED(ops[ADD]->operands[1] = ops[ADD]->first_result, FL_INVALID, "not defined before its use");
    DAMAGED(ops[ADD]->operands[1] = FL_NO_REF, FL_INVALID, "not defined before its use");
    DAMAGED(ops[ADD]->operands[1] = 1000000, FL_INVALID, "not defined before its use");
    DAMAGED(p->main->results[0] = 1000000, FL_INVALID, "result 0");
    DAMAGED(ops[NEGATE]->operands[0] = ops[REDUCE]->regions[0]->first_arg, FL_INVALID,
            "not defined before its use");
    DAMAGED(ops[REDUCE]->regions[0]->results[0] = ops[NEGATE]->first_result, FL_INVALID,
            "not defined before its use");
    DAMAGED(ops[NEGATE]->first_result = ops[ADD]->first_result, FL_INVALID, "defined twice");
    DAMAGED(ops[NEGATE]->first_result = UINT32_MAX, FL_INVALID, "not in the program");
    DAMAGED(ops[NEGATE] = ops[ADD], FL_INVALID, "defined twice");
    DAMAGED(p->defs[ops[ADD]->first_result].op = ops[NEGATE], FL_INVALID, "does not belong");
    DAMAGED(ops[REDUCE]->regions[0]->parent = NULL, FL_INVALID, "belongs to another block");
    DAMAGED(ops[REDUCE]->regions[0] = p->main, FL_INVALID, "belongs to another block");
    DAMAGED(ops[ADD]->result_count = 2, FL_INVALID, "expected 1 results, got 2");
    DAMAGED(ops[ADD]->code = FL_OPCODE_COUNT, FL_INVALID, "unknown operation");
}

static void types(void)
{
    DAMAGED(p->defs[ops[ADD]->first_result].type.dims[0] = 4, FL_INVALID,
            "stablehlo.add: expected result of type tensor<2x3xf32>, got tensor<4x3xf32>");
    DAMAGED(p->defs[ops[REDUCE]->first_result].type.dims[0] = 3, FL_INVALID,
            "stablehlo.reduce: expected result");
    DAMAGED(p->defs[p->main->first_arg].type.dtype = FL_BF16, FL_INVALID, "stablehlo.add: expected result");
    DAMAGED(p->defs[p->main->first_arg].type.dims[0] = -1, FL_INVALID, "at least 0");
    DAMAGED(p->defs[p->main->first_arg].type.rank = 17, FL_UNSUPPORTED, "at most 16 dimensions");
    DAMAGED(p->defs[p->main->first_arg].type.dims[0] = INT64_MAX, FL_INVALID, "overflows");
    DAMAGED(p->defs[p->main->first_arg].type.dtype = FL_DTYPE_NONE, FL_INVALID, "unknown element type");
    DAMAGED(ops[REDUCE]->attrs[0].u.ints = (int64_t[]){2}, FL_INVALID, "within [0, 2)");
    DAMAGED(ops[REDUCE]->attrs[0].key = FL_ATTR_COUNT, FL_INVALID, "unknown attribute");
    DAMAGED(ops[REDUCE]->operand_count = 1, FL_INVALID, "stablehlo.reduce: expected 0 results, got 1");
    DAMAGED(ops[REDUCE]->region_count = 0, FL_INVALID, "expected region 0");
    DAMAGED(ops[REDUCE]->regions[0]->ops[0]->code = FL_OP_and, FL_INVALID,
            "stablehlo.and: expected an integer or boolean");
    DAMAGED(ops[NEGATE]->operand_count = 0, FL_INVALID, "expected 1 operands, got 0");
}

/* Control flow, built by hand. */
static fl_status loop(const char *carry, const char *condition_result)
{
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(b, "main"));
    fl_ref x = fl_parameter(b, type_of_text("i32"));
    fl_type carried = type_of_text(carry);
    fl_block *regions[2];
    regions[0] = fl_region_begin(b, &carried, 1);
    fl_ref i = fl_block_arg(regions[0], 0), zero = fl_scalar_i(b, FL_I32, 0);
    fl_ref more = fl_cast(b, fl_compare(b, FL_GT, i, zero), (fl_dtype)type_of_text(condition_result).dtype);
    fl_region_end(b, regions[0], &more, 1);
    regions[1] = fl_region_begin(b, &carried, 1);
    fl_ref one = fl_scalar_i(b, FL_I32, 1), next = fl_sub(b, fl_block_arg(regions[1], 0), one);
    fl_region_end(b, regions[1], &next, 1);
    fl_ref r = fl_build(b, FL_OP_while, &x, 1, NULL, 0, regions, 2);
    fl_status s = fl_builder_finish(b, &r, 1, &p);
    fl_program_destroy(p);
    return s;
}

static void control(void)
{
    CHECK_OK(loop("i32", "i1"));
    CHECK_ERROR(loop("i32", "i8"), FL_INVALID, "stablehlo.while: expected region result of type tensor<i1>");
    CHECK_ERROR(loop("2xi32", "i1"), FL_INVALID,
                "stablehlo.while: expected region argument of type tensor<i32>");

    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(b, "main")); /* the branches disagree */
    fl_ref c = fl_parameter(b, type_of_text("i1")), x = fl_parameter(b, type_of_text("4xf32")), y;
    fl_block *regions[2];
    regions[0] = fl_region_begin(b, NULL, 0);
    fl_region_end(b, regions[0], &x, 1);
    regions[1] = fl_region_begin(b, NULL, 0);
    y = fl_cast(b, x, FL_F64);
    fl_region_end(b, regions[1], &y, 1);
    fl_ref r = fl_build(b, FL_OP_if, &c, 1, NULL, 0, regions, 2);
    CHECK_ERROR(fl_builder_finish(b, &r, 1, &p), FL_INVALID, "stablehlo.if: expected region result");

    CHECK_OK(fl_builder_init(b, "main")); /* a region that was not ended, and one used twice */
    x = fl_parameter(b, type_of_text("4xf32"));
    fl_region_begin(b, NULL, 0);
    CHECK_ERROR(fl_builder_finish(b, &x, 1, &p), FL_INTERNAL, "every region to be ended");
    CHECK_OK(fl_builder_init(b, "main"));
    c = fl_parameter(b, type_of_text("i1"));
    regions[0] = fl_region_begin(b, NULL, 0);
    y = fl_scalar_f(b, FL_F32, 1);
    fl_region_end(b, regions[0], &y, 1);
    regions[1] = regions[0];
    r = fl_build(b, FL_OP_if, &c, 1, NULL, 0, regions, 2);
    CHECK_ERROR(fl_builder_finish(b, &r, 1, &p), FL_INVALID, "defined twice");

    CHECK_OK(fl_builder_init(b, "main")); /* deeper than executors recurse */
    c = fl_parameter(b, type_of_text("i1"));
    fl_block *nest[120];
    for (int i = 0; i < 120; i++) nest[i] = fl_region_begin(b, NULL, 0);
    for (int i = 119; i >= 0; i--) {
        fl_ref inner = i == 119 ? c : fl_build(b, FL_OP_optimization_barrier, &c, 1, NULL, 0, NULL, 0);
        fl_region_end(b, nest[i], &inner, 1);
        fl_block *other = fl_region_begin(b, NULL, 0);
        fl_region_end(b, other, &c, 1);
        fl_block *pair[] = {nest[i], other};
        fl_build(b, FL_OP_if, &c, 1, NULL, 0, pair, 2);
    }
    CHECK_ERROR(fl_builder_finish(b, &c, 1, &p), FL_UNSUPPORTED, "nested at most");
}

int main(void)
{
    structure();
    types();
    control();
    return check_result();
}
