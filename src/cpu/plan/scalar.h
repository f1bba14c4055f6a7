/* Work on single elements: counters, indices, states of small loops. Neighbouring groups of it become one step, a list of
 * instructions that an interpreter runs at about a nanosecond each, where a loop program would take tens of them.
 *
 * scalar.c makes the list, scalar_run.c runs it. Values lie in memory, temporaries in a block of scratch memory. */
#ifndef FL_CPU_PLAN_SCALAR_H
#define FL_CPU_PLAN_SCALAR_H

#include "cpu/plan/planner.h"

/* Operations with an instruction of their own, for types where they are one of the processor's; the results are those of the
 * vector kernels (cpu/loop/vec_*.c). */
#define FL_SCALAR_FLOAT(X, D, T)                                                                             \
    X(add, D, T, T, a + b)                                                                                   \
    X(subtract, D, T, T, a - b)                                                                              \
    X(multiply, D, T, T, a *b)                                                                               \
    X(divide, D, T, T, a / b)                                                                                \
    X(maximum, D, T, T, (a > b) | (a != a) ? a : b)                                                          \
    X(minimum, D, T, T, (a < b) | (a != a) ? a : b)                                                          \
    X(negate, D, T, T, -a)
#define FL_SCALAR_INT(X, D, T, U)                                                                            \
    X(add, D, T, T, (T)((U)a + (U)b))                                                                        \
    X(subtract, D, T, T, (T)((U)a - (U)b))                                                                   \
    X(multiply, D, T, T, (T)((U)a * (U)b))                                                                   \
    X(maximum, D, T, T, a > b ? a : b)                                                                       \
    X(minimum, D, T, T, a < b ? a : b)                                                                       \
    X(and, D, T, T, a &b)                                                                                    \
    X(or, D, T, T, a | b)                                                                                    \
    X(xor, D, T, T, a ^ b)                                                                                   \
    X(negate, D, T, T, (T)(0 - (U)a))
#define FL_SCALAR_OPS(X)                                                                                     \
    FL_SCALAR_FLOAT(X, F32, float)                                                                           \
    FL_SCALAR_FLOAT(X, F64, double)                                                                          \
    FL_SCALAR_INT(X, I32, int32_t, uint32_t)                                                                 \
    FL_SCALAR_INT(X, I64, int64_t, uint64_t)                                                                 \
    FL_SCALAR_INT(X, U32, uint32_t, uint32_t)                                                                \
    X(and, I1, uint8_t, uint8_t, a &b)                                                                       \
    X(or, I1, uint8_t, uint8_t, a | b)                                                                       \
    X(xor, I1, uint8_t, uint8_t, a ^ b)                                                                      \
    X(not, I1, uint8_t, uint8_t, a ^ 1)
#define FL_SCALAR_DIRECTIONS(X, D, T)                                                                        \
    X(EQ, ==, D, T) X(NE, !=, D, T) X(GE, >=, D, T) X(GT, >, D, T) X(LE, <=, D, T) X(LT, <, D, T)
#define FL_SCALAR_COMPARES(X)                                                                                \
    FL_SCALAR_DIRECTIONS(X, F32, float)                                                                      \
    FL_SCALAR_DIRECTIONS(X, F64, double)                                                                     \
    FL_SCALAR_DIRECTIONS(X, I32, int32_t)                                                                    \
    FL_SCALAR_DIRECTIONS(X, I64, int64_t)
#define FL_SCALAR_CONVERTS(X)                                                                                \
    X(I32, F32, int32_t, float)                                                                              \
    X(I32, I64, int32_t, int64_t)                                                                            \
    X(I64, I32, int64_t, int32_t)                                                                            \
    X(F32, F64, float, double)                                                                               \
    X(I1, I32, uint8_t, int32_t)                                                                             \
    X(I1, F32, uint8_t, float)
#define FL_SCALAR_SIZES(X) X(1, uint8_t) X(2, uint16_t) X(4, uint32_t) X(8, uint64_t)

typedef enum fl_scalar_code {
    FL_SCALAR_NONE,
#define X(op, D, T, R, value) FL_SCALAR_##op##_##D,
    FL_SCALAR_OPS(X)
#undef X
#define X(name, op, D, T) FL_SCALAR_##name##_##D,
        FL_SCALAR_COMPARES(X)
#undef X
#define X(D, E, T, R) FL_SCALAR_##D##_TO_##E,
            FL_SCALAR_CONVERTS(X)
#undef X
#define X(size, T) FL_SCALAR_COPY_##size, FL_SCALAR_SELECT_##size,
                FL_SCALAR_SIZES(X)
#undef X
                    FL_SCALAR_COPY_16,
    FL_SCALAR_CALL,  /* a vector kernel on one element */
    FL_SCALAR_READ,  /* out = one element of a, at indices that are clamped */
    FL_SCALAR_WRITE, /* one element of out, at indices that are clamped, = a */
    FL_SCALAR_PUT,   /* so too, but nothing where an index is out of bounds */
    FL_SCALAR_CODE_COUNT
} fl_scalar_code;

typedef uint64_t fl_scalar_place; /* a slot (low 16 bits) and an offset in bytes */

/* Which element of an array. */
typedef struct fl_scalar_index {
    uint32_t count;
    uint8_t size, wide; /* bytes of an element; indices are i64, not i32 */
    struct {
        fl_scalar_place at;
        int64_t most, stride; /* the highest index; bytes */
    } dims[];
} fl_scalar_index;

typedef struct fl_scalar_instr {
    uint32_t code;
    fl_scalar_place out, a, b, c;
    union {
        fl_vec_fn call;
        const fl_scalar_index *index;
    } u;
} fl_scalar_instr;

typedef struct fl_scalars {
    uint32_t count;
    fl_scalar_instr *list;
} fl_scalars;

/* Whether a group is such work. */
int fl_is_scalar(const fl_planner *p, const fl_group *group);
/* One step of the groups [first, end) of the order. */
fl_status fl_make_scalars(fl_planner *p, uint32_t first, uint32_t end);
fl_status fl_scalars_run(const fl_step *step, void *const *slots);

#endif
