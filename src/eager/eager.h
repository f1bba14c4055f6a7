/* Eager execution: one operator call -> key -> cached executable (or lowering and compilation) -> launch.
 *
 * A call is done in two steps, so that whoever owns tensors (the bridge) can allocate and resize them in between:
 *   fl_call_prepare   finds or builds the executable and tells the results' types and where they go;
 *   fl_call_launch    runs it with the buffers of the results.
 * Everything is thread safe; the hit path takes no lock and allocates nothing. */
#ifndef FL_EAGER_EAGER_H
#define FL_EAGER_EAGER_H

#include "aten/call.h"
#include "device/device.h"

#define FL_MAX_ARGS 24 /* the most arguments a schema may have */

/* The counter-based random generator of a device: Philox key and counter. Atomic; PyTorch's Generator object wraps it. */
typedef struct fl_generator {
    uint64_t seed, offset;
} fl_generator;

typedef struct fl_cached fl_cached; /* a cache entry; valid from the call's preparation to its launch */

typedef struct fl_call {
    uint32_t op;        /* index into fl_operators */
    int device, stream; /* stream of the device that the work goes to */
    const fl_value *args;
    uint32_t arg_count;
    const uint16_t *written; /* positions of written arguments */
    uint32_t written_count;
    fl_generator *generator; /* the device's default, for calls whose generator argument is None */
    /* The functional form of an out= operator, see fl_call_find: 1 + the default floating dtype; else 0. */
    uint8_t functional;
    uint32_t
        factors; /* bit i, there: the results' types depend on the type of number i, never on its value */
    /* after fl_call_prepare: */
    uint8_t products; /* fl_products that its program was written with, where that matters */
    const fl_cached *entry;
    const fl_target *targets;
    uint32_t target_count;
    const fl_layout *layouts; /* of FL_TO_FRESH targets, indexed like targets; NULL: all dense row-major */
} fl_call;

/* `entry` must be NULL or come from an earlier preparation of the same call, which is given up. */
fl_status fl_call_prepare(fl_call *call);
/* `fresh[k]`: the buffer of the k-th FL_TO_FRESH target, laid out as the preparation says (NULL for an empty tensor). Written
 * arguments are those of the call. */
fl_status fl_call_launch(fl_call *call, fl_buffer *const *fresh);

/* Functional forms (add.Tensor) of out= operators (`op` is add.out, the arguments are those before out=). The types and strides
 * of their results follow from PyTorch's own rules, which the caller applies once for all calls that look the same: when
 * fl_call_find finds nothing, it runs the operator with results that PyTorch makes, and tells how they came out. From then
 * on the find prepares such calls. Of other calls it prepares those that were prepared before. */
int fl_call_find(fl_call *call);
fl_status fl_call_learn(fl_call *call, const fl_tensor *results, uint32_t count);

/* Gives up a prepared call that is not launched, on the thread that prepared it. A launched or failed one needs no such thing. */
void fl_call_abandon(fl_call *call);

/* Index of an operator by name ("add.out"), or -1. */
int fl_operator_find(const char *name);

typedef struct fl_cache_stats {
    uint64_t hits, misses, entries, build_ns; /* build: lowering and compilation together */
} fl_cache_stats;
void fl_cache_get_stats(fl_cache_stats *out);
/* Calls of each operator since the last reset, indexed like fl_operators. Monotonic between resets, any thread. */
uint64_t fl_operator_calls(uint32_t op);
void fl_operator_calls_reset(void);

#endif
