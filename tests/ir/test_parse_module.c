/* What stands around operations: modules, functions, names, aliases, locations, types, attributes, resources. */
#include "ir/text_case.h"
#include "ir/build.h"

static void modules(void)
{
    const char *bare =
        "func.func public @main(%a: tensor<2xf32>) -> tensor<2xf32> {\n  return %a : tensor<2xf32>\n}";
    SAME_TEXT(bare,
              "module {\n func.func public @main(%x: tensor<2xf32>) -> (tensor<2xf32>) {\n  func.return %x : "
              "tensor<2xf32>\n }\n}\n");
    SAME_TEXT(bare, "\"builtin.module\"() ({\n \"func.func\"() <{function_type = (tensor<2xf32>) -> "
                    "tensor<2xf32>, sym_name = "
                    "\"main\", sym_visibility = \"public\"}> ({\n ^bb0(%arg0: tensor<2xf32>):\n  "
                    "\"func.return\"(%arg0) : "
                    "(tensor<2xf32>) -> ()\n }) : () -> ()\n}) : () -> ()");
    SAME_TEXT(bare, "\"builtin.module\"() ({\n^bb0:\n \"func.func\"() ({\n ^bb0(%arg0: tensor<2xf32>):\n  "
                    "\"func.return\"(%arg0)"
                    " : (tensor<2xf32>) -> ()\n }) {function_type = (tensor<2xf32>) -> tensor<2xf32>, "
                    "sym_name = \"main\", "
                    "sym_visibility = \"public\"} : () -> ()\n}) : () -> ()");
    fl_program *p = parsed(
        __LINE__,
        "module @jit_f attributes {jax.uses_shape_polymorphism = false, mhlo.num_partitions = 2 : i32} {\n"
        "  sdy.mesh @mesh = <[\"x\"=2]> loc(\"here\")\n"
        "  func.func private @\"a b\"(tensor<f32> {mhlo.sharding = \"{replicated}\"}, tensor<i32>) -> "
        "(tensor<f32> {jax.result_info = \"r\"})\n"
        "  func.func @entry(%arg0: tensor<f32> {tf.aliasing_output = 0 : i32} loc(\"x\")) -> tensor<f32> "
        "attributes {mark} {\n    return {note} %arg0 : tensor<f32> loc(#loc)\n  } loc(unknown)\n"
        "}\n#loc = loc(\"f.py\":1:2)\n");
    if (!p) return;
    CHECK_STRING(p->module_name, "jit_f");
    const fl_literal *partitions = fl_literal_get(p->module_attrs, "mhlo.num_partitions");
    CHECK(partitions && partitions->kind == FL_LIT_INT && partitions->dtype == FL_I32 &&
          partitions->u.i == 2);
    CHECK(p->module_ops && p->module_ops->count == 1);
    if (p->module_ops) CHECK_STRING(p->module_ops->u.items[0].u.string, "sdy.mesh @mesh = <[\"x\"=2]>");
    CHECK_INT(p->func_count, 2);
    CHECK_STRING(p->name, "entry");
    const fl_func *f = fl_program_func(p, "a b"), *g = fl_program_func(p, "entry");
    CHECK(f && f->is_declaration && f->visibility == FL_PRIVATE && f->body->arg_count == 2);
    if (f && f->arg_attrs)
        CHECK_STRING(fl_literal_get(&f->arg_attrs->u.items[0], "mhlo.sharding")->u.string, "{replicated}");
    if (f) CHECK(f->arg_attrs && f->arg_attrs->count == 2 && f->result_attrs && f->result_attrs->count == 1);
    CHECK(g && g->visibility == FL_VISIBILITY_NONE && fl_literal_get(g->attrs, "mark") && !g->result_attrs);
    fl_program_destroy(p);
}

