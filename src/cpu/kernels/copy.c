/* concatenate, pad, dynamic_slice, dynamic_update_slice, bitcast_convert: all of them strided copies made ready in advance. */
#include "cpu/kernels/kernel.h"

#include <string.h>

/* concatenate: one copy an operand, at its offset in the result */

typedef struct concatenate_data {
    int64_t offset; /* bytes */
    fl_copy copy;
} concatenate_data;

static fl_status run_concatenate(const fl_step *step, void *const *slots)
{
    const concatenate_data *parts = step->data;
    char *to = fl_operand_pointer(&step->outputs[0], slots);
    for (int i = 0; i < step->input_count; i++)
        fl_copy_run(&parts[i].copy, to + parts[i].offset, fl_operand_pointer(&step->inputs[i], slots));
    return NULL;
}

fl_status fl_prepare_concatenate(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *out = &step->outputs[0];
    int64_t dim = fl_op_int(step->op, FL_ATTR_dimension, 0), at = 0, dense[FL_MAX_RANK];
    size_t element = fl_dtype_bytes((fl_dtype)out->dtype);
    concatenate_data *parts = FL_NEW_ARRAY(arena, concatenate_data, step->input_count);
    if (!parts) return FL_NO_MEMORY();
    fl_dense_strides(out->rank, out->dims, dense);
    for (int i = 0; i < step->input_count; i++) {
        const fl_operand *in = &step->inputs[i];
        parts[i].offset = at * dense[dim] * (int64_t)element;
        fl_copy_prepare(&parts[i].copy, element, in->rank, in->dims, dense, in->strides);
        at += in->dims[dim];
    }
    step->run = run_concatenate;
    step->data = parts;
    step->cost = fl_step_traffic(step);
    return NULL;
}

/* pad: the operand goes inside; the border is filled as two slabs a dimension, or all of the result when there is padding
 * between the elements */

typedef struct pad_data {
    int64_t to_offset, from_offset; /* bytes */
    fl_copy inside;
    int fill_count;
    struct pad_fill {
        int64_t offset;
        fl_copy copy;
    } fills[];
} pad_data;

static fl_status run_pad(const fl_step *step, void *const *slots)
{
    const pad_data *pad = step->data;
    char *to = fl_operand_pointer(&step->outputs[0], slots);
    const char *value = fl_operand_pointer(&step->inputs[1], slots);
    for (int i = 0; i < pad->fill_count; i++)
        fl_copy_run(&pad->fills[i].copy, to + pad->fills[i].offset, value);
    const char *from = fl_operand_pointer(&step->inputs[0], slots);
    fl_copy_run(&pad->inside, to + pad->to_offset, from + pad->from_offset);
    return NULL;
}

static void add_fill(pad_data *pad, const fl_operand *out, const int64_t *box, int64_t offset)
{
    static const int64_t zeros[FL_MAX_RANK];
    int64_t dense[FL_MAX_RANK], element = (int64_t)fl_dtype_bytes((fl_dtype)out->dtype);
    fl_dense_strides(out->rank, out->dims, dense);
    struct pad_fill *fill = &pad->fills[pad->fill_count];
    fl_copy_prepare(&fill->copy, (size_t)element, out->rank, box, dense, zeros);
    fill->offset = offset * element;
    if (fill->copy.rows) pad->fill_count++;
}

static int64_t ceil_div(int64_t a, int64_t b) /* b > 0 */
{
    return a / b + (a % b > 0);
}

fl_status fl_prepare_pad(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[0];
    const int64_t *low = fl_op_ints(step->op, FL_ATTR_edge_padding_low, NULL);
    const int64_t *interior = fl_op_ints(step->op, FL_ATTR_interior_padding, NULL);
    int64_t element = (int64_t)fl_dtype_bytes((fl_dtype)out->dtype), dense[FL_MAX_RANK], count[FL_MAX_RANK],
            to[FL_MAX_RANK];
    int64_t first[FL_MAX_RANK]; /* where the first element of the inside lies in the result */
    pad_data *pad =
        fl_arena_zalloc(arena, 1, sizeof *pad + (2 * (size_t)out->rank + 1) * sizeof pad->fills[0]);
    if (!pad) return FL_NO_MEMORY();
    fl_dense_strides(out->rank, out->dims, dense);
    int scattered = 0, empty = 0;
    for (int d = 0; d < out->rank; d++) {
        int64_t spacing = 1 + (interior ? interior[d] : 0), l = low ? low[d] : 0;
        int64_t begin = l < 0 ? ceil_div(-l, spacing) : 0; /* first element of the operand that stays */
        int64_t end = FL_MIN(in->dims[d], ceil_div(out->dims[d] - l, spacing)); /* and one after the last */
        count[d] = FL_MAX(end - begin, 0);
        first[d] = l + begin * spacing;
        to[d] = dense[d] * spacing;
        scattered |= spacing > 1;
        empty |= count[d] == 0;
        pad->to_offset += first[d] * dense[d] * element;
        pad->from_offset += begin * in->strides[d] * element;
    }
    if (empty) pad->to_offset = pad->from_offset = 0;
    fl_copy_prepare(&pad->inside, (size_t)element, out->rank, count, to, in->strides);
    int64_t box[FL_MAX_RANK], offset = 0;
    memcpy(box, out->dims, sizeof box);
    if (scattered || empty) {
        add_fill(pad, out, box, 0);
    } else {
        for (int d = 0; d < out->rank; d++) {
            box[d] = first[d];
            add_fill(pad, out, box, offset);
            box[d] = out->dims[d] - first[d] - count[d];
            add_fill(pad, out, box, offset + (first[d] + count[d]) * dense[d]);
            box[d] = count[d];
            offset += first[d] * dense[d];
        }
    }
    step->run = run_pad;
    step->data = pad;
    step->cost = fl_step_traffic(step);
    return NULL;
}

