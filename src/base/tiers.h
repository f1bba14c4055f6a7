/* The compile cache beyond this process: tier 2 in the host's memory (/dev/shm), tier 3 a folder that hosts may share. (Tier 1 is the
 * process's own table, src/eager/cache.h.) One mechanism for whatever is compiled: single operators, chunks of fused
 * operators, whole graphs. Who compiles asks here first, and gives what was built:
 *
 *     fl_claim claim;
 *     if (fl_tiers_find(tiers, &key, &claim, &bytes, &size)) ... use the bytes, free them
 *     else ... build; fl_tiers_publish(&claim, bytes, size, build_ns);
 *     fl_tiers_end(&claim);
 *
 * Between a find that found nothing and the end of its claim, other threads, processes and hosts that ask for the same key
 * wait for it: a key is built once. When the holder dies its claim ends; when it hangs, the others build as well after a while.
 *
 * What the cache does never fails: what cannot be read is built, what cannot be written is counted. Any thread. The
 * PJRT device (src/pjrt/client_cache.c) asks for each of its programs, so everything that is compiled through the device interface
 * is served; the embedded device asks for nothing, since it compiles a program faster than one could be read and bound
 * (docs/architecture.md has the figures). */
#ifndef FL_BASE_TIERS_H
#define FL_BASE_TIERS_H

#include "base/entry.h"
#include "base/store.h"
#include "base/text.h"

enum { FL_TIERS = 2 }; /* index 0 is tier 2, index 1 tier 3 */

/* name, what it counts */
#define FL_TIER_COUNTS(X)                                                                                    \
    X(hits, "entries found")                                                                                 \
    X(misses, "keys that were not there")                                                                    \
    X(kept, "entries written")                                                                               \
    X(refused, "entries whose content could not be used, and which were removed")                            \
    X(damaged, "entries that were not whole, and which were removed")                                        \
    X(failures, "entries that could not be written")                                                         \
    X(waits, "times that another thread or process was building the key")                                    \
    X(wait_ns, "time spent waiting for them")                                                                \
    X(read_bytes, "bytes of the entries found")                                                              \
    X(read_ns, "time spent reading, misses included")                                                        \
    X(written_bytes, "bytes of the entries written")                                                         \
    X(write_ns, "time spent writing")

typedef struct fl_tier_counts {
#define X(name, what) uint64_t name;
    FL_TIER_COUNTS(X)
#undef X
} fl_tier_counts;

typedef struct fl_tiers {
    fl_store *stores[FL_TIERS]; /* NULL: this tier is off */
    char *problems[FL_TIERS];   /* why a tier that was asked for is off; NULL: it is not */
    uint64_t wait_ns;           /* how long another's claim is waited for at most */
    fl_tier_counts counts[FL_TIERS];
} fl_tiers;

/* What is compiled. The caller's, for the time of a call; `identity` and `key` are compared whole. */
typedef struct fl_tier_key {
    const char *name;     /* for people */
    const char *identity; /* fl_cache_entry */
    const void *key;
    size_t key_size;
} fl_tier_key;

typedef struct fl_claim {
    fl_tiers *tiers;
    const fl_tier_key *key;
    int locks[FL_TIERS], is_locked[FL_TIERS];
} fl_claim;

/* The process's tiers, as the environment says (docs/user-guide.md), opened with the first call; NULL when none is asked for. They
 * stay. */
fl_tiers *fl_tiers_get(void);

/* The tier (2, 3) in which the key was found, and its data, which the caller frees; 0: build it. `key` must stay until the
 * claim ends; after a find with a result there is nothing to end, but it does no harm. */
int fl_tiers_find(fl_tiers *tiers, const fl_tier_key *key, fl_claim *claim, void **out, size_t *out_size);
/* Keeps what was built, in every tier. */
void fl_tiers_publish(fl_claim *claim, const void *data, size_t size, uint64_t build_ns);
void fl_tiers_end(fl_claim *claim);
/* What was found cannot be used: it is removed everywhere. Then build, with the same claim (no one waits for it). */
void fl_tiers_refuse(fl_tiers *tiers, const fl_tier_key *key);

/* Appends `{"tier2": {"place": "...", "hits": 1, ...}, ...}`: the tiers that are on, and "problem" of those that should be. */
void fl_tiers_describe(const fl_tiers *tiers, fl_text *out);

/* ---- settings ---- */

/* Where the tiers are; NULL: off. Tier 2 is the folder *out_name in *out_path. */
void fl_tier2_place(const char **out_path, const char **out_name);
const char *fl_tier3_place(void);
uint64_t fl_tiers_limit(void); /* bytes, of each */
/* Opens what the environment names, unless it is off; *out is NULL then. `make` it if it is not there. */
fl_status fl_tier_open(int tier, int make, fl_store **out);

#endif
