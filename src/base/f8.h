/* The narrow float formats (f4, f6, f8 families) <-> f32. Values are stored one to a byte, in the low bits.
 */
#ifndef FL_BASE_F8_H
#define FL_BASE_F8_H

#include "base/dtype.h"

static inline int fl_is_f8(fl_dtype t)
{
    return t >= FL_F4E2M1FN && t <= FL_F8E8M0FNU;
}
/* `format` must satisfy fl_is_f8. Exact. */
float fl_f32_from_f8(fl_dtype format, uint8_t code);
/* Rounds to nearest even. Beyond the largest finite value: infinity where the format has it, else NaN where
 * it has that, else the largest finite value. NaN in a format without NaN gives -0; f8E8M0FNU turns zero and
 * negative values to NaN. */
uint8_t fl_f8_from_f32(fl_dtype format, float value);

#endif
