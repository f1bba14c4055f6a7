/* Loading a PJRT plugin, its client, and its errors. */
#include "pjrt/client_plugin.h"
#include "opt/opt.h"
#include "pjrt/client_cache.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OLDEST_MINOR 29 /* older ones lay out structs otherwise */

int fl_pjrt_has(const PJRT_Api *api, size_t offset)
{
    if (offset + sizeof(void *) > api->struct_size) return 0;
    void *function;
    memcpy(&function, (const char *)api + offset, sizeof function);
    return function != NULL;
}

/* ---- errors and events ---- */

/* What the codes mean here. The names of those that come out as more general ones are put into the message. */
#define CODES(X)                                                                                             \
    X(CANCELLED, FL_INTERNAL, 1)                                                                             \
    X(UNKNOWN, FL_INTERNAL, 0)                                                                               \
    X(INVALID_ARGUMENT, FL_INVALID, 0)                                                                       \
    X(DEADLINE_EXCEEDED, FL_INTERNAL, 1)                                                                     \
    X(NOT_FOUND, FL_INVALID, 1)                                                                              \
    X(ALREADY_EXISTS, FL_INVALID, 1)                                                                         \
    X(PERMISSION_DENIED, FL_INVALID, 1)                                                                      \
    X(RESOURCE_EXHAUSTED, FL_OOM, 0)                                                                         \
    X(FAILED_PRECONDITION, FL_INVALID, 1)                                                                    \
    X(ABORTED, FL_INTERNAL, 1)                                                                               \
    X(OUT_OF_RANGE, FL_INDEX, 0)                                                                             \
    X(UNIMPLEMENTED, FL_UNSUPPORTED, 0)                                                                      \
    X(INTERNAL, FL_INTERNAL, 0)                                                                              \
    X(UNAVAILABLE, FL_INTERNAL, 1)                                                                           \
    X(DATA_LOSS, FL_INTERNAL, 1)                                                                             \
    X(UNAUTHENTICATED, FL_INVALID, 1)

static fl_code code_of(PJRT_Error_Code code, const char **out_name)
{
    *out_name = "";
    switch (code) {
#define X(name, meaning, is_told)                                                                            \
    case PJRT_Error_Code_##name:                                                                             \
        if (is_told) *out_name = #name ": ";                                                                 \
        return meaning;
        CODES(X)
#undef X
    default: return FL_INTERNAL;
    }
}

static void destroy_error(const PJRT_Api *api, PJRT_Error *error)
{
    FL_PJRT_CALL(destroy, PJRT_Error_Destroy, .error = error);
    if (error) api->PJRT_Error_Destroy(&destroy);
}

enum { MOST_MESSAGE = 4000, MOST_PAYLOAD = 1000 };

/* Adds " [key: value]"; what is no text is left out of the value. */
static void append_payload(const char *key, size_t key_size, const char *value, size_t value_size, void *user)
{
    fl_text *text = user;
    if (text->length > MOST_PAYLOAD) return;
    size_t n = value_size < MOST_PAYLOAD ? value_size : MOST_PAYLOAD, printable = 0;
    while (printable < n && ((unsigned char)value[printable] >= ' ' || value[printable] == '\n')) printable++;
    fl_text_printf(text, " [%.*s: %.*s]", (int)(key_size < 200 ? key_size : 200), key, (int)printable, value);
}

/* What the plugin attached to the error, if it can (0.99 and newer). */
static void read_payloads(const PJRT_Api *api, const PJRT_Error *error, fl_text *out)
{
    if (!FL_PJRT_HAS(api, PJRT_Error_ForEachPayload)) return;
    FL_PJRT_CALL(each, PJRT_Error_ForEachPayload, .error = error, .visitor = append_payload, .user_arg = out);
    destroy_error(api, api->PJRT_Error_ForEachPayload(&each));
}

