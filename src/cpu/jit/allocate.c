/* Registers for the operations of a list, and the calls that make their instructions. */
#include "cpu/jit/allocate.h"

#define NO_OWNER UINT16_MAX

static int32_t new_slot(fl_jcg *c)
{
    int32_t at = c->list_frame;
    c->list_frame += 64;
    if (c->list_frame > c->frame) c->frame = c->list_frame;
    return at;
}

static void evict(fl_jcg *c, int cls)
{
    uint32_t candidates = c->all[cls] & ~c->free[cls] & ~c->locked[cls];
    int best = -1;
    for (uint32_t m = candidates; m; m &= m - 1) {
        int r = __builtin_ctz(m);
        if (c->owner[cls][r] == NO_OWNER) continue;
        if (best < 0 || c->next[c->owner[cls][r] / 4] > c->next[c->owner[cls][best] / 4]) best = r;
    }
    if (best < 0) {
        c->failed = 1;
        return;
    }
    uint16_t v = c->owner[cls][best];
    if (c->slot[v] < 0) {
        c->slot[v] = new_slot(c);
        c->m->spill(c, cls, best, c->slot[v]);
    }
    c->reg[v] = -1;
    c->owner[cls][best] = NO_OWNER;
    c->free[cls] |= 1u << best;
}

int fl_jcg_take(fl_jcg *c, int cls)
{
    if (!c->free[cls]) evict(c, cls);
    if (c->failed) return 0;
    int r = __builtin_ctz(c->free[cls]);
    c->free[cls] &= ~(1u << r);
    c->locked[cls] |= 1u << r;
    c->owner[cls][r] = NO_OWNER;
    return r;
}

void fl_jcg_give(fl_jcg *c, int cls, int reg)
{
    c->free[cls] |= 1u << reg;
    c->locked[cls] &= ~(1u << reg);
    c->owner[cls][reg] = NO_OWNER;
}

static inline void release(fl_jcg *c, uint16_t v, int u, int cls)
{
    int r = c->reg[4 * v + u];
    if (r >= 0) {
        c->free[cls] |= 1u << r;
        c->owner[cls][r] = NO_OWNER; /* a pin of a later loop may get it, and has none */
        c->reg[4 * v + u] = -1;
    }
    c->slot[4 * v + u] = FL_NO_HOME;
}

static fl_jarg outside(const fl_jcg *c, uint16_t v)
{
    if (c->pin[v] >= 0) return (fl_jarg){c->pin[v], FL_IN_REGISTER, 0};
    return (fl_jarg){-1, fl_jcg_is_const(c, v) ? FL_IN_POOL : FL_IN_FRAME, c->home[v]};
}

static inline fl_jarg inside(fl_jcg *c, uint16_t v, int u, int cls)
{
    int r = c->reg[4 * v + u];
    if (r < 0) return (fl_jarg){-1, FL_IN_FRAME, c->slot[4 * v + u]};
    c->locked[cls] |= 1u << r;
    return (fl_jarg){(int8_t)r, FL_IN_REGISTER, 0};
}

static inline void hold(fl_jcg *c, uint16_t v, int u, int cls, int r)
{
    c->free[cls] &= ~(1u << r);
    c->reg[4 * v + u] = (int8_t)r;
    c->slot[4 * v + u] = FL_NO_HOME;
    c->owner[cls][r] = (uint16_t)(4 * v + u);
}

