/* reduce_window. Four forms:
 *   sums of f32 over small planes by a table of places (window_table.c);
 *   running reductions (a window as long as the dimension, padded on one side) in one pass;
 *   windows of one operand: the rows of a window are combined into one padded row, then neighbours along it;
 *   max pooling with positions (ir/pool.h): pairs are compared row by row.
 * Running extremes with their places are in extreme_scan.c. */
#include "base/pool.h"
#include "cpu/kernels/kernel.h"
#include "cpu/kernels/window.h"
#include "ir/pool.h"

#include <string.h>

typedef struct window {
    int rank;
    fl_window_dim dim[FL_MAX_RANK];
    int64_t element, index_element, rows, grain;
    fl_dtype dtype;
    fl_combine combine;
    int apart;         /* the initial value is not known to be the identity: it is combined last */
    char identity[16]; /* then the results start from this */
    int trivial;       /* the last dimension has no window */
    int by_table;      /* f32: sums, or short rows of maxima with positions, where a table fits */
    fl_pool_row_fn pool;
    /* running reduction */
    int scan_dim, backwards;
    fl_scan_fn scan;
} window;

static int is_trivial(const fl_window_dim *d)
{
    return d->size == 1 && d->stride == 1 && d->low == 0 && d->dilation == 1 && d->out == d->in;
}

static int64_t attr_at(const fl_op *op, fl_attr_key key, int i, int64_t fallback)
{
    uint32_t n = 0;
    const int64_t *list = fl_op_ints(op, key, &n);
    return list && (uint32_t)i < n ? list[i] : fallback;
}

fl_window_dim fl_window_dim_of(const fl_step *step, int i)
{
    return (fl_window_dim){.in = step->inputs[0].dims[i],
                           .out = step->outputs[0].dims[i],
                           .size = attr_at(step->op, FL_ATTR_window_dimensions, i, 1),
                           .stride = attr_at(step->op, FL_ATTR_window_strides, i, 1),
                           .low = attr_at(step->op, FL_ATTR_padding, 2 * i, 0),
                           .dilation = attr_at(step->op, FL_ATTR_base_dilations, i, 1),
                           .spread = attr_at(step->op, FL_ATTR_window_dilations, i, 1)};
}

static void read_dims(window *w, const fl_step *step)
{
    const fl_operand *in = &step->inputs[0], *index = step->input_count == 4 ? &step->inputs[1] : in;
    w->rank = in->rank;
    for (int i = 0; i < in->rank; i++) {
        w->dim[i] = fl_window_dim_of(step, i);
        w->dim[i].in_stride = in->strides[i] * w->element;
        w->dim[i].index_stride = index->strides[i] * w->index_element;
    }
    if (!w->rank) w->dim[w->rank++] = (fl_window_dim){1, 1, 1, 1, 0, 1, 1, w->element, w->index_element};
    /* neighbouring dimensions without windows are one */
    for (int i = w->rank - 2; i >= 0; i--) {
        fl_window_dim *a = &w->dim[i], *b = &w->dim[i + 1];
        if (!is_trivial(a) || !is_trivial(b) || a->in_stride != b->in_stride * b->in ||
            a->index_stride != b->index_stride * b->in)
            continue;
        b->in *= a->in, b->out *= a->out;
        memmove(a, b, (size_t)(w->rank - i - 1) * sizeof *a);
        w->rank--;
    }
    w->rows = 1;
    for (int i = 0; i + 1 < w->rank; i++) w->rows *= w->dim[i].out;
}

typedef struct run {
    const window *w;
    const char *in, *index;
    char *out, *out_index;
    const char *initial, *initial_index;
} run;

static void fill(char *to, const char *value, int64_t element, int64_t n)
{
    switch (element) {
    case 1: memset(to, *value, (size_t)n); break;
    case 2:
        for (int64_t i = 0; i < n; i++) ((fl_word2 *)to)[i] = *(const fl_word2 *)value;
        break;
    case 4:
        for (int64_t i = 0; i < n; i++) ((fl_word4 *)to)[i] = *(const fl_word4 *)value;
        break;
    case 8:
        for (int64_t i = 0; i < n; i++) ((fl_word8 *)to)[i] = *(const fl_word8 *)value;
        break;
    default:
        for (int64_t i = 0; i < n; i++) ((fl_word16 *)to)[i] = *(const fl_word16 *)value;
        break;
    }
}

