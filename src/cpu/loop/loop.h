/* Loop programs: fused elementwise work, with reductions along rows, executed tile by tile.
 *
 * The iteration space of a loop program is rows x columns. A tile is some whole rows, or a piece of one row when rows are
 * long; it stays in the first level caches, and each instruction is one call of a vector kernel (cpu/loop/vec.h) on a tile, so
 * nothing is interpreted element by element. Values are full (an element for each row and column), row values (an
 * element a row: what a reduction of a row gives, and what is computed from that), or uniform. A row value
 * is broadcast along its row by scalar forms of the kernels, without being stored.
 *
 * Where machine code can be made (cpu/jit), a group becomes one kernel instead, which is called for whole units of work.
 *
 *   fuse.c     partitions nodes into groups that share an iteration space; space.c, groups.c, recompute.c belong to it
 *   lower.c    makes a loop program of a group: kernel.c one of machine code, emit.c one of instructions
 *   run.c      runs loop programs; kernel_run.c those of machine code
 *   combine.c  finishes reductions that cross tiles: every unit of work writes partial results, which are added pairwise, so
 *              that results do not depend on the number of threads */
#ifndef FL_CPU_LOOP_LOOP_H
#define FL_CPU_LOOP_LOOP_H

#include "cpu/loop/vec.h"
#include "cpu/plan/graph.h"

#define FL_ROW_LIMIT        4096  /* longest row that is reduced and read again in a tile */
#define FL_KERNEL_ROW_LIMIT 65536 /* and by a kernel of machine code */

/* Whether a map node can be computed: from `input` (of the last operand) to `dtype`. FL_OP_NONE: whether tiles of the type exist. */
int fl_loop_has(fl_opcode code, fl_dtype dtype, fl_dtype input);
int fl_loop_has_reduce(fl_opcode code, fl_dtype dtype);
int fl_loop_has_kernels(void);             /* whether groups become machine code: FL_DISABLE=jit */
int fl_loop_has_code(const fl_node *node); /* whether the node can be in a kernel */
void fl_loop_use_kernels(int use);         /* for comparisons: plans made from now on, in all threads */
int fl_is_exact_op(fl_opcode code);        /* of narrow floating-point operands gives what they can hold */
fl_dtype fl_loop_dtype(fl_dtype dtype);    /* the type it has in tiles: f32 for bf16 and f16 */

/* The iteration space of a group. Suffixes are the products of trailing dims at which some shape in the group has a boundary:
 * each divides the next, so that all shapes are seen as one. */
#define FL_MAX_SUFFIXES 20
typedef struct fl_space {
    int64_t total, columns; /* columns: 0 while nothing asks for rows */
    int64_t outer;          /* column reductions happen within [outer] blocks of rows; 0: none */
    uint8_t row_values;     /* rows are reduced in the tile: they must be whole */
    uint8_t tiled;          /* rows may be cut: nothing may be reduced in the tile */
    uint8_t suffix_count;
    int64_t suffixes[FL_MAX_SUFFIXES];
} fl_space;

typedef struct fl_group {
    uint32_t id, order; /* position in the plan */
    uint8_t library, gone;
    uint8_t coded; /* there is machine code for its nodes */
    fl_space space;
    fl_node *first, *last;
    uint32_t count, loads;
    uint32_t depth;   /* larger than that of all groups it needs */
    uint32_t readers; /* first edge to those that need it; 0: none */
    uint32_t mark;    /* of the last search that met it */
} fl_group;

typedef struct fl_group_edge {
    uint32_t to, next;
} fl_group_edge;

typedef struct fl_grouping {
    fl_group *groups;
    uint32_t count, capacity;
    uint32_t *parent; /* union-find of merged groups */
    fl_group **order; /* what is left, after what it needs */
    uint32_t order_count, stamp;
    fl_group_edge *edges;
    uint32_t edge_count, edge_capacity;
    uint8_t failed; /* out of memory */
} fl_grouping;

fl_status fl_fuse(fl_graph *graph, fl_grouping *out); /* everything in the graph's arena */
fl_status fl_fuse_append(fl_graph *graph, fl_grouping *grouping,
                         fl_node *node); /* a group of its own, at the end */
fl_group *fl_group_of(const fl_grouping *grouping, const fl_node *node);
/* Adds the boundaries of a shape (of its rows: scaled by the columns) to a space; 0: it cannot be seen over the same dimensions. */
int fl_space_add(fl_space *space, int rank, const int64_t *dims, int64_t scale);
int fl_node_is_row(const fl_space *space, const fl_node *node); /* its result is a row value */

/* --- loop programs --- */

typedef enum fl_level { FL_UNIFORM, FL_ROW, FL_FULL } fl_level;

