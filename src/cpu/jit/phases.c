/* Splits the graph into lists: what is done once, once a row, and in each loop over the columns. A loop's list is the part of
 * the graph below its stores and reductions, deepest operand first, so that few values live at a time. A full value of an
 * earlier loop is kept in scratch memory where computing it again costs more. */
#include "cpu/jit/graph.h"

#include <string.h>

#define KEEP_COST 8 /* a store and a load */

typedef struct fl_walk {
    fl_jgraph *g;
    fl_jschedule *s;
    uint16_t *seen; /* of each node: loop in which it was seen last, + 1 */
    uint8_t *used;  /* row and uniform nodes that something needs */
    uint16_t *stack;
    uint32_t depth;
} fl_walk;

/* Cost of a full value from memory, shared parts counted each time; stops above the limit. */
static uint32_t cost_again(const fl_jgraph *g, uint16_t v, uint32_t limit)
{
    const fl_jnode *n = &g->nodes[v];
    if (n->level != FL_V_FULL) return 0;
    uint32_t cost = fl_jcost(n);
    for (int i = 0; i < fl_jop_infos[n->op].operands && cost <= limit; i++)
        cost += cost_again(g, n->v[i], limit - cost);
    return cost;
}

static int keep(fl_walk *w, uint16_t v)
{
    fl_jschedule *s = w->s;
    if (s->is_kept[v]) return 1;
    if (s->kept_count == 255 || cost_again(w->g, v, KEEP_COST) <= KEEP_COST) return 0;
    s->kept[s->kept_count++] = v;
    s->is_kept[v] = (uint8_t)s->kept_count;
    return 1;
}

/* Marks what loop `p` needs of v; decides what is kept. */
static void mark(fl_walk *w, uint16_t root, uint16_t p)
{
    uint32_t depth = 0;
    w->stack[depth++] = root;
    while (depth) {
        uint16_t v = w->stack[--depth];
        const fl_jnode *n = &w->g->nodes[v];
        if (n->level != FL_V_FULL && n->op != FL_J_REDUCE) w->used[v] = 1;
        if (n->level == FL_V_FULL && !fl_jop_is_full_store(n->op)) {
            if (w->seen[v] == p + 1) continue;
            int earlier = w->seen[v] != 0;
            w->seen[v] = (uint16_t)(p + 1);
            if (earlier && keep(w, v)) continue;
        }
        if (n->op == FL_J_REDUCE && v != root) {
            w->used[v] = 1;
            continue;
        }
        for (int i = 0; i < fl_jop_infos[n->op].operands; i++) {
            uint16_t o = n->v[i];
            if (w->g->nodes[o].level != FL_V_FULL && w->used[o]) continue;
            w->stack[depth++] = o;
        }
    }
}

static void push(fl_jlist *list, uint16_t node, fl_jentry_kind kind)
{
    list->entries[list->count++] = (fl_jentry){node, (uint8_t)kind};
}

/* Appends what loop `p` computes for v, operands first; `made`: by which loop last, + 1; `kept_by`: the loop that keeps it. */
static void emit(fl_walk *w, uint16_t root, uint16_t p, uint16_t *made, uint16_t *kept_by)
{
    fl_jlist *list = &w->s->loops[p];
    uint32_t depth = 0;
    w->stack[depth++] = root;
    while (depth) {
        uint16_t v = w->stack[depth - 1];
        const fl_jnode *n = &w->g->nodes[v];
        int is_root = v == root && (fl_jop_is_full_store(n->op) || n->op == FL_J_REDUCE);
        if (!is_root && (n->level != FL_V_FULL || made[v] == p + 1)) {
            depth--;
            continue;
        }
        uint8_t number = w->s->is_kept[v];
        if (!is_root && number && kept_by[number - 1] && kept_by[number - 1] != p + 1) {
            push(list, v, FL_E_RELOAD);
            made[v] = (uint16_t)(p + 1);
            depth--;
            continue;
        }
        uint16_t next[3];
        int count = 0;
        for (int i = 0; i < fl_jop_infos[n->op].operands; i++) {
            uint16_t o = n->v[i];
            if (w->g->nodes[o].level != FL_V_FULL || made[o] == p + 1) continue;
            next[count++] = o;
        }
        if (count) { /* the deepest last: it is taken first */
            for (int i = 1; i < count; i++)
                for (int j = i; j && w->g->nodes[next[j - 1]].height > w->g->nodes[next[j]].height; j--) {
                    uint16_t t = next[j];
                    next[j] = next[j - 1], next[j - 1] = t;
                }
            for (int i = 0; i < count; i++) w->stack[depth++] = next[i];
            continue;
        }
        depth--;
        push(list, v, FL_E_COMPUTE);
        w->s->cost += fl_jcost(n);
        if (!is_root) made[v] = (uint16_t)(p + 1);
        if (!is_root && number) {
            push(list, v, FL_E_KEEP);
            kept_by[number - 1] = (uint16_t)(p + 1);
        }
    }
}

/* The loop of a store or reduction. */
static uint16_t loop_of(const fl_jgraph *g, const fl_jschedule *s, const fl_jnode *n)
{
    if (fl_jop_is_full_store(n->op) && n->order != FL_J_FREE) return (uint16_t)(s->phases - 1);
    return n->op == FL_J_REDUCE ? (uint16_t)(n->phase - 1) : g->nodes[n->v[0]].phase;
}

