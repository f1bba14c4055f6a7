/* convolution: reads the attributes into one geometry and chooses a form: a matrix product of what lies in memory, Winograd's,
 * products by position, or the two that take anything (FL_DISABLE=conv leaves only these). */
#include "cpu/kernels/conv.h"

#include "base/switches.h"
#include "cpu/kernels/conv_depthwise.h"
#include "cpu/kernels/conv_matrix.h"
#include "cpu/kernels/conv_position.h"
#include "cpu/kernels/conv_winograd.h"

#include <string.h>

static int64_t at(const int64_t *list, uint32_t count, int i, int64_t fallback)
{
    return list && (uint32_t)i < count ? list[i] : fallback;
}

static void read_dims(fl_conv *c, const fl_op *op, const fl_operand *in, const fl_operand *kernel,
                      const fl_operand *out)
{
    const fl_attr_key keys[8] = {FL_ATTR_input_spatial_dimensions,
                                 FL_ATTR_kernel_spatial_dimensions,
                                 FL_ATTR_output_spatial_dimensions,
                                 FL_ATTR_window_strides,
                                 FL_ATTR_padding,
                                 FL_ATTR_lhs_dilation,
                                 FL_ATTR_rhs_dilation,
                                 FL_ATTR_window_reversal};
    const int64_t *list[8];
    uint32_t count[8];
    for (int i = 0; i < 8; i++) count[i] = 0, list[i] = fl_op_ints(op, keys[i], &count[i]);
    const int spatial = in->rank - 2, first = FL_CONV_DIMS - spatial;
    for (int i = 0; i < first; i++)
        c->dim[i] = (fl_conv_dim){.in = 1, .out = 1, .taps = 1, .stride = 1, .dilation = 1, .spread = 1};
    for (int i = 0; i < spatial; i++) {
        fl_conv_dim *d = &c->dim[first + i];
        int64_t a = list[0][i], b = list[1][i], o = list[2][i];
        *d = (fl_conv_dim){.in = in->dims[a],
                           .in_stride = in->strides[a],
                           .out = out->dims[o],
                           .out_stride = out->strides[o],
                           .taps = kernel->dims[b],
                           .tap_stride = kernel->strides[b],
                           .stride = at(list[3], count[3], i, 1),
                           .low = at(list[4], count[4], 2 * i, 0),
                           .dilation = at(list[5], count[5], i, 1),
                           .spread = at(list[6], count[6], i, 1)};
        if (at(list[7], count[7], i, 0)) { /* reversed: walk the kernel from its end */
            c->kernel_base += (d->taps - 1) * d->tap_stride;
            d->tap_stride = -d->tap_stride;
        }
    }
}

static void read_geometry(fl_conv *c, const fl_op *op, const fl_operand *in, const fl_operand *kernel,
                          const fl_operand *out)
{
    const int64_t ib = fl_op_int(op, FL_ATTR_input_batch_dimension, 0),
                  inf = fl_op_int(op, FL_ATTR_input_feature_dimension, 1);
    const int64_t ki = fl_op_int(op, FL_ATTR_kernel_input_feature_dimension, 1),
                  ko = fl_op_int(op, FL_ATTR_kernel_output_feature_dimension, 0);
    const int64_t ob = fl_op_int(op, FL_ATTR_output_batch_dimension, 0),
                  of = fl_op_int(op, FL_ATTR_output_feature_dimension, 1);
    const int64_t feature_groups = fl_op_int(op, FL_ATTR_feature_group_count, 1),
                  batch_groups = fl_op_int(op, FL_ATTR_batch_group_count, 1);
    read_dims(c, op, in, kernel, out);
    c->groups = feature_groups * batch_groups;
    c->batch = out->dims[ob];
    c->features = kernel->dims[ki];
    c->outputs = kernel->dims[ko] / c->groups;
    c->in_batch = in->strides[ib], c->in_feature = in->strides[inf];
    c->in_group = batch_groups > 1 ? c->in_batch * c->batch : c->in_feature * c->features;
    c->kernel_in = kernel->strides[ki], c->kernel_out = kernel->strides[ko];
    c->kernel_group = c->kernel_out * c->outputs;
    c->out_batch = out->strides[ob], c->out_feature = out->strides[of];
    c->out_group = c->out_feature * c->outputs;
}

void fl_conv_store(const fl_conv *c, char *out, int64_t stride, const char *from, int64_t n)
{
    enum { CHUNK = 128 };
    const int64_t size = (int64_t)fl_dtype_bytes(c->out_dtype);
    char row[CHUNK * 8];
    if (stride == 1) {
        fl_gemm_store(out, c->out_dtype, from, c->type->dtype, n);
        return;
    }
    for (int64_t i = 0; i < n; i += CHUNK) {
        int64_t count = n - i < CHUNK ? n - i : CHUNK;
        fl_gemm_store(row, c->out_dtype, from + i * c->type->size, c->type->dtype, count);
        char *to = out + i * stride * size;
        switch (size) {
        case 1:
            for (int64_t j = 0; j < count; j++) to[j * stride] = row[j];
            break;
        case 2:
            for (int64_t j = 0; j < count; j++) ((fl_word2 *)to)[j * stride] = ((fl_word2 *)row)[j];
            break;
        case 4:
            for (int64_t j = 0; j < count; j++) ((fl_word4 *)to)[j * stride] = ((fl_word4 *)row)[j];
            break;
        default:
            for (int64_t j = 0; j < count; j++) ((fl_word8 *)to)[j * stride] = ((fl_word8 *)row)[j];
            break;
        }
    }
}

