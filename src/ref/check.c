/* What programs say about their own results: check.* operations and custom calls, probes, prints. */
#include "ref/check.h"
#include "ref/interp.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef enum criterion { EQUAL, ALMOST_EQUAL, CLOSE } criterion;

typedef struct expectation {
    const char *name; /* of the check */
    criterion criterion;
    double tolerance;             /* ALMOST_EQUAL */
    uint64_t least_ulp, most_ulp; /* CLOSE */
} expectation;

/* ---- elements ---- */

/* Part `part` (1: imaginary) of element i as a real number of dtype fl_real_dtype. */
static fl_scalar part_of(const fl_tensor *t, int64_t i, int part)
{
    fl_dtype dtype = (fl_dtype)t->type->dtype;
    if (fl_is_complex(dtype)) return fl_scalar_load(fl_real_dtype(dtype), t->data, 2 * i + part);
    return fl_get(t, i);
}

/* How many representable numbers lie between the two. */
static uint64_t ulp_distance(fl_dtype dtype, fl_scalar a, fl_scalar b)
{
    uint64_t x = fl_scalar_bits(dtype, a), y = fl_scalar_bits(dtype, b);
    if (x == y || (isnan(a.re) && isnan(b.re))) return 0;
    if (!isfinite(a.re) || !isfinite(b.re)) return UINT64_MAX;
    uint64_t sign = dtype == FL_F8E8M0FNU ? 0 : 1ull << (fl_dtypes[dtype].bits - 1);
    uint64_t p = x & ~sign, q = y & ~sign;
    if ((x & sign) != (y & sign)) return p + q;
    return p > q ? p - q : q - p;
}

static int holds_for(const expectation *e, fl_dtype dtype, fl_scalar a, fl_scalar b)
{
    if (!fl_is_float(dtype)) {
        int64_t difference = 0;
        switch (e->criterion) {
        case ALMOST_EQUAL: /* of integers too, by their values */
            return a.u == b.u || (!__builtin_sub_overflow(a.i, b.i, &difference) &&
                                  fabs((double)difference) <= e->tolerance);
        case CLOSE: return a.u == b.u && !e->least_ulp;
        default: return a.u == b.u;
        }
    }
    switch (e->criterion) {
    case ALMOST_EQUAL:
        return a.re == b.re || (isnan(a.re) && isnan(b.re)) ||
               (isfinite(a.re) && isfinite(b.re) && fabs(a.re - b.re) <= e->tolerance);
    case CLOSE: {
        uint64_t distance = ulp_distance(dtype, a, b);
        return distance >= e->least_ulp && distance <= e->most_ulp;
    }
    default: return a.re == b.re;
    }
}

/* Complex numbers: the distance is that of the part with the larger one. */
static int element_holds(const expectation *e, const fl_tensor *a, const fl_tensor *b, int64_t i)
{
    fl_dtype dtype = fl_real_dtype((fl_dtype)a->type->dtype);
    if (!fl_is_complex((fl_dtype)a->type->dtype)) return holds_for(e, dtype, fl_get(a, i), fl_get(b, i));
    if (e->criterion == CLOSE) {
        uint64_t x = ulp_distance(dtype, part_of(a, i, 0), part_of(b, i, 0));
        uint64_t y = ulp_distance(dtype, part_of(a, i, 1), part_of(b, i, 1));
        uint64_t distance = x > y ? x : y;
        return distance >= e->least_ulp && distance <= e->most_ulp;
    }
    return holds_for(e, dtype, part_of(a, i, 0), part_of(b, i, 0)) &&
           holds_for(e, dtype, part_of(a, i, 1), part_of(b, i, 1));
}

/* ---- what a failed check says ---- */

