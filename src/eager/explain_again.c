/* Sequences of operators that are compiled again and again: told once, with what changed. */
#include "eager/explain.h"

#include "base/hash.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEQUENCES 64 /* remembered at one time */
#define OFTEN     8  /* compilations of one sequence before anything is said */

typedef struct seen_place {
    uint8_t dtype, rank;
    int64_t dims[FL_MAX_RANK], strides[FL_MAX_RANK];
} seen_place;

/* The last compilation of a sequence: places of all arguments and results, in order. */
typedef struct sequence {
    uint64_t hash;
    uint32_t times, place_count;
    seen_place *places;
    int told;
} sequence;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sequence sequences[SEQUENCES];

static uint64_t hash_of(const fl_pending *list)
{
    uint64_t h = list->ops_count;
    for (uint32_t i = 0; i < list->ops_count; i++)
        h = fl_hash_mix(h, (uint64_t)(uintptr_t)list->ops[i].entry->name);
    return h;
}

static seen_place seen(const fl_place *place)
{
    seen_place s = {place->type->dtype, place->type->rank, {0}, {0}};
    memcpy(s.dims, place->type->dims, s.rank * sizeof *s.dims);
    memcpy(s.strides, place->layout.strides, s.rank * sizeof *s.strides);
    return s;
}

static void put_place(fl_text *t, const seen_place *s)
{
    fl_text_printf(t, "%s[", fl_dtype_name((fl_dtype)s->dtype));
    for (int d = 0; d < s->rank; d++) fl_text_printf(t, "%s%lld", d ? ", " : "", (long long)s->dims[d]);
    fl_text_printf(t, "] with strides [");
    for (int d = 0; d < s->rank; d++) fl_text_printf(t, "%s%lld", d ? ", " : "", (long long)s->strides[d]);
    fl_text_printf(t, "]");
}

/* The first argument or result that differs from what it was. */
static void tell(const fl_pending *list, const sequence *s)
{
    fl_text t = {0};
    fl_text_printf(&t, "torch_tpu: fused: the same %u operators (%s to %s) were compiled %u times",
                   list->ops_count, list->ops[0].entry->name, list->ops[list->ops_count - 1].entry->name,
                   s->times);
    uint32_t k = 0;
    int found = 0;
    for (uint32_t i = 0; i < list->ops_count && !found; i++) {
        const fl_cached *e = list->ops[i].entry;
        for (uint32_t j = 0; j < e->source_count + e->result_count && k < s->place_count; j++, k++) {
            seen_place now = seen(&e->places[j]);
            if (!memcmp(&now, &s->places[k], sizeof now)) continue;
            int is_result = j >= e->source_count;
            fl_text_printf(&t, "; %s %u of %s (operator %u) was ", is_result ? "result" : "argument",
                           is_result ? j - e->source_count : j, e->name, i);
            put_place(&t, &s->places[k]);
            fl_text_printf(&t, " and is ");
            put_place(&t, &now);
            found = 1;
            break;
        }
    }
    if (!found)
        fl_text_printf(
            &t, "; shapes, dtypes and strides are the same: what differs is which results are kept, which "
                "tensors share memory, or a number that a program depends on");
    if (!t.failed) fprintf(stderr, "%s\n", t.data);
    fl_text_free(&t);
}

static void remember(sequence *s, const fl_pending *list)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->ops_count; i++)
        n += list->ops[i].entry->source_count + list->ops[i].entry->result_count;
    seen_place *places = realloc(s->places, (n + 1) * sizeof *places);
    if (!places) return;
    s->places = places;
    s->place_count = 0;
    for (uint32_t i = 0; i < list->ops_count; i++) {
        const fl_cached *e = list->ops[i].entry;
        for (uint32_t j = 0; j < e->source_count + e->result_count; j++)
            places[s->place_count++] = seen(&e->places[j]);
    }
}

void fl_explain_made(const fl_pending *list)
{
    uint64_t hash = hash_of(list);
    pthread_mutex_lock(&lock);
    sequence *s = &sequences[hash % SEQUENCES];
    if (s->hash != hash) {
        s->hash = hash;
        s->times = 0;
        s->told = 0;
    }
    if (++s->times >= OFTEN && !s->told) {
        s->told = 1;
        tell(list, s);
    }
    if (!s->told) remember(s, list);
    pthread_mutex_unlock(&lock);
}
