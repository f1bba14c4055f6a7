/* Tokens and errors. */
#include "ir/text/parser.h"

#include <stdarg.h>
#include <stdio.h>

enum { LETTER = 1, DIGIT = 2, WORD = 4, SUFFIX = 8, SPACE = 16, HEX = 32 };

/* Classes of characters: WORD what words go on with, SUFFIX what may follow % # ! ^ */
static const uint8_t classes[256] = {
    ['\t'] = SPACE,
    ['\n'] = SPACE,
    ['\r'] = SPACE,
    [' '] = SPACE,
    ['0' ... '9'] = DIGIT | WORD | SUFFIX | HEX,
    ['a' ... 'f'] = LETTER | WORD | SUFFIX | HEX,
    ['g' ... 'z'] = LETTER | WORD | SUFFIX,
    ['A' ... 'F'] = LETTER | WORD | SUFFIX | HEX,
    ['G' ... 'Z'] = LETTER | WORD | SUFFIX,
    ['_'] = LETTER | WORD | SUFFIX,
    ['$'] = WORD | SUFFIX,
    ['.'] = WORD | SUFFIX,
    ['-'] = SUFFIX,
};

static inline int is(char c, int mask)
{
    return classes[(uint8_t)c] & mask;
}

static const char *skip_space(const char *at, const char *end)
{
    for (;;) {
        while (at < end && is(*at, SPACE)) at++;
        if (end - at < 2 || at[0] != '/' || at[1] != '/') return at;
        at = memchr(at, '\n', (size_t)(end - at));
        if (!at) return end;
    }
}

/* Behind the closing quote; NULL: there is none on the line. */
static const char *skip_string(const char *at, const char *end)
{
    for (at++; at < end && *at != '\n'; at++) {
        if (*at == '"') return at + 1;
        if (*at == '\\' && end - at > 1) at++;
    }
    return NULL;
}

static int lex_number(fl_token *t, const char *at, const char *end)
{
    if (end - at > 2 && at[0] == '0' && at[1] == 'x' && is(at[2], HEX)) {
        for (at += 2; at < end && is(*at, HEX);) at++;
        t->end = at;
        return FL_TOKEN_INT;
    }
    while (at < end && is(*at, DIGIT)) at++;
    t->end = at;
    if (at == end || *at != '.') return FL_TOKEN_INT;
    for (at++; at < end && is(*at, DIGIT);) at++;
    if (at < end && (*at == 'e' || *at == 'E')) {
        const char *digits = at + 1;
        if (digits < end && (*digits == '-' || *digits == '+')) digits++;
        if (digits < end && is(*digits, DIGIT))
            for (at = digits; at < end && is(*at, DIGIT);) at++;
    }
    t->end = at;
    return FL_TOKEN_FLOAT;
}

static int lex_suffix(fl_token *t, const char *at, const char *end, int kind)
{
    const char *from = ++at;
    if (at < end && is(*at, DIGIT))
        while (at < end && is(*at, DIGIT)) at++;
    else
        while (at < end && is(*at, SUFFIX)) at++;
    t->end = at;
    return at > from ? kind : FL_TOKEN_BAD;
}

static int lex_symbol(fl_token *t, const char *at, const char *end)
{
    if (end - at > 1 && at[1] == '"') {
        const char *to = skip_string(at + 1, end);
        t->end = to ? to : at + 1;
        return to ? FL_TOKEN_SYMBOL : FL_TOKEN_BAD;
    }
    const char *from = ++at;
    if (at < end && is(*at, LETTER))
        while (at < end && is(*at, WORD)) at++;
    t->end = at;
    return at > from ? FL_TOKEN_SYMBOL : FL_TOKEN_BAD;
}

