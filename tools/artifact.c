#include "artifact.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- names and types ---- */

static int is_keyword(const char *name)
{
    static const char *const words[] = {
        "auto",    "bool",   "break",    "case",   "char",   "class",    "const",   "continue", "default",
        "delete",  "do",     "double",   "else",   "enum",   "extern",   "float",   "for",      "goto",
        "if",      "inline", "int",      "long",   "new",    "operator", "private", "public",   "register",
        "return",  "short",  "signed",   "sizeof", "static", "struct",   "switch",  "template", "this",
        "typedef", "union",  "unsigned", "using",  "void",   "volatile", "while"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(name, words[i])) return 1;
    return 0;
}

int fl_is_identifier(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_') return 0;
    for (const char *at = name; *at; at++)
        if (!isalnum((unsigned char)*at) && *at != '_') return 0;
    return !is_keyword(name) && strncmp(name, "fl_", 3) != 0;
}

typedef struct port { /* an input or output of the function */
    fl_tensor_info info;
    const char *element; /* in C */
    char name[80];
    int is_open, is_parameter;
} port;

typedef struct ports {
    port *items; /* inputs, then outputs */
    uint32_t inputs, count, open_outputs;
} ports;

static const char *element_of(const char *dtype)
{
    static const struct {
        const char *dtype, *element;
    } known[] = {
        {"f32", "float"},    {"f64", "double"},    {"complex<f32>", "float"}, {"complex<f64>", "double"},
        {"i8", "int8_t"},    {"i16", "int16_t"},   {"i32", "int32_t"},        {"i64", "int64_t"},
        {"ui8", "uint8_t"},  {"ui16", "uint16_t"}, {"ui32", "uint32_t"},      {"ui64", "uint64_t"},
        {"f16", "uint16_t"}, {"bf16", "uint16_t"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(known[i].dtype, dtype)) return known[i].element;
    return "uint8_t"; /* i1 and what else takes a byte */
}

/* The program's name for it as C can have it, unlike those before. */
static void name_port(ports *all, uint32_t index)
{
    port *p = &all->items[index];
    char base[64] = "";
    size_t n = 0;
    for (const char *at = p->info.name; *at && n < sizeof base - 1; at++) {
        if (isalnum((unsigned char)*at))
            base[n++] = *at;
        else if (n && base[n - 1] != '_')
            base[n++] = '_';
    }
    while (n && base[n - 1] == '_') n--;
    base[n] = 0;
    int bare = fl_is_identifier(base);
    for (uint32_t try = 0; try <= all->count; try++) {
        snprintf(p->name, sizeof p->name, try ? "%s%s_%u" : "%s%s", bare ? "" : "x_", base, try);
        uint32_t same = 0;
        while (same < index && strcmp(all->items[same].name, p->name) != 0) same++;
        if (same == index) return;
    }
}

static fl_status read_port(const fl_artifact *a, ports *all, uint32_t index)
{
    port *p = &all->items[index];
    int is_input = index < all->inputs;
    p->info.size = sizeof p->info;
    FL_TRY(is_input ? fl_module_input(a->module, index, &p->info)
                    : fl_module_output(a->module, index - all->inputs, &p->info));
    FL_CHECK(p->info.dtype, FL_UNSUPPORTED, "%s: expected a tensor, got %s", p->info.name, p->info.type);
    p->element = element_of(p->info.dtype);
    for (uint32_t d = 0; d < p->info.rank; d++) p->is_open |= p->info.dims[d] < 0;
    p->is_parameter = is_input && a->parameters && fl_safetensors_find(a->parameters, p->info.name);
    FL_CHECK(!p->is_parameter || !p->is_open, FL_UNSUPPORTED,
             "%s: expected a parameter of fixed sizes, got %s", p->info.name, p->info.type);
    if (!is_input) all->open_outputs += p->is_open;
    name_port(all, index);
    return NULL;
}

static fl_status read_ports(const fl_artifact *a, ports *all)
{
    *all = (ports){.inputs = fl_module_input_count(a->module)};
    all->count = all->inputs + fl_module_output_count(a->module);
    all->items = calloc(all->count + 1u, sizeof *all->items);
    FL_CHECK(all->items, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < all->count; i++) {
        fl_status status = read_port(a, all, i);
        if (!status) continue;
        free(all->items);
        return status;
    }
    return NULL;
}

/* ---- signatures ---- */

static void add_parameters(const ports *all, int sizes_only, fl_text *out)
{
    const char *before = "";
    for (uint32_t i = 0; i < all->count; i++) {
        const port *p = &all->items[i];
        int is_input = i < all->inputs;
        if (p->is_parameter) continue;
        if (!sizes_only) {
            fl_text_printf(out, "%s%s%s *%s", before, is_input ? "const " : "", p->element, p->name);
            before = ", ";
        }
        if (!p->is_open || (!is_input && !sizes_only)) continue;
        fl_text_printf(out, "%s%sint64_t %s_sizes[%u]", before, is_input ? "const " : "", p->name,
                       p->info.rank);
        before = ", ";
    }
    if (!*before) fl_text_printf(out, "void");
}

static void add_signature(const fl_artifact *a, const ports *all, int sizes_only, fl_text *out)
{
    fl_text_printf(out, "const char *%s%s(", a->name, sizes_only ? "_sizes" : "");
    add_parameters(all, sizes_only, out);
    fl_text_printf(out, ")");
}

fl_status fl_artifact_header(const fl_artifact *a, fl_text *out)
{
    ports all;
    FL_TRY(read_ports(a, &all));
    fl_text_printf(
        out,
        "/* Made by fl compile of %s. Functions return NULL, or what went wrong, which is valid until the "
        "thread's next\n * call; any thread may call them. Arrays are dense and row-major.\n *\n",
        a->source);
    for (uint32_t i = 0; i < all.count; i++)
        if (!all.items[i].is_parameter)
            fl_text_printf(out, " * %s %s: %s\n", i < all.inputs ? "in " : "out", all.items[i].name,
                           all.items[i].info.type);
    fl_text_printf(out, " */\n#ifndef FL_MODEL_%s\n#define FL_MODEL_%s\n\n#include <stdint.h>\n\n", a->name,
                   a->name);
    fl_text_printf(out, "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    if (a->has_load)
        fl_text_printf(out,
                       "/* Reads the parameters from a safetensors file. Once, before anything else. */\n"
                       "const char *%s_load(const char *path);\n",
                       a->name);
    if (all.open_outputs) {
        fl_text_printf(out, "/* The sizes of results for such sizes of inputs. */\n");
        add_signature(a, &all, 1, out);
        fl_text_printf(out, ";\n");
    }
    add_signature(a, &all, 0, out);
    fl_text_printf(out, ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n");
    free(all.items);
    FL_CHECK(!out->failed, FL_OOM, "out of host memory");
    return NULL;
}

/* ---- the source ---- */

static void add_data(const char *name, const char *file, const char *what, fl_text *out)
{
    fl_text_printf(out,
                   "__asm__(\".section .rodata\\n.balign 64\\n.local %s_%s, %s_%s_end\\n\"\n"
                   "        \"%s_%s: .incbin \\\"%s\\\"\\n%s_%s_end: .byte 0\\n.text\\n\");\n"
                   "__attribute__((visibility(\"hidden\"))) extern const char %s_%s[], %s_%s_end[];\n\n",
                   name, what, name, what, name, what, file, name, what, name, what, name, what);
}

static void add_opening(const fl_artifact *a, int has_parameters, fl_text *out)
{
    fl_text_printf(
        out,
        "static pthread_once_t fl_once = PTHREAD_ONCE_INIT;\n"
        "static fl_model *fl_opened;\n"
        "static char fl_failure[512];\n"
        "static _Thread_local char fl_message[512];\n\n"
        "static const char *fl_told(fl_status status, char *text, size_t room)\n{\n"
        "    if (!status) return NULL;\n"
        "    snprintf(text, room, \"%%s\", fl_status_message(status));\n"
        "    fl_status_free(status);\n    return text;\n}\n\n"
        "static void fl_open_program(void)\n{\n    fl_module *module = NULL;\n"
        "    fl_status status = fl_module_read(%s_program, (size_t)(%s_program_end - %s_program), &module);\n"
        "    if (!status) status = fl_model_create(module, \"cpu\", &fl_opened);\n"
        "    fl_module_free(module);\n",
        a->name, a->name, a->name);
    if (has_parameters)
        fl_text_printf(
            out,
            "    if (!status) status = fl_model_take(fl_opened, %s_parameters, (size_t)(%s_parameters_end - "
            "%s_parameters));\n",
            a->name, a->name, a->name);
    fl_text_printf(out, "    fl_told(status, fl_failure, sizeof fl_failure);\n}\n\n"
                        "static int fl_is_open(void)\n{\n    pthread_once(&fl_once, fl_open_program);\n    "
                        "return !*fl_failure;\n}\n\n");
    if (a->has_load)
        fl_text_printf(out,
                       "EXPORT const char *%s_load(const char *path)\n{\n"
                       "    return fl_is_open() ? fl_told(fl_model_load(fl_opened, path), fl_message, sizeof "
                       "fl_message) : "
                       "fl_failure;\n}\n\n",
                       a->name);
}

/* An fl_array; `dims` as it is for an open one. */
static void add_array(const port *p, const char *data, int is_bytes_known, fl_text *out)
{
    char open[96];
    snprintf(open, sizeof open, "%s_sizes", p->name);
    fl_text_printf(out, "        {sizeof(fl_array), \"%s\", %u, ", p->info.dtype, p->info.rank);
    if (!p->info.rank)
        fl_text_printf(out, "NULL");
    else if (p->is_open)
        fl_text_printf(out, "%s", open);
    else {
        fl_text_printf(out, "(const int64_t[]){");
        for (uint32_t d = 0; d < p->info.rank; d++)
            fl_text_printf(out, "%s%lld", d ? ", " : "", (long long)p->info.dims[d]);
        fl_text_printf(out, "}");
    }
    fl_text_printf(out, ", %s, ", data);
    if (!is_bytes_known)
        fl_text_printf(out, "0");
    else if (p->is_open)
        fl_text_printf(out, "fl_bytes(%zu, %s, %u)", p->info.element_bytes, open, p->info.rank);
    else {
        size_t bytes = p->info.element_bytes;
        for (uint32_t d = 0; d < p->info.rank; d++) bytes *= (size_t)p->info.dims[d];
        fl_text_printf(out, "%zu", bytes);
    }
    fl_text_printf(out, "},\n");
}

static uint32_t add_inputs(const ports *all, int with_data, fl_text *out)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < all->inputs; i++) count += !all->items[i].is_parameter;
    fl_text_printf(out, "    const fl_array fl_inputs[] = {\n");
    for (uint32_t i = 0; i < all->inputs; i++) {
        char data[112];
        snprintf(data, sizeof data, "(void *)(uintptr_t)%s", all->items[i].name);
        if (!all->items[i].is_parameter) add_array(&all->items[i], with_data ? data : "NULL", with_data, out);
    }
    fl_text_printf(out, "        {.size = sizeof(fl_array)},\n    };\n");
    return count;
}

static void add_sizes_function(const fl_artifact *a, const ports *all, fl_text *out)
{
    fl_text_printf(out, "static size_t fl_bytes(size_t element, const int64_t *sizes, uint32_t rank)\n{\n"
                        "    for (uint32_t d = 0; d < rank; d++) element *= (size_t)sizes[d];\n"
                        "    return element;\n}\n\n");
    if (!all->open_outputs) return;
    fl_text_printf(out, "static fl_status fl_output_sizes(const fl_array *inputs, uint32_t count, uint32_t "
                        "output, int64_t *sizes)\n{\n"
                        "    fl_tensor_info info = {.size = sizeof info};\n"
                        "    fl_status status = fl_model_output(fl_opened, inputs, count, output, &info);\n"
                        "    for (uint32_t d = 0; !status && d < info.rank; d++) sizes[d] = info.dims[d];\n"
                        "    return status;\n}\n\nEXPORT ");
    add_signature(a, all, 1, out);
    fl_text_printf(out, "\n{\n    if (!fl_is_open()) return fl_failure;\n");
    uint32_t count = add_inputs(all, 0, out);
    fl_text_printf(out, "    fl_status fl_failed = NULL;\n");
    for (uint32_t i = all->inputs; i < all->count; i++)
        if (all->items[i].is_open)
            fl_text_printf(out,
                           "    if (!fl_failed) fl_failed = fl_output_sizes(fl_inputs, %u, %u, %s_sizes);\n",
                           count, i - all->inputs, all->items[i].name);
    fl_text_printf(out, "    return fl_told(fl_failed, fl_message, sizeof fl_message);\n}\n\n");
}

static void add_function(const fl_artifact *a, const ports *all, fl_text *out)
{
    fl_text_printf(out, "EXPORT ");
    add_signature(a, all, 0, out);
    fl_text_printf(out, "\n{\n    if (!fl_is_open()) return fl_failure;\n");
    uint32_t count = add_inputs(all, 1, out);
    if (all->open_outputs) fl_text_printf(out, "    fl_status fl_failed = NULL;\n");
    for (uint32_t i = all->inputs; i < all->count; i++)
        if (all->items[i].is_open)
            fl_text_printf(
                out,
                "    int64_t %s_sizes[%u] = {0};\n    if (!fl_failed) fl_failed = fl_output_sizes(fl_inputs, "
                "%u, %u, %s_sizes);\n",
                all->items[i].name, all->items[i].info.rank, count, i - all->inputs, all->items[i].name);
    if (all->open_outputs)
        fl_text_printf(out, "    if (fl_failed) return fl_told(fl_failed, fl_message, sizeof fl_message);\n");
    fl_text_printf(out, "    const fl_array fl_outputs[] = {\n");
    for (uint32_t i = all->inputs; i < all->count; i++) add_array(&all->items[i], all->items[i].name, 1, out);
    fl_text_printf(out,
                   "        {.size = sizeof(fl_array)},\n    };\n"
                   "    return fl_told(fl_model_run(fl_opened, fl_inputs, %u, fl_outputs, %u), fl_message, "
                   "sizeof fl_message);\n}\n",
                   count, all->count - all->inputs);
}

fl_status fl_artifact_source(const fl_artifact *a, const char *header, const char *program_file,
                             const char *parameters_file, fl_text *out)
{
    ports all;
    FL_TRY(read_ports(a, &all));
    fl_text_printf(
        out,
        "/* Made by fl compile of %s. Compile where its data files lie, and link with libflambeau. */\n"
        "#include \"%s\"\n\n#include <flambeau.h>\n\n#include <pthread.h>\n#include <stdio.h>\n\n"
        "#define EXPORT __attribute__((visibility(\"default\")))\n\n",
        a->source, header);
    add_data(a->name, program_file, "program", out);
    if (parameters_file) add_data(a->name, parameters_file, "parameters", out);
    add_opening(a, parameters_file != NULL, out);
    int has_open = 0;
    for (uint32_t i = 0; i < all.count; i++) has_open |= all.items[i].is_open;
    if (has_open) add_sizes_function(a, &all, out);
    add_function(a, &all, out);
    free(all.items);
    FL_CHECK(!out->failed, FL_OOM, "out of host memory");
    return NULL;
}
