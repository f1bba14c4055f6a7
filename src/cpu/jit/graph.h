/* The code generator's own view of a kernel: records of what was asked for, which are the key of the cache, and the graph of
 * vector operations that they expand to.
 *
 *   builder.c   records          expand*.c   records -> graph        phases.c   graph -> lists of operations, one a loop
 *   pins.c      what is known of lists, registers for values from outside
 *   allocate.c  registers of a list, calling the target for each instruction
 *   target_*.c  instructions and loops of one instruction set; encode_*.c their bytes
 *   template_x86.c  elementary functions whose instructions are kept
 *   cache.c     kernels by key;  code_memory.c  executable memory;  dump.c  all of it as text */
#ifndef FL_CPU_JIT_GRAPH_H
#define FL_CPU_JIT_GRAPH_H

#include "cpu/jit/jit.h"

typedef enum fl_jkind {
    FL_JK_LOAD,
    FL_JK_LOAD_ROW_AT,
    FL_JK_LOAD_AT,
    FL_JK_CONSTANT,
    FL_JK_OP,
    FL_JK_CONVERT,
    FL_JK_ROUND,
    FL_JK_REDUCE,
    FL_JK_STORE,
    FL_JK_ACCUMULATE,
} fl_jkind;

typedef struct fl_jrecord {
    uint8_t kind, dtype, aux, level; /* aux: access, direction; of stores: access + 8 * order + 32 * stream */
    uint16_t code, memory;
    union {
        fl_val v[4];
        uint64_t bits;
    } u;
} fl_jrecord;

/* Types of lanes. Narrow integers, bf16 and f16 are held in i32 lanes: extended as their sign says, bf16 and f16 with zeros. */
typedef enum fl_jtype { FL_T_I32, FL_T_I64, FL_T_F32, FL_T_F64, FL_T_MASK } fl_jtype;

typedef enum fl_jop {
#define FL_J(name, operands, cost, flags) FL_J_##name,
#include "cpu/jit/ops.def"
#undef FL_J
    FL_J_OP_COUNT
} fl_jop;

typedef struct fl_jop_info {
    const char *name;
    uint8_t operands, commutes, early;
    uint16_t cost;
} fl_jop_info;
extern const fl_jop_info fl_jop_infos[FL_J_OP_COUNT];

#define FL_NO_NODE UINT16_MAX

typedef struct fl_jnode {
    uint8_t op, type, level, imm;
    uint16_t v[3];
    uint16_t memory;
    uint8_t dtype, access; /* in memory */
    uint8_t order, stream; /* of stores */
    uint16_t phase;        /* full: the first loop that can compute it; row: the first section that can */
    uint16_t height;
    uint16_t next; /* in the chain of equal hashes */
    uint64_t bits;
} fl_jnode;

#define FL_J_MAX_NODES          8192
#define FL_J_MAX_UNROLL         4
#define FL_J_HASH               256
#define FL_J_FUNCTIONS          8
#define FL_J_TEMPLATE_REGISTERS 10 /* at most */

/* What others need to know of a template: instructions, registers that it uses beside the operand's, which it overwrites, and
 * whether the result comes to lie there. */
#define FL_J_TEMPLATE_BITS(steps, vectors, masks, in_place)                                                  \
    ((uint64_t)(steps) | (uint64_t)(vectors) << 16 | (uint64_t)(masks) << 24 | (uint64_t)(in_place) << 32)

typedef struct fl_jgraph {
    fl_arena *arena;
    const struct fl_jtarget *target;
    fl_jnode *nodes;
    uint32_t count, capacity;
    uint16_t heads[FL_J_HASH];
    uint16_t *roots; /* stores and reductions, in order */
    uint32_t root_count, root_capacity;
    uint8_t templates; /* bits of the functions that are some */
    uint8_t many;      /* elementary functions: several */
    uint8_t failed;    /* out of memory, or too large */
    uint8_t lacks;     /* something was asked for that the target lacks; its asker has another way */
} fl_jgraph;

typedef enum fl_jentry_kind {
    FL_E_COMPUTE,
    FL_E_KEEP,   /* into scratch memory, after it was computed */
    FL_E_RELOAD, /* from scratch memory */
} fl_jentry_kind;
typedef struct fl_jentry {
    uint16_t node;
    uint8_t kind;
} fl_jentry;
typedef struct fl_jlist {
    fl_jentry *entries;
    uint32_t count;
} fl_jlist;

/* Section 0 is done once a call; then for each row section 1, loop 0, section 2, loop 1, ... and the last section. */
typedef struct fl_jschedule {
    uint32_t phases;
    fl_jlist *sections; /* phases + 2 */
    fl_jlist *loops;    /* phases */
    uint16_t *kept;     /* nodes in scratch memory */
    uint32_t kept_count;
    uint8_t *is_kept; /* of each node: 1 + its number, 0 */
    uint32_t cost;    /* of all loops, quarters of a cycle a vector */
} fl_jschedule;

