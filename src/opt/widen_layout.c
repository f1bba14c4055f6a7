/* How values of widened programs are laid out, and the ways between layouts. */
#include "opt/widen_parts.h"

#include <string.h>

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

const fl_extent *fl_extent_of(const fl_widener *x, fl_ref value, int d)
{
    static const fl_extent exact;
    return x->at[value] ? &x->at[value]->d[d] : &exact;
}

int fl_is_wide(const fl_widener *x, fl_ref value)
{
    return x->at[value] != NULL;
}

fl_extent fl_extent_plain(const fl_widener *x, int32_t number, int uniform)
{
    return (fl_extent){
        .count = 1, .uniform = (uint8_t)uniform, .digits = {{fl_wide_width(x, number), number}}};
}

int fl_extent_equal(const fl_extent *a, const fl_extent *b)
{
    if (a->count != b->count) return 0;
    for (int i = 0; i < a->count; i++)
        if (a->digits[i].width != b->digits[i].width || a->digits[i].number != b->digits[i].number) return 0;
    return 1;
}

int64_t fl_extent_width(const fl_extent *e, int64_t otherwise)
{
    int64_t width = 1;
    for (int i = 0; i < e->count; i++) width *= e->digits[i].width;
    return e->count ? width : otherwise;
}

fl_type fl_wide_type(const fl_widener *x, fl_ref value, const fl_extents *extents)
{
    fl_type type = *fl_type_of(x->from, value);
    for (int d = 0; extents && d < type.rank; d++)
        type.dims[d] = fl_extent_width(&extents->d[d], type.dims[d]);
    return type;
}

/* Whether the digits say the size that the dimension has in both recordings. */
static int says(const fl_widener *x, const fl_extent *e, int64_t first, int64_t second)
{
    int64_t a = 1, b = 1;
    for (int i = 0; i < e->count; i++) {
        const fl_digit *digit = &e->digits[i];
        a *= digit->number == FL_WHOLE ? digit->width : x->w->numbers[digit->number].first;
        b *= digit->number == FL_WHOLE ? digit->width : x->w->numbers[digit->number].second;
    }
    return e->count ? a == first && b == second : first == second;
}

fl_status fl_wide_set(fl_widener *x, const fl_op *op, fl_ref value, fl_ref made, const fl_extents *extents)
{
    const fl_type *a = fl_type_of(x->from, value), *b = fl_type_of(x->other, value);
    static const fl_op argument = {.code = FL_OP_NONE};
    int wide = 0;
    if (x->b.status) return NULL; /* the builder keeps what failed */
    for (int d = 0; d < a->rank; d++) {
        const fl_extent exact = {0}, *e = extents ? &extents->d[d] : &exact;
        wide |= e->count > 0;
        FL_RULE(says(x, e, a->dims[d], b->dims[d]) &&
                    fl_dim(&x->b, made, d) == fl_extent_width(e, a->dims[d]),
                op ? op : &argument, "an open size is made in a way that has no rule");
    }
    x->map[value] = made;
    x->at[value] = NULL;
    if (!wide) return NULL;
    x->at[value] = fl_arena_copy(&x->scratch, extents, sizeof *extents);
    return x->at[value] ? NULL : no_memory();
}

/* ---- positions, in i32 ---- */

static fl_ref number(fl_widener *x, int64_t value)
{
    return fl_scalar_i(&x->b, FL_I32, value);
}

static fl_ref true_count(fl_widener *x, const fl_digit *digit)
{
    return fl_wide_value(x, digit->number, digit->width);
}

/* Digit i of positions along a dimension of such an extent. */
static fl_ref digit_at(fl_widener *x, fl_ref positions, const fl_extent *e, int i)
{
    fl_builder *b = &x->b;
    int64_t stride = 1;
    for (int k = i + 1; k < e->count; k++) stride *= e->digits[k].width;
    if (stride > 1) positions = fl_div(b, positions, fl_full_like_i(b, positions, stride));
    return i ? fl_rem(b, positions, fl_full_like_i(b, positions, e->digits[i].width)) : positions;
}

/* Positions along a dimension -> how many true elements come before. */
static fl_ref true_rank(fl_widener *x, fl_ref positions, const fl_extent *e)
{
    fl_builder *b = &x->b;
    fl_ref rank = FL_NO_REF;
    for (int i = 0; i < e->count; i++) {
        fl_ref digit = digit_at(x, positions, e, i);
        rank = rank ? fl_add(b, fl_mul(b, rank, true_count(x, &e->digits[i])), digit) : digit;
    }
    return rank;
}

