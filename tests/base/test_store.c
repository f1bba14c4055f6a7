/* Entries and the folder that keeps them: round trips, damage, limits, clocks, what others may write to, disks that refuse. */
#include "base/checksum.h"
#include "store_case.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static fl_status put(fl_store *s, const char *key, const char *data)
{
    return write_to(s, key, data);
}

static void test_round_trip(void)
{
    fl_store *s = open_store(1 << 20), *other = open_store(1 << 20);
    CHECK_INT(has(s, "key", ""), 0);
    CHECK_OK(put(s, "key", "value"));
    CHECK_OK(put(s, "empty", ""));
    CHECK(has(s, "key", "value") == 1 && has(other, "key", "value") == 1 && has(s, "empty", "") == 1);
    CHECK(has(s, "ke", "") == 0 && has(s, "keyv", "alue") == 0);
    CHECK_OK(put(other, "key", "another value"));
    CHECK_INT(has(s, "key", "another value"), 1);
    CHECK_INT(count_entries(s), 2);
    char path[200];
    path_of("key", path, sizeof path);
    CHECK_INT(s->vtable->remove(s, path + strlen(folder) + 1), 1);
    CHECK_INT(s->vtable->remove(s, path + strlen(folder) + 1), 0);
    CHECK_INT(has(other, "key", ""), 0);
    fl_store_close(s);
    fl_store_close(other);
    fl_store_close(NULL);
    clear_folder();
}

/* Every bit of every byte, and every length: nothing of it passes. */
static void test_damage(void)
{
    const fl_cache_entry e = entry_for("some key", "some data that is a little longer than a few words are");
    fl_cache_entry back;
    char *bytes;
    void *written;
    size_t size;
    CHECK_OK(fl_entry_write(&e, &written, &size));
    bytes = written;
    CHECK(!fl_entry_read(bytes, size, &back) && fl_entry_same_key(&e, &back));
    CHECK(back.created == 5 && back.build_ns == 7 && back.name_size == 4 && !memcmp(back.name, "test", 4));
    for (size_t i = 0; i < size; i++)
        for (int change = 1; change < 256; change++) {
            bytes[i] ^= (char)change;
            if (!fl_entry_read(bytes, size, &back)) CHECK_INT(i, -1);
            bytes[i] ^= (char)change;
        }
    for (size_t n = 0; n < size; n++) {
        char *part = malloc(n + 1); /* of just this size: reads beyond it are found */
        memcpy(part, bytes, n);
        if (!fl_entry_read(part, n, &back)) CHECK_INT(n, -1);
        free(part);
    }
    char *longer = calloc(1, size + 1);
    memcpy(longer, bytes, size);
    CHECK_STRING(fl_entry_read(longer, size + 1, &back), "followed by other bytes");
    free(longer);
    /* Of a later version of the package: whole, but not for us. (Format at 8, sum at 24 of 32 bytes that all formats share.) */
    uint64_t sum = 0;
    bytes[8]++;
    memcpy(bytes + 24, &sum, 8);
    sum = fl_checksum(fl_checksum(0, bytes, 32), bytes + 32, size - 32);
    memcpy(bytes + 24, &sum, 8);
    CHECK(fl_entry_read(bytes, size, &back) == fl_entry_other_format);
    free(bytes);
}

static void test_names(void)
{
    fl_cache_entry a = entry_for("ab", ""), b = entry_for("ab", "x");
    char x[FL_ENTRY_FILE], y[FL_ENTRY_FILE];
    fl_entry_file(&a, x);
    fl_entry_file(&b, y);
    CHECK(!strcmp(x, y) && fl_entry_is_file(x)); /* what came out does not matter */
    b.identity = "identitz";
    fl_entry_file(&b, y);
    CHECK(strncmp(x, y, 16) && !fl_entry_same_key(&a, &b));
    CHECK(!fl_entry_is_file("../../etc/passwd") && !fl_entry_is_file(""));
    x[16] = '-';
    CHECK(!fl_entry_is_file(x));
    fl_store *s = open_store(0);
    CHECK_ERROR(s->vtable->write(s, "../x", "", 0), FL_INVALID, "name of an entry");
    fl_store_close(s);
}

static void set_age(const char *key, long seconds)
{
    char path[200];
    path_of(key, path, sizeof path);
    const struct timespec times[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
    CHECK(!utimensat(AT_FDCWD, path, times, 0));
}

static void test_limit(void)
{
    static char kilobyte[1025];
    char key[20];
    fl_store *s = open_store(10000);
    memset(kilobyte, 'x', 1024);
    for (int i = 0; i < 8; i++) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_OK(put(s, key, kilobyte));
        set_age(key, 1000 - i);
    }
    CHECK_INT(has(s, "0", kilobyte), 1); /* used now */
    CHECK_OK(put(s, "8", kilobyte));
    CHECK_OK(put(s, "9", kilobyte)); /* beyond the limit */
    CHECK(has(s, "0", kilobyte) == 1 && has(s, "9", kilobyte) == 1);
    CHECK(has(s, "1", "") == 0 && has(s, "2", "") == 0);
    CHECK(has(s, "7", kilobyte) == 1 && s->evicted > 1);
    static char large[6001];
    memset(large, 'y', 6000);
    CHECK_OK(put(s, "large", large));
    CHECK_INT(has(s, "large", large), 0);
    fl_store_close(s);
    clear_folder();
}

