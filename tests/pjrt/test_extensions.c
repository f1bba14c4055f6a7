/* What C clients can try by themselves of a client that is like a TPU: versions, partitioners of custom calls, its memory. */
#include "grid.h"

#include <stdlib.h>

static const PJRT_Extension_Base *find(PJRT_Extension_Type type)
{
    for (const PJRT_Extension_Base *e = api->extension_start; e; e = e->next)
        if (e->type == type) return e;
    return NULL;
}

static void check_error(PJRT_Error *error, PJRT_Error_Code code, const char *part)
{
    CHECK_INT(code_of(error), code);
    CHECK(strstr(said, part) != NULL);
}

/* ---- versions ---- */

static void test_versions(PJRT_Client *client)
{
    const PJRT_AbiVersion_Extension *x = (const void *)find(PJRT_Extension_Type_AbiVersion);
    CHECK(x != NULL);
    if (!x) return;
    PJRT_Client_RuntimeAbiVersion_Args runtime = {.struct_size = sizeof runtime, .client = client};
    CHECK(!x->client_runtime_abi_version(&runtime));
    PJRT_RuntimeAbiVersion_ToProto_Args bytes = {.struct_size = sizeof bytes,
                                                 .abi_version = runtime.abi_version};
    CHECK(!x->runtime_abi_version_to_proto(&bytes) && bytes.serialized_proto_size > 0);
    PJRT_RuntimeAbiVersion_FromProto_Args again = {.struct_size = sizeof again,
                                                   .serialized_proto = bytes.serialized_proto,
                                                   .serialized_proto_size = bytes.serialized_proto_size};
    CHECK(!x->runtime_abi_version_from_proto(&again));
    PJRT_ExecutableAbiVersion_FromProto_Args other = {
        .struct_size = sizeof other, .serialized_proto = "\x08\x01\x10\x63", .serialized_proto_size = 4};
    CHECK(!x->executable_abi_version_from_proto(&other));
    PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args same = {.struct_size = sizeof same,
                                                                .abi_version = runtime.abi_version,
                                                                .other_abi_version = again.abi_version};
    CHECK(!x->runtime_abi_version_is_compatible_with_runtime(&same));
    PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args differs = {.struct_size = sizeof differs,
                                                                      .abi_version = runtime.abi_version,
                                                                      .executable_abi_version =
                                                                          other.abi_version};
    check_error(x->runtime_abi_version_is_compatible_with_executable(&differs),
                PJRT_Error_Code_INVALID_ARGUMENT, "another plugin");
    PJRT_RuntimeAbiVersion_PlatformId_Args id = {.struct_size = sizeof id, .abi_version = again.abi_version};
    CHECK(!x->runtime_abi_version_platform_id(&id) && id.platform_id != 1);
    again.serialized_proto = "\xFF";
    again.serialized_proto_size = 1;
    PJRT_RuntimeAbiVersion *kept = again.abi_version;
    check_error(x->runtime_abi_version_from_proto(&again), PJRT_Error_Code_INVALID_ARGUMENT,
                "a serialized version");
    check_error(x->runtime_abi_version_to_proto(NULL), PJRT_Error_Code_INVALID_ARGUMENT, "struct_size");
    bytes.serialized_proto_deleter(bytes.serialized_proto_holder);
    PJRT_RuntimeAbiVersion_Destroy_Args gone = {.struct_size = sizeof gone,
                                                .abi_version = runtime.abi_version};
    CHECK(!x->runtime_abi_version_destroy(&gone));
    gone.abi_version = kept;
    CHECK(!x->runtime_abi_version_destroy(&gone));
    PJRT_ExecutableAbiVersion_Destroy_Args last = {.struct_size = sizeof last,
                                                   .abi_version = other.abi_version};
    CHECK(!x->executable_abi_version_destroy(&last));
}

/* ---- partitioners ---- */

static int calls, cleaned;

static void clean(void *data)
{
    CHECK(data == &cleaned);
    cleaned++;
}

/* Everything replicated: an OpSharding without fields. */
static void partition(JAX_CustomCallPartitioner_Callbacks *self,
                      JAX_CustomCallPartitioner_Partition_Args *args)
{
    static const char module[] =
        "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n"
        "  %y = stablehlo.add %x, %x : tensor<4xf32>\n  return %y : tensor<4xf32>\n}\n";
    /* ShapeProto: element type F32, dimensions [4], none of them dynamic */
    static const char shape[] = {0x10, 11, 0x1A, 1, 4, 0x32, 1, 0};
    static JAX_CustomCallPartitioner_string whole = {"", 0};
    calls++;
    CHECK(self->private_data == &calls);
    CHECK_INT(args->num_args, 1);
    CHECK(args->backend_config.size == 3 && !memcmp(args->backend_config.data, "a\0b", 3));
    CHECK(args->op_args[0].shape.size == sizeof shape &&
          !memcmp(args->op_args[0].shape.data, shape, sizeof shape));
    CHECK(args->op_args[0].has_sharding && args->op_result.has_sharding);
    CHECK(args->op_args[0].sharding.size > 4); /* cut in two */
    args->header.data = &cleaned;
    args->header.cleanup_fn = clean;
    args->mlir_module = (JAX_CustomCallPartitioner_string){module, sizeof module - 1};
    args->args_sharding = &whole;
    args->result_sharding = whole;
}

static void refuse(JAX_CustomCallPartitioner_Callbacks *self, JAX_CustomCallPartitioner_Partition_Args *args)
{
    (void)self;
    args->header.has_error = true;
    args->header.code = PJRT_Error_Code_UNIMPLEMENTED;
    args->header.error_msg = (JAX_CustomCallPartitioner_string){"not today", 9};
}

