/* sort with the comparators that fl_sort_form recognises, and top_k. Each row (the elements along the sorted dim) becomes items
 * of key and position, which are sorted; then every operand is read in the order of the positions. Rows are divided among
 * threads, or a long row is sorted by all of them. */
#include "base/pool.h"
#include "cpu/kernels/kernel.h"
#include "cpu/kernels/sort_keys.h"

#include <string.h>

typedef struct sort_data {
    fl_dtype dtype;
    int descending;
    int64_t n, take; /* length of a row; how much of the sorted row is wanted */
    int64_t rows;
    int64_t workers; /* pieces with scratch of their own; 1 with long rows */
    int64_t piece;   /* bytes of scratch for each */
    int dim;         /* the sorted one */
    int iota;        /* bit k: operand k counts along the sorted dim, so that positions are its values */
} sort_data;

typedef struct sort_job {
    const fl_step *step;
    void *const *slots;
} sort_job;

static int key_known(fl_dtype dtype)
{
    switch (dtype) {
    case FL_I1:
    case FL_I2:
    case FL_I4:
    case FL_I8:
    case FL_I16:
    case FL_I32:
    case FL_I64:
    case FL_U2:
    case FL_U4:
    case FL_U8:
    case FL_U16:
    case FL_U32:
    case FL_U64:
    case FL_BF16:
    case FL_F16:
    case FL_F32:
    case FL_F64: return 1;
    default: return 0;
    }
}

/* A row's place in an operand, in bytes. */
static int64_t row_offset(const sort_data *s, const fl_operand *o, int64_t row)
{
    int64_t offset = 0;
    for (int d = o->rank - 1; d >= 0; d--) {
        if (d == s->dim) continue;
        offset += row % o->dims[d] * o->strides[d];
        row /= o->dims[d];
    }
    return offset * (int64_t)fl_dtype_bytes((fl_dtype)o->dtype);
}

typedef struct permute_job {
    char *to;
    const char *from;
    int64_t to_stride, from_stride;
    const uint64_t *items; /* positions: the low half of every item */
    uint64_t mask;
    int64_t item_words;
    size_t element;
    int iota;
} permute_job;

