/* What is known of lists before code is made for them: uses, unroll factors, and which values have a register of their own. */
#include "cpu/jit/allocate.h"

#include <string.h>

fl_jhard fl_jit_hard;

/* A pin: the value is in the register from time `from` to time `to`. */
typedef struct fl_jpin {
    uint16_t node;
    uint16_t from, to;
    int8_t reg;
    uint32_t weight;
    uint8_t whole; /* for all the value's life */
} fl_jpin;

typedef struct fl_jplan {
    fl_jpin *pins;
    uint32_t count, capacity;
    uint32_t *taken; /* of each time: registers that pins hold */
    int *held;       /* how many */
    int *room;       /* of each time: how many pins there may be */
} fl_jplan;

static fl_jplan *plan_of(const fl_jcg *c)
{
    return (fl_jplan *)(void *)c->next - 1; /* allocated together */
}

int fl_jcg_is_const(const fl_jcg *c, uint16_t node)
{
    return c->g->nodes[node].op == FL_J_CONST;
}

int fl_jcg_is_pinned(const fl_jcg *c, uint16_t node)
{
    const fl_jplan *plan = plan_of(c);
    for (uint32_t i = 0; i < plan->count; i++)
        if (plan->pins[i].node == node && plan->pins[i].whole) return 1;
    return 0;
}

int fl_jcg_begin(fl_jcg *c, fl_jgraph *g, const fl_jschedule *s)
{
    uint32_t n = g->count, times = 2 * s->phases + 2;
    c->g = g;
    c->s = s;
    c->reg = fl_arena_alloc(g->arena, 4 * n);
    c->slot = fl_arena_alloc(g->arena, 4 * n * sizeof *c->slot);
    fl_jplan *plan = fl_arena_alloc(g->arena, sizeof *plan + n * sizeof *c->next);
    c->pin = fl_arena_alloc(g->arena, n);
    c->home = fl_arena_alloc(g->arena, n * sizeof *c->home);
    c->global = FL_NEW_ARRAY(g->arena, uint8_t, n);
    c->section_uses = FL_NEW_ARRAY(g->arena, fl_juses, s->phases + 2);
    c->loop_uses = FL_NEW_ARRAY(g->arena, fl_juses, s->phases + 1);
    if (!c->reg || !c->slot || !plan || !c->pin || !c->home || !c->global || !c->section_uses ||
        !c->loop_uses)
        return 0;
    memset(plan, 0, sizeof *plan);
    c->next = (uint16_t *)(void *)(plan + 1);
    plan->capacity = n + 64;
    plan->pins = fl_arena_alloc(g->arena, plan->capacity * sizeof *plan->pins);
    plan->taken = FL_NEW_ARRAY(g->arena, uint32_t, times);
    plan->room = FL_NEW_ARRAY(g->arena, int, times);
    plan->held = FL_NEW_ARRAY(g->arena, int, times);
    if (!plan->held || !plan->pins || !plan->taken || !plan->room) return 0;
    memset(c->reg, 0xff, 4 * n);
    memset(c->slot, 0xff, 4 * n * sizeof *c->slot);
    memset(c->pin, 0xff, n);
    memset(c->home, 0xff, n * sizeof *c->home);
    memset(c->owner, 0xff, sizeof c->owner); /* of nobody */
    return 1;
}

/* --- what is known before --- */

/* Whether lists at this time hold v in registers of their own: it is made there. */
static int is_local(const fl_jcg *c, uint16_t v, int in_loop)
{
    const fl_jnode *n = &c->g->nodes[v];
    if (n->op == FL_J_CONST) return 0;
    return in_loop ? n->level == FL_V_FULL : !c->global[v];
}

/* What an entry is, whichever copy is made. */
static void describe(const fl_jcg *c, fl_joperation *o, const fl_jentry *e, int in_loop)
{
    const fl_jnode *n = &c->g->nodes[e->node];
    o->n = n;
    o->node = e->node;
    o->kind = e->kind;
    o->cls = (uint8_t)c->classes[n->type];
    o->arity = e->kind == FL_E_COMPUTE ? fl_jop_infos[n->op].operands : 0;
    o->is_local = (uint8_t)is_local(c, e->node, in_loop);
    o->makes = e->kind != FL_E_KEEP && !fl_jop_is_store(n->op) && n->op != FL_J_REDUCE;
    o->dying = o->local = 0;
    o->reuse = -1;
    for (int k = 0; k < o->arity; k++) {
        o->classes[k] = (uint8_t)fl_jcg_class(c, n->v[k]);
        o->local |= (uint8_t)(is_local(c, n->v[k], in_loop) << k);
    }
}

