/* Chunks: programs of several operators, compiled once for every sequence of entries, numbering of what they use, and what of it
 * is alive at the end. */
#ifndef FL_EAGER_CHUNK_H
#define FL_EAGER_CHUNK_H

#include "device/device.h"

struct fl_pending;

typedef enum fl_chunk_kind {
    FL_CHUNK_VIEW,
    FL_CHUNK_STORAGE, /* from its beginning on: its views are at places that move */
    FL_CHUNK_VALUE,
    FL_CHUNK_START /* where a view begins, in elements */
} fl_chunk_kind;

typedef struct fl_chunk_use {
    uint32_t number; /* of the view, the storage or the value */
    uint8_t kind;
} fl_chunk_use;

typedef struct fl_chunk fl_chunk;
struct fl_chunk {
    uint32_t *key; /* with `hash`, as the list's */
    uint32_t key_count;
    uint64_t hash;
    fl_executable *executable;
    fl_chunk_use *inputs, *outputs;
    uint32_t input_count, output_count;
    uint64_t last_use; /* a clock of launches */
    uint64_t uses, build_ns;
    fl_chunk *next; /* in its bucket */
};

#define FL_CHUNK_BUCKETS 1024

typedef struct fl_chunks {
    fl_chunk *buckets[FL_CHUNK_BUCKETS];
    uint32_t count;
    uint64_t clock;
} fl_chunks;

/* NULL: there is none. */
fl_chunk *fl_chunk_find(fl_chunks *chunks, const uint32_t *key, uint32_t count, uint64_t hash);
/* The cache owns it from now on; the one that was used least recently goes when there are too many. */
void fl_chunk_keep(fl_chunks *chunks, fl_device *device, fl_chunk *chunk);
void fl_chunk_destroy(fl_device *device, fl_chunk *chunk);

/* Makes the chunk of a list, without its key. FL_UNSUPPORTED: a view that no program can express. */
fl_status fl_chunk_build(fl_device *device, const struct fl_pending *list, fl_chunk **out);

#endif
