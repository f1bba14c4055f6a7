/* Artifacts: upstream's are read, equal their text, and come out byte for byte; what a version cannot say is refused. */
#include "check.h"
#include "conformance.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/parse.h"

static void check_equal(const fl_program *a, const fl_program *b, const char *name)
{
    fl_text why = {0};
    int equal = fl_program_equal(a, b, &why);
    CHECK(equal);
    if (!equal) fprintf(stderr, "%s: %s\n", name, why.data ? why.data : "?");
    fl_text_free(&why);
}

static void check_bytes(const fl_program *p, fl_vhlo_version v, const char *data, size_t size,
                        const char *name)
{
    fl_text out = {0};
    CHECK_OK(fl_write_bytecode(p, v, &out));
    int same = out.length == size && !memcmp(out.data, data, size);
    CHECK(same);
    if (!same) fprintf(stderr, "%s: other bytes\n", name);
    fl_text_free(&out);
}

/* The text of the same program, if it is there. */
static fl_program *parse_beside(const conformance_file *f, size_t suffix)
{
    conformance_file text;
    fl_program *p = NULL;
    char path[1024];
    snprintf(path, sizeof path, "%.*s", (int)(strlen(f->path) - suffix), f->path);
    if (!conformance_load(path, &text)) return NULL;
    CHECK_OK(fl_parse_text(text.data, text.size, &p));
    free(text.data);
    return p;
}

static void test_compatibility(const conformance_file *f)
{
    fl_vhlo_version v;
    fl_program *p = NULL;
    CHECK(fl_is_bytecode(f->data, f->size) && fl_bytecode_version(f->data, f->size, &v));
    if (!strncmp(f->name, "invalid_vhlo_future", 19)) {
        CHECK_ERROR(fl_read_bytecode(f->data, f->size, &p), FL_UNSUPPORTED,
                    "unknown operation vhlo.constant_v99");
        CHECK_ERROR(fl_read_bytecode(f->data, f->size, &p), FL_UNSUPPORTED,
                    "StableHLO 2.0.0, newer than 1.20.0");
        return;
    }
    CHECK_OK(fl_read_bytecode(f->data, f->size, &p));
    fl_program *text = parse_beside(f, 3);
    if (!p || !text) return;
    check_equal(p, text, f->name);
    if (!strncmp(f->name, "vhlo_emit", 9)) { /* it has locations, which are no part of a program */
        CHECK_INT(v.major * 100 + v.minor, 101);
    } else {
        check_bytes(p, v, f->data, f->size, f->name);
        check_bytes(text, v, f->data, f->size, f->name);
    }
    fl_program_destroy(p);
    fl_program_destroy(text);
}

/* Written for a version and read again it is the same program; or the version is refused, and a version named. */
static void test_version(const fl_program *p, fl_vhlo_version v, const char *name, int *out_written)
{
    fl_text out = {0};
    fl_status s = fl_write_bytecode(p, v, &out);
    *out_written = !s;
    if (s) {
        int explained =
            fl_status_code(s) == FL_UNSUPPORTED && strstr(fl_status_message(s), " needs StableHLO ");
        CHECK(explained);
        if (!explained) fprintf(stderr, "%s: %s\n", name, fl_status_message(s));
        fl_status_free(s);
        fl_text_free(&out);
        return;
    }
    fl_program *again = NULL;
    CHECK_OK(fl_read_bytecode(out.data, out.length, &again));
    if (again) {
        check_equal(p, again, name);
        check_bytes(again, v, out.data, out.length, name);
    }
    fl_program_destroy(again);
    fl_text_free(&out);
}

static void test_sample(const conformance_file *f)
{
    static const uint8_t old[] = {9, 10, 12, 14, 15, 16, 18, 19, 20};
    fl_program *p = NULL;
    CHECK_OK(fl_read_bytecode(f->data, f->size, &p));
    fl_program *text = parse_beside(f, 2);
    if (!p || !text) return;
    check_equal(p, text, f->name);
    int written = 0, before = 0;
    for (int i = 0; i < (int)sizeof old; i++) {
        test_version(p, (fl_vhlo_version){0, old[i], 0}, f->name, &written);
        CHECK(written || !before); /* no version loses what one before it had */
        before = written;
    }
    for (int minor = 0; minor <= 20; minor++) {
        test_version(p, (fl_vhlo_version){1, minor, 0}, f->name, &written);
        CHECK(written || !before);
        before = written;
    }
    CHECK(written);
    fl_program_destroy(p);
    fl_program_destroy(text);
}

