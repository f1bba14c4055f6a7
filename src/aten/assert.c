/* Assertions about values: what is wrong is reported when the host next waits for the device. */
#include <stdio.h>

#include "aten/shapes.h"
#include "aten/table.h"

static void expect_true(fl_builder *b, const char *text)
{
    char what[512];
    fl_ref x = fl_in(b, 0);
    FL_REQUIRE(b, fl_elements(b, x) == 1, FL_INVALID, "Boolean value of Tensor with %s is ambiguous",
               fl_elements(b, x) ? "more than one value" : "no values");
    fl_ref zero = fl_scalar_i(b, fl_dtypeof(b, x), 0);
    fl_ref holds = fl_compare(b, FL_NE, fl_reshape(b, x, 0, NULL), zero);
    snprintf(what, sizeof what, FL_WRONG_VALUE "%s", text);
    fl_check_index(b, fl_cast(b, holds, FL_I32), 1, 2, what);
}

/* self */
FL_LOWER(assert_async)
{
    expect_true(b, "Expected Tensor with single nonzero value, but got zero");
}

/* self, assert_msg */
FL_LOWER(assert_async_msg)
{
    expect_true(b, fl_string(b, 1));
}
