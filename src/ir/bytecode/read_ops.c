/* The operations of a function. */
#include "ir/bytecode/read_ops.h"

#include <stdlib.h>

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* The first error of the builder, which then has none. */
static fl_status take_status(fl_bc_reader *r)
{
    fl_status s = r->builder.status;
    r->builder.status = NULL;
    return s;
}

/* ---- values ---- */

static fl_status reserve_values(fl_bc_reader *r, uint64_t more)
{
    uint64_t need = r->value_count + more;
    if (need > UINT32_MAX / 2) return fl_error(FL_UNSUPPORTED, "%s: expected fewer values", FL_BC_PREFIX);
    if (need > r->value_capacity) {
        uint64_t capacity = 2 * need;
        fl_ref *values = realloc(r->values, capacity * sizeof *values);
        if (!values) return no_memory();
        r->values = values;
        r->value_capacity = (uint32_t)capacity;
    }
    if (more) memset(r->values + r->value_count, 0, more * sizeof *r->values);
    r->value_count = (uint32_t)need;
    return NULL;
}

/* Values are numbered in the order of their definitions; those of a region come after all of the region around it. */
static fl_status define(fl_bc_reader *r, fl_bc_block *b, fl_ref first, uint32_t count)
{
    FL_CHECK(count <= r->value_count - b->next, FL_INVALID, "%s: a region defines more values than it says",
             FL_BC_PREFIX);
    for (uint32_t i = 0; i < count; i++) r->values[b->next++] = first + i;
    return NULL;
}

/* ---- regions ---- */

fl_status fl_bc_begin_block(fl_bc_reader *r, fl_cursor *c, fl_bc_block *b)
{
    memset(b, 0, sizeof *b);
    uint64_t blocks = fl_cursor_varint(c);
    b->is_empty = !blocks;
    if (c->failed) return fl_bc_truncated("a region");
    if (b->is_empty) return NULL;
    FL_CHECK(blocks == 1, FL_UNSUPPORTED, "%s: expected regions of one block, got %llu", FL_BC_PREFIX,
             (unsigned long long)blocks);
    uint32_t values = fl_cursor_count(c);
    uint64_t ops = fl_cursor_varint(c);
    b->op_count = ops >> 1;
    b->start = b->next = r->value_count;
    FL_TRY(reserve_values(r, values));
    if (!(ops & 1)) return NULL;
    b->arg_count = fl_cursor_count(c);
    b->arg_types = FL_NEW_ARRAY(&r->arena, fl_type, b->arg_count);
    if (!b->arg_types) return no_memory();
    for (uint32_t i = 0; i < b->arg_count; i++) {
        uint64_t type = fl_cursor_varint(c);
        if (r->format < 4 || (type & 1)) fl_cursor_varint(c); /* location */
        FL_TRY(fl_bc_value_type(r, r->format < 4 ? type : type >> 1, &b->arg_types[i]));
    }
    if (r->format >= 3 && fl_cursor_byte(c)) fl_bc_skip_uses(c, b->arg_count);
    return c->failed ? fl_bc_truncated("a block") : NULL;
}

fl_status fl_bc_enter_regions(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h, fl_cursor **out,
                              fl_cursor *inner)
{
    *out = c;
    if (!h->is_isolated || r->format < 2) return NULL;
    uint8_t id = fl_cursor_byte(c);
    uint64_t length = fl_cursor_varint(c);
    FL_CHECK(id == 4 && !c->failed, FL_INVALID, "%s: expected the section of an isolated region",
             h->name->name);
    *inner = fl_cursor_sub(c, length);
    *out = inner;
    return c->failed ? fl_bc_truncated("a region") : NULL;
}

static fl_status read_region(fl_bc_reader *r, fl_cursor *c, unsigned depth, fl_block **out)
{
    fl_bc_block b;
    fl_ref *results;
    uint32_t count;
    FL_CHECK(depth < FL_BC_DEPTH, FL_UNSUPPORTED, "%s: expected regions nested less than %d deep",
             FL_BC_PREFIX, FL_BC_DEPTH);
    FL_TRY(fl_bc_begin_block(r, c, &b));
    FL_CHECK(!b.is_empty, FL_INVALID, "%s: expected a block in every region", FL_BC_PREFIX);
    fl_block *block = fl_region_begin(&r->builder, b.arg_types, b.arg_count);
    FL_TRY(take_status(r));
    FL_TRY(fl_bc_read_body(r, c, &b, fl_block_arg(block, 0), depth, &results, &count));
    fl_region_end(&r->builder, block, results, count);
    r->value_count = b.start;
    *out = block;
    return take_status(r);
}

