/* Constant folding: operations of constants become constants, computed by the reference interpreter.
 *
 * One number in every place stays one number, whatever the size. Other results are folded up to a size, or when they are no
 * larger than what they were made of. */
#include "opt/optimize.h"

#include "ref/reference.h"

#include <string.h>

enum { MOST_BYTES = 512, MOST_OPERANDS = 8, MOST_OPERAND_BYTES = 1 << 16, MOST_WORK = 4096 };

/* Elements of a constant; NULL: none. *splat: one for all. */
static const void *constant(const fl_editor *e, fl_ref value, int *splat)
{
    const fl_op *op = fl_edit_is(e, value, FL_OP_constant);
    const fl_attr *a = op ? fl_op_attr(op, FL_ATTR_value) : NULL;
    const fl_type *type = fl_edit_type(e, value);
    if (!a || !fl_type_is_plain(type) || !fl_type_elements(type)) return NULL;
    *splat = a->count == fl_dtype_bytes((fl_dtype)type->dtype);
    return a->u.dense;
}

/* Runs the operation alone, in a program of its own: of scalars if `scalar`. */
static fl_status evaluate(const fl_editor *e, const fl_op *op, const void *const *operands, int scalar,
                          void *out)
{
    fl_def defs[MOST_OPERANDS + 2];
    fl_ref refs[MOST_OPERANDS];
    fl_program p = {.defs = defs, .name = "fold", .def_count = op->operand_count + 2u};
    fl_op alone = *op;
    memset(defs, 0, sizeof defs);
    for (uint32_t i = 0; i < op->operand_count; i++) {
        refs[i] = i + 1;
        defs[i + 1].type = *fl_edit_type(e, op->operands[i]);
    }
    alone.operands = refs;
    alone.first_result = op->operand_count + 1u;
    defs[alone.first_result].type = *fl_edit_type(e, op->first_result);
    defs[alone.first_result].op = &alone;
    for (uint32_t i = 1; scalar && i < p.def_count; i++)
        defs[i].type = fl_type_make((fl_dtype)defs[i].type.dtype, 0, NULL);
    return fl_reference_op(&p, &alone, operands, (void *[]){out});
}

/* Not known after all: what the interpreter lacks, or an operation that fails when it runs. */
static int is_refused(fl_status s)
{
    fl_status_free(s);
    return s != NULL;
}

static int moves(uint16_t code)
{
    switch (code) {
    case FL_OP_broadcast:
    case FL_OP_broadcast_in_dim:
    case FL_OP_reshape:
    case FL_OP_reverse:
    case FL_OP_slice:
    case FL_OP_transpose:
    case FL_OP_concatenate:
    case FL_OP_pad:
    case FL_OP_gather:
    case FL_OP_dynamic_slice:
    case FL_OP_torch_index_select: return 1;
    default: return 0;
    }
}

/* How many of the operands give the elements. */
static uint32_t sources(const fl_op *op)
{
    return op->code == FL_OP_gather || op->code == FL_OP_dynamic_slice || op->code == FL_OP_torch_index_select
               ? 1
               : op->operand_count;
}

/* Moving one number around gives it again. */
static int fold_movement(fl_editor *e, const fl_op *op, fl_ref *out)
{
    const void *first = NULL;
    if (!moves(op->code)) return 0;
    for (uint32_t i = 0; i < sources(op); i++) {
        int splat;
        const void *data = constant(e, op->operands[i], &splat);
        if (!data || !splat) return 0;
        if (first &&
            memcmp(first, data, fl_dtype_bytes((fl_dtype)fl_edit_type(e, op->operands[0])->dtype)) != 0)
            return 0;
        first = data;
    }
    if (!first) return 0;
    *out = fl_edit_splat(e, fl_edit_type(e, op->first_result), first);
    return 1;
}

