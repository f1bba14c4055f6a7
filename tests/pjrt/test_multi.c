/* Executions on several devices: what the plugin says of them, order, donation, and failures that must not leave anybody waiting. */
#include "grid.h"

#include <pthread.h>
#include <stdlib.h>

#define REDUCE(name, from, type, groups, more)                                                               \
    "  %" name " = \"stablehlo.all_reduce\"(%" from ") ({\n  ^bb0(%p" name ": tensor<f32>, %q" name          \
    ": tensor<f32>):\n    %s" name " = stablehlo.add %p" name ", %q" name                                    \
    " : tensor<f32>\n    stablehlo.return %s" name " : tensor<f32>\n  }) {replica_groups = dense<" groups    \
    ">" more "} : (tensor<" type ">) -> tensor<" type ">\n"
#define CHANNEL(n) ", channel_handle = #stablehlo.channel_handle<handle = " #n ", type = 1>"

static const int64_t three[] = {3};

static void put_all(PJRT_Client *client, grid_run *run, const int *devices)
{
    for (int i = 0; i < run->count; i++)
        for (size_t k = 0; k < run->inputs; k++) {
            float x[3] = {(float)(i + 1), (float)(10 * i), (float)k};
            PJRT_Device *d = device_numbered(client, devices ? devices[i] : i);
            run->in[i][k] = put_on(client, d, PJRT_Buffer_Type_F32, x, three, 1);
        }
}

static PJRT_LoadedExecutable *compile_grid(PJRT_Client *client, const char *text, int replicas,
                                           int partitions, const int *devices)
{
    PJRT_LoadedExecutable *loaded;
    CHECK_INT(grid_compile(client, text, replicas, partitions, devices, &loaded), PJRT_Error_Code_OK);
    if (said[0]) fprintf(stderr, "%s\n", said);
    return loaded;
}

#define SUM4                                                                                                 \
    "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" REDUCE(                                        \
        "0", "x", "3xf32", "[[0, 1, 2, 3]]> : tensor<1x4xi64", "") "  return %0 : tensor<3xf32>\n}\n"

/* ---- what is told ---- */

static void test_assignment(PJRT_Client *client)
{
    static const int devices[] = {6, 1, 3, 0, 7, 2}; /* 2 replicas of 3 partitions */
    PJRT_LoadedExecutable *l = compile_grid(
        client,
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" REDUCE(
            "0", "x", "3xf32", "[[0, 1]]> : tensor<1x2xi64", "") "  return %0 : tensor<3xf32>\n}\n",
        2, 3, devices);
    OK(all, PJRT_LoadedExecutable_AddressableDevices, .executable = l);
    OK(ids, PJRT_LoadedExecutable_AddressableDeviceLogicalIds, .executable = l);
    OK(of, PJRT_LoadedExecutable_GetExecutable, .loaded_executable = l);
    OK(replicas, PJRT_Executable_NumReplicas, .executable = of.executable);
    OK(partitions, PJRT_Executable_NumPartitions, .executable = of.executable);
    CHECK_INT(replicas.num_replicas, 2);
    CHECK_INT(partitions.num_partitions, 3);
    CHECK_INT(all.num_addressable_devices, 6);
    CHECK_INT(ids.num_addressable_device_logical_ids, 6);
    for (int i = 0; i < 6; i++) {
        CHECK(all.addressable_devices[i] == device_numbered(client, devices[i]));
        CHECK_INT(ids.addressable_device_logical_ids[i].replica, i / 3);
        CHECK_INT(ids.addressable_device_logical_ids[i].partition, i % 3);
    }
    static const char message[] = {0x08, 2,    0x10, 3, 0x1A, 4,    0x0A, 2,    6, 0, 0x1A,
                                   4,    0x0A, 2,    1, 7,    0x1A, 4,    0x0A, 2, 3, 2};
    OK(assignment, PJRT_LoadedExecutable_GetDeviceAssignment, .executable = l);
    CHECK_INT(assignment.serialized_bytes_size, sizeof message);
    CHECK(!memcmp(assignment.serialized_bytes, message, sizeof message));
    assignment.serialized_device_assignment_deleter(assignment.serialized_device_assignment);
    grid_run run = {.count = 6, .inputs = 1, .outputs = 1};
    put_all(client, &run, devices);
    CHECK_INT(grid_execute(l, &run), PJRT_Error_Code_OK);
    for (int i = 0; i < 6; i++) {
        float got[3];
        OK(place, PJRT_Buffer_Device, .buffer = run.out[i][0]);
        CHECK(place.device == device_numbered(client, devices[i]));
        CHECK_INT(wait_for(run.done[i]), PJRT_Error_Code_OK);
        CHECK_INT(get(run.out[i][0], got, sizeof got), PJRT_Error_Code_OK);
        CHECK(got[0] == (float)(i % 3 + 1) + (float)(i % 3 + 4));
    }
    grid_drop(&run, 1);
    OK(drop, PJRT_Executable_Destroy, .executable = of.executable);
    unload(l);
}

