/* Loop programs: fused elementwise work, with reductions along rows, executed tile by tile.
 *
 * A loop program walks an iteration space of `rank` dimensions. Its innermost dimension is cut into tiles that stay in the
 * L1 cache; for every tile each instruction is one call of a vector kernel over the tile. Nothing is interpreted element by element. */
#ifndef FL_CPU_LOOP_LOOP_H
#define FL_CPU_LOOP_LOOP_H

#include "cpu/plan/plan.h"

/* The fuser (cpu/loop/fuse.c) partitions a program's operations. It is called by fl_plan_create:
 *   1. movement operations that are pure strides (slice, transpose, broadcast, reverse, compatible reshape) become operands;
 *   2. elementwise operations, iota, constants, converts, and reductions over trailing dimensions of a row that fits a tile, group
 *      into loop programs; a value used by one group only never reaches memory;
 *   3. everything else becomes one step of a library kernel, or of the reference interpreter. */

#endif
