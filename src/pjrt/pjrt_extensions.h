/* Extensions of the PJRT C API, offered in PJRT_Api.extension_start: those that our plugin offers or our client uses. */
#ifndef FL_PJRT_PJRT_EXTENSIONS_H
#define FL_PJRT_PJRT_EXTENSIONS_H

#include "pjrt/pjrt_abi.h"

#define PJRT_EXTENSION_FUNCTION(name, last_field, ...)                                                                  \
    FL_PJRT_ARGS(name, last_field, __VA_ARGS__)                                                                         \
    typedef PJRT_Error *name(name##_Args *);

/* Layouts: how the elements of an array lie in memory, as XLA writes it: "{1,0}" is row by row. */
typedef struct PJRT_Layouts_MemoryLayout PJRT_Layouts_MemoryLayout;
typedef struct PJRT_Layouts_SerializedLayout PJRT_Layouts_SerializedLayout;
PJRT_EXTENSION_FUNCTION(PJRT_Layouts_MemoryLayout_Destroy, layout, PJRT_Layouts_MemoryLayout *layout;)
PJRT_EXTENSION_FUNCTION(PJRT_Layouts_MemoryLayout_Serialize, serialized_layout_deleter,
                        PJRT_Layouts_MemoryLayout *layout; /* out */ const char *serialized_bytes;
                        size_t serialized_bytes_size; PJRT_Layouts_SerializedLayout *serialized_layout;
                        void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout *);)
PJRT_EXTENSION_FUNCTION(PJRT_Layouts_PJRT_Client_GetDefaultLayout, layout,
                        PJRT_Client *client; PJRT_Buffer_Type type; const int64_t *dims; size_t num_dims;
                        /* out */ PJRT_Layouts_MemoryLayout *layout;)
PJRT_EXTENSION_FUNCTION(PJRT_Layouts_PJRT_Buffer_MemoryLayout, layout,
                        PJRT_Buffer *buffer; /* out */ PJRT_Layouts_MemoryLayout *layout;)
PJRT_EXTENSION_FUNCTION(PJRT_Layouts_PJRT_Topology_GetDefaultLayout, layout,
                        PJRT_TopologyDescription *topology_description; PJRT_Buffer_Type type; const int64_t *dims;
                        size_t num_dims; /* out */ PJRT_Layouts_MemoryLayout *layout;)
PJRT_EXTENSION_FUNCTION(PJRT_Layouts_PJRT_Executable_GetOutputLayouts, layouts,
                        PJRT_Executable *executable; /* out */ size_t num_outputs; PJRT_Layouts_MemoryLayout **layouts;)
PJRT_EXTENSION_FUNCTION(PJRT_Layouts_PJRT_Executable_GetParameterLayouts, layouts,
                        PJRT_Executable *executable; /* out */ size_t num_parameters; PJRT_Layouts_MemoryLayout **layouts;)
typedef struct PJRT_Layouts_Extension {
    PJRT_Extension_Base base;
    PJRT_Layouts_MemoryLayout_Destroy *PJRT_Layouts_MemoryLayout_Destroy;
    PJRT_Layouts_MemoryLayout_Serialize *PJRT_Layouts_MemoryLayout_Serialize;
    PJRT_Layouts_PJRT_Client_GetDefaultLayout *PJRT_Layouts_PJRT_Client_GetDefaultLayout;
    PJRT_Layouts_PJRT_Buffer_MemoryLayout *PJRT_Layouts_PJRT_Buffer_MemoryLayout;
    PJRT_Layouts_PJRT_Topology_GetDefaultLayout *PJRT_Layouts_PJRT_Topology_GetDefaultLayout;
    PJRT_Layouts_PJRT_Executable_GetOutputLayouts *PJRT_Layouts_PJRT_Executable_GetOutputLayouts;
    PJRT_Layouts_PJRT_Executable_GetParameterLayouts *PJRT_Layouts_PJRT_Executable_GetParameterLayouts;
} PJRT_Layouts_Extension;
FL_PJRT_SIZE(PJRT_Layouts_Extension, PJRT_Layouts_PJRT_Executable_GetParameterLayouts);

