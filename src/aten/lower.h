/* Writing lowerings: ATen operator -> StableHLO program.
 *
 * A lowering is one function per operator (all its overloads, in-place and out= forms share it when their leading arguments
 * agree) that builds the program from the arguments of a call:
 *
 *     FL_LOWER(relu) { fl_ref x = fl_in(b, 0); fl_emit(b, fl_max(b, x, fl_full_like(b, x, 0))); }
 *
 * and one row in aten/ops.def: FL_ATEN("relu", relu) FL_ATEN("relu_", relu) ...
 *
 * The program depends only on what the lowering looked at: dtypes, sizes, and integer, bool and string arguments always;
 * Scalar and float arguments only if it calls fl_static_*: otherwise they are arguments of the program at run time, so that a new
 * learning rate or epsilon never builds anything. Results: the n-th fl_emit goes to the n-th written argument of the schema
 * (out=, in-place), or becomes the n-th fresh tensor. */
#ifndef FL_ATEN_LOWER_H
#define FL_ATEN_LOWER_H

#include "aten/value.h"
#include "ir/build.h"

#define FL_LOWER(name) void fl_lower_##name(fl_builder *b)

/* arguments of the call, by their position in the schema */
uint32_t fl_arg_count(fl_builder *b);
int fl_has(fl_builder *b, int i);                     /* argument i is there and is not None / undefined */
const fl_tensor *fl_tensor_arg(fl_builder *b, int i); /* its description; NULL if it is none */
fl_ref fl_in(fl_builder *b,
             int i); /* tensor argument as a value, of its own dtype and shape; conj/neg resolved */
fl_ref fl_in_cast(fl_builder *b, int i, fl_dtype dtype);
/* Converts as PyTorch does: float8_e4m3fn has no infinity, and what is beyond its largest number becomes that; float8_e8m0fnu
 * has neither sign nor zero. */
fl_ref fl_convert(fl_builder *b, fl_ref x, fl_dtype dtype);
uint32_t fl_list_count(fl_builder *b, int i);        /* elements of a list argument */
fl_ref fl_list_in(fl_builder *b, int i, uint32_t k); /* element k of a Tensor[] (FL_NO_REF when undefined) */
const fl_tensor *fl_list_tensor(fl_builder *b, int i, uint32_t k);
int64_t fl_int(fl_builder *b, int i);                      /* int, bool, dtype */
int64_t fl_int_or(fl_builder *b, int i, int64_t fallback); /* when None */
int fl_bool(fl_builder *b, int i);
const char *fl_string(fl_builder *b, int i); /* NULL when None */
uint32_t fl_ints(fl_builder *b, int i, int64_t *out,
                 uint32_t capacity); /* a list of ints (or one int); count, 0 when None */
/* int[n] with PyTorch's expansion of one value to all; `fallback` when empty or None */
void fl_ints_n(fl_builder *b, int i, int64_t *out, uint32_t n, const int64_t *fallback);
uint32_t fl_dims(fl_builder *b, int i, int rank,
                 int64_t *out); /* dim list, wrapped, checked, sorted; empty or None -> all */
fl_dtype fl_dtype_or(fl_builder *b, int i, fl_dtype fallback); /* ScalarType? argument */

/* Scalar and float arguments */
/* A run-time number, 0-d of that dtype (0-d operands broadcast by themselves). One that is too large becomes infinite, or wraps. */
fl_ref fl_scalar(fl_builder *b, int i, fl_dtype dtype);
/* As fl_scalar; a number that does not fit fails the call. */
fl_ref fl_scalar_fitting(fl_builder *b, int i, fl_dtype dtype);
fl_ref fl_list_scalar(fl_builder *b, int i, uint32_t k,
                      fl_dtype dtype); /* element k of a Scalar[] or float[] */
fl_tag fl_scalar_tag(fl_builder *b,
                     int i); /* FL_TAG_BOOL/INT/DOUBLE/COMPLEX: its Python type, for promotion */
double fl_static_double(fl_builder *b, int i); /* makes the value part of the program (and of its key) */
int64_t fl_static_int(fl_builder *b, int i);
int fl_scalar_is(
    fl_builder *b, int i,
    double value); /* static test: special cases such as alpha == 1; costs one program for each value asked */

/* results */
fl_dtype fl_out_dtype(fl_builder *b,
                      int k); /* dtype of the k-th written tensor, FL_DTYPE_NONE if results are fresh */
/* Gives the next result: cast to the written tensor's dtype; its shape must match (a written tensor is resized by the bridge
 * when PyTorch allows; broadcasting to an in-place self is an error). */
void fl_emit(fl_builder *b, fl_ref x);
void fl_emit_uniform(fl_builder *b,
                     fl_ref x); /* so too; x has one value everywhere, so what is written may be expanded */
void fl_emit_into(fl_builder *b, int arg,
                  fl_ref x); /* writes tensor argument `arg`, whatever the schema says */
void fl_emit_into_list(fl_builder *b, int arg, uint32_t k, fl_ref x); /* element k of a Tensor[] argument */
void fl_emit_undefined(
    fl_builder *b); /* the next result is an undefined tensor (e.g. a gradient that is not wanted) */

void fl_emit_int(fl_builder *b, int64_t value); /* the next integer that the schema returns */

/* Random numbers: the state (u64[2]: key, counter) of the call's generator argument i (None: the device's default). The
 * generator advances by `words` 32-bit numbers after the call. */
fl_ref fl_random_state(fl_builder *b, int i, uint64_t words);

/* type promotion as PyTorch's result_type: wrapped numbers and 0-d tensors are weaker */
fl_dtype fl_promote_dtypes(fl_dtype a, fl_dtype c);
fl_dtype fl_promote_args(fl_builder *b, const int *args,
                         uint32_t count);  /* tensor and Scalar arguments by position */
fl_dtype fl_op_math(fl_dtype dtype);       /* f32 for bf16, f16 and f8; itself otherwise */
fl_dtype fl_default_float(fl_dtype dtype); /* f32 for integers and bool, itself for floats */

/* Raises NotImplementedError naming the operator and its dtypes: "why" says what is not done. */
void fl_unsupported(fl_builder *b, const char *why);
#define FL_REQUIRE(b, condition, code, ...)                                                                  \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            fl_builder_fail((b), fl_error((code), __VA_ARGS__));                                             \
            return;                                                                                          \
        }                                                                                                    \
    } while (0)

/* shared pieces (aten/common.c) */
fl_ref fl_mean_dims(fl_builder *b, fl_ref x, const int64_t *dims, uint32_t count, int keepdim);
fl_ref fl_softmax_dim(fl_builder *b, fl_ref x, int dim, int log);
/* value[C] seen as dimension `dim` of a tensor like x: broadcast to x's shape */
fl_ref fl_along_dim(fl_builder *b, fl_ref value, fl_ref x, int dim);

#endif
