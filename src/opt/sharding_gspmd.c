/* Shardings as GSPMD writes them, in mhlo.sharding: the tiles that a value is cut into, and which device has which. A tiling
 * is a mesh of its own, whose axes are the dimensions of the list of tiles. */
#include "opt/sharding_read.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_TILE_DIMS = FL_MAX_RANK + 4, MOST_LENGTH = 200 };

typedef struct text {
    fl_sharding_reader *r;
    const char *at, *end, *whole;
} text;

typedef struct tiling {
    int64_t dims[MOST_TILE_DIMS];
    uint32_t count, groups; /* groups: the last dimensions, which are none of the value */
    int64_t devices;
    int64_t *ids; /* NULL: in order */
    uint8_t kinds[MOST_TILE_DIMS];
} tiling;

static fl_status expected(const text *t, const char *what)
{
    return fl_error(FL_INVALID, "expected %s at '%.20s' of mhlo.sharding \"%.*s\"", what, t->at, MOST_LENGTH,
                    t->whole);
}

static int accept(text *t, const char *word)
{
    size_t n = strlen(word);
    while (t->at < t->end && *t->at == ' ') t->at++;
    if ((size_t)(t->end - t->at) < n || memcmp(t->at, word, n)) return 0;
    t->at += n;
    return 1;
}

static fl_status expect(text *t, const char *word)
{
    return accept(t, word) ? NULL : expected(t, word);
}

static fl_status number(text *t, int64_t *out)
{
    int64_t n = 0;
    accept(t, "");
    const char *from = t->at;
    for (; t->at < t->end && *t->at >= '0' && *t->at <= '9'; t->at++) {
        if (n > INT32_MAX) return expected(t, "a smaller number");
        n = 10 * n + (*t->at - '0');
    }
    *out = n;
    return t->at > from ? NULL : expected(t, "a number");
}

/* 2,1,4] */
static fl_status numbers(text *t, int64_t *out, uint32_t most, const char *close, uint32_t *out_count)
{
    *out_count = 0;
    do {
        if (*out_count == most) return expected(t, "a shorter list");
        FL_TRY(number(t, &out[(*out_count)++]));
    } while (accept(t, ","));
    return expect(t, close);
}

static fl_status product(const text *t, const int64_t *dims, uint32_t count, int64_t *out)
{
    *out = 1;
    for (uint32_t i = 0; i < count; i++) {
        if (dims[i] < 1 || *out > (1 << 20) / dims[i]) return expected(t, "fewer devices");
        *out *= dims[i];
    }
    return NULL;
}

/* ---- devices ---- */

/* <=[4,2]T(1,0): 0, 1, ... in that shape, with its dimensions in that order */
static fl_status iota_ids(text *t, tiling *g)
{
    int64_t dims[MOST_TILE_DIMS], order[MOST_TILE_DIMS], steps[MOST_TILE_DIMS], devices;
    uint32_t count, ordered, seen = 0;
    FL_TRY(expect(t, "["));
    FL_TRY(numbers(t, dims, MOST_TILE_DIMS, "]", &count));
    FL_TRY(product(t, dims, count, &devices));
    if (devices != g->devices) return expected(t, "as many devices as tiles");
    if (!accept(t, "T(")) return NULL;
    FL_TRY(numbers(t, order, MOST_TILE_DIMS, ")", &ordered));
    for (uint32_t i = 0; i < ordered; i++)
        if (order[i] < count) seen |= 1u << order[i];
    if (ordered != count || seen != (1u << count) - 1) return expected(t, "a permutation");
    steps[count - 1] = 1;
    for (uint32_t i = count - 1; i-- > 0;) steps[i] = steps[i + 1] * dims[i + 1];
    g->ids = FL_NEW_ARRAY(t->r->arena, int64_t, devices);
    FL_CHECK(g->ids, FL_OOM, "out of host memory");
    for (int64_t i = 0; i < devices; i++) {
        int64_t rest = i;
        for (uint32_t k = count; k-- > 0; rest /= dims[order[k]])
            g->ids[i] += rest % dims[order[k]] * steps[order[k]];
    }
    return NULL;
}

static fl_status listed_ids(text *t, tiling *g)
{
    if (g->devices > t->end - t->at) return expected(t, "as many devices as tiles");
    g->ids = FL_NEW_ARRAY(t->r->arena, int64_t, g->devices);
    FL_CHECK(g->ids, FL_OOM, "out of host memory");
    for (int64_t i = 0; i < g->devices; i++) {
        if (i) FL_TRY(expect(t, ","));
        FL_TRY(number(t, &g->ids[i]));
    }
    return NULL;
}

/* ---- what the last dimensions are ---- */

static fl_status group_kinds(text *t, tiling *g)
{
    static const struct {
        const char *name;
        uint8_t kind;
    } kinds[] = {
        {"replicated", FL_SPEC_REPLICATED}, {"manual", FL_SPEC_MANUAL}, {"unreduced", FL_SPEC_UNREDUCED}};
    uint8_t found[MOST_TILE_DIMS];
    do {
        size_t i = 0;
        while (i < 3 && !accept(t, kinds[i].name)) i++;
        if (i == 3 || g->groups == g->count) return expected(t, "replicated, manual or unreduced");
        found[g->groups++] = kinds[i].kind;
    } while (accept(t, ","));
    memcpy(g->kinds + g->count - g->groups, found, g->groups);
    return expect(t, "}");
}

