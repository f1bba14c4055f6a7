/* What a program says of shardings, brought to one mesh: first everything is read, then the meshes are settled, then each
 * sharding is put in terms of the one mesh's axes. */
#include "opt/sharding_read.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PARTITIONS = 1 << 20 };

/* A sharding that was read, and whose it is. */
typedef struct site {
    fl_spec spec;
    fl_sharding *to;
    const fl_type *type;
    const int64_t **order; /* an argument or result of the program: which is cut evenly, and may have this */
} site;

typedef struct importer {
    fl_sharding_reader reader;
    const fl_program *program;
    fl_shardings *out;
    int64_t partitions;
    fl_arena scratch;
    site *sites;
    size_t count, capacity;
    fl_manual *manuals;
    fl_spec *manual_axes;
    uint32_t manual_capacity;
} importer;

static fl_status no_memory(void)
{
    return fl_error(FL_OOM, "out of host memory");
}

/* ---- reading ---- */

static fl_status add(importer *im, const fl_spec *spec, fl_sharding *to, const fl_type *type,
                     const int64_t **order)
{
    if (type->kind != FL_TYPE_TENSOR) return NULL; /* tokens and the like lie nowhere */
    if (im->count == im->capacity) {
        size_t capacity = 2 * im->capacity + 32;
        site *sites = realloc(im->sites, capacity * sizeof *sites);
        if (!sites) return no_memory();
        im->sites = sites;
        im->capacity = capacity;
    }
    im->sites[im->count++] = (site){*spec, to, type, order};
    return NULL;
}

static fl_status read_text(importer *im, const fl_literal *l, fl_spec *out)
{
    return l->kind == FL_LIT_STRING ? fl_sharding_read_gspmd(&im->reader, l->u.string, l->count, 1, out)
                                    : fl_sharding_read_sdy(&im->reader, l, out);
}

static fl_status read_texts(importer *im, const fl_literal *list, uint32_t count, fl_spec *out)
{
    FL_CHECK(list->count == count, FL_INVALID, "expected %u shardings, got %u", count, list->count);
    for (uint32_t i = 0; i < count; i++) FL_TRY(read_text(im, &list->u.items[i], &out[i]));
    return NULL;
}

/* A list as long as the values, which are numbered from `first` on or given. */
static fl_status add_values(importer *im, const fl_literal *l, const fl_ref *refs, fl_ref first,
                            uint32_t count, fl_sharding *to)
{
    fl_spec *specs = FL_NEW_ARRAY(&im->scratch, fl_spec, count + 1);
    if (!specs) return no_memory();
    if (l->kind == FL_LIT_STRING)
        FL_TRY(fl_sharding_read_gspmd(&im->reader, l->u.string, l->count, count, specs));
    else if (l->kind == FL_LIT_ARRAY)
        FL_TRY(read_texts(im, l, count, specs));
    else
        FL_TRY(fl_sharding_read_values(&im->reader, l, count, specs));
    for (uint32_t i = 0; i < count; i++)
        FL_TRY(add(im, &specs[i], &to[i], fl_type_of(im->program, refs ? refs[i] : first + i), NULL));
    return NULL;
}

/* mhlo.sharding, or what sdy says; NULL: neither. */
static const fl_literal *said(const fl_literal *dict)
{
    const fl_literal *l = fl_literal_get(dict, "sdy.sharding");
    return l ? l : fl_literal_get(dict, "mhlo.sharding");
}

static fl_status read_signature(importer *im, const fl_literal *attrs, const fl_ref *refs, fl_ref first,
                                uint32_t count, fl_sharding *to, const int64_t **orders, const char *what)
{
    for (uint32_t i = 0; attrs && i < count && i < attrs->count; i++) {
        const fl_literal *l = said(&attrs->u.items[i]);
        fl_spec spec;
        if (!l) continue;
        fl_status s = read_text(im, l, &spec);
        if (!s) s = add(im, &spec, &to[i], fl_type_of(im->program, refs ? refs[i] : first + i), &orders[i]);
        FL_TRY(fl_status_prefix(s, "%s %u", what, i));
    }
    return NULL;
}

