/* Topologies: which devices there are, and what each says of itself, with or without a client. */
#include "pjrt/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GIB (1ull << 30)

static const fl_generation generations[] = {
    {"v5e", "TPU v5 lite", 16909336064, 1, 1}, /* as libtpu says: some of the 16 GiB are its own */
    {"v5p", "TPU v5", 95 * GIB, 1, 1},
    {"v6e", "TPU v6 lite", 33546042880, 1, 1},
    {"v7x", "TPU7x", 101724453888, 1, 2},
};

static const PJRT_MemoryDescription kinds[FL_MEMORY_KINDS] = {
    {"device", 0}, {"pinned_host", 1}, {"unpinned_host", 2}};
const PJRT_MemoryDescription *const fl_memory_descriptions[FL_MEMORY_KINDS] = {&kinds[0], &kinds[1],
                                                                               &kinds[2]};

const fl_generation *fl_plugin_generation(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof generations / sizeof *generations; i++)
        if (strlen(generations[i].name) == size && !memcmp(generations[i].name, name, size))
            return &generations[i];
    return NULL;
}

fl_status fl_plugin_check_memory_kind(const char *kind, size_t size, int *out)
{
    char text[104];
    for (int k = 0; k < FL_MEMORY_KINDS; k++)
        if (strlen(kinds[k].kind) == size && !memcmp(kinds[k].kind, kind, size)) {
            *out = k;
            return NULL;
        }
    return fl_error(FL_INVALID, "expected memory kind device, pinned_host or unpinned_host, got \"%s\"",
                    fl_plugin_quote(kind, size, text));
}

/* ---- making one ---- */

static PJRT_NamedValue *add(PJRT_DeviceDescription *d, const char *name, PJRT_NamedValue_Type type)
{
    PJRT_NamedValue *v = &d->attributes[d->attribute_count++];
    *v = (PJRT_NamedValue){.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                           .name = name,
                           .name_size = strlen(name),
                           .type = type,
                           .value_size = 1};
    return v;
}

/* The texts are what JAX expects of a TPU: repr and str of its devices, and the attributes that meshes are made from. */
static void describe_tpu(const PJRT_TopologyDescription *t, PJRT_DeviceDescription *d)
{
    const fl_generation *g = t->generation;
    int chip = d->id / g->devices_per_chip, core = d->id % g->devices_per_chip;
    d->coords[0] = chip % t->bounds[0];
    d->coords[1] = chip / t->bounds[0] % t->bounds[1];
    d->coords[2] = chip / (t->bounds[0] * t->bounds[1]);
    int x = (int)d->coords[0], y = (int)d->coords[1], z = (int)d->coords[2];
    snprintf(d->kind, sizeof d->kind, "%s", g->kind);
    snprintf(d->text, sizeof d->text, "TpuDevice(id=%d, process_index=0, coords=(%d,%d,%d), core_on_chip=%d)",
             d->id, x, y, z, core);
    snprintf(d->debug, sizeof d->debug, "TPU_%d(process=0,(%d,%d,%d,%d))", d->id, x, y, z, core);
    PJRT_NamedValue *coords = add(d, "coords", PJRT_NamedValue_kInt64List);
    coords->int64_array_value = d->coords;
    coords->value_size = 3;
    add(d, "core_on_chip", PJRT_NamedValue_kInt64)->int64_value = core;
    add(d, "num_cores", PJRT_NamedValue_kInt64)->int64_value = g->cores;
    add(d, "slice_index", PJRT_NamedValue_kInt64)->int64_value = 0;
}

/* jax.export wants the name of a known kind of processor in the device's. */
static void describe_own(PJRT_DeviceDescription *d)
{
    snprintf(d->kind, sizeof d->kind, "Flambeau embedded TPU");
    snprintf(d->text, sizeof d->text, "FlambeauDevice(id=%d)", d->id);
    snprintf(d->debug, sizeof d->debug, "FLAMBEAU_%d", d->id);
    add(d, "num_cores", PJRT_NamedValue_kInt64)->int64_value = 1;
}

