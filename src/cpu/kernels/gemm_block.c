/* One matrix product on one thread: panels of A and B, and the order in which tiles meet them.
 *
 * With tiles of many rows (AVX-512):
 * Many rows: a block of B is packed so that it stays in the L2 cache; then a panel of A after the other is packed into the L1
 * cache and meets all panels of B, which stream by. Few rows: A is packed as a whole, and a panel of B after the other is packed
 * into the L1 cache and meets them; B is read from memory once and written nowhere. Heights of panels differ by one at most,
 * since a tile of few rows leaves the multipliers waiting. Sums over k are cut at multiples of kc, which depends on k alone.
 *
 * With tiles of few rows (fl_gemm_type.block > 1) B would stream by too often: a block of panels of A stays in the L2 cache and meets a
 * panel of B, which stays in the L1 cache, before the next one; so the first tile of a panel of B can copy it, too. */
#include "cpu/kernels/gemm.h"

#include <string.h>

#define K_BLOCK       256 /* for f32; a panel of A of 14 rows and this depth takes a third of the L1 cache */
#define B_BLOCK_BYTES (1280 * 1024) /* a part of the L2 cache */
#define FEW_ROWS      112
#define GROUP         8 /* panels of A that are packed together where they share cache lines */
#define FEW_PANELS    4 /* of B: for so few an A that streams by is not packed */
#define PACKED_WIDTH                                                                                         \
    512 /* of B: from here on a block of A is read so often that packing is worth more than copying */
#define IN_L1 (16 * 1024)

typedef struct blocks {
    int64_t nc, kc;               /* whole panels, about equal */
    int64_t panels, rows, higher; /* of A: how many, their rows, and how many of the first have one more */
    int64_t block;                /* panels of A that meet a panel of B before the next one */
    int few_rows;
} blocks;

static inline int64_t even(int64_t n, int64_t most, int64_t unit)
{
    return fl_round_up(n <= most ? n : fl_div_up(n, fl_div_up(n, most)), unit);
}

/* Divisions are a part of the time of small products: none that is not needed. */
static blocks choose_blocks(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k)
{
    blocks b = {.kc = even(k, type->size == 4 ? K_BLOCK : K_BLOCK / 2, 4),
                .panels = m <= type->mr ? m > 0 : fl_div_up(m, type->mr),
                .block = n > FEW_PANELS * type->nr ? type->block : 1,
                .few_rows = m <= (type->block > 1 ? type->block * type->mr : FEW_ROWS),
                .rows = m,
                .nc = n};
    if (b.panels > 1) b.rows = m / b.panels, b.higher = m % b.panels;
    if (b.few_rows) return b;
    const int64_t most = B_BLOCK_BYTES / type->size / (b.kc ? b.kc : 1);
    b.nc = even(n, most < 4 * type->nr ? 4 * type->nr : most, type->nr);
    return b;
}

/* The most panels of A that are packed together. */
static int64_t group_panels(const fl_gemm_type *type)
{
    return type->block > 1 ? type->block : GROUP;
}

/* Elements between rows of A that were copied as rows: whole vectors, and one more, so that rows do not meet in the cache's sets. */
static int64_t copied_row(const fl_gemm_type *type, int64_t kc)
{
    return (kc + 2 * type->lanes - 1) & -(int64_t)type->lanes;
}

static int64_t a_elements(const fl_gemm_type *type, int64_t m, const blocks *b)
{
    const int64_t group = group_panels(type) * type->mr, rows = b->few_rows || m < group ? m : group;
    return fl_round_up(rows * copied_row(type, b->kc) + FL_PACK_SLACK, 16);
}

/* Elements of a copy of all A, for the kernels of few rows. */
static int64_t few_copy(const fl_gemm_type *type, int64_t m, int64_t k)
{
    return m * copied_row(type, k);
}

