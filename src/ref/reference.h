/* The reference interpreter: every operation and type, scalar code written to be read. The oracle of all
 * tests, never the fast path. Sums and products over many elements (products of matrices, convolutions,
 * reductions by add and multiply, sums of windows) are kept in double, or in 64-bit integers, and rounded
 * once. */
#ifndef FL_REF_REFERENCE_H
#define FL_REF_REFERENCE_H

#include "ir/ir.h"

/* Runs a verified program. inputs[i] and outputs[i] are dense row-major arrays of the argument and result
 * types, as the engine stores them (base/dtypes.def); outputs are allocated by the caller. Pointers to
 * tensors without elements may be NULL. Nothing is kept. FL_UNSUPPORTED names an operation or element type
 * without an implementation. */
fl_status fl_reference_run(const fl_program *program, const void *const *inputs, void *const *outputs);
/* Runs one operation on dense arrays (regions included): the same semantics, for tests and for operations
 * without a kernel. Results must not overlap operands. What regions capture from outside must follow from
 * constants alone. */
fl_status fl_reference_op(const fl_program *program, const fl_op *op, const void *const *operands,
                          void *const *results);

#endif
