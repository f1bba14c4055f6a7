/* AVX2: 16 vector registers, of which one or two hold the lanes of the tail; masks are vectors whose elements are as wide as
 * the kernel's widest type; constants are whole vectors in the pool. The tail of a row is loaded and stored by vmaskmov, or
 * element by element through the frame where elements are narrower than 4 bytes. */
#include "cpu/jit/x86.h"

#include <string.h>

#define TAIL   15 /* the lanes of the tail, as wide as masks */
#define TAIL32 14 /* the same for 32-bit elements, when masks have 64 */

#define ROW(op, a, b, c, d) [FL_J_##op] = {a, b, c, d}
#define INTS(op, name)      ROW(op, FL_X_##name##D, FL_X_##name##Q, 0, 0)
#define BITS(op, name)      ROW(op, FL_X_##name, FL_X_##name, FL_X_##name, FL_X_##name)
#define FLOATS(op, name)    ROW(op, 0, 0, FL_X_##name##PS, FL_X_##name##PD)
static const uint8_t rows[FL_J_OP_COUNT][5] = {
    /* of masks too: they are vectors */
    FLOATS(FADD, ADD),
    FLOATS(FSUB, SUB),
    FLOATS(FMUL, MUL),
    FLOATS(FDIV, DIV),
    FLOATS(FMIN, MIN),
    FLOATS(FMAX, MAX),
    FLOATS(FSQRT, SQRT),
    FLOATS(ROUND, ROUND),
    FLOATS(FCMP, CMP),
    INTS(IADD, PADD),
    INTS(ISUB, PSUB),
    ROW(IMUL, FL_X_PMULLD, 0, 0, 0),
    ROW(SMIN, FL_X_PMINSD, 0, 0, 0),
    ROW(SMAX, FL_X_PMAXSD, 0, 0, 0),
    ROW(UMIN, FL_X_PMINUD, 0, 0, 0),
    ROW(UMAX, FL_X_PMAXUD, 0, 0, 0),
    BITS(AND, PAND),
    BITS(OR, POR),
    BITS(XOR, PXOR),
    BITS(ANDN, PANDN),
    ROW(SHLI, FL_X_PSLLDI, FL_X_PSLLQI, 0, 0),
    ROW(SHRI, FL_X_PSRLDI, FL_X_PSRLQI, 0, 0),
    ROW(SARI, FL_X_PSRADI, 0, 0, 0),
    INTS(SHL, PSLLV),
    INTS(SHR, PSRLV),
    ROW(SAR, FL_X_PSRAVD, 0, 0, 0),
    [FL_J_MAND] = {0, 0, 0, 0, FL_X_PAND},
    [FL_J_MOR] = {0, 0, 0, 0, FL_X_POR},
    [FL_J_MXOR] = {0, 0, 0, 0, FL_X_PXOR},
    [FL_J_MANDN] = {0, 0, 0, 0, FL_X_PANDN},
};

#define WIDE    (1 << FL_T_I64)
#define TYPE(t) (1 << FL_T_##t)
static const uint8_t lacks[FL_J_OP_COUNT] = {
    [FL_J_IMUL] = WIDE,
    [FL_J_SMIN] = WIDE,
    [FL_J_SMAX] = WIDE,
    [FL_J_UMIN] = WIDE,
    [FL_J_UMAX] = WIDE,
    [FL_J_SARI] = WIDE,
    [FL_J_SAR] = WIDE,
    [FL_J_LZCNT] = WIDE | TYPE(I32),
    [FL_J_UCMP] = WIDE | TYPE(I32),
    [FL_J_U32_F32] = TYPE(F32),
    [FL_J_F32_U32] = TYPE(I32),
    [FL_J_U32_F64] = TYPE(F64),
    [FL_J_F64_U32] = TYPE(I32),
    [FL_J_S64_F64] = TYPE(F64),
    [FL_J_U64_F64] = TYPE(F64),
    [FL_J_F64_S64] = WIDE,
    [FL_J_F64_U64] = WIDE,
    [FL_J_S64_F32] = TYPE(F32),
    [FL_J_U64_F32] = TYPE(F32),
    [FL_J_F32_S64] = WIDE,
    [FL_J_F32_U64] = WIDE,
};