static fl_status read_regions(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h, unsigned depth,
                              fl_block ***out)
{
    fl_cursor inner, *at;
    uint32_t scope = r->scope;
    fl_block **blocks = FL_NEW_ARRAY(&r->arena, fl_block *, h->region_count);
    if (!blocks) return no_memory();
    if (h->region_count) FL_TRY(fl_bc_enter_regions(r, c, h, &at, &inner));
    if (h->is_isolated) r->scope = r->value_count;
    for (uint32_t i = 0; i < h->region_count; i++) FL_TRY(read_region(r, at, depth + 1, &blocks[i]));
    r->scope = scope;
    *out = blocks;
    return NULL;
}

/* ---- operations ---- */

/* What the constant says its type is must be what the operation says; but the storage of quantized types has no sign in MLIR,
 * and holds the elements of !quant.uniform<u8:f32, 1.0> as i8. */
static fl_status check_constant(fl_bc_reader *r, const fl_bc_head *h, uint64_t index, fl_attr *a)
{
    const fl_type *value = r->attrs[index].u.literal->type,
                  *result = h->result_count == 1 ? h->result_types : NULL;
    int is_unsigned =
        result && fl_type_quant(result) && fl_dtype_kind((fl_dtype)result->dtype) == FL_KIND_UINT;
    int has_no_sign = is_unsigned && value->dtype == result->dtype - FL_U8 + FL_I8;
    int same = result && (result->dtype == value->dtype || has_no_sign) && result->kind == value->kind &&
               result->rank == value->rank;
    for (int i = 0; same && i < value->rank; i++) same = value->dims[i] == result->dims[i];
    FL_CHECK(same, FL_INVALID, "constant: expected a result of the type of its value");
    unsigned bits = fl_dtypes[value->dtype].bits;
    if (!has_no_sign || bits >= 8) return NULL;
    uint8_t *stored = fl_arena_copy(&r->arena, a->u.dense, a->count);
    FL_CHECK(stored, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < a->count; i++) stored[i] &= (uint8_t)((1u << bits) - 1);
    a->u.dense = stored;
    return NULL;
}

typedef struct attr_list {
    fl_attr attrs[20];
    uint32_t count;
} attr_list;

static const fl_attr *find(const attr_list *list, fl_attr_key key)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->attrs[i].key == key) return &list->attrs[i];
    return NULL;
}

/* StableHLO leaves out what is as usual; layouts of operands and results only together. */
static void drop_defaults(fl_opcode code, attr_list *list)
{
    const fl_attr *in = find(list, FL_ATTR_operand_layouts), *out = find(list, FL_ATTR_result_layouts);
    int keep_layouts = (in && in->u.literal->count) || (out && out->u.literal->count);
    uint32_t n = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const fl_attr *a = &list->attrs[i];
        int is_layout = a->key == FL_ATTR_operand_layouts || a->key == FL_ATTR_result_layouts;
        int keeps = fl_vhlo_default_of(code, (fl_attr_key)a->key).kind == FL_DEFAULT_FILL ||
                    a->key == FL_ATTR_version || !fl_vhlo_is_default(code, a) || (is_layout && keep_layouts);
        if (keeps) list->attrs[n++] = *a;
    }
    list->count = n;
}

static fl_status read_attrs(fl_bc_reader *r, const fl_bc_head *h, attr_list *list,
                            const fl_literal **out_others)
{
    const fl_vhlo_row *row = h->name->row;
    const char *names[20];
    uint64_t indices[20];
    uint32_t count = 0;
    list->count = 0;
    for (; row->keys[count]; count++) names[count] = fl_attr_infos[row->keys[count]].name;
    FL_TRY(fl_bc_named(r, h, names, count, indices));
    for (uint32_t i = 0; i < count; i++) {
        int absent;
        fl_attr *a = &list->attrs[list->count];
        FL_TRY(fl_bc_op_attr(r, (fl_attr_key)row->keys[i], indices[i], a, &absent));
        if (a->key == FL_ATTR_value) FL_TRY(check_constant(r, h, indices[i], a));
        /* the first dynamic_conv had padding twice, and only the operand counted */
        if (row->code == FL_OP_dynamic_conv && a->key == FL_ATTR_padding) absent = 1;
        if (!absent) list->count++;
    }
    drop_defaults((fl_opcode)row->code, list);
    return fl_bc_others(r, h, names, count, out_others);
}

