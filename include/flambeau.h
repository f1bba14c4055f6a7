/* Flambeau: the public C interface.
 *
 * Stable part. Everything here keeps its meaning across minor versions; structs carry their size. */
#ifndef FLAMBEAU_H
#define FLAMBEAU_H

#include "flambeau/status.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
FL_API const char *fl_version(void);

/* Devices. The count is at least 1 (TORCH_TPU_DEVICES embedded devices); the others return NULL or 0 for a wrong index or
 * a device that cannot be opened. Opening happens on first use. Strings live as long as the process. */
FL_API int fl_count_devices(void);
FL_API const char *fl_device_name(int device);
FL_API const char *fl_device_kind(int device);  /* "embedded" */
FL_API uint64_t fl_device_capacity(int device); /* bytes */

/* The functions that the PyTorch bridge uses (src/eager/engine.h). NULL when the engine is older than `version`. */
struct fl_engine;
FL_API const struct fl_engine *fl_engine_get(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