typedef struct fl_jmade { /* what a target makes */
    uint8_t *code;
    uint32_t bytes, entry; /* data and code; where to start */
} fl_jmade;

typedef struct fl_jtarget {
    const char *name;
    uint8_t vector_bytes, registers,
        masks; /* masks: mask registers that values may have; 0: masks lie in vectors */
    uint8_t has_scalef, has_i64, has_gather;
    const uint8_t *
        lacks; /* of each operation: bits of the types (of results; of a comparison's operands) it is missing for */
    /* The value of a function of f32 in this target's own way; FL_NO_NODE: it has none. NULL: it has none of any function. */
    uint16_t (*function)(fl_jgraph *g, int function, uint16_t x);
    fl_status (*emit)(fl_jgraph *graph, const fl_jschedule *schedule, int lanes, fl_jmade *out);
} fl_jtarget;
const fl_jtarget *fl_jit_target(void); /* NULL: none */

/* Limits for tests: registers (0: all) and unroll (0: as is best) of kernels made from now on, by any thread. */
typedef struct fl_jhard {
    uint8_t registers, unroll;
} fl_jhard;
extern fl_jhard fl_jit_hard;

struct fl_jit_builder {
    fl_arena *arena;
    const fl_jtarget *target;
    fl_jrecord *records;
    uint32_t count, capacity;
    uint64_t hash;
    uint8_t failed;
};

/* graph.c */
int fl_jgraph_begin(fl_jgraph *g, fl_arena *arena, const fl_jtarget *target);
/* The node, or an equal one that is there. Nothing fails but the whole graph (failed). */
uint16_t fl_jgraph_add(fl_jgraph *g, fl_jnode node);
uint16_t fl_j1(fl_jgraph *g, fl_jop op, fl_jtype type, int imm, uint16_t a);
uint16_t fl_j2(fl_jgraph *g, fl_jop op, fl_jtype type, int imm, uint16_t a, uint16_t b);
uint16_t fl_j3(fl_jgraph *g, fl_jop op, fl_jtype type, uint16_t a, uint16_t b, uint16_t c);
uint16_t fl_jconst(fl_jgraph *g, fl_jtype type, uint64_t bits);
uint16_t fl_jf32(fl_jgraph *g, float x);
uint16_t fl_jf64(fl_jgraph *g, double x);
uint16_t fl_ji32(fl_jgraph *g, int32_t x);

/* expand.c */
fl_jtype fl_jtype_of(fl_dtype dtype);
int fl_jit_expands(const fl_jtarget *target, fl_opcode code, fl_dtype result, fl_dtype operand);
uint16_t fl_jexpand(fl_jgraph *g, fl_opcode code, fl_dtype result, fl_dtype operand, int direction,
                    const uint16_t *v);
uint16_t fl_jconvert(fl_jgraph *g, uint16_t v, fl_dtype from, fl_dtype to);
int fl_jexpand_all(fl_jgraph *g, const fl_jrecord *records, uint32_t count);
uint16_t fl_jquotient(fl_jgraph *g, fl_jtype t, uint16_t x, uint16_t d); /* expand_divide.c */
uint16_t fl_jmath_f32(fl_jgraph *g, fl_opcode code, uint16_t x);         /* FL_NO_NODE: no such function */
int fl_jfunction(fl_opcode code); /* its number among those of fl_jmath_f32; -1: it is none */
uint16_t fl_jmath_inline(fl_jgraph *g, int function, uint16_t x); /* its vector operations one by one */

/* phases.c */
int fl_jschedule_make(fl_jgraph *g, fl_jschedule *out);

/* dump.c: prints the lists and the code (FL_DUMP=asm). */
void fl_jdump(const fl_jgraph *g, const fl_jschedule *s, int lanes, const fl_jmade *made);

static inline int fl_jop_is_store(int op)
{
    return op == FL_J_STORE || op == FL_J_STORE_STRIDED || op == FL_J_STORE_ROW;
}
/* A store that a loop does. */
static inline int fl_jop_is_full_store(int op)
{
    return op == FL_J_STORE || op == FL_J_STORE_STRIDED;
}
/* Quarters of a cycle a vector. */
static inline uint32_t fl_jcost(const fl_jnode *n)
{
    return n->op == FL_J_TEMPLATE ? 3 * (uint32_t)(n->bits & 0xffff) : fl_jop_infos[n->op].cost;
}
/* As what a value is kept in memory between phases. */
static inline fl_dtype fl_jtype_dtype(int type)
{
    static const uint8_t dtypes[] = {FL_I32, FL_I64, FL_F32, FL_F64, FL_I1};
    return (fl_dtype)dtypes[type];
}
static inline int fl_jtype_bytes(int type)
{
    return type == FL_T_I64 || type == FL_T_F64 ? 8 : 4;
}

/* code_memory.c: copies code to executable memory; its address there. FL_UNSUPPORTED where that is forbidden. */
fl_status fl_code_place(const void *code, size_t bytes, const char *name, void **out);

#endif
