#include "eager/defer.h"
#include "pjrt/client_wrap.h"

#include <stdlib.h>
#include <string.h>

#define WAYS 4 /* places that a sequence may have */

fl_variants *fl_variants_of(fl_variants *all, uint64_t sequence)
{
    fl_variants *set = &all[sequence % (FL_SEQUENCES / WAYS) * WAYS], *found = NULL;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].hash == sequence) return &set[i];
        if (!found || set[i].made < found->made) found = &set[i];
    }
    return found;
}

static int is_shared(const fl_pending *list, const fl_deferred_view *view)
{
    const fl_deferred_storage *s = &list->storages[view->storage];
    return s->is_written && s->view_count > 1;
}

static void mark(fl_pending *list, uint32_t v)
{
    list->views[v].moves = 1;
    list->storages[list->views[v].storage].moves = 1;
}

/* The sequence does not say which views share a storage: where one is alone, its place is no argument. */
void fl_moving_mark(fl_pending *list, const fl_variants *variants)
{
    if (!variants->moves || variants->view_count != list->views_count) return;
    for (uint32_t v = 0; v < list->views_count; v++)
        if (variants->moves[v] && is_shared(list, &list->views[v])) mark(list, v);
}

int fl_moving_fits(const fl_pending *list)
{
    for (uint32_t v = 0; v < list->views_count; v++) {
        const fl_deferred_view *view = &list->views[v];
        const fl_place *place = view->place;
        int64_t width = place->width, bytes = (int64_t)list->storages[view->storage].bytes;
        const fl_view box = {
            .type = place->type, .strides = place->layout.strides, .start = view->offset / width};
        if (!list->storages[view->storage].moves) continue;
        if (bytes % width || view->offset % width) return 0;
        if (view->moves && !fl_view_is_box(&box, bytes / width)) return 0;
    }
    return 1;
}

int fl_moving_learn(fl_pending *list, fl_variants *variants)
{
    int more = 0;
    if (!variants->offsets || variants->view_count != list->views_count) return 0;
    for (uint32_t v = 0; v < list->views_count; v++) {
        const fl_deferred_view *view = &list->views[v];
        if (view->moves || !is_shared(list, view) || view->offset == variants->offsets[v]) continue;
        variants->moves[v] = 1;
        mark(list, v);
        more = 1;
    }
    return more;
}

void fl_variants_made(fl_variants *variants, uint64_t sequence, const fl_pending *list)
{
    uint32_t n = list->views_count;
    int shared = 0;
    if (variants->hash != sequence) {
        free(variants->offsets);
        *variants = (fl_variants){.hash = sequence};
    }
    variants->made++;
    for (uint32_t v = 0; v < n && !shared; v++) shared = is_shared(list, &list->views[v]);
    if (!variants->offsets && shared) {
        variants->offsets = calloc(n, sizeof *variants->offsets + 1);
        variants->moves = variants->offsets ? (uint8_t *)(variants->offsets + n) : NULL;
        variants->view_count = n;
    }
    if (!variants->offsets || variants->view_count != n) return;
    for (uint32_t v = 0; v < n; v++) variants->offsets[v] = list->views[v].offset;
}
