/* Copying a module with some operations replaced: what passes that rewrite single operations share. */
#ifndef FL_OPT_REWRITE_H
#define FL_OPT_REWRITE_H

#include "ir/build.h"

typedef struct fl_rewriter fl_rewriter;

/* One operation, with its operands in the new program. Sets *done and the results (fl_rewriter_map) when it replaces the
 * operation; else it is copied as it is. Errors of the builder need not be looked at. */
typedef fl_status (*fl_rewrite_op)(fl_rewriter *w, const fl_op *op, const fl_ref *operands, int *done);

struct fl_rewriter {
    const fl_program *from;
    fl_builder b;
    fl_ref *map; /* value of `from` -> value of the new program */
    fl_rewrite_op rewrite;
    fl_status (*finish)(fl_rewriter *w); /* may add functions after the others; or NULL */
    void *user;
    int keeps_types; /* what replaces a value has its type: the rules of what is copied are not asked again */
    fl_arena scratch;
    int depth;
};

/* Copies functions, attributes and all. `rewrite`, `finish`, `user` and `keeps_types` are set in *w, the rest is done here. The caller owns *out;
 * NULL on failure. */
fl_status fl_rewrite(fl_rewriter *w, const fl_program *program, fl_program **out);

static inline void fl_rewriter_map(fl_rewriter *w, fl_ref from, fl_ref to)
{
    w->map[from] = to;
}

#endif
