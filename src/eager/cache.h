/* The cache of executables: key -> entry. Look-ups take no lock; entries are immutable once published. */
#ifndef FL_EAGER_CACHE_H
#define FL_EAGER_CACHE_H

#include "eager/key.h"

struct fl_entry {
    uint64_t *key;
    uint32_t key_count;
    uint64_t hash;
    fl_executable *executable;
    fl_source *sources; /* one a parameter of the program */
    fl_target *targets;
    uint32_t source_count, target_count, result_count;
    uint64_t random_words;
};

const fl_entry *fl_cache_find(const fl_key *key, uint64_t hash);
/* Publishes `entry` (made with malloc; the cache owns it now). If another thread was faster, `entry` stays unpublished
 * but alive, and works as well. */
fl_status fl_cache_insert(fl_entry *entry);
uint64_t fl_cache_count(void);

#endif
