/* The builder: conveniences build what they say, errors stick. */
#include "check.h"
#include "ir/build.h"

#include <math.h>

#define TYPE(dtype, ...)                                                                                     \
    fl_type_make(FL_##dtype, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8), (const int64_t[]){__VA_ARGS__})
#define SCALAR(dtype) fl_type_make(FL_##dtype, 0, NULL)

static const fl_op *op_of(const fl_builder *b, fl_ref r)
{
    return b->program->defs[r].op;
}

static int has_type(const fl_builder *b, fl_ref r, fl_type type)
{
    return fl_type_equal(fl_typeof(b, r), &type);
}

static void simple(void)
{
    fl_builder b;
    fl_program *p;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, TYPE(F32, 2, 3)), y = fl_parameter(&b, TYPE(F32, 2, 3));
    fl_ref r = fl_add(&b, fl_mul(&b, x, y), fl_scalar_f(&b, FL_F32, 0.5));
    CHECK(has_type(&b, r, TYPE(F32, 2, 3)));
    CHECK_INT(op_of(&b, r)->code, FL_OP_add);
    CHECK_INT(op_of(&b, op_of(&b, r)->operands[1])->code, FL_OP_broadcast_in_dim); /* the 0-d operand */
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    CHECK_INT(p->main->arg_count, 2);
    CHECK_INT(p->main->op_count, 4);
    CHECK_INT(p->main->result_count, 1);
    CHECK_INT(p->def_count, 7);
    fl_program_destroy(p);
}

static void sticky(void)
{
    fl_builder b;
    fl_program *p = (void *)&b;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, TYPE(F32, 2)), y = fl_parameter(&b, TYPE(F32, 3));
    fl_ref bad = fl_add(&b, x, y);
    CHECK_INT(bad, FL_NO_REF);
    CHECK_INT(fl_exp(&b, x), FL_NO_REF);
    CHECK_INT(fl_reduce_all(&b, FL_OP_add, fl_neg(&b, bad)), FL_NO_REF);
    CHECK_ERROR(fl_builder_finish(&b, &bad, 1, &p), FL_INVALID,
                "stablehlo.add: expected operand of type tensor<2xf32>, got tensor<3xf32>");
    CHECK(!p);
}

static uint64_t bits_of(const fl_builder *b, fl_ref r)
{
    const fl_attr *a = fl_op_attr(op_of(b, r), FL_ATTR_value);
    uint64_t bits = 0;
    memcpy(&bits, a->u.dense, a->count < 8 ? a->count : 8);
    return bits;
}

static void constants(void)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "main"));
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_F32, 1)), 0x3f800000);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_F64, -2)), (long long)0xc000000000000000ull);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_BF16, 1.00390625)), 0x3f80); /* 1 + 2^-8: a tie, to even */
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_BF16, 1.01171875)), 0x3f82); /* 1 + 3 * 2^-8: a tie, to even */
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_F16, 65504)), 0x7bff);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_F16, 65520)), 0x7c00);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_F16, 0x1p-24)), 1);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_F16, 0x1p-25)), 0); /* half of the smallest: a tie, to even */
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_F16, -INFINITY)), 0xfc00);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_I8, 300)), 0x7f);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_U8, -1)), 0);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_I32, -1.9)), 0xffffffff);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_I1, 0.25)), 1);
    CHECK_INT(bits_of(&b, fl_scalar_i(&b, FL_I64, INT64_MIN)), INT64_MIN);
    CHECK_INT(bits_of(&b, fl_scalar_i(&b, FL_U8, -1)), 255);
    CHECK_INT(bits_of(&b, fl_scalar_i(&b, FL_I4, 9)), 0xf9); /* 9 wraps to -7, kept sign extended */
    CHECK_INT(bits_of(&b, fl_min_value(&b, FL_I16)), 0x8000);
    CHECK_INT(bits_of(&b, fl_max_value(&b, FL_U32)), 0xffffffff);
    CHECK_INT(bits_of(&b, fl_max_value(&b, FL_I64)), INT64_MAX);
    CHECK_INT(bits_of(&b, fl_max_value(&b, FL_F32)), 0x7f800000);
    CHECK_INT(bits_of(&b, fl_min_value(&b, FL_BF16)), 0xff80);
    CHECK_INT(bits_of(&b, fl_scalar_f(&b, FL_F8E5M2, 1)), 0x3c);
    CHECK(has_type(&b, fl_full(&b, TYPE(C64, 4), 1), TYPE(C64, 4)));
    CHECK(has_type(&b, fl_iota(&b, TYPE(I32, 2, 3), -1), TYPE(I32, 2, 3)));
    CHECK(fl_ok(&b));
    fl_max_value(&b, FL_C64);
    CHECK_INT(fl_status_code(b.status), FL_TYPE);
    fl_builder_abandon(&b);
}

