/* The embedded device as a PJRT plugin: what its files share.
 *
 * plugin.c holds the table of functions. Each entry copies the caller's arguments, of whatever version, into a whole struct of
 * ours and calls fl_plugin_<NAME>, which returns a status; results are copied back as far as the caller's struct reaches. So
 * the functions below plugin.c see complete arguments, and a first handle that is not NULL.
 *
 * A buffer is a description and a reference to a storage; a storage is memory: the device's, the host's, or somebody
 * else's. An execution runs on its device's stream, in order; buffers that it makes share its event until it is done. */
#ifndef FL_PJRT_PLUGIN_H
#define FL_PJRT_PLUGIN_H

#include "base/text.h"
#include "device/device.h"
#include "pjrt/pjrt_extensions.h"
#include "ref/environment.h"

#include <pthread.h>

/* The table; see plugin_entry.c for the exported symbol. */
const PJRT_Api *fl_plugin_api(void);

#define PJRT_FUNCTION(name, ...) fl_status fl_plugin_##name(name##_Args *args);
#define PJRT_FUNCTION_VOID(name, ...)
#include "pjrt/pjrt_functions.def"

/* ---- errors ---- */

/* A status may carry any code of the interface. */
#define FL_PJRT_CODE(code) ((fl_code)(0x100 + (code)))
PJRT_Error *fl_plugin_error(fl_status status); /* consumes `status`; NULL for NULL */
PJRT_Error *fl_plugin_error_make(PJRT_Error_Code code, const char *message, size_t size);
PJRT_Error_Code fl_plugin_code(fl_code code);
void fl_plugin_Error_Destroy(PJRT_Error_Destroy_Args *args);
void fl_plugin_Error_Message(PJRT_Error_Message_Args *args);
/* A text of `size` bytes that need not end with a NUL, for messages: at most 100 bytes of it. */
const char *fl_plugin_quote(const char *text, size_t size, char out[104]);

/* ---- events: reference counted; complete once, with or without an error ---- */

PJRT_Event *fl_plugin_event_create(void);             /* NULL when memory is exhausted */
PJRT_Event *fl_plugin_event_done(void);               /* complete; one for all, counted like the others */
PJRT_Event *fl_plugin_event_share(PJRT_Event *event); /* NULL stays NULL */
void fl_plugin_event_release(PJRT_Event *event);      /* NULL is fine */
/* Completes it, and runs what waits for it on this thread. An event that is complete stays as it is. */
void fl_plugin_event_complete(PJRT_Event *event, PJRT_Error_Code code, const char *message, size_t size);
void fl_plugin_event_finish(PJRT_Event *event, fl_status status); /* the same; consumes `status` */
int fl_plugin_event_is_done(PJRT_Event *event);                   /* NULL counts as done */
/* Waits; returns a copy of the error. NULL counts as done. */
fl_status fl_plugin_event_wait(PJRT_Event *event);

/* ---- topologies, devices, memories ---- */

typedef struct fl_generation {
    const char *name; /* "v5e" */
    const char *kind; /* as a TPU calls itself: "TPU v5 lite" */
    uint64_t hbm;     /* bytes of a device that programs may use */
    int cores;        /* a device */
    int devices_per_chip;
} fl_generation;

enum { FL_MEMORY_KINDS = 3, FL_MOST_DEVICES = 64, FL_DEVICE_ATTRIBUTES = 6 };

struct PJRT_MemoryDescription {
    const char *kind;
    int kind_id;
};
extern const PJRT_MemoryDescription *const
    fl_memory_descriptions[FL_MEMORY_KINDS]; /* the first is the device's own */

struct PJRT_DeviceDescription {
    int id;
    char kind[64], text[128], debug[80];
    int64_t coords[3];
    PJRT_NamedValue attributes[FL_DEVICE_ATTRIBUTES];
    size_t attribute_count;
};

