#include "aten/call.h"
#include "aten/table.h"

const fl_operator fl_operators[] = {
#define FL_ATEN(name, lowering) {name, fl_lower_##lowering},
#include "aten/ops.def"
#undef FL_ATEN
};

uint32_t fl_operator_count(void)
{
    return sizeof fl_operators / sizeof *fl_operators;
}
