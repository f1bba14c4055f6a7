#include "base/arena.h"
#include "base/checked.h"
#include "base/large.h"

#include <stdint.h>
#include <string.h>

struct fl_arena_block {
    fl_arena_block *next;
    size_t size; /* of the payload, which is 16-byte aligned */
};

#define FIRST_BLOCK 4096
#define LARGE_BLOCK (1u << 20) /* blocks of one size are found again by the next arena */

static int grow(fl_arena *arena, size_t bytes)
{
    size_t size = arena->total ? arena->total : FIRST_BLOCK;
    if (size < bytes) size = bytes;
    if (size > LARGE_BLOCK / 8 && size < LARGE_BLOCK) size = LARGE_BLOCK;
    if (size > SIZE_MAX - sizeof(fl_arena_block)) return 0;
    size += sizeof(fl_arena_block);
    fl_arena_block *block = fl_large_alloc(&size);
    if (!block) return 0;
    block->size = size - sizeof *block;
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
        fl_large_free(b);
    }
    memset(arena, 0, sizeof *arena);
}