fl_status fl_plugin_topology_create(const fl_generation *generation, const int64_t bounds[3],
                                    PJRT_TopologyDescription **out)
{
    int64_t count = 1;
    for (int i = 0; i < 3; i++) {
        FL_CHECK(bounds[i] >= 1 && bounds[i] <= FL_MOST_DEVICES && count * bounds[i] <= FL_MOST_DEVICES,
                 FL_INVALID, "expected a topology of 1 to %d devices", FL_MOST_DEVICES);
        count *= bounds[i];
    }
    PJRT_TopologyDescription *t = calloc(1, sizeof *t);
    FL_CHECK(t, FL_OOM, "out of host memory");
    t->generation = generation;
    t->platform = generation ? "tpu" : "flambeau";
    memcpy(t->bounds, bounds, sizeof t->bounds);
    t->count = (int)count;
    t->descriptions = calloc((size_t)count, sizeof *t->descriptions);
    t->pointers = calloc((size_t)count, sizeof *t->pointers);
    if (!t->descriptions || !t->pointers) {
        fl_plugin_topology_free(t);
        return fl_error(FL_OOM, "out of host memory");
    }
    for (int i = 0; i < t->count; i++) {
        t->pointers[i] = &t->descriptions[i];
        t->descriptions[i].id = i;
        if (generation)
            describe_tpu(t, &t->descriptions[i]);
        else
            describe_own(&t->descriptions[i]);
    }
    t->attributes[t->attribute_count++] = (PJRT_NamedValue){.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                                            .name = "bounds",
                                                            .name_size = 6,
                                                            .type = PJRT_NamedValue_kInt64List,
                                                            .int64_array_value = t->bounds,
                                                            .value_size = 3};
    if (generation)
        t->attributes[t->attribute_count++] = (PJRT_NamedValue){.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                                                                .name = "device_memory_bytes_limit",
                                                                .name_size = 25,
                                                                .type = PJRT_NamedValue_kInt64,
                                                                .int64_value = (int64_t)generation->hbm,
                                                                .value_size = 1};
    *out = t;
    return NULL;
}

void fl_plugin_topology_free(PJRT_TopologyDescription *t)
{
    if (!t) return;
    free(t->descriptions);
    free(t->pointers);
    free(t);
}

/* "v5e:2x2", "flambeau:4", "2x2x1", "8"; "" or a generation alone: one device. */
static fl_status parse(const char *text, size_t size, const fl_generation **generation, int64_t bounds[3])
{
    char quoted[104];
    const char *colon = size ? memchr(text, ':', size) : NULL, *end = text + size;
    size_t head = colon ? (size_t)(colon - text) : size;
    int named = size && (colon || !(text[0] >= '0' && text[0] <= '9'));
    *generation = NULL;
    bounds[0] = bounds[1] = bounds[2] = 1;
    if (named && !(head == 8 && !memcmp(text, "flambeau", 8))) {
        *generation = fl_plugin_generation(text, head);
        FL_CHECK(*generation, FL_INVALID,
                 "expected a topology such as \"v5e:2x2\" (v5e, v5p, v6e, v7x, flambeau), got \"%s\"",
                 fl_plugin_quote(text, size, quoted));
    }
    const char *p = !named ? text : colon ? colon + 1 : end;
    for (int i = 0; p < end; i++) {
        int64_t n = 0;
        const char *first = p;
        while (p < end && *p >= '0' && *p <= '9' && n <= FL_MOST_DEVICES) n = 10 * n + (*p++ - '0');
        FL_CHECK(i < 3 && p > first && (p == end || (*p == 'x' && p + 1 < end)), FL_INVALID,
                 "expected a topology such as \"v5e:2x2\", got \"%s\"", fl_plugin_quote(text, size, quoted));
        bounds[i] = n;
        if (p < end) p++;
    }
    return NULL;
}

fl_status fl_plugin_PJRT_TopologyDescription_Create(PJRT_TopologyDescription_Create_Args *args)
{
    const fl_generation *generation;
    int64_t bounds[3];
    FL_CHECK(args->topology_name || !args->topology_name_size, FL_INVALID,
             "expected the name of a topology, got NULL");
    FL_TRY(parse(args->topology_name, args->topology_name_size, &generation, bounds));
    return fl_plugin_topology_create(generation, bounds, &args->topology);
}

fl_status fl_plugin_PJRT_TopologyDescription_Destroy(PJRT_TopologyDescription_Destroy_Args *args)
{
    fl_plugin_topology_free(args->topology);
    return NULL;
}

/* ---- what it says ---- */

fl_status fl_plugin_PJRT_TopologyDescription_PlatformName(PJRT_TopologyDescription_PlatformName_Args *args)
{
    args->platform_name = args->topology->platform;
    args->platform_name_size = strlen(args->platform_name);
    return NULL;
}

