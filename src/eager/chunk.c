#include "eager/chunk.h"

#include <stdlib.h>
#include <string.h>

/* FL_CHUNK_ENTRIES: how many chunks a device keeps; 1024 by default. */
static uint32_t limit(void)
{
    static uint32_t value;
    if (!value) {
        const char *text = getenv("FL_CHUNK_ENTRIES");
        int n = text ? atoi(text) : 0;
        value = n > 0 ? (uint32_t)n : 1024;
    }
    return value;
}

void fl_chunk_destroy(fl_device *device, fl_chunk *chunk)
{
    if (!chunk) return;
    if (chunk->executable) device->vtable->destroy_executable(device, chunk->executable);
    free(chunk->key);
    free(chunk->inputs);
    free(chunk->outputs);
    free(chunk);
}

fl_chunk *fl_chunk_find(fl_chunks *chunks, const uint32_t *key, uint32_t count, uint64_t hash)
{
    for (fl_chunk *c = chunks->buckets[hash % FL_CHUNK_BUCKETS]; c; c = c->next)
        if (c->hash == hash && c->key_count == count && !memcmp(c->key, key, count * sizeof *key)) {
            c->last_use = ++chunks->clock;
            c->uses++;
            return c;
        }
    return NULL;
}

static void drop_oldest(fl_chunks *chunks, fl_device *device)
{
    fl_chunk **oldest = NULL;
    for (uint32_t b = 0; b < FL_CHUNK_BUCKETS; b++)
        for (fl_chunk **c = &chunks->buckets[b]; *c; c = &(*c)->next)
            if (!oldest || (*c)->last_use < (*oldest)->last_use) oldest = c;
    fl_chunk *chunk = *oldest;
    *oldest = chunk->next;
    __atomic_store_n(&chunks->count, chunks->count - 1, __ATOMIC_RELAXED);
    fl_chunk_destroy(device, chunk);
}

void fl_chunk_keep(fl_chunks *chunks, fl_device *device, fl_chunk *chunk)
{
    while (chunks->count >= limit()) drop_oldest(chunks, device);
    fl_chunk **bucket = &chunks->buckets[chunk->hash % FL_CHUNK_BUCKETS];
    chunk->next = *bucket;
    chunk->last_use = ++chunks->clock;
    *bucket = chunk;
    __atomic_store_n(&chunks->count, chunks->count + 1, __ATOMIC_RELAXED);
}
