/* bf16 and f16 <-> f32: round to nearest even, NaN stays NaN, subnormals exact. */
#ifndef FL_BASE_HALF_H
#define FL_BASE_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t fl_f32_bits(float f)
{
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

static inline float fl_f32_from_bits(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline float fl_f32_from_bf16(uint16_t h)
{
    return fl_f32_from_bits((uint32_t)h << 16);
}

static inline uint16_t fl_bf16_from_f32(float f)
{
    uint32_t x = fl_f32_bits(f);
    if ((x & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(x >> 16 | 0x40); /* quiet, or the payload could vanish */
    return (uint16_t)((x + 0x7fffu + (x >> 16 & 1)) >> 16);
}

static inline float fl_f32_from_f16(uint16_t h)
{
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, m = h & 0x7fffu;
    if (m >= 0x7c00u) return fl_f32_from_bits(sign | 0x7f800000u | m << 13);
    if (m >= 0x0400u) return fl_f32_from_bits(sign | ((m << 13) + 0x38000000u));
    return fl_f32_from_bits(sign | fl_f32_bits((float)m * 0x1p-24f));
}

static inline uint16_t fl_f16_from_f32(float f)
{
    uint32_t x = fl_f32_bits(f), sign = x >> 16 & 0x8000u;
    x &= 0x7fffffffu;
    if (x > 0x7f800000u) return (uint16_t)(sign | 0x7e00u | (x >> 13 & 0x3ffu));
    if (x >= 0x47800000u) return (uint16_t)(sign | 0x7c00u); /* 65536 and above */
    if (x <
        0x38800000u) /* below 2^-14: adding 0.5 rounds to multiples of 2^-24, the unit of f16's subnormals */
        return (uint16_t)(sign | (fl_f32_bits(fl_f32_from_bits(x) + 0.5f) - 0x3f000000u));
    /* rebias the exponent and round; a carry into the exponent is right, up to infinity */
    return (uint16_t)(sign | (x + 0xc8000fffu + (x >> 13 & 1)) >> 13);
}

#endif
