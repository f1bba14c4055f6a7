/* Views whose places move from one time to the next though the operators are the same: rows that are written one after another, the
 * cache of a model that decodes. When a sequence of operators was compiled twice and comes with a third set of places, the places
 * that changed become arguments of its chunk. */
#ifndef FL_EAGER_MOVING_H
#define FL_EAGER_MOVING_H

#include <stdint.h>

struct fl_pending;

#define FL_SEQUENCES 1024 /* remembered at one time */

/* Chunks that were made for one sequence of entries and numbers. */
typedef struct fl_variants {
    uint64_t hash;
    uint32_t made, view_count;
    int64_t
        *offsets;   /* of the views, when the last one was made; NULL: no storage is written in two places */
    uint8_t *moves; /* of the views */
} fl_variants;

/* Of a sequence, or a place for it, whose `hash` is another one then. */
fl_variants *fl_variants_of(fl_variants *all, uint64_t sequence);
/* Marks views and storages of the list that move, as far as is known. */
void fl_moving_mark(struct fl_pending *list, const fl_variants *variants);
/* Whether every view that moves is where a chunk can reach it (fl_view_is_box). */
int fl_moving_fits(const struct fl_pending *list);
/* Marks what moved since the last chunk was made; returns whether that is more than was marked. */
int fl_moving_learn(struct fl_pending *list, fl_variants *variants);
/* A chunk was made of the list. */
void fl_variants_made(fl_variants *variants, uint64_t sequence, const struct fl_pending *list);

#endif
