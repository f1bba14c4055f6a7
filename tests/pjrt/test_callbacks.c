/* Callbacks of the host: send and recv of a program, and the functions that a client gives for them. */
#include "calls.h"

#include <pthread.h>
#include <stdlib.h>

#define SEND(channel, value, from, to)                                                                       \
    "  " to " = \"stablehlo.send\"(" value ", " from                                                         \
    ") {channel_handle = #stablehlo.channel_handle<handle = " #channel                                       \
    ", type = 2>, is_host_transfer = true} : (tensor<4xi32>, !stablehlo.token) -> !stablehlo.token\n"
#define RECV(channel, value, from)                                                                           \
    "  " value ":2 = \"stablehlo.recv\"(" from                                                               \
    ") {channel_handle = #stablehlo.channel_handle<handle = " #channel                                       \
    ", type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<4xi32>, !stablehlo.token)\n"

#define ECHO                                                                                                 \
    "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"                                                \
    "  %t = stablehlo.create_token : !stablehlo.token\n" SEND(5, "%x", "%t", "%s") RECV(                     \
        6, "%r", "%s") "  %y = stablehlo.add %r#0, %x : tensor<4xi32>\n  return %y : tensor<4xi32>\n}\n"
/* Nobody uses what the loop computes, but it sends. */
#define LOOP                                                                                                 \
    "func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n"                                                \
    "  %one = stablehlo.constant dense<1> : tensor<4xi32>\n"                                                 \
    "  %i = stablehlo.constant dense<0> : tensor<i32>\n"                                                     \
    "  %n = stablehlo.constant dense<3> : tensor<i32>\n"                                                     \
    "  %u = stablehlo.constant dense<1> : tensor<i32>\n"                                                     \
    "  %w:2 = stablehlo.while(%k = %i, %v = %x) : tensor<i32>, tensor<4xi32>\n"                              \
    "   cond {\n    %c = stablehlo.compare LT, %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"          \
    "    stablehlo.return %c : tensor<i1>\n   } do {\n"                                                      \
    "  %t = stablehlo.create_token : !stablehlo.token\n" SEND(                                               \
        5, "%v", "%t", "%s") "    %m = stablehlo.add %v, %one : tensor<4xi32>\n    %j = stablehlo.add %k, "  \
                             "%u : tensor<i32>\n"                                                            \
                             "    stablehlo.return %j, %m : tensor<i32>, tensor<4xi32>\n   }\n"              \
                             "  %y = stablehlo.add %x, %x : tensor<4xi32>\n  return %y : tensor<4xi32>\n}\n"

static const int64_t four[] = {4};
static const int32_t input[] = {1, 20, 300, 4000};

/* What the callbacks do, and what they saw. */
typedef struct host {
    int32_t sent[16][4];
    int sends, recvs;
    int fail, chunks, threaded;
    size_t give; /* bytes that recv gives */
    pthread_t thread;
    PJRT_CopyToDeviceStream *stream;
    int freed; /* chunks given back */
} host;

static PJRT_Error *on_send(PJRT_Chunk *chunk, PJRT_CallbackError *error, size_t total, bool done, void *user)
{
    host *h = user;
    CHECK_INT(chunk->size, sizeof input);
    CHECK_INT(total, sizeof input);
    CHECK(done);
    if (h->sends < 16) memcpy(h->sent[h->sends], chunk->data, sizeof input);
    h->sends++;
    chunk->deleter(chunk->data, chunk->deleter_arg);
    return h->fail ? (*error)(PJRT_Error_Code_DATA_LOSS, "the dog ate it", 14) : NULL;
}

static void free_chunk(void *data, void *user)
{
    ((host *)user)->freed++;
    free(data);
}

static PJRT_Error_Code add(host *h, const void *data, size_t size)
{
    PJRT_Chunk chunk = {.data = malloc(size + 1), .size = size, .deleter = free_chunk, .deleter_arg = h};
    memcpy(chunk.data, data, size);
    ARGS(more, PJRT_CopyToDeviceStream_AddChunk, .stream = h->stream, .chunk = &chunk);
    PJRT_Error_Code code = code_of(api->PJRT_CopyToDeviceStream_AddChunk(&more));
    if (code) return code;
    OK(wait, PJRT_Event_Await, .event = more.transfer_complete);
    OK(destroy, PJRT_Event_Destroy, .event = more.transfer_complete);
    return code;
}