/* Memory descriptions: the kinds of memory that a device has, for topologies without devices. */
typedef struct PJRT_MemoryDescription PJRT_MemoryDescription;
PJRT_EXTENSION_FUNCTION(PJRT_DeviceDescription_MemoryDescriptions, default_memory_index,
                        PJRT_DeviceDescription *device_description;
                        /* out */ const PJRT_MemoryDescription * const *memory_descriptions; size_t num_memory_descriptions;
                        size_t default_memory_index;)
PJRT_EXTENSION_FUNCTION(PJRT_MemoryDescription_Kind, kind_id,
                        const PJRT_MemoryDescription *memory_description; /* out */ const char *kind; size_t kind_size;
                        int kind_id;)
typedef struct PJRT_MemoryDescriptions_Extension {
    PJRT_Extension_Base base;
    PJRT_DeviceDescription_MemoryDescriptions *PJRT_DeviceDescription_MemoryDescriptions;
    PJRT_MemoryDescription_Kind *PJRT_MemoryDescription_Kind;
} PJRT_MemoryDescriptions_Extension;
FL_PJRT_SIZE(PJRT_MemoryDescriptions_Extension, PJRT_MemoryDescription_Kind);

/* Shardings: serialized OpSharding messages of parameters and outputs. */
PJRT_EXTENSION_FUNCTION(PJRT_Shardings_PJRT_Executable_ParameterShardings, sharding_sizes,
                        PJRT_Executable *executable; /* out */ size_t num_parameters; const char * const *shardings;
                        const size_t *sharding_sizes;)
PJRT_EXTENSION_FUNCTION(PJRT_Shardings_PJRT_Executable_OutputShardings, sharding_sizes,
                        PJRT_Executable *executable; /* out */ size_t num_outputs; const char * const *shardings;
                        const size_t *sharding_sizes;)
typedef struct PJRT_Shardings_Extension {
    PJRT_Extension_Base base;
    PJRT_Shardings_PJRT_Executable_ParameterShardings *PJRT_Shardings_PJRT_Executable_ParameterShardings;
    PJRT_Shardings_PJRT_Executable_OutputShardings *PJRT_Shardings_PJRT_Executable_OutputShardings;
} PJRT_Shardings_Extension;
FL_PJRT_SIZE(PJRT_Shardings_Extension, PJRT_Shardings_PJRT_Executable_OutputShardings);

/* Foreign functions: handlers of custom calls that the client brings along. */
typedef struct PJRT_FFI_Type_Info {
    void (*deleter)(void *); void (*serialize)(void); void (*deserialize)(void);
} PJRT_FFI_Type_Info;
typedef struct PJRT_FFI_UserData {
    int64_t type_id; void *data;
} PJRT_FFI_UserData;
PJRT_EXTENSION_FUNCTION(PJRT_FFI_Type_Register, type_info,
                        const char *type_name; size_t type_name_size; int64_t type_id; PJRT_FFI_Type_Info *type_info;)
PJRT_EXTENSION_FUNCTION(PJRT_FFI_UserData_Add, user_data, PJRT_ExecuteContext *context; PJRT_FFI_UserData user_data;)
typedef enum PJRT_FFI_Handler_TraitsBits { PJRT_FFI_HANDLER_TRAITS_COMMAND_BUFFER_COMPATIBLE = 1 } PJRT_FFI_Handler_TraitsBits;
typedef struct PJRT_FFI_Register_Handler_Args {
    size_t struct_size; const char *target_name; size_t target_name_size; void *handler; const char *platform_name;
    size_t platform_name_size; PJRT_FFI_Handler_TraitsBits traits;
} PJRT_FFI_Register_Handler_Args;
FL_PJRT_SIZE(PJRT_FFI_Register_Handler_Args, traits);
typedef PJRT_Error *PJRT_FFI_Register_Handler(PJRT_FFI_Register_Handler_Args *);
typedef struct PJRT_FFI_Extension {
    PJRT_Extension_Base base; PJRT_FFI_Type_Register *type_register; PJRT_FFI_UserData_Add *user_data_add;
    PJRT_FFI_Register_Handler *register_handler;
} PJRT_FFI_Extension;
FL_PJRT_SIZE(PJRT_FFI_Extension, register_handler);

