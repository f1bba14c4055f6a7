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
typedef struct heap heap;
struct block {
    fl_buffer buffer; /* first: a buffer is a block */
    heap *heap;
    size_t offset, size;
    size_t dirty; /* bytes of a free block that are backed by host memory */
    int used;
    fl_memory_use use;
    block *before, *after;        /* neighbours by address */
    block *free_next, *free_prev; /* list of the size class */
    fl_hold hold;
};

struct heap {
    int number;
    uint64_t capacity;
    char *real, *mirror;
    uint64_t coarse_map;
    uint32_t fine_map[COARSE];
    block *lists[COARSE][FINE];
    block **pages; /* lowest block that begins in the page */
};

struct fl_memory {
    uint64_t capacity;
    heap *heaps[FL_STREAMS];
    int heap_count;
    block *spare; /* unused records */
    block *slabs;
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

static void list_insert(heap *h, block *b)
{
    unsigned c, f;
    size_class(b->size / GRANULE, &c, &f);
    b->free_prev = NULL;
    b->free_next = h->lists[c][f];
    if (b->free_next) b->free_next->free_prev = b;
    h->lists[c][f] = b;
    h->fine_map[c] |= 1u << f;
    h->coarse_map |= 1ull << c;
}

static void list_remove(heap *h, block *b)
{
    unsigned c, f;
    size_class(b->size / GRANULE, &c, &f);
    if (b->free_next) b->free_next->free_prev = b->free_prev;
    if (b->free_prev) {
        b->free_prev->free_next = b->free_next;
    } else {
        h->lists[c][f] = b->free_next;
        if (!b->free_next) {
            h->fine_map[c] &= ~(1u << f);
            if (!h->fine_map[c]) h->coarse_map &= ~(1ull << c);
        }
    }
}

/* A free block of at least `granules`, or NULL. Looks in classes whose every block is large enough, then in the class of
 * the size itself, so that a request that only just fits is not refused. */
static block *find_free(heap *h, size_t granules)
{
    unsigned c, f;
    size_t rounded = granules;
    if (granules >= FINE) rounded += (1ull << (63 - (unsigned)__builtin_clzll(granules) - FINE_BITS)) - 1;
    size_class(rounded, &c, &f);
    uint32_t fine = c < COARSE ? h->fine_map[c] & (~0u << f) : 0;
    if (!fine && c + 1 < COARSE) {
        uint64_t coarse = h->coarse_map & (~0ull << (c + 1));
        if (coarse) {
            c = (unsigned)__builtin_ctzll(coarse);
            fine = h->fine_map[c];
        }
    }
    if (fine) return h->lists[c][__builtin_ctz(fine)];
    size_class(granules, &c, &f);
    for (block *b = h->lists[c][f]; b; b = b->free_next)
        if (b->size / GRANULE >= granules) return b;
    return NULL;
}

static block *record_new(fl_memory *m, heap *h)
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
    b->heap = h;
    return b;
}

static void page_enter(heap *h, block *b)
{
    block **page = &h->pages[b->offset >> PAGE_SHIFT];
    if (!*page || (*page)->offset > b->offset) *page = b;
}

static void page_leave(heap *h, block *b)
{
    size_t index = b->offset >> PAGE_SHIFT;
    if (h->pages[index] != b) return;
    block *next = b->after;
    h->pages[index] = next && next->offset >> PAGE_SHIFT == index ? next : NULL;
}

static void heap_destroy(heap *h)
{
    if (!h) return;
    if (h->real && h->real != MAP_FAILED) munmap(h->real, h->capacity);
    if (h->mirror && h->mirror != MAP_FAILED) munmap(h->mirror, h->capacity);
    free(h->pages);
    free(h);
}