/* Operands that the instruction cannot take from memory get registers; temporary: those that hold nothing afterwards. */
static int to_registers(fl_jcg *c, const fl_joperation *o, fl_jarg *args, int u, uint32_t *temporary)
{
    int dying = o->dying;
    for (int k = o->arity - 1; k >= 0; k--) {
        if (args[k].place == FL_IN_REGISTER || c->m->takes_memory(c, o->n, k, args)) continue;
        int cls = o->classes[k], r = -1;
        uint16_t v = o->n->v[k];
        for (int j = k + 1; j < o->arity; j++)
            if (o->n->v[j] == v && args[j].place == FL_IN_REGISTER) r = args[j].reg;
        if (r < 0) {
            r = fl_jcg_take(c, cls);
            if (c->failed) return 0;
            c->m->fill(c, cls, c->g->nodes[v].type, r, args[k]);
            if (o->local >> k & 1) {
                c->reg[4 * v + u] = (int8_t)r; /* and its slot stays: it need not be spilled again */
                c->owner[cls][r] = (uint16_t)(4 * v + u);
            } else {
                temporary[cls] |= 1u << r;
            }
        }
        args[k] = (fl_jarg){(int8_t)r, FL_IN_REGISTER, 0};
        if (!(o->local >> k & 1)) dying |= 1 << k;
    }
    return dying;
}

/* What becomes of a result in a register. */
static void place_result(fl_jcg *c, const fl_joperation *o, int u, int dst)
{
    uint16_t v = o->node;
    if (o->is_local && o->first != FL_NEVER) {
        hold(c, v, u, o->cls, dst);
    } else if (o->is_local || c->pin[v] != dst) {
        if (!o->is_local) c->m->spill(c, o->cls, dst, c->home[v]);
        c->owner[o->cls][dst] = NO_OWNER;
        c->free[o->cls] |= 1u << dst;
    } else if (c->home[v] >= 0) {
        c->m->spill(c, o->cls, dst, c->home[v]); /* a later loop reads it from there */
    }
}

/* One copy of an operation: operands to where the instruction can take them, a register for the result. */
static void copy(fl_jcg *c, const fl_joperation *o, int u, int masked)
{
    const fl_jnode *n = o->n;
    uint16_t v = o->node;
    int cls = o->cls, dying = o->dying, all_in_registers = 1, dst = -1;
    uint32_t temporary[FL_CLASSES] = {0};
    fl_jarg args[3];
    c->locked[0] = c->locked[1] = 0;
    for (int k = 0; k < o->arity; k++) {
        args[k] = o->local >> k & 1 ? inside(c, n->v[k], u, o->classes[k]) : o->args[k];
        all_in_registers &= args[k].place == FL_IN_REGISTER;
    }
    if (!all_in_registers) dying = to_registers(c, o, args, u, temporary);
    if (c->failed) return;
    if (n->op == FL_J_REDUCE) {
        c->m->reduce(c, v, args[0], u, masked);
    } else {
        if (o->makes) {
            if (!o->is_local && c->pin[v] >= 0)
                dst = c->pin[v];
            else if (o->reuse >= 0 && args[o->reuse].place == FL_IN_REGISTER)
                dst = args[o->reuse].reg;
            else
                dst = fl_jcg_take(c, cls);
            if (c->failed) return;
        }
        c->m->emit(c, v, dst, args, dying, u, masked);
    }
    for (int k = 0; o->dying >> k; k++)
        if (o->dying >> k & 1) release(c, n->v[k], u, o->classes[k]);
    if (!all_in_registers) c->free[0] |= temporary[0], c->free[1] |= temporary[1];
    if (o->makes) place_result(c, o, u, dst);
}

/* All copies of a template together. What it overwrites is its operand only if that dies. */
static void copy_template(fl_jcg *c, const fl_joperation *o, int copies)
{
    uint32_t temporary[FL_CLASSES] = {0};
    int8_t operands[FL_J_MAX_UNROLL], results[FL_J_MAX_UNROLL];
    int in_place = o->n->bits >> 32 & 1, pin = o->is_local ? -1 : c->pin[o->node];
    c->locked[0] = c->locked[1] = 0;
    for (int u = 0; u < copies && !c->failed; u++) {
        fl_jarg arg = o->local & 1 ? inside(c, o->n->v[0], u, FL_VECTOR) : o->args[0];
        if (arg.place != FL_IN_REGISTER) to_registers(c, o, &arg, u, temporary);
        operands[u] = arg.reg;
    }
    for (int u = 0; u < copies && !c->failed && !(o->dying & 1); u++) {
        int8_t from = operands[u];
        operands[u] = (int8_t)fl_jcg_take(c, FL_VECTOR);
        c->m->move(c, FL_VECTOR, operands[u], from);
    }
    if (!c->failed) c->m->emit_template(c, o->n, copies, operands, results);
    if (c->failed) return;
    c->free[FL_VECTOR] |= temporary[FL_VECTOR];
    for (int u = 0; u < copies; u++) {
        if (o->dying & 1)
            release(c, o->n->v[0], u, FL_VECTOR);
        else if (!in_place)
            fl_jcg_give(c, FL_VECTOR, operands[u]);
        if (pin >= 0) {
            c->m->move(c, FL_VECTOR, pin, results[u]);
            fl_jcg_give(c, FL_VECTOR, results[u]);
            results[u] = (int8_t)pin;
        }
        place_result(c, o, u, results[u]);
    }
}

