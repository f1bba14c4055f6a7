/* Rules of slices at computed positions, gather and scatter. */
#include "ir/rules.h"

#define Q        "!quant.uniform<i8:f32,0.5:1>"
#define Q2       "!quant.uniform<i8:f32,0.25>"
#define SIZES(s) "slice_sizes = array<i64: " s ">"
/* The specification's example: operand 2x3x4x2, indices 2x2x3x2, slices 1x1x2x2. */
#define DIMS(offset, collapsed, batching, index_batching, map, vector)                                       \
    "dimension_numbers = #stablehlo.gather<offset_dims = [" offset "], collapsed_slice_dims = [" collapsed   \
    "], operand_batching_dims = [" batching "], start_indices_batching_dims = [" index_batching              \
    "], start_index_map = [" map "], index_vector_dim = " vector ">"
#define GATHER(offset, collapsed, batching, index_batching, map, vector, sizes)                              \
    DIMS(offset, collapsed, batching, index_batching, map, vector) ", " SIZES(sizes)
#define X "2x3x4x2xi32 2x2x3x2xi64"
#define Y "2x2x3x2x2xi32"
/* scatter: input 2x3x4x2, indices 2x2x3x2, updates 2x2x3x2x2 */
#define SCATTER(window, inserted, batching, index_batching, map, vector)                                     \
    "scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [" window                           \
    "], inserted_window_dims = [" inserted "], input_batching_dims = [" batching                             \
    "], scatter_indices_batching_dims = [" index_batching "], scatter_dims_to_operand_dims = [" map          \
    "], index_vector_dim = " vector ">"
#define GOOD SCATTER("3, 4", "1", "0", "1", "2, 1", "3")
#define I    " 2x2x3x2xi64 "
#define IN   "2x3x4x2xi32"

static const rule_case slices[] = {
    RULE("dynamic_slice", SIZES("2, 3"), "", "4x4xi32 i64 i64", "2x3xi32", NULL),
    RULE("dynamic_slice", SIZES("2"), "", "4x" Q " ui8", "2x" Q, NULL),
    RULE("dynamic_slice", SIZES("2, 3"), "", "4x4xi32 i64 i64", "2x3xi64", "(C1, C5)"),
    RULE("dynamic_slice", SIZES("2, 3"), "", "4x4xi32 i64", "2x3xi32", "(C2)"),
    RULE("dynamic_slice", SIZES("2"), "", "4x4xi32 i64 i64", "2x3xi32", "(C2)"),
    RULE("dynamic_slice", SIZES("2, 3"), "", "4x4xi32 i64 i32", "2x3xi32", "(C3)"),
    RULE("dynamic_slice", SIZES("2, 5"), "", "4x4xi32 i64 i64", "2x5xi32", "(C4)"),
    RULE("dynamic_slice", SIZES("2, -1"), "", "4x4xi32 i64 i64", "2x?xi32", "(C4)"),
    RULE("dynamic_slice", SIZES("2, 3"), "", "4x4xi32 i64 i64", "2x4xi32", "(C1, C5)"),
    RULE("dynamic_slice", SIZES("2"), "", "4xi32 f32", "2xi32", "start index: expected an integer"),
    RULE("dynamic_slice", SIZES("2"), "", "4xi32 1xi32", "2xi32", "(C3)"),
    RULE("dynamic_update_slice", "", "", "4x4xi32 2x?xi32 i64 i64", "4x4xi32", NULL),
    RULE("dynamic_update_slice", "", "", "4x4xi32 2x2xi32 i64 i64", "4x5xi32", "(C1)"),
    RULE("dynamic_update_slice", "", "", "4x4xi32 2x2xi64 i64 i64", "4x4xi32", "(C2)"),
    RULE("dynamic_update_slice", "", "", "4x4xi32 2xi32 i64 i64", "4x4xi32", "(C3)"),
    RULE("dynamic_update_slice", "", "", "4x4xi32 2x2xi32 i64", "4x4xi32", "(C4)"),
    RULE("dynamic_update_slice", "", "", "4x4xi32 2x2xi32 i64 i32", "4x4xi32", "(C5)"),
    RULE("dynamic_update_slice", "", "", "4x4xi32 2x5xi32 i64 i64", "4x4xi32", "(C6)"),
    RULE("torch_index_select", "dim = 0 : i64, batch_dims = 0 : i64", "", "5x1x5xf32 2xi32", "2x1x5xf32",
         NULL),
    RULE("torch_index_select", "dim = 1 : i64, batch_dims = 1 : i64", "", "5x4xf32 5x2xi32", "5x2xf32", NULL),
    RULE("torch_index_select", "dim = 0 : i64, batch_dims = 0 : i64", "", "5x1x5xf32 2xi32", "3x1x5xf32",
         "the index in place of dim"),
    RULE("torch_index_select", "dim = 3 : i64, batch_dims = 0 : i64", "", "5x1x5xf32 2xi32", "2x1x5xf32",
         "a dimension of the operand"),
    RULE("torch_index_select", "dim = 0 : i64, batch_dims = 1 : i64", "", "5x1x5xf32 2xi32", "2x1x5xf32",
         "leading dimensions"),
    RULE("torch_index_select", "dim = 1 : i64, batch_dims = 1 : i64", "", "5x4xf32 6x2xi32", "5x2xf32",
         "of one size"),
};

