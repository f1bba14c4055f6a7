/* Operations of `sdy` stand among those of VHLO as they are, with types and attributes of the builtin dialect: casts lead to
 * their operands and from their results. */
#include "ir/bytecode/sdy_ops.h"
#include "ir/bytecode/writer.h"
#include "ir/text/syntax.h"

#include <string.h>

uint32_t fl_bw_sdy_values(const fl_block *block)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        int is_sdy = fl_sdy_row_of((fl_opcode)op->code) != NULL;
        if (is_sdy) count += op->operand_count + (uint32_t)op->result_count;
        for (uint32_t k = 0; k < op->region_count; k++) {
            const fl_block *region = op->regions[k];
            if (is_sdy) count += region->arg_count + region->result_count;
            count += fl_bw_sdy_values(region);
        }
    }
    return count;
}

unsigned fl_bw_sdy(fl_bw_writer *w)
{
    fl_bw_need(w, 110, "an operation of the dialect", "sdy");
    return fl_bw_dialect(w, "sdy", 3);
}

/* From value `from`, whose type is `type` in the program, to value `to`. */
static void cast(fl_bw_writer *w, fl_ref from, fl_ref to, const fl_type *type, int to_builtin, fl_bw_op *out)
{
    fl_ref *operand = fl_bw_alloc(w, 1, sizeof *operand);
    out->result_types = fl_bw_alloc(w, 1, sizeof *out->result_types);
    if (!operand || !out->result_types) return;
    *operand = from;
    *out->result_types = to_builtin ? fl_bw_builtin_type(w, type) : fl_bw_vhlo_type(w, type);
    out->name = fl_bw_op_name(w, FL_BW_BUILTIN, "unrealized_conversion_cast");
    out->operands = operand;
    out->operand_count = out->result_count = 1;
    out->first_result = to;
}

const fl_ref *fl_bw_casts_in(fl_bw_writer *w, const fl_ref *values, uint32_t count, fl_bw_op *out)
{
    fl_ref *to = fl_bw_alloc(w, count, sizeof *to);
    for (uint32_t i = 0; to && i < count; i++) {
        to[i] = w->next_value++;
        cast(w, values[i], to[i], fl_type_of(w->program, values[i]), 1, &out[i]);
    }
    return to;
}

void fl_bw_casts_out(fl_bw_writer *w, fl_ref from, fl_ref first, uint32_t count, fl_bw_op *out)
{
    for (uint32_t i = 0; i < count; i++)
        cast(w, from + i, first + i, fl_type_of(w->program, first + i), 0, &out[i]);
}

fl_bw_id *fl_bw_builtin_types(fl_bw_writer *w, fl_ref first, uint32_t count)
{
    fl_bw_id *types = fl_bw_alloc(w, count, sizeof *types);
    for (uint32_t i = 0; types && i < count; i++)
        types[i] = fl_bw_builtin_type(w, fl_type_of(w->program, first + i));
    return types;
}

static fl_bw_id attribute(fl_bw_writer *w, const fl_attr *a)
{
    const fl_literal number = {
        .kind = FL_LIT_INT, .u.i = a->u.i, .dtype = a->key == FL_ATTR_allowed_direction ? FL_I32 : FL_I64};
    switch (fl_attr_infos[a->key].form) {
    case FL_FORM_STRING: return fl_bw_builtin_string(w, a->u.string, a->count);
    case FL_FORM_LITERAL: return fl_bw_builtin_literal(w, a->u.literal);
    default: return fl_bw_builtin_literal(w, &number);
    }
}

/* What the operation itself has, as properties; before version 5 of the format in the dictionary with the others. */
void fl_bw_sdy_attrs(fl_bw_writer *w, const fl_op *op, fl_bw_op *out)
{
    const fl_sdy_row *row = fl_sdy_row_of((fl_opcode)op->code);
    uint32_t more = op->extra ? op->extra->count : 0, n = 0;
    fl_bw_named *entries = fl_bw_alloc(w, (size_t)more + FL_SDY_ATTRS, sizeof *entries);
    out->properties = fl_bw_alloc(w, FL_SDY_ATTRS, sizeof *out->properties);
    if (!entries || !out->properties) return;
    out->optional = row->optional;
    for (uint32_t i = 0; i < FL_SDY_ATTRS && row->keys[i]; i++) {
        const fl_attr *a = fl_op_attr(op, (fl_attr_key)row->keys[i]);
        fl_bw_id value = a ? attribute(w, a) : 0;
        if (w->format >= 5)
            out->properties[out->property_count++] = value;
        else if (a)
            entries[n++] = (fl_bw_named){fl_syntax_attr((fl_opcode)op->code, (fl_attr_key)a->key), value};
    }
    for (uint32_t i = 0; i < more; i++)
        entries[n++] = (fl_bw_named){op->extra->u.entries[i].name,
                                     fl_bw_builtin_literal(w, &op->extra->u.entries[i].value)};
    if (n) out->dict = fl_bw_dict(w, entries, n);
}
