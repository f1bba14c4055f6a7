/* The operations of a program as those of VHLO in the version that is written. */
#include "ir/bytecode/sdy_ops.h"
#include "ir/bytecode/writer.h"

#include <stdlib.h>
#include <string.h>

/* ---- what the version can say ---- */

static const fl_vhlo_row *row_of(fl_bw_writer *w, const fl_op *op)
{
    fl_opcode code = (fl_opcode)op->code;
    const fl_op_info *info = &fl_op_infos[code];
    if (!w->rows[code]) w->rows[code] = fl_vhlo_pick(code, w->version);
    if (w->rows[code]) return w->rows[code];
    unsigned first = fl_vhlo_first(code);
    if (!first) fl_bw_fail(w, fl_error(FL_UNSUPPORTED, "artifacts hold no operations of %s", info->dialect));
    fl_bw_need(w, first, "the operation", "");
    return first ? fl_vhlo_pick(code, first) : NULL; /* what else it needs */
}

static int has_key(const fl_vhlo_row *row, uint16_t key)
{
    if (key == FL_ATTR_replica_group_mesh_axes) key = FL_ATTR_replica_groups;
    for (const uint8_t *k = row->keys; *k; k++)
        if (*k == key) return 1;
    return 0;
}

/* An attribute that came later may be there if it says what its absence says. */
static void check_attrs(fl_bw_writer *w, const fl_op *op, const fl_vhlo_row *row)
{
    for (unsigned i = 0; i < op->attr_count && !w->status; i++) {
        const fl_attr *a = &op->attrs[i];
        const char *name = fl_attr_infos[a->key].name;
        if (has_key(row, a->key) || fl_vhlo_is_default((fl_opcode)op->code, a)) continue;
        unsigned first = fl_vhlo_first_with((fl_opcode)op->code, (fl_attr_key)a->key);
        if (first > w->version)
            fl_bw_need(w, first, "attribute", name);
        else
            fl_bw_fail(w, fl_error(FL_UNSUPPORTED, "artifacts hold no attribute %s of it", name));
    }
}

/* Until 0.17 reductions had results of their operands' element types. */
static void check_same_elements(fl_bw_writer *w, const fl_op *op)
{
    for (unsigned i = 0; i < op->operand_count && i < op->result_count; i++) {
        const fl_type *in = fl_type_of(w->program, op->operands[i]),
                      *out = fl_type_of(w->program, op->first_result + i);
        if (in->dtype != out->dtype) fl_bw_need(w, 17, "a result of another element type", "");
    }
}

static void check_limits(fl_bw_writer *w, const fl_op *op, const fl_vhlo_row *row)
{
    fl_opcode code = (fl_opcode)op->code;
    if (row->flags & FL_VHLO_SINGLE && op->operand_count != 1)
        fl_bw_need(w, fl_vhlo_first_without(code, FL_VHLO_SINGLE), "more than one operand", "");
    if (row->flags & FL_VHLO_PLAIN && op->region_count)
        fl_bw_need(w, fl_vhlo_first_without(code, FL_VHLO_PLAIN), "a region", "");
    if (row->flags & FL_VHLO_SAME && w->version < 17) check_same_elements(w, op);
    if (code != FL_OP_custom_call) return;
    for (unsigned i = 0; i < op->operand_count; i++)
        if (fl_type_of(w->program, op->operands[i])->kind == FL_TYPE_FUTURE)
            fl_bw_need(w, 117, "an operand that is a future", "");
    if (fl_op_int(op, FL_ATTR_api_version, FL_API_ORIGINAL) == FL_API_TYPED_FFI)
        fl_bw_need(w, 103, "attribute", "api_version of the typed kind");
}

/* ---- attributes ---- */

/* Properties hold the attributes of the row; before version 5 of the format they stand among the others. */
static void set_attrs(fl_bw_writer *w, fl_bw_op *out, const char *const *names, const fl_bw_id *values,
                      uint32_t count, const fl_literal *others)
{
    int merged = w->format < 5;
    uint32_t more = others ? others->count : 0, n = 0;
    fl_bw_named *entries = fl_bw_alloc(w, (size_t)count + more, sizeof *entries);
    if (!entries) return;
    for (uint32_t i = 0; merged && i < count; i++) entries[n++] = (fl_bw_named){names[i], values[i]};
    for (uint32_t i = 0; i < more; i++)
        entries[n++] =
            (fl_bw_named){others->u.entries[i].name, fl_bw_literal(w, &others->u.entries[i].value)};
    if (n) out->dict = fl_bw_dict(w, entries, n);
    if (merged) return;
    out->properties = fl_bw_alloc(w, count, sizeof *values);
    if (out->properties && count) memcpy(out->properties, values, count * sizeof *values);
    out->property_count = count;
}

