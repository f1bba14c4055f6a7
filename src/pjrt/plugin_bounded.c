/* Arguments and results of bounded sizes. The program has them at the shape of their bounds, and behind its arguments and
 * results the sizes, one i32 for each open dimension (fl_program_refine). A buffer of such a result has the dimensions of the
 * bounds, and says how much of it is filled once it is ready; an argument may be any buffer within the bounds. */
#include "pjrt/plugin.h"

#include "opt/bounded.h"

#include <stdlib.h>
#include <string.h>

struct fl_bounded {
    int32_t *in, *out; /* what the program gets and gives */
    int64_t *dims;     /* of each open dimension of an argument: how far its buffer reaches */
    uint8_t *inside;   /* the buffer knows the size itself, once it is ready */
    void **padded;     /* copies of arguments that are smaller than the bounds, or NULL */
    uint32_t padded_count;
};

static fl_status list_open(const fl_program *p, const fl_ref *values, uint32_t count, fl_open_dim **out,
                           uint32_t *out_count)
{
    *out = calloc((size_t)count * FL_MAX_RANK + 1, sizeof **out);
    FL_CHECK(*out, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < count; i++) {
        const fl_type *type = fl_type_of(p, values[i]);
        for (int d = 0; fl_is_bounded(type) && d < type->rank; d++)
            if (type->dims[d] == FL_DYNAMIC) (*out)[(*out_count)++] = (fl_open_dim){i, d};
    }
    return NULL;
}

fl_status fl_bounded_list(PJRT_Executable *e, const fl_program *original)
{
    const fl_block *main = original->main;
    fl_ref *arguments = malloc((main->arg_count + 1u) * sizeof *arguments);
    FL_CHECK(arguments, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < main->arg_count; i++) arguments[i] = main->first_arg + i;
    fl_status status = list_open(original, arguments, main->arg_count, &e->open_inputs, &e->open_input_count);
    free(arguments);
    if (status) return status;
    return list_open(original, main->results, main->result_count, &e->open_outputs, &e->open_output_count);
}

void fl_bounded_mark(PJRT_Executable *e)
{
    for (uint32_t k = 0; k < e->open_input_count; k++)
        e->inputs[e->open_inputs[k].slot].open |= (uint16_t)(1u << e->open_inputs[k].dim);
    for (uint32_t k = 0; k < e->open_output_count; k++)
        e->outputs[e->open_outputs[k].slot].open |= (uint16_t)(1u << e->open_outputs[k].dim);
}

fl_bounded *fl_bounded_create(const PJRT_Executable *e)
{
    uint32_t n = e->open_input_count, m = e->open_output_count;
    size_t bytes = sizeof(fl_bounded) + n * (sizeof(int64_t) + sizeof(int32_t) + 1) +
                   e->input_count * sizeof(void *) + m * sizeof(int32_t);
    fl_bounded *b = calloc(1, bytes);
    if (!b) return NULL;
    b->dims = (int64_t *)(b + 1);
    b->padded = (void **)(b->dims + n);
    b->in = (int32_t *)(b->padded + e->input_count);
    b->out = b->in + n;
    b->inside = (uint8_t *)(b->out + m);
    b->padded_count = e->input_count;
    return b;
}

void fl_bounded_free(fl_bounded *b)
{
    for (uint32_t i = 0; b && i < b->padded_count; i++) free(b->padded[i]);
    free(b);
}

void fl_bounded_take(fl_bounded *b, const PJRT_Executable *e, uint32_t i, const PJRT_Buffer *buffer)
{
    for (uint32_t k = 0; k < e->open_input_count; k++) {
        const fl_open_dim *o = &e->open_inputs[k];
        if (o->slot != i) continue;
        b->dims[k] = buffer->dims[o->dim];
        b->inside[k] = buffer->open >> o->dim & 1;
    }
}

