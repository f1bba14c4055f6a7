/* Maximum and minimum of floats as IEEE 754-2019 orders them: equal numbers may be zeros of both signs, of which maximum takes +0 and
 * minimum -0. NaN wins. Without branches, so that loops of them become vectors. */
#ifndef FL_CPU_KERNELS_EXTREMES_H
#define FL_CPU_KERNELS_EXTREMES_H

#include <stdint.h>

#define FL_EXTREMES(T, U, NAME)                                                                              \
    static inline T fl_maximum_##NAME(T a, T b)                                                              \
    {                                                                                                        \
        union {                                                                                              \
            T f;                                                                                             \
            U u;                                                                                             \
        } x = {a}, y = {b};                                                                                  \
        x.u &= y.u;                                                                                          \
        return a == b ? x.f : (a > b) | (a != a) ? a : b;                                                    \
    }                                                                                                        \
    static inline T fl_minimum_##NAME(T a, T b)                                                              \
    {                                                                                                        \
        union {                                                                                              \
            T f;                                                                                             \
            U u;                                                                                             \
        } x = {a}, y = {b};                                                                                  \
        x.u |= y.u;                                                                                          \
        return a == b ? x.f : (a < b) | (a != a) ? a : b;                                                    \
    }
FL_EXTREMES(float, uint32_t, f32)
FL_EXTREMES(double, uint64_t, f64)
#undef FL_EXTREMES

#endif
