/* From a program in the client's form to an executable: read, refined, and on a device compiled. */
#include "pjrt/plugin_ffi.h"

#include "base/hash.h"
#include "cpu/device.h"
#include "ir/read.h"
#include "opt/opt.h"
#include "opt/sharding.h"
#include "ref/custom.h"
#include "ref/groups.h"
#include "ref/reference.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the program ---- */

static fl_status check_format(const PJRT_Program *p)
{
    char text[104];
    FL_CHECK(p, FL_INVALID, "expected a program, got NULL");
    FL_CHECK(p->struct_size >= PJRT_Program_STRUCT_SIZE, FL_INVALID,
             "program: expected struct_size of at least %d, got %zu", (int)PJRT_Program_STRUCT_SIZE,
             p->struct_size);
    FL_CHECK(p->code && p->format, FL_INVALID, "program: expected code and format, got NULL");
    if (p->format_size == 4 && !memcmp(p->format, "mlir", 4)) return NULL;
    int hlo = p->format_size >= 3 && !memcmp(p->format, "hlo", 3);
    return fl_error(hlo ? FL_UNSUPPORTED : FL_INVALID, "expected a program of format \"mlir\", got \"%s\"",
                    fl_plugin_quote(p->format, p->format_size, text));
}

static int is_static(const fl_program *p)
{
    for (uint32_t r = 1; r < p->def_count; r++) {
        const fl_type *t = &p->defs[r].type;
        if (t->kind == FL_TYPE_UNRANKED || (t->kind == FL_TYPE_TENSOR && !fl_type_is_static(t))) return 0;
    }
    return 1;
}

/* Custom calls are looked up when they run; who compiles wants to know before. */
static fl_status check_calls(const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        fl_index_check check;
        void *user;
        if (op->code == FL_OP_custom_call && !fl_ffi_is_call(op) && !fl_is_check_index(op, &check)) {
            const char *target = fl_op_string(op, FL_ATTR_call_target_name);
            FL_CHECK(target && (fl_custom_call_find(target, &user) || !strncmp(target, "check.", 6) ||
                                fl_is_ragged_all_to_all(op)),
                     FL_UNSUPPORTED, "custom call %s is not implemented on the embedded device",
                     target ? target : "without a name");
        }
        for (uint32_t k = 0; k < op->region_count; k++) FL_TRY(check_calls(op->regions[k]));
    }
    return NULL;
}

/* Some of them stand for operations, which refinement puts in their places. */
static int has_custom_calls(const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        if (op->code == FL_OP_custom_call) return 1;
        for (uint32_t k = 0; k < op->region_count; k++)
            if (has_custom_calls(op->regions[k])) return 1;
    }
    return 0;
}

/* A program for one partition, or one that all partitions run as it is. */
static fl_status read_whole(PJRT_Executable *e, fl_program **original)
{
    const fl_program *p = *original;
    fl_status refined = NULL;
    int fixed = is_static(p);
    if (!fixed || p->func_count > 1 || has_custom_calls(p->main)) {
        refined = fl_program_refine(p, NULL, p->main->arg_count, &e->program);
        if (refined && (!fixed || fl_status_code(refined) != FL_UNSUPPORTED)) return refined;
    }
    if (refined) { /* then the interpreter runs the program as it is, if it can */
        fl_status calls = check_calls(p->main);
        fl_status_free(calls ? calls : refined);
        if (calls) return refined;
    }
    if (!e->program) {
        e->program = *original;
        *original = NULL;
    }
    return fl_program_unshard(e->program);
}

/* One program for all partitions together: it becomes that of each. */
static fl_status read_partitioned(PJRT_Executable *e, const fl_program *original)
{
    fl_program *whole = NULL;
    FL_TRY(fl_program_refine(original, NULL, original->main->arg_count, &whole));
    fl_status status = fl_sharding_import(whole, e->parsed.partitions, &e->shardings);
    if (!status) status = fl_program_partition(whole, e->shardings, &e->program);
    if (!status) status = fl_program_replicate(e->program, e->parsed.replicas, e->parsed.partitions);
    if (!status) status = fl_program_combine(&e->program);
    fl_program_destroy(whole);
    return status;
}

