/* The list of pending operators: recording calls, and buffers that go away meanwhile. */
#include "eager/defer.h"

#include "base/hash.h"
#include "eager/mode.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_BITS     24 /* of `deferred` in a buffer: the storage's number; the list's epoch is above */
#define MOST_OPS        4096
#define LEAST_BY_REPEAT 256 /* a chunk that ends because operators repeat has as many, or one period */
#define MANY_VIEWS      16  /* of one storage: from then on they are in a table */
#define MOST_RELEASED   (512u << 20) /* bytes that wait for the launch */

static fl_deferral *deferrals[FL_MOST_DEVICES_OPEN];

fl_deferral *fl_deferral_of(int device)
{
    return device >= 0 && device < FL_MOST_DEVICES_OPEN
               ? __atomic_load_n(&deferrals[device], __ATOMIC_ACQUIRE)
               : NULL;
}

fl_status fl_deferral_open(fl_device *device, fl_deferral **out)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    fl_status status = NULL;
    pthread_mutex_lock(&lock);
    fl_deferral *d = deferrals[device->index];
    if (!d) {
        d = calloc(1, sizeof *d);
        if (d) {
            d->device = device;
            d->epoch = 1;
            pthread_mutex_init(&d->lock, NULL);
            fl_deferral_decorate(d);
            __atomic_store_n(&deferrals[device->index], d, __ATOMIC_RELEASE);
            __atomic_store_n(&device->vtable, &d->vtable, __ATOMIC_RELEASE);
        } else {
            status = fl_error(FL_OOM, "out of host memory");
        }
    }
    pthread_mutex_unlock(&lock);
    *out = d;
    return status;
}

/* ---- growing ---- */

static void *grown(void *items, uint32_t *capacity, uint32_t wanted, size_t size)
{
    uint32_t more = *capacity ? 2 * *capacity : 256;
    while (more < wanted) more *= 2;
    void *larger = realloc(items, more * size);
    if (larger) *capacity = more;
    return larger;
}

#define RESERVE(list, name, more)                                                                            \
    do {                                                                                                     \
        if ((list)->name##_count + (more) > (list)->name##_capacity) {                                       \
            void *larger = grown((list)->name, &(list)->name##_capacity, (list)->name##_count + (more),      \
                                 sizeof *(list)->name);                                                      \
            FL_CHECK(larger, FL_OOM, "out of host memory");                                                  \
            (list)->name = larger;                                                                           \
        }                                                                                                    \
    } while (0)

/* Space for one operator, so that recording it cannot fail half-way. */
static fl_status reserve(fl_pending *list, const fl_cached *e)
{
    uint32_t n = e->source_count + e->result_count;
    RESERVE(list, ops, 1);
    RESERVE(list, uses, n);
    RESERVE(list, values, e->source_count);
    RESERVE(list, views, n);
    RESERVE(list, storages, n);
    RESERVE(list, key, n + 2);
    return NULL;
}

/* ---- numbering ---- */

static uint32_t storage_of(fl_deferral *d, fl_buffer *buffer)
{
    fl_pending *list = &d->list;
    if (buffer->deferred >> NUMBER_BITS == d->epoch)
        return (uint32_t)(buffer->deferred & ((1u << NUMBER_BITS) - 1));
    uint32_t s = list->storages_count++;
    list->storages[s] = (fl_deferred_storage){.buffer = buffer, .bytes = buffer->bytes, .views = FL_NO_VIEW};
    buffer->deferred = d->epoch << NUMBER_BITS | s;
    return s;
}

static int is_view(const fl_deferred_view *view, uint32_t s, int64_t offset, const fl_place *place)
{
    return view->storage == s && view->offset == offset && fl_place_equal(view->place, place);
}

/* Where the view is in the table, or its place there. */
static uint32_t *slot_of(const fl_pending *list, uint32_t s, int64_t offset, const fl_place *place)
{
    uint32_t mask = list->places_capacity - 1;
    uint32_t h = (uint32_t)(fl_hash_mix(fl_hash_mix(s, (uint64_t)offset), place->hash) >> 20) & mask;
    for (; list->places[h]; h = (h + 1) & mask)
        if (is_view(&list->views[list->places[h] - 1], s, offset, place)) break;
    return &list->places[h];
}

static void put(fl_pending *list, uint32_t v)
{
    const fl_deferred_view *view = &list->views[v];
    *slot_of(list, view->storage, view->offset, view->place) = v + 1;
    list->places_count++;
}

/* A table of all views of storages that have many. Without memory there is none: then views are searched one by one. */
static void tabulate(fl_pending *list)
{
    uint32_t capacity = 1024;
    while (capacity < 4 * list->views_count) capacity *= 2;
    free(list->places);
    list->places = calloc(capacity, sizeof *list->places);
    list->places_capacity = list->places ? capacity : 0;
    list->places_count = 0;
    for (uint32_t v = 0; list->places && v < list->views_count; v++)
        if (list->storages[list->views[v].storage].view_count >= MANY_VIEWS) put(list, v);
}

