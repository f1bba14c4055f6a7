/* The programs in programs/: each checks its own results. A module with a line "// expect-error: TEXT"
 * must give an error that contains the text, when it is read or when it runs. */
#define _GNU_SOURCE
#include "check.h"
#include "segments.h"

#include <dirent.h>

/* Copies the text of the expected error, cut off if it must; 0: none is expected. */
static int expected_error(const char *text, size_t size, char *out, size_t capacity)
{
    static const char mark[] = "// expect-error: ";
    const char *at = memmem(text, size, mark, sizeof mark - 1);
    if (!at) return 0;
    at += sizeof mark - 1;
    size_t length = strcspn(at, "\n");
    snprintf(out, capacity, "%.*s", (int)length, at);
    return 1;
}

static void check_segment(const char *file, int number, const char *text, size_t size)
{
    char expected[200];
    fl_check_report report = {0};
    fl_status status = run_segment(text, size, &report);
    int fails = expected_error(text, size, expected, sizeof expected);
    int good =
        fails ? status && strstr(fl_status_message(status), expected) != NULL : !status && !report.failures;
    CHECK(good);
    if (!good)
        fprintf(stderr, "%s, module %d: %s%s%s%s\n", file, number, fails ? "expected error \"" : "",
                fails ? expected : "", fails ? "\", got " : "",
                status ? fl_status_message(status) : "no error");
    if (report.log.data) fputs(report.log.data, stderr);
    CHECK(fails || report.checks || strstr(text, "check.") == NULL || strstr(text, "check.") >= text + size);
    fl_status_free(status);
    fl_text_free(&report.log);
}

static int is_program(const struct dirent *entry)
{
    size_t n = strlen(entry->d_name);
    return n > 5 && !strcmp(entry->d_name + n - 5, ".mlir");
}

int main(void)
{
    char folder[4096], path[8192];
    const char *slash = strrchr(__FILE__, '/');
    struct dirent **files;
    snprintf(folder, sizeof folder, "%.*s/programs", slash ? (int)(slash - __FILE__) : 1,
             slash ? __FILE__ : ".");
    int count = scandir(folder, &files, is_program, alphasort);
    CHECK(count > 0);
    for (int i = 0; i < count; i++) {
        size_t size = 0, length;
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        char *text = read_file(path, &size);
        const char *at = text, *segment;
        CHECK(text != NULL);
        for (int n = 1; text && next_segment(&at, text + size, &segment, &length); n++)
            check_segment(files[i]->d_name, n, segment, length);
        free(text);
        free(files[i]);
    }
    free(count >= 0 ? files : NULL);
    return check_result();
}
