/* Regions, control flow, sorting, linear algebra, random bits, dynamic forms and errors. */
#include "ref_test.h"

#include "base/random.h"

#include <complex.h>

static fl_attr number(fl_attr_key key, int64_t value)
{
    return (fl_attr){.key = key, .u.i = value};
}

static fl_type scalar(fl_dtype dtype)
{
    return fl_type_make(dtype, 0, NULL);
}

/* while (i < 10) { (a, b, i) = (b, a + b, i + 1) }: the body returns one of its arguments in another place.
 */
static void loops(void)
{
    fl_builder b = begin();
    fl_type types[3] = {scalar(FL_I32), scalar(FL_I32), scalar(FL_I32)};
    fl_ref start[3] = {fl_scalar_i(&b, FL_I32, 0), fl_scalar_i(&b, FL_I32, 1), fl_scalar_i(&b, FL_I32, 0)};
    fl_ref ten = fl_scalar_i(&b, FL_I32, 10); /* captured by the condition */
    fl_block *regions[2];
    regions[0] = fl_region_begin(&b, types, 3);
    fl_ref more = fl_compare(&b, FL_LT, fl_block_arg(regions[0], 2), ten);
    fl_region_end(&b, regions[0], &more, 1);
    regions[1] = fl_region_begin(&b, types, 3);
    fl_ref x = fl_block_arg(regions[1], 0), y = fl_block_arg(regions[1], 1), i = fl_block_arg(regions[1], 2);
    fl_ref next[3] = {y, fl_add(&b, x, y), fl_add(&b, i, fl_scalar_i(&b, FL_I32, 1))};
    fl_region_end(&b, regions[1], next, 3);
    fl_ref result = fl_build(&b, FL_OP_while, start, 3, NULL, 0, regions, 2);
    CHECK_I32(&b, result, 55);
}

static void branches(void)
{
    static const int32_t picked[4] = {30, 10, 20, 30}; /* indices -1, 0, 1, 2 of three branches */
    for (int32_t index = -1; index < 3; index++) {
        fl_builder b = begin();
        fl_ref which = fl_scalar_i(&b, FL_I32, index), ten = fl_scalar_i(&b, FL_I32, 10);
        fl_block *regions[3];
        for (int k = 0; k < 3; k++) {
            regions[k] = fl_region_begin(&b, NULL, 0);
            fl_ref value = fl_mul(&b, ten, fl_scalar_i(&b, FL_I32, k + 1));
            fl_region_end(&b, regions[k], &value, 1);
        }
        CHECK_I32(&b, fl_build(&b, FL_OP_case, &which, 1, NULL, 0, regions, 3), picked[index + 1]);
    }
    for (int k = 0; k < 2; k++) {
        fl_builder b = begin();
        fl_ref predicate = fl_scalar_i(&b, FL_I1, k), x = F32(&b, (2), 1, 2);
        fl_block *regions[2];
        regions[0] = fl_region_begin(&b, NULL, 0);
        fl_ref value = fl_neg(&b, x);
        fl_region_end(&b, regions[0], &value, 1);
        regions[1] = fl_region_begin(&b, NULL, 0);
        fl_region_end(&b, regions[1], &x, 1);
        CHECK_F32(&b, fl_build(&b, FL_OP_if, &predicate, 1, NULL, 0, regions, 2), k ? -1 : 1, k ? -2 : 2);
    }
}

