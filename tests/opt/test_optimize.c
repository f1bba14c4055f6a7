/* The passes over graphs: files of tests/opt/passes say what must come out; random programs give the same bits before and after,
 * with all passes and with each alone. */
#include "base/f8.h"
#include "base/number.h"
#include "check.h"
#include "ir/program_random.h"
#include "ir/text/parse.h"
#include "opt/opt.h"
#include "ref/reference.h"

#include <dirent.h>
#include <math.h>

/* ---- text to text ----
 *
 * A file holds modules with "// -----" between them. Of each a line "// RUN: NAMES" (or "// RUN: all") says which passes, and then
 * lines "// EXPECT: TEXT" what stands in the result, in this order, and "// EXPECT-NOT: TEXT" what does not at all. Each module
 * is run, too: the bits of its results stay as they are, also of unusual numbers. */

static int failures;

static void report(const char *file, const char *what, const char *text, const char *program)
{
    if (failures++ < 10) fprintf(stderr, "%s: %s \"%s\" in\n%s\n", file, what, text, program);
}

/* ---- the same bits ---- */

/* Whether the element is no number, by its exponent and fraction (of a part, for complex numbers). */
static int is_nan_bits(fl_dtype dtype, const unsigned char *data)
{
    fl_number n;
    if (!fl_is_float(dtype)) return 0;
    if (fl_is_f8(dtype)) return isnan(fl_f32_from_f8(dtype, *data));
    return fl_number_load(dtype, data, &n) && isnan(n.re);
}

static int same_bits(const fl_type *type, const void *a, const void *b)
{
    fl_dtype dtype = (fl_dtype)type->dtype, part = fl_real_dtype(dtype);
    size_t size = fl_dtype_bytes(part), n = fl_type_bytes(type) / size;
    for (size_t i = 0; i < n; i++) {
        const unsigned char *x = (const unsigned char *)a + i * size,
                            *y = (const unsigned char *)b + i * size;
        if (memcmp(x, y, size) != 0 && !(is_nan_bits(part, x) && is_nan_bits(part, y))) return 0;
    }
    return 1;
}

/* Values that rules must not confuse: `round` turns them, 0 has no special floats. */
static void fill(const fl_type *type, int round, void *out)
{
    static const double floats[] = {NAN, -0.0, INFINITY, -INFINITY, 0x1p-149, -0x1.fffffep127,
                                    0,   -1,   2.5,      3,         -0.25,    100};
    static const int64_t integers[] = {0, 1, 2, -1, 7, 3, INT64_MIN, INT64_MAX, INT32_MIN, 5, -100, 4};
    fl_dtype dtype = (fl_dtype)type->dtype;
    size_t size = fl_dtype_bytes(dtype);
    for (int64_t i = 0; i < fl_type_elements(type); i++) {
        fl_number n = {.is_integer = !fl_is_float(dtype) && !fl_is_complex(dtype)};
        int64_t k = i * 5 + round * 3;
        n.integer = integers[k % (round ? 12 : 6)];
        n.re = round ? floats[k % 12] : floats[6 + k % 6];
        n.im = fl_is_complex(dtype) ? floats[(k + 7) % 12] : 0;
        fl_number_store(n, dtype, (char *)out + (size_t)i * size);
    }
}

static fl_status run_filled(const fl_program *p, int round, void **outputs)
{
    void *inputs[16] = {0};
    uint32_t n = p->main->arg_count;
    for (uint32_t i = 0; i < n && i < 16; i++) {
        const fl_type *type = fl_type_of(p, p->main->first_arg + i);
        inputs[i] = calloc(fl_type_bytes(type) + 1, 1);
        fill(type, round + (int)i, inputs[i]);
    }
    for (uint32_t i = 0; i < p->main->result_count; i++)
        outputs[i] = calloc(fl_type_bytes(fl_type_of(p, p->main->results[i])) + 1, 1);
    fl_status s = fl_reference_run(p, (const void *const *)inputs, outputs);
    for (uint32_t i = 0; i < n && i < 16; i++) free(inputs[i]);
    return s;
}

static void same_results(const char *file, const fl_program *p, const fl_program *optimized, const char *text)
{
    for (int round = 0; round < 6; round++) {
        void *a[16] = {0}, *b[16] = {0};
        fl_status s = run_filled(p, round, a), t = run_filled(optimized, round, b);
        int same = !s == !t;
        for (uint32_t i = 0; !s && !t && i < p->main->result_count; i++)
            same &= same_bits(fl_type_of(p, p->main->results[i]), a[i], b[i]);
        check_count++;
        if (!same) {
            check_failures++;
            report(file, "other results:",
                   s   ? fl_status_message(s)
                   : t ? fl_status_message(t)
                       : "bits",
                   text);
        }
        fl_status_free(s);
        fl_status_free(t);
        for (uint32_t i = 0; i < 16; i++) free(a[i]), free(b[i]);
    }
}

/* ---- files ---- */

/* The words behind `key` on the next such line at or after *at; 0: no more before `end`. */
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
    const char *from = at, *place = printed;
    while (next_line(&from, end, "// EXPECT: ", line, sizeof line)) {
        const char *found = strstr(place, line);
        check_count++;
        if (found) {
            place = found + strlen(line);
            continue;
        }
        check_failures++;
        report(file, "expected", line, printed);
    }
    for (from = at; next_line(&from, end, "// EXPECT-NOT: ", line, sizeof line);) {
        check_count++;
        if (!strstr(printed, line)) continue;
        check_failures++;
        report(file, "did not expect", line, printed);
    }
}

