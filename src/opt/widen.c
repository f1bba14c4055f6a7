/* Widened programs: arguments, operations one by one, results. */
#include "opt/widen.h"

#include "opt/opt.h"
#include "opt/widen_match.h"

#include <stdlib.h>
#include <string.h>

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

fl_status fl_no_rule(const fl_op *op, const char *why)
{
    return fl_error(FL_UNSUPPORTED, "%s: %s", fl_op_infos[op->code].name, why);
}

/* ---- numbers ---- */

int32_t fl_wide_size(const fl_widener *x, fl_ref value, int d)
{
    return fl_wide_find(x->w, fl_type_of(x->from, value)->dims[d], fl_type_of(x->other, value)->dims[d]);
}

/* The value of `n` where the argument's size `m` fills its bucket, on the line through both recordings. */
static int64_t extrapolated(const fl_wide_number *n, const fl_wide_number *m)
{
    int64_t rise = n->second - n->first, run = m->second - m->first, further = (m->width - m->first) * rise;
    int64_t at = further / run;
    return n->first + at + (further % run && (further < 0) == (run < 0));
}

static int is_multiple(const fl_wide_number *n, int64_t first, int64_t second)
{
    return first > 0 && second > 0 && n->first % first == 0 && n->first / first * second == n->second;
}

/* A multiple of an argument's size or of two of them; else what follows along a line, of whole steps if there is one. One width for
 * all sizes of a bucket, as far as can be told: where it is too small for another size, that has a program of its own. */
static int64_t related_width(const fl_widened *w, const fl_wide_number *n)
{
    int64_t most = n->first > n->second ? n->first : n->second;
    for (uint32_t i = 0; i < w->number_count; i++) {
        const fl_wide_number *m = &w->numbers[i];
        if (m->group && is_multiple(n, m->first, m->second)) return n->first / m->first * m->width;
    }
    for (uint32_t i = 0; i < w->number_count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            const fl_wide_number *m = &w->numbers[i], *l = &w->numbers[k];
            if (m->group && l->group && is_multiple(n, m->first * l->first, m->second * l->second))
                return n->first / (m->first * l->first) * m->width * l->width;
        }
    for (int whole = 1; whole >= 0; whole--)
        for (uint32_t i = 0; i < w->number_count; i++) {
            const fl_wide_number *m = &w->numbers[i];
            if (!m->group || (whole && (n->second - n->first) % (m->second - m->first))) continue;
            int64_t width = extrapolated(n, m);
            return width > most ? width : most;
        }
    return most;
}

int64_t fl_wide_width(const fl_widener *x, int32_t number)
{
    fl_wide_number *n = &x->w->numbers[number];
    if (!n->width) n->width = related_width(x->w, n);
    return n->width;
}

static fl_ref add_extra(fl_widener *x, int32_t number, const fl_op *constant, fl_type type)
{
    fl_widened *w = x->w;
    if (w->extra_count == w->extra_capacity) {
        uint32_t capacity = 2 * w->extra_capacity + 16;
        fl_wide_source *extras = realloc(w->extras, capacity * sizeof *extras);
        if (extras) w->extras = extras;
        char **data = realloc(w->data, capacity * sizeof *data);
        if (data) w->data = data;
        if (!extras || !data) {
            fl_builder_fail(&x->b, no_memory());
            return FL_NO_REF;
        }
        w->extra_capacity = capacity;
    }
    char *data = calloc(fl_type_bytes(&type) + 16, 1);
    if (!data) {
        fl_builder_fail(&x->b, no_memory());
        return FL_NO_REF;
    }
    w->data[w->extra_count] = data;
    w->extras[w->extra_count++] = (fl_wide_source){number, constant, type};
    return fl_parameter(&x->b, type);
}

fl_ref fl_wide_value(fl_widener *x, int32_t number, int64_t otherwise)
{
    if (number == FL_WHOLE) return fl_scalar_i(&x->b, FL_I32, otherwise);
    if (!x->w->numbers[number].value) {
        fl_ref value = add_extra(x, number, NULL, fl_type_make(FL_I32, 0, NULL));
        x->w->numbers[number].value = value;
    }
    return x->w->numbers[number].value;
}

const fl_op *fl_wide_twin(const fl_widener *x, const fl_op *op)
{
    return x->other->defs[op->first_result].op;
}

