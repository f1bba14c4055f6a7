/* Rules of CHLO operations that are not elementwise over one shape. There is no specification: constraints are named by what
 * they say. */
#include "ir/infer.h"

/* ---- broadcasting ---- */

/* Sizes 1 stretch; what is open may be 1 at run time. */
static fl_status merge(int64_t *into, int64_t size, int dim)
{
    if (*into == size || size == 1) return NULL;
    if (*into == 1 || (fl_is_open(*into) && !fl_is_open(size))) {
        *into = size;
        return NULL;
    }
    FL_CHECK(fl_is_open(size), FL_INVALID,
             "expected size 1 or %lld for dimension %d, got %lld (broadcasting)", (long long)*into, dim,
             (long long)size);
    return NULL;
}

/* Shapes aligned at the end, as numpy does. */
static fl_status numpy_shape(const fl_program *p, const fl_op *op, int *out_rank, int64_t *dims)
{
    int rank = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        if (x->rank > rank) rank = x->rank;
    }
    for (int i = 0; i < rank; i++) dims[i] = 1;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_type *x = fl_operand_type(p, op, i);
        for (int k = 0; k < x->rank; k++)
            FL_TRY(merge(&dims[rank - x->rank + k], x->dims[k], rank - x->rank + k));
    }
    *out_rank = rank;
    return NULL;
}

/* broadcast_dimensions says which dimensions of the operand of higher rank the other one's are. */
static fl_status mapped_shape(const fl_program *p, const fl_op *op, int *out_rank, int64_t *dims)
{
    const fl_type *x = fl_operand_type(p, op, 0), *y = fl_operand_type(p, op, 1);
    const fl_type *large = x->rank > y->rank ? x : y, *small = x->rank > y->rank ? y : x;
    const int64_t *map;
    uint32_t n;
    FL_TRY(fl_need_dims(op, FL_ATTR_broadcast_dimensions, large->rank, "dimensions of the larger operand",
                        &map, &n, NULL));
    FL_CHECK(n == small->rank, FL_INVALID, "expected %d broadcast_dimensions, got %u", small->rank, n);
    FL_CHECK(fl_is_sorted(map, n), FL_INVALID, "expected sorted broadcast_dimensions");
    for (int i = 0; i < large->rank; i++) dims[i] = large->dims[i];
    for (uint32_t i = 0; i < n; i++) FL_TRY(merge(&dims[map[i]], small->dims[i], (int)map[i]));
    *out_rank = large->rank;
    return NULL;
}

/* What the elements of broadcast_<name>'s operands may be: as the operation's own rule says. */
static unsigned element_kinds(fl_opcode code)
{
    switch (code) {
    case FL_OP_broadcast_and:
    case FL_OP_broadcast_or:
    case FL_OP_broadcast_xor: return FL_BOOLS | FL_INTS;
    case FL_OP_broadcast_atan2: return FL_FLOATS | FL_COMPLEX;
    case FL_OP_broadcast_complex:
    case FL_OP_broadcast_next_after:
    case FL_OP_broadcast_polygamma:
    case FL_OP_broadcast_zeta: return FL_FLOATS;
    case FL_OP_broadcast_divide:
    case FL_OP_broadcast_power:
    case FL_OP_broadcast_remainder:
    case FL_OP_broadcast_subtract: return FL_INTS | FL_FLOATS | FL_COMPLEX;
    case FL_OP_broadcast_shift_left:
    case FL_OP_broadcast_shift_right_arithmetic:
    case FL_OP_broadcast_shift_right_logical: return FL_INTS;
    default: return FL_ORDINARY;
    }
}

static fl_status need_comparison(const fl_op *op, const fl_type *x)
{
    int64_t type;
    FL_TRY(fl_need_int(op, FL_ATTR_comparison_direction, FL_EQ, FL_LT, -1, "a direction", NULL));
    FL_TRY(fl_need_int(op, FL_ATTR_compare_type, FL_COMPARE_NONE, FL_COMPARE_UNSIGNED, FL_COMPARE_NONE,
                       "a type", &type));
    return fl_rule_compare_type(x, type);
}

