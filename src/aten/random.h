/* Random numbers: every value is made from a fixed number of words of the generator's Philox stream, one
 * after another, so that results depend neither on threads nor on layouts. A call draws once. */
#ifndef FL_ATEN_RANDOM_H
#define FL_ATEN_RANDOM_H

#include "aten/shapes.h"

/* `type` gives the shape and the floating type (f32 or f64) of the results: one word a value, two for f64. */
fl_ref fl_uniform(fl_builder *b, int generator, fl_type type,
                  int digits); /* [0, 1), multiples of 2^-digits (0: 24, or 53 for f64) */
fl_ref fl_uniform_open(fl_builder *b, int generator, fl_type type); /* (0, 1) */
fl_ref fl_normal(fl_builder *b, int generator, fl_type type);       /* mean 0, deviation 1 */

#endif
