/* Between the files of fl cache. */
#ifndef FL_TOOLS_CMD_CACHE_H
#define FL_TOOLS_CMD_CACHE_H

#include "base/entry.h"
#include "base/store.h"
#include "fl.h"

/* The tiers that a command is about. */
typedef struct fl_cache_places {
    fl_store *stores[2]; /* tier 2, tier 3; NULL: not this one */
    const char *root;    /* --root: the only store, in the place of tier 3 */
    long tier;           /* --tier; 0: all that the environment names */
    int make;            /* folders that are not there */
} fl_cache_places;

/* Takes --root or --tier; 0: the next word is another. A usage error leaves *exit. */
int fl_cache_take_place(fl_args *args, fl_cache_places *places, int *exit);
/* Opens them. On failure, which it reports, the exit status. */
int fl_cache_open(fl_cache_places *places);
void fl_cache_close(fl_cache_places *places);

/* What each verb does; args->at is behind it. */
int fl_cache_archive(fl_args *args); /* export, import: argv[at - 1] says which */
int fl_cache_warm(fl_args *args);

/* Programs that first steps of training need: the text of a trace. */
const char *fl_common_programs(void);
size_t fl_common_programs_size(void);

#endif
