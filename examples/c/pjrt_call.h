/* Calling a PJRT plugin from C: arguments by name, results in the same struct, and errors that end the program. */
#include "pjrt/pjrt_abi.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

static const PJRT_Api *api;

/* The struct `x` of `type`, with its size and the fields given. */
#define STRUCT(type, x, ...) type x = {.struct_size = type##_STRUCT_SIZE, __VA_ARGS__}
/* CALL(PJRT_F, x, .field = value, ...): calls F with the struct `x`, in which its results are afterwards. */
#define CALL(f, x, ...)                                                                                      \
    STRUCT(f##_Args, x, __VA_ARGS__);                                                                        \
    must(api->f(&x))

static void must(PJRT_Error *error)
{
    STRUCT(PJRT_Error_Message_Args, text, .error = error);
    if (!error) return;
    api->PJRT_Error_Message(&text);
    fprintf(stderr, "%.*s\n", (int)text.message_size, text.message);
    exit(1);
}

static void wait_for(PJRT_Event *event)
{
    CALL(PJRT_Event_Await, wait, .event = event);
    CALL(PJRT_Event_Destroy, destroy, .event = event);
}

/* The plugin stays loaded until the program ends. */
static void load_plugin(const char *path)
{
    void *plugin = dlopen(path, RTLD_NOW), *get = plugin ? dlsym(plugin, "GetPjrtApi") : NULL;
    if (!get) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    api = ((const PJRT_Api *(*)(void))get)();
    CALL(PJRT_Plugin_Initialize, initialized, );
}
