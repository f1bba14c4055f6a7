/* Replaces what was found by calls, where that makes the matrix of weights go away. See attention.h. */
#include "opt/attention.h"

#include "opt/opt.h"
#include "opt/rewrite.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of axes in the calls ---- */

typedef struct order {
    fl_axis_lists batch, key_heads, heads, rows, keys, width, value_width;
} order;

static void add_axis(fl_axis_lists *l, int axis)
{
    l->axis[l->count++] = (uint8_t)axis;
    l->rank = 1;
    l->end[0] = l->count;
}

static order order_of(const fl_attention_match *m)
{
    const fl_axes *a = &m->axes;
    order o = {.rows = m->rows, .keys = m->keys, .width = m->width, .value_width = m->value_width};
    fl_axis_lists home = m->home, groups = {.rank = 1};
    fl_axis_lists *const all[] = {&home, &o.rows, &o.keys, &o.width, &o.value_width};
    for (int i = 0; i < 5; i++) fl_axes_expand(a, all[i]);
    int repeated = 0, batches = 0; /* axes of the keys' heads */
    for (int k = 0; k < o.rows.count; k++) repeated |= fl_axes_has(a, m->key.layout, o.rows.axis[k]);
    if (repeated) o.rows = (fl_axis_lists){.rank = 1};
    for (int k = 0; k < home.count; k++)
        batches += !fl_axes_has(a, o.keys, home.axis[k]) && fl_axes_has(a, m->key.layout, home.axis[k]);
    for (int k = 0; k < home.count; k++) {
        const int axis = home.axis[k];
        if (fl_axes_has(a, o.keys, axis) || fl_axes_has(a, o.rows, axis)) continue;
        if (!fl_axes_has(a, m->key.layout, axis))
            add_axis(&groups, axis);
        else if (batches > 0 && !o.batch.count)
            add_axis(&o.batch, axis);
        else
            add_axis(&o.key_heads, axis);
    }
    o.batch.rank = o.key_heads.rank = 1;
    o.heads = fl_axes_join(a, o.key_heads, groups);
    return o;
}

/* The layout has exactly the axes of these four. */
static int covers(const fl_axes *a, fl_axis_lists l, const fl_axis_lists *const groups[4])
{
    int count = 0;
    fl_axes_expand(a, &l);
    for (int g = 0; g < 4; g++)
        for (int k = 0; k < groups[g]->count; k++, count++)
            if (!memchr(l.axis, groups[g]->axis[k], l.count)) return 0;
    return count == l.count;
}

#define QUERY(o)   {&(o)->batch, &(o)->heads, &(o)->rows, &(o)->width}
#define KEY(o)     {&(o)->batch, &(o)->key_heads, &(o)->keys, &(o)->width}
#define VALUE(o)   {&(o)->batch, &(o)->key_heads, &(o)->keys, &(o)->value_width}
#define RESULT(o)  {&(o)->batch, &(o)->heads, &(o)->rows, &(o)->value_width}
#define SCORE(o)   {&(o)->batch, &(o)->heads, &(o)->rows, &(o)->keys}
#define LOG_SUM(o) {&(o)->batch, &(o)->heads, &(o)->rows, &none}
static const fl_axis_lists none = {.rank = 1};

/* Gradients that do not fit are left; 0: nothing is. */
static int check_match(fl_attention_match *m)
{
    const order o = order_of(m);
    const fl_axes *a = &m->axes;
    const fl_axis_lists *const query[4] = QUERY(&o), *const key[4] = KEY(&o), *const value[4] = VALUE(&o),
                               *const result[4] = RESULT(&o), *const log_sum[4] = LOG_SUM(&o);
    const fl_axis_lists *const *const gradients[3] = {query, key, value};
    if (m->spec.causal && fl_axes_size(a, &o.rows) != fl_axes_size(a, &m->rows)) return 0;
    if (!covers(a, m->query.layout, query) || !covers(a, m->key.layout, key)) return 0;
    if (!m->value.ref || !covers(a, m->value.layout, value)) return 0;
    if (m->log_sum.ref && !covers(a, m->log_sum.layout, log_sum)) return 0;
    if (m->product && !covers(a, m->result, result)) return 0;
    int fits =
        m->grad.ref && covers(a, m->grad.layout, result) && (!m->out.ref || covers(a, m->out.layout, result));
    for (int i = 0; i < 3; i++)
        if (m->gradients[i]) fits &= covers(a, m->gradient_layouts[i], gradients[i]);
    if (!fits || (!m->gradients[0] && !m->gradients[1]))
        for (int i = 0; i < 3; i++) m->gradients[i] = NULL;
    return m->product || m->gradients[0] || m->gradients[1];
}

