/* Rules of batch normalisation and random numbers. */
#include "ir/infer.h"

/* Operand 0 has floats and a feature dimension; operands [1, 1 + count) are vectors along it. Results after the first are such
 * vectors too. */
static fl_status batch_norm(const fl_program *p, const fl_op *op, uint32_t count, uint32_t results,
                            const char *vectors, const char *like, fl_type *out)
{
    int dim;
    const fl_type *x = fl_operand_type(p, op, 0);
    FL_TRY(fl_need_kind(x, FL_FLOATS | FL_QUANT));
    FL_TRY(fl_need_dim(op, FL_ATTR_feature_index, x->rank, "C1", &dim));
    FL_CHECK(fl_op_attr(op, FL_ATTR_epsilon), FL_INVALID, "expected attribute epsilon");
    fl_type vector = fl_type_make((fl_dtype)x->dtype, 1, &x->dims[dim]);
    for (uint32_t i = 1; i <= count; i++) {
        const fl_type *v = fl_operand_type(p, op, i);
        FL_TRY(fl_need_match(v, x, FL_MATCH_BASELINE, "operand along the features", "C2"));
        FL_TRY(fl_need_match(v, &vector, FL_MATCH_DIMS, "operand along the features", vectors));
    }
    FL_TRY(fl_settle(&out[0], x, FL_MATCH_BASE, like));
    for (uint32_t i = 1; i < results; i++)
        FL_TRY(fl_settle_as(&out[i], x, FL_MATCH_BASELINE, 1, vector.dims, vectors));
    return NULL;
}

fl_status fl_infer_batch_norm_inference(const fl_program *p, const fl_op *op, fl_type *out)
{
    return batch_norm(p, op, 4, 1, "C3, C4, C5, C6", "C7", out);
}

fl_status fl_infer_batch_norm_training(const fl_program *p, const fl_op *op, fl_type *out)
{
    return batch_norm(p, op, 2, 3, "C3, C4, C5, C6", "C7", out);
}

fl_status fl_infer_batch_norm_grad(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *x = fl_operand_type(p, op, 0), *grad = fl_operand_type(p, op, 4);
    FL_TRY(batch_norm(p, op, 3, 3, "C4, C5", "C3", out));
    return fl_need_match(grad, x, FL_MATCH_BASE, "grad_output", "C2, C3");
}

fl_status fl_infer_rng(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *a = fl_operand_type(p, op, 0), *shape = fl_operand_type(p, op, 2);
    int64_t distribution, dims[FL_MAX_RANK];
    FL_TRY(fl_need_int(op, FL_ATTR_rng_distribution, FL_RNG_UNIFORM, FL_RNG_NORMAL, -1, "I4", &distribution));
    FL_TRY(fl_need_kind(a, FL_BOOLS | FL_INTS | FL_FLOATS));
    FL_TRY(fl_need_scalar(a, a, "first parameter", "C1"));
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 1), a, "second parameter", "C1"));
    FL_CHECK(distribution == FL_RNG_UNIFORM || fl_is_float((fl_dtype)a->dtype), FL_INVALID,
             "expected floating-point parameters of a normal distribution, got %s (C2)",
             fl_dtype_name((fl_dtype)a->dtype));
    FL_TRY(fl_need_vector(shape, FL_DYNAMIC, "shape", "C3"));
    FL_CHECK(!fl_is_open(shape->dims[0]) || fl_is_stated(out), FL_INVALID,
             "expected result types to be stated");
    int64_t rank = fl_is_open(shape->dims[0]) ? out->rank : shape->dims[0];
    FL_CHECK(rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %lld", FL_MAX_RANK,
             (long long)rank);
    if (fl_constant_ints(p, op->operands[2], dims, FL_MAX_RANK) != rank)
        for (int i = 0; i < rank; i++) dims[i] = FL_DYNAMIC;
    else
        for (int i = 0; i < rank; i++)
            FL_CHECK(dims[i] >= 0, FL_INVALID,
                     "expected a size of at least 0 for dimension %d, got %lld (C3)", i, (long long)dims[i]);
    return fl_settle_as(out, a, FL_MATCH_ELEMENT, (int)rank, dims, "C1, C3");
}

fl_status fl_infer_rng_bit_generator(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *state = fl_operand_type(p, op, 0);
    int64_t algorithm;
    FL_TRY(fl_need_int(op, FL_ATTR_rng_algorithm, FL_RNG_DEFAULT, FL_RNG_PHILOX, -1, "I1", &algorithm));
    FL_TRY(fl_need_kind(state, FL_INTS | FL_FLOATS));
    int64_t words = state->rank == 1 ? state->dims[0] : 0;
    /* StableHLO's own compatibility tests have states of other types; they are read and written, but cannot be run */
    FL_CHECK(state->dtype != FL_U64 || words == 2 || fl_is_open(words) ||
                 (words == 3 && algorithm != FL_RNG_THREE_FRY),
             FL_INVALID, "expected a state of 2 (or, but for THREE_FRY, 3) ui64 (C2)");
    FL_TRY(fl_settle(&out[0], state, FL_MATCH_TYPE, "C1"));
    FL_TRY(fl_need_stated(op, out));
    return fl_need_kind(&out[1], FL_INTS | FL_FLOATS);
}
