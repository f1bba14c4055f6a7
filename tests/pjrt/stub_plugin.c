/* A plugin that only answers: its version, the size of its table and its errors are what the environment says when it is
 * loaded. Slots beyond the size of the table end the process, as would those of a plugin that has no more.
 *
 * STUB_MINOR: version 0.N. STUB_OLDEST=1: a table of the functions of the first versions alone. STUB_CODE: compiling fails with
 * this code; with a payload from 0.99 on. It has one device; programs give back their first argument. */
#include "pjrt/pjrt_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int number(const char *name, int fallback)
{
    const char *text = getenv(name);
    return text ? atoi(text) : fallback;
}

/* ---- errors: with the function table from 0.107 on, without before ---- */

typedef struct stub_error {
    PJRT_Error base;
    PJRT_Error_Code code;
} stub_error;

static const char message[] = "what the stub says";

static PJRT_Error *make_error(int code)
{
    stub_error *e = calloc(1, sizeof *e);
    if (e) e->code = (PJRT_Error_Code)code;
    return (PJRT_Error *)e;
}

static void stub_error_destroy(PJRT_Error_Destroy_Args *args)
{
    free(args->error);
}

static void stub_error_message(PJRT_Error_Message_Args *args)
{
    args->message = message;
    args->message_size = sizeof message - 1;
}

static PJRT_Error *stub_error_code(PJRT_Error_GetCode_Args *args)
{
    args->code = ((const stub_error *)args->error)->code;
    return NULL;
}

static PJRT_Error *stub_payload(PJRT_Error_ForEachPayload_Args *args)
{
    static const char key[] = "type.googleapis.com/stub", value[] = "line 7\0binary";
    args->visitor(key, sizeof key - 1, value, sizeof value - 1, args->user_arg);
    return NULL;
}

/* ---- one client, one device ---- */

static int client, device, description, event;

static PJRT_Error *stub_initialize(PJRT_Plugin_Initialize_Args *args)
{
    (void)args;
    return NULL;
}

static PJRT_Error *stub_attributes(PJRT_Plugin_Attributes_Args *args)
{
    static const int64_t version[3] = {1, 0, 0};
    static PJRT_NamedValue attribute = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                        .name = "stablehlo_current_version",
                                        .name_size = 25,
                                        .type = PJRT_NamedValue_kInt64List,
                                        .int64_array_value = version,
                                        .value_size = 3};
    args->attributes = &attribute;
    args->num_attributes = 1;
    return NULL;
}

static PJRT_Error *stub_create(PJRT_Client_Create_Args *args)
{
    args->client = (PJRT_Client *)&client;
    return NULL;
}

static PJRT_Error *stub_destroy_client(PJRT_Client_Destroy_Args *args)
{
    (void)args;
    return NULL;
}

static PJRT_Error *stub_platform(PJRT_Client_PlatformName_Args *args)
{
    args->platform_name = "stub";
    args->platform_name_size = 4;
    return NULL;
}

static PJRT_Error *stub_platform_version(PJRT_Client_PlatformVersion_Args *args)
{
    args->platform_version = "1";
    args->platform_version_size = 1;
    return NULL;
}

static PJRT_Error *stub_devices(PJRT_Client_AddressableDevices_Args *args)
{
    static PJRT_Device *const devices[] = {(PJRT_Device *)&device};
    args->addressable_devices = devices;
    args->num_addressable_devices = 1;
    return NULL;
}

static PJRT_Error *stub_description(PJRT_Device_GetDescription_Args *args)
{
    args->device_description = (PJRT_DeviceDescription *)&description;
    return NULL;
}

static PJRT_Error *stub_id(PJRT_DeviceDescription_Id_Args *args)
{
    args->id = 0;
    return NULL;
}

static PJRT_Error *stub_kind(PJRT_DeviceDescription_Kind_Args *args)
{
    args->device_kind = "Stub";
    args->device_kind_size = 4;
    return NULL;
}

static PJRT_Error *stub_device_attributes(PJRT_DeviceDescription_Attributes_Args *args)
{
    static PJRT_NamedValue attribute = {.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                        .name = "word",
                                        .name_size = 4,
                                        .type = PJRT_NamedValue_kString,
                                        .string_value = "a \"word\"\n",
                                        .value_size = 9};
    args->attributes = &attribute;
    args->num_attributes = 1;
    return NULL;
}

static PJRT_Error *stub_no_memories(PJRT_Device_AddressableMemories_Args *args)
{
    (void)args;
    return make_error(PJRT_Error_Code_UNIMPLEMENTED);
}

static PJRT_Error *stub_no_stats(PJRT_Device_MemoryStats_Args *args)
{
    (void)args;
    return make_error(PJRT_Error_Code_UNIMPLEMENTED);
}

/* ---- buffers ---- */

typedef struct stub_buffer {
    size_t size;
    char bytes[];
} stub_buffer;

static stub_buffer *make_buffer(const void *bytes, size_t size)
{
    stub_buffer *b = malloc(sizeof *b + size);
    b->size = size;
    if (size) memcpy(b->bytes, bytes, size);
    return b;
}

