/* Argument access and results of lowerings (lower.h), and fl_lower, which runs one. */
#include "aten/limit.h"
#include "aten/lower.h"
#include "base/number.h"

#include <stdlib.h>
#include <string.h>

typedef struct lower_call {
    const fl_operator *op;
    const fl_value *args;
    uint32_t arg_count;
    const uint16_t *written;
    uint32_t written_count;
    fl_ref *values; /* parameter made for source s */
    fl_ref *results;
    uint32_t source_capacity, target_capacity, next_written;
    fl_lowered *out;
} lower_call;

static lower_call *call_of(fl_builder *b)
{
    return b->user;
}

static const fl_value *arg(fl_builder *b, int i)
{
    static const fl_value none = {.tag = FL_TAG_NONE};
    lower_call *c = call_of(b);
    return i >= 0 && (uint32_t)i < c->arg_count ? &c->args[i] : &none;
}

static void wrong(fl_builder *b, int i, const char *expected)
{
    fl_builder_fail(
        b, fl_error(FL_TYPE, "argument %d: expected %s, got kind %d", i, expected, (int)arg(b, i)->tag));
}

static int grow(void **array, uint32_t *capacity, uint32_t count, size_t size)
{
    if (count < *capacity) return 1;
    uint32_t larger = *capacity ? *capacity * 2 : 8;
    void *p = realloc(*array, larger * size);
    if (!p) return 0;
    *array = p;
    *capacity = larger;
    return 1;
}

/* A parameter for source (kind, arg, element, dtype); the same source gives the same parameter. */
static fl_ref parameter(fl_builder *b, fl_source source, fl_type type)
{
    lower_call *c = call_of(b);
    fl_lowered *out = c->out;
    /* lists can have many elements: only the recent sources are searched for an equal one */
    uint32_t from = out->source_count > 64 ? out->source_count - 64 : 0;
    for (uint32_t s = from; s < out->source_count; s++)
        if (!memcmp(&out->sources[s], &source, sizeof source)) return c->values[s];
    uint32_t capacity = c->source_capacity;
    if (!grow((void **)&out->sources, &capacity, out->source_count, sizeof *out->sources) ||
        !grow((void **)&c->values, &c->source_capacity, out->source_count, sizeof *c->values)) {
        fl_builder_fail(b, fl_error(FL_OOM, "out of host memory"));
        return FL_NO_REF;
    }
    fl_ref r = fl_parameter(b, type);
    out->sources[out->source_count] = source;
    c->values[out->source_count++] = r;
    return r;
}

const fl_tensor *fl_value_tensor(const fl_value *value, int element)
{
    if (value->tag == FL_TAG_TENSOR) return value->u.tensor;
    if (value->tag != FL_TAG_TENSORS || element < 0 || (uint32_t)element >= value->count) return NULL;
    const fl_tensor *t = &value->u.tensor[element];
    return t->dtype == FL_DTYPE_NONE ? NULL : t;
}

static fl_ref tensor_value(fl_builder *b, int i, int element, const fl_tensor *t)
{
    if (!fl_ok(b)) return FL_NO_REF;
    if (!t) {
        wrong(b, i, "a tensor");
        return FL_NO_REF;
    }
    fl_source source = {
        .kind = FL_FROM_TENSOR, .dtype = t->dtype, .element = (int16_t)element, .arg = (uint16_t)i};
    fl_ref x = parameter(b, source, fl_type_make((fl_dtype)t->dtype, t->rank, t->sizes));
    if (t->conj) x = fl_conj(b, x);
    if (t->neg) x = fl_neg(b, x);
    return x;
}

uint32_t fl_arg_count(fl_builder *b)
{
    return call_of(b)->arg_count;
}

int fl_has(fl_builder *b, int i)
{
    return arg(b, i)->tag != FL_TAG_NONE;
}

const fl_tensor *fl_tensor_arg(fl_builder *b, int i)
{
    return fl_value_tensor(arg(b, i), -1);
}

fl_ref fl_in(fl_builder *b, int i)
{
    return tensor_value(b, i, -1, fl_tensor_arg(b, i));
}

fl_ref fl_in_cast(fl_builder *b, int i, fl_dtype dtype)
{
    return fl_convert(b, fl_in(b, i), dtype);
}

