/* Attributes of the `sdy` dialect, which say how data are spread over devices: kept as their text. */
#include "ir/bytecode/reader.h"

typedef enum sdy_code {
    SDY_MANUAL_AXES,
    SDY_MESH_AXIS,
    SDY_MESH,
    SDY_SUB_AXIS,
    SDY_AXIS,
    SDY_DIM,
    SDY_SHARDING,
    SDY_PER_VALUE,
    SDY_DIM_MAPPING,
    SDY_MAPPING,
    SDY_RULE,
    SDY_AXIS_LIST,
    SDY_AXIS_LISTS,
    SDY_ALL_TO_ALL,
    SDY_ALL_TO_ALLS,
    SDY_SHARDING_2, /* with unreduced axes */
    SDY_PER_VALUE_2,
    SDY_SHARDING_3 /* and with what reduces them */
} sdy_code;

typedef struct sdy {
    fl_bc_reader *r;
    fl_cursor *c;
    unsigned depth;
    fl_text out;
} sdy;

static fl_status bad(void)
{
    return fl_error(FL_INVALID, "%s: expected an attribute of sdy", FL_BC_PREFIX);
}

static fl_status quoted(sdy *s)
{
    fl_bc_string name;
    FL_TRY(fl_bc_string_at(s->r, fl_cursor_varint(s->c), &name));
    for (uint32_t i = 0; i < name.length; i++)
        if (name.text[i] < ' ' || name.text[i] == '"' || name.text[i] == '\\') return bad();
    fl_text_printf(&s->out, "\"%s\"", name.text);
    return NULL;
}

/* The text of another attribute, from `from` on (its name is left out inside of others), if it has one of two codes. */
static fl_status nested(sdy *s, uint64_t index, unsigned code, unsigned or_code, char from)
{
    const fl_bc_entry *e;
    FL_TRY(fl_bc_attr(s->r, index, s->depth + 1, &e));
    if (s->r->dialects[e->dialect] != FL_BC_SDY || (e->code != code && e->code != or_code)) return bad();
    const char *text = from ? strchr(e->u.literal->u.string, from) : e->u.literal->u.string;
    if (!text) return bad();
    fl_text_append(&s->out, text, strlen(text));
    return fl_bc_spend(s->r, strlen(text)); /* texts in texts can grow beyond what was read */
}

static fl_status list(sdy *s, unsigned code, unsigned or_code, char from, uint32_t *out_count)
{
    *out_count = fl_cursor_count(s->c);
    for (uint32_t i = 0; i < *out_count; i++) {
        if (i) fl_text_append(&s->out, ", ", 2);
        FL_TRY(nested(s, fl_cursor_varint(s->c), code, or_code, from));
    }
    return NULL;
}

static void put(sdy *s, const char *text)
{
    fl_text_append(&s->out, text, strlen(text));
}

static fl_status mesh(sdy *s)
{
    uint32_t count;
    put(s, "#sdy.mesh<[");
    FL_TRY(list(s, SDY_MESH_AXIS, SDY_MESH_AXIS, 0, &count));
    put(s, "]");
    count = fl_cursor_count(s->c);
    for (uint32_t i = 0; i < count; i++)
        fl_text_printf(&s->out, "%s%lld", i ? ", " : ", device_ids=[", (long long)fl_cursor_signed(s->c));
    put(s, count ? "]>" : ">");
    return NULL;
}

static fl_status axis(sdy *s)
{
    FL_TRY(quoted(s));
    uint64_t part = fl_cursor_varint(s->c);
    if (!(part & 1)) return NULL;
    put(s, ":");
    return nested(s, part >> 1, SDY_SUB_AXIS, SDY_SUB_AXIS, 0);
}

static fl_status dimension(sdy *s)
{
    uint32_t axes;
    put(s, "{");
    FL_TRY(list(s, SDY_AXIS, SDY_AXIS, 0, &axes));
    if (!fl_cursor_byte(s->c)) put(s, axes ? ", ?" : "?");
    put(s, "}");
    uint64_t priority = fl_cursor_varint(s->c);
    if (priority & 1) fl_text_printf(&s->out, "p%llu", (unsigned long long)(priority >> 1));
    return NULL;
}

/* A mesh, or the name of one. */
static fl_status mesh_or_name(sdy *s)
{
    uint64_t index = fl_cursor_varint(s->c);
    const fl_bc_entry *e;
    FL_TRY(fl_bc_attr(s->r, index, s->depth + 1, &e));
    if (s->r->dialects[e->dialect] == FL_BC_SDY) {
        put(s, "mesh");
        return nested(s, index, SDY_MESH, SDY_MESH, '<');
    }
    if (e->u.literal->kind != FL_LIT_SYMBOL) return bad();
    fl_text_printf(&s->out, "@%s", e->u.literal->u.string);
    return NULL;
}

