/* Foreign functions: handlers that clients register, for custom calls of their names.
 *
 * plugin_ffi.c keeps handlers and types, and is the extension; plugin_ffi_api.c is what handlers may call; plugin_ffi_attrs.c gives
 * them attributes; plugin_ffi_call.c has the calls of a program, and makes them. */
#ifndef FL_PJRT_PLUGIN_FFI_H
#define FL_PJRT_PLUGIN_FFI_H

#include "base/arena.h"
#include "pjrt/ffi_abi.h"
#include "pjrt/plugin.h"
#include "ref/custom.h"

/* ---- the registry: what is in it stays as long as the process ---- */

typedef struct fl_ffi_handler {
    struct fl_ffi_handler *next;
    XLA_FFI_Handler_Bundle bundle;
    char name[];
} fl_ffi_handler;

fl_status fl_ffi_register(XLA_FFI_ByteSpan name, XLA_FFI_ByteSpan platform,
                          const XLA_FFI_Handler_Bundle *bundle);
const fl_ffi_handler *fl_ffi_find(const char *name); /* NULL: none */
/* 0 in *id: gets the type's number, a new one if the name is new. Else the number must be free, or that of the name. */
fl_status fl_ffi_register_type(XLA_FFI_ByteSpan name, int64_t *id, void (*deleter)(void *));
int fl_ffi_type_deleter(int64_t id, void (**out)(void *)); /* 0: no such type; *out may be NULL */

/* ---- what handlers may call ---- */

typedef struct fl_ffi_value {
    int64_t type;
    void *data;
} fl_ffi_value;

/* What an execution gives the calls in it. */
typedef struct fl_ffi_run {
    int64_t id;
    int32_t device;
    size_t value_count; /* of the client's execute context */
    const fl_ffi_value *values;
} fl_ffi_run;

fl_status fl_execute_context_add(PJRT_ExecuteContext *context, int64_t type, void *data);

enum { FL_FFI_STAGES = 4 };

struct XLA_FFI_InvokeContext {
    const fl_ffi_run *run;               /* NULL while an executable is made */
    fl_ffi_value *states[FL_FFI_STAGES]; /* type 0: none */
};

const XLA_FFI_Api *fl_ffi_api(void);
/* Calls it, and waits for what it does later. */
fl_status fl_ffi_invoke(XLA_FFI_Handler *handler, XLA_FFI_CallFrame *frame);
void fl_ffi_free_state(fl_ffi_value *state); /* by its type's deleter; becomes none */

/* ---- attributes ---- */

/* FFI's numbers are PJRT's but for these; INVALID: a type that it has not. */
XLA_FFI_DataType fl_ffi_type(const fl_type *type);
/* A dictionary as a handler sees it, in the arena; `dict` may be NULL. */
fl_status fl_ffi_attrs(fl_arena *arena, const fl_literal *dict, XLA_FFI_Attrs *out);

/* ---- calls ---- */

typedef struct fl_ffi_calls fl_ffi_calls; /* those of one program */
/* Numbers the calls of registered handlers in their backend_config, which is not needed any more, and instantiates them. The types
 * and attributes of the program are referred to. *out is NULL when there are none. */
fl_status fl_ffi_calls_create(fl_program *program, fl_ffi_calls **out);
void fl_ffi_calls_free(fl_ffi_calls *calls); /* NULL is fine */
fl_status fl_ffi_call(const fl_ffi_calls *calls, int64_t number, const fl_custom_args *args,
                      const fl_ffi_run *run);
int fl_ffi_is_call(const fl_op *op); /* it has a number */

#endif
