/* Bytes of x86-64 instructions: vector forms from the table x86.def, and the few scalar forms that loops need. */
#ifndef FL_CPU_JIT_ENCODE_X86_H
#define FL_CPU_JIT_ENCODE_X86_H

#include <stdint.h>

typedef enum fl_xins {
#define FL_X86(name, mnemonic, map, pp, w, opcode, form, tuple, vex) FL_X_##name,
#include "cpu/jit/x86.def"
#undef FL_X86
    FL_X_COUNT
} fl_xins;

typedef enum fl_xform {
    FL_XF_RVM,
    FL_XF_RM,
    FL_XF_RMI,
    FL_XF_RVMI,
    FL_XF_VMI2,
    FL_XF_VMI4,
    FL_XF_VMI6,
    FL_XF_MR,
    FL_XF_MRI,
    FL_XF_KVM,
    FL_XF_KVMI,
    FL_XF_RG,
    FL_XF_RK,
    FL_XF_GX,
    FL_XF_RS,
    FL_XF_RVMR,
    FL_XF_MVR,
    FL_XF_XG
} fl_xform;
typedef enum fl_xtuple { FL_XT_F, FL_XT_H, FL_XT_Q, FL_XT_E, FL_XT_S4, FL_XT_S8 } fl_xtuple;

typedef struct fl_xinfo {
    const char *mnemonic;
    uint8_t map, pp, w, opcode, form, tuple, vex;
} fl_xinfo;
extern const fl_xinfo fl_xinfos[FL_X_COUNT];

/* General registers by their numbers. */
enum { FL_RAX, FL_RCX, FL_RDX, FL_RBX, FL_RSP, FL_RBP, FL_RSI, FL_RDI, FL_R8, FL_R15 = 15 };

/* A register (reg >= 0), or memory at base + index << scale + disp; base -1: disp from the start of the code buffer. */
typedef struct fl_xrm {
    int8_t reg, base, index;
    uint8_t scale, broadcast;
    int32_t disp;
} fl_xrm;

/* Instructions in place of their bytes. */
enum { FL_X_MOST_LOGGED = 160 };
typedef struct fl_xlogged {
    fl_xrm rm;
    fl_xins ins;
    uint64_t packed;
} fl_xlogged;
typedef struct fl_xlog {
    fl_xlogged entries[FL_X_MOST_LOGGED];
    uint32_t count;
    uint8_t failed; /* too many, or one that is no vector instruction */
} fl_xlog;

typedef struct fl_xbuf {
    uint8_t *start, *at, *end; /* nothing is written beyond; `full` then */
    fl_xlog *log;              /* not NULL: where instructions go instead */
    uint8_t full, vex;         /* vex: AVX2 forms where there are some */
} fl_xbuf;

static inline fl_xrm fl_xreg(int reg)
{
    return (fl_xrm){.reg = (int8_t)reg};
}
static inline fl_xrm fl_xmem(int base, int32_t disp)
{
    return (fl_xrm){.reg = -1, .base = (int8_t)base, .index = -1, .disp = disp};
}

/* length: 0 xmm, 1 ymm, 2 zmm. reg: ModRM.reg; vvvv: -1 none; mask: 0 none. */
static inline void fl_x(fl_xbuf *b, fl_xins ins, int length, int reg, int vvvv, fl_xrm rm, int imm, int mask,
                        int zero);
/* The same, with all but the operand in memory in one word: a call of many arguments costs as much as the encoding. */
void fl_x_packed(fl_xbuf *b, fl_xrm rm, fl_xins ins, uint64_t packed);
static inline void fl_x(fl_xbuf *b, fl_xins ins, int length, int reg, int vvvv, fl_xrm rm, int imm, int mask,
                        int zero)
{
    uint32_t low = (uint32_t)(length | reg << 4 | (vvvv & 63) << 12 | mask << 24) | (uint32_t)zero << 31;
    fl_x_packed(b, rm, ins, low | (uint64_t)(uint8_t)imm << 32);
}

/* Mask registers: kandw, kandnw, korw, kxorw (opcodes 0x41, 0x42, 0x45, 0x47), kxnorw 0x46; knotw 0x44. */
void fl_xk(fl_xbuf *b, int opcode, int dst, int a, int b2);
void fl_xk_from_gpr(fl_xbuf *b, int dst, int gpr);
void fl_xk_to_gpr(fl_xbuf *b, int gpr, int src);
void fl_xk_load(fl_xbuf *b, int dst, fl_xrm memory);
void fl_xk_store(fl_xbuf *b, fl_xrm memory, int src);
void fl_xk_test(fl_xbuf *b, int mask, int eight); /* carry: all of 16 (or 8) bits are set */
void fl_xk_move(fl_xbuf *b, int dst, int src);

/* Scalar instructions. wide: 64 bits. */
void fl_xg(fl_xbuf *b, int opcode, int wide, int reg, fl_xrm rm);            /* one-byte opcode and ModRM */
void fl_xg2(fl_xbuf *b, int opcode, int wide, int reg, fl_xrm rm);           /* 0F opcode */
void fl_xg_imm(fl_xbuf *b, int extension, int wide, fl_xrm rm, int32_t imm); /* 81 /extension */
void fl_x_bzhi(fl_xbuf *b, int dst, int src, int count);
void fl_xbytes(fl_xbuf *b, const void *bytes, int n);
uint8_t *fl_xjump(fl_xbuf *b,
                  int condition); /* 0x0F8x's low byte, or 0xE9: jmp; gives the place of the distance */
void fl_xland(fl_xbuf *b, uint8_t *jump); /* the jump ends here */
void fl_xback(fl_xbuf *b, int condition, const uint8_t *target);

#endif
