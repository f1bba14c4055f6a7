/* Flambeau: the public C interface.
 *
 * Stable part. Everything here keeps its meaning across minor versions. Handles are opaque. Structs that the caller fills
 * or hands in begin with `size`, which the caller sets to sizeof the struct as compiled; the engine reads and writes no
 * further, so programs compiled with an older header go on working.
 *
 * Functions that can fail return fl_status (flambeau/status.h); what they hand out through pointers is then NULL or
 * untouched. All functions may be called from several threads at once, on the same handle too, unless one frees it.
 * Programs are untrusted: reading one checks it whole. */
#ifndef FLAMBEAU_H
#define FLAMBEAU_H

#include "flambeau/status.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "0.1.0" */
FL_API const char *fl_version(void);

/* ---- devices ---- */

/* The devices are the embedded ones, or those of the PJRT plugin that TORCH_TPU_DEVICE names. The count is at least 1
 * (TORCH_TPU_DEVICES); the others return NULL or 0 for a wrong index or a device
 * that cannot be opened. Opening happens on first use. Strings live as long as the process. */
FL_API int fl_count_devices(void);
FL_API const char *fl_device_name(int device);
FL_API const char *fl_device_kind(int device);  /* "embedded", "pjrt" */
FL_API uint64_t fl_device_capacity(int device); /* bytes */
/* What a plugin says of the device, a JSON object: {"platform": "tpu", "coords": [0, 0, 0], "memories": ["device"], ...}. */
FL_API const char *fl_device_attributes(int device);

/* ---- programs ---- */

/* A StableHLO program as read: one or more functions. The entry is the function `main`, else the first public one, else
 * the first. */
typedef struct fl_module fl_module;

/* Reads MLIR text or a portable artifact (bytecode), told apart by the first bytes, and checks it: what is handed out
 * satisfies the specification's constraints. Text needs no final NUL. Nothing of `data` is kept. Errors in text say line
 * and column. The caller frees the module. */
FL_API fl_status fl_module_read(const void *data, size_t bytes, fl_module **out);
/* The same from a file; "-" is standard input. Errors begin with the path. */
FL_API fl_status fl_module_load(const char *path, fl_module **out);
FL_API void fl_module_free(fl_module *module); /* NULL is fine */

/* Checks the program once more, from its operations up. Reading does it already. */
FL_API fl_status fl_module_verify(const fl_module *module);
/* NULL when the two programs are the same but for numbers of values and attributes left at their defaults; else an
 * FL_VALUE status that says the first difference. */
FL_API fl_status fl_module_compare(const fl_module *a, const fl_module *b);

/* MLIR text, with a final NUL that *out_bytes (may be NULL) does not count; to be freed with fl_free. */
FL_API fl_status fl_module_print(const fl_module *module, char **out, size_t *out_bytes);
/* A portable artifact that readers of StableHLO `version` ("1.17.0") and newer accept; NULL: fl_stablehlo_current().
 * Operations of CHLO become composites, or formulas where that version has no composites. FL_UNSUPPORTED when the program holds
 * what that version lacks. To be freed with fl_free. */
FL_API fl_status fl_module_serialize(const fl_module *module, const char *version, void **out,
                                     size_t *out_bytes);
/* The newest version of StableHLO that is read and written: "1.20.0". */
FL_API const char *fl_stablehlo_current(void);
FL_API void fl_free(void *memory); /* NULL is fine */

/* ---- inputs and outputs ---- */

typedef struct fl_tensor_info {
    size_t size;       /* set by the caller: sizeof(fl_tensor_info) */
    const char *name;  /* as the program says (jax.arg_info, jax.result_info), else "arg0", "result0" */
    const char *type;  /* MLIR's spelling: "tensor<2x?xf32>" */
    const char *dtype; /* "f32", "i1", "complex<f64>"; NULL for what has no elements, such as a token */
    size_t
        element_bytes; /* of one element in memory; elements narrower than a byte take one each, in its low bits */
    uint32_t rank;
    const int64_t *dims; /* negative where the program leaves a dimension open */
} fl_tensor_info;

