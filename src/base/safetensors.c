#include "base/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_HEAD = 100 << 20, DEEPEST = 8 };

typedef struct reader {
    const char *at, *end;
    const char *bytes; /* behind the head */
    size_t size;       /* of those */
    fl_safetensors *out;
    uint32_t capacity;
} reader;

static const struct {
    const char *name;
    fl_dtype dtype;
} dtypes[] = {
    {"BOOL", FL_I1},           {"U8", FL_U8},   {"I8", FL_I8},          {"U16", FL_U16},
    {"I16", FL_I16},           {"U32", FL_U32}, {"I32", FL_I32},        {"U64", FL_U64},
    {"I64", FL_I64},           {"F16", FL_F16}, {"BF16", FL_BF16},      {"F32", FL_F32},
    {"F64", FL_F64},           {"C64", FL_C64}, {"F8_E5M2", FL_F8E5M2}, {"F8_E4M3", FL_F8E4M3FN},
    {"F8_E8M0", FL_F8E8M0FNU},
};

static fl_status wrong(const char *what)
{
    return fl_error(FL_INVALID, "not a safetensors file: %s", what);
}

/* ---- JSON, as far as heads have it ---- */

static int skip_space(reader *r)
{
    while (r->at < r->end && (*r->at == ' ' || *r->at == '\n' || *r->at == '\r' || *r->at == '\t')) r->at++;
    return r->at < r->end ? *r->at : 0;
}

static int take(reader *r, char c)
{
    if (skip_space(r) != c) return 0;
    r->at++;
    return 1;
}

static int hex4(const char *at, uint32_t *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        const char *digits = "0123456789abcdef", *found = strchr(digits, at[i] | 0x20);
        if (!found || !at[i]) return 0;
        *out = *out << 4 | (uint32_t)(found - digits);
    }
    return 1;
}

/* An escape behind its backslash, as UTF-8; the number of bytes written, 0: it is none. */
static size_t take_escape(reader *r, char *to)
{
    static const char from[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
    uint32_t code;
    if (r->at >= r->end) return 0;
    const char *simple = *r->at ? strchr(from, *r->at) : NULL;
    if (simple) {
        r->at++;
        *to = meant[simple - from];
        return 1;
    }
    if (*r->at != 'u' || r->end - r->at < 5 || !hex4(r->at + 1, &code)) return 0;
    r->at += 5;
    if (code < 0x80) {
        *to = (char)code;
        return code != 0;
    }
    if (code < 0x800) {
        to[0] = (char)(0xC0 | code >> 6), to[1] = (char)(0x80 | (code & 63));
        return 2;
    }
    to[0] = (char)(0xE0 | code >> 12), to[1] = (char)(0x80 | (code >> 6 & 63)),
    to[2] = (char)(0x80 | (code & 63));
    return 3;
}

/* A string, which the caller frees; NULL: there is none. No escape is shorter than what it stands for. */
static char *take_string(reader *r)
{
    if (!take(r, '"')) return NULL;
    const char *end = r->at;
    for (; end < r->end && *end != '"'; end++)
        if (*end == '\\' && ++end == r->end) return NULL;
    if (end == r->end) return NULL;
    char *text = malloc((size_t)(end - r->at) + 1);
    size_t n = 0, added = 1;
    for (; text && added && r->at < end; n += added) {
        if (*r->at == '\\') {
            r->at++;
            added = take_escape(r, text + n);
        } else {
            text[n] = *r->at++;
            added = text[n] != 0;
        }
    }
    if (!text || !added) {
        free(text);
        return NULL;
    }
    r->at = end + 1;
    text[n] = 0;
    return text;
}

static int take_number(reader *r, int64_t *out)
{
    int64_t value = 0;
    int c = skip_space(r), digits = 0;
    for (; c >= '0' && c <= '9'; c = r->at < r->end ? *r->at : 0, digits++) {
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, c - '0', &value))
            return 0;
        r->at++;
    }
    *out = value;
    return digits > 0;
}

static int take_numbers(reader *r, int64_t *out, uint32_t most, uint32_t *count)
{
    *count = 0;
    if (!take(r, '[')) return 0;
    if (take(r, ']')) return 1;
    do {
        if (*count == most || !take_number(r, &out[*count])) return 0;
        ++*count;
    } while (take(r, ','));
    return take(r, ']');
}

/* Any value, whose meaning does not matter. */
static int skip_value(reader *r, int depth)
{
    int c = skip_space(r);
    if (c == '"') {
        char *text = take_string(r);
        free(text);
        return text != NULL;
    }
    if (c == '{' || c == '[') {
        char close = c == '{' ? '}' : ']';
        r->at++;
        if (take(r, close)) return 1;
        do {
            if (depth == DEEPEST || (c == '{' && (!skip_value(r, depth + 1) || !take(r, ':')))) return 0;
            if (!skip_value(r, depth + 1)) return 0;
        } while (take(r, ','));
        return take(r, close);
    }
    const char *begin = r->at;
    while (r->at < r->end && strchr("+-.0123456789abcdefghijklmnopqrstuvwxyzE", *r->at) && *r->at) r->at++;
    return r->at > begin;
}

/* ---- the head ---- */

