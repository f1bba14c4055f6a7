#include "cpu/kernels/dot.h"

#include "base/pool.h"

#include <string.h>

/* Merges dimensions given outermost first; dimensions of size 1 do not matter. */
static int merge(const fl_operand *o, const int64_t *dims, int count, int64_t *stride)
{
    int64_t expected = 0;
    int found = 0;
    *stride = 1;
    for (int i = count - 1; i >= 0; i--) {
        int64_t size = o->dims[dims[i]], s = o->strides[dims[i]];
        if (size == 1) continue;
        if (!found)
            *stride = s;
        else if (s != expected)
            return 0;
        found = 1;
        expected = s * size;
    }
    return 1;
}

static void add_dims(fl_dot_side *s, const fl_operand *o, const int64_t *dims, int count)
{
    for (int i = 0; i < count; i++) {
        s->copy_dims[s->copy_rank] = o->dims[dims[i]];
        s->copy_strides[s->copy_rank++] = o->strides[dims[i]];
    }
}

static void plan_copy(const fl_operand *o, const fl_dot_roles *r, int64_t outer, int64_t inner,
                      fl_dot_side *s)
{
    s->copy_rank = 0;
    add_dims(s, o, r->batch, r->batch_count);
    if (!s->down) add_dims(s, o, r->free, r->free_count);
    add_dims(s, o, r->contract, r->contract_count);
    if (s->down) add_dims(s, o, r->free, r->free_count);
    if (s->down ? r->free_count == 0 : r->contract_count == 0) {
        s->copy_dims[s->copy_rank] = 1;
        s->copy_strides[s->copy_rank++] = 0;
    }
    s->depth = s->down ? outer : inner;
    s->copied = s->parts = 1;
    s->outer = inner;
    s->inner = 1;
    int64_t stride = outer * inner;
    for (int i = r->batch_count - 1; i >= 0; i--) {
        s->batch_strides[i] = stride;
        stride *= o->dims[r->batch[i]];
    }
}

int fl_dot_plan_side(const fl_gemm_type *type, const fl_operand *o, const fl_dot_roles *r, int64_t outer,
                     int64_t inner, fl_dot_side *s)
{
    memset(s, 0, sizeof *s);
    s->dtype = o->dtype;
    if (fl_gemm_packs(type, o->dtype) && merge(o, r->free, r->free_count, &s->outer) &&
        merge(o, r->contract, r->contract_count, &s->inner)) {
        for (int i = 0; i < r->batch_count; i++) s->batch_strides[i] = o->strides[r->batch[i]];
        return 0;
    }
    plan_copy(o, r, outer, inner, s);
    s->dtype = type->dtype;
    return 1;
}

void fl_dot_plan_complex(const fl_gemm_type *type, const fl_operand *o, const fl_dot_roles *r, int64_t outer,
                         int64_t inner, int right, fl_dot_side *s)
{
    int64_t free_stride, contract_stride;
    memset(s, 0, sizeof *s);
    const int merged = merge(o, r->free, r->free_count, &free_stride) &&
                       merge(o, r->contract, r->contract_count, &contract_stride);
    if (!right && merged && (contract_stride == 1 || inner == 1)) { /* the pairs are there */
        s->dtype = type->dtype;
        s->outer = 2 * free_stride;
        s->inner = 1;
        for (int i = 0; i < r->batch_count; i++) s->batch_strides[i] = 2 * o->strides[r->batch[i]];
        return;
    }
    s->down = right && r->free_count > 0 && o->strides[r->free[r->free_count - 1]] == 1;
    plan_copy(o, r, outer, inner, s);
    s->dtype = type->dtype;
    s->parts = right ? 4 : 2;
    s->outer = s->down ? 1 : 2 * inner;
    s->inner = s->down ? 2 * outer : 1;
    for (int i = 0; i < r->batch_count; i++) s->batch_strides[i] *= s->parts;
}

typedef struct copy_run {
    const fl_dot_side *s;
    fl_dtype from, to;
    const char *in;
    char *out;
} copy_run;

/* `row` of n elements in the copy's order. Two rows or columns of the rhs lie 2 * depth reals apart. */
#define COPY_COMPLEX(T)                                                                                      \
    do {                                                                                                     \
        const int64_t at = row * n;                                                                          \
        T *to = (T *)c->out + at / depth * depth * parts + at % depth * 2, *second = to + 2 * depth;         \
        const T *from = (const T *)in;                                                                       \
        for (int64_t k = 0; k < n; k++, from += 2 * stride, to += 2, second += 2) {                          \
            const T re = from[0], im = from[1];                                                              \
            to[0] = re, to[1] = parts == 4 && !down ? -im : im;                                              \
            if (parts == 4) second[0] = down ? -im : im, second[1] = re;                                     \
        }                                                                                                    \
    } while (0)

static void copy_complex(const copy_run *c, int64_t row, const char *in, int64_t stride, int64_t n)
{
    const int parts = c->s->parts, down = c->s->down;
    const int64_t depth = c->s->depth;
    if (c->to == FL_F32)
        COPY_COMPLEX(float);
    else
        COPY_COMPLEX(double);
}

static void copy_rows(void *ctx, int64_t begin, int64_t end)
{
    const copy_run *c = ctx;
    const fl_dot_side *s = c->s;
    const int rank = s->copy_rank;
    const int64_t inner = s->copy_dims[rank - 1], stride = s->copy_strides[rank - 1];
    const int64_t in_size = (int64_t)fl_dtype_bytes(c->from), out_size = (int64_t)fl_dtype_bytes(c->to);
    for (int64_t row = begin; row < end; row++) {
        int64_t offset = 0, rest = row;
        for (int i = rank - 2; i >= 0; i--) {
            offset += rest % s->copy_dims[i] * s->copy_strides[i];
            rest /= s->copy_dims[i];
        }
        if (s->parts > 1)
            copy_complex(c, row, c->in + offset * in_size, stride, inner);
        else
            fl_gemm_load(c->out + row * inner * out_size, c->to, c->in + offset * in_size, c->from, stride,
                         inner);
    }
}

const char *fl_dot_copy(const fl_dot_side *s, const fl_operand *o, fl_dtype compute, const char *in,
                        char *scratch)
{
    if (!s->copied) return in;
    int64_t rows = 1;
    for (int i = 0; i + 1 < s->copy_rank; i++) rows *= s->copy_dims[i];
    const int64_t inner = s->copy_dims[s->copy_rank - 1];
    copy_run c = {s, o->dtype, compute, in, scratch + s->copy_offset};
    if (inner) fl_parallel_for(rows, 1 + 32768 / (inner + 1), copy_rows, &c);
    return c.out;
}
