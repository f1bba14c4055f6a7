#include "cpu/isa.h"
#include "cpu/kernels/check.h"

/* One unsigned comparison says both bounds: x - low < high - low. */
#define SCAN(T, U, NAME)                                                                                     \
    static int scan_##NAME(const void *data, int64_t n, int64_t low, int64_t high)                           \
    {                                                                                                        \
        const T *x = data;                                                                                   \
        U span = (U)high - (U)low, bad = 0;                                                                  \
        for (int64_t i = 0; i < n; i++) bad |= (U)((U)x[i] - (U)low >= span);                                \
        return bad != 0;                                                                                     \
    }
SCAN(int32_t, uint32_t, i32)
SCAN(int64_t, uint64_t, i64)
#undef SCAN

int FL_ISA_NAME(fl_out_of_range)(fl_dtype dtype, const void *x, int64_t n, int64_t low, int64_t high)
{
    return dtype == FL_I32 ? scan_i32(x, n, low, high) : scan_i64(x, n, low, high);
}
