/* Compile options: a CompileOptionsProto of XLA, read field by field. Fields that do not concern us are skipped. */
#include "pjrt/plugin.h"
#include "pjrt/proto.h"

static void add_device(fl_plugin_options *out, uint64_t id, int *bad)
{
    if (out->device_count == FL_MOST_DEVICES)
        *bad = 1;
    else
        out->devices[out->device_count++] = (int64_t)id;
}

/* ComputationDevice { repeated int64 replica_device_ids = 1 }: packed or not. */
static int read_devices(fl_proto c, fl_plugin_options *out)
{
    for (fl_proto_field f; fl_proto_next(&c, &f);) {
        if (f.number != 1) continue;
        if (!f.bytes.at) add_device(out, f.value, &c.bad);
        while (f.bytes.at && f.bytes.at < f.bytes.end && !f.bytes.bad && !c.bad)
            add_device(out, fl_proto_varint(&f.bytes), &c.bad);
        c.bad |= f.bytes.bad;
    }
    return !c.bad;
}

/* DeviceAssignmentProto: 1 replicas, 2 computations (partitions), 3 for each of these the devices of its replicas. */
static int read_assignment(fl_proto c, fl_plugin_options *out)
{
    int64_t by_partition[FL_MOST_DEVICES], computations = 0;
    for (fl_proto_field f; fl_proto_next(&c, &f);) {
        if (f.number == 1) out->assigned_replicas = (int64_t)f.value;
        if (f.number == 2) out->assigned_partitions = (int64_t)f.value;
        if (f.number == 3 && ++computations && !read_devices(f.bytes, out)) return 0;
    }
    if (!out->assigned_partitions) out->assigned_partitions = computations;
    if (!out->assigned_replicas && computations) out->assigned_replicas = out->device_count / computations;
    int64_t n = out->assigned_replicas, m = out->assigned_partitions;
    if (c.bad || n < 1 || m < 1 || n > FL_MOST_DEVICES || n * m != out->device_count) return !c.bad;
    for (int64_t i = 0; i < n * m; i++) by_partition[i] = out->devices[i];
    for (int64_t i = 0; i < n * m; i++) out->devices[i % n * m + i / n] = by_partition[i];
    return 1;
}

/* ExecutableBuildOptionsProto */
static int read_build(fl_proto c, fl_plugin_options *out)
{
    int64_t ordinal = -1;
    for (fl_proto_field f; fl_proto_next(&c, &f);) {
        if (f.number == 1) ordinal = (int64_t)f.value;
        if (f.number == 4 && f.value) out->replicas = (int64_t)f.value;
        if (f.number == 5 && f.value) out->partitions = (int64_t)f.value;
        if (f.number == 6) out->spmd = f.value != 0;
        if (f.number == 9 && !read_assignment(f.bytes, out)) return 0;
    }
    out->device = out->device_count ? out->devices[0] : ordinal;
    return !c.bad;
}

fl_status fl_plugin_read_options(const char *bytes, size_t size, fl_plugin_options *out)
{
    const unsigned char *at = (const unsigned char *)bytes;
    FL_CHECK(bytes || !size, FL_INVALID, "compile options: expected %zu bytes, got NULL", size);
    *out = (fl_plugin_options){.replicas = 1, .partitions = 1, .device = -1};
    if (!size) return NULL;
    fl_proto c = {at, at + size, 0};
    for (fl_proto_field f; fl_proto_next(&c, &f);) {
        if (f.number == 4) out->portable = f.value != 0;
        if (f.number == 3 && !read_build(f.bytes, out)) c.bad = 1;
    }
    FL_CHECK(!c.bad, FL_INVALID, "compile options: expected a serialized CompileOptionsProto");
    FL_CHECK(out->replicas > 0 && out->partitions > 0, FL_INVALID,
             "compile options: expected at least one replica and partition, got %lld and %lld",
             (long long)out->replicas, (long long)out->partitions);
    FL_CHECK(out->replicas <= FL_MOST_DEVICES && out->partitions <= FL_MOST_DEVICES / out->replicas,
             FL_INVALID,
             "compile options: expected at most %d replicas times partitions, got %lld times %lld",
             FL_MOST_DEVICES, (long long)out->replicas, (long long)out->partitions);
    if (!out->device_count) return NULL;
    FL_CHECK(
        out->assigned_replicas == out->replicas && out->assigned_partitions == out->partitions &&
            out->device_count == out->replicas * out->partitions,
        FL_INVALID,
        "compile options: expected an assignment of %lld replicas times %lld partitions, got %u devices for "
        "%lld times %lld",
        (long long)out->replicas, (long long)out->partitions, out->device_count,
        (long long)out->assigned_replicas, (long long)out->assigned_partitions);
    return NULL;
}
