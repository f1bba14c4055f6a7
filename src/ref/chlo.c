/* CHLO's operations with broadcasting, constant_like, and the deprecated einsum and torch_index_select. */
#include "ref/interp.h"

#include <stdlib.h>

/* ---- broadcasting ---- */

/* Operand dimension d is result dimension broadcast_dimensions[d] where the operand is the one of lower
 * rank, else the shapes are aligned at their ends; sizes of 1 are repeated. */
fl_status fl_run_broadcasting(const fl_call *call)
{
    const fl_type *out = call->out->type;
    uint32_t count;
    const int64_t *dims = fl_op_ints(call->op, FL_ATTR_broadcast_dimensions, &count);
    int64_t strides[3][FL_MAX_RANK] = {{0}};
    for (uint32_t k = 0; k < call->op->operand_count; k++) {
        const fl_type *x = call->in[k].type;
        int64_t stride = 1;
        int given = dims && count == x->rank && x->rank < out->rank;
        for (int d = x->rank - 1; d >= 0; d--) {
            int64_t to = given ? dims[d] : out->rank - x->rank + d;
            FL_CHECK(to >= 0 && to < out->rank && (x->dims[d] == 1 || x->dims[d] == out->dims[to]),
                     FL_INVALID, "expected shapes that broadcast to the result's");
            if (x->dims[d] != 1) strides[k][to] = stride;
            stride *= x->dims[d];
        }
    }
    return fl_run_strided(call, fl_broadcasting_base(call->op->code), strides);
}

fl_status fl_run_constant_like(const fl_call *call)
{
    const fl_attr *value = fl_op_attr(call->op, FL_ATTR_value);
    size_t bytes = fl_dtype_bytes((fl_dtype)call->out->type->dtype);
    int64_t n = fl_type_elements(call->out->type);
    FL_CHECK(value && value->count == bytes, FL_INVALID, "expected a value of the result's element type");
    for (int64_t i = 0; i < n; i++)
        memcpy((char *)call->out->data + (size_t)i * bytes, value->u.dense, bytes);
    return NULL;
}

/* ---- einsum ---- */

enum { LABELS = 128 };

/* Which label each dimension of an operand or result has. Dimensions of an ellipsis have labels below ' ',
 * counted from the end, so that those of several operands align there. */
typedef struct term {
    int rank;
    unsigned char labels[FL_MAX_RANK];
} term;

static fl_status read_term(const char **at, const fl_type *type, term *out)
{
    const char *s = *at;
    int letters = 0, open = type->rank;
    for (const char *c = s; *c && *c != ',' && *c != '-'; c++) letters += *c != ' ' && *c != '.';
    open -= letters;
    out->rank = 0;
    for (; *s && *s != ',' && *s != '-'; s++) {
        if (*s == ' ') continue;
        if (*s == '.') {
            FL_CHECK(s[1] == '.' && s[2] == '.', FL_INVALID, "einsum_config: expected \"...\"");
            s += 2;
            for (int k = open; k > 0; k--) {
                FL_CHECK(out->rank < FL_MAX_RANK, FL_INVALID, "einsum_config: expected %d dimensions",
                         type->rank);
                out->labels[out->rank++] = (unsigned char)k;
            }
            open = 0;
            continue;
        }
        FL_CHECK(out->rank < type->rank && (unsigned char)*s > ' ' && (unsigned char)*s < LABELS, FL_INVALID,
                 "einsum_config: expected %d labels", type->rank);
        out->labels[out->rank++] = (unsigned char)*s;
    }
    FL_CHECK(out->rank == type->rank, FL_INVALID, "einsum_config: expected %d labels, got %d", type->rank,
             out->rank);
    *at = s;
    return NULL;
}

/* Sizes by label; 1 gives way to what other operands say. */
static fl_status note_sizes(const term *t, const fl_type *type, int64_t *sizes)
{
    for (int d = 0; d < t->rank; d++) {
        int64_t *size = &sizes[t->labels[d]];
        FL_CHECK(*size < 0 || *size == type->dims[d] || *size == 1 || type->dims[d] == 1, FL_INVALID,
                 "einsum_config: expected one size for each label, got %lld and %lld", (long long)*size,
                 (long long)type->dims[d]);
        if (*size < 0 || *size == 1) *size = type->dims[d];
    }
    return NULL;
}

typedef struct einsum {
    uint32_t operands;
    term in[2], out;
    int64_t sizes[LABELS];
    unsigned char summed[2 * FL_MAX_RANK]; /* labels that the result has not */
    int summed_count;
} einsum;