static void movement(void)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, TYPE(F32, 2, 3, 4)), v = fl_parameter(&b, TYPE(F32, 3, 1)),
           s = fl_parameter(&b, SCALAR(F32));
    CHECK_INT(fl_reshape(&b, x, 3, (int64_t[]){2, 3, 4}), x); /* identities build nothing */
    CHECK_INT(fl_cast(&b, x, FL_F32), x);
    CHECK_INT(fl_transpose(&b, x, (int64_t[]){0, 1, 2}), x);
    CHECK(has_type(&b, fl_flatten(&b, x), TYPE(F32, 24)));
    CHECK(has_type(&b, fl_flatten(&b, s), TYPE(F32, 1)));
    CHECK(has_type(&b, fl_broadcast_like(&b, v, x), TYPE(F32, 2, 3, 4)));
    CHECK(has_type(&b, fl_swap_dims(&b, x, 0, -1), TYPE(F32, 4, 3, 2)));
    CHECK(has_type(&b, fl_unsqueeze(&b, x, -1), TYPE(F32, 2, 3, 4, 1)));
    CHECK(has_type(&b, fl_unsqueeze(&b, s, 0), TYPE(F32, 1)));
    CHECK(has_type(&b, fl_squeeze(&b, v, 1), TYPE(F32, 3)));
    CHECK(has_type(&b, fl_slice_dim(&b, x, -1, 1, 4, 2), TYPE(F32, 2, 3, 2)));
    CHECK(has_type(&b, fl_concat(&b, (fl_ref[]){x, x}, 2, 1), TYPE(F32, 2, 6, 4)));
    CHECK(has_type(&b, fl_pad(&b, x, s, (int64_t[]){1, -1, 0}, (int64_t[]){0, 0, 2}, (int64_t[]){1, 0, 0}),
                   TYPE(F32, 4, 2, 6)));
    CHECK(has_type(&b, fl_reverse(&b, x, (int64_t[]){2}, 1), TYPE(F32, 2, 3, 4)));
    fl_ref at = fl_scalar_i(&b, FL_I32, 0), starts[] = {at, at, at};
    fl_ref part = fl_dynamic_slice(&b, x, starts, (int64_t[]){1, 3, 2});
    CHECK(has_type(&b, part, TYPE(F32, 1, 3, 2)));
    CHECK(has_type(&b, fl_dynamic_update_slice(&b, x, part, starts), TYPE(F32, 2, 3, 4)));
    CHECK(has_type(&b, fl_bitcast(&b, x, FL_U8), TYPE(U8, 2, 3, 4, 4)));
    CHECK(fl_ok(&b));
    fl_builder_abandon(&b);
}

static void broadcasting(void)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref v[] = {fl_parameter(&b, TYPE(F32, 3, 1)), fl_parameter(&b, TYPE(F32, 2, 1, 4)),
                  fl_parameter(&b, SCALAR(I32))};
    fl_ref w[] = {v[0], fl_parameter(&b, TYPE(F32, 2, 4))};
    fl_broadcast_all(&b, v, 3);
    for (int i = 0; i < 3; i++) CHECK_INT(fl_elements(&b, v[i]), 24);
    CHECK(has_type(&b, v[2], TYPE(I32, 2, 3, 4)));
    CHECK(fl_ok(&b));
    fl_broadcast_all(&b, w, 2);
    CHECK_STRING(fl_status_message(b.status),
                 "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0");
    fl_builder_abandon(&b);

    CHECK_OK(fl_builder_init(&b, "main"));
    CHECK_INT(fl_wrap_dim(&b, -1, 3), 2);
    CHECK_INT(fl_wrap_dim(&b, -1, 0), 0);
    fl_wrap_dim(&b, 3, 3);
    CHECK_INT(fl_status_code(b.status), FL_INDEX);
    CHECK_STRING(fl_status_message(b.status),
                 "Dimension out of range (expected to be in range of [-3, 2], but got 3)");
    fl_builder_abandon(&b);
}

