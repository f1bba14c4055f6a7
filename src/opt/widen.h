/* Programs of one size that compute for all sizes up to a bucket.
 *
 * Two recordings of one piece of code, at different sizes, differ in numbers alone: what differs depends on a size. Every dimension
 * that differs becomes as wide as its bucket (a power of two), and the numbers themselves become arguments: the sizes that are
 * true in a call, and constants that follow from them. What lies behind the true elements is anything, NaN included, and no
 * operation lets it into an element that is true: where elements are mixed, it is replaced first (by `select`, never by a
 * product with zero). An operation without such a rule makes the whole fail, with its name.
 *
 * A third recording, at sizes of the same buckets, is served by the same widened program where it differs from the first in those
 * numbers alone, each of them at all its places: fl_widened_fit says so, and what the arguments are then. */
#ifndef FL_OPT_WIDEN_H
#define FL_OPT_WIDEN_H

#include "ir/ir.h"

enum { FL_LEAST_BUCKET = 8 };

typedef struct fl_widened fl_widened;

/* An argument of the widened program behind those of the exact one. */
typedef struct fl_wide_extra {
    const fl_type *type;
    const void *data; /* of the exact program that was fitted last: dense, padded with zeros to `type` */
} fl_wide_extra;

/* `exact` and `other` are consumed, also on failure; both without operations that nobody needs. FL_UNSUPPORTED: why there is no
 * widened form, beginning with an operation's name where it is that one; FL_VALUE: a size lies beyond `limit`. The caller owns *out. */
fl_status fl_program_widen(fl_program *exact, fl_program *other, int64_t limit, fl_widened **out);
void fl_widened_free(fl_widened *w);

/* Its arguments: those of `exact`, as wide as their buckets, then the extras. Results likewise. */
const fl_program *fl_widened_program(const fl_widened *w);
const fl_program *fl_widened_exact(const fl_widened *w); /* what it was made of */
/* Whether a size of argument i, or of result i - the number of arguments, is open. */
int fl_widened_is_open(const fl_widened *w, uint32_t i);
uint32_t fl_widened_extra_count(const fl_widened *w);
/* 1: the program computes what `exact` does, whose buckets are the same, with these extras (one for each, allocated by the
 * caller; their data belong to `w` or `exact`, until the next call). 0: it does not. */
int fl_widened_fit(fl_widened *w, const fl_program *exact, fl_wide_extra *extras);

/* The power of two, at least FL_LEAST_BUCKET, that holds so many. */
int64_t fl_bucket(int64_t size);

#endif