static void names(void)
{
    SAME_TEXT("func.func @f(%a: tensor<f32>) -> tensor<f32> {\n %0:2 = stablehlo.optimization_barrier %a, %a "
              ": tensor<f32>, "
              "tensor<f32>\n %1 = stablehlo.add %0#1, %0#0 : tensor<f32>\n return %1 : tensor<f32>\n}",
              "func.func @f(%a: tensor<f32>) -> tensor<f32> {\n %p, %q = stablehlo.optimization_barrier %a, "
              "%a : tensor<f32>, "
              "tensor<f32>\n %1 = stablehlo.add %q, %p : tensor<f32>\n return %1 : tensor<f32>\n}");
    SAME_TEXT("func.func @f(%a: tensor<f32>) {\n %x:2, %y = stablehlo.optimization_barrier %a, %a, %a : "
              "tensor<f32>, "
              "tensor<f32>, tensor<f32>\n %1 = stablehlo.add %x#1, %y : tensor<f32>\n return\n}",
              "func.func @f(%a: tensor<f32>) {\n %x:3 = stablehlo.optimization_barrier %a, %a, %a : "
              "tensor<f32>, tensor<f32>, "
              "tensor<f32>\n %1 = stablehlo.add %x#1, %x#2 : tensor<f32>\n return\n}");
    /* sibling regions and other functions may use a name again; regions see the values around them */
    fl_program *p = parsed(
        __LINE__, "func.func @f(%p: tensor<i1>, %a: tensor<f32>) {\n %0 = \"stablehlo.if\"(%p) ({\n  %1 = "
                  "stablehlo.negate %a : tensor<f32>\n  stablehlo.return %1 : tensor<f32>\n }, {\n  %1 = "
                  "stablehlo.sqrt %a : tensor<f32>\n  stablehlo.return %1 : tensor<f32>\n }) : (tensor<i1>) "
                  "-> tensor<f32>\n %1 = stablehlo.abs %0 : tensor<f32>\n return\n}\nfunc.func @g(%a: "
                  "tensor<f32>) {\n %0 = stablehlo.abs %a : tensor<f32>\n return\n}");
    if (p) {
        const fl_op *op = p->funcs[0]->body->ops[0];
        CHECK_INT(op->region_count, 2);
        CHECK_INT(op->regions[1]->ops[0]->code, FL_OP_sqrt);
        CHECK_INT(op->regions[1]->ops[0]->operands[0], fl_block_arg(p->funcs[0]->body, 1));
    }
    fl_program_destroy(p);
    /* many names, so that the table grows */
    fl_text text = {0};
    fl_text_printf(&text, "func.func @f(%%v0: tensor<f32>) -> tensor<f32> {\n");
    for (int i = 0; i < 5000; i++)
        fl_text_printf(&text, "%%v%d = stablehlo.abs %%v%d : tensor<f32>\n", i + 1, i);
    fl_text_printf(&text, "return %%v5000 : tensor<f32>\n}\n");
    p = parsed(__LINE__, text.data);
    if (p) CHECK_INT(p->main->op_count, 5000);
    if (p) CHECK_INT(p->main->ops[4999]->operands[0], p->main->ops[4998]->first_result);
    fl_program_destroy(p);
    fl_text_free(&text);
}

static void aliases(void)
{
    SAME_TEXT("#map = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = "
              "[0], index_vector_dim = "
              "1>\n!t = tensor<5x3xf32>\n#d = dense<[[0], [1]]> : tensor<2x1xi32>\n#list = array<i64: 1, 3>\n"
              "func.func @f(%a: !t) {\n%i = stablehlo.constant #d\n%0 = \"stablehlo.gather\"(%a, %i) "
              "<{dimension_numbers = #map, "
              "slice_sizes = #list}> : (!t, tensor<2x1xi32>) -> tensor<2x3xf32>\nreturn\n}",
              "func.func @f(%a: tensor<5x3xf32>) {\n%i = stablehlo.constant dense<[[0], [1]]> : "
              "tensor<2x1xi32>\n%0 = "
              "\"stablehlo.gather\"(%a, %i) {dimension_numbers = #stablehlo.gather<index_vector_dim = 1, "
              "offset_dims = [1], "
              "collapsed_slice_dims = [0], start_index_map = [0]>, slice_sizes = array<i64: 1, 3>} : "
              "(tensor<5x3xf32>, "
              "tensor<2x1xi32>) -> tensor<2x3xf32>\nreturn\n}");
    SAME_TEXT("#high = #stablehlo<precision HIGH>\n#mesh = #stablehlo.mesh<axes = [#stablehlo.mesh_axis<name "
              "= \"x\", size = "
              "2>]>\nfunc.func @f(%a: tensor<2x2xf32>) {\n%0 = \"stablehlo.dot\"(%a, %a) {precision_config = "
              "[#high, #high]} : "
              "(tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>\nreturn\n}",
              "func.func @f(%a: tensor<2x2xf32>) {\n%0 = stablehlo.dot %a, %a, precision = [HIGH, HIGH] : "
              "(tensor<2x2xf32>, "
              "tensor<2x2xf32>) -> tensor<2x2xf32>\nreturn\n}");
    SAME_TEXT("!q = !quant.uniform<i8:f32, 2.0:3>\nfunc.func private @f(tensor<2x!q>)",
              "func.func private @f(tensor<2x!quant.uniform<i8<-128:127>:f32, 2.000000e+00:3>>)");
}

