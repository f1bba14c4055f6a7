/* How fresh results lie in memory: row by row, or as an argument does. */
#ifndef FL_ATEN_LAYOUTS_H
#define FL_ATEN_LAYOUTS_H

#include "aten/value.h"
#include "device/device.h"

typedef enum fl_layout_rule {
    FL_LAYOUT_ROWS,
    FL_LAYOUT_CHANNELS_LAST, /* channels are last in a result of the rank of an argument in which they are */
    FL_LAYOUT_LIKE,          /* dimensions of a result of an argument's sizes are in its order */
    FL_LAYOUT_COLUMNS,       /* matrices of a result of an argument's rank are column-major */
    FL_LAYOUT_SOLUTION, /* results are column-major where the argument, whether unknowns are on the left, says so */
    FL_LAYOUT_FFT,         /* the argument's dimensions that are not transformed, in its order, are slowest */
    FL_LAYOUT_FFT_OF_REAL, /* so too; the last transformed dimension is the fastest */
    FL_LAYOUT_FFT_TO_REAL  /* so too, a transform of all but the last dimension being the argument */
} fl_layout_rule;

typedef struct fl_result_layout {
    const char *operator_name;
    uint8_t rule, args[3]; /* which arguments decide: the first to which the rule applies */
} fl_result_layout;

/* What is known of an operator; NULL: its results lie row by row. */
const fl_result_layout *fl_result_layout_of(const char *operator_name);
/* The layout of a result of that type; `args` are the call's. */
fl_layout fl_result_layout_apply(const fl_result_layout *rule, const fl_value *args, const fl_type *type);

#endif