size_t fl_gemm_block_scratch(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k)
{
    const blocks b = choose_blocks(type, m, n, k);
    const int64_t b_elements = b.kc * (b.few_rows ? type->nr : b.nc + type->lanes);
    size_t bytes = (size_t)((a_elements(type, m, &b) + b_elements + FL_PACK_SLACK) * type->size);
    const int64_t rows = m < FL_FEW_ROWS ? m : FL_FEW_ROWS;
    const size_t few =
        (size_t)(few_copy(type, rows, k) + FL_FEW_STRIP + FL_FEW_ROWS * type->lanes) * type->size;
    if (few > bytes) bytes = few;
    return bytes;
}

/* Rows of A are read in place, unless they collide in the cache's sets or are read often; then they are copied. Its columns are packed. */
static int reads_a_in_place(const fl_gemm_type *t, int64_t n, const fl_matrix *a)
{
    if (a->dtype != (fl_dtype)t->dtype) return 0;
    if (t->block > 1 && n > 2 * FEW_PANELS * t->nr) return 0;
    if (t->block > 1 && n <= FEW_PANELS * t->nr && a->columns == 1 && a->rows >= 0) return 1;
    if (a->rows == 1) return a->columns > 0 && n <= 2 * t->nr;
    return a->columns == 1 && a->rows >= 0 && (a->rows * t->size) % 2048 != 0;
}

static int reads_b_in_place(const fl_gemm_type *t, const blocks *s, const fl_matrix *b)
{
    if (b->dtype != (fl_dtype)t->dtype || b->columns != 1 || b->rows < 0) return 0;
    if (t->block > 1 && s->panels > 2 && s->kc * b->rows * t->size > IN_L1) return 0;
    return s->few_rows || b->rows * t->size < 2048;
}

/* Which way B's elements follow each other decides how. */
int fl_gemm_uses_few(const fl_gemm_type *t, int64_t m, int64_t n, int64_t k, fl_matrix b)
{
    if (m > (t->block == 1 ? FL_FEW_ROWS : b.columns == 1 ? 8 : 12)) return 0;
    if (b.columns == 1)
        return n >= 4 * t->lanes && (b.dtype != (fl_dtype)t->dtype || b.rows * k * t->size > 256 * 1024);
    return b.rows == 1 && n >= 4 && (k >= 256 || (k >= 2 * t->lanes && k % t->lanes == 0));
}

static void zero_block(const fl_gemm_type *type, int64_t m, int64_t n, char *c, int64_t c_row)
{
    for (int64_t i = 0; i < m; i++) memset(c + i * c_row * type->size, 0, (size_t)(n * type->size));
}

typedef struct product {
    const fl_gemm_type *type;
    blocks s;
    int64_t m, n, k;
    const fl_matrix *a, *b;
    char *c;
    int64_t c_row;
    char *a_packed, *b_packed;
    enum { IN_PLACE, COPIED, PACKED } a_form; /* COPIED: as rows */
    int b_here;
} product;

static const char *at(const fl_matrix *x, int64_t row, int64_t column)
{
    return (const char *)x->data + (row * x->rows + column * x->columns) * (int64_t)fl_dtype_bytes(x->dtype);
}

/* Rows [*begin, begin + result) of panel p. */
static int64_t panel(const product *g, int64_t p, int64_t *begin)
{
    *begin = p * g->s.rows + (p < g->s.higher ? p : g->s.higher);
    return g->s.rows + (p < g->s.higher);
}

/* Width of the packed panel of B at column j; the last one has one vector when that holds it. */
static int64_t panel_width(const product *g, int64_t columns)
{
    return columns > g->type->lanes ? g->type->nr : g->type->lanes;
}

/* Whether a panel of B that is `columns` wide is read in place: tile kernels without masks load whole vectors. */
static int in_place(const product *g, int64_t columns)
{
    return g->b_here && (g->type->masked || columns % g->type->lanes == 0);
}

/* Packs the panels of `columns` columns from j0 on that are not read in place. */
static void pack_b(const product *g, int64_t k0, int64_t j0, int64_t columns, int64_t kc)
{
    const fl_gemm_type *t = g->type;
    /* Contiguous across panels: go down few rows at a time, so that a page is read through before it is left. */
    const int64_t step = g->b->columns == 1 && columns > t->nr ? 16 : kc;
    const int64_t first = g->b_here && columns > t->nr ? (columns - 1) / t->nr * t->nr : 0;
    for (int64_t k = 0; k < kc; k += step)
        for (int64_t j = first; j < columns; j += t->nr) {
            const int64_t count = columns - j < t->nr ? columns - j : t->nr, width = panel_width(g, count);
            if (in_place(g, count)) return;
            t->pack(g->b_packed + (j * kc + k * width) * t->size, width, at(g->b, k0 + k, j0 + j),
                    g->b->dtype, g->b->columns, g->b->rows, count, kc - k < step ? kc - k : step);
        }
}

