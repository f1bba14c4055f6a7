/* Operations of Mosaic as operations of StableHLO. */
#include "opt/mosaic.h"

#include "ir/text/parser.h"
#include "ref/reference.h"

#include <math.h>
#include <string.h>

typedef fl_status translate(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out);

static const fl_type *type_of(const fl_kernel *k, uint32_t value)
{
    return &k->module->types[value];
}

static const fl_type *result_type(const fl_kernel *k, const fl_mosaic_op *op)
{
    return type_of(k, op->first_result);
}

/* ---- constants ---- */

/* 1 : i32, -1.5 : f32, dense<0xFF800000> : vector<8x128xf32>, true: one element for all. */
static fl_status constant(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    (void)in;
    const fl_mosaic_attr *a = fl_mosaic_attr_of(op, "value");
    const fl_type *type = result_type(k, op);
    uint64_t element[2] = {0};
    FL_CHECK(a, FL_INVALID, "expected a value");
    const char *at = a->value.at, *end = a->value.end;
    if (end - at > 6 && !memcmp(at, "dense<", 6)) at += 6;
    FL_CHECK(at < end && *at != '[', FL_UNSUPPORTED, "expected one value for all elements");
    const char *wrong = fl_read_element(&at, end, (fl_dtype)type->dtype, element);
    FL_CHECK(!wrong, FL_INVALID, "value: expected %s", wrong);
    fl_type scalar = fl_type_make((fl_dtype)type->dtype, 0, NULL);
    *out = fl_constant(k->b, scalar, element);
    if (type->rank) *out = fl_broadcast_to(k->b, *out, type->rank, type->dims);
    return NULL;
}

static int is_zero(const fl_kernel *k, fl_ref value)
{
    const fl_op *op = value < k->b->program->def_count ? k->b->program->defs[value].op : NULL;
    static const char zeros[16];
    if (op && op->code == FL_OP_broadcast_in_dim) op = k->b->program->defs[op->operands[0]].op;
    if (!op || op->code != FL_OP_constant) return 0;
    const fl_attr *a = fl_op_attr(op, FL_ATTR_value);
    return a && a->count <= sizeof zeros && !memcmp(a->u.dense, zeros, a->count);
}

/* ---- elementwise ---- */

#define UNARY(name, function)                                                                                \
    static fl_status name(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)               \
    {                                                                                                        \
        (void)op;                                                                                            \
        *out = function(k->b, in[0]);                                                                        \
        return NULL;                                                                                         \
    }
#define BINARY(name, function)                                                                               \
    static fl_status name(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)               \
    {                                                                                                        \
        (void)op;                                                                                            \
        *out = function(k->b, in[0], in[1]);                                                                 \
        return NULL;                                                                                         \
    }
UNARY(absolute, fl_abs)
UNARY(negated, fl_neg)
UNARY(exponential, fl_exp)
UNARY(logarithm, fl_log)
UNARY(log_plus_one, fl_log1p)
UNARY(root, fl_sqrt)
UNARY(reciprocal_root, fl_rsqrt)
UNARY(tangent, fl_tanh)
UNARY(sine, fl_sin)
UNARY(cosine, fl_cos)
BINARY(sum, fl_add)
BINARY(difference, fl_sub)
BINARY(product, fl_mul)
BINARY(quotient, fl_div)
BINARY(rest, fl_rem)
BINARY(larger, fl_max)
BINARY(smaller, fl_min)
BINARY(both, fl_and)
BINARY(either, fl_or)
BINARY(one_of, fl_xor)
BINARY(shift_left, fl_shl)
BINARY(shift_logical, fl_shrl)
BINARY(shift_arithmetic, fl_shra)

static fl_status exponential_of_two(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    (void)op;
    *out = fl_exp(k->b, fl_mul(k->b, in[0], fl_full_like(k->b, in[0], M_LN2)));
    return NULL;
}

static fl_status logarithm_of_two(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    (void)op;
    *out = fl_mul(k->b, fl_log(k->b, in[0]), fl_full_like(k->b, in[0], M_LOG2E));
    return NULL;
}

static fl_status reciprocal(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    (void)op;
    *out = fl_div(k->b, fl_full_like(k->b, in[0], 1), in[0]);
    return NULL;
}

