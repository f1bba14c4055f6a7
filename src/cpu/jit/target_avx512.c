/* AVX-512: 32 vector registers, masks in k2-k7 (k1: the tail of a row), constants broadcast from memory by the instruction
 * that reads them, loads and stores of the tail under mask. */
#include "cpu/jit/x86.h"

#include <math.h>
#include <string.h>

#define TAIL 1

/* Instructions by type of lanes: i32, i64, f32, f64; 0: none (ADDPS itself is never looked up for i32). */
typedef struct fl_xrow {
    uint8_t op, ins[4];
} fl_xrow;
#define ROW(op, a, b, c, d) [FL_J_##op] = {FL_J_##op, {a, b, c, d}}
#define INTS(op, name)      ROW(op, FL_X_##name##D, FL_X_##name##Q, 0, 0)
#define BITS(op, name)      ROW(op, FL_X_##name##D, FL_X_##name##Q, FL_X_##name##D, FL_X_##name##Q)
#define FLOATS(op, name)    ROW(op, 0, 0, FL_X_##name##PS, FL_X_##name##PD)
static const fl_xrow rows[FL_J_OP_COUNT] = {
    FLOATS(FADD, ADD),
    FLOATS(FSUB, SUB),
    FLOATS(FMUL, MUL),
    FLOATS(FDIV, DIV),
    FLOATS(FMIN, MIN),
    FLOATS(FMAX, MAX),
    FLOATS(FSQRT, SQRT),
    FLOATS(ROUND, RNDSCALE),
    FLOATS(SCALEF, SCALEF),
    FLOATS(GETEXP, GETEXP),
    FLOATS(GETMANT, GETMANT),
    INTS(IADD, PADD),
    INTS(ISUB, PSUB),
    ROW(IMUL, FL_X_PMULLD, FL_X_PMULLQ, 0, 0),
    INTS(SMIN, PMINS),
    INTS(SMAX, PMAXS),
    INTS(UMIN, PMINU),
    INTS(UMAX, PMAXU),
    BITS(AND, PAND),
    BITS(OR, POR),
    BITS(XOR, PXOR),
    BITS(ANDN, PANDN),
    ROW(SHLI, FL_X_PSLLDI, FL_X_PSLLQI, 0, 0),
    ROW(SHRI, FL_X_PSRLDI, FL_X_PSRLQI, 0, 0),
    ROW(SARI, FL_X_PSRADI, FL_X_PSRAQI, 0, 0),
    INTS(SHL, PSLLV),
    INTS(SHR, PSRLV),
    INTS(SAR, PSRAV),
    INTS(LZCNT, PLZCNT),
    BITS(MERGE, PTERNLOG),
    FLOATS(FCMP, KCMP),
    INTS(SCMP, KPCMP),
    INTS(UCMP, KPCMPU),
};

/* Conversions: the instruction, and the type whose lanes give the vector length. */
static const struct {
    uint8_t ins, length;
} conversions[FL_J_OP_COUNT] = {
    [FL_J_S32_F32] = {FL_X_CVTDQ2PS, FL_T_I32},  [FL_J_U32_F32] = {FL_X_CVTUDQ2PS, FL_T_I32},
    [FL_J_F32_S32] = {FL_X_CVTTPS2DQ, FL_T_I32}, [FL_J_F32_U32] = {FL_X_CVTTPS2UDQ, FL_T_I32},
    [FL_J_F32_F64] = {FL_X_CVTPS2PD, FL_T_I64},  [FL_J_F64_F32] = {FL_X_CVTPD2PS, FL_T_I64},
    [FL_J_S32_F64] = {FL_X_CVTDQ2PD, FL_T_I64},  [FL_J_U32_F64] = {FL_X_CVTUDQ2PD, FL_T_I64},
    [FL_J_F64_S32] = {FL_X_CVTTPD2DQ, FL_T_I64}, [FL_J_F64_U32] = {FL_X_CVTTPD2UDQ, FL_T_I64},
    [FL_J_S64_F64] = {FL_X_CVTQQ2PD, FL_T_I64},  [FL_J_U64_F64] = {FL_X_CVTUQQ2PD, FL_T_I64},
    [FL_J_F64_S64] = {FL_X_CVTTPD2QQ, FL_T_I64}, [FL_J_F64_U64] = {FL_X_CVTTPD2UQQ, FL_T_I64},
    [FL_J_S64_F32] = {FL_X_CVTQQ2PS, FL_T_I64},  [FL_J_U64_F32] = {FL_X_CVTUQQ2PS, FL_T_I64},
    [FL_J_F32_S64] = {FL_X_CVTTPS2QQ, FL_T_I64}, [FL_J_F32_U64] = {FL_X_CVTTPS2UQQ, FL_T_I64},
    [FL_J_S32_S64] = {FL_X_PMOVSXDQ, FL_T_I64},  [FL_J_U32_U64] = {FL_X_PMOVZXDQ, FL_T_I64},
};

