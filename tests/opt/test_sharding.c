/* Shardings read into axes of one mesh: which share of a value each partition has, as JAX's NamedSharding.devices_indices_map
 * says for 8 devices; and what does not fit. */
#include "check.h"
#include "ir/text/parse.h"
#include "opt/opt.h"
#include "opt/sharding.h"

#include <stdlib.h>

enum { PARTITIONS = 8 };

typedef struct share_case {
    const char *mesh, *dims, *gspmd, *type;
    int rank;
    int64_t share[3];
    int64_t offsets[3 * PARTITIONS]; /* of each device's share */
} share_case;

/* clang-format off */
static const share_case cases[] = {
    {"<[\"a\"=2, \"b\"=4]>", "[{\"a\"}, {\"b\"}]", "{devices=[2,4]<=[8]}", "tensor<8x8xf32>", 2, {4, 2}, {0, 0, 0, 2, 0, 4, 0, 6, 4, 0, 4, 2, 4, 4, 4, 6}},
    {"<[\"a\"=2, \"b\"=4]>", "[{\"b\"}, {\"a\"}]", "{devices=[4,2]<=[2,4]T(1,0)}", "tensor<8x8xf32>", 2, {2, 4}, {0, 0, 2, 0, 4, 0, 6, 0, 0, 4, 2, 4, 4, 4, 6, 4}},
    {"<[\"a\"=2, \"b\"=4]>", "[{\"b\"}, {}]", "{devices=[4,1,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "tensor<8x6xf32>", 2, {2, 6}, {0, 0, 2, 0, 4, 0, 6, 0, 0, 0, 2, 0, 4, 0, 6, 0}},
    {"<[\"a\"=2, \"b\"=4]>", "[{\"a\", \"b\"}, {}]", "{devices=[8,1]<=[8]}", "tensor<16x3xf32>", 2, {2, 3}, {0, 0, 2, 0, 4, 0, 6, 0, 8, 0, 10, 0, 12, 0, 14, 0}},
    {"<[\"a\"=2, \"b\"=4]>", "[{\"b\", \"a\"}, {}]", "{devices=[8,1]<=[2,4]T(1,0)}", "tensor<16x3xf32>", 2, {2, 3}, {0, 0, 4, 0, 8, 0, 12, 0, 2, 0, 6, 0, 10, 0, 14, 0}},
    {"<[\"a\"=2, \"b\"=4]>", "[{}, {}]", "{replicated}", "tensor<4x4xf32>", 2, {4, 4}, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
    {"<[\"a\"=2, \"b\"=4]>", "[{}, {\"a\"}, {\"b\"}]", "{devices=[1,2,4]<=[8]}", "tensor<4x2x8xf32>", 3, {4, 1, 2}, {0, 0, 0, 0, 0, 2, 0, 0, 4, 0, 0, 6, 0, 1, 0, 0, 1, 2, 0, 1, 4, 0, 1, 6}},
    {"<[\"x\"=8]>", "[{\"x\"}, {}]", "{devices=[8,1]<=[8]}", "tensor<8x2xf32>", 2, {1, 2}, {0, 0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0}},
    {"<[\"x\"=8]>", "[{}, {\"x\"}]", "{devices=[1,8]<=[8]}", "tensor<3x16xf32>", 2, {3, 2}, {0, 0, 0, 2, 0, 4, 0, 6, 0, 8, 0, 10, 0, 12, 0, 14}},
    {"<[\"p\"=2, \"q\"=2, \"r\"=2]>", "[{\"p\", \"r\"}, {\"q\"}]", "{devices=[4,2]<=[2,2,2]T(0,2,1)}", "tensor<4x4xf32>", 2, {1, 2}, {0, 0, 1, 0, 0, 2, 1, 2, 2, 0, 3, 0, 2, 2, 3, 2}},
    {"<[\"p\"=2, \"q\"=2, \"r\"=2]>", "[{\"q\"}, {\"r\", \"p\"}]", "{devices=[2,4]<=[2,4]T(1,0)}", "tensor<2x8xf32>", 2, {1, 2}, {0, 0, 0, 4, 1, 0, 1, 4, 0, 2, 0, 6, 1, 2, 1, 6}},
    {"<[\"p\"=2, \"q\"=2, \"r\"=2]>", "[{}, {\"r\"}]", "{devices=[1,2,4]<=[4,2]T(1,0) last_tile_dim_replicate}", "tensor<4x6xf32>", 2, {4, 3}, {0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3}},
    {"<[\"a\"=4, \"b\"=2], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>", "[{\"a\"}, {\"b\"}]", "{devices=[4,2]<=[8]}", "tensor<8x8xf32>", 2, {2, 4}, {0, 0, 4, 0, 0, 4, 4, 4, 2, 0, 6, 0, 2, 4, 6, 4}},
    {"<[\"a\"=4, \"b\"=2], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>", "[{\"b\"}, {}]", "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}", "tensor<8x8xf32>", 2, {4, 8}, {0, 0, 0, 0, 4, 0, 4, 0, 0, 0, 0, 0, 4, 0, 4, 0}},
    {"<[\"a\"=4, \"b\"=2], device_ids=[0, 2, 4, 6, 1, 3, 5, 7]>", "[{\"b\", \"a\"}, {}]", "{devices=[8,1]<=[4,2]T(1,0)}", "tensor<8x4xf32>", 2, {1, 4}, {0, 0, 2, 0, 4, 0, 6, 0, 1, 0, 3, 0, 5, 0, 7, 0}},
    {"<[\"a\"=2, \"b\"=4], device_ids=[3, 1, 0, 2, 7, 6, 5, 4]>", "[{\"a\"}, {\"b\"}]", "{devices=[2,4]<=[8]}", "tensor<4x8xf32>", 2, {2, 2}, {0, 4, 0, 2, 0, 6, 0, 0, 2, 6, 2, 4, 2, 2, 2, 0}},
    {"<[\"a\"=2, \"b\"=4], device_ids=[3, 1, 0, 2, 7, 6, 5, 4]>", "[{\"b\"}]", "{devices=[4,2]<=[2,4]T(1,0) last_tile_dim_replicate}", "tensor<8xf32>", 1, {2}, {4, 2, 6, 0, 6, 4, 2, 0}},
    {"<[\"a\"=4, \"b\"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>", "[{\"a\"}, {\"b\"}]", "{devices=[4,2]<=[8]}", "tensor<8x4xf32>", 2, {2, 2}, {6, 2, 6, 0, 4, 2, 4, 0, 2, 2, 2, 0, 0, 2, 0, 0}},
    {"<[\"a\"=4, \"b\"=2], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>", "[{\"a\", \"b\"}]", "{devices=[8]<=[8]}", "tensor<8xf32>", 1, {1}, {7, 6, 5, 4, 3, 2, 1, 0}},
};
/* clang-format on */

static fl_status import(const char *text, int64_t partitions, fl_program **out_program, fl_shardings **out)
{
    *out = NULL;
    CHECK_OK(fl_parse_text(text, strlen(text), out_program));
    return *out_program ? fl_sharding_import(*out_program, partitions, out) : NULL;
}

/* Where the share of a partition begins. */
static void offset_of(const fl_mesh *mesh, const fl_sharding *s, const int64_t *share, int64_t partition,
                      int64_t *out)
{
    int64_t place = 0, at[FL_MOST_AXES];
    while (mesh->partitions && mesh->partitions[place] != partition) place++;
    if (!mesh->partitions) place = partition;
    for (uint32_t a = mesh->axis_count; a-- > 0; place /= mesh->sizes[a]) at[a] = place % mesh->sizes[a];
    for (int d = 0; d < s->rank; d++) {
        int64_t part = 0;
        for (int i = 0; i < s->count[d]; i++) part = part * mesh->sizes[s->axes[d][i]] + at[s->axes[d][i]];
        out[d] = part * share[d];
    }
}

static void check_shares(int line, const share_case *c, const fl_mesh *mesh, const fl_sharding *s,
                         const int64_t *ids)
{
    for (int64_t p = 0; p < PARTITIONS; p++) {
        int64_t got[FL_MAX_RANK];
        offset_of(mesh, s, c->share, p, got);
        for (int d = 0; d < c->rank; d++) {
            int64_t expected = c->offsets[(ids ? ids[p] : p) * c->rank + d];
            check_count++;
            if (got[d] == expected) continue;
            check_failures++;
            fprintf(stderr,
                    "line %d: %s %s %s: partition %lld begins at %lld of dimension %d, expected %lld\n", line,
                    c->mesh, c->dims, c->type, (long long)p, (long long)got[d], d, (long long)expected);
        }
    }
}

static void test_shares(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const share_case *c = &cases[i];
        char text[1000];
        fl_program *p = NULL;
        fl_shardings *s = NULL;
        fl_type share;
        const char *ids_text = strstr(c->mesh, "device_ids=[");
        int64_t ids[PARTITIONS] = {0};
        char *next = ids_text ? (char *)ids_text + strlen("device_ids=[") : NULL;
        for (int k = 0; next && k < PARTITIONS; k++) ids[k] = strtoll(next + (k ? 1 : 0), &next, 10);
        snprintf(text, sizeof text,
                 "sdy.mesh @m = %s\n"
                 "func.func @main(%%a: %s {sdy.sharding = #sdy.sharding<@m, %s>}) -> (%s {sdy.sharding = "
                 "#sdy.sharding<@m, %s>}) {\nreturn %%a : %s\n}\n",
                 c->mesh, c->type, c->dims, c->type, c->dims, c->type);
        CHECK_OK(import(text, PARTITIONS, &p, &s));
        if (s) {
            CHECK(s->values[1].stated && !s->values[1].open);
            check_shares(__LINE__, c, &s->mesh, &s->values[1], NULL);
            check_shares(__LINE__, c, &s->mesh, &s->results[0], NULL);
            CHECK_OK(fl_sharding_shard_type(&s->mesh, &s->values[1], fl_type_of(p, 1), &share));
            for (int d = 0; d < c->rank; d++) CHECK_INT(share.dims[d], c->share[d]);
        }
        fl_shardings_free(s);
        fl_program_destroy(p);
        s = NULL;
        p = NULL;
        /* the devices of GSPMD's tiling are places in the list of devices, not numbers of devices */
        snprintf(text, sizeof text, "func.func @main(%%a: %s {mhlo.sharding = \"%s\"}) {\nreturn\n}\n",
                 c->type, c->gspmd);
        CHECK_OK(import(text, PARTITIONS, &p, &s));
        if (s) check_shares(__LINE__, c, &s->mesh, &s->values[1], ids_text ? ids : NULL);
        fl_shardings_free(s);
        fl_program_destroy(p);
    }
}

/* By hand: 8 = (2, 4) places, "b" = (2)2: parts of axes, tilings and axes together need atoms of size 2. */
static void test_parts(void)
{
    fl_program *p = NULL;
    fl_shardings *s = NULL;
    CHECK_OK(
        import("sdy.mesh @m = <[\"a\"=2, \"b\"=4]>\n"
               "sdy.mesh @empty = <[]>\n"
               "sdy.mesh @one = <[], device_ids=[0]>\n"
               "func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{\"b\":(1)2, ?}p1, "
               "{\"a\", \"b\":(2)2}]>}, %b: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{?}], "
               "replicated={\"a\"}, unreduced={\"b\":(1)2}>}, %c: tensor<f32> {sdy.sharding = "
               "#sdy.sharding<@empty, []>}, %d: tensor<4xf32> {sdy.sharding = #sdy.sharding<@one, [{}]>}, "
               "%e: tensor<16xf32> {sdy.sharding = #sdy.sharding<mesh<[\"x\"=8]>, [{\"x\"}]>}) -> "
               "tensor<6x8xf32> {\n"
               "%0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@m, [{\"a\", \"b\"}, "
               "{}]>]>} dense<0.0> : tensor<6x8xf32>\n"
               "%1 = sdy.sharding_constraint %0 <@m, [{}, {\"b\"}]> : tensor<6x8xf32>\n"
               "return %1 : tensor<6x8xf32>\n}",
               PARTITIONS, &p, &s));
    if (!s) return;
    const fl_sharding *v = s->values + 1;
    CHECK_INT(s->mesh.axis_count, 3);
    for (int i = 0; i < 3; i++) CHECK_INT(s->mesh.sizes[i], 2);
    CHECK(!s->mesh.partitions);
    CHECK_INT(v[0].open, 1);
    CHECK(v[0].count[0] == 1 && v[0].axes[0][0] == 1 && v[0].count[1] == 2);
    CHECK(v[0].axes[1][0] == 0 && v[0].axes[1][1] == 2);
    CHECK(v[1].open == 1 && v[1].count[0] == 0 && v[1].replicated == 1 && v[1].unreduced == 2);
    CHECK(v[2].stated && v[2].rank == 0 && v[3].stated && v[3].count[0] == 0);
    CHECK(v[4].count[0] == 3 && v[4].axes[0][0] == 0 && v[4].axes[0][1] == 1 && v[4].axes[0][2] == 2);
    CHECK(v[5].stated && v[5].count[0] == 1 && v[5].axes[0][0] == 0); /* 6 has no 8 equal parts, but 2 */
    CHECK(v[6].stated && v[6].count[1] == 2 && v[6].axes[1][0] == 1 && v[6].axes[1][1] == 2);
    CHECK(!s->results[0].stated);
    fl_shardings_free(s);
    fl_program_destroy(p);
}

static void test_manual(void)
{
    fl_program *p = NULL;
    fl_shardings *s = NULL;
    CHECK_OK(import("sdy.mesh @m = <[\"a\"=2, \"b\"=4]>\n"
                    "func.func @main(%a: tensor<8x8xf32>) -> tensor<4x8xf32> {\n"
                    "%0 = sdy.manual_computation(%a) in_shardings=[<@m, [{\"a\", ?}, {\"b\"}]>] "
                    "out_shardings=[<@m, [{}, {?}]>] manual_axes={\"a\"} (%b: tensor<4x8xf32>) {\n"
                    "sdy.return %b : tensor<4x8xf32>\n} : (tensor<8x8xf32>) -> tensor<4x8xf32>\n"
                    "return %0 : tensor<4x8xf32>\n}",
                    PARTITIONS, &p, &s));
    if (!s) return;
    CHECK_INT(s->manual_count, 1);
    CHECK(s->manuals[0].axes == 1 && s->manuals[0].op->code == FL_OP_manual_computation);
    CHECK(s->manuals[0].in[0].count[0] == 1 && s->manuals[0].in[0].count[1] == 1);
    CHECK(s->manuals[0].in[0].open == 1 && s->manuals[0].out[0].open == 2);
    fl_shardings_free(s);
    fl_program_destroy(p);
}

static void test_gspmd(void)
{
    fl_program *p = NULL;
    fl_shardings *s = NULL;
    CHECK_OK(
        import("func.func @main(%a: tensor<8x8xf32> {mhlo.sharding = \"{devices=[2,1,4]0,2,4,6,1,3,5,7 "
               "last_tile_dim_replicate metadata={op_name=\\22x\\22}}\"}, %b: tensor<4xf32> {mhlo.sharding = "
               "\"{maximal device=3}\"}, %c: tensor<4xf32> {mhlo.sharding = \"{devices=[2,2,2]<=[8] "
               "last_tile_dims={manual, replicated}}\"}) -> (tensor<4xf32>, tensor<4xf32>) {\n"
               "%0:2 = stablehlo.custom_call @f(%b) {mhlo.sharding = \"{{replicated}, {devices=[4,2]<=[8] "
               "last_tile_dim_replicate}}\"} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)\n"
               "return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>\n}",
               PARTITIONS, &p, &s));
    if (!s) return;
    const fl_sharding *v = s->values + 1;
    CHECK_INT(s->mesh.axis_count, 3);
    CHECK(v[0].count[0] == 1 && v[0].axes[0][0] == 2 &&
          v[0].count[1] == 0); /* odd devices have the second half */
    CHECK(v[1].stated && !v[1].count[0]);
    CHECK(v[2].count[0] == 1 && v[2].axes[0][0] == 0);
    CHECK(v[3].stated && !v[3].count[0] && v[4].count[0] == 2 && v[4].axes[0][1] == 1);
    fl_shardings_free(s);
    fl_program_destroy(p);
}

static void refused(int line, const char *mesh, const char *attribute, const char *why)
{
    char text[1000];
    fl_program *p = NULL;
    fl_shardings *s = NULL;
    snprintf(text, sizeof text, "%s\nfunc.func @main(%%a: tensor<8x6xf32> {%s}) {\nreturn\n}\n", mesh,
             attribute);
    fl_status status = import(text, PARTITIONS, &p, &s);
    check_count++;
    if (!status || !strstr(fl_status_message(status), why)) {
        check_failures++;
        fprintf(stderr, "line %d: expected %s\n     got %s\n", line, why,
                status ? fl_status_message(status) : "success");
    }
    fl_status_free(status);
    fl_shardings_free(s);
    fl_program_destroy(p);
}
#define REFUSED(...) refused(__LINE__, __VA_ARGS__)
#define SDY(text)    "sdy.sharding = #sdy.sharding" text
#define GSPMD(text)  "mhlo.sharding = \"" text "\""

static void test_refused(void)
{
    const char *m = "sdy.mesh @m = <[\"a\"=2, \"b\"=4]>";
    REFUSED(m, SDY("<@n, [{}, {}]>"), "argument 0: expected a mesh @n beside the functions");
    REFUSED(m, SDY("<@m, [{\"c\"}, {}]>"), "expected an axis of the mesh, got \"c\"");
    REFUSED(m, SDY("<@m, [{\"a\"}]>"), "expected a sharding of 2 dimensions for tensor<8x6xf32>, got 1");
    REFUSED(m, SDY("<@m, [{\"a\"}, {\"a\"}]>"), "expected each axis once in a sharding");
    REFUSED(m, SDY("<@m, [{}, {\"b\"}]>"), "expected 4 equal parts of dimension 1 of tensor<8x6xf32>");
    REFUSED(m, SDY("<@m, [{\"b\":(3)2}, {}]>"), "expected a part of the axis");
    REFUSED(m, SDY("<@m, [{\"b\":(0)2}, {}]>"), "expected a part of the axis");
    REFUSED(m, SDY("<@m, [{?, \"a\"}, {}]>"), "expected '}'");
    REFUSED(m, SDY("<@m, [{}, {}], other={\"a\"}>"), "expected 'unreduced'");
    REFUSED(m, SDY("<@m, [{}, {}], unreduced=max{\"a\"}>"), "values that are no sums of their parts");
    REFUSED("sdy.mesh @m = <[\"a\"=4]>", SDY("<@m, [{\"a\"}, {}]>"),
            "expected a mesh of the program's 8 partitions, got one of 4");
    REFUSED("sdy.mesh @m = <[\"a\"=2], device_ids=[0, 0]>", SDY("<@m, [{\"a\"}, {}]>"), "got one of 2");
    REFUSED("sdy.mesh @m = <[\"a\"=8], device_ids=[0, 1, 2, 3, 4, 5, 6, 6]>", SDY("<@m, [{\"a\"}, {}]>"),
            "expected a mesh of the devices 0 to 7, each once");
    REFUSED("sdy.mesh @m = <[\"a\"=2, \"b\"=4], device_ids=[0, 1, 1, 2, 2, 3, 3, 4]>",
            SDY("<@m, [{\"a\"}, {}]>"), "expected a mesh of the devices 0 to 7, each once");
    REFUSED("sdy.mesh @m = <[\"a\"=2, \"a\"=4]>", SDY("<@m, [{\"a\"}, {}]>"),
            "expected axes of different names");
    REFUSED("sdy.mesh @m = <[\"a\"=0]>", SDY("<@m, [{\"a\"}, {}]>"), "expected the size of an axis");
    REFUSED("", GSPMD("{devices=[2,4]<=[8]}"), "expected 4 equal parts of dimension 1");
    REFUSED("", GSPMD("{devices=[2,2]<=[8]}"), "expected as many devices as tiles");
    REFUSED("", GSPMD("{devices=[2,1]0,1}"), "expected a mesh of the program's 8 partitions, got one of 2");
    REFUSED("", GSPMD("{devices=[4,2]<=[4,2]T(0,0)}"), "expected a permutation");
    REFUSED("", GSPMD("{devices=[8]<=[8]}"), "expected a sharding of 2 dimensions");
    REFUSED("", GSPMD("{devices=[8,1]<=[8]"), "expected '}'");
    REFUSED("", GSPMD("{devices=[99999999,99999999,1]<=[8]}"), "expected fewer devices");
    REFUSED("", GSPMD("[8]"), "expected {");
    REFUSED("", "mhlo.sharding = 3", "expected a sharding, #sdy.sharding>");
}

/* 2 * 3 and 3 * 2 places have no axes in common. */
static void test_no_common_axes(void)
{
    fl_program *p = NULL;
    fl_shardings *s = NULL;
    CHECK_ERROR(
        import("func.func @main(%a: tensor<2x3xf32> {mhlo.sharding = \"{devices=[2,3]<=[6]}\"}, "
               "%b: tensor<3x2xf32> {mhlo.sharding = \"{devices=[3,2]<=[6]}\"}) {\nreturn\n}",
               6, &p, &s),
        FL_UNSUPPORTED,
        "shardings: expected meshes that are parts of one: the sizes of their axes do not fit together");
    fl_program_destroy(p);
}

/* The first mesh has the order; what comes and goes in another, that no axes express, has it said. */
static void test_orders(void)
{
    fl_program *p = NULL;
    fl_shardings *s = NULL;
    CHECK_OK(
        import("sdy.mesh @m = <[\"a\"=2, \"b\"=2]>\n"
               "sdy.mesh @n = <[\"a\"=2, \"b\"=2], device_ids=[3, 2, 1, 0]>\n"
               "sdy.mesh @t = <[\"a\"=2, \"b\"=2], device_ids=[0, 2, 1, 3]>\n"
               "func.func @main(%a: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"a\"}, {}]>}, "
               "%b: tensor<4x4xf32> {sdy.sharding = #sdy.sharding<@t, [{\"a\"}, {}]>}) -> (tensor<4x4xf32> "
               "{sdy.sharding = #sdy.sharding<@n, [{\"b\"}, {\"a\"}]>}, tensor<4x4xf32>) {\n"
               "return %a, %b : tensor<4x4xf32>, tensor<4x4xf32>\n}",
               4, &p, &s));
    if (!s) return;
    CHECK(!s->mesh.partitions && !s->argument_orders[0] && !s->argument_orders[1] && !s->result_orders[1]);
    CHECK(s->values[2].count[0] == 1 && s->values[2].axes[0][0] == 1); /* transposed: the other axis */
    const int64_t *order = s->result_orders[0];
    CHECK(order && order[0] == 3 && order[1] == 2 && order[2] == 1 && order[3] == 0);
    CHECK(s->results[0].axes[0][0] == 1 && s->results[0].axes[1][0] == 0);
    fl_program *each = NULL;
    CHECK_OK(fl_program_partition(p, s, &each));
    if (each) CHECK_OK(fl_program_verify(each));
    fl_program_destroy(each);
    fl_shardings_free(s);
    fl_program_destroy(p);
    CHECK_ERROR(
        import("sdy.mesh @m = <[\"a\"=4]>\n"
               "sdy.mesh @n = <[\"a\"=4], device_ids=[3, 1, 2, 0]>\n"
               "func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{\"a\"}]>}) -> "
               "tensor<4xf32> {\n"
               "%0 = sdy.manual_computation(%a) in_shardings=[<@n, [{\"a\"}]>] out_shardings=[<@n, "
               "[{\"a\"}]>] manual_axes={\"a\"} (%b: tensor<1xf32>) {\n"
               "sdy.return %b : tensor<1xf32>\n} : (tensor<4xf32>) -> tensor<4xf32>\n"
               "return %0 : tensor<4xf32>\n}",
               4, &p, &s),
        FL_UNSUPPORTED,
        "shardings: manual_computation: expected a mesh whose devices are in the order of the first mesh, or "
        "of its axes");
    fl_program_destroy(p);
}

int main(void)
{
    test_orders();
    test_shares();
    test_parts();
    test_manual();
    test_gspmd();
    test_refused();
    test_no_common_axes();
    return check_result();
}
