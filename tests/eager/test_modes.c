/* The same calls in the three modes: values, random numbers, rows that move from round to round, and what debug mode finds. */
#include "eager/eager_case.h"
#include "eager/debug.h"
#include "eager/defer.h"
#include "eager/mode.h"
#include "flambeau.h"

enum { ROWS = 16, COLUMNS = 8, SIZE = ROWS * COLUMNS };

/* Row i of a cache becomes x + i, x doubles; then everything is read. */
static void fill_rows(float *out, int rounds)
{
    const float ones[COLUMNS] = {1, 1, 1, 1, 1, 1, 1, 1};
    fl_buffer *cache = buffer_of(0, SIZE * 4, NULL), *x = buffer_of(0, sizeof ones, ones);
    tensor all, row, from;
    tensor_over(&all, cache, FL_F32, 2, ROWS, COLUMNS);
    CHECK_OK(invoke(0, "fill_.Scalar", 0, NULL, ARGS(TENSOR(all), NUMBER(0))));
    for (int i = 0; i < rounds; i++) {
        tensor_over(&row, cache, FL_F32, 1, COLUMNS);
        tensor_over(&from, x, FL_F32, 1, COLUMNS);
        row.t.offset = (int64_t)i * COLUMNS * 4;
        tensor number;
        const float value = (float)i;
        tensor_over(&number, NULL, FL_F32, 0);
        number.t.host = &value;
        number.t.wrapped = 1;
        CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(from), TENSOR(number), INTEGER(1), TENSOR(row))));
        CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(from), TENSOR(from), INTEGER(1), TENSOR(from))));
        float seen;
        CHECK_OK(
            fetch(cache, (int64_t)i * COLUMNS * 4, sizeof seen, &seen)); /* a chunk ends in every round */
        CHECK(seen == (float)(1 << i) + value);
    }
    CHECK_OK(fetch(cache, 0, SIZE * 4, out));
    release(cache);
    release(x);
}

static void test_rows_that_move(fl_eager_mode mode)
{
    float got[SIZE];
    fl_mode_exchange(mode);
    fill_rows(got, ROWS);
    for (int i = 0; i < SIZE; i++) CHECK(got[i] == (float)(1 << i / COLUMNS) + (float)(i / COLUMNS));
    fl_mode_exchange(FL_NO_MODE);
}

static void draw(fl_eager_mode mode, float *out)
{
    fl_mode_exchange(mode);
    fl_generator generator = {.seed = 7, .offset = 3};
    fl_buffer *buffer = buffer_of(0, SIZE * 4, NULL);
    tensor x;
    tensor_over(&x, buffer, FL_F32, 1, SIZE);
    for (int i = 0; i < 3; i++)
        CHECK_OK(
            invoke_with(&generator, 0, "uniform_", 0, NULL, ARGS(TENSOR(x), NUMBER(0), NUMBER(1), NONE)));
    CHECK_OK(invoke(0, "mul.out", 2, NULL, ARGS(TENSOR(x), TENSOR(x), TENSOR(x))));
    CHECK_OK(fetch(buffer, 0, SIZE * 4, out));
    CHECK_INT(generator.offset, 3 + 3 * SIZE / 4);
    release(buffer);
    fl_mode_exchange(FL_NO_MODE);
}

static void test_random_numbers_are_the_same(void)
{
    float strict[SIZE], debug[SIZE], fused[SIZE];
    draw(FL_EAGER_STRICT, strict);
    draw(FL_EAGER_DEBUG, debug);
    draw(FL_EAGER_FUSED, fused);
    CHECK(!memcmp(strict, debug, sizeof strict) && !memcmp(strict, fused, sizeof strict));
    CHECK(strict[0] != strict[1] && strict[0] >= 0 && strict[0] < 1);
}

/* The logarithm of -1 in the second of three rows, the one of 0 in the third. */
static fl_status take_logarithms(fl_buffer *buffer)
{
    const float values[3] = {1, -1, 0};
    CHECK_OK(device_at(0)->vtable->upload(device_at(0), 0, values, sizeof values, buffer, 0));
    tensor x;
    tensor_over(&x, buffer, FL_F32, 2, 3, 1);
    return invoke(0, "log.out", 1, NULL, ARGS(TENSOR(x), TENSOR(x)));
}

static void test_debug_finds(void)
{
    fl_buffer *buffer = buffer_of(0, 12, NULL);
    fl_mode_exchange(FL_EAGER_DEBUG);
    CHECK_OK(take_logarithms(buffer)); /* nobody asked */
    CHECK_INT(fl_debug_set_checks(FL_CHECK_NAN), 0);
    CHECK_ERROR(take_logarithms(buffer), FL_INVALID, "1 NaN, the first at [1, 0]");
    fl_debug_set_checks(FL_CHECK_NAN | FL_CHECK_INF);
    CHECK_ERROR(take_logarithms(buffer), FL_INVALID, "1 infinite, the first at [2, 0]");
    fl_mode_exchange(FL_EAGER_STRICT);
    CHECK_OK(take_logarithms(buffer)); /* only debug mode looks */
    fl_debug_set_checks(0);
    fl_mode_exchange(FL_NO_MODE);
    release(buffer);
}

int main(void)
{
    CHECK_INT(fl_count_devices(), 1);
    for (int mode = FL_EAGER_STRICT; mode <= FL_EAGER_FUSED; mode++) test_rows_that_move((fl_eager_mode)mode);
    test_random_numbers_are_the_same();
    test_debug_finds();
    fl_defer_flush_all(FL_FLUSH_END);
    return check_result();
}