/* --- operands --- */

static fl_xrm operand(const fl_jcg *c, fl_jarg a)
{
    (void)c;
    if (a.place == FL_IN_REGISTER) return fl_xreg(a.reg);
    fl_xrm m = fl_xmem(a.place == FL_IN_POOL ? -1 : FL_RSP, a.at);
    m.broadcast = a.place == FL_IN_POOL;
    return m;
}

static int takes_memory(const fl_jcg *c, const fl_jnode *n, int k, const fl_jarg *args)
{
    (void)c;
    switch (n->op) {
    case FL_J_FMA:
    case FL_J_FNMA: return k == 2 || (k == 1 && args[2].place == FL_IN_REGISTER);
    case FL_J_MERGE: return k == 2;
    case FL_J_LOAD_ROW_AT: return 1; /* read before the loop */
    case FL_J_SELECT: return k == 1 && args[2].place == FL_IN_REGISTER;
    case FL_J_FSQRT:
    case FL_J_ROUND:
    case FL_J_GETEXP:
    case FL_J_GETMANT:
    case FL_J_SHLI:
    case FL_J_SHRI:
    case FL_J_SARI: return 1;
    default: return k == 1 && rows[n->op].op == n->op;
    }
}

static void move(fl_jcg *c, int cls, int dst, int src)
{
    fl_xkernel *k = fl_xkernel_of(c);
    if (dst == src) return;
    if (cls == FL_MASK_CLASS)
        fl_xk_move(&k->b, dst, src);
    else
        fl_x(&k->b, FL_X_MOVAPS, 2, dst, -1, fl_xreg(src), 0, 0, 0);
}

static void spill(fl_jcg *c, int cls, int reg, int32_t at)
{
    fl_xkernel *k = fl_xkernel_of(c);
    if (cls == FL_MASK_CLASS)
        fl_xk_store(&k->b, fl_xmem(FL_RSP, at), reg);
    else
        fl_x(&k->b, FL_X_STOREPS, 2, reg, -1, fl_xmem(FL_RSP, at), 0, 0, 0);
}

static void fill(fl_jcg *c, int cls, int type, int reg, fl_jarg from)
{
    fl_xkernel *k = fl_xkernel_of(c);
    fl_xrm m = fl_xmem(from.place == FL_IN_POOL ? -1 : FL_RSP, from.at);
    if (cls == FL_MASK_CLASS)
        fl_xk_load(&k->b, reg, m);
    else if (from.place == FL_IN_FRAME)
        fl_x(&k->b, FL_X_MOVUPS, 2, reg, -1, m, 0, 0, 0);
    else
        fl_x(&k->b, fl_jtype_bytes(type) == 8 ? FL_X_BROADCASTSD : FL_X_BROADCASTSS, fl_xlength(k, type), reg,
             -1, m, 0, 0, 0);
}

/* --- memory --- */

static const uint8_t loads[FL_DTYPE_COUNT] = {
    [FL_I8] = FL_X_PMOVSXBD,  [FL_U8] = FL_X_PMOVZXBD,   [FL_I1] = FL_X_PMOVZXBD,  [FL_I16] = FL_X_PMOVSXWD,
    [FL_U16] = FL_X_PMOVZXWD, [FL_BF16] = FL_X_PMOVZXWD, [FL_F16] = FL_X_PMOVZXWD, [FL_I32] = FL_X_MOVUPS,
    [FL_U32] = FL_X_MOVUPS,   [FL_F32] = FL_X_MOVUPS,    [FL_I64] = FL_X_MOVUPD,   [FL_U64] = FL_X_MOVUPD,
    [FL_F64] = FL_X_MOVUPD,
};

static void load_vector(fl_jcg *c, fl_dtype dtype, int dst, fl_xrm from, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, fl_dtype_bytes(dtype) == 8 ? FL_T_I64 : FL_T_I32), mask = masked ? TAIL : 0;
    int reg = dtype == FL_I1 ? fl_jcg_take(c, FL_VECTOR) : dst;
    fl_x(&k->b, loads[dtype], length, reg, -1, from, 0, mask, masked);
    if (dtype != FL_I1) return;
    fl_x(&k->b, FL_X_KPTESTMD, length, dst, reg, fl_xreg(reg), 0, 0, 0);
    fl_jcg_give(c, FL_VECTOR, reg);
}

