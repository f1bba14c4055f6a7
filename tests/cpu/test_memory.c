/* The embedded device's allocator: against a model that records what is handed out. */
#include "check.h"
#include "cpu/memory.h"

#include <stdlib.h>
#include <string.h>

#define LIVE 200

static uint32_t seed = 12345;
static uint32_t next_random(void)
{
    seed = seed * 1664525u + 1013904223u;
    return seed >> 8;
}

/* Random allocations and frees: no two live buffers overlap, contents survive, statistics are exact. */
static void test_random(void)
{
    fl_memory *m;
    CHECK(!fl_memory_create(64u << 20, &m));
    fl_device device = {0};
    fl_buffer *live[LIVE] = {0};
    unsigned char fill[LIVE];
    uint64_t requested = 0, count = 0;
    for (int step = 0; step < 20000; step++) {
        uint32_t i = next_random() % LIVE;
        if (live[i]) {
            unsigned char *p = fl_memory_pointer(live[i]);
            size_t n = live[i]->bytes;
            CHECK(n == 0 || (p[0] == fill[i] && p[n / 2] == fill[i] && p[n - 1] == fill[i]));
            requested -= n, count--;
            fl_memory_free(m, live[i]);
            live[i] = NULL;
        } else {
            size_t bytes = next_random() % 100 < 90 ? next_random() % 5000 : next_random() % 500000;
            fl_status status = fl_memory_allocate(m, &device, 0, bytes, FL_FOR_TENSOR, &live[i]);
            CHECK(!status);
            if (status) break;
            CHECK(live[i]->bytes == bytes);
            CHECK((uintptr_t)fl_memory_pointer(live[i]) % 64 == 0);
            fill[i] = (unsigned char)next_random();
            memset(fl_memory_pointer(live[i]), fill[i], bytes);
            requested += bytes, count++;
        }
        fl_memory_stats s;
        fl_memory_get_stats(m, &s);
        CHECK(s.requested == requested && s.active_count == count);
        CHECK(s.allocated >= requested && s.reserved >= s.allocated && s.peak_reserved <= 64u << 20);
    }
    for (int i = 0; i < LIVE; i++)
        if (live[i]) fl_memory_free(m, live[i]);
    fl_memory_stats s;
    fl_memory_get_stats(m, &s);
    CHECK(s.allocated == 0 && s.requested == 0 && s.active_count == 0);
    CHECK(s.allocations == s.frees);
    /* everything has joined again: the whole capacity can be had in one piece */
    fl_buffer *all;
    CHECK(!fl_memory_allocate(m, &device, 0, 64u << 20, FL_FOR_TENSOR, &all));
    fl_memory_free(m, all);
    fl_memory_trim(m, 0);
    fl_memory_get_stats(m, &s);
    CHECK(s.reserved == 0);
    fl_memory_destroy(m);
}

static void test_exhaustion(void)
{
    fl_memory *m;
    CHECK(!fl_memory_create(1u << 20, &m));
    fl_device device = {0};
    fl_buffer *a, *b;
    CHECK(!fl_memory_allocate(m, &device, 0, 900u << 10, FL_FOR_TENSOR, &a));
    fl_status status = fl_memory_allocate(m, &device, 0, 200u << 10, FL_FOR_TENSOR, &b);
    CHECK(fl_status_code(status) == FL_OOM);
    CHECK(strstr(fl_status_message(status), "0.20 MiB") != NULL &&
          strstr(fl_status_message(status), "1.00 MiB") != NULL);
    fl_status_free(status);
    CHECK(!fl_memory_allocate(m, &device, 0, 100u << 10, FL_FOR_TENSOR, &b)); /* what fits still fits */
    fl_memory_free(m, a);
    fl_memory_free(m, b);
    status = fl_memory_allocate(m, &device, 0, (size_t)1 << 62, FL_FOR_TENSOR, &b);
    CHECK(fl_status_code(status) == FL_OOM);
    fl_status_free(status);
    fl_memory_stats s;
    fl_memory_get_stats(m, &s);
    CHECK(s.ooms == 2);
    fl_memory_destroy(m);
}

/* Scratch is reserved memory, but no tensor's. */
static void test_scratch(void)
{
    fl_memory *m;
    CHECK(!fl_memory_create(1u << 20, &m));
    fl_device device = {0};
    fl_buffer *b;
    CHECK(!fl_memory_allocate(m, &device, 0, 1000, FL_FOR_SCRATCH, &b));
    fl_memory_stats s;
    fl_memory_get_stats(m, &s);
    CHECK(s.reserved == 1024 && s.allocated == 0 && s.peak_allocated == 0 && s.active_count == 0 &&
          s.allocations == 0);
    fl_memory_free(m, b);
    fl_memory_get_stats(m, &s);
    CHECK(s.frees == 0 && s.allocated == 0);
    fl_memory_destroy(m);
}

static void test_find(void)
{
    fl_memory *m;
    CHECK(!fl_memory_create(16u << 20, &m));
    fl_device device = {0};
    fl_buffer *b[50];
    for (int i = 0; i < 50; i++)
        CHECK(!fl_memory_allocate(m, &device, 0, (size_t)(i + 1) * 3000, FL_FOR_TENSOR, &b[i]));
    int64_t offset;
    for (int i = 0; i < 50; i++) {
        CHECK(fl_memory_find(m, b[i]->address, &offset) == b[i] && offset == 0);
        CHECK(fl_memory_find(m, b[i]->address + 2999, &offset) == b[i] && offset == 2999);
    }
    uint64_t gone = b[20]->address;
    fl_memory_free(m, b[20]);
    CHECK(fl_memory_find(m, gone, &offset) == NULL);
    CHECK(fl_memory_find(m, b[19]->address, &offset) == b[19]);
    CHECK(fl_memory_find(m, b[21]->address + 5, &offset) == b[21] && offset == 5);
    CHECK(fl_memory_find(m, 1, &offset) == NULL);
    fl_memory_destroy(m);
}

int main(void)
{
    test_random();
    test_exhaustion();
    test_scratch();
    test_find();
    return check_result();
}
