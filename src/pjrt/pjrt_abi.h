/* The PJRT C API through version 0.114: our own declarations. Names, layouts and values are the interface, which plugins and
 * their clients of any version share; tests compare every size, offset and value with a table of them.
 *
 * Every struct that crosses the interface begins with struct_size, which its creator sets to NAME_STRUCT_SIZE: the end of the
 * last field that its version of the struct has. Versions only append fields. Whoever reads takes fields beyond struct_size
 * as absent, and ignores what it does not know. Extensions are chains of structs that begin with PJRT_Extension_Base. */
#ifndef FL_PJRT_PJRT_ABI_H
#define FL_PJRT_PJRT_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PJRT_API_MAJOR 0
#define PJRT_API_MINOR 114

/* The size that a struct says of itself; no padding behind the last field. */
#define FL_PJRT_SIZE(name, last) enum { name##_STRUCT_SIZE = offsetof(name, last) + sizeof(((name *)0)->last) }

/* ---- handles: what is behind them is the plugin's; an error and a memory begin with a table of functions ---- */

typedef struct PJRT_Client PJRT_Client;
typedef struct PJRT_Device PJRT_Device;
typedef struct PJRT_DeviceDescription PJRT_DeviceDescription;
typedef struct PJRT_Event PJRT_Event;
typedef struct PJRT_Executable PJRT_Executable;
typedef struct PJRT_LoadedExecutable PJRT_LoadedExecutable;
typedef struct PJRT_Buffer PJRT_Buffer;
typedef struct PJRT_CopyToDeviceStream PJRT_CopyToDeviceStream;
typedef struct PJRT_TopologyDescription PJRT_TopologyDescription;
typedef struct PJRT_ExecuteContext PJRT_ExecuteContext;
typedef struct PJRT_AsyncHostToDeviceTransferManager PJRT_AsyncHostToDeviceTransferManager;
typedef struct PJRT_AsyncTrackingEvent PJRT_AsyncTrackingEvent;
typedef struct PJRT_FulfillAliasBufferCallback PJRT_FulfillAliasBufferCallback;
typedef struct PJRT_SerializedExecutable PJRT_SerializedExecutable;
typedef struct PJRT_SerializedTopology PJRT_SerializedTopology;
typedef struct PJRT_SerializedCompileOptions PJRT_SerializedCompileOptions;
typedef struct PJRT_DeviceAssignmentSerialized PJRT_DeviceAssignmentSerialized;
typedef struct PJRT_Device_Attributes PJRT_Device_Attributes;
typedef struct PJRT_MultiSlice_Config PJRT_MultiSlice_Config;

typedef struct PJRT_Extension_Base PJRT_Extension_Base;
typedef struct PJRT_Api_Version PJRT_Api_Version;
typedef struct PJRT_Error_FunctionTable PJRT_Error_FunctionTable;
typedef struct PJRT_Error PJRT_Error;
typedef struct PJRT_NamedValue PJRT_NamedValue;
typedef struct PJRT_Memory_FunctionTable PJRT_Memory_FunctionTable;
typedef struct PJRT_Memory PJRT_Memory;
typedef struct PJRT_KeyValueGetCallback_Args PJRT_KeyValueGetCallback_Args;
typedef struct PJRT_KeyValueTryGetCallback_Args PJRT_KeyValueTryGetCallback_Args;
typedef struct PJRT_KeyValuePutCallback_Args PJRT_KeyValuePutCallback_Args;
typedef struct PJRT_ProcessInfo PJRT_ProcessInfo;
typedef struct PJRT_Program PJRT_Program;
typedef struct PJRT_Buffer_MemoryLayout_Tiled PJRT_Buffer_MemoryLayout_Tiled;
typedef struct PJRT_Buffer_MemoryLayout_Strides PJRT_Buffer_MemoryLayout_Strides;
typedef struct PJRT_Buffer_MemoryLayout PJRT_Buffer_MemoryLayout;
typedef struct PJRT_ShapeSpec PJRT_ShapeSpec;
typedef struct PJRT_LogicalDeviceIds PJRT_LogicalDeviceIds;
typedef struct PJRT_Chunk PJRT_Chunk;
typedef struct PJRT_SendCallbackInfo PJRT_SendCallbackInfo;
typedef struct PJRT_RecvCallbackInfo PJRT_RecvCallbackInfo;
typedef struct PJRT_HloOutputCallbackInfo PJRT_HloOutputCallbackInfo;
typedef struct PJRT_ExecuteOptions PJRT_ExecuteOptions;
typedef struct PJRT_LoadOptions PJRT_LoadOptions;
typedef struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args PJRT_Buffer_CopyRawToHostFuture_Callback_Args;
typedef struct PJRT_Buffer_DonateWithControlDependency_Callback_Args PJRT_Buffer_DonateWithControlDependency_Callback_Args;