/* map with x y + 2 y; reduce of two operands at once: the maximum and where it is. */
static void regions(void)
{
    fl_builder b = begin();
    fl_type types[4] = {scalar(FL_F32), scalar(FL_F32)};
    fl_ref in[4] = {F32(&b, (3), 1, 2, 3), F32(&b, (3), 4, 5, 6)};
    fl_block *region = fl_region_begin(&b, types, 2);
    fl_ref x = fl_block_arg(region, 0), y = fl_block_arg(region, 1);
    fl_ref value = fl_add(&b, fl_mul(&b, x, y), fl_mul(&b, fl_scalar_f(&b, FL_F32, 2), y));
    fl_region_end(&b, region, &value, 1);
    fl_attr dims = {.key = FL_ATTR_dimensions, .count = 1, .u.ints = DIMS(0)};
    CHECK_F32(&b, fl_build(&b, FL_OP_map, in, 2, &dims, 1, &region, 1), 12, 20, 30);

    b = begin();
    types[1] = types[3] = scalar(FL_I32), types[2] = scalar(FL_F32);
    in[0] = F32(&b, (2, 3), 1, 7, 7, -1, -2, -3), in[1] = fl_iota(&b, fl_type_make(FL_I32, 2, DIMS(2, 3)), 1);
    in[2] = fl_scalar_f(&b, FL_F32, -INFINITY), in[3] = fl_scalar_i(&b, FL_I32, -1);
    region = fl_region_begin(&b, types, 4);
    fl_ref better = fl_compare(&b, FL_GT, fl_block_arg(region, 2), fl_block_arg(region, 0));
    fl_ref results[2] = {fl_select(&b, better, fl_block_arg(region, 2), fl_block_arg(region, 0)),
                         fl_select(&b, better, fl_block_arg(region, 3), fl_block_arg(region, 1))};
    fl_region_end(&b, region, results, 2);
    dims.u.ints = DIMS(1);
    fl_ref best = fl_build(&b, FL_OP_reduce, in, 4, &dims, 1, &region, 1);
    CHECK_I32(&b, fl_ok(&b) ? best + 1 : FL_NO_REF, 1, 0);
}

/* A sum of bf16 is rounded once: 256 + 1 + ... would stay at 256 if each step were rounded. */
static void sums(void)
{
    fl_builder b = begin();
    fl_ref ones = fl_full(&b, fl_type_make(FL_BF16, 1, DIMS(300)), 1);
    CHECK_F32(&b, fl_cast(&b, fl_reduce_all(&b, FL_OP_add, ones), FL_F32), 300);
}

static void sorting(void)
{
    fl_builder b = begin();
    fl_ref payload = I32(&b, (7), 0, 1, 2, 3, 4, 5, 6), order;
    fl_sort(&b, F32(&b, (7), 3, NAN, -0.0f, 0.0f, -INFINITY, NAN, 1), payload, 0, 0, 1, &order);
    CHECK_I32(&b, order, 4, 2, 3, 6, 0, 1, 5);
    b = begin();
    payload = I32(&b, (7), 0, 1, 2, 3, 4, 5, 6);
    fl_sort(&b, F32(&b, (7), 3, NAN, -0.0f, 0.0f, -INFINITY, NAN, 1), payload, 0, 1, 1, &order);
    CHECK_I32(&b, order, 1, 5, 0, 6, 2, 3, 4);
    b = begin(); /* along the first of two dimensions */
    CHECK_I32(&b, fl_sort(&b, I32(&b, (3, 2), 5, 1, -2, 9, 3, 0), FL_NO_REF, 0, 0, 0, NULL), -2, 0, 3, 1, 5,
              9);
}

static void dynamic(void)
{
    fl_builder b = begin(); /* starts are clamped to 1 and 0 */
    fl_ref starts[2] = {fl_scalar_i(&b, FL_I32, 9), fl_scalar_i(&b, FL_I32, -4)};
    CHECK_I32(&b, fl_dynamic_slice(&b, I32(&b, (3, 3), 1, 2, 3, 4, 5, 6, 7, 8, 9), starts, DIMS(2, 2)), 4, 5,
              7, 8);
    b = begin();
    starts[0] = fl_scalar_i(&b, FL_I32, 1), starts[1] = fl_scalar_i(&b, FL_I32, 7);
    CHECK_I32(&b,
              fl_dynamic_update_slice(&b, I32(&b, (2, 3), 1, 2, 3, 4, 5, 6), I32(&b, (1, 2), -1, -2), starts),
              1, 2, 3, 4, -1, -2);
}