enum {
    CHUNK_BYTES = 16384, /* of a row at a time */
    SHORT_ROW = 24       /* results: a table is faster */
};

/* Part of one output row: elements [begin, begin + n). `at` holds the outer output position. */
typedef struct piece {
    const run *r;
    int64_t at[FL_MAX_RANK];
    int64_t begin, n, first; /* first: position (with padding) of the padded row's first element */
    int64_t length;          /* of the padded row */
    char *to, *to_index;
} piece;

/* Combines input row `row` into the padded row. */
static void add_row(const piece *p, const char *row)
{
    const window *w = p->r->w;
    const fl_window_dim *d = &w->dim[w->rank - 1];
    /* inputs i with first <= i * dilation + low < first + length */
    int64_t begin = p->first - d->low, end = begin + p->length;
    begin = begin <= 0 ? 0 : (begin + d->dilation - 1) / d->dilation;
    end = end <= 0 ? 0 : (end + d->dilation - 1) / d->dilation;
    if (end > d->in) end = d->in;
    if (begin >= end) return;
    w->combine.row(p->to + (begin * d->dilation + d->low - p->first) * w->element, d->dilation * w->element,
                   row + begin * d->in_stride, d->in_stride, end - begin);
}

/* Compares input row `row` with the results at every tap of the last dimension. */
static void pool_row(const piece *p, const char *row, const char *index)
{
    const window *w = p->r->w;
    const fl_window_dim *d = &w->dim[w->rank - 1];
    for (int64_t t = 0; t < d->size; t++) {
        int64_t x = t * d->spread - d->low; /* position of output o: o * stride + x */
        int64_t begin = x >= 0 ? 0 : (-x + d->stride - 1) / d->stride,
                end = d->in - 1 - x < 0 ? 0 : (d->in - 1 - x) / d->stride + 1;
        if (begin < p->begin) begin = p->begin;
        if (end > p->begin + p->n) end = p->begin + p->n;
        if (begin >= end) continue;
        int64_t from = begin * d->stride + x, skip = begin - p->begin;
        w->pool(p->to + skip * w->element, p->to_index + skip * w->index_element, row + from * d->in_stride,
                d->stride * d->in_stride, index + from * d->index_stride, d->stride * d->index_stride,
                end - begin);
    }
}

static void visit_rows(const piece *p, int dim, const char *in, const char *index)
{
    const window *w = p->r->w;
    if (dim == w->rank - 1) {
        if (w->pool)
            pool_row(p, in, index);
        else
            add_row(p, in);
        return;
    }
    const fl_window_dim *d = &w->dim[dim];
    for (int64_t t = 0; t < d->size; t++) {
        int64_t i = fl_window_position(d, p->at[dim], t);
        if (i >= 0) visit_rows(p, dim + 1, in + i * d->in_stride, index + i * d->index_stride);
    }
}

static void run_piece(piece *p, char *out, char *out_index)
{
    _Alignas(64) char padded[CHUNK_BYTES + 64];
    const run *r = p->r;
    const window *w = r->w;
    const fl_window_dim *d = &w->dim[w->rank - 1];
    p->first = p->begin * d->stride;
    p->length = w->trivial ? p->n : (p->n - 1) * d->stride + (d->size - 1) * d->spread + 1;
    p->to = w->trivial || w->pool ? out : padded;
    p->to_index = out_index;
    fill(p->to, w->apart ? w->identity : r->initial, w->element, w->pool ? p->n : p->length);
    if (w->pool) fill(out_index, r->initial_index, w->index_element, p->n);
    visit_rows(p, 0, r->in, r->index);
    const int64_t e = w->element;
    if (p->to == out) {
        if (w->apart) w->combine.row(out, e, r->initial, 0, p->n);
        return;
    }
    for (int64_t i = 0; i < p->n; i++)
        if (d->stride != 1) memcpy(out + i * e, padded + i * d->stride * e, (size_t)e);
    if (d->stride == 1) memcpy(out, padded, (size_t)(p->n * e));
    for (int64_t t = 1; t < d->size; t++)
        w->combine.row(out, e, padded + t * d->spread * e, d->stride * e, p->n);
    if (w->apart) w->combine.row(out, e, r->initial, 0, p->n);
}

