#include "npy.h"

#include "base/checked.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How each element type is called. `descr` is what we write (without the byte order); `other` are names of ml_dtypes and
 * whatever else it writes, separated by blanks. Raw bytes ("V") of the right width are accepted where there is such a name. */
static const struct type_names {
    fl_dtype dtype;
    const char *descr, *other;
} type_names[] = {
    {FL_I1, "b1", ""},
    {FL_I2, "i1", "int2"},
    {FL_I4, "i1", "int4"},
    {FL_I8, "i1", ""},
    {FL_I16, "i2", ""},
    {FL_I32, "i4", ""},
    {FL_I64, "i8", ""},
    {FL_IDX, "i8", ""},
    {FL_U2, "u1", "uint2"},
    {FL_U4, "u1", "uint4"},
    {FL_U8, "u1", ""},
    {FL_U16, "u2", ""},
    {FL_U32, "u4", ""},
    {FL_U64, "u8", ""},
    {FL_F4E2M1FN, "V1", "float4_e2m1fn"},
    {FL_F6E2M3FN, "V1", "float6_e2m3fn"},
    {FL_F6E3M2FN, "V1", "float6_e3m2fn"},
    {FL_F8E3M4, "V1", "float8_e3m4"},
    {FL_F8E4M3, "V1", "float8_e4m3"},
    {FL_F8E4M3FN, "V1", "float8_e4m3fn"},
    {FL_F8E4M3FNUZ, "V1", "float8_e4m3fnuz"},
    {FL_F8E4M3B11FNUZ, "V1", "float8_e4m3b11fnuz"},
    {FL_F8E5M2, "V1", "float8_e5m2 f1"},
    {FL_F8E5M2FNUZ, "V1", "float8_e5m2fnuz"},
    {FL_F8E8M0FNU, "V1", "float8_e8m0fnu"},
    {FL_BF16, "V2", "bfloat16"},
    {FL_F16, "f2", ""},
    {FL_TF32, "f4", ""},
    {FL_F32, "f4", ""},
    {FL_F64, "f8", ""},
    {FL_C64, "c8", ""},
    {FL_C128, "c16", ""},
};

static const struct type_names *names_of(fl_dtype dtype)
{
    for (size_t i = 0; i < sizeof type_names / sizeof *type_names; i++)
        if (type_names[i].dtype == dtype) return &type_names[i];
    return NULL;
}

/* ---- the header: a Python dictionary ---- */

typedef struct cursor {
    const char *at, *end;
} cursor;

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && isspace((unsigned char)*c->at)) c->at++;
}

static int take(cursor *c, char wanted)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at != wanted) return 0;
    c->at++;
    return 1;
}

static int take_word(cursor *c, const char *word)
{
    size_t n = strlen(word);
    skip_blanks(c);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return 0;
    c->at += n;
    return 1;
}

static fl_status take_string(cursor *c, char *out, size_t capacity)
{
    skip_blanks(c);
    char quote = c->at < c->end ? *c->at : 0;
    FL_CHECK(quote != '[', FL_UNSUPPORTED, "npy: arrays of records are not read");
    FL_CHECK(quote == '\'' || quote == '"', FL_INVALID, "npy: expected a string in the header");
    const char *begin = ++c->at;
    while (c->at < c->end && *c->at != quote) c->at++;
    size_t n = (size_t)(c->at - begin);
    FL_CHECK(c->at < c->end && n < capacity, FL_INVALID,
             "npy: expected a string of less than %zu characters in the header", capacity);
    memcpy(out, begin, n);
    out[n] = 0;
    c->at++;
    return NULL;
}

static fl_status take_size(cursor *c, int64_t *out)
{
    uint64_t n = 0;
    const char *begin;
    skip_blanks(c);
    for (begin = c->at; c->at < c->end && isdigit((unsigned char)*c->at); c->at++) {
        n = n * 10 + (uint64_t)(*c->at - '0');
        FL_CHECK(n <= (uint64_t)1 << 59, FL_INVALID, "npy: a dimension is too large");
    }
    FL_CHECK(c->at > begin, FL_INVALID, "npy: expected a dimension in the shape");
    if (c->at < c->end && *c->at == 'L') c->at++; /* Python 2 */
    *out = (int64_t)n;
    return NULL;
}

