/* Integers and i1. Arithmetic wraps: it is done on unsigned types. U is at least 32 bits wide, so that nothing is promoted
 * to a signed int that could overflow. */
#include "cpu/loop/vec_macros.h"

#define SIGNED(X)                                                                                            \
    X(I8, int8_t, uint32_t, 8)                                                                               \
    X(I16, int16_t, uint32_t, 16) X(I32, int32_t, uint32_t, 32) X(I64, int64_t, uint64_t, 64)
#define UNSIGNED(X)                                                                                          \
    X(U8, uint8_t, uint32_t, 8)                                                                              \
    X(U16, uint16_t, uint32_t, 16) X(U32, uint32_t, uint32_t, 32) X(U64, uint64_t, uint64_t, 64)

#define COMMON(D, T, U, bits)                                                                                \
    FL_BINARY(add_##D, T, T, (U)p + (U)q)                                                                    \
    FL_BINARY(subtract_##D, T, T, (U)p - (U)q)                                                               \
    FL_BINARY(multiply_##D, T, T, (U)p *(U)q)                                                                \
    FL_BINARY(maximum_##D, T, T, p > q ? p : q)                                                              \
    FL_BINARY(minimum_##D, T, T, p < q ? p : q)                                                              \
    FL_BINARY(and_##D, T, T, p &q)                                                                           \
    FL_BINARY(or_##D, T, T, p | q)                                                                           \
    FL_BINARY(xor_##D, T, T, p ^ q)                                                                          \
    FL_BINARY(shift_left_##D, T, T, (U)q < bits ? (U)p << ((U)q & (bits - 1)) : 0)                           \
    FL_UNARY(not_##D, T, T, ~p)                                                                              \
    FL_UNARY(negate_##D, T, T, -(U)p)                                                                        \
    FL_UNARY(square_##D, T, T, (U)p *(U)p)

#define ONLY_SIGNED(D, T, U, bits)                                                                           \
    FL_BINARY(shift_right_logical_##D, T, T, (U)q < bits ? (u##T)p >> ((U)q & (bits - 1)) : 0)               \
    FL_BINARY(shift_right_arithmetic_##D, T, T, p >> ((U)q < bits ? ((U)q & (bits - 1)) : bits - 1))         \
    FL_UNARY(abs_##D, T, T, p < 0 ? -(U)p : (U)p)                                                            \
    FL_UNARY(sign_##D, T, T, (p > 0) - (p < 0))                                                              \
    FL_BINARY_VV(divide_##D, T, T, q == 0 ? (T) - 1 : q == -1 ? (T)(-(U)p) : (T)(p / q))                     \
    FL_BINARY_VV(remainder_##D, T, T, q == 0 ? p : q == -1 ? (T)0 : (T)(p % q))

#define ONLY_UNSIGNED(D, T, U, bits)                                                                         \
    FL_BINARY(shift_right_logical_##D, T, T, (U)q < bits ? p >> ((U)q & (bits - 1)) : 0)                     \
    FL_BINARY(shift_right_arithmetic_##D, T, T, ((s##T)p) >> ((U)q < bits ? ((U)q & (bits - 1)) : bits - 1)) \
    FL_UNARY(abs_##D, T, T, p)                                                                               \
    FL_UNARY(sign_##D, T, T, p > 0)                                                                          \
    FL_BINARY_VV(divide_##D, T, T, q == 0 ? (T) - 1 : (T)(p / q))                                            \
    FL_BINARY_VV(remainder_##D, T, T, q == 0 ? p : (T)(p % q))

typedef int8_t suint8_t;
typedef int16_t suint16_t;
typedef int32_t suint32_t;
typedef int64_t suint64_t;

SIGNED(COMMON)
SIGNED(ONLY_SIGNED)
UNSIGNED(COMMON)
UNSIGNED(ONLY_UNSIGNED)

/* i1: one byte, 0 or 1; add is or, multiply is and */
FL_BINARY(and_I1, uint8_t, uint8_t, p &q)
FL_BINARY(or_I1, uint8_t, uint8_t, p | q)
FL_BINARY(xor_I1, uint8_t, uint8_t, p ^ q)
FL_UNARY(not_I1, uint8_t, uint8_t, p ^ 1)
FL_UNARY(same_I1, uint8_t, uint8_t, p)

#define COMMON_ROWS(D, T, U, bits)                                                                           \
    FL_ROW3(add, add_##D, D)                                                                                 \
    FL_ROW3(subtract, subtract_##D, D) FL_ROW3(multiply, multiply_##D, D) FL_ROW3(maximum, maximum_##D, D)   \
        FL_ROW3(minimum, minimum_##D, D) FL_ROW3(and, and_##D, D) FL_ROW3(or, or_##D, D)                     \
            FL_ROW3(xor, xor_##D, D) FL_ROW3(shift_left, shift_left_##D, D)                                  \
                FL_ROW3(shift_right_logical, shift_right_logical_##D, D)                                     \
                    FL_ROW3(shift_right_arithmetic, shift_right_arithmetic_##D, D) FL_ROW1(not, not_##D, D)  \
                        FL_ROW1(negate, negate_##D, D) FL_ROW1(abs, abs_##D, D) FL_ROW1(sign, sign_##D, D)   \
                            FL_ROW1(square, square_##D, D) FL_ROW_VV(divide, divide_##D, D)                  \
                                FL_ROW_VV(remainder, remainder_##D, D)

static const fl_vec_row rows[] = {
    SIGNED(COMMON_ROWS) UNSIGNED(COMMON_ROWS) FL_ROW3(and, and_I1, I1) FL_ROW3(multiply, and_I1, I1)
        FL_ROW3(minimum, and_I1, I1) FL_ROW3(or, or_I1, I1) FL_ROW3(add, or_I1, I1)
            FL_ROW3(maximum, or_I1, I1) FL_ROW3(xor, xor_I1, I1) FL_ROW1(not, not_I1, I1)
                FL_ROW1(abs, same_I1, I1) FL_ROW1(square, same_I1, I1)};
const fl_vec_table FL_ISA_NAME(fl_vec_ints)[1] = {{rows, sizeof rows / sizeof rows[0]}};