fl_status
fl_plugin_PJRT_TopologyDescription_PlatformVersion(PJRT_TopologyDescription_PlatformVersion_Args *args)
{
    args->platform_version = fl_plugin_version();
    args->platform_version_size = strlen(args->platform_version);
    return NULL;
}

fl_status fl_plugin_PJRT_TopologyDescription_GetDeviceDescriptions(
    PJRT_TopologyDescription_GetDeviceDescriptions_Args *args)
{
    args->descriptions = args->topology->pointers;
    args->num_descriptions = (size_t)args->topology->count;
    return NULL;
}

fl_status fl_plugin_PJRT_TopologyDescription_Attributes(PJRT_TopologyDescription_Attributes_Args *args)
{
    args->attributes = args->topology->attributes;
    args->num_attributes = args->topology->attribute_count;
    return NULL;
}

static int name_of(const PJRT_TopologyDescription *t, char *out, size_t size)
{
    return snprintf(out, size, "%s:%dx%dx%d", t->generation ? t->generation->name : "flambeau",
                    (int)t->bounds[0], (int)t->bounds[1], (int)t->bounds[2]);
}

fl_status fl_plugin_PJRT_TopologyDescription_Fingerprint(PJRT_TopologyDescription_Fingerprint_Args *args)
{
    char name[64];
    name_of(args->topology, name, sizeof name);
    args->fingerprint = 0xCBF29CE484222325ull; /* FNV-1a */
    for (const char *p = name; *p; p++)
        args->fingerprint = (args->fingerprint ^ (unsigned char)*p) * 0x100000001B3ull;
    return NULL;
}

static void free_serialized(PJRT_SerializedTopology *serialized)
{
    free(serialized);
}

/* Its name is all there is to it. */
fl_status fl_plugin_PJRT_TopologyDescription_Serialize(PJRT_TopologyDescription_Serialize_Args *args)
{
    char *text = malloc(64);
    FL_CHECK(text, FL_OOM, "out of host memory");
    args->serialized_bytes_size = (size_t)name_of(args->topology, text, 64);
    args->serialized_bytes = text;
    args->serialized_topology = (PJRT_SerializedTopology *)text;
    args->serialized_topology_deleter = free_serialized;
    return NULL;
}

fl_status fl_plugin_PJRT_TopologyDescription_Deserialize(PJRT_TopologyDescription_Deserialize_Args *args)
{
    const fl_generation *generation;
    int64_t bounds[3];
    FL_CHECK(args->serialized_topology, FL_INVALID, "expected a serialized topology, got NULL");
    FL_TRY(parse(args->serialized_topology, args->serialized_topology_size, &generation, bounds));
    return fl_plugin_topology_create(generation, bounds, &args->topology);
}

fl_status fl_plugin_PJRT_TopologyDescription_GetMemorySpaceKindIds(
    PJRT_TopologyDescription_GetMemorySpaceKindIds_Args *args)
{
    static const int ids[FL_MEMORY_KINDS] = {0, 1, 2};
    args->memory_space_kind_ids = ids;
    args->num_memory_space_kind_ids = FL_MEMORY_KINDS;
    return NULL;
}

/* ---- descriptions of devices ---- */

fl_status fl_plugin_PJRT_DeviceDescription_Id(PJRT_DeviceDescription_Id_Args *args)
{
    args->id = args->device_description->id;
    return NULL;
}

fl_status fl_plugin_PJRT_DeviceDescription_ProcessIndex(PJRT_DeviceDescription_ProcessIndex_Args *args)
{
    args->process_index = 0;
    return NULL;
}

fl_status fl_plugin_PJRT_DeviceDescription_Attributes(PJRT_DeviceDescription_Attributes_Args *args)
{
    args->attributes = args->device_description->attributes;
    args->num_attributes = args->device_description->attribute_count;
    return NULL;
}

fl_status fl_plugin_PJRT_DeviceDescription_Kind(PJRT_DeviceDescription_Kind_Args *args)
{
    args->device_kind = args->device_description->kind;
    args->device_kind_size = strlen(args->device_kind);
    return NULL;
}

fl_status fl_plugin_PJRT_DeviceDescription_DebugString(PJRT_DeviceDescription_DebugString_Args *args)
{
    args->debug_string = args->device_description->debug;
    args->debug_string_size = strlen(args->debug_string);
    return NULL;
}

fl_status fl_plugin_PJRT_DeviceDescription_ToString(PJRT_DeviceDescription_ToString_Args *args)
{
    args->to_string = args->device_description->text;
    args->to_string_size = strlen(args->to_string);
    return NULL;
}
