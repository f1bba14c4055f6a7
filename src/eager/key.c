#include "eager/key.h"

#include "eager/precision.h"

#include <stdlib.h>
#include <string.h>

static void push(fl_key *key, uint64_t word)
{
    if (__builtin_expect(key->count == key->capacity, 0)) {
        uint32_t capacity = key->capacity * 4;
        uint64_t *words = malloc(capacity * sizeof *words);
        if (!words) {
            key->failed = 1;
            key->count = 0;
            return;
        }
        memcpy(words, key->words, key->count * sizeof *words);
        if (key->words != key->space) free(key->words);
        key->words = words;
        key->capacity = capacity;
    }
    key->words[key->count++] = word;
}

static uint64_t tensor_header(const fl_tensor *t)
{
    uint64_t place = t->host ? 2 : 1;
    return (uint64_t)FL_TAG_TENSOR | (uint64_t)t->dtype << 8 | (uint64_t)t->rank << 16 |
           (uint64_t)t->wrapped << 24 | (uint64_t)t->conj << 25 | (uint64_t)t->neg << 26 | place << 28;
}

/* Strides of single elements say nothing, but PyTorch's rules for the strides of results look at them (`functional`). */
static void push_tensor(fl_key *key, const fl_tensor *t)
{
    push(key, tensor_header(t));
    for (int d = 0; d < t->rank; d++) {
        push(key, (uint64_t)t->sizes[d]);
        push(key, t->sizes[d] == 1 && !key->functional ? 0 : (uint64_t)t->strides[d]);
    }
}

static void push_string(fl_key *key, const char *s)
{
    size_t n = strlen(s);
    push(key, (uint64_t)FL_TAG_STRING | n << 8);
    for (size_t i = 0; i < n; i += 8) {
        uint64_t word = 0;
        memcpy(&word, s + i, n - i < 8 ? n - i : 8);
        push(key, word);
    }
}

static uint64_t bits(double d)
{
    uint64_t word;
    memcpy(&word, &d, sizeof word);
    return word;
}

static void push_value(fl_key *key, const fl_value *v, int value_matters);

static void push_list(fl_key *key, const fl_value *v, int value_matters)
{
    push(key, (uint64_t)v->tag | (uint64_t)v->count << 8);
    for (uint32_t i = 0; i < v->count; i++) {
        switch (v->tag) {
        case FL_TAG_INTS:
        case FL_TAG_BOOLS: push(key, (uint64_t)v->u.ints[i]); break;
        case FL_TAG_DOUBLES:
            if (value_matters) push(key, bits(v->u.doubles[i]));
            break;
        case FL_TAG_SCALARS: push_value(key, &v->u.scalars[i], value_matters); break;
        default:
            if (v->u.tensor[i].dtype == FL_DTYPE_NONE)
                push(key, FL_TAG_NONE);
            else
                push_tensor(key, &v->u.tensor[i]);
        }
    }
}

static void push_value(fl_key *key, const fl_value *v, int value_matters)
{
    switch (v->tag) {
    case FL_TAG_NONE:
    case FL_TAG_GENERATOR: push(key, FL_TAG_NONE); break;
    case FL_TAG_TENSOR: push_tensor(key, v->u.tensor); break;
    case FL_TAG_STRING: push_string(key, v->u.string); break;
    case FL_TAG_BOOL:
    case FL_TAG_INT:
        push(key, v->tag);
        if (value_matters) push(key, (uint64_t)v->u.i);
        break;
    case FL_TAG_DOUBLE:
        push(key, v->tag);
        if (value_matters) push(key, bits(v->u.d));
        break;
    case FL_TAG_COMPLEX:
        push(key, v->tag);
        if (value_matters) push(key, bits(v->u.complex_[0])), push(key, bits(v->u.complex_[1]));
        break;
    case FL_TAG_OTHER: push(key, FL_TAG_OTHER); break; /* streams, layouts: no lowering can read them */
    default: push_list(key, v, value_matters);
    }
}

/* First and one-past-last byte that a tensor touches. */
static void extent(const fl_tensor *t, int64_t *begin, int64_t *end)
{
    int64_t last = 0;
    *begin = *end = t->offset;
    for (int d = 0; d < t->rank; d++) {
        if (t->sizes[d] == 0) return;
        last += (t->sizes[d] - 1) * t->strides[d];
    }
    *end = t->offset + (last + 1) * (int64_t)fl_dtype_bytes((fl_dtype)t->dtype);
}

int fl_tensor_alias(const fl_tensor *a, const fl_tensor *b)
{
    int64_t a0, a1, b0, b1;
    if (a->buffer != b->buffer || !a->buffer) return 0;
    extent(a, &a0, &a1);
    extent(b, &b0, &b1);
    if (a1 <= b0 || b1 <= a0) return 0;
    if (a->dtype != b->dtype || a->rank != b->rank || a->offset != b->offset) return 2;
    for (int d = 0; d < a->rank; d++)
        if (a->sizes[d] != b->sizes[d] || (a->sizes[d] > 1 && a->strides[d] != b->strides[d])) return 2;
    return 1;
}

