#include "cpu/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define GRANULE     256u /* allocation unit and alignment, bytes */
#define FINE_BITS   5    /* each power of two is divided into 32 classes */
#define FINE        (1u << FINE_BITS)
#define COARSE      48
#define PAGE_SHIFT  16 /* granularity of the address look-up table */
#define SLAB_BLOCKS 256

typedef struct block block;
struct block {
    fl_buffer buffer; /* first: a buffer is a block */
    fl_memory *memory;
    size_t offset, size;
    size_t dirty; /* bytes of a free block that are backed by host memory */
    int used;
    fl_memory_use use;
    block *before, *after;        /* neighbours by address */
    block *free_next, *free_prev; /* list of the size class */
};

struct fl_memory {
    uint64_t capacity;
    char *real, *mirror;
    uint64_t coarse_map;
    uint32_t fine_map[COARSE];
    block *lists[COARSE][FINE];
    block **pages; /* lowest block that begins in the page */
    block *spare;  /* unused records */
    void *slabs;
    fl_memory_stats stats;
};

/* size class of `granules` (>= 1): power of two and the next FINE_BITS bits below the leading one */
static void size_class(size_t granules, unsigned *coarse, unsigned *fine)
{
    if (granules < FINE) {
        *coarse = 0;
        *fine = (unsigned)granules;
        return;
    }
    unsigned top = 63 - (unsigned)__builtin_clzll(granules);
    *coarse = top - FINE_BITS + 1;
    *fine = (unsigned)(granules >> (top - FINE_BITS)) & (FINE - 1);
}

static void list_insert(fl_memory *m, block *b)
{
    unsigned c, f;
    size_class(b->size / GRANULE, &c, &f);
    b->free_prev = NULL;
    b->free_next = m->lists[c][f];
    if (b->free_next) b->free_next->free_prev = b;
    m->lists[c][f] = b;
    m->fine_map[c] |= 1u << f;
    m->coarse_map |= 1ull << c;
}

static void list_remove(fl_memory *m, block *b)
{
    unsigned c, f;
    size_class(b->size / GRANULE, &c, &f);
    if (b->free_next) b->free_next->free_prev = b->free_prev;
    if (b->free_prev) {
        b->free_prev->free_next = b->free_next;
    } else {
        m->lists[c][f] = b->free_next;
        if (!b->free_next) {
            m->fine_map[c] &= ~(1u << f);
            if (!m->fine_map[c]) m->coarse_map &= ~(1ull << c);
        }
    }
}

/* A free block of at least `granules`, or NULL. Looks in classes whose every block is large enough, then in the class of
 * the size itself, so that a request that only just fits is not refused. */
static block *find_free(fl_memory *m, size_t granules)
{
    unsigned c, f;
    size_t rounded = granules;
    if (granules >= FINE) rounded += (1ull << (63 - (unsigned)__builtin_clzll(granules) - FINE_BITS)) - 1;
    size_class(rounded, &c, &f);
    uint32_t fine = c < COARSE ? m->fine_map[c] & (~0u << f) : 0;
    if (!fine && c + 1 < COARSE) {
        uint64_t coarse = m->coarse_map & (~0ull << (c + 1));
        if (coarse) {
            c = (unsigned)__builtin_ctzll(coarse);
            fine = m->fine_map[c];
        }
    }
    if (fine) return m->lists[c][__builtin_ctz(fine)];
    size_class(granules, &c, &f);
    for (block *b = m->lists[c][f]; b; b = b->free_next)
        if (b->size / GRANULE >= granules) return b;
    return NULL;
}

static block *record_new(fl_memory *m)
{
    if (!m->spare) {
        block *slab = calloc(SLAB_BLOCKS, sizeof *slab);
        if (!slab) return NULL;
        /* record 0 links the slabs for destruction */
        slab[0].free_next = m->slabs;
        m->slabs = slab;
        for (int i = 1; i < SLAB_BLOCKS; i++) {
            slab[i].free_next = m->spare;
            m->spare = &slab[i];
        }
    }
    block *b = m->spare;
    m->spare = b->free_next;
    memset(b, 0, sizeof *b);
    b->memory = m;
    return b;
}

static void page_enter(fl_memory *m, block *b)
{
    block **page = &m->pages[b->offset >> PAGE_SHIFT];
    if (!*page || (*page)->offset > b->offset) *page = b;
}

static void page_leave(fl_memory *m, block *b)
{
    size_t index = b->offset >> PAGE_SHIFT;
    if (m->pages[index] != b) return;
    block *next = b->after;
    m->pages[index] = next && next->offset >> PAGE_SHIFT == index ? next : NULL;
}

