/* Launching what is pending: as a chunk, or operator by operator. */
#include "eager/defer.h"

#include "base/hash.h"
#include "eager/explain.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void keep_error(fl_deferral *d, fl_status status)
{
    if (d->error)
        fl_status_free(status);
    else
        __atomic_store_n(&d->error, status, __ATOMIC_RELEASE);
}

fl_status fl_deferral_take_error(fl_deferral *d)
{
    if (!__atomic_load_n(&d->error, __ATOMIC_ACQUIRE)) return NULL;
    pthread_mutex_lock(&d->lock);
    fl_status status = d->error;
    d->error = NULL;
    pthread_mutex_unlock(&d->lock);
    return status;
}

/* ---- what compiling costs ---- */

/* Of a plugin nothing is known at first; compilers that take less are soon measured. */
#define UNKNOWN_NS (50 * 1000 * 1000)

uint64_t fl_deferral_compile_cost(const fl_deferral *d)
{
    uint64_t n = __atomic_load_n(&d->compiled, __ATOMIC_RELAXED);
    if (n) return __atomic_load_n(&d->compile_ns, __ATOMIC_RELAXED) / n;
    return strcmp(d->real->kind, "embedded") ? UNKNOWN_NS : 0;
}

static void count_compiled(fl_deferral *d, uint64_t ns)
{
    __atomic_store_n(&d->compile_ns, d->compile_ns + ns, __ATOMIC_RELAXED);
    __atomic_store_n(&d->compiled, d->compiled + 1, __ATOMIC_RELAXED);
}

static fl_status compile_entry(fl_deferral *d, const fl_cached *e)
{
    if (__atomic_load_n(&e->executable, __ATOMIC_ACQUIRE)) return NULL;
    uint64_t start = now();
    FL_TRY(fl_cached_compile((fl_cached *)(uintptr_t)e));
    count_compiled(d, now() - start);
    return NULL;
}

/* ---- the key ---- */

static fl_status push(fl_pending *list, uint32_t word)
{
    if (list->key_count == list->key_capacity) {
        uint32_t capacity = 2 * list->key_capacity + 64;
        uint32_t *key = realloc(list->key, capacity * sizeof *key);
        FL_CHECK(key, FL_OOM, "out of host memory");
        list->key = key;
        list->key_capacity = capacity;
    }
    list->key[list->key_count++] = word;
    list->hash = fl_hash_mix(list->hash, word);
    return NULL;
}

static fl_status push_long(fl_pending *list, int64_t word)
{
    FL_TRY(push(list, (uint32_t)word));
    return push(list, (uint32_t)(word >> 32));
}

#define MOVES INT64_MIN /* in the place of an offset */

/* Behind the operators: which storage each view is of, who can still see the storage, and of those that are written where their
 * views lie relative to each other; of those some of whose views move, how large they are and where the others lie. */
static fl_status finish_key(fl_pending *list)
{
    for (uint32_t v = 0; v < list->views_count; v++) {
        const fl_deferred_view *view = &list->views[v];
        const fl_deferred_storage *s = &list->storages[view->storage];
        FL_TRY(push(list, view->storage << 1 | s->is_released));
        if (!s->is_written || s->view_count < 2) continue;
        int64_t distance = s->moves ? view->offset : view->offset - list->views[s->views].offset;
        FL_TRY(push_long(list, view->moves ? MOVES : distance));
        if (s->moves) FL_TRY(push_long(list, (int64_t)s->bytes));
    }
    return NULL;
}

/* ---- as a chunk ---- */

static fl_status make_chunk(fl_deferral *d, fl_chunk **out)
{
    fl_pending *list = &d->list;
    uint64_t start = now();
    FL_TRY(fl_chunk_build(d->device, list, out));
    fl_chunk *chunk = *out;
    chunk->key = malloc(list->key_count * sizeof *chunk->key);
    if (!chunk->key) {
        fl_chunk_destroy(d->device, chunk);
        return fl_error(FL_OOM, "out of host memory");
    }
    memcpy(chunk->key, list->key, list->key_count * sizeof *chunk->key);
    chunk->key_count = list->key_count;
    chunk->hash = list->hash;
    chunk->build_ns = now() - start;
    count_compiled(d, chunk->build_ns);
    fl_chunk_keep(&d->chunks, d->device, chunk);
    return NULL;
}

static fl_binding bind_view(const fl_pending *list, uint32_t v)
{
    const fl_deferred_view *view = &list->views[v];
    return (fl_binding){.buffer = list->storages[view->storage].buffer, .offset = view->offset};
}

