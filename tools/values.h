/* Tensors as people read and write them. */
#ifndef FL_TOOLS_VALUES_H
#define FL_TOOLS_VALUES_H

#include "base/text.h"
#include "flambeau.h"

/* Appends "tensor<2x2xf32> [[1, 2], [3, 4]]": the shortest decimal numbers that read back to the same values. Of tensors with more
 * than `most` elements only the first and last three along each dimension (0: all). */
void fl_print_array(const fl_array *array, uint64_t most, fl_text *out);

#endif
