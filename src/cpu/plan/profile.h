/* Times of the steps that the embedded device runs, for FL_PROFILE=FILE (a trace in the JSON form that Perfetto and
 * chrome://tracing read) and for whoever collects activities (device/activity.h). Off, it costs two tests a run. */
#ifndef FL_CPU_PLAN_PROFILE_H
#define FL_CPU_PLAN_PROFILE_H

#include "cpu/isa.h"
#include "cpu/plan/plan.h"

/* What is known of a step when the plan is made. */
struct fl_note {
    const char *name, *shapes; /* shapes: operands -> results */
    uint64_t bytes, flops;     /* memory that must move at least; arithmetic */
};

/* Whether FL_PROFILE is set (read once). */
int fl_is_profiling(void);
/* Runs the steps as fl_plan_run_in does and records them, for both. */
fl_status fl_profile_steps(const fl_plan *plan, void *const *slots);
/* What this machine can do with all threads of the pool: measured once, when the first plan runs. */
typedef struct fl_peaks {
    double bytes_per_ns, flops_per_ns; /* a = b + s * c in memory; f32 multiply-adds in registers */
} fl_peaks;
fl_peaks fl_measure_peaks(void);

FL_ISA_DECLARE(void, fl_peak_triad, (float *a, const float *b, const float *c, int64_t n));
FL_ISA_DECLARE(float, fl_peak_fma, (int64_t rounds)); /* fl_peak_flops of them in each round */
FL_ISA_DECLARE(extern const int, fl_peak_flops, );

struct fl_planner;
struct fl_node;
struct fl_group;
/* Notes for the step made last. */
fl_status fl_note_library(struct fl_planner *p, const struct fl_node *node);
fl_status fl_note_loops(struct fl_planner *p, struct fl_group *const *groups, uint32_t count);

#endif
