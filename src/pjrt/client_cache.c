#include "pjrt/client_cache.h"

#include "base/cache_switch.h"
#include "base/hash.h"
#include "base/tiers.h"
#include "flambeau.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

static uint64_t compilations, compile_ns;

static uint64_t hash_text(const char *text)
{
    uint64_t h = 0x243F6A8885A308D3ull;
    for (; *text; text++) h = fl_hash_mix(h, (unsigned char)*text);
    return h;
}

/* ---- what an executable depends on besides its program ---- */

/* Executables for processors hold machine code for this one: its model and what it can do. */
static uint64_t hash_processor(void)
{
    uint64_t h = 0;
    char line[8192];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f) && *line != '\n') /* the first processor's */
        if (!strncmp(line, "model name", 10) || !strncmp(line, "flags", 5) || !strncmp(line, "Features", 8))
            h = fl_hash_mix(h, hash_text(line));
    if (f) fclose(f);
    return h;
}

static uint64_t topology_fingerprint(const fl_pjrt_plugin *p)
{
    const PJRT_Api *api = p->api;
    if (!FL_PJRT_HAS(api, PJRT_Client_TopologyDescription) ||
        !FL_PJRT_HAS(api, PJRT_TopologyDescription_Fingerprint))
        return 0;
    FL_PJRT_CALL(topology, PJRT_Client_TopologyDescription, .client = p->client);
    fl_status status = fl_pjrt_error(api, api->PJRT_Client_TopologyDescription(&topology), "");
    FL_PJRT_CALL(print, PJRT_TopologyDescription_Fingerprint, .topology = topology.topology);
    if (!status) status = fl_pjrt_error(api, api->PJRT_TopologyDescription_Fingerprint(&print), "");
    uint64_t fingerprint = status ? 0 : print.fingerprint;
    fl_status_free(status);
    return fingerprint;
}

/* ---- flags ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* How much of a flag is its name. */
static size_t name_length(const char *flag)
{
    return strcspn(flag, "=");
}

/* Appends the flags of a variable in the order of the alphabet, of each name the last one alone, which is what counts: the same
 * flags in another order are the same compiler. */
static void append_flags(fl_text *text, const char *variable)
{
    const char *value = getenv(variable);
    char *copy = strdup(value ? value : ""),
         **flags = copy ? malloc((strlen(copy) + 1) * sizeof *flags) : NULL;
    size_t count = 0;
    text->failed |= !flags;
    for (char *rest = copy, *flag; flags && (flag = strtok_r(rest, " \t\n", &rest));) {
        size_t k = 0, n = name_length(flag);
        while (k < count && (name_length(flags[k]) != n || memcmp(flags[k], flag, n))) k++;
        flags[k] = flag;
        if (k == count) count++;
    }
    if (count) qsort(flags, count, sizeof *flags, by_text);
    fl_text_printf(text, "|%s", variable);
    for (size_t k = 0; k < count; k++) fl_text_printf(text, " %s", flags[k]);
    free(flags);
    free(copy);
}

/* ---- identity ---- */

char *fl_pjrt_cache_identity(const fl_pjrt_plugin *p)
{
    const PJRT_Api *api = p->api;
    const char *options = getenv("TORCH_TPU_DEVICE_OPTIONS");
    struct stat st = {0};
    if (!fl_tiers_get() || !FL_PJRT_HAS(api, PJRT_Executable_Serialize) ||
        !FL_PJRT_HAS(api, PJRT_Executable_DeserializeAndLoad))
        return NULL;
    FL_PJRT_CALL(version, PJRT_Client_PlatformVersion, .client = p->client);
    fl_status_free(fl_pjrt_error(api, api->PJRT_Client_PlatformVersion(&version), ""));
    if (stat(p->path, &st)) st = (struct stat){0}; /* the loader found it elsewhere: its version has to do */
    fl_text text = {0};
    fl_text_printf(
        &text, "flambeau %s, entries %u|%s %.*s|PJRT %d.%d|library %lld.%09ld %lld|topology %016llx",
        fl_version(), FL_ENTRY_FORMAT, p->platform, (int)version.platform_version_size,
        version.platform_version ? version.platform_version : "", api->pjrt_api_version.major_version,
        api->pjrt_api_version.minor_version, (long long)st.st_mtim.tv_sec, (long)st.st_mtim.tv_nsec,
        (long long)st.st_size, (unsigned long long)topology_fingerprint(p));
    if (strcmp(p->platform, "tpu"))
        fl_text_printf(&text, "|processor %016llx", (unsigned long long)hash_processor());
    append_flags(&text, "XLA_FLAGS");
    append_flags(&text, "LIBTPU_INIT_ARGS");
    fl_text_printf(&text, "|options %s", options ? options : "");
    if (!text.failed) return text.data;
    fl_text_free(&text);
    return NULL;
}

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
