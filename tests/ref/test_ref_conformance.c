/* The executable programs of the StableHLO conformance data: folder FL_CONFORMANCE, by default
 * shared/conformance/stablehlo beside the source tree. Arguments: parts of paths; then only programs that
 * have one of them. */
#define _GNU_SOURCE
#include "check.h"
#include "segments.h"

#include <time.h>

static char *known; /* tests/conformance/stablehlo_known.tsv: what cannot hold, and why; NULL: nothing */

static int is_impossible(const char *path)
{
    size_t length = strlen(path);
    for (const char *line = known; line; line = strchr(line, '\n'), line += line != NULL)
        if (!strncmp(line, path, length) && !strncmp(line + length, "\trun\t", 5)) return 1;
    return 0;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs all modules of a file; counts and describes what does not hold. */
static int run_file(const char *folder, const char *path, fl_text *why)
{
    char full[8192];
    size_t size = 0, length;
    uint32_t failures = 0, checks = 0;
    snprintf(full, sizeof full, "%s/%s", folder, path);
    char *text = read_file(full, &size);
    const char *at = text, *segment;
    if (!text) fl_text_printf(why, "%s: cannot be read\n", path), failures++;
    for (int n = 1; text && next_segment(&at, text + size, &segment, &length); n++) {
        fl_check_report report = {0};
        if (!has_program(segment, length)) continue;
        fl_status status = run_segment(segment, length, &report);
        if (status) fl_text_printf(why, "%s, module %d: %s\n", path, n, fl_status_message(status));
        if (report.log.data) fl_text_printf(why, "%s, module %d: %s", path, n, report.log.data);
        failures += report.failures + (status != NULL);
        checks += report.checks;
        fl_status_free(status);
        fl_text_free(&report.log);
    }
    free(text);
    return failures ? -1 : (int)checks;
}

/* Column `which` of a row, cut out in place. */
static const char *column(char *row, int which)
{
    for (; which; which--) {
        row = strchr(row, '\t');
        if (!row) return "";
        row++;
    }
    row[strcspn(row, "\t\n")] = 0;
    return row;
}

static int is_chosen(const char *path, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strstr(path, argv[i])) return 1;
    return argc == 1;
}

static int run_row(const char *folder, const char *row, int argc, char **argv)
{
    char copies[2][2048];
    for (int i = 0; i < 2; i++) snprintf(copies[i], sizeof copies[i], "%s", row);
    const char *path = column(copies[0], 0), *executable = column(copies[1], 6);
    if (strcmp(executable, "yes") && strcmp(executable, "runs")) return 0;
    if (!is_chosen(path, argc, argv)) return 0;
    fl_text why = {0};
    double start = seconds();
    int checks = run_file(folder, path, &why);
    double took = seconds() - start;
    CHECK((checks < 0) == is_impossible(path));
    CHECK(checks != 0 || !strcmp(executable, "runs"));
    if (checks < 0 && !is_impossible(path)) fputs(why.data, stderr);
    if (took > 2) printf("%s: %.1f s\n", path, took);
    fl_text_free(&why);
    return 1;
}

int main(int argc, char **argv)
{
    char folder[4096], path[8192];
    const char *given = getenv("FL_CONFORMANCE"), *tests = strstr(__FILE__, "tests/ref/");
    int programs = 0;
    if (given)
        snprintf(folder, sizeof folder, "%s", given);
    else
        snprintf(folder, sizeof folder, "%.*s../shared/conformance/stablehlo",
                 tests ? (int)(tests - __FILE__) : 0, __FILE__);
    snprintf(path, sizeof path, "%s/manifest.tsv", folder);
    size_t size = 0;
    char *manifest = read_file(path, &size);
    if (!manifest) {
        printf("SKIPPED: no conformance data in %s (set FL_CONFORMANCE)\n", folder);
        return 77;
    }
    snprintf(path, sizeof path, "%.*stests/conformance/stablehlo_known.tsv",
             tests ? (int)(tests - __FILE__) : 0, __FILE__);
    known = read_file(path, &size);
    double start = seconds();
    for (char *line = strchr(manifest, '\n'); line && line[1]; line = strchr(line + 1, '\n')) {
        char row[2048];
        snprintf(row, sizeof row, "%.*s", (int)strcspn(line + 1, "\n"), line + 1);
        programs += run_row(folder, row, argc, argv);
    }
    printf("%d programs, %.1f s\n", programs, seconds() - start);
    free(known);
    free(manifest);
    return check_result();
}
