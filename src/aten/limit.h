/* Limits of an operator's number arguments: they hold at every call, and the numbers are no part of a program's key. */
#ifndef FL_ATEN_LIMIT_H
#define FL_ATEN_LIMIT_H

#include "aten/call.h"

typedef enum fl_limit_kind {
    FL_LIMIT_POSITIVE,
    FL_LIMIT_NOT_NEGATIVE,
    FL_LIMIT_PROBABILITY,      /* of [0, 1] */
    FL_LIMIT_OPEN_PROBABILITY, /* of (0, 1) */
    FL_LIMIT_UP_TO_NEXT        /* not above the number that is the next argument */
} fl_limit_kind;
typedef struct fl_limit {
    fl_limit_kind kind;
    int arg;
    const char *text; /* PyTorch's, with a %g for each number */
} fl_limit;

/* In fl_lowered.looked_at: the operator has a limit. */
#define FL_LIMITED (1ull << 63) /* no argument has this bit */

/* For lowerings: checks this call, and with FL_LIMITED all later ones. `limit` is static, one an operator. */
void fl_limit_number(fl_builder *b, const fl_limit *limit);

/* The C type of a dtype, as PyTorch's texts about numbers that do not fit have it. */
const char *fl_c_type_name(fl_dtype dtype);

/* NULL, or FL_INVALID when an argument is not within its limit. */
fl_status fl_limit_check(const fl_operator *op, const fl_value *args);

#endif
