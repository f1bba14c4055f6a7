/* Bounded values at the shape of their bounds: what is masked, and what changes sizes. */
#include "opt/bounded.h"

#include <string.h>

int fl_is_bounded(const fl_type *type)
{
    if (type->kind != FL_TYPE_TENSOR || !type->more || !type->more->bounds) return 0;
    int open = 0;
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] != FL_DYNAMIC) continue;
        if (type->more->bounds[d] == FL_DYNAMIC) return 0;
        open = 1;
    }
    return open;
}

fl_type fl_at_bounds(const fl_type *type)
{
    if (!fl_is_bounded(type)) return *type;
    int64_t dims[FL_MAX_RANK];
    for (int d = 0; d < type->rank; d++)
        dims[d] = type->dims[d] == FL_DYNAMIC ? type->more->bounds[d] : type->dims[d];
    return fl_type_make((fl_dtype)type->dtype, type->rank, dims);
}

const fl_ref *fl_sizes_of(const fl_refiner *r, fl_ref value)
{
    return r->sizes ? r->sizes[value] : NULL;
}

void fl_set_sizes(fl_refiner *r, fl_ref value, const fl_ref *sizes)
{
    if (!sizes && !r->sizes) return;
    if (!r->sizes) r->sizes = FL_NEW_ARRAY(&r->scratch, fl_ref *, r->from->def_count);
    fl_ref *copy = sizes ? fl_arena_copy(&r->scratch, sizes, FL_MAX_RANK * sizeof *sizes) : NULL;
    if (!r->sizes || (sizes && !copy))
        fl_builder_fail(&r->b, fl_error(FL_OOM, "out of host memory"));
    else
        r->sizes[value] = copy;
}

/* ---- masks ---- */

/* `value`, with `fill` behind the elements of those dimensions that are in `which`. */
static fl_ref masked(fl_refiner *r, fl_ref value, const fl_ref *sizes, uint32_t which, fl_ref fill)
{
    fl_builder *b = &r->b;
    fl_type type = *fl_typeof(b, value);
    fl_ref mask = FL_NO_REF;
    type.dtype = FL_I32;
    for (int d = 0; sizes && d < type.rank; d++) {
        if (!sizes[d] || !(which >> d & 1)) continue;
        fl_ref inside =
            fl_compare(b, FL_LT, fl_iota(b, type, d), fl_broadcast_to(b, sizes[d], type.rank, type.dims));
        mask = mask ? fl_and(b, mask, inside) : inside;
    }
    return mask ? fl_select(b, mask, value, fl_broadcast_to(b, fill, type.rank, type.dims)) : value;
}

static uint32_t bits_of(const int64_t *dims, uint32_t count)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; i < count; i++)
        if (dims[i] >= 0 && dims[i] < FL_MAX_RANK) bits |= 1u << dims[i];
    return bits;
}

/* What a reduction may take any number of: the neutral element of its operation, else what it begins with, as XLA does. */
static fl_ref neutral(fl_refiner *r, const fl_op *op, fl_ref initial)
{
    fl_builder *b = &r->b;
    fl_dtype dtype = fl_dtypeof(b, initial);
    switch (fl_region_monoid(r->from, op->regions[0])) {
    case FL_OP_add: return fl_scalar_i(b, dtype, 0);
    case FL_OP_multiply: return fl_scalar_i(b, dtype, 1);
    case FL_OP_maximum: return fl_min_value(b, dtype);
    case FL_OP_minimum: return fl_max_value(b, dtype);
    case FL_OP_and: return fl_scalar_i(b, dtype, -1);
    case FL_OP_or: return fl_scalar_i(b, dtype, 0);
    default: return initial;
    }
}

