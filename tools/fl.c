/* fl: the command line of the engine. A command is a row of the table below. */
#include "fl.h"
#include "flambeau.h"

#include <stdio.h>
#include <string.h>

static int cmd_help(int argc, char **argv);

static int cmd_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("fl %s\n", fl_version());
    return FL_EXIT_OK;
}

static int cmd_devices(int argc, char **argv)
{
    int failed = 0;

    (void)argc, (void)argv;
    for (int i = 0, n = fl_count_devices(); i < n; i++) {
        const char *name = fl_device_name(i);
        if (name)
            printf("tpu:%d  %s  %s  %.1f GiB\n", i, fl_device_kind(i), name,
                   (double)fl_device_capacity(i) / (1u << 30));
        else
            failed = fprintf(stderr, "fl: tpu:%d cannot be opened\n", i);
    }
    return failed ? FL_EXIT_FAILED : FL_EXIT_OK;
}

static const char help_devices[] =
    "usage: fl devices\n\n"
    "Lists the devices: the name for `--device` and PyTorch, kind, what it is, memory.\n"
    "TORCH_TPU_DEVICES=2 makes two of them, TORCH_TPU_MEMORY=4GiB limits each, and\n"
    "TORCH_TPU_DEVICE=PLUGIN takes those of a PJRT plugin (the path of a library, or tpu)\n"
    "instead of the embedded ones.\n";
static const char help_help[] = "usage: fl help [COMMAND]\n\n"
                                "Lists the commands, or tells all about one, with examples.\n";
static const char help_version[] = "usage: fl version\n\n"
                                   "Prints the version of the engine.\n";

static const struct command {
    const char *name, *summary, *help;
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns the exit status */
} commands[] = {
    {"run", "run a program on a device, with .npy files or constants as arguments", fl_help_run, fl_cmd_run},
    {"check", "run programs that check their own results", fl_help_check, fl_cmd_check},
    {"verify", "read programs and check them against the specification", fl_help_verify, fl_cmd_verify},
    {"print", "print a program as MLIR text", fl_help_print, fl_cmd_print},
    {"convert", "write a program as text or as a portable artifact", fl_help_convert, fl_cmd_convert},
    {"diff", "say whether two programs are the same", fl_help_diff, fl_cmd_diff},
    {"opt", "print a program as the embedded device's passes leave it", fl_help_opt, fl_cmd_opt},
    {"stats", "count operations, arithmetic and bytes moved", fl_help_stats, fl_cmd_stats},
    {"time", "measure how long reading, compiling and running take", fl_help_time, fl_cmd_time},
    {"compile", "make a shared library with a plain C function of a program", fl_help_compile,
     fl_cmd_compile},
    {"aot", "compile for a TPU that is not there: memory, cost, or why not", fl_help_aot, fl_cmd_aot},
    {"cache", "list, check, carry and fill the cache of compiled programs", fl_help_cache, fl_cmd_cache},
    {"devices", "list the devices: name, kind, memory", help_devices, cmd_devices},
    {"help", "print this list, or help on one command", help_help, cmd_help},
    {"version", "print the version", help_version, cmd_version},
};

static const struct command *find(const char *name)
{
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(name, commands[i].name)) return &commands[i];
    return NULL;
}

static void usage(FILE *to)
{
    fprintf(to, "usage: fl COMMAND [ARGUMENT...]\n\nStableHLO programs: run, check, convert. Files are MLIR "
                "text or portable\n"
                "artifacts, told apart by themselves; \"-\" is standard input.\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].summary);
    fprintf(to, "\n`fl help COMMAND` tells more, with examples. Exit status: 0 fine; 1 a program is invalid, "
                "a check does not\n"
                "hold, programs differ; 2 wrong command line or arguments; 3 a file cannot be read or "
                "written; 4 the\n"
                "program is valid, but the device cannot run it, or memory is short.\n");
}

static int cmd_help(int argc, char **argv)
{
    const struct command *command = argc > 1 ? find(argv[1]) : NULL;
    if (argc > 1 && !command) return fl_usage_error("help: unknown command \"%s\"; see fl help", argv[1]);
    if (command)
        fputs(command->help, stdout);
    else
        usage(stdout);
    return FL_EXIT_OK;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (!strncmp(name, "--", 2)) /* --help and --version are the commands of those names */
        name += 2;
    else if (!strcmp(name, "-h"))
        name = "help";
    const struct command *command = find(name);
    if (!command) {
        if (*name) fprintf(stderr, "fl: unknown command \"%s\"\n", argv[1]);
        usage(stderr);
        return FL_EXIT_USAGE;
    }
    for (int i = 2; i < argc && strcmp(argv[i], "--"); i++)
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(command->help, stdout);
            return FL_EXIT_OK;
        }
    return command->run(argc - 1, argv + 1);
}