static void reductions(void)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, TYPE(F32, 2, 3, 4)), img = fl_parameter(&b, TYPE(F32, 1, 1, 6, 6)),
           mask = fl_parameter(&b, TYPE(I1, 5));
    fl_ref r = fl_reduce(&b, FL_OP_maximum, x, (int64_t[]){-1, 0}, 2, 0);
    CHECK(has_type(&b, r, TYPE(F32, 3)));
    CHECK_INT(bits_of(&b, op_of(&b, r)->operands[1]), 0xff800000);
    CHECK_INT(fl_region_monoid(b.program, op_of(&b, r)->regions[0]), FL_OP_maximum);
    CHECK(has_type(&b, fl_reduce_dim(&b, FL_OP_add, x, 1, 1), TYPE(F32, 2, 1, 4)));
    CHECK(has_type(&b, fl_reduce_all(&b, FL_OP_multiply, x), SCALAR(F32)));
    fl_ref all = fl_reduce_all(&b, FL_OP_and, mask);
    CHECK_INT(bits_of(&b, op_of(&b, all)->operands[1]), 1);
    fl_ref sum = fl_cumulative(&b, FL_OP_add, x, 1);
    CHECK(has_type(&b, sum, TYPE(F32, 2, 3, 4)));
    const int64_t *padding = fl_op_ints(op_of(&b, sum), FL_ATTR_padding, NULL);
    CHECK_INT(padding[2], 2);
    CHECK_INT(padding[3], 0);
    int64_t window[] = {1, 1, 2, 2}, strides[] = {1, 1, 2, 2}, none[8] = {0};
    fl_ref pooled = fl_reduce_window(&b, FL_OP_maximum, img, window, strides, none, NULL, NULL);
    CHECK(has_type(&b, pooled, TYPE(F32, 1, 1, 3, 3)));
    CHECK(has_type(&b, fl_select_and_scatter(&b, FL_GE, img, pooled, window, strides, none),
                   TYPE(F32, 1, 1, 6, 6)));
    fl_program *p;
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    fl_program_destroy(p);
}

static void products(void)
{
    fl_builder b;
    fl_program *p;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, TYPE(BF16, 5, 2, 3)), y = fl_parameter(&b, TYPE(BF16, 5, 3, 4));
    fl_ref img = fl_parameter(&b, TYPE(F32, 2, 4, 7, 9)), kernel = fl_parameter(&b, TYPE(F32, 6, 2, 3, 3));
    CHECK(has_type(&b, fl_matmul(&b, x, y), TYPE(BF16, 5, 2, 4)));
    int64_t zero = 0, one = 1, two = 2;
    fl_dot_dims dims = {&zero, &zero, &two, &one, 1, 1};
    CHECK(has_type(&b, fl_dot_general(&b, x, y, &dims, FL_F32), TYPE(F32, 5, 2, 4)));
    fl_conv_dims conv = fl_conv_nchw(2);
    conv.feature_groups = 2;
    conv.strides[0] = 2;
    conv.padding[0] = conv.padding[1] = 1;
    conv.rhs_dilation[1] = 2;
    fl_ref r = fl_convolution(&b, img, kernel, &conv, FL_DTYPE_NONE); /* (7+2-3)/2+1 and 9-5+1 */
    CHECK(has_type(&b, r, TYPE(F32, 2, 6, 4, 5)));
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    fl_program_destroy(p);
}

