/* Products of groups of rows, columns or terms with a matrix of each group's own, as mixtures of experts have them. Where groups
 * end is known on the device alone. */
#include "aten/scaled.h"
#include "aten/shapes.h"
#include "aten/sizes.h"
#include "aten/table.h"
#include "ir/ragged.h"

/* self, mat2 and, where one of them is 2-d, the ends of groups along its dimension that is not the other's. */
typedef struct grouped {
    fl_ref lhs, rhs, sizes;
    int lhs_rank, rhs_rank;
    int64_t groups;
} grouped;

static void check_matrices(fl_builder *b, const grouped *g)
{
    FL_REQUIRE(b, (g->lhs_rank == 2 || g->lhs_rank == 3) && (g->rhs_rank == 2 || g->rhs_rank == 3),
               FL_INVALID, "Multiplicands must be 2D or 3D but got mat_a.dim()=%d and mat_b.dim()=%d",
               g->lhs_rank, g->rhs_rank);
    FL_REQUIRE(b, fl_dim(b, g->lhs, g->lhs_rank - 1) == fl_dim(b, g->rhs, g->rhs_rank - 2), FL_INVALID,
               "contraction dimension of mat_a and mat_b must match");
    FL_REQUIRE(b, g->lhs_rank != 3 || g->rhs_rank != 3 || fl_dim(b, g->lhs, 0) == fl_dim(b, g->rhs, 0),
               FL_INVALID, "batched dimension has to match");
}

/* Numbers of rows from the ends of groups. */
static fl_ref sizes_of(fl_builder *b, fl_ref ends)
{
    fl_ref before = fl_pad_dim(b, ends, 0, fl_scalar_i(b, FL_I32, 0), 1, -1, 0);
    return fl_sub(b, ends, before);
}

static int read_grouped(fl_builder *b, int offs, grouped *g)
{
    g->lhs = fl_in(b, 0), g->rhs = fl_in(b, 1);
    if (!fl_ok(b)) return 0;
    g->lhs_rank = fl_rank(b, g->lhs), g->rhs_rank = fl_rank(b, g->rhs);
    check_matrices(b, g);
    if (!fl_ok(b)) return 0;
    const int flat = g->lhs_rank == 2 || g->rhs_rank == 2;
    if (fl_has(b, offs) != flat)
        fl_builder_fail(
            b, fl_error(FL_INVALID, "Have to provide offsets if there is a 2d matrix, and only then"));
    g->groups = g->lhs_rank == 3 ? fl_dim(b, g->lhs, 0) : g->rhs_rank == 3 ? fl_dim(b, g->rhs, 0) : 0;
    if (!flat || !fl_ok(b)) return fl_ok(b);
    fl_ref ends = fl_in(b, offs);
    if (fl_ok(b) && (fl_rank(b, ends) != 1 || fl_dtypeof(b, ends) != FL_I32))
        fl_builder_fail(b, fl_error(FL_INVALID, "Offsets must be a 1D int32 tensor, but got %dD of %s",
                                    fl_rank(b, ends), fl_torch_type_name(fl_dtypeof(b, ends))));
    if (fl_ok(b) && g->lhs_rank != g->rhs_rank && fl_dim(b, ends, 0) != g->groups)
        fl_builder_fail(b, fl_error(FL_INVALID, "matrix batch sizes have to match"));
    if (g->lhs_rank == g->rhs_rank) g->groups = fl_dim(b, ends, 0);
    g->sizes = sizes_of(b, ends);
    return fl_ok(b);
}

static fl_ref grouped_product(fl_builder *b, const grouped *g, fl_dtype out)
{
    static const int64_t zero[] = {0}, one[] = {1}, two[] = {2};
    static const fl_dot_dims batched = {zero, zero, two, one, 1, 1};
    if (g->lhs_rank == 3 && g->rhs_rank == 3) return fl_dot_general(b, g->lhs, g->rhs, &batched, out);
    if (g->lhs_rank == 2 && g->rhs_rank == 2)
        return fl_ragged_sums(b, fl_swap_dims(b, g->lhs, 0, 1), g->rhs, g->sizes, out);
    if (g->lhs_rank == 2) return fl_ragged_rows(b, g->lhs, g->rhs, g->sizes, out);
    fl_ref turned =
        fl_ragged_rows(b, fl_swap_dims(b, g->rhs, 0, 1), fl_swap_dims(b, g->lhs, 1, 2), g->sizes, out);
    return fl_swap_dims(b, turned, 0, 1);
}

/* _grouped_mm(self, mat2, offs, bias, out_dtype) */
FL_LOWER(grouped_mm)
{
    grouped g = {0};
    if (!read_grouped(b, 2, &g)) return;
    const fl_dtype l = fl_dtypeof(b, g.lhs), r = fl_dtypeof(b, g.rhs);
    FL_REQUIRE(b, l == r && fl_is_float(l), FL_INVALID,
               "Expected inputs of one floating-point type but got mat_a.dtype=%s and mat_b.dtype=%s",
               fl_torch_type_name(l), fl_torch_type_name(r));
    FL_REQUIRE(b, !fl_has(b, 3), FL_INVALID, "Bias not supported yet");
    fl_emit(b, fl_cast(b, grouped_product(b, &g, l), fl_dtype_or(b, 4, l)));
}

