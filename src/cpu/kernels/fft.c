/* fft: passes along the transformed dims, eight lines at a time; one pass goes from the operand to the result, more go through a
 * complex double array. A real line of even length is transformed as half as many complex numbers. The inverse is the forward
 * transform between two conjugations. Few long lines go one at a time (fft_long.h). */
#include "cpu/kernels/fft_long.h"
#include "base/pool.h"
#include "cpu/kernels/kernel.h"

typedef enum pass_kind { ALONG, FROM_REAL, TO_REAL } pass_kind;

typedef struct fft_pass {
    pass_kind kind;
    int64_t n;  /* of the transform */
    int halves; /* a real transform of even length, by the plan of n / 2 */
    int64_t stride, size,
        lines;                /* in the complex array: between elements, length of the dim; how many lines */
    const fl_fft_plan *plan;  /* eight lines at once */
    const fl_fft_long *whole; /* or one after another */
    const fl_cd *roots;       /* of n, for halves */
} fft_pass;

typedef struct fft_data {
    fft_pass passes[3]; /* in the order in which they run */
    int pass_count, inverse, single;
    double scale;
    int64_t elements, workers; /* of the complex array; pieces with buffers of their own */
    int64_t line, spare; /* complex numbers in the buffers of one long line: its own, and the transform's */
    int64_t buffer;      /* fl_cv of each worker */
} fft_data;

typedef struct fft_job {
    const fft_data *data;
    const fft_pass *pass;
    int first, last;
    void *in, *out; /* operand or work array, result or work array */
    fl_cd *lines;   /* buffers of one long line */
    fl_cv *buffers;
} fft_job;

/* Lines from `line` on, element and lane distances in complex numbers of a dense array. */
static fl_fft_place place_of(const fft_pass *p, void *data, int single, int64_t line, int lanes)
{
    const int64_t start = line / p->stride * p->stride * p->size + line % p->stride;
    return (fl_fft_place){(char *)data + start * (single ? 8 : 16), p->stride, p->stride == 1 ? p->size : 1,
                          lanes, single};
}

/* Real lines; `element` is 1. */
static fl_fft_place real_place_of(const fft_pass *p, void *data, int single, int64_t line, int lanes)
{
    const int64_t width = p->halves ? p->n / 2 : p->n; /* complex numbers or reals */
    return (fl_fft_place){(char *)data + line * p->n * (single ? 4 : 8), 1, width, lanes, single};
}

/* ---- eight lines ---- */

static void eight_lines(const fft_job *job, int64_t line, int lanes, fl_cv *x)
{
    const fft_data *s = job->data;
    const fft_pass *p = job->pass;
    const fl_fft_lines *f = FL_ISA_PICK(fl_fft_lines);
    const int in_single = job->first && s->single, out_single = job->last && s->single;
    const int64_t h = p->n / 2;
    const double scale = job->last ? s->scale : 1;
    fl_cv *y;
    if (p->kind == FROM_REAL) {
        const fl_fft_place from = real_place_of(p, job->in, in_single, line, lanes);
        const fl_fft_place to = place_of(p, job->out, out_single, line, lanes);
        if (p->halves) {
            f->load(x, &from, h, 0);
            fl_cv *z = f->transform(p->plan, x);
            y = x + p->plan->buffer;
            f->split(z, y, h, p->roots);
        } else {
            f->load_real(x, &from, p->n);
            y = f->transform(p->plan, x);
        }
        f->store(y, &to, p->size, 0, scale);
        return;
    }
    const fl_fft_place from = place_of(p, job->in, in_single, line, lanes);
    if (p->kind == ALONG) {
        const fl_fft_place to = place_of(p, job->out, out_single, line, lanes);
        f->load(x, &from, p->n, job->first && s->inverse);
        f->store(f->transform(p->plan, x), &to, p->n, job->last && s->inverse, scale);
        return;
    }
    const fl_fft_place to = real_place_of(p, job->out, out_single, line, lanes);
    if (p->halves) { /* the work array holds conjugates */
        fl_cv *spectrum = x + p->plan->buffer;
        f->load(spectrum, &from, p->size, !job->first);
        f->join(spectrum, x, h, p->roots);
        f->store(f->transform(p->plan, x), &to, h, 1, scale);
    } else {
        f->load(x, &from, p->size, job->first);
        x[0].im = (fl_fft_vector){0}; /* a real signal's spectrum is real there */
        for (int64_t j = p->size; j < p->n; j++) x[j] = (fl_cv){x[p->n - j].re, -x[p->n - j].im};
        f->store_real(f->transform(p->plan, x), &to, p->n, scale);
    }
}

