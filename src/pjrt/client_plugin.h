/* A PJRT plugin as its user sees it: loading, clients, errors. Everything that knows how PJRT's structs
 * grow is here and in the macros below: structs are zeroed and say the size that our header gives them,
 * which older plugins accept (what they do not know is zero) and newer ones too (what we do not know they
 * take as absent). Functions that an older plugin lacks lie beyond its table's size. */
#ifndef FL_PJRT_CLIENT_PLUGIN_H
#define FL_PJRT_CLIENT_PLUGIN_H

#include "base/dtype.h"
#include "base/status.h"
#include "ir/bytecode/bytecode.h"
#include "pjrt/pjrt_abi.h"

#include <string.h>

/* An argument struct `v` of the function `name`; fields that are given follow. */
#define FL_PJRT_CALL(v, name, ...) name##_Args v = {.struct_size = name##_Args_STRUCT_SIZE, __VA_ARGS__}

/* One plugin and one client of it, shared by the devices of the process; neither is ever unloaded, since
 * plugins do not survive that. */
typedef struct fl_pjrt_plugin {
    const PJRT_Api *api;
    PJRT_Client *client;
    char *path;
    char platform[64];           /* "cpu", "tpu" */
    fl_vhlo_version version;     /* of StableHLO that it reads */
    int states_version;          /* it says so */
    int survives_fork;           /* it says so: its clients work in a forked process as well */
    int knows_chlo;              /* it says so: as operations in text, rather than as formulas */
    PJRT_Device *const *devices; /* addressable ones */
    size_t device_count;
    char *cache_identity; /* NULL: compiled programs are not kept on disk */
    struct fl_pjrt_plugin *next;
} fl_pjrt_plugin;

/* Loads `path` on first use and makes its client, with the options of TORCH_TPU_DEVICE_OPTIONS; later
 * calls give the same one. A failed attempt can be repeated. */
fl_status fl_pjrt_plugin_get(const char *path, fl_pjrt_plugin **out);

/* The same without a client, for compiling alone; the plugin's `client` may be NULL. */
fl_status fl_pjrt_plugin_open(const char *path, fl_pjrt_plugin **out);

/* XLA's compiler for CPUs, which needs to be told a few things. */
static inline int fl_pjrt_is_xla_cpu(const fl_pjrt_plugin *plugin)
{
    return !strcmp(plugin->platform, "cpu");
}

/* Whether the plugin has the function at `offset` of the table. */
int fl_pjrt_has(const PJRT_Api *api, size_t offset);
#define FL_PJRT_HAS(api, function) fl_pjrt_has(api, offsetof(PJRT_Api, function))

/* Turns an error into a status and destroys it; NULL stays NULL. RESOURCE_EXHAUSTED is FL_OOM, UNIMPLEMENTED FL_UNSUPPORTED,
 * OUT_OF_RANGE FL_INDEX, what the caller did wrong FL_INVALID, all else FL_INTERNAL. The message has `what` (may be ""), the
 * code's name where the status does not say as much, the plugin's message, and what it attached to the error. */
fl_status fl_pjrt_error(const PJRT_Api *api, PJRT_Error *error, const char *what);

/* Waits, destroys the event, and gives its error. NULL is a complete event. */
fl_status fl_pjrt_await(const PJRT_Api *api, PJRT_Event *event, const char *what);
int fl_pjrt_ready(const PJRT_Api *api, PJRT_Event *event);
void fl_pjrt_event_destroy(const PJRT_Api *api, PJRT_Event *event);
void fl_pjrt_buffer_destroy(const PJRT_Api *api, PJRT_Buffer *buffer); /* NULL is fine */

/* PJRT's name of an element type; PJRT_Buffer_Type_INVALID when it has none. */
PJRT_Buffer_Type fl_pjrt_type(fl_dtype dtype);

/* Options of PJRT_Client_Create: "name:value;name:value", where true and false are booleans, numbers
 * integers or floats, and all else strings. They point into a copy of the text, freed with the options. */
typedef struct fl_pjrt_options {
    char *text;
    PJRT_NamedValue *values;
    size_t count;
} fl_pjrt_options;
fl_status fl_pjrt_options_parse(const char *text, fl_pjrt_options *out);
void fl_pjrt_options_free(fl_pjrt_options *options);

/* A program for the plugin: a portable artifact of the version that it asks for. What that cannot hold goes as text, which
 * XLA's plugins read. */
fl_status fl_pjrt_serialize(const fl_pjrt_plugin *plugin, const fl_program *program, fl_text *out);
/* A number among the module's attributes ("mhlo.num_partitions"); 1 if it has none. */
int64_t fl_pjrt_count_in_module(const fl_program *program, const char *name);

enum { FL_PJRT_MOST_DEVICES = 256 };
/* Writes XLA's CompileOptionsProto for a program of so many replicas and partitions that runs on the devices `ids`
 * (replicas x partitions of them, replica by replica). The counts must be the program's: libtpu hangs over others.
 * `off` (NULL: none) are options of the compiler that are turned off, at most 100 bytes each; NULL ends the list. Returns the
 * bytes written, 0 when they are more than `capacity`. */
size_t fl_pjrt_compile_options(char *out, size_t capacity, uint32_t replicas, uint32_t partitions,
                               const int *ids, const char *const *off);

#endif
