/* Words of the command line, and files. */
#define _GNU_SOURCE /* memmem */
#include "fl.h"
#include "flambeau.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int fl_report(fl_status status)
{
    int exit = FL_EXIT_FAILED;
    switch (fl_status_code(status)) {
    case FL_OK: return FL_EXIT_OK;
    case FL_OOM:
    case FL_UNSUPPORTED:
    case FL_INTERNAL: exit = FL_EXIT_CANNOT; break;
    default: break;
    }
    fprintf(stderr, "fl: %s\n", fl_status_message(status));
    fl_status_free(status);
    return exit;
}

int fl_usage_error(const char *format, ...)
{
    va_list args;
    fprintf(stderr, "fl: ");
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n");
    return FL_EXIT_USAGE;
}

/* ---- the command line ---- */

static const char *next_word(const fl_args *args)
{
    return args->at < args->argc ? args->argv[args->at] : NULL;
}

int fl_take_flag(fl_args *args, const char *name)
{
    const char *word = next_word(args);
    if (args->only_operands || !word || strcmp(word, name)) return 0;
    args->at++;
    return 1;
}

int fl_take_value(fl_args *args, const char *name, const char **value)
{
    const char *word = next_word(args);
    size_t n = strlen(name);
    if (args->only_operands || !word || strncmp(word, name, n)) return 0;
    if (name[1] == '-' && word[n] == '=') {
        args->at++;
        *value = word + n + 1;
        return 1;
    }
    if (word[n]) return 0;
    args->at++;
    *value = next_word(args);
    if (*value) args->at++;
    return 1;
}

const char *fl_take_operand(fl_args *args)
{
    const char *word = next_word(args);
    if (word && !args->only_operands && !strcmp(word, "--")) {
        args->only_operands = 1;
        args->at++;
        word = next_word(args);
    }
    if (!word || (!args->only_operands && word[0] == '-' && word[1])) return NULL;
    args->at++;
    return word;
}

int fl_unknown_option(const fl_args *args)
{
    return fl_usage_error("%s: unknown option %s; see fl help %s", args->argv[0], next_word(args),
                          args->argv[0]);
}

int fl_take_file(fl_args *args, const char **path)
{
    const char *word = fl_take_operand(args);
    if (!word) return fl_unknown_option(args);
    if (*path) return fl_usage_error("%s: expected one file, got \"%s\" too", args->argv[0], word);
    *path = word;
    return FL_EXIT_OK;
}

int fl_parse_number(const char *text, long least, long *out)
{
    char *end;
    errno = 0;
    if (!text) return 0;
    *out = strtol(text, &end, 10);
    return end != text && !*end && !errno && *out >= least;
}

/* ---- files ---- */

fl_status fl_read_file(const char *path, fl_text *out)
{
    char buffer[1 << 16];
    int standard = !strcmp(path, "-");
    fl_text_append(out, "", 0); /* an empty file is an empty string */
    FILE *f = standard ? stdin : fopen(path, "rb");
    FL_CHECK(f, FL_INVALID, "%s: %s", path, strerror(errno));
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) fl_text_append(out, buffer, n);
    fl_status status = NULL;
    if (ferror(f)) status = fl_error(FL_INVALID, "%s: %s", path, strerror(errno));
    if (!status && out->failed) status = fl_error(FL_OOM, "%s: out of host memory", path);
    if (!standard) fclose(f);
    return status;
}

fl_status fl_write_file(const char *path, const void *data, size_t bytes)
{
    int standard = !strcmp(path, "-");
    FILE *f = standard ? stdout : fopen(path, "wb");
    FL_CHECK(f, FL_INVALID, "%s: %s", path, strerror(errno));
    int failed = bytes && fwrite(data, 1, bytes, f) != bytes;
    failed |= standard ? fflush(f) : fclose(f);
    FL_CHECK(!failed, FL_INVALID, "%s: %s", path, strerror(errno));
    return NULL;
}

