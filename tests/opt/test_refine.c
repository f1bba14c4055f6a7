/* Refinement: programs with open dimensions, given shapes, become static ones; expected values by hand. */
#include "check.h"
#include "opt/refined.h"
#include "ir/text/parse.h"
#include "opt/opt.h"
#include "ref/reference.h"

#include <stdlib.h>

static fl_program *parse(const char *text)
{
    fl_program *p = NULL;
    fl_status s = fl_parse_text(text, strlen(text), &p);
    CHECK_STRING(fl_status_message(s), "");
    fl_status_free(s);
    return p;
}

static fl_type f32(int rank, int64_t a, int64_t b)
{
    return fl_type_make(FL_F32, rank, (int64_t[]){a, b});
}

/* Refines and runs `text` on f32 inputs; the first result must have the type and the values given. */
static void gives(int line, const char *text, const fl_refine_arg *args, uint32_t count,
                  const void *const *inputs, const char *type, const double *expected)
{
    fl_program *p = parse(text), *q = NULL;
    if (!p) return;
    fl_status s = fl_program_refine(p, args, count, &q);
    fl_program_destroy(p);
    if (!s) s = fl_program_verify_plain(q);
    if (!s) {
        char got[160];
        const fl_type *t = fl_type_of(q, q->main->results[0]);
        CHECK_STRING(fl_type_text(t, got, sizeof got), type);
        float values[64] = {0};
        void *outputs[] = {values};
        s = fl_reference_run(q, inputs, outputs);
        for (int64_t i = 0; !s && i < fl_type_elements(t); i++)
            if (t->dtype == FL_F32 ? values[i] != (float)expected[i]
                                   : ((int32_t *)values)[i] != (int32_t)expected[i])
                fprintf(stderr, "line %d: element %lld differs\n", line, (long long)i), check_failures++;
    }
    if (s) fprintf(stderr, "line %d: %s\n", line, fl_status_message(s)), check_failures++;
    fl_status_free(s);
    fl_program_destroy(q);
}
#define GIVES(...) gives(__LINE__, __VA_ARGS__)

static void refused(const char *text, const fl_refine_arg *args, uint32_t count, const char *part)
{
    fl_program *p = parse(text), *q = NULL;
    if (!p) return;
    fl_status s = fl_program_refine(p, args, count, &q);
    CHECK(s && strstr(fl_status_message(s), part) && !q);
    if (s && !strstr(fl_status_message(s), part)) fprintf(stderr, "got: %s\n", fl_status_message(s));
    fl_status_free(s);
    fl_program_destroy(q);
    fl_program_destroy(p);
}

/* softmax's first half: the maximum along the last dimension, broadcast back by a computed shape; through a call */
static const char centre[] =
    "func.func public @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
    "  %0 = call @spread(%x) : (tensor<?x?xf32>) -> tensor<?x?xf32>\n"
    "  %1 = stablehlo.subtract %x, %0 : tensor<?x?xf32>\n"
    "  return %1 : tensor<?x?xf32>\n}\n"
    "func.func private @spread(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {\n"
    "  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
    "  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : "
    "(tensor<?x?xf32>, "
    "tensor<f32>) -> tensor<?xf32>\n"
    "  %a = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>\n"
    "  %b = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>\n"
    "  %a1 = stablehlo.reshape %a : (tensor<i32>) -> tensor<1xi32>\n"
    "  %b1 = stablehlo.reshape %b : (tensor<i32>) -> tensor<1xi32>\n"
    "  %s = stablehlo.concatenate %a1, %b1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
    "  %r = stablehlo.dynamic_broadcast_in_dim %m, %s, dims = [0] : (tensor<?xf32>, tensor<2xi32>) -> "
    "tensor<?x?xf32>\n"
    "  return %r : tensor<?x?xf32>\n}\n";

static void shapes(void)
{
    const float x[] = {1, 5, 2, 7, 3, 4};
    const void *inputs[] = {x};
    GIVES(centre, (fl_refine_arg[]){{f32(2, 2, 3), NULL}}, 1, inputs, "tensor<2x3xf32>",
          (double[]){-4, 0, -3, 0, -4, -3});
    GIVES(centre, (fl_refine_arg[]){{f32(2, 6, 1), NULL}}, 1, inputs, "tensor<6x1xf32>",
          (double[]){0, 0, 0, 0, 0, 0});
    GIVES(centre, (fl_refine_arg[]){{f32(2, 0, 3), NULL}}, 1, inputs, "tensor<0x3xf32>", NULL);
    refused(centre, (fl_refine_arg[]){{f32(1, 3, 0), NULL}}, 1,
            "argument 0: expected tensor<?x?xf32>, got tensor<3xf32>");
    refused(centre, NULL, 0, "argument 0: expected sizes that follow from the shapes of the arguments");
    refused(centre, (fl_refine_arg[]){{f32(2, 2, 3), NULL}, {f32(0, 0, 0), NULL}}, 2,
            "expected 1 arguments, got 2");
}

