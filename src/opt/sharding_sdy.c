/* Meshes and shardings in the texts of sdy. */
#include "opt/sharding_read.h"

#include <stdlib.h>
#include <string.h>

typedef struct text {
    fl_sharding_reader *r;
    const char *at, *end;
    const char *whole; /* for messages */
} text;

/* ---- characters ---- */

static fl_status expected(const text *t, const char *what)
{
    return fl_error(FL_INVALID, "expected %s at '%.20s' of sharding %.200s", what, t->at, t->whole);
}

static void skip_space(text *t)
{
    while (t->at < t->end && (*t->at == ' ' || *t->at == '\n' || *t->at == '\t')) t->at++;
}

static int peek(text *t)
{
    skip_space(t);
    return t->at < t->end ? (unsigned char)*t->at : 0;
}

static int accept(text *t, const char *word)
{
    size_t n = strlen(word);
    skip_space(t);
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n)) return 0;
    t->at += n;
    return 1;
}

static fl_status expect(text *t, const char *word)
{
    char what[40] = "'";
    if (accept(t, word)) return NULL;
    strncat(what, word, 30);
    return expected(t, strcat(what, "'"));
}

static fl_status number(text *t, int64_t *out)
{
    skip_space(t);
    const char *from = t->at;
    int64_t n = 0;
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
        if (n > INT32_MAX) return expected(t, "a smaller number");
        n = 10 * n + (*t->at - '0');
    }
    *out = n;
    return t->at > from ? NULL : expected(t, "a number");
}

/* "name"; names of axes have no escapes */
static fl_status quoted(text *t, const char **out, uint32_t *out_length)
{
    FL_TRY(expect(t, "\""));
    const char *from = t->at;
    while (t->at < t->end && *t->at != '"') t->at++;
    if (t->at == t->end) return expected(t, "'\"'");
    *out = from;
    *out_length = (uint32_t)(t->at++ - from);
    return NULL;
}

static int is_name(char c)
{
    return (c >= '0' && c <= '9') || ((c | 32) >= 'a' && (c | 32) <= 'z') || strchr("_$.-", c);
}

/* @name, or @"name" */
static fl_status symbol(text *t, const char **out, uint32_t *out_length)
{
    FL_TRY(expect(t, "@"));
    if (peek(t) == '"') return quoted(t, out, out_length);
    const char *from = t->at;
    while (t->at < t->end && *t->at && is_name(*t->at)) t->at++;
    *out = from;
    *out_length = (uint32_t)(t->at - from);
    return *out_length ? NULL : expected(t, "a name");
}

static int same(const char *a, uint32_t length, const char *b, uint32_t other)
{
    return a && b && length == other && !memcmp(a, b, length);
}

/* ---- meshes ---- */

fl_status fl_sharding_add_mesh(fl_sharding_reader *r, uint32_t axes, fl_device_mesh **out)
{
    FL_CHECK(r->mesh_count < FL_MOST_MESHES, FL_UNSUPPORTED, "expected at most %d meshes", FL_MOST_MESHES);
    fl_device_mesh *m = &r->meshes[r->mesh_count];
    *m = (fl_device_mesh){.axis_count = axes, .axes = FL_NEW_ARRAY(r->arena, fl_mesh_axis, axes), .count = 1};
    FL_CHECK(m->axes, FL_OOM, "out of host memory");
    r->mesh_count++;
    *out = m;
    return NULL;
}

static fl_status axis_sizes(text *t, fl_mesh_axis *axes, uint32_t *out_count, int64_t *out_devices)
{
    *out_count = 0;
    *out_devices = 1;
    while (peek(t) != ']') {
        if (*out_count == FL_MOST_AXES) return expected(t, "at most 16 axes");
        if (*out_count) FL_TRY(expect(t, ","));
        fl_mesh_axis *a = &axes[(*out_count)++];
        FL_TRY(quoted(t, &a->name, &a->length));
        FL_TRY(expect(t, "="));
        FL_TRY(number(t, &a->size));
        for (uint32_t i = 0; i + 1 < *out_count; i++)
            if (same(a->name, a->length, axes[i].name, axes[i].length))
                return expected(t, "axes of different names");
        if (a->size < 1 || *out_devices > INT32_MAX / a->size) return expected(t, "the size of an axis");
        *out_devices *= a->size;
    }
    return NULL;
}

static fl_status device_ids(text *t, int64_t count, int64_t *ids)
{
    for (int64_t i = 0; i < count; i++) {
        if (i) FL_TRY(expect(t, ","));
        FL_TRY(number(t, &ids[i]));
    }
    return expect(t, "]");
}

