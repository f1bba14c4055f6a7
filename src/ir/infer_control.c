#include "ir/infer.h"

fl_status fl_infer_barrier(const fl_program *p, const fl_op *op, fl_type *out)
{
    for (uint32_t i = 0; i < op->operand_count; i++) out[i] = *fl_operand_type(p, op, i);
    return NULL;
}

/* Regions without arguments that agree in their results. */
static fl_status branches(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_block *first = op->regions[0];
    for (uint32_t i = 0; i < first->result_count; i++) out[i] = *fl_type_of(p, first->results[i]);
    for (uint32_t i = 0; i < op->region_count; i++)
        FL_TRY(fl_need_region(p, op, i, NULL, 0, out, first->result_count));
    return NULL;
}

fl_status fl_infer_if(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 0), FL_I1, "condition"));
    FL_CHECK(op->region_count == 2, FL_INVALID, "expected 2 regions, got %u", op->region_count);
    return branches(p, op, out);
}

fl_status fl_infer_case(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 0), FL_I32, "index"));
    FL_CHECK(op->region_count >= 1, FL_INVALID, "expected at least one region (C1)");
    return branches(p, op, out);
}

fl_status fl_infer_while(const fl_program *p, const fl_op *op, fl_type *out)
{
    fl_type predicate = fl_type_make(FL_I1, 0, NULL);
    FL_TRY(fl_infer_barrier(p, op, out));
    FL_CHECK(op->region_count == 2, FL_INVALID, "expected 2 regions, got %u", op->region_count);
    FL_TRY(fl_need_region(p, op, 0, out, op->operand_count, &predicate, 1));
    return fl_need_region(p, op, 1, out, op->operand_count, out, op->operand_count);
}

/* ---- normalisation ---- */

/* Operand 0 has floats and a feature dimension; operands [1, 1 + vectors) are vectors along it. */
static fl_status batch_norm(const fl_program *p, const fl_op *op, uint32_t vectors, fl_type *out_x,
                            fl_type *out_vector)
{
    int dim;
    *out_x = *fl_operand_type(p, op, 0);
    FL_CHECK(fl_is_float(out_x->dtype), FL_INVALID, "expected a floating-point element type, got %s",
             fl_dtype_name(out_x->dtype));
    FL_TRY(fl_need_dim(op, FL_ATTR_feature_index, out_x->rank, &dim));
    *out_vector = fl_type_make(out_x->dtype, 1, &out_x->dims[dim]);
    for (uint32_t i = 1; i <= vectors; i++)
        FL_TRY(fl_need_equal(fl_operand_type(p, op, i), out_vector, "operand along the features"));
    return NULL;
}

fl_status fl_infer_batch_norm_inference(const fl_program *p, const fl_op *op, fl_type *out)
{
    fl_type vector;
    return batch_norm(p, op, 4, out, &vector);
}

fl_status fl_infer_batch_norm_training(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(batch_norm(p, op, 2, &out[0], &out[1]));
    out[2] = out[1];
    return NULL;
}

fl_status fl_infer_batch_norm_grad(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(batch_norm(p, op, 3, &out[0], &out[1]));
    out[2] = out[1];
    return fl_need_equal(fl_operand_type(p, op, 4), &out[0], "grad_output");
}

/* ---- random numbers ---- */

fl_status fl_infer_rng(const fl_program *p, const fl_op *op, fl_type *out)
{
    FL_TRY(fl_infer_given(p, op, out));
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 0), (fl_dtype)out->dtype, "first parameter (C1)"));
    FL_TRY(fl_need_scalar(fl_operand_type(p, op, 1), (fl_dtype)out->dtype, "second parameter (C1)"));
    const fl_type *shape = fl_operand_type(p, op, 2);
    FL_CHECK(fl_is_int(shape->dtype) && shape->rank == 1 && shape->dims[0] == out->rank, FL_INVALID,
             "expected a shape of %d integers", out->rank);
    return NULL;
}

fl_status fl_infer_rng_bit_generator(const fl_program *p, const fl_op *op, fl_type *out)
{
    const fl_type *state = fl_operand_type(p, op, 0);
    int64_t algorithm = fl_op_int(op, FL_ATTR_rng_algorithm, -1);
    FL_CHECK(algorithm >= FL_RNG_DEFAULT && algorithm <= FL_RNG_PHILOX, FL_INVALID,
             "expected attribute rng_algorithm");
    int64_t words = state->rank == 1 ? state->dims[0] : 0;
    FL_CHECK(state->dtype == FL_U64 && (words == 2 || (words == 3 && algorithm != FL_RNG_THREE_FRY)),
             FL_INVALID, "expected a state of 2 (or, but for THREE_FRY, 3) ui64 (C1, C2)");
    FL_CHECK(fl_is_stated(&out[1]), FL_INVALID, "expected the result's type to be stated");
    FL_CHECK(fl_is_int(out[1].dtype) || fl_is_float(out[1].dtype), FL_INVALID,
             "expected an integer or floating-point result, got %s", fl_dtype_name(out[1].dtype));
    out[0] = *state;
    return NULL;
}

fl_status fl_infer_get_dimension_size(const fl_program *p, const fl_op *op, fl_type *out)
{
    int dim;
    *out = fl_type_make(FL_I32, 0, NULL);
    return fl_need_dim(op, FL_ATTR_dimension, fl_operand_type(p, op, 0)->rank, &dim);
}