/* Manual axes are named without their mesh: it is that of the shardings. */
static uint32_t mesh_of_values(const importer *im, size_t first)
{
    for (size_t i = first; i < im->count; i++)
        if (!im->sites[i].spec.is_whole) return im->sites[i].spec.mesh;
    return 0;
}

static fl_status read_manual(importer *im, const fl_op *op)
{
    fl_shardings *out = im->out;
    if (out->manual_count == im->manual_capacity) {
        uint32_t capacity = 2 * im->manual_capacity + 8;
        fl_manual *manuals = realloc(im->manuals, capacity * sizeof *manuals);
        if (manuals) im->manuals = manuals;
        fl_spec *axes = manuals ? realloc(im->manual_axes, capacity * sizeof *axes) : NULL;
        if (!axes) return no_memory();
        im->manual_axes = axes;
        im->manual_capacity = capacity;
    }
    fl_manual *m = &im->manuals[out->manual_count];
    fl_spec *axes = &im->manual_axes[out->manual_count++];
    *m = (fl_manual){.op = op,
                     .in = FL_NEW_ARRAY(&out->arena, fl_sharding, op->operand_count + 1u),
                     .out = FL_NEW_ARRAY(&out->arena, fl_sharding, op->result_count + 1u)};
    if (!m->in || !m->out) return no_memory();
    size_t first = im->count;
    FL_TRY(
        add_values(im, fl_op_literal(op, FL_ATTR_in_shardings), op->operands, 0, op->operand_count, m->in));
    FL_TRY(add_values(im, fl_op_literal(op, FL_ATTR_out_shardings), NULL, op->first_result, op->result_count,
                      m->out));
    const fl_literal *manual = fl_op_literal(op, FL_ATTR_manual_axes);
    if (manual->kind == FL_LIT_STRING) return read_text(im, manual, axes);
    *axes = (fl_spec){.mesh = mesh_of_values(im, first)};
    FL_CHECK(axes->mesh < im->reader.mesh_count, FL_INVALID, "expected a mesh");
    return fl_sharding_read_manual_axes(&im->reader, manual, axes);
}

static fl_status read_block(importer *im, const fl_block *block);

static fl_status read_op(importer *im, const fl_op *op)
{
    const fl_literal *l = said(op->extra);
    fl_spec spec;
    if (l && op->result_count)
        FL_TRY(
            add_values(im, l, NULL, op->first_result, op->result_count, &im->out->values[op->first_result]));
    if (op->code == FL_OP_manual_computation) FL_TRY(read_manual(im, op));
    if (fl_op_places(op)) {
        FL_TRY(read_text(im, fl_op_literal(op, FL_ATTR_sharding), &spec));
        FL_TRY(
            add(im, &spec, &im->out->values[op->first_result], fl_type_of(im->program, op->first_result), 0));
    }
    for (uint32_t k = 0; k < op->region_count; k++) FL_TRY(read_block(im, op->regions[k]));
    return NULL;
}

static fl_status read_block(importer *im, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op_info *info = &fl_op_infos[block->ops[i]->code];
        FL_TRY(fl_status_prefix(read_op(im, block->ops[i]), "%s.%s", info->dialect, info->name));
    }
    return NULL;
}

static fl_status read_program(importer *im)
{
    const fl_program *p = im->program;
    const fl_func *f = p->funcs[0];
    FL_CHECK(p->func_count == 1, FL_INVALID, "expected one function, got %u", p->func_count);
    FL_TRY(fl_sharding_read_meshes(&im->reader));
    FL_TRY(read_signature(im, f->arg_attrs, NULL, p->main->first_arg, p->main->arg_count,
                          &im->out->values[p->main->first_arg], im->out->argument_orders, "argument"));
    FL_TRY(read_block(im, p->main));
    return read_signature(im, f->result_attrs, p->main->results, 0, p->main->result_count, im->out->results,
                          im->out->result_orders, "result");
}

/* ---- in terms of the one mesh ---- */

static int64_t parts_of(const fl_mesh *mesh, const uint8_t *axes, int count)
{
    int64_t parts = 1;
    for (int i = 0; i < count; i++) parts *= mesh->sizes[axes[i]];
    return parts;
}