/* The argument's memory, or a copy with the strides of the bounds. */
static fl_status place(fl_bounded *b, const PJRT_Executable *e, uint32_t i, fl_storage *storage, void **out)
{
    const fl_slot_info *slot = &e->inputs[i];
    int64_t dims[FL_MAX_RANK], from[FL_MAX_RANK], to[FL_MAX_RANK];
    size_t element = fl_plugin_type_bytes(slot->type);
    int whole = 1;
    memcpy(dims, slot->dims, slot->rank * sizeof *dims);
    for (uint32_t k = 0; k < e->open_input_count; k++) {
        const fl_open_dim *o = &e->open_inputs[k];
        if (o->slot != i) continue;
        dims[o->dim] = b->dims[k];
        whole &= b->dims[k] == slot->dims[o->dim];
        b->in[k] = (int32_t)(b->inside[k] ? storage->filled[o->dim] : b->dims[k]);
    }
    if (whole) return NULL;
    b->padded[i] = calloc(1, slot->bytes + 1);
    FL_CHECK(b->padded[i], FL_OOM, "no host memory for %zu bytes", slot->bytes);
    fl_plugin_dense_strides(dims, slot->rank, element, from);
    fl_plugin_dense_strides(slot->dims, slot->rank, element, to);
    fl_plugin_copy(b->padded[i], to, storage->data, from, dims, slot->rank, element);
    *out = b->padded[i];
    return NULL;
}

fl_status fl_bounded_start(fl_bounded *b, const PJRT_Executable *e, fl_storage *const *storages,
                           void **inputs, void **outputs)
{
    for (uint32_t i = 0; i < e->input_count; i++)
        if (e->inputs[i].open) FL_TRY(place(b, e, i, storages[i], &inputs[i]));
    for (uint32_t k = 0; k < e->open_input_count; k++) inputs[e->input_count + k] = &b->in[k];
    for (uint32_t k = 0; k < e->open_output_count; k++) outputs[e->output_count + k] = &b->out[k];
    return NULL;
}

void fl_bounded_finish(const fl_bounded *b, const PJRT_Executable *e, fl_storage *const *results)
{
    for (uint32_t k = 0; k < e->open_output_count; k++) {
        const fl_open_dim *o = &e->open_outputs[k];
        int64_t most = e->outputs[o->slot].dims[o->dim], size = b->out[k];
        results[o->slot]->filled[o->dim] = size < 0 ? 0 : size > most ? most : size;
    }
}

fl_status fl_bounded_results(const PJRT_Executable *e, fl_storage *const *storages,
                             PJRT_Buffer *const *buffers)
{
    for (uint32_t r = 0; r < e->output_count; r++) {
        if (!e->outputs[r].open) continue;
        buffers[r]->open = e->outputs[r].open;
        storages[r]->filled = calloc(FL_MAX_RANK, sizeof(int64_t));
        FL_CHECK(storages[r]->filled, FL_OOM, "out of host memory");
        memcpy(storages[r]->filled, e->outputs[r].dims, e->outputs[r].rank * sizeof(int64_t));
    }
    return NULL;
}

/* ---- what buffers say ---- */

fl_status fl_bounded_filled(PJRT_Buffer *b, const int64_t **out)
{
    FL_TRY(fl_plugin_event_wait(b->ready));
    pthread_mutex_lock(&b->client->lock);
    if (b->storage) memcpy(b->filled, b->storage->filled, b->rank * sizeof *b->filled);
    int alive = b->storage != NULL;
    pthread_mutex_unlock(&b->client->lock);
    FL_CHECK(alive, FL_INVALID, "the buffer has been deleted or donated");
    *out = b->filled;
    return NULL;
}

fl_status fl_plugin_PJRT_Buffer_UnpaddedDimensions(PJRT_Buffer_UnpaddedDimensions_Args *args)
{
    args->unpadded_dims = args->buffer->dims;
    args->num_dims = args->buffer->rank;
    return args->buffer->open ? fl_bounded_filled(args->buffer, &args->unpadded_dims) : NULL;
}

fl_status fl_plugin_PJRT_Buffer_DynamicDimensionIndices(PJRT_Buffer_DynamicDimensionIndices_Args *args)
{
    PJRT_Buffer *b = args->buffer;
    size_t n = 0;
    pthread_mutex_lock(&b->client->lock);
    for (size_t d = 0; d < b->rank; d++)
        if (b->open >> d & 1) b->open_dims[n++] = d;
    pthread_mutex_unlock(&b->client->lock);
    args->dynamic_dim_indices = n ? b->open_dims : NULL;
    args->num_dynamic_dims = n;
    return NULL;
}
