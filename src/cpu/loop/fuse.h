/* Shared by the files that make groups: space.c (what a group may walk together), groups.c (what must run before what), fuse.c
 * (who joins whom), recompute.c (what is computed twice because that is cheaper). */
#ifndef FL_CPU_LOOP_FUSE_H
#define FL_CPU_LOOP_FUSE_H

#include "cpu/loop/loop.h"

/* The space of a group after `node` joined; 0: it cannot. Decides whether a reduction is a sink. */
int fl_space_with(const fl_space *old, fl_node *node, fl_space *out);
int fl_spaces_merge(const fl_space *a, const fl_space *b, fl_space *out);

/* A group's depth is larger than that of all groups it needs: then no path leads from one to another of the same depth or less.
 * Where an addition would break that, those that follow are made deeper, and a path that must not be is met on the way. Searches
 * that become long are given up, and what they were for is left out: that is always right. */
fl_group *fl_group_new(fl_graph *graph, fl_grouping *grouping, int library); /* NULL: out of memory */
/* Appends the node, which nobody reads yet. 0: the group would need itself, or (with `failed` set) out of memory. */
int fl_group_attach(fl_graph *graph, fl_grouping *grouping, fl_group *group, fl_node *node);
/* Makes one of two groups, if nothing lies between them; into the first. */
int fl_group_merge(fl_graph *graph, fl_grouping *grouping, fl_group *into, fl_group *from);
fl_status fl_groups_arrange(fl_graph *graph, fl_grouping *grouping);
uint32_t fl_group_root(const fl_grouping *grouping, uint32_t id);

/* Lets groups compute again what they would read, where that moves less memory. */
fl_status fl_recompute(fl_graph *graph, fl_grouping *grouping);

#endif
