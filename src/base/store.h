/* A place that keeps bytes by name for other processes: what a tier of the compile cache needs of a folder, an object store, ...
 *
 * An implementation fills a table of functions; src/base/store_folder.c is the one there is. Any thread may call them. Names are those
 * of fl_entry_file. Whoever reads checks the bytes: a store may lose or damage them. */
#ifndef FL_BASE_STORE_H
#define FL_BASE_STORE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

typedef struct fl_store fl_store;

/* What is in a store, for lists. */
typedef struct fl_stored {
    const char *name;
    uint64_t size;
    int64_t used_ns; /* when it was last read or written, since 1970, by the store's clock */
} fl_stored;

typedef struct fl_store_vtable {
    /* 1 and the whole bytes, which the caller frees; 0: there is no such name, or it cannot be read. `use`: it counts as used
     * now, so that it is not among the first to go. */
    int (*read)(fl_store *store, const char *name, int use, void **out, size_t *out_size);
    /* Appears at once or not at all, over what was there; what was used longest ago may go. FL_INVALID: the store refuses. */
    fl_status (*write)(fl_store *store, const char *name, const void *bytes, size_t size);
    int (*remove)(fl_store *store, const char *name); /* 1: it is gone */
    /* Locks are between threads, processes and hosts as far as the store reaches; that of a process that ends is free again.
     * Tries once: 1 and *out, 0: another holds it, -1: this store has no locks. `which`: any number, the same for a name. */
    int (*lock)(fl_store *store, uint64_t which, int *out);
    void (*unlock)(fl_store *store, int lock);
    /* Visits all, in no order, until a visit returns 0. FL_INVALID when the place cannot be read. */
    fl_status (*list)(fl_store *store, int (*visit)(void *user, const fl_stored *stored), void *user);
    void (*close)(fl_store *store);
} fl_store_vtable;

/* An implementation's begins with this. */
struct fl_store {
    const fl_store_vtable *vtable;
    char *place;      /* a path or address, for people; the implementation's */
    uint64_t most;    /* bytes, more or less: whoever writes looks from time to time */
    uint64_t evicted; /* entries that this process removed because of the limit */
};

/* A folder, made (with those above it) if need be. With `name` it is that one in `path`, and neither may be a symbolic link; without,
 * `path` may lead over links. Files and folders are this user's alone. FL_INVALID: it cannot be made or read, or others own
 * it or may write to it: what is kept may be machine code. A folder that cannot be written to serves those who read.
 * `most` bytes: the limit (0: none). Files are written under a name of their own and renamed; nothing is waited for to reach the disk, since
 * after a power failure an entry that is not whole is as good as none. */
fl_status fl_store_open_folder(const char *path, const char *name, uint64_t most, fl_store **out);
/* The same of a folder that must be there; nothing is made. */
fl_status fl_store_find_folder(const char *path, const char *name, uint64_t most, fl_store **out);
void fl_store_close(fl_store *store); /* NULL is fine */

#endif