int32_t fl_wide_attr(const fl_widener *x, const fl_op *op, fl_attr_key key, uint32_t i, int64_t otherwise,
                     int64_t *out_first)
{
    uint32_t n = 0, m = 0;
    const int64_t *a = fl_op_ints(op, key, &n), *b = fl_op_ints(fl_wide_twin(x, op), key, &m);
    int64_t first = a && i < n ? a[i] : otherwise, second = b && i < m ? b[i] : otherwise;
    if (out_first) *out_first = first;
    return fl_wide_find(x->w, first, second);
}

int fl_wide_attrs_differ(const fl_op *op, const fl_op *twin, fl_attr_key a, fl_attr_key b)
{
    for (uint32_t i = 0; i < op->attr_count; i++) {
        const fl_attr *p = &op->attrs[i], *q = &twin->attrs[i];
        if (p->key == a || p->key == b || fl_attr_infos[p->key].form != FL_FORM_INTS) continue;
        if (p->count && memcmp(p->u.ints, q->u.ints, p->count * sizeof *p->u.ints)) return 1;
    }
    return 0;
}

/* ---- emitting ---- */

fl_status fl_wide_emit(fl_wide_op *o, const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions)
{
    fl_widener *x = o->x;
    const fl_op *op = o->op;
    fl_type *types = FL_NEW_ARRAY(&x->scratch, fl_type, op->result_count + 1);
    if (!types) return no_memory();
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = fl_wide_type(x, op->first_result + i, o->out);
    fl_ref first = fl_build_typed(&x->b, (fl_opcode)op->code, o->in, op->operand_count, attrs, attr_count,
                                  regions, op->region_count, types, op->result_count);
    if (x->b.status) return NULL;
    if (op->extra && !(fl_last_op(&x->b)->extra = fl_literal_keep(&x->b.program->arena, op->extra)))
        return no_memory();
    for (uint32_t i = 0; i < op->result_count; i++)
        FL_TRY(fl_wide_set(x, op, op->first_result + i, first + i, o->out));
    return NULL;
}

fl_attr *fl_wide_attrs(fl_wide_op *o, fl_attr_key key, const int64_t *values, uint32_t count, fl_attr *from,
                       uint32_t *attr_count)
{
    uint32_t n = from ? *attr_count : o->op->attr_count, at = 0;
    fl_attr *attrs = FL_NEW_ARRAY(&o->x->scratch, fl_attr, n + 1u);
    int64_t *kept = fl_arena_copy(&o->x->scratch, values, count * sizeof *values + 1);
    if (!attrs || !kept) {
        fl_builder_fail(&o->x->b, no_memory());
        return NULL;
    }
    if (n) memcpy(attrs, from ? from : o->op->attrs, n * sizeof *attrs);
    while (at < n && attrs[at].key != key) at++;
    if (at == n) attrs[n++] = (fl_attr){.key = (uint16_t)key};
    attrs[at].count = count;
    attrs[at].u.ints = kept;
    *attr_count = n;
    return attrs;
}

fl_block *fl_wide_region(fl_widener *x, const fl_block *from)
{
    fl_builder *b = &x->b;
    fl_type *types = FL_NEW_ARRAY(&x->scratch, fl_type, from->arg_count + 1);
    fl_ref *results = FL_NEW_ARRAY(&x->scratch, fl_ref, from->result_count + 1);
    if (!types || !results) {
        fl_builder_fail(b, no_memory());
        return NULL;
    }
    for (uint32_t i = 0; i < from->arg_count; i++)
        types[i] = fl_wide_type(x, from->first_arg + i, x->at[from->first_arg + i]);
    fl_block *to = fl_region_begin(b, types, from->arg_count);
    if (!to) return NULL;
    for (uint32_t i = 0; i < from->arg_count; i++) x->map[from->first_arg + i] = to->first_arg + i;
    fl_status s = fl_wide_block(x, from);
    if (s) fl_builder_fail(b, s);
    for (uint32_t i = 0; i < from->result_count; i++) results[i] = x->map[from->results[i]];
    fl_region_end(b, to, results, from->result_count);
    return to;
}

fl_status fl_wide_copy_regions(fl_widener *x, const fl_op *op, fl_block ***out)
{
    *out = FL_NEW_ARRAY(&x->scratch, fl_block *, op->region_count + 1);
    if (!*out) return no_memory();
    for (uint32_t i = 0; i < op->region_count; i++) (*out)[i] = fl_wide_region(x, op->regions[i]);
    return NULL;
}

