/* Calls of foreign functions: found when a program is compiled, and made when it runs. */
#include "pjrt/plugin_ffi.h"

#include <stdlib.h>
#include <string.h>

typedef struct call {
    const fl_ffi_handler *handler;
    uint32_t operand_count, result_count;
    XLA_FFI_Attrs attrs;
    const fl_type *types;       /* of operands, then of results */
    const fl_literal **layouts; /* of both, minor to major; NULL: row by row */
    int32_t *aliases;           /* of each result: the operand whose memory it has, or -1 */
    fl_ffi_value state;         /* of the stage that instantiates */
} call;

struct fl_ffi_calls {
    fl_arena arena;
    uint32_t count, capacity;
    call **calls;
};

/* ---- compilation ---- */

/* JAX writes typed attributes under a name of its own. */
static const fl_literal *attributes_of(const fl_op *op, int *is_typed)
{
    const fl_literal *dict = fl_literal_get(op->extra, "mhlo.backend_config");
    if (!dict || dict->kind != FL_LIT_DICT) dict = fl_op_literal(op, FL_ATTR_backend_config);
    if (dict && dict->kind != FL_LIT_DICT) dict = NULL;
    *is_typed = dict || fl_op_int(op, FL_ATTR_api_version, FL_API_ORIGINAL) == FL_API_TYPED_FFI;
    return dict;
}

int fl_ffi_is_call(const fl_op *op)
{
    const fl_literal *number =
        op->code == FL_OP_custom_call ? fl_op_literal(op, FL_ATTR_backend_config) : NULL;
    return number && number->kind == FL_LIT_INT;
}

static fl_status set_number(fl_program *program, fl_op *op, uint32_t number)
{
    fl_literal *l = FL_NEW(&program->arena, fl_literal);
    fl_attr *attrs = FL_NEW_ARRAY(&program->arena, fl_attr, op->attr_count + 1);
    FL_CHECK(l && attrs, FL_OOM, "out of host memory");
    *l = (fl_literal){.kind = FL_LIT_INT, .dtype = FL_I64, .u.i = number};
    uint16_t n = 0;
    for (uint16_t i = 0; i < op->attr_count; i++)
        if (op->attrs[i].key != FL_ATTR_backend_config) attrs[n++] = op->attrs[i];
    uint16_t at = n++;
    for (; at > 0 && attrs[at - 1].key > FL_ATTR_backend_config; at--) attrs[at] = attrs[at - 1];
    attrs[at] = (fl_attr){.key = FL_ATTR_backend_config, .u.literal = l};
    op->attrs = attrs;
    op->attr_count = n;
    return NULL;
}

static int is_row_by_row(const fl_literal *layout)
{
    for (uint32_t i = 0; i < layout->count; i++)
        if (layout->u.ints[i] != (int64_t)(layout->count - 1 - i)) return 0;
    return 1;
}

static void read_layouts(call *c, const fl_literal *list, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; list && i < count && i < list->count; i++)
        if (!is_row_by_row(&list->u.items[i])) c->layouts[first + i] = &list->u.items[i];
}

static fl_status read_aliases(call *c, const fl_op *op)
{
    const fl_literal *list = fl_op_literal(op, FL_ATTR_output_operand_aliases);
    for (uint32_t r = 0; r < c->result_count; r++) c->aliases[r] = -1;
    for (uint32_t i = 0; list && i < list->count; i++) {
        const fl_literal *to = fl_literal_get(&list->u.items[i], "output_tuple_indices"),
                         *from = fl_literal_get(&list->u.items[i], "operand_index");
        int64_t r = to && to->count ? to->u.ints[0] : 0, k = from ? from->u.i : -1;
        FL_CHECK(r >= 0 && r < c->result_count && k >= 0 && k < c->operand_count, FL_INVALID,
                 "expected aliases of operands and results");
        const fl_type *operand = &c->types[k], *result = &c->types[c->operand_count + r];
        FL_CHECK(fl_type_equal(operand, result) && !c->layouts[k] == !c->layouts[c->operand_count + r],
                 FL_INVALID, "expected an alias of operand and result of one type");
        c->aliases[r] = (int32_t)k;
    }
    return NULL;
}

