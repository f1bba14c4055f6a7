/* Views of one-dimensional arrays, as operations. */
#include "pjrt/client_wrap.h"

typedef struct axis {
    int dim;
    int64_t size, stride;
} axis;

/* The dimensions that move in memory, largest stride first. */
typedef struct axes {
    int count;
    axis at[FL_MAX_RANK];
    int64_t elements, span; /* span: from the first element to behind the last */
} axes;

static int64_t dense_stride(const fl_type *type, int dim)
{
    int64_t stride = 1;
    for (int d = type->rank - 1; d > dim; d--) stride *= type->dims[d] > 1 ? type->dims[d] : 1;
    return stride;
}

static axes axes_of(const fl_view *view)
{
    axes a = {.elements = 1, .span = 1};
    for (int d = 0; d < view->type->rank; d++) {
        axis x = {d, view->type->dims[d], view->strides ? view->strides[d] : dense_stride(view->type, d)};
        if (x.size <= 1 || !x.stride) continue;
        int i = a.count++;
        for (; i > 0 && a.at[i - 1].stride < x.stride; i--) a.at[i] = a.at[i - 1];
        a.at[i] = x;
        a.elements *= x.size;
        a.span += (x.size - 1) * x.stride;
    }
    return a;
}

/* Every stride is a multiple of the next one, and dimensions do not run into each other: a slice of a
 * dense array. */
static int is_nested(const axes *a)
{
    if (a->count == FL_MAX_RANK && a->at[a->count - 1].stride > 1)
        return 0; /* it would have a dimension more */
    for (int i = 0; i + 1 < a->count; i++) {
        const axis *x = &a->at[i], *next = &a->at[i + 1];
        if (x->stride % next->stride || x->stride < next->size * next->stride) return 0;
    }
    return 1;
}

static int is_packed(const axes *a)
{
    return a->span == a->elements && is_nested(a);
}

int fl_view_is_packed(const fl_view *view)
{
    axes a = axes_of(view);
    return !view->offset && !view->start && is_packed(&a) && a.elements == fl_type_elements(view->type);
}

int fl_view_is_dense(const fl_view *view)
{
    if (view->offset || view->start) return 0;
    for (int d = 0; view->strides && d < view->type->rank; d++)
        if (view->type->dims[d] > 1 && view->strides[d] != dense_stride(view->type, d)) return 0;
    return 1;
}

static fl_ref zero_of(fl_builder *b, fl_ref x)
{
    uint8_t zeros[16] = {0};
    return fl_constant(b, fl_type_make(fl_dtypeof(b, x), 0, NULL), zeros);
}

static fl_ref pad_end(fl_builder *b, fl_ref x, int64_t more)
{
    int64_t low = 0;
    return more > 0 ? fl_pad(b, x, zero_of(b, x), &low, &more, NULL) : x;
}

fl_ref fl_extend(fl_builder *b, fl_ref array, int64_t count)
{
    return fl_ok(b) ? pad_end(b, array, count - fl_dim(b, array, 0)) : FL_NO_REF;
}

/* ---- between memory and an array of the moving dimensions, in the order of memory ---- */

/* The dense array of which the view is a slice: sizes[0], stride[0] / stride[1], ..., stride[last]. */
static void nest_sizes(const axes *a, int64_t *sizes)
{
    for (int i = 0; i < a->count; i++) sizes[i] = i ? a->at[i - 1].stride / a->at[i].stride : a->at[0].size;
    sizes[a->count] = a->count ? a->at[a->count - 1].stride : 1;
}

static int64_t nest_elements(const axes *a)
{
    return a->count ? a->at[0].size * a->at[0].stride : 1;
}

/* ---- boxes: the row as an array of the view's strides ---- */

static int64_t box_size(const axes *a, int i, int64_t total)
{
    return (i ? a->at[i - 1].stride : total) / a->at[i].stride;
}

int fl_view_is_box(const fl_view *view, int64_t total)
{
    axes a = axes_of(view);
    int64_t at = view->start;
    if (at < 0 || at + a.span > total) return 0;
    if (!is_nested(&a) || is_packed(&a)) return 1;
    if (total % a.at[0].stride) return 0;
    for (int i = 0; i < a.count; i++) {
        if (at / a.at[i].stride + a.at[i].size > box_size(&a, i, total)) return 0;
        at %= a.at[i].stride;
    }
    return 1;
}