struct PJRT_TopologyDescription {
    const fl_generation *generation; /* NULL: the platform flambeau */
    const char *platform;
    int64_t bounds[3]; /* devices in each direction */
    int count;
    PJRT_DeviceDescription *descriptions;
    PJRT_DeviceDescription **pointers;
    PJRT_NamedValue attributes[2];
    size_t attribute_count;
};

/* The topology of `count` devices in a row, or of the bounds; the caller gives it to fl_plugin_topology_free. */
fl_status fl_plugin_topology_create(const fl_generation *generation, const int64_t bounds[3],
                                    PJRT_TopologyDescription **out);
void fl_plugin_topology_free(PJRT_TopologyDescription *topology);
/* Measures what the program takes of a device of the topology; FL_OOM when it has not that much. */
fl_status fl_plugin_fit(PJRT_Executable *executable, const PJRT_TopologyDescription *topology);
/* The same, once temporaries are known. */
fl_status fl_plugin_check_memory(const PJRT_Executable *executable, const PJRT_TopologyDescription *topology);
const char *fl_plugin_version(void);                                      /* "flambeau 0.1.0" */
const fl_generation *fl_plugin_generation(const char *name, size_t size); /* NULL: no such */
fl_status fl_plugin_check_memory_kind(const char *kind, size_t size, int *out);

typedef struct fl_plugin_memory {
    PJRT_Memory base;
    int id, kind; /* index into fl_memory_descriptions */
    PJRT_Device *device;
    char text[64], debug[160];
    struct fl_user_data *user_data;
} fl_plugin_memory;

typedef struct fl_stream fl_stream;

struct PJRT_Device {
    PJRT_Client *client;
    PJRT_DeviceDescription *description;
    fl_device *device;
    fl_stream *stream;
    fl_plugin_memory memories[FL_MEMORY_KINDS];
    PJRT_Memory *memory_pointers[FL_MEMORY_KINDS];
};

struct PJRT_Client {
    struct PJRT_Client *next; /* all of them, for fork */
    int references;           /* executables and buffers hold one each; the last one frees */
    int count;
    PJRT_TopologyDescription *topology;
    PJRT_Device *devices;
    PJRT_Device **device_pointers;
    PJRT_Memory **memory_pointers;
    pthread_mutex_t lock; /* of the state of all its buffers and executables */
    /* Held while an execution on several devices is put on their streams: all streams get executions in one order, so that
     * those that meet in collectives never wait for each other in a circle. */
    pthread_mutex_t launch;
};

void fl_plugin_client_share(PJRT_Client *client);
void fl_plugin_client_release(PJRT_Client *client);

/* ---- streams: work of one device, in order ---- */

/* Jobs begin with this; `run` frees the job. */
typedef struct fl_job {
    struct fl_job *next;
    void (*run)(struct fl_job *job);
} fl_job;

fl_status fl_stream_create(fl_stream **out);
void fl_stream_destroy(fl_stream *stream);    /* works off what is left */
fl_status fl_stream_start(fl_stream *stream); /* the thread; then fl_stream_submit cannot fail */
/* Runs the job, here and now when nothing else is queued or running and `here` is set; else on the stream's thread. */
fl_status fl_stream_submit(fl_stream *stream, fl_job *job, int here);

/* Calls `visit` for every job that has not begun, in order; how often that was not 0. */
int fl_stream_visit(fl_stream *stream, int (*visit)(fl_job *job, void *user), void *user);

/* Waits for an event within a job, which may be one that nobody on the stream completes. Returns a copy of its error. */
fl_status fl_stream_wait(fl_stream *stream, PJRT_Event *event);
/* A job waits, or does again what it has to do: for what it waits may need whoever waits for the stream. */
void fl_stream_set_waits(fl_stream *stream, int waits);
/* Waits until nothing is queued or running, or what runs waits itself. Within a job, it returns at once. */
void fl_stream_drain(fl_stream *stream);

/* For fork: holds the stream as it is; in the child, its thread does not exist. */
void fl_stream_lock(fl_stream *stream);
void fl_stream_unlock(fl_stream *stream);
int fl_stream_is_at_rest(const fl_stream *stream); /* while it is held: as after draining */
void fl_stream_forget_thread(fl_stream *stream);

