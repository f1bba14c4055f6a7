/* Programs with parameters: loading, open sizes, several threads, wrong use. */
#include "check.h"
#include "flambeau.h"

#include <pthread.h>
#include <string.h>

static const char text[] =
    "func.func @main(%x: tensor<?x2xf32>, %w: tensor<2xf32> {fl.name = \"w\"}) -> tensor<?x2xf32> {\n"
    "  %s = stablehlo.constant dense<2> : tensor<1xi32>\n"
    "  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x2xf32>) -> tensor<i32>\n"
    "  %m = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
    "  %d = stablehlo.concatenate %m, %s, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
    "  %b = stablehlo.dynamic_broadcast_in_dim %w, %d, dims = [1] : (tensor<2xf32>, tensor<2xi32>) "
    "-> tensor<?x2xf32>\n"
    "  %y = stablehlo.multiply %x, %b : tensor<?x2xf32>\n"
    "  return %y : tensor<?x2xf32>\n}\n";

static fl_model *model;

static fl_array array(int64_t *dims, float *data)
{
    return (fl_array){sizeof(fl_array), "f32", 2, dims, data, (size_t)dims[0] * 8};
}

/* w = (10, 100) */
static void load(void)
{
    static const char head[] = "{\"w\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
    const float w[] = {10, 100};
    char file[256] = {(char)(sizeof head - 1)};
    memcpy(file + 8, head, sizeof head - 1);
    memcpy(file + 8 + sizeof head - 1, w, sizeof w);
    CHECK_OK(fl_model_take(model, file, 8 + sizeof head - 1 + sizeof w));
    CHECK_ERROR(fl_model_take(model, file, 40), FL_INVALID, "safetensors");
    CHECK_ERROR(fl_model_load(model, "/nowhere"), FL_INVALID, "/nowhere");
}

static void *run_some(void *unused)
{
    float x[20], y[20];
    (void)unused;
    for (int round = 0; round < 40; round++) {
        int64_t dims[] = {round % 10, 2};
        for (int i = 0; i < 20; i++) x[i] = (float)(i + round), y[i] = -1;
        fl_array in = array(dims, x), out = array(dims, y);
        fl_tensor_info info = {.size = sizeof info};
        CHECK_OK(fl_model_output(model, &in, 1, 0, &info));
        CHECK(info.rank == 2 && info.dims[0] == dims[0] && info.dims[1] == 2);
        CHECK_OK(fl_model_run(model, &in, 1, &out, 1));
        for (int i = 0; i < 20; i++) CHECK(y[i] == (i < 2 * dims[0] ? x[i] * (i % 2 ? 100 : 10) : -1));
    }
    return NULL;
}

static void wrong_use(void)
{
    float x[4] = {0};
    int64_t dims[] = {2, 2}, other[] = {2, 1};
    fl_array in = array(dims, x), out = array(dims, x), two[] = {in, in};
    CHECK_ERROR(fl_model_run(model, two, 2, &out, 1), FL_INVALID,
                "expected 1 inputs besides parameters, got 2");
    out.bytes = 8;
    CHECK_ERROR(fl_model_run(model, &in, 1, &out, 1), FL_INVALID, "expected room for 16 bytes, got 8");
    in.dtype = "f64";
    CHECK_ERROR(fl_model_run(model, &in, 1, &out, 1), FL_TYPE, "expected tensor<?x2xf32>");
    in = array(other, x);
    CHECK_ERROR(fl_model_run(model, &in, 1, &out, 1), FL_TYPE, "expected tensor<?x2xf32>");
    in.rank = 1;
    CHECK_ERROR(fl_model_run(model, &in, 1, &out, 1), FL_TYPE, "expected 2 dimensions, got 1");
}

int main(void)
{
    fl_module *module;
    pthread_t threads[3];
    CHECK_OK(fl_module_read(text, strlen(text), &module));
    CHECK_ERROR(fl_model_create(module, "ref", &model), FL_VALUE, "ref");
    CHECK_OK(fl_model_create(module, "cpu", &model));
    fl_module_free(module);
    load();
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], NULL, run_some, NULL);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    wrong_use();
    fl_model_free(model);
    return check_result();
}
