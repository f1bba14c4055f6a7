/* Four processes fill two tiers and are killed at random points, 200 times (FL_KILLS says another number): nobody ever finds a
 * wrong value, and whoever starts next goes on. */
#include "base/tiers.h"
#include "store_case.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

enum { WORKERS = 4, KEYS = 60, LARGEST = 40000 };

static uint64_t state = 0x9E3779B97F4A7C15ull;

static uint64_t next(uint64_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (state >> 11) % below;
}

/* The value of a key is known: its bytes follow from its number. */
static size_t value_of(uint32_t number, char *out)
{
    size_t size = 200 + number * 7919u % LARGEST;
    for (size_t i = 0; i < size; i++) out[i] = (char)(number * 31 + i * 7 + (i >> 8));
    return size;
}

static fl_store *open_named(const char *name)
{
    fl_store *s = NULL;
    fl_status status = fl_store_open_folder(folder, name, 600000, &s); /* less than all: some go */
    if (status) _exit(3);
    return s;
}

/* For ever: finds or builds keys; ends with 2 at a wrong value. */
static void work(uint64_t seed)
{
    static char expected[LARGEST + 200];
    fl_tiers tiers = {.stores = {open_named("near"), open_named("far")}, .wait_ns = 10000000000u};
    state = seed * 2 + 1;
    for (;;) {
        uint32_t number = (uint32_t)next(KEYS);
        fl_tier_key key = {"test", "identity", &number, sizeof number};
        fl_claim claim;
        void *out;
        size_t size, right = value_of(number, expected);
        if (!fl_tiers_find(&tiers, &key, &claim, &out, &size)) {
            fl_tiers_publish(&claim, expected, right, 1);
        } else {
            if (size != right || memcmp(out, expected, right) != 0) _exit(2);
            free(out);
            if (next(4) == 0) fl_tiers_refuse(&tiers, &key); /* so that there is always something to write */
        }
        fl_tiers_end(&claim);
    }
}

static pid_t start(uint64_t seed)
{
    pid_t pid = fork();
    if (!pid) work(seed);
    return pid;
}

static void end(pid_t pid)
{
    int status;
    kill(pid, SIGKILL);
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(WIFSIGNALED(status));
    CHECK_INT(WTERMSIG(status), SIGKILL);
}

/* Every file under an entry's name is whole, even at the moment: they appear at once. */
static int check_one(void *user, const fl_stored *stored)
{
    static char expected[LARGEST + 200];
    fl_store *s = user;
    fl_cache_entry e;
    void *bytes;
    size_t size;
    uint32_t number;
    if (!s->vtable->read(s, stored->name, 0, &bytes, &size)) return 1; /* it went */
    const char *wrong = fl_entry_read(bytes, size, &e);
    CHECK_STRING(wrong ? wrong : "whole", "whole");
    if (!wrong) {
        memcpy(&number, e.key, sizeof number);
        CHECK(value_of(number, expected) == e.data_size && !memcmp(e.data, expected, e.data_size));
    }
    free(bytes);
    return 1;
}

int main(void)
{
    const char *text = getenv("FL_KILLS");
    int kills = text ? atoi(text) : 200;
    pid_t pids[WORKERS];
    CHECK(mkdtemp(folder));
    fl_store *stores[FL_TIERS] = {open_named("near"), open_named("far")};
    for (int i = 0; i < WORKERS; i++) pids[i] = start((uint64_t)i);
    for (int k = 0; k < kills; k++) {
        int i = (int)next(WORKERS);
        const struct timespec t = {0, (long)next(20000000)};
        nanosleep(&t, NULL);
        end(pids[i]);
        if (k % 10 == 0)
            for (int s = 0; s < FL_TIERS; s++)
                CHECK_OK(stores[s]->vtable->list(stores[s], check_one, stores[s]));
        pids[i] = start(1000 + (uint64_t)k);
    }
    for (int i = 0; i < WORKERS; i++) end(pids[i]);
    for (int s = 0; s < FL_TIERS; s++) {
        CHECK_OK(stores[s]->vtable->list(stores[s], check_one, stores[s]));
        CHECK(count_entries(stores[s]) > 0);
        fl_store_close(stores[s]);
    }
    clear_folder();
    CHECK(!rmdir(folder));
    return check_result();
}
