#include "eager/cache.h"
#include "aten/limit.h"
#include "base/hash.h"
#include "base/switches.h"
#include "eager/defer.h"
#include "eager/debug.h"
#include "eager/mode.h"
#include "eager/precision.h"
#include "eager/trace.h"

#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_OPERATORS 4096

/* Which run-time scalars matter for an operator. Bits are only ever added: lowerings say at which values they looked. */
static uint64_t looked_at[MAX_OPERATORS];
static uint64_t calls[MAX_OPERATORS];
static uint64_t misses, build_ns, reset_calls; /* reset_calls: calls whose counts were reset */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const char *full_name(uint32_t op)
{
    return fl_operators[op].name;
}

/* Layout of a tensor argument for the device. */
static fl_layout layout_of(const fl_tensor *t)
{
    fl_layout layout = {{0}};
    for (int d = 0; d < t->rank; d++) layout.strides[d] = t->host ? 0 : t->strides[d];
    return layout;
}

/* A written tensor must have the result's shape, or be resized by the bridge before the launch; then the call is prepared
 * again with the new shape, so nothing is compiled for the old one. */
static int shapes_match(const fl_call *call, const fl_cached *l)
{
    for (uint32_t k = 0; k < l->target_count; k++) {
        if (l->targets[k].kind != FL_TO_ARG) continue;
        const fl_tensor *t = fl_target_tensor(call, &l->targets[k]);
        const fl_type *type = &l->targets[k].type;
        if (t->rank != type->rank || memcmp(t->sizes, type->dims, t->rank * sizeof *t->sizes)) return 0;
    }
    return 1;
}

static fl_status make_entry(const fl_call *call, const fl_key *key, uint64_t hash, fl_lowered *l,
                            fl_cached **out)
{
    static uint64_t serial;
    fl_device *device;
    FL_TRY(fl_device_get(call->device, &device));
    fl_cached *e = calloc(1, sizeof *e);
    uint64_t *words = malloc(key->count * sizeof *words);
    if (!e || !words) {
        free(e);
        free(words);
        return fl_error(FL_OOM, "out of host memory");
    }
    memcpy(words, key->words, key->count * sizeof *words);
    *e = (fl_cached){.key = words,
                     .key_count = key->count,
                     .hash = hash,
                     .serial = __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED),
                     .device = device,
                     .name = full_name(call->op),
                     .program = l->program,
                     .sources = l->sources,
                     .targets = l->targets,
                     .source_count = l->source_count,
                     .target_count = l->target_count,
                     .result_count = l->result_count,
                     .random_words = l->random_words,
                     .round_as_written = fl_rounds_as_written()};
    l->program = NULL;
    l->sources = NULL;
    l->targets = NULL;
    fl_status status = shapes_match(call, e) ? fl_cached_place(e, call) : fl_cached_lay_out(e, call);
    if (!status && e->places && fl_mode_current() != FL_EAGER_FUSED) status = fl_cached_compile(e);
    if (status)
        fl_cached_destroy(e);
    else
        *out = e;
    return status;
}

/* Lowers, compiles and publishes. The lowering may look at more scalars than the key describes; then the key is made again. */
static fl_status build(fl_call *call, fl_key *key, const fl_cached **out)
{
    fl_lowered lowered;
    uint64_t start = now();
    FL_TRY(fl_cache_miss(call));
    call->products = (uint8_t)fl_products_now(call->device);
    fl_status status = fl_lower(&fl_operators[call->op], call->args, call->arg_count, call->written,
                                call->written_count, (fl_products)call->products, &lowered);
    uint64_t before = __atomic_fetch_or(&looked_at[call->op], lowered.looked_at, __ATOMIC_RELAXED);
    if (status) return status;
    fl_key_free(key);
    fl_key_make(key, call, before | lowered.looked_at);
    fl_cached *entry = NULL;
    status = key->failed ? fl_error(FL_OOM, "out of host memory") : NULL;
    if (!status) status = make_entry(call, key, fl_hash_words(key->words, key->count), &lowered, &entry);
    fl_lowered_free(&lowered);
    if (!status) {
        entry->build_ns = now() - start;
        status = fl_cache_insert(entry);
    }
    if (status) return status;
    __atomic_fetch_add(&misses, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&build_ns, now() - start, __ATOMIC_RELAXED);
    *out = entry;
    return NULL;
}

