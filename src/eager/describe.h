/* A call as text: "add.out(f32[2, 3], f32[3], f32[2, 3] strides [1, 2], 1)". */
#ifndef FL_EAGER_DESCRIBE_H
#define FL_EAGER_DESCRIBE_H

#include "base/text.h"
#include "eager/eager.h"

/* Which strides are told of: those of tensors that are not dense, or of all on the device. */
typedef enum fl_describe { FL_ODD_STRIDES, FL_ALL_STRIDES } fl_describe;

void fl_numbers_describe(const char *before, const int64_t *numbers, uint32_t count, fl_text *out);
void fl_tensor_describe(const fl_tensor *tensor, fl_describe strides, fl_text *out);
void fl_value_describe(const fl_value *value, fl_describe strides, fl_text *out);
void fl_call_describe(const fl_call *call, fl_text *out);

#endif
