/* The program of a list of operators: each one's program appended, over arrays that stand for regions of memory.
 *
 * A view of a storage that is only read is an argument of its own, which the device reads in place. Views of a storage that is
 * written are sorted into regions: those that do not overlap are apart, and what is seen in one way alone is an array of that
 * view's type. Where views overlap the region is a row of elements, and reads and writes are slices and updates of it. */
#include "eager/defer.h"
#include "pjrt/client_wrap.h"

#include <stdlib.h>
#include <string.h>

typedef struct region {
    uint32_t view, storage; /* view: one that begins where the region does */
    int64_t begin, end;     /* bytes in the storage */
    uint32_t view_count;
    fl_ref value; /* what it holds now; FL_NO_REF: what was before the chunk */
    fl_type type;
    uint32_t argument;         /* number of the input that holds what was before, + 1 */
    uint8_t is_written, moves; /* moves: it is the storage, some of whose views are at places that move */
    uint32_t local;            /* its number in the operator with the number `op` - 1 */
    uint32_t op;
} region;

typedef struct construction {
    const fl_pending *list;
    fl_arena scratch;
    fl_builder b;
    region *regions;
    uint32_t region_count, *region_of; /* of each view */
    fl_chunk *chunk;
    fl_layout *layouts; /* of the inputs, in order */
    fl_ref *start_of;   /* of each view that moves, where it begins */
    uint32_t input_capacity;
    /* of one operator */
    uint32_t local_count, *locals;
    fl_wrap_storage *storages;
    fl_ref *arrays, *results, *values, *offsets;
    int64_t *starts;
    fl_wrap_binding *bindings;
    fl_layout *given;
    int round_as_written; /* some operator is to */
} construction;

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* ---- regions ---- */

static int64_t end_of(const fl_deferred_view *v)
{
    return v->offset + v->place->span * v->place->width;
}

static int comes_before(const fl_deferred_view *x, const fl_deferred_view *y)
{
    return x->offset != y->offset ? x->offset < y->offset : end_of(x) > end_of(y);
}

/* The views of a storage by where they begin; they were met in about this order, and are chained the other way round. */
static uint32_t sorted(const fl_pending *list, uint32_t first, uint32_t *order)
{
    uint32_t n = 0;
    for (uint32_t v = first; v != FL_NO_VIEW; v = list->views[v].next) n++;
    for (uint32_t v = first, k = n; v != FL_NO_VIEW; v = list->views[v].next) {
        uint32_t at = --k;
        for (; at + 1 < n && comes_before(&list->views[order[at + 1]], &list->views[v]); at++)
            order[at] = order[at + 1];
        order[at] = v;
    }
    return n;
}

static region *open_region(construction *c, uint32_t view)
{
    const fl_deferred_view *v = &c->list->views[view];
    region *r = &c->regions[c->region_count++];
    *r = (region){.view = view, .storage = v->storage, .begin = v->offset, .end = end_of(v), .view_count = 1};
    c->region_of[view] = c->region_count - 1;
    return r;
}

/* One region, whatever the places of the views are. */
static void take_storage(construction *c, const uint32_t *order, uint32_t n)
{
    region *r = open_region(c, order[0]);
    r->begin = 0;
    r->end = (int64_t)c->list->storages[r->storage].bytes;
    r->view_count = n;
    r->moves = 1;
    for (uint32_t i = 1; i < n; i++) c->region_of[order[i]] = c->region_count - 1;
}

static fl_status divide(construction *c)
{
    const fl_pending *list = c->list;
    uint32_t *order = FL_NEW_ARRAY(&c->scratch, uint32_t, list->views_count + 1);
    c->regions = FL_NEW_ARRAY(&c->scratch, region, list->views_count + 1);
    c->region_of = FL_NEW_ARRAY(&c->scratch, uint32_t, list->views_count + 1);
    c->start_of = FL_NEW_ARRAY(&c->scratch, fl_ref, list->views_count + 1);
    if (!order || !c->regions || !c->region_of || !c->start_of) return no_memory();
    for (uint32_t s = 0; s < list->storages_count; s++) {
        const fl_deferred_storage *storage = &list->storages[s];
        uint32_t n = sorted(list, storage->views, order);
        region *last = NULL;
        if (storage->moves) take_storage(c, order, n);
        for (uint32_t i = 0; i < n && !storage->moves; i++) {
            const fl_deferred_view *v = &list->views[order[i]];
            if (!storage->is_written || !last || v->offset >= last->end) {
                last = open_region(c, order[i]);
                continue;
            }
            c->region_of[order[i]] = c->region_count - 1;
            if (end_of(v) > last->end) last->end = end_of(v);
            last->view_count++;
        }
    }
    return NULL;
}

