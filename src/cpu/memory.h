/* The embedded device's memory: one region of `capacity` bytes of address space, divided by a two-level segregated fit
 * allocator (Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems", 2004): constant-time
 * allocate and free, immediate coalescing. Block records lie outside the region.
 *
 * The region exists twice: the real one, and a mirror of the same size that cannot be read, whose addresses are what the
 * outside sees. So a stray host read faults, addresses are unique, and translation is one subtraction.
 * Freed memory stays with us (a cache) until fl_memory_trim. The caller locks. */
#ifndef FL_CPU_MEMORY_H
#define FL_CPU_MEMORY_H

#include "device/device.h"

typedef struct fl_memory fl_memory;

fl_status fl_memory_create(uint64_t capacity, fl_memory **out);
void fl_memory_destroy(fl_memory *memory);
/* FL_OOM with the amounts when there is no block large enough. Scratch counts as reserved, but not as allocated. */
typedef enum fl_memory_use { FL_FOR_TENSOR, FL_FOR_SCRATCH } fl_memory_use;
fl_status fl_memory_allocate(fl_memory *memory, fl_device *device, size_t bytes, fl_memory_use use,
                             fl_buffer **out);
void fl_memory_free(fl_memory *memory, fl_buffer *buffer);
void fl_memory_trim(fl_memory *memory);
void fl_memory_get_stats(const fl_memory *memory, fl_memory_stats *out);
void fl_memory_reset_peak(fl_memory *memory);
fl_buffer *fl_memory_find(const fl_memory *memory, uint64_t address, int64_t *out_offset);
void *fl_memory_pointer(const fl_buffer *buffer); /* the real memory */

#endif