static void locations(void)
{
    SAME_TEXT(
        "#loc1 = loc(\"a>)\\\"\":1:2)\nfunc.func @f(%p: tensor<i1>, %a: tensor<f32> loc(\"x\"(#loc1))) {\n%0 "
        "= stablehlo.abs "
        "%a : tensor<f32> loc(callsite(\"g\"(\"f.py\":3:4 to :5) at fused<\"m\">[#loc1, unknown]))\n%1 = "
        "\"stablehlo.if\"(%p) ({\n^bb0:\nstablehlo.return %a : tensor<f32> loc(#loc2)\n}, "
        "{\nstablehlo.return %a : "
        "tensor<f32>\n}) : (tensor<i1>) -> tensor<f32> loc(#loc1)\nreturn loc(\"r\")\n} loc(#loc1)\n#loc2 = "
        "loc(#loc1)",
        "func.func @f(%p: tensor<i1>, %a: tensor<f32>) {\n%0 = stablehlo.abs %a : tensor<f32>\n%1 = "
        "\"stablehlo.if\"(%p) "
        "({\nstablehlo.return %a : tensor<f32>\n}, {\nstablehlo.return %a : tensor<f32>\n}) : (tensor<i1>) "
        "-> "
        "tensor<f32>\nreturn\n}");
    /* as deep as calls go */
    fl_text text = {0};
    fl_text_printf(&text, "func.func private @f() loc(");
    for (int i = 0; i < 1000; i++) fl_text_printf(&text, "callsite(\"f\" at ");
    fl_text_printf(&text, "unknown");
    for (int i = 0; i < 1000; i++) fl_text_printf(&text, ")");
    fl_text_printf(&text, ")");
    fl_program_destroy(parsed(__LINE__, text.data));
    fl_text_free(&text);
}

static const fl_type *arg_type(fl_program *p, uint32_t i)
{
    return fl_type_of(p, fl_block_arg(p->funcs[0]->body, i));
}

static void types(void)
{
    fl_program *p = parsed(
        __LINE__, "func.func private @f(tensor<f8E4M3B11FNUZ>, tensor<2x?x0xcomplex<f64>>, tensor<*xui4>, "
                  "tensor<?x4xf32, "
                  "#stablehlo.bounds<8, ?>>, tensor<?xf32, #stablehlo.type_extensions<bounds = [3]>>, "
                  "tensor<2xf32, \"row\">, "
                  "tuple<tensor<i1>, tuple<>, !stablehlo.token>, !stablehlo.future<tensor<f32>, "
                  "tensor<2xi2>>, memref<2xbf16>, "
                  "tensor<2x3x!quant.uniform<u8<0:254>:bf16:1, {1.5:7, 2.0, 0.5:254}>>, tensor<2xindex>)");
    if (!p) return;
    char text[200];
    static const char *const expected[] = {"tensor<f8E4M3B11FNUZ>", "tensor<2x?x0xcomplex<f64>>",
                                           "tensor<*xui4>"};
    for (uint32_t i = 0; i < 3; i++)
        CHECK_STRING(fl_type_text(arg_type(p, i), text, sizeof text), expected[i]);
    CHECK(arg_type(p, 3)->more && arg_type(p, 3)->more->bounds[0] == 8 &&
          arg_type(p, 3)->more->bounds[1] == FL_DYNAMIC);
    CHECK(arg_type(p, 4)->more && arg_type(p, 4)->more->bounds[0] == 3);
    CHECK_STRING(arg_type(p, 5)->more ? arg_type(p, 5)->more->encoding : NULL, "\"row\"");
    const fl_type *tuple = arg_type(p, 6), *future = arg_type(p, 7);
    CHECK(tuple->kind == FL_TYPE_TUPLE && tuple->more->count == 3 &&
          tuple->more->members[1].kind == FL_TYPE_TUPLE && tuple->more->members[1].more->count == 0 &&
          tuple->more->members[2].kind == FL_TYPE_TOKEN);
    CHECK(future->kind == FL_TYPE_FUTURE && future->more->count == 2 &&
          future->more->members[1].dtype == FL_I2);
    CHECK(arg_type(p, 8)->kind == FL_TYPE_BUFFER && arg_type(p, 8)->dtype == FL_BF16);
    const fl_quant *q = fl_type_quant(arg_type(p, 9));
    CHECK(q && arg_type(p, 9)->dtype == FL_U8 && q->storage == FL_U8 && q->expressed == FL_BF16 &&
          q->axis == 1 && q->min == 0 && q->max == 254 && q->count == 3);
    if (q)
        CHECK(q->scales[0] == 1.5 && q->zero_points[0] == 7 && q->zero_points[1] == 0 &&
              q->zero_points[2] == 254);
    CHECK_INT(arg_type(p, 10)->dtype, FL_IDX);
    fl_program_destroy(p);
}

