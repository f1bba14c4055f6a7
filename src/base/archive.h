/* Entries of the compile cache in one file, to carry them elsewhere. The file that is read may be anything: every entry is checked
 * whole, and where it is kept follows from what it says, never from a name in the file. (That the entries are meant well is for
 * the user to know: they are executables.) */
#ifndef FL_BASE_ARCHIVE_H
#define FL_BASE_ARCHIVE_H

#include "base/entry.h"
#include "base/store.h"

#include <stdio.h>

typedef struct fl_archive_counts {
    uint64_t entries, bytes;
    uint64_t skipped; /* in a store: not whole */
} fl_archive_counts;

/* Writes what is in the stores (NULL: none), each key once. `to` can seek. FL_INVALID when a file or store cannot be used. */
fl_status fl_archive_write(fl_store *const *stores, int count, FILE *to, fl_archive_counts *out);

/* Visits the entries of a file that can seek, from its beginning; `bytes` are the whole entry. FL_VALUE: it is no archive, or
 * damaged, and where. A visit's error ends it. */
typedef fl_status (*fl_archive_visit)(void *user, const fl_cache_entry *entry, const void *bytes,
                                      size_t size);
fl_status fl_archive_read(FILE *from, fl_archive_visit visit, void *user);

/* Takes all entries over into the stores, or none when the file is damaged. */
fl_status fl_archive_import(FILE *from, fl_store *const *stores, int count, fl_archive_counts *out);

#endif