/* ---- operations that mix nothing ---- */

static fl_status elementwise(fl_wide_op *o)
{
    fl_widener *x = o->x;
    const fl_op *op = o->op;
    int rank = fl_type_of(x->from, op->first_result)->rank;
    uint32_t shaped = 0;
    fl_wide_unify(o, 0, op->operand_count);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        if (fl_type_of(x->from, op->operands[i])->rank != rank) continue; /* a scalar beside the others */
        for (int d = 0; d < rank; d++) {
            int uniform = o->at[i].d[d].uniform && (!shaped || o->out->d[d].uniform);
            o->out->d[d] = o->at[i].d[d];
            o->out->d[d].uniform = (uint8_t)uniform;
        }
        shaped++;
    }
    fl_block **regions;
    FL_TRY(fl_wide_copy_regions(x, op, &regions));
    return fl_wide_emit(o, op->attrs, op->attr_count, regions);
}

/* Every result is its operand. */
static fl_status barrier(fl_wide_op *o)
{
    fl_widener *x = o->x;
    const fl_op *op = o->op;
    fl_ref first = fl_build(&x->b, FL_OP_optimization_barrier, o->in, op->operand_count, NULL, 0, NULL, 0);
    for (uint32_t i = 0; i < op->result_count && fl_ok(&x->b); i++)
        FL_TRY(fl_wide_set(x, op, op->first_result + i, first + i, &o->at[i]));
    return NULL;
}

static fl_status transpose(fl_wide_op *o)
{
    uint32_t n;
    const int64_t *permutation = fl_op_ints(o->op, FL_ATTR_permutation, &n);
    for (uint32_t d = 0; d < n; d++) o->out->d[d] = o->at[0].d[permutation[d]];
    return fl_wide_emit(o, o->op->attrs, o->op->attr_count, NULL);
}

static fl_status broadcast(fl_wide_op *o)
{
    fl_widener *x = o->x;
    fl_ref result = o->op->first_result;
    const fl_type *from = fl_type_of(x->from, o->op->operands[0]);
    uint32_t n;
    const int64_t *dims = fl_op_ints(o->op, FL_ATTR_broadcast_dimensions, &n);
    for (int d = 0; d < fl_type_of(x->from, result)->rank; d++) {
        int32_t size = fl_wide_size(x, result, d);
        if (size != FL_WHOLE) o->out->d[d] = fl_extent_plain(x, size, 1);
    }
    for (uint32_t i = 0; i < n; i++)
        if (o->at[0].d[i].count) o->out->d[dims[i]] = o->at[0].d[i];
    FL_RULE(n == from->rank, o->op, "dimensions are missing");
    return fl_wide_emit(o, o->op->attrs, o->op->attr_count, NULL);
}

static fl_status iota(fl_wide_op *o)
{
    fl_ref result = o->op->first_result;
    int64_t along = fl_op_int(o->op, FL_ATTR_iota_dimension, 0);
    for (int d = 0; d < fl_type_of(o->x->from, result)->rank; d++) {
        int32_t size = fl_wide_size(o->x, result, d);
        if (size != FL_WHOLE) o->out->d[d] = fl_extent_plain(o->x, size, d != along);
    }
    return fl_wide_emit(o, o->op->attrs, o->op->attr_count, NULL);
}

/* Only what is neither split nor joined may be wide. */
static fl_status bitcast(fl_wide_op *o)
{
    int rank = fl_type_of(o->x->from, o->op->first_result)->rank;
    int before = fl_type_of(o->x->from, o->op->operands[0])->rank;
    for (int d = 0; d < before; d++) {
        if (!o->at[0].d[d].count) continue;
        FL_RULE(d < rank, o->op, "it joins elements along an open dimension");
        o->out->d[d] = o->at[0].d[d];
    }
    return fl_wide_emit(o, o->op->attrs, o->op->attr_count, NULL);
}

/* ---- constants ---- */