/* Elements of four bytes are enough here. */
static PJRT_Error *stub_upload(PJRT_Client_BufferFromHostBuffer_Args *args)
{
    size_t size = 4;
    for (size_t i = 0; i < args->num_dims; i++) size *= (size_t)args->dims[i];
    args->buffer = (PJRT_Buffer *)make_buffer(args->data, size);
    args->done_with_host_buffer = (PJRT_Event *)&event;
    return NULL;
}

static PJRT_Error *stub_download(PJRT_Buffer_ToHostBuffer_Args *args)
{
    const stub_buffer *b = (const stub_buffer *)args->src;
    if (args->dst_size < b->size) return make_error(PJRT_Error_Code_INVALID_ARGUMENT);
    memcpy(args->dst, b->bytes, b->size);
    args->event = NULL;
    return NULL;
}

static PJRT_Error *stub_free(PJRT_Buffer_Destroy_Args *args)
{
    free(args->buffer);
    return NULL;
}

/* ---- events: all of them have happened ---- */

static PJRT_Error *stub_event_destroy(PJRT_Event_Destroy_Args *args)
{
    (void)args;
    return NULL;
}

static PJRT_Error *stub_event_ready(PJRT_Event_IsReady_Args *args)
{
    args->is_ready = true;
    return NULL;
}

static PJRT_Error *stub_event_await(PJRT_Event_Await_Args *args)
{
    (void)args;
    return NULL;
}

static PJRT_Error *stub_event_on_ready(PJRT_Event_OnReady_Args *args)
{
    args->callback(NULL, args->user_arg);
    return NULL;
}

/* ---- programs ---- */

static PJRT_Error *stub_compile(PJRT_Client_Compile_Args *args)
{
    int code = number("STUB_CODE", 0);
    if (code) return make_error(code);
    args->executable = (PJRT_LoadedExecutable *)&client;
    return NULL;
}

static PJRT_Error *stub_execute(PJRT_LoadedExecutable_Execute_Args *args)
{
    const stub_buffer *first = (const stub_buffer *)args->argument_lists[0][0];
    args->output_lists[0][0] = (PJRT_Buffer *)make_buffer(first->bytes, first->size);
    if (args->device_complete_events) args->device_complete_events[0] = (PJRT_Event *)&event;
    return NULL;
}

static PJRT_Error *stub_destroy_executable(PJRT_LoadedExecutable_Destroy_Args *args)
{
    (void)args;
    return NULL;
}

/* ---- the table ---- */

static void beyond(void)
{
    fprintf(stderr, "stub: a function beyond the end of the table was called\n");
    abort();
}

static void fill(PJRT_Api *api)
{
    void (*end)(void) = beyond;
    for (size_t at = offsetof(PJRT_Api, PJRT_Error_Destroy); at < sizeof *api; at += sizeof end)
        memcpy((char *)api + at, &end, sizeof end);
    api->PJRT_Error_Destroy = stub_error_destroy;
    api->PJRT_Error_Message = stub_error_message;
    api->PJRT_Error_GetCode = stub_error_code;
    api->PJRT_Error_ForEachPayload = stub_payload;
    api->PJRT_Plugin_Initialize = stub_initialize;
    api->PJRT_Plugin_Attributes = stub_attributes;
    api->PJRT_Client_Create = stub_create;
    api->PJRT_Client_Destroy = stub_destroy_client;
    api->PJRT_Client_PlatformName = stub_platform;
    api->PJRT_Client_PlatformVersion = stub_platform_version;
    api->PJRT_Client_AddressableDevices = stub_devices;
    api->PJRT_Client_BufferFromHostBuffer = stub_upload;
    api->PJRT_Client_Compile = stub_compile;
    api->PJRT_Device_GetDescription = stub_description;
    api->PJRT_Device_MemoryStats = stub_no_stats;
    api->PJRT_Device_AddressableMemories = stub_no_memories;
    api->PJRT_DeviceDescription_Attributes = stub_device_attributes;
    api->PJRT_DeviceDescription_Id = stub_id;
    api->PJRT_DeviceDescription_Kind = stub_kind;
    api->PJRT_Buffer_ToHostBuffer = stub_download;
    api->PJRT_Buffer_Destroy = stub_free;
    api->PJRT_Event_Destroy = stub_event_destroy;
    api->PJRT_Event_IsReady = stub_event_ready;
    api->PJRT_Event_Await = stub_event_await;
    api->PJRT_Event_OnReady = stub_event_on_ready;
    api->PJRT_LoadedExecutable_Execute = stub_execute;
    api->PJRT_LoadedExecutable_Destroy = stub_destroy_executable;
}

__attribute__((visibility("default"))) const PJRT_Api *GetPjrtApi(void)
{
    static PJRT_Api api;
    int minor = number("STUB_MINOR", 114);
    fill(&api);
    api.struct_size = number("STUB_OLDEST", 0) ? offsetof(PJRT_Api, PJRT_Compile)
                      : minor > 114            ? PJRT_Api_STRUCT_SIZE + 10 * sizeof(void *)
                                               : PJRT_Api_STRUCT_SIZE;
    if (minor < 99 && api.struct_size > offsetof(PJRT_Api, PJRT_Error_ForEachPayload))
        api.struct_size = offsetof(PJRT_Api, PJRT_Error_ForEachPayload);
    api.pjrt_api_version = (PJRT_Api_Version){.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                                              .major_version = number("STUB_MAJOR", 0),
                                              .minor_version = minor};
    return &api;
}