/* <["x"=2, "y"=4], device_ids=[0, 1, ...]> */
static fl_status mesh(text *t, fl_device_mesh **out)
{
    fl_mesh_axis axes[FL_MOST_AXES] = {{0}};
    uint32_t count;
    int64_t devices;
    FL_TRY(expect(t, "<"));
    FL_TRY(expect(t, "["));
    FL_TRY(axis_sizes(t, axes, &count, &devices));
    FL_TRY(expect(t, "]"));
    FL_TRY(fl_sharding_add_mesh(t->r, count, out));
    memcpy((*out)->axes, axes, count * sizeof *axes);
    (*out)->count = devices;
    if (accept(t, ",")) {
        FL_TRY(expect(t, "device_ids"));
        FL_TRY(expect(t, "="));
        FL_TRY(expect(t, "["));
        int64_t *ids = devices <= t->end - t->at ? FL_NEW_ARRAY(t->r->arena, int64_t, devices) : NULL;
        if (!ids) return expected(t, "as many device ids as the mesh has places");
        FL_TRY(device_ids(t, devices, ids));
        (*out)->ids = ids;
    }
    return expect(t, ">");
}

/* sdy.mesh @name = <...>, which is how meshes are kept */
static fl_status mesh_op(text *t)
{
    fl_device_mesh *m;
    const char *name;
    uint32_t length;
    if (!accept(t, "sdy.mesh")) return NULL; /* another operation */
    FL_TRY(symbol(t, &name, &length));
    FL_TRY(expect(t, "="));
    FL_TRY(mesh(t, &m));
    m->name = name;
    m->length = length;
    return NULL;
}

static text text_of(fl_sharding_reader *r, const fl_literal *l)
{
    return (text){r, l->u.string, l->u.string + l->count, l->u.string};
}

fl_status fl_sharding_read_meshes(fl_sharding_reader *r)
{
    const fl_literal *ops = r->program->module_ops;
    for (uint32_t i = 0; ops && i < ops->count; i++) {
        if (ops->u.items[i].kind != FL_LIT_OPAQUE) continue;
        text t = text_of(r, &ops->u.items[i]);
        FL_TRY(mesh_op(&t));
    }
    return NULL;
}

/* @name, or mesh<[...]> */
static fl_status mesh_ref(text *t, uint32_t *out)
{
    const char *name;
    uint32_t length;
    if (accept(t, "mesh")) {
        fl_device_mesh *m;
        FL_TRY(mesh(t, &m));
        *out = (uint32_t)(m - t->r->meshes);
    } else {
        FL_TRY(symbol(t, &name, &length));
        for (*out = 0; *out < t->r->mesh_count; ++*out)
            if (same(name, length, t->r->meshes[*out].name, t->r->meshes[*out].length)) break;
        FL_CHECK(*out < t->r->mesh_count, FL_INVALID, "expected a mesh @%.*s beside the functions",
                 (int)(length < 60 ? length : 60), name);
    }
    t->r->meshes[*out].is_used = 1;
    return NULL;
}

/* ---- shardings ---- */

typedef struct parts {
    fl_axis_part items[FL_MOST_PARTS];
    uint32_t count;
} parts;

static fl_status axis_named(text *t, const fl_device_mesh *m, uint32_t *out)
{
    const char *name;
    uint32_t length;
    FL_TRY(quoted(t, &name, &length));
    for (*out = 0; *out < m->axis_count; ++*out)
        if (same(name, length, m->axes[*out].name, m->axes[*out].length)) return NULL;
    return fl_error(FL_INVALID, "expected an axis of the mesh, got \"%.*s\" in sharding %.200s",
                    (int)(length < 60 ? length : 60), name, t->whole);
}

/* "x", or "x":(1)2 */
static fl_status axis_part(text *t, const fl_device_mesh *m, parts *p)
{
    fl_axis_part part = {.before = 1};
    FL_TRY(axis_named(t, m, &part.axis));
    part.size = m->axes[part.axis].size;
    if (accept(t, ":")) {
        FL_TRY(expect(t, "("));
        FL_TRY(number(t, &part.before));
        FL_TRY(expect(t, ")"));
        FL_TRY(number(t, &part.size));
        int fits = part.before > 0 && part.size > 0 && part.before <= m->axes[part.axis].size &&
                   part.size <= m->axes[part.axis].size &&
                   m->axes[part.axis].size % (part.before * part.size) == 0;
        if (!fits) return expected(t, "a part of the axis");
    }
    if (p->count == FL_MOST_PARTS) return expected(t, "fewer axes");
    p->items[p->count++] = part;
    return NULL;
}

/* {"x", "y":(1)2, ?}p1 */
static fl_status dimension(text *t, const fl_device_mesh *m, parts *p, int *out_open)
{
    *out_open = 0;
    FL_TRY(expect(t, "{"));
    for (int first = 1; peek(t) != '}'; first = 0) {
        if (!first) FL_TRY(expect(t, ","));
        if ((*out_open = accept(t, "?"))) break;
        FL_TRY(axis_part(t, m, p));
    }
    FL_TRY(expect(t, "}"));
    int64_t priority;
    return accept(t, "p") ? number(t, &priority) : NULL;
}

