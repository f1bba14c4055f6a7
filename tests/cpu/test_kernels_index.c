/* gather, scatter and fl.check_index: random dimension numbers, the forms PyTorch's operators use, sizes that use threads. */
#include "kernel_case.h"

static const fl_dtype types[] = {FL_I1,  FL_I8,  FL_U16, FL_I32, FL_I64, FL_BF16,
                                 FL_F16, FL_F32, FL_F64, FL_C64, FL_C128};
#define TYPES (int)(sizeof types / sizeof *types)
static const fl_dtype index_types[] = {FL_I32, FL_I64, FL_U8, FL_I16, FL_U64};
static const fl_opcode combines[] = {FL_OP_NONE,    FL_OP_add, FL_OP_multiply, FL_OP_maximum,
                                     FL_OP_minimum, FL_OP_and, FL_OP_or};

/* Indices in [low, high], kept within the type. */
static void *random_indices(fl_dtype dtype, int64_t n, int64_t low, int64_t high)
{
    size_t e = fl_dtype_bytes(dtype);
    char *p = calloc((size_t)n + 1, e);
    for (int64_t i = 0; i < n; i++) {
        int64_t v = random_in(low, high);
        if (fl_dtype_kind(dtype) == FL_KIND_UINT && v < 0) v = 0;
        memcpy(p + (size_t)i * e, &v, e);
    }
    return p;
}

/* The roles of the operand's dims, shared by gather and scatter. */
typedef struct geometry {
    int rank, batch_rank; /* of the operand; of the index vectors' grid */
    int64_t operand[4], batch[3], window[4];
    int64_t removed[4], batching[4], index_batching[4], map[4], offsets[8];
    uint32_t removed_count, batching_count, map_count, offset_count;
    int64_t vector_dim;
    fl_type indices, result; /* result: of gather; updates of scatter */
} geometry;

static void random_geometry(geometry *g, fl_dtype dtype, fl_dtype index_dtype, int whole_windows)
{
    memset(g, 0, sizeof *g);
    g->rank = (int)random_in(1, 4);
    g->batch_rank = (int)random_in(0, 3);
    for (int d = 0; d < g->rank; d++) g->operand[d] = random_in(1, 6);
    for (int d = 0; d < g->batch_rank; d++) g->batch[d] = random_in(0, 12) ? random_in(1, 5) : 0;
    int next_batch = 0, kept[4], kept_count = 0;
    for (int d = 0; d < g->rank; d++) {
        int role = (int)random_in(0, 3);
        g->window[d] = 1;
        if (role == 0 && next_batch < g->batch_rank) {
            g->batching[g->batching_count] = d;
            g->index_batching[g->batching_count++] = next_batch;
            g->operand[d] = g->batch[next_batch++];
            g->window[d] = g->operand[d] ? 1 : 0;
        } else if (role <= 2) {
            if (role == 1) {
                g->removed[g->removed_count++] = d;
            } else {
                kept[kept_count++] = d;
                g->window[d] = whole_windows ? 1 : random_in(1, g->operand[d]);
            }
            g->map[g->map_count++] = d;
        } else {
            kept[kept_count++] = d;
            g->window[d] = random_in(1, g->operand[d]);
        }
    }
    if (g->map_count == 2 && random_in(0, 1)) {
        int64_t t = g->map[0];
        g->map[0] = g->map[1], g->map[1] = t;
    }
    g->vector_dim = random_in(0, g->batch_rank);
    for (uint32_t i = 0; i < g->batching_count; i++)
        g->index_batching[i] += g->index_batching[i] >= g->vector_dim;
    if (g->map_count == 1 && random_in(0, 1)) { /* index vectors of length 1 without a dim of their own */
        g->vector_dim = g->batch_rank;
        for (uint32_t i = 0; i < g->batching_count; i++) g->index_batching[i] = i;
        g->indices = fl_type_make(index_dtype, g->batch_rank, g->batch);
    } else {
        int64_t dims[4];
        for (int d = 0, k = 0; d <= g->batch_rank; d++)
            dims[d] = d == g->vector_dim ? (int64_t)g->map_count : g->batch[k++];
        g->indices = fl_type_make(index_dtype, g->batch_rank + 1, dims);
    }
    int rank = g->batch_rank + kept_count, next_kept = 0, next = 0;
    int64_t dims[8];
    for (int d = 0; d < rank; d++) {
        int left = rank - d, offset = next_kept < kept_count && random_in(1, left) <= kept_count - next_kept;
        dims[d] = offset ? g->window[kept[next_kept++]] : g->batch[next++];
        if (offset) g->offsets[g->offset_count++] = d;
    }
    g->result = fl_type_make(dtype, rank, dims);
}

