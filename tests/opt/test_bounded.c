/* Programs of bounded sizes become static: every case runs on a 4x3 array of which 2 rows are filled, and NaN lies behind them.
 * Expected values by hand. */
#include "check.h"
#include "ir/text/parse.h"
#include "opt/opt.h"
#include "opt/refined.h"
#include "ref/reference.h"

#include <math.h>
#include <stdlib.h>

#define X    "tensor<?x3xf32, #stablehlo.bounds<4, ?>>"
#define BODY "func.func @main(%x: " X ") -> "

/* `size`: of the first open dimension of the result; -1: it has none. Only what is filled is compared, row by row. */
static void gives(int line, const char *text, const char *type, int size, const float *expected, int count)
{
    const float x[12] = {1, 2, 3, 4, 5, 6, NAN, NAN, NAN, NAN, NAN, NAN};
    const int32_t rows = 2;
    float got[64] = {0};
    int32_t got_size = -1;
    const void *inputs[] = {x, &rows};
    void *outputs[] = {got, &got_size};
    fl_program *p;
    char is[160];
    fl_status s = refined(text, &p);
    if (!s) s = fl_program_verify_plain(p);
    if (!s) CHECK_STRING(fl_type_text(fl_type_of(p, p->main->results[0]), is, sizeof is), type);
    if (!s) CHECK_INT(p->main->arg_count, 2);
    if (!s) CHECK_INT(p->main->result_count, size >= 0 ? 2 : 1);
    if (!s) s = fl_reference_run(p, inputs, outputs);
    if (!s) CHECK_INT(got_size, size);
    for (int i = 0; !s && i < count; i++)
        if (got[i] != expected[i])
            s = fl_error(FL_INVALID, "element %d: expected %g, got %g", i, expected[i], got[i]);
    check_count++;
    if (s) fprintf(stderr, "line %d: %s\n", line, fl_status_message(s)), check_failures++;
    fl_status_free(s);
    fl_program_destroy(p);
}
#define GIVES(text, type, size, ...)                                                                         \
    gives(__LINE__, text, type, size, (float[]){__VA_ARGS__}, sizeof((float[]){__VA_ARGS__}) / sizeof(float))

static void refused(const char *text, const char *part)
{
    fl_program *p;
    fl_status s = refined(text, &p);
    CHECK(s && !p && strstr(fl_status_message(s), part));
    if (!strstr(fl_status_message(s), part)) fprintf(stderr, "%s: got: %s\n", part, fl_status_message(s));
    fl_status_free(s);
    fl_program_destroy(p);
}

#define ZERO "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
#define IDX  "  %i = stablehlo.constant dense<0> : tensor<i32>\n"

static void shapes(void)
{
    GIVES(BODY X " {\n  %0 = stablehlo.add %x, %x : " X "\n  return %0 : " X "\n}\n", "tensor<4x3xf32>", 2, 2,
          4, 6, 8, 10, 12);
    GIVES(BODY "tensor<i32> {\n  %0 = stablehlo.get_dimension_size %x, dim = 0 : (" X ") -> tensor<i32>\n"
               "  return %0 : tensor<i32>\n}\n",
          "tensor<i32>", -1, 2.8e-45f /* the bits of 2 */);
    GIVES(BODY
          "tensor<3x?xf32, #stablehlo.bounds<?, 4>> {\n  %0 = stablehlo.transpose %x, dims = [1, 0] : (" X
          ") -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>\n  return %0 : tensor<3x?xf32, #stablehlo.bounds<?, "
          "4>>\n}\n",
          "tensor<3x4xf32>", 2, 1, 4);
    GIVES(
        BODY
        "tensor<?xf32, #stablehlo.bounds<12>> {\n  %0 = stablehlo.reshape %x : (" X
        ") -> tensor<?xf32, #stablehlo.bounds<12>>\n  return %0 : tensor<?xf32, #stablehlo.bounds<12>>\n}\n",
        "tensor<12xf32>", 6, 1, 2, 3, 4, 5, 6);
    /* rows 1 2 3 / 4 5 6, twice: the second pair lies where the first one ends */
    GIVES(BODY
          "tensor<?x3xf32, #stablehlo.bounds<8, ?>> {\n  %0 = stablehlo.concatenate %x, %x, dim = 0 : (" X
          ", " X ") -> tensor<?x3xf32, #stablehlo.bounds<8, ?>>\n  return %0 : tensor<?x3xf32, "
          "#stablehlo.bounds<8, ?>>\n}\n",
          "tensor<8x3xf32>", 4, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6);
    /* the last row there is, whatever is asked for */
    GIVES(BODY "tensor<1x3xf32> {\n" IDX "  %j = stablehlo.constant dense<3> : tensor<i32>\n"
               "  %0 = stablehlo.dynamic_slice %x, %j, %i, sizes = [1, 3] : (" X
               ", tensor<i32>, tensor<i32>) -> tensor<1x3xf32>\n"
               "  return %0 : tensor<1x3xf32>\n}\n",
          "tensor<1x3xf32>", -1, 4, 5, 6);
}

static void reversed(void)
{
#define REVERSE(dims)                                                                                        \
    BODY X " {\n  %0 = stablehlo.reverse %x, dims = " dims " : " X "\n  return %0 : " X "\n}\n"
    GIVES(REVERSE("[0]"), "tensor<4x3xf32>", 2, 4, 5, 6, 1, 2, 3);
    GIVES(REVERSE("[1]"), "tensor<4x3xf32>", 2, 3, 2, 1, 6, 5, 4);
    GIVES(REVERSE("[1, 0]"), "tensor<4x3xf32>", 2, 6, 5, 4, 3, 2, 1);
}

