/* Loops and branches: what they carry stays laid out as it was. */
#include "opt/widen_parts.h"

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* Sizes of a result, plainly laid out. */
static void plain_extents(const fl_widener *x, fl_ref value, fl_extents *out)
{
    *out = (fl_extents){0};
    for (int d = 0; d < fl_type_of(x->from, value)->rank; d++) {
        int32_t size = fl_wide_size(x, value, d);
        if (size != FL_WHOLE) out->d[d] = fl_extent_plain(x, size, 0);
    }
}

static fl_ref relaid(fl_widener *x, fl_ref made, const fl_type *type, const fl_extents *from,
                     const fl_extents *to)
{
    for (int d = 0; d < type->rank; d++) made = fl_wide_relay(x, made, d, &from->d[d], &to->d[d]);
    return made;
}

/* A region whose arguments are laid out as `args` says, and whose results as `results` says (NULL: they are exact). */
static fl_block *region(fl_widener *x, const fl_op *op, const fl_block *from, const fl_extents *args,
                        const fl_extents *results)
{
    fl_builder *b = &x->b;
    static const fl_extents exact;
    fl_type *types = FL_NEW_ARRAY(&x->scratch, fl_type, from->arg_count + 1);
    fl_ref *made = FL_NEW_ARRAY(&x->scratch, fl_ref, from->result_count + 1);
    if (!types || !made) {
        fl_builder_fail(b, no_memory());
        return NULL;
    }
    for (uint32_t i = 0; i < from->arg_count; i++)
        types[i] = fl_wide_type(x, from->first_arg + i, args ? &args[i] : NULL);
    fl_block *to = fl_region_begin(b, types, from->arg_count);
    if (!to) return NULL;
    fl_status s = NULL;
    for (uint32_t i = 0; !s && i < from->arg_count; i++)
        s = fl_wide_set(x, op, from->first_arg + i, to->first_arg + i, args ? &args[i] : NULL);
    if (!s) s = fl_wide_block(x, from);
    if (s) fl_builder_fail(b, s);
    for (uint32_t i = 0; i < from->result_count; i++) {
        fl_ref r = from->results[i];
        const fl_extents *now = x->at[r] ? x->at[r] : &exact;
        made[i] =
            results && fl_ok(b) ? relaid(x, x->map[r], fl_type_of(x->from, r), now, &results[i]) : x->map[r];
    }
    fl_region_end(b, to, made, from->result_count);
    return to;
}

static fl_status set_results(fl_wide_op *o, fl_ref first, const fl_extents *extents)
{
    for (uint32_t i = 0; fl_ok(&o->x->b) && i < o->op->result_count; i++)
        FL_TRY(fl_wide_set(o->x, o->op, o->op->first_result + i, first + i, &extents[i]));
    return NULL;
}

fl_status fl_widen_control(fl_wide_op *o, int *done)
{
    fl_widener *x = o->x;
    const fl_op *op = o->op;
    int loop = op->code == FL_OP_while;
    *done = loop || op->code == FL_OP_if || op->code == FL_OP_case;
    if (!*done) return NULL;
    fl_extents *carried = FL_NEW_ARRAY(&x->scratch, fl_extents, op->result_count + 1u);
    fl_block **regions = FL_NEW_ARRAY(&x->scratch, fl_block *, op->region_count + 1u);
    fl_type *types = FL_NEW_ARRAY(&x->scratch, fl_type, op->result_count + 1u);
    if (!carried || !regions || !types) return no_memory();
    for (uint32_t i = 0; i < op->result_count; i++) {
        plain_extents(x, op->first_result + i, &carried[i]);
        types[i] = fl_wide_type(x, op->first_result + i, &carried[i]);
        if (loop)
            o->in[i] = relaid(x, o->in[i], fl_type_of(x->from, op->operands[i]), &o->at[i], &carried[i]);
    }
    for (uint32_t k = 0; k < op->region_count; k++)
        regions[k] = region(x, op, op->regions[k], loop ? carried : NULL, loop && !k ? NULL : carried);
    fl_ref first = fl_build_typed(&x->b, (fl_opcode)op->code, o->in, op->operand_count, op->attrs,
                                  op->attr_count, regions, op->region_count, types, op->result_count);
    return set_results(o, first, carried);
}