FL_API uint32_t fl_module_input_count(const fl_module *module);
FL_API uint32_t fl_module_output_count(const fl_module *module);
/* FL_INDEX for a wrong index. Pointers in *out live as long as the module. */
FL_API fl_status fl_module_input(const fl_module *module, uint32_t index, fl_tensor_info *out);
FL_API fl_status fl_module_output(const fl_module *module, uint32_t index, fl_tensor_info *out);

/* A dense row-major tensor in host memory, aligned to its elements, in the machine's byte order. i1 is 0 or 1; integers
 * narrower than a byte are extended to it; complex elements are real part, imaginary part. */
typedef struct fl_array {
    size_t size;       /* sizeof(fl_array), in every element of an array of arrays */
    const char *dtype; /* as fl_tensor_info has it */
    uint32_t rank;
    const int64_t *dims;
    void *data;   /* only read of inputs; may be NULL when there are no elements */
    size_t bytes; /* must be element_bytes times the product of dims */
} fl_array;

/* ---- running ---- */

/* A program made ready for one device and, where it leaves dimensions open, for given input shapes. */
typedef struct fl_compiled fl_compiled;
/* What a run gave: arrays, owned by the handle. */
typedef struct fl_results fl_results;

/* `device`: "ref", the reference interpreter: every operation and type, slowly; "cpu" or "cpu:1", the device of this
 * number (an embedded one, unless TORCH_TPU_DEVICE says otherwise), and "pjrt:/path/plugin.so", the first device of a
 * PJRT plugin: static tensors, not quantized (FL_UNSUPPORTED names what it lacks). Dimensions that the program leaves
 * open are taken from `shapes` (`count` of them, whose data is not looked at); NULL for a static program. The module may
 * be freed before the compiled program is. */
FL_API fl_status fl_module_compile(const fl_module *module, const char *device, const fl_array *shapes,
                                   uint32_t count, fl_compiled **out);
/* Runs and waits for the results. The number of inputs, their dtypes and shapes must be the program's. */
FL_API fl_status fl_compiled_run(const fl_compiled *compiled, const fl_array *inputs, uint32_t count,
                                 fl_results **out);
FL_API void fl_compiled_free(fl_compiled *compiled); /* NULL is fine */
/* Both in one call, for a program that runs once. */
FL_API fl_status fl_module_run(const fl_module *module, const char *device, const fl_array *inputs,
                               uint32_t count, fl_results **out);

FL_API uint32_t fl_results_count(const fl_results *results);
/* out->size is set by the caller. Pointers in *out live as long as the results; the data may be written to. What is no tensor
 * has no dtype: a token has no bytes, a tuple its members' one after another, each at a multiple of 16 bytes. */
FL_API fl_status fl_results_get(const fl_results *results, uint32_t index, fl_array *out);
FL_API void fl_results_free(fl_results *results); /* NULL is fine */

/* ---- running many times ---- */

/* A static program whose inputs stay on its device. An input that the program gives away to a result (tf.aliasing_output, as
 * JAX's donation and recorded PyTorch functions state it) shares that result's memory: each run begins with what the last one
 * left, so training steps need no copies. Calls of one session must not overlap. */
typedef struct fl_session fl_session;
/* Compiles, and allocates memory for all inputs and results; inputs are zero. `device`: as in fl_module_compile, but not
 * "ref". The module may be freed before the session. */
FL_API fl_status fl_session_create(const fl_module *module, const char *device, fl_session **out);
/* Sets an input, before all later runs. */
FL_API fl_status fl_session_write(fl_session *session, uint32_t input, const fl_array *array);
/* Runs; with an asynchronous device the call may return earlier. */
FL_API fl_status fl_session_run(fl_session *session);
/* Waits for all runs, and returns the first failure among them. */
FL_API fl_status fl_session_wait(fl_session *session);
/* Waits, and copies a result of the last run: `bytes` must be its size. */
FL_API fl_status fl_session_read(fl_session *session, uint32_t result, void *data, size_t bytes);
FL_API void fl_session_free(fl_session *session); /* NULL is fine */

/* ---- programs with parameters ---- */

/* A program with parameters that stay on its device, run on the caller's arrays. Where it leaves dimensions open it is compiled for each
 * set of shapes that comes up, once. Runs of one model may overlap; loading may not. */
