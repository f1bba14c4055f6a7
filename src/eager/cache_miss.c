/* What happens before something is built: see base/cache_switch.h. */
#include "base/cache_switch.h"
#include "eager/cache.h"
#include "eager/describe.h"

#include <stdio.h>

fl_status fl_cache_miss(const fl_call *call)
{
    int only = fl_cache_switch_get(FL_CACHE_ONLY);
    if (__builtin_expect(!only && !fl_cache_switch_get(FL_CACHE_DUMP), 1)) return NULL;
    fl_text text = {0};
    fl_status status = NULL;
    fl_call_describe(call, &text);
    const char *what = text.failed ? fl_operators[call->op].name : text.data;
    if (only)
        status =
            fl_error(FL_INVALID, "not in the compile cache, to which nothing may be added now: %s", what);
    else
        fprintf(stderr, "torch_tpu: compile cache miss: %s\n", what);
    fl_text_free(&text);
    return status;
}
