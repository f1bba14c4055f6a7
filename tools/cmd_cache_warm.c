/* fl cache warm: compile what a trace has, so that processes find it in the cache. */
#include "base/tiers.h"
#include "cmd_cache.h"
#include "device/device.h"
#include "flambeau.h"
#include "ir/read.h"
#include "pjrt/client_cache.h"
#include "pjrt/client_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct work {
    fl_device *device;
    int compiles; /* else the programs are only read */
    uint64_t programs, refused;
} work;

/* The name that a trace gives the program; 0: it is from elsewhere. */
static int is_traced(const fl_text *text, char *out, size_t room)
{
    const char *at = text->data + strspn(text->data, "\n");
    int found = !strncmp(at, FL_PJRT_TRACE_MARK, sizeof FL_PJRT_TRACE_MARK - 1);
    if (found) at += sizeof FL_PJRT_TRACE_MARK - 1;
    snprintf(out, room, "%.*s", found ? (int)strcspn(at, "\n") : 7, found ? at : "program");
    return found;
}

static int compile(work *w, const fl_text *text, const fl_program *program)
{
    char name[128];
    const fl_compile_options options = {.name = name};
    fl_executable *executable = NULL;
    fl_status status = is_traced(text, name, sizeof name)
                           ? fl_pjrt_trace_compile(w->device, name, program)
                           : w->device->vtable->compile(w->device, program, &options, &executable);
    if (executable) w->device->vtable->destroy_executable(w->device, executable);
    if (status) w->refused++;
    return fl_report(status);
}

static int do_part(work *w, const fl_input *in, uint32_t index)
{
    fl_text text = {0};
    fl_program *program;
    fl_input_part(in, index, &text);
    if (text.failed || !text.data) return fl_report(fl_error(FL_OOM, "out of host memory"));
    fl_status status = fl_program_read(text.data, text.length, &program);
    int exit = fl_report(fl_status_prefix(status, "%s, program %u", in->name, in->parts[index].number));
    if (!status) {
        w->programs += !w->compiles;
        if (w->compiles) exit = compile(w, &text, program);
        fl_program_destroy(program);
    }
    fl_text_free(&text);
    return exit;
}

/* NULL: the common programs. A program that the plugin refuses does not keep the others from being compiled; one that cannot be read does, before any is. */
static int do_file(work *w, const char *path)
{
    fl_input in;
    int exit = path ? fl_input_open(&in, path)
                    : fl_report(fl_input_copy(&in, "the common programs", fl_common_programs(),
                                              fl_common_programs_size()));
    if (exit) return exit;
    for (uint32_t i = 0; i < in.count && (w->compiles || !exit); i++) {
        int result = do_part(w, &in, i);
        if (result) exit = result;
    }
    fl_input_close(&in);
    return exit;
}

static int open_device(long index, fl_device **out)
{
    if (!fl_tiers_get())
        return fl_usage_error(
            "cache: no tier is on: expected TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT in the environment");
    int exit = fl_report(fl_device_get((int)index, out));
    if (exit) return exit;
    if (!strcmp((*out)->vtable->kind, "pjrt")) return FL_EXIT_OK;
    return fl_usage_error(
        "cache: the embedded device keeps nothing, it compiles in microseconds: expected a PJRT plugin or "
        "\"tpu\" in TORCH_TPU_DEVICE");
}

int fl_cache_warm(fl_args *args)
{
    work w = {0};
    const char *text = "0", *word;
    long index;
    int count = 0, exit = FL_EXIT_OK;
    const char **paths = calloc((size_t)args->argc, sizeof *paths); /* NULL: the common programs */
    if (!paths) return fl_report(fl_error(FL_OOM, "out of host memory"));
    while (!exit && args->at < args->argc) {
        if (fl_take_value(args, "--device", &text)) continue;
        if (fl_take_flag(args, "--common"))
            paths[count++] = NULL;
        else if ((word = fl_take_operand(args)))
            paths[count++] = word;
        else
            exit = fl_unknown_option(args);
    }
    if (!exit && (!text || !fl_parse_number(text, 0, &index) || index > 4096))
        exit = fl_usage_error("cache: expected a number after --device");
    if (!exit && !count) exit = fl_usage_error("cache: expected a file; see fl help cache");
    if (!exit) exit = open_device(index, &w.device);
    for (int i = 0; !exit && i < count; i++) exit = do_file(&w, paths[i]);
    w.compiles = !exit;
    for (int i = 0; w.compiles && i < count; i++) {
        int result = do_file(&w, paths[i]);
        if (result) exit = result;
    }
    if (w.compiles) {
        uint64_t compiled, ns;
        fl_pjrt_cache_count(&compiled, &ns);
        printf("%llu programs: %llu compiled in %.1f s, %llu refused, the others were there\n",
               (unsigned long long)w.programs, (unsigned long long)(compiled - w.refused), (double)ns / 1e9,
               (unsigned long long)w.refused);
    }
    free(paths);
    return exit;
}
