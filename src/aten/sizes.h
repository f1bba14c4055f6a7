/* What operators refuse about the sizes and types of their arguments, for texts in PyTorch's words. */
#ifndef FL_ATEN_SIZES_H
#define FL_ATEN_SIZES_H

#include "aten/lower.h"

typedef struct fl_sizes_text {
    char text[24 * FL_MAX_RANK];
} fl_sizes_text;
/* "[2, 3, 0]" */
fl_sizes_text fl_sizes_in_text(fl_builder *b, fl_ref x);
/* "Float", "Long" ... */
const char *fl_torch_type_name(fl_dtype dtype);
/* The first dimension from `first` on that has no elements, or -1. */
int fl_empty_dim(fl_builder *b, fl_ref x, int first);
/* Fails a pooling function whose argument `what` lacks elements in a dimension from `first` on. */
void fl_refuse_empty(fl_builder *b, const char *function, const char *what, fl_ref x, int first);

#endif