static void damaged(JAX_CustomCallPartitioner_Callbacks *self, JAX_CustomCallPartitioner_Partition_Args *args)
{
    partition(self, args);
    args->result_sharding =
        (JAX_CustomCallPartitioner_string){"\x08\x03\x1A\x01\x05", 5}; /* 5 tiles of 2 devices */
}

#define CALL(target)                                                                                         \
    "sdy.mesh @mesh = <[\"x\"=2]>\n"                                                                         \
    "func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> tensor<4xf32> "  \
    "{\n"                                                                                                    \
    "  %y = stablehlo.custom_call @" target                                                                  \
    "(%x) {backend_config = \"a\\00b\"} : (tensor<4xf32>) -> tensor<4xf32>\n"                                \
    "  return %y : tensor<4xf32>\n}\n"

static void test_partitioners(PJRT_Client *client)
{
    static JAX_CustomCallPartitioner_Callbacks good = {.private_data = &calls, .partition = partition},
                                               bad = {.partition = refuse},
                                               wrong = {.private_data = &calls, .partition = damaged};
    const PJRT_Custom_Partitioner_Extension *x = (const void *)find(PJRT_Extension_Type_Custom_Partitioner);
    PJRT_LoadedExecutable *loaded = NULL;
    CHECK(x != NULL);
    if (!x) return;
    PJRT_Register_Custom_Partitioner_Args args = {
        .struct_size = sizeof args, .name = "c.good", .name_size = 6};
    check_error(x->register_custom_partitioner(&args), PJRT_Error_Code_INVALID_ARGUMENT, "callbacks");
    check_error(x->register_custom_partitioner(NULL), PJRT_Error_Code_INVALID_ARGUMENT, "struct_size");
    args.callbacks = &good;
    CHECK(!x->register_custom_partitioner(&args));
    args.name = "c.badd", args.callbacks = &bad;
    CHECK(!x->register_custom_partitioner(&args));
    args.name = "c.wrng", args.callbacks = &wrong;
    CHECK(!x->register_custom_partitioner(&args));
    PJRT_Register_Batch_Partitionable_Args batch = {.struct_size = sizeof batch};
    check_error(x->register_batch_partitionable(&batch), PJRT_Error_Code_INVALID_ARGUMENT, "a name");
    grid_spmd = 1;
    CHECK_INT(grid_compile(client, CALL("c.good"), 1, 2, NULL, &loaded), PJRT_Error_Code_OK);
    if (loaded) unload(loaded);
    CHECK_INT(calls, 1);
    CHECK_INT(cleaned, 1);
    CHECK_INT(grid_compile(client, CALL("c.badd"), 1, 2, NULL, &loaded), PJRT_Error_Code_UNIMPLEMENTED);
    CHECK(strstr(said, "not today") != NULL);
    CHECK_INT(grid_compile(client, CALL("c.wrng"), 1, 2, NULL, &loaded), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(cleaned, 2);
    CHECK_INT(grid_compile(client, CALL("c.none"), 1, 2, NULL, &loaded), PJRT_Error_Code_UNIMPLEMENTED);
}

/* A configuration that holds no function of this process. */
static void test_inspection(PJRT_Client *client)
{
    PJRT_LoadedExecutable *loaded = NULL;
    CHECK_INT(grid_compile(client, CALL("InspectSharding"), 1, 2, NULL, &loaded),
              PJRT_Error_Code_INVALID_ARGUMENT);
    static const char text[] =
        "sdy.mesh @mesh = <[\"x\"=2]>\n"
        "func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> "
        "tensor<4xf32> {\n"
        "  %y = stablehlo.custom_call @InspectSharding(%x) {backend_config = \"0123456789abcdef\", "
        "has_side_effect = true} : (tensor<4xf32>) -> tensor<4xf32>\n  return %x : tensor<4xf32>\n}\n";
    CHECK_INT(grid_compile(client, text, 1, 2, NULL, &loaded), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK(strstr(said, "a function of this process") != NULL);
}

/* A TPU knows when it compiles what does not fit into its memory. */
static void test_memory(PJRT_Client *client)
{
    static const char text[] = "func.func @main(%x: tensor<1xi32>) -> tensor<1024x1024x1024x1024xi32> {\n"
                               "  %0 = stablehlo.broadcast_in_dim %x, dims = [3] : (tensor<1xi32>) -> "
                               "tensor<1024x1024x1024x1024xi32>\n"
                               "  return %0 : tensor<1024x1024x1024x1024xi32>\n}\n";
    PJRT_LoadedExecutable *loaded = NULL;
    grid_spmd = 0;
    CHECK_INT(grid_compile(client, text, 1, 1, NULL, &loaded), PJRT_Error_Code_RESOURCE_EXHAUSTED);
    CHECK(strstr(said, "HLO temporaries (4096.00G) exceeds available HBM (15.75G)") != NULL);
    static const char
        donated[] = /* from the device's memory into the host's, which takes none of the device's */
        "func.func @main(%x: tensor<4xi32> {mhlo.memory_kind = \"device\", tf.aliasing_output = 0 : i32}) -> "
        "(tensor<4xi32> {mhlo.memory_kind = \"pinned_host\"}) {\n  return %x : tensor<4xi32>\n}\n";
    CHECK_INT(grid_compile(client, donated, 1, 1, NULL, &loaded), PJRT_Error_Code_OK);
    if (loaded) unload(loaded);
}

int main(void)
{
    setenv("FL_DEVICES", "2", 1);
    setenv("FL_TPU", "v5e", 1);
    api = fl_plugin_api();
    PJRT_Client *client = open_client();
    test_versions(client);
    test_partitioners(client);
    test_inspection(client);
    test_memory(client);
    close_client(client);
    return check_result();
}
