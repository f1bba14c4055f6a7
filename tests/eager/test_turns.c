/* The cache at its limit: what is used stays, what never comes again goes, with its memory. */
#include "eager/cache.h"
#include "eager/eager_case.h"
#include "flambeau.h"

#include <malloc.h>

#define LIMIT 64
#define HOT   20

static fl_buffer *memory;
static int64_t largest = 4 * LIMIT; /* elements that were asked for so far; larger ones are new */

static void compute(int64_t elements)
{
    tensor x;
    fl_buffer *fresh[1];
    tensor_over(&x, memory, FL_F32, 1, (int)elements);
    CHECK_OK(invoke(0, "relu", FRESH_ONLY, fresh, ARGS(TENSOR(x))));
    release(fresh[0]);
}

static void compute_new(void)
{
    compute(++largest);
}

static void test_what_is_used_stays(void)
{
    for (int i = 0; i < HOT; i++) compute(i + 1);
    uint64_t before = cache_misses();
    for (int round = 0; round < 20 * LIMIT; round++) {
        for (int i = 0; i < HOT; i++) compute(i + 1);
        compute_new();
        CHECK(fl_cache_count() <= LIMIT);
    }
    CHECK_INT(cache_misses() - before, 20 * LIMIT);
}

/* More is used than half of the limit: what is used most stays. */
static void test_what_is_used_most_stays(void)
{
    for (int i = 0; i < HOT; i++) compute(i + 1);
    uint64_t before = cache_misses();
    for (int round = 0; round < 20 * LIMIT; round++) {
        for (int i = 0; i < HOT; i++) compute(i + 1), compute(i + 1);
        compute_new();
        compute(largest);
    }
    CHECK_INT(cache_misses() - before, 20 * LIMIT);
    CHECK(fl_cache_count() <= LIMIT);
}

static void test_all_is_used_and_bounded(void)
{
    for (int n = 1; n < 3 * LIMIT; n++)
        for (int i = 1; i <= n; i++) {
            compute(i);
            CHECK(fl_cache_count() <= LIMIT);
        }
}

static size_t bytes_in_use(void)
{
    return mallinfo2().uordblks; /* 0 under sanitizers, which count themselves */
}

static void test_memory_is_bounded(void)
{
    for (int i = 0; i < 50 * LIMIT; i++) compute_new();
    size_t before = bytes_in_use();
    for (int i = 0; i < 50 * LIMIT; i++) compute_new();
    CHECK(bytes_in_use() < before + (1u << 20));
    /* nothing goes while somebody may hold an entry, and all that waited goes afterwards */
    fl_cache_hold();
    for (int i = 0; i < 50 * LIMIT; i++) compute_new();
    size_t held = bytes_in_use();
    CHECK(!before || held > before + (1u << 20));
    fl_cache_let_go();
    for (int i = 0; i < HOT; i++) compute(1);
    CHECK(bytes_in_use() < before + (1u << 20));
}

static void test_clear(void)
{
    compute(1);
    fl_cache_clear();
    CHECK_INT(fl_cache_count(), 0);
    uint64_t before = cache_misses();
    compute(1), compute(1);
    CHECK_INT(cache_misses() - before, 1);
    CHECK_INT(fl_cache_count(), 1);
}

int main(void)
{
    setenv("FL_CACHE_ENTRIES", "64", 1);
    CHECK_INT(fl_count_devices(), 1);
    memory = buffer_of(0, 1 << 20, NULL);
    test_what_is_used_stays();
    test_what_is_used_most_stays();
    test_all_is_used_and_bounded();
    test_memory_is_bounded();
    test_clear();
    return check_result();
}
