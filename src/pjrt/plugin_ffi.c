/* Registered handlers and types of foreign functions, and the extension through which clients register them. */
#include "pjrt/plugin_ffi.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef struct type_entry {
    struct type_entry *next;
    int64_t id;
    void (*deleter)(void *);
    size_t size;
    char name[];
} type_entry;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* never held while a client's function runs */
static fl_ffi_handler *handlers;
static type_entry *types;
static int64_t last_type;

/* ---- handlers ---- */

static fl_ffi_handler *find(const char *name)
{
    fl_ffi_handler *h = handlers;
    while (h && strcmp(h->name, name)) h = h->next;
    return h;
}

const fl_ffi_handler *fl_ffi_find(const char *name)
{
    pthread_mutex_lock(&lock);
    const fl_ffi_handler *h = find(name);
    pthread_mutex_unlock(&lock);
    return h;
}

static fl_status check_platform(XLA_FFI_ByteSpan platform)
{
    static const char *const known[] = {"flambeau", "tpu"};
    char text[104];
    fl_plugin_quote(platform.ptr, platform.len, text);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcasecmp(text, known[i])) return NULL;
    return fl_error(FL_INVALID, "expected a handler for the platform flambeau or tpu, got \"%s\"", text);
}

/* Asks the handler which version of the interface it was made for. */
static fl_status check_version(XLA_FFI_Handler *handler)
{
    XLA_FFI_Metadata data = {.struct_size = XLA_FFI_Metadata_STRUCT_SIZE,
                             .api_version = {.struct_size = XLA_FFI_Api_Version_STRUCT_SIZE}};
    XLA_FFI_Metadata_Extension extension = {
        {XLA_FFI_Metadata_Extension_STRUCT_SIZE, XLA_FFI_Extension_Metadata, NULL}, &data};
    XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                               .extension_start = &extension.extension_base,
                               .api = fl_ffi_api(),
                               .stage = XLA_FFI_ExecutionStage_EXECUTE,
                               .args = {.struct_size = XLA_FFI_Args_STRUCT_SIZE},
                               .rets = {.struct_size = XLA_FFI_Rets_STRUCT_SIZE},
                               .attrs = {.struct_size = XLA_FFI_Attrs_STRUCT_SIZE}};
    FL_TRY(fl_ffi_invoke(handler, &frame));
    FL_CHECK(data.api_version.major_version == XLA_FFI_API_MAJOR, FL_UNSUPPORTED,
             "expected a handler of version %d of the interface, got version %d.%d", XLA_FFI_API_MAJOR,
             data.api_version.major_version, data.api_version.minor_version);
    return NULL;
}

static fl_status add_handler(fl_ffi_handler *h)
{
    fl_status status = NULL;
    pthread_mutex_lock(&lock);
    const fl_ffi_handler *old = find(h->name);
    if (old && memcmp(&old->bundle, &h->bundle, sizeof h->bundle))
        status = fl_error(FL_PJRT_CODE(PJRT_Error_Code_ALREADY_EXISTS), "%s has another handler", h->name);
    if (!old) {
        h->next = handlers;
        handlers = h;
    }
    pthread_mutex_unlock(&lock);
    if (old) free(h);
    return status;
}

fl_status fl_ffi_register(XLA_FFI_ByteSpan name, XLA_FFI_ByteSpan platform,
                          const XLA_FFI_Handler_Bundle *bundle)
{
    FL_CHECK(name.ptr && name.len && !memchr(name.ptr, 0, name.len), FL_INVALID,
             "expected the name of a custom call");
    FL_CHECK(bundle->execute, FL_INVALID, "expected a handler, got NULL");
    FL_TRY(check_platform(platform));
    FL_TRY(check_version(bundle->execute));
    fl_ffi_handler *h = calloc(1, sizeof *h + name.len + 1);
    FL_CHECK(h, FL_OOM, "out of host memory");
    memcpy(h->name, name.ptr, name.len);
    h->bundle = *bundle;
    return add_handler(h);
}

/* ---- types ---- */

