/* fl cache: what the compile cache keeps on this host and in a shared folder. */
#include "cmd_cache.h"
#include "base/tiers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const char fl_help_cache[] =
    "usage: fl cache ls|stats|verify|clear [--tier 2|3 | --root FOLDER]\n"
    "       fl cache export|import [--tier 2|3 | --root FOLDER] FILE\n"
    "       fl cache warm [--device N] [--common] [FILE...]\n\n"
    "The programs that PJRT devices compiled, kept for later processes: in the host's memory\n"
    "(tier 2: TORCH_TPU_TIER2_COMPILATION_CACHE, TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT or\n"
    "WORLD_SIZE turn it on) and in a folder (tier 3: TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT).\n"
    "Without an option, a command is about all tiers that these variables turn on.\n\n"
    "  ls       one line an entry, the last used first: when it was used, size, how long it took to\n"
    "           compile, its file, what it is for\n"
    "  stats    entries, bytes and compile time saved, for each package, plugin and processor\n"
    "  verify   reads every byte and lists the entries that are damaged; exit status 1 if there are any.\n"
    "           With --remove it removes them\n"
    "  clear    removes all entries; with --unused DAYS those not used for so long\n"
    "  export   writes all whole entries to one file, each key once\n"
    "  import   takes the entries of such a file over, all or none. Entries are executables: import\n"
    "           files of people whom you trust\n"
    "  warm     compiles the programs of a trace (TORCH_TPU_COMPILATION_TRACE=FILE records one) or of\n"
    "           any other file of StableHLO programs, for the device of TORCH_TPU_DEVICE; --common:\n"
    "           those that first steps of common models need\n\n"
    "examples:\n"
    "  TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT=~/cache fl cache ls\n"
    "  fl cache verify --root ~/cache --remove\n"
    "  fl cache export --root ~/cache programs.flcache\n"
    "  TORCH_TPU_DEVICE=tpu TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT=~/cache fl cache warm train.trace\n";

/* ---- places ---- */

int fl_cache_take_place(fl_args *args, fl_cache_places *places, int *exit)
{
    const char *text = NULL;
    if (fl_take_value(args, "--root", &text)) {
        places->root = text;
        if (!text) *exit = fl_usage_error("cache: expected a folder after --root");
        return 1;
    }
    if (!fl_take_value(args, "--tier", &text)) return 0;
    if (!text || !fl_parse_number(text, 2, &places->tier) || places->tier > 3)
        *exit = fl_usage_error("cache: expected 2 or 3 after --tier");
    return 1;
}

int fl_cache_open(fl_cache_places *places)
{
    fl_status status = NULL;
    if (places->root && places->tier) return fl_usage_error("cache: expected --root or --tier, got both");
    if (places->root)
        status = (places->make ? fl_store_open_folder : fl_store_find_folder)(
            places->root, NULL, fl_tiers_limit(), &places->stores[1]);
    for (int tier = 2; !places->root && tier <= 3; tier++)
        if (!status && (!places->tier || places->tier == tier)) {
            status = fl_tier_open(tier, places->make, &places->stores[tier - 2]);
            if (!places->tier && !places->make && tier == 2) { /* by default: it may not be there so far */
                fl_status_free(status);
                status = NULL;
            }
        }
    if (status) {
        fprintf(stderr, "fl: %s\n", fl_status_message(status));
        fl_status_free(status);
        fl_cache_close(places);
        return FL_EXIT_FILE;
    }
    if (!places->stores[0] && !places->stores[1])
        return fl_usage_error("cache: no tier is on: expected --root FOLDER, or "
                              "TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT in the environment");
    return FL_EXIT_OK;
}

void fl_cache_close(fl_cache_places *places)
{
    for (int i = 0; i < 2; i++) fl_store_close(places->stores[i]);
}

/* ---- entries of a store ---- */

/* One file, without its data. */
typedef struct row {
    char file[FL_ENTRY_FILE], *name, *identity;
    const char *wrong; /* NULL: it is whole */
    uint64_t size, build_ns;
    int64_t used_ns;
} row;