static fl_status converted(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    *out = fl_cast(k->b, in[0], (fl_dtype)result_type(k, op)->dtype);
    return NULL;
}

static fl_status reinterpreted(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    *out = fl_bitcast(k->b, in[0], (fl_dtype)result_type(k, op)->dtype);
    return NULL;
}

static fl_status compare_integers(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    static const uint8_t directions[] = {FL_EQ, FL_NE, FL_LT, FL_LE, FL_GT, FL_GE};
    int64_t p = fl_mosaic_int(op, "predicate", -1);
    FL_CHECK(p >= 0 && p <= 9, FL_INVALID, "expected a predicate from 0 to 9, got %lld", (long long)p);
    fl_ref x = in[0], y = in[1];
    if (p > 5) { /* of unsigned numbers */
        fl_dtype dtype = fl_dtypeof(k->b, x);
        FL_CHECK(dtype == FL_I32, FL_UNSUPPORTED, "unsigned comparison of other integers than i32");
        x = fl_bitcast(k->b, x, FL_U32);
        y = fl_bitcast(k->b, y, FL_U32);
        p -= 4;
    }
    *out = fl_compare(k->b, (fl_compare_direction)directions[p], x, y);
    return NULL;
}

static fl_status compare_floats(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    int64_t p = fl_mosaic_int(op, "predicate", -1);
    static const int8_t directions[16] = {-1, FL_EQ, FL_GT, FL_GE, FL_LT, FL_LE, -1, -1,
                                          -1, -1,    -1,    -1,    -1,    FL_NE, -1, -1};
    FL_CHECK(p >= 0 && p < 16 && directions[p] >= 0, FL_UNSUPPORTED,
             "comparison of floats with predicate %lld", (long long)p);
    *out = fl_compare(k->b, (fl_compare_direction)directions[p], in[0], in[1]);
    return NULL;
}

static fl_status selected(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    (void)op;
    *out = fl_select(k->b, in[0], in[1], in[2]);
    return NULL;
}

/* ---- shapes ---- */

static fl_status numbered(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    (void)in;
    int64_t dim;
    uint32_t n;
    FL_TRY(fl_mosaic_ints(op, "dimensions", &dim, 1, &n));
    FL_CHECK(n == 1 && dim >= 0 && dim < result_type(k, op)->rank, FL_INVALID, "expected a dimension");
    *out = fl_iota(k->b, *result_type(k, op), (int)dim);
    return NULL;
}

static fl_status broadcast(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    *out = fl_broadcast_to(k->b, in[0], result_type(k, op)->rank, result_type(k, op)->dims);
    return NULL;
}

static fl_status reshaped(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    const fl_type *t = result_type(k, op), *from = fl_typeof(k->b, in[0]);
    int same = from->rank == t->rank && !memcmp(from->dims, t->dims, sizeof t->dims);
    *out = same ? in[0] : fl_reshape(k->b, in[0], t->rank, t->dims);
    return NULL;
}

static fl_status transposed(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    int64_t order[FL_MAX_RANK];
    uint32_t n;
    FL_TRY(fl_mosaic_ints(op, "permutation", order, FL_MAX_RANK, &n));
    FL_CHECK((int)n == fl_rank(k->b, in[0]), FL_INVALID, "expected a permutation of %d dimensions, got %u",
             fl_rank(k->b, in[0]), n);
    *out = fl_transpose(k->b, in[0], order);
    return NULL;
}

static fl_status joined(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    *out = fl_concat(k->b, in, op->operand_count, (int)fl_mosaic_int(op, "dimension", 0));
    return NULL;
}