void fl_call_abandon(fl_call *call)
{
    if (call->entry) fl_cache_leave();
    call->entry = NULL;
}

static void set_entry(fl_call *call, const fl_cached *entry)
{
    call->entry = entry;
    call->targets = entry->targets;
    call->target_count = entry->target_count;
    call->layouts = entry->layouts;
}

/* Makes the key and looks for it. The thread is in the cache afterwards if there is an entry. */
static fl_status look_up(fl_call *call, fl_key *key, const fl_cached **out)
{
    fl_call_abandon(call);
    fl_cache_enter();
    uint64_t looked = __atomic_load_n(&looked_at[call->op], __ATOMIC_RELAXED);
    if (looked & FL_LOOKED_AT_PRODUCTS) call->products = (uint8_t)fl_products_now(call->device);
    fl_key_make(key, call, looked);
    if (__builtin_expect(key->failed, 0)) return fl_error(FL_OOM, "out of host memory");
    *out = fl_cache_find(key, fl_hash_words(key->words, key->count));
    return looked & FL_LIMITED ? fl_limit_check(&fl_operators[call->op], call->args) : NULL;
}

fl_status fl_call_prepare(fl_call *call)
{
    fl_key key;
    const fl_cached *entry = NULL;
    fl_status status = look_up(call, &key, &entry);
    if (!status && __builtin_expect(!entry, 0)) status = build(call, &key, &entry);
    fl_key_free(&key);
    if (status) {
        fl_cache_leave();
        return status;
    }
    set_entry(call, entry);
    return NULL;
}

/* Without forms PyTorch's kernels compose each call. */
static int has_forms(void)
{
    static int state; /* 0: not asked yet */
    int known = __atomic_load_n(&state, __ATOMIC_RELAXED);
    if (!known) {
        known = fl_is_disabled("forms") ? 1 : 2;
        __atomic_store_n(&state, known, __ATOMIC_RELAXED);
    }
    return known == 2;
}

int fl_call_find(fl_call *call)
{
    if (call->functional && !has_forms()) return 0;
    fl_key key;
    const fl_cached *entry = NULL;
    fl_status status = look_up(call, &key, &entry);
    fl_key_free(&key);
    if (status || !entry) {
        fl_status_free(status);
        fl_cache_leave();
        return 0;
    }
    set_entry(call, entry);
    return 1;
}

/* The call of the out= operator that `call` is a form of. */
static fl_call out_form(const fl_call *call, const fl_tensor *results, uint32_t count, fl_value *args,
                        uint16_t *written)
{
    memcpy(args, call->args, call->arg_count * sizeof *args);
    for (uint32_t k = 0; k < count; k++) {
        args[call->arg_count + k] = (fl_value){.tag = FL_TAG_TENSOR, .count = 1, .u.tensor = &results[k]};
        written[k] = (uint16_t)(call->arg_count + k);
    }
    return (fl_call){.op = call->op,
                     .device = call->device,
                     .args = args,
                     .arg_count = call->arg_count + count,
                     .written = written,
                     .written_count = count,
                     .generator = call->generator};
}