/* A scale for each row of a 3-d matrix [groups, rows] or of a 2-d one [rows], of which groups of terms have one each
 * [groups * rows]; `last`: for each column. */
static fl_ref row_scales(fl_builder *b, fl_ref scale, const grouped *g, int last)
{
    const char *const name = last ? "scale_b" : "scale_a";
    const int rank = last ? g->rhs_rank : g->lhs_rank, terms = g->lhs_rank == 2 && g->rhs_rank == 2;
    const int64_t rows = fl_dim(b, last ? g->rhs : g->lhs, last ? rank - 1 : rank - 2);
    const int64_t wanted[] = {rank == 3 ? g->groups : rows, rows};
    if (!fl_ok(b)) return FL_NO_REF;
    int fits = fl_dtypeof(b, scale) == FL_F32 && fl_rank(b, scale) == rank - 1;
    if (fits && rank == 3)
        fits = fl_dim(b, scale, 0) == wanted[0] && fl_dim(b, scale, 1) == wanted[1];
    else if (fits)
        fits = fl_dim(b, scale, 0) == rows * (terms ? g->groups : 1);
    if (!fits)
        fl_builder_fail(
            b, fl_error(FL_INVALID,
                        "expected %s to be float of %lld x %lld elements in %d dimensions, got %s %s", name,
                        (long long)(rank == 3 || terms ? g->groups : 1), (long long)rows, rank - 1,
                        fl_torch_type_name(fl_dtypeof(b, scale)), fl_sizes_in_text(b, scale).text));
    const int64_t all[] = {g->groups, last ? 1 : rows, last ? rows : 1};
    return rank == 3 || terms ? fl_reshape(b, scale, 3, all) : fl_reshape(b, scale, 2, all + 1);
}

/* Scales belong to operands, but where each group of terms has its own to the products. */
static void scaled_grouped(fl_builder *b, int offs, int bias, int out_dtype, fl_ref scale_a, fl_ref scale_b)
{
    grouped g = {0};
    if (!read_grouped(b, offs, &g)) return;
    FL_REQUIRE(b, fl_is_float8(fl_dtypeof(b, g.lhs)) && fl_is_float8(fl_dtypeof(b, g.rhs)), FL_INVALID,
               "Expected mat_a and mat_b to be Float8 matrices, got %s and %s",
               fl_torch_type_name(fl_dtypeof(b, g.lhs)), fl_torch_type_name(fl_dtypeof(b, g.rhs)));
    FL_REQUIRE(b, !fl_has(b, bias), FL_INVALID, "Bias not supported yet");
    fl_ref l = row_scales(b, scale_a, &g, 0), r = row_scales(b, scale_b, &g, 1);
    g.lhs = fl_cast(b, g.lhs, FL_F32), g.rhs = fl_cast(b, g.rhs, FL_F32);
    const int terms = g.lhs_rank == 2 && g.rhs_rank == 2;
    if (!terms) {
        g.lhs = fl_mul(b, g.lhs, fl_broadcast_like(b, l, g.lhs));
        g.rhs = fl_mul(b, g.rhs, fl_broadcast_like(b, r, g.rhs));
    }
    fl_ref x = grouped_product(b, &g, FL_F32);
    if (terms) x = fl_mul(b, fl_mul(b, x, fl_broadcast_like(b, l, x)), fl_broadcast_like(b, r, x));
    fl_emit(b, fl_cast(b, x, fl_dtype_or(b, out_dtype, FL_BF16)));
}

/* _scaled_grouped_mm(self, mat2, scale_a, scale_b, offs, bias, scale_result, out_dtype, use_fast_accum) */
FL_LOWER(scaled_grouped_mm)
{
    FL_REQUIRE(b, !fl_has(b, 6), FL_INVALID, "Scale result not supported yet");
    scaled_grouped(b, 4, 5, 7, fl_in(b, 2), fl_in(b, 3));
}

/* _scaled_grouped_mm_v2(self, mat2, scale_a[], recipe_a[], swizzle_a[], scale_b[], recipe_b[], swizzle_b[], offs, bias,
 * out_dtype, contraction_dim[], use_fast_accum) */
FL_LOWER(scaled_grouped_mm_v2)
{
    for (int arg = 2; arg < 8; arg += 3) {
        int64_t recipe[2] = {0}, swizzle[2] = {0};
        FL_REQUIRE(b,
                   fl_list_count(b, arg) == 1 && fl_ints(b, arg + 1, recipe, 2) == 1 &&
                       recipe[0] == FL_SCALED_ROWS,
                   FL_VALUE,
                   "Invalid scaling configuration: expected one scale of the recipe RowWise for each matrix");
        FL_REQUIRE(b, fl_ints(b, arg + 2, swizzle, 2) <= 1 && !swizzle[0], FL_VALUE,
                   "expected scales of rows that are not swizzled");
    }
    scaled_grouped(b, 8, 9, 10, fl_list_in(b, 2, 0), fl_list_in(b, 5, 0));
}
