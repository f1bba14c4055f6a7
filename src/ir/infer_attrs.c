/* Attributes, windows and regions that many operations check alike. */
#include "ir/infer.h"
#include "base/checked.h"

fl_status fl_need_ints(const fl_op *op, fl_attr_key key, uint32_t count, const char *constraint,
                       const int64_t **out)
{
    const fl_attr *a = fl_op_attr(op, key);
    FL_CHECK(a || !count, FL_INVALID, "expected attribute %s", fl_attr_infos[key].name);
    FL_CHECK(!a || a->count == count, FL_INVALID, "expected %u values in %s, got %u (%s)", count,
             fl_attr_infos[key].name, a->count, constraint);
    *out = a ? a->u.ints : NULL;
    return NULL;
}

fl_status fl_optional_ints(const fl_op *op, fl_attr_key key, uint32_t count, const char *constraint,
                           const int64_t **out)
{
    *out = NULL;
    return fl_op_attr(op, key) ? fl_need_ints(op, key, count, constraint, out) : NULL;
}

fl_status fl_need_dims(const fl_op *op, fl_attr_key key, int rank, const char *constraint,
                       const int64_t **out, uint32_t *out_count, uint32_t *out_set)
{
    uint32_t count, set = 0;
    const int64_t *dims = fl_op_ints(op, key, &count);
    for (uint32_t i = 0; i < count; i++) {
        FL_CHECK(dims[i] >= 0 && dims[i] < rank && dims[i] < FL_MAX_RANK, FL_INVALID,
                 "expected %s within [0, %d), got %lld (%s)", fl_attr_infos[key].name, rank,
                 (long long)dims[i], constraint);
        FL_CHECK(!(set >> dims[i] & 1), FL_INVALID, "expected unique dimensions in %s, got %lld twice (%s)",
                 fl_attr_infos[key].name, (long long)dims[i], constraint);
        set |= 1u << dims[i];
    }
    if (out) *out = dims;
    if (out_count) *out_count = count;
    if (out_set) *out_set = set;
    return NULL;
}

fl_status fl_need_dim(const fl_op *op, fl_attr_key key, int rank, const char *constraint, int *out)
{
    const fl_attr *a = fl_op_attr(op, key);
    FL_CHECK(a, FL_INVALID, "expected attribute %s", fl_attr_infos[key].name);
    FL_CHECK(a->u.i >= 0 && a->u.i < rank, FL_INVALID, "expected %s within [0, %d), got %lld (%s)",
             fl_attr_infos[key].name, rank, (long long)a->u.i, constraint);
    *out = (int)a->u.i;
    return NULL;
}

fl_status fl_need_int(const fl_op *op, fl_attr_key key, int64_t low, int64_t high, int64_t fallback,
                      const char *constraint, int64_t *out)
{
    const fl_attr *a = fl_op_attr(op, key);
    const char *name = fl_attr_infos[key].name;
    FL_CHECK(a || (low <= fallback && fallback <= high), FL_INVALID, "expected attribute %s", name);
    int64_t value = a ? a->u.i : fallback;
    FL_CHECK(low <= value, FL_INVALID, "expected %s of at least %lld, got %lld (%s)", name, (long long)low,
             (long long)value, constraint);
    FL_CHECK(value <= high, FL_INVALID, "expected %s of at most %lld, got %lld (%s)", name, (long long)high,
             (long long)value, constraint);
    if (out) *out = value;
    return NULL;
}

fl_status fl_need_flag(const fl_op *op, fl_attr_key key, int *out)
{
    int64_t value = 0;
    FL_TRY(fl_need_int(op, key, 0, 1, 0, "a boolean", &value));
    if (out) *out = (int)value;
    return NULL;
}

int fl_is_sorted(const int64_t *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (values[i] < values[i - 1]) return 0;
    return 1;
}