static uint32_t find_view(const fl_pending *list, uint32_t s, int64_t offset, const fl_place *place)
{
    const fl_deferred_storage *storage = &list->storages[s];
    if (storage->view_count >= MANY_VIEWS && list->places_capacity)
        return *slot_of(list, s, offset, place) - 1; /* of 0: FL_NO_VIEW */
    uint32_t v = storage->views;
    while (v != FL_NO_VIEW && !is_view(&list->views[v], s, offset, place)) v = list->views[v].next;
    return v;
}

static uint32_t view_of(fl_pending *list, uint32_t s, int64_t offset, const fl_place *place)
{
    fl_deferred_storage *storage = &list->storages[s];
    uint32_t v = find_view(list, s, offset, place);
    if (v != FL_NO_VIEW) return v;
    v = list->views_count++;
    list->views[v] =
        (fl_deferred_view){.place = place, .offset = offset, .storage = s, .next = storage->views};
    storage->views = v;
    if (++storage->view_count < MANY_VIEWS) return v;
    if (storage->view_count == MANY_VIEWS || 2 * list->places_count >= list->places_capacity)
        tabulate(list);
    else
        put(list, v);
    return v;
}

static uint32_t use(fl_deferral *d, fl_buffer *buffer, int64_t offset, const fl_place *place, int is_result)
{
    fl_pending *list = &d->list;
    if (!buffer || !place->elements) return FL_NO_VIEW;
    uint32_t s = storage_of(d, buffer);
    fl_deferred_storage *storage = &list->storages[s];
    int is_first = storage->views == FL_NO_VIEW;
    uint32_t v = view_of(list, s, offset, place);
    if (!is_result) {
        storage->is_used |= (uint8_t)is_first;
    } else {
        int whole = place->is_packed && (size_t)place->elements * place->width == storage->bytes;
        storage->is_used |= (uint8_t)(is_first && !whole);
        storage->is_written = 1;
    }
    return v;
}

/* ---- one call ---- */

/* What the call brings from the host, taken now: numbers, and the state of a random generator. */
static fl_status take_values(const fl_call *call, fl_device *device, fl_deferred_value *values)
{
    const fl_cached *e = call->entry;
    for (uint32_t i = 0; i < e->source_count; i++) {
        const fl_source *s = &e->sources[i];
        if (s->kind == FL_FROM_TENSOR) {
            const fl_tensor *t = fl_source_tensor(call, s);
            if (t->host)
                memcpy(values++, t->host, e->places[i].width);
            else if (t->buffer && t->buffer->device != device)
                FL_TRY(fl_buffer_check(device, t->buffer));
            else if (!t->buffer && e->places[i].elements)
                return fl_error(FL_INVALID, "expected a tensor with memory");
        } else if (s->kind == FL_FROM_RANDOM) {
            FL_TRY(fl_call_draw(call, s->arg, e->random_words, (values++)->words));
        } else {
            FL_TRY(fl_source_store(s, call->args, values++));
        }
    }
    return NULL;
}

static fl_status check_targets(const fl_call *call, fl_device *device)
{
    const fl_cached *e = call->entry;
    for (uint32_t k = 0; k < e->target_count; k++) {
        if (e->targets[k].kind != FL_TO_ARG) continue;
        const fl_buffer *buffer = fl_target_tensor(call, &e->targets[k])->buffer;
        if (buffer && buffer->device != device) FL_TRY(fl_buffer_check(device, buffer));
    }
    return NULL;
}

static void record(fl_deferral *d, const fl_call *call, fl_buffer *const *fresh)
{
    fl_pending *list = &d->list;
    const fl_cached *e = call->entry;
    list->ops[list->ops_count] = (fl_deferred_op){e, list->uses_count, list->values_count};
    __atomic_store_n(&list->ops_count, list->ops_count + 1,
                     __ATOMIC_RELAXED); /* others look without the lock */
    uint32_t *uses = &list->uses[list->uses_count], *key = &list->key[list->key_count];
    uint32_t n = 0, values = 0;
    uint64_t h = fl_hash_mix(list->hash, e->serial);
    for (; n < e->source_count; n++) {
        const fl_source *s = &e->sources[n];
        const fl_tensor *t = s->kind == FL_FROM_TENSOR ? fl_source_tensor(call, s) : NULL;
        values += !t || t->host;
        uses[n] = t ? use(d, t->buffer, t->offset, &e->places[n], 0) : FL_NO_VIEW;
    }
    for (uint32_t k = 0; k < e->target_count; k++) {
        const fl_target *t = &e->targets[k];
        if (t->kind != FL_TO_FRESH && t->kind != FL_TO_ARG) continue;
        const fl_tensor *x = t->kind == FL_TO_ARG ? fl_target_tensor(call, t) : NULL;
        uses[n] = use(d, x ? x->buffer : *fresh++, x ? x->offset : 0, &e->places[n], 1);
        n++;
    }
    *key++ = (uint32_t)e->serial;
    *key++ = (uint32_t)(e->serial >> 32);
    for (uint32_t i = 0; i < n; i++) h = fl_hash_mix(h, *key++ = uses[i]);
    list->uses_count += n;
    list->values_count += values;
    list->key_count += n + 2;
    list->hash = h;
}

