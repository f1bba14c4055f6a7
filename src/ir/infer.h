/* Shape inference, which is also the verification of one operation: fl_infer_op checks operands, attributes
 * and regions against the constraints of the specification and computes the result types. The builder adds
 * what it says; the verifier compares with what the program says. Internal to ir/.
 * Messages carry the number of the constraint in the operation's section of the specification: "(C3)". */
#ifndef FL_IR_INFER_H
#define FL_IR_INFER_H

#include "ir/ir.h"

/* How many results an operation has, from its operands, attributes and regions. */
uint32_t fl_infer_result_count(const fl_op *op);
/* Writes op->result_count types to `results`. Where `stated` types are given they must agree with what the rules say, but for
 * dimensions that one of the two leaves open; `results` are then the stated types with fewer open ones. The counts of
 * operands and regions and the references must be valid already for
 * `program`. Errors begin with the operation's name. */
fl_status fl_infer_op(const fl_program *program, const fl_op *op, const fl_type *stated, fl_type *results);

/* One for each suffix used in ops.def. `out` holds the stated types, or is cleared where none are stated (fl_is_stated). A rule
 * compares what is stated with what it finds (fl_settle, fl_settle_as) and leaves it but for open sizes, or writes what it
 * finds. */
typedef fl_status fl_infer_fn(const fl_program *program, const fl_op *op, fl_type *out);
#define FL_OP(name, dialect, operands, results, traits, infer) extern fl_infer_fn fl_infer_##infer;
#include "ir/ops.def"
#undef FL_OP

/* Names of functions, calls and the types they agree on, no recursion. */
/* *out_op (may be NULL): the call that is wrong, or NULL. */
fl_status fl_verify_calls(const fl_program *program, const fl_op **out_op);

/* ---- sizes and types ---- */

static inline int fl_is_open(int64_t dim)
{
    return dim == FL_DYNAMIC;
}
/* The same sizes, as far as they are known. */
static inline int fl_same_or_open(int64_t a, int64_t b)
{
    return a == b || fl_is_open(a) || fl_is_open(b);
}
static inline int64_t fl_known_dim(int64_t a, int64_t b)
{
    return fl_is_open(a) ? b : a;
}
static inline int fl_is_stated(const fl_type *out)
{
    return out->dtype || out->kind;
}
/* The bound of a dimension, FL_DYNAMIC: none. */
static inline int64_t fl_bound_of(const fl_type *type, int dim)
{
    return type->more && type->more->bounds ? type->more->bounds[dim] : FL_DYNAMIC;
}
/* Element types have these in common; IDX counts as signed. */
enum {
    FL_BOOLS = 1 << FL_KIND_BOOL,
    FL_SIGNED = 1 << FL_KIND_INT,
    FL_UNSIGNED = 1 << FL_KIND_UINT,
    FL_INTS = FL_SIGNED | FL_UNSIGNED,
    FL_FLOATS = 1 << FL_KIND_FLOAT,
    FL_COMPLEX = 1 << FL_KIND_COMPLEX,
    FL_QUANT = 1 << 6,      /* quantized, one scale for the tensor */
    FL_QUANT_AXIS = 1 << 7, /* quantized, scales along an axis */
    FL_ORDINARY = FL_BOOLS | FL_INTS | FL_FLOATS | FL_COMPLEX,
    FL_PER_TENSOR = FL_ORDINARY | FL_QUANT,
    FL_ANY = FL_PER_TENSOR | FL_QUANT_AXIS
};
/* fl_type_check, and a kind that a value can have. */
fl_status fl_need_value_type(const fl_type *type);
/* A tensor (not a token, a tuple ...) whose elements are of one of `kinds`. */
fl_status fl_need_kind(const fl_type *type, unsigned kinds);

/* What of two types is compared. */
enum {
    FL_MATCH_DIMS = 1,     /* rank and sizes; open ones agree with any that their bounds allow */
    FL_MATCH_ELEMENT = 2,  /* element types, with quantization parameters */
    FL_MATCH_BASELINE = 4, /* element types but for scales and zero points */
    FL_MATCH_SCALES = 8,   /* element types but for the quantized axis */
    FL_MATCH_TYPE = FL_MATCH_DIMS | FL_MATCH_ELEMENT,
    FL_MATCH_BASE = FL_MATCH_DIMS | FL_MATCH_BASELINE
};
int fl_types_match(const fl_type *a, const fl_type *b, unsigned how); /* of any kind; 0 or 1 */
/* "expected <what> of type <expected>, got <got> (<constraint>)" */
fl_status fl_need_match(const fl_type *got, const fl_type *expected, unsigned how, const char *what,
                        const char *constraint);
/* A 0-d tensor of `element`'s element type. */
fl_status fl_need_scalar(const fl_type *got, const fl_type *element, const char *what,
                         const char *constraint);
/* A 1-d tensor of integers, `size` of them if size is not open. */
fl_status fl_need_vector(const fl_type *type, int64_t size, const char *what, const char *constraint);
fl_status fl_need_static(const fl_type *type, const char *what, const char *constraint);
/* A token. */
fl_status fl_need_token(const fl_type *type, const char *what, const char *constraint);
/* All results are stated: they do not follow from the operands. */
fl_status fl_need_stated(const fl_op *op, const fl_type *out);
fl_status fl_need_results(const fl_op *op, uint32_t count, const char *constraint);
/* Compares the stated result with `inferred`, from which sizes come that it leaves open, or takes that where nothing is
 * stated. */
fl_status fl_settle(fl_type *out, const fl_type *inferred, unsigned how, const char *constraint);
/* So too for `element`'s element type in another shape, whose dims are open or not negative. */
fl_status fl_settle_as(fl_type *out, const fl_type *element, unsigned how, int rank, const int64_t *dims,
                       const char *constraint);
