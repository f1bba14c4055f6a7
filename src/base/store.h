/* A folder on disk that keeps bytes by key, shared by processes. Keys are compared whole; an entry that is damaged, cut short
 * or of another version counts as absent and is removed. Entries appear at once or not at all. When the folder grows beyond
 * its limit, those that were not used for longest go. Any thread. */
#ifndef FL_BASE_STORE_H
#define FL_BASE_STORE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct fl_store fl_store;

/* Makes the folder (and those above it) if need be. FL_INVALID when that fails, or when others than this user own it or may
 * write to it: what is kept may be machine code. */
fl_status fl_store_open(const char *folder, uint64_t most_bytes, fl_store **out);
void fl_store_close(fl_store *store); /* NULL is fine */

/* 1 and the bytes, to be freed by the caller; 0 when there is no such entry. */
int fl_store_get(fl_store *store, const void *key, size_t key_size, void **out, size_t *out_size);
/* FL_INVALID when the disk refuses. An entry larger than half the limit is not kept. */
fl_status fl_store_put(fl_store *store, const void *key, size_t key_size, const void *data, size_t size);
void fl_store_remove(fl_store *store, const void *key, size_t key_size);

#endif
