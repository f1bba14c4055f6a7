/* Products of float8 matrices that bring scales along: of a whole matrix, of its rows, or of blocks along the contracted
 * dimension; also of groups of rows. */
#include "aten/scaled.h"
#include "aten/shapes.h"
#include "aten/sizes.h"
#include "aten/table.h"

/* torch.nn.functional.ScalingType by number: how many rows and columns one scale serves; 0: all there are. */
static const struct {
    uint8_t rows, columns;
    uint8_t dtype; /* of scales; FL_DTYPE_NONE: not of float8 matrices */
} recipes[] = {
    [FL_SCALED_WHOLE] = {0, 0, FL_F32},        [FL_SCALED_ROWS] = {1, 0, FL_F32},
    [FL_SCALED_1X16] = {1, 16, FL_DTYPE_NONE}, [FL_SCALED_1X32] = {1, 32, FL_F8E8M0FNU},
    [FL_SCALED_1X128] = {1, 128, FL_F32},      [FL_SCALED_128X128] = {128, 128, FL_F32},
};

int fl_is_float8(fl_dtype dtype)
{
    return dtype == FL_F8E4M3FN || dtype == FL_F8E5M2 || dtype == FL_F8E4M3FNUZ || dtype == FL_F8E5M2FNUZ;
}

static int64_t blocks(int64_t size, int64_t of)
{
    return of ? (size + of - 1) / of : 1;
}

/* Scales for tensor cores lie in tiles of 128 rows and 4 columns, a row's neighbour being 32 rows below. */
static fl_ref from_tiles(fl_builder *b, fl_ref scale, int64_t rows, int64_t columns)
{
    const int64_t high = blocks(rows, 128), wide = blocks(columns, 4);
    const int64_t tiles[] = {high, wide, 32, 4, 4}, order[] = {0, 3, 2, 1, 4},
                  dims[] = {high * 128, wide * 4};
    const int64_t start[] = {0, 0}, limit[] = {rows, columns};
    scale = fl_transpose(b, fl_reshape(b, scale, 5, tiles), order);
    return fl_slice(b, fl_reshape(b, scale, 2, dims), start, limit, NULL);
}

int fl_scales_fit(fl_builder *b, const fl_scaled *m, int recipe)
{
    if (recipe < 0 || recipe > FL_SCALED_128X128 || recipes[recipe].dtype == FL_DTYPE_NONE) return 0;
    if (!fl_ok(b) || fl_dtypeof(b, m->scale) != recipes[recipe].dtype) return 0;
    int64_t high = recipes[recipe].rows ? blocks(m->rows, recipes[recipe].rows) : 1,
            wide = blocks(m->columns, recipes[recipe].columns);
    if (recipe == FL_SCALED_WHOLE) return fl_elements(b, m->scale) == 1;
    if (recipe == FL_SCALED_1X32) {
        const int64_t count = m->tiled ? blocks(high, 128) * 128 * blocks(wide, 4) * 4 : high * wide;
        return fl_elements(b, m->scale) == count;
    }
    if (m->padded && recipe == FL_SCALED_128X128) wide = blocks(wide, 4) * 4;
    const int across = m->across || (m->padded && recipe == FL_SCALED_128X128);
    return fl_rank(b, m->scale) == 2 && fl_dim(b, m->scale, across) == high &&
           fl_dim(b, m->scale, !across) == wide;
}

/* One scale for each block, in f32: block rows x block columns of the matrix. */
static fl_ref scale_grid(fl_builder *b, const fl_scaled *m, int recipe)
{
    const int64_t high = recipes[recipe].rows ? blocks(m->rows, recipes[recipe].rows) : 1,
                  wide = blocks(m->columns, recipes[recipe].columns);
    const int64_t dims[] = {high, wide};
    fl_ref scale = m->scale;
    if (recipe == FL_SCALED_1X32 && m->tiled)
        scale = from_tiles(b, scale, high, wide);
    else if (recipe == FL_SCALED_128X128 && m->padded)
        scale = fl_slice_dim(b, fl_swap_dims(b, scale, 0, 1), 1, 0, wide, 1);
    else if (m->across && fl_rank(b, scale) == 2)
        scale = fl_swap_dims(b, scale, 0, 1);
    return fl_cast(b, fl_reshape(b, scale, 2, dims), FL_F32);
}

