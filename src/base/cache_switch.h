/* Switches of the compile cache, for measuring and for finding what is built when it should not be. They are the process's. */
#ifndef FL_BASE_CACHE_SWITCH_H
#define FL_BASE_CACHE_SWITCH_H

typedef enum fl_cache_switch {
    FL_CACHE_ALLOW, /* on at first; off: nothing is found in the process's table */
    FL_CACHE_ONLY,  /* what would have to be built is an error */
    FL_CACHE_DUMP,  /* what is built is told on standard error */
    FL_CACHE_SWITCHES
} fl_cache_switch;

int fl_cache_switch_get(fl_cache_switch which);
void fl_cache_switch_set(fl_cache_switch which, int on);

#endif