static fl_dtype dtype_named(const char *name)
{
    for (size_t i = 0; name && i < sizeof dtypes / sizeof *dtypes; i++)
        if (!strcmp(dtypes[i].name, name)) return dtypes[i].dtype;
    return FL_DTYPE_NONE;
}

static fl_status check_place(reader *r, fl_stored *item, const int64_t *offsets)
{
    size_t bytes = fl_dtype_bytes(item->dtype);
    for (uint32_t d = 0; d < item->rank; d++)
        FL_CHECK(!__builtin_mul_overflow(bytes, (size_t)item->dims[d], &bytes), FL_INVALID,
                 "%s: its sizes overflow", item->name);
    FL_CHECK(offsets[0] <= offsets[1] && (uint64_t)offsets[1] <= r->size &&
                 (uint64_t)(offsets[1] - offsets[0]) == bytes,
             FL_INVALID, "%s: expected %zu bytes within the file, got those from %lld to %lld", item->name,
             bytes, (long long)offsets[0], (long long)offsets[1]);
    item->bytes = bytes;
    item->data = r->bytes + offsets[0];
    return NULL;
}

static fl_status read_item(reader *r, fl_stored *item)
{
    int64_t offsets[2];
    uint32_t offset_count = 0;
    int has_shape = 0;
    if (!take(r, '{')) return wrong("expected an object for each tensor");
    do {
        char *key = take_string(r), *dtype = NULL;
        int fine = key && take(r, ':');
        if (fine && !strcmp(key, "dtype")) {
            fine = (dtype = take_string(r)) != NULL;
            item->dtype = dtype_named(dtype);
        } else if (fine && !strcmp(key, "shape")) {
            fine = has_shape = take_numbers(r, item->dims, FL_STORED_RANK, &item->rank);
        } else if (fine && !strcmp(key, "data_offsets")) {
            fine = take_numbers(r, offsets, 2, &offset_count);
        } else {
            fine = fine && skip_value(r, 0);
        }
        free(key);
        free(dtype);
        if (!fine) return wrong("its head is no JSON of the form expected");
    } while (take(r, ','));
    if (!take(r, '}') || !has_shape || offset_count != 2)
        return wrong("a tensor without shape or data_offsets");
    FL_CHECK(item->dtype != FL_DTYPE_NONE, FL_INVALID, "%s: a dtype that is not known", item->name);
    return check_place(r, item, offsets);
}

static fl_status add_item(reader *r, char *name)
{
    fl_safetensors *out = r->out;
    if (out->count == r->capacity) {
        r->capacity = 2 * r->capacity + 16;
        fl_stored *items = realloc(out->items, r->capacity * sizeof *items);
        if (!items) {
            free(name);
            return fl_error(FL_OOM, "out of host memory");
        }
        out->items = items;
    }
    fl_stored *item = &out->items[out->count++];
    *item = (fl_stored){.name = name};
    return read_item(r, item);
}

static fl_status read_head(reader *r)
{
    if (!take(r, '{')) return wrong("its head is no JSON object");
    if (take(r, '}')) return NULL;
    do {
        char *name = take_string(r);
        if (!name || !take(r, ':')) {
            free(name);
            return wrong("its head is no JSON of the form expected");
        }
        if (strcmp(name, "__metadata__") != 0) {
            FL_TRY(add_item(r, name));
        } else {
            free(name);
            if (!skip_value(r, 0)) return wrong("its metadata is no JSON");
        }
    } while (take(r, ','));
    return take(r, '}') ? NULL : wrong("its head does not end");
}

fl_status fl_safetensors_read(const void *data, size_t size, fl_safetensors *out)
{
    uint64_t head = 0;
    *out = (fl_safetensors){0};
    for (int i = 7; size >= 8 && i >= 0; i--) head = head << 8 | ((const unsigned char *)data)[i];
    if (size < 8 || head > size - 8 || head > MOST_HEAD) return wrong("its head is longer than the file");
    const char *at = (const char *)data + 8;
    reader r = {.at = at, .end = at + head, .bytes = at + head, .size = size - 8 - head, .out = out};
    fl_status status = read_head(&r);
    if (status) fl_safetensors_close(out);
    return status;
}

fl_status fl_safetensors_open(const char *path, fl_safetensors *out)
{
    struct stat info;
    *out = (fl_safetensors){0};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    FL_CHECK(file >= 0, FL_INVALID, "%s: %s", path, strerror(errno));
    void *data = fstat(file, &info) || info.st_size < 8
                     ? MAP_FAILED
                     : mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (data == MAP_FAILED)
        return fl_status_prefix(wrong("it is too short, or cannot be mapped"), "%s", path);
    fl_status status = fl_safetensors_read(data, (size_t)info.st_size, out);
    if (status) {
        munmap(data, (size_t)info.st_size);
        return fl_status_prefix(status, "%s", path);
    }
    out->mapped = data;
    out->size = (size_t)info.st_size;
    return NULL;
}

const fl_stored *fl_safetensors_find(const fl_safetensors *file, const char *name)
{
    for (uint32_t i = 0; i < file->count; i++)
        if (!strcmp(file->items[i].name, name)) return &file->items[i];
    return NULL;
}

void fl_safetensors_close(fl_safetensors *file)
{
    for (uint32_t i = 0; i < file->count; i++) free(file->items[i].name);
    free(file->items);
    if (file->mapped) munmap(file->mapped, file->size);
    *file = (fl_safetensors){0};
}
