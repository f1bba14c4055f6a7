/* Random programs with open sizes, as text: every operation that widening has a rule for, on values that came of others. */
#ifndef FL_TESTS_OPT_WIDEN_RANDOM_H
#define FL_TESTS_OPT_WIDEN_RANDOM_H

#include "opt/widen_case.h"

/* A size: by * n^a * m^b + more. */
typedef struct widen_size {
    int by, n, m, more;
} widen_size;

typedef struct widen_random_value {
    int rank;
    widen_size d[4];
} widen_random_value;

typedef struct widen_maker {
    uint64_t state;
    fl_text *out;
    widen_random_value values[40]; /* f32, %v0 ... */
    int count, extra;
} widen_maker;

static inline int widen_pick(widen_maker *w, int n)
{
    return (int)(widen_random(&w->state) % (uint64_t)n);
}

static inline int64_t widen_most(widen_size s)
{
    int64_t v = s.by;
    for (int i = 0; i < s.n; i++) v *= 16;
    for (int i = 0; i < s.m; i++) v *= 8;
    return v + s.more;
}

static inline int64_t widen_elements(const widen_random_value *v)
{
    int64_t n = 1;
    for (int d = 0; d < v->rank; d++) n *= widen_most(v->d[d]);
    return n;
}

static inline int widen_is_open(widen_size s)
{
    return s.n || s.m;
}

/* The size without braces, and moved by `more`. */
static inline const char *widen_formula(widen_size s, int more, int braces)
{
    static char texts[8][80];
    static int next;
    char *t = texts[next++ % 8], product[40] = "";
    for (int i = 0; i < s.n; i++) strcat(product, "*n");
    for (int i = 0; i < s.m; i++) strcat(product, "*m");
    more += s.more;
    if (!widen_is_open(s))
        snprintf(t, 80, "%d", s.by + more);
    else if (more)
        snprintf(t, 80, "%s%d%s%s%d%s", braces ? "{" : "", s.by, product, more < 0 ? "-" : "+", abs(more),
                 braces ? "}" : "");
    else
        snprintf(t, 80, "%s%d%s%s", braces ? "{" : "", s.by, product, braces ? "}" : "");
    return t;
}

static inline void widen_type(widen_maker *w, const widen_random_value *v, const char *dtype)
{
    fl_text_printf(w->out, "tensor<");
    for (int d = 0; d < v->rank; d++) fl_text_printf(w->out, "%sx", widen_formula(v->d[d], 0, 1));
    fl_text_printf(w->out, "%s>", dtype);
}

#define LINE(...) fl_text_printf(w->out, __VA_ARGS__)

static inline void widen_arrow(widen_maker *w, const widen_random_value *from, const widen_random_value *to)
{
    LINE(" : (");
    widen_type(w, from, "f32");
    LINE(") -> ");
    widen_type(w, to, "f32");
    LINE("\n");
}

static inline void widen_unary(widen_maker *w, int i)
{
    static const char *const names[] = {"abs", "negate", "tanh", "sign"};
    LINE("%%v%d = stablehlo.%s %%v%d : ", w->count, names[widen_pick(w, 4)], i);
    widen_type(w, &w->values[i], "f32");
    LINE("\n");
    w->values[w->count++] = w->values[i];
}

static inline int widen_same_shape(const widen_random_value *a, const widen_random_value *b)
{
    return a->rank == b->rank && !memcmp(a->d, b->d, (size_t)a->rank * sizeof *a->d);
}

static inline void widen_binary(widen_maker *w, int i)
{
    static const char *const names[] = {"add", "multiply", "maximum", "subtract"};
    int k = widen_pick(w, w->count);
    for (int tries = 0; tries < w->count && !widen_same_shape(&w->values[i], &w->values[k]); tries++)
        k = (k + 1) % w->count;
    LINE("%%v%d = stablehlo.%s %%v%d, %%v%d : ", w->count, names[widen_pick(w, 4)], i, k);
    widen_type(w, &w->values[i], "f32");
    LINE("\n");
    w->values[w->count++] = w->values[i];
}

