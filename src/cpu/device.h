/* The embedded device: programs run on the host's own processor. */
#ifndef FL_CPU_DEVICE_H
#define FL_CPU_DEVICE_H

#include "device/device.h"
#include "ref/environment.h"

/* A factory for fl_device_register. Capacity: TORCH_TPU_MEMORY (bytes, or with KiB, MiB, GiB), else 80 % of the host's;
 * a value that is no such number is an error. */
fl_status fl_cpu_device_create(int index, fl_device **out);
/* The same with at most `most` bytes where TORCH_TPU_MEMORY says nothing. */
fl_status fl_cpu_device_create_with(int index, uint64_t most, fl_device **out);
/* Runs the program now, on this thread, on memory of the process; the environment may be NULL. The caller sees to it that the
 * device does nothing else meanwhile; other devices may run the same executable. */
fl_status fl_cpu_run(fl_device *device, const fl_executable *executable, void *const *inputs,
                     void *const *outputs, const fl_environment *environment);
/* Bytes that a program compiled by such a device needs beside its inputs and outputs. */
size_t fl_cpu_temporaries(const fl_executable *executable);
/* TORCH_TPU_MEMORY in bytes, 0 when it is not set; and those 80 %. */
fl_status fl_requested_capacity(uint64_t *out);
uint64_t fl_host_capacity(void);

#endif
