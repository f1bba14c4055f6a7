/* Numbers: each decimal fraction becomes the nearest element, whatever its type, ties to even. Expected values: the C library
 * for f32 and f64, and for narrower types the list of their values with the exact midpoints between neighbours. */
#include "ir/text_case.h"
#include "base/f8.h"
#include "base/half.h"

#include <inttypes.h>
#include <math.h>

/* The elements of `type`, freed by the caller; NULL after an error, which *out_status may take. */
static uint8_t *elements(const char *list, const char *type, size_t *bytes, fl_status *out_status)
{
    fl_text text = {0};
    fl_program *p = NULL;
    uint8_t *copy = NULL;
    fl_text_printf(&text, "func.func @f() {\n%%0 = stablehlo.constant dense<%s> : tensor<%s>\nreturn\n}",
                   list, type);
    fl_status s = parse_exactly(text.data, text.length, &p);
    if (p) {
        const fl_attr *value = fl_op_attr(p->main->ops[0], FL_ATTR_value);
        *bytes = value->count;
        copy = malloc(value->count + 1);
        if (copy) memcpy(copy, value->u.dense, value->count);
    }
    if (out_status)
        *out_status = s;
    else
        CHECK_OK(s);
    fl_program_destroy(p);
    fl_text_free(&text);
    return copy;
}

static void check_bytes(int line, const char *list, const char *type, const void *expected, size_t count)
{
    size_t bytes = 0;
    uint8_t *got = elements(list, type, &bytes, NULL);
    check_count++;
    if (!got || bytes != count || memcmp(got, expected, count)) {
        check_failures++;
        fprintf(stderr, "line %d: dense<%s> : tensor<%s>: got %zu bytes", line, list, type, bytes);
        for (size_t i = 0; got && i < bytes && i < 32; i++) fprintf(stderr, " %02x", got[i]);
        fprintf(stderr, "\n");
    }
    free(got);
}
#define GIVES(list, type, ctype, ...)                                                                        \
    check_bytes(__LINE__, list, type, (const ctype[]){__VA_ARGS__}, sizeof((const ctype[]){__VA_ARGS__}))

static void refuse(int line, const char *list, const char *type, const char *part)
{
    size_t bytes;
    fl_status s = NULL;
    free(elements(list, type, &bytes, &s));
    check_count++;
    if (!s || !strstr(fl_status_message(s), part)) {
        check_failures++;
        fprintf(stderr, "line %d: dense<%s> : tensor<%s>: got %s\n", line, list, type,
                s ? fl_status_message(s) : "success");
    }
    fl_status_free(s);
}
#define REFUSES(list, type, part) refuse(__LINE__, list, type, part)

static void integers(void)
{
    GIVES("[-9223372036854775808, 9223372036854775807, -1, 0x10]", "4xi64", int64_t, INT64_MIN, INT64_MAX, -1,
          16);
    GIVES("[18446744073709551615, 0xFFFFFFFFFFFFFFFF, 0]", "3xui64", uint64_t, UINT64_MAX, UINT64_MAX, 0);
    GIVES("[-128, 127, 255, 0xFF]", "4xi8", int8_t, -128, 127, -1, -1);
    GIVES("[-8, 7, 15]", "3xi4", int8_t, -8, 7, -1);
    GIVES("[0, 15]", "2xui4", uint8_t, 0, 15);
    GIVES("[-2, 1, 3]", "3xi2", int8_t, -2, 1, -1);
    GIVES("[true, false, 1, 0, -1]", "5xi1", uint8_t, 1, 0, 1, 0, 1);
    GIVES("[4294967295, 0]", "2xui32", uint32_t, UINT32_MAX, 0);
    REFUSES("256", "i8", "2:31: expected a number within the range of type i8, got '256'");
    REFUSES("-129", "i8", "a number within the range of type i8, got '-129'");
    REFUSES("-1", "ui8", "a number within the range of type ui8, got '-1'");
    REFUSES("18446744073709551616", "ui64", "a number within the range of type ui64");
    REFUSES("-9223372036854775809", "i64", "a number within the range of type i64");
    REFUSES("9223372036854775808", "index", "a number within the range of type index");
    REFUSES("16", "ui4", "a number within the range of type ui4");
    REFUSES("2", "i1", "true or false of type i1, got '2'");
    REFUSES("true", "i8", "an integer of type i8, got 'true'");
    REFUSES("1.0", "i8", "'>'");
}

