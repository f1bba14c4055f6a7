/* Clients, their devices and memories. */
#define _GNU_SOURCE /* dladdr */
#include "pjrt/plugin.h"

#include "cpu/device.h"
#include "flambeau.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *fl_plugin_version(void)
{
    static char text[64];
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (!*text) snprintf(text, sizeof text, "flambeau %s", fl_version());
    pthread_mutex_unlock(&lock);
    return text;
}

/* ---- making a client ---- */

/* Whether whoever loaded this library took its path from TPU_LIBRARY_PATH. */
static int loaded_as_tpu(void)
{
    char named[PATH_MAX], own[PATH_MAX];
    const char *path = getenv("TPU_LIBRARY_PATH");
    Dl_info info;
    return path && *path && dladdr((const void *)&fl_plugin_version, &info) && info.dli_fname &&
           realpath(path, named) && realpath(info.dli_fname, own) && !strcmp(named, own);
}

/* FL_TPU, or v5e where the library is loaded as a TPU's; NULL: the platform flambeau. */
static fl_status choose_generation(const fl_generation **out)
{
    const char *name = getenv("FL_TPU");
    *out = NULL;
    if (!name || !*name) {
        if (loaded_as_tpu()) *out = fl_plugin_generation("v5e", 3);
        return NULL;
    }
    *out = fl_plugin_generation(name, strlen(name));
    FL_CHECK(*out, FL_INVALID, "FL_TPU: expected v5e, v5p, v6e or v7x, got \"%s\"", name);
    return NULL;
}

static fl_status choose_count(int64_t *out)
{
    const char *text = getenv("FL_DEVICES");
    *out = 1;
    if (!text || !*text) return NULL;
    char *end;
    errno = 0;
    long n = strtol(text, &end, 10);
    FL_CHECK(!errno && end != text && !*end && n >= 1 && n <= FL_MOST_DEVICES, FL_INVALID,
             "FL_DEVICES: expected a number of devices from 1 to %d, got \"%s\"", FL_MOST_DEVICES, text);
    *out = n;
    return NULL;
}

/* Devices of a TPU lie in a plane, as wide as high if they can; a chip counts once. */
static void choose_bounds(const fl_generation *generation, int64_t count, int64_t bounds[3])
{
    int64_t x = 1;
    for (int64_t i = 1; generation && i * i <= count; i++)
        if (count % i == 0) x = i;
    bounds[0] = generation ? x : count;
    bounds[1] = count / bounds[0];
    bounds[2] = 1;
}

static void *get_user_data(PJRT_Memory *memory, const void *key);
static void set_user_data(PJRT_Memory *memory, const void *key, void *data, void (*deleter)(void *));

static const PJRT_Memory_FunctionTable memory_table = {
    .struct_size = PJRT_Memory_FunctionTable_STRUCT_SIZE,
    .instance_struct_size = sizeof(PJRT_Memory),
    .get_user_data = get_user_data,
    .set_user_data = set_user_data,
};

static fl_status open_device(PJRT_Client *c, int index)
{
    PJRT_Device *d = &c->devices[index];
    const fl_generation *g = c->topology->generation;
    d->client = c;
    d->description = c->topology->pointers[index];
    FL_TRY(fl_cpu_device_create_with(index, g ? g->hbm : UINT64_MAX, &d->device));
    FL_TRY(fl_stream_create(&d->stream));
    for (int k = 0; k < FL_MEMORY_KINDS; k++) {
        fl_plugin_memory *m = &d->memories[k];
        const char *kind = fl_memory_descriptions[k]->kind;
        m->base.vtable = &memory_table;
        m->id = index * FL_MEMORY_KINDS + k;
        m->kind = k;
        m->device = d;
        snprintf(m->text, sizeof m->text, "%s_%s_%d", c->topology->platform, kind, m->id);
        snprintf(m->debug, sizeof m->debug, "memory %s of %s, id %d", kind, d->description->debug, m->id);
        d->memory_pointers[k] = c->memory_pointers[m->id] = &m->base;
    }
    c->device_pointers[index] = d;
    return NULL;
}