static void run_lines(void *ctx, int64_t begin, int64_t end)
{
    const fft_job *job = ctx;
    const fft_pass *p = job->pass;
    const int64_t workers = job->data->workers, eights = fl_fft_eights(p->lines);
    for (int64_t w = begin; w < end; w++) {
        fl_cv *x = job->buffers + w * job->data->buffer;
        const int64_t stop = FL_MIN(p->lines, eights * (w + 1) / workers * FL_FFT_LANES);
        for (int64_t i = eights * w / workers * FL_FFT_LANES; i < stop;) {
            int64_t lanes = FL_MIN(FL_FFT_LANES, stop - i);
            if (p->stride > 1) lanes = FL_MIN(lanes, p->stride - i % p->stride);
            eight_lines(job, i, (int)lanes, x);
            i += lanes;
        }
    }
}

/* ---- one long line ---- */

static double get(const void *data, int single, int64_t i)
{
    return single ? ((const float *)data)[i] : ((const double *)data)[i];
}

static void put(void *data, int single, int64_t i, double x)
{
    if (single)
        ((float *)data)[i] = (float)x;
    else
        ((double *)data)[i] = x;
}

/* Loads a line as the transform wants it: of reals in halves, the pairs; of a spectrum in halves, what gives the pairs. */
static void load_line(const fft_job *job, int64_t line, fl_cd *x)
{
    const fft_data *s = job->data;
    const fft_pass *p = job->pass;
    const int single = job->first && s->single;
    const int64_t h = p->n / 2;
    if (p->kind == FROM_REAL) {
        const fl_fft_place from = real_place_of(p, job->in, single, line, 1);
        for (int64_t j = 0; j < (p->halves ? h : p->n); j++)
            x[j] = p->halves ? (fl_cd){get(from.data, single, 2 * j), get(from.data, single, 2 * j + 1)}
                             : (fl_cd){get(from.data, single, j), 0};
        return;
    }
    const fl_fft_place from = place_of(p, job->in, single, line, 1);
    const int conjugate = p->kind == ALONG ? job->first && s->inverse : p->halves ? !job->first : job->first;
    for (int64_t j = 0; j < p->size; j++) {
        const int64_t i = 2 * j * from.element;
        x[j] = (fl_cd){get(from.data, single, i), get(from.data, single, i + 1) * (conjugate ? -1 : 1)};
    }
    if (p->kind == ALONG) return;
    x[0].im = 0;
    if (!p->halves) {
        for (int64_t j = p->size; j < p->n; j++) x[j] = (fl_cd){x[p->n - j].re, -x[p->n - j].im};
        return;
    }
    x[h].im = 0;
    for (int64_t k = 0; k <= h - k; k++) { /* two at a time: each needs the other */
        const fl_cd a = x[k], b = x[h - k], w = p->roots[k], v = p->roots[h - k];
        const fl_cd d = {a.re - b.re, a.im + b.im}, e = {-d.re, d.im};
        const fl_cd odd = {d.re * w.re + d.im * w.im, d.im * w.re - d.re * w.im};
        const fl_cd other = {e.re * v.re + e.im * v.im, e.im * v.re - e.re * v.im};
        x[k] = (fl_cd){a.re + b.re - odd.im, -(a.im - b.im + odd.re)};
        if (k && k < h - k) x[h - k] = (fl_cd){a.re + b.re - other.im, -(b.im - a.im + other.re)};
    }
}

static void store_line(const fft_job *job, int64_t line, const fl_cd *y)
{
    const fft_data *s = job->data;
    const fft_pass *p = job->pass;
    const int single = job->last && s->single;
    const int64_t h = p->n / 2;
    const double scale = job->last ? s->scale : 1;
    if (p->kind == TO_REAL) {
        const fl_fft_place to = real_place_of(p, job->out, single, line, 1);
        for (int64_t j = 0; j < (p->halves ? h : p->n); j++) {
            put(to.data, single, p->halves ? 2 * j : j, y[j].re * scale);
            if (p->halves) put(to.data, single, 2 * j + 1, -y[j].im * scale);
        }
        return;
    }
    const fl_fft_place to = place_of(p, job->out, single, line, 1);
    const double sign = p->kind == ALONG && job->last && s->inverse ? -scale : scale;
    for (int64_t k = 0; k < p->size; k++) {
        fl_cd value = y[p->halves ? k % h : k];
        if (p->halves) {
            const fl_cd a = value, b = y[(h - k) % h], w = p->roots[k];
            const fl_cd odd = {(a.im + b.im) * 0.5, (b.re - a.re) * 0.5};
            value = (fl_cd){(a.re + b.re) * 0.5 + odd.re * w.re - odd.im * w.im,
                            (a.im - b.im) * 0.5 + odd.re * w.im + odd.im * w.re};
            if (k == 0 || k == h) value.im = 0;
        }
        put(to.data, single, 2 * k * to.element, value.re * scale);
        put(to.data, single, 2 * k * to.element + 1, value.im * sign);
    }
}

