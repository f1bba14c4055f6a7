/* A program together with the views of its arguments and results, as one program over arrays. */
#include "pjrt/client_wrap.h"

#include "ir/copy.h"
#include "ir/lu.h"
#include "ir/pool.h"

#include <stdlib.h>
#include <string.h>

typedef struct ref_list {
    fl_ref *items;
    uint32_t count, capacity;
} ref_list;

typedef struct wrapper {
    const fl_program *from;
    const fl_compile_options *options;
    fl_wrap_storage *storages;
    uint32_t storage_count;
    const fl_wrap_binding *inputs, *outputs;
    fl_builder *b;
    const fl_wrap_given *given; /* the program is appended to another one: no arguments, results and checks */
    fl_arena scratch;
    fl_ref *map;     /* of the program's values */
    fl_ref *arrays;  /* of each storage: the argument; FL_NO_REF: none */
    fl_ref *current; /* of each storage: what was written last; FL_NO_REF: nothing */
    fl_ref offsets;  /* the vector */
    uint32_t next_offset, depth;
    int is_xla_cpu;
    ref_list reports;       /* two for each check */
    ref_list host_operands; /* of all of them, one after another */
    fl_wrapped *out;        /* NULL: a plain copy, checks included */
} wrapper;

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

static fl_status append(wrapper *w, ref_list *list, fl_ref item)
{
    if (list->count == list->capacity) {
        uint32_t capacity = 2 * list->capacity + 16;
        fl_ref *items = FL_NEW_ARRAY(&w->scratch, fl_ref, capacity);
        if (!items) return no_memory();
        if (list->count) memcpy(items, list->items, list->count * sizeof *items);
        list->items = items;
        list->capacity = capacity;
    }
    list->items[list->count++] = item;
    return NULL;
}

/* ---- checks ---- */

/* Devices know no such call: it passes its operand on, and what it finds becomes a result: whether an
 * element is out of bounds, and the first such element. */
static fl_status add_check(wrapper *w, fl_ref index, const fl_index_check *check)
{
    fl_builder *b = w->b;
    int64_t n = fl_elements(b, index), one = 1;
    if (!n || b->status) return NULL;
    fl_wrap_check *checks = realloc(w->out->checks, (w->out->check_count + 1) * sizeof *checks);
    FL_CHECK(checks, FL_OOM, "out of host memory");
    w->out->checks = checks;
    char *what = strdup(check->what);
    FL_CHECK(what, FL_OOM, "out of host memory");
    checks[w->out->check_count++] = (fl_wrap_check){check->low, check->high, what};
    fl_ref x = fl_flatten(b, fl_cast(b, index, FL_I64)), end = fl_scalar_i(b, FL_I64, n);
    fl_ref bad = fl_or(b, fl_compare(b, FL_LT, x, fl_scalar_i(b, FL_I64, check->low)),
                       fl_compare(b, FL_GE, x, fl_scalar_i(b, FL_I64, check->high)));
    fl_ref at = fl_reduce_all(b, FL_OP_minimum, fl_select(b, bad, fl_iota(b, *fl_typeof(b, x), 0), end));
    fl_ref last = fl_min(b, at, fl_scalar_i(b, FL_I64, n - 1));
    fl_ref report[] = {fl_reshape(b, fl_cast(b, fl_compare(b, FL_LT, at, end), FL_I64), 1, &one),
                       fl_dynamic_slice(b, x, &last, &one)};
    for (int i = 0; i < 2; i++) FL_TRY(append(w, &w->reports, report[i]));
    return NULL;
}

/* Operations that compare values with expected ones belong to no device either. */
static int is_for_host(const fl_op *op)
{
    const char *target = op->code == FL_OP_custom_call ? fl_op_string(op, FL_ATTR_call_target_name) : NULL;
    if (op->result_count) return 0;
    return !strcmp(fl_op_infos[op->code].dialect, "check") || (target && !strncmp(target, "check.", 6));
}

