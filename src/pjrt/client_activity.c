/* For profilers: when programs ran on a PJRT device. A plugin says when one is done, not when it began: it is taken to have
 * begun when it was handed over, or when the one before was done, whichever is later. */
#include "device/activity.h"
#include "pjrt/client_device.h"

#include <stdlib.h>
#include <string.h>

typedef struct run {
    fl_pjrt_device *d;
    fl_activity activity;
    char name[];
} run;

static void on_done(PJRT_Error *error, void *user)
{
    run *r = user;
    const PJRT_Api *api = r->d->plugin->api;
    FL_PJRT_CALL(destroy, PJRT_Error_Destroy, .error = error);
    if (error) api->PJRT_Error_Destroy(&destroy); /* who waits for the execution hears of it */
    r->activity.end = fl_activity_now();
    uint64_t before = __atomic_exchange_n(&r->d->last_end, r->activity.end, __ATOMIC_RELAXED);
    if (before > r->activity.begin && before < r->activity.end) r->activity.begin = before;
    fl_activity_add(&r->activity);
    free(r);
}

void fl_pjrt_watch_execution(fl_pjrt_device *d, PJRT_Event *done, const char *name, uint64_t begin)
{
    const PJRT_Api *api = d->plugin->api;
    size_t bytes = strlen(name) + 1;
    run *r = done ? malloc(sizeof *r + bytes) : NULL;
    if (!r) return;
    memcpy(r->name, name, bytes);
    r->d = d;
    r->activity = (fl_activity){
        .kind = FL_ACTIVITY_PROGRAM, .begin = begin, .place = fl_activity_get_place(), .name = r->name};
    FL_PJRT_CALL(args, PJRT_Event_OnReady, .event = done, .callback = on_done, .user_arg = r);
    fl_status status = fl_pjrt_error(api, api->PJRT_Event_OnReady(&args), "PJRT_Event_OnReady");
    if (status) free(r);
    fl_status_free(status);
}
