/* Recording: the operators that a thread calls become one program instead of running. What runs is the same as ever (the
 * same kernels, lowerings and cache), on a device that takes the real one's place for this thread and has no memory: its
 * buffers stand for values of the program.
 *
 * Arguments of the program are, in order of their first use: buffers that fl_trace_argument names; buffers of the real
 * device (what the code recorded keeps somewhere); states of random generators (u64[2]). Results are the tensors given to
 * fl_trace_finish, then new values of the arguments that were written, which alias those. Numbers are constants. Reading a
 * value is an error: the program would depend on what is not there. */
#ifndef FL_EAGER_TRACE_H
#define FL_EAGER_TRACE_H

#include "aten/value.h"
#include "device/device.h"
#include "eager/eager.h"
#include "ir/build.h"

typedef struct fl_trace fl_trace;

/* From now on this thread's work on device `index` is recorded. One recording a thread at a time. */
fl_status fl_trace_begin(int index, fl_trace **out);
/* The dense tensor, whose buffer was allocated since and not written to, is an argument. */
fl_status fl_trace_argument(fl_trace *trace, const fl_tensor *tensor, const char *name);
/* Ends the recording, also on failure. `names` and each of them may be NULL. The caller owns the program, whose arguments
 * and results have names ("fl.name"). */
fl_status fl_trace_finish(fl_trace *trace, const fl_tensor *results, const char *const *names, uint32_t count,
                          fl_program **out);
void fl_trace_abandon(fl_trace *trace); /* ends it; on the thread that began it */

/* ---- between the files of the recorder ---- */

/* What a buffer holds. */
typedef struct fl_traced {
    uint64_t trace; /* whose value it is; 0: nothing was written so far, it reads as zeros */
    fl_ref value;   /* FL_NO_REF: none, or bytes from the host */
    fl_type type;
    void *host;     /* bytes that become a constant when an operator says of which type they are */
    uint64_t epoch; /* of the call that gave it the number `slot` */
    uint32_t slot;
    uint8_t is_argument, is_orphan; /* the recording uses it; its buffer is gone */
} fl_traced;

/* The state of a buffer of the device without memory. */
static inline fl_traced *fl_traced_of(const fl_buffer *buffer)
{
    return (fl_traced *)buffer->own;
}

typedef struct fl_trace_arg {
    fl_traced *at;     /* NULL: a random generator's state, or a tensor without elements */
    fl_buffer *buffer; /* of the real device; NULL: a buffer of the recorder */
    fl_ref parameter;
    fl_type type;
    char *name;
    int is_random;
    uint64_t state[2]; /* at the first use of the generator */
} fl_trace_arg;

struct fl_trace {
    uint64_t number, epoch;
    fl_device *device;
    fl_builder builder;
    fl_trace_arg *args;
    uint32_t arg_count, arg_capacity;
    int keeps_constants;    /* data from the host are constants, however large */
    int is_graph;           /* eager/recorded.h: random numbers are its own */
    fl_generator generator; /* its random numbers */
};

fl_trace *fl_trace_current(void);                      /* this thread's; NULL: none */
fl_status fl_recorder_get(int index, fl_device **out); /* the device without memory; it stays */
void fl_recorder_lock(fl_device *recorder);            /* guards which buffers are gone */
void fl_recorder_unlock(fl_device *recorder);
fl_status fl_trace_execute(fl_trace *trace, const fl_program *program, const fl_compile_options *options,
                           const fl_binding *inputs, const fl_binding *outputs);
fl_status fl_trace_upload(fl_trace *trace, fl_buffer *buffer, int64_t offset, const void *data, size_t bytes);
/* The generator that stands for `asked` (NULL: the default one) in the recording of a graph; NULL: no such recording. */
fl_status fl_trace_generator(const fl_generator *asked, fl_generator **out);
/* The program of a recording that goes on. *out_aliases, allocated with malloc: of each argument 1 + the result that is its new
 * value; 0: none. */
fl_status fl_trace_collect(fl_trace *trace, const fl_tensor *results, const char *const *names,
                           uint32_t count, fl_program **out, uint32_t **out_aliases);
fl_status fl_trace_download(fl_trace *trace, fl_buffer *buffer, int64_t offset, size_t bytes, void *out);

#endif