typedef struct rows {
    fl_store *store;
    row *items;
    size_t count, capacity;
    int failed;
} rows;

static char *copy_text(const char *text, size_t size)
{
    char *copy = malloc(size + 1);
    if (!copy) return NULL;
    memcpy(copy, text, size);
    copy[size] = 0;
    for (size_t i = 0; i < size; i++) /* a terminal should not be told what to do */
        if ((unsigned char)copy[i] < ' ' || copy[i] == 127) copy[i] = '?';
    return copy;
}

/* The file and what is in it; one that went in the meantime is left out. */
static int add_row(void *user, const fl_stored *stored)
{
    rows *all = user;
    fl_cache_entry entry = {0};
    void *bytes;
    size_t size;
    if (all->count == all->capacity) {
        size_t capacity = 2 * all->capacity + 64;
        row *more = realloc(all->items, capacity * sizeof *more);
        if (!more) {
            all->failed = 1;
            return 0;
        }
        all->items = more;
        all->capacity = capacity;
    }
    if (!all->store->vtable->read(all->store, stored->name, 0, &bytes, &size)) return 1;
    row *made = &all->items[all->count++];
    char file[FL_ENTRY_FILE];
    *made = (row){.size = size, .used_ns = stored->used_ns, .wrong = fl_entry_read(bytes, size, &entry)};
    if (!made->wrong) {
        fl_entry_file(&entry, file);
        if (strcmp(file, stored->name) != 0) made->wrong = "under another key's name";
    }
    made->build_ns = entry.build_ns;
    made->name = copy_text(entry.name ? entry.name : "", entry.name_size);
    made->identity = copy_text(entry.identity ? entry.identity : "", entry.identity_size);
    memcpy(made->file, stored->name, sizeof made->file);
    all->failed |= !made->name || !made->identity;
    free(bytes);
    return !all->failed;
}

static fl_status read_rows(fl_store *store, rows *out)
{
    *out = (rows){.store = store};
    FL_TRY(store->vtable->list(store, add_row, out));
    FL_CHECK(!out->failed, FL_OOM, "out of host memory");
    return NULL;
}

static void free_rows(rows *all)
{
    for (size_t i = 0; i < all->count; i++) {
        free(all->items[i].name);
        free(all->items[i].identity);
    }
    free(all->items);
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* ---- verbs ---- */

typedef struct choices {
    fl_cache_places places;
    int remove;  /* verify */
    long unused; /* clear: days */
} choices;

static int by_use(const void *a, const void *b)
{
    const row *x = a, *y = b;
    return (x->used_ns < y->used_ns) - (x->used_ns > y->used_ns);
}

static int list(rows *all, const choices *c)
{
    (void)c;
    if (all->count) qsort(all->items, all->count, sizeof *all->items, by_use);
    printf("%s\n", all->store->place);
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->items[i];
        char when[32] = "?", size[40];
        time_t t = (time_t)(r->used_ns / 1000000000);
        struct tm local;
        if (localtime_r(&t, &local)) strftime(when, sizeof when, "%Y-%m-%d %H:%M", &local);
        printf("  %s  %10s  %9.1f ms  %s  %s\n", when, fl_size_text(r->size, size, sizeof size),
               (double)r->build_ns / 1e6, r->file, r->wrong ? r->wrong : r->name);
    }
    return FL_EXIT_OK;
}

static int by_identity(const void *a, const void *b)
{
    return strcmp(((const row *)a)->identity, ((const row *)b)->identity);
}

