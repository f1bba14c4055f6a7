/* Test programs in files: an artifact, or text of modules separated by "// -----", checked by their own
 * check operations. */
#ifndef FL_TESTS_SEGMENTS_H
#define FL_TESTS_SEGMENTS_H

#include "ir/bytecode/bytecode.h"
#include "ir/read.h"
#include "ref/check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The whole file, with a NUL after it, to be freed; NULL: cannot be read. */
static char *read_file(const char *path, size_t *out_size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    if (!file) return NULL;
    if (!fseek(file, 0, SEEK_END)) {
        long size = ftell(file);
        rewind(file);
        data = size >= 0 ? malloc((size_t)size + 1) : NULL;
        if (data && fread(data, 1, (size_t)size, file) == (size_t)size) {
            data[size] = 0;
            *out_size = (size_t)size;
        } else {
            free(data);
            data = NULL;
        }
    }
    fclose(file);
    return data;
}

/* The text up to the next separator, which *text is moved behind; 0: there is none left. */
static int next_segment(const char **text, const char *end, const char **out, size_t *out_size)
{
    static const char separator[] = "// -----";
    if (!*text) return 0;
    size_t left = (size_t)(end - *text);
    const char *stop =
        fl_is_bytecode(*text, left) ? NULL : memmem(*text, left, separator, sizeof separator - 1);
    *out = *text;
    *out_size = (size_t)((stop ? stop : end) - *text);
    *text = stop ? stop + sizeof separator - 1 : NULL;
    return 1;
}

/* Whether there is more than comments. */
static inline int has_program(const char *text, size_t size)
{
    for (const char *end = text + size; text < end; text++) {
        if (*text == '/' && text + 1 < end && text[1] == '/')
            while (text < end && *text != '\n') text++;
        else if (*text != ' ' && *text != '\n' && *text != '\t')
            return 1;
    }
    return 0;
}

/* Reads and runs one module. */
static fl_status run_segment(const char *text, size_t size, fl_check_report *report)
{
    fl_program *program = NULL;
    FL_TRY(fl_program_read(text, size, &program));
    fl_status status = fl_reference_check(program, report);
    fl_program_destroy(program);
    return status;
}

#endif
