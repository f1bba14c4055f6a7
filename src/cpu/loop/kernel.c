/* Makes a kernel of machine code of a group: its operands, how they are walked, and what is done to them. */
#include "base/switches.h"
#include "cpu/jit/jit.h"
#include "cpu/loop/lower.h"

#include <string.h>

#define UNIT_ELEMENTS 16384 /* least work worth a unit of its own */
#define LONGEST_PIECE 8192  /* columns of a row that is summed piece by piece */
#define FLAT_COLUMNS  12    /* rows shorter than this are joined to longer ones */
#define BUFFER_LIMIT  (1 << 20)
#define STREAM_BYTES  (16 << 20)

typedef struct maker {
    fl_lowering *w;
    fl_jit_builder *b;
    fl_val *known;    /* of each load: its value, as it is computed with */
    uint16_t *halves; /* of each load of i64: a load of its lower half, the upper follows; 0: none */
} maker;

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t pieces_of(int64_t n, int64_t piece)
{
    return (n + piece - 1) / piece;
}

static int is_narrow(fl_dtype dtype)
{
    return dtype == FL_BF16 || dtype == FL_F16;
}

/* --- operands --- */

static void choose_access(const fl_lowering *w, const fl_access_plan *plan, int store, fl_loop_memory *m)
{
    const fl_loop *l = w->loop;
    int64_t row = w->first_column ? plan->strides[w->first_column - 1] : 0;
    m->level = m->along_columns || (l->flat && m->along_rows) ? FL_FULL : m->along_rows ? FL_ROW : FL_UNIFORM;
    if (store) m->level = plan->row ? FL_ROW : FL_FULL;
    int in_place = m->level != FL_FULL || (m->dense && (!l->flat || l->rows == 1 || row == l->columns));
    m->access = plan->count ? FL_COUNT : in_place ? FL_AT : FL_GATHER;
    m->copied =
        m->access == FL_GATHER || (plan->count && m->level == FL_FULL && (l->flat || l->column_rank > 1));
}

static fl_jit_access jit_access(const fl_loop_memory *m)
{
    if (m->access == FL_COUNT && !m->copied) return FL_M_COUNT;
    return m->level == FL_FULL ? FL_M_DENSE : m->level == FL_ROW ? FL_M_ROW : FL_M_UNIFORM;
}

/* Rows that are too short for a loop of their own: nothing may ask for rows. */
static int is_flat(const fl_lowering *w)
{
    const fl_loop *l = w->loop;
    return !w->group->space.columns && w->first_column && l->columns < FLAT_COLUMNS && l->rows >= 4;
}

static void choose_units(fl_lowering *w)
{
    fl_loop *l = w->loop;
    const fl_space *s = &w->group->space;
    l->unit_columns = l->columns;
    l->unit_rows = 1 + UNIT_ELEMENTS / l->columns;
    if (s->tiled && !s->outer) { /* fixed by the space, as the order of additions is */
        l->unit_columns = smaller(l->columns, LONGEST_PIECE);
        l->unit_rows = 1;
    } else if (s->outer) {
        if (!s->row_values) l->unit_columns = smaller(l->columns, 2048);
        l->unit_rows = 2 * UNIT_ELEMENTS / l->unit_columns;
        l->unit_rows = l->unit_rows < 64 ? 64 : l->unit_rows > 1024 ? 1024 : l->unit_rows;
    } else if (!s->row_values && l->columns >= 2 * UNIT_ELEMENTS) {
        l->unit_columns = UNIT_ELEMENTS;
        l->unit_rows = 1;
    }
    l->row_units = pieces_of(l->rows, l->unit_rows);
    l->column_units = pieces_of(l->columns, l->unit_columns);
    l->units = l->row_units * l->column_units;
    for (int i = 0; i < l->outer_rank; i++) l->units *= l->outer_dims[i];
}

/* What operands that are copied are cut into; those along the rows in memory by whole cache lines. */
static void choose_tiles(fl_lowering *w, size_t widest)
{
    fl_loop *l = w->loop;
    const fl_space *s = &w->group->space;
    int64_t budget = 32768 / (int64_t)widest;
    int whole = s->row_values || (s->tiled && !s->outer) || l->flat;
    l->tile_columns = whole ? l->unit_columns : smaller(l->unit_columns, 256);
    l->tile_rows = budget / l->tile_columns;
    if (l->tile_rows < 16 && l->tile_columns <= 8192) l->tile_rows = 16;
    if (l->tile_rows > l->unit_rows) l->tile_rows = l->unit_rows;
    if (l->tile_rows < 1) l->tile_rows = 1;
}

