/* The pieces of widening. Internal to opt/.
 *
 * Along a dimension that differs between the recordings a value of the widened program is laid out as an `extent`: digits of a
 * mixed radix, the most significant one first, each with a width, and how many of these are true: all, or a number that is known at
 * run time. A plain dimension has one digit; one that came of [2, n] by a reshape has two, so that reshapes move nothing. */
#ifndef FL_OPT_WIDEN_PARTS_H
#define FL_OPT_WIDEN_PARTS_H

#include "ir/build.h"
#include "opt/widen.h"

enum { FL_MOST_DIGITS = 6, FL_WHOLE = -1 };

typedef struct fl_digit {
    int64_t width;
    int32_t number; /* how many are true: numbers[number] of the call; FL_WHOLE: all */
} fl_digit;

typedef struct fl_extent {
    uint8_t count;   /* of digits; 0: the dimension is that of the exact program */
    uint8_t uniform; /* all elements along it are the same, those that are not true included */
    fl_digit digits[FL_MOST_DIGITS];
} fl_extent;

typedef struct fl_extents {
    fl_extent d[FL_MAX_RANK];
} fl_extents;

/* A number that differs: what it is in the two recordings. */
typedef struct fl_wide_number {
    int64_t first, second, now;
    int64_t width; /* of dimensions of this size; 0: not known so far */
    int64_t group; /* 1 + the number of an argument's size whose bucket it shares; 0: none */
    fl_ref value;  /* i32 */
    int is_set;    /* `now` is that of the program that is fitted */
} fl_wide_number;

typedef struct fl_wide_source {
    int32_t number;        /* FL_WHOLE: a constant */
    const fl_op *constant; /* of `exact` */
    fl_type type;
} fl_wide_source;

struct fl_widened {
    fl_program *exact, *other, *program;
    fl_arena arena;
    fl_wide_number *numbers;
    uint32_t number_count, number_capacity;
    fl_wide_source *extras;
    uint32_t extra_count, extra_capacity;
    char **data; /* of the extras, owned; of numbers the i32 */
};

typedef struct fl_widener {
    fl_widened *w;
    const fl_program *from, *other;
    fl_builder b;
    fl_ref *map;     /* value of `from` -> value of the widened program */
    fl_extents **at; /* of values of `from`; NULL: exact in every dimension */
    fl_arena scratch;
} fl_widener;

fl_status fl_no_rule(const fl_op *op, const char *why);
#define FL_RULE(condition, op, why)                                                                          \
    do {                                                                                                     \
        if (!(condition)) return fl_no_rule(op, why);                                                        \
    } while (0)

/* ---- numbers: widen.c ---- */

/* The number that is `first` and `second` in the recordings; FL_WHOLE where they are equal. */
int32_t fl_wide_find(fl_widened *w, int64_t first, int64_t second);
/* Of a dimension of a value, as the recordings have it. */
int32_t fl_wide_size(const fl_widener *x, fl_ref value, int d);
int64_t fl_wide_width(const fl_widener *x, int32_t number); /* of a plain dimension of this size */
/* i32 in the widened program; of FL_WHOLE: `otherwise`. */
fl_ref fl_wide_value(fl_widener *x, int32_t number, int64_t otherwise);
/* The operation in the other recording. */
const fl_op *fl_wide_twin(const fl_widener *x, const fl_op *op);
/* Element i of a list of integers differs: its number; else FL_WHOLE. An absent list is `otherwise` everywhere. */
int32_t fl_wide_attr(const fl_widener *x, const fl_op *op, fl_attr_key key, uint32_t i, int64_t otherwise,
                     int64_t *out_first);
/* Whether integers of the operation's attributes differ, but for lists `a` and `b`. */
int fl_wide_attrs_differ(const fl_op *op, const fl_op *twin, fl_attr_key a, fl_attr_key b);

/* ---- values: widen_layout.c ---- */

