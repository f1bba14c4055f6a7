/* Gather, scatter, sort, random bits, checked indices. */
#include "ir/build_internal.h"

#include <stdio.h>
#include <string.h>

fl_ref fl_gather(fl_builder *b, fl_ref operand, fl_ref indices, const fl_gather_dims *d)
{
    fl_ref operands[] = {operand, indices};
    fl_attr attrs[] = {
        ATTR_INTS(offset_dims, d->offset_dims, d->offset_count),
        ATTR_INTS(collapsed_slice_dims, d->collapsed_slice_dims, d->collapsed_count),
        ATTR_INTS(start_index_map, d->start_index_map, d->map_count),
        ATTR_INT(index_vector_dim, d->index_vector_dim),
        ATTR_INTS(slice_sizes, d->slice_sizes, fl_rank(b, operand)),
        ATTR_INTS(operand_batching_dims, d->operand_batching_dims, d->batching_count),
        ATTR_INTS(start_indices_batching_dims, d->start_indices_batching_dims, d->batching_count)};
    return fl_build(b, FL_OP_gather, operands, 2, attrs, d->batching_count ? 7 : 5, NULL, 0);
}

static fl_ref zeros(fl_builder *b, fl_dtype dtype, int rank, const int64_t *dims)
{
    return fl_broadcast_to(b, fl_scalar_i(b, dtype, 0), rank, dims);
}

fl_ref fl_index_select(fl_builder *b, fl_ref x, int dim, fl_ref index)
{
    if (!b->status && !fl_rank(b, x)) x = fl_flatten(b, x);
    fl_type t = *fl_typeof(b, x), q = *fl_typeof(b, index), result = {0};
    dim = fl_wrap_dim(b, dim, t.rank);
    if (b->status) return FL_NO_REF;
    if (t.rank + q.rank - 1 > FL_MAX_RANK) {
        fl_builder_fail(b, fl_error(FL_UNSUPPORTED, "expected at most %d dimensions", FL_MAX_RANK));
        return FL_NO_REF;
    }
    int64_t offsets[FL_MAX_RANK], sizes[FL_MAX_RANK], at = dim;
    fl_gather_dims d = {.offset_dims = offsets,
                        .collapsed_slice_dims = &at,
                        .start_index_map = &at,
                        .slice_sizes = sizes,
                        .collapsed_count = 1,
                        .map_count = 1,
                        .index_vector_dim = q.rank};
    for (int i = 0; i < t.rank; i++) {
        sizes[i] = i == dim ? 1 : t.dims[i];
        if (i != dim) offsets[d.offset_count++] = i < dim ? i : i - 1 + q.rank;
    }
    if (t.dims[dim]) return fl_gather(b, x, index, &d);
    /* nothing to choose from: any index is out of bounds, and the result only needs its type */
    for (int i = 0; i < dim; i++) result.dims[result.rank++] = t.dims[i];
    for (int i = 0; i < q.rank; i++) result.dims[result.rank++] = q.dims[i];
    for (int i = dim + 1; i < t.rank; i++) result.dims[result.rank++] = t.dims[i];
    return zeros(b, (fl_dtype)t.dtype, result.rank, result.dims);
}

/* x cut to the index's sizes but for `dim`. */
static fl_ref cut_to_index(fl_builder *b, fl_ref x, int dim, const fl_type *index)
{
    static const int64_t starts[FL_MAX_RANK];
    fl_type t = *fl_typeof(b, x);
    if (b->status) return FL_NO_REF;
    if (t.rank != index->rank) {
        fl_builder_fail(
            b, fl_error(FL_INVALID, "Index tensor must have the same number of dimensions as input tensor"));
        return FL_NO_REF;
    }
    for (int i = 0; i < t.rank; i++)
        if (i != dim) t.dims[i] = index->dims[i];
    return fl_slice(b, x, starts, t.dims, NULL);
}

fl_ref fl_gather_along(fl_builder *b, fl_ref x, int dim, fl_ref index)
{
    fl_type q = *fl_typeof(b, index);
    if (b->status) return FL_NO_REF;
    if (!q.rank || !fl_rank(b, x))
        return fl_reshape(b, fl_gather_along(b, fl_flatten(b, x), 0, fl_flatten(b, index)), q.rank, q.dims);
    dim = fl_wrap_dim(b, dim, q.rank);
    x = cut_to_index(b, x, dim, &q);
    if (b->status) return FL_NO_REF;
    if (!fl_dim(b, x, dim)) return zeros(b, fl_dtypeof(b, x), q.rank, q.dims);
    int64_t others[FL_MAX_RANK], sizes[FL_MAX_RANK], at = dim;
    fl_gather_dims d = {.collapsed_slice_dims = &at,
                        .start_index_map = &at,
                        .slice_sizes = sizes,
                        .operand_batching_dims = others,
                        .start_indices_batching_dims = others,
                        .collapsed_count = 1,
                        .map_count = 1,
                        .index_vector_dim = q.rank};
    for (int i = 0; i < q.rank; i++) {
        sizes[i] = i == dim || q.dims[i] ? 1 : 0;
        if (i != dim) others[d.batching_count++] = i;
    }
    return fl_gather(b, x, index, &d);
}

