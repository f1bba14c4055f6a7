/* rng_bit_generator, against the reference and the vectors published with Random123 (kat_vectors, philox4x32 with 10 rounds). */
#include "kernel_case.h"

static void test_bits(int state_words, fl_dtype dtype, int64_t n, fl_rng_algorithm algorithm)
{
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "random"));
    uint64_t state[] = {random_bits(), UINT64_MAX - (uint64_t)random_in(0, n), random_bits()};
    int64_t words = state_words;
    fl_ref s = fl_parameter(&b, fl_type_make(FL_U64, 1, &words));
    fl_attr attr = {.key = FL_ATTR_rng_algorithm, .u.i = algorithm};
    fl_type types[] = {*fl_typeof(&b, s), fl_type_make(dtype, 1, &n)};
    fl_build_typed(&b, FL_OP_rng_bit_generator, &s, 1, &attr, 1, NULL, 0, types, 2);
    void *inputs[] = {state};
    check_kernel(&b, inputs, "rng_bit_generator");
}

static void test_vector(const uint32_t counter[4], const uint32_t key[2], const uint32_t expected[4])
{
    fl_builder b;
    fl_program *p = NULL;
    int64_t words = 3, n = 4;
    CHECK_OK(fl_builder_init(&b, "vector"));
    fl_ref s = fl_parameter(&b, fl_type_make(FL_U64, 1, &words)), results[2];
    fl_attr attr = {.key = FL_ATTR_rng_algorithm, .u.i = FL_RNG_PHILOX};
    fl_type types[] = {*fl_typeof(&b, s), fl_type_make(FL_U32, 1, &n)};
    results[0] = fl_build_typed(&b, FL_OP_rng_bit_generator, &s, 1, &attr, 1, NULL, 0, types, 2);
    results[1] = results[0] + 1;
    CHECK_OK(fl_builder_finish(&b, results, 2, &p));
    uint64_t state[] = {key[0] | (uint64_t)key[1] << 32, counter[0] | (uint64_t)counter[1] << 32,
                        counter[2] | (uint64_t)counter[3] << 32},
             next[3];
    uint32_t bits[4];
    CHECK_OK(run_kernel(p, p->main->ops[0], (void *[]){state}, (void *[]){next, bits}, 0));
    CHECK(!memcmp(bits, expected, sizeof bits));
    CHECK(next[0] == state[0] && next[1] == state[1] + 1 && next[2] == state[2] + (state[1] == UINT64_MAX));
    fl_program_destroy(p);
}

int main(void)
{
    const int64_t sizes[] = {0, 1, 2, 3, 5, 63, 64, 65, 66, 1000, 70001};
    const fl_dtype types[] = {FL_U8, FL_U16, FL_U32, FL_I32, FL_U64};
    for (int i = 0; i < 11; i++)
        for (int k = 0; k < 5; k++) {
            test_bits(2, types[k], sizes[i], FL_RNG_PHILOX);
            test_bits(3, types[k], sizes[i], FL_RNG_PHILOX);
            test_bits(2, types[k], sizes[i], FL_RNG_THREE_FRY);
            test_bits(2, types[k], sizes[i], FL_RNG_DEFAULT);
        }
    test_vector((uint32_t[]){0, 0, 0, 0}, (uint32_t[]){0, 0},
                (uint32_t[]){0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
    test_vector((uint32_t[]){~0u, ~0u, ~0u, ~0u}, (uint32_t[]){~0u, ~0u},
                (uint32_t[]){0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
    test_vector((uint32_t[]){0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                (uint32_t[]){0xa4093822, 0x299f31d0},
                (uint32_t[]){0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});
    return check_result();
}