/* The lists may name fewer dimensions than there are: the first ones. */
static fl_status strided_slice(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    int64_t start[FL_MAX_RANK], limit[FL_MAX_RANK], step[FL_MAX_RANK];
    uint32_t n, sizes, steps;
    int rank = fl_rank(k->b, in[0]);
    FL_TRY(fl_mosaic_ints(op, "offsets", start, FL_MAX_RANK, &n));
    FL_TRY(fl_mosaic_ints(op, "sizes", limit, FL_MAX_RANK, &sizes));
    FL_TRY(fl_mosaic_ints(op, "strides", step, FL_MAX_RANK, &steps));
    FL_CHECK(sizes == n && steps == n && (int)n <= rank, FL_INVALID,
             "expected offsets, sizes and strides of at most %d dimensions", rank);
    for (int d = 0; d < rank; d++) {
        if (d >= (int)n) start[d] = 0, step[d] = 1, limit[d] = fl_dim(k->b, in[0], d);
        FL_CHECK(step[d] == 1, FL_UNSUPPORTED, "expected strides of 1, got %lld", (long long)step[d]);
        if (__builtin_add_overflow(limit[d], start[d], &limit[d])) return fl_error(FL_INVALID, "sizes");
    }
    *out = fl_slice(k->b, in[0], start, limit, NULL);
    return NULL;
}

/* ---- reductions and products ---- */

static fl_status reduced(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    static const struct {
        const char *name;
        fl_opcode code;
        translate *combine;
    } kinds[] = {{"<add>", FL_OP_add, sum},
                 {"<mul>", FL_OP_multiply, product},
                 {"<maximumf>", FL_OP_maximum, larger},
                 {"<minimumf>", FL_OP_minimum, smaller},
                 {"<maxsi>", FL_OP_maximum, larger},
                 {"<minsi>", FL_OP_minimum, smaller}};
    int64_t dims[FL_MAX_RANK];
    uint32_t n;
    const fl_mosaic_attr *a = fl_mosaic_attr_of(op, "kind");
    FL_TRY(fl_mosaic_ints(op, "reduction_dims", dims, FL_MAX_RANK, &n));
    FL_CHECK(a, FL_INVALID, "expected a kind of reduction");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t length = strlen(kinds[i].name), have = (size_t)(a->value.end - a->value.at);
        if (have < length || memcmp(a->value.end - length, kinds[i].name, length)) continue;
        fl_ref pair[2] = {in[1], fl_reduce(k->b, kinds[i].code, in[0], dims, n, 0)};
        if (kinds[i].code == FL_OP_add && is_zero(k, in[1])) {
            *out = pair[1];
            return NULL;
        }
        return kinds[i].combine(k, op, pair, out);
    }
    return fl_error(FL_UNSUPPORTED, "a reduction of kind %.*s", (int)(a->value.end - a->value.at),
                    a->value.at);
}

/* #tpu.dot_dimension_numbers<[lhs contracted], [rhs contracted], [lhs free], [rhs free], [output], [lhs batch], [rhs batch]> */
static fl_status matrix_product(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    int64_t lists[7][2 * FL_MAX_RANK] = {{1}, {0}};
    uint32_t counts[7] = {1, 1};
    const fl_mosaic_attr *a = fl_mosaic_attr_of(op, "dimension_numbers");
    FL_CHECK(!fl_mosaic_int(op, "transpose_lhs", 0) && !fl_mosaic_int(op, "transpose_rhs", 0), FL_UNSUPPORTED,
             "a product of transposed operands");
    const char *at = a ? a->value.at : NULL, *end = a ? a->value.end : NULL;
    for (int i = 0; a && i < 7; i++) {
        while (at < end && *at != '[') at++;
        FL_TRY(fl_mosaic_list(&at, end, lists[i], 2 * FL_MAX_RANK, &counts[i]));
    }
    FL_CHECK(counts[0] == counts[1] && counts[5] == counts[6], FL_INVALID,
             "expected as many contracted and batch dimensions of both operands");
    const fl_dot_dims dims = {.lhs_contract = lists[0],
                              .rhs_contract = lists[1],
                              .contract_count = counts[0],
                              .lhs_batch = lists[5],
                              .rhs_batch = lists[6],
                              .batch_count = counts[5]};
    const fl_type *type = result_type(k, op);
    *out = fl_dot_general(k->b, in[0], in[1], &dims, (fl_dtype)type->dtype);
    const fl_type *got = fl_typeof(k->b, *out);
    FL_CHECK(!fl_ok(k->b) || (got->rank == type->rank && !memcmp(got->dims, type->dims, sizeof got->dims)),
             FL_UNSUPPORTED, "a product whose result is transposed");
    if (!is_zero(k, in[2])) *out = fl_add(k->b, *out, in[2]);
    return NULL;
}

