/* Programs for a device that knows dense typed arrays alone.
 *
 * The device interface has byte buffers, offsets and strides. Over PJRT the memory of a buffer (a storage)
 * is one array, of the type and shape that it was last written with. A program is compiled together with
 * the views that lead from those arrays to its arguments and from its results back into arrays: slices,
 * reshapes and transposes where strides are those of a slice of a permuted array, else a gather or scatter
 * of computed positions. Where arguments are whole arrays of the right type, and results too, nothing is
 * added. */
#ifndef FL_PJRT_CLIENT_WRAP_H
#define FL_PJRT_CLIENT_WRAP_H

#include "device/device.h"
#include "ir/build.h"

/* What is known of a storage when a program is compiled for it. */
typedef struct fl_wrap_storage {
    size_t bytes;      /* of the buffer; the array may have less, or up to one element more */
    uint8_t has_array; /* 0: nothing was written to it so far; it reads as zeros */
    fl_type type;      /* of the array */
    uint8_t is_input; /* out: its array is an argument of the wrapped program, in the order of the storages */
    uint8_t is_output; /* out: its new array is a result, in the order of the storages */
    fl_type result;    /* out: of that array */
} fl_wrap_storage;

#define FL_WRAP_HOST  UINT32_MAX       /* an argument that comes from the host as it is */
#define FL_WRAP_EMPTY (UINT32_MAX - 1) /* without elements */

typedef struct fl_wrap_binding {
    uint32_t storage;
    uint8_t has_offset; /* it is not 0, and comes as an element of the vector of offsets */
} fl_wrap_binding;

/* One check_index: its failure is reported through a result. */
typedef struct fl_wrap_check {
    int64_t low, high;
    char *what;
} fl_wrap_check;

typedef struct fl_wrapped {
    fl_program *program;
    uint32_t offset_count; /* elements (i64) of the last argument; 0: there is none */
    /* Elements (i64) of the result behind the arrays, two for each check: whether an index was out of
     * bounds, and the first such. 0: there is none. */
    uint32_t check_count;
    fl_wrap_check *checks;
    /* Operations of the program given that compare what they get with what is expected, and have no
     * results: for the host, from results of the wrapped program, one for each operand, the very last
     * ones. */
    uint32_t host_count, host_operand_count;
    const fl_op **host_ops;
} fl_wrapped;

/* Arguments of the wrapped program: arrays of storages, then what comes from the host, then offsets (in
 * units of the binding's elements). Results: arrays of storages, then checks, then operands for the host.
 * `inputs` and `outputs`: one for each argument and result of `program`. For XLA's compiler for CPUs (`is_xla_cpu`), what
 * it does not know or is known to compute wrongly is said in another way. */
fl_status fl_wrap(const fl_program *program, const fl_compile_options *options, fl_wrap_storage *storages,
                  uint32_t storage_count, const fl_wrap_binding *inputs, const fl_wrap_binding *outputs,
                  int is_xla_cpu, fl_wrapped *out);
void fl_wrapped_free(fl_wrapped *wrapped);

/* The same appended to a program that is being built: what would be arguments is given, and offsets are known. Checks of
 * indices stay what they are or are left out, and with them operations for the host. */
typedef struct fl_wrap_given {
    const fl_ref *arrays;                        /* of each storage that has one */
    const fl_ref *values;                        /* of each argument that comes from the host */
    const int64_t *input_starts, *output_starts; /* offsets of arguments and results, in elements */
    fl_ref *results; /* out: the new array of each storage; FL_NO_REF: unchanged */
    int keep_checks;
    /* Offsets that are known at run time alone (i64), so that the views are boxes; FL_NO_REF: the above. NULL: none is. */
    const fl_ref *input_offsets, *output_offsets;
} fl_wrap_given;
fl_status fl_wrap_append(fl_builder *b, const fl_program *program, const fl_compile_options *options,
                         fl_wrap_storage *storages, uint32_t storage_count, const fl_wrap_binding *inputs,
                         const fl_wrap_binding *outputs, const fl_wrap_given *given);
/* The operations of a program of one function on values of the one that is being built, as they are. */
fl_status fl_wrap_inline(fl_builder *b, const fl_program *program, const fl_ref *args, fl_ref *results);
/* A copy of a program of one function. The caller owns it. */
fl_status fl_wrap_copy(const fl_program *program, fl_program **out);

/* ---- between the files of the wrapper ---- */

/* How a tensor of `type` lies in a one-dimensional array. */
typedef struct fl_view {
    const fl_type *type;
    const int64_t *strides; /* NULL: dense */
    fl_ref offset;          /* i64; FL_NO_REF: `start` */
    int64_t start;          /* an offset that is known */
    int is_box;             /* with an offset: see fl_view_is_box */
} fl_view;
fl_ref fl_view_read(fl_builder *b, fl_ref array, const fl_view *view);
/* The array with the view's elements replaced by `value`. */
fl_ref fl_view_write(fl_builder *b, fl_ref array, const fl_view *view, fl_ref value);
/* 1 when the view's elements are the first ones of the array without a gap, in some order. */
int fl_view_is_packed(const fl_view *view);
/* The packed elements of `value` as an array in the order of memory. */
fl_ref fl_view_pack(fl_builder *b, const fl_view *view, fl_ref value);
/* Whether the view's elements, from `start` on in a row of `total`, are a box of that row as an array whose dimensions have the
 * view's strides: then a slice of that array, at any place, is the view. */
int fl_view_is_box(const fl_view *view, int64_t total);
int fl_view_is_dense(const fl_view *view); /* row-major, offset 0 */
/* The bytes of a one-dimensional array as elements of another type; zeros where there are no bytes for a
 * whole element. */
fl_ref fl_reinterpret(fl_builder *b, fl_ref array, fl_dtype dtype);
/* At least `count` elements: zeros follow. */
fl_ref fl_extend(fl_builder *b, fl_ref array, int64_t count);

#endif
