/* What the two x86 backends share: the frame, pointers, loops (x86_kernel.c); the instructions of an operation are theirs. */
#ifndef FL_CPU_JIT_X86_H
#define FL_CPU_JIT_X86_H

#include "cpu/jit/allocate.h"
#include "cpu/jit/encode_x86.h"

#define FL_X_POINTERS 9 /* general registers for addresses */

/* Addresses that move from row to row, numbered: memories first, then kept values. */
typedef struct fl_xpointer {
    uint16_t memory; /* or number of the kept value */
    uint8_t is_kept, is_chosen, moves;
    int8_t reg; /* -1: in the frame */
    int32_t frame;
} fl_xpointer;

typedef struct fl_xkernel {
    fl_xbuf b;
    fl_jcg c;
    int lanes, vector_bytes;
    fl_xpointer *pointers;
    int pointer_count;
    uint16_t *pointer_of_memory; /* + 1 */
    uint16_t *pointer_of_kept;
    uint16_t *pointer_of_node; /* of loads of a chosen row */
    int32_t *kept_at;          /* bytes a column before the kept value */
    int8_t numbers[16][2];     /* of each reduction: masks of lanes that have seen no NaN, -1 */
    int last_reduced, copies;
    int32_t iota32, iota64; /* offsets in the pool */
    int32_t template_pool[FL_J_FUNCTIONS];
    int32_t tail_table;         /* in the pool, of AVX2: ones, then zeros */
    int32_t tail_area;          /* in the frame, of AVX2: narrow elements on their way, saved registers */
    int32_t call_area;          /* in the frame: result, operands, what a call destroys; 0: none */
    int cached_pointer;         /* whose address r15 holds; -1 */
    uint8_t streaming, streams; /* stores of the loop that is made go past the caches; any do */
} fl_xkernel;

typedef struct fl_xtarget {
    fl_jtarget base;
    fl_jmachine machine;
    uint32_t vectors, masks; /* registers that values may have */
    uint8_t vex;             /* AVX2: constants in the pool are whole vectors, masks lie in vectors */
    void (*index_to_gpr)(fl_xkernel *k, int gpr, int reg, int wide);
    void (*tail_mask)(fl_xkernel *k);
    void (*all_lanes)(
        fl_xkernel *k); /* a mask as of a tail that is a whole vector; NULL: masks are not free */
    void (*start)(fl_xkernel *k, uint16_t reduction, int reg);  /* an accumulator's first value */
    void (*start_numbers)(fl_xkernel *k, const fl_juses *uses); /* of the loop's extrema; NULL: none */
    void (*fold)(fl_xkernel *k, int reduction, int count);      /* into the first accumulator, all lanes */
} fl_xtarget;

static inline fl_xkernel *fl_xkernel_of(fl_jcg *c)
{
    return c->target;
}
/* ymm or zmm by the type of lanes. */
static inline int fl_xlength(const fl_xkernel *k, int type)
{
    int bytes = type == FL_T_MASK ? 32 : k->lanes * fl_jtype_bytes(type);
    return bytes == 64 ? 2 : bytes == 32 ? 1 : 0;
}
fl_xrm fl_xaddress(fl_xkernel *k, int pointer, int bytes, int u); /* of the loop's column */
fl_xrm fl_xkept(fl_jcg *c, uint16_t node, int u); /* of a value that is kept for later phases */
int fl_xpointer_reg(fl_xkernel *k, int pointer);
/* Calls the node's function for one vector. */
void fl_xcall(fl_xkernel *k, const fl_jnode *n, int dst, const fl_jarg *args, int masked);
/* Logs what the first loop of a graph becomes with few registers; constants are at the displacement that
 * their node's number is. 0: out of memory. */
int fl_xkernel_log(const fl_xtarget *t, fl_xkernel *k, fl_jgraph *g, const fl_jschedule *s, int registers,
                   fl_xlog *log);
/* Functions as nodes of their own, and the instructions of such a node. */
uint16_t fl_xtemplate_add(fl_jgraph *g, int function, uint16_t x);
void fl_xtemplate_emit(fl_jcg *c, const fl_jnode *n, int copies, const int8_t *operands, int8_t *results);
void fl_xtemplate_pool(fl_xkernel *k); /* puts the constants of those that the graph uses */
/* mov r15, bits */
void fl_xmov_r15(fl_xkernel *k, uint64_t bits, int wide);
int32_t fl_xpool_element(const fl_xkernel *k, int type);

extern const fl_xtarget fl_x_avx512, fl_x_avx2;
/* Makes the code of a kernel for an x86 target. */
fl_status fl_xkernel_emit(const fl_xtarget *target, fl_jgraph *g, const fl_jschedule *s, int lanes,
                          fl_jmade *out);

#endif