static fl_status constant(fl_widener *x, const fl_op *op)
{
    fl_ref r = op->first_result;
    const fl_type *type = fl_type_of(x->from, r);
    const fl_attr *a = fl_op_attr(op, FL_ATTR_value), *b = fl_op_attr(fl_wide_twin(x, op), FL_ATTR_value);
    int same = a->count == b->count && !memcmp(a->u.dense, b->u.dense, a->count), wide = 0;
    int splat = fl_is_splat(type, a) && fl_is_splat(fl_type_of(x->other, r), b);
    fl_extents extents = {0};
    for (int d = 0; d < type->rank; d++) {
        int32_t size = fl_wide_size(x, r, d);
        if (size != FL_WHOLE) extents.d[d] = fl_extent_plain(x, size, splat), wide = 1;
    }
    fl_type made = fl_wide_type(x, r, &extents), scalar = fl_type_make((fl_dtype)type->dtype, 0, NULL);
    if (same && (!wide || splat))
        return fl_wide_set(x, op, r,
                           wide ? fl_broadcast_in_dim(&x->b, fl_constant(&x->b, scalar, a->u.dense),
                                                      made.rank, made.dims, NULL)
                                : fl_build_typed(&x->b, FL_OP_constant, NULL, 0, op->attrs, op->attr_count,
                                                 NULL, 0, type, 1),
                           wide ? &extents : NULL);
    fl_ref value = add_extra(x, FL_WHOLE, op, splat ? scalar : made);
    if (splat) value = fl_broadcast_in_dim(&x->b, value, made.rank, made.dims, NULL);
    return fl_wide_set(x, op, r, value, wide ? &extents : NULL);
}

/* ---- one operation ---- */

static int is_touched(const fl_widener *x, const fl_op *op)
{
    if (fl_wide_attrs_differ(op, fl_wide_twin(x, op), FL_ATTR_NONE, FL_ATTR_NONE)) return 1;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (x->at[op->operands[i]]) return 1;
    for (uint32_t i = 0; i < op->result_count; i++)
        for (int d = 0; d < fl_type_of(x->from, op->first_result + i)->rank; d++)
            if (fl_wide_size(x, op->first_result + i, d) != FL_WHOLE) return 1;
    return 0;
}

static int is_touched_inside(const fl_widener *x, const fl_op *op)
{
    for (uint32_t r = 0; r < op->region_count; r++)
        for (uint32_t i = 0; i < op->regions[r]->op_count; i++)
            if (is_touched(x, op->regions[r]->ops[i]) || is_touched_inside(x, op->regions[r]->ops[i]))
                return 1;
    return 0;
}

static fl_status by_rule(fl_wide_op *o)
{
    const fl_op *op = o->op;
    int done = 0;
    FL_TRY(fl_widen_picking(o, &done));
    if (!done) FL_TRY(fl_widen_mixing(o, &done));
    if (!done) FL_TRY(fl_widen_control(o, &done));
    if (done) return NULL;
    FL_RULE(!fl_wide_attrs_differ(op, fl_wide_twin(o->x, op), FL_ATTR_NONE, FL_ATTR_NONE), op,
            "its attributes depend on sizes");
    if (fl_op_infos[op->code].traits & FL_TRAIT_E || op->code == FL_OP_map) return elementwise(o);
    switch (op->code) {
    case FL_OP_transpose: return transpose(o);
    case FL_OP_broadcast_in_dim: return broadcast(o);
    case FL_OP_reshape: return fl_widen_reshape(o);
    case FL_OP_iota: return iota(o);
    case FL_OP_bitcast_convert: return bitcast(o);
    case FL_OP_optimization_barrier: return barrier(o);
    default: return fl_no_rule(op, "no rule for open sizes");
    }
}

static fl_status one_op(fl_widener *x, const fl_op *op)
{
    fl_index_check check;
    uint32_t n = op->operand_count;
    if (op->code == FL_OP_constant) return constant(x, op);
    fl_wide_op o = {.x = x,
                    .op = op,
                    .in = FL_NEW_ARRAY(&x->scratch, fl_ref, n + 1u),
                    .at = FL_NEW_ARRAY(&x->scratch, fl_extents, n + 1u),
                    .out = FL_NEW(&x->scratch, fl_extents)};
    if (!o.in || !o.at || !o.out) return no_memory();
    for (uint32_t i = 0; i < n; i++) {
        o.in[i] = x->map[op->operands[i]];
        if (x->at[op->operands[i]]) o.at[i] = *x->at[op->operands[i]];
    }
    for (uint32_t i = 0; !op->result_count && i < n; i++)
        FL_RULE(!x->at[op->operands[i]], op, "no rule for open sizes");
    FL_RULE(op->result_count || !is_touched_inside(x, op), op, "no rule for open sizes");
    if (op->result_count && (is_touched(x, op) || is_touched_inside(x, op) || fl_is_check_index(op, &check)))
        return by_rule(&o);
    fl_block **regions;
    FL_TRY(fl_wide_copy_regions(x, op, &regions));
    return fl_wide_emit(&o, op->attrs, op->attr_count, regions);
}

