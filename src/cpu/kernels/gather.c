/* gather, in two forms. When every index vector fetches one (perhaps wide) element, in the order of the result, offsets are
 * computed in small batches on the stack. Otherwise a table of offsets is made first, and a loop nest over the result's
 * dims (batch dims step in the table, offset dims step in the operand) copies rows or elements. */
#include "base/pool.h"
#include "cpu/kernels/index_map.h"
#include "cpu/kernels/kernel.h"

#include <string.h>

typedef struct gather_data gather_data;
typedef void (*gather_plane)(const gather_data *g, char *to, const char *from, const int64_t *table,
                             int64_t n);

struct gather_data {
    fl_index_map map;
    int64_t element; /* bytes moved at once */
    int direct;      /* one element an index vector */
    /* the nest; the result is dense, so that it only advances */
    int rank;
    int64_t dims[FL_MAX_RANK + 2], step[FL_MAX_RANK + 2],
        from[FL_MAX_RANK + 2]; /* step in the table; from in bytes */
    int64_t rows;
    gather_plane plane;
};

#define AHEAD 8 /* rows prefetched in advance: random rows of a large table miss every cache */

static void plane_rows(const gather_data *g, char *to, const char *from, const int64_t *table, int64_t n)
{
    int r = g->rank;
    int64_t bytes = g->dims[r - 1] * g->element, step = g->step[r - 2], stride = g->from[r - 2];
    for (int64_t i = 0; i < n; i++, to += bytes) {
        if (step && i + AHEAD < n) {
            const char *next = from + table[(i + AHEAD) * step] + (i + AHEAD) * stride;
            __builtin_prefetch(next);
            if (bytes > 64) __builtin_prefetch(next + 64);
        }
        memcpy(to, from + table[i * step] + i * stride, (size_t)bytes);
    }
}