/* Publishes an entry that runs what `owner` runs, with fresh results in the place of the written ones. */
static fl_status make_form(const fl_call *call, const fl_cached *owner, const fl_tensor *results)
{
    fl_key key;
    fl_key_make(&key, call, __atomic_load_n(&looked_at[call->op], __ATOMIC_RELAXED));
    fl_cached *e = malloc(sizeof *e);
    uint64_t *words = malloc(key.count * sizeof *words + 1);
    fl_target *targets = malloc(owner->target_count * sizeof *targets + 1);
    fl_layout *layouts = malloc(owner->target_count * sizeof *layouts + 1);
    int dense = 1;
    fl_status status = NULL;
    if (key.failed || !e || !words || !targets || !layouts) status = fl_error(FL_OOM, "out of host memory");
    if (!status) {
        memcpy(words, key.words, key.count * sizeof *words);
        memcpy(targets, owner->targets, owner->target_count * sizeof *targets);
    }
    for (uint32_t k = 0; !status && k < owner->target_count; k++) {
        if (targets[k].kind != FL_TO_ARG) continue;
        fl_layout expected = fl_layout_dense(&targets[k].type);
        layouts[k] = layout_of(&results[targets[k].arg - call->arg_count]);
        dense &= !memcmp(&layouts[k], &expected, sizeof expected);
        targets[k].kind = FL_TO_FRESH;
    }
    if (!status) {
        memcpy(e, owner, offsetof(fl_cached, users)); /* users change */
        e->owner = (fl_cached *)owner;
        e->key = words;
        e->key_count = key.count;
        e->hash = fl_hash_words(key.words, key.count);
        e->targets = targets;
        e->layouts = dense ? NULL : layouts;
        status = fl_cache_insert(e);
    }
    if (status || dense) free(layouts);
    if (status) free(e), free(words), free(targets);
    fl_key_free(&key);
    return status;
}

fl_status fl_call_learn(fl_call *call, const fl_tensor *results, uint32_t count)
{
    fl_value args[FL_MAX_ARGS];
    uint16_t written[FL_MAX_ARGS];
    if (!has_forms()) return NULL;
    FL_CHECK(call->arg_count + count <= FL_MAX_ARGS, FL_INTERNAL, "too many arguments");
    fl_call out = out_form(call, results, count, args, written);
    FL_TRY(fl_call_prepare(&out));
    call->products = out.products;
    fl_status status = out.entry->places ? make_form(call, out.entry, results) : NULL;
    fl_call_abandon(&out);
    return status;
}

#define ON_STACK 64

typedef struct random_state {
    uint64_t words[2];
} random_state;

static fl_status generator_of(const fl_call *call, uint32_t arg, fl_generator **out)
{
    const fl_value *v = arg < call->arg_count ? &call->args[arg] : NULL;
    fl_generator *asked = v && v->tag == FL_TAG_GENERATOR ? v->u.generator : NULL;
    FL_TRY(fl_trace_generator(asked, out));
    if (!*out) *out = asked ? asked : call->generator;
    FL_CHECK(*out, FL_INTERNAL, "no random generator");
    return NULL;
}

/* Philox counts blocks of four words; a call takes whole blocks. */
fl_status fl_call_draw(const fl_call *call, uint32_t arg, uint64_t words, uint64_t out[2])
{
    fl_generator *g;
    FL_TRY(generator_of(call, arg, &g));
    out[0] = __atomic_load_n(&g->seed, __ATOMIC_RELAXED);
    out[1] = __atomic_fetch_add(&g->offset, (words + 3) / 4, __ATOMIC_RELAXED);
    return NULL;
}

/* The recorder takes buffers of the device that it replaces; nobody else takes those of another device. */
static fl_status bind_buffer(const fl_device *device, const fl_tensor *t, fl_binding *out)
{
    if (__builtin_expect(t->buffer && t->buffer->device != device, 0) &&
        !fl_device_is_replaced(device->index))
        FL_TRY(fl_buffer_check(device, t->buffer));
    *out = (fl_binding){.buffer = t->buffer, .offset = t->offset};
    return NULL;
}

static fl_status bind_inputs(const fl_call *call, const fl_device *device, fl_binding *bindings,
                             random_state *values)
{
    const fl_cached *e = call->entry;
    for (uint32_t i = 0; i < e->source_count; i++) {
        const fl_source *s = &e->sources[i];
        fl_binding *in = &bindings[i];
        *in = (fl_binding){0};
        if (s->kind == FL_FROM_TENSOR) {
            const fl_tensor *t = fl_source_tensor(call, s);
            if (t->host) {
                memcpy(&values[i], t->host, fl_dtype_bytes((fl_dtype)t->dtype));
                in->host = &values[i];
            } else {
                FL_TRY(bind_buffer(device, t, in));
            }
            continue;
        }
        in->host = &values[i];
        if (s->kind == FL_FROM_RANDOM)
            FL_TRY(fl_call_draw(call, s->arg, e->random_words, values[i].words));
        else
            FL_TRY(fl_source_store(s, call->args, &values[i]));
    }
    return NULL;
}

