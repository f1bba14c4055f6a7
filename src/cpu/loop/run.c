/* Runs loop programs. */
#include "base/pool.h"
#include "cpu/loop/run.h"

#include <alloca.h>
#include <string.h>

typedef struct run_context {
    const fl_loop *loop;
    void *const *slots;
} run_context;

int64_t fl_column_offset(const fl_loop *l, const fl_loop_memory *m, int64_t column)
{
    if (l->column_rank <= 1) return column * m->column;
    int64_t offset = 0;
    for (int i = l->column_rank - 1; i >= 0; i--) {
        offset += column % l->column_dims[i] * m->columns[i];
        column /= l->column_dims[i];
    }
    return offset;
}

/* Copies a tile between memory and a buffer when columns have several dimensions: one run of the last at a time. */
static void copy_runs(const fl_tile *t, const fl_loop_memory *m, char *memory, char *buffer, int out)
{
    const fl_loop *l = t->loop;
    int last = l->column_rank - 1;
    int64_t length = l->column_dims[last], step = m->columns[last], line = t->columns * m->size;
    fl_vec_copy_fn copy = fl_vec_find_moves()->copy[fl_vec_size_class(m->size)];
    for (int64_t c = t->column, end = t->column + t->columns; c < end;) {
        int64_t n = length - c % length;
        if (n > end - c) n = end - c;
        char *at = memory + fl_column_offset(l, m, c), *b = buffer + (c - t->column) * m->size;
        if (out)
            copy(at, b, t->rows, n, m->row, step, line, m->size);
        else
            copy(b, at, t->rows, n, line, m->size, m->row, step);
        c += n;
    }
}

void fl_tile_gather(const fl_tile *t, const fl_loop_memory *m, char *memory, char *buffer)
{
    fl_vec_copy_fn copy = fl_vec_find_moves()->copy[fl_vec_size_class(m->size)];
    if (m->level == FL_ROW) {
        copy(buffer, memory + t->row * m->row, 1, t->rows, 0, m->size, 0, m->row);
    } else if (t->loop->column_rank <= 1) {
        copy(buffer, memory + t->row * m->row + t->column * m->column, t->rows, t->columns,
             t->columns * m->size, m->size, m->row, m->column);
    } else {
        copy_runs(t, m, memory + t->row * m->row, buffer, 0);
    }
}

void fl_tile_scatter(const fl_tile *t, const fl_loop_memory *m, char *memory, char *buffer)
{
    fl_vec_copy_fn copy = fl_vec_find_moves()->copy[fl_vec_size_class(m->size)];
    if (m->level == FL_UNIFORM) {
        memcpy(memory, buffer, m->size);
    } else if (m->level == FL_ROW) {
        copy(memory + t->row * m->row, buffer, 1, t->rows, 0, m->row, 0, m->size);
    } else if (t->loop->column_rank <= 1) {
        copy(memory + t->row * m->row + t->column * m->column, buffer, t->rows, t->columns, m->row, m->column,
             t->columns * m->size, m->size);
    } else {
        copy_runs(t, m, memory + t->row * m->row, buffer, 1);
    }
}

void fl_tile_count(const fl_tile *t, const fl_loop_memory *m, int64_t value, char *buffer)
{
    const fl_loop *l = t->loop;
    value += t->row * m->row;
    if (m->level == FL_UNIFORM) fl_vec_iota((fl_dtype)m->dtype, buffer, value, 0, 1);
    if (m->level == FL_ROW) fl_vec_iota((fl_dtype)m->dtype, buffer, value, m->row, t->rows);
    if (m->level != FL_FULL) return;
    int last = l->column_rank - 1;
    int64_t length = l->column_dims[last], step = m->columns[last];
    for (int64_t r = 0; r < t->rows; r++, value += m->row)
        for (int64_t c = t->column, end = t->column + t->columns; c < end;) {
            int64_t n = length - c % length;
            if (n > end - c) n = end - c;
            fl_vec_iota((fl_dtype)m->dtype, buffer, value + fl_column_offset(l, m, c), step, n);
            buffer += n * m->size;
            c += n;
        }
}

static inline void load(const fl_tile *t, uint32_t i)
{
    const fl_loop_memory *m = &t->loop->loads[i];
    if (m->access == FL_AT) {
        t->reg[m->reg] = t->load[i] + t->row * m->row +
                         (m->level == FL_FULL ? fl_column_offset(t->loop, m, t->column) : 0);
    } else if (m->access == FL_GATHER) {
        fl_tile_gather(t, m, t->load[i], t->reg[m->reg]);
    } else {
        fl_tile_count(t, m, t->count[i], t->reg[m->reg]);
    }
}