static void store_vector(fl_jcg *c, fl_dtype dtype, int src, fl_xrm to, int masked, int stream)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int size = (int)fl_dtype_bytes(dtype), length = fl_xlength(k, size == 8 ? FL_T_I64 : FL_T_I32),
        mask = masked ? TAIL : 0;
    fl_xins ins = size == 1 ? FL_X_PMOVDB : size == 2 ? FL_X_PMOVDW : size == 4 ? FL_X_STOREPS : FL_X_STOREPD;
    int reg = src;
    if (dtype == FL_I1) {
        reg = fl_jcg_take(c, FL_VECTOR);
        fl_x(&k->b, FL_X_PMOVM2D, length, reg, -1, fl_xreg(src), 0, 0, 0);
        fl_x(&k->b, FL_X_PSRLDI, length, reg, -1, fl_xreg(reg), 31, 0, 0);
    }
    if (stream && !masked && size >= 4) ins = FL_X_STREAMPS;
    fl_x(&k->b, ins, length, reg, -1, to, 0, mask, 0);
    if (dtype == FL_I1) fl_jcg_give(c, FL_VECTOR, reg);
}

/* One element, in all lanes. */
static void load_element(fl_jcg *c, const fl_jnode *n, int dst, fl_xrm from)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int size = (int)fl_dtype_bytes((fl_dtype)n->dtype), length = fl_xlength(k, n->type);
    if (size >= 4) {
        fl_x(&k->b, size == 8 ? FL_X_BROADCASTSD : FL_X_BROADCASTSS, length, dst, -1, from, 0, 0, 0);
        return;
    }
    int sign = fl_dtype_kind((fl_dtype)n->dtype) == FL_KIND_INT;
    fl_xg2(&k->b, (size == 1 ? 0xb6 : 0xb7) + 8 * sign, 0, FL_R15, from);
    k->cached_pointer = -1;
    if (n->dtype == FL_I1) {
        fl_xg(&k->b, 0xf7, 0, 3, fl_xreg(FL_R15)); /* neg */
        fl_xk_from_gpr(&k->b, dst, FL_R15);
    } else {
        fl_x(&k->b, FL_X_PBROADCASTD_R, length, dst, -1, fl_xreg(FL_R15), 0, 0, 0);
    }
}

static void store_element(fl_jcg *c, fl_dtype dtype, int src, fl_xrm to)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int size = (int)fl_dtype_bytes(dtype);
    if (size >= 4) {
        fl_x(&k->b, size == 8 ? FL_X_MOVSD_ST : FL_X_MOVSS_ST, 0, src, -1, to, 0, 0, 0);
        return;
    }
    int gpr = FL_RDX; /* free between loops */
    if (dtype == FL_I1) {
        fl_xk_to_gpr(&k->b, gpr, src);
        fl_xg_imm(&k->b, 4, 0, fl_xreg(gpr), 1);
    } else {
        fl_x(&k->b, FL_X_MOVD_GX, 0, src, -1, fl_xreg(gpr), 0, 0, 0);
    }
    if (size == 2) fl_xbytes(&k->b, (uint8_t[1]){0x66}, 1);
    fl_xg(&k->b, size == 1 ? 0x88 : 0x89, 0, gpr, to);
}

/* --- operations --- */

