/* Recording for the Python package: tensors by their addresses. */
#include "api/module.h"
#include "eager/trace.h"

#include <stdlib.h>

static fl_status describe(const fl_trace_tensor *given, fl_tensor *out)
{
    FL_CHECK(given->size == sizeof *given, FL_INVALID,
             "expected the field size to be set to the size of the struct, got %zu", given->size);
    FL_CHECK(given->rank <= FL_MAX_RANK, FL_UNSUPPORTED, "expected at most %d dimensions, got %u",
             FL_MAX_RANK, given->rank);
    fl_dtype dtype = fl_dtype_named(given->dtype);
    FL_CHECK(dtype != FL_DTYPE_NONE, FL_TYPE, "expected a dtype such as f32, got %s",
             given->dtype ? given->dtype : "none");
    *out = (fl_tensor){.sizes = given->dims,
                       .strides = given->strides,
                       .dtype = (uint8_t)dtype,
                       .rank = (uint8_t)given->rank,
                       .conj = given->conjugate != 0,
                       .neg = given->negative != 0};
    if (!given->address) return NULL;
    out->buffer = fl_address_find(given->address, &out->offset);
    FL_CHECK(out->buffer, FL_INVALID, "%s: expected a tensor of the device",
             given->name ? given->name : "result");
    return NULL;
}

fl_status fl_trace_start(int device, fl_trace **out)
{
    *out = NULL;
    return fl_trace_begin(device, out);
}

fl_status fl_trace_input(fl_trace *trace, const fl_trace_tensor *given)
{
    fl_tensor tensor;
    FL_TRY(describe(given, &tensor));
    return fl_trace_argument(trace, &tensor, given->name ? given->name : "argument");
}

void fl_trace_keep_constants(fl_trace *trace)
{
    trace->keeps_constants = 1;
}

void fl_trace_cancel(fl_trace *trace)
{
    fl_trace_abandon(trace);
}

fl_status fl_trace_stop(fl_trace *trace, const fl_trace_tensor *results, uint32_t count, fl_module **out)
{
    fl_program *program;
    fl_tensor *tensors = calloc(count + 1u, sizeof *tensors);
    const char **names = calloc(count + 1u, sizeof *names);
    fl_status status = tensors && names ? NULL : fl_error(FL_OOM, "out of host memory");
    *out = NULL;
    for (uint32_t i = 0; !status && i < count; i++) {
        names[i] = results[i].name;
        status = describe(&results[i], &tensors[i]);
    }
    if (status)
        fl_trace_abandon(trace);
    else
        status = fl_trace_finish(trace, tensors, names, count, &program);
    free(tensors);
    free(names);
    return status ? status : fl_module_wrap(program, out);
}
