/* Invariants that the targets share. */
#include "fuzz.h"

#include "ir/read.h"

#include <stdio.h>
#include <stdlib.h>

_Noreturn void fl_fuzz_fail(const char *what, const char *why)
{
    fprintf(stderr, "fuzz: %s: %s\n", what, why);
    abort();
}

void fl_fuzz_must_read_back(const fl_program *program, const fl_text *form, const char *what)
{
    fl_program *back;
    fl_text why = {0};
    if (form->failed) return; /* memory is short: no finding */
    fl_status status = fl_program_read(form->data, form->length, &back);
    if (fl_status_code(status) == FL_OOM) {
        fl_status_free(status);
        return;
    }
    if (status) fl_fuzz_fail(what, fl_status_message(status));
    if (!fl_program_equal(program, back, &why)) fl_fuzz_fail(what, why.data ? why.data : "another program");
    fl_text_free(&why);
    fl_program_destroy(back);
}