fl_ref fl_convert(fl_builder *b, fl_ref x, fl_dtype dtype)
{
    const fl_dtype from = fl_dtypeof(b, x);
    if ((dtype != FL_F8E4M3FN && dtype != FL_F8E8M0FNU) || from == dtype || from == FL_I1 || !fl_ok(b))
        return fl_cast(b, x, dtype);
    x = fl_cast(b, x, from == FL_F64 ? FL_F64 : FL_F32);
    if (dtype == FL_F8E8M0FNU)
        return fl_cast(b, fl_max(b, fl_abs(b, x), fl_full_like(b, x, 0x1p-127)), dtype);
    return fl_cast(b, fl_clamp(b, fl_full_like(b, x, -448), x, fl_full_like(b, x, 448)), dtype);
}

uint32_t fl_list_count(fl_builder *b, int i)
{
    return arg(b, i)->tag == FL_TAG_NONE ? 0 : arg(b, i)->count;
}

const fl_tensor *fl_list_tensor(fl_builder *b, int i, uint32_t k)
{
    return arg(b, i)->tag == FL_TAG_TENSORS ? fl_value_tensor(arg(b, i), (int)k) : NULL;
}

fl_ref fl_list_in(fl_builder *b, int i, uint32_t k)
{
    const fl_tensor *t = fl_list_tensor(b, i, k);
    return t ? tensor_value(b, i, (int)k, t) : FL_NO_REF;
}

int64_t fl_int(fl_builder *b, int i)
{
    const fl_value *v = arg(b, i);
    if (v->tag == FL_TAG_INT || v->tag == FL_TAG_BOOL) {
        if (v->scalar) call_of(b)->out->looked_at |= fl_scalar_bit(v, i);
        return v->u.i;
    }
    wrong(b, i, "an integer");
    return 0;
}

int64_t fl_int_or(fl_builder *b, int i, int64_t fallback)
{
    return fl_has(b, i) ? fl_int(b, i) : fallback;
}

int fl_bool(fl_builder *b, int i)
{
    return fl_int(b, i) != 0;
}

const char *fl_string(fl_builder *b, int i)
{
    return arg(b, i)->tag == FL_TAG_STRING ? arg(b, i)->u.string : NULL;
}

uint32_t fl_ints(fl_builder *b, int i, int64_t *out, uint32_t capacity)
{
    const fl_value *v = arg(b, i);
    if (v->tag == FL_TAG_NONE) return 0;
    if (v->tag == FL_TAG_INT) {
        out[0] = v->u.i;
        return 1;
    }
    if ((v->tag != FL_TAG_INTS && v->tag != FL_TAG_BOOLS) || v->count > capacity) {
        /* an empty list may arrive without a type */
        if (v->count == 0) return 0;
        wrong(b, i, "a list of integers that is not longer than the number of dimensions");
        return 0;
    }
    memcpy(out, v->u.ints, v->count * sizeof *out);
    return v->count;
}

void fl_ints_n(fl_builder *b, int i, int64_t *out, uint32_t n, const int64_t *fallback)
{
    int64_t given[FL_MAX_RANK * 2];
    uint32_t count = fl_ints(b, i, given, FL_MAX_RANK * 2);
    for (uint32_t k = 0; k < n; k++)
        out[k] = count == n ? given[k] : count == 1 ? given[0] : fallback ? fallback[k] : 0;
    if (count && count != 1 && count != n) wrong(b, i, "a list of one integer for each dimension");
}

uint32_t fl_dims(fl_builder *b, int i, int rank, int64_t *out)
{
    int64_t given[64];
    uint32_t count = fl_ints(b, i, given, 64);
    uint32_t mask = 0, n = 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t bit = 1u << fl_wrap_dim(b, given[k], rank);
        if (mask & bit) {
            fl_builder_fail(b, fl_error(FL_INVALID, "dim %lld appears multiple times in the list of dims",
                                        (long long)given[k]));
            return 0;
        }
        mask |= bit;
    }
    for (int d = 0; d < rank; d++)
        if (!count || mask >> d & 1) out[n++] = d;
    return n;
}

fl_dtype fl_dtype_or(fl_builder *b, int i, fl_dtype fallback)
{
    return fl_has(b, i) ? (fl_dtype)fl_int(b, i) : fallback;
}

/* Scalars. `element` >= 0 addresses an element of a list. */
static const fl_value *scalar_value(const fl_value *v, int element)
{
    return element >= 0 && v->tag == FL_TAG_SCALARS ? &v->u.scalars[element] : v;
}

