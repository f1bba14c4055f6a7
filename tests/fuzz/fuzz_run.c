/* Verifier and executors: whatever verifies runs on the reference interpreter within its limits, or says why not; what runs there
 * runs on the embedded device's plans too. */
#include "fuzz.h"

#include "cpu/plan/plan.h"
#include "ir/read.h"
#include "opt/opt.h"
#include "ref/reference.h"

#include <stdlib.h>

enum { MOST_BYTES = 32 << 20, MOST_WORK = 2000000 };

const int fl_fuzz_is_text = 1;

int fl_fuzz_seed(fl_text *file)
{
    return file->length < 4 || file->data[0] != 'M' || file->data[1] != 'L';
}

static void ignore(void *user, const char *text)
{
    (void)user, (void)text;
}

/* Memory for values of these types, filled with small numbers; NULL when they are too many bytes. */
static void **make_values(const fl_program *p, const fl_ref *refs, uint32_t count, fl_ref first)
{
    size_t total = 0;
    void **values = calloc(count + 1u, sizeof *values);
    for (uint32_t i = 0; values && i < count; i++) {
        size_t bytes = fl_reference_bytes(fl_type_of(p, refs ? refs[i] : first + i));
        if (bytes > MOST_BYTES || (total += bytes) > MOST_BYTES ||
            !(values[i] = calloc(1, bytes ? bytes : 1))) {
            while (i-- > 0) free(values[i]);
            free(values);
            return NULL;
        }
        for (size_t k = 0; k < bytes; k += 7) ((uint8_t *)values[i])[k] = 1;
    }
    return values;
}

static void free_values(void **values, uint32_t count)
{
    for (uint32_t i = 0; values && i < count; i++) free(values[i]);
    free(values);
}

/* The device has no limits of its own: it gets what the interpreter has finished. */
static void run_plan(const fl_program *p, void **inputs, void **outputs)
{
    fl_plan *plan = NULL;
    fl_status status = fl_program_verify_plain(p);
    if (!status) status = fl_plan_create(p, NULL, &plan);
    if (!status && plan->scratch_bytes <= 8 * (size_t)MOST_BYTES) {
        void *scratch = aligned_alloc(64, plan->scratch_bytes / 64 * 64 + 64);
        if (scratch) status = fl_plan_run(plan, inputs, outputs, scratch);
        free(scratch);
    }
    fl_status_free(status);
    fl_plan_destroy(plan);
}

static void run(const fl_program *p)
{
    const fl_reference_options options = {.most_bytes = MOST_BYTES, .most_work = MOST_WORK, .print = ignore};
    const fl_block *main = p->main;
    void **inputs = make_values(p, NULL, main->arg_count, main->first_arg);
    void **outputs = make_values(p, main->results, main->result_count, 0);
    if (inputs && outputs) {
        fl_status status = fl_reference_run_with(p, &options, (const void *const *)inputs, outputs);
        if (!status) run_plan(p, inputs, outputs);
        fl_status_free(status);
    }
    free_values(inputs, main->arg_count);
    free_values(outputs, main->result_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_program *p, *refined;
    fl_status status = fl_program_read(data, size, &p);
    if (status) {
        fl_status_free(status);
        return 0;
    }
    status = fl_program_verify(p);
    if (status) fl_fuzz_fail("a program that was read does not verify", fl_status_message(status));
    run(p);
    status = fl_program_refine(p, NULL, p->main->arg_count, &refined);
    if (!status) {
        status = fl_program_verify(refined);
        if (status) fl_fuzz_fail("a refined program does not verify", fl_status_message(status));
        run(refined);
        fl_program_destroy(refined);
    }
    fl_status_free(status);
    fl_program_destroy(p);
    return 0;
}
