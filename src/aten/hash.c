/* Exclusive or of the bits of elements: of floating numbers as f64, of integers as 64 bits. */
#include "aten/shapes.h"
#include "aten/table.h"

/* self, dim, keepdim, mode */
FL_LOWER(hash_tensor)
{
    fl_ref x = fl_in(b, 0);
    int64_t sizes[FL_MAX_RANK], dims[FL_MAX_RANK];
    const int rank = fl_get_dims(b, x, sizes), keep = fl_bool(b, 2);
    const uint32_t count = fl_dims(b, 1, rank, dims);
    FL_REQUIRE(b, fl_int(b, 3) == 0, FL_INVALID, "Unknown hash_tensor mode: %lld", (long long)fl_int(b, 3));
    if (fl_ok(b) && fl_is_complex(fl_dtypeof(b, x))) fl_unsupported(b, "hashes of complex numbers");
    fl_ref bits = fl_is_float(fl_dtypeof(b, x)) ? fl_bitcast(b, fl_cast(b, x, FL_F64), FL_U64)
                                                : fl_bitcast(b, fl_cast(b, x, FL_I64), FL_U64);
    if (!fl_ok(b)) return;
    const fl_type scalar = fl_type_make(FL_U64, 0, NULL), args[] = {scalar, scalar};
    fl_block *region = fl_region_begin(b, args, 2);
    fl_ref mixed = fl_xor(b, fl_block_arg(region, 0), fl_block_arg(region, 1));
    fl_region_end(b, region, &mixed, 1);
    const fl_attr which = {.key = FL_ATTR_dimensions, .count = count, .u.ints = dims};
    fl_ref hash = bits;
    if (count)
        hash =
            fl_build(b, FL_OP_reduce, (fl_ref[]){bits, fl_scalar_i(b, FL_U64, 0)}, 2, &which, 1, &region, 1);
    if (keep) {
        for (uint32_t i = 0; i < count; i++) sizes[dims[i]] = 1;
        hash = fl_reshape(b, hash, rank, sizes);
    }
    fl_emit(b, hash);
}
