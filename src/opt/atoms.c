/* Axes split into those of prime size, so that a reshape can take a part of one: heads that 8 partitions share become 2 groups of
 * 4 heads when their dimension does. */
#include "opt/propagate.h"

#include <string.h>

typedef struct atoms {
    uint8_t first[FL_MOST_AXES], count[FL_MOST_AXES]; /* of each axis */
} atoms;

static int64_t smallest_factor(int64_t n)
{
    for (int64_t f = 2; f * f <= n; f++)
        if (n % f == 0) return f;
    return n;
}

static uint32_t factor_count(int64_t n)
{
    uint32_t count = 0;
    for (; n > 1; n /= smallest_factor(n)) count++;
    return count;
}

/* Axis by axis, as long as there is room for those that follow. */
static void split_mesh(fl_mesh *mesh, atoms *a)
{
    fl_mesh old = *mesh;
    mesh->axis_count = 0;
    for (uint32_t i = 0; i < old.axis_count; i++) {
        uint32_t room = FL_MOST_AXES - mesh->axis_count - (old.axis_count - i - 1);
        int64_t left = old.sizes[i];
        int whole = factor_count(left) > room;
        a->first[i] = (uint8_t)mesh->axis_count;
        for (; left > 1; left = whole ? 1 : left / smallest_factor(left))
            mesh->sizes[mesh->axis_count++] = whole ? left : smallest_factor(left);
        a->count[i] = (uint8_t)(mesh->axis_count - a->first[i]);
    }
}

static uint16_t split_set(const atoms *a, uint16_t set)
{
    uint32_t out = 0;
    for (int i = 0; i < FL_MOST_AXES; i++)
        if (set >> i & 1) out |= ((1u << a->count[i]) - 1) << a->first[i];
    return (uint16_t)out;
}

static void split_sharding(const atoms *a, fl_sharding *s)
{
    for (int d = 0; d < s->rank; d++) {
        uint8_t axes[FL_MOST_AXES];
        int n = 0;
        for (int k = 0; k < s->count[d]; k++)
            for (int i = 0; i < a->count[s->axes[d][k]] && n < FL_MOST_AXES; i++)
                axes[n++] = (uint8_t)(a->first[s->axes[d][k]] + i);
        memcpy(s->axes[d], axes, (size_t)n);
        s->count[d] = (uint8_t)n;
    }
    s->replicated = split_set(a, s->replicated);
    s->unreduced = split_set(a, s->unreduced);
}

static void split_each(const atoms *a, fl_sharding *s, uint32_t count)
{
    for (uint32_t i = 0; s && i < count; i++)
        if (s[i].stated) split_sharding(a, &s[i]);
}

static fl_status check_axes(const fl_mesh *mesh, const fl_sharding *s, uint32_t count)
{
    for (uint32_t i = 0; s && i < count; i++) {
        FL_CHECK(!s[i].stated || s[i].rank <= FL_MAX_RANK, FL_INVALID, "expected shardings of rank 0 to %d",
                 FL_MAX_RANK);
        for (int d = 0; s[i].stated && d < s[i].rank; d++) {
            FL_CHECK(s[i].count[d] <= mesh->axis_count, FL_INVALID, "expected each axis once in a sharding");
            for (int k = 0; k < s[i].count[d]; k++)
                FL_CHECK(s[i].axes[d][k] < mesh->axis_count, FL_INVALID, "expected axes of the mesh");
        }
    }
    return NULL;
}

fl_status fl_shardings_split(const fl_program *program, fl_shardings *s, uint8_t last[FL_MOST_AXES])
{
    const uint32_t results = program->main->result_count;
    atoms a = {0};
    FL_TRY(check_axes(&s->mesh, s->values, s->value_count));
    FL_TRY(check_axes(&s->mesh, s->results, results));
    for (uint32_t i = 0; i < s->manual_count; i++) {
        FL_TRY(check_axes(&s->mesh, s->manuals[i].in, s->manuals[i].op->operand_count));
        FL_TRY(check_axes(&s->mesh, s->manuals[i].out, s->manuals[i].op->result_count));
    }
    uint32_t axes = s->mesh.axis_count;
    split_mesh(&s->mesh, &a);
    for (uint32_t i = 0; i < axes; i++)
        for (int k = 0; k < a.count[i]; k++) last[a.first[i] + k] = (uint8_t)(a.first[i] + a.count[i] - 1);
    if (axes == s->mesh.axis_count) return NULL;
    split_each(&a, s->values, s->value_count);
    split_each(&a, s->results, results);
    for (uint32_t i = 0; i < s->manual_count; i++) {
        fl_manual *m = &s->manuals[i];
        m->axes = split_set(&a, m->axes);
        split_each(&a, m->in, m->op->operand_count);
        split_each(&a, m->out, m->op->result_count);
    }
    return NULL;
}

void fl_keep_whole_axes(fl_spread *spread, int rank, const uint8_t *last)
{
    for (int d = 0; d < rank; d++) {
        fl_axes axes = fl_spread_axes(spread, d);
        int kept = 0;
        while (kept < axes.count) {
            int first = axes.axis[kept], n = 1;
            if (first > 0 && last[first - 1] == last[first]) break; /* not the first part */
            while (kept + n < axes.count && axes.axis[kept + n] == first + n &&
                   last[first + n] == last[first])
                n++;
            if (first + n - 1 != last[first]) break;
            kept += n;
        }
        fl_spread_keep(spread, d, kept);
    }
}
