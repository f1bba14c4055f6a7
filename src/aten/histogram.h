/* What histograms share. */
#ifndef FL_ATEN_HISTOGRAM_H
#define FL_ATEN_HISTOGRAM_H

#include "aten/shapes.h"

/* Moves ends that are equal apart. Ends that are not finite or not in order fail at the next synchronisation. */
void fl_widen_ends(fl_builder *b, fl_ref *low, fl_ref *high, double by);
/* Ends of dimension d of `dims`: those of the range (argument i), else of the numbers x. */
void fl_ends_of(fl_builder *b, fl_ref x, int i, int d, int dims, fl_ref *low, fl_ref *high);
/* bins + 1 edges at equal distances. */
fl_ref fl_bin_edges(fl_builder *b, fl_ref low, fl_ref high, int64_t bins);
/* i64: the bins between edges that the numbers x (1-d) lie in: each holds its lower edge, the last one both. */
fl_ref fl_bin_of(fl_builder *b, fl_ref x, fl_ref edges, fl_ref *out_inside);
/* Argument i, a weight for each point: flat, FL_NO_REF when None. It must be of the points' type. */
fl_ref fl_weights_of_points(fl_builder *b, int i, fl_dtype dtype);
/* Sums of weights (FL_NO_REF: ones) by bin; elements where `inside` is false count nowhere. All 1-d. */
fl_ref fl_count_bins(fl_builder *b, fl_ref bin, fl_ref inside, fl_ref weights, int64_t bins, fl_dtype dtype);

#endif