/* ---- memory: what a memref holds is a value, which a store replaces ---- */

static int is_constant_zero(const fl_kernel *k, const fl_ref *indices, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (!is_zero(k, indices[i])) return 0;
    return 1;
}

static fl_status check_memory(const fl_kernel *k, const fl_mosaic_op *op, uint32_t memory, uint32_t indices)
{
    FL_CHECK(op->operand_count >= memory + 1u, FL_INVALID, "expected a memory");
    const fl_type *m = type_of(k, op->operands[memory]);
    FL_CHECK(m->kind == FL_TYPE_BUFFER && m->rank == indices && op->operand_count == memory + 1u + indices,
             FL_UNSUPPORTED, "expected a memory of %u dimensions, and an index of each", indices);
    return NULL;
}

/* Of a vector in a memory of the same rank, or of one element. */
static fl_status check_window(const fl_type *memory, const fl_type *vector)
{
    FL_CHECK(vector->rank == memory->rank || !vector->rank, FL_UNSUPPORTED,
             "expected a vector of %d dimensions, got %d", memory->rank, vector->rank);
    return NULL;
}

static fl_status load(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    FL_CHECK(op->operand_count, FL_INVALID, "expected a memory");
    uint32_t rank = op->operand_count - 1;
    FL_TRY(check_memory(k, op, 0, rank));
    const fl_type *m = type_of(k, op->operands[0]), *t = result_type(k, op);
    FL_TRY(check_window(m, t));
    int64_t sizes[FL_MAX_RANK];
    int whole = 1;
    for (uint32_t d = 0; d < rank; d++) {
        sizes[d] = t->rank ? t->dims[d] : 1;
        whole &= sizes[d] == m->dims[d];
    }
    *out = whole && is_constant_zero(k, in + 1, rank) ? in[0] : fl_dynamic_slice(k->b, in[0], in + 1, sizes);
    if (!t->rank && rank) *out = fl_reshape(k->b, *out, 0, NULL);
    return NULL;
}

static fl_status store(fl_kernel *k, const fl_mosaic_op *op, const fl_ref *in, fl_ref *out)
{
    (void)out;
    FL_CHECK(op->operand_count >= 2, FL_INVALID, "expected a value and a memory");
    uint32_t rank = op->operand_count - 2, memory = op->operands[1];
    FL_TRY(check_memory(k, op, 1, rank));
    const fl_type *m = type_of(k, memory), *t = type_of(k, op->operands[0]);
    FL_TRY(check_window(m, t));
    int64_t ones[FL_MAX_RANK];
    for (uint32_t d = 0; d < rank; d++) ones[d] = 1;
    fl_ref value = t->rank ? in[0] : fl_reshape(k->b, in[0], (int)rank, ones);
    int whole = !memcmp(m->dims, fl_typeof(k->b, value)->dims, sizeof m->dims);
    k->values[memory] = whole && is_constant_zero(k, in + 2, rank)
                            ? value
                            : fl_dynamic_update_slice(k->b, in[1], value, in + 2);
    return NULL;
}

/* ---- all of them ---- */