fl_status fl_pjrt_error(const PJRT_Api *api, PJRT_Error *error, const char *what)
{
    if (!error) return NULL;
    fl_text payload = {0};
    const char *name;
    FL_PJRT_CALL(message, PJRT_Error_Message, .error = error);
    FL_PJRT_CALL(code, PJRT_Error_GetCode, .error = error);
    api->PJRT_Error_Message(&message);
    destroy_error(api, api->PJRT_Error_GetCode(&code));
    read_payloads(api, error, &payload);
    int length = message.message_size > MOST_MESSAGE ? MOST_MESSAGE : (int)message.message_size;
    fl_code meaning = code_of(code.code, &name);
    fl_status status = fl_error(meaning, "%s%s%s%.*s%s", what, *what ? ": " : "", name, length,
                                message.message ? message.message : "", payload.data ? payload.data : "");
    fl_text_free(&payload);
    destroy_error(api, error);
    return status;
}

void fl_pjrt_event_destroy(const PJRT_Api *api, PJRT_Event *event)
{
    FL_PJRT_CALL(destroy, PJRT_Event_Destroy, .event = event);
    if (event) destroy_error(api, api->PJRT_Event_Destroy(&destroy));
}

fl_status fl_pjrt_await(const PJRT_Api *api, PJRT_Event *event, const char *what)
{
    if (!event) return NULL;
    FL_PJRT_CALL(wait, PJRT_Event_Await, .event = event);
    fl_status status = fl_pjrt_error(api, api->PJRT_Event_Await(&wait), what);
    fl_pjrt_event_destroy(api, event);
    return status;
}

int fl_pjrt_ready(const PJRT_Api *api, PJRT_Event *event)
{
    FL_PJRT_CALL(ready, PJRT_Event_IsReady, .event = event);
    PJRT_Error *error = api->PJRT_Event_IsReady(&ready);
    destroy_error(api, error);
    return error || ready.is_ready;
}

void fl_pjrt_buffer_destroy(const PJRT_Api *api, PJRT_Buffer *buffer)
{
    FL_PJRT_CALL(destroy, PJRT_Buffer_Destroy, .buffer = buffer);
    if (buffer) destroy_error(api, api->PJRT_Buffer_Destroy(&destroy));
}

PJRT_Buffer_Type fl_pjrt_type(fl_dtype dtype)
{
    static const uint8_t types[FL_DTYPE_COUNT] = {
        [FL_I1] = PJRT_Buffer_Type_PRED,
        [FL_I2] = PJRT_Buffer_Type_S2,
        [FL_I4] = PJRT_Buffer_Type_S4,
        [FL_I8] = PJRT_Buffer_Type_S8,
        [FL_I16] = PJRT_Buffer_Type_S16,
        [FL_I32] = PJRT_Buffer_Type_S32,
        [FL_I64] = PJRT_Buffer_Type_S64,
        [FL_U2] = PJRT_Buffer_Type_U2,
        [FL_U4] = PJRT_Buffer_Type_U4,
        [FL_U8] = PJRT_Buffer_Type_U8,
        [FL_U16] = PJRT_Buffer_Type_U16,
        [FL_U32] = PJRT_Buffer_Type_U32,
        [FL_U64] = PJRT_Buffer_Type_U64,
        [FL_F4E2M1FN] = PJRT_Buffer_Type_F4E2M1FN,
        [FL_F6E2M3FN] = PJRT_Buffer_Type_F6E2M3FN,
        [FL_F6E3M2FN] = PJRT_Buffer_Type_F6E3M2FN,
        [FL_F8E3M4] = PJRT_Buffer_Type_F8E3M4,
        [FL_F8E4M3] = PJRT_Buffer_Type_F8E4M3,
        [FL_F8E4M3FN] = PJRT_Buffer_Type_F8E4M3FN,
        [FL_F8E4M3FNUZ] = PJRT_Buffer_Type_F8E4M3FNUZ,
        [FL_F8E4M3B11FNUZ] = PJRT_Buffer_Type_F8E4M3B11FNUZ,
        [FL_F8E5M2] = PJRT_Buffer_Type_F8E5M2,
        [FL_F8E5M2FNUZ] = PJRT_Buffer_Type_F8E5M2FNUZ,
        [FL_F8E8M0FNU] = PJRT_Buffer_Type_F8E8M0FNU,
        [FL_BF16] = PJRT_Buffer_Type_BF16,
        [FL_F16] = PJRT_Buffer_Type_F16,
        [FL_F32] = PJRT_Buffer_Type_F32,
        [FL_F64] = PJRT_Buffer_Type_F64,
        [FL_C64] = PJRT_Buffer_Type_C64,
        [FL_C128] = PJRT_Buffer_Type_C128,
    };
    return dtype < FL_DTYPE_COUNT ? (PJRT_Buffer_Type)types[dtype] : PJRT_Buffer_Type_INVALID;
}