fl_ref fl_scatter(fl_builder *b, fl_opcode combine, fl_ref operand, fl_ref indices, fl_ref updates,
                  const fl_scatter_dims *d)
{
    fl_ref operands[] = {operand, indices, updates};
    fl_block *region = fl_scalar_region(b, combine, fl_dtypeof(b, operand));
    fl_attr attrs[] = {
        ATTR_INTS(update_window_dims, d->update_window_dims, d->update_window_count),
        ATTR_INTS(inserted_window_dims, d->inserted_window_dims, d->inserted_count),
        ATTR_INTS(scatter_dims_to_operand_dims, d->scatter_dims_to_operand_dims, d->map_count),
        ATTR_INT(index_vector_dim, d->index_vector_dim),
        ATTR_INTS(input_batching_dims, d->input_batching_dims, d->batching_count),
        ATTR_INTS(scatter_indices_batching_dims, d->scatter_indices_batching_dims, d->batching_count)};
    return fl_build(b, FL_OP_scatter, operands, 3, attrs, d->batching_count ? 6 : 4, &region, 1);
}

fl_ref fl_scatter_along(fl_builder *b, fl_opcode combine, fl_ref x, int dim, fl_ref index, fl_ref updates)
{
    fl_type t = *fl_typeof(b, x), q = *fl_typeof(b, index);
    if (b->status) return FL_NO_REF;
    if (!q.rank || !t.rank)
        return fl_reshape(
            b,
            fl_scatter_along(b, combine, fl_flatten(b, x), 0, fl_flatten(b, index), fl_flatten(b, updates)),
            t.rank, t.dims);
    static const int64_t starts[FL_MAX_RANK];
    dim = fl_wrap_dim(b, dim, q.rank);
    fl_ref part = cut_to_index(b, x, dim, &q);
    if (b->status) return FL_NO_REF;
    if (fl_rank(b, updates) != q.rank) {
        fl_builder_fail(
            b, fl_error(FL_INVALID, "Index tensor must have the same number of dimensions as src tensor"));
        return FL_NO_REF;
    }
    updates = fl_slice(b, updates, starts, q.dims, NULL);
    int64_t others[FL_MAX_RANK], at = dim;
    fl_scatter_dims d = {.inserted_window_dims = &at,
                         .scatter_dims_to_operand_dims = &at,
                         .input_batching_dims = others,
                         .scatter_indices_batching_dims = others,
                         .inserted_count = 1,
                         .map_count = 1,
                         .index_vector_dim = q.rank};
    for (int i = 0; i < q.rank; i++)
        if (i != dim) others[d.batching_count++] = i;
    fl_ref done = fl_scatter(b, combine, part, index, updates, &d);
    if (part == x) return done;
    fl_ref zero = fl_scalar_i(b, FL_I64, 0), at_zero[FL_MAX_RANK];
    for (int i = 0; i < t.rank; i++) at_zero[i] = zero;
    return fl_dynamic_update_slice(b, x, done, at_zero);
}

/* The comparator documented in build.h. */
static fl_ref comparator(fl_builder *b, fl_ref x, fl_ref y, int floats, int descending)
{
    fl_ref first = fl_compare(b, descending ? FL_GT : FL_LT, x, y);
    if (!floats) return first;
    fl_ref nan_x = fl_is_nan(b, x), nan_y = fl_is_nan(b, y);
    fl_ref ordered = fl_not(b, descending ? nan_y : nan_x);
    fl_ref last = descending ? fl_and(b, nan_x, ordered) : fl_and(b, ordered, nan_y);
    return fl_or(b, first, last);
}

fl_ref fl_sort(fl_builder *b, fl_ref keys, fl_ref payload, int dim, int descending, int stable,
               fl_ref *out_payload)
{
    uint32_t count = payload == FL_NO_REF ? 1 : 2;
    fl_ref operands[] = {keys, payload};
    fl_dtype dtype = fl_dtypeof(b, keys);
    fl_type k = fl_type_make(dtype, 0, NULL), v = fl_type_make(fl_dtypeof(b, payload), 0, NULL),
            args[] = {k, k, v, v};
    if (out_payload) *out_payload = payload;
    dim = fl_wrap_dim(b, dim, fl_rank(b, keys));
    if (b->status || !fl_rank(b, keys)) return keys;
    fl_block *region = fl_region_begin(b, args, 2 * count);
    fl_ref less =
        comparator(b, fl_block_arg(region, 0), fl_block_arg(region, 1), fl_is_float(dtype), descending);
    fl_region_end(b, region, &less, 1);
    fl_attr attrs[] = {ATTR_INT(dimension, dim), ATTR_INT(is_stable, stable != 0)};
    fl_ref r = fl_build(b, FL_OP_sort, operands, count, attrs, 2, &region, 1);
    if (out_payload && count == 2) *out_payload = b->status ? FL_NO_REF : r + 1;
    return r;
}

