/* XLA's foreign function interface, version 0.5: our own declarations. Names, layouts and values are the interface that handlers are
 * compiled against; tests compare them with a table, and handlers of the published header run on them.
 *
 * A handler is called with a frame: arguments, results and attributes, and the table of functions that it may call. Structs begin
 * with struct_size as those of PJRT do. Handlers compare that of a frame with their own, so it may not grow. */
#ifndef FL_PJRT_FFI_ABI_H
#define FL_PJRT_FFI_ABI_H

#include "pjrt/pjrt_abi.h"

#define XLA_FFI_API_MAJOR 0
#define XLA_FFI_API_MINOR 5

typedef struct XLA_FFI_Api XLA_FFI_Api;
typedef struct XLA_FFI_InternalApi XLA_FFI_InternalApi;
typedef struct XLA_FFI_Error XLA_FFI_Error;
typedef struct XLA_FFI_InvokeContext XLA_FFI_InvokeContext;
typedef struct XLA_FFI_Future XLA_FFI_Future;
typedef struct XLA_FFI_CallFrame XLA_FFI_CallFrame;

/* ---- values ---- */

typedef enum XLA_FFI_InternalExtension_Type { XLA_FFI_Extension_Metadata = 1 } XLA_FFI_InternalExtension_Type;

/* The codes are those of PJRT_Error_Code. */
typedef enum XLA_FFI_Error_Code {
    XLA_FFI_Error_Code_OK, XLA_FFI_Error_Code_CANCELLED, XLA_FFI_Error_Code_UNKNOWN,
    XLA_FFI_Error_Code_INVALID_ARGUMENT, XLA_FFI_Error_Code_DEADLINE_EXCEEDED, XLA_FFI_Error_Code_NOT_FOUND,
    XLA_FFI_Error_Code_ALREADY_EXISTS, XLA_FFI_Error_Code_PERMISSION_DENIED,
    XLA_FFI_Error_Code_RESOURCE_EXHAUSTED, XLA_FFI_Error_Code_FAILED_PRECONDITION, XLA_FFI_Error_Code_ABORTED,
    XLA_FFI_Error_Code_OUT_OF_RANGE, XLA_FFI_Error_Code_UNIMPLEMENTED, XLA_FFI_Error_Code_INTERNAL,
    XLA_FFI_Error_Code_UNAVAILABLE, XLA_FFI_Error_Code_DATA_LOSS, XLA_FFI_Error_Code_UNAUTHENTICATED,
} XLA_FFI_Error_Code;

typedef enum XLA_FFI_DataType {
    XLA_FFI_DataType_INVALID, XLA_FFI_DataType_PRED, XLA_FFI_DataType_S8, XLA_FFI_DataType_S16,
    XLA_FFI_DataType_S32, XLA_FFI_DataType_S64, XLA_FFI_DataType_U8, XLA_FFI_DataType_U16, XLA_FFI_DataType_U32,
    XLA_FFI_DataType_U64, XLA_FFI_DataType_F16, XLA_FFI_DataType_F32, XLA_FFI_DataType_F64,
    XLA_FFI_DataType_C64 = 15, XLA_FFI_DataType_BF16, XLA_FFI_DataType_TOKEN, XLA_FFI_DataType_C128,
    XLA_FFI_DataType_F8E5M2, XLA_FFI_DataType_F8E4M3FN, XLA_FFI_DataType_S4, XLA_FFI_DataType_U4,
    XLA_FFI_DataType_F8E4M3B11FNUZ, XLA_FFI_DataType_F8E5M2FNUZ, XLA_FFI_DataType_F8E4M3FNUZ,
    XLA_FFI_DataType_S2, XLA_FFI_DataType_U2, XLA_FFI_DataType_F8E4M3, XLA_FFI_DataType_F8E3M4,
    XLA_FFI_DataType_S1, XLA_FFI_DataType_U1, XLA_FFI_DataType_F4E2M1FN, XLA_FFI_DataType_F8E8M0FNU,
} XLA_FFI_DataType;

typedef enum XLA_FFI_ArgType { XLA_FFI_ArgType_BUFFER = 1 } XLA_FFI_ArgType;
typedef enum XLA_FFI_RetType { XLA_FFI_RetType_BUFFER = 1 } XLA_FFI_RetType;
typedef enum XLA_FFI_AttrType {
    XLA_FFI_AttrType_ARRAY = 1, XLA_FFI_AttrType_DICTIONARY, XLA_FFI_AttrType_SCALAR, XLA_FFI_AttrType_STRING,
} XLA_FFI_AttrType;

typedef enum XLA_FFI_ExecutionStage {
    XLA_FFI_ExecutionStage_INSTANTIATE, XLA_FFI_ExecutionStage_PREPARE, XLA_FFI_ExecutionStage_INITIALIZE,
    XLA_FFI_ExecutionStage_EXECUTE, XLA_FFI_ExecutionStage_RECORD,
} XLA_FFI_ExecutionStage;