/* Joins two dimensions, or splits one that is a product. */
static inline void widen_reshape(widen_maker *w, int i)
{
    widen_random_value v = w->values[i], r = v;
    int d = v.rank ? widen_pick(w, v.rank) : 0;
    if (v.rank < 1) return;
    if (d + 1 < v.rank && !v.d[d].more && !v.d[d + 1].more) {
        r.d[d] = (widen_size){v.d[d].by * v.d[d + 1].by, v.d[d].n + v.d[d + 1].n, v.d[d].m + v.d[d + 1].m, 0};
        for (int k = d + 1; k < v.rank - 1; k++) r.d[k] = v.d[k + 1];
        r.rank--;
    } else if (v.rank < 4 && !v.d[d].more && (v.d[d].by > 1 || v.d[d].n + v.d[d].m > 1)) {
        widen_size a = {v.d[d].by, 0, 0, 0}, b = {1, v.d[d].n, v.d[d].m, 0};
        if (v.d[d].by == 1) a = (widen_size){1, v.d[d].n > 0, v.d[d].n == 0, 0}, b.n -= a.n, b.m -= a.m;
        if (widen_pick(w, 2)) {
            widen_size t = a;
            a = b;
            b = t;
        }
        for (int k = v.rank; k > d + 1; k--) r.d[k] = v.d[k - 1];
        r.d[d] = a;
        r.d[d + 1] = b;
        r.rank++;
    } else {
        return;
    }
    LINE("%%v%d = stablehlo.reshape %%v%d", w->count, i);
    widen_arrow(w, &v, &r);
    w->values[w->count++] = r;
}

static inline void widen_transpose(widen_maker *w, int i)
{
    widen_random_value r = w->values[i];
    int p[4] = {0, 1, 2, 3};
    for (int k = r.rank - 1; k > 0; k--) {
        int j = widen_pick(w, k + 1), t = p[k];
        p[k] = p[j];
        p[j] = t;
    }
    LINE("%%v%d = stablehlo.transpose %%v%d, dims = [", w->count, i);
    for (int k = 0; k < r.rank; k++) {
        r.d[k] = w->values[i].d[p[k]];
        LINE("%s%d", k ? ", " : "", p[k]);
    }
    LINE("]");
    widen_arrow(w, &w->values[i], &r);
    w->values[w->count++] = r;
}

static inline void widen_reduce(widen_maker *w, int i)
{
    static const char *const names[] = {"add", "maximum", "minimum", "multiply"};
    static const char *const starts[] = {"0.0", "0xFF800000", "0x7F800000", "1.0"};
    widen_random_value v = w->values[i], r = v;
    if (!v.rank) return;
    int k = widen_pick(w, 4), d = widen_pick(w, v.rank);
    for (int j = d; j < v.rank - 1; j++) r.d[j] = v.d[j + 1];
    r.rank--;
    LINE("%%i%d = stablehlo.constant dense<%s> : tensor<f32>\n", w->count, starts[k]);
    LINE("%%v%d = stablehlo.reduce(%%v%d init: %%i%d) applies stablehlo.%s across dimensions = [%d] : (",
         w->count, i, w->count, names[k], d);
    widen_type(w, &v, "f32");
    LINE(", tensor<f32>) -> ");
    widen_type(w, &r, "f32");
    LINE("\n");
    w->values[w->count++] = r;
}

static inline void widen_broadcast(widen_maker *w, int i)
{
    widen_random_value v = w->values[i], r = v;
    if (v.rank == 4) return;
    int at = widen_pick(w, v.rank + 1);
    static const widen_size sizes[] = {{1, 1, 0, 0}, {1, 0, 1, 0}, {2, 0, 0, 0}, {2, 1, 0, 0}, {1, 1, 0, 1}};
    for (int k = v.rank; k > at; k--) r.d[k] = v.d[k - 1];
    r.d[at] = sizes[widen_pick(w, 5)];
    r.rank++;
    LINE("%%v%d = stablehlo.broadcast_in_dim %%v%d, dims = [", w->count, i);
    for (int k = 0; k < v.rank; k++) LINE("%s%d", k ? ", " : "", k + (k >= at));
    LINE("]");
    widen_arrow(w, &v, &r);
    w->values[w->count++] = r;
}

