/* Refinement: copies the entry function into a new program, with calls inlined, sizes filled in, and small values computed on
 * the way, since shapes are computed by the program itself. */
#include "opt/bounded.h"

#include "ref/reference.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 100, MOST_OPS = 1 << 20 };

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

void fl_set_known(fl_refiner *r, fl_ref value, const void *data)
{
    if (value >= r->known_capacity) {
        uint32_t capacity = 2 * value + 64;
        const void **known = realloc(r->known, capacity * sizeof *known);
        if (!known) return fl_builder_fail(&r->b, no_memory());
        memset(known + r->known_capacity, 0, (capacity - r->known_capacity) * sizeof *known);
        r->known = known;
        r->known_capacity = capacity;
    }
    r->known[value] = data;
}

static int is_known(const fl_refiner *r, fl_ref value)
{
    return value < r->known_capacity && r->known[value];
}

/* ---- computing what is small and known ---- */

static int is_small(const fl_type *type)
{
    return fl_type_is_static(type) && fl_type_bytes(type) <= FL_KNOWN_BYTES;
}

static int can_fold(const fl_refiner *r, const fl_op *op)
{
    if (op->region_count || !op->result_count || fl_op_infos[op->code].traits & FL_TRAIT_S) return 0;
    if (op->code == FL_OP_optimization_barrier || op->operand_count > 64 || op->result_count > 8) return 0;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!is_known(r, op->operands[i])) return 0;
    for (uint32_t i = 0; i < op->result_count; i++)
        if (!is_small(fl_typeof(&r->b, op->first_result + i))) return 0;
    return 1;
}

static fl_status fold(fl_refiner *r, const fl_op *op)
{
    const void *operands[64];
    void *results[8];
    if (!can_fold(r, op)) return NULL;
    for (uint32_t i = 0; i < op->operand_count; i++) operands[i] = r->known[op->operands[i]];
    for (uint32_t i = 0; i < op->result_count; i++) {
        results[i] = fl_arena_zalloc(&r->scratch, FL_KNOWN_BYTES / 16 + 1, 16);
        FL_CHECK(results[i], FL_OOM, "out of host memory");
    }
    fl_status s = fl_reference_op(r->b.program, op, operands, results);
    if (fl_status_code(s) == FL_UNSUPPORTED) { /* then it is not known */
        fl_status_free(s);
        return NULL;
    }
    FL_TRY(s);
    for (uint32_t i = 0; i < op->result_count; i++) fl_set_known(r, op->first_result + i, results[i]);
    return NULL;
}

/* ---- copying ---- */

static const fl_ref *mapped(fl_refiner *r, const fl_ref *refs, uint32_t count)
{
    fl_ref *to = FL_NEW_ARRAY(&r->scratch, fl_ref, count + 1);
    if (!to) fl_builder_fail(&r->b, no_memory());
    for (uint32_t i = 0; to && i < count; i++) to[i] = r->map[refs[i]];
    return to;
}

static fl_type stated_type(const fl_refiner *r, const fl_type *type)
{
    fl_type t = r->at_bounds ? fl_at_bounds(type) : *type;
    if (t.dtype == FL_IDX) t.dtype = FL_I64;
    return t;
}

static fl_status need_static(const fl_refiner *r, fl_ref value)
{
    const fl_type *type = fl_typeof(&r->b, value);
    char text[160];
    int shaped =
        type->kind == FL_TYPE_TENSOR || type->kind == FL_TYPE_UNRANKED || type->kind == FL_TYPE_BUFFER;
    FL_CHECK(!shaped || fl_type_is_static(type), FL_UNSUPPORTED,
             "expected sizes that follow from the shapes of the arguments, got %s",
             fl_type_text(type, text, sizeof text));
    return NULL;
}

/* The arguments of a loop's regions have the types of its operands; those of other regions are as they are. */
fl_block *fl_refine_region(fl_refiner *r, const fl_op *op, const fl_ref *operands, const fl_block *from)
{
    fl_type *types = FL_NEW_ARRAY(&r->scratch, fl_type, from->arg_count + 1);
    if (!types) {
        fl_builder_fail(&r->b, no_memory());
        return NULL;
    }
    int loop = op->code == FL_OP_while && from->arg_count == op->operand_count;
    for (uint32_t i = 0; i < from->arg_count; i++)
        types[i] =
            loop ? *fl_typeof(&r->b, operands[i]) : stated_type(r, fl_type_of(r->from, from->first_arg + i));
    fl_block *to = fl_region_begin(&r->b, types, from->arg_count);
    if (!to) return NULL;
    for (uint32_t i = 0; i < from->arg_count; i++) r->map[from->first_arg + i] = to->first_arg + i;
    fl_status s = fl_refine_block(r, from);
    if (s) fl_builder_fail(&r->b, s);
    const fl_ref *results = mapped(r, from->results, from->result_count);
    fl_region_end(&r->b, to, results, from->result_count);
    return to;
}

