/* Attributes of operations: from VHLO's forms to ours. */
#include "ir/bytecode/reader.h"

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

static fl_status unexpected(fl_attr_key key)
{
    return fl_error(FL_INVALID, "attribute %s: unexpected kind of value", fl_attr_infos[key].name);
}

static fl_status enum_value(fl_bc_reader *r, fl_vhlo_form form, const fl_bc_entry *e, fl_attr *out)
{
    const fl_vhlo_enum *n = fl_vhlo_enum_of(form);
    if (!n || !fl_bc_is_vhlo(r, e, (fl_vhlo_attr_code)n->code)) return unexpected((fl_attr_key)out->key);
    int64_t value = e->u.literal->u.i - n->offset;
    if (value < 0 || value >= n->count) return unexpected((fl_attr_key)out->key);
    out->u.i = value;
    return NULL;
}

static fl_status list(fl_bc_reader *r, const fl_bc_entry *e, unsigned most_rank, fl_attr *out)
{
    const fl_literal *l = e->u.literal;
    fl_literal widened;
    if (l->kind != FL_LIT_DENSE || l->type->rank > most_rank) return unexpected((fl_attr_key)out->key);
    FL_TRY(fl_bc_widen(r, l, &widened));
    if (l->type->rank == 2) {
        FL_CHECK(l->type->dims[1] <= UINT16_MAX, FL_UNSUPPORTED,
                 "attribute %s: expected at most 65535 columns", fl_attr_infos[out->key].name);
        out->columns = (uint16_t)l->type->dims[1];
    }
    out->count = widened.count;
    out->u.ints = widened.u.ints;
    return NULL;
}

static fl_status precisions(fl_bc_reader *r, const fl_bc_entry *e, fl_attr *out)
{
    const fl_literal *l = e->u.literal;
    if (!fl_bc_is_vhlo(r, e, FL_VA_ARRAY)) return unexpected((fl_attr_key)out->key);
    int64_t *values = FL_NEW_ARRAY(&r->arena, int64_t, l->count);
    if (!values) return no_memory();
    for (uint32_t i = 0; i < l->count; i++) {
        const fl_literal *item = &l->u.items[i];
        if (item->kind != FL_LIT_INT || item->count != FL_VA_PRECISION || item->u.i > FL_PRECISION_HIGHEST)
            return unexpected((fl_attr_key)out->key);
        values[i] = item->u.i;
    }
    out->count = l->count;
    out->u.ints = values;
    return NULL;
}

static int is_none(const fl_literal *l)
{
    return l->kind == FL_LIT_TYPE && l->type->kind == FL_TYPE_NONE;
}

/* The algorithm of dot_general: types and numbers, or `none` instead of each. */
static fl_status optional(fl_vhlo_form form, const fl_literal *l, fl_attr *out, int *out_absent)
{
    if (is_none(l)) {
        *out_absent = 1;
        return NULL;
    }
    int ok = form == FL_VHLO_OPT_TYPE
                 ? l->kind == FL_LIT_TYPE && l->type->kind == FL_TYPE_ELEMENT && !l->type->more
             : form == FL_VHLO_OPT_I64 ? l->kind == FL_LIT_INT && l->dtype
                                       : l->kind == FL_LIT_BOOL;
    if (!ok) return unexpected((fl_attr_key)out->key);
    out->u.i = form == FL_VHLO_OPT_TYPE ? l->type->dtype : l->u.i;
    return NULL;
}

static fl_status literal(fl_bc_reader *r, const fl_literal *l, fl_attr *out)
{
    fl_literal *copy = FL_NEW(&r->arena, fl_literal);
    if (!copy) return no_memory();
    *copy = *l;
    out->u.literal = copy;
    return NULL;
}

/* Arrays (of arrays) of what `item` accepts, each changed as it says. */
typedef fl_status (*item_function)(fl_bc_reader *r, const fl_literal *from, fl_attr_key key, fl_literal *to);

static fl_status map(fl_bc_reader *r, const fl_literal *from, fl_attr_key key, item_function item,
                     fl_literal *to)
{
    if (from->kind != FL_LIT_ARRAY) return unexpected(key);
    fl_literal *items = FL_NEW_ARRAY(&r->arena, fl_literal, from->count);
    if (!items) return no_memory();
    for (uint32_t i = 0; i < from->count; i++) FL_TRY(item(r, &from->u.items[i], key, &items[i]));
    *to = (fl_literal){.kind = FL_LIT_ARRAY, .count = from->count, .u.items = items};
    return NULL;
}

static fl_status symbol(fl_bc_reader *r, const fl_literal *from, fl_attr_key key, fl_literal *to)
{
    (void)r;
    *to = *from;
    to->kind = FL_LIT_SYMBOL;
    return from->kind == FL_LIT_STRING ? NULL : unexpected(key);
}

static fl_status layout(fl_bc_reader *r, const fl_literal *from, fl_attr_key key, fl_literal *to)
{
    if (from->kind != FL_LIT_DENSE || from->type->rank != 1) return unexpected(key);
    FL_TRY(fl_bc_widen(r, from, to));
    to->dtype = FL_IDX;
    return NULL;
}

static fl_status layouts(fl_bc_reader *r, const fl_literal *from, fl_attr_key key, fl_literal *to)
{
    return map(r, from, key, layout, to);
}

