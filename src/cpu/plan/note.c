/* What profiles say of steps: names of fused operations, shapes, bytes, arithmetic. */
#include "cpu/plan/planner.h"
#include "cpu/plan/profile.h"
#include "ir/stats.h"

#include <string.h>

#define MOST_NAMES 6 /* of operations in a fused step's name */

static fl_status attach(fl_planner *p, fl_text *name, fl_text *shapes, uint64_t bytes, uint64_t flops)
{
    fl_plan *plan = p->all->plan;
    fl_note *note = FL_NEW(&plan->arena, fl_note);
    if (note)
        *note = (fl_note){fl_arena_strdup(&plan->arena, name->data ? name->data : ""),
                          fl_arena_strdup(&plan->arena, shapes->data ? shapes->data : ""), bytes, flops};
    int failed = !note || !note->name || !note->shapes || name->failed || shapes->failed;
    fl_text_free(name);
    fl_text_free(shapes);
    FL_CHECK(!failed, FL_OOM, "out of memory while planning");
    plan->steps[plan->step_count - 1].note = note;
    return NULL;
}

static void add_number(fl_text *out, int64_t n)
{
    char digits[20], *at = digits + sizeof digits;
    do *--at = (char)('0' + n % 10);
    while (n /= 10);
    fl_text_append(out, at, (size_t)(digits + sizeof digits - at));
}

static void add_word(fl_text *out, const char *word)
{
    fl_text_append(out, word, strlen(word));
}

/* One of these for every step: formats would take a twentieth of all planning. */
static void add_shape(fl_text *out, fl_dtype dtype, int rank, const int64_t *dims)
{
    if (out->length && out->data[out->length - 1] != ' ') add_word(out, " ");
    add_word(out, fl_dtype_name(dtype));
    add_word(out, "[");
    for (int i = 0; i < rank; i++) {
        if (i) add_word(out, ",");
        add_number(out, dims[i]);
    }
    add_word(out, "]");
}

fl_status fl_note_library(fl_planner *p, const fl_node *n)
{
    const fl_step *s = &p->all->plan->steps[p->all->plan->step_count - 1];
    fl_text name = {0}, shapes = {0};
    uint64_t bytes = 0, flops;
    fl_status status = fl_op_flops(p->graph.program, n->op, &flops);
    FL_TRY(status);
    add_word(&name, s->name);
    for (uint32_t i = 0; i < (uint32_t)s->input_count + s->output_count; i++) {
        const fl_operand *o = i < s->input_count ? &s->inputs[i] : &s->outputs[i - s->input_count];
        uint64_t moved = fl_dtype_bytes((fl_dtype)o->dtype);
        for (int d = 0; d < o->rank; d++) moved *= o->strides[d] || !o->dims[d] ? (uint64_t)o->dims[d] : 1;
        bytes += moved;
        if (i == s->input_count) add_word(&shapes, " ->");
        add_shape(&shapes, (fl_dtype)o->dtype, o->rank, o->dims);
    }
    return attach(p, &name, &shapes, bytes, flops);
}

/* Bytes of the elements that a view shows, each once. */
static uint64_t view_bytes(const fl_graph *g, const fl_view *v)
{
    uint64_t bytes = fl_dtype_bytes((fl_dtype)g->bases[v->base].dtype);
    for (int d = 0; d < v->rank; d++) bytes *= v->strides[d] || !v->dims[d] ? (uint64_t)v->dims[d] : 1;
    return bytes;
}

typedef struct loop_note {
    fl_text name, shapes;
    uint64_t bytes, flops;
    uint32_t names;
} loop_note;

static void add_name(loop_note *note, const fl_node *n)
{
    const char *word = n->code == FL_OP_NONE ? "copy" : fl_op_infos[n->code].name;
    if (note->names++ >= MOST_NAMES) return;
    if (note->names > 1) add_word(&note->name, " ");
    if (n->kind == FL_NODE_REDUCE) add_word(&note->name, "reduce-");
    add_word(&note->name, word);
}

static void add_group(fl_planner *p, const fl_group *group, loop_note *note)
{
    fl_graph *g = &p->graph;
    const uint32_t seen = group->id + 1;
    for (const fl_node *n = group->first; n; n = n->next) {
        const fl_base *out = &g->bases[n->first_base];
        add_name(note, n);
        if (n->code != FL_OP_NONE && n->code != FL_OP_convert) note->flops += (uint64_t)n->elements;
        if (out->in_memory || out->result >= 0)
            note->bytes += fl_dtype_bytes((fl_dtype)out->dtype) * (uint64_t)out->elements;
        for (uint32_t v = 0; v < n->view_count; v++) {
            fl_base *base = &g->bases[n->views[v].base];
            int inside = base->kind == FL_BASE_NODE && fl_group_of(&p->grouping, base->node) == group;
            if (inside || base->kind == FL_BASE_IOTA || base->mark == seen) continue;
            base->mark = seen; /* once */
            note->bytes += view_bytes(g, &n->views[v]);
        }
    }
    if (group->first)
        add_shape(&note->shapes, (fl_dtype)group->first->dtype, group->first->rank, group->first->dims);
}

fl_status fl_note_loops(fl_planner *p, fl_group *const *groups, uint32_t count)
{
    loop_note note = {0};
    for (uint32_t i = 0; i < count; i++) add_group(p, groups[i], &note);
    if (note.names > MOST_NAMES) fl_text_printf(&note.name, " and %u more", note.names - MOST_NAMES);
    return attach(p, &note.name, &note.shapes, note.bytes, note.flops);
}