/* What lies behind the elements comes behind them, whatever the order. */
static void sorted(void)
{
#define SORT(direction, dim, result)                                                                         \
    BODY X " {\n  %i = stablehlo.negate %x : " X "\n  %0:2 = \"stablehlo.sort\"(%x, %i)"                     \
           " ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):\n"              \
           "    %1 = stablehlo.compare " direction ", %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"   \
           "    stablehlo.return %1 : tensor<i1>\n  }) {dimension = " dim " : i64, is_stable = true} : "     \
           "(" X ", " X ") -> (" X ", " X ")\n  return %0#" result " : " X "\n}\n"
    GIVES(SORT("GT", "0", "0"), "tensor<4x3xf32>", 2, 4, 5, 6, 1, 2, 3);
    GIVES(SORT("LT", "0", "0"), "tensor<4x3xf32>", 2, 1, 2, 3, 4, 5, 6);
    GIVES(SORT("GT", "0", "1"), "tensor<4x3xf32>", 2, -4, -5, -6, -1, -2, -3);
    GIVES(SORT("GT", "1", "0"), "tensor<4x3xf32>", 2, 3, 2, 1, 6, 5, 4);
}

static void sums(void)
{
    GIVES(BODY "tensor<3xf32> {\n" ZERO
               "  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = "
               "[0] : (" X ", tensor<f32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n",
          "tensor<3xf32>", -1, 5, 7, 9);
    GIVES(BODY "tensor<?xf32, #stablehlo.bounds<4>> {\n" ZERO
               "  %0 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [1] : (" X
               ", tensor<f32>) -> tensor<?xf32, #stablehlo.bounds<4>>\n  return %0 : tensor<?xf32, "
               "#stablehlo.bounds<4>>\n}\n",
          "tensor<4xf32>", 2, 3, 6);
    GIVES(BODY "tensor<3x3xf32> {\n  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (" X
               ", " X ") -> tensor<3x3xf32>\n  return %0 : tensor<3x3xf32>\n}\n",
          "tensor<3x3xf32>", -1, 17, 22, 27, 22, 29, 36, 27, 36, 45);
    GIVES(BODY "tensor<f32> {\n" ZERO "  %n = stablehlo.constant dense<1> : tensor<i32>\n"
               "  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (" X ", tensor<i32>) -> " X "\n"
               "  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [0, 1] : (" X
               ", tensor<f32>) -> tensor<f32>\n  return %1 : tensor<f32>\n}\n",
          "tensor<f32>", -1, 6);
}

#define LOOP(next, limit)                                                                                    \
    BODY X " {\n" IDX "  %n = stablehlo.constant dense<" limit "> : tensor<i32>\n"                           \
           "  %one = stablehlo.constant dense<1> : tensor<i32>\n"                                            \
           "  %0:2 = stablehlo.while(%c = %i, %v = %x) : tensor<i32>, " X "\n  cond {\n"                     \
           "    %1 = stablehlo.compare LT, %c, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"              \
           "    stablehlo.return %1 : tensor<i1>\n  } do {\n"                                                \
           "    %2 = stablehlo.add %c, %one : tensor<i32>\n" next                                            \
           "    stablehlo.return %2, %3 : tensor<i32>, " X "\n  }\n  return %0#1 : " X "\n}\n"

static void control(void)
{
    GIVES(LOOP("    %3 = stablehlo.add %v, %x : " X "\n", "2"), "tensor<4x3xf32>", 2, 3, 6, 9, 12, 15, 18);
    refused(
        LOOP("    %3 = stablehlo.set_dimension_size %v, %c, dim = 0 : (" X ", tensor<i32>) -> " X "\n", "2"),
        "sizes that change in a loop");
}

static void errors(void)
{
    refused(BODY X
            " {\n" ZERO
            "  %0 = \"stablehlo.reduce_window\"(%x, %z) ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
            "    %1 = stablehlo.add %a, %b : tensor<f32>\n    stablehlo.return %1 : tensor<f32>\n  }) "
            "{window_dimensions = array<i64: 2, 1>, padding = dense<[[1, 0], [0, 0]]> : tensor<2x2xi64>} : "
            "(" X ", tensor<f32>) -> " X "\n  return %0 : " X "\n}\n",
            "across dimension 0");
    refused(
        BODY
        "tensor<3x?xf32, #stablehlo.bounds<?, 4>> {\n  %0 = stablehlo.reshape %x : (" X
        ") -> tensor<3x?xf32, #stablehlo.bounds<?, 4>>\n  return %0 : tensor<3x?xf32, #stablehlo.bounds<?, "
        "4>>\n}\n",
        "across dimension 0");
    refused(BODY X " {\n  %n = stablehlo.constant dense<5> : tensor<i32>\n"
                   "  %0 = stablehlo.set_dimension_size %x, %n, dim = 0 : (" X ", tensor<i32>) -> " X
                   "\n  return %0 : " X "\n}\n",
            "within [0, 4]");
    refused(BODY X " {\n  %0 = stablehlo.custom_call @nope(%x) : (" X ") -> " X "\n  return %0 : " X "\n}\n",
            "bounded size");
}

int main(void)
{
    shapes();
    reversed();
    sorted();
    sums();
    control();
    errors();
    return check_result();
}