/* L L^T = a with L = [[2, 0, 0], [1, 3, 0], [-1, 2, 4]]; upper: U^T U. The triangle that is not read holds
 * rubbish. */
static void cholesky(void)
{
    for (int lower = 0; lower < 2; lower++) {
        fl_builder b = begin();
        fl_attr attr = number(FL_ATTR_lower, lower);
        fl_ref a = lower ? F64(&b, (1, 3, 3), 4, 99, 99, 2, 10, 99, -2, 5, 21)
                         : F64(&b, (1, 3, 3), 4, 2, -2, 99, 10, 5, 99, 99, 21);
        fl_ref l = fl_build(&b, FL_OP_cholesky, &a, 1, &attr, 1, NULL, 0);
        if (lower)
            CHECK_F64(&b, l, 2, 0, 0, 1, 3, 0, -1, 2, 4);
        else
            CHECK_F64(&b, l, 2, 1, -1, 0, 3, 2, 0, 0, 4);
    }
}

/* All forms of triangular_solve on complex numbers: op(a) x, or x op(a), gives back b. */
static void triangular(void)
{
    enum { n = 3, m = 2 };
    static const double a[2 * n * n] = {2, 1, -1, 0.5, 3, 0, 1, -1, 4, 0, 0.5, 2, -2, 1, 0.25, 1, -3, 2};
    static const double rhs[2 * n * m] = {1, 2, 3, -1, 0.5, 0, 2, 2, -1, 1, 4, -3};
    const double complex *az = (const double complex *)a, *bz = (const double complex *)rhs;
    for (int form = 0; form < 24; form++) {
        int left = form & 1, lower = form >> 1 & 1, unit = form >> 2 & 1, transpose = form >> 3;
        fl_builder b = begin();
        fl_attr attrs[4] = {number(FL_ATTR_left_side, left), number(FL_ATTR_lower, lower),
                            number(FL_ATTR_unit_diagonal, unit), number(FL_ATTR_transpose_a, transpose)};
        fl_ref in[2] = {fl_constant(&b, fl_type_make(FL_C128, 2, DIMS(n, n)), a),
                        fl_constant(&b, fl_type_make(FL_C128, 2, left ? DIMS(n, m) : DIMS(m, n)), rhs)};
        double complex x[n * m], op[n][n];
        run_at(__LINE__, &b, fl_build(&b, FL_OP_triangular_solve, in, 2, attrs, 4, NULL, 0), x);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double complex value = i == j && unit ? 1 : (lower ? j <= i : j >= i) ? az[i * n + j] : 0;
                if (transpose == FL_NO_TRANSPOSE)
                    op[i][j] = value;
                else
                    op[j][i] = transpose == FL_ADJOINT ? conj(value) : value;
            }
        for (int i = 0; i < n; i++)
            for (int j = 0; j < m; j++) {
                double complex sum = 0;
                for (int k = 0; k < n; k++) sum += left ? op[i][k] * x[k * m + j] : x[j * n + k] * op[k][i];
                EXPECT(cabs(sum - bz[left ? i * m + j : j * n + i]) < 1e-13);
            }
    }
}

static void random_bits(void)
{
    for (int k = 0; k < 2; k++) {
        fl_builder b = begin();
        const uint64_t state[2] = {42, 7};
        uint64_t next[2], want_next[2];
        uint32_t bits[9], want[9];
        fl_ref s = fl_constant(&b, fl_type_make(FL_U64, 1, DIMS(2)), state), out_state;
        fl_ref r = fl_rng_bits(&b, s, fl_type_make(FL_U32, 2, DIMS(3, 3)), &out_state);
        fl_random_philox(state, 2, 4, 9, want, want_next);
        if (k)
            EXPECT(!memcmp(run_at(__LINE__, &b, r, bits), want, sizeof want));
        else
            EXPECT(!memcmp(run_at(__LINE__, &b, out_state, next), want_next, sizeof want_next));
    }
}

