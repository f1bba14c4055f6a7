/* The compile cache, told to the Python package. */
#include "base/cache_switch.h"
#include "base/tiers.h"
#include "eager/cache.h"
#include "flambeau.h"
#include "pjrt/client_cache.h"
#include "pjrt/client_trace.h"

#include <string.h>

static void add_entry(void *user, const fl_cached *e)
{
    fl_text *text = user;
    const char *name = fl_operators[e->key[0] >> 32].name;
    fl_text_printf(text, "%s{\"name\": ", text->data[text->length - 1] == '[' ? "" : ", ");
    fl_text_json_string(text, name, strlen(name));
    fl_text_printf(text, ", \"reads\": %llu, \"build_ns\": %llu, \"key\": \"%016llx\"}",
                   (unsigned long long)__atomic_load_n(&e->reads, __ATOMIC_RELAXED),
                   (unsigned long long)e->build_ns, (unsigned long long)e->hash);
}

fl_status fl_compile_cache_report(int with_entries, char **out)
{
    fl_text text = {0};
    uint64_t compilations, ns;
    fl_pjrt_cache_count(&compilations, &ns);
    fl_text_printf(&text, "{\"compilations\": %llu, \"compile_ns\": %llu, \"tiers\": ",
                   (unsigned long long)compilations, (unsigned long long)ns);
    fl_tiers_describe(fl_tiers_get(), &text);
    fl_text_printf(&text, ", \"entries\": [");
    if (with_entries && !text.failed) fl_cache_visit(add_entry, &text);
    fl_text_printf(&text, "]}");
    *out = text.data;
    if (!text.failed) return NULL;
    fl_text_free(&text);
    *out = NULL;
    return fl_error(FL_OOM, "out of host memory");
}

void fl_compile_cache_clear(void)
{
    fl_cache_clear();
}

int fl_compile_cache_switch(int which, int on)
{
    if (which < 0 || which >= FL_CACHE_SWITCHES) return 0;
    int before = fl_cache_switch_get((fl_cache_switch)which);
    if (on >= 0) fl_cache_switch_set((fl_cache_switch)which, on);
    if (which == FL_CACHE_ALLOW && on == 0) fl_cache_clear(); /* what is there is found no more */
    return before;
}

fl_status fl_compile_cache_trace(const char *path)
{
    return fl_pjrt_trace_to(path);
}
