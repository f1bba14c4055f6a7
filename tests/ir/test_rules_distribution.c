/* Rules of collectives, transfers and asynchronous operations. */
#include "ir/rules.h"

#define GROUPS(g, t) "replica_groups = dense<" g "> : tensor<" t "xi64>"
#define FOUR         GROUPS("[[0, 1, 2, 3]]", "1x4")
#define HANDLE(h, t) ", channel_handle = #stablehlo.channel_handle<handle = " h ", type = " t ">"
#define GLOBAL       ", use_global_device_ids"
#define PAIRS(p, t)  "source_target_pairs = dense<" p "> : tensor<" t "xi64>"
#define MESH(mesh, axes)                                                                                     \
    "replica_groups = #stablehlo.replica_group_mesh_axes<mesh = " mesh ", axes = [" axes "]>"
#define XY                                                                                                   \
    "#stablehlo.mesh<axes = [#stablehlo.mesh_axis<name = \"x\", size = 2>, #stablehlo.mesh_axis<name = "     \
    "\"y\", size = 4>]>"
#define AXIS(a)    "#stablehlo.axis_ref<name = \"" a "\">"
#define PART(a, p) "#stablehlo.axis_ref<name = \"" a "\", sub_axis_info = " p ">"
#define TOKEN      "!stablehlo.token"

static const rule_case gathers[] = {
    RULE("all_gather", "all_gather_dim = 1 : i64, " FOUR, "", "2x3xf32 5x1xi8", "2x12xf32 5x4xi8", NULL),
    RULE("all_gather", "all_gather_dim = 1 : i64, " FOUR HANDLE("1", "1") GLOBAL, "", "?x?xf32", "2x12xf32",
         NULL),
    RULE("all_gather", "all_gather_dim = 0 : i64, " MESH(XY, AXIS("y")), "", "2xf32", "8xf32", NULL),
    RULE("all_gather", "all_gather_dim = 2 : i64, " FOUR, "", "2x3xf32", "2x12xf32", "(C1)"),
    RULE("all_gather", "all_gather_dim = 1 : i64, " GROUPS("[[0, 1, 1]]", "1x3"), "", "2x3xf32", "2x9xf32",
         "(C2)"),
    RULE("all_gather", "all_gather_dim = 1 : i64, " GROUPS("[[0, 1, 3]]", "1x3"), "", "2x3xf32", "2x9xf32",
         "(C4)"),
    RULE("all_gather", "all_gather_dim = 1 : i64, " GROUPS("[[0, -1]]", "1x2"), "", "2x3xf32", "2x6xf32",
         "(C4)"),
    RULE("all_gather", "all_gather_dim = 1 : i64, " FOUR GLOBAL, "", "2x3xf32", "2x12xf32", "(C5)"),
    RULE("all_gather", "all_gather_dim = 1 : i64, " FOUR, "", "2x3xf32", "3x12xf32", "(C6)"),
    RULE("all_gather", "all_gather_dim = 1 : i64, " FOUR, "", "2x3xf32", "2x10xf32", "(C6)"),
    RULE("all_gather", "all_gather_dim = 1 : i64, " FOUR, "", "2x3xf32", "2x12xf64", "(C6)"),
    RULE("all_gather", "all_gather_dim = 0 : i64, " MESH(XY, AXIS("z")), "", "2xf32", "8xf32",
         "an axis of the mesh"),
    RULE("all_gather", "all_gather_dim = 0 : i64, " MESH(XY, PART("y", "(2)4")), "", "2xf32", "8xf32",
         "divides axis"),
    RULE("all_to_all", "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, " FOUR,
         "", "4x16xf32 5x16xf32", "16x4xf32 20x4xf32", NULL),
    RULE("all_to_all", "split_dimension = 1 : i64, concat_dimension = 1 : i64, split_count = 4 : i64, " FOUR,
         "", "4x16xf32", "4x16xf32", NULL),
    RULE("all_to_all", "split_dimension = 2 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, " FOUR,
         "", "4x16xf32", "16x4xf32", "(C1)"),
    RULE("all_to_all", "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, " FOUR,
         "", "4x15xf32", "16x4xf32", "(C2)"),
    RULE("all_to_all", "split_dimension = 1 : i64, concat_dimension = -1 : i64, split_count = 4 : i64, " FOUR,
         "", "4x16xf32", "16x4xf32", "(C3)"),
    RULE("all_to_all", "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 0 : i64, " FOUR,
         "", "4x16xf32", "16x4xf32", "(C4)"),
    RULE("all_to_all",
         "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, " GROUPS("[[0, 0]]",
                                                                                                 "1x2"),
         "", "4x16xf32", "8x8xf32", "(C5)"),
    RULE("all_to_all",
         "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, " GROUPS("[[0, 2]]",
                                                                                                 "1x2"),
         "", "4x16xf32", "8x8xf32", "(C7)"),
    RULE("all_to_all", "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, " FOUR,
         "", "4x16xf32", "8x8xf32", "(C8)"),
    RULE("all_to_all", "split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 4 : i64, " FOUR,
         "", "4x16xf32", "16x5xf32", "(C9)"),
};