fl_status fl_refine_copy(fl_refiner *r, const fl_op *op, const fl_ref *operands)
{
    fl_block **regions = FL_NEW_ARRAY(&r->scratch, fl_block *, op->region_count + 1);
    fl_type *types = FL_NEW_ARRAY(&r->scratch, fl_type, op->result_count + 1);
    FL_CHECK(regions && types, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < op->region_count; i++)
        regions[i] = fl_refine_region(r, op, operands, op->regions[i]);
    for (uint32_t i = 0; i < op->result_count; i++)
        types[i] = stated_type(r, fl_type_of(r->from, op->first_result + i));
    fl_ref first = fl_build_refined(&r->b, (fl_opcode)op->code, operands, op->operand_count, op->attrs,
                                    op->attr_count, regions, op->region_count, types, op->result_count);
    if (r->b.status) return NULL;
    fl_op *made = fl_last_op(&r->b);
    if (op->extra) made->extra = fl_literal_keep(&r->b.program->arena, op->extra);
    FL_CHECK(!op->extra || made->extra, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < op->result_count; i++) {
        r->map[op->first_result + i] = first + i;
        FL_TRY(need_static(r, first + i));
    }
    return NULL;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(fl_func *const *)a)->name, (*(fl_func *const *)b)->name);
}

const fl_func *fl_refine_function(const fl_refiner *r, const char *name)
{
    const fl_func key = {.name = name}, *wanted = &key;
    fl_func **found = bsearch(&wanted, r->by_name, r->from->func_count, sizeof *r->by_name, compare_names);
    return found ? *found : NULL;
}

static fl_status inline_block(fl_refiner *r, const fl_op *op, const fl_ref *operands, const fl_block *body)
{
    for (uint32_t i = 0; i < op->operand_count; i++) {
        r->map[body->first_arg + i] = operands[i];
        fl_set_sizes(r, body->first_arg + i, fl_sizes_of(r, op->operands[i]));
    }
    FL_TRY(fl_refine_block(r, body));
    for (uint32_t i = 0; i < op->result_count; i++) {
        r->map[op->first_result + i] = r->map[body->results[i]];
        fl_set_sizes(r, op->first_result + i, fl_sizes_of(r, body->results[i]));
    }
    return NULL;
}

/* An operation of CHLO that a composite stands for: "chlo.erf" of floats. FL_OP_NONE: none. */
static fl_opcode composed_operation(const fl_refiner *r, const fl_op *op, const fl_ref *operands)
{
    const char *name = fl_op_string(op, FL_ATTR_name);
    const fl_type *type = op->result_count == 1 ? fl_type_of(r->from, op->first_result) : NULL;
    if (op->code != FL_OP_composite || !name || strncmp(name, "chlo.", 5) != 0 || !type ||
        !fl_type_is_plain(type) ||
        !(type->dtype == FL_F64 || type->dtype == FL_F32 || type->dtype == FL_F16 || type->dtype == FL_BF16))
        return FL_OP_NONE;
    for (uint32_t i = 0; i < op->operand_count; i++)
        if (!fl_type_equal(fl_typeof(&r->b, operands[i]), type)) return FL_OP_NONE;
    for (int code = 1; code < FL_OPCODE_COUNT; code++) {
        const fl_op_info *info = &fl_op_infos[code];
        if (!strcmp(info->dialect, "chlo") && info->traits & FL_TRAIT_E &&
            info->operands == op->operand_count && !strcmp(info->name, name + 5))
            return strncmp(info->name, "is_", 3) ? (fl_opcode)code : FL_OP_NONE;
    }
    return FL_OP_NONE;
}

static fl_status inline_call(fl_refiner *r, const fl_op *op, const fl_ref *operands)
{
    const char *name = fl_op_string(op, op->code == FL_OP_composite ? FL_ATTR_decomposition : FL_ATTR_callee);
    const fl_func *callee = name ? fl_refine_function(r, name) : NULL;
    FL_CHECK(callee && !callee->is_declaration, FL_INVALID, "expected a function @%s with a body",
             name ? name : "");
    FL_CHECK(callee->body->arg_count == op->operand_count && callee->body->result_count == op->result_count,
             FL_INVALID, "expected a call that fits @%s", name);
    fl_opcode known = composed_operation(r, op, operands);
    if (known != FL_OP_NONE) {
        r->map[op->first_result] = fl_build(&r->b, known, operands, op->operand_count, NULL, 0, NULL, 0);
        return NULL;
    }
    if (fl_is_gspmd_call(r, op, operands)) return fl_refine_gspmd_call(r, op, operands, callee);
    return fl_status_prefix(inline_block(r, op, operands, callee->body), "@%s", name);
}