static inline void widen_slice(widen_maker *w, int i)
{
    widen_random_value v = w->values[i], r = v;
    if (!v.rank) return;
    int along = widen_pick(w, v.rank), kind = widen_pick(w, 4);
    widen_size s = v.d[along];
    if (!widen_is_open(s) || s.more < 0 || s.n == 0) return;
    LINE("%%v%d = stablehlo.slice %%v%d [", w->count, i);
    for (int d = 0; d < v.rank; d++) {
        LINE("%s", d ? ", " : "");
        if (d != along) {
            LINE("0:%s", widen_formula(v.d[d], 0, 1));
        } else if (kind == 0) {
            LINE("%s:%s", widen_formula(s, -1, 1), widen_formula(s, 0, 1));
            r.d[d] = (widen_size){1, 0, 0, 0};
        } else if (kind == 1) {
            LINE("2:%s", widen_formula(s, 0, 1));
            r.d[d].more -= 2;
        } else if (kind == 2) {
            LINE("0:%s", widen_formula(s, -1, 1));
            r.d[d].more -= 1;
        } else {
            LINE("1:8:3");
            r.d[d] = (widen_size){3, 0, 0, 0};
        }
    }
    LINE("]");
    widen_arrow(w, &v, &r);
    w->values[w->count++] = r;
}

static inline void widen_pad(widen_maker *w, int i)
{
    widen_random_value v = w->values[i], r = v;
    if (!v.rank) return;
    int along = widen_pick(w, v.rank), low = widen_pick(w, 3), high = widen_pick(w, 3),
        open = !widen_pick(w, 4);
    LINE("%%i%d = stablehlo.constant dense<2.0> : tensor<f32>\n%%v%d = stablehlo.pad %%v%d, %%i%d, low = [",
         w->count, w->count, i, w->count);
    const widen_size one = {1, 1, 0, 0};
    open &= !widen_is_open(v.d[along]);
    for (int d = 0; d < v.rank; d++)
        LINE("%s%s", d ? ", " : "",
             d != along ? "0"
             : open     ? widen_formula(one, 0, 1)
             : low == 2 ? "2"
             : low      ? "1"
                        : "0");
    LINE("], high = [");
    for (int d = 0; d < v.rank; d++) LINE("%s%d", d ? ", " : "", d == along ? high : 0);
    LINE("], interior = [");
    for (int d = 0; d < v.rank; d++) LINE("%s0", d ? ", " : "");
    if (open)
        r.d[along] = (widen_size){1, 1, 0, v.d[along].by + v.d[along].more + high};
    else
        r.d[along].more += low + high;
    LINE("] : (");
    widen_type(w, &v, "f32");
    LINE(", tensor<f32>) -> ");
    widen_type(w, &r, "f32");
    LINE("\n");
    w->values[w->count++] = r;
}

static inline void widen_concatenate(widen_maker *w, int i)
{
    widen_random_value v = w->values[i], r = v;
    if (!v.rank) return;
    int d = widen_pick(w, v.rank);
    r.d[d].by *= 2;
    r.d[d].more *= 2;
    LINE("%%v%d = stablehlo.concatenate %%v%d, %%v%d, dim = %d : (", w->count, i, i, d);
    widen_type(w, &v, "f32");
    LINE(", ");
    widen_type(w, &v, "f32");
    LINE(") -> ");
    widen_type(w, &r, "f32");
    LINE("\n");
    w->values[w->count++] = r;
}

static inline void widen_reverse(widen_maker *w, int i)
{
    if (!w->values[i].rank) return;
    LINE("%%v%d = stablehlo.reverse %%v%d, dims = [%d] : ", w->count, i, widen_pick(w, w->values[i].rank));
    widen_type(w, &w->values[i], "f32");
    LINE("\n");
    w->values[w->count++] = w->values[i];
}

/* The value with itself, over one dimension; the first one as a batch where there are more. */
static inline void widen_product(widen_maker *w, int i)
{
    widen_random_value v = w->values[i], r = {0};
    if (v.rank < 1 || v.rank > 3) return;
    int batch = v.rank > 1 && widen_pick(w, 2), sum = batch + widen_pick(w, v.rank - batch);
    if (batch) r.d[r.rank++] = v.d[0];
    for (int k = 0; k < 2; k++)
        for (int d = batch; d < v.rank; d++)
            if (d != sum && r.rank < 4) r.d[r.rank++] = v.d[d];
    if (2 * (v.rank - 1 - batch) + batch != r.rank || widen_elements(&r) > 6000) return;
    LINE("%%v%d = stablehlo.dot_general %%v%d, %%v%d, %scontracting_dims = [%d] x [%d] : (", w->count, i, i,
         batch ? "batching_dims = [0] x [0], " : "", sum, sum);
    widen_type(w, &v, "f32");
    LINE(", ");
    widen_type(w, &v, "f32");
    LINE(") -> ");
    widen_type(w, &r, "f32");
    LINE("\n");
    w->values[w->count++] = r;
}

