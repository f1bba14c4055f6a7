/* Memory of the parser, and the names of values. */
#include "ir/text/parser.h"
#include "base/checked.h"

#include <stdlib.h>

void *fl_push(fl_parser *p, fl_stack *stack, size_t size)
{
    if (stack->count == stack->capacity) {
        size_t capacity = stack->capacity ? 2 * stack->capacity : 32, bytes;
        void *data = fl_mul_size(capacity, size, &bytes) ? realloc(stack->data, bytes) : NULL;
        if (!data) {
            fl_no_memory(p);
            return NULL;
        }
        stack->data = data;
        stack->capacity = capacity;
    }
    return (char *)stack->data + size * stack->count++;
}

struct fl_scratch_chunk {
    fl_scratch_chunk *below;
    char *end;
};

enum { CHUNK = 1 << 16 };

void *fl_scratch_alloc(fl_parser *p, size_t bytes)
{
    fl_scratch *s = &p->scratch;
    if (bytes > SIZE_MAX / 2) return fl_no_memory(p), NULL;
    bytes = (bytes + 15) & ~(size_t)15;
    if (!bytes) bytes = 16;
    if ((size_t)(s->end - s->next) < bytes) {
        size_t header = (sizeof(fl_scratch_chunk) + 15) & ~(size_t)15, size = bytes > CHUNK ? bytes : CHUNK;
        fl_scratch_chunk *chunk = malloc(header + size);
        if (!chunk) return fl_no_memory(p), NULL;
        chunk->below = s->head;
        s->head = chunk;
        s->next = (char *)chunk + header;
        s->end = chunk->end = s->next + size;
    }
    void *result = s->next;
    s->next += bytes;
    return result;
}

void *fl_scratch_copy(fl_parser *p, const void *data, size_t bytes)
{
    void *copy = fl_scratch_alloc(p, bytes);
    if (copy && bytes) memcpy(copy, data, bytes);
    return copy;
}

void *fl_take(fl_parser *p, fl_stack *stack, size_t base, size_t size)
{
    void *copy = fl_scratch_copy(p, (char *)stack->data + base * size, (stack->count - base) * size);
    stack->count = base;
    return copy;
}

fl_scratch fl_scratch_mark(const fl_parser *p)
{
    return p->scratch;
}

void fl_scratch_release(fl_parser *p, fl_scratch mark)
{
    fl_scratch_chunk *chunk = p->scratch.head, *below;
    for (; chunk != mark.head; chunk = below) {
        below = chunk->below;
        if (below == mark.head && !below) break; /* the first chunk stays, to be used again */
        free(chunk);
    }
    if (chunk == mark.head) {
        p->scratch = mark;
        return;
    }
    size_t header = (sizeof(fl_scratch_chunk) + 15) & ~(size_t)15;
    p->scratch = (fl_scratch){chunk, (char *)chunk + header, chunk->end};
}

void fl_parser_free(fl_parser *p)
{
    for (fl_scratch_chunk *chunk = p->scratch.head, *below; chunk; chunk = below) {
        below = chunk->below;
        free(chunk);
    }
    fl_stack *stacks[] = {&p->refs,      &p->types,  &p->attrs, &p->entries, &p->literals,
                          &p->ints,      &p->blocks, &p->names, &p->tokens,  &p->aliases,
                          &p->resources, &p->funcs,  &p->calls};
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) free(stacks[i]->data);
    free(p->buckets);
}

/* ---- names of values: a hash table whose entries leave in reverse order ---- */

static uint32_t hash(const char *name, size_t length)
{
    uint64_t h = length;
    for (; length >= 8; name += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, name, 8);
        h = (h ^ word) * 0x9E3779B97F4A7C15u;
        h ^= h >> 32;
    }
    uint64_t word = 0;
    memcpy(&word, name, length);
    h = (h ^ word) * 0x9E3779B97F4A7C15u;
    return (uint32_t)(h >> 32);
}

static int grow_buckets(fl_parser *p)
{
    uint32_t count = p->bucket_count ? 4 * p->bucket_count : 1024;
    uint32_t *buckets = calloc(count, sizeof *buckets);
    if (!buckets) return fl_no_memory(p);
    free(p->buckets);
    p->buckets = buckets;
    p->bucket_count = count;
    for (uint32_t i = 0; i < p->names.count; i++) { /* oldest first: the newest stands first in its bucket */
        fl_value_name *n = FL_AT(p, names, fl_value_name, i);
        uint32_t *bucket = &buckets[n->hash & (count - 1)];
        n->next = *bucket;
        *bucket = i + 1;
    }
    return 1;
}

static fl_value_name *find(const fl_parser *p, const char *name, size_t length, uint32_t h)
{
    uint32_t i = p->bucket_count ? p->buckets[h & (p->bucket_count - 1)] : 0;
    for (; i; i = FL_AT(p, names, fl_value_name, i - 1)->next) {
        fl_value_name *n = FL_AT(p, names, fl_value_name, i - 1);
        if (n->hash == h && n->length == length && !memcmp(n->name, name, length)) return n;
    }
    return NULL;
}

int fl_name_define(fl_parser *p, const fl_token *name, fl_ref first, uint32_t count)
{
    size_t length = fl_token_length(name);
    uint32_t h = hash(name->start, length);
    if (find(p, name->start, length, h))
        return fl_parse_error(p, name->start, "expected a new name, got '%.*s', which is defined already",
                              (int)(length < 60 ? length : 60), name->start);
    if (p->names.count >= UINT32_MAX / 2 || length > UINT32_MAX / 2)
        return fl_parse_error(p, name->start, "expected fewer values");
    if (p->names.count >= p->bucket_count && !grow_buckets(p)) return 0;
    fl_value_name *n = FL_PUSH(p, names, fl_value_name);
    if (!n) return 0;
    uint32_t *bucket = &p->buckets[h & (p->bucket_count - 1)];
    *n = (fl_value_name){name->start, (uint32_t)length, h, *bucket, first, count};
    *bucket = (uint32_t)p->names.count;
    return 1;
}

void fl_names_pop(fl_parser *p, size_t count)
{
    while (p->names.count > count) {
        fl_value_name *n = FL_AT(p, names, fl_value_name, --p->names.count);
        p->buckets[n->hash & (p->bucket_count - 1)] = n->next;
    }
}

int fl_name_use(fl_parser *p, fl_ref *out)
{
    fl_token name = p->token;
    if (name.kind != FL_TOKEN_VALUE) return fl_expected(p, "a value");
    size_t length = fl_token_length(&name);
    fl_value_name *n = find(p, name.start, length, hash(name.start, length));
    if (!n) return fl_expected(p, "a value that is defined before it is used");
    fl_lex_next(p);
    uint64_t index = 0;
    if (p->token.kind == FL_TOKEN_HASH) {
        for (const char *c = p->token.start + 1; c < p->token.end; c++) {
            if (*c < '0' || *c > '9') return fl_expected(p, "'#' and the number of a result");
            if (index < UINT32_MAX) index = 10 * index + (uint64_t)(*c - '0');
        }
        if (index >= n->count)
            return fl_parse_error(p, p->token.start, "expected a result of '%.*s' below %u, got '%.*s'",
                                  (int)(length < 60 ? length : 60), name.start, n->count,
                                  (int)fl_token_length(&p->token), p->token.start);
        fl_lex_next(p);
    } else if (n->count != 1) {
        return fl_expected(p, "'#' and the number of a result");
    }
    *out = n->first + (fl_ref)index;
    return 1;
}