static fl_status bind_outputs(const fl_call *call, const fl_device *device, fl_buffer *const *fresh,
                              fl_binding *bindings)
{
    const fl_cached *e = call->entry;
    for (uint32_t k = 0, r = 0; k < e->target_count; k++) {
        const fl_target *t = &e->targets[k];
        if (t->kind != FL_TO_FRESH && t->kind != FL_TO_ARG) continue;
        fl_binding *out = &bindings[r++];
        if (t->kind == FL_TO_FRESH)
            *out = (fl_binding){.buffer = *fresh++};
        else
            FL_TRY(bind_buffer(device, fl_target_tensor(call, t), out));
    }
    return NULL;
}

static fl_status launch(fl_call *call, fl_buffer *const *fresh)
{
    const fl_cached *e = call->entry;
    FL_CHECK(e->places, FL_INVALID, "the shapes of the results differ from those of the tensors to write");
    fl_device *device;
    FL_TRY(fl_device_get(call->device, &device));
    __atomic_fetch_add(&calls[call->op], 1, __ATOMIC_RELAXED);
    if (__builtin_expect(fl_mode_current() == FL_EAGER_FUSED, 0) && !fl_device_is_replaced(call->device))
        return fl_defer_append(call, device, fresh);
    fl_executable *executable = __atomic_load_n(&e->executable, __ATOMIC_ACQUIRE);
    if (__builtin_expect(!executable, 0)) {
        FL_TRY(fl_cached_compile((fl_cached *)(uintptr_t)e));
        executable = __atomic_load_n(&e->executable, __ATOMIC_ACQUIRE);
    }
    uint32_t n = e->source_count + e->result_count;
    fl_binding space[ON_STACK], *bindings = space;
    random_state value_space[ON_STACK], *values = value_space;
    if (n > ON_STACK) {
        bindings = malloc(n * (sizeof *bindings + sizeof *values));
        FL_CHECK(bindings, FL_OOM, "out of host memory");
        values = (random_state *)(bindings + n);
    }
    fl_status status = bind_inputs(call, device, bindings, values);
    if (!status) status = bind_outputs(call, device, fresh, bindings + e->source_count);
    if (!status)
        status =
            device->vtable->execute(device, call->stream, executable, bindings, bindings + e->source_count);
    if (bindings != space) free(bindings);
    return status;
}

fl_status fl_call_launch(fl_call *call, fl_buffer *const *fresh)
{
    fl_status status = __builtin_expect(fl_mode_current() == FL_EAGER_DEBUG, 0)
                           ? fl_debug_launch(call, fresh, launch)
                           : launch(call, fresh);
    fl_call_abandon(call);
    return status;
}

int fl_operator_find(const char *name)
{
    for (uint32_t i = 0; i < fl_operator_count(); i++)
        if (!strcmp(fl_operators[i].name, name)) return (int)i;
    return -1;
}

void fl_cache_get_stats(fl_cache_stats *out)
{
    uint64_t total = __atomic_load_n(&reset_calls, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < fl_operator_count(); i++) total += fl_operator_calls(i);
    out->misses = __atomic_load_n(&misses, __ATOMIC_RELAXED);
    out->hits = total > out->misses ? total - out->misses : 0;
    out->entries = fl_cache_count();
    out->build_ns = __atomic_load_n(&build_ns, __ATOMIC_RELAXED);
}

uint64_t fl_operator_calls(uint32_t op)
{
    return __atomic_load_n(&calls[op], __ATOMIC_RELAXED);
}

void fl_operator_calls_reset(void)
{
    for (uint32_t i = 0; i < fl_operator_count(); i++)
        __atomic_fetch_add(&reset_calls, __atomic_exchange_n(&calls[i], 0, __ATOMIC_RELAXED),
                           __ATOMIC_RELAXED);
}
