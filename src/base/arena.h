/* Bump allocator: everything of one program or plan lives in one arena and is freed at once. */
#ifndef FL_BASE_ARENA_H
#define FL_BASE_ARENA_H

#include <stddef.h>

typedef struct fl_arena_block fl_arena_block;

typedef struct fl_arena {
    fl_arena_block *head;
    char *next, *end;
    size_t total; /* bytes obtained from the system */
} fl_arena;

/* A zeroed fl_arena is empty and valid. */
void *fl_arena_alloc(fl_arena *arena,
                     size_t bytes); /* 16-byte aligned, not cleared; NULL when out of memory */
void *fl_arena_zalloc(fl_arena *arena, size_t count,
                      size_t size); /* cleared; checks count * size; NULL on failure */
void *fl_arena_copy(fl_arena *arena, const void *data, size_t bytes);
char *fl_arena_strdup(fl_arena *arena, const char *text);
void fl_arena_free(fl_arena *arena); /* leaves the arena empty and usable */

#define FL_NEW(arena, type)          ((type *)fl_arena_zalloc((arena), 1, sizeof(type)))
#define FL_NEW_ARRAY(arena, type, n) ((type *)fl_arena_zalloc((arena), (size_t)(n), sizeof(type)))

#endif
