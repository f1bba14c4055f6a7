/* Propagation: how every value of a program lies spread, from what is stated of some. Internal to opt/. */
#ifndef FL_OPT_PROPAGATE_H
#define FL_OPT_PROPAGATE_H

#include "opt/rule.h"

/* Something that has a sharding: a value, or a place where a value has to have one (a result of the entry function, an operand
 * of a manual computation). */
typedef struct fl_node {
    const fl_type *type;
    fl_spread spread;
    uint16_t open;   /* dimensions that propagation may cut (further) */
    uint16_t barred; /* axes that it may not use */
} fl_node;

/* The first value of a group (sdy.sharding_group). */
typedef struct fl_group_head {
    struct fl_group_head *next;
    int64_t id;
    fl_ref value;
} fl_group_head;

typedef struct fl_graph {
    const fl_program *program;
    const fl_mesh *mesh;
    fl_arena *arena;
    fl_node *nodes;
    uint32_t node_count, node_capacity;
    uint32_t
        *node_of; /* by value: its own number, or that of the value it goes with (a loop's carried values) */
    fl_rule *rules;
    uint32_t rule_count, rule_capacity;
    fl_rule_pair *pairs; /* scratch of the rule at hand */
    uint32_t pair_capacity;
    uint32_t most_lists;    /* of a rule: tensors times factors */
    uint32_t first_result;  /* node of the entry's first result */
    uint32_t *manual_nodes; /* of each manual computation: its first node, for operands, then for results */
    int64_t *places;        /* of partitions in the mesh */
    uint32_t last_manual;
    fl_group_head *groups;
    const fl_shardings *shardings;
} fl_graph;

/* Rewrites the mesh and all shardings with axes of prime size (atoms.c). last[axis]: the last of the axes that were one with it. */
fl_status fl_shardings_split(const fl_program *program, fl_shardings *shardings, uint8_t last[FL_MOST_AXES]);
/* Of each dimension's axes the first ones that are whole axes of the program's own mesh. */
void fl_keep_whole_axes(fl_spread *spread, int rank, const uint8_t *last);

/* Nodes and rules of the program. Operations that are no control flow have one rule each, in the order of the program. */
fl_status fl_graph_make(const fl_program *program, const fl_shardings *shardings, fl_arena *arena,
                        fl_graph *out);
void fl_graph_free(fl_graph *graph); /* what is not in the arena */
/* The shardings of a manual computation, or NULL. *cursor: the number of the one found last, after which the search begins: they
 * come in the order of the program, most likely. */
const fl_manual *fl_find_manual(const fl_shardings *shardings, const fl_op *op, uint32_t *cursor);
/* Adds axes to nodes until nothing changes. */
fl_status fl_graph_propagate(fl_graph *graph);

static inline const fl_spread *fl_graph_spread(const fl_graph *graph, fl_ref value)
{
    return &graph->nodes[graph->node_of[value]].spread;
}

/* The axes that a tensor's sharding gives each factor of a rule: lists[factor_count]. */
void fl_rule_project(const fl_mesh *mesh, const fl_rule *rule, const fl_rule_tensor *tensor,
                     const fl_spread *spread, fl_axes *lists);
/* And the sharding that follows from the factors' axes. */
fl_spread fl_rule_spread(const fl_mesh *mesh, const fl_rule *rule, const fl_rule_tensor *tensor,
                         const fl_axes *lists);

#endif
