#include "ir/build_internal.h"
#include "base/large.h"
#include "ir/copy.h"
#include "ir/defs.h"
#include "ir/infer.h"

#include <stdlib.h>
#include <string.h>

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

fl_status fl_builder_init(fl_builder *b, const char *name)
{
    memset(b, 0, sizeof *b);
    b->program = fl_program_create(name ? name : "main");
    if (!b->program) return no_memory();
    b->block = b->program->main;
    return NULL;
}

static void renumber_block(fl_block *block, const fl_ref *map)
{
    if (block->arg_count) block->first_arg = map[block->first_arg];
    for (uint32_t i = 0; i < block->op_count; i++) {
        fl_op *op = block->ops[i];
        for (unsigned k = 0; k < op->operand_count; k++) op->operands[k] = map[op->operands[k]];
        for (unsigned k = 0; k < op->region_count; k++) renumber_block(op->regions[k], map);
        if (op->result_count) op->first_result = map[op->first_result];
    }
    for (uint32_t i = 0; i < block->result_count; i++) block->results[i] = map[block->results[i]];
}

static int is_parameter(const fl_program *p, fl_ref r)
{
    return !p->defs[r].op && p->defs[r].block == p->main;
}

/* Parameters may be made at any time while building; a program has them first, numbered one after another. */
static fl_status gather_parameters(fl_program *p)
{
    uint32_t count = p->main->arg_count;
    if (!count) return NULL;
    if (is_parameter(p, count) && p->defs[count].index == count - 1)
        return NULL; /* the last is there, so all are */
    fl_def *parameters = FL_NEW_ARRAY(&p->arena, fl_def, count);
    fl_ref *map = FL_NEW_ARRAY(&p->arena, fl_ref, p->def_count);
    if (!parameters || !map) return no_memory();
    uint32_t to = p->def_count;
    for (fl_ref r = p->def_count - 1; r > 0; r--) {
        if (is_parameter(p, r)) {
            parameters[p->defs[r].index] = p->defs[r];
            map[r] = p->defs[r].index + 1;
        } else {
            map[r] = --to;
            if (to != r) p->defs[to] = p->defs[r];
        }
    }
    memcpy(&p->defs[1], parameters, count * sizeof *parameters);
    renumber_block(p->main, map);
    return NULL;
}

static fl_status set_result_types(fl_program *p)
{
    fl_type *types = FL_NEW_ARRAY(&p->arena, fl_type, p->main->result_count + 1);
    if (!types) return no_memory();
    for (uint32_t i = 0; i < p->main->result_count; i++) types[i] = *fl_type_of(p, p->main->results[i]);
    p->funcs[0]->result_types = types;
    p->funcs[0]->result_count = p->main->result_count;
    return NULL;
}

static fl_status finish(fl_builder *b, const fl_ref *results, uint32_t count, int is_checked,
                        fl_program **out)
{
    fl_block *main = b->program ? b->program->main : NULL;
    if (!b->status && b->block != main)
        fl_builder_fail(b, fl_error(FL_INTERNAL, "expected every region to be ended"));
    if (!b->status) {
        main->result_count = count;
        for (uint32_t i = 0; i < count && !b->status; i++)
            if (results[i] == FL_NO_REF || results[i] >= b->program->def_count)
                fl_builder_fail(b, fl_error(FL_INVALID, "result %u is no value", i));
    }
    if (!b->status) {
        main->results = fl_arena_copy(&b->program->arena, results, count * sizeof *results);
        fl_status s = main->results ? gather_parameters(b->program) : no_memory();
        if (!s) s = set_result_types(b->program);
        if (!s && !is_checked) s = fl_program_verify(b->program);
        fl_builder_fail(b, s);
    }
    *out = b->status ? NULL : b->program;
    if (b->status) fl_program_destroy(b->program);
    fl_status status = b->status;
    b->program = NULL;
    b->block = NULL;
    b->status = NULL;
    return status;
}

