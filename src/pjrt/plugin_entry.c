/* The exported symbol of libflambeau_pjrt.so. Compiled into that library alone. */
#include "pjrt/plugin.h"

__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void)
{
    return fl_plugin_api();
}
