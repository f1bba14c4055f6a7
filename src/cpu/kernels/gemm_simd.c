/* The vector code of matrix products, for one instruction set level: tile kernels, packing, matrix-vector products. */
#include "cpu/isa.h"
#include "cpu/kernels/gemm.h"

#include <string.h>
#if defined(FL_ISA_avx2) || defined(FL_ISA_avx512)
#include <immintrin.h>
#endif
#include "base/half.h"

#if defined(FL_ISA_avx512)
#define BYTES            64
#define MR_REAL          14
#define A_BLOCK          1
#define FMA_F32(a, b, c) ((f32_vec)_mm512_fmadd_ps((__m512)(a), (__m512)(b), (__m512)(c)))
#define FMA_F64(a, b, c) ((f64_vec)_mm512_fmadd_pd((__m512d)(a), (__m512d)(b), (__m512d)(c)))
#elif defined(FL_ISA_avx2)
#define BYTES            32
#define MR_REAL          6
#define A_BLOCK          43
#define FMA_F32(a, b, c) ((f32_vec)_mm256_fmadd_ps((__m256)(a), (__m256)(b), (__m256)(c)))
#define FMA_F64(a, b, c) ((f64_vec)_mm256_fmadd_pd((__m256d)(a), (__m256d)(b), (__m256d)(c)))
#else
#define BYTES            16
#define MR_REAL          4
#define A_BLOCK          43
#define FMA_F32(a, b, c) ((c) + (a) * (b))
#define FMA_F64(a, b, c) ((c) + (a) * (b))
#endif
#define FMA_INT(a, b, c) ((c) + (a) * (b))
#define DOT_COLUMNS      (BYTES == 64 ? 4 : 2) /* 4 rows and as many sums as registers allow */
#define ASKS_AHEAD       (BYTES == 64)           /* whether a vector times rows of B asks for the next rows */
#define FEW_STRIP        FL_FEW_STRIP

#define STORE_PART_LOOP(p, v, count)                                                                         \
    for (int part_ = 0; part_ < (count); part_++) (p)[part_] = (v)[part_]
#if defined(FL_ISA_avx512)
#define STORE_PART_F32(p, v, count) _mm512_mask_storeu_ps((p), (__mmask16)((1u << (count)) - 1), (__m512)(v))
#define STORE_PART_F64(p, v, count) _mm512_mask_storeu_pd((p), (__mmask8)((1u << (count)) - 1), (__m512d)(v))
#elif defined(FL_ISA_avx2)
static inline __attribute__((always_inline)) __m256i first_words(int count)
{
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count), _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}
static inline __attribute__((always_inline)) __m256i first_longs(int count)
{
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(count), _mm256_set_epi64x(3, 2, 1, 0));
}
#define STORE_PART_F32(p, v, count) _mm256_maskstore_ps((p), first_words(count), (__m256)(v))
#define STORE_PART_F64(p, v, count) _mm256_maskstore_pd((p), first_longs(count), (__m256d)(v))
#define LOAD_PART_F32(p, count)     ((f32_vec)_mm256_maskload_ps((p), first_words(count)))
#define LOAD_PART_F64(p, count)     ((f64_vec)_mm256_maskload_pd((p), first_longs(count)))
#else
#define STORE_PART_F32 STORE_PART_LOOP
#define STORE_PART_F64 STORE_PART_LOOP
#define LOAD_PART_F32  f32_load_loop
#define LOAD_PART_F64  f64_load_loop
#endif

typedef int32_t f32_index __attribute__((vector_size(BYTES)));
typedef int64_t f64_index __attribute__((vector_size(BYTES)));
typedef int32_t u32_index __attribute__((vector_size(BYTES)));
typedef int64_t u64_index __attribute__((vector_size(BYTES)));

#if defined(FL_ISA_avx512)
#include "cpu/kernels/gemm_tile_avx512.inc"
#define ASSEMBLY_TILES 1
#else
#define ASSEMBLY_TILES 0
#endif
#define T          float
#define LANES      (BYTES / 4)
#define MR         MR_REAL
#define NAME(x)    f32_##x
#define FMA        FMA_F32
#define STORE_PART STORE_PART_F32
#define LOAD_PART  LOAD_PART_F32
#include "cpu/kernels/gemm_tile.inc"
#define S        float
#define FROM(x)  f32_from_f32_##x
#define LOADV    f32_load
#define LOAD1(p) (*(p))
#include "cpu/kernels/gemm_pack.inc"
#undef S
#undef FROM
#undef LOADV
#undef LOAD1