/* Operands without what the operation must not see. */
static void mask_operands(fl_refiner *r, const fl_op *op, fl_ref *operands)
{
    uint32_t n = op->operand_count, count;
    const fl_ref *sizes[2] = {n ? fl_sizes_of(r, op->operands[0]) : NULL,
                              n > 1 ? fl_sizes_of(r, op->operands[1]) : NULL};
    if (op->code == FL_OP_reduce) {
        const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &count);
        for (uint32_t i = 0; i < n / 2; i++)
            operands[i] = masked(r, operands[i], fl_sizes_of(r, op->operands[i]), bits_of(dims, count),
                                 neutral(r, op, operands[n / 2 + i]));
    } else if (op->code == FL_OP_dot_general || op->code == FL_OP_dot) {
        static const fl_attr_key keys[2] = {FL_ATTR_lhs_contracting_dimensions,
                                            FL_ATTR_rhs_contracting_dimensions};
        for (int i = 0; i < 2; i++) {
            const int64_t *dims = fl_op_ints(op, keys[i], &count);
            uint32_t bits = bits_of(dims, count);
            if (op->code == FL_OP_dot) bits = i ? 1u : 1u << (fl_rank(&r->b, operands[0]) - 1);
            operands[i] =
                masked(r, operands[i], sizes[i], bits, fl_scalar_i(&r->b, fl_dtypeof(&r->b, operands[i]), 0));
        }
    } else if (op->code == FL_OP_scatter) { /* what is scattered out of bounds is dropped */
        uint32_t at = n / 2;
        operands[at] = masked(r, operands[at], fl_sizes_of(r, op->operands[at]), ~0u,
                              fl_scalar_i(&r->b, fl_dtypeof(&r->b, operands[at]), -1));
    }
}

/* ---- what makes and asks for sizes ---- */

static fl_status dimension_size(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    fl_ref sizes[FL_MAX_RANK] = {0};
    const fl_ref *known = fl_sizes_of(r, op->operands[0]);
    int64_t dim = fl_op_int(op, FL_ATTR_dimension, 0);
    FL_CHECK(dim >= 0 && dim < fl_rank(&r->b, operands[0]), FL_INVALID,
             "expected a dimension of the operand");
    if (op->code == FL_OP_get_dimension_size) {
        if (!known || !known[dim]) return NULL;
        r->map[op->first_result] = known[dim];
        *done = 1;
        return NULL;
    }
    if (!fl_is_bounded(fl_type_of(r->from, op->first_result)) && !known) return NULL;
    if (known) memcpy(sizes, known, sizeof sizes);
    uint32_t n;
    const int64_t *size = fl_known_ints(r, operands[1], &n);
    int64_t bound = fl_dim(&r->b, operands[0], (int)dim);
    FL_CHECK(!size || (*size >= 0 && *size <= bound), FL_INVALID, "expected a size from 0 to %lld, got %lld",
             (long long)bound, (long long)*size);
    sizes[dim] = size && *size == bound ? FL_NO_REF : operands[1];
    r->map[op->first_result] = operands[0];
    fl_set_sizes(r, op->first_result, sizes);
    *done = 1;
    return NULL;
}

/* PadRealToStatic(x, sizes), SliceToDynamic(x, sizes), PadToStatic(x) -> x, sizes: here they only say how large values are. */
static fl_status padding_call(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    const char *target = fl_op_string(op, FL_ATTR_call_target_name);
    int to_static = target && !strcmp(target, "PadRealToStatic"),
        slice = target && !strcmp(target, "SliceToDynamic");
    int rank = op->operand_count ? fl_rank(&r->b, operands[0]) : 0;
    fl_ref sizes[FL_MAX_RANK] = {0};
    if (to_static || slice) {
        fl_type type = fl_at_bounds(fl_type_of(r->from, op->first_result));
        FL_CHECK(op->operand_count == 1u + (unsigned)rank && op->result_count == 1 &&
                     fl_type_equal(&type, fl_typeof(&r->b, operands[0])),
                 FL_INVALID, "%s: expected a value, its sizes, and a result of the same bounds", target);
        for (int d = 0; slice && d < rank; d++) {
            FL_CHECK(fl_dtypeof(&r->b, operands[d + 1]) == FL_I32 && !fl_rank(&r->b, operands[d + 1]),
                     FL_INVALID, "%s: expected sizes of i32", target);
            if (fl_type_of(r->from, op->first_result)->dims[d] == FL_DYNAMIC) sizes[d] = operands[d + 1];
        }
        r->map[op->first_result] = operands[0];
        fl_set_sizes(r, op->first_result, slice ? sizes : NULL);
        *done = 1;
    } else if (target && !strcmp(target, "PadToStatic") && op->result_count == 1u + (unsigned)rank) {
        const fl_ref *known = fl_sizes_of(r, op->operands[0]);
        r->map[op->first_result] = operands[0];
        fl_set_sizes(r, op->first_result, NULL);
        for (int d = 0; d < rank; d++)
            r->map[op->first_result + 1 + (unsigned)d] =
                known && known[d] ? known[d] : fl_scalar_i(&r->b, FL_I32, fl_dim(&r->b, operands[0], d));
        *done = 1;
    }
    return NULL;
}