void fl_plugin_fork_enlist(PJRT_Client *client);
void fl_plugin_fork_strike_off(PJRT_Client *client);

/* ---- buffers ---- */

typedef struct fl_storage {
    int references;
    PJRT_Device *device;
    void *data;
    size_t bytes;
    fl_buffer *block; /* the device's memory */
    int owned;        /* `data` is malloc's */
    void (*on_delete)(void *data, void *user);
    void *user;
    int64_t *filled;      /* of bounded sizes: how much of each dimension is; NULL: all */
    PJRT_Event *released; /* completed when the memory is not used any more */
    int pinned; /* readers outside the order of the stream, or memory that is not ours: nobody may write */
} fl_storage;

struct PJRT_Buffer {
    PJRT_Client *client;
    PJRT_Device *device;
    fl_plugin_memory *memory;
    PJRT_Buffer_Type type;
    uint8_t rank, destroyed;
    uint32_t external; /* references from outside: the memory stays where it is */
    int64_t dims[FL_MAX_RANK], minor_to_major[FL_MAX_RANK];
    uint16_t open;               /* bit d: `dims` is a bound of dimension d, the storage knows its size */
    int64_t filled[FL_MAX_RANK]; /* what is handed out of these */
    size_t open_dims[FL_MAX_RANK];
    fl_storage *storage; /* NULL: deleted or donated */
    fl_storage *held;    /* what references from outside look at */
    PJRT_Event *ready;   /* NULL: complete without error */
};

fl_dtype fl_plugin_dtype(PJRT_Buffer_Type type);    /* FL_DTYPE_NONE: not an element type */
PJRT_Buffer_Type fl_plugin_type(fl_dtype dtype);    /* INVALID: has none */
size_t fl_plugin_type_bytes(PJRT_Buffer_Type type); /* of an element; a token has one of 0 bytes */
/* Checks type, rank and dims; *out is the size dense. */
fl_status fl_plugin_shape_bytes(PJRT_Buffer_Type type, const int64_t *dims, size_t rank, size_t *out);
/* One of the two is given; neither: the first device. */
fl_status fl_plugin_place(PJRT_Client *client, PJRT_Device *device, PJRT_Memory *memory,
                          fl_plugin_memory **out);

fl_status fl_storage_create(fl_plugin_memory *memory, size_t bytes, fl_storage **out);
fl_storage *fl_storage_share(fl_storage *storage);
void fl_storage_release(fl_storage *storage);
/* Takes over `storage` and `ready` (also on failure); shares the client. The array lies row by row unless the caller writes
 * another order into it. */
fl_status fl_plugin_buffer_create(fl_plugin_memory *memory, PJRT_Buffer_Type type, const int64_t *dims,
                                  size_t rank, fl_storage *storage, PJRT_Event *ready, PJRT_Buffer **out);
void fl_plugin_buffer_free(PJRT_Buffer *buffer);

/* Copies elements between two strided arrays; strides in bytes, of any sign. */
void fl_plugin_copy(void *to, const int64_t *to_strides, const void *from, const int64_t *from_strides,
                    const int64_t *dims, size_t rank, size_t element);
void fl_plugin_dense_strides(const int64_t *dims, size_t rank, size_t element, int64_t *out);

/* ---- layouts: an order of dimensions, the fastest first, FL_MAX_RANK at most ---- */

void fl_plugin_row_major(size_t rank, int64_t *out);
int fl_plugin_is_row_major(const int64_t *minor_to_major, const int64_t *dims, size_t rank);
int fl_plugin_same_order(const int64_t *a, const int64_t *b, const int64_t *dims, size_t rank);
void fl_plugin_order_strides(const int64_t *minor_to_major, const int64_t *dims, size_t rank, size_t element,
                             int64_t *out);