static int lex(fl_token *t, const char *at, const char *end)
{
    t->end = at + 1;
    if (is(*at, LETTER)) {
        while (at < end && is(*at, WORD)) at++;
        t->end = at;
        return FL_TOKEN_ID;
    }
    if (is(*at, DIGIT)) return lex_number(t, at, end);
    char next = end - at > 1 ? at[1] : 0;
    switch (*at) {
    case '%': return lex_suffix(t, at, end, FL_TOKEN_VALUE);
    case '^': return lex_suffix(t, at, end, FL_TOKEN_BLOCK);
    case '!': return lex_suffix(t, at, end, FL_TOKEN_TYPE);
    case '@': return lex_symbol(t, at, end);
    case '#':
        if (next == '-' && end - at > 2 && at[2] == '}') return '#';
        return lex_suffix(t, at, end, FL_TOKEN_HASH);
    case '"': {
        const char *to = skip_string(at, end);
        t->end = to ? to : at + 1;
        return to ? FL_TOKEN_STRING : FL_TOKEN_BAD;
    }
    case '-': t->end = at + 1 + (next == '>'); return next == '>' ? FL_TOKEN_ARROW : '-';
    case ':': t->end = at + 1 + (next == ':'); return next == ':' ? FL_TOKEN_COLONS : ':';
    case '{':
        if (next == '-' && end - at > 2 && at[2] == '#') {
            t->end = at + 3;
            return FL_TOKEN_RESOURCES;
        }
        return '{';
    case '(':
    case ')':
    case '}':
    case '[':
    case ']':
    case '<':
    case '>':
    case ',':
    case '=':
    case '?':
    case '+':
    case '*':
    case '|':
    case '/': return *at;
    default: return FL_TOKEN_BAD;
    }
}

void fl_lex_next(fl_parser *p)
{
    const char *at = skip_space(p->token.end, p->end);
    p->last = p->token.end;
    p->token.start = at;
    if (at == p->end) {
        p->token.kind = FL_TOKEN_END;
        p->token.end = at;
    } else {
        p->token.kind = lex(&p->token, at, p->end);
    }
}

const char *fl_lex_skip(const char *at, const char *end)
{
    char open[4000]; /* locations of calls are nested as deep as the calls were */
    int depth = 0;
    for (; at < end; at++) {
        char c = *at;
        if (c == '"') {
            at = skip_string(at, end);
            if (!at) return NULL;
            at--;
        } else if (c == '/' && end - at > 1 && at[1] == '/') {
            at = memchr(at, '\n', (size_t)(end - at));
            if (!at) return NULL;
        } else if (c == '(' || c == '[' || c == '{' || c == '<') {
            if (depth == sizeof open) return NULL;
            open[depth++] = c == '(' ? ')' : (char)(c + 2);
        } else if (c == '-' && end - at > 1 && at[1] == '>') {
            at++;
        } else if (c == ')' || c == ']' || c == '}' || c == '>') {
            if (open[--depth] != c) return NULL;
            if (!depth) return at + 1;
        }
    }
    return NULL;
}

/* ---- errors ---- */

static fl_status positioned(const fl_parser *p, const char *at, fl_status status)
{
    unsigned line = 1;
    const char *begin = p->text, *newline;
    while (at > begin && (newline = memchr(begin, '\n', (size_t)(at - begin))) != NULL) {
        line++;
        begin = newline + 1;
    }
    return fl_status_prefix(status, "line %u:%u", line, (unsigned)(at - begin) + 1);
}

static int fail(fl_parser *p, const char *at, fl_status status)
{
    if (p->status)
        fl_status_free(status);
    else
        p->status = fl_status_code(status) == FL_OOM ? status : positioned(p, at, status);
    return 0;
}

int fl_parse_error(fl_parser *p, const char *at, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return fail(p, at, fl_error(FL_INVALID, "%s", message));
}

int fl_expected(fl_parser *p, const char *what)
{
    const fl_token *t = &p->token;
    int length = (int)(fl_token_length(t) < 60 ? fl_token_length(t) : 60);
    if (t->kind == FL_TOKEN_END)
        return fl_parse_error(p, t->start, "expected %s, got the end of the text", what);
    if (*t->start == '"' && t->kind == FL_TOKEN_BAD)
        return fl_parse_error(p, t->start, "expected %s, got a string without end", what);
    if (t->kind == FL_TOKEN_BAD && (*t->start < 32 || *t->start > 126))
        return fl_parse_error(p, t->start, "expected %s, got the byte 0x%02X", what, (uint8_t)*t->start);
    return fl_parse_error(p, t->start, "expected %s, got '%.*s'", what, length, t->start);
}

int fl_no_memory(fl_parser *p)
{
    return fail(p, p->text, fl_error(FL_OOM, "out of host memory"));
}

int fl_parse_check(fl_parser *p, const char *at)
{
    if (!p->builder.status) return 1;
    fl_status status = p->builder.status;
    p->builder.status = NULL;
    return fail(p, at, status);
}

