/* The two calls of ir/attention.h. */
#ifndef FL_REF_ATTENTION_H
#define FL_REF_ATTENTION_H

#include "ref/custom.h"

fl_status fl_attention_call(const fl_custom_args *args);
fl_status fl_attention_backward_call(const fl_custom_args *args);

#endif