static fl_status read_program(PJRT_Executable *e, fl_program **original)
{
    FL_TRY(fl_program_read(e->code, e->code_size, original));
    FL_TRY(e->parsed.spmd && e->parsed.partitions > 1 ? read_partitioned(e, *original)
                                                      : read_whole(e, original));
    fl_status plain = fl_program_verify_plain(e->program);
    e->plain = !plain;
    fl_status_free(plain);
    FL_TRY(fl_ffi_calls_create(e->program, &e->foreign));
    e->calls_host = e->foreign || fl_plugin_calls_host(e->program->main);
    return check_calls(e->program->main);
}

/* ---- what is told about arguments and results ---- */

static const fl_literal *attribute(const fl_literal *attrs, uint32_t index, const char *name)
{
    return attrs && attrs->kind == FL_LIT_ARRAY && index < attrs->count
               ? fl_literal_get(&attrs->u.items[index], name)
               : NULL;
}

static fl_status describe(const fl_type *type, const fl_literal *attrs, uint32_t index, fl_slot_info *out)
{
    const fl_literal *kind = attribute(attrs, index, "mhlo.memory_kind");
    char text[160];
    out->bytes = fl_reference_bytes(type);
    out->rank = type->kind == FL_TYPE_TENSOR ? type->rank : 0;
    out->dims = type->dims;
    out->type = type->kind == FL_TYPE_TOKEN    ? PJRT_Buffer_Type_TOKEN
                : type->kind == FL_TYPE_TENSOR ? fl_plugin_type((fl_dtype)type->dtype)
                                               : PJRT_Buffer_Type_INVALID;
    FL_CHECK(out->bytes < SIZE_MAX && out->type != PJRT_Buffer_Type_INVALID, FL_UNSUPPORTED,
             "expected arguments and results that are tensors of fixed shape, got %s",
             fl_type_text(type, text, sizeof text));
    const fl_literal *layout = attribute(attrs, index, "mhlo.layout_mode");
    FL_TRY(fl_plugin_read_layout(layout && layout->kind == FL_LIT_STRING ? layout->u.string : "default",
                                 out->rank, out->minor_to_major));
    if (!kind || kind->kind != FL_LIT_STRING) return NULL;
    return fl_plugin_check_memory_kind(kind->u.string, kind->count, &out->memory_kind);
}

/* A transposed result that may lie as it likes lies as what it was made of: nothing has to move. */
static void choose_layout(const PJRT_Executable *e, const fl_literal *attrs, uint32_t r)
{
    const fl_literal *layout = attribute(attrs, r, "mhlo.layout_mode");
    const fl_block *main = e->program->main;
    fl_slot_info *s = &e->outputs[r];
    if (!layout || layout->kind != FL_LIT_STRING || strcmp(layout->u.string, "auto") != 0) return;
    const fl_op *op = e->program->defs[main->results[r]].op;
    if (!op || op->code != FL_OP_transpose) return;
    const int64_t *permutation = fl_op_ints(op, FL_ATTR_permutation, NULL);
    fl_ref from = op->operands[0];
    int64_t order[FL_MAX_RANK];
    fl_plugin_row_major(s->rank, order);
    if (from >= main->first_arg && from - main->first_arg < main->arg_count)
        memcpy(order, e->inputs[from - main->first_arg].minor_to_major, s->rank * sizeof *order);
    for (size_t i = 0; permutation && i < s->rank; i++)
        for (size_t d = 0; d < s->rank; d++)
            if (permutation[d] == order[i]) s->minor_to_major[i] = (int64_t)d;
}

static int same_slot(const fl_slot_info *a, const fl_slot_info *b)
{
    if (a->type != b->type || a->bytes != b->bytes || a->memory_kind != b->memory_kind) return 0;
    int rows = fl_plugin_is_row_major(a->minor_to_major, a->dims, a->rank) &&
               fl_plugin_is_row_major(b->minor_to_major, b->dims, b->rank);
    return rows || (a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) &&
                    fl_plugin_same_order(a->minor_to_major, b->minor_to_major, a->dims, a->rank));
}

/* Arguments that may be used up: a stated result takes their memory, or else the first of the same size that has none. Who
 * offers memory that no result can take keeps it, as with XLA. */
