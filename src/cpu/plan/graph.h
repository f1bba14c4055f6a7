/* The planner's own form of a program: nodes that compute, and views that only rearrange.
 *
 * A base is something with elements: an argument, a constant, the counting sequence behind an iota, or a result of a node.
 * Bases of nodes are dense and row-major. A view selects elements of a base by an offset and strides; slices, transposes,
 * broadcasts and the like make views and no nodes. Everything lives in the planner's arena. */
#ifndef FL_CPU_PLAN_GRAPH_H
#define FL_CPU_PLAN_GRAPH_H

#include "cpu/plan/plan.h"

#define FL_MAX_DEPTH 64 /* regions within regions that are planned */

typedef struct fl_view {
    uint32_t base;
    uint8_t rank;
    uint8_t identity; /* all elements of the base in their own order (of an argument: as it is laid out) */
    int64_t offset;   /* elements */
    const int64_t *dims, *strides;
} fl_view;

typedef enum fl_base_kind { FL_BASE_INPUT, FL_BASE_CONSTANT, FL_BASE_IOTA, FL_BASE_NODE } fl_base_kind;
typedef enum fl_node_kind { FL_NODE_MAP, FL_NODE_REDUCE, FL_NODE_LIBRARY } fl_node_kind;

typedef struct fl_node fl_node;

typedef struct fl_base {
    uint8_t kind, dtype;
    uint8_t splat;     /* a constant: all elements are equal, one is stored */
    uint8_t in_memory; /* somebody outside the group that makes it reads it */
    uint32_t input;    /* of FL_BASE_INPUT */
    int64_t elements;
    const void *data;    /* of FL_BASE_CONSTANT */
    fl_node *node;       /* of FL_BASE_NODE */
    uint32_t reader;     /* last group that read or made it, + 1; a hint for fusion */
    int32_t result;      /* the result of the block it is computed into, or -1 */
    uint32_t outer;      /* of an input of a region: the base around it */
    uint32_t shares;     /* takes the memory of this base, which dies where this one is made; 0: none */
    uint32_t mark;       /* of whoever looks at all bases for a moment */
    uint32_t slot;       /* where it is, once placed */
    int64_t offset;      /* bytes */
    uint32_t born, dies; /* first and last step that use it, for temporaries */
    uint16_t reg;        /* its register while its group is lowered */
} fl_base;

struct fl_node {
    uint8_t kind, dtype, rank; /* of the result */
    uint8_t sink;              /* a reduction whose result leaves the group: not available inside it */
    uint16_t code;             /* fl_opcode; FL_OP_NONE of a map: a copy */
    uint8_t direction;         /* of a comparison */
    uint8_t input_dtype;
    const fl_op *op; /* of a library node */
    const uint8_t
        *fixed; /* of a while: parts of the state that stay as they are; their results have no memory */
    struct fl_planner *
        *regions; /* of a library node that is planned control flow: one a region of its operation */
    uint32_t view_count, base_count;
    fl_node *after;         /* of a library node with effects: the one that must run before, or NULL */
    const fl_ref *captured; /* of a library node: the values behind its operands' views, which regions use */
    fl_view *views;
    uint32_t first_base;          /* results are numbered one after another */
    int64_t elements;             /* of the iteration space: of the operand for a reduction */
    const int64_t *dims;          /* of the iteration space */
    int64_t outer, length, inner; /* a reduction of [outer, length, inner] over the middle */
    uint32_t group, index;
    fl_node *next; /* in the group */
};

typedef struct fl_result {
    fl_view view;
    fl_type type;
    const int64_t *strides; /* where it must go */
    uint8_t dense;
    uint8_t untouched; /* a loop's state that the body returns as it came: nothing to do */
} fl_result;

