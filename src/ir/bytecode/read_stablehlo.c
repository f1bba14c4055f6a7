/* Attributes of the `stablehlo` dialect itself, as compilers hold it in memory, as the text that the parser reads. */
#include "ir/bytecode/reader.h"
#include "ir/text/syntax.h"

enum { MOST_FIELDS = 9 };

/* A structure of numbers, in the order of the file: "[]" behind a name is a list. */
typedef struct structure {
    uint8_t code;
    const char *name;
    const char *fields[MOST_FIELDS + 1];
} structure;

static const structure structures[] = {
    {1, "channel_handle", {"handle", "type"}},
    {4,
     "conv",
     {"input_batch_dimension", "input_feature_dimension", "[]input_spatial_dimensions",
      "kernel_input_feature_dimension", "kernel_output_feature_dimension", "[]kernel_spatial_dimensions",
      "output_batch_dimension", "output_feature_dimension", "[]output_spatial_dimensions"}},
    {5,
     "dot",
     {"[]lhs_batching_dimensions", "[]rhs_batching_dimensions", "[]lhs_contracting_dimensions",
      "[]rhs_contracting_dimensions"}},
    {7,
     "gather",
     {"[]offset_dims", "[]collapsed_slice_dims", "[]operand_batching_dims", "[]start_indices_batching_dims",
      "[]start_index_map", "index_vector_dim"}},
    {11,
     "scatter",
     {"[]update_window_dims", "[]inserted_window_dims", "[]input_batching_dims",
      "[]scatter_indices_batching_dims", "[]scatter_dims_to_operand_dims", "index_vector_dim"}},
    {14, "output_operand_alias", {"[]output_tuple_indices", "operand_index", "[]operand_tuple_indices"}},
};

/* Numbers of enumerations here and in VHLO, which counts their values alike. */
static const struct {
    uint8_t code, vhlo;
} enums[] = {{2, FL_VA_DIRECTION}, {3, FL_VA_COMPARE},       {6, FL_VA_FFT},       {8, FL_VA_PRECISION},
             {9, FL_VA_ALGORITHM}, {10, FL_VA_DISTRIBUTION}, {12, FL_VA_TRANSPOSE}};

static void put_field(fl_text *out, fl_cursor *c, const char *name)
{
    if (strncmp(name, "[]", 2) != 0) {
        fl_text_printf(out, "%s = %lld", name, (long long)fl_cursor_signed(c));
        return;
    }
    uint32_t count = fl_cursor_count(c);
    fl_text_printf(out, "%s = [", name + 2);
    for (uint32_t i = 0; i < count; i++)
        fl_text_printf(out, "%s%lld", i ? ", " : "", (long long)fl_cursor_signed(c));
    fl_text_printf(out, "]");
}

static int put_structure(fl_text *out, fl_cursor *c, uint64_t code)
{
    for (size_t s = 0; s < sizeof structures / sizeof *structures; s++) {
        if (structures[s].code != code) continue;
        fl_text_printf(out, "#stablehlo.%s<%s", structures[s].name, code == 4 ? "raw " : "");
        for (int i = 0; structures[s].fields[i]; i++) {
            if (i) fl_text_printf(out, ", ");
            put_field(out, c, structures[s].fields[i]);
        }
        fl_text_printf(out, ">");
        return 1;
    }
    return 0;
}

static int put_enum(fl_text *out, fl_cursor *c, uint64_t code)
{
    for (size_t i = 0; i < sizeof enums / sizeof *enums; i++) {
        if (enums[i].code != code) continue;
        const fl_vhlo_enum *e = fl_vhlo_enum_coded((fl_vhlo_attr_code)enums[i].vhlo);
        int64_t value = (int64_t)fl_cursor_varint(c);
        const char *name =
            e && value >= 0 && value < 100 ? fl_enum_name((fl_attr_key)e->key, value - e->offset) : NULL;
        if (!name) return 0;
        fl_text_printf(out, "#stablehlo<%s %s>", fl_enum_type((fl_attr_key)e->key), name);
        return 1;
    }
    return 0;
}

fl_status fl_bc_stablehlo(fl_bc_reader *r, fl_cursor *c, uint64_t code, fl_literal *out)
{
    fl_text text = {0};
    fl_status status = NULL;
    if (!put_structure(&text, c, code) && !put_enum(&text, c, code))
        status = fl_error(FL_UNSUPPORTED, "%s: unsupported attribute number %llu of stablehlo", FL_BC_PREFIX,
                          (unsigned long long)code);
    char *copy = status || text.failed ? NULL : fl_arena_copy(&r->arena, text.data, text.length + 1);
    if (!status && !copy) status = fl_error(FL_OOM, "out of host memory");
    *out = (fl_literal){.kind = FL_LIT_OPAQUE, .count = (uint32_t)text.length, .u.string = copy};
    r->weight += 1 + text.length / sizeof(fl_literal);
    fl_text_free(&text);
    return status;
}
