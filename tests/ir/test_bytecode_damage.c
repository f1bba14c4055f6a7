/* Damaged artifacts give errors, or programs that can be printed and written; they crash nothing and take no more memory than
 * their size allows. Meant to run with sanitizers as well. */
#include "check.h"
#include "conformance.h"
#include "ir/bytecode/bytecode.h"
#include "ir/bytecode/cursor.h"
#include "ir/text/parse.h"

enum { STEP = 97 };

static long damaged, refused;

/* The data end where the allocation ends, so that a sanitizer sees every read beyond. */
static void read_copy(const char *data, size_t size)
{
    char *copy = malloc(size ? size : 1);
    fl_program *p = NULL;
    fl_text out = {0};
    if (size) memcpy(copy, data, size);
    fl_status s = fl_read_bytecode(copy, size, &p);
    CHECK(!s == (p != NULL));
    CHECK(fl_status_code(s) != FL_INTERNAL);
    if (fl_status_code(s) == FL_INTERNAL) fprintf(stderr, "%s\n", fl_status_message(s));
    damaged++;
    refused += s != NULL;
    if (p) {
        fl_status_free(fl_write_bytecode(p, fl_stablehlo_version(), &out));
        fl_text_free(&out);
        fl_program_print(p, &out);
        CHECK(out.length > 0);
    }
    fl_text_free(&out);
    fl_status_free(s);
    fl_program_destroy(p);
    free(copy);
}

/* Cut off, and with one bit turned, at places `step` bytes apart; another bit at each. */
static void damage(const char *data, size_t size, size_t step, size_t first)
{
    char *copy = malloc(size + 1);
    memcpy(copy, data, size);
    for (size_t at = first; at < size; at += step) {
        read_copy(data, at);
        unsigned bit = (unsigned)(at / step) & 7;
        copy[at] ^= (char)(1u << bit);
        read_copy(copy, size);
        copy[at] = data[at];
    }
    free(copy);
}

static void damage_large(const conformance_file *f)
{
    damage(f->data, f->size, STEP, f->size % STEP);
}

static void damage_small(const conformance_file *f)
{
    damage(f->data, f->size, 7, f->size % 7);
}

/* Every byte of a small artifact, every value of it. */
static void damage_fully(void)
{
    static const char text[] =
        "func.func @main(%a: tensor<2x?xf32>, %p: tensor<i1>) -> tensor<2x?xf32> attributes {k = [1, \"x\"]} "
        "{\n"
        "%c = stablehlo.constant dense<[true, false]> : tensor<2xi1>\n"
        "%0 = \"stablehlo.if\"(%p) ({ \"stablehlo.return\"(%a) : (tensor<2x?xf32>) -> () }, {\n"
        "%1 = stablehlo.tanh %a : tensor<2x?xf32>\n"
        "\"stablehlo.return\"(%1) : (tensor<2x?xf32>) -> () }) : (tensor<i1>) -> tensor<2x?xf32>\n"
        "return %0 : tensor<2x?xf32> }";
    static const uint8_t versions[] = {9, 10, 12, 14, 20, 120};
    fl_program *p = NULL;
    CHECK_OK(fl_parse_text(text, sizeof text - 1, &p));
    for (size_t v = 0; p && v < sizeof versions; v++) {
        fl_text out = {0};
        CHECK_OK(fl_write_bytecode(p, (fl_vhlo_version){versions[v] / 100, versions[v] % 100, 0}, &out));
        for (size_t at = 0; at < out.length; at++) {
            char old = out.data[at];
            for (int value = 0; value < 256; value += 5) {
                out.data[at] = (char)(value + (int)(at % 5));
                read_copy(out.data, out.length);
            }
            out.data[at] = old;
            read_copy(out.data, at);
        }
        fl_text_free(&out);
    }
    fl_program_destroy(p);
}

/* ---- by hand ---- */

static void put(fl_text *t, uint64_t value) /* at most 14 bits */
{
    char two[2] = {(char)(value << 2 | 2), (char)(value >> 6)};
    fl_text_append(t, two, 2);
}

static void section(fl_text *t, int id, const fl_text *body)
{
    char c = (char)id;
    fl_text_append(t, &c, 1);
    put(t, body->length);
    if (body->length) fl_text_append(t, body->data, body->length);
}

