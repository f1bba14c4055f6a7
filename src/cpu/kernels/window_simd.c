#include "cpu/kernels/window.h"

#include "base/half.h"
#if defined(FL_ISA_avx512)
#include <immintrin.h>
#endif

#define SAME(x) (x)
#define POOL_VALUES(X, I)                                                                                    \
    X(f32, float, float, SAME, I)                                                                            \
    X(f64, double, double, SAME, I)                                                                          \
    X(bf16, uint16_t, float, fl_f32_from_bf16, I)                                                            \
    X(f16, uint16_t, float, fl_f32_from_f16, I)                                                              \
    X(i8, int8_t, int8_t, SAME, I)                                                                           \
    X(u8, uint8_t, uint8_t, SAME, I)                                                                         \
    X(i16, int16_t, int16_t, SAME, I) X(i32, int32_t, int32_t, SAME, I) X(i64, int64_t, int64_t, SAME, I)

static const fl_dtype pool_values[9] = {FL_F32, FL_F64, FL_BF16, FL_F16, FL_I8,
                                        FL_U8,  FL_I16, FL_I32,  FL_I64};

/* Whether (a, ia) stays when (b, ib) comes. */
#define KEEPS(a, b, ia, ib)                                                                                  \
    (((a) > (b)) | (((a) != (a)) & ((b) == (b))) |                                                           \
     ((((a) == (b)) | (((a) != (a)) & ((b) != (b)))) & ((ia) <= (ib))))

#define POOL_ROW(NAME, T, WIDE, WIDEN, I)                                                                    \
    static void pool_##NAME##_##I(void *to_value, void *to_index, const char *value, int64_t vs,             \
                                  const char *index, int64_t is, int64_t n)                                  \
    {                                                                                                        \
        T *restrict v = to_value;                                                                            \
        I *restrict at = to_index;                                                                           \
        for (int64_t i = 0; i < n; i++, value += vs, index += is) {                                          \
            const T stored = *(const T *)value;                                                              \
            const WIDE a = WIDEN(v[i]), b = WIDEN(stored);                                                   \
            const I ia = at[i], ib = *(const I *)index;                                                      \
            const int keep = KEEPS(a, b, ia, ib);                                                            \
            v[i] = keep ? v[i] : stored;                                                                     \
            at[i] = keep ? ia : ib;                                                                          \
        }                                                                                                    \
    }
POOL_VALUES(POOL_ROW, int32_t)
POOL_VALUES(POOL_ROW, int64_t)

fl_pool_row_fn FL_ISA_NAME(fl_pool_row_find)(fl_dtype value, fl_dtype index)
{
#define ROW(NAME, T, WIDE, WIDEN, I) pool_##NAME##_##I,
    static const fl_pool_row_fn rows[2][9] = {{POOL_VALUES(ROW, int32_t)}, {POOL_VALUES(ROW, int64_t)}};
    if (index != FL_I32 && index != FL_I64) return 0;
    for (int i = 0; i < 9; i++)
        if (pool_values[i] == value) return rows[index == FL_I64][i];
    return 0;
}

#define PICK_ROW(NAME, T, WIDE, WIDEN, KEEP, OP)                                                             \
    static void pick_##KEEP##_##NAME(void *best, int32_t *restrict at, const char *value, int64_t stride,    \
                                     int32_t place, int32_t step, int64_t n)                                 \
    {                                                                                                        \
        T *restrict v = best;                                                                                \
        const int64_t across = stride / (int64_t)sizeof(T);                                                  \
        for (int64_t i = 0; i < n; i++) {                                                                    \
            const T stored = ((const T *)value)[i * across];                                                 \
            const int keep = (at[i] >= 0) & (WIDEN(v[i]) OP WIDEN(stored));                                  \
            v[i] = keep ? v[i] : stored;                                                                     \
            at[i] = keep ? at[i] : place + (int32_t)i * step;                                                \
        }                                                                                                    \
    }
#define PICK_GE(NAME, T, WIDE, WIDEN, I) PICK_ROW(NAME, T, WIDE, WIDEN, ge, >=)
#define PICK_GT(NAME, T, WIDE, WIDEN, I) PICK_ROW(NAME, T, WIDE, WIDEN, gt, >)
#define PICK_LE(NAME, T, WIDE, WIDEN, I) PICK_ROW(NAME, T, WIDE, WIDEN, le, <=)
#define PICK_LT(NAME, T, WIDE, WIDEN, I) PICK_ROW(NAME, T, WIDE, WIDEN, lt, <)
POOL_VALUES(PICK_GE, )
POOL_VALUES(PICK_GT, )
POOL_VALUES(PICK_LE, )
POOL_VALUES(PICK_LT, )

