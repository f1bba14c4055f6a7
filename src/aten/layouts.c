#include "aten/layouts.h"
#include "ir/ir.h"

#include <string.h>

static const fl_result_layout rules[] = {
#define FL_KEEPS(name, rule, ...) {name, FL_LAYOUT_##rule, {__VA_ARGS__}},
#include "aten/layouts.def"
#undef FL_KEEPS
};

const fl_result_layout *fl_result_layout_of(const char *operator_name)
{
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (!strcmp(rules[i].operator_name, operator_name)) return &rules[i];
    return NULL;
}

/* From the fastest dimension to the slowest: the channels, the places from the last on, the batch. */
static void order_of_channels_last(int rank, int *order)
{
    order[0] = 1;
    for (int i = 1; i < rank - 1; i++) order[i] = rank - i;
    order[rank - 1] = 0;
}

/* As PyTorch tells it: also where dimensions of one element leave a choice, row by row before channels last. */
static int is_channels_last(const fl_tensor *t)
{
    int order[FL_MAX_RANK];
    int64_t least = 0;
    if ((t->rank != 4 && t->rank != 5) || !t->strides[1]) return 0;
    order_of_channels_last(t->rank, order);
    for (int i = 0; i < t->rank; i++) {
        int d = order[i];
        if (!t->sizes[d] || t->strides[d] < least || (d == 0 && least == t->strides[1])) return 0;
        least = t->strides[d] * (t->sizes[d] > 1 ? t->sizes[d] : 1);
    }
    return 1;
}

static fl_layout dense_in_order(const fl_type *type, const int *order)
{
    fl_layout layout = {{0}};
    int64_t stride = 1;
    for (int i = 0; i < type->rank; i++) {
        layout.strides[order[i]] = stride;
        stride *= type->dims[order[i]] > 1 ? type->dims[order[i]] : 1;
    }
    return layout;
}

/* Whether dimension d belongs behind e when the fastest comes first: 1 yes, -1 no, 0 open. */
static int is_slower(const fl_tensor *t, int d, int e)
{
    if (!t->strides[d] || !t->strides[e]) return 0;
    if (t->strides[d] != t->strides[e]) return t->strides[d] > t->strides[e] ? 1 : -1;
    return t->sizes[d] > t->sizes[e];
}

/* Dimensions from the fastest to the slowest; what is repeated stays where it is, as PyTorch has it. */
static void order_of(const fl_tensor *t, int *order)
{
    for (int i = 0; i < t->rank; i++) {
        order[i] = t->rank - 1 - i;
        for (int at = i, before = i - 1; before >= 0; before--) {
            int slower = is_slower(t, order[before], order[at]);
            if (slower < 0) break;
            if (!slower) continue;
            int moved = order[before];
            order[before] = order[at];
            order[at] = moved;
            at = before;
        }
    }
}

static int same_sizes(const fl_tensor *t, const fl_type *type)
{
    return t->rank == type->rank && !memcmp(t->sizes, type->dims, t->rank * sizeof *t->sizes);
}

/* Whether every element has a place of its own, without gaps. */
static int is_packed(const fl_tensor *t, const int *order)
{
    int64_t stride = 1;
    for (int i = 0; i < t->rank; i++) {
        if (t->sizes[order[i]] <= 1) continue;
        if (t->strides[order[i]] != stride) return 0;
        stride *= t->sizes[order[i]];
    }
    return 1;
}

static int like(const fl_tensor *t, const fl_type *type, fl_layout *out)
{
    int order[FL_MAX_RANK];
    if (t->host || !same_sizes(t, type)) return 0;
    order_of(t, order);
    if (is_packed(t, order))
        memcpy(out->strides, t->strides, t->rank * sizeof *t->strides);
    else
        *out = dense_in_order(type, order);
    return 1;
}

static int channels_last(const fl_tensor *t, const fl_type *type, fl_layout *out)
{
    int order[FL_MAX_RANK];
    if (t->rank != type->rank || !is_channels_last(t)) return 0;
    order_of_channels_last(type->rank, order);
    *out = dense_in_order(type, order);
    return 1;
}

