/* Messages of protobuf: reading and writing their fields. */
#include "pjrt/proto.h"

uint64_t fl_proto_varint(fl_proto *c)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (c->at == c->end) break;
        unsigned char byte = *c->at++;
        if (shift < 64) value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return value;
    }
    c->bad = 1;
    return 0;
}

static uint64_t fixed(fl_proto *c, size_t size)
{
    uint64_t value = 0;
    if ((size_t)(c->end - c->at) < size) {
        c->bad = 1;
        return 0;
    }
    for (size_t i = 0; i < size; i++) value |= (uint64_t)c->at[i] << 8 * i;
    c->at += size;
    return value;
}

int fl_proto_next(fl_proto *c, fl_proto_field *out)
{
    if (c->bad || c->at == c->end) return 0;
    uint64_t tag = fl_proto_varint(c);
    *out = (fl_proto_field){.number = (uint32_t)(tag >> 3)};
    switch (tag & 7) {
    case 0: out->value = fl_proto_varint(c); break;
    case 1: out->value = fixed(c, 8); break;
    case 5: out->value = fixed(c, 4); break;
    case 2: {
        uint64_t size = fl_proto_varint(c);
        if (c->bad || size > (uint64_t)(c->end - c->at)) {
            c->bad = 1;
            break;
        }
        out->bytes = (fl_proto){c->at, c->at + size, 0};
        c->at += size;
        break;
    }
    default: c->bad = 1;
    }
    if (!out->number) c->bad = 1;
    return !c->bad;
}

static void put_varint(fl_text *t, uint64_t value)
{
    char bytes[10];
    size_t n = 0;
    for (; value > 0x7F; value >>= 7) bytes[n++] = (char)(value | 0x80);
    bytes[n++] = (char)value;
    fl_text_append(t, bytes, n);
}

void fl_proto_put_number(fl_text *t, unsigned field, uint64_t value)
{
    put_varint(t, field << 3);
    put_varint(t, value);
}

void fl_proto_put_packed(fl_text *t, unsigned field, const int64_t *values, int64_t count)
{
    fl_text list = {0};
    for (int64_t i = 0; i < count; i++) put_varint(&list, (uint64_t)values[i]);
    put_varint(t, field << 3 | 2);
    put_varint(t, list.length);
    fl_text_append(t, list.data ? list.data : "", list.length);
    t->failed |= list.failed;
    fl_text_free(&list);
}

void fl_proto_put_bytes(fl_text *t, unsigned field, const void *bytes, size_t size)
{
    put_varint(t, field << 3 | 2);
    put_varint(t, size);
    if (size) fl_text_append(t, bytes, size);
}