fl_pick_row_fn FL_ISA_NAME(fl_pick_row_find)(int keep, fl_dtype dtype)
{
#define GE(NAME, T, WIDE, WIDEN, I) pick_ge_##NAME,
#define GT(NAME, T, WIDE, WIDEN, I) pick_gt_##NAME,
#define LE(NAME, T, WIDE, WIDEN, I) pick_le_##NAME,
#define LT(NAME, T, WIDE, WIDEN, I) pick_lt_##NAME,
    static const fl_pick_row_fn rows[4][9] = {
        {POOL_VALUES(GE, )}, {POOL_VALUES(GT, )}, {POOL_VALUES(LE, )}, {POOL_VALUES(LT, )}};
    static const int keeps[4] = {FL_GE, FL_GT, FL_LE, FL_LT};
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 9; i++)
            if (keeps[k] == keep && pool_values[i] == dtype) return rows[k][i];
    return 0;
}

void FL_ISA_NAME(fl_window_sums)(float *out, const float *in, const int32_t *table, int64_t taps,
                                 int64_t count)
{
    const int64_t padded = (count + 15) / 16 * 16;
#if defined(FL_ISA_avx512)
    for (int64_t i = 0; i < count; i += 16) {
        const __mmask16 stored = (__mmask16)(count - i < 16 ? (1u << (count - i)) - 1 : 0xffff);
        __m512 sum = _mm512_setzero_ps();
        for (int64_t t = 0; t < taps; t++) {
            const __m512i at = _mm512_loadu_si512(table + t * padded + i);
            const __mmask16 inside = _mm512_cmpge_epi32_mask(at, _mm512_setzero_si512());
            sum = _mm512_add_ps(sum, _mm512_mask_i32gather_ps(_mm512_setzero_ps(), inside, at, in, 4));
        }
        _mm512_mask_storeu_ps(out + i, stored, sum);
    }
#else
    for (int64_t i = 0; i < count; i++) {
        float sum = 0;
        for (int64_t t = 0; t < taps; t++) {
            const int32_t at = table[t * padded + i];
            sum += at < 0 ? 0 : in[at];
        }
        out[i] = sum;
    }
#endif
}

void FL_ISA_NAME(fl_window_pool)(float *out, int64_t *out_index, const float *in, const int64_t *index,
                                 const int32_t *table, int64_t taps, int64_t count, float first,
                                 int64_t first_index)
{
    const int64_t padded = (count + 15) / 16 * 16;
#if defined(FL_ISA_avx512)
    for (int64_t i = 0; i < count; i += 16) {
        const __mmask16 stored = (__mmask16)(count - i < 16 ? (1u << (count - i)) - 1 : 0xffff);
        __m512 best = _mm512_set1_ps(first);
        __m512i low = _mm512_set1_epi64(first_index), high = low;
        for (int64_t t = 0; t < taps; t++) {
            const __m512i at = _mm512_loadu_si512(table + t * padded + i);
            const __mmask16 inside = _mm512_cmpge_epi32_mask(at, _mm512_setzero_si512());
            const __m512 v = _mm512_mask_i32gather_ps(best, inside, at, in, 4);
            const __m512i l = _mm512_mask_i32gather_epi64(low, (__mmask8)inside, _mm512_castsi512_si256(at),
                                                          index, 8),
                          h = _mm512_mask_i32gather_epi64(high, (__mmask8)(inside >> 8),
                                                          _mm512_extracti64x4_epi64(at, 1), index, 8);
            const __mmask16 lower =
                (__mmask16)(_mm512_cmple_epi64_mask(low, l) | _mm512_cmple_epi64_mask(high, h) << 8);
            const __mmask16 nan = _mm512_cmp_ps_mask(best, best, _CMP_UNORD_Q),
                            other = _mm512_cmp_ps_mask(v, v, _CMP_UNORD_Q),
                            tie = (__mmask16)(_mm512_cmp_ps_mask(best, v, _CMP_EQ_OQ) | (nan & other));
            const __mmask16 keep = (__mmask16)(_mm512_cmp_ps_mask(best, v, _CMP_GT_OQ) | (nan & ~other) |
                                               (tie & lower)),
                            take = (__mmask16)(inside & ~keep);
            best = _mm512_mask_mov_ps(best, take, v);
            low = _mm512_mask_mov_epi64(low, (__mmask8)take, l);
            high = _mm512_mask_mov_epi64(high, (__mmask8)(take >> 8), h);
        }
        _mm512_mask_storeu_ps(out + i, stored, best);
        _mm512_mask_storeu_epi64(out_index + i, (__mmask8)stored, low);
        _mm512_mask_storeu_epi64(out_index + i + 8, (__mmask8)(stored >> 8), high);
    }
#else
    for (int64_t i = 0; i < count; i++) {
        float best = first;
        int64_t where = first_index;
        for (int64_t t = 0; t < taps; t++) {
            const int32_t at = table[t * padded + i];
            if (at < 0) continue;
            const int keep = KEEPS(best, in[at], where, index[at]);
            best = keep ? best : in[at];
            where = keep ? where : index[at];
        }
        out[i] = best, out_index[i] = where;
    }
#endif
}