/* `start`: memory for where a view begins. */
static fl_binding bind_use(const fl_pending *list, const fl_chunk_use *use, int64_t *start)
{
    switch ((fl_chunk_kind)use->kind) {
    case FL_CHUNK_STORAGE: return (fl_binding){.buffer = list->storages[use->number].buffer};
    case FL_CHUNK_VALUE: return (fl_binding){.host = &list->values[use->number]};
    case FL_CHUNK_START:
        *start = list->views[use->number].offset / list->views[use->number].place->width;
        return (fl_binding){.host = start};
    default: return bind_view(list, use->number);
    }
}

static fl_status launch_chunk(fl_deferral *d, const fl_chunk *chunk)
{
    fl_pending *list = &d->list;
    uint32_t n = chunk->input_count + chunk->output_count;
    fl_binding *bindings = malloc((n + 1) * (sizeof *bindings + sizeof(int64_t)));
    FL_CHECK(bindings, FL_OOM, "out of host memory");
    fl_binding *outputs = bindings + chunk->input_count;
    int64_t *starts = (int64_t *)(bindings + n + 1);
    for (uint32_t i = 0; i < chunk->input_count; i++)
        bindings[i] = bind_use(list, &chunk->inputs[i], &starts[i]);
    for (uint32_t i = 0; i < chunk->output_count; i++) outputs[i] = bind_use(list, &chunk->outputs[i], NULL);
    fl_status status = d->real->execute(d->device, list->stream, chunk->executable, bindings, outputs);
    free(bindings);
    return status;
}

/* ---- operator by operator ---- */

/* Memory for a storage that was released before anything was in it, for as long as operators use it. */
static fl_status provide(fl_deferral *d, uint32_t s)
{
    fl_deferred_storage *storage = &d->list.storages[s];
    if (storage->buffer) return NULL;
    return d->real->allocate(d->device, d->list.stream, storage->bytes, &storage->buffer);
}

static fl_status launch_op(fl_deferral *d, const fl_deferred_op *op)
{
    const fl_cached *e = op->entry;
    fl_pending *list = &d->list;
    uint32_t n = e->source_count + e->result_count, value = op->first_value;
    FL_TRY(compile_entry(d, e));
    fl_binding *bindings = calloc(n + 1, sizeof *bindings);
    FL_CHECK(bindings, FL_OOM, "out of host memory");
    fl_status status = NULL;
    for (uint32_t i = 0; i < n && !status; i++) {
        uint32_t view = list->uses[op->first_view + i];
        if (view == FL_NO_VIEW) {
            if (i < e->source_count && e->places[i].elements) bindings[i].host = &list->values[value++];
            continue;
        }
        status = provide(d, list->views[view].storage);
        bindings[i] = bind_view(list, view);
    }
    if (!status)
        status =
            d->real->execute(d->device, list->stream, e->executable, bindings, bindings + e->source_count);
    free(bindings);
    return status ? fl_status_prefix(status, "%s", e->name) : NULL;
}

/* Who fails does not keep the others from running, as in strict mode. Memory of released storages goes back behind its last use. */
static fl_status launch_ops(fl_deferral *d)
{
    fl_pending *list = &d->list;
    fl_status first = NULL;
    uint32_t *last = calloc(list->storages_count + 1, sizeof *last);
    FL_CHECK(last, FL_OOM, "out of host memory");
    for (uint32_t o = 0; o < list->ops_count; o++) {
        const fl_deferred_op *op = &list->ops[o];
        for (uint32_t i = 0; i < op->entry->source_count + op->entry->result_count; i++) {
            uint32_t view = list->uses[op->first_view + i];
            if (view != FL_NO_VIEW && !list->storages[list->views[view].storage].buffer)
                last[list->views[view].storage] = o + 1;
        }
    }
    for (uint32_t o = 0; o < list->ops_count; o++) {
        const fl_deferred_op *op = &list->ops[o];
        fl_status status = launch_op(d, op);
        if (status && first)
            fl_status_free(status);
        else if (status)
            first = status;
        for (uint32_t i = 0; i < op->entry->source_count + op->entry->result_count; i++) {
            uint32_t view = list->uses[op->first_view + i],
                     s = view != FL_NO_VIEW ? list->views[view].storage : 0;
            if (view == FL_NO_VIEW || last[s] != o + 1 || !list->storages[s].buffer) continue;
            d->real->release(d->device, list->storages[s].buffer);
            list->storages[s].buffer = NULL;
        }
    }
    free(last);
    return first;
}