static fl_status add_host_op(wrapper *w, const fl_op *op, const fl_ref *operands)
{
    const fl_op **ops = realloc(w->out->host_ops, (w->out->host_count + 1) * sizeof *ops);
    FL_CHECK(ops, FL_OOM, "out of host memory");
    w->out->host_ops = ops;
    ops[w->out->host_count++] = op;
    for (uint32_t i = 0; i < op->operand_count; i++) FL_TRY(append(w, &w->host_operands, operands[i]));
    return NULL;
}

/* ---- the program itself ---- */

static fl_status copy_block(wrapper *w, const fl_block *block);

static fl_ref *mapped(wrapper *w, const fl_ref *refs, uint32_t count)
{
    fl_ref *to = FL_NEW_ARRAY(&w->scratch, fl_ref, count + 1);
    for (uint32_t i = 0; to && i < count; i++) to[i] = w->map[refs[i]];
    return to;
}

static fl_status copy_region(wrapper *w, const fl_block *from, fl_block **out)
{
    fl_type *types = FL_NEW_ARRAY(&w->scratch, fl_type, from->arg_count + 1);
    if (!types) return no_memory();
    for (uint32_t i = 0; i < from->arg_count; i++) types[i] = *fl_type_of(w->from, from->first_arg + i);
    fl_block *to = fl_region_begin(w->b, types, from->arg_count);
    if (!to) return NULL; /* the builder says why */
    for (uint32_t i = 0; i < from->arg_count; i++) w->map[from->first_arg + i] = to->first_arg + i;
    w->depth++;
    FL_TRY(copy_block(w, from));
    w->depth--;
    fl_ref *results = mapped(w, from->results, from->result_count);
    if (!results) return no_memory();
    fl_region_end(w->b, to, results, from->result_count);
    *out = to;
    return NULL;
}

/* The compiler makes an arc tangent of that of a quotient by 1, and vectors of those wrongly: 60 elements and more are wrong
 * by anything. What it divides by is hidden from it. */
static int is_arc_tangent(const wrapper *w, const fl_op *op)
{
    return (op->code == FL_OP_atan || op->code == FL_OP_atan2) &&
           fl_is_float((fl_dtype)fl_type_of(w->from, op->first_result)->dtype);
}

static fl_ref arc_tangent(wrapper *w, const fl_op *op, const fl_ref *operands)
{
    fl_builder *b = w->b;
    fl_ref by = op->code == FL_OP_atan2 ? operands[1] : fl_full_like(b, operands[0], 1);
    by = fl_build(b, FL_OP_optimization_barrier, &by, 1, NULL, 0, NULL, 0);
    return fl_atan2(b, operands[0], by);
}

/* The compiler knows Qr and Eigh by their names, but not this. */
static int is_lu(const fl_op *op)
{
    const char *target = op->code == FL_OP_custom_call ? fl_op_string(op, FL_ATTR_call_target_name) : NULL;
    return target && !strcmp(target, "LuDecomposition") && op->operand_count == 1 && op->result_count == 3;
}

static void add_lu(wrapper *w, const fl_op *op, fl_ref a)
{
    fl_builder *b = w->b;
    const fl_type *types[3];
    for (uint32_t i = 0; i < 3; i++) types[i] = fl_type_of(w->from, op->first_result + i);
    const int rank = types[0]->rank;
    const int64_t m = types[0]->dims[rank - 2], n = types[0]->dims[rank - 1];
    int64_t flat[] = {1, m, n};
    for (int i = 0; i < rank - 2; i++) flat[0] *= types[0]->dims[i];
    fl_ref parts[3];
    parts[0] = fl_lu_by_columns(b, fl_reshape(b, a, 3, flat), 1, &parts[1]);
    parts[2] = fl_cast(b, fl_lu_order(b, parts[1], m), FL_I32);
    for (uint32_t i = 0; i < 3; i++)
        w->map[op->first_result + i] = fl_reshape(b, parts[i], types[i]->rank, types[i]->dims);
}