/* An artifact whose module has attribute 0, with `count` attributes of which number i is an array, twice, of number i + 1: the
 * last is empty. Written out that would be 2^count. */
static void doubling(uint32_t count)
{
    fl_text t = {0}, dialects = {0}, offsets = {0}, data = {0}, ir = {0}, strings = {0};
    put(&dialects, 1); /* builtin, with the operation module */
    put(&dialects, 0);
    put(&dialects, 0);
    put(&dialects, 1);
    put(&dialects, 1);
    put(&offsets, count + 3);
    put(&offsets, 0);
    put(&offsets, 0);
    put(&offsets, count + 3);
    for (uint32_t i = 0; i < count; i++) {
        size_t from = data.length;
        put(&data, 0); /* array */
        put(&data, i + 1 < count ? 2 : 0);
        for (int k = 0; i + 1 < count && k < 2; k++) put(&data, i + 1);
        put(&offsets, (data.length - from) << 1 | 1);
    }
    put(&data, 15); /* a location */
    put(&offsets, 2 << 1 | 1);
    put(&data, 2); /* "module" as a name */
    put(&data, 1);
    put(&offsets, 4 << 1 | 1);
    put(&data, 1); /* {module = attribute 0} */
    put(&data, 1);
    put(&data, count + 1);
    put(&data, 0);
    put(&offsets, 8 << 1 | 1);
    put(&ir, 2);
    put(&ir, 0);
    fl_text_append(&ir, "\x11", 1); /* attributes and regions */
    put(&ir, count);
    put(&ir, count + 2);
    put(&ir, 2 | 1);
    put(&ir, 0);
    put(&strings, 2);
    put(&strings, 7);
    put(&strings, 8);
    fl_text_append(&strings, "builtin\0module", 15);
    fl_text_append(&t, "ML\xEFR\x01x\0", 7);
    section(&t, 1, &dialects);
    section(&t, 3, &offsets);
    section(&t, 2, &data);
    section(&t, 4, &ir);
    section(&t, 0, &strings);
    fl_program *p = NULL;
    fl_status s = fl_read_bytecode(t.data, t.length, &p);
    CHECK_INT(fl_status_code(s), count == 1 ? FL_INVALID : FL_UNSUPPORTED); /* it has no block */
    if (count == 200) CHECK(strstr(fl_status_message(s), "deep") != NULL);
    if (count == 60) CHECK(strstr(fl_status_message(s), "too much") != NULL);
    fl_status_free(s);
    fl_program_destroy(p);
    fl_text *parts[] = {&t, &dialects, &offsets, &data, &ir, &strings};
    for (int i = 0; i < 6; i++) fl_text_free(parts[i]);
}

static void test_cursor(void)
{
    static const uint8_t nine[] = {0, 1, 2, 3, 4, 5, 6, 7, 8}, two[] = {0x02, 0x01}, ones[] = {0xFF};
    fl_cursor c = fl_cursor_make(nine, sizeof nine);
    CHECK(fl_cursor_varint(&c) == 0x0807060504030201ull && !c.failed && !fl_cursor_left(&c));
    c = fl_cursor_make(two, sizeof two);
    CHECK(fl_cursor_varint(&c) == 64 && !c.failed); /* 14 bits, the lowest 6 in the first byte */
    c = fl_cursor_make(ones, sizeof ones);
    CHECK(fl_cursor_signed(&c) == -64);
    for (size_t size = 0; size < sizeof nine; size++) {
        c = fl_cursor_make(nine, size);
        CHECK(fl_cursor_varint(&c) == 0 && c.failed);
        CHECK(fl_cursor_byte(&c) == 0 && fl_cursor_bytes(&c, 1) == NULL && fl_cursor_sub(&c, 1).failed);
    }
    c = fl_cursor_make(ones, sizeof ones);
    CHECK(fl_cursor_count(&c) == 0 && c.failed); /* 127 things in no bytes */
    c = fl_cursor_make(nine, sizeof nine);
    CHECK(fl_cursor_bytes(&c, UINT64_MAX) == NULL && c.failed);
}

int main(void)
{
    test_cursor();
    doubling(1);
    doubling(60);
    doubling(200);
    damage_fully();
    conformance_each("vhlo", ".bc", damage_large);
    conformance_each("bytecode", ".mlirbc", damage_small);
    printf("%ld damaged artifacts, %ld refused\n", damaged, refused);
    return check_result();
}
