/* The NEON backend: the words of instructions, and what its two files share. neon_kernel.c is the frame, rows and loops of a
 * kernel, target_neon.c the instructions of operations. */
#ifndef FL_CPU_JIT_NEON_H
#define FL_CPU_JIT_NEON_H

#include "cpu/jit/allocate.h"

#define FL_N_POINTERS 10 /* x5 to x14 */

/* x0 the call, x1 rows left, x2 columns, x3 the end of a loop's whole steps, x4 the column, x5-x14 addresses of the row, x15, x16
 * for short, x17 the address of an operand's column, x19 the lanes of the tail, x20 and x21 for copying them. */
enum {
    FL_NX_ROWS = 1,
    FL_NX_COLUMNS,
    FL_NX_END,
    FL_NX_COLUMN,
    FL_NX_TEMP = 15,
    FL_NX_LONG = 16,
    FL_NX_ADDRESS = 17,
    FL_NX_LEFT = 19,
    FL_NX_COUNT = 20,
    FL_NX_DATA = 21,
    FL_NX_SP = 31
};
enum { FL_N_TAIL = 31, FL_N_TAIL32 = 30 }; /* vectors: lanes of the tail as wide as masks, and of 32 bits */

typedef struct fl_npointer {
    uint16_t memory; /* or number of the kept value */
    uint8_t is_kept, is_chosen, moves;
    int8_t reg; /* -1: in the frame */
    int32_t frame;
} fl_npointer;

typedef struct fl_nkernel {
    fl_jcg c;
    uint8_t *start, *at, *end;
    uint8_t full;
    int lanes;
    fl_npointer *pointers;
    int pointer_count;
    uint16_t *pointer_of_memory, *pointer_of_kept, *pointer_of_node; /* + 1 */
    int32_t *kept_at;
    int32_t iota32, iota64, tail_area, call_area;
    int address_of; /* pointer * 16 + size whose column x17 holds, -1 */
} fl_nkernel;

static inline fl_nkernel *fl_nkernel_of(fl_jcg *c)
{
    return c->target;
}
static inline void fl_n(fl_nkernel *k, uint32_t word)
{
    if (k->end - k->at < 4) {
        k->full = 1;
        return;
    }
    __builtin_memcpy(k->at, &word, 4);
    k->at += 4;
}
/* Whether values of the type fill a whole register. */
static inline uint32_t fl_nq(const fl_nkernel *k, int type)
{
    return type == FL_T_MASK || k->lanes * fl_jtype_bytes(type) == 16;
}

/* Scalar instructions. */
static inline void fl_n_add(fl_nkernel *k, int d, int a, int b, int shift)
{
    fl_n(k, 0x8b000000u | (uint32_t)(b << 16 | shift << 10 | a << 5 | d));
}
static inline void fl_n_addi(fl_nkernel *k, int d, int a, int imm)
{
    fl_n(k, 0x91000000u | (uint32_t)(imm << 10 | a << 5 | d));
}
static inline void fl_n_ldr(fl_nkernel *k, int t, int base, int offset)
{
    fl_n(k, 0xf9400000u | (uint32_t)(offset / 8 << 10 | base << 5 | t));
}
static inline void fl_n_str(fl_nkernel *k, int t, int base, int offset)
{
    fl_n(k, 0xf9000000u | (uint32_t)(offset / 8 << 10 | base << 5 | t));
}
void fl_n_mov(fl_nkernel *k, int d, uint64_t value);
/* Vectors of 2, 4, 8 or 16 bytes at base + offset, a multiple of them. */
void fl_n_vector(fl_nkernel *k, int load, int bytes, int reg, int base, int offset);
void fl_n_literal(fl_nkernel *k, int whole, int reg, int32_t at);

int fl_n_pointer(fl_nkernel *k, int pointer);
/* x17: the loop's column of an operand with elements of `bytes`. */
void fl_n_address(fl_nkernel *k, int pointer, int bytes);
void fl_n_call(fl_nkernel *k, const fl_jnode *n, int dst, const fl_jarg *args, int masked);

void fl_n_index_to_gpr(fl_nkernel *k, int gpr, int reg, int wide);
void fl_n_tail_mask(fl_nkernel *k);
void fl_n_start(fl_nkernel *k, uint16_t reduction, int reg);
void fl_n_fold(fl_nkernel *k, int reduction, int count);
extern const fl_jmachine fl_n_machine;
extern const fl_jtarget fl_neon;
fl_status fl_n_emit(fl_jgraph *g, const fl_jschedule *s, int lanes, fl_jmade *out);

#endif