static type_entry *find_type(int64_t id, XLA_FFI_ByteSpan name)
{
    type_entry *t = types;
    while (t && t->id != id && !(t->size == name.len && !memcmp(t->name, name.ptr, name.len))) t = t->next;
    return t;
}

static fl_status add_type(XLA_FFI_ByteSpan name, int64_t *id, void (*deleter)(void *))
{
    const type_entry *old = find_type(*id, name);
    if (old) {
        int same = old->size == name.len && !memcmp(old->name, name.ptr, name.len);
        FL_CHECK(same && (!*id || *id == old->id), FL_INVALID,
                 "type %.*s: expected number %lld of type %.*s, got %lld", (int)name.len, name.ptr,
                 (long long)old->id, (int)old->size, old->name, (long long)*id);
        *id = old->id;
        return NULL;
    }
    type_entry *t = malloc(sizeof *t + name.len + 1);
    FL_CHECK(t, FL_OOM, "out of host memory");
    memcpy(t->name, name.ptr, name.len);
    t->size = name.len;
    t->deleter = deleter;
    t->id = *id ? *id : last_type + 1;
    if (t->id > last_type) last_type = t->id;
    *id = t->id;
    t->next = types;
    types = t;
    return NULL;
}

fl_status fl_ffi_register_type(XLA_FFI_ByteSpan name, int64_t *id, void (*deleter)(void *))
{
    FL_CHECK(name.ptr && name.len && name.len < 4096, FL_INVALID, "expected the name of a type");
    FL_CHECK(*id >= 0 && *id < INT64_MAX, FL_INVALID, "expected the number of a type, got %lld",
             (long long)*id);
    pthread_mutex_lock(&lock);
    fl_status status = add_type(name, id, deleter);
    pthread_mutex_unlock(&lock);
    return status;
}

int fl_ffi_type_deleter(int64_t id, void (**out)(void *))
{
    pthread_mutex_lock(&lock);
    const type_entry *t = id ? find_type(id, (XLA_FFI_ByteSpan){"", SIZE_MAX}) : NULL;
    *out = t ? t->deleter : NULL;
    pthread_mutex_unlock(&lock);
    return t != NULL;
}

/* ---- the extension ---- */

/* The structs have not grown, so the whole one is asked for. */
#define ENTER(name)                                                                                          \
    if (!args || args->struct_size < name##_Args_STRUCT_SIZE)                                                \
        return fl_plugin_error(fl_error(FL_INVALID, #name ": expected struct_size of at least %d",           \
                                        (int)name##_Args_STRUCT_SIZE));

static PJRT_Error *type_register(PJRT_FFI_Type_Register_Args *args)
{
    ENTER(PJRT_FFI_Type_Register)
    return fl_plugin_error(fl_ffi_register_type((XLA_FFI_ByteSpan){args->type_name, args->type_name_size},
                                                &args->type_id,
                                                args->type_info ? args->type_info->deleter : NULL));
}

static PJRT_Error *user_data_add(PJRT_FFI_UserData_Add_Args *args)
{
    ENTER(PJRT_FFI_UserData_Add)
    if (!args->context) return fl_plugin_error(fl_error(FL_INVALID, "expected a context, got NULL"));
    return fl_plugin_error(
        fl_execute_context_add(args->context, args->user_data.type_id, args->user_data.data));
}

static PJRT_Error *register_handler(PJRT_FFI_Register_Handler_Args *args)
{
    ENTER(PJRT_FFI_Register_Handler)
    const XLA_FFI_Handler_Bundle bundle = {.execute = (XLA_FFI_Handler *)args->handler};
    return fl_plugin_error(fl_ffi_register((XLA_FFI_ByteSpan){args->target_name, args->target_name_size},
                                           (XLA_FFI_ByteSpan){args->platform_name, args->platform_name_size},
                                           &bundle));
}

PJRT_FFI_Extension fl_plugin_ffi_extension = {
    .base = {PJRT_FFI_Extension_STRUCT_SIZE, PJRT_Extension_Type_FFI, NULL},
    .type_register = type_register,
    .user_data_add = user_data_add,
    .register_handler = register_handler,
};
