/* scatter of one operand with a known combination. The result starts as a copy of the operand; then a loop nest over the
 * updates (scatter dims step in a table of offsets, window dims step in the result) combines rows or elements.
 *
 * Updates of one element are applied in row-major order for any number of threads: work is divided either along a dim whose
 * steps reach different elements (a window or batching dim), or by ranges of the result, every thread reading all of the
 * table. Windows must not overlap partly: indexed dims have windows of size 1; anything else is left to the reference. */
#include "base/pool.h"
#include "cpu/kernels/combine.h"
#include "cpu/kernels/index_map.h"
#include "cpu/kernels/kernel.h"

typedef struct scatter_data {
    fl_copy copy;
    fl_index_map map;
    fl_combine combine;
    int rank;                                             /* of the nest; 0: no updates */
    int64_t dims[FL_MAX_RANK + 1], step[FL_MAX_RANK + 1]; /* step in the table */
    int64_t to[FL_MAX_RANK + 1], from[FL_MAX_RANK + 1];   /* bytes */
    uint8_t disjoint[FL_MAX_RANK + 1]; /* different positions along it reach different elements */
    int split;                         /* the dim divided among threads; -1: ranges of the result */
    int64_t align;                     /* pieces of `split` are multiples of this */
    int64_t work, bytes;               /* updates; size of the result */
    int direct;                        /* no windows, index vectors of one i64, dense updates: no table */
} scatter_data;

typedef struct scatter_job {
    const scatter_data *data;
    char *to;
    const char *from;
    const int64_t *table;
    const void *indices;
    int64_t pieces;
    int64_t low, high;  /* offsets that this piece applies */
    int64_t begin, end; /* of the dim `split` */
} scatter_job;

#define AHEAD 6 /* rows of the result prefetched in advance */

static void prefetch_row(const char *to, int64_t offset)
{
    if (offset >= 0) __builtin_prefetch(to + offset, 1);
}

static void nest(const scatter_job *job, int d, char *to, const char *from, const int64_t *table)
{
    const scatter_data *s = job->data;
    int64_t begin = d == s->split ? job->begin : 0, end = d == s->split ? job->end : s->dims[d];
    to += begin * s->to[d], from += begin * s->from[d], table += begin * s->step[d];
    if (d < s->rank - 1) {
        int ahead = d == s->rank - 2 && s->step[d];
        for (int64_t i = begin; i < end; i++, to += s->to[d], from += s->from[d], table += s->step[d]) {
            if (ahead && i + AHEAD < end) prefetch_row(to, table[AHEAD * s->step[d]]);
            nest(job, d + 1, to, from, table);
        }
    } else if (s->step[d]) {
        s->combine.each(to, table, s->step[d], job->low, job->high, from, s->from[d], end - begin);
    } else if (*table >= job->low && *table < job->high) {
        s->combine.row(to + *table, s->to[d], from, s->from[d], end - begin);
    }
}

/* Updates [begin, end). */
static void scatter_direct(const scatter_job *job, int64_t begin, int64_t end)
{
    const scatter_data *s = job->data;
    const fl_index_map *m = &s->map;
    int64_t element = s->from[s->rank - 1], base;
    const char *p;
    for (int64_t n; begin < end; begin += n) {
        n = fl_index_map_run(m, job->indices, begin, end, &p, &base);
        s->combine.each_index(job->to + base, p, m->strides[m->rank - 1], m->scale[0], m->most[0],
                              m->shift[m->rank - 1], job->low - base, job->high - base,
                              job->from + begin * element, element, n);
    }
}

static void scatter_piece(void *ctx, int64_t begin, int64_t end)
{
    scatter_job job = *(const scatter_job *)ctx;
    const scatter_data *s = job.data;
    job.low = 0, job.high = INT64_MAX;
    if (s->split >= 0) {
        int64_t n = s->dims[s->split], units = (n + s->align - 1) / s->align;
        job.begin = units * begin / job.pieces * s->align;
        job.end = FL_MIN(units * end / job.pieces * s->align, n);
        if (job.begin >= job.end) return;
    } else {
        job.low = s->bytes / job.pieces * begin;
        if (end < job.pieces) job.high = s->bytes / job.pieces * end;
    }
    if (!s->direct) {
        nest(&job, 0, job.to, job.from, job.table);
    } else if (s->split < 0) {
        scatter_direct(&job, 0, s->map.count);
    } else {
        scatter_direct(&job, job.begin * s->step[0], job.end * s->step[0]);
    }
}

