/* Types of values and what hangs on them. */
#include "ir/ir.h"
#include "base/checked.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int64_t fl_type_elements(const fl_type *type)
{
    int64_t n = 1;
    for (int i = 0; i < type->rank; i++) n *= type->dims[i];
    return n;
}

size_t fl_type_bytes(const fl_type *type)
{
    return (size_t)fl_type_elements(type) * fl_dtype_bytes(type->dtype);
}

static int quant_equal(const fl_quant *a, const fl_quant *b)
{
    if (a == b) return 1;
    if (!a || !b || a->storage != b->storage || a->expressed != b->expressed || a->axis != b->axis ||
        a->count != b->count || a->min != b->min || a->max != b->max)
        return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->scales[i] != b->scales[i] || a->zero_points[i] != b->zero_points[i]) return 0;
    return 1;
}

static int bounds_equal(const int64_t *a, const int64_t *b, int rank)
{
    for (int i = 0; i < rank; i++)
        if ((a ? a[i] : FL_DYNAMIC) != (b ? b[i] : FL_DYNAMIC)) return 0;
    return 1;
}

static int same_or_open(int64_t a, int64_t b)
{
    return a == b || a == FL_DYNAMIC || b == FL_DYNAMIC;
}

static int equal(const fl_type *a, const fl_type *b, int open)
{
    static const fl_type_more none;
    if (a->dtype != b->dtype || a->kind != b->kind || a->rank != b->rank) {
        int ranked = a->kind == FL_TYPE_TENSOR || a->kind == FL_TYPE_UNRANKED;
        int other = b->kind == FL_TYPE_TENSOR || b->kind == FL_TYPE_UNRANKED;
        int unranked = a->kind == FL_TYPE_UNRANKED || b->kind == FL_TYPE_UNRANKED;
        if (!open || a->dtype != b->dtype || !ranked || !other || !unranked) return 0;
        return quant_equal(fl_type_quant(a), fl_type_quant(b));
    }
    for (int i = 0; i < a->rank; i++)
        if (open ? !same_or_open(a->dims[i], b->dims[i]) : a->dims[i] != b->dims[i]) return 0;
    if (a->more == b->more) return 1;
    const fl_type_more *x = a->more ? a->more : &none, *y = b->more ? b->more : &none;
    if (!quant_equal(x->quant, y->quant) || x->count != y->count || x->inputs != y->inputs) return 0;
    if (!open && !bounds_equal(x->bounds, y->bounds, a->rank)) return 0;
    if (!open && (!x->encoding != !y->encoding || (x->encoding && strcmp(x->encoding, y->encoding))))
        return 0;
    for (uint32_t i = 0; i < x->count; i++)
        if (!equal(&x->members[i], &y->members[i], open)) return 0;
    return 1;
}

int fl_type_equal(const fl_type *a, const fl_type *b)
{
    return equal(a, b, 0);
}

int fl_type_compatible(const fl_type *a, const fl_type *b)
{
    return equal(a, b, 1);
}

fl_type fl_type_make(fl_dtype dtype, int rank, const int64_t *dims)
{
    fl_type t = {0};
    t.dtype = (uint8_t)dtype;
    /* the verifier refuses what is above FL_MAX_RANK */
    t.rank = (uint8_t)(rank < 0 || rank > 255 ? 255 : rank);
    for (int i = 0; i < rank && i < FL_MAX_RANK; i++) t.dims[i] = dims[i];
    return t;
}

int fl_type_is_static(const fl_type *type)
{
    if (type->kind != FL_TYPE_TENSOR) return 0;
    for (int i = 0; i < type->rank; i++)
        if (type->dims[i] == FL_DYNAMIC) return 0;
    return 1;
}

int fl_type_is_plain(const fl_type *type)
{
    return !fl_type_quant(type) && fl_type_is_static(type);
}

