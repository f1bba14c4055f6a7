/* Custom calls that their makers partition: a registered partitioner gets how operands lie, what it returns runs in the call's place,
 * and the results are those of the whole call. */
#include "partition_case.h"

#include "ir/build_internal.h"
#include "ir/text/parse.h"
#include "opt/split.h"
#include "ref/custom.h"

#include <stdlib.h>

static int asked, inferred; /* how often the functions below were called */

/* Each row less its first element; two results: that, and the sums of the columns. */
static fl_status whole_call(const fl_custom_args *args)
{
    const fl_type *t = args->in[0].type;
    const float *x = args->in[0].data;
    float *y = args->out[0].data, *sums = args->out[1].data;
    for (int64_t k = 0; k < t->dims[1]; k++) sums[k] = 0;
    for (int64_t i = 0; i < t->dims[0]; i++)
        for (int64_t k = 0; k < t->dims[1]; k++) {
            y[i * t->dims[1] + k] = x[i * t->dims[1] + k] - x[i * t->dims[1]];
            sums[k] += x[i * t->dims[1] + k];
        }
    return NULL;
}

static fl_block *adds(fl_builder *b)
{
    const fl_type scalar = {.kind = FL_TYPE_TENSOR, .dtype = FL_F32}, two[] = {scalar, scalar};
    fl_block *block = fl_region_begin(b, two, 2);
    fl_ref sum = fl_add(b, block->first_arg, block->first_arg + 1);
    fl_region_end(b, block, &sum, 1);
    return block;
}

/* One partition's part of it, and the sums added up over all partitions where rows are cut, which is along all axes. */
static fl_status write_part(const fl_type *share, int64_t partitions, int is_cut, fl_program **out)
{
    fl_builder b;
    int64_t ids[16], zero = 0;
    for (int64_t i = 0; i < 16; i++) ids[i] = i;
    FL_TRY(fl_builder_init(&b, "part"));
    fl_ref x = fl_parameter(&b, *share), first = fl_slice_dim(&b, x, 1, 0, 1, 1);
    fl_ref y = fl_sub(&b, x, fl_broadcast_like(&b, first, x)),
           sums = fl_reduce(&b, FL_OP_add, x, &zero, 1, 0);
    if (is_cut) {
        fl_block *region = adds(&b);
        fl_attr groups = ATTR_INTS(replica_groups, ids, (uint32_t)partitions);
        groups.columns = (uint16_t)partitions;
        const fl_attr attrs[] = {groups, ATTR_INT(channel_id, 1), ATTR_INT(channel_type, 1),
                                 ATTR_INT(use_global_device_ids, 1)};
        sums = fl_build(&b, FL_OP_all_reduce, &sums, 1, attrs, 4, &region, 1);
    }
    const fl_ref results[] = {y, sums};
    return fl_builder_finish(&b, results, 2, out);
}

/* Rows may be cut, columns not. */
static fl_status partition_rows(void *user, fl_split_call *call, fl_program **out)
{
    fl_type share;
    fl_sharding *x = &call->operands[0];
    CHECK(user == &asked);
    asked++;
    CHECK_INT(x->rank, 2);
    x->count[1] = 0;
    call->results[0] = *x;
    call->results[1].count[0] = 0;
    FL_TRY(fl_sharding_shard_type(call->mesh, x, fl_type_of(call->program, call->op->operands[0]), &share));
    return write_part(&share, call->mesh->count, x->count[0] > 0, out);
}

/* Rows lie as those of the operand. */
static fl_status infer_rows(void *user, fl_split_call *call, int *known)
{
    (void)user;
    inferred++;
    *known = 1;
    call->results[0] = call->operands[0];
    call->results[0].count[1] = 0;
    return NULL;
}

static fl_status refuse(void *user, fl_split_call *call, fl_program **out)
{
    (void)user;
    (void)call;
    (void)out;
    return fl_error(FL_INVALID, "no way to cut this");
}

static fl_status too_few(void *user, fl_split_call *call, fl_program **out)
{
    static const char text[] =
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> { return %x : tensor<3xf32> }";
    (void)user;
    (void)call;
    return fl_parse_text(text, sizeof text - 1, out);
}

static void add(const char *name, fl_splitter splitter)
{
    CHECK_OK(fl_splitter_register(name, strlen(name), &splitter));
    CHECK_OK(fl_custom_call_register(name, whole_call, NULL));
}