#define PLANE(W)                                                                                             \
    static void plane_elements_##W(const gather_data *g, char *to, const char *from, const int64_t *table,   \
                                   int64_t n)                                                                \
    {                                                                                                        \
        int r = g->rank;                                                                                     \
        int64_t m = g->dims[r - 1], step = g->step[r - 1], stride = g->from[r - 1];                          \
        for (int64_t i = 0; i < n; i++, to += m * W) {                                                       \
            const int64_t *t = table + i * g->step[r - 2];                                                   \
            const char *f = from + i * g->from[r - 2];                                                       \
            if (!step) {                                                                                     \
                f += *t;                                                                                     \
                for (int64_t j = 0; j < m; j++)                                                              \
                    ((fl_word##W *)to)[j] = *(const fl_word##W *)(f + j * stride);                           \
            } else {                                                                                         \
                for (int64_t j = 0; j < m; j++)                                                              \
                    ((fl_word##W *)to)[j] = *(const fl_word##W *)(f + t[j * step]);                          \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static void fetch_##W(char *to, const char *from, const int64_t *offsets, int64_t n)                     \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i++) ((fl_word##W *)to)[i] = *(const fl_word##W *)(from + offsets[i]);    \
    }                                                                                                        \
    /* the common case in one pass: index vectors of one i64 */                                              \
    static void fetch_i64_##W(const fl_index_map *m, char *to, const char *from, const char *p, int64_t n)   \
    {                                                                                                        \
        int64_t stride = m->strides[m->rank - 1], shift = m->shift[m->rank - 1], scale = m->scale[0],        \
                most = m->most[0];                                                                           \
        for (int64_t i = 0; i < n; i++, p += stride, from += shift) {                                        \
            int64_t v = *(const int64_t *)p;                                                                 \
            v = v < 0 ? 0 : v > most ? most : v;                                                             \
            ((fl_word##W *)to)[i] = *(const fl_word##W *)(from + v * scale);                                 \
        }                                                                                                    \
    }
FL_WORDS(PLANE)
#undef PLANE

typedef struct gather_job {
    const gather_data *data;
    char *to;
    const char *from;
    const void *indices;
    const int64_t *table;
} gather_job;

static void gather_direct(void *ctx, int64_t begin, int64_t end)
{
    const gather_job *job = ctx;
    const gather_data *g = job->data;
    int64_t offsets[512];
    for (int64_t i = begin, n; i < end && g->map.dtype == FL_I64 && g->map.components == 1; i = begin += n) {
        const char *p;
        int64_t base;
        n = fl_index_map_run(&g->map, job->indices, i, end, &p, &base);
        switch (g->element) {
#define CASE(W)                                                                                              \
    case W: fetch_i64_##W(&g->map, job->to + i * W, job->from + base, p, n); break;
            FL_WORDS(CASE)
#undef CASE
        }
    }
    for (int64_t i = begin, n; i < end; i += n) {
        n = FL_MIN(end - i, 512);
        fl_index_map_resolve(&g->map, job->indices, i, i + n, 0, offsets);
        char *to = job->to + i * g->element;
        switch (g->element) {
#define CASE(W)                                                                                              \
    case W: fetch_##W(to, job->from, offsets, n); break;
            FL_WORDS(CASE)
#undef CASE
        }
    }
}

static void gather_rows(void *ctx, int64_t begin, int64_t end)
{
    const gather_job *job = ctx;
    const gather_data *g = job->data;
    int inner = g->rank - 2;
    int64_t index[FL_MAX_RANK + 2], rest = begin, row_bytes = g->dims[g->rank - 1] * g->element;
    char *to = job->to + begin * row_bytes;
    const char *from = job->from;
    const int64_t *table = job->table;
    for (int d = inner; d >= 0; d--) {
        index[d] = rest % g->dims[d], rest /= g->dims[d];
        from += index[d] * g->from[d], table += index[d] * g->step[d];
    }
    while (begin < end) {
        int64_t n = FL_MIN(g->dims[inner] - index[inner], end - begin);
        g->plane(g, to, from, table, n);
        begin += n, to += n * row_bytes;
        index[inner] += n, from += n * g->from[inner], table += n * g->step[inner];
        for (int d = inner; d > 0 && index[d] == g->dims[d]; d--) {
            from += g->from[d - 1] - g->dims[d] * g->from[d];
            table += g->step[d - 1] - g->dims[d] * g->step[d];
            index[d] = 0, index[d - 1]++;
        }
    }
}

static fl_status run_gather(const fl_step *step, void *const *slots)
{
    const gather_data *g = step->data;
    gather_job job = {g, fl_operand_pointer(&step->outputs[0], slots),
                      fl_operand_pointer(&step->inputs[0], slots),
                      fl_operand_pointer(&step->inputs[1], slots), NULL};
    if (g->direct) {
        fl_parallel_for(g->map.count, 8192, gather_direct, &job);
        return NULL;
    }
    int64_t *table = slots[step->scratch_slot];
    fl_index_map_table(&g->map, job.indices, 0, table);
    job.table = table;
    int64_t row_bytes = g->dims[g->rank - 1] * g->element;
    fl_parallel_for(g->rows, FL_PIECE_BYTES / row_bytes + 1, gather_rows, &job);
    return NULL;
}

static fl_status run_nothing(const fl_step *step, void *const *slots)
{
    (void)step, (void)slots;
    return NULL;
}

static void add_loop(gather_data *g, int64_t size, int64_t step, int64_t from)
{
    int last = g->rank - 1;
    if (size == 1) return;
    if (last >= 0 && g->step[last] == step * size && g->from[last] == from * size) {
        g->dims[last] *= size, g->step[last] = step, g->from[last] = from;
    } else {
        g->dims[g->rank] = size, g->step[g->rank] = step, g->from[g->rank++] = from;
    }
}

static int contains(const int64_t *list, uint32_t count, int64_t x)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == x) return 1;
    return 0;
}

/* The loops of the result's dims in order. */
static void make_nest(gather_data *g, const fl_step *step, const int64_t *slice_sizes)
{
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[0];
    uint32_t offset_count, collapsed_count, batching_count;
    const int64_t *offset_dims = fl_op_ints(step->op, FL_ATTR_offset_dims, &offset_count);
    const int64_t *collapsed = fl_op_ints(step->op, FL_ATTR_collapsed_slice_dims, &collapsed_count);
    const int64_t *batching = fl_op_ints(step->op, FL_ATTR_operand_batching_dims, &batching_count);
    int64_t table_step = g->map.count;
    int operand_dim = 0;
    for (int d = 0; d < out->rank; d++) {
        if (contains(offset_dims, offset_count, d)) {
            while (contains(collapsed, collapsed_count, operand_dim) ||
                   contains(batching, batching_count, operand_dim))
                operand_dim++;
            add_loop(g, slice_sizes[operand_dim], 0, in->strides[operand_dim] * g->element);
            operand_dim++;
        } else {
            table_step /= out->dims[d];
            add_loop(g, out->dims[d], table_step, 0);
        }
    }
}

fl_status fl_prepare_gather(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *in = &step->inputs[0], *indices = &step->inputs[1], *out = &step->outputs[0];
    gather_data *g = FL_NEW(arena, gather_data);
    if (!g) return FL_NO_MEMORY();
    fl_index_dims dims = {0};
    const int64_t *slice_sizes = fl_op_ints(step->op, FL_ATTR_slice_sizes, NULL);
    dims.map = fl_op_ints(step->op, FL_ATTR_start_index_map, &dims.components);
    dims.operand_batching = fl_op_ints(step->op, FL_ATTR_operand_batching_dims, &dims.batching);
    dims.indices_batching = fl_op_ints(step->op, FL_ATTR_start_indices_batching_dims, NULL);
    dims.vector_dim = fl_op_int(step->op, FL_ATTR_index_vector_dim, indices->rank);
    step->data = g;
    step->cost = 2 * (int64_t)fl_operand_bytes(out) + (int64_t)fl_operand_bytes(indices);
    step->run = run_nothing;
    if (fl_operand_elements(out) == 0) return NULL;
    if (fl_operand_elements(in) == 0) return FL_NO_KERNEL(); /* collapsed slices of size 0 */
    for (int d = 0; d < in->rank; d++)
        if (slice_sizes[d] == 0) return FL_NO_KERNEL();
    g->element = (int64_t)fl_dtype_bytes((fl_dtype)in->dtype);
    fl_index_map_prepare(&g->map, indices, in, in->strides, slice_sizes, &dims);
    make_nest(g, step, slice_sizes);
    if (g->rank && g->step[g->rank - 1] == 0 &&
        g->from[g->rank - 1] == g->element) { /* short rows are wide elements */
        int64_t bytes = g->dims[g->rank - 1] * g->element;
        if (bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) g->element = bytes, g->rank--;
    }
    step->run = run_gather;
    g->direct = g->rank == 0 || (g->rank == 1 && g->step[0] == 1);
    if (g->direct) return NULL;
    if (g->rank == 1) { /* a leading loop of one */
        g->dims[1] = g->dims[0], g->step[1] = g->step[0], g->from[1] = g->from[0];
        g->dims[0] = 1, g->step[0] = g->from[0] = 0, g->rank = 2;
    }
    g->rows = 1;
    for (int d = 0; d < g->rank - 1; d++) g->rows *= g->dims[d];
    step->scratch_bytes = (size_t)g->map.count * sizeof(int64_t);
    if (g->step[g->rank - 1] == 0 && g->from[g->rank - 1] == g->element) {
        g->plane = plane_rows;
        return NULL;
    }
    switch (g->element) {
#define CASE(W)                                                                                              \
    case W: g->plane = plane_elements_##W; break;
        FL_WORDS(CASE)
#undef CASE
    }
    return NULL;
}