/* Memory of the host: an older extension, which frees by a function of its own, and its successor. */
PJRT_EXTENSION_FUNCTION(PJRT_HostAllocator_GetPreferredAlignment, preferred_alignment,
                        PJRT_Client *client; /* out */ size_t preferred_alignment;)
PJRT_EXTENSION_FUNCTION(PJRT_HostAllocator_Allocate, ptr,
                        PJRT_Client *client; size_t size; size_t alignment; /* out */ void *ptr;)
PJRT_EXTENSION_FUNCTION(PJRT_HostAllocator_Free, ptr, PJRT_Client *client; void *ptr;)
typedef struct PJRT_HostAllocator_Extension {
    PJRT_Extension_Base base;
    PJRT_HostAllocator_GetPreferredAlignment *PJRT_HostAllocator_GetPreferredAlignment;
    PJRT_HostAllocator_Allocate *PJRT_HostAllocator_Allocate;
    PJRT_HostAllocator_Free *PJRT_HostAllocator_Free;
} PJRT_HostAllocator_Extension;
FL_PJRT_SIZE(PJRT_HostAllocator_Extension, PJRT_HostAllocator_Free);
PJRT_EXTENSION_FUNCTION(PJRT_HostMemoryAllocator_Allocate, deleter_arg,
                        PJRT_Client *client; size_t size; int numa_node; /* out */ uint8_t *ptr;
                        void (*deleter)(void *, void *); void *deleter_arg;)
typedef struct PJRT_HostMemoryAllocator_Extension {
    PJRT_Extension_Base base; PJRT_HostMemoryAllocator_Allocate *PJRT_HostMemoryAllocator_Allocate;
} PJRT_HostMemoryAllocator_Extension;
FL_PJRT_SIZE(PJRT_HostMemoryAllocator_Extension, PJRT_HostMemoryAllocator_Allocate);

/* Partitioners of custom calls. Shapes and shardings are serialized messages of XLA (ShapeProto, OpSharding); what callbacks return
 * lasts until cleanup_fn. */
