/* The plugin's functions in random order, with arguments that are right, deleted, of the wrong shape, or missing. What counts is
 * that every call returns, and that a sanitizer has nothing to say; results of right calls are looked at as well. */
#include "calls.h"

#include <stdlib.h>

enum { POOL = 12, CALLS = 20000 };

#define ADD                                                                                                  \
    "func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) -> tensor<3xf32> " \
    "{\n"                                                                                                    \
    "  %0 = stablehlo.add %x, %y : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n"
#define PAIR                                                                                                 \
    "func.func @main(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<i32>) {\n  %c = stablehlo.constant "       \
    "dense<7> : tensor<i32>\n"                                                                               \
    "  %0 = stablehlo.negate %x : tensor<3xf32>\n  return %0, %c : tensor<3xf32>, tensor<i32>\n}\n"

static PJRT_Client *client;
static PJRT_Device *const *devices;
static PJRT_Memory *const *memories;
static PJRT_Buffer *buffers[POOL];
static PJRT_Event *events[POOL];
static PJRT_LoadedExecutable *add, *pair;
static uint64_t state = 0x9E3779B97F4A7C15ull;

static uint32_t below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 33) % n;
}

static void keep_buffer(PJRT_Buffer *buffer)
{
    PJRT_Buffer **place = &buffers[below(POOL)];
    if (*place) drop(*place);
    *place = buffer;
}

static void keep_event(PJRT_Event *event)
{
    PJRT_Event **place = &events[below(POOL)];
    ARGS(destroy, PJRT_Event_Destroy, .event = *place);
    if (*place) CHECK_INT(code_of(api->PJRT_Event_Destroy(&destroy)), PJRT_Error_Code_OK);
    *place = event;
}

/* Mostly of the shape that the programs want. */
static void make_buffer(void)
{
    static const float data[64] = {1, 2, 3};
    int64_t dims[] = {below(4) ? 3 : (int64_t)below(5) - 1, 2}, strides[] = {(int64_t)below(9), 4};
    ARGS(from, PJRT_Client_BufferFromHostBuffer, .client = client, .data = below(20) ? data : NULL,
         .dims = dims, .num_dims = below(5) ? 1 : 2,
         .type = below(6) ? PJRT_Buffer_Type_F32 : (PJRT_Buffer_Type)below(36), .byte_strides = strides,
         .num_byte_strides = below(3) ? 0 : below(3),
         .host_buffer_semantics = (PJRT_HostBufferSemantics)below(5),
         .device = below(2) ? devices[below(2)] : NULL, .memory = below(4) ? NULL : memories[below(6)]);
    if (code_of(api->PJRT_Client_BufferFromHostBuffer(&from))) return;
    keep_buffer(from.buffer);
    keep_event(from.done_with_host_buffer);
}

static void make_odd_buffer(PJRT_Buffer *b)
{
    int64_t three = 3;
    if (below(2)) {
        ARGS(bad, PJRT_Client_CreateErrorBuffer, .client = client, .error_code = (PJRT_Error_Code)below(17),
             .error_message = "bad", .error_message_size = 3, .shape_dims = &three, .shape_num_dims = 1,
             .shape_element_type = PJRT_Buffer_Type_F32, .memory = memories[below(6)]);
        if (!code_of(api->PJRT_Client_CreateErrorBuffer(&bad))) keep_buffer(bad.buffer);
    } else {
        ARGS(copy, PJRT_Buffer_CopyToMemory, .buffer = b, .dst_memory = below(9) ? memories[below(6)] : NULL);
        if (!code_of(api->PJRT_Buffer_CopyToMemory(&copy))) keep_buffer(copy.dst_buffer);
    }
}

