/* The tiers: what is found where, who builds, what damage, foreign contents, failing stores and dying processes do. */
#include "base/tiers.h"
#include "store_case.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#define SECOND 1000000000ull

static fl_tiers make_tiers(fl_store *near, fl_store *far)
{
    return (fl_tiers){.stores = {near, far}, .wait_ns = 20 * SECOND};
}

static fl_store *open_named(const char *name)
{
    fl_store *s = NULL;
    CHECK_OK(fl_store_open_folder(folder, name, 1 << 20, &s));
    if (!s) exit(1);
    return s;
}

static fl_tier_key key_for(const char *text)
{
    return (fl_tier_key){"test", "identity", text, strlen(text)};
}

/* The tier in which it is found with the right data; 0 when not, and then it is not built; -1: other data. */
static int find(fl_tiers *tiers, const char *text, const char *data)
{
    fl_tier_key key = key_for(text);
    fl_claim claim;
    void *out;
    size_t size;
    int tier = fl_tiers_find(tiers, &key, &claim, &out, &size);
    fl_tiers_end(&claim);
    if (!tier) return 0;
    int good = size == strlen(data) && !memcmp(out, data, size);
    free(out);
    return good ? tier : -1;
}

static void build(fl_tiers *tiers, const char *text, const char *data)
{
    fl_tier_key key = key_for(text);
    fl_claim claim;
    void *out;
    size_t size;
    if (fl_tiers_find(tiers, &key, &claim, &out, &size))
        free(out);
    else
        fl_tiers_publish(&claim, data, strlen(data), 9);
    fl_tiers_end(&claim);
}

static void test_two_tiers(void)
{
    fl_store *near = open_named("near"), *far = open_named("far");
    fl_tiers both = make_tiers(near, far), far_alone = make_tiers(NULL, far),
             near_alone = make_tiers(near, NULL);
    fl_text text = {0};
    build(&both, "a", "value of a");
    CHECK(find(&both, "a", "value of a") == 2 && find(&far_alone, "a", "value of a") == 3);
    CHECK(find(&both, "b", "") == 0);
    build(&far_alone, "b", "value of b");
    CHECK(find(&near_alone, "b", "") == 0);
    CHECK(find(&both, "b", "value of b") == 3); /* which gives it to the nearer one */
    CHECK(find(&near_alone, "b", "value of b") == 2);
    fl_tier_key other = key_for("a");
    other.identity = "identitz";
    fl_claim claim;
    void *out;
    size_t size;
    CHECK(!fl_tiers_find(&both, &other, &claim, &out, &size));
    fl_tiers_end(&claim);
    const fl_tier_key key = key_for("a");
    fl_tiers_refuse(&both, &key);
    CHECK(find(&both, "a", "") == 0);
    CHECK(both.counts[0].hits == 1 && both.counts[1].hits == 1 && both.counts[0].kept == 2);
    CHECK(both.counts[0].refused == 1 && both.counts[1].refused == 1 && both.counts[0].misses == 4);
    fl_tiers_describe(&both, &text);
    CHECK(text.data && strstr(text.data, "\"tier3\": {\"place\": \"") && strstr(text.data, "\"misses\": 4"));
    fl_text_free(&text);
    fl_tiers_describe(NULL, &text);
    CHECK_STRING(text.data, "{}");
    fl_text_free(&text);
    fl_store_close(near);
    fl_store_close(far);
    clear_folder();
}

/* Any change of a file: built anew, and right from then on. */
static void test_damage(void)
{
    fl_store *store = open_named("far");
    fl_tiers tiers = make_tiers(NULL, store);
    char path[200], first[200];
    build(&tiers, "key", "value");
    snprintf(path, sizeof path, "%s/far", folder);
    path_of("key", first, sizeof first);
    strcat(path, first + strlen(folder));
    int file = open(path, O_RDONLY);
    char bytes[400];
    ssize_t n = read(file, bytes, sizeof bytes);
    close(file);
    CHECK(n > 60);
    for (ssize_t i = 0; i < 2 * n; i++) {
        ssize_t length = i < n ? n : i - n;
        if (i < n) bytes[i] ^= (char)(1 << i % 8);
        file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        CHECK(write(file, bytes, (size_t)length) == length);
        close(file);
        if (i < n) bytes[i] ^= (char)(1 << i % 8);
        CHECK_INT(find(&tiers, "key", "value"), 0);
        CHECK(access(path, F_OK)); /* it is gone */
    }
    CHECK(tiers.counts[1].damaged == (uint64_t)(2 * n));
    /* A whole entry of another key under this name, as if their hashes were the same. */
    const fl_cache_entry other = entry_for("other", "value of another");
    void *whole;
    size_t size;
    char name[FL_ENTRY_FILE];
    fl_entry_file(&(fl_cache_entry){.identity = "identity", .identity_size = 8, .key = "key", .key_size = 3},
                  name);
    CHECK_OK(fl_entry_write(&other, &whole, &size));
    CHECK_OK(store->vtable->write(store, name, whole, size));
    free(whole);
    CHECK_INT(find(&tiers, "key", "value"), 0);
    build(&tiers, "key", "value");
    CHECK_INT(find(&tiers, "key", "value"), 3);
    fl_store_close(store);
    clear_folder();
}

