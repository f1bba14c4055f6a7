/* Entries and archives of the compile cache: anything may be in such a file. What is read is what was there, and a damaged one is
 * never taken for whole. */
#define _GNU_SOURCE
#include "fuzz.h"

#include "base/archive.h"
#include "base/checksum.h"

#include <stdlib.h>

const int fl_fuzz_is_text = 0;

enum { TOTAL = 16, SUM = 24, COMMON = 32 }; /* of an entry; the same in every format */

/* An archive of two entries that have the file in them. */
int fl_fuzz_seed(fl_text *file)
{
    const fl_cache_entry e = {"name", "identity",       file->data,   file->data, 4,
                              8,      file->length / 2, file->length, 1,          2};
    void *bytes;
    size_t size, at = 0;
    fl_text archive = {0};
    if (fl_entry_write(&e, &bytes, &size)) return 0;
    uint64_t head[4] = {0, 32ull << 32 | 1, 2, 0}, n = size;
    memcpy(head, "FLCARCH\n", 8);
    head[3] = fl_checksum(0, head, 24);
    fl_text_append(&archive, (const char *)head, sizeof head);
    for (; at < 2; at++) {
        fl_text_append(&archive, (const char *)&n, sizeof n);
        fl_text_append(&archive, bytes, size);
    }
    free(bytes);
    fl_text_free(file);
    *file = archive;
    return !archive.failed;
}

static void check_entry(const fl_cache_entry *e, const void *bytes, size_t size)
{
    void *again;
    size_t again_size;
    char name[FL_ENTRY_FILE];
    fl_entry_file(e, name);
    if (!fl_entry_is_file(name)) fl_fuzz_fail("a name of an entry is none", name);
    if (fl_entry_write(e, &again, &again_size)) return; /* memory is short: no finding */
    if (again_size != size || memcmp(again, bytes, size) != 0)
        fl_fuzz_fail("an entry that was read is written in another way", "");
    free(again);
}

static fl_status visit(void *user, const fl_cache_entry *entry, const void *bytes, size_t size)
{
    ++*(int *)user;
    check_entry(entry, bytes, size);
    return NULL;
}

static void read_archive(const void *data, size_t size)
{
    int count = 0;
    FILE *f = fmemopen((void *)data, size, "rb");
    if (!f) return;
    fl_status_free(fl_archive_read(f, visit, &count));
    fclose(f);
}

/* The same bytes with the right size and sum in the head of an entry at `at`: so that what comes behind is looked at too. */
static void read_with_sum(const uint8_t *data, size_t size, size_t at)
{
    fl_cache_entry e;
    if (size < at + COMMON) return;
    uint64_t total = size - at, zero = 0;
    char *copy = malloc(total);
    if (!copy) return;
    memcpy(copy, data + at, total);
    memcpy(copy + TOTAL, &total, sizeof total);
    memcpy(copy + SUM, &zero, sizeof zero);
    uint64_t sum = fl_checksum(fl_checksum(0, copy, COMMON), copy + COMMON, total - COMMON);
    memcpy(copy + SUM, &sum, sizeof sum);
    if (!fl_entry_read(copy, total, &e)) check_entry(&e, copy, total);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_cache_entry e;
    if (!fl_entry_read(data, size, &e)) check_entry(&e, data, size);
    read_archive(data, size);
    read_with_sum(data, size, 0);
    read_with_sum(data, size, 40); /* the archive's first entry */
    /* Another count, with the right sum. */
    if (size >= 32) {
        uint8_t *copy = malloc(size);
        if (!copy) return 0;
        memcpy(copy, data, size);
        uint64_t sum = fl_checksum(0, copy, 24);
        memcpy(copy + 24, &sum, sizeof sum);
        read_archive(copy, size);
        free(copy);
    }
    return 0;
}