/* For PyTorch's CPU it matters whether tensors share all of their memory, or a part. */
static uint64_t sharing(const fl_tensor *a, const fl_tensor *b)
{
    uint64_t alias = (uint64_t)fl_tensor_alias(a, b);
    int64_t a0, a1, b0, b1;
    if (alias != 2) return alias;
    extent(a, &a0, &a1);
    extent(b, &b0, &b1);
    return a0 == b0 && a1 == b1 ? 3 : 2;
}

/* Slots: every tensor of the call, list elements included. */
typedef struct slot {
    const fl_tensor *tensor;
    uint32_t id; /* argument and element */
    int written;
} slot;

static uint32_t collect(const fl_call *call, slot *out)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const fl_value *v = &call->args[i];
        uint32_t count = v->tag == FL_TAG_TENSOR ? 1 : v->tag == FL_TAG_TENSORS ? v->count : 0;
        int written = 0;
        for (uint32_t w = 0; w < call->written_count; w++) written |= call->written[w] == i;
        for (uint32_t k = 0; k < count; k++) {
            const fl_tensor *t = &v->u.tensor[k];
            if (t->buffer) out[n++] = (slot){t, i << 16 | k, written};
        }
    }
    return n;
}

/* Whether two of the slots share a buffer, by a hash table of buffers (`table` has a power of two of empty places). */
static int any_shared(const slot *slots, uint32_t n, const fl_buffer **table, uint32_t places)
{
    for (uint32_t i = 0; i < n; i++) {
        const fl_buffer *buffer = slots[i].tensor->buffer;
        uint32_t h = (uint32_t)(((uint64_t)(uintptr_t)buffer * 0x9E3779B97F4A7C15ull) >> 40) & (places - 1);
        while (table[h] && table[h] != buffer) h = (h + 1) & (places - 1);
        if (table[h]) return 1;
        table[h] = buffer;
    }
    return 0;
}

static void push_pairs(fl_key *key, const slot *slots, uint32_t n)
{
    for (uint32_t w = 0; w < n; w++)
        for (uint32_t i = 0; i < n && slots[w].written; i++) {
            uint64_t alias = i == w ? 0 : sharing(slots[i].tensor, slots[w].tensor);
            if (!alias) continue;
            push(key, ~0ull ^ alias);
            push(key, (uint64_t)slots[w].id << 32 | slots[i].id);
        }
}

/* Words for every pair of a written tensor and another one that share memory. Nearly always there is none. */
static void push_aliases(fl_key *key, const fl_call *call)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < call->arg_count; i++)
        total += call->args[i].tag == FL_TAG_TENSOR    ? 1
                 : call->args[i].tag == FL_TAG_TENSORS ? call->args[i].count
                                                       : 0;
    if (!call->written_count || total < 2) return;
    if (total <= 8) {
        slot slots[8];
        push_pairs(key, slots, collect(call, slots));
        return;
    }
    uint32_t places = 16;
    while (places < total * 2) places *= 2;
    slot *slots = malloc(total * sizeof *slots);
    const fl_buffer **table = calloc(places, sizeof *table);
    if (slots && table) {
        uint32_t n = collect(call, slots);
        if (any_shared(slots, n, table, places)) push_pairs(key, slots, n);
    } else {
        key->failed = 1;
    }
    free(slots);
    free(table);
}

void fl_key_make(fl_key *key, const fl_call *call, uint64_t looked_at)
{
    key->words = key->space;
    key->capacity = FL_KEY_INLINE;
    key->count = 0;
    key->failed = 0;
    uint64_t recorded =
        (uint64_t)fl_device_is_replaced(call->device); /* its executables are of another device */
    key->functional = call->functional;
    uint64_t rounding = (uint64_t)fl_rounds_as_written();
    push(key, (uint64_t)call->op << 32 | recorded << 31 | (uint64_t)call->device << 24 | rounding << 23 |
                  (uint64_t)call->functional << 16 | call->written_count << 8 | call->arg_count);
    push(key, looked_at);
    if (looked_at & FL_LOOKED_AT_PRODUCTS) push(key, call->products);
    for (uint32_t i = 0; i < call->arg_count; i++) {
        const fl_value *v = &call->args[i];
        int typed = call->functional && !(call->factors >> i & 1);
        push_value(key, v, !v->scalar || typed || looked_at & fl_scalar_bit(v, (int)i));
    }
    push_aliases(key, call);
}

void fl_key_free(fl_key *key)
{
    if (key->words != key->space) free(key->words);
}