/* dynamic_slice, dynamic_update_slice: the start indices are scalars known when the step runs, clamped */

static int64_t start_offset(const fl_step *step, void *const *slots, int first_index, const int64_t *dims,
                            const int64_t *window, const int64_t *strides, int rank)
{
    int64_t offset = 0;
    for (int d = 0; d < rank; d++) {
        const fl_operand *o = &step->inputs[first_index + d];
        int64_t at = fl_load_index((fl_dtype)o->dtype, fl_operand_pointer(o, slots)),
                most = dims[d] - window[d];
        offset += (at < 0 ? 0 : at > most ? most : at) * strides[d];
    }
    return offset;
}

static fl_status run_dynamic_slice(const fl_step *step, void *const *slots)
{
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[0];
    int64_t offset = start_offset(step, slots, 1, in->dims, out->dims, in->strides, in->rank);
    const char *from = fl_operand_pointer(in, slots);
    fl_copy_run(step->data, fl_operand_pointer(out, slots),
                from + offset * (int64_t)fl_dtype_bytes((fl_dtype)in->dtype));
    return NULL;
}

fl_status fl_prepare_dynamic_slice(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    fl_copy *copy = FL_NEW(arena, fl_copy);
    if (!copy) return FL_NO_MEMORY();
    fl_copy_prepare_step(copy, step, 0, 0);
    step->run = run_dynamic_slice;
    step->data = copy;
    step->cost = 2 * (int64_t)fl_operand_bytes(&step->outputs[0]);
    return NULL;
}

typedef struct update_data {
    fl_copy all, update;
    int64_t strides[FL_MAX_RANK];
} update_data;

static fl_status run_dynamic_update_slice(const fl_step *step, void *const *slots)
{
    const update_data *data = step->data;
    const fl_operand *in = &step->inputs[0], *update = &step->inputs[1], *out = &step->outputs[0];
    char *to = fl_operand_pointer(out, slots);
    const char *from = fl_operand_pointer(in, slots);
    int64_t offset = start_offset(step, slots, 2, out->dims, update->dims, data->strides, out->rank);
    if (to != from) fl_copy_run(&data->all, to, from); /* equal when the operand was donated */
    fl_copy_run(&data->update, to + offset * (int64_t)fl_dtype_bytes((fl_dtype)out->dtype),
                fl_operand_pointer(update, slots));
    return NULL;
}

fl_status fl_prepare_dynamic_update_slice(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *update = &step->inputs[1], *out = &step->outputs[0];
    update_data *data = FL_NEW(arena, update_data);
    if (!data) return FL_NO_MEMORY();
    fl_dense_strides(out->rank, out->dims, data->strides);
    fl_copy_prepare_step(&data->all, step, 0, 0);
    fl_copy_prepare(&data->update, fl_dtype_bytes((fl_dtype)out->dtype), out->rank, update->dims,
                    data->strides, update->strides);
    step->run = run_dynamic_update_slice;
    step->data = data;
    step->cost = fl_step_traffic(step);
    return NULL;
}

/* bitcast_convert: the bytes of a dense operand are those of the result, whatever the widths (the engine stores elements
 * little-endian, the least significant part first) */

static fl_status run_bitcast_convert(const fl_step *step, void *const *slots)
{
    fl_copy_run(step->data, fl_operand_pointer(&step->outputs[0], slots),
                fl_operand_pointer(&step->inputs[0], slots));
    return NULL;
}

fl_status fl_prepare_bitcast_convert(const fl_program *program, fl_step *step, fl_arena *arena)
{
    (void)program;
    const fl_operand *in = &step->inputs[0], *out = &step->outputs[0];
    const fl_dtype_info *a = &fl_dtypes[in->dtype], *b = &fl_dtypes[out->dtype];
    int same = a->bits == b->bits;
    if (!same && (a->bits != 8 * a->bytes || b->bits != 8 * b->bytes))
        return FL_NO_KERNEL(); /* packing below a byte */
    fl_copy *copy = FL_NEW(arena, fl_copy);
    if (!copy) return FL_NO_MEMORY();
    int64_t dense[FL_MAX_RANK]; /* dense_inputs: the operand's strides are row-major */
    fl_dense_strides(in->rank, in->dims, dense);
    fl_copy_prepare(copy, a->bytes, in->rank, in->dims, dense, dense);
    step->run = run_bitcast_convert;
    step->data = copy;
    step->cost = fl_step_traffic(step);
    return NULL;
}
