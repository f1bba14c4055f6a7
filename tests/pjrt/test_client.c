/* The PJRT device over the plugin that FL_PJRT_PLUGIN names. Expected values are computed here, element by
 * element. */
#include "check.h"
#include "ir/build.h"
#include "pjrt/client.h"
#include "pjrt/client_device.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static fl_device *d;

static fl_buffer *buffer_with(size_t bytes, const void *data)
{
    fl_buffer *buffer = NULL;
    CHECK_OK(d->vtable->allocate(d, 0, bytes, &buffer));
    if (!buffer) exit(1);
    if (data) CHECK_OK(d->vtable->upload(d, 0, data, bytes, buffer, 0));
    return buffer;
}

static void get(fl_buffer *buffer, void *out, size_t bytes)
{
    CHECK_OK(d->vtable->download(d, 0, buffer, 0, bytes, out));
}

/* y = x + 1, of this type. */
static fl_program *increment(fl_dtype dtype, int rank, const int64_t *dims)
{
    fl_builder b;
    fl_program *program = NULL;
    CHECK_OK(fl_builder_init(&b, "increment"));
    fl_ref x = fl_parameter(&b, fl_type_make(dtype, rank, dims));
    fl_ref y = fl_add(&b, x, fl_full_like(&b, x, 1));
    CHECK_OK(fl_builder_finish(&b, &y, 1, &program));
    return program;
}

static fl_executable *compiled(fl_program *program, const fl_compile_options *options)
{
    fl_executable *e = NULL;
    CHECK_OK(d->vtable->compile(d, program, options, &e));
    fl_program_destroy(program);
    if (!e) exit(1);
    return e;
}

static void test_description(void)
{
    CHECK_STRING(d->vtable->kind, "pjrt");
    CHECK(strstr(d->name, "PJRT"));
    CHECK(d->capacity > 0);
    fl_device *other = NULL;
    CHECK_ERROR(fl_pjrt_device_create(getenv("FL_PJRT_PLUGIN"), 9999, &other), FL_INVALID, ", got 9999");
}

static void test_copies(void)
{
    unsigned char data[1000], back[1000];
    for (int i = 0; i < 1000; i++) data[i] = (unsigned char)(i * 7);
    fl_buffer *buffer = buffer_with(sizeof data, NULL);
    CHECK_OK(d->vtable->upload(d, 0, data, 300, buffer, 100));
    CHECK_OK(d->vtable->upload(d, 0, data + 300, 10, buffer, 200));
    CHECK_OK(d->vtable->download(d, 0, buffer, 150, 60, back));
    CHECK(!memcmp(back, data + 50, 50) && !memcmp(back + 50, data + 300, 10));
    CHECK_ERROR(d->vtable->upload(d, 0, data, 10, buffer, 995), FL_INVALID, "expected at most 1000 bytes");
    CHECK_ERROR(d->vtable->download(d, 0, buffer, -1, 10, back), FL_INVALID, "expected at most 1000 bytes");
    int64_t offset;
    CHECK(d->vtable->find(d, buffer->address + 17, &offset) == buffer && offset == 17);
    d->vtable->release(d, buffer);
    fl_buffer *empty = buffer_with(0, NULL);
    CHECK_OK(d->vtable->download(d, 0, empty, 0, 0, back));
    d->vtable->release(d, empty);
}

/* Bytes that programs wrote are uploaded over in part, and read from the middle. */
static void test_parts(void)
{
    const int64_t dims[] = {2, 3};
    const float x[] = {1, 2, 3, 4, 5, 6}, part[] = {20, 30};
    float got[6];
    fl_executable *e = compiled(increment(FL_F32, 2, dims), &(fl_compile_options){.name = "increment"});
    fl_buffer *in = buffer_with(sizeof x, x), *out = buffer_with(sizeof x, NULL);
    const fl_binding from = {.buffer = in}, to = {.buffer = out};
    CHECK_OK(d->vtable->execute(d, 0, e, &from, &to));
    CHECK_OK(d->vtable->download(d, 0, out, 8, 8, got));
    CHECK(got[0] == 4 && got[1] == 5);
    CHECK_OK(d->vtable->upload(d, 0, part, sizeof part, out, 4));
    CHECK_OK(d->vtable->execute(d, 0, e, &to, &to)); /* in place */
    get(out, got, sizeof got);
    const float expected[] = {3, 21, 31, 6, 7, 8};
    CHECK(!memcmp(got, expected, sizeof got));
    d->vtable->release(d, in);
    d->vtable->release(d, out);
    d->vtable->destroy_executable(d, e);
}