/* ---- values ---- */

typedef enum PJRT_Extension_Type {
    PJRT_Extension_Type_Gpu_Custom_Call, PJRT_Extension_Type_Profiler, PJRT_Extension_Type_Custom_Partitioner,
    PJRT_Extension_Type_Stream, PJRT_Extension_Type_Layouts, PJRT_Extension_Type_FFI,
    PJRT_Extension_Type_MemoryDescriptions, PJRT_Extension_Type_Triton, PJRT_Extension_Type_RawBuffer,
    PJRT_Extension_Type_PhaseCompile, PJRT_Extension_Type_Example, PJRT_Extension_Type_Unknown,
    PJRT_Extension_Type_CrossHostTransfers, PJRT_Extension_Type_ExecutableMetadata, PJRT_Extension_Type_Callback,
    PJRT_Extension_Type_HostAllocator, PJRT_Extension_Type_TpuTopology, PJRT_Extension_Type_TpuExecutable,
    PJRT_Extension_Type_Megascale, PJRT_Extension_Type_Shardings, PJRT_Extension_Type_AbiVersion,
    PJRT_Extension_Type_Collectives, PJRT_Extension_Type_MultiSlice, PJRT_Extension_Type_HostMemoryAllocator,
    PJRT_Extension_Type_XlaTransform,
} PJRT_Extension_Type;

typedef enum PJRT_Error_Code {
    PJRT_Error_Code_OK, PJRT_Error_Code_CANCELLED, PJRT_Error_Code_UNKNOWN, PJRT_Error_Code_INVALID_ARGUMENT,
    PJRT_Error_Code_DEADLINE_EXCEEDED, PJRT_Error_Code_NOT_FOUND, PJRT_Error_Code_ALREADY_EXISTS,
    PJRT_Error_Code_PERMISSION_DENIED, PJRT_Error_Code_RESOURCE_EXHAUSTED, PJRT_Error_Code_FAILED_PRECONDITION,
    PJRT_Error_Code_ABORTED, PJRT_Error_Code_OUT_OF_RANGE, PJRT_Error_Code_UNIMPLEMENTED, PJRT_Error_Code_INTERNAL,
    PJRT_Error_Code_UNAVAILABLE, PJRT_Error_Code_DATA_LOSS, PJRT_Error_Code_UNAUTHENTICATED,
} PJRT_Error_Code;

typedef enum PJRT_NamedValue_Type {
    PJRT_NamedValue_kString, PJRT_NamedValue_kInt64, PJRT_NamedValue_kInt64List, PJRT_NamedValue_kFloat,
    PJRT_NamedValue_kBool,
} PJRT_NamedValue_Type;

typedef enum PJRT_ProcessState {
    PJRT_ProcessState_kUnspecified, PJRT_ProcessState_kUninitialized, PJRT_ProcessState_kDisconnected,
    PJRT_ProcessState_kConnected, PJRT_ProcessState_kError,
} PJRT_ProcessState;