/* An elementwise operation of one number each gives one number. */
static int fold_splats(fl_editor *e, const fl_op *op, fl_ref *out)
{
    const void *operands[MOST_OPERANDS];
    char element[16] = {0};
    if (!(fl_op_infos[op->code].traits & FL_TRAIT_E)) return 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        int splat = 0;
        operands[i] = constant(e, op->operands[i], &splat);
        if (!operands[i] || !splat) return 0;
    }
    if (is_refused(evaluate(e, op, operands, 1, element))) return 0;
    *out = fl_edit_splat(e, fl_edit_type(e, op->first_result), element);
    return 1;
}

static int fold_small(fl_editor *e, const fl_op *op, fl_ref *out)
{
    const fl_type type = *fl_edit_type(e, op->first_result);
    const void *operands[MOST_OPERANDS];
    size_t bytes = fl_type_bytes(&type), all = 0;
    for (uint32_t i = 0; i < op->operand_count; i++) {
        int splat = 0;
        const fl_type *t = fl_edit_type(e, op->operands[i]);
        operands[i] = constant(e, op->operands[i], &splat);
        if (!operands[i] || fl_type_bytes(t) > MOST_OPERAND_BYTES) return 0;
        all += splat ? fl_dtype_bytes((fl_dtype)t->dtype) : fl_type_bytes(t);
        if (!splat) continue;
        void *whole = fl_arena_alloc(&e->scratch, fl_type_bytes(t));
        if (!whole) return 0;
        fl_constant_expand(t, fl_op_attr(fl_edit_def(e, op->operands[i]), FL_ATTR_value), whole);
        operands[i] = whole;
    }
    if (bytes > MOST_BYTES && (bytes > all || fl_type_elements(&type) > MOST_WORK)) return 0;
    void *result = fl_arena_zalloc(&e->scratch, bytes, 1);
    if (!result || is_refused(evaluate(e, op, operands, 0, result))) return 0;
    *out = fl_constant(&e->b, type, result);
    return 1;
}

/* A constant whose elements are all one number says so. */
static int shorten(fl_editor *e, const fl_op *op, fl_ref *out)
{
    const fl_type *type = fl_edit_type(e, op->first_result);
    const fl_attr *a = fl_op_attr(op, FL_ATTR_value);
    if (!a || !fl_type_is_plain(type) || fl_type_elements(type) < 2) return 0;
    size_t size = fl_dtype_bytes((fl_dtype)type->dtype), bytes = fl_type_bytes(type);
    const char *data = a->u.dense;
    if (a->count != bytes || memcmp(data, data + size, bytes - size) != 0) return 0;
    *out = fl_edit_splat(e, type, data);
    return 1;
}

/* Products, convolutions and the like are too much work to do them here. */
static int is_cheap(const fl_op *op)
{
    if (fl_op_infos[op->code].traits & FL_TRAIT_E || moves(op->code)) return 1;
    return op->code == FL_OP_bitcast_convert || op->code == FL_OP_dynamic_update_slice;
}

static int is_foldable(const fl_editor *e, const fl_op *op)
{
    if (op->region_count || op->result_count != 1 || !op->operand_count || op->operand_count > MOST_OPERANDS)
        return 0;
    if (fl_op_infos[op->code].traits & FL_TRAIT_S || !is_cheap(op)) return 0;
    const fl_type *type = fl_edit_type(e, op->first_result);
    return fl_type_is_plain(type) && fl_type_elements(type) > 0;
}

static fl_status fold(fl_editor *e, fl_op *op, int *done)
{
    fl_ref to = FL_NO_REF;
    if (op->code == FL_OP_constant) {
        *done = shorten(e, op, &to);
    } else if (op->code == FL_OP_iota && fl_type_elements(fl_edit_type(e, op->first_result)) == 1) {
        to = fl_edit_splat_int(e, fl_edit_type(e, op->first_result), 0);
        *done = to != FL_NO_REF;
    } else if (is_foldable(e, op)) {
        *done = fold_movement(e, op, &to) || fold_splats(e, op, &to) || fold_small(e, op, &to);
    }
    if (*done) fl_edit_replace(e, op->first_result, to);
    return NULL;
}

fl_status fl_pass_fold(fl_editor *e)
{
    return fl_edit_walk(e, fold);
}
