/* Compiling for a device that is not there: a topology and a compiler, no client. */
#ifndef FL_PJRT_CLIENT_AOT_H
#define FL_PJRT_CLIENT_AOT_H

#include "flambeau.h"
#include "ir/ir.h"

/* As fl_module_aot of the public interface; the caller frees the report with fl_pjrt_aot_free. */
fl_status fl_pjrt_aot(const fl_program *program, const char *plugin, const char *topology,
                      fl_aot_report **out);
void fl_pjrt_aot_free(fl_aot_report *report);

/* ---- between the files of it ---- */

enum { FL_AOT_MESSAGE = 1200 };
/* Fills what concerns failures from the compiler's message, but for compiler_message; `text` has FL_AOT_MESSAGE bytes and
 * gets the plain words. */
void fl_aot_explain(fl_code code, const char *message, const char *device, fl_aot_report *report, char *text);

#endif