static void lists(void)
{
    GIVES("[[1, 2], [3, 4], [5, 6]]", "3x2xi16", int16_t, 1, 2, 3, 4, 5, 6);
    GIVES("[ [ [1], [ 2 ] ]\n, // comment > ]\n [[3],[4]] ]", "2x2x1xi8", int8_t, 1, 2, 3, 4);
    GIVES("7", "1000x1000xi32", int32_t, 7);
    GIVES("\"0x0100000002000000\"", "2xi32", int32_t, 1, 2);
    GIVES("\"0x0000803F\"", "1000xf32", float, 1.0f);
    GIVES("\"0x01000100FF\"", "5xi1", uint8_t, 1, 0, 1, 0, 1);
    GIVES("\"0x0580\"", "16xi1", uint8_t, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1);
    GIVES("\"0x0F070308\"", "4xi4", int8_t, -1, 7, 3, -8);
    GIVES("(1.0, -2.0)", "3xcomplex<f32>", float, 1, -2);
    GIVES("[(1.0,2.0), ( 3.0 , 0x7FF0000000000000 )]", "2xcomplex<f64>", double, 1, 2, 3, INFINITY);
    GIVES("[0x7F800000, -0.0, 0x00000001, 1.0]", "4xf32", float, INFINITY, -0.0f, 0x1p-149f, 1);
    size_t bytes = 1;
    free(elements("", "0x3xf32", &bytes, NULL));
    CHECK_INT(bytes, 0);
    bytes = 1;
    free(elements("[[], []]", "2x0xf32", &bytes, NULL));
    CHECK_INT(bytes, 0);
    REFUSES("", "2xf32", "expected elements, got the end of the elements");
    REFUSES("[1, 2, 3]", "2xi32", "2:36: expected ']' after 2 elements in dimension 0, got ','");
    REFUSES("[1]", "2xi32", "2:33: expected 2 elements in dimension 0, got ']'");
    REFUSES("[[1], [2, 3]]", "2x1xi32", "expected ']' after 1 elements in dimension 1");
    REFUSES("[1, 2]", "2x1xi32", "expected '[', got '1'");
    REFUSES("[[1], [2]]", "2xi32", "expected an integer of type i32, got '[1'");
    REFUSES("[1 2]", "2xi32", "expected ',' or ']', got '2'");
    REFUSES("1, 2", "2xi32", "expected '>', got ','");
    REFUSES("[1]", "i32", "expected one element, got '[1'");
    REFUSES("\"0x01\"", "2xi32", "expected 16 hexadecimal digits, or 8 for one element, got 2");
    REFUSES("\"0x0G00000002000000\"", "2xi32", "expected hexadecimal digits");
    REFUSES("\"0x0100000002000000000000000000000G\"", "4xi32", "expected hexadecimal digits");
    REFUSES("\"01\"", "i8", "expected \"0x...\"");
    REFUSES("1", "?xi32", "expected a tensor type without open dimensions");
    REFUSES("[1, 1]", "4000000000x4000000000xi32", "the size in bytes overflows");
    REFUSES("[1, 1]", "4000000000xi32", "expected as many elements as the type has");
    REFUSES("(1.0 2.0)", "complex<f32>", "a pair (real, imaginary)");
}

static void fractions(void)
{
    static const char *const hard[] = {"9007199254740993.0",
                                       "9007199254740992.99999999999999999999999999",
                                       "2.2250738585072011e-308",
                                       "4.9406564584124654e-324",
                                       "2.4703282292062327e-324",
                                       "2.4703282292062328e-324",
                                       "1.7976931348623157e308",
                                       "0.1",
                                       "123456789012345678901234567890.0",
                                       "6.0221409e+23",
                                       "8.41e+21",
                                       "9.5e-35",
                                       "3.4028234663852886e38",
                                       "1.17549435e-38",
                                       "1.40129846e-45",
                                       "7.0064923e-46",
                                       "0.3333333333333333333333333333333333333333333333333333333333",
                                       "5.0e-300",
                                       "1.0000000596046448",
                                       "1.00000005960464477539062500001",
                                       "1.000000059604644775390625",
                                       "1.000000178813934326171875",
                                       "0.0",
                                       "00012.5000",
                                       "1.e2"};
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        double d = strtod(hard[i], NULL);
        float f = strtof(hard[i], NULL);
        check_bytes(__LINE__, hard[i], "f64", &d, 8);
        if (isfinite(f)) check_bytes(__LINE__, hard[i], "f32", &f, 4);
    }
    uint64_t state = 1;
    char text[64];
    for (int i = 0; i < 40000; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        int digits = 1 + (int)(state >> 59) % 24, exponent = (int)(state >> 40 & 127) - 64;
        int n = 0;
        uint64_t r = state ^ state >> 29;
        for (int k = 0; k < digits; k++) {
            r = r * 6364136223846793005u + 1442695040888963407u;
            text[n++] = (char)('0' + (r >> 60) % 10);
            if (k == 0) text[n++] = '.';
        }
        snprintf(text + n, sizeof text - (size_t)n, "e%d", exponent);
        double d = strtod(text, NULL);
        float f = strtof(text, NULL);
        check_bytes(__LINE__, text, "f64", &d, 8);
        if (isfinite(f)) check_bytes(__LINE__, text, "f32", &f, 4);
    }
    REFUSES("1.8e308", "f64", "a number within the range of type f64, got '1.8e308'");
    REFUSES("1.0e999999999999", "f64", "a number within the range of type f64");
    GIVES("1.0e-999999999999", "f64", double, 0);
    REFUSES("3.5e38", "f32", "a number within the range of type f32, got '3.5e38'");
    REFUSES("65520.0", "f16", "a number within the range of type f16");
    GIVES("65519.99", "f16", uint16_t, 0x7bff);
    REFUSES("1", "f32", "a number with a decimal point of type f32, got '1'");
    REFUSES("1e5", "f32", "a number with a decimal point of type f32, got '1e5'");
    REFUSES(".5", "f32", "a number with a decimal point");
    REFUSES("0x1FFFFFFFF", "f32", "bits that fit of type f32, got '0x1FFFFFFFF'");
    REFUSES("nan", "f32", "a number with a decimal point");
}

