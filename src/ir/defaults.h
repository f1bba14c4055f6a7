/* Which attributes an operation may leave out, and what that means. */
#ifndef FL_IR_DEFAULTS_H
#define FL_IR_DEFAULTS_H

#include "ir/ir.h"

/* 1: the operation without this attribute would mean the same. */
int fl_attr_is_default(const fl_op *op, const fl_attr *attr);
/* Whether two operations of one code have the same value of a key, where either may be left out (NULL). */
int fl_attr_equal(const fl_op *op, const fl_attr *a, const fl_attr *b);

#endif
