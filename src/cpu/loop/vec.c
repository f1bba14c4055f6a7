#include "cpu/loop/vec.h"

#include <string.h>

/* Tables by (opcode, dtype), filled once from the rows of the level in use. */
typedef struct finder {
    fl_vec_forms forms[FL_OPCODE_COUNT][FL_DTYPE_COUNT];
    fl_vec_fn reduces[FL_OPCODE_COUNT][FL_DTYPE_COUNT];
    fl_vec_forms compares[6][FL_DTYPE_COUNT];
} finder;
static finder table;

static void enter(const fl_vec_table *rows)
{
    for (uint32_t i = 0; i < rows->count; i++)
        table.forms[rows->rows[i].code][rows->rows[i].dtype] = rows->rows[i].forms;
}

__attribute__((constructor)) static void fill(void)
{
    enter(&fl_vec_rare);
    enter(FL_ISA_PICK(fl_vec_ints));
    enter(FL_ISA_PICK(fl_vec_floats));
    enter(FL_ISA_PICK(fl_vec_maths));
    const fl_vec_table *reduces = FL_ISA_PICK(fl_vec_reduces);
    for (uint32_t i = 0; i < reduces->count; i++)
        table.reduces[reduces->rows[i].code][reduces->rows[i].dtype] = reduces->rows[i].forms.vv;
    const fl_vec_compare_row *compares = FL_ISA_PICK(fl_vec_compares);
    for (int i = 0; i < 11; i++)
        for (int d = 0; d < 6; d++) table.compares[d][compares[i].dtype] = compares[i].directions[d];
}

fl_vec_forms fl_vec_find(fl_opcode code, fl_dtype dtype)
{
    return table.forms[code][dtype];
}

fl_vec_forms fl_vec_find_compare(fl_compare_direction direction, fl_dtype dtype)
{
    return table.compares[direction][dtype];
}

fl_vec_fn fl_vec_find_reduce(fl_opcode code, fl_dtype dtype)
{
    return table.reduces[code][dtype];
}

const fl_vec_moves *fl_vec_find_moves(void)
{
    return FL_ISA_PICK(fl_vec_moves);
}

#define IOTA(D, T)                                                                                           \
    case FL_##D:                                                                                             \
        for (int64_t i = 0; i < n; i++) ((T *)out)[i] = (T)(start + i * step);                               \
        break;

void fl_vec_iota(fl_dtype dtype, void *out, int64_t start, int64_t step, int64_t n)
{
    switch (dtype) {
        IOTA(I8, int8_t)
        IOTA(I16, int16_t)
        IOTA(I32, int32_t)
        IOTA(I64, int64_t)
        IOTA(U8, uint8_t)
        IOTA(U16, uint16_t)
        IOTA(U32, uint32_t)
        IOTA(U64, uint64_t)
        IOTA(F32, float)
        IOTA(F64, double)
    case FL_I1:
        for (int64_t i = 0; i < n; i++) ((uint8_t *)out)[i] = start + i * step != 0;
        break;
    case FL_C64:
        for (int64_t i = 0; i < n; i++)
            ((float *)out)[2 * i] = (float)(start + i * step), ((float *)out)[2 * i + 1] = 0;
        break;
    case FL_C128:
        for (int64_t i = 0; i < n; i++)
            ((double *)out)[2 * i] = (double)(start + i * step), ((double *)out)[2 * i + 1] = 0;
        break;
    default: break;
    }
}
