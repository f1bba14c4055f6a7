#include "cpu/kernels/conv_matrix.h"

#include "base/pool.h"
#include "cpu/kernels/gemm_split.h"

#define COLUMNS 1024 /* of a task; whole squares of a split product */
#define ROWS    512
#define SUMS    128 /* rows of a task where images are added up */

typedef enum operand { INPUT, KERNEL, OUTPUT } operand;

/* The spatial dimensions as one: the distance of neighbours; 0: they do not lie so. */
static int64_t position_stride(const fl_conv *c, operand which)
{
    int64_t stride = 0, next = 0;
    for (int i = FL_CONV_DIMS - 1; i >= 0; i--) {
        const fl_conv_dim *d = &c->dim[i];
        const int64_t s = which == INPUT ? d->in_stride : which == KERNEL ? d->tap_stride : d->out_stride;
        if (d->in == 1) continue;
        if (!stride) stride = next = s;
        if (s != next || s <= 0) return 0;
        next = s * d->in;
    }
    return stride ? stride : 1;
}

/* 1: one tap; 2: the taps of a weight gradient, that is, the kernel covers the input once. */
static int kind_of(const fl_conv *c)
{
    int forward = 1, gradient = 1;
    for (int i = 0; i < FL_CONV_DIMS; i++) {
        const fl_conv_dim *d = &c->dim[i];
        const int plain = d->stride == 1 && d->dilation == 1 && d->spread == 1 && d->low == 0;
        forward &= plain && d->taps == 1 && d->out == d->in;
        gradient &= plain && d->out == 1 && d->taps == d->in;
    }
    return forward ? 1 : gradient ? 2 : 0;
}

static int forward_product(const fl_conv *c, fl_conv_matrix *x, int64_t positions)
{
    const int64_t in = position_stride(c, INPUT), out = position_stride(c, OUTPUT);
    if (!in || !out) return 0;
    *x = (fl_conv_matrix){
        .k = c->features, .images = c->batch, .c_image = c->out_batch, .c_group = c->out_group};
    if (out == 1) {
        x->kernel_first = 1;
        x->m = c->outputs, x->n = positions, x->c_row = c->out_feature;
        x->a[0] = c->kernel_out, x->a[1] = c->kernel_in, x->a_group = c->kernel_group;
        x->b[0] = c->in_feature, x->b[1] = in, x->b_group = c->in_group, x->b_image = c->in_batch;
        return 1;
    }
    x->m = positions, x->n = c->outputs, x->c_row = out;
    x->a[0] = in, x->a[1] = c->in_feature, x->a_group = c->in_group, x->a_image = c->in_batch;
    x->b[0] = c->kernel_in, x->b[1] = c->kernel_out, x->b_group = c->kernel_group;
    if (c->in_batch == positions * in && c->out_batch == positions * out) x->m *= x->images, x->images = 1;
    return c->out_feature == 1;
}

static int gradient_product(const fl_conv *c, fl_conv_matrix *x, int64_t positions)
{
    const int64_t in = position_stride(c, INPUT), kernel = position_stride(c, KERNEL);
    if (!in || !kernel) return 0;
    *x = (fl_conv_matrix){.k = positions, .images = c->features, .add = 1, .c_group = c->out_group};
    x->kernel_first = c->out_batch == 1;
    const int64_t k[2] = {c->kernel_out, kernel}, i[2] = {c->in_batch, in};
    x->m = x->kernel_first ? c->outputs : c->batch, x->n = x->kernel_first ? c->batch : c->outputs;
    x->c_row = x->kernel_first ? c->out_feature : c->out_batch;
    x->a[0] = x->kernel_first ? k[0] : i[0], x->a[1] = x->kernel_first ? k[1] : i[1];
    x->b[0] = x->kernel_first ? i[1] : k[1], x->b[1] = x->kernel_first ? i[0] : k[0];
    x->a_image = x->kernel_first ? c->kernel_in : c->in_feature;
    x->b_image = x->kernel_first ? c->in_feature : c->kernel_in;
    x->a_group = x->kernel_first ? c->kernel_group : c->in_group;
    x->b_group = x->kernel_first ? c->in_group : c->kernel_group;
    if (c->kernel_in == positions * kernel && c->in_feature == positions * in)
        x->k *= x->images, x->images = 1;
    return x->kernel_first || c->out_feature == 1;
}

