#include "aten/sizes.h"

#include <stdio.h>

fl_sizes_text fl_sizes_in_text(fl_builder *b, fl_ref x)
{
    fl_sizes_text s = {"["};
    int n = 1, rank = fl_rank(b, x);
    for (int i = 0; i < rank; i++)
        n += snprintf(s.text + n, sizeof s.text - (size_t)n, "%s%lld", i ? ", " : "",
                      (long long)fl_dim(b, x, i));
    snprintf(s.text + n, sizeof s.text - (size_t)n, "]");
    return s;
}

const char *fl_torch_type_name(fl_dtype dtype)
{
    static const char *const names[FL_DTYPE_COUNT] = {
        [FL_I1] = "Bool",
        [FL_U8] = "Byte",
        [FL_I8] = "Char",
        [FL_I16] = "Short",
        [FL_I32] = "Int",
        [FL_I64] = "Long",
        [FL_U16] = "UInt16",
        [FL_U32] = "UInt32",
        [FL_U64] = "UInt64",
        [FL_F16] = "Half",
        [FL_BF16] = "BFloat16",
        [FL_F32] = "Float",
        [FL_F64] = "Double",
        [FL_C64] = "ComplexFloat",
        [FL_C128] = "ComplexDouble",
        [FL_F8E5M2] = "Float8_e5m2",
        [FL_F8E4M3FN] = "Float8_e4m3fn",
        [FL_F8E5M2FNUZ] = "Float8_e5m2fnuz",
        [FL_F8E4M3FNUZ] = "Float8_e4m3fnuz",
    };
    return names[dtype] ? names[dtype] : fl_dtype_name(dtype);
}

int fl_empty_dim(fl_builder *b, fl_ref x, int first)
{
    for (int i = first; i < fl_rank(b, x); i++)
        if (!fl_dim(b, x, i)) return i;
    return -1;
}

void fl_refuse_empty(fl_builder *b, const char *function, const char *what, fl_ref x, int first)
{
    int empty = fl_empty_dim(b, x, first);
    FL_REQUIRE(b, empty < 0, FL_INVALID,
               "%s(): Expected %s to have non-zero size for non-batch dimensions, but %s has sizes %s with "
               "dimension %d being empty",
               function, what, what, fl_sizes_in_text(b, x).text, empty);
}