fl_status fl_window_extent(int64_t extent, const fl_window *w, const char *constraint, int64_t *out)
{
    FL_CHECK(
        (w->size >= 0 || fl_is_open(w->size)) && w->stride > 0 && w->base_dilation > 0 && w->dilation > 0,
        FL_INVALID, "expected a positive window, stride and dilation, got %lld, %lld, %lld and %lld (%s)",
        (long long)w->size, (long long)w->stride, (long long)w->base_dilation, (long long)w->dilation,
        constraint);
    FL_CHECK(fl_is_sane_padding(w->low) && fl_is_sane_padding(w->high) &&
                 fl_is_sane_step(w->dilation, w->size) && fl_is_sane_step(w->base_dilation, extent),
             FL_UNSUPPORTED, "the extent of the window overflows");
    *out = FL_DYNAMIC;
    int64_t padded = 0, window = 0;
    int fits = 1;
    if (w->size > 0) fits = fl_mul_i64(w->size - 1, w->dilation, &window) && fl_add_i64(window, 1, &window);
    if (extent > 0)
        fits = fits && fl_mul_i64(extent - 1, w->base_dilation, &padded) && fl_add_i64(padded, 1, &padded);
    fits = fits && fl_add_i64(padded, w->low, &padded) && fl_add_i64(padded, w->high, &padded);
    FL_CHECK(fits, FL_INVALID, "the extent of the window overflows");
    if (fl_is_open(extent) || fl_is_open(w->size)) return NULL;
    *out = padded <= 0 || padded < window ? 0 : (padded - window) / w->stride + 1;
    FL_CHECK(fl_is_sane_step(w->stride, *out), FL_UNSUPPORTED, "expected a stride of at most %d, got %lld",
             INT32_MAX, (long long)w->stride);
    return NULL;
}

/* ---- regions ---- */

fl_status fl_need_region(const fl_program *p, const fl_op *op, uint32_t i, uint32_t arg_count,
                         uint32_t result_count, int scalars, const char *constraint)
{
    char text[160];
    FL_CHECK(i < op->region_count, FL_INVALID, "expected region %u, got %d regions", i, op->region_count);
    const fl_block *r = op->regions[i];
    FL_CHECK(r->arg_count == arg_count, FL_INVALID, "expected %u arguments of region %u, got %u (%s)",
             arg_count, i, r->arg_count, constraint);
    FL_CHECK(r->result_count == result_count, FL_INVALID, "expected %u results of region %u, got %u (%s)",
             result_count, i, r->result_count, constraint);
    for (uint32_t k = 0; scalars && k < arg_count + result_count; k++) {
        const fl_type *t =
            k < arg_count ? fl_region_arg(p, op, i, k) : fl_region_result(p, op, i, k - arg_count);
        FL_CHECK(t->kind == FL_TYPE_TENSOR && !t->rank, FL_INVALID, "expected a 0-d region %s, got %s (%s)",
                 k < arg_count ? "argument" : "result", fl_type_text(t, text, sizeof text), constraint);
    }
    return NULL;
}

fl_status fl_need_reducer(const fl_program *p, const fl_op *op, uint32_t i, uint32_t first, uint32_t count,
                          const char *constraint)
{
    char a[160], b[160];
    FL_TRY(fl_need_region(p, op, i, 2 * count, count, 1, constraint));
    for (uint32_t k = 0; k < count; k++) {
        const fl_type *e = fl_region_result(p, op, i, k), *x = fl_operand_type(p, op, first + k);
        FL_TRY(fl_need_match(fl_region_arg(p, op, i, k), e, FL_MATCH_TYPE, "region argument", constraint));
        FL_TRY(fl_need_match(fl_region_arg(p, op, i, count + k), e, FL_MATCH_TYPE, "region argument",
                             constraint));
        FL_CHECK(fl_is_promotable(x, e), FL_INVALID,
                 "expected a region result that %s can be promoted to, got %s (%s)",
                 fl_type_text(x, a, sizeof a), fl_type_text(e, b, sizeof b), constraint);
    }
    return NULL;
}