static fl_status add_list(parts *p, uint32_t before, uint8_t *out)
{
    FL_CHECK(p->count - before <= FL_MOST_AXES, FL_UNSUPPORTED, "expected at most %d axes for a dimension",
             FL_MOST_AXES);
    *out = (uint8_t)(p->count - before);
    return NULL;
}

/* , replicated={"x"}, unreduced={"y"} */
static fl_status other_axes(text *t, const fl_device_mesh *m, parts *p, fl_spec *out)
{
    for (int last = 0; accept(t, ",");) {
        int which = accept(t, "replicated") ? FL_SPEC_REPLICATED : FL_SPEC_UNREDUCED, open;
        if (which == FL_SPEC_UNREDUCED) FL_TRY(expect(t, "unreduced"));
        if (which <= last) return expected(t, "replicated and unreduced once, in this order");
        last = which;
        uint32_t before = p->count;
        FL_TRY(expect(t, "="));
        if (which == FL_SPEC_UNREDUCED && (accept(t, "max") || accept(t, "min")))
            return fl_error(FL_UNSUPPORTED, "sharding %.200s: values that are no sums of their parts",
                            t->whole);
        FL_TRY(dimension(t, m, p, &open));
        if (open) return expected(t, "axes");
        FL_TRY(add_list(p, before, &out->counts[which]));
    }
    return NULL;
}

static fl_status keep_parts(fl_sharding_reader *r, const parts *p, fl_spec *out)
{
    out->part_count = p->count;
    out->parts = fl_arena_copy(r->arena, p->items, p->count * sizeof *p->items);
    FL_CHECK(out->parts, FL_OOM, "out of host memory");
    return NULL;
}

/* <@mesh, [{"x"}, {}], ...> */
static fl_status sharding(text *t, fl_spec *out)
{
    parts p = {.count = 0};
    int open;
    memset(out, 0, sizeof *out);
    FL_TRY(expect(t, "<"));
    FL_TRY(mesh_ref(t, &out->mesh));
    const fl_device_mesh *m = &t->r->meshes[out->mesh];
    FL_TRY(expect(t, ","));
    FL_TRY(expect(t, "["));
    while (peek(t) != ']') {
        if (out->rank) FL_TRY(expect(t, ","));
        if (out->rank == FL_MAX_RANK) return expected(t, "at most 16 dimensions");
        uint32_t before = p.count;
        FL_TRY(dimension(t, m, &p, &open));
        FL_TRY(add_list(&p, before, &out->counts[out->rank]));
        out->open |= (uint16_t)(open << out->rank++);
    }
    FL_TRY(expect(t, "]"));
    FL_TRY(other_axes(t, m, &p, out));
    FL_TRY(expect(t, ">"));
    return keep_parts(t->r, &p, out);
}

static fl_status begin(fl_sharding_reader *r, const fl_literal *l, const char *start, text *out)
{
    FL_CHECK(l && l->kind == FL_LIT_OPAQUE, FL_INVALID, "expected a sharding, %s>", start);
    *out = text_of(r, l);
    return expect(out, start);
}

static fl_status end(text *t)
{
    return peek(t) ? expected(t, "no more") : NULL;
}

fl_status fl_sharding_read_sdy(fl_sharding_reader *r, const fl_literal *l, fl_spec *out)
{
    text t;
    FL_TRY(begin(r, l, "#sdy.sharding", &t));
    FL_TRY(sharding(&t, out));
    return end(&t);
}

fl_status fl_sharding_read_values(fl_sharding_reader *r, const fl_literal *l, uint32_t count, fl_spec *out)
{
    text t;
    FL_TRY(begin(r, l, "#sdy.sharding_per_value<", &t));
    FL_TRY(expect(&t, "["));
    for (uint32_t i = 0; i < count; i++) {
        if (i) FL_TRY(expect(&t, ","));
        FL_TRY(sharding(&t, &out[i]));
    }
    FL_TRY(expect(&t, "]"));
    FL_TRY(expect(&t, ">"));
    return end(&t);
}

fl_status fl_sharding_read_manual_axes(fl_sharding_reader *r, const fl_literal *l, fl_spec *out)
{
    text t;
    parts p = {.count = 0};
    int open;
    FL_TRY(begin(r, l, "#sdy<manual_axes", &t));
    FL_TRY(dimension(&t, &r->meshes[out->mesh], &p, &open));
    if (open) return expected(&t, "axes");
    FL_TRY(add_list(&p, 0, &out->counts[FL_SPEC_MANUAL]));
    FL_TRY(expect(&t, ">"));
    FL_TRY(end(&t));
    return keep_parts(r, &p, out);
}
