/* The folder of entries: round trips, damage, limits, what others may not write. */
#include "base/store.h"
#include "check.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char folder[] = "/tmp/flambeau_store_XXXXXX";

static void clear(void)
{
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    CHECK(!system(command));
}

static fl_store *open_store(uint64_t most)
{
    fl_store *s = NULL;
    CHECK_OK(fl_store_open(folder, most, &s));
    if (!s) exit(1);
    return s;
}

static int has(fl_store *s, const char *key, const char *expected)
{
    void *data = NULL;
    size_t size = 0;
    int found = fl_store_get(s, key, strlen(key), &data, &size);
    if (found) CHECK(size == strlen(expected) && !memcmp(data, expected, size));
    free(data);
    return found;
}

static void put(fl_store *s, const char *key, const char *value)
{
    CHECK_OK(fl_store_put(s, key, strlen(key), value, strlen(value)));
}

/* The path of the one entry; the number of files. */
static int only_file(char *out, size_t room)
{
    DIR *d = opendir(folder);
    int count = 0;
    for (const struct dirent *e; d && (e = readdir(d));)
        if (*e->d_name != '.') count++, snprintf(out, room, "%s/%.60s", folder, e->d_name);
    if (d) closedir(d);
    return count;
}

static void test_round_trip(void)
{
    fl_store *s = open_store(1 << 20), *other = open_store(1 << 20);
    CHECK(!has(s, "key", ""));
    put(s, "key", "value");
    put(s, "empty", "");
    CHECK(has(s, "key", "value") && has(other, "key", "value") && has(s, "empty", ""));
    CHECK(!has(s, "ke", "") && !has(s, "keyv", "alue"));
    put(other, "key", "another value");
    CHECK(has(s, "key", "another value"));
    fl_store_remove(s, "key", 3);
    CHECK(!has(other, "key", ""));
    fl_store_close(s);
    fl_store_close(other);
    fl_store_close(NULL);
    clear();
}

/* Each byte in turn is changed, and each length in turn is what is left: never anything but the value, or nothing. */
static void test_damage(void)
{
    fl_store *s = open_store(1 << 20);
    char path[200];
    unsigned char bytes[400];
    put(s, "key", "some value");
    CHECK_INT(only_file(path, sizeof path), 1);
    int file = open(path, O_RDONLY);
    ssize_t n = read(file, bytes, sizeof bytes);
    close(file);
    CHECK(n > 40);
    for (ssize_t i = 0; i < 2 * n; i++) {
        ssize_t length = i < n ? n : i - n;
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (i < n) bytes[i] ^= 4;
        CHECK(write(file, bytes, (size_t)length) == length);
        if (i < n) bytes[i] ^= 4;
        close(file);
        CHECK(!has(s, "key", "some value"));
        char rest[200];
        CHECK_INT(only_file(rest, sizeof rest), 0); /* it is gone */
    }
    put(s, "key", "new");
    CHECK(has(s, "key", "new"));
    fl_store_close(s);
    clear();
}

/* Another key under the same name: its owner keeps it, but it is no hit. */
static void test_keys_are_compared(void)
{
    fl_store *s = open_store(1 << 20);
    char first[200], second[200];
    put(s, "one", "value one");
    CHECK_INT(only_file(first, sizeof first), 1);
    CHECK(!rename(first, "/tmp/flambeau_store_moved"));
    put(s, "two", "value two");
    CHECK_INT(only_file(second, sizeof second), 1);
    CHECK(!rename("/tmp/flambeau_store_moved", second));
    CHECK(!has(s, "two", ""));
    put(s, "two", "value two");
    CHECK(has(s, "two", "value two"));
    fl_store_close(s);
    clear();
}

static void age(fl_store *s, int key, int seconds)
{
    char path[200], name[20];
    (void)s;
    snprintf(name, sizeof name, "%d", key);
    DIR *d = opendir(folder);
    for (const struct dirent *e; d && (e = readdir(d));) {
        char found[64] = {0};
        snprintf(path, sizeof path, "%s/%.60s", folder, e->d_name);
        int file = open(path, O_RDONLY);
        if (*e->d_name != '.' && lseek(file, 40, SEEK_SET) == 40 && read(file, found, strlen(name)) > 0 &&
            !strcmp(found, name)) {
            struct timespec times[2] = {{time(NULL) - seconds, 0}, {time(NULL) - seconds, 0}};
            CHECK(!utimensat(AT_FDCWD, path, times, 0));
        }
        close(file);
    }
    if (d) closedir(d);
}

static void test_limit(void)
{
    static char kilobyte[1025];
    char key[20];
    fl_store *s = open_store(10000);
    memset(kilobyte, 'x', 1024);
    for (int i = 0; i < 8; i++) {
        snprintf(key, sizeof key, "%d", i);
        put(s, key, kilobyte);
        age(s, i, 1000 - i);
    }
    CHECK(has(s, "0", kilobyte)); /* used now */
    put(s, "8", kilobyte);
    put(s, "9", kilobyte); /* beyond the limit */
    CHECK(has(s, "0", kilobyte) && has(s, "9", kilobyte));
    CHECK(!has(s, "1", "") && !has(s, "2", ""));
    CHECK(has(s, "7", kilobyte));
    char *large = calloc(1, 6000);
    CHECK_OK(fl_store_put(s, "large", 5, large, 6000));
    CHECK(!has(s, "large", ""));
    free(large);
    fl_store_close(s);
    clear();
}

static void test_refusals(void)
{
    fl_store *s = NULL;
    char path[100];
    CHECK_ERROR(fl_store_open("", 1, &s), FL_INVALID, "path of a folder");
    CHECK_ERROR(fl_store_open("/proc/nowhere/x", 1, &s), FL_INVALID, "/proc/nowhere/x");
    snprintf(path, sizeof path, "%s/a/b", folder);
    CHECK_OK(fl_store_open(path, 1000, &s)); /* made on the way */
    fl_store_close(s);
    CHECK(!chmod(path, 0777));
    CHECK_ERROR(fl_store_open(path, 1000, &s), FL_INVALID, "this user alone");
    clear();
}

int main(void)
{
    CHECK(mkdtemp(folder));
    test_round_trip();
    test_damage();
    test_keys_are_compared();
    test_limit();
    test_refusals();
    CHECK(!rmdir(folder));
    return check_result();
}
