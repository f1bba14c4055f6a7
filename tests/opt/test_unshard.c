/* Programs of sdy for one partition, where its operations are the identity; and what refinement keeps of them. */
#include "check.h"
#include "ir/text/parse.h"
#include "opt/opt.h"
#include "ref/reference.h"

static const char source[] =
    "sdy.mesh @one = <[\"x\"=1]>\n"
    "func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@one, [{\"x\"}]>}) -> tensor<4xf32> {\n"
    "  %0 = func.call @f(%a) : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  return %0 : tensor<4xf32>\n"
    "}\n"
    "func.func private @f(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
    "  %0 = sdy.sharding_constraint %a <@one, [{\"x\"}]> : tensor<4xf32>\n"
    "  sdy.sharding_group %0 group_id = 3 : tensor<4xf32>\n"
    "  %1 = sdy.manual_computation(%0) in_shardings=[<@one, [{\"x\"}]>] out_shardings=[<@one, [{\"x\"}]>] "
    "manual_axes={\"x\"} (%b: tensor<4xf32>) {\n"
    "    %2 = stablehlo.add %b, %b {sdy.sharding = #sdy.sharding_per_value<[<@one, [{\"x\"}]>]>} : "
    "tensor<4xf32>\n"
    "    %3 = stablehlo.while(%c = %2) : tensor<4xf32> cond {\n"
    "      %t = stablehlo.constant dense<false> : tensor<i1>\n"
    "      stablehlo.return %t : tensor<i1>\n"
    "    } do {\n"
    "      %4 = sdy.named_computation<\"g\">(%c) (%d: tensor<4xf32>) {\n"
    "        %5 = stablehlo.multiply %d, %b : tensor<4xf32>\n"
    "        sdy.return %5 : tensor<4xf32>\n"
    "      } : (tensor<4xf32>) -> tensor<4xf32>\n"
    "      stablehlo.return %4 : tensor<4xf32>\n"
    "    }\n"
    "    sdy.return %3 : tensor<4xf32>\n"
    "  } : (tensor<4xf32>) -> tensor<4xf32>\n"
    "  %6 = sdy.reshard %1 <@one, [{}]> : tensor<4xf32>\n"
    "  %7 = stablehlo.subtract %6, %a : tensor<4xf32>\n"
    "  return %7 : tensor<4xf32>\n"
    "}\n";

static const char plain[] =
    "sdy.mesh @one = <[\"x\"=1]>\n"
    "func.func @main(%arg0: tensor<4xf32> {sdy.sharding = #sdy.sharding<@one, [{\"x\"}]>}) -> tensor<4xf32> "
    "{\n"
    "  %0 = stablehlo.add %arg0, %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@one, [{\"x\"}]>]>} : "
    "tensor<4xf32>\n"
    "  %1 = stablehlo.while(%arg1 = %0) : tensor<4xf32>\n"
    "  cond {\n"
    "    %3 = stablehlo.constant dense<false> : tensor<i1>\n"
    "    stablehlo.return %3 : tensor<i1>\n"
    "  } do {\n"
    "    %4 = stablehlo.multiply %arg1, %arg0 : tensor<4xf32>\n"
    "    stablehlo.return %4 : tensor<4xf32>\n"
    "  }\n"
    "  %2 = stablehlo.subtract %1, %arg0 : tensor<4xf32>\n"
    "  return %2 : tensor<4xf32>\n"
    "}\n";

static fl_program *parsed(const char *text)
{
    fl_program *p = NULL;
    CHECK_OK(fl_parse_text(text, strlen(text), &p));
    return p;
}

static void test_refine(void)
{
    fl_program *p = parsed(source), *refined = NULL, *wanted = parsed(plain);
    fl_text why = {0};
    if (!p || !wanted) return;
    CHECK_OK(fl_program_refine(p, NULL, 0, &refined));
    CHECK_OK(fl_program_verify(refined));
    CHECK(fl_program_has_sdy(refined));
    CHECK_ERROR(fl_program_verify_plain(refined), FL_UNSUPPORTED,
                "expected a program that is partitioned, or that is for one partition, got "
                "sdy.sharding_constraint");
    CHECK_OK(fl_program_unshard(refined));
    CHECK_OK(fl_program_verify(refined));
    CHECK_OK(fl_program_verify_plain(refined));
    CHECK(!fl_program_has_sdy(refined));
    CHECK(fl_program_equal(refined, wanted, &why));
    if (why.length) fprintf(stderr, "%s\n", why.data);
    fl_text_free(&why);
    fl_program_destroy(refined);
    fl_program_destroy(wanted);
    fl_program_destroy(p);
}

/* The interpreter runs such programs as they are. */
static void test_reference(void)
{
    fl_program *p = parsed(source);
    const float x[4] = {1, -2, 3.5f, 0};
    float y[4] = {9, 9, 9, 9};
    const void *in = x;
    void *out = y;
    if (!p) return;
    CHECK_OK(fl_reference_run(p, &in, &out));
    for (int i = 0; i < 4; i++) CHECK(y[i] == x[i]); /* 2 x - x */
    fl_program_destroy(p);
}

/* Computations with names are inlined, and what says nothing of scalars goes. */
static void test_trivial(void)
{
    fl_program *p = parsed("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                           "%0 = sdy.named_computation<\"f\">(%a) (%b: tensor<f32>) {\n"
                           "%1 = sdy.sharding_constraint %b <@m, []> : tensor<f32>\n"
                           "%2 = stablehlo.add %1, %b : tensor<f32>\n"
                           "sdy.return %2 : tensor<f32>\n} : (tensor<f32>) -> tensor<f32>\n"
                           "return %0 : tensor<f32>\n}"),
               *wanted = parsed("func.func @main(%a: tensor<f32>) -> tensor<f32> {\n"
                                "%0 = stablehlo.add %a, %a : tensor<f32>\nreturn %0 : tensor<f32>\n}"),
               *refined = NULL;
    if (!p || !wanted) return;
    CHECK_OK(fl_program_refine(p, NULL, 0, &refined));
    CHECK(refined && fl_program_equal(refined, wanted, NULL));
    fl_program_destroy(refined);
    fl_program_destroy(wanted);
    fl_program_destroy(p);
}

static void test_several(void)
{
    fl_program *p =
        parsed("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {\n"
               "%0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"x\"}]>] out_shardings=[<@m, "
               "[{\"x\"}]>] manual_axes={\"x\"} (%b: tensor<2xf32>) {\n"
               "sdy.return %b : tensor<2xf32>\n} : (tensor<4xf32>) -> tensor<4xf32>\n"
               "return %0 : tensor<4xf32>\n}");
    if (!p) return;
    CHECK_ERROR(
        fl_program_unshard(p), FL_INVALID,
        "expected a program for one partition, got both tensor<2xf32> and tensor<4xf32> for one value");
    fl_program_destroy(p);
}

int main(void)
{
    test_refine();
    test_reference();
    test_trivial();
    test_several();
    return check_result();
}