/* 1 when nothing but blanks and comments stands there. */
static int is_blank(const char *at, const char *end)
{
    while (at < end) {
        if (isspace((unsigned char)*at)) {
            at++;
        } else if (end - at >= 2 && at[0] == '/' && at[1] == '/') {
            const char *line = memchr(at, '\n', (size_t)(end - at));
            at = line ? line : end;
        } else {
            return 0;
        }
    }
    return 1;
}

static fl_status add_part(fl_input *in, size_t begin, size_t end, size_t line, uint32_t number)
{
    struct fl_part *parts = realloc(in->parts, (in->count + 1u) * sizeof *parts);
    FL_CHECK(parts, FL_OOM, "out of host memory");
    in->parts = parts;
    parts[in->count++] = (struct fl_part){begin, end, line, number};
    return NULL;
}

static fl_status split(fl_input *in)
{
    static const char mark[] = "// -----";
    const char *data = in->data.data, *end = data + in->data.length, *begin = data, *at;
    size_t line = 0;
    uint32_t number = 1;
    int is_artifact = in->data.length >= 4 && !memcmp(data, "ML\xefR", 4);
    for (; begin; number++) {
        at = is_artifact ? NULL : memmem(begin, (size_t)(end - begin), mark, sizeof mark - 1);
        const char *stop = at ? at : end;
        if (!is_blank(begin, stop))
            FL_TRY(add_part(in, (size_t)(begin - data), (size_t)(stop - data), line, number));
        for (const char *c = begin; at && c < stop; c++) line += *c == '\n';
        begin = at ? at + sizeof mark - 1 : NULL;
    }
    return in->count ? NULL
                     : add_part(in, 0, in->data.length, 0, 1); /* so that reading it says what is wrong */
}

fl_status fl_input_load(fl_input *in, const char *path)
{
    memset(in, 0, sizeof *in);
    in->name = strcmp(path, "-") ? path : "standard input";
    fl_status status = fl_read_file(path, &in->data);
    return status ? status : split(in);
}

fl_status fl_input_copy(fl_input *in, const char *name, const void *data, size_t size)
{
    memset(in, 0, sizeof *in);
    in->name = name;
    fl_text_append(&in->data, data, size);
    FL_CHECK(!in->data.failed, FL_OOM, "out of host memory");
    return split(in);
}

int fl_input_open(fl_input *in, const char *path)
{
    fl_status status = fl_input_load(in, path);
    if (!status) return FL_EXIT_OK;
    fl_report(status);
    fl_input_close(in);
    return FL_EXIT_FILE;
}

void fl_input_close(fl_input *in)
{
    free(in->parts);
    fl_text_free(&in->data);
}

void fl_input_part(const fl_input *in, uint32_t index, fl_text *out)
{
    const struct fl_part *part = &in->parts[index];
    for (size_t i = 0; i < part->line; i++) fl_text_append(out, "\n", 1);
    if (in->data.data) fl_text_append(out, in->data.data + part->begin, part->end - part->begin);
}

int fl_input_module(const fl_input *in, uint32_t number, fl_module **out)
{
    uint32_t index = 0;
    *out = NULL;
    while (number && index < in->count && in->parts[index].number != number) index++;
    if (!number && in->count > 1)
        return fl_usage_error(
            "%s: holds %u programs (parts between lines \"// -----\"); choose one with --part 1 to %u",
            in->name, in->count, in->parts[in->count - 1].number);
    if (index >= in->count) return fl_usage_error("%s: there is no program in part %u", in->name, number);
    fl_text text = {0};
    fl_input_part(in, index, &text);
    fl_status status = text.failed ? fl_error(FL_OOM, "out of host memory")
                                   : fl_module_read(text.data ? text.data : "", text.length, out);
    fl_text_free(&text);
    int no_memory = fl_status_code(status) == FL_OOM;
    int exit = fl_report(fl_status_prefix(status, "%s", in->name));
    return exit && !no_memory ? FL_EXIT_FAILED : exit; /* what we cannot read is invalid to us */
}
