/* Arrays in memory: strides, and copies between them. */
#include "pjrt/plugin.h"

#include <string.h>

typedef struct axis {
    int64_t size, to, from; /* elements; strides in bytes */
} axis;

/* One row; the common widths become plain loads and stores. */
static void copy_row(char *to, const char *from, const axis *a, size_t element)
{
#define ROW(type)                                                                                            \
    for (int64_t i = 0; i < a->size; i++) {                                                                  \
        type value;                                                                                          \
        memcpy(&value, from + i * a->from, sizeof value);                                                    \
        memcpy(to + i * a->to, &value, sizeof value);                                                        \
    }                                                                                                        \
    return;
    if (a->to == (int64_t)element && a->from == (int64_t)element) {
        memcpy(to, from, (size_t)a->size * element);
        return;
    }
    switch (element) {
    case 1: ROW(uint8_t)
    case 2: ROW(uint16_t)
    case 4: ROW(uint32_t)
    case 8: ROW(uint64_t)
    default:
        for (int64_t i = 0; i < a->size; i++) memcpy(to + i * a->to, from + i * a->from, element);
    }
#undef ROW
}

static void copy_axes(char *to, const char *from, const axis *axes, int count, size_t element)
{
    if (count == 1) {
        copy_row(to, from, axes, element);
        return;
    }
    for (int64_t i = 0; i < axes->size; i++)
        copy_axes(to + i * axes->to, from + i * axes->from, axes + 1, count - 1, element);
}

void fl_plugin_copy(void *to, const int64_t *to_strides, const void *from, const int64_t *from_strides,
                    const int64_t *dims, size_t rank, size_t element)
{
    axis axes[FL_MAX_RANK + 1];
    int count = 0;
    for (size_t d = 0; d < rank; d++) {
        if (dims[d] == 0) return;
        if (dims[d] == 1) continue;
        axis a = {dims[d], to_strides[d], from_strides[d]};
        axis *outer = count ? &axes[count - 1] : NULL;
        if (outer && outer->to == a.size * a.to && outer->from == a.size * a.from) {
            *outer = (axis){outer->size * a.size, a.to, a.from};
        } else {
            axes[count++] = a;
        }
    }
    if (!element) return;
    if (!count) axes[count++] = (axis){1, (int64_t)element, (int64_t)element};
    copy_axes(to, from, axes, count, element);
}

void fl_plugin_dense_strides(const int64_t *dims, size_t rank, size_t element, int64_t *out)
{
    int64_t stride = (int64_t)element;
    for (size_t d = rank; d-- > 0;) {
        out[d] = stride;
        stride *= dims[d] > 0 ? dims[d] : 1;
    }
}

/* minor_to_major names every dimension once, the fastest first. */
static fl_status order_strides(const int64_t *minor_to_major, size_t count, const int64_t *dims, size_t rank,
                               size_t element, int64_t *out)
{
    uint32_t seen = 0;
    int64_t stride = (int64_t)element;
    FL_CHECK(count == rank && (minor_to_major || !rank), FL_INVALID,
             "layout: expected %zu dimensions, got %zu", rank, count);
    for (size_t i = 0; i < rank; i++) {
        int64_t d = minor_to_major[i];
        FL_CHECK(d >= 0 && d < (int64_t)rank && !(seen >> d & 1), FL_INVALID,
                 "layout: expected an order of %zu dimensions, got %lld at %zu", rank, (long long)d, i);
        seen |= 1u << d;
        out[d] = stride;
        stride *= dims[d] > 0 ? dims[d] : 1;
    }
    return NULL;
}

fl_status fl_plugin_layout_strides(const PJRT_Buffer_MemoryLayout *layout, const int64_t *dims, size_t rank,
                                   size_t element, int64_t *out)
{
    if (!layout) {
        fl_plugin_dense_strides(dims, rank, element, out);
        return NULL;
    }
    /* No version of a layout is another size, and XLA's client leaves its struct_size unset. */
    if (layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) {
        FL_CHECK(!layout->tiled.num_tiles, FL_UNSUPPORTED, "layout: tiles are not implemented");
        return order_strides(layout->tiled.minor_to_major, layout->tiled.minor_to_major_size, dims, rank,
                             element, out);
    }
    FL_CHECK(layout->type == PJRT_Buffer_MemoryLayout_Type_Strides, FL_INVALID,
             "layout: expected tiles or strides, got type %d", (int)layout->type);
    FL_CHECK(layout->strides.num_byte_strides == rank && (layout->strides.byte_strides || !rank), FL_INVALID,
             "layout: expected %zu strides, got %zu", rank, layout->strides.num_byte_strides);
    if (rank) memcpy(out, layout->strides.byte_strides, rank * sizeof *out);
    return NULL;
}