static void one_module(const char *file, const char *at, const char *end)
{
    char passes[200];
    fl_program *p = NULL, *optimized = NULL;
    fl_text text = {0};
    const char *from = at;
    CHECK(next_line(&from, end, "// RUN: ", passes, sizeof passes));
    fl_status s = fl_parse_text(at, (size_t)(end - at), &p);
    if (!s) s = fl_optimize(p, strcmp(passes, "all") ? passes : NULL, &optimized);
    if (!s) s = fl_program_verify(optimized);
    if (s) {
        check_failures++;
        report(file, "failed:", fl_status_message(s), at);
    } else {
        fl_program_print(optimized, &text);
        expect(file, at, end, text.data);
        same_results(file, p, optimized, text.data);
    }
    fl_status_free(s);
    fl_text_free(&text);
    fl_program_destroy(optimized);
    fl_program_destroy(p);
}

static char *load(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *data = calloc(1, 1 << 18);
    if (f && data && fread(data, 1, (1 << 18) - 1, f) == 0) data[0] = 0;
    if (f) fclose(f);
    return data;
}

static void files(void)
{
    char folder[600], path[1024];
    struct dirent **names;
    snprintf(folder, sizeof folder, "%.*spasses", (int)(strrchr(__FILE__, '/') + 1 - __FILE__), __FILE__);
    int count = scandir(folder, &names, NULL, alphasort), found = 0;
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(names[i]->d_name, '.');
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        if (dot && !strcmp(dot, ".mlir")) {
            char *data = load(path), *at = data;
            for (char *end; at && *at; at = *end ? end + 8 : end) {
                end = strstr(at, "// -----");
                if (!end) end = at + strlen(at);
                one_module(names[i]->d_name, at, end);
            }
            free(data);
            found++;
        }
        free(names[i]);
    }
    if (count >= 0) free(names);
    CHECK(found > 0);
}

/* ---- random programs ---- */

typedef struct outcome {
    fl_status status;
    void *outputs[3];
} outcome;

static outcome run(const fl_program *p, int special)
{
    static const float ordinary[] = {1, -2.5f, 0, 3, 0.25f, 100},
                       odd[] = {NAN, INFINITY, -INFINITY, -0.0f, 0x1p-149f, 0x1.fffffep127f};
    static const int32_t i32[] = {0, 1, 2, -1, 7, 3}, extreme[] = {INT32_MIN, INT32_MAX, -1, 0, 1, 31};
    const float *f = special ? odd : ordinary;
    const void *inputs[] = {f, special ? extreme : i32, f};
    outcome o = {0};
    for (uint32_t i = 0; i < 3; i++)
        o.outputs[i] = calloc(fl_type_bytes(fl_type_of(p, p->main->results[i])) + 1, 1);
    o.status = fl_reference_run(p, inputs, o.outputs);
    return o;
}

static void free_outcome(outcome *o)
{
    fl_status_free(o->status);
    for (int i = 0; i < 3; i++) free(o->outputs[i]);
}

static void compare(int seed, const char *passes, const fl_program *p, const outcome *expected,
                    const fl_program *optimized, int special)
{
    outcome got = run(optimized, special);
    int same = !got.status == !expected->status;
    for (uint32_t i = 0; same && i < 3 && !got.status; i++)
        same = same_bits(fl_type_of(p, p->main->results[i]), got.outputs[i], expected->outputs[i]);
    check_count++;
    if (!same) {
        fl_text text = {0};
        check_failures++;
        fl_program_print(p, &text);
        fl_text_printf(&text, "becomes\n");
        fl_program_print(optimized, &text);
        char what[80];
        snprintf(what, sizeof what, "seed %d, inputs %d, passes", seed, special);
        report(what, got.status ? fl_status_message(got.status) : "other bits:", passes ? passes : "all",
               text.data);
        fl_text_free(&text);
    }
    free_outcome(&got);
}

static void one_random(int seed, const char *passes, const fl_program *p)
{
    fl_program *optimized = NULL;
    fl_status s = fl_optimize(p, passes, &optimized);
    if (!s) s = fl_program_verify(optimized);
    check_count++;
    if (s) {
        fl_text text = {0};
        check_failures++;
        fl_program_print(p, &text);
        report(passes ? passes : "all", fl_status_message(s), "", text.data);
        fl_text_free(&text);
    }
    for (int special = 0; !s && special < 2; special++) {
        outcome expected = run(p, special);
        compare(seed, passes, p, &expected, optimized, special);
        free_outcome(&expected);
    }
    fl_status_free(s);
    fl_program_destroy(optimized);
}

static void random_programs(void)
{
    static const char *const passes[] = {NULL, "branches", "recognise", "fold", "simplify", "cse", "dce"};
    const char *text = getenv("FL_TEST_PROGRAMS");
    int count = text ? atoi(text) : 3000, whole = 0;
    for (int seed = 0; seed < count; seed++) {
        fl_program *p = NULL, *flat = NULL;
        fl_status s = fl_random_program((uint64_t)seed, FL_RANDOM_PLAIN, &p);
        if (!s) s = fl_program_refine(p, NULL, p->main->arg_count, &flat);
        if (!s) {
            whole++;
            one_random(seed, NULL, flat);
            one_random(seed, passes[(unsigned)seed % (sizeof passes / sizeof *passes)], flat);
        }
        fl_status_free(s);
        fl_program_destroy(flat);
        fl_program_destroy(p);
    }
    CHECK(whole > count / 2);
}

int main(void)
{
    files();
    random_programs();
    return check_result();
}
