/* Makes a loop program of a group: operands in memory, the split into rows, columns and tiles, instructions, buffers. */
#include "cpu/loop/lower.h"

#include <string.h>

/* --- operands --- */

/* Strides of a view over the group's dimensions: each dimension of the view covers some of them. `skip`: dimensions at the end
 * that the view knows nothing of (columns, for a row value). */
static void spread(const fl_lowering *w, const fl_view *view, int skip, int64_t *out)
{
    int d = w->rank - 1;
    for (; skip > 0; skip--) out[d--] = 0;
    for (int i = view->rank - 1; i >= 0; i--) {
        if (view->dims[i] == 1) continue;
        int64_t covered = 1;
        while (d >= 0 && covered < view->dims[i]) {
            out[d] = view->strides[i] * covered;
            covered *= w->dims[d--];
        }
    }
    while (d >= 0) out[d--] = 0;
}

static int column_rank_of(const fl_lowering *w)
{
    int n = 0;
    int64_t covered = 1;
    while (covered < w->group->space.columns) covered *= w->dims[w->rank - 1 - n++];
    return n;
}

fl_status fl_lowering_load(fl_lowering *w, const fl_node *node, const fl_view *view, uint16_t *out)
{
    const fl_base *base = &w->graph->bases[view->base];
    fl_access_plan plan = {.base = view->base, .dtype = base->dtype, .count = base->kind == FL_BASE_IOTA};
    spread(w, view,
           node->kind == FL_NODE_MAP && fl_node_is_row(&w->group->space, node) ? column_rank_of(w) : 0,
           plan.strides);
    plan.offset = view->offset;
    for (uint16_t i = 0; i < w->load_count; i++) {
        const fl_access_plan *p = &w->plans[i];
        if (p->base == plan.base && p->offset == plan.offset &&
            !memcmp(p->strides, plan.strides, (size_t)w->rank * sizeof(int64_t))) {
            *out = i;
            return NULL;
        }
    }
    FL_CHECK(w->load_count < FL_MAX_LOADS, FL_UNSUPPORTED, "a group reads more than %d operands",
             FL_MAX_LOADS);
    w->plans[w->load_count] = plan;
    *out = w->load_count++;
    return NULL;
}

static void plan_store(fl_lowering *w, const fl_loop_store *store, fl_access_plan *plan)
{
    const fl_node *node = w->graph->bases[store->base].node;
    const fl_operand *t = &store->target;
    fl_view view = {0, t->rank, 0, 0, t->dims, t->strides};
    *plan = (fl_access_plan){.base = store->base, .dtype = t->dtype};
    plan->row = (uint8_t)fl_node_is_row(&w->group->space, node);
    spread(w, &view, plan->row ? column_rank_of(w) : 0, plan->strides);
}

/* --- the shape of the space --- */

static void common_dims(fl_lowering *w)
{
    const fl_space *s = &w->group->space;
    w->rank = s->suffix_count;
    for (int i = 0; i < w->rank; i++)
        w->dims[w->rank - 1 - i] = s->suffixes[i] / (i ? s->suffixes[i - 1] : 1);
    if (!w->rank) w->dims[w->rank++] = 1;
}

static int may_join(const fl_lowering *w, int d, int64_t suffix_of_next)
{
    const fl_space *s = &w->group->space;
    if (s->columns && suffix_of_next == s->columns) return 0;
    if (s->outer > 1 && suffix_of_next == s->total / s->outer) return 0;
    for (int i = 0; i < w->plan_count; i++)
        if (w->plans[i].strides[d] != w->plans[i].strides[d + 1] * w->dims[d + 1]) return 0;
    return 1;
}

/* Joins dimensions that every operand walks as one. */
static void collapse(fl_lowering *w)
{
    int64_t suffix = 1;
    for (int d = w->rank - 2; d >= 0; d--) {
        suffix *= w->dims[d + 1];
        if (!may_join(w, d, suffix)) continue;
        for (int i = 0; i < w->plan_count; i++) {
            int64_t *strides = w->plans[i].strides;
            memmove(strides + d, strides + d + 1, (size_t)(w->rank - d - 1) * sizeof *strides);
        }
        suffix /= w->dims[d + 1];
        w->dims[d] *= w->dims[d + 1];
        memmove(w->dims + d + 1, w->dims + d + 2, (size_t)(w->rank - d - 2) * sizeof *w->dims);
        w->rank--;
    }
}

