/* Every size, offset and value of the PJRT interface and of XLA's foreign function interface that we declare, against the table layout_0114.tsv. */
#include "pjrt/ffi_abi.h"
#include "pjrt/pjrt_extensions.h"

#include "check.h"

static void test_layout(void)
{
#define SIZE(name, bytes)        CHECK_INT(sizeof(name), bytes);
#define STRUCT_SIZE(name, bytes) CHECK_INT(name##_STRUCT_SIZE, bytes);
#define FIELD(name, field, offset, size)                                                                     \
    CHECK_INT(offsetof(name, field), offset);                                                                \
    CHECK_INT(sizeof(((name *)0)->field), size);
#define VALUE(name, value) CHECK_INT(name, value);
#include "layout_checks.inc"
}

/* The table of functions is pointers alone behind the version, 138 of them. */
static void test_slots(void)
{
    int slots = 0;
#define PJRT_FUNCTION(name, ...)                                                                             \
    CHECK_INT(offsetof(PJRT_Api, name), offsetof(PJRT_Api, PJRT_Error_Destroy) + sizeof(void *) * slots);    \
    slots++;
#include "pjrt/pjrt_functions.def"
    CHECK_INT(slots, 138);
    CHECK_INT(sizeof(PJRT_Api), 1144);
}

int main(void)
{
    test_layout();
    test_slots();
    return check_result();
}