/* The other way. */
static fl_ref position_of(fl_widener *x, fl_ref rank, const fl_extent *e)
{
    fl_builder *b = &x->b;
    fl_ref at = FL_NO_REF;
    int64_t stride = 1;
    for (int i = e->count - 1; i >= 0; i--) {
        fl_ref count = true_count(x, &e->digits[i]);
        fl_ref digit = i ? fl_rem(b, rank, fl_broadcast_like(b, count, rank)) : rank;
        if (i) rank = fl_div(b, rank, fl_broadcast_like(b, count, rank));
        if (stride > 1) digit = fl_mul(b, digit, fl_full_like_i(b, digit, stride));
        at = at ? fl_add(b, at, digit) : digit;
        stride *= e->digits[i].width;
    }
    return at;
}

static fl_ref iota_row(fl_widener *x, int64_t width)
{
    return fl_iota(&x->b, fl_type_make(FL_I32, 1, &width), 0);
}

static fl_ref clamped(fl_widener *x, fl_ref index, int64_t width)
{
    return fl_clamp(&x->b, number(x, 0), index, number(x, width - 1));
}

/* ---- between layouts ---- */

static fl_ref widen_uniform(fl_widener *x, fl_ref made, int d, int64_t width)
{
    fl_builder *b = &x->b;
    fl_type type = *fl_typeof(b, made);
    int64_t dims[FL_MAX_RANK];
    for (int i = 0; i < type.rank; i++) dims[i] = i;
    type.dims[d] = width;
    return fl_broadcast_in_dim(b, fl_slice_dim(b, made, d, 0, 1, 1), type.rank, type.dims, dims);
}

static fl_ref resize(fl_widener *x, fl_ref made, int d, int64_t width)
{
    fl_builder *b = &x->b;
    int64_t now = fl_dim(b, made, d), low[FL_MAX_RANK] = {0}, high[FL_MAX_RANK] = {0};
    if (width <= now) return width == now ? made : fl_slice_dim(b, made, d, 0, width, 1);
    high[d] = width - now;
    return fl_pad(b, made, fl_scalar_i(b, fl_dtypeof(b, made), 0), low, high, NULL);
}

fl_ref fl_wide_relay(fl_widener *x, fl_ref made, int d, const fl_extent *from, const fl_extent *to)
{
    fl_builder *b = &x->b;
    if (fl_extent_equal(from, to) || !from->count || !to->count) return made;
    int64_t width = fl_extent_width(to, 0);
    if (from->uniform) return widen_uniform(x, made, d, width);
    if (from->count == 1 && to->count == 1) return resize(x, made, d, width);
    fl_ref at = position_of(x, true_rank(x, iota_row(x, width), to), from);
    return fl_index_select(b, made, d, clamped(x, at, fl_dim(b, made, d)));
}

void fl_wide_choose(fl_extent *chosen, const fl_extent *next, int is_first)
{
    int narrower = chosen->count == 1 && next->count == 1 && next->digits[0].width < chosen->digits[0].width;
    if (!next->count || (!is_first && chosen->count && next->uniform)) return;
    if (is_first || !chosen->count || chosen->uniform || narrower) *chosen = *next;
}

fl_ref fl_wide_plain(fl_widener *x, fl_ref made, int d, fl_extent *extent)
{
    if (extent->count < 2) return made;
    int64_t first = 1, second = 1;
    for (int i = 0; i < extent->count; i++) {
        const fl_digit *digit = &extent->digits[i];
        first *= digit->number == FL_WHOLE ? digit->width : x->w->numbers[digit->number].first;
        second *= digit->number == FL_WHOLE ? digit->width : x->w->numbers[digit->number].second;
    }
    fl_extent plain = fl_extent_plain(x, fl_wide_find(x->w, first, second), extent->uniform);
    made = fl_wide_relay(x, made, d, extent, &plain);
    *extent = plain;
    return made;
}

void fl_wide_unify_dims(fl_wide_op *o, uint32_t i, int di, uint32_t k, int dk)
{
    fl_extent chosen = o->at[i].d[di];
    fl_wide_choose(&chosen, &o->at[k].d[dk], 0);
    o->in[i] = fl_wide_relay(o->x, o->in[i], di, &o->at[i].d[di], &chosen);
    o->in[k] = fl_wide_relay(o->x, o->in[k], dk, &o->at[k].d[dk], &chosen);
    chosen.uniform = o->at[i].d[di].uniform;
    uint8_t uniform = o->at[k].d[dk].uniform;
    o->at[i].d[di] = o->at[k].d[dk] = chosen;
    o->at[k].d[dk].uniform = uniform;
}