fl_status fl_infer_broadcasting(const fl_program *p, const fl_op *op, fl_type *out)
{
    int64_t dims[FL_MAX_RANK];
    int rank = 0, first = op->code == FL_OP_broadcast_select;
    const fl_type *x = fl_operand_type(p, op, (uint32_t)first);
    FL_TRY(fl_need_kind(x, element_kinds((fl_opcode)op->code)));
    FL_TRY(fl_need_match(fl_operand_type(p, op, (uint32_t)first + 1), x, FL_MATCH_ELEMENT, "operand",
                         "one element type"));
    fl_type element = fl_type_make((fl_dtype)x->dtype, 0, NULL), boolean = fl_type_make(FL_I1, 0, NULL);
    if (op->code == FL_OP_broadcast_select)
        FL_TRY(fl_need_match(fl_operand_type(p, op, 0), &boolean, FL_MATCH_ELEMENT, "condition", "booleans"));
    if (op->code == FL_OP_broadcast_compare) {
        FL_TRY(need_comparison(op, x));
        element = boolean;
    }
    if (op->code == FL_OP_broadcast_complex) {
        FL_CHECK(x->dtype == FL_F32 || x->dtype == FL_F64, FL_INVALID,
                 "expected operands of f32 or f64, got %s", fl_dtype_name((fl_dtype)x->dtype));
        element.dtype = x->dtype == FL_F32 ? FL_C64 : FL_C128;
    }
    FL_TRY(fl_op_attr(op, FL_ATTR_broadcast_dimensions) && op->operand_count == 2
               ? mapped_shape(p, op, &rank, dims)
               : numpy_shape(p, op, &rank, dims));
    return fl_settle_as(out, &element, FL_MATCH_ELEMENT, rank, dims, "broadcasting");
}

/* ---- others ---- */

/* A constant of one element in the operand's shape; the result says the element type. */
fl_status fl_infer_constant_like(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
    FL_TRY(fl_need_kind(x, FL_ANY));
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_kind(out, FL_ORDINARY));
    size_t bytes = fl_dtype_bytes((fl_dtype)out->dtype);
    FL_CHECK(value && value->count == bytes, FL_INVALID, "expected a value of %zu bytes, got %u", bytes,
             value ? value->count : 0);
    return fl_settle(out, x, FL_MATCH_DIMS, "the operand's shape");
}

fl_status fl_infer_top_k(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0);
    fl_type index = fl_type_make(FL_I32, 0, NULL);
    int64_t k, dims[FL_MAX_RANK];
    FL_TRY(fl_need_kind(x, FL_BOOLS | FL_INTS | FL_FLOATS));
    FL_CHECK(x->rank, FL_INVALID, "expected an operand of at least one dimension");
    for (int i = 0; i < x->rank; i++) dims[i] = x->dims[i];
    int64_t *last = &dims[x->rank - 1];
    FL_TRY(fl_need_int(op, FL_ATTR_k, 0, INT64_MAX, -1, "a size", &k));
    FL_CHECK(fl_is_open(*last) || k <= *last, FL_INVALID, "expected k within [0, %lld], got %lld",
             (long long)*last, (long long)k);
    *last = k;
    FL_TRY(fl_settle_as(&out[0], x, FL_MATCH_ELEMENT, x->rank, dims, "the k first of the last dimension"));
    return fl_settle_as(&out[1], &index, FL_MATCH_ELEMENT, x->rank, dims, "32-bit indices");
}

/* How many of the operands are inputs: their slices, the region's arguments, have one dimension less; carries have not. */
uint32_t fl_scan_inputs(const fl_program *p, const fl_op *op)
{
    uint32_t n = 0;
    const fl_block *body = op->region_count == 1 ? op->regions[0] : NULL;
    if (!body || body->arg_count != op->operand_count) return 0;
    while (n < op->operand_count && fl_region_arg(p, op, 0, n)->rank + 1 == fl_operand_type(p, op, n)->rank)
        n++;
    return n;
}

static void without_dim(const fl_type *x, int dim, int64_t *dims)
{
    for (int i = 0, k = 0; i < x->rank; i++)
        if (i != dim) dims[k++] = x->dims[i];
}

