/* Editing a program in place: what passes over graphs share.
 *
 * A pass walks over all operations in order, regions before the operation that has them. It looks at one operation, whose
 * operands are up to date, and may replace its results by other values: of operations that it builds with `b` (they go before
 * the operation, and are looked at in turn), or values that there are. Unused operations stay; fl_program_prune removes them. */
#ifndef FL_OPT_EDIT_H
#define FL_OPT_EDIT_H

#include "base/number.h"
#include "ir/build.h"

typedef struct fl_editor fl_editor;
/* Sets *done when all results of `op` that are used have been replaced (fl_edit_replace); then the operation goes. */
typedef fl_status fl_edit_op(fl_editor *e, fl_op *op, int *done);

struct fl_editor {
    fl_builder b;      /* `program` is the one that is edited */
    fl_ref *forward;   /* value -> what takes its place; FL_NO_REF: itself */
    uint32_t *uses;    /* by operations and as results; of values that are replaced no longer true */
    uint32_t capacity; /* of both */
    uint32_t changes;  /* so far */
    fl_arena scratch;  /* of one pass */
    fl_edit_op *visit;
    void *user; /* the pass's */
};

/* A copy to be edited. It refers to what the program holds of attributes and types, so the program must outlive it. One
 * function, without calls. */
fl_status fl_edit_begin(fl_editor *e, const fl_program *program);
fl_program *fl_edit_end(fl_editor *e); /* gives the edited program, to be destroyed by the caller */
void fl_edit_abandon(fl_editor *e);
/* One pass over the whole program; counts uses before. */
fl_status fl_edit_walk(fl_editor *e, fl_edit_op *visit);

/* `to` takes the place of `from`: it must have its type. */
void fl_edit_replace(fl_editor *e, fl_ref from, fl_ref to);
fl_ref fl_edit_find(fl_editor *e, fl_ref value); /* what stands for it now */
/* The operations of a region go where the editor stands, with `args` for its arguments (NULL: they have been replaced); *results
 * (of the scratch arena) is what it returns. The region is of no further use. */
fl_status fl_edit_inline(fl_editor *e, fl_block *region, const fl_ref *args, fl_ref **results);
/* All uses in a block name what stands for the values now. */
void fl_edit_resolve(fl_editor *e, fl_block *block);
/* The same operation of other operands, which have the types of the old ones. Without regions. */
fl_ref fl_edit_again(fl_editor *e, const fl_op *op, const fl_ref *operands);

/* ---- questions ---- */

static inline const fl_type *fl_edit_type(const fl_editor *e, fl_ref value)
{
    return &e->b.program->defs[value].type;
}
/* What makes the value; NULL: an argument. */
static inline const fl_op *fl_edit_def(const fl_editor *e, fl_ref value)
{
    return e->b.program->defs[value].op;
}
/* The same, if it is that operation. */
static inline const fl_op *fl_edit_is(const fl_editor *e, fl_ref value, fl_opcode code)
{
    const fl_op *op = fl_edit_def(e, value);
    return op && op->code == code ? op : NULL;
}
static inline int fl_edit_used_once(const fl_editor *e, fl_ref value)
{
    return value < e->capacity && e->uses[value] <= 1;
}
/* Whether all elements are one known number. */
int fl_edit_number(const fl_editor *e, fl_ref value, fl_number *out);
/* Whether all elements are the integer; of floats and complex numbers +0 for 0. */
int fl_edit_is_number(const fl_editor *e, fl_ref value, double number);
int fl_edit_is_negative_zero(const fl_editor *e, fl_ref value);
/* A constant of one number in every place. */
fl_ref fl_edit_splat(fl_editor *e, const fl_type *type, const void *element);
fl_ref fl_edit_splat_number(fl_editor *e, const fl_type *type, fl_number number);
fl_ref fl_edit_splat_int(fl_editor *e, const fl_type *type, int64_t number);
/* Bounds of an integer value's elements that follow from the program; always true ones. Booleans are 0 and 1. */
typedef struct fl_int_range {
    int64_t low, high;
} fl_int_range;
fl_int_range fl_edit_range(const fl_editor *e, fl_ref value);

#endif