static void fused(fl_jcg *c, const fl_jnode *n, int dst, fl_jarg *a, int dying)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, n->type), wide = n->type == FL_T_F64, negated = n->op == FL_J_FNMA;
    static const uint8_t forms[2][2][3] = {{{FL_X_FMADD132PS, FL_X_FMADD213PS, FL_X_FMADD231PS},
                                            {FL_X_FMADD132PD, FL_X_FMADD213PD, FL_X_FMADD231PD}},
                                           {{FL_X_FNMADD132PS, FL_X_FNMADD213PS, FL_X_FNMADD231PS},
                                            {FL_X_FNMADD132PD, FL_X_FNMADD213PD, FL_X_FNMADD231PD}}};
    const uint8_t *f = forms[negated][wide];
    int in_register[3];
    (void)dying;
    for (int i = 0; i < 3; i++) in_register[i] = a[i].place == FL_IN_REGISTER;
    if (in_register[2] && a[2].reg == dst) { /* dst += a b */
        fl_x(&k->b, f[2], length, dst, a[0].reg, operand(c, a[1]), 0, 0, 0);
    } else if (in_register[0] && a[0].reg == dst) {
        if (in_register[1])
            fl_x(&k->b, f[1], length, dst, a[1].reg, operand(c, a[2]), 0, 0, 0); /* dst = b dst + c */
        else
            fl_x(&k->b, f[0], length, dst, a[2].reg, operand(c, a[1]), 0, 0, 0); /* dst = dst b + c */
    } else if (in_register[1] && a[1].reg == dst) {
        fl_x(&k->b, f[1], length, dst, a[0].reg, operand(c, a[2]), 0, 0, 0);
    } else if (in_register[2]) {
        move(c, FL_VECTOR, dst, a[2].reg);
        fl_x(&k->b, f[2], length, dst, a[0].reg, operand(c, a[1]), 0, 0, 0);
    } else {
        fill(c, FL_VECTOR, n->type, dst, a[2]);
        fl_x(&k->b, f[2], length, dst, a[0].reg, operand(c, a[1]), 0, 0, 0);
    }
}

/* (a & b) | (~a & c): the table of vpternlog depends on which operand is overwritten. */
static void merge(fl_jcg *c, const fl_jnode *n, int dst, fl_jarg *a)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, n->type);
    fl_xins ins = rows[FL_J_MERGE].ins[n->type];
    if (a[2].place == FL_IN_REGISTER && a[2].reg == dst && a[0].reg != dst && a[1].reg != dst) {
        fl_x(&k->b, ins, length, dst, a[0].reg, fl_xreg(a[1].reg), 0xb8, 0, 0);
        return;
    }
    if (a[1].reg == dst && a[0].reg != dst) {
        fl_x(&k->b, ins, length, dst, a[0].reg, operand(c, a[2]), 0xe2, 0, 0);
        return;
    }
    move(c, FL_VECTOR, dst, a[0].reg);
    fl_x(&k->b, ins, length, dst, a[1].reg, operand(c, a[2]), 0xca, 0, 0);
}

static void columns(fl_jcg *c, const fl_jnode *n, int dst, int u)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int wide = n->type == FL_T_I64, length = fl_xlength(k, n->type), bytes = wide ? 8 : 4;
    fl_x(&k->b, wide ? FL_X_PBROADCASTQ_R : FL_X_PBROADCASTD_R, length, dst, -1, fl_xreg(FL_RAX), 0, 0, 0);
    fl_xrm lanes = fl_xmem(-1, (wide ? k->iota64 : k->iota32) + u * k->lanes * bytes);
    fl_x(&k->b, wide ? FL_X_PADDQ : FL_X_PADDD, length, dst, dst, lanes, 0, 0, 0);
}

/* A mask for an instruction that uses it up: all lanes, or those of the tail. */
static int take_lanes(fl_jcg *c, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int mask = fl_jcg_take(c, FL_MASK_CLASS);
    if (masked)
        fl_xk_move(&k->b, mask, TAIL);
    else
        fl_xk(&k->b, 0x46, mask, mask, mask);
    return mask;
}

static void gather(fl_jcg *c, const fl_jnode *n, int dst, int index, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int wide = fl_jtype_bytes(n->type) == 8, far = c->g->nodes[n->v[0]].type == FL_T_I64,
        mask = take_lanes(c, masked);
    fl_xrm m = fl_xmem(fl_xpointer_reg(k, k->pointer_of_memory[n->memory] - 1), 0);
    m.index = (int8_t)index, m.scale = wide ? 3 : 2;
    fl_x(&k->b, FL_X_PXORD, 2, dst, dst, fl_xreg(dst), 0, 0, 0);
    fl_x(&k->b,
         wide  ? (far ? FL_X_GATHERQPD : FL_X_GATHERDPD)
         : far ? FL_X_GATHERQPS
               : FL_X_GATHERDPS,
         fl_xlength(k, wide || far ? FL_T_I64 : FL_T_I32), dst, -1, m, 0, mask, 0);
    fl_jcg_give(c, FL_MASK_CLASS, mask);
}