/* ---- of collectives ---- */

static fl_status axis_list(sdy *s)
{
    uint32_t count;
    put(s, "{");
    FL_TRY(list(s, SDY_AXIS, SDY_AXIS, 0, &count));
    put(s, "}");
    return NULL;
}

/* Lists of axes within a list: their texts without what surrounds the braces. */
static fl_status axis_lists(sdy *s)
{
    uint32_t count = fl_cursor_count(s->c);
    put(s, "#sdy<list_of_axis_ref_lists[");
    for (uint32_t i = 0; i < count; i++) {
        if (i) put(s, ", ");
        FL_TRY(nested(s, fl_cursor_varint(s->c), SDY_AXIS_LIST, SDY_AXIS_LIST, '{'));
        if (!s->out.failed) s->out.data[--s->out.length] = 0;
    }
    put(s, "]>");
    return NULL;
}

static fl_status collective(sdy *s, uint64_t code)
{
    uint32_t count;
    switch (code) {
    case SDY_AXIS_LIST:
        put(s, "#sdy<axis_ref_list");
        FL_TRY(axis_list(s));
        put(s, ">");
        return NULL;
    case SDY_AXIS_LISTS: return axis_lists(s);
    case SDY_ALL_TO_ALL: { /* only within a list, where it has no name */
        FL_TRY(axis_list(s));
        long long from = fl_cursor_signed(s->c);
        fl_text_printf(&s->out, ": %lld->%lld", from, (long long)fl_cursor_signed(s->c));
        return NULL;
    }
    default:
        put(s, "#sdy<all_to_all_param_list[");
        FL_TRY(list(s, SDY_ALL_TO_ALL, SDY_ALL_TO_ALL, 0, &count));
        put(s, "]>");
        return NULL;
    }
}

/* Puts what was written since `from` away when the list that it introduces is empty. */
static fl_status optional_axes(sdy *s, const char *before)
{
    size_t from = s->out.length;
    uint32_t count;
    put(s, before);
    FL_TRY(list(s, SDY_AXIS, SDY_AXIS, 0, &count));
    put(s, "}");
    if (!count && !s->out.failed) {
        s->out.length = from;
        s->out.data[from] = 0;
    }
    return NULL;
}

static fl_status sharding(sdy *s, uint64_t code)
{
    uint32_t count;
    put(s, "#sdy.sharding<");
    FL_TRY(mesh_or_name(s));
    put(s, ", [");
    FL_TRY(list(s, SDY_DIM, SDY_DIM, 0, &count));
    put(s, "]");
    FL_TRY(optional_axes(s, ", replicated={"));
    if (code == SDY_SHARDING_2) FL_TRY(optional_axes(s, ", unreduced={"));
    if (code ==
        SDY_SHARDING_3) { /* the reduction stands behind the axes in the file, before them in the text */
        fl_cursor ahead = *s->c;
        uint32_t axes = fl_cursor_count(&ahead);
        for (uint32_t i = 0; i < axes; i++) fl_cursor_varint(&ahead);
        int64_t reduction = fl_cursor_signed(&ahead);
        FL_TRY(optional_axes(s, reduction == 1   ? ", unreduced=max{"
                                : reduction == 2 ? ", unreduced=min{"
                                                 : ", unreduced={"));
        fl_cursor_signed(s->c);
    }
    put(s, ">");
    return NULL;
}

static fl_status manual_axes(sdy *s)
{
    uint32_t count = fl_cursor_count(s->c);
    put(s, "#sdy<manual_axes{");
    for (uint32_t i = 0; i < count; i++) {
        const fl_bc_entry *e;
        FL_TRY(fl_bc_attr(s->r, fl_cursor_varint(s->c), s->depth + 1, &e));
        if (e->u.literal->kind != FL_LIT_STRING) return bad();
        fl_text_printf(&s->out, "%s\"%s\"", i ? ", " : "", e->u.literal->u.string);
        FL_TRY(fl_bc_spend(s->r, e->u.literal->count));
    }
    put(s, "}>");
    return NULL;
}

/* ---- rules how an operation may be partitioned ---- */

/* Factors are called i to z, then z_1 and so on. */
static void factor(sdy *s, int64_t i)
{
    const int64_t last = 'z' - 'i';
    if (i >= 0 && i <= last)
        fl_text_printf(&s->out, "%c", (char)('i' + i));
    else
        fl_text_printf(&s->out, "z_%lld", (long long)(i - last));
}

