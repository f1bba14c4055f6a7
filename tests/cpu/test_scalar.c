/* Work on single elements, which plans do by a list of instructions: every operation and type with difficult values, conversions, choices,
 * and elements read and written at indices within and out of bounds. The reference interpreter says what is right. */
#include "cpu/loop_test.h"

#include <limits.h>

static fl_builder b;

static const double specials[] = {0, -0.0, 1, -1, 2.5, -3, 7, 1e30, -1e30, INFINITY, -INFINITY, NAN};
static const int64_t integers[] = {0, 1, -1, 2, -3, 7, 31, 33, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};
#define VALUES 12

static void store(fl_dtype dtype, char *at, int i)
{
    int is_float = dtype == FL_F32 || dtype == FL_F64;
    if (is_float)
        store_number(dtype, at, dtype == FL_F64 ? specials[i] * 1.25 : specials[i]);
    else if (dtype == FL_I1)
        *at = (char)(integers[i] & 1);
    else
        memcpy(at, &integers[i], fl_dtype_bytes(dtype));
}

static void compare(fl_program *p, const int *values, const char *name)
{
    run_case c;
    if (!p) return;
    dense_case(&c, p);
    for (uint32_t i = 0; i < p->main->arg_count; i++) {
        c.data[i] = calloc(1, 16);
        store((fl_dtype)fl_type_of(p, p->main->first_arg + i)->dtype, c.data[i], values[i]);
    }
    run_and_compare(&c, name, 0);
    free_case(&c);
}

static const fl_dtype types[] = {FL_F32, FL_F64, FL_I32, FL_I64, FL_U32, FL_I8, FL_U64, FL_I1};

static void test_operation(fl_opcode code, fl_dtype dtype, int x, int y)
{
    char name[64];
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref in[2], r;
    for (int i = 0; i < fl_op_infos[code].operands; i++)
        in[i] = fl_parameter(&b, fl_type_make(dtype, 0, NULL));
    r = fl_build(&b, code, in, (uint32_t)fl_op_infos[code].operands, NULL, 0, NULL, 0);
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    snprintf(name, sizeof name, "%s %s %d %d", fl_op_infos[code].name, fl_dtype_name(dtype), x, y);
    compare(p, (int[]){x, y}, name);
}

static void test_compare(fl_dtype dtype, int x, int y)
{
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref in[2] = {fl_parameter(&b, fl_type_make(dtype, 0, NULL)),
                    fl_parameter(&b, fl_type_make(dtype, 0, NULL))},
           r[6];
    for (int d = 0; d < 6; d++) {
        fl_ref less = fl_compare(&b, (fl_compare_direction)d, in[0], in[1]);
        r[d] = fl_select(&b, less, in[0], in[1]);
    }
    CHECK_OK(fl_builder_finish(&b, r, 6, &p));
    compare(p, (int[]){x, y}, "compare and select");
}

static void test_convert(fl_dtype from, fl_dtype to, int x)
{
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref r = fl_cast(&b, fl_parameter(&b, fl_type_make(from, 0, NULL)), to);
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    compare(p, (int[]){x}, "convert");
}

static void test_operations(void)
{
    static const fl_opcode floats[] = {FL_OP_add,    FL_OP_subtract, FL_OP_multiply,
                                       FL_OP_divide, FL_OP_maximum,  FL_OP_minimum,
                                       FL_OP_negate, FL_OP_abs,      FL_OP_floor},
                           ints[] = {FL_OP_add,     FL_OP_subtract,   FL_OP_multiply,
                                     FL_OP_divide,  FL_OP_remainder,  FL_OP_maximum,
                                     FL_OP_minimum, FL_OP_and,        FL_OP_or,
                                     FL_OP_xor,     FL_OP_shift_left, FL_OP_shift_right_logical,
                                     FL_OP_negate,  FL_OP_not},
                           bits[] = {FL_OP_and, FL_OP_or, FL_OP_xor, FL_OP_not};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        int is_float = t < 2, is_bit = types[t] == FL_I1;
        const fl_opcode *codes = is_float ? floats : is_bit ? bits : ints;
        size_t count = is_float ? sizeof floats : is_bit ? sizeof bits : sizeof ints;
        for (size_t k = 0; k < count / sizeof *codes; k++)
            for (int x = 0; x < VALUES; x++)
                for (int y = 0; y < VALUES; y++) test_operation(codes[k], types[t], x, y);
        for (int x = 0; x < VALUES; x++)
            for (int y = 0; y < VALUES; y++) test_compare(types[t], x, y);
        for (size_t to = 0; to < sizeof types / sizeof *types; to++)
            for (int x = 0; x < VALUES; x++) /* numbers that an integer holds: others are not defined */
                if (!is_float || to < 2 || (x < 7 && x != 4)) test_convert(types[t], types[to], x);
    }
}

