#include "base/entry.h"
#include "base/checksum.h"

#include <stdio.h>
#include <stdlib.h>

/* Where the parts come, as in fl_cache_entry. */
typedef struct head {
    char magic[8];
    uint32_t format, head_size;
    uint64_t total, checksum;
    uint64_t created, build_ns;
    uint64_t name_size, identity_size, key_size, data_size;
} head;

enum { COMMON = offsetof(head, created) }; /* the same in every format */

static const char magic[8] = {'F', 'L', 'C', 'A', 'C', 'H', 'E', '\n'};

const char fl_entry_other_format[] = "of another format";

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "entries are little-endian");

/* Of a head and all behind it; the head's own field counts as 0. */
static uint64_t sum_of(const void *bytes, size_t size)
{
    char common[COMMON];
    memcpy(common, bytes, COMMON);
    memset(common + offsetof(head, checksum), 0, sizeof(uint64_t));
    return fl_checksum(fl_checksum(0, common, COMMON), (const char *)bytes + COMMON, size - COMMON);
}

/* Appends a part; returns where the next one begins. */
static char *put(char *at, const void *part, size_t size)
{
    if (size) memcpy(at, part, size);
    return at + size;
}

fl_status fl_entry_write(const fl_cache_entry *e, void **out, size_t *out_size)
{
    size_t total = sizeof(head);
    const size_t sizes[] = {e->name_size, e->identity_size, e->key_size, e->data_size};
    for (int i = 0; i < 4; i++)
        FL_CHECK(!__builtin_add_overflow(total, sizes[i], &total), FL_OOM, "out of host memory");
    char *bytes = malloc(total);
    FL_CHECK(bytes, FL_OOM, "out of host memory");
    head h = {.format = FL_ENTRY_FORMAT,
              .head_size = sizeof h,
              .total = total,
              .created = e->created,
              .build_ns = e->build_ns,
              .name_size = e->name_size,
              .identity_size = e->identity_size,
              .key_size = e->key_size,
              .data_size = e->data_size};
    memcpy(h.magic, magic, sizeof magic);
    char *at = put(bytes, &h, sizeof h);
    at = put(at, e->name, e->name_size);
    at = put(at, e->identity, e->identity_size);
    at = put(at, e->key, e->key_size);
    put(at, e->data, e->data_size);
    h.checksum = sum_of(bytes, total);
    memcpy(bytes, &h, sizeof h);
    *out = bytes;
    *out_size = total;
    return NULL;
}

const char *fl_entry_read(const void *bytes, size_t size, fl_cache_entry *out)
{
    head h;
    if (size < COMMON) return "cut short";
    memcpy(&h, bytes, COMMON);
    if (memcmp(h.magic, magic, sizeof magic)) return "not an entry";
    if (h.total != size) return h.total > size ? "cut short" : "followed by other bytes";
    if (sum_of(bytes, size) != h.checksum) return "its checksum differs";
    if (h.format != FL_ENTRY_FORMAT) return fl_entry_other_format;
    if (h.head_size != sizeof h || size < sizeof h) return "its head has another size";
    memcpy(&h, bytes, sizeof h);
    const uint64_t sizes[] = {h.name_size, h.identity_size, h.key_size, h.data_size};
    uint64_t left = size - sizeof h;
    for (int i = 0; i < 4; i++) {
        if (sizes[i] > left) return "its parts are larger than all of it";
        left -= sizes[i];
    }
    if (left) return "its parts are smaller than all of it";
    const char *at = (const char *)bytes + sizeof h;
    *out = (fl_cache_entry){.name = at,
                            .identity = at + h.name_size,
                            .key = at + h.name_size + h.identity_size,
                            .data = at + h.name_size + h.identity_size + h.key_size,
                            .name_size = h.name_size,
                            .identity_size = h.identity_size,
                            .key_size = h.key_size,
                            .data_size = h.data_size,
                            .created = h.created,
                            .build_ns = h.build_ns};
    return NULL;
}

void fl_entry_file(const fl_cache_entry *e, char out[FL_ENTRY_FILE])
{
    uint64_t parts[3] = {fl_checksum(0, e->identity, e->identity_size), fl_checksum(1, e->key, e->key_size),
                         fl_checksum(2, e->key, e->key_size)};
    parts[2] ^= fl_checksum_step(parts[0], parts[1] >> 32);
    snprintf(out, FL_ENTRY_FILE, "%016llx/%016llx%016llx.bin", (unsigned long long)parts[0],
             (unsigned long long)parts[1], (unsigned long long)parts[2]);
}

int fl_entry_is_file(const char *name)
{
    static const char digits[] = "0123456789abcdef";
    return strlen(name) == FL_ENTRY_FILE - 1 && strspn(name, digits) == 16 && name[16] == '/' &&
           strspn(name + 17, digits) == 32 && !strcmp(name + 49, ".bin");
}

int fl_entry_same_key(const fl_cache_entry *a, const fl_cache_entry *b)
{
    return a->identity_size == b->identity_size && a->key_size == b->key_size &&
           (!a->identity_size || !memcmp(a->identity, b->identity, a->identity_size)) &&
           (!a->key_size || !memcmp(a->key, b->key, a->key_size));
}
