#include "cpu/plan/scalar.h"

#include <string.h>

static inline char *at(fl_scalar_place place, void *const *slots)
{
    return (char *)slots[place & 0xffff] + (int64_t)(place >> 16);
}

/* -1: out of bounds, with `clamp` never. */
static inline int64_t element(const fl_scalar_index *index, void *const *slots, int clamp)
{
    int64_t offset = 0;
    for (uint32_t d = 0; d < index->count; d++) {
        const void *from = at(index->dims[d].at, slots);
        int64_t i = index->wide ? *(const int64_t *)from : *(const int32_t *)from, most = index->dims[d].most;
        if (!clamp && (i < 0 || i > most)) return -1;
        offset += (i < 0 ? 0 : i > most ? most : i) * index->dims[d].stride;
    }
    return offset;
}

static inline void move(void *out, const void *in, uint8_t size)
{
    switch (size) {
    case 1: *(uint8_t *)out = *(const uint8_t *)in; break;
    case 2: *(uint16_t *)out = *(const uint16_t *)in; break;
    case 4: *(uint32_t *)out = *(const uint32_t *)in; break;
    case 8: *(uint64_t *)out = *(const uint64_t *)in; break;
    default: memcpy(out, in, 16);
    }
}

#define OUT      at(i->out, slots)
#define IN(T, x) (*(const T *)at(i->x, slots))

fl_status fl_scalars_run(const fl_step *step, void *const *slots)
{
    const fl_scalars *s = step->data;
    for (const fl_scalar_instr *i = s->list, *end = i + s->count; i < end; i++) {
        switch ((fl_scalar_code)i->code) {
#define X(op, D, T, R, value)                                                                                \
    case FL_SCALAR_##op##_##D: {                                                                             \
        T a = IN(T, a), b = IN(T, b);                                                                        \
        (void)b;                                                                                             \
        *(R *)OUT = (value);                                                                                 \
        break;                                                                                               \
    }
            FL_SCALAR_OPS(X)
#undef X
#define X(name, op, D, T)                                                                                    \
    case FL_SCALAR_##name##_##D: *(uint8_t *)OUT = IN(T, a) op IN(T, b); break;
            FL_SCALAR_COMPARES(X)
#undef X
#define X(D, E, T, R)                                                                                        \
    case FL_SCALAR_##D##_TO_##E: *(R *)OUT = (R)IN(T, a); break;
            FL_SCALAR_CONVERTS(X)
#undef X
#define X(size, T)                                                                                           \
    case FL_SCALAR_COPY_##size: *(T *)OUT = IN(T, a); break;                                                 \
    case FL_SCALAR_SELECT_##size: {                                                                          \
        T yes = IN(T, b), no = IN(T, c);                                                                     \
        *(T *)OUT = IN(uint8_t, a) ? yes : no;                                                               \
        break;                                                                                               \
    }
            FL_SCALAR_SIZES(X)
#undef X
        case FL_SCALAR_COPY_16: memcpy(OUT, at(i->a, slots), 16); break;
        case FL_SCALAR_CALL: i->u.call(OUT, at(i->a, slots), at(i->b, slots), at(i->c, slots), 1); break;
        case FL_SCALAR_READ:
            move(OUT, at(i->a, slots) + element(i->u.index, slots, 1), i->u.index->size);
            break;
        case FL_SCALAR_WRITE:
            move(OUT + element(i->u.index, slots, 1), at(i->a, slots), i->u.index->size);
            break;
        case FL_SCALAR_PUT: {
            int64_t offset = element(i->u.index, slots, 0);
            if (offset >= 0) move(OUT + offset, at(i->a, slots), i->u.index->size);
            break;
        }
        case FL_SCALAR_NONE:
        case FL_SCALAR_CODE_COUNT: break;
        }
    }
    return NULL;
}