static fl_status number(fl_bc_reader *r, const fl_literal *from, fl_attr_key key, fl_literal *to)
{
    (void)r;
    *to = *from;
    return from->kind == FL_LIT_INT && from->dtype ? NULL : unexpected(key);
}

static fl_status numbers(fl_bc_reader *r, const fl_literal *from, fl_attr_key key, fl_literal *to)
{
    return map(r, from, key, number, to);
}

static fl_status alias(fl_bc_reader *r, const fl_literal *from, fl_attr_key key, fl_literal *to)
{
    (void)r;
    *to = *from;
    const fl_literal *index = fl_literal_get(from, "operand_index"),
                     *tuple = fl_literal_get(from, "operand_tuple_indices");
    int ok = index && tuple && index->kind == FL_LIT_INT && tuple->kind == FL_LIT_INTS;
    return ok ? NULL : unexpected(key);
}

static fl_status mapped(fl_bc_reader *r, const fl_literal *l, item_function item, fl_attr *out)
{
    fl_literal to;
    FL_TRY(map(r, l, (fl_attr_key)out->key, item, &to));
    return literal(r, &to, out);
}

static fl_status groups(fl_bc_reader *r, const fl_bc_entry *e, fl_attr *out)
{
    if (!fl_bc_is_vhlo(r, e, FL_VA_MESH_GROUPS)) return list(r, e, 2, out);
    out->key = FL_ATTR_replica_group_mesh_axes;
    return literal(r, e->u.literal, out);
}

static fl_status scalar(fl_literal_kind kind, const fl_literal *l, fl_attr *out)
{
    if (l->kind != kind || (kind == FL_LIT_INT && !l->dtype)) return unexpected((fl_attr_key)out->key);
    switch (kind) {
    case FL_LIT_FLOAT: out->u.f = l->u.f; break;
    case FL_LIT_STRING:
        out->count = l->count;
        out->u.string = l->u.string;
        break;
    default: out->u.i = l->u.i;
    }
    return NULL;
}

/* Names of functions end at their first NUL, as C strings do. */
static fl_status check_name(const fl_attr *a)
{
    int is_symbol = fl_attr_infos[a->key].form == FL_FORM_SYMBOL;
    return is_symbol && strlen(a->u.string) != a->count ? unexpected((fl_attr_key)a->key) : NULL;
}

static fl_status convert(fl_bc_reader *r, const fl_bc_entry *e, fl_attr *out, int *out_absent)
{
    const fl_literal *l = e->u.literal;
    fl_attr_key key = (fl_attr_key)out->key;
    fl_vhlo_form form = fl_vhlo_form_of(key);
    switch (form) {
    case FL_VHLO_I64:
    case FL_VHLO_I32: return scalar(FL_LIT_INT, l, out);
    case FL_VHLO_VERSION: /* an i64 stands for a version that was left out */
        *out_absent = l->kind == FL_LIT_INT && l->dtype == FL_I64 && !l->u.i;
        return scalar(FL_LIT_INT, l, out);
    case FL_VHLO_F32: return scalar(FL_LIT_FLOAT, l, out);
    case FL_VHLO_BOOL: return scalar(FL_LIT_BOOL, l, out);
    case FL_VHLO_STRING: FL_TRY(scalar(FL_LIT_STRING, l, out)); return check_name(out);
    case FL_VHLO_TENSOR:
        if (l->kind != FL_LIT_DENSE) return unexpected(key);
        out->count = l->count;
        out->u.dense = l->u.data;
        return NULL;
    case FL_VHLO_LIST:
    case FL_VHLO_BOOLS: return list(r, e, 1, out);
    case FL_VHLO_MATRIX: return list(r, e, 2, out);
    case FL_VHLO_GROUPS: return groups(r, e, out);
    case FL_VHLO_OPT_TYPE:
    case FL_VHLO_OPT_I64:
    case FL_VHLO_OPT_BOOL: return optional(form, l, out, out_absent);
    case FL_VHLO_PRECISIONS: return precisions(r, e, out);
    case FL_VHLO_DICT: return l->kind == FL_LIT_DICT ? literal(r, l, out) : unexpected(key);
    case FL_VHLO_CONFIG:
        return l->kind == FL_LIT_STRING || fl_bc_is_vhlo(r, e, FL_VA_DICT) ? literal(r, l, out)
                                                                           : unexpected(key);
    case FL_VHLO_ACCURACY: return fl_bc_is_vhlo(r, e, FL_VA_ACCURACY) ? literal(r, l, out) : unexpected(key);
    case FL_VHLO_SYMBOLS: return mapped(r, l, symbol, out);
    case FL_VHLO_LAYOUTS: return mapped(r, l, layout, out);
    case FL_VHLO_TILINGS: return mapped(r, l, layouts, out);
    case FL_VHLO_MINORS: return mapped(r, l, numbers, out);
    case FL_VHLO_ALIASES: return mapped(r, l, alias, out);
    default: return enum_value(r, form, e, out);
    }
}

fl_status fl_bc_op_attr(fl_bc_reader *r, fl_attr_key key, uint64_t index, fl_attr *out, int *out_absent)
{
    const fl_bc_entry *e;
    memset(out, 0, sizeof *out);
    out->key = (uint16_t)key;
    *out_absent = 0;
    FL_TRY(fl_bc_attr(r, index, 0, &e));
    FL_TRY(fl_bc_spend(r, e->weight * sizeof(fl_literal)));
    return convert(r, e, out, out_absent);
}
