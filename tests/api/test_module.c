/* The public C interface: reading, asking, writing, running, on both devices; and that wrong use is an error. */
#include "check.h"
#include "flambeau.h"

#include <stdlib.h>
#include <unistd.h>

static const char product[] =
    "module @m {\n"
    "  func.func @main(%x: tensor<2x3xf32>, %y: tensor<3x2xf32> {jax.arg_info = \"w\"})\n"
    "      -> (tensor<2x2xf32>, tensor<i1> {jax.result_info = \"ok\"}) {\n"
    "    %0 = stablehlo.dot %x, %y : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>\n"
    "    %1 = stablehlo.constant dense<true> : tensor<i1>\n"
    "    return %0, %1 : tensor<2x2xf32>, tensor<i1>\n"
    "  }\n"
    "}\n";
static const char doubling[] = "func.func @main(%x: tensor<?xi32>) -> tensor<?xi32> {\n"
                               "  %0 = call @twice(%x) : (tensor<?xi32>) -> tensor<?xi32>\n"
                               "  return %0 : tensor<?xi32>\n"
                               "}\n"
                               "func.func private @twice(%x: tensor<?xi32>) -> tensor<?xi32> {\n"
                               "  %0 = stablehlo.add %x, %x : tensor<?xi32>\n"
                               "  return %0 : tensor<?xi32>\n"
                               "}\n";

static fl_module *module_of(const char *text)
{
    fl_module *m = NULL;
    CHECK_OK(fl_module_read(text, strlen(text), &m));
    if (!m) exit(1);
    return m;
}

static fl_array array_of(const char *dtype, uint32_t rank, const int64_t *dims, void *data, size_t bytes)
{
    return (fl_array){sizeof(fl_array), dtype, rank, dims, data, bytes};
}

static void test_types(void)
{
    fl_module *m = module_of(product);
    fl_tensor_info info = {.size = sizeof info};
    CHECK_INT(fl_module_input_count(m), 2);
    CHECK_INT(fl_module_output_count(m), 2);
    CHECK_OK(fl_module_input(m, 1, &info));
    CHECK_STRING(info.name, "w");
    CHECK_STRING(info.type, "tensor<3x2xf32>");
    CHECK_STRING(info.dtype, "f32");
    CHECK_INT(info.element_bytes, 4);
    CHECK_INT(info.rank, 2);
    CHECK(info.dims[0] == 3 && info.dims[1] == 2);
    CHECK_OK(fl_module_input(m, 0, &info));
    CHECK_STRING(info.name, "arg0");
    CHECK_OK(fl_module_output(m, 1, &info));
    CHECK_STRING(info.name, "ok");
    CHECK_STRING(info.dtype, "i1");
    CHECK_ERROR(fl_module_input(m, 2, &info), FL_INDEX, "below 2");
    CHECK_ERROR(fl_module_output(m, 2, &info), FL_INDEX, "below 2");
    info.size = 0;
    CHECK_ERROR(fl_module_input(m, 0, &info), FL_INVALID, "field size");
    fl_module_free(m);

    m = module_of(doubling);
    info.size = sizeof info;
    CHECK_OK(fl_module_input(m, 0, &info));
    CHECK(info.rank == 1 && info.dims[0] < 0);
    fl_module_free(m);
}

/* A caller with a smaller and one with a larger struct get what they know, and zeros. */
static void test_struct_versions(void)
{
    fl_module *m = module_of(product);
    struct {
        fl_tensor_info info;
        void *newer;
    } larger = {.info = {.size = sizeof larger}, .newer = m};
    CHECK_OK(fl_module_input(m, 0, &larger.info));
    CHECK(!larger.newer);
    CHECK_STRING(larger.info.dtype, "f32");
    fl_tensor_info smaller = {.size = offsetof(fl_tensor_info, dtype), .dtype = "untouched"};
    CHECK_OK(fl_module_input(m, 0, &smaller));
    CHECK_STRING(smaller.name, "arg0");
    CHECK_STRING(smaller.dtype, "untouched");
    fl_module_free(m);
}

