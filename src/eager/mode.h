/* How operators run: which of the three eager modes a thread is in.
 *
 * The thread's own mode (a context in Python) goes before that of the thread on whose behalf it works (a backward pass: PyTorch
 * runs it on threads of its own), before the one set for the process, before the environment: TORCH_TPU_LAUNCH_BLOCKING=1 (or
 * TPU_LAUNCH_BLOCKING) is debug, else TORCH_TPU_DEFER_AND_FUSE=1 (or TPU_DEFER_AND_FUSE) is fused, else strict. */
#ifndef FL_EAGER_MODE_H
#define FL_EAGER_MODE_H

typedef enum fl_eager_mode {
    FL_EAGER_STRICT, /* every operator is launched when it is called; nobody waits for it */
    FL_EAGER_DEBUG,  /* and waited for */
    FL_EAGER_FUSED   /* operators are recorded, and launched as one program when somebody needs a result */
} fl_eager_mode;

#define FL_NO_MODE (-1) /* what comes next in the precedence decides */

#ifndef __cplusplus /* the bridge asks through the engine's table */

/* The word that nearly always decides: the mode of the process, when no thread has one that goes before it. */
extern int fl_mode_word; /* FL_NO_MODE: fl_mode_find decides */
fl_eager_mode fl_mode_find(void);

static inline fl_eager_mode fl_mode_current(void)
{
    int mode = __atomic_load_n(&fl_mode_word, __ATOMIC_RELAXED);
    return mode >= 0 ? (fl_eager_mode)mode : fl_mode_find();
}

/* This thread's own mode from now on; FL_NO_MODE: none. Returns the one before, which ends it when given here. */
int fl_mode_exchange(int mode);
void fl_mode_inherit(int mode);      /* of the thread that this one works for; FL_NO_MODE: none */
int fl_mode_set(fl_eager_mode mode); /* for the process; returns what decided before for it */

#endif
#endif