typedef struct JAX_CustomCallPartitioner_string {
    const char *data; size_t size;
} JAX_CustomCallPartitioner_string;
typedef struct JAX_CustomCallPartitioner_aval {
    JAX_CustomCallPartitioner_string shape; bool has_sharding; JAX_CustomCallPartitioner_string sharding;
} JAX_CustomCallPartitioner_aval;
typedef struct JAX_CustomCallPartitioner_version_and_error {
    int64_t api_version; /* out */ void *data; void (*cleanup_fn)(void *); bool has_error; PJRT_Error_Code code;
    JAX_CustomCallPartitioner_string error_msg;
} JAX_CustomCallPartitioner_version_and_error;
typedef struct JAX_CustomCallPartitioner_Partition_Args {
    JAX_CustomCallPartitioner_version_and_error header; size_t num_args; JAX_CustomCallPartitioner_aval *op_args;
    JAX_CustomCallPartitioner_aval op_result; JAX_CustomCallPartitioner_string backend_config;
    /* out */ JAX_CustomCallPartitioner_string mlir_module; JAX_CustomCallPartitioner_string *args_sharding;
    JAX_CustomCallPartitioner_string result_sharding;
} JAX_CustomCallPartitioner_Partition_Args;
typedef struct JAX_CustomCallPartitioner_InferShardingFromOperands_Args {
    JAX_CustomCallPartitioner_version_and_error header; size_t num_args; JAX_CustomCallPartitioner_aval *op_args;
    JAX_CustomCallPartitioner_string result_shape; JAX_CustomCallPartitioner_string backend_config;
    /* out */ bool has_result_sharding; JAX_CustomCallPartitioner_string result_sharding;
} JAX_CustomCallPartitioner_InferShardingFromOperands_Args;
typedef struct JAX_CustomCallPartitioner_PropagateUserSharding_Args {
    JAX_CustomCallPartitioner_version_and_error header; JAX_CustomCallPartitioner_string backend_config;
    JAX_CustomCallPartitioner_string result_shape; /* in, out */ JAX_CustomCallPartitioner_string result_sharding;
} JAX_CustomCallPartitioner_PropagateUserSharding_Args;
typedef struct JAX_CustomCallPartitioner_Callbacks JAX_CustomCallPartitioner_Callbacks;
struct JAX_CustomCallPartitioner_Callbacks {
    int64_t version; void *private_data; void (*dtor)(JAX_CustomCallPartitioner_Callbacks *);
    void (*partition)(JAX_CustomCallPartitioner_Callbacks *, JAX_CustomCallPartitioner_Partition_Args *);
    void (*infer_sharding)(JAX_CustomCallPartitioner_Callbacks *, JAX_CustomCallPartitioner_InferShardingFromOperands_Args *);
    void (*propagate_user_sharding)(JAX_CustomCallPartitioner_Callbacks *, JAX_CustomCallPartitioner_PropagateUserSharding_Args *);
    bool can_side_effecting_have_replicated_sharding;
};
typedef struct PJRT_Register_Custom_Partitioner_Args {
    size_t struct_size; const char *name; size_t name_size; JAX_CustomCallPartitioner_Callbacks *callbacks;
} PJRT_Register_Custom_Partitioner_Args;
FL_PJRT_SIZE(PJRT_Register_Custom_Partitioner_Args, callbacks);
typedef PJRT_Error *PJRT_Register_Custom_Partitioner(PJRT_Register_Custom_Partitioner_Args *);
typedef struct PJRT_Register_Batch_Partitionable_Args {
    size_t struct_size; const char *name; size_t name_size;
} PJRT_Register_Batch_Partitionable_Args;
FL_PJRT_SIZE(PJRT_Register_Batch_Partitionable_Args, name_size);
typedef PJRT_Error *PJRT_Register_Batch_Partitionable(PJRT_Register_Batch_Partitionable_Args *);
typedef struct PJRT_Custom_Partitioner_Extension {
    PJRT_Extension_Base base; PJRT_Register_Custom_Partitioner *register_custom_partitioner;
    PJRT_Register_Batch_Partitionable *register_batch_partitionable;
} PJRT_Custom_Partitioner_Extension;
FL_PJRT_SIZE(PJRT_Custom_Partitioner_Extension, register_batch_partitionable);

/* What jaxlib puts into the configuration of a call of InspectSharding, as bytes. */
typedef struct JAX_InspectSharding_Callback_Args JAX_InspectSharding_Callback_Args;
struct JAX_InspectSharding_Callback_Args {
    const char *sharding_spec; size_t sharding_spec_size; /* out */ const char *error_txt; void *error_scratch;
    void (*free_error)(JAX_InspectSharding_Callback_Args *);
};
typedef struct JAX_InspectSharding_Callback {
    void (*call)(void *, JAX_InspectSharding_Callback_Args *); void *data;
} JAX_InspectSharding_Callback;

