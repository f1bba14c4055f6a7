/* Shapes as XLA's ShapeProto: {2: element type, 3: [size], 5: {1: [dimension, the fastest first], 8: memory}}. */
#include "pjrt/plugin.h"

#include <stdlib.h>
#include <string.h>

/* Numbers that XLA gives element types, in the order of PJRT_Buffer_Type. */
static const uint8_t element_numbers[] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 16, 15, 18,
                                          19, 20, 23, 24, 25, 21, 22, 17, 26, 27, 28, 29, 33, 32, 30, 31};

static char *put_number(char *at, uint64_t value)
{
    for (; value > 127; value >>= 7) *at++ = (char)(value | 128);
    *at++ = (char)value;
    return at;
}

/* A field of packed numbers. */
static char *put_list(char *at, int field, const int64_t *values, size_t count)
{
    char packed[10 * FL_MAX_RANK], *end = packed;
    if (!count) return at;
    for (size_t i = 0; i < count; i++) end = put_number(end, (uint64_t)values[i]);
    *at++ = (char)(field << 3 | 2);
    at = put_number(at, (uint64_t)(end - packed));
    memcpy(at, packed, (size_t)(end - packed));
    return at + (end - packed);
}

static void free_shape(const char *shape)
{
    free((void *)(uintptr_t)shape);
}

/* In every memory arrays lie as they are told to, else row by row. */
fl_status fl_plugin_PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace(
    PJRT_TopologyDescription_MakeCanonicalShapeForMemorySpace_Args *args)
{
    size_t bytes, rank = args->num_dims, element = fl_plugin_type_bytes(args->element_type);
    int64_t order[FL_MAX_RANK];
    int known = 0;
    for (int i = 0; i < FL_MEMORY_KINDS; i++)
        known |= fl_memory_descriptions[i]->kind_id == args->memory_space_kind_id;
    FL_CHECK(known, FL_INVALID, "expected the id of a kind of memory, got %d", args->memory_space_kind_id);
    FL_TRY(fl_plugin_shape_bytes(args->element_type, args->dims, rank, &bytes));
    FL_CHECK((size_t)args->element_type < sizeof element_numbers, FL_UNSUPPORTED,
             "expected an element type that XLA numbers, got %d", (int)args->element_type);
    FL_TRY(fl_plugin_layout_order(args->layout, args->dims, rank, element, order));
    char *shape = malloc(64 + 24 * FL_MAX_RANK), layout[16 + 2 * FL_MAX_RANK];
    FL_CHECK(shape, FL_OOM, "out of host memory");
    char *at = shape, *end = put_list(layout, 1, order, rank);
    *at++ = 2 << 3;
    *at++ = (char)element_numbers[args->element_type];
    at = put_list(at, 3, args->dims, rank);
    *at++ = 5 << 3 | 2;
    at = put_number(at, (uint64_t)(end - layout));
    memcpy(at, layout, (size_t)(end - layout));
    args->serialized_shape = shape;
    args->serialized_shape_size = (size_t)(at + (end - layout) - shape);
    args->serialized_shape_deleter = free_shape;
    return NULL;
}
