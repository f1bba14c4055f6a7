#include "device/activity.h"

#include "base/arena.h"
#include "base/hash.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TEXTS 1024 /* texts given last, of which one copy serves for all */

typedef struct collection {
    fl_activity *list;
    size_t count, capacity, lost;
    fl_arena arena;
    const char *texts[TEXTS];
} collection;

int fl_activity_collecting;
static _Thread_local fl_activity_place place;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static collection *current; /* guarded by `lock` */

void fl_activity_set_correlation(uint64_t correlation)
{
    place.correlation = correlation;
}

void fl_activity_set_place(fl_activity_place new_place)
{
    place = new_place;
}

fl_activity_place fl_activity_get_place(void)
{
    return place;
}

/* The clock of PyTorch's profiler. */
uint64_t fl_activity_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static const char *keep_text(collection *c, const char *text)
{
    if (!text) return NULL;
    uint64_t hash = 0;
    for (const char *at = text; *at; at++) hash = fl_hash_mix(hash, (unsigned char)*at + 1u);
    const char **known = &c->texts[hash % TEXTS];
    if (!*known || strcmp(*known, text)) *known = fl_arena_strdup(&c->arena, text);
    return *known;
}

static fl_activity *next_entry(collection *c)
{
    if (c->count == c->capacity) {
        size_t wanted = c->capacity ? c->capacity * 2 : 1024;
        fl_activity *list = c->count < FL_ACTIVITY_MOST ? realloc(c->list, wanted * sizeof *list) : NULL;
        if (!list) return NULL;
        c->list = list;
        c->capacity = wanted;
    }
    return &c->list[c->count];
}

void fl_activity_add(const fl_activity *activity)
{
    pthread_mutex_lock(&lock);
    collection *c = current;
    fl_activity *entry = c ? next_entry(c) : NULL;
    if (entry) {
        *entry = *activity;
        entry->name = keep_text(c, activity->name);
        entry->program = keep_text(c, activity->program);
        entry->shapes = keep_text(c, activity->shapes);
    }
    if (entry && entry->name)
        c->count++;
    else if (c)
        c->lost++;
    pthread_mutex_unlock(&lock);
}

void fl_activity_copy(fl_activity_kind kind, void *to, const void *from, size_t bytes)
{
    uint64_t begin = fl_activities_on() ? fl_activity_now() : 0;
    memcpy(to, from, bytes);
    if (!begin) return;
    fl_activity_add(&(fl_activity){
        .kind = kind,
        .place = place,
        .name =
            kind == FL_ACTIVITY_TO_DEVICE ? "Memcpy HtoD (Host -> Device)" : "Memcpy DtoH (Device -> Host)",
        .bytes = bytes,
        .begin = begin,
        .end = fl_activity_now(),
    });
}

static void destroy(collection *c)
{
    if (!c) return;
    fl_arena_free(&c->arena);
    free(c->list);
    free(c);
}

void fl_activity_start(void)
{
    collection *fresh = calloc(1, sizeof *fresh);
    pthread_mutex_lock(&lock);
    collection *old = current;
    current = fresh;
    __atomic_store_n(&fl_activity_collecting, fresh != NULL, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    destroy(old);
}

void fl_activity_stop(fl_activity_list *out)
{
    pthread_mutex_lock(&lock);
    collection *c = current;
    current = NULL;
    __atomic_store_n(&fl_activity_collecting, 0, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&lock);
    *out = c ? (fl_activity_list){c->list, c->count, c->lost, c} : (fl_activity_list){0};
}

void fl_activity_free(fl_activity_list *list)
{
    destroy(list->block);
    *list = (fl_activity_list){0};
}
