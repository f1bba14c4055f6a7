/* Numbers of any dtype from host scalars. */
#ifndef FL_BASE_NUMBER_H
#define FL_BASE_NUMBER_H

#include "base/dtype.h"

/* A host number: integer when is_integer (exact for 64 bits), else re + i im. */
typedef struct fl_number {
    double re, im;
    int64_t integer;
    int is_integer;
} fl_number;

/* Stores `x` as one element of `dtype` (up to 16 bytes): integers wrap, floats round to nearest even, i1 is x != 0. Returns 0
 * when the dtype has no numbers. */
int fl_number_store(fl_number x, fl_dtype dtype, void *out);
/* Whether PyTorch takes `x` for a number of `dtype`: floats beyond the largest do not fit, nor do integers out of range, fractions are cut. */
int fl_number_fits(fl_number x, fl_dtype dtype);
/* Reads one element; the same dtypes. */
int fl_number_load(fl_dtype dtype, const void *element, fl_number *out);

#endif