/* ---- arguments ---- */

static fl_status add_input(construction *c, fl_type type, const fl_layout *layout, uint32_t number,
                           fl_chunk_kind kind, fl_ref *out)
{
    fl_chunk *chunk = c->chunk;
    if (chunk->input_count == c->input_capacity) {
        uint32_t capacity = 2 * c->input_capacity + 64;
        fl_chunk_use *inputs = realloc(chunk->inputs, capacity * sizeof *inputs);
        if (inputs) chunk->inputs = inputs;
        fl_layout *layouts = realloc(c->layouts, capacity * sizeof *layouts);
        if (layouts) c->layouts = layouts;
        if (!inputs || !layouts) return no_memory();
        c->input_capacity = capacity;
    }
    chunk->inputs[chunk->input_count] = (fl_chunk_use){number, (uint8_t)kind};
    c->layouts[chunk->input_count++] = *layout;
    *out = fl_parameter(&c->b, type);
    return NULL;
}

static fl_status flat_type(const region *r, const fl_place *place, fl_type *out)
{
    int64_t width = place->width, count = (r->end - r->begin) / width;
    FL_CHECK((r->end - r->begin) % width == 0, FL_UNSUPPORTED,
             "views of elements of different sizes overlap");
    *out = fl_type_make((fl_dtype)place->type->dtype, 1, &count);
    return NULL;
}

static fl_chunk_use use_of(const region *r)
{
    return r->moves ? (fl_chunk_use){r->storage, FL_CHUNK_STORAGE} : (fl_chunk_use){r->view, FL_CHUNK_VIEW};
}

/* What was in the region before the chunk becomes an argument. */
static fl_status read_before(construction *c, region *r)
{
    const fl_place *place = c->list->views[r->view].place;
    fl_layout row = {{1}};
    const fl_layout *layout = &row;
    if (r->value) return NULL;
    if (r->view_count == 1) {
        r->type = *place->type;
        layout = &place->layout;
    } else {
        FL_TRY(flat_type(r, place, &r->type));
    }
    fl_chunk_use use = use_of(r);
    FL_TRY(add_input(c, r->type, layout, use.number, (fl_chunk_kind)use.kind, &r->value));
    r->argument = c->chunk->input_count;
    return NULL;
}

/* ---- one operator ---- */

static int covers(const region *r, const fl_place *place)
{
    return r->view_count == 1 || (place->is_packed && place->span * place->width == r->end - r->begin);
}

static fl_status start_of(construction *c, uint32_t view, fl_ref *out)
{
    fl_layout none = {{0}};
    if (!c->start_of[view])
        FL_TRY(add_input(c, fl_type_make(FL_I64, 0, NULL), &none, view, FL_CHUNK_START, &c->start_of[view]));
    *out = c->start_of[view];
    return NULL;
}

static fl_status bind(construction *c, uint32_t op, uint32_t i, uint32_t view, int is_result)
{
    const fl_deferred_view *v = &c->list->views[view];
    region *r = &c->regions[c->region_of[view]];
    c->starts[i] = 0;
    c->given[i] = v->place->layout;
    if (r->view_count == 1) {
        c->given[i] = fl_place_dense(v->place->type).layout;
    } else {
        FL_CHECK((v->offset - r->begin) % v->place->width == 0, FL_UNSUPPORTED,
                 "a view begins within an element of another one");
        c->starts[i] = (v->offset - r->begin) / v->place->width;
        if (v->moves) FL_TRY(start_of(c, view, &c->offsets[i]));
    }
    if (!is_result || !covers(r, v->place)) FL_TRY(read_before(c, r));
    r->is_written |= (uint8_t)is_result;
    if (r->op != op + 1) {
        r->op = op + 1;
        r->local = c->local_count++;
        c->locals[r->local] = c->region_of[view];
    }
    c->bindings[i] = (fl_wrap_binding){.storage = r->local};
    return NULL;
}