static void errors(void)
{
    fl_builder b = begin();
    int32_t out[3];
    void *outputs[1] = {out};
    fl_ref checked = fl_check_index(&b, I32(&b, (3), 0, 4, 7), 0, 5, "index_select");
    fl_status status = finish(&b, &checked, 1, outputs);
    EXPECT(fl_status_code(status) == FL_INDEX);
    EXPECT(!strcmp(fl_status_message(status), "index_select: index 7 is out of bounds for dimension with size 5"));
    fl_status_free(status);

    b = begin();
    checked = fl_check_index(&b, I32(&b, (3), 0, -5, 4), -5, 5, "gather");
    CHECK_I32(&b, checked, 0, -5, 4);

    b = begin();
    fl_attr attr = {.key = FL_ATTR_call_target_name, .u.string = "nobody"};
    fl_ref x = fl_scalar_i(&b, FL_I32, 1);
    fl_ref y = fl_build_typed(&b, FL_OP_custom_call, &x, 1, &attr, 1, NULL, 0, fl_typeof(&b, x), 1);
    status = finish(&b, &y, 1, outputs);
    EXPECT(fl_status_code(status) == FL_UNSUPPORTED && strstr(fl_status_message(status), "nobody"));
    fl_status_free(status);
}

/* One operation alone, whose region captures a constant from outside; tensors without elements may be NULL.
 */
static void single(void)
{
    fl_builder b = begin();
    fl_type scalars[2] = {scalar(FL_F32), scalar(FL_F32)};
    fl_ref in[2] = {fl_parameter(&b, fl_type_make(FL_F32, 1, DIMS(3))), fl_scalar_f(&b, FL_F32, 0)};
    fl_ref two = fl_scalar_f(&b, FL_F32, 2);
    fl_block *region = fl_region_begin(&b, scalars, 2);
    fl_ref value = fl_add(&b, fl_block_arg(region, 0), fl_mul(&b, fl_block_arg(region, 1), two));
    fl_region_end(&b, region, &value, 1);
    fl_attr dims = {.key = FL_ATTR_dimensions, .count = 1, .u.ints = DIMS(0)};
    fl_ref sum = fl_build(&b, FL_OP_reduce, in, 2, &dims, 1, &region, 1);
    fl_program *program = NULL;
    fl_status status = fl_builder_finish(&b, &sum, 1, &program);
    EXPECT(!status);
    if (!status) {
        const float x[3] = {1, 2, 3}, init = 5;
        float result = 0;
        status =
            fl_reference_op(program, program->defs[sum].op, (const void *[]){x, &init}, (void *[]){&result});
        EXPECT(!status && result == 17);
        fl_program_destroy(program);
    }
    fl_status_free(status);

    b = begin();
    fl_ref empty = fl_parameter(&b, fl_type_make(FL_F32, 2, DIMS(0, 3)));
    fl_ref results[2] = {fl_neg(&b, empty), fl_reduce_dim(&b, FL_OP_add, empty, 0, 0)};
    status = fl_builder_finish(&b, results, 2, &program);
    EXPECT(!status);
    if (!status) {
        float zeros[3] = {1, 1, 1};
        status = fl_reference_run(program, (const void *[]){NULL}, (void *[]){NULL, zeros});
        EXPECT(!status && zeros[0] == 0 && zeros[2] == 0);
        fl_program_destroy(program);
    }
    fl_status_free(status);
}

int main(void)
{
    loops();
    branches();
    regions();
    sums();
    sorting();
    dynamic();
    cholesky();
    triangular();
    random_bits();
    errors();
    single();
    return failures ? 1 : 0;
}
