/* Sums of a table's rows by ids (an embedding bag in the layout of SparseCores), and the optimizers' steps of its gradient.
 *
 * The table is split over the cores by id modulo their number, and so are the samples of a batch, in order. Each core looks ids up for its
 * samples, in one row of its ids for each core whose part of the table has them: id i there is row i of that part. */
#include "aten/sparse_core.h"
#include "aten/table.h"

typedef struct lookups {
    fl_ref table, gain; /* f32 [rows, width]; f32 [count], 0 for padding */
    fl_ref row, sample; /* i32 [count]: of the table and of the batch, -1 for padding */
    int64_t count, rows, width, batch;
} lookups;

static int is_even(fl_builder *b, int64_t size, const char *name)
{
    if (fl_ok(b) && size % FL_SPARSE_CORES)
        fl_builder_fail(b,
                        fl_error(FL_INVALID, "expected %s to be a multiple of the %d SparseCores, got %lld",
                                 name, FL_SPARSE_CORES, (long long)size));
    return fl_ok(b);
}

static fl_ref flat(fl_builder *b, fl_ref x)
{
    const int64_t count = fl_elements(b, x);
    return fl_reshape(b, x, 1, &count);
}

/* Which core's part of the table each id is in, i32 [cores, places], and whether it is no padding. */
static fl_ref parts(fl_builder *b, fl_ref row_pointers, int64_t places, fl_ref *valid)
{
    const int64_t pointers[] = {FL_SPARSE_CORES, fl_dim(b, row_pointers, 0) / FL_SPARSE_CORES};
    fl_ref ends = fl_slice_dim(b, fl_reshape(b, row_pointers, 2, pointers), 1, 0, FL_SPARSE_CORES, 1);
    fl_ref members = fl_sparse_members(b, ends, places);
    *valid = fl_sparse_any(b, members);
    fl_ref number = fl_mul(b, fl_cast(b, members, FL_I32), fl_iota_like(b, FL_I32, members, 2));
    return fl_reduce_dim(b, FL_OP_add, number, -1, 0);
}

/* Arguments 0 to 4: row_pointers, embedding_ids, sample_ids, gains, embedding_table; then device_batch_size and the most ids of
 * a row at `sizes`. */
static int read_lookups(fl_builder *b, int sizes, lookups *l)
{
    fl_ref row_pointers = fl_sparse_in(b, 0, "row_pointers", 1, FL_I32),
           ids = fl_sparse_in(b, 1, "embedding_ids", 1, FL_I32),
           samples = fl_sparse_in(b, 2, "sample_ids", 1, FL_I32),
           gains = fl_sparse_in(b, 3, "gains", 1, FL_F32);
    l->table = fl_sparse_in(b, 4, "embedding_table", 2, FL_F32);
    if (!fl_ok(b)) return 0;
    l->count = fl_dim(b, ids, 0), l->rows = fl_dim(b, l->table, 0), l->width = fl_dim(b, l->table, 1);
    l->batch = fl_int(b, sizes);
    const int64_t pointers = fl_dim(b, row_pointers, 0), most = fl_int(b, sizes + 1),
                  most_unique = fl_int(b, sizes + 2);
    if (fl_dim(b, samples, 0) != l->count || fl_dim(b, gains, 0) != l->count)
        fl_builder_fail(
            b,
            fl_error(FL_INVALID,
                     "expected embedding_ids, sample_ids and gains of one size, got %lld, %lld and %lld",
                     (long long)l->count, (long long)fl_dim(b, samples, 0), (long long)fl_dim(b, gains, 0)));
    else if (pointers < FL_SPARSE_CORES * FL_SPARSE_CORES)
        fl_builder_fail(b, fl_error(FL_INVALID, "expected at least %d row_pointers, got %lld",
                                    FL_SPARSE_CORES * FL_SPARSE_CORES, (long long)pointers));
    else if (l->batch <= 0 || most <= 0 || most_unique <= 0)
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "expected device_batch_size, max_ids_per_partition and "
                                    "max_unique_ids_per_partition to be positive, got %lld, %lld and %lld",
                                    (long long)l->batch, (long long)most, (long long)most_unique));
    if (!is_even(b, pointers, "row_pointers' size") || !is_even(b, l->count, "embedding_ids' size") ||
        !is_even(b, l->rows, "embedding_table's rows") || !is_even(b, l->batch, "device_batch_size"))
        return 0;
    const int64_t places = l->count / FL_SPARSE_CORES, rows = l->rows / FL_SPARSE_CORES,
                  batch = l->batch / FL_SPARSE_CORES, by_core[] = {FL_SPARSE_CORES, places};
    fl_ref valid, part = parts(b, row_pointers, places, &valid), none = fl_scalar_i(b, FL_I32, -1);
    ids = fl_reshape(b, ids, 2, by_core), samples = fl_reshape(b, samples, 2, by_core);
    valid = fl_and(b, valid, fl_and(b, fl_sparse_within(b, ids, rows), fl_sparse_within(b, samples, batch)));
    fl_ref core = fl_iota_like(b, FL_I32, ids, 0);
    fl_ref row = fl_add(b, fl_mul(b, part, fl_scalar_i(b, FL_I32, rows)), ids);
    fl_ref sample = fl_add(b, fl_mul(b, core, fl_scalar_i(b, FL_I32, batch)), samples);
    l->row = flat(b, fl_select(b, valid, row, none));
    l->sample = flat(b, fl_select(b, valid, sample, none));
    l->gain = fl_select(b, flat(b, valid), gains, fl_scalar_f(b, FL_F32, 0));
    return fl_ok(b);
}

