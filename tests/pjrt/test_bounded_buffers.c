/* Bounded sizes through the plugin: smaller buffers as arguments, results that say how large they are. */
#include "calls.h"

#define X "tensor<?x2xf32, #stablehlo.bounds<4, ?>>"
/* y = x + x without its last row, and the sum of x. */
#define PROGRAM                                                                                              \
    "func.func @main(%x: " X ") -> (" X ", tensor<f32>) {\n"                                                 \
    "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"                                                   \
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"                                                   \
    "  %0 = stablehlo.add %x, %x : " X "\n"                                                                  \
    "  %1 = stablehlo.get_dimension_size %x, dim = 0 : (" X ") -> tensor<i32>\n"                             \
    "  %2 = stablehlo.subtract %1, %one : tensor<i32>\n"                                                     \
    "  %3 = stablehlo.set_dimension_size %0, %2, dim = 0 : (" X ", tensor<i32>) -> " X "\n"                  \
    "  %4 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0, 1] : (" X            \
    ", tensor<f32>) -> tensor<f32>\n  return %3, %4 : " X ", tensor<f32>\n}\n"

static void has_dims(PJRT_Buffer *b, int64_t filled)
{
    OK(open, PJRT_Buffer_DynamicDimensionIndices, .buffer = b);
    CHECK_INT(open.num_dynamic_dims, 1);
    CHECK(open.num_dynamic_dims == 1 && open.dynamic_dim_indices[0] == 0);
    OK(bound, PJRT_Buffer_Dimensions, .buffer = b);
    CHECK_INT(bound.dims[0], 4);
    OK(is, PJRT_Buffer_UnpaddedDimensions, .buffer = b);
    CHECK_INT(is.num_dims, 2);
    CHECK_INT(is.unpadded_dims[0], filled);
    CHECK_INT(is.unpadded_dims[1], 2);
}

int main(void)
{
    api = fl_plugin_api();
    PJRT_Client *client = open_client();
    PJRT_LoadedExecutable *e = compile_text(client, PROGRAM);
    const float data[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    float got[8] = {0}, sum = 0;
    int64_t dims[2] = {3, 2};
    PJRT_Buffer *x = put(client, PJRT_Buffer_Type_F32, data, dims, 2), *y[2] = {0}, *z[2] = {0};
    CHECK_INT(run(e, &x, 1, y), PJRT_Error_Code_OK);
    has_dims(y[0], 2);
    CHECK_INT(get(y[1], &sum, sizeof sum), PJRT_Error_Code_OK);
    CHECK(sum == 21);
    CHECK_INT(get(y[0], got, 4 * sizeof *got), PJRT_Error_Code_OK); /* what is filled, and no more */
    CHECK(got[0] == 2 && got[1] == 4 && got[2] == 6 && got[3] == 8);
    CHECK_INT(run(e, &y[0], 1, z), PJRT_Error_Code_OK); /* its size goes along */
    has_dims(z[0], 1);
    CHECK_INT(get(z[1], &sum, sizeof sum), PJRT_Error_Code_OK);
    CHECK(sum == 20);
    CHECK_INT(get(z[0], got, 2 * sizeof *got), PJRT_Error_Code_OK);
    CHECK(got[0] == 4 && got[1] == 8);
    for (int i = 0; i < 2; i++) drop(y[i]), drop(z[i]);
    drop(x);
    dims[0] = 5;
    x = put(client, PJRT_Buffer_Type_F32, data, dims, 2);
    CHECK_INT(run(e, &x, 1, y), PJRT_Error_Code_INVALID_ARGUMENT);
    drop(x);
    unload(e);
    close_client(client);
    return check_result();
}