static fl_status axes_of(const importer *im, const fl_spec *spec, int which, uint8_t *out, int *out_count,
                         uint16_t *used)
{
    *out_count = fl_spec_axes(&im->reader, &im->out->mesh, spec, which, out);
    FL_CHECK(*out_count >= 0, FL_UNSUPPORTED, "expected at most %d axes for a dimension", FL_MOST_AXES);
    for (int i = 0; i < *out_count; i++) {
        FL_CHECK(!(*used >> out[i] & 1), FL_INVALID, "expected each axis once in a sharding");
        *used |= (uint16_t)(1u << out[i]);
    }
    return NULL;
}

static fl_status mask_of(const importer *im, const fl_spec *spec, int which, uint16_t *used, uint16_t *out)
{
    uint8_t axes[FL_MOST_AXES];
    uint16_t before = *used;
    int count;
    FL_TRY(axes_of(im, spec, which, axes, &count, used));
    *out = *used & (uint16_t)~before;
    return NULL;
}

static fl_status cut_dimension(const importer *im, const site *s, int d, int count)
{
    fl_sharding *to = s->to;
    const fl_mesh *mesh = &im->out->mesh;
    int64_t size = s->type->dims[d];
    char text[160];
    FL_CHECK(!s->order || size % parts_of(mesh, to->axes[d], count) == 0, FL_INVALID,
             "expected %lld equal parts of dimension %d of %s", (long long)parts_of(mesh, to->axes[d], count),
             d, fl_type_text(s->type, text, sizeof text));
    while (count && size % parts_of(mesh, to->axes[d], count)) count--;
    to->count[d] = (uint8_t)count;
    return NULL;
}

/* Within the program a mesh says what lies together, whichever its order. */
static fl_status put_order(const importer *im, const site *s)
{
    const fl_device_mesh *m = &im->reader.meshes[s->spec.mesh];
    if (!s->order || !m->keeps_order) return NULL;
    int64_t *order = FL_NEW_ARRAY(&im->out->arena, int64_t, m->count);
    if (!order) return no_memory();
    for (int64_t i = 0; i < m->count; i++) order[i] = m->ids ? m->ids[i] : i;
    *s->order = order;
    return NULL;
}

static fl_status put(const importer *im, const site *s)
{
    fl_sharding *to = s->to;
    const fl_spec *spec = &s->spec;
    uint16_t used = 0;
    char text[160];
    *to = (fl_sharding){.stated = 1, .rank = s->type->rank, .open = spec->open};
    /* a mesh without axes is one device, whatever the rank */
    if (spec->is_whole || !im->reader.meshes[spec->mesh].axis_count) return NULL;
    FL_TRY(put_order(im, s));
    FL_CHECK(spec->rank == s->type->rank, FL_INVALID, "expected a sharding of %d dimensions for %s, got %d",
             s->type->rank, fl_type_text(s->type, text, sizeof text), spec->rank);
    for (int d = 0; d < spec->rank; d++) {
        int count;
        FL_TRY(axes_of(im, spec, d, to->axes[d], &count, &used));
        FL_TRY(cut_dimension(im, s, d, count));
    }
    FL_TRY(mask_of(im, spec, FL_SPEC_REPLICATED, &used, &to->replicated));
    return mask_of(im, spec, FL_SPEC_UNREDUCED, &used, &to->unreduced);
}

/* Inside are the shapes of a share with respect to the manual axes. */
static fl_status check_share(const importer *im, uint16_t manual, const fl_sharding *s, const fl_type *whole,
                             const fl_type *share)
{
    const fl_mesh *mesh = &im->out->mesh;
    char a[160], b[160];
    int fits = whole->kind != FL_TYPE_TENSOR || whole->rank == share->rank;
    for (int d = 0; fits && whole->kind == FL_TYPE_TENSOR && d < whole->rank; d++) {
        int64_t size = whole->dims[d];
        for (int i = 0; i < s->count[d]; i++)
            if (manual >> s->axes[d][i] & 1) size /= mesh->sizes[s->axes[d][i]];
        fits = size == share->dims[d];
    }
    FL_CHECK(fits, FL_INVALID, "manual_computation: expected the share that its shardings say of %s, got %s",
             fl_type_text(whole, a, sizeof a), fl_type_text(share, b, sizeof b));
    return NULL;
}