/* Inputs agree in the size of the scanned dimension, and the region takes their slices and the carries. */
static fl_status scan_operands(const fl_program *p, const fl_op *op, uint32_t inputs, int64_t *steps)
{
    int dim;
    int64_t dims[FL_MAX_RANK];
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_type *x = fl_operand_type(p, op, i), *arg = fl_region_arg(p, op, 0, i);
        FL_TRY(fl_need_kind(x, FL_ORDINARY));
        if (i >= inputs) {
            FL_TRY(fl_need_match(arg, x, FL_MATCH_TYPE, "region argument", "the carry's type"));
            FL_TRY(fl_need_match(fl_region_result(p, op, 0, op->result_count - op->operand_count + i), x,
                                 FL_MATCH_TYPE, "region result", "the carry's type"));
            continue;
        }
        FL_TRY(fl_need_dim(op, FL_ATTR_dimension, x->rank, "a dimension of every input", &dim));
        FL_CHECK(fl_same_or_open(x->dims[dim], *steps), FL_INVALID,
                 "expected size %lld of the scanned dimension, got %lld", (long long)*steps,
                 (long long)x->dims[dim]);
        *steps = fl_known_dim(*steps, x->dims[dim]);
        without_dim(x, dim, dims);
        fl_type slice = fl_type_make((fl_dtype)x->dtype, x->rank - 1, dims);
        FL_TRY(fl_need_match(arg, &slice, FL_MATCH_TYPE, "region argument", "a slice of the input"));
    }
    return NULL;
}

fl_status fl_infer_scan(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_need_stated(op, out)); /* without inputs nothing else says how long the outputs are */
    FL_CHECK(op->region_count == 1, FL_INVALID, "expected one region, got %u", op->region_count);
    FL_TRY(
        fl_need_region(p, op, 0, op->operand_count, op->result_count, 0, "as many as operands and results"));
    FL_TRY(fl_need_flag(op, FL_ATTR_is_reverse, NULL));
    FL_TRY(fl_need_flag(op, FL_ATTR_is_associative, NULL));
    uint32_t inputs = fl_scan_inputs(p, op), carries = op->operand_count - inputs;
    FL_CHECK(op->result_count >= carries && (inputs || op->result_count > carries), FL_INVALID,
             "expected inputs or outputs, and %u carries as results, got %d results", carries,
             op->result_count);
    int64_t steps = fl_op_int(op, FL_ATTR_scan_dim_size, FL_DYNAMIC), dim;
    FL_CHECK(steps >= 0 || fl_is_open(steps), FL_INVALID, "expected scan_dim_size of at least 0, got %lld",
             (long long)steps);
    FL_TRY(scan_operands(p, op, inputs, &steps));
    for (uint32_t i = 0; i < op->result_count; i++) {
        const fl_type *r = fl_region_result(p, op, 0, i);
        int64_t dims[FL_MAX_RANK + 1];
        FL_TRY(fl_need_kind(r, FL_ORDINARY));
        if (i >= op->result_count - carries) {
            FL_TRY(fl_settle(&out[i], r, FL_MATCH_TYPE, "the carry's type"));
            continue;
        }
        FL_TRY(fl_need_int(op, FL_ATTR_dimension, 0, r->rank, -1, "a dimension of every output", &dim));
        for (int k = 0; k < r->rank; k++) dims[k + (k >= dim)] = r->dims[k];
        dims[dim] = steps;
        FL_TRY(fl_settle_as(&out[i], r, FL_MATCH_ELEMENT, r->rank + 1, dims, "a slice for each step"));
    }
    return NULL;
}

fl_opcode fl_broadcasting_base(uint16_t code)
{
    switch (code) {
        /* clang-format off */
#define X(op) case FL_OP_broadcast_##op: return FL_OP_##op;
    X(add) X(and) X(atan2) X(compare) X(complex) X(divide) X(maximum) X(minimum) X(multiply) X(next_after)
    X(or) X(polygamma) X(power) X(remainder) X(select) X(shift_left) X(shift_right_arithmetic)
    X(shift_right_logical) X(subtract) X(xor) X(zeta)
#undef X
            /* clang-format on */
            default : return FL_OP_NONE;
    }
}