fl_status fl_builder_finish(fl_builder *b, const fl_ref *results, uint32_t count, fl_program **out)
{
    return finish(b, results, count, 0, out);
}

fl_status fl_builder_finish_checked(fl_builder *b, const fl_ref *results, uint32_t count, fl_program **out)
{
    return finish(b, results, count, 1, out);
}

void fl_builder_abandon(fl_builder *b)
{
    fl_program_destroy(b->program);
    fl_status_free(b->status);
    b->program = NULL;
    b->block = NULL;
    b->status = NULL;
}

void fl_builder_fail(fl_builder *b, fl_status status)
{
    if (b->status)
        fl_status_free(status);
    else
        b->status = status;
}

/* Room for `more` definitions; 0 after a failure. Many lie in memory of their own: arrays that were outgrown would stay in the
 * arena. */
static int reserve_defs(fl_builder *b, uint32_t more)
{
    fl_program *p = b->program;
    if (p->def_capacity - p->def_count >= more) return 1;
    int is_own = p->def_capacity > FL_DEFS_IN_ARENA;
    uint64_t capacity = p->def_capacity + (is_own ? p->def_capacity / 2u : p->def_capacity) + (uint64_t)more;
    fl_def *old = p->defs, *defs = fl_defs_alloc(p, capacity);
    if (!defs) {
        fl_builder_fail(b, no_memory());
        return 0;
    }
    memcpy(defs, old, p->def_count * sizeof *defs);
    if (is_own) fl_large_free(old);
    p->defs = defs;
    p->def_capacity = (uint32_t)capacity;
    return 1;
}

void fl_builder_reserve(fl_builder *b, uint32_t more)
{
    if (!b->status) reserve_defs(b, more);
}

static fl_ref add_def(fl_program *p, const fl_type *type, fl_op *op, fl_block *block, uint32_t index)
{
    fl_def *d = &p->defs[p->def_count];
    d->type = *type;
    d->op = op;
    d->block = block;
    d->index = index;
    return p->def_count++;
}

fl_ref fl_parameter(fl_builder *b, fl_type type)
{
    if (b->status) return FL_NO_REF;
    fl_block *main = b->program->main;
    fl_status s = fl_status_prefix(fl_need_value_type(&type), "argument %u", main->arg_count);
    if (s) {
        fl_builder_fail(b, s);
        return FL_NO_REF;
    }
    if (!fl_type_keep(&b->program->arena, &type)) fl_builder_fail(b, no_memory());
    if (b->status || !reserve_defs(b, 1)) return FL_NO_REF;
    fl_ref r = add_def(b->program, &type, NULL, main, main->arg_count);
    if (!main->arg_count++) main->first_arg = r; /* the others come beside it at the end */
    return r;
}

/* Pointers of attribute payloads become the arena's copies. */
static int keep_payload(fl_arena *arena, const void *kept, fl_attr *a)
{
    switch (fl_attr_infos[a->key].form) {
    case FL_FORM_STRING:
    case FL_FORM_SYMBOL: {
        const char *from = a->u.string ? a->u.string : "";
        if (!a->count) a->count = (uint32_t)strlen(from);
        char *text = fl_arena_alloc(arena, (size_t)a->count + 1);
        if (!text) return 0;
        memcpy(text, from, a->count);
        text[a->count] = 0;
        a->u.string = text;
        return 1;
    }
    case FL_FORM_DENSE:
        if (a->u.dense && a->u.dense == kept) return 1;
        return (a->u.dense = fl_arena_copy(arena, a->u.dense, a->count)) != NULL;
    case FL_FORM_LITERAL: return (a->u.literal = fl_literal_keep(arena, a->u.literal)) != NULL;
    default: return 1;
    }
}