static void *give(void *user)
{
    host *h = user;
    int32_t answer[8];
    for (int i = 0; i < 8; i++) answer[i] = 7 * (i + 1);
    OK(total, PJRT_CopyToDeviceStream_TotalBytes, .stream = h->stream);
    OK(granule, PJRT_CopyToDeviceStream_GranuleSize, .stream = h->stream);
    CHECK_INT(total.total_bytes, sizeof input);
    CHECK_INT(granule.granule_size_in_bytes, 1);
    size_t each = h->give / (size_t)h->chunks;
    for (int i = 0; i < h->chunks; i++) {
        PJRT_Error_Code code = add(h, (char *)answer + (size_t)i * each, each);
        CHECK_INT(code, h->give <= sizeof input ? PJRT_Error_Code_OK : PJRT_Error_Code_INVALID_ARGUMENT);
        OK(current, PJRT_CopyToDeviceStream_CurrentBytes, .stream = h->stream);
        CHECK_INT(current.current_bytes, code ? 0 : (size_t)(i + 1) * each);
    }
    FAIL(INVALID_ARGUMENT, PJRT_CopyToDeviceStream_AddChunk, .stream = h->stream);
    OK(destroy, PJRT_CopyToDeviceStream_Destroy, .stream = h->stream);
    return NULL;
}

static void on_recv(PJRT_CopyToDeviceStream *stream, void *user)
{
    host *h = user;
    h->recvs++;
    h->stream = stream;
    if (h->threaded)
        CHECK_INT(pthread_create(&h->thread, NULL, give, h), 0);
    else
        give(h);
}

/* The code of the execution or of its result, which is left in `out`. */
static PJRT_Error_Code run_with(PJRT_Client *client, PJRT_LoadedExecutable *executable, host *h, int sends,
                                int recvs, int32_t *out)
{
    PJRT_SendCallbackInfo send[] = {{99, h, on_send}, {5, h, on_send}}, *send_lists[] = {send};
    PJRT_RecvCallbackInfo recv[] = {{99, h, on_recv}, {6, h, on_recv}}, *recv_lists[] = {recv};
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE,
                                   .send_callbacks = send_lists,
                                   .recv_callbacks = recv_lists,
                                   .num_send_ops = (size_t)sends,
                                   .num_recv_ops = (size_t)recvs};
    PJRT_Buffer *inputs[] = {put(client, PJRT_Buffer_Type_S32, input, four, 1)}, *results[1] = {NULL};
    PJRT_Buffer *const *input_lists[] = {inputs}, **result_lists[] = {results};
    ARGS(execute, PJRT_LoadedExecutable_Execute, .executable = executable, .options = &options,
         .argument_lists = input_lists, .num_devices = 1, .num_args = 1, .output_lists = result_lists);
    PJRT_Error_Code code = code_of(api->PJRT_LoadedExecutable_Execute(&execute));
    memset(send, 0, sizeof send); /* the lists are the caller's again */
    memset(recv, 0, sizeof recv);
    if (!code) code = get(results[0], out, sizeof input);
    char kept[sizeof said];
    memcpy(kept, said, sizeof said);
    if (results[0]) drop(results[0]);
    drop(inputs[0]);
    memcpy(said, kept, sizeof said);
    return code;
}

static void test_echo(PJRT_Client *client)
{
    PJRT_LoadedExecutable *echo = compile_text(client, ECHO);
    for (int threaded = 0; threaded < 2; threaded++)
        for (int chunks = 1; chunks <= 16; chunks *= 4) {
            host h = {.chunks = chunks, .threaded = threaded, .give = sizeof input};
            int32_t out[4] = {0};
            CHECK_INT(run_with(client, echo, &h, 2, 2, out), PJRT_Error_Code_OK);
            if (threaded) pthread_join(h.thread, NULL);
            CHECK(h.sends == 1 && h.recvs == 1 && h.freed == chunks);
            CHECK(!memcmp(h.sent[0], input, sizeof input));
            for (int i = 0; i < 4; i++) CHECK_INT(out[i], input[i] + 7 * (i + 1));
        }
    unload(echo);
}