static fl_status heap_create(fl_memory *m, int number)
{
    heap *h = calloc(1, sizeof *h);
    FL_CHECK(h, FL_OOM, "out of host memory");
    h->number = number;
    h->capacity = m->capacity;
    h->pages = calloc(m->capacity >> PAGE_SHIFT, sizeof *h->pages);
    h->real =
        mmap(NULL, m->capacity, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    h->mirror = mmap(NULL, m->capacity, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    block *all = h->real != MAP_FAILED && h->mirror != MAP_FAILED && h->pages ? record_new(m, h) : NULL;
    if (!all) {
        heap_destroy(h);
        return fl_error(FL_OOM, "cannot reserve %llu bytes of address space for the device",
                        (unsigned long long)m->capacity);
    }
    madvise(h->real, m->capacity, MADV_HUGEPAGE);
    all->size = m->capacity;
    list_insert(h, all);
    page_enter(h, all);
    m->heaps[number] = h;
    m->heap_count++;
    return NULL;
}

fl_status fl_memory_create(uint64_t capacity, fl_memory **out)
{
    fl_memory *m = calloc(1, sizeof *m);
    FL_CHECK(m, FL_OOM, "out of host memory");
    m->capacity = (capacity + ((1u << PAGE_SHIFT) - 1)) >> PAGE_SHIFT << PAGE_SHIFT;
    fl_status status = heap_create(m, 0);
    if (status)
        fl_memory_destroy(m);
    else
        *out = m;
    return status;
}

void fl_memory_destroy(fl_memory *m)
{
    if (!m) return;
    for (int i = 0; i < FL_STREAMS; i++) heap_destroy(m->heaps[i]);
    for (block *slab = m->slabs, *next; slab; slab = next) {
        next = slab->free_next;
        free(slab);
    }
    free(m);
}

static void count_up(uint64_t *now, uint64_t *peak, uint64_t more)
{
    *now += more;
    if (*now > *peak) *peak = *now;
}

static void count_reserved(fl_memory *m, uint64_t more)
{
    count_up(&m->stats.reserved, &m->stats.peak_reserved, more);
}

/* Cuts `b` (taken off its list) to `size` and gives the rest back as a free block. Without a record for the rest, the
 * block simply stays larger. */
static void split(fl_memory *m, block *b, size_t size)
{
    if (b->size == size) return;
    block *rest = record_new(m, b->heap);
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
    list_insert(b->heap, rest);
    page_enter(b->heap, rest);
}

/* Joins `b` with its successor `next`; both are free and off their lists. */
static void join(fl_memory *m, block *b, block *next)
{
    page_leave(b->heap, next);
    b->size += next->size;
    b->dirty += next->dirty;
    b->after = next->after;
    if (b->after) b->after->before = b;
    next->free_next = m->spare;
    m->spare = next;
}

/* `b` is free from now on. */
static void give_back(fl_memory *m, block *b)
{
    b->used = 0;
    if (b->after && !b->after->used) {
        list_remove(b->heap, b->after);
        join(m, b, b->after);
    }
    if (b->before && !b->before->used) {
        b = b->before;
        list_remove(b->heap, b);
        join(m, b, b->after);
    }
    list_insert(b->heap, b);
}

/* A block of at least `bytes`, off its list, or NULL. With several heaps, what the others keep may leave too little. */
static block *take(fl_memory *m, heap *h, size_t bytes)
{
    if (bytes > h->capacity) return NULL;
    size_t granules = bytes ? (bytes + GRANULE - 1) / GRANULE : 1;
    block *b = find_free(h, granules);
    if (!b) return NULL;
    list_remove(h, b);
    split(m, b, granules * GRANULE);
    if (m->stats.reserved + (b->size - b->dirty) <= m->capacity) return b;
    give_back(m, b);
    return NULL;
}

static size_t largest_free(const heap *h)
{
    size_t largest = 0;
    if (!h->coarse_map) return 0;
    unsigned c = 63 - (unsigned)__builtin_clzll(h->coarse_map),
             f = 31 - (unsigned)__builtin_clz(h->fine_map[c]);
    for (const block *b = h->lists[c][f]; b; b = b->free_next)
        if (b->size > largest) largest = b->size;
    return largest;
}

static fl_status out_of_memory(const fl_memory *m, const heap *h, size_t bytes)
{
    const double unit = 1048576.0;
    return fl_error(FL_OOM,
                    "device out of memory: tried to allocate %.2f MiB; capacity %.2f MiB, of which %.2f MiB "
                    "are in use by "
                    "%llu tensors and %.2f MiB are reserved, largest free block %.2f MiB; TORCH_TPU_MEMORY "
                    "sets the capacity",
                    (double)bytes / unit, (double)m->capacity / unit, (double)m->stats.allocated / unit,
                    (unsigned long long)m->stats.active_count, (double)m->stats.reserved / unit,
                    (double)largest_free(h) / unit);
}

fl_status fl_memory_allocate(fl_memory *m, fl_device *device, int number, size_t bytes, fl_memory_use use,
                             fl_buffer **out)
{
    if (!m->heaps[number]) FL_TRY(heap_create(m, number));
    heap *h = m->heaps[number];
    block *b = take(m, h, bytes);
    if (!b) {
        m->stats.ooms++;
        return out_of_memory(m, h, bytes);
    }
    count_reserved(m, b->size - b->dirty);
    b->dirty = b->size;
    b->used = 1;
    b->use = use;
    b->hold = (fl_hold){0};
    b->buffer = (fl_buffer){device, bytes, (uint64_t)(uintptr_t)(h->mirror + b->offset), NULL, 0};
    *out = &b->buffer;
    if (use == FL_FOR_SCRATCH) return NULL;
    m->stats.allocations++;
    m->stats.allocated_total += b->size;
    m->stats.requested_total += bytes;
    count_up(&m->stats.active_count, &m->stats.peak_count, 1);
    count_up(&m->stats.requested, &m->stats.peak_requested, bytes);
    count_up(&m->stats.allocated, &m->stats.peak_allocated, b->size);
    return NULL;
}

void fl_memory_free(fl_memory *m, fl_buffer *buffer)
{
    block *b = (block *)buffer;
    if (b->use == FL_FOR_TENSOR) {
        m->stats.frees++;
        m->stats.active_count--;
        m->stats.requested -= buffer->bytes;
        m->stats.allocated -= b->size;
        m->stats.freed_total += b->size;
        m->stats.requested_freed += buffer->bytes;
    }
    give_back(m, b);
}

void fl_memory_trim(fl_memory *m, int number)
{
    heap *h = m->heaps[number];
    for (uint64_t coarse = h ? h->coarse_map : 0; coarse; coarse &= coarse - 1) {
        unsigned c = (unsigned)__builtin_ctzll(coarse);
        for (unsigned f = 0; f < FINE; f++)
            for (block *b = h->lists[c][f]; b; b = b->free_next) {
                size_t page = 4096, begin = (b->offset + page - 1) & ~(page - 1),
                       end = (b->offset + b->size) & ~(page - 1);
                if (!b->dirty || begin >= end) continue;
                madvise(h->real + begin, end - begin, MADV_DONTNEED);
                m->stats.reserved -= b->dirty;
                b->dirty = 0;
            }
    }
}

int fl_memory_is_shared(const fl_memory *m)
{
    return m->heap_count > 1;
}

void fl_memory_count_retry(fl_memory *m)
{
    m->stats.ooms--;
    m->stats.retries++;
}

void fl_memory_get_stats(const fl_memory *m, fl_memory_stats *out)
{
    *out = m->stats;
}

void fl_memory_reset_peak(fl_memory *m)
{
    m->stats.peak_allocated = m->stats.allocated;
    m->stats.peak_reserved = m->stats.reserved;
    m->stats.peak_requested = m->stats.requested;
    m->stats.peak_count = m->stats.active_count;
}

static void visit_heap(const heap *h, fl_block_visitor visit, void *context)
{
    for (const block *b = h->pages[0]; b; b = b->after) {
        if (!b->used && !b->dirty) continue;
        const fl_block_info info = {.address = (uint64_t)(uintptr_t)(h->mirror + b->offset),
                                    .bytes = b->used ? b->size : b->dirty,
                                    .requested = b->used ? b->buffer.bytes : 0,
                                    .stream = h->number,
                                    .used = b->used};
        visit(context, &info);
    }
}

void fl_memory_visit(const fl_memory *m, fl_block_visitor visit, void *context)
{
    for (int i = 0; i < FL_STREAMS; i++)
        if (m->heaps[i]) visit_heap(m->heaps[i], visit, context);
}

static fl_buffer *find_in(const heap *h, uint64_t address, int64_t *out_offset)
{
    uint64_t base = (uint64_t)(uintptr_t)h->mirror;
    if (address < base || address - base >= h->capacity) return NULL;
    size_t offset = address - base, page = offset >> PAGE_SHIFT;
    while (page && (!h->pages[page] || h->pages[page]->offset > offset)) page--;
    block *b = h->pages[page];
    while (b && b->offset + b->size <= offset) b = b->after;
    if (!b || !b->used) return NULL;
    *out_offset = (int64_t)(offset - b->offset);
    return &b->buffer;
}

fl_buffer *fl_memory_find(const fl_memory *m, uint64_t address, int64_t *out_offset)
{
    fl_buffer *found = NULL;
    for (int i = 0; i < FL_STREAMS && !found; i++)
        if (m->heaps[i]) found = find_in(m->heaps[i], address, out_offset);
    return found;
}

void *fl_memory_pointer(const fl_buffer *buffer)
{
    const block *b = (const block *)buffer;
    return b->heap->real + b->offset;
}

int fl_memory_heap(const fl_buffer *buffer)
{
    return ((const block *)buffer)->heap->number;
}

fl_hold *fl_memory_hold(fl_buffer *buffer)
{
    return &((block *)buffer)->hold;
}