static void indexing(void)
{
    fl_builder b;
    fl_program *p;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, TYPE(F32, 5, 3, 4)), i = fl_parameter(&b, TYPE(I64, 2, 7)),
           j = fl_parameter(&b, TYPE(I64, 6, 2, 4));
    fl_ref u = fl_parameter(&b, TYPE(F32, 6, 3, 4)), s = fl_parameter(&b, TYPE(U64, 2)),
           empty = fl_parameter(&b, TYPE(F32, 0, 3));
    fl_ref zero_d = fl_parameter(&b, SCALAR(F32)), zero_i = fl_parameter(&b, SCALAR(I64));
    CHECK(has_type(&b, fl_index_select(&b, x, 1, i), TYPE(F32, 5, 2, 7, 4)));
    CHECK(has_type(&b, fl_index_select(&b, empty, 0, i), TYPE(F32, 2, 7, 3)));
    CHECK(has_type(&b, fl_gather_along(&b, x, 0, j), TYPE(F32, 6, 2, 4)));
    CHECK(has_type(&b, fl_gather_along(&b, zero_d, 0, zero_i), SCALAR(F32)));
    CHECK(has_type(&b, fl_scatter_along(&b, FL_OP_add, x, 0, j, u), TYPE(F32, 5, 3, 4)));
    CHECK(has_type(&b, fl_scatter_along(&b, FL_OP_NONE, zero_d, -1, zero_i, zero_d), SCALAR(F32)));
    CHECK(has_type(&b, fl_check_index(&b, i, 0, 5, "index_select"), TYPE(I64, 2, 7)));
    fl_ref state, bits = fl_rng_bits(&b, s, TYPE(U32, 10), &state);
    CHECK(has_type(&b, bits, TYPE(U32, 10)));
    CHECK(has_type(&b, state, TYPE(U64, 2)));
    for (int descending = 0; descending < 2; descending++) {
        int found = -1;
        fl_ref order, keys = fl_sort(&b, x, fl_iota(&b, TYPE(I64, 5, 3, 4), 1), 1, descending, 1, &order);
        CHECK(has_type(&b, keys, TYPE(F32, 5, 3, 4)));
        CHECK(has_type(&b, order, TYPE(I64, 5, 3, 4)));
        CHECK_INT(op_of(&b, keys)->regions[0]->op_count, 6);
        CHECK_INT(fl_sort_form(b.program, op_of(&b, keys), &found), 1);
        CHECK_INT(found, descending);
        fl_ref ints = fl_sort(&b, i, FL_NO_REF, 0, descending, 0, NULL);
        CHECK_INT(op_of(&b, ints)->regions[0]->op_count, 1);
        CHECK_INT(fl_sort_form(b.program, op_of(&b, ints), &found), 1);
        CHECK_INT(found, descending);
    }
    CHECK_OK(fl_builder_finish(&b, &bits, 1, &p));
    fl_program_destroy(p);
}

/* Parameters may come late, even inside a region: the finished program has them first, in order. */
static void late_parameters(void)
{
    fl_builder b;
    fl_program *p;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref one = fl_scalar_f(&b, FL_F32, 1), x = fl_parameter(&b, TYPE(F32, 3));
    fl_ref sum = fl_add(&b, x, one), condition = fl_parameter(&b, SCALAR(I1));
    fl_block *regions[2];
    regions[0] = fl_region_begin(&b, NULL, 0);
    fl_ref y = fl_mul(&b, sum, fl_parameter(&b, TYPE(F32, 3)));
    fl_region_end(&b, regions[0], &y, 1);
    regions[1] = fl_region_begin(&b, NULL, 0);
    fl_region_end(&b, regions[1], &x, 1);
    fl_ref r = fl_build(&b, FL_OP_if, &condition, 1, NULL, 0, regions, 2);
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    CHECK_INT(p->main->first_arg, 1);
    CHECK_INT(p->main->arg_count, 3);
    CHECK_INT(fl_type_of(p, 2)->dtype, FL_I1);
    CHECK_INT(p->main->op_count, 4); /* constant, broadcast, add, if */
    const fl_op *add = p->main->ops[2], *branch = p->main->ops[3];
    CHECK_INT(add->operands[0], 1);
    CHECK_INT(branch->operands[0], 2);
    CHECK_INT(branch->regions[0]->ops[0]->operands[0], add->first_result);
    CHECK_INT(branch->regions[0]->ops[0]->operands[1], 3);
    CHECK_INT(branch->regions[1]->results[0], 1);
    CHECK_INT(p->main->results[0], branch->first_result);
    fl_program_destroy(p);

    CHECK_OK(fl_builder_init(&b, "main"));
    r = fl_parameter(&b, SCALAR(F32)); /* numbers 1, 3, 5 while building */
    for (int i = 0; i < 2; i++) {
        fl_ref twice = fl_add(&b, r, r);
        r = fl_add(&b, twice, fl_parameter(&b, SCALAR(F32)));
    }
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    CHECK_INT(p->main->ops[1]->operands[1], 2);
    CHECK_INT(p->main->ops[3]->operands[1], 3);
    fl_program_destroy(p);

    CHECK_OK(fl_builder_init(&b, "main"));
    r = 77;
    CHECK_ERROR(fl_builder_finish(&b, &r, 1, &p), FL_INVALID, "result 0 is no value");
}

/* Enough values that definitions and blocks grow several times. */
static void growth(void)
{
    fl_builder b;
    fl_program *p;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, TYPE(F32, 8)), r = x;
    for (int i = 0; i < 1000; i++) r = fl_add(&b, r, x);
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    CHECK_INT(p->main->op_count, 1000);
    CHECK_OK(fl_program_verify(p));
    fl_program_destroy(p);
}

int main(void)
{
    simple();
    sticky();
    constants();
    movement();
    broadcasting();
    reductions();
    products();
    indexing();
    late_parameters();
    growth();
    return check_result();
}