/* A computation with a name runs where it stands; what it says of shardings are hints. */
static fl_status inline_named(fl_refiner *r, const fl_op *op, const fl_ref *operands)
{
    return inline_block(r, op, operands, op->regions[0]);
}

/* A scalar lies in one way only, unless it is the sum of what partitions hold. JAX says so of the scalars in reductions, whose
 * regions are simpler without. */
static int is_trivial(const fl_refiner *r, const fl_op *op)
{
    const fl_literal *l = fl_op_literal(op, FL_ATTR_sharding);
    return op->code == FL_OP_sharding_constraint && !fl_type_of(r->from, op->operands[0])->rank && l &&
           l->kind == FL_LIT_OPAQUE && !strstr(l->u.string, "unreduced");
}

/* An element of a tuple that the program itself made needs no tuple. */
static int forward_element(fl_refiner *r, const fl_op *op, const fl_ref *operands)
{
    const fl_op *source = r->b.program->defs[operands[0]].op;
    int64_t index = fl_op_int(op, FL_ATTR_index, -1);
    if (!source || source->code != FL_OP_tuple || index < 0 || index >= source->operand_count) return 0;
    r->map[op->first_result] = source->operands[index];
    return 1;
}

static fl_status copy_op(fl_refiner *r, const fl_op *op)
{
    const fl_ref *operands = mapped(r, op->operands, op->operand_count);
    int done = 0;
    if (r->b.status) return NULL;
    FL_CHECK(++r->op_count <= MOST_OPS, FL_UNSUPPORTED,
             "expected at most %d operations once calls are inlined", MOST_OPS);
    if (op->code == FL_OP_func_call || op->code == FL_OP_composite) return inline_call(r, op, operands);
    if (op->code == FL_OP_named_computation) return inline_named(r, op, operands);
    if (is_trivial(r, op)) {
        r->map[op->first_result] = operands[0];
        return NULL;
    }
    if (op->code == FL_OP_get_tuple_element && forward_element(r, op, operands)) return NULL;
    if (op->code == FL_OP_custom_call) FL_TRY(fl_refine_gspmd(r, op, operands, &done));
    if (done) return NULL;
    if (r->at_bounds) FL_TRY(fl_refine_bounded(r, op, operands, &done));
    if (!done) FL_TRY(fl_refine_dynamic(r, op, operands, &done));
    if (!done) FL_TRY(fl_refine_copy(r, op, operands));
    fl_op *made = fl_last_op(&r->b);
    if (!made || r->b.status) return NULL;
    for (uint32_t i = 0; done && i < made->result_count; i++) FL_TRY(need_static(r, made->first_result + i));
    return fold(r, made);
}

fl_status fl_refine_block(fl_refiner *r, const fl_block *block)
{
    FL_CHECK(r->depth < MOST_DEPTH, FL_UNSUPPORTED, "expected calls and regions nested at most %d deep",
             MOST_DEPTH);
    r->depth++;
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        FL_TRY(fl_status_prefix(copy_op(r, op), "%s.%s", fl_op_infos[op->code].dialect,
                                fl_op_infos[op->code].name));
        if (r->b.status) return NULL;
    }
    r->depth--;
    return NULL;
}

/* ---- the entry ---- */

static fl_status add_arguments(fl_refiner *r, const fl_refine_arg *args, uint32_t count)
{
    const fl_block *main = r->from->main;
    char got[160], expected[160];
    FL_CHECK(!args || count == main->arg_count, FL_INVALID, "expected %u arguments, got %u", main->arg_count,
             count);
    for (uint32_t i = 0; i < main->arg_count; i++) {
        fl_type stated = stated_type(r, fl_type_of(r->from, main->first_arg + i)),
                type = args ? args[i].type : stated;
        FL_CHECK(fl_type_compatible(&type, &stated), FL_INVALID, "argument %u: expected %s, got %s", i,
                 fl_type_text(&stated, expected, sizeof expected), fl_type_text(&type, got, sizeof got));
        fl_ref value = r->map[main->first_arg + i] = fl_parameter(&r->b, type);
        if (r->b.status) return NULL;
        FL_TRY(fl_status_prefix(need_static(r, value), "argument %u", i));
        if (args && args[i].value && is_small(&type)) {
            void *copy = fl_arena_copy(&r->scratch, args[i].value, fl_type_bytes(&type));
            FL_CHECK(copy, FL_OOM, "out of host memory");
            fl_set_known(r, value, copy);
        }
    }
    return NULL;
}

