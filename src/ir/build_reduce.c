#include "ir/build_internal.h"

fl_ref fl_identity(fl_builder *b, fl_opcode code, fl_dtype dtype)
{
    switch (code) {
    case FL_OP_add: return fl_scalar_i(b, dtype, 0);
    case FL_OP_multiply: return fl_scalar_i(b, dtype, 1);
    case FL_OP_maximum: return fl_min_value(b, dtype);
    case FL_OP_minimum: return fl_max_value(b, dtype);
    case FL_OP_and: return fl_scalar_i(b, dtype, -1); /* true, or all ones */
    case FL_OP_or:
    case FL_OP_xor: return fl_scalar_i(b, dtype, 0);
    default: break;
    }
    fl_builder_fail(b, fl_error(FL_INTERNAL, "expected a reduction, got %s", fl_op_infos[code].name));
    return FL_NO_REF;
}

fl_block *fl_scalar_region(fl_builder *b, fl_opcode code, fl_dtype dtype)
{
    fl_type scalar = fl_type_make(dtype, 0, NULL), args[] = {scalar, scalar};
    fl_block *region = fl_region_begin(b, args, 2);
    fl_ref operands[] = {fl_block_arg(region, 0), fl_block_arg(region, 1)};
    fl_ref result = code == FL_OP_NONE ? operands[1] : fl_build_plain(b, code, operands, 2);
    fl_region_end(b, region, &result, 1);
    return region;
}

fl_ref fl_reduce(fl_builder *b, fl_opcode code, fl_ref x, const int64_t *dims, uint32_t count, int keepdim)
{
    fl_type t = *fl_typeof(b, x);
    int64_t sorted[FL_MAX_RANK];
    uint32_t set = 0, n = 0;
    for (uint32_t i = 0; i < count; i++) {
        int dim = fl_wrap_dim(b, dims[i], t.rank);
        if (!b->status && set >> dim & 1)
            fl_builder_fail(b,
                            fl_error(FL_INVALID, "dim %d appears multiple times in the list of dims", dim));
        set |= 1u << dim;
    }
    if (b->status) return FL_NO_REF;
    for (int i = 0; i < t.rank; i++) {
        if (!(set >> i & 1)) continue;
        sorted[n++] = i;
        t.dims[i] = 1;
    }
    if (!n) return x;
    fl_ref operands[] = {x, fl_identity(b, code, (fl_dtype)t.dtype)};
    fl_block *region = fl_scalar_region(b, code, (fl_dtype)t.dtype);
    fl_attr attr = ATTR_INTS(dimensions, sorted, n);
    fl_ref r = fl_build(b, FL_OP_reduce, operands, 2, &attr, 1, &region, 1);
    return keepdim ? fl_reshape(b, r, t.rank, t.dims) : r;
}

fl_ref fl_reduce_all(fl_builder *b, fl_opcode code, fl_ref x)
{
    int64_t dims[FL_MAX_RANK];
    int rank = fl_rank(b, x);
    for (int i = 0; i < rank; i++) dims[i] = i;
    return fl_reduce(b, code, x, dims, (uint32_t)rank, 0);
}

fl_ref fl_reduce_dim(fl_builder *b, fl_opcode code, fl_ref x, int dim, int keepdim)
{
    int64_t one = dim;
    return fl_reduce(b, code, x, &one, 1, keepdim);
}

fl_ref fl_reduce_window(fl_builder *b, fl_opcode code, fl_ref x, const int64_t *window,
                        const int64_t *strides, const int64_t *padding, const int64_t *base_dilations,
                        const int64_t *window_dilations)
{
    int rank = fl_rank(b, x);
    fl_dtype dtype = fl_dtypeof(b, x);
    fl_ref operands[] = {x, fl_identity(b, code, dtype)};
    fl_block *region = fl_scalar_region(b, code, dtype);
    fl_attr attrs[5] = {ATTR_INTS(window_dimensions, window, rank)};
    uint32_t n = 1;
    if (strides) attrs[n++] = ATTR_INTS(window_strides, strides, rank);
    if (padding) attrs[n++] = ATTR_INTS(padding, padding, 2 * rank);
    if (base_dilations) attrs[n++] = ATTR_INTS(base_dilations, base_dilations, rank);
    if (window_dilations) attrs[n++] = ATTR_INTS(window_dilations, window_dilations, rank);
    return fl_build(b, FL_OP_reduce_window, operands, 2, attrs, n, &region, 1);
}

fl_ref fl_cumulative(fl_builder *b, fl_opcode code, fl_ref x, int dim)
{
    int rank = fl_rank(b, x);
    int64_t window[FL_MAX_RANK], padding[2 * FL_MAX_RANK] = {0};
    dim = fl_wrap_dim(b, dim, rank);
    if (b->status || !rank || fl_dim(b, x, dim) < 2) return x;
    for (int i = 0; i < rank; i++) window[i] = 1;
    window[dim] = fl_dim(b, x, dim);
    padding[2 * dim] = window[dim] - 1;
    return fl_reduce_window(b, code, x, window, NULL, padding, NULL, NULL);
}

fl_ref fl_select_and_scatter(fl_builder *b, fl_compare_direction select, fl_ref operand, fl_ref source,
                             const int64_t *window, const int64_t *strides, const int64_t *padding)
{
    int rank = fl_rank(b, operand);
    fl_dtype dtype = fl_dtypeof(b, operand);
    fl_type scalar = fl_type_make(dtype, 0, NULL), args[] = {scalar, scalar};
    fl_ref operands[] = {operand, source, fl_scalar_i(b, dtype, 0)};
    fl_block *regions[2] = {fl_region_begin(b, args, 2), NULL};
    fl_ref chosen = fl_compare(b, select, fl_block_arg(regions[0], 0), fl_block_arg(regions[0], 1));
    fl_region_end(b, regions[0], &chosen, 1);
    regions[1] = fl_scalar_region(b, FL_OP_add, dtype);
    fl_attr attrs[3] = {ATTR_INTS(window_dimensions, window, rank)};
    uint32_t n = 1;
    if (strides) attrs[n++] = ATTR_INTS(window_strides, strides, rank);
    if (padding) attrs[n++] = ATTR_INTS(padding, padding, 2 * rank);
    return fl_build(b, FL_OP_select_and_scatter, operands, 3, attrs, n, regions, 2);
}