static void op_attrs(fl_bw_writer *w, const fl_op *op, const fl_vhlo_row *row, fl_bw_op *out)
{
    const char *names[20];
    fl_bw_id values[20];
    uint32_t count = 0;
    for (; row->keys[count]; count++) {
        names[count] = fl_attr_infos[row->keys[count]].name;
        values[count] = fl_bw_op_attr(w, op, (fl_attr_key)row->keys[count]);
    }
    set_attrs(w, out, names, values, count, op->extra);
}

/* ---- operations ---- */

/* `level` regions are around an operation; *lowest becomes the least level of what operations use, which tells whether the
 * regions around them are isolated. The values of a body of sdy are cast where it begins and ends. */
static void write_block(fl_bw_writer *w, const fl_block *block, uint32_t level, int is_sdy, uint32_t *lowest,
                        fl_bw_region *out);

static void set_levels(fl_bw_writer *w, fl_ref first, uint32_t count, uint32_t level)
{
    for (uint32_t i = 0; i < count; i++) w->levels[first + i] = level;
}

static void use(const fl_bw_writer *w, const fl_ref *operands, uint32_t count, uint32_t *lowest)
{
    for (uint32_t i = 0; i < count; i++)
        if (w->levels[operands[i]] < *lowest) *lowest = w->levels[operands[i]];
}

static void write_regions(fl_bw_writer *w, const fl_op *op, uint32_t level, uint32_t *lowest, fl_bw_op *out)
{
    out->region_count = op->region_count;
    out->regions = fl_bw_alloc(w, op->region_count, sizeof *out->regions);
    if (!out->regions || !op->region_count) return;
    uint32_t inside = UINT32_MAX;
    int is_sdy = fl_sdy_row_of((fl_opcode)op->code) != NULL;
    for (unsigned i = 0; i < op->region_count; i++)
        write_block(w, op->regions[i], level + 1, is_sdy, &inside, &out->regions[i]);
    out->is_isolated = inside > level;
    if (inside < *lowest) *lowest = inside;
}

static void write_op(fl_bw_writer *w, const fl_op *op, uint32_t level, uint32_t *lowest, fl_bw_op *out)
{
    const fl_vhlo_row *row = row_of(w, op);
    if (!row) return;
    check_limits(w, op, row);
    check_attrs(w, op, row);
    out->name = fl_bw_op_name(w, FL_BW_VHLO, row->name);
    out->is_replaced = row->last < FL_VHLO_CURRENT;
    op_attrs(w, op, row, out);
    out->operand_count = op->operand_count;
    out->operands = op->operands;
    out->result_count = op->result_count;
    out->first_result = op->first_result;
    out->result_types = fl_bw_alloc(w, op->result_count, sizeof *out->result_types);
    for (unsigned i = 0; out->result_types && i < op->result_count; i++)
        out->result_types[i] = fl_bw_vhlo_type(w, fl_type_of(w->program, op->first_result + i));
    set_levels(w, op->first_result, op->result_count, level);
    use(w, op->operands, op->operand_count, lowest);
    write_regions(w, op, level, lowest, out);
}

/* Operations that have made values and used some are entered. */
static void enter(fl_bw_writer *w, const fl_bw_op *ops, uint32_t count, uint32_t level, uint32_t *lowest)
{
    for (uint32_t i = 0; i < count && !w->status; i++) {
        set_levels(w, ops[i].first_result, ops[i].result_count, level);
        use(w, ops[i].operands, ops[i].operand_count, lowest);
    }
}

/* With the casts before and behind it. */
static void write_sdy(fl_bw_writer *w, const fl_op *op, uint32_t level, uint32_t *lowest, fl_bw_op *out)
{
    unsigned dialect = fl_bw_sdy(w);
    fl_bw_op *made = out + op->operand_count;
    made->operands = fl_bw_casts_in(w, op->operands, op->operand_count, out);
    made->operand_count = op->operand_count;
    made->first_result = w->next_value;
    made->result_count = op->result_count;
    w->next_value += op->result_count;
    made->result_types = fl_bw_builtin_types(w, op->first_result, op->result_count);
    made->name = fl_bw_op_name(w, dialect, fl_op_infos[op->code].name);
    fl_bw_sdy_attrs(w, op, made);
    fl_bw_casts_out(w, made->first_result, op->first_result, op->result_count, made + 1);
    enter(w, out, op->operand_count + 1u + op->result_count, level, lowest);
    if (!w->status) write_regions(w, op, level, lowest, made);
}