/* The grid with every scale repeated for the elements of its block. */
static fl_ref spread(fl_builder *b, fl_ref grid, const fl_scaled *m, int recipe)
{
    const int64_t rows = recipes[recipe].rows ? recipes[recipe].rows : m->rows,
                  columns = recipes[recipe].columns ? recipes[recipe].columns : m->columns;
    const int64_t high = fl_dim(b, grid, 0), wide = fl_dim(b, grid, 1);
    const int64_t repeated[] = {high, rows, wide, columns}, dims[] = {high * rows, wide * columns};
    const int64_t start[] = {0, 0}, limit[] = {m->rows, m->columns};
    static const int64_t places[] = {0, 2};
    if (!fl_ok(b)) return FL_NO_REF;
    fl_ref all = fl_broadcast_in_dim(b, grid, 4, repeated, places);
    return fl_slice(b, fl_reshape(b, all, 2, dims), start, limit, NULL);
}

fl_ref fl_scaled_product(fl_builder *b, const fl_scaled *lhs, int lhs_recipe, const fl_scaled *rhs,
                         int rhs_recipe)
{
    static const int64_t columns[] = {1};
    static const fl_dot_dims dims = {.lhs_contract = columns, .rhs_contract = columns, .contract_count = 1};
    fl_ref l = scale_grid(b, lhs, lhs_recipe), r = scale_grid(b, rhs, rhs_recipe);
    if (lhs_recipe <= FL_SCALED_ROWS && rhs_recipe <= FL_SCALED_ROWS) {
        /* bf16 holds every float8 number, and scales of rows need not be known before the product */
        fl_ref x = fl_dot_general(b, fl_cast(b, lhs->matrix, FL_BF16), fl_cast(b, rhs->matrix, FL_BF16),
                                  &dims, FL_F32);
        x = fl_mul(b, x, fl_broadcast_like(b, l, x));
        return fl_mul(b, x, fl_broadcast_like(b, fl_swap_dims(b, r, 0, 1), x));
    }
    l = fl_mul(b, fl_cast(b, lhs->matrix, FL_F32), spread(b, l, lhs, lhs_recipe));
    r = fl_mul(b, fl_cast(b, rhs->matrix, FL_F32), spread(b, r, rhs, rhs_recipe));
    return fl_dot_general(b, l, r, &dims, FL_F32);
}

static void fail_configuration(fl_builder *b, const fl_scaled *lhs, const fl_scaled *rhs)
{
    if (!fl_ok(b)) return;
    const long long m = (long long)lhs->rows, n = (long long)rhs->rows,
                    k = (long long)blocks(lhs->columns, 128);
    fl_builder_fail(
        b, fl_error(FL_VALUE,
                    "Invalid scaling configuration.\n- For TensorWise scaling, a and b should be float8, "
                    "scales should be "
                    "float and singletons.\n- For RowWise scaling, a and b should be float8, scales should "
                    "be float, scale_a "
                    "should be (%lld, 1) and scale_b should be (1, %lld).\n- For blocks of 1x128 and "
                    "128x128, scales should "
                    "be float, one for each of %lld blocks along the contracted dimension.\n- For blocks of "
                    "1x32, scales "
                    "should be float8_e8m0fnu.\nGot mat_a.dtype()=%s, scale_a.dtype()=%s, scale_a.size()=%s, "
                    "mat_b.dtype()=%s, scale_b.dtype()=%s, scale_b.size()=%s",
                    m, n, k, fl_torch_type_name(fl_dtypeof(b, lhs->matrix)),
                    fl_torch_type_name(fl_dtypeof(b, lhs->scale)), fl_sizes_in_text(b, lhs->scale).text,
                    fl_torch_type_name(fl_dtypeof(b, rhs->matrix)),
                    fl_torch_type_name(fl_dtypeof(b, rhs->scale)), fl_sizes_in_text(b, rhs->scale).text));
}

/* self [m, k] and mat2 [k, n], the latter seen as [n, k]. */
static int read_matrices(fl_builder *b, fl_code code, fl_scaled *lhs, fl_scaled *rhs)
{
    static const char *const names[][2] = {{"mat1", "mat2"}, {"mat_a", "mat_b"}};
    fl_ref l = fl_in(b, 0), r = fl_in(b, 1);
    for (int i = 0; i < 2 && fl_ok(b); i++)
        if (fl_rank(b, i ? r : l) != 2)
            fl_builder_fail(b, fl_error(code, "%s must be a matrix", names[code == FL_VALUE][i]));
    if (!fl_ok(b)) return 0;
    const long long m = (long long)fl_dim(b, l, 0), k = (long long)fl_dim(b, l, 1),
                    also = (long long)fl_dim(b, r, 0), n = (long long)fl_dim(b, r, 1);
    if (k != also)
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "mat_a and mat_b shapes cannot be multiplied (%lldx%lld and %lldx%lld)",
                                    m, k, also, n));
    lhs->matrix = l, lhs->rows = m, lhs->columns = k;
    rhs->matrix = fl_swap_dims(b, r, 0, 1), rhs->rows = n, rhs->columns = k;
    return fl_ok(b);
}

