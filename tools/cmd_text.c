/* Commands that read programs and write about them: print, convert, verify, diff. */
#include "fl.h"
#include "flambeau.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int worse(int a, int b)
{
    return a > b ? a : b;
}

const char fl_help_print[] =
    "usage: fl print FILE\n\n"
    "Prints the program as MLIR text, in StableHLO's own notation where it has one. The text\n"
    "reads back to the same program. Locations and comments are not kept. A file of several\n"
    "programs is printed with \"// -----\" between them.\n\n"
    "examples:\n"
    "  fl print model.mlirbc                 what is in a portable artifact\n"
    "  fl print messy.mlir > tidy.mlir       the house format\n"
    "  curl -s URL | fl print -              from standard input\n";

int fl_cmd_print(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    fl_input in;
    const char *path = fl_take_operand(&args);
    if (args.at < argc)
        return path && argv[args.at][0] != '-' ? fl_usage_error("print: expected one file")
                                               : fl_unknown_option(&args);
    if (!path) return fl_usage_error("print: expected a file; see fl help print");
    int exit = fl_input_open(&in, path);
    if (exit) return exit;
    for (uint32_t i = 0; !exit && i < in.count; i++) {
        fl_module *module;
        char *text;
        size_t bytes;
        exit = fl_input_module(&in, in.parts[i].number, &module);
        if (exit) break;
        exit = fl_report(fl_module_print(module, &text, &bytes));
        fl_module_free(module);
        if (exit) break;
        if (i) printf("\n// -----\n\n");
        if (fwrite(text, 1, bytes, stdout) != bytes) exit = FL_EXIT_FILE;
        fl_free(text);
    }
    fl_input_close(&in);
    return worse(exit, fflush(stdout) ? FL_EXIT_FILE : 0);
}

const char fl_help_convert[] =
    "usage: fl convert FILE [--to text|bytecode] [--version V] [--part N] [-o OUT]\n\n"
    "Writes the program in the other form: as MLIR text, or as a portable artifact (bytecode)\n"
    "that readers of StableHLO version V and newer accept. CHLO's operations, which artifacts do\n"
    "not hold, become composites with their formulas, or the formulas alone where V has none.\n\n"
    "  --to FORM      text or bytecode; by default what OUT ends in (.mlir: text; .mlirbc or .bc:\n"
    "                 bytecode)\n"
    "  --version V    the oldest reader, 1.0.0 to 1.20.0 (the default); bytecode only. A program\n"
    "                 that holds what V lacks is refused, naming the operation (exit status 4)\n"
    "  --part N       of a file with several programs, the N-th part\n"
    "  -o OUT         the file to write; default standard output\n\n"
    "examples:\n"
    "  fl convert model.mlir -o model.mlirbc\n"
    "  fl convert model.mlir --to bytecode --version 1.9.0 -o model.mlirbc    for a plugin of 2025\n"
    "  fl convert model.mlirbc --to text\n";

typedef struct conversion {
    const char *path, *to, *version, *out;
    long part;
} conversion;

static int ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static int take_conversion(fl_args *args, conversion *c)
{
    const char *part = "0";
    while (args->at < args->argc) {
        if (fl_take_value(args, "--to", &c->to) || fl_take_value(args, "--version", &c->version) ||
            fl_take_value(args, "-o", &c->out) || fl_take_value(args, "--part", &part))
            continue;
        if (fl_take_file(args, &c->path)) return FL_EXIT_USAGE;
    }
    if (!c->path) return fl_usage_error("convert: expected a file; see fl help convert");
    if (!c->out) return fl_usage_error("convert: expected a file after -o");
    if (!fl_parse_number(part, 0, &c->part)) return fl_usage_error("convert: expected a number after --part");
    if (c->to && !*c->to && ends_with(c->out, ".mlir")) c->to = "text";
    if (c->to && !*c->to && (ends_with(c->out, ".mlirbc") || ends_with(c->out, ".bc"))) c->to = "bytecode";
    if (!c->to || (strcmp(c->to, "text") && strcmp(c->to, "bytecode")))
        return fl_usage_error("convert: expected --to text or --to bytecode");
    if (!c->version) return fl_usage_error("convert: expected a version such as 1.17.0 after --version");
    if (*c->version && !strcmp(c->to, "text"))
        return fl_usage_error("convert: --version is for bytecode; text has none");
    return FL_EXIT_OK;
}