static void permute(void *ctx, int64_t begin, int64_t end)
{
    const permute_job *p = ctx;
    const uint64_t *at = p->items + begin * p->item_words;
    char *to = p->to + begin * p->to_stride;
    int64_t n = end - begin, w = p->item_words;
    switch (p->element * 2 + (p->iota != 0)) {
#define CASE(W)                                                                                              \
    case W * 2:                                                                                              \
        for (int64_t i = 0; i < n; i++)                                                                      \
            *(fl_word##W *)(to + i * p->to_stride) =                                                         \
                *(const fl_word##W *)(p->from + (int64_t)(at[i * w] & p->mask) * p->from_stride);            \
        break;
        FL_WORDS(CASE)
#undef CASE
    case 4 * 2 + 1:
        for (int64_t i = 0; i < n; i++)
            *(fl_word4 *)(to + i * p->to_stride) = (uint32_t)(at[i * w] & p->mask);
        break;
    case 8 * 2 + 1:
        for (int64_t i = 0; i < n; i++) *(fl_word8 *)(to + i * p->to_stride) = at[i * w] & p->mask;
        break;
    }
}

/* Items of a row into `items`; returns their width in bits. Rows of 64-bit keys within a range of 2^32 are packed into 64. */
static int make_items(const sort_data *s, const char *x, int64_t stride, void *items, void *buffer)
{
    uint64_t *packed = items;
    if (!fl_key_is_wide(s->dtype)) {
        uint32_t *keys = buffer;
        FL_ISA_PICK(fl_keys_32)(s->dtype, s->descending, x, stride, s->n, keys);
        for (int64_t i = 0; i < s->n; i++) packed[i] = (uint64_t)keys[i] << 32 | (uint64_t)i;
        return 64;
    }
    uint64_t *keys = buffer, least = UINT64_MAX, most = 0;
    FL_ISA_PICK(fl_keys_64)(s->dtype, s->descending, x, stride, s->n, keys);
    for (int64_t i = 0; i < s->n; i++) {
        least = FL_MIN(least, keys[i]);
        most = FL_MAX(most, keys[i]);
    }
    if (most - least <= UINT32_MAX && s->n <= UINT32_MAX) {
        for (int64_t i = 0; i < s->n; i++) packed[i] = (keys[i] - least) << 32 | (uint64_t)i;
        return 64;
    }
    fl_item128 *wide = items;
    for (int64_t i = 0; i < s->n; i++) wide[i] = (fl_item128)keys[i] << 64 | (uint64_t)i;
    return 128;
}

/* Writes the first `take` of the sorted row of every operand. */
static void write_row(const sort_job *job, int64_t row, const void *items, int bits, int parallel)
{
    const fl_step *step = job->step;
    const sort_data *s = step->data;
    for (int k = 0; k < step->input_count; k++) {
        const fl_operand *in = &step->inputs[k], *out = &step->outputs[k];
        int64_t element = (int64_t)fl_dtype_bytes((fl_dtype)in->dtype);
        int64_t dense[FL_MAX_RANK];
        fl_dense_strides(out->rank, out->dims, dense);
        int64_t inner = dense[s->dim], outer = row / inner, rest = row % inner; /* the result is dense */
        permute_job p = {(char *)fl_operand_pointer(out, job->slots) +
                             (outer * inner * out->dims[s->dim] + rest) * element,
                         (const char *)fl_operand_pointer(in, job->slots) + row_offset(s, in, row),
                         inner * element,
                         in->strides[s->dim] * element,
                         items,
                         bits == 64 ? UINT32_MAX : UINT64_MAX,
                         bits / 64,
                         (size_t)element,
                         s->iota >> k & 1};
        if (parallel) {
            fl_parallel_for(s->take, 16384, permute, &p);
        } else {
            permute(&p, 0, s->take);
        }
    }
}

static void sort_row(const sort_job *job, int64_t row, char *scratch, int parallel)
{
    const sort_data *s = job->step->data;
    const fl_operand *in = &job->step->inputs[0];
    const char *x = (const char *)fl_operand_pointer(in, job->slots) + row_offset(s, in, row);
    int64_t stride = in->strides[s->dim] * (int64_t)fl_dtype_bytes(s->dtype);
    void *items = scratch, *buffer = scratch + s->piece / 2;
    int bits = make_items(s, x, stride, items, buffer);
    if (bits == 64) {
        items = (parallel ? fl_sort_long64 : fl_sort_items64)(items, buffer, s->n);
    } else {
        items = (parallel ? fl_sort_long128 : fl_sort_items128)(items, buffer, s->n);
    }
    write_row(job, row, items, bits, parallel);
}

static void sort_rows(void *ctx, int64_t begin, int64_t end)
{
    const sort_job *job = ctx;
    const sort_data *s = job->step->data;
    char *scratch = job->slots[job->step->scratch_slot];
    for (int64_t w = begin; w < end; w++)
        for (int64_t row = s->rows * w / s->workers; row < s->rows * (w + 1) / s->workers; row++)
            sort_row(job, row, scratch + w * s->piece, 0);
}

static fl_status run_sort(const fl_step *step, void *const *slots)
{
    const sort_data *s = step->data;
    sort_job job = {step, slots};
    if (s->workers > 1) {
        fl_parallel_for(s->workers, 1, sort_rows, &job);
        return NULL;
    }
    for (int64_t row = 0; row < s->rows; row++) sort_row(&job, row, slots[step->scratch_slot], 1);
    return NULL;
}

/* Rows, scratch and the division of work; the keys are those of input 0. */
static fl_status plan_rows(sort_data *s, fl_step *step, int64_t items_a_row)
{
    const fl_operand *in = &step->inputs[0];
    s->dtype = (fl_dtype)in->dtype;
    if (!key_known(s->dtype)) return FL_NO_KERNEL();
    s->n = in->dims[s->dim];
    s->rows = 1;
    for (int d = 0; d < in->rank; d++)
        if (d != s->dim) s->rows *= in->dims[d];
    if (!s->n) s->rows = 0;
    if (s->n > UINT32_MAX && !fl_key_is_wide(s->dtype)) return FL_NO_KERNEL();
    int64_t item = fl_key_is_wide(s->dtype) ? 16 : 8, threads = FL_MIN(fl_pool_threads(), 256);
    s->piece = (2 * items_a_row * item + 127) / 128 * 128;
    s->workers = s->n * s->rows < 4096 ? 1 : FL_MIN(threads, s->rows);
    if (s->rows < threads && s->n > 65536) s->workers = 1;
    step->scratch_bytes = (size_t)(s->workers * s->piece);
    step->cost = fl_step_traffic(step) + 16 * s->n * s->rows;
    return NULL;
}

fl_status fl_prepare_sort(const fl_program *program, fl_step *step, fl_arena *arena)
{
    int descending;
    if (!fl_sort_form(program, step->op, &descending)) return FL_NO_KERNEL();
    sort_data *s = FL_NEW(arena, sort_data);
    if (!s) return FL_NO_MEMORY();
    s->dim = (int)fl_op_int(step->op, FL_ATTR_dimension, -1);
    if (s->dim < 0) s->dim += step->inputs[0].rank;
    s->descending = descending;
    FL_TRY(plan_rows(s, step, step->inputs[0].dims[s->dim]));
    s->take = s->n;
    for (int k = 1; k < step->input_count && k < 32; k++) {
        const fl_op *source = program->defs[step->op->operands[k]].op;
        size_t bytes = fl_dtype_bytes((fl_dtype)step->inputs[k].dtype);
        if (source && source->code == FL_OP_iota && fl_op_int(source, FL_ATTR_iota_dimension, -1) == s->dim &&
            fl_is_int((fl_dtype)step->inputs[k].dtype) && (bytes == 4 || bytes == 8))
            s->iota |= 1 << k;
    }
    step->run = run_sort;
    step->data = s;
    return NULL;
}

/* top_k: the k first items of each row sorted descending. Of the items only those that beat the k-th best so far are kept:
 * a few in order; else the buffer fills up, is sorted, and is cut back to k. */

#define FEW_BEST 32 /* so many are kept in order, each in its place at once */

static int64_t top_capacity(int64_t k)
{
    return k <= FEW_BEST ? k : FL_MAX(2 * k, 256);
}

/* Of items with keys of BITS bits. insert: puts an item into its place among those in order, and returns how many there are, `most` at
 * most. select: the items of the first `take` of a row, in one of the two arrays. */
#define SORT_32 fl_sort_items64
#define SORT_64 fl_sort_items128
#define SELECT(BITS, T)                                                                                      \
    static int64_t insert_##BITS(T *items, int64_t count, int64_t most, T x)                                 \
    {                                                                                                        \
        int64_t i = count < most ? count++ : most - 1;                                                       \
        for (; i > 0 && items[i - 1] > x; i--) items[i] = items[i - 1];                                      \
        items[i] = x;                                                                                        \
        return count;                                                                                        \
    }                                                                                                        \
    static T *select_##BITS(const sort_data *s, const char *x, int64_t stride, T *items, T *buffer)          \
    {                                                                                                        \
        uint##BITS##_t keys[512], limit = UINT##BITS##_MAX;                                                  \
        int64_t count = 0, capacity = top_capacity(s->take), full = 0;                                       \
        for (int64_t at = 0; at < s->n; at += 512) {                                                         \
            int64_t m = FL_MIN(512, s->n - at);                                                              \
            FL_ISA_PICK(fl_keys_##BITS)(s->dtype, s->descending, x + at * stride, stride, m, keys);          \
            for (int64_t i = 0; i < m; i++) {                                                                \
                if (full && keys[i] >= limit) continue; /* equal ones come later, so they lose */            \
                const T item = (T)keys[i] << BITS | (T)(at + i);                                             \
                if (capacity == s->take) {                                                                   \
                    count = insert_##BITS(items, count, capacity, item);                                     \
                    full = count == capacity, limit = (uint##BITS##_t)(items[count - 1] >> BITS);            \
                    continue;                                                                                \
                }                                                                                            \
                items[count++] = item;                                                                       \
                if (count < capacity) continue;                                                              \
                T *sorted = SORT_##BITS(items, buffer, count);                                               \
                if (sorted != items) buffer = items, items = sorted;                                         \
                count = s->take, full = 1, limit = (uint##BITS##_t)(items[count - 1] >> BITS);               \
            }                                                                                                \
        }                                                                                                    \
        return capacity == s->take ? items : SORT_##BITS(items, buffer, count);                              \
    }
SELECT(32, uint64_t)
SELECT(64, fl_item128)
#undef SELECT

static void top_rows(void *ctx, int64_t begin, int64_t end)
{
    const sort_job *job = ctx;
    const fl_operand *in = &job->step->inputs[0], *values = &job->step->outputs[0],
                     *indices = &job->step->outputs[1];
    const sort_data *s = job->step->data;
    int64_t element = (int64_t)fl_dtype_bytes(s->dtype), stride = in->strides[s->dim] * element;
    int64_t width = (int64_t)fl_dtype_bytes((fl_dtype)indices->dtype);
    for (int64_t w = begin; w < end; w++) {
        void *items = (char *)job->slots[job->step->scratch_slot] + w * s->piece,
             *buffer = (char *)items + s->piece / 2;
        for (int64_t row = s->rows * w / s->workers; row < s->rows * (w + 1) / s->workers; row++) {
            const char *x = (const char *)fl_operand_pointer(in, job->slots) + row_offset(s, in, row);
            int bits = 64;
            void *sorted;
            if (top_capacity(s->take) < s->n) {
                const int wide = fl_key_is_wide(s->dtype);
                bits = wide ? 128 : 64;
                sorted = wide ? (void *)select_64(s, x, stride, items, buffer)
                              : select_32(s, x, stride, items, buffer);
            } else {
                bits = make_items(s, x, stride, items, buffer);
                sorted = bits == 64 ? (void *)fl_sort_items64(items, buffer, s->n)
                                    : fl_sort_items128(items, buffer, s->n);
            }
            permute_job p = {(char *)fl_operand_pointer(values, job->slots) + row * s->take * element,
                             x,
                             element,
                             stride,
                             sorted,
                             bits == 64 ? UINT32_MAX : UINT64_MAX,
                             bits / 64,
                             (size_t)element,
                             0};
            permute(&p, 0, s->take);
            p.to = (char *)fl_operand_pointer(indices, job->slots) + row * s->take * width;
            p.to_stride = width, p.element = (size_t)width, p.iota = 1;
            permute(&p, 0, s->take);
        }
    }
}

static fl_status run_top_k(const fl_step *step, void *const *slots)
{
    const sort_data *s = step->data;
    sort_job job = {step, slots};
    if (s->rows && s->take) fl_parallel_for(s->workers, 1, top_rows, &job);
    return NULL;
}

fl_status fl_prepare_top_k(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *in = &step->inputs[0];
    if (in->rank == 0 || fl_dtype_bytes((fl_dtype)step->outputs[1].dtype) < 4) return FL_NO_KERNEL();
    sort_data *s = FL_NEW(arena, sort_data);
    if (!s) return FL_NO_MEMORY();
    s->dim = in->rank - 1;
    s->descending = 1;
    s->take = step->outputs[0].dims[s->dim];
    int64_t n = in->dims[s->dim], capacity = top_capacity(s->take);
    FL_TRY(plan_rows(s, step, FL_MIN(capacity, n)));
    step->run = run_top_k;
    step->data = s;
    return NULL;
}