static void test_errors(PJRT_Client *client)
{
    PJRT_LoadedExecutable *echo = compile_text(client, ECHO);
    int32_t out[4];
    host failing = {.fail = 1};
    CHECK_INT(run_with(client, echo, &failing, 2, 2, out), PJRT_Error_Code_DATA_LOSS);
    CHECK(strstr(said, "the dog ate it") != NULL);
    CHECK(failing.sends == 1 && !failing.recvs);
    host none = {0};
    CHECK_INT(run_with(client, echo, &none, 0, 0, out), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK(strstr(said, "channel 5") != NULL);
    CHECK_INT(run_with(client, echo, &none, 2, 1, out), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK(strstr(said, "channel 6") != NULL);
    for (int threaded = 0; threaded < 2; threaded++) {
        host few = {.chunks = 1, .threaded = threaded, .give = 8},
             many = {.chunks = 1, .threaded = threaded, .give = 32};
        CHECK_INT(run_with(client, echo, &few, 2, 2, out), PJRT_Error_Code_INVALID_ARGUMENT);
        CHECK(strstr(said, "expected 16 bytes from the host, got 8") != NULL);
        if (threaded) pthread_join(few.thread, NULL);
        CHECK_INT(run_with(client, echo, &many, 2, 2, out), PJRT_Error_Code_INVALID_ARGUMENT);
        if (threaded) pthread_join(many.thread, NULL);
        CHECK_INT(many.freed, 1);
    }
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE, .num_send_ops = 1};
    PJRT_Buffer *inputs[] = {put(client, PJRT_Buffer_Type_S32, input, four, 1)}, *results[1];
    PJRT_Buffer *const *input_lists[] = {inputs}, **result_lists[] = {results};
    FAIL(INVALID_ARGUMENT, PJRT_LoadedExecutable_Execute, .executable = echo, .options = &options,
         .argument_lists = input_lists, .num_devices = 1, .num_args = 1, .output_lists = result_lists);
    options.num_send_ops = SIZE_MAX / 8;
    options.num_recv_ops = SIZE_MAX / 2;
    PJRT_SendCallbackInfo nothing[1] = {{0}}, *lists[] = {nothing};
    PJRT_RecvCallbackInfo no_recv[1] = {{0}}, *recv_lists[] = {no_recv};
    options.send_callbacks = lists;
    options.recv_callbacks = recv_lists;
    FAIL(INVALID_ARGUMENT, PJRT_LoadedExecutable_Execute, .executable = echo, .options = &options,
         .argument_lists = input_lists, .num_devices = 1, .num_args = 1, .output_lists = result_lists);
    options.num_send_ops = options.num_recv_ops = 1;
    FAIL(INVALID_ARGUMENT, PJRT_LoadedExecutable_Execute, .executable = echo, .options = &options,
         .argument_lists = input_lists, .num_devices = 1, .num_args = 1, .output_lists = result_lists);
    drop(inputs[0]);
    unload(echo);
}

static void test_loop(PJRT_Client *client)
{
    PJRT_LoadedExecutable *loop = compile_text(client, LOOP);
    host h = {0};
    int32_t out[4];
    CHECK_INT(run_with(client, loop, &h, 2, 0, out), PJRT_Error_Code_OK);
    CHECK_INT(h.sends, 3);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 4; i++) CHECK_INT(h.sent[k][i], input[i] + k);
    for (int i = 0; i < 4; i++) CHECK_INT(out[i], 2 * input[i]);
    unload(loop);
}

int main(void)
{
    api = fl_plugin_api();
    PJRT_Client *client = open_client();
    test_echo(client);
    test_errors(client);
    test_loop(client);
    close_client(client);
    return check_result();
}
