#include "cpu/plan/planner.h"

#include <string.h>

/* Best fit among the gaps between the blocks whose times overlap. */
fl_status fl_scratch_place(fl_scratch *s, size_t bytes, uint32_t from, uint32_t to, size_t *out_offset)
{
    bytes = bytes ? (bytes + 63) & ~(size_t)63 : 64;
    size_t end = 0, best = SIZE_MAX, best_gap = SIZE_MAX;
    for (uint32_t i = 0; i < s->count; i++) {
        const fl_block_use *u = &s->uses[i];
        if (u->from > to || u->to < from) continue;
        if (u->offset > end && u->offset - end >= bytes && u->offset - end < best_gap)
            best = end, best_gap = u->offset - end;
        if (u->offset + u->bytes > end) end = u->offset + u->bytes;
    }
    if (best == SIZE_MAX) best = end;
    if (s->count == s->capacity) {
        uint32_t wanted = s->capacity ? s->capacity * 2 : 64;
        fl_block_use *uses = FL_NEW_ARRAY(s->arena, fl_block_use, wanted);
        FL_CHECK(uses, FL_OOM, "out of memory while planning");
        if (s->count) memcpy(uses, s->uses, s->count * sizeof *uses);
        s->uses = uses;
        s->capacity = wanted;
    }
    uint32_t at = s->count;
    while (at > 0 && s->uses[at - 1].offset > best) at--;
    memmove(s->uses + at + 1, s->uses + at, (s->count - at) * sizeof *s->uses);
    s->uses[at] = (fl_block_use){best, bytes, from, to};
    s->count++;
    if (best + bytes > s->top) s->top = best + bytes;
    *out_offset = best;
    return NULL;
}

size_t fl_scratch_least(const fl_scratch *s, uint32_t end)
{
    int64_t *change = FL_NEW_ARRAY(s->arena, int64_t, end + 2u), live = 0, most = 0;
    if (!change) return SIZE_MAX;
    for (uint32_t i = 0; i < s->count; i++) {
        change[s->uses[i].from] += (int64_t)s->uses[i].bytes;
        change[s->uses[i].to < end ? s->uses[i].to + 1 : end + 1] -= (int64_t)s->uses[i].bytes;
    }
    for (uint32_t t = 0; t <= end; t++) {
        live += change[t];
        if (live > most) most = live;
    }
    return (size_t)most;
}
