/* How the types of an operation must agree: with open dimensions, bounds and quantized elements. */
#include "ir/infer.h"
#include "base/checked.h"

#include <string.h>

enum { TEXT = 200 }; /* of a type in a message; longer ones are cut */

/* ---- element types ---- */

static int same_scales(const fl_quant *a, const fl_quant *b)
{
    if (a->count != b->count) return 0;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->scales[i] != b->scales[i] || a->zero_points[i] != b->zero_points[i]) return 0;
    return 1;
}

static int elements_match(const fl_type *x, const fl_type *y, unsigned how)
{
    const fl_quant *a = fl_type_quant(x), *b = fl_type_quant(y);
    if (x->dtype != y->dtype || !a != !b) return 0;
    if (a == b) return 1;
    if (a->storage != b->storage || a->expressed != b->expressed || a->min != b->min || a->max != b->max)
        return 0;
    if ((a->axis < 0) != (b->axis < 0) || (!(how & FL_MATCH_SCALES) && a->axis != b->axis)) return 0;
    return how & FL_MATCH_BASELINE || same_scales(a, b);
}

static int dims_match(const fl_type *x, const fl_type *y)
{
    if (x->rank != y->rank) return 0;
    for (int i = 0; i < x->rank; i++) {
        int64_t a = x->dims[i], b = y->dims[i], bound_a = fl_bound_of(x, i), bound_b = fl_bound_of(y, i);
        if (!fl_same_or_open(a, b)) return 0;
        if (!fl_is_open(a) && !fl_is_open(bound_b) && a > bound_b) return 0;
        if (!fl_is_open(b) && !fl_is_open(bound_a) && b > bound_a) return 0;
    }
    return 1;
}

int fl_types_match(const fl_type *a, const fl_type *b, unsigned how)
{
    if (a->kind != b->kind) return 0; /* rules are about tensors with a rank */
    if (a->kind != FL_TYPE_TENSOR) return fl_type_compatible(a, b);
    if (how & FL_MATCH_DIMS && !dims_match(a, b)) return 0;
    how &= ~(unsigned)FL_MATCH_DIMS;
    return !how || elements_match(a, b, how);
}

fl_status fl_need_match(const fl_type *got, const fl_type *expected, unsigned how, const char *what,
                        const char *constraint)
{
    if (fl_types_match(got, expected, how)) return NULL;
    char a[TEXT], b[TEXT];
    return fl_error(FL_INVALID, "expected %s of type %s, got %s (%s)", what,
                    fl_type_text(expected, a, sizeof a), fl_type_text(got, b, sizeof b), constraint);
}

static int is_value_type(const fl_type *type)
{
    switch ((fl_type_kind)type->kind) {
    case FL_TYPE_TENSOR:
    case FL_TYPE_UNRANKED:
    case FL_TYPE_BUFFER: return type->dtype != FL_TF32; /* which only says how precisely to multiply */
    case FL_TYPE_TOKEN: return 1;
    case FL_TYPE_TUPLE:
    case FL_TYPE_FUTURE:
        for (uint32_t i = 0; type->more && i < type->more->count; i++)
            if (!is_value_type(&type->more->members[i])) return 0;
        return 1;
    default: return 0;
    }
}

fl_status fl_need_value_type(const fl_type *type)
{
    char text[TEXT];
    FL_TRY(fl_type_check(type)); /* which has found how deep it is nested */
    FL_CHECK(is_value_type(type), FL_INVALID, "expected a type that a value can have, got %s",
             fl_type_text(type, text, sizeof text));
    return NULL;
}