static void dynamic_forms(void)
{
    const float x[] = {1, 2, 3, 4, 5, 6};
    const void *inputs[] = {x};
    const fl_refine_arg six[] = {{f32(1, 6, 0), NULL}};
    GIVES("func.func @main(%x: tensor<?xf32>) -> tensor<?x?xf32> {\n"
          "  %s = stablehlo.constant dense<[2, 3]> : tensor<2xi64>\n"
          "  %i = stablehlo.convert %s : (tensor<2xi64>) -> tensor<2xindex>\n"
          "  %r = stablehlo.dynamic_reshape %x, %i : (tensor<?xf32>, tensor<2xindex>) -> tensor<?x?xf32>\n"
          "  return %r : tensor<?x?xf32>\n}",
          six, 1, inputs, "tensor<2x3xf32>", (double[]){1, 2, 3, 4, 5, 6});
    GIVES("func.func @main(%x: tensor<?xf32>) -> tensor<?xi32> {\n"
          "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
          "  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
          "  %r = stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi32>) -> tensor<?xi32>\n"
          "  return %r : tensor<?xi32>\n}",
          six, 1, inputs, "tensor<6xi32>", (double[]){0, 1, 2, 3, 4, 5});
    GIVES("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
          "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
          "  %limit = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
          "  %one = stablehlo.constant dense<1> : tensor<1xi32>\n"
          "  %two = stablehlo.constant dense<2> : tensor<1xi32>\n"
          "  %r = stablehlo.real_dynamic_slice %x, %one, %limit, %two : (tensor<?xf32>, tensor<1xi32>, "
          "tensor<1xi32>, "
          "tensor<1xi32>) -> tensor<?xf32>\n"
          "  return %r : tensor<?xf32>\n}",
          six, 1, inputs, "tensor<3xf32>", (double[]){2, 4, 6});
    GIVES(
        "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
        "  %v = stablehlo.constant dense<9.0> : tensor<f32>\n"
        "  %one = stablehlo.constant dense<1> : tensor<1xi32>\n"
        "  %two = stablehlo.constant dense<-2> : tensor<1xi32>\n"
        "  %r = stablehlo.dynamic_pad %x, %v, %one, %two, %one : (tensor<?xf32>, tensor<f32>, tensor<1xi32>, "
        "tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>\n"
        "  return %r : tensor<?xf32>\n}",
        six, 1, inputs, "tensor<10xf32>", (double[]){9, 1, 9, 2, 9, 3, 9, 4, 9, 5});
}

/* A loop whose state has an open dimension, a size that comes from an argument's value, a composite, a tuple. */
static void structures(void)
{
    const float x[] = {1, 2, 3};
    const int64_t two = 2, three = 3;
    const void *inputs[] = {x, &two};
    GIVES("func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
          "  %zero = stablehlo.constant dense<0> : tensor<i32>\n"
          "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
          "  %end = stablehlo.constant dense<3> : tensor<i32>\n"
          "  %r:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<?xf32>\n"
          "  cond {\n"
          "    %c = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
          "    stablehlo.return %c : tensor<i1>\n"
          "  } do {\n"
          "    %j = stablehlo.add %i, %one : tensor<i32>\n"
          "    %z = stablehlo.add %y, %y : tensor<?xf32>\n"
          "    stablehlo.return %j, %z : tensor<i32>, tensor<?xf32>\n"
          "  }\n"
          "  return %r#1 : tensor<?xf32>\n}",
          (fl_refine_arg[]){{f32(1, 3, 0), NULL}}, 1, inputs, "tensor<3xf32>", (double[]){8, 16, 24});
    static const char by_value[] = "func.func @main(%x: tensor<f32>, %n: tensor<i64>) -> tensor<?xf32> {\n"
                                   "  %s = stablehlo.reshape %n : (tensor<i64>) -> tensor<1xi64>\n"
                                   "  %r = stablehlo.dynamic_broadcast_in_dim %x, %s, dims = [] : "
                                   "(tensor<f32>, tensor<1xi64>) -> tensor<?xf32>\n"
                                   "  return %r : tensor<?xf32>\n}";
    fl_type n = fl_type_make(FL_I64, 0, NULL);
    GIVES(by_value, (fl_refine_arg[]){{f32(0, 0, 0), NULL}, {n, &two}}, 2, inputs, "tensor<2xf32>",
          (double[]){1, 1});
    refused(by_value, (fl_refine_arg[]){{f32(0, 0, 0), NULL}, {n, NULL}}, 2,
            "stablehlo.dynamic_broadcast_in_dim: expected sizes that follow from the shapes of the "
            "arguments, got "
            "tensor<?xf32>");
    static const char asserted[] =
        "func.func @main(%x: tensor<f32>, %n: tensor<i64>) -> tensor<f32> {\n"
        "  %c = stablehlo.constant dense<2> : tensor<i64>\n"
        "  %ok = stablehlo.compare EQ, %n, %c : (tensor<i64>, tensor<i64>) -> tensor<i1>\n"
        "  stablehlo.custom_call @shape_assertion(%ok, %n) {api_version = 2 : i32, error_message = \"n is "
        "{0}\", "
        "has_side_effect = true} : (tensor<i1>, tensor<i64>) -> ()\n"
        "  return %x : tensor<f32>\n}";
    GIVES(asserted, (fl_refine_arg[]){{f32(0, 0, 0), NULL}, {n, &two}}, 2, inputs, "tensor<f32>",
          (double[]){1});
    refused(asserted, (fl_refine_arg[]){{f32(0, 0, 0), NULL}, {n, &three}}, 2, "n is {0}");
    GIVES(
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %t = stablehlo.tuple %x, %x : tuple<tensor<3xf32>, tensor<3xf32>>\n"
        "  %y = stablehlo.get_tuple_element %t[1] : (tuple<tensor<3xf32>, tensor<3xf32>>) -> tensor<3xf32>\n"
        "  %z = stablehlo.composite \"my.twice\" %y {decomposition = @twice} : (tensor<3xf32>) -> "
        "tensor<3xf32>\n"
        "  return %z : tensor<3xf32>\n}\n"
        "func.func private @twice(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %y = stablehlo.add %x, %x : tensor<3xf32>\n"
        "  return %y : tensor<3xf32>\n}",
        NULL, 0, inputs, "tensor<3xf32>", (double[]){2, 4, 6});
}