static int tell_stats(rows *all, const choices *c)
{
    (void)c;
    char text[40];
    uint64_t total = 0;
    for (size_t i = 0; i < all->count; i++) total += all->items[i].size;
    if (all->count) qsort(all->items, all->count, sizeof *all->items, by_identity);
    printf("%s\n  %zu entries, %s of at most ", all->store->place, all->count,
           fl_size_text(total, text, sizeof text));
    printf("%s\n", fl_size_text(all->store->most, text, sizeof text));
    for (size_t i = 0, n; i < all->count; i += n) {
        uint64_t bytes = 0, ns = 0;
        for (n = 0; i + n < all->count && !by_identity(&all->items[i], &all->items[i + n]); n++) {
            bytes += all->items[i + n].size;
            ns += all->items[i + n].build_ns;
        }
        printf("  %6zu  %10s  %9.1f ms to compile  %s\n", n, fl_size_text(bytes, text, sizeof text),
               (double)ns / 1e6,
               *all->items[i].identity ? all->items[i].identity : "(damaged, or of another format)");
    }
    return FL_EXIT_OK;
}

/* Entries of another version of the package are whole, and its own. */
static int verify(rows *all, const choices *c)
{
    size_t damaged = 0, others = 0;
    for (size_t i = 0; i < all->count; i++) {
        const row *r = &all->items[i];
        others += r->wrong == fl_entry_other_format;
        if (!r->wrong || r->wrong == fl_entry_other_format) continue;
        damaged++;
        printf("%s/%s: %s\n", all->store->place, r->file, r->wrong);
        if (c->remove) all->store->vtable->remove(all->store, r->file);
    }
    printf("%s: %zu entries, %zu damaged%s\n", all->store->place, all->count, damaged,
           damaged && c->remove ? ", which were removed" : "");
    if (others) printf("%s: %zu of another format\n", all->store->place, others);
    return damaged && !c->remove ? FL_EXIT_FAILED : FL_EXIT_OK;
}

static int clear(rows *all, const choices *c)
{
    size_t removed = 0;
    int64_t before = now_ns() - c->unused * 86400000000000;
    for (size_t i = 0; i < all->count; i++)
        if (!c->unused || all->items[i].used_ns < before)
            removed += (size_t)all->store->vtable->remove(all->store, all->items[i].file);
    printf("%s: %zu of %zu entries removed\n", all->store->place, removed, all->count);
    return FL_EXIT_OK;
}

static int run_verb(fl_args *args, int (*verb)(rows *, const choices *), choices *c)
{
    int exit = FL_EXIT_OK;
    const char *text;
    while (!exit && args->at < args->argc) {
        if (fl_cache_take_place(args, &c->places, &exit)) continue;
        if (verb == verify && fl_take_flag(args, "--remove")) {
            c->remove = 1;
        } else if (verb == clear && fl_take_value(args, "--unused", &text)) {
            if (!text || !fl_parse_number(text, 1, &c->unused) || c->unused > 36500)
                exit = fl_usage_error("cache: expected a number of days after --unused");
        } else {
            text = fl_take_operand(args);
            exit = text ? fl_usage_error("cache: expected no more words, got \"%s\"", text)
                        : fl_unknown_option(args);
        }
    }
    if (!exit) exit = fl_cache_open(&c->places);
    if (exit) return exit;
    for (int i = 0; i < 2; i++) {
        rows all;
        if (!c->places.stores[i]) continue;
        fl_status status = read_rows(c->places.stores[i], &all);
        int result = status ? fl_report(status) : verb(&all, c);
        if (result) exit = result;
        free_rows(&all);
    }
    fl_cache_close(&c->places);
    return exit;
}

int fl_cmd_cache(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*on_rows)(rows *, const choices *);
        int (*run)(fl_args *);
    } verbs[] = {
        {"ls", list, NULL},           {"stats", tell_stats, NULL},        {"verify", verify, NULL},
        {"clear", clear, NULL},       {"export", NULL, fl_cache_archive}, {"import", NULL, fl_cache_archive},
        {"warm", NULL, fl_cache_warm}};
    fl_args args = {argc, 2, argv, 0};
    choices c = {0};
    if (argc < 2) return fl_usage_error("cache: expected ls, stats, verify, ...; see fl help cache");
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (!strcmp(argv[1], verbs[i].name))
            return verbs[i].run ? verbs[i].run(&args) : run_verb(&args, verbs[i].on_rows, &c);
    return fl_usage_error("cache: unknown word \"%s\"; see fl help cache", argv[1]);
}