static fl_status open_devices(PJRT_Client *c)
{
    const fl_generation *generation;
    int64_t count, bounds[3];
    FL_TRY(choose_generation(&generation));
    FL_TRY(choose_count(&count));
    choose_bounds(generation, count, bounds);
    FL_TRY(fl_plugin_topology_create(generation, bounds, &c->topology));
    c->devices = calloc((size_t)count, sizeof *c->devices);
    c->device_pointers = calloc((size_t)count, sizeof *c->device_pointers);
    c->memory_pointers = calloc((size_t)count * FL_MEMORY_KINDS, sizeof *c->memory_pointers);
    FL_CHECK(c->devices && c->device_pointers && c->memory_pointers, FL_OOM, "out of host memory");
    for (c->count = 0; c->count < count; c->count++) {
        fl_status status = open_device(c, c->count);
        if (!status) continue;
        c->count++; /* what is half open is closed, too */
        return status;
    }
    return NULL;
}

/* Options are names of other plugins' settings: none changes what we do. */
fl_status fl_plugin_PJRT_Client_Create(PJRT_Client_Create_Args *args)
{
    FL_CHECK(args->create_options || !args->num_options, FL_INVALID,
             "PJRT_Client_Create: expected options, got NULL");
    PJRT_Client *c = calloc(1, sizeof *c);
    FL_CHECK(c, FL_OOM, "out of host memory");
    pthread_mutex_init(&c->lock, NULL);
    pthread_mutex_init(&c->launch, NULL);
    c->references = 1;
    fl_status status = open_devices(c);
    if (status)
        fl_plugin_client_release(c);
    else
        fl_plugin_fork_enlist(args->client = c);
    return status;
}

void fl_plugin_client_share(PJRT_Client *c)
{
    __atomic_add_fetch(&c->references, 1, __ATOMIC_RELAXED);
}

typedef struct fl_user_data {
    struct fl_user_data *next;
    const void *key;
    void *data;
    void (*deleter)(void *);
} fl_user_data;

static void close_device(PJRT_Device *d)
{
    for (int k = 0; k < FL_MEMORY_KINDS; k++)
        for (fl_user_data *u = d->memories[k].user_data, *next; u; u = next) {
            next = u->next;
            if (u->deleter && u->data) u->deleter(u->data);
            free(u);
        }
    if (d->device) d->device->vtable->destroy(d->device);
}

void fl_plugin_client_release(PJRT_Client *c)
{
    if (__atomic_sub_fetch(&c->references, 1, __ATOMIC_ACQ_REL)) return;
    for (int i = 0; i < c->count; i++) close_device(&c->devices[i]);
    free(c->devices);
    free(c->device_pointers);
    free(c->memory_pointers);
    fl_plugin_topology_free(c->topology);
    pthread_mutex_destroy(&c->lock);
    pthread_mutex_destroy(&c->launch);
    free(c);
}

/* Streams end here, since their last jobs may hold the last references to the client. */
fl_status fl_plugin_PJRT_Client_Destroy(PJRT_Client_Destroy_Args *args)
{
    PJRT_Client *c = args->client;
    fl_plugin_fork_strike_off(c);
    for (int i = 0; i < c->count; i++) {
        fl_stream_destroy(c->devices[i].stream);
        c->devices[i].stream = NULL;
    }
    fl_plugin_client_release(c);
    return NULL;
}

/* ---- what a client says ---- */

fl_status fl_plugin_PJRT_Client_PlatformName(PJRT_Client_PlatformName_Args *args)
{
    args->platform_name = args->client->topology->platform;
    args->platform_name_size = strlen(args->platform_name);
    return NULL;
}

fl_status fl_plugin_PJRT_Client_PlatformVersion(PJRT_Client_PlatformVersion_Args *args)
{
    args->platform_version = fl_plugin_version();
    args->platform_version_size = strlen(args->platform_version);
    return NULL;
}

fl_status fl_plugin_PJRT_Client_ProcessIndex(PJRT_Client_ProcessIndex_Args *args)
{
    args->process_index = 0;
    return NULL;
}

fl_status fl_plugin_PJRT_Client_TopologyDescription(PJRT_Client_TopologyDescription_Args *args)
{
    args->topology = args->client->topology;
    return NULL;
}

fl_status fl_plugin_PJRT_Client_Devices(PJRT_Client_Devices_Args *args)
{
    args->devices = args->client->device_pointers;
    args->num_devices = (size_t)args->client->count;
    return NULL;
}

