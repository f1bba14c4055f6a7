/* Random programs with control flow: loops within loops, branches, captured values, states that are swapped, returned as they came,
 * updated in place. The plan's results must be the reference interpreter's, bit for bit: all operations are exact. */
#include "cpu/loop_test.h"

#include <string.h>

#define MAX_VALUES 400
#define KINDS      5

static fl_builder b;
static fl_ref pool[MAX_VALUES]; /* values in scope */
static int pool_count;

static fl_type kind_type(int kind)
{
    switch (kind) {
    case 0: return fl_type_make(FL_I32, 0, NULL);
    case 1: return fl_type_make(FL_I32, 1, DIMS(6));
    case 2: return fl_type_make(FL_I32, 2, DIMS(2, 3));
    case 3: return fl_type_make(FL_F32, 1, DIMS(6));
    default: return fl_type_make(FL_I32, 1, DIMS(600));
    }
}

static int kind_of(fl_ref r)
{
    const fl_type *t = fl_typeof(&b, r);
    for (int k = 0; k < KINDS; k++) {
        fl_type other = kind_type(k);
        if (fl_type_equal(t, &other)) return k;
    }
    return -1;
}

static void offer(fl_ref r)
{
    if (pool_count < MAX_VALUES) pool[pool_count++] = r;
}

static fl_ref binary(fl_opcode code, fl_ref x, fl_ref y)
{
    fl_ref operands[] = {x, y};
    return fl_build(&b, code, operands, 2, NULL, 0, NULL, 0);
}

static fl_ref constant_of(int kind)
{
    fl_type t = kind_type(kind);
    fl_ref s = kind == 3 ? fl_scalar_f(&b, FL_F32, pick(9) - 4) : fl_scalar_i(&b, FL_I32, pick(9) - 4);
    return t.rank ? fl_broadcast_in_dim(&b, s, t.rank, t.dims, NULL) : s;
}

/* A value in scope of this kind, late ones more often. */
static fl_ref any(int kind)
{
    for (int tries = 0; tries < 40 && pool_count; tries++) {
        int i = pick(2) ? pick(pool_count) : pool_count - 1 - pick(pool_count < 6 ? pool_count : 6);
        if (kind_of(pool[i]) == kind) return pool[i];
    }
    return constant_of(kind);
}

static fl_ref small(int limit) /* a scalar in [0, limit) */
{
    return binary(FL_OP_and, any(0), fl_scalar_i(&b, FL_I32, limit - 1));
}

static fl_ref elementwise(int kind)
{
    static const fl_opcode codes[] = {FL_OP_add, FL_OP_subtract, FL_OP_maximum, FL_OP_minimum,
                                      FL_OP_multiply};
    fl_ref x = any(kind), y = any(kind);
    if (pick(5) == 0) return fl_select(&b, fl_compare(&b, FL_LT, x, y), any(kind), any(kind));
    /* floats stay small, so that sums are exact in any order */
    return binary(codes[pick(kind == 3 ? 4 : 5)], x, y);
}

static fl_ref movement(int kind)
{
    fl_ref start[1] = {small(4)};
    switch (kind) {
    case 0: return fl_reshape(&b, fl_dynamic_slice(&b, any(1), start, DIMS(1)), 0, NULL);
    case 1:
        if (pick(2)) return fl_dynamic_update_slice(&b, any(1), fl_reshape(&b, any(0), 1, DIMS(1)), start);
        return fl_reshape(&b, any(2), 1, DIMS(6));
    case 2:
        return fl_reshape(&b, fl_transpose(&b, fl_reshape(&b, any(1), 2, DIMS(3, 2)), DIMS(1, 0)), 2,
                          DIMS(2, 3));
    case 3: return fl_reverse(&b, any(3), DIMS(0), 1);
    default:
        if (pick(2)) return fl_dynamic_update_slice(&b, any(4), any(1), start);
        return fl_broadcast_in_dim(&b, any(0), 1, DIMS(600), NULL);
    }
}

static fl_ref reduction(void)
{
    return fl_reduce_all(&b, pick(2) ? FL_OP_add : FL_OP_maximum, any(pick(2) ? 1 : 4));
}

static void some(int depth, int count);

static fl_block *branch(const int *kinds, int count, int depth)
{
    fl_block *block = fl_region_begin(&b, NULL, 0);
    fl_ref results[8];
    int before = pool_count;
    some(depth - 1, pick(4));
    for (int i = 0; i < count; i++) results[i] = pick(3) ? any(kinds[i]) : elementwise(kinds[i]);
    fl_region_end(&b, block, results, (uint32_t)count);
    pool_count = before;
    return block;
}

static void branches(int depth)
{
    int kinds[8], count = 1 + pick(3), cases = 2 + pick(2), two = pick(2);
    fl_block *blocks[3];
    for (int i = 0; i < count; i++) kinds[i] = pick(KINDS);
    fl_ref choice = two ? fl_compare(&b, FL_LT, any(0), any(0))
                        : binary(FL_OP_subtract, small(4), fl_scalar_i(&b, FL_I32, 1));
    if (two) cases = 2;
    for (int i = 0; i < cases; i++) blocks[i] = branch(kinds, count, depth);
    fl_ref first = fl_build(&b, two ? FL_OP_if : FL_OP_case, &choice, 1, NULL, 0, blocks, (uint32_t)cases);
    for (int i = 0; i < count; i++) offer(first + (fl_ref)i);
}