fl_status fl_plugin_read_layout(const char *text, size_t rank, int64_t *out); /* "default", "auto", "{1,0}" */
size_t fl_plugin_write_layout(const int64_t *minor_to_major, size_t rank, char *out, size_t capacity);
/* Byte strides that a layout gives an array, NULL being row by row; no tiles. */
fl_status fl_plugin_layout_strides(const PJRT_Buffer_MemoryLayout *layout, const int64_t *dims, size_t rank,
                                   size_t element, int64_t *out);
/* Its order, which must leave no gaps. */
fl_status fl_plugin_layout_order(const PJRT_Buffer_MemoryLayout *layout, const int64_t *dims, size_t rank,
                                 size_t element, int64_t *out);

/* ---- callbacks of the host ---- */

typedef struct fl_callbacks fl_callbacks;
/* What one execution needs of them on `device`, the index-th of its devices; the options need not outlive the call. */
fl_status fl_callbacks_create(const PJRT_Executable *executable, const PJRT_ExecuteOptions *options,
                              size_t index, const PJRT_Device *device, fl_callbacks **out);
void fl_callbacks_free(fl_callbacks *callbacks);                     /* NULL is fine */
void fl_callbacks_set(fl_callbacks *callbacks, fl_environment *out); /* in what surrounds the execution */
int fl_plugin_calls_host(const fl_block *block); /* whether it sends to the host or receives from it */

/* ---- executables ---- */

/* What is told about one argument or result. */
typedef struct fl_slot_info {
    PJRT_Buffer_Type type;
    int memory_kind;
    size_t bytes, rank;
    const int64_t *dims;
    int64_t minor_to_major[FL_MAX_RANK];
    uint16_t open; /* bit d: dims[d] is a bound */
} fl_slot_info;

typedef struct fl_open_dim {
    uint32_t slot; /* argument or result */
    int dim;
} fl_open_dim;

/* What XLA's CompileOptionsProto says, of which most is not for us. */
typedef struct fl_plugin_options {
    int64_t replicas, partitions;
    int64_t device; /* id; -1: not said */
    int portable;
    int spmd; /* the program is one for all partitions together */
    /* The assignment, with its own numbers; no devices: not said. Entry replica * partitions + partition. */
    int64_t assigned_replicas, assigned_partitions;
    uint32_t device_count;
    int64_t devices[FL_MOST_DEVICES];
} fl_plugin_options;
fl_status fl_plugin_read_options(const char *bytes, size_t size, fl_plugin_options *out);

struct PJRT_Executable { /* reference counted: a handle is a reference */
    int references;
    char *code, *options; /* as given */
    size_t code_size, options_size;
    fl_plugin_options parsed;
    fl_program *program;            /* static, of one function if devices are to run it */
    struct fl_shardings *shardings; /* of what was partitioned; NULL: nothing was */
    int plain;                      /* devices may run it */
    struct fl_ffi_calls *foreign;   /* its calls of foreign functions, or NULL */
    int calls_host;                 /* executions need fl_callbacks */
    uint32_t input_count, output_count;
    fl_slot_info *inputs, *outputs;
    fl_open_dim *open_inputs,
        *open_outputs; /* whose sizes the program has behind its arguments and results */
    uint32_t open_input_count, open_output_count;
    uint8_t *donated; /* of each input */
    int32_t *alias;   /* of each output: the input whose memory it may take, or -1 */
    uint64_t hash;
    char fingerprint[24];
    /* in the form that the interface hands out */
    PJRT_Buffer_Type *output_types;
    int64_t *output_dims;
    size_t *output_ranks;
    const char **output_kinds, **input_kinds;
    size_t *output_kind_sizes, *input_kind_sizes;
    pthread_mutex_t lock; /* of what is made on demand */
    fl_text text;
    PJRT_NamedValue properties[2];
    size_t temporaries;
    void *input_layouts, *output_layouts; /* of extensions */
    void *input_shardings, *output_shardings;
};

