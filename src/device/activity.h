/* What a profiler asks devices for: when their work ran, and of what it consisted. Off, each launch costs one load.
 *
 * Whoever calls the device says with a number of its choice for what (the profiler's correlation id: the operator that is
 * being called); work that is queued takes the number along to the thread that does it. */
#ifndef FL_DEVICE_ACTIVITY_H
#define FL_DEVICE_ACTIVITY_H

#include <stddef.h>
#include <stdint.h>

typedef enum fl_activity_kind {
    FL_ACTIVITY_STEP,    /* a step of a program: a library kernel or a fused loop */
    FL_ACTIVITY_PROGRAM, /* a whole program, on devices that do not say more */
    FL_ACTIVITY_TO_DEVICE,
    FL_ACTIVITY_FROM_DEVICE,
} fl_activity_kind;

/* Where work runs and for whom. */
typedef struct fl_activity_place {
    uint64_t correlation; /* 0: unknown */
    int32_t device;
    uint32_t stream;
} fl_activity_place;

typedef struct fl_activity {
    uint64_t begin, end; /* nanoseconds since 1970 */
    fl_activity_place place;
    const char *name, *program, *shapes; /* program, shapes: may be NULL */
    uint64_t bytes, flops;               /* memory that must move at least; arithmetic; 0: unknown */
    fl_activity_kind kind;
} fl_activity;

extern int fl_activity_collecting; /* use fl_activities_on */
static inline int fl_activities_on(void)
{
    return __builtin_expect(__atomic_load_n(&fl_activity_collecting, __ATOMIC_RELAXED), 0);
}

/* This thread's place. The number is set by the caller of the device, device and stream by the device. */
void fl_activity_set_correlation(uint64_t correlation);
void fl_activity_set_place(fl_activity_place place);
fl_activity_place fl_activity_get_place(void);

/* For devices, at the beginning of a call. */
static inline void fl_activity_enter(int device, int stream)
{
    if (!fl_activities_on()) return;
    fl_activity_set_place(
        (fl_activity_place){fl_activity_get_place().correlation, (int32_t)device, (uint32_t)stream});
}

/* Copies, and adds that. */
void fl_activity_copy(fl_activity_kind kind, void *to, const void *from, size_t bytes);

uint64_t fl_activity_now(void); /* in the time of begin and end */
/* Keeps a copy, texts included; nothing while nobody collects. Any thread. */
void fl_activity_add(const fl_activity *activity);

/* Begins anew. FL_ACTIVITY_MOST activities are kept at most. */
#define FL_ACTIVITY_MOST 4000000u
void fl_activity_start(void);
/* Ends, and gives what was kept out: `list` and its texts belong to `block`, which is to be freed with fl_activity_free. */
typedef struct fl_activity_list {
    fl_activity *list;
    size_t count, lost; /* lost: what did not fit into memory or the limit */
    void *block;
} fl_activity_list;
void fl_activity_stop(fl_activity_list *out);
void fl_activity_free(fl_activity_list *list);

#endif
