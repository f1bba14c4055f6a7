#include "base/cache_switch.h"

static int switches[FL_CACHE_SWITCHES] = {[FL_CACHE_ALLOW] = 1};

int fl_cache_switch_get(fl_cache_switch which)
{
    return __atomic_load_n(&switches[which], __ATOMIC_RELAXED);
}

void fl_cache_switch_set(fl_cache_switch which, int on)
{
    __atomic_store_n(&switches[which], on != 0, __ATOMIC_RELAXED);
}
