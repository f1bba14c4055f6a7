/* See edit.h. */
#include "opt/edit.h"

#include "ir/defs.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DEPTH = 100, MOST_REWRITES = 24 };

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* ---- the copy ---- */

static fl_status copy_block(fl_program *to, const fl_block *from, fl_block *block, fl_block *parent,
                            int depth);

static fl_status copy_op(fl_program *to, const fl_op *from, fl_block *block, fl_op **out, int depth)
{
    size_t operands = from->operand_count * sizeof *from->operands,
           regions = from->region_count * sizeof *from->regions;
    char *memory = fl_arena_alloc(&to->arena, sizeof(fl_op) + regions + operands);
    FL_CHECK(memory, FL_OOM, "out of host memory");
    fl_op *op = *out = (fl_op *)memory;
    *op = *from;
    op->regions = (fl_block **)(memory + sizeof *op);
    op->operands = (fl_ref *)(memory + sizeof *op + regions);
    if (operands) memcpy(op->operands, from->operands, operands);
    for (uint32_t i = 0; i < op->result_count; i++) {
        to->defs[op->first_result + i].op = op;
        to->defs[op->first_result + i].block = block;
    }
    for (uint32_t i = 0; i < op->region_count; i++) {
        op->regions[i] = FL_NEW(&to->arena, fl_block);
        FL_CHECK(op->regions[i], FL_OOM, "out of host memory");
        FL_TRY(copy_block(to, from->regions[i], op->regions[i], block, depth + 1));
    }
    return NULL;
}

static fl_status copy_block(fl_program *to, const fl_block *from, fl_block *block, fl_block *parent,
                            int depth)
{
    FL_CHECK(depth < MOST_DEPTH, FL_UNSUPPORTED, "expected regions nested at most %d deep", MOST_DEPTH);
    *block = *from;
    block->parent = parent;
    block->op_capacity = from->op_count + 8;
    block->ops = fl_arena_alloc(&to->arena, block->op_capacity * sizeof *block->ops);
    block->results = fl_arena_copy(&to->arena, from->results, from->result_count * sizeof *from->results);
    FL_CHECK(block->ops && (block->results || !from->result_count), FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < block->arg_count; i++) to->defs[block->first_arg + i].block = block;
    for (uint32_t i = 0; i < block->op_count; i++)
        FL_TRY(copy_op(to, from->ops[i], block, &block->ops[i], depth));
    return NULL;
}

/* Room for as many definitions again, or a quarter of many. */
static int copy_defs(fl_program *to, const fl_program *from)
{
    uint32_t n = from->def_count;
    uint64_t capacity = (uint64_t)n + (n < 1024 ? 32 + n : n / 4);
    fl_def *defs = fl_defs_alloc(to, capacity);
    if (!defs) return 0;
    memcpy(defs, from->defs, n * sizeof *defs);
    to->defs = defs;
    to->def_count = n;
    to->def_capacity = (uint32_t)capacity;
    return 1;
}

static fl_status copy_program(const fl_program *from, fl_program **out)
{
    fl_program *to = *out = fl_program_create(from->name);
    FL_CHECK(to && copy_defs(to, from), FL_OOM, "out of host memory");
    fl_func *f = to->funcs[0];
    fl_block *body = f->body;
    *f = *from->funcs[0];
    f->body = body;
    to->module_name = from->module_name;
    to->module_attrs = from->module_attrs;
    to->module_ops = from->module_ops;
    return copy_block(to, from->funcs[0]->body, body, NULL, 0);
}

fl_status fl_edit_begin(fl_editor *e, const fl_program *program)
{
    FL_CHECK(program->func_count == 1 && !program->funcs[0]->is_declaration, FL_UNSUPPORTED,
             "expected a program of one function");
    *e = (fl_editor){0};
    fl_status s = copy_program(program, &e->b.program);
    if (!s) return NULL;
    fl_program_destroy(e->b.program);
    e->b.program = NULL;
    return s;
}

fl_program *fl_edit_end(fl_editor *e)
{
    fl_program *program = e->b.program;
    e->b.program = NULL;
    fl_edit_abandon(e);
    return program;
}

void fl_edit_abandon(fl_editor *e)
{
    fl_program_destroy(e->b.program);
    fl_status_free(e->b.status);
    fl_arena_free(&e->scratch);
    free(e->forward);
    free(e->uses);
    *e = (fl_editor){0};
}

/* ---- replacing ---- */

static int reserve(fl_editor *e)
{
    uint32_t n = e->b.program->def_count, old = e->capacity;
    if (n <= old) return 1;
    uint32_t capacity = n + n / 2 + 64;
    fl_ref *forward = realloc(e->forward, capacity * sizeof *forward);
    if (forward) e->forward = forward;
    uint32_t *uses = realloc(e->uses, capacity * sizeof *uses);
    if (uses) e->uses = uses;
    if (!forward || !uses) {
        fl_builder_fail(&e->b, no_memory());
        return 0;
    }
    memset(forward + old, 0, (capacity - old) * sizeof *forward);
    memset(uses + old, 0, (capacity - old) * sizeof *uses);
    e->capacity = capacity;
    return 1;
}

