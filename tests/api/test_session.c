/* Sessions: inputs stay on the device, given-away inputs carry results into the next run, wrong use is an error. */
#include "check.h"
#include "flambeau.h"

#include <stdlib.h>

static const char training[] =
    "func.func @main(%x: tensor<3xf32>, %w: tensor<3xf32> {tf.aliasing_output = 1 : i32},\n"
    "                %n: tensor<i32> {tf.aliasing_output = 0 : i32}) -> (tensor<i32>, tensor<3xf32>, "
    "tensor<3xf32>) {\n"
    "  %one = stablehlo.constant dense<1> : tensor<i32>\n"
    "  %0 = stablehlo.add %w, %x : tensor<3xf32>\n"
    "  %1 = stablehlo.multiply %w, %w : tensor<3xf32>\n"
    "  %2 = stablehlo.add %n, %one : tensor<i32>\n"
    "  return %2, %0, %1 : tensor<i32>, tensor<3xf32>, tensor<3xf32>\n"
    "}\n";

static fl_session *session_of(const char *text)
{
    fl_module *m = NULL;
    fl_session *s = NULL;
    CHECK_OK(fl_module_read(text, strlen(text), &m));
    CHECK_OK(fl_session_create(m, "cpu", &s));
    fl_module_free(m);
    if (!s) exit(1);
    return s;
}

static void write_floats(fl_session *s, uint32_t input, float *data)
{
    const int64_t dims[] = {3};
    const fl_array array = {sizeof array, "f32", 1, dims, data, 12};
    CHECK_OK(fl_session_write(s, input, &array));
}

static void test_carry(void)
{
    fl_session *s = session_of(training);
    float x[] = {1, 2, 3}, w[] = {10, 20, 30}, squares[3], now[3];
    int32_t n = -1;
    write_floats(s, 0, x);
    write_floats(s, 1, w);
    for (int step = 0; step < 4; step++) CHECK_OK(fl_session_run(s));
    CHECK_OK(fl_session_wait(s));
    CHECK_OK(fl_session_read(s, 0, &n, sizeof n));
    CHECK_OK(fl_session_read(s, 1, now, sizeof now));
    CHECK_OK(fl_session_read(s, 2, squares, sizeof squares));
    CHECK_INT(n, 4); /* from 0, once a run */
    for (int i = 0; i < 3; i++) {
        CHECK(now[i] == w[i] + 4 * x[i]);
        CHECK(squares[i] == (w[i] + 3 * x[i]) * (w[i] + 3 * x[i])); /* of the value before the last run */
    }
    write_floats(s, 1, w); /* starts again */
    CHECK_OK(fl_session_run(s));
    CHECK_OK(fl_session_read(s, 1, now, sizeof now));
    CHECK(now[0] == 11 && now[1] == 22 && now[2] == 33);
    fl_session_free(s);
}

static void test_wrong_use(void)
{
    fl_session *s = session_of(training), *none = NULL;
    fl_module *open = NULL;
    const int64_t dims[] = {2};
    float data[3] = {0};
    const fl_array two = {sizeof two, "f32", 1, dims, data, 8}, ints = {sizeof ints, "i32", 1, dims, data, 8};
    CHECK_ERROR(fl_session_write(s, 3, &two), FL_INDEX, "below 3");
    CHECK_ERROR(fl_session_write(s, 0, &two), FL_TYPE, "expected tensor<3xf32>");
    CHECK_ERROR(fl_session_write(s, 0, &ints), FL_TYPE, "expected tensor<3xf32>");
    CHECK_ERROR(fl_session_read(s, 3, data, 12), FL_INDEX, "below 3");
    CHECK_ERROR(fl_session_read(s, 1, data, 8), FL_INVALID, "expected 12 bytes");
    fl_session_free(s);
    fl_session_free(NULL);
    static const char dynamic[] = "func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {\n"
                                  "  return %x : tensor<?xf32>\n}\n";
    CHECK_OK(fl_module_read(dynamic, sizeof dynamic - 1, &open));
    CHECK_ERROR(fl_session_create(open, "cpu", &none), FL_INVALID, "dimensions open");
    fl_module_free(open);
    CHECK_OK(fl_module_read(training, sizeof training - 1, &open));
    CHECK_ERROR(fl_session_create(open, "ref", &none), FL_UNSUPPORTED, "ref");
    CHECK_ERROR(fl_session_create(open, "gpu", &none), FL_VALUE, "gpu");
    CHECK(!none);
    fl_module_free(open);
}

int main(void)
{
    test_carry();
    test_wrong_use();
    return check_result();
}