/* Along an open dimension: every operand covers what lies behind the elements of the one before it. */
static fl_status concatenate(fl_refiner *r, const fl_op *op, const fl_ref *operands, int dim)
{
    fl_builder *b = &r->b;
    fl_type type = fl_at_bounds(fl_type_of(r->from, op->first_result));
    fl_ref zero = fl_scalar_i(b, FL_I32, 0), at = zero, starts[FL_MAX_RANK], sizes[FL_MAX_RANK] = {0};
    fl_ref out = fl_full(b, type, 0);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        const fl_ref *known = fl_sizes_of(r, op->operands[i]);
        for (int d = 0; d < type.rank; d++) {
            starts[d] = d == dim ? at : zero;
            if (known && known[d] && d != dim) sizes[d] = known[d];
        }
        out = fl_dynamic_update_slice(b, out, operands[i], starts);
        at = fl_add(b, at,
                    known && known[dim] ? known[dim] : fl_scalar_i(b, FL_I32, fl_dim(b, operands[i], dim)));
    }
    sizes[dim] = at;
    r->map[op->first_result] = out;
    fl_set_sizes(r, op->first_result, sizes);
    return NULL;
}

/* Along open dimensions: what is filled lies at the end then, and is moved to the beginning. */
static fl_status reverse(fl_refiner *r, const fl_op *op, fl_ref x, const fl_ref *known)
{
    fl_builder *b = &r->b;
    uint32_t n;
    const int64_t *dims = fl_op_ints(op, FL_ATTR_dimensions, &n);
    fl_type type = fl_at_bounds(fl_type_of(r->from, op->first_result));
    fl_ref sizes[FL_MAX_RANK], zero = fl_scalar_i(b, FL_I32, 0);
    x = fl_reverse(b, x, dims, n);
    for (uint32_t i = 0; i < n && fl_ok(b); i++) {
        int d = (int)dims[i];
        fl_ref twice[] = {x, x}, starts[FL_MAX_RANK];
        if (!known[d]) continue;
        for (int k = 0; k < type.rank; k++)
            starts[k] = k == d ? fl_sub(b, fl_scalar_i(b, FL_I32, type.dims[d]), known[d]) : zero;
        x = fl_dynamic_slice(b, fl_concat(b, twice, 2, d), starts, type.dims);
    }
    memcpy(sizes, known, sizeof sizes);
    r->map[op->first_result] = x;
    fl_set_sizes(r, op->first_result, sizes);
    return NULL;
}

/* A comparison in which what is filled comes before what is not: its two last arguments say which of both is. */
static fl_block *filled_first(fl_refiner *r, const fl_block *from)
{
    fl_builder *b = &r->b;
    uint32_t n = from->arg_count;
    fl_type *types = FL_NEW_ARRAY(&r->scratch, fl_type, n + 2);
    if (!types) {
        fl_builder_fail(b, fl_error(FL_OOM, "out of host memory"));
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) types[i] = *fl_type_of(r->from, from->first_arg + i);
    types[n] = types[n + 1] = (fl_type){.kind = FL_TYPE_TENSOR, .dtype = FL_I1};
    fl_block *to = fl_region_begin(b, types, n + 2);
    if (!to) return NULL;
    for (uint32_t i = 0; i < n; i++) r->map[from->first_arg + i] = to->first_arg + i;
    fl_status s = fl_refine_block(r, from);
    if (s) fl_builder_fail(b, s);
    fl_ref first = to->first_arg + n, second = first + 1;
    fl_ref before = fl_and(b, first, fl_or(b, fl_not(b, second), r->map[from->results[0]]));
    fl_region_end(b, to, &before, 1);
    return to;
}