/* Points `tile` to the panel of B at column j0 + j, of a block of nc columns from j0 on. */
static void point_b(const product *g, fl_tile *tile, int64_t k0, int64_t j0, int64_t j, int64_t nc)
{
    const int64_t columns = nc - j < g->type->nr ? nc - j : g->type->nr;
    const int here = in_place(g, columns);
    tile->b = here ? at(g->b, k0, j0 + j) : g->b_packed + j * tile->kc * g->type->size;
    tile->b_step = here ? g->b->rows : panel_width(g, columns);
}

/* Where panel p of A lies after ready_a for a group that begins at row `first`, and how. */
static void point_a(const product *g, fl_tile *tile, int64_t first, int64_t begin, int64_t rows, int64_t k0)
{
    const int64_t kc = tile->kc, width = copied_row(g->type, kc);
    tile->a = g->a_form == IN_PLACE
                  ? at(g->a, begin, k0)
                  : g->a_packed + (begin - first) * (g->a_form == COPIED ? width : kc) * g->type->size;
    tile->a_row = g->a_form == IN_PLACE ? g->a->rows : g->a_form == COPIED ? width : 1;
    tile->a_step = g->a_form == IN_PLACE ? g->a->columns : g->a_form == COPIED ? 1 : rows;
}

/* Copies or packs panels [p, end) of A. */
static void ready_a(const product *g, int64_t p, int64_t end, int64_t k0, int64_t kc)
{
    const fl_gemm_type *t = g->type;
    int64_t first, begin, last;
    if (g->a_form == IN_PLACE) return;
    panel(g, p, &first);
    last = panel(g, end - 1, &begin) + begin;
    if (g->a_form == COPIED) {
        t->plane(g->a_packed, copied_row(t, kc), at(g->a, first, k0), g->a->dtype, g->a->rows, 1,
                 last - first, 0, kc);
        return;
    }
    const int64_t step = g->a->rows == 1 ? 16 : kc;
    for (int64_t k = 0; k < kc; k += step)
        for (int64_t i = p; i < end; i++) {
            const int64_t rows = panel(g, i, &begin);
            t->pack(g->a_packed + ((begin - first) * kc + k * rows) * t->size, rows, at(g->a, begin, k0 + k),
                    g->a->dtype, g->a->rows, g->a->columns, rows, kc - k < step ? kc - k : step);
        }
}

static void run_tile(const product *g, fl_tile *tile, int64_t begin, int64_t rows, int64_t j)
{
    const fl_gemm_type *t = g->type;
    const int64_t columns = g->n - j < t->nr ? g->n - j : t->nr;
    const int vectors = columns > t->lanes ? 2 : 1;
    tile->last = (int)(columns - (vectors - 1) * t->lanes);
    tile->c = g->c + (begin * g->c_row + j) * t->size;
    t->tile[vectors - 1][rows - 1](tile);
}

/* What to bring closer while the tile of column panel number `j` is computed: a row of the next panel of A, or a line with each step where the
 * panel is one piece of memory. */
static void want_a(const product *g, fl_tile *tile, int64_t p, int64_t j, int64_t k0)
{
    const int64_t bytes = (int64_t)fl_dtype_bytes(g->a->dtype), kc = tile->kc;
    int64_t begin = 0, rows = p < g->s.panels ? panel(g, p, &begin) : 0;
    const int whole = g->a->rows == kc;
    tile->prefetch = NULL;
    tile->prefetch_step = 0;
    if (g->a->columns != 1 || (whole ? j * 64 >= rows * bytes : j >= rows)) return;
    tile->prefetch = whole ? at(g->a, begin, k0) + j * kc * 64 : at(g->a, begin + j, k0);
    tile->prefetch_step = whole ? 64 : bytes;
}