static void test_refused(PJRT_Client *client)
{
    static const int twice[] = {1, 1}, beyond[] = {0, 8};
    PJRT_LoadedExecutable *l;
    CHECK_INT(grid_compile(client, SUM4, 9, 1, NULL, &l), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(grid_compile(client, SUM4, 3, 3, NULL, &l), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(grid_compile(client, SUM4, 100, 100, NULL, &l), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK_INT(grid_compile(client, SUM4, 2, 1, twice, &l), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK(strstr(said, "twice") != NULL);
    CHECK_INT(grid_compile(client, SUM4, 2, 1, beyond, &l), PJRT_Error_Code_INVALID_ARGUMENT);
    l = compile_grid(client, SUM4, 4, 1, NULL);
    grid_run run = {.count = 4, .inputs = 1, .outputs = 1};
    put_all(client, &run, NULL);
    grid_run wrong = run;
    wrong.count = 3;
    CHECK_INT(grid_execute(l, &wrong), PJRT_Error_Code_INVALID_ARGUMENT);
    wrong = run;
    wrong.in[2][0] = run.in[3][0]; /* on another device */
    CHECK_INT(grid_execute(l, &wrong), PJRT_Error_Code_INVALID_ARGUMENT);
    CHECK(strstr(said, "device 2: argument 0") != NULL);
    wrong.in[2][0] = NULL;
    CHECK_INT(grid_execute(l, &wrong), PJRT_Error_Code_INVALID_ARGUMENT);
    PJRT_ExecuteOptions options = {.struct_size = PJRT_ExecuteOptions_STRUCT_SIZE};
    PJRT_Buffer *const *lists[] = {run.in[0]}, **results[] = {run.out[0]};
    FAIL(INVALID_ARGUMENT, PJRT_LoadedExecutable_Execute, .executable = l, .options = &options,
         .argument_lists = lists, .num_devices = 1, .num_args = 1, .output_lists = results,
         .execute_device = device_numbered(client, 0));
    CHECK_INT(grid_execute(l, &run), PJRT_Error_Code_OK); /* nothing of it has left traces */
    for (int i = 0; i < 4; i++) CHECK_INT(wait_for(run.done[i]), PJRT_Error_Code_OK);
    grid_drop(&run, 1);
    unload(l);
}

/* ---- donation ---- */

static void test_donation(PJRT_Client *client)
{
    PJRT_LoadedExecutable *l = compile_grid(
        client,
        "func.func @main(%x: tensor<3xf32> {tf.aliasing_output = 0 : i32}, %y: tensor<3xf32>) -> "
        "tensor<3xf32> {\n" REDUCE(
            "0", "x", "3xf32", "[[0, 1, 2, 3]]> : tensor<1x4xi64",
            "") "  %1 = stablehlo.add %0, %y : tensor<3xf32>\n  return %1 : tensor<3xf32>\n}\n",
        4, 1, NULL);
    grid_run run = {.count = 4, .inputs = 2, .outputs = 1};
    put_all(client, &run, NULL);
    grid_run wrong = run;
    wrong.in[3][1] = wrong.in[3][0];
    CHECK_INT(grid_execute(l, &wrong), PJRT_Error_Code_INVALID_ARGUMENT); /* donated and read */
    for (int i = 0; i < 4; i++) {
        OK(deleted, PJRT_Buffer_IsDeleted, .buffer = run.in[i][0]);
        CHECK(!deleted.is_deleted); /* on no device, though only one refused */
    }
    CHECK_INT(grid_execute(l, &run), PJRT_Error_Code_OK);
    for (int i = 0; i < 4; i++) {
        float got[3];
        CHECK_INT(wait_for(run.done[i]), PJRT_Error_Code_OK);
        OK(deleted, PJRT_Buffer_IsDeleted, .buffer = run.in[i][0]);
        CHECK(deleted.is_deleted);
        CHECK_INT(get(run.out[i][0], got, sizeof got), PJRT_Error_Code_OK);
        CHECK(got[0] == 10 + (float)(i + 1) && got[1] == 60 + (float)(10 * i) && got[2] == 1);
    }
    grid_drop(&run, 1);
    unload(l);
}

/* ---- failures ---- */

/* Every device's event must end: those of the set `failing` with an error; others may have been done before it. */
static void expect_failure(PJRT_Client *client, const char *text, int replicas, int partitions,
                           unsigned failing, const char *words)
{
    PJRT_LoadedExecutable *l = compile_grid(client, text, replicas, partitions, NULL);
    if (!l) return;
    for (int again = 0; again < 3; again++) {
        grid_run run = {.count = replicas * partitions, .inputs = 1, .outputs = 1};
        put_all(client, &run, NULL);
        CHECK_INT(grid_execute(l, &run), PJRT_Error_Code_OK);
        for (int i = 0; i < run.count; i++) {
            PJRT_Error_Code code = wait_for(run.done[i]);
            float got[3];
            if (failing >> i & 1) {
                CHECK(code != PJRT_Error_Code_OK && strstr(said, words));
                if (!strstr(said, words)) fprintf(stderr, "device %d: %s\n", i, said);
            }
            CHECK_INT(get(run.out[i][0], got, sizeof got), code);
        }
        grid_drop(&run, 1);
    }
    unload(l);
}

static void test_failures(PJRT_Client *client)
{
    /* one device fails; the others wait for it in a collective */
    expect_failure(
        client,
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %r = stablehlo.replica_id : tensor<ui32>\n  %two = stablehlo.constant dense<2> : tensor<ui32>\n"
        "  %c = stablehlo.compare EQ, %r, %two : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
        "  %y = \"stablehlo.if\"(%c) ({\n    %n = stablehlo.negate %x : tensor<3xf32>\n"
        "    stablehlo.custom_call @check.expect_eq(%x, %n) {has_side_effect = true} : (tensor<3xf32>, "
        "tensor<3xf32>) -> ()\n    stablehlo.return %n : tensor<3xf32>\n  }, {\n"
        "    stablehlo.return %x : tensor<3xf32>\n  }) : (tensor<i1>) -> tensor<3xf32>\n" REDUCE(
            "0", "y", "3xf32", "[[0, 1, 2, 3]]> : tensor<1x4xi64", "") "  return %0 : tensor<3xf32>\n}\n",
        4, 1, 15, "");
    /* one ends without coming */
    expect_failure(client,
                   "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                   "  %r = stablehlo.replica_id : tensor<ui32>\n  %two = stablehlo.constant dense<2> : "
                   "tensor<ui32>\n"
                   "  %c = stablehlo.compare EQ, %r, %two : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
                   "  %y = \"stablehlo.if\"(%c) ({\n    stablehlo.return %x : tensor<3xf32>\n  }, {\n" REDUCE(
                       "0", "x", "3xf32", "[[0, 2], [1, 3]]> : tensor<2x2xi64",
                       "") "    stablehlo.return %0 : tensor<3xf32>\n  }) : (tensor<i1>) -> "
                           "tensor<3xf32>\n" REDUCE("1", "y", "3xf32", "[[0, 1, 2, 3]]> : tensor<1x4xi64",
                                                    "") "  return %1 : tensor<3xf32>\n}\n",
                   4, 1, 15, "wait for each other");
    expect_failure(
        client,
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %r = stablehlo.partition_id : tensor<ui32>\n  %two = stablehlo.constant dense<2> : tensor<ui32>\n"
        "  %c = stablehlo.compare EQ, %r, %two : (tensor<ui32>, tensor<ui32>) -> tensor<i1>\n"
        "  %y = \"stablehlo.if\"(%c) ({\n    stablehlo.return %x : tensor<3xf32>\n  }, {\n" REDUCE(
            "0", "x", "3xf32", "[[0]]> : tensor<1x1xi64",
            CHANNEL(1)) "    stablehlo.return %0 : tensor<3xf32>\n  }) : (tensor<i1>) -> tensor<3xf32>\n"
                        "  return %y : tensor<3xf32>\n}\n",
        1, 4, 1 | 2 | 8, "has ended and will not come");
    /* two groups of channels in opposite orders */
    expect_failure(
        client,
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
        "  %r = stablehlo.partition_id : tensor<ui32>\n  %i = stablehlo.convert %r : (tensor<ui32>) -> "
        "tensor<i1>\n  %y = \"stablehlo.if\"(%i) ({\n" REDUCE("0", "x", "3xf32", "[[0]]> : tensor<1x1xi64",
                                                              CHANNEL(1))
            REDUCE(
                "1", "0", "3xf32", "[[0]]> : tensor<1x1xi64",
                CHANNEL(
                    2)) "    stablehlo.return %1 : tensor<3xf32>\n  }, {\n" REDUCE("2", "x", "3xf32",
                                                                                   "[[0]]> : tensor<1x1xi64",
                                                                                   CHANNEL(2))
                REDUCE("3", "2", "3xf32", "[[0]]> : tensor<1x1xi64",
                       CHANNEL(1)) "    stablehlo.return %3 : tensor<3xf32>\n  }) : (tensor<i1>) -> "
                                   "tensor<3xf32>\n  return %y : tensor<3xf32>\n}\n",
        1, 2, 3, "wait for each other");
    /* groups that do not fit the grid */
    expect_failure(
        client,
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" REDUCE(
            "0", "x", "3xf32", "[[0, 1, 2, 3]]> : tensor<1x4xi64", "") "  return %0 : tensor<3xf32>\n}\n",
        3, 1, 7, "replica_groups of ids below 3");
    expect_failure(
        client,
        "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" REDUCE(
            "0", "x", "3xf32", "[[0, 1]]> : tensor<1x2xi64", "") "  return %0 : tensor<3xf32>\n}\n",
        3, 1, 4, "in a group of replica_groups");
}

/* An argument that never becomes ready: its error is that of all. */
static void test_failed_argument(PJRT_Client *client)
{
    PJRT_LoadedExecutable *l = compile_grid(client, SUM4, 4, 1, NULL);
    grid_run run = {.count = 4, .inputs = 1, .outputs = 1};
    put_all(client, &run, NULL);
    static const char words[] = "lost on the way";
    OK(memory, PJRT_Device_DefaultMemory, .device = device_numbered(client, 1));
    drop(run.in[1][0]);
    OK(broken, PJRT_Client_CreateErrorBuffer, .client = client, .error_code = PJRT_Error_Code_DATA_LOSS,
       .error_message = words, .error_message_size = sizeof words - 1, .shape_dims = three,
       .shape_num_dims = 1, .shape_element_type = PJRT_Buffer_Type_F32, .memory = memory.memory);
    run.in[1][0] = broken.buffer;
    CHECK_INT(grid_execute(l, &run), PJRT_Error_Code_OK);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(wait_for(run.done[i]), PJRT_Error_Code_DATA_LOSS);
        CHECK(strstr(said, words) != NULL);
    }
    grid_drop(&run, 1);
    unload(l);
}

/* ---- order ---- */

enum { ROUNDS = 40 };

typedef struct launcher {
    PJRT_Client *client;
    PJRT_LoadedExecutable *loaded;
    const int *devices;
    int count;
} launcher;

static void *launch_often(void *argument)
{
    const launcher *a = argument;
    grid_run run = {.count = a->count, .inputs = 1, .outputs = 1};
    put_all(a->client, &run, a->devices);
    for (int round = 0; round < ROUNDS; round++) {
        grid_run next = run;
        CHECK_INT(grid_execute(a->loaded, &run), PJRT_Error_Code_OK);
        for (int i = 0; i < a->count; i++) {
            next.in[i][0] = run.out[i][0];
            if (round % 8 == 7)
                CHECK_INT(wait_for(run.done[i]), PJRT_Error_Code_OK);
            else {
                OK(destroy, PJRT_Event_Destroy, .event = run.done[i]);
            }
            drop(run.in[i][0]);
        }
        run = next;
    }
    for (int i = 0; i < a->count; i++) {
        float got[3];
        CHECK_INT(get(run.in[i][0], got, sizeof got), PJRT_Error_Code_OK);
        CHECK(got[0] > 0);
    }
    grid_drop(&run, 0);
    return NULL;
}

/* Several threads launch executions on the same devices in different orders, and on single ones. */
static void test_order(PJRT_Client *client)
{
    static const int forward[] = {0, 1, 2, 3}, backward[] = {3, 2, 1, 0}, across[] = {2, 6, 0, 7},
                     one[] = {2};
    static const char *text = "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n" REDUCE(
        "0", "x", "3xf32", "[[0, 1, 2, 3]]> : tensor<1x4xi64",
        "") "  %q = stablehlo.constant dense<0.25> : tensor<3xf32>\n"
            "  %1 = stablehlo.multiply %0, %q : tensor<3xf32>\n  return %1 : tensor<3xf32>\n}\n";
    launcher all[] = {
        {client, compile_grid(client, text, 4, 1, forward), forward, 4},
        {client, compile_grid(client, text, 4, 1, backward), backward, 4},
        {client, compile_grid(client, text, 4, 1, across), across, 4},
        {client,
         compile_grid(client,
                      "func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
                      "  %0 = stablehlo.abs %x : tensor<3xf32>\n  return %0 : tensor<3xf32>\n}\n",
                      1, 1, one),
         one, 1},
    };
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) CHECK(!pthread_create(&threads[i], NULL, launch_often, &all[i]));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < 4; i++) unload(all[i].loaded);
}

