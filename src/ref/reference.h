/* The reference interpreter: every operation and type, scalar code written to be read. The oracle of all tests,
 * never the fast path. Sums and products over many elements (products of matrices, convolutions, reductions by
 * add and multiply, sums of windows) are kept in double, or in 64-bit integers, and rounded once; or, with
 * `round_each_step`, as other implementations compute them: reductions take their region's word for each
 * step, products of matrices and convolutions add in f32 (f64 for f64), cosh and sinh of f32 are sums of
 * exponentials.
 *
 * Quantized tensors: operations that only move elements work on what is stored; all others dequantize, compute in
 * the expressed type and quantize.
 *
 * A program runs on a grid of one process; `interpreter.run_parallel` runs several functions on a larger one, a
 * thread for each, of which one runs at a time, in a fixed order: results never depend on timing, and processes
 * that wait for each other forever are an error. An asynchronous collective runs when it starts. */
#ifndef FL_REF_REFERENCE_H
#define FL_REF_REFERENCE_H

#include "ref/environment.h"

/* Runs a verified program. inputs[i] and outputs[i] are dense row-major arrays of the argument and result
 * types, as the engine stores them (base/dtypes.def); outputs are allocated by the caller. Pointers to
 * tensors without elements may be NULL. Nothing is kept. FL_UNSUPPORTED names an operation or element type
 * without an implementation. A check (check.* operations and custom calls) that does not hold is FL_INVALID.
 *
 * Values that are no tensors: a token has no bytes; a tuple or future has its members' one after another, each
 * at a multiple of 16 bytes (fl_reference_bytes in all). */
fl_status fl_reference_run(const fl_program *program, const void *const *inputs, void *const *outputs);

typedef struct fl_reference_options {
    uint64_t seed;       /* of `rng` operations: their bits are Philox words of this key, one after another */
    uint64_t most_bytes; /* of all values together; 0: no limit. Beyond it: FL_OOM */
    uint64_t most_work;  /* about the number of scalar steps; 0: no limit. Beyond it: FL_UNSUPPORTED */
    int round_each_step; /* see above */
    void (*print)(void *user, const char *text); /* what interpreter.print prints; NULL: to standard output */
    void *user;
    const fl_environment *environment; /* NULL: the grid of processes is all there is */
} fl_reference_options;
fl_status fl_reference_run_with(const fl_program *program, const fl_reference_options *options,
                                const void *const *inputs, void *const *outputs);

/* Bytes of a value: SIZE_MAX when the interpreter cannot hold such a value (open dimensions, unranked). */
size_t fl_reference_bytes(const fl_type *type);

/* Runs one operation on dense arrays (regions included): the same semantics, for tests and for operations
 * without a kernel. Results must not overlap operands. What regions capture from outside must follow from
 * constants alone. */
fl_status fl_reference_op(const fl_program *program, const fl_op *op, const void *const *operands,
                          void *const *results);
/* The same with the values, dense, of what its regions capture: captured_count numbers of values, and
 * their data; and with the environment, or NULL. */
fl_status fl_reference_op_in(const fl_program *program, const fl_op *op, const void *const *operands,
                             void *const *results, const fl_ref *captured, const void *const *values,
                             uint32_t captured_count, const fl_environment *environment);
/* The result of a member of the group: members[m] are the dense operands of member m. */
fl_status fl_ragged_all_to_all(const fl_program *program, const fl_op *op, const void *const *const *members,
                               uint32_t count, uint32_t self, void *result);
/* Element by element f(..f(f(members[0], members[1]), members[2])..) where f is region 0 of `op`, for `n` elements of the
 * type of its operand k, to `out`. Sums and products are rounded once. */
fl_status fl_reference_fold(const fl_program *program, const fl_op *op, uint32_t k,
                            const void *const *members, uint32_t count, int64_t n, void *out);

#endif