/* While the last panel of A of a block meets a panel of B, the next one of B comes closer, a line with each step. */
static void want_b(const product *g, fl_tile *tile, int64_t k0, int64_t j0, int64_t j, int64_t nc)
{
    fl_tile next = {.kc = tile->kc};
    tile->prefetch = NULL;
    tile->prefetch_step = 0;
    if (j >= nc) return;
    point_b(g, &next, k0, j0, j, nc);
    tile->prefetch = next.b;
    tile->prefetch_step = next.b_step * g->type->size;
}

static void run_many_rows(const product *g, fl_tile *tile, int64_t j0, int64_t k0)
{
    const fl_gemm_type *t = g->type;
    const int64_t nc = g->n - j0 < g->s.nc ? g->n - j0 : g->s.nc, kc = tile->kc, block = g->s.block;
    const int64_t group = block > 1 ? block : g->a_form == PACKED ? GROUP : 1;
    int64_t first = 0, begin, rows;
    pack_b(g, k0, j0, nc, kc);
    for (int64_t p0 = 0, end; p0 < g->s.panels; p0 = end) {
        end = p0 + block < g->s.panels ? p0 + block : g->s.panels;
        if (p0 % group == 0) {
            ready_a(g, p0, p0 + group < g->s.panels ? p0 + group : g->s.panels, k0, kc);
            panel(g, p0, &first);
        }
        for (int64_t j = 0, number = 0; j < nc; j += t->nr, number++) {
            point_b(g, tile, k0, j0, j, nc);
            for (int64_t p = p0; p < end; p++) {
                rows = panel(g, p, &begin);
                point_a(g, tile, first, begin, rows, k0);
                if (block == 1)
                    want_a(g, tile, p + 1, number, k0);
                else
                    want_b(g, tile, k0, j0, p == end - 1 ? j + t->nr : nc, nc);
                run_tile(g, tile, begin, rows, j0 + j);
            }
        }
    }
}

/* Asks for the panel of B at column j, while panel p of A is computed: two vectors wide, or rows of its own. */
static void want_next_b(const product *g, fl_tile *tile, int64_t k0, int64_t j, int64_t p)
{
    const fl_gemm_type *t = g->type;
    const int rows_of_b = g->b->columns == 1;
    const int64_t left = g->n - j;
    tile->prefetch = NULL;
    tile->prefetch_step = 0;
    if (left <= 0 || (t->block > 1 && rows_of_b && p > 0)) return;
    tile->prefetch = rows_of_b ? at(g->b, k0, j + (left > t->lanes ? p % 2 * t->lanes : 0))
                               : at(g->b, k0, j + (p < left ? p : 0));
    tile->prefetch_step = (rows_of_b         ? g->b->rows
                           : g->b->rows == 1 ? 1
                                             : 0) *
                          (int64_t)fl_dtype_bytes(g->b->dtype);
}

/* The first panel of A meets a panel of B where it lies, and leaves a copy of it for the others. */
static void run_copying(const product *g, fl_tile *tile, int64_t k0, int64_t j)
{
    const fl_gemm_type *t = g->type;
    int64_t begin;
    const int64_t rows = panel(g, 0, &begin);
    point_a(g, tile, 0, begin, rows, k0);
    want_next_b(g, tile, k0, j + t->nr, 0);
    tile->b = at(g->b, k0, j);
    tile->b_step = g->b->rows;
    tile->c = g->c + j * t->size;
    tile->last = t->lanes;
    tile->copy = g->b_packed;
    t->copies[rows - 1](tile);
}

