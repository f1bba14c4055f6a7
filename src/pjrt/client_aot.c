#include "pjrt/client_aot.h"
#include "pjrt/client_host.h"
#include "pjrt/client_plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A report and what it points to. */
typedef struct owned_report {
    fl_aot_report report; /* first */
    char device[64], version[200], message[FL_AOT_MESSAGE];
    char *compiler_message;
} owned_report;

/* What is used on the way. */
typedef struct job {
    const fl_program *program;
    fl_pjrt_plugin *plugin;
    const PJRT_Api *api;
    PJRT_TopologyDescription *topology;
    PJRT_Executable *executable;
    owned_report *out;
    int ids[FL_PJRT_MOST_DEVICES];
} job;

static const char known[] =
    "v2:2x2, v3:2x2, v4:2x2x1, v5e:1x1 to v5e:16x16, v5p:1x1x1 to v5p:4x4x4, v6e:1x1 to v6e:16x16, "
    "v7x:1x1x1 to v7x:2x2x2 (libtpu's tpu7x)";

/* ---- the topology ---- */

static PJRT_Error *create_topology(job *j, const char *name)
{
    FL_PJRT_CALL(create, PJRT_TopologyDescription_Create, .topology_name = name,
                 .topology_name_size = strlen(name));
    PJRT_Error *error = j->api->PJRT_TopologyDescription_Create(&create);
    if (!error) j->topology = create.topology;
    return error;
}

/* The seventh generation has two names. */
static int other_name(const char *name, char *out, size_t room)
{
    if (strncmp(name, "v7x:", 4)) return 0;
    snprintf(out, room, "tpu7x:%s", name + 4);
    return 1;
}

static fl_status open_topology(job *j, const char *name)
{
    char other[80];
    FL_CHECK(FL_PJRT_HAS(j->api, PJRT_TopologyDescription_Create) && FL_PJRT_HAS(j->api, PJRT_Compile),
             FL_UNSUPPORTED, "%s: the plugin cannot compile without a device", j->plugin->path);
    fl_status status = fl_pjrt_error(j->api, create_topology(j, name), "topology");
    if (status && other_name(name, other, sizeof other)) {
        fl_status second = fl_pjrt_error(j->api, create_topology(j, other), "topology");
        fl_status_free(second ? second : status);
        if (!second) status = NULL;
    }
    if (!status) return NULL;
    fl_code code = fl_status_code(status);
    fl_status named =
        code == FL_UNSUPPORTED
            ? fl_error(FL_UNSUPPORTED,
                       "%s: the plugin has no topologies by name, so it cannot compile without a device",
                       j->plugin->path)
            : fl_error(FL_VALUE,
                       "expected a topology that the compiler knows, such as %s, got \"%.80s\" (%.300s)",
                       known, name, fl_status_message(status));
    fl_status_free(status);
    return named;
}

static uint64_t find_limit(const PJRT_NamedValue *values, size_t count)
{
    static const char name[] = "device_memory_bytes_limit";
    for (size_t i = 0; i < count; i++) {
        const PJRT_NamedValue *v = &values[i];
        if (v->type == PJRT_NamedValue_kInt64 && v->name_size == sizeof name - 1 &&
            !memcmp(v->name, name, sizeof name - 1) && v->int64_value > 0)
            return (uint64_t)v->int64_value;
    }
    return 0;
}

static void one_line(char *out, size_t room, const char *text, size_t size)
{
    size_t n = size < room - 1 ? size : room - 1;
    for (size_t i = 0; i < n; i++) out[i] = text[i] == '\n' ? ' ' : text[i];
    out[n] = 0;
}