static const rule_case reductions[] = {
    RULE("all_reduce", FOUR, "add f32", "2xf32 3xf32", "2xf32 3xf32", NULL),
    RULE("all_reduce", GROUPS("[[0, 1], [2, -1]]", "2x2"), "add f64", "2xf32", "2xf64", NULL),
    RULE("all_reduce", GROUPS("", "0x0"), "add f32", "2xf32", "2xf32", NULL),
    RULE("all_reduce", MESH("@mesh", PART("x", "(1)2") ", " AXIS("y")), "add f32", "2xf32", "2xf32", NULL),
    RULE("all_reduce", GROUPS("[[0, 1], [0, 2]]", "2x2"), "add f32", "2xf32", "2xf32", "(C1)"),
    RULE("all_reduce", GROUPS("[[0, -2]]", "1x2"), "add f32", "2xf32", "2xf32", "(C3)"),
    RULE("all_reduce", FOUR GLOBAL, "add f32", "2xf32", "2xf32", "(C4)"),
    RULE("all_reduce", FOUR, "add f16", "2xf32", "2xf16", "(C5)"),
    RULE("all_reduce", FOUR, "add f32", "2xf32 2xi32", "2xf32 2xi32", "(C5)"),
    RULE("all_reduce", FOUR, "add f32", "2xf32", "3xf32", "(C6, C7)"),
    RULE("all_reduce", FOUR, "add f64", "2xf32", "2xf32", "(C6, C7)"),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " FOUR, "add f32", "8x3xf32", "2x3xf32", NULL),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " FOUR, "add f64", "?x3xf32", "2x3xf64", NULL),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " FOUR, "add f32", "8x3xf32", "3x3xf32", "C1"),
    RULE("reduce_scatter", "scatter_dimension = 2 : i64, " FOUR, "add f32", "8x3xf32", "2x3xf32", "(C2)"),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " GROUPS("[[0, 0]]", "1x2"), "add f32", "8x3xf32",
         "4x3xf32", "(C3)"),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " GROUPS("[[0, 2]]", "1x2"), "add f32", "8x3xf32",
         "4x3xf32", "(C5)"),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " FOUR GLOBAL, "add f32", "8x3xf32", "2x3xf32",
         "(C6)"),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " FOUR, "add i32", "8x3xf32", "2x3xi32", "(C7)"),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " FOUR, "add f32", "8x3xf32", "2x4xf32", "C8"),
    RULE("reduce_scatter", "scatter_dimension = 0 : i64, " FOUR, "add f64", "8x3xf32", "2x3xf32", "C9"),
    RULE("collective_reduce", FOUR ", has_dynamic_root", "add f32", "2xf32 1xi32", "2xf32", NULL),
    RULE("collective_reduce", FOUR, "add f64", "2xf32 3xf32", "2xf64 3xf64", NULL),
    RULE("collective_reduce", GROUPS("[[0, 0]]", "1x2"), "add f32", "2xf32", "2xf32", "(C1)"),
    RULE("collective_reduce", GROUPS("[[0, -2]]", "1x2"), "add f32", "2xf32", "2xf32", "(C2)"),
    RULE("collective_reduce", FOUR ", has_dynamic_root", "add f32", "2xf32 2xi32", "2xf32", "(C3)"),
    RULE("collective_reduce", FOUR, "add i32", "2xf32", "2xi32", "(C4)"),
    RULE("cross-replica-sum", FOUR, "", "2xf32", "2xf32", NULL),
    RULE("cross-replica-sum", FOUR, "", "2xf32", "3xf32", "the operand's type"),
};