/* ---- stores that fail ---- */

typedef struct faulty {
    fl_store store; /* first */
    fl_store *real;
    unsigned state; /* of the random numbers; 0: everything fails */
} faulty;

static int fails(fl_store *s)
{
    faulty *f = (faulty *)s;
    if (!f->state) return 1;
    f->state = f->state * 1664525u + 1013904223u;
    return f->state >> 30 == 0;
}

static fl_store *real(fl_store *s)
{
    return ((faulty *)s)->real;
}

/* Reads may fail, end early, or change a byte. */
static int faulty_read(fl_store *s, const char *name, int use, void **out, size_t *out_size)
{
    if (fails(s) || !real(s)->vtable->read(real(s), name, use, out, out_size)) return 0;
    if (fails(s) && *out_size) ((char *)*out)[*out_size / 2] ^= 1;
    if (fails(s)) *out_size /= 2;
    return 1;
}

static fl_status faulty_write(fl_store *s, const char *name, const void *bytes, size_t size)
{
    if (fails(s)) return fl_error(FL_INVALID, "no space left on device");
    return real(s)->vtable->write(real(s), name, bytes, fails(s) ? size / 2 : size); /* not even atomic */
}

static int faulty_remove(fl_store *s, const char *name)
{
    return !fails(s) && real(s)->vtable->remove(real(s), name);
}

static int faulty_lock(fl_store *s, uint64_t which, int *out)
{
    return fails(s) ? -1 : real(s)->vtable->lock(real(s), which, out);
}

static void faulty_unlock(fl_store *s, int lock)
{
    real(s)->vtable->unlock(real(s), lock);
}

static void test_failing_stores(void)
{
    static const fl_store_vtable vtable = {.read = faulty_read,
                                           .write = faulty_write,
                                           .remove = faulty_remove,
                                           .lock = faulty_lock,
                                           .unlock = faulty_unlock};
    fl_store *near = open_named("near"), *far = open_named("far");
    for (unsigned seed = 0; seed < 200; seed++) {
        faulty bad_near = {.store = {.vtable = &vtable, .place = near->place}, .real = near, .state = seed};
        faulty bad_far = {
            .store = {.vtable = &vtable, .place = far->place}, .real = far, .state = seed * 77u};
        fl_tiers tiers = make_tiers(&bad_near.store, &bad_far.store);
        for (int i = 0; i < 20; i++) {
            char text[20], data[30];
            snprintf(text, sizeof text, "%d", i % 7);
            snprintf(data, sizeof data, "value of %d", i % 7);
            CHECK(find(&tiers, text, data) != -1);
            build(&tiers, text, data);
        }
        CHECK(seed || (tiers.counts[0].hits == 0 && tiers.counts[0].failures == 20));
    }
    fl_store_close(near);
    fl_store_close(far);
    clear_folder();
}

/* ---- who builds ---- */

typedef struct shared {
    _Atomic int builds, wrong;
} shared;

static void pause_ms(long ms)
{
    const struct timespec t = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&t, NULL);
}

/* Every key once, in an order of one's own. */
static void work(fl_tiers *tiers, shared *s, int first, int keys)
{
    for (int i = 0; i < keys; i++) {
        char text[20], data[30];
        fl_claim claim;
        void *out;
        size_t size;
        snprintf(text, sizeof text, "%d", (first + i) % keys);
        snprintf(data, sizeof data, "value of %d", (first + i) % keys);
        fl_tier_key key = key_for(text);
        if (fl_tiers_find(tiers, &key, &claim, &out, &size)) {
            s->wrong += size != strlen(data) || memcmp(out, data, size) != 0;
            free(out);
        } else {
            s->builds++;
            pause_ms(10);
            fl_tiers_publish(&claim, data, strlen(data), 9);
        }
        fl_tiers_end(&claim);
    }
}

