#include "ir/build_internal.h"

static fl_ref unary(fl_builder *b, fl_opcode code, fl_ref x)
{
    return fl_build_plain(b, code, &x, 1);
}

/* A 0-d value takes the dimensions of `like`. */
static fl_ref widen(fl_builder *b, fl_ref x, fl_ref like)
{
    if (b->status || fl_rank(b, x) || !fl_rank(b, like)) return x;
    return fl_broadcast_like(b, x, like);
}

static fl_ref binary(fl_builder *b, fl_opcode code, fl_ref x, fl_ref y)
{
    fl_ref operands[] = {widen(b, x, y), widen(b, y, x)};
    return fl_build_plain(b, code, operands, 2);
}

#define X(short_name, op)                                                                                    \
    fl_ref fl_##short_name(fl_builder *b, fl_ref x)                                                          \
    {                                                                                                        \
        return unary(b, FL_OP_##op, x);                                                                      \
    }
FL_UNARY_OPS(X)
#undef X

#define X(short_name, op)                                                                                    \
    fl_ref fl_##short_name(fl_builder *b, fl_ref x, fl_ref y)                                                \
    {                                                                                                        \
        return binary(b, FL_OP_##op, x, y);                                                                  \
    }
FL_BINARY_OPS(X)
#undef X

fl_ref fl_compare(fl_builder *b, fl_compare_direction direction, fl_ref x, fl_ref y)
{
    fl_ref operands[] = {widen(b, x, y), widen(b, y, x)};
    fl_attr attr = ATTR_INT(comparison_direction, direction);
    return fl_build(b, FL_OP_compare, operands, 2, &attr, 1, NULL, 0);
}

fl_ref fl_select(fl_builder *b, fl_ref condition, fl_ref on_true, fl_ref on_false)
{
    on_true = widen(b, on_true, on_false);
    on_false = widen(b, on_false, on_true);
    fl_ref operands[] = {condition, widen(b, on_true, condition), widen(b, on_false, condition)};
    return fl_build_plain(b, FL_OP_select, operands, 3);
}

fl_ref fl_clamp(fl_builder *b, fl_ref low, fl_ref x, fl_ref high)
{
    fl_ref operands[] = {low, x, high};
    return fl_build_plain(b, FL_OP_clamp, operands, 3);
}

fl_ref fl_cast(fl_builder *b, fl_ref x, fl_dtype dtype)
{
    if (b->status || fl_dtypeof(b, x) == dtype) return x;
    fl_type type = *fl_typeof(b, x);
    /* convert looks at the real part alone */
    if (dtype == FL_I1 && fl_is_complex((fl_dtype)type.dtype)) return fl_compare(b, FL_NE, x, fl_full_like(b, x, 0));
    type.dtype = (uint8_t)dtype;
    return fl_build_typed(b, FL_OP_convert, &x, 1, NULL, 0, NULL, 0, &type, 1);
}

fl_ref fl_bitcast(fl_builder *b, fl_ref x, fl_dtype dtype)
{
    if (b->status || fl_dtypeof(b, x) == dtype) return x;
    fl_type type = *fl_typeof(b, x);
    int from = fl_dtypes[type.dtype].bits, to = fl_dtypes[dtype].bits;
    type.dtype = (uint8_t)dtype;
    if (from > to && type.rank < FL_MAX_RANK) type.dims[type.rank++] = from / to;
    if (from < to && type.rank) type.dims[--type.rank] = 0;
    return fl_build_typed(b, FL_OP_bitcast_convert, &x, 1, NULL, 0, NULL, 0, &type, 1);
}

fl_ref fl_is_nan(fl_builder *b, fl_ref x)
{
    return fl_compare(b, FL_NE, x, x);
}
