/* Operations of sdy in artifacts: what attributes they have, sorted by name, which is their order among the properties. */
#ifndef FL_IR_BYTECODE_SDY_OPS_H
#define FL_IR_BYTECODE_SDY_OPS_H

#include "ir/ir.h"

enum { FL_SDY_ATTRS = 3 };

typedef struct fl_sdy_row {
    uint16_t code;               /* fl_opcode */
    uint16_t keys[FL_SDY_ATTRS]; /* up to FL_ATTR_NONE */
    uint8_t optional;            /* bit i: keys[i] may be missing */
} fl_sdy_row;

/* NULL: no operation of sdy. */
const fl_sdy_row *fl_sdy_row_of(fl_opcode code);

#endif
