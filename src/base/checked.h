/* Arithmetic on sizes that says when it overflows. Each returns 1 and writes *out, or returns 0. */
#ifndef FL_BASE_CHECKED_H
#define FL_BASE_CHECKED_H

#include <stddef.h>
#include <stdint.h>

static inline int fl_mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline int fl_add_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}
static inline int fl_mul_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}
static inline int fl_add_i64(int64_t a, int64_t b, int64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

#endif