static fl_status take_shape(cursor *c, fl_npy *out)
{
    FL_CHECK(take(c, '('), FL_INVALID, "npy: expected a tuple as shape");
    while (!take(c, ')')) {
        FL_CHECK(out->rank < FL_MAX_RANK, FL_UNSUPPORTED, "npy: expected at most %d dimensions", FL_MAX_RANK);
        FL_TRY(take_size(c, &out->dims[out->rank++]));
        if (take(c, ',')) continue;
        FL_CHECK(take(c, ')'), FL_INVALID, "npy: expected ) after the shape");
        break;
    }
    return NULL;
}

static fl_status parse_dictionary(cursor *c, fl_npy *out)
{
    int seen = 0;
    FL_CHECK(take(c, '{'), FL_INVALID, "npy: expected a dictionary as header");
    while (!take(c, '}')) {
        char key[32];
        FL_TRY(take_string(c, key, sizeof key));
        FL_CHECK(take(c, ':'), FL_INVALID, "npy: expected : after '%s'", key);
        if (!strcmp(key, "descr")) {
            FL_TRY(take_string(c, out->descr, sizeof out->descr));
            seen |= 1;
        } else if (!strcmp(key, "fortran_order")) {
            out->fortran = take_word(c, "True");
            FL_CHECK(out->fortran || take_word(c, "False"), FL_INVALID,
                     "npy: expected True or False as fortran_order");
            seen |= 2;
        } else {
            FL_CHECK(!strcmp(key, "shape") && !(seen & 4), FL_INVALID,
                     "npy: expected descr, fortran_order and shape, got '%s'", key);
            FL_TRY(take_shape(c, out));
            seen |= 4;
        }
        take(c, ',');
    }
    FL_CHECK(seen == 7, FL_INVALID, "npy: the header lacks descr, fortran_order or shape");
    return NULL;
}

fl_status fl_npy_parse(const void *file, size_t bytes, fl_npy *out)
{
    const uint8_t *f = file;
    memset(out, 0, sizeof *out);
    FL_CHECK(bytes >= 10 && !memcmp(f, "\x93NUMPY", 6), FL_INVALID,
             "npy: the file does not begin as .npy files do");
    FL_CHECK(f[6] >= 1 && f[6] <= 3, FL_UNSUPPORTED, "npy: expected format version 1 to 3, got %d", f[6]);
    size_t start = f[6] == 1 ? 10 : 12;
    FL_CHECK(bytes >= start, FL_INVALID, "npy: the file ends within its header");
    size_t length = f[8] | (size_t)f[9] << 8;
    if (f[6] > 1) length |= (size_t)f[10] << 16 | (size_t)f[11] << 24;
    FL_CHECK(length <= bytes - start, FL_INVALID, "npy: the file ends within its header");
    cursor c = {(const char *)f + start, (const char *)f + start + length};
    FL_TRY(parse_dictionary(&c, out));
    out->elements = 1;
    size_t nonempty = 1; /* no dimension of 0 hides an overflow of the others */
    for (uint32_t i = 0; i < out->rank; i++) {
        size_t dim = (size_t)out->dims[i];
        FL_CHECK(fl_mul_size(nonempty, dim ? dim : 1, &nonempty) && nonempty <= SIZE_MAX / 32, FL_INVALID,
                 "npy: the number of elements overflows");
        out->elements *= dim;
    }
    out->data = f + start + length;
    out->bytes = bytes - start - length;
    return NULL;
}

/* ---- elements ---- */

static int is_one_of(const char *word, const char *list)
{
    size_t n = strlen(word);
    for (const char *at = list; n && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' ')) return 1;
    return 0;
}

/* 1 when the file's type is `dtype`; *out_swap: its bytes are in the other order. */
static int is_of_type(const fl_npy *npy, const struct type_names *names, int *out_swap)
{
    const uint16_t one = 1;
    int little = *(const uint8_t *)&one;
    char order = npy->descr[0], raw[8];
    int has_order = order == '<' || order == '>' || order == '|' || order == '=';
    const char *name = npy->descr + has_order;
    *out_swap = (order == '<' && !little) || (order == '>' && little);
    snprintf(raw, sizeof raw, "V%zu", fl_dtype_bytes(names->dtype));
    if (!strcmp(name, names->descr) || is_one_of(name, names->other)) return 1;
    return *names->other && !strcmp(name, raw);
}

static void swap_bytes(uint8_t *data, size_t count, size_t width)
{
    for (size_t i = 0; i < count; i++, data += width)
        for (size_t k = 0; k < width / 2; k++) {
            uint8_t byte = data[k];
            data[k] = data[width - 1 - k];
            data[width - 1 - k] = byte;
        }
}