/* Running extremes with their places: it tries every window of those. 0: the operation is none. */
static int add_extreme(wrapper *w, const fl_op *op, const fl_ref *operands)
{
    const fl_pair_kind kind = fl_pair_kind_of(op);
    if (kind != FL_PAIR_MAX_LAST && kind != FL_PAIR_MIN_LAST) return 0;
    const fl_op *places = w->from->defs[op->operands[1]].op;
    const int64_t *sizes = fl_op_ints(op, FL_ATTR_window_dimensions, NULL),
                  *padding = fl_op_ints(op, FL_ATTR_padding, NULL);
    if (!places || places->code != FL_OP_iota || !sizes || !padding) return 0;
    const int dim = (int)fl_op_int(places, FL_ATTR_iota_dimension, 0);
    const int64_t n = fl_type_of(w->from, op->first_result)->dims[dim];
    if (sizes[dim] != n || padding[2 * dim] != n - 1) return 0;
    fl_running_extreme_apart(w->b, kind == FL_PAIR_MAX_LAST, operands[0], dim, &w->map[op->first_result],
                             &w->map[op->first_result + 1]);
    return 1;
}

static fl_status copy_op(wrapper *w, const fl_op *op)
{
    fl_index_check check;
    fl_ref *operands = mapped(w, op->operands, op->operand_count);
    fl_block **regions = FL_NEW_ARRAY(&w->scratch, fl_block *, op->region_count + 1);
    fl_type *types = FL_NEW_ARRAY(&w->scratch, fl_type, op->result_count + 1);
    if (!operands || !regions || !types) return no_memory();
    if (w->out && fl_is_check_index(op, &check)) {
        w->map[op->first_result] = operands[0];
        /* within a region there is no place to report to */
        return w->depth || w->given ? NULL : add_check(w, operands[0], &check);
    }
    if (w->out && !w->depth && is_for_host(op)) return w->given ? NULL : add_host_op(w, op, operands);
    if (w->is_xla_cpu && is_arc_tangent(w, op)) {
        w->map[op->first_result] = arc_tangent(w, op, operands);
        return NULL;
    }
    if (w->is_xla_cpu && add_extreme(w, op, operands)) return NULL;
    if (w->is_xla_cpu && is_lu(op)) {
        add_lu(w, op, operands[0]);
        return NULL;
    }
    for (uint32_t i = 0; i < op->region_count; i++) FL_TRY(copy_region(w, op->regions[i], &regions[i]));
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = *fl_type_of(w->from, op->first_result + i);
    fl_ref first = fl_build_known(w->b, (fl_opcode)op->code, operands, op->operand_count, op->attrs,
                                  op->attr_count, regions, op->region_count, types, op->result_count);
    if (w->b->status) return NULL;
    fl_op *made = fl_last_op(w->b);
    if (op->extra && !(made->extra = fl_literal_keep(&w->b->program->arena, op->extra))) return no_memory();
    for (uint32_t i = 0; i < op->result_count; i++) w->map[op->first_result + i] = first + i;
    return NULL;
}

static fl_status copy_block(wrapper *w, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count && !w->b->status; i++) FL_TRY(copy_op(w, block->ops[i]));
    return NULL;
}

/* ---- views ---- */

static fl_view view_of(wrapper *w, const fl_type *type, const fl_layout *layouts, uint32_t i,
                       const fl_wrap_binding *binding, const int64_t *starts, const fl_ref *offsets)
{
    fl_view view = {.type = type,
                    .strides = layouts ? layouts[i].strides : NULL,
                    .offset = offsets ? offsets[i] : FL_NO_REF,
                    .start = starts ? starts[i] : 0,
                    .is_box = offsets && offsets[i]};
    if (binding->has_offset) {
        int64_t at = w->next_offset++;
        view.offset = fl_reshape(w->b, fl_slice_dim(w->b, w->offsets, 0, at, at + 1, 1), 0, NULL);
    }
    return view;
}

static fl_ref zeros(fl_builder *b, fl_dtype dtype, int64_t count)
{
    static const uint8_t bytes[16];
    return fl_broadcast_to(b, fl_constant(b, fl_type_make(dtype, 0, NULL), bytes), 1, &count);
}

static fl_ref array_of(const wrapper *w, uint32_t storage)
{
    return w->current[storage] ? w->current[storage] : w->arrays[storage];
}