static inline __attribute__((always_inline)) f32_vec load_bf16(const uint16_t *p)
{
    typedef uint16_t narrow __attribute__((vector_size(LANES * 2), aligned(2), may_alias));
    typedef uint32_t wide __attribute__((vector_size(BYTES)));
    return (f32_vec)(__builtin_convertvector(*(const narrow *)p, wide) << 16);
}
static inline __attribute__((always_inline)) f32_vec load_f16(const uint16_t *p)
{
#if defined(FL_ISA_avx512)
    return (f32_vec)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(FL_ISA_avx2)
    return (f32_vec)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#else
    f32_vec v;
    for (int i = 0; i < LANES; i++) v[i] = fl_f32_from_f16(p[i]);
    return v;
#endif
}
/* LANES bytes as words: the compiler's own conversion goes through many small vectors. */
#if defined(FL_ISA_avx512)
#define WIDEN_I8(p) _mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(p)))
#define WIDEN_U8(p) _mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(p)))
#elif defined(FL_ISA_avx2)
#define WIDEN_I8(p) _mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(p)))
#define WIDEN_U8(p) _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(p)))
#else
#define WIDEN_I8(p) ((u32_index){(p)[0], (p)[1], (p)[2], (p)[3]})
#define WIDEN_U8(p) WIDEN_I8(p)
#endif
static inline __attribute__((always_inline)) f32_vec f32_load_i8(const int8_t *p)
{
    return __builtin_convertvector((u32_index)WIDEN_I8(p), f32_vec);
}
#define S        int8_t
#define FROM(x)  f32_from_i8_##x
#define LOADV    f32_load_i8
#define LOAD1(p) ((float)*(p))
#include "cpu/kernels/gemm_pack.inc"
#undef S
#undef FROM
#undef LOADV
#undef LOAD1
#define S        uint16_t
#define FROM(x)  f32_from_bf16_##x
#define LOADV    load_bf16
#define LOAD1(p) fl_f32_from_bf16(*(p))
#include "cpu/kernels/gemm_pack.inc"
#undef FROM
#undef LOADV
#undef LOAD1
#define FROM(x)  f32_from_f16_##x
#define LOADV    load_f16
#define LOAD1(p) fl_f32_from_f16(*(p))
#include "cpu/kernels/gemm_pack.inc"
#undef S
#undef FROM
#undef LOADV
#undef LOAD1
#undef T
#undef LANES
#undef MR
#undef NAME
#undef FMA
#undef STORE_PART
#undef LOAD_PART

#define T          double
#define LANES      (BYTES / 8)
#define MR         MR_REAL
#define NAME(x)    f64_##x
#define FMA        FMA_F64
#define STORE_PART STORE_PART_F64
#define LOAD_PART  LOAD_PART_F64
#include "cpu/kernels/gemm_tile.inc"
#define S        double
#define FROM(x)  f64_from_f64_##x
#define LOADV    f64_load
#define LOAD1(p) (*(p))
#include "cpu/kernels/gemm_pack.inc"
#undef T
#undef LANES
#undef MR
#undef NAME
#undef FMA
#undef STORE_PART
#undef LOAD_PART
#undef S
#undef FROM
#undef LOADV

#undef ASSEMBLY_TILES
#define ASSEMBLY_TILES 0
/* Integers wrap: products modulo 2^32 or 2^64 hold every narrower result. */
#define MR         4
#define FMA        FMA_INT
#define STORE_PART STORE_PART_LOOP
#define LOAD_PART  NAME(load_loop)
#define T          uint32_t
#define LANES      (BYTES / 4)
#define NAME(x)    u32_##x
#include "cpu/kernels/gemm_tile.inc"
#define S       uint32_t
#define FROM(x) u32_from_u32_##x
#define LOADV   u32_load
#include "cpu/kernels/gemm_pack.inc"
#undef S
#undef FROM
#undef LOADV
static inline __attribute__((always_inline)) u32_vec u32_load_i8(const int8_t *p)
{
    return (u32_vec)WIDEN_I8(p);
}
static inline __attribute__((always_inline)) u32_vec u32_load_u8(const uint8_t *p)
{
    return (u32_vec)WIDEN_U8(p);
}
#define S       int8_t
#define FROM(x) u32_from_i8_##x
#define LOADV   u32_load_i8
#undef LOAD1
#define LOAD1(p) ((uint32_t)*(p))
#include "cpu/kernels/gemm_pack.inc"
#undef S
#undef FROM
#undef LOADV
#define S       uint8_t
#define FROM(x) u32_from_u8_##x
#define LOADV   u32_load_u8
#include "cpu/kernels/gemm_pack.inc"
#undef LOAD1
#define LOAD1(p) (*(p))
#undef T
#undef LANES
#undef NAME
#undef S
#undef FROM
#undef LOADV
#define T       uint64_t
#define LANES   (BYTES / 8)
#define NAME(x) u64_##x
#include "cpu/kernels/gemm_tile.inc"
#define S       uint64_t
#define FROM(x) u64_from_u64_##x
#define LOADV   u64_load
#include "cpu/kernels/gemm_pack.inc"

