/* fl: the command line of the engine. A subcommand is a row of the table below. */
#include "flambeau.h"

#include <stdio.h>
#include <string.h>

static int cmd_help(int argc, char **argv);

static int cmd_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    printf("fl %s\n", fl_version());
    return 0;
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
    return failed != 0;
}

static const struct command {
    const char *name, *help;
    int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name; returns the exit status */
} commands[] = {
    {"devices", "list the devices: name, kind, memory", cmd_devices},
    {"help", "print this list", cmd_help},
    {"version", "print the version", cmd_version},
};

static void usage(FILE *to)
{
    fprintf(to, "usage: fl COMMAND [ARGUMENT...]\n\n");
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        fprintf(to, "  %-10s %s\n", commands[i].name, commands[i].help);
}

static int cmd_help(int argc, char **argv)
{
    (void)argc, (void)argv;
    usage(stdout);
    return 0;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (!strncmp(name, "--", 2)) /* --help and --version are the commands of those names */
        name += 2;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (!strcmp(name, commands[i].name)) return commands[i].run(argc - 1, argv + 1);
    if (*name) fprintf(stderr, "fl: unknown command \"%s\"\n", argv[1]);
    usage(stderr);
    return 2;
}
