/* Compiled graphs: a recording (eager/trace.h) of operators that becomes one executable, to be run many times.
 *
 * Inside such a recording random numbers are drawn from a count of its own, which starts at 0; a run adds it to the
 * generator's offset, so that a graph draws what its operators would draw one by one. Data from the host are constants. */
#ifndef FL_EAGER_RECORDED_H
#define FL_EAGER_RECORDED_H

#include "eager/trace.h"

struct fl_wide;
typedef struct fl_wide_options fl_wide_options;

typedef enum fl_recorded_source {
    FL_RECORDED_TENSOR,
    FL_RECORDED_CAPTURED,
    FL_RECORDED_RANDOM
} fl_recorded_source;

typedef struct fl_recorded_arg {
    uint8_t
        kind; /* fl_recorded_source. TENSOR: as fl_trace_argument named them, in that order, before all others */
    int32_t
        result; /* of the executable: it is written to the argument's memory, with the argument's layout; or -1 */
    fl_buffer *buffer; /* CAPTURED: of the real device; whoever recorded keeps it alive */
    uint64_t stream;   /* RANDOM: whose state; 0 is the device's generator */
    uint64_t offset;   /* RANDOM: so many blocks further */
} fl_recorded_arg;

typedef struct fl_recorded_graph {
    fl_device *device;
    fl_executable *executable;
    fl_recorded_arg *args; /* one a parameter of the executable */
    uint32_t arg_count;
    uint32_t result_count;    /* of the executable: those asked for, then those that arguments name */
    uint64_t random_blocks;   /* drawn by one run */
    fl_program *program;      /* NULL unless it was to be kept, or is not compiled so far */
    struct fl_wide_run *wide; /* it runs a program for all sizes of a bucket (eager/wide.h); NULL: its own */
} fl_recorded_graph;

/* As fl_trace_begin. */
fl_status fl_recorded_begin(int device, fl_trace **out);
/* Random numbers are drawn from `stream` from now on, so many blocks after its state; *before: from where until now. The caller
 * comes back to stream 0, which is the device's generator, where it left that. */
void fl_recorded_random(fl_trace *trace, uint64_t stream, uint64_t offset, uint64_t before[2]);
/* Ends the recording, also on failure, and compiles what was recorded. `arg_layouts`: of the tensors that were named, by
 * which they are bound to runs; `layouts`: of the results, which have the shapes of the dense tensors `results`. `name` is for
 * profiles and errors. The caller frees the graph. */
fl_status fl_recorded_finish(fl_trace *trace, const char *name, const fl_layout *arg_layouts,
                             const fl_tensor *results, const fl_layout *layouts, uint32_t count,
                             int keep_program, fl_recorded_graph **out);
/* The same in two steps. The graph of the first cannot run; it keeps its program until the second, which takes `keep_program`. */
fl_status fl_recorded_draft(fl_trace *trace, const fl_tensor *results, uint32_t count,
                            fl_recorded_graph **out);
fl_status fl_recorded_compile(fl_recorded_graph *graph, const char *name, const fl_layout *arg_layouts,
                              const fl_layout *layouts, uint32_t count, int keep_program);
/* Queues a run; `bindings`: of the arguments, then of the results. */
fl_status fl_recorded_run(const fl_recorded_graph *graph, int stream, const fl_binding *bindings);
/* What lowerings ask besides the arguments (the precision of products): a graph that was recorded under other settings differs. */
uint64_t fl_recorded_settings(int device);
void fl_recorded_free(fl_recorded_graph *graph); /* NULL is fine; runs that are under way end well */
/* The program that was kept as MLIR text, which the caller frees; NULL: none was, or there is no memory. */
char *fl_recorded_text(const fl_recorded_graph *graph);

/* The same for the bridge (fl_recorded_get). */
typedef struct fl_recorded_functions {
    fl_status (*begin)(int device, fl_trace **out);
    fl_status (*argument)(fl_trace *trace, const fl_tensor *tensor, const char *name);
    void (*random)(fl_trace *trace, uint64_t stream, uint64_t offset, uint64_t before[2]);
    void (*abandon)(fl_trace *trace);
    fl_status (*finish)(fl_trace *trace, const char *name, const fl_layout *arg_layouts,
                        const fl_tensor *results, const fl_layout *layouts, uint32_t count, int keep_program,
                        fl_recorded_graph **out);
    fl_status (*draft)(fl_trace *trace, const fl_tensor *results, uint32_t count, fl_recorded_graph **out);
    fl_status (*compile)(fl_recorded_graph *graph, const char *name, const fl_layout *arg_layouts,
                         const fl_layout *layouts, uint32_t count, int keep_program);
    fl_status (*run)(const fl_recorded_graph *graph, int stream, const fl_binding *bindings);
    uint64_t (*settings)(int device);
    void (*release)(fl_recorded_graph *graph);
    char *(*text)(const fl_recorded_graph *graph);
    int (*can_widen)(int device);
    fl_status (*widen)(fl_recorded_graph *graph, fl_recorded_graph *other, const fl_wide_options *options,
                       struct fl_wide **out);
    int (*serve)(struct fl_wide *wide, fl_recorded_graph *graph, const fl_wide_options *options);
    void (*release_wide)(struct fl_wide *wide);
} fl_recorded_functions;

#endif
