/* Rules of calls (what concerns the functions they name is in verify_calls.c), and of what test programs say. */
#include "ir/infer.h"

#include <string.h>

static int is_list(const fl_literal *l)
{
    return l && l->kind == FL_LIT_ARRAY;
}

/* ---- custom_call ---- */

/* minor to major: a permutation of the dimensions of a tensor or buffer; nothing for a token. */
static fl_status need_layout(const fl_type *type, const fl_literal *layout)
{
    char text[160];
    FL_CHECK(layout->kind == FL_LIT_INTS, FL_INVALID, "expected a list of integers as layout");
    if (type->kind == FL_TYPE_UNRANKED) return NULL;
    int rank = type->kind == FL_TYPE_TENSOR || type->kind == FL_TYPE_BUFFER ? type->rank : 0;
    uint32_t set = 0;
    for (uint32_t i = 0; i < layout->count; i++)
        if (layout->u.ints[i] >= 0 && layout->u.ints[i] < rank) set |= 1u << layout->u.ints[i];
    FL_CHECK((int)layout->count == rank && set == (1u << rank) - 1, FL_INVALID,
             "expected a permutation of %d dimensions as layout of %s", rank,
             fl_type_text(type, text, sizeof text));
    return NULL;
}

static fl_status need_layouts(const fl_program *p, const fl_op *op, const fl_type *out)
{
    const fl_literal *operands = fl_op_literal(op, FL_ATTR_operand_layouts),
                     *results = fl_op_literal(op, FL_ATTR_result_layouts);
    FL_CHECK(!operands == !results, FL_INVALID, "expected layouts of both operands and results, or of none");
    if (!operands) return NULL;
    FL_CHECK(is_list(operands) && operands->count == op->operand_count, FL_INVALID,
             "expected %d operand_layouts", op->operand_count);
    for (uint32_t i = 0; i < operands->count; i++)
        FL_TRY(need_layout(fl_operand_type(p, op, i), &operands->u.items[i]));
    const fl_type *types = out;
    uint32_t n = op->result_count;
    if (n == 1 && out->kind == FL_TYPE_TUPLE) { /* one layout for each member */
        n = out->more ? out->more->count : 0;
        types = n ? out->more->members : NULL;
    }
    FL_CHECK(is_list(results) && results->count == n, FL_INVALID, "expected %u result_layouts", n);
    for (uint32_t i = 0; i < n; i++) FL_TRY(need_layout(&types[i], &results->u.items[i]));
    return NULL;
}

/* The part of `type` that indices into nested tuples lead to; NULL: there is none. */
static const fl_type *part_of(const fl_type *type, const fl_literal *indices)
{
    for (uint32_t i = 0; indices && i < indices->count; i++) {
        int64_t index = indices->u.ints[i];
        uint32_t n = type->kind == FL_TYPE_TUPLE && type->more ? type->more->count : 0;
        if (index < 0 || index >= n) return NULL;
        type = &type->more->members[index];
    }
    return type;
}

static fl_status need_alias(const fl_program *p, const fl_op *op, const fl_type *out, const fl_literal *alias)
{
    char a[160], b[160];
    FL_CHECK(alias->kind == FL_LIT_DICT, FL_INVALID, "expected a dictionary in output_operand_aliases");
    const fl_literal *operand = fl_literal_get(alias, "operand_index"),
                     *from = fl_literal_get(alias, "operand_tuple_indices"),
                     *to = fl_literal_get(alias, "output_tuple_indices");
    FL_CHECK(operand && operand->kind == FL_LIT_INT && operand->u.i >= 0 && operand->u.i < op->operand_count,
             FL_INVALID, "expected operand_index within [0, %d) in output_operand_aliases",
             op->operand_count);
    FL_CHECK((!from || from->kind == FL_LIT_INTS) && (!to || to->kind == FL_LIT_INTS), FL_INVALID,
             "expected lists of integers in output_operand_aliases");
    const fl_type *source = part_of(fl_operand_type(p, op, (uint32_t)operand->u.i), from);
    /* several results count as one tuple of them */
    const fl_type_more more = {.count = op->result_count, .members = out};
    const fl_type all = {.kind = FL_TYPE_TUPLE, .more = &more};
    FL_CHECK(op->result_count, FL_INVALID, "expected results for output_operand_aliases");
    const fl_type *target = part_of(op->result_count > 1 ? &all : out, to);
    FL_CHECK(source && target, FL_INVALID, "expected tuple indices in range in output_operand_aliases");
    FL_CHECK(fl_type_compatible(source, target), FL_INVALID, "expected aliases of one type, got %s and %s",
             fl_type_text(source, a, sizeof a), fl_type_text(target, b, sizeof b));
    return NULL;
}

