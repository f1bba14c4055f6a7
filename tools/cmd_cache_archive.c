/* fl cache export, fl cache import. */
#include "base/archive.h"
#include "cmd_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int cannot(const char *path)
{
    fprintf(stderr, "fl: %s: %s\n", path, strerror(errno));
    return FL_EXIT_FILE;
}

static int report(const char *path, fl_status status)
{
    int exit = fl_status_code(status) == FL_INVALID ? FL_EXIT_FILE : 0;
    int general = fl_report(fl_status_prefix(status, "%s", path));
    return exit ? exit : general;
}

/* Under another name first, so that a file of this name is always whole. */
static int write_archive(const fl_cache_places *places, const char *path)
{
    fl_archive_counts counts;
    fl_text temporary = {0};
    fl_text_printf(&temporary, "%s.new", path);
    FILE *to = temporary.data ? fopen(temporary.data, "wbx") : NULL;
    if (!to) {
        int exit = cannot(temporary.data ? temporary.data : path);
        fl_text_free(&temporary);
        return exit;
    }
    fl_status status = fl_archive_write(places->stores, 2, to, &counts);
    int exit = status ? report(path, status) : FL_EXIT_OK;
    if (fclose(to) && !exit) exit = cannot(path);
    if (!exit && rename(temporary.data, path)) exit = cannot(path);
    if (exit)
        unlink(temporary.data);
    else
        printf("%s: %llu entries\n", path, (unsigned long long)counts.entries);
    if (!exit && counts.skipped)
        fprintf(stderr, "fl: %llu entries are damaged and were left out; see fl cache verify\n",
                (unsigned long long)counts.skipped);
    fl_text_free(&temporary);
    return exit;
}

static int read_archive(const fl_cache_places *places, const char *path)
{
    fl_archive_counts counts;
    FILE *from = fopen(path, "rb");
    if (!from) return cannot(path);
    fl_status status = fl_archive_import(from, places->stores, 2, &counts);
    int exit = status ? report(path, status) : FL_EXIT_OK;
    if (!status) printf("%s: %llu entries\n", path, (unsigned long long)counts.entries);
    fclose(from);
    return exit;
}

int fl_cache_archive(fl_args *args)
{
    int writes = !strcmp(args->argv[args->at - 1], "export"), exit = FL_EXIT_OK;
    fl_cache_places places = {.make = !writes};
    const char *path = NULL;
    while (!exit && args->at < args->argc)
        if (!fl_cache_take_place(args, &places, &exit)) exit = fl_take_file(args, &path);
    if (!exit && !path) exit = fl_usage_error("cache: expected a file; see fl help cache");
    if (!exit) exit = fl_cache_open(&places);
    if (exit) return exit;
    exit = writes ? write_archive(&places, path) : read_archive(&places, path);
    fl_cache_close(&places);
    return exit;
}
