/* Compiled graphs for all sizes of a bucket (opt/widen.h): recordings at several sizes share one executable. */
#ifndef FL_EAGER_WIDE_H
#define FL_EAGER_WIDE_H

#include "eager/recorded.h"

typedef struct fl_wide fl_wide;         /* a widened program and its executable; counted */
typedef struct fl_wide_run fl_wide_run; /* what a graph of certain sizes gives it */

struct fl_wide_options {
    const char *name;
    const fl_layout *arg_layouts, *layouts; /* as fl_recorded_compile takes them */
    uint32_t result_count;
    int64_t limit;    /* of sizes */
    int keep_program; /* for fl_recorded_text */
};

int fl_wide_possible(int device); /* 0: the device takes programs of any size as easily, or is not there */
/* `graph` and `other` are drafts of one recording at different sizes of the same buckets; their programs are consumed. The graph runs
 * the widened program then, as *out does for others. FL_UNSUPPORTED: why there is none, beginning with the name of an operation
 * where it is that one; FL_VALUE: a size beyond the limit. Then the program of `graph` is lost. The caller releases *out. */
fl_status fl_wide_make(fl_recorded_graph *graph, fl_recorded_graph *other, const fl_wide_options *options,
                       fl_wide **out);
/* 1: the draft, whose program is no longer needed, runs that executable; 0: it cannot. */
int fl_wide_serve(fl_wide *wide, fl_recorded_graph *graph, const fl_wide_options *options);
void fl_wide_release(fl_wide *wide); /* NULL is fine */

/* ---- for recorded.c ---- */

fl_status fl_wide_execute(const fl_recorded_graph *graph, int stream, const fl_binding *bindings);
const fl_program *fl_wide_program(const fl_wide_run *run);
void fl_wide_run_free(fl_wide_run *run);

#endif