/* The row as that array, its rank, and where the box begins in it. */
static fl_ref box_of(fl_builder *b, fl_ref array, const axes *a, fl_ref offset, int *rank, fl_ref *starts)
{
    int64_t whole[FL_MAX_RANK + 1], total = fl_ok(b) ? fl_dim(b, array, 0) : 0;
    for (int i = 0; i < a->count; i++) {
        fl_ref stride = fl_scalar_i(b, FL_I64, a->at[i].stride);
        whole[i] = box_size(a, i, total);
        starts[i] = fl_div(b, offset, stride);
        offset = fl_rem(b, offset, stride);
    }
    starts[a->count] = offset;
    whole[a->count] = a->at[a->count - 1].stride;
    *rank = whole[a->count] > 1 ? a->count + 1 : a->count;
    return fl_reshape(b, array, *rank, whole);
}

static void axis_sizes(const axes *a, int64_t *sizes)
{
    for (int i = 0; i < a->count; i++) sizes[i] = a->at[i].size;
    sizes[a->count] = 1;
}

static fl_ref read_box(fl_builder *b, fl_ref array, const axes *a, const fl_view *view)
{
    int64_t sizes[FL_MAX_RANK + 1];
    fl_ref starts[FL_MAX_RANK + 1];
    int rank;
    axis_sizes(a, sizes);
    fl_ref box = box_of(b, array, a, view->offset, &rank, starts);
    return fl_reshape(b, fl_dynamic_slice(b, box, starts, sizes), a->count, sizes);
}

static fl_ref write_box(fl_builder *b, fl_ref array, const axes *a, const fl_view *view, fl_ref value)
{
    int64_t sizes[FL_MAX_RANK + 1], total = fl_ok(b) ? fl_dim(b, array, 0) : 0;
    fl_ref starts[FL_MAX_RANK + 1];
    int rank;
    axis_sizes(a, sizes);
    fl_ref box = box_of(b, array, a, view->offset, &rank, starts);
    box = fl_dynamic_update_slice(b, box, fl_reshape(b, value, rank, sizes), starts);
    return fl_reshape(b, box, 1, &total);
}

/* ---- */

/* Where a view begins, as a value. */
static fl_ref begin_of(fl_builder *b, const fl_view *view)
{
    return view->offset ? view->offset : fl_scalar_i(b, FL_I64, view->start);
}

static fl_ref read_span(fl_builder *b, fl_ref array, const axes *a, const fl_view *view)
{
    if (view->offset) return fl_dynamic_slice(b, array, &view->offset, &a->span);
    if (fl_dim(b, array, 0) == a->span) return array;
    return fl_slice_dim(b, array, 0, view->start, view->start + a->span, 1);
}

static fl_ref write_span(fl_builder *b, fl_ref array, fl_ref span, const fl_view *view)
{
    if (!view->offset && fl_dim(b, array, 0) == fl_dim(b, span, 0)) return span;
    fl_ref start = begin_of(b, view);
    return fl_dynamic_update_slice(b, array, span, &start);
}

static fl_ref read_nested(fl_builder *b, fl_ref array, const axes *a, const fl_view *view)
{
    int64_t whole[FL_MAX_RANK + 1], sizes[FL_MAX_RANK + 1], starts[FL_MAX_RANK + 1] = {0};
    if (view->is_box && !is_packed(a)) return read_box(b, array, a, view);
    fl_ref span = read_span(b, array, a, view);
    axis_sizes(a, sizes);
    if (is_packed(a)) return fl_reshape(b, span, a->count, sizes);
    nest_sizes(a, whole);
    int rank = a->at[a->count - 1].stride > 1 ? a->count + 1 : a->count;
    fl_ref nest = fl_reshape(b, pad_end(b, span, nest_elements(a) - a->span), rank, whole);
    return fl_reshape(b, fl_slice(b, nest, starts, sizes, NULL), a->count, sizes);
}

