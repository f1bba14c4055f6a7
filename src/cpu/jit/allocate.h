/* Registers for lists of operations. Values of a list live in registers, or in the frame when there are too few; what the list
 * takes from outside (constants, uniform and row values) is pinned in registers for as long as it is needed, most used first,
 * or read from memory where it is used. */
#ifndef FL_CPU_JIT_ALLOCATE_H
#define FL_CPU_JIT_ALLOCATE_H

#include "cpu/jit/graph.h"

#define FL_NEVER   UINT16_MAX
#define FL_NO_HOME (-1)
enum { FL_VECTOR, FL_MASK_CLASS, FL_CLASSES };

/* Where an operand is: in a register, or in memory. */
typedef enum fl_jplace { FL_IN_REGISTER, FL_IN_POOL, FL_IN_FRAME } fl_jplace;
typedef struct fl_jarg {
    int8_t reg;
    uint8_t place;
    int32_t at; /* offset in the pool or frame */
} fl_jarg;

/* An entry of a list, the same for each of its copies. */
typedef struct fl_joperation {
    const fl_jnode *n;
    uint16_t node, first;                   /* first: when its value is used first; FL_NEVER: not at all */
    uint16_t next[3];                       /* when a local operand is used again; FL_NEVER: it dies here */
    uint8_t kind, cls, arity, local, dying; /* local, dying: bits of operands */
    uint8_t is_local, makes, classes[3];
    int8_t reuse;    /* the operand whose register the result takes, -1 */
    fl_jarg args[3]; /* of operands from outside */
} fl_joperation;

/* What is known of a list before code is made for it. */
typedef struct fl_juses {
    fl_joperation *operations; /* one for each entry */
    int live[FL_CLASSES];      /* most values at once */
    int reductions;
    int unroll;
    uint32_t length; /* in instructions, about */
} fl_juses;

typedef struct fl_jcg fl_jcg;

/* What allocation asks of an instruction set. */
typedef struct fl_jmachine {
    void (*spill)(fl_jcg *c, int cls, int reg, int32_t at);
    void (*fill)(fl_jcg *c, int cls, int type, int reg, fl_jarg from);
    void (*move)(fl_jcg *c, int cls, int dst, int src);
    /* Asked of the last operand first; those behind `operand` are decided. */
    int (*takes_memory)(const fl_jcg *c, const fl_jnode *n, int operand, const fl_jarg *args);
    void (*emit)(fl_jcg *c, uint16_t node, int dst, fl_jarg *args, int dying, int u, int masked);
    void (*keep)(fl_jcg *c, uint16_t node, int src, int u, int masked);
    void (*reload)(fl_jcg *c, uint16_t node, int dst, int u, int masked);
    void (*reduce)(fl_jcg *c, uint16_t node, fl_jarg arg, int u, int masked);
    /* Copies of a template, their instructions in turns. Operands are overwritten, results are in registers that are the caller's
     * then. NULL: there are none. */
    void (*emit_template)(fl_jcg *c, const fl_jnode *n, int copies, const int8_t *operands, int8_t *results);
} fl_jmachine;

struct fl_jcg {
    fl_jgraph *g;
    const fl_jschedule *s;
    const fl_jmachine *m;
    int lanes;
    int classes[5];           /* by type: where such values live */
    uint32_t all[FL_CLASSES]; /* registers of the class */
    uint32_t free[FL_CLASSES];
    uint32_t locked[FL_CLASSES];    /* of the instruction that is being made */
    uint16_t owner[FL_CLASSES][32]; /* node * 4 + u of a register's value */
    int8_t *reg;                    /* [node * 4 + u] */
    int32_t *slot;                  /* [node * 4 + u]: place in the frame, FL_NO_HOME */
    uint16_t *next;                 /* of each value of the list: its next use */
    int8_t *pin;                    /* of each node: register that holds it now, -1 */
    int32_t *home;   /* of each node from outside a list: place in the frame (pool: of constants) */
    uint8_t *global; /* row values that are used in other sections than their own */
    fl_juses *section_uses, *loop_uses;
    int32_t frame;              /* bytes so far */
    int32_t list_frame;         /* where the list's own slots start */
    int8_t accumulators[16][4]; /* of the loop's reductions */
    uint16_t reduction_nodes[16];
    int reduction_count, most_reductions;
    uint8_t failed;
    void *target; /* the target's own state */
};

int fl_jcg_begin(fl_jcg *c, fl_jgraph *g, const fl_jschedule *s);
/* Chooses unroll factors and pins; c->all must be set. */
int fl_jcg_plan(fl_jcg *c);
/* Pins that start to hold at a time (0: the call; 2 i - 1: section i; 2 p + 2: loop p); the caller loads constants and values from
 * homes. */
void fl_jcg_enter(fl_jcg *c, int time);
void fl_jcg_list(fl_jcg *c, const fl_jlist *list, const fl_juses *uses, int unroll, int masked);
int fl_jcg_take(fl_jcg *c, int cls); /* a register; never fails but c->failed */
void fl_jcg_give(fl_jcg *c, int cls, int reg);
/* Whether the value is in one register for all its life. */
int fl_jcg_is_pinned(const fl_jcg *c, uint16_t node);
int fl_jcg_is_const(const fl_jcg *c, uint16_t node);

/* The bits with which a reduction begins. */
uint64_t fl_jidentity(const fl_jnode *reduction);

static inline int fl_jcg_class(const fl_jcg *c, uint16_t node)
{
    return c->classes[c->g->nodes[node].type];
}

#endif