/* ---- what stays ---- */

typedef struct search {
    fl_attention_finder finder;
    fl_attention_match *matches;
    uint32_t count, capacity;
    fl_arena arena; /* of the lists */
    uint8_t *live;  /* by value: IS_LIVE, FROM_CALL */
} search;

enum { IS_LIVE = 1, FROM_CALL = 2 /* a call gives it */ };

static const fl_op *replaced_by(const search *s, const fl_op *op, const fl_attention_match **out)
{
    if (op->code != FL_OP_dot_general) return NULL;
    for (uint32_t i = 0; i < s->count; i++) {
        const fl_attention_match *m = &s->matches[i];
        if (m->dropped) continue;
        *out = m;
        if (op == m->product || op == m->gradients[0] || op == m->gradients[1] || op == m->gradients[2])
            return op;
    }
    return NULL;
}

static void use_call(search *s, const fl_attention_match *m)
{
    const fl_ref refs[] = {m->query.ref, m->key.ref, m->value.ref, m->bias.ref, m->scale.ref};
    for (int i = 0; i < 5; i++) s->live[refs[i]] |= IS_LIVE;
    for (int i = 0; i < m->mask_count; i++) s->live[m->masks[i].ref] |= IS_LIVE;
    if (!m->gradients[0] && !m->gradients[1]) return;
    s->live[m->grad.ref] |= IS_LIVE;
    s->live[m->out.ref] |= IS_LIVE;
    if (!m->sum) s->live[m->log_sum.ref] |= IS_LIVE;
}

static void use_all(search *s, const fl_block *b)
{
    for (uint32_t i = 0; i < b->result_count; i++) s->live[b->results[i]] |= IS_LIVE;
    for (uint32_t i = 0; i < b->op_count; i++) {
        const fl_op *op = b->ops[i];
        for (uint32_t k = 0; k < op->operand_count; k++) s->live[op->operands[k]] |= IS_LIVE;
        for (uint32_t k = 0; k < op->region_count; k++) use_all(s, op->regions[k]);
    }
}

/* Marks the values of the block that are computed once the calls are there. */
static void mark_live(search *s)
{
    const fl_block *b = s->finder.block;
    memset(s->live, 0, s->finder.program->def_count);
    for (uint32_t k = 0; k < s->count; k++)
        if (!s->matches[k].dropped && s->matches[k].product) s->live[s->matches[k].log_sum.ref] |= FROM_CALL;
    for (uint32_t i = 0; i < b->result_count; i++) s->live[b->results[i]] |= IS_LIVE;
    for (uint32_t i = b->op_count; i-- > 0;) {
        const fl_op *op = b->ops[i];
        const fl_attention_match *m;
        int used = op->result_count == 0 || op->region_count > 1 ||
                   (fl_op_infos[op->code].traits & FL_TRAIT_S) || op->code == FL_OP_custom_call ||
                   op->code == FL_OP_while;
        for (uint32_t k = 0; k < op->result_count; k++) used |= s->live[op->first_result + k] & IS_LIVE;
        if (!used || (op->result_count && s->live[op->first_result] & FROM_CALL)) continue;
        if (replaced_by(s, op, &m)) {
            use_call(s, m);
            continue;
        }
        for (uint32_t k = 0; k < op->operand_count; k++) s->live[op->operands[k]] |= IS_LIVE;
        for (uint32_t k = 0; k < op->region_count; k++) use_all(s, op->regions[k]);
    }
}

/* Drops matches whose weights are needed nevertheless, until all that are left pay. */
static void keep_profitable(search *s)
{
    for (int changed = 1; changed;) {
        changed = 0;
        mark_live(s);
        for (uint32_t i = 0; i < s->count; i++) {
            fl_attention_match *m = &s->matches[i];
            if (m->dropped || !(s->live[m->exp->first_result] & IS_LIVE)) continue;
            m->dropped = changed = 1;
        }
    }
}

/* Lists what matching looks through. */
static fl_status list_ops(search *s, const fl_block *block)
{
    fl_attention_finder *f = &s->finder;
    f->block = block;
    f->product_count = f->arithmetic_count = 0;
    f->products = FL_NEW_ARRAY(&s->arena, const fl_op *, block->op_count + 1);
    f->arithmetic = FL_NEW_ARRAY(&s->arena, const fl_op *, block->op_count + 1);
    FL_CHECK(f->products && f->arithmetic, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        if (op->code == FL_OP_dot_general) f->products[f->product_count++] = op;
        if (op->code == FL_OP_multiply || op->code == FL_OP_subtract)
            f->arithmetic[f->arithmetic_count++] = op;
    }
    return NULL;
}

