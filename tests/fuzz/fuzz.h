/* A fuzz target: one function in libFuzzer's form, and how its seeds are made. */
#ifndef FL_TESTS_FUZZ_FUZZ_H
#define FL_TESTS_FUZZ_FUZZ_H

#include "base/text.h"
#include "ir/ir.h"

#include <stdint.h>

/* Any input must come back; a fault, a failed invariant (fl_fuzz_fail) or more than some seconds is a finding. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What the driver asks of a target. */
extern const int fl_fuzz_is_text; /* mutate tokens too */
/* Turns a corpus file into a seed in place, such as text into an artifact; 0: not for this target. */
int fl_fuzz_seed(fl_text *file);

/* Ends the process and keeps the input, as a crash does. */
_Noreturn void fl_fuzz_fail(const char *what, const char *why);
/* Fails unless `form` (of `program`) reads back to the same program. */
void fl_fuzz_must_read_back(const fl_program *program, const fl_text *form, const char *what);

#endif
