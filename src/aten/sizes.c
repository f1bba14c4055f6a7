#include "aten/sizes.h"

#include <stdio.h>

fl_sizes_text fl_sizes_in_text(fl_builder *b, fl_ref x)
{
    fl_sizes_text s = {"["};
    int n = 1, rank = fl_rank(b, x);
    for (int i = 0; i < rank; i++)
        n += snprintf(s.text + n, sizeof s.text - (size_t)n, "%s%lld", i ? ", " : "",
                      (long long)fl_dim(b, x, i));
    snprintf(s.text + n, sizeof s.text - (size_t)n, "]");
    return s;
}

int fl_empty_dim(fl_builder *b, fl_ref x, int first)
{
    for (int i = first; i < fl_rank(b, x); i++)
        if (!fl_dim(b, x, i)) return i;
    return -1;
}

void fl_refuse_empty(fl_builder *b, const char *function, const char *what, fl_ref x, int first)
{
    int empty = fl_empty_dim(b, x, first);
    FL_REQUIRE(b, empty < 0, FL_INVALID,
               "%s(): Expected %s to have non-zero size for non-batch dimensions, but %s has sizes %s with "
               "dimension %d being empty",
               function, what, what, fl_sizes_in_text(b, x).text, empty);
}