void fl_wide_unify(fl_wide_op *o, uint32_t first, uint32_t count)
{
    int rank = 0;
    for (uint32_t i = first; i < first + count; i++) {
        int r = fl_type_of(o->x->from, o->op->operands[i])->rank;
        if (r > rank) rank = r;
    }
    for (int d = 0; d < rank; d++) {
        fl_extent chosen = {0};
        int taken = 0;
        for (uint32_t i = first; i < first + count; i++)
            if (o->at[i].d[d].count) fl_wide_choose(&chosen, &o->at[i].d[d], !taken++);
        for (uint32_t i = first; taken && i < first + count; i++) {
            fl_extent *at = &o->at[i].d[d];
            if (!at->count) continue;
            o->in[i] = fl_wide_relay(o->x, o->in[i], d, at, &chosen);
            uint8_t uniform = at->uniform;
            *at = chosen;
            at->uniform = uniform;
        }
    }
}

/* ---- masks ---- */

fl_ref fl_wide_inside(fl_widener *x, const fl_type *type, int d, const fl_extent *extent)
{
    fl_builder *b = &x->b;
    fl_type shape = *type;
    fl_ref mask = FL_NO_REF;
    shape.dtype = FL_I32;
    for (int i = 0; i < extent->count; i++) {
        if (extent->digits[i].number == FL_WHOLE) continue;
        fl_ref digit = digit_at(x, fl_iota(b, shape, d), extent, i);
        fl_ref inside =
            fl_compare(b, FL_LT, digit, fl_broadcast_like(b, true_count(x, &extent->digits[i]), digit));
        mask = mask ? fl_and(b, mask, inside) : inside;
    }
    return mask;
}

fl_ref fl_wide_masked(fl_widener *x, fl_ref made, const fl_extents *extents, uint32_t which, fl_ref fill)
{
    fl_builder *b = &x->b;
    fl_type type = *fl_typeof(b, made);
    fl_ref mask = FL_NO_REF;
    for (int d = 0; d < type.rank; d++) {
        if (!extents->d[d].count || !(which >> d & 1)) continue;
        fl_ref inside = fl_wide_inside(x, &type, d, &extents->d[d]);
        mask = mask && inside ? fl_and(b, mask, inside) : inside ? inside : mask;
    }
    return mask ? fl_select(b, mask, made, fl_broadcast_to(b, fill, type.rank, type.dims)) : made;
}

fl_ref fl_wide_shift(fl_widener *x, fl_ref made, int d, fl_ref delta, fl_ref size, int64_t width, fl_ref fill,
                     fl_ref *inside)
{
    fl_builder *b = &x->b;
    fl_ref row = fl_sub(b, iota_row(x, width), fl_broadcast_to(b, delta, 1, &width));
    fl_ref moved = fl_index_select(b, made, d, clamped(x, row, fl_dim(b, made, d)));
    fl_type type = *fl_typeof(b, moved);
    int64_t along = d;
    fl_ref after = fl_compare(b, FL_GE, row, fl_full_like_i(b, row, 0));
    fl_ref before = fl_compare(b, FL_LT, row, fl_broadcast_to(b, size, 1, &width));
    fl_ref mask = fl_broadcast_in_dim(b, fl_and(b, after, before), type.rank, type.dims, &along);
    if (inside) *inside = mask;
    return fill ? fl_select(b, mask, moved, fl_broadcast_to(b, fill, type.rank, type.dims)) : moved;
}

/* ---- rows of all elements ---- */

/* All dimensions as one extent. 0: there are too many digits. */
static int joined(const fl_type *type, const fl_extents *extents, fl_extent *out)
{
    *out = (fl_extent){0};
    for (int d = 0; d < type->rank; d++) {
        const fl_extent *e = &extents->d[d];
        if (!e->count && type->dims[d] == 1) continue;
        for (int i = 0; i < (e->count ? e->count : 1); i++) {
            const fl_digit digit = e->count ? e->digits[i] : (fl_digit){type->dims[d], FL_WHOLE};
            fl_digit *last = out->count ? &out->digits[out->count - 1] : NULL;
            if (last && last->number == FL_WHOLE && digit.number == FL_WHOLE)
                last->width *= digit.width;
            else if (out->count < FL_MOST_DIGITS)
                out->digits[out->count++] = digit;
            else
                return 0;
        }
    }
    return 1;
}

static void too_many(fl_widener *x)
{
    fl_builder_fail(&x->b, fl_error(FL_UNSUPPORTED, "reshape: too many open sizes in one dimension"));
}

fl_ref fl_wide_flatten(fl_widener *x, fl_ref made, const fl_extents *extents, int64_t width)
{
    fl_extent all;
    fl_type type = *fl_typeof(&x->b, made);
    fl_ref row = fl_flatten(&x->b, made);
    if (!joined(&type, extents, &all)) {
        too_many(x);
        return FL_NO_REF;
    }
    if (!all.count) return resize(x, row, 0, width);
    fl_ref at = position_of(x, iota_row(x, width), &all);
    return fl_index_select(&x->b, row, 0, clamped(x, at, fl_dim(&x->b, row, 0)));
}