static fl_ref write_nested(fl_builder *b, fl_ref array, const axes *a, const fl_view *view, fl_ref value)
{
    int64_t whole[FL_MAX_RANK + 1], sizes[FL_MAX_RANK + 1];
    if (is_packed(a)) return write_span(b, array, fl_reshape(b, value, 1, &a->span), view);
    if (view->is_box) return write_box(b, array, a, view, value);
    nest_sizes(a, whole);
    axis_sizes(a, sizes);
    int rank = a->at[a->count - 1].stride > 1 ? a->count + 1 : a->count;
    int64_t elements = nest_elements(a);
    fl_ref span = pad_end(b, read_span(b, array, a, view), elements - a->span);
    fl_ref starts[FL_MAX_RANK + 1], zero = fl_scalar_i(b, FL_I64, 0);
    for (int i = 0; i < rank; i++) starts[i] = zero;
    fl_ref nest = fl_dynamic_update_slice(b, fl_reshape(b, span, rank, whole),
                                          fl_reshape(b, value, rank, sizes), starts);
    span = fl_reshape(b, nest, 1, &elements);
    if (elements > a->span) span = fl_slice_dim(b, span, 0, 0, a->span, 1);
    return write_span(b, array, span, view);
}

/* Positions of the elements, one-dimensional. */
static fl_ref positions(fl_builder *b, const axes *a, const fl_view *view)
{
    int64_t sizes[FL_MAX_RANK + 1];
    axis_sizes(a, sizes);
    fl_type type = fl_type_make(FL_I64, a->count, sizes);
    fl_ref at = fl_broadcast_to(b, begin_of(b, view), a->count, sizes);
    for (int i = 0; i < a->count; i++)
        at = fl_add(b, at, fl_mul(b, fl_iota(b, type, i), fl_scalar_i(b, FL_I64, a->at[i].stride)));
    return fl_reshape(b, at, 1, &a->elements);
}

static fl_ref write_scattered(fl_builder *b, fl_ref array, const axes *a, const fl_view *view, fl_ref value)
{
    fl_ref updates = fl_reshape(b, value, 1, &a->elements);
    return fl_scatter_along(b, FL_OP_NONE, array, 0, positions(b, a, view), updates);
}

/* ---- views ---- */

/* Where each moving dimension comes among them when they are sorted by dimension, as a permutation for
 * transpose. */
static int sorted_by_dim(const axes *a, int64_t *permutation)
{
    int moves = 0;
    for (int i = 0; i < a->count; i++) {
        int j = i;
        for (; j > 0 && a->at[permutation[j - 1]].dim > a->at[i].dim; j--)
            permutation[j] = permutation[j - 1];
        permutation[j] = i;
    }
    for (int i = 0; i < a->count; i++) moves |= permutation[i] != i;
    return moves;
}

fl_ref fl_view_read(fl_builder *b, fl_ref array, const fl_view *view)
{
    int64_t permutation[FL_MAX_RANK + 1], sizes[FL_MAX_RANK + 1], dims[FL_MAX_RANK + 1];
    const fl_type *type = view->type;
    axes a = axes_of(view);
    axis_sizes(&a, sizes);
    fl_ref x = is_nested(&a)
                   ? read_nested(b, array, &a, view)
                   : fl_reshape(b, fl_index_select(b, array, 0, positions(b, &a, view)), a.count, sizes);
    if (sorted_by_dim(&a, permutation)) x = fl_transpose(b, x, permutation);
    if (a.elements == fl_type_elements(type)) return fl_reshape(b, x, type->rank, type->dims);
    for (int i = 0; i < a.count; i++) dims[i] = a.at[permutation[i]].dim;
    return fl_broadcast_in_dim(b, x, type->rank, type->dims, dims);
}

/* The first elements along the dimensions that do not move, where all are equal. */
static fl_ref moving_part(fl_builder *b, const axes *a, fl_ref value)
{
    int64_t starts[FL_MAX_RANK + 1] = {0}, limits[FL_MAX_RANK + 1];
    if (!fl_ok(b) || fl_type_elements(fl_typeof(b, value)) == a->elements) return value;
    for (int d = 0; d < fl_rank(b, value); d++) limits[d] = 1;
    for (int i = 0; i < a->count; i++) limits[a->at[i].dim] = a->at[i].size;
    return fl_slice(b, value, starts, limits, NULL);
}

/* The value with its moving dimensions alone, in the order of memory. */
static fl_ref in_memory_order(fl_builder *b, const axes *a, fl_ref value)
{
    int64_t permutation[FL_MAX_RANK + 1], inverse[FL_MAX_RANK + 1], sizes[FL_MAX_RANK + 1];
    int moves = sorted_by_dim(a, permutation);
    for (int i = 0; i < a->count; i++) {
        sizes[i] = a->at[permutation[i]].size;
        inverse[permutation[i]] = i;
    }
    fl_ref x = fl_reshape(b, moving_part(b, a, value), a->count, sizes);
    return moves ? fl_transpose(b, x, inverse) : x;
}

