#include "ir/defs.h"
#include "base/large.h"

#include <stdlib.h>
#include <string.h>

const fl_op_info fl_op_infos[FL_OPCODE_COUNT] = {
    [FL_OP_NONE] = {"none", "", 0, 0, 0},
#define E FL_TRAIT_E
#define C FL_TRAIT_C
#define R FL_TRAIT_R
#define S FL_TRAIT_S
#define FL_OP_AS(name, spelling, dialect, operands, results, traits, infer)                                  \
    [FL_OP_##name] = {#spelling, #dialect, operands, results, traits},
#define FL_OP(name, ...) FL_OP_AS(name, name, __VA_ARGS__)
#include "ir/ops.def"
#undef FL_OP
#undef E
#undef C
#undef R
#undef S
};

const fl_attr_info fl_attr_infos[FL_ATTR_COUNT] = {
    [FL_ATTR_NONE] = {"none", FL_FORM_NONE},
#define FL_ATTR(name, form) [FL_ATTR_##name] = {#name, FL_FORM_##form},
#include "ir/attrs.def"
#undef FL_ATTR
};

fl_program *fl_program_create(const char *name)
{
    fl_arena arena = {0};
    fl_program *p = FL_NEW(&arena, fl_program); /* lives in its own arena: one allocation less */
    fl_block *block = p ? FL_NEW(&arena, fl_block) : NULL;
    fl_func *func = block ? FL_NEW(&arena, fl_func) : NULL;
    fl_func **funcs = func ? FL_NEW(&arena, fl_func *) : NULL;
    char *copy = funcs ? fl_arena_strdup(&arena, name) : NULL;
    fl_def *defs = copy ? fl_arena_alloc(&arena, 16 * sizeof *defs) : NULL;
    if (!defs) {
        fl_arena_free(&arena);
        return NULL;
    }
    memset(defs, 0, sizeof *defs);
    p->name = copy;
    p->defs = defs;
    p->def_count = 1;
    p->def_capacity = 16;
    p->main = block;
    func->name = copy;
    func->visibility = FL_VISIBILITY_NONE;
    func->body = block;
    p->funcs = funcs;
    p->funcs[0] = func;
    p->func_count = 1;
    p->arena = arena;
    return p;
}

fl_def *fl_defs_alloc(fl_program *program, uint64_t capacity)
{
    if (capacity > UINT32_MAX) return NULL;
    size_t bytes = capacity * sizeof(fl_def);
    if (capacity <= FL_DEFS_IN_ARENA) return fl_arena_alloc(&program->arena, bytes);
    return fl_large_alloc(&bytes);
}

void fl_program_destroy(fl_program *program)
{
    if (!program) return;
    fl_arena arena = program->arena;
    if (program->def_capacity > FL_DEFS_IN_ARENA) fl_large_free(program->defs);
    fl_arena_free(&arena);
}

const fl_attr *fl_op_attr(const fl_op *op, fl_attr_key key)
{
    for (unsigned i = 0; i < op->attr_count; i++)
        if (op->attrs[i].key == key) return &op->attrs[i];
    return NULL;
}

int64_t fl_op_int(const fl_op *op, fl_attr_key key, int64_t fallback)
{
    const fl_attr *a = fl_op_attr(op, key);
    return a ? a->u.i : fallback;
}

const int64_t *fl_op_ints(const fl_op *op, fl_attr_key key, uint32_t *out_count)
{
    const fl_attr *a = fl_op_attr(op, key);
    if (out_count) *out_count = a ? a->count : 0;
    return a ? a->u.ints : NULL;
}

const char *fl_op_string(const fl_op *op, fl_attr_key key)
{
    const fl_attr *a = fl_op_attr(op, key);
    return a ? a->u.string : NULL;
}

const fl_literal *fl_op_literal(const fl_op *op, fl_attr_key key)
{
    const fl_attr *a = fl_op_attr(op, key);
    return a ? a->u.literal : NULL;
}

fl_func *fl_program_func(const fl_program *program, const char *name)
{
    for (uint32_t i = 0; i < program->func_count; i++)
        if (!strcmp(program->funcs[i]->name, name)) return program->funcs[i];
    return NULL;
}

void fl_constant_expand(const fl_type *type, const fl_attr *value, void *out)
{
    size_t bytes = fl_type_bytes(type), filled = value->count < bytes ? value->count : bytes;
    if (filled) memcpy(out, value->u.dense, filled);
    while (filled && filled < bytes) { /* each step doubles what is there */
        size_t more = filled < bytes - filled ? filled : bytes - filled;
        memcpy((char *)out + filled, out, more);
        filled += more;
    }
}

fl_opcode fl_region_monoid(const fl_program *program, const fl_block *region)
{
    (void)program;
    if (!region || region->arg_count != 2 || region->op_count != 1 || region->result_count != 1)
        return FL_OP_NONE;
    const fl_op *op = region->ops[0];
    const fl_op_info *info = &fl_op_infos[op->code];
    if (op->operand_count != 2 || op->result_count != 1 || !(info->traits & FL_TRAIT_E)) return FL_OP_NONE;
    if (op->code == FL_OP_compare || region->results[0] != op->first_result) return FL_OP_NONE;
    fl_ref a = region->first_arg, c = a + 1;
    int straight = op->operands[0] == a && op->operands[1] == c;
    int swapped = op->operands[0] == c && op->operands[1] == a;
    return straight || (swapped && (info->traits & FL_TRAIT_C)) ? (fl_opcode)op->code : FL_OP_NONE;
}

static int is_binary(const fl_op *op, fl_opcode code, fl_ref x, fl_ref y)
{
    return op->code == code && op->operands[0] == x && op->operands[1] == y;
}

static int is_compare(const fl_op *op, fl_compare_direction direction, fl_ref x, fl_ref y)
{
    return is_binary(op, FL_OP_compare, x, y) &&
           fl_op_int(op, FL_ATTR_comparison_direction, -1) == direction &&
           fl_op_int(op, FL_ATTR_compare_type, FL_COMPARE_NONE) != FL_COMPARE_TOTALORDER;
}

int fl_sort_form(const fl_program *program, const fl_op *sort, int *out_descending)
{
    (void)program;
    if (sort->code != FL_OP_sort || sort->region_count != 1) return 0;
    const fl_block *r = sort->regions[0];
    if (r->arg_count < 2 || r->result_count != 1 || (r->op_count != 1 && r->op_count != 6)) return 0;
    fl_ref x = r->first_arg, y = x + 1;
    int descending = is_compare(r->ops[0], FL_GT, x, y);
    if (!descending && !is_compare(r->ops[0], FL_LT, x, y)) return 0;
    if (r->results[0] != r->ops[r->op_count - 1]->first_result) return 0;
    if (r->op_count == 6) { /* the form of fl_sort for floats, see build.h */
        fl_op *const *o = r->ops;
        fl_ref first = o[0]->first_result, nan_x = o[1]->first_result, nan_y = o[2]->first_result;
        fl_ref ordered = o[3]->first_result, last = o[4]->first_result;
        if (!is_compare(o[1], FL_NE, x, x) || !is_compare(o[2], FL_NE, y, y)) return 0;
        if (o[3]->code != FL_OP_not || o[3]->operands[0] != (descending ? nan_y : nan_x)) return 0;
        if (descending ? !is_binary(o[4], FL_OP_and, nan_x, ordered)
                       : !is_binary(o[4], FL_OP_and, ordered, nan_y))
            return 0;
        if (!is_binary(o[5], FL_OP_or, first, last)) return 0;
    }
    if (out_descending) *out_descending = descending;
    return 1;
}

const fl_func *fl_program_entry(const fl_program *p)
{
    for (uint32_t i = 0; i < p->func_count; i++)
        if (p->funcs[i]->body == p->main) return p->funcs[i];
    return p->funcs[0];
}