/* Columns: what the group asks for, or the innermost dimension. The dimension before them is that of rows. */
static void split(fl_lowering *w)
{
    fl_loop *l = w->loop;
    int columns = w->group->space.columns ? column_rank_of(w) : 1;
    l->column_rank = (uint8_t)columns;
    l->columns = 1;
    for (int i = 0; i < columns; i++) l->columns *= l->column_dims[i] = w->dims[w->rank - columns + i];
    int rest = w->rank - columns;
    l->rows = rest ? w->dims[rest - 1] : 1;
    l->outer_rank = (uint8_t)(rest > 1 ? rest - 1 : 0);
    memcpy(l->outer_dims, w->dims, l->outer_rank * sizeof *w->dims);
    w->first_column = rest;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Whether some operand is contiguous along the rows instead of the columns: then tiles are blocks, which use whole cache lines
 * of it. */
static int is_transposed(const fl_lowering *w)
{
    const fl_loop *l = w->loop;
    if (!w->first_column || l->rows < 16 || l->columns < 64 || w->group->space.columns) return 0;
    for (int i = 0; i < w->load_count; i++) {
        const int64_t *strides = w->plans[i].strides + w->first_column;
        if (strides[-1] == 1 && strides[0] > 16 && !w->plans[i].count) return 1;
    }
    return 0;
}

/* Tiles: rows must be whole when they are reduced in the tile; reductions of long rows go one row at a time. */
static void choose_tiles(fl_lowering *w, size_t widest)
{
    fl_loop *l = w->loop;
    const fl_space *s = &w->group->space;
    int64_t budget = w->group->count <= 2 ? 4096 : w->group->count <= 8 ? 2048 : 1024;
    if (widest > 4) budget /= 2;
    if (s->tiled && !s->outer) { /* fixed by the space, as the order of additions is */
        l->tile_rows = 1;
        l->tile_columns = smaller(l->columns, 1024);
        l->unit_rows = 1;
        l->unit_columns = smaller(l->columns, 8192);
    } else if (is_transposed(w)) {
        l->tile_rows = 16;
        l->tile_columns = 64;
        l->unit_rows = smaller(l->rows, 64);
        l->unit_columns = smaller(l->columns, 256);
    } else {
        l->tile_columns = s->row_values ? l->columns : smaller(l->columns, budget);
        l->tile_rows = l->tile_columns < l->columns
                           ? 1
                           : smaller(l->rows, l->columns < budget ? budget / l->columns : 1);
        l->unit_columns = l->tile_columns;
        int64_t rows = 16384 / l->tile_columns; /* rows of a unit */
        if (s->outer) {
            rows = rows < 64 ? 64 : rows > 256 ? 256 : rows;
        } else if (l->tile_columns < l->columns) {
            l->unit_columns = l->tile_columns * (16384 / l->tile_columns);
            if (l->unit_columns > l->columns) l->unit_columns = l->columns;
            rows = 1;
        }
        if (rows < 1) rows = 1;
        l->unit_rows = s->outer ? rows : (rows + l->tile_rows - 1) / l->tile_rows * l->tile_rows;
        if (l->tile_rows > l->unit_rows) l->tile_rows = l->unit_rows;
    }
    l->row_units = (l->rows + l->unit_rows - 1) / l->unit_rows;
    l->column_units = (l->columns + l->unit_columns - 1) / l->unit_columns;
    l->units = l->row_units * l->column_units;
    for (int i = 0; i < l->outer_rank; i++) l->units *= l->outer_dims[i];
}

static int all_zero(const int64_t *strides, int n)
{
    for (int i = 0; i < n; i++)
        if (strides[i]) return 0;
    return 1;
}

fl_status fl_lowering_memory(fl_lowering *w, const fl_access_plan *plan, fl_loop_memory *m)
{
    const fl_loop *l = w->loop;
    const int64_t *strides = plan->strides, *columns = strides + w->first_column;
    int64_t unit = plan->count ? 1 : (int64_t)fl_dtype_bytes((fl_dtype)plan->dtype);
    fl_dtype dtype = plan->count ? fl_loop_dtype((fl_dtype)plan->dtype) : (fl_dtype)plan->dtype;
    int64_t row = w->first_column ? strides[w->first_column - 1] : 0;
    *m = (fl_loop_memory){.size = (uint8_t)fl_dtype_bytes(dtype),
                          .dtype = (uint8_t)dtype,
                          .row = row * unit,
                          .column = columns[l->column_rank - 1] * unit};
    m->outer = FL_NEW_ARRAY(w->arena, int64_t, l->outer_rank + l->column_rank + 1);
    FL_CHECK(m->outer, FL_OOM, "out of memory while planning");
    m->columns = m->outer + l->outer_rank;
    for (int i = 0; i < l->outer_rank; i++) m->outer[i] = strides[i] * unit;
    for (int i = 0; i < l->column_rank; i++) m->columns[i] = columns[i] * unit;
    m->along_columns = !all_zero(columns, l->column_rank) && l->columns > 1;
    m->along_rows = row != 0 && l->rows > 1;
    m->along_outer = !all_zero(strides, l->outer_rank);
    m->dense = (uint8_t)fl_strides_dense(l->column_rank, l->column_dims, columns);
    return NULL;
}

/* How an operand is reached, tile by tile. */
static void choose_access(const fl_lowering *w, const fl_access_plan *plan, int store, fl_loop_memory *m)
{
    const fl_loop *l = w->loop;
    int64_t row = w->first_column ? plan->strides[w->first_column - 1] : 0;
    /* with few columns a call a row costs more than spreading row values over the tile */
    int spread_rows = m->along_rows && !w->group->space.row_values && l->columns < 32;
    m->level = m->along_columns || spread_rows ? FL_FULL : m->along_rows ? FL_ROW : FL_UNIFORM;
    if (store) m->level = plan->row ? FL_ROW : FL_FULL;
    if (w->group->space.total == 1) m->level = FL_FULL;
    int whole = l->tile_columns == l->columns;
    int in_place = m->level == FL_FULL  ? m->dense && (l->tile_rows == 1 || (row == l->columns && whole))
                   : m->level == FL_ROW ? row == 1 || l->tile_rows == 1
                                        : 1;
    m->access = plan->count ? FL_COUNT : in_place ? FL_AT : FL_GATHER;
    m->once = !store && !m->along_outer &&
              (m->level == FL_UNIFORM ? !m->along_rows
                                      : m->level == FL_FULL && !m->along_rows && whole && m->access != FL_AT);
}

void fl_lowering_place(const fl_lowering *w, uint16_t i)
{
    fl_loop_memory *m = &w->loop->loads[i];
    const fl_base *base = &w->graph->bases[w->plans[i].base];
    m->offset = m->access == FL_COUNT ? w->plans[i].offset : base->offset + w->plans[i].offset * m->size;
}

/* --- buffers --- */

/* Gives registers their buffers: a register's buffer is free again after the last instruction that reads it. */
static fl_status assign_buffers(fl_lowering *w)
{
    fl_loop *l = w->loop;
    uint16_t *last = FL_NEW_ARRAY(w->graph->arena, uint16_t, l->reg_count + 1);
    uint16_t *free_list = FL_NEW_ARRAY(w->graph->arena, uint16_t, l->reg_count + 1), free_count = 0;
    uint8_t *given = FL_NEW_ARRAY(w->graph->arena, uint8_t, l->reg_count + 1);
    FL_CHECK(last && free_list && given, FL_OOM, "out of memory while planning");
    for (uint16_t i = 0; i < l->instr_count; i++)
        for (int k = 1; k < 4; k++) last[l->instrs[i].reg[k]] = i;
    for (uint16_t r = 0; r < l->reg_count; r++)
        if (w->regs[r].kept) last[r] = UINT16_MAX;
#define GIVE(r)                                                                                              \
    do {                                                                                                     \
        if (l->homes[r] == FL_HOME_BUFFER && !given[r]) {                                                    \
            given[r] = 1;                                                                                    \
            l->places[r] = free_count ? free_list[--free_count] : l->buffer_count++;                         \
        } else if (l->homes[r] == FL_HOME_SMALL && !given[r]) {                                              \
            given[r] = 1;                                                                                    \
            l->places[r] = l->small_count++;                                                                 \
        }                                                                                                    \
    } while (0)
    for (uint16_t i = 0; i < l->load_count; i++) GIVE(l->loads[i].reg);
    for (uint16_t i = 0; i < l->instr_count; i++) { /* what runs once keeps its buffers */
        if (l->instrs[i].once) GIVE(l->instrs[i].reg[0]);
    }
    for (uint16_t i = 0; i < l->instr_count; i++) {
        const fl_loop_instr *in = &l->instrs[i];
        if (in->once) continue;
        if (in->kind == FL_DO_MAP || in->kind == FL_DO_REDUCE) GIVE(in->reg[0]);
        for (int k = 1; k < 4; k++) {
            uint16_t r = in->reg[k];
            int again = 0;
            for (int j = 1; j < k; j++) again |= in->reg[j] == r;
            if (!again && last[r] == i && l->homes[r] == FL_HOME_BUFFER && !w->regs[r].once)
                free_list[free_count++] = l->places[r];
        }
    }
#undef GIVE
    return NULL;
}

static void set_cost(fl_lowering *w)
{
    fl_loop *l = w->loop;
    double total = (double)w->group->space.total, each = w->work;
    for (uint16_t i = 0; i < l->load_count; i++)
        each += l->loads[i].level == FL_FULL
                    ? l->loads[i].size * (l->loads[i].access == FL_GATHER ? 0.2 : 0.05)
                    : 0;
    for (uint16_t i = 0; i < l->store_count; i++)
        each += l->stores[i].level == FL_FULL ? l->stores[i].size * 0.05 : 0;
    l->cost = total * each + 20.0 * (double)l->units;
    double unit = l->cost / (double)l->units;
    l->grain = l->cost < 40000 ? l->units : 1 + (int64_t)(20000 / unit);
}

/* The operands, as far as they do not depend on tiles. */
static fl_status make_memory(fl_lowering *w, const fl_loop_store *stores, uint32_t store_count)
{
    fl_loop *l = w->loop;
    l->load_count = w->load_count;
    l->store_count = (uint16_t)store_count;
    l->loads = FL_NEW_ARRAY(w->arena, fl_loop_memory, 3 * w->load_count + 1); /* and halves */
    l->stores = FL_NEW_ARRAY(w->arena, fl_loop_memory, store_count + 1);
    FL_CHECK(l->loads && l->stores, FL_OOM, "out of memory while planning");
    for (uint16_t i = 0; i < w->load_count; i++) {
        FL_TRY(fl_lowering_memory(w, &w->plans[i], &l->loads[i]));
        l->loads[i].slot = w->graph->bases[w->plans[i].base].slot;
    }
    for (uint32_t i = 0; i < store_count; i++) {
        FL_TRY(fl_lowering_memory(w, &w->plans[w->load_count + i], &l->stores[i]));
        l->stores[i].slot = stores[i].target.slot;
        l->stores[i].offset = stores[i].target.offset;
    }
    return NULL;
}

static fl_status make_tiles(fl_lowering *w, const fl_loop_store *stores)
{
    fl_loop *l = w->loop;
    size_t widest = 1;
    for (const fl_node *n = w->group->first; n; n = n->next) {
        size_t a = fl_dtype_bytes(fl_loop_dtype((fl_dtype)n->dtype)),
               b = fl_dtype_bytes(fl_loop_dtype((fl_dtype)n->input_dtype));
        widest = a > widest ? a : widest;
        widest = b > widest ? b : widest;
    }
    choose_tiles(w, widest);
    for (uint16_t i = 0; i < l->load_count; i++) {
        choose_access(w, &w->plans[i], 0, &l->loads[i]);
        fl_lowering_place(w, i);
    }
    for (uint16_t i = 0; i < l->store_count; i++)
        choose_access(w, &w->plans[w->load_count + i], 1, &l->stores[i]);
    FL_TRY(fl_lowering_emit(w, stores));
    FL_TRY(assign_buffers(w));
    l->buffer_bytes = ((size_t)(l->tile_rows * l->tile_columns) * widest + 63) & ~(size_t)63;
    l->small_bytes = ((size_t)l->tile_rows * 16 + 63) & ~(size_t)63;
    FL_CHECK(l->buffer_count * l->buffer_bytes + l->small_count * l->small_bytes < (1u << 20), FL_UNSUPPORTED,
             "a group needs too many buffers");
    set_cost(w);
    return NULL;
}

fl_status fl_loop_lower(fl_graph *graph, const fl_grouping *grouping, fl_group *group,
                        const fl_loop_store *stores, uint32_t store_count, fl_arena *arena, fl_loop **out)
{
    *out = NULL;
    if (!group->space.total) return NULL;
    uint32_t views = 0, results = store_count;
    for (const fl_node *n = group->first; n; n = n->next) views += n->view_count, results += n->sink;
    if (!results) return NULL; /* whoever used it computes it itself */
    fl_lowering *w = FL_NEW(graph->arena, fl_lowering);
    fl_loop *l = FL_NEW(arena, fl_loop);
    FL_CHECK(w && l, FL_OOM, "out of memory while planning");
    w->graph = graph, w->grouping = grouping, w->group = group, w->arena = arena, w->loop = l;
    common_dims(w);
    w->plans = FL_NEW_ARRAY(graph->arena, fl_access_plan,
                            (views < FL_MAX_LOADS ? views : FL_MAX_LOADS) + store_count + 1);
    w->view_loads = FL_NEW_ARRAY(graph->arena, uint16_t, views + 1);
    FL_CHECK(w->plans && w->view_loads, FL_OOM, "out of memory while planning");
    views = 0;
    for (const fl_node *n = group->first; n; n = n->next)
        for (uint32_t i = 0; i < n->view_count; i++, views++) {
            const fl_base *base = &graph->bases[n->views[i].base];
            w->view_loads[views] = UINT16_MAX;
            if (base->kind == FL_BASE_NODE && fl_group_of(grouping, base->node) == group) continue;
            FL_TRY(fl_lowering_load(w, n, &n->views[i], &w->view_loads[views]));
        }
    for (uint32_t i = 0; i < store_count; i++) plan_store(w, &stores[i], &w->plans[w->load_count + i]);
    w->plan_count = w->load_count + (int)store_count;
    collapse(w);
    split(w);
    FL_TRY(make_memory(w, stores, store_count));
    FL_TRY(fl_lowering_compile(w, stores));
    if (!l->kernel) FL_TRY(make_tiles(w, stores));
    *out = l;
    return NULL;
}