/* Columns at the operand's stride: an address for the first lane, offsets for the others. */
static void strided(fl_jcg *c, const fl_jnode *n, int reg, int offsets, int u, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    fl_xbuf *b = &k->b;
    int wide = fl_dtype_bytes((fl_dtype)n->dtype) == 8, load = n->op == FL_J_LOAD_STRIDED,
        mask = take_lanes(c, masked);
    const fl_xpointer *p = &k->pointers[k->pointer_of_memory[n->memory] - 1];
    fl_xg(b, 0x8d, 1, FL_R15, fl_xmem(FL_RAX, u * k->lanes));                             /* lea */
    fl_xg2(b, 0xaf, 1, FL_R15, fl_xmem(FL_RDI, 24 + 24 * n->memory + 16));                /* imul */
    fl_xg(b, 0x03, 1, FL_R15, p->reg >= 0 ? fl_xreg(p->reg) : fl_xmem(FL_RSP, p->frame)); /* add */
    k->cached_pointer = -1;
    fl_xrm m = fl_xmem(FL_R15, 0);
    m.index = (int8_t)offsets;
    if (load) fl_x(b, FL_X_PXORD, 2, reg, reg, fl_xreg(reg), 0, 0, 0);
    fl_x(b,
         load   ? (wide ? FL_X_GATHERDPD : FL_X_GATHERDPS)
         : wide ? FL_X_SCATTERDPD
                : FL_X_SCATTERDPS,
         fl_xlength(k, wide ? FL_T_I64 : FL_T_I32), reg, -1, m, 0, mask, 0);
    fl_jcg_give(c, FL_MASK_CLASS, mask);
}

static void index_to_gpr(fl_xkernel *k, int gpr, int reg, int wide)
{
    fl_x(&k->b, wide ? FL_X_MOVQ_GX : FL_X_MOVD_GX, 0, reg, -1, fl_xreg(gpr), 0, 0, 0);
    if (!wide) fl_xg(&k->b, 0x63, 1, gpr, fl_xreg(gpr)); /* movsxd */
}

/* Half precision goes through a vector of 16-bit elements. */
static void half(fl_jcg *c, const fl_jnode *n, int dst, int src)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, FL_T_I32);
    if (n->op == FL_J_F16_F32) {
        fl_x(&k->b, FL_X_PMOVDW, length, src, -1, fl_xreg(dst), 0, 0, 0);
        fl_x(&k->b, FL_X_CVTPH2PS, length, dst, -1, fl_xreg(dst), 0, 0, 0);
    } else {
        fl_x(&k->b, FL_X_CVTPS2PH, length, src, -1, fl_xreg(dst), 0, 0, 0);
        fl_x(&k->b, FL_X_PMOVZXWD, length, dst, -1, fl_xreg(dst), 0, 0, 0);
    }
}

static void mask_operation(fl_jcg *c, const fl_jnode *n, int dst, fl_jarg *a)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int opcode = n->op == FL_J_MAND    ? 0x41
                 : n->op == FL_J_MANDN ? 0x42
                 : n->op == FL_J_MOR   ? 0x45
                 : n->op == FL_J_MXOR  ? 0x47
                                       : 0x44;
    fl_xk(&k->b, opcode, dst, a[0].reg, n->op == FL_J_MNOT ? 0 : a[1].reg);
}

static const uint8_t wide_scale[2] = {FL_X_SCALEFPS, FL_X_SCALEFPD};