typedef struct fl_model fl_model;
/* `device`: as in fl_module_compile, but not "ref". Compiles nothing yet. The module may be freed before the model. */
FL_API fl_status fl_model_create(const fl_module *module, const char *device, fl_model **out);
/* Inputs that have the name of a tensor in the safetensors file (docs: Exported programs) have its value from now on, and are no
 * longer given to runs. The file is not kept. fl_model_take: the same of a file's bytes. */
FL_API fl_status fl_model_load(fl_model *model, const char *path);
FL_API fl_status fl_model_take(fl_model *model, const void *data, size_t bytes);
/* What output `index` is for inputs of these dtypes and shapes, whose data is not looked at: all inputs but the parameters, in
 * order. out->size is set by the caller; pointers live as long as the model. Compiles where needed. */
FL_API fl_status fl_model_output(fl_model *model, const fl_array *inputs, uint32_t count, uint32_t index,
                                 fl_tensor_info *out);
/* Runs, and writes the results to outputs[i].data, whose bytes must be the result's; dtype and dimensions of outputs are not
 * looked at. Returns when all is there. */
FL_API fl_status fl_model_run(fl_model *model, const fl_array *inputs, uint32_t count, const fl_array *outputs,
                              uint32_t output_count);
FL_API void fl_model_free(fl_model *model); /* NULL is fine */

/* What the embedded device would do for a static program, as text: a line for each step, with the operations that a loop fuses. To be
 * freed with fl_free. */
FL_API fl_status fl_module_plan(const fl_module *module, char **out);

/* ---- statistics ---- */

/* Counts of one run of the entry function, from the shapes alone; docs/stablehlo.md has the formulas. A body of `while` counts
 * once (its trip count is not known), of `if` and `case` the dearest branch. Counts that would overflow stay at the largest. */
typedef struct fl_op_stats {
    const char *name; /* "stablehlo.dot_general" */
    uint64_t count, flops, bytes;
} fl_op_stats;
typedef struct fl_module_stats {
    size_t size;         /* set by the engine: how far the struct reaches */
    uint64_t functions;  /* in the module */
    uint64_t operations; /* in the module, regions included */
    uint64_t flops;      /* floating point and integer arithmetic alike */
    uint64_t bytes;      /* read and written by all operations, each on its own */
    uint64_t input_bytes, output_bytes, constant_bytes;
    uint64_t loops;     /* `while` operations: their bodies are counted once */
    uint64_t unknown;   /* operations whose cost depends on open dimensions: counted as 0 */
    uint32_t row_count; /* one row an operation that occurs, most FLOPs first */
    const fl_op_stats *rows;
} fl_module_stats;

FL_API fl_status fl_module_stats_get(const fl_module *module, fl_module_stats **out);
FL_API void fl_module_stats_free(fl_module_stats *stats); /* NULL is fine */

/* ---- compiling for a device that is not there ---- */

typedef enum fl_aot_failure {
    FL_AOT_FITS,        /* it compiles, and fits */
    FL_AOT_HBM,         /* the device's memory is too small */
    FL_AOT_VMEM,        /* so is the memory on the chip */
    FL_AOT_CUSTOM_CALL, /* a custom call that the compiler does not know */
    FL_AOT_UNSUPPORTED, /* something else that it lacks */
    FL_AOT_REFUSED      /* the compiler says that the program is wrong, or fails itself */
} fl_aot_failure;

/* What the compiler of a PJRT plugin says of a program. Sizes are bytes on each device; pointers live as long as the report. */
typedef struct fl_aot_report {
    size_t size;                            /* set by the engine: how far the struct reaches */
    const char *device;                     /* "TPU v5 lite" */
    const char *compiler_version;           /* one line */
    uint32_t devices, replicas, partitions; /* devices of the topology; what the program is for */
    uint64_t memory_bytes;                  /* of a device, as far as programs may use it; 0: not said */
    int has_memory;                         /* the next six are known */
    uint64_t argument_bytes, output_bytes, alias_bytes, temporary_bytes, code_bytes, peak_bytes;
    double flops, bytes_accessed; /* of one run; below 0: not known */
    uint64_t compile_ns;
    fl_aot_failure failure;
    uint64_t needed_bytes, available_bytes; /* of HBM and VMEM; 0: not said */
    const char *message;                    /* why it does not compile, in plain words; "" if it does */
    const char *compiler_message;           /* the compiler's own */
} fl_aot_report;