static void write_real(fl_text *text, fl_dtype dtype, fl_scalar s)
{
    switch (fl_dtype_kind(dtype)) {
    case FL_KIND_FLOAT: fl_text_printf(text, "%.*g", dtype == FL_F64 ? 17 : 9, s.re); break;
    case FL_KIND_INT: fl_text_printf(text, "%lld", (long long)s.i); break;
    case FL_KIND_BOOL: fl_text_printf(text, s.u ? "true" : "false"); break;
    default: fl_text_printf(text, "%llu", (unsigned long long)s.u); break;
    }
}

static void write_element(fl_text *text, const fl_tensor *t, int64_t i)
{
    fl_dtype dtype = (fl_dtype)t->type->dtype;
    if (!fl_is_complex(dtype)) {
        write_real(text, dtype, fl_get(t, i));
        return;
    }
    fl_text_printf(text, "(");
    write_real(text, fl_real_dtype(dtype), part_of(t, i, 0));
    fl_text_printf(text, ", ");
    write_real(text, fl_real_dtype(dtype), part_of(t, i, 1));
    fl_text_printf(text, ")");
}

static void write_place(fl_text *text, const fl_type *type, int64_t i)
{
    int64_t at[FL_MAX_RANK];
    for (int d = type->rank - 1; d >= 0; d--) {
        at[d] = i % type->dims[d];
        i /= type->dims[d];
    }
    fl_text_printf(text, "[");
    for (int d = 0; d < type->rank; d++) fl_text_printf(text, "%s%lld", d ? ", " : "", (long long)at[d]);
    fl_text_printf(text, "]");
}

static void describe(fl_text *text, const expectation *e, const fl_tensor *got, const fl_tensor *want,
                     int64_t i, int64_t failing)
{
    char type[128];
    fl_dtype dtype = (fl_dtype)got->type->dtype;
    fl_text_printf(text, "%s: element ", e->name);
    write_place(text, got->type, i);
    fl_text_printf(text, ": expected ");
    write_element(text, want, i);
    fl_text_printf(text, ", got ");
    write_element(text, got, i);
    if (e->criterion == CLOSE && fl_dtype_kind(fl_real_dtype(dtype)) == FL_KIND_FLOAT) {
        uint64_t x = ulp_distance(fl_real_dtype(dtype), part_of(got, i, 0), part_of(want, i, 0)), y = x;
        if (fl_is_complex(dtype))
            y = ulp_distance(fl_real_dtype(dtype), part_of(got, i, 1), part_of(want, i, 1));
        fl_text_printf(text, " (%llu ulp apart)", (unsigned long long)(x > y ? x : y));
    }
    fl_text_printf(text, "; %lld of %lld elements of %s differ\n", (long long)failing,
                   (long long)fl_type_elements(got->type), fl_type_text(got->type, type, sizeof type));
}

/* ---- a check ---- */

/* Counts the check; where nobody counts, a check that does not hold is an error. */
static fl_status settle(const fl_call *call, int holds, fl_text *why)
{
    fl_check_report *report = fl_session_of(call)->report;
    fl_status status = NULL;
    if (report) {
        report->checks++;
        report->failures += !holds;
        if (!holds && why->data) fl_text_append(&report->log, why->data, why->length);
    } else if (!holds) {
        status = fl_error(FL_INVALID, "check failed: %.*s", why->length ? (int)why->length - 1 : 0,
                          why->data ? why->data : "");
    }
    fl_text_free(why);
    return status;
}

static fl_status expect(const fl_call *call, const expectation *e, const fl_tensor *got,
                        const fl_tensor *want, int *out_holds)
{
    int64_t n, first = -1, failing = 0;
    fl_text why = {0};
    FL_CHECK(fl_type_is_static(got->type) && got->type->dtype == want->type->dtype &&
                 got->type->rank == want->type->rank &&
                 !memcmp(got->type->dims, want->type->dims, sizeof got->type->dims[0] * got->type->rank),
             FL_INVALID, "%s: expected two tensors of one type", e->name);
    n = fl_type_elements(got->type);
    for (int64_t i = 0; i < n; i++) {
        if (element_holds(e, got, want, i)) continue;
        if (!failing++) first = i;
    }
    if (failing) describe(&why, e, got, want, first, failing);
    if (out_holds) *out_holds = !failing;
    return settle(call, !failing, &why);
}