typedef struct job {
    fl_tiers *tiers;
    shared *shared;
    int first;
} job;

static void *work_in_thread(void *user)
{
    job *j = user;
    work(j->tiers, j->shared, j->first, 8);
    return NULL;
}

enum { WORKERS = 4 };

static void test_threads_build_once(void)
{
    fl_store *near = open_named("near"), *far = open_named("far");
    fl_tiers tiers = make_tiers(near, far);
    shared s = {0};
    pthread_t threads[WORKERS];
    job jobs[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        jobs[i] = (job){&tiers, &s, i % 2 * 4};
        pthread_create(&threads[i], NULL, work_in_thread, &jobs[i]);
    }
    for (int i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
    CHECK(s.builds == 8 && s.wrong == 0);
    fl_store_close(near);
    fl_store_close(far);
    clear_folder();
}

static shared *map_shared(void)
{
    shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(s != MAP_FAILED);
    return s;
}

static void test_processes_build_once(void)
{
    shared *s = map_shared();
    pid_t pids[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        if ((pids[i] = fork())) continue;
        fl_tiers tiers =
            make_tiers(i % 2 ? open_named("near") : NULL, open_named("far")); /* as on two hosts */
        work(&tiers, s, i % 2 * 4, 8);
        _exit(0);
    }
    for (int i = 0; i < WORKERS; i++) CHECK(waitpid(pids[i], NULL, 0) == pids[i]);
    CHECK(s->builds == 8 && s->wrong == 0);
    munmap(s, sizeof *s);
    clear_folder();
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* A child claims the key, tells so, and sleeps. */
static pid_t start_holder(shared *s)
{
    pid_t pid = fork();
    if (pid) {
        while (!s->builds) pause_ms(1);
        return pid;
    }
    fl_tiers tiers = make_tiers(open_named("near"), open_named("far"));
    fl_tier_key key = key_for("key");
    fl_claim claim;
    void *out;
    size_t size;
    s->wrong += fl_tiers_find(&tiers, &key, &claim, &out, &size) != 0;
    s->builds = 1;
    pause_ms(60000);
    _exit(0);
}

static void *kill_soon(void *user)
{
    pause_ms(100);
    kill(*(pid_t *)user, SIGKILL);
    return NULL;
}

static void test_a_holder_dies_or_hangs(void)
{
    shared *s = map_shared();
    fl_tiers tiers = make_tiers(open_named("near"), open_named("far"));
    pthread_t killer;
    pid_t pid = start_holder(s);
    tiers.wait_ns = SECOND / 10;
    double start = seconds();
    CHECK_INT(find(&tiers, "key", ""), 0); /* it hangs: not for ever */
    CHECK(seconds() - start < 5 && tiers.counts[0].waits == 1 && tiers.counts[0].wait_ns >= SECOND / 10);
    tiers.wait_ns = 50 * SECOND;
    pthread_create(&killer, NULL, kill_soon, &pid);
    start = seconds();
    CHECK_INT(find(&tiers, "key", ""), 0);
    CHECK(seconds() - start < 20 && s->wrong == 0);
    pthread_join(killer, NULL);
    waitpid(pid, NULL, 0);
    for (int t = 0; t < FL_TIERS; t++) fl_store_close(tiers.stores[t]);
    munmap(s, sizeof *s);
    clear_folder();
}

/* A process that is forked while a key is being built does not hold it when its parent is done. */
static void test_a_fork_holds_nothing(void)
{
    fl_tiers tiers = make_tiers(open_named("near"), NULL);
    fl_tier_key key = key_for("key");
    fl_claim claim, second;
    void *out;
    size_t size;
    CHECK(!fl_tiers_find(&tiers, &key, &claim, &out, &size));
    pid_t pid = fork();
    if (!pid) {
        pause_ms(60000);
        _exit(0);
    }
    pause_ms(50);
    fl_tiers_end(&claim); /* without a result */
    double start = seconds();
    CHECK(!fl_tiers_find(&tiers, &key, &second, &out, &size));
    CHECK(seconds() - start < 10);
    fl_tiers_end(&second);
    fl_tiers_end(&second);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
    fl_store_close(tiers.stores[0]);
    clear_folder();
}

int main(void)
{
    CHECK(mkdtemp(folder));
    test_two_tiers();
    test_damage();
    test_failing_stores();
    test_threads_build_once();
    test_processes_build_once();
    test_a_holder_dies_or_hangs();
    test_a_fork_holds_nothing();
    CHECK(!rmdir(folder));
    return check_result();
}
