/* Conversions between element types, with StableHLO's meaning; out of range numbers become the nearest integer, NaN 0. */
#include "cpu/jit/graph.h"
#include "cpu/loop/vec.h"

#include <string.h>

static uint16_t masked(fl_jgraph *g, uint16_t v, int bits)
{
    return fl_j2(g, FL_J_AND, FL_T_I32, 0, v, fl_ji32(g, (1 << bits) - 1));
}

/* Nearest even; NaN becomes quiet. */
static uint16_t bf16_bits(fl_jgraph *g, uint16_t x)
{
    uint16_t u = fl_j1(g, FL_J_BITS, FL_T_I32, 0, x);
    uint16_t odd = fl_j2(g, FL_J_AND, FL_T_I32, 0, fl_j1(g, FL_J_SHRI, FL_T_I32, 16, u), fl_ji32(g, 1));
    uint16_t rounded =
        fl_j2(g, FL_J_IADD, FL_T_I32, 0, fl_j2(g, FL_J_IADD, FL_T_I32, 0, u, odd), fl_ji32(g, 0x7fff));
    uint16_t nan = fl_j2(g, FL_J_FCMP, FL_T_MASK, 3, x, x);
    uint16_t quiet = fl_j2(g, FL_J_OR, FL_T_I32, 0, u, fl_ji32(g, 0x400000));
    return fl_j3(g, FL_J_SELECT, FL_T_I32, nan, quiet, rounded);
}

static uint16_t round_narrow(fl_jgraph *g, uint16_t x, fl_dtype narrow)
{
    if (narrow == FL_F16) return fl_j1(g, FL_J_F16_F32, FL_T_F32, 0, fl_j1(g, FL_J_F32_F16, FL_T_I32, 0, x));
    uint16_t top = fl_j2(g, FL_J_AND, FL_T_I32, 0, bf16_bits(g, x), fl_ji32(g, (int32_t)0xffff0000));
    return fl_j1(g, FL_J_BITS, FL_T_F32, 0, top);
}

/* A conversion between lanes: by an instruction, or where there is none by the tile path's function. */
static uint16_t lanes(fl_jgraph *g, fl_jop op, fl_jtype type, uint16_t v, fl_dtype from, fl_dtype to)
{
    if (!g->target->lacks || !(g->target->lacks[op] >> type & 1)) return fl_j1(g, op, type, 0, v);
    fl_vec_fn fn = fl_vec_find_moves()->convert[from][to];
    fl_jnode n = {.op = FL_J_CALL1, .type = (uint8_t)type, .v = {v}};
    memcpy(&n.bits, &fn, sizeof fn);
    return fl_jgraph_add(g, n);
}

/* To f32 or f64. */
static uint16_t to_float(fl_jgraph *g, uint16_t v, fl_dtype from, fl_dtype to)
{
    int wide = to == FL_F64, without = fl_dtype_kind(from) == FL_KIND_UINT && fl_dtypes[from].bits >= 32;
    fl_jtype t = wide ? FL_T_F64 : FL_T_F32;
    switch (from) {
    case FL_I1:
        return fl_j3(g, FL_J_SELECT, t, v, wide ? fl_jf64(g, 1) : fl_jf32(g, 1),
                     wide ? fl_jf64(g, 0) : fl_jf32(g, 0));
    case FL_BF16: v = fl_j1(g, FL_J_BITS, FL_T_F32, 0, fl_j1(g, FL_J_SHLI, FL_T_I32, 16, v)); break;
    case FL_F16: v = fl_j1(g, FL_J_F16_F32, FL_T_F32, 0, v); break;
    case FL_F32: break;
    case FL_F64: return wide ? v : fl_j1(g, FL_J_F64_F32, t, 0, v);
    case FL_I64:
    case FL_U64:
        return lanes(g,
                     without ? (wide ? FL_J_U64_F64 : FL_J_U64_F32)
                     : wide  ? FL_J_S64_F64
                             : FL_J_S64_F32,
                     t, v, from, wide ? FL_F64 : FL_F32);
    default:
        return lanes(g,
                     without ? (wide ? FL_J_U32_F64 : FL_J_U32_F32)
                     : wide  ? FL_J_S32_F64
                             : FL_J_S32_F32,
                     t, v, without ? FL_U32 : FL_I32, wide ? FL_F64 : FL_F32);
    }
    return wide ? fl_j1(g, FL_J_F32_F64, t, 0, v) : v;
}

static double limit(fl_dtype t, int high)
{
    int bits = fl_dtypes[t].bits, without = fl_dtype_kind(t) == FL_KIND_UINT;
    double top = (double)(1ull << (bits - 1)) * (without ? 2 : 1);
    return high ? top : without ? 0 : -top;
}