static fl_status describe_topology(job *j)
{
    const PJRT_Api *api = j->api;
    fl_aot_report *r = &j->out->report;
    FL_PJRT_CALL(devices, PJRT_TopologyDescription_GetDeviceDescriptions, .topology = j->topology);
    FL_PJRT_CALL(version, PJRT_TopologyDescription_PlatformVersion, .topology = j->topology);
    FL_PJRT_CALL(attributes, PJRT_TopologyDescription_Attributes, .topology = j->topology);
    FL_TRY(fl_pjrt_error(api, api->PJRT_TopologyDescription_GetDeviceDescriptions(&devices), "topology"));
    fl_status_free(fl_pjrt_error(api, api->PJRT_TopologyDescription_PlatformVersion(&version), ""));
    fl_status_free(fl_pjrt_error(api, api->PJRT_TopologyDescription_Attributes(&attributes), ""));
    size_t count = devices.num_descriptions;
    FL_CHECK(count, FL_VALUE, "expected a topology with devices, got none");
    r->devices = (uint32_t)count;
    if (version.platform_version)
        one_line(j->out->version, sizeof j->out->version, version.platform_version,
                 version.platform_version_size);
    r->memory_bytes = find_limit(attributes.attributes, attributes.num_attributes);
    for (size_t i = 0; i < count && i < FL_PJRT_MOST_DEVICES; i++) {
        FL_PJRT_CALL(id, PJRT_DeviceDescription_Id, .device_description = devices.descriptions[i]);
        FL_TRY(fl_pjrt_error(api, api->PJRT_DeviceDescription_Id(&id), "PJRT_DeviceDescription_Id"));
        j->ids[i] = id.id;
    }
    FL_PJRT_CALL(kind, PJRT_DeviceDescription_Kind, .device_description = devices.descriptions[0]);
    FL_TRY(fl_pjrt_error(api, api->PJRT_DeviceDescription_Kind(&kind), "PJRT_DeviceDescription_Kind"));
    one_line(j->out->device, sizeof j->out->device, kind.device_kind ? kind.device_kind : "",
             kind.device_kind_size);
    FL_PJRT_CALL(more, PJRT_DeviceDescription_Attributes, .device_description = devices.descriptions[0]);
    fl_status none = fl_pjrt_error(api, api->PJRT_DeviceDescription_Attributes(&more), "");
    if (!none && !r->memory_bytes) r->memory_bytes = find_limit(more.attributes, more.num_attributes);
    fl_status_free(none);
    return NULL;
}

/* ---- compiling ---- */

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Open dimensions end the whole process in some compilers. */
static fl_status check_static(const fl_program *p)
{
    for (uint32_t r = 1; r < p->def_count; r++) {
        const fl_type *t = &p->defs[r].type;
        int open = t->kind == FL_TYPE_UNRANKED || (t->kind == FL_TYPE_TENSOR && !fl_type_is_static(t));
        FL_CHECK(!open, FL_UNSUPPORTED,
                 "the program leaves dimensions open: expected a program of static shapes");
    }
    return NULL;
}

static fl_status compile(job *j)
{
    fl_aot_report *r = &j->out->report;
    int64_t partitions = fl_pjrt_count_in_module(j->program, "mhlo.num_partitions");
    int64_t replicas = fl_pjrt_count_in_module(j->program, "mhlo.num_replicas");
    FL_CHECK(
        partitions >= 1 && replicas >= 1 && partitions <= r->devices && replicas <= r->devices / partitions,
        FL_VALUE,
        "the program is for %lld replicas of %lld partitions: expected a topology of so many devices, got %u",
        (long long)replicas, (long long)partitions, r->devices);
    r->partitions = (uint32_t)partitions;
    r->replicas = (uint32_t)replicas;
    char options[FL_PJRT_MOST_DEVICES * 16];
    size_t size = fl_pjrt_compile_options(options, sizeof options, r->replicas, r->partitions, j->ids, NULL);
    FL_CHECK(size, FL_UNSUPPORTED, "expected a program for at most %d devices", FL_PJRT_MOST_DEVICES);
    fl_text code = {0};
    fl_status status = fl_pjrt_serialize(j->plugin, j->program, &code);
    if (!status) {
        PJRT_Program described = {.struct_size = PJRT_Program_STRUCT_SIZE,
                                  .code = code.data,
                                  .code_size = code.length,
                                  .format = "mlir",
                                  .format_size = 4};
        FL_PJRT_CALL(args, PJRT_Compile, .topology = j->topology, .program = &described,
                     .compile_options = options, .compile_options_size = size);
        uint64_t start = now();
        fl_status refused = fl_pjrt_error(j->api, j->api->PJRT_Compile(&args), "");
        r->compile_ns = now() - start;
        j->executable = args.executable;
        if (refused) {
            const char *message = fl_status_message(refused);
            fl_aot_explain(fl_status_code(refused), message, j->out->device, r, j->out->message);
            j->out->compiler_message = strdup(message);
            j->executable = NULL;
            fl_status_free(refused);
        }
    }
    fl_text_free(&code);
    return status;
}

