#include "eager/precision.h"

#include "device/device.h"

#include <string.h>

static int (*source)(void);
static int no_excess;

void fl_precision_source(int (*ask)(void))
{
    __atomic_store_n(&source, ask, __ATOMIC_RELEASE);
}

void fl_excess_precision_set(int allow)
{
    __atomic_store_n(&no_excess, !allow, __ATOMIC_RELAXED);
}

int fl_excess_precision(void)
{
    return !__atomic_load_n(&no_excess, __ATOMIC_RELAXED);
}

/* What is recorded is for other devices, too, which are told by precision_config; but only the passes say the same everywhere. */
fl_products fl_products_now(int device)
{
    static const fl_products written[] = {FL_PRODUCTS_PLAIN, FL_PRODUCTS_ONE_PASS, FL_PRODUCTS_THREE_PASSES,
                                          FL_PRODUCTS_HIGHEST};
    static const fl_products configured[] = {FL_PRODUCTS_HIGHEST, FL_PRODUCTS_DEFAULT, FL_PRODUCTS_HIGH,
                                             FL_PRODUCTS_HIGHEST};
    int (*ask)(void) = __atomic_load_n(&source, __ATOMIC_ACQUIRE);
    int asked = ask ? ask() : FL_ASKED_F32;
    fl_device *d;
    fl_status status = fl_device_get(device, &d);
    if (status) fl_status_free(status);
    return !status && !strcmp(d->vtable->kind, "pjrt") ? configured[asked] : written[asked];
}
