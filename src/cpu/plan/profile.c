#define _GNU_SOURCE
#include "cpu/plan/profile.h"

#include "base/pool.h"
#include "base/text.h"
#include "device/activity.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define BUFFERED    (1u << 20) /* bytes of text before they are written */
#define MOST_EVENTS 4000000u

static struct {
    pthread_mutex_t lock;
    fl_text text;
    fl_peaks peaks;
    int file, closed;
    pid_t pid; /* a child of fork writes nothing */
    uint32_t events, dropped;
    uint64_t start;
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER, .file = -1};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *path;

static void read_path(void)
{
    path = getenv("FL_PROFILE");
    if (path && !*path) path = NULL;
}

int fl_is_profiling(void)
{
    pthread_once(&once, read_path);
    return path != NULL;
}

static double microseconds(uint64_t from, uint64_t to)
{
    return (double)(int64_t)(to - from) * 1e-3;
}

/* --- the file --- */

static void write_out(void)
{
    for (size_t done = 0; done < trace.text.length && trace.file >= 0;) {
        ssize_t n = write(trace.file, trace.text.data + done, trace.text.length - done);
        if (n <= 0) break;
        done += (size_t)n;
    }
    trace.text.length = 0;
}

/* At the end of the process, or when the library is unloaded. */
__attribute__((destructor)) static void finish(void)
{
    if (trace.file < 0 || trace.pid != getpid()) return;
    pthread_mutex_lock(&trace.lock);
    fl_text_printf(&trace.text,
                   "{\"name\":\"events left out\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"count\":%u}}\n]}\n",
                   trace.pid, trace.dropped);
    write_out();
    close(trace.file);
    trace.file = -1;
    trace.closed = 1;
    pthread_mutex_unlock(&trace.lock);
    fl_text_free(&trace.text);
}

/* With the lock held. */
static void begin(void)
{
    trace.pid = getpid();
    trace.file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (trace.file < 0) {
        fprintf(stderr, "FL_PROFILE: cannot write %s\n", path);
        trace.closed = 1;
        return;
    }
    trace.peaks = fl_measure_peaks();
    trace.start = fl_activity_now();
    fl_text_printf(&trace.text,
                   "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"peak GB/s\":%.2f,\"peak "
                   "GFLOP/s\":%.2f,\"threads\":%d},\n"
                   "\"traceEvents\":[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":%d,\"args\":{\"name\":"
                   "\"Flambeau\"}},\n",
                   trace.peaks.bytes_per_ns, trace.peaks.flops_per_ns, fl_pool_threads(), trace.pid);
}

static void event(const char *name, const char *category, uint64_t from, uint64_t to)
{
    fl_text_append(&trace.text, "{\"name\":", 8);
    fl_text_json_string(&trace.text, name, strlen(name));
    fl_text_printf(&trace.text,
                   ",\"cat\":\"%s\",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%d,\"tid\":%ld,\"args\":{",
                   category, microseconds(trace.start, from), microseconds(from, to), trace.pid,
                   syscall(SYS_gettid));
}

static void step_event(const fl_step *step, uint32_t number, uint64_t from, uint64_t to)
{
    const fl_note *note = step->note;
    double ns = (double)(to - from);
    event(note ? note->name : step->name, "step", from, to);
    fl_text_printf(&trace.text, "\"step\":%u", number);
    if (note) {
        double bytes = (double)note->bytes, flops = (double)note->flops;
        fl_text_append(&trace.text, ",\"shapes\":", 10);
        fl_text_json_string(&trace.text, note->shapes, strlen(note->shapes));
        fl_text_printf(&trace.text, ",\"bytes\":%llu,\"flops\":%llu", (unsigned long long)note->bytes,
                       (unsigned long long)note->flops);
        if (ns > 0)
            fl_text_printf(
                &trace.text,
                ",\"GB/s\":%.2f,\"%% of bandwidth\":%.1f,\"GFLOP/s\":%.2f,\"%% of multiply-adds\":%.1f",
                bytes / ns, 100 * bytes / ns / trace.peaks.bytes_per_ns, flops / ns,
                100 * flops / ns / trace.peaks.flops_per_ns);
    }
    fl_text_append(&trace.text, "}},\n", 4);
}

/* Writing one event for each step would be in the times of the others: they are kept until the plan has run. */
typedef struct record {
    uint32_t step;
    uint64_t from, to;
} record;

typedef struct records {
    record *list;
    uint32_t count, capacity, lost;
} records;

static void keep(records *r, uint32_t step, uint64_t from, uint64_t to)
{
    if (r->count == r->capacity) {
        uint32_t wanted = r->capacity ? r->capacity * 2 : 256;
        record *list = r->count < MOST_EVENTS ? realloc(r->list, wanted * sizeof *list) : NULL;
        if (!list) {
            r->lost++;
            return;
        }
        r->list = list;
        r->capacity = wanted;
    }
    r->list[r->count++] = (record){step, from, to};
}

