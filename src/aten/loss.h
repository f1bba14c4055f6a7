/* PyTorch's numbers for what becomes of a loss of many elements. */
#ifndef FL_ATEN_LOSS_H
#define FL_ATEN_LOSS_H

#include "aten/lower.h"

enum { FL_LOSS_NONE, FL_LOSS_MEAN, FL_LOSS_SUM };
fl_ref fl_loss_reduce(fl_builder *b, fl_ref loss, int64_t reduction);

#endif