static fl_status sort(fl_refiner *r, const fl_op *op, const fl_ref *operands, int dim, const fl_ref *known)
{
    fl_builder *b = &r->b;
    uint32_t n = op->operand_count;
    fl_ref *all = FL_NEW_ARRAY(&r->scratch, fl_ref, n + 1), sizes[FL_MAX_RANK];
    fl_type index = fl_at_bounds(fl_type_of(r->from, op->operands[0]));
    FL_CHECK(all, FL_OOM, "out of host memory");
    memcpy(all, operands, n * sizeof *all);
    index.dtype = FL_I32;
    fl_ref size = fl_broadcast_in_dim(b, known[dim], index.rank, index.dims, NULL);
    all[n] = fl_compare(b, FL_LT, fl_iota(b, index, dim), size);
    fl_block *region = filled_first(r, op->regions[0]);
    fl_ref first = fl_build(b, FL_OP_sort, all, n + 1, op->attrs, op->attr_count, &region, 1);
    memcpy(sizes, known, sizeof sizes);
    for (uint32_t i = 0; fl_ok(b) && i < n; i++) {
        r->map[op->first_result + i] = first + i;
        fl_set_sizes(r, op->first_result + i, sizes);
    }
    return NULL;
}

/* ---- shapes that the program computes: dynamic_reshape, dynamic_broadcast_in_dim, dynamic_iota ---- */

static fl_status shaped(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    fl_builder *b = &r->b;
    const fl_type *stated = fl_type_of(r->from, op->first_result);
    fl_type type = fl_at_bounds(stated);
    uint32_t last = op->operand_count - 1u;
    fl_ref sizes[FL_MAX_RANK] = {0};
    if (!fl_is_bounded(stated)) return NULL;
    fl_opcode code = op->code == FL_OP_dynamic_iota      ? FL_OP_iota
                     : op->code == FL_OP_dynamic_reshape ? FL_OP_reshape
                                                         : FL_OP_broadcast_in_dim;
    if (code != FL_OP_iota) FL_TRY(fl_bounded_rule(r, op, sizes));
    for (int d = 0; code != FL_OP_reshape && d < type.rank; d++)
        if (stated->dims[d] == FL_DYNAMIC)
            sizes[d] =
                fl_cast(b, fl_reshape(b, fl_slice_dim(b, operands[last], 0, d, d + 1, 1), 0, NULL), FL_I32);
    const fl_attr *attr =
        fl_op_attr(op, code == FL_OP_iota ? FL_ATTR_iota_dimension : FL_ATTR_broadcast_dimensions);
    uint32_t attrs = code != FL_OP_reshape && attr;
    r->map[op->first_result] = fl_build_typed(b, code, operands, last, attr, attrs, NULL, 0, &type, 1);
    fl_set_sizes(r, op->first_result, sizes);
    *done = 1;
    return NULL;
}

/* ---- slices: where they begin depends on how much is there ---- */

static void clamp_starts(fl_refiner *r, const fl_op *op, fl_ref *operands)
{
    fl_builder *b = &r->b;
    int update = op->code == FL_OP_dynamic_update_slice;
    const fl_ref *sizes = fl_sizes_of(r, op->operands[0]);
    fl_type part = fl_at_bounds(fl_type_of(r->from, update ? op->operands[1] : op->first_result));
    for (int d = 0; sizes && d < part.rank; d++) {
        fl_ref *start = &operands[1 + update + d];
        fl_dtype dtype = fl_dtypeof(b, *start);
        if (!sizes[d]) continue;
        fl_ref last = fl_sub(b, sizes[d], fl_scalar_i(b, FL_I32, part.dims[d])),
               zero = fl_scalar_i(b, dtype, 0);
        *start =
            fl_max(b, zero, fl_min(b, *start, fl_cast(b, fl_max(b, last, fl_scalar_i(b, FL_I32, 0)), dtype)));
    }
}

/* ---- loops and branches: sizes stay what they are ---- */

static int same_sizes(const fl_ref *a, const fl_ref *b)
{
    static const fl_ref whole[FL_MAX_RANK];
    return !memcmp(a ? a : whole, b ? b : whole, sizeof whole);
}