/* ---- refusals ---- */

typedef struct refusal {
    const char *signature, *body; /* of a function; a result %0 */
    const char *needs;            /* the first version that can say it; NULL: none can */
    const char *names;            /* what the message says it is about */
} refusal;

#define DOT                                                                                                  \
    "dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = " \
    "[0]>"

static const refusal refusals[] = {
    {"(%a: tensor<f32>) -> tensor<f32>", "%0 = stablehlo.tan %a : tensor<f32>", "1.4.0", "stablehlo.tan"},
    {"(%a: tensor<f32>) -> tensor<f32>",
     "%0 = \"stablehlo.exponential\"(%a) {result_accuracy = #stablehlo.result_accuracy<ulps = 10, mode = "
     "#stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<f32>) -> tensor<f32>",
     "1.9.0", "stablehlo.exponential: attribute result_accuracy"},
    {"(%a: tensor<f32>) -> tensor<f32>",
     "%0 = \"stablehlo.sine\"(%a) {result_accuracy = #stablehlo.result_accuracy<mode = "
     "#stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<f32>) -> tensor<f32>",
     "1.10.0", "stablehlo.sine: attribute result_accuracy"},
    {"(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32>",
     "%0 = \"stablehlo.dot_general\"(%a, %b) {" DOT
     ", algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, "
     "rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, "
     "num_primitive_operations = 1, allow_imprecise_accumulation = false>} : (tensor<2x3xf32>, "
     "tensor<3x4xf32>) -> "
     "tensor<2x4xf32>",
     "1.6.0", "stablehlo.dot_general: attribute"},
    {"(%a: tensor<2x3xf32>, %b: tensor<2x3x1xi32>) -> tensor<2x3xf32>",
     "%0 = \"stablehlo.gather\"(%a, %b) {dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], "
     "operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], "
     "index_vector_dim = 2>, "
     "slice_sizes = array<i64: 1, 1>} : (tensor<2x3xf32>, tensor<2x3x1xi32>) -> tensor<2x3xf32>",
     "1.1.0", "stablehlo.gather: attribute operand_batching_dims"},
    {"(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<8xf32>",
     "%0:2 = \"stablehlo.all_gather\"(%a, %b) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : "
     "tensor<1x2xi64>} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>)",
     "1.5.0", "stablehlo.all_gather: more than one operand"},
    {"(%a: tensor<4xf32>) -> tensor<8xf32>",
     "%0 = \"stablehlo.all_gather\"(%a) {all_gather_dim = 0 : i64, replica_groups = "
     "#stablehlo.replica_group_mesh_axes<mesh = @f, axes = [#stablehlo.axis_ref<name = \"x\">]>} : "
     "(tensor<4xf32>) -> "
     "tensor<8xf32>",
     "1.16.0", "stablehlo.all_gather: attribute replica_groups"},
    {"(%a: tensor<f32>) -> tensor<f32>",
     "%0 = \"stablehlo.composite\"(%a) ({ \"stablehlo.return\"(%a) : (tensor<f32>) -> () }) {name = \"a.b\", "
     "decomposition = @g} : (tensor<f32>) -> tensor<f32>",
     "1.14.0", "stablehlo.composite: a region"},
    {"(%a: tensor<f32>) -> tensor<f32>",
     "%0 = stablehlo.composite \"a.b\" %a {decomposition = @g} : (tensor<f32>) -> tensor<f32>", "0.19.0",
     "stablehlo.composite"},
    {"(%a: tensor<8x8xf32>) -> tensor<8x8xf32>",
     "%0 = \"stablehlo.custom_call\"(%a) {call_target_name = \"t\", operand_layouts = [dense<[1, 0]> : "
     "tensor<2xindex>], "
     "result_layouts = [dense<[1, 0]> : tensor<2xindex>], result_tilings = [[dense<[8, 128]> : "
     "tensor<2xindex>]]} : "
     "(tensor<8x8xf32>) -> tensor<8x8xf32>",
     "1.18.0", "stablehlo.custom_call: attribute result_tilings"},
    {"(%a: tensor<f32>) -> tensor<f32>",
     "%0 = stablehlo.custom_call @t(%a) {api_version = 4 : i32, backend_config = {k = 1 : i32}} : "
     "(tensor<f32>) -> "
     "tensor<f32>",
     "1.3.0", "stablehlo.custom_call"},
    {"(%a: tensor<2xf32>) -> tensor<2xf32>", "%0 = stablehlo.add %a, %a : tensor<2xf32>", "0.9.0", ""},
    {"(%a: tensor<2xi2>) -> tensor<2xi2>", "%0 = stablehlo.add %a, %a : tensor<2xi2>", "1.2.0", "type i2"},
    {"(%a: tensor<2xui2>) -> tensor<2xui2>", "%0 = stablehlo.add %a, %a : tensor<2xui2>", "1.2.0",
     "type ui2"},
    {"(%a: tensor<2xf8E4M3FN>) -> tensor<2xf8E4M3FN>", "%0 = stablehlo.add %a, %a : tensor<2xf8E4M3FN>",
     "0.9.0", ""},
    {"(%a: tensor<2xf8E5M2FNUZ>) -> tensor<2xf8E5M2FNUZ>", "%0 = stablehlo.add %a, %a : tensor<2xf8E5M2FNUZ>",
     "0.10.0", "type f8E5M2FNUZ"},
    {"(%a: tensor<2xf8E4M3B11FNUZ>) -> tensor<2xf8E4M3B11FNUZ>",
     "%0 = stablehlo.add %a, %a : tensor<2xf8E4M3B11FNUZ>", "0.11.0", "type f8E4M3B11FNUZ"},
    {"(%a: tensor<2xf8E3M4>) -> tensor<2xf8E3M4>", "%0 = stablehlo.add %a, %a : tensor<2xf8E3M4>", "1.7.0",
     "type f8E3M4"},
    {"(%a: tensor<2xf4E2M1FN>) -> tensor<2xf4E2M1FN>", "%0 = stablehlo.add %a, %a : tensor<2xf4E2M1FN>",
     "1.8.0", "type f4E2M1FN"},
    {"(%a: tensor<2xf6E3M2FN>) -> tensor<2xf6E3M2FN>", "%0 = stablehlo.add %a, %a : tensor<2xf6E3M2FN>",
     "1.8.0", "type f6E3M2FN"},
    {"(%a: memref<2xf32>) -> memref<2xf32>",
     "%0 = stablehlo.custom_call @t(%a) : (memref<2xf32>) -> memref<2xf32>", "1.13.0", "type memref"},
    {"(%a: tensor<f32>) -> tensor<f32>", "%0 = chlo.erf %a : tensor<f32> -> tensor<f32>", NULL, "chlo.erf"},
};