/* Conversions: the instruction, and its length: 1, or that of 32-bit lanes (0). */
static const struct {
    uint8_t ins, whole;
} conversions[FL_J_OP_COUNT] = {
    [FL_J_S32_F32] = {FL_X_CVTDQ2PS, 0}, [FL_J_F32_S32] = {FL_X_CVTTPS2DQ, 0},
    [FL_J_F32_F64] = {FL_X_CVTPS2PD, 1}, [FL_J_F64_F32] = {FL_X_CVTPD2PS, 1},
    [FL_J_S32_F64] = {FL_X_CVTDQ2PD, 1}, [FL_J_F64_S32] = {FL_X_CVTTPD2DQ, 1},
    [FL_J_S32_S64] = {FL_X_PMOVSXDQ, 1}, [FL_J_U32_U64] = {FL_X_PMOVZXDQ, 1},
};

/* --- operands --- */

static int wide_masks(const fl_xkernel *k)
{
    return k->lanes == 4;
}

static void x3(fl_xkernel *k, fl_xins ins, int length, int dst, int a, int b2, int imm)
{
    fl_x(&k->b, ins, length, dst, a, fl_xreg(b2), imm, 0, 0);
}

static fl_xrm operand(fl_jarg a)
{
    if (a.place == FL_IN_REGISTER) return fl_xreg(a.reg);
    return fl_xmem(a.place == FL_IN_POOL ? -1 : FL_RSP, a.at);
}

/* A choice between something and 0, which is an AND with the mask or with its opposite; masks must be as wide as the elements. */
static int is_choice_of_zero(const fl_jcg *c, const fl_jnode *n, int k)
{
    const fl_jnode *v = &c->g->nodes[n->v[k]];
    return v->op == FL_J_CONST && !v->bits && (c->lanes == 8 || fl_jtype_bytes(n->type) == 8);
}

static int takes_memory(const fl_jcg *c, const fl_jnode *n, int k, const fl_jarg *args)
{
    switch (n->op) {
    case FL_J_SELECT: return k > 0 && is_choice_of_zero(c, n, k) && (k == 2 || n->v[1] != n->v[2]);
    case FL_J_FMA:
    case FL_J_FNMA: return k == 2 || (k == 1 && args[2].place == FL_IN_REGISTER);
    case FL_J_FCMP: return k == 1;
    case FL_J_FSQRT:
    case FL_J_ROUND:
    case FL_J_LOAD_ROW_AT: return 1;
    case FL_J_SHLI:
    case FL_J_SHRI:
    case FL_J_SARI: return 0;
    default: return k == 1 && rows[n->op][n->type] && c->g->nodes[n->v[1]].type == n->type;
    }
}

static void move(fl_jcg *c, int cls, int dst, int src)
{
    (void)cls;
    if (dst != src) fl_x(&fl_xkernel_of(c)->b, FL_X_MOVAPS, 1, dst, -1, fl_xreg(src), 0, 0, 0);
}
static void spill(fl_jcg *c, int cls, int reg, int32_t at)
{
    (void)cls;
    fl_x(&fl_xkernel_of(c)->b, FL_X_STOREPS, 1, reg, -1, fl_xmem(FL_RSP, at), 0, 0, 0);
}
static void fill(fl_jcg *c, int cls, int type, int reg, fl_jarg from)
{
    fl_xkernel *k = fl_xkernel_of(c);
    (void)cls;
    int length = from.place == FL_IN_FRAME || type == FL_T_MASK ? 1 : fl_xlength(k, type);
    fl_x(&k->b, FL_X_MOVUPS, length, reg, -1, operand(from), 0, 0, 0);
}

/* A mask for 32-bit elements, from one of the kernel's; the caller gives `spare` back if that is what it gets. */
static int mask32(fl_jcg *c, int mask, int spare)
{
    fl_xkernel *k = fl_xkernel_of(c);
    if (!wide_masks(k)) return mask;
    fl_x(&k->b, FL_X_EXTRACTF128, 1, mask, -1, fl_xreg(spare), 1, 0, 0);
    x3(k, FL_X_SHUFPS, 0, spare, mask, spare, 0x88);
    return spare;
}

