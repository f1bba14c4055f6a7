/* Looking for NaN and infinite elements on the device: one small program for each dtype, shape and layout; 32 bytes come back. */
#ifndef FL_EAGER_PROBE_H
#define FL_EAGER_PROBE_H

#include "aten/value.h"
#include "device/device.h"

typedef struct fl_probe_result {
    int64_t nan_count, first_nan; /* first: the number of the element in row-major order */
    int64_t inf_count, first_inf;
} fl_probe_result;

/* Whether there is something to look for: a tensor on the device with elements of a floating or complex type. */
int fl_probe_applies(const fl_tensor *tensor);
/* Waits for the stream. Complex elements are NaN or infinite when a part is; NaN goes before. */
fl_status fl_probe(fl_device *device, int stream, const fl_tensor *tensor, fl_probe_result *out);

#endif
