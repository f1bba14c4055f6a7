/* What executables say of themselves, and how they are kept. */
#include "pjrt/plugin.h"

#include "ir/stats.h"

#include <stdlib.h>
#include <string.h>

fl_status fl_plugin_PJRT_Executable_Destroy(PJRT_Executable_Destroy_Args *args)
{
    fl_plugin_executable_release(args->executable);
    return NULL;
}

/* The module's name tells more than that of its function, which is "main" mostly. */
fl_status fl_plugin_PJRT_Executable_Name(PJRT_Executable_Name_Args *args)
{
    const fl_program *p = args->executable->program;
    args->executable_name = p->module_name ? p->module_name : p->name ? p->name : "main";
    args->executable_name_size = strlen(args->executable_name);
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_NumReplicas(PJRT_Executable_NumReplicas_Args *args)
{
    args->num_replicas = (size_t)args->executable->parsed.replicas;
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_NumPartitions(PJRT_Executable_NumPartitions_Args *args)
{
    args->num_partitions = (size_t)args->executable->parsed.partitions;
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_NumOutputs(PJRT_Executable_NumOutputs_Args *args)
{
    args->num_outputs = args->executable->output_count;
    return NULL;
}

/* Plans are tables of steps, no machine code. */
fl_status
fl_plugin_PJRT_Executable_SizeOfGeneratedCodeInBytes(PJRT_Executable_SizeOfGeneratedCodeInBytes_Args *args)
{
    args->size_in_bytes = 0;
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_OutputElementTypes(PJRT_Executable_OutputElementTypes_Args *args)
{
    args->output_types = args->executable->output_types;
    args->num_output_types = args->executable->output_count;
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_OutputDimensions(PJRT_Executable_OutputDimensions_Args *args)
{
    args->num_outputs = args->executable->output_count;
    args->dims = args->executable->output_dims;
    args->dim_sizes = args->executable->output_ranks;
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_OutputMemoryKinds(PJRT_Executable_OutputMemoryKinds_Args *args)
{
    args->num_outputs = args->executable->output_count;
    args->memory_kinds = args->executable->output_kinds;
    args->memory_kind_sizes = args->executable->output_kind_sizes;
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_ParameterMemoryKinds(PJRT_Executable_ParameterMemoryKinds_Args *args)
{
    args->num_parameters = args->executable->input_count;
    args->memory_kinds = args->executable->input_kinds;
    args->memory_kind_sizes = args->executable->input_kind_sizes;
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_Fingerprint(PJRT_Executable_Fingerprint_Args *args)
{
    args->executable_fingerprint = args->executable->fingerprint;
    args->executable_fingerprint_size = strlen(args->executable->fingerprint);
    return NULL;
}

fl_status fl_plugin_PJRT_LoadedExecutable_Fingerprint(PJRT_LoadedExecutable_Fingerprint_Args *args)
{
    args->executable_fingerprint = args->executable->executable->fingerprint;
    args->executable_fingerprint_size = strlen(args->executable_fingerprint);
    return NULL;
}

static PJRT_NamedValue number(const char *name, uint64_t value)
{
    return (PJRT_NamedValue){.struct_size = PJRT_NamedValue_STRUCT_SIZE,
                             .name = name,
                             .name_size = strlen(name),
                             .type = PJRT_NamedValue_kFloat,
                             .float_value = (float)value,
                             .value_size = 1};
}

static fl_status count_costs(PJRT_Executable *e)
{
    if (e->properties[0].struct_size) return NULL;
    fl_program_stats *s = calloc(1, sizeof *s);
    FL_CHECK(s, FL_OOM, "out of host memory");
    fl_status status = fl_program_count(e->program, s);
    if (!status) {
        e->properties[1] = number("bytes accessed", s->total.bytes);
        e->properties[0] = number("flops", s->total.flops);
    }
    free(s);
    return status;
}

fl_status fl_plugin_PJRT_Executable_GetCostAnalysis(PJRT_Executable_GetCostAnalysis_Args *args)
{
    PJRT_Executable *e = args->executable;
    pthread_mutex_lock(&e->lock);
    fl_status status = count_costs(e);
    pthread_mutex_unlock(&e->lock);
    args->properties = e->properties;
    args->num_properties = sizeof e->properties / sizeof *e->properties;
    return status;
}

fl_status fl_plugin_PJRT_Executable_GetCompiledMemoryStats(PJRT_Executable_GetCompiledMemoryStats_Args *args)
{
    const PJRT_Executable *e = args->executable;
    int64_t arguments[2] = {0}, outputs[2] = {0}, aliases[2] = {0},
            temporaries = (int64_t)e->temporaries; /* device, host */
    for (uint32_t i = 0; i < e->input_count; i++)
        arguments[e->inputs[i].memory_kind != 0] += (int64_t)e->inputs[i].bytes;
    for (uint32_t r = 0; r < e->output_count; r++) {
        outputs[e->outputs[r].memory_kind != 0] += (int64_t)e->outputs[r].bytes;
        if (e->alias[r] >= 0) aliases[e->outputs[r].memory_kind != 0] += (int64_t)e->outputs[r].bytes;
    }
    args->generated_code_size_in_bytes = args->host_generated_code_size_in_bytes = 0;
    args->argument_size_in_bytes = arguments[0];
    args->output_size_in_bytes = outputs[0];
    args->alias_size_in_bytes = aliases[0];
    args->temp_size_in_bytes = temporaries;
    args->host_argument_size_in_bytes = arguments[1];
    args->host_output_size_in_bytes = outputs[1];
    args->host_alias_size_in_bytes = aliases[1];
    args->host_temp_size_in_bytes = 0;
    int64_t peak = arguments[0] + outputs[0] - aliases[0] + temporaries;
    args->peak_memory_in_bytes = args->total_size_in_bytes = args->total_allocation_bytes = peak;
    args->indefinite_allocations = 0;
    args->peak_unpadded_heap_bytes = peak;
    return NULL;
}

/* Text of what runs: asked twice, for its size and for itself. */
fl_status fl_plugin_PJRT_Executable_OptimizedProgram(PJRT_Executable_OptimizedProgram_Args *args)
{
    PJRT_Executable *e = args->executable;
    PJRT_Program *p = args->program;
    FL_CHECK(p, FL_INVALID, "expected room for a program, got NULL");
    FL_CHECK(p->struct_size >= PJRT_Program_STRUCT_SIZE, FL_INVALID,
             "program: expected struct_size of at least %d, got %zu", (int)PJRT_Program_STRUCT_SIZE,
             p->struct_size);
    pthread_mutex_lock(&e->lock);
    if (!e->text.length) fl_program_print(e->program, &e->text);
    int failed = e->text.failed;
    pthread_mutex_unlock(&e->lock);
    FL_CHECK(!failed, FL_OOM, "out of host memory");
    p->format = "mlir";
    p->format_size = 4;
    if (p->code) {
        FL_CHECK(p->code_size >= e->text.length, FL_INVALID, "expected room for %zu bytes, got %zu",
                 e->text.length, p->code_size);
        memcpy(p->code, e->text.data, e->text.length);
    }
    p->code_size = e->text.length;
    return NULL;
}

/* ---- serialized: a head, the program as it came, and the options ---- */

typedef struct serial_head {
    char magic[16];
    uint64_t code_size, options_size, hash;
} serial_head;

static const char magic[16] = "FLAMBEAU PJRT 1";

static void free_bytes(void *bytes)
{
    free(bytes);
}

static void free_executable(PJRT_SerializedExecutable *serialized)
{
    free_bytes(serialized);
}

fl_status fl_plugin_PJRT_Executable_Serialize(PJRT_Executable_Serialize_Args *args)
{
    const PJRT_Executable *e = args->executable;
    serial_head head = {.code_size = e->code_size, .options_size = e->options_size, .hash = e->hash};
    memcpy(head.magic, magic, sizeof head.magic);
    char *bytes = malloc(sizeof head + e->code_size + e->options_size);
    FL_CHECK(bytes, FL_OOM, "out of host memory");
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + sizeof head, e->code, e->code_size);
    memcpy(bytes + sizeof head + e->code_size, e->options, e->options_size);
    args->serialized_bytes = bytes;
    args->serialized_bytes_size = sizeof head + e->code_size + e->options_size;
    args->serialized_executable = (PJRT_SerializedExecutable *)bytes;
    args->serialized_executable_deleter = free_executable;
    return NULL;
}

fl_status fl_plugin_PJRT_Executable_DeserializeAndLoad(PJRT_Executable_DeserializeAndLoad_Args *args)
{
    serial_head head;
    const char *bytes = args->serialized_executable;
    size_t size = args->serialized_executable_size;
    FL_CHECK(bytes, FL_INVALID, "expected a serialized executable, got NULL");
    FL_CHECK(size >= sizeof head, FL_INVALID, "expected a serialized executable, got %zu bytes", size);
    memcpy(&head, bytes, sizeof head);
    size_t rest = size - sizeof head;
    FL_CHECK(!memcmp(head.magic, magic, sizeof magic) && head.code_size <= rest &&
                 head.options_size == rest - head.code_size,
             FL_INVALID, "expected an executable serialized by this plugin");
    PJRT_Program program = {.struct_size = PJRT_Program_STRUCT_SIZE,
                            .code = (char *)(uintptr_t)(bytes + sizeof head),
                            .code_size = head.code_size,
                            .format = "mlir",
                            .format_size = 4};
    const char *options = bytes + sizeof head + head.code_size;
    size_t options_size = head.options_size;
    if (args->overridden_serialized_compile_options && args->overridden_serialized_compile_options_size) {
        options = args->overridden_serialized_compile_options;
        options_size = args->overridden_serialized_compile_options_size;
    }
    PJRT_Executable *e;
    FL_TRY(fl_plugin_executable_create(&program, options, options_size, &e));
    fl_status status = fl_plugin_load(args->client, e, &e->parsed, &args->loaded_executable);
    fl_plugin_executable_release(e);
    return status;
}

static void keep_options(PJRT_SerializedCompileOptions *serialized)
{
    (void)serialized; /* they are the executable's */
}

fl_status fl_plugin_PJRT_Executable_GetCompileOptions(PJRT_Executable_GetCompileOptions_Args *args)
{
    args->serialized_bytes = args->executable->options;
    args->serialized_bytes_size = args->executable->options_size;
    args->serialized_compile_options = NULL;
    args->serialized_compile_options_deleter = keep_options;
    return NULL;
}

/* ---- loaded executables ---- */

fl_status fl_plugin_PJRT_LoadedExecutable_Destroy(PJRT_LoadedExecutable_Destroy_Args *args)
{
    fl_plugin_loaded_release(args->executable);
    return NULL;
}

fl_status fl_plugin_PJRT_LoadedExecutable_GetExecutable(PJRT_LoadedExecutable_GetExecutable_Args *args)
{
    args->executable = args->loaded_executable->executable;
    __atomic_add_fetch(&args->executable->references, 1, __ATOMIC_RELAXED);
    return NULL;
}

fl_status
fl_plugin_PJRT_LoadedExecutable_AddressableDevices(PJRT_LoadedExecutable_AddressableDevices_Args *args)
{
    PJRT_LoadedExecutable *l = args->executable;
    args->addressable_devices = l->devices;
    args->num_addressable_devices = l->device_count;
    return NULL;
}

fl_status fl_plugin_PJRT_LoadedExecutable_AddressableDeviceLogicalIds(
    PJRT_LoadedExecutable_AddressableDeviceLogicalIds_Args *args)
{
    PJRT_LoadedExecutable *l = args->executable;
    args->addressable_device_logical_ids = l->logical;
    args->num_addressable_device_logical_ids = l->device_count;
    return NULL;
}

fl_status fl_plugin_PJRT_LoadedExecutable_Delete(PJRT_LoadedExecutable_Delete_Args *args)
{
    __atomic_store_n(&args->executable->deleted, 1, __ATOMIC_RELEASE);
    return NULL;
}

fl_status fl_plugin_PJRT_LoadedExecutable_IsDeleted(PJRT_LoadedExecutable_IsDeleted_Args *args)
{
    args->is_deleted = __atomic_load_n(&args->executable->deleted, __ATOMIC_ACQUIRE);
    return NULL;
}

static void free_assignment(PJRT_DeviceAssignmentSerialized *serialized)
{
    free_bytes(serialized);
}

/* DeviceAssignmentProto {1: replicas, 2: computations, 3: for each computation {1: devices of its replicas}}; none for a
 * portable executable. Ids and counts are at most 64, so each number is one byte. */
fl_status
fl_plugin_PJRT_LoadedExecutable_GetDeviceAssignment(PJRT_LoadedExecutable_GetDeviceAssignment_Args *args)
{
    const PJRT_LoadedExecutable *l = args->executable;
    char *bytes = malloc(4 + l->partitions * 4 + l->device_count + 1), *at = bytes;
    FL_CHECK(bytes, FL_OOM, "out of host memory");
    if (l->device_count) {
        *at++ = 0x08, *at++ = (char)l->replicas;
        *at++ = 0x10, *at++ = (char)l->partitions;
    }
    for (uint32_t p = 0; l->device_count && p < l->partitions; p++) {
        *at++ = 0x1A, *at++ = (char)(2 + l->replicas);
        *at++ = 0x0A, *at++ = (char)l->replicas;
        for (uint32_t r = 0; r < l->replicas; r++)
            *at++ = (char)l->devices[r * l->partitions + p]->description->id;
    }
    args->serialized_bytes = bytes;
    args->serialized_bytes_size = (size_t)(at - bytes);
    args->serialized_device_assignment = (PJRT_DeviceAssignmentSerialized *)bytes;
    args->serialized_device_assignment_deleter = free_assignment;
    return NULL;
}