static void test_gather(fl_dtype dtype)
{
    geometry g;
    fl_dtype index = index_types[random_in(0, 4)];
    random_geometry(&g, dtype, index, 0);
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "gather"));
    fl_ref x = fl_parameter(&b, fl_type_make(dtype, g.rank, g.operand)), i = fl_parameter(&b, g.indices);
    fl_gather_dims d = {g.offsets,   g.removed,      g.batching,      g.index_batching, g.map,
                        g.window,    g.offset_count, g.removed_count, g.batching_count, g.map_count,
                        g.vector_dim};
    fl_gather(&b, x, i, &d);
    void *inputs[] = {NULL, random_indices(index, fl_type_elements(&g.indices), -2, 7)};
    check_kernel(&b, inputs, "gather");
    free(inputs[1]);
}

static void test_scatter(fl_dtype dtype, fl_opcode combine)
{
    geometry g;
    fl_dtype index = index_types[random_in(0, 4)];
    random_geometry(&g, dtype, index, 1);
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "scatter"));
    fl_ref x = fl_parameter(&b, fl_type_make(dtype, g.rank, g.operand)), i = fl_parameter(&b, g.indices);
    fl_ref u = fl_parameter(&b, g.result);
    fl_scatter_dims d = {g.offsets,      g.removed,       g.batching,       g.index_batching, g.map,
                         g.offset_count, g.removed_count, g.batching_count, g.map_count,      g.vector_dim};
    fl_scatter(&b, combine, x, i, u, &d);
    void *inputs[] = {NULL, random_indices(index, fl_type_elements(&g.indices), -2, 7), NULL};
    check_kernel(&b, inputs, "scatter");
    free(inputs[1]);
}

/* index_select and torch.gather, and their scatters, with sizes large enough for threads. */
static void test_rows(fl_dtype dtype, fl_opcode combine, int dim, int64_t count, int along)
{
    int64_t dims[] = {70, 40, 9}, picked[] = {70, 40, 9}, n;
    picked[dim] = count;
    n = along ? picked[0] * picked[1] * picked[2] : count;
    fl_type x = fl_type_make(dtype, 3, dims), u = fl_type_make(dtype, 3, picked);
    fl_type i = along ? fl_type_make(FL_I64, 3, picked) : fl_type_make(FL_I64, 1, &count);
    void *inputs[] = {NULL, random_indices(FL_I64, n, -1, dims[dim]), NULL};
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "rows"));
    fl_ref operand = fl_parameter(&b, x), index = fl_parameter(&b, i);
    if (along) {
        fl_gather_along(&b, operand, dim, index);
    } else {
        fl_index_select(&b, operand, dim, index);
    }
    check_kernel(&b, inputs, "gather of rows");
    CHECK_OK(fl_builder_init(&b, "rows"));
    operand = fl_parameter(&b, x), index = fl_parameter(&b, i);
    fl_ref updates = fl_parameter(&b, u);
    if (along) {
        fl_scatter_along(&b, combine, operand, dim, index, updates);
    } else {
        int64_t window[2], at = dim;
        for (int d = 0, k = 0; d < 3; d++)
            if (d != dim) window[k++] = d;
        fl_scatter_dims d = {.update_window_dims = window,
                             .inserted_window_dims = &at,
                             .scatter_dims_to_operand_dims = &at,
                             .update_window_count = 2,
                             .inserted_count = 1,
                             .map_count = 1,
                             .index_vector_dim = 1};
        fl_scatter(&b, combine, operand, index, updates, &d);
    }
    check_kernel(&b, inputs, "scatter of rows");
    free(inputs[1]);
}