static fl_status bind_all(construction *c, uint32_t op)
{
    const fl_deferred_op *o = &c->list->ops[op];
    const fl_cached *e = o->entry;
    uint32_t value = o->first_value, n = e->source_count + e->result_count;
    c->local_count = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t view = c->list->uses[o->first_view + i];
        const fl_place *place = &e->places[i];
        c->bindings[i] = (fl_wrap_binding){.storage = FL_WRAP_EMPTY};
        c->starts[i] = 0;
        c->offsets[i] = FL_NO_REF;
        c->given[i] = place->layout;
        if (view != FL_NO_VIEW) {
            FL_TRY(bind(c, op, i, view, i >= e->source_count));
        } else if (place->elements && i < e->source_count) {
            c->bindings[i].storage = FL_WRAP_HOST;
            fl_layout dense = fl_place_dense(place->type).layout;
            FL_TRY(add_input(c, *place->type, &dense, value++, FL_CHUNK_VALUE, &c->values[i]));
        }
    }
    for (uint32_t l = 0; l < c->local_count; l++) {
        const region *r = &c->regions[c->locals[l]];
        const fl_place *place = c->list->views[r->view].place;
        c->arrays[l] = r->value;
        c->storages[l] = (fl_wrap_storage){.bytes = r->view_count == 1 ? fl_type_bytes(place->type)
                                                                       : (size_t)(r->end - r->begin),
                                           .has_array = r->value != FL_NO_REF,
                                           .type = r->type};
    }
    return NULL;
}

static fl_status builder_error(const fl_builder *b)
{
    return b->status ? fl_error(fl_status_code(b->status), "%s", fl_status_message(b->status)) : NULL;
}

static fl_status append(construction *c, uint32_t op)
{
    const fl_cached *e = c->list->ops[op].entry;
    FL_TRY(bind_all(c, op));
    c->round_as_written |= e->round_as_written;
    const fl_compile_options options = {
        .name = e->name, .inputs = c->given, .outputs = c->given + e->source_count};
    const fl_wrap_given given = {.arrays = c->arrays,
                                 .values = c->values,
                                 .input_starts = c->starts,
                                 .output_starts = c->starts + e->source_count,
                                 .input_offsets = c->offsets,
                                 .output_offsets = c->offsets + e->source_count,
                                 .results = c->results,
                                 .keep_checks = 1};
    FL_TRY(fl_wrap_append(&c->b, e->program, &options, c->storages, c->local_count, c->bindings,
                          c->bindings + e->source_count, &given));
    FL_TRY(builder_error(&c->b));
    for (uint32_t l = 0; l < c->local_count; l++) {
        region *r = &c->regions[c->locals[l]];
        if (!c->results[l]) continue;
        r->value = c->results[l];
        r->type = *fl_typeof(&c->b, r->value);
    }
    return NULL;
}

static fl_status append_all(construction *c)
{
    uint32_t most = 1;
    for (uint32_t i = 0; i < c->list->ops_count; i++) {
        const fl_cached *e = c->list->ops[i].entry;
        if (e->source_count + e->result_count + 1 > most) most = e->source_count + e->result_count + 1;
    }
    c->locals = FL_NEW_ARRAY(&c->scratch, uint32_t, most);
    c->storages = FL_NEW_ARRAY(&c->scratch, fl_wrap_storage, most);
    c->arrays = FL_NEW_ARRAY(&c->scratch, fl_ref, most);
    c->results = FL_NEW_ARRAY(&c->scratch, fl_ref, most);
    c->values = FL_NEW_ARRAY(&c->scratch, fl_ref, most);
    c->offsets = FL_NEW_ARRAY(&c->scratch, fl_ref, most);
    c->starts = FL_NEW_ARRAY(&c->scratch, int64_t, most);
    c->bindings = FL_NEW_ARRAY(&c->scratch, fl_wrap_binding, most);
    c->given = FL_NEW_ARRAY(&c->scratch, fl_layout, most);
    if (!c->locals || !c->storages || !c->arrays || !c->results || !c->values || !c->offsets || !c->starts ||
        !c->bindings || !c->given)
        return no_memory();
    for (uint32_t i = 0; i < c->list->ops_count; i++) FL_TRY(append(c, i));
    return NULL;
}