/* Copies elements whose first index varies fastest to the order in which the last does. */
static void to_row_major(const fl_npy *npy, size_t width, uint8_t *out)
{
    size_t strides[FL_MAX_RANK], stride = width;
    int64_t index[FL_MAX_RANK] = {0};
    for (uint32_t d = 0; d < npy->rank; d++) {
        strides[d] = stride;
        stride *= (size_t)npy->dims[d];
    }
    const uint8_t *from = npy->data;
    for (size_t i = 0; i < npy->elements; i++, out += width) {
        memcpy(out, from, width);
        for (uint32_t d = npy->rank; d-- > 0;) {
            from += strides[d];
            if (++index[d] < npy->dims[d]) break;
            from -= strides[d] * (size_t)npy->dims[d];
            index[d] = 0;
        }
    }
}

/* i1 is 0 or 1; what is narrower than a byte must fit, and raw bytes are extended. */
static fl_status normalize(const fl_npy *npy, fl_dtype dtype, uint8_t *data)
{
    int bits = fl_dtypes[dtype].bits, raw = strchr(npy->descr, 'V') != NULL;
    if (bits >= 8) return NULL;
    for (size_t i = 0; i < npy->elements; i++) {
        uint8_t low = (uint8_t)(data[i] & ((1u << bits) - 1)), extended = low;
        if (fl_dtype_kind(dtype) == FL_KIND_INT && low >> (bits - 1))
            extended = (uint8_t)(low | 0xffu << bits);
        if (bits == 1) extended = data[i] != 0;
        FL_CHECK(bits == 1 || raw || data[i] == extended || !fl_is_int(dtype), FL_VALUE,
                 "npy: element %zu is no %s", i, fl_dtype_name(dtype));
        data[i] = extended;
    }
    return NULL;
}

fl_status fl_npy_elements(const fl_npy *npy, fl_dtype dtype, void **out, size_t *out_bytes)
{
    int swap;
    const struct type_names *names = names_of(dtype);
    *out = NULL;
    FL_CHECK(names && is_of_type(npy, names, &swap), FL_TYPE,
             "npy: expected elements of type %s (numpy's %s), got %s", fl_dtype_name(dtype),
             names ? names->descr : "none", npy->descr);
    size_t width = fl_dtype_bytes(dtype), bytes = width * npy->elements;
    FL_CHECK(bytes == npy->bytes, FL_INVALID, "npy: expected %zu bytes of elements, got %zu", bytes,
             npy->bytes);
    uint8_t *data = malloc(bytes ? bytes : 1);
    FL_CHECK(data, FL_OOM, "no memory for %zu bytes", bytes);
    if (npy->fortran)
        to_row_major(npy, width, data);
    else if (bytes)
        memcpy(data, npy->data, bytes);
    size_t part = fl_is_complex(dtype) ? width / 2 : width;
    if (swap) swap_bytes(data, bytes / part, part);
    fl_status status = normalize(npy, dtype, data);
    if (status) {
        free(data);
        return status;
    }
    *out = data;
    *out_bytes = bytes;
    return NULL;
}

/* ---- writing ---- */

fl_status fl_npy_write(fl_dtype dtype, uint32_t rank, const int64_t *dims, const void *data, fl_text *out)
{
    const struct type_names *names = names_of(dtype);
    const uint16_t one = 1;
    fl_text header = {0};
    FL_CHECK(names, FL_UNSUPPORTED, "npy: no such element type");
    size_t bytes = fl_dtype_bytes(dtype);
    char order = bytes == 1 ? '|' : *(const uint8_t *)&one ? '<' : '>';
    fl_text_printf(&header, "{'descr': '%c%s', 'fortran_order': False, 'shape': (", order, names->descr);
    for (uint32_t i = 0; i < rank; i++) {
        fl_text_printf(&header, i + 1 < rank ? "%lld, " : rank == 1 ? "%lld," : "%lld", (long long)dims[i]);
        bytes *= (size_t)dims[i];
    }
    fl_text_printf(&header, "), }");
    size_t total = (10 + header.length + 1 + 63) / 64 * 64, length = total - 10;
    fl_text_printf(&header, "%*s", (int)(length - header.length), "\n");
    fl_text_append(out, "\x93NUMPY\x01\x00", 8);
    fl_text_append(out, (const char[]){(char)(length & 0xff), (char)(length >> 8)}, 2);
    if (header.data) fl_text_append(out, header.data, header.length);
    if (bytes) fl_text_append(out, data, bytes);
    int failed = header.failed || out->failed;
    fl_text_free(&header);
    FL_CHECK(!failed, FL_OOM, "out of host memory");
    return NULL;
}