struct PJRT_LoadedExecutable {
    PJRT_Client *client;
    PJRT_Executable *executable;
    uint32_t replicas, partitions;
    uint32_t device_count; /* 0: portable; else replicas * partitions, the last varying fastest */
    PJRT_Device *devices[FL_MOST_DEVICES];
    PJRT_LogicalDeviceIds logical[FL_MOST_DEVICES];
    fl_executable *compiled; /* NULL: the reference interpreter runs it */
    int references;          /* running executions hold one each */
    int deleted;
    int64_t last_time; /* nanoseconds that the last execution took; 0: none yet */
};

/* ---- bounded sizes: plugin_bounded.c ---- */

fl_status fl_bounded_list(PJRT_Executable *executable,
                          const fl_program *original); /* before slots are described */
void fl_bounded_mark(PJRT_Executable *executable);     /* after that */
/* Those of one execution; NULL when memory is exhausted. */
typedef struct fl_bounded fl_bounded;
fl_bounded *fl_bounded_create(const PJRT_Executable *executable);
void fl_bounded_free(fl_bounded *bounded); /* NULL is fine */
void fl_bounded_take(fl_bounded *bounded, const PJRT_Executable *executable, uint32_t i,
                     const PJRT_Buffer *buffer);
fl_status fl_bounded_results(const PJRT_Executable *executable, fl_storage *const *storages,
                             PJRT_Buffer *const *buffers);
/* How much of a buffer of bounded sizes is filled; waits until it is ready. */
fl_status fl_bounded_filled(PJRT_Buffer *buffer, const int64_t **out);
/* When arguments are ready: pads them, and adds the sizes to what the program gets. */
fl_status fl_bounded_start(fl_bounded *bounded, const PJRT_Executable *executable,
                           fl_storage *const *storages, void **inputs, void **outputs);
void fl_bounded_finish(const fl_bounded *bounded, const PJRT_Executable *executable,
                       fl_storage *const *results);

fl_status fl_plugin_executable_create(const PJRT_Program *program, const char *options, size_t options_size,
                                      PJRT_Executable **out);
void fl_plugin_executable_release(PJRT_Executable *executable);
/* Shares `executable`. */
fl_status fl_plugin_load(PJRT_Client *client, PJRT_Executable *executable, const fl_plugin_options *options,
                         PJRT_LoadedExecutable **out);
void fl_plugin_loaded_release(PJRT_LoadedExecutable *loaded);

/* The partitioner that is built in, which only looks. */
void fl_plugin_partitioner_initialize(void);

/* While a profile is taken: when an execution on the device begins (0: nobody wants to know), and that it ended. */
uint64_t fl_profiler_begin(const PJRT_Device *device);
void fl_profiler_end(uint64_t begin, const char *name);
/* The profiler's extension before the others, where the environment says what size of table the client has. */
PJRT_Extension_Base *fl_plugin_profiler_extension(PJRT_Extension_Base *others);

/* Executions of this launch that wait on the device fail with the error; whether there was one. */
int fl_plugin_poison(PJRT_Device *device, int launch_id, PJRT_Error_Code code, const char *message);

/* Args structs of extensions: those that clients know have not grown, so the whole struct is asked for. */
#define FL_PLUGIN_ENTER(function)                                                                            \
    if (!args || args->struct_size < function##_Args_STRUCT_SIZE)                                            \
        return fl_plugin_error(fl_error(FL_INVALID, #function ": expected struct_size of at least %d",       \
                                        (int)function##_Args_STRUCT_SIZE));

extern PJRT_HostAllocator_Extension fl_plugin_host_allocator;
extern PJRT_HostMemoryAllocator_Extension fl_plugin_host_memory_allocator;
extern PJRT_AbiVersion_Extension fl_plugin_abi_version;
extern PJRT_Custom_Partitioner_Extension fl_plugin_partitioner_extension;
extern PJRT_Layouts_Extension fl_plugin_layouts;
extern PJRT_MemoryDescriptions_Extension fl_plugin_memory_extension;
extern PJRT_Shardings_Extension fl_plugin_shardings;
extern PJRT_FFI_Extension fl_plugin_ffi_extension;

#endif