static fl_status need_symbols(const fl_literal *list, const char *name)
{
    FL_CHECK(!list || is_list(list), FL_INVALID, "expected a list of functions in %s", name);
    for (uint32_t i = 0; list && i < list->count; i++)
        FL_CHECK(list->u.items[i].kind == FL_LIT_SYMBOL, FL_INVALID, "expected a list of functions in %s",
                 name);
    return NULL;
}

/* Targets that every executor has. */
static fl_status need_known_target(const fl_program *p, const fl_op *op, const fl_type *out)
{
    fl_index_check check;
    const char *target = fl_op_string(op, FL_ATTR_call_target_name);
    if (fl_is_check_index(op, &check)) {
        FL_TRY(fl_need_kind(fl_operand_type(p, op, 0), FL_INTS));
        return fl_need_match(out, fl_operand_type(p, op, 0), FL_MATCH_TYPE, "result", "the operand's type");
    }
    if (strncmp(target, "check.", 6)) return NULL;
    FL_CHECK(op->operand_count == 2, FL_INVALID, "expected 2 operands of @%.40s, got %d", target,
             op->operand_count);
    return fl_need_match(fl_operand_type(p, op, 1), fl_operand_type(p, op, 0), FL_MATCH_TYPE, "operand",
                         "one type");
}

fl_status fl_infer_custom_call(const fl_program *p, const fl_op *op, fl_type *out)
{
    int64_t version;
    FL_CHECK(fl_op_string(op, FL_ATTR_call_target_name), FL_INVALID,
             "expected attribute call_target_name (I2)");
    FL_TRY(fl_need_stated(op, out));
    FL_TRY(fl_need_flag(op, FL_ATTR_has_side_effect, NULL));
    FL_TRY(fl_need_int(op, FL_ATTR_api_version, FL_API_UNSPECIFIED, FL_API_TYPED_FFI, FL_API_ORIGINAL, "I5",
                       &version));
    const fl_literal *config = fl_op_literal(op, FL_ATTR_backend_config);
    int wanted = version == FL_API_TYPED_FFI ? FL_LIT_DICT : FL_LIT_STRING;
    FL_CHECK(!config || config->kind == wanted, FL_INVALID,
             "expected backend_config to be a %s for api_version %lld (I4)",
             wanted == FL_LIT_DICT ? "dictionary" : "string", (long long)version);
    FL_TRY(need_symbols(fl_op_literal(op, FL_ATTR_called_computations), "called_computations"));
    FL_TRY(need_layouts(p, op, out));
    FL_TRY(need_known_target(p, op, out));
    const fl_literal *aliases = fl_op_literal(op, FL_ATTR_output_operand_aliases);
    FL_CHECK(!aliases || is_list(aliases), FL_INVALID, "expected a list in output_operand_aliases");
    for (uint32_t i = 0; aliases && i < aliases->count; i++)
        FL_TRY(need_alias(p, op, out, &aliases->u.items[i]));
    return NULL;
}

/* ---- functions ---- */

fl_status fl_infer_call(const fl_program *p, const fl_op *op, fl_type *out)
{
    (void)p;
    FL_CHECK(fl_op_string(op, FL_ATTR_callee), FL_INVALID, "expected attribute callee");
    return fl_need_stated(op, out);
}

static int is_letter(char c)
{
    return (c | 32) >= 'a' && (c | 32) <= 'z';
}

