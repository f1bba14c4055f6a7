#include "base/random.h"
#include "cpu/isa.h"
#include "cpu/kernels/random.h"

/* Counters go through the rounds LANES at a time, one array for each of the four words, so that the compiler makes vectors
 * of them. */
#define LANES 16

static void rounds(uint32_t x0[LANES], uint32_t x1[LANES], uint32_t x2[LANES], uint32_t x3[LANES],
                   uint32_t k0, uint32_t k1)
{
    for (int round = 0; round < 10; round++) {
        for (int i = 0; i < LANES; i++) {
            uint64_t p0 = (uint64_t)FL_PHILOX_M0 * x0[i], p1 = (uint64_t)FL_PHILOX_M1 * x2[i];
            uint32_t y0 = (uint32_t)(p1 >> 32) ^ x1[i] ^ k0, y2 = (uint32_t)(p0 >> 32) ^ x3[i] ^ k1;
            x0[i] = y0, x1[i] = (uint32_t)p1, x2[i] = y2, x3[i] = (uint32_t)p0;
        }
        k0 += FL_PHILOX_W0;
        k1 += FL_PHILOX_W1;
    }
}

void FL_ISA_NAME(fl_philox_blocks)(const uint64_t state[3], uint64_t first, uint64_t count, uint32_t *out)
{
    uint32_t x0[LANES], x1[LANES], x2[LANES], x3[LANES];
    for (uint64_t done = 0; done < count; done += LANES) {
        for (int i = 0; i < LANES; i++) {
            uint64_t block = first + done + (uint64_t)i, low = state[1] + block,
                     high = state[2] + (low < block);
            x0[i] = (uint32_t)low, x1[i] = (uint32_t)(low >> 32), x2[i] = (uint32_t)high,
            x3[i] = (uint32_t)(high >> 32);
        }
        rounds(x0, x1, x2, x3, (uint32_t)state[0], (uint32_t)(state[0] >> 32));
        int n = count - done < LANES ? (int)(count - done) : LANES;
        if (n == LANES) {
            for (int i = 0; i < LANES; i++) {
                out[4 * i] = x0[i], out[4 * i + 1] = x1[i], out[4 * i + 2] = x2[i], out[4 * i + 3] = x3[i];
            }
        } else {
            for (int i = 0; i < n; i++) {
                out[4 * i] = x0[i], out[4 * i + 1] = x1[i], out[4 * i + 2] = x2[i], out[4 * i + 3] = x3[i];
            }
        }
        out += 4 * LANES;
    }
}
