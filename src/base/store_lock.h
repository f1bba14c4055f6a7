/* Locks of a folder: bytes of its file `locks`. */
#ifndef FL_BASE_STORE_LOCK_H
#define FL_BASE_STORE_LOCK_H

#include <stdint.h>

#define FL_STORE_LOCKS "locks" /* the file's name */

/* As fl_store's lock and unlock; `folder` is its file descriptor. */
int fl_folder_lock(int folder, uint64_t which, int *out);
void fl_folder_unlock(int lock);

#endif
