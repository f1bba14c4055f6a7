/* What a client hands to a plugin: the options of a compilation (a protobuf message) and of the client
 * itself. */
#include "pjrt/client_plugin.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- CompileOptionsProto ---- */

typedef struct message {
    unsigned char *bytes;
    size_t length, capacity; /* a length beyond the capacity: it did not fit */
} message;

static void put_byte(message *m, unsigned char byte)
{
    if (m->length < m->capacity) m->bytes[m->length] = byte;
    m->length++;
}

static void put_number(message *m, uint64_t value)
{
    for (; value > 127; value >>= 7) put_byte(m, (unsigned char)(value & 127) | 128);
    put_byte(m, (unsigned char)value);
}

static void put_field(message *m, unsigned field, uint64_t value)
{
    put_number(m, field << 3);
    put_number(m, value);
}

static void put_message(message *m, unsigned field, const message *inner)
{
    put_number(m, field << 3 | 2);
    put_number(m, inner->length);
    for (size_t i = 0; i < inner->length; i++) put_byte(m, i < inner->capacity ? inner->bytes[i] : 0);
}

/* DeviceAssignmentProto: 1 replicas, 2 computations, 3 for each computation {1 the device of each
 * replica}. */
static void put_assignment(message *m, uint32_t replicas, uint32_t partitions, const int *ids)
{
    put_field(m, 1, replicas);
    put_field(m, 2, partitions);
    for (uint32_t p = 0; p < partitions; p++) {
        unsigned char bytes[FL_PJRT_MOST_DEVICES * 11];
        message one = {.bytes = bytes, .capacity = sizeof bytes};
        for (uint32_t r = 0; r < replicas; r++)
            put_field(&one, 1, (uint64_t)(int64_t)ids[r * partitions + p]);
        put_message(m, 3, &one);
    }
}

/* An entry of the map env_option_overrides: 1 the option's name, 2 its value {2 a boolean}. */
static void put_option_off(message *m, const char *name)
{
    unsigned char bytes[128];
    message entry = {.bytes = bytes, .capacity = sizeof bytes};
    message key = {.bytes = (unsigned char *)name, .length = strlen(name), .capacity = strlen(name)};
    unsigned char value_bytes[2] = {2 << 3, 0};
    message value = {.bytes = value_bytes, .length = 2, .capacity = 2};
    put_message(&entry, 1, &key);
    put_message(&entry, 2, &value);
    put_message(m, 7, &entry);
}

size_t fl_pjrt_compile_options(char *out, size_t capacity, uint32_t replicas, uint32_t partitions,
                               const int *ids, const char *const *off)
{
    if (!replicas || !partitions || (uint64_t)replicas * partitions > FL_PJRT_MOST_DEVICES) return 0;
    unsigned char build_bytes[FL_PJRT_MOST_DEVICES * 16], assignment_bytes[FL_PJRT_MOST_DEVICES * 16];
    message assignment = {.bytes = assignment_bytes, .capacity = sizeof assignment_bytes};
    put_assignment(&assignment, replicas, partitions, ids);
    message build = {.bytes = build_bytes, .capacity = sizeof build_bytes};
    put_field(&build, 1, (uint64_t)-1); /* no device_ordinal: the assignment says it */
    put_field(&build, 4, replicas);
    put_field(&build, 5, partitions);
    if (partitions > 1) {
        put_field(&build, 6, 1);  /* use_spmd_partitioning */
        put_field(&build, 19, 1); /* use_shardy_partitioner */
    }
    put_message(&build, 9, &assignment);
    message all = {.bytes = (unsigned char *)out, .capacity = capacity};
    put_message(&all, 3, &build);
    for (; off && *off; off++) put_option_off(&all, *off);
    int fits =
        assignment.length <= assignment.capacity && build.length <= build.capacity && all.length <= capacity;
    return fits ? all.length : 0;
}

/* ---- options of a client ---- */

static void set_value(PJRT_NamedValue *value, char *text)
{
    char *end;
    size_t length = strlen(text);
    value->value_size = 1;
    if (!strcmp(text, "true") || !strcmp(text, "false")) {
        value->type = PJRT_NamedValue_kBool;
        value->bool_value = *text == 't';
        return;
    }
    errno = 0;
    long long integer = strtoll(text, &end, 10);
    if (length && !*end && !errno) {
        value->type = PJRT_NamedValue_kInt64;
        value->int64_value = integer;
        return;
    }
    float number = strtof(text, &end);
    if (length && !*end) {
        value->type = PJRT_NamedValue_kFloat;
        value->float_value = number;
        return;
    }
    value->type = PJRT_NamedValue_kString;
    value->string_value = text;
    value->value_size = length;
}

static fl_status parse(fl_pjrt_options *o)
{
    for (char *at = o->text, *next; at; at = next) {
        next = strchr(at, ';');
        if (next) *next++ = 0;
        if (!*at) continue;
        char *colon = strchr(at, ':');
        FL_CHECK(colon && colon != at, FL_INVALID,
                 "TORCH_TPU_DEVICE_OPTIONS: expected name:value, got \"%s\"", at);
        *colon = 0;
        PJRT_NamedValue *value = &o->values[o->count++];
        value->struct_size = PJRT_NamedValue_STRUCT_SIZE;
        value->name = at;
        value->name_size = (size_t)(colon - at);
        set_value(value, colon + 1);
    }
    return NULL;
}

fl_status fl_pjrt_options_parse(const char *text, fl_pjrt_options *out)
{
    *out = (fl_pjrt_options){0};
    if (!text) return NULL;
    size_t most = 1;
    for (const char *c = text; *c; c++) most += *c == ';';
    out->text = strdup(text);
    out->values = calloc(most, sizeof *out->values);
    fl_status status = out->text && out->values ? parse(out) : fl_error(FL_OOM, "out of host memory");
    if (status) fl_pjrt_options_free(out);
    return status;
}

void fl_pjrt_options_free(fl_pjrt_options *options)
{
    free(options->text);
    free(options->values);
    *options = (fl_pjrt_options){0};
}
