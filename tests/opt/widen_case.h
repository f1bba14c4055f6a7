/* Programs with open sizes in braces, at any sizes: exact and widened they must give the same bits. */
#ifndef FL_TESTS_OPT_WIDEN_CASE_H
#define FL_TESTS_OPT_WIDEN_CASE_H

#include "base/number.h"
#include "check.h"
#include "ir/text/parse.h"
#include "opt/opt.h"
#include "opt/widen.h"
#include "ref/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* {3*n+1}: sums and differences of products of numbers, n and m. */
static int64_t widen_value(const char **at, int64_t n, int64_t m)
{
    int64_t sum = 0;
    for (int sign = 1; **at != '}'; (*at)++) {
        int64_t product = 1;
        for (;;) {
            if (**at == 'n' || **at == 'm') {
                product *= *(*at)++ == 'n' ? n : m;
            } else {
                char *end;
                product *= strtoll(*at, &end, 10);
                *at = end;
            }
            if (**at != '*') break;
            (*at)++;
        }
        sum += sign * product;
        if (**at == '}') break;
        sign = **at == '-' ? -1 : 1;
    }
    return sum;
}

static inline fl_program *widen_at(const char *text, size_t length, int64_t n, int64_t m)
{
    fl_text out = {0};
    fl_program *p = NULL;
    for (const char *at = text; at < text + length; at++) {
        int open = *at == '{' && at[1] && strchr("nm0123456789", at[1]);
        if (!open) {
            fl_text_printf(&out, "%c", *at);
            continue;
        }
        at++;
        fl_text_printf(&out, "%lld", (long long)widen_value(&at, n, m));
    }
    fl_status s = fl_parse_text(out.data, strlen(out.data), &p);
    if (!s) s = fl_program_prune(p);
    if (s) {
        fprintf(stderr, "%s\n%s\n", fl_status_message(s), out.data);
        check_failures++;
        fl_status_free(s);
        fl_program_destroy(p);
        p = NULL;
    }
    fl_text_free(&out);
    return p;
}

static inline uint64_t widen_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

/* Small integers, as any type; `wild`: what must not matter, with NaN and infinities. */
static inline void widen_fill(const fl_type *type, uint64_t *state, int wild, void *out)
{
    static const double odd[] = {NAN, INFINITY, -INFINITY, 1e30, -0.0, 7};
    fl_dtype dtype = (fl_dtype)type->dtype;
    for (int64_t i = 0; i < fl_type_elements(type); i++) {
        uint64_t r = widen_random(state);
        fl_number v = {.is_integer = !fl_is_float(dtype) && !fl_is_complex(dtype)};
        v.integer = wild ? (int64_t)(r % 2000) - 1000 : (int64_t)(r % 17) - 6;
        if (dtype == FL_I1) v.integer = r & 1;
        v.re = wild ? odd[r % 6] : ((double)(r % 64) - 30) / 8;
        fl_number_store(v, dtype, (char *)out + (size_t)i * fl_dtype_bytes(dtype));
    }
}

/* Elements of a dense array of `from` to or from their places in a wider one. */
static inline void widen_rows(const fl_type *from, const fl_type *to, int d, char *narrow, char *wide,
                              int back)
{
    size_t inner = fl_dtype_bytes((fl_dtype)from->dtype), outer = inner;
    for (int k = d + 1; k < from->rank; k++) inner *= (size_t)from->dims[k], outer *= (size_t)to->dims[k];
    if (d == from->rank) {
        memcpy(back ? narrow : wide, back ? wide : narrow, inner);
        return;
    }
    for (int64_t i = 0; i < from->dims[d]; i++)
        widen_rows(from, to, d + 1, narrow + (size_t)i * inner, wide + (size_t)i * outer, back);
}

static inline int widen_same_bits(const fl_type *type, const char *a, const char *b)
{
    size_t size = fl_dtype_bytes((fl_dtype)type->dtype);
    for (int64_t i = 0; i < fl_type_elements(type); i++, a += size, b += size) {
        fl_number x, y;
        if (!memcmp(a, b, size)) continue;
        int nan = fl_is_float((fl_dtype)type->dtype) && fl_number_load((fl_dtype)type->dtype, a, &x) &&
                  fl_number_load((fl_dtype)type->dtype, b, &y) && isnan(x.re) && isnan(y.re);
        if (!nan) return 0;
    }
    return 1;
}

enum { WIDEN_MOST = 12 };

/* Both programs on the same arguments, with anything behind the true elements. NULL: the same bits; else what is wrong. */
static inline const char *widen_compare(const fl_program *exact, const fl_program *wide,
                                        const fl_wide_extra *extras, uint64_t seed)
{
    static char message[200];
    void *in[WIDEN_MOST] = {0}, *wide_in[2 * WIDEN_MOST + 64] = {0}, *out[WIDEN_MOST] = {0},
         *wide_out[WIDEN_MOST] = {0};
    uint32_t args = exact->main->arg_count, results = exact->main->result_count;
    const char *wrong = NULL;
    for (uint32_t i = 0; i < wide->main->arg_count; i++) {
        const fl_type *type = fl_type_of(wide, wide->main->first_arg + i);
        wide_in[i] = malloc(fl_type_bytes(type) + 16);
        if (i >= args) {
            memcpy(wide_in[i], extras[i - args].data, fl_type_bytes(type));
            continue;
        }
        const fl_type *narrow = fl_type_of(exact, exact->main->first_arg + i);
        in[i] = malloc(fl_type_bytes(narrow) + 16);
        widen_fill(narrow, &seed, 0, in[i]);
        widen_fill(type, &seed, 1, wide_in[i]);
        widen_rows(narrow, type, 0, in[i], wide_in[i], 0);
    }
    for (uint32_t i = 0; i < results; i++) {
        out[i] = malloc(fl_type_bytes(fl_type_of(exact, exact->main->results[i])) + 16);
        wide_out[i] = malloc(fl_type_bytes(fl_type_of(wide, wide->main->results[i])) + 16);
    }
    fl_status a = fl_reference_run(exact, (const void *const *)in, out);
    fl_status b = fl_reference_run(wide, (const void *const *)wide_in, wide_out);
    if (!a != !b) {
        snprintf(message, sizeof message, "exact: %s, widened: %s", a ? fl_status_message(a) : "runs",
                 b ? fl_status_message(b) : "runs");
        wrong = message;
    }
    for (uint32_t i = 0; i < results && !a && !b; i++) {
        const fl_type *type = fl_type_of(exact, exact->main->results[i]);
        char *cut = malloc(fl_type_bytes(type) + 16);
        widen_rows(type, fl_type_of(wide, wide->main->results[i]), 0, cut, wide_out[i], 1);
        if (!widen_same_bits(type, out[i], cut)) wrong = "other bits";
        free(cut);
    }
    fl_status_free(a);
    fl_status_free(b);
    for (uint32_t i = 0; i < 2 * WIDEN_MOST + 64; i++) free(wide_in[i]);
    for (uint32_t i = 0; i < WIDEN_MOST; i++) free(in[i]), free(out[i]), free(wide_out[i]);
    return wrong;
}

#endif
