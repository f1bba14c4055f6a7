/* Mosaic kernels: what a tpu_custom_call runs. Internal to opt/.
 *
 * The call carries a module of the stable_mosaic dialect: a function that is run for every point of a grid, on windows of its
 * operands and results and on scratch memory. Its text (generic MLIR) is read into a tree of operations, and the call becomes
 * operations of StableHLO: a loop over the grid, or one point after another where they are few, windows as slices, and memory as values that the loop carries. */
#ifndef FL_OPT_MOSAIC_H
#define FL_OPT_MOSAIC_H

#include "opt/refine.h"

typedef struct fl_slice_text {
    const char *at, *end; /* in the text */
} fl_slice_text;

typedef struct fl_mosaic_attr {
    fl_slice_text name, value; /* the value as it is written */
} fl_mosaic_attr;

typedef struct fl_mosaic_op fl_mosaic_op;

typedef struct fl_mosaic_block {
    uint32_t first_arg, arg_count; /* values are numbered through the module */
    fl_mosaic_op *first;           /* NULL: empty */
} fl_mosaic_block;

struct fl_mosaic_op {
    fl_mosaic_op *next;
    fl_slice_text name; /* without quotes and "stable_mosaic." */
    uint32_t first_result, result_count, operand_count, attr_count, region_count;
    uint32_t *operands;
    fl_mosaic_attr *attrs;
    fl_mosaic_block *regions;
};

typedef struct fl_mosaic_module {
    fl_arena arena;
    fl_mosaic_block body; /* its operations are func.func */
    uint32_t value_count, value_capacity;
    fl_type *types; /* of values: vectors and scalars are tensors, index is i32, memref is FL_TYPE_BUFFER */
} fl_mosaic_module;

/* The text must last as long as the module, which the caller frees with its arena, whatever this returns. FL_INVALID: not the
 * generic form of such a module; FL_UNSUPPORTED: a type that we do not have. */
fl_status fl_mosaic_parse(const char *text, size_t length, fl_mosaic_module *out);

/* {name = value, ...} at *at: the attributes of `out`, in the arena. */
fl_status fl_mosaic_dict(fl_arena *arena, const char **at, const char *end, fl_mosaic_op *out);

int fl_text_is(fl_slice_text text, const char *word);
const fl_mosaic_attr *fl_mosaic_attr_of(const fl_mosaic_op *op, const char *name); /* NULL: none */
int64_t fl_mosaic_int(const fl_mosaic_op *op, const char *name, int64_t fallback);
/* The integers in an attribute, whatever stands around them; *count of them, which is at most `most`. FL_INVALID: no such
 * attribute, or more. */
fl_status fl_mosaic_ints(const fl_mosaic_op *op, const char *name, int64_t *out, uint32_t most,
                         uint32_t *count);
/* Reads the integers between *at and the matching bracket of the one that it begins with, and moves behind it. */
fl_status fl_mosaic_list(const char **at, const char *end, int64_t *out, uint32_t most, uint32_t *count);

/* What a kernel is being turned into. */
typedef struct fl_kernel {
    fl_builder *b;
    const fl_mosaic_module *module;
    fl_ref *values; /* by value of the module: a tensor; of a memref what the memory holds now */
    uint32_t op_count;
    int depth;
} fl_kernel;

enum { FL_MOSAIC_DEPTH = 32, FL_MOST_CARRIED = 128 };

/* The operations of a block, without the one that ends it, which is returned (NULL: there is none). */
fl_status fl_mosaic_block_build(fl_kernel *k, const fl_mosaic_block *block, const fl_mosaic_op **out_end);
/* An operation without regions. */
fl_status fl_mosaic_op_build(fl_kernel *k, const fl_mosaic_op *op);

/* for (counter = start; counter < limit; counter += step), with bounds = start, limit, step: `values` are what the loop
 * carries, before and after. */
typedef fl_status fl_loop_body(fl_kernel *k, void *user, fl_ref counter, fl_ref *values);
fl_status fl_kernel_loop(fl_kernel *k, const fl_ref bounds[3], fl_ref *values, uint32_t count,
                         fl_loop_body *body, void *user);

/* The element of a scalar that is a constant; NULL: it is none. */
const void *fl_kernel_constant(const fl_kernel *k, fl_ref value);

/* A tpu_custom_call, on operands of the new program. */
fl_status fl_refine_mosaic(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done);

#endif
