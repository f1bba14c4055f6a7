/* Programs that say what their results must be: check.* operations and check.* custom calls. */
#ifndef FL_REF_CHECK_H
#define FL_REF_CHECK_H

#include "ref/reference.h"

typedef struct fl_check_report {
    uint32_t checks, failures;
    fl_text log; /* a line for each check that does not hold; to be freed with fl_text_free */
} fl_check_report;

/* Runs the entry function, which must have no arguments. Checks that are reached are counted in `report`
 * (zeroed by the caller); those that do not hold are described in its log, and the run goes on. An error
 * is that of the run itself. Expected values carry the rounding errors of whoever made them, more than
 * most checks allow for: the run rounds each step as fl_reference_options say. */
fl_status fl_reference_check(const fl_program *program, fl_check_report *report);

#endif
