/* What is written reads back: random programs through text and through artifacts give the same program, and the same bits when
 * they run; the conformance programs come back from their text. */
#include "check.h"
#include "ir/bytecode/bytecode.h"
#include "ir/conformance.h"
#include "ir/program_random.h"
#include "ir/text/parse.h"
#include "ref/reference.h"

enum { PROGRAMS = 1500, MOST_REPORTS = 10 };

static int reports;

static void report(const char *where, const char *what, const char *message)
{
    if (reports++ < MOST_REPORTS) fprintf(stderr, "%s: %s: %s\n", where, what, message ? message : "?");
}

/* Counted, but not printed: `report` says more. */
static int holds(int condition)
{
    check_count++;
    check_failures += !condition;
    return condition;
}

static int is_ok(const char *where, const char *what, fl_status s)
{
    if (!s) return 1;
    report(where, what, fl_status_message(s));
    fl_status_free(s);
    return 0;
}

/* `p` printed and read again is `p`, and prints as before. Gives what was read, or NULL. */
static fl_program *through_text(const char *where, const fl_program *p)
{
    fl_text text = {0}, again = {0}, why = {0};
    fl_program *back = NULL;
    fl_program_print(p, &text);
    holds(!text.failed);
    int ok = is_ok(where, "text", fl_parse_text(text.data, text.length, &back));
    holds(ok);
    if (ok) {
        int equal = fl_program_equal(p, back, &why);
        holds(equal);
        if (!equal) report(where, "text", why.data);
        fl_program_print(back, &again);
        int same = again.length == text.length && !memcmp(again.data, text.data, text.length);
        holds(same);
        if (!same) report(where, "text", "prints differently when read again");
    }
    if (!ok && reports <= 2) fprintf(stderr, "%s\n", text.data);
    fl_text_free(&text);
    fl_text_free(&again);
    fl_text_free(&why);
    return back;
}

/* Artifacts of old versions may be refused, but are never of another program. */
static fl_program *through_bytecode(const char *where, const fl_program *p, int minor)
{
    fl_text bytes = {0}, why = {0};
    fl_program *back = NULL;
    fl_vhlo_version version = {1, minor, 0};
    fl_status s = fl_write_bytecode(p, version, &bytes);
    if (fl_status_code(s) == FL_UNSUPPORTED && minor < fl_stablehlo_version().minor) {
        fl_status_free(s);
        fl_text_free(&bytes);
        return NULL;
    }
    int ok = is_ok(where, "bytecode", s) &&
             is_ok(where, "bytecode", fl_read_bytecode(bytes.data, bytes.length, &back));
    holds(ok);
    if (ok) {
        int equal = fl_program_equal(p, back, &why);
        holds(equal);
        if (!equal) report(where, "bytecode", why.data);
    }
    fl_text_free(&bytes);
    fl_text_free(&why);
    return back;
}

/* ---- running ---- */

typedef struct outcome {
    fl_status status;
    void *outputs[3];
} outcome;

static outcome run(const fl_program *p)
{
    static const float f32[] = {1, -2.5f, 0, 3, 0.25f, 100};
    static const int32_t i32[] = {0, 1, 2, -1, 7, 3};
    const void *inputs[] = {f32, i32, f32};
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

static void compare_runs(const char *where, const fl_program *p, const outcome *expected,
                         const fl_program *back)
{
    outcome got = run(back);
    holds(!got.status == !expected->status);
    for (uint32_t i = 0; i < 3 && !got.status && !expected->status; i++) {
        int same =
            !memcmp(got.outputs[i], expected->outputs[i], fl_type_bytes(fl_type_of(p, p->main->results[i])));
        holds(same);
        if (!same) report(where, "run", "other results");
    }
    free_outcome(&got);
}

/* ---- random programs ---- */

static void random_programs(fl_random_flags flags, const char *kind)
{
    int ran = 0;
    for (int seed = 0; seed < PROGRAMS; seed++) {
        char where[64];
        fl_program *p = NULL, *back[2] = {0};
        snprintf(where, sizeof where, "random program %d, %s", seed, kind);
        int serializable = seed % 2; /* artifacts hold nothing of CHLO */
        fl_random_flags all = flags | (serializable ? FL_RANDOM_STABLEHLO : 0);
        int ok = is_ok(where, "generator", fl_random_program((uint64_t)seed, all, &p));
        holds(ok);
        if (!ok) continue;
        back[0] = through_text(where, p);
        if (serializable) {
            back[1] = through_bytecode(where, p, fl_stablehlo_version().minor);
            fl_program_destroy(through_bytecode(where, p, (seed / 2) % fl_stablehlo_version().minor));
        }
        if (flags == FL_RANDOM_PLAIN) {
            outcome expected = run(p);
            ran += !expected.status;
            if (expected.status && reports < 3) report(where, "run", fl_status_message(expected.status));
            for (int i = 0; i < 2; i++)
                if (back[i]) compare_runs(where, p, &expected, back[i]);
            free_outcome(&expected);
        }
        for (int i = 0; i < 2; i++) fl_program_destroy(back[i]);
        fl_program_destroy(p);
    }
    if (flags == FL_RANDOM_PLAIN) CHECK_INT(ran, PROGRAMS);
}

/* ---- conformance programs ---- */

/* A file holds several modules, with lines "// -----" between them. */
static void one_file(const conformance_file *f)
{
    const char *at = f->data, *all = f->data + f->size;
    if (!strncmp(f->name, "invalid", 7)) return;
    while (at < all) {
        const char *end = strstr(at, "// -----"), *func = strstr(at, "func");
        size_t n = (size_t)((end ? end : all) - at);
        fl_program *p = NULL;
        if (func && func < at + n) {
            int ok = is_ok(f->name, "read", fl_parse_text(at, n, &p));
            holds(ok);
            if (ok) fl_program_destroy(through_text(f->name, p));
            fl_program_destroy(p);
        }
        at += n + (end ? 8 : 0);
    }
}

static void conformance(void)
{
    static const char *const folders[] = {
        "interpret",          "interpret/chlo", "testdata", "testdata/dynamic",
        "testdata/quantized", "math",           "bytecode", "vhlo"};
    int n = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        n += conformance_each(folders[i], ".mlir", one_file);
    printf("%d conformance files\n", n);
}

int main(void)
{
    random_programs(FL_RANDOM_PLAIN, "plain");
    random_programs(FL_RANDOM_EVERYTHING, "everything");
    conformance();
    return check_result();
}
