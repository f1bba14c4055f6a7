/* Programs that users bring, for the Python package. */
#include "aten/embedded.h"
#include "api/module.h"
#include "base/text.h"

#include <stdlib.h>

fl_status fl_program_add(const void *data, size_t bytes, int keeps_kernels, int64_t *out_number)
{
    return fl_embedded_add(data, bytes, keeps_kernels, out_number);
}

static void describe(const fl_program *p, const fl_ref *refs, fl_ref first, uint32_t count, fl_text *out)
{
    fl_text_printf(out, "[");
    for (uint32_t i = 0; i < count; i++) {
        const fl_type *type = fl_type_of(p, refs ? refs[i] : first + i);
        fl_text_printf(out, "%s[\"%s\", [", i ? ", " : "", fl_dtype_name((fl_dtype)type->dtype));
        for (int d = 0; d < type->rank; d++)
            fl_text_printf(out, "%s%lld", d ? ", " : "",
                           type->dims[d] == FL_DYNAMIC ? -1 : (long long)type->dims[d]);
        fl_text_printf(out, "]]");
    }
    fl_text_printf(out, "]");
}

static fl_status give(fl_text *text, char **out)
{
    if (text->failed) {
        fl_text_free(text);
        return fl_error(FL_OOM, "out of host memory");
    }
    *out = text->data;
    return NULL;
}

fl_status fl_program_signature(int64_t number, char **out)
{
    const fl_program *p;
    fl_text text = {0};
    *out = NULL;
    FL_TRY(fl_embedded_find(number, &p));
    fl_text_printf(&text, "[");
    describe(p, NULL, p->main->first_arg, p->main->arg_count, &text);
    fl_text_printf(&text, ", ");
    describe(p, p->main->results, 0, p->main->result_count, &text);
    fl_text_printf(&text, "]");
    return give(&text, out);
}

static fl_status read_types(const fl_trace_tensor *inputs, uint32_t count, fl_type *types)
{
    for (uint32_t i = 0; i < count; i++) {
        fl_dtype dtype = fl_dtype_named(inputs[i].dtype);
        FL_CHECK(dtype != FL_DTYPE_NONE && inputs[i].rank <= FL_MAX_RANK, FL_TYPE,
                 "input %u: expected a dtype such as f32 and at most %d dimensions", i, FL_MAX_RANK);
        types[i] = fl_type_make(dtype, (int)inputs[i].rank, inputs[i].dims);
    }
    return NULL;
}

fl_status fl_program_results(int64_t number, const fl_trace_tensor *inputs, uint32_t count, char **out)
{
    fl_program *program = NULL;
    fl_type *types = calloc(count + 1u, sizeof *types);
    fl_status status = types ? read_types(inputs, count, types) : fl_error(FL_OOM, "out of host memory");
    *out = NULL;
    if (!status) status = fl_embedded_refine(number, types, count, &program);
    free(types);
    if (status) return status;
    fl_text text = {0};
    describe(program, program->main->results, 0, program->main->result_count, &text);
    fl_program_destroy(program);
    return give(&text, out);
}