fl_ref fl_rng_bits(fl_builder *b, fl_ref state, fl_type type, fl_ref *out_state)
{
    fl_attr attr = ATTR_INT(rng_algorithm, FL_RNG_PHILOX);
    fl_type types[] = {*fl_typeof(b, state), type};
    fl_ref r = fl_build_typed(b, FL_OP_rng_bit_generator, &state, 1, &attr, 1, NULL, 0, types, 2);
    if (out_state) *out_state = r;
    return b->status ? FL_NO_REF : r + 1;
}

fl_ref fl_check_index(fl_builder *b, fl_ref index, int64_t low, int64_t high, const char *what)
{
    const char *text = what ? what : "";
    const fl_entry entries[] = {
        {"high", {.kind = FL_LIT_INT, .dtype = FL_I64, .u.i = high}},
        {"low", {.kind = FL_LIT_INT, .dtype = FL_I64, .u.i = low}},
        {"what", {.kind = FL_LIT_STRING, .count = (uint32_t)strlen(text), .u.string = text}},
    };
    const fl_literal config = {.kind = FL_LIT_DICT, .count = 3, .u.entries = entries};
    const fl_attr attrs[] = {ATTR_STRING(call_target_name, "fl.check_index"),
                             {.key = FL_ATTR_backend_config, .u.literal = &config},
                             ATTR_INT(api_version, FL_API_TYPED_FFI),
                             ATTR_INT(has_side_effect, 1)};
    return fl_build_typed(b, FL_OP_custom_call, &index, 1, attrs, 4, NULL, 0, fl_typeof(b, index), 1);
}

int fl_is_check_index(const fl_op *op, fl_index_check *out)
{
    const char *target = fl_op_string(op, FL_ATTR_call_target_name);
    const fl_literal *config = fl_op_literal(op, FL_ATTR_backend_config);
    const fl_literal *low = fl_literal_get(config, "low"), *high = fl_literal_get(config, "high");
    const fl_literal *what = fl_literal_get(config, "what");
    if (op->code != FL_OP_custom_call || !target || strcmp(target, "fl.check_index")) return 0;
    if (!low || low->kind != FL_LIT_INT || !high || high->kind != FL_LIT_INT) return 0;
    if (op->operand_count != 1 || op->result_count != 1) return 0;
    *out = (fl_index_check){low->u.i, high->u.i, what && what->kind == FL_LIT_STRING ? what->u.string : ""};
    return 1;
}

/* A text with `number` for each `#`, and the number of the matrix in its batch for each `|`, if it is one of a batch. */
static fl_status wrong(const char *prefix, const char *text, int64_t number, int64_t matrix)
{
    char message[512];
    int n = 0;
    for (; *text && n < (int)sizeof message - 48; text++) {
        if (*text == '|' && matrix)
            n += snprintf(message + n, 48, "(Batch element %lld): ", (long long)matrix - 1);
        else if (*text == '#')
            n += snprintf(message + n, 48, "%lld", (long long)number);
        else if (*text != '|')
            message[n++] = *text;
    }
    message[n] = 0;
    return fl_error(FL_INVALID, "%s%s", prefix, message);
}

fl_status fl_index_error(const fl_index_check *check, int64_t index)
{
    const char *what = *check->what ? check->what : "index";
    if (!strncmp(what, FL_NO_FACTORS, sizeof FL_NO_FACTORS - 1))
        return wrong(FL_NO_FACTORS, what + sizeof FL_NO_FACTORS - 1, (int)index, index >> 32);
    if (!strncmp(what, FL_WRONG_VALUE, sizeof FL_WRONG_VALUE - 1))
        return wrong("", what + sizeof FL_WRONG_VALUE - 1, index, 0);
    FL_CHECK(strcmp(what, FL_ZERO_DIVISION), FL_INVALID, "%s", what);
    FL_CHECK(check->low != 0 && check->low != -check->high, FL_INDEX,
             "%s: index %lld is out of bounds for dimension with size %lld", what, (long long)index,
             (long long)check->high);
    return fl_error(FL_INDEX, "%s: expected an index within [%lld, %lld), got %lld", what,
                    (long long)check->low, (long long)check->high, (long long)index);
}