static void run_rows(void *ctx, int64_t begin, int64_t end)
{
    const run *r = ctx;
    const window *w = r->w;
    const fl_window_dim *d = &w->dim[w->rank - 1];
    int64_t chunk = CHUNK_BYTES / w->element;
    if (!w->trivial && !w->pool) chunk = (chunk - 1 - (d->size - 1) * d->spread) / d->stride + 1;
    for (int64_t row = begin; row < end; row++) {
        piece p = {.r = r};
        int64_t rest = row;
        for (int i = w->rank - 2; i >= 0; i--) {
            p.at[i] = rest % w->dim[i].out;
            rest /= w->dim[i].out;
        }
        for (p.begin = 0; p.begin < d->out; p.begin += chunk) {
            p.n = d->out - p.begin < chunk ? d->out - p.begin : chunk;
            int64_t at = row * d->out + p.begin;
            run_piece(&p, r->out + at * w->element,
                      r->out_index ? r->out_index + at * w->index_element : NULL);
        }
    }
}

static fl_status run_window(const fl_step *step, void *const *slots)
{
    const window *w = step->data;
    const int pairs = w->pool != NULL;
    run r = {.w = w,
             .in = fl_operand_pointer(&step->inputs[0], slots),
             .out = fl_operand_pointer(&step->outputs[0], slots)};
    r.index = pairs ? fl_operand_pointer(&step->inputs[1], slots) : r.in;
    r.initial = fl_operand_pointer(&step->inputs[pairs ? 2 : 1], slots);
    if (pairs) {
        r.initial_index = fl_operand_pointer(&step->inputs[3], slots);
        r.out_index = fl_operand_pointer(&step->outputs[1], slots);
    }
    fl_parallel_for(w->rows, w->grain, run_rows, &r);
    return NULL;
}

/* A running reduction of lines: pieces of `width` neighbours, whole lines long. */
static void run_lines(void *ctx, int64_t begin, int64_t end)
{
    const run *r = ctx;
    const window *w = r->w;
    const fl_window_dim *d = &w->dim[w->scan_dim];
    const int last = w->scan_dim == w->rank - 1;
    const fl_window_dim *inner = &w->dim[w->rank - 1];
    for (int64_t line = begin; line < end; line++) {
        int64_t rest = line, from = 0;
        for (int i = w->rank - (last ? 1 : 2); i >= 0; i--) {
            if (i == w->scan_dim) continue;
            from += rest % w->dim[i].in * w->dim[i].in_stride;
            rest /= w->dim[i].in;
        }
        int64_t middle = 1, after = 1; /* outputs: lines over the dims before and after scan_dim */
        for (int i = w->scan_dim + 1; i < w->rank - (last ? 0 : 1); i++) middle *= w->dim[i].in;
        for (int i = w->scan_dim + 1; i < w->rank; i++) after *= w->dim[i].in;
        int64_t step = after * w->element, width = last ? 1 : inner->in;
        char *out = r->out + (line / middle * d->in * after + line % middle * width) * w->element;
        const char *in = r->in + from;
        int64_t in_step = d->in_stride;
        if (w->backwards) {
            out += (d->in - 1) * step, in += (d->in - 1) * in_step;
            step = -step, in_step = -in_step;
        }
        if (w->scan) {
            w->scan(out, step, w->element, in, in_step, last ? w->element : inner->in_stride, d->in, width,
                    r->initial);
            continue;
        }
        for (int64_t i = 0; i < d->in; i++, out += step, in += in_step) {
            fill(out, r->initial, w->element, width);
            w->combine.row(out, w->element, in, last ? w->element : inner->in_stride, width);
            if (i) w->combine.row(out, w->element, out - step, w->element, width);
        }
    }
}