static void run_few_rows(const product *g, fl_tile *tile, int64_t k0)
{
    const fl_gemm_type *t = g->type;
    const int64_t kc = tile->kc;
    const int copies = t->copies[0] && g->b->columns == 1 && g->b->dtype == (fl_dtype)t->dtype &&
                       !g->b_here && g->s.panels > 1;
    ready_a(g, 0, g->s.panels, k0, kc);
    for (int64_t j = 0; j < g->n; j += t->nr) {
        const int64_t columns = g->n - j < t->nr ? g->n - j : t->nr;
        const int copied = copies && columns == t->nr;
        if (copied)
            run_copying(g, tile, k0, j);
        else
            pack_b(g, k0, j, columns, kc);
        point_b(g, tile, k0, j, 0, columns);
        for (int64_t p = copied; p < g->s.panels; p++) {
            int64_t begin, rows = panel(g, p, &begin);
            point_a(g, tile, 0, begin, rows, k0);
            want_next_b(g, tile, k0, j + t->nr, p);
            run_tile(g, tile, begin, rows, j);
        }
    }
}

/* Returns how many columns of C are done. */
static int64_t run_few(const product *g)
{
    const fl_gemm_type *t = g->type;
    const int64_t whole = g->n / t->lanes * t->lanes;
    const void *a = g->a->data;
    int64_t row = g->a->rows;
    char *strip = g->a_packed;
    if (g->a->columns != 1 || g->a->dtype != (fl_dtype)t->dtype || (g->m > 4 && row * t->size % 1024 == 0)) {
        row = copied_row(t, g->k);
        a = g->a_packed;
        strip += few_copy(t, g->m, g->k) * t->size;
        if (g->a->columns == 1)
            t->plane(g->a_packed, row, g->a->data, g->a->dtype, g->a->rows, 1, g->m, 0, g->k);
        else
            for (int64_t i = 0; i < g->m; i++)
                t->pack(g->a_packed + i * row * t->size, 1, at(g->a, i, 0), g->a->dtype, 1, g->a->columns, 1,
                        g->k);
    }
    if (g->b->columns == 1) {
        t->few_rows(g->c, g->c_row, (int)g->m, a, row, g->b->data, g->b->dtype, g->b->rows, g->k, whole,
                    strip);
        return whole;
    }
    t->few_columns(g->c, g->c_row, (int)g->m, a, row, g->b->data, g->b->dtype, g->b->columns, g->k, g->n);
    return g->n;
}

/* Matrices come by their addresses, and no structure is cleared: copying and clearing would be a tenth of a small product's time. */
static void multiply(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k, const fl_matrix *a,
                     const fl_matrix *b, void *c, int64_t c_row, int few, int add, void *scratch)
{
    fl_matrix rest;
    product g = {type, choose_blocks(type, m, n, k), m, n, k, a, b, c, c_row, scratch, NULL, IN_PLACE, 0};
    if (!reads_a_in_place(type, n, a))
        g.a_form = a->columns == 1 && (g.s.block == 1 || n < PACKED_WIDTH) ? COPIED : PACKED;
    g.b_here = reads_b_in_place(type, &g.s, b);
    g.b_packed = g.a_packed + a_elements(type, m, &g.s) * type->size;
    if (few) {
        const int64_t done = run_few(&g);
        if (done == n) return;
        g.n = n -= done;
        rest = *b;
        rest.data = at(b, 0, done);
        g.b = &rest;
        g.c += done * type->size;
    }
    for (int64_t j0 = 0; j0 < n; j0 += g.s.nc)
        for (int64_t k0 = 0; k0 < k; k0 += g.s.kc) {
            fl_tile tile; /* the rest where it is known */
            tile.b_second = type->lanes;
            tile.offsets = NULL;
            tile.c_row = c_row;
            tile.kc = k - k0 < g.s.kc ? k - k0 : g.s.kc;
            tile.accumulate = add || k0 > 0;
            if (g.s.few_rows)
                run_few_rows(&g, &tile, k0);
            else
                run_many_rows(&g, &tile, j0, k0);
        }
}

void fl_gemm_block(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k, const fl_matrix *a,
                   const fl_matrix *b, void *c, int64_t c_row, int few, void *scratch)
{
    if (k == 0) zero_block(type, m, n, c, c_row);
    multiply(type, m, n, k, a, b, c, c_row, few, 0, scratch);
}

void fl_gemm_block_add(const fl_gemm_type *type, int64_t m, int64_t n, int64_t k, const fl_matrix *a,
                       const fl_matrix *b, void *c, int64_t c_row, void *scratch)
{
    multiply(type, m, n, k, a, b, c, c_row, 0, 1, scratch);
}