static fl_status run_scatter(const fl_step *step, void *const *slots)
{
    const scatter_data *s = step->data;
    char *to = fl_operand_pointer(&step->outputs[0], slots);
    const char *operand = fl_operand_pointer(&step->inputs[0], slots);
    if (to != operand) fl_copy_run(&s->copy, to, operand); /* equal when the operand was donated */
    if (!s->rank) return NULL;
    scatter_job job = {.data = s,
                       .to = to,
                       .from = fl_operand_pointer(&step->inputs[2], slots),
                       .indices = fl_operand_pointer(&step->inputs[1], slots)};
    if (!s->direct) {
        int64_t *table = slots[step->scratch_slot];
        fl_index_map_table(&s->map, job.indices, 1, table);
        job.table = table;
    }
    job.pieces = s->work < 16384 ? 1 : fl_pool_threads();
    if (s->split >= 0) job.pieces = FL_MIN(job.pieces, (s->dims[s->split] + s->align - 1) / s->align);
    fl_parallel_for(job.pieces, 1, scatter_piece, &job);
    return NULL;
}

static void add_loop(scatter_data *s, int64_t size, int64_t step, int64_t to, int64_t from, int disjoint)
{
    int last = s->rank - 1;
    if (size == 1) return;
    if (last >= 0 && s->step[last] == step * size && s->to[last] == to * size &&
        s->from[last] == from * size && s->disjoint[last] == disjoint) {
        s->dims[last] *= size, s->step[last] = step, s->to[last] = to, s->from[last] = from;
        return;
    }
    int n = s->rank++;
    s->dims[n] = size, s->step[n] = step, s->to[n] = to, s->from[n] = from,
    s->disjoint[n] = (uint8_t)disjoint;
}

static int find(const int64_t *list, uint32_t count, int64_t x)
{
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == x) return (int)i;
    return -1;
}

/* Windows by operand dim: the updates' size for window dims, 1 for inserted and batching ones. */
static void window_sizes(const fl_step *step, int64_t *window)
{
    uint32_t inserted_count, batching_count;
    const int64_t *inserted = fl_op_ints(step->op, FL_ATTR_inserted_window_dims, &inserted_count);
    const int64_t *batching = fl_op_ints(step->op, FL_ATTR_input_batching_dims, &batching_count);
    const int64_t *window_dims = fl_op_ints(step->op, FL_ATTR_update_window_dims, NULL);
    int next = 0;
    for (int d = 0; d < step->inputs[0].rank; d++) {
        int absent = find(inserted, inserted_count, d) >= 0 || find(batching, batching_count, d) >= 0;
        window[d] = absent ? 1 : step->inputs[2].dims[window_dims[next++]];
    }
}

static void make_nest(scatter_data *s, const fl_step *step, const int64_t *strides)
{
    const fl_operand *operand = &step->inputs[0], *indices = &step->inputs[1], *updates = &step->inputs[2];
    int64_t element = (int64_t)fl_dtype_bytes((fl_dtype)operand->dtype);
    uint32_t window_count, inserted_count, batching_count;
    const int64_t *window_dims = fl_op_ints(step->op, FL_ATTR_update_window_dims, &window_count);
    const int64_t *inserted = fl_op_ints(step->op, FL_ATTR_inserted_window_dims, &inserted_count);
    const int64_t *batching = fl_op_ints(step->op, FL_ATTR_input_batching_dims, &batching_count);
    const int64_t *index_batching = fl_op_ints(step->op, FL_ATTR_scatter_indices_batching_dims, NULL);
    int64_t vector_dim = fl_op_int(step->op, FL_ATTR_index_vector_dim, indices->rank),
            table_step = s->map.count;
    int operand_dim = 0, index_dim = 0;
    for (int d = 0; d < updates->rank; d++) {
        int64_t from = updates->strides[d] * element;
        if (find(window_dims, window_count, d) >= 0) {
            while (find(inserted, inserted_count, operand_dim) >= 0 ||
                   find(batching, batching_count, operand_dim) >= 0)
                operand_dim++;
            add_loop(s, updates->dims[d], 0, strides[operand_dim++] * element, from, 1);
        } else {
            if (index_dim == vector_dim) index_dim++;
            table_step /= updates->dims[d];
            add_loop(s, updates->dims[d], table_step, 0, from,
                     find(index_batching, batching_count, index_dim++) >= 0);
        }
    }
    if (!s->rank) s->dims[0] = 1, s->step[0] = 1, s->rank = 1;
}