fl_status fl_plugin_PJRT_Client_AddressableDevices(PJRT_Client_AddressableDevices_Args *args)
{
    args->addressable_devices = args->client->device_pointers;
    args->num_addressable_devices = (size_t)args->client->count;
    return NULL;
}

static fl_status device_numbered(PJRT_Client *c, int id, PJRT_Device **out)
{
    FL_CHECK(id >= 0 && id < c->count, FL_INVALID, "expected a device from 0 to %d, got %d", c->count - 1,
             id);
    *out = c->device_pointers[id];
    return NULL;
}

fl_status fl_plugin_PJRT_Client_LookupDevice(PJRT_Client_LookupDevice_Args *args)
{
    return device_numbered(args->client, args->id, &args->device);
}

fl_status fl_plugin_PJRT_Client_LookupAddressableDevice(PJRT_Client_LookupAddressableDevice_Args *args)
{
    return device_numbered(args->client, args->local_hardware_id, &args->addressable_device);
}

fl_status fl_plugin_PJRT_Client_AddressableMemories(PJRT_Client_AddressableMemories_Args *args)
{
    args->addressable_memories = args->client->memory_pointers;
    args->num_addressable_memories = (size_t)args->client->count * FL_MEMORY_KINDS;
    return NULL;
}

fl_status fl_plugin_PJRT_Client_UpdateGlobalProcessInfo(PJRT_Client_UpdateGlobalProcessInfo_Args *args)
{
    (void)args; /* there is one process */
    return NULL;
}

/* Replicas first, as XLA does it: entry r * partitions + p is device r * partitions + p. */
fl_status fl_plugin_PJRT_Client_DefaultDeviceAssignment(PJRT_Client_DefaultDeviceAssignment_Args *args)
{
    int64_t replicas = args->num_replicas, partitions = args->num_partitions;
    FL_CHECK(replicas >= 1 && partitions >= 1 && replicas * partitions <= args->client->count, FL_INVALID,
             "expected at most %d replicas times partitions, got %lld times %lld", args->client->count,
             (long long)replicas, (long long)partitions);
    int64_t n = replicas * partitions;
    FL_CHECK(args->default_assignment && args->default_assignment_size >= (size_t)n, FL_INVALID,
             "expected room for %lld devices, got %zu", (long long)n, args->default_assignment_size);
    for (int64_t i = 0; i < n; i++) args->default_assignment[i] = (int)i;
    return NULL;
}

/* The host's memory is the device's; there is nothing to pin. */
fl_status fl_plugin_PJRT_Client_DmaMap(PJRT_Client_DmaMap_Args *args)
{
    FL_CHECK(args->data || !args->size, FL_INVALID, "PJRT_Client_DmaMap: expected memory, got NULL");
    return NULL;
}

fl_status fl_plugin_PJRT_Client_DmaUnmap(PJRT_Client_DmaUnmap_Args *args)
{
    (void)args;
    return NULL;
}

/* ---- devices ---- */

fl_status fl_plugin_PJRT_Device_GetDescription(PJRT_Device_GetDescription_Args *args)
{
    args->device_description = args->device->description;
    return NULL;
}

fl_status fl_plugin_PJRT_Device_IsAddressable(PJRT_Device_IsAddressable_Args *args)
{
    args->is_addressable = true;
    return NULL;
}

fl_status fl_plugin_PJRT_Device_LocalHardwareId(PJRT_Device_LocalHardwareId_Args *args)
{
    args->local_hardware_id = args->device->description->id;
    return NULL;
}

fl_status fl_plugin_PJRT_Device_AddressableMemories(PJRT_Device_AddressableMemories_Args *args)
{
    args->memories = args->device->memory_pointers;
    args->num_memories = FL_MEMORY_KINDS;
    return NULL;
}

fl_status fl_plugin_PJRT_Device_DefaultMemory(PJRT_Device_DefaultMemory_Args *args)
{
    args->memory = args->device->memory_pointers[0];
    return NULL;
}

static void keep_attributes(PJRT_Device_Attributes *attributes)
{
    (void)attributes; /* they are the device's */
}

fl_status fl_plugin_PJRT_Device_GetAttributes(PJRT_Device_GetAttributes_Args *args)
{
    args->attributes = args->device->description->attributes;
    args->num_attributes = args->device->description->attribute_count;
    args->device_attributes = NULL;
    args->attributes_deleter = keep_attributes;
    return NULL;
}