static void emit(fl_jcg *c, uint16_t node, int dst, fl_jarg *a, int dying, int u, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    fl_xbuf *b = &k->b;
    const fl_jnode *n = &c->g->nodes[node];
    int length = n->type == FL_T_MASK ? 0 : fl_xlength(k, n->type),
        pointer = k->pointer_of_memory[n->memory] - 1;
    fl_xins ins = n->type == FL_T_MASK ? 0 : rows[n->op].ins[n->type];
    switch (n->op) {
    case FL_J_LOAD:
        if (n->level == FL_V_FULL)
            load_vector(c, n->dtype, dst, fl_xaddress(k, pointer, (int)fl_dtype_bytes(n->dtype), u), masked);
        else
            load_element(c, n, dst, fl_xmem(fl_xpointer_reg(k, pointer), 0));
        return;
    case FL_J_STORE:
        store_vector(c, n->dtype, a[0].reg, fl_xaddress(k, pointer, (int)fl_dtype_bytes(n->dtype), u), masked,
                     n->stream && k->streaming);
        return;
    case FL_J_STORE_ROW:
        store_element(c, n->dtype, a[0].reg, fl_xmem(fl_xpointer_reg(k, pointer), 0));
        return;
    case FL_J_LOAD_ROW_AT:
        pointer = k->pointer_of_node[node] - 1;
        load_vector(c, n->dtype, dst, fl_xaddress(k, pointer, (int)fl_dtype_bytes(n->dtype), u), masked);
        return;
    case FL_J_LOAD_AT: gather(c, n, dst, a[0].reg, masked); return;
    case FL_J_LOAD_STRIDED: strided(c, n, dst, a[0].reg, u, masked); return;
    case FL_J_STORE_STRIDED: strided(c, n, a[0].reg, a[1].reg, u, masked); return;
    case FL_J_LANES:
        fl_x(b, FL_X_MOVUPS, length, dst, -1, fl_xmem(-1, n->type == FL_T_I64 ? k->iota64 : k->iota32), 0, 0,
             0);
        return;
    case FL_J_CALL1:
    case FL_J_CALL2: fl_xcall(k, n, dst, a, masked); return;
    case FL_J_COLUMN: columns(c, n, dst, u); return;
    case FL_J_COUNT:
        fl_x(b, n->type == FL_T_I64 ? FL_X_PBROADCASTQ_R : FL_X_PBROADCASTD_R, length, dst, -1,
             fl_xreg(fl_xpointer_reg(k, pointer)), 0, 0, 0);
        return;
    case FL_J_STEP:
        k->cached_pointer = -1;
        fl_xg(b, 0x8b, 1, FL_R15, fl_xmem(FL_RDI, 24 + 24 * n->memory + 16));
        fl_x(b, n->type == FL_T_I64 ? FL_X_PBROADCASTQ_R : FL_X_PBROADCASTD_R, length, dst, -1,
             fl_xreg(FL_R15), 0, 0, 0);
        return;
    case FL_J_FMA:
    case FL_J_FNMA: fused(c, n, dst, a, dying); return;
    case FL_J_MERGE: merge(c, n, dst, a); return;
    case FL_J_SELECT:
        fl_x(b, fl_jtype_bytes(n->type) == 8 ? FL_X_BLENDMPD : FL_X_BLENDMPS, length, dst, a[2].reg,
             operand(c, a[1]), 0, a[0].reg, 0);
        return;
    case FL_J_SCALEZ:
        fl_x(b, wide_scale[n->type == FL_T_F64], length, dst, a[1].reg, operand(c, a[2]), 0, a[0].reg, 1);
        return;
    case FL_J_FCMP:
    case FL_J_SCMP:
    case FL_J_UCMP: {
        int type = c->g->nodes[n->v[0]].type;
        fl_x(b, rows[n->op].ins[type], fl_xlength(k, type), dst, a[0].reg, operand(c, a[1]), n->imm, 0, 0);
        return;
    }
    case FL_J_ROUND: fl_x(b, ins, length, dst, -1, operand(c, a[0]), n->imm | 8, 0, 0); return;
    case FL_J_GETMANT: fl_x(b, ins, length, dst, -1, operand(c, a[0]), 0x0b, 0, 0); return;
    case FL_J_SHLI:
    case FL_J_SHRI:
    case FL_J_SARI: fl_x(b, ins, length, dst, -1, operand(c, a[0]), n->imm, 0, 0); return;
    case FL_J_FSQRT:
    case FL_J_GETEXP:
    case FL_J_LZCNT: fl_x(b, ins, length, dst, -1, operand(c, a[0]), 0, 0, 0); return;
    case FL_J_BITS: move(c, FL_VECTOR, dst, a[0].reg); return;
    case FL_J_I64_I32:
        fl_x(b, FL_X_PMOVQD, fl_xlength(k, FL_T_I64), a[0].reg, -1, fl_xreg(dst), 0, 0, 0);
        return;
    case FL_J_F16_F32:
    case FL_J_F32_F16: half(c, n, dst, a[0].reg); return;
    case FL_J_MAND:
    case FL_J_MOR:
    case FL_J_MXOR:
    case FL_J_MANDN:
    case FL_J_MNOT: mask_operation(c, n, dst, a); return;
    default: break;
    }
    if (conversions[n->op].ins) {
        fl_x(b, conversions[n->op].ins, fl_xlength(k, conversions[n->op].length), dst, -1, fl_xreg(a[0].reg),
             0, 0, 0);
        return;
    }
    fl_x(b, ins, length, dst, a[0].reg, operand(c, a[1]), 0, 0, 0);
}

static void keep(fl_jcg *c, uint16_t node, int src, int u, int masked)
{
    store_vector(c, fl_jtype_dtype(c->g->nodes[node].type), src, fl_xkept(c, node, u), masked, 0);
}

static void reload(fl_jcg *c, uint16_t node, int dst, int u, int masked)
{
    load_vector(c, fl_jtype_dtype(c->g->nodes[node].type), dst, fl_xkept(c, node, u), masked);
}

