#include "pjrt/client_cache.h"

#include "base/cache_switch.h"
#include "base/tiers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t compilations, compile_ns;

/* ---- entries ---- */

/* Length of the options, options, code. */
static char *join_key(const PJRT_Client_Compile_Args *args, size_t *out_size)
{
    const uint64_t n = args->compile_options_size;
    *out_size = sizeof n + n + args->program->code_size;
    char *joined = malloc(*out_size);
    if (!joined) return NULL;
    memcpy(joined, &n, sizeof n);
    memcpy(joined + sizeof n, args->compile_options, n);
    memcpy(joined + sizeof n + n, args->program->code, args->program->code_size);
    return joined;
}

static PJRT_LoadedExecutable *load(const fl_pjrt_plugin *p, const void *bytes, size_t size)
{
    FL_PJRT_CALL(args, PJRT_Executable_DeserializeAndLoad, .client = p->client,
                 .serialized_executable = bytes, .serialized_executable_size = size);
    fl_status status = fl_pjrt_error(p->api, p->api->PJRT_Executable_DeserializeAndLoad(&args), "");
    PJRT_LoadedExecutable *loaded = status ? NULL : args.loaded_executable;
    fl_status_free(status);
    return loaded;
}

static void serialize(const fl_pjrt_plugin *p, PJRT_Executable *executable, fl_claim *claim,
                      uint64_t build_ns)
{
    FL_PJRT_CALL(args, PJRT_Executable_Serialize, .executable = executable);
    fl_status status = fl_pjrt_error(p->api, p->api->PJRT_Executable_Serialize(&args), "");
    if (!status && args.serialized_bytes)
        fl_tiers_publish(claim, args.serialized_bytes, args.serialized_bytes_size, build_ns);
    if (!status && args.serialized_executable_deleter)
        args.serialized_executable_deleter(args.serialized_executable);
    fl_status_free(status);
}

static void publish(const fl_pjrt_plugin *p, PJRT_LoadedExecutable *loaded, fl_claim *claim,
                    uint64_t build_ns)
{
    FL_PJRT_CALL(get, PJRT_LoadedExecutable_GetExecutable, .loaded_executable = loaded);
    fl_status status = fl_pjrt_error(p->api, p->api->PJRT_LoadedExecutable_GetExecutable(&get), "");
    if (!status) {
        serialize(p, get.executable, claim, build_ns);
        FL_PJRT_CALL(destroy, PJRT_Executable_Destroy, .executable = get.executable);
        fl_status_free(fl_pjrt_error(p->api, p->api->PJRT_Executable_Destroy(&destroy), ""));
    }
    fl_status_free(status);
}

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static fl_status compile(const fl_pjrt_plugin *p, const char *name, PJRT_Client_Compile_Args *args,
                         PJRT_LoadedExecutable **out, uint64_t *out_ns)
{
    FL_CHECK(!fl_cache_switch_get(FL_CACHE_ONLY), FL_INVALID,
             "not in the compile cache, to which nothing may be added now: a program of %s", name);
    uint64_t start = now();
    fl_status status = fl_pjrt_error(p->api, p->api->PJRT_Client_Compile(args), name);
    *out_ns = now() - start;
    __atomic_fetch_add(&compilations, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&compile_ns, *out_ns, __ATOMIC_RELAXED);
    *out = status ? NULL : args->executable;
    return status;
}

fl_status fl_pjrt_cache_compile(const fl_pjrt_plugin *p, const char *name, PJRT_Client_Compile_Args *args,
                                PJRT_LoadedExecutable **out)
{
    fl_tier_key key = {.name = name, .identity = p->cache_identity};
    char *joined = p->cache_identity ? join_key(args, &key.key_size) : NULL;
    fl_tiers *tiers = fl_tiers_get();
    fl_claim claim;
    void *bytes;
    size_t size;
    uint64_t ns;
    if (!joined) return compile(p, name, args, out, &ns);
    key.key = joined;
    *out = NULL;
    if (fl_tiers_find(tiers, &key, &claim, &bytes, &size)) {
        *out = load(p, bytes, size);
        free(bytes);
        if (!*out) fl_tiers_refuse(tiers, &key);
    }
    fl_status status = NULL;
    if (!*out) {
        status = compile(p, name, args, out, &ns);
        if (!status) publish(p, *out, &claim, ns);
    }
    fl_tiers_end(&claim);
    free(joined);
    return status;
}

void fl_pjrt_cache_count(uint64_t *out_compilations, uint64_t *out_ns)
{
    *out_compilations = __atomic_load_n(&compilations, __ATOMIC_RELAXED);
    *out_ns = __atomic_load_n(&compile_ns, __ATOMIC_RELAXED);
}
