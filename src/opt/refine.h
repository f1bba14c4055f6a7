/* The pieces of refinement. Internal to opt/. */
#ifndef FL_OPT_REFINE_H
#define FL_OPT_REFINE_H

#include "ir/build.h"
#include "opt/opt.h"

/* Values up to this size are computed while refining when their operands are known. */
enum { FL_KNOWN_BYTES = 4096 };

typedef struct fl_refiner {
    const fl_program *from;
    fl_func **by_name; /* the functions of `from`, sorted */
    fl_builder b;
    fl_ref *map;        /* value of `from` -> value of the new program */
    int at_bounds;      /* arguments of bounded sizes are taken at their bounds */
    fl_ref **sizes;     /* of values of `from`: see bounded.h; NULL: none has any */
    const void **known; /* value of the new program -> its elements, or NULL */
    uint32_t known_capacity;
    fl_arena scratch;
    int keeps_kernels; /* custom calls of Mosaic kernels stay */
    uint64_t op_count; /* made so far: calls that double at every level must end */
    int depth;
} fl_refiner;

/* Element i of a known value of integers. */
int64_t fl_known_int(const fl_refiner *r, fl_ref value, int64_t i);
/* A known list of integers: the elements of a value of rank 1 (or any, row by row); NULL with a failed builder when memory is
 * exhausted, or NULL when the value is not known. */
const int64_t *fl_known_ints(fl_refiner *r, fl_ref value, uint32_t *out_count);
void fl_set_known(fl_refiner *r, fl_ref value, const void *data);

/* One operation of a dynamic form, on operands of the new program, in its static form. *done stays 0 when it has none or what it
 * needs is not known, so that it is to be copied as it is. Results go to r->map. */
fl_status fl_refine_dynamic(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done);
/* The same for custom calls that other operations express. */
fl_status fl_refine_custom_call(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done);
/* So too for those that say how values are sharded (refine_gspmd.c); whether a call is the body of a manual computation, and
 * that. */
fl_status fl_refine_gspmd(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done);
int fl_is_gspmd_call(const fl_refiner *r, const fl_op *op, const fl_ref *operands);
fl_status fl_refine_gspmd_call(fl_refiner *r, const fl_op *op, const fl_ref *operands, const fl_func *callee);
/* The operation as it is, on operands of the new program. */
fl_status fl_refine_copy(fl_refiner *r, const fl_op *op, const fl_ref *operands);
/* The type stated, with these sizes: they must be what it allows. */
fl_status fl_type_sized(const fl_type *stated, const int64_t *sizes, uint32_t count, fl_type *out);
/* A function of the program that is read; NULL: there is none of this name. */
const fl_func *fl_refine_function(const fl_refiner *r, const char *name);
/* The operations of a block, whose arguments are mapped, into the current block. */
fl_status fl_refine_block(fl_refiner *r, const fl_block *block);
/* A copy of a block as a region for `op`. NULL with a failed builder. */
fl_block *fl_refine_region(fl_refiner *r, const fl_op *op, const fl_ref *operands, const fl_block *from);

#endif
