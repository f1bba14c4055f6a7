/* fl compile: a program becomes a shared library with a plain C function, or the source of one. */
#include "artifact.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

const char fl_help_compile[] =
    "usage: fl compile FILE -o OUT.so|OUT.c [--header OUT.h] [--name NAME]\n"
    "                  [--parameters FILE.safetensors] [--load] [--cc CC] [--part N]\n\n"
    "Makes a shared library of a program: a C function NAME that takes pointers to its inputs\n"
    "and results. The library holds the program and the engine, and needs nothing but the C\n"
    "library: ship that one file. The program is compiled for the processor it runs on by the\n"
    "first call (for each set of sizes, where it leaves some open).\n\n"
    "  -o OUT         OUT.so: the library, which takes a C compiler to link. OUT.c: its source,\n"
    "                 with OUT.program (and OUT.parameters) beside it, to be compiled where they\n"
    "                 lie and linked with libflambeau\n"
    "  --header FILE  the header; beside OUT by default\n"
    "  --name NAME    of the function; by default OUT without \"lib\" and suffix\n"
    "  --parameters F inputs that have the name of a tensor in this file are parameters, which\n"
    "                 become a part of the library (torch_tpu.export.save writes such files)\n"
    "  --load         they do not: NAME_load(path) reads them at run time\n"
    "  --cc CC        the compiler; by default $CC, else cc\n"
    "  --part N       of a file with several programs, the N-th part\n\n"
    "examples:\n"
    "  fl compile model.mlirbc -o libmodel.so\n"
    "  fl compile bert.mlirbc --parameters bert.safetensors -o bert.so --header bert.h\n"
    "  fl compile model.mlir -o model.c && cc model.c main.c -lflambeau\n";

typedef struct job {
    const char *path, *out, *header, *name, *parameters, *cc;
    long part;
    int load, is_source;
    char stem[PATH_MAX]; /* OUT without its suffix */
    char header_path[PATH_MAX], own_name[256];
    char folder[PATH_MAX]; /* where the source of a library is compiled */
    char inside[PATH_MAX]; /* its files there without their suffixes */
} job;

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Names that follow from OUT. */
static int name_things(job *j)
{
    size_t n = strlen(j->out);
    j->is_source = n > 2 && !strcmp(j->out + n - 2, ".c");
    int is_library = n > 3 && !strcmp(j->out + n - 3, ".so");
    if (!j->is_source && !is_library)
        return fl_usage_error("compile: expected -o FILE.so or FILE.c, got \"%s\"", j->out);
    if (n > sizeof j->stem - 64) return fl_usage_error("compile: the path is too long");
    snprintf(j->stem, sizeof j->stem, "%.*s", (int)(n - (j->is_source ? 2 : 3)), j->out);
    if (!*j->header) {
        snprintf(j->header_path, sizeof j->header_path, "%.*s.h", (int)sizeof j->header_path - 3, j->stem);
        j->header = j->header_path;
    }
    if (!*j->name) {
        const char *base = base_of(j->stem);
        if (!strncmp(base, "lib", 3) && base[3]) base += 3;
        snprintf(j->own_name, sizeof j->own_name, "%.200s", base);
        for (char *at = j->own_name; *at; at++)
            if (*at == '-' || *at == '.') *at = '_';
        j->name = j->own_name;
    }
    if (!fl_is_identifier(j->name))
        return fl_usage_error("compile: expected --name NAME, a name of C outside of fl_, got \"%s\"",
                              j->name);
    const char *names[] = {base_of(j->stem), base_of(j->header)}; /* which the source has between quotes */
    for (int i = 0; j->is_source && i < 2; i++)
        if (names[i][strcspn(names[i], "\"\\\n")])
            return fl_usage_error("compile: expected a file name without quotes and backslashes, got %s",
                                  names[i]);
    return FL_EXIT_OK;
}

