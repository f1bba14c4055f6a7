#include "base/store.h"
#include "base/hash.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct fl_store {
    pthread_mutex_t lock; /* guards `bytes` */
    uint64_t most, bytes; /* bytes: of all entries, as of the last look, plus what was added since */
    char folder[];
};

/* A file: this, the key, the data. */
typedef struct head {
    char magic[16];
    uint64_t key_size, data_size, checksum; /* of key and data */
} head;

static const char magic[16] = "FLAMBEAU STORE1";

enum { PATH_ROOM = 64 }; /* beyond the folder */

/* ---- names and checksums ---- */

static uint64_t hash_bytes(uint64_t h, const void *bytes, size_t size)
{
    const char *p = bytes;
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, p + i, size - i < 8 ? size - i : 8);
        h = fl_hash_mix(h, word + 0x9E3779B97F4A7C15ull * (i + 1));
    }
    return fl_hash_mix(h, size);
}

static char *entry_path(const fl_store *s, const void *key, size_t size)
{
    size_t room = strlen(s->folder) + PATH_ROOM;
    char *path = malloc(room);
    if (path)
        snprintf(path, room, "%s/%016llx%016llx.bin", s->folder, (unsigned long long)hash_bytes(1, key, size),
                 (unsigned long long)hash_bytes(2, key, size));
    return path;
}

/* ---- the folder ---- */

static int make_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        int failed = mkdir(path, 0700) && errno != EEXIST;
        *p = '/';
        if (failed) return 0;
    }
    return !mkdir(path, 0700) || errno == EEXIST;
}

static fl_status check_folder(const char *path)
{
    struct stat st;
    FL_CHECK(!stat(path, &st) && S_ISDIR(st.st_mode), FL_INVALID, "%s: expected a folder", path);
    FL_CHECK(st.st_uid == geteuid() && !(st.st_mode & (S_IWGRP | S_IWOTH)), FL_INVALID,
             "%s: expected a folder that this user alone may write to", path);
    return NULL;
}

typedef struct entry {
    struct timespec used;
    uint64_t size;
    char name[48];
} entry;

typedef struct listing {
    entry *entries;
    size_t count, capacity;
    uint64_t bytes;
} listing;

static int is_entry(const char *name)
{
    size_t n = strlen(name);
    return n > 4 && n < sizeof((entry *)0)->name && !strcmp(name + n - 4, ".bin");
}

/* Of a process that ended while it wrote. */
static int is_left_over(const char *name, const struct stat *st)
{
    return !strncmp(name, "new-", 4) && time(NULL) - st->st_mtim.tv_sec > 3600;
}

/* All entries; what does not fit in memory is left out. */
static void list_entries(const fl_store *s, listing *out)
{
    DIR *folder = opendir(s->folder);
    struct stat st;
    *out = (listing){0};
    for (const struct dirent *e; folder && (e = readdir(folder));) {
        if (fstatat(dirfd(folder), e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)) continue;
        if (is_left_over(e->d_name, &st)) unlinkat(dirfd(folder), e->d_name, 0);
        if (!is_entry(e->d_name)) continue;
        if (out->count == out->capacity) {
            size_t capacity = 2 * out->capacity + 64;
            entry *more = realloc(out->entries, capacity * sizeof *more);
            if (!more) break;
            out->entries = more;
            out->capacity = capacity;
        }
        entry *made = &out->entries[out->count++];
        *made = (entry){.used = st.st_mtim, .size = (uint64_t)st.st_size};
        strcpy(made->name, e->d_name);
        out->bytes += made->size;
    }
    if (folder) closedir(folder);
}

static int by_use(const void *a, const void *b)
{
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec) return x->tv_sec < y->tv_sec ? -1 : 1;
    return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Looks at what is there; removes the entries used longest ago until three quarters of the limit are left. */
static void shrink(fl_store *s)
{
    listing all;
    list_entries(s, &all);
    s->bytes = all.bytes;
    if (s->bytes > s->most) {
        qsort(all.entries, all.count, sizeof *all.entries, by_use);
        size_t room = strlen(s->folder) + PATH_ROOM;
        char *path = malloc(room);
        for (size_t i = 0; path && i < all.count && s->bytes > s->most / 4 * 3; i++) {
            snprintf(path, room, "%s/%s", s->folder, all.entries[i].name);
            if (!unlink(path)) s->bytes -= all.entries[i].size;
        }
        free(path);
    }
    free(all.entries);
}

