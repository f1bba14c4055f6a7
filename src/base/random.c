#include "base/random.h"

#include <string.h>

static inline uint32_t rotate(uint32_t x, int by)
{
    return x << by | x >> (32 - by);
}

void fl_threefry2x32(uint32_t x[2], uint32_t k0, uint32_t k1)
{
    static const uint8_t rotations[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
    const uint32_t key[3] = {k0, k1, k0 ^ k1 ^ 0x1BD11BDAu};
    x[0] += key[0];
    x[1] += key[1];
    for (uint32_t group = 0; group < 5; group++) {
        for (int i = 0; i < 4; i++) {
            x[0] += x[1];
            x[1] = rotate(x[1], rotations[group & 1][i]) ^ x[0];
        }
        x[0] += key[(group + 1) % 3];
        x[1] += key[(group + 2) % 3] + group + 1;
    }
}

static void philox_block(const uint64_t state[3], uint64_t block, uint32_t out[4])
{
    uint64_t low = state[1] + block, high = state[2] + (low < block);
    out[0] = (uint32_t)low;
    out[1] = (uint32_t)(low >> 32);
    out[2] = (uint32_t)high;
    out[3] = (uint32_t)(high >> 32);
    fl_philox4x32(out, (uint32_t)state[0], (uint32_t)(state[0] >> 32));
}

void fl_philox_words(const uint64_t state[3], uint64_t first, uint64_t count, uint32_t *out)
{
    uint32_t block[4];
    for (uint64_t i = first; i < first + count; i++) {
        if (i == first || (i & 3) == 0) philox_block(state, i / 4, block);
        *out++ = block[i & 3];
    }
}

static void threefry_words(const uint64_t state[2], uint64_t first, uint64_t count, uint32_t *out)
{
    for (uint64_t i = first; count; i++, count--) {
        uint64_t counter = state[1] + i / 2;
        uint32_t block[2] = {(uint32_t)counter, (uint32_t)(counter >> 32)};
        fl_threefry2x32(block, (uint32_t)state[0], (uint32_t)(state[0] >> 32));
        *out++ = block[i & 1];
    }
}

/* Fills `bits` from a stream of words, a small buffer at a time; returns the number of words used. */
static uint64_t fill(void (*words)(const uint64_t *, uint64_t, uint64_t, uint32_t *), const uint64_t *state,
                     int bytes, int64_t n, void *bits)
{
    uint32_t buffer[256];
    uint64_t per_element = bytes == 8 ? 2 : 1, total = (uint64_t)n * per_element;
    char *out = bits;
    for (uint64_t first = 0; first < total;) {
        uint64_t count = total - first < 256 ? total - first : 256;
        words(state, first, count, buffer);
        size_t step = bytes == 8 ? 4 : (size_t)bytes; /* bytes kept of a word: the low ones */
        for (uint64_t i = 0; i < count; i++, out += step) {
            uint8_t narrow8 = (uint8_t)buffer[i];
            uint16_t narrow16 = (uint16_t)buffer[i];
            memcpy(out, step == 1 ? (void *)&narrow8 : step == 2 ? (void *)&narrow16 : &buffer[i], step);
        }
        first += count;
    }
    return total;
}

void fl_random_philox(const uint64_t *state, size_t state_words, int bytes, int64_t n, void *bits,
                      uint64_t *new_state)
{
    const uint64_t full[3] = {state[0], state[1], state[state_words > 2 ? 2 : 0]};
    uint64_t blocks = (fill(fl_philox_words, full, bytes, n, bits) + 3) / 4;
    new_state[0] = full[0];
    new_state[1] = full[1] + blocks;
    if (state_words > 2) new_state[2] = full[2] + (new_state[1] < blocks);
}

void fl_random_threefry(const uint64_t state[2], int bytes, int64_t n, void *bits, uint64_t new_state[2])
{
    const uint64_t full[2] = {state[0], state[1]};
    uint64_t blocks = (fill(threefry_words, full, bytes, n, bits) + 1) / 2;
    new_state[0] = full[0];
    new_state[1] = full[1] + blocks;
}
