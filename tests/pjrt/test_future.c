/* Buffers whose contents come later, executions that are called off, host memory, canonical shapes. */
#include "calls.h"

#include <stdlib.h>

static const float one_two[2] = {1, 2};
static const int64_t two = 2;

static PJRT_Client *client;
static PJRT_Device *device;
static PJRT_LoadedExecutable *negate;

#define NEGATE                                                                                               \
    "func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {\n"                                                \
    "  %0 = stablehlo.negate %x : tensor<2xf32>\n  return %0 : tensor<2xf32>\n}\n"

static PJRT_Client_CreateAliasBuffer_Args alias_of(int64_t size)
{
    OK(alias, PJRT_Client_CreateAliasBuffer, .client = client, .shape_dims = &size, .shape_num_dims = 1,
       .shape_element_type = PJRT_Buffer_Type_F32);
    return alias;
}

static PJRT_Buffer *negated(PJRT_Buffer *x)
{
    PJRT_Buffer *result = NULL;
    CHECK_INT(run(negate, &x, 1, &result), PJRT_Error_Code_OK);
    return result;
}

static void expect(PJRT_Buffer *b, float x, float y)
{
    float got[2] = {0};
    CHECK_INT(get(b, got, sizeof got), PJRT_Error_Code_OK);
    CHECK(got[0] == x && got[1] == y);
}