/* --- reductions --- */

static int is_extremum(const fl_jnode *n)
{
    return n->imm == FL_J_FMAX || n->imm == FL_J_FMIN;
}

/* acc = acc (op) x; an extremum that is NaN already stays so: only the other lanes are written. */
static void combine(fl_jcg *c, const fl_jnode *n, int acc, int x, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, n->type), mask = masked ? TAIL : 0;
    if (!is_extremum(n)) {
        fl_x(&k->b, rows[n->imm].ins[n->type], length, acc, acc, fl_xreg(x), 0, mask, 0);
        return;
    }
    int number = fl_jcg_take(c, FL_MASK_CLASS);
    fl_x(&k->b, rows[FL_J_FCMP].ins[n->type], length, number, acc, fl_xreg(acc), 7, mask, 0);
    fl_x(&k->b, rows[n->imm].ins[n->type], length, acc, acc, fl_xreg(x), 0, number, 0);
    fl_jcg_give(c, FL_MASK_CLASS, number);
}

/* Maxima and minima of a loop: what is NaN is only noted, in a mask of the lanes that have seen none (two of them when the
 * loop has four copies), and one comparison looks at two vectors. */
static void note(fl_jcg *c, const fl_jnode *n, int r, int x, int u, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, n->type), acc = c->accumulators[r][u], numbers = k->numbers[r][u / 2];
    fl_xins compare = rows[FL_J_FCMP].ins[n->type];
    fl_x(&k->b, rows[n->imm].ins[n->type], length, acc, acc, fl_xreg(x), 0, masked ? TAIL : 0, 0);
    if (masked) {
        int nan = fl_jcg_take(c, FL_MASK_CLASS);
        fl_x(&k->b, compare, length, nan, x, fl_xreg(x), 3, TAIL, 0);
        fl_xk(&k->b, 0x42, numbers, nan, numbers); /* kandn */
        fl_jcg_give(c, FL_MASK_CLASS, nan);
    } else if (u & 1 || k->copies == 1) {
        fl_x(&k->b, compare, length, numbers, u & 1 ? k->last_reduced : x, fl_xreg(x), 7, numbers, 0);
    }
    k->last_reduced = x;
}

static void reduce(fl_jcg *c, uint16_t node, fl_jarg arg, int u, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int r = 0;
    while (c->reduction_nodes[r] != node) r++;
    if (k->numbers[r][0] >= 0)
        note(c, &c->g->nodes[node], r, arg.reg, u, masked);
    else
        combine(c, &c->g->nodes[node], c->accumulators[r][u], arg.reg, masked);
}

/* Masks for the loop's extrema, if enough are left for its values. */
static void start_numbers(fl_xkernel *k, const fl_juses *uses)
{
    fl_jcg *c = &k->c;
    int each = uses->unroll == 4 ? 2 : 1,
        spare = __builtin_popcount(c->free[FL_MASK_CLASS]) - uses->live[FL_MASK_CLASS] * uses->unroll - 1;
    k->copies = uses->unroll;
    for (int r = 0; r < c->reduction_count; r++) {
        k->numbers[r][0] = k->numbers[r][1] = -1;
        if (!is_extremum(&c->g->nodes[c->reduction_nodes[r]]) || spare < each) continue;
        spare -= each;
        for (int i = 0; i < each; i++) {
            int mask = fl_jcg_take(c, FL_MASK_CLASS);
            k->numbers[r][i] = (int8_t)mask;
            fl_xk(&k->b, 0x46, mask, mask, mask);
        }
    }
}

/* acc = NaN if any lane has seen one. */
static void end_numbers(fl_xkernel *k, const fl_jnode *n, int r, int acc)
{
    fl_xbuf *b = &k->b;
    int wide = n->type == FL_T_F64, mask = k->numbers[r][0];
    if (k->numbers[r][1] >= 0) fl_xk(b, 0x41, mask, mask, k->numbers[r][1]);
    fl_xk_test(b, mask, k->lanes == 8);
    uint8_t *none = fl_xjump(b, 0x82); /* carry: all ones */
    fl_xmov_r15(k, wide ? 0x7ff8ull << 48 : 0x7fc00000u, wide);
    fl_x(b, wide ? FL_X_PBROADCASTQ_R : FL_X_PBROADCASTD_R, fl_xlength(k, n->type), acc, -1, fl_xreg(FL_R15),
         0, 0, 0);
    fl_xland(b, none);
}

