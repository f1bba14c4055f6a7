/* Compilers' refusals in plain words. The messages are those of libtpu, XLA and our own plugin. */
#include "check.h"
#include "pjrt/client_aot.h"
#include "pjrt/client_host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GIB 1073741824.0

static const struct {
    fl_code code;
    const char *message;
    fl_aot_failure failure;
    double needed, available; /* bytes; the amounts in messages are rounded */
    const char *words;
} cases[] = {
    {FL_OOM,
     "E1000: CompileTimeHbmOom: Ran out of memory on HBM, the total memory required for HLO temporaries "
     "(80.00G) exceeds "
     "available HBM (15.75G). HLO module: jit__lambda.\nSee https://openxla.org/xla/errors/error_1000 for "
     "more details.",
     FL_AOT_HBM, 80 * GIB, 15.75 * GIB, "needs 80.00 GiB, a TPU v5 lite has 15.75 GiB: 64.25 GiB too much"},
    {FL_OOM,
     "Allocation (size=268435456) would exceed memory (size=134217728) :: #allocation3 [shape = "
     "'u8[268435456]{0}', "
     "space=vmem, size = 0x10000000, scoped, tag = 'input window allocation for operator input "
     "0. ...'] :: _lambda_.1",
     FL_AOT_VMEM, 268435456, 134217728,
     "out of VMEM, the memory on the chip: the program needs 256.00 MiB, a TPU v5 lite has 128.00 MiB: "
     "128.00 MiB "
     "too much (input window allocation for operator input 0)"},
    {FL_OOM,
     "Ran out of memory in memory space hbm. Used 20.00G of 15.75G hbm. Exceeded hbm capacity by 4.25G.",
     FL_AOT_HBM, 20 * GIB, 15.75 * GIB, "4.25 GiB too much"},
    {FL_OOM,
     "Ran out of memory in memory space vmem while allocating on stack for %fusion.3. Scoped allocation with "
     "size 18.50M and "
     "limit 16.00M exceeded scoped vmem limit by 2.50M.",
     FL_AOT_VMEM, 18.5 * 1048576, 16 * 1048576, "2.50 MiB too much"},
    {FL_OOM, "no more memory", FL_AOT_HBM, 0, 16 * GIB, "out of HBM, the device's memory on a TPU v5 lite"},
    {FL_INVALID, "Custom emitter for nope not found", FL_AOT_CUSTOM_CALL, 0, 0, "custom call \"nope\""},
    {FL_INVALID, "No registered implementation for untyped custom call to nope for Host", FL_AOT_CUSTOM_CALL,
     0, 0, "custom call \"nope\""},
    {FL_UNSUPPORTED, "custom call nope is not implemented on the embedded device", FL_AOT_CUSTOM_CALL, 0, 0,
     "custom call \"nope\""},
    {FL_UNSUPPORTED, "Stable sorting of more than 2^31-1 elements is not implemented", FL_AOT_UNSUPPORTED, 0,
     0, "does not support something in the program: Stable sorting"},
    {FL_INTERNAL, "-:1:1: error: conversion requires module with `main` function", FL_AOT_REFUSED, 0, 0,
     "refuses the program: -:1:1"},
};

static int near(double a, double b)
{
    return a >= b * 0.999 - 1 && a <= b * 1.001 + 1;
}

static void test_explanations(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fl_aot_report r = {.memory_bytes = 16ull << 30};
        char text[FL_AOT_MESSAGE] = "";
        fl_aot_explain(cases[i].code, cases[i].message, "TPU v5 lite", &r, text);
        CHECK(r.failure == cases[i].failure);
        CHECK(near((double)r.needed_bytes, cases[i].needed));
        CHECK(near((double)r.available_bytes, cases[i].available));
        if (!strstr(text, cases[i].words)) CHECK_STRING(text, cases[i].words);
    }
}

/* ---- TPUs by their PCI ids ---- */

static void write_id(const char *folder, const char *device, const char *file, const char *id)
{
    char path[300];
    snprintf(path, sizeof path, "%s/bus/pci/devices/%s/%s", folder, device, file);
    FILE *f = fopen(path, "w");
    CHECK(f);
    if (!f) return;
    fprintf(f, "%s\n", id);
    fclose(f);
}

static void add_device(const char *folder, const char *name, const char *vendor, const char *device)
{
    char path[300];
    snprintf(path, sizeof path, "%s/bus/pci/devices/%s", folder, name);
    CHECK(!mkdir(path, 0700));
    write_id(folder, name, "vendor", vendor);
    write_id(folder, name, "device", device);
}

static void test_chips(void)
{
    char folder[] = "/tmp/flambeau_sysfs_XXXXXX", command[100], path[100];
    const char *name = "?";
    CHECK(mkdtemp(folder));
    CHECK(fl_pjrt_chips(folder, &name) == 0 && !name); /* no such folder */
    static const char *const parts[] = {"/bus", "/bus/pci", "/bus/pci/devices"};
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        CHECK(!mkdir(path, 0700));
    }
    add_device(folder, "0000:00:01.0", "0x8086", "0x0063"); /* somebody else's */
    add_device(folder, "0000:00:02.0", "0x1ae0", "0x0042"); /* no accelerator */
    CHECK(fl_pjrt_chips(folder, &name) == 0 && !name);
    add_device(folder, "0000:00:04.0", "0x1ae0", "0x0063");
    add_device(folder, "0000:00:05.0", "0x1ae0", "0x0063");
    CHECK(fl_pjrt_chips(folder, &name) == 2 && name && !strcmp(name, "v5e"));
    add_device(folder, "0000:00:06.0", "0x1ae0", "0x006f");
    CHECK(fl_pjrt_chips(folder, NULL) == 3);
    setenv("FL_SYSFS", folder, 1);
    CHECK(fl_pjrt_chips(NULL, &name) == 3 && name && !strcmp(name, "v6e"));
    unsetenv("TPU_SKIP_MDS_QUERY");
    fl_pjrt_prepare_host();
    CHECK(!getenv("TPU_SKIP_MDS_QUERY")); /* a TPU is there: its library shall ask */
    setenv("FL_SYSFS", "/nowhere", 1);
    setenv("TPU_WORKER_ID", "7", 1);
    fl_pjrt_prepare_host();
    CHECK_STRING(getenv("TPU_SKIP_MDS_QUERY"), "1");
    CHECK_STRING(getenv("TPU_WORKER_ID"), "7");
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(!system(command));
}

int main(void)
{
    test_explanations();
    test_chips();
    return check_result();
}