static fl_status read_config(const fl_call *call, einsum *e)
{
    const char *s = fl_op_string(call->op, FL_ATTR_einsum_config);
    FL_CHECK(s, FL_INVALID, "expected einsum_config");
    e->operands = call->op->operand_count;
    e->summed_count = 0;
    for (int i = 0; i < LABELS; i++) e->sizes[i] = -1;
    for (uint32_t k = 0; k < e->operands; k++) {
        if (k) FL_CHECK(*s++ == ',', FL_INVALID, "einsum_config: expected ','");
        FL_TRY(read_term(&s, call->in[k].type, &e->in[k]));
        FL_TRY(note_sizes(&e->in[k], call->in[k].type, e->sizes));
    }
    FL_CHECK(s[0] == '-' && s[1] == '>', FL_INVALID, "einsum_config: expected '->'");
    s += 2;
    FL_TRY(read_term(&s, call->out->type, &e->out));
    FL_CHECK(!*s, FL_INVALID, "einsum_config: expected one result");
    int kept[LABELS] = {0};
    for (int d = 0; d < e->out.rank; d++) {
        unsigned char label = e->out.labels[d];
        FL_CHECK(e->sizes[label] == call->out->type->dims[d] && !kept[label]++, FL_INVALID,
                 "einsum_config: expected labels of the operands in the result, each once");
    }
    for (uint32_t k = 0; k < e->operands; k++)
        for (int d = 0; d < e->in[k].rank; d++)
            if (!kept[e->in[k].labels[d]]++) e->summed[e->summed_count++] = e->in[k].labels[d];
    return NULL;
}

/* result[kept labels] = sum over the other labels of the product of the operands. */
fl_status fl_run_einsum(const fl_call *call)
{
    einsum e;
    FL_TRY(read_config(call, &e));
    fl_kind kind = fl_dtype_kind((fl_dtype)call->out->type->dtype);
    int64_t sizes[2 * FL_MAX_RANK] = {0}, terms = 1;
    for (int c = 0; c < e.summed_count; c++) terms *= sizes[c] = e.sizes[e.summed[c]];
    FL_EACH(index, i, call->out->type)
    {
        int64_t at[LABELS] = {0}, tap[2 * FL_MAX_RANK] = {0};
        fl_scalar sum = {.u = 0};
        for (int d = 0; d < e.out.rank; d++) at[e.out.labels[d]] = index[d];
        for (int64_t t = 0; t < terms; t++, fl_next_index(e.summed_count, sizes, tap)) {
            fl_scalar product = {.u = 0};
            for (int c = 0; c < e.summed_count; c++) at[e.summed[c]] = tap[c];
            for (uint32_t k = 0; k < e.operands; k++) {
                const fl_type *x = call->in[k].type;
                int64_t from[FL_MAX_RANK];
                for (int d = 0; d < x->rank; d++) from[d] = x->dims[d] == 1 ? 0 : at[e.in[k].labels[d]];
                fl_scalar value = fl_get(&call->in[k], fl_offset(x, from));
                product = k ? fl_scalar_multiply(kind, product, value) : value;
            }
            sum = t ? fl_scalar_add(kind, sum, product) : product;
        }
        fl_set(call->out, i, sum);
    }
    return NULL;
}

/* ---- torch_index_select ---- */

/* out[batch.., before.., index.., after..] = operand[batch.., before.., index[batch.., index..], after..]:
 * the indices' dimensions beyond the batch take the place of dimension `dim`. Indices are clamped, as in
 * gather. */
fl_status fl_run_torch_index_select(const fl_call *call)
{
    const fl_type *x = call->in[0].type, *indices = call->in[1].type;
    int dim = (int)fl_op_int(call->op, FL_ATTR_dim, 0),
        batch = (int)fl_op_int(call->op, FL_ATTR_batch_dims, 0);
    int more = indices->rank - batch; /* dimensions in place of dim */
    if (dim < 0) dim += x->rank;
    if (batch < 0) batch += indices->rank, more = indices->rank - batch;
    FL_CHECK(batch >= 0 && batch <= indices->rank && batch <= dim && dim < x->rank &&
                 call->out->type->rank == x->rank - 1 + more,
             FL_INVALID, "expected 0 <= batch_dims <= dim < rank of the operand");
    for (int d = 0; d < call->out->type->rank; d++) {
        int64_t size = d < dim          ? x->dims[d]
                       : d < dim + more ? indices->dims[batch + d - dim]
                                        : x->dims[d - more + 1];
        FL_CHECK(size == call->out->type->dims[d] && (d >= batch || indices->dims[d] == size), FL_INVALID,
                 "expected a result of the shape that the operand and the indices give");
    }
    FL_CHECK(x->dims[dim] || !fl_type_elements(call->out->type), FL_INDEX,
             "an index into a dimension of size 0");
    FL_EACH(index, i, call->out->type)
    {
        int64_t from[FL_MAX_RANK], at[FL_MAX_RANK];
        for (int d = 0; d < indices->rank; d++) at[d] = d < batch ? index[d] : index[dim + d - batch];
        fl_scalar s = fl_get(&call->in[1], fl_offset(indices, at));
        int is_unsigned = fl_dtype_kind((fl_dtype)indices->dtype) == FL_KIND_UINT;
        int64_t which = is_unsigned && s.i < 0 ? INT64_MAX : s.i;
        for (int d = 0; d < x->rank; d++)
            if (d != dim) from[d] = index[d < dim ? d : d - 1 + more];
        from[dim] = which < 0 ? 0 : which >= x->dims[dim] ? x->dims[dim] - 1 : which;
        fl_copy_element(call->out, i, &call->in[0], fl_offset(x, from));
    }
    return NULL;
}
