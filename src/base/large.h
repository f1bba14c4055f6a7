/* Memory of a compilation, kept for the next one: compiling takes memory and gives it back all the time, and the system's page
 * faults would cost as much as the compiler. */
#ifndef FL_BASE_LARGE_H
#define FL_BASE_LARGE_H

#include <stddef.h>

/* At least *bytes, not cleared; *bytes becomes what there is. NULL when out of memory. */
void *fl_large_alloc(size_t *bytes);
void fl_large_free(void *memory); /* or NULL */

#endif
