/* What the commands of fl share. */
#ifndef FL_TOOLS_FL_H
#define FL_TOOLS_FL_H

#include "base/status.h"
#include "base/text.h"

#include <stdint.h>

/* Exit statuses; `fl help` tells them. */
enum {
    FL_EXIT_OK = 0,
    FL_EXIT_FAILED = 1, /* the program is invalid, a check does not hold, two programs differ */
    FL_EXIT_USAGE = 2,  /* the command line is wrong, or the arguments do not fit the program */
    FL_EXIT_FILE = 3,   /* a file cannot be read or written */
    FL_EXIT_CANNOT = 4  /* the program is valid, but this device cannot run it, or memory is short */
};

/* Prints "fl: <message>" to standard error, frees the status, and returns the exit status that fits it. */
int fl_report(fl_status status);
/* Prints "fl: <message>" and returns FL_EXIT_USAGE. */
int fl_usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- the command line ---- */

typedef struct fl_args {
    int argc, at;
    char **argv;       /* argv[0] is the command */
    int only_operands; /* "--" was seen */
} fl_args;

/* Takes "--name VALUE" or "--name=VALUE" (of a short name "-n VALUE" alone). 0: the next word is another. A value that is
 * missing is NULL. */
int fl_take_value(fl_args *args, const char *name, const char **value);
int fl_take_flag(fl_args *args, const char *name);
/* The next word, if it is no option ("-" alone is none). NULL: it is one, or there is none. */
const char *fl_take_operand(fl_args *args);
/* Takes the next word as the one file of the command, or reports it: FL_EXIT_USAGE. */
int fl_take_file(fl_args *args, const char **path);
/* Reports the word that nobody took. */
int fl_unknown_option(const fl_args *args);
/* A number of at least `least`; 0 when the text is none. */
int fl_parse_number(const char *text, long least, long *out);

/* ---- files ---- */

/* A file of programs: text is split at every line comment "// -----", as StableHLO's tests are; an artifact is one program. */
typedef struct fl_input {
    const char *name;
    fl_text data;
    uint32_t count; /* programs; parts that hold only comments are left out */
    struct fl_part {
        size_t begin, end;
        size_t line;     /* lines before it */
        uint32_t number; /* among all parts, from 1 */
    } *parts;
} fl_input;

/* Reads the file ("-": standard input). On failure reports it and returns the exit status; 0 is success. */
int fl_input_open(fl_input *in, const char *path);
/* The same without a report. */
fl_status fl_input_load(fl_input *in, const char *path);
/* The same of bytes that are copied; `name` must stay. */
fl_status fl_input_copy(fl_input *in, const char *name, const void *data, size_t size);
void fl_input_close(fl_input *in);
/* The bytes of one program, after as many line ends as lines stand before it in the file, so that errors name the right line.
 * The caller frees the text. */
void fl_input_part(const fl_input *in, uint32_t index, fl_text *out);
/* The program in the file's part `number` (0: the file must hold one program alone). */
struct fl_module;
int fl_input_module(const fl_input *in, uint32_t number, struct fl_module **out);
fl_status fl_read_file(const char *path, fl_text *out);
/* "-": standard output. */
fl_status fl_write_file(const char *path, const void *data, size_t bytes);
/* flambeau.h, and flambeau/status.h, in an existing folder. */
fl_status fl_write_headers(const char *folder);

/* ---- commands; argv[0] is the command's name ---- */

int fl_cmd_aot(int argc, char **argv);
int fl_cmd_cache(int argc, char **argv);
int fl_cmd_check(int argc, char **argv);
int fl_cmd_compile(int argc, char **argv);
int fl_cmd_convert(int argc, char **argv);
int fl_cmd_diff(int argc, char **argv);
int fl_cmd_opt(int argc, char **argv);
int fl_cmd_print(int argc, char **argv);
int fl_cmd_run(int argc, char **argv);
int fl_cmd_stats(int argc, char **argv);
int fl_cmd_time(int argc, char **argv);
int fl_cmd_verify(int argc, char **argv);
extern const char fl_help_aot[], fl_help_cache[], fl_help_check[], fl_help_compile[], fl_help_convert[],
    fl_help_diff[], fl_help_opt[], fl_help_print[], fl_help_run[], fl_help_stats[], fl_help_time[],
    fl_help_verify[];

#endif