#if defined(FL_ISA_avx512)
/* Rows of convolution planes are short: masks make padding and tails free. */
static void f32_plane_masked(float *out, int64_t width, const float *source, int64_t row, int64_t step,
                             int64_t rows, int64_t begin, int64_t end)
{
    const __m512i lanes = _mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    const __m512i places = _mm512_mullo_epi32(lanes, _mm512_set1_epi32((int)step));
    for (int64_t j = 0; j < width; j += 16) {
        const __mmask16 inside = (__mmask16)(width - j < 16 ? (1u << (width - j)) - 1 : 0xffff);
        const __m512i at = _mm512_add_epi32(lanes, _mm512_set1_epi32((int)j));
        const __mmask16 valid = inside & _mm512_cmpge_epi32_mask(at, _mm512_set1_epi32((int)begin)) &
                                _mm512_cmplt_epi32_mask(at, _mm512_set1_epi32((int)end));
        const float *from = source + (j - begin) * step;
        float *to = out + j;
        for (int64_t r = 0; r < rows; r++, to += width, from += row) {
            __m512 x = step == 1 ? _mm512_maskz_loadu_ps(valid, from)
                                 : _mm512_mask_i32gather_ps(_mm512_setzero_ps(), valid, places, from, 4);
            _mm512_mask_storeu_ps(to, inside, x);
        }
    }
}
#endif

#define DISPATCH(type, from, T)                                                                              \
    static void type##_pack_any(void *out, int64_t width, const void *source, fl_dtype dtype,                \
                                int64_t across, int64_t along, int64_t n, int64_t kc)                        \
    {                                                                                                        \
        from(type, pack, (out, width, source, across, along, n, kc))                                         \
    }                                                                                                        \
    static void type##_plane_any(void *out, int64_t width, const void *source, fl_dtype dtype, int64_t row,  \
                                 int64_t step, int64_t rows, int64_t begin, int64_t end)                     \
    {                                                                                                        \
        from(type, plane, (out, width, source, row, step, rows, begin, end))                                 \
    }                                                                                                        \
    static void type##_gemv_rows_any(void *y, const void *a, const void *b, fl_dtype dtype, int64_t row,     \
                                     int64_t k, int64_t n)                                                   \
    {                                                                                                        \
        from(type, gemv_rows, (y, a, b, row, k, n))                                                          \
    }                                                                                                        \
    static void type##_gemv_columns_any(void *y, const void *a, const void *b, fl_dtype dtype,               \
                                        int64_t column, int64_t k, int64_t n)                                \
    {                                                                                                        \
        from(type, gemv_columns, (y, a, b, column, k, n))                                                    \
    }                                                                                                        \
    static void type##_few_rows_any(void *c, int64_t c_row, int m, const void *a, int64_t a_row,             \
                                    const void *b, fl_dtype dtype, int64_t row, int64_t k, int64_t n,        \
                                    void *strip)                                                             \
    {                                                                                                        \
        from(type, few_rows, (c, c_row, m, a, a_row, b, row, k, n, strip))                                   \
    }                                                                                                        \
    static void type##_few_columns_any(void *c, int64_t c_row, int m, const void *a, int64_t a_row,          \
                                       const void *b, fl_dtype dtype, int64_t column, int64_t k, int64_t n)  \
    {                                                                                                        \
        from(type, few_columns, (c, c_row, m, a, a_row, b, column, k, n))                                    \
    }
#define FROM_REAL(type, function, args)                                                                      \
    if (dtype == FL_BF16)                                                                                    \
        f32_from_bf16_##function args;                                                                       \
    else if (dtype == FL_F16)                                                                                \
        f32_from_f16_##function args;                                                                        \
    else if (dtype == FL_I8)                                                                                 \
        f32_from_i8_##function args;                                                                         \
    else                                                                                                     \
        f32_from_f32_##function args;
#define FROM_SELF(type, function, args)                                                                      \
    (void)dtype;                                                                                             \
    type##_from_##type##_##function args;