/* The whole storage as a one-dimensional array of the type. */
static fl_ref flat(wrapper *w, uint32_t storage, fl_dtype dtype, fl_ref array)
{
    size_t width = fl_dtype_bytes(dtype);
    int64_t count = (int64_t)((w->storages[storage].bytes + width - 1) / width);
    if (!array) return zeros(w->b, dtype, count);
    return fl_extend(w->b, fl_reinterpret(w->b, fl_flatten(w->b, array), dtype), count);
}

static int same_shape(const fl_type *a, const fl_type *b)
{
    return a->dtype == b->dtype && a->rank == b->rank && !memcmp(a->dims, b->dims, a->rank * sizeof *a->dims);
}

static fl_ref read_input(wrapper *w, uint32_t i)
{
    const fl_wrap_binding *in = &w->inputs[i];
    const fl_type *type = fl_type_of(w->from, w->from->main->first_arg + i);
    if (in->storage == FL_WRAP_EMPTY)
        return fl_constant(w->b, fl_type_make((fl_dtype)type->dtype, type->rank, type->dims), "");
    fl_view view = view_of(w, type, w->options->inputs, i, in, w->given ? w->given->input_starts : NULL,
                           w->given ? w->given->input_offsets : NULL);
    fl_ref array = w->arrays[in->storage];
    if (array && same_shape(type, &w->storages[in->storage].type) && fl_view_is_dense(&view)) return array;
    return fl_view_read(w->b, flat(w, in->storage, (fl_dtype)type->dtype, array), &view);
}

/* The result is all that the storage holds. */
static int covers(const fl_wrap_storage *s, const fl_view *view)
{
    return fl_view_is_packed(view) && (!s->has_array || fl_type_bytes(view->type) == s->bytes);
}

static void write_output(wrapper *w, uint32_t i)
{
    const fl_wrap_binding *out = &w->outputs[i];
    if (out->storage == FL_WRAP_EMPTY) return;
    fl_ref result = w->from->main->results[i], value = w->map[result];
    const fl_type *type = fl_type_of(w->from, result);
    fl_view view = view_of(w, type, w->options->outputs, i, out, w->given ? w->given->output_starts : NULL,
                           w->given ? w->given->output_offsets : NULL);
    fl_ref *current = &w->current[out->storage];
    if (!*current && covers(&w->storages[out->storage], &view))
        *current = fl_view_pack(w->b, &view, value);
    else
        *current = fl_view_write(
            w->b, flat(w, out->storage, (fl_dtype)type->dtype, array_of(w, out->storage)), &view, value);
}

/* ---- the whole ---- */

/* Which arrays are read: those of arguments, and those of which results overwrite a part. */
static void find_inputs_and_outputs(wrapper *w)
{
    const fl_block *main = w->from->main;
    for (uint32_t s = 0; s < w->storage_count; s++) w->storages[s].is_input = w->storages[s].is_output = 0;
    for (uint32_t i = 0; i < main->arg_count; i++)
        if (w->inputs[i].storage < w->storage_count)
            w->storages[w->inputs[i].storage].is_input |= w->storages[w->inputs[i].storage].has_array;
    for (uint32_t i = 0; i < main->result_count; i++) {
        if (w->outputs[i].storage >= w->storage_count) continue;
        fl_wrap_storage *s = &w->storages[w->outputs[i].storage];
        fl_view view = {.type = fl_type_of(w->from, main->results[i]),
                        .strides = w->options->outputs ? w->options->outputs[i].strides : NULL,
                        .offset = w->outputs[i].has_offset};
        if (s->has_array && !covers(s, &view)) s->is_input = 1;
        s->is_output = 1;
    }
}

