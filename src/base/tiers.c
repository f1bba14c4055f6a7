#include "base/tiers.h"
#include "base/checksum.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void add(uint64_t *count, uint64_t n)
{
    __atomic_fetch_add(count, n, __ATOMIC_RELAXED);
}

static fl_cache_entry entry_of(const fl_tier_key *key)
{
    return (fl_cache_entry){.name = key->name,
                            .identity = key->identity,
                            .key = key->key,
                            .name_size = strlen(key->name),
                            .identity_size = strlen(key->identity),
                            .key_size = key->key_size};
}

/* ---- one tier ---- */

/* The whole entry, checked: a block that the caller frees, with *out within. NULL: there is none. */
static void *read_entry(fl_tiers *tiers, int t, const fl_cache_entry *wanted, const char *file,
                        fl_cache_entry *out)
{
    fl_store *store = tiers->stores[t];
    fl_tier_counts *counts = &tiers->counts[t];
    void *bytes;
    size_t size;
    uint64_t start = now();
    if (!store->vtable->read(store, file, 1, &bytes, &size)) {
        add(&counts->read_ns, now() - start);
        return NULL;
    }
    const char *wrong = fl_entry_read(bytes, size, out);
    int is_it = !wrong && fl_entry_same_key(out, wanted);
    add(&counts->read_ns, now() - start);
    if (is_it) {
        add(&counts->hits, 1);
        add(&counts->read_bytes, size);
        return bytes;
    }
    free(bytes);
    if (wrong && wrong != fl_entry_other_format) {
        store->vtable->remove(store, file);
        add(&counts->damaged, 1);
    }
    return NULL;
}

static void write_entry(fl_tiers *tiers, int t, const char *file, const void *bytes, size_t size)
{
    fl_store *store = tiers->stores[t];
    fl_tier_counts *counts = &tiers->counts[t];
    if (store->most && size > store->most / 2) return;
    uint64_t start = now();
    fl_status status = store->vtable->write(store, file, bytes, size);
    add(&counts->write_ns, now() - start);
    add(status ? &counts->failures : &counts->kept, 1);
    if (!status) add(&counts->written_bytes, size);
    fl_status_free(status);
}

/* ---- finding ---- */

/* Looks in the tiers from `first` to `last`; nearer ones get what was found, and lose their claims. The tier's number, 0: none. */
static int look(fl_tiers *tiers, int first, int last, const fl_cache_entry *wanted, void **out,
                size_t *out_size)
{
    char file[FL_ENTRY_FILE];
    fl_cache_entry found;
    fl_entry_file(wanted, file);
    for (int t = first; t <= last; t++) {
        char *bytes = tiers->stores[t] ? read_entry(tiers, t, wanted, file, &found) : NULL;
        if (!bytes) continue;
        size_t size = (size_t)((const char *)found.data - bytes) + found.data_size; /* data come last */
        for (int nearer = 0; nearer < t; nearer++)
            if (tiers->stores[nearer]) write_entry(tiers, nearer, file, bytes, size);
        memmove(bytes, found.data, found.data_size);
        *out = bytes;
        *out_size = found.data_size;
        return t + 2;
    }
    return 0;
}

/* Gets the lock of tier `t`, waiting as long as it may. 1: somebody else had it, so the entry may be there now. */
static int claim_tier(fl_claim *claim, int t, uint64_t which)
{
    fl_store *store = claim->tiers->stores[t];
    fl_tier_counts *counts = &claim->tiers->counts[t];
    uint64_t start = now();
    long pause = 500000; /* ns */
    int got, waited = 0;
    while (!(got = store->vtable->lock(store, which, &claim->locks[t]))) {
        if (now() - start > claim->tiers->wait_ns) break;
        if (!waited++) add(&counts->waits, 1);
        const struct timespec t1 = {0, pause};
        nanosleep(&t1, NULL);
        if (pause < 20000000) pause += pause / 2;
    }
    claim->is_locked[t] = got == 1;
    if (waited) add(&counts->wait_ns, now() - start);
    return waited != 0;
}