/* Buffers whose contents come later: now, from a buffer that may not fit, or not at all. */
static void make_late_buffer(PJRT_Buffer *b)
{
    int64_t three = below(9) ? 3 : 4;
    if (below(2)) {
        ARGS(alias, PJRT_Client_CreateAliasBuffer, .client = client, .shape_dims = &three,
             .shape_num_dims = 1,
             .shape_element_type = below(9) ? PJRT_Buffer_Type_F32 : (PJRT_Buffer_Type)below(36),
             .memory = memories[below(6)]);
        if (code_of(api->PJRT_Client_CreateAliasBuffer(&alias))) return;
        ARGS(fulfill, PJRT_Client_FulfillAliasBuffer, .client = client, .buffer = below(9) ? b : NULL,
             .status_code = below(3) ? PJRT_Error_Code_OK : (PJRT_Error_Code)below(17),
             .error_message = "late", .error_message_size = 4,
             .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
        code_of(api->PJRT_Client_FulfillAliasBuffer(&fulfill));
        keep_buffer(alias.alias_buffer);
    } else {
        ARGS(donate, PJRT_Buffer_DonateWithControlDependency, .buffer = b);
        if (code_of(api->PJRT_Buffer_DonateWithControlDependency(&donate))) return;
        PJRT_Buffer_DonateWithControlDependency_Callback_Args ready = {
            .callback_data = donate.callback_data,
            .error_code = below(3) ? 0 : (PJRT_Error_Code)below(17),
            .error_message = "late",
            .error_message_size = 4};
        donate.dependency_ready_callback(&ready);
        keep_buffer(donate.out_buffer);
    }
    ARGS(poison, PJRT_Device_PoisonExecution, .device = devices[below(2)], .launch_id = (int32_t)below(3),
         .error_code = (PJRT_Error_Code)below(17), .error_message = "off", .error_message_size = 3);
    code_of(api->PJRT_Device_PoisonExecution(&poison));
}

static void execute(void)
{
    PJRT_LoadedExecutable *e = below(2) ? add : pair;
    size_t count = e == add ? 2 : 1;
    int64_t kept = below(3);
    PJRT_Buffer *inputs[] = {buffers[below(POOL)], buffers[below(POOL)]}, *results[2] = {NULL, NULL};
    PJRT_ExecuteOptions options = {.struct_size = below(20) ? PJRT_ExecuteOptions_STRUCT_SIZE : below(144),
                                   .non_donatable_input_indices = &kept,
                                   .num_non_donatable_input_indices = below(2),
                                   .launch_id = (int)below(3)};
    PJRT_Buffer *const *input_lists[] = {inputs}, **result_lists[] = {results};
    PJRT_Event *done[1] = {NULL};
    ARGS(run, PJRT_LoadedExecutable_Execute, .executable = e, .options = below(9) ? &options : NULL,
         .argument_lists = input_lists, .num_devices = below(30) ? 1 : 2,
         .num_args = below(30) ? count : below(4), .output_lists = result_lists,
         .device_complete_events = below(2) ? done : NULL);
    if (code_of(api->PJRT_LoadedExecutable_Execute(&run))) return;
    keep_buffer(results[0]);
    if (e == pair) keep_buffer(results[1]);
    if (done[0]) keep_event(done[0]);
}

static void look(PJRT_Buffer *b)
{
    char bytes[256];
    ARGS(to, PJRT_Buffer_ToHostBuffer, .src = b, .dst = below(4) ? bytes : NULL,
         .dst_size = below(8) ? sizeof bytes : below(40));
    if (!code_of(api->PJRT_Buffer_ToHostBuffer(&to)) && to.event) {
        ARGS(wait, PJRT_Event_Await, .event = to.event);
        code_of(api->PJRT_Event_Await(&wait)); /* `bytes` must last until then */
        keep_event(to.event);
    }
    ARGS(ready, PJRT_Buffer_ReadyEvent, .buffer = b);
    if (!code_of(api->PJRT_Buffer_ReadyEvent(&ready))) keep_event(ready.event);
}

static void hold(PJRT_Buffer *b)
{
    ARGS(more, PJRT_Buffer_IncreaseExternalReferenceCount, .buffer = b);
    if (code_of(api->PJRT_Buffer_IncreaseExternalReferenceCount(&more))) return;
    ARGS(delete, PJRT_Buffer_Delete, .buffer = b);
    if (below(2)) code_of(api->PJRT_Buffer_Delete(&delete));
    ARGS(less, PJRT_Buffer_DecreaseExternalReferenceCount, .buffer = b);
    CHECK_INT(code_of(api->PJRT_Buffer_DecreaseExternalReferenceCount(&less)), PJRT_Error_Code_OK);
}

static void compile_garbage(void)
{
    char text[sizeof PAIR];
    memcpy(text, PAIR, sizeof text);
    for (int i = 0; i < 3; i++) text[below(sizeof text - 1)] = (char)below(256);
    PJRT_Program program = program_of(text, below(sizeof text));
    ARGS(compile, PJRT_Client_Compile, .client = client, .program = &program, .compile_options = text,
         .compile_options_size = below(3) ? 0 : below(20));
    if (!code_of(api->PJRT_Client_Compile(&compile))) unload(compile.executable);
}

static void one_call(void)
{
    PJRT_Buffer *b = buffers[below(POOL)];
    ARGS(delete, PJRT_Buffer_Delete, .buffer = b);
    ARGS(wait, PJRT_Event_Await, .event = events[below(POOL)]);
    switch (below(10)) {
    case 0:
    case 1: make_buffer(); break;
    case 2:
    case 3: execute(); break;
    case 4: look(b); break;
    case 5: hold(b); break;
    case 6: make_odd_buffer(b); break;
    case 7:
        if (below(8))
            code_of(api->PJRT_Buffer_Delete(&delete));
        else
            compile_garbage();
        break;
    case 8: make_late_buffer(b); break;
    default:
        /* a buffer used in place is done with only when it is gone */
        if (fl_plugin_event_is_done(wait.event)) code_of(api->PJRT_Event_Await(&wait));
    }
}

/* More calls than a suite makes, and others: test_random_calls CALLS SEED. */
int main(int argc, char **argv)
{
    long calls = argc > 1 ? atol(argv[1]) : CALLS;
    if (argc > 2) state ^= strtoull(argv[2], NULL, 10) << 8;
    setenv("FL_DEVICES", "2", 1);
    api = fl_plugin_api();
    client = open_client();
    OK(list, PJRT_Client_Devices, .client = client);
    OK(places, PJRT_Client_AddressableMemories, .client = client);
    CHECK_INT(list.num_devices, 2);
    CHECK_INT(places.num_addressable_memories, 6);
    devices = list.devices;
    memories = places.addressable_memories;
    add = compile_text(client, ADD);
    pair = compile_text(client, PAIR);
    for (long i = 0; i < calls; i++) one_call();
    for (int i = 0; i < POOL; i++) {
        if (buffers[i]) drop(buffers[i]);
        buffers[i] = NULL;
    }
    for (int i = 0; i < 20 * POOL; i++) keep_event(NULL);
    for (int i = 0; i < POOL; i++) CHECK(events[i] == NULL);
    unload(add);
    unload(pair);
    close_client(client);
    return check_result();
}
