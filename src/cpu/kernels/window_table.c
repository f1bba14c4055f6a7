/* Sums over windows, and their largest elements with positions, by table. Rows of small planes are too short for vectors, so all results of a plane (or of several planes)
 * are one long row, whose inputs are gathered. Padding and holes are entries of -1. */
#include "base/pool.h"
#include "cpu/kernels/kernel.h"
#include "cpu/kernels/window.h"

#define MOST_ENTRIES 32768
#define FEW_RESULTS  64 /* fewer in a plane: several planes share a table */

struct fl_window_table {
    int outer_rank;
    int64_t outer_dims[FL_MAX_RANK], outer_strides[FL_MAX_RANK]; /* strides in bytes */
    int64_t planes, count, taps, grain;
    int32_t *entries;
};

static int64_t largest_group(int64_t dim, int64_t count)
{
    int64_t group = 1;
    while (group * 2 * count <= FEW_RESULTS && dim % (group * 2) == 0) group *= 2;
    return group;
}

/* Where tap `tap` of result `result` is, in elements, or -1; both count in row-major order. */
static int64_t place_of(int rank, const fl_window_dim *dims, int first, int64_t result, int64_t tap)
{
    int64_t offset = 0;
    for (int i = rank - 1; i >= first; i--) {
        const fl_window_dim *d = &dims[i];
        const int64_t at = fl_window_position(d, result % d->out, tap % d->size);
        if (at < 0) return -1;
        offset += at * d->in_stride;
        result /= d->out, tap /= d->size;
    }
    return offset / (int64_t)sizeof(float);
}

static int fill_entries(fl_window_table *t, int rank, const fl_window_dim *dims, int first, int64_t group,
                        int64_t group_stride)
{
    const int64_t padded = (t->count + 15) / 16 * 16, plane = t->count / group;
    for (int64_t tap = 0; tap < t->taps; tap++)
        for (int64_t i = 0; i < padded; i++) {
            int64_t at = i < t->count ? place_of(rank, dims, first, i % plane, tap) : -1;
            if (at >= 0) at += i / plane * group_stride / (int64_t)sizeof(float);
            if (at < -1 || at > INT32_MAX) return 0;
            t->entries[tap * padded + i] = (int32_t)at;
        }
    return 1;
}

fl_status fl_window_table_plan(int rank, const fl_window_dim *dims, fl_arena *arena, fl_window_table **out)
{
    int first = 0;
    *out = NULL;
    while (first < rank && dims[first].size == 1 && dims[first].stride == 1 && dims[first].low == 0 &&
           dims[first].dilation == 1 && dims[first].in == dims[first].out)
        first++;
    int64_t count = 1, taps = 1;
    for (int i = first; i < rank; i++) {
        if (dims[i].in_stride < 0 || __builtin_mul_overflow(count, dims[i].out, &count) ||
            __builtin_mul_overflow(taps, dims[i].size, &taps))
            return NULL;
        if (count > MOST_ENTRIES || taps > MOST_ENTRIES) return NULL;
    }
    if (first == rank || !count || count * taps > MOST_ENTRIES) return NULL;
    fl_window_table *t = FL_NEW(arena, fl_window_table);
    if (!t) return FL_NO_MEMORY();
    t->planes = 1;
    t->outer_rank = first;
    for (int i = 0; i < first; i++) {
        t->outer_dims[i] = dims[i].in, t->outer_strides[i] = dims[i].in_stride;
        t->planes *= dims[i].in;
    }
    const int64_t group_stride = first && t->outer_strides[first - 1] >= 0 ? t->outer_strides[first - 1] : 0;
    const int64_t group = group_stride ? largest_group(t->outer_dims[first - 1], count) : 1;
    if (group > 1)
        t->outer_dims[first - 1] /= group, t->outer_strides[first - 1] *= group, t->planes /= group;
    t->count = count * group;
    t->taps = taps;
    t->grain = 1 + 16384 / (t->count * taps + 1);
    t->entries = FL_NEW_ARRAY(arena, int32_t, (t->count + 15) / 16 * 16 * taps);
    if (!t->entries) return FL_NO_MEMORY();
    if (fill_entries(t, rank, dims, first, group, group_stride)) *out = t;
    return NULL;
}

typedef struct run {
    const fl_window_table *t;
    const char *in, *index; /* index NULL: sums */
    float *out;
    int64_t *out_index;
    float first;
    int64_t first_index;
} run;

static void run_planes(void *ctx, int64_t begin, int64_t end)
{
    const run *r = ctx;
    const fl_window_table *t = r->t;
    for (int64_t plane = begin; plane < end; plane++) {
        int64_t rest = plane, offset = 0;
        for (int i = t->outer_rank - 1; i >= 0; i--) {
            offset += rest % t->outer_dims[i] * t->outer_strides[i];
            rest /= t->outer_dims[i];
        }
        const float *in = (const float *)(r->in + offset);
        if (!r->index)
            FL_ISA_PICK(fl_window_sums)(r->out + plane * t->count, in, t->entries, t->taps, t->count);
        else /* the two operands have the same strides */
            FL_ISA_PICK(fl_window_pool)(r->out + plane * t->count, r->out_index + plane * t->count, in,
                                        (const int64_t *)(r->index + 2 * offset), t->entries, t->taps,
                                        t->count, r->first, r->first_index);
    }
}

fl_status fl_window_table_run(const fl_step *step, void *const *slots)
{
    run r = {.t = step->data,
             .in = fl_operand_pointer(&step->inputs[0], slots),
             .out = fl_operand_pointer(&step->outputs[0], slots)};
    if (step->input_count == 4) {
        r.index = fl_operand_pointer(&step->inputs[1], slots);
        r.out_index = fl_operand_pointer(&step->outputs[1], slots);
        r.first = *(const float *)fl_operand_pointer(&step->inputs[2], slots);
        r.first_index = *(const int64_t *)fl_operand_pointer(&step->inputs[3], slots);
    }
    fl_parallel_for(r.t->planes, r.t->grain, run_planes, &r);
    return NULL;
}