/* to[at[i]] += gain[i] * from[of[i]], in the rows of zeros [rows, width]; nothing for padding */
static fl_ref weighted_sums(fl_builder *b, const lookups *l, fl_ref from, fl_ref of, fl_ref at, int64_t rows)
{
    const int64_t dims[] = {rows, l->width};
    fl_ref zero = fl_scalar_i(b, FL_I32, 0);
    fl_ref values = fl_index_select(b, from, 0, fl_max(b, of, zero));
    values = fl_mul(b, values, fl_along_dim(b, l->gain, values, 0));
    values = fl_select(b, fl_along_dim(b, fl_compare(b, FL_GE, of, zero), values, 0), values,
                       fl_scalar_f(b, FL_F32, 0));
    return fl_scatter_rows(b, FL_OP_add, fl_zeros(b, FL_F32, 2, dims), 0, at, values);
}

/* ..., device_batch_size, max_ids_per_partition, max_unique_ids_per_partition */
FL_LOWER(sparse_dense_matmul)
{
    lookups l;
    if (read_lookups(b, 5, &l)) fl_emit(b, weighted_sums(b, &l, l.table, l.row, l.sample, l.batch));
}

/* ---- steps of optimizers, of the rows that were looked up ---- */

typedef struct step {
    lookups l;
    fl_ref gradient, touched; /* of the table; i1 [rows]: its rows with an id */
} step;

static int read_step(fl_builder *b, int gradient, int sizes, step *s)
{
    fl_ref dy = fl_sparse_in(b, gradient, "activations_grad", 2, FL_F32);
    if (!read_lookups(b, sizes, &s->l)) return 0;
    const lookups *l = &s->l;
    if (fl_dim(b, dy, 0) != l->batch || fl_dim(b, dy, 1) != l->width) {
        fl_builder_fail(b, fl_error(FL_INVALID,
                                    "expected activations_grad of shape [%lld, %lld], got [%lld, %lld]",
                                    (long long)l->batch, (long long)l->width, (long long)fl_dim(b, dy, 0),
                                    (long long)fl_dim(b, dy, 1)));
        return 0;
    }
    s->gradient = weighted_sums(b, l, dy, l->sample, l->row, l->rows);
    fl_ref ones = fl_fill(b, fl_scalar_i(b, FL_I32, 1), 1, &l->count);
    fl_ref counts = fl_scatter_rows(b, FL_OP_add, fl_zeros(b, FL_I32, 1, &l->rows), 0, l->row, ones);
    s->touched = fl_compare(b, FL_GT, counts, fl_scalar_i(b, FL_I32, 0));
    return fl_ok(b);
}

/* State of the table's shape, or of one number for each of its rows. */
static fl_ref state_in(fl_builder *b, const lookups *l, int i, const char *name, int by_row)
{
    fl_ref x = fl_in(b, i);
    if (!fl_ok(b)) return FL_NO_REF;
    const int rank = fl_rank(b, x);
    if (fl_dtypeof(b, x) != FL_F32 || (rank != 2 && !(by_row && rank == 1)) || fl_dim(b, x, 0) != l->rows ||
        (rank == 2 && fl_dim(b, x, 1) != l->width))
        fl_builder_fail(b, fl_error(FL_INVALID, "expected %s of float32 and shape [%lld, %lld]%s", name,
                                    (long long)l->rows, (long long)l->width,
                                    by_row ? " or one number a row" : ""));
    return x;
}

