#include "cpu/isa.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static fl_isa detect(void)
{
    fl_isa best = FL_LEVEL_BASE;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
        best = FL_LEVEL_AVX2;
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
            best = FL_LEVEL_AVX512;
    }
#endif
    const char *limit = getenv("FL_ISA_LEVEL");
    if (limit && !strcmp(limit, "base")) return FL_LEVEL_BASE;
    if (limit && !strcmp(limit, "avx2") && best > FL_LEVEL_AVX2) return FL_LEVEL_AVX2;
    return best;
}

fl_isa fl_isa_level(void)
{
    static _Atomic int known; /* level + 1; threads that race find the same answer */
    int level = atomic_load_explicit(&known, memory_order_relaxed);
    if (!level) {
        level = (int)detect() + 1;
        atomic_store_explicit(&known, level, memory_order_relaxed);
    }
    return (fl_isa)(level - 1);
}