/* After the arguments come the sizes of those that are bounded, one i32 for each open dimension. */
static void add_sizes(fl_refiner *r)
{
    const fl_block *main = r->from->main;
    for (uint32_t i = 0; i < main->arg_count; i++) {
        const fl_type *type = fl_type_of(r->from, main->first_arg + i);
        fl_ref sizes[FL_MAX_RANK] = {0};
        if (!fl_is_bounded(type)) continue;
        for (int d = 0; d < type->rank; d++)
            if (type->dims[d] == FL_DYNAMIC) sizes[d] = fl_parameter(&r->b, fl_type_make(FL_I32, 0, NULL));
        fl_set_sizes(r, main->first_arg + i, sizes);
    }
}

/* And so of the results. */
static const fl_ref *all_results(fl_refiner *r, uint32_t *out_count)
{
    const fl_block *main = r->from->main;
    uint32_t n = main->result_count;
    fl_ref *all = FL_NEW_ARRAY(&r->scratch, fl_ref, (size_t)n * (1 + FL_MAX_RANK) + 1);
    *out_count = n;
    if (!all) {
        fl_builder_fail(&r->b, no_memory());
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) all[i] = r->map[main->results[i]];
    for (uint32_t i = 0; r->at_bounds && i < n; i++) {
        const fl_type *type = fl_type_of(r->from, main->results[i]);
        const fl_ref *sizes = fl_sizes_of(r, main->results[i]);
        for (int d = 0; fl_is_bounded(type) && d < type->rank; d++)
            if (type->dims[d] == FL_DYNAMIC)
                all[(*out_count)++] =
                    sizes && sizes[d] ? sizes[d] : fl_scalar_i(&r->b, FL_I32, type->more->bounds[d]);
    }
    return all;
}

static fl_status refine(fl_refiner *r, const fl_refine_arg *args, uint32_t count)
{
    FL_CHECK(r->map && r->by_name, FL_OOM, "out of host memory");
    memcpy(r->by_name, r->from->funcs, r->from->func_count * sizeof *r->by_name);
    qsort(r->by_name, r->from->func_count, sizeof *r->by_name, compare_names);
    r->at_bounds = args == NULL;
    FL_TRY(add_arguments(r, args, count));
    if (r->at_bounds) add_sizes(r);
    if (!r->b.status) FL_TRY(fl_refine_block(r, r->from->main));
    return NULL;
}

/* What the entry's arguments and results, and the module, carry along. */
static int keep_attributes(const fl_program *from, fl_program *to)
{
    const fl_func *f = fl_program_entry(from);
    fl_func *t = to->funcs[0];
    const fl_literal *const source[] = {f->attrs, f->arg_attrs, f->result_attrs, from->module_attrs,
                                        from->module_ops};
    const fl_literal **const target[] = {&t->attrs, &t->arg_attrs, &t->result_attrs, &to->module_attrs,
                                         &to->module_ops};
    t->visibility = f->visibility;
    for (int i = 0; i < 5; i++)
        if (source[i] && !(*target[i] = fl_literal_keep(&to->arena, source[i]))) return 0;
    return !from->module_name || (to->module_name = fl_arena_strdup(&to->arena, from->module_name));
}

static fl_status run_refiner(const fl_program *program, const fl_refine_arg *args, uint32_t arg_count,
                             int keeps_kernels, fl_program **out)
{
    fl_refiner r = {.from = program,
                    .keeps_kernels = keeps_kernels,
                    .by_name = malloc((program->func_count + 1u) * sizeof *r.by_name),
                    .map = calloc(program->def_count + 1u, sizeof *r.map)};
    *out = NULL;
    fl_status s = fl_builder_init(&r.b, program->name);
    if (!s) s = refine(&r, args, arg_count);
    if (s) {
        fl_builder_abandon(&r.b);
    } else {
        uint32_t count;
        const fl_ref *results = all_results(&r, &count);
        s = fl_builder_finish(&r.b, results, count, out);
    }
    if (!s && !keep_attributes(program, *out)) s = no_memory();
    if (!s) s = fl_program_prune(*out);
    if (s && *out) {
        fl_program_destroy(*out);
        *out = NULL;
    }
    fl_arena_free(&r.scratch);
    free(r.known);
    free(r.by_name);
    free(r.map);
    return s;
}

fl_status fl_program_refine(const fl_program *program, const fl_refine_arg *args, uint32_t arg_count,
                            fl_program **out)
{
    return run_refiner(program, args, arg_count, 0, out);
}

fl_status fl_program_refine_for_tpu(const fl_program *program, const fl_refine_arg *args, uint32_t arg_count,
                                    fl_program **out)
{
    return run_refiner(program, args, arg_count, 1, out);
}
