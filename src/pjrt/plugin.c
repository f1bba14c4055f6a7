/* The table of the plugin's functions, and what every one of them does first. */
#include "pjrt/plugin.h"

#include "ir/bytecode/bytecode.h"

#include <string.h>

enum slot {
#define PJRT_FUNCTION(name, ...) SLOT_##name,
#include "pjrt/pjrt_functions.def"
};

/* Functions whose first argument is no handle, or may be NULL. */
static inline int takes_handle(enum slot slot)
{
    switch (slot) {
    case SLOT_PJRT_Plugin_Initialize:
    case SLOT_PJRT_Plugin_Attributes:
    case SLOT_PJRT_Client_Create:
    case SLOT_PJRT_Event_Create:
    case SLOT_PJRT_ExecuteContext_Create:
    case SLOT_PJRT_TopologyDescription_Create:
    case SLOT_PJRT_TopologyDescription_Deserialize: return 0;
    default: return 1;
    }
}

/* The least size of a caller's arguments: of those that have grown, what the oldest version has. */
static inline size_t least_size(enum slot slot, size_t whole)
{
    switch (slot) {
    case SLOT_PJRT_Client_Create: return offsetof(PJRT_Client_Create_Args, kv_try_get_callback);
    case SLOT_PJRT_Client_CreateErrorBuffer: return offsetof(PJRT_Client_CreateErrorBuffer_Args, payload);
    case SLOT_PJRT_Client_CreateViewOfDeviceBuffer:
        return offsetof(PJRT_Client_CreateViewOfDeviceBuffer_Args, memory);
    case SLOT_PJRT_Device_MemoryStats: return offsetof(PJRT_Device_MemoryStats_Args, peak_pool_bytes);
    case SLOT_PJRT_Device_PoisonExecution: return offsetof(PJRT_Device_PoisonExecution_Args, payload);
    case SLOT_PJRT_Executable_DeserializeAndLoad:
        return offsetof(PJRT_Executable_DeserializeAndLoad_Args, overridden_serialized_compile_options);
    case SLOT_PJRT_Executable_GetCompiledMemoryStats:
        return offsetof(PJRT_Executable_GetCompiledMemoryStats_Args, peak_memory_in_bytes);
    default: return whole;
    }
}

/* Copies the caller's arguments into ours; what its version lacks is 0. */
static fl_status take(const void *given, void *args, size_t whole, enum slot slot, const char *name,
                      size_t *out_size)
{
    size_t size, least = least_size(slot, whole);
    const void *handle;
    FL_CHECK(given, FL_INVALID, "%s: expected arguments, got NULL", name);
    memcpy(&size, given, sizeof size);
    FL_CHECK(size >= least, FL_INVALID, "%s: expected struct_size of at least %zu, got %zu", name, least,
             size);
    *out_size = size < whole ? size : whole;
    memcpy(args, given, *out_size);
    if (!takes_handle(slot)) return NULL;
    memcpy(&handle, (char *)args + sizeof(size_t) + sizeof(void *), sizeof handle);
    FL_CHECK(handle, FL_INVALID, "%s: expected an object, got NULL", name);
    return NULL;
}

#define PJRT_FUNCTION(name, ...)                                                                             \
    static PJRT_Error *enter_##name(name##_Args *given)                                                      \
    {                                                                                                        \
        size_t size = 0;                                                                                     \
        name##_Args args = {0};                                                                              \
        fl_status status = take(given, &args, name##_Args_STRUCT_SIZE, SLOT_##name, #name, &size);           \
        if (status) return fl_plugin_error(status);                                                          \
        status = fl_plugin_##name(&args);                                                                    \
        if (status) return fl_plugin_error(status);                                                          \
        memcpy((char *)given + sizeof size, (char *)&args + sizeof size, size - sizeof size);                \
        return NULL;                                                                                         \
    }
#define PJRT_FUNCTION_VOID(name, ...)
#include "pjrt/pjrt_functions.def"

/* ---- the plugin ---- */

fl_status fl_plugin_PJRT_Plugin_Initialize(PJRT_Plugin_Initialize_Args *args)
{
    (void)args;
    return NULL;
}

static PJRT_NamedValue integers(const char *name, const int64_t *values, size_t count)
{
    return (PJRT_NamedValue){.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                             .name = name,
                             .name_size = strlen(name),
                             .type = PJRT_NamedValue_kInt64List,
                             .int64_array_value = values,
                             .value_size = count};
}

static PJRT_NamedValue truth(const char *name)
{
    PJRT_NamedValue value = integers(name, NULL, 1);
    value.type = PJRT_NamedValue_kBool;
    value.bool_value = true;
    return value;
}

fl_status fl_plugin_PJRT_Plugin_Attributes(PJRT_Plugin_Attributes_Args *args)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static int64_t newest[3], oldest[3];
    static PJRT_NamedValue attributes[5];
    pthread_mutex_lock(&lock);
    if (!attributes[0].struct_size) {
        const fl_vhlo_version last = fl_stablehlo_version(), first = fl_stablehlo_oldest();
        newest[0] = last.major, newest[1] = last.minor, newest[2] = last.patch;
        oldest[0] = first.major, oldest[1] = first.minor, oldest[2] = first.patch;
        attributes[1] = integers("stablehlo_current_version", newest, 3);
        attributes[2] = integers("stablehlo_minimum_version", oldest, 3);
        attributes[3] = truth("survives_fork");
        attributes[4] = truth("knows_chlo");
        attributes[0] = integers("xla_version", NULL, 1);
        attributes[0].type = PJRT_NamedValue_kInt64;
        attributes[0].int64_value = 2;
    }
    pthread_mutex_unlock(&lock);
    args->attributes = attributes;
    args->num_attributes = sizeof attributes / sizeof *attributes;
    return NULL;
}

/* ---- the table ---- */

static PJRT_Api api = {
    .struct_size = PJRT_Api_STRUCT_SIZE,
    .pjrt_api_version = {.struct_size = PJRT_Api_Version_STRUCT_SIZE,
                         .major_version = PJRT_API_MAJOR,
                         .minor_version = PJRT_API_MINOR},
    .PJRT_Error_Destroy = fl_plugin_Error_Destroy,
    .PJRT_Error_Message = fl_plugin_Error_Message,
#define PJRT_FUNCTION(name, ...) .name = enter_##name,
#define PJRT_FUNCTION_VOID(name, ...)
#include "pjrt/pjrt_functions.def"
};

static void initialize(void)
{
    fl_plugin_partitioner_initialize();
    api.extension_start = fl_plugin_profiler_extension(&fl_plugin_abi_version.base);
}

const PJRT_Api *fl_plugin_api(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialize);
    return &api;
}
