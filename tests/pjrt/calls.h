/* Calling a PJRT plugin in tests. */
#ifndef FL_TESTS_PJRT_CALLS_H
#define FL_TESTS_PJRT_CALLS_H

#include "pjrt/plugin.h"

#include "check.h"

static const PJRT_Api *api;

/* Code of the error, which is freed; its message is kept in `said`. */
static _Thread_local char said[512];
static inline PJRT_Error_Code code_of(PJRT_Error *error)
{
    said[0] = 0;
    if (!error) return PJRT_Error_Code_OK;
    PJRT_Error_GetCode_Args code = {.struct_size = PJRT_Error_GetCode_Args_STRUCT_SIZE, .error = error};
    PJRT_Error_Message_Args message = {.struct_size = PJRT_Error_Message_Args_STRUCT_SIZE, .error = error};
    PJRT_Error_Destroy_Args destroy = {.struct_size = PJRT_Error_Destroy_Args_STRUCT_SIZE, .error = error};
    CHECK(!api->PJRT_Error_GetCode(&code));
    api->PJRT_Error_Message(&message);
    snprintf(said, sizeof said, "%.*s", (int)message.message_size, message.message);
    CHECK(strlen(said) > 0);
    api->PJRT_Error_Destroy(&destroy);
    return code.code;
}

/* Leaves arguments and results in `x`. OK must succeed, FAIL must give this code. */
#define ARGS(x, name, ...) name##_Args x = {.struct_size = name##_Args_STRUCT_SIZE, __VA_ARGS__}
#define OK(x, name, ...)                                                                                     \
    ARGS(x, name, __VA_ARGS__);                                                                              \
    CHECK_INT(code_of(api->name(&x)), PJRT_Error_Code_OK);                                                   \
    if (said[0]) fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, said)
#define FAIL(expected, name, ...)                                                                            \
    do {                                                                                                     \
        ARGS(args_, name, __VA_ARGS__);                                                                      \
        CHECK_INT(code_of(api->name(&args_)), PJRT_Error_Code_##expected);                                   \
    } while (0)

static inline PJRT_Client *open_client(void)
{
    OK(create, PJRT_Client_Create, .extension_start = NULL);
    return create.client;
}

static inline void close_client(PJRT_Client *client)
{
    OK(destroy, PJRT_Client_Destroy, .client = client);
}

static inline PJRT_Program program_of(const char *text, size_t size)
{
    return (PJRT_Program){.struct_size = PJRT_Program_STRUCT_SIZE,
                          .code = (char *)(uintptr_t)text,
                          .code_size = size,
                          .format = "mlir",
                          .format_size = 4};
}

static inline PJRT_LoadedExecutable *compile_text(PJRT_Client *client, const char *text)
{
    PJRT_Program program = program_of(text, strlen(text));
    OK(compile, PJRT_Client_Compile, .client = client, .program = &program);
    return compile.executable;
}

static inline PJRT_Buffer *put(PJRT_Client *client, PJRT_Buffer_Type type, const void *data,
                               const int64_t *dims, size_t rank)
{
    OK(from, PJRT_Client_BufferFromHostBuffer, .client = client, .data = data, .type = type, .dims = dims,
       .num_dims = rank);
    OK(done, PJRT_Event_Destroy, .event = from.done_with_host_buffer);
    return from.buffer;
}

/* Waits for the copy; returns the code that it ends with. */
static inline PJRT_Error_Code get(PJRT_Buffer *buffer, void *out, size_t bytes)
{
    ARGS(to, PJRT_Buffer_ToHostBuffer, .src = buffer, .dst = out, .dst_size = bytes);
    PJRT_Error_Code code = code_of(api->PJRT_Buffer_ToHostBuffer(&to));
    if (code) return code;
    ARGS(wait, PJRT_Event_Await, .event = to.event);
    code = code_of(api->PJRT_Event_Await(&wait));
    ARGS(destroy, PJRT_Event_Destroy, .event = to.event);
    api->PJRT_Event_Destroy(&destroy);
    return code;
}

static inline void drop(PJRT_Buffer *buffer)
{
    OK(destroy, PJRT_Buffer_Destroy, .buffer = buffer);
}

static inline void unload(PJRT_LoadedExecutable *executable)
{
    OK(destroy, PJRT_LoadedExecutable_Destroy, .executable = executable);
}

static inline PJRT_Error_Code run(PJRT_LoadedExecutable *executable, PJRT_Buffer **inputs, size_t count,
                                  PJRT_Buffer **results)
{
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer *const *input_lists[] = {inputs}, **result_lists[] = {results};
    ARGS(execute, PJRT_LoadedExecutable_Execute, .executable = executable, .options = &options,
         .argument_lists = input_lists, .num_devices = 1, .num_args = count, .output_lists = result_lists);
    return code_of(api->PJRT_LoadedExecutable_Execute(&execute));
}

#endif