static int tail_of(const fl_xkernel *k, int bytes)
{
    return bytes == 8 || !wide_masks(k) ? TAIL : TAIL32;
}

/* --- memory --- */

/* Copies the tail's elements of 1 or 2 bytes between memory and the frame; rdx is minus their count. */
static void copy_tail(fl_xkernel *k, fl_xrm memory, int size, int to_memory)
{
    fl_xbuf *b = &k->b;
    int scale = size - 1, load = size == 1 ? 0xb6 : 0xb7, store = size == 1 ? 0x88 : 0x89;
    fl_xg(b, 0x8d, 1, FL_R15, memory); /* lea */
    k->cached_pointer = -1;
    fl_xg(b, 0x89, 1, FL_RAX, fl_xmem(FL_RSP, k->tail_area + 64));
    fl_xg(b, 0x89, 1, FL_RDX, fl_xmem(FL_RSP, k->tail_area + 72));
    fl_xg(b, 0xf7, 1, 3, fl_xreg(FL_RDX)); /* neg */
    const uint8_t *top = b->at;
    fl_xrm there = {.reg = -1, .base = FL_R15, .index = FL_RDX, .scale = (uint8_t)scale, .disp = -size};
    fl_xrm here = {
        .reg = -1, .base = FL_RSP, .index = FL_RDX, .scale = (uint8_t)scale, .disp = k->tail_area - size};
    fl_xg2(b, load, 0, FL_RAX, to_memory ? here : there); /* movzx */
    if (size == 2) fl_xbytes(b, (uint8_t[1]){0x66}, 1);
    fl_xg(b, store, 0, FL_RAX, to_memory ? there : here);
    fl_xg_imm(b, 5, 1, fl_xreg(FL_RDX), 1);
    fl_xback(b, 0x85, top);
    fl_xg(b, 0x8b, 1, FL_RAX, fl_xmem(FL_RSP, k->tail_area + 64));
    fl_xg(b, 0x8b, 1, FL_RDX, fl_xmem(FL_RSP, k->tail_area + 72));
}

static void load_vector(fl_jcg *c, fl_dtype dtype, int dst, fl_xrm from, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int size = (int)fl_dtype_bytes(dtype), length = fl_xlength(k, size == 8 ? FL_T_I64 : FL_T_I32);
    if (size >= 4) {
        if (masked)
            fl_x(&k->b, size == 8 ? FL_X_MASKMOVPD : FL_X_MASKMOVPS, length, dst, tail_of(k, size), from, 0,
                 0, 0);
        else
            fl_x(&k->b, FL_X_MOVUPS, length, dst, -1, from, 0, 0, 0);
        return;
    }
    if (masked) {
        copy_tail(k, from, size, 0);
        from = fl_xmem(FL_RSP, k->tail_area);
    }
    fl_xins ins = dtype == FL_I8    ? FL_X_PMOVSXBD
                  : dtype == FL_I16 ? FL_X_PMOVSXWD
                  : size == 1       ? FL_X_PMOVZXBD
                                    : FL_X_PMOVZXWD;
    if (dtype != FL_I1) {
        fl_x(&k->b, ins, length, dst, -1, from, 0, 0, 0);
        return;
    }
    int t = fl_jcg_take(c, FL_VECTOR);
    fl_x(&k->b, wide_masks(k) ? FL_X_PMOVZXBQ : FL_X_PMOVZXBD, 1, t, -1, from, 0, 0, 0);
    x3(k, FL_X_PXOR, 1, dst, dst, dst, 0);
    x3(k, wide_masks(k) ? FL_X_PSUBQ : FL_X_PSUBD, 1, dst, dst, t, 0);
    fl_jcg_give(c, FL_VECTOR, t);
}

