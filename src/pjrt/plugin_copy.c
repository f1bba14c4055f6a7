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