static fl_status control(fl_refiner *r, const fl_op *op, const fl_ref *operands)
{
    int loop = op->code == FL_OP_while;
    for (uint32_t k = 0; loop && k < op->region_count; k++)
        for (uint32_t i = 0; i < op->operand_count; i++)
            fl_set_sizes(r, op->regions[k]->first_arg + i, fl_sizes_of(r, op->operands[i]));
    FL_TRY(fl_refine_copy(r, op, operands));
    for (uint32_t i = 0; i < op->result_count; i++) {
        const fl_block *first = op->regions[loop ? 1 : 0];
        const fl_ref *sizes = fl_sizes_of(r, loop ? op->operands[i] : first->results[i]);
        for (uint32_t k = loop ? 1 : 0; k < op->region_count; k++)
            FL_CHECK(same_sizes(sizes, fl_sizes_of(r, op->regions[k]->results[i])), FL_UNSUPPORTED,
                     "sizes that change in a loop, or differ between branches, are not implemented");
        fl_set_sizes(r, op->first_result + i, sizes);
    }
    return NULL;
}

/* ---- all operations ---- */

static int concerns(const fl_refiner *r, const fl_op *op)
{
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (fl_sizes_of(r, op->operands[i]) || fl_is_bounded(fl_type_of(r->from, op->operands[i]))) return 1;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (fl_is_bounded(fl_type_of(r->from, op->first_result + i))) return 1;
    return 0;
}

/* Open dimensions have sizes now; others are whole. */
static fl_status finish_sizes(fl_refiner *r, fl_ref result, fl_ref *sizes)
{
    const fl_type *type = fl_type_of(r->from, result);
    int some = 0;
    for (int d = 0; d < type->rank; d++) {
        if (type->dims[d] != FL_DYNAMIC) sizes[d] = FL_NO_REF;
        some |= sizes[d] != FL_NO_REF;
    }
    fl_set_sizes(r, result, some ? sizes : NULL);
    return NULL;
}

fl_status fl_refine_bounded(fl_refiner *r, const fl_op *op, const fl_ref *operands, int *done)
{
    if (!concerns(r, op)) return NULL;
    if (op->code == FL_OP_get_dimension_size || op->code == FL_OP_set_dimension_size)
        return dimension_size(r, op, operands, done);
    if (op->code == FL_OP_custom_call) FL_TRY(padding_call(r, op, operands, done));
    if (op->code == FL_OP_dynamic_reshape || op->code == FL_OP_dynamic_broadcast_in_dim ||
        op->code == FL_OP_dynamic_iota)
        FL_TRY(shaped(r, op, operands, done));
    if (*done) return NULL;
    int dim = (int)fl_op_int(op, FL_ATTR_dimension, 0), open = 0;
    for (uint32_t i = 0; op->code == FL_OP_concatenate && i < op->operand_count; i++) {
        const fl_ref *known = fl_sizes_of(r, op->operands[i]);
        open |= known && known[dim];
    }
    *done = 1;
    if (op->code == FL_OP_while || op->code == FL_OP_if || op->code == FL_OP_case)
        return control(r, op, operands);
    if (open) return concatenate(r, op, operands, dim);
    const fl_ref *known = op->operand_count ? fl_sizes_of(r, op->operands[0]) : NULL;
    int64_t along = fl_op_int(op, FL_ATTR_dimension, -1);
    if (along < 0 && op->operand_count) along += fl_type_of(r->from, op->operands[0])->rank;
    if (op->code == FL_OP_sort && known && along >= 0 && known[along])
        return sort(r, op, operands, (int)along, known);
    if (op->code == FL_OP_reverse && fl_sizes_of(r, op->operands[0]))
        return reverse(r, op, operands[0], fl_sizes_of(r, op->operands[0]));
    fl_ref all[FL_MAX_RANK] = {0}, *changed = FL_NEW_ARRAY(&r->scratch, fl_ref, op->operand_count + 1);
    FL_CHECK(changed, FL_OOM, "out of host memory");
    FL_TRY(fl_bounded_rule(r, op, all));
    memcpy(changed, operands, op->operand_count * sizeof *changed);
    mask_operands(r, op, changed);
    if (op->code == FL_OP_dynamic_slice || op->code == FL_OP_dynamic_update_slice)
        clamp_starts(r, op, changed);
    FL_TRY(fl_refine_copy(r, op, changed));
    for (uint32_t i = 0; i < op->result_count; i++) {
        fl_ref sizes[FL_MAX_RANK];
        const fl_ref *own = op->code == FL_OP_optimization_barrier ? fl_sizes_of(r, op->operands[i]) : all;
        memset(sizes, 0, sizeof sizes);
        if (own) memcpy(sizes, own, sizeof sizes);
        FL_TRY(finish_sizes(r, op->first_result + i, sizes));
    }
    return NULL;
}
