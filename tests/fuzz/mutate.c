#include "mutate.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t fl_mutator_next(fl_mutator *m, uint64_t below)
{
    uint64_t x = m->state; /* xorshift64* */
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    m->state = x;
    return (x * 0x2545f4914f6cdd1dull >> 11) % below;
}

/* Replaces `length` bytes at `at` by others. */
static void replace(fl_mutator *m, fl_text *out, size_t at, size_t length, const void *bytes, size_t n)
{
    if (out->length - length + n > m->most_bytes) return;
    fl_text tail = {0};
    fl_text_append(&tail, out->data + at + length, out->length - at - length);
    fl_text insert = {0};
    fl_text_append(&insert, bytes, n); /* may lie within `out` */
    out->length = at;
    fl_text_append(out, insert.data, n);
    fl_text_append(out, tail.data, tail.length);
    fl_text_free(&tail);
    fl_text_free(&insert);
}

static void flip_bit(fl_mutator *m, fl_text *t)
{
    t->data[fl_mutator_next(m, t->length)] ^= (char)(1 << fl_mutator_next(m, 8));
}

static void set_byte(fl_mutator *m, fl_text *t)
{
    static const uint8_t interesting[] = {0,  1,  2,  3,  4,   7,   8,   15,  16,
                                          31, 32, 63, 64, 127, 128, 129, 254, 255};
    uint8_t byte = fl_mutator_next(m, 2) ? interesting[fl_mutator_next(m, sizeof interesting)]
                                         : (uint8_t)fl_mutator_next(m, 256);
    t->data[fl_mutator_next(m, t->length)] = (char)byte;
}

static void delete_range(fl_mutator *m, fl_text *t)
{
    size_t at = fl_mutator_next(m, t->length), n = 1 + fl_mutator_next(m, fl_mutator_next(m, 4) ? 8 : 200);
    if (n > t->length - at) n = t->length - at;
    replace(m, t, at, n, "", 0);
}

static void copy_range(fl_mutator *m, fl_text *t)
{
    size_t from = fl_mutator_next(m, t->length), n = 1 + fl_mutator_next(m, fl_mutator_next(m, 4) ? 16 : 200);
    if (n > t->length - from) n = t->length - from;
    replace(m, t, fl_mutator_next(m, t->length), 0, t->data + from, n);
}

static void splice(fl_mutator *m, fl_text *t)
{
    const fl_text *other = &m->corpus[fl_mutator_next(m, m->corpus_count)];
    size_t from = fl_mutator_next(m, other->length), n = 1 + fl_mutator_next(m, 300);
    if (n > other->length - from) n = other->length - from;
    size_t at = fl_mutator_next(m, t->length), gone = fl_mutator_next(m, 2) ? n : 0;
    if (gone > t->length - at) gone = t->length - at;
    replace(m, t, at, gone, other->data + from, n);
}

static void cut_end(fl_mutator *m, fl_text *t)
{
    t->length = 1 + fl_mutator_next(m, t->length);
}

/* ---- text ---- */

static int is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '%' || c == '@' || c == '#' || c == '!';
}

/* A token at or after a random place; 0: there is none. */
static size_t find_token(fl_mutator *m, const fl_text *t, size_t *at)
{
    size_t i = fl_mutator_next(m, t->length), n = 0;
    while (i < t->length && isspace((unsigned char)t->data[i])) i++;
    if (i == t->length) return 0;
    while (i > 0 && is_word(t->data[i]) && is_word(t->data[i - 1])) i--;
    if (!is_word(t->data[i])) n = 1;
    while (i + n < t->length && is_word(t->data[i + n])) n++;
    *at = i;
    return n;
}

/* A token gives way to another of the corpus, mostly of the same kind. */
static void change_token(fl_mutator *m, fl_text *t)
{
    size_t at = 0, from = 0, length = find_token(m, t, &at);
    for (int tries = 0; length && tries < 8; tries++) {
        const fl_text *other = fl_mutator_next(m, 2) ? t : &m->corpus[fl_mutator_next(m, m->corpus_count)];
        size_t n = find_token(m, other, &from);
        if (!n || (tries < 7 && (is_word(other->data[from]) != is_word(t->data[at]) ||
                                 (other->data[from] == '%') != (t->data[at] == '%'))))
            continue;
        replace(m, t, at, length, other->data + from, n);
        return;
    }
}

/* A decimal number becomes another: near it, or one that overflows something. */
static void change_number(fl_mutator *m, fl_text *t)
{
    static const char *const numbers[] = {"0",
                                          "1",
                                          "-1",
                                          "2",
                                          "3",
                                          "7",
                                          "8",
                                          "64",
                                          "127",
                                          "128",
                                          "255",
                                          "65536",
                                          "2147483647",
                                          "-2147483648",
                                          "4294967296",
                                          "1e999",
                                          "0x7fc00000",
                                          "?",
                                          "1.5",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "18446744073709551616"};
    char near[32];
    size_t at = fl_mutator_next(m, t->length), n = 0;
    while (at < t->length && !isdigit((unsigned char)t->data[at])) at++;
    while (at + n < t->length && isdigit((unsigned char)t->data[at + n]) && n < 18) n++;
    if (!n) return;
    snprintf(near, sizeof near, "%.*s", (int)n, t->data + at);
    long long value = atoll(near);
    snprintf(near, sizeof near, "%lld", value + (long long)fl_mutator_next(m, 5) - 2);
    const char *number =
        fl_mutator_next(m, 3) ? near : numbers[fl_mutator_next(m, sizeof numbers / sizeof *numbers)];
    replace(m, t, at, n, number, strlen(number));
}

/* A line moves, doubles or goes. */
static void change_line(fl_mutator *m, fl_text *t)
{
    size_t at = fl_mutator_next(m, t->length), end, to = fl_mutator_next(m, t->length);
    while (at > 0 && t->data[at - 1] != '\n') at--;
    for (end = at; end < t->length && t->data[end] != '\n'; end++);
    if (end < t->length) end++;
    while (to > 0 && t->data[to - 1] != '\n') to--;
    if (fl_mutator_next(m, 2))
        replace(m, t, to, 0, t->data + at, end - at);
    else
        replace(m, t, at, end - at, "", 0);
}

void fl_mutate(fl_mutator *m, fl_text *out)
{
    typedef void mutation(fl_mutator *, fl_text *);
    static mutation *const all[] = {change_token, change_number, change_token, change_number,
                                    change_line,  flip_bit,      set_byte,     delete_range,
                                    copy_range,   splice,        cut_end};
    const uint64_t text_only = 5, count = sizeof all / sizeof *all;
    const fl_text *seed = &m->corpus[fl_mutator_next(m, m->corpus_count)];
    out->length = 0;
    fl_text_append(out, seed->data, seed->length);
    for (uint64_t n = 1 + fl_mutator_next(m, 4); n-- && out->length;) {
        uint64_t first = m->is_text && fl_mutator_next(m, 4) ? 0 : text_only;
        all[first + fl_mutator_next(m, first ? count - text_only : text_only)](m, out);
    }
}