fl_ref fl_edit_find(fl_editor *e, fl_ref value)
{
    if (value >= e->capacity || !e->forward[value]) return value;
    fl_ref last = value;
    while (last < e->capacity && e->forward[last]) last = e->forward[last];
    while (value != last) { /* the next search is short */
        fl_ref next = e->forward[value];
        e->forward[value] = last;
        value = next;
    }
    return last;
}

void fl_edit_replace(fl_editor *e, fl_ref from, fl_ref to)
{
    if (e->b.status || !reserve(e)) return;
    to = fl_edit_find(e, to);
    if (from == to) return;
    if (!fl_type_equal(fl_edit_type(e, from), fl_edit_type(e, to))) {
        char old[160], new[160];
        fl_builder_fail(&e->b,
                        fl_error(FL_INTERNAL, "expected a value of type %s in place of another, got %s",
                                 fl_type_text(fl_edit_type(e, from), old, sizeof old),
                                 fl_type_text(fl_edit_type(e, to), new, sizeof new)));
        return;
    }
    e->forward[from] = to;
    e->uses[to] += e->uses[from];
}

static void use(fl_editor *e, const fl_ref *values, uint32_t count, uint32_t by)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i] < e->capacity) e->uses[values[i]] += by;
}

static void count_uses(fl_editor *e, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        use(e, op->operands, op->operand_count, 1);
        for (uint32_t r = 0; r < op->region_count; r++) count_uses(e, op->regions[r]);
    }
    use(e, block->results, block->result_count, 1);
}

/* ---- the walk ---- */

static fl_status walk_block(fl_editor *e, fl_block *block);

static fl_status builder_status(fl_editor *e)
{
    fl_status s = e->b.status;
    e->b.status = NULL;
    return s;
}

static fl_status append(fl_editor *e, fl_op *op)
{
    fl_block *block = e->b.block;
    if (block->op_count == block->op_capacity) {
        uint32_t capacity = 2 * block->op_capacity + 8;
        fl_op **ops = fl_arena_alloc(&e->b.program->arena, capacity * sizeof *ops);
        FL_CHECK(ops, FL_OOM, "out of host memory");
        if (block->op_count) memcpy(ops, block->ops, block->op_count * sizeof *ops);
        block->ops = ops;
        block->op_capacity = capacity;
    }
    block->ops[block->op_count++] = op;
    return NULL;
}

static void resolve(fl_editor *e, fl_ref *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) values[i] = fl_edit_find(e, values[i]);
}

/* Regions that run in the program's order are walked; those that are applied to elements only have to name what stands for the
 * values around them now: devices know them by their form. */
static int is_control(const fl_op *op)
{
    return op->code == FL_OP_while || op->code == FL_OP_if || op->code == FL_OP_case;
}

void fl_edit_resolve(fl_editor *e, fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        fl_op *op = block->ops[i];
        resolve(e, op->operands, op->operand_count);
        for (uint32_t r = 0; r < op->region_count; r++) fl_edit_resolve(e, op->regions[r]);
    }
    resolve(e, block->results, block->result_count);
}

static fl_status enter_regions(fl_editor *e, fl_op *op)
{
    for (uint32_t i = 0; i < op->region_count; i++)
        if (is_control(op))
            FL_TRY(walk_block(e, op->regions[i]));
        else
            fl_edit_resolve(e, op->regions[i]);
    return NULL;
}

/* fresh: how many rewrites it is away from an operation of the program. */
static fl_status visit_op(fl_editor *e, fl_op *op, int fresh)
{
    fl_block *block = e->b.block;
    const uint32_t mark = block->op_count;
    int done = 0;
    resolve(e, op->operands, op->operand_count);
    if (!fresh) FL_TRY(enter_regions(e, op));
    for (uint32_t i = 0; fresh && i < op->region_count; i++) fl_edit_resolve(e, op->regions[i]);
    if (fresh < MOST_REWRITES) FL_TRY(e->visit(e, op, &done));
    if (e->b.status || !reserve(e)) return builder_status(e);
    if (!done) return append(e, op);
    e->changes++;
    use(e, op->operands, op->operand_count, (uint32_t)-1);
    uint32_t count = block->op_count - mark;
    if (!count) return NULL;
    fl_op **made = fl_arena_copy(&e->scratch, block->ops + mark, count * sizeof *made);
    FL_CHECK(made, FL_OOM, "out of host memory");
    block->op_count = mark;
    for (uint32_t i = 0; i < count; i++) use(e, made[i]->operands, made[i]->operand_count, 1);
    for (uint32_t i = 0; i < count; i++) FL_TRY(visit_op(e, made[i], fresh + 1));
    return NULL;
}