static void sink(const fl_tile *t, const fl_loop_instr *in)
{
    const fl_loop *l = t->loop;
    const fl_loop_sink *s = &l->sinks[in->sink];
    char *partial = (char *)t->slots[s->slot] + s->offset, *x = t->reg[in->reg[1]];
    if (in->kind == FL_DO_SUM_TILES) {
        partial += ((t->outer * l->rows + t->row) * l->column_units + t->column_unit) * s->size;
        char value[16];
        int first = t->column == t->column_unit * l->unit_columns;
        in->fn(first ? partial : value, x, x, x, t->columns);
        if (!first) s->combine(partial, partial, value, value, 1);
        return;
    }
    partial += ((t->outer * l->row_units + t->row_unit) * l->columns + t->column) * s->size;
    int64_t r = 0, bytes = t->columns * s->size;
    if (t->row == t->unit_row) {
        memcpy(partial, x, (size_t)bytes);
        r = 1;
    }
    for (; r < t->rows; r++) s->combine(partial, partial, x + r * bytes, NULL, t->columns);
}

static inline void execute(const fl_tile *t, const fl_loop_instr *in)
{
    char *const *reg = t->reg;
    if (in->kind == FL_DO_MAP && !in->per_row) {
        int64_t n = in->level[0] == FL_FULL ? t->rows * t->columns : in->level[0] == FL_ROW ? t->rows : 1;
        in->fn(reg[in->reg[0]], reg[in->reg[1]], reg[in->reg[2]], reg[in->reg[3]], n);
        return;
    }
    if (in->kind >= FL_DO_SUM_ROWS) {
        sink(t, in);
        return;
    }
    int64_t step[4];
    for (int i = 0; i < 4; i++)
        step[i] = in->level[i] == FL_FULL  ? in->step[i] * t->columns
                  : in->level[i] == FL_ROW ? in->step[i]
                                           : 0;
    char *out = reg[in->reg[0]], *a = reg[in->reg[1]], *b = reg[in->reg[2]], *c = reg[in->reg[3]];
    for (int64_t r = 0; r < t->rows; r++) {
        in->fn(out, a, b, c, t->columns);
        out += step[0], a += step[1], b += step[2], c += step[3];
    }
}

static inline void run_tile(const fl_tile *t)
{
    const fl_loop *l = t->loop;
    for (uint32_t i = 0; i < l->store_count; i++) { /* first: a load may gather straight into an output */
        const fl_loop_memory *m = &l->stores[i];
        if (m->access == FL_AT)
            t->reg[m->reg] =
                t->store[i] + t->row * m->row + (m->level == FL_FULL ? fl_column_offset(l, m, t->column) : 0);
    }
    for (uint32_t i = 0; i < l->load_count; i++)
        if (!l->loads[i].once) load(t, i);
    for (uint32_t i = 0; i < l->instr_count; i++)
        if (!l->instrs[i].once) execute(t, &l->instrs[i]);
    for (uint32_t i = 0; i < l->store_count; i++)
        if (l->stores[i].access == FL_GATHER)
            fl_tile_scatter(t, &l->stores[i], t->store[i], t->reg[l->stores[i].reg]);
}

static void run_once(fl_tile *t)
{
    const fl_loop *l = t->loop;
    t->row = t->column = 0;
    t->rows = l->tile_rows < l->rows ? l->tile_rows : l->rows, t->columns = l->tile_columns;
    for (uint32_t i = 0; i < l->load_count; i++)
        if (l->loads[i].once) load(t, i);
    for (uint32_t i = 0; i < l->instr_count; i++)
        if (l->instrs[i].once) execute(t, &l->instrs[i]);
}

static inline void seek_memory(const fl_loop *l, void *const *slots, const fl_loop_memory *m,
                               const int64_t *index, char **pointer, int64_t *value)
{
    int64_t offset = m->offset;
    for (int d = 0; d < l->outer_rank; d++) offset += index[d] * m->outer[d];
    if (m->access == FL_COUNT)
        *value = offset;
    else
        *pointer = (char *)slots[m->slot] + offset;
}