/* A few bytes out of the middle of a large array, not even at whole elements. */
static void test_small_part(void)
{
    const int64_t n = 1 << 19;
    float *x = malloc((size_t)n * 4), got[3], expected[3];
    for (int64_t i = 0; i < n; i++) x[i] = (float)i;
    fl_executable *e = compiled(increment(FL_F32, 1, &n), &(fl_compile_options){.name = "increment"});
    fl_buffer *buffer = buffer_with((size_t)n * 4, x);
    const fl_binding bound = {.buffer = buffer};
    CHECK_OK(d->vtable->execute(d, 0, e, &bound, &bound));
    for (int64_t at = 0; at < n - 3; at += 123457) {
        CHECK_OK(d->vtable->download(d, 0, buffer, at * 4, 12, got));
        CHECK(got[0] == (float)(at + 1) && got[2] == (float)(at + 3));
    }
    for (int i = 0; i < 3; i++) expected[i] = (float)(i + 1000);
    CHECK_OK(d->vtable->download(d, 0, buffer, 999 * 4 + 1, 11, (char *)got + 1));
    CHECK(!memcmp((char *)got + 1, (char *)expected + 1, 11));
    CHECK_ERROR(d->vtable->download(d, 0, buffer, n * 4 - 4, 8, got), FL_INVALID, "expected at most");
    d->vtable->release(d, buffer);
    d->vtable->destroy_executable(d, e);
    free(x);
}

/* ---- views ---- */

enum { STORAGE = 96, MOST = 4 };

typedef struct view {
    int64_t strides[MOST], offset;
} view;

static unsigned next_random(void)
{
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33);
}

static int64_t place(const view *v, int rank, const int64_t *dims, int64_t element)
{
    int64_t at = v->offset;
    for (int i = rank - 1; i >= 0; i--) {
        at += element % dims[i] * v->strides[i];
        element /= dims[i];
    }
    return at;
}

static int64_t count_of(int rank, const int64_t *dims)
{
    int64_t n = 1;
    for (int i = 0; i < rank; i++) n *= dims[i];
    return n;
}

/* Strides of a slice of a permuted array, or any. */
static void random_strides(view *v, int rank, const int64_t *dims, int any)
{
    int64_t stride = 1 + next_random() % 2;
    int order[MOST] = {0, 1, 2, 3};
    for (int i = rank - 1; i > 0; i--) {
        int j = (int)(next_random() % (unsigned)(i + 1)), held = order[i];
        order[i] = order[j];
        order[j] = held;
    }
    for (int i = 0; i < rank; i++) {
        int k = order[i];
        v->strides[k] = any ? next_random() % 7 : stride;
        stride *= dims[k] + next_random() % 2;
    }
}

static int is_usable(const view *v, int rank, const int64_t *dims, int written)
{
    int seen[STORAGE] = {0};
    for (int64_t i = 0; i < count_of(rank, dims); i++) {
        int64_t at = place(v, rank, dims, i);
        if (at >= STORAGE || (written && seen[at]++)) return 0;
    }
    return 1;
}

static view random_view(int rank, const int64_t *dims, int written)
{
    view v = {.offset = next_random() % 3 ? next_random() % 20 : 0};
    do random_strides(&v, rank, dims, next_random() % 3 == 0);
    while (!is_usable(&v, rank, dims, written));
    return v;
}

/* One call with a random argument and result, in one storage or two; then the same program with other
 * offsets. */
