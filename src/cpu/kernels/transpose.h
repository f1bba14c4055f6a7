/* A square of words or numbers in registers changes rows for columns: at step s, lane bit s and row bit s change places. */
#ifndef FL_CPU_KERNELS_TRANSPOSE_H
#define FL_CPU_KERNELS_TRANSPOSE_H

/* Defines static void transpose(vector *rows) for `lanes` vectors of as many lanes; `places`: a vector of integers of their size. */
#define FL_DEFINE_TRANSPOSE(vector, places, lanes)                                                           \
    static inline __attribute__((always_inline)) void transpose(vector *r)                                   \
    {                                                                                                        \
        _Pragma("GCC unroll 8") for (int s = 1; s < lanes; s *= 2)                                           \
        {                                                                                                    \
            places low = {0}, high = {0};                                                                    \
            _Pragma("GCC unroll 16") for (int j = 0; j < lanes; j++)                                         \
            {                                                                                                \
                low[j] = j & s ? lanes + (j ^ s) : j;                                                        \
                high[j] = j & s ? lanes + j : j ^ s;                                                         \
            }                                                                                                \
            _Pragma("GCC unroll 16") for (int i = 0; i < lanes; i++)                                         \
            {                                                                                                \
                if (i & s) continue;                                                                         \
                const vector x = r[i], y = r[i | s];                                                         \
                r[i] = __builtin_shuffle(x, y, low);                                                         \
                r[i | s] = __builtin_shuffle(x, y, high);                                                    \
            }                                                                                                \
        }                                                                                                    \
    }

#endif
