/* Mutations of fuzz inputs: a fixed seed gives a fixed sequence. */
#ifndef FL_TESTS_FUZZ_MUTATE_H
#define FL_TESTS_FUZZ_MUTATE_H

#include "base/text.h"

#include <stdint.h>

typedef struct fl_mutator {
    uint64_t state;        /* of the random numbers; not 0 */
    int is_text;           /* tokens and decimal numbers too */
    const fl_text *corpus; /* to splice with, and to take tokens from */
    uint32_t corpus_count;
    size_t most_bytes; /* inputs grow no further */
} fl_mutator;

uint64_t fl_mutator_next(fl_mutator *m, uint64_t below); /* uniform enough; `below` is not 0 */
/* A corpus file with one to a few changes; *out is emptied first. */
void fl_mutate(fl_mutator *m, fl_text *out);

#endif