static void test_writing(void)
{
    fl_module *m = module_of(product), *back = NULL, *other = module_of(doubling);
    char *text = NULL;
    void *bytes = NULL;
    size_t n = 0;
    CHECK_OK(fl_module_verify(m));
    CHECK_OK(fl_module_print(m, &text, &n));
    CHECK(text && strlen(text) == n);
    CHECK_OK(fl_module_read(text, n, &back));
    CHECK_OK(fl_module_compare(m, back));
    fl_module_free(back);
    fl_free(text);
    CHECK_OK(fl_module_serialize(m, "1.0.0", &bytes, &n));
    CHECK(bytes && n > 4 && !memcmp(bytes, "ML\xefR", 4));
    CHECK_OK(fl_module_read(bytes, n, &back));
    CHECK_OK(fl_module_compare(m, back));
    CHECK_ERROR(fl_module_compare(m, other), FL_VALUE, "");
    fl_module_free(back);
    fl_free(bytes);
    CHECK_ERROR(fl_module_serialize(m, "one", &bytes, &n), FL_VALUE, "one");
    CHECK(!bytes);
    CHECK_STRING(fl_stablehlo_current(), "1.20.0");
    fl_module_free(m);
    fl_module_free(other);
}

static void test_running(void)
{
    static const char *const devices[] = {"ref", "cpu", "cpu:0"};
    float x[] = {1, 2, 3, 4, 5, 6}, y[] = {1, 0, 0, 1, 2, -1};
    fl_array inputs[] = {array_of("f32", 2, (int64_t[]){2, 3}, x, sizeof x),
                         array_of("f32", 2, (int64_t[]){3, 2}, y, sizeof y)};
    for (int i = 0; i < 3; i++) {
        fl_module *m = module_of(product);
        fl_compiled *c = NULL;
        CHECK_OK(fl_module_compile(m, devices[i], NULL, 0, &c));
        fl_module_free(m); /* the compiled program keeps what it needs */
        for (int k = 0; c && k < 2; k++) {
            fl_results *r = NULL;
            fl_array a = {.size = sizeof a};
            CHECK_OK(fl_compiled_run(c, inputs, 2, &r));
            if (!r) break;
            CHECK_INT(fl_results_count(r), 2);
            CHECK_OK(fl_results_get(r, 0, &a));
            CHECK_STRING(a.dtype, "f32");
            CHECK(a.rank == 2 && a.dims[0] == 2 && a.dims[1] == 2 && a.bytes == 16);
            CHECK(!memcmp(a.data, (float[]){7, -1, 16, -1}, 16));
            CHECK_OK(fl_results_get(r, 1, &a));
            CHECK(a.rank == 0 && a.bytes == 1 && *(uint8_t *)a.data == 1);
            CHECK_ERROR(fl_results_get(r, 2, &a), FL_INDEX, "below 2");
            fl_results_free(r);
        }
        fl_compiled_free(c);
    }
}

static void test_open_dimensions(void)
{
    static const char *const devices[] = {"ref", "cpu"};
    int32_t x[] = {1, 2, 3};
    fl_module *m = module_of(doubling);
    fl_compiled *c = NULL;
    for (int i = 0; i < 2; i++) {
        fl_array a = {.size = sizeof a}, input = array_of("i32", 1, (int64_t[]){3}, x, sizeof x);
        fl_results *r = NULL;
        CHECK_OK(fl_module_run(m, devices[i], &input, 1, &r));
        if (r) CHECK_OK(fl_results_get(r, 0, &a));
        CHECK(r && a.dims[0] == 3 && !memcmp(a.data, (int32_t[]){2, 4, 6}, 12));
        fl_results_free(r);
        CHECK_OK(fl_module_compile(m, devices[i], &input, 1, &c));
        input = array_of("i32", 1, (int64_t[]){2}, x, 8);
        if (c)
            CHECK_ERROR(fl_compiled_run(c, &input, 1, &r), FL_TYPE,
                        "compiled for tensor<3xi32>, got tensor<2xi32>");
        fl_compiled_free(c);
        CHECK_ERROR(fl_module_compile(m, devices[i], NULL, 0, &c), FL_INVALID, "leaves dimensions open");
    }
    fl_module_free(m);
}

/* What has effects runs on every device, though nobody uses a result. */
static void test_effects(void)
{
    static const char *const devices[] = {"ref", "cpu"};
    static const char checks[] = "func.func @main(%x: tensor<2xf32>) {\n"
                                 "  %0 = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>\n"
                                 "  stablehlo.custom_call @check.expect_eq(%x, %0) {has_side_effect = true}\n"
                                 "    : (tensor<2xf32>, tensor<2xf32>) -> ()\n"
                                 "  return\n"
                                 "}\n";
    float x[] = {1, 2};
    fl_array input = array_of("f32", 1, (int64_t[]){2}, x, sizeof x);
    fl_module *m = module_of(checks);
    for (int i = 0; i < 2; i++) {
        fl_results *r = NULL;
        x[1] = 2;
        CHECK_OK(fl_module_run(m, devices[i], &input, 1, &r));
        fl_results_free(r);
        x[1] = 3;
        CHECK_ERROR(fl_module_run(m, devices[i], &input, 1, &r), FL_INVALID, "expected 2, got 3");
    }
    fl_module_free(m);
}

