#include "cpu/plan/profile.h"

#if defined(FL_ISA_avx512)
#define WIDTH 64
#elif defined(FL_ISA_avx2)
#define WIDTH 32
#else
#define WIDTH 16
#endif

typedef float lanes __attribute__((vector_size(WIDTH)));
#define CHAINS 10 /* independent sums: the units' latency is covered, and 16 registers are enough */

const int FL_ISA_NAME(fl_peak_flops) = CHAINS * 2 * WIDTH / 4;

void FL_ISA_NAME(fl_peak_triad)(float *a, const float *b, const float *c, int64_t n)
{
    for (int64_t i = 0; i < n; i++) a[i] = b[i] + 3.0f * c[i];
}

__attribute__((optimize("fp-contract=fast"))) float FL_ISA_NAME(fl_peak_fma)(int64_t rounds)
{
    lanes sums[CHAINS], x = {0}, y = {0}, all = {0};
    x += 0.5f, y += 1.0f;
    for (int i = 0; i < CHAINS; i++) sums[i] = x * (float)i;
    for (int64_t r = 0; r < rounds; r++)
#pragma GCC unroll 10
        for (int i = 0; i < CHAINS; i++) sums[i] = sums[i] * x + y;
    for (int i = 0; i < CHAINS; i++) all += sums[i];
    return all[0];
}