/* The outermost dim that can be divided into enough pieces; pieces of the innermost are whole cache lines. */
static void choose_split(scatter_data *s, int64_t element)
{
    s->split = -1;
    s->align = 1;
    int64_t least = FL_MIN(fl_pool_threads(), 16);
    for (int d = 0; d < s->rank && s->split < 0; d++)
        if (s->disjoint[d] && s->dims[d] >= least) s->split = d;
    if (s->split >= 0 && s->to[s->split] == element) {
        s->align = FL_MAX(64 / element, 1);
        if (s->dims[s->split] < least * s->align) s->split = -1;
    }
}

static int is_direct(const scatter_data *s, const fl_step *step)
{
    int64_t stride = (int64_t)fl_dtype_bytes((fl_dtype)step->inputs[0].dtype);
    if (s->map.dtype != FL_I64 || s->map.components != 1) return 0;
    for (int d = s->rank - 1; d >= 0; d--) {
        if (!s->step[d] || s->from[d] != stride) return 0;
        stride *= s->dims[d];
    }
    return 1;
}

static int combine_kind(const fl_program *program, const fl_block *region)
{
    if (region->op_count == 0) return region->results[0] == region->first_arg + 1 ? FL_COMBINE_set : -1;
    switch (fl_region_monoid(program, region)) {
    case FL_OP_add: return FL_COMBINE_add;
    case FL_OP_multiply: return FL_COMBINE_multiply;
    case FL_OP_maximum: return FL_COMBINE_maximum;
    case FL_OP_minimum: return FL_COMBINE_minimum;
    case FL_OP_and: return FL_COMBINE_and;
    case FL_OP_or: return FL_COMBINE_or;
    default: return -1;
    }
}

fl_status fl_prepare_scatter(const fl_program *program, fl_step *step, fl_arena *arena)
{
    if (step->input_count != 3) return FL_NO_KERNEL();
    const fl_operand *operand = &step->inputs[0], *indices = &step->inputs[1], *out = &step->outputs[0];
    const fl_block *region = step->op->regions[0];
    int kind = combine_kind(program, region);
    if (kind < 0 || fl_type_of(program, region->first_arg)->dtype != operand->dtype) return FL_NO_KERNEL();
    scatter_data *s = FL_NEW(arena, scatter_data);
    if (!s) return FL_NO_MEMORY();
    s->combine = FL_ISA_PICK(fl_combine_find)((fl_combine_kind)kind, (fl_dtype)operand->dtype);
    if (!s->combine.row) return FL_NO_KERNEL();
    fl_copy_prepare_step(&s->copy, step, 0, 0);
    step->data = s;
    step->run = run_scatter;
    step->cost = fl_step_traffic(step) + (int64_t)fl_operand_bytes(&step->inputs[2]);
    s->work = fl_operand_elements(&step->inputs[2]);
    s->bytes = (int64_t)fl_operand_bytes(out);
    if (!s->work || !s->bytes) return NULL;

    int64_t window[FL_MAX_RANK], strides[FL_MAX_RANK];
    fl_index_dims dims = {0};
    dims.map = fl_op_ints(step->op, FL_ATTR_scatter_dims_to_operand_dims, &dims.components);
    dims.operand_batching = fl_op_ints(step->op, FL_ATTR_input_batching_dims, &dims.batching);
    dims.indices_batching = fl_op_ints(step->op, FL_ATTR_scatter_indices_batching_dims, NULL);
    dims.vector_dim = fl_op_int(step->op, FL_ATTR_index_vector_dim, indices->rank);
    window_sizes(step, window);
    for (uint32_t k = 0; k < dims.components; k++)
        if (window[dims.map[k]] != 1) return FL_NO_KERNEL();
    fl_dense_strides(out->rank, out->dims, strides);
    fl_index_map_prepare(&s->map, indices, out, strides, window, &dims);
    make_nest(s, step, strides);
    choose_split(s, (int64_t)fl_dtype_bytes((fl_dtype)out->dtype));
    s->direct = is_direct(s, step) && (s->split < 1);
    if (!s->direct) step->scratch_bytes = (size_t)s->map.count * sizeof(int64_t);
    return NULL;
}