static void add_parameters(wrapper *w)
{
    const fl_block *main = w->from->main;
    for (uint32_t s = 0; s < w->storage_count; s++)
        if (w->storages[s].is_input) w->arrays[s] = fl_parameter(w->b, w->storages[s].type);
    for (uint32_t i = 0; i < main->arg_count; i++)
        if (w->inputs[i].storage == FL_WRAP_HOST)
            w->map[main->first_arg + i] = fl_parameter(w->b, *fl_type_of(w->from, main->first_arg + i));
    for (uint32_t i = 0; i < main->arg_count; i++) w->out->offset_count += w->inputs[i].has_offset;
    for (uint32_t i = 0; i < main->result_count; i++) w->out->offset_count += w->outputs[i].has_offset;
    int64_t count = w->out->offset_count;
    if (count) w->offsets = fl_parameter(w->b, fl_type_make(FL_I64, 1, &count));
}

/* An array that is read and replaced by one of its own type lends its memory to it. */
static fl_status lend_arrays(const wrapper *w, fl_program *program)
{
    uint32_t args = program->main->arg_count, arg = 0, result = 0, lent = 0;
    fl_literal *dicts = FL_NEW_ARRAY(&program->arena, fl_literal, args + 1),
               *all = FL_NEW(&program->arena, fl_literal);
    if (!dicts || !all) return no_memory();
    for (uint32_t i = 0; i < args; i++) dicts[i].kind = FL_LIT_DICT;
    for (uint32_t s = 0; s < w->storage_count; s++) {
        const fl_wrap_storage *storage = &w->storages[s];
        if (storage->is_input && storage->is_output && same_shape(&storage->type, &storage->result)) {
            fl_entry *entry = FL_NEW(&program->arena, fl_entry);
            if (!entry) return no_memory();
            *entry = (fl_entry){"tf.aliasing_output", {.kind = FL_LIT_INT, .dtype = FL_I32, .u.i = result}};
            dicts[arg].count = 1;
            dicts[arg].u.entries = entry;
            lent++;
        }
        arg += storage->is_input;
        result += storage->is_output;
    }
    *all = (fl_literal){.kind = FL_LIT_ARRAY, .count = args, .u.items = dicts};
    if (lent) program->funcs[0]->arg_attrs = all;
    return NULL;
}

static fl_status build(wrapper *w)
{
    const fl_block *main = w->from->main;
    find_inputs_and_outputs(w);
    add_parameters(w);
    for (uint32_t i = 0; i < main->arg_count; i++)
        if (w->inputs[i].storage != FL_WRAP_HOST) w->map[main->first_arg + i] = read_input(w, i);
    FL_TRY(copy_block(w, main));
    for (uint32_t i = 0; i < main->result_count && !w->b->status; i++) write_output(w, i);
    fl_ref *results = FL_NEW_ARRAY(&w->scratch, fl_ref, w->storage_count + w->host_operands.count + 1);
    if (!results) return no_memory();
    uint32_t count = 0;
    for (uint32_t s = 0; s < w->storage_count; s++) {
        if (!w->storages[s].is_output) continue;
        w->storages[s].result = *fl_typeof(w->b, w->current[s]);
        results[count++] = w->current[s];
    }
    if (w->reports.count) results[count++] = fl_concat(w->b, w->reports.items, w->reports.count, 0);
    for (uint32_t i = 0; i < w->host_operands.count; i++) results[count++] = w->host_operands.items[i];
    w->out->host_operand_count = w->host_operands.count;
    FL_TRY(fl_builder_finish(w->b, results, count, &w->out->program));
    return lend_arrays(w, w->out->program);
}

static int make_maps(wrapper *w)
{
    w->map = FL_NEW_ARRAY(&w->scratch, fl_ref, w->from->def_count);
    w->arrays = FL_NEW_ARRAY(&w->scratch, fl_ref, w->storage_count + 1);
    w->current = FL_NEW_ARRAY(&w->scratch, fl_ref, w->storage_count + 1);
    return w->map && w->arrays && w->current;
}

