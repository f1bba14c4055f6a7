/* Many processes: every result is the same in every run, whatever the threads do. The functions are built
 * here; programs/ has more of them as text. */
#include "check.h"
#include "ir/build.h"
#include "ref/check.h"
#include "ref/reference.h"

#include <stdlib.h>

enum { REPLICAS = 6, PARTITIONS = 4, PROCESSES = REPLICAS * PARTITIONS };

static fl_type scalar(fl_dtype dtype)
{
    return fl_type_make(dtype, 0, NULL);
}

static fl_block *adder(fl_builder *b)
{
    fl_type types[2] = {scalar(FL_I32), scalar(FL_I32)};
    fl_block *region = fl_region_begin(b, types, 2);
    fl_ref sum = fl_add(b, fl_block_arg(region, 0), fl_block_arg(region, 1));
    fl_region_end(b, region, &sum, 1);
    return region;
}

static fl_ref all_reduce(fl_builder *b, fl_ref x, int64_t channel, const int64_t *groups, uint32_t rows,
                         uint32_t columns)
{
    fl_block *region = adder(b);
    fl_type type = scalar(FL_I32);
    const fl_attr attrs[] = {{.key = FL_ATTR_replica_groups,
                              .columns = (uint16_t)columns,
                              .count = rows * columns,
                              .u.ints = groups},
                             {.key = FL_ATTR_channel_id, .u.i = channel}};
    return fl_build_typed(b, FL_OP_all_reduce, &x, 1, attrs, 2, &region, 1, &type, 1);
}

static fl_ref permute(fl_builder *b, fl_ref x, const int64_t *pairs, uint32_t count)
{
    fl_type type = scalar(FL_I32);
    fl_attr attr = {.key = FL_ATTR_source_target_pairs, .columns = 2, .count = 2 * count, .u.ints = pairs};
    return fl_build_typed(b, FL_OP_collective_permute, &x, 1, &attr, 1, NULL, 0, &type, 1);
}

/* id -> its own sum over replicas {0, 2, 4} or {1, 3, 5} of the partition, then shifted by one replica
 * round the ring. */
static void function(fl_builder *b, const char *name)
{
    static const int64_t groups[] = {0, 2, 4, 1, 3, 5}, ring[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 0};
    fl_type type = scalar(FL_I32);
    fl_func *f = fl_func_begin(b, name, &type, 1);
    fl_ref x = fl_block_arg(f->body, 0);
    for (int i = 0; i < 3; i++) x = permute(b, all_reduce(b, x, 0, groups, 2, 3), ring, 6);
    fl_func_end(b, f, &x, 1);
}

static void entry(fl_builder *b, const char *name)
{
    fl_literal symbol = {.kind = FL_LIT_SYMBOL, .count = (uint32_t)strlen(name), .u.string = name};
    fl_literal row[PARTITIONS], rows[REPLICAS];
    fl_ref operands[PROCESSES];
    fl_type types[PROCESSES];
    for (int i = 0; i < PARTITIONS; i++) row[i] = symbol;
    for (int i = 0; i < REPLICAS; i++)
        rows[i] = (fl_literal){.kind = FL_LIT_ARRAY, .count = PARTITIONS, .u.items = row};
    const fl_literal programs = {.kind = FL_LIT_ARRAY, .count = REPLICAS, .u.items = rows};
    fl_func *main = fl_func_begin(b, "main", NULL, 0);
    for (int i = 0; i < PROCESSES; i++)
        operands[i] = fl_scalar_i(b, FL_I32, i + 1), types[i] = scalar(FL_I32);
    fl_attr attr = {.key = FL_ATTR_programs, .u.literal = &programs};
    fl_ref first =
        fl_build_typed(b, FL_OP_run_parallel, operands, PROCESSES, &attr, 1, NULL, 0, types, PROCESSES);
    fl_ref results[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) results[i] = first + (fl_ref)i;
    fl_func_end(b, main, results, PROCESSES);
}

/* The same on plain integers. */
static void expected(int32_t *x)
{
    for (int p = 0; p < PARTITIONS; p++)
        for (int i = 0; i < PROCESSES; i++)
            if (i % PARTITIONS == p) x[i] = i + 1;
    for (int step = 0; step < 3; step++) {
        int32_t sums[PROCESSES];
        for (int r = 0; r < REPLICAS; r++)
            for (int p = 0; p < PARTITIONS; p++) {
                sums[r * PARTITIONS + p] = 0;
                for (int s = r % 2; s < REPLICAS; s += 2) sums[r * PARTITIONS + p] += x[s * PARTITIONS + p];
            }
        for (int r = 0; r < REPLICAS; r++)
            for (int p = 0; p < PARTITIONS; p++)
                x[(r + 1) % REPLICAS * PARTITIONS + p] = sums[r * PARTITIONS + p];
    }
}

static void many(void)
{
    fl_builder b;
    fl_program *program = NULL;
    int32_t want[PROCESSES], got[PROCESSES] = {0};
    void *outputs[PROCESSES];
    CHECK_OK(fl_builder_init(&b, "test"));
    function(&b, "f");
    entry(&b, "f");
    CHECK_OK(fl_builder_finish_module(&b, &program));
    if (!program) return;
    for (int i = 0; i < PROCESSES; i++) outputs[i] = &got[i];
    expected(want);
    for (int run = 0; run < 5; run++) {
        CHECK_OK(fl_reference_run(program, NULL, outputs));
        CHECK(!memcmp(got, want, sizeof got));
    }
    fl_program_destroy(program);
}

int main(void)
{
    many();
    return check_result();
}
