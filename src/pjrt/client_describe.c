/* What a PJRT device is called, and what its plugin says of it. */
#include "pjrt/client_device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append_value(fl_text *out, const PJRT_NamedValue *v)
{
    switch (v->type) {
    case PJRT_NamedValue_kString: fl_text_json_string(out, v->string_value, v->value_size); break;
    case PJRT_NamedValue_kInt64: fl_text_printf(out, "%lld", (long long)v->int64_value); break;
    case PJRT_NamedValue_kBool: fl_text_printf(out, v->bool_value ? "true" : "false"); break;
    case PJRT_NamedValue_kFloat: fl_text_printf(out, "%.9g", (double)v->float_value); break;
    case PJRT_NamedValue_kInt64List:
        for (size_t i = 0; i < v->value_size; i++)
            fl_text_printf(out, "%s%lld", i ? ", " : "[", (long long)v->int64_array_value[i]);
        fl_text_printf(out, v->value_size ? "]" : "[]");
        break;
    default: fl_text_printf(out, "null");
    }
}

/* The kinds of memory that the device reaches: ["device", "pinned_host"]. */
static void append_memories(const fl_pjrt_device *d, fl_text *out)
{
    const PJRT_Api *api = d->plugin->api;
    if (!FL_PJRT_HAS(api, PJRT_Device_AddressableMemories) || !FL_PJRT_HAS(api, PJRT_Memory_Kind)) return;
    FL_PJRT_CALL(all, PJRT_Device_AddressableMemories, .device = d->handle);
    fl_status none = fl_pjrt_error(api, api->PJRT_Device_AddressableMemories(&all), "");
    if (!none) fl_text_printf(out, ", \"memories\": [");
    for (size_t i = 0; !none && i < all.num_memories; i++) {
        FL_PJRT_CALL(kind, PJRT_Memory_Kind, .memory = all.memories[i]);
        fl_status_free(fl_pjrt_error(api, api->PJRT_Memory_Kind(&kind), ""));
        if (i) fl_text_printf(out, ", ");
        fl_text_json_string(out, kind.kind, kind.kind ? kind.kind_size : 0);
    }
    if (!none) fl_text_printf(out, "]");
    fl_status_free(none);
}

/* What the plugin says of the device, as JSON; left out when memory is short. */
static void list_attributes(fl_pjrt_device *d, const PJRT_DeviceDescription *description)
{
    const PJRT_Api *api = d->plugin->api;
    fl_text text = {0};
    FL_PJRT_CALL(args, PJRT_DeviceDescription_Attributes,
                 .device_description = (PJRT_DeviceDescription *)(uintptr_t)description);
    FL_PJRT_CALL(version, PJRT_Client_PlatformVersion, .client = d->plugin->client);
    fl_status_free(fl_pjrt_error(api, api->PJRT_Client_PlatformVersion(&version), ""));
    fl_text_printf(&text, "{\"platform\": ");
    fl_text_json_string(&text, d->plugin->platform, strlen(d->plugin->platform));
    fl_text_printf(&text, ", \"platform_version\": ");
    fl_text_json_string(&text, version.platform_version,
                        version.platform_version ? version.platform_version_size : 0);
    fl_status none = FL_PJRT_HAS(api, PJRT_DeviceDescription_Attributes)
                         ? fl_pjrt_error(api, api->PJRT_DeviceDescription_Attributes(&args), "")
                         : NULL;
    for (size_t i = 0; !none && i < args.num_attributes; i++) {
        fl_text_printf(&text, ", ");
        fl_text_json_string(&text, args.attributes[i].name, args.attributes[i].name_size);
        fl_text_printf(&text, ": ");
        append_value(&text, &args.attributes[i]);
    }
    fl_status_free(none);
    append_memories(d, &text);
    fl_text_printf(&text, "}");
    if (text.failed)
        fl_text_free(&text);
    else
        d->device.attributes = text.data;
}

fl_status fl_pjrt_describe(fl_pjrt_device *d)
{
    const PJRT_Api *api = d->plugin->api;
    FL_PJRT_CALL(description, PJRT_Device_GetDescription, .device = d->handle);
    FL_TRY(fl_pjrt_error(api, api->PJRT_Device_GetDescription(&description), "PJRT_Device_GetDescription"));
    FL_PJRT_CALL(id, PJRT_DeviceDescription_Id, .device_description = description.device_description);
    FL_PJRT_CALL(kind, PJRT_DeviceDescription_Kind, .device_description = description.device_description);
    FL_TRY(fl_pjrt_error(api, api->PJRT_DeviceDescription_Id(&id), "PJRT_DeviceDescription_Id"));
    FL_TRY(fl_pjrt_error(api, api->PJRT_DeviceDescription_Kind(&kind), "PJRT_DeviceDescription_Kind"));
    d->id = id.id;
    char text[40] = {0};
    size_t length = kind.device_kind_size < sizeof text ? kind.device_kind_size : sizeof text - 1;
    if (length) memcpy(text, kind.device_kind, length);
    snprintf(d->device.name, sizeof d->device.name, "%s (PJRT %.15s)", text, d->plugin->platform);
    list_attributes(d, description.device_description);
    return NULL;
}
