/* Flambeau: errors of the public C interface, and of the engine itself.
 *
 * A status is a pointer: NULL means success, anything else owns a code and a message and is given to fl_status_free once.
 * Messages are lower case, without a trailing period: "expected X, got Y". */
#ifndef FLAMBEAU_STATUS_H
#define FLAMBEAU_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define FL_API __attribute__((visibility("default")))
#else
#define FL_API
#endif

typedef enum fl_code {
    FL_OK = 0,
    FL_INVALID,     /* a wrong argument or program: RuntimeError in Python */
    FL_VALUE,       /* a wrong value: ValueError */
    FL_TYPE,        /* a wrong dtype or kind of argument: TypeError */
    FL_INDEX,       /* an index out of bounds: IndexError */
    FL_OOM,         /* device or host memory exhausted: torch.OutOfMemoryError */
    FL_UNSUPPORTED, /* valid, but there is no implementation: NotImplementedError */
    FL_INTERNAL,    /* a fault of ours */
} fl_code;

typedef struct fl_status_record *fl_status;

FL_API fl_code fl_status_code(fl_status status);        /* FL_OK for NULL */
FL_API const char *fl_status_message(fl_status status); /* valid until the status is freed; "" for NULL */
FL_API void fl_status_free(fl_status status);           /* NULL is fine */

#ifdef __cplusplus
}
#endif

#endif
