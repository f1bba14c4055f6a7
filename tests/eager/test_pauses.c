/* Fused mode on a device whose compiler is slow: threads that stop for a moment do not change what is compiled. */
#include "eager/eager_case.h"
#include "eager/defer.h"
#include "eager/mode.h"
#include "flambeau.h"

#include <time.h>

enum { LENGTHS = 6, ROUNDS = 3, OPERATORS = 8 };

static const fl_device_vtable *real;
static fl_device_vtable slow;
static int compiled;

static void rest(int ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * 1000000L}, NULL);
}

static fl_status compile_slowly(fl_device *device, const fl_program *program,
                                const fl_compile_options *options, fl_executable **out)
{
    rest(100);
    __atomic_add_fetch(&compiled, 1, __ATOMIC_SEQ_CST);
    return real->compile(device, program, options, out);
}

/* x is doubled OPERATORS times; before one of the operators the thread rests. */
static void run_round(fl_buffer *buffer, int length, int rests_at)
{
    tensor x;
    tensor_over(&x, buffer, FL_F32, 1, length);
    for (int i = 0; i < OPERATORS; i++) {
        if (i == rests_at) rest(60); /* three times what is a pause where compiling costs nothing */
        CHECK_OK(invoke(0, "add.out", 3, NULL, ARGS(TENSOR(x), TENSOR(x), NUMBER(1), TENSOR(x))));
    }
    float first;
    CHECK_OK(fetch(buffer, 0, sizeof first, &first));
    CHECK(first == 256);
}

static void test_rests_compile_nothing(void)
{
    const float one[LENGTHS] = {1, 1, 1, 1, 1, 1};
    for (int round = 0; round < ROUNDS; round++) {
        int before = __atomic_load_n(&compiled, __ATOMIC_SEQ_CST);
        for (int n = 1; n <= LENGTHS; n++) {
            fl_buffer *buffer = buffer_of(0, sizeof one, one);
            run_round(buffer, n, (round * LENGTHS + n) * 5 % OPERATORS);
            release(buffer);
        }
        CHECK(__atomic_load_n(&compiled, __ATOMIC_SEQ_CST) - before == (round ? 0 : LENGTHS));
    }
}

int main(void)
{
    CHECK_INT(fl_count_devices(), 1);
    fl_device *device = device_at(0);
    real = device->vtable;
    slow = *real;
    slow.compile = compile_slowly;
    slow.kind = "slow";
    device->vtable = &slow;
    fl_mode_set(FL_EAGER_FUSED);
    test_rests_compile_nothing();
    fl_defer_flush_all(FL_FLUSH_END);
    return check_result();
}
