#include "eager/cache.h"
#include "base/cache_switch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing; a table is replaced by a larger one when it is half full. Replaced tables are kept: readers may still
 * walk them, and all of them together are smaller than the current one. */
typedef struct table {
    uint64_t places; /* power of two */
    int owner;       /* retired: its entries are to be destroyed with it */
    struct table *replaced;
    const fl_cached *entries[];
} table;

static table *current;
static uint64_t count;
static table *retired;          /* linked by `replaced`; nothing finds their entries any more */
static uint64_t inside;         /* threads between enter and leave */
static _Thread_local int depth; /* calls of this thread, one within another */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void fl_cache_enter(void)
{
    if (depth++ == 0) __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
}

void fl_cache_leave(void)
{
    if (--depth == 0) __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
}

void fl_cache_hold(void)
{
    __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
}

void fl_cache_let_go(void)
{
    __atomic_fetch_sub(&inside, 1, __ATOMIC_SEQ_CST);
}

static uint64_t limit(void)
{
    static uint64_t value;
    if (!value) {
        const char *text = getenv("FL_CACHE_ENTRIES");
        long long n = text ? atoll(text) : 0;
        value = n > 0 ? (uint64_t)n : 32768;
    }
    return value;
}

const fl_cached *fl_cache_find(const fl_key *key, uint64_t hash)
{
    const table *t = __atomic_load_n(&current, __ATOMIC_SEQ_CST);
    if (!t) return NULL;
    for (uint64_t h = hash & (t->places - 1);; h = (h + 1) & (t->places - 1)) {
        const fl_cached *e = __atomic_load_n(&t->entries[h], __ATOMIC_ACQUIRE);
        if (!e) return NULL;
        if (e->hash == hash && e->key_count == key->count &&
            !memcmp(e->key, key->words, key->count * sizeof *key->words)) {
            uint64_t *reads = &((fl_cached *)e)->reads;
            __atomic_store_n(reads, __atomic_load_n(reads, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
            return e;
        }
    }
}

static void place(table *t, const fl_cached *e)
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

/* One user less; needs the lock. */
static void release_entry(fl_cached *e)
{
    if (--e->users) return;
    if (e->owner) release_entry(e->owner);
    fl_cached_destroy(e);
}

/* Destroys retired entries, once nobody can hold one: no other thread is inside and this one is in its outermost call.
 * `current` was replaced before `inside` is read, so whoever comes in later finds only the new table. Needs the lock. */
static void destroy_retired(void)
{
    if (!retired || depth > 1 || __atomic_load_n(&inside, __ATOMIC_SEQ_CST) > (uint64_t)depth) return;
    for (table *t = retired, *next; t; t = next) {
        next = t->replaced;
        for (uint64_t h = 0; t->owner && h < t->places; h++)
            if (t->entries[h]) release_entry((fl_cached *)t->entries[h]);
        free(t);
    }
    retired = NULL;
}

/* Retires everything. Only the current table owns its entries; those it replaced hold the same ones. */
static void retire_all(void)
{
    table *t = current, *last = t;
    t->owner = 1;
    while (last->replaced) last = last->replaced;
    last->replaced = retired;
    retired = t;
    __atomic_store_n(&current, NULL, __ATOMIC_SEQ_CST);
    __atomic_store_n(&count, 0, __ATOMIC_RELAXED);
}

fl_status fl_cache_insert(fl_cached *entry)
{
    entry->reads = 0;
    entry->users = 1;
    pthread_mutex_lock(&lock);
    if (entry->owner) entry->owner->users++; /* first: it may be retired already, and held by this thread alone */
    destroy_retired();
    if (current && count >= limit()) retire_all();
    table *t = current;
    if (!t || count * 2 >= t->places) t = enlarged(t);
    if (t) {
        place(t, entry);
        __atomic_store_n(&current, t, __ATOMIC_SEQ_CST);
        __atomic_store_n(&count, count + 1, __ATOMIC_RELAXED);
        if (!fl_cache_switch_get(FL_CACHE_ALLOW)) retire_all(); /* it serves this call */
    } else if (entry->owner) {
        release_entry(entry->owner);
    }
    pthread_mutex_unlock(&lock);
    FL_CHECK(t, FL_OOM, "out of host memory");
    return NULL;
}

uint64_t fl_cache_count(void)
{
    return __atomic_load_n(&count, __ATOMIC_RELAXED);
}

void fl_cache_clear(void)
{
    pthread_mutex_lock(&lock);
    if (current) retire_all();
    destroy_retired();
    pthread_mutex_unlock(&lock);
}

void fl_cache_visit(void (*visit)(void *user, const fl_cached *entry), void *user)
{
    pthread_mutex_lock(&lock);
    for (uint64_t h = 0; current && h < current->places; h++)
        if (current->entries[h]) visit(user, current->entries[h]);
    pthread_mutex_unlock(&lock);
}
