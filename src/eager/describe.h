/* A call as text: "add.out(f32[2, 3], f32[3], f32[2, 3] strides [1, 2], 1)". */
#ifndef FL_EAGER_DESCRIBE_H
#define FL_EAGER_DESCRIBE_H

#include "base/text.h"
#include "eager/eager.h"

void fl_value_describe(const fl_value *value, fl_text *out);
void fl_call_describe(const fl_call *call, fl_text *out);

#endif