static void start(fl_xkernel *k, uint16_t node, int reg)
{
    const fl_jnode *n = &k->c.g->nodes[node];
    uint64_t bits = fl_jidentity(n);
    int wide = fl_jtype_bytes(n->type) == 8, length = fl_xlength(k, n->type);
    if (!bits) {
        fl_x(&k->b, FL_X_PXORD, length, reg, reg, fl_xreg(reg), 0, 0, 0);
        return;
    }
    fl_xmov_r15(k, bits, wide);
    fl_x(&k->b, wide ? FL_X_PBROADCASTQ_R : FL_X_PBROADCASTD_R, length, reg, -1, fl_xreg(FL_R15), 0, 0, 0);
}

static void join(fl_jcg *c, const fl_jnode *n, int r, int acc, int x)
{
    fl_xkernel *k = fl_xkernel_of(c);
    if (k->numbers[r][0] < 0)
        combine(c, n, acc, x, 0);
    else
        fl_x(&k->b, rows[n->imm].ins[n->type], fl_xlength(k, n->type), acc, acc, fl_xreg(x), 0, 0, 0);
}

static void fold(fl_xkernel *k, int r, int count)
{
    fl_jcg *c = &k->c;
    const fl_jnode *n = &c->g->nodes[c->reduction_nodes[r]];
    const int8_t *regs = c->accumulators[r];
    int wide = fl_jtype_bytes(n->type) == 8, length = fl_xlength(k, n->type), t = regs[count > 1 ? 1 : 0];
    for (int step = count / 2; step; step /= 2)
        for (int i = 0; i < step; i++) join(c, n, r, regs[i], regs[i + step]);
    if (count == 1) t = fl_jcg_take(c, FL_VECTOR);
    int blocks = k->lanes * fl_jtype_bytes(n->type) / 16;
    for (int i = blocks; i > 1; i /= 2) { /* exchange halves, then quarters */
        int imm = length == 1 ? 1 : i == 4 ? 0x4e : 0xb1;
        fl_x(&k->b, wide ? FL_X_SHUFF64X2 : FL_X_SHUFF32X4, length, t, regs[0], fl_xreg(regs[0]), imm, 0, 0);
        join(c, n, r, regs[0], t);
    }
    for (int i = 16 / fl_jtype_bytes(n->type); i > 1; i /= 2) {
        int imm = wide ? 0x55 : i == 4 ? 0x4e : 0xb1;
        fl_x(&k->b, wide ? FL_X_PERMILPD : FL_X_PERMILPS, length, t, -1, fl_xreg(regs[0]), imm, 0, 0);
        join(c, n, r, regs[0], t);
    }
    if (count == 1) fl_jcg_give(c, FL_VECTOR, t);
    if (k->numbers[r][0] >= 0) end_numbers(k, n, r, regs[0]);
}

static void tail_mask(fl_xkernel *k)
{
    fl_xbuf *b = &k->b;
    fl_xg(b, 0x8b, 0, FL_R15, fl_xreg(FL_RCX));
    fl_xg(b, 0x2b, 0, FL_R15, fl_xreg(FL_RAX)); /* columns left: less than a loop's step */
    fl_xg(b, 0xc7, 0, 0, fl_xreg(FL_RDX));      /* mov edx, -1 */
    fl_xbytes(b, &(int32_t){-1}, 4);
    fl_x_bzhi(b, FL_RDX, FL_RDX, FL_R15);
    fl_xk_from_gpr(b, TAIL, FL_RDX);
}

static void all_lanes(fl_xkernel *k)
{
    fl_xk(&k->b, 0x46, TAIL, TAIL, TAIL);
}

static fl_status emit_kernel(fl_jgraph *g, const fl_jschedule *s, int lanes, fl_jmade *out)
{
    return fl_xkernel_emit(&fl_x_avx512, g, s, lanes, out);
}

const fl_xtarget fl_x_avx512 = {
    .base = {.name = "avx512",
             .vector_bytes = 64,
             .registers = 32,
             .masks = 6,
             .has_scalef = 1,
             .has_i64 = 1,
             .has_gather = 1,
             .function = fl_xtemplate_add,
             .emit = emit_kernel},
    .machine = {spill, fill, move, takes_memory, emit, keep, reload, reduce, fl_xtemplate_emit},
    .vectors = ~0u,
    .masks = 0xfc,
    .index_to_gpr = index_to_gpr,
    .tail_mask = tail_mask,
    .all_lanes = all_lanes,
    .start = start,
    .start_numbers = start_numbers,
    .fold = fold,
};
