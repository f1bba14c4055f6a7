/* Runs a program on the embedded device:  cc run_program.c $(pkg-config --cflags --libs flambeau) && ./a.out */
#include <flambeau.h>

#include <stdio.h>
#include <string.h>

static const char program[] =
    "func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2xf32> {\n"
    "  %0 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2xf32>\n"
    "  return %0 : tensor<2xf32>\n"
    "}\n";

int main(void)
{
    float x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 0, -1};
    int64_t x_dims[] = {2, 3}, y_dims[] = {3};
    fl_array inputs[] = {{sizeof(fl_array), "f32", 2, x_dims, x, sizeof x},
                         {sizeof(fl_array), "f32", 1, y_dims, y, sizeof y}};
    fl_array product = {.size = sizeof product};
    fl_module *module = NULL;
    fl_results *results = NULL;

    fl_status status = fl_module_read(program, strlen(program), &module);
    if (!status) status = fl_module_run(module, "cpu", inputs, 2, &results);
    if (!status) status = fl_results_get(results, 0, &product);
    if (status)
        fprintf(stderr, "%s\n", fl_status_message(status));
    else
        printf("%g %g\n", ((float *)product.data)[0], ((float *)product.data)[1]); /* -2 -2 */
    int failed = status != NULL;
    fl_status_free(status);
    fl_results_free(results);
    fl_module_free(module);
    return failed;
}
