#include "cpu/jit/encode_x86.h"

#include <string.h>

const fl_xinfo fl_xinfos[FL_X_COUNT] = {
#define FL_X86(name, mnemonic, map, pp, w, opcode, form, tuple, vex)                                         \
    {mnemonic, map, pp, w, opcode, FL_XF_##form, FL_XT_##tuple, vex},
#include "cpu/jit/x86.def"
#undef FL_X86
};

#define LONGEST 15

static int room(fl_xbuf *b)
{
    if (b->end - b->at >= LONGEST) return 1;
    b->full = 1;
    return 0;
}

static void byte(fl_xbuf *b, int x)
{
    *b->at++ = (uint8_t)x;
}
static void word(fl_xbuf *b, int32_t x)
{
    memcpy(b->at, &x, 4);
    b->at += 4;
}

void fl_xbytes(fl_xbuf *b, const void *bytes, int n)
{
    if (!room(b)) return;
    memcpy(b->at, bytes, (size_t)n);
    b->at += n;
}

/* ModRM, SIB and displacement. unit: what an eight-bit displacement counts in (a power of two); after: bytes that follow. */
static void modrm(fl_xbuf *b, int reg, fl_xrm rm, int unit, int after)
{
    reg = (reg & 7) << 3;
    if (rm.reg >= 0) {
        byte(b, 0xc0 | reg | (rm.reg & 7));
        return;
    }
    if (rm.base < 0) {
        byte(b, reg | 5);
        word(b, rm.disp - (int32_t)(b->at + 4 + after - b->start));
        return;
    }
    int sib = rm.index >= 0 || (rm.base & 7) == FL_RSP, mod = 0x80;
    int32_t small = rm.disp / unit;
    if (rm.disp == 0 && (rm.base & 7) != FL_RBP)
        mod = 0;
    else if (rm.disp % unit == 0 && small >= -128 && small <= 127)
        mod = 0x40;
    byte(b, mod | reg | (sib ? 4 : rm.base & 7));
    if (sib) byte(b, rm.scale << 6 | (rm.index >= 0 ? rm.index & 7 : 4) << 3 | (rm.base & 7));
    if (mod == 0x40) byte(b, (int8_t)small);
    if (mod == 0x80) word(b, rm.disp);
}

/* The third and fourth bit of each register number: ModRM.reg, SIB.index (or the high bit of a register in rm), base. */
static int bit(int x, int i)
{
    return x >= 0 ? x >> i & 1 : 0;
}

static int unit_of(const fl_xinfo *info, int length, int broadcast)
{
    int bytes = 16 << length;
    if (broadcast) return info->w ? 8 : 4;
    switch (info->tuple) {
    case FL_XT_H: return bytes / 2;
    case FL_XT_Q: return bytes / 4;
    case FL_XT_S4: return 4;
    case FL_XT_S8: return 8;
    case FL_XT_B16: return 16;
    default: return bytes;
    }
}

static int has_immediate(int form)
{
    return form == FL_XF_RMI || form == FL_XF_RVMI || form == FL_XF_KVMI || form == FL_XF_MRI ||
           (form >= FL_XF_VMI2 && form <= FL_XF_VMI6);
}

void fl_x(fl_xbuf *b, fl_xins ins, int length, int reg, int vvvv, fl_xrm rm, int imm, int mask, int zero)
{
    const fl_xinfo *info = &fl_xinfos[ins];
    if (!room(b)) return;
    if (info->form >= FL_XF_VMI2 && info->form <= FL_XF_VMI6) { /* the destination is in vvvv */
        vvvv = reg;
        reg = 2 * (info->form - FL_XF_VMI2) + 2;
    }
    int high = rm.reg >= 0 ? bit(rm.reg, 4) : bit(rm.index, 3),
        base = rm.reg >= 0 ? bit(rm.reg, 3) : bit(rm.base, 3);
    int v = info->form == FL_XF_RS ? rm.index & 16 : vvvv < 0 ? 0 : vvvv, after = has_immediate(info->form);
    if (b->vex && info->vex) {
        int w = info->vex == 2 ? info->w : 0;
        byte(b, 0xc4);
        byte(b, !bit(reg, 3) << 7 | !high << 6 | !base << 5 | info->map);
        byte(b, w << 7 | (~v & 15) << 3 | (length & 1) << 2 | info->pp);
        byte(b, info->opcode);
        modrm(b, reg, rm, 1, after);
    } else {
        byte(b, 0x62);
        byte(b, !bit(reg, 3) << 7 | !high << 6 | !base << 5 | !bit(reg, 4) << 4 | info->map);
        byte(b, info->w << 7 | (~v & 15) << 3 | 4 | info->pp);
        byte(b, zero << 7 | length << 5 | rm.broadcast << 4 | !bit(v, 4) << 3 | mask);
        byte(b, info->opcode);
        modrm(b, reg, rm, unit_of(info, length, rm.broadcast), after);
    }
    if (after) byte(b, imm);
}

/* --- mask registers: VEX, numbers below 8 --- */

static void vex2(fl_xbuf *b, int map, int pp, int w, int length, int opcode, int reg, int vvvv, fl_xrm rm)
{
    if (!room(b)) return;
    int high = rm.reg >= 0 ? 0 : bit(rm.index, 3), base = rm.reg >= 0 ? bit(rm.reg, 3) : bit(rm.base, 3);
    byte(b, 0xc4);
    byte(b, !bit(reg, 3) << 7 | !high << 6 | !base << 5 | map);
    byte(b, w << 7 | (~vvvv & 15) << 3 | length << 2 | pp);
    byte(b, opcode);
    modrm(b, reg, rm, 1, 0);
}

void fl_xk(fl_xbuf *b, int opcode, int dst, int a, int b2)
{
    if (opcode == 0x44)
        vex2(b, 1, 0, 0, 0, opcode, dst, 0, fl_xreg(a));
    else
        vex2(b, 1, 0, 0, 1, opcode, dst, a, fl_xreg(b2));
}
void fl_xk_from_gpr(fl_xbuf *b, int dst, int gpr)
{
    vex2(b, 1, 0, 0, 0, 0x92, dst, 0, fl_xreg(gpr));
}
void fl_xk_to_gpr(fl_xbuf *b, int gpr, int src)
{
    vex2(b, 1, 0, 0, 0, 0x93, gpr, 0, fl_xreg(src));
}
void fl_xk_load(fl_xbuf *b, int dst, fl_xrm memory)
{
    vex2(b, 1, 0, 0, 0, 0x90, dst, 0, memory);
}
void fl_xk_store(fl_xbuf *b, fl_xrm memory, int src)
{
    vex2(b, 1, 0, 0, 0, 0x91, src, 0, memory);
}
void fl_xk_move(fl_xbuf *b, int dst, int src)
{
    vex2(b, 1, 0, 0, 0, 0x90, dst, 0, fl_xreg(src));
}
void fl_x_bzhi(fl_xbuf *b, int dst, int src, int count)
{
    vex2(b, 2, 0, 0, 0, 0xf5, dst, count, fl_xreg(src));
}

/* --- scalar --- */

static void rex(fl_xbuf *b, int wide, int reg, fl_xrm rm)
{
    int index = rm.reg >= 0 ? 0 : bit(rm.index, 3), base = rm.reg >= 0 ? bit(rm.reg, 3) : bit(rm.base, 3);
    byte(b, 0x40 | wide << 3 | bit(reg, 3) << 2 | index << 1 | base);
}

void fl_xg(fl_xbuf *b, int opcode, int wide, int reg, fl_xrm rm)
{
    if (!room(b)) return;
    rex(b, wide, reg, rm);
    byte(b, opcode);
    modrm(b, reg, rm, 1, 0);
}

void fl_xg2(fl_xbuf *b, int opcode, int wide, int reg, fl_xrm rm)
{
    if (!room(b)) return;
    rex(b, wide, reg, rm);
    byte(b, 0x0f);
    byte(b, opcode);
    modrm(b, reg, rm, 1, 0);
}

void fl_xg_imm(fl_xbuf *b, int extension, int wide, fl_xrm rm, int32_t imm)
{
    if (!room(b)) return;
    rex(b, wide, 0, rm);
    int small = imm >= -128 && imm <= 127;
    byte(b, small ? 0x83 : 0x81);
    modrm(b, extension, rm, 1, small ? 1 : 4);
    if (small)
        byte(b, (int8_t)imm);
    else
        word(b, imm);
}

uint8_t *fl_xjump(fl_xbuf *b, int condition)
{
    if (!room(b)) return b->start;
    if (condition != 0xe9) byte(b, 0x0f);
    byte(b, condition);
    uint8_t *place = b->at;
    word(b, 0);
    return place;
}

void fl_xland(fl_xbuf *b, uint8_t *jump)
{
    if (b->full) return;
    int32_t distance = (int32_t)(b->at - (jump + 4));
    memcpy(jump, &distance, 4);
}

void fl_xback(fl_xbuf *b, int condition, const uint8_t *target)
{
    if (!room(b)) return;
    int32_t distance = (int32_t)(target - (b->at + 2));
    if (distance >= -128) {
        byte(b, condition == 0xe9 ? 0xeb : condition - 0x10);
        byte(b, (int8_t)distance);
        return;
    }
    uint8_t *place = fl_xjump(b, condition);
    distance = (int32_t)(target - (place + 4));
    memcpy(place, &distance, 4);
}
