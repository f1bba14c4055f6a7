/* Counter-based random bits: Philox4x32-10 and Threefry2x32-20 (Salmon, Moraes, Dror, Shaw: "Parallel random
 * numbers: as easy as 1, 2, 3", 2011), laid out as XLA's rng_bit_generator does. */
#ifndef FL_BASE_RANDOM_H
#define FL_BASE_RANDOM_H

#include <stddef.h>
#include <stdint.h>

#define FL_PHILOX_M0 0xD2511F53u
#define FL_PHILOX_M1 0xCD9E8D57u
#define FL_PHILOX_W0 0x9E3779B9u
#define FL_PHILOX_W1 0xBB67AE85u

/* Replaces the counter x by four random words. */
static inline void fl_philox4x32(uint32_t x[4], uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)FL_PHILOX_M0 * x[0], p1 = (uint64_t)FL_PHILOX_M1 * x[2];
        x[0] = (uint32_t)(p1 >> 32) ^ x[1] ^ k0;
        x[1] = (uint32_t)p1;
        x[2] = (uint32_t)(p0 >> 32) ^ x[3] ^ k1;
        x[3] = (uint32_t)p0;
        k0 += FL_PHILOX_W0;
        k1 += FL_PHILOX_W1;
    }
}

/* Replaces the counter x by two random words. */
void fl_threefry2x32(uint32_t x[2], uint32_t k0, uint32_t k1);

/* Words [first, first + count) of the 32-bit stream of a Philox state {key, counter low, counter high}: word
 * i is word i % 4 of the block whose 128-bit counter is the state's plus i / 4. The two-word state of
 * rng_bit_generator {key, counter} stands for {key, counter, key}. */
void fl_philox_words(const uint64_t state[3], uint64_t first, uint64_t count, uint32_t *out);

/* rng_bit_generator: n elements of `bytes` (1, 2, 4 or 8) each into `bits`, the state that follows into
 * new_state (which may be state). Elements of 1 and 2 bytes are the low bits of one 32-bit word each,
 * elements of 8 bytes are two words, the low half first. Philox: state is {key, counter low, counter high},
 * or {key, counter low}, in which the key is the high half of the counter as well (found by running XLA; a
 * carry into the high half is not kept). */
void fl_random_philox(const uint64_t *state, size_t state_words, int bytes, int64_t n, void *bits,
                      uint64_t *new_state);
/* Threefry: state is {key, counter}. */
void fl_random_threefry(const uint64_t state[2], int bytes, int64_t n, void *bits, uint64_t new_state[2]);

#endif
