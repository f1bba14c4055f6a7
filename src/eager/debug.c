#include "eager/debug.h"

#include "eager/cache.h"
#include "eager/describe.h"
#include "eager/probe.h"

#include <stdlib.h>
#include <string.h>

static uint32_t wanted;

uint32_t fl_debug_set_checks(uint32_t checks)
{
    return __atomic_exchange_n(&wanted, checks, __ATOMIC_RELAXED);
}

/* ---- descriptions ---- */

static void add_arguments(fl_text *out, const fl_call *call)
{
    for (uint32_t i = 0; i < call->arg_count; i++) {
        if (call->args[i].tag == FL_TAG_NONE) continue;
        fl_text_printf(out, "\n  argument %u: ", i);
        fl_value_describe(&call->args[i], FL_ALL_STRIDES, out);
    }
}

/* An error with a text that was put together; consumes both. */
static fl_status text_error(fl_code code, fl_text *text)
{
    fl_status status = fl_error(code, "%s", text->failed ? "out of host memory" : text->data);
    fl_text_free(text);
    return status;
}

/* ---- NaN and infinite elements ---- */

static int is_wrong(const fl_probe_result *r, uint32_t checks)
{
    return (checks & FL_CHECK_NAN && r->nan_count) || (checks & FL_CHECK_INF && r->inf_count);
}

static void add_place(fl_text *out, const fl_tensor *t, int64_t number)
{
    int64_t index[FL_MAX_RANK];
    for (int d = t->rank - 1; d >= 0; d--) {
        index[d] = number % t->sizes[d];
        number /= t->sizes[d];
    }
    fl_numbers_describe(", the first at ", index, t->rank, out);
}

static void add_found(fl_text *out, const fl_tensor *t, const fl_probe_result *r)
{
    if (r->nan_count) {
        fl_text_printf(out, "%lld NaN", (long long)r->nan_count);
        add_place(out, t, r->first_nan);
    }
    if (r->inf_count) {
        fl_text_printf(out, "%s%lld infinite", r->nan_count ? "; " : "", (long long)r->inf_count);
        add_place(out, t, r->first_inf);
    }
}

/* Whether the call writes memory that the argument shows: then it has to be looked at before. */
static int is_written(const fl_call *call, const fl_tensor *t)
{
    for (uint32_t k = 0; k < call->target_count; k++) {
        const fl_target *to = &call->targets[k];
        if (to->kind == FL_TO_ARG && fl_value_tensor(&call->args[to->arg], to->element)->buffer == t->buffer)
            return 1;
    }
    return 0;
}

/* Of each source of the call: what was found in it. Sources that the call does not write are only looked at after a
 * failure, which finds the same. */
static fl_status probe_sources(const fl_call *call, fl_device *device, int written, fl_probe_result *found)
{
    for (uint32_t i = 0; i < call->entry->source_count; i++) {
        const fl_source *s = &call->entry->sources[i];
        const fl_tensor *t =
            s->kind == FL_FROM_TENSOR ? fl_value_tensor(&call->args[s->arg], s->element) : NULL;
        if (t && fl_probe_applies(t) && is_written(call, t) == written)
            FL_TRY(fl_probe(device, call->stream, t, &found[i]));
    }
    return NULL;
}

static void add_sources(fl_text *out, const fl_call *call, const fl_probe_result *found)
{
    for (uint32_t i = 0; i < call->entry->source_count; i++) {
        const fl_source *s = &call->entry->sources[i];
        if (s->kind != FL_FROM_TENSOR || !(found[i].nan_count || found[i].inf_count)) continue;
        fl_text_printf(out, "\n  argument %u had on entry: ", s->arg);
        add_found(out, fl_value_tensor(&call->args[s->arg], s->element), &found[i]);
    }
}

/* The k-th target as a tensor; `layout` gives its strides room. */
static fl_tensor target_tensor(const fl_call *call, const fl_target *t, fl_buffer *fresh, fl_layout *layout)
{
    if (t->kind == FL_TO_ARG) return *fl_value_tensor(&call->args[t->arg], t->element);
    *layout = fl_layout_dense(&t->type);
    return (fl_tensor){.buffer = fresh,
                       .sizes = t->type.dims,
                       .strides = layout->strides,
                       .dtype = t->type.dtype,
                       .rank = t->type.rank};
}

static fl_status report(const fl_call *call, fl_device *device, const fl_tensor *result, uint32_t number,
                        const fl_probe_result *r, fl_probe_result *sources)
{
    fl_text text = {0};
    FL_TRY(probe_sources(call, device, 0, sources));
    fl_text_printf(&text, "result %u, ", number);
    fl_tensor_describe(result, FL_ALL_STRIDES, &text);
    fl_text_printf(&text, ", has ");
    add_found(&text, result, r);
    add_sources(&text, call, sources);
    add_arguments(&text, call);
    return text_error(FL_INVALID, &text);
}

static fl_status check_results(const fl_call *call, fl_device *device, fl_buffer *const *fresh,
                               uint32_t checks, fl_probe_result *sources)
{
    uint32_t number = 0;
    for (uint32_t k = 0; k < call->target_count; k++) {
        const fl_target *t = &call->targets[k];
        fl_layout layout;
        fl_probe_result r;
        if (t->kind != FL_TO_FRESH && t->kind != FL_TO_ARG) continue;
        fl_tensor tensor = target_tensor(call, t, t->kind == FL_TO_FRESH ? *fresh++ : NULL, &layout);
        uint32_t at = number++;
        if (!fl_probe_applies(&tensor)) continue;
        FL_TRY(fl_probe(device, call->stream, &tensor, &r));
        if (is_wrong(&r, checks)) return report(call, device, &tensor, at, &r, sources);
    }
    return NULL;
}

/* ---- the call ---- */

static fl_status describe_failure(const fl_call *call, fl_status status)
{
    fl_text text = {0};
    fl_code code = fl_status_code(status);
    fl_text_printf(&text, "%s", fl_status_message(status));
    add_arguments(&text, call);
    fl_status_free(status);
    return text_error(code, &text);
}

static fl_status launch_and_wait(fl_call *call, fl_device *device, fl_buffer *const *fresh,
                                 fl_status (*launch)(fl_call *, fl_buffer *const *))
{
    fl_status status = launch(call, fresh);
    if (!status) status = device->vtable->synchronize(device, call->stream);
    return status ? describe_failure(call, status) : NULL;
}

fl_status fl_debug_launch(fl_call *call, fl_buffer *const *fresh,
                          fl_status (*launch)(fl_call *, fl_buffer *const *))
{
    uint32_t checks = __atomic_load_n(&wanted, __ATOMIC_RELAXED);
    fl_device *device;
    FL_TRY(fl_device_get(call->device, &device));
    if (fl_device_is_replaced(call->device)) return launch(call, fresh); /* recorded: nothing runs */
    if (!checks) return launch_and_wait(call, device, fresh, launch);
    fl_probe_result *sources = calloc(call->entry->source_count + 1u, sizeof *sources);
    FL_CHECK(sources, FL_OOM, "out of host memory");
    fl_status status = probe_sources(call, device, 1, sources);
    if (!status) status = launch_and_wait(call, device, fresh, launch);
    if (!status) status = check_results(call, device, fresh, checks, sources);
    free(sources);
    return status;
}
