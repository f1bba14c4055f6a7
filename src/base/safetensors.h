/* Files of the library safetensors: a JSON head that says where named tensors lie, then their bytes. They are untrusted. */
#ifndef FL_BASE_SAFETENSORS_H
#define FL_BASE_SAFETENSORS_H

#include "base/dtype.h"
#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

#define FL_STORED_RANK 16

typedef struct fl_stored {
    char *name;
    fl_dtype dtype;
    uint32_t rank;
    int64_t dims[FL_STORED_RANK];
    const void *data; /* of the file; not aligned to anything */
    size_t bytes;     /* what dtype and dims say */
} fl_stored;

typedef struct fl_safetensors {
    fl_stored *items;
    uint32_t count;
    void *mapped; /* NULL: the bytes are the caller's */
    size_t size;
} fl_safetensors;

/* Of bytes, which must outlive *out; or of a file. FL_INVALID says what is wrong. */
fl_status fl_safetensors_read(const void *data, size_t size, fl_safetensors *out);
fl_status fl_safetensors_open(const char *path, fl_safetensors *out);
const fl_stored *fl_safetensors_find(const fl_safetensors *file, const char *name); /* NULL: no such tensor */
void fl_safetensors_close(fl_safetensors *file);                                    /* a zeroed one is fine */

#endif