static fl_status run_scan(const fl_step *step, void *const *slots)
{
    const window *w = step->data;
    run r = {.w = w,
             .in = fl_operand_pointer(&step->inputs[0], slots),
             .out = fl_operand_pointer(&step->outputs[0], slots),
             .initial = fl_operand_pointer(&step->inputs[1], slots)};
    fl_parallel_for(w->rows, w->grain, run_lines, &r);
    return NULL;
}

/* The one dimension of a running reduction, or -1. */
static int find_scan(const window *w, int *backwards)
{
    int found = -1;
    for (int i = 0; i < w->rank; i++) {
        const fl_window_dim *d = &w->dim[i];
        if (is_trivial(d)) continue;
        if (found >= 0 || d->stride != 1 || d->dilation != 1 || d->spread != 1 || d->size != d->in ||
            d->out != d->in)
            return -1;
        if (d->low != 0 && d->low != d->size - 1) return -1;
        *backwards = d->low == 0;
        found = i;
    }
    return found;
}

/* What changes nothing when it is added or multiplied. 0: not known. */
static int find_identity(fl_combine_kind kind, fl_dtype dtype, char *out)
{
    memset(out, 0, 16);
    if (kind == FL_COMBINE_add) { /* of numbers with a sign: -0 */
        const int parts = fl_is_complex(dtype) ? 2 : fl_is_float(dtype), size = (int)fl_dtype_bytes(dtype);
        for (int i = 1; i <= parts; i++) out[i * size / parts - 1] = (char)0x80;
        return 1;
    }
    switch (dtype) {
    case FL_F32: *(fl_word4 *)out = 0x3f800000; return 1;
    case FL_F64: *(fl_word8 *)out = 0x3ff0000000000000; return 1;
    case FL_BF16: *(fl_word2 *)out = 0x3f80; return 1;
    case FL_F16: *(fl_word2 *)out = 0x3c00; return 1;
    default: *out = 1; return !fl_is_complex(dtype);
    }
}

/* The initial value takes part once for the window and once for each padded place: that is the same as once when combining it
 * again changes nothing, or when it is the identity. */
static int initial_is_harmless(const fl_program *program, fl_combine_kind kind, fl_dtype dtype,
                               fl_ref initial)
{
    static const char zeros[16];
    char one[16];
    if (kind != FL_COMBINE_add && kind != FL_COMBINE_multiply) return 1;
    if (!program) return 0;
    const fl_op *op = program->defs[initial].op;
    const fl_attr *value = op && op->code == FL_OP_constant ? fl_op_attr(op, FL_ATTR_value) : NULL;
    const size_t size = fl_dtype_bytes(dtype);
    if (!value || value->count < size) return 0;
    if (kind == FL_COMBINE_add) return !memcmp(value->u.dense, zeros, size);
    return find_identity(kind, dtype, one) && !memcmp(value->u.dense, one, size);
}

int fl_window_combine_kind(const fl_program *program, const fl_block *region)
{
    switch (fl_region_monoid(program, region)) {
    case FL_OP_add: return FL_COMBINE_add;
    case FL_OP_multiply: return FL_COMBINE_multiply;
    case FL_OP_maximum: return FL_COMBINE_maximum;
    case FL_OP_minimum: return FL_COMBINE_minimum;
    case FL_OP_and: return FL_COMBINE_and;
    case FL_OP_or: return FL_COMBINE_or;
    default: return -1;
    }
}

static fl_status prepare_pairs(fl_step *step, window *w)
{
    w->index_element = (int64_t)fl_dtype_bytes((fl_dtype)step->inputs[1].dtype);
    w->pool = FL_ISA_PICK(fl_pool_row_find)(w->dtype, (fl_dtype)step->inputs[1].dtype);
    if (!w->pool || fl_pair_kind_of(step->op) != FL_PAIR_MAX_FIRST) return FL_NO_KERNEL();
    read_dims(w, step);
    const fl_window_dim *last = &w->dim[w->rank - 1];
    w->by_table = w->dtype == FL_F32 && w->index_element == 8 && last->out < SHORT_ROW;
    for (int i = 0; i < w->rank; i++) w->by_table &= w->dim[i].index_stride == 2 * w->dim[i].in_stride;
    return last->dilation == 1 ? NULL : FL_NO_KERNEL();
}

