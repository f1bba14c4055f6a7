/* Shared by run.c (instructions, tile by tile) and kernel_run.c (machine code). */
#ifndef FL_CPU_LOOP_RUN_H
#define FL_CPU_LOOP_RUN_H

#include "cpu/loop/loop.h"

/* The piece of the space a tile covers, and where its operands are. */
typedef struct fl_tile {
    const fl_loop *loop;
    void *const *slots;
    char **reg;
    int64_t row, rows, column, columns;
    int64_t unit_row; /* first row of the unit */
    int64_t outer, row_unit, column_unit;
    char **load, **store; /* base pointers in this block of rows */
    int64_t *count;       /* base values of FL_COUNT operands */
} fl_tile;

/* Bytes (of a count: elements) from the first column to this one. */
int64_t fl_column_offset(const fl_loop *l, const fl_loop_memory *m, int64_t column);
/* Copies a tile from `memory` into a dense buffer, or back; makes numbers that start at `value`. */
void fl_tile_gather(const fl_tile *t, const fl_loop_memory *m, char *memory, char *buffer);
void fl_tile_scatter(const fl_tile *t, const fl_loop_memory *m, char *memory, char *buffer);
void fl_tile_count(const fl_tile *t, const fl_loop_memory *m, int64_t value, char *buffer);
void fl_tile_seek(fl_tile *t, int64_t outer); /* finds the operands of one block of rows */
/* Units [begin, end) of a loop, on the calling thread. */
void fl_kernel_run_units(const fl_loop *l, void *const *slots, int64_t begin, int64_t end);

#endif
