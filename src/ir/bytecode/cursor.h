/* Reads the primitives of MLIR bytecode from a range of bytes, and never outside of it: after the first read that does not
 * fit, `failed` stays set and every read gives zero. All bytes of an artifact are looked at through one of these. */
#ifndef FL_IR_BYTECODE_CURSOR_H
#define FL_IR_BYTECODE_CURSOR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct fl_cursor {
    const uint8_t *next, *end;
    int failed;
} fl_cursor;

static inline fl_cursor fl_cursor_make(const uint8_t *data, size_t size)
{
    return (fl_cursor){data, data + size, 0};
}

static inline size_t fl_cursor_left(const fl_cursor *c)
{
    return (size_t)(c->end - c->next);
}

static inline void fl_cursor_fail(fl_cursor *c)
{
    c->failed = 1;
    c->next = c->end;
}

/* n bytes, or NULL. */
static inline const uint8_t *fl_cursor_bytes(fl_cursor *c, uint64_t n)
{
    if (n > fl_cursor_left(c)) {
        fl_cursor_fail(c);
        return NULL;
    }
    const uint8_t *p = c->next;
    c->next += n;
    return p;
}

static inline uint8_t fl_cursor_byte(fl_cursor *c)
{
    const uint8_t *p = fl_cursor_bytes(c, 1);
    return p ? *p : 0;
}

/* The trailing zeros of the first byte tell how many bytes follow it; all zero: eight of them hold the value. */
static inline uint64_t fl_cursor_varint(fl_cursor *c)
{
    uint8_t first = fl_cursor_byte(c);
    if (first & 1) return first >> 1;
    if (c->failed) return 0;
    unsigned extra = first ? (unsigned)__builtin_ctz(first) : 8;
    const uint8_t *p = fl_cursor_bytes(c, extra);
    if (!p) return 0;
    uint64_t value = 0;
    for (unsigned i = 0; i < extra; i++) value |= (uint64_t)p[i] << (8 * i);
    if (extra == 8) return value;
    return (value << (7 - extra)) | (first >> (extra + 1));
}

static inline int64_t fl_cursor_signed(fl_cursor *c)
{
    uint64_t u = fl_cursor_varint(c);
    return (int64_t)((u >> 1) ^ (0 - (u & 1)));
}

/* How many things follow, of which each takes at least one byte. */
static inline uint32_t fl_cursor_count(fl_cursor *c)
{
    uint64_t n = fl_cursor_varint(c);
    if (n > fl_cursor_left(c) || n > UINT32_MAX) {
        fl_cursor_fail(c);
        return 0;
    }
    return (uint32_t)n;
}

/* An integer, or the bits of a float, of a width known from its type (at most 64). */
static inline uint64_t fl_cursor_bits(fl_cursor *c, unsigned width)
{
    uint64_t value = width <= 8 ? fl_cursor_byte(c) : (uint64_t)fl_cursor_signed(c);
    return width < 64 ? value & ((1ull << width) - 1) : value;
}

static inline double fl_cursor_f64(fl_cursor *c)
{
    uint64_t bits = fl_cursor_bits(c, 64);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The next n bytes as a range of its own, which is skipped here. */
static inline fl_cursor fl_cursor_sub(fl_cursor *c, uint64_t n)
{
    const uint8_t *p = fl_cursor_bytes(c, n);
    if (!p) return (fl_cursor){c->end, c->end, 1};
    return fl_cursor_make(p, (size_t)n);
}

#endif
