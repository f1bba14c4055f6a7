/* Random bits in bulk. */
#ifndef FL_CPU_KERNELS_RANDOM_H
#define FL_CPU_KERNELS_RANDOM_H

#include "cpu/isa.h"

#include <stdint.h>

/* Blocks [first, first + count) of 4 words of the stream of a Philox state {key, counter low, counter high}; the words are
 * those of fl_philox_words in base/random.h. */
FL_ISA_DECLARE(void, fl_philox_blocks,
               (const uint64_t state[3], uint64_t first, uint64_t count, uint32_t *out));

#endif
