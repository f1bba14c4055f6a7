/* Blocks of query rows and of scores: what both directions of attention begin with. See attention.h. */
#include "cpu/kernels/attention.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* K and V that are not f32 are converted once for a task where they take at most this much, else block by block. */
#define KEPT_BYTES (3 << 20)

fl_attention_array fl_attention_array_of(const fl_operand *o, void *const *slots)
{
    fl_attention_array a = {
        fl_operand_pointer(o, slots), (fl_dtype)o->dtype, (int64_t)fl_dtype_bytes((fl_dtype)o->dtype), {0}};
    for (int i = 0; i < o->rank; i++) a.strides[i] = o->dims[i] == 1 ? 0 : o->strides[i];
    return a;
}

fl_attention_forward fl_attention_forward_of(const fl_attention *a, const fl_step *step, void *const *slots)
{
    fl_attention_forward t = {.q = fl_attention_array_of(&step->inputs[0], slots),
                              .k = fl_attention_array_of(&step->inputs[1], slots),
                              .v = fl_attention_array_of(&step->inputs[2], slots),
                              .scale = *(const float *)fl_operand_pointer(&step->inputs[3], slots),
                              .out = fl_attention_array_of(&step->outputs[0], slots),
                              .log_sum = fl_attention_array_of(&step->outputs[1], slots),
                              .scratch = slots[step->scratch_slot]};
    if (a->bias_input >= 0) t.bias = fl_attention_array_of(&step->inputs[a->bias_input], slots);
    if (a->mask_input >= 0) t.mask = fl_attention_array_of(&step->inputs[a->mask_input], slots);
    return t;
}

void fl_attention_rows_begin(const fl_attention *a, int64_t b, int64_t h, int64_t block, fl_attention_rows *r)
{
    const fl_attention_spec *s = &a->spec;
    const int64_t all = a->group * s->rows;
    r->b = b, r->h = h, r->first = block * FL_ATTENTION_ROWS;
    r->count = FL_MIN(all - r->first, FL_ATTENTION_ROWS);
    r->columns = (r->count + a->simd->lanes - 1) / a->simd->lanes * a->simd->lanes;
    r->limit = r->seen = s->keys;
    if (!s->causal) return;
    int64_t most = -1, least = s->keys;
    for (int64_t i = 0; i < FL_ATTENTION_ROWS; i++) {
        int64_t last = i < r->count ? (r->first + i) % s->rows + s->offset : INT32_MAX;
        last = FL_MAX(last, -1), last = FL_MIN(last, INT32_MAX);
        r->last[i] = (int32_t)last;
        if (i < r->count) most = FL_MAX(most, last), least = FL_MIN(least, last);
    }
    r->limit = FL_MIN(most + 1, s->keys);
    r->seen = FL_MIN(least + 1, s->keys);
}

void fl_attention_load_rows(const fl_attention *a, const fl_attention_rows *r, const fl_attention_array *x,
                            int64_t width, float scale, int64_t natural, float *out)
{
    if (r->count < r->columns) {
        if (natural)
            memset(out + r->count * natural, 0, (size_t)((r->columns - r->count) * natural) * sizeof *out);
        else
            for (int64_t d = 0; d < width; d++)
                for (int64_t i = r->count; i < r->columns; i++) out[d * FL_ATTENTION_ROWS + i] = 0;
    }
    FL_ATTENTION_RUNS(a, r, at, head, row, n)
    a->simd->load(natural ? out + at * natural : out + at, natural ? natural : FL_ATTENTION_ROWS,
                  fl_attention_at(x, r->b, head, row), x->dtype, x->strides[2], x->strides[3], n, width,
                  scale, !natural);
}

/* The part of a bias or mask that belongs to a block of scores, in `room`; tells whether it is one number for each key. */
static int load_scores(const fl_attention *a, const fl_attention_rows *r, const fl_attention_array *x,
                       int64_t key, int64_t keys, float *room)
{
    const int one_head = a->group == 1 || x->strides[1] == 0;
    const char *first = fl_attention_at(x, r->b, r->h * a->group, 0) + key * x->strides[3] * x->bytes;
    if (one_head && x->strides[2] == 0) {
        a->simd->load(room, 1, first, x->dtype, x->strides[3], 1, keys, 1, 1, 0);
        return 1;
    }
    for (int64_t k = 0; k < keys && r->count < r->columns; k++)
        for (int64_t i = r->count; i < r->columns; i++) room[k * FL_ATTENTION_ROWS + i] = 0;
    FL_ATTENTION_RUNS(a, r, at, head, row, n)
    a->simd->load(room + at, FL_ATTENTION_ROWS,
                  fl_attention_at(x, r->b, head, row) + key * x->strides[3] * x->bytes, x->dtype,
                  x->strides[2], x->strides[3], n, keys, 1, 1);
    return 0;
}

/* Whether causality excludes some of the keys for some rows. */
static int is_cut(const fl_attention *a, const fl_attention_rows *r, int64_t key, int64_t keys)
{
    return a->spec.causal && key + keys > r->seen;
}

int fl_attention_masks(const fl_attention *a, const fl_attention_rows *r, int64_t key, int64_t keys)
{
    return a->spec.bias || a->spec.mask || is_cut(a, r, key, keys);
}