typedef enum fl_access {
    FL_AT,     /* memory is used where it is */
    FL_GATHER, /* copied into a buffer (loads) or out of one (stores) */
    FL_COUNT,  /* an iota: the address is the value */
} fl_access;

/* One operand in memory. Strides are bytes; for FL_COUNT, elements. */
typedef struct fl_loop_memory {
    uint32_t slot;
    uint16_t reg; /* of a kernel: its buffer, when it is copied */
    uint8_t level, access, size, dtype;
    uint8_t once;                                   /* the same for every tile: loaded before the first */
    uint8_t along_columns, along_rows, along_outer; /* whether it moves with them */
    uint8_t dense;                                  /* its columns are adjacent */
    uint8_t copied;                                 /* of a kernel: it is seen in a buffer */
    int64_t offset;
    int64_t row;              /* stride of the row dimension */
    int64_t column;           /* stride of the column, when columns are one dimension */
    int64_t *outer, *columns; /* strides of the outer dimensions, of the column dimensions */
} fl_loop_memory;

typedef enum fl_loop_kind { FL_DO_MAP, FL_DO_REDUCE, FL_DO_SUM_ROWS, FL_DO_SUM_TILES } fl_loop_kind;

typedef struct fl_loop_instr {
    fl_vec_fn fn;
    uint16_t reg[4]; /* out, then operands; unused ones repeat the first operand */
    uint8_t step
        [4]; /* bytes an element when it is full, one element's bytes when it is a row value, 0 when uniform */
    uint8_t level[4];
    uint8_t kind, per_row, once;
    uint16_t sink;
} fl_loop_instr;

/* Partial results of a reduction across tiles: [outer][pieces][inner] in the tile type, at `slot` + `offset`. */
typedef struct fl_loop_sink {
    fl_node *node;
    uint32_t slot;
    uint8_t size, rows; /* rows: sums over rows, else along them */
    int64_t offset, pieces;
    fl_vec_fn combine; /* out = a (op) b of two vectors */
    unsigned char identity[16];
} fl_loop_sink;

typedef enum fl_home { FL_HOME_MEMORY, FL_HOME_BUFFER, FL_HOME_SMALL } fl_home;

typedef struct fl_loop {
    uint16_t load_count, store_count, instr_count, reg_count, buffer_count, small_count, sink_count;
    uint8_t outer_rank, column_rank, has_once;
    int64_t outer_dims[FL_MAX_RANK], column_dims[FL_MAX_RANK];
    int64_t rows, columns; /* of the row dimension; all columns */
    int64_t tile_rows, tile_columns;
    int64_t unit_rows, unit_columns; /* what one unit of parallel work covers */
    int64_t row_units, column_units, units, grain;
    size_t buffer_bytes, small_bytes;
    double cost;                        /* nanoseconds, roughly */
    const struct fl_jit_kernel *kernel; /* machine code for all of it; NULL: instructions */
    uint8_t flat;                       /* of a kernel: the tile's rows and columns are one row to it */
    size_t scratch_bytes;               /* of a kernel */
    uint16_t *codes, code_count;        /* of a kernel, for dumps: its operations; reductions + 0x8000 */
    fl_loop_memory *loads, *stores;
    fl_loop_instr *instrs;
    uint8_t *homes;   /* fl_home of each register */
    uint16_t *places; /* number of its buffer */
    fl_loop_sink *sinks;
} fl_loop;

/* Where a stored value goes. */
typedef struct fl_loop_store {
    uint32_t base;
    fl_operand target; /* any strides */
    uint32_t conflict; /* a base that lies in the same memory: the tile's reads of it come first; 0: none */
} fl_loop_store;

/* Makes the loop program of a group; *out is NULL when there is nothing to do. Sinks get memory from the caller afterwards. */
fl_status fl_loop_lower(fl_graph *graph, const fl_grouping *grouping, fl_group *group,
                        const fl_loop_store *stores, uint32_t store_count, fl_arena *arena, fl_loop **out);

fl_status fl_loop_run(const fl_step *step, void *const *slots); /* data: fl_loop */
typedef struct fl_loop_batch {
    uint32_t count;
    int64_t units, grain;
    int64_t *first; /* unit of each loop; count + 1 entries */
    fl_loop **loops;
} fl_loop_batch;
fl_status fl_loop_batch_run(const fl_step *step, void *const *slots); /* data: fl_loop_batch */

/* Combines partial results [outer][pieces][inner] at inputs[0] (which is overwritten) into outputs[0]. */
typedef struct fl_combine {
    int64_t outer, pieces, inner;
    fl_vec_fn combine, finish; /* finish: to the stored type; NULL: a copy */
    uint8_t size, out_size;
} fl_combine;
fl_status fl_combine_run(const fl_step *step, void *const *slots);

#endif