static int take_arguments(fl_args *args, job *j)
{
    const char *part = "0";
    while (args->at < args->argc) {
        if (fl_take_flag(args, "--load")) {
            j->load = 1;
            continue;
        }
        if (fl_take_value(args, "-o", &j->out) || fl_take_value(args, "--header", &j->header) ||
            fl_take_value(args, "--name", &j->name) || fl_take_value(args, "--parameters", &j->parameters) ||
            fl_take_value(args, "--cc", &j->cc) || fl_take_value(args, "--part", &part))
            continue;
        if (fl_take_file(args, &j->path)) return FL_EXIT_USAGE;
    }
    if (!j->path) return fl_usage_error("compile: expected a file; see fl help compile");
    if (!j->out) return fl_usage_error("compile: expected -o FILE.so or FILE.c");
    if (!j->header || !j->name || !j->parameters || !j->cc)
        return fl_usage_error("compile: expected a value after %s", args->argv[args->argc - 1]);
    if (j->load && !*j->parameters)
        return fl_usage_error("compile: --load needs --parameters, which tells what is to be loaded");
    if (!fl_parse_number(part, 0, &j->part)) return fl_usage_error("compile: expected a number after --part");
    return name_things(j);
}

/* ---- files ---- */

static fl_status write_text(const char *path, fl_text *text)
{
    fl_status status =
        text->failed ? fl_error(FL_OOM, "out of host memory") : fl_write_file(path, text->data, text->length);
    fl_text_free(text);
    return status;
}

/* As an artifact, or where that cannot hold it as text. */
static fl_status write_program(const fl_module *module, const char *path)
{
    void *data = NULL;
    size_t bytes = 0;
    fl_status status = fl_module_serialize(module, NULL, &data, &bytes);
    if (fl_status_code(status) == FL_UNSUPPORTED) {
        fl_status_free(status);
        status = fl_module_print(module, (char **)&data, &bytes);
    }
    if (!status) status = fl_write_file(path, data, bytes);
    fl_free(data);
    return status;
}

static fl_status copy_file(const char *from, const char *to)
{
    fl_text data = {0};
    FL_TRY(fl_read_file(from, &data));
    return write_text(to, &data);
}

/* Source and data as STEM.c, STEM.program, STEM.parameters; the source names them as they are called in their folder. */
static fl_status write_source(const job *j, const fl_artifact *a, const char *stem, const char *header)
{
    char path[PATH_MAX + 32], program[PATH_MAX], parameters[PATH_MAX];
    int has_parameters = a->parameters && !a->has_load;
    fl_text source = {0};
    snprintf(program, sizeof program, "%.4000s.program", base_of(stem));
    snprintf(parameters, sizeof parameters, "%.4000s.parameters", base_of(stem));
    FL_TRY(fl_artifact_source(a, header, program, has_parameters ? parameters : NULL, &source));
    snprintf(path, sizeof path, "%s.c", stem);
    FL_TRY(write_text(path, &source));
    snprintf(path, sizeof path, "%s.program", stem);
    FL_TRY(write_program(a->module, path));
    if (!has_parameters) return NULL;
    snprintf(path, sizeof path, "%s.parameters", stem);
    return copy_file(j->parameters, path);
}

static fl_status write_header(const fl_artifact *a, const char *path)
{
    fl_text header = {0};
    FL_TRY(fl_artifact_header(a, &header));
    return write_text(path, &header);
}

/* ---- the library ---- */

/* The engine to link: where the build, an installation, or the Python package has it. */
static fl_status find_engine(char *out, size_t room)
{
    static const char *const places[] = {"../libflambeau_static.a", "../lib/libflambeau_static.a",
                                         "../lib64/libflambeau_static.a", "../lib/*/libflambeau_static.a",
                                         "../lib/python3*/site-packages/torch_tpu/lib/libflambeau_static.a"};
    char self[PATH_MAX], pattern[PATH_MAX + 128];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    self[n > 0 ? n : 0] = 0;
    char *slash = strrchr(self, '/');
    if (slash) *slash = 0;
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        glob_t found = {0};
        snprintf(pattern, sizeof pattern, "%s/%s", self, places[i]);
        int fits = !glob(pattern, 0, NULL, &found) && found.gl_pathc && strlen(found.gl_pathv[0]) < room;
        if (fits) strcpy(out, found.gl_pathv[0]);
        globfree(&found);
        if (fits) return NULL;
    }
    return fl_error(FL_UNSUPPORTED,
                    "libflambeau_static.a is not installed beside fl: -o FILE.c needs it not");
}