static void make_sections(fl_walk *w)
{
    fl_jgraph *g = w->g;
    fl_jschedule *s = w->s;
    for (uint32_t i = 0; i < g->count; i++) {
        const fl_jnode *n = &g->nodes[i];
        if (n->level == FL_V_FULL || n->op == FL_J_REDUCE || !w->used[i]) continue;
        if (n->op == FL_J_CONST) continue;
        uint32_t section = n->level == FL_V_UNIFORM ? 0 : n->phase + 1u;
        if (n->op == FL_J_STORE_ROW && n->order != FL_J_FREE) section = s->phases + 1;
        push(&s->sections[section], (uint16_t)i, FL_E_COMPUTE);
    }
}

int fl_jschedule_make(fl_jgraph *g, fl_jschedule *s)
{
    memset(s, 0, sizeof *s);
    int whole_rows = 0;
    for (uint32_t i = 0; i < g->root_count; i++) {
        const fl_jnode *n = &g->nodes[g->roots[i]];
        uint32_t p = n->op == FL_J_REDUCE          ? n->phase
                     : fl_jop_is_full_store(n->op) ? g->nodes[n->v[0]].phase + 1u
                                                   : 0;
        if (p > s->phases) s->phases = p;
        whole_rows |= fl_jop_is_full_store(n->op) && n->order == FL_J_ROW_LAST;
    }
    s->phases += (uint32_t)whole_rows;
    for (uint32_t i = 0; i < g->root_count && whole_rows;
         i++) /* a load of theirs could follow a store of the others */
        if (g->nodes[g->roots[i]].order == FL_J_IN_PLACE) g->nodes[g->roots[i]].order = FL_J_ROW_LAST;
    fl_walk w = {.g = g, .s = s};
    uint32_t n = g->count;
    s->sections = FL_NEW_ARRAY(g->arena, fl_jlist, s->phases + 2);
    s->loops = FL_NEW_ARRAY(g->arena, fl_jlist, s->phases + 1);
    s->is_kept = FL_NEW_ARRAY(g->arena, uint8_t, n);
    s->kept = FL_NEW_ARRAY(g->arena, uint16_t, 256);
    w.seen = FL_NEW_ARRAY(g->arena, uint16_t, n);
    w.used = FL_NEW_ARRAY(g->arena, uint8_t, n);
    w.stack = FL_NEW_ARRAY(g->arena, uint16_t, 4 * n + 4);
    uint16_t *made = FL_NEW_ARRAY(g->arena, uint16_t, n), *kept_by = FL_NEW_ARRAY(g->arena, uint16_t, 256);
    if (!s->sections || !s->loops || !s->is_kept || !s->kept || !w.seen || !w.used || !w.stack || !made ||
        !kept_by)
        return 0;

    for (uint16_t p = 0; p < s->phases; p++)
        for (uint32_t i = 0; i < g->root_count; i++) {
            const fl_jnode *r = &g->nodes[g->roots[i]];
            if (r->op == FL_J_STORE_ROW) continue;
            if (loop_of(g, s, r) != p) continue;
            if (fl_jop_is_full_store(r->op) && r->order == FL_J_ROW_LAST && !s->is_kept[r->v[0]] &&
                g->nodes[r->v[0]].level == FL_V_FULL) {
                /* computed by the loop before, where all operands are still there */
                mark(&w, r->v[0], (uint16_t)(p - 1));
                if (s->kept_count == 255) return 0;
                s->kept[s->kept_count++] = r->v[0];
                s->is_kept[r->v[0]] = (uint8_t)s->kept_count;
            }
            mark(&w, g->roots[i], p);
        }
    for (uint32_t i = 0; i < g->root_count; i++)
        if (g->nodes[g->roots[i]].op == FL_J_STORE_ROW) mark(&w, g->roots[i], (uint16_t)s->phases);
    uint32_t total = 4 * n + 4 * g->root_count;
    for (uint32_t p = 0; p < s->phases + 2; p++)
        if (!(s->sections[p].entries = FL_NEW_ARRAY(g->arena, fl_jentry, n + 1))) return 0;
    for (uint32_t p = 0; p < s->phases; p++)
        if (!(s->loops[p].entries = FL_NEW_ARRAY(g->arena, fl_jentry, total))) return 0;
    for (uint16_t p = 0; p < s->phases; p++) {
        for (int late = 0; late < 2; late++) /* stores to memory that operands share come last */
            for (uint32_t i = 0; i < g->root_count; i++) {
                const fl_jnode *r = &g->nodes[g->roots[i]];
                if (r->op == FL_J_STORE_ROW || (fl_jop_is_full_store(r->op) && r->order != FL_J_FREE) != late)
                    continue;
                if (fl_jop_is_full_store(r->op) && r->order == FL_J_ROW_LAST && p + 1u == loop_of(g, s, r) &&
                    !late)
                    continue;
                if (fl_jop_is_full_store(r->op) && r->order == FL_J_ROW_LAST && p + 1u == loop_of(g, s, r)) {
                    if (g->nodes[r->v[0]].level == FL_V_FULL) emit(&w, r->v[0], p, made, kept_by);
                    continue;
                }
                if (loop_of(g, s, r) != p) continue;
                if (late)
                    for (uint32_t j = 0; j < g->root_count; j++) { /* all their values first */
                        const fl_jnode *o = &g->nodes[g->roots[j]];
                        if (fl_jop_is_full_store(o->op) && o->order != FL_J_FREE &&
                            g->nodes[o->v[0]].level == FL_V_FULL && loop_of(g, s, o) == p)
                            emit(&w, o->v[0], p, made, kept_by);
                    }
                emit(&w, g->roots[i], p, made, kept_by);
            }
    }
    make_sections(&w);
    return !g->failed;
}