static fl_status skip_braces(text *t)
{
    int depth = 1;
    for (; t->at < t->end && depth; t->at++) depth += (*t->at == '{') - (*t->at == '}');
    return depth ? expected(t, "'}'") : NULL;
}

/* What may stand behind every sharding, up to its end. */
static fl_status rest(text *t, tiling *g)
{
    int64_t group;
    while (!accept(t, "}")) {
        if (accept(t, "last_tile_dim_replicate") && g && g->count) {
            g->groups = 1;
            g->kinds[g->count - 1] = FL_SPEC_REPLICATED;
        } else if (accept(t, "last_tile_dims={") && g) {
            FL_TRY(group_kinds(t, g));
        } else if (accept(t, "metadata={")) {
            FL_TRY(skip_braces(t));
        } else if (accept(t, "shard_as") || accept(t, "shard_like")) {
            FL_TRY(number(t, &group));
        } else {
            return expected(t, "'}'");
        }
    }
    return NULL;
}

/* ---- the mesh of a tiling ---- */

static int is_mesh_of(const fl_device_mesh *m, const tiling *g)
{
    if (m->name || m->axis_count != g->count || m->count != g->devices || !m->ids != !g->ids) return 0;
    for (uint32_t i = 0; i < g->count; i++)
        if (m->axes[i].name || m->axes[i].size != g->dims[i]) return 0;
    return !g->ids || !memcmp(m->ids, g->ids, (size_t)g->devices * sizeof *g->ids);
}

static fl_status mesh_of(fl_sharding_reader *r, const tiling *g, uint32_t *out)
{
    fl_device_mesh *m;
    for (*out = 0; *out < r->mesh_count; ++*out)
        if (is_mesh_of(&r->meshes[*out], g)) return NULL;
    FL_TRY(fl_sharding_add_mesh(r, g->count, &m));
    for (uint32_t i = 0; i < g->count; i++) m->axes[i].size = g->dims[i];
    m->count = g->devices;
    m->ids = g->ids;
    m->is_used = 1;
    return NULL;
}

static fl_status make_spec(text *t, const tiling *g, fl_spec *out)
{
    uint32_t rank = g->count - g->groups;
    fl_axis_part parts[MOST_TILE_DIMS];
    if (rank > FL_MAX_RANK) return expected(t, "at most 16 dimensions");
    out->rank = (uint8_t)rank;
    for (uint32_t i = 0; i < rank; i++) g->dims[i] > 1 ? out->counts[i] = 1 : 0;
    for (int list = 0; list < FL_SPEC_LISTS; list++)
        for (uint32_t i = 0; i < g->count; i++) {
            int here = i < rank ? (uint32_t)list == i : g->kinds[i] == list;
            if (!here || g->dims[i] == 1) continue;
            parts[out->part_count++] = (fl_axis_part){i, 1, g->dims[i]};
            if (i >= rank) out->counts[list]++;
        }
    out->parts = fl_arena_copy(t->r->arena, parts, out->part_count * sizeof *parts);
    FL_CHECK(out->parts, FL_OOM, "out of host memory");
    return mesh_of(t->r, g, &out->mesh);
}

/* ---- shardings ---- */

/* unspecified_dims=[0,1] behind a sharding: propagation may go on cutting them */
static fl_status open_dims(text *t, fl_spec *out)
{
    int64_t dims[FL_MAX_RANK];
    uint32_t count;
    if (!accept(t, "unspecified_dims=[")) return NULL;
    FL_TRY(numbers(t, dims, FL_MAX_RANK, "]", &count));
    for (uint32_t i = 0; i < count; i++)
        if (dims[i] < FL_MAX_RANK) out->open |= (uint16_t)(1u << dims[i]);
    return NULL;
}

/* Behind the first brace. */
static fl_status one(text *t, fl_spec *out)
{
    tiling g = {.devices = 1};
    int64_t device;
    memset(out, 0, sizeof *out);
    out->is_whole = 1;
    if (accept(t, "replicated") || accept(t, "unknown")) return rest(t, NULL);
    if ((out->is_manual = accept(t, "manual"))) return rest(t, NULL);
    if (accept(t, "maximal")) {
        FL_TRY(expect(t, "device="));
        FL_TRY(number(t, &device));
        return rest(t, NULL);
    }
    out->is_whole = 0;
    FL_TRY(expect(t, "devices=["));
    FL_TRY(numbers(t, g.dims, MOST_TILE_DIMS, "]", &g.count));
    FL_TRY(product(t, g.dims, g.count, &g.devices));
    FL_TRY(accept(t, "<=") ? iota_ids(t, &g) : listed_ids(t, &g));
    FL_TRY(rest(t, &g));
    return make_spec(t, &g, out);
}

fl_status fl_sharding_read_gspmd(fl_sharding_reader *r, const char *string, size_t length, uint32_t count,
                                 fl_spec *out)
{
    text t = {r, string, string + length, string};
    FL_TRY(expect(&t, "{"));
    if (accept(&t, "{")) { /* a tuple */
        for (uint32_t i = 0; i < count; i++) {
            if (i) FL_TRY(expect(&t, ","));
            if (i) FL_TRY(expect(&t, "{"));
            FL_TRY(one(&t, &out[i]));
        }
        FL_TRY(expect(&t, "}"));
    } else if (count) {
        FL_TRY(one(&t, out));
        FL_TRY(open_dims(&t, out));
        for (uint32_t i = 1; i < count; i++) out[i] = *out;
    }
    accept(&t, "");
    return t.at == t.end ? NULL : expected(&t, "no more");
}