static void find_donors(PJRT_Executable *e, const fl_literal *attrs)
{
    for (uint32_t r = 0; r < e->output_count; r++) e->alias[r] = -1;
    for (uint32_t i = 0; i < e->input_count; i++) {
        const fl_literal *stated = attribute(attrs, i, "tf.aliasing_output");
        if (!stated || stated->kind != FL_LIT_INT) continue;
        e->donated[i] = 1;
        if (stated->u.i < 0 || stated->u.i >= e->output_count || e->alias[stated->u.i] >= 0) continue;
        if (same_slot(&e->inputs[i], &e->outputs[stated->u.i])) e->alias[stated->u.i] = (int32_t)i;
    }
    for (uint32_t i = 0; i < e->input_count; i++) {
        const fl_literal *donor = attribute(attrs, i, "jax.buffer_donor");
        if (e->donated[i] || !donor || donor->kind != FL_LIT_BOOL || !donor->u.i) continue;
        for (uint32_t r = 0; r < e->output_count; r++)
            if (e->alias[r] < 0 && same_slot(&e->inputs[i], &e->outputs[r])) {
                e->alias[r] = (int32_t)i;
                e->donated[i] = 1;
                break;
            }
    }
}

static fl_status allocate_slots(PJRT_Executable *e)
{
    uint32_t n = e->input_count, m = e->output_count;
    e->inputs = calloc(n + 1u, sizeof *e->inputs);
    e->outputs = calloc(m + 1u, sizeof *e->outputs);
    e->donated = calloc(n + 1u, sizeof *e->donated);
    e->alias = calloc(m + 1u, sizeof *e->alias);
    e->output_types = calloc(m + 1u, sizeof *e->output_types);
    e->output_ranks = calloc(m + 1u, sizeof *e->output_ranks);
    e->output_dims = calloc(m * (size_t)FL_MAX_RANK + 1, sizeof *e->output_dims);
    e->output_kinds = calloc(m + 1u, sizeof *e->output_kinds);
    e->output_kind_sizes = calloc(m + 1u, sizeof *e->output_kind_sizes);
    e->input_kinds = calloc(n + 1u, sizeof *e->input_kinds);
    e->input_kind_sizes = calloc(n + 1u, sizeof *e->input_kind_sizes);
    FL_CHECK(e->inputs && e->outputs && e->donated && e->alias && e->output_types && e->output_ranks &&
                 e->output_dims && e->output_kinds && e->output_kind_sizes && e->input_kinds &&
                 e->input_kind_sizes,
             FL_OOM, "out of host memory");
    return NULL;
}

static fl_status describe_all(PJRT_Executable *e, const fl_func *entry)
{
    const fl_block *main = e->program->main;
    e->input_count = main->arg_count - e->open_input_count;
    e->output_count = main->result_count - e->open_output_count;
    FL_TRY(allocate_slots(e));
    for (uint32_t i = 0; i < e->input_count; i++) {
        fl_slot_info *s = &e->inputs[i];
        FL_TRY(fl_status_prefix(describe(fl_type_of(e->program, main->first_arg + i), entry->arg_attrs, i, s),
                                "argument %u", i));
        e->input_kinds[i] = fl_memory_descriptions[s->memory_kind]->kind;
        e->input_kind_sizes[i] = strlen(e->input_kinds[i]);
    }
    size_t dims = 0;
    for (uint32_t r = 0; r < e->output_count; r++) {
        fl_slot_info *s = &e->outputs[r];
        FL_TRY(fl_status_prefix(describe(fl_type_of(e->program, main->results[r]), entry->result_attrs, r, s),
                                "result %u", r));
        choose_layout(e, entry->result_attrs, r);
        e->output_types[r] = s->type;
        e->output_ranks[r] = s->rank;
        for (size_t d = 0; d < s->rank; d++) e->output_dims[dims++] = s->dims[d];
        e->output_kinds[r] = fl_memory_descriptions[s->memory_kind]->kind;
        e->output_kind_sizes[r] = strlen(e->output_kinds[r]);
    }
    fl_bounded_mark(e);
    find_donors(e, entry->arg_attrs);
    return NULL;
}

/* ---- executables ---- */

static fl_status keep(const char *bytes, size_t size, char **out)
{
    *out = malloc(size + 1);
    FL_CHECK(*out, FL_OOM, "out of host memory");
    if (size) memcpy(*out, bytes, size);
    (*out)[size] = 0;
    return NULL;
}

static uint64_t hash_bytes(uint64_t h, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, bytes + i, size - i < 8 ? size - i : 8);
        h = fl_hash_mix(h, word + i);
    }
    return fl_hash_mix(h, size);
}

