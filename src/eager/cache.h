/* The cache of executables: key -> entry. Look-ups take no lock; entries are immutable once published.
 *
 * The cache is bounded: when it holds FL_CACHE_ENTRIES entries (an environment variable; 32768 by default), those that were
 * found since it did so last stay, half of the limit at most; the others are retired, and destroyed as soon as no thread is
 * inside a call. A thread is inside from its look-up to its launch. */
#ifndef FL_EAGER_CACHE_H
#define FL_EAGER_CACHE_H

#include "eager/key.h"

/* How an argument or a result lies in memory, beside its offset. */
typedef struct fl_place {
    const fl_type *type; /* of the entry's program */
    fl_layout layout;    /* stride 0 where a dimension has one element */
    uint64_t hash;
    int64_t elements, span; /* span: elements from the first to behind the last in memory */
    uint32_t width;         /* bytes of an element */
    uint8_t is_packed;      /* its elements are all that is between the first and the last, each once */
} fl_place;

struct fl_cached {
    uint64_t *key;
    uint32_t key_count;
    uint64_t hash, serial; /* serial: no other entry of the process ever has the same */
    uint64_t reads;        /* how often it was found; threads that find it at once may count as one */
    uint64_t build_ns;     /* what it took */
    fl_device *device;     /* of the executable */
    const char *name;
    fl_executable *executable; /* NULL: not made yet; atomic */
    fl_program *program;
    fl_place
        *places; /* of arguments, then results; NULL: tensors to write have other shapes, so it cannot run */
    uint8_t *aliases;   /* as in fl_compile_options */
    fl_source *sources; /* one a parameter of the program */
    fl_target *targets;
    uint32_t source_count, target_count, result_count;
    uint64_t random_words;
    int round_as_written; /* see fl_compile_options */
    fl_layout *layouts;   /* see fl_call */
    fl_cached *owner;     /* of what this entry runs; NULL: itself */
    /* with the lock held: */
    uint32_t users;        /* the table that owns the entry, and entries whose owner it is */
    uint64_t reads_before; /* of `reads`, when the cache was full last */
    fl_cached *next_retired;
};

/* Sets the layouts of fresh results and of those that the bridge makes room for, where one does not lie row by row. */
fl_status fl_cached_lay_out(fl_cached *entry, const fl_call *call);
/* Of an entry with a program, sources and targets: its places and aliases for this call. */
fl_status fl_cached_place(fl_cached *entry, const fl_call *call);
fl_status fl_cached_compile(fl_cached *entry); /* unless it has an executable. Any thread */
void fl_cached_destroy(fl_cached *entry);
fl_place fl_place_dense(const fl_type *type); /* only type and layout */
int fl_place_equal(const fl_place *a, const fl_place *b);
const fl_tensor *fl_source_tensor(const fl_call *call, const fl_source *source);
const fl_tensor *fl_target_tensor(const fl_call *call, const fl_target *target);

/* Mark that this thread may hold an entry; calls nest (a resize within a call runs operators). */
void fl_cache_enter(void);
void fl_cache_leave(void);
/* The same for whoever holds entries beyond a call, on any thread. */
void fl_cache_hold(void);
void fl_cache_let_go(void);
const fl_cached *fl_cache_find(const fl_key *key, uint64_t hash);
/* Publishes `entry` (made with malloc; the cache owns it now), whose `owner`, if it has one, was found since this thread
 * entered. Two threads that build one key at once publish an entry each; both work. */
fl_status fl_cache_insert(fl_cached *entry);
uint64_t fl_cache_count(void); /* entries that can be found */

/* Retires all entries: everything is built anew. */
void fl_cache_clear(void);
/* Visits the entries that can be found; they stay during the visit, in which no operator may be called. */
void fl_cache_visit(void (*visit)(void *user, const fl_cached *entry), void *user);
/* Before something is built: FL_INVALID when nothing may be; tells about it when that is wanted (base/cache_switch.h). */
fl_status fl_cache_miss(const fl_call *call);

#endif