static int is_word(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9') || c == '_';
}

/* letter word* ("." (word | "$")+)+ */
static int is_namespaced(const char *at)
{
    if (!is_letter(*at)) return 0;
    while (is_word(*at)) at++;
    if (*at != '.') return 0;
    while (*at == '.') {
        const char *start = ++at;
        while (is_word(*at) || *at == '$') at++;
        if (at == start) return 0;
    }
    return !*at;
}

fl_status fl_infer_composite(const fl_program *p, const fl_op *op, fl_type *out)
{
    (void)p;
    const char *name = fl_op_string(op, FL_ATTR_name);
    const fl_literal *attributes = fl_op_literal(op, FL_ATTR_composite_attributes);
    FL_CHECK(name && is_namespaced(name), FL_INVALID,
             "expected a name like \"space.operation\" (C1), got \"%.60s\"", name ? name : "");
    FL_CHECK(fl_op_string(op, FL_ATTR_decomposition), FL_INVALID, "expected attribute decomposition (C2)");
    FL_TRY(fl_need_int(op, FL_ATTR_version, INT32_MIN, INT32_MAX, 0, "I5", NULL));
    FL_CHECK(!attributes || attributes->kind == FL_LIT_DICT, FL_INVALID,
             "expected a dictionary in composite_attributes (I3)");
    return fl_need_stated(op, out);
}

/* ---- tests ---- */

/* A grid of function names, rows of one length. */
fl_status fl_infer_run_parallel(const fl_program *p, const fl_op *op, fl_type *out)
{
    (void)p;
    const fl_literal *programs = fl_op_literal(op, FL_ATTR_programs),
                     *infeed = fl_op_literal(op, FL_ATTR_infeed);
    FL_CHECK(is_list(programs) && programs->count && is_list(programs->u.items) && programs->u.items->count,
             FL_INVALID, "expected lists of functions in programs");
    for (uint32_t i = 0; i < programs->count; i++) {
        const fl_literal *row = &programs->u.items[i];
        FL_TRY(need_symbols(row, "programs"));
        FL_CHECK(row->count == programs->u.items->count, FL_INVALID,
                 "expected %u functions in each list of programs", programs->u.items->count);
    }
    FL_TRY(need_symbols(infeed, "infeed"));
    return fl_need_stated(op, out);
}

/* What check and interpreter operations compare: one operand with another, a constant, or what was stored. */
fl_status fl_infer_expect(const fl_program *p, const fl_op *op, fl_type *out)
{
    (void)out; /* there are no results */
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_ANY));
    if (op->operand_count == 2)
        FL_TRY(fl_need_match(fl_operand_type(p, op, 1), x, FL_MATCH_TYPE, "operand", "one type"));
    if (op->code == FL_OP_expect_eq_const || op->code == FL_OP_expect_almost_eq_const) {
        const fl_attr *value = fl_op_attr(op, FL_ATTR_value);
        FL_TRY(fl_need_static(x, "an operand", "a constant has them"));
        size_t bytes = fl_type_bytes(x), one = fl_dtype_bytes((fl_dtype)x->dtype);
        FL_CHECK(value && (value->count == bytes || (value->count == one && bytes)), FL_INVALID,
                 "expected a value of %zu bytes, or of %zu for a splat, got %u", bytes, one,
                 value ? value->count : 0);
    }
    const fl_attr *tolerance = fl_op_attr(op, FL_ATTR_tolerance);
    FL_CHECK(!tolerance || tolerance->u.f >= 0, FL_INVALID, "expected a tolerance of at least 0, got %g",
             tolerance ? tolerance->u.f : 0);
    /* the ulp differences are ui64: any bits will do */
    FL_TRY(fl_need_int(op, FL_ATTR_iter, 0, INT32_MAX, 0, "a number", NULL));
    FL_CHECK(op->code != FL_OP_expect_serialized_eq || fl_op_string(op, FL_ATTR_probe_id), FL_INVALID,
             "expected attribute probe_id");
    return NULL;
}