/* Several writers, none of which sees what the others add: the folder stays near its limit. */
static void test_limit_of_several(void)
{
    static char kilobyte[1025];
    fl_store *stores[4];
    memset(kilobyte, 'x', 1024);
    for (int i = 0; i < 4; i++) stores[i] = open_store(64 << 10);
    for (int i = 0; i < 400; i++) {
        char key[20];
        snprintf(key, sizeof key, "%d", i);
        CHECK_OK(put(stores[i % 4], key, kilobyte));
    }
    CHECK(count_entries(stores[0]) < 80);
    for (int i = 0; i < 4; i++) fl_store_close(stores[i]);
    clear_folder();
}

/* Times to come count as now, so such entries go in their turn; files of writers that died go after an hour of the
 * file system's clock. */
static void test_clocks(void)
{
    static char kilobyte[1025];
    char key[20], path[200];
    fl_store *s = open_store(10000);
    memset(kilobyte, 'x', 1024);
    CHECK_OK(put(s, "future", kilobyte));
    set_age("future", -400 * 86400L);
    CHECK_OK(put(s, "past", kilobyte));
    set_age("past", 30 * 365 * 86400L);
    CHECK_INT(has(s, "future", kilobyte), 1);
    set_age("future", -400 * 86400L);
    for (int i = 0; i < 30; i++) {
        snprintf(key, sizeof key, "%d", i);
        CHECK_OK(put(s, key, kilobyte));
    }
    CHECK(has(s, "past", "") == 0 && has(s, "future", "") == 0 && has(s, "29", kilobyte) == 1);
    path_of("29", path, sizeof path);
    strcpy(strrchr(path, '/'), "/new-host-1-1");
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    close(file);
    fl_store_close(s);
    s = open_store(10000);
    CHECK_OK(put(s, "a", "b"));
    CHECK(!access(path, F_OK)); /* its writer may be at it */
    const struct timespec old[2] = {{time(NULL) - 4000, 0}, {time(NULL) - 4000, 0}};
    CHECK(!utimensat(AT_FDCWD, path, old, 0));
    fl_store_close(s);
    s = open_store(10000);
    CHECK_OK(put(s, "a", "b"));
    CHECK(access(path, F_OK) && errno == ENOENT);
    fl_store_close(s);
    clear_folder();
}

static void test_refusals(void)
{
    fl_store *s = NULL;
    char path[100], other[100];
    CHECK_ERROR(fl_store_open_folder("", NULL, 1, &s), FL_INVALID, "path of a folder");
    CHECK_ERROR(fl_store_open_folder("/proc/nowhere/x", NULL, 1, &s), FL_INVALID, "/proc/nowhere/x");
    snprintf(path, sizeof path, "%s/a/b", folder);
    CHECK_ERROR(fl_store_find_folder(path, NULL, 1000, &s), FL_INVALID, "No such file");
    CHECK_OK(fl_store_open_folder(path, NULL, 1000, &s)); /* made on the way */
    fl_store_close(s);
    CHECK(!chmod(path, 0777));
    CHECK_ERROR(fl_store_open_folder(path, NULL, 1000, &s), FL_INVALID, "this user alone");
    CHECK(!chmod(path, 0770));
    CHECK_ERROR(fl_store_open_folder(path, NULL, 1000, &s), FL_INVALID, "this user alone");
    CHECK(!chmod(path, 0755));
    CHECK_OK(fl_store_open_folder(path, NULL, 1000, &s));
    fl_store_close(s);
    for (const char *const *name = (const char *const[]){"", ".", "..", "a/b", NULL}; *name; name++)
        CHECK_ERROR(fl_store_open_folder(folder, *name, 1, &s), FL_INVALID, "name of a folder");
    /* The host's place is one that everybody may write above: no links there. */
    snprintf(other, sizeof other, "%s/link", folder);
    CHECK(!symlink(path, other));
    CHECK_ERROR(fl_store_open_folder(folder, "link", 1, &s), FL_INVALID, folder);
    CHECK_ERROR(fl_store_open_folder(other, "name", 1, &s), FL_INVALID, other);
    CHECK_OK(fl_store_open_folder(other, NULL, 1, &s)); /* a path that the user chose may */
    fl_store_close(s);
    if (!geteuid()) {
        CHECK(!chown(path, 4711, 4711));
        CHECK_ERROR(fl_store_open_folder(path, NULL, 1, &s), FL_INVALID, "this user alone");
    }
    clear_folder();
}

