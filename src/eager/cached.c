/* Entries of the cache: how a program's arguments and results lie in memory, and its executable, made when it is first wanted. */
#include "aten/layouts.h"
#include "base/hash.h"
#include "eager/cache.h"
#include "pjrt/client_wrap.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

const fl_tensor *fl_source_tensor(const fl_call *call, const fl_source *s)
{
    return fl_value_tensor(&call->args[s->arg], s->element);
}

const fl_tensor *fl_target_tensor(const fl_call *call, const fl_target *t)
{
    return fl_value_tensor(&call->args[t->arg], t->element);
}

/* Dimensions of one element do not move: their stride is 0, so that equal places have equal strides. */
static fl_place place_of_tensor(const fl_type *type, const fl_tensor *t)
{
    fl_place place = {.type = type};
    for (int d = 0; d < t->rank; d++)
        place.layout.strides[d] = t->host || t->sizes[d] <= 1 ? 0 : t->strides[d];
    return place;
}

static fl_place place_of_layout(const fl_type *type, const fl_layout *layout)
{
    fl_place place = {.type = type};
    for (int d = 0; d < type->rank; d++)
        if (type->dims[d] > 1) place.layout.strides[d] = layout->strides[d];
    return place;
}

fl_place fl_place_dense(const fl_type *type)
{
    fl_place place = {.type = type};
    int64_t stride = 1;
    for (int d = type->rank - 1; d >= 0; d--) {
        if (type->dims[d] <= 1) continue;
        place.layout.strides[d] = stride;
        stride *= type->dims[d];
    }
    return place;
}

int fl_place_equal(const fl_place *a, const fl_place *b)
{
    const fl_type *x = a->type, *y = b->type;
    if (a->hash != b->hash || x->dtype != y->dtype || x->rank != y->rank) return 0;
    return !memcmp(x->dims, y->dims, x->rank * sizeof *x->dims) &&
           !memcmp(a->layout.strides, b->layout.strides, x->rank * sizeof *x->dims);
}

static void finish_place(fl_place *place)
{
    const fl_type *type = place->type;
    uint64_t h = (uint64_t)type->dtype << 8 | type->rank;
    place->elements = 1;
    place->span = 1;
    for (int d = 0; d < type->rank; d++) {
        h = fl_hash_mix(h, (uint64_t)type->dims[d]);
        h = fl_hash_mix(h, (uint64_t)place->layout.strides[d]);
        place->elements *= type->dims[d];
        if (type->dims[d] > 0) place->span += (type->dims[d] - 1) * place->layout.strides[d];
    }
    place->hash = h;
    place->width = (uint32_t)fl_dtype_bytes((fl_dtype)type->dtype);
    const fl_view view = {.type = type, .strides = place->layout.strides};
    place->is_packed = place->elements == place->span && fl_view_is_packed(&view);
}

/* A tensor that is written must not have two elements in one place. */
static fl_status check_no_overlap(const fl_tensor *t)
{
    for (int d = 0; d < t->rank; d++)
        if (!t->sizes[d]) return NULL;
    for (int d = 0; d < t->rank; d++)
        FL_CHECK(t->sizes[d] <= 1 || t->strides[d] != 0, FL_INVALID,
                 "unsupported operation: more than one element of the written-to tensor refers to a single "
                 "memory location. "
                 "Please clone() the tensor before performing the operation.");
    return NULL;
}

fl_status fl_cached_lay_out(fl_cached *e, const fl_call *call)
{
    const fl_result_layout *rule = fl_result_layout_of(e->name);
    if (!rule) return NULL;
    fl_layout *layouts = calloc(e->target_count + 1, sizeof *layouts);
    FL_CHECK(layouts, FL_OOM, "out of host memory");
    int dense = 1;
    for (uint32_t k = 0; k < e->target_count; k++) {
        if (e->targets[k].kind != FL_TO_FRESH && e->targets[k].kind != FL_TO_ARG) continue;
        const fl_layout rows = fl_layout_dense(&e->targets[k].type);
        layouts[k] = fl_result_layout_apply(rule, call->args, &e->targets[k].type);
        dense &= !memcmp(&layouts[k], &rows, sizeof rows);
    }
    if (dense)
        free(layouts);
    else
        e->layouts = layouts;
    return NULL;
}

static fl_status place_results(fl_cached *e, const fl_call *call)
{
    FL_TRY(fl_cached_lay_out(e, call));
    for (uint32_t k = 0, r = 0; k < e->target_count; k++) {
        const fl_target *t = &e->targets[k];
        if (t->kind != FL_TO_FRESH && t->kind != FL_TO_ARG) continue;
        const fl_type *type = fl_type_of(e->program, e->program->main->results[r]);
        fl_place *place = &e->places[e->source_count + r];
        if (t->kind == FL_TO_ARG) {
            const fl_tensor *tensor = fl_target_tensor(call, t);
            if (!t->uniform) FL_TRY(check_no_overlap(tensor));
            *place = place_of_tensor(type, tensor);
            for (uint32_t i = 0; i < e->source_count; i++)
                if (e->sources[i].kind == FL_FROM_TENSOR)
                    e->aliases[(size_t)r * e->source_count + i] =
                        (uint8_t)fl_tensor_alias(fl_source_tensor(call, &e->sources[i]), tensor);
        } else {
            *place = e->layouts ? place_of_layout(type, &e->layouts[k]) : fl_place_dense(type);
        }
        finish_place(place);
        r++;
    }
    return NULL;
}

fl_status fl_cached_place(fl_cached *e, const fl_call *call)
{
    e->places = calloc(e->source_count + e->result_count + 1, sizeof *e->places);
    e->aliases = calloc((size_t)e->source_count * e->result_count + 1, 1);
    FL_CHECK(e->places && e->aliases, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < e->source_count; i++) {
        const fl_type *type = fl_type_of(e->program, e->program->main->first_arg + i);
        fl_place *place = &e->places[i];
        if (e->sources[i].kind == FL_FROM_TENSOR)
            *place = place_of_tensor(type, fl_source_tensor(call, &e->sources[i]));
        else
            *place = fl_place_dense(type);
        finish_place(place);
    }
    return place_results(e, call);
}

static fl_status compile(fl_cached *e)
{
    uint32_t n = e->source_count + e->result_count;
    fl_layout *layouts = calloc(n + 1, sizeof *layouts);
    FL_CHECK(layouts, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < n; i++) layouts[i] = e->places[i].layout;
    const fl_compile_options options = {.name = e->name,
                                        .inputs = layouts,
                                        .outputs = layouts + e->source_count,
                                        .aliases = e->aliases,
                                        .round_as_written = e->round_as_written};
    fl_executable *executable;
    fl_status status = e->device->vtable->compile(e->device, e->program, &options, &executable);
    free(layouts);
    if (!status) __atomic_store_n(&e->executable, executable, __ATOMIC_RELEASE);
    return status;
}

fl_status fl_cached_compile(fl_cached *e)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    fl_cached *owner = e->owner ? e->owner : e;
    pthread_mutex_lock(&lock);
    fl_status status = owner->executable ? NULL : compile(owner);
    if (!status) __atomic_store_n(&e->executable, owner->executable, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&lock);
    return status;
}

void fl_cached_destroy(fl_cached *e)
{
    if (!e) return;
    if (!e->owner) {
        if (e->executable) e->device->vtable->destroy_executable(e->device, e->executable);
        fl_program_destroy(e->program);
        free(e->places);
        free(e->aliases);
        free(e->sources);
    }
    free(e->targets);
    free(e->layouts);
    free(e->key);
    free(e);
}