static fl_status read_types(call *c, const fl_program *program, const fl_op *op, fl_type *types)
{
    char text[160];
    for (uint32_t i = 0; i < c->operand_count + c->result_count; i++) {
        uint32_t r = i - c->operand_count;
        types[i] = *fl_type_of(program, i < c->operand_count ? op->operands[i] : op->first_result + r);
        FL_CHECK(types[i].kind == FL_TYPE_TOKEN || (fl_type_is_plain(&types[i]) && fl_ffi_type(&types[i])),
                 FL_UNSUPPORTED, "expected operands and results that handlers know, got %s",
                 fl_type_text(&types[i], text, sizeof text));
    }
    return NULL;
}

static fl_status instantiate(call *c)
{
    XLA_FFI_InvokeContext context = {.states = {&c->state}};
    XLA_FFI_CallFrame frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                               .api = fl_ffi_api(),
                               .ctx = &context,
                               .stage = XLA_FFI_ExecutionStage_INSTANTIATE,
                               .args = {.struct_size = XLA_FFI_Args_STRUCT_SIZE},
                               .rets = {.struct_size = XLA_FFI_Rets_STRUCT_SIZE},
                               .attrs = c->attrs};
    return c->handler->bundle.instantiate ? fl_ffi_invoke(c->handler->bundle.instantiate, &frame) : NULL;
}

static fl_status add_call(fl_ffi_calls *calls, fl_program *program, fl_op *op, const fl_ffi_handler *handler,
                          const fl_literal *attributes)
{
    uint32_t n = op->operand_count, all = n + op->result_count;
    if (calls->count == calls->capacity) {
        uint32_t capacity = 2 * calls->capacity + 8;
        call **more = realloc(calls->calls, capacity * sizeof *more);
        FL_CHECK(more, FL_OOM, "out of host memory");
        calls->calls = more;
        calls->capacity = capacity;
    }
    call *c = FL_NEW(&calls->arena, call);
    fl_type *types = FL_NEW_ARRAY(&calls->arena, fl_type, all + 1);
    FL_CHECK(c && types, FL_OOM, "out of host memory");
    *c = (call){.handler = handler, .operand_count = n, .result_count = op->result_count, .types = types};
    c->layouts = FL_NEW_ARRAY(&calls->arena, const fl_literal *, all + 1);
    c->aliases = FL_NEW_ARRAY(&calls->arena, int32_t, op->result_count + 1);
    FL_CHECK(c->layouts && c->aliases, FL_OOM, "out of host memory");
    FL_TRY(read_types(c, program, op, types));
    read_layouts(c, fl_op_literal(op, FL_ATTR_operand_layouts), 0, n);
    read_layouts(c, fl_op_literal(op, FL_ATTR_result_layouts), n, op->result_count);
    FL_TRY(read_aliases(c, op));
    FL_TRY(fl_ffi_attrs(&calls->arena, attributes, &c->attrs));
    FL_TRY(set_number(program, op, calls->count));
    calls->calls[calls->count++] = c;
    return instantiate(c);
}

static fl_status walk(fl_ffi_calls *calls, fl_program *program, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        fl_op *op = block->ops[i];
        for (uint32_t k = 0; k < op->region_count; k++) FL_TRY(walk(calls, program, op->regions[k]));
        const char *target =
            op->code == FL_OP_custom_call ? fl_op_string(op, FL_ATTR_call_target_name) : NULL;
        int is_typed;
        if (!target) continue;
        const fl_literal *attributes = attributes_of(op, &is_typed);
        const fl_ffi_handler *handler = is_typed ? fl_ffi_find(target) : NULL;
        if (handler)
            FL_TRY(fl_status_prefix(add_call(calls, program, op, handler, attributes), "custom call %s",
                                    target));
    }
    return NULL;
}

