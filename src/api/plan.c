/* What the embedded device makes of a program, as text. */
#include "api/module.h"
#include "base/switches.h"
#include "base/text.h"
#include "cpu/plan/plan.h"
#include "device/device.h"
#include "opt/opt.h"

static fl_status plan_text(const fl_program *program, fl_text *out)
{
    fl_program *optimized = NULL;
    fl_plan *plan = NULL;
    const fl_compile_options options = {.name = program->name};
    fl_status status = fl_program_verify_plain(program);
    if (!status && !fl_is_disabled("opt")) status = fl_optimize(program, NULL, &optimized);
    if (!status) status = fl_plan_create(optimized ? optimized : program, &options, &plan);
    if (!status) fl_plan_print(plan, out);
    fl_plan_destroy(plan);
    fl_program_destroy(optimized);
    return status;
}

fl_status fl_module_plan(const fl_module *module, char **out)
{
    fl_program *refined = NULL;
    fl_text text = {0};
    *out = NULL;
    FL_TRY(fl_program_refine(module->program, NULL, fl_module_input_count(module), &refined));
    fl_status status = fl_program_unshard(refined);
    if (!status) status = plan_text(refined, &text);
    fl_program_destroy(refined);
    if (!status && text.failed) status = fl_error(FL_OOM, "out of host memory");
    if (status)
        fl_text_free(&text);
    else
        *out = text.data;
    return status;
}
