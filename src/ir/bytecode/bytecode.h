/* MLIR bytecode with VHLO inside: StableHLO's portable artifacts, versions 0.9.0 to 1.20.0. */
#ifndef FL_IR_BYTECODE_BYTECODE_H
#define FL_IR_BYTECODE_BYTECODE_H

#include "ir/ir.h"

typedef struct fl_vhlo_version {
    int major, minor, patch;
} fl_vhlo_version;

fl_vhlo_version fl_stablehlo_version(void); /* what we read and write at most */
fl_vhlo_version fl_stablehlo_oldest(void);  /* the oldest that is read and written */
/* "1.9.0"; FL_VALUE when it is no version. */
fl_status fl_vhlo_version_parse(const char *text, fl_vhlo_version *out);

int fl_is_bytecode(const void *data, size_t size); /* begins with MLIR's magic number */
/* The version in the producer string of an artifact; 0 when it has none. Needs no more than the first bytes. */
int fl_bytecode_version(const void *data, size_t size, fl_vhlo_version *out);

/* Reads an artifact of any version up to our own; or a module of the dialects themselves (stablehlo, func), as MLIR keeps it in
 * memory, which has no version: what jaxlib's Python writes (see plain.c). The data may be anything: they are checked, and what memory they make us
 * take is limited by their size. The caller owns the program. Locations are dropped; so are hints of the `sdy` dialect inside
 * functions (they say where data lie on several devices, and change no result). */
fl_status fl_read_bytecode(const void *data, size_t size, fl_program **out);

/* Appends the artifact that StableHLO's own serializer writes for this program, without locations, for a reader of version
 * `target`. FL_UNSUPPORTED names the operation, and the first version that could hold it, when `target` cannot. */
fl_status fl_write_bytecode(const fl_program *program, fl_vhlo_version target, fl_text *out);

#endif