fl_status fl_ffi_calls_create(fl_program *program, fl_ffi_calls **out)
{
    *out = NULL;
    fl_ffi_calls *calls = calloc(1, sizeof *calls);
    FL_CHECK(calls, FL_OOM, "out of host memory");
    fl_status status = NULL;
    for (uint32_t i = 0; i < program->func_count && !status; i++)
        status = walk(calls, program, program->funcs[i]->body);
    if (!status && calls->count)
        *out = calls;
    else
        fl_ffi_calls_free(calls);
    return status;
}

void fl_ffi_calls_free(fl_ffi_calls *calls)
{
    if (!calls) return;
    for (uint32_t i = 0; i < calls->count; i++) fl_ffi_free_state(&calls->calls[i]->state);
    free(calls->calls);
    fl_arena_free(&calls->arena);
    free(calls);
}

/* ---- execution ---- */

typedef struct frame {
    XLA_FFI_Buffer *buffers; /* of operands, then of results */
    void **pointers;
    XLA_FFI_ArgType *kinds; /* all are buffers, and both enumerations say 1 */
    void **copies;          /* of what is laid out in another way; NULL: it is where the program has it */
} frame;

_Static_assert((int)XLA_FFI_ArgType_BUFFER == (int)XLA_FFI_RetType_BUFFER &&
                   sizeof(XLA_FFI_ArgType) == sizeof(XLA_FFI_RetType),
               "one array says what arguments and results are");

static void strides_of(const fl_type *type, const fl_literal *layout, int64_t *out)
{
    int64_t step = (int64_t)fl_dtype_bytes((fl_dtype)type->dtype);
    for (uint32_t i = 0; i < layout->count; i++) {
        out[layout->u.ints[i]] = step;
        step *= type->dims[layout->u.ints[i]];
    }
}

/* Between the program's array, row by row, and the handler's. */
static void lay_out(const call *c, uint32_t i, void *ours, void *theirs, int to_handler)
{
    const fl_type *t = &c->types[i];
    size_t element = fl_dtype_bytes((fl_dtype)t->dtype);
    int64_t rows[FL_MAX_RANK], strides[FL_MAX_RANK];
    if (!fl_type_elements(t)) return;
    fl_plugin_dense_strides(t->dims, t->rank, element, rows);
    strides_of(t, c->layouts[i], strides);
    if (to_handler)
        fl_plugin_copy(theirs, strides, ours, rows, t->dims, t->rank, element);
    else
        fl_plugin_copy(ours, rows, theirs, strides, t->dims, t->rank, element);
}

static size_t bytes_of(const fl_type *type)
{
    return type->kind == FL_TYPE_TOKEN ? 0 : fl_type_bytes(type);
}

static fl_status set_buffer(const call *c, frame *f, uint32_t i, void *data)
{
    const fl_type *type = &c->types[i];
    if (c->layouts[i]) {
        f->copies[i] = malloc(bytes_of(type) + 1);
        FL_CHECK(f->copies[i], FL_OOM, "out of host memory");
        if (i < c->operand_count) lay_out(c, i, data, f->copies[i], 1);
        data = f->copies[i];
    }
    f->buffers[i] = (XLA_FFI_Buffer){.struct_size = XLA_FFI_Buffer_STRUCT_SIZE,
                                     .dtype = fl_ffi_type(type),
                                     .data = data,
                                     .rank = type->rank,
                                     .dims = (int64_t *)(uintptr_t)type->dims};
    f->pointers[i] = &f->buffers[i];
    f->kinds[i] = XLA_FFI_ArgType_BUFFER;
    return NULL;
}

static fl_status set_buffers(const call *c, frame *f, const fl_custom_args *args)
{
    for (uint32_t i = 0; i < c->operand_count + c->result_count; i++)
        FL_TRY(set_buffer(c, f, i,
                          i < c->operand_count ? args->in[i].data : args->out[i - c->operand_count].data));
    for (uint32_t r = 0; r < c->result_count; r++) { /* the operand is where the result will be */
        if (c->aliases[r] < 0) continue;
        XLA_FFI_Buffer *from = &f->buffers[c->aliases[r]], *to = &f->buffers[c->operand_count + r];
        size_t bytes = bytes_of(&c->types[c->aliases[r]]);
        if (bytes) memcpy(to->data, from->data, bytes);
        from->data = to->data;
    }
    return NULL;
}