/* Whether the chunk should end here by itself. */
static void find_boundary(fl_deferral *d, const fl_call *call)
{
    fl_pending *list = &d->list;
    uint32_t period =
        fl_repeat_next(&d->repeat, (uint32_t)(call->entry->serial * 0x9E3779B97F4A7C15ull >> 32));
    uint32_t n = list->ops_count;
    if (n >= MOST_OPS)
        fl_deferral_flush(d, FL_FLUSH_LENGTH);
    else if (list->released_bytes > MOST_RELEASED)
        fl_deferral_flush(d, FL_FLUSH_MEMORY);
    else if (period && n >= period && n % period == 0 &&
             (n >= LEAST_BY_REPEAT || period >= LEAST_BY_REPEAT / 2))
        fl_deferral_flush(d, FL_FLUSH_REPEAT);
}

static fl_status append(fl_deferral *d, const fl_call *call, fl_buffer *const *fresh)
{
    fl_pending *list = &d->list;
    FL_TRY(check_targets(call, d->device));
    if (list->ops_count && list->stream != call->stream) fl_deferral_flush(d, FL_FLUSH_STREAM);
    FL_TRY(reserve(list, call->entry));
    FL_TRY(take_values(call, d->device, &list->values[list->values_count]));
    if (!list->ops_count) {
        fl_cache_hold();
        list->stream = call->stream;
    }
    record(d, call, fresh);
    if (!__atomic_load_n(&call->entry->executable, __ATOMIC_RELAXED))
        __atomic_store_n(&d->uncompiled, d->uncompiled + 1, __ATOMIC_RELAXED);
    __atomic_store_n(&d->ticks, d->ticks + 1, __ATOMIC_RELAXED);
    find_boundary(d, call);
    return NULL;
}

fl_status fl_defer_append(const fl_call *call, fl_device *device, fl_buffer *const *fresh)
{
    fl_deferral *d = fl_deferral_of(device->index);
    if (__builtin_expect(!d, 0)) FL_TRY(fl_deferral_open(device, &d));
    pthread_mutex_lock(&d->lock);
    fl_status status = append(d, call, fresh);
    int is_first = d->list.ops_count == 1;
    pthread_mutex_unlock(&d->lock);
    if (is_first) fl_watchdog_wake();
    return status;
}

/* ---- buffers that go ---- */

void fl_deferral_release(fl_deferral *d, fl_buffer *buffer)
{
    fl_pending *list = &d->list;
    if (!__atomic_load_n(&list->ops_count, __ATOMIC_RELAXED)) {
        d->real->release(d->device, buffer);
        return;
    }
    pthread_mutex_lock(&d->lock);
    int waits = 0;
    if (buffer->deferred >> NUMBER_BITS == d->epoch && list->ops_count) {
        fl_deferred_storage *storage = &list->storages[buffer->deferred & ((1u << NUMBER_BITS) - 1)];
        storage->is_released = 1;
        waits = storage->is_used;
        if (!waits) storage->buffer = NULL;
    }
    if (waits && list->released_count == list->released_capacity) {
        void *larger =
            grown(list->released, &list->released_capacity, list->released_count + 1, sizeof *list->released);
        if (larger)
            list->released = larger;
        else
            fl_deferral_flush(d, FL_FLUSH_MEMORY), waits = 0;
    }
    if (waits) {
        list->released[list->released_count++] = buffer;
        list->released_bytes += buffer->bytes;
    }
    pthread_mutex_unlock(&d->lock);
    if (!waits) d->real->release(d->device, buffer);
}

void fl_defer_flush(int device, fl_flush reason)
{
    fl_deferral *d = fl_deferral_of(device);
    if (!d || !__atomic_load_n(&d->list.ops_count, __ATOMIC_RELAXED)) return;
    pthread_mutex_lock(&d->lock);
    fl_deferral_flush(d, reason);
    pthread_mutex_unlock(&d->lock);
}

void fl_defer_flush_all(fl_flush reason)
{
    for (int i = 0; i < FL_MOST_DEVICES_OPEN; i++) fl_defer_flush(i, reason);
}