static fl_status check_quant(const fl_type *type, const fl_quant *q)
{
    FL_CHECK(fl_is_int((fl_dtype)q->storage) && q->storage == type->dtype &&
                 fl_is_float((fl_dtype)q->expressed),
             FL_INVALID, "expected a quantized type of integers that express floats");
    int bits = fl_dtypes[q->storage].bits, is_signed = fl_dtype_kind((fl_dtype)q->storage) == FL_KIND_INT;
    FL_CHECK(bits <= 32, FL_INVALID, "expected a storage type of at most 32 bits, got %d", bits);
    int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t high = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    FL_CHECK(low <= q->min && q->min < q->max && q->max <= high, FL_INVALID,
             "expected stored values within [%lld, %lld], got [%lld, %lld]", (long long)low, (long long)high,
             (long long)q->min, (long long)q->max);
    FL_CHECK(q->axis >= -1 && q->axis < type->rank, FL_INVALID,
             "expected a quantized dimension within [0, %d), got %d", type->rank, q->axis);
    FL_CHECK(q->axis < 0 ? q->count == 1
                         : type->dims[q->axis] == FL_DYNAMIC || type->dims[q->axis] == q->count,
             FL_INVALID, "expected a scale for each index of the quantized dimension, got %u", q->count);
    for (uint32_t i = 0; i < q->count; i++) {
        FL_CHECK(q->scales[i] > 0 && q->scales[i] <= 1.7976931348623157e308, FL_INVALID,
                 "expected a positive finite scale, got %g", q->scales[i]);
        FL_CHECK(q->min <= q->zero_points[i] && q->zero_points[i] <= q->max, FL_INVALID,
                 "expected a zero point within [%lld, %lld], got %lld", (long long)q->min, (long long)q->max,
                 (long long)q->zero_points[i]);
    }
    return NULL;
}

enum { MOST_DEPTH = 100 };

static fl_status check(const fl_type *type, int depth)
{
    FL_CHECK(depth < MOST_DEPTH, FL_UNSUPPORTED, "expected types nested at most %d deep", MOST_DEPTH);
    FL_CHECK(type->kind <= FL_TYPE_NONE, FL_INVALID, "unknown kind of type %d", type->kind);
    int has_elements = type->kind == FL_TYPE_TENSOR || type->kind == FL_TYPE_UNRANKED ||
                       type->kind == FL_TYPE_BUFFER || type->kind == FL_TYPE_ELEMENT;
    FL_CHECK(!has_elements || (type->dtype > FL_DTYPE_NONE && type->dtype < FL_DTYPE_COUNT), FL_INVALID,
             "unknown element type %d", type->dtype);
    FL_CHECK(type->rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %d", FL_MAX_RANK,
             type->rank);
    int64_t bytes = has_elements ? (int64_t)fl_dtype_bytes((fl_dtype)type->dtype) : 1;
    for (int i = 0; i < type->rank; i++) {
        int64_t d = type->dims[i];
        if (d == FL_DYNAMIC && type->more && type->more->bounds) d = type->more->bounds[i];
        if (d == FL_DYNAMIC) continue;
        FL_CHECK(d >= 0, FL_INVALID, "expected a size of at least 0 for dimension %d, got %lld", i,
                 (long long)d);
        /* an empty dimension hides no overflow: strides of the others must fit too */
        FL_CHECK(fl_mul_i64(bytes, d ? d : 1, &bytes), FL_INVALID, "the size in bytes overflows");
    }
    const fl_type_more *more = type->more;
    if (!more) return NULL;
    if (more->quant) FL_TRY(check_quant(type, more->quant));
    for (int i = 0; more->bounds && i < type->rank; i++)
        FL_CHECK(more->bounds[i] == FL_DYNAMIC || (type->dims[i] == FL_DYNAMIC && more->bounds[i] >= 0),
                 FL_INVALID,
                 "expected a bound of at least 0, and of an open dimension only, for dimension %d", i);
    for (uint32_t i = 0; i < more->count; i++) FL_TRY(check(&more->members[i], depth + 1));
    return NULL;
}

fl_status fl_type_check(const fl_type *type)
{
    return check(type, 0);
}

int fl_type_keep(fl_arena *arena, fl_type *type)
{
    if (!type->more) return 1;
    fl_type_more *m = fl_arena_copy(arena, type->more, sizeof *m);
    if (!m) return 0;
    type->more = m;
    if (m->quant) {
        fl_quant *q = fl_arena_copy(arena, m->quant, sizeof *q);
        if (!q) return 0;
        q->scales = fl_arena_copy(arena, q->scales, q->count * sizeof *q->scales);
        q->zero_points = fl_arena_copy(arena, q->zero_points, q->count * sizeof *q->zero_points);
        if (!q->scales || !q->zero_points) return 0;
        m->quant = q;
    }
    if (m->bounds && !(m->bounds = fl_arena_copy(arena, m->bounds, type->rank * sizeof *m->bounds))) return 0;
    if (m->encoding && !(m->encoding = fl_arena_strdup(arena, m->encoding))) return 0;
    if (!m->count) return 1;
    fl_type *members = fl_arena_copy(arena, m->members, m->count * sizeof *members);
    if (!members) return 0;
    for (uint32_t i = 0; i < m->count; i++)
        if (!fl_type_keep(arena, &members[i])) return 0;
    m->members = members;
    return 1;
}

/* ---- text ---- */

typedef struct writer {
    char *at, *end; /* `end` is the last byte, kept for the NUL */
} writer;

