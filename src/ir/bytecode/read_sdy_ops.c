/* Operations of `sdy`, which artifacts hold as they are, beside those of VHLO. */
#include "ir/bytecode/read_ops.h"
#include "ir/bytecode/sdy_ops.h"
#include "ir/text/syntax.h"

static const fl_sdy_row rows[] = {
    {FL_OP_manual_computation, {FL_ATTR_in_shardings, FL_ATTR_manual_axes, FL_ATTR_out_shardings}, 0},
    {FL_OP_named_computation, {FL_ATTR_in_shardings, FL_ATTR_name, FL_ATTR_out_shardings}, 5},
    {FL_OP_sharding_constraint, {FL_ATTR_sharding}, 0},
    {FL_OP_reshard, {FL_ATTR_sharding}, 0},
    {FL_OP_sdy_all_gather, {FL_ATTR_axes, FL_ATTR_sharding}, 0},
    {FL_OP_sdy_all_reduce, {FL_ATTR_sharding, FL_ATTR_axes}, 0},
    {FL_OP_sdy_all_slice, {FL_ATTR_sharding, FL_ATTR_axes}, 0},
    {FL_OP_sdy_all_to_all, {FL_ATTR_sharding, FL_ATTR_axes}, 0},
    {FL_OP_sdy_collective_permute, {FL_ATTR_sharding}, 0},
    {FL_OP_sdy_reduce_scatter, {FL_ATTR_sharding, FL_ATTR_axes}, 0},
    {FL_OP_sdy_sharded_to_unreduced, {FL_ATTR_axes, FL_ATTR_sharding}, 0},
    {FL_OP_sdy_replicated_to_unreduced, {FL_ATTR_axes, FL_ATTR_sharding}, 0},
    {FL_OP_propagation_barrier, {FL_ATTR_allowed_direction}, 0},
    {FL_OP_sharding_group, {FL_ATTR_group_id}, 0}};

const fl_sdy_row *fl_sdy_row_of(fl_opcode code)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].code == code) return &rows[i];
    return NULL;
}

fl_opcode fl_bc_sdy_opcode(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!strcmp(fl_op_infos[rows[i].code].name, name)) return (fl_opcode)rows[i].code;
    return FL_OP_NONE;
}

static fl_status to_attr(fl_bc_reader *r, fl_attr_key key, const fl_bc_entry *e, fl_attr *out)
{
    static const uint8_t kinds[] = {
        [FL_FORM_INT] = FL_LIT_INT,
        [FL_FORM_ENUM] = FL_LIT_INT,
        [FL_FORM_STRING] = FL_LIT_STRING,
        [FL_FORM_LITERAL] = FL_LIT_OPAQUE,
    };
    const fl_literal *l = e->u.literal;
    unsigned form = fl_attr_infos[key].form;
    int is_text = form == FL_FORM_LITERAL && (l->kind == FL_LIT_STRING || l->kind == FL_LIT_ARRAY);
    FL_CHECK(is_text || l->kind == kinds[form], FL_INVALID, "unexpected kind of attribute %s",
             fl_attr_infos[key].name);
    FL_TRY(fl_bc_spend(r, e->weight * sizeof *l));
    *out = (fl_attr){.key = (uint16_t)key, .count = form == FL_FORM_STRING ? l->count : 0};
    if (form == FL_FORM_LITERAL)
        out->u.literal = l;
    else if (form == FL_FORM_STRING)
        out->u.string = l->u.string;
    else
        out->u.i = l->u.i;
    return NULL;
}

/* Properties are one index each, of those that may be missing twice the index and one. */
static fl_status from_properties(fl_bc_reader *r, const fl_bc_head *h, const fl_sdy_row *row,
                                 const char *const *names, uint32_t count, fl_attr *out, uint32_t *out_count)
{
    uint64_t indices[FL_SDY_ATTRS];
    FL_TRY(fl_bc_named(r, h, names, count, indices));
    for (uint32_t i = 0; i < count; i++) {
        const fl_bc_entry *e;
        int is_optional = row->optional >> i & 1;
        if (is_optional && !(indices[i] & 1)) continue;
        FL_TRY(fl_bc_attr(r, indices[i] >> is_optional, 0, &e));
        FL_TRY(to_attr(r, (fl_attr_key)row->keys[i], e, &out[(*out_count)++]));
    }
    return NULL;
}

static fl_status from_dict(fl_bc_reader *r, const fl_bc_head *h, const fl_sdy_row *row,
                           const char *const *names, uint32_t count, fl_attr *out, uint32_t *out_count)
{
    const fl_bc_entry *e;
    if (!h->has_attrs) return NULL;
    FL_TRY(fl_bc_attr(r, h->attrs, 0, &e));
    for (uint32_t i = 0; e->u.literal->kind == FL_LIT_DICT && i < count; i++) {
        const fl_literal *value = fl_literal_get(e->u.literal, names[i]);
        const fl_bc_entry part = {.weight = e->weight, .u.literal = (fl_literal *)value};
        if (value) FL_TRY(to_attr(r, (fl_attr_key)row->keys[i], &part, &out[(*out_count)++]));
    }
    return NULL;
}

fl_status fl_bc_sdy_attrs(fl_bc_reader *r, const fl_bc_head *h, fl_opcode code, fl_attr *out,
                          uint32_t *out_count, const fl_literal **out_others)
{
    const fl_sdy_row *row = fl_sdy_row_of(code);
    const char *names[FL_SDY_ATTRS];
    uint32_t count = 0;
    *out_count = 0;
    for (; count < FL_SDY_ATTRS && row->keys[count]; count++)
        names[count] = fl_syntax_attr(code, (fl_attr_key)row->keys[count]);
    if (r->format >= 5 && h->has_properties)
        FL_TRY(from_properties(r, h, row, names, count, out, out_count));
    else
        FL_TRY(from_dict(r, h, row, names, count, out, out_count));
    return fl_bc_others(r, h, names, count, out_others);
}