/* Multiplied with the positions along a dimension, plus how many there are. */
static inline void widen_positions(widen_maker *w, int i)
{
    widen_random_value v = w->values[i];
    if (!v.rank) return;
    int d = widen_pick(w, v.rank), k = w->count;
    LINE("%%p%d = stablehlo.iota dim = %d : ", k, d);
    widen_type(w, &v, "f32");
    LINE("\n%%c%d = stablehlo.constant dense<%s.0> : ", k, widen_formula(v.d[d], 0, 1));
    widen_type(w, &v, "f32");
    LINE("\n%%q%d = stablehlo.add %%p%d, %%c%d : ", k, k, k);
    widen_type(w, &v, "f32");
    LINE("\n%%v%d = stablehlo.multiply %%q%d, %%v%d : ", k, k, i);
    widen_type(w, &v, "f32");
    LINE("\n");
    w->values[w->count++] = v;
}

static inline void widen_running(widen_maker *w, int i)
{
    widen_random_value v = w->values[i];
    if (!v.rank) return;
    int along = widen_pick(w, v.rank), k = w->count, whole = widen_is_open(v.d[along]) && widen_pick(w, 2);
    LINE("%%i%d = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "%%v%d = \"stablehlo.reduce_window\"(%%v%d, %%i%d) <{window_dimensions = array<i64: ",
         k, k, i, k);
    for (int d = 0; d < v.rank; d++)
        LINE("%s%s", d ? ", " : "", d != along ? "1" : whole ? widen_formula(v.d[d], 0, 1) : "3");
    LINE(">, padding = dense<[");
    for (int d = 0; d < v.rank; d++)
        LINE("%s[%s, %s]", d ? ", " : "",
             d != along ? "0"
             : whole    ? widen_formula(v.d[d], -1, 1)
                        : "1",
             d != along || whole ? "0" : "1");
    LINE("]> : tensor<%dx2xi64>}> ({\n^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n"
         "%%s = stablehlo.add %%a, %%b : tensor<f32>\nstablehlo.return %%s : tensor<f32>\n}) : (",
         v.rank);
    widen_type(w, &v, "f32");
    LINE(", tensor<f32>) -> ");
    widen_type(w, &v, "f32");
    LINE("\n");
    w->values[w->count++] = v;
}

static inline void widen_sort(widen_maker *w, int i)
{
    widen_random_value v = w->values[i];
    if (!v.rank) return;
    LINE("%%v%d = \"stablehlo.sort\"(%%v%d) <{dimension = %d : i64, is_stable = true}> ({\n"
         "^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n%%s = stablehlo.compare LT, %%a, %%b, TOTALORDER : "
         "(tensor<f32>, tensor<f32>) -> tensor<i1>\nstablehlo.return %%s : tensor<i1>\n}) : (",
         w->count, i, widen_pick(w, v.rank));
    widen_type(w, &v, "f32");
    LINE(") -> ");
    widen_type(w, &v, "f32");
    LINE("\n");
    w->values[w->count++] = v;
}

/* Rows chosen by %ids, of which some lie outside; and added back to where they came from. */
static inline void widen_rows_of(widen_maker *w, int i)
{
    widen_random_value v = w->values[i], r = v;
    int k = w->count;
    if (!v.rank) return;
    r.d[0] = (widen_size){1, 0, 1, 0};
    LINE("%%v%d = \"stablehlo.gather\"(%%v%d, %%ids) <{dimension_numbers = #stablehlo.gather<offset_dims = [",
         k, i);
    for (int d = 1; d < v.rank; d++) LINE("%s%d", d > 1 ? ", " : "", d);
    LINE("], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = "
         "array<i64: 1");
    for (int d = 1; d < v.rank; d++) LINE(", %s", widen_formula(v.d[d], 0, 1));
    LINE(">}> : (");
    widen_type(w, &v, "f32");
    LINE(", tensor<{m}xi32>) -> ");
    widen_type(w, &r, "f32");
    LINE("\n");
    w->values[w->count++] = r;
    LINE(
        "%%v%d = \"stablehlo.scatter\"(%%v%d, %%ids, %%v%d) <{scatter_dimension_numbers = #stablehlo.scatter<"
        "update_window_dims = [",
        k + 1, i, k);
    for (int d = 1; d < v.rank; d++) LINE("%s%d", d > 1 ? ", " : "", d);
    LINE("], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({\n"
         "^bb0(%%a: tensor<f32>, %%b: tensor<f32>):\n%%s = stablehlo.add %%a, %%b : tensor<f32>\n"
         "stablehlo.return %%s : tensor<f32>\n}) : (");
    widen_type(w, &v, "f32");
    LINE(", tensor<{m}xi32>, ");
    widen_type(w, &r, "f32");
    LINE(") -> ");
    widen_type(w, &v, "f32");
    LINE("\n");
    w->values[w->count++] = v;
}

