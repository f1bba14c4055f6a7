#include "base/large.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct block {
    struct block *next;
    size_t size; /* of what follows, which is 16-byte aligned */
} block;

#define SMALLEST_KEPT ((size_t)128 << 10) /* what malloc gives back to the system at once */
#define LARGEST_KEPT  ((size_t)4 << 20)
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MOST_KEPT 0
#else
#define MOST_KEPT ((size_t)16 << 20)
#endif

/* Whoever finds the list in use goes to the system. */
static atomic_flag kept_in_use = ATOMIC_FLAG_INIT;
static block *kept;
static size_t kept_bytes;

/* The first that is large enough, and not by more than a quarter: a program may keep it for long. */
static block *take_kept(size_t size)
{
    if (atomic_flag_test_and_set_explicit(&kept_in_use, memory_order_acquire)) return NULL;
    block **at = &kept;
    while (*at && ((*at)->size < size || (*at)->size - size > size / 4)) at = &(*at)->next;
    block *b = *at;
    if (b) {
        *at = b->next;
        kept_bytes -= b->size;
    }
    atomic_flag_clear_explicit(&kept_in_use, memory_order_release);
    return b;
}

/* What lies behind the newest blocks: sizes that nobody asks for would otherwise keep out those that come again. */
static block *take_surplus(void)
{
    size_t bytes = 0;
    block **at = &kept;
    while (*at && bytes + (*at)->size <= MOST_KEPT) {
        bytes += (*at)->size;
        at = &(*at)->next;
    }
    block *rest = *at;
    *at = NULL;
    kept_bytes = bytes;
    return rest;
}

static int keep(block *b)
{
    if (b->size < SMALLEST_KEPT || b->size > LARGEST_KEPT || !MOST_KEPT) return 0;
    if (atomic_flag_test_and_set_explicit(&kept_in_use, memory_order_acquire)) return 0;
    b->next = kept;
    kept = b;
    kept_bytes += b->size;
    block *surplus = kept_bytes > MOST_KEPT ? take_surplus() : NULL;
    atomic_flag_clear_explicit(&kept_in_use, memory_order_release);
    while (surplus) {
        block *next = surplus->next;
        free(surplus);
        surplus = next;
    }
    return 1;
}

void *fl_large_alloc(size_t *bytes)
{
    size_t size = *bytes;
    if (size > SIZE_MAX - sizeof(block)) return NULL;
    block *b = size >= SMALLEST_KEPT ? take_kept(size) : NULL;
    if (!b) {
        b = malloc(sizeof *b + size);
        if (!b) return NULL;
        b->size = size;
    }
    *bytes = b->size;
    return b + 1;
}

void fl_large_free(void *memory)
{
    block *b = memory ? (block *)memory - 1 : NULL;
    if (b && !keep(b)) free(b);
}
