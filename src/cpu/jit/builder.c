/* Records of what a kernel does. They are all that a cached kernel costs: the graph is only made of a kernel that is new. */
#include "cpu/jit/graph.h"
#include "base/hash.h"

#include <string.h>

fl_jit_builder *fl_jit_begin(fl_arena *arena)
{
    fl_jit_builder *b = FL_NEW(arena, fl_jit_builder);
    if (!b) return NULL;
    b->arena = arena;
    b->target = fl_jit_target();
    b->capacity = 64;
    b->records = fl_arena_alloc(arena, b->capacity * sizeof *b->records);
    b->failed = !b->records;
    return b;
}

static fl_val append(fl_jit_builder *b, fl_jrecord r)
{
    if (b->failed) return FL_NO_VAL;
    if (b->count == b->capacity) {
        fl_jrecord *more = b->count < 32768 ? fl_arena_alloc(b->arena, 2 * b->capacity * sizeof *more) : NULL;
        if (!more) {
            b->failed = 1;
            return FL_NO_VAL;
        }
        memcpy(more, b->records, b->count * sizeof *more);
        b->records = more;
        b->capacity *= 2;
    }
    b->records[b->count] = r;
    return (fl_val)b->count++;
}

static int is_value(const fl_jit_builder *b, fl_val v)
{
    return v < b->count && b->records[v].kind != FL_JK_STORE && b->records[v].kind != FL_JK_ACCUMULATE;
}

static fl_dtype dtype_of(const fl_jit_builder *b, fl_val v)
{
    return (fl_dtype)b->records[v].dtype;
}

static int is_memory_dtype(fl_dtype t)
{
    return (t >= FL_I1 && (fl_is_int(t) || t == FL_I1) && fl_dtypes[t].bits >= 8) || t == FL_I1 ||
           t == FL_BF16 || t == FL_F16 || t == FL_F32 || t == FL_F64;
}

/* Whether values of the type can be computed with, on this target. */
static int is_lane_dtype(const fl_jit_builder *b, fl_dtype t)
{
    if (!b->target || !is_memory_dtype(t)) return 0;
    return b->target->has_i64 || (t != FL_I64 && t != FL_U64);
}

static int can_gather(const fl_jit_builder *b, fl_dtype dtype)
{
    return b->target->has_gather && fl_dtype_bytes(dtype) >= 4;
}

fl_val fl_jit_load(fl_jit_builder *b, int memory, fl_jit_access access, fl_dtype dtype)
{
    static const uint8_t levels[] = {FL_V_FULL, FL_V_FULL, FL_V_ROW, FL_V_UNIFORM, FL_V_FULL};
    if (!is_lane_dtype(b, dtype) || memory < 0 || memory > 4095) return FL_NO_VAL;
    if (access == FL_M_COUNT && dtype != FL_I32 && (dtype != FL_I64 || b->target->lacks)) return FL_NO_VAL;
    if (access == FL_M_STRIDED && !can_gather(b, dtype)) return FL_NO_VAL;
    return append(b, (fl_jrecord){.kind = FL_JK_LOAD,
                                  .dtype = (uint8_t)dtype,
                                  .aux = (uint8_t)access,
                                  .level = levels[access],
                                  .memory = (uint16_t)memory});
}

fl_val fl_jit_constant(fl_jit_builder *b, fl_dtype dtype, const void *element)
{
    if (!is_lane_dtype(b, dtype)) return FL_NO_VAL;
    fl_jrecord r = {.kind = FL_JK_CONSTANT, .dtype = (uint8_t)dtype, .level = FL_V_UNIFORM};
    memcpy(&r.u.bits, element, fl_dtype_bytes(dtype));
    return append(b, r);
}

static fl_val with_operands(fl_jit_builder *b, fl_jrecord r, const fl_val *operands, int count)
{
    for (int i = 0; i < count; i++) {
        if (!is_value(b, operands[i])) return FL_NO_VAL;
        r.u.v[i] = operands[i];
        if (b->records[operands[i]].level > r.level) r.level = b->records[operands[i]].level;
    }
    for (int i = count; i < 4; i++) r.u.v[i] = FL_NO_VAL;
    return append(b, r);
}

static fl_val load_by(fl_jit_builder *b, fl_jkind kind, int memory, fl_dtype dtype, fl_val index)
{
    if (!is_lane_dtype(b, dtype) || memory < 0 || memory > 4095 || !is_value(b, index)) return FL_NO_VAL;
    fl_dtype by = dtype_of(b, index);
    if (by != FL_I32 && by != FL_I64) return FL_NO_VAL;
    if (kind == FL_JK_LOAD_AT && !can_gather(b, dtype)) return FL_NO_VAL;
    if (kind == FL_JK_LOAD_ROW_AT && b->records[index].level == FL_V_FULL) return FL_NO_VAL;
    fl_jrecord r = {.kind = (uint8_t)kind, .dtype = (uint8_t)dtype, .memory = (uint16_t)memory};
    if (kind == FL_JK_LOAD_ROW_AT) r.level = FL_V_FULL;
    return with_operands(b, r, &index, 1);
}

