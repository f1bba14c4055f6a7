#include "cpu/jit/encode_x86.h"

#include <string.h>

const fl_xinfo fl_xinfos[FL_X_COUNT] = {
#define FL_X86(name, mnemonic, map, pp, w, opcode, form, tuple, vex)                                         \
    {mnemonic, map, pp, w, opcode, FL_XF_##form, FL_XT_##tuple, vex},
#include "cpu/jit/x86.def"
#undef FL_X86
};

#define LONGEST 15

/* Bytes are written through a pointer of the function's own: stores of bytes may alias anything, the buffer's fields too. */
static uint8_t *room(fl_xbuf *b)
{
    if (b->end - b->at >= LONGEST) return b->at;
    if (b->log) b->log->failed = 1; /* its buffer has no room */
    b->full = 1;
    return NULL;
}

static inline uint8_t *word(uint8_t *p, int32_t x)
{
    memcpy(p, &x, 4);
    return p + 4;
}

void fl_xbytes(fl_xbuf *b, const void *bytes, int n)
{
    if (!room(b)) return;
    memcpy(b->at, bytes, (size_t)n);
    b->at += n;
}

/* ModRM, SIB and displacement. shift: log2 of what an eight-bit displacement counts in; after: bytes that follow. */
static inline uint8_t *modrm(uint8_t *p, const uint8_t *start, int reg, const fl_xrm *rm, int shift,
                             int after)
{
    reg = (reg & 7) << 3;
    if (rm->reg >= 0) {
        *p++ = (uint8_t)(0xc0 | reg | (rm->reg & 7));
        return p;
    }
    if (rm->base < 0) {
        *p++ = (uint8_t)(reg | 5);
        return word(p, rm->disp - (int32_t)(p + 4 + after - start));
    }
    int sib = rm->index >= 0 || (rm->base & 7) == FL_RSP, mod = 0x80;
    int32_t small = rm->disp >> shift;
    if (rm->disp == 0 && (rm->base & 7) != FL_RBP)
        mod = 0;
    else if (small * (1 << shift) == rm->disp && small >= -128 && small <= 127)
        mod = 0x40;
    *p++ = (uint8_t)(mod | reg | (sib ? 4 : rm->base & 7));
    if (sib) *p++ = (uint8_t)(rm->scale << 6 | (rm->index >= 0 ? rm->index & 7 : 4) << 3 | (rm->base & 7));
    if (mod == 0x40) *p++ = (uint8_t)small;
    if (mod == 0x80) p = word(p, rm->disp);
    return p;
}

/* The third and fourth bit of each register number: ModRM.reg, SIB.index (or the high bit of a register in rm), base. */
static int bit(int x, int i)
{
    return x >= 0 ? x >> i & 1 : 0;
}

/* What the encoding of an instruction needs: prefix bytes of its EVEX form without registers, log2 of a displacement's unit
 * (of xmm, if `grows`), bytes of immediate, the extension of the opcode (its destination is in vvvv then). */
static const struct {
    uint32_t prefix;
    uint8_t opcode, shift : 3, grows : 1, after : 1, indexed : 1, vex : 2, extension;
} evex[FL_X_COUNT] = {
#define AFTER(form)                                                                                          \
    (FL_XF_##form == FL_XF_RMI || FL_XF_##form == FL_XF_RVMI || FL_XF_##form == FL_XF_KVMI ||                \
     FL_XF_##form == FL_XF_MRI || FL_XF_##form == FL_XF_RVMR ||                                              \
     (FL_XF_##form >= FL_XF_VMI2 && FL_XF_##form <= FL_XF_VMI6))
#define SHIFT(tuple) (FL_XT_##tuple <= FL_XT_E ? 4 - FL_XT_##tuple : FL_XT_##tuple == FL_XT_S4 ? 2 : 3)
#define FL_X86(name, mnemonic, map, pp, w, opcode, form, tuple, vex)                                         \
    {0x62 | (0xf0 | map) << 8 | (w << 7 | 0x7c | pp) << 16 | 8u << 24,                                       \
     opcode,                                                                                                 \
     SHIFT(tuple),                                                                                           \
     FL_XT_##tuple <= FL_XT_E,                                                                               \
     AFTER(form),                                                                                            \
     FL_XF_##form == FL_XF_RS,                                                                               \
     vex,                                                                                                    \
     FL_XF_##form == FL_XF_VMI2   ? 2                                                                        \
     : FL_XF_##form == FL_XF_VMI4 ? 4                                                                        \
     : FL_XF_##form == FL_XF_VMI6 ? 6                                                                        \
                                  : 0},
#include "cpu/jit/x86.def"
#undef FL_X86
};

static void vex_packed(fl_xbuf *b, const fl_xrm *rm, fl_xins ins, int length, int reg, int v, uint8_t imm)
{
    const fl_xinfo *info = &fl_xinfos[ins];
    int high = rm->reg >= 0 ? 0 : bit(rm->index, 3),
        base = rm->reg >= 0 ? rm->reg >> 3 & 1 : bit(rm->base, 3);
    int w = info->vex >= 2 ? info->w : 0, after = evex[ins].after;
    uint8_t *p = b->at;
    *p++ = 0xc4;
    *p++ = (uint8_t)(!bit(reg, 3) << 7 | !high << 6 | !base << 5 | info->map);
    *p++ = (uint8_t)(w << 7 | (~v & 15) << 3 | (length & 1) << 2 | info->pp);
    *p++ = info->opcode;
    p = modrm(p, b->start, reg, rm, 0, after);
    if (after) *p++ = imm;
    b->at = p;
}

static void add_to_log(fl_xlog *log, fl_xrm rm, fl_xins ins, uint64_t packed)
{
    if (log->count == FL_X_MOST_LOGGED)
        log->failed = 1;
    else
        log->entries[log->count++] = (fl_xlogged){rm, ins, packed};
}

void fl_x_packed(fl_xbuf *b, fl_xrm rm, fl_xins ins, uint64_t packed)
{
    if (b->log) {
        add_to_log(b->log, rm, ins, packed);
        return;
    }
    unsigned length = packed & 3, reg = packed >> 4 & 31, v = packed >> 12 & 63, after = evex[ins].after;
    uint8_t *p = room(b);
    if (!p) return;
    if (v == 63) v = 0; /* none */
    if (evex[ins].extension) {
        v = reg;
        reg = evex[ins].extension;
    }
    if (b->vex && evex[ins].vex) {
        vex_packed(b, &rm, ins, (int)length, (int)reg, (int)v, (uint8_t)(packed >> 32));
        return;
    }
    /* register numbers are inverted in the prefix; mask and zeroing lie in `packed` as there */
    uint32_t prefix = (evex[ins].prefix ^ ((reg & 8) << 12 | (reg & 16) << 8 | (v & 15) << 19)) | length
                                                                                                      << 29;
    prefix |= (uint32_t)packed & 0x87000000u;
    if (rm.reg >= 0) {
        uint32_t r = (uint32_t)rm.reg;
        prefix ^= (r & 24) << 10 | (v & 16) << 23;
        uint64_t bytes = prefix | (uint64_t)evex[ins].opcode << 32 |
                         (uint64_t)(0xc0 | (reg & 7) << 3 | (r & 7)) << 40 | packed >> 32 << 48;
        memcpy(p, &bytes, 8);
        b->at = p + 6 + after;
        return;
    }
    if (evex[ins].indexed) v = (uint32_t)rm.index;
    prefix ^= (uint32_t)bit(rm.index, 3) << 14 | (uint32_t)bit(rm.base, 3) << 13 | (v & 16) << 23;
    prefix |= (uint32_t)rm.broadcast << 28;
    p = word(p, (int32_t)prefix);
    *p++ = evex[ins].opcode;
    int shift = rm.broadcast ? 2 + fl_xinfos[ins].w : evex[ins].shift + (evex[ins].grows ? (int)length : 0);
    p = modrm(p, b->start, (int)reg, &rm, shift, (int)after);
    if (after) *p++ = (uint8_t)(packed >> 32);
    b->at = p;
}

/* --- mask registers: VEX, numbers below 8 --- */

static void vex2(fl_xbuf *b, int map, int w, int length, int opcode, int reg, int vvvv, fl_xrm rm)
{
    uint8_t *p = room(b);
    if (!p) return;
    int high = rm.reg >= 0 ? 0 : bit(rm.index, 3), base = rm.reg >= 0 ? bit(rm.reg, 3) : bit(rm.base, 3);
    *p++ = 0xc4;
    *p++ = (uint8_t)(!bit(reg, 3) << 7 | !high << 6 | !base << 5 | map);
    *p++ = (uint8_t)(w << 7 | (~vvvv & 15) << 3 | length << 2);
    *p++ = (uint8_t)opcode;
    b->at = modrm(p, b->start, reg, &rm, 0, 0);
}

void fl_xk(fl_xbuf *b, int opcode, int dst, int a, int b2)
{
    if (opcode == 0x44)
        vex2(b, 1, 0, 0, opcode, dst, 0, fl_xreg(a));
    else
        vex2(b, 1, 0, 1, opcode, dst, a, fl_xreg(b2));
}
void fl_xk_test(fl_xbuf *b, int mask, int eight)
{
    uint8_t *p = room(b);
    if (!p) return;
    p = word(p, (int32_t)(0x98000000u | (0x78u | (uint32_t)eight) << 16 | 0xe1c4u)); /* kortestw, kortestb */
    *p++ = (uint8_t)(0xc0 | mask << 3 | mask);
    b->at = p;
}
void fl_xk_from_gpr(fl_xbuf *b, int dst, int gpr)
{
    vex2(b, 1, 0, 0, 0x92, dst, 0, fl_xreg(gpr));
}
void fl_xk_to_gpr(fl_xbuf *b, int gpr, int src)
{
    vex2(b, 1, 0, 0, 0x93, gpr, 0, fl_xreg(src));
}
void fl_xk_load(fl_xbuf *b, int dst, fl_xrm memory)
{
    vex2(b, 1, 0, 0, 0x90, dst, 0, memory);
}
void fl_xk_store(fl_xbuf *b, fl_xrm memory, int src)
{
    vex2(b, 1, 0, 0, 0x91, src, 0, memory);
}
void fl_xk_move(fl_xbuf *b, int dst, int src)
{
    vex2(b, 1, 0, 0, 0x90, dst, 0, fl_xreg(src));
}
void fl_x_bzhi(fl_xbuf *b, int dst, int src, int count)
{
    vex2(b, 2, 0, 0, 0xf5, dst, count, fl_xreg(src));
}

/* --- scalar --- */

static inline uint8_t *rex(uint8_t *p, int wide, int reg, const fl_xrm *rm)
{
    int index = rm->reg >= 0 ? 0 : bit(rm->index, 3),
        base = rm->reg >= 0 ? bit(rm->reg, 3) : bit(rm->base, 3);
    int bits = wide << 3 | bit(reg, 3) << 2 | index << 1 | base;
    if (bits) *p++ = (uint8_t)(0x40 | bits);
    return p;
}

void fl_xg(fl_xbuf *b, int opcode, int wide, int reg, fl_xrm rm)
{
    uint8_t *p = room(b);
    if (!p) return;
    p = rex(p, wide, reg, &rm);
    *p++ = (uint8_t)opcode;
    b->at = modrm(p, b->start, reg, &rm, 0, 0);
}

void fl_xg2(fl_xbuf *b, int opcode, int wide, int reg, fl_xrm rm)
{
    uint8_t *p = room(b);
    if (!p) return;
    p = rex(p, wide, reg, &rm);
    *p++ = 0x0f;
    *p++ = (uint8_t)opcode;
    b->at = modrm(p, b->start, reg, &rm, 0, 0);
}

void fl_xg_imm(fl_xbuf *b, int extension, int wide, fl_xrm rm, int32_t imm)
{
    uint8_t *p = room(b);
    if (!p) return;
    int small = imm >= -128 && imm <= 127;
    p = rex(p, wide, 0, &rm);
    *p++ = small ? 0x83 : 0x81;
    p = modrm(p, b->start, extension, &rm, 0, small ? 1 : 4);
    if (small)
        *p++ = (uint8_t)imm;
    else
        p = word(p, imm);
    b->at = p;
}

uint8_t *fl_xjump(fl_xbuf *b, int condition)
{
    uint8_t *p = room(b);
    if (!p) return b->start;
    if (condition != 0xe9) *p++ = 0x0f;
    *p++ = (uint8_t)condition;
    b->at = word(p, 0);
    return p;
}

void fl_xland(fl_xbuf *b, uint8_t *jump)
{
    if (b->full) return;
    word(jump, (int32_t)(b->at - (jump + 4)));
}

void fl_xback(fl_xbuf *b, int condition, const uint8_t *target)
{
    uint8_t *p = room(b);
    if (!p) return;
    int32_t distance = (int32_t)(target - (p + 2));
    if (distance >= -128) {
        *p++ = (uint8_t)(condition == 0xe9 ? 0xeb : condition - 0x10);
        *p++ = (uint8_t)distance;
        b->at = p;
        return;
    }
    p = fl_xjump(b, condition);
    word(p, (int32_t)(target - (p + 4)));
}
