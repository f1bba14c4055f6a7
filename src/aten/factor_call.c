/* Custom calls of factorizations. Where XLA's compilers know a call by a name of their own (Qr, Eigh ...) that one is written;
 * others are LAPACK's under the names, and with the layouts, that JAX's programs for CPUs have. */
#include "aten/linalg.h"

#include <stdio.h>
#include <string.h>

enum { MOST_ARRAYS = 8, MOST_OPTIONS = 4 };

fl_type fl_batch_type(fl_builder *b, fl_ref like, fl_dtype dtype, int inner, int64_t rows, int64_t columns)
{
    int64_t dims[FL_MAX_RANK];
    const int batch = fl_get_dims(b, like, dims) - 2;
    if (batch < 0) return fl_type_make(dtype, 0, NULL);
    if (inner) dims[batch] = rows;
    if (inner > 1) dims[batch + 1] = columns;
    return fl_type_make(dtype, batch + inner, dims);
}

/* By columns for matrices, as LAPACK wants them. `batch`: dims that are in front. */
static fl_literal layout_of(const fl_type *type, int batch, int64_t *room)
{
    const int rank = type->rank;
    for (int i = 0; i < rank; i++) room[i] = rank - 1 - i;
    if (rank - batch == 2) room[0] = rank - 2, room[1] = rank - 1;
    return (fl_literal){.kind = FL_LIT_INTS, .dtype = FL_I64, .count = (uint32_t)rank, .u.ints = room};
}

fl_ref fl_call_xla(fl_builder *b, const char *target, const char *config, const fl_ref *in, uint32_t ins,
                   const fl_type *out, uint32_t outs)
{
    const fl_literal text = {.kind = FL_LIT_STRING, .count = (uint32_t)strlen(config), .u.string = config};
    const fl_attr attrs[] = {
        {.key = FL_ATTR_call_target_name, .count = (uint32_t)strlen(target), .u.string = target},
        {.key = FL_ATTR_backend_config, .u.literal = &text}};
    return fl_build_typed(b, FL_OP_custom_call, in, ins, attrs, *config ? 2 : 1, NULL, 0, out, outs);
}

fl_ref fl_call_lapack(fl_builder *b, const char *name, const fl_option *options, uint32_t count,
                      const fl_ref *in, uint32_t ins, const fl_type *out, uint32_t outs)
{
    if (!fl_ok(b)) return FL_NO_REF;
    const fl_type first = *fl_typeof(b, in[0]);
    const char letter = first.dtype == FL_F32   ? 's'
                        : first.dtype == FL_F64 ? 'd'
                        : first.dtype == FL_C64 ? 'c'
                                                : 'z';
    const int batch = first.rank - 2;
    char target[64];
    snprintf(target, sizeof target, "lapack_%c%s_ffi", letter, name);
    fl_entry entries[MOST_OPTIONS];
    for (uint32_t i = 0; i < count; i++)
        entries[i] =
            (fl_entry){options[i].name, {.kind = FL_LIT_INT, .dtype = FL_U8, .u.i = options[i].value}};
    int64_t rooms[2 * MOST_ARRAYS][FL_MAX_RANK];
    fl_literal given[MOST_ARRAYS], made[MOST_ARRAYS];
    for (uint32_t i = 0; i < ins; i++) given[i] = layout_of(fl_typeof(b, in[i]), batch, rooms[i]);
    for (uint32_t i = 0; i < outs; i++) made[i] = layout_of(&out[i], batch, rooms[MOST_ARRAYS + i]);
    const fl_literal config = {.kind = FL_LIT_DICT, .count = count, .u.entries = entries},
                     operands = {.kind = FL_LIT_ARRAY, .count = ins, .u.items = given},
                     results = {.kind = FL_LIT_ARRAY, .count = outs, .u.items = made};
    const fl_attr attrs[] = {
        {.key = FL_ATTR_call_target_name, .count = (uint32_t)strlen(target), .u.string = target},
        {.key = FL_ATTR_backend_config, .u.literal = &config},
        {.key = FL_ATTR_api_version, .u.i = FL_API_TYPED_FFI},
        {.key = FL_ATTR_operand_layouts, .u.literal = &operands},
        {.key = FL_ATTR_result_layouts, .u.literal = &results}};
    return fl_build_typed(b, FL_OP_custom_call, in, ins, attrs, 5, NULL, 0, out, outs);
}