static void check_refusal(const refusal *r, const fl_program *p, fl_vhlo_version v, int ok)
{
    char needs[64];
    fl_text out = {0};
    snprintf(needs, sizeof needs, "needs StableHLO %s", r->needs ? r->needs : "");
    if (ok) {
        CHECK_OK(fl_write_bytecode(p, v, &out));
        CHECK(out.length > 0);
    } else {
        CHECK_ERROR(fl_write_bytecode(p, v, &out), FL_UNSUPPORTED,
                    r->needs ? needs : "artifacts hold no operations of");
        CHECK_ERROR(fl_write_bytecode(p, v, &out), FL_UNSUPPORTED, r->names);
        CHECK_ERROR(fl_write_bytecode(p, v, &out), FL_UNSUPPORTED, "function @f");
        CHECK_INT(out.length, 0);
    }
    fl_text_free(&out);
}

static void test_refusal(const refusal *r)
{
    fl_text text = {0};
    fl_program *p = NULL;
    fl_vhlo_version first = {9, 0, 0};
    const char *result = strstr(r->signature, "-> ") + 3;
    fl_text_printf(
        &text,
        "func.func @f%s {\n%s\nreturn %s : %s\n}\nfunc.func private @g(%%a: tensor<f32>) -> tensor<f32> {\n"
        "return %%a : tensor<f32>\n}\n",
        r->signature, r->body, strstr(r->body, "%0:2") ? "%0#0" : "%0", result);
    CHECK_OK(fl_parse_text(text.data, text.length, &p));
    if (!p) fprintf(stderr, "%s\n", text.data);
    fl_text_free(&text);
    if (r->needs) CHECK_OK(fl_vhlo_version_parse(r->needs, &first));
    int from = first.major * 100 + first.minor;
    for (int v = 9; p && v <= 120; v++) {
        if (v == 21) v = 100;
        check_refusal(r, p, (fl_vhlo_version){v / 100, v % 100, 0}, v >= from);
    }
    fl_program_destroy(p);
}