static fl_status prepare_single(const fl_program *program, fl_step *step, window *w)
{
    int kind = fl_window_combine_kind(program, step->op->regions[0]);
    if (kind < 0) return FL_NO_KERNEL();
    w->apart = !initial_is_harmless(program, (fl_combine_kind)kind, w->dtype, step->op->operands[1]);
    if (w->apart && !find_identity((fl_combine_kind)kind, w->dtype, w->identity)) return FL_NO_KERNEL();
    w->combine = FL_ISA_PICK(fl_combine_find)((fl_combine_kind)kind, w->dtype);
    if (!w->combine.row) return FL_NO_KERNEL();
    w->index_element = 0;
    w->by_table = kind == FL_COMBINE_add && w->dtype == FL_F32 && !w->apart;
    read_dims(w, step);
    const fl_window_dim *last = &w->dim[w->rank - 1];
    w->trivial = is_trivial(last);
    w->scan_dim = find_scan(w, &w->backwards);
    if (w->scan_dim >= 0) {
        if (w->apart) return FL_NO_KERNEL();
        w->scan = FL_ISA_PICK(fl_scan_find)((fl_combine_kind)kind, w->dtype);
        w->rows = 1;
        for (int i = 0; i < w->rank; i++)
            if (i != w->scan_dim && (i < w->rank - 1)) w->rows *= w->dim[i].in;
        return NULL;
    }
    int64_t span;
    if (__builtin_mul_overflow(last->size - 1, last->spread, &span) || span >= CHUNK_BYTES / 2 / w->element ||
        last->stride >= CHUNK_BYTES / 4 / w->element)
        return FL_NO_KERNEL();
    return NULL;
}

fl_status fl_prepare_reduce_window(const fl_program *program, fl_step *step, fl_arena *arena)
{
    const fl_pair_kind kind = fl_pair_kind_of(step->op);
    if (kind == FL_PAIR_MAX_LAST || kind == FL_PAIR_MIN_LAST)
        return fl_prepare_extreme_scan(program, step, arena, kind == FL_PAIR_MAX_LAST);
    window *w = FL_NEW(arena, window);
    if (!w) return FL_NO_MEMORY();
    w->dtype = (fl_dtype)step->inputs[0].dtype;
    w->element = (int64_t)fl_dtype_bytes(w->dtype);
    w->scan_dim = -1;
    for (int i = 0; i < step->output_count; i++) /* a region may compute in a wider type */
        if (step->outputs[i].dtype != step->inputs[i].dtype) return FL_NO_KERNEL();
    if (step->input_count == 4)
        FL_TRY(prepare_pairs(step, w));
    else if (step->input_count == 2)
        FL_TRY(prepare_single(program, step, w));
    else
        return FL_NO_KERNEL();
    step->data = w;
    step->run = w->scan_dim >= 0 ? run_scan : run_window;
    if (w->by_table && w->scan_dim < 0) {
        fl_window_table *table = NULL;
        FL_TRY(fl_window_table_plan(w->rank, w->dim, arena, &table));
        if (table) step->data = table, step->run = fl_window_table_run;
    }
    int64_t taps = 1, row = w->scan_dim >= 0 && w->scan_dim < w->rank - 1
                                ? w->dim[w->scan_dim].in * w->dim[w->rank - 1].in
                                : w->dim[w->rank - 1].out;
    for (int i = 0; i < w->rank && w->scan_dim < 0; i++) taps *= w->dim[i].size;
    w->grain = 1 + 16384 / (row * taps + 1);
    step->cost = fl_step_traffic(step) + (w->rows * row * taps) / 4;
    if (fl_operand_elements(&step->outputs[0]) == 0) w->rows = 0;
    return NULL;
}
