/* Combines partial results pairwise, in an order fixed by their number alone. */
#include "base/pool.h"
#include "cpu/loop/loop.h"

#include <string.h>

#define BLOCK 1024 /* elements of a result a piece of work covers */

typedef struct context {
    const fl_combine *c;
    char *partial, *out;
    int64_t blocks;
} context;

static void combine_block(const context *x, int64_t outer, int64_t from, int64_t n)
{
    const fl_combine *c = x->c;
    char *base = x->partial + (outer * c->pieces * c->inner + from) * c->size;
    int64_t row = c->inner * c->size;
    for (int64_t half = 1; half < c->pieces; half *= 2)
        for (int64_t i = 0; i + half < c->pieces; i += 2 * half) {
            char *a = base + i * row;
            c->combine(a, a, a + half * row, NULL, n);
        }
    char *out = x->out + (outer * c->inner + from) * c->out_size;
    if (c->finish)
        c->finish(out, base, base, base, n);
    else if (out != base)
        memcpy(out, base, (size_t)(n * c->size));
}

static void body(void *user, int64_t begin, int64_t end)
{
    const context *x = user;
    for (int64_t i = begin; i < end; i++) {
        int64_t from = i % x->blocks * BLOCK, n = x->c->inner - from < BLOCK ? x->c->inner - from : BLOCK;
        combine_block(x, i / x->blocks, from, n);
    }
}

fl_status fl_combine_run(const fl_step *step, void *const *slots)
{
    const fl_combine *c = step->data;
    context x = {c, fl_operand_pointer(&step->inputs[0], slots), fl_operand_pointer(&step->outputs[0], slots),
                 (c->inner + BLOCK - 1) / BLOCK};
    int64_t cost =
        c->pieces * (c->inner < BLOCK ? c->inner : BLOCK) / 8 + 20; /* nanoseconds a block, roughly */
    fl_parallel_for(c->outer * x.blocks, 1 + 20000 / cost, body, &x);
    return NULL;
}
