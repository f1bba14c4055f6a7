/* The client over plugins of all versions and with all errors: copies of the stub (FL_PJRT_STUB) that answer as they are told. */
#include "check.h"
#include "ir/build.h"
#include "pjrt/client.h"
#include "pjrt/client_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/flambeau_stub_XXXXXX";

static void set(const char *name, int value)
{
    char text[20];
    snprintf(text, sizeof text, "%d", value);
    setenv(name, text, 1);
}

/* A library of its own: plugins are loaded once by path, and by file. */
static const char *copy_stub(int number)
{
    static char path[100];
    char buffer[1 << 16];
    snprintf(path, sizeof path, "%s/stub%d.so", folder, number);
    FILE *from = fopen(getenv("FL_PJRT_STUB"), "rb"), *to = fopen(path, "wb");
    CHECK(from && to);
    if (!from || !to) exit(1);
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, from)) > 0;) CHECK(fwrite(buffer, 1, n, to) == n);
    fclose(from);
    fclose(to);
    return path;
}

static fl_status open_stub(int minor, int oldest, fl_device **out)
{
    static int copies;
    set("STUB_MINOR", minor);
    set("STUB_OLDEST", oldest);
    return fl_pjrt_device_create(copy_stub(copies++), 0, out);
}

/* y = x: what the stub computes. */
static fl_status compile_identity(fl_device *d, fl_executable **out)
{
    const int64_t four = 4;
    fl_builder b;
    fl_program *program = NULL;
    CHECK_OK(fl_builder_init(&b, "identity"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 1, &four));
    CHECK_OK(fl_builder_finish(&b, &x, 1, &program));
    fl_status status = d->vtable->compile(d, program, &(fl_compile_options){.name = "identity"}, out);
    fl_program_destroy(program);
    return status;
}

static void use(fl_device *d)
{
    const float x[4] = {1, 2, 3, 4};
    float y[4] = {0};
    fl_buffer *in, *out;
    fl_executable *e = NULL;
    CHECK_STRING(d->name, "Stub (PJRT stub)");
    CHECK_STRING(
        d->attributes,
        "{\"platform\": \"stub\", \"platform_version\": \"1\", \"word\": \"a \\\"word\\\"\\u000a\"}");
    CHECK_OK(d->vtable->allocate(d, 0, sizeof x, &in));
    CHECK_OK(d->vtable->allocate(d, 0, sizeof x, &out));
    CHECK_OK(d->vtable->upload(d, 0, x, sizeof x, in, 0));
    CHECK_OK(compile_identity(d, &e));
    const fl_binding from = {.buffer = in}, to = {.buffer = out};
    if (e) CHECK_OK(d->vtable->execute(d, 0, e, &from, &to));
    CHECK_OK(d->vtable->download(d, 0, out, 0, sizeof y, y));
    CHECK(!memcmp(x, y, sizeof x));
    CHECK_OK(d->vtable->synchronize(d, FL_ALL_STREAMS));
    d->vtable->release(d, in);
    d->vtable->release(d, out);
    d->vtable->destroy_executable(d, e);
    d->vtable->destroy(d);
}

static void test_versions(void)
{
    static const int minors[] = {29, 40, 54, 66, 81, 98, 99, 107, 114, 115, 117, 200};
    fl_device *d = NULL;
    for (size_t i = 0; i < sizeof minors / sizeof *minors; i++) {
        CHECK_OK(open_stub(minors[i], minors[i] < 54, &d));
        use(d);
    }
    CHECK_ERROR(open_stub(28, 1, &d), FL_UNSUPPORTED, "expected PJRT API version 0.29 or newer, got 0.28");
    setenv("STUB_MAJOR", "1", 1);
    CHECK_ERROR(open_stub(114, 0, &d), FL_UNSUPPORTED, "got 1.114");
    unsetenv("STUB_MAJOR");
}

