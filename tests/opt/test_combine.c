/* all_reduces that become one, and those that may not. What the combined programs compute is compared in test_partition*. */
#include "check.h"
#include "ir/text/parse.h"
#include "opt/sharding.h"

#include <stdio.h>

#define T "tensor<4xf32>"
#define REDUCE(result, operand, groups, by)                                                                  \
    "  " result " = \"stablehlo.all_reduce\"(" operand                                                       \
    ") <{channel_handle = #stablehlo.channel_handle<handle = 1, "                                            \
    "type = 1>, replica_groups = dense<" groups "> : tensor<1x2xi64>, use_global_device_ids}> ({\n"          \
    "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %s = stablehlo." by " %a, %b : tensor<f32>\n"            \
    "    stablehlo.return %s : tensor<f32>\n  }) : (" T ") -> " T "\n"
#define SUM(result, operand) REDUCE(result, operand, "[[0, 1]]", "add")
#define MAIN(body)           "func.func @main(%x: " T ", %y: " T ") -> (" T ", " T ") {\n" body "}\n"

/* "add all_reduce2 multiply": the operations, of all_reduces with the number of their operands. */
static void describe(const fl_block *block, char *out)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        sprintf(out + strlen(out), "%s%s", *out ? " " : "", fl_op_infos[op->code].name);
        if (op->code == FL_OP_all_reduce) sprintf(out + strlen(out), "%u", op->operand_count);
        if (op->code == FL_OP_while) describe(op->regions[1], strcat(out, " {")), strcat(out, " }");
    }
}

static void combined(const char *text, const char *expected, int line)
{
    fl_program *p = NULL;
    char got[2000] = "";
    CHECK_OK(fl_parse_text(text, strlen(text), &p));
    if (!p) return;
    CHECK_OK(fl_program_combine(&p));
    CHECK_OK(fl_program_verify(p));
    describe(p->main, got);
    if (strcmp(got, expected)) fprintf(stderr, "line %d\n", line);
    CHECK_STRING(got, expected);
    fl_program_destroy(p);
}
#define COMBINED(text, expected) combined(text, expected, __LINE__)

int main(void)
{
    /* what uses the first one moves behind; what the second one needs stays before */
    COMBINED(MAIN(SUM("%0", "%x") "  %1 = stablehlo.sine %0 : " T "\n  %2 = stablehlo.cosine %y : " T
                                  "\n" SUM("%3", "%2") "  return %1, %3 : " T ", " T "\n"),
             "cosine all_reduce2 sine");
    /* one needs the other */
    COMBINED(MAIN(SUM("%0", "%x") "  %1 = stablehlo.sine %0 : " T "\n" SUM("%2", "%1") "  return %1, %2 : " T
                                                                                       ", " T "\n"),
             "all_reduce1 sine all_reduce1");
    /* other groups, another operation */
    COMBINED(MAIN(SUM("%0", "%x") REDUCE("%1", "%y", "[[1, 0]]", "add") "  return %0, %1 : " T ", " T "\n"),
             "all_reduce1 all_reduce1");
    COMBINED(
        MAIN(SUM("%0", "%x") REDUCE("%1", "%y", "[[0, 1]]", "maximum") "  return %0, %1 : " T ", " T "\n"),
        "all_reduce1 all_reduce1");
    /* two groups, one inside the other's place */
    COMBINED(MAIN(SUM("%0", "%x") REDUCE("%1", "%x", "[[0, 1]]", "maximum") SUM("%2", "%y")
                      REDUCE("%3", "%y", "[[0, 1]]", "maximum") "  %4 = stablehlo.add %0, %1 : " T
                                                                "\n  %5 = stablehlo.add %2, %3 : " T
                                                                "\n  return %4, %5 : " T ", " T "\n"),
             "all_reduce2 all_reduce2 add add");
    /* effects do not move */
    COMBINED(MAIN(SUM("%0", "%x") "  %1 = stablehlo.custom_call @f(%0) {has_side_effect = true} : (" T
                                  ") -> " T "\n" SUM("%2", "%y") "  return %1, %2 : " T ", " T "\n"),
             "all_reduce1 custom_call all_reduce1");
    /* in a loop, and around one that uses it */
    COMBINED(MAIN(SUM("%0", "%x") "  %1:2 = stablehlo.while(%i = %x, %j = %y) : " T ", " T " cond {\n"
                                  "    %t = stablehlo.constant dense<false> : tensor<i1>\n    "
                                  "stablehlo.return %t : tensor<i1>\n"
                                  "  } do {\n    %u = stablehlo.add %i, %0 : " T "\n" SUM("%2", "%u")
                                      SUM("%3", "%j") "    stablehlo.return %2, %3 : " T ", " T "\n  }\n" SUM(
                                          "%4", "%y") "  return %1#0, %4 : " T ", " T "\n"),
             "all_reduce1 while { add all_reduce2 } all_reduce1");
    return check_result();
}