static void factor_sizes(sdy *s)
{
    uint32_t count = fl_cursor_count(s->c);
    for (uint32_t i = 0; i < count; i++) {
        put(s, i ? ", " : " {");
        factor(s, i);
        fl_text_printf(&s->out, "=%lld", (long long)fl_cursor_signed(s->c));
    }
    if (count) put(s, "}");
}

static void factors(sdy *s, const char *name)
{
    uint32_t count = fl_cursor_count(s->c);
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            put(s, ", ");
        else
            fl_text_printf(&s->out, " %s={", name);
        factor(s, fl_cursor_signed(s->c));
    }
    if (count) put(s, "}");
}

/* The sizes come first in the file, and behind the mappings in the text. */
static fl_status rule(sdy *s)
{
    uint32_t count;
    fl_cursor sizes = *s->c;
    uint32_t skipped = fl_cursor_count(s->c);
    for (uint32_t i = 0; i < skipped; i++) fl_cursor_signed(s->c);
    put(s, "#sdy.op_sharding_rule<(");
    FL_TRY(list(s, SDY_MAPPING, SDY_MAPPING, 0, &count));
    put(s, ")->(");
    FL_TRY(list(s, SDY_MAPPING, SDY_MAPPING, 0, &count));
    put(s, ")");
    fl_cursor rest = *s->c;
    *s->c = sizes;
    factor_sizes(s);
    *s->c = rest;
    factors(s, "reduction");
    factors(s, "need_replication");
    factors(s, "permutation");
    factors(s, "blocked_propagation");
    put(s, fl_cursor_byte(s->c) ? ", custom>" : ">");
    return NULL;
}

static fl_status rule_text(sdy *s, uint64_t code)
{
    uint32_t count;
    switch (code) {
    case SDY_DIM_MAPPING:
        count = fl_cursor_count(s->c);
        for (uint32_t i = 0; i < count; i++) factor(s, fl_cursor_signed(s->c));
        return NULL;
    case SDY_MAPPING:
        put(s, "[");
        FL_TRY(list(s, SDY_DIM_MAPPING, SDY_DIM_MAPPING, 0, &count));
        put(s, "]");
        return NULL;
    case SDY_RULE: return rule(s);
    }
    /* parameters of a partitioner: nothing that a program means; no text, and dictionaries leave them out */
    fl_cursor_bytes(s->c, fl_cursor_left(s->c));
    return NULL;
}

static fl_status write_text(sdy *s, uint64_t code)
{
    uint32_t count;
    switch (code) {
    case SDY_MANUAL_AXES: return manual_axes(s);
    case SDY_MESH_AXIS:
        FL_TRY(quoted(s));
        fl_text_printf(&s->out, "=%lld", (long long)fl_cursor_signed(s->c));
        return NULL;
    case SDY_MESH: return mesh(s);
    case SDY_SUB_AXIS: {
        long long before = fl_cursor_signed(s->c);
        fl_text_printf(&s->out, "(%lld)%lld", before, (long long)fl_cursor_signed(s->c));
        return NULL;
    }
    case SDY_AXIS: return axis(s);
    case SDY_DIM: return dimension(s);
    case SDY_AXIS_LIST:
    case SDY_AXIS_LISTS:
    case SDY_ALL_TO_ALL:
    case SDY_ALL_TO_ALLS: return collective(s, code);
    case SDY_SHARDING:
    case SDY_SHARDING_2:
    case SDY_SHARDING_3: return sharding(s, code);
    case SDY_PER_VALUE:
    case SDY_PER_VALUE_2:
        put(s, "#sdy.sharding_per_value<[");
        FL_TRY(list(s, SDY_SHARDING, code == SDY_PER_VALUE ? SDY_SHARDING : SDY_SHARDING_2, '<', &count));
        put(s, "]>");
        return NULL;
    }
    return rule_text(s, code);
}

fl_status fl_bc_sdy(fl_bc_reader *r, fl_cursor *c, uint64_t code, fl_bc_entry *e, unsigned depth)
{
    sdy s = {.r = r, .c = c, .depth = depth};
    fl_status status = write_text(&s, code);
    if (!status && s.out.failed) status = fl_error(FL_OOM, "out of host memory");
    if (!status && s.out.length > UINT32_MAX) status = bad();
    if (!status) {
        char *text = fl_arena_copy(&r->arena, s.out.data ? s.out.data : "", s.out.length + 1);
        if (!text) status = fl_error(FL_OOM, "out of host memory");
        *e->u.literal =
            (fl_literal){.kind = FL_LIT_OPAQUE, .count = (uint32_t)s.out.length, .u.string = text};
        r->weight += 1 + s.out.length / sizeof(fl_literal);
    }
    fl_text_free(&s.out);
    return status;
}
