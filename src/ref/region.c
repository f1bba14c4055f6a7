/* Regions over scalars: the bodies of reductions, sorts, maps. */
#include "ref/interp.h"

fl_function fl_function_of(const fl_call *call, uint32_t region)
{
    const fl_block *block = call->op->regions[region];
    const fl_program *p = call->interp->program;
    fl_function f = {call->interp,
                     block,
                     fl_region_monoid(p, block),
                     FL_DTYPE_NONE,
                     fl_session_of(call)->options.round_each_step,
                     0};
    const fl_type *type = block->arg_count ? fl_type_of(p, block->first_arg) : NULL;
    if (!(fl_op_infos[f.monoid].traits & FL_TRAIT_C)) f.monoid = FL_OP_NONE;
    f.quantized = type && fl_type_quant(type);
    if (f.quantized) f.monoid = FL_OP_NONE; /* stored elements are no numbers to add */
    if (type) f.dtype = (fl_dtype)type->dtype;
    return f;
}

static int same_scale(const fl_quant *a, const fl_quant *b)
{
    return a->axis < 0 && b->axis < 0 && a->scales[0] == b->scales[0] &&
           a->zero_points[0] == b->zero_points[0] && a->min >= b->min && a->max <= b->max;
}

fl_scalar fl_function_argument(const fl_function *f, uint32_t arg, const fl_tensor *t, int64_t i)
{
    fl_scalar x = fl_get(t, i);
    if (!f->quantized) return x;
    const fl_type *type = fl_type_of(f->interp->program, f->block->first_arg + arg);
    const fl_quant *from = fl_type_quant(t->type), *to = fl_type_quant(type);
    if (!from || !to || same_scale(from, to)) return x;
    return fl_quantize(type, 0, fl_dequantize(t->type, i, x));
}

fl_status fl_function_call(const fl_function *f, const fl_scalar *args, fl_scalar *results)
{
    fl_interp *in = f->interp;
    if (f->monoid && fl_scalar_op(NULL, f->monoid, f->dtype, f->dtype, args, results)) {
        *results = fl_scalar_round(f->dtype, *results);
        return NULL;
    }
    for (uint32_t i = 0; i < f->block->arg_count; i++) {
        fl_ref r = f->block->first_arg + i;
        FL_TRY(fl_own(in, r));
        fl_scalar_store((fl_dtype)fl_type_of(in->program, r)->dtype, in->data[r], 0, args[i]);
    }
    FL_TRY(fl_run_block(in, f->block));
    for (uint32_t i = 0; i < f->block->result_count; i++) {
        fl_ref r = f->block->results[i];
        results[i] = fl_scalar_load((fl_dtype)fl_type_of(in->program, r)->dtype, in->data[r], 0);
    }
    return NULL;
}

/* A product of complex numbers whose second terms are rounded before they are added, as on machines that
 * multiply and add at once. */
static fl_scalar fused_product(fl_dtype dtype, fl_scalar a, fl_scalar b)
{
    fl_scalar second = fl_scalar_round(dtype, (fl_scalar){.re = a.im * b.im, .im = a.re * b.im});
    return fl_scalar_round(dtype, (fl_scalar){.re = a.re * b.re - second.re, .im = a.im * b.re + second.im});
}

fl_status fl_function_fold(const fl_function *f, uint32_t n, fl_scalar *acc, const fl_scalar *x)
{
    fl_kind kind = fl_dtype_kind(f->dtype);
    fl_scalar args[2 * FL_MOST_INPUTS];
    if (n == 1 && f->monoid == FL_OP_add && !f->stepwise) {
        *acc = fl_scalar_add(kind, *acc, *x);
        return NULL;
    }
    if (n == 1 && f->monoid == FL_OP_multiply && !f->stepwise) {
        *acc = fl_scalar_multiply(kind, *acc, *x);
        return NULL;
    }
    if (n == 1 && f->monoid == FL_OP_multiply &&
        f->dtype == FL_C64) { /* exact in double but for the rounding above */
        *acc = fused_product(f->dtype, *acc, *x);
        return NULL;
    }
    memcpy(args, acc, n * sizeof *acc);
    memcpy(args + n, x, n * sizeof *x);
    return fl_function_call(f, args, acc);
}
