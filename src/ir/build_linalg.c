/* Fourier transforms and linear algebra. */
#include "ir/build_internal.h"

fl_ref fl_fft(fl_builder *b, fl_ref x, fl_fft_type type, const int64_t *lengths, uint32_t count)
{
    fl_attr attrs[] = {ATTR_INT(fft_type, type), ATTR_INTS(fft_length, lengths, count)};
    return fl_build(b, FL_OP_fft, &x, 1, attrs, 2, NULL, 0);
}

fl_ref fl_cholesky(fl_builder *b, fl_ref x, int lower)
{
    fl_attr attr = ATTR_INT(lower, lower);
    return fl_build(b, FL_OP_cholesky, &x, 1, &attr, 1, NULL, 0);
}

fl_ref fl_triangular_solve(fl_builder *b, fl_ref a, fl_ref rhs, fl_triangle triangle)
{
    fl_ref operands[] = {a, rhs};
    fl_attr attrs[] = {ATTR_INT(left_side, !triangle.right), ATTR_INT(lower, triangle.lower),
                       ATTR_INT(unit_diagonal, triangle.unit), ATTR_INT(transpose_a, triangle.transpose)};
    return fl_build(b, FL_OP_triangular_solve, operands, 2, attrs, 4, NULL, 0);
}