fl_val fl_jit_load_row_at(fl_jit_builder *b, int memory, fl_dtype dtype, fl_val index)
{
    return load_by(b, FL_JK_LOAD_ROW_AT, memory, dtype, index);
}

fl_val fl_jit_load_at(fl_jit_builder *b, int memory, fl_dtype dtype, fl_val index)
{
    return load_by(b, FL_JK_LOAD_AT, memory, dtype, index);
}

fl_val fl_jit_op(fl_jit_builder *b, fl_opcode code, fl_dtype result, fl_compare_direction direction,
                 const fl_val *operands, int count)
{
    if (!b->target || count < 1 || count > 3 || !is_value(b, operands[count - 1])) return FL_NO_VAL;
    fl_dtype operand = dtype_of(b, operands[count - 1]);
    if (code == FL_OP_convert) return fl_jit_convert(b, operands[0], result);
    if (!fl_jit_expands(b->target, code, result, operand)) return FL_NO_VAL;
    fl_jrecord r = {
        .kind = FL_JK_OP, .dtype = (uint8_t)result, .aux = (uint8_t)direction, .code = (uint16_t)code};
    return with_operands(b, r, operands, count);
}

int fl_jit_has(fl_opcode code, fl_dtype result, fl_dtype operand)
{
    const fl_jtarget *target = fl_jit_target();
    return target && fl_jit_expands(target, code, result, operand);
}

fl_val fl_jit_convert(fl_jit_builder *b, fl_val value, fl_dtype to)
{
    if (!is_value(b, value) || !is_lane_dtype(b, to)) return FL_NO_VAL;
    if (dtype_of(b, value) == to) return value;
    return with_operands(b, (fl_jrecord){.kind = FL_JK_CONVERT, .dtype = (uint8_t)to}, &value, 1);
}

fl_val fl_jit_round(fl_jit_builder *b, fl_val f32, fl_dtype narrow)
{
    if (!is_value(b, f32) || dtype_of(b, f32) != FL_F32 || (narrow != FL_BF16 && narrow != FL_F16))
        return FL_NO_VAL;
    return with_operands(b, (fl_jrecord){.kind = FL_JK_ROUND, .dtype = FL_F32, .aux = (uint8_t)narrow}, &f32,
                         1);
}

static int is_monoid(const fl_jit_builder *b, fl_opcode code, fl_dtype dtype)
{
    int wide = (dtype == FL_I64 || dtype == FL_U64) && b->target->lacks;
    if (wide && (code == FL_OP_multiply || code == FL_OP_maximum || code == FL_OP_minimum)) return 0;
    switch (code) {
    case FL_OP_add:
    case FL_OP_multiply:
    case FL_OP_maximum:
    case FL_OP_minimum: return dtype != FL_BF16 && dtype != FL_F16;
    case FL_OP_and:
    case FL_OP_or:
    case FL_OP_xor: return !fl_is_float(dtype);
    default: return 0;
    }
}

fl_val fl_jit_reduce(fl_jit_builder *b, fl_opcode code, fl_val full)
{
    if (!is_value(b, full) || !is_monoid(b, code, dtype_of(b, full))) return FL_NO_VAL;
    fl_jrecord r = {.kind = FL_JK_REDUCE, .dtype = (uint8_t)dtype_of(b, full), .code = (uint16_t)code};
    fl_val v = with_operands(b, r, &full, 1);
    if (v != FL_NO_VAL) b->records[v].level = FL_V_ROW;
    return v;
}

int fl_jit_store(fl_jit_builder *b, int memory, fl_jit_access access, fl_val value, int order, int stream)
{
    if (!is_value(b, value) || memory < 0 || memory > 4095 || access == FL_M_COUNT) return 0;
    if (access == FL_M_STRIDED && !can_gather(b, dtype_of(b, value))) return 0;
    if ((access == FL_M_ROW || access == FL_M_UNIFORM) && b->records[value].level == FL_V_FULL) return 0;
    fl_jrecord r = {.kind = FL_JK_STORE,
                    .dtype = (uint8_t)dtype_of(b, value),
                    .aux = (uint8_t)(access + 8 * order + 32 * !!stream),
                    .memory = (uint16_t)memory};
    return with_operands(b, r, &value, 1) != FL_NO_VAL;
}

int fl_jit_accumulate(fl_jit_builder *b, int memory, fl_opcode code, fl_val value)
{
    if (!is_value(b, value) || memory < 0 || memory > 4095 || !is_monoid(b, code, dtype_of(b, value)))
        return 0;
    fl_jrecord r = {.kind = FL_JK_ACCUMULATE,
                    .dtype = (uint8_t)dtype_of(b, value),
                    .code = (uint16_t)code,
                    .memory = (uint16_t)memory};
    return with_operands(b, r, &value, 1) != FL_NO_VAL;
}
