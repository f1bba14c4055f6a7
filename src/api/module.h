/* What the files of the public interface share: a module is a program and what is told about it. */
#ifndef FL_API_MODULE_H
#define FL_API_MODULE_H

#include "flambeau.h"
#include "ir/ir.h"

struct fl_module {
    fl_program *program;
    uint32_t references;    /* compiled programs hold one each */
    fl_arena arena;         /* of the next two */
    fl_tensor_info *inputs; /* whole structs of this version */
    fl_tensor_info *outputs;
};

/* The function that runs. */
const fl_func *fl_module_entry(const fl_module *module);
/* Another owner, who calls fl_module_free too. */
fl_module *fl_module_share(const fl_module *module);
/* A program ready for a device; NULL as executable: the reference interpreter runs it. */
struct fl_compiled {
    fl_module *module;         /* keeps `program` alive, unless it is refined */
    fl_program *refined;       /* NULL: the module's program runs as it is */
    const fl_program *program; /* one of the two */
    struct fl_device *device;  /* NULL: the reference interpreter */
    struct fl_executable *executable;
};
/* fl_module_compile of a static program, with results in the memory of inputs (fl_compile_options). */
fl_status fl_module_compile_aliased(const fl_module *module, const char *device, const uint8_t *aliases,
                                    fl_compiled **out);
/* The device of this name ("cpu:1", "pjrt:..."); NULL for the reference interpreter. */
fl_status fl_device_named(const char *name, struct fl_device **out);
/* Where the data of the inputs is, which must fit what was compiled. */
fl_status fl_compiled_inputs(const fl_compiled *compiled, const fl_array *given, uint32_t count,
                             const void **inputs);
/* Takes the program over, also on failure. */
fl_status fl_module_wrap(fl_program *program, fl_module **out);
/* Copies the first `size` bytes of a versioned struct, that is what the caller's version of it has, and keeps `size`. */
fl_status fl_give_struct(void *out, const void *full, size_t full_size);
/* What the caller's version of an array lacks is 0. */
fl_status fl_take_array(const fl_array *given, fl_array *out);

#endif