static fl_status find_in_block(search *s, const fl_block *block)
{
    const uint32_t first = s->count;
    FL_TRY(list_ops(s, block));
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        if (op->code != FL_OP_exponential) continue;
        if (s->count == s->capacity) {
            const uint32_t capacity = s->capacity ? 2 * s->capacity : 8;
            fl_attention_match *more = realloc(s->matches, capacity * sizeof *more);
            FL_CHECK(more, FL_OOM, "out of host memory");
            s->matches = more;
            s->capacity = capacity;
        }
        fl_attention_match *m = &s->matches[s->count];
        if (fl_attention_match_softmax(&s->finder, op, m) && fl_attention_match_gradients(&s->finder, m) &&
            check_match(m))
            s->count++;
    }
    if (s->count > first) { /* values of other blocks do not matter here */
        search part = *s;
        part.matches += first;
        part.count -= first;
        keep_profitable(&part);
    }
    for (uint32_t i = 0; i < block->op_count; i++)
        for (uint32_t k = 0; k < block->ops[i]->region_count; k++)
            FL_TRY(find_in_block(s, block->ops[i]->regions[k]));
    return NULL;
}

/* ---- building the calls ---- */

static fl_axis_lists flat_of(const fl_axes *a, const fl_axis_lists *const groups[4])
{
    fl_axis_lists l = {.rank = 1};
    for (int g = 0; g < 4; g++) l = fl_axes_join(a, l, *groups[g]);
    return l;
}

static fl_ref transposed(fl_builder *b, fl_ref x, const fl_axis_lists *from, const fl_axis_lists *to)
{
    int64_t permutation[FL_MAX_RANK];
    int moved = 0;
    for (int i = 0; i < to->count; i++)
        for (int k = 0; k < from->count; k++)
            if (from->axis[k] == to->axis[i]) permutation[i] = k, moved |= i != k;
    return moved ? fl_transpose(b, x, permutation) : x;
}

static fl_ref shaped(fl_builder *b, fl_ref x, int rank, const int64_t *dims)
{
    const fl_type *t = fl_typeof(b, x);
    if (t->rank == rank && !memcmp(t->dims, dims, (size_t)rank * sizeof *dims)) return x;
    return fl_reshape(b, x, rank, dims);
}

static fl_ref split(fl_builder *b, const fl_axes *a, fl_ref x, const fl_axis_lists *flat)
{
    int64_t dims[FL_AXES_OF_VALUE];
    for (int k = 0; k < flat->count; k++) dims[k] = a->axis[flat->axis[k]].size;
    return shaped(b, x, flat->count, dims);
}

/* A value as [groups]: a dimension of which it has no axis has size 1; of which it has some, it is repeated. */
static fl_ref arranged(fl_builder *b, const fl_axes *a, fl_ref x, fl_axis_lists layout,
                       const fl_axis_lists *const groups[4], int rank)
{
    fl_axis_lists there = {.rank = 1}, wanted = {.rank = 1};
    int64_t dims[4], axes[FL_AXES_OF_VALUE], at[FL_AXES_OF_VALUE];
    int n = 0;
    fl_axes_expand(a, &layout);
    for (int g = 0; g < rank; g++) {
        int have = 0;
        for (int k = 0; k < groups[g]->count; k++)
            if (memchr(layout.axis, groups[g]->axis[k], layout.count)) {
                add_axis(&there, groups[g]->axis[k]);
                have++;
            }
        dims[g] = have ? fl_axes_size(a, groups[g]) : 1;
        for (int k = 0; k < groups[g]->count && have; k++) add_axis(&wanted, groups[g]->axis[k]);
    }
    layout.rank = 1;
    x = transposed(b, split(b, a, x, &layout), &layout, &there);
    if (there.count < wanted.count) {
        for (int k = 0; k < wanted.count; k++) {
            axes[k] = a->axis[wanted.axis[k]].size;
            if (n < there.count && there.axis[n] == wanted.axis[k]) at[n++] = k;
        }
        x = fl_broadcast_in_dim(b, x, wanted.count, axes, at);
    }
    return shaped(b, x, rank, dims);
}

/* The way back: a call's result as a value of this layout and type. */
static fl_ref restored(fl_builder *b, const fl_axes *a, fl_ref x, const fl_axis_lists *const groups[4],
                       fl_axis_lists layout, const fl_type *type)
{
    const fl_axis_lists flat = flat_of(a, groups);
    fl_axes_expand(a, &layout);
    x = transposed(b, split(b, a, x, &flat), &flat, &layout);
    return shaped(b, x, type->rank, type->dims);
}

