/* A plugin's compiled programs in the compile cache (base/tiers.h): the next process loads what an earlier one compiled. */
#ifndef FL_PJRT_CLIENT_CACHE_H
#define FL_PJRT_CLIENT_CACHE_H

#include "pjrt/client_plugin.h"

/* Everything about package, plugin and host that decides whether an executable can be used; NULL when there is no tier to keep
 * it in, or the plugin cannot give executables away. The caller frees it. */
char *fl_pjrt_cache_identity(const fl_pjrt_plugin *plugin);

/* PJRT_Client_Compile, unless the cache has the executable for the same code and options. What is compiled is kept. */
fl_status fl_pjrt_cache_compile(const fl_pjrt_plugin *plugin, const char *name,
                                PJRT_Client_Compile_Args *args, PJRT_LoadedExecutable **out);

/* What plugins compiled since the start, and how long that took. */
void fl_pjrt_cache_count(uint64_t *out_compilations, uint64_t *out_ns);

#endif