static uint32_t ops_of(const fl_op *op)
{
    return fl_sdy_row_of((fl_opcode)op->code) ? op->operand_count + 1u + op->result_count : 1;
}

/* With the casts before it in a body of sdy. */
static void write_return(fl_bw_writer *w, const fl_block *block, int is_sdy, uint32_t level, uint32_t *lowest,
                         fl_bw_op *out)
{
    fl_bw_op *made = is_sdy ? out + block->result_count : out;
    made->operands = is_sdy ? fl_bw_casts_in(w, block->results, block->result_count, out) : block->results;
    made->name =
        is_sdy ? fl_bw_op_name(w, fl_bw_sdy(w), "return") : fl_bw_op_name(w, FL_BW_VHLO, FL_VHLO_RETURN);
    made->operand_count = block->result_count;
    enter(w, out, (uint32_t)(made - out) + 1, level, lowest);
}

/* Arguments, and the casts from them in a body of sdy. */
static void write_args(fl_bw_writer *w, const fl_block *block, int is_sdy, uint32_t level, uint32_t *lowest,
                       fl_bw_region *out)
{
    out->arg_count = block->arg_count;
    out->first_arg = is_sdy ? w->next_value : block->first_arg;
    set_levels(w, out->first_arg, block->arg_count, level);
    if (is_sdy) {
        w->next_value += block->arg_count;
        out->arg_types = fl_bw_builtin_types(w, block->first_arg, block->arg_count);
        fl_bw_casts_out(w, out->first_arg, block->first_arg, block->arg_count, out->ops);
        enter(w, out->ops, block->arg_count, level, lowest);
        return;
    }
    out->arg_types = fl_bw_alloc(w, block->arg_count, sizeof *out->arg_types);
    for (uint32_t i = 0; out->arg_types && i < block->arg_count; i++)
        out->arg_types[i] = fl_bw_vhlo_type(w, fl_type_of(w->program, block->first_arg + i));
}

static void write_block(fl_bw_writer *w, const fl_block *block, uint32_t level, int is_sdy, uint32_t *lowest,
                        fl_bw_region *out)
{
    if (level >= FL_BW_DEPTH)
        fl_bw_fail(w, fl_error(FL_UNSUPPORTED, "expected regions nested less than %d deep", FL_BW_DEPTH));
    uint32_t at = is_sdy ? block->arg_count : 0;
    out->op_count = at + 1 + (is_sdy ? block->result_count : 0);
    for (uint32_t i = 0; i < block->op_count; i++) out->op_count += ops_of(block->ops[i]);
    out->ops = fl_bw_alloc(w, out->op_count, sizeof *out->ops);
    if (!out->ops) return;
    write_args(w, block, is_sdy, level, lowest, out);
    for (uint32_t i = 0; i < block->op_count && !w->status; i++) {
        const fl_op *op = block->ops[i];
        if (fl_sdy_row_of((fl_opcode)op->code))
            write_sdy(w, op, level, lowest, &out->ops[at]);
        else
            write_op(w, op, level, lowest, &out->ops[at]);
        at += ops_of(op);
        fl_bw_refuse(w);
        w->status =
            fl_status_prefix(w->status, "%s.%s", fl_op_infos[op->code].dialect, fl_op_infos[op->code].name);
    }
    if (!w->status) write_return(w, block, is_sdy, level, lowest, &out->ops[at]);
}

/* ---- functions ---- */

static fl_bw_id value_attrs(fl_bw_writer *w, const fl_literal *attrs)
{
    return attrs ? fl_bw_literal(w, attrs) : fl_bw_array(w, NULL, 0);
}

static void write_func(fl_bw_writer *w, const fl_func *func, fl_bw_op *out)
{
    static const char *const names[] = {"arg_attrs", "function_type", "res_attrs", "sym_name",
                                        "sym_visibility"};
    static const char *const visibilities[] = {"", "public", "private"};
    const char *visibility = visibilities[func->visibility];
    fl_bw_id type = fl_bw_function_type(w, func), values[5];
    fl_bw_varint(w, FL_VA_TYPE);
    fl_bw_type(w, type);
    values[1] = fl_bw_make(w, 0, FL_BW_VHLO);
    values[0] = value_attrs(w, func->arg_attrs);
    values[2] = value_attrs(w, func->result_attrs);
    values[3] = fl_bw_vhlo_string(w, func->name, (uint32_t)strlen(func->name));
    values[4] = fl_bw_vhlo_string(w, visibility, (uint32_t)strlen(visibility));
    out->name = fl_bw_op_name(w, FL_BW_VHLO, FL_VHLO_FUNC);
    set_attrs(w, out, names, values, 5, func->attrs);
    out->is_isolated = 1;
    out->region_count = 1;
    out->regions = fl_bw_alloc(w, 1, sizeof *out->regions);
    if (!out->regions) return;
    out->regions[0].is_empty = func->is_declaration;
    uint32_t lowest = UINT32_MAX;
    if (!func->is_declaration) write_block(w, func->body, 0, 0, &lowest, &out->regions[0]);
}