static fl_status fill(PJRT_Executable *e, const PJRT_Program *program, const char *options,
                      size_t options_size)
{
    FL_TRY(fl_plugin_read_options(options, options_size, &e->parsed));
    FL_TRY(keep(program->code, program->code_size, &e->code));
    e->code_size = program->code_size;
    FL_TRY(keep(options, options_size, &e->options));
    e->options_size = options_size;
    fl_program *original = NULL;
    fl_status status = read_program(e, &original);
    if (!status && original) status = fl_bounded_list(e, original);
    if (!status) status = describe_all(e, fl_program_entry(original ? original : e->program));
    fl_program_destroy(original);
    if (status) return status;
    e->hash =
        hash_bytes(hash_bytes(0x243F6A8885A308D3ull, e->code, e->code_size), e->options, e->options_size);
    snprintf(e->fingerprint, sizeof e->fingerprint, "%016llx", (unsigned long long)e->hash);
    return NULL;
}

fl_status fl_plugin_executable_create(const PJRT_Program *program, const char *options, size_t options_size,
                                      PJRT_Executable **out)
{
    FL_TRY(check_format(program));
    PJRT_Executable *e = calloc(1, sizeof *e);
    FL_CHECK(e, FL_OOM, "out of host memory");
    e->references = 1;
    pthread_mutex_init(&e->lock, NULL);
    fl_status status = fill(e, program, options, options_size);
    if (status)
        fl_plugin_executable_release(e);
    else
        *out = e;
    return status;
}

void fl_plugin_executable_release(PJRT_Executable *e)
{
    if (!e || __atomic_sub_fetch(&e->references, 1, __ATOMIC_ACQ_REL)) return;
    void *const owned[] = {e->code,
                           e->options,
                           e->inputs,
                           e->outputs,
                           e->donated,
                           e->open_inputs,
                           e->open_outputs,
                           e->alias,
                           e->output_types,
                           e->output_ranks,
                           e->output_dims,
                           (void *)e->output_kinds,
                           e->output_kind_sizes,
                           (void *)e->input_kinds,
                           e->input_kind_sizes,
                           e->input_layouts,
                           e->output_layouts,
                           e->input_shardings,
                           e->output_shardings};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) free(owned[i]);
    fl_ffi_calls_free(e->foreign);
    fl_program_destroy(e->program);
    fl_shardings_free(e->shardings);
    fl_text_free(&e->text);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

/* ---- on a device ---- */

/* What the assignment says, or one device as its number says, or the first ones. */
static fl_status choose_devices(PJRT_LoadedExecutable *l, const fl_plugin_options *o)
{
    const PJRT_Client *c = l->client;
    uint64_t seen = 0;
    l->replicas = (uint32_t)o->replicas;
    l->partitions = (uint32_t)o->partitions;
    uint32_t n = l->replicas * l->partitions;
    if (o->portable) {
        FL_CHECK(n == 1, FL_INVALID, "portable executable: expected 1 replica and 1 partition, got %u and %u",
                 l->replicas, l->partitions);
        return NULL;
    }
    FL_CHECK((int64_t)n <= c->count, FL_INVALID,
             "expected at most %d replicas times partitions, one for each device, got %u times %u", c->count,
             l->replicas, l->partitions);
    for (uint32_t i = 0; i < n; i++) {
        int64_t id = o->device_count ? o->devices[i] : n == 1 && o->device >= 0 ? o->device : i;
        FL_CHECK(id >= 0 && id < c->count, FL_INVALID, "expected a device from 0 to %d, got %lld",
                 c->count - 1, (long long)id);
        FL_CHECK(!(seen >> id & 1), FL_INVALID, "expected each device once, got %lld twice", (long long)id);
        seen |= 1ull << id;
        l->devices[i] = c->device_pointers[id];
        l->logical[i] = (PJRT_LogicalDeviceIds){(int)(i / l->partitions), (int)(i % l->partitions)};
    }
    l->device_count = n;
    return NULL;
}

/* Strides of each, or NULL where all lie row by row. */
static fl_status layouts_of(const fl_slot_info *slots, uint32_t count, fl_layout **out)
{
    int rows = 1;
    for (uint32_t i = 0; i < count; i++)
        rows &= fl_plugin_is_row_major(slots[i].minor_to_major, slots[i].dims, slots[i].rank);
    *out = NULL;
    if (rows) return NULL;
    *out = calloc(count, sizeof **out);
    FL_CHECK(*out, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < count; i++)
        fl_plugin_order_strides(slots[i].minor_to_major, slots[i].dims, slots[i].rank, 1, (*out)[i].strides);
    return NULL;
}

