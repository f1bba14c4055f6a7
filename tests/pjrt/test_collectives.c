/* Every collective, in every mode of groups and every type, on up to 8 devices, against the reference interpreter's grid. */
#include "grid.h"

#include <stdlib.h>

#define REGION(op, T)                                                                                        \
    "({\n  ^bb0(%p: tensor<" T ">, %q: tensor<" T ">):\n    %s = stablehlo." op " %p, %q : tensor<" T        \
    ">\n    stablehlo.return %s : tensor<" T ">\n  })"

static size_t bytes_of(const fl_type *type)
{
    return fl_reference_bytes(type);
}

/* Runs it on devices and on the grid; all results must be the same bits. */
static void compare(PJRT_Client *client, const char *text, int replicas, int partitions)
{
    fl_program *program = NULL;
    PJRT_LoadedExecutable *loaded;
    grid_run run = {.count = replicas * partitions};
    void *inputs[GRID_DEVICES * GRID_VALUES], *outputs[GRID_DEVICES * GRID_VALUES];
    CHECK_OK(fl_parse_text(text, strlen(text), &program));
    if (!program) {
        fprintf(stderr, "%s\n", text);
        return;
    }
    const fl_block *main = program->main;
    uint32_t n = main->arg_count, m = main->result_count;
    run.inputs = n;
    run.outputs = m;
    CHECK_INT(grid_compile(client, text, replicas, partitions, NULL, &loaded), PJRT_Error_Code_OK);
    for (int i = 0; i < run.count; i++)
        for (uint32_t k = 0; k < n; k++) {
            const fl_type *type = fl_type_of(program, main->first_arg + k);
            void *data = inputs[(uint32_t)i * n + k] = calloc(bytes_of(type) + 16, 1);
            grid_fill((fl_dtype)type->dtype, data, fl_type_elements(type), (unsigned)(i * 3) + k);
            run.in[i][k] = put_on(client, device_numbered(client, i), fl_plugin_type((fl_dtype)type->dtype),
                                  data, type->dims, type->rank);
        }
    for (int i = 0; i < run.count; i++)
        for (uint32_t k = 0; k < m; k++)
            outputs[(uint32_t)i * m + k] = calloc(bytes_of(fl_type_of(program, main->results[k])) + 16, 1);
    CHECK_OK(grid_reference(text, program, replicas, partitions, (const void *const *)inputs, outputs));
    CHECK_INT(grid_execute(loaded, &run), PJRT_Error_Code_OK);
    for (int i = 0; i < run.count; i++) {
        CHECK_INT(wait_for(run.done[i]), PJRT_Error_Code_OK);
        for (uint32_t k = 0; k < m; k++) {
            size_t bytes = bytes_of(fl_type_of(program, main->results[k]));
            char *got = calloc(bytes + 16, 1);
            CHECK_INT(get(run.out[i][k], got, bytes), PJRT_Error_Code_OK);
            int same = !memcmp(got, outputs[(uint32_t)i * m + k], bytes);
            CHECK(same);
            if (!same)
                fprintf(stderr, "device %d, result %u of %d x %d:\n%s\n", i, k, replicas, partitions, text);
            free(got);
        }
    }
    grid_drop(&run, 1);
    unload(loaded);
    for (uint32_t i = 0; i < (uint32_t)run.count * n; i++) free(inputs[i]);
    for (uint32_t i = 0; i < (uint32_t)run.count * m; i++) free(outputs[i]);
    fl_program_destroy(program);
}

/* ---- all_reduce ---- */

static void all_reduce(PJRT_Client *client, const char *op, const char *type, int n, const char *groups,
                       int replicas, int partitions)
{
    char text[2048];
    snprintf(
        text, sizeof text,
        "func.func @main(%%x: tensor<%dx%s>) -> tensor<%dx%s> {\n"
        "  %%0 = \"stablehlo.all_reduce\"(%%x) ({\n  ^bb0(%%p: tensor<%s>, %%q: tensor<%s>):\n"
        "    %%s = stablehlo.%s %%p, %%q : tensor<%s>\n    stablehlo.return %%s : tensor<%s>\n  }) {%s} : "
        "(tensor<%dx%s>) -> tensor<%dx%s>\n  return %%0 : tensor<%dx%s>\n}\n",
        n, type, n, type, type, type, op, type, type, groups, n, type, n, type, n, type);
    compare(client, text, replicas, partitions);
}