fl_status fl_wide_block(fl_widener *x, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count && fl_ok(&x->b); i++) FL_TRY(one_op(x, block->ops[i]));
    return NULL;
}

/* ---- the whole ---- */

static fl_status add_arguments(fl_widener *x)
{
    const fl_block *main = x->from->main;
    for (uint32_t i = 0; i < main->arg_count; i++) {
        fl_ref arg = main->first_arg + i;
        fl_extents extents = {0};
        for (int d = 0; d < fl_type_of(x->from, arg)->rank; d++) {
            int32_t size = fl_wide_size(x, arg, d);
            if (size != FL_WHOLE) extents.d[d] = fl_extent_plain(x, size, 0);
        }
        fl_ref made = fl_parameter(&x->b, fl_wide_type(x, arg, &extents));
        FL_TRY(fl_wide_set(x, NULL, arg, made, &extents));
    }
    return NULL;
}

static fl_status build(fl_widener *x, fl_program **out)
{
    const fl_block *main = x->from->main;
    fl_ref *results = FL_NEW_ARRAY(&x->scratch, fl_ref, main->result_count + 1);
    x->map = FL_NEW_ARRAY(&x->scratch, fl_ref, x->from->def_count);
    x->at = FL_NEW_ARRAY(&x->scratch, fl_extents *, x->from->def_count);
    if (!results || !x->map || !x->at) return no_memory();
    FL_TRY(add_arguments(x));
    FL_TRY(fl_wide_block(x, main));
    for (uint32_t i = 0; i < main->result_count && fl_ok(&x->b); i++) {
        fl_ref value = main->results[i];
        results[i] = x->map[value];
        for (int d = 0; d < fl_type_of(x->from, value)->rank; d++) {
            const fl_extent *now = fl_extent_of(x, value, d);
            if (!now->count) continue;
            fl_extent plain = fl_extent_plain(x, fl_wide_size(x, value, d), 0);
            results[i] = fl_wide_relay(x, results[i], d, now, &plain);
        }
    }
    return fl_builder_finish(&x->b, results, main->result_count, out);
}

static fl_status widen(fl_widened *w, int64_t limit)
{
    fl_widener x = {.w = w, .from = w->exact, .other = w->other};
    FL_TRY(fl_wide_same(w->exact, w->other));
    FL_TRY(fl_wide_numbers(w, limit));
    FL_TRY(fl_builder_init(&x.b, w->exact->name));
    fl_status s = build(&x, &w->program);
    if (s) fl_builder_abandon(&x.b);
    fl_arena_free(&x.scratch);
    return s;
}

fl_status fl_program_widen(fl_program *exact, fl_program *other, int64_t limit, fl_widened **out)
{
    *out = NULL;
    fl_widened *w = calloc(1, sizeof *w);
    if (!w) {
        fl_program_destroy(exact);
        fl_program_destroy(other);
        return no_memory();
    }
    w->exact = exact;
    w->other = other;
    fl_status s = widen(w, limit);
    if (s)
        fl_widened_free(w);
    else
        *out = w;
    return s;
}

void fl_widened_free(fl_widened *w)
{
    if (!w) return;
    fl_program_destroy(w->exact);
    fl_program_destroy(w->other);
    fl_program_destroy(w->program);
    for (uint32_t i = 0; i < w->extra_count; i++) free(w->data[i]);
    free(w->data);
    free(w->extras);
    free(w->numbers);
    free(w);
}

const fl_program *fl_widened_program(const fl_widened *w)
{
    return w->program;
}

uint32_t fl_widened_extra_count(const fl_widened *w)
{
    return w->extra_count;
}

const fl_program *fl_widened_exact(const fl_widened *w)
{
    return w->exact;
}

int fl_widened_is_open(const fl_widened *w, uint32_t i)
{
    const fl_block *main = w->exact->main;
    fl_ref value = i < main->arg_count ? main->first_arg + i : main->results[i - main->arg_count];
    return !fl_type_equal(fl_type_of(w->exact, value), fl_type_of(w->other, value));
}