fl_status fl_matrix_plan(fl_conv *c, fl_arena *arena, size_t *out_scratch)
{
    const int kind = kind_of(c);
    const int64_t positions = c->dim[0].in * c->dim[1].in * c->dim[2].in;
    fl_conv_matrix m;
    if (!kind || !c->direct || c->kernel_base || !fl_gemm_packs(c->type, c->in_dtype) ||
        !fl_gemm_packs(c->type, c->kernel_dtype))
        return NULL;
    if (!(kind == 1 ? forward_product(c, &m, positions) : gradient_product(c, &m, positions))) return NULL;
    if (m.m < 8 || m.n < 8 || m.k < 8) return NULL;
    if (m.kernel_first && !m.add && m.n < 128) return NULL; /* weights would be packed for few columns */
    if (m.add && m.images > 1 && FL_MIN(m.m, m.n) < 128) return NULL; /* images, for few sums */
    fl_conv_matrix *x = c->matrix = FL_NEW(arena, fl_conv_matrix);
    if (!x) return FL_NO_MEMORY();
    *x = m;
    x->split = c->in_dtype == c->kernel_dtype && c->type->dtype == FL_F32 &&
               fl_split_uses(c->in_dtype, x->m, x->n, x->k);
    x->m_block = FL_MIN(x->m, x->add ? SUMS : ROWS), x->n_block = FL_MIN(x->n, COLUMNS);
    if (x->kernel_first && !x->add) x->m_block = x->m;
    x->gemm_bytes = x->split ? fl_split_scratch(c->in_dtype, x->m_block, x->n_block, x->k, (fl_split_form){0})
                             : fl_gemm_block_scratch(c->type, x->m_block, x->n_block, x->k);
    x->gemm_bytes = (size_t)fl_round_up((int64_t)x->gemm_bytes, 64);
    x->slice_bytes = x->gemm_bytes;
    if (x->add && x->images > 1)
        x->slice_bytes += (size_t)fl_round_up(x->m_block * x->n_block * c->type->size, 64);
    const double work = (double)x->m * (double)x->n * (double)x->k * (double)x->images / c->type->lanes;
    x->slices = fl_task_slices(c->groups * fl_div_up(x->m, x->m_block) * fl_div_up(x->n, x->n_block) *
                                   (x->add ? 1 : x->images),
                               work);
    *out_scratch = x->slice_bytes * (size_t)x->slices;
    return NULL;
}

typedef struct run {
    const fl_conv *c;
    const char *a, *b;
    char *out, *scratch;
} run;

static void multiply(const run *r, int64_t m, int64_t n, int64_t a_at, int64_t b_at, void *to, int64_t to_row,
                     char *scratch)
{
    const fl_conv *c = r->c;
    const fl_conv_matrix *x = c->matrix;
    const fl_dtype a_type = x->kernel_first ? c->kernel_dtype : c->in_dtype,
                   b_type = x->kernel_first ? c->in_dtype : c->kernel_dtype;
    const fl_matrix a = {r->a + a_at * (int64_t)fl_dtype_bytes(a_type), a_type, x->a[0], x->a[1]},
                    b = {r->b + b_at * (int64_t)fl_dtype_bytes(b_type), b_type, x->b[0], x->b[1]};
    if (x->split)
        fl_split_block(m, n, x->k, a, b, to, to_row, (fl_split_form){0}, scratch);
    else
        fl_gemm_block(c->type, m, n, x->k, &a, &b, to, to_row, fl_gemm_uses_few(c->type, m, n, x->k, b),
                      scratch);
}

static void run_task(const void *ctx, int64_t task, int slice)
{
    const run *r = ctx;
    const fl_conv *c = r->c;
    const fl_conv_matrix *x = c->matrix;
    const int64_t ms = fl_div_up(x->m, x->m_block), ns = fl_div_up(x->n, x->n_block);
    const int64_t i = task % ms * x->m_block, j = task / ms % ns * x->n_block,
                  group = task / ms / ns % c->groups, image = task / ms / ns / c->groups,
                  m = FL_MIN(x->m - i, x->m_block), n = FL_MIN(x->n - j, x->n_block), size = c->type->size;
    char *scratch = r->scratch + (size_t)slice * x->slice_bytes, *sums = scratch + x->gemm_bytes;
    char *out = r->out + (group * x->c_group + image * x->c_image + i * x->c_row + j) * size;
    const int64_t a_at = group * x->a_group + image * x->a_image + i * x->a[0],
                  b_at = group * x->b_group + image * x->b_image + j * x->b[1];
    multiply(r, m, n, a_at, b_at, out, x->c_row, scratch);
    for (int64_t more = 1; x->add && more < x->images; more++) {
        multiply(r, m, n, a_at + more * x->a_image, b_at + more * x->b_image, sums, n, scratch);
        for (int64_t row = 0; row < m; row++)
            fl_gemm_add(out + row * x->c_row * size, sums + row * n * size, c->type->dtype, n);
    }
}

fl_status fl_matrix_run(const fl_step *step, void *const *slots)
{
    const fl_conv *c = step->data;
    const fl_conv_matrix *x = c->matrix;
    const void *in = fl_operand_pointer(&step->inputs[0], slots),
               *kernel = fl_operand_pointer(&step->inputs[1], slots);
    const run r = {.c = c,
                   .a = x->kernel_first ? kernel : in,
                   .b = x->kernel_first ? in : kernel,
                   .out = fl_operand_pointer(&step->outputs[0], slots),
                   .scratch = slots[step->scratch_slot]};
    fl_for_tasks(c->groups * fl_div_up(x->m, x->m_block) * fl_div_up(x->n, x->n_block) *
                     (x->add ? 1 : x->images),
                 x->slices, run_task, &r);
    return NULL;
}