static fl_status run_compiler(const job *j, const char *source, const char *engine)
{
    extern char **environ;
    char include[PATH_MAX + 8];
    snprintf(include, sizeof include, "-I%s", j->folder);
    /* the engine's own names stay inside; its threads do not end with dlclose, so the library stays */
    const char *const command[] = {j->cc,
                                   "-shared",
                                   "-fPIC",
                                   "-O2",
                                   include,
                                   source,
                                   engine,
                                   "-Wl,--exclude-libs,ALL",
                                   "-Wl,-Bsymbolic",
                                   "-Wl,-z,defs",
                                   "-Wl,-z,nodelete",
                                   "-Wl,--gc-sections",
                                   "-s",
                                   "-lpthread",
                                   "-lm",
                                   "-ldl",
                                   "-o",
                                   j->out,
                                   NULL};
    pid_t child;
    int state, failed = posix_spawnp(&child, j->cc, NULL, NULL, (char *const *)(uintptr_t)command, environ);
    FL_CHECK(!failed, FL_UNSUPPORTED, "%s: %s: a C compiler links the library; -o FILE.c needs none", j->cc,
             strerror(failed));
    while (waitpid(child, &state, 0) < 0)
        if (errno != EINTR) return fl_error(FL_INTERNAL, "waitpid: %s", strerror(errno));
    FL_CHECK(WIFEXITED(state) && !WEXITSTATUS(state), FL_INVALID, "%s could not link %s", j->cc, j->out);
    return NULL;
}

static void remove_folder(const job *j)
{
    static const char *const names[] = {"flambeau/status.h", "flambeau", "flambeau.h", ""};
    static const char *const data[] = {"h", "c", "program", "parameters"};
    char path[PATH_MAX + 32];
    for (size_t i = 0; i < sizeof data / sizeof *data; i++) {
        snprintf(path, sizeof path, "%s.%s", j->inside, data[i]);
        remove(path);
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s/%s", j->folder, names[i]);
        remove(path);
    }
}

/* Assemblers look for data in the working directory first, so the files have the folder's name, which nothing else has. */
static fl_status link_library(job *j, const fl_artifact *a)
{
    char engine[PATH_MAX], path[PATH_MAX + 32];
    const char *temporary = getenv("TMPDIR");
    FL_TRY(find_engine(engine, sizeof engine));
    snprintf(j->folder, sizeof j->folder, "%.4000s/fl-compile-XXXXXX",
             temporary && *temporary ? temporary : "/tmp");
    FL_CHECK(mkdtemp(j->folder), FL_INVALID, "%s: %s", j->folder, strerror(errno));
    snprintf(j->inside, sizeof j->inside, "%.4030s/%.20s", j->folder, base_of(j->folder));
    snprintf(path, sizeof path, "%s.h", j->inside);
    fl_status status = fl_write_headers(j->folder);
    if (!status) status = write_header(a, path);
    if (!status) status = write_source(j, a, j->inside, base_of(path));
    snprintf(path, sizeof path, "%s.c", j->inside);
    if (!status) status = run_compiler(j, path, engine);
    remove_folder(j);
    return status;
}

static fl_status make(job *j, const fl_module *module)
{
    fl_safetensors parameters = {0};
    if (*j->parameters) FL_TRY(fl_safetensors_open(j->parameters, &parameters));
    const fl_artifact a = {.name = j->name,
                           .source = base_of(j->path),
                           .module = module,
                           .parameters = *j->parameters ? &parameters : NULL,
                           .has_load = j->load};
    fl_status status = write_header(&a, j->header);
    if (!status)
        status = j->is_source ? write_source(j, &a, j->stem, base_of(j->header)) : link_library(j, &a);
    fl_safetensors_close(&parameters);
    return status;
}

int fl_cmd_compile(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    const char *cc = getenv("CC");
    job j = {.header = "", .name = "", .parameters = "", .cc = cc && *cc ? cc : "cc"};
    fl_input in;
    fl_module *module;
    int exit = take_arguments(&args, &j);
    if (!exit) exit = fl_input_open(&in, j.path);
    if (exit) return exit;
    exit = fl_input_module(&in, (uint32_t)j.part, &module);
    fl_input_close(&in);
    if (exit) return exit;
    exit = fl_report(make(&j, module));
    fl_module_free(module);
    return exit;
}