#define FROM_WORD(type, function, args)                                                                      \
    if (dtype == FL_I8)                                                                                      \
        u32_from_i8_##function args;                                                                         \
    else if (dtype == FL_U8)                                                                                 \
        u32_from_u8_##function args;                                                                         \
    else                                                                                                     \
        u32_from_u32_##function args;
DISPATCH(f32, FROM_REAL, float)
DISPATCH(f64, FROM_SELF, double)
DISPATCH(u32, FROM_WORD, uint32_t)
DISPATCH(u64, FROM_SELF, uint64_t)

#if defined(FL_ISA_avx512)
static void f32_plane_best(void *out, int64_t width, const void *source, fl_dtype dtype, int64_t row,
                           int64_t step, int64_t rows, int64_t begin, int64_t end)
{
    const int64_t most = 1 << 26;
    if (dtype == FL_F32 && step < most && step > -most && width < most && begin >= 0)
        f32_plane_masked(out, width, source, row, step, rows, begin, end);
    else
        f32_plane_any(out, width, source, dtype, row, step, rows, begin, end);
}
#else
#define f32_plane_best f32_plane_any
#endif
#define f64_plane_best f64_plane_any
#define u32_plane_best u32_plane_any
#define u64_plane_best u64_plane_any

static void to_bf16(uint16_t *out, const float *in, int64_t n)
{
    for (int64_t i = 0; i < n; i++) out[i] = fl_bf16_from_f32(in[i]);
}

static void to_f16(uint16_t *out, const float *in, int64_t n)
{
    int64_t i = 0;
#if defined(FL_ISA_avx512)
    for (; i + 16 <= n; i += 16)
        _mm256_storeu_si256((__m256i *)(out + i),
                            _mm512_cvtps_ph(_mm512_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#elif defined(FL_ISA_avx2)
    for (; i + 8 <= n; i += 8)
        _mm_storeu_si128((__m128i *)(out + i),
                         _mm256_cvtps_ph(_mm256_loadu_ps(in + i), _MM_FROUND_TO_NEAREST_INT));
#endif
    for (; i < n; i++) out[i] = fl_f16_from_f32(in[i]);
}

#define ROWS4(name) name##1, name##2, name##3, name##4
#if MR_REAL == 14
#define ROWS_REAL(name)                                                                                      \
    ROWS4(name), name##5, name##6, name##7, name##8, name##9, name##10, name##11, name##12, name##13, name##14
#elif MR_REAL == 6
#define ROWS_REAL(name) ROWS4(name), name##5, name##6
#else
#define ROWS_REAL ROWS4
#endif
#if defined(FL_ISA_avx512)
#define MASKED(id) ((id) == FL_F32 || (id) == FL_F64)
#else
#define MASKED(id) 0
#endif
#if A_BLOCK > 1
#define COPIES(...) __VA_ARGS__
#else
#define COPIES(...) NULL
#endif
#define TYPE(type, id, bytes, rows, ROWS)                                                                    \
    {.dtype = id,                                                                                            \
     .size = bytes,                                                                                          \
     .mr = rows,                                                                                             \
     .lanes = BYTES / bytes,                                                                                 \
     .nr = 2 * BYTES / bytes,                                                                                \
     .masked = MASKED(id),                                                                                   \
     .block = A_BLOCK,                                                                                       \
     .tile = {{ROWS(type##_tile1_)}, {ROWS(type##_tile2_)}},                                                 \
     .offset = {{ROWS(type##_offset1_)}, {ROWS(type##_offset2_)}},                                           \
     .copies = {COPIES(ROWS(type##_copies_))},                                                               \
     .pack = type##_pack_any,                                                                                \
     .plane = type##_plane_best,                                                                             \
     .gemv_rows = type##_gemv_rows_any,                                                                      \
     .gemv_columns = type##_gemv_columns_any,                                                                \
     .few_rows = type##_few_rows_any,                                                                        \
     .few_columns = type##_few_columns_any}

extern const fl_gemm_table FL_ISA_NAME(fl_gemm_table)[1];
const fl_gemm_table FL_ISA_NAME(fl_gemm_table)[1] = {{
    .f32 = TYPE(f32, FL_F32, 4, MR_REAL, ROWS_REAL),
    .f64 = TYPE(f64, FL_F64, 8, MR_REAL, ROWS_REAL),
    .u32 = TYPE(u32, FL_U32, 4, 4, ROWS4),
    .u64 = TYPE(u64, FL_U64, 8, 4, ROWS4),
    .to_bf16 = to_bf16,
    .to_f16 = to_f16,
}};
