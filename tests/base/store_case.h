/* A folder for a test, and entries to keep there. */
#ifndef FL_TESTS_BASE_STORE_CASE_H
#define FL_TESTS_BASE_STORE_CASE_H

#include "base/entry.h"
#include "base/store.h"
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64] = "/tmp/flambeau_store_XXXXXX";

static inline void clear_folder(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    CHECK(!system(command));
}

static inline fl_store *open_store(uint64_t most)
{
    fl_store *s = NULL;
    CHECK_OK(fl_store_open_folder(folder, NULL, most, &s));
    if (!s) exit(1);
    return s;
}

static inline fl_cache_entry entry_for(const char *key, const char *data)
{
    return (fl_cache_entry){.name = "test",
                            .identity = "identity",
                            .key = key,
                            .data = data,
                            .name_size = 4,
                            .identity_size = 8,
                            .key_size = strlen(key),
                            .data_size = strlen(data),
                            .created = 5,
                            .build_ns = 7};
}

static inline fl_status write_to(fl_store *s, const char *key, const char *data)
{
    const fl_cache_entry e = entry_for(key, data);
    char file[FL_ENTRY_FILE];
    void *bytes;
    size_t size;
    CHECK_OK(fl_entry_write(&e, &bytes, &size));
    fl_entry_file(&e, file);
    fl_status status = s->vtable->write(s, file, bytes, size);
    free(bytes);
    return status;
}

/* 1: there, whole and right; 0: not there; -1: anything else. */
static inline int has(fl_store *s, const char *key, const char *data)
{
    const fl_cache_entry e = entry_for(key, data);
    char file[FL_ENTRY_FILE];
    fl_cache_entry got;
    void *bytes;
    size_t size;
    fl_entry_file(&e, file);
    if (!s->vtable->read(s, file, 1, &bytes, &size)) return 0;
    int good = !fl_entry_read(bytes, size, &got) && fl_entry_same_key(&e, &got) &&
               got.data_size == e.data_size && !memcmp(got.data, data, e.data_size);
    free(bytes);
    return good ? 1 : -1;
}

/* Absolute path of an entry's file. */
static inline void path_of(const char *key, char *out, size_t room)
{
    const fl_cache_entry e = entry_for(key, "");
    char file[FL_ENTRY_FILE];
    fl_entry_file(&e, file);
    snprintf(out, room, "%s/%s", folder, file);
}

static inline int count_one(void *user, const fl_stored *stored)
{
    (void)stored;
    ++*(int *)user;
    return 1;
}

static inline int count_entries(fl_store *s)
{
    int n = 0;
    CHECK_OK(s->vtable->list(s, count_one, &n));
    return n;
}

#endif
