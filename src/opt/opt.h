/* Passes over programs. */
#ifndef FL_OPT_OPT_H
#define FL_OPT_OPT_H

#include "ir/bytecode/bytecode.h"
#include "ir/ir.h"

typedef struct fl_refine_arg {
    fl_type type;      /* static */
    const void *value; /* dense, where it is known: sizes may follow from it. NULL: they may not */
} fl_refine_arg;

/* A module with open dimensions, calls and composites becomes one function of static shapes: calls are inlined, every size is
 * computed from the arguments' types (and values, where given), dynamic_* operations become their static forms, index becomes
 * i64, and what only computed shapes is removed. args: one for each argument of the entry function; NULL takes its own types.
 * The caller owns *out. FL_UNSUPPORTED names what stays open; FL_INVALID an argument that does not fit, or a
 * shape_assertion that does not hold.
 *
 * Where args is NULL, arguments and results of bounded sizes (#stablehlo.bounds) get the shape of their bounds, and behind all
 * arguments, and behind all results, there is an i32 for each of their open dimensions, in order: its size. Operations of sdy stay, and attributes that say how values are sharded. */
fl_status fl_program_refine(const fl_program *program, const fl_refine_arg *args, uint32_t arg_count,
                            fl_program **out);
/* The same, but Mosaic kernels (tpu_custom_call) stay what they are, for a compiler that knows them. */
fl_status fl_program_refine_for_tpu(const fl_program *program, const fl_refine_arg *args, uint32_t arg_count,
                                    fl_program **out);

/* Whether there are operations of sdy, and their removal for one partition, where they are the identity. FL_INVALID: the
 * program is for several. The program is then good for nothing but to be destroyed. */
int fl_program_has_sdy(const fl_program *program);
fl_status fl_program_unshard(fl_program *program);

/* CHLO's operations become StableHLO's, which is all that portable artifacts hold. With `composites`, those that other
 * compilers know themselves (erf, the inverse trigonometric and hyperbolic functions) become stablehlo.composite "chlo.NAME"
 * with the formula as its decomposition. The caller owns *out. FL_UNSUPPORTED names what has no such form: ragged_dot, scan,
 * shapes that are not static, the narrowest types. */
fl_status fl_program_legalize(const fl_program *program, int composites, fl_program **out);

/* A portable artifact of the program, appended to `out`, with CHLO's operations in the first of these forms that the version
 * has: composites, formulas. FL_UNSUPPORTED: what neither can hold. */
fl_status fl_write_artifact(const fl_program *program, fl_vhlo_version version, fl_text *out);

/* The passes over a plain program that pay on the embedded device (optimize.h), which keep every bit of the results: all that
 * FL_DISABLE does not name, or those of a list of names alone. The result refers to the program, which must outlive it; the
 * caller owns *out. FL_VALUE: no pass has that name. FL_UNSUPPORTED: not one function. FL_DUMP=opt prints what comes out. */
fl_status fl_optimize(const fl_program *program, const char *only, fl_program **out);
/* Appends a line for each pass: its name and what it does. */
void fl_optimize_list(fl_text *out);

/* Removes operations without effects whose results nobody uses. The other values keep their numbers. */
fl_status fl_program_prune(fl_program *program);

#endif