static void test_view(void)
{
    int rank = (int)(next_random() % (MOST + 1)), same = next_random() % 2;
    int64_t dims[MOST] = {0};
    for (int i = 0; i < rank; i++) dims[i] = 1 + next_random() % 3;
    view in = random_view(rank, dims, 0), out = random_view(rank, dims, 1);
    fl_layout layouts[2] = {{{0}}, {{0}}};
    for (int i = 0; i < rank; i++) {
        layouts[0].strides[i] = in.strides[i];
        layouts[1].strides[i] = out.strides[i];
    }
    fl_executable *e = compiled(increment(FL_I32, rank, dims),
                                &(fl_compile_options){.name = "increment", .inputs = layouts, .outputs = layouts + 1});
    int32_t x[STORAGE], y[STORAGE], got[STORAGE];
    for (int i = 0; i < STORAGE; i++) x[i] = (int)next_random(), y[i] = (int)next_random();
    fl_buffer *from = buffer_with(sizeof x, x), *to = same ? from : buffer_with(sizeof y, y);
    for (int round = 0; round < 2; round++) {
        const fl_binding input = {.buffer = from, .offset = in.offset * 4},
                         output = {.buffer = to, .offset = out.offset * 4};
        CHECK_OK(d->vtable->execute(d, 0, e, &input, &output));
        int32_t before[STORAGE], *written = same ? x : y;
        memcpy(before, x, sizeof x);
        for (int64_t i = 0; i < count_of(rank, dims); i++)
            written[place(&out, rank, dims, i)] = (int32_t)((uint32_t)before[place(&in, rank, dims, i)] + 1u);
        get(to, got, sizeof got);
        CHECK(!memcmp(got, written, sizeof got));
        in.offset += in.offset >
                     0; /* still within: views end well before the storage does, or the next check says so */
        if (!is_usable(&in, rank, dims, 0)) break;
    }
    if (!same) d->vtable->release(d, to);
    d->vtable->release(d, from);
    d->vtable->destroy_executable(d, e);
}

/* ---- memory as another type ---- */

/* Copies `count` elements of one type from memory that was written as another. */
static void test_reinterpretation(fl_dtype written, fl_dtype read)
{
    unsigned char bytes[64], got[64];
    for (int i = 0; i < 64; i++)
        bytes[i] = written == FL_I1 || read == FL_I1 ? i % 3 == 0 : (unsigned char)(i * 5 + 60);
    const fl_dtype types[] = {written, read};
    fl_buffer *in = buffer_with(64, bytes), *middle = buffer_with(64, NULL), *out = buffer_with(64, NULL);
    fl_buffer *chain[] = {in, middle, out};
    for (int i = 0; i < 2;
         i++) { /* the first makes an array of type `written`; a reversed one, to be no mere copy */
        fl_builder b;
        fl_program *program = NULL;
        const int64_t dim = 0, n = 64 / (int64_t)fl_dtype_bytes(types[i]);
        CHECK_OK(fl_builder_init(&b, "reverse"));
        fl_ref y = fl_reverse(&b, fl_parameter(&b, fl_type_make(types[i], 1, &n)), &dim, 1);
        CHECK_OK(fl_builder_finish(&b, &y, 1, &program));
        fl_executable *e = compiled(program, &(fl_compile_options){.name = "reverse"});
        CHECK_OK(d->vtable->execute(d, 0, e, &(fl_binding){.buffer = chain[i]},
                                    &(fl_binding){.buffer = chain[i + 1]}));
        d->vtable->destroy_executable(d, e);
    }
    get(out, got, sizeof got);
    unsigned char expected[64], once[64];
    size_t width = fl_dtype_bytes(written);
    for (size_t i = 0; i < 64 / width; i++) memcpy(once + i * width, bytes + 64 - (i + 1) * width, width);
    width = fl_dtype_bytes(read);
    for (size_t i = 0; i < 64 / width; i++) memcpy(expected + i * width, once + 64 - (i + 1) * width, width);
    CHECK(!memcmp(got, expected, sizeof got));
    for (int i = 0; i < 3; i++) d->vtable->release(d, chain[i]);
}