int fl_cmd_convert(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    conversion c = {.to = "", .version = "", .out = "-"};
    fl_input in;
    fl_module *module;
    void *data;
    size_t bytes;
    int exit = take_conversion(&args, &c);
    if (exit) return exit;
    int is_text = !strcmp(c.to, "text");
    if (!is_text && !strcmp(c.out, "-") && isatty(STDOUT_FILENO))
        return fl_usage_error("convert: bytecode is not written to a terminal; use -o FILE");
    if ((exit = fl_input_open(&in, c.path))) return exit;
    exit = fl_input_module(&in, (uint32_t)c.part, &module);
    fl_input_close(&in);
    if (exit) return exit;
    fl_status status = is_text ? fl_module_print(module, (char **)&data, &bytes)
                               : fl_module_serialize(module, *c.version ? c.version : NULL, &data, &bytes);
    fl_module_free(module);
    if (status) {
        int usage = fl_status_code(status) == FL_VALUE; /* no version of that name */
        exit = fl_report(fl_status_prefix(status, "%s", c.path));
        return usage ? FL_EXIT_USAGE : exit;
    }
    exit = fl_report(fl_write_file(c.out, data, bytes)) ? FL_EXIT_FILE : FL_EXIT_OK;
    fl_free(data);
    return exit;
}

const char fl_help_verify[] =
    "usage: fl verify [--quiet] FILE...\n\n"
    "Reads programs and checks all that the specification demands: types, shapes, attributes,\n"
    "regions, uses after definitions. Prints a line a file; an error names the place in the text\n"
    "and the constraint. Exit status 1 when any is invalid.\n\n"
    "examples:\n"
    "  fl verify model.mlir\n"
    "  fl verify --quiet exported/*.mlirbc && echo all fine\n";

static int verify_file(const char *path, int quiet)
{
    fl_input in;
    int exit = fl_input_open(&in, path), any = exit;
    for (uint32_t i = 0; !any && i < in.count; i++) {
        fl_module *module;
        exit = worse(exit, fl_input_module(&in, in.parts[i].number, &module));
        if (module) exit = worse(exit, fl_report(fl_module_verify(module)));
        fl_module_free(module);
    }
    if (any) return any;
    if (!exit && !quiet) printf("%s: ok\n", in.name);
    fl_input_close(&in);
    return exit;
}

int fl_cmd_verify(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    int exit = FL_EXIT_OK, quiet = 0, files = 0;
    while (args.at < argc) {
        if (fl_take_flag(&args, "--quiet")) {
            quiet = 1;
            continue;
        }
        const char *path = fl_take_operand(&args);
        if (!path) return fl_unknown_option(&args);
        exit = worse(exit, verify_file(path, quiet));
        files++;
    }
    return files ? exit : fl_usage_error("verify: expected a file; see fl help verify");
}

const char fl_help_diff[] =
    "usage: fl diff A B\n\n"
    "Says whether two files hold the same program, whatever their form: functions, operations,\n"
    "types and attributes, but not names of values, locations, comments, or whether an attribute\n"
    "at its default is written. Exit status 1 and the first difference when they differ.\n\n"
    "examples:\n"
    "  fl diff model.mlir model.mlirbc\n"
    "  fl convert model.mlir --to bytecode | fl diff - model.mlir\n";

static int open_module(const char *path, fl_module **out)
{
    fl_input in;
    *out = NULL;
    int exit = fl_input_open(&in, path);
    if (exit) return exit;
    exit = fl_input_module(&in, 0, out);
    fl_input_close(&in);
    return exit;
}

int fl_cmd_diff(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    fl_module *a, *b = NULL;
    const char *first = fl_take_operand(&args), *second = fl_take_operand(&args);
    if (!first || !second || args.at < argc)
        return fl_usage_error("diff: expected two files; see fl help diff");
    int exit = open_module(first, &a);
    if (!exit) exit = open_module(second, &b);
    if (!exit) exit = fl_report(fl_status_prefix(fl_module_compare(a, b), "%s and %s differ", first, second));
    fl_module_free(a);
    fl_module_free(b);
    return exit;
}