/* Registers that an operation needs beside those of its operands. */
static int on_the_side(const fl_joperation *o, int cls)
{
    if (o->kind != FL_E_COMPUTE || o->n->op != FL_J_TEMPLATE) return 0;
    return (int)(o->n->bits >> (cls == FL_VECTOR ? 16 : 24) & 255);
}

static int scan(fl_jcg *c, const fl_jlist *list, fl_juses *uses, int in_loop)
{
    uint32_t n = list->count;
    uses->operations = fl_arena_alloc(c->g->arena, (n + 1) * sizeof *uses->operations);
    if (!uses->operations || n >= FL_NEVER) return 0;
    uint16_t *last = c->next; /* next use, seen from behind */
    for (uint32_t i = 0; i < n; i++) last[list->entries[i].node] = FL_NEVER;
    for (uint32_t i = n; i--;) {
        fl_joperation *o = &uses->operations[i];
        describe(c, o, &list->entries[i], in_loop);
        o->first = last[o->node]; /* of a kept value: the next use */
        if (o->kind == FL_E_KEEP) last[o->node] = (uint16_t)i;
        int again =
            o->arity > 1 && (o->n->v[0] == o->n->v[1] ||
                             (o->arity > 2 && (o->n->v[0] == o->n->v[2] || o->n->v[1] == o->n->v[2])));
        for (int k = 0; k < o->arity; k++) {
            if (!(o->local >> k & 1)) continue;
            uint16_t v = o->n->v[k];
            o->next[k] = last[v];
            if (last[v] == FL_NEVER) o->dying |= (uint8_t)(1 << k);
            if (!again) last[v] = (uint16_t)i;
        }
        for (int k = 0; again && k < o->arity; k++)
            if (o->local >> k & 1) last[o->n->v[k]] = (uint16_t)i;
        for (int k = o->arity - 1; k >= 0 && o->dying && !fl_jop_infos[o->n->op].early; k--)
            if (o->dying >> k & 1 && o->classes[k] == o->cls) o->reuse = (int8_t)k;
    }
    int live[FL_CLASSES] = {0};
    for (uint32_t i = 0; i < n; i++) {
        const fl_joperation *o = &uses->operations[i];
        int dying[FL_CLASSES] = {0}, cls = o->cls;
        for (int k = 0; o->dying >> k; k++) {
            int again = 0;
            for (int j = 0; j < k; j++) again |= o->n->v[j] == o->n->v[k];
            if (!again && o->dying >> k & 1) dying[o->classes[k]]++;
        }
        if (o->kind == FL_E_KEEP && o->first == FL_NEVER) dying[cls]++;
        uses->reductions += o->n->op == FL_J_REDUCE;
        uses->length += o->n->op == FL_J_TEMPLATE ? (uint32_t)(o->n->bits & 0xffff) : 1;
        for (int k = 0; k < FL_CLASSES; k++) {
            int peak = live[k] + (o->makes && k == cls && !dying[k]) + on_the_side(o, k);
            if (peak > uses->live[k]) uses->live[k] = peak;
            live[k] -= dying[k];
        }
        if (o->makes && o->first != FL_NEVER) live[cls]++;
    }
    return 1;
}

static void mark_global(fl_jcg *c)
{
    const fl_jschedule *s = c->s;
    fl_jgraph *g = c->g;
    for (uint32_t i = 0; i < g->count; i++) /* reductions end with a loop, and are read after it */
        c->global[i] = g->nodes[i].op == FL_J_REDUCE;
    for (uint32_t p = 0; p < s->phases; p++)
        for (uint32_t i = 0; i < s->loops[p].count; i++) {
            const fl_jentry *e = &s->loops[p].entries[i];
            const fl_jnode *n = &g->nodes[e->node];
            for (int k = 0; e->kind == FL_E_COMPUTE && k < fl_jop_infos[n->op].operands; k++)
                if (g->nodes[n->v[k]].level != FL_V_FULL) c->global[n->v[k]] = 1;
        }
    for (uint32_t q = 0; q < s->phases + 2; q++)
        for (uint32_t i = 0; i < s->sections[q].count; i++) {
            const fl_jnode *n = &g->nodes[s->sections[q].entries[i].node];
            for (int k = 0; k < fl_jop_infos[n->op].operands; k++) {
                const fl_jnode *o = &g->nodes[n->v[k]];
                uint32_t made = o->level == FL_V_UNIFORM ? 0 : o->phase + 1u;
                if (made != q) c->global[n->v[k]] = 1;
            }
        }
}