/* ---- programs ---- */

fl_status fl_pjrt_serialize(const fl_pjrt_plugin *plugin, const fl_program *program, fl_text *out)
{
    fl_status status = plugin->knows_chlo ? fl_write_bytecode(program, plugin->version, out)
                                          : fl_write_artifact(program, plugin->version, out);
    if (fl_status_code(status) == FL_UNSUPPORTED) {
        fl_status_free(status);
        status = NULL;
        out->length = 0;
        fl_program_print(program, out);
    }
    if (!status && out->failed) status = fl_error(FL_OOM, "out of host memory");
    return status;
}

int64_t fl_pjrt_count_in_module(const fl_program *program, const char *name)
{
    const fl_literal *count = fl_literal_get(program->module_attrs, name);
    return count && count->kind == FL_LIT_INT ? count->u.i : 1;
}

/* ---- loading ---- */

static fl_status load(fl_pjrt_plugin *p)
{
    void *library = dlopen(p->path, RTLD_LAZY | RTLD_LOCAL);
    FL_CHECK(library, FL_INVALID, "cannot load the PJRT plugin: %s", dlerror());
    void *symbol = dlsym(library, "GetPjrtApi");
    FL_CHECK(symbol, FL_INVALID, "%s is no PJRT plugin: it has no function GetPjrtApi", p->path);
    const PJRT_Api *(*get)(void);
    memcpy(&get, &symbol, sizeof get);
    const PJRT_Api *api = get();
    FL_CHECK(api, FL_INVALID, "%s: GetPjrtApi gave nothing", p->path);
    int major = api->pjrt_api_version.major_version, minor = api->pjrt_api_version.minor_version;
    FL_CHECK(major == PJRT_API_MAJOR && minor >= OLDEST_MINOR, FL_UNSUPPORTED,
             "%s: expected PJRT API version %d.%d or newer, got %d.%d", p->path, PJRT_API_MAJOR, OLDEST_MINOR,
             major, minor);
    FL_PJRT_CALL(initialize, PJRT_Plugin_Initialize, );
    FL_TRY(fl_pjrt_error(api, api->PJRT_Plugin_Initialize(&initialize), "PJRT_Plugin_Initialize"));
    p->api = api;
    return NULL;
}

static int is_named(const PJRT_NamedValue *a, const char *name)
{
    return a->name_size == strlen(name) && !memcmp(a->name, name, a->name_size);
}

/* The version that programs are written for: the plugin's, or ours where that is older. A plugin that does
 * not say gets one that every reader of these years knows. */
static fl_status read_attributes(fl_pjrt_plugin *p)
{
    fl_vhlo_version ours = fl_stablehlo_version();
    FL_PJRT_CALL(args, PJRT_Plugin_Attributes, );
    FL_TRY(fl_pjrt_error(p->api, p->api->PJRT_Plugin_Attributes(&args), "PJRT_Plugin_Attributes"));
    p->version = (fl_vhlo_version){1, 0, 0};
    for (size_t i = 0; i < args.num_attributes; i++) {
        const PJRT_NamedValue *a = &args.attributes[i];
        if (is_named(a, "survives_fork") && a->type == PJRT_NamedValue_kBool)
            p->survives_fork = a->bool_value;
        if (is_named(a, "knows_chlo") && a->type == PJRT_NamedValue_kBool) p->knows_chlo = a->bool_value;
        if (!is_named(a, "stablehlo_current_version")) continue;
        if (a->type != PJRT_NamedValue_kInt64List || a->value_size != 3) continue;
        const int64_t *v = a->int64_array_value;
        p->version = (fl_vhlo_version){(int)v[0], (int)v[1], (int)v[2]};
        p->states_version = 1;
    }
    int newer = p->version.major != ours.major   ? p->version.major > ours.major
                : p->version.minor != ours.minor ? p->version.minor > ours.minor
                                                 : p->version.patch > ours.patch;
    if (newer) p->version = ours;
    return NULL;
}