#define CALL(target, attributes)                                                                             \
    F("%x: tensor<8x6xf32>", "(tensor<8x6xf32>, tensor<6xf32>)",                                             \
      "  %a = stablehlo.add %x, %x : tensor<8x6xf32>\n"                                                      \
      "  %0:2 = stablehlo.custom_call @" target "(%a) {" attributes "} : (tensor<8x6xf32>) -> "              \
      "(tensor<8x6xf32>, tensor<6xf32>)\n"                                                                   \
      "  %b = stablehlo.negate %0#0 : tensor<8x6xf32>\n"                                                     \
      "  return %b, %0#1 : tensor<8x6xf32>, tensor<6xf32>\n")
#define RULE                                                                                                 \
    "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [j]) {i=8, j=6} need_replication={j}, "    \
    "custom>"

static void with_a_rule(void)
{
    PARTITION(CALL("test.rows", RULE), "4", "a0=0,-", "reduce=1");
    PARTITION(CALL("test.rows", RULE), "2x2", "a0=01,-", "reduce=1");
    PARTITION(CALL("test.rows", RULE), "2", "a0=-,0", NULL);
    PARTITION(CALL("test.rows", RULE), "2", "r0=0,-", "reduce=1"); /* found backwards through the call */
    CHECK(asked >= 4);
    CHECK_INT(inferred, 0);
}

static void inferring(void)
{
    PARTITION(CALL("test.infer", ""), "4", "a0=0,-", "reduce=1");
    CHECK(inferred > 0);
}

static fl_status partition_text(const char *text, const char *mesh, const char *shardings)
{
    fl_program *p = parse_program(text), *out = NULL;
    fl_shardings *s = shardings_of_text(p, mesh, shardings);
    fl_status status = fl_program_partition(p, s, &out);
    fl_program_destroy(out);
    fl_program_destroy(p);
    shardings_destroy(s);
    return status;
}

static void errors(void)
{
    CHECK_ERROR(partition_text(CALL("test.refuse", RULE), "2", "a0=0,-"), FL_INVALID, "no way to cut this");
    CHECK_ERROR(partition_text(CALL("test.few", RULE), "2", "a0=0,-"), FL_INVALID,
                "1 operands and 2 results");
    CHECK_ERROR(fl_splitter_register("x", 1, &(fl_splitter){0}), FL_INVALID, "partitions");
}

/* Factors that do not make up the dimensions are no rule: operands are whole then. */
#define WRONG(rule)                                                                                          \
    fl_status_free(partition_text(CALL("test.rows", "sdy.sharding_rule = #sdy.op_sharding_rule<" rule ">"),  \
                                  "2", "a0=0,-"))

static void wrong_rules(void)
{
    PARTITION(
        CALL("test.rows", "sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [j]) {i=7, j=6}>"),
        "2", "a0=0,-", NULL);
    WRONG("([i])");
    WRONG("");
    WRONG("([k])->([k], []) {k=8}");
    WRONG("([i_9, z_99999999])->([z_1, j], [q]) {z_1=2, q=}");
    WRONG("([ijklm, j])->([i]) {i=2, j=3}");
    WRONG("([i, j])->([i, j], [j]) {i=99999999999999999999, j=-1} need_replication={}");
}

/* Batches go by themselves. */
static void batches(void)
{
    static const char text[] = F("%x: tensor<4x3xf32>", "tensor<4x3xf32>",
                                 "  %0 = stablehlo.custom_call @test.batch(%x) {mhlo.frontend_attributes = "
                                 "{num_batch_dims = \"1\"}} : "
                                 "(tensor<4x3xf32>) -> tensor<4x3xf32>\n  return %0 : tensor<4x3xf32>\n");
    fl_program *p = parse_program(text), *out = NULL;
    fl_shardings *s = shardings_of_text(p, "2", "a0=0,-");
    CHECK_OK(fl_split_batches_register("test.batch", 10));
    CHECK_OK(fl_program_partition(p, s, &out));
    if (out) CHECK_INT(fl_type_of(out, out->main->results[0])->dims[0], 2);
    fl_program_destroy(out);
    fl_program_destroy(p);
    shardings_destroy(s);
}

int main(void)
{
    add("test.rows", (fl_splitter){&asked, partition_rows, NULL});
    add("test.infer", (fl_splitter){&asked, partition_rows, infer_rows});
    add("test.refuse", (fl_splitter){NULL, refuse, NULL});
    add("test.few", (fl_splitter){NULL, too_few, NULL});
    with_a_rule();
    inferring();
    errors();
    wrong_rules();
    batches();
    return check_result();
}
