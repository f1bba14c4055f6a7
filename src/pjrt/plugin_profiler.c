/* The profiler extension: what ran while a profile was taken, as planes of an XSpace (XLA's xplane.proto), one for each device:
 * a line of programs and one of their steps. Clients bring such planes together with what they measure on the host.
 *
 * The table of functions has grown without a rule for versions: a client ends the process, or worse, where it finds another size
 * than its own. So there is a table only where somebody names the client's size (FL_PROFILER_TABLE, as jax_plugins does for the
 * versions of JAX that were tried). Nor do clients fill the sizes of the structs that they hand over, so those are not read. */
#include "device/activity.h"
#include "pjrt/plugin.h"
#include "pjrt/proto.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLANE_NAME = 64, STAT_BYTES = 1, STAT_FLOPS };

struct PLUGIN_Profiler {
    int runs;
    fl_text space; /* what was recorded, serialized when it stopped */
};
struct PLUGIN_Profiler_Error {
    PJRT_Error_Code code;
    const char *message;
};
struct PLUGIN_Profiler_ConsumeResult {
    fl_text space;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_taken; /* activities are collected, for one profile; guarded by `lock` */
static int is_tpu;   /* the devices' names in it; atomic */

uint64_t fl_profiler_begin(const PJRT_Device *device)
{
    if (!fl_activities_on()) return 0;
    __atomic_store_n(&is_tpu, device->client->topology->generation != NULL, __ATOMIC_RELAXED);
    fl_activity_set_place((fl_activity_place){.device = device->description->id});
    return fl_activity_now();
}

void fl_profiler_end(uint64_t begin, const char *name)
{
    if (!begin) return;
    fl_activity_add(&(fl_activity){.kind = FL_ACTIVITY_PROGRAM,
                                   .begin = begin,
                                   .end = fl_activity_now(),
                                   .place = fl_activity_get_place(),
                                   .name = name && *name ? name : "main"});
}

/* ---- an XSpace ---- */

/* What ran on one device, and its names, each once. */
typedef struct plane {
    const fl_activity *list;
    size_t count;
    int device;
    const char **names;
    size_t name_count;
    uint64_t zero; /* times are written from here on */
} plane;

static void put_message(fl_text *to, unsigned field, fl_text *message)
{
    fl_proto_put_bytes(to, field, message->data ? message->data : "", message->length);
    to->failed |= message->failed;
    fl_text_free(message);
}

/* An entry of a map of metadata: its number, and the same with a name. */
static void put_name(fl_text *to, unsigned field, uint64_t number, const char *name)
{
    fl_text entry = {0}, metadata = {0};
    fl_proto_put_number(&metadata, 1, number);
    fl_proto_put_bytes(&metadata, 2, name, strlen(name));
    fl_proto_put_number(&entry, 1, number);
    put_message(&entry, 2, &metadata);
    put_message(to, field, &entry);
}

static void put_stat(fl_text *event, uint64_t number, uint64_t value)
{
    fl_text stat = {0};
    if (!value) return;
    fl_proto_put_number(&stat, 1, number);
    fl_proto_put_number(&stat, 3, value);
    put_message(event, 4, &stat);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static uint64_t number_of_name(const plane *p, const char *name)
{
    const char **at = bsearch(&name, p->names, p->name_count, sizeof name, compare_names);
    return (uint64_t)(at - p->names) + 1;
}

static void put_event(fl_text *line, const plane *p, const fl_activity *a)
{
    fl_text event = {0};
    fl_proto_put_number(&event, 1, number_of_name(p, a->name));
    fl_proto_put_number(&event, 2, (a->begin - p->zero) * 1000); /* picoseconds */
    fl_proto_put_number(&event, 3, a->end > a->begin ? (a->end - a->begin) * 1000 : 0);
    put_stat(&event, STAT_BYTES, a->bytes);
    put_stat(&event, STAT_FLOPS, a->flops);
    put_message(line, 4, &event);
}

static void put_line(fl_text *to, const plane *p, uint64_t id, const char *name, fl_activity_kind kind)
{
    fl_text line = {0};
    fl_proto_put_number(&line, 1, id);
    fl_proto_put_bytes(&line, 2, name, strlen(name));
    fl_proto_put_number(&line, 3, p->zero);
    for (size_t i = 0; i < p->count; i++)
        if (p->list[i].place.device == p->device && p->list[i].kind == kind) put_event(&line, p, &p->list[i]);
    put_message(to, 3, &line);
}

static void gather_names(plane *p)
{
    size_t n = 0;
    p->zero = UINT64_MAX;
    for (size_t i = 0; i < p->count; i++) {
        if (p->list[i].place.device != p->device) continue;
        p->names[n++] = p->list[i].name;
        if (p->list[i].begin < p->zero) p->zero = p->list[i].begin;
    }
    qsort(p->names, n, sizeof *p->names, compare_names);
    p->name_count = 0;
    for (size_t i = 0; i < n; i++)
        if (!i || strcmp(p->names[i], p->names[p->name_count - 1])) p->names[p->name_count++] = p->names[i];
}

static void put_plane(fl_text *space, plane *p)
{
    char name[PLANE_NAME];
    fl_text text = {0};
    int tpu = __atomic_load_n(&is_tpu, __ATOMIC_RELAXED);
    gather_names(p);
    snprintf(name, sizeof name, tpu ? "/device:TPU:%d" : "/device:CUSTOM:flambeau:%d", p->device);
    fl_proto_put_number(&text, 1, (uint64_t)p->device + 1);
    fl_proto_put_bytes(&text, 2, name, strlen(name));
    put_line(&text, p, 1, "XLA Modules", FL_ACTIVITY_PROGRAM);
    put_line(&text, p, 2, "XLA Ops", FL_ACTIVITY_STEP);
    for (size_t i = 0; i < p->name_count; i++) put_name(&text, 4, i + 1, p->names[i]);
    put_name(&text, 5, STAT_BYTES, "bytes_accessed");
    put_name(&text, 5, STAT_FLOPS, "flops");
    put_message(space, 1, &text);
}

/* One plane for each device on which something ran; there are few devices. */
static void put_space(fl_text *space, const fl_activity *list, size_t count)
{
    plane p = {.list = list, .count = count};
    p.names = malloc((count + 1) * sizeof *p.names);
    if (!p.names) space->failed = 1;
    uint64_t seen = 0;
    for (size_t i = 0; i < count && p.names; i++) {
        int device = list[i].place.device;
        if (device < 0 || device >= FL_MOST_DEVICES || seen >> device & 1) continue;
        seen |= UINT64_C(1) << device;
        p.device = device;
        put_plane(space, &p);
    }
    free(p.names);
}

/* ---- the interface ---- */

static PLUGIN_Profiler_Error null_args = {PJRT_Error_Code_INVALID_ARGUMENT, "expected arguments, got NULL"},
                             null_profiler = {PJRT_Error_Code_INVALID_ARGUMENT,
                                              "expected a profiler, got NULL"},
                             null_result = {PJRT_Error_Code_INVALID_ARGUMENT, "expected a result, got NULL"},
                             in_use = {PJRT_Error_Code_FAILED_PRECONDITION,
                                       "expected one profile at a time, another one is being taken"},
                             no_memory = {PJRT_Error_Code_RESOURCE_EXHAUSTED, "out of host memory"},
                             no_room = {PJRT_Error_Code_INVALID_ARGUMENT,
                                        "expected room for the whole profile"};

static void error_destroy(PLUGIN_Profiler_Error_Destroy_Args *args)
{
    (void)args; /* there are a few, which stay */
}

static void error_message(PLUGIN_Profiler_Error_Message_Args *args)
{
    if (!args) return;
    args->message = args->error ? args->error->message : "";
    args->message_size = strlen(args->message);
}

static PLUGIN_Profiler_Error *error_code(PLUGIN_Profiler_Error_GetCode_Args *args)
{
    if (!args) return &null_args;
    args->code = args->error ? (int)args->error->code : 0;
    return NULL;
}

static PLUGIN_Profiler_Error *create(PLUGIN_Profiler_Create_Args *args)
{
    if (!args) return &null_args;
    args->profiler = calloc(1, sizeof *args->profiler);
    return args->profiler ? NULL : &no_memory;
}

static PLUGIN_Profiler_Error *start(PLUGIN_Profiler_Start_Args *args)
{
    PLUGIN_Profiler *p = args ? args->profiler : NULL;
    if (!p) return args ? &null_profiler : &null_args;
    pthread_mutex_lock(&lock);
    PLUGIN_Profiler_Error *error = is_taken && !p->runs ? &in_use : NULL;
    if (!is_taken) {
        is_taken = p->runs = 1;
        fl_activity_start();
    }
    pthread_mutex_unlock(&lock);
    return error;
}

static void stop_running(PLUGIN_Profiler *p)
{
    pthread_mutex_lock(&lock);
    if (p->runs) {
        fl_activity_list all;
        fl_activity_stop(&all);
        is_taken = p->runs = 0;
        fl_text_free(&p->space);
        put_space(&p->space, all.list, all.count);
        fl_activity_free(&all);
    }
    pthread_mutex_unlock(&lock);
}

static PLUGIN_Profiler_Error *stop(PLUGIN_Profiler_Stop_Args *args)
{
    if (!args || !args->profiler) return args ? &null_profiler : &null_args;
    stop_running(args->profiler);
    return args->profiler->space.failed ? &no_memory : NULL;
}

static PLUGIN_Profiler_Error *destroy(PLUGIN_Profiler_Destroy_Args *args)
{
    if (!args || !args->profiler) return NULL;
    stop_running(args->profiler);
    fl_text_free(&args->profiler->space);
    free(args->profiler);
    return NULL;
}

/* Without a buffer, the caller gets ours, which stays until the profiler goes; some ask again with one of that size. */
static PLUGIN_Profiler_Error *collect(PLUGIN_Profiler_CollectData_Args *args)
{
    if (!args || !args->profiler) return args ? &null_profiler : &null_args;
    const fl_text *space = &args->profiler->space;
    size_t room = args->buffer_size_in_bytes;
    args->buffer_size_in_bytes = space->length;
    if (!args->buffer) {
        args->buffer = (uint8_t *)space->data;
        return NULL;
    }
    if (room < space->length) return &no_room;
    if (space->length) memcpy(args->buffer, space->data, space->length);
    return NULL;
}

static PLUGIN_Profiler_Error *consume(PLUGIN_Profiler_Consume_Args *args)
{
    if (!args || !args->profiler) return args ? &null_profiler : &null_args;
    args->result = calloc(1, sizeof *args->result);
    if (!args->result) return &no_memory;
    args->result->space = args->profiler->space;
    args->profiler->space = (fl_text){0};
    return NULL;
}

static PLUGIN_Profiler_Error *consumed_destroy(PLUGIN_Profiler_ConsumeResult_Destroy_Args *args)
{
    if (!args || !args->consume_result) return NULL;
    fl_text_free(&args->consume_result->space);
    free(args->consume_result);
    return NULL;
}

static PLUGIN_Profiler_Error *serialize(PLUGIN_Profiler_Serialize_Args *args)
{
    if (!args || !args->consume_result) return args ? &null_result : &null_args;
    args->serialized_bytes = (const uint8_t *)args->consume_result->space.data;
    args->serialized_size = args->consume_result->space.length;
    return NULL;
}

static PLUGIN_Profiler_Api api = {
    .error_destroy = error_destroy,
    .error_message = error_message,
    .error_get_code = error_code,
    .create = create,
    .destroy = destroy,
    .start = start,
    .stop = stop,
    .collect_data = collect,
    .consume = consume,
    .consume_result_destroy = consumed_destroy,
    .serialize = serialize,
};

static PJRT_Profiler_Extension extension = {
    .base = {PJRT_Profiler_Extension_STRUCT_SIZE, PJRT_Extension_Type_Profiler, NULL},
    .profiler_api = &api,
};

PJRT_Extension_Base *fl_plugin_profiler_extension(PJRT_Extension_Base *others)
{
    const char *named = getenv("FL_PROFILER_TABLE");
    size_t size = named ? strtoul(named, NULL, 10) : 0;
    if (size < offsetof(PLUGIN_Profiler_Api, consume) || size > PLUGIN_Profiler_Api_STRUCT_SIZE)
        return others;
    api.struct_size = size;
    extension.base.next = others;
    return &extension.base;
}