static void aliases(void)
{
    PJRT_Buffer *b = put(client, PJRT_Buffer_Type_F32, one_two, &two, 1);
    PJRT_Client_CreateAliasBuffer_Args alias = alias_of(2);
    PJRT_Buffer *y = negated(alias.alias_buffer); /* waits */
    OK(ready, PJRT_Buffer_ReadyEvent, .buffer = alias.alias_buffer);
    OK(is_ready, PJRT_Event_IsReady, .event = ready.event);
    CHECK(!is_ready.is_ready);
    OK(fulfill, PJRT_Client_FulfillAliasBuffer, .client = client, .buffer = b,
       .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
    expect(y, -1, -2);
    expect(alias.alias_buffer, 1, 2);
    OK(done, PJRT_Event_Destroy, .event = ready.event);
    drop(y);
    drop(alias.alias_buffer);

    alias = alias_of(2);
    y = negated(alias.alias_buffer);
    OK(fail, PJRT_Client_FulfillAliasBuffer, .client = client, .status_code = PJRT_Error_Code_ABORTED,
       .error_message = "no such luck", .error_message_size = 12,
       .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
    float got[2];
    CHECK_INT(get(y, got, sizeof got), PJRT_Error_Code_ABORTED);
    CHECK_STRING(said, "no such luck");
    drop(y);
    drop(alias.alias_buffer);

    alias = alias_of(3); /* a buffer that does not fit: the alias fails too */
    FAIL(INVALID_ARGUMENT, PJRT_Client_FulfillAliasBuffer, .client = client, .buffer = b,
         .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
    CHECK_INT(get(alias.alias_buffer, got, sizeof got), PJRT_Error_Code_INVALID_ARGUMENT);
    drop(alias.alias_buffer);
    FAIL(INVALID_ARGUMENT, PJRT_Client_FulfillAliasBuffer, .client = client, .buffer = b);
    int64_t negative = -1;
    FAIL(INVALID_ARGUMENT, PJRT_Client_CreateAliasBuffer, .client = client, .shape_dims = &negative,
         .shape_num_dims = 1, .shape_element_type = PJRT_Buffer_Type_F32);
    drop(b);
}

static void donations(void)
{
    PJRT_Buffer *b = put(client, PJRT_Buffer_Type_F32, one_two, &two, 1);
    OK(donate, PJRT_Buffer_DonateWithControlDependency, .buffer = b);
    OK(deleted, PJRT_Buffer_IsDeleted, .buffer = b);
    CHECK(deleted.is_deleted);
    FAIL(INVALID_ARGUMENT, PJRT_Buffer_DonateWithControlDependency, .buffer = b);
    PJRT_Buffer *y = negated(donate.out_buffer);
    PJRT_Buffer_DonateWithControlDependency_Callback_Args ready = {.callback_data = donate.callback_data};
    donate.dependency_ready_callback(&ready);
    expect(y, -1, -2);
    drop(y);

    OK(again, PJRT_Buffer_DonateWithControlDependency, .buffer = donate.out_buffer);
    ready = (PJRT_Buffer_DonateWithControlDependency_Callback_Args){.callback_data = again.callback_data,
                                                                    .error_code = PJRT_Error_Code_CANCELLED,
                                                                    .error_message = "stop",
                                                                    .error_message_size = 4};
    again.dependency_ready_callback(&ready);
    float got[2];
    CHECK_INT(get(again.out_buffer, got, sizeof got), PJRT_Error_Code_CANCELLED);
    drop(again.out_buffer);
    drop(donate.out_buffer);
    drop(b);
}

/* The first execution waits for an alias; the second one, behind it, is called off. */
static void poisoned(void)
{
    PJRT_Buffer *b = put(client, PJRT_Buffer_Type_F32, one_two, &two, 1), *results[1] = {NULL};
    PJRT_Client_CreateAliasBuffer_Args alias = alias_of(2);
    PJRT_Buffer *first = negated(alias.alias_buffer);
    PJRT_Buffer *const *inputs[] = {&b}, **outputs[] = {results};
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE, .launch_id = 7};
    OK(execute, PJRT_LoadedExecutable_Execute, .executable = negate, .options = &options,
       .argument_lists = inputs, .num_devices = 1, .num_args = 1, .output_lists = outputs);
    OK(none, PJRT_Device_PoisonExecution, .device = device, .launch_id = 8,
       .error_code = PJRT_Error_Code_ABORTED);
    CHECK(!none.poisoned);
    OK(poison, PJRT_Device_PoisonExecution, .device = device, .launch_id = 7,
       .error_code = PJRT_Error_Code_ABORTED, .error_message = "called off", .error_message_size = 10);
    CHECK(poison.poisoned);
    OK(fulfill, PJRT_Client_FulfillAliasBuffer, .client = client, .buffer = b,
       .fulfill_alias_buffer_cb = alias.fulfill_alias_buffer_cb);
    expect(first, -1, -2);
    float got[2];
    CHECK_INT(get(results[0], got, sizeof got), PJRT_Error_Code_ABORTED);
    CHECK_STRING(said, "called off");
    FAIL(INVALID_ARGUMENT, PJRT_Device_PoisonExecution, .device = device, .launch_id = 7);
    drop(first);
    drop(results[0]);
    drop(alias.alias_buffer);
    drop(b);
    OK(track, PJRT_Device_CreateAsyncTrackingEvent, .device = device, .description = "x",
       .description_size = 1);
    OK(untrack, PJRT_AsyncTrackingEvent_Destroy, .event = track.event);
}

static const PJRT_Extension_Base *extension(PJRT_Extension_Type type)
{
    const PJRT_Extension_Base *e = api->extension_start;
    while (e && e->type != type) e = e->next;
    CHECK(e);
    return e;
}

static void host_memory(void)
{
    const PJRT_HostAllocator_Extension *old =
        (const PJRT_HostAllocator_Extension *)extension(PJRT_Extension_Type_HostAllocator);
    const PJRT_HostMemoryAllocator_Extension *new =
        (const PJRT_HostMemoryAllocator_Extension *)extension(PJRT_Extension_Type_HostMemoryAllocator);
    ARGS(align, PJRT_HostAllocator_GetPreferredAlignment, .client = client);
    CHECK_INT(code_of(old->PJRT_HostAllocator_GetPreferredAlignment(&align)), PJRT_Error_Code_OK);
    CHECK(align.preferred_alignment >= 64);
    ARGS(allocate, PJRT_HostAllocator_Allocate, .client = client, .size = 100, .alignment = 4096);
    CHECK_INT(code_of(old->PJRT_HostAllocator_Allocate(&allocate)), PJRT_Error_Code_OK);
    CHECK((uintptr_t)allocate.ptr % 4096 == 0);
    memset(allocate.ptr, 1, 100);
    ARGS(release, PJRT_HostAllocator_Free, .client = client, .ptr = allocate.ptr);
    CHECK_INT(code_of(old->PJRT_HostAllocator_Free(&release)), PJRT_Error_Code_OK);
    allocate.alignment = 3;
    CHECK_INT(code_of(old->PJRT_HostAllocator_Allocate(&allocate)), PJRT_Error_Code_INVALID_ARGUMENT);
    ARGS(owned, PJRT_HostMemoryAllocator_Allocate, .client = client, .size = 0);
    CHECK_INT(code_of(new->PJRT_HostMemoryAllocator_Allocate(&owned)), PJRT_Error_Code_OK);
    CHECK(owned.ptr && (uintptr_t)owned.ptr % 64 == 0);
    owned.deleter(owned.ptr, owned.deleter_arg);
    owned.size = SIZE_MAX / 2;
    CHECK_INT(code_of(new->PJRT_HostMemoryAllocator_Allocate(&owned)), PJRT_Error_Code_RESOURCE_EXHAUSTED);
    owned.client = NULL;
    CHECK_INT(code_of(new->PJRT_HostMemoryAllocator_Allocate(&owned)), PJRT_Error_Code_INVALID_ARGUMENT);
}

/* As protobuf writes ShapeProto: f32[2,300]{0,1}. */
static void canonical_shape(void)
{
    static const char expected[] = {2 << 3,     11, 3 << 3 | 2, 3, 2, (char)0xAC, 2,
                                    5 << 3 | 2, 4,  1 << 3 | 2, 2, 0, 1};
    const int64_t dims[] = {2, 300}, order[] = {0, 1};
    const PJRT_Buffer_MemoryLayout layout = {.type = PJRT_Buffer_MemoryLayout_Type_Tiled,
                                             .tiled = {.minor_to_major = order, .minor_to_major_size = 2}};
    OK(topology, PJRT_Client_TopologyDescription, .client = client);
    OK(kinds, PJRT_TopologyDescription_GetMemorySpaceKindIds, .topology = topology.topology);
    OK(shape, PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace, .topology = topology.topology,
       .memory_space_kind_id = kinds.memory_space_kind_ids[0], .dims = dims, .num_dims = 2,
       .element_type = PJRT_Buffer_Type_F32, .layout = &layout);
    CHECK_INT(shape.serialized_shape_size, sizeof expected);
    CHECK(!memcmp(shape.serialized_shape, expected, sizeof expected));
    shape.serialized_shape_deleter(shape.serialized_shape);
    FAIL(INVALID_ARGUMENT, PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace,
         .topology = topology.topology, .memory_space_kind_id = 12345);
}

int main(void)
{
    api = fl_plugin_api();
    client = open_client();
    OK(list, PJRT_Client_Devices, .client = client);
    device = list.devices[0];
    negate = compile_text(client, NEGATE);
    aliases();
    donations();
    poisoned();
    host_memory();
    canonical_shape();
    unload(negate);
    close_client(client);
    return check_result();
}
