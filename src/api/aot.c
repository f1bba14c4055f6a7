/* Compiling for devices that are not there, and which are. */
#include "api/module.h"
#include "pjrt/client_aot.h"
#include "pjrt/client_cache.h"
#include "pjrt/client_host.h"

fl_status fl_module_aot(const fl_module *module, const char *plugin, const char *topology,
                        fl_aot_report **out)
{
    *out = NULL;
    FL_CHECK(plugin && topology, FL_INVALID,
             "expected the path of a plugin and the name of a topology, got NULL");
    return fl_pjrt_aot(module->program, plugin, topology, out);
}

void fl_aot_report_free(fl_aot_report *report)
{
    fl_pjrt_aot_free(report);
}

int fl_tpu_chips(const char **out_name)
{
    return fl_pjrt_chips(NULL, out_name);
}

void fl_disk_cache_counts(uint64_t out[4])
{
    fl_pjrt_cache_counts counts;
    fl_pjrt_cache_get_counts(&counts);
    out[0] = counts.hits;
    out[1] = counts.misses;
    out[2] = counts.kept;
    out[3] = counts.refused;
}