const fl_extent *fl_extent_of(const fl_widener *x, fl_ref value, int d);
int fl_is_wide(const fl_widener *x, fl_ref value);
fl_extent fl_extent_plain(const fl_widener *x, int32_t number, int uniform);
int fl_extent_equal(const fl_extent *a, const fl_extent *b); /* but for uniformity */
int64_t fl_extent_width(const fl_extent *e, int64_t otherwise);
/* The type of a value of `from` with such extents. */
fl_type fl_wide_type(const fl_widener *x, fl_ref value, const fl_extents *extents);
/* The value of `from` is `made`, laid out so (NULL: exactly). Fails when the digits do not say the size. */
fl_status fl_wide_set(fl_widener *x, const fl_op *op, fl_ref value, fl_ref made, const fl_extents *extents);
/* x[value] with dimension d laid out as `to`; both say the same size. */
fl_ref fl_wide_relay(fl_widener *x, fl_ref made, int d, const fl_extent *from, const fl_extent *to);
/* Which dimension's layout several values of one size take: that of the first that is not uniform, or the narrowest. */
void fl_wide_choose(fl_extent *chosen, const fl_extent *next, int is_first);
/* Operand i of the operation, dimension d of which is plain then, with this layout in *extents. */
fl_ref fl_wide_plain(fl_widener *x, fl_ref made, int d, fl_extent *extent);
/* Where elements along dimension d are true, as i1 of `type`'s shape; FL_NO_REF: everywhere. */
fl_ref fl_wide_inside(fl_widener *x, const fl_type *type, int d, const fl_extent *extent);
/* `made` with the scalar `fill` behind the true elements of the dimensions in `which`. */
fl_ref fl_wide_masked(fl_widener *x, fl_ref made, const fl_extents *extents, uint32_t which, fl_ref fill);
/* out[p] = value[p - delta] along d for 0 <= p - delta < size, else `fill` (FL_NO_REF: anything); *inside (may be NULL) says where. */
fl_ref fl_wide_shift(fl_widener *x, fl_ref made, int d, fl_ref delta, fl_ref size, int64_t width, fl_ref fill,
                     fl_ref *inside);
/* The elements in row-major order, without those that are not true, as a row of `width`; and the way back. */
fl_ref fl_wide_flatten(fl_widener *x, fl_ref made, const fl_extents *extents, int64_t width);
fl_ref fl_wide_unflatten(fl_widener *x, fl_ref row, const fl_type *type, const fl_extents *extents);

/* ---- rules ---- */

typedef struct fl_wide_op {
    fl_widener *x;
    const fl_op *op;
    fl_ref *in;      /* operands, to be changed */
    fl_extents *at;  /* of each operand */
    fl_extents *out; /* of the first result, exact at first */
} fl_wide_op;

/* The operation on o->in with these attributes and regions; its results are as wide as o->out says, all of them alike. */
fl_status fl_wide_emit(fl_wide_op *o, const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions);
/* The attributes with a list of integers replaced. */
fl_attr *fl_wide_attrs(fl_wide_op *o, fl_attr_key key, const int64_t *values, uint32_t count, fl_attr *from,
                       uint32_t *attr_count);
/* Operands first..first+count-1 laid out alike. */
void fl_wide_unify(fl_wide_op *o, uint32_t first, uint32_t count);
void fl_wide_unify_dims(fl_wide_op *o, uint32_t i, int di, uint32_t k, int dk);
fl_block *fl_wide_region(fl_widener *x, const fl_block *from);
fl_status fl_wide_block(fl_widener *x, const fl_block *block);
fl_status fl_wide_copy_regions(fl_widener *x, const fl_op *op, fl_block ***out);

fl_status fl_widen_reshape(fl_wide_op *o); /* widen_layout.c */
fl_status fl_widen_mixing(fl_wide_op *o,
                          int *done); /* widen_mix.c: reductions, products, windows, sort, random bits */
fl_status fl_widen_picking(fl_wide_op *o,
                           int *done); /* widen_pick.c: slices, pads, concatenations, gathers, scatters */
fl_status fl_widen_control(fl_wide_op *o, int *done); /* widen_control.c: loops and branches */

#endif