/* ---- limits ---- */

/* Numbers given by attributes of ours, or of a custom call, by ones that keep their names. */
static double tolerance_of(const fl_op *op, double fallback)
{
    const fl_attr *a = fl_op_attr(op, FL_ATTR_tolerance);
    const fl_literal *l = fl_literal_get(op->extra, fl_attr_infos[FL_ATTR_tolerance].name);
    if (a) return a->u.f;
    return l && l->kind == FL_LIT_FLOAT ? l->u.f : fallback;
}

static uint64_t ulps_of(const fl_op *op, fl_attr_key key, uint64_t fallback) /* unsigned, of 64 bits */
{
    const fl_attr *a = fl_op_attr(op, key);
    const fl_literal *l = fl_literal_get(op->extra, fl_attr_infos[key].name);
    if (a) return (uint64_t)a->u.i;
    return l && l->kind == FL_LIT_INT ? (uint64_t)l->u.i : fallback;
}

static expectation expectation_of(const fl_op *op, const char *name, criterion criterion, double tolerance,
                                  uint64_t most_ulp)
{
    return (expectation){name, criterion, tolerance_of(op, tolerance),
                         ulps_of(op, FL_ATTR_min_ulp_difference, 0),
                         ulps_of(op, FL_ATTR_max_ulp_difference, most_ulp)};
}

/* ---- probes ---- */

static const fl_probe *find_probe(const fl_session *session, const char *id, int64_t iteration)
{
    for (const fl_probe *p = session->probes; p; p = p->next)
        if (!strcmp(p->id, id) && iteration-- == 0) return p;
    return NULL;
}

fl_status fl_run_probe(const fl_call *call)
{
    fl_session *session = fl_session_of(call);
    const char *id = fl_op_string(call->op, FL_ATTR_probe_id);
    size_t bytes = fl_reference_bytes(call->in->type);
    fl_probe *p = calloc(1, sizeof *p);
    if (p) p->data = malloc(bytes + 1);
    if (!p || !p->data) {
        free(p);
        return fl_error(FL_OOM, "no memory for a probe of %zu bytes", bytes);
    }
    p->id = id ? id : "";
    p->type = call->in->type;
    fl_move_bytes(p->data, call->in->data, bytes);
    *session->last_probe = p;
    session->last_probe = &p->next;
    fl_copy_value(call->out, call->in);
    return NULL;
}

static fl_status expect_probe(const fl_call *call)
{
    const char *id = fl_op_string(call->op, FL_ATTR_probe_id);
    int64_t iteration = fl_op_int(call->op, FL_ATTR_iter, 0);
    const fl_probe *p = id ? find_probe(fl_session_of(call), id, iteration) : NULL;
    const expectation e = {.name = "expect_serialized_eq", .criterion = EQUAL};
    if (p) return expect(call, &e, call->in, &(fl_tensor){p->type, p->data}, NULL);
    fl_text why = {0};
    fl_text_printf(&why, "expect_serialized_eq: expected a probe \"%s\" of iteration %lld, got none\n",
                   id ? id : "", (long long)iteration);
    return settle(call, 0, &why);
}

/* ---- operations ---- */

static fl_status expect_constant(const fl_call *call, const expectation *e)
{
    const fl_attr *value = fl_op_attr(call->op, FL_ATTR_value);
    const fl_type *type = call->in->type;
    size_t bytes = fl_type_bytes(type);
    FL_CHECK(value && (value->count == bytes || value->count == fl_dtype_bytes((fl_dtype)type->dtype)),
             FL_INVALID, "%s: expected a constant of the operand's type", e->name);
    fl_tensor want = {type, calloc(bytes + 16, 1)};
    FL_CHECK(want.data, FL_OOM, "no memory for a constant of %zu bytes", bytes);
    fl_constant_expand(type, value, want.data);
    fl_status status = expect(call, e, call->in, &want, NULL);
    free(want.data);
    return status;
}

