/* .npy files: what numpy and ml_dtypes write is read as they mean it, what we write is what numpy writes; broken files are
 * refused. */
#include "check.h"
#include "npy.h"

#include <stdlib.h>

static const struct file_case {
    const char *name;
    fl_dtype dtype;
    uint32_t rank;
    int64_t dims[4];
    size_t bytes;
    const char *file;
    size_t element_bytes;
    const char *elements;
} cases[] = {
#include "npy_files.inc"
};
enum { CASES = sizeof cases / sizeof *cases };

static const struct file_case *find(const char *name)
{
    for (int i = 0; i < CASES; i++)
        if (!strcmp(cases[i].name, name)) return &cases[i];
    return NULL;
}

static fl_status read(const void *file, size_t bytes, fl_dtype dtype, void **out, size_t *out_bytes,
                      fl_npy *npy)
{
    *out = NULL;
    FL_TRY(fl_npy_parse(file, bytes, npy));
    return fl_npy_elements(npy, dtype, out, out_bytes);
}

static void test_reading(void)
{
    for (int i = 0; i < CASES; i++) {
        const struct file_case *c = &cases[i];
        fl_npy npy;
        void *data;
        size_t bytes;
        fl_status status = read(c->file, c->bytes, c->dtype, &data, &bytes, &npy);
        CHECK_STRING(fl_status_message(fl_status_prefix(status, "%s", c->name)), "");
        if (!data) continue;
        CHECK_INT(npy.rank, c->rank);
        for (uint32_t d = 0; d < c->rank; d++) CHECK_INT(npy.dims[d], c->dims[d]);
        CHECK_INT(bytes, c->element_bytes);
        CHECK(bytes == c->element_bytes && !memcmp(data, c->elements, bytes));
        free(data);
    }
}

/* The header's words but for numpy's generous padding, and the elements. */
static void test_writing(void)
{
    static const char *const written[] = {
        "bool",   "int8",    "int16",   "int32",   "int64",  "uint8",     "uint16",     "uint32",
        "uint64", "float16", "float32", "float64", "scalar", "complex64", "complex128", "no elements"};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        const struct file_case *c = find(written[i]);
        fl_text out = {0};
        CHECK_OK(fl_npy_write(c->dtype, c->rank, c->dims, c->elements, &out));
        size_t header = out.length - c->element_bytes, words = strcspn(c->file + 10, "}") + 11;
        CHECK_INT(header % 64, 0);
        CHECK(!memcmp(out.data, c->file, 8) && !memcmp(out.data + 10, c->file + 10, words - 10));
        CHECK(out.data[header - 1] == '\n' && !memcmp(out.data + header, c->elements, c->element_bytes));
        fl_text_free(&out);
    }
}

/* Types that numpy has no name for come back as they went. */
static void test_round_trip(void)
{
    for (int i = 0; i < CASES; i++) {
        const struct file_case *c = &cases[i];
        fl_text out = {0};
        fl_npy npy;
        void *data;
        size_t bytes;
        CHECK_OK(fl_npy_write(c->dtype, c->rank, c->dims, c->elements, &out));
        CHECK_OK(read(out.data, out.length, c->dtype, &data, &bytes, &npy));
        CHECK(data && bytes == c->element_bytes && !memcmp(data, c->elements, bytes));
        free(data);
        fl_text_free(&out);
    }
}

#define REFUSES(header, dtype, code, part)                                                                   \
    do {                                                                                                     \
        char file[512] = "\x93NUMPY\x01";                                                                    \
        void *data;                                                                                          \
        size_t bytes;                                                                                        \
        fl_npy npy;                                                                                          \
        file[8] = (char)strlen(header);                                                                      \
        strcpy(file + 10, header);                                                                           \
        CHECK_ERROR(read(file, 10 + strlen(header) + 8, dtype, &data, &bytes, &npy), code, part);            \
    } while (0)

static void test_refusals(void)
{
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", FL_F64, FL_TYPE,
            "expected elements of type f64");
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", FL_I32, FL_TYPE, "got <f4");
    REFUSES("{'descr': '<V2', 'fortran_order': False, 'shape': (4,), }", FL_F16, FL_TYPE, "got <V2");
    REFUSES("{'descr': '|V1', 'fortran_order': False, 'shape': (8,), }", FL_BF16, FL_TYPE, "got |V1");
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", FL_F32, FL_INVALID,
            "expected 12 bytes");
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", FL_F32, FL_INVALID,
            "expected 4 bytes");
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (-2,), }", FL_F32, FL_INVALID,
            "expected a dimension");
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,), }", FL_F32,
            FL_INVALID, "too large");
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (1073741824, 1073741824, 1073741824), }",
            FL_F32, FL_INVALID, "overflows");
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1073741824, 1073741824, 1073741824), }",
            FL_F32, FL_INVALID, "overflows");
    REFUSES("{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2), }",
            FL_F32, FL_UNSUPPORTED, "at most 16 dimensions");
    REFUSES("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,), }", FL_F32, FL_UNSUPPORTED,
            "records");
    REFUSES("{'descr': '<f4', 'shape': (2,), }", FL_F32, FL_INVALID, "lacks");
    REFUSES("{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,), }", FL_F32, FL_INVALID, "True or False");
    REFUSES("{'descr': '<f4'", FL_F32, FL_INVALID, "expected a string");
    REFUSES("", FL_F32, FL_INVALID, "dictionary");
}

/* A file cut anywhere is an error, and reads nothing beyond its end (under a sanitizer). */
static void test_cut_files(void)
{
    const struct file_case *c = find("int32");
    for (size_t n = 0; n < c->bytes; n++) {
        char *cut = malloc(n ? n : 1);
        void *data = NULL;
        size_t bytes;
        fl_npy npy;
        memcpy(cut, c->file, n);
        fl_status status = read(cut, n, FL_I32, &data, &bytes, &npy);
        CHECK(status && !data);
        fl_status_free(status);
        free(cut);
    }
}

static void test_narrow_integers(void)
{
    fl_text out = {0};
    fl_npy npy;
    void *data;
    size_t bytes;
    CHECK_OK(fl_npy_write(FL_I8, 1, (int64_t[]){3}, "\x07\x08\xf8", &out));
    CHECK_ERROR(read(out.data, out.length, FL_I4, &data, &bytes, &npy), FL_VALUE, "element 1 is no i4");
    out.data[out.length - 2] = 1;
    CHECK_OK(read(out.data, out.length, FL_I4, &data, &bytes, &npy));
    CHECK(data && !memcmp(data, "\x07\x01\xf8", 3));
    free(data);
    fl_text_free(&out);
}

int main(void)
{
    test_reading();
    test_writing();
    test_round_trip();
    test_refusals();
    test_cut_files();
    test_narrow_integers();
    return check_result();
}