/* --- pins --- */

static void want(fl_jplan *plan, uint16_t node, int from, int to, uint32_t weight)
{
    if (plan->count == plan->capacity) return;
    plan->pins[plan->count++] = (fl_jpin){node, (uint16_t)from, (uint16_t)to, -1, weight, from != to};
}

static int give_pin(fl_jcg *c, fl_jplan *plan, fl_jpin *pin)
{
    uint32_t used = 0;
    for (int t = pin->from; t <= pin->to; t++) {
        if (plan->held[t] >= plan->room[t]) return 0;
        used |= plan->taken[t];
    }
    uint32_t left = c->all[FL_VECTOR] & ~used;
    if (!left) return 0;
    pin->reg = (int8_t)(31 - __builtin_clz(left));
    for (int t = pin->from; t <= pin->to; t++) plan->taken[t] |= 1u << pin->reg, plan->held[t]++;
    return 1;
}

static int registers_of(const fl_jcg *c, int cls)
{
    return __builtin_popcount(c->all[cls]);
}

/* Unroll factor: the largest with which neither the list's values nor what comes from outside goes to memory. Long bodies
 * gain nothing by it: the processor sees several of their rounds at once. */
static void choose_unroll(fl_jcg *c, fl_juses *uses, int outside, uint32_t length)
{
    int all = registers_of(c, FL_VECTOR), masks = registers_of(c, FL_MASK_CLASS),
        most = length <= 24    ? 4
               : length <= 150 ? 2
                               : 1;
    if (fl_jit_hard.unroll) most = fl_jit_hard.unroll;
    int same = c->classes[FL_T_MASK] == FL_VECTOR;
    for (int u = most; u; u /= 2) {
        int needed = (uses->live[FL_VECTOR] + uses->reductions) * u + 1;
        int fits = needed + outside <= all || (u <= 2 && needed + 4 <= all);
        if (!same && uses->live[FL_MASK_CLASS] * u + (uses->reductions > 0) > masks) fits = 0;
        if (fits || u == 1) {
            uses->unroll = u;
            return;
        }
    }
}

static void count_outside(fl_jcg *c, const fl_jlist *list, uint32_t *uses, int in_loop, uint32_t weight)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const fl_jentry *e = &list->entries[i];
        const fl_jnode *n = &c->g->nodes[e->node];
        for (int k = 0; e->kind == FL_E_COMPUTE && k < fl_jop_infos[n->op].operands; k++)
            if (!is_local(c, n->v[k], in_loop)) uses[n->v[k]] += weight;
    }
}

static void sort_by_weight(fl_jpin *pins, uint32_t n) /* by insertion: there are few */
{
    for (uint32_t i = 1; i < n; i++) {
        fl_jpin p = pins[i];
        uint32_t j = i;
        for (; j && pins[j - 1].weight < p.weight; j--) pins[j] = pins[j - 1];
        pins[j] = p;
    }
}

/* Tests ask for few registers; accumulators and the operands of an instruction must have theirs. */
static void limit_registers(fl_jcg *c)
{
    int limit = fl_jit_hard.registers,
        least = c->most_reductions + (c->g->templates ? FL_J_TEMPLATE_REGISTERS + 1 : 8);
    if (limit && limit < least) limit = least;
    if (limit && limit < registers_of(c, FL_VECTOR)) c->all[FL_VECTOR] = (1u << limit) - 1;
}