fl_status fl_store_open(const char *folder, uint64_t most_bytes, fl_store **out)
{
    size_t n = strlen(folder);
    FL_CHECK(n, FL_INVALID, "expected the path of a folder, got none");
    fl_store *s = calloc(1, sizeof *s + n + 1);
    FL_CHECK(s, FL_OOM, "out of host memory");
    memcpy(s->folder, folder, n);
    s->most = most_bytes;
    fl_status status = make_folders(s->folder) ? check_folder(s->folder)
                                               : fl_error(FL_INVALID, "%s: %s", folder, strerror(errno));
    if (status) {
        free(s);
        return status;
    }
    pthread_mutex_init(&s->lock, NULL);
    shrink(s);
    *out = s;
    return NULL;
}

void fl_store_close(fl_store *s)
{
    if (!s) return;
    pthread_mutex_destroy(&s->lock);
    free(s);
}

/* ---- entries ---- */

static int read_all(int file, void *out, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(file, (char *)out + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        done += (size_t)n;
    }
    return 1;
}

static int write_all(int file, const void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = write(file, (const char *)data + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        done += (size_t)n;
    }
    return 1;
}

/* What the file holds, when it is whole: key and data in one block. NULL: it is not. */
static char *read_entry(int file, head *h)
{
    struct stat st;
    if (fstat(file, &st) || !read_all(file, h, sizeof *h) || memcmp(h->magic, magic, sizeof magic))
        return NULL;
    uint64_t rest = (uint64_t)st.st_size - sizeof *h;
    if (h->key_size > rest || h->data_size != rest - h->key_size) return NULL;
    char *bytes = malloc(rest + 1);
    if (bytes && read_all(file, bytes, rest) && hash_bytes(3, bytes, rest) == h->checksum) return bytes;
    free(bytes);
    return NULL;
}

int fl_store_get(fl_store *s, const void *key, size_t key_size, void **out, size_t *out_size)
{
    head h;
    char *path = entry_path(s, key, key_size), *bytes = NULL;
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1, found = 0;
    if (file >= 0) {
        bytes = read_entry(file, &h);
        if (!bytes) unlink(path);
        found = bytes && h.key_size == key_size && !memcmp(bytes, key, key_size);
        if (found) futimens(file, NULL); /* used now */
        close(file);
    }
    if (found) {
        memmove(bytes, bytes + key_size, h.data_size);
        *out = bytes;
        *out_size = h.data_size;
    } else {
        free(bytes);
    }
    free(path);
    return found;
}

/* Under a name of its own first, so that nobody reads half of it. */
static int write_entry(const fl_store *s, const char *path, const head *h, const void *key, const void *data)
{
    size_t room = strlen(s->folder) + PATH_ROOM;
    char *temporary = malloc(room);
    if (!temporary) return 0;
    snprintf(temporary, room, "%s/new-XXXXXX", s->folder);
    int file = mkstemp(temporary), done = 0;
    if (file >= 0) {
        done = write_all(file, h, sizeof *h) && write_all(file, key, h->key_size) &&
               write_all(file, data, h->data_size);
        done = !close(file) && done && !rename(temporary, path);
        if (!done) unlink(temporary);
    }
    free(temporary);
    return done;
}

fl_status fl_store_put(fl_store *s, const void *key, size_t key_size, const void *data, size_t size)
{
    head h = {.key_size = key_size, .data_size = size};
    uint64_t total = sizeof h + key_size + size;
    if (total > s->most / 2) return NULL;
    memcpy(h.magic, magic, sizeof h.magic);
    char *path = entry_path(s, key, key_size), *both = malloc(key_size + size + 1);
    fl_status status = path && both ? NULL : fl_error(FL_OOM, "out of host memory");
    if (!status) {
        memcpy(both, key, key_size);
        if (size) memcpy(both + key_size, data, size);
        h.checksum = hash_bytes(3, both, key_size + size);
        if (!write_entry(s, path, &h, key, data))
            status = fl_error(FL_INVALID, "%s: %s", s->folder, strerror(errno));
    }
    free(path);
    free(both);
    if (status) return status;
    pthread_mutex_lock(&s->lock);
    s->bytes += total;
    if (s->bytes > s->most) shrink(s);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

void fl_store_remove(fl_store *s, const void *key, size_t key_size)
{
    char *path = entry_path(s, key, key_size);
    if (path) unlink(path);
    free(path);
}
