#include "eager/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing; a table is replaced by a larger one when it is half full. Replaced tables are kept: readers may still
 * walk them, and all of them together are smaller than the current one. */
typedef struct table {
    uint64_t places; /* power of two */
    struct table *replaced;
    const fl_entry *entries[];
} table;

static table *current;
static uint64_t count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const fl_entry *fl_cache_find(const fl_key *key, uint64_t hash)
{
    const table *t = __atomic_load_n(&current, __ATOMIC_ACQUIRE);
    if (!t) return NULL;
    for (uint64_t h = hash & (t->places - 1);; h = (h + 1) & (t->places - 1)) {
        const fl_entry *e = __atomic_load_n(&t->entries[h], __ATOMIC_ACQUIRE);
        if (!e) return NULL;
        if (e->hash == hash && e->key_count == key->count && !memcmp(e->key, key->words, key->count * sizeof *key->words)) return e;
    }
}

static void place(table *t, const fl_entry *e)
{
    uint64_t h = e->hash & (t->places - 1);
    while (t->entries[h]) h = (h + 1) & (t->places - 1);
    __atomic_store_n(&t->entries[h], e, __ATOMIC_RELEASE);
}

static table *enlarged(table *old)
{
    uint64_t places = old ? old->places * 2 : 4096;
    table *t = calloc(1, sizeof *t + places * sizeof t->entries[0]);
    if (!t) return NULL;
    t->places = places;
    t->replaced = old;
    for (uint64_t h = 0; old && h < old->places; h++)
        if (old->entries[h]) place(t, old->entries[h]);
    return t;
}

fl_status fl_cache_insert(fl_entry *entry)
{
    pthread_mutex_lock(&lock);
    table *t = current;
    if (!t || count * 2 >= t->places) t = enlarged(t);
    if (t) {
        place(t, entry);
        __atomic_store_n(&current, t, __ATOMIC_RELEASE);
        __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
    }
    pthread_mutex_unlock(&lock);
    FL_CHECK(t, FL_OOM, "out of host memory");
    return NULL;
}

uint64_t fl_cache_count(void)
{
    return __atomic_load_n(&count, __ATOMIC_RELAXED);
}
