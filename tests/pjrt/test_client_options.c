/* What the client tells plugins, and what it says of libraries that are none. No plugin is needed. */
#include "check.h"
#include "pjrt/client.h"
#include "pjrt/client_plugin.h"

#include <stdlib.h>

/* Messages written out by hand from the field numbers of xla/pjrt/proto/compile_options.proto. */
static void test_compile_options(void)
{
    static const unsigned char one[] = {
        0x1a, 27,                                                         /* 3 executable_build_options */
        0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* 1 device_ordinal -1 */
        0x20, 1,    0x28, 1, /* 4 num_replicas, 5 num_partitions */
        0x4a, 10,   0x08, 1,    0x10, 1,    0x1a, 4,    0x08, 0x80, 0x80,
        0x04, /* 9 device_assignment: device 65536 */
    };
    static const unsigned char four[] = {
        0x1a, 44,                                                         /* */
        0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /* */
        0x20, 2,    0x28, 2,                                              /* */
        0x30, 1,    0x98, 0x01, 1,                                        /* 6 use_spmd, 19 use_shardy */
        0x4a, 22,   0x08, 2,    0x10, 2,                                  /* */
        0x1a, 4,    0x08, 10,   0x08, 12,                                 /* partition 0: its replicas */
        0x1a, 4,    0x08, 11,   0x08, 13,                                 /* partition 1 */
    };
    const int big = 65536, ids[] = {10, 11, 12, 13};
    char out[256];
    size_t n = fl_pjrt_compile_options(out, sizeof out, 1, 1, &big, NULL);
    CHECK_INT(n, sizeof one);
    CHECK(n == sizeof one && !memcmp(out, one, sizeof one));
    n = fl_pjrt_compile_options(out, sizeof out, 2, 2, ids, NULL);
    CHECK_INT(n, out[1] + 2);
    CHECK(!memcmp(out + 2, four + 2, 18));
    n = fl_pjrt_compile_options(out, sizeof out, 1, 1, &big, (const char *[]){"xla_x", NULL});
    static const unsigned char off[] = {0x3a, 11,  0x0a, 5, 'x',  'l', 'a',
                                        '_',  'x', 0x12, 2, 0x10, 0}; /* 7 overrides */
    CHECK_INT(n, sizeof one + sizeof off);
    CHECK(!memcmp(out, one, sizeof one) && !memcmp(out + sizeof one, off, sizeof off));
    CHECK_INT(fl_pjrt_compile_options(out, 20, 1, 1, &big, NULL), 0); /* no room */
    CHECK_INT(fl_pjrt_compile_options(out, sizeof out, 0, 1, &big, NULL), 0);
    CHECK_INT(fl_pjrt_compile_options(out, sizeof out, 1000, 1000, &big, NULL), 0);
}

static void test_client_options(void)
{
    fl_pjrt_options o;
    CHECK_OK(fl_pjrt_options_parse("cpu_device_count:2;fast:true;fraction:0.5;name:a:b;empty:;", &o));
    CHECK_INT(o.count, 5);
    CHECK(o.values[0].type == PJRT_NamedValue_kInt64 && o.values[0].int64_value == 2);
    CHECK_INT(o.values[0].name_size, 16);
    CHECK_INT(o.values[0].value_size, 1);
    CHECK(o.values[1].type == PJRT_NamedValue_kBool && o.values[1].bool_value);
    CHECK(o.values[2].type == PJRT_NamedValue_kFloat && o.values[2].float_value == 0.5f);
    CHECK(o.values[3].type == PJRT_NamedValue_kString && o.values[3].value_size == 3);
    CHECK_STRING(o.values[3].string_value, "a:b");
    CHECK(o.values[4].type == PJRT_NamedValue_kString && o.values[4].value_size == 0);
    fl_pjrt_options_free(&o);
    CHECK_OK(fl_pjrt_options_parse(NULL, &o));
    CHECK_INT(o.count, 0);
    CHECK_ERROR(fl_pjrt_options_parse("cpu_device_count", &o), FL_INVALID,
                "expected name:value, got \"cpu_device_count\"");
    CHECK_ERROR(fl_pjrt_options_parse("a:1;:2", &o), FL_INVALID, "expected name:value");
}

static void test_selection(void)
{
    setenv("TORCH_TPU_DEVICE", "embedded", 1);
    CHECK(!fl_pjrt_selected());
    setenv("TORCH_TPU_DEVICE", "", 1);
    CHECK(!fl_pjrt_selected());
    setenv("TORCH_TPU_DEVICE", "/opt/plugin.so", 1);
    CHECK_STRING(fl_pjrt_selected(), "/opt/plugin.so");
    setenv("TORCH_TPU_DEVICE", "tpu", 1);
    setenv("TPU_LIBRARY_PATH", "/opt/libtpu.so", 1);
    CHECK_STRING(fl_pjrt_selected(), "/opt/libtpu.so");
    unsetenv("TPU_LIBRARY_PATH");
    CHECK_STRING(fl_pjrt_selected(), "libtpu.so");
    unsetenv("TORCH_TPU_DEVICE");
    CHECK(!fl_pjrt_selected());
}

static void test_no_plugin(void)
{
    fl_device *d = NULL;
    CHECK_ERROR(fl_pjrt_device_create("/nowhere/plugin.so", 0, &d), FL_INVALID,
                "cannot load the PJRT plugin");
    CHECK_ERROR(fl_pjrt_device_create("/nowhere/plugin.so", 0, &d), FL_INVALID,
                "cannot load the PJRT plugin");
    CHECK_ERROR(fl_pjrt_device_create("libm.so.6", 0, &d), FL_INVALID, "libm.so.6 is no PJRT plugin");
    CHECK(!d);
}

int main(void)
{
    test_compile_options();
    test_client_options();
    test_selection();
    test_no_plugin();
    return check_result();
}