/* The dtype of the result: of out=, else of the argument `i`, else the first matrix's; they must agree. */
static fl_dtype result_dtype(fl_builder *b, int i, fl_ref matrix)
{
    const fl_dtype out = fl_out_dtype(b, 0), wanted = fl_dtype_or(b, i, FL_DTYPE_NONE);
    if (out != FL_DTYPE_NONE && wanted != FL_DTYPE_NONE && out != wanted)
        fl_builder_fail(b, fl_error(FL_VALUE, "out_dtype must match output matrix type"));
    return out != FL_DTYPE_NONE ? out : wanted != FL_DTYPE_NONE ? wanted : fl_dtypeof(b, matrix);
}

static fl_ref with_bias(fl_builder *b, int arg, fl_code code, fl_ref x)
{
    if (!fl_has(b, arg)) return x;
    fl_ref bias = fl_in_cast(b, arg, FL_F32);
    if (fl_ok(b) && fl_elements(b, bias) != fl_dim(b, x, 1))
        fl_builder_fail(b, fl_error(code, "Bias must be size %lld but got %lld", (long long)fl_dim(b, x, 1),
                                    (long long)fl_elements(b, bias)));
    return fl_add(b, x, fl_broadcast_like(b, bias, x));
}

/* _scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum): shapes of scales tell the recipes,
 * the first of these that fits. */
FL_LOWER(scaled_mm)
{
    static const uint8_t pairs[][2] = {
        {FL_SCALED_WHOLE, FL_SCALED_WHOLE},   {FL_SCALED_ROWS, FL_SCALED_ROWS},
        {FL_SCALED_128X128, FL_SCALED_1X128}, {FL_SCALED_1X128, FL_SCALED_128X128},
        {FL_SCALED_1X128, FL_SCALED_1X128},   {FL_SCALED_1X32, FL_SCALED_1X32}};
    fl_scaled lhs = {.scale = fl_in(b, 2), .tiled = 1}, rhs = {.scale = fl_in(b, 3), .tiled = 1, .across = 1};
    if (!read_matrices(b, FL_INVALID, &lhs, &rhs)) return;
    const int small = fl_is_float8(fl_dtypeof(b, lhs.matrix)) && fl_is_float8(fl_dtypeof(b, rhs.matrix));
    size_t i = 0, count = small ? sizeof pairs / sizeof *pairs : 0;
    while (i < count && !(fl_scales_fit(b, &lhs, pairs[i][0]) && fl_scales_fit(b, &rhs, pairs[i][1]))) i++;
    if (i == count) {
        fail_configuration(b, &lhs, &rhs);
        return;
    }
    const fl_tensor *scale = fl_tensor_arg(b, 5);
    int64_t elements = 1;
    for (int d = 0; scale && d < scale->rank; d++) elements *= scale->sizes[d];
    FL_REQUIRE(b, !scale || (elements == 1 && scale->dtype == FL_F32), FL_INVALID,
               "scale_result must be a float scalar");
    const fl_dtype dtype = result_dtype(b, 6, lhs.matrix), wanted = fl_dtype_or(b, 6, FL_DTYPE_NONE);
    fl_ref x = with_bias(b, 4, FL_INVALID, fl_scaled_product(b, &lhs, pairs[i][0], &rhs, pairs[i][1]));
    if (scale && (wanted == FL_F8E4M3FN || wanted == FL_F8E5M2)) /* a result of more bits needs no scale */
        x = fl_div(b, x, fl_reshape(b, fl_in(b, 5), 0, NULL));
    fl_emit(b, fl_convert(b, x, dtype));
}

/* The number that is the only element of a list argument; -1 when it is not one number. */
static int only(fl_builder *b, int arg)
{
    int64_t value[2];
    return fl_ints(b, arg, value, 2) == 1 && value[0] >= 0 && value[0] < 64 ? (int)value[0] : -1;
}

