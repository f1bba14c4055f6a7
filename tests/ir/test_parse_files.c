/* All programs of the conformance data are read, damaged ones are refused without harm, and memory stays in proportion. */
#include "ir/conformance.h"
#include "ir/text_case.h"

static int modules;

static int has_function(const char *text, size_t length)
{
    for (size_t i = 0; i + 9 <= length; i++)
        if (!memcmp(text + i, "func.func", 9)) return 1;
    return 0;
}

static void each_module(const conformance_file *f,
                        void (*test)(const conformance_file *, const char *, size_t))
{
    const char *at = f->data, *end = f->data + f->size;
    while (at) {
        const char *next = strstr(at, "// -----");
        size_t length = (size_t)((next ? next : end) - at);
        if (has_function(at, length)) test(f, at, length);
        at = next ? next + 8 : NULL;
    }
}

static void read_module(const conformance_file *f, const char *text, size_t length)
{
    fl_program *p = NULL;
    fl_status s = parse_exactly(text, length, &p);
    check_count++;
    modules++;
    if (s) {
        check_failures++;
        fprintf(stderr, "%s: %s\n", f->path, fl_status_message(s));
        fl_status_free(s);
        return;
    }
    size_t defs = p->def_capacity > FL_DEFS_IN_ARENA ? p->def_capacity * sizeof *p->defs : 0;
    if (length > 20000) CHECK(p->arena.total + defs <= 10 * length);
    fl_program_destroy(p);
}

static void read_file(const conformance_file *f)
{
    each_module(f, read_module);
}

/* Cut short at every 97th byte, and with a bit turned there. */
static void damage_module(const conformance_file *f, const char *text, size_t length)
{
    char *copy = malloc(length);
    (void)f;
    for (size_t i = 0; copy && i < length; i += 97) {
        fl_program *p = NULL;
        fl_status s = parse_exactly(text, i, &p);
        CHECK((s != NULL) == (p == NULL));
        fl_status_free(s);
        fl_program_destroy(p);
        memcpy(copy, text, length);
        copy[i] = (char)(copy[i] ^ 1 << i % 8);
        s = fl_parse_text(copy, length, &p);
        CHECK((s != NULL) == (p == NULL));
        fl_status_free(s);
        fl_program_destroy(p);
    }
    free(copy);
}

static void damage_file(const conformance_file *f)
{
    if (f->size < 20000) each_module(f, damage_module);
}

int main(void)
{
    static const struct {
        const char *folder;
        int modules; /* as the README of the data counts them */
    } folders[] = {
        {"interpret", 419},        {"interpret/chlo", 12}, {"testdata", 1976}, {"testdata/quantized", 163},
        {"testdata/dynamic", 330}, {"math", 47},           {"bytecode", 65},   {"vhlo", 34}};
    char root[1024];
    if (!conformance_folder("testdata", root, sizeof root)) return 77;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        modules = 0;
        if (!conformance_each(folders[i].folder, ".mlir", read_file)) continue;
        CHECK_INT(modules, folders[i].modules);
    }
    conformance_each("interpret", ".mlir", damage_file);
    conformance_each("testdata/dynamic", ".mlir", damage_file);
    return check_result();
}
