/* The state of a generator of random programs, and what all its families of operations use: numbers, types, constants,
 * attributes, values to work on. */
#ifndef FL_TESTS_IR_RANDOM_CORE_H
#define FL_TESTS_IR_RANDOM_CORE_H

#include "ir/build.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum fl_random_flags {
    FL_RANDOM_PLAIN = 0, /* static tensors, operations that one device computes */
    FL_RANDOM_EVERYTHING =
        1, /* also quantized and open types, tokens, tuples, distribution, calls out, attributes of others */
    FL_RANDOM_STABLEHLO = 2, /* nothing of CHLO, as portable artifacts have it */
    FL_RANDOM_TESTS =
        4 /* also what few readers know: operations of test programs, the newest ones of StableHLO */
} fl_random_flags;

enum { POOL = 192, SCRATCH = 1024, MOST_ATTRS = 24 };

typedef struct gen {
    fl_builder builder, *b;
    uint64_t state;
    int everything, stablehlo_only, tests, depth;
    fl_ref pool[POOL]; /* values that operations may use now */
    uint32_t pool_count;
    int64_t scratch[SCRATCH]; /* attribute payloads until the operation is built */
    uint32_t scratch_used;
    fl_attr attrs[MOST_ATTRS]; /* of the operation to be built */
    uint32_t attr_count;
    const char
        *callee; /* a function (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> that can be called; or NULL */
} gen;

/* ---- numbers (splitmix64) ---- */

