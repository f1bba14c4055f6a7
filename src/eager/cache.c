#include "eager/cache.h"
#include "base/cache_switch.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Open addressing; a table is replaced by a larger one when it is half full, or by one without what was not used. Replaced tables are
 * kept until no thread can be reading them. */
typedef struct table {
    uint64_t places; /* power of two */
    struct table *replaced;
    const fl_cached *entries[];
} table;

static table *current;
static uint64_t count;
static table *old_tables;       /* linked by `replaced` */
static fl_cached *retired;      /* linked by `next_retired`; nothing finds them any more */
static int waits;               /* whether there is something of either */
static uint64_t inside;         /* threads between enter and leave */
static _Thread_local int depth; /* calls of this thread, one within another */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void reclaim(void);

void fl_cache_enter(void)
{
    if (depth++ == 0) __atomic_fetch_add(&inside, 1, __ATOMIC_SEQ_CST);
}

void fl_cache_leave(void)
{
    if (--depth == 0 && !__atomic_sub_fetch(&inside, 1, __ATOMIC_SEQ_CST) &&
        __builtin_expect(__atomic_load_n(&waits, __ATOMIC_RELAXED), 0))
        reclaim();
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

static table *new_table(uint64_t places)
{
    table *t = calloc(1, sizeof *t + places * sizeof t->entries[0]);
    if (t) t->places = places;
    return t;
}

/* Makes `t` what is looked in; needs the lock. */
static void publish(table *t, uint64_t entries)
{
    table *old = current;
    __atomic_store_n(&current, t, __ATOMIC_SEQ_CST);
    __atomic_store_n(&count, entries, __ATOMIC_RELAXED);
    if (!old || old == t) return;
    old->replaced = old_tables;
    old_tables = old;
    __atomic_store_n(&waits, 1, __ATOMIC_RELAXED);
}

static void retire(fl_cached *e)
{
    e->next_retired = retired;
    retired = e;
}

/* One user less; needs the lock. */
static void release_entry(fl_cached *e)
{
    if (--e->users) return;
    if (e->owner) release_entry(e->owner);
    fl_cached_destroy(e);
}

#define AT_ONCE 256 /* entries that one call destroys at most */

/* Destroys what is retired, once nobody can hold it: no other thread is inside, and this one is in its outermost call at most.
 * `current` was replaced before `inside` is read, so whoever comes in later finds only the new table. Needs the lock. */
static void destroy_retired(uint64_t most)
{
    if (depth > 1 || __atomic_load_n(&inside, __ATOMIC_SEQ_CST) > (uint64_t)depth) return;
    for (table *t = old_tables, *next; t; t = next) {
        next = t->replaced;
        free(t);
    }
    old_tables = NULL;
    while (retired && most--) {
        fl_cached *e = retired;
        retired = e->next_retired;
        release_entry(e);
    }
    __atomic_store_n(&waits, retired != NULL, __ATOMIC_RELAXED);
}

/* By a thread that has left; whoever has the lock may do it as well. */
static void reclaim(void)
{
    if (pthread_mutex_trylock(&lock)) return;
    destroy_retired(AT_ONCE);
    pthread_mutex_unlock(&lock);
}

static void retire_all(void)
{
    for (uint64_t h = 0; h < current->places; h++)
        if (current->entries[h]) retire((fl_cached *)current->entries[h]);
    publish(NULL, 0);
}

/* How often an entry was found since the last turn, as a power of two. */
static int use_of(const fl_cached *e)
{
    uint64_t n = __atomic_load_n(&e->reads, __ATOMIC_RELAXED) - e->reads_before;
    return n ? 64 - __builtin_clzll(n) : 0;
}

/* The least use that half of the limit has room for, and how many of just that use there is room for. */
static int least_use(uint64_t *room)
{
    uint64_t with_use[65] = {0};
    for (uint64_t h = 0; h < current->places; h++)
        if (current->entries[h]) with_use[use_of(current->entries[h])]++;
    int use = 64;
    for (*room = limit() / 2; use > 0 && with_use[use] <= *room; use--) *room -= with_use[use];
    return use;
}

/* A turn: what was found since the last one stays, those that were found most if they are many; the others are retired. So a process
 * whose shapes never come again keeps what its loops use. */
static void turn(void)
{
    uint64_t room, kept = 0;
    int least = least_use(&room);
    table *t = new_table(current->places);
    if (!t) {
        retire_all();
        return;
    }
    for (uint64_t h = 0; h < current->places; h++) {
        fl_cached *e = (fl_cached *)current->entries[h];
        if (!e) continue;
        int use = use_of(e);
        e->reads_before = __atomic_load_n(&e->reads, __ATOMIC_RELAXED);
        if (!use || use < least || (use == least && !room)) {
            retire(e);
            continue;
        }
        room -= use == least;
        place(t, e);
        kept++;
    }
    publish(t, kept);
}

/* A table with room for one entry more, or NULL. */
static table *table_with_room(void)
{
    if (current && count >= limit()) turn();
    if (current && count * 2 < current->places) return current;
    table *t = new_table(current ? current->places * 2 : 4096);
    for (uint64_t h = 0; t && current && h < current->places; h++)
        if (current->entries[h]) place(t, current->entries[h]);
    return t;
}

fl_status fl_cache_insert(fl_cached *entry)
{
    entry->reads = entry->reads_before = 0;
    entry->users = 1;
    pthread_mutex_lock(&lock);
    if (entry->owner)
        entry->owner->users++; /* first: it may be retired already, and held by this thread alone */
    destroy_retired(AT_ONCE);
    table *t = table_with_room();
    if (t) {
        place(t, entry);
        publish(t, count + 1);
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
    destroy_retired(UINT64_MAX);
    pthread_mutex_unlock(&lock);
}

void fl_cache_visit(void (*visit)(void *user, const fl_cached *entry), void *user)
{
    pthread_mutex_lock(&lock);
    for (uint64_t h = 0; current && h < current->places; h++)
        if (current->entries[h]) visit(user, current->entries[h]);
    pthread_mutex_unlock(&lock);
}
