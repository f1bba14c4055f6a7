#include "eager/repeat.h"

#define WINDOW 12 /* operators whose hash has to come again for a period to be tried */

static uint32_t at(const fl_repeat *r, uint64_t index)
{
    return r->history[index % (2 * FL_REPEAT_MOST)];
}

/* The window's hash is a polynomial, so that the operator that leaves it can be taken off. */
static uint32_t leaving_factor(void)
{
    uint32_t f = 1;
    for (int i = 0; i < WINDOW; i++) f *= 0x9E3779B1u;
    return f;
}

/* How many of the last operators, WINDOW at most, are those `period` before them. */
static uint32_t matching(const fl_repeat *r, uint32_t period)
{
    uint32_t n = 0;
    while (n < WINDOW && n + period < r->count && at(r, r->count - 1 - n) == at(r, r->count - 1 - n - period))
        n++;
    return n;
}

uint32_t fl_repeat_next(fl_repeat *r, uint32_t hash)
{
    uint64_t n = r->count++;
    hash |= 1;
    r->window = r->window * 0x9E3779B1u + hash;
    if (n >= WINDOW) r->window -= at(r, n - WINDOW) * leaving_factor();
    r->history[n % (2 * FL_REPEAT_MOST)] = hash;
    uint64_t *place = &r->seen[(r->window * 0x85EBCA6Bu) >> 20];
    uint64_t before = *place;
    *place = n + 1;
    if (r->period && at(r, n - r->period) == hash) {
        r->run++;
    } else {
        r->period = before && n + 1 - before <= FL_REPEAT_MOST ? (uint32_t)(n + 1 - before) : 0;
        r->run = r->period ? matching(r, r->period) : 0;
    }
    return r->period && r->run >= r->period ? r->period : 0;
}