static fl_type type_of(const fl_axes *a, fl_dtype t, const fl_axis_lists *const groups[4], int rank)
{
    int64_t dims[4];
    for (int g = 0; g < rank; g++) dims[g] = fl_axes_size(a, groups[g]);
    return fl_type_make(t, rank, dims);
}

static fl_ref build_scale(fl_rewriter *w, const fl_factor *s)
{
    fl_ref constant = fl_scalar_f(&w->b, FL_F32, s->constant);
    if (!s->ref) return constant;
    fl_ref x = fl_cast(&w->b, w->map[s->ref], FL_F32);
    return s->divides ? fl_div(&w->b, constant, x) : s->constant == 1 ? x : fl_mul(&w->b, constant, x);
}

/* All masks as one of [B or 1, H or 1, T or 1, S or 1]. */
static fl_ref build_mask(fl_rewriter *w, const fl_attention_match *m, const fl_axis_lists *const score[4])
{
    fl_builder *b = &w->b;
    fl_ref all = FL_NO_REF;
    for (int i = 0; i < m->mask_count; i++) {
        const fl_placed *p = &m->masks[i];
        fl_ref x = arranged(b, &m->axes, w->map[p->ref], p->layout, score, 4);
        if (p->inverted) x = fl_not(b, x);
        if (all) {
            fl_ref both[2] = {all, x};
            fl_broadcast_all(b, both, 2);
            x = fl_and(b, both[0], both[1]);
        }
        all = x;
    }
    return all;
}

static uint32_t add_masks(fl_rewriter *w, const fl_attention_match *m, const order *o, fl_ref *operands,
                          uint32_t n)
{
    const fl_axis_lists *const score[4] = SCORE(o);
    operands[n++] = build_scale(w, &m->scale);
    if (m->spec.bias)
        operands[n++] = arranged(&w->b, &m->axes, w->map[m->bias.ref], m->bias.layout, score, 4);
    if (m->mask_count) operands[n++] = build_mask(w, m, score);
    return n;
}

static fl_ref placed(fl_rewriter *w, const fl_attention_match *m, const fl_placed *p,
                     const fl_axis_lists *const groups[4])
{
    return arranged(&w->b, &m->axes, w->map[p->ref], p->layout, groups, 4);
}

/* Whether everything the call needs has been copied by now. */
static int is_ready(const fl_rewriter *w, const fl_attention_match *m, int backward)
{
    const fl_ref refs[] = {m->query.ref, m->key.ref, m->value.ref, m->bias.ref, m->scale.ref};
    for (int i = 0; i < 5; i++)
        if (refs[i] && !w->map[refs[i]]) return 0;
    for (int i = 0; i < m->mask_count; i++)
        if (!w->map[m->masks[i].ref]) return 0;
    if (!backward) return 1;
    if (!w->map[m->grad.ref] || (m->out.ref && !w->map[m->out.ref])) return 0;
    return m->sum || w->map[m->log_sum.ref];
}

static fl_attention_spec spec_of(const fl_attention_match *m)
{
    fl_attention_spec s = m->spec;
    s.mask = m->mask_count > 0;
    return s;
}

static fl_dtype dtype_of(const fl_rewriter *w, fl_ref r)
{
    return (fl_dtype)fl_type_of(w->from, r)->dtype;
}

/* Also where only gradients are wanted: they need the result. */
static void build_forward(fl_rewriter *w, fl_attention_match *m)
{
    const order o = order_of(m);
    const fl_axes *a = &m->axes;
    const fl_axis_lists *const query[4] = QUERY(&o), *const key[4] = KEY(&o), *const value[4] = VALUE(&o),
                               *const result[4] = RESULT(&o), *const log_sum[4] = LOG_SUM(&o);
    fl_ref in[8] = {placed(w, m, &m->query, query), placed(w, m, &m->key, key),
                    placed(w, m, &m->value, value)};
    const uint32_t count = add_masks(w, m, &o, in, 3);
    const fl_attention_spec spec = spec_of(m);
    const fl_ref product = m->product ? m->product->first_result : FL_NO_REF;
    const fl_type types[2] = {type_of(a, product ? dtype_of(w, product) : FL_F32, result, 4),
                              type_of(a, FL_F32, log_sum, 3)};
    m->made_out = fl_attention_build(&w->b, 1, &spec, in, count, types);
    m->made_log_sum = m->made_out + 1;
    if (!m->product) return;
    fl_rewriter_map(w, product,
                    restored(&w->b, a, m->made_out, result, m->result, fl_type_of(w->from, product)));
    if (m->log_sum.ref)
        fl_rewriter_map(w, m->log_sum.ref,
                        restored(&w->b, a, m->made_log_sum, log_sum, m->log_sum.layout,
                                 fl_type_of(w->from, m->log_sum.ref)));
}