static const struct {
    const char *name;
    int8_t operands; /* -1: any number */
    translate *build;
} operations[] = {
    {"arith.constant", 0, constant},
    {"arith.addf", 2, sum},
    {"arith.addi", 2, sum},
    {"arith.subf", 2, difference},
    {"arith.subi", 2, difference},
    {"arith.mulf", 2, product},
    {"arith.muli", 2, product},
    {"arith.divf", 2, quotient},
    {"arith.divsi", 2, quotient},
    {"arith.remsi", 2, rest},
    {"arith.maximumf", 2, larger},
    {"arith.maxsi", 2, larger},
    {"arith.minimumf", 2, smaller},
    {"arith.minsi", 2, smaller},
    {"arith.andi", 2, both},
    {"arith.ori", 2, either},
    {"arith.xori", 2, one_of},
    {"arith.shli", 2, shift_left},
    {"arith.shrui", 2, shift_logical},
    {"arith.shrsi", 2, shift_arithmetic},
    {"arith.negf", 1, negated},
    {"arith.cmpi", 2, compare_integers},
    {"arith.cmpf", 2, compare_floats},
    {"arith.select", 3, selected},
    {"arith.extf", 1, converted},
    {"arith.truncf", 1, converted},
    {"arith.extui", 1, converted},
    {"arith.trunci", 1, converted},
    {"arith.sitofp", 1, converted},
    {"arith.fptosi", 1, converted},
    {"arith.index_cast", 1, converted},
    {"arith.bitcast", 1, reinterpreted},
    {"math.absf", 1, absolute},
    {"math.exp", 1, exponential},
    {"math.exp2", 1, exponential_of_two},
    {"math.log", 1, logarithm},
    {"math.log2", 1, logarithm_of_two},
    {"math.log1p", 1, log_plus_one},
    {"math.sqrt", 1, root},
    {"math.rsqrt", 1, reciprocal_root},
    {"math.tanh", 1, tangent},
    {"math.sin", 1, sine},
    {"math.cos", 1, cosine},
    {"tpu.reciprocal", 1, reciprocal},
    {"tpu.iota", 0, numbered},
    {"tpu.concatenate", -1, joined},
    {"tpu.matmul", 3, matrix_product},
    {"tpu.transpose", 1, transposed},
    {"vector.broadcast", 1, broadcast},
    {"vector.shape_cast", 1, reshaped},
    {"vector.transpose", 1, transposed},
    {"vector.extract_strided_slice", 1, strided_slice},
    {"vector.multi_reduction", 2, reduced},
    {"vector.load", -1, load},
    {"vector.store", -1, store},
    {"memref.load", -1, load},
    {"memref.store", -1, store},
};

const void *fl_kernel_constant(const fl_kernel *k, fl_ref value)
{
    const fl_program *p = k->b->program;
    const fl_op *op = value && value < p->def_count ? p->defs[value].op : NULL;
    if (!op || op->code != FL_OP_constant || p->defs[value].type.rank) return NULL;
    return fl_op_attr(op, FL_ATTR_value)->u.dense;
}

/* A number that follows from others that are known is one itself: branches and places of windows depend on such numbers. */
static fl_status fold(fl_kernel *k, fl_ref *value)
{
    const fl_program *p = k->b->program;
    const fl_op *op = *value < p->def_count ? p->defs[*value].op : NULL;
    const fl_type type = *fl_typeof(k->b, *value);
    const void *operands[3];
    char result[16] __attribute__((aligned(16))) = {0};
    void *results[] = {result};
    if (!op || op->code == FL_OP_constant || type.rank || (type.dtype != FL_I32 && type.dtype != FL_I1))
        return NULL;
    if (op->operand_count > 3 || op->region_count) return NULL;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!(operands[i] = fl_kernel_constant(k, op->operands[i]))) return NULL;
    FL_TRY(fl_reference_op(p, op, operands, results));
    *value = fl_constant(k->b, type, result);
    return NULL;
}

fl_status fl_mosaic_op_build(fl_kernel *k, const fl_mosaic_op *op)
{
    int length = (int)(op->name.end - op->name.at);
    fl_ref in[64], out = FL_NO_REF;
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++) {
        if (!fl_text_is(op->name, operations[i].name)) continue;
        int wanted = operations[i].operands, stores = operations[i].build == store;
        FL_CHECK((wanted < 0 || (int)op->operand_count == wanted) && op->result_count == !stores, FL_INVALID,
                 "%.*s: expected %d operands and %d results", length, op->name.at, wanted, !stores);
        for (uint32_t n = 0; n < op->operand_count; n++) in[n] = k->values[op->operands[n]];
        FL_TRY(fl_status_prefix(operations[i].build(k, op, in, &out), "%.*s", length, op->name.at));
        if (stores || !fl_ok(k->b)) return NULL;
        const fl_type *got = fl_typeof(k->b, out), *type = result_type(k, op);
        FL_CHECK(got->dtype == type->dtype && got->rank == type->rank &&
                     !memcmp(got->dims, type->dims, sizeof got->dims),
                 FL_INVALID, "%.*s: expected the result that it states", length, op->name.at);
        FL_TRY(fold(k, &out));
        k->values[op->first_result] = out;
        return NULL;
    }
    return fl_error(FL_UNSUPPORTED, "operation %.*s is not implemented", length > 60 ? 60 : length,
                    op->name.at);
}