/* Operation, operands, attributes and regions in one piece of the arena; payloads of attributes behind. */
static fl_op *make_op(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                      const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                      uint32_t region_count)
{
    fl_arena *arena = &b->program->arena;
    size_t bytes = sizeof(fl_op) + attr_count * sizeof *attrs + region_count * sizeof *regions +
                   operand_count * sizeof *operands;
    for (uint32_t i = 0; i < attr_count; i++)
        if (fl_attr_infos[attrs[i].key].form == FL_FORM_INTS) bytes += attrs[i].count * sizeof(int64_t);
    char *at = fl_arena_alloc(arena, bytes);
    if (!at) return NULL;
    fl_op *op = (fl_op *)at;
    memset(op, 0, sizeof *op);
    op->code = (uint16_t)code;
    op->operand_count = (uint16_t)operand_count;
    op->attr_count = (uint16_t)attr_count;
    op->region_count = (uint16_t)region_count;
    at += sizeof *op;
    op->attrs = (fl_attr *)at;
    at += attr_count * sizeof *attrs;
    op->regions = (fl_block **)at;
    at += region_count * sizeof *regions;
    int64_t *ints = (int64_t *)at;
    for (uint32_t i = 0; i < attr_count; i++) {
        fl_attr *a = &op->attrs[i];
        *a = attrs[i];
        if (fl_attr_infos[a->key].form == FL_FORM_INTS) {
            if (a->count) memcpy(ints, a->u.ints, a->count * sizeof *ints);
            a->u.ints = ints;
            ints += a->count;
        } else if (!keep_payload(arena, b->kept, a)) {
            return NULL;
        }
    }
    op->operands = (fl_ref *)ints;
    if (operand_count) memcpy(op->operands, operands, operand_count * sizeof *operands);
    if (region_count) memcpy(op->regions, regions, region_count * sizeof *regions);
    return op;
}

static int append_op(fl_arena *arena, fl_block *block, fl_op *op)
{
    if (block->op_count == block->op_capacity) {
        uint32_t capacity = block->op_capacity ? 2 * block->op_capacity : 8;
        fl_op **ops = fl_arena_alloc(arena, capacity * sizeof *ops);
        if (!ops) return 0;
        if (block->op_count) memcpy(ops, block->ops, block->op_count * sizeof *ops);
        block->ops = ops;
        block->op_capacity = capacity;
    }
    block->ops[block->op_count++] = op;
    return 1;
}

static fl_status check_parts(const fl_builder *b, fl_opcode code, const fl_ref *operands,
                             uint32_t operand_count, const fl_attr *attrs, uint32_t attr_count,
                             fl_block *const *regions, uint32_t region_count)
{
    FL_CHECK(code > FL_OP_NONE && code < FL_OPCODE_COUNT, FL_INVALID, "unknown operation %d", code);
    const char *name = fl_op_infos[code].name;
    FL_CHECK(operand_count <= UINT16_MAX && attr_count <= UINT16_MAX && region_count <= UINT16_MAX,
             FL_UNSUPPORTED, "%s: expected at most 65535 operands, attributes and regions", name);
    for (uint32_t i = 0; i < operand_count; i++)
        FL_CHECK(operands[i] != FL_NO_REF && operands[i] < b->program->def_count, FL_INVALID,
                 "%s: operand %u is no value", name, i);
    for (uint32_t i = 0; i < attr_count; i++)
        FL_CHECK(attrs[i].key > FL_ATTR_NONE && attrs[i].key < FL_ATTR_COUNT, FL_INVALID,
                 "%s: unknown attribute", name);
    for (uint32_t i = 0; i < region_count; i++)
        FL_CHECK(regions[i] && regions[i] != b->block, FL_INVALID, "%s: region %u is not a closed block",
                 name, i);
    return NULL;
}

/* What is done with the types of results that are stated. */
typedef enum claim { CHECKED, REFINED, KNOWN } claim;

