/* A folder as a store: <folder>/<16 digits>/<32 digits>.bin. All paths are relative to folders that are open: what was checked
 * is what is used, whatever becomes of the path. */
#define _GNU_SOURCE
#include "base/store.h"
#include "base/entry.h"
#include "base/store_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct folder {
    fl_store store; /* first */
    int fd;
    pthread_mutex_t lock; /* guards those below */
    int has_looked;
    uint64_t bytes, added; /* of all entries, as of the last look; what this process added since */
} folder;

enum {
    INNER = 17,      /* of a name, the slash included */
    LOOKS = 16,      /* a process looks again when it has added this part of the limit */
    LEFT_OVER = 3600 /* seconds until a file under a temporary name is of a process that ended */
};

static folder *self(fl_store *store)
{
    return (folder *)store;
}

/* ---- folders ---- */

/* Root may write anywhere, so what it owns is no worse: an image with entries that every user reads. */
static int is_own(const struct stat *st)
{
    return (st->st_uid == geteuid() || !st->st_uid) && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static fl_status check_folder(int fd, const char *path)
{
    struct stat st;
    FL_CHECK(!fstat(fd, &st) && S_ISDIR(st.st_mode), FL_INVALID, "%s: expected a folder", path);
    FL_CHECK(is_own(&st), FL_INVALID, "%s: expected a folder that this user alone may write to", path);
    return NULL;
}

static fl_status open_folder(int at, const char *path, int make, int flags, int *out)
{
    if (make && mkdirat(at, path, 0700) && errno != EEXIST && errno != EROFS)
        return fl_error(FL_INVALID, "%s: %s", path, strerror(errno));
    *out = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    FL_CHECK(*out >= 0, FL_INVALID, "%s: %s", path, strerror(errno));
    fl_status status = check_folder(*out, path);
    if (status) close(*out);
    return status;
}

/* Those above it; whether they are fine is seen when it is opened. */
static fl_status make_above(const char *path)
{
    char *copy = strdup(path);
    FL_CHECK(copy, FL_OOM, "out of host memory");
    for (char *p = copy + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        (void)!mkdir(copy, 0700);
        *p = '/';
    }
    free(copy);
    return NULL;
}

static fl_status open_root(const char *path, const char *name, int make, int *out)
{
    FL_CHECK(path && *path, FL_INVALID, "expected the path of a folder, got \"\"");
    if (make) FL_TRY(make_above(path));
    if (!name) return open_folder(AT_FDCWD, path, make, 0, out);
    FL_CHECK(*name && *name != '.' && !strchr(name, '/'), FL_INVALID,
             "expected the name of a folder, got \"%s\"", name);
    int above;
    FL_TRY(open_folder(AT_FDCWD, path, make, O_NOFOLLOW, &above));
    fl_status status = open_folder(above, name, make, O_NOFOLLOW, out);
    close(above);
    return fl_status_prefix(status, "%s", path);
}

/* The folder that `name` is in. 1: *out is open. */
static int open_inner(const folder *f, const char *name, int make, int *out)
{
    char inner[INNER] = "";
    memcpy(inner, name, INNER - 1);
    fl_status status = open_folder(f->fd, inner, make, O_NOFOLLOW, out);
    int good = !status;
    fl_status_free(status);
    return good;
}

/* ---- reading ---- */

static int read_all(int file, void *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t n = read(file, (char *)data + done, size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return 0;
        done += (size_t)n;
    }
    return 1;
}

static int folder_read(fl_store *store, const char *name, int use, void **out, size_t *out_size)
{
    struct stat st;
    int inner;
    if (!fl_entry_is_file(name) || !open_inner(self(store), name, 0, &inner)) return 0;
    int file = openat(inner, name + INNER, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    close(inner);
    if (file < 0) return 0;
    char *bytes = NULL;
    int good = !fstat(file, &st) && S_ISREG(st.st_mode) && is_own(&st);
    if (good) bytes = malloc((size_t)st.st_size + 1);
    good = bytes && read_all(file, bytes, (size_t)st.st_size);
    if (good && use) (void)!futimens(file, NULL); /* the store's clock where it is a server's */
    close(file);
    if (!good) {
        free(bytes);
        return 0;
    }
    *out = bytes;
    *out_size = (size_t)st.st_size;
    return 1;
}

/* ---- lists ---- */

static int64_t ns_of(struct timespec t)
{
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What time the file system thinks it is: hosts that share it may disagree. 0: it does not say. */
static int64_t clock_of(const folder *f)
{
    struct stat st;
    int file = openat(f->fd, FL_STORE_LOCKS, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    int good = file >= 0 && !futimens(file, NULL) && !fstat(file, &st);
    if (file >= 0) close(file);
    return good ? ns_of(st.st_mtim) : 0;
}

/* Of a process that ended while it wrote. */
static int is_left_over(const char *name, const struct stat *st, int64_t now)
{
    return !strncmp(name, "new-", 4) && (now - ns_of(st->st_mtim)) / 1000000000 > LEFT_OVER;
}

static int list_inner(folder *f, const char *inner, int64_t now, int (*visit)(void *, const fl_stored *),
                      void *user)
{
    int fd = openat(f->fd, inner, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW), go_on = 1;
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d && fd >= 0) close(fd);
    struct stat st;
    for (const struct dirent *e; go_on && d && (e = readdir(d));) {
        char name[FL_ENTRY_FILE + 256];
        snprintf(name, sizeof name, "%s/%s", inner, e->d_name);
        if (fstatat(fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)) continue;
        if (now && is_left_over(e->d_name, &st, now)) unlinkat(fd, e->d_name, 0);
        const fl_stored stored = {name, (uint64_t)st.st_size, ns_of(st.st_mtim)};
        if (fl_entry_is_file(name)) go_on = visit(user, &stored);
    }
    if (d) closedir(d);
    return go_on;
}

/* `now`: files that were left over are removed; 0: they are not. */
static fl_status walk(folder *f, int64_t now, int (*visit)(void *, const fl_stored *), void *user)
{
    int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
    if (!d) {
        fl_status status = fl_error(FL_INVALID, "%s: %s", f->store.place, strerror(errno));
        if (fd >= 0) close(fd);
        return status;
    }
    for (const struct dirent *e; (e = readdir(d));)
        if (strlen(e->d_name) == 16 && !list_inner(f, e->d_name, now, visit, user)) break;
    closedir(d);
    return NULL;
}

static fl_status folder_list(fl_store *store, int (*visit)(void *, const fl_stored *), void *user)
{
    return walk(self(store), 0, visit, user);
}

/* ---- the limit ---- */

typedef struct item {
    int64_t used;
    uint64_t size;
    char name[FL_ENTRY_FILE];
} item;

typedef struct items {
    item *items;
    size_t count, capacity;
    uint64_t bytes;
} items;

/* What does not fit in memory is left out. */
static int add_item(void *user, const fl_stored *stored)
{
    items *all = user;
    if (all->count == all->capacity) {
        size_t capacity = 2 * all->capacity + 64;
        item *more = realloc(all->items, capacity * sizeof *more);
        if (!more) return 0;
        all->items = more;
        all->capacity = capacity;
    }
    item *made = &all->items[all->count++];
    *made = (item){.used = stored->used_ns, .size = stored->size};
    strcpy(made->name, stored->name);
    all->bytes += stored->size;
    return 1;
}

static int by_use(const void *a, const void *b)
{
    const item *x = a, *y = b;
    return (x->used > y->used) - (x->used < y->used);
}

/* Times that are still to come are of a clock that went wrong: such entries are as if used now, or they would stay for ever. */
static void correct_times(const folder *f, items *all, int64_t now)
{
    for (size_t i = 0; now && i < all->count; i++)
        if (all->items[i].used > now) {
            all->items[i].used = now;
            (void)!utimensat(f->fd, all->items[i].name, NULL, AT_SYMLINK_NOFOLLOW);
        }
}

/* Looks at what is there; removes the entries used longest ago until three quarters of the limit are left. */
static void shrink(folder *f)
{
    items all = {0};
    int64_t now = clock_of(f);
    fl_status_free(walk(f, now, add_item, &all));
    correct_times(f, &all, now);
    uint64_t left = all.bytes;
    if (left > f->store.most) {
        qsort(all.items, all.count, sizeof *all.items, by_use);
        for (size_t i = 0; i < all.count && left > f->store.most / 4 * 3; i++)
            if (!unlinkat(f->fd, all.items[i].name, 0)) {
                left -= all.items[i].size;
                __atomic_fetch_add(&f->store.evicted, 1, __ATOMIC_RELAXED);
            }
    }
    f->has_looked = 1;
    f->bytes = left;
    f->added = 0;
    free(all.items);
}

static void count_added(folder *f, uint64_t size)
{
    if (!f->store.most) return;
    pthread_mutex_lock(&f->lock);
    f->bytes += size;
    f->added += size;
    if (!f->has_looked || f->bytes > f->store.most || f->added > f->store.most / LOOKS) shrink(f);
    pthread_mutex_unlock(&f->lock);
}

/* ---- writing ---- */

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

/* A name that no thread, process or host writes to as well: the file must be new. */
static int create(int inner, char *out, size_t room)
{
    static uint64_t number;
    char host[64] = "";
    gethostname(host, sizeof host - 1);
    for (char *p = host; *p; p++)
        if (*p == '/') *p = '-';
    for (int tries = 0; tries < 100; tries++) {
        snprintf(out, room, "new-%s-%ld-%llu", host, (long)getpid(),
                 (unsigned long long)__atomic_add_fetch(&number, 1, __ATOMIC_RELAXED));
        int file = openat(inner, out, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (file >= 0 || errno != EEXIST) return file;
    }
    return -1;
}

static int write_file(int inner, const char *name, const void *bytes, size_t size)
{
    char temporary[128];
    int file = create(inner, temporary, sizeof temporary);
    if (file < 0) return 0;
    int done = write_all(file, bytes, size), why = errno;
    done = !close(file) && done;
    if (done && renameat(inner, temporary, inner, name)) done = 0, why = errno;
    if (!done) unlinkat(inner, temporary, 0);
    errno = why;
    return done;
}

static fl_status folder_write(fl_store *store, const char *name, const void *bytes, size_t size)
{
    folder *f = self(store);
    int inner;
    FL_CHECK(fl_entry_is_file(name), FL_INVALID, "expected the name of an entry, got \"%s\"", name);
    if (store->most && size > store->most / 2) return NULL;
    FL_CHECK(open_inner(f, name, 1, &inner), FL_INVALID, "%s: cannot be written to", store->place);
    int done = write_file(inner, name + INNER, bytes, size);
    fl_status status = done ? NULL : fl_error(FL_INVALID, "%s: %s", store->place, strerror(errno));
    close(inner);
    if (done) count_added(f, size);
    return status;
}

static int folder_remove(fl_store *store, const char *name)
{
    return fl_entry_is_file(name) && !unlinkat(self(store)->fd, name, 0);
}

/* ---- locks ---- */

static int folder_lock(fl_store *store, uint64_t which, int *out)
{
    return fl_folder_lock(self(store)->fd, which, out);
}

static void folder_unlock(fl_store *store, int lock)
{
    (void)store;
    fl_folder_unlock(lock);
}

/* ---- the store ---- */

static void folder_close(fl_store *store)
{
    folder *f = self(store);
    close(f->fd);
    pthread_mutex_destroy(&f->lock);
    free(store->place);
    free(f);
}

static const fl_store_vtable vtable = {
    .read = folder_read,
    .write = folder_write,
    .remove = folder_remove,
    .lock = folder_lock,
    .unlock = folder_unlock,
    .list = folder_list,
    .close = folder_close,
};

static fl_status make_store(const char *path, const char *name, int make, uint64_t most, fl_store **out)
{
    int fd;
    FL_TRY(open_root(path, name, make, &fd));
    folder *f = calloc(1, sizeof *f);
    size_t room = strlen(path) + (name ? strlen(name) + 1 : 0) + 1;
    char *place = malloc(room);
    if (!f || !place) {
        close(fd);
        free(f);
        free(place);
        return fl_error(FL_OOM, "out of host memory");
    }
    snprintf(place, room, "%s%s%s", path, name ? "/" : "", name ? name : "");
    f->store = (fl_store){.vtable = &vtable, .place = place, .most = most};
    f->fd = fd;
    pthread_mutex_init(&f->lock, NULL);
    *out = &f->store;
    return NULL;
}

fl_status fl_store_open_folder(const char *path, const char *name, uint64_t most, fl_store **out)
{
    return make_store(path, name, 1, most, out);
}

fl_status fl_store_find_folder(const char *path, const char *name, uint64_t most, fl_store **out)
{
    return make_store(path, name, 0, most, out);
}

void fl_store_close(fl_store *store)
{
    if (store) store->vtable->close(store);
}
