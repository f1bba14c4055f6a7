/* Compiled programs on disk: the next process loads what an earlier one compiled. Two folders may be in use, a host's and one
 * that hosts share; environment variables name them (docs/user-guide.md), and without those there is none. */
#ifndef FL_PJRT_CLIENT_CACHE_H
#define FL_PJRT_CLIENT_CACHE_H

#include "pjrt/client_plugin.h"

/* What a compilation depends on: `identity` is fl_pjrt_cache_identity. */
typedef struct fl_pjrt_cache_key {
    const char *identity;
    const char *code, *options;
    size_t code_size, options_size;
} fl_pjrt_cache_key;

/* Everything about plugin and host that decides whether an executable can be used; NULL when there is no folder to keep it in.
 * The caller frees it. */
char *fl_pjrt_cache_identity(const fl_pjrt_plugin *plugin);
/* The executable of an earlier process, or NULL: then the program has to be compiled. An entry that the plugin refuses is
 * removed. */
PJRT_LoadedExecutable *fl_pjrt_cache_load(const fl_pjrt_plugin *plugin, const fl_pjrt_cache_key *key);
/* Keeps an executable for later; what fails is no matter. */
void fl_pjrt_cache_keep(const fl_pjrt_plugin *plugin, const fl_pjrt_cache_key *key,
                        PJRT_LoadedExecutable *loaded);

typedef struct fl_pjrt_cache_counts {
    uint64_t hits, misses, kept, refused; /* refused: entries that the plugin did not take */
} fl_pjrt_cache_counts;
void fl_pjrt_cache_get_counts(fl_pjrt_cache_counts *out);

#endif
