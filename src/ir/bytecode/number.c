/* MLIR's numbering: of values by place, of names, attributes and types by how often they are used, those of one dialect
 * together as far as that makes no number longer. */
#include "ir/bytecode/writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- who uses what, in MLIR's order ---- */

static void see_dialect(fl_bw_writer *w, unsigned dialect)
{
    for (unsigned i = 0; i < w->dialects_seen; i++)
        if (w->dialect_order[i] == dialect) return;
    w->dialect_numbers[dialect] = w->dialects_seen;
    w->dialect_order[w->dialects_seen++] = (uint8_t)dialect;
}

static void see(fl_bw_writer *w, fl_bw_id id);

static void see_part(void *user, fl_bw_tag tag, uint64_t value, const char *data)
{
    (void)data;
    if (tag == FL_BW_ATTR || tag == FL_BW_TYPE || (tag == FL_BW_OPTIONAL && value))
        see(user, (fl_bw_id)value);
}

/* Parts are counted the first time only: later uses of the whole do not look inside. */
static void see(fl_bw_writer *w, fl_bw_id id)
{
    fl_bw_entity *e = &w->entities[id];
    e->uses++;
    if (e->is_seen) return;
    e->is_seen = 1;
    if (e->is_type)
        w->type_order[w->type_count++] = id;
    else
        w->attr_order[w->attr_count++] = id;
    see_dialect(w, e->dialect);
    if (!e->is_text) fl_bw_walk(e, see_part, w);
}

static void see_name(fl_bw_writer *w, uint32_t name, uint32_t *count)
{
    fl_bw_name *n = &w->names[name];
    n->uses++;
    if (n->is_seen) return;
    n->is_seen = 1;
    see_dialect(w, n->dialect);
    w->name_order[(*count)++] = name;
}

static void see_op(fl_bw_writer *w, const fl_bw_op *op, uint32_t *names)
{
    see_name(w, op->name, names);
    for (uint32_t i = 0; i < op->result_count; i++) see(w, op->result_types[i]);
    if (op->dict) see(w, op->dict);
    for (uint32_t i = 0; i < op->property_count; i++)
        if (op->properties[i]) see(w, op->properties[i]);
    see(w, w->location);
}

/* ---- values ---- */

typedef struct region_context {
    fl_bw_region *region;
    uint32_t first; /* number of its first value */
} region_context;

typedef struct region_stack {
    region_context *items;
    size_t count, capacity;
} region_stack;

/* Isolated regions number their values from 0, others go on after those of the region around. */
static void push_regions(fl_bw_writer *w, region_stack *s, const fl_bw_op *op, uint32_t next)
{
    if (s->count + op->region_count > s->capacity) {
        size_t capacity = 2 * (s->count + op->region_count);
        region_context *items = realloc(s->items, capacity * sizeof *items);
        if (!items) return fl_bw_fail(w, fl_error(FL_OOM, "out of host memory"));
        s->items = items;
        s->capacity = capacity;
    }
    for (uint32_t i = 0; i < op->region_count; i++)
        s->items[s->count++] = (region_context){&op->regions[i], op->is_isolated ? 0 : next};
}

static uint32_t see_region(fl_bw_writer *w, fl_bw_region *r, uint32_t next, uint32_t *names)
{
    uint32_t first = next;
    for (uint32_t i = 0; i < r->arg_count; i++) {
        w->numbers[r->first_arg + i] = next++;
        see(w, w->location);
        see(w, r->arg_types[i]);
    }
    for (uint32_t i = 0; i < r->op_count; i++) {
        const fl_bw_op *op = &r->ops[i];
        for (uint32_t k = 0; k < op->result_count; k++) w->numbers[op->first_result + k] = next++;
        see_op(w, op, names);
    }
    r->value_count = next - first;
    return next;
}

/* The last region found is looked at next, so functions come in reverse. */
static uint32_t see_all(fl_bw_writer *w, const fl_bw_op *module)
{
    region_stack s = {0};
    uint32_t names = 0;
    see_op(w, module, &names);
    push_regions(w, &s, module, 0);
    while (s.count && !w->status) {
        region_context c = s.items[--s.count];
        if (c.region->is_empty) continue;
        uint32_t next = see_region(w, c.region, c.first, &names);
        for (uint32_t i = 0; i < c.region->op_count; i++) push_regions(w, &s, &c.region->ops[i], next);
    }
    free(s.items);
    return names;
}

/* ---- order ---- */

/* What is sorted: an entity or a name. */
typedef struct item {
    uint32_t id, uses;
    uint32_t place; /* before sorting: ties keep their order */
    uint32_t dialect;
} item;

static int by_uses(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->uses != y->uses) return x->uses > y->uses ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int by_dialect(const void *a, const void *b)
{
    const item *x = a, *y = b;
    if (x->dialect != y->dialect) return x->dialect < y->dialect ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* Within the numbers that take one byte, then two, and so on; each run begins with the dialect that the one before ends with. */
static void group(item *items, size_t count)
{
    uint32_t first = 0;
    size_t run = 0, at = 0;
    for (unsigned bytes = 1; bytes < 9 && at < count; bytes++) {
        run = ((size_t)1 << (7 * bytes)) - run;
        size_t n = run < count - at ? run : count - at;
        for (size_t i = 0; i < n; i++) {
            items[at + i].place = (uint32_t)i;
            items[at + i].dialect = items[at + i].dialect == first ? 0 : items[at + i].dialect + 1;
        }
        qsort(items + at, n, sizeof *items, by_dialect);
        for (size_t i = 0; i < n; i++)
            items[at + i].dialect = items[at + i].dialect ? items[at + i].dialect - 1 : first;
        at += n;
        first = items[at - 1].dialect;
    }
}

static void sort(fl_bw_writer *w, uint32_t *order, uint32_t count, int are_names)
{
    item *items = fl_bw_alloc(w, count, sizeof *items);
    if (!items || !count) return;
    for (uint32_t i = 0; i < count; i++) {
        unsigned dialect = are_names ? w->names[order[i]].dialect : w->entities[order[i]].dialect;
        uint32_t uses = are_names ? w->names[order[i]].uses : w->entities[order[i]].uses;
        items[i] = (item){order[i], uses, i, w->dialect_numbers[dialect]};
    }
    qsort(items, count, sizeof *items, by_uses);
    group(items, count);
    for (uint32_t i = 0; i < count; i++) {
        order[i] = items[i].id;
        if (are_names)
            w->names[order[i]].number = i;
        else
            w->entities[order[i]].number = i;
    }
}

void fl_bw_number(fl_bw_writer *w, fl_bw_op *module)
{
    w->attr_order = fl_bw_alloc(w, w->entity_count, sizeof *w->attr_order);
    w->type_order = fl_bw_alloc(w, w->entity_count, sizeof *w->type_order);
    w->name_order = fl_bw_alloc(w, w->name_count, sizeof *w->name_order);
    if (w->status) return;
    uint32_t names = see_all(w, module);
    if (w->status) return;
    sort(w, w->attr_order, w->attr_count, 0);
    sort(w, w->type_order, w->type_count, 0);
    sort(w, w->name_order, names, 1);
    w->name_count = names;
}