fl_status fl_need_kind(const fl_type *type, unsigned kinds)
{
    static const struct {
        unsigned kinds;
        const char *words;
    } names[] = {{FL_FLOATS, "a floating-point"},
                 {FL_FLOATS | FL_COMPLEX, "a floating-point or complex"},
                 {FL_SIGNED | FL_FLOATS | FL_COMPLEX, "a signed integer, floating-point or complex"},
                 {FL_INTS, "an integer"},
                 {FL_BOOLS | FL_INTS, "an integer or boolean"},
                 {FL_INTS | FL_FLOATS, "an integer or floating-point"},
                 {FL_INTS | FL_FLOATS | FL_COMPLEX, "an integer, floating-point or complex"},
                 {FL_BOOLS | FL_INTS | FL_FLOATS, "an integer, boolean or floating-point"},
                 {FL_BOOLS | FL_INTS | FL_FLOATS | FL_COMPLEX, "an ordinary"},
                 {0, "a quantized"}};
    char text[TEXT];
    FL_CHECK(type->kind == FL_TYPE_TENSOR, FL_INVALID, "expected a tensor with dimensions, got %s",
             fl_type_text(type, text, sizeof text));
    const fl_quant *quant = fl_type_quant(type);
    unsigned kind = 1u << fl_dtype_kind((fl_dtype)type->dtype);
    if (quant) kind = quant->axis < 0 ? FL_QUANT : FL_QUANT_AXIS;
    if (kinds & kind) return NULL;
    if (quant && quant->axis >= 0 && kinds & FL_QUANT)
        return fl_error(FL_INVALID, "expected one scale for the whole tensor, got %s",
                        fl_type_text(type, text, sizeof text));
    const char *words = "another";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kinds == (kinds & ~(unsigned)(FL_QUANT | FL_QUANT_AXIS))) words = names[i].words;
    return fl_error(FL_INVALID, "expected %s element type, got %s", words,
                    quant ? fl_type_text(type, text, sizeof text) : fl_dtype_name((fl_dtype)type->dtype));
}

int fl_is_promotable(const fl_type *from, const fl_type *to)
{
    const fl_quant *a = fl_type_quant(from), *b = fl_type_quant(to);
    if (!a != !b || (a && a->expressed != b->expressed)) return 0;
    fl_dtype x = (fl_dtype)from->dtype, y = (fl_dtype)to->dtype;
    int both = fl_is_int(x) ? fl_is_int(y) : fl_dtype_kind(x) == fl_dtype_kind(y);
    return both && fl_dtypes[x].bits <= fl_dtypes[y].bits;
}

/* ---- kinds of operands ---- */

fl_type fl_scalar_like(const fl_type *type)
{
    fl_type t = fl_type_make((fl_dtype)type->dtype, 0, NULL);
    const fl_quant *quant = fl_type_quant(type);
    if (quant && quant->axis < 0 && !type->more->bounds) t.more = type->more;
    return t;
}

fl_status fl_need_scalar(const fl_type *got, const fl_type *element, const char *what, const char *constraint)
{
    if (got->kind == FL_TYPE_TENSOR && !got->rank && elements_match(got, element, FL_MATCH_ELEMENT))
        return NULL;
    char a[TEXT], b[TEXT];
    fl_type scalar = fl_scalar_like(element);
    return fl_error(FL_INVALID, "expected %s of type %s, got %s (%s)", what,
                    fl_type_text(&scalar, a, sizeof a), fl_type_text(got, b, sizeof b), constraint);
}

fl_status fl_need_vector(const fl_type *type, int64_t size, const char *what, const char *constraint)
{
    char text[TEXT];
    FL_CHECK(type->kind == FL_TYPE_TENSOR && type->rank == 1 && fl_is_int((fl_dtype)type->dtype) &&
                 !fl_type_quant(type),
             FL_INVALID, "expected %s to be a vector of integers, got %s (%s)", what,
             fl_type_text(type, text, sizeof text), constraint);
    FL_CHECK(fl_same_or_open(type->dims[0], size), FL_INVALID, "expected %lld integers in %s, got %lld (%s)",
             (long long)size, what, (long long)type->dims[0], constraint);
    return NULL;
}

fl_status fl_need_static(const fl_type *type, const char *what, const char *constraint)
{
    char text[TEXT];
    FL_CHECK(fl_type_is_static(type), FL_INVALID, "expected %s with known sizes, got %s (%s)", what,
             fl_type_text(type, text, sizeof text), constraint);
    return NULL;
}

fl_status fl_need_token(const fl_type *type, const char *what, const char *constraint)
{
    char text[TEXT];
    FL_CHECK(type->kind == FL_TYPE_TOKEN, FL_INVALID, "expected %s to be a token, got %s (%s)", what,
             fl_type_text(type, text, sizeof text), constraint);
    return NULL;
}

/* ---- results ---- */

fl_status fl_need_stated(const fl_op *op, const fl_type *out)
{
    for (uint32_t i = 0; i < op->result_count; i++)
        FL_CHECK(fl_is_stated(&out[i]), FL_INVALID, "expected result types to be stated");
    return NULL;
}