/* 2^40 operations once inlined. */
static void explosion(void)
{
    fl_text text = {0};
    fl_text_printf(
        &text, "func.func @main(%%x: tensor<f32>) -> tensor<f32> {\n  %%0 = call @f0(%%x) : (tensor<f32>) -> "
               "tensor<f32>\n  return %%0 : tensor<f32>\n}\n");
    for (int i = 0; i < 40; i++)
        fl_text_printf(
            &text,
            "func.func private @f%d(%%x: tensor<f32>) -> tensor<f32> {\n"
            "  %%0 = call @f%d(%%x) : (tensor<f32>) -> tensor<f32>\n"
            "  %%1 = call @f%d(%%0) : (tensor<f32>) -> tensor<f32>\n  return %%1 : tensor<f32>\n}\n",
            i, i + 1, i + 1);
    fl_text_printf(&text, "func.func private @f40(%%x: tensor<f32>) -> tensor<f32> {\n"
                          "  %%0 = stablehlo.add %%x, %%x : tensor<f32>\n  return %%0 : tensor<f32>\n}\n");
    refused(text.data, NULL, 0, "expected at most 1048576 operations");
    fl_text_free(&text);
}

/* Results whose sizes are the last operands. */
static void sized_custom_call(void)
{
    const void *inputs[] = {(float[]){3, 0, 0, 4}};
    const fl_refine_arg args[] = {{.type = f32(2, 2, 2)}};
    static const char text[] =
        "func.func @main(%x: tensor<?x?xf32>) -> tensor<?xf32> {\n"
        "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>\n"
        "  %s = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
        "  %t = stablehlo.concatenate %s, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
        "  %0:2 = stablehlo.custom_call @Eigh(%x, %t, %s) {indices_of_shape_operands = dense<[1, 2]> : "
        "tensor<2xi64>} : (tensor<?x?xf32>, tensor<2xi32>, tensor<1xi32>) -> (tensor<?x?xf32>, "
        "tensor<?xf32>)\n"
        "  return %0#1 : tensor<?xf32>\n}";
    GIVES(text, args, 1, inputs, "tensor<2xf32>", (double[]){3, 4});
}

static void layout_constraint(void)
{
    const void *inputs[] = {(float[]){1, 2, 3}};
    const fl_refine_arg args[] = {{.type = f32(1, 3, 0)}};
    GIVES(
        "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
        "  %0 = stablehlo.custom_call @LayoutConstraint(%x) {operand_layouts = [dense<0> : tensor<1xindex>], "
        "result_layouts = [dense<0> : tensor<1xindex>]} : (tensor<?xf32>) -> tensor<?xf32>\n"
        "  %1 = stablehlo.add %0, %x : tensor<?xf32>\n  return %1 : tensor<?xf32>\n}",
        args, 1, inputs, "tensor<3xf32>", (double[]){2, 4, 6});
}

