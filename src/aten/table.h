/* Declares every lowering. Rows of ops.def: FL_ATEN("operator.overload" without aten::, lowering). */
#ifndef FL_ATEN_TABLE_H
#define FL_ATEN_TABLE_H

#include "aten/lower.h"

#define FL_ATEN(name, lowering) FL_LOWER(lowering);
#include "aten/ops.def"
#undef FL_ATEN

#endif
