/* Extension of the plugin: partitioners of custom calls, which the client registers (JAX: those written in Python), and
 * jax.debug.inspect_array_sharding, which is one that only looks. */
#define _GNU_SOURCE /* dladdr */

#include "ir/read.h"
#include "opt/split.h"
#include "pjrt/plugin.h"
#include "pjrt/proto.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- what the callbacks are told ---- */

typedef JAX_CustomCallPartitioner_string string;

/* Messages of one call; strings point into them. */
typedef struct messages {
    fl_text *texts;
    uint32_t count;
    JAX_CustomCallPartitioner_aval *operands;
} messages;

static string string_of(const fl_text *t)
{
    return (string){t->data ? t->data : "", t->length};
}

static fl_proto proto_of(string s)
{
    return fl_proto_of(s.data ? s.data : "", s.data ? s.size : 0);
}

static string config_of(const fl_op *op)
{
    const fl_literal *config = fl_op_literal(op, FL_ATTR_backend_config);
    if (!config || config->kind != FL_LIT_STRING) return (string){"", 0};
    return (string){config->u.string, config->count};
}

static fl_status put_sharding(const fl_split_call *call, const fl_sharding *s, fl_text *out)
{
    return fl_proto_put_sharding(call->mesh, call->mesh->partitions, s, out);
}

/* One message for all results: a tuple where there are several. */
static fl_status put_results(const fl_split_call *call, fl_text *shape, fl_text *sharding)
{
    enum { ELEMENT_TYPE = 2, TYPE_TUPLE_SHAPE = 13, SHARDING_TYPE = 1, TYPE_TUPLE = 2 };
    const fl_op *op = call->op;
    int tuple = op->result_count != 1;
    if (tuple) fl_proto_put_number(shape, ELEMENT_TYPE, TYPE_TUPLE_SHAPE);
    if (tuple && sharding) fl_proto_put_number(sharding, SHARDING_TYPE, TYPE_TUPLE);
    for (uint32_t i = 0; i < op->result_count; i++) {
        fl_text one = {0}, other = {0};
        fl_status status =
            fl_proto_put_shape(fl_type_of(call->program, op->first_result + i), tuple ? &one : shape);
        if (!status && sharding) status = put_sharding(call, &call->results[i], tuple ? &other : sharding);
        if (!status && tuple) fl_proto_put_bytes(shape, FL_PROTO_TUPLE_SHAPES, one.data, one.length);
        if (!status && tuple && sharding)
            fl_proto_put_bytes(sharding, FL_PROTO_TUPLE_SHARDINGS, other.data, other.length);
        shape->failed |= one.failed;
        if (sharding) sharding->failed |= other.failed;
        fl_text_free(&one);
        fl_text_free(&other);
        FL_TRY(status);
    }
    return NULL;
}

static void free_messages(messages *m)
{
    for (uint32_t i = 0; m->texts && i < m->count; i++) fl_text_free(&m->texts[i]);
    free(m->texts);
    free(m->operands);
}

/* Texts: the shape and the sharding of each operand, then those of the results. */
static fl_status make_messages(const fl_split_call *call, messages *out)
{
    uint32_t n = call->op->operand_count;
    *out = (messages){.count = 2 * n + 2};
    out->texts = calloc(out->count, sizeof *out->texts);
    out->operands = calloc(n + 1u, sizeof *out->operands);
    FL_CHECK(out->texts && out->operands, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < n; i++) {
        fl_text *shape = &out->texts[2 * i], *sharding = shape + 1;
        FL_TRY(fl_proto_put_shape(fl_type_of(call->program, call->op->operands[i]), shape));
        FL_TRY(put_sharding(call, &call->operands[i], sharding));
        out->operands[i] = (JAX_CustomCallPartitioner_aval){string_of(shape), true, string_of(sharding)};
    }
    FL_TRY(put_results(call, &out->texts[2 * n], &out->texts[2 * n + 1]));
    for (uint32_t i = 0; i < out->count; i++) FL_CHECK(!out->texts[i].failed, FL_OOM, "out of host memory");
    return NULL;
}

/* ---- what they answer ---- */

static fl_code code_of(PJRT_Error_Code code)
{
    switch (code) {
    case PJRT_Error_Code_INVALID_ARGUMENT: return FL_INVALID;
    case PJRT_Error_Code_UNIMPLEMENTED: return FL_UNSUPPORTED;
    case PJRT_Error_Code_RESOURCE_EXHAUSTED: return FL_OOM;
    default: return FL_INTERNAL;
    }
}

static fl_status status_of(const JAX_CustomCallPartitioner_version_and_error *header)
{
    if (!header->has_error) return NULL;
    string m = header->error_msg;
    return fl_error(code_of(header->code), "%.*s", (int)(m.size < 4000 ? m.size : 4000),
                    m.data ? m.data : "");
}

static void clean_up(JAX_CustomCallPartitioner_version_and_error *header)
{
    if (header->cleanup_fn) header->cleanup_fn(header->data);
}

static fl_status read_results(fl_split_call *call, string bytes)
{
    uint32_t m = call->op->result_count;
    const fl_type **types = calloc(m + 1u, sizeof *types);
    FL_CHECK(types, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < m; i++) types[i] = fl_type_of(call->program, call->op->first_result + i);
    fl_status status = fl_proto_read_shardings(call->mesh, proto_of(bytes), m, types, call->results);
    free(types);
    return status;
}

