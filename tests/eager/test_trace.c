/* Recording without PyTorch: who owns what when buffers go away, and what becomes an argument. Values are checked from Python. */
#include "check.h"
#include "eager/trace.h"
#include "flambeau.h"

#include <stdlib.h>
#include <string.h>

enum { LARGE = 40000 };

static fl_buffer *allocate(fl_device *d, size_t bytes)
{
    fl_buffer *buffer = NULL;
    CHECK_OK(d->vtable->allocate(d, 0, bytes, &buffer));
    if (!buffer) exit(1);
    return buffer;
}

/* y = x + x, of n floats. */
static fl_executable *doubled(fl_device *d, int64_t n)
{
    fl_builder b;
    fl_program *program = NULL;
    fl_executable *e = NULL;
    CHECK_OK(fl_builder_init(&b, "doubled"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 1, &n)), y = fl_add(&b, x, x);
    CHECK_OK(fl_builder_finish(&b, &y, 1, &program));
    CHECK_OK(d->vtable->compile(d, program, &(fl_compile_options){.name = "doubled"}, &e));
    fl_program_destroy(program);
    return e;
}

static void run(fl_device *d, fl_executable *e, fl_buffer *from, fl_buffer *to)
{
    const fl_binding in = {.buffer = from}, out = {.buffer = to};
    CHECK_OK(d->vtable->execute(d, 0, e, &in, &out));
}

static fl_trace *begin(fl_device **out)
{
    fl_trace *t = NULL;
    CHECK_OK(fl_trace_begin(0, &t));
    CHECK_OK(fl_device_get(0, out));
    CHECK(!strcmp((*out)->vtable->kind, "recorder") && fl_device_is_replaced(0));
    return t;
}

static void test_arguments_outlive_their_buffers(void)
{
    const int64_t n = 4, strides[] = {1};
    fl_device *d;
    fl_program *program = NULL;
    fl_trace *t = begin(&d), *second = NULL;
    CHECK_ERROR(fl_trace_begin(0, &second), FL_INVALID, "being traced");
    fl_buffer *x = allocate(d, 16), *y = allocate(d, 16);
    const fl_tensor argument = {.buffer = x, .sizes = &n, .strides = strides, .dtype = FL_F32, .rank = 1};
    const fl_tensor result = {.buffer = y, .sizes = &n, .strides = strides, .dtype = FL_F32, .rank = 1};
    CHECK_OK(fl_trace_argument(t, &argument, "x"));
    CHECK_ERROR(fl_trace_argument(t, &argument, "x"), FL_INVALID, "expected a new dense tensor");
    fl_executable *e = doubled(d, n);
    run(d, e, x, y);
    run(d, e, x, x); /* in place, and then nobody has it any more */
    d->vtable->release(d, x);
    CHECK_OK(fl_trace_finish(t, &result, NULL, 1, &program));
    CHECK(!fl_device_is_replaced(0));
    CHECK(program && program->main->arg_count == 1 && program->main->result_count == 1);
    fl_program_destroy(program);
    CHECK_ERROR(d->vtable->download(d, 0, y, 0, 16, &(float[4]){0}), FL_INVALID, "holds no value");
    d->vtable->release(d, y);
    d->vtable->destroy_executable(d, e);
}

static void test_captured_buffers(void)
{
    const int64_t n = LARGE, strides[] = {1};
    static float data[LARGE], back[LARGE];
    fl_device *real, *d;
    fl_program *program = NULL;
    CHECK_OK(fl_device_get(0, &real));
    fl_buffer *kept = allocate(real, sizeof data), *other = allocate(real, sizeof data);
    CHECK_OK(real->vtable->upload(real, 0, data, sizeof data, kept, 0));
    fl_trace *t = begin(&d);
    fl_executable *e = doubled(d, n);
    memset(data, 1, sizeof data);
    run(d, e, other, other);
    CHECK_OK(d->vtable->upload(d, 0, data, sizeof data, kept, 0)); /* large: an argument of its own */
    run(d, e, kept, kept);
    CHECK_ERROR(d->vtable->download(d, 0, kept, 0, 4, back), FL_INVALID, "reads what a tensor holds");
    const fl_tensor result = {.buffer = kept, .sizes = &n, .strides = strides, .dtype = FL_F32, .rank = 1};
    CHECK_OK(fl_trace_finish(t, &result, NULL, 1, &program));
    CHECK(program && program->main->arg_count == 3 && program->main->result_count == 3);
    fl_program_destroy(program);
    CHECK_OK(real->vtable->download(real, 0, kept, 0, sizeof back, back)); /* nothing ran */
    CHECK(back[0] == 0 && back[LARGE - 1] == 0);
    real->vtable->release(real, kept);
    real->vtable->release(real, other);
    d->vtable->destroy_executable(d, e);
}

static void test_abandoned(void)
{
    fl_device *d;
    fl_trace *t = begin(&d);
    fl_buffer *x = allocate(d, 16), *late = allocate(d, 16);
    CHECK_OK(d->vtable->upload(d, 0, &(float[4]){1, 2, 3, 4}, 16, x, 0));
    fl_executable *e = doubled(d, 4);
    run(d, e, x, late);
    fl_trace_abandon(t);
    fl_trace_abandon(NULL);
    const fl_binding in = {.buffer = x}, out = {.buffer = late};
    CHECK_ERROR(d->vtable->execute(d, 0, e, &in, &out), FL_INVALID, "holds no value");
    t = begin(&d);
    CHECK_ERROR(d->vtable->execute(d, 0, e, &in, &out), FL_INVALID, "another function was traced");
    fl_trace_abandon(t);
    d->vtable->release(d, x);
    d->vtable->release(d, late);
    d->vtable->destroy_executable(d, e);
    CHECK_ERROR(fl_trace_begin(99, &t), FL_INVALID, "invalid device index");
}

int main(void)
{
    CHECK(fl_engine_get(1)); /* it knows of the embedded device */
    test_arguments_outlive_their_buffers();
    test_captured_buffers();
    test_abandoned();
    return check_result();
}
