/* Element types. */
#ifndef FL_BASE_DTYPE_H
#define FL_BASE_DTYPE_H

#include <stddef.h>
#include <stdint.h>

typedef enum fl_kind {
    FL_KIND_NONE,
    FL_KIND_BOOL,
    FL_KIND_INT,
    FL_KIND_UINT,
    FL_KIND_FLOAT,
    FL_KIND_COMPLEX
} fl_kind;

typedef enum fl_dtype {
    FL_DTYPE_NONE = 0,
#define FL_DTYPE(NAME, mlir, bits, bytes, kind) FL_##NAME,
#include "base/dtypes.def"
#undef FL_DTYPE
    FL_DTYPE_COUNT
} fl_dtype;

typedef struct fl_dtype_info {
    const char *name; /* MLIR spelling */
    uint8_t bits, bytes, kind;
} fl_dtype_info;

extern const fl_dtype_info fl_dtypes[FL_DTYPE_COUNT];

static inline size_t fl_dtype_bytes(fl_dtype t)
{
    return fl_dtypes[t].bytes;
}
static inline fl_kind fl_dtype_kind(fl_dtype t)
{
    return (fl_kind)fl_dtypes[t].kind;
}
static inline const char *fl_dtype_name(fl_dtype t)
{
    return fl_dtypes[t].name;
}
static inline int fl_is_float(fl_dtype t)
{
    return fl_dtype_kind(t) == FL_KIND_FLOAT;
}
static inline int fl_is_complex(fl_dtype t)
{
    return fl_dtype_kind(t) == FL_KIND_COMPLEX;
}
static inline int fl_is_int(fl_dtype t) /* signed or unsigned, not bool */
{
    return fl_dtype_kind(t) == FL_KIND_INT || fl_dtype_kind(t) == FL_KIND_UINT;
}
fl_dtype fl_dtype_named(const char *name); /* MLIR's spelling; FL_DTYPE_NONE for NULL and for what is none */
/* The real type of a complex type's parts; other types map to themselves. */
static inline fl_dtype fl_real_dtype(fl_dtype t)
{
    return t == FL_C64 ? FL_F32 : t == FL_C128 ? FL_F64 : t;
}

#endif