int fl_enter(fl_parser *p)
{
    if (p->depth >= FL_PARSE_DEPTH)
        return fl_parse_error(p, p->token.start, "expected at most %d levels of nesting", FL_PARSE_DEPTH);
    p->depth++;
    return 1;
}

/* ---- small things ---- */

int fl_expect(fl_parser *p, int kind, const char *what)
{
    return fl_accept(p, kind) ? 1 : fl_expected(p, what);
}

int fl_accept_word(fl_parser *p, const char *word)
{
    if (!fl_at_word(p, word)) return 0;
    fl_lex_next(p);
    return 1;
}

int fl_expect_word(fl_parser *p, const char *word)
{
    char what[64];
    if (fl_accept_word(p, word)) return 1;
    snprintf(what, sizeof what, "'%s'", word);
    return fl_expected(p, what);
}

int fl_expect_text(fl_parser *p, const char *text)
{
    char what[] = {'\'', text[0], '\'', 0};
    return is(text[0], LETTER) ? fl_expect_word(p, text) : fl_expect(p, text[0], what);
}

static int hex_digit(char c)
{
    return !is(c, HEX) ? -1 : c <= '9' ? c - '0' : (c | 32) - 'a' + 10;
}

int fl_parse_string(fl_parser *p, const char **out, uint32_t *out_length)
{
    const char *at = p->token.start + (p->token.kind == FL_TOKEN_SYMBOL), *end = p->token.end;
    int quoted = at < end && *at == '"';
    at += quoted;
    end -= quoted;
    if ((size_t)(end - at) >= UINT32_MAX)
        return fl_parse_error(p, at, "expected a string of less than 4 GiB");
    char *text = fl_scratch_alloc(p, (size_t)(end - at) + 1), *to = text;
    if (!text) return 0;
    while (at < end) {
        if (!quoted || *at != '\\') {
            *to++ = *at++;
            continue;
        }
        int high = end - at > 2 ? hex_digit(at[1]) : -1, low = end - at > 2 ? hex_digit(at[2]) : -1;
        char c = end - at > 1 ? at[1] : 0;
        if (c == 'n' || c == 't' || c == '"' || c == '\\') {
            *to++ = c == 'n' ? '\n' : c == 't' ? '\t' : c;
            at += 2;
        } else if (high >= 0 && low >= 0) {
            *to++ = (char)(16 * high + low);
            at += 3;
        } else {
            return fl_parse_error(
                p, at, "expected an escape \\n, \\t, \\\", \\\\ or two hexadecimal digits, got '%.2s'", at);
        }
    }
    *to = 0;
    *out = text;
    *out_length = (uint32_t)(to - text);
    fl_lex_next(p);
    return 1;
}

int fl_parse_location(fl_parser *p)
{
    if (!fl_accept_word(p, "loc")) return 1;
    if (p->token.kind != '(') return fl_expected(p, "'('");
    const char *end = fl_lex_skip(p->token.start, p->end);
    if (!end) return fl_expected(p, "a location that ends");
    fl_lex_seek(p, end);
    return 1;
}

/* ---- aliases ---- */

static const fl_alias *find_alias(const fl_parser *p)
{
    for (size_t i = p->aliases.count; i > 0; i--) {
        const fl_alias *a = FL_AT(p, aliases, fl_alias, i - 1);
        if (a->length == fl_token_length(&p->token) && !memcmp(a->name, p->token.start, a->length)) return a;
    }
    return NULL;
}

int fl_parse_alias_start(fl_parser *p, fl_token *saved)
{
    const fl_token *t = &p->token;
    if (t->kind != FL_TOKEN_HASH && t->kind != FL_TOKEN_TYPE) return 1;
    if (memchr(t->start, '.', fl_token_length(t)) || (t->end < p->end && *t->end == '<')) return 1;
    const fl_alias *alias = find_alias(p);
    if (!alias) return fl_expected(p, "an alias that is defined before it is used");
    /* aliases of aliases could stand for texts of exponential length */
    p->expanded++;
    if (p->expanded > (size_t)(p->end - p->text) + 1000)
        return fl_parse_error(p, t->start,
                              "expected aliases to be used less than once for each byte of text");
    *saved = *t;
    fl_lex_seek(p, alias->start);
    return 2;
}

void fl_parse_alias_end(fl_parser *p, int started, const fl_token *saved)
{
    if (started != 2) return;
    p->token = *saved;
    fl_lex_next(p);
}
