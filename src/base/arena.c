#include "base/arena.h"
#include "base/checked.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct fl_arena_block {
    fl_arena_block *next;
    size_t size; /* of the payload, which is 16-byte aligned */
};

#define FIRST_BLOCK 4096
#define LARGE_BLOCK (1u << 20)

/* Large blocks are kept for the next arena: compiling takes memory and gives it back all the time, and the system's page faults
 * would cost as much as the compiler. Whoever finds the list in use goes to the system. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MOST_KEPT 0
#else
#define MOST_KEPT ((size_t)16 << 20)
#endif
#define LARGEST_KEPT ((size_t)4 << 20)

static atomic_flag kept_in_use = ATOMIC_FLAG_INIT;
static fl_arena_block *kept;
static size_t kept_bytes;

/* The first that is large enough. */
static fl_arena_block *take_kept(size_t size)
{
    if (atomic_flag_test_and_set_explicit(&kept_in_use, memory_order_acquire)) return NULL;
    fl_arena_block **at = &kept;
    while (*at && (*at)->size < size) at = &(*at)->next;
    fl_arena_block *block = *at;
    if (block) {
        *at = block->next;
        kept_bytes -= block->size;
    }
    atomic_flag_clear_explicit(&kept_in_use, memory_order_release);
    return block;
}

static int keep(fl_arena_block *block)
{
    if (block->size < LARGE_BLOCK || block->size > LARGEST_KEPT) return 0;
    if (atomic_flag_test_and_set_explicit(&kept_in_use, memory_order_acquire)) return 0;
    int fits = kept_bytes + block->size <= MOST_KEPT;
    if (fits) {
        block->next = kept;
        kept = block;
        kept_bytes += block->size;
    }
    atomic_flag_clear_explicit(&kept_in_use, memory_order_release);
    return fits;
}

static int grow(fl_arena *arena, size_t bytes)
{
    size_t size = arena->total ? arena->total : FIRST_BLOCK;
    if (size < bytes) size = bytes;
    if (size > LARGE_BLOCK / 8 && size < LARGE_BLOCK) size = LARGE_BLOCK;
    if (size > SIZE_MAX - sizeof(fl_arena_block)) return 0;
    fl_arena_block *block = size >= LARGE_BLOCK ? take_kept(size) : NULL;
    if (!block) {
        block = malloc(sizeof *block + size);
        if (!block) return 0;
        block->size = size;
    }
    block->next = arena->head;
    arena->head = block;
    arena->next = (char *)(block + 1);
    arena->end = arena->next + block->size;
    arena->total += block->size;
    return 1;
}

void *fl_arena_alloc(fl_arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX - 15) return NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!bytes) bytes = 16;
    if ((size_t)(arena->end - arena->next) < bytes && !grow(arena, bytes)) return NULL;
    void *p = arena->next;
    arena->next += bytes;
    return p;
}

void *fl_arena_zalloc(fl_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    if (!fl_mul_size(count, size, &bytes)) return NULL;
    void *p = fl_arena_alloc(arena, bytes);
    if (p) memset(p, 0, bytes);
    return p;
}

void *fl_arena_copy(fl_arena *arena, const void *data, size_t bytes)
{
    void *p = fl_arena_alloc(arena, bytes);
    if (p && bytes) memcpy(p, data, bytes);
    return p;
}

char *fl_arena_strdup(fl_arena *arena, const char *text)
{
    return fl_arena_copy(arena, text, strlen(text) + 1);
}

void fl_arena_free(fl_arena *arena)
{
    for (fl_arena_block *b = arena->head, *next; b; b = next) {
        next = b->next;
        if (!keep(b)) free(b);
    }
    memset(arena, 0, sizeof *arena);
}
