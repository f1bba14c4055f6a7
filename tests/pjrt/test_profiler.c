/* The profiler extension: what it records of executions, read back as protobuf, and what it refuses. */
#include "calls.h"
#include "pjrt/proto.h"

#include <stdlib.h>

static const PLUGIN_Profiler_Api *profiler_api(void)
{
    for (const PJRT_Extension_Base *e = api->extension_start; e; e = e->next)
        if (e->type == PJRT_Extension_Type_Profiler)
            return ((const PJRT_Profiler_Extension *)e)->profiler_api;
    return NULL;
}

#define PROFILER(x, name, function, ...)                                                                     \
    name##_Args x = {.struct_size = name##_Args_STRUCT_SIZE, __VA_ARGS__};                                   \
    CHECK(!profiler->function(&x))

static void execute(PJRT_LoadedExecutable *loaded, PJRT_Buffer *x)
{
    PJRT_Buffer *result;
    float out[3];
    CHECK_INT(run(loaded, &x, 1, &result), 0);
    CHECK_INT(get(result, out, sizeof out), 0);
    CHECK(out[2] == 6);
    drop(result);
}

/* The first field of that number within the message. */
static fl_proto inner(fl_proto message, uint32_t number)
{
    fl_proto_field f;
    while (fl_proto_next(&message, &f))
        if (f.number == number) return f.bytes;
    return (fl_proto){0};
}

static int count(fl_proto message, uint32_t number)
{
    fl_proto_field f;
    int n = 0;
    while (fl_proto_next(&message, &f)) n += f.number == number;
    return n;
}

static void check_text(fl_proto bytes, const char *expected)
{
    CHECK_INT(bytes.end - bytes.at, strlen(expected));
    CHECK(bytes.at && !memcmp(bytes.at, expected, strlen(expected)));
}

/* The line's events, in picoseconds from its begin: each within the run of the test. */
static int count_events(fl_proto line)
{
    fl_proto_field f, g;
    int n = 0;
    while (fl_proto_next(&line, &f))
        for (fl_proto event = f.bytes; f.number == 4 && fl_proto_next(&event, &g);) {
            if (g.number == 2 || g.number == 3) CHECK(g.value < 60ull * 1000000000 * 1000);
            n += g.number == 3;
        }
    return n;
}

static void check_space(const void *data, size_t size)
{
    fl_proto space = fl_proto_of(data, size), plane = inner(space, 1), rest = plane;
    CHECK_INT(count(space, 1), 1); /* one device has run anything */
    check_text(inner(plane, 2), "/device:TPU:0");
    static const char *const lines[] = {"XLA Modules", "XLA Ops"};
    int seen = 0;
    for (fl_proto_field f; fl_proto_next(&rest, &f);) {
        if (f.number != 3) continue;
        check_text(inner(f.bytes, 2), lines[seen]);
        CHECK_INT(count_events(f.bytes), 2); /* executions; a step each */
        if (++seen == 2) break;
    }
    CHECK_INT(seen, 2);
    CHECK_INT(count(plane, 4), 2); /* a program, a step */
    int programs = 0;
    for (fl_proto_field f; fl_proto_next(&plane, &f);) {
        if (f.number != 4) continue;
        fl_proto name = inner(inner(f.bytes, 2), 2);
        programs += name.end - name.at == 5 && !memcmp(name.at, "twice", 5);
    }
    CHECK_INT(programs, 1);
}

static void test_profile(PJRT_Client *client, const PLUGIN_Profiler_Api *profiler)
{
    static const float values[] = {1, 2, 3};
    PJRT_LoadedExecutable *loaded = compile_text(
        client, "module @twice {\nfunc.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                "  %0 = stablehlo.add %x, %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n}\n");
    PJRT_Buffer *x = put(client, PJRT_Buffer_Type_F32, values, (int64_t[]){3}, 1);
    PROFILER(create, PLUGIN_Profiler_Create, create, .options = NULL);
    execute(loaded, x); /* before, not recorded */
    PROFILER(start, PLUGIN_Profiler_Start, start, .profiler = create.profiler);
    execute(loaded, x);
    execute(loaded, x);
    PROFILER(stop, PLUGIN_Profiler_Stop, stop, .profiler = create.profiler);
    execute(loaded, x); /* after */
    PROFILER(size, PLUGIN_Profiler_CollectData, collect_data, .profiler = create.profiler);
    check_space(size.buffer, size.buffer_size_in_bytes); /* ours */
    uint8_t *space = malloc(size.buffer_size_in_bytes + 1);
    PROFILER(data, PLUGIN_Profiler_CollectData, collect_data, .profiler = create.profiler, .buffer = space,
             .buffer_size_in_bytes = size.buffer_size_in_bytes);
    check_space(space, size.buffer_size_in_bytes);
    free(space);
    PROFILER(consume, PLUGIN_Profiler_Consume, consume, .profiler = create.profiler);
    PROFILER(serialize, PLUGIN_Profiler_Serialize, serialize, .consume_result = consume.result);
    check_space(serialize.serialized_bytes, serialize.serialized_size);
    PROFILER(consumed, PLUGIN_Profiler_ConsumeResult_Destroy, consume_result_destroy,
             .consume_result = consume.result);
    PROFILER(destroy, PLUGIN_Profiler_Destroy, destroy, .profiler = create.profiler);
    drop(x);
    unload(loaded);
}

static void test_refused(const PLUGIN_Profiler_Api *profiler)
{
    PROFILER(first, PLUGIN_Profiler_Create, create, .options = NULL);
    PROFILER(second, PLUGIN_Profiler_Create, create, .options = NULL);
    PROFILER(running, PLUGIN_Profiler_Start, start, .profiler = first.profiler);
    PLUGIN_Profiler_Start_Args none = {0}, other = {.profiler = second.profiler};
    PLUGIN_Profiler_Serialize_Args nothing = {0};
    PLUGIN_Profiler_Error *errors[] = {profiler->create(NULL),  profiler->start(NULL),
                                       profiler->start(&none),  profiler->stop(NULL),
                                       profiler->consume(NULL), profiler->collect_data(NULL),
                                       profiler->start(&other), profiler->serialize(&nothing)};
    static const int codes[] = {3, 3, 3, 3, 3, 3, 9, 3};
    for (int i = 0; i < 8; i++) {
        CHECK(errors[i]);
        PLUGIN_Profiler_Error_Message_Args text = {
            .struct_size = PLUGIN_Profiler_Error_Message_Args_STRUCT_SIZE, .error = errors[i]};
        profiler->error_message(&text);
        CHECK(text.message_size && !strncmp(text.message, "expected", 8));
        PROFILER(code, PLUGIN_Profiler_Error_GetCode, error_get_code, .error = errors[i]);
        CHECK_INT(code.code, codes[i]);
    }
    PROFILER(one, PLUGIN_Profiler_Destroy, destroy, .profiler = first.profiler); /* while it runs */
    PROFILER(two, PLUGIN_Profiler_Destroy, destroy, .profiler = second.profiler);
    PROFILER(destroy, PLUGIN_Profiler_Destroy, destroy, .profiler = NULL);
}

int main(void)
{
    setenv("FL_TPU", "v5e", 1);
    setenv("FL_PROFILER_TABLE", "104", 1);
    api = fl_plugin_api();
    const PLUGIN_Profiler_Api *profiler = profiler_api();
    CHECK(profiler);
    if (profiler) {
        PJRT_Client *client = open_client();
        test_profile(client, profiler);
        close_client(client);
        test_refused(profiler);
    }
    return check_result();
}
