/* Memory of the host that a client asks the plugin for, so that transfers need not copy it: two versions of one extension. */
#include "pjrt/plugin.h"

#include <stdlib.h>

enum { ALIGNMENT = 64 }; /* from which buffers may use host memory in place */

static fl_status allocate(PJRT_Client *client, size_t size, size_t alignment, void **out)
{
    FL_CHECK(client, FL_INVALID, "expected a client, got NULL");
    FL_CHECK(!(alignment & (alignment - 1)), FL_INVALID,
             "expected an alignment that is a power of two, got %zu", alignment);
    if (alignment < ALIGNMENT) alignment = ALIGNMENT;
    FL_CHECK(size <= SIZE_MAX / 4 && !posix_memalign(out, alignment, size ? size : 1), FL_OOM, "no host memory for %zu bytes", size);
    return NULL;
}

static PJRT_Error *preferred_alignment(PJRT_HostAllocator_GetPreferredAlignment_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_HostAllocator_GetPreferredAlignment)
    args->preferred_alignment = ALIGNMENT;
    return NULL;
}

static PJRT_Error *allocate_aligned(PJRT_HostAllocator_Allocate_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_HostAllocator_Allocate)
    return fl_plugin_error(allocate(args->client, args->size, args->alignment, &args->ptr));
}

static PJRT_Error *free_aligned(PJRT_HostAllocator_Free_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_HostAllocator_Free)
    free(args->ptr);
    return NULL;
}

static void free_owned(void *memory, void *unused)
{
    (void)unused;
    free(memory);
}

/* There is one node, whatever the client wishes. */
static PJRT_Error *allocate_owned(PJRT_HostMemoryAllocator_Allocate_Args *args)
{
    FL_PLUGIN_ENTER(PJRT_HostMemoryAllocator_Allocate)
    void *memory = NULL;
    fl_status status = allocate(args->client, args->size, ALIGNMENT, &memory);
    args->ptr = memory;
    args->deleter = free_owned;
    args->deleter_arg = NULL;
    return fl_plugin_error(status);
}

PJRT_HostAllocator_Extension fl_plugin_host_allocator = {
    .base = {PJRT_HostAllocator_Extension_STRUCT_SIZE, PJRT_Extension_Type_HostAllocator,
             &fl_plugin_memory_extension.base},
    .PJRT_HostAllocator_GetPreferredAlignment = preferred_alignment,
    .PJRT_HostAllocator_Allocate = allocate_aligned,
    .PJRT_HostAllocator_Free = free_aligned,
};

PJRT_HostMemoryAllocator_Extension fl_plugin_host_memory_allocator = {
    .base = {PJRT_HostMemoryAllocator_Extension_STRUCT_SIZE, PJRT_Extension_Type_HostMemoryAllocator,
             &fl_plugin_host_allocator.base},
    .PJRT_HostMemoryAllocator_Allocate = allocate_owned,
};