/* Compiling turns all but exhausted memory into NotImplementedError: the program is valid, the plugin does not take it. */
static const struct {
    PJRT_Error_Code code;
    fl_code plain;
    const char *name; /* in the message */
} errors[] = {
    {PJRT_Error_Code_CANCELLED, FL_INTERNAL, "CANCELLED: "},
    {PJRT_Error_Code_UNKNOWN, FL_INTERNAL, ""},
    {PJRT_Error_Code_INVALID_ARGUMENT, FL_INVALID, ""},
    {PJRT_Error_Code_DEADLINE_EXCEEDED, FL_INTERNAL, "DEADLINE_EXCEEDED: "},
    {PJRT_Error_Code_NOT_FOUND, FL_INVALID, "NOT_FOUND: "},
    {PJRT_Error_Code_ALREADY_EXISTS, FL_INVALID, "ALREADY_EXISTS: "},
    {PJRT_Error_Code_PERMISSION_DENIED, FL_INVALID, "PERMISSION_DENIED: "},
    {PJRT_Error_Code_RESOURCE_EXHAUSTED, FL_OOM, ""},
    {PJRT_Error_Code_FAILED_PRECONDITION, FL_INVALID, "FAILED_PRECONDITION: "},
    {PJRT_Error_Code_ABORTED, FL_INTERNAL, "ABORTED: "},
    {PJRT_Error_Code_OUT_OF_RANGE, FL_INDEX, ""},
    {PJRT_Error_Code_UNIMPLEMENTED, FL_UNSUPPORTED, ""},
    {PJRT_Error_Code_INTERNAL, FL_INTERNAL, ""},
    {PJRT_Error_Code_UNAVAILABLE, FL_INTERNAL, "UNAVAILABLE: "},
    {PJRT_Error_Code_DATA_LOSS, FL_INTERNAL, "DATA_LOSS: "},
    {PJRT_Error_Code_UNAUTHENTICATED, FL_INVALID, "UNAUTHENTICATED: "},
    {(PJRT_Error_Code)99, FL_INTERNAL, ""},
};

static void test_errors(int minor, const char *payload)
{
    fl_device *d = NULL;
    CHECK_OK(open_stub(minor, 0, &d));
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        char expected[200];
        fl_executable *e;
        set("STUB_CODE", (int)errors[i].code);
        snprintf(expected, sizeof expected, "identity: %swhat the stub says%s", errors[i].name, payload);
        fl_code code = errors[i].plain == FL_OOM ? FL_OOM : FL_UNSUPPORTED;
        fl_status status = compile_identity(d, &e);
        CHECK(fl_status_code(status) == code);
        CHECK_STRING(fl_status_message(status), expected);
        fl_status_free(status);
    }
    unsetenv("STUB_CODE");
    d->vtable->destroy(d);
}

/* The codes themselves, through the function that all calls go through. */
static void test_codes(void)
{
    const PJRT_Api *api = NULL;
    fl_device *d = NULL;
    CHECK_OK(open_stub(114, 0, &d));
    fl_pjrt_plugin *plugin;
    char path[100];
    snprintf(path, sizeof path, "%s", copy_stub(1000));
    CHECK_OK(fl_pjrt_plugin_get(path, &plugin));
    api = plugin->api;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        set("STUB_CODE", (int)errors[i].code);
        FL_PJRT_CALL(args, PJRT_Client_Compile, .client = plugin->client);
        fl_status status = fl_pjrt_error(api, api->PJRT_Client_Compile(&args), "");
        CHECK(fl_status_code(status) == errors[i].plain);
        CHECK(!strncmp(fl_status_message(status), errors[i].name, strlen(errors[i].name)));
        fl_status_free(status);
    }
    unsetenv("STUB_CODE");
    d->vtable->destroy(d);
}

int main(void)
{
    char command[100];
    if (!getenv("FL_PJRT_STUB")) {
        printf("FL_PJRT_STUB does not name the stub\n");
        return 77;
    }
    CHECK(mkdtemp(folder));
    test_versions();
    test_errors(114, " [type.googleapis.com/stub: line 7]");
    test_errors(98, "");
    test_codes();
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(!system(command));
    return check_result();
}