/* A tensor with one element. */
static fl_ref number_in(fl_builder *b, int i, const char *name)
{
    fl_ref x = fl_in(b, i);
    if (fl_ok(b) && (fl_elements(b, x) != 1 || fl_dtypeof(b, x) != FL_F32))
        fl_builder_fail(b, fl_error(FL_INVALID, "expected %s of float32 with one element", name));
    return fl_reshape(b, x, 0, NULL);
}

static fl_ref where_touched(fl_builder *b, const step *s, fl_ref changed, fl_ref before)
{
    fl_ref touched = fl_rank(b, before) == 1 ? s->touched : fl_along_dim(b, s->touched, before, 0);
    return fl_select(b, touched, changed, before);
}

/* The squares of the gradient, of each row their mean where the state has one number for it. */
static fl_ref squares(fl_builder *b, const step *s, fl_ref state)
{
    static const int64_t last = 1;
    fl_ref square = fl_mul(b, s->gradient, s->gradient);
    return fl_rank(b, state) == 1 ? fl_mean_dims(b, square, &last, 1, 0) : square;
}

static fl_ref denominator(fl_builder *b, const step *s, fl_ref state, fl_ref epsilon)
{
    fl_ref root = fl_add(b, fl_sqrt(b, state), epsilon);
    return fl_rank(b, root) == 1 ? fl_along_dim(b, root, s->gradient, 0) : root;
}

/* ..., activations_grad, learning_rate, sizes ..., computation_name */
FL_LOWER(sparse_sgd)
{
    step s;
    if (!read_step(b, 5, 7, &s)) return;
    fl_ref change = fl_mul(b, s.gradient, number_in(b, 6, "learning_rate"));
    fl_emit(b, where_touched(b, &s, fl_sub(b, s.l.table, change), s.l.table));
}

/* ..., accumulator, activations_grad, learning_rate, epsilon, sizes ..., computation_name */
FL_LOWER(sparse_adagrad)
{
    step s;
    if (!read_step(b, 6, 9, &s)) return;
    fl_ref before = state_in(b, &s.l, 5, "accumulator", 1), rate = number_in(b, 7, "learning_rate");
    if (!fl_ok(b)) return;
    fl_ref sums = fl_add(b, before, squares(b, &s, before));
    fl_ref change = fl_div(b, fl_mul(b, s.gradient, rate), denominator(b, &s, sums, fl_scalar(b, 8, FL_F32)));
    fl_emit(b, where_touched(b, &s, fl_sub(b, s.l.table, change), s.l.table));
    fl_emit(b, where_touched(b, &s, sums, before));
}

/* before + (1 - beta) (x - before) */
static fl_ref toward(fl_builder *b, fl_ref before, fl_ref x, fl_ref beta)
{
    fl_ref share = fl_sub(b, fl_scalar_f(b, FL_F32, 1), beta);
    return fl_add(b, before, fl_mul(b, fl_sub(b, x, before), share));
}

/* ..., momentum, velocity, activations_grad, alpha_t, beta_1, beta_2, epsilon, sizes ..., computation_name */
FL_LOWER(sparse_adam)
{
    step s;
    if (!read_step(b, 7, 12, &s)) return;
    fl_ref momentum = state_in(b, &s.l, 5, "momentum", 0), velocity = state_in(b, &s.l, 6, "velocity", 1),
           rate = number_in(b, 8, "alpha_t");
    if (!fl_ok(b)) return;
    fl_ref m = toward(b, momentum, s.gradient, fl_scalar(b, 9, FL_F32));
    fl_ref v = toward(b, velocity, squares(b, &s, velocity), fl_scalar(b, 10, FL_F32));
    fl_ref change = fl_div(b, fl_mul(b, m, rate), denominator(b, &s, v, fl_scalar(b, 11, FL_F32)));
    fl_emit(b, where_touched(b, &s, fl_sub(b, s.l.table, change), s.l.table));
    fl_emit(b, where_touched(b, &s, m, momentum));
    fl_emit(b, where_touched(b, &s, v, velocity));
}