fl_status fl_plugin_PJRT_Device_MemoryStats(PJRT_Device_MemoryStats_Args *args)
{
    fl_device *d = args->device->device;
    fl_memory_stats stats;
    d->vtable->memory_stats(d, &stats);
#define SAY(field, value)                                                                                    \
    args->field = (int64_t)(value);                                                                          \
    args->field##_is_set = true;
#define LEAVE(field) args->field##_is_set = false; /* callers do not clear what they ask for */
    LEAVE(largest_alloc_size)
    LEAVE(bytes_reservable_limit)
    LEAVE(largest_free_block_bytes)
    LEAVE(pool_bytes)
    LEAVE(peak_pool_bytes)
    args->bytes_in_use = (int64_t)stats.allocated;
    SAY(peak_bytes_in_use, stats.peak_allocated)
    SAY(num_allocs, stats.allocations)
    SAY(bytes_limit, d->capacity)
    SAY(bytes_reserved, stats.reserved)
    SAY(peak_bytes_reserved, stats.peak_reserved)
    SAY(peak_allocated_bytes, stats.peak_allocated)
#undef SAY
#undef LEAVE
    return NULL;
}

fl_status fl_plugin_PJRT_Device_ClearMemoryStats(PJRT_Device_ClearMemoryStats_Args *args)
{
    fl_device *d = args->device->device;
    d->vtable->reset_peak(d);
    return NULL;
}

/* ---- memories ---- */

static fl_plugin_memory *own(PJRT_Memory *memory)
{
    return (fl_plugin_memory *)memory;
}

static fl_user_data *find_user_data(fl_plugin_memory *m, const void *key)
{
    fl_user_data *u = m->user_data;
    while (u && u->key != key) u = u->next;
    return u;
}

static void *get_user_data(PJRT_Memory *memory, const void *key)
{
    fl_plugin_memory *m = own(memory);
    pthread_mutex_lock(&m->device->client->lock);
    fl_user_data *u = find_user_data(m, key);
    void *data = u ? u->data : NULL;
    pthread_mutex_unlock(&m->device->client->lock);
    return data;
}

static void set_user_data(PJRT_Memory *memory, const void *key, void *data, void (*deleter)(void *))
{
    fl_plugin_memory *m = own(memory);
    fl_user_data old = {0};
    pthread_mutex_lock(&m->device->client->lock);
    fl_user_data *u = find_user_data(m, key);
    if (u) {
        old = *u;
    } else if ((u = calloc(1, sizeof *u))) {
        u->next = m->user_data;
        u->key = key;
        m->user_data = u;
    }
    if (u) {
        u->data = data;
        u->deleter = deleter;
    }
    pthread_mutex_unlock(&m->device->client->lock);
    if (old.deleter && old.data) old.deleter(old.data);
}

fl_status fl_plugin_PJRT_Memory_Id(PJRT_Memory_Id_Args *args)
{
    args->id = own(args->memory)->id;
    return NULL;
}

fl_status fl_plugin_PJRT_Memory_Kind(PJRT_Memory_Kind_Args *args)
{
    args->kind = fl_memory_descriptions[own(args->memory)->kind]->kind;
    args->kind_size = strlen(args->kind);
    return NULL;
}

fl_status fl_plugin_PJRT_Memory_Kind_Id(PJRT_Memory_Kind_Id_Args *args)
{
    args->kind_id = fl_memory_descriptions[own(args->memory)->kind]->kind_id;
    return NULL;
}

fl_status fl_plugin_PJRT_Memory_DebugString(PJRT_Memory_DebugString_Args *args)
{
    args->debug_string = own(args->memory)->debug;
    args->debug_string_size = strlen(args->debug_string);
    return NULL;
}

fl_status fl_plugin_PJRT_Memory_ToString(PJRT_Memory_ToString_Args *args)
{
    args->to_string = own(args->memory)->text;
    args->to_string_size = strlen(args->to_string);
    return NULL;
}

fl_status fl_plugin_PJRT_Memory_AddressableByDevices(PJRT_Memory_AddressableByDevices_Args *args)
{
    fl_plugin_memory *m = own(args->memory);
    args->devices = &m->device->client->device_pointers[m->device->description->id];
    args->num_devices = 1;
    return NULL;
}
