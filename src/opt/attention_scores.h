/* See attention.h. */
#ifndef FL_OPT_ATTENTION_SCORES_H
#define FL_OPT_ATTENTION_SCORES_H

#include "opt/attention.h"

/* Finds query, key, scale, bias and masks behind m->scores, whose layout is m->home; m->keys and m->rows are known. */
int fl_attention_match_scores(const fl_attention_finder *f, fl_attention_match *m);

#endif
