/* Custom calls that the reference interpreter knows. */
#ifndef FL_REF_CUSTOM_H
#define FL_REF_CUSTOM_H

#include "ir/ir.h"

/* A value: a dense array of its type's elements. */
typedef struct fl_tensor {
    const fl_type *type;
    void *data;
} fl_tensor;

typedef struct fl_custom_args {
    const fl_program *program;
    const fl_op *op; /* the call: target name, attributes */
    const fl_tensor *in, *out;
    uint32_t in_count, out_count;
    void *user; /* as registered */
} fl_custom_args;
/* Computes `out` from `in`; types are the caller's to check. May be called by several threads at once. */
typedef fl_status fl_custom_function(const fl_custom_args *args);

/* Makes `name` known to every program from now on, or replaces what it was. The name is copied. Built in:
 * the identities Sharding, SPMDFullToShardShape, SPMDShardToFullShape, annotate_device_placement;
 * LayoutConstraint; shape_assertion; dce_sink; fl.check_index; fl.attention (ir/attention.h); linear algebra (factor.h). FL_OOM when memory is exhausted. */
fl_status fl_custom_call_register(const char *name, fl_custom_function *function, void *user);
/* NULL: no such call. */
fl_custom_function *fl_custom_call_find(const char *name, void **out_user);
/* An entry of a call's configuration: of backend_config, or of mhlo.backend_config, where JAX writes it. NULL: there is none. */
const fl_literal *fl_custom_config(const fl_op *op, const char *name);

#endif