static fl_status build(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h, unsigned depth, fl_opcode code,
                       const attr_list *list, const fl_literal *others, fl_ref *out)
{
    fl_block **regions = NULL;
    FL_TRY(read_regions(r, c, h, depth, &regions));
    *out = fl_build_typed(&r->builder, code, h->operands, h->operand_count, list->attrs, list->count, regions,
                          h->region_count, h->result_types, h->result_count);
    FL_TRY(take_status(r));
    if (others) fl_last_op(&r->builder)->extra = others;
    return NULL;
}

static fl_status unknown(const fl_bc_reader *r, const fl_bc_head *h)
{
    return fl_error(FL_UNSUPPORTED, "unknown operation %.40s.%.60s",
                    r->strings[r->dialect_names[h->name->dialect]].text, h->name->name);
}

static fl_status build_op(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h, unsigned depth, fl_ref *out)
{
    attr_list list;
    const fl_literal *others;
    if (!h->name->row) return unknown(r, h);
    FL_TRY(read_attrs(r, h, &list, &others));
    return build(r, c, h, depth, (fl_opcode)h->name->row->code, &list, others, out);
}

static fl_status build_sdy(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h, unsigned depth, fl_ref *out)
{
    attr_list list;
    const fl_literal *others;
    fl_opcode code = fl_bc_sdy_opcode(h->name->name);
    if (!code) return unknown(r, h);
    FL_TRY(fl_bc_sdy_attrs(r, h, code, list.attrs, &list.count, &others));
    return build(r, c, h, depth, code, &list, others, out);
}

/* Casts between the dialects' types, which are ours alike. */
static int is_cast(const fl_bc_reader *r, const fl_bc_op_name *name)
{
    return r->dialects[name->dialect] == FL_BC_BUILTIN && !strcmp(name->name, "unrealized_conversion_cast");
}

static fl_status pass(fl_bc_reader *r, const fl_bc_head *h, const fl_type *types, const fl_ref *from,
                      uint32_t count, fl_bc_block *to)
{
    for (uint32_t i = 0; i < count; i++) {
        FL_CHECK(fl_type_equal(fl_typeof(&r->builder, from[i]), &types[i]), FL_UNSUPPORTED,
                 "%s: expected values of the same type inside and outside, as on one device", h->name->name);
        FL_TRY(define(r, to, from[i], 1));
    }
    return NULL;
}

static fl_status read_op(fl_bc_reader *r, fl_cursor *c, const fl_bc_head *h, fl_bc_block *b, unsigned depth)
{
    fl_ref first;
    if (is_cast(r, h->name)) {
        FL_CHECK(h->operand_count == h->result_count && !h->region_count, FL_INVALID,
                 "%s: expected as many results as operands", h->name->name);
        return pass(r, h, h->result_types, h->operands, h->operand_count, b);
    }
    if (r->dialects[h->name->dialect] == FL_BC_SDY)
        FL_TRY(build_sdy(r, c, h, depth, &first));
    else
        FL_TRY(build_op(r, c, h, depth, &first));
    return define(r, b, first, h->result_count);
}

static int is_return(const fl_bc_reader *r, const fl_bc_op_name *name)
{
    uint8_t dialect = r->dialects[name->dialect];
    return dialect == FL_BC_VHLO ? !strcmp(name->name, FL_VHLO_RETURN)
                                 : dialect == FL_BC_SDY && !strcmp(name->name, "return");
}

static fl_status read_ops(fl_bc_reader *r, fl_cursor *c, fl_bc_block *b, unsigned depth, fl_ref **out_results,
                          uint32_t *out_count)
{
    for (uint64_t i = 0; i < b->op_count; i++) {
        fl_bc_head h;
        FL_TRY(fl_bc_read_head(r, c, &h));
        if (!is_return(r, h.name)) {
            FL_TRY(read_op(r, c, &h, b, depth));
            continue;
        }
        FL_CHECK(i + 1 == b->op_count && !h.region_count, FL_INVALID,
                 "%s: expected return at the end of its block", FL_BC_PREFIX);
        *out_results = h.operands;
        *out_count = h.operand_count;
        return NULL;
    }
    return fl_error(FL_INVALID, "%s: expected return at the end of a block", FL_BC_PREFIX);
}

fl_status fl_bc_read_body(fl_bc_reader *r, fl_cursor *c, fl_bc_block *b, fl_ref first_arg, unsigned depth,
                          fl_ref **out_results, uint32_t *out_count)
{
    FL_TRY(define(r, b, first_arg, b->arg_count));
    return read_ops(r, c, b, depth, out_results, out_count);
}
