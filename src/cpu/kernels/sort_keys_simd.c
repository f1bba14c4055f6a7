#include "cpu/kernels/sort_keys.h"

#define SIGNED_KEY(T, U)   (U)((U)v ^ (U)1 << (8 * sizeof(U) - 1))
#define UNSIGNED_KEY(T, U) v
/* negative numbers: all bits inverted, so that larger magnitudes come first; others above them */
#define FLOAT_KEY(U) (v >> (8 * sizeof(U) - 1) ? (U)~v : (U)(v | (U)1 << (8 * sizeof(U) - 1)))
#define NUMBER_KEY(U, INF)                                                                                   \
    ((U)(v << 1) > (U)((U)INF << 1) ? (U) ~(U)0                                                              \
     : (U)(v << 1) == 0             ? (U)((U)1 << (8 * sizeof(U) - 1))                                       \
                                    : FLOAT_KEY(U))

#define LOOP(T, U, K, KEY)                                                                                   \
    do {                                                                                                     \
        K flip = descending ? (K) ~(K)0 : 0;                                                                 \
        if (stride == (int64_t)sizeof(U)) {                                                                  \
            const U *restrict dense = (const U *)x;                                                          \
            for (int64_t i = 0; i < n; i++) {                                                                \
                const U v = dense[i];                                                                        \
                keys[i] = (K)(KEY) ^ flip;                                                                   \
            }                                                                                                \
            return;                                                                                          \
        }                                                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const U v = *(const U *)(x + i * stride);                                                        \
            keys[i] = (K)(KEY) ^ flip;                                                                       \
        }                                                                                                    \
        return;                                                                                              \
    } while (0)

void FL_ISA_NAME(fl_keys_32)(fl_dtype dtype, int descending, const char *x, int64_t stride, int64_t n,
                             uint32_t *restrict keys)
{
    switch (dtype) {
    case FL_I2:
    case FL_I4:
    case FL_I8: LOOP(int8_t, uint8_t, uint32_t, SIGNED_KEY(int8_t, uint8_t));
    case FL_I16: LOOP(int16_t, uint16_t, uint32_t, SIGNED_KEY(int16_t, uint16_t));
    case FL_I32: LOOP(int32_t, uint32_t, uint32_t, SIGNED_KEY(int32_t, uint32_t));
    case FL_U16: LOOP(uint16_t, uint16_t, uint32_t, UNSIGNED_KEY(uint16_t, uint16_t));
    case FL_U32: LOOP(uint32_t, uint32_t, uint32_t, UNSIGNED_KEY(uint32_t, uint32_t));
    case FL_BF16: LOOP(uint16_t, uint16_t, uint32_t, NUMBER_KEY(uint16_t, 0x7f80));
    case FL_F16: LOOP(uint16_t, uint16_t, uint32_t, NUMBER_KEY(uint16_t, 0x7c00));
    case FL_F32: LOOP(uint32_t, uint32_t, uint32_t, NUMBER_KEY(uint32_t, 0x7f800000u));
    default: LOOP(uint8_t, uint8_t, uint32_t, UNSIGNED_KEY(uint8_t, uint8_t));
    }
}

void FL_ISA_NAME(fl_keys_64)(fl_dtype dtype, int descending, const char *x, int64_t stride, int64_t n,
                             uint64_t *restrict keys)
{
    switch (dtype) {
    case FL_I64: LOOP(int64_t, uint64_t, uint64_t, SIGNED_KEY(int64_t, uint64_t));
    case FL_F64: LOOP(uint64_t, uint64_t, uint64_t, NUMBER_KEY(uint64_t, 0x7ff0000000000000u));
    default: LOOP(uint64_t, uint64_t, uint64_t, UNSIGNED_KEY(uint64_t, uint64_t));
    }
}
