/* A 64-bit checksum for what is kept on disk. Every step is a bijection of the sum for a given word and of the word for a given
 * sum, so bytes that differ within one aligned word of 64 bits never have the same sum; anything else has with chance 2^-64. */
#ifndef FL_BASE_CHECKSUM_H
#define FL_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t fl_checksum_step(uint64_t sum, uint64_t word)
{
    sum = (sum ^ word) * 0x9E3779B97F4A7C15ull;
    return sum ^ sum >> 29;
}

/* Continues from `sum`. Four chains at once, for the processor's sake. */
static inline uint64_t fl_checksum(uint64_t sum, const void *bytes, size_t size)
{
    uint64_t lanes[4] = {1, 2, 3, 4}, words[4];
    const char *p = bytes;
    size_t left = size;
    for (; left >= sizeof words; left -= sizeof words, p += sizeof words) {
        memcpy(words, p, sizeof words);
        for (int i = 0; i < 4; i++) lanes[i] = fl_checksum_step(lanes[i], words[i]);
    }
    memset(words, 0, sizeof words);
    if (left) memcpy(words, p, left);
    for (int i = 0; i < 4; i++) lanes[i] = fl_checksum_step(lanes[i], words[i]);
    sum = fl_checksum_step(sum, size);
    for (int i = 0; i < 4; i++) sum = fl_checksum_step(sum, lanes[i]);
    return sum;
}

#endif
