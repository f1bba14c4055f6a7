/* See attention.h. */
#include "ir/attention.h"

#include <string.h>

static const char *const targets[] = {NULL, "fl.attention", "fl.attention_backward"};

int fl_attention_kind(const fl_op *op)
{
    if (op->code != FL_OP_custom_call) return 0;
    const char *target = fl_op_string(op, FL_ATTR_call_target_name);
    for (int i = 1; target && i <= 2; i++)
        if (!strcmp(target, targets[i])) return i;
    return 0;
}

static int is_real(fl_dtype t)
{
    return t == FL_F32 || t == FL_F64 || t == FL_BF16 || t == FL_F16;
}

static int has_dims(const fl_type *t, const int64_t *dims, int rank)
{
    return t->rank == rank && !memcmp(t->dims, dims, (size_t)rank * sizeof *dims);
}

/* Sizes of 1 are repeated. */
static int repeats_to(const fl_type *t, const int64_t *dims)
{
    if (t->rank != 4) return 0;
    for (int i = 0; i < 4; i++)
        if (t->dims[i] != 1 && t->dims[i] != dims[i]) return 0;
    return 1;
}

static fl_status read_config(const fl_op *op, fl_attention_spec *s)
{
    const fl_literal *config = fl_op_literal(op, FL_ATTR_backend_config);
    const struct {
        const char *name;
        int *to;
    } flags[] = {{"causal", &s->causal}, {"bias", &s->bias}, {"mask", &s->mask}, {"zero", &s->empty_zero}};
    for (int i = 0; i < 4; i++) {
        const fl_literal *l = fl_literal_get(config, flags[i].name);
        FL_CHECK(l && l->kind == FL_LIT_BOOL, FL_INVALID, "expected %s in the configuration of attention",
                 flags[i].name);
        *flags[i].to = l->u.i != 0;
    }
    const fl_literal *offset = fl_literal_get(config, "offset"), *fill = fl_literal_get(config, "fill");
    FL_CHECK(offset && offset->kind == FL_LIT_INT && fill && fill->kind == FL_LIT_FLOAT, FL_INVALID,
             "expected offset and fill in the configuration of attention");
    s->offset = offset->u.i;
    s->fill = fill->u.f;
    return NULL;
}

fl_status fl_attention_read(const fl_program *program, const fl_op *op, fl_attention_spec *s)
{
    const int kind = fl_attention_kind(op);
    *s = (fl_attention_spec){0};
    FL_CHECK(kind, FL_INVALID, "expected a call of attention");
    FL_TRY(read_config(op, s));
    const uint32_t first = kind == 2,
                   fixed = kind == 2 ? 7 : 4; /* where query is; operands before bias and mask */
    FL_CHECK(op->operand_count == fixed + (uint32_t)s->bias + (uint32_t)s->mask &&
                 op->result_count == (kind == 2 ? 3 : 2),
             FL_INVALID, "expected operands and results of attention");
    const fl_type *types[12];
    for (uint32_t i = 0; i < op->operand_count; i++) types[i] = fl_type_of(program, op->operands[i]);
    const fl_type *q = types[first], *k = types[first + 1], *v = types[first + 2], *scale = types[fixed - 1];
    FL_CHECK(q->rank == 4 && k->rank == 4 && v->rank == 4, FL_INVALID,
             "expected query, key and value of rank 4");
    s->batch = q->dims[0], s->heads = q->dims[1], s->rows = q->dims[2], s->width = q->dims[3];
    s->key_heads = k->dims[1], s->keys = k->dims[2], s->value_width = v->dims[3];
    s->math = (fl_dtype)scale->dtype;
    const int64_t key[4] = {s->batch, s->key_heads, s->keys, s->width},
                  value[4] = {s->batch, s->key_heads, s->keys, s->value_width},
                  out[4] = {s->batch, s->heads, s->rows, s->value_width},
                  score[4] = {s->batch, s->heads, s->rows, s->keys};
    FL_CHECK(has_dims(k, key, 4) && has_dims(v, value, 4) && scale->rank == 0 &&
                 (s->key_heads ? s->heads % s->key_heads == 0 : s->heads == 0),
             FL_INVALID, "expected query, key and value that fit each other");
    FL_CHECK(s->math == FL_F32 || s->math == FL_F64, FL_INVALID, "expected a scale of f32 or f64");
    const fl_type *r = fl_type_of(program, op->first_result);
    if (kind == 1)
        FL_CHECK(has_dims(r, out, 4) && has_dims(fl_type_of(program, op->first_result + 1), out, 3),
                 FL_INVALID, "expected results of attention's shapes");
    else
        FL_CHECK(has_dims(types[0], out, 4) && has_dims(types[4], out, 4) && has_dims(types[5], out, 3) &&
                     has_dims(r, q->dims, 4) && has_dims(fl_type_of(program, op->first_result + 1), key, 4) &&
                     has_dims(fl_type_of(program, op->first_result + 2), value, 4),
                 FL_INVALID, "expected gradients of attention's shapes");
    for (uint32_t i = 0; i < fixed; i++)
        FL_CHECK(is_real((fl_dtype)types[i]->dtype), FL_INVALID, "expected attention of real numbers");
    if (s->bias)
        FL_CHECK(repeats_to(types[fixed], score) && is_real((fl_dtype)types[fixed]->dtype), FL_INVALID,
                 "expected a bias of the scores' shape");
    if (s->mask)
        FL_CHECK(repeats_to(types[fixed + s->bias], score) && types[fixed + s->bias]->dtype == FL_I1,
                 FL_INVALID, "expected a mask of the scores' shape");
    return NULL;
}

fl_ref fl_attention_build(fl_builder *b, int kind, const fl_attention_spec *s, const fl_ref *operands,
                          uint32_t count, const fl_type *results)
{
#define FLAG(name, value)                                                                                    \
    {                                                                                                        \
        name,                                                                                                \
        {                                                                                                    \
            .kind = FL_LIT_BOOL, .u.i = value                                                                \
        }                                                                                                    \
    }
    const fl_entry entries[] = {
        FLAG("bias", s->bias),
        FLAG("causal", s->causal),
        {"fill", {.kind = FL_LIT_FLOAT, .dtype = FL_F64, .u.f = s->fill}},
        FLAG("mask", s->mask),
        {"offset", {.kind = FL_LIT_INT, .dtype = FL_I64, .u.i = s->offset}},
        FLAG("zero", s->empty_zero),
    };
    const fl_literal config = {
        .kind = FL_LIT_DICT, .count = sizeof entries / sizeof *entries, .u.entries = entries};
    const char *target = targets[kind];
    const fl_attr attrs[] = {
        {.key = FL_ATTR_call_target_name, .count = (uint32_t)strlen(target), .u.string = target},
        {.key = FL_ATTR_backend_config, .u.literal = &config},
        {.key = FL_ATTR_api_version, .u.i = FL_API_TYPED_FFI}};
    return fl_build_typed(b, FL_OP_custom_call, operands, count, attrs, 3, NULL, 0, results,
                          kind == 2 ? 3 : 2);
}