static void write_records(const fl_plan *plan, const records *r, uint64_t from, uint64_t to)
{
    pthread_mutex_lock(&trace.lock);
    trace.dropped += r->lost;
    if (trace.file >= 0 && trace.pid == getpid()) {
        event(plan->name, "program", from, to);
        fl_text_printf(&trace.text, "\"steps\":%u,\"temporaries\":%zu}},\n", plan->step_count,
                       plan->scratch_bytes);
        for (uint32_t i = 0; i < r->count; i++) {
            if (trace.events++ >= MOST_EVENTS) {
                trace.dropped++;
                continue;
            }
            step_event(&plan->steps[r->list[i].step], r->list[i].step, r->list[i].from, r->list[i].to);
            if (trace.text.length > BUFFERED) write_out();
        }
    }
    pthread_mutex_unlock(&trace.lock);
}

/* Activities of the run: a step each. */
static void report(const fl_plan *plan, const records *r)
{
    fl_activity a = {.kind = FL_ACTIVITY_STEP, .place = fl_activity_get_place(), .program = plan->name};
    for (uint32_t i = 0; i < r->count; i++) {
        const fl_step *step = &plan->steps[r->list[i].step];
        const fl_note *note = step->note;
        a.name = note ? note->name : step->name;
        a.shapes = note ? note->shapes : NULL;
        a.bytes = note ? note->bytes : 0;
        a.flops = note ? note->flops : 0;
        a.begin = r->list[i].from;
        a.end = r->list[i].to;
        fl_activity_add(&a);
    }
}

fl_status fl_profile_steps(const fl_plan *plan, void *const *slots)
{
    records r = {0};
    fl_status status = NULL;
    if (fl_is_profiling()) {
        pthread_mutex_lock(&trace.lock);
        if (trace.file < 0 && !trace.closed) begin();
        pthread_mutex_unlock(&trace.lock);
    }
    uint64_t from = fl_activity_now(), last = from;
    for (uint32_t i = 0; i < plan->step_count && !status;) {
        const fl_step *step = &plan->steps[i];
        if (step->jump) {
            i = fl_step_next(step, slots, i);
            continue;
        }
        status = step->run(step, slots);
        uint64_t time = fl_activity_now();
        keep(&r, i, last, time);
        last = time;
        i++;
    }
    if (fl_is_profiling()) write_records(plan, &r, from, last);
    if (fl_activities_on()) report(plan, &r);
    free(r.list);
    return status;
}

/* --- what the machine can do --- */

#define TRIAD_ELEMENTS (16ll << 20) /* of each of three arrays: 64 MiB */
#define FMA_ROUNDS     400000

static void triad_body(void *context, int64_t begin, int64_t end)
{
    float *const *arrays = context;
    FL_ISA_PICK(fl_peak_triad)(arrays[0] + begin, arrays[1] + begin, arrays[2] + begin, end - begin);
}

static void fma_body(void *context, int64_t begin, int64_t end)
{
    float *sums = context;
    for (int64_t i = begin; i < end; i++) sums[i * 16] = FL_ISA_PICK(fl_peak_fma)(FMA_ROUNDS);
}

fl_peaks fl_measure_peaks(void)
{
    fl_peaks peaks = {1e-3, 1e-3};
    int threads = fl_pool_threads(), pieces = threads * 4;
    float *memory = aligned_alloc(2 << 20, 3 * TRIAD_ELEMENTS * sizeof *memory),
          *sums = calloc((size_t)pieces * 16, sizeof *sums);
    if (memory && sums) {
        float *arrays[3] = {memory, memory + TRIAD_ELEMENTS, memory + 2 * TRIAD_ELEMENTS};
        madvise(memory, 3 * TRIAD_ELEMENTS * sizeof *memory, MADV_HUGEPAGE);
        memset(memory, 0, 3 * TRIAD_ELEMENTS * sizeof *memory);
        for (int again = 0; again < 4; again++) {
            uint64_t start = fl_activity_now();
            fl_parallel_for(TRIAD_ELEMENTS, 1 << 16, triad_body, arrays);
            double rate = 3.0 * sizeof(float) * TRIAD_ELEMENTS / (double)(fl_activity_now() - start);
            if (rate > peaks.bytes_per_ns) peaks.bytes_per_ns = rate;
            start = fl_activity_now();
            fl_parallel_for(pieces, 1, fma_body, sums);
            rate = (double)pieces * FMA_ROUNDS * FL_ISA_PICK(fl_peak_flops) /
                   (double)(fl_activity_now() - start);
            if (rate > peaks.flops_per_ns) peaks.flops_per_ns = rate;
        }
    }
    free(memory);
    free(sums);
    return peaks;
}