fl_status fl_need_results(const fl_op *op, uint32_t count, const char *constraint)
{
    FL_CHECK(op->result_count == count, FL_INVALID, "expected %u results, got %u (%s)", count,
             op->result_count, constraint);
    return NULL;
}

/* Sizes that are stated open become those that follow from the operands. */
static void fill_open(fl_type *out, const fl_type *inferred)
{
    if (out->kind == FL_TYPE_UNRANKED && inferred->kind == FL_TYPE_TENSOR) {
        out->kind = FL_TYPE_TENSOR;
        out->rank = inferred->rank;
        memcpy(out->dims, inferred->dims, sizeof out->dims);
    }
    if (out->kind != FL_TYPE_TENSOR || inferred->kind != FL_TYPE_TENSOR || out->rank != inferred->rank)
        return;
    for (int i = 0; i < out->rank; i++) out->dims[i] = fl_known_dim(out->dims[i], inferred->dims[i]);
    int bounded = out->more && out->more->bounds && !out->more->quant;
    if (bounded && fl_type_is_static(out)) out->more = NULL; /* only open dimensions have bounds */
}

fl_status fl_settle(fl_type *out, const fl_type *inferred, unsigned how, const char *constraint)
{
    if (!fl_is_stated(out)) {
        *out = *inferred;
        return NULL;
    }
    FL_TRY(fl_need_match(out, inferred, how, "result", constraint));
    if (how & FL_MATCH_DIMS) fill_open(out, inferred);
    return NULL;
}

fl_status fl_settle_as(fl_type *out, const fl_type *element, unsigned how, int rank, const int64_t *dims,
                       const char *constraint)
{
    FL_CHECK(rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %d", FL_MAX_RANK,
             rank);
    fl_type shape = fl_type_make((fl_dtype)element->dtype, rank, dims);
    if (fl_is_stated(out)) {
        shape.more = element->more && !element->more->bounds ? element->more : NULL;
        if (out->kind == FL_TYPE_TENSOR && dims_match(out, &shape) && elements_match(out, element, how)) {
            fill_open(out, &shape);
            return NULL;
        }
        char a[TEXT], b[TEXT];
        return fl_error(FL_INVALID, "expected result of type %s, got %s (%s)",
                        fl_type_text(&shape, a, sizeof a), fl_type_text(out, b, sizeof b), constraint);
    }
    if (element->more && element->rank == rank && !memcmp(element->dims, shape.dims, sizeof shape.dims)) {
        shape.more = element->more;
    } else if (fl_type_quant(element)) {
        FL_CHECK(!element->more->bounds && element->more->quant->axis < 0, FL_INVALID,
                 "expected a stated result type: it does not follow from the operands");
        shape.more = element->more;
    }
    *out = shape;
    return NULL;
}

fl_status fl_dim_product(int64_t a, int64_t b, int64_t *out)
{
    *out = FL_DYNAMIC;
    if (fl_is_open(a) || fl_is_open(b)) return NULL;
    FL_CHECK(fl_mul_i64(a, b, out), FL_INVALID, "the size overflows");
    return NULL;
}

int fl_constant_ints(const fl_program *program, fl_ref ref, int64_t *out, int most)
{
    const fl_def *def = &program->defs[ref];
    const fl_type *type = &def->type;
    if (!def->op || def->op->code != FL_OP_constant || !fl_type_is_plain(type)) return -1;
    const fl_attr *value = fl_op_attr(def->op, FL_ATTR_value);
    int64_t n = fl_type_elements(type);
    size_t size = fl_dtype_bytes((fl_dtype)type->dtype);
    if (!value || !fl_is_int((fl_dtype)type->dtype) || n > most) return -1;
    int splat = fl_is_splat(type, value), is_signed = fl_dtype_kind((fl_dtype)type->dtype) == FL_KIND_INT;
    if (value->count != size * (size_t)(splat ? 1 : n)) return -1;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = 0;
        memcpy(&bits, (const char *)value->u.dense + (splat ? 0 : (size_t)i * size),
               size); /* little-endian */
        unsigned unused = 64 - 8 * (unsigned)size;
        out[i] = is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
    }
    return (int)n;
}
