/* How arrays lie in memory: an order of their dimensions, the fastest first. Nothing is tiled or padded. */
#include "pjrt/plugin.h"

#include <stdio.h>
#include <string.h>

void fl_plugin_row_major(size_t rank, int64_t *out)
{
    for (size_t i = 0; i < rank; i++) out[i] = (int64_t)(rank - 1 - i);
}

void fl_plugin_order_strides(const int64_t *minor_to_major, const int64_t *dims, size_t rank, size_t element,
                             int64_t *out)
{
    int64_t stride = (int64_t)element;
    for (size_t i = 0; i < rank; i++) {
        int64_t d = minor_to_major[i];
        out[d] = stride;
        stride *= dims[d] > 0 ? dims[d] : 1;
    }
}

/* Dimensions of size 1 may stand anywhere. */
int fl_plugin_same_order(const int64_t *a, const int64_t *b, const int64_t *dims, size_t rank)
{
    int64_t x[FL_MAX_RANK], y[FL_MAX_RANK];
    fl_plugin_order_strides(a, dims, rank, 1, x);
    fl_plugin_order_strides(b, dims, rank, 1, y);
    for (size_t d = 0; d < rank; d++)
        if (dims[d] > 1 && x[d] != y[d]) return 0;
    return 1;
}

int fl_plugin_is_row_major(const int64_t *order, const int64_t *dims, size_t rank)
{
    int64_t rows[FL_MAX_RANK];
    fl_plugin_row_major(rank, rows);
    return fl_plugin_same_order(order, rows, dims, rank);
}

/* Every dimension once. */
static fl_status check_order(const int64_t *minor_to_major, size_t count, size_t rank)
{
    uint32_t seen = 0;
    FL_CHECK(count == rank && (minor_to_major || !rank), FL_INVALID,
             "layout: expected %zu dimensions, got %zu", rank, count);
    for (size_t i = 0; i < rank; i++) {
        int64_t d = minor_to_major[i];
        FL_CHECK(d >= 0 && d < (int64_t)rank && !(seen >> d & 1), FL_INVALID,
                 "layout: expected an order of %zu dimensions, got %lld at %zu", rank, (long long)d, i);
        seen |= 1u << d;
    }
    return NULL;
}

/* ---- as text, "{0,1}": in programs, and for clients ---- */

fl_status fl_plugin_read_layout(const char *text, size_t rank, int64_t *out)
{
    size_t count = 0;
    const char *p = text;
    fl_plugin_row_major(rank, out);
    if (!strcmp(text, "default") || !strcmp(text, "auto")) return NULL;
    FL_CHECK(*p++ == '{', FL_INVALID, "layout: expected default, auto or an order such as {1,0}, got %.100s",
             text);
    while (*p >= '0' && *p <= '9') {
        int64_t d = *p++ - '0';
        if (*p >= '0' && *p <= '9') d = 10 * d + *p++ - '0';
        FL_CHECK(count < rank, FL_INVALID, "layout: expected %zu dimensions, got %.100s", rank, text);
        out[count++] = d;
        if (*p == ',') p++;
    }
    FL_CHECK(strncmp(p, ":T", 2) != 0, FL_UNSUPPORTED, "layout: tiles are not implemented, got %.100s", text);
    FL_CHECK(*p == '}' || *p == ':', FL_INVALID, "layout: expected an order such as {1,0}, got %.100s", text);
    return check_order(out, count, rank);
}

size_t fl_plugin_write_layout(const int64_t *minor_to_major, size_t rank, char *out, size_t capacity)
{
    size_t at = (size_t)snprintf(out, capacity, "{");
    for (size_t i = 0; i < rank && at < capacity; i++)
        at += (size_t)snprintf(out + at, capacity - at, "%s%d", i ? "," : "", (int)minor_to_major[i]);
    if (at < capacity) at += (size_t)snprintf(out + at, capacity - at, "}");
    return at;
}

/* ---- in the form of the interface ---- */

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
        FL_TRY(check_order(layout->tiled.minor_to_major, layout->tiled.minor_to_major_size, rank));
        fl_plugin_order_strides(layout->tiled.minor_to_major, dims, rank, element, out);
        return NULL;
    }
    FL_CHECK(layout->type == PJRT_Buffer_MemoryLayout_Type_Strides, FL_INVALID,
             "layout: expected tiles or strides, got type %d", (int)layout->type);
    FL_CHECK(layout->strides.num_byte_strides == rank && (layout->strides.byte_strides || !rank), FL_INVALID,
             "layout: expected %zu strides, got %zu", rank, layout->strides.num_byte_strides);
    if (rank) memcpy(out, layout->strides.byte_strides, rank * sizeof *out);
    return NULL;
}

/* Strides of a dense array tell the order: that of the sizes of the steps, where dimensions of size 1 count as the slowest. */
fl_status fl_plugin_layout_order(const PJRT_Buffer_MemoryLayout *layout, const int64_t *dims, size_t rank,
                                 size_t element, int64_t *out)
{
    int64_t strides[FL_MAX_RANK], dense[FL_MAX_RANK];
    FL_TRY(fl_plugin_layout_strides(layout, dims, rank, element, strides));
    fl_plugin_row_major(rank, out);
    for (size_t i = 1; i < rank; i++)
        for (size_t k = i; k > 0; k--) {
            int64_t d = out[k], before = out[k - 1];
            if (dims[d] <= 1 || (dims[before] > 1 && strides[before] <= strides[d])) break;
            out[k] = before, out[k - 1] = d;
        }
    fl_plugin_order_strides(out, dims, rank, element, dense);
    for (size_t d = 0; d < rank; d++)
        FL_CHECK(dims[d] <= 1 || strides[d] == dense[d], FL_UNSUPPORTED,
                 "layout: expected an array without gaps on the device");
    return NULL;
}
