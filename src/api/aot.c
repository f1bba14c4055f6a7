/* Compiling for devices that are not there, and which are. */
#include "api/module.h"
#include "pjrt/client_aot.h"
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
