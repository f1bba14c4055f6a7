/* Sort keys: values mapped to unsigned integers in the wanted order, joined with their positions. Positions make all of a row's
 * items different, so every sorting method is stable. Items are a 32-bit key and position in 64 bits, or 64 and 64 in 128. */
#ifndef FL_CPU_KERNELS_SORT_KEYS_H
#define FL_CPU_KERNELS_SORT_KEYS_H

#include "base/dtype.h"
#include "cpu/isa.h"

#include <stddef.h>
#include <stdint.h>

typedef unsigned __int128 fl_item128;

static inline int fl_key_is_wide(fl_dtype dtype) /* keys of 64 bits */
{
    return fl_dtype_bytes(dtype) == 8;
}
/* Keys of n elements `stride` bytes apart; inverted when `descending`. NaNs are equal and the largest; -0 equals +0. The first is for types up to 32 bits. */
FL_ISA_DECLARE(void, fl_keys_32,
               (fl_dtype dtype, int descending, const char *x, int64_t stride, int64_t n, uint32_t *keys));
FL_ISA_DECLARE(void, fl_keys_64,
               (fl_dtype dtype, int descending, const char *x, int64_t stride, int64_t n, uint64_t *keys));

/* Sort n items by all of their bits, given that those below `low_bit` are already in order (positions as they come); the
 * buffer is as long. Return where the sorted items are: `items` or `buffer`. */
uint64_t *fl_sort_items64(uint64_t *items, uint64_t *buffer, int64_t n);
fl_item128 *fl_sort_items128(fl_item128 *items, fl_item128 *buffer, int64_t n);
/* The same of at most FL_RANKS_MOST items into `out`. */
#define FL_RANKS_MOST 192
FL_ISA_DECLARE(void, fl_sort_ranks, (const uint64_t *items, uint64_t *out, int64_t n));
/* The same in parallel; also for small n. */
uint64_t *fl_sort_long64(uint64_t *items, uint64_t *buffer, int64_t n);
fl_item128 *fl_sort_long128(fl_item128 *items, fl_item128 *buffer, int64_t n);

#endif
