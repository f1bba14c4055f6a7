/* Type promotion, as torch.result_type and c10::promoteTypes do it. */
#include "aten/formula.h"

/* Position in the order of promotion within a kind; 0: not promotable with another type. */
static int rank_of(fl_dtype t)
{
    switch (t) {
    case FL_I1: return 1;
    case FL_U8: return 2;
    case FL_I8: return 3;
    case FL_I16: return 4;
    case FL_I32: return 5;
    case FL_I64: return 6;
    case FL_U16:
    case FL_U32:
    case FL_U64: return 7;
    case FL_F16: return 8;
    case FL_BF16: return 9;
    case FL_F32: return 10;
    case FL_F64: return 11;
    case FL_C64: return 12;
    case FL_C128: return 13;
    default: return 0;
    }
}

fl_dtype fl_promote_dtypes(fl_dtype a, fl_dtype c)
{
    if (a == c || c == FL_DTYPE_NONE) return a;
    if (a == FL_DTYPE_NONE) return c;
    int ra = rank_of(a), rc = rank_of(c);
    if (!ra || !rc) return FL_DTYPE_NONE;
    if (ra > rc) {
        fl_dtype t = a;
        a = c;
        c = t;
        int r = ra;
        ra = rc;
        rc = r;
    }
    if (rc == 7) return FL_DTYPE_NONE; /* u16, u32 and u64 promote with floating point only */
    if (ra == 7 && fl_is_complex(c)) return FL_DTYPE_NONE;
    if (a == FL_U8 && c == FL_I8) return FL_I16;
    if (a == FL_F16 && c == FL_BF16) return FL_F32;
    if (a == FL_F64 && c == FL_C64) return FL_C128;
    return c;
}

fl_dtype fl_op_math(fl_dtype dtype)
{
    return fl_is_float(dtype) && fl_dtypes[dtype].bits <= 19 ? FL_F32 : dtype;
}

fl_dtype fl_default_float(fl_dtype dtype)
{
    return fl_is_float(dtype) || fl_is_complex(dtype) ? dtype : FL_F32;
}

void fl_promotion_add_tensor(fl_promotion *p, const fl_tensor *tensor)
{
    if (!tensor || tensor->dtype == FL_DTYPE_NONE) return;
    fl_dtype t = (fl_dtype)tensor->dtype;
    if (tensor->wrapped) {
        if (fl_is_complex(t))
            t = FL_C64;
        else if (fl_is_float(t))
            t = FL_F32;
        p->wrapped = fl_promote_dtypes(p->wrapped, t);
    } else if (tensor->rank == 0) {
        p->scalar = fl_promote_dtypes(p->scalar, t);
    } else {
        p->dimensioned = fl_promote_dtypes(p->dimensioned, t);
    }
}

void fl_promotion_add_tag(fl_promotion *p, fl_tag tag)
{
    fl_dtype t = tag == FL_TAG_BOOL      ? FL_I1
                 : tag == FL_TAG_INT     ? FL_I64
                 : tag == FL_TAG_DOUBLE  ? FL_F32
                 : tag == FL_TAG_COMPLEX ? FL_C64
                                         : FL_DTYPE_NONE;
    p->wrapped = fl_promote_dtypes(p->wrapped, t);
}

/* A lower priority changes the result only when its kind is higher. */
static fl_dtype combine(fl_dtype higher, fl_dtype lower)
{
    if (fl_is_complex(higher)) return higher;
    if (fl_is_float(higher)) {
        if (!fl_is_complex(lower)) return higher;
        return higher == FL_F64 ? FL_C128 : FL_C64;
    }
    if (higher == FL_I1 || higher == FL_DTYPE_NONE || fl_is_float(lower) || fl_is_complex(lower))
        return fl_promote_dtypes(higher, lower);
    return higher;
}

fl_dtype fl_promotion_result(fl_builder *b, const fl_promotion *p)
{
    fl_dtype tensors = combine(p->dimensioned, p->scalar);
    fl_dtype result = combine(tensors, p->wrapped);
    /* A Python float makes the process's default dtype out of integers; only the written tensor knows which
     * that is. */
    if (result != tensors && !fl_is_float(tensors) && !fl_is_complex(tensors)) {
        fl_dtype out = fl_out_dtype(b, 0);
        if (result == FL_F32 && fl_is_float(out)) return out;
        if (result == FL_C64 && out == FL_C128) return out;
    }
    return result;
}

fl_dtype fl_promote_args(fl_builder *b, const int *args, uint32_t count)
{
    fl_promotion p = {0};
    for (uint32_t k = 0; k < count; k++) {
        if (!fl_has(b, args[k])) continue;
        const fl_tensor *tensor = fl_tensor_arg(b, args[k]);
        if (tensor)
            fl_promotion_add_tensor(&p, tensor);
        else
            fl_promotion_add_tag(&p, fl_scalar_tag(b, args[k]));
    }
    return fl_promotion_result(b, &p);
}
