/* Any PJRT plugin as a device. Programs are StableHLO, buffers are the plugin's; see client_wrap.h for how
 * byte buffers and strides become dense typed arrays. */
#ifndef FL_PJRT_CLIENT_H
#define FL_PJRT_CLIENT_H

#include "device/device.h"

/* The plugin whose devices this process has, or NULL for embedded ones. TORCH_TPU_DEVICE says it: "embedded"; "tpu", the
 * library of TPU_LIBRARY_PATH or libtpu.so; all else is a path. When it is not set: "tpu" where the machine has a TPU and that
 * library is there. */
const char *fl_pjrt_selected(void);
/* TPU chips that the machine has, and this process does not use because it found no library for them. */
int fl_pjrt_unused_chips(const char **out_name);

/* Opens the plugin's addressable device `index`. Capacity: what the plugin says, or TORCH_TPU_MEMORY, or
 * 80 % of the host's memory. */
fl_status fl_pjrt_device_create(const char *plugin, int index, fl_device **out);
/* The plugin's first device, opened once and never closed. */
fl_status fl_pjrt_device_shared(const char *plugin, fl_device **out);

#endif