/* The result types: as stated (refined by the rules of the operation, if so wanted), or as the rules say. */
static fl_status result_types(fl_builder *b, fl_op *op, const fl_type *stated, claim claim, fl_type *types)
{
    fl_arena *arena = &b->program->arena;
    op->result_count = (uint16_t)(stated ? op->result_count : fl_infer_result_count(op));
    if (claim != KNOWN) FL_TRY(fl_infer_op(b->program, op, stated, types));
    for (uint32_t i = 0; stated && i < op->result_count; i++) {
        if (claim != REFINED) types[i] = stated[i];
        FL_CHECK(fl_type_keep(arena, &types[i]), FL_OOM, "out of host memory");
    }
    return NULL;
}

static fl_ref build(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                    const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                    uint32_t region_count, const fl_type *stated, uint32_t stated_count, claim claim)
{
    if (b->status) return FL_NO_REF;
    fl_type few[3], *types = few;
    fl_op *op = NULL;
    fl_status s = check_parts(b, code, operands, operand_count, attrs, attr_count, regions, region_count);
    if (!s) {
        op = make_op(b, code, operands, operand_count, attrs, attr_count, regions, region_count);
        s = op ? NULL : no_memory();
    }
    uint32_t count = s ? 0 : stated ? stated_count : fl_infer_result_count(op);
    if (!s && count > UINT16_MAX)
        s = fl_error(FL_UNSUPPORTED, "expected at most 65535 results, got %u", count);
    if (!s && count > 3 && !(types = fl_arena_alloc(&b->program->arena, count * sizeof *types)))
        s = no_memory();
    if (!s) {
        op->result_count = (uint16_t)count;
        s = result_types(b, op, stated, claim, types);
    }
    if (s) {
        fl_builder_fail(b, s);
        return FL_NO_REF;
    }
    op->first_result = count ? b->program->def_count : FL_NO_REF;
    if (!reserve_defs(b, count)) return FL_NO_REF;
    for (uint32_t i = 0; i < count; i++) add_def(b->program, &types[i], op, b->block, i);
    if (!append_op(&b->program->arena, b->block, op)) fl_builder_fail(b, no_memory());
    return op->first_result;
}

fl_ref fl_build(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions, uint32_t region_count)
{
    return build(b, code, operands, operand_count, attrs, attr_count, regions, region_count, NULL, 0,
                 CHECKED);
}

static fl_ref build_stated(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                           const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                           uint32_t region_count, const fl_type *results, uint32_t result_count, claim claim)
{
    static const fl_type none; /* no results stated is a statement too */
    return build(b, code, operands, operand_count, attrs, attr_count, regions, region_count,
                 result_count ? results : &none, result_count, claim);
}

fl_ref fl_build_typed(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                      const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                      uint32_t region_count, const fl_type *results, uint32_t result_count)
{
    return build_stated(b, code, operands, operand_count, attrs, attr_count, regions, region_count, results,
                        result_count, CHECKED);
}

fl_ref fl_build_refined(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                        const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                        uint32_t region_count, const fl_type *results, uint32_t result_count)
{
    return build_stated(b, code, operands, operand_count, attrs, attr_count, regions, region_count, results,
                        result_count, REFINED);
}

fl_ref fl_build_known(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                      const fl_attr *attrs, uint32_t attr_count, fl_block *const *regions,
                      uint32_t region_count, const fl_type *results, uint32_t result_count)
{
    return build_stated(b, code, operands, operand_count, attrs, attr_count, regions, region_count, results,
                        result_count, KNOWN);
}

fl_ref fl_build_as(fl_builder *b, fl_opcode code, const fl_ref *operands, uint32_t operand_count,
                   const fl_attr *attrs, uint32_t attr_count, fl_dtype out)
{
    fl_ref r = fl_build(b, code, operands, operand_count, attrs, attr_count, NULL, 0);
    if (b->status || out == FL_DTYPE_NONE || out == fl_dtypeof(b, r)) return r;
    fl_type type = *fl_typeof(b, r); /* the rules give the dimensions; the element type is ours to say */
    type.dtype = (uint8_t)out;
    fl_status s = fl_infer_op(b->program, b->program->defs[r].op, &type, &b->program->defs[r].type);
    if (s) fl_builder_fail(b, s);
    return b->status ? FL_NO_REF : r;
}

