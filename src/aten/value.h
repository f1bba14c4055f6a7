/* What crosses the bridge: the arguments of one operator call, as tagged values. */
#ifndef FL_ATEN_VALUE_H
#define FL_ATEN_VALUE_H

#include "base/dtype.h"
#include <stdint.h>

struct fl_buffer;
struct fl_generator;

/* A tensor as PyTorch describes it. Sizes and strides point into PyTorch's memory for the time of the call. */
typedef struct fl_tensor {
    struct fl_buffer *buffer; /* NULL: no storage (empty) or host data */
    const void *host;         /* a 0-d CPU tensor (a Python number, usually): its element */
    const int64_t *sizes, *strides;
    int64_t offset; /* bytes from the buffer's start */
    uint8_t dtype;  /* fl_dtype */
    uint8_t rank;
    uint8_t wrapped;   /* a Python number in tensor's clothes: weakest in type promotion */
    uint8_t conj, neg; /* PyTorch's lazy bits */
} fl_tensor;

typedef enum fl_tag {
    FL_TAG_NONE,
    FL_TAG_BOOL,
    FL_TAG_INT,
    FL_TAG_DOUBLE,
    FL_TAG_COMPLEX,
    FL_TAG_STRING,
    FL_TAG_TENSOR,
    FL_TAG_GENERATOR,
    FL_TAG_INTS,
    FL_TAG_DOUBLES,
    FL_TAG_BOOLS,
    FL_TAG_TENSORS,
    FL_TAG_SCALARS,
    FL_TAG_OTHER
} fl_tag;

/* dtype arguments (ScalarType) arrive as INT holding an fl_dtype, layouts and memory formats as INT of PyTorch's numbering. */
typedef struct fl_value {
    uint8_t tag; /* fl_tag */
    uint8_t
        scalar; /* 1: the schema says Scalar or float: a run-time number unless the lowering looks at it */
    uint32_t count; /* lists */
    union {
        int64_t i; /* BOOL, INT */
        double d;
        double complex_[2];
        const char *string;
        const fl_tensor *tensor; /* TENSOR one; TENSORS `count`, undefined ones have dtype FL_DTYPE_NONE */
        struct fl_generator *generator;
        const int64_t *ints; /* INTS, BOOLS */
        const double *doubles;
        const struct fl_value *scalars;
    } u;
} fl_value;

#endif