static fl_ref scalar_parameter(fl_builder *b, int i, int element, fl_dtype dtype, fl_source_kind kind)
{
    const fl_value *v = arg(b, i);
    int known = v->tag == FL_TAG_INT || v->tag == FL_TAG_DOUBLE || v->tag == FL_TAG_BOOL ||
                v->tag == FL_TAG_COMPLEX ||
                (element >= 0 && (uint32_t)element < v->count &&
                 (v->tag == FL_TAG_SCALARS || v->tag == FL_TAG_DOUBLES || v->tag == FL_TAG_INTS));
    if (!fl_ok(b)) return FL_NO_REF;
    if (!known) {
        wrong(b, i, "a number");
        return FL_NO_REF;
    }
    if (!v->scalar && element < 0) { /* an int or bool argument used as a number: part of the key already */
        return v->tag == FL_TAG_DOUBLE ? fl_scalar_f(b, dtype, v->u.d) : fl_scalar_i(b, dtype, v->u.i);
    }
    fl_source source = {
        .kind = (uint8_t)kind, .dtype = (uint8_t)dtype, .element = (int16_t)element, .arg = (uint16_t)i};
    return parameter(b, source, fl_type_make(dtype, 0, NULL));
}

fl_ref fl_scalar(fl_builder *b, int i, fl_dtype dtype)
{
    return scalar_parameter(b, i, -1, dtype, FL_FROM_SCALAR);
}

fl_ref fl_scalar_fitting(fl_builder *b, int i, fl_dtype dtype)
{
    return scalar_parameter(b, i, -1, dtype, FL_FROM_FITTING_SCALAR);
}

fl_ref fl_list_scalar(fl_builder *b, int i, uint32_t k, fl_dtype dtype)
{
    return scalar_parameter(b, i, (int)k, dtype, FL_FROM_SCALAR);
}

fl_tag fl_scalar_tag(fl_builder *b, int i)
{
    return (fl_tag)arg(b, i)->tag;
}

double fl_static_double(fl_builder *b, int i)
{
    const fl_value *v = arg(b, i);
    if (v->scalar) call_of(b)->out->looked_at |= fl_scalar_bit(v, i);
    switch (v->tag) {
    case FL_TAG_DOUBLE: return v->u.d;
    case FL_TAG_INT:
    case FL_TAG_BOOL: return (double)v->u.i;
    case FL_TAG_COMPLEX: return v->u.complex_[0];
    default: wrong(b, i, "a number"); return 0;
    }
}

int64_t fl_static_int(fl_builder *b, int i)
{
    if (arg(b, i)->tag == FL_TAG_DOUBLE) return (int64_t)fl_static_double(b, i);
    return fl_int(b, i);
}

int fl_scalar_is(fl_builder *b, int i, double value)
{
    const fl_value *v = arg(b, i);
    if (v->tag == FL_TAG_COMPLEX && v->u.complex_[1] != 0) {
        call_of(b)->out->looked_at |= fl_scalar_bit(v, i);
        return 0;
    }
    return fl_static_double(b, i) == value;
}

/* As PyTorch's messages call a type. */
const char *fl_c_type_name(fl_dtype dtype)
{
    switch (dtype) {
    case FL_I8: return "int8_t";
    case FL_U8: return "uint8_t";
    case FL_I16: return "int16_t";
    case FL_U16: return "uint16_t";
    case FL_I32: return "int";
    case FL_U32: return "uint32_t";
    case FL_I64: return "int64_t";
    case FL_U64: return "uint64_t";
    case FL_F16: return "c10::Half";
    case FL_BF16: return "c10::BFloat16";
    case FL_F32: return "float";
    case FL_F64: return "double";
    case FL_C64: return "c10::complex<float>";
    case FL_F8E4M3FN: return "c10::Float8_e4m3fn";
    case FL_F8E4M3FNUZ: return "c10::Float8_e4m3fnuz";
    case FL_F8E5M2: return "c10::Float8_e5m2";
    case FL_F8E5M2FNUZ: return "c10::Float8_e5m2fnuz";
    default: return fl_dtype_name(dtype);
    }
}

static fl_status number_of(const fl_value *v, int element, fl_number *x)
{
    v = scalar_value(v, element);
    *x = (fl_number){0};
    switch (v->tag) {
    case FL_TAG_BOOL:
    case FL_TAG_INT: *x = (fl_number){.integer = v->u.i, .is_integer = 1}; break;
    case FL_TAG_DOUBLE: x->re = v->u.d; break;
    case FL_TAG_COMPLEX: x->re = v->u.complex_[0], x->im = v->u.complex_[1]; break;
    case FL_TAG_DOUBLES: x->re = v->u.doubles[element]; break;
    case FL_TAG_INTS: *x = (fl_number){.integer = v->u.ints[element], .is_integer = 1}; break;
    default: return fl_error(FL_TYPE, "expected a number, got kind %d", (int)v->tag);
    }
    return NULL;
}