static fl_status choose_operands(fl_lowering *w)
{
    fl_loop *l = w->loop;
    size_t widest = 1;
    l->flat = (uint8_t)is_flat(w);
    choose_units(w);
    l->tile_rows = l->unit_rows, l->tile_columns = l->unit_columns;
    for (int i = 0; i < l->load_count + l->store_count; i++) {
        fl_loop_memory *m = i < l->load_count ? &l->loads[i] : &l->stores[i - l->load_count];
        choose_access(w, &w->plans[i], i >= l->load_count, m);
        if (i < l->load_count) fl_lowering_place(w, (uint16_t)i);
        if (!m->copied) continue;
        m->reg = l->buffer_count++;
        if (m->size > widest) widest = m->size;
    }
    if (l->buffer_count) choose_tiles(w, widest);
    for (uint16_t i = 0; i < l->load_count; i++) {
        fl_loop_memory *m = &l->loads[i];
        m->once = m->copied && !m->along_outer && !m->along_rows && l->tile_columns == l->columns;
        l->has_once |= m->once;
    }
    l->buffer_bytes = ((size_t)(l->tile_rows * l->tile_columns) * widest + 63) & ~(size_t)63;
    return NULL;
}

/* --- values --- */

static fl_val load_value(maker *m, uint16_t i)
{
    const fl_loop_memory *load = &m->w->loop->loads[i];
    fl_dtype dtype = (fl_dtype)load->dtype;
    if (m->known[i] != FL_NO_VAL) return m->known[i];
    fl_jit_access access = jit_access(load);
    fl_val v;
    if (access == FL_M_COUNT) {
        fl_dtype number = m->w->group->space.total < INT32_MAX ? FL_I32 : FL_I64;
        v = fl_jit_load(m->b, i, access, number);
        if (v != FL_NO_VAL && number != dtype) v = fl_jit_convert(m->b, v, dtype);
    } else {
        v = fl_jit_load(m->b, i, access, dtype);
    }
    if (v != FL_NO_VAL && is_narrow(dtype)) v = fl_jit_convert(m->b, v, FL_F32);
    fl_dtype counted = (fl_dtype)m->w->graph->bases[m->w->plans[i].base].dtype;
    if (v != FL_NO_VAL && load->access == FL_COUNT && is_narrow(counted)) v = fl_jit_round(m->b, v, counted);
    return m->known[i] = v;
}

/* --- indices of 64 bits --- */

static uint16_t load_of(const maker *m, uint32_t view)
{
    return m->w->view_loads[view];
}

/* Comparing counted columns with an index of the row, both i64: half as many lanes of everything in the kernel, unless it is done
 * in i32. Gives the view that is the index, -1: it is none of these. */
static int find_index(const maker *m, const fl_node *n, uint32_t view)
{
    const fl_loop *l = m->w->loop;
    if (n->code != FL_OP_compare || n->kind != FL_NODE_MAP || n->input_dtype != FL_I64 ||
        (n->direction != FL_EQ && n->direction != FL_NE) || m->w->group->space.total >= INT32_MAX)
        return -1;
    for (int i = 0; i < 2; i++) {
        uint16_t index = load_of(m, view + (uint32_t)i), count = load_of(m, view + 1 - (uint32_t)i);
        if (index == UINT16_MAX || count == UINT16_MAX) continue;
        const fl_loop_memory *a = &l->loads[index], *b = &l->loads[count];
        if (b->access == FL_COUNT && !b->copied && a->access == FL_AT && a->level != FL_FULL) return i;
    }
    return -1;
}

