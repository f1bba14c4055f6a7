#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int reserve(fl_text *text, size_t more)
{
    if (text->failed || more > SIZE_MAX / 4 || text->length > SIZE_MAX / 4) return 0;
    size_t need = text->length + more + 1;
    if (need <= text->capacity) return 1;
    size_t capacity = text->capacity ? text->capacity * 2 : 64;
    if (capacity < need) capacity = need;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = 1;
        return 0;
    }
    text->data = data;
    text->capacity = capacity;
    return 1;
}

void fl_text_append(fl_text *text, const char *bytes, size_t n)
{
    if (!reserve(text, n)) return;
    memcpy(text->data + text->length, bytes, n);
    text->length += n;
    text->data[text->length] = 0;
}

void fl_text_printf(fl_text *text, const char *format, ...)
{
    va_list args, copy;
    va_start(args, format);
    va_copy(copy, args);
    int n = vsnprintf(NULL, 0, format, copy);
    va_end(copy);
    if (n >= 0 && reserve(text, (size_t)n)) {
        vsnprintf(text->data + text->length, (size_t)n + 1, format, args);
        text->length += (size_t)n;
    }
    va_end(args);
}

void fl_text_json_string(fl_text *text, const char *bytes, size_t n)
{
    fl_text_append(text, "\"", 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c == '"' || c == '\\')
            fl_text_printf(text, "\\%c", c);
        else if (c < ' ' || c > '~')
            fl_text_printf(text, "\\u%04x", c);
        else
            fl_text_append(text, &bytes[i], 1);
    }
    fl_text_append(text, "\"", 1);
}

void fl_text_free(fl_text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

const char *fl_size_text(uint64_t bytes, char *out, size_t room)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    int unit = 0;
    for (; value >= 1024 && unit < 4; unit++) value /= 1024;
    snprintf(out, room, unit ? "%.2f %s" : "%.0f %s", value, units[unit]);
    return out;
}