/* ---- both ---- */

static void clear(fl_deferral *d)
{
    fl_pending *list = &d->list;
    for (uint32_t i = 0; i < list->released_count; i++) d->real->release(d->device, list->released[i]);
    d->epoch++;
    list->uses_count = list->values_count = list->views_count = list->storages_count = 0;
    list->key_count = list->released_count = 0;
    list->released_bytes = 0;
    list->hash = 0;
    if (list->places_count) memset(list->places, 0, list->places_capacity * sizeof *list->places);
    list->places_count = 0;
    __atomic_store_n(&d->uncompiled, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&list->ops_count, 0, __ATOMIC_RELAXED);
    fl_cache_let_go();
}

#define SETTLED       2 /* chunks of one sequence before places that changed become arguments */
#define MOST_VARIANTS 4

/* Where a pause cuts the operators is chance, and so is what changes from one time to the next though the operators are the same
 * (writes at places that move): a chunk pays when the very same list comes again. */
static int comes_by_chance(fl_deferral *d, fl_flush reason, const fl_variants *v, uint64_t sequence)
{
    uint64_t *place = &d->by_chance[d->list.hash % FL_BY_CHANCE], before = *place;
    int moves = v->hash == sequence && v->made >= MOST_VARIANTS;
    if (reason != FL_FLUSH_PAUSE && !d->is_cut && !moves) return 0;
    *place = d->list.hash;
    return before != d->list.hash;
}

/* Without memory for what the chunk keeps aside the operators may still run. */
static fl_status launch_whole(fl_deferral *d, const fl_chunk *chunk, fl_launched *how)
{
    fl_status status = launch_chunk(d, chunk);
    if (fl_status_code(status) != FL_OOM) return status;
    fl_status_free(status);
    *how = FL_LAUNCHED_APART;
    return launch_ops(d);
}

/* The chunk of the list, with its key; when the list comes with places other than before for the third time, the one for any. */
static fl_status find_chunk(fl_deferral *d, fl_variants *variants, fl_chunk **out)
{
    fl_pending *list = &d->list;
    uint64_t sequence = list->hash;
    uint32_t words = list->key_count;
    for (;;) {
        FL_TRY(finish_key(list));
        *out = fl_chunk_find(&d->chunks, list->key, list->key_count, list->hash);
        if (*out || variants->hash != sequence || variants->made < SETTLED ||
            !fl_moving_learn(list, variants) || !fl_moving_fits(list))
            return NULL;
        list->hash = sequence;
        list->key_count = words;
    }
}

static fl_status launch(fl_deferral *d, fl_flush reason, fl_launched *how, fl_chunk **chunk)
{
    fl_pending *list = &d->list;
    *how = FL_LAUNCHED_ALONE;
    if (list->ops_count == 1) return launch_ops(d);
    uint64_t sequence = list->hash;
    fl_variants *variants = fl_variants_of(d->variants, sequence);
    *how = FL_LAUNCHED_APART;
    if (variants->hash == sequence) fl_moving_mark(list, variants);
    if (!fl_moving_fits(list)) return launch_ops(d);
    FL_TRY(find_chunk(d, variants, chunk));
    if (*chunk) *how = FL_LAUNCHED_FOUND;
    if (*chunk) return launch_whole(d, *chunk, how);
    if (!fl_moving_fits(list) || comes_by_chance(d, reason, variants, sequence)) return launch_ops(d);
    fl_status status = make_chunk(d, chunk);
    if (status) {
        if (fl_status_code(status) != FL_UNSUPPORTED && fl_status_code(status) != FL_OOM) return status;
        fl_status_free(status);
        return launch_ops(d);
    }
    *how = FL_LAUNCHED_MADE;
    fl_variants_made(variants, sequence, list);
    fl_explain_made(list);
    return launch_whole(d, *chunk, how);
}

void fl_deferral_flush(fl_deferral *d, fl_flush reason)
{
    fl_chunk *chunk = NULL;
    fl_launched how;
    if (!d->list.ops_count) return;
    fl_status status = launch(d, reason, &how, &chunk);
    fl_explain_launch(d, reason, status ? FL_LAUNCHED_FAILED : how, chunk);
    if (status) keep_error(d, status);
    d->is_cut = reason == FL_FLUSH_PAUSE;
    clear(d);
}