#define ALL8    "replica_groups = dense<[[0, 1, 2, 3, 4, 5, 6, 7]]> : tensor<1x8xi64>"
#define CHANNEL ", channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>"
#define GLOBAL  CHANNEL ", use_global_device_ids"

static void test_types(PJRT_Client *client)
{
    static const char *const types[] = {"f32", "f64", "bf16", "f16",  "i8",   "i16",      "i32",
                                        "i64", "ui8", "ui16", "ui32", "ui64", "f8E4M3FN", "f8E5M2"};
    static const char *const ops[] = {"add", "multiply", "maximum", "minimum"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        for (size_t k = 0; k < 4; k++) {
            all_reduce(client, ops[k], types[t], 5, ALL8, 8, 1);
            if (t < 12) all_reduce(client, ops[k], types[t], 20003, ALL8, 8, 1);
        }
    for (int k = 0; k < 2; k++) {
        const char *op = k ? "and" : "or";
        all_reduce(client, op, "i1", 7, ALL8, 8, 1);
        all_reduce(client, op, "i1", 70001, ALL8, 8, 1);
        all_reduce(client, op, "i32", 20003, ALL8, 8, 1);
        all_reduce(client, op, "ui8", 3, ALL8, 8, 1);
        all_reduce(client, "add", k ? "complex<f32>" : "complex<f64>", 5003, ALL8, 8, 1);
        all_reduce(client, "multiply", k ? "complex<f32>" : "complex<f64>", 5, ALL8, 8, 1);
    }
    all_reduce(client, "add", "f32", 0, ALL8, 8, 1);
}

static void test_groups(PJRT_Client *client)
{
    static const struct {
        const char *groups;
        int replicas, partitions;
    } cases[] = {
        {"replica_groups = dense<[[0, 2, 4, 6], [7, 5, 3, 1]]> : tensor<2x4xi64>", 8, 1},
        {"replica_groups = dense<> : tensor<0x0xi64>", 3, 2},
        {"replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", 2, 4},
        {"replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>" CHANNEL, 2, 4},
        {"replica_groups = dense<[[1, 0]]> : tensor<1x2xi64>" CHANNEL, 2, 3},
        {"replica_groups = dense<[[0, 3], [2, 1]]> : tensor<2x2xi64>" GLOBAL, 2, 2},
        {"replica_groups = dense<[[0, 3, 5, 6], [4, 1, 2, 7]]> : tensor<2x4xi64>" GLOBAL, 1, 8},
        {"replica_groups = dense<[[0, 3, 5], [4, 1, -1], [2, 7, 6]]> : tensor<3x3xi64>" GLOBAL, 4, 2},
        {"replica_groups = dense<0> : tensor<1x1xi64>", 1, 1},
        {"replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>", 2, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        all_reduce(client, "add", "f32", 6, cases[i].groups, cases[i].replicas, cases[i].partitions);
        all_reduce(client, "maximum", "i32", 30011, cases[i].groups, cases[i].replicas, cases[i].partitions);
    }
}

/* ---- the others ---- */

static void test_others(PJRT_Client *client)
{
    static const struct {
        int replicas, partitions;
        const char *text;
    } cases[] = {
        /* variadic, and a region that is no single operation and depends on the order */
        {4, 1,
         "func.func @main(%x: tensor<3xi32>, %y: tensor<2x5000xi32>) -> (tensor<3xi32>, tensor<2x5000xi32>) "
         "{\n"
         "  %0:2 = \"stablehlo.all_reduce\"(%x, %y) ({\n  ^bb0(%p: tensor<i32>, %q: tensor<i32>):\n"
         "    %d = stablehlo.add %p, %p : tensor<i32>\n    %s = stablehlo.add %d, %q : tensor<i32>\n"
         "    stablehlo.return %s : tensor<i32>\n  }) {replica_groups = dense<[[2, 0, 3, 1]]> : "
         "tensor<1x4xi64>} : "
         "(tensor<3xi32>, tensor<2x5000xi32>) -> (tensor<3xi32>, tensor<2x5000xi32>)\n"
         "  return %0#0, %0#1 : tensor<3xi32>, tensor<2x5000xi32>\n}\n"},
        {4, 2,
         "func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xi8>) -> (tensor<8x3xf32>, tensor<2x12xi8>) {\n"
         "  %0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[3, 1, 0, "
         "2]]> : "
         "tensor<1x4xi64>} : (tensor<2x3xf32>) -> tensor<8x3xf32>\n"
         "  %1 = \"stablehlo.all_gather\"(%y) {all_gather_dim = 1 : i64, replica_groups = dense<[[0, 2, 4, "
         "6], [1, 3, "
         "5, 7]]> : tensor<2x4xi64>" GLOBAL "} : (tensor<2x3xi8>) -> tensor<2x12xi8>\n"
         "  return %0, %1 : tensor<8x3xf32>, tensor<2x12xi8>\n}\n"},
        {1, 8,
         "func.func @main(%x: tensor<20x300xbf16>) -> tensor<20x2400xbf16> {\n"
         "  %0 = \"stablehlo.all_gather\"(%x) {all_gather_dim = 1 : i64, " ALL8 GLOBAL
         "} : (tensor<20x300xbf16>) -> tensor<20x2400xbf16>\n  return %0 : tensor<20x2400xbf16>\n}\n"},
        {8, 1,
         "func.func @main(%x: tensor<16x500xf32>) -> tensor<2x500xf32> {\n"
         "  %0 = \"stablehlo.reduce_scatter\"(%x) " REGION(
             "add",
             "f32") " {scatter_dimension = 0 : i64, " ALL8
                    "} : (tensor<16x500xf32>) -> tensor<2x500xf32>\n  return %0 : tensor<2x500xf32>\n}\n"},
        {2, 4,
         "func.func @main(%x: tensor<3x8xf16>) -> tensor<3x2xf16> {\n"
         "  %0 = \"stablehlo.reduce_scatter\"(%x) " REGION(
             "minimum",
             "f16") " {scatter_dimension = 1 : i64, "
                    "replica_groups = dense<[[0, 1, 2, 3], [7, 6, 5, 4]]> : tensor<2x4xi64>" GLOBAL
                    "} : (tensor<3x8xf16>) -> tensor<3x2xf16>\n  return %0 : tensor<3x2xf16>\n}\n"},
        {4, 1,
         "func.func @main(%x: tensor<8x3xi32>, %y: tensor<4x400xf64>) -> (tensor<2x12xi32>, "
         "tensor<16x100xf64>) {\n"
         "  %0 = \"stablehlo.all_to_all\"(%x) {split_dimension = 0 : i64, concat_dimension = 1 : i64, "
         "split_count = 4 "
         ": i64, replica_groups = dense<[[1, 0, 3, 2]]> : tensor<1x4xi64>} : (tensor<8x3xi32>) -> "
         "tensor<2x12xi32>\n"
         "  %1 = \"stablehlo.all_to_all\"(%y) {split_dimension = 1 : i64, concat_dimension = 0 : i64, "
         "split_count = 4 "
         ": i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>} : (tensor<4x400xf64>) -> "
         "tensor<16x100xf64>\n  return %0, %1 : tensor<2x12xi32>, tensor<16x100xf64>\n}\n"},
        {2, 4,
         "func.func @main(%x: tensor<4x2xi16>) -> tensor<4x2xi16> {\n"
         "  %0 = \"stablehlo.all_to_all\"(%x) {split_dimension = 0 : i64, concat_dimension = 0 : i64, "
         "split_count = 2 "
         ": i64, replica_groups = dense<[[0, 2], [1, 3]]> : tensor<2x2xi64>" CHANNEL
         "} : (tensor<4x2xi16>) -> tensor<4x2xi16>\n  return %0 : tensor<4x2xi16>\n}\n"},
        {1, 8,
         "func.func @main(%x: tensor<3000xf32>) -> tensor<3000xf32> {\n"
         "  %0 = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 1], [1, 2], [2, 0], "
         "[3, 5], "
         "[7, 7]]> : tensor<5x2xi64>" CHANNEL "} : (tensor<3000xf32>) -> tensor<3000xf32>\n"
         "  return %0 : tensor<3000xf32>\n}\n"},
        {4, 2,
         "func.func @main(%x: tensor<3xi64>) -> tensor<3xi64> {\n"
         "  %0 = \"stablehlo.collective_permute\"(%x) {source_target_pairs = dense<[[0, 3], [3, 2]]> : "
         "tensor<2x2xi64>} : (tensor<3xi64>) -> tensor<3xi64>\n  return %0 : tensor<3xi64>\n}\n"},
        {4, 1,
         "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
         "  %0 = \"stablehlo.collective_broadcast\"(%x) {replica_groups = dense<[[2, 0, 1]]> : "
         "tensor<1x3xi64>} : "
         "(tensor<3xf32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n"},
        {1, 4,
         "func.func @main(%x: tensor<9000xf64>) -> tensor<9000xf64> {\n"
         "  %0 = \"stablehlo.collective_broadcast\"(%x) {replica_groups = dense<[[3, 0], [1, 2]]> : "
         "tensor<2x2xi64>" CHANNEL
         "} : (tensor<9000xf64>) -> tensor<9000xf64>\n  return %0 : tensor<9000xf64>\n}\n"},
        {3, 1,
         "func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {\n"
         "  %r = stablehlo.constant dense<2> : tensor<1xi32>\n"
         "  %0 = \"stablehlo.collective_reduce\"(%x, %r) " REGION(
             "add", "i32") " {replica_groups = dense<[[1, 0, 2]]> : tensor<1x3xi64>, has_dynamic_root} : "
                           "(tensor<3xi32>, tensor<1xi32>) "
                           "-> tensor<3xi32>\n  return %0 : tensor<3xi32>\n}\n"},
        {4, 1,
         "func.func @main(%x: tensor<20000xf32>) -> tensor<20000xf32> {\n"
         "  %0 = \"stablehlo.collective_reduce\"(%x) " REGION(
             "add", "f32") " {replica_groups = dense<[[1, 0], [3, 2]]> : tensor<2x2xi64>} : "
                           "(tensor<20000xf32>) -> tensor<20000xf32>\n"
                           "  return %0 : tensor<20000xf32>\n}\n"},
        {2, 4,
         "func.func @main(%x: tensor<3xf32>) -> (tensor<ui32>, tensor<ui32>, tensor<3xf32>) {\n"
         "  %0 = stablehlo.partition_id : tensor<ui32>\n  %1 = stablehlo.replica_id : tensor<ui32>\n"
         "  %2 = \"stablehlo.cross-replica-sum\"(%x) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : "
         "(tensor<3xf32>) -> tensor<3xf32>\n"
         "  return %0, %1, %2 : tensor<ui32>, tensor<ui32>, tensor<3xf32>\n}\n"},
        /* slices of sizes that are data: two rows to replica 0, one to replica 1 */
        {2, 1,
         "func.func @main(%x: tensor<3x5xbf16>, %o: tensor<4x5xbf16>) -> tensor<4x5xbf16> {\n"
         "  %r = stablehlo.replica_id : tensor<ui32>\n  %i = stablehlo.convert %r : (tensor<ui32>) -> "
         "tensor<i32>\n"
         "  %b = stablehlo.broadcast_in_dim %i, dims = [] : (tensor<i32>) -> tensor<2xi32>\n"
         "  %f = stablehlo.constant dense<[1, 0]> : tensor<2xi32>\n"
         "  %s = stablehlo.constant dense<[2, 1]> : tensor<2xi32>\n  %t = stablehlo.multiply %b, %s : "
         "tensor<2xi32>\n"
         "  %0 = stablehlo.custom_call @ragged_all_to_all(%x, %o, %f, %s, %t, %s) {api_version = 4 : i32, "
         "backend_config = {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}} : (tensor<3x5xbf16>, "
         "tensor<4x5xbf16>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x5xbf16>\n"
         "  return %0 : tensor<4x5xbf16>\n}\n"},
        /* operands that are views, results that are read again */
        {4, 1,
         "func.func @main(%x: tensor<6x4xf32>) -> (tensor<4x6xf32>, tensor<f32>) {\n"
         "  %t = stablehlo.transpose %x, dims = [1, 0] : (tensor<6x4xf32>) -> tensor<4x6xf32>\n"
         "  %0 = \"stablehlo.all_reduce\"(%t) " REGION(
             "add", "f32") " {replica_groups = dense<[[0, 1, 2, 3]]> : "
                           "tensor<1x4xi64>} : (tensor<4x6xf32>) -> tensor<4x6xf32>\n"
                           "  %1 = stablehlo.add %0, %t : tensor<4x6xf32>\n  %z = stablehlo.constant "
                           "dense<0.0> : tensor<f32>\n"
                           "  %2 = stablehlo.reduce(%1 init: %z) applies stablehlo.add across dimensions = "
                           "[0, 1] : (tensor<4x6xf32>, "
                           "tensor<f32>) -> tensor<f32>\n"
                           "  %3 = \"stablehlo.all_reduce\"(%2) " REGION(
                               "maximum", "f32") " {replica_groups = dense<[[0, 1], [2, 3]]> "
                                                 ": tensor<2x2xi64>} : (tensor<f32>) -> tensor<f32>\n  "
                                                 "return %1, %3 : tensor<4x6xf32>, tensor<f32>\n}\n"},
        /* in a loop, whose number of steps differs between groups, and after it */
        {1, 8,
         "func.func @main(%x: tensor<5xi32>) -> (tensor<5xi32>, tensor<5xi32>) {\n"
         "  %zero = stablehlo.constant dense<0> : tensor<i32>\n  %one = stablehlo.constant dense<1> : "
         "tensor<i32>\n"
         "  %id = stablehlo.partition_id : tensor<ui32>\n  %four = stablehlo.constant dense<4> : "
         "tensor<ui32>\n"
         "  %g = stablehlo.divide %id, %four : tensor<ui32>\n  %h = stablehlo.convert %g : (tensor<ui32>) -> "
         "tensor<i32>\n"
         "  %k = stablehlo.constant dense<3> : tensor<i32>\n  %n = stablehlo.add %h, %k : tensor<i32>\n"
         "  %0:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<5xi32>\n  cond {\n"
         "    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n"
         "    stablehlo.return %c : tensor<i1>\n  } do {\n"
         "    %s = \"stablehlo.all_reduce\"(%v) " REGION(
             "add", "i32") " {replica_groups = dense<[[0, 1, 2, 3], [4, 5, "
                           "6, 7]]> : tensor<2x4xi64>" GLOBAL "} : (tensor<5xi32>) -> tensor<5xi32>\n"
                           "    %u = \"stablehlo.collective_permute\"(%s) {source_target_pairs = dense<[[0, "
                           "1], [1, 2], [2, 3], [3, 0]]> "
                           ": tensor<4x2xi64>" CHANNEL "} : (tensor<5xi32>) -> tensor<5xi32>\n"
                           "    %w = stablehlo.add %u, %x : tensor<5xi32>\n"
                           "    %j = stablehlo.add %i, %one : tensor<i32>\n    stablehlo.return %j, %w : "
                           "tensor<i32>, tensor<5xi32>\n  }\n"
                           "  %1 = \"stablehlo.all_reduce\"(%0#1) " REGION(
                               "add", "i32") " {" ALL8 GLOBAL
                                             "} : (tensor<5xi32>) -> tensor<5xi32>\n  return %0#1, %1 : "
                                             "tensor<5xi32>, tensor<5xi32>\n}\n"},
        /* only some of the devices take the branch, and are a group */
        {4, 1,
         "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n"
         "  %r = stablehlo.replica_id : tensor<ui32>\n  %two = stablehlo.constant dense<2> : tensor<ui32>\n"
         "  %c = stablehlo.compare LT, %r, %two : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
         "  %0 = \"stablehlo.if\"(%c) ({\n"
         "    %1 = \"stablehlo.all_reduce\"(%x) " REGION(
             "add", "i32") " {replica_groups = dense<[[0, 1], [2, 3]]> : "
                           "tensor<2x2xi64>} : (tensor<i32>) -> tensor<i32>\n    stablehlo.return %1 : "
                           "tensor<i32>\n  }, {\n"
                           "    stablehlo.return %x : tensor<i32>\n  }) : (tensor<i1>) -> tensor<i32>\n  "
                           "return %0 : tensor<i32>\n}\n"},
        /* asynchronous: no device's plan has futures, the interpreter runs it */
        {2, 1,
         "func.func @main(%x: tensor<2xi32>) -> tensor<4xi32> {\n"
         "  %0 = \"stablehlo.async_start\"(%x) ({\n  ^bb0(%a: tensor<2xi32>):\n"
         "    %1 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, replica_groups = dense<[[1, 0]]> "
         ": "
         "tensor<1x2xi64>} : (tensor<2xi32>) -> tensor<4xi32>\n    stablehlo.return %1 : tensor<4xi32>\n"
         "  }) : (tensor<2xi32>) -> !stablehlo.future<tensor<4xi32>>\n"
         "  %2 = \"stablehlo.async_done\"(%0) : (!stablehlo.future<tensor<4xi32>>) -> tensor<4xi32>\n"
         "  return %2 : tensor<4xi32>\n}\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        compare(client, cases[i].text, cases[i].replicas, cases[i].partitions);
}

/* ---- the order of sums ---- */

/* ((x0 + x1) + x2) + .. in the order of the group, each step rounded to f32, and the same bits everywhere. */
static void test_order(PJRT_Client *client)
{
    enum { N = 9001 };
    static const int order[8] = {5, 2, 7, 0, 1, 6, 3, 4};
    static float x[8][N], expected[N], got[N];
    const int64_t dims[] = {N};
    PJRT_LoadedExecutable *loaded;
    grid_run run = {.count = 8, .inputs = 1, .outputs = 1};
    CHECK_INT(
        grid_compile(
            client,
            "func.func @main(%x: tensor<9001xf32>) -> tensor<9001xf32> {\n"
            "  %0 = \"stablehlo.all_reduce\"(%x) " REGION(
                "add", "f32") " {replica_groups = dense<[[5, 2, 7, 0, 1, 6, 3, 4]]> : tensor<1x8xi64>} : "
                              "(tensor<9001xf32>) -> tensor<9001xf32>\n  return %0 : tensor<9001xf32>\n}\n",
            8, 1, NULL, &loaded),
        PJRT_Error_Code_OK);
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < N; k++)
            x[i][k] = (float)((k * 7919 + i * 104729) % 10007) * (i % 2 ? 1e-4f : -3.3f);
        run.in[i][0] = put_on(client, device_numbered(client, i), PJRT_Buffer_Type_F32, x[i], dims, 1);
    }
    for (int k = 0; k < N; k++) {
        expected[k] = x[order[0]][k];
        for (int i = 1; i < 8; i++) expected[k] += x[order[i]][k];
    }
    CHECK_INT(grid_execute(loaded, &run), PJRT_Error_Code_OK);
    for (int i = 0; i < 8; i++) {
        CHECK_INT(wait_for(run.done[i]), PJRT_Error_Code_OK);
        CHECK_INT(get(run.out[i][0], got, sizeof got), PJRT_Error_Code_OK);
        CHECK(!memcmp(got, expected, sizeof got));
    }
    grid_drop(&run, 1);
    unload(loaded);
}

int main(void)
{
    api = fl_plugin_api();
    setenv("FL_DEVICES", "8", 1);
    PJRT_Client *client = open_client();
    test_types(client);
    test_groups(client);
    test_others(client);
    test_order(client);
    close_client(client);
    return check_result();
}