static void test_reinterpretations(void)
{
    static const fl_dtype pairs[][2] = {
        {FL_F32, FL_I32},   {FL_F32, FL_U8}, {FL_U8, FL_F64}, {FL_F32, FL_C64}, {FL_C64, FL_F32},
        {FL_C128, FL_BF16}, {FL_I1, FL_I64}, {FL_I16, FL_I1}, {FL_C64, FL_F64},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) test_reinterpretation(pairs[i][0], pairs[i][1]);
}

/* ---- the rest of the interface ---- */

/* A value from the host, and two results in halves of one buffer that nothing was written to. */
static void test_values_and_halves(void)
{
    const int64_t n = 3;
    fl_builder b;
    fl_program *program = NULL;
    CHECK_OK(fl_builder_init(&b, "halves"));
    fl_ref s = fl_parameter(&b, fl_type_make(FL_F64, 0, NULL)), x = fl_broadcast_to(&b, s, 1, &n);
    fl_ref results[] = {fl_add(&b, x, fl_iota(&b, fl_type_make(FL_F64, 1, &n), 0)), fl_neg(&b, x)};
    CHECK_OK(fl_builder_finish(&b, results, 2, &program));
    fl_executable *e = compiled(program, &(fl_compile_options){.name = "halves"});
    fl_buffer *out = buffer_with(48, NULL);
    for (int i = 0; i < 2; i++) {
        const double value = 1.5 + i;
        const fl_binding to[] = {{.buffer = out, .offset = 24}, {.buffer = out}};
        CHECK_OK(d->vtable->execute(d, 0, e, &(fl_binding){.host = &value}, to));
        double got[6];
        get(out, got, sizeof got);
        CHECK(got[0] == -value && got[2] == -value && got[3] == value && got[5] == value + 2);
    }
    d->vtable->release(d, out);
    d->vtable->destroy_executable(d, e);
}

/* A maximum of a number and a NaN is a NaN. */
static void test_nan(void)
{
    const int64_t n = 4;
    fl_builder b;
    fl_program *program = NULL;
    CHECK_OK(fl_builder_init(&b, "largest"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 1, &n));
    fl_ref results[] = {fl_max(&b, x, fl_reverse(&b, x, (const int64_t[]){0}, 1)),
                        fl_reduce_all(&b, FL_OP_minimum, x)};
    CHECK_OK(fl_builder_finish(&b, results, 2, &program));
    fl_executable *e = compiled(program, &(fl_compile_options){.name = "largest"});
    const float values[] = {1, 2, 3, __builtin_nanf("")};
    float got[4], least;
    fl_buffer *in = buffer_with(16, values), *out = buffer_with(16, NULL), *smallest = buffer_with(4, NULL);
    const fl_binding to[] = {{.buffer = out}, {.buffer = smallest}};
    CHECK_OK(d->vtable->execute(d, 0, e, &(fl_binding){.buffer = in}, to));
    get(out, got, sizeof got);
    get(smallest, &least, sizeof least);
    CHECK(got[0] != got[0] && got[1] == 3 && got[2] == 3 && got[3] != got[3] && least != least);
    d->vtable->release(d, in);
    d->vtable->release(d, out);
    d->vtable->release(d, smallest);
    d->vtable->destroy_executable(d, e);
}

