/* Opening devices: the settings and what is wrong with them. Each setting is tried in a process of its own. */
#include "check.h"
#include "device/device.h"
#include "flambeau.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void in_child(const char *name, const char *value, void (*test)(const char *value))
{
    pid_t child = fork();
    if (child == 0) {
        check_failures = 0;
        setenv(name, value, 1);
        test(value);
        _exit(check_failures != 0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    check_count++;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    check_failures++;
    fprintf(stderr, "%s=%s: the checks above failed\n", name, value);
}

static uint64_t capacity;

static void has_capacity(const char *value)
{
    (void)value;
    fl_device *d = NULL;
    CHECK_OK(fl_device_get(0, &d));
    CHECK_INT(d ? d->capacity : 0, capacity);
}

static void bad_memory(const char *value)
{
    char expected[200];
    fl_device *d = NULL;
    snprintf(expected, sizeof expected,
             "TORCH_TPU_MEMORY: expected a number of bytes with an optional unit (KiB, MiB, GiB), got \"%s\"",
             value);
    for (int k = 0; k < 2; k++)
        CHECK_ERROR(fl_device_get(0, &d), FL_INVALID, expected); /* not only the first time */
    CHECK(!d && fl_device_capacity(0) == 0 && !fl_device_name(0));
}

static void has_three(const char *value)
{
    (void)value;
    fl_device *d[3] = {0}, *none = NULL;
    CHECK_INT(fl_device_count(), 3);
    for (int i = 2; i >= 0; i--) CHECK_OK(fl_device_get(i, &d[i]));
    CHECK(d[0] != d[1] && d[1] != d[2] && d[2] && d[2]->index == 2);
    CHECK_ERROR(fl_device_get(3, &none), FL_INVALID, "invalid device index: expected 0..2, got 3");
    CHECK_ERROR(fl_device_get(-1, &none), FL_INVALID, "got -1");
}

static void bad_count(const char *value)
{
    char expected[200];
    fl_device *d = NULL;
    snprintf(expected, sizeof expected,
             "TORCH_TPU_DEVICES: expected a number of devices from 1 to 64, got \"%s\"", value);
    CHECK_INT(fl_count_devices(), 1);
    for (int k = 0; k < 2; k++) CHECK_ERROR(fl_device_get(0, &d), FL_INVALID, expected);
    CHECK_ERROR(fl_device_get(1, &d), FL_INVALID, "");
}

int main(void)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {
        {"1048576", 1048576}, {"1048576B", 1048576}, {"512KiB", 524288}, {"64MiB", 67108864},
        {"64 MiB", 67108864}, {"0.5GiB", 536870912}, {"2MB", 2000000},
    };
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        capacity = good[i].bytes;
        in_child("TORCH_TPU_MEMORY", good[i].text, has_capacity);
    }
    static const char *const bad[] = {"lots",    "MiB", "-1",  "0",      "0.5", "4 gigabytes",
                                      "1e30GiB", "nan", "inf", "64MiBs", " "};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) in_child("TORCH_TPU_MEMORY", bad[i], bad_memory);
    in_child("TORCH_TPU_DEVICES", "3", has_three);
    static const char *const bad_counts[] = {"two", "0", "-1", "2x", "65", "99999999999999999999", " "};
    for (size_t i = 0; i < sizeof bad_counts / sizeof *bad_counts; i++)
        in_child("TORCH_TPU_DEVICES", bad_counts[i], bad_count);
    return check_result();
}