static fl_status walk_block(fl_editor *e, fl_block *block)
{
    fl_block *outside = e->b.block;
    uint32_t count = block->op_count;
    fl_op **ops = fl_arena_copy(&e->scratch, block->ops, count * sizeof *ops + 1);
    FL_CHECK(ops, FL_OOM, "out of host memory");
    block->op_count = 0;
    e->b.block = block;
    for (uint32_t i = 0; i < count; i++) FL_TRY(visit_op(e, ops[i], 0));
    resolve(e, block->results, block->result_count);
    e->b.block = outside;
    return NULL;
}

fl_status fl_edit_walk(fl_editor *e, fl_edit_op *visit)
{
    fl_block *main = e->b.program->main;
    if (!reserve(e)) return builder_status(e);
    memset(e->forward, 0, e->capacity * sizeof *e->forward);
    memset(e->uses, 0, e->capacity * sizeof *e->uses);
    count_uses(e, main);
    e->visit = visit;
    fl_status s = walk_block(e, main);
    e->b.block = main;
    fl_arena_free(&e->scratch);
    return s;
}

/* ---- building ---- */

static void move_into(fl_program *p, fl_op *op, fl_block *block)
{
    for (uint32_t i = 0; i < op->result_count; i++) p->defs[op->first_result + i].block = block;
    for (uint32_t i = 0; i < op->region_count; i++) op->regions[i]->parent = block;
}

fl_status fl_edit_inline(fl_editor *e, fl_block *region, const fl_ref *args, fl_ref **results)
{
    for (uint32_t i = 0; args && i < region->arg_count; i++)
        fl_edit_replace(e, region->first_arg + i, args[i]);
    for (uint32_t i = 0; i < region->op_count; i++) {
        move_into(e->b.program, region->ops[i], e->b.block);
        FL_TRY(append(e, region->ops[i]));
    }
    *results = fl_arena_copy(&e->scratch, region->results, region->result_count * sizeof **results + 1);
    FL_CHECK(*results, FL_OOM, "out of host memory");
    return NULL;
}

fl_ref fl_edit_again(fl_editor *e, const fl_op *op, const fl_ref *operands)
{
    fl_type types[2];
    if (op->result_count > 2) return FL_NO_REF;
    for (uint32_t i = 0; i < op->result_count; i++) types[i] = *fl_edit_type(e, op->first_result + i);
    fl_ref r = fl_build_typed(&e->b, (fl_opcode)op->code, operands, op->operand_count, op->attrs,
                              op->attr_count, NULL, 0, types, op->result_count);
    if (r && op->extra) fl_last_op(&e->b)->extra = op->extra;
    return r;
}

/* ---- numbers ---- */

int fl_edit_number(const fl_editor *e, fl_ref value, fl_number *out)
{
    const fl_op *op = fl_edit_is(e, value, FL_OP_constant);
    const fl_type *type = fl_edit_type(e, value);
    const fl_attr *a = op ? fl_op_attr(op, FL_ATTR_value) : NULL;
    if (!a || a->count != fl_dtype_bytes((fl_dtype)type->dtype) || fl_type_quant(type)) return 0;
    return fl_number_load((fl_dtype)type->dtype, a->u.dense, out);
}

int fl_edit_is_number(const fl_editor *e, fl_ref value, double number)
{
    fl_number n;
    if (!fl_edit_number(e, value, &n)) return 0;
    if (n.is_integer) return (double)n.integer == number && n.integer == (int64_t)number;
    return n.re == number && n.im == 0 &&
           !(number == 0 && (__builtin_signbit(n.re) || __builtin_signbit(n.im)));
}

int fl_edit_is_negative_zero(const fl_editor *e, fl_ref value)
{
    fl_number n;
    return fl_is_float((fl_dtype)fl_edit_type(e, value)->dtype) && fl_edit_number(e, value, &n) &&
           n.re == 0 && __builtin_signbit(n.re);
}

fl_ref fl_edit_splat(fl_editor *e, const fl_type *type, const void *element)
{
    fl_type kept = *type; /* building moves types */
    fl_attr attr = {
        .key = FL_ATTR_value, .count = (uint32_t)fl_dtype_bytes((fl_dtype)type->dtype), .u.dense = element};
    if (!fl_type_elements(&kept)) attr.count = 0;
    return fl_build_typed(&e->b, FL_OP_constant, NULL, 0, &attr, 1, NULL, 0, &kept, 1);
}

fl_ref fl_edit_splat_number(fl_editor *e, const fl_type *type, fl_number number)
{
    char element[16] = {0};
    if (!fl_number_store(number, (fl_dtype)type->dtype, element)) return FL_NO_REF;
    return fl_edit_splat(e, type, element);
}

fl_ref fl_edit_splat_int(fl_editor *e, const fl_type *type, int64_t number)
{
    return fl_edit_splat_number(e, type, (fl_number){.is_integer = 1, .integer = number});
}
