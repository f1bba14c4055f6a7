/* Messages of protobuf, and those of XLA that several files use. Internal to pjrt/. */
#ifndef FL_PJRT_PROTO_H
#define FL_PJRT_PROTO_H

#include "base/text.h"
#include "opt/sharding.h"

typedef struct fl_proto {
    const unsigned char *at, *end;
    int bad; /* what was read is no message */
} fl_proto;

typedef struct fl_proto_field {
    uint32_t number;
    uint64_t value; /* varint and fixed */
    fl_proto bytes; /* length-delimited */
} fl_proto_field;

static inline fl_proto fl_proto_of(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    return (fl_proto){at, at + size, 0};
}
uint64_t fl_proto_varint(fl_proto *c);
/* The next field; 0 at the end or where the bytes are none of a message. */
int fl_proto_next(fl_proto *c, fl_proto_field *out);

void fl_proto_put_number(fl_text *t, unsigned field, uint64_t value);
void fl_proto_put_bytes(fl_text *t, unsigned field, const void *bytes, size_t size);
void fl_proto_put_packed(fl_text *t, unsigned field, const int64_t *values, int64_t count);

/* ---- xla_data.proto (proto_xla.c) ---- */

/* Appends an OpSharding; `partitions`: those at each place; NULL: in order. */
fl_status fl_proto_put_sharding(const fl_mesh *mesh, const int64_t *partitions, const fl_sharding *s,
                                fl_text *out);
/* Reads one of a value of this rank, in terms of the mesh's axes. FL_UNSUPPORTED: its tiles are none that the mesh cuts. */
fl_status fl_proto_read_sharding(const fl_mesh *mesh, fl_proto bytes, int rank, fl_sharding *out);
/* Those of several values, which is a tuple of them. */
fl_status fl_proto_read_shardings(const fl_mesh *mesh, fl_proto bytes, uint32_t count,
                                  const fl_type *const *types, fl_sharding *out);
/* Appends a ShapeProto. FL_UNSUPPORTED: no tensor of a type that XLA has. */
fl_status fl_proto_put_shape(const fl_type *type, fl_text *out);
/* A message that holds others one after another: the shape or the sharding of a tuple. */
enum { FL_PROTO_TUPLE_SHAPES = 4, FL_PROTO_TUPLE_SHARDINGS = 5 };

#endif
