/* FL_DEBUG=poison: steps between the others overwrite every block of scratch memory whose life is over, so that a value that is
 * read too late, or memory that is taken too early, shows. For tests. */
#include "cpu/plan/planner.h"

#include <string.h>

typedef struct dead {
    uint32_t count;
    struct {
        size_t offset, bytes;
    } blocks[];
} dead;

static fl_status run_poison(const fl_step *step, void *const *slots)
{
    const dead *d = step->data;
    for (uint32_t i = 0; i < d->count; i++)
        memset((char *)slots[step->scratch_slot] + d->blocks[i].offset, 0xa5, d->blocks[i].bytes);
    return NULL;
}

/* A block that died in the meantime but lies where another one lives is not touched. */
static int is_dead(const fl_scratch *s, const fl_block_use *use, uint32_t from, uint32_t to)
{
    if (use->to < from || use->to > to) return 0;
    for (uint32_t i = 0; i < s->count; i++) {
        const fl_block_use *other = &s->uses[i];
        if (other->from <= to && other->to > to && other->offset < use->offset + use->bytes &&
            use->offset < other->offset + other->bytes)
            return 0;
    }
    return 1;
}

fl_status fl_poison(fl_planner *p, uint32_t from, uint32_t to)
{
    const fl_scratch *s = &p->all->scratch;
    uint32_t count = 0;
    for (uint32_t i = 0; i < s->count; i++) count += (uint32_t)is_dead(s, &s->uses[i], from, to);
    if (!count) return NULL;
    dead *d = fl_arena_alloc(&p->all->plan->arena, sizeof *d + count * sizeof *d->blocks);
    FL_CHECK(d, FL_OOM, "out of memory while planning");
    d->count = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (!is_dead(s, &s->uses[i], from, to)) continue;
        d->blocks[d->count].offset = s->uses[i].offset;
        d->blocks[d->count++].bytes = s->uses[i].bytes;
    }
    fl_step *step = fl_new_step(p, "poison");
    step->run = run_poison;
    step->data = d;
    step->scratch_slot = p->all->scratch_slot;
    return NULL;
}