fl_status fl_memory_create(uint64_t capacity, fl_memory **out)
{
    capacity = (capacity + ((1u << PAGE_SHIFT) - 1)) >> PAGE_SHIFT << PAGE_SHIFT;
    fl_memory *m = calloc(1, sizeof *m);
    FL_CHECK(m, FL_OOM, "out of host memory");
    m->capacity = capacity;
    m->pages = calloc(capacity >> PAGE_SHIFT, sizeof *m->pages);
    m->real =
        mmap(NULL, capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    m->mirror = mmap(NULL, capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    block *all = m->real != MAP_FAILED && m->mirror != MAP_FAILED && m->pages ? record_new(m) : NULL;
    if (!all) {
        fl_memory_destroy(m);
        return fl_error(FL_OOM, "cannot reserve %llu bytes of address space for the device",
                        (unsigned long long)capacity);
    }
    madvise(m->real, capacity, MADV_HUGEPAGE);
    all->size = capacity;
    list_insert(m, all);
    page_enter(m, all);
    *out = m;
    return NULL;
}

void fl_memory_destroy(fl_memory *m)
{
    if (!m) return;
    if (m->real && m->real != MAP_FAILED) munmap(m->real, m->capacity);
    if (m->mirror && m->mirror != MAP_FAILED) munmap(m->mirror, m->capacity);
    for (block *slab = m->slabs, *next; slab; slab = next) {
        next = slab->free_next;
        free(slab);
    }
    free(m->pages);
    free(m);
}

static void count_reserved(fl_memory *m, uint64_t more)
{
    m->stats.reserved += more;
    if (m->stats.reserved > m->stats.peak_reserved) m->stats.peak_reserved = m->stats.reserved;
}

/* Cuts `b` (taken off its list) to `size` and gives the rest back as a free block. Without a record for the rest, the
 * block simply stays larger. */
static void split(fl_memory *m, block *b, size_t size)
{
    if (b->size == size) return;
    block *rest = record_new(m);
    if (!rest) return;
    rest->offset = b->offset + size;
    rest->size = b->size - size;
    rest->dirty = b->dirty > size ? b->dirty - size : 0;
    if (b->dirty > size) b->dirty = size;
    rest->before = b;
    rest->after = b->after;
    if (rest->after) rest->after->before = rest;
    b->after = rest;
    b->size = size;
    list_insert(m, rest);
    page_enter(m, rest);
}

fl_status fl_memory_allocate(fl_memory *m, fl_device *device, size_t bytes, fl_memory_use use,
                             fl_buffer **out)
{
    block *b = NULL;
    if (bytes <= m->capacity) {
        size_t granules = bytes ? (bytes + GRANULE - 1) / GRANULE : 1;
        b = find_free(m, granules);
        if (b) {
            list_remove(m, b);
            split(m, b, granules * GRANULE);
        }
    }
    if (!b) {
        m->stats.ooms++;
        return fl_error(FL_OOM,
                        "device out of memory: tried to allocate %.2f MiB; capacity %.2f MiB, of which %.2f "
                        "MiB are in use by %llu "
                        "tensors; TORCH_TPU_MEMORY sets the capacity",
                        (double)bytes / 1048576.0, (double)m->capacity / 1048576.0,
                        (double)m->stats.allocated / 1048576.0, (unsigned long long)m->stats.active_count);
    }
    count_reserved(m, b->size - b->dirty);
    b->dirty = b->size;
    b->used = 1;
    b->use = use;
    b->buffer = (fl_buffer){device, bytes, (uint64_t)(uintptr_t)(m->mirror + b->offset), NULL, 0};
    *out = &b->buffer;
    if (use == FL_FOR_SCRATCH) return NULL;
    m->stats.allocations++;
    m->stats.active_count++;
    m->stats.requested += bytes;
    m->stats.allocated += b->size;
    if (m->stats.allocated > m->stats.peak_allocated) m->stats.peak_allocated = m->stats.allocated;
    return NULL;
}

/* Joins `b` with its successor `next`; both are free and off their lists. */
static void join(fl_memory *m, block *b, block *next)
{
    page_leave(m, next);
    b->size += next->size;
    b->dirty += next->dirty;
    b->after = next->after;
    if (b->after) b->after->before = b;
    next->free_next = m->spare;
    m->spare = next;
}

void fl_memory_free(fl_memory *m, fl_buffer *buffer)
{
    block *b = (block *)buffer;
    if (b->use == FL_FOR_TENSOR) {
        m->stats.frees++;
        m->stats.active_count--;
        m->stats.requested -= buffer->bytes;
        m->stats.allocated -= b->size;
    }
    b->used = 0;
    if (b->after && !b->after->used) {
        list_remove(m, b->after);
        join(m, b, b->after);
    }
    if (b->before && !b->before->used) {
        b = b->before;
        list_remove(m, b);
        join(m, b, b->after);
    }
    list_insert(m, b);
}

void fl_memory_trim(fl_memory *m)
{
    for (uint64_t coarse = m->coarse_map; coarse; coarse &= coarse - 1) {
        unsigned c = (unsigned)__builtin_ctzll(coarse);
        for (unsigned f = 0; f < FINE; f++)
            for (block *b = m->lists[c][f]; b; b = b->free_next) {
                size_t page = 4096, begin = (b->offset + page - 1) & ~(page - 1),
                       end = (b->offset + b->size) & ~(page - 1);
                if (!b->dirty || begin >= end) continue;
                madvise(m->real + begin, end - begin, MADV_DONTNEED);
                m->stats.reserved -= b->dirty;
                b->dirty = 0;
            }
    }
}

void fl_memory_get_stats(const fl_memory *m, fl_memory_stats *out)
{
    *out = m->stats;
}

void fl_memory_reset_peak(fl_memory *m)
{
    m->stats.peak_allocated = m->stats.allocated;
    m->stats.peak_reserved = m->stats.reserved;
}

fl_buffer *fl_memory_find(const fl_memory *m, uint64_t address, int64_t *out_offset)
{
    uint64_t base = (uint64_t)(uintptr_t)m->mirror;
    if (address < base || address - base >= m->capacity) return NULL;
    size_t offset = address - base, page = offset >> PAGE_SHIFT;
    while (page && (!m->pages[page] || m->pages[page]->offset > offset)) page--;
    block *b = m->pages[page];
    while (b && b->offset + b->size <= offset) b = b->after;
    if (!b || !b->used) return NULL;
    *out_offset = (int64_t)(offset - b->offset);
    return &b->buffer;
}

void *fl_memory_pointer(const fl_buffer *buffer)
{
    const block *b = (const block *)buffer;
    return b->memory->real + b->offset;
}