typedef enum PJRT_Buffer_Type {
    PJRT_Buffer_Type_INVALID, PJRT_Buffer_Type_PRED, PJRT_Buffer_Type_S8, PJRT_Buffer_Type_S16, PJRT_Buffer_Type_S32,
    PJRT_Buffer_Type_S64, PJRT_Buffer_Type_U8, PJRT_Buffer_Type_U16, PJRT_Buffer_Type_U32, PJRT_Buffer_Type_U64,
    PJRT_Buffer_Type_F16, PJRT_Buffer_Type_F32, PJRT_Buffer_Type_F64, PJRT_Buffer_Type_BF16, PJRT_Buffer_Type_C64,
    PJRT_Buffer_Type_C128, PJRT_Buffer_Type_F8E5M2, PJRT_Buffer_Type_F8E4M3FN, PJRT_Buffer_Type_F8E4M3B11FNUZ,
    PJRT_Buffer_Type_F8E5M2FNUZ, PJRT_Buffer_Type_F8E4M3FNUZ, PJRT_Buffer_Type_S4, PJRT_Buffer_Type_U4,
    PJRT_Buffer_Type_TOKEN, PJRT_Buffer_Type_S2, PJRT_Buffer_Type_U2, PJRT_Buffer_Type_F8E4M3,
    PJRT_Buffer_Type_F8E3M4, PJRT_Buffer_Type_F8E8M0FNU, PJRT_Buffer_Type_F4E2M1FN, PJRT_Buffer_Type_S1,
    PJRT_Buffer_Type_U1, PJRT_Buffer_Type_F6E2M3FN, PJRT_Buffer_Type_F6E3M2FN,
} PJRT_Buffer_Type;

typedef enum PJRT_HostBufferSemantics {
    PJRT_HostBufferSemantics_kImmutableOnlyDuringCall, PJRT_HostBufferSemantics_kImmutableUntilTransferCompletes,
    PJRT_HostBufferSemantics_kImmutableZeroCopy, PJRT_HostBufferSemantics_kMutableZeroCopy,
} PJRT_HostBufferSemantics;

typedef enum PJRT_Buffer_MemoryLayout_Type {
    PJRT_Buffer_MemoryLayout_Type_Tiled, PJRT_Buffer_MemoryLayout_Type_Strides,
} PJRT_Buffer_MemoryLayout_Type;

/* ---- functions that a client hands in ---- */

typedef void (*PJRT_Error_PayloadVisitor)(const char *, size_t, const char *, size_t, void *);
typedef PJRT_Error *(*PJRT_CallbackError)(PJRT_Error_Code, const char *, size_t);
typedef void (*PJRT_Event_OnReadyCallback)(PJRT_Error *, void *);
typedef void (*PJRT_KeyValueGetCallback_ValueDeleter)(char *);
typedef PJRT_Error *(*PJRT_KeyValueGetCallback)(PJRT_KeyValueGetCallback_Args *);
typedef void (*PJRT_KeyValueTryGetCallback_ValueDeleter)(char *);
typedef PJRT_Error *(*PJRT_KeyValueTryGetCallback)(PJRT_KeyValueTryGetCallback_Args *);
typedef PJRT_Error *(*PJRT_KeyValuePutCallback)(PJRT_KeyValuePutCallback_Args *);
typedef PJRT_Error *(*PJRT_SendCallback)(PJRT_Chunk *, PJRT_CallbackError *, size_t, bool, void *);
typedef void (*PJRT_RecvCallback)(PJRT_CopyToDeviceStream *, void *);
typedef void (*PJRT_HloOutputCallback)(int64_t, int64_t, const void *, const int64_t *, size_t, PJRT_Buffer_Type, int64_t,
                                       void *);

/* ---- structs that are no arguments of functions ---- */

struct PJRT_Extension_Base {
    size_t struct_size; PJRT_Extension_Type type; PJRT_Extension_Base *next;
};
FL_PJRT_SIZE(PJRT_Extension_Base, next);

struct PJRT_Api_Version {
    size_t struct_size; PJRT_Extension_Base *extension_start; int major_version; int minor_version;
};
FL_PJRT_SIZE(PJRT_Api_Version, minor_version);

struct PJRT_Error_FunctionTable {
    size_t struct_size; size_t instance_size; PJRT_Extension_Base *extension_start; void (*destroy)(PJRT_Error *);
    void (*message)(const PJRT_Error *, const char **, size_t *); PJRT_Error_Code (*get_code)(const PJRT_Error *);
    void (*for_each_payload)(const PJRT_Error *, PJRT_Error_PayloadVisitor, void *);
};
FL_PJRT_SIZE(PJRT_Error_FunctionTable, for_each_payload);

struct PJRT_Error {
    const PJRT_Error_FunctionTable *vtable;
};
FL_PJRT_SIZE(PJRT_Error, vtable);

