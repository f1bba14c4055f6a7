/* Running one lowering: from the arguments of a call to a program, with a recipe of where its parameters come from and
 * where its results go. */
#ifndef FL_ATEN_CALL_H
#define FL_ATEN_CALL_H

#include "aten/value.h"
#include "ir/build.h"

/* One row of the operator table. `lower` builds programs. */
typedef struct fl_operator {
    const char *name; /* schema name with overload, without namespace: "add.out" */
    void (*lower)(fl_builder *b);
} fl_operator;

extern const fl_operator fl_operators[];
uint32_t fl_operator_count(void);

/* Where a parameter of the program comes from. */
typedef enum fl_source_kind {
    FL_FROM_TENSOR,
    FL_FROM_SCALAR,
    FL_FROM_FITTING_SCALAR, /* which the call's number must be able to become */
    FL_FROM_RANDOM
} fl_source_kind;
typedef struct fl_source {
    uint8_t kind;    /* fl_source_kind */
    uint8_t dtype;   /* of the parameter */
    int16_t element; /* of a list argument, or -1 */
    uint16_t arg;
} fl_source;

/* Where a result of the program goes. */
typedef enum fl_target_kind { FL_TO_FRESH, FL_TO_ARG, FL_TO_UNDEFINED, FL_TO_INTEGER } fl_target_kind;
typedef struct fl_target {
    uint8_t kind;    /* fl_target_kind */
    uint8_t uniform; /* all elements are equal, so that some of them may lie in one place */
    int16_t element;
    uint16_t arg;
    fl_type type;    /* of the program's result; meaningless for UNDEFINED and INTEGER */
    int64_t integer; /* INTEGER: the value */
} fl_target;

typedef struct fl_lowered {
    fl_program *program; /* owned by the receiver */
    fl_source *sources;  /* one a parameter; allocated with malloc, owned by the receiver, as targets */
    fl_target *targets;  /* in order; the program's results are those that are FRESH or ARG */
    uint32_t source_count, target_count, result_count;
    uint64_t random_words; /* 32-bit numbers drawn */
    uint64_t
        looked_at; /* fl_scalar_bit of the run-time scalar arguments whose values the lowering looked at, and below */
} fl_lowered;

/* Integers and floating numbers are told apart: an operator that asks whether alpha is the integer 1 stays open for every
 * learning rate. */
static inline uint64_t fl_scalar_bit(const fl_value *v, int i)
{
    return 1ull << (v->tag == FL_TAG_DOUBLE || v->tag == FL_TAG_COMPLEX ? i + 32 : i);
}

/* A lowering that built products of f32 looked at how those are to be written. */
#define FL_LOOKED_AT_PRODUCTS (1ull << 31) /* no argument has this bit */

/* `written[k]` are positions of the arguments that the schema says are written (tensors or lists), in order. */
fl_status fl_lower(const fl_operator *op, const fl_value *args, uint32_t arg_count, const uint16_t *written,
                   uint32_t written_count, fl_products products, fl_lowered *out);
void fl_lowered_free(fl_lowered *lowered);

/* Converts a scalar argument (or element of a list of them; else -1) to `dtype`, into at most 16 bytes. */
fl_status fl_value_store(const fl_value *value, int element, fl_dtype dtype, void *out);
/* Of a source that is a scalar. */
fl_status fl_source_store(const fl_source *source, const fl_value *args, void *out);
const fl_tensor *fl_value_tensor(const fl_value *value, int element); /* element -1: the value itself */

#endif