fl_ref fl_view_write(fl_builder *b, fl_ref array, const fl_view *view, fl_ref value)
{
    axes a = axes_of(view);
    fl_ref x = in_memory_order(b, &a, value);
    return is_nested(&a) ? write_nested(b, array, &a, view, x) : write_scattered(b, array, &a, view, x);
}

fl_ref fl_view_pack(fl_builder *b, const fl_view *view, fl_ref value)
{
    axes a = axes_of(view);
    return fl_view_is_dense(view) ? value : in_memory_order(b, &a, value);
}

/* ---- bytes as another type ---- */

static fl_dtype unsigned_of(size_t bytes)
{
    return bytes == 1 ? FL_U8 : bytes == 2 ? FL_U16 : bytes == 4 ? FL_U32 : FL_U64;
}

/* [n] complex -> [2n] real: pairs of parts. */
static fl_ref parts(fl_builder *b, fl_ref x)
{
    int64_t n = fl_dim(b, x, 0), column[] = {n, 1}, flat = 2 * n;
    fl_ref both[] = {fl_reshape(b, fl_real(b, x), 2, column), fl_reshape(b, fl_imag(b, x), 2, column)};
    return fl_reshape(b, fl_concat(b, both, 2, 1), 1, &flat);
}

static fl_ref from_parts(fl_builder *b, fl_ref x)
{
    int64_t n = fl_dim(b, x, 0);
    return fl_complex(b, fl_slice_dim(b, x, 0, 0, n, 2), fl_slice_dim(b, x, 0, 1, n, 2));
}

/* Elements as unsigned integers of the width that the host stores them in. */
static fl_ref to_unsigned(fl_builder *b, fl_ref x)
{
    if (fl_is_complex(fl_dtypeof(b, x))) x = parts(b, x);
    fl_dtype from = fl_dtypeof(b, x);
    if (fl_dtypes[from].bits == 8 * fl_dtypes[from].bytes)
        return fl_bitcast(b, x, unsigned_of(fl_dtype_bytes(from)));
    if (fl_is_float(from))
        fl_builder_fail(
            b, fl_error(FL_UNSUPPORTED, "memory of %s cannot be read as another type", fl_dtype_name(from)));
    if (fl_dtype_kind(from) == FL_KIND_INT) return fl_bitcast(b, fl_cast(b, x, FL_I8), FL_U8);
    return fl_cast(b, x, FL_U8);
}

static fl_ref from_unsigned(fl_builder *b, fl_ref x, fl_dtype to)
{
    if (fl_dtypes[to].bits == 8 * fl_dtypes[to].bytes) return fl_bitcast(b, x, to);
    if (fl_is_float(to))
        fl_builder_fail(b, fl_error(FL_UNSUPPORTED, "memory cannot be read as %s", fl_dtype_name(to)));
    return fl_cast(b, x, to);
}

fl_ref fl_reinterpret(fl_builder *b, fl_ref array, fl_dtype dtype)
{
    if (!fl_ok(b) || fl_dtypeof(b, array) == dtype) return array;
    fl_ref x = to_unsigned(b, array);
    fl_dtype part = fl_real_dtype(dtype), wide = unsigned_of(fl_dtype_bytes(part));
    if (!fl_ok(b)) return FL_NO_REF;
    int64_t from = (int64_t)fl_dtype_bytes(fl_dtypeof(b, x)), to = (int64_t)fl_dtype_bytes(wide),
            n = fl_dim(b, x, 0);
    if (from > to) {
        n *= from / to;
        x = fl_reshape(b, fl_bitcast(b, x, wide), 1, &n);
    } else if (from < to) {
        int64_t pair[] = {(n * from + to - 1) / to, to / from};
        x = fl_bitcast(b, fl_reshape(b, fl_extend(b, x, pair[0] * pair[1]), 2, pair), wide);
    }
    x = from_unsigned(b, x, part);
    if (!fl_is_complex(dtype) || !fl_ok(b)) return x;
    return from_parts(b, fl_extend(b, x, (fl_dim(b, x, 0) + 1) / 2 * 2));
}