static uint64_t at_least_zero(int64_t bytes)
{
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static void read_memory(const job *j)
{
    fl_aot_report *r = &j->out->report;
    if (!FL_PJRT_HAS(j->api, PJRT_Executable_GetCompiledMemoryStats)) return;
    FL_PJRT_CALL(m, PJRT_Executable_GetCompiledMemoryStats, .executable = j->executable);
    fl_status status = fl_pjrt_error(j->api, j->api->PJRT_Executable_GetCompiledMemoryStats(&m), "");
    r->has_memory = !status;
    fl_status_free(status);
    r->argument_bytes = at_least_zero(m.argument_size_in_bytes);
    r->output_bytes = at_least_zero(m.output_size_in_bytes);
    r->alias_bytes = at_least_zero(m.alias_size_in_bytes);
    r->temporary_bytes = at_least_zero(m.temp_size_in_bytes);
    r->code_bytes = at_least_zero(m.generated_code_size_in_bytes);
    r->peak_bytes = at_least_zero(m.peak_memory_in_bytes);
    uint64_t sum = r->argument_bytes + r->output_bytes + r->temporary_bytes + r->code_bytes;
    if (!r->peak_bytes) r->peak_bytes = sum > r->alias_bytes ? sum - r->alias_bytes : 0;
}

static void read_cost(const job *j)
{
    fl_aot_report *r = &j->out->report;
    static const char flops[] = "flops", bytes[] = "bytes accessed";
    if (!FL_PJRT_HAS(j->api, PJRT_Executable_GetCostAnalysis)) return;
    FL_PJRT_CALL(cost, PJRT_Executable_GetCostAnalysis, .executable = j->executable);
    fl_status none = fl_pjrt_error(j->api, j->api->PJRT_Executable_GetCostAnalysis(&cost), "");
    for (size_t i = 0; !none && i < cost.num_properties; i++) {
        const PJRT_NamedValue *v = &cost.properties[i];
        if (v->type != PJRT_NamedValue_kFloat) continue;
        if (v->name_size == sizeof flops - 1 && !memcmp(v->name, flops, sizeof flops - 1))
            r->flops = v->float_value;
        if (v->name_size == sizeof bytes - 1 && !memcmp(v->name, bytes, sizeof bytes - 1))
            r->bytes_accessed = v->float_value;
    }
    fl_status_free(none);
}

static fl_status run(job *j, const char *topology)
{
    FL_TRY(check_static(j->program));
    FL_TRY(open_topology(j, topology));
    FL_TRY(describe_topology(j));
    FL_TRY(compile(j));
    if (!j->executable) return NULL;
    read_memory(j);
    read_cost(j);
    return NULL;
}

static void close_job(job *j)
{
    FL_PJRT_CALL(executable, PJRT_Executable_Destroy, .executable = j->executable);
    FL_PJRT_CALL(topology, PJRT_TopologyDescription_Destroy, .topology = j->topology);
    if (j->executable)
        fl_status_free(fl_pjrt_error(j->api, j->api->PJRT_Executable_Destroy(&executable), ""));
    if (j->topology)
        fl_status_free(fl_pjrt_error(j->api, j->api->PJRT_TopologyDescription_Destroy(&topology), ""));
}

fl_status fl_pjrt_aot(const fl_program *program, const char *plugin, const char *topology,
                      fl_aot_report **out)
{
    *out = NULL;
    job j = {.program = program};
    fl_pjrt_prepare_host();
    FL_TRY(fl_pjrt_plugin_open(plugin, &j.plugin));
    j.api = j.plugin->api;
    j.out = calloc(1, sizeof *j.out);
    FL_CHECK(j.out, FL_OOM, "out of host memory");
    j.out->report = (fl_aot_report){.size = sizeof(fl_aot_report),
                                    .device = j.out->device,
                                    .compiler_version = j.out->version,
                                    .flops = -1,
                                    .bytes_accessed = -1,
                                    .message = j.out->message};
    fl_status status = run(&j, topology);
    close_job(&j);
    j.out->report.compiler_message = j.out->compiler_message ? j.out->compiler_message : "";
    if (status)
        fl_pjrt_aot_free(&j.out->report);
    else
        *out = &j.out->report;
    return status;
}

void fl_pjrt_aot_free(fl_aot_report *report)
{
    owned_report *owned = (owned_report *)report;
    if (owned) free(owned->compiler_message);
    free(owned);
}
