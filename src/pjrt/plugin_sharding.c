/* Extension of the plugin: how arguments and results lie spread over the partitions, as XLA's OpSharding messages. */
#include "opt/sharding.h"
#include "pjrt/plugin.h"
#include "pjrt/proto.h"

#include <stdlib.h>
#include <string.h>

/* Messages one after another in `bytes`; the executable owns it all, in one piece of memory. */
typedef struct message_table {
    const char **messages;
    size_t *sizes;
} message_table;

static fl_status make_table(const fl_mesh *mesh, const fl_sharding *shardings, const int64_t *const *orders,
                            uint32_t count, message_table **out)
{
    fl_text bytes = {0};
    size_t *ends = calloc(count + 1u, sizeof *ends);
    fl_status status = ends ? NULL : fl_error(FL_OOM, "out of host memory");
    for (uint32_t i = 0; !status && i < count; i++) {
        status = fl_proto_put_sharding(mesh, orders[i] ? orders[i] : mesh->partitions, &shardings[i], &bytes);
        ends[i + 1] = bytes.length;
    }
    message_table *t = NULL;
    if (!status && !bytes.failed)
        t = malloc(sizeof *t + count * (sizeof *t->messages + sizeof *t->sizes) + bytes.length + 1);
    if (!status && !t) status = fl_error(FL_OOM, "out of host memory");
    if (t) {
        t->messages = (const char **)(t + 1);
        t->sizes = (size_t *)(t->messages + count);
        char *data = (char *)(t->sizes + count);
        if (bytes.length) memcpy(data, bytes.data, bytes.length);
        for (uint32_t i = 0; i < count; i++) {
            t->messages[i] = data + ends[i];
            t->sizes[i] = ends[i + 1] - ends[i];
        }
    }
    free(ends);
    fl_text_free(&bytes);
    *out = t;
    return status;
}

/* Of a program that is not partitioned there is nothing to tell: no messages. Nor of one without results: XLA's client would
 * expect one for their empty tuple. */
static PJRT_Error *tell(PJRT_Executable *e, int are_results, size_t *out_count,
                        const char *const **out_messages, const size_t **out_sizes)
{
    const fl_shardings *s = e->shardings;
    uint32_t count = are_results ? e->output_count : e->input_count;
    void **kept = are_results ? &e->output_shardings : &e->input_shardings;
    fl_status status = NULL;
    *out_count = 0;
    *out_messages = NULL;
    *out_sizes = NULL;
    if (!s || !count) return NULL;
    pthread_mutex_lock(&e->lock);
    if (!*kept) {
        message_table *made = NULL;
        status = make_table(&s->mesh, are_results ? s->results : s->values + 1,
                            are_results ? s->result_orders : s->argument_orders, count, &made);
        *kept = made;
    }
    const message_table *t = *kept;
    pthread_mutex_unlock(&e->lock);
    if (status) return fl_plugin_error(status);
    *out_count = count;
    *out_messages = t->messages;
    *out_sizes = t->sizes;
    return NULL;
}

static PJRT_Error *parameter_shardings(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args *args)
{
    if (!args || args->struct_size < PJRT_Shardings_PJRT_Executable_ParameterShardings_Args_STRUCT_SIZE)
        return fl_plugin_error(fl_error(FL_INVALID, "ParameterShardings: expected a struct of its size"));
    if (!args->executable) return fl_plugin_error(fl_error(FL_INVALID, "expected an executable, got NULL"));
    return tell(args->executable, 0, &args->num_parameters, &args->shardings, &args->sharding_sizes);
}

static PJRT_Error *output_shardings(PJRT_Shardings_PJRT_Executable_OutputShardings_Args *args)
{
    if (!args || args->struct_size < PJRT_Shardings_PJRT_Executable_OutputShardings_Args_STRUCT_SIZE)
        return fl_plugin_error(fl_error(FL_INVALID, "OutputShardings: expected a struct of its size"));
    if (!args->executable) return fl_plugin_error(fl_error(FL_INVALID, "expected an executable, got NULL"));
    return tell(args->executable, 1, &args->num_outputs, &args->shardings, &args->sharding_sizes);
}

PJRT_Shardings_Extension fl_plugin_shardings = {
    .base = {PJRT_Shardings_Extension_STRUCT_SIZE, PJRT_Extension_Type_Shardings,
             &fl_plugin_ffi_extension.base},
    .PJRT_Shardings_PJRT_Executable_ParameterShardings = parameter_shardings,
    .PJRT_Shardings_PJRT_Executable_OutputShardings = output_shardings,
};