/* What stages before the last keep is theirs for one call. */
static fl_status run_stages(const call *c, const frame *f, const fl_ffi_run *run)
{
    XLA_FFI_Handler *const stages[FL_FFI_STAGES] = {
        NULL, c->handler->bundle.prepare, c->handler->bundle.initialize, c->handler->bundle.execute};
    fl_ffi_value states[FL_FFI_STAGES] = {{0}};
    XLA_FFI_InvokeContext context = {
        run, {(fl_ffi_value *)(uintptr_t)&c->state, &states[1], &states[2], &states[3]}};
    fl_status status = NULL;
    for (int stage = 1; stage < FL_FFI_STAGES && !status; stage++) {
        if (!stages[stage]) continue;
        XLA_FFI_CallFrame call_frame = {.struct_size = XLA_FFI_CallFrame_STRUCT_SIZE,
                                        .api = fl_ffi_api(),
                                        .ctx = &context,
                                        .stage = (XLA_FFI_ExecutionStage)stage,
                                        .args = {.struct_size = XLA_FFI_Args_STRUCT_SIZE,
                                                 .size = c->operand_count,
                                                 .types = f->kinds,
                                                 .args = f->pointers},
                                        .rets = {.struct_size = XLA_FFI_Rets_STRUCT_SIZE,
                                                 .size = c->result_count,
                                                 .types = (XLA_FFI_RetType *)(f->kinds + c->operand_count),
                                                 .rets = f->pointers + c->operand_count},
                                        .attrs = c->attrs};
        status = fl_ffi_invoke(stages[stage], &call_frame);
    }
    for (int stage = 1; stage < FL_FFI_STAGES; stage++) fl_ffi_free_state(&states[stage]);
    return status;
}

static fl_status check_types(const call *c, const fl_custom_args *args)
{
    int same = args->in_count == c->operand_count && args->out_count == c->result_count;
    for (uint32_t i = 0; same && i < c->operand_count; i++)
        same = fl_type_equal(args->in[i].type, &c->types[i]);
    for (uint32_t r = 0; same && r < c->result_count; r++)
        same = fl_type_equal(args->out[r].type, &c->types[c->operand_count + r]);
    FL_CHECK(same, FL_INVALID, "expected operands and results of the types it was compiled for");
    return NULL;
}

fl_status fl_ffi_call(const fl_ffi_calls *calls, int64_t number, const fl_custom_args *args,
                      const fl_ffi_run *run)
{
    FL_CHECK(calls && number >= 0 && number < calls->count, FL_INVALID,
             "expected the number of a foreign call, got %lld", (long long)number);
    const call *c = calls->calls[number];
    FL_TRY(check_types(c, args));
    uint32_t all = c->operand_count + c->result_count;
    size_t each = sizeof(XLA_FFI_Buffer) + 2 * sizeof(void *) + sizeof(XLA_FFI_ArgType);
    char *memory = calloc(all + 1, each);
    FL_CHECK(memory, FL_OOM, "out of host memory");
    frame f = {.buffers = (XLA_FFI_Buffer *)memory};
    f.pointers = (void **)(f.buffers + all);
    f.copies = f.pointers + all;
    f.kinds = (XLA_FFI_ArgType *)(f.copies + all);
    fl_status status = set_buffers(c, &f, args);
    if (!status) status = run_stages(c, &f, run);
    for (uint32_t i = c->operand_count; i < all && !status; i++)
        if (f.copies[i]) lay_out(c, i, args->out[i - c->operand_count].data, f.copies[i], 0);
    for (uint32_t i = 0; i < all; i++) free(f.copies[i]);
    free(memory);
    return status;
}