static void test_wrong_inputs(void)
{
    fl_module *m = module_of(product);
    fl_compiled *c = NULL;
    fl_results *r = NULL;
    float x[6] = {0};
    fl_array good[] = {array_of("f32", 2, (int64_t[]){2, 3}, x, 24),
                       array_of("f32", 2, (int64_t[]){3, 2}, x, 24)},
             bad[2];
#define WITH(change, code, part)                                                                             \
    do {                                                                                                     \
        memcpy(bad, good, sizeof bad);                                                                       \
        change;                                                                                              \
        CHECK_ERROR(fl_module_run(m, "ref", bad, 2, &r), code, part);                                        \
        CHECK(!r);                                                                                           \
    } while (0)
    WITH(bad[1].dtype = "f64", FL_TYPE, "input 1: expected tensor<3x2xf32>, got tensor<3x2xf64>");
    WITH(bad[1].dtype = "float", FL_TYPE, "unknown dtype \"float\"");
    WITH(bad[1].dtype = NULL, FL_TYPE, "unknown dtype");
    WITH(bad[0].dims = ((int64_t[]){3, 2}), FL_TYPE,
         "input 0: expected tensor<2x3xf32>, got tensor<3x2xf32>");
    WITH(bad[0].rank = 1, FL_TYPE, "got tensor<2xf32>");
    WITH(bad[0].rank = 99, FL_INVALID, "at most 16 dimensions");
    WITH(bad[0].dims = ((int64_t[]){-2, 3}), FL_INVALID, "input 0");
    WITH(bad[0].bytes = 23, FL_INVALID, "expected 24 bytes, got 23");
    WITH(bad[0].data = NULL, FL_INVALID, "expected 24 bytes, got 0");
    WITH(bad[0].size = 1, FL_INVALID, "field size");
    CHECK_ERROR(fl_module_run(m, "ref", good, 1, &r), FL_INVALID, "expected 2 inputs, got 1");
    CHECK_ERROR(fl_module_run(m, "gpu", good, 2, &r), FL_VALUE, "expected device \"ref\"");
    CHECK_ERROR(fl_module_compile(m, "cpu:99", NULL, 0, &c), FL_VALUE, "cpu:99");
    fl_module_free(m);
}

static void test_files(void)
{
    char path[] = "/tmp/fl_module_XXXXXX";
    fl_module *m = NULL, *same = module_of(product);
    int f = mkstemp(path);
    CHECK(f >= 0 && write(f, product, sizeof product - 1) == sizeof product - 1 && !close(f));
    CHECK_OK(fl_module_load(path, &m));
    if (m) CHECK_OK(fl_module_compare(m, same));
    fl_module_free(m);
    fl_module_free(same);
    CHECK(!truncate(path, 100));
    CHECK_ERROR(fl_module_load(path, &m), FL_INVALID, path);
    CHECK(!unlink(path));
    CHECK_ERROR(fl_module_load(path, &m), FL_INVALID, "No such file");
    CHECK(!m);
}

static void test_stats(void)
{
    fl_module *m = module_of(product);
    fl_module_stats *s = NULL;
    CHECK_OK(fl_module_stats_get(m, &s));
    if (s) {
        CHECK_INT(s->size, sizeof *s);
        CHECK_INT(s->functions, 1);
        CHECK_INT(s->operations, 2);
        CHECK_INT(s->flops, 2 * 2 * 3 * 2);
        CHECK_INT(s->input_bytes, 48);
        CHECK_INT(s->output_bytes, 17);
        CHECK_INT(s->row_count, 2);
        CHECK_STRING(s->rows[0].name, "stablehlo.dot");
    }
    fl_module_stats_free(s);
    fl_module_free(m);
}

static void test_bad_programs(void)
{
    fl_module *m = NULL;
    CHECK_ERROR(fl_module_read("func.func @main() {", 19, &m), FL_INVALID, "1:");
    CHECK(!m);
    fl_status status = fl_module_read("ML\xefR rubbish", 12, &m);
    CHECK(status && !m);
    fl_status_free(status);
    status = fl_module_read("", 0, &m); /* a module without functions: there is nothing to run */
    CHECK(status && !m);
    fl_status_free(status);
}

int main(void)
{
    test_types();
    test_struct_versions();
    test_writing();
    test_running();
    test_open_dimensions();
    test_effects();
    test_wrong_inputs();
    test_files();
    test_stats();
    test_bad_programs();
    return check_result();
}
