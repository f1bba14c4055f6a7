/* Extension of the plugin: versions of what a client and an executable agree on. Executables hold their program, and are compiled when
 * they are loaded, so all that has a version is the form in which they are serialized. */
#include "pjrt/plugin.h"
#include "pjrt/proto.h"

#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 /* see plugin_executable.c */, FIELD_PLATFORM = 1, FIELD_FORMAT = 2 };

/* The same under both names of the platform: what one of them serializes the other one loads. */
static const uint64_t platform = 0x756165626d616c66; /* "flambeau" */

/* Both kinds of versions are this. */
typedef struct version {
    uint64_t platform, format;
} version;

static fl_status make(uint64_t of_platform, uint64_t format, void **out)
{
    version *v = malloc(sizeof *v);
    FL_CHECK(v, FL_OOM, "out of host memory");
    *v = (version){of_platform, format};
    *out = v;
    return NULL;
}

static fl_status is_compatible(const void *a, const void *b)
{
    FL_CHECK(a && b, FL_INVALID, "expected two versions, got NULL");
    const version *x = a, *y = b;
    FL_CHECK(x->platform == y->platform && x->format == y->format, FL_INVALID,
             "expected version %llu of this plugin's executables, got %llu%s", (unsigned long long)x->format,
             (unsigned long long)y->format, x->platform == y->platform ? "" : " of another plugin");
    return NULL;
}

static void free_bytes(PJRT_SerializedProto *holder)
{
    free(holder);
}

static fl_status to_bytes(const void *of, const char **bytes, size_t *size, PJRT_SerializedProto **holder,
                          void (**deleter)(PJRT_SerializedProto *))
{
    const version *v = of;
    fl_text text = {0};
    FL_CHECK(v, FL_INVALID, "expected a version, got NULL");
    fl_proto_put_number(&text, FIELD_PLATFORM, v->platform);
    fl_proto_put_number(&text, FIELD_FORMAT, v->format);
    FL_CHECK(!text.failed, FL_OOM, "out of host memory");
    *bytes = text.data;
    *size = text.length;
    *holder = (PJRT_SerializedProto *)text.data;
    *deleter = free_bytes;
    return NULL;
}

static fl_status from_bytes(const char *bytes, size_t size, void **out)
{
    version v = {0};
    FL_CHECK(bytes, FL_INVALID, "expected a serialized version, got NULL");
    fl_proto c = fl_proto_of(bytes, size);
    for (fl_proto_field f; fl_proto_next(&c, &f);) {
        if (f.number == FIELD_PLATFORM) v.platform = f.value;
        if (f.number == FIELD_FORMAT) v.format = f.value;
    }
    FL_CHECK(!c.bad && v.format, FL_INVALID, "expected a serialized version");
    return make(v.platform, v.format, out);
}

/* ---- the extension ---- */

static PJRT_Error *of_client(PJRT_Client_RuntimeAbiVersion_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Client_RuntimeAbiVersion)
    if (!args->client) return fl_plugin_error(fl_error(FL_INVALID, "expected a client, got NULL"));
    return fl_plugin_error(make(platform, FORMAT, (void **)&args->abi_version));
}

static PJRT_Error *of_executable(PJRT_Executable_GetAbiVersion_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Executable_GetAbiVersion)
    if (!args->executable) return fl_plugin_error(fl_error(FL_INVALID, "expected an executable, got NULL"));
    return fl_plugin_error(make(platform, FORMAT, (void **)&args->abi_version));
}

static PJRT_Error *with_runtime(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_RuntimeAbiVersion_IsCompatibleWithRuntime)
    return fl_plugin_error(is_compatible(args->abi_version, args->other_abi_version));
}

static PJRT_Error *with_executable(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_RuntimeAbiVersion_IsCompatibleWithExecutable)
    return fl_plugin_error(is_compatible(args->abi_version, args->executable_abi_version));
}

/* What there is of both kinds. */
#define OF_BOTH(kind)                                                                                        \
    static PJRT_Error *destroy_##kind(PJRT_##kind##AbiVersion_Destroy_Args *args)                            \
    {                                                                                                        \
        FL_PLUGIN_ENTER(PJRT_##kind##AbiVersion_Destroy)                                                     \
        free(args->abi_version);                                                                             \
        return NULL;                                                                                         \
    }                                                                                                        \
    static PJRT_Error *serialize_##kind(PJRT_##kind##AbiVersion_ToProto_Args *args)                          \
    {                                                                                                        \
        FL_PLUGIN_ENTER(PJRT_##kind##AbiVersion_ToProto)                                                     \
        return fl_plugin_error(to_bytes(args->abi_version, &args->serialized_proto,                          \
                                        &args->serialized_proto_size, &args->serialized_proto_holder,        \
                                        &args->serialized_proto_deleter));                                   \
    }                                                                                                        \
    static PJRT_Error *platform_of_##kind(PJRT_##kind##AbiVersion_PlatformId_Args *args)                     \
    {                                                                                                        \
        FL_PLUGIN_ENTER(PJRT_##kind##AbiVersion_PlatformId)                                                  \
        const version *v = (const version *)args->abi_version;                                               \
        if (!v) return fl_plugin_error(fl_error(FL_INVALID, "expected a version, got NULL"));                \
        args->platform_id = v->platform;                                                                     \
        return NULL;                                                                                         \
    }                                                                                                        \
    static PJRT_Error *deserialize_##kind(PJRT_##kind##AbiVersion_FromProto_Args *args)                      \
    {                                                                                                        \
        FL_PLUGIN_ENTER(PJRT_##kind##AbiVersion_FromProto)                                                   \
        return fl_plugin_error(                                                                              \
            from_bytes(args->serialized_proto, args->serialized_proto_size, (void **)&args->abi_version));   \
    }
OF_BOTH(Runtime)
OF_BOTH(Executable)

PJRT_AbiVersion_Extension fl_plugin_abi_version = {
    .base = {PJRT_AbiVersion_Extension_STRUCT_SIZE, PJRT_Extension_Type_AbiVersion,
             &fl_plugin_partitioner_extension.base},
    .client_runtime_abi_version = of_client,
    .executable_get_abi_version = of_executable,
    .runtime_abi_version_destroy = destroy_Runtime,
    .runtime_abi_version_is_compatible_with_runtime = with_runtime,
    .runtime_abi_version_is_compatible_with_executable = with_executable,
    .runtime_abi_version_to_proto = serialize_Runtime,
    .runtime_abi_version_platform_id = platform_of_Runtime,
    .executable_abi_version_destroy = destroy_Executable,
    .executable_abi_version_to_proto = serialize_Executable,
    .executable_abi_version_platform_id = platform_of_Executable,
    .runtime_abi_version_from_proto = deserialize_Runtime,
    .executable_abi_version_from_proto = deserialize_Executable,
};