void fl_conv_pack_weights(const fl_conv *c, char *panel, const char *kernel, int64_t first_output,
                          int64_t rows, int64_t feature, int64_t features, const int64_t *places,
                          int64_t place_count)
{
    const fl_gemm_type *t = c->type;
    const int64_t bytes = (int64_t)fl_dtype_bytes(c->kernel_dtype), row = rows * t->size;
    const char *from =
        kernel + (c->kernel_base + first_output * c->kernel_out + feature * c->kernel_in) * bytes;
    const int packs = fl_gemm_packs(t, c->kernel_dtype);
    const int64_t step = place_count > 1 ? places[1] - places[0] : c->kernel_in;
    int even = packs;
    for (int64_t i = 2; i < place_count && even; i++) even = places[i] - places[i - 1] == step;
    if (even && (features == 1 || step * place_count == c->kernel_in)) {
        t->pack(panel, rows, from + places[0] * bytes, c->kernel_dtype, c->kernel_out, step, rows,
                features * place_count);
        return;
    }
    for (int64_t f = 0; f < features; f++, from += c->kernel_in * bytes) {
        if (even) {
            t->pack(panel, rows, from + places[0] * bytes, c->kernel_dtype, c->kernel_out, step, rows,
                    place_count);
            panel += place_count * row;
            continue;
        }
        for (int64_t i = 0; i < place_count; i++, panel += row)
            fl_gemm_load(panel, t->dtype, from + places[i] * bytes, c->kernel_dtype, c->kernel_out, rows);
    }
}

static fl_status run_empty(const fl_step *step, void *const *slots)
{
    memset(fl_operand_pointer(&step->outputs[0], slots), 0, fl_operand_bytes(&step->outputs[0]));
    return NULL;
}

/* Takes Winograd's form where that is less work; the one that was chosen stays for what it cannot do. */
static fl_status try_winograd(fl_conv *c, fl_step *step, fl_arena *arena, double work)
{
    const int forward = fl_winograd_fits(c, work);
    if (!forward && !fl_winograd_weights_fit(c, work)) return NULL;
    size_t scratch = 0;
    FL_TRY(forward ? fl_winograd_plan(c, arena, &scratch) : fl_winograd_weights_plan(c, arena, &scratch));
    c->direct_run = step->run;
    step->run = forward ? fl_winograd_run : fl_winograd_weights_run;
    step->scratch_bytes = FL_MAX(step->scratch_bytes, scratch);
    return NULL;
}

/* Chooses a form. shift, columns: the work of these two, which take anything. */
static fl_status plan_form(fl_conv *c, fl_step *step, fl_arena *arena, double shift, double columns)
{
    const int special = !fl_is_disabled("conv");
    if (special) FL_TRY(fl_matrix_plan(c, arena, &step->scratch_bytes));
    if (special && !c->matrix) FL_TRY(fl_depthwise_plan(c, step, arena));
    if (c->depthwise) return NULL;
    if (c->matrix) {
        step->run = fl_matrix_run;
    } else if (special && shift > columns * 1.5 && fl_position_weights_fit(c)) {
        FL_TRY(fl_position_weights_plan(c, arena, &step->scratch_bytes));
        step->run = fl_position_weights;
    } else if (special && fl_position_fits(c)) {
        FL_TRY(fl_position_plan(c, arena, &step->scratch_bytes));
        step->run = fl_position_forward;
    } else if (shift <= columns * 1.5) {
        FL_TRY(fl_conv_plan_shift(c, arena));
        step->scratch_bytes = fl_conv_scratch_shift(c, shift);
        step->run = fl_conv_run_shift;
    } else {
        FL_TRY(fl_conv_layout_columns(c, arena, columns, &step->scratch_bytes));
        step->run = fl_conv_run_columns;
    }
    return NULL;
}

static int asks_for_highest(const fl_op *op)
{
    uint32_t n = 0;
    const int64_t *precision = fl_op_ints(op, FL_ATTR_precision_config, &n);
    for (uint32_t i = 0; i < n; i++)
        if (precision[i] == FL_PRECISION_HIGHEST) return 1;
    return 0;
}

fl_status fl_prepare_convolution(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *in = &step->inputs[0], *kernel = &step->inputs[1], *out = &step->outputs[0];
    const fl_gemm_type *type = fl_gemm_type_for(in->dtype, kernel->dtype, out->dtype);
    FL_CHECK(type && in->rank >= 2 && in->rank <= FL_CONV_DIMS + 2, FL_UNSUPPORTED,
             "convolution of %s with %d dimensions", fl_dtype_name(in->dtype), in->rank);
    fl_conv *c = FL_NEW(arena, fl_conv);
    FL_CHECK(c, FL_OOM, "out of memory for a plan");
    c->type = type;
    c->in_dtype = in->dtype, c->kernel_dtype = kernel->dtype, c->out_dtype = out->dtype;
    c->direct = fl_dtype_bytes(out->dtype) == type->size && fl_gemm_packs(type, out->dtype);
    c->accurate = asks_for_highest(step->op);
    read_geometry(c, step->op, in, kernel, out);
    step->data = c;
    step->cost = (int64_t)fl_operand_bytes(out);
    if (fl_operand_elements(out) == 0 || fl_operand_elements(kernel) == 0) {
        step->run = run_empty;
        return NULL;
    }
    const double shift = fl_conv_work_shift(c), columns = fl_conv_work_columns(c);
    FL_TRY(plan_form(c, step, arena, shift, columns));
    const double work = shift < columns ? shift : columns;
    step->cost += (int64_t)(work * type->lanes / 4);
    return try_winograd(c, step, arena, work);
}