/* v is f32 or f64. */
static uint16_t float_to_int(fl_jgraph *g, uint16_t v, fl_dtype from, fl_dtype to)
{
    int wide = from == FL_F64, long_result = fl_dtypes[to].bits == 64,
        without = fl_dtype_kind(to) == FL_KIND_UINT;
    fl_jtype t = wide ? FL_T_F64 : FL_T_F32, r = long_result ? FL_T_I64 : FL_T_I32;
    int exact = without && fl_dtypes[to].bits >= 32; /* the conversion itself is unsigned */
    fl_jop op = long_result ? (wide      ? (without ? FL_J_F64_U64 : FL_J_F64_S64)
                               : without ? FL_J_F32_U64
                                         : FL_J_F32_S64)
                            : (wide    ? (exact ? FL_J_F64_U32 : FL_J_F64_S32)
                               : exact ? FL_J_F32_U32
                                       : FL_J_F32_S32);
    if (g->target->lacks && g->target->lacks[op] >> r & 1) return lanes(g, op, r, v, from, to);
    double low = limit(to, 0), high = limit(to, 1);
    uint16_t lowest = wide ? fl_jf64(g, low) : fl_jf32(g, (float)low);
    uint16_t above = wide ? fl_jf64(g, high) : fl_jf32(g, (float)high);
    uint16_t n = fl_j1(g, op, r, 0, fl_j2(g, FL_J_FMAX, t, 0, lowest, v));
    uint64_t most = fl_dtypes[to].bits == 64 ? (without ? ~0ull : ~0ull >> 1) : (uint64_t)(high - 1);
    uint16_t over = fl_j2(g, FL_J_FCMP, FL_T_MASK, 13, v, above); /* v >= high */
    n = fl_j3(g, FL_J_SELECT, r, over, fl_jconst(g, r, r == FL_T_I32 ? (uint32_t)most : most), n);
    uint16_t number = fl_j2(g, FL_J_FCMP, FL_T_MASK, 7, v, v);
    return fl_j3(g, FL_J_SELECT, r, number, n, fl_jconst(g, r, 0));
}

static uint16_t int_to_int(fl_jgraph *g, uint16_t v, fl_dtype from, fl_dtype to)
{
    int a = fl_dtypes[from].bits, b = fl_dtypes[to].bits, signed_to = fl_dtype_kind(to) != FL_KIND_UINT;
    if (b == 64) {
        if (a == 64) return v;
        return fl_j1(g, fl_dtype_kind(from) == FL_KIND_UINT ? FL_J_U32_U64 : FL_J_S32_S64, FL_T_I64, 0, v);
    }
    if (a == 64) v = fl_j1(g, FL_J_I64_I32, FL_T_I32, 0, v);
    if (b == 32 || (a < b && (fl_dtype_kind(from) == FL_KIND_UINT || signed_to))) return v;
    if (!signed_to) return masked(g, v, b);
    return fl_j1(g, FL_J_SARI, FL_T_I32, 32 - b, fl_j1(g, FL_J_SHLI, FL_T_I32, 32 - b, v));
}

uint16_t fl_jconvert(fl_jgraph *g, uint16_t v, fl_dtype from, fl_dtype to)
{
    if (from == to) return v;
    if (fl_is_float(to)) {
        if (to == FL_F64) return to_float(g, v, from, to);
        if (to != FL_F32 && fl_is_int(from) &&
            fl_dtypes[from].bits >= 32) { /* f32 would round a first time */
            v = to_float(g, v, from, FL_F64);
            from = FL_F64;
        }
        if (from == FL_F64 &&
            to !=
                FL_F32) { /* f64 to a narrow type by way of f32, rounded to odd so that only the last step rounds */
            uint16_t f = fl_j1(g, FL_J_F64_F32, FL_T_F32, 0, v),
                     back = fl_j1(g, FL_J_F32_F64, FL_T_F64, 0, f);
            uint16_t bits = fl_j1(g, FL_J_BITS, FL_T_I32, 0, f);
            uint16_t away = fl_j2(g, FL_J_FCMP, FL_T_MASK, 14,
                                  fl_j2(g, FL_J_AND, FL_T_F64, 0, back, fl_jconst(g, FL_T_F64, ~0ull >> 1)),
                                  fl_j2(g, FL_J_AND, FL_T_F64, 0, v, fl_jconst(g, FL_T_F64, ~0ull >> 1)));
            uint16_t less = fl_j3(g, FL_J_SELECT, FL_T_I32, away,
                                  fl_j2(g, FL_J_ISUB, FL_T_I32, 0, bits, fl_ji32(g, 1)), bits);
            uint16_t inexact = fl_j2(g, FL_J_FCMP, FL_T_MASK, 12, back, v);
            v = fl_j3(g, FL_J_SELECT, FL_T_I32, inexact, fl_j2(g, FL_J_OR, FL_T_I32, 0, less, fl_ji32(g, 1)),
                      bits);
            v = fl_j1(g, FL_J_BITS, FL_T_F32, 0, v);
        } else {
            v = to_float(g, v, from, FL_F32);
        }
        if (to == FL_F16) return fl_j1(g, FL_J_F32_F16, FL_T_I32, 0, v);
        if (to == FL_BF16) return fl_j1(g, FL_J_SHRI, FL_T_I32, 16, bf16_bits(g, v));
        return v;
    }
    if (from == FL_BF16 || from == FL_F16) {
        v = to_float(g, v, from, FL_F32);
        from = FL_F32;
    }
    if (to == FL_I1) {
        if (fl_is_float(from)) /* NaN is not zero */
            return fl_j2(g, FL_J_FCMP, FL_T_MASK, 4, v, from == FL_F64 ? fl_jf64(g, 0) : fl_jf32(g, 0));
        return fl_j2(g, FL_J_SCMP, FL_T_MASK, 4, v, fl_jconst(g, fl_jtype_of(from), 0));
    }
    if (from == FL_I1) {
        fl_jtype t = fl_jtype_of(to);
        return fl_j3(g, FL_J_SELECT, t, v, fl_jconst(g, t, 1), fl_jconst(g, t, 0));
    }
    return fl_is_float(from) ? float_to_int(g, v, from, to) : int_to_int(g, v, from, to);
}