static fl_status read_answer(fl_split_call *call, const JAX_CustomCallPartitioner_Partition_Args *args,
                             fl_program **out)
{
    for (uint32_t i = 0; i < call->op->operand_count; i++)
        FL_TRY(fl_proto_read_sharding(call->mesh, proto_of(args->args_sharding[i]),
                                      fl_type_of(call->program, call->op->operands[i])->rank,
                                      &call->operands[i]));
    FL_TRY(read_results(call, args->result_sharding));
    return fl_program_read(args->mlir_module.data, args->mlir_module.size, out);
}

static fl_status partition(void *user, fl_split_call *call, fl_program **out)
{
    JAX_CustomCallPartitioner_Callbacks *callbacks = user;
    messages m;
    fl_status status = make_messages(call, &m);
    if (!status) {
        uint32_t n = call->op->operand_count;
        JAX_CustomCallPartitioner_Partition_Args args = {
            .num_args = n, .op_args = m.operands, .backend_config = config_of(call->op)};
        args.op_result = (JAX_CustomCallPartitioner_aval){string_of(&m.texts[2 * n]), true,
                                                          string_of(&m.texts[2 * n + 1])};
        callbacks->partition(callbacks, &args);
        status = status_of(&args.header);
        if (!status) status = read_answer(call, &args, out);
        clean_up(&args.header);
    }
    free_messages(&m);
    return fl_status_prefix(status, "partitioner of the custom call");
}

static fl_status infer(void *user, fl_split_call *call, int *known)
{
    JAX_CustomCallPartitioner_Callbacks *callbacks = user;
    messages m;
    *known = 0;
    fl_status status = make_messages(call, &m);
    if (!status) {
        uint32_t n = call->op->operand_count;
        JAX_CustomCallPartitioner_InferShardingFromOperands_Args args = {
            .num_args = n,
            .op_args = m.operands,
            .result_shape = string_of(&m.texts[2 * n]),
            .backend_config = config_of(call->op)};
        callbacks->infer_sharding(callbacks, &args);
        status = status_of(&args.header);
        *known = !status && args.has_result_sharding;
        if (*known) status = read_results(call, args.result_sharding);
        clean_up(&args.header);
    }
    free_messages(&m);
    return fl_status_prefix(status, "partitioner of the custom call");
}

/* ---- looking at a sharding ---- */

/* The call's configuration holds the function, which lives in the process that compiles; bytes that are no function of any loaded
 * library are refused. */
static fl_status inspect(void *user, fl_split_call *call, fl_program **out)
{
    (void)user;
    const string config = config_of(call->op);
    JAX_InspectSharding_Callback callback;
    Dl_info where;
    fl_text text = {0};
    *out = NULL;
    FL_CHECK(config.size == sizeof callback, FL_INVALID,
             "InspectSharding: expected %zu bytes of configuration, got %zu", sizeof callback, config.size);
    memcpy(&callback, config.data, sizeof callback);
    FL_CHECK(callback.call && dladdr(*(void **)&callback.call, &where), FL_INVALID,
             "InspectSharding: expected a function of this process");
    FL_TRY(put_sharding(call, &call->operands[0], &text));
    JAX_InspectSharding_Callback_Args args = {.sharding_spec = text.data ? text.data : "",
                                              .sharding_spec_size = text.length};
    callback.call(callback.data, &args);
    fl_text_free(&text);
    if (!args.error_txt) return NULL;
    fl_status status = fl_error(FL_INVALID, "InspectSharding: %.2000s", args.error_txt);
    if (args.free_error) args.free_error(&args);
    return status;
}

void fl_plugin_partitioner_initialize(void)
{
    static const char name[] = "InspectSharding";
    static const fl_splitter looks = {.partition = inspect};
    fl_status status = fl_splitter_register(name, sizeof name - 1, &looks);
    fl_status_free(status); /* then such calls are refused */
}

/* ---- the extension ---- */

static PJRT_Error *register_partitioner(PJRT_Register_Custom_Partitioner_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Register_Custom_Partitioner)
    JAX_CustomCallPartitioner_Callbacks *c = args->callbacks;
    if (!args->name || !args->name_size || !c || !c->partition)
        return fl_plugin_error(fl_error(FL_INVALID, "expected a name and callbacks, got NULL"));
    const fl_splitter splitter = {c, partition, c->infer_sharding ? infer : NULL};
    return fl_plugin_error(fl_splitter_register(args->name, args->name_size, &splitter));
}

static PJRT_Error *register_batches(PJRT_Register_Batch_Partitionable_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Register_Batch_Partitionable)
    if (!args->name || !args->name_size)
        return fl_plugin_error(fl_error(FL_INVALID, "expected a name, got NULL"));
    return fl_plugin_error(fl_split_batches_register(args->name, args->name_size));
}

PJRT_Custom_Partitioner_Extension fl_plugin_partitioner_extension = {
    .base = {PJRT_Custom_Partitioner_Extension_STRUCT_SIZE, PJRT_Extension_Type_Custom_Partitioner,
             &fl_plugin_layouts.base},
    .register_custom_partitioner = register_partitioner,
    .register_batch_partitionable = register_batches,
};