fl_op *fl_last_op(const fl_builder *b)
{
    return !b->status && b->block && b->block->op_count ? b->block->ops[b->block->op_count - 1] : NULL;
}

fl_block *fl_region_begin(fl_builder *b, const fl_type *arg_types, uint32_t arg_count)
{
    if (b->status) return NULL;
    fl_block *block = FL_NEW(&b->program->arena, fl_block);
    if (!block) {
        fl_builder_fail(b, no_memory());
        return NULL;
    }
    if (!reserve_defs(b, arg_count)) return NULL;
    for (uint32_t i = 0; i < arg_count; i++) {
        fl_status s = fl_status_prefix(fl_need_value_type(&arg_types[i]), "argument %u of a region", i);
        if (!s) continue;
        fl_builder_fail(b, s);
        return NULL;
    }
    block->parent = b->block;
    block->arg_count = arg_count;
    block->first_arg = arg_count ? b->program->def_count : FL_NO_REF;
    for (uint32_t i = 0; i < arg_count; i++) {
        fl_type type = arg_types[i];
        if (!fl_type_keep(&b->program->arena, &type)) {
            fl_builder_fail(b, no_memory());
            return NULL;
        }
        add_def(b->program, &type, NULL, block, i);
    }
    b->block = block;
    return block;
}

void fl_region_end(fl_builder *b, fl_block *region, const fl_ref *results, uint32_t result_count)
{
    if (b->status) return;
    fl_status s = NULL;
    if (!region || region != b->block) s = fl_error(FL_INTERNAL, "expected the innermost region to be ended");
    for (uint32_t i = 0; !s && i < result_count; i++)
        if (results[i] == FL_NO_REF || results[i] >= b->program->def_count)
            s = fl_error(FL_INVALID, "result %u of the region is no value", i);
    if (!s) {
        region->result_count = result_count;
        region->results = fl_arena_copy(&b->program->arena, results, result_count * sizeof *results);
        if (!region->results) s = no_memory();
        b->block = region->parent;
    }
    if (s) fl_builder_fail(b, s);
}

/* ---- types of values ---- */

static const fl_type no_type = {.dtype = FL_F32};

const fl_type *fl_typeof(const fl_builder *b, fl_ref x)
{
    return b->program && x != FL_NO_REF && x < b->program->def_count ? &b->program->defs[x].type : &no_type;
}

fl_dtype fl_dtypeof(const fl_builder *b, fl_ref x)
{
    return (fl_dtype)fl_typeof(b, x)->dtype;
}

int fl_rank(const fl_builder *b, fl_ref x)
{
    return fl_typeof(b, x)->rank;
}

int64_t fl_dim(const fl_builder *b, fl_ref x, int dim)
{
    const fl_type *t = fl_typeof(b, x);
    if (dim < 0) dim += t->rank;
    return dim >= 0 && dim < t->rank ? t->dims[dim] : 1;
}

int64_t fl_elements(const fl_builder *b, fl_ref x)
{
    return fl_type_elements(fl_typeof(b, x));
}

int fl_wrap_dim(fl_builder *b, int64_t dim, int rank)
{
    int n = rank ? rank : 1; /* a 0-d tensor has dimensions 0 and -1 */
    if (dim >= -n && dim < n) return (int)(dim < 0 ? dim + n : dim);
    fl_builder_fail(b, fl_error(FL_INDEX,
                                "Dimension out of range (expected to be in range of [%d, %d], but got %lld)",
                                -n, n - 1, (long long)dim));
    return 0;
}