/* --- records --- */

/* Offsets of a vector's lanes in a strided operand. */
static uint16_t offsets(fl_jgraph *g, uint16_t memory)
{
    uint16_t lanes = fl_jgraph_add(g, (fl_jnode){.op = FL_J_LANES, .type = FL_T_I32});
    uint16_t step = fl_jgraph_add(g, (fl_jnode){.op = FL_J_STEP, .type = FL_T_I32, .memory = memory});
    return fl_j2(g, FL_J_IMUL, FL_T_I32, 0, lanes, step);
}

static uint16_t load(fl_jgraph *g, const fl_jrecord *r, uint16_t index)
{
    fl_dtype dtype = (fl_dtype)r->dtype;
    fl_jnode n = {.op = FL_J_LOAD,
                  .type = (uint8_t)fl_jtype_of(dtype),
                  .level = r->level,
                  .memory = r->memory,
                  .dtype = r->dtype,
                  .access = r->aux};
    if (r->kind == FL_JK_LOAD_AT) n.op = FL_J_LOAD_AT, n.level = FL_V_UNIFORM, n.v[0] = index;
    if (r->kind == FL_JK_LOAD_ROW_AT) n.op = FL_J_LOAD_ROW_AT, n.v[0] = index;
    if (r->kind == FL_JK_LOAD && r->aux == FL_M_STRIDED)
        n.op = FL_J_LOAD_STRIDED, n.v[0] = offsets(g, r->memory);
    if (r->kind != FL_JK_LOAD || r->aux != FL_M_COUNT) return fl_jgraph_add(g, n);
    fl_jtype t = (fl_jtype)n.type;
    n.op = FL_J_COUNT, n.level = FL_V_ROW;
    uint16_t start = fl_jgraph_add(g, n);
    n.op = FL_J_STEP, n.level = FL_V_UNIFORM;
    uint16_t step = fl_jgraph_add(g, n);
    uint16_t column = fl_jgraph_add(g, (fl_jnode){.op = FL_J_COLUMN, .type = (uint8_t)t, .level = FL_V_FULL});
    return fl_j2(g, FL_J_IADD, t, 0, start, fl_j2(g, FL_J_IMUL, t, 0, column, step));
}

/* Reductions of narrow integers and of booleans are done in i32. */
static uint16_t reduce(fl_jgraph *g, fl_opcode code, fl_dtype dtype, uint16_t v)
{
    if (dtype == FL_I1) {
        v = fl_jconvert(g, v, FL_I1, FL_I32);
        fl_opcode as = code == FL_OP_add || code == FL_OP_maximum        ? FL_OP_or
                       : code == FL_OP_multiply || code == FL_OP_minimum ? FL_OP_and
                                                                         : code;
        return fl_jconvert(g, reduce(g, as, FL_I32, v), FL_I32, FL_I1);
    }
    int real = fl_is_float(dtype), without = fl_dtype_kind(dtype) == FL_KIND_UINT;
    fl_jop op = FL_J_AND;
    switch (code) {
    case FL_OP_add: op = real ? FL_J_FADD : FL_J_IADD; break;
    case FL_OP_multiply: op = real ? FL_J_FMUL : FL_J_IMUL; break;
    case FL_OP_maximum: op = real ? FL_J_FMAX : without ? FL_J_UMAX : FL_J_SMAX; break;
    case FL_OP_minimum: op = real ? FL_J_FMIN : without ? FL_J_UMIN : FL_J_SMIN; break;
    case FL_OP_or: op = FL_J_OR; break;
    case FL_OP_xor: op = FL_J_XOR; break;
    default: break;
    }
    fl_jtype t = fl_jtype_of(dtype);
    uint16_t r = fl_jgraph_add(
        g, (fl_jnode){
               .op = FL_J_REDUCE, .type = (uint8_t)t, .imm = (uint8_t)op, .dtype = (uint8_t)dtype, .v = {v}});
    int wraps = code == FL_OP_add || code == FL_OP_multiply;
    return wraps && fl_is_int(dtype) && fl_dtypes[dtype].bits < 32 ? int_to_int(g, r, FL_I32, dtype) : r;
}