/* ---- results ---- */

/* The region's value as what takes the place of its argument, and of the region's bytes exactly. */
static fl_status as_region(construction *c, const region *r, fl_ref *out)
{
    fl_builder *b = &c->b;
    fl_ref x = *out = r->value;
    fl_type row;
    if (r->view_count == 1 || (!r->argument && fl_type_bytes(&r->type) == (size_t)(r->end - r->begin)))
        return NULL;
    FL_TRY(flat_type(r, c->list->views[r->view].place, &row));
    x = fl_extend(b, fl_reinterpret(b, fl_flatten(b, x), (fl_dtype)row.dtype), row.dims[0]);
    if (fl_ok(b) && fl_dim(b, x, 0) > row.dims[0]) x = fl_slice_dim(b, x, 0, 0, row.dims[0], 1);
    *out = x;
    return builder_error(b);
}

typedef struct outcome {
    fl_ref *values;
    fl_layout *layouts;
    const region **regions;
    uint32_t count;
} outcome;

static fl_status collect(construction *c, outcome *o)
{
    uint32_t most = c->region_count + 1;
    o->values = FL_NEW_ARRAY(&c->scratch, fl_ref, most);
    o->layouts = FL_NEW_ARRAY(&c->scratch, fl_layout, most);
    o->regions = FL_NEW_ARRAY(&c->scratch, const region *, most);
    c->chunk->outputs = malloc(most * sizeof *c->chunk->outputs);
    if (!o->values || !o->layouts || !o->regions || !c->chunk->outputs) return no_memory();
    for (uint32_t i = 0; i < c->region_count; i++) {
        const region *r = &c->regions[i];
        if (!r->is_written || c->list->storages[r->storage].is_released) continue;
        uint32_t k = o->count++;
        o->regions[k] = r;
        FL_TRY(as_region(c, r, &o->values[k]));
        o->layouts[k] = r->view_count == 1 ? c->list->views[r->view].place->layout
                                           : fl_place_dense(fl_typeof(&c->b, o->values[k])).layout;
        c->chunk->outputs[k] = use_of(r);
    }
    c->chunk->output_count = o->count;
    return NULL;
}

static fl_status compile(construction *c, fl_device *device, const outcome *o)
{
    fl_program *program;
    uint32_t inputs = c->chunk->input_count;
    uint8_t *aliases = calloc((size_t)o->count * inputs + 1, 1);
    if (!aliases) return no_memory();
    for (uint32_t k = 0; k < o->count; k++)
        if (o->regions[k]->argument) aliases[(size_t)k * inputs + o->regions[k]->argument - 1] = 1;
    fl_status status = fl_builder_finish(&c->b, o->values, o->count, &program);
    c->b = (fl_builder){0};
    if (!status) {
        const fl_compile_options options = {.name = "fused",
                                            .inputs = c->layouts,
                                            .outputs = o->layouts,
                                            .aliases = aliases,
                                            .goes_on = 1,
                                            .round_as_written = c->round_as_written};
        status = device->vtable->compile(device, program, &options, &c->chunk->executable);
        fl_program_destroy(program);
    }
    free(aliases);
    return status;
}

fl_status fl_chunk_build(fl_device *device, const fl_pending *list, fl_chunk **out)
{
    construction c = {.list = list, .chunk = calloc(1, sizeof *c.chunk)};
    outcome o = {0};
    *out = NULL;
    if (!c.chunk) return no_memory();
    fl_status status = fl_builder_init(&c.b, "main");
    if (!status) status = divide(&c);
    if (!status) status = append_all(&c);
    if (!status) status = collect(&c, &o);
    if (!status) status = compile(&c, device, &o);
    if (c.b.program) fl_builder_abandon(&c.b);
    fl_arena_free(&c.scratch);
    free(c.layouts);
    if (status)
        fl_chunk_destroy(device, c.chunk);
    else
        *out = c.chunk;
    return status;
}
