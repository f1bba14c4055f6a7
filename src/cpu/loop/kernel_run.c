/* Runs loops of machine code: one call for as many units as are adjacent, or one a tile where operands are copied. */
#include "cpu/jit/jit.h"
#include "cpu/loop/run.h"

#include <alloca.h>
#include <string.h>

typedef struct runner {
    fl_tile t;
    fl_jit_call *call;
    char *buffers;
    int64_t column_end;
} runner;

static char *buffer_of(const runner *r, const fl_loop_memory *m)
{
    return r->buffers + m->reg * r->t.loop->buffer_bytes;
}

static void bring(const runner *r, uint32_t i)
{
    const fl_loop_memory *m = &r->t.loop->loads[i];
    fl_tile t = r->t;
    if (!m->along_rows && !t.loop->flat) t.rows = 1;
    if (m->access == FL_COUNT)
        fl_tile_count(&t, m, t.count[i], buffer_of(r, m));
    else
        fl_tile_gather(&t, m, t.load[i], buffer_of(r, m));
}

/* Where the call finds an operand. */
static void point(const runner *r, const fl_loop_memory *m, char *base, int64_t count, fl_jit_memory *out)
{
    const fl_tile *t = &r->t;
    if (m->copied) {
        out->base = buffer_of(r, m);
        out->row = m->along_rows ? t->columns * m->size : 0;
    } else if (m->access == FL_COUNT) {
        out->base = (void *)(intptr_t)(count + t->row * m->row + t->column * m->column);
        out->row = m->row;
        out->column = m->column;
    } else {
        out->base = base + t->row * m->row + (m->level == FL_FULL ? t->column * m->size : 0);
        out->row = m->row;
    }
}

static char *partial_of(const runner *r, const fl_loop_sink *s)
{
    const fl_tile *t = &r->t;
    const fl_loop *l = t->loop;
    char *base = (char *)t->slots[s->slot] + s->offset;
    if (s->rows) return base + ((t->outer * l->row_units + t->row_unit) * l->columns + t->column) * s->size;
    return base + ((t->outer * l->rows + t->row) * l->column_units + t->column_unit) * s->size;
}

/* The tile t: copies in, the kernel, copies out. */
static void call_kernel(runner *r)
{
    const fl_tile *t = &r->t;
    const fl_loop *l = t->loop;
    fl_jit_memory *memory = r->call->memory;
    for (uint32_t i = 0; i < l->load_count; i++) {
        if (l->loads[i].copied && !l->loads[i].once) bring(r, i);
        point(r, &l->loads[i], t->load[i], t->count[i], memory++);
    }
    for (uint32_t i = 0; i < l->store_count; i++) point(r, &l->stores[i], t->store[i], 0, memory++);
    for (uint32_t i = 0; i < l->sink_count; i++) {
        memory->base = partial_of(r, &l->sinks[i]);
        memory->row = l->sinks[i].rows ? 0 : l->column_units * l->sinks[i].size;
        memory++;
    }
    r->call->rows = l->flat ? 1 : t->rows;
    r->call->columns = l->flat ? t->rows * t->columns : t->columns;
    l->kernel->run(r->call);
    for (uint32_t i = 0; i < l->store_count && l->buffer_count; i++)
        if (l->stores[i].copied) fl_tile_scatter(t, &l->stores[i], t->store[i], buffer_of(r, &l->stores[i]));
}

static void start_sums(const runner *r, int64_t columns)
{
    const fl_loop *l = r->t.loop;
    for (uint32_t i = 0; i < l->sink_count; i++) {
        const fl_loop_sink *s = &l->sinks[i];
        if (!s->rows) continue;
        fl_vec_find_moves()->fill[fl_vec_size_class(s->size)](partial_of(r, s), s->identity, NULL, NULL,
                                                              columns);
    }
}

/* Rows and columns of adjacent units. */
static void run_block(runner *r, int64_t row_end, int64_t column_end)
{
    fl_tile *t = &r->t;
    const fl_loop *l = t->loop;
    int64_t row = t->row, column = t->column;
    start_sums(r, column_end - column);
    if (!l->buffer_count) {
        t->rows = row_end - row;
        t->columns = column_end - column;
        call_kernel(r);
        return;
    }
    for (; t->row < row_end; t->row += l->tile_rows) {
        t->rows = row_end - t->row < l->tile_rows ? row_end - t->row : l->tile_rows;
        for (t->column = column; t->column < column_end; t->column += l->tile_columns) {
            t->columns = column_end - t->column < l->tile_columns ? column_end - t->column : l->tile_columns;
            call_kernel(r);
        }
    }
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Runs the unit and those after it that make one block with it; returns how many. */
static int64_t run_from(runner *r, int64_t unit, int64_t end)
{
    fl_tile *t = &r->t;
    const fl_loop *l = t->loop;
    int64_t rest = unit, many = 1;
    t->column_unit = rest % l->column_units;
    rest /= l->column_units;
    t->row_unit = rest % l->row_units;
    rest /= l->row_units;
    if (rest != t->outer) fl_tile_seek(t, rest);
    t->row = t->unit_row = t->row_unit * l->unit_rows;
    t->column = t->column_unit * l->unit_columns;
    int64_t rows = 1, columns = 1; /* in units */
    int sums_rows = 0;
    for (uint32_t i = 0; i < l->sink_count; i++) sums_rows |= l->sinks[i].rows;
    if (l->column_units > 1) {
        if (!l->sink_count) many = columns = least(end - unit, l->column_units - t->column_unit);
    } else if (!sums_rows) {
        many = rows = least(end - unit, l->row_units - t->row_unit);
    }
    run_block(r, least(t->row + rows * l->unit_rows, l->rows),
              least(t->column + columns * l->unit_columns, l->columns));
    return many;
}

void fl_kernel_run_units(const fl_loop *l, void *const *slots, int64_t begin, int64_t end)
{
    size_t operands = (size_t)l->load_count + l->store_count;
    size_t buffers = l->buffer_count * l->buffer_bytes;
    char **pointers = alloca((operands + l->load_count) * sizeof *pointers);
    runner r = {.t = {.loop = l, .slots = slots, .load = pointers, .outer = -1}};
    r.t.store = r.t.load + l->load_count;
    r.t.count = (int64_t *)(r.t.store + l->store_count);
    r.call = alloca(sizeof *r.call + (operands + l->sink_count) * sizeof *r.call->memory);
    char *memory = alloca(buffers + l->scratch_bytes + 64);
    r.buffers = (char *)(((uintptr_t)memory + 63) & ~(uintptr_t)63);
    r.call->scratch = r.buffers + buffers;
    if (l->has_once) {
        fl_tile_seek(&r.t, 0);
        r.t.rows = least(l->tile_rows, l->rows), r.t.columns = l->tile_columns;
        for (uint32_t i = 0; i < l->load_count; i++)
            if (l->loads[i].once) bring(&r, i);
    }
    while (begin < end) begin += run_from(&r, begin, end);
}