/* Within the folder: links, folders that others may write to, and what is no file, are not followed, read or waited for. */
static void test_strange_contents(void)
{
    char path[200], inner[200], outside[200];
    fl_store *s = open_store(0);
    CHECK_OK(put(s, "key", "value"));
    path_of("key", path, sizeof path);
    snprintf(outside, sizeof outside, "%s/outside", folder);
    CHECK(!rename(path, outside) && !symlink(outside, path));
    CHECK_INT(has(s, "key", "value"), 0);
    CHECK_OK(put(s, "key", "new")); /* replaces the link, not what it leads to */
    CHECK_INT(has(s, "key", "new"), 1);
    CHECK(!unlink(path) && !mkfifo(path, 0600));
    CHECK_INT(has(s, "key", ""), 0);
    CHECK(!unlink(path) && !mkdir(path, 0700));
    CHECK_INT(has(s, "key", ""), 0);
    CHECK_ERROR(put(s, "key", "x"), FL_INVALID, folder);
    CHECK(!rmdir(path));
    CHECK_OK(put(s, "key", "value"));
    snprintf(inner, sizeof inner, "%s", path);
    *strrchr(inner, '/') = 0;
    CHECK(!chmod(path, 0666));
    CHECK_INT(has(s, "key", ""), 0);
    CHECK(!chmod(path, 0600) && !chmod(inner, 0777));
    CHECK_INT(has(s, "key", ""), 0);
    CHECK_ERROR(put(s, "key", "x"), FL_INVALID, "cannot be written to");
    CHECK(!chmod(inner, 0700));
    CHECK_INT(has(s, "key", "value"), 1);
    struct stat st;
    CHECK(!stat(path, &st) && (st.st_mode & 0777) == 0600);
    CHECK(!stat(inner, &st) && (st.st_mode & 0777) == 0700);
    fl_store_close(s);
    clear_folder();
}

/* In a process of its own: limits and users are for ever. */
static void in_child(void (*body)(void))
{
    int state;
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        body();
        _exit(check_result());
    }
    CHECK(waitpid(pid, &state, 0) == pid && WIFEXITED(state));
    CHECK_INT(WEXITSTATUS(state), 0);
}

/* As on a full disk: writing stops in the middle. */
static void write_beyond_a_limit(void)
{
    static char large[9000];
    const struct rlimit limit = {4096, 4096};
    fl_store *s = open_store(0);
    memset(large, 'z', sizeof large - 1);
    CHECK_OK(put(s, "key", "value"));
    signal(SIGXFSZ, SIG_IGN);
    CHECK(!setrlimit(RLIMIT_FSIZE, &limit));
    CHECK_ERROR(put(s, "large", large), FL_INVALID, "File too large");
    CHECK_ERROR(put(s, "key", large), FL_INVALID, "File too large");
    CHECK(has(s, "large", "") == 0 && has(s, "key", "value") == 1);
    CHECK_INT(count_entries(s), 1);
    fl_store_close(s);
}

static void only_read(void)
{
    fl_store *s = NULL;
    int lock;
    if (!geteuid()) CHECK(!setgid(65534) && !setuid(65534)); /* root may write anywhere */
    CHECK_OK(fl_store_open_folder(folder, NULL, 0, &s));
    CHECK_INT(has(s, "key", "value"), 1);
    CHECK_ERROR(put(s, "other", "value"), FL_INVALID, folder);
    CHECK_ERROR(put(s, "key", "other"), FL_INVALID, folder);
    CHECK_INT(s->vtable->lock(s, 1, &lock), -1);
    CHECK_INT(has(s, "key", "value"), 1);
    fl_store_close(s);
}

static int hand_over(void *user, const fl_stored *stored)
{
    char path[200];
    (void)user;
    snprintf(path, sizeof path, "%s/%s", folder, stored->name);
    CHECK(!chmod(path, 0400) && (geteuid() || !chown(path, 65534, 65534)));
    *strrchr(path, '/') = 0;
    CHECK(!chmod(path, 0500) && (geteuid() || !chown(path, 65534, 65534)));
    return 1;
}

static void test_disks_that_refuse(void)
{
    in_child(write_beyond_a_limit);
    clear_folder();
    fl_store *s = open_store(0);
    CHECK_OK(put(s, "key", "value"));
    CHECK_OK(s->vtable->list(s, hand_over, NULL));
    CHECK(!chmod(folder, 0500) && (geteuid() || !chown(folder, 65534, 65534)));
    fl_store_close(s);
    in_child(only_read);
    CHECK(!chown(folder, geteuid(), getegid()) && !chmod(folder, 0700));
    char command[100];
    snprintf(command, sizeof command, "chmod -R u+w %s", folder);
    CHECK(!system(command));
    clear_folder();
}

int main(void)
{
    CHECK(mkdtemp(folder));
    test_round_trip();
    test_damage();
    test_names();
    test_limit();
    test_limit_of_several();
    test_clocks();
    test_refusals();
    test_strange_contents();
    test_disks_that_refuse();
    CHECK(!rmdir(folder));
    return check_result();
}