/* x[i, j] = x[j, i] + 1 with i and j from below the bounds to above them; a scatter leaves out what is out of bounds. */
static void test_elements(fl_dtype dtype, fl_dtype index, int scatter)
{
    const int64_t sizes[] = {3, 4}, one[] = {1, 1};
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "main"));
    fl_ref x = fl_parameter(&b, fl_type_make(dtype, 2, sizes)), zero = fl_scalar_i(&b, index, 0),
           state[] = {zero, x};
    fl_type kinds[] = {*fl_typeof(&b, zero), *fl_typeof(&b, x)};
    fl_block *regions[2] = {fl_region_begin(&b, kinds, 2)};
    fl_ref flag = fl_compare(&b, FL_LT, fl_block_arg(regions[0], 0), fl_scalar_i(&b, index, 49));
    fl_region_end(&b, regions[0], &flag, 1);
    regions[1] = fl_region_begin(&b, kinds, 2);
    fl_ref k = fl_block_arg(regions[1], 0), y = fl_block_arg(regions[1], 1), at[2],
           seven = fl_scalar_i(&b, index, 7);
    fl_ref two = fl_scalar_i(&b, index, 2);
    at[0] = fl_sub(&b, fl_div(&b, k, seven), two);
    at[1] = fl_sub(&b, k, fl_add(&b, fl_mul(&b, fl_div(&b, k, seven), seven), two));
    fl_ref value = fl_dynamic_slice(&b, y, (fl_ref[]){at[1], at[0]}, one), next[2];
    value = fl_add(&b, value, fl_broadcast_in_dim(&b, fl_scalar_i(&b, dtype, 1), 2, one, NULL));
    next[0] = fl_add(&b, k, fl_scalar_i(&b, index, 1));
    if (scatter) {
        fl_ref both[] = {fl_reshape(&b, at[0], 1, one), fl_reshape(&b, at[1], 1, one)};
        const fl_scatter_dims dims = {.inserted_window_dims = (int64_t[]){0, 1},
                                      .inserted_count = 2,
                                      .scatter_dims_to_operand_dims = (int64_t[]){0, 1},
                                      .map_count = 2,
                                      .index_vector_dim = 0};
        next[1] =
            fl_scatter(&b, FL_OP_NONE, y, fl_concat(&b, both, 2, 0), fl_reshape(&b, value, 0, NULL), &dims);
    } else {
        next[1] = fl_dynamic_update_slice(&b, y, value, at);
    }
    fl_region_end(&b, regions[1], next, 2);
    fl_ref r = fl_build(&b, FL_OP_while, state, 2, NULL, 0, regions, 2) + 1;
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    if (!p) return;
    run_case c;
    dense_case(&c, p);
    c.data[0] = random_data(fl_type_of(p, p->main->first_arg), 9);
    run_and_compare(&c, scatter ? "scattered elements" : "updated elements", 0);
    free_case(&c);
}

int main(void)
{
    test_operations();
    for (int scatter = 0; scatter < 2; scatter++)
        for (int wide = 0; wide < 2; wide++) {
            test_elements(FL_F32, wide ? FL_I64 : FL_I32, scatter);
            test_elements(FL_F64, wide ? FL_I64 : FL_I32, scatter);
            test_elements(FL_I8, wide ? FL_I64 : FL_I32, scatter);
        }
    return check_result();
}
