/* Random bits against the published vectors of Random123 (kat_vectors) and against XLA's rng_bit_generator,
 * run on its CPU backend through jax.lax.rng_bit_generator. */
#include "base/random.h"

#include <stdio.h>
#include <string.h>

static int failures;
#define EXPECT(condition)                                                                                    \
    do {                                                                                                     \
        if (!(condition)) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), failures++;        \
    } while (0)

static void published_vectors(void)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } philox[] = {
        {{0}, {0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (size_t i = 0; i < sizeof philox / sizeof *philox; i++) {
        uint32_t x[4];
        memcpy(x, philox[i].counter, sizeof x);
        fl_philox4x32(x, philox[i].key[0], philox[i].key[1]);
        EXPECT(!memcmp(x, philox[i].out, sizeof x));
    }
    static const struct {
        uint32_t counter[2], key[2], out[2];
    } threefry[] = {
        {{0}, {0}, {0x6b200159, 0x99ba4efe}},
        {{0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}, {0x1cb996fc, 0xbb002be7}},
        {{0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}, {0xc4923a9c, 0x483df7a0}},
    };
    for (size_t i = 0; i < sizeof threefry / sizeof *threefry; i++) {
        uint32_t x[2] = {threefry[i].counter[0], threefry[i].counter[1]};
        fl_threefry2x32(x, threefry[i].key[0], threefry[i].key[1]);
        EXPECT(!memcmp(x, threefry[i].out, sizeof x));
    }
}

static void as_xla(void)
{
    const uint64_t state[2] = {0x0123456789abcdef, 0xfedcba9876543210}, edge[2] = {1, 0xffffffffffffffff};
    uint64_t next[2];
    const uint32_t philox32[5] = {0x1ec53d42, 0xcfa390b5, 0xf2235702, 0xe71ff917, 0xcb472319};
    const uint64_t philox64[3] = {0xcfa390b51ec53d42, 0xe71ff917f2235702, 0xd682777acb472319};
    const uint8_t philox8[6] = {0x42, 0xb5, 0x02, 0x17, 0x19, 0x7a};
    const uint32_t philox_edge[9] = {0x586e44b1, 0x26dab12a, 0xd8b888d9, 0xd93830cc, 0xe73404cf,
                                     0x8cedc5d3, 0x3f071736, 0x0a0afddd, 0xb7b4c173};
    const uint32_t threefry32[5] = {0xaed4a37f, 0x1130d111, 0xc3cc4d02, 0x798e402e, 0xaee5264e};
    const uint64_t threefry64[3] = {0x1130d111aed4a37f, 0x798e402ec3cc4d02, 0xb089da7aaee5264e};
    const uint16_t threefry16[4] = {0xa37f, 0xd111, 0x4d02, 0x402e};
    char bits[64];
    fl_random_philox(state, 2, 4, 5, bits, next);
    EXPECT(!memcmp(bits, philox32, sizeof philox32) && next[0] == state[0] && next[1] == 0xfedcba9876543212);
    fl_random_philox(state, 2, 8, 3, bits, next);
    EXPECT(!memcmp(bits, philox64, sizeof philox64) && next[1] == 0xfedcba9876543212);
    fl_random_philox(state, 2, 1, 6, bits, next);
    EXPECT(!memcmp(bits, philox8, sizeof philox8) && next[1] == 0xfedcba9876543212);
    fl_random_philox(edge, 2, 4, 9, bits, next);
    EXPECT(!memcmp(bits, philox_edge, sizeof philox_edge) && next[0] == 1 && next[1] == 2);
    fl_random_threefry(state, 4, 5, bits, next);
    EXPECT(!memcmp(bits, threefry32, sizeof threefry32) && next[1] == 0xfedcba9876543213);
    fl_random_threefry(state, 8, 3, bits, next);
    EXPECT(!memcmp(bits, threefry64, sizeof threefry64) && next[1] == 0xfedcba9876543213);
    fl_random_threefry(state, 2, 4, bits, next);
    EXPECT(!memcmp(bits, threefry16, sizeof threefry16) && next[1] == 0xfedcba9876543212);
}

/* Any part of the stream is the same as that part of the whole. */
static void parts(void)
{
    const uint64_t state[3] = {77, 0xfffffffffffffff0, 3};
    uint32_t whole[1000], part[1000];
    fl_philox_words(state, 0, 1000, whole);
    for (uint64_t first = 0; first < 40; first += 3) {
        fl_philox_words(state, first, 777, part);
        EXPECT(!memcmp(part, whole + first, 777 * sizeof *part));
    }
    uint64_t next[3];
    fl_random_philox(state, 3, 4, 1000, part, next);
    EXPECT(!memcmp(part, whole, sizeof whole) && next[1] == 234 && next[2] == 4);
}

int main(void)
{
    published_vectors();
    as_xla();
    parts();
    return failures ? 1 : 0;
}
