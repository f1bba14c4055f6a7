/* Vector code at run time: a kernel is a list of typed values over rows x columns, and becomes machine code in microseconds.
 *
 * Code depends on the structure alone (operations, types, levels, access classes): extents, strides and addresses come with each
 * call, so new shapes compile nothing. Kernels with equal structure are compiled once (cache.c compares the whole key).
 *
 * A value has a level. FL_V_FULL: an element for each row and column; FL_V_ROW: one for each row (reductions along the
 * columns, and what is computed of them); FL_V_UNIFORM: one for the call. Row and uniform values are kept in all lanes. The
 * compiler splits the full values of a row into phases, each one loop over the columns: what needs the result of a reduction is
 * in a later phase. A full value that several phases need is computed again if that is cheap, else kept in the call's
 * scratch memory. The result does not depend on how a caller cuts rows into calls. No contraction of the caller's multiply
 * and add; expansions of elementary functions use fused multiply-adds of their own. */
#ifndef FL_CPU_JIT_JIT_H
#define FL_CPU_JIT_JIT_H

#include "base/arena.h"
#include "base/status.h"
#include "ir/ir.h"

#define FL_JIT_STACK 64 /* bytes of scratch memory that a call needs whatever the kernel says */

typedef uint16_t fl_val; /* index of a value; FL_NO_VAL: none (not supported, or out of memory) */
#define FL_NO_VAL ((fl_val)UINT16_MAX)

typedef enum fl_vlevel { FL_V_UNIFORM, FL_V_ROW, FL_V_FULL } fl_vlevel;

/* One operand in memory, of one call. Bytes, except for counts. */
typedef struct fl_jit_memory {
    void *
        base; /* of the element of the call's first row and column; of a count: its value there, as int64_t */
    int64_t row; /* from one row to the next; 0: the same row again (a vector that is broadcast over rows) */
    int64_t column; /* from one column to the next; only read for FL_M_STRIDED and counts */
} fl_jit_memory;

typedef struct fl_jit_call {
    int64_t rows, columns;
    void *
        scratch; /* kernel->scratch_per_column * columns (rounded up to 64 columns) + FL_JIT_STACK bytes, 64-byte aligned */
    fl_jit_memory memory[];
} fl_jit_call;
typedef void (*fl_jit_fn)(const fl_jit_call *call);

/* How an operand is walked: part of the structure. */
typedef enum fl_jit_access {
    FL_M_DENSE, /* columns are adjacent */
    FL_M_STRIDED, /* columns are `column` bytes apart, at most 100 MB; elements of 4 or 8 bytes, where the processor can */
    FL_M_ROW,     /* one element a row */
    FL_M_UNIFORM, /* one element */
    FL_M_COUNT,   /* no memory: start + row * `row` + column * `column`, in i32 or i64 */
} fl_jit_access;

typedef struct fl_jit_builder fl_jit_builder;

/* Makes the first executable memory ready: as long as ten programs take to compile, so it is done when a device opens. */
void fl_jit_prepare(void);
/* Everything lives in the arena. */
fl_jit_builder *fl_jit_begin(fl_arena *arena);
/* A load of operand `memory` (numbered by the caller from 0) of the stored type; the value has that type. bf16, f16 and f8 must be
 * converted (fl_jit_convert) before anything else is done with them. */
fl_val fl_jit_load(fl_jit_builder *b, int memory, fl_jit_access access, fl_dtype dtype);
/* A row of a table chosen by a row value (i32 or i64, in range): dense columns at base + index * row. */
fl_val fl_jit_load_row_at(fl_jit_builder *b, int memory, fl_dtype dtype, fl_val index);
/* Element base + index * element size, for each element; `index` is i32 or i64 and in range. */
fl_val fl_jit_load_at(fl_jit_builder *b, int memory, fl_dtype dtype, fl_val index);
fl_val fl_jit_constant(fl_jit_builder *b, fl_dtype dtype, const void *element);
/* An elementwise operation of StableHLO (one to three operands; compare with its direction, select, convert, bitcast_convert
 * of equal size included); the level is the highest of the operands'. FL_NO_VAL when there is no code for it. */
fl_val fl_jit_op(fl_jit_builder *b, fl_opcode code, fl_dtype result, fl_compare_direction direction,
                 const fl_val *operands, int count);
fl_val fl_jit_convert(fl_jit_builder *b, fl_val value,
                      fl_dtype to); /* also to and from narrow types; as StableHLO's convert */
fl_val fl_jit_round(fl_jit_builder *b, fl_val f32,
                    fl_dtype narrow); /* f32 -> the nearest f32 that bf16 or f16 can hold */
/* Combines the columns of each row: a row value. code: add, multiply, maximum, minimum, and, or, xor. */
fl_val fl_jit_reduce(fl_jit_builder *b, fl_opcode code, fl_val full);
/* When a store may happen, for memory that operands share. */
typedef enum fl_jit_order {
    FL_J_FREE,     /* no operand of the call reads the memory, whatever the row */
    FL_J_ROW_LAST, /* not before everything else of the row has been loaded */
    FL_J_IN_PLACE, /* operands read the very same element and no other of this memory: not before these loads */
} fl_jit_order;
/* Stores a value of the stored type; `access` is DENSE, STRIDED, ROW or UNIFORM. A row value is stored to all columns of a dense
 * memory. `stream`: past the caches (64-byte aligned rows gain by it; others are stored as usual). 0 on failure. */
int fl_jit_store(fl_jit_builder *b, int memory, fl_jit_access access, fl_val value, int order, int stream);
/* memory[column] = memory[column] (code) value, for each row in turn: sums over rows. Dense, of the value's type; the caller
 * initialises it with the identity of the operation (-0 for a floating-point sum). */
int fl_jit_accumulate(fl_jit_builder *b, int memory, fl_opcode code, fl_val value);
int fl_jit_has(fl_opcode code, fl_dtype result,
               fl_dtype operand); /* whether fl_jit_op has code, without a builder */

typedef struct fl_jit_kernel {
    fl_jit_fn run;
    uint32_t scratch_per_column; /* bytes */
    uint32_t code_bytes;
    uint16_t phases;
    double cost_per_element; /* ns of arithmetic, estimated */
} fl_jit_kernel;
/* The code of what was built, from the cache or new; kernels live as long as the process. FL_UNSUPPORTED where executable memory
 * is forbidden or the processor has no backend: the caller takes the portable path. Any thread. */
fl_status fl_jit_finish(fl_jit_builder *b, const fl_jit_kernel **out);

#endif
