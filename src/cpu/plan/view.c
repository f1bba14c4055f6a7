#include "cpu/plan/graph.h"

#include <string.h>

int64_t fl_view_elements(const fl_view *view)
{
    int64_t n = 1;
    for (int i = 0; i < view->rank; i++) n *= view->dims[i];
    return n;
}

int fl_strides_dense(int rank, const int64_t *dims, const int64_t *strides)
{
    int64_t expected = 1;
    for (int i = rank - 1; i >= 0; i--) {
        if (dims[i] != 1 && strides[i] != expected) return 0;
        expected *= dims[i];
    }
    return 1;
}

void fl_view_mark(const fl_graph *graph, fl_view *view)
{
    view->identity = view->offset == 0 && graph->bases[view->base].kind != FL_BASE_IOTA &&
                     fl_view_elements(view) == graph->bases[view->base].elements &&
                     fl_strides_dense(view->rank, view->dims, view->strides);
}

int fl_view_dense(fl_graph *graph, fl_view *view, uint32_t base, int rank, const int64_t *dims)
{
    int64_t *memory = FL_NEW_ARRAY(graph->arena, int64_t, 2 * rank + 1), step = 1;
    if (!memory) return 0;
    memcpy(memory, dims, (size_t)rank * sizeof *memory);
    for (int i = rank - 1; i >= 0; i--) {
        memory[rank + i] = step;
        step *= dims[i];
    }
    *view = (fl_view){base, (uint8_t)rank, 1, 0, memory, memory + rank};
    return 1;
}

/* Splits and joins dimensions without moving anything; 0 when strides cannot express it. Walks both shapes from the end,
 * in blocks with equal products. */
int fl_view_reshape(fl_graph *graph, const fl_view *view, int rank, const int64_t *dims, fl_view *out)
{
    if (view->identity && graph->bases[view->base].kind == FL_BASE_NODE) {
        if (!fl_view_dense(graph, out, view->base, rank, dims)) return 0;
        return 1;
    }
    int64_t *memory = FL_NEW_ARRAY(graph->arena, int64_t, 2 * rank + 1);
    if (!memory) return 0;
    int64_t *strides = memory + rank;
    memcpy(memory, dims, (size_t)rank * sizeof *memory);
    int i = view->rank - 1, j = rank - 1;
    if (fl_view_elements(view) == 0) i = j = -1;
    while (i >= 0 || j >= 0) {
        while (i >= 0 && view->dims[i] == 1) i--;
        if (i < 0) { /* only ones are left */
            while (j >= 0) strides[j--] = 0;
            break;
        }
        int64_t from = view->dims[i], step = view->strides[i], to = 1, first = j;
        while (j >= 0 && (to < from || (dims[j] == 1 && to == from))) {
            strides[j] = step * to;
            to *= dims[j--];
            while (to > from) { /* needs the next dimension of the source, which must continue this one */
                int k = i - 1;
                while (k >= 0 && view->dims[k] == 1) k--;
                if (k < 0 || view->strides[k] != step * from) return 0;
                from *= view->dims[k];
                i = k;
            }
        }
        (void)first;
        if (to != from) return 0;
        i--;
    }
    *out = (fl_view){view->base, (uint8_t)rank, 0, view->offset, memory, strides};
    out->identity = view->identity;
    if (!view->identity) fl_view_mark(graph, out);
    return 1;
}

int fl_operand_is_dense(const fl_operand *o)
{
    for (int i = 0; i < o->rank; i++)
        if (o->dims[i] == 0) return 1;
    return fl_strides_dense(o->rank, o->dims, o->strides);
}

enum { SHORT_COUNT_BYTES = 4096 };

int fl_view_count(fl_graph *g, fl_view *view)
{
    const fl_base *base = &g->bases[view->base];
    const fl_dtype dtype = (fl_dtype)base->dtype;
    const fl_kind kind = fl_dtype_kind(dtype);
    const int64_t count = fl_view_elements(view);
    if (base->kind != FL_BASE_IOTA || (kind != FL_KIND_INT && kind != FL_KIND_UINT)) return 0;
    const size_t size = fl_dtype_bytes(dtype);
    if (fl_dtypes[dtype].bits != 8 * size || !count || (size_t)count * size > SHORT_COUNT_BYTES) return 0;
    char *data = fl_arena_alloc(g->arena, (size_t)count * size);
    if (!data) return 0;
    for (int64_t k = 0; k < count; k++) {
        int64_t number = view->offset, rest = k;
        for (int i = view->rank - 1; i >= 0; rest /= view->dims[i--])
            number += rest % view->dims[i] * view->strides[i];
        memcpy(data + (size_t)k * size, &number, size); /* the low bytes come first */
    }
    return fl_graph_constant(g, dtype, view->rank, view->dims, data, 0, view);
}
