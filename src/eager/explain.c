#include "eager/explain.h"

#include "base/text.h"

#include <stdlib.h>
#include <time.h>

#define MOST_CHUNKS 20000 /* of a list: an explanation that was forgotten ends by itself */

static const char *const reasons[] = {
#define X(name, text, meaning) text,
    FL_FLUSHES(X)
#undef X
};
static const char *const meanings[] = {
#define X(name, text, meaning) meaning,
    FL_FLUSHES(X)
#undef X
};
static const char *const ways[] = {
#define X(name, text) text,
    FL_LAUNCHES(X)
#undef X
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    uint64_t operators, launches[FL_LAUNCHED_COUNT], flushes[FL_FLUSH_COUNT], build_ns, bytes_saved,
        bytes_written;
} counts;
static int is_open;
static fl_text list;
static uint32_t listed;

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Bytes of results that nobody can see, and of those that were written. */
static void weigh(const fl_pending *pending, uint64_t *saved, uint64_t *written)
{
    for (uint32_t s = 0; s < pending->storages_count; s++) {
        const fl_deferred_storage *storage = &pending->storages[s];
        if (!storage->is_written) continue;
        *(storage->is_released ? saved : written) += storage->bytes;
    }
}

static void put_chunk(const fl_deferral *d, fl_flush reason, fl_launched how, const fl_chunk *chunk,
                      uint64_t saved, uint64_t written)
{
    const fl_pending *p = &d->list;
    fl_text_printf(
        &list,
        "%s{\"device\": %d, \"reason\": \"%s\", \"meaning\": \"%s\", \"launched\": \"%s\", \"time_ns\": "
        "%llu, \"build_ns\": %llu, \"inputs\": %u, \"outputs\": %u, \"bytes_saved\": %llu, "
        "\"bytes_written\": %llu, \"operators\": [",
        listed ? ", " : "", d->device->index, reasons[reason], meanings[reason], ways[how],
        (unsigned long long)now(), (unsigned long long)(how == FL_LAUNCHED_MADE ? chunk->build_ns : 0),
        chunk ? chunk->input_count : 0, chunk ? chunk->output_count : 0, (unsigned long long)saved,
        (unsigned long long)written);
    for (uint32_t i = 0; i < p->ops_count; i++)
        fl_text_printf(&list, "%s\"aten::%s\"", i ? ", " : "", p->ops[i].entry->name);
    fl_text_printf(&list, "]}");
    listed++;
}

void fl_explain_launch(const fl_deferral *d, fl_flush reason, fl_launched how, const fl_chunk *chunk)
{
    uint64_t saved = 0, written = 0;
    weigh(&d->list, &saved, &written);
    pthread_mutex_lock(&lock);
    counts.operators += d->list.ops_count;
    counts.launches[how]++;
    counts.flushes[reason]++;
    if (how == FL_LAUNCHED_MADE) counts.build_ns += chunk->build_ns;
    if (chunk) counts.bytes_saved += saved;
    counts.bytes_written += written;
    if (is_open && listed < MOST_CHUNKS) put_chunk(d, reason, how, chunk, chunk ? saved : 0, written);
    pthread_mutex_unlock(&lock);
}

void fl_explain_begin(void)
{
    pthread_mutex_lock(&lock);
    is_open = 1;
    listed = 0;
    fl_text_free(&list);
    fl_text_printf(&list, "[");
    pthread_mutex_unlock(&lock);
}

char *fl_explain_end(void)
{
    pthread_mutex_lock(&lock);
    char *text = NULL;
    if (is_open) {
        fl_text_printf(&list, "]");
        text = list.failed ? NULL : list.data;
        if (!text) fl_text_free(&list);
        list = (fl_text){0};
    }
    is_open = 0;
    pthread_mutex_unlock(&lock);
    return text;
}

/* Chunks that can be found. */
static uint32_t kept(void)
{
    uint32_t n = 0;
    for (int i = 0; i < FL_MOST_DEVICES_OPEN; i++) {
        const fl_deferral *d = fl_deferral_of(i);
        n += d ? __atomic_load_n(&d->chunks.count, __ATOMIC_RELAXED) : 0;
    }
    return n;
}

char *fl_explain_counts(void)
{
    fl_text t = {0};
    pthread_mutex_lock(&lock);
    fl_text_printf(
        &t,
        "{\"operators\": %llu, \"build_ns\": %llu, \"bytes_saved\": %llu, \"bytes_written\": %llu, "
        "\"launches\": {",
        (unsigned long long)counts.operators, (unsigned long long)counts.build_ns,
        (unsigned long long)counts.bytes_saved, (unsigned long long)counts.bytes_written);
    for (int i = 0; i < FL_LAUNCHED_COUNT; i++)
        fl_text_printf(&t, "%s\"%s\": %llu", i ? ", " : "", ways[i], (unsigned long long)counts.launches[i]);
    fl_text_printf(&t, "}, \"reasons\": {");
    for (int i = 0; i < FL_FLUSH_COUNT; i++)
        fl_text_printf(&t, "%s\"%s\": %llu", i ? ", " : "", reasons[i],
                       (unsigned long long)counts.flushes[i]);
    fl_text_printf(&t, "}, \"chunks\": %u}", kept());
    pthread_mutex_unlock(&lock);
    if (!t.failed) return t.data;
    fl_text_free(&t);
    return NULL;
}