static fl_status create_client(fl_pjrt_plugin *p)
{
    fl_pjrt_options options;
    FL_TRY(fl_pjrt_options_parse(getenv("TORCH_TPU_DEVICE_OPTIONS"), &options));
    FL_PJRT_CALL(create, PJRT_Client_Create, .create_options = options.values, .num_options = options.count);
    fl_status status = fl_pjrt_error(p->api, p->api->PJRT_Client_Create(&create), p->path);
    fl_pjrt_options_free(&options);
    if (status) return status;
    p->client = create.client;
    FL_PJRT_CALL(name, PJRT_Client_PlatformName, .client = p->client);
    FL_TRY(fl_pjrt_error(p->api, p->api->PJRT_Client_PlatformName(&name), "PJRT_Client_PlatformName"));
    snprintf(p->platform, sizeof p->platform, "%.*s", (int)name.platform_name_size, name.platform_name);
    FL_PJRT_CALL(devices, PJRT_Client_AddressableDevices, .client = p->client);
    FL_TRY(fl_pjrt_error(p->api, p->api->PJRT_Client_AddressableDevices(&devices),
                         "PJRT_Client_AddressableDevices"));
    FL_CHECK(devices.num_addressable_devices, FL_INVALID, "%s: the plugin has no device", p->path);
    p->devices = devices.addressable_devices;
    p->device_count = devices.num_addressable_devices;
    p->cache_identity = fl_pjrt_cache_identity(p);
    return NULL;
}

static void destroy_client(fl_pjrt_plugin *p)
{
    FL_PJRT_CALL(destroy, PJRT_Client_Destroy, .client = p->client);
    if (p->client) destroy_error(p->api, p->api->PJRT_Client_Destroy(&destroy));
    p->client = NULL;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static fl_pjrt_plugin *plugins; /* also those whose client could not be made: a plugin is initialised once */

static fl_pjrt_plugin *find_or_add(const char *path)
{
    for (fl_pjrt_plugin *p = plugins; p; p = p->next)
        if (!strcmp(p->path, path)) return p;
    fl_pjrt_plugin *p = calloc(1, sizeof *p);
    char *copy = strdup(path);
    if (!p || !copy) {
        free(p);
        free(copy);
        return NULL;
    }
    p->path = copy;
    p->next = plugins;
    return plugins = p;
}

static fl_status open_locked(const char *path, fl_pjrt_plugin **out)
{
    fl_pjrt_plugin *p = find_or_add(path);
    FL_CHECK(p, FL_OOM, "out of host memory");
    *out = p;
    if (!p->api) FL_TRY(load(p));
    if (!p->version.major) FL_TRY(read_attributes(p));
    return NULL;
}

static fl_status get_client(fl_pjrt_plugin *p)
{
    if (p->client) return NULL;
    fl_status status = create_client(p);
    if (status) destroy_client(p);
    return status;
}

fl_status fl_pjrt_plugin_open(const char *path, fl_pjrt_plugin **out)
{
    pthread_mutex_lock(&lock);
    fl_status status = open_locked(path, out);
    pthread_mutex_unlock(&lock);
    return status;
}

fl_status fl_pjrt_plugin_get(const char *path, fl_pjrt_plugin **out)
{
    pthread_mutex_lock(&lock);
    fl_status status = open_locked(path, out);
    if (!status) status = get_client(*out);
    pthread_mutex_unlock(&lock);
    return status;
}