static void test_versions(void)
{
    fl_vhlo_version v;
    fl_text out = {0};
    fl_program *p = NULL;
    CHECK_OK(fl_vhlo_version_parse("1.16.2", &v));
    CHECK(v.major == 1 && v.minor == 16 && v.patch == 2);
    CHECK_ERROR(fl_vhlo_version_parse("1.16", &v), FL_VALUE, "expected a version");
    CHECK_ERROR(fl_vhlo_version_parse("1.16.x", &v), FL_VALUE, "expected a version");
    CHECK_ERROR(fl_vhlo_version_parse("", &v), FL_VALUE, "expected a version");
    CHECK_ERROR(fl_vhlo_version_parse("99999999999999999999.0.0", &v), FL_VALUE, "expected a version");
    CHECK(fl_stablehlo_version().major == 1 && fl_stablehlo_version().minor == 20);
    CHECK(!fl_bytecode_version("ML\xEFR\x0DMLIR20.0", 15, &v));
    CHECK(!fl_bytecode_version("module {}", 9, &v));
    static const char text[] = "func.func @f() { return }";
    CHECK_OK(fl_parse_text(text, sizeof text - 1, &p));
    if (!p) return;
    CHECK_ERROR(fl_write_bytecode(p, (fl_vhlo_version){0, 8, 0}, &out), FL_VALUE,
                "from 0.9.0 to 1.20.0, got 0.8.0");
    CHECK_ERROR(fl_write_bytecode(p, (fl_vhlo_version){1, 21, 0}, &out), FL_VALUE, "got 1.21.0");
    CHECK_ERROR(fl_write_bytecode(p, (fl_vhlo_version){2, 0, 0}, &out), FL_VALUE, "got 2.0.0");
    CHECK_ERROR(fl_write_bytecode(p, (fl_vhlo_version){-1, 109, 0}, &out), FL_VALUE, "got -1.109.0");
    /* patches name the producer, and change nothing else */
    CHECK_OK(fl_write_bytecode(p, (fl_vhlo_version){1, 16, 2}, &out));
    CHECK(fl_bytecode_version(out.data, out.length, &v) && v.patch == 2);
    fl_text_free(&out);
    fl_program_destroy(p);
}