/* Versions of what plugins and executables agree on; serialized they are messages of the plugin's own. */
typedef struct PJRT_RuntimeAbiVersion PJRT_RuntimeAbiVersion;
typedef struct PJRT_ExecutableAbiVersion PJRT_ExecutableAbiVersion;
typedef struct PJRT_SerializedProto PJRT_SerializedProto;
#define ABI_VERSION_FUNCTION(name, last_field, ...)                                                                        \
    typedef struct name##_Args {                                                                                        \
        size_t struct_size;                                                                                             \
        __VA_ARGS__                                                                                                     \
    } name##_Args;                                                                                                      \
    FL_PJRT_SIZE(name##_Args, last_field);                                                                              \
    typedef PJRT_Error *name(name##_Args *);
#define ABI_VERSION_BYTES                                                                                                \
    /* out */ const char *serialized_proto; size_t serialized_proto_size; PJRT_SerializedProto *serialized_proto_holder; \
    void (*serialized_proto_deleter)(PJRT_SerializedProto *);
ABI_VERSION_FUNCTION(PJRT_Client_RuntimeAbiVersion, abi_version,
                     PJRT_Client *client; /* out */ PJRT_RuntimeAbiVersion *abi_version;)
ABI_VERSION_FUNCTION(PJRT_Executable_GetAbiVersion, abi_version,
                     PJRT_Executable *executable; /* out */ PJRT_ExecutableAbiVersion *abi_version;)
ABI_VERSION_FUNCTION(PJRT_RuntimeAbiVersion_Destroy, abi_version, PJRT_RuntimeAbiVersion *abi_version;)
ABI_VERSION_FUNCTION(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime, other_abi_version,
                     const PJRT_RuntimeAbiVersion *abi_version; const PJRT_RuntimeAbiVersion *other_abi_version;)
ABI_VERSION_FUNCTION(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable, executable_abi_version,
                     const PJRT_RuntimeAbiVersion *abi_version; const PJRT_ExecutableAbiVersion *executable_abi_version;)
ABI_VERSION_FUNCTION(PJRT_RuntimeAbiVersion_ToProto, serialized_proto_deleter,
                     const PJRT_RuntimeAbiVersion *abi_version; ABI_VERSION_BYTES)
ABI_VERSION_FUNCTION(PJRT_RuntimeAbiVersion_PlatformId, platform_id,
                     const PJRT_RuntimeAbiVersion *abi_version; /* out */ uint64_t platform_id;)
ABI_VERSION_FUNCTION(PJRT_ExecutableAbiVersion_Destroy, abi_version, PJRT_ExecutableAbiVersion *abi_version;)
ABI_VERSION_FUNCTION(PJRT_ExecutableAbiVersion_ToProto, serialized_proto_deleter,
                     const PJRT_ExecutableAbiVersion *abi_version; ABI_VERSION_BYTES)
ABI_VERSION_FUNCTION(PJRT_ExecutableAbiVersion_PlatformId, platform_id,
                     const PJRT_ExecutableAbiVersion *abi_version; /* out */ uint64_t platform_id;)
ABI_VERSION_FUNCTION(PJRT_RuntimeAbiVersion_FromProto, abi_version,
                     const char *serialized_proto; size_t serialized_proto_size; /* out */ PJRT_RuntimeAbiVersion *abi_version;)
ABI_VERSION_FUNCTION(PJRT_ExecutableAbiVersion_FromProto, abi_version,
                     const char *serialized_proto; size_t serialized_proto_size;
                     /* out */ PJRT_ExecutableAbiVersion *abi_version;)
typedef struct PJRT_AbiVersion_Extension {
    PJRT_Extension_Base base; PJRT_Client_RuntimeAbiVersion *client_runtime_abi_version;
    PJRT_Executable_GetAbiVersion *executable_get_abi_version; PJRT_RuntimeAbiVersion_Destroy *runtime_abi_version_destroy;
    PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime *runtime_abi_version_is_compatible_with_runtime;
    PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable *runtime_abi_version_is_compatible_with_executable;
    PJRT_RuntimeAbiVersion_ToProto *runtime_abi_version_to_proto;
    PJRT_RuntimeAbiVersion_PlatformId *runtime_abi_version_platform_id;
    PJRT_ExecutableAbiVersion_Destroy *executable_abi_version_destroy;
    PJRT_ExecutableAbiVersion_ToProto *executable_abi_version_to_proto;
    PJRT_ExecutableAbiVersion_PlatformId *executable_abi_version_platform_id;
    PJRT_RuntimeAbiVersion_FromProto *runtime_abi_version_from_proto;
    PJRT_ExecutableAbiVersion_FromProto *executable_abi_version_from_proto;
} PJRT_AbiVersion_Extension;
FL_PJRT_SIZE(PJRT_AbiVersion_Extension, executable_abi_version_from_proto);
#undef ABI_VERSION_FUNCTION
#undef ABI_VERSION_BYTES

/* The profiler has an interface of its own. */
typedef struct PLUGIN_Profiler PLUGIN_Profiler;
typedef struct PLUGIN_Profiler_Error PLUGIN_Profiler_Error;
typedef struct PLUGIN_Profiler_ConsumeResult PLUGIN_Profiler_ConsumeResult;
#define PROFILER_FUNCTION(returns, name, last_field, ...)                                                                  \
    typedef struct name##_Args {                                                                                        \
        size_t struct_size;                                                                                             \
        __VA_ARGS__                                                                                                     \
    } name##_Args;                                                                                                      \
    FL_PJRT_SIZE(name##_Args, last_field);                                                                              \
    typedef returns name(name##_Args *);
PROFILER_FUNCTION(void, PLUGIN_Profiler_Error_Destroy, error, void *priv; PLUGIN_Profiler_Error *error;)
PROFILER_FUNCTION(void, PLUGIN_Profiler_Error_Message, message_size,
                  void *priv; const PLUGIN_Profiler_Error *error; /* out */ const char *message; size_t message_size;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_Error_GetCode, code,
                  void *priv; const PLUGIN_Profiler_Error *error; /* out */ int code;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_Create, profiler,
                  const char *options; size_t options_size; /* out */ PLUGIN_Profiler *profiler;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_Destroy, profiler, PLUGIN_Profiler *profiler;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_Start, profiler, PLUGIN_Profiler *profiler;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_Stop, profiler, PLUGIN_Profiler *profiler;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_CollectData, buffer_size_in_bytes,
                  PLUGIN_Profiler *profiler; /* in, out */ uint8_t *buffer; /* out */ size_t buffer_size_in_bytes;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_Consume, result,
                  PLUGIN_Profiler *profiler; /* out */ PLUGIN_Profiler_ConsumeResult *result;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_ConsumeResult_Destroy, consume_result,
                  PLUGIN_Profiler_ConsumeResult *consume_result;)
PROFILER_FUNCTION(PLUGIN_Profiler_Error *, PLUGIN_Profiler_Serialize, serialized_size,
                  PLUGIN_Profiler *profiler; PLUGIN_Profiler_ConsumeResult *consume_result;
                  /* out */ const uint8_t *serialized_bytes; size_t serialized_size;)
typedef struct PLUGIN_Profiler_Api {
    size_t struct_size; void *priv; PLUGIN_Profiler_Error_Destroy *error_destroy;
    PLUGIN_Profiler_Error_Message *error_message; PLUGIN_Profiler_Error_GetCode *error_get_code;
    PLUGIN_Profiler_Create *create; PLUGIN_Profiler_Destroy *destroy; PLUGIN_Profiler_Start *start;
    PLUGIN_Profiler_Stop *stop; PLUGIN_Profiler_CollectData *collect_data; PLUGIN_Profiler_Consume *consume;
    PLUGIN_Profiler_ConsumeResult_Destroy *consume_result_destroy; PLUGIN_Profiler_Serialize *serialize;
} PLUGIN_Profiler_Api;
FL_PJRT_SIZE(PLUGIN_Profiler_Api, serialize);
typedef struct PJRT_Profiler_Extension {
    PJRT_Extension_Base base; PLUGIN_Profiler_Api *profiler_api; int64_t traceme_context_id;
} PJRT_Profiler_Extension;
FL_PJRT_SIZE(PJRT_Profiler_Extension, traceme_context_id);

#undef PJRT_EXTENSION_FUNCTION
#undef PROFILER_FUNCTION

#endif