/* ---- the module ---- */

/* `sdy.mesh @name = <...>`, the only operation beside functions that we know; its parts stand in the dictionary, where every
 * version of the format may have them. */
static void write_foreign(fl_bw_writer *w, const fl_literal *l, fl_bw_op *out)
{
    static const char start[] = "sdy.mesh @";
    const char *text = l->u.string, *name = text + sizeof start - 1;
    const char *end = strncmp(text, start, sizeof start - 1) ? NULL : strstr(name, " = <");
    if (!end) {
        fl_bw_fail(w, fl_error(FL_UNSUPPORTED, "cannot be serialized: %.60s", text));
        return;
    }
    unsigned sdy = fl_bw_sdy(w);
    fl_text mesh = {0};
    fl_text_printf(&mesh, "#sdy.mesh%s", end + 3);
    fl_bw_raw(w, mesh.data ? mesh.data : "", mesh.length + 1);
    fl_text_free(&mesh);
    fl_bw_named entries[2] = {{"mesh", fl_bw_make_text(w, 0, sdy)}, {"sym_name", 0}};
    entries[1].value = fl_bw_builtin_string(w, name, (uint32_t)(end - name));
    out->name = fl_bw_op_name(w, sdy, "mesh");
    out->dict = fl_bw_dict(w, entries, 2);
}

/* Attributes of modules stay the builtin dialect's; the name is a property. */
static void module_attrs(fl_bw_writer *w, fl_bw_op *out)
{
    const fl_program *p = w->program;
    uint32_t count = p->module_attrs ? p->module_attrs->count : 0;
    fl_bw_id name =
        p->module_name ? fl_bw_builtin_string(w, p->module_name, (uint32_t)strlen(p->module_name)) : 0;
    fl_bw_named *entries = fl_bw_alloc(w, (size_t)count + 1, sizeof *entries);
    if (!entries) return;
    for (uint32_t i = 0; i < count; i++) {
        const fl_entry *e = &p->module_attrs->u.entries[i];
        entries[i] = (fl_bw_named){e->name, fl_bw_builtin_literal(w, &e->value)};
    }
    if (name && w->format < 5) entries[count++] = (fl_bw_named){"sym_name", name};
    if (count) out->dict = fl_bw_dict(w, entries, count);
    if (w->format < 5) return;
    out->property_count = 2;
    out->properties = fl_bw_alloc(w, 2, sizeof *out->properties);
    if (out->properties) out->properties[0] = name;
}

fl_bw_op *fl_bw_module(fl_bw_writer *w)
{
    const fl_program *p = w->program;
    uint32_t foreign = p->module_ops ? p->module_ops->count : 0;
    fl_bw_op *module = fl_bw_alloc(w, 1, sizeof *module);
    fl_bw_region *region = fl_bw_alloc(w, 1, sizeof *region);
    fl_bw_op *ops = fl_bw_alloc(w, (size_t)foreign + p->func_count, sizeof *ops);
    if (!module || !region || !ops) return NULL;
    fl_bw_varint(w, FL_BA_UNKNOWN_LOCATION);
    w->location = fl_bw_make(w, 0, FL_BW_BUILTIN);
    module->name = fl_bw_op_name(w, FL_BW_BUILTIN, "module");
    module_attrs(w, module);
    module->is_isolated = 1;
    module->optional = 3;
    module->region_count = 1;
    module->regions = region;
    region->op_count = foreign + p->func_count;
    region->ops = ops;
    for (uint32_t i = 0; i < foreign; i++) write_foreign(w, &p->module_ops->u.items[i], &ops[i]);
    fl_bw_refuse(w);
    for (uint32_t i = 0; i < p->func_count && !w->status; i++) {
        write_func(w, p->funcs[i], &ops[foreign + i]);
        fl_bw_refuse(w);
        w->status = fl_status_prefix(w->status, "function @%.100s", p->funcs[i]->name);
    }
    fl_bw_refuse(w);
    return w->status ? NULL : module;
}