typedef struct fl_graph {
    const fl_program *program;
    const fl_block *block;
    struct fl_planner *around;                /* of a region: whose node has it; NULL: the main block */
    fl_node *owner;                           /* of a region: that node */
    uint32_t depth;                           /* of regions around it */
    const struct fl_compile_options *options; /* of the main block */
    fl_arena *arena;                          /* of the planning; constants are copied to keep */
    fl_view *values;                          /* by fl_ref; all graphs of a program share them */
    uint32_t *stamps;                         /* by fl_ref, shared, too: the last search that met a value */
    uint32_t *stamp;                          /* of the last search */
    uint32_t input_count;                     /* arguments, then what a region captures: bases 1, 2, ... */
    uint32_t result_count;                    /* a condition of while has none */
    fl_view flag;                             /* of a condition of while: what it decides by */
    fl_base *bases;
    uint32_t base_count, base_capacity; /* base 0 is none */
    fl_node **nodes;
    uint32_t node_count, node_capacity;
    fl_result *results;
    fl_node *last_effect; /* the last library node that does more than compute */
    int fusion;           /* 0: every operation is its own group */
    int control;          /* 0: the reference interpreter runs control flow */
} fl_graph;

/* A value's type, static: a token is a tensor without elements. */
fl_type fl_value_type(const fl_program *program, fl_ref value);
/* Fills the graph from its block, and the graphs of the regions in it. */
fl_status fl_graph_build(fl_graph *graph);
/* For region.c: the index of a new base; 0 on failure. */
uint32_t fl_graph_base(fl_graph *graph, fl_base_kind kind, fl_dtype dtype, int64_t elements);
fl_status fl_graph_build_block(fl_graph *graph); /* with inputs, and values of what is captured, in place */
fl_status fl_graph_build_op(fl_graph *graph, const fl_op *op); /* values of its operands are there */
/* Another shape of the same elements, in memory of their own if strides cannot express it (then *view is that, too). */
fl_status fl_graph_reshape(fl_graph *graph, fl_view *view, int rank, const int64_t *dims, fl_view *out);
/* A map, or a reduction, whose region is elementwise, as nodes; *done: it is. */
fl_status fl_inline_map(fl_graph *graph, const fl_op *op, int *done);
fl_status fl_inline_reduce(fl_graph *graph, const fl_op *op, int *done);
int fl_is_control(const fl_op *op); /* while, if, case */
/* The value that `ref` has always been: seen through parts of a loop's state that its body returns as they came. */
fl_ref fl_origin(const fl_program *program, fl_ref ref);
/* Plans the regions of a node of control flow; its results and captured values are there. */
fl_status fl_regions_build(fl_graph *graph, fl_node *node, uint32_t captured_count);
/* A new map node over `dims` that reads `views` (copied); its result is base node->first_base. NULL: out of memory. */
fl_node *fl_graph_map(fl_graph *graph, fl_opcode code, fl_dtype dtype, fl_dtype input_dtype,
                      const fl_view *views, uint32_t count);

/* A new constant of one element, seen with `dims`, or of as many as they say. 0: out of memory. */
int fl_graph_constant(fl_graph *graph, fl_dtype dtype, int rank, const int64_t *dims, const void *data,
                      int splat, fl_view *out);
int fl_graph_node_view(fl_graph *graph, const fl_node *node,
                       fl_view *out); /* a node's result; 0: out of memory */
/* Combines the elements of a view over the dimensions of `op`, a reduction whose results have the type. */
fl_status fl_graph_reduce(fl_graph *graph, const fl_op *op, fl_opcode code, const fl_type *type, fl_view view,
                          fl_view *out);
/* A reduction to the largest or smallest element and its position: argument.c. */
fl_status fl_build_argument(fl_graph *graph, const fl_op *op, int *done);

/* The value that leaves x unchanged under `code`; 0 when there is none of this type. */
int fl_identity_of(fl_opcode code, fl_dtype dtype, void *out);

/* Views. Functions that give int return 1 on success. */
int fl_view_dense(fl_graph *graph, fl_view *view, uint32_t base, int rank,
                  const int64_t *dims); /* 0: out of memory */
int fl_view_reshape(fl_graph *graph, const fl_view *view, int rank, const int64_t *dims, fl_view *out);
/* A short count becomes a constant, so that no step has to write it. 0: it must be materialised. */
int fl_view_count(fl_graph *graph, fl_view *view);
void fl_view_mark(const fl_graph *graph, fl_view *view); /* finds whether it is an identity */
int64_t fl_view_elements(const fl_view *view);
int fl_strides_dense(int rank, const int64_t *dims, const int64_t *strides);
/* The values around `op` that its regions use, each once; in the graph's arena. */
fl_status fl_captures(const fl_graph *graph, const fl_op *op, fl_ref **out, uint32_t *out_count);

#endif