fl_ref fl_wide_unflatten(fl_widener *x, fl_ref row, const fl_type *type, const fl_extents *extents)
{
    fl_extent all;
    if (!joined(type, extents, &all)) {
        too_many(x);
        return FL_NO_REF;
    }
    int64_t width = fl_type_elements(type);
    fl_ref at = all.count ? true_rank(x, iota_row(x, width), &all) : iota_row(x, width);
    row = fl_index_select(&x->b, row, 0, clamped(x, at, fl_dim(&x->b, row, 0)));
    return fl_reshape(&x->b, row, type->rank, type->dims);
}

/* ---- reshape ---- */

/* The digits of the operand that make up one dimension of the result are taken from the front of *rest. 0: it does not begin and end
 * where digits do. */
static int take_digits(const fl_widener *x, int64_t first, int64_t second, fl_digit **rest,
                       const fl_digit *end, fl_extent *out)
{
    int wide = first != second;
    *out = (fl_extent){0};
    while (first != 1 || second != 1) {
        fl_digit *digit = *rest;
        if (digit == end) return 0;
        int64_t a = digit->width, b = a;
        if (digit->number != FL_WHOLE)
            a = x->w->numbers[digit->number].first, b = x->w->numbers[digit->number].second;
        if (!a || !b || !first || !second) return 0;
        fl_digit taken = *digit;
        if (first % a == 0 && second % b == 0) {
            (*rest)++;
        } else { /* a part of it */
            if (digit->number != FL_WHOLE || first != second || a % first) return 0;
            digit->width = a / first;
            taken.width = a = b = first;
        }
        if (!wide && taken.number != FL_WHOLE) return 0;
        if (wide && out->count == FL_MOST_DIGITS) return 0;
        if (wide && a * b > 1) out->digits[out->count++] = taken;
        first /= a;
        second /= b;
    }
    return 1;
}

static int regroup(const fl_wide_op *o, const fl_type *from)
{
    const fl_widener *x = o->x;
    fl_digit digits[FL_MAX_RANK * FL_MOST_DIGITS], *rest = digits, *end = digits;
    for (int d = 0; d < from->rank; d++) {
        const fl_extent *e = &o->at[0].d[d];
        for (int i = 0; i < e->count; i++) *end++ = e->digits[i];
        if (!e->count && from->dims[d] != 1) *end++ = (fl_digit){from->dims[d], FL_WHOLE};
    }
    fl_ref r = o->op->first_result;
    const fl_type *a = fl_type_of(x->from, r), *b = fl_type_of(x->other, r);
    for (int d = 0; d < a->rank; d++)
        if (!take_digits(x, a->dims[d], b->dims[d], &rest, end, &o->out->d[d])) return 0;
    while (rest < end && rest->number == FL_WHOLE && rest->width == 1) rest++;
    return rest == end;
}

static int all_uniform(const fl_wide_op *o, const fl_type *from)
{
    for (int d = 0; d < from->rank; d++)
        if (o->at[0].d[d].count ? !o->at[0].d[d].uniform : from->dims[d] != 1) return 0;
    return 1;
}

fl_status fl_widen_reshape(fl_wide_op *o)
{
    fl_widener *x = o->x;
    const fl_type *from = fl_type_of(x->from, o->op->operands[0]);
    fl_ref r = o->op->first_result;
    int rank = fl_type_of(x->from, r)->rank, uniform = all_uniform(o, from);
    if (!uniform && regroup(o, from)) return fl_wide_emit(o, o->op->attrs, o->op->attr_count, NULL);
    for (int d = 0; d < rank; d++) {
        int32_t size = fl_wide_size(x, r, d);
        o->out->d[d] = size == FL_WHOLE ? (fl_extent){0} : fl_extent_plain(x, size, uniform);
    }
    fl_type type = fl_wide_type(x, r, o->out);
    fl_ref made;
    if (uniform) {
        int64_t one[FL_MAX_RANK];
        for (int d = 0; d < from->rank; d++) one[d] = 1;
        made = fl_slice(&x->b, o->in[0], (const int64_t[FL_MAX_RANK]){0}, one, NULL);
        made = fl_broadcast_in_dim(&x->b, fl_reshape(&x->b, made, 0, NULL), type.rank, type.dims, NULL);
    } else {
        int64_t width = fl_type_elements(&type);
        made = fl_wide_unflatten(x, fl_wide_flatten(x, o->in[0], &o->at[0], width), &type, o->out);
    }
    return fl_wide_set(x, o->op, r, made, o->out);
}