static fl_layout column_major(const fl_type *type)
{
    int order[FL_MAX_RANK];
    const int rank = type->rank;
    if (rank < 2) return fl_layout_dense(type);
    for (int i = 0; i < rank; i++) order[i] = rank - 1 - i;
    order[0] = rank - 2, order[1] = rank - 1;
    return dense_in_order(type, order);
}

static int columns(const fl_tensor *t, const fl_type *type, fl_layout *out)
{
    if (t->rank != type->rank || t->rank < 2) return 0;
    *out = column_major(type);
    return 1;
}

/* By falling strides; equal ones stay. */
static void sort_by_strides(const int64_t *strides, int *dims, int count)
{
    for (int i = 1; i < count; i++) {
        int d = dims[i], at = i;
        for (; at > 0 && strides[dims[at - 1]] < strides[d]; at--) dims[at] = dims[at - 1];
        dims[at] = d;
    }
}

/* One transform of a tensor with these strides along `count` dims, of which the last `fixed` are not moved. */
static void transformed(const int64_t *strides, const fl_type *type, const int64_t *dims, int count,
                        int fixed, fl_layout *out)
{
    int slow[FL_MAX_RANK], fast[FL_MAX_RANK], order[FL_MAX_RANK], batch = 0;
    uint32_t mask = 0;
    for (int i = 0; i < count; i++) {
        fast[i] = (int)(dims[i] < 0 ? dims[i] + type->rank : dims[i]);
        mask |= 1u << fast[i];
    }
    for (int d = 0; d < type->rank; d++)
        if (!(mask >> d & 1)) slow[batch++] = d;
    sort_by_strides(strides, slow, batch);
    sort_by_strides(strides, fast, count - fixed);
    for (int i = 0; i < count; i++) order[i] = fast[count - 1 - i];
    for (int i = 0; i < batch; i++) order[count + i] = slow[batch - 1 - i];
    *out = dense_in_order(type, order);
}

/* What MKL's plans leave, which PyTorch's CPU takes as it is; argument 1: the dims. */
static fl_layout layout_of_fft(fl_layout_rule rule, const fl_value *args, const fl_type *type)
{
    fl_layout layout = fl_layout_dense(type);
    const fl_tensor *t = args[0].tag == FL_TAG_TENSOR ? args[0].u.tensor : NULL;
    const int64_t *dims = args[1].tag == FL_TAG_INTS ? args[1].u.ints : NULL;
    const int count = (int)args[1].count, to_real = rule == FL_LAYOUT_FFT_TO_REAL;
    if (!t || t->rank != type->rank || !dims || !count || count > t->rank) return layout;
    if (!to_real) {
        transformed(t->strides, type, dims, count, rule == FL_LAYOUT_FFT_OF_REAL, &layout);
        return layout;
    }
    fl_layout between = {{0}};
    const fl_type half = fl_type_make((fl_dtype)t->dtype, t->rank, t->sizes);
    memcpy(between.strides, t->strides, t->rank * sizeof *t->strides);
    if (count > 1) transformed(t->strides, &half, dims, count - 1, 0, &between);
    transformed(between.strides, type, dims + count - 1, 1, 0, &layout);
    return layout;
}

fl_layout fl_result_layout_apply(const fl_result_layout *rule, const fl_value *args, const fl_type *type)
{
    static int (*const of_tensor[])(const fl_tensor *, const fl_type *, fl_layout *) = {
        [FL_LAYOUT_CHANNELS_LAST] = channels_last, [FL_LAYOUT_LIKE] = like, [FL_LAYOUT_COLUMNS] = columns};
    if (rule->rule >= FL_LAYOUT_FFT) return layout_of_fft((fl_layout_rule)rule->rule, args, type);
    fl_layout layout = fl_layout_dense(type);
    if (rule->rule == FL_LAYOUT_SOLUTION) return args[rule->args[0]].u.i ? column_major(type) : layout;
    for (int i = 0; i < 3; i++) {
        const fl_value *v = &args[rule->args[i]];
        const fl_tensor *t = v->tag == FL_TAG_TENSOR ? v->u.tensor : NULL;
        if (t && of_tensor[rule->rule](t, type, &layout)) break;
    }
    return layout;
}