/* The first rows, put at an open place. */
static inline void widen_move(widen_maker *w, int i)
{
    widen_random_value v = w->values[i], r = v;
    int k = w->count;
    if (!v.rank || v.d[0].n != 1 || v.d[0].m || v.d[0].more < 0) return;
    r.d[0] = widen_pick(w, 2) ? (widen_size){3, 0, 0, 0} : (widen_size){v.d[0].by, 1, 0, v.d[0].more - 4};
    LINE("%%z%d = stablehlo.constant dense<0> : tensor<i32>\n%%v%d = stablehlo.dynamic_slice %%v%d, %%at", k,
         k, i);
    for (int d = 1; d < v.rank; d++) LINE(", %%z%d", k);
    LINE(", sizes = [");
    for (int d = 0; d < v.rank; d++) LINE("%s%s", d ? ", " : "", widen_formula(r.d[d], 0, 1));
    LINE("] : (");
    widen_type(w, &v, "f32");
    for (int d = 0; d < v.rank; d++) LINE(", tensor<i32>");
    LINE(") -> ");
    widen_type(w, &r, "f32");
    LINE("\n%%n%d = stablehlo.negate %%v%d : ", k, k);
    widen_type(w, &r, "f32");
    LINE("\n%%v%d = stablehlo.dynamic_update_slice %%v%d, %%n%d, %%at", k + 1, i, k);
    for (int d = 1; d < v.rank; d++) LINE(", %%z%d", k);
    LINE(" : (");
    widen_type(w, &v, "f32");
    LINE(", ");
    widen_type(w, &r, "f32");
    for (int d = 0; d < v.rank; d++) LINE(", tensor<i32>");
    LINE(") -> ");
    widen_type(w, &v, "f32");
    LINE("\n");
    w->values[w->count++] = r;
    w->values[w->count++] = v;
}

static inline void widen_random_text(uint64_t seed, fl_text *out)
{
    static void (*const makers[])(widen_maker *, int) = {
        widen_unary,     widen_binary,      widen_binary,  widen_reshape,   widen_reshape,
        widen_transpose, widen_reduce,      widen_reduce,  widen_broadcast, widen_slice,
        widen_pad,       widen_concatenate, widen_reverse, widen_product,   widen_positions,
        widen_running,   widen_sort,        widen_rows_of, widen_move};
    static const widen_random_value args[] = {{3, {{2, 0, 0, 0}, {1, 1, 0, 0}, {3, 0, 0, 0}}},
                                              {2, {{1, 1, 0, 0}, {1, 0, 1, 0}}},
                                              {1, {{1, 1, 0, 0}}}};
    widen_maker maker = {.state = seed * 2654435761u + 12345, .out = out, .count = 3}, *w = &maker;
    LINE("func.func @main(%%v0: tensor<2x{n}x3xf32>, %%v1: tensor<{n}x{m}xf32>, %%v2: tensor<{n}xf32>, "
         "%%ids: tensor<{m}xi32>, %%at: tensor<i32>) -> (");
    memcpy(w->values, args, sizeof args);
    fl_text body = {0};
    w->out = &body;
    for (int k = 0; k < 12; k++) {
        int i =
            widen_pick(w, 3) ? w->count - 1 - widen_pick(w, w->count > 3 ? 3 : 1) : widen_pick(w, w->count);
        if (w->count < 36 && widen_elements(&w->values[i]) < 3000)
            makers[widen_pick(w, sizeof makers / sizeof *makers)](w, i);
    }
    int results[3] = {w->count - 1, w->count > 5 ? w->count - 3 : 0, widen_pick(w, w->count)};
    w->out = out;
    for (int k = 0; k < 3; k++) {
        LINE("%s", k ? ", " : "");
        widen_type(w, &w->values[results[k]], "f32");
    }
    LINE(") {\n%sreturn %%v%d, %%v%d, %%v%d : ", body.data ? body.data : "", results[0], results[1],
         results[2]);
    for (int k = 0; k < 3; k++) {
        LINE("%s", k ? ", " : "");
        widen_type(w, &w->values[results[k]], "f32");
    }
    LINE("\n}\n");
    fl_text_free(&body);
}
#undef LINE

#endif