/* ---- partitions ---- */

/* One program for both partitions of each of two replicas: a matrix product over a dimension that is cut. */
static void test_partitioned(PJRT_Client *client)
{
    grid_spmd = 1;
    PJRT_LoadedExecutable *l =
        compile_grid(client,
                     "module {\n  sdy.mesh @mesh = <[\"x\"=2]>\n"
                     "  func.func @main(%a: tensor<2x6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, "
                     "{\"x\"}]>}, %b: tensor<6xf32> "
                     "{sdy.sharding = #sdy.sharding<@mesh, [{\"x\"}]>}) -> (tensor<2xf32> {sdy.sharding = "
                     "#sdy.sharding<@mesh, "
                     "[{}]>}, tensor<6xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}]>}) {\n"
                     "    %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : "
                     "(tensor<2x6xf32>, tensor<6xf32>) -> "
                     "tensor<2xf32>\n    return %0, %b : tensor<2xf32>, tensor<6xf32>\n  }\n}\n",
                     2, 2, NULL);
    grid_spmd = 0;
    OK(of, PJRT_LoadedExecutable_GetExecutable, .loaded_executable = l);
    OK(dims, PJRT_Executable_OutputDimensions, .executable = of.executable);
    CHECK_INT(dims.num_outputs, 2);
    CHECK(dims.dims[0] == 2 && dims.dims[1] == 6);
    OK(drop, PJRT_Executable_Destroy, .executable = of.executable);
    static const int64_t matrix[] = {2, 3};
    grid_run run = {.count = 4, .inputs = 2, .outputs = 2};
    float a[4][6], b[4][3], product[2], gathered[6];
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 6; k++) a[i][k] = (float)(i * 10 + k);
        for (int k = 0; k < 3; k++) b[i][k] = (float)(i + k * 2);
        run.in[i][0] = put_on(client, device_numbered(client, i), PJRT_Buffer_Type_F32, a[i], matrix, 2);
        run.in[i][1] = put_on(client, device_numbered(client, i), PJRT_Buffer_Type_F32, b[i], three, 1);
    }
    CHECK_INT(grid_execute(l, &run), PJRT_Error_Code_OK);
    for (int i = 0; i < 4; i++) {
        CHECK_INT(wait_for(run.done[i]), PJRT_Error_Code_OK);
        CHECK_INT(get(run.out[i][0], product, sizeof product), PJRT_Error_Code_OK);
        CHECK_INT(get(run.out[i][1], gathered, sizeof gathered), PJRT_Error_Code_OK);
        for (int row = 0; row < 2; row++) {
            float sum = 0;
            for (int part = i / 2 * 2; part < i / 2 * 2 + 2; part++)
                for (int k = 0; k < 3; k++) sum += a[part][row * 3 + k] * b[part][k];
            CHECK(product[row] == sum);
        }
        CHECK(!memcmp(gathered, b[i / 2 * 2], sizeof b[0]) &&
              !memcmp(gathered + 3, b[i / 2 * 2 + 1], sizeof b[0]));
    }
    grid_drop(&run, 1);
    unload(l);
}

int main(void)
{
    api = fl_plugin_api();
    setenv("FL_DEVICES", "8", 1);
    PJRT_Client *client = open_client();
    test_assignment(client);
    test_refused(client);
    test_donation(client);
    test_failures(client);
    test_failed_argument(client);
    test_order(client);
    test_partitioned(client);
    close_client(client);
    return check_result();
}