static const rule_case gathers[] = {
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, NULL),
    RULE("gather", GATHER("1", "0", "", "", "0", "1", "1, 3"), "", "5x3x" Q " 4xi32", "4x3x" Q, NULL),
    RULE("gather", GATHER("1", "0", "", "", "0", "1", "1, 3"), "", "?x3xf32 ?xi32", "4x3xf32", NULL),
    RULE("gather", GATHER("3", "1", "0", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "(C1)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "5", "1, 1, 2, 2"), "", X, Y, "(C2)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2", "3", "1, 1, 2, 2"), "", X, Y, "(C3)"),
    RULE("gather", GATHER("4, 3", "1", "0", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "(C4)"),
    RULE("gather", GATHER("3, 3", "1", "0", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "(C4, C5)"),
    RULE("gather", GATHER("3, 5", "1", "0", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "(C4, C5)"),
    RULE("gather", GATHER("3, 4", "0", "0", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "(C6)"),
    RULE("gather", GATHER("3", "2, 1", "0", "1", "2, 1", "3", "1, 1, 1, 2"), "", X, Y, "(C7)"),
    RULE("gather", GATHER("3, 4", "4", "0", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "C8"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "1, 2, 2, 2"), "", X, Y, "(C9)"),
    RULE("gather", GATHER("3", "1", "3, 0", "1, 2", "2, 1", "3", "1, 1, 2, 1"), "", X, Y, "(C10)"),
    RULE("gather", GATHER("3, 4", "1", "-1", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "C11"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "2, 1, 2, 2"), "", X, Y, "(C12)"),
    RULE("gather", GATHER("3", "1", "0, 3", "1, 1", "2, 1", "3", "1, 1, 2, 1"), "", X, Y, "C13"),
    RULE("gather", GATHER("3, 4", "1", "0", "4", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "C14"),
    RULE("gather", GATHER("3, 4", "1", "0", "3", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "(C15)"),
    RULE("gather", GATHER("3, 4", "1", "0", "", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "(C16)"),
    RULE("gather", GATHER("3, 4", "1", "0", "2", "2, 1", "3", "1, 1, 2, 2"), "", X, Y, "(C17)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 2", "3", "1, 1, 2, 2"), "", X, Y, "(C18, C19)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 0", "3", "1, 1, 2, 2"), "", X, Y, "(C18, C19)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 4", "3", "1, 1, 2, 2"), "", X, Y, "(C18, C19)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "1, 1, 2"), "", X, Y, "(C20)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "1, 1, 5, 2"), "", X, Y, "(C21)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "1, 1, -2, 2"), "", X, Y, "(C21)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "1, 1, 1, 2"), "", X, Y, "(C22, C23)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "1, 1, 2, 2"), "", X, "2x2x3x2x2xi64",
         "(C22, C23)"),
    RULE("gather", GATHER("3, 4", "1", "0", "1", "2, 1", "3", "1, 0, 2, 2"), "", X, Y, "got 0"),
    RULE("gather", GATHER("1", "0", "", "", "0", "1", "1, 3"), "", "5x3xf32 4xf32", "4x3xf32",
         "indices: expected"),
    RULE("dynamic_gather", DIMS("1", "0", "", "", "0", "1"), "", "5x3xf32 4xi32 2xi32", "4x?xf32", NULL),
    RULE("dynamic_gather", DIMS("1", "0", "", "", "0", "1"), "", "5x3xf32 4xi32 3xi32", "4x?xf32", "(C11)"),
    RULE("dynamic_gather", DIMS("1", "0", "", "", "0", "1"), "", "5x3xf32 4xi32 2xi32", "5x?xf32",
         "(C13, C14)"),
    RULE("dynamic_gather", DIMS("1", "", "", "", "0", "1"), "", "5x3xf32 4xi32 2xi32", "4x?xf32", "(C1)"),
    RULE("dynamic_gather", DIMS("1", "0", "", "", "0", "2"), "", "5x3xf32 4xi32 2xi32", "4x?xf32", "(C2)"),
    RULE("dynamic_gather", DIMS("1", "0", "", "", "", "1"), "", "5x3xf32 4xi32 2xi32", "4x?xf32", "(C3)"),
};

static const rule_case scatters[] = {
    RULE("scatter", GOOD, "add i32", IN I Y, IN, NULL),
    RULE("scatter", GOOD, "add i64", IN I Y, "2x3x4x2xi64", NULL),
    RULE("scatter", GOOD ", unique_indices = true", "add i32 f32", IN " 2x3x4x2xf32" I Y " 2x2x3x2x2xf32",
         IN " 2x3x4x2xf32", NULL),
    RULE("scatter", GOOD, "add i32 f32", IN " 2x3x4x3xf32" I Y " 2x2x3x2x2xf32", IN " 2x3x4x3xf32", "(C1)"),
    RULE("scatter", SCATTER("3", "1", "0", "1", "2, 1", "3"), "add i32", IN I Y, IN, "(C2)"),
    RULE("scatter", GOOD, "add i32 f32", IN " 2x3x4x2xf32" I Y " 2x2x3x2x1xf32", IN " 2x3x4x2xf32", "(C3)"),
    RULE("scatter", GOOD, "add i32", IN I "2x2x3x5x2xi32", IN, "(C4)"),
    RULE("scatter", GOOD, "add i32", IN I "2x3x3x2x2xi32", IN, "(C4)"),
    RULE("scatter", GOOD, "add i32", IN I "2x2x3x2xi32", IN, "(C4)"),
    RULE("scatter", GOOD, "add i32", IN I, "", "(C5)"),
    RULE("scatter", GOOD, "add i32", IN I "2x2x3x2x2xi64", IN, "(C6)"),
    RULE("scatter", SCATTER("4, 3", "1", "0", "1", "2, 1", "3"), "add i32", IN I Y, IN, "(C7)"),
    RULE("scatter", SCATTER("3, 5", "1", "0", "1", "2, 1", "3"), "add i32", IN I Y, IN, "(C7, C8)"),
    RULE("scatter", SCATTER("3, 4", "0", "0", "1", "2, 1", "3"), "add i32", IN I Y, IN, "(C9)"),
    RULE("scatter", SCATTER("3", "2, 1", "0", "1", "2, 1", "3"), "add i32", IN I Y, IN, "(C10)"),
    RULE("scatter", SCATTER("3, 4", "4", "0", "1", "2, 1", "3"), "add i32", IN I Y, IN, "C11"),
    RULE("scatter", SCATTER("3", "1", "3, 0", "1, 2", "2, 1", "3"), "add i32", IN I Y, IN, "(C12)"),
    RULE("scatter", SCATTER("3, 4", "1", "4", "1", "2, 1", "3"), "add i32", IN I Y, IN, "C13"),
    RULE("scatter", SCATTER("3", "1", "0, 3", "1, 1", "2, 1", "3"), "add i32", IN I Y, IN, "C14"),
    RULE("scatter", SCATTER("3, 4", "1", "0", "4", "2, 1", "3"), "add i32", IN I Y, IN, "C15"),
    RULE("scatter", SCATTER("3, 4", "1", "0", "3", "2, 1", "3"), "add i32", IN I Y, IN, "(C16)"),
    RULE("scatter", SCATTER("3, 4", "1", "0", "", "2, 1", "3"), "add i32", IN I Y, IN, "(C17)"),
    RULE("scatter", SCATTER("3, 4", "1", "0", "2", "2, 1", "3"), "add i32", IN I Y, IN, "(C18)"),
    RULE("scatter", SCATTER("3, 4", "1", "0", "1", "2", "3"), "add i32", IN I Y, IN, "(C19)"),
    RULE("scatter", SCATTER("3, 4", "1", "0", "1", "2, 0", "3"), "add i32", IN I Y, IN, "(C20, C21)"),
    RULE("scatter", SCATTER("3, 4", "1", "0", "1", "2, 4", "3"), "add i32", IN I Y, IN, "(C20, C21)"),
    RULE("scatter", SCATTER("3, 4", "1", "0", "1", "2, 1", "5"), "add i32", IN I Y, IN, "(C22)"),
    RULE("scatter", GOOD, "add i16", IN I Y, "2x3x4x2xi16", "(C23)"),
    RULE("scatter", GOOD, "add i32 i32", IN I Y, IN, "(C23)"),
    RULE("scatter", GOOD,
         "{^bb0(%x: tensor<i32>, %y: tensor<i64>): \"stablehlo.return\"(%x) : (tensor<i32>) -> ()}", IN I Y,
         IN, "(C23)"),
    RULE("scatter", GOOD, "add i32", IN I Y, "2x3x4x3xi32", "(C24, C25)"),
    RULE("scatter", GOOD, "add i64", IN I Y, IN, "(C24, C25)"),
};

int main(void)
{
    CHECK_RULES(slices);
    CHECK_RULES(gathers);
    CHECK_RULES(scatters);
    return check_result();
}