static fl_status store(fl_number x, fl_dtype dtype, void *out)
{
    FL_CHECK(fl_number_store(x, dtype, out), FL_UNSUPPORTED, "no conversion of a number to %s",
             fl_dtype_name(dtype));
    return NULL;
}

fl_status fl_value_store(const fl_value *v, int element, fl_dtype dtype, void *out)
{
    fl_number x;
    FL_TRY(number_of(v, element, &x));
    return store(x, dtype, out);
}

fl_status fl_source_store(const fl_source *source, const fl_value *args, void *out)
{
    const fl_dtype dtype = (fl_dtype)source->dtype;
    fl_number x;
    FL_TRY(number_of(&args[source->arg], source->element, &x));
    if (source->kind == FL_FROM_FITTING_SCALAR)
        FL_CHECK(fl_number_fits(x, dtype), FL_INVALID,
                 "value cannot be converted to type %s without overflow", fl_c_type_name(dtype));
    return store(x, dtype, out);
}

/* results */

static const fl_tensor *written_tensor(lower_call *c, uint32_t k, uint16_t *out_arg, int16_t *out_element)
{
    for (uint32_t w = 0, n = 0; w < c->written_count; w++) {
        const fl_value *v = &c->args[c->written[w]];
        uint32_t here = v->tag == FL_TAG_TENSORS ? v->count : v->tag == FL_TAG_TENSOR ? 1 : 0;
        if (k < n + here) {
            *out_arg = c->written[w];
            *out_element = v->tag == FL_TAG_TENSORS ? (int16_t)(k - n) : -1;
            return fl_value_tensor(v, *out_element);
        }
        n += here;
    }
    return NULL;
}

fl_dtype fl_out_dtype(fl_builder *b, int k)
{
    uint16_t where;
    int16_t element;
    const fl_tensor *t = written_tensor(call_of(b), (uint32_t)k, &where, &element);
    return t ? (fl_dtype)t->dtype : FL_DTYPE_NONE;
}

static void add_target(fl_builder *b, fl_target target, fl_ref x)
{
    lower_call *c = call_of(b);
    fl_lowered *out = c->out;
    uint32_t capacity = c->target_capacity;
    if (!grow((void **)&out->targets, &capacity, out->target_count, sizeof *out->targets) ||
        !grow((void **)&c->results, &c->target_capacity, out->target_count, sizeof *c->results)) {
        fl_builder_fail(b, fl_error(FL_OOM, "out of host memory"));
        return;
    }
    if (target.kind == FL_TO_FRESH || target.kind == FL_TO_ARG) {
        target.type = *fl_typeof(b, x);
        c->results[out->result_count++] = x;
    }
    out->targets[out->target_count++] = target;
}

static void emit_to(fl_builder *b, uint16_t where, int16_t element, const fl_tensor *t, fl_ref x)
{
    if (!fl_ok(b)) return;
    if (t->conj) x = fl_conj(b, x);
    if (t->neg) x = fl_neg(b, x);
    add_target(b, (fl_target){.kind = FL_TO_ARG, .arg = where, .element = element},
               fl_convert(b, x, (fl_dtype)t->dtype));
}

void fl_emit(fl_builder *b, fl_ref x)
{
    lower_call *c = call_of(b);
    if (!fl_ok(b)) return;
    uint16_t where;
    int16_t element;
    const fl_tensor *t = written_tensor(c, c->next_written, &where, &element);
    c->next_written++;
    if (t)
        emit_to(b, where, element, t, x);
    else
        add_target(b, (fl_target){.kind = FL_TO_FRESH, .element = -1}, x);
}

void fl_emit_uniform(fl_builder *b, fl_ref x)
{
    fl_emit(b, x);
    if (!fl_ok(b)) return;
    fl_lowered *out = call_of(b)->out;
    out->targets[out->target_count - 1].uniform = 1;
}

void fl_emit_into(fl_builder *b, int i, fl_ref x)
{
    const fl_tensor *t = fl_tensor_arg(b, i);
    if (t)
        emit_to(b, (uint16_t)i, -1, t, x);
    else
        wrong(b, i, "a tensor to write");
}

