/* A growing string. A zeroed fl_text is empty. After an allocation failure `failed` is set and appends do nothing. */
#ifndef FL_BASE_TEXT_H
#define FL_BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct fl_text {
    char *data; /* NUL-terminated once anything was appended */
    size_t length, capacity;
    int failed;
} fl_text;

void fl_text_append(fl_text *text, const char *bytes, size_t n);
void fl_text_printf(fl_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A string of JSON with its quotes; control characters and bytes that are no ASCII become escapes of their codes. */
void fl_text_json_string(fl_text *text, const char *bytes, size_t n);
void fl_text_free(fl_text *text);

/* "12.50 MiB", written to `out` and returned; 16 bytes are room enough below 2^53. */
const char *fl_size_text(uint64_t bytes, char *out, size_t room);

#endif