static void build_backward(fl_rewriter *w, fl_attention_match *m)
{
    const order o = order_of(m);
    const fl_axes *a = &m->axes;
    const fl_axis_lists *const query[4] = QUERY(&o), *const key[4] = KEY(&o), *const value[4] = VALUE(&o),
                               *const result[4] = RESULT(&o), *const log_sum[4] = LOG_SUM(&o);
    const fl_axis_lists *const *const groups[3] = {query, key, value};
    const fl_placed *const like[3] = {&m->query, &m->key, &m->value};
    if (m->sum && !m->made_out) build_forward(w, m);
    fl_type types[3];
    fl_ref in[12] = {placed(w, m, &m->grad, result), placed(w, m, &m->query, query),
                     placed(w, m, &m->key, key), placed(w, m, &m->value, value)};
    in[4] = m->out.ref ? placed(w, m, &m->out, result) : m->made_out;
    in[5] =
        m->sum ? m->made_log_sum : arranged(&w->b, a, w->map[m->log_sum.ref], m->log_sum.layout, log_sum, 3);
    const uint32_t count = add_masks(w, m, &o, in, 6);
    for (int i = 0; i < 3; i++)
        types[i] = type_of(a, dtype_of(w, m->gradients[i] ? m->gradients[i]->first_result : like[i]->ref),
                           groups[i], 4);
    const fl_attention_spec spec = spec_of(m);
    m->made_gradients = fl_attention_build(&w->b, 2, &spec, in, count, types);
}

static void map_gradient(fl_rewriter *w, const fl_attention_match *m, int i)
{
    const order o = order_of(m);
    const fl_axis_lists *const query[4] = QUERY(&o), *const key[4] = KEY(&o), *const value[4] = VALUE(&o);
    const fl_axis_lists *const *const groups[3] = {query, key, value};
    const fl_ref r = m->gradients[i]->first_result;
    fl_rewriter_map(w, r,
                    restored(&w->b, &m->axes, m->made_gradients + (fl_ref)i, groups[i],
                             m->gradient_layouts[i], fl_type_of(w->from, r)));
}

static fl_status rewrite_op(fl_rewriter *w, const fl_op *op, const fl_ref *operands, int *done)
{
    search *s = w->user;
    (void)operands;
    if (op->code != FL_OP_dot_general) return NULL;
    for (uint32_t i = 0; i < s->count && !*done; i++) {
        fl_attention_match *m = &s->matches[i];
        if (m->dropped) continue;
        if (op == m->product && is_ready(w, m, 0)) {
            build_forward(w, m);
            *done = 1;
        }
        for (int k = 0; k < 3 && !*done; k++) {
            if (op != m->gradients[k]) continue;
            if (!m->made_gradients && is_ready(w, m, 1)) build_backward(w, m);
            if (!m->made_gradients) continue;
            map_gradient(w, m, k);
            *done = 1;
        }
    }
    return NULL;
}

static int worth_looking(const fl_block *b)
{
    int products = 0, exponentials = 0;
    for (uint32_t i = 0; i < b->op_count; i++) {
        const fl_op *op = b->ops[i];
        products += op->code == FL_OP_dot_general;
        exponentials += op->code == FL_OP_exponential;
        for (uint32_t k = 0; k < op->region_count; k++)
            if (worth_looking(op->regions[k])) return 1;
    }
    return products > 1 && exponentials > 0;
}

fl_status fl_program_find_attention(const fl_program *program, fl_program **out)
{
    search s = {.finder = {.program = program}};
    uint32_t kept = 0;
    *out = NULL;
    if (!worth_looking(program->main)) return NULL;
    s.live = malloc(program->def_count);
    fl_status status = s.live ? find_in_block(&s, program->main) : fl_error(FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < s.count; i++) kept += !s.matches[i].dropped;
    if (!status && kept) {
        fl_rewriter w = {.rewrite = rewrite_op, .user = &s, .keeps_types = 1};
        status = fl_rewrite(&w, program, out);
        if (!status) status = fl_program_prune(*out);
        if (status) {
            fl_program_destroy(*out);
            *out = NULL;
        }
    }
    fl_arena_free(&s.arena);
    free(s.live);
    free(s.matches);
    return status;
}