void fl_emit_into_list(fl_builder *b, int i, uint32_t k, fl_ref x)
{
    const fl_tensor *t = fl_list_tensor(b, i, k);
    if (t)
        emit_to(b, (uint16_t)i, (int16_t)k, t, x);
    else
        wrong(b, i, "a list of tensors to write");
}

void fl_emit_undefined(fl_builder *b)
{
    if (!fl_ok(b)) return;
    call_of(b)->next_written++;
    add_target(b, (fl_target){.kind = FL_TO_UNDEFINED, .element = -1}, FL_NO_REF);
}

void fl_emit_int(fl_builder *b, int64_t value)
{
    if (fl_ok(b))
        add_target(b, (fl_target){.kind = FL_TO_INTEGER, .element = -1, .integer = value}, FL_NO_REF);
}

/* of an operator at its place in the table, once one of its lowerings has said it; atomic */
static const fl_limit *limits[4096];

static fl_status within(const fl_limit *limit, const fl_value *args)
{
    double x, next = 0;
    FL_TRY(fl_value_store(&args[limit->arg], -1, FL_F64, &x));
    if (limit->kind == FL_LIMIT_UP_TO_NEXT) FL_TRY(fl_value_store(&args[limit->arg + 1], -1, FL_F64, &next));
    const int is_within[] = {[FL_LIMIT_POSITIVE] = x > 0,
                             [FL_LIMIT_NOT_NEGATIVE] = x >= 0,
                             [FL_LIMIT_PROBABILITY] = x >= 0 && x <= 1,
                             [FL_LIMIT_OPEN_PROBABILITY] = x > 0 && x < 1,
                             [FL_LIMIT_UP_TO_NEXT] = x <= next};
    return is_within[limit->kind] ? NULL : fl_error(FL_INVALID, limit->text, x, next);
}

fl_status fl_limit_check(const fl_operator *op, const fl_value *args)
{
    const fl_limit *limit = __atomic_load_n(&limits[op - fl_operators], __ATOMIC_ACQUIRE);
    return limit ? within(limit, args) : NULL;
}

void fl_limit_number(fl_builder *b, const fl_limit *limit)
{
    lower_call *call = call_of(b);
    size_t op = (size_t)(call->op - fl_operators);
    if (op < sizeof limits / sizeof *limits) __atomic_store_n(&limits[op], limit, __ATOMIC_RELEASE);
    call->out->looked_at |= FL_LIMITED;
    fl_status status = within(limit, call->args);
    if (status) fl_builder_fail(b, status);
}

fl_ref fl_random_state(fl_builder *b, int i, uint64_t words)
{
    call_of(b)->out->random_words += words;
    fl_source source = {.kind = FL_FROM_RANDOM, .dtype = FL_U64, .element = -1, .arg = (uint16_t)i};
    return parameter(b, source, fl_type_make(FL_U64, 1, (int64_t[]){2}));
}

void fl_unsupported(fl_builder *b, const char *why)
{
    fl_builder_fail(b, fl_error(FL_UNSUPPORTED, "%s", why));
}

void fl_lowered_free(fl_lowered *lowered)
{
    if (lowered->program) fl_program_destroy(lowered->program);
    free(lowered->sources);
    free(lowered->targets);
    memset(lowered, 0, sizeof *lowered);
}

fl_status fl_lower(const fl_operator *op, const fl_value *args, uint32_t arg_count, const uint16_t *written,
                   uint32_t written_count, fl_products products, fl_lowered *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < arg_count; i++) /* fl_source.element and fl_target.element are 16 bits */
        FL_CHECK(args[i].count <= INT16_MAX, FL_UNSUPPORTED, "expected a list of at most %d elements, got %u",
                 INT16_MAX, args[i].count);
    lower_call call = {.op = op,
                       .args = args,
                       .arg_count = arg_count,
                       .written = written,
                       .written_count = written_count,
                       .out = out};
    fl_builder b = {0};
    FL_TRY(fl_builder_init(&b, op->name));
    b.user = &call;
    b.products = products;
    op->lower(&b);
    if (b.has_products) out->looked_at |= FL_LOOKED_AT_PRODUCTS;
    uint64_t looked_at = out->looked_at;
    fl_status status = fl_builder_finish(&b, call.results, out->result_count, &out->program);
    free(call.values);
    free(call.results);
    if (status) {
        fl_lowered_free(out);
        out->looked_at = looked_at;
    }
    return status;
}
