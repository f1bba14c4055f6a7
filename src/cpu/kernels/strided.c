#include "cpu/kernels/strided.h"

#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

#define PIECE_BYTES (64 * 1024) /* less than this is not worth waking a thread */

static void plane_dense(const fl_copy *c, char *to, const char *from, int64_t n)
{
    size_t bytes = (size_t)c->dims[c->rank - 1] * c->element;
    int64_t ts = c->to[c->rank - 2], fs = c->from[c->rank - 2];
    for (int64_t i = 0; i < n; i++) memcpy(to + i * ts, from + i * fs, bytes);
}

/* One function for each width: any strides, and tiles of TILE x TILE for transposes, so that the lines of the source that a
 * tile touches are used whole while they are in the first cache. */
#define TILE 16
#define PLANES(W)                                                                                            \
    static void plane_strided_##W(const fl_copy *c, char *to, const char *from, int64_t n)                   \
    {                                                                                                        \
        int64_t m = c->dims[c->rank - 1], ts = c->to[c->rank - 1], fs = c->from[c->rank - 1];                \
        int64_t to_row = c->to[c->rank - 2], from_row = c->from[c->rank - 2];                                \
        for (int64_t i = 0; i < n; i++, to += to_row, from += from_row) {                                    \
            if (ts == W) {                                                                                   \
                fl_word##W *t = (fl_word##W *)to;                                                            \
                for (int64_t j = 0; j < m; j++) t[j] = *(const fl_word##W *)(from + j * fs);                 \
            } else {                                                                                         \
                for (int64_t j = 0; j < m; j++)                                                              \
                    *(fl_word##W *)(to + j * ts) = *(const fl_word##W *)(from + j * fs);                     \
            }                                                                                                \
        }                                                                                                    \
    }                                                                                                        \
    static void plane_fill_##W(const fl_copy *c, char *to, const char *from, int64_t n)                      \
    {                                                                                                        \
        int64_t m = c->dims[c->rank - 1], to_row = c->to[c->rank - 2], from_row = c->from[c->rank - 2];      \
        for (int64_t i = 0; i < n; i++, to += to_row, from += from_row) {                                    \
            fl_word##W v = *(const fl_word##W *)from, *t = (fl_word##W *)to;                                 \
            for (int64_t j = 0; j < m; j++) t[j] = v;                                                        \
        }                                                                                                    \
    }                                                                                                        \
    static void tile_##W(char *to, const char *from, int64_t n, int64_t m, const fl_copy *c)                 \
    {                                                                                                        \
        int64_t ts = c->to[c->rank - 1], fs = c->from[c->rank - 1];                                          \
        int64_t to_row = c->to[c->rank - 2], from_row = c->from[c->rank - 2];                                \
        for (int64_t i = 0; i < n; i++, to += to_row, from += from_row)                                      \
            for (int64_t j = 0; j < m; j++)                                                                  \
                *(fl_word##W *)(to + j * ts) = *(const fl_word##W *)(from + j * fs);                         \
    }
FL_WORDS(PLANES)
#undef PLANES

/* The common tile: whole, both sides contiguous the right way, 4-byte elements; 4 x 4 blocks through registers. */
typedef uint32_t v4 __attribute__((vector_size(16), may_alias, aligned(1)));
static void tile_whole_4(char *to, const char *from, int64_t to_row, int64_t from_column)
{
    for (int j = 0; j < TILE; j += 4)
        for (int i = 0; i < TILE; i += 4) {
            const char *f = from + i * 4 + j * from_column;
            v4 a = *(const v4 *)f, b = *(const v4 *)(f + from_column), c = *(const v4 *)(f + 2 * from_column),
               d = *(const v4 *)(f + 3 * from_column);
            v4 ab0 = __builtin_shuffle(a, b, (v4){0, 4, 1, 5}),
               ab1 = __builtin_shuffle(a, b, (v4){2, 6, 3, 7});
            v4 cd0 = __builtin_shuffle(c, d, (v4){0, 4, 1, 5}),
               cd1 = __builtin_shuffle(c, d, (v4){2, 6, 3, 7});
            char *t = to + i * to_row + j * 4;
            *(v4 *)t = __builtin_shuffle(ab0, cd0, (v4){0, 1, 4, 5});
            *(v4 *)(t + to_row) = __builtin_shuffle(ab0, cd0, (v4){2, 3, 6, 7});
            *(v4 *)(t + 2 * to_row) = __builtin_shuffle(ab1, cd1, (v4){0, 1, 4, 5});
            *(v4 *)(t + 3 * to_row) = __builtin_shuffle(ab1, cd1, (v4){2, 3, 6, 7});
        }
}

static void plane_tiled(const fl_copy *c, char *to, const char *from, int64_t n)
{
    int64_t m = c->dims[c->rank - 1], ts = c->to[c->rank - 1], fs = c->from[c->rank - 1];
    int64_t to_row = c->to[c->rank - 2], from_row = c->from[c->rank - 2];
    int direct = c->element == 4 && ts == 4 && from_row == 4;
    for (int64_t i = 0; i < n; i += TILE)
        for (int64_t j = 0; j < m; j += TILE) {
            int64_t rows = n - i < TILE ? n - i : TILE, columns = m - j < TILE ? m - j : TILE;
            char *t = to + i * to_row + j * ts;
            const char *f = from + i * from_row + j * fs;
            if (direct && rows == TILE && columns == TILE) {
                tile_whole_4(t, f, to_row, fs);
                continue;
            }
            switch (c->element) {
#define CASE(W)                                                                                              \
    case W: tile_##W(t, f, rows, columns, c); break;
                FL_WORDS(CASE)
#undef CASE
            }
        }
}

void fl_dense_strides(int rank, const int64_t *dims, int64_t *strides)
{
    int64_t s = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = s;
        s *= dims[d];
    }
}

int64_t fl_operand_elements(const fl_operand *o)
{
    int64_t n = 1;
    for (int d = 0; d < o->rank; d++) n *= o->dims[d];
    return n;
}

static void swap_dims(fl_copy *c, int a, int b)
{
    int64_t t;
    t = c->dims[a], c->dims[a] = c->dims[b], c->dims[b] = t;
    t = c->to[a], c->to[a] = c->to[b], c->to[b] = t;
    t = c->from[a], c->from[a] = c->from[b], c->from[b] = t;
}

/* Fills dims and strides (bytes); returns the rank after ordering and merging, or -1 when there is nothing to copy. */
static int normalise(fl_copy *c, int64_t element, int rank, const int64_t *dims, const int64_t *to,
                     const int64_t *from)
{
    int n = 0;
    for (int d = 0; d < rank; d++) {
        if (dims[d] == 0) return -1;
        if (dims[d] == 1) continue;
        c->dims[n] = dims[d], c->to[n] = to[d] * element, c->from[n] = from[d] * element;
        for (int k = n++; k > 0 && llabs(c->to[k - 1]) < llabs(c->to[k]); k--) swap_dims(c, k - 1, k);
    }
    int w = 0;
    for (int d = 1; d < n; d++) {
        if (c->to[w] == c->to[d] * c->dims[d] && c->from[w] == c->from[d] * c->dims[d]) {
            c->dims[w] *= c->dims[d], c->to[w] = c->to[d], c->from[w] = c->from[d];
        } else {
            w++;
            c->dims[w] = c->dims[d], c->to[w] = c->to[d], c->from[w] = c->from[d];
        }
    }
    return n ? w + 1 : 0;
}

static fl_plane_fn choose_plane(fl_copy *c)
{
    int last = (int)c->rank - 1, e = (int)c->element;
    if (c->to[last] == e && c->from[last] == e) return plane_dense;
    int best = last; /* the dim along which the source is closest to contiguous */
    for (int d = 0; d < last; d++)
        if (c->dims[d] >= 4 && c->from[d] && llabs(c->from[d]) < llabs(c->from[best])) best = d;
    if (best != last && c->dims[last] >= 4) {
        for (int d = best; d < last - 1; d++) swap_dims(c, d, d + 1);
        return plane_tiled;
    }
    int fill = c->from[last] == 0 && c->to[last] == e;
    switch (e) {
#define CASE(W)                                                                                              \
    case W: return fill ? plane_fill_##W : plane_strided_##W;
        FL_WORDS(CASE)
#undef CASE
    }
    return NULL;
}

void fl_copy_prepare(fl_copy *c, size_t element, int rank, const int64_t *dims, const int64_t *to,
                     const int64_t *from)
{
    int64_t e = (int64_t)element;
    int n = normalise(c, e, rank, dims, to, from);
    c->rows = 0;
    c->rank = 2;
    c->element = (uint32_t)element;
    if (n < 0) return;
    if (n > 1 && c->to[n - 1] == e &&
        c->from[n - 1] == e) { /* short contiguous rows move as one wider element */
        int64_t bytes = c->dims[n - 1] * e;
        if (bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16) {
            c->element = (uint32_t)bytes;
            n--;
        }
    }
    while (n < 2) { /* leading dims of size 1 make every copy a plane */
        for (int d = n; d > 0; d--)
            c->dims[d] = c->dims[d - 1], c->to[d] = c->to[d - 1], c->from[d] = c->from[d - 1];
        c->dims[0] = 1, c->to[0] = c->from[0] = n ? 0 : e;
        n++;
    }
    c->rank = (uint32_t)n;
    c->plane = choose_plane(c);
    c->rows = 1;
    for (int d = 0; d < n - 1; d++) c->rows *= c->dims[d];
    int64_t row_bytes = c->dims[n - 1] * c->element;
    c->grain = PIECE_BYTES / row_bytes + 1;
    if (c->plane == plane_tiled) c->grain = (c->grain + TILE - 1) / TILE * TILE;
}

typedef struct copy_job {
    const fl_copy *copy;
    char *to;
    const char *from;
} copy_job;

static void copy_rows(void *ctx, int64_t begin, int64_t end)
{
    const copy_job *job = ctx;
    const fl_copy *c = job->copy;
    int inner = (int)c->rank - 2; /* the dim that a plane call runs over */
    int64_t index[FL_MAX_RANK + 1], rest = begin;
    char *to = job->to;
    const char *from = job->from;
    for (int d = inner; d >= 0; d--) {
        index[d] = rest % c->dims[d], rest /= c->dims[d];
        to += index[d] * c->to[d], from += index[d] * c->from[d];
    }
    while (begin < end) {
        int64_t n = c->dims[inner] - index[inner];
        if (n > end - begin) n = end - begin;
        c->plane(c, to, from, n);
        begin += n;
        index[inner] += n, to += n * c->to[inner], from += n * c->from[inner];
        for (int d = inner; d > 0 && index[d] == c->dims[d]; d--) {
            to += c->to[d - 1] - c->dims[d] * c->to[d], from += c->from[d - 1] - c->dims[d] * c->from[d];
            index[d] = 0, index[d - 1]++;
        }
    }
}

/* Part of the only row. */
static void copy_span(void *ctx, int64_t begin, int64_t end)
{
    const copy_job *job = ctx;
    fl_copy span = *job->copy;
    int last = (int)span.rank - 1;
    span.dims[last] = end - begin;
    span.plane(&span, job->to + begin * span.to[last], job->from + begin * span.from[last], 1);
}

void fl_copy_run(const fl_copy *c, void *to, const void *from)
{
    copy_job job = {c, to, from};
    if (c->rows == 1 && c->dims[c->rank - 1] * c->element > PIECE_BYTES) {
        fl_parallel_for(c->dims[c->rank - 1], PIECE_BYTES / c->element, copy_span, &job);
    } else if (c->rows > c->grain) {
        fl_parallel_for(c->rows, c->grain, copy_rows, &job);
    } else if (c->rows) {
        copy_rows(&job, 0, c->rows);
    }
}

void fl_copy_strided(const fl_operand *to, const fl_operand *from, void *const *slots)
{
    fl_copy copy;
    fl_copy_prepare(&copy, fl_dtype_bytes((fl_dtype)to->dtype), to->rank, to->dims, to->strides,
                    from->strides);
    fl_copy_run(&copy, fl_operand_pointer(to, slots), fl_operand_pointer(from, slots));
}

int64_t fl_load_index(fl_dtype dtype, const void *p)
{
    uint64_t u = 0;
    switch (dtype) {
    case FL_I2:
    case FL_I4:
    case FL_I8: return *(const int8_t *)p;
    case FL_I16: return *(const int16_t *)p;
    case FL_I32: return *(const int32_t *)p;
    case FL_I64: return *(const int64_t *)p;
    case FL_U16: return *(const uint16_t *)p;
    case FL_U32: return *(const uint32_t *)p;
    case FL_U64: u = *(const uint64_t *)p; return u > INT64_MAX ? INT64_MAX : (int64_t)u;
    default: return *(const uint8_t *)p;
    }
}