/* One dim, many duplicates: threads divide the result. */
static void test_histogram(fl_dtype dtype, fl_opcode combine)
{
    int64_t size = 1000, n = 17000, zero = 0;
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "histogram"));
    fl_ref x = fl_parameter(&b, fl_type_make(dtype, 1, &size)),
           i = fl_parameter(&b, fl_type_make(FL_I64, 1, &n));
    fl_ref u = fl_parameter(&b, fl_type_make(dtype, 1, &n));
    fl_scatter_dims d = {.inserted_window_dims = &zero,
                         .scatter_dims_to_operand_dims = &zero,
                         .inserted_count = 1,
                         .map_count = 1,
                         .index_vector_dim = 1};
    fl_scatter(&b, combine, x, i, u, &d);
    void *inputs[] = {NULL, random_indices(FL_I64, n, -3, size + 3), NULL};
    check_kernel(&b, inputs, "histogram");
    free(inputs[1]);
}

static fl_status checked(fl_dtype dtype, int64_t n, int64_t low, int64_t high, void *data, void *out)
{
    fl_builder b;
    fl_program *p = NULL;
    FL_TRY(fl_builder_init(&b, "check"));
    fl_ref r = fl_check_index(&b, fl_parameter(&b, fl_type_make(dtype, 1, &n)), low, high, "index_select");
    FL_TRY(fl_builder_finish(&b, &r, 1, &p));
    fl_status status = run_kernel(p, p->main->ops[p->main->op_count - 1], &data, &out, 1);
    fl_program_destroy(p);
    return status;
}

static void test_check_index(void)
{
    enum { n = 50000 };
    for (unsigned k = 0; k < 5; k++) {
        fl_dtype t = index_types[k];
        size_t e = fl_dtype_bytes(t);
        char *x = random_indices(t, n, 0, 99), *out = calloc(n, e);
        int64_t bad = 100;
        CHECK_OK(checked(t, n, 0, 100, x, out));
        CHECK(!memcmp(x, out, n * e));
        memcpy(x + 49000 * e, &bad, e);
        CHECK_ERROR(checked(t, n, 0, 100, x, out), FL_INDEX,
                    "index_select: index 100 is out of bounds for dimension with size 100");
        bad = 120;
        memcpy(x + 17 * e, &bad, e); /* the first one is reported */
        CHECK_ERROR(checked(t, n, -100, 100, x, out), FL_INDEX,
                    "index_select: index 120 is out of bounds for dimension with size 100");
        CHECK_ERROR(checked(t, 18, 3, 5, x, out), FL_INDEX, "index_select: ");
        CHECK_ERROR(checked(t, 1, 0, 0, x, out), FL_INDEX, "out of bounds for dimension with size 0");
        CHECK_OK(checked(t, 0, 0, 0, x, out));
        free(x), free(out);
    }
    int64_t wrapped[] = {-5, 4, -6}, out[3];
    CHECK_OK(checked(FL_I64, 2, -5, 5, wrapped, out));
    CHECK_ERROR(checked(FL_I64, 3, -5, 5, wrapped, out), FL_INDEX,
                "index -6 is out of bounds for dimension with size 5");
    int32_t narrow[] = {INT32_MAX, INT32_MIN};
    CHECK_OK(checked(FL_I32, 2, INT64_MIN, INT64_MAX, narrow, out));
}

int main(void)
{
    for (int k = 0; k < TYPES; k++) {
        for (int i = 0; i < 150; i++) test_gather(types[k]);
        for (unsigned c = 0; c < sizeof combines / sizeof *combines; c++) {
            int bits = combines[c] == FL_OP_and || combines[c] == FL_OP_or;
            int order = combines[c] == FL_OP_maximum || combines[c] == FL_OP_minimum;
            if (bits && types[k] != FL_I1 && !fl_is_int(types[k])) continue;
            if (order && fl_is_complex(types[k])) continue;
            for (int i = 0; i < 40; i++) test_scatter(types[k], combines[c]);
            test_histogram(types[k], combines[c]);
            for (int dim = 0; dim < 3; dim++)
                for (int along = 0; along < 2; along++) test_rows(types[k], combines[c], dim, 8, along);
        }
    }
    for (int dim = 0; dim < 3; dim++)
        for (int along = 0; along < 2; along++) test_rows(FL_F32, FL_OP_add, dim, 100, along);
    test_check_index();
    return check_result();
}