/* Elements of 1 or 2 bytes of a vector, in the low part of t. */
static void narrow(fl_jcg *c, fl_dtype dtype, int t, int src)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int without = fl_dtype_kind(dtype) != FL_KIND_INT && dtype != FL_I1;
    if (dtype == FL_I1) src = mask32(c, src, t);
    fl_xins words = without ? FL_X_PACKUSDW : FL_X_PACKSSDW;
    if (k->lanes == 8) {
        fl_x(&k->b, FL_X_EXTRACTF128, 1, src, -1, fl_xreg(t), 1, 0, 0);
        x3(k, words, 0, t, src, t, 0);
    } else {
        x3(k, words, 0, t, src, src, 0);
    }
    if (fl_dtype_bytes(dtype) == 2) return;
    x3(k, without ? FL_X_PACKUSWB : FL_X_PACKSSWB, 0, t, t, t, 0);
    if (dtype == FL_I1) fl_x(&k->b, FL_X_PABSB, 0, t, -1, fl_xreg(t), 0, 0, 0);
}

static void store_vector(fl_jcg *c, fl_dtype dtype, int src, fl_xrm to, int masked, int stream)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int size = (int)fl_dtype_bytes(dtype), length = fl_xlength(k, size == 8 ? FL_T_I64 : FL_T_I32);
    if (size >= 4) {
        if (masked)
            fl_x(&k->b, size == 8 ? FL_X_MASKMOVPD_ST : FL_X_MASKMOVPS_ST, length, src, tail_of(k, size), to,
                 0, 0, 0);
        else
            fl_x(&k->b, stream ? FL_X_STREAMPS : FL_X_STOREPS, length, src, -1, to, 0, 0, 0);
        return;
    }
    int t = fl_jcg_take(c, FL_VECTOR), bytes = size * k->lanes;
    narrow(c, dtype, t, src);
    fl_xrm place = masked ? fl_xmem(FL_RSP, k->tail_area) : to;
    fl_x(&k->b,
         bytes == 16  ? FL_X_STOREPS
         : bytes == 8 ? FL_X_MOVQ_ST
                      : FL_X_MOVD_ST,
         0, t, -1, place, 0, 0, 0);
    fl_jcg_give(c, FL_VECTOR, t);
    if (masked) copy_tail(k, to, size, 1);
}

static void broadcast_gpr(fl_xkernel *k, int wide, int length, int dst, int gpr)
{
    fl_x(&k->b, wide ? FL_X_MOVQ_XG : FL_X_MOVD_XG, 0, dst, -1, fl_xreg(gpr), 0, 0, 0);
    fl_x(&k->b, wide ? FL_X_PBROADCASTQ : FL_X_PBROADCASTD, length, dst, -1, fl_xreg(dst), 0, 0, 0);
}

static void load_element(fl_jcg *c, const fl_jnode *n, int dst, fl_xrm from)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int size = (int)fl_dtype_bytes((fl_dtype)n->dtype);
    if (size >= 4) {
        fl_x(&k->b, size == 8 ? FL_X_BROADCASTSD : FL_X_BROADCASTSS, fl_xlength(k, n->type), dst, -1, from, 0,
             0, 0);
        return;
    }
    int sign = fl_dtype_kind((fl_dtype)n->dtype) == FL_KIND_INT;
    fl_xg2(&k->b, (size == 1 ? 0xb6 : 0xb7) + 8 * sign, 0, FL_R15, from);
    k->cached_pointer = -1;
    if (n->dtype == FL_I1) fl_xg(&k->b, 0xf7, 0, 3, fl_xreg(FL_R15)); /* neg */
    broadcast_gpr(k, 0, 1, dst, FL_R15);
}

static void store_element(fl_jcg *c, fl_dtype dtype, int src, fl_xrm to)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int size = (int)fl_dtype_bytes(dtype);
    if (size >= 4) {
        fl_x(&k->b, size == 8 ? FL_X_MOVSD_ST : FL_X_MOVSS_ST, 0, src, -1, to, 0, 0, 0);
        return;
    }
    fl_x(&k->b, FL_X_MOVD_GX, 0, src, -1, fl_xreg(FL_RDX), 0, 0, 0); /* free between loops */
    if (dtype == FL_I1) fl_xg_imm(&k->b, 4, 0, fl_xreg(FL_RDX), 1);
    if (size == 2) fl_xbytes(&k->b, (uint8_t[1]){0x66}, 1);
    fl_xg(&k->b, size == 1 ? 0x88 : 0x89, 0, FL_RDX, to);
}