/* XLA's compiler for CPUs computes vectors of arc tangents wrongly, unless it does not see that they are some. */
static void test_arc_tangents(void)
{
    enum { N = 400 };
    const int64_t n = N;
    fl_builder b;
    fl_program *program = NULL;
    CHECK_OK(fl_builder_init(&b, "angles"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 1, &n));
    fl_ref results[] = {fl_atan(&b, x), fl_atan2(&b, x, fl_full_like(&b, x, 1))};
    CHECK_OK(fl_builder_finish(&b, results, 2, &program));
    fl_executable *e = compiled(program, &(fl_compile_options){.name = "angles"});
    float values[N], got[N];
    for (int i = 0; i < N; i++) values[i] = 0.03f * (float)(i - N / 2);
    fl_buffer *in = buffer_with(sizeof values, values), *out[2];
    fl_binding to[2] = {{0}};
    for (int r = 0; r < 2; r++) to[r].buffer = out[r] = buffer_with(sizeof got, NULL);
    CHECK_OK(d->vtable->execute(d, 0, e, &(fl_binding){.buffer = in}, to));
    for (int r = 0; r < 2; r++) {
        int wrong = 0;
        get(out[r], got, sizeof got);
        for (int i = 0; i < N; i++) wrong += fabs(got[i] - atan(values[i])) > 5e-7;
        CHECK_INT(wrong, 0);
        d->vtable->release(d, out[r]);
    }
    d->vtable->release(d, in);
    d->vtable->destroy_executable(d, e);
}

static void test_check_index(void)
{
    const int64_t n = 4;
    fl_builder b;
    fl_program *program = NULL;
    CHECK_OK(fl_builder_init(&b, "pick"));
    fl_ref index = fl_parameter(&b, fl_type_make(FL_I32, 1, &n));
    fl_ref y = fl_index_select(&b, fl_iota(&b, fl_type_make(FL_F32, 1, &n), 0), 0,
                               fl_check_index(&b, index, 0, 4, "pick"));
    CHECK_OK(fl_builder_finish(&b, &y, 1, &program));
    fl_executable *e = compiled(program, &(fl_compile_options){.name = "pick"});
    const int32_t good[] = {3, 0, 1, 1}, bad[] = {0, 7, -1, 2};
    fl_buffer *in = buffer_with(16, good), *out = buffer_with(16, NULL);
    const fl_binding from = {.buffer = in}, to = {.buffer = out};
    float got[4];
    CHECK_OK(d->vtable->execute(d, 0, e, &from, &to));
    get(out, got, sizeof got);
    CHECK(got[0] == 3 && got[1] == 0 && got[2] == 1 && got[3] == 1);
    CHECK_OK(d->vtable->upload(d, 0, bad, sizeof bad, in, 0));
    CHECK_OK(d->vtable->execute(d, 0, e, &from, &to));
    CHECK_ERROR(d->vtable->synchronize(d, FL_ALL_STREAMS), FL_INDEX,
                "pick: index 7 is out of bounds for dimension with size 4");
    CHECK_OK(d->vtable->synchronize(d, FL_ALL_STREAMS));
    d->vtable->release(d, in);
    d->vtable->release(d, out);
    d->vtable->destroy_executable(d, e);
}

static void test_events(void)
{
    const int64_t n = 1 << 16;
    fl_executable *e = compiled(increment(FL_F32, 1, &n), &(fl_compile_options){.name = "increment"});
    fl_buffer *buffer = buffer_with(4u << 16, NULL);
    fl_event *before = fl_event_create(), *after = fl_event_create();
    CHECK_OK(d->vtable->synchronize(d, FL_ALL_STREAMS));
    CHECK(d->vtable->idle(d, FL_ALL_STREAMS));
    CHECK_OK(d->vtable->record(d, 0, before));
    CHECK(fl_event_done(before));
    const fl_binding bound = {.buffer = buffer};
    for (int i = 0; i < 100; i++) CHECK_OK(d->vtable->execute(d, 0, e, &bound, &bound));
    CHECK_OK(d->vtable->record(d, 0, after));
    fl_event_wait(after);
    CHECK(fl_event_time(after) >= fl_event_time(before));
    float last;
    CHECK_OK(d->vtable->download(d, 0, buffer, (n - 1) * 4, 4, &last));
    CHECK(last == 100); /* memory that was never written reads as zeros */
    CHECK(d->vtable->idle(d, FL_ALL_STREAMS));
    fl_event_release(before);
    fl_event_release(after);
    d->vtable->release(d, buffer);
    d->vtable->destroy_executable(d, e);
}