void fl_attention_mask(const fl_attention *a, const fl_attention_rows *r, const fl_attention_array *bias,
                       const fl_attention_array *mask, int64_t key, int64_t keys, float *scores, float *room)
{
    if (bias) {
        int by_key = load_scores(a, r, bias, key, keys, room);
        a->simd->add(scores, room, keys, r->columns, by_key);
    }
    if (mask) {
        int by_key = load_scores(a, r, mask, key, keys, room);
        a->simd->hide(scores, room, keys, r->columns, by_key, a->fill);
    }
    if (is_cut(a, r, key, keys)) a->simd->causal(scores, keys, r->columns, r->last, (int32_t)key, a->fill);
}

void fl_attention_keep(const fl_attention *a, const fl_attention_side *s, const fl_attention_array *x,
                       int64_t b, int64_t h, float *converted)
{
    if (s->convert && s->kept)
        a->simd->load(converted, s->width, fl_attention_at(x, b, h, 0), x->dtype, x->strides[2],
                      x->strides[3], s->keys, s->width, 1, 0);
}

fl_attention_keys fl_attention_find(const fl_attention *a, const fl_attention_side *s,
                                    const fl_attention_array *x, int64_t b, int64_t h, int64_t key,
                                    int64_t keys, float *converted)
{
    const char *at = fl_attention_at(x, b, h, key);
    if (!s->convert) return (fl_attention_keys){(const float *)at, x->strides[2], x->strides[3]};
    if (s->kept) return (fl_attention_keys){converted + key * s->width, s->width, 1};
    a->simd->load(converted, s->width, at, x->dtype, x->strides[2], x->strides[3], keys, s->width, 1, 0);
    return (fl_attention_keys){converted, s->width, 1};
}

void fl_attention_scores(const fl_attention *a, const fl_attention_rows *r, const fl_attention_keys *k,
                         int64_t keys, int64_t width, const float *query, float *scores)
{
    const fl_attention_product p = {.a = k->data,
                                    .a_row = k->row,
                                    .a_step = k->step,
                                    .b = query,
                                    .b_row = FL_ATTENTION_ROWS,
                                    .c = scores,
                                    .c_row = FL_ATTENTION_ROWS,
                                    .m = keys,
                                    .n = r->columns,
                                    .k = width};
    a->simd->product(&p);
}

float fl_attention_finish(const fl_attention *a, float max, float sum, float *log_sum)
{
    const fl_attention_spec *s = &a->spec;
    if (sum == 0) {
        *log_sum = s->empty_zero ? INFINITY : NAN;
        return s->empty_zero || !s->keys ? 0 : NAN;
    }
    /* `fill` may have been rounded */
    *log_sum = max == a->fill ? (float)(s->fill + log(sum)) : (max + log2f(sum)) * FL_LN2;
    return 1 / sum;
}

/* ---- plans ---- */

static int is_narrow(fl_dtype t)
{
    return t == FL_F32 || t == FL_BF16 || t == FL_F16;
}

fl_status fl_attention_plan(const fl_program *program, fl_step *step, int first, fl_attention *a)
{
    FL_TRY(fl_attention_read(program, step->op, &a->spec));
    fl_attention_spec *s = &a->spec;
    const int query = first == 7; /* the gradient comes first */
    int narrow = s->math == FL_F32;
    for (int i = 0; i < step->input_count; i++)
        narrow &= is_narrow((fl_dtype)step->inputs[i].dtype) || step->inputs[i].dtype == FL_I1;
    for (int i = 0; i < step->output_count; i++) narrow &= is_narrow((fl_dtype)step->outputs[i].dtype);
    FL_CHECK(narrow && s->rows < INT32_MAX && s->keys < INT32_MAX, FL_UNSUPPORTED,
             "attention of other types");
    a->simd = FL_ISA_PICK(fl_attention_simd);
    a->group = s->key_heads ? s->heads / s->key_heads : 0;
    a->blocks = (a->group * s->rows + FL_ATTENTION_ROWS - 1) / FL_ATTENTION_ROWS;
    a->bias_input = s->bias ? first : -1;
    a->mask_input = s->mask ? first + s->bias : -1;
    const double fill = s->fill * (double)FL_LOG2E;
    a->fill = s->fill == -INFINITY ? -INFINITY : (float)FL_MAX(fill, -(double)FLT_MAX);
    a->key = (fl_attention_side){step->inputs[query + 1].dtype != FL_F32, 0, s->width, s->keys};
    a->value = (fl_attention_side){step->inputs[query + 2].dtype != FL_F32, 0, s->value_width, s->keys};
    return NULL;
}

void fl_attention_share(fl_attention *a, int64_t wanted)
{
    const int64_t heads = a->spec.batch * a->spec.key_heads;
    a->parts = heads ? FL_MIN(a->blocks, (wanted + heads - 1) / heads) : 0;
    a->blocks_each = a->parts ? (a->blocks + a->parts - 1) / a->parts : 0;
    a->key.kept = a->value.kept =
        a->blocks_each > 1 && a->spec.keys * (a->spec.width + a->spec.value_width) * 4 <= KEPT_BYTES;
}