/* ---- structs ---- */

typedef struct XLA_FFI_InternalExtension XLA_FFI_InternalExtension;
struct XLA_FFI_InternalExtension {
    size_t struct_size; XLA_FFI_InternalExtension_Type type; XLA_FFI_InternalExtension *next;
};
FL_PJRT_SIZE(XLA_FFI_InternalExtension, next);

typedef struct XLA_FFI_ExtensionId {
    int64_t extension_type; int32_t major_version; int32_t minor_version;
} XLA_FFI_ExtensionId;
FL_PJRT_SIZE(XLA_FFI_ExtensionId, minor_version);
typedef struct XLA_FFI_Extension XLA_FFI_Extension;
struct XLA_FFI_Extension {
    size_t struct_size; XLA_FFI_ExtensionId id; const XLA_FFI_Extension *next;
};
FL_PJRT_SIZE(XLA_FFI_Extension, next);

typedef struct XLA_FFI_ByteSpan {
    const char *ptr; size_t len;
} XLA_FFI_ByteSpan;
typedef struct XLA_FFI_Scalar {
    XLA_FFI_DataType dtype; void *value;
} XLA_FFI_Scalar;
typedef struct XLA_FFI_Array {
    XLA_FFI_DataType dtype; size_t size; void *data;
} XLA_FFI_Array;
typedef struct XLA_FFI_TypeId {
    int64_t type_id;
} XLA_FFI_TypeId;
typedef void XLA_FFI_Task(void *data);
typedef XLA_FFI_Error *XLA_FFI_Handler(XLA_FFI_CallFrame *call_frame);
typedef uint32_t XLA_FFI_Handler_Traits;
typedef struct XLA_FFI_Handler_Bundle { /* of each stage; only `execute` must be there */
    XLA_FFI_Handler *instantiate; XLA_FFI_Handler *prepare; XLA_FFI_Handler *initialize; XLA_FFI_Handler *execute;
    XLA_FFI_Handler *record; /* not before version 0.5 */
} XLA_FFI_Handler_Bundle;

/* NAME with its size, which ends behind its last field. */
#define FFI_STRUCT(name, last_field, ...)                                                                               \
    typedef struct name {                                                                                               \
        size_t struct_size;                                                                                             \
        XLA_FFI_InternalExtension *extension_start;                                                                        \
        __VA_ARGS__                                                                                                     \
    } name;                                                                                                             \
    FL_PJRT_SIZE(name, last_field);

FFI_STRUCT(XLA_FFI_Api_Version, minor_version, int major_version; int minor_version;)
FFI_STRUCT(XLA_FFI_Buffer, dims, XLA_FFI_DataType dtype; void *data; int64_t rank; int64_t *dims;)
FFI_STRUCT(XLA_FFI_TypeInfo, deleter, void (*deleter)(void *object);)
FFI_STRUCT(XLA_FFI_Args, args, int64_t size; XLA_FFI_ArgType *types; void **args;)
FFI_STRUCT(XLA_FFI_Rets, rets, int64_t size; XLA_FFI_RetType *types; void **rets;)
FFI_STRUCT(XLA_FFI_Attrs, attrs, int64_t size; XLA_FFI_AttrType *types; XLA_FFI_ByteSpan **names; void **attrs;)

struct XLA_FFI_CallFrame { /* its size leaves out the last field */
    size_t struct_size; XLA_FFI_InternalExtension *extension_start; const XLA_FFI_Api *api;
    XLA_FFI_InvokeContext *ctx; XLA_FFI_ExecutionStage stage; XLA_FFI_Args args; XLA_FFI_Rets rets;
    XLA_FFI_Attrs attrs; /* out */ XLA_FFI_Future *future;
};
FL_PJRT_SIZE(XLA_FFI_CallFrame, attrs);

/* What a handler that is called with this extension says of itself. */
typedef struct XLA_FFI_Metadata { /* so does this one */
    size_t struct_size; XLA_FFI_Api_Version api_version; XLA_FFI_Handler_Traits traits; XLA_FFI_TypeId state_type_id;
} XLA_FFI_Metadata;
FL_PJRT_SIZE(XLA_FFI_Metadata, traits);
typedef struct XLA_FFI_Metadata_Extension {
    XLA_FFI_InternalExtension extension_base; XLA_FFI_Metadata *metadata;
} XLA_FFI_Metadata_Extension;
FL_PJRT_SIZE(XLA_FFI_Metadata_Extension, metadata);

/* ---- functions and their arguments ---- */

