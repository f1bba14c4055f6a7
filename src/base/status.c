#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fl_status_record {
    fl_code code;
    char message[32]; /* allocated longer as needed */
};

/* Returned when not even the error can be allocated; never freed. */
static struct fl_status_record no_memory = {FL_OOM, "out of host memory"};

fl_status fl_error(fl_code code, const char *format, ...)
{
    va_list args, copy;
    va_start(args, format);
    va_copy(copy, args);
    int length = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (length < 0) length = 0;
    fl_status s = malloc(sizeof *s + (size_t)length + 1);
    if (s) {
        s->code = code;
        vsnprintf(s->message, (size_t)length + 1, format, args);
    }
    va_end(args);
    return s ? s : &no_memory;
}

fl_status fl_status_prefix(fl_status status, const char *format, ...)
{
    if (!status || status == &no_memory) return status;
    char prefix[256];
    va_list args;
    va_start(args, format);
    vsnprintf(prefix, sizeof prefix, format, args);
    va_end(args);
    fl_status s = fl_error(status->code, "%s: %s", prefix, status->message);
    fl_status_free(status);
    return s;
}

fl_code fl_status_code(fl_status status)
{
    return status ? status->code : FL_OK;
}

const char *fl_status_message(fl_status status)
{
    return status ? status->message : "";
}

void fl_status_free(fl_status status)
{
    if (status != &no_memory) free(status);
}
