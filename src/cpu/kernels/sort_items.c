/* Sorting of items (see sort_keys.h), once for each width: insertion for a few, ranks (sort_ranks_simd.c) for some, byte-wise radix sort that leaves out bytes that
 * are all equal, and for long rows one radix sort a thread, merged in parallel. */
#include "base/pool.h"
#include "cpu/kernels/sort_keys.h"

#include <string.h>

#define INSERTION      12    /* up to here insertion is faster than comparing all pairs */
#define INSERTION_WIDE 48    /* of 128 bits: than counting */
#define MERGE_LIMIT    192   /* up to here merging sorted runs of INSERTION is */
#define LONG_ROW       65536 /* items in a row worth several threads */
#define CHUNKS_MOST    64

/* Up to how many items all pairs are compared: by the width of vectors. */
static int64_t ranks_limit(void)
{
    const fl_isa level = fl_isa_level();
    return level == FL_LEVEL_AVX512 ? FL_RANKS_MOST : level == FL_LEVEL_AVX2 ? 160 : 96;
}

#define SORT(W, T, KEY_BYTES)                                                                                \
    static void insertion##W(T *a, int64_t n)                                                                \
    {                                                                                                        \
        for (int64_t i = 1; i < n; i++) {                                                                    \
            T x = a[i];                                                                                      \
            int64_t j = i;                                                                                   \
            for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];                                              \
            a[j] = x;                                                                                        \
        }                                                                                                    \
    }                                                                                                        \
    static void merge##W(const T *a, int64_t n, const T *b, int64_t m, T *out)                               \
    {                                                                                                        \
        const T *a_end = a + n, *b_end = b + m;                                                              \
        while (a < a_end && b < b_end) {                                                                     \
            T x = *a, y = *b;                                                                                \
            int first = x < y; /* no branch: it could not be predicted */                                    \
            *out++ = first ? x : y;                                                                          \
            a += first, b += !first;                                                                         \
        }                                                                                                    \
        memcpy(out, a, (size_t)(a_end - a) * sizeof(T));                                                     \
        memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof(T));                                       \
    }                                                                                                        \
    static T *merge_sort##W(T *a, T *b, int64_t n)                                                           \
    {                                                                                                        \
        for (int64_t i = 0; i < n; i += 16) insertion##W(a + i, n - i < 16 ? n - i : 16);                    \
        for (int64_t run = 16; run < n; run *= 2) {                                                          \
            for (int64_t i = 0; i < n; i += 2 * run) {                                                       \
                int64_t left = n - i < run ? n - i : run, right = n - i - left < run ? n - i - left : run;   \
                merge##W(a + i, left, a + i + left, right, b + i);                                           \
            }                                                                                                \
            T *t = a;                                                                                        \
            a = b, b = t;                                                                                    \
        }                                                                                                    \
        return a;                                                                                            \
    }                                                                                                        \
    static T *radix_sort##W(T *a, T *b, int64_t n)                                                           \
    {                                                                                                        \
        uint32_t counts[KEY_BYTES][256];                                                                     \
        memset(counts, 0, sizeof counts);                                                                    \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            T x = a[i] >> (W / 2);                                                                           \
            for (int k = 0; k < KEY_BYTES; k++) counts[k][(uint8_t)(x >> (8 * k))]++;                        \
        }                                                                                                    \
        for (int k = 0; k < KEY_BYTES; k++) {                                                                \
            int shift = W / 2 + 8 * k;                                                                       \
            uint32_t *count = counts[k], at = 0;                                                             \
            if (count[(uint8_t)(a[0] >> shift)] == (uint32_t)n) continue;                                    \
            for (int v = 0; v < 256; v++) {                                                                  \
                uint32_t c = count[v];                                                                       \
                count[v] = at, at += c;                                                                      \
            }                                                                                                \
            for (int64_t i = 0; i < n; i++) b[count[(uint8_t)(a[i] >> shift)]++] = a[i];                     \
            T *t = a;                                                                                        \
            a = b, b = t;                                                                                    \
        }                                                                                                    \
        return a;                                                                                            \
    }                                                                                                        \
    T *fl_sort_items##W(T *items, T *buffer, int64_t n)                                                      \
    {                                                                                                        \
        if (n <= (W == 64 ? INSERTION : INSERTION_WIDE)) {                                                   \
            insertion##W(items, n);                                                                          \
            return items;                                                                                    \
        }                                                                                                    \
        if (W == 64 && n <= ranks_limit()) {                                                                 \
            FL_ISA_PICK(fl_sort_ranks)((const uint64_t *)items, (uint64_t *)buffer, n);                      \
            return buffer;                                                                                   \
        }                                                                                                    \
        if (n <= MERGE_LIMIT || n > UINT32_MAX) return merge_sort##W(items, buffer, n);                      \
        return radix_sort##W(items, buffer, n);                                                              \
    }                                                                                                        \
    /* how many of the first `k` items of merge(a, b) come from a */                                         \
    static int64_t merge_rank##W(const T *a, int64_t n, const T *b, int64_t m, int64_t k)                    \
    {                                                                                                        \
        int64_t low = k > m ? k - m : 0, high = k < n ? k : n;                                               \
        while (low < high) {                                                                                 \
            int64_t i = low + (high - low) / 2;                                                              \
            if (a[i] < b[k - i - 1])                                                                         \
                low = i + 1;                                                                                 \
            else                                                                                             \
                high = i;                                                                                    \
        }                                                                                                    \
        return low;                                                                                          \
    }                                                                                                        \
    typedef struct long_job##W {                                                                             \
        T *items, *buffer;                                                                                   \
        int64_t n, chunks, run; /* run: chunks in a sorted run */                                            \
    } long_job##W;                                                                                           \
    static void sort_chunks##W(void *ctx, int64_t begin, int64_t end)                                        \
    {                                                                                                        \
        const long_job##W *job = ctx;                                                                        \
        for (int64_t c = begin; c < end; c++) {                                                              \
            int64_t from = job->n * c / job->chunks, n = job->n * (c + 1) / job->chunks - from;              \
            T *sorted = fl_sort_items##W(job->items + from, job->buffer + from, n);                          \
            if (sorted != job->items + from) memcpy(job->items + from, sorted, (size_t)n * sizeof(T));       \
        }                                                                                                    \
    }                                                                                                        \
    /* Chunk c of the result of merging neighbouring runs. */                                                \
    static void merge_chunks##W(void *ctx, int64_t begin, int64_t end)                                       \
    {                                                                                                        \
        const long_job##W *job = ctx;                                                                        \
        for (int64_t c = begin; c < end; c++) {                                                              \
            int64_t pair = c / (2 * job->run) * 2 * job->run;                                                \
            int64_t left = job->n * pair / job->chunks, middle = job->n * (pair + job->run) / job->chunks;   \
            int64_t right = job->n * (pair + 2 * job->run) / job->chunks;                                    \
            int64_t k0 = job->n * c / job->chunks - left, k1 = job->n * (c + 1) / job->chunks - left;        \
            const T *a = job->items + left, *b = job->items + middle;                                        \
            int64_t i0 = merge_rank##W(a, middle - left, b, right - middle, k0);                             \
            int64_t i1 = merge_rank##W(a, middle - left, b, right - middle, k1);                             \
            merge##W(a + i0, i1 - i0, b + k0 - i0, k1 - i1 - (k0 - i0), job->buffer + left + k0);            \
        }                                                                                                    \
    }                                                                                                        \
    T *fl_sort_long##W(T *items, T *buffer, int64_t n)                                                       \
    {                                                                                                        \
        long_job##W job = {items, buffer, n, 1, 1};                                                          \
        while (job.chunks < fl_pool_threads() && job.chunks < CHUNKS_MOST && n / job.chunks > LONG_ROW / 2)  \
            job.chunks *= 2;                                                                                 \
        if (job.chunks == 1) return fl_sort_items##W(items, buffer, n);                                      \
        fl_parallel_for(job.chunks, 1, sort_chunks##W, &job);                                                \
        for (; job.run < job.chunks; job.run *= 2) {                                                         \
            fl_parallel_for(job.chunks, 1, merge_chunks##W, &job);                                           \
            T *t = job.items;                                                                                \
            job.items = job.buffer, job.buffer = t;                                                          \
        }                                                                                                    \
        return job.items;                                                                                    \
    }
SORT(64, uint64_t, 4)
SORT(128, fl_item128, 8)
#undef SORT
