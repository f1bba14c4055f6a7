#include "base/archive.h"
#include "base/checksum.h"

#include <stdlib.h>

/* Then, for each entry: its size (u64), its bytes. */
typedef struct head {
    char magic[8];
    uint32_t format, head_size;
    uint64_t count, checksum; /* of those before it */
} head;

enum { FORMAT = 1 };

static const char magic[8] = {'F', 'L', 'C', 'A', 'R', 'C', 'H', '\n'};

static head head_for(uint64_t count)
{
    head h = {.format = FORMAT, .head_size = sizeof h, .count = count};
    memcpy(h.magic, magic, sizeof magic);
    h.checksum = fl_checksum(0, &h, offsetof(head, checksum));
    return h;
}

/* ---- writing ---- */

typedef struct writer {
    FILE *to;
    fl_store *const *stores;
    int store; /* the one being listed */
    int failed;
    fl_archive_counts counts;
} writer;

/* Whether an earlier store has it, whole. */
static int is_known(const writer *w, const char *name)
{
    for (int i = 0; i < w->store; i++) {
        void *bytes;
        size_t size;
        fl_cache_entry entry;
        if (!w->stores[i] || !w->stores[i]->vtable->read(w->stores[i], name, 0, &bytes, &size)) continue;
        int is_whole = !fl_entry_read(bytes, size, &entry);
        free(bytes);
        if (is_whole) return 1;
    }
    return 0;
}

static int write_one(void *user, const fl_stored *stored)
{
    writer *w = user;
    fl_store *s = w->stores[w->store];
    fl_cache_entry entry;
    void *bytes;
    size_t size;
    if (is_known(w, stored->name) || !s->vtable->read(s, stored->name, 0, &bytes, &size)) return 1;
    if (fl_entry_read(bytes, size, &entry)) {
        w->counts.skipped++;
    } else {
        uint64_t n = size;
        w->failed |= fwrite(&n, sizeof n, 1, w->to) != 1 || fwrite(bytes, 1, size, w->to) != size;
        w->counts.entries++;
        w->counts.bytes += size;
    }
    free(bytes);
    return !w->failed;
}

static int write_head(FILE *to, uint64_t count)
{
    const head h = head_for(count);
    return !fseek(to, 0, SEEK_SET) && fwrite(&h, sizeof h, 1, to) == 1 && !fflush(to);
}

fl_status fl_archive_write(fl_store *const *stores, int count, FILE *to, fl_archive_counts *out)
{
    writer w = {.to = to, .stores = stores};
    w.failed = !write_head(to, 0);
    for (; !w.failed && w.store < count; w.store++)
        if (stores[w.store]) FL_TRY(stores[w.store]->vtable->list(stores[w.store], write_one, &w));
    FL_CHECK(!w.failed && write_head(to, w.counts.entries), FL_INVALID, "the archive cannot be written");
    *out = w.counts;
    return NULL;
}

/* ---- reading ---- */

/* Bytes from here to the end of the file; -1: it cannot seek. */
static int64_t bytes_left(FILE *from)
{
    long here = ftell(from), end;
    if (here < 0 || fseek(from, 0, SEEK_END) || (end = ftell(from)) < 0 || fseek(from, here, SEEK_SET))
        return -1;
    return end - here;
}

static fl_status read_one(FILE *from, uint64_t number, int64_t *left, fl_archive_visit visit, void *user)
{
    uint64_t size;
    fl_cache_entry entry;
    FL_CHECK(*left >= (int64_t)sizeof size && fread(&size, sizeof size, 1, from) == 1, FL_VALUE,
             "entry %llu of the archive: cut short", (unsigned long long)number);
    *left -= sizeof size;
    FL_CHECK(size <= (uint64_t)*left, FL_VALUE, "entry %llu of the archive: cut short",
             (unsigned long long)number);
    char *bytes = malloc((size_t)size + 1);
    FL_CHECK(bytes, FL_OOM, "out of host memory");
    *left -= (int64_t)size;
    const char *wrong = fread(bytes, 1, (size_t)size, from) == size
                            ? fl_entry_read(bytes, (size_t)size, &entry)
                            : "cut short";
    fl_status status =
        wrong ? fl_error(FL_VALUE, "entry %llu of the archive: %s", (unsigned long long)number, wrong)
              : visit(user, &entry, bytes, (size_t)size);
    free(bytes);
    return status;
}

fl_status fl_archive_read(FILE *from, fl_archive_visit visit, void *user)
{
    head h;
    FL_CHECK(!fseek(from, 0, SEEK_SET), FL_VALUE, "expected a file that can seek");
    int64_t left = bytes_left(from);
    FL_CHECK(left >= (int64_t)sizeof h && fread(&h, sizeof h, 1, from) == 1 &&
                 !memcmp(h.magic, magic, sizeof magic),
             FL_VALUE, "expected an archive of fl cache export");
    FL_CHECK(h.checksum == fl_checksum(0, &h, offsetof(head, checksum)), FL_VALUE,
             "the archive's head is damaged");
    FL_CHECK(h.format == FORMAT && h.head_size == sizeof h, FL_VALUE,
             "expected an archive of format %d, got %u", FORMAT, h.format);
    left -= sizeof h;
    for (uint64_t i = 0; i < h.count; i++) FL_TRY(read_one(from, i + 1, &left, visit, user));
    FL_CHECK(!left, FL_VALUE, "the archive is followed by other bytes");
    return NULL;
}

typedef struct importer {
    fl_store *const *stores;
    int count;
    fl_archive_counts counts;
} importer;

static fl_status take_none(void *user, const fl_cache_entry *entry, const void *bytes, size_t size)
{
    (void)user, (void)entry, (void)bytes, (void)size;
    return NULL;
}

static fl_status import_one(void *user, const fl_cache_entry *entry, const void *bytes, size_t size)
{
    importer *to = user;
    char name[FL_ENTRY_FILE];
    fl_entry_file(entry, name);
    for (int i = 0; i < to->count; i++)
        if (to->stores[i]) FL_TRY(to->stores[i]->vtable->write(to->stores[i], name, bytes, size));
    to->counts.entries++;
    to->counts.bytes += size;
    return NULL;
}

fl_status fl_archive_import(FILE *from, fl_store *const *stores, int count, fl_archive_counts *out)
{
    importer to = {.stores = stores, .count = count};
    FL_TRY(fl_archive_read(from, take_none, NULL));
    FL_TRY(fl_archive_read(from, import_one, &to));
    *out = to.counts;
    return NULL;
}
