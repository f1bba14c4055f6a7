/* Extensions of the plugin: layouts, and descriptions of memories. */
#include "pjrt/plugin.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEED(what, pointer)                                                                                  \
    if (!(pointer)) return fl_plugin_error(fl_error(FL_INVALID, "expected " what ", got NULL"));

/* ---- layouts ---- */

struct PJRT_Layouts_MemoryLayout {
    size_t size;
    char text[8 + 3 * FL_MAX_RANK]; /* "{1,0}" */
};

static void write_layout(const int64_t *minor_to_major, size_t rank, PJRT_Layouts_MemoryLayout *out)
{
    out->size = fl_plugin_write_layout(minor_to_major, rank, out->text, sizeof out->text);
}

static fl_status make_layout(const int64_t *minor_to_major, size_t rank, PJRT_Layouts_MemoryLayout **out)
{
    *out = malloc(sizeof **out);
    FL_CHECK(*out, FL_OOM, "out of host memory");
    write_layout(minor_to_major, rank, *out);
    return NULL;
}

/* Row by row, if there can be such an array. */
static fl_status make_default_layout(PJRT_Buffer_Type type, const int64_t *dims, size_t rank,
                                     PJRT_Layouts_MemoryLayout **out)
{
    size_t bytes;
    int64_t order[FL_MAX_RANK];
    FL_TRY(fl_plugin_shape_bytes(type, dims, rank, &bytes));
    fl_plugin_row_major(rank, order);
    return make_layout(order, rank, out);
}

static PJRT_Error *layout_destroy(PJRT_Layouts_MemoryLayout_Destroy_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Layouts_MemoryLayout_Destroy)
    free(args->layout);
    return NULL;
}

static void keep_layout(PJRT_Layouts_SerializedLayout *serialized)
{
    (void)serialized; /* it is part of the layout */
}

static PJRT_Error *layout_serialize(PJRT_Layouts_MemoryLayout_Serialize_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Layouts_MemoryLayout_Serialize)
    NEED("a layout", args->layout)
    args->serialized_bytes = args->layout->text;
    args->serialized_bytes_size = args->layout->size;
    args->serialized_layout = (PJRT_Layouts_SerializedLayout *)args->layout;
    args->serialized_layout_deleter = keep_layout;
    return NULL;
}

static PJRT_Error *layout_of_buffer(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Layouts_PJRT_Buffer_MemoryLayout)
    NEED("a buffer", args->buffer)
    return fl_plugin_error(make_layout(args->buffer->minor_to_major, args->buffer->rank, &args->layout));
}

static PJRT_Error *layout_of_client(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Layouts_PJRT_Client_GetDefaultLayout)
    return fl_plugin_error(make_default_layout(args->type, args->dims, args->num_dims, &args->layout));
}

static PJRT_Error *layout_of_topology(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Layouts_PJRT_Topology_GetDefaultLayout)
    return fl_plugin_error(make_default_layout(args->type, args->dims, args->num_dims, &args->layout));
}

/* Layouts of arguments and results belong to the executable: made once, as many as there are, behind one table. */
static fl_status layouts_of(PJRT_Executable *e, const fl_slot_info *slots, uint32_t count, void **kept,
                            PJRT_Layouts_MemoryLayout ***out)
{
    pthread_mutex_lock(&e->lock);
    if (!*kept) {
        PJRT_Layouts_MemoryLayout **table = malloc(count * (sizeof *table + sizeof **table) + 1);
        PJRT_Layouts_MemoryLayout *all = (PJRT_Layouts_MemoryLayout *)(table + count);
        for (uint32_t i = 0; table && i < count; i++) {
            table[i] = &all[i];
            write_layout(slots[i].minor_to_major, slots[i].rank, table[i]);
        }
        *kept = table;
    }
    *out = *kept;
    pthread_mutex_unlock(&e->lock);
    FL_CHECK(*out, FL_OOM, "out of host memory");
    return NULL;
}

static PJRT_Error *layouts_of_outputs(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Layouts_PJRT_Executable_GetOutputLayouts)
    NEED("an executable", args->executable)
    PJRT_Executable *e = args->executable;
    args->num_outputs = e->output_count;
    return fl_plugin_error(layouts_of(e, e->outputs, e->output_count, &e->output_layouts, &args->layouts));
}

static PJRT_Error *layouts_of_parameters(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_Layouts_PJRT_Executable_GetParameterLayouts)
    NEED("an executable", args->executable)
    PJRT_Executable *e = args->executable;
    args->num_parameters = e->input_count;
    return fl_plugin_error(layouts_of(e, e->inputs, e->input_count, &e->input_layouts, &args->layouts));
}

PJRT_Layouts_Extension fl_plugin_layouts = {
    .base = {PJRT_Layouts_Extension_STRUCT_SIZE, PJRT_Extension_Type_Layouts,
             &fl_plugin_host_memory_allocator.base},
    .PJRT_Layouts_MemoryLayout_Destroy = layout_destroy,
    .PJRT_Layouts_MemoryLayout_Serialize = layout_serialize,
    .PJRT_Layouts_PJRT_Client_GetDefaultLayout = layout_of_client,
    .PJRT_Layouts_PJRT_Buffer_MemoryLayout = layout_of_buffer,
    .PJRT_Layouts_PJRT_Topology_GetDefaultLayout = layout_of_topology,
    .PJRT_Layouts_PJRT_Executable_GetOutputLayouts = layouts_of_outputs,
    .PJRT_Layouts_PJRT_Executable_GetParameterLayouts = layouts_of_parameters,
};

/* ---- memories of a device without the device ---- */

static PJRT_Error *memory_descriptions(PJRT_DeviceDescription_MemoryDescriptions_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_DeviceDescription_MemoryDescriptions)
    args->memory_descriptions = fl_memory_descriptions;
    args->num_memory_descriptions = FL_MEMORY_KINDS;
    args->default_memory_index = 0;
    return NULL;
}

static PJRT_Error *memory_kind(PJRT_MemoryDescription_Kind_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_MemoryDescription_Kind)
    NEED("a memory description", args->memory_description)
    args->kind = args->memory_description->kind;
    args->kind_size = strlen(args->kind);
    args->kind_id = args->memory_description->kind_id;
    return NULL;
}

PJRT_MemoryDescriptions_Extension fl_plugin_memory_extension = {
    .base = {PJRT_MemoryDescriptions_Extension_STRUCT_SIZE, PJRT_Extension_Type_MemoryDescriptions,
             &fl_plugin_shardings.base},
    .PJRT_DeviceDescription_MemoryDescriptions = memory_descriptions,
    .PJRT_MemoryDescription_Kind = memory_kind,
};
