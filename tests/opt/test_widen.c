/* Widening: files of tests/opt/widen say what must come out, and every program there, and random ones, gives the bits of the exact
 * program at each size of its bucket, with NaN behind the true elements. */
#include "opt/widen_random.h"

#include <dirent.h>

static int fitted;

static void report(const char *file, const char *what, const char *text)
{
    static int count;
    check_failures++;
    if (count++ < 6) fprintf(stderr, "%s: %s\n%s\n", file, what, text);
}

/* 1 where the text was widened. `why`: takes the reason where it was not. */
static int at_all_sizes(const char *file, const char *text, size_t length, uint64_t seed, fl_text *why,
                        fl_text *printed)
{
    static const int64_t sizes[][2] = {{13, 5}, {16, 8}, {9, 2}, {10, 7}};
    fl_program *exact = widen_at(text, length, 13, 5), *other = widen_at(text, length, 15, 6);
    fl_widened *w = NULL;
    if (!exact || !other) return 0;
    fl_status s = fl_program_widen(exact, other, 1 << 20, &w);
    if (s) {
        fl_text_printf(why, "%s", fl_status_message(s));
        fl_status_free(s);
        return 0;
    }
    if (printed) fl_program_print(fl_widened_program(w), printed);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        fl_program *p = widen_at(text, length, sizes[i][0], sizes[i][1]);
        fl_wide_extra extras[64];
        if (!p) continue;
        check_count++;
        if (fl_widened_extra_count(w) > 64 || !fl_widened_fit(w, p, extras)) {
            if (!i) report(file, "does not fit what it was made of", text);
        } else {
            fitted++;
            const char *wrong = widen_compare(p, fl_widened_program(w), extras, seed + i);
            if (wrong) {
                fl_text both = {0};
                fl_text_printf(&both, "%.*s\nat n = %lld, m = %lld, widened\n", (int)length, text,
                               (long long)sizes[i][0], (long long)sizes[i][1]);
                fl_program_print(fl_widened_program(w), &both);
                report(file, wrong, both.data);
                fl_text_free(&both);
            }
        }
        fl_program_destroy(p);
    }
    fl_widened_free(w);
    return 1;
}

/* ---- files ---- */

static int next_line(const char **at, const char *end, const char *key, char *out, size_t capacity)
{
    const char *found = strstr(*at, key);
    if (!found || found >= end) return 0;
    found += strlen(key);
    size_t n = strcspn(found, "\n");
    snprintf(out, capacity, "%.*s", (int)n, found);
    *at = found + n;
    return 1;
}

static void expect(const char *file, const char *at, const char *end, const char *printed)
{
    char line[400];
    const char *place = printed;
    for (const char *from = at; next_line(&from, end, "// EXPECT: ", line, sizeof line);) {
        const char *found = strstr(place, line);
        check_count++;
        if (found)
            place = found + strlen(line);
        else
            fprintf(stderr, "expected %s\n", line), report(file, "not in", printed);
    }
    for (const char *from = at; next_line(&from, end, "// EXPECT-NOT: ", line, sizeof line);) {
        check_count++;
        if (strstr(printed, line)) fprintf(stderr, "did not expect %s\n", line), report(file, "in", printed);
    }
}

static void one_module(const char *file, const char *at, const char *end)
{
    fl_text why = {0}, printed = {0};
    char line[400];
    const char *from = at;
    int fails = next_line(&from, end, "// WHY: ", line, sizeof line);
    int made = at_all_sizes(file, at, (size_t)(end - at), 7, &why, &printed);
    check_count++;
    if (fails && (made || !why.data || !strstr(why.data, line)))
        report(file, made ? "was widened" : why.data, line);
    if (!fails && !made) report(file, why.data ? why.data : "no program", at);
    if (made) expect(file, at, end, printed.data);
    fl_text_free(&why);
    fl_text_free(&printed);
}

static void files(void)
{
    char folder[600], path[1024], *data = calloc(1, 1 << 18);
    struct dirent **names;
    snprintf(folder, sizeof folder, "%.*swiden", (int)(strrchr(__FILE__, '/') + 1 - __FILE__), __FILE__);
    int count = scandir(folder, &names, NULL, alphasort), found = 0;
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        FILE *f = strstr(names[i]->d_name, ".mlir") ? fopen(path, "rb") : NULL;
        size_t n = f ? fread(data, 1, (1 << 18) - 1, f) : 0;
        data[n] = 0;
        for (char *at = data, *end; *at; at = *end ? end + 8 : end) {
            end = strstr(at, "// -----");
            if (!end) end = at + strlen(at);
            one_module(names[i]->d_name, at, end);
            found++;
        }
        if (f) fclose(f);
        free(names[i]);
    }
    if (count >= 0) free(names);
    free(data);
    CHECK(found > 0);
}

/* ---- random programs ---- */

static void random_programs(void)
{
    const char *given = getenv("FL_TEST_PROGRAMS");
    int count = given ? atoi(given) : 1500, widened = 0;
    for (int seed = 0; seed < count; seed++) {
        fl_text text = {0}, why = {0};
        char name[40];
        widen_random_text((uint64_t)seed, &text);
        snprintf(name, sizeof name, "seed %d", seed);
        if (at_all_sizes(name, text.data, strlen(text.data), (uint64_t)seed, &why, NULL))
            widened++;
        else if (getenv("FL_TEST_VERBOSE"))
            fprintf(stderr, "seed %d: %s\n", seed, why.data ? why.data : "?");
        fl_text_free(&text);
        fl_text_free(&why);
    }
    if (getenv("FL_TEST_VERBOSE"))
        fprintf(stderr, "%d of %d widened, %d sizes served\n", widened, count, fitted);
    CHECK(widened > count * 9 / 10);
    CHECK(fitted > 3 * widened); /* of four sizes: the others are of several buckets, which serve their own */
}

int main(void)
{
    files();
    random_programs();
    return check_result();
}
