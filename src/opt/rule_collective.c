/* Rules of collectives that the program itself holds, in manual computations: partitions that meet there differ along manual axes
 * alone, so what other axes cut stays as it is. */
#include "opt/rule.h"

/* Coordinates of a partition along the axes that are not manual, as one number. */
static int64_t free_place(const fl_rule_maker *m, int64_t partition)
{
    const fl_mesh *mesh = m->mesh;
    int64_t place = m->places[partition % mesh->count], at = 0, scale = 1;
    for (uint32_t a = mesh->axis_count; a-- > 0; place /= mesh->sizes[a]) {
        if (m->manual >> a & 1) continue;
        at += place % mesh->sizes[a] * scale;
        scale *= mesh->sizes[a];
    }
    return at;
}

static int stays_apart(const fl_rule_maker *m)
{
    const fl_attr *a = fl_op_attr(m->op, FL_ATTR_replica_groups);
    if (fl_op_int(m->op, FL_ATTR_channel_id, 0) <= 0) return 1; /* between replicas */
    uint32_t columns = a ? a->columns : 2;
    if (!a) a = fl_op_attr(m->op, FL_ATTR_source_target_pairs);
    if (!a || !columns || a->count % columns) return 0;
    for (uint32_t i = 0; i < a->count; i++) {
        int64_t first = a->u.ints[i - i % columns], id = a->u.ints[i];
        if (id >= 0 && first >= 0 && free_place(m, id) != free_place(m, first)) return 0;
    }
    return 1;
}

/* Operand and result i share every dimension but these. */
static void all_but(fl_rule_maker *m, uint32_t whole)
{
    if (!stays_apart(m)) return;
    for (uint32_t i = 0; i < m->op->result_count; i++)
        for (int d = 0; d < fl_rule_type(m, i)->rank; d++)
            if (!(whole >> d & 1)) fl_rule_share(m, i, d, fl_rule_result(m, i), d);
}

void fl_factors_reduction(fl_rule_maker *m)
{
    all_but(m, 0);
}

void fl_factors_all_gather(fl_rule_maker *m)
{
    all_but(m, 1u << fl_op_int(m->op, FL_ATTR_all_gather_dim, 0));
}

void fl_factors_reduce_scatter(fl_rule_maker *m)
{
    all_but(m, 1u << fl_op_int(m->op, FL_ATTR_scatter_dimension, 0));
}

void fl_factors_all_to_all(fl_rule_maker *m)
{
    all_but(m, 1u << fl_op_int(m->op, FL_ATTR_split_dimension, 0) |
                   1u << fl_op_int(m->op, FL_ATTR_concat_dimension, 0));
}