static inline uint64_t random_bits(gen *g)
{
    uint64_t z = g->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static inline int below(gen *g, int n)
{
    return (int)(random_bits(g) % (uint64_t)n);
}

static inline int chance(gen *g, int percent)
{
    return below(g, 100) < percent;
}

static inline void *gen_alloc(gen *g, size_t bytes)
{
    void *at = fl_arena_alloc(&g->b->program->arena, bytes ? bytes : 1);
    if (at) return at;
    fprintf(stderr, "out of memory\n");
    exit(1);
}

static inline int64_t *scratch(gen *g, uint32_t n)
{
    if (g->scratch_used + n > SCRATCH) g->scratch_used = 0;
    g->scratch_used += n;
    return g->scratch + g->scratch_used - n;
}

/* ---- types ---- */

/* Element types of a class: b i1, s signed integers, u unsigned ones, f floats, n narrow floats, c complex */
static inline fl_dtype random_dtype(gen *g, const char *classes)
{
    static const fl_dtype signed_types[] = {FL_I32, FL_I64, FL_I8, FL_I16, FL_I4, FL_I2},
                          unsigned_types[] = {FL_U32, FL_U64, FL_U8, FL_U16, FL_U4, FL_U2},
                          floats[] = {FL_F32, FL_F64, FL_BF16,     FL_F16,
                                      FL_F32, FL_F64, FL_F8E4M3FN, FL_F8E5M2},
                          narrow[] = {FL_F4E2M1FN, FL_F6E2M3FN,   FL_F6E3M2FN,   FL_F8E3M4,
                                      FL_F8E4M3,   FL_F8E4M3FN,   FL_F8E4M3FNUZ, FL_F8E4M3B11FNUZ,
                                      FL_F8E5M2,   FL_F8E5M2FNUZ, FL_F8E8M0FNU};
    switch (classes[below(g, (int)strlen(classes))]) {
    case 'b': return FL_I1;
    case 's': return signed_types[below(g, 6)];
    case 'u': return unsigned_types[below(g, 6)];
    case 'f': return floats[below(g, 8)];
    case 'n': return narrow[below(g, 11)];
    default: return chance(g, 50) ? FL_C64 : FL_C128;
    }
}

static inline int dtype_is(fl_dtype t, const char *classes)
{
    static const char letters[] = {[FL_KIND_NONE] = ' ', [FL_KIND_BOOL] = 'b',  [FL_KIND_INT] = 's',
                                   [FL_KIND_UINT] = 'u', [FL_KIND_FLOAT] = 'f', [FL_KIND_COMPLEX] = 'c'};
    return t != FL_IDX && strchr(classes, letters[fl_dtype_kind(t)]) != NULL;
}

static inline fl_type random_type(gen *g, fl_dtype dtype, int most_rank)
{
    int64_t dims[FL_MAX_RANK];
    int rank = below(g, most_rank + 1);
    for (int i = 0; i < rank; i++) dims[i] = chance(g, 4) ? 0 : 1 + below(g, 4);
    return fl_type_make(dtype, rank, dims);
}

static inline fl_type with_dtype(fl_type t, fl_dtype dtype)
{
    t.dtype = (uint8_t)dtype;
    return t;
}

/* ---- constants ---- */

static inline void random_float(gen *g, fl_dtype dtype, uint8_t *out)
{
    static const double some[] = {0, 1, -1, 0.5, 2, -3.25, 0.1, 1e-3, 100};
    uint64_t bits = random_bits(g);
    int width = fl_dtypes[dtype].bits;
    if (chance(g, 20) && dtype != FL_TF32) { /* any bits: NaN payloads, infinities, subnormals */
        if (width < 8) bits &= (1u << width) - 1;
        memcpy(out, &bits, fl_dtype_bytes(dtype));
        return;
    }
    double v = chance(g, 50) ? some[below(g, 9)] : (double)(int64_t)bits * 0x1p-61;
    float single = (float)v;
    uint32_t word;
    memcpy(&word, &single, 4);
    switch (dtype) {
    case FL_F64: memcpy(out, &v, 8); break;
    case FL_F32: memcpy(out, &single, 4); break;
    case FL_BF16: memcpy(out, (uint8_t *)&word + 2, 2); break;
    case FL_F16: bits = chance(g, 50) ? 0x3c00 : bits & 0xbbff, memcpy(out, &bits, 2); break;
    default: bits &= width < 8 ? (1u << width) - 1 : 0xff, out[0] = (uint8_t)bits; break;
    }
}

static inline void random_element(gen *g, fl_dtype dtype, uint8_t *out)
{
    uint64_t bits = chance(g, 70) ? random_bits(g) % 7 : random_bits(g);
    int width = fl_dtypes[dtype].bits;
    switch (fl_dtype_kind(dtype)) {
    case FL_KIND_BOOL: out[0] = bits & 1; break;
    case FL_KIND_INT:
        if (width < 64) bits = (uint64_t)((int64_t)(bits << (64 - width)) >> (64 - width));
        memcpy(out, &bits, fl_dtype_bytes(dtype));
        break;
    case FL_KIND_UINT:
        if (width < 64) bits &= ((uint64_t)1 << width) - 1;
        memcpy(out, &bits, fl_dtype_bytes(dtype));
        break;
    case FL_KIND_COMPLEX:
        random_float(g, fl_real_dtype(dtype), out);
        random_float(g, fl_real_dtype(dtype), out + fl_dtype_bytes(dtype) / 2);
        break;
    default: random_float(g, dtype, out); break;
    }
}

/* `n` elements of a static type's element type. */
static inline uint8_t *random_elements(gen *g, fl_dtype dtype, int64_t n)
{
    size_t size = fl_dtype_bytes(dtype);
    uint8_t *data = gen_alloc(g, (size_t)n * size);
    for (int64_t i = 0; i < n; i++) random_element(g, dtype, data + (size_t)i * size);
    return data;
}

static inline void keep_value(gen *g, fl_ref r)
{
    if (r != FL_NO_REF && g->pool_count < POOL) g->pool[g->pool_count++] = r;
}

static inline fl_ref constant_of(gen *g, fl_type type)
{
    int64_t n = fl_type_elements(&type);
    int splat = n != 1 && (chance(g, 25) || n > 256);
    size_t bytes = (size_t)(splat ? 1 : n) * fl_dtype_bytes((fl_dtype)type.dtype);
    fl_attr value = {.key = FL_ATTR_value, .count = (uint32_t)bytes};
    value.u.dense = random_elements(g, (fl_dtype)type.dtype, splat ? 1 : n);
    if (!n) value.count = 0;
    return fl_build_typed(g->b, FL_OP_constant, NULL, 0, &value, 1, NULL, 0, &type, 1);
}

/* A constant of these values. */
static inline fl_ref integers(gen *g, fl_dtype dtype, int rank, const int64_t *dims, const int64_t *values)
{
    fl_type type = fl_type_make(dtype, rank, dims);
    int64_t n = fl_type_elements(&type);
    size_t size = fl_dtype_bytes(dtype);
    uint8_t *data = gen_alloc(g, (size_t)n * size);
    for (int64_t i = 0; i < n; i++) memcpy(data + (size_t)i * size, &values[i], size);
    return fl_constant(g->b, type, data);
}

/* ---- values to work on ---- */

static inline const fl_type *type_of(gen *g, fl_ref r)
{
    return fl_typeof(g->b, r);
}

/* A value of a plain tensor type whose element type is of these classes and whose rank is within limits. */
static inline fl_ref pick_ranked(gen *g, const char *classes, int least, int most)
{
    for (int tries = 0; tries < 12 && g->pool_count; tries++) {
        fl_ref r = g->pool[below(g, (int)g->pool_count)];
        const fl_type *t = type_of(g, r);
        if (fl_type_is_plain(t) && dtype_is((fl_dtype)t->dtype, classes) && t->rank >= least &&
            t->rank <= most)
            return r;
    }
    fl_type t = random_type(g, random_dtype(g, classes), most);
    while (t.rank < least) t.dims[t.rank++] = 1 + below(g, 4);
    return constant_of(g, t);
}

static inline fl_ref pick(gen *g, const char *classes)
{
    return pick_ranked(g, classes, 0, 4);
}

/* Another value of the type. */
static inline fl_ref like_type(gen *g, fl_type type)
{
    for (int tries = 0; tries < 12 && g->pool_count; tries++) {
        fl_ref r = g->pool[below(g, (int)g->pool_count)];
        if (fl_type_equal(type_of(g, r), &type)) return r;
    }
    return constant_of(g, type);
}

static inline fl_ref like(gen *g, fl_ref x)
{
    return chance(g, 15) ? x : like_type(g, *type_of(g, x));
}

static inline fl_ref scalar_of(gen *g, fl_dtype dtype)
{
    return like_type(g, fl_type_make(dtype, 0, NULL));
}

/* ---- attributes of the next operation ---- */

static inline fl_attr *add_attr(gen *g, fl_attr_key key)
{
    fl_attr *a = &g->attrs[g->attr_count < MOST_ATTRS ? g->attr_count++ : MOST_ATTRS - 1];
    memset(a, 0, sizeof *a);
    a->key = key;
    return a;
}

static inline void add_int(gen *g, fl_attr_key key, int64_t value)
{
    add_attr(g, key)->u.i = value;
}

static inline void add_ints(gen *g, fl_attr_key key, uint32_t count, const int64_t *values)
{
    fl_attr *a = add_attr(g, key);
    int64_t *copy = scratch(g, count);
    if (count) memcpy(copy, values, count * sizeof *copy);
    a->count = count;
    a->u.ints = copy;
}

#define ADD_INTS(g, key, ...)                                                                                \
    add_ints(g, FL_ATTR_##key, sizeof((int64_t[]){__VA_ARGS__}) / 8, (int64_t[]){__VA_ARGS__})

static inline void add_matrix(gen *g, fl_attr_key key, uint32_t rows, uint32_t columns, const int64_t *values)
{
    add_ints(g, key, rows * columns, values);
    g->attrs[g->attr_count - 1].columns = (uint16_t)columns;
}

static inline void add_string(gen *g, fl_attr_key key, const char *text)
{
    fl_attr *a = add_attr(g, key);
    a->u.string = text;
    a->count = (uint32_t)strlen(text);
}

static inline void add_literal(gen *g, fl_attr_key key, const fl_literal *literal)
{
    add_attr(g, key)->u.literal = literal;
}

/* ---- literals ---- */

static inline fl_literal literal_int(fl_dtype dtype, int64_t i)
{
    return (fl_literal){.kind = FL_LIT_INT, .dtype = (uint8_t)dtype, .u.i = i};
}

static inline fl_literal literal_text(fl_literal_kind kind, const char *text)
{
    return (fl_literal){.kind = (uint8_t)kind, .count = (uint32_t)strlen(text), .u.string = text};
}

static inline fl_literal literal_ints(gen *g, fl_dtype dtype, uint32_t count)
{
    int64_t *values = gen_alloc(g, count * sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        values[i] = 0;
        random_element(g, dtype, (uint8_t *)&values[i]);
        int width = 8 * (int)fl_dtype_bytes(dtype);
        if (dtype != FL_I1) values[i] = (int64_t)((uint64_t)values[i] << (64 - width)) >> (64 - width);
    }
    return (fl_literal){.kind = FL_LIT_INTS, .dtype = (uint8_t)dtype, .count = count, .u.ints = values};
}

static inline fl_literal literal_array(gen *g, uint32_t count, const fl_literal *items)
{
    fl_literal *copy = gen_alloc(g, count * sizeof *copy);
    if (count) memcpy(copy, items, count * sizeof *copy);
    return (fl_literal){.kind = FL_LIT_ARRAY, .count = count, .u.items = copy};
}

/* Names must come sorted. */
static inline fl_literal literal_dict(gen *g, uint32_t count, const fl_entry *entries)
{
    fl_entry *copy = gen_alloc(g, count * sizeof *copy);
    if (count) memcpy(copy, entries, count * sizeof *copy);
    return (fl_literal){.kind = FL_LIT_DICT, .count = count, .u.entries = copy};
}

static inline const fl_type *kept_type(gen *g, fl_type type)
{
    fl_type *copy = gen_alloc(g, sizeof *copy);
    *copy = type;
    return copy;
}

static inline fl_literal random_literal(gen *g, int depth);

static inline fl_literal random_dict(gen *g, int depth)
{
    static const char *const names[] = {"jax.flag", "mhlo.frontend", "odd name",
                                        "test.a",   "test.b_1",      "test.c$d"};
    fl_entry entries[6];
    uint32_t n = 0;
    for (int i = 0; i < 6; i++)
        if (chance(g, 30)) entries[n++] = (fl_entry){names[i], random_literal(g, depth + 1)};
    return literal_dict(g, n, entries);
}

static inline fl_literal random_dense(gen *g)
{
    fl_literal l = {.kind = FL_LIT_DENSE};
    fl_type type = random_type(g, random_dtype(g, "bsufc"), 2);
    int64_t n = fl_type_elements(&type);
    l.type = kept_type(g, type);
    l.count = (uint32_t)fl_type_bytes(&type);
    l.u.data = random_elements(g, (fl_dtype)type.dtype, n);
    return l;
}

static inline fl_literal random_literal_type(gen *g)
{
    fl_literal l = {.kind = FL_LIT_TYPE};
    fl_type type = random_type(g, random_dtype(g, "bsufnc"), 3);
    switch (below(g, 4)) {
    case 0: type = (fl_type){.kind = FL_TYPE_ELEMENT, .dtype = type.dtype}; break;
    case 1: type = (fl_type){.kind = FL_TYPE_NONE}; break;
    case 2:
        if (type.rank) type.dims[0] = FL_DYNAMIC;
        break;
    default: break;
    }
    l.type = kept_type(g, type);
    return l;
}

static inline fl_literal random_literal(gen *g, int depth)
{
    static const fl_dtype ints[] = {FL_I64, FL_I32, FL_I8, FL_U32, FL_U64, FL_IDX};
    static const double numbers[] = {0.5, 1e-5, 1e300, -0.0, INFINITY, NAN, 0.1};
    static const char *const strings[] = {"", "plain", "two\nlines", "\"quoted\" \\ back", "caf\xc3\xa9"};
    fl_literal items[3], l = {0};
    switch (below(g, depth < 3 ? 12 : 8)) {
    case 0: return l; /* unit */
    case 1: return (fl_literal){.kind = FL_LIT_BOOL, .dtype = FL_I1, .u.i = below(g, 2)};
    case 2:
    case 3:
        l = literal_int(ints[below(g, 6)], 0);
        random_element(g, l.dtype == FL_IDX ? FL_I64 : (fl_dtype)l.dtype, (uint8_t *)&l.u.i);
        if (l.dtype == FL_I8) l.u.i = (int8_t)l.u.i;
        if (l.dtype == FL_I32) l.u.i = (int32_t)l.u.i;
        return l;
    case 4:
        l = (fl_literal){.kind = FL_LIT_FLOAT, .dtype = FL_F64, .u.f = numbers[below(g, 7)]};
        if (chance(g, 50)) l.dtype = FL_F32, l.u.f = (float)(l.u.f == 1e300 ? 3.0 : l.u.f);
        return l;
    case 5: return literal_text(FL_LIT_STRING, strings[below(g, 5)]);
    case 6: return random_literal_type(g);
    case 7: /* artifacts have tensors alone */
        if (g->stablehlo_only) return random_dense(g);
        return literal_ints(g, (const fl_dtype[]){FL_I64, FL_I32, FL_I1, FL_I8}[below(g, 4)],
                            (uint32_t)below(g, 4));
    case 8:
        for (int i = 0; i < 3; i++) items[i] = random_literal(g, depth + 1);
        return literal_array(g, (uint32_t)below(g, 4), items);
    case 9: return random_dict(g, depth);
    case 10: return random_dense(g);
    default: return literal_text(FL_LIT_OPAQUE, "#sdy.mesh<[\"x\"=2, \"y\"=4]>");
    }
}

/* ---- building ---- */

/* Builds the operation with the attributes added, and keeps its results. `types` NULL: inferred. */
static inline fl_ref emit_all(gen *g, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                              fl_block *const *regions, uint32_t region_count, const fl_type *types,
                              uint32_t type_count)
{
    fl_ref r = types || type_count ? fl_build_typed(g->b, code, operands, operand_count, g->attrs,
                                                    g->attr_count, regions, region_count, types, type_count)
                                   : fl_build(g->b, code, operands, operand_count, g->attrs, g->attr_count,
                                              regions, region_count);
    g->attr_count = 0;
    g->scratch_used = 0;
    fl_op *op = fl_last_op(g->b);
    if (!op) return FL_NO_REF;
    for (uint32_t i = 0; i < op->result_count; i++) keep_value(g, r + i);
    if (g->everything && chance(g, 8)) {
        fl_literal extra = random_dict(g, 0);
        if (extra.count) op->extra = fl_literal_keep(&g->b->program->arena, &extra);
    }
    return r;
}

static inline fl_ref emit(gen *g, fl_opcode code, const fl_ref *operands, uint32_t operand_count)
{
    return emit_all(g, code, operands, operand_count, NULL, 0, NULL, 0);
}

static inline fl_ref emit_typed(gen *g, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                                fl_type type)
{
    return emit_all(g, code, operands, operand_count, NULL, 0, &type, 1);
}

/* A region of one block; what is made within is gone from the pool at its end. */
typedef struct gen_region {
    fl_block *block;
    uint32_t pool_count;
} gen_region;

static inline gen_region region_begin(gen *g, const fl_type *types, uint32_t count, int keep)
{
    gen_region r = {NULL, g->pool_count};
    r.block = fl_region_begin(g->b, types, count);
    for (uint32_t i = 0; keep && i < count; i++) keep_value(g, fl_block_arg(r.block, i));
    g->depth++;
    return r;
}

static inline fl_block *region_end(gen *g, gen_region r, const fl_ref *results, uint32_t count)
{
    fl_region_end(g->b, r.block, results, count);
    g->pool_count = r.pool_count;
    g->depth--;
    return r.block;
}

static inline void random_operations(gen *g, int count);

#endif
