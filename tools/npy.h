/* numpy's .npy files, format versions 1 to 3. Files are untrusted: every size is checked against what is there. */
#ifndef FL_TOOLS_NPY_H
#define FL_TOOLS_NPY_H

#include "ir/ir.h"

/* A file's header, and where its elements are. */
typedef struct fl_npy {
    char descr[32]; /* numpy's name of the type: "<f4", "|b1", "<V2", "bfloat16" */
    int fortran;    /* the first index varies fastest */
    uint32_t rank;
    int64_t dims[FL_MAX_RANK];
    size_t elements;     /* product of dims */
    const uint8_t *data; /* points into the file */
    size_t bytes;        /* from there to the end */
} fl_npy;

/* `file` must stay while *out is used. */
fl_status fl_npy_parse(const void *file, size_t bytes, fl_npy *out);
/* The elements as the engine stores `dtype`: dense, row-major, in this machine's byte order. FL_TYPE when the file's type is
 * another. What numpy has no name for (bf16, f8, f6, f4) is accepted as raw bytes of that width ("<V2"), as the package ml_dtypes
 * writes it, or under that package's name; integers narrower than a byte also as int8 or uint8 within their range.
 * *out is to be freed. */
fl_status fl_npy_elements(const fl_npy *npy, fl_dtype dtype, void **out, size_t *out_bytes);
/* Appends a file of version 1.0 with these dense row-major elements. Types without a name in numpy are written as raw bytes
 * (numpy reads them as void; view them as the right type), integers narrower than a byte as int8 or uint8. */
fl_status fl_npy_write(fl_dtype dtype, uint32_t rank, const int64_t *dims, const void *data, fl_text *out);

#endif
