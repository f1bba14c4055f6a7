/* fft: passes along the transformed dims of a complex double array. A real transform's last dim goes from real lines to half
 * spectra or back in a pass of its own. The inverse is the forward transform between two conjugations. */
#include "base/pool.h"
#include "cpu/kernels/fft_line.h"
#include "cpu/kernels/kernel.h"

typedef enum pass_kind { ALONG, FROM_REAL, TO_REAL } pass_kind;

typedef struct fft_pass {
    const fl_fft_plan *plan;
    int64_t stride, size, lines; /* in the work array: between elements, length of the dim; how many lines */
} fft_pass;

typedef struct fft_data {
    fft_pass passes[3];                                 /* [0] is the last dim */
    int pass_count, inverse, single, real_in, real_out; /* single: f32 parts */
    double scale;
    int64_t elements, workers,
        spare; /* of the work array; pieces with buffers of their own, complex numbers in each */
} fft_data;

typedef struct fft_job {
    const fft_data *data;
    const fft_pass *pass;
    pass_kind kind;
    fl_cd *work, *buffers;
    const void *real_in;
    void *real_out;
    const void *in;
    void *out;
} fft_job;

static double load(int single, const void *p, int64_t i)
{
    return single ? ((const float *)p)[i] : ((const double *)p)[i];
}
static void store(int single, void *p, int64_t i, double v)
{
    if (single) {
        ((float *)p)[i] = (float)v;
    } else {
        ((double *)p)[i] = v;
    }
}

static void transform_line(const fft_job *job, int64_t line, fl_cd *x, fl_cd *spare)
{
    const fft_data *s = job->data;
    const fft_pass *pass = job->pass;
    int64_t n = pass->plan->n, stride = pass->stride;
    fl_cd *start = job->work + line / stride * stride * pass->size + line % stride;
    if (job->kind == FROM_REAL) {
        for (int64_t j = 0; j < n; j++) x[j] = (fl_cd){load(s->single, job->real_in, line * n + j), 0};
    } else {
        for (int64_t j = 0; j < pass->size; j++) x[j] = start[j * stride];
    }
    if (job->kind == TO_REAL) {
        x[0].im = 0; /* a real signal's spectrum is real there */
        for (int64_t j = pass->size; j < n; j++) x[j] = (fl_cd){x[n - j].re, -x[n - j].im};
        if (n % 2 == 0) x[n / 2].im = 0;
    }
    fl_cd *y = fl_fft_line(pass->plan, x, spare);
    if (job->kind == TO_REAL) {
        for (int64_t j = 0; j < n; j++) store(s->single, job->real_out, line * n + j, y[j].re * s->scale);
    } else {
        for (int64_t j = 0; j < pass->size; j++) start[j * stride] = y[j];
    }
}

static void transform_lines(void *ctx, int64_t begin, int64_t end)
{
    const fft_job *job = ctx;
    const fft_data *s = job->data;
    int64_t lines = job->pass->lines;
    for (int64_t w = begin; w < end; w++) {
        fl_cd *x = job->buffers + w * s->spare;
        for (int64_t i = lines * w / s->workers; i < lines * (w + 1) / s->workers; i++)
            transform_line(job, i, x, x + job->pass->plan->n);
    }
}

/* Between the operands and the work array; the imaginary part changes its sign in inverse transforms. */
static void load_all(void *ctx, int64_t begin, int64_t end)
{
    const fft_job *job = ctx;
    int single = job->data->single;
    double sign = job->data->inverse ? -1 : 1;
    for (int64_t i = begin; i < end; i++)
        job->work[i] = (fl_cd){load(single, job->in, 2 * i), sign * load(single, job->in, 2 * i + 1)};
}
static void store_all(void *ctx, int64_t begin, int64_t end)
{
    const fft_job *job = ctx;
    int single = job->data->single;
    double scale = job->data->scale, sign = job->data->inverse ? -scale : scale;
    for (int64_t i = begin; i < end; i++) {
        store(single, job->out, 2 * i, job->work[i].re * scale);
        store(single, job->out, 2 * i + 1, job->work[i].im * sign);
    }
}

static fl_status run_fft(const fl_step *step, void *const *slots)
{
    const fft_data *s = step->data;
    if (!s->elements) return NULL;
    fft_job job = {.data = s, .work = slots[step->scratch_slot]};
    job.buffers = job.work + s->elements;
    job.in = job.real_in = fl_operand_pointer(&step->inputs[0], slots);
    job.out = job.real_out = fl_operand_pointer(&step->outputs[0], slots);
    if (!s->real_in) fl_parallel_for(s->elements, 16384, load_all, &job);
    for (int i = 0; i < s->pass_count; i++) {
        /* a real input's last dim comes first, a real result's comes last */
        int k = s->real_out ? s->pass_count - 1 - i : i;
        job.pass = &s->passes[k];
        job.kind = k ? ALONG : s->real_in ? FROM_REAL : s->real_out ? TO_REAL : ALONG;
        fl_parallel_for(s->workers, 1, transform_lines, &job);
    }
    if (!s->real_out) fl_parallel_for(s->elements, 16384, store_all, &job);
    return NULL;
}

fl_status fl_prepare_fft(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[0];
    fft_data *s = FL_NEW(arena, fft_data);
    if (!s) return FL_NO_MEMORY();
    uint32_t dims;
    const int64_t *length = fl_op_ints(step->op, FL_ATTR_fft_length, &dims);
    int64_t kind = fl_op_int(step->op, FL_ATTR_fft_type, FL_FFT);
    if (dims > 3) return FL_NO_KERNEL();
    s->real_in = kind == FL_RFFT;
    s->real_out = kind == FL_IRFFT;
    s->inverse = kind == FL_IFFT || kind == FL_IRFFT;
    s->single = fl_real_dtype((fl_dtype)in->dtype) == FL_F32;
    s->scale = 1;
    s->pass_count = (int)dims;
    const fl_operand *work = s->real_in ? out : in;
    s->elements = fl_operand_elements(out) ? fl_operand_elements(work) : 0;
    step->run = run_fft;
    step->data = s;
    if (!s->elements) return NULL;
    int64_t stride = 1, spare = 0;
    for (int k = 0; k < s->pass_count; k++) {
        int64_t n = length[(int)dims - 1 - k], size = work->dims[work->rank - 1 - k];
        const fl_fft_plan *plan = fl_fft_plan_create(n, arena);
        if (!plan) return FL_NO_MEMORY();
        s->passes[k] = (fft_pass){plan, stride, size, s->elements / size};
        stride *= size;
        if (s->inverse) s->scale /= (double)n;
        spare = FL_MAX(spare, plan->n + plan->spare);
    }
    s->spare = (spare + 3) / 4 * 4; /* buffers of different threads share no cache line */
    s->workers = s->elements < 8192 ? 1 : FL_MIN(fl_pool_threads(), 64);
    step->scratch_bytes = (size_t)(s->elements + 3 + s->workers * s->spare) * sizeof(fl_cd);
    step->cost = fl_step_traffic(step) + s->elements * 16 * s->pass_count;
    return NULL;
}