static double value_of(fl_dtype dtype, unsigned code)
{
    if (dtype == FL_F16) return (double)fl_f32_from_f16((uint16_t)code);
    if (dtype == FL_BF16) return (double)fl_f32_from_bf16((uint16_t)code);
    return (double)fl_f32_from_f8(dtype, (uint8_t)code);
}

static void check_code(fl_dtype dtype, const char *text, unsigned code)
{
    size_t bytes = 0;
    uint8_t *got = elements(text, fl_dtype_name(dtype), &bytes, NULL);
    unsigned value = 0;
    if (got) memcpy(&value, got, bytes < 2 ? bytes : 2);
    check_count++;
    if (!got || value != code) {
        check_failures++;
        fprintf(stderr, "%s : %s: expected %x, got %x\n", text, fl_dtype_name(dtype), code, value);
    }
    free(got);
}

/* A number with all its digits. */
static void put_exactly(char *text, size_t capacity, double d)
{
    snprintf(text, capacity, "%.200f", d);
}

/* Every value, and the middle of every two: the even one; a little more or less: the nearer one. */
static void narrow(fl_dtype dtype, unsigned codes, unsigned step)
{
    char text[600];
    for (unsigned code = 0; code + 1 < codes; code += step) {
        double a = value_of(dtype, code), b = value_of(dtype, code + 1);
        if (!isfinite(a) || !isfinite(b)) continue;
        put_exactly(text, sizeof text, a);
        check_code(dtype, text, code);
        if (a >= b) continue;
        double middle = a + (b - a) / 2; /* exact */
        put_exactly(text, sizeof text, middle);
        check_code(dtype, text, code & 1 ? code + 1 : code);
        strcat(text, "000000000000000000000000000001");
        check_code(dtype, text, code + 1);
        put_exactly(text, sizeof text, nextafter(middle, 0));
        check_code(dtype, text, code);
    }
}

/* No value has this type, but attributes may. */
static void tf32(void)
{
    fl_program *p = parsed(
        __LINE__, "func.func private @f() attributes {a = dense<[1.0, 1.0004882812500001, 1.00048828125]> : "
                  "tensor<3xtf32>}");
    const fl_literal *l = p ? fl_literal_get(p->funcs[0]->attrs, "a") : NULL;
    CHECK(l && l->count == 12 && !memcmp(l->u.data, (float[]){1, 1.0009765625f, 1}, 12));
    fl_program_destroy(p);
}

int main(void)
{
    integers();
    lists();
    fractions();
    narrow(FL_F16, 0x7c00, 37);
    narrow(FL_BF16, 0x7f80, 61);
    for (fl_dtype dtype = FL_F4E2M1FN; dtype < FL_F8E8M0FNU; dtype++)
        narrow(dtype, 1u << (fl_dtypes[dtype].bits - 1), 1);
    for (unsigned code = 0; code < 255; code++) {
        char text[600];
        put_exactly(text, sizeof text, value_of(FL_F8E8M0FNU, code));
        check_code(FL_F8E8M0FNU, text, code);
    }
    tf32();
    REFUSES("7.0", "f4E2M1FN", "a number within the range of type f4E2M1FN");
    GIVES("6.9", "f4E2M1FN", uint8_t, 7);
    REFUSES("464.1", "f8E4M3FN", "a number within the range of type f8E4M3FN");
    GIVES("[0.0, 0.1, 3.1415]", "3xf8E8M0FNU", uint8_t, 0, 124, 129);
    REFUSES("-1.0", "f8E8M0FNU", "a number within the range of type f8E8M0FNU");
    return check_result();
}
