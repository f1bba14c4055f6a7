/* The compile cache, told to the Python package. */
#include "base/text.h"
#include "base/tiers.h"
#include "flambeau.h"
#include "pjrt/client_cache.h"
#include "pjrt/client_trace.h"

fl_status fl_compile_cache_report(char **out)
{
    fl_text text = {0};
    uint64_t compilations, ns;
    fl_pjrt_cache_count(&compilations, &ns);
    fl_text_printf(&text, "{\"compilations\": %llu, \"compile_ns\": %llu, \"tiers\": ",
                   (unsigned long long)compilations, (unsigned long long)ns);
    fl_tiers_describe(fl_tiers_get(), &text);
    fl_text_append(&text, "}", 1);
    *out = text.data;
    if (!text.failed) return NULL;
    fl_text_free(&text);
    return fl_error(FL_OOM, "out of host memory");
}

fl_status fl_compile_cache_trace(const char *path)
{
    return fl_pjrt_trace_to(path);
}