static void run_long(const fft_job *job)
{
    const fft_data *s = job->data;
    fl_cd *x = job->lines, *y = x + s->line, *spare = y + s->line;
    for (int64_t i = 0; i < job->pass->lines; i++) {
        load_line(job, i, x);
        fl_fft_long_run(job->pass->whole, x, y, spare, job->buffers, s->workers);
        store_line(job, i, y);
    }
}

/* ---- the step ---- */

static fl_status run_fft(const fl_step *step, void *const *slots)
{
    const fft_data *s = step->data;
    if (!s->elements) return NULL;
    char *scratch = slots[step->scratch_slot];
    fl_cd *work = (fl_cd *)(scratch + s->workers * s->buffer * (int64_t)sizeof(fl_cv));
    fft_job job = {.data = s, .buffers = (fl_cv *)scratch};
    job.lines = work + (s->pass_count > 1 ? s->elements : 0);
    for (int i = 0; i < s->pass_count; i++) {
        job.pass = &s->passes[i];
        job.first = i == 0, job.last = i + 1 == s->pass_count;
        job.in = job.first ? fl_operand_pointer(&step->inputs[0], slots) : work;
        job.out = job.last ? fl_operand_pointer(&step->outputs[0], slots) : work;
        if (job.pass->whole)
            run_long(&job);
        else
            fl_parallel_for(s->workers, 1, run_lines, &job);
    }
    return NULL;
}

/* Few lines leave most lanes empty; very long ones leave the caches. */
static int is_long(const fft_pass *p, int64_t n)
{
    return n >= FL_FFT_LONG && (p->lines < 6 || n > 32768);
}

static int prepare_pass(fft_data *s, fft_pass *p, fl_arena *arena)
{
    p->halves = p->kind != ALONG && p->n % 2 == 0;
    const int64_t n = p->halves ? p->n / 2 : p->n;
    if (p->halves) {
        fl_cd *roots = FL_NEW_ARRAY(arena, fl_cd, n + 1);
        for (int64_t k = 0; roots && k <= n; k++) roots[k] = fl_fft_root(k, p->n);
        p->roots = roots;
        if (!roots) return 0;
    }
    if (is_long(p, n)) {
        p->whole = fl_fft_long_create(n, arena);
        if (!p->whole) return 0;
        s->line = FL_MAX(s->line, n + 1);
        s->spare = FL_MAX(s->spare, p->whole->spare);
        s->buffer = FL_MAX(s->buffer, p->whole->buffer);
        return 1;
    }
    p->plan = fl_fft_plan_create(n, arena);
    if (p->plan) s->buffer = FL_MAX(s->buffer, p->plan->buffer + (p->halves ? n + 1 : 0));
    return p->plan != NULL;
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
    s->inverse = kind == FL_IFFT || kind == FL_IRFFT;
    s->single = fl_real_dtype((fl_dtype)in->dtype) == FL_F32;
    s->scale = 1;
    s->pass_count = (int)dims;
    const fl_operand *work = kind == FL_RFFT ? out : in;
    s->elements = fl_operand_elements(out) ? fl_operand_elements(work) : 0;
    step->run = run_fft;
    step->data = s;
    if (!s->elements) return NULL;
    int64_t stride = 1;
    for (int k = 0; k < s->pass_count; k++) { /* from the last dim; a real result's comes last */
        fft_pass *p = &s->passes[kind == FL_IRFFT ? s->pass_count - 1 - k : k];
        p->n = length[(int)dims - 1 - k];
        p->size = work->dims[work->rank - 1 - k];
        p->stride = stride;
        p->lines = s->elements / p->size;
        p->kind = k ? ALONG : kind == FL_RFFT ? FROM_REAL : kind == FL_IRFFT ? TO_REAL : ALONG;
        stride *= p->size;
        if (s->inverse) s->scale /= (double)p->n;
        if (!prepare_pass(s, p, arena)) return FL_NO_MEMORY();
    }
    s->workers = s->elements < 8192 ? 1 : FL_MIN(fl_pool_threads(), 64);
    const int64_t numbers = (s->pass_count > 1 ? s->elements : 0) + 2 * s->line + s->spare;
    step->scratch_bytes = (size_t)(s->workers * s->buffer) * sizeof(fl_cv) + (size_t)numbers * sizeof(fl_cd);
    step->cost = fl_step_traffic(step) + s->elements * 16 * s->pass_count;
    return NULL;
}