static void check_contraction(fl_builder *b, int arg)
{
    int64_t dims[3] = {1, 0, 0};
    const uint32_t count = fl_ints(b, arg, dims, 3);
    if (!count) return;
    FL_REQUIRE(b, count == 2, FL_VALUE, "contraction_dim must have exactly 2 elements");
    fl_ref l = fl_in(b, 0), r = fl_in(b, 1);
    const int i = fl_wrap_dim(b, dims[0], 2), j = fl_wrap_dim(b, dims[1], 2);
    FL_REQUIRE(b, fl_ok(b) && fl_dim(b, l, i) == fl_dim(b, r, j), FL_VALUE,
               "mat_a and mat_b shapes cannot be multiplied (%lldx%lld and %lldx%lld) with contraction dims "
               "mat_a: %d, "
               "mat_b: %d",
               (long long)fl_dim(b, l, 0), (long long)fl_dim(b, l, 1), (long long)fl_dim(b, r, 0),
               (long long)fl_dim(b, r, 1), i, j);
}

/* The scales, recipe and swizzle that stand from argument `arg` on. */
static int read_scales(fl_builder *b, int arg, const char *name, fl_scaled *m)
{
    const int recipe = fl_list_count(b, arg) == 1 ? only(b, arg + 1) : -1;
    const uint32_t swizzles = fl_ints(b, arg + 2, (int64_t[2]){0}, 2);
    m->tiled = swizzles && only(b, arg + 2) == 1;
    m->padded = 1;
    if (recipe < 0 || recipe > FL_SCALED_128X128) return -1;
    m->scale = fl_list_in(b, arg, 0);
    if (swizzles && (only(b, arg + 2) < 0 || only(b, arg + 2) > (recipe == FL_SCALED_1X32)))
        fl_builder_fail(
            b, fl_error(FL_VALUE, "%s: only scales of 1x32 blocks can be swizzled, to SWIZZLE_32_4_4", name));
    return recipe;
}

/* Each recipe has sizes that are its own, which PyTorch names. */
static void check_scales(fl_builder *b, const char *name, const fl_scaled *m, int recipe)
{
    if (recipe == FL_SCALED_ROWS && fl_ok(b)) fl_wrap_dim(b, 1, fl_rank(b, m->scale));
    if (!fl_ok(b) || fl_scales_fit(b, m, recipe)) return;
    if (fl_dtypeof(b, m->scale) == recipes[recipe].dtype && recipe == FL_SCALED_WHOLE)
        fl_builder_fail(b, fl_error(FL_VALUE, "%s must have 1 Float element", name));
    else
        fl_builder_fail(
            b, fl_error(
                   FL_VALUE,
                   "expected %s of dtype %s for blocks of %dx%d (0: all) of a matrix of %lldx%lld, got %s of "
                   "sizes %s",
                   name, fl_torch_type_name((fl_dtype)recipes[recipe].dtype), recipes[recipe].rows,
                   recipes[recipe].columns, (long long)m->rows, (long long)m->columns,
                   fl_torch_type_name(fl_dtypeof(b, m->scale)), fl_sizes_in_text(b, m->scale).text));
}

/* _scaled_mm_v2(self, mat2, scale_a[], recipe_a[], swizzle_a[], scale_b[], recipe_b[], swizzle_b[], bias, out_dtype,
 * contraction_dim[], use_fast_accum) */
FL_LOWER(scaled_mm_v2)
{
    fl_scaled lhs = {0}, rhs = {0};
    check_contraction(b, 10);
    if (!read_matrices(b, FL_VALUE, &lhs, &rhs)) return;
    const int l = read_scales(b, 2, "scale_a", &lhs), r = read_scales(b, 5, "scale_b", &rhs);
    FL_REQUIRE(b, l >= 0 && r >= 0 && recipes[l].dtype != FL_DTYPE_NONE && recipes[r].dtype != FL_DTYPE_NONE,
               FL_VALUE,
               "Invalid scaling configuration: expected one scale and one recipe for each matrix, of which "
               "TensorWise, "
               "RowWise, BlockWise1x32, BlockWise1x128 and BlockWise128x128 are for float8");
    const int small = fl_is_float8(fl_dtypeof(b, lhs.matrix)) && fl_is_float8(fl_dtypeof(b, rhs.matrix));
    const int wide = l > FL_SCALED_1X32, also = r > FL_SCALED_1X32;
    if (fl_ok(b) && (!small || wide != also || (!wide && l != r) || (l == r && l == FL_SCALED_128X128))) {
        fail_configuration(b, &lhs, &rhs);
        return;
    }
    rhs.across = r == FL_SCALED_ROWS;
    check_scales(b, "scale_a", &lhs, l);
    check_scales(b, "scale_b", &rhs, r);
    const fl_dtype dtype = result_dtype(b, 9, lhs.matrix);
    fl_ref x = with_bias(b, 8, FL_VALUE, fl_scaled_product(b, &lhs, l, &rhs, r));
    fl_emit(b, fl_convert(b, x, dtype));
}
