/* Errors: what the public header says of them, and how the engine makes and passes them on. */
#ifndef FL_BASE_STATUS_H
#define FL_BASE_STATUS_H

#include "flambeau/status.h"

/* Makes an error. Never fails: when memory is exhausted it returns a static out-of-memory status. The caller returns it or
 * gives it to fl_status_free. */
fl_status fl_error(fl_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts "<prefix>: " before the message of `status` (which it consumes); NULL stays NULL. */
fl_status fl_status_prefix(fl_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define FL_TRY(expression)                                                                                   \
    do {                                                                                                     \
        fl_status fl_status_ = (expression);                                                                 \
        if (__builtin_expect(fl_status_ != 0, 0)) return fl_status_;                                         \
    } while (0)

#define FL_CHECK(condition, code, ...)                                                                       \
    do {                                                                                                     \
        if (__builtin_expect(!(condition), 0)) return fl_error((code), __VA_ARGS__);                         \
    } while (0)

#endif