/* A 0-d type like `type`'s elements; for types with bounds beside quantization there is none, and the quantization is lost. */
fl_type fl_scalar_like(const fl_type *type);
/* Elements of `from` may be accumulated in `to`: the same kind, at least as wide. */
int fl_is_promotable(const fl_type *from, const fl_type *to);
/* The product of two sizes, open when one is; an error when it overflows. */
fl_status fl_dim_product(int64_t a, int64_t b, int64_t *out);

/* If `ref` is a constant of at most `most` integers writes them and gives their number, else -1. */
int fl_constant_ints(const fl_program *program, fl_ref ref, int64_t *out, int most);

/* ---- operands and attributes ---- */

static inline const fl_type *fl_operand_type(const fl_program *p, const fl_op *op, uint32_t i)
{
    return fl_type_of(p, op->operands[i]);
}
/* A list attribute that must be there (but for count 0), with exactly `count` members. */
fl_status fl_need_ints(const fl_op *op, fl_attr_key key, uint32_t count, const char *constraint,
                       const int64_t **out);
/* A list of `count` integers, or NULL where the attribute is absent. */
fl_status fl_optional_ints(const fl_op *op, fl_attr_key key, uint32_t count, const char *constraint,
                           const int64_t **out);
static inline int64_t fl_int_at(const int64_t *values, int i, int64_t fallback)
{
    return values ? values[i] : fallback;
}
/* A list of dimensions (absent: empty): each in [0, rank), no two the same; also as a bit set if out_set is given. */
fl_status fl_need_dims(const fl_op *op, fl_attr_key key, int rank, const char *constraint,
                       const int64_t **out, uint32_t *out_count, uint32_t *out_set);
/* One dimension in [0, rank), which must be there. */
fl_status fl_need_dim(const fl_op *op, fl_attr_key key, int rank, const char *constraint, int *out);
/* An integer within [low, high]; absent: fallback, which may be outside to demand that it is there. */
fl_status fl_need_int(const fl_op *op, fl_attr_key key, int64_t low, int64_t high, int64_t fallback,
                      const char *constraint, int64_t *out);
/* A flag: 0 or 1, absent or not. */
fl_status fl_need_flag(const fl_op *op, fl_attr_key key, int *out);
int fl_is_sorted(const int64_t *values, uint32_t count);
/* Every `stride`-th of `count` ids of devices from `first` on: not negative (but -1 where `holes` says so), each once. With
 * `all` they are 0 to n-1. */
fl_status fl_need_ids(const int64_t *values, uint32_t count, uint32_t first, uint32_t stride, int holes,
                      int all, const char *what, const char *unique, const char *range);

/* Executors multiply positions by steps (strides, dilations) and add padding; what fits for the positions there are may still
 * overflow one further. So steps are bounded where there is at most one position, padding everywhere. */
static inline int fl_is_sane_step(int64_t step, int64_t positions)
{
    return step <= INT32_MAX || positions > 1;
}
static inline int fl_is_sane_padding(int64_t padding)
{
    return padding <= INT64_MAX / 4 && padding >= -(INT64_MAX / 4);
}

/* Extent of a window's results along one dimension; arguments may come straight from a program. A size of 0 is an empty
 * kernel, an open extent or size gives an open result. */
typedef struct fl_window {
    int64_t size, stride, low, high, base_dilation, dilation;
} fl_window;
fl_status fl_window_extent(int64_t extent, const fl_window *window, const char *constraint, int64_t *out);

/* ---- regions ---- */

enum { FL_MOST_INPUTS = 64 }; /* of operations with several inputs and a region over their elements */

/* Region i exists, with so many arguments and results, all of them 0-d tensors if scalars is not 0. */
fl_status fl_need_region(const fl_program *p, const fl_op *op, uint32_t i, uint32_t arg_count,
                         uint32_t result_count, int scalars, const char *constraint);
static inline const fl_type *fl_region_arg(const fl_program *p, const fl_op *op, uint32_t region, uint32_t i)
{
    return fl_type_of(p, op->regions[region]->first_arg + i);
}
static inline const fl_type *fl_region_result(const fl_program *p, const fl_op *op, uint32_t region,
                                              uint32_t i)
{
    return fl_type_of(p, op->regions[region]->results[i]);
}
/* Region i is (E0 .. En-1, E0 .. En-1) -> (E0 .. En-1) over scalars; the element type of each of the `count` operands from
 * `first` on can be promoted to Ei. */
fl_status fl_need_reducer(const fl_program *p, const fl_op *op, uint32_t i, uint32_t first, uint32_t count,
                          const char *constraint);

/* compare_type suits elements like x's. */
fl_status fl_rule_compare_type(const fl_type *x, int64_t compare_type);
/* Constraints on quantized operands of additions, and of products (dot_general, convolution). */
fl_status fl_rule_quantized_add(const fl_type *lhs, const fl_type *rhs, const fl_type *result);
typedef struct fl_product_numbers {
    const char *operands, *rhs, *storage, *expressed, *granularity, *hybrid;
} fl_product_numbers;
/* The element types of a product; where nothing is stated the result has lhs's. `numbers` name the constraints. */
fl_status fl_rule_product(const fl_type *lhs, const fl_type *rhs, const fl_type *stated,
                          const fl_product_numbers *numbers);
/* A reshape keeps a quantized axis whole. */
fl_status fl_rule_reshape(const fl_type *x, const fl_type *out);
/* A broadcast keeps or repeats the scales of a quantized axis. */
fl_status fl_rule_broadcast(const fl_type *x, const fl_type *out, const int64_t *dims);

#endif
