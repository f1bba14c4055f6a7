/* ragged_dot in both of its forms against the reference interpreter (values are exact under any order). */
#include "cpu/kernel_case.h"
#include "ir/ragged.h"

static const fl_dtype types[] = {FL_F32, FL_F64, FL_BF16, FL_I32, FL_F16};

/* Groups in any order of sizes, empty ones, negative ones, and more rows than there are. */
static fl_ref sizes(fl_builder *b, int64_t groups)
{
    return fl_parameter(b, fl_type_make(random_in(0, 1) ? FL_I32 : FL_I64, 1, &groups));
}

static void check(int sums, int64_t m, int64_t k, int64_t n, int64_t groups, fl_dtype t)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "ragged"));
    int64_t lhs[] = {m, k}, rows[] = {groups, k, n}, other[] = {m, n};
    fl_ref x = fl_parameter(&b, fl_type_make(t, 2, lhs));
    fl_ref y = fl_parameter(&b, sums ? fl_type_make(t, 2, other) : fl_type_make(t, 3, rows));
    fl_ref s = sizes(&b, groups);
    if (sums)
        fl_ragged_sums(&b, x, y, s, t);
    else
        fl_ragged_rows(&b, x, y, s, t);
    check_kernel(&b, NULL, "ragged_dot");
}

int main(void)
{
    for (int i = 0; i < 60; i++)
        check(i & 1, random_in(0, 40), random_in(0, 12), random_in(0, 20), random_in(0, 6), types[i % 5]);
    for (int i = 0; i < 4; i++) /* several blocks of rows and columns */
        check(i & 1, random_in(113, 260), random_in(1, 130), random_in(513, 700), 3, types[i / 2]);
    return check_result();
}