/* Finds the operands of one block of rows: outer index `outer`. */
void fl_tile_seek(fl_tile *t, int64_t outer)
{
    const fl_loop *l = t->loop;
    int64_t index[FL_MAX_RANK];
    t->outer = outer;
    for (int d = l->outer_rank - 1; d >= 0; d--) {
        index[d] = outer % l->outer_dims[d];
        outer /= l->outer_dims[d];
    }
    for (uint32_t i = 0; i < l->load_count; i++)
        seek_memory(l, t->slots, &l->loads[i], index, &t->load[i], &t->count[i]);
    for (uint32_t i = 0; i < l->store_count; i++)
        seek_memory(l, t->slots, &l->stores[i], index, &t->store[i], NULL);
}

static void run_unit(fl_tile *t, int64_t unit)
{
    const fl_loop *l = t->loop;
    t->column_unit = unit % l->column_units;
    unit /= l->column_units;
    t->row_unit = unit % l->row_units;
    unit /= l->row_units;
    if (unit != t->outer) fl_tile_seek(t, unit);
    int64_t row_end = (t->row_unit + 1) * l->unit_rows, column_end = (t->column_unit + 1) * l->unit_columns;
    if (row_end > l->rows) row_end = l->rows;
    if (column_end > l->columns) column_end = l->columns;
    t->unit_row = t->row_unit * l->unit_rows;
    for (t->row = t->unit_row; t->row < row_end; t->row += l->tile_rows) {
        t->rows = row_end - t->row < l->tile_rows ? row_end - t->row : l->tile_rows;
        for (t->column = t->column_unit * l->unit_columns; t->column < column_end;
             t->column += l->tile_columns) {
            t->columns = column_end - t->column < l->tile_columns ? column_end - t->column : l->tile_columns;
            run_tile(t);
        }
    }
}

/* Units [begin, end) of one loop, on the calling thread; buffers lie on its stack. */
static void run_tiles(const fl_loop *l, void *const *slots, int64_t begin, int64_t end)
{
    size_t pointers = l->reg_count + l->load_count + l->store_count;
    size_t bytes = l->buffer_count * l->buffer_bytes + l->small_count * l->small_bytes;
    char **reg = alloca((pointers + l->load_count) * sizeof *reg + bytes + 64);
    fl_tile t = {.loop = l, .slots = slots, .reg = reg, .load = reg + l->reg_count, .outer = -1};
    t.store = t.load + l->load_count;
    t.count = (int64_t *)(t.store + l->store_count);
    char *buffers = (char *)(((uintptr_t)(t.count + l->load_count) + 63) & ~(uintptr_t)63);
    char *smalls = buffers + l->buffer_count * l->buffer_bytes;
    for (uint32_t i = 0; i < l->reg_count; i++)
        if (l->homes[i] == FL_HOME_BUFFER)
            reg[i] = buffers + l->places[i] * l->buffer_bytes;
        else if (l->homes[i] == FL_HOME_SMALL)
            reg[i] = smalls + l->places[i] * l->small_bytes;
    if (l->has_once) {
        fl_tile_seek(&t, 0);
        run_once(&t);
    }
    for (int64_t u = begin; u < end; u++) run_unit(&t, u);
}

static void run_units(const fl_loop *l, void *const *slots, int64_t begin, int64_t end)
{
    if (l->kernel)
        fl_kernel_run_units(l, slots, begin, end);
    else
        run_tiles(l, slots, begin, end);
}

static void run_body(void *context, int64_t begin, int64_t end)
{
    const run_context *c = context;
    run_units(c->loop, c->slots, begin, end);
}

fl_status fl_loop_run(const fl_step *step, void *const *slots)
{
    const fl_loop *l = step->data;
    run_context context = {l, slots};
    if (l->units <= l->grain)
        run_units(l, slots, 0, l->units);
    else
        fl_parallel_for(l->units, l->grain, run_body, &context);
    return NULL;
}

typedef struct batch_context {
    const fl_loop_batch *batch;
    void *const *slots;
} batch_context;

static void batch_body(void *context, int64_t begin, int64_t end)
{
    const batch_context *c = context;
    const fl_loop_batch *b = c->batch;
    uint32_t low = 0, high = b->count; /* the loop that holds unit `begin` */
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (b->first[middle] <= begin)
            low = middle;
        else
            high = middle;
    }
    for (; low < b->count && begin < end; low++) {
        int64_t stop = b->first[low + 1] < end ? b->first[low + 1] : end;
        if (stop > begin) run_units(b->loops[low], c->slots, begin - b->first[low], stop - b->first[low]);
        begin = stop;
    }
}

fl_status fl_loop_batch_run(const fl_step *step, void *const *slots)
{
    const fl_loop_batch *b = step->data;
    batch_context context = {b, slots};
    fl_parallel_for(b->units, b->grain, batch_body, &context);
    return NULL;
}