struct PJRT_NamedValue {
    size_t struct_size; PJRT_Extension_Base *extension_start; const char *name; size_t name_size;
    PJRT_NamedValue_Type type;
    union {
        const char *string_value;
        int64_t int64_value;
        const int64_t *int64_array_value;
        float float_value;
        bool bool_value;
    };
    size_t value_size;
};
FL_PJRT_SIZE(PJRT_NamedValue, value_size);

struct PJRT_Memory_FunctionTable {
    size_t struct_size; PJRT_Extension_Base *extension_start; size_t instance_struct_size;
    void *(*get_user_data)(PJRT_Memory *, const void *);
    void (*set_user_data)(PJRT_Memory *, const void *, void *, void (*)(void *));
};
FL_PJRT_SIZE(PJRT_Memory_FunctionTable, set_user_data);

struct PJRT_Memory {
    const PJRT_Memory_FunctionTable *vtable;
};
FL_PJRT_SIZE(PJRT_Memory, vtable);

struct PJRT_KeyValueGetCallback_Args {
    size_t struct_size; PJRT_Extension_Base *extension_start; const char *key; size_t key_size; int timeout_in_ms;
    PJRT_CallbackError *callback_error; void *user_arg; /* out */ char *value; size_t value_size;
    PJRT_KeyValueGetCallback_ValueDeleter value_deleter_callback;
};
FL_PJRT_SIZE(PJRT_KeyValueGetCallback_Args, value_deleter_callback);

struct PJRT_KeyValueTryGetCallback_Args {
    size_t struct_size; PJRT_Extension_Base *extension_start; const char *key; size_t key_size;
    PJRT_CallbackError *callback_error; void *user_arg; /* out */ char *value; size_t value_size;
    PJRT_KeyValueTryGetCallback_ValueDeleter value_deleter_callback;
};
FL_PJRT_SIZE(PJRT_KeyValueTryGetCallback_Args, value_deleter_callback);

struct PJRT_KeyValuePutCallback_Args {
    size_t struct_size; PJRT_Extension_Base *extension_start; const char *key; size_t key_size; const char *value;
    size_t value_size; PJRT_CallbackError *callback_error; void *user_arg;
};
FL_PJRT_SIZE(PJRT_KeyValuePutCallback_Args, user_arg);

struct PJRT_ProcessInfo {
    size_t struct_size; int task_id; uint64_t incarnation_id; PJRT_ProcessState state; int error_code;
    const char *error_message; size_t error_message_size;
};
FL_PJRT_SIZE(PJRT_ProcessInfo, error_message_size);

struct PJRT_Program {
    size_t struct_size; PJRT_Extension_Base *extension_start; char *code; size_t code_size; const char *format;
    size_t format_size;
};
FL_PJRT_SIZE(PJRT_Program, format_size);

struct PJRT_Buffer_MemoryLayout_Tiled {
    size_t struct_size; PJRT_Extension_Base *extension_start; const int64_t *minor_to_major;
    size_t minor_to_major_size; const int64_t *tile_dims; const size_t *tile_dim_sizes; size_t num_tiles;
};
FL_PJRT_SIZE(PJRT_Buffer_MemoryLayout_Tiled, num_tiles);

struct PJRT_Buffer_MemoryLayout_Strides {
    size_t struct_size; PJRT_Extension_Base *extension_start; const int64_t *byte_strides; size_t num_byte_strides;
};
FL_PJRT_SIZE(PJRT_Buffer_MemoryLayout_Strides, num_byte_strides);

struct PJRT_Buffer_MemoryLayout {
    size_t struct_size; PJRT_Extension_Base *extension_start;
    union {
        PJRT_Buffer_MemoryLayout_Tiled tiled;
        PJRT_Buffer_MemoryLayout_Strides strides;
    };
    PJRT_Buffer_MemoryLayout_Type type;
};
FL_PJRT_SIZE(PJRT_Buffer_MemoryLayout, type);

struct PJRT_ShapeSpec {
    size_t struct_size; PJRT_Extension_Base *extension_start; const int64_t *dims; size_t num_dims;
    PJRT_Buffer_Type element_type;
};
FL_PJRT_SIZE(PJRT_ShapeSpec, element_type);

