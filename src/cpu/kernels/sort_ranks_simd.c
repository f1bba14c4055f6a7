/* Sorting of short rows: how many items are smaller tells where each one goes. All pairs are compared, sixteen or more at a time, which beats
 * everything with branches up to a few hundred. */
#include "cpu/kernels/sort_keys.h"

#if defined(FL_ISA_avx512)
#define VECTOR 64
#elif defined(FL_ISA_avx2)
#define VECTOR 32
#else
#define VECTOR 16
#endif

typedef int32_t lanes __attribute__((vector_size(VECTOR), aligned(4), may_alias));
enum { WIDTH = VECTOR / 4, BLOCK = 2 * WIDTH };

void FL_ISA_NAME(fl_sort_ranks)(const uint64_t *items, uint64_t *out, int64_t n)
{
    int32_t keys[FL_RANKS_MOST + BLOCK] = {0}, ranks[FL_RANKS_MOST + BLOCK];
    lanes number;
    for (int k = 0; k < WIDTH; k++) number[k] = k;
    for (int64_t i = 0; i < n; i++) keys[i] = (int32_t)((uint32_t)(items[i] >> 32) ^ 0x80000000u);
    for (int64_t j = 0; j < n; j += BLOCK) {
        const lanes x = *(const lanes *)(keys + j), y = *(const lanes *)(keys + j + WIDTH);
        lanes r = {0}, s = {0};
        int64_t i = 0;
        for (; i < j; i++) r -= x >= keys[i], s -= y >= keys[i]; /* equal ones that came before are smaller */
        for (int k = 0; k < BLOCK && i < n; k++, i++) {
            const lanes later = number > k, later2 = number + WIDTH > k;
            r -= (x > keys[i]) | ((x == keys[i]) & later);
            s -= (y > keys[i]) | ((y == keys[i]) & later2);
        }
        for (; i < n; i++) r -= x > keys[i], s -= y > keys[i];
        *(lanes *)(ranks + j) = r, *(lanes *)(ranks + j + WIDTH) = s;
    }
    for (int64_t i = 0; i < n; i++) out[ranks[i]] = items[i];
}
