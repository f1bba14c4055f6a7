#include "eager/mode.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static _Thread_local struct {
    signed char own, inherited; /* 1 + the mode; 0: none */
} of_thread;
static int of_process = FL_NO_MODE; /* until it is set, or the environment was read */
static int threads;                 /* that have a mode of one kind or both */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

int fl_mode_word = FL_NO_MODE;

/* The newer name decides where both are there. */
static int is_on(const char *name, const char *older)
{
    const char *text = getenv(name);
    if (!text) text = getenv(older);
    return text && !strcmp(text, "1");
}

/* With the lock held. */
static void update(void)
{
    if (of_process < 0) {
        int mode = is_on("TORCH_TPU_LAUNCH_BLOCKING", "TPU_LAUNCH_BLOCKING") ? FL_EAGER_DEBUG
                   : is_on("TORCH_TPU_DEFER_AND_FUSE", "TPU_DEFER_AND_FUSE") ? FL_EAGER_FUSED
                                                                             : FL_EAGER_STRICT;
        __atomic_store_n(&of_process, mode, __ATOMIC_RELAXED);
    }
    __atomic_store_n(&fl_mode_word, threads ? FL_NO_MODE : of_process, __ATOMIC_RELAXED);
}

fl_eager_mode fl_mode_find(void)
{
    if (of_thread.own) return (fl_eager_mode)(of_thread.own - 1);
    if (of_thread.inherited) return (fl_eager_mode)(of_thread.inherited - 1);
    int mode = __atomic_load_n(&of_process, __ATOMIC_RELAXED);
    if (mode >= 0) return (fl_eager_mode)mode;
    pthread_mutex_lock(&lock);
    update();
    mode = of_process;
    pthread_mutex_unlock(&lock);
    return (fl_eager_mode)mode;
}

static void of_thread_becomes(int own, int inherited)
{
    int before = of_thread.own || of_thread.inherited, after = own || inherited;
    of_thread.own = (signed char)own;
    of_thread.inherited = (signed char)inherited;
    if (before == after) return;
    pthread_mutex_lock(&lock);
    threads += after - before;
    update();
    pthread_mutex_unlock(&lock);
}

int fl_mode_exchange(int mode)
{
    int before = of_thread.own - 1;
    of_thread_becomes(mode + 1, of_thread.inherited);
    return before;
}

void fl_mode_inherit(int mode)
{
    if (of_thread.inherited != mode + 1) of_thread_becomes(of_thread.own, mode + 1);
}

int fl_mode_set(fl_eager_mode mode)
{
    pthread_mutex_lock(&lock);
    update();
    int before = of_process;
    __atomic_store_n(&of_process, (int)mode, __ATOMIC_RELAXED);
    update();
    pthread_mutex_unlock(&lock);
    return before;
}
