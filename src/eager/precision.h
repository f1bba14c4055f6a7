/* How exact products of f32 are, and whether a device's compiler may keep more precision than types have.
 *
 * What is asked for comes from whoever owns the settings (the bridge: a context of torch.tpu.precision, else PyTorch's
 * float32_matmul_precision). A PJRT device is told by `precision_config`. The embedded device's products are f32 whatever that
 * says; for it, less is written into the program as products of bf16 numbers. */
#ifndef FL_EAGER_PRECISION_H
#define FL_EAGER_PRECISION_H

typedef enum fl_precision_asked {
    FL_ASKED_F32,     /* products of f32: PyTorch's "highest", and where nobody said anything */
    FL_ASKED_DEFAULT, /* one pass of bf16 products: PyTorch's "medium" */
    FL_ASKED_HIGH,    /* three passes: PyTorch's "high" */
    FL_ASKED_HIGHEST, /* f32, and convolutions as plain sums */
} fl_precision_asked;

#ifndef __cplusplus /* the bridge asks through the engine's table */

#include "ir/build.h"

/* `ask` returns this thread's fl_precision_asked. Called for operators with products alone. */
void fl_precision_source(int (*ask)(void));
fl_products fl_products_now(int device);

/* Of the process. Allowed at first, as XLA does. */
void fl_excess_precision_set(int allow);
int fl_excess_precision(void);
static inline int fl_rounds_as_written(void)
{
    return !fl_excess_precision();
}

#endif
#endif
