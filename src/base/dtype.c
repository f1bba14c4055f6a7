#include "base/dtype.h"

#include <string.h>

const fl_dtype_info fl_dtypes[FL_DTYPE_COUNT] = {
    [FL_DTYPE_NONE] = {"none", 0, 0, FL_KIND_NONE},
#define FL_DTYPE(NAME, mlir, bits, bytes, kind) [FL_##NAME] = {mlir, bits, bytes, FL_KIND_##kind},
#include "base/dtypes.def"
#undef FL_DTYPE
};

fl_dtype fl_dtype_named(const char *name)
{
    for (int d = FL_DTYPE_NONE + 1; name && d < FL_DTYPE_COUNT; d++)
        if (!strcmp(fl_dtypes[d].name, name)) return (fl_dtype)d;
    return FL_DTYPE_NONE;
}
