/* Errors. A status is a pointer: NULL means success, anything else owns a code and a message and must be
 * either returned to the caller or given to fl_status_free. Messages are lower case, without a trailing
 * period: "expected X, got Y". */
#ifndef FL_BASE_STATUS_H
#define FL_BASE_STATUS_H

typedef enum fl_code {
    FL_OK = 0,
    FL_INVALID,     /* a wrong argument: RuntimeError in Python */
    FL_VALUE,       /* a wrong value: ValueError */
    FL_TYPE,        /* a wrong dtype or kind of argument: TypeError */
    FL_INDEX,       /* an index out of bounds: IndexError */
    FL_OOM,         /* device or host memory exhausted: torch.OutOfMemoryError */
    FL_UNSUPPORTED, /* valid, but there is no implementation: NotImplementedError */
    FL_INTERNAL,    /* a fault of ours */
} fl_code;

typedef struct fl_status_record *fl_status;

/* Makes an error. Never fails: when memory is exhausted it returns a static out-of-memory status. */
fl_status fl_error(fl_code code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Puts "<prefix>: " before the message of `status` (which it consumes); NULL stays NULL. */
fl_status fl_status_prefix(fl_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
fl_code fl_status_code(fl_status status);
const char *fl_status_message(fl_status status); /* valid until the status is freed; "" for NULL */
void fl_status_free(fl_status status);           /* NULL is fine */

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
