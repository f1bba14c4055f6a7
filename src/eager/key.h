/* Keys of the executable cache: every fact that a lowering or a plan may depend on, as 64-bit words. */
#ifndef FL_EAGER_KEY_H
#define FL_EAGER_KEY_H

#include "eager/eager.h"

#define FL_KEY_INLINE 256 /* words that fit without allocation; lists of tensors may need more */

typedef struct fl_key {
    uint64_t *words;
    uint32_t count, capacity;
    uint8_t functional; /* the call's */
    int failed;         /* out of memory, or an argument that no key describes */
    uint64_t space[FL_KEY_INLINE];
} fl_key;

/* Describes `call`. `looked_at`: the run-time scalars whose values matter for this operator. */
void fl_key_make(fl_key *key, const fl_call *call, uint64_t looked_at);
void fl_key_free(fl_key *key);

/* How two tensors on one buffer share memory: 0 not, 1 the same elements in the same order, 2 otherwise. */
int fl_tensor_alias(const fl_tensor *a, const fl_tensor *b);

#endif
