/* Extension of the plugin: how arguments and results lie spread over the partitions, as XLA's OpSharding messages
 * (xla_data.proto). */
#include "opt/sharding.h"
#include "pjrt/plugin.h"

#include <stdlib.h>
#include <string.h>

/* ---- the message ---- */

enum { /* fields of OpSharding, and values of its type */
       FIELD_TYPE = 1,
       FIELD_TILE_DIMS = 3,
       FIELD_TILE_DEVICES = 4,
       FIELD_REPLICATE_LAST = 6,
       FIELD_LAST_DIMS = 8,
       TYPE_REPLICATED = 0,
       TYPE_OTHER = 3,
       TYPE_UNREDUCED = 6
};

static void put_varint(fl_text *t, uint64_t value)
{
    char bytes[10];
    size_t n = 0;
    for (; value > 0x7F; value >>= 7) bytes[n++] = (char)(value | 0x80);
    bytes[n++] = (char)value;
    fl_text_append(t, bytes, n);
}

static void put_number(fl_text *t, unsigned field, uint64_t value)
{
    put_varint(t, field << 3);
    put_varint(t, value);
}

static void put_packed(fl_text *t, unsigned field, const int64_t *values, int64_t count)
{
    fl_text list = {0};
    for (int64_t i = 0; i < count; i++) put_varint(&list, (uint64_t)values[i]);
    put_varint(t, field << 3 | 2);
    put_varint(t, list.length);
    fl_text_append(t, list.data ? list.data : "", list.length);
    t->failed |= list.failed;
    fl_text_free(&list);
}

/* The axes that cut no dimension: those that sums are over, then those along which all have the same. */
static int other_axes(const fl_mesh *mesh, const fl_sharding *s, uint8_t *out, int64_t *out_unreduced,
                      int64_t *out_replicated)
{
    uint16_t used = s->unreduced;
    int count = 0;
    *out_unreduced = *out_replicated = 1;
    for (int d = 0; d < s->rank; d++)
        for (int i = 0; i < s->count[d]; i++) used |= (uint16_t)(1u << s->axes[d][i]);
    for (uint32_t a = 0; a < mesh->axis_count; a++) {
        if (!(s->unreduced >> a & 1)) continue;
        out[count++] = (uint8_t)a;
        *out_unreduced *= mesh->sizes[a];
    }
    for (uint32_t a = 0; a < mesh->axis_count; a++) {
        if (used >> a & 1) continue;
        out[count++] = (uint8_t)a;
        *out_replicated *= mesh->sizes[a];
    }
    return count;
}

/* The partitions in the order of the tiles: the axes in `order` count them, the first varying slowest. */
static void list_devices(const fl_mesh *mesh, const int64_t *partitions, const uint8_t *order, int count,
                         int64_t *out)
{
    int64_t strides[FL_MOST_AXES], stride = 1;
    for (uint32_t a = mesh->axis_count; a-- > 0; stride *= mesh->sizes[a]) strides[a] = stride;
    for (int64_t i = 0; i < mesh->count; i++) {
        int64_t rest = i, place = 0;
        for (int k = count; k-- > 0; rest /= mesh->sizes[order[k]])
            place += rest % mesh->sizes[order[k]] * strides[order[k]];
        out[i] = partitions ? partitions[place] : place;
    }
}

/* `partitions`: those at each place; NULL: in order. */
static fl_status write_sharding(const fl_mesh *mesh, const int64_t *partitions, const fl_sharding *s,
                                fl_text *out)
{
    int64_t tiles[FL_MAX_RANK + 2], kinds[2], cut = 1, unreduced, replicated;
    uint8_t order[FL_MOST_AXES + FL_MAX_RANK];
    int dims = 0, axes = 0, groups = 0;
    for (int d = 0; d < s->rank; d++) {
        tiles[dims++] = 1;
        for (int i = 0; i < s->count[d]; i++) {
            tiles[d] *= mesh->sizes[s->axes[d][i]];
            order[axes++] = s->axes[d][i];
        }
        cut *= tiles[d];
    }
    axes += other_axes(mesh, s, order + axes, &unreduced, &replicated);
    if (cut * unreduced == 1) {
        put_number(out, FIELD_TYPE, TYPE_REPLICATED);
        return NULL;
    }
    int64_t *devices = calloc((size_t)mesh->count, sizeof *devices);
    FL_CHECK(devices, FL_OOM, "out of host memory");
    list_devices(mesh, partitions, order, axes, devices);
    if (unreduced > 1) {
        tiles[dims++] = unreduced;
        kinds[groups++] = TYPE_UNREDUCED;
    }
    if (replicated > 1) {
        tiles[dims++] = replicated;
        kinds[groups++] = TYPE_REPLICATED;
    }
    put_number(out, FIELD_TYPE, TYPE_OTHER);
    put_packed(out, FIELD_TILE_DIMS, tiles, dims);
    put_packed(out, FIELD_TILE_DEVICES, devices, mesh->count);
    if (groups == 1 && unreduced == 1)
        put_number(out, FIELD_REPLICATE_LAST, 1);
    else if (groups)
        put_packed(out, FIELD_LAST_DIMS, kinds, groups);
    free(devices);
    return NULL;
}

/* ---- the extension ---- */

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
        status = write_sharding(mesh, orders[i] ? orders[i] : mesh->partitions, &shardings[i], &bytes);
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