/* StableHLO 1.17.0 of dense<1.0> : tensor<0x3xf32> and dense<true> : tensor<0xi1>: MLIR keeps the element that is nowhere. */
static const unsigned char splats_of_nothing[] = {
    0x4d, 0x4c, 0xef, 0x52, 0x0d, 0x53, 0x74, 0x61, 0x62, 0x6c, 0x65, 0x48, 0x4c, 0x4f, 0x5f, 0x76, 0x31,
    0x2e, 0x31, 0x37, 0x2e, 0x30, 0x00, 0x01, 0x19, 0x05, 0x01, 0x05, 0x09, 0x01, 0x03, 0x0b, 0x03, 0x07,
    0x0f, 0x13, 0x17, 0x03, 0x33, 0x19, 0x0b, 0x01, 0x0d, 0x0b, 0x13, 0x13, 0x13, 0x13, 0x13, 0x03, 0x0d,
    0x0b, 0x0b, 0x0b, 0x0b, 0x1f, 0x0f, 0x03, 0x0b, 0x17, 0x13, 0x17, 0x07, 0x07, 0x02, 0x71, 0x05, 0x0d,
    0x17, 0x01, 0x01, 0x01, 0x17, 0x01, 0x03, 0x03, 0x17, 0x01, 0x03, 0x7b, 0x17, 0x01, 0x05, 0x0f, 0x17,
    0x01, 0x07, 0x05, 0x03, 0x01, 0x23, 0x05, 0x1d, 0x0f, 0x1d, 0x11, 0x1f, 0x01, 0x09, 0x00, 0x00, 0x80,
    0x3f, 0x1f, 0x03, 0x01, 0x29, 0x05, 0x01, 0x0d, 0x07, 0x29, 0x03, 0x01, 0x09, 0x11, 0x01, 0x05, 0x01,
    0x03, 0x09, 0x01, 0x04, 0x4f, 0x05, 0x01, 0x50, 0x03, 0x01, 0x07, 0x04, 0x3f, 0x03, 0x01, 0x05, 0x05,
    0x50, 0x05, 0x03, 0x07, 0x04, 0x2b, 0x03, 0x05, 0x0d, 0x03, 0x42, 0x07, 0x05, 0x03, 0x01, 0x03, 0x42,
    0x09, 0x07, 0x03, 0x03, 0x07, 0x04, 0x0b, 0x05, 0x01, 0x03, 0x06, 0x03, 0x01, 0x05, 0x01, 0x00, 0x89,
    0x13, 0x03, 0x0b, 0x05, 0x15, 0x11, 0x19, 0x0f, 0x0b, 0x11, 0x62, 0x75, 0x69, 0x6c, 0x74, 0x69, 0x6e,
    0x00, 0x76, 0x68, 0x6c, 0x6f, 0x00, 0x6d, 0x6f, 0x64, 0x75, 0x6c, 0x65, 0x00, 0x63, 0x6f, 0x6e, 0x73,
    0x74, 0x61, 0x6e, 0x74, 0x5f, 0x76, 0x31, 0x00, 0x66, 0x75, 0x6e, 0x63, 0x5f, 0x76, 0x31, 0x00, 0x72,
    0x65, 0x74, 0x75, 0x72, 0x6e, 0x5f, 0x76, 0x31, 0x00, 0x2d, 0x00, 0x6d, 0x61, 0x69, 0x6e, 0x00, 0x00,
    0x08, 0x1d, 0x09, 0x05, 0x01, 0x01, 0x0b, 0x0d, 0x0f, 0x0d, 0x11, 0x13, 0x03, 0x15, 0x03, 0x17,
};

static void test_nothing(void)
{
    static const char text[] = "func.func @main() -> (tensor<0x3xf32>, tensor<0xi1>) {\n"
                               "%0 = stablehlo.constant dense<> : tensor<0x3xf32>\n"
                               "%1 = stablehlo.constant dense<> : tensor<0xi1>\n"
                               "return %0, %1 : tensor<0x3xf32>, tensor<0xi1>\n}";
    fl_program *p = NULL, *q = NULL;
    int written;
    CHECK_OK(fl_read_bytecode(splats_of_nothing, sizeof splats_of_nothing, &p));
    CHECK_OK(fl_parse_text(text, sizeof text - 1, &q));
    if (p && q) {
        check_equal(p, q, "splats of nothing");
        test_version(p, (fl_vhlo_version){1, 20, 0}, "splats of nothing", &written);
        CHECK(written);
    }
    fl_program_destroy(p);
    fl_program_destroy(q);
}

int main(void)
{
    test_versions();
    test_nothing();
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) test_refusal(&refusals[i]);
    int artifacts = conformance_each("vhlo", ".bc", test_compatibility);
    int samples = conformance_each("bytecode", ".mlirbc", test_sample);
    printf("%d compatibility artifacts, %d samples\n", artifacts, samples);
    return check_result();
}