fl_status fl_wrap(const fl_program *program, const fl_compile_options *options, fl_wrap_storage *storages,
                  uint32_t storage_count, const fl_wrap_binding *inputs, const fl_wrap_binding *outputs,
                  int is_xla_cpu, fl_wrapped *out)
{
    *out = (fl_wrapped){0};
    fl_builder b;
    wrapper w = {.from = program,
                 .b = &b,
                 .options = options,
                 .storages = storages,
                 .storage_count = storage_count,
                 .inputs = inputs,
                 .outputs = outputs,
                 .is_xla_cpu = is_xla_cpu,
                 .out = out};
    FL_TRY(fl_builder_init(&b, "main")); /* the name that plugins look for */
    fl_status status = make_maps(&w) ? build(&w) : no_memory();
    if (status) fl_builder_abandon(&b); /* nothing is left of it where the builder itself failed */
    fl_arena_free(&w.scratch);
    if (status) fl_wrapped_free(out);
    return status;
}

static fl_status append_program(wrapper *w)
{
    const fl_block *main = w->from->main;
    find_inputs_and_outputs(w);
    for (uint32_t s = 0; s < w->storage_count; s++)
        w->arrays[s] = w->storages[s].has_array ? w->given->arrays[s] : FL_NO_REF;
    for (uint32_t i = 0; i < main->arg_count; i++)
        w->map[main->first_arg + i] =
            w->inputs[i].storage == FL_WRAP_HOST ? w->given->values[i] : read_input(w, i);
    FL_TRY(copy_block(w, main));
    for (uint32_t i = 0; i < main->result_count && !w->b->status; i++) write_output(w, i);
    for (uint32_t s = 0; s < w->storage_count; s++) w->given->results[s] = w->current[s];
    return NULL;
}

fl_status fl_wrap_append(fl_builder *b, const fl_program *program, const fl_compile_options *options,
                         fl_wrap_storage *storages, uint32_t storage_count, const fl_wrap_binding *inputs,
                         const fl_wrap_binding *outputs, const fl_wrap_given *given)
{
    fl_wrapped none = {0};
    wrapper w = {.from = program,
                 .options = options,
                 .storages = storages,
                 .storage_count = storage_count,
                 .inputs = inputs,
                 .outputs = outputs,
                 .b = b,
                 .given = given,
                 .out = given->keep_checks ? NULL : &none};
    fl_status status = make_maps(&w) ? append_program(&w) : no_memory();
    fl_arena_free(&w.scratch);
    return status;
}

fl_status fl_wrap_inline(fl_builder *b, const fl_program *program, const fl_ref *args, fl_ref *results)
{
    const fl_block *main = program->main;
    wrapper w = {.from = program, .b = b};
    w.map = FL_NEW_ARRAY(&w.scratch, fl_ref, program->def_count);
    for (uint32_t i = 0; w.map && i < main->arg_count; i++) w.map[main->first_arg + i] = args[i];
    fl_status status = w.map ? copy_block(&w, main) : no_memory();
    for (uint32_t i = 0; !status && i < main->result_count; i++) results[i] = w.map[main->results[i]];
    fl_arena_free(&w.scratch);
    return status;
}

static fl_status copy(wrapper *w, fl_program **out)
{
    const fl_block *main = w->from->main;
    for (uint32_t i = 0; i < main->arg_count; i++)
        w->map[main->first_arg + i] = fl_parameter(w->b, *fl_type_of(w->from, main->first_arg + i));
    FL_TRY(copy_block(w, main));
    fl_ref *results = mapped(w, main->results, main->result_count);
    return results ? fl_builder_finish(w->b, results, main->result_count, out) : no_memory();
}

fl_status fl_wrap_copy(const fl_program *program, fl_program **out)
{
    fl_builder b;
    wrapper w = {.from = program, .b = &b};
    *out = NULL;
    FL_TRY(fl_builder_init(&b, program->name));
    w.map = FL_NEW_ARRAY(&w.scratch, fl_ref, program->def_count);
    fl_status status = w.map ? copy(&w, out) : no_memory();
    if (status) fl_builder_abandon(&b);
    fl_arena_free(&w.scratch);
    return status;
}

void fl_wrapped_free(fl_wrapped *wrapped)
{
    for (uint32_t i = 0; i < wrapped->check_count; i++) free(wrapped->checks[i].what);
    free(wrapped->checks);
    free(wrapped->host_ops);
    fl_program_destroy(wrapped->program);
    *wrapped = (fl_wrapped){0};
}
