/* An entry of the compile cache as bytes: what a file of tiers 2 and 3 and a part of an archive hold.
 *
 *     magic, format, size of the head, size of all, checksum of all but itself; then, of format 1: times and sizes;
 *     name, identity, key, data.
 *
 * The first line is the same in every format, so that an entry of another one can be told from a damaged one. Numbers are
 * little-endian. Nothing is compressed: executables are read more often than written. */
#ifndef FL_BASE_ENTRY_H
#define FL_BASE_ENTRY_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define FL_ENTRY_FORMAT 1u

typedef struct fl_cache_entry {
    const char *name;     /* what it is for, for people: "aten::add.out" */
    const char *identity; /* of device, compiler and package: which processes can use it. Text */
    const void *key;      /* what was compiled, and with which options */
    const void *data;     /* what came out */
    size_t name_size, identity_size, key_size, data_size;
    uint64_t created;  /* seconds since 1970 */
    uint64_t build_ns; /* how long it took */
} fl_cache_entry;

/* The caller frees *out. FL_OOM. */
fl_status fl_entry_write(const fl_cache_entry *entry, void **out, size_t *out_size);

/* The bytes may be anything; *out points into them. NULL: good; else what is wrong: "cut short", ...; fl_entry_other_format when
 * they are what they were, but for another version of the package. */
extern const char fl_entry_other_format[];
const char *fl_entry_read(const void *bytes, size_t size, fl_cache_entry *out);

/* The name under which it is kept, of identity and key alone: "0123456789abcdef/<32 digits>.bin", one folder an identity. */
enum { FL_ENTRY_FILE = 16 + 1 + 32 + 4 + 1 };
void fl_entry_file(const fl_cache_entry *entry, char out[FL_ENTRY_FILE]);
int fl_entry_is_file(const char *name); /* has that form */

/* Whether both were made from one key for one identity: every byte is compared. */
int fl_entry_same_key(const fl_cache_entry *a, const fl_cache_entry *b);

#endif
