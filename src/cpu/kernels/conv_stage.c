#include "cpu/kernels/conv_stage.h"

#include <string.h>

/* The part [*begin, *end) of `n` positions from `first` on that lies in the image. */
static void inside(int64_t first, int64_t n, int64_t size, int64_t *begin, int64_t *end)
{
    *begin = FL_MIN(FL_MAX(-first, 0), n);
    *end = FL_MAX(FL_MIN(size - first, n), *begin);
}

/* `rows` rows of `n` positions each, to rows of `columns` positions. */
static void copy_rows(const fl_conv_side *s, const fl_gemm_type *type, const char *from, int64_t rows,
                      int64_t n, float *to, int64_t columns)
{
    const int64_t bytes = (int64_t)fl_dtype_bytes(s->dtype), row = columns * s->step;
    if (s->dtype == FL_F32 && s->stride[1] == 1 && s->channel != 1) {
        const int whole = s->stride[0] == n;
        const fl_conv_span span = {whole ? rows * n : n, n, s->step, (columns - n) * s->step, s->channel};
        for (int64_t r = 0; r < rows; r += whole ? rows : 1)
            FL_ISA_PICK(fl_conv_table)
                ->gather(to + r * row, (const float *)from + r * s->stride[0], &span, s->channels);
        return;
    }
    const int as_is =
        s->dtype == FL_F32 && s->channel == 1 && s->stride[1] == s->channels && s->step == s->channels;
    const int64_t piece = s->step == s->padded ? n : 1; /* positions that pack takes at once */
    for (int64_t r = 0; r < rows; r++, from += s->stride[0] * bytes, to += row) {
        if (as_is) memcpy(to, from, (size_t)(n * s->channels) * 4);
        for (int64_t i = 0; i < n && !as_is; i += piece)
            type->pack(to + i * s->step, s->padded, from + i * s->stride[1] * bytes, s->dtype, s->channel,
                       s->stride[1], s->channels, piece);
    }
}

void fl_conv_stage(const fl_conv_side *s, const fl_gemm_type *type, const char *image, int64_t first,
                   int64_t rows, int64_t columns, float *to, atomic_int *out_rough)
{
    const int64_t bytes = (int64_t)fl_dtype_bytes(s->dtype), row = columns * s->step;
    int64_t top, bottom, left, right;
    inside(first - s->low[0], rows, s->size[0], &top, &bottom);
    inside(-s->low[1], columns, s->size[1], &left, &right);
    if (left == right) bottom = top;
    if (bottom > top)
        copy_rows(s, type,
                  image +
                      ((first + top - s->low[0]) * s->stride[0] + (left - s->low[1]) * s->stride[1]) * bytes,
                  bottom - top, right - left, to + top * row + left * s->step, columns);
    /* last, since copies run over the end of a position */
    memset(to, 0, (size_t)(top * row) * 4);
    for (int64_t r = top; r < bottom; r++) {
        memset(to + r * row, 0, (size_t)(left * s->step) * 4);
        memset(to + r * row + right * s->step, 0, (size_t)((columns - right) * s->step) * 4);
    }
    memset(to + bottom * row, 0, (size_t)((rows - bottom) * row) * 4);
    if (out_rough && FL_ISA_PICK(fl_conv_table)->largest(to, rows * row) > FL_CONV_ROUGH)
        atomic_store_explicit(out_rough, 1, memory_order_relaxed);
}

void fl_conv_store_rows(const fl_conv *c, const float *from, int64_t row, int64_t width, int64_t first,
                        int64_t rows, int64_t outputs, char *out)
{
    const fl_conv_dim *y = &c->dim[1], *x = &c->dim[2];
    const int64_t bytes = (int64_t)fl_dtype_bytes(c->out_dtype);
    rows = FL_MIN(rows, y->out - first);
    out += first * y->out_stride * bytes;
    if (c->out_dtype == FL_F32 && x->out_stride == 1 && c->out_feature != 1) {
        const int whole = y->out_stride == x->out;
        const fl_conv_span span = {whole ? rows * x->out : x->out, x->out, width, row - x->out * width,
                                   c->out_feature};
        for (int64_t r = 0; r < rows; r += whole ? rows : 1)
            FL_ISA_PICK(fl_conv_table)
                ->scatter((float *)out + r * y->out_stride, from + r * row, &span, outputs);
        return;
    }
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < x->out; j++)
            fl_conv_store(c, out + (r * y->out_stride + j * x->out_stride) * bytes, c->out_feature,
                          (const char *)(from + r * row + j * width), outputs);
}

/* Whether taps follow each other in memory, forwards (1) or backwards (-1). */
static int taps_in_order(const fl_conv *c, int64_t taps)
{
    const int64_t way = c->dim[2].taps > 1 ? c->dim[2].tap_stride : c->dim[1].tap_stride;
    int64_t step = way < 0 ? -1 : 1;
    for (int i = FL_CONV_DIMS - 1; i >= 0; i--) {
        if (c->dim[i].taps > 1 && c->dim[i].tap_stride != step) return 0;
        step *= c->dim[i].taps;
    }
    return taps == 1 ? 1 : way < 0 ? -1 : 1;
}

void fl_conv_weights_by_tap(const fl_conv *c, float *to, int64_t tap, int64_t feature, const char *kernel,
                            int64_t first, int64_t rows)
{
    const int64_t bytes = (int64_t)fl_dtype_bytes(c->kernel_dtype),
                  taps = c->dim[0].taps * c->dim[1].taps * c->dim[2].taps,
                  width = fl_round_up(rows, c->type->lanes);
    const int order = c->kernel_dtype == FL_F32 && c->kernel_out != 1 ? taps_in_order(c, taps) : 0;
    if (order) { /* a transposition from [output][tap], for all features at once where taps follow features */
        const float *from = (const float *)kernel + c->kernel_base + first * c->kernel_out;
        if (order < 0) from -= taps - 1, to += (taps - 1) * tap, tap = -tap;
        const int whole = c->kernel_in == taps;
        const fl_conv_span span = {whole ? taps * c->features : taps, taps, tap, feature - taps * tap,
                                   c->kernel_out};
        for (int64_t f = 0; f < c->features; f += whole ? c->features : 1)
            FL_ISA_PICK(fl_conv_table)->gather(to + f * feature, from + f * c->kernel_in, &span, rows);
        return;
    }
    for (int64_t t = 0; t < taps; t++) {
        const int64_t a = t / c->dim[2].taps / c->dim[1].taps, b = t / c->dim[2].taps % c->dim[1].taps,
                      e = t % c->dim[2].taps,
                      place = a * c->dim[0].tap_stride + b * c->dim[1].tap_stride + e * c->dim[2].tap_stride;
        const char *from = kernel + (c->kernel_base + first * c->kernel_out + place) * bytes;
        const int64_t piece = feature == width ? c->features : 1;
        for (int64_t f = 0; f < c->features; f += piece)
            c->type->pack(to + t * tap + f * feature, width, from + f * c->kernel_in * bytes, c->kernel_dtype,
                          c->kernel_out, c->kernel_in, rows, piece);
    }
}

int fl_conv_next_rows(int64_t rows_of_image, fl_conv_rows *r)
{
    r->before += r->count;
    r->at += r->count;
    if (r->at >= r->end) return 0;
    r->image = r->at / rows_of_image, r->row = r->at % rows_of_image;
    r->count = FL_MIN(rows_of_image - r->row, r->end - r->at);
    return 1;
}