/* Memory with any contents is zeros. */
static void allocate_buffer(void)
{
    GIVES("func.func @main() -> tensor<3xf32> {\n"
          "  %0 = stablehlo.custom_call @AllocateBuffer() : () -> tensor<3xf32>\n  return %0 : "
          "tensor<3xf32>\n}",
          NULL, 0, NULL, "tensor<3xf32>", (double[]){0, 0, 0});
}

/* JAX's approximate top k is exact here: by the called function, along the dimension that becomes shorter. */
static void approximate_top_k(void)
{
    const void *inputs[] = {(float[]){5, 1, 9, 3, 2, 8, 7, 4}};
    static const char text[] =
        "func.func private @less(%%a: tensor<f32>, %%b: tensor<f32>, %%i: tensor<i32>, %%j: tensor<i32>) -> "
        "tensor<i1> {\n"
        "  %%0 = stablehlo.compare LT, %%a, %%b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
        "  return %%0 : tensor<i1>\n}\n"
        "func.func @main(%%x: tensor<2x4xf32>) -> (%s) {\n"
        "  %%i = stablehlo.iota dim = %d : tensor<2x4xi32>\n"
        "  %%z = stablehlo.constant dense<0.0> : tensor<f32>\n"
        "  %%n = stablehlo.constant dense<-1> : tensor<i32>\n"
        "  %%0:2 = stablehlo.custom_call @%s(%%x, %%i, %%z, %%n) {called_computations = [@less]%s} : "
        "(tensor<2x4xf32>, tensor<2x4xi32>, tensor<f32>, tensor<i32>) -> (%s)\n"
        "  return %%0#%d : %s\n}\n";
    char made[2000];
#define TOP_K(target, config, dimension, types, result, type, ...)                                           \
    snprintf(made, sizeof made, text, type, dimension, target, config, types, result, type);                 \
    GIVES(made, NULL, 0, inputs, type, (double[]){__VA_ARGS__})
    TOP_K("ApproxTopK", ", mhlo.backend_config = {reduction_dim = 1 : i64}", 1,
          "tensor<2x3xf32>, tensor<2x3xi32>", 0, "tensor<2x3xf32>", 1, 3, 5, 2, 4, 7);
    TOP_K("ApproxTopK", "", 1, "tensor<2x3xf32>, tensor<2x3xi32>", 1, "tensor<2x3xi32>", 1, 3, 0, 0, 3, 2);
    TOP_K("ApproxTopK", ", mhlo.backend_config = {reduction_dim = 0 : i64}", 0,
          "tensor<2x4xf32>, tensor<2x4xi32>", 0, "tensor<2x4xf32>", 2, 1, 7, 3, 5, 8, 9, 4);
    TOP_K("PartialReduce", "", 0, "tensor<1x4xf32>, tensor<1x4xi32>", 1, "tensor<1x4xi32>", 1, 0, 1, 0);
    snprintf(made, sizeof made, text, "tensor<2x5xf32>", 1, "ApproxTopK", "",
             "tensor<2x5xf32>, tensor<2x5xi32>", 0, "tensor<2x5xf32>");
    refused(made, NULL, 0, "shorter in dimension 1");
    snprintf(made, sizeof made, text, "tensor<2x3xi32>", 1, "ApproxTopK", "",
             "tensor<2x3xi32>, tensor<2x3xi32>", 0, "tensor<2x3xi32>");
    refused(made, NULL, 0, "element type");
}

/* A composite of the name of one of CHLO's operations is that operation, unless its types are others. */
static void composite_of_chlo(void)
{
    static const char *const names[] = {"chlo.erf", "chlo.nothing", "other.erf"};
    for (int i = 0; i < 3; i++) {
        char text[600];
        fl_program *p = NULL;
        snprintf(
            text, sizeof text,
            "func.func @main(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %%0 = stablehlo.composite \"%s\" %%x {decomposition = @f} : (tensor<4xf32>) -> tensor<4xf32>\n"
            "  return %%0 : tensor<4xf32>\n}\n"
            "func.func private @f(%%x: tensor<4xf32>) -> tensor<4xf32> {\n"
            "  %%0 = stablehlo.tanh %%x : tensor<4xf32>\n  return %%0 : tensor<4xf32>\n}\n",
            names[i]);
        CHECK_OK(refined(text, &p));
        CHECK_INT(p ? p->main->ops[0]->code : 0, i ? FL_OP_tanh : FL_OP_erf);
        fl_program_destroy(p);
    }
}

int main(void)
{
    composite_of_chlo();
    approximate_top_k();
    sized_custom_call();
    layout_constraint();
    allocate_buffer();
    shapes();
    dynamic_forms();
    structures();
    explosion();
    return check_result();
}