int fl_jcg_plan(fl_jcg *c)
{
    fl_jplan *plan = plan_of(c);
    const fl_jschedule *s = c->s;
    uint32_t n = c->g->count;
    int phases = (int)s->phases, end = 2 * phases + 1;
    mark_global(c);
    uint32_t *uses = FL_NEW_ARRAY(c->g->arena, uint32_t, n), *total = FL_NEW_ARRAY(c->g->arena, uint32_t, n);
    uint16_t *to = FL_NEW_ARRAY(c->g->arena, uint16_t, n);
    if (!uses || !total || !to) return 0;
    for (int q = 0; q < phases + 2; q++) {
        if (!scan(c, &s->sections[q], &c->section_uses[q], 0)) return 0;
        c->section_uses[q].unroll = 1;
    }
    for (int p = 0; p < phases; p++) {
        fl_juses *l = &c->loop_uses[p];
        if (!scan(c, &s->loops[p], l, 1)) return 0;
        if (l->reductions > c->most_reductions) c->most_reductions = l->reductions;
    }
    limit_registers(c);
    for (int p = 0; p < phases; p++) {
        fl_juses *l = &c->loop_uses[p];
        memset(uses, 0, n * sizeof *uses);
        count_outside(c, &s->loops[p], uses, 1, 1);
        int outside = 0;
        for (uint32_t i = 0; i < n; i++) {
            if (!uses[i]) continue;
            outside += c->g->nodes[i].type != FL_T_MASK;
            total[i] += 16 * uses[i];
            to[i] = (uint16_t)(2 * p + 2);
        }
        choose_unroll(c, l, outside, l->length);
        int values = l->live[FL_VECTOR] * l->unroll + 1;
        if (values < 6) values = 6; /* operands, a result and what the instruction needs on the side */
        plan->room[2 * p + 2] = registers_of(c, FL_VECTOR) - values - l->reductions * l->unroll;
    }
    for (int q = 0; q < phases + 2; q++) {
        int t = q ? 2 * q - 1 : 0;
        int live = c->section_uses[q].live[FL_VECTOR],
            most = c->g->templates ? FL_J_TEMPLATE_REGISTERS + 2 : 6;
        plan->room[t] = registers_of(c, FL_VECTOR) - 4 - (live < most ? live : most);
        memset(uses, 0, n * sizeof *uses);
        count_outside(c, &s->sections[q], uses, 0, 1);
        for (uint32_t i = 0; i < n; i++) {
            if (!uses[i]) continue;
            total[i] += uses[i];
            if (t > to[i]) to[i] = (uint16_t)t;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        const fl_jnode *v = &c->g->nodes[i];
        if (!total[i] || v->type == FL_T_MASK) continue;
        int always = v->level == FL_V_UNIFORM, made = 2 * v->phase + (v->op != FL_J_REDUCE);
        if (always && total[i] < 16) continue; /* used in sections alone */
        want(plan, (uint16_t)i, always ? 0 : made, always ? end : to[i], total[i]);
    }
    sort_by_weight(plan->pins, plan->count);
    uint32_t count = plan->count, kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        fl_jpin pin = plan->pins[i];
        if (give_pin(c, plan, &pin))
            plan->pins[kept++] = pin;
        else
            uses[pin.node] = UINT32_MAX;
    }
    plan->count = kept;
    for (int p = 0; p < phases; p++) { /* others for one loop, loaded before it */
        uint32_t first = plan->count;
        uint32_t *here = total;
        memset(here, 0, n * sizeof *here);
        count_outside(c, &s->loops[p], here, 1, 1);
        for (uint32_t i = 0; i < n; i++)
            if (here[i] && uses[i] == UINT32_MAX) want(plan, (uint16_t)i, 2 * p + 2, 2 * p + 2, here[i]);
        sort_by_weight(plan->pins + first, plan->count - first);
        uint32_t last = plan->count;
        plan->count = first;
        for (uint32_t i = first; i < last; i++) {
            fl_jpin pin = plan->pins[i];
            if (give_pin(c, plan, &pin)) plan->pins[plan->count++] = pin;
        }
    }
    return 1;
}

void fl_jcg_enter(fl_jcg *c, int time)
{
    fl_jplan *plan = plan_of(c);
    for (uint32_t i = 0; i < plan->count; i++) {
        fl_jpin *pin = &plan->pins[i];
        const fl_jnode *n = &c->g->nodes[pin->node];
        if (pin->from <= time && time <= pin->to) {
            int starts = pin->from == time, from_memory = n->op == FL_J_CONST || pin->from == pin->to;
            c->pin[pin->node] = pin->reg;
            int made_here =
                n->op != FL_J_CONST && !(time && !(time & 1)); /* sections make their values themselves */
            if (starts && from_memory && !made_here) {
                fl_jarg arg = {-1, n->op == FL_J_CONST ? FL_IN_POOL : FL_IN_FRAME, c->home[pin->node]};
                c->m->fill(c, FL_VECTOR, n->type, pin->reg, arg);
            }
        } else if (c->pin[pin->node] == pin->reg) {
            c->pin[pin->node] = -1;
        }
    }
    for (int cls = 0; cls < FL_CLASSES; cls++) c->free[cls] = c->all[cls];
    c->free[FL_VECTOR] &= ~plan->taken[time];
}