static void store(fl_jgraph *g, const fl_jrecord *r, uint16_t v)
{
    int access = r->aux & 7;
    fl_jnode n = {.op = access == FL_M_ROW || access == FL_M_UNIFORM ? FL_J_STORE_ROW : FL_J_STORE,
                  .memory = r->memory,
                  .dtype = r->dtype,
                  .access = (uint8_t)access,
                  .order = (r->aux >> 3) & 3,
                  .stream = r->aux >> 5,
                  .v = {v}};
    if (access == FL_M_STRIDED) n.op = FL_J_STORE_STRIDED, n.v[1] = offsets(g, r->memory);
    fl_jgraph_add(g, n);
}

static void accumulate(fl_jgraph *g, const fl_jrecord *r, uint16_t v)
{
    fl_dtype dtype = (fl_dtype)r->dtype;
    uint16_t operands[2];
    operands[0] = fl_jgraph_add(g, (fl_jnode){.op = FL_J_LOAD,
                                              .type = (uint8_t)fl_jtype_of(dtype),
                                              .level = FL_V_FULL,
                                              .memory = r->memory,
                                              .dtype = r->dtype,
                                              .access = FL_M_DENSE});
    operands[1] = v;
    fl_jrecord s = {.dtype = r->dtype, .aux = FL_M_DENSE, .memory = r->memory};
    store(g, &s, fl_jexpand(g, (fl_opcode)r->code, dtype, dtype, 0, operands));
}

static int has_several_functions(const fl_jrecord *records, uint32_t count)
{
    int found = 0;
    for (uint32_t i = 0; i < count; i++)
        found += records[i].kind == FL_JK_OP && records[i].dtype == FL_F32 && records[i].level == FL_V_FULL &&
                 fl_jfunction((fl_opcode)records[i].code) >= 0;
    return found > 1;
}

int fl_jexpand_all(fl_jgraph *g, const fl_jrecord *records, uint32_t count)
{
    uint16_t *made = fl_arena_alloc(g->arena, (count + 1) * sizeof *made);
    if (!made) return 0;
    g->many = (uint8_t)has_several_functions(records, count);
    for (uint32_t i = 0; i < count && !g->failed; i++) {
        const fl_jrecord *r = &records[i];
        fl_dtype dtype = (fl_dtype)r->dtype;
        uint16_t v[3] = {FL_NO_NODE, FL_NO_NODE, FL_NO_NODE};
        fl_dtype operand = dtype;
        if (r->kind != FL_JK_CONSTANT && r->kind != FL_JK_LOAD)
            for (int k = 0; k < 3 && r->u.v[k] != FL_NO_VAL; k++)
                v[k] = made[r->u.v[k]], operand = (fl_dtype)records[r->u.v[k]].dtype;
        switch (r->kind) {
        case FL_JK_LOAD:
        case FL_JK_LOAD_AT:
        case FL_JK_LOAD_ROW_AT: made[i] = load(g, r, v[0]); break;
        case FL_JK_CONSTANT: {
            fl_jtype t = fl_jtype_of(dtype);
            uint64_t bits = r->u.bits;
            if (dtype == FL_I8) bits = (uint32_t)(int8_t)bits;
            if (dtype == FL_I16) bits = (uint32_t)(int16_t)bits;
            made[i] = fl_jconst(g, t, dtype == FL_I1 ? bits != 0 : bits);
            break;
        }
        case FL_JK_OP: made[i] = fl_jexpand(g, (fl_opcode)r->code, dtype, operand, r->aux, v); break;
        case FL_JK_CONVERT: made[i] = fl_jconvert(g, v[0], operand, dtype); break;
        case FL_JK_ROUND: made[i] = round_narrow(g, v[0], (fl_dtype)r->aux); break;
        case FL_JK_REDUCE: made[i] = reduce(g, (fl_opcode)r->code, dtype, v[0]); break;
        case FL_JK_STORE: store(g, r, v[0]); break;
        case FL_JK_ACCUMULATE: accumulate(g, r, v[0]); break;
        default: break;
        }
    }
    return !g->failed;
}