__attribute__((format(printf, 2, 3))) static void put(writer *w, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(w->at, (size_t)(w->end - w->at) + 1, format, args);
    va_end(args);
    w->at = n > w->end - w->at ? w->end : w->at + (n > 0 ? n : 0);
}

static void put_quant(writer *w, const fl_quant *q)
{
    int bits = fl_dtypes[q->storage].bits, is_signed = fl_dtype_kind((fl_dtype)q->storage) == FL_KIND_INT;
    int64_t low = is_signed ? -((int64_t)1 << (bits - 1)) : 0;
    int64_t high = ((int64_t)1 << (is_signed ? bits - 1 : bits)) - 1;
    put(w, "!quant.uniform<%s%d", is_signed ? "i" : "u", bits);
    if (q->min != low || q->max != high) put(w, "<%lld:%lld>", (long long)q->min, (long long)q->max);
    put(w, ":%s", fl_dtype_name((fl_dtype)q->expressed));
    if (q->axis >= 0) put(w, ":%d", q->axis);
    put(w, ", %s", q->axis >= 0 ? "{" : "");
    for (uint32_t i = 0; i < q->count; i++) {
        char scale[40];
        for (int digits = 6; digits <= 17; digits++) { /* the shortest that reads back */
            snprintf(scale, sizeof scale, "%.*e", digits, q->scales[i]);
            double back;
            if (sscanf(scale, "%lf", &back) == 1 && back == q->scales[i]) break;
        }
        put(w, "%s%s", i ? "," : "", scale);
        if (q->zero_points[i]) put(w, ":%lld", (long long)q->zero_points[i]);
    }
    put(w, "%s>", q->axis >= 0 ? "}" : "");
}

static void put_type(writer *w, const fl_type *t, int depth);

static void put_members(writer *w, const fl_type *t, uint32_t from, uint32_t to, int depth)
{
    for (uint32_t i = from; i < to; i++) {
        if (i > from) put(w, ", ");
        put_type(w, &t->more->members[i], depth + 1);
    }
}

static void put_element(writer *w, const fl_type *t)
{
    if (fl_type_quant(t))
        put_quant(w, t->more->quant);
    else
        put(w, "%s", t->dtype < FL_DTYPE_COUNT ? fl_dtype_name((fl_dtype)t->dtype) : "?");
}

static void put_shaped(writer *w, const fl_type *t)
{
    put(w, t->kind == FL_TYPE_BUFFER ? "memref<" : "tensor<");
    if (t->kind == FL_TYPE_UNRANKED) put(w, "*x");
    for (int i = 0; i < t->rank && i < FL_MAX_RANK; i++) {
        if (t->dims[i] == FL_DYNAMIC)
            put(w, "?x");
        else
            put(w, "%lldx", (long long)t->dims[i]);
    }
    put_element(w, t);
    if (t->more && t->more->bounds) {
        put(w, ", #stablehlo.bounds<");
        for (int i = 0; i < t->rank; i++) {
            if (t->more->bounds[i] == FL_DYNAMIC)
                put(w, "%s?", i ? ", " : "");
            else
                put(w, "%s%lld", i ? ", " : "", (long long)t->more->bounds[i]);
        }
        put(w, ">");
    } else if (t->more && t->more->encoding) {
        put(w, ", %s", t->more->encoding);
    }
    put(w, ">");
}

static void put_type(writer *w, const fl_type *t, int depth)
{
    uint32_t count = t->more ? t->more->count : 0, inputs = t->more ? t->more->inputs : 0;
    if (depth >= MOST_DEPTH) return put(w, "?");
    switch ((fl_type_kind)t->kind) {
    case FL_TYPE_TENSOR:
    case FL_TYPE_UNRANKED:
    case FL_TYPE_BUFFER: put_shaped(w, t); break;
    case FL_TYPE_TOKEN: put(w, "!stablehlo.token"); break;
    case FL_TYPE_TUPLE:
    case FL_TYPE_FUTURE:
        put(w, t->kind == FL_TYPE_TUPLE ? "tuple<" : "!stablehlo.future<");
        put_members(w, t, 0, count, depth);
        put(w, ">");
        break;
    case FL_TYPE_ELEMENT: put_element(w, t); break;
    case FL_TYPE_FUNCTION:
        put(w, "(");
        put_members(w, t, 0, inputs, depth);
        put(w, ") -> (");
        put_members(w, t, inputs, count, depth);
        put(w, ")");
        break;
    case FL_TYPE_NONE: put(w, "none"); break;
    }
}

const char *fl_type_text(const fl_type *type, char *buffer, size_t capacity)
{
    writer w = {buffer, buffer + capacity - 1};
    put_type(&w, type, 0);
    *w.at = 0;
    return buffer;
}
