/* Statistics of the public interface. */
#include "api/module.h"
#include "ir/stats.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct owned_stats {
    fl_module_stats stats; /* first */
    fl_op_stats rows[FL_OPCODE_COUNT];
    char names[FL_OPCODE_COUNT][48];
} owned_stats;

static int dearer_first(const void *a, const void *b)
{
    const fl_op_stats *x = a, *y = b;
    if (x->flops != y->flops) return x->flops < y->flops ? 1 : -1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return (x->count < y->count) - (x->count > y->count);
}

fl_status fl_module_stats_get(const fl_module *module, fl_module_stats **out)
{
    *out = NULL;
    owned_stats *owned = calloc(1, sizeof *owned);
    fl_program_stats *s = calloc(1, sizeof *s);
    fl_status status =
        owned && s ? fl_program_count(module->program, s) : fl_error(FL_OOM, "out of host memory");
    if (status) {
        free(s);
        free(owned);
        return status;
    }
    uint32_t rows = 0;
    for (int code = 0; code < FL_OPCODE_COUNT; code++) {
        if (!s->ops[code].count) continue;
        snprintf(owned->names[rows], sizeof owned->names[rows], "%s.%s", fl_op_infos[code].dialect,
                 fl_op_infos[code].name);
        owned->rows[rows] =
            (fl_op_stats){owned->names[rows], s->ops[code].count, s->ops[code].flops, s->ops[code].bytes};
        rows++;
    }
    qsort(owned->rows, rows, sizeof *owned->rows, dearer_first);
    owned->stats = (fl_module_stats){
        .size = sizeof owned->stats,
        .functions = module->program->func_count,
        .operations = s->total.count,
        .flops = s->total.flops,
        .bytes = s->total.bytes,
        .input_bytes = s->input_bytes,
        .output_bytes = s->output_bytes,
        .constant_bytes = s->constant_bytes,
        .loops = s->loops,
        .unknown = s->unknown,
        .row_count = rows,
        .rows = owned->rows,
    };
    free(s);
    *out = &owned->stats;
    return NULL;
}

void fl_module_stats_free(fl_module_stats *stats)
{
    free(stats);
}