#define FFI_FUNCTION_OF(returns, name, last_field, ...)                                                                 \
    FFI_STRUCT(name##_Args, last_field, __VA_ARGS__)                                                                    \
    typedef returns name(name##_Args *);
#define FFI_FUNCTION(name, last_field, ...) FFI_FUNCTION_OF(XLA_FFI_Error *, name, last_field, __VA_ARGS__)

FFI_FUNCTION(XLA_FFI_Error_Create, errc, const char *message; XLA_FFI_Error_Code errc;)
FFI_FUNCTION_OF(void, XLA_FFI_Error_GetDetails, errc, XLA_FFI_Error *error; /* out */ const char *message;
                XLA_FFI_Error_Code errc;) /* not before version 0.5 */
FFI_FUNCTION_OF(void, XLA_FFI_Error_Destroy, error, XLA_FFI_Error *error;)
FFI_FUNCTION(XLA_FFI_Handler_Register, traits, XLA_FFI_ByteSpan name; XLA_FFI_ByteSpan platform;
             XLA_FFI_Handler_Bundle bundle; XLA_FFI_Handler_Traits traits;)
FFI_FUNCTION(XLA_FFI_Stream_Get, stream, XLA_FFI_InvokeContext *ctx; /* out */ void *stream;)
FFI_FUNCTION(XLA_FFI_Type_Register, type_id, XLA_FFI_ByteSpan name; /* in, out */ XLA_FFI_TypeId *type_id;
             const XLA_FFI_TypeInfo *type_info;) /* its size leaves out the last field */
FFI_FUNCTION(XLA_FFI_InvokeContext_Get, data, XLA_FFI_InvokeContext *ctx; XLA_FFI_TypeId *type_id;
             /* out */ void *data;)
FFI_FUNCTION(XLA_FFI_State_Set, state, XLA_FFI_InvokeContext *ctx; XLA_FFI_ExecutionStage stage;
             XLA_FFI_TypeId *type_id; void *state;)
FFI_FUNCTION(XLA_FFI_State_Get, state, XLA_FFI_InvokeContext *ctx; XLA_FFI_ExecutionStage stage;
             XLA_FFI_TypeId *type_id; /* out */ void *state;)
FFI_FUNCTION(XLA_FFI_DeviceMemory_Allocate, data, XLA_FFI_InvokeContext *ctx; size_t size; size_t alignment;
             /* out */ void *data;)
FFI_FUNCTION(XLA_FFI_DeviceMemory_Free, data, XLA_FFI_InvokeContext *ctx; size_t size; void *data;)
FFI_FUNCTION(XLA_FFI_ThreadPool_Schedule, data, XLA_FFI_InvokeContext *ctx; XLA_FFI_Task *task; void *data;)
FFI_FUNCTION(XLA_FFI_ThreadPool_NumThreads, num_threads, XLA_FFI_InvokeContext *ctx; /* out */ int64_t *num_threads;)
FFI_FUNCTION(XLA_FFI_Future_Create, extension_start, /* out */ XLA_FFI_Future *future;)
FFI_FUNCTION(XLA_FFI_Future_SetAvailable, future, XLA_FFI_Future *future;)
FFI_FUNCTION(XLA_FFI_Future_SetError, error, XLA_FFI_Future *future; XLA_FFI_Error *error;)
FFI_FUNCTION(XLA_FFI_RunId_Get, run_id, XLA_FFI_InvokeContext *ctx; /* out */ int64_t run_id;)
FFI_FUNCTION(XLA_FFI_DeviceOrdinal_Get, device_ordinal, XLA_FFI_InvokeContext *ctx; /* out */ int32_t device_ordinal;)
FFI_FUNCTION(XLA_FFI_InvokeContext_FindExtension, extension, XLA_FFI_InvokeContext *ctx; int64_t extension_type;
             /* out */ const XLA_FFI_Extension *extension;)
FFI_FUNCTION(XLA_FFI_CustomOptions_Get, attrs, XLA_FFI_InvokeContext *ctx; /* out */ const XLA_FFI_Attrs *attrs;)

/* The functions in the order of the table. */
#define FL_FFI_FUNCTIONS(X)                                                                                             \
    X(Error_Create) X(Error_GetDetails) X(Error_Destroy) X(Handler_Register) X(Stream_Get) X(Type_Register)             \
    X(InvokeContext_Get) X(State_Set) X(State_Get) X(DeviceMemory_Allocate) X(DeviceMemory_Free)                     \
    X(ThreadPool_Schedule) X(ThreadPool_NumThreads) X(Future_Create) X(Future_SetAvailable) X(Future_SetError)          \
    X(RunId_Get) X(DeviceOrdinal_Get) X(InvokeContext_FindExtension) X(CustomOptions_Get)

struct XLA_FFI_Api {
    size_t struct_size; XLA_FFI_InternalExtension *extension_start; XLA_FFI_Api_Version api_version;
    const XLA_FFI_InternalApi *internal_api;
#define X(name) XLA_FFI_##name *XLA_FFI_##name;
    FL_FFI_FUNCTIONS(X)
#undef X
};
FL_PJRT_SIZE(XLA_FFI_Api, XLA_FFI_CustomOptions_Get);

#undef FFI_STRUCT
#undef FFI_FUNCTION
#undef FFI_FUNCTION_OF

#endif