static void loop(int depth)
{
    int count = 1 + pick(5), before = pool_count;
    fl_ref init[8] = {fl_scalar_i(&b, FL_I32, 0)}, limit = small(4), next[8];
    fl_type types[8] = {kind_type(0)};
    for (int i = 1; i < count; i++) {
        init[i] = any(pick(KINDS));
        types[i] = *fl_typeof(&b, init[i]);
    }
    fl_block *regions[2];
    regions[0] = fl_region_begin(&b, types, (uint32_t)count);
    if (pick(3) == 0) some(0, pick(3));
    fl_ref flag = fl_compare(&b, FL_LT, fl_block_arg(regions[0], 0), limit);
    fl_region_end(&b, regions[0], &flag, 1);
    pool_count = before;
    regions[1] = fl_region_begin(&b, types, (uint32_t)count);
    for (int i = 0; i < count; i++) offer(fl_block_arg(regions[1], (uint32_t)i));
    some(depth - 1, 1 + pick(7));
    next[0] = fl_add(&b, fl_block_arg(regions[1], 0), fl_scalar_i(&b, FL_I32, 1));
    for (int i = 1; i < count; i++) {
        int kind = kind_of(init[i]), own = (int)fl_block_arg(regions[1], (uint32_t)i);
        next[i] = pick(3) == 0 ? (fl_ref)own : any(kind);
        if (kind == 4 && pick(3) == 0) /* updated where it is */
            next[i] = fl_dynamic_update_slice(&b, (fl_ref)own, any(1), (fl_ref[]){small(4)});
    }
    fl_region_end(&b, regions[1], next, (uint32_t)count);
    pool_count = before;
    fl_ref first = fl_build(&b, FL_OP_while, init, (uint32_t)count, NULL, 0, regions, 2);
    for (int i = 0; i < count; i++) offer(first + (fl_ref)i);
}

static void some(int depth, int count)
{
    for (int i = 0; i < count; i++) {
        int what = pick(10), kind = pick(KINDS);
        if (what < 4)
            offer(elementwise(kind));
        else if (what < 6)
            offer(movement(kind));
        else if (what < 7)
            offer(reduction());
        else if (depth > 0 && what < 8)
            branches(depth);
        else if (depth > 0)
            loop(depth);
        else
            offer(constant_of(kind));
    }
}

static void test_program(uint64_t seed)
{
    char name[64];
    fl_program *p = NULL;
    run_case c;
    random_state = seed * 0x9e3779b97f4a7c15ull + 88172645463325252ull;
    pool_count = 0;
    snprintf(name, sizeof name, "control %llu", (unsigned long long)seed);
    CHECK_OK(fl_builder_init(&b, "main"));
    int inputs = 1 + pick(5), count = 1 + pick(5);
    for (int i = 0; i < inputs; i++) offer(fl_parameter(&b, kind_type(pick(KINDS))));
    some(3, 3 + pick(8));
    fl_ref results[8];
    for (int i = 0; i < count; i++) results[i] = any(pick(KINDS));
    CHECK_OK(fl_builder_finish(&b, results, (uint32_t)count, &p));
    if (!p) return;
    dense_case(&c, p);
    for (int i = 0; i < inputs; i++) {
        const fl_type *t = fl_type_of(p, p->main->first_arg + (fl_ref)i);
        size_t size = fl_dtype_bytes((fl_dtype)t->dtype);
        c.data[i] = calloc((size_t)fl_type_elements(t) + 1, size);
        for (int64_t k = 0; k < fl_type_elements(t); k++)
            store_number((fl_dtype)t->dtype, c.data[i] + (size_t)k * size, pick(21) - 10);
    }
    /* some results lie in an input of the same type */
    for (int r = 0; r < count; r++)
        for (int i = 0; i < inputs && !c.bound[r]; i++) {
            int taken = !fl_type_equal(fl_type_of(p, p->main->results[r]),
                                       fl_type_of(p, p->main->first_arg + (fl_ref)i));
            for (int k = 0; k < r; k++) taken |= c.bound[k] == i + 1;
            if (taken || pick(2)) continue;
            c.bound[r] = i + 1;
            c.use_aliases = 1;
            c.aliases[r * inputs + i] = 1;
        }
    if (!run_and_compare(&c, name, 0)) {
        fl_text text = {0};
        fl_program_print(p, &text);
        fprintf(stderr, "%s\n", text.data);
        fl_text_free(&text);
    }
    for (int i = 0; i < inputs; i++) free(c.data[i]);
    fl_program_destroy(p);
}

int main(void)
{
    const char *more = getenv("FL_RANDOM_PROGRAMS");
    int count = more ? atoi(more) : 400;
    const char *first = getenv("FL_RANDOM_FIRST");
    for (int poison = 0; poison < 2; poison++) { /* then with dead memory overwritten */
        if (poison) setenv("FL_DEBUG", "poison", 1);
        for (int i = 0; i < count && check_failures < 3; i++)
            test_program((uint64_t)i + (first ? (uint64_t)atoll(first) : 0));
    }
    return check_result();
}