fl_status fl_run_expect(const fl_call *call)
{
    const fl_op *op = call->op;
    const char *name = fl_op_infos[op->code].name;
    if (op->code == FL_OP_expect_serialized_eq) return expect_probe(call);
    criterion criterion = op->code == FL_OP_expect_eq || op->code == FL_OP_expect_eq_const ? EQUAL
                          : op->code == FL_OP_expect_close                                 ? CLOSE
                                                                                           : ALMOST_EQUAL;
    const expectation e = expectation_of(op, name, criterion, 1e-4, 1);
    if (op->operand_count == 1) return expect_constant(call, &e);
    return expect(call, &e, &call->in[0], &call->in[1], NULL);
}

fl_status fl_run_check_call(const fl_call *call, const char *target)
{
    static const struct {
        const char *target;
        criterion criterion;
        double tolerance;
        uint64_t most_ulp;
    } known[] = {{"check.expect_eq", EQUAL, 0, 0},
                 {"check.expect_almost_eq", ALMOST_EQUAL, 1e-3, 0},
                 {"check.expect_close", CLOSE, 0, 3},
                 {"check.eq", ALMOST_EQUAL, 1e-4, 0}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(target, known[i].target)) continue;
        int holds = 0;
        FL_CHECK(call->op->operand_count == 2, FL_INVALID, "%s: expected 2 operands, got %u", target,
                 call->op->operand_count);
        expectation e =
            expectation_of(call->op, target, known[i].criterion, known[i].tolerance, known[i].most_ulp);
        if (i == 3 && !fl_is_float((fl_dtype)call->in->type->dtype) &&
            !fl_is_complex((fl_dtype)call->in->type->dtype))
            e.criterion = EQUAL;
        FL_TRY(expect(call, &e, &call->in[0], &call->in[1], &holds));
        for (uint32_t k = 0; k < call->op->result_count; k++) {
            FL_CHECK(call->out[k].type->dtype == FL_I1 && call->out[k].type->rank == 0, FL_INVALID,
                     "%s: expected a result of type tensor<i1>", target);
            fl_set(&call->out[k], 0, fl_int_scalar((uint64_t)holds));
        }
        return NULL;
    }
    return fl_error(FL_UNSUPPORTED, "the reference interpreter has no custom call %s", target);
}

/* The type and the elements in nested brackets, on one line. */
fl_status fl_run_print(const fl_call *call)
{
    const fl_reference_options *options = &fl_session_of(call)->options;
    const fl_type *type = call->in->type;
    fl_text text = {0};
    char name[128];
    int64_t n = fl_type_is_static(type) ? fl_type_elements(type) : 0;
    fl_text_printf(&text, "%s ", fl_type_text(type, name, sizeof name));
    for (int64_t i = 0; i < n; i++) {
        int64_t block = 1;
        if (i) fl_text_printf(&text, ", ");
        for (int d = type->rank - 1; d >= 0 && i % (block *= type->dims[d]) == 0; d--)
            fl_text_append(&text, "[", 1);
        write_element(&text, call->in, i);
        block = 1;
        for (int d = type->rank - 1; d >= 0 && (i + 1) % (block *= type->dims[d]) == 0; d--)
            fl_text_append(&text, "]", 1);
    }
    fl_text_append(&text, "\n", 1);
    fl_status status = text.failed ? fl_error(FL_OOM, "no memory to print a value") : NULL;
    if (!status && options->print)
        options->print(options->user, text.data);
    else if (!status)
        fputs(text.data, stdout);
    fl_text_free(&text);
    return status;
}
