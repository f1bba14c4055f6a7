/* Recognition of attention, forward and backward, in programs for devices that have fl.attention (ir/attention.h). */
#ifndef FL_OPT_ATTENTION_H
#define FL_OPT_ATTENTION_H

#include "ir/attention.h"
#include "opt/axes.h"

typedef struct fl_placed {
    fl_ref ref; /* FL_NO_REF: none */
    fl_axis_lists layout;
    int inverted; /* of a mask: true excludes */
} fl_placed;

typedef struct fl_factor {
    fl_ref ref;      /* a scalar, or FL_NO_REF */
    int divides;     /* by ref */
    double constant; /* and times this */
} fl_factor;

enum { FL_MOST_MASKS = 6 };

/* Found around one exponential. Layouts share one set of axes; those of the scores' dimensions come first. */
typedef struct fl_attention_match {
    fl_axes axes;
    const fl_op *exp;
    fl_ref scores,
        weights;        /* operand of the softmax; its result, or the exponential where logsumexp is given */
    fl_ref sum, peak;   /* reductions */
    fl_axis_lists home; /* of scores and weights */
    fl_axis_lists keys, rows; /* axes of S and T */
    fl_attention_spec spec;
    fl_factor scale;
    fl_placed query, key, value, bias, masks[FL_MOST_MASKS],
        hidden[FL_MOST_MASKS]; /* hidden: conditions of selects */
    int mask_count, hidden_count, has_fill;
    fl_axis_lists width, value_width; /* axes */
    /* forward */
    const fl_op *product; /* weights x value; NULL: not here */
    fl_axis_lists result;
    fl_placed log_sum; /* what is to be replaced, or in the backward form what is given */
    /* backward */
    fl_ref plain_slopes;       /* gradient of the scores; FL_NO_REF: not here */
    fl_placed grad, out;       /* out.ref FL_NO_REF: the forward call's result */
    const fl_op *gradients[3]; /* of query, key, value; NULL: not wanted */
    fl_axis_lists gradient_layouts[3];
    /* made while the program is rewritten */
    fl_ref made_out, made_log_sum, made_gradients;
    int dropped;
} fl_attention_match;

typedef struct fl_attention_finder {
    const fl_program *program;
    const fl_block *block;
    /* of the block, in its order: products, and where slopes may begin (multiplications, subtractions); blocks have many
     * operations and many softmaxes */
    const fl_op **products, **arithmetic;
    uint32_t product_count, arithmetic_count;
} fl_attention_finder;

/* What both files of the search use. */
static inline const fl_op *fl_attention_def(const fl_attention_finder *f, fl_ref r)
{
    return f->program->defs[r].op;
}
int fl_attention_number(const fl_attention_finder *f, fl_ref r,
                        double *out); /* all elements are one known number */
fl_placed fl_attention_base(const fl_attention_finder *f, fl_axes *a, fl_ref r,
                            fl_axis_lists l); /* behind movement */
/* Multiplication by (or division through) a scalar: which operand is the other one; -1: neither. */
int fl_attention_scaled(const fl_attention_finder *f, const fl_op *op, fl_factor *factor);
/* Layouts of a product's operands and result from one operand's: `side` is known; contracted axes are the known ones. */
int fl_attention_product_layouts(const fl_attention_finder *f, fl_axes *a, const fl_op *op, uint32_t side,
                                 const fl_axis_lists *known, fl_axis_lists *other, fl_axis_lists *fresh,
                                 fl_axis_lists *result, fl_axis_lists *contracted);
/* From the result: which side's free axes are `keys`? *side (the other one), and both layouts with fresh contracted axes. */
int fl_attention_product_up(const fl_attention_finder *f, fl_axes *a, const fl_op *op,
                            const fl_axis_lists *result, const fl_axis_lists *keys, uint32_t *key_side,
                            fl_axis_lists operands[2], fl_axis_lists *contracted);

/* Whether r is a sum or maximum of one operand from the neutral element; over which dimensions. */
int fl_attention_reduction(const fl_attention_finder *f, fl_ref r, fl_opcode code, const int64_t **dims,
                           uint32_t *count);
int fl_attention_match_softmax(const fl_attention_finder *f, const fl_op *exp, fl_attention_match *m);
int fl_attention_match_gradients(const fl_attention_finder *f, fl_attention_match *m);

/* A new program in which attention is a call; NULL where there is none. The caller owns *out. */
fl_status fl_program_find_attention(const fl_program *program, fl_program **out);

#endif