/* Compiles the program with the plugin at the path `plugin` for `topology`, such as "v5e:2x2", without any such device. A
 * program that the compiler refuses gives a report that says why; FL_VALUE: no such topology (the message lists those known);
 * FL_UNSUPPORTED: the plugin cannot do this, or the program leaves dimensions open; FL_INVALID: the plugin cannot be loaded. */
FL_API fl_status fl_module_aot(const fl_module *module, const char *plugin, const char *topology,
                               fl_aot_report **out);
FL_API void fl_aot_report_free(fl_aot_report *report); /* NULL is fine */

/* ---- for the Python package alone ---- */

/* TPU chips of this machine by their PCI ids, without starting anything; *out_name: the newest one's generation, or NULL. */
FL_API int fl_tpu_chips(const char **out_name);

/* The compile cache as a JSON object, to be freed with fl_free: what PJRT plugins compiled, the tiers that are on and, if asked for,
 * the entries of this process. */
FL_API fl_status fl_compile_cache_report(int with_entries, char **out);
FL_API void fl_compile_cache_clear(void); /* of this process */
/* Switch 0: entries are found again (on at first); 1: what would have to be built is an error; 2: what is built is told on
 * standard error. Sets it (on >= 0) and returns what it was. */
FL_API int fl_compile_cache_switch(int which, int on);
/* Programs that PJRT devices compile are appended to the file from now on, for `fl cache warm`; NULL: no longer. */
FL_API fl_status fl_compile_cache_trace(const char *path);

/* Recording what PyTorch calls on a device into one program (src/eager/trace.h). A tensor lies at `address`, which is what
 * its storage says plus its offset; strides count elements. */
typedef struct fl_trace fl_trace;
typedef struct fl_trace_tensor {
    size_t size; /* sizeof(fl_trace_tensor), in every element of an array */
    const char *name, *dtype;
    uint64_t address; /* 0: it has no elements */
    uint32_t rank;
    const int64_t *dims, *strides;
    int conjugate, negative; /* PyTorch's lazy bits */
} fl_trace_tensor;

/* Work of this thread on `device` is recorded from now on; only this thread may use the handle. */
FL_API fl_status fl_trace_start(int device, fl_trace **out);
/* A dense tensor made since, and not written to, is an argument of the program. */
FL_API fl_status fl_trace_input(fl_trace *trace, const fl_trace_tensor *tensor);
/* Data that the recording takes from the host are part of the program, however large; else large ones become arguments. */
FL_API void fl_trace_keep_constants(fl_trace *trace);
/* Ends the recording and frees the handle, also on failure. The caller frees the module. */
FL_API fl_status fl_trace_stop(fl_trace *trace, const fl_trace_tensor *results, uint32_t count,
                               fl_module **out);
FL_API void fl_trace_cancel(fl_trace *trace); /* the same without a program */

/* A program, as text or a portable artifact, that PyTorch's operator tpu::program calls by its number from now on; it stays. With
 * `keeps_kernels` calls of Mosaic kernels are left to the device's compiler. */
FL_API fl_status fl_program_add(const void *data, size_t bytes, int keeps_kernels, int64_t *out_number);
/* Its arguments' and results' types as JSON, to be freed with fl_free: [[["f32", [-1, 3]], ...], [...]]; -1 is open. */
FL_API fl_status fl_program_signature(int64_t number, char **out);
/* Its results' types for inputs of these dtypes and dimensions (the other fields are not looked at), as JSON:
 * [["f32", [2, 3]], ...], to be freed with fl_free. */
FL_API fl_status fl_program_results(int64_t number, const fl_trace_tensor *inputs, uint32_t count,
                                    char **out);

/* ---- for the PyTorch bridge alone ---- */

/* Its functions (src/eager/engine.h). NULL when the engine is older than `version`. */
struct fl_engine;
FL_API const struct fl_engine *fl_engine_get(uint32_t version);
/* Those for compiled graphs (src/eager/recorded.h), with the same version. */
struct fl_recorded_functions;
FL_API const struct fl_recorded_functions *fl_recorded_get(uint32_t version);

#ifdef __cplusplus
}
#endif

#endif
