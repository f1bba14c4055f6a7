/* How vector kernels are written: plain loops that the compiler vectorises. Included by vec_*.c only. */
#ifndef FL_CPU_LOOP_VEC_MACROS_H
#define FL_CPU_LOOP_VEC_MACROS_H

#include "cpu/loop/vec.h"

#define FL_LOOP _Pragma("GCC ivdep") for (int64_t i = 0; i < n; i++)

/* R: type of the result, T: of the operands; the expression is over p and q. */
#define FL_UNARY(name, R, T, expression)                                                                     \
    static void name(void *out, const void *a, const void *b, const void *c, int64_t n)                      \
    {                                                                                                        \
        R *r = out;                                                                                          \
        const T *x = a;                                                                                      \
        (void)b, (void)c;                                                                                    \
        FL_LOOP                                                                                              \
        {                                                                                                    \
            T p = x[i];                                                                                      \
            r[i] = (R)(expression);                                                                          \
        }                                                                                                    \
    }

#define FL_BINARY_FORM(name, R, T, load_p, load_q, hoist, expression)                                        \
    static void name(void *out, const void *a, const void *b, const void *c, int64_t n)                      \
    {                                                                                                        \
        R *r = out;                                                                                          \
        const T *x = a, *y = b;                                                                              \
        hoist;                                                                                               \
        (void)c;                                                                                             \
        FL_LOOP                                                                                              \
        {                                                                                                    \
            T p = load_p, q = load_q;                                                                        \
            r[i] = (R)(expression);                                                                          \
        }                                                                                                    \
    }

#define FL_BINARY(name, R, T, expression)                                                                    \
    FL_BINARY_FORM(name##_vv, R, T, x[i], y[i], (void)0, expression)                                         \
    FL_BINARY_FORM(name##_vs, R, T, x[i], s, T s = *y, expression)                                           \
    FL_BINARY_FORM(name##_sv, R, T, s, y[i], T s = *x, expression)

#define FL_BINARY_VV(name, R, T, expression) FL_BINARY_FORM(name##_vv, R, T, x[i], y[i], (void)0, expression)

#define FL_ROW1(op, name, dtype)   {FL_OP_##op, FL_##dtype, {name, 0, 0}},
#define FL_ROW3(op, name, dtype)   {FL_OP_##op, FL_##dtype, {name##_vv, name##_vs, name##_sv}},
#define FL_ROW_VV(op, name, dtype) {FL_OP_##op, FL_##dtype, {name##_vv, 0, 0}},

#endif