struct PJRT_LogicalDeviceIds {
    int replica; int partition;
};

struct PJRT_Chunk {
    void *data; size_t size; void (*deleter)(void *, void *); void *deleter_arg;
};

struct PJRT_SendCallbackInfo {
    int64_t channel_id; void *user_arg; PJRT_SendCallback send_callback;
};
FL_PJRT_SIZE(PJRT_SendCallbackInfo, send_callback);

struct PJRT_RecvCallbackInfo {
    int64_t channel_id; void *user_arg; PJRT_RecvCallback recv_callback;
};
FL_PJRT_SIZE(PJRT_RecvCallbackInfo, recv_callback);

struct PJRT_HloOutputCallbackInfo {
    void *user_arg; PJRT_HloOutputCallback callback; int64_t callback_id; size_t num_operands;
};
FL_PJRT_SIZE(PJRT_HloOutputCallbackInfo, num_operands);

struct PJRT_ExecuteOptions {
    size_t struct_size; PJRT_Extension_Base *extension_start; PJRT_SendCallbackInfo **send_callbacks;
    PJRT_RecvCallbackInfo **recv_callbacks; size_t num_send_ops; size_t num_recv_ops; int launch_id;
    const int64_t *non_donatable_input_indices; size_t num_non_donatable_input_indices; PJRT_ExecuteContext *context;
    const char *call_location; size_t num_tasks; int *task_ids; int64_t *incarnation_ids;
    PJRT_MultiSlice_Config *multi_slice_config; bool use_major_to_minor_data_layout_for_callbacks;
    PJRT_HloOutputCallbackInfo *hlo_output_callbacks; size_t num_hlo_output_callbacks;
};
FL_PJRT_SIZE(PJRT_ExecuteOptions, num_hlo_output_callbacks);

struct PJRT_LoadOptions {
    size_t struct_size; const int32_t *computation_origin; size_t computation_origin_size;
    PJRT_MultiSlice_Config *multi_slice_config;
};
FL_PJRT_SIZE(PJRT_LoadOptions, multi_slice_config);

struct PJRT_Buffer_CopyRawToHostFuture_Callback_Args {
    size_t struct_size; void *callback_data; PJRT_Error_Code error_code; const char *error_message;
    size_t error_message_size; void *dst;
};
FL_PJRT_SIZE(PJRT_Buffer_CopyRawToHostFuture_Callback_Args, dst);

struct PJRT_Buffer_DonateWithControlDependency_Callback_Args {
    size_t struct_size; void *callback_data; PJRT_Error_Code error_code; const char *error_message;
    size_t error_message_size;
};
FL_PJRT_SIZE(PJRT_Buffer_DonateWithControlDependency_Callback_Args, error_message_size);

/* ---- functions and their arguments: NAME, and NAME_Args with NAME_Args_STRUCT_SIZE ---- */

#define FL_PJRT_ARGS(name, last_field, ...)                                                                             \
    typedef struct name##_Args {                                                                                        \
        size_t struct_size;                                                                                             \
        PJRT_Extension_Base *extension_start;                                                                           \
        __VA_ARGS__                                                                                                     \
    } name##_Args;                                                                                                      \
    FL_PJRT_SIZE(name##_Args, last_field);

#define PJRT_FUNCTION(name, last_field, ...)                                                                            \
    FL_PJRT_ARGS(name, last_field, __VA_ARGS__)                                                                         \
    typedef PJRT_Error *name(name##_Args *);
#define PJRT_FUNCTION_VOID(name, last_field, ...)                                                                       \
    FL_PJRT_ARGS(name, last_field, __VA_ARGS__)                                                                         \
    typedef void name(name##_Args *);
#include "pjrt/pjrt_functions.def"

/* What the one exported function of a plugin returns; lives as long as the process. */
typedef struct PJRT_Api {
    size_t struct_size;
    PJRT_Extension_Base *extension_start;
    PJRT_Api_Version pjrt_api_version;
#define PJRT_FUNCTION(name, ...) name *name;
#include "pjrt/pjrt_functions.def"
} PJRT_Api;
FL_PJRT_SIZE(PJRT_Api, PJRT_TopologyDescription_GetMemorySpaceKindIds);

const PJRT_Api *GetPjrtApi(void);

#endif