static void test_memory(void)
{
    fl_memory_stats stats, with;
    fl_buffer *huge = NULL;
    d->vtable->memory_stats(d, &stats);
    CHECK_INT(stats.active_count, 0); /* every test gave back what it took */
    fl_buffer *buffer = buffer_with(1000, NULL);
    d->vtable->memory_stats(d, &with);
    CHECK_INT(with.requested, stats.requested + 1000);
    CHECK_INT(with.active_count, 1);
    CHECK_ERROR(d->vtable->allocate(d, 0, (size_t)d->capacity + (64u << 10) + 1, &huge), FL_OOM,
                "device out of memory");
    d->vtable->release(d, buffer);
    d->vtable->trim(d);
    d->vtable->reset_peak(d);
}

/* What XLA's plugins refuse, and what is refused before it reaches a plugin. */
static void test_refusals(void)
{
    static const fl_entry partitions[] = {
        {"mhlo.num_partitions", {.kind = FL_LIT_INT, .dtype = FL_I32, .u.i = 2}}};
    static const fl_literal attrs = {.kind = FL_LIT_DICT, .count = 1, .u.entries = partitions};
    const int64_t n = 4;
    fl_executable *e = NULL;
    fl_program *program = increment(FL_F32, 1, &n);
    program->module_attrs = &attrs;
    const fl_compile_options options = {.name = "increment"};
    CHECK_ERROR(d->vtable->compile(d, program, &options, &e), FL_UNSUPPORTED, "1 replicas of 2 partitions");
    fl_program_destroy(program);
    CHECK(!e);
    fl_builder b;
    CHECK_OK(fl_builder_init(&b, "call"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 1, &n));
    const fl_attr target = {.key = FL_ATTR_call_target_name, .count = 4, .u.string = "nope"};
    fl_ref y = fl_build_typed(&b, FL_OP_custom_call, &x, 1, &target, 1, NULL, 0, fl_typeof(&b, x), 1);
    CHECK_OK(fl_builder_finish(&b, &y, 1, &program));
    CHECK_ERROR(d->vtable->compile(d, program, &(fl_compile_options){.name = "call"}, &e), FL_UNSUPPORTED,
                "nope");
    fl_program_destroy(program);
}

/* A child says that it cannot use the device, or it can, where the plugin says so; and the parent goes on. */
static void in_child(fl_buffer *buffer)
{
    char got[4];
    if (fl_pjrt_self(d)->plugin->survives_fork) {
        get(buffer, got, 4);
        CHECK_STRING(got, "abc");
#if !defined(__SANITIZE_THREAD__) /* the thread sanitizer does not follow threads into a forked child */
        test_view();
#endif
    } else {
        CHECK_ERROR(d->vtable->download(d, 0, buffer, 0, 4, got), FL_INVALID,
                    "cannot be used in a forked process");
        CHECK_ERROR(d->vtable->synchronize(d, FL_ALL_STREAMS), FL_INVALID, "forked process");
    }
    CHECK(d->vtable->idle(d, FL_ALL_STREAMS));
    d->vtable->release(d, buffer);
}

static void test_fork(void)
{
    fl_buffer *buffer = buffer_with(4, "abc");
    pid_t child = fork();
    if (!child) {
        in_child(buffer);
        _exit(check_failures != 0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0);
    char got[4];
    get(buffer, got, 4);
    CHECK_STRING(got, "abc");
    d->vtable->release(d, buffer);
}

int main(void)
{
    const char *plugin = getenv("FL_PJRT_PLUGIN");
    if (!plugin || !*plugin) {
        fprintf(stderr, "SKIPPED: no plugin to test with: set FL_PJRT_PLUGIN\n");
        return 77;
    }
    CHECK_OK(fl_pjrt_device_create(plugin, 0, &d));
    if (!d) return 1;
    test_description();
    test_copies();
    test_parts();
    test_small_part();
    for (int i = 0; i < 60; i++) test_view();
    test_reinterpretations();
    test_values_and_halves();
    test_nan();
    test_arc_tangents();
    test_check_index();
    test_events();
    test_refusals();
    test_fork();
    test_memory();
    d->vtable->destroy(d);
    return check_result();
}