static fl_status compile_plain(PJRT_LoadedExecutable *l, fl_device *d, const fl_layout *inputs,
                               const fl_layout *outputs)
{
    PJRT_Executable *e = l->executable;
    size_t inputs_all = e->program->main->arg_count, n = inputs_all * e->program->main->result_count;
    uint8_t *aliases = calloc(n + 1, 1);
    FL_CHECK(aliases, FL_OOM, "out of host memory");
    for (uint32_t r = 0; r < e->output_count; r++)
        if (e->alias[r] >= 0) aliases[(size_t)r * inputs_all + (size_t)e->alias[r]] = 1;
    const fl_compile_options options = {
        .name = e->program->name, .inputs = inputs, .outputs = outputs, .aliases = aliases};
    fl_status status = d->vtable->compile(d, e->program, &options, &l->compiled);
    free(aliases);
    if (!status) e->temporaries = fl_cpu_temporaries(l->compiled);
    return status;
}

static fl_status compile(PJRT_LoadedExecutable *l)
{
    PJRT_Executable *e = l->executable;
    fl_device *d = l->client->device_pointers[0]->device; /* plans are the same for all */
    fl_layout *inputs = NULL, *outputs = NULL;
    fl_status status = layouts_of(e->inputs, e->input_count, &inputs);
    if (!status) status = layouts_of(e->outputs, e->output_count, &outputs);
    if (!status && (inputs || outputs) && e->open_input_count + e->open_output_count)
        status = fl_error(FL_UNSUPPORTED, "layouts other than row by row beside bounded sizes");
    if (!status && e->plain) status = compile_plain(l, d, inputs, outputs);
    if (!status && !e->plain && (inputs || outputs))
        status =
            fl_error(FL_UNSUPPORTED, "layouts other than row by row are not implemented for this program");
    free(inputs);
    free(outputs);
    return status;
}

fl_status fl_plugin_load(PJRT_Client *client, PJRT_Executable *executable, const fl_plugin_options *options,
                         PJRT_LoadedExecutable **out)
{
    PJRT_LoadedExecutable *l = calloc(1, sizeof *l);
    FL_CHECK(l, FL_OOM, "out of host memory");
    l->references = 1;
    l->client = client;
    l->executable = executable;
    fl_plugin_client_share(client);
    __atomic_add_fetch(&executable->references, 1, __ATOMIC_RELAXED);
    fl_status status = choose_devices(l, options);
    if (!status) status = compile(l);
    if (!status) status = fl_plugin_check_memory(executable, client->topology);
    if (status)
        fl_plugin_loaded_release(l);
    else
        *out = l;
    return status;
}

void fl_plugin_loaded_release(PJRT_LoadedExecutable *l)
{
    if (!l || __atomic_sub_fetch(&l->references, 1, __ATOMIC_ACQ_REL)) return;
    PJRT_Client *client = l->client;
    fl_device *d = client->device_pointers[0]->device;
    d->vtable->destroy_executable(d, l->compiled);
    fl_plugin_executable_release(l->executable);
    free(l);
    fl_plugin_client_release(client);
}

fl_status fl_plugin_PJRT_Client_Compile(PJRT_Client_Compile_Args *args)
{
    PJRT_Executable *e;
    FL_TRY(fl_plugin_executable_create(args->program, args->compile_options, args->compile_options_size, &e));
    fl_status status = fl_plugin_load(args->client, e, &e->parsed, &args->executable);
    fl_plugin_executable_release(e);
    return status;
}

/* Without a client: read, checked, and measured; a device compiles it when it is loaded. */
fl_status fl_plugin_PJRT_Compile(PJRT_Compile_Args *args)
{
    PJRT_Executable *e;
    FL_TRY(fl_plugin_executable_create(args->program, args->compile_options, args->compile_options_size, &e));
    fl_status status = fl_plugin_fit(e, args->topology);
    if (status)
        fl_plugin_executable_release(e);
    else
        args->executable = e;
    return status;
}

/* The options may be others than those of compilation. The handle `executable` stays the caller's. */
fl_status fl_plugin_PJRT_Client_Load(PJRT_Client_Load_Args *args)
{
    fl_plugin_options options;
    FL_CHECK(args->executable, FL_INVALID, "expected an executable, got NULL");
    options = args->executable->parsed;
    if (args->compile_options && args->compile_options_size)
        FL_TRY(fl_plugin_read_options(args->compile_options, args->compile_options_size, &options));
    return fl_plugin_load(args->client, args->executable, &options, &args->loaded_executable);
}