/* Attributes that nobody here knows. */
static void literals(void)
{
    fl_program *p;
    p = parsed(__LINE__, "#other = {z = 1, y = \"2\"}\nfunc.func private @f() attributes {a = unit, b = "
                         "true, c = -5 : i8, d = "
                         "18446744073709551615 : ui64, e = 1.5 : f16, f = \"x\\0A\\\"\\\\\\n\\00z\", g = "
                         "@sym, h = tensor<2xf32>, i = [1, "
                         "[2.0], {}], j = array<i32: -1, 2>, k = array<i1: true, false>, l = dense<[1, 2]> : "
                         "tensor<2xi16>, m = "
                         "#sdy.sharding<@mesh, [{\"a\", ?}, {}], x={\">\"}>, n = #other, o = @a::@\"b\", p = "
                         "array<f32: 1.0, 2.0>, q = (f32, "
                         "i1) -> (), r = 0x7FC00000 : f32, s, \"t.u\" = none, v = loc(\"x\")}");
    if (!p) return;
    const fl_literal *d = p->funcs[0]->attrs, *l;
    CHECK_INT(d->count, 21);
#define GET(name, what)                                                                                      \
    l = fl_literal_get(d, name);                                                                             \
    CHECK(l && l->kind == FL_LIT_##what);                                                                    \
    if (l)
    GET("a", UNIT) CHECK(1);
    GET("b", BOOL) CHECK_INT(l->u.i, 1);
    GET("c", INT) CHECK(l->u.i == -5 && l->dtype == FL_I8);
    GET("d", INT) CHECK((uint64_t)l->u.i == UINT64_MAX && l->dtype == FL_U64);
    GET("e", FLOAT) CHECK(l->u.f == 1.5 && l->dtype == FL_F16);
    GET("f", STRING) CHECK(l->count == 7 && !memcmp(l->u.string, "x\n\"\\\n\0z", 8));
    GET("g", SYMBOL) CHECK_STRING(l->u.string, "sym");
    GET("h", TYPE) CHECK(l->type->rank == 1 && l->type->dims[0] == 2);
    GET("i", ARRAY)
    CHECK(l->count == 3 && l->u.items[0].dtype == FL_I64 && l->u.items[1].u.items[0].dtype == FL_F64 &&
          l->u.items[2].kind == FL_LIT_DICT && l->u.items[2].count == 0);
    GET("j", INTS) CHECK(l->count == 2 && l->dtype == FL_I32 && l->u.ints[0] == -1 && l->u.ints[1] == 2);
    GET("k", INTS) CHECK(l->count == 2 && l->dtype == FL_I1 && l->u.ints[0] == 1 && l->u.ints[1] == 0);
    GET("l", DENSE) CHECK(l->count == 4 && !memcmp(l->u.data, (int16_t[]){1, 2}, 4));
    GET("m", OPAQUE) CHECK_STRING(l->u.string, "#sdy.sharding<@mesh, [{\"a\", ?}, {}], x={\">\"}>");
    GET("n", DICT) CHECK(l->count == 2 && !strcmp(l->u.entries[0].name, "y"));
    GET("o", OPAQUE) CHECK_STRING(l->u.string, "@a::@\"b\"");
    GET("p", OPAQUE) CHECK_STRING(l->u.string, "array<f32: 1.0, 2.0>");
    GET("q", TYPE)
    CHECK(l->type->kind == FL_TYPE_FUNCTION && l->type->more->count == 2 && l->type->more->inputs == 2);
    GET("r", FLOAT) CHECK(l->u.f != l->u.f);
    GET("s", UNIT) CHECK(1);
    GET("t.u", TYPE) CHECK_INT(l->type->kind, FL_TYPE_NONE);
    GET("v", OPAQUE) CHECK_STRING(l->u.string, "loc(\"x\")");
    fl_program_destroy(p);
    p = parsed(__LINE__, "func.func @f(%a: tensor<f32>) {\n%0 = stablehlo.abs %a {sdy.sharding = "
                         "#sdy.sharding_per_value<[<@m, "
                         "[]>]>, k = 3 : i64} : tensor<f32>\nreturn\n}");
    if (p) CHECK(p->main->ops[0]->extra && p->main->ops[0]->extra->count == 2);
    fl_program_destroy(p);
}

static void structures(void)
{
    fl_program *p = parsed(
        __LINE__,
        "func.func private @g(tensor<f32>) -> tensor<f32>\nfunc.func @f(%a: tensor<4xf32>, %t: "
        "!stablehlo.token) {\n"
        "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, channel_handle = "
        "#stablehlo.channel_handle<handle = 5, type "
        "= 1>, replica_groups = dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>, use_global_device_ids} : "
        "(tensor<4xf32>) -> "
        "tensor<8xf32>\n"
        "%1 = \"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, replica_groups = "
        "#stablehlo.replica_group_mesh_axes<mesh = "
        "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>], device_ids = dense<[1, 0]> : "
        "tensor<2xi64>>, axes "
        "= [#stablehlo.axis_ref<name = \"x\", sub_axis_info = (1)2>]>}> : (tensor<4xf32>) -> tensor<8xf32>\n"
        "%2:2 = \"stablehlo.recv\"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 3, type = 3>, "
        "is_host_transfer = true}>"
        " : (!stablehlo.token) -> (tensor<f32>, !stablehlo.token)\nreturn\n}");
    if (!p) return;
    const fl_op *const *ops = (const fl_op *const *)fl_program_func(p, "f")->body->ops;
    const fl_attr *groups = fl_op_attr(ops[0], FL_ATTR_replica_groups);
    CHECK(groups && groups->count == 4 && groups->columns == 2 && groups->u.ints[3] == 3);
    CHECK_INT(fl_op_int(ops[0], FL_ATTR_channel_id, 0), 5);
    CHECK(!fl_op_attr(ops[0], FL_ATTR_channel_type));
    CHECK_INT(fl_op_int(ops[0], FL_ATTR_use_global_device_ids, 0), 1);
    const fl_literal *axes = fl_op_literal(ops[1], FL_ATTR_replica_group_mesh_axes), *axis;
    CHECK(axes && !fl_op_attr(ops[1], FL_ATTR_replica_groups));
    if (axes) {
        axis = &fl_literal_get(axes, "axes")->u.items[0];
        CHECK(fl_literal_get(axis, "pre_size")->u.i == 1 && fl_literal_get(axis, "size")->u.i == 2);
        const fl_literal *ids = fl_literal_get(fl_literal_get(axes, "mesh"), "device_ids");
        CHECK(ids && ids->kind == FL_LIT_INTS && ids->count == 2 && ids->u.ints[0] == 1 &&
              ids->u.ints[1] == 0);
    }
    CHECK_INT(fl_op_int(ops[2], FL_ATTR_channel_type, 0), 3);
    fl_program_destroy(p);
}

static void resources(void)
{
    SAME_TEXT("func.func @f() {\n%0 = stablehlo.constant dense_resource<w> : tensor<2xf32>\n%1 = "
              "stablehlo.constant "
              "dense_resource<\"n 1\"> : tensor<3xi1>\nreturn\n}\n{-#\n  dialect_resources: {\n    builtin: "
              "{\n      w: "
              "\"0x040000000000803F00000040\",\n      \"n 1\": \"0x01000000010001\"\n    }\n  },\n  "
              "external_resources: {\n    x: "
              "{\n y: true\n }\n  }\n#-}\n",
              "func.func @f() {\n%0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n%1 = "
              "stablehlo.constant dense<[true, "
              "false, true]> : tensor<3xi1>\nreturn\n}");
}

int main(void)
{
    modules();
    names();
    aliases();
    locations();
    types();
    literals();
    structures();
    resources();
    return check_result();
}
