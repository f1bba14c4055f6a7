/* Pieces of the printer. Internal to ir/text/. */
#ifndef FL_IR_TEXT_PRINT_H
#define FL_IR_TEXT_PRINT_H

#include "ir/text/syntax.h"

/* A program being printed. Values are named per function in the order they are printed: %arg0 arguments, of the function first
 * and then of regions, %3 results, %3#1 the second of several. */
typedef struct fl_printer {
    const fl_program *program;
    fl_text *out;
    uint32_t *names; /* of values, by fl_ref; for results of one operation that of the first */
    uint32_t next_value, next_argument;
    int indent;
} fl_printer;

/* print_literal.c */
void fl_print_text(fl_text *out, const char *text);
void fl_print_int(fl_text *out, int64_t value);
void fl_print_ints(fl_text *out, const int64_t *values, uint32_t count); /* [1, 2] */
void fl_print_string(fl_text *out, const char *text, size_t length);     /* "quoted" */
void fl_print_symbol(fl_text *out, const char *name, size_t length);     /* @name */
void fl_print_name(fl_text *out, const char *name); /* of an attribute: quoted where it must be */
void fl_print_float(fl_text *out, fl_dtype dtype, double value); /* 1.000000e+00, or 0x7FC00000 */
void fl_print_type(fl_text *out, const fl_type *type);
void fl_print_literal(fl_text *out, const fl_literal *literal);
void fl_print_dict(fl_text *out, const fl_literal *dict); /* {name = value, ...}; a unit is its name alone */
/* One element of any type, as it stands in dense<...>. */
void fl_print_element(fl_text *out, fl_dtype dtype, const void *element);
/* dense<...>, without the type: `bytes` is the size of `data`, all elements or one for a splat. */
void fl_print_dense(fl_text *out, const fl_type *type, const void *data, size_t bytes);

/* print_attrs.c */
/* "{name = value, ...}" sorted by name; nothing where there are no attributes. What is written: the inherent attributes of the
 * operation that `op`'s pretty form does not write elsewhere (`pretty`) or all of them, and, with `extra`, the others. */
typedef struct fl_dict_parts {
    uint8_t inherent, extra, pretty;
} fl_dict_parts;
void fl_print_attributes(fl_printer *pr, const fl_op *op, fl_dict_parts parts, const char *before,
                         const char *after);
/* An attribute as pretty forms write it: [1, 2], 3, true, LT. */
void fl_print_bare_value(fl_printer *pr, const fl_op *op, const fl_attr *attr);
/* [b, f, 0]x[o, i, 0]->[b, f, 0]; 0: the numbers are no such order of dimensions, nothing is written */
int fl_print_conv_dims(fl_printer *pr, const fl_op *op);
/* <lhs_precision_type = tf32, ...> */
void fl_print_struct_fields(fl_printer *pr, const fl_op *op, const fl_struct_info *info);

/* print_op.c */
void fl_print_op(fl_printer *pr, const fl_op *op);
void fl_print_function_type(fl_printer *pr, const fl_op *op); /* (t1, t2) -> t3 */

/* print_forms.c: the parts of syntax.def with forms of their own */
void fl_print_form(fl_printer *pr, const fl_op *op, fl_part_kind kind);
/* 0: the operation has something that this part does not write; it needs the generic form. */
int fl_form_fits(fl_printer *pr, const fl_op *op, fl_part_kind kind);

/* print_sdy.c: of sdy */
void fl_print_sharding(fl_printer *pr, const fl_op *op);
void fl_print_axes(fl_printer *pr, const fl_op *op);
void fl_print_sdy_region(fl_printer *pr, const fl_op *op);
int fl_sdy_fits(const fl_op *op); /* attributes have the form that pretty forms write without their names */

/* print.c */
void fl_print_newline(fl_printer *pr);
void fl_print_value(fl_printer *pr, fl_ref r);
void fl_print_values(fl_printer *pr, const fl_ref *refs, uint32_t count); /* %1, %2 */
void fl_print_types(fl_printer *pr, const fl_ref *refs, uint32_t count);
void fl_print_result_types(fl_printer *pr, const fl_op *op); /* in parentheses unless there is one */
void fl_name_arguments(fl_printer *pr, const fl_block *block);
void fl_print_argument(fl_printer *pr, const fl_block *block, uint32_t i); /* %arg1: tensor<f32> */
/* The operations and the terminator of a block, each on its line. */
void fl_print_body(fl_printer *pr, const fl_block *block, const char *terminator);
void fl_print_regions(fl_printer *pr, const fl_op *op); /* ({ ^bb0(%arg3: tensor<f32>): ... }, { ... }) */

#endif
