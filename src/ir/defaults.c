#include "ir/defaults.h"

#include <string.h>

/* Numbers: the value; lists: every element; all lists that are left out are also equal to empty ones. */
#define FL_DEFAULTS(X)                                                                                       \
    X(batch_group_count, 1)                                                                                  \
    X(feature_group_count, 1)                                                                                \
    X(window_strides, 1)                                                                                     \
    X(base_dilations, 1)                                                                                     \
    X(window_dilations, 1)                                                                                   \
    X(lhs_dilation, 1)                                                                                       \
    X(rhs_dilation, 1)                                                                                       \
    X(strides, 1)                                                                                            \
    X(padding, 0)                                                                                            \
    X(window_reversal, 0)                                                                                    \
    X(precision_config, FL_PRECISION_DEFAULT)                                                                \
    X(compare_type, FL_COMPARE_NONE)                                                                         \
    X(api_version, FL_API_ORIGINAL)                                                                          \
    X(index_vector_dim, 0)                                                                                   \
    X(version, 0)                                                                                            \
    X(channel_id, 0)                                                                                         \
    X(channel_type, 0)                                                                                       \
    X(min_ulp_difference, 0)                                                                                 \
    X(max_ulp_difference, 1)                                                                                 \
    X(indices_are_sorted, 0)                                                                                 \
    X(unique_indices, 0)                                                                                     \
    X(is_stable, 0)                                                                                          \
    X(lower, 0)                                                                                              \
    X(has_side_effect, 0)                                                                                    \
    X(use_global_device_ids, 0)                                                                              \
    X(has_dynamic_root, 0)                                                                                   \
    X(is_host_transfer, 0)                                                                                   \
    X(is_reverse, 0)                                                                                         \
    X(is_associative, 0)

static int default_of(fl_attr_key key, int64_t *value)
{
    static const struct {
        uint8_t known;
        int8_t value;
    } table[FL_ATTR_COUNT] = {
#define X(key, value) [FL_ATTR_##key] = {1, value},
        FL_DEFAULTS(X)
#undef X
    };
    *value = table[key].value;
    return table[key].known;
}

/* {atol, rtol, ulps, mode}, each 0 where it is left out */
typedef struct accuracy {
    double atol, rtol;
    int64_t ulps, mode;
} accuracy;

static accuracy accuracy_of(const fl_literal *l)
{
    const fl_literal *atol = fl_literal_get(l, "atol"), *rtol = fl_literal_get(l, "rtol");
    const fl_literal *ulps = fl_literal_get(l, "ulps"), *mode = fl_literal_get(l, "mode");
    return (accuracy){atol ? atol->u.f : 0, rtol ? rtol->u.f : 0, ulps ? ulps->u.i : 0, mode ? mode->u.i : 0};
}

static int is_all(const fl_attr *a, int64_t value)
{
    for (uint32_t i = 0; i < a->count; i++)
        if (a->u.ints[i] != value) return 0;
    return 1;
}

static int literal_is_default(const fl_attr *a)
{
    const fl_literal *l = a->u.literal;
    if (a->key == FL_ATTR_result_accuracy) {
        accuracy x = accuracy_of(l);
        return x.atol == 0 && x.rtol == 0 && x.ulps == 0 && x.mode == 0;
    }
    /* an empty string, dictionary or list; not empty layouts, which say something of a call without operands */
    return (l->kind == FL_LIT_STRING || l->kind == FL_LIT_DICT || l->kind == FL_LIT_ARRAY) && !l->count;
}

int fl_attr_is_default(const fl_op *op, const fl_attr *a)
{
    int64_t value;
    int known = default_of((fl_attr_key)a->key, &value);
    if (a->key == FL_ATTR_dimension && op->code == FL_OP_sort) return a->u.i == -1;
    switch ((fl_attr_form)fl_attr_infos[a->key].form) {
    case FL_FORM_INT:
    case FL_FORM_BOOL:
    case FL_FORM_ENUM: return known && a->u.i == value;
    case FL_FORM_INTS: return !a->count || (known && is_all(a, value));
    case FL_FORM_STRING: return !a->count;
    case FL_FORM_LITERAL: return literal_is_default(a);
    default: return 0;
    }
}

static int lists_equal(const fl_attr *a, const fl_attr *b)
{
    /* pairs may leave the number of columns out */
    if (a->columns != b->columns && a->columns && b->columns) return 0;
    return a->count == b->count && (!a->count || !memcmp(a->u.ints, b->u.ints, a->count * sizeof *a->u.ints));
}

/* A splat equals the same elements written out. */
static int dense_equal(const fl_attr *a, const fl_attr *b)
{
    const fl_attr *one = a->count < b->count ? a : b, *all = one == a ? b : a;
    if (!one->count) return !all->count;
    if (all->count % one->count) return 0;
    for (uint32_t i = 0; i < all->count; i += one->count)
        if (memcmp((const char *)all->u.dense + i, one->u.dense, one->count)) return 0;
    return 1;
}

static int floats_equal(const fl_attr *a, const fl_attr *b)
{
    float x = (float)a->u.f, y = (float)b->u.f; /* epsilon is an f32 whatever it was read from */
    if (a->key == FL_ATTR_epsilon) return !memcmp(&x, &y, sizeof x);
    return !memcmp(&a->u.f, &b->u.f, sizeof a->u.f);
}

static int same_number(double x, double y)
{
    return x == y || !memcmp(&x, &y, sizeof x); /* a NaN equals itself */
}

static int literals_equal(const fl_attr *a, const fl_attr *b)
{
    if (a->key != FL_ATTR_result_accuracy) return fl_literal_equal(a->u.literal, b->u.literal);
    accuracy x = accuracy_of(a->u.literal), y = accuracy_of(b->u.literal);
    return same_number(x.atol, y.atol) && same_number(x.rtol, y.rtol) && x.ulps == y.ulps && x.mode == y.mode;
}

int fl_attr_equal(const fl_op *op, const fl_attr *a, const fl_attr *b)
{
    if (!a && !b) return 1;
    if (!a || !b) return fl_attr_is_default(op, a ? a : b);
    if (fl_attr_is_default(op, a) && fl_attr_is_default(op, b)) return 1;
    switch ((fl_attr_form)fl_attr_infos[a->key].form) {
    case FL_FORM_INTS: return lists_equal(a, b);
    case FL_FORM_FLOAT: return floats_equal(a, b);
    case FL_FORM_STRING:
    case FL_FORM_SYMBOL: return a->count == b->count && !memcmp(a->u.string, b->u.string, a->count);
    case FL_FORM_DENSE: return dense_equal(a, b);
    case FL_FORM_LITERAL: return literals_equal(a, b);
    default: return a->u.i == b->u.i;
    }
}