static void reload(fl_jcg *c, uint16_t v, int u, int masked)
{
    int cls = fl_jcg_class(c, v);
    c->locked[0] = c->locked[1] = 0;
    int r = fl_jcg_take(c, cls);
    if (c->failed) return;
    c->m->reload(c, v, r, u, masked);
    hold(c, v, u, cls, r);
}

static void keep(fl_jcg *c, uint16_t v, int u, int masked, int dies)
{
    int cls = fl_jcg_class(c, v);
    c->locked[0] = c->locked[1] = 0;
    fl_jarg a = inside(c, v, u, cls);
    int r = a.reg;
    if (r < 0) {
        r = fl_jcg_take(c, cls);
        if (c->failed) return;
        c->m->fill(c, cls, c->g->nodes[v].type, r, a);
    }
    c->m->keep(c, v, r, u, masked);
    if (a.reg < 0) fl_jcg_give(c, cls, r);
    if (dies) release(c, v, u, cls);
}

void fl_jcg_list(fl_jcg *c, const fl_jlist *list, const fl_juses *uses, int unroll, int masked)
{
    c->list_frame = (c->list_frame + 63) & ~63;
    int32_t start = c->list_frame;
    for (uint32_t i = 0; i < list->count && !c->failed; i++) {
        fl_joperation *o = &uses->operations[i];
        if (o->kind == FL_E_COMPUTE) {
            for (int k = 0; k < o->arity; k++)
                if (!(o->local >> k & 1)) o->args[k] = outside(c, o->n->v[k]);
            c->next[o->node] = o->first;
            if (o->n->op == FL_J_TEMPLATE)
                copy_template(c, o, unroll);
            else
                for (int u = 0; u < unroll && !c->failed; u++) copy(c, o, u, masked);
            for (int k = 0; o->local >> k; k++)
                if (o->local >> k & 1 && o->next[k] != FL_NEVER) c->next[o->n->v[k]] = o->next[k];
        } else {
            for (int u = 0; u < unroll && !c->failed; u++) {
                if (o->kind == FL_E_RELOAD)
                    reload(c, o->node, u, masked);
                else
                    keep(c, o->node, u, masked, o->first == FL_NEVER);
            }
            c->next[o->node] = o->first;
        }
    }
    c->list_frame = start;
}

uint64_t fl_jidentity(const fl_jnode *n)
{
    int wide = fl_jtype_bytes(n->type) == 8, bits = fl_dtypes[n->dtype].bits;
    uint64_t inf = wide ? 0x7ffull << 52 : 0x7f800000u, sign = 1ull << (wide ? 63 : 31),
             low = 1ull << (bits - 1);
    switch (n->imm) {
    case FL_J_FMUL: return wide ? 0x3ffull << 52 : 0x3f800000u;
    case FL_J_IMUL: return 1;
    case FL_J_FMAX: return inf | sign;
    case FL_J_FMIN: return inf;
    case FL_J_SMAX: return -low;
    case FL_J_SMIN: return low - 1;
    case FL_J_UMIN:
    case FL_J_AND: return fl_dtype_kind((fl_dtype)n->dtype) == FL_KIND_UINT ? low - 1 + low : ~0ull;
    default: return 0;
    }
}