static fl_status put_manual(const importer *im, uint32_t i)
{
    fl_manual *m = &im->manuals[i];
    const fl_block *body = m->op->regions[0];
    uint16_t used = 0;
    FL_CHECK(im->manual_axes[i].is_whole || !im->reader.meshes[im->manual_axes[i].mesh].keeps_order,
             FL_UNSUPPORTED,
             "manual_computation: expected a mesh whose devices are in the order of the first mesh, or of "
             "its axes");
    if (im->manual_axes[i].is_manual)
        m->axes = (uint16_t)((1u << im->out->mesh.axis_count) - 1);
    else
        FL_TRY(mask_of(im, &im->manual_axes[i], FL_SPEC_MANUAL, &used, &m->axes));
    for (uint32_t k = 0; k < m->op->operand_count; k++)
        FL_TRY(check_share(im, m->axes, &m->in[k], fl_type_of(im->program, m->op->operands[k]),
                           fl_type_of(im->program, body->first_arg + k)));
    for (uint32_t k = 0; k < m->op->result_count; k++)
        FL_TRY(check_share(im, m->axes, &m->out[k], fl_type_of(im->program, m->op->first_result + k),
                           fl_type_of(im->program, body->results[k])));
    return NULL;
}

static fl_status settle(importer *im)
{
    size_t count = im->count + im->out->manual_count, n = 0;
    const fl_spec **specs = FL_NEW_ARRAY(&im->scratch, const fl_spec *, count + 1);
    if (!specs) return no_memory();
    for (size_t i = 0; i < im->count; i++)
        if (!im->sites[i].spec.is_whole) specs[n++] = &im->sites[i].spec;
    for (uint32_t i = 0; i < im->out->manual_count; i++)
        if (!im->manual_axes[i].is_whole) specs[n++] = &im->manual_axes[i];
    return fl_meshes_settle(&im->reader, im->partitions, specs, n, &im->out->arena, &im->out->mesh);
}

static fl_status import(importer *im)
{
    fl_shardings *out = im->out;
    out->value_count = im->program->def_count;
    out->values = FL_NEW_ARRAY(&out->arena, fl_sharding, out->value_count + 1u);
    out->results = FL_NEW_ARRAY(&out->arena, fl_sharding, im->program->main->result_count + 1u);
    out->argument_orders = FL_NEW_ARRAY(&out->arena, const int64_t *, im->program->main->arg_count + 1u);
    out->result_orders = FL_NEW_ARRAY(&out->arena, const int64_t *, im->program->main->result_count + 1u);
    if (!out->values || !out->results || !out->argument_orders || !out->result_orders) return no_memory();
    FL_TRY(read_program(im));
    FL_TRY(settle(im));
    for (size_t i = 0; i < im->count; i++) FL_TRY(put(im, &im->sites[i]));
    for (uint32_t i = 0; i < out->manual_count; i++) FL_TRY(put_manual(im, i));
    out->manuals = fl_arena_copy(&out->arena, im->manuals, out->manual_count * sizeof *im->manuals);
    return out->manuals || !out->manual_count ? NULL : no_memory();
}

fl_status fl_sharding_import(const fl_program *program, int64_t partitions, fl_shardings **out)
{
    *out = NULL;
    FL_CHECK(partitions >= 1 && partitions <= MOST_PARTITIONS, FL_INVALID,
             "expected 1 to %d partitions, got %lld", MOST_PARTITIONS, (long long)partitions);
    importer im = {.program = program, .partitions = partitions, .out = calloc(1, sizeof *im.out)};
    if (!im.out) return no_memory();
    im.reader.program = program;
    im.reader.arena = &im.scratch;
    fl_status status = import(&im);
    free(im.sites);
    free(im.manuals);
    free(im.manual_axes);
    fl_arena_free(&im.scratch);
    if (status)
        fl_shardings_free(im.out);
    else
        *out = im.out;
    return fl_status_prefix(status, "shardings");
}

void fl_shardings_free(fl_shardings *shardings)
{
    if (!shardings) return;
    fl_arena_free(&shardings->arena);
    free(shardings);
}