/* Loads of the halves of such indices, before anything else is numbered after the loads. */
static void split_indices(maker *m)
{
    fl_loop *l = m->w->loop;
    uint32_t view = 0;
    for (const fl_node *n = m->w->group->first; n; view += n->view_count, n = n->next) {
        int i = find_index(m, n, view);
        uint16_t load = i < 0 ? 0 : load_of(m, view + (uint32_t)i);
        if (i < 0 || m->halves[load]) continue;
        m->halves[load] = l->load_count;
        for (int half = 0; half < 2; half++) {
            fl_loop_memory *h = &l->loads[l->load_count++];
            *h = l->loads[load];
            h->dtype = FL_I32;
            h->size = 4;
            h->offset += 4 * (half ^ (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
        }
    }
}

static fl_val compare_index(maker *m, const fl_node *n, uint32_t view, int which)
{
    uint16_t index = load_of(m, view + (uint32_t)which), count = load_of(m, view + 1 - (uint32_t)which);
    uint16_t low = m->halves[index];
    fl_jit_access access = jit_access(&m->w->loop->loads[low]);
    static const int32_t zero = 0;
    fl_val lower[2] = {fl_jit_load(m->b, low, access, FL_I32), fl_jit_load(m->b, count, FL_M_COUNT, FL_I32)};
    fl_val upper[2] = {fl_jit_load(m->b, low + 1, access, FL_I32), fl_jit_constant(m->b, FL_I32, &zero)};
    fl_val parts[2] = {fl_jit_op(m->b, FL_OP_compare, FL_I1, (fl_compare_direction)n->direction, lower, 2),
                       fl_jit_op(m->b, FL_OP_compare, FL_I1, (fl_compare_direction)n->direction, upper, 2)};
    return fl_jit_op(m->b, n->direction == FL_EQ ? FL_OP_and : FL_OP_or, FL_I1, 0, parts, 2);
}

/* --- operations --- */

static fl_val map_value(maker *m, const fl_node *n, const fl_val *v)
{
    fl_dtype from = fl_loop_dtype((fl_dtype)n->input_dtype), to = fl_loop_dtype((fl_dtype)n->dtype);
    fl_val r = v[0];
    switch (n->code) {
    case FL_OP_NONE: return r;
    case FL_OP_convert:
        if (from != to) r = fl_jit_convert(m->b, r, to);
        break;
    default:
        r = fl_jit_op(m->b, (fl_opcode)n->code, to, (fl_compare_direction)n->direction, v,
                      (int)n->view_count);
        if (fl_is_exact_op((fl_opcode)n->code)) return r;
    }
    if (r != FL_NO_VAL && is_narrow((fl_dtype)n->dtype)) r = fl_jit_round(m->b, r, (fl_dtype)n->dtype);
    return r;
}

static fl_val sink_value(maker *m, fl_node *n, fl_val value)
{
    fl_loop *l = m->w->loop;
    fl_dtype dtype = fl_loop_dtype((fl_dtype)n->dtype);
    int memory = l->load_count + l->store_count + l->sink_count;
    fl_loop_sink *s = &l->sinks[l->sink_count++];
    *s = (fl_loop_sink){.node = n,
                        .size = (uint8_t)fl_dtype_bytes(dtype),
                        .rows = n->inner > 1,
                        .pieces = l->column_units,
                        .combine = fl_vec_find((fl_opcode)n->code, dtype).vv};
    if (!s->rows) {
        fl_val r = fl_jit_reduce(m->b, (fl_opcode)n->code, value);
        if (r == FL_NO_VAL || !fl_jit_store(m->b, memory, FL_M_ROW, r, FL_J_FREE, 0)) return FL_NO_VAL;
        return value;
    }
    s->pieces = l->row_units;
    for (int i = 0; i < l->outer_rank; i++) s->pieces *= l->outer_dims[i];
    s->pieces /= n->outer;
    if (!fl_identity_of((fl_opcode)n->code, dtype, s->identity)) return FL_NO_VAL;
    if (n->code == FL_OP_add && fl_is_float(dtype)) s->identity[s->size - 1] = 0x80; /* -0 */
    return fl_jit_accumulate(m->b, memory, (fl_opcode)n->code, value) ? value : FL_NO_VAL;
}

static fl_val reduce_value(maker *m, fl_node *n, fl_val value)
{
    if (n->sink) return sink_value(m, n, value);
    fl_val r = fl_jit_reduce(m->b, (fl_opcode)n->code, value);
    if (r != FL_NO_VAL && is_narrow((fl_dtype)n->dtype)) r = fl_jit_round(m->b, r, (fl_dtype)n->dtype);
    return r;
}

/* Big results that are read by nobody in this program go past the caches. */
static int is_streamed(const fl_lowering *w, const fl_loop_store *store, const fl_loop_memory *m)
{
    const fl_base *base = &w->graph->bases[store->base];
    return !store->conflict && m->level == FL_FULL && m->access == FL_AT && !base->in_memory &&
           w->group->space.total * m->size >= STREAM_BYTES;
}

static int store_value(maker *m, const fl_loop_store *store, uint16_t i)
{
    const fl_loop *l = m->w->loop;
    const fl_loop_memory *memory = &l->stores[i];
    fl_val v = m->w->graph->bases[store->base].reg;
    if (v != FL_NO_VAL && is_narrow((fl_dtype)memory->dtype))
        v = fl_jit_convert(m->b, v, (fl_dtype)memory->dtype);
    return v != FL_NO_VAL &&
           fl_jit_store(m->b, l->load_count + i, jit_access(memory), v,
                        store->conflict ? FL_J_IN_PLACE : FL_J_FREE, is_streamed(m->w, store, memory));
}

/* What the kernel does, for dumps. */
static fl_status list_codes(fl_lowering *w)
{
    fl_loop *l = w->loop;
    l->codes = FL_NEW_ARRAY(w->arena, uint16_t, w->group->count + 1);
    FL_CHECK(l->codes, FL_OOM, "out of memory while planning");
    for (const fl_node *n = w->group->first; n; n = n->next)
        if (n->code != FL_OP_NONE)
            l->codes[l->code_count++] = (uint16_t)(n->code | (n->kind == FL_NODE_REDUCE ? 0x8000 : 0));
    return NULL;
}

/* 0: something has no code. */
static int make_values(maker *m, const fl_loop_store *stores)
{
    fl_lowering *w = m->w;
    uint32_t view = 0;
    for (fl_node *n = w->group->first; n; n = n->next) {
        fl_val v[3], r;
        int index = find_index(m, n, view);
        if (index >= 0) {
            r = compare_index(m, n, view, index);
            view += n->view_count;
            if (r == FL_NO_VAL) return 0;
            w->graph->bases[n->first_base].reg = r;
            continue;
        }
        for (uint32_t i = 0; i < n->view_count; i++, view++) {
            v[i] = w->view_loads[view] == UINT16_MAX ? w->graph->bases[n->views[i].base].reg
                                                     : load_value(m, w->view_loads[view]);
            if (v[i] == FL_NO_VAL) return 0;
        }
        r = n->kind == FL_NODE_MAP ? map_value(m, n, v) : reduce_value(m, n, v[0]);
        if (r == FL_NO_VAL) return 0;
        w->graph->bases[n->first_base].reg = r;
    }
    for (uint16_t i = 0; i < w->loop->store_count; i++)
        if (!store_value(m, &stores[i], i)) return 0;
    return 1;
}

static void set_cost(fl_lowering *w)
{
    fl_loop *l = w->loop;
    double total = (double)w->group->space.total, each = l->kernel->cost_per_element;
    for (int i = 0; i < l->load_count + l->store_count; i++) {
        const fl_loop_memory *m = i < l->load_count ? &l->loads[i] : &l->stores[i - l->load_count];
        if (m->level == FL_FULL) each += m->size * (m->copied ? 0.3 : 0.06);
    }
    l->cost = total * each + 20.0 * (double)l->units;
    double unit = l->cost / (double)l->units;
    l->grain = l->cost < 20000 ? l->units : 1 + (int64_t)(10000 / unit);
}

int fl_loop_has_code(const fl_node *n)
{
    fl_dtype from = fl_loop_dtype((fl_dtype)n->input_dtype), to = fl_loop_dtype((fl_dtype)n->dtype);
    if (fl_is_complex(from) || fl_is_complex(to)) return 0;
    return n->kind == FL_NODE_REDUCE || n->code == FL_OP_NONE || fl_jit_has((fl_opcode)n->code, to, from);
}

static int kernels_state; /* 0: not known yet, 1: none, 2: used */

void fl_loop_use_kernels(int use)
{
    __atomic_store_n(&kernels_state, use ? 0 : 1, __ATOMIC_RELAXED);
}

int fl_loop_has_kernels(void)
{
    int state = __atomic_load_n(&kernels_state, __ATOMIC_RELAXED);
    if (!state) {
        state = fl_is_disabled("jit") || !fl_jit_has(FL_OP_add, FL_F32, FL_F32) ? 1 : 2;
        __atomic_store_n(&kernels_state, state, __ATOMIC_RELAXED);
    }
    return state == 2;
}

fl_status fl_lowering_compile(fl_lowering *w, const fl_loop_store *stores)
{
    fl_loop *l = w->loop;
    if (!fl_loop_has_kernels()) return NULL;
    FL_TRY(choose_operands(w));
    maker m = {.w = w, .b = fl_jit_begin(w->graph->arena)};
    m.known = FL_NEW_ARRAY(w->graph->arena, fl_val, l->load_count + 1);
    l->sinks = FL_NEW_ARRAY(w->arena, fl_loop_sink, w->group->count);
    m.halves = FL_NEW_ARRAY(w->graph->arena, uint16_t, l->load_count + 1);
    FL_CHECK(m.b && m.known && m.halves && l->sinks, FL_OOM, "out of memory while planning");
    memset(m.known, 0xff, (l->load_count + 1u) * sizeof *m.known);
    split_indices(&m);
    fl_status status = make_values(&m, stores) ? fl_jit_finish(m.b, &l->kernel)
                                               : fl_error(FL_UNSUPPORTED, "an operation without code");
    if (!status) {
        int64_t columns = l->flat ? l->tile_rows * l->tile_columns : l->columns;
        columns = (columns + 63) & ~(int64_t)63;
        l->scratch_bytes = (size_t)columns * l->kernel->scratch_per_column + FL_JIT_STACK;
        if (l->buffer_count * l->buffer_bytes + l->scratch_bytes < BUFFER_LIMIT) {
            set_cost(w);
            return list_codes(w);
        }
    }
    l->kernel = NULL;
    l->load_count = w->load_count;
    l->sink_count = l->buffer_count = 0;
    l->has_once = l->flat = 0;
    if (fl_status_code(status) != FL_UNSUPPORTED) return status;
    fl_status_free(status);
    return NULL;
}
