/* A 64-bit hash for caches. Caches always compare the full key as well (a hash alone never decides). */
#ifndef FL_BASE_HASH_H
#define FL_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t fl_hash_mix(uint64_t h, uint64_t word)
{
    /* 64x64 -> 128 multiply, folded: full avalanche for one multiplication a word */
    unsigned __int128 m = (unsigned __int128)(h ^ word) * 0x9E3779B97F4A7C15ull;
    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

static inline uint64_t fl_hash_words(const uint64_t *words, size_t n)
{
    uint64_t h = 0x243F6A8885A308D3ull ^ n;
    for (size_t i = 0; i < n; i++) h = fl_hash_mix(h, words[i] + 0x13198A2E03707344ull * (i + 1));
    return h;
}

#endif
