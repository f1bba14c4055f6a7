/* The embedded device's memory: a heap for each stream, since what one frees only it may use again before its queued work is
 * done. A heap is a region of `capacity` bytes of address space, divided by a two-level segregated fit
 * allocator (Masmano et al., "TLSF: a new dynamic memory allocator for real-time systems", 2004): constant-time
 * allocate and free, immediate coalescing. Block records lie outside the region. All heaps together are backed by at most `capacity`
 * bytes.
 *
 * A region exists twice: the real one, and a mirror of the same size that cannot be read, whose addresses are what the
 * outside sees. So a stray host read faults, addresses are unique, and translation is one subtraction.
 * Freed memory stays with us (a cache) until fl_memory_trim. The caller locks. */
#ifndef FL_CPU_MEMORY_H
#define FL_CPU_MEMORY_H

#include "device/device.h"

typedef struct fl_memory fl_memory;

fl_status fl_memory_create(uint64_t capacity,
                           fl_memory **out); /* with heap 0; others come with their first buffer */
void fl_memory_destroy(fl_memory *memory);
/* Of heap 0 <= `heap` < FL_STREAMS. FL_OOM with the amounts when there is no block large enough, or the cached memory of other
 * heaps is in the way. Scratch counts as reserved, but not as allocated. */
typedef enum fl_memory_use { FL_FOR_TENSOR, FL_FOR_SCRATCH } fl_memory_use;
fl_status fl_memory_allocate(fl_memory *memory, fl_device *device, int heap, size_t bytes, fl_memory_use use,
                             fl_buffer **out);
void fl_memory_free(fl_memory *memory, fl_buffer *buffer);
void fl_memory_trim(fl_memory *memory, int heap); /* nothing that is queued may use the heap's free memory */
int fl_memory_is_shared(const fl_memory *memory); /* there are several heaps */
void fl_memory_count_retry(fl_memory *memory);    /* the last failure was none yet: another try follows */
int fl_memory_heap(const fl_buffer *buffer);
void fl_memory_get_stats(const fl_memory *memory, fl_memory_stats *out);
void fl_memory_reset_peak(fl_memory *memory);
void fl_memory_visit(const fl_memory *memory, fl_block_visitor visit, void *context);
fl_buffer *fl_memory_find(const fl_memory *memory, uint64_t address, int64_t *out_offset);
void *fl_memory_pointer(const fl_buffer *buffer); /* the real memory */

/* For whoever owns the memory: the streams that use a buffer beside its own, as bits, and a list of those whose release waits. */
typedef struct fl_hold {
    uint32_t streams;
    uint64_t until;
    fl_buffer *next;
} fl_hold;
fl_hold *fl_memory_hold(fl_buffer *buffer);

#endif