static const rule_case others[] = {
    RULE("collective_broadcast", GROUPS("[[2, 5]]", "1x2"), "", "2xf32 3xi8", "2xf32 3xi8", NULL),
    RULE("collective_broadcast", FOUR ", has_dynamic_root", "", "2xf32 3xi8 2xi32", "2xf32 3xi8", NULL),
    RULE("collective_broadcast", GROUPS("[[2, 2]]", "1x2"), "", "2xf32", "2xf32", "(C1)"),
    RULE("collective_broadcast", GROUPS("[[2, -1]]", "1x2"), "", "2xf32", "2xf32", "(C2)"),
    RULE("collective_broadcast", FOUR, "", "2xf32", "3xf32", "C3"),
    RULE("collective_broadcast", FOUR ", has_dynamic_root", "", "2xf32 1xi64", "2xf32", "(C4)"),
    RULE("collective_broadcast", FOUR ", has_dynamic_root", "", "1xi32", "", "(C4)"),
    RULE("collective_permute", PAIRS("[[0, 1], [1, 0]]", "2x2"), "", "2xf32", "2xf32", NULL),
    RULE("collective_permute", PAIRS("[[0, 1, 2]]", "1x3"), "", "2xf32", "2xf32", "expected two columns"),
    RULE("collective_permute", PAIRS("[[0, 1], [0, 2]]", "2x2"), "", "2xf32", "2xf32", "(C2)"),
    RULE("collective_permute", PAIRS("[[0, 1], [2, 1]]", "2x2"), "", "2xf32", "2xf32", "(C3)"),
    RULE("collective_permute", PAIRS("[[0, -1]]", "1x2"), "", "2xf32", "2xf32", "(C4)"),
    RULE("collective_permute", PAIRS("[[0, 1]]", "1x2"), "", "2xf32", "3xf32", "(C5)"),
    RULE("send", "is_host_transfer = true" HANDLE("0", "2"), "", "2xf32 " TOKEN, TOKEN, NULL),
    RULE("send", PAIRS("[[0, 1]]", "1x2") HANDLE("0", "1"), "", TOKEN, TOKEN, NULL),
    RULE("send", PAIRS("[[0, 1], [0, 2]]", "2x2") HANDLE("0", "1"), "", "2xf32 " TOKEN, TOKEN, "(C2)"),
    RULE("send", "is_host_transfer = true" HANDLE("0", "1"), "", "2xf32 " TOKEN, TOKEN, "(C5)"),
    RULE("send", "is_host_transfer = true" HANDLE("0", "2"), "", "2xf32", TOKEN, "(I2)"),
    RULE("recv", "is_host_transfer = true" HANDLE("0", "3"), "", TOKEN, "2xf32 " TOKEN, NULL),
    RULE("recv", "is_host_transfer = false" HANDLE("0", "3"), "", TOKEN, "2xf32 " TOKEN, "(C5)"),
    RULE("recv", "is_host_transfer = true" HANDLE("0", "3"), "", TOKEN, "", "(C2)"),
    RULE("recv", "is_host_transfer = true" HANDLE("0", "3"), "", TOKEN, TOKEN " " TOKEN, "(C3)"),
    RULE("recv", "is_host_transfer = true" HANDLE("0", "3"), "", TOKEN, "2xf32", "(C4)"),
    RULE("infeed", "infeed_config = \"\", layout = [[0, 1], [0]]", "", TOKEN, "2x3xf32 2xf32 " TOKEN, NULL),
    RULE("infeed", "", "", TOKEN, "", "(C1)"),
    RULE("infeed", "", "", TOKEN, TOKEN " " TOKEN, "(C2)"),
    RULE("infeed", "", "", TOKEN, "2xf32", "(C3)"),
    RULE("infeed", "", "", "2xf32", "2xf32 " TOKEN, "(I1)"),
    RULE("infeed", "layout = [[0]]", "", TOKEN, "2xf32 2xf32 " TOKEN, "a layout for each"),
    RULE("outfeed", "outfeed_config = \"\"", "", "2xf32 3xi8 " TOKEN, TOKEN, NULL),
    RULE("outfeed", "", "", "2xf32", TOKEN, "(I2)"),
    RULE("outfeed", "", "", TOKEN, "f32", "a token"),
    RULE("partition_id", "", "", "", "ui32", NULL),
    RULE("replica_id", "", "", "", "i32", "a 32-bit id"),
};

#define SLICE                                                                                                \
    "{^bb0(%x: tensor<4xf32>): %y = \"stablehlo.slice\"(%x) {start_indices = array<i64: 0>, limit_indices "  \
    "= array<i64: 2>, "                                                                                      \
    "strides = array<i64: 1>} : (tensor<4xf32>) -> tensor<2xf32> \"stablehlo.return\"(%y) : "                \
    "(tensor<2xf32>) -> ()}"
#define NEGATE                                                                                               \
    "{^bb0(%x: tensor<4xf32>): %y = \"stablehlo.negate\"(%x) : (tensor<4xf32>) -> tensor<4xf32> "            \
    "\"stablehlo.return\"(%y) : (tensor<4xf32>) -> ()}"
#define FUTURE(t) "!stablehlo.future<tensor<" t ">>"

static const rule_case async[] = {
    RULE("async_start", "", SLICE, "4xf32", FUTURE("2xf32"), NULL),
    RULE("async_start", "", "{^bb0(%x: tensor<4xf32>): \"stablehlo.return\"(%x) : (tensor<4xf32>) -> ()}",
         "4xf32", FUTURE("4xf32"), "(C1)"),
    RULE("async_start", "", NEGATE, "4xf32", FUTURE("4xf32"), "(C2)"),
    RULE("async_start", "", SLICE, "5xf32", FUTURE("2xf32"), "(C3)"),
    RULE("async_start", "", SLICE, "4xf32 4xf32", FUTURE("2xf32"), "(C3)"),
    RULE("async_start", "", SLICE, "4xf32", FUTURE("3xf32"), "(C4)"),
    RULE("async_start", "", SLICE, "4xf32", "2xf32", "(C4)"),
    RULE("async_done", "", "", FUTURE("2xf32"), "2xf32", NULL),
    RULE("async_done", "", "", FUTURE("2xf32"), "3xf32", "(C1)"),
    RULE("async_done", "", "", FUTURE("2xf32"), "", "(C1)"),
    RULE("async_done", "", "", "2xf32", "2xf32", "(I1)"),
};

int main(void)
{
    CHECK_RULES(gathers);
    CHECK_RULES(reductions);
    CHECK_RULES(others);
    CHECK_RULES(async);
    return check_result();
}