static void index_to_gpr(fl_xkernel *k, int gpr, int reg, int wide)
{
    fl_x(&k->b, wide ? FL_X_MOVQ_GX : FL_X_MOVD_GX, 0, reg, -1, fl_xreg(gpr), 0, 0, 0);
    if (!wide) fl_xg(&k->b, 0x63, 1, gpr, fl_xreg(gpr)); /* movsxd */
}

/* --- operations --- */

static void fused(fl_jcg *c, const fl_jnode *n, int dst, fl_jarg *a)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, n->type), wide = n->type == FL_T_F64, in[3];
    static const uint8_t forms[2][2][3] = {{{FL_X_FMADD132PS, FL_X_FMADD213PS, FL_X_FMADD231PS},
                                            {FL_X_FMADD132PD, FL_X_FMADD213PD, FL_X_FMADD231PD}},
                                           {{FL_X_FNMADD132PS, FL_X_FNMADD213PS, FL_X_FNMADD231PS},
                                            {FL_X_FNMADD132PD, FL_X_FNMADD213PD, FL_X_FNMADD231PD}}};
    const uint8_t *f = forms[n->op == FL_J_FNMA][wide];
    for (int i = 0; i < 3; i++) in[i] = a[i].place == FL_IN_REGISTER;
    if (in[2] && a[2].reg == dst) {
        fl_x(&k->b, f[2], length, dst, a[0].reg, operand(a[1]), 0, 0, 0);
    } else if (in[0] && a[0].reg == dst) {
        if (in[1])
            fl_x(&k->b, f[1], length, dst, a[1].reg, operand(a[2]), 0, 0, 0);
        else
            fl_x(&k->b, f[0], length, dst, a[2].reg, operand(a[1]), 0, 0, 0);
    } else if (in[1] && a[1].reg == dst) {
        fl_x(&k->b, f[1], length, dst, a[0].reg, operand(a[2]), 0, 0, 0);
    } else {
        if (in[2])
            move(c, FL_VECTOR, dst, a[2].reg);
        else
            fill(c, FL_VECTOR, n->type, dst, a[2]);
        fl_x(&k->b, f[2], length, dst, a[0].reg, operand(a[1]), 0, 0, 0);
    }
}

/* (a & b) | (~a & c) */
static void merge(fl_jcg *c, int dst, const fl_jarg *a)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int t = fl_jcg_take(c, FL_VECTOR);
    x3(k, FL_X_PAND, 1, t, a[0].reg, a[1].reg, 0);
    x3(k, FL_X_PANDN, 1, dst, a[0].reg, a[2].reg, 0);
    x3(k, FL_X_POR, 1, dst, dst, t, 0);
    fl_jcg_give(c, FL_VECTOR, t);
}

static void invert(fl_jcg *c, int dst, int src)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int t = fl_jcg_take(c, FL_VECTOR);
    x3(k, FL_X_PCMPEQD, 1, t, t, t, 0);
    x3(k, FL_X_PXOR, 1, dst, src, t, 0);
    fl_jcg_give(c, FL_VECTOR, t);
}

/* A comparison's result has elements of the operands' width: 32 bits become the width of masks. */
static void widen_mask(fl_xkernel *k, int dst, int type)
{
    if (wide_masks(k) && fl_jtype_bytes(type) == 4)
        fl_x(&k->b, FL_X_PMOVSXDQ, 1, dst, -1, fl_xreg(dst), 0, 0, 0);
}

static void compare(fl_jcg *c, const fl_jnode *n, int dst, fl_jarg *a)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int type = c->g->nodes[n->v[0]].type, length = fl_xlength(k, type), wide = fl_jtype_bytes(type) == 8;
    if (n->op == FL_J_FCMP) {
        fl_x(&k->b, rows[FL_J_FCMP][type], length, dst, a[0].reg, operand(a[1]), n->imm, 0, 0);
        widen_mask(k, dst, type);
        return;
    }
    fl_xins equal = wide ? FL_X_PCMPEQQ : FL_X_PCMPEQD, greater = wide ? FL_X_PCMPGTQ : FL_X_PCMPGTD;
    int inverted = n->imm == 2 || n->imm == 4 || n->imm == 5, swapped = n->imm == 1 || n->imm == 5;
    x3(k, (n->imm & 3) == 0 ? equal : greater, length, dst, a[swapped].reg, a[!swapped].reg, 0);
    widen_mask(k, dst, type);
    if (inverted) invert(c, dst, dst);
}

