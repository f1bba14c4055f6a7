/* ragged_all_to_all, a custom call of JAX. Operands: data, the result's first state, and for each slice where it starts in the
 * sender's data, how many rows it has, where it starts in the receiver's result, and how many rows come back. As many slices
 * go to every member of the group, in its order. */
#include "ref/interp.h"

enum { RAGGED_DATA, RAGGED_OUTPUT, RAGGED_FROM, RAGGED_SIZES, RAGGED_TO, RAGGED_OPERANDS = 6 };

static fl_status check_ragged(const fl_program *program, const fl_op *op, uint32_t count)
{
    FL_CHECK(op->operand_count == RAGGED_OPERANDS && op->result_count == 1, FL_INVALID,
             "ragged_all_to_all: expected 6 operands and a result");
    const fl_type *data = fl_type_of(program, op->operands[RAGGED_DATA]);
    const fl_type *out = fl_type_of(program, op->operands[RAGGED_OUTPUT]);
    const fl_type *slices = fl_type_of(program, op->operands[RAGGED_FROM]);
    int fits = data->rank > 0 && data->rank == out->rank && data->dtype == out->dtype &&
               fl_type_equal(out, fl_type_of(program, op->first_result)) && slices->rank == 1 &&
               slices->dims[0] % count == 0;
    for (int d = 1; fits && d < data->rank; d++) fits = data->dims[d] == out->dims[d];
    for (uint32_t k = RAGGED_FROM; fits && k < RAGGED_OPERANDS; k++) {
        const fl_type *type = fl_type_of(program, op->operands[k]);
        fl_kind kind = fl_dtype_kind((fl_dtype)type->dtype);
        fits = type->rank == 1 && type->dims[0] == slices->dims[0] &&
               (kind == FL_KIND_INT || kind == FL_KIND_UINT);
    }
    FL_CHECK(fits, FL_INVALID,
             "ragged_all_to_all: expected rows of one size, and as many slices for each of %u members",
             count);
    return NULL;
}

fl_status fl_ragged_all_to_all(const fl_program *program, const fl_op *op, const void *const *const *members,
                               uint32_t count, uint32_t self, void *result)
{
    FL_TRY(check_ragged(program, op, count));
    const fl_type *data = fl_type_of(program, op->operands[RAGGED_DATA]);
    const fl_type *out = fl_type_of(program, op->first_result);
    const fl_type *type[RAGGED_OPERANDS];
    for (uint32_t k = 0; k < RAGGED_OPERANDS; k++) type[k] = fl_type_of(program, op->operands[k]);
    int64_t each = type[RAGGED_FROM]->dims[0] / count;
    size_t row = fl_dtype_bytes((fl_dtype)data->dtype);
    for (int d = 1; d < data->rank; d++) row *= (size_t)data->dims[d];
    fl_move_bytes(result, members[self][RAGGED_OUTPUT], fl_type_bytes(out));
    for (uint32_t m = 0; m < count; m++)
        for (int64_t i = self * each; i < (self + 1) * each; i++) {
            int64_t at[RAGGED_OPERANDS];
            for (uint32_t k = RAGGED_FROM; k <= RAGGED_TO; k++)
                at[k] = fl_scalar_load((fl_dtype)type[k]->dtype, members[m][k], i).i;
            int64_t from = at[RAGGED_FROM], rows = at[RAGGED_SIZES], to = at[RAGGED_TO];
            FL_CHECK(rows >= 0 && from >= 0 && from <= data->dims[0] && rows <= data->dims[0] - from &&
                         to >= 0 && to <= out->dims[0] && rows <= out->dims[0] - to,
                     FL_INVALID,
                     "ragged_all_to_all: expected a slice within %lld rows that fits into %lld, got %lld "
                     "rows from %lld "
                     "to %lld",
                     (long long)data->dims[0], (long long)out->dims[0], (long long)rows, (long long)from,
                     (long long)to);
            fl_move_bytes((char *)result + (size_t)to * row,
                          (const char *)members[m][RAGGED_DATA] + (size_t)from * row, (size_t)rows * row);
        }
    return NULL;
}