int fl_tiers_find(fl_tiers *tiers, const fl_tier_key *key, fl_claim *claim, void **out, size_t *out_size)
{
    const fl_cache_entry wanted = entry_of(key);
    *claim = (fl_claim){.tiers = tiers, .key = key};
    int tier = look(tiers, 0, FL_TIERS - 1, &wanted, out, out_size);
    uint64_t which =
        fl_checksum(fl_checksum(3, key->identity, wanted.identity_size), key->key, key->key_size);
    /* Between the first look and the lock another may have built it and gone: look again even when nobody was in the way.
     * Nearer tiers first, in every process, so that two never wait for each other. */
    for (int t = 0; !tier && t < FL_TIERS; t++) {
        if (!tiers->stores[t]) continue;
        claim_tier(claim, t, which);
        tier = look(tiers, t, t, &wanted, out, out_size);
    }
    if (tier) {
        fl_tiers_end(claim);
        return tier;
    }
    for (int t = 0; t < FL_TIERS; t++)
        if (tiers->stores[t]) add(&tiers->counts[t].misses, 1);
    return 0;
}

void fl_tiers_publish(fl_claim *claim, const void *data, size_t size, uint64_t build_ns)
{
    fl_cache_entry entry = entry_of(claim->key);
    char file[FL_ENTRY_FILE];
    void *bytes;
    size_t total;
    entry.data = data;
    entry.data_size = size;
    entry.created = (uint64_t)time(NULL);
    entry.build_ns = build_ns;
    fl_status status = fl_entry_write(&entry, &bytes, &total);
    if (!status) {
        fl_entry_file(&entry, file);
        for (int t = FL_TIERS - 1; t >= 0;
             t--) /* whoever is killed in between leaves it where all look in the end */
            if (claim->tiers->stores[t]) write_entry(claim->tiers, t, file, bytes, total);
        free(bytes);
    }
    fl_status_free(status);
}

void fl_tiers_end(fl_claim *claim)
{
    for (int t = 0; t < FL_TIERS; t++)
        if (claim->is_locked[t]) {
            fl_store *store = claim->tiers->stores[t];
            store->vtable->unlock(store, claim->locks[t]);
            claim->is_locked[t] = 0;
        }
}

void fl_tiers_refuse(fl_tiers *tiers, const fl_tier_key *key)
{
    const fl_cache_entry entry = entry_of(key);
    char file[FL_ENTRY_FILE];
    fl_entry_file(&entry, file);
    for (int t = 0; t < FL_TIERS; t++)
        if (tiers->stores[t] && tiers->stores[t]->vtable->remove(tiers->stores[t], file))
            add(&tiers->counts[t].refused, 1);
}

/* ---- telling ---- */

static void describe_tier(const fl_tiers *tiers, int t, fl_text *out)
{
    const fl_store *store = tiers->stores[t];
    fl_text_printf(out, "\"tier%d\": {", t + 2);
    if (!store) {
        fl_text_printf(out, "\"problem\": ");
        fl_text_json_string(out, tiers->problems[t], strlen(tiers->problems[t]));
    } else {
        fl_text_printf(out, "\"place\": ");
        fl_text_json_string(out, store->place, strlen(store->place));
#define X(name, what)                                                                                        \
    fl_text_printf(out, ", \"" #name "\": %llu",                                                             \
                   (unsigned long long)__atomic_load_n(&tiers->counts[t].name, __ATOMIC_RELAXED));
        FL_TIER_COUNTS(X)
#undef X
        fl_text_printf(out, ", \"evicted\": %llu",
                       (unsigned long long)__atomic_load_n(&store->evicted, __ATOMIC_RELAXED));
    }
    fl_text_append(out, "}", 1);
}

void fl_tiers_describe(const fl_tiers *tiers, fl_text *out)
{
    int told = 0;
    fl_text_append(out, "{", 1);
    for (int t = 0; tiers && t < FL_TIERS; t++) {
        if (!tiers->stores[t] && !tiers->problems[t]) continue;
        if (told++) fl_text_append(out, ", ", 2);
        describe_tier(tiers, t, out);
    }
    fl_text_append(out, "}", 1);
}