static void select(fl_jcg *c, const fl_jnode *n, int dst, const fl_jarg *a)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int wide = fl_jtype_bytes(n->type) == 8, t = -1, mask = a[0].reg;
    if (is_choice_of_zero(c, n, 2)) {
        x3(k, FL_X_PAND, 1, dst, mask, a[1].reg, 0);
        return;
    }
    if (is_choice_of_zero(c, n, 1)) {
        x3(k, FL_X_PANDN, 1, dst, mask, a[2].reg, 0);
        return;
    }
    if (!wide && wide_masks(k)) mask = mask32(c, mask, t = fl_jcg_take(c, FL_VECTOR));
    fl_x(&k->b, wide ? FL_X_BLENDVPD : FL_X_BLENDVPS, fl_xlength(k, n->type), dst, a[2].reg,
         fl_xreg(a[1].reg), mask << 4, 0, 0);
    if (t >= 0) fl_jcg_give(c, FL_VECTOR, t);
}

/* Half precision goes through a vector of 16-bit elements. */
static void half(fl_jcg *c, const fl_jnode *n, int dst, int src)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, FL_T_I32), t = fl_jcg_take(c, FL_VECTOR);
    if (n->op == FL_J_F16_F32) {
        narrow(c, FL_F16, t, src);
        fl_x(&k->b, FL_X_CVTPH2PS, length, dst, -1, fl_xreg(t), 0, 0, 0);
    } else {
        fl_x(&k->b, FL_X_CVTPS2PH, length, src, -1, fl_xreg(t), 0, 0, 0);
        fl_x(&k->b, FL_X_PMOVZXWD, length, dst, -1, fl_xreg(t), 0, 0, 0);
    }
    fl_jcg_give(c, FL_VECTOR, t);
}

static void columns(fl_jcg *c, const fl_jnode *n, int dst, int u)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int wide = n->type == FL_T_I64, length = fl_xlength(k, n->type), bytes = wide ? 8 : 4;
    broadcast_gpr(k, wide, length, dst, FL_RAX);
    fl_xrm lanes = fl_xmem(-1, (wide ? k->iota64 : k->iota32) + u * k->lanes * bytes);
    fl_x(&k->b, wide ? FL_X_PADDQ : FL_X_PADDD, length, dst, dst, lanes, 0, 0, 0);
}

static void emit(fl_jcg *c, uint16_t node, int dst, fl_jarg *a, int dying, int u, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    fl_xbuf *b = &k->b;
    const fl_jnode *n = &c->g->nodes[node];
    int length = fl_xlength(k, n->type), pointer = k->pointer_of_memory[n->memory] - 1,
        size = (int)fl_dtype_bytes((fl_dtype)n->dtype);
    fl_xins ins = rows[n->op][n->type];
    (void)dying;
    switch (n->op) {
    case FL_J_LOAD:
        if (n->level == FL_V_FULL)
            load_vector(c, n->dtype, dst, fl_xaddress(k, pointer, size, u), masked);
        else
            load_element(c, n, dst, fl_xmem(fl_xpointer_reg(k, pointer), 0));
        return;
    case FL_J_LOAD_ROW_AT:
        load_vector(c, n->dtype, dst, fl_xaddress(k, k->pointer_of_node[node] - 1, size, u), masked);
        return;
    case FL_J_STORE:
        store_vector(c, n->dtype, a[0].reg, fl_xaddress(k, pointer, size, u), masked,
                     n->stream && k->streaming);
        return;
    case FL_J_STORE_ROW:
        store_element(c, n->dtype, a[0].reg, fl_xmem(fl_xpointer_reg(k, pointer), 0));
        return;
    case FL_J_CALL1:
    case FL_J_CALL2: fl_xcall(k, n, dst, a, masked); return;
    case FL_J_COLUMN: columns(c, n, dst, u); return;
    case FL_J_COUNT: broadcast_gpr(k, n->type == FL_T_I64, length, dst, fl_xpointer_reg(k, pointer)); return;
    case FL_J_STEP:
        k->cached_pointer = -1;
        fl_xg(b, 0x8b, 1, FL_R15, fl_xmem(FL_RDI, 24 + 24 * n->memory + 16));
        broadcast_gpr(k, n->type == FL_T_I64, length, dst, FL_R15);
        return;
    case FL_J_FMA:
    case FL_J_FNMA: fused(c, n, dst, a); return;
    case FL_J_MERGE: merge(c, dst, a); return;
    case FL_J_SELECT: select(c, n, dst, a); return;
    case FL_J_FCMP:
    case FL_J_SCMP: compare(c, n, dst, a); return;
    case FL_J_ROUND: fl_x(b, ins, length, dst, -1, operand(a[0]), n->imm | 8, 0, 0); return;
    case FL_J_SHLI:
    case FL_J_SHRI:
    case FL_J_SARI: fl_x(b, ins, length, dst, -1, operand(a[0]), n->imm, 0, 0); return;
    case FL_J_FSQRT: fl_x(b, ins, length, dst, -1, operand(a[0]), 0, 0, 0); return;
    case FL_J_BITS: move(c, FL_VECTOR, dst, a[0].reg); return;
    case FL_J_I64_I32: {
        int t = fl_jcg_take(c, FL_VECTOR);
        fl_x(b, FL_X_EXTRACTF128, 1, a[0].reg, -1, fl_xreg(t), 1, 0, 0);
        x3(k, FL_X_SHUFPS, 0, dst, a[0].reg, t, 0x88);
        fl_jcg_give(c, FL_VECTOR, t);
        return;
    }
    case FL_J_F16_F32:
    case FL_J_F32_F16: half(c, n, dst, a[0].reg); return;
    case FL_J_MNOT: invert(c, dst, a[0].reg); return;
    default: break;
    }
    if (conversions[n->op].ins) {
        int whole = conversions[n->op].whole ? 1 : fl_xlength(k, FL_T_I32);
        fl_x(b, conversions[n->op].ins, whole, dst, -1, fl_xreg(a[0].reg), 0, 0, 0);
        return;
    }
    fl_x(b, ins, length, dst, a[0].reg, operand(a[1]), 0, 0, 0);
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

static void blend(fl_xkernel *k, int type, int dst, int no, int yes, int mask)
{
    fl_x(&k->b, fl_jtype_bytes(type) == 8 ? FL_X_BLENDVPD : FL_X_BLENDVPS, fl_xlength(k, type), dst, no,
         fl_xreg(yes), mask << 4, 0, 0);
}

/* acc = acc (op) x in the lanes there are; an extremum that is NaN already stays so. */
static void combine(fl_jcg *c, const fl_jnode *n, int acc, int x, int masked)
{
    fl_xkernel *k = fl_xkernel_of(c);
    int length = fl_xlength(k, n->type), extremum = n->imm == FL_J_FMAX || n->imm == FL_J_FMIN;
    if (!masked && !extremum) {
        x3(k, rows[n->imm][n->type], length, acc, acc, x, 0);
        return;
    }
    int t = fl_jcg_take(c, FL_VECTOR), number = extremum ? fl_jcg_take(c, FL_VECTOR) : -1;
    x3(k, rows[n->imm][n->type], length, t, acc, x, 0);
    if (extremum) {
        x3(k, rows[FL_J_FCMP][n->type], length, number, acc, acc, 3);
        blend(k, n->type, t, t, acc, number);
        fl_jcg_give(c, FL_VECTOR, number);
    }
    if (masked)
        blend(k, n->type, acc, acc, t, tail_of(k, fl_jtype_bytes(n->type)));
    else
        move(c, FL_VECTOR, acc, t);
    fl_jcg_give(c, FL_VECTOR, t);
}

static void reduce(fl_jcg *c, uint16_t node, fl_jarg arg, int u, int masked)
{
    int r = 0;
    while (c->reduction_nodes[r] != node) r++;
    combine(c, &c->g->nodes[node], c->accumulators[r][u], arg.reg, masked);
}

static void start(fl_xkernel *k, uint16_t node, int reg)
{
    const fl_jnode *n = &k->c.g->nodes[node];
    uint64_t bits = fl_jidentity(n);
    int wide = fl_jtype_bytes(n->type) == 8, length = fl_xlength(k, n->type);
    if (!bits) {
        x3(k, FL_X_PXOR, 1, reg, reg, reg, 0);
        return;
    }
    fl_xmov_r15(k, bits, wide);
    broadcast_gpr(k, wide, length, reg, FL_R15);
}

static void fold(fl_xkernel *k, int r, int count)
{
    fl_jcg *c = &k->c;
    const fl_jnode *n = &c->g->nodes[c->reduction_nodes[r]];
    const int8_t *regs = c->accumulators[r];
    int wide = fl_jtype_bytes(n->type) == 8, length = fl_xlength(k, n->type), t = regs[count > 1 ? 1 : 0];
    for (int step = count / 2; step; step /= 2)
        for (int i = 0; i < step; i++) combine(c, n, regs[i], regs[i + step], 0);
    if (count == 1) t = fl_jcg_take(c, FL_VECTOR);
    if (length == 1) {
        x3(k, FL_X_PERM2F128, 1, t, regs[0], regs[0], 1);
        combine(c, n, regs[0], t, 0);
    }
    for (int i = 16 / fl_jtype_bytes(n->type); i > 1; i /= 2) {
        int imm = wide ? 5 : i == 4 ? 0x4e : 0xb1;
        fl_x(&k->b, wide ? FL_X_PERMILPD : FL_X_PERMILPS, length, t, -1, fl_xreg(regs[0]), imm, 0, 0);
        combine(c, n, regs[0], t, 0);
    }
    if (count == 1) fl_jcg_give(c, FL_VECTOR, t);
}

/* rdx: minus the number of lanes there are; then their masks, from a table of as many ones and zeros. */
static void tail_mask(fl_xkernel *k)
{
    fl_xbuf *b = &k->b;
    fl_xg(b, 0x8b, 0, FL_R15, fl_xreg(FL_RCX));
    fl_xg(b, 0x2b, 0, FL_R15, fl_xreg(FL_RAX)); /* columns left */
    fl_xg(b, 0xc7, 0, 0, fl_xreg(FL_RDX));
    fl_xbytes(b, &(int32_t){k->lanes}, 4);
    fl_xg(b, 0x39, 0, FL_RDX, fl_xreg(FL_R15));  /* cmp r15d, edx */
    fl_xg2(b, 0x4c, 0, FL_RDX, fl_xreg(FL_R15)); /* cmovl */
    fl_xg(b, 0xf7, 1, 3, fl_xreg(FL_RDX));       /* neg */
    fl_xrm at = {.reg = -1, .base = FL_R15, .index = FL_RDX, .scale = 2};
    fl_xg(b, 0x8d, 1, FL_R15, fl_xmem(-1, k->tail_table + 32)); /* lea */
    fl_x(b, FL_X_MOVUPS, k->lanes == 8, wide_masks(k) ? TAIL32 : TAIL, -1, at, 0, 0, 0);
    if (wide_masks(k)) fl_x(b, FL_X_PMOVSXDQ, 1, TAIL, -1, fl_xreg(TAIL32), 0, 0, 0);
    k->cached_pointer = -1;
}

static fl_status emit_kernel(fl_jgraph *g, const fl_jschedule *s, int lanes, fl_jmade *out)
{
    return fl_xkernel_emit(&fl_x_avx2, g, s, lanes, out);
}

const fl_xtarget fl_x_avx2 = {
    .base = {.name = "avx2",
             .vector_bytes = 32,
             .registers = 16,
             .has_i64 = 1,
             .lacks = lacks,
             .function = fl_xtemplate_add,
             .emit = emit_kernel},
    .machine = {spill, fill, move, takes_memory, emit, keep, reload, reduce, fl_xtemplate_emit},
    .vectors = 0x7fff,
    .vex = 1,
    .index_to_gpr = index_to_gpr,
    .tail_mask = tail_mask,
    .start = start,
    .fold = fold,
};
