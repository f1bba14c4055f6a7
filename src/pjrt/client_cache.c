#include "pjrt/client_cache.h"

#include "base/hash.h"
#include "base/store.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_BYTES (4ull << 30)
#define HOST_ROOT     "/dev/shm/torch_tpu_cache"

enum { TIERS = 2 }; /* the host's folder, the shared one */

/* The folders of one identity. */
typedef struct tiers {
    fl_store *stores[TIERS]; /* NULL: none */
    struct tiers *next;
    char identity[];
} tiers;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tiers *all_tiers;
static fl_pjrt_cache_counts counts;

static void count(uint64_t *what)
{
    __atomic_fetch_add(what, 1, __ATOMIC_RELAXED);
}

void fl_pjrt_cache_get_counts(fl_pjrt_cache_counts *out)
{
    out->hits = __atomic_load_n(&counts.hits, __ATOMIC_RELAXED);
    out->misses = __atomic_load_n(&counts.misses, __ATOMIC_RELAXED);
    out->kept = __atomic_load_n(&counts.kept, __ATOMIC_RELAXED);
    out->refused = __atomic_load_n(&counts.refused, __ATOMIC_RELAXED);
}

/* ---- which folders ---- */

static const char *setting(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

static const char *shared_root(void)
{
    return setting("TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT");
}

/* The host's folder is in use when it is asked for, when there is a shared one, and when processes work together. */
static const char *host_name(void)
{
    const char *name = setting("TORCH_TPU_TIER2_COMPILATION_CACHE"), *world = setting("WORLD_SIZE");
    if (name) return strcmp(name, "disabled") ? name : NULL;
    return shared_root() || (world && atoi(world) > 1) ? "default" : NULL;
}

static uint64_t limit(void)
{
    const char *text = setting("TORCH_TPU_COMPILATION_CACHE_BYTES");
    long long bytes = text ? atoll(text) : 0;
    return bytes > 0 ? (uint64_t)bytes : DEFAULT_BYTES;
}

static uint64_t hash_text(const char *text)
{
    uint64_t h = 0x243F6A8885A308D3ull;
    for (; *text; text++) h = fl_hash_mix(h, (unsigned char)*text);
    return h;
}

/* A folder that cannot be used is as if it were not named: what it would have kept is compiled. */
static fl_store *open_folder(const char *root, const char *name, const char *identity)
{
    char path[1024];
    fl_store *store = NULL;
    const char *slash = *name ? "/" : "";
    if (snprintf(path, sizeof path, "%s%s%s/%016llx", root, slash, name,
                 (unsigned long long)hash_text(identity)) < (int)sizeof path)
        fl_status_free(fl_store_open(path, limit(), &store));
    return store;
}

/* With the lock held. NULL: out of memory. */
static tiers *find_tiers(const char *identity)
{
    for (tiers *t = all_tiers; t; t = t->next)
        if (!strcmp(t->identity, identity)) return t;
    tiers *t = calloc(1, sizeof *t + strlen(identity) + 1);
    if (!t) return NULL;
    strcpy(t->identity, identity);
    if (host_name()) t->stores[0] = open_folder(HOST_ROOT, host_name(), identity);
    if (shared_root()) t->stores[1] = open_folder(shared_root(), "", identity);
    t->next = all_tiers;
    return all_tiers = t;
}

static tiers *get_tiers(const char *identity)
{
    pthread_mutex_lock(&lock);
    tiers *t = find_tiers(identity);
    pthread_mutex_unlock(&lock);
    return t;
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

char *fl_pjrt_cache_identity(const fl_pjrt_plugin *p)
{
    const PJRT_Api *api = p->api;
    if (!host_name() && !shared_root()) return NULL;
    if (!FL_PJRT_HAS(api, PJRT_Executable_Serialize) || !FL_PJRT_HAS(api, PJRT_Executable_DeserializeAndLoad))
        return NULL;
    FL_PJRT_CALL(version, PJRT_Client_PlatformVersion, .client = p->client);
    fl_status_free(fl_pjrt_error(api, api->PJRT_Client_PlatformVersion(&version), ""));
    struct stat st = {0};
    const char *xla = setting("XLA_FLAGS"), *libtpu = setting("LIBTPU_INIT_ARGS"),
               *options = setting("TORCH_TPU_DEVICE_OPTIONS");
    if (stat(p->path, &st)) st = (struct stat){0}; /* the loader found it elsewhere: its version has to do */
    fl_text text = {0};
    fl_text_printf(&text, "1|%d.%d|%s|%.*s|%lld.%09ld|%lld|%016llx|", api->pjrt_api_version.major_version,
                   api->pjrt_api_version.minor_version, p->platform, (int)version.platform_version_size,
                   version.platform_version ? version.platform_version : "", (long long)st.st_mtim.tv_sec,
                   (long)st.st_mtim.tv_nsec, (long long)st.st_size,
                   (unsigned long long)topology_fingerprint(p));
    fl_text_printf(&text, "%016llx|%s|%s|%s",
                   strcmp(p->platform, "tpu") ? (unsigned long long)hash_processor() : 0, xla ? xla : "",
                   libtpu ? libtpu : "", options ? options : "");
    if (!text.failed) return text.data;
    fl_text_free(&text);
    return NULL;
}

/* ---- entries ---- */

/* One block: lengths, then the three texts. */
static char *join_key(const fl_pjrt_cache_key *key, size_t *out_size)
{
    const struct {
        const char *bytes;
        size_t size;
    } parts[] = {{key->identity, strlen(key->identity)},
                 {key->options, key->options_size},
                 {key->code, key->code_size}};
    size_t size = 0;
    for (int i = 0; i < 3; i++) size += sizeof(uint64_t) + parts[i].size;
    char *joined = malloc(size), *p = joined;
    for (int i = 0; joined && i < 3; i++) {
        uint64_t n = parts[i].size;
        memcpy(p, &n, sizeof n);
        if (n) memcpy(p + sizeof n, parts[i].bytes, n);
        p += sizeof n + n;
    }
    *out_size = size;
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

PJRT_LoadedExecutable *fl_pjrt_cache_load(const fl_pjrt_plugin *p, const fl_pjrt_cache_key *key)
{
    size_t key_size, size;
    tiers *t = key->identity ? get_tiers(key->identity) : NULL;
    char *joined = t ? join_key(key, &key_size) : NULL;
    PJRT_LoadedExecutable *loaded = NULL;
    if (!joined) return NULL;
    for (int i = 0; i < TIERS && !loaded; i++) {
        void *bytes;
        if (!t->stores[i] || !fl_store_get(t->stores[i], joined, key_size, &bytes, &size)) continue;
        loaded = load(p, bytes, size);
        if (!loaded) {
            fl_store_remove(t->stores[i], joined, key_size);
            count(&counts.refused);
        }
        for (int k = 0; loaded && k < i; k++) /* nearer folders get it too */
            if (t->stores[k]) fl_status_free(fl_store_put(t->stores[k], joined, key_size, bytes, size));
        free(bytes);
    }
    free(joined);
    count(loaded ? &counts.hits : &counts.misses);
    return loaded;
}

/* The bytes to keep; the caller calls the deleter. 0: the plugin cannot. */
static int serialize(const fl_pjrt_plugin *p, PJRT_Executable *executable,
                     PJRT_Executable_Serialize_Args *out)
{
    FL_PJRT_CALL(args, PJRT_Executable_Serialize, .executable = executable);
    fl_status status = fl_pjrt_error(p->api, p->api->PJRT_Executable_Serialize(&args), "");
    int done = !status && args.serialized_bytes;
    fl_status_free(status);
    *out = args;
    return done;
}

static void keep(const fl_pjrt_plugin *p, const tiers *t, const char *key, size_t key_size,
                 PJRT_Executable *executable)
{
    PJRT_Executable_Serialize_Args args;
    if (!serialize(p, executable, &args)) return;
    int kept = 0;
    for (int i = 0; i < TIERS; i++) {
        if (!t->stores[i]) continue;
        fl_status status =
            fl_store_put(t->stores[i], key, key_size, args.serialized_bytes, args.serialized_bytes_size);
        kept |= !status;
        fl_status_free(status);
    }
    if (kept) count(&counts.kept);
    if (args.serialized_executable_deleter) args.serialized_executable_deleter(args.serialized_executable);
}

void fl_pjrt_cache_keep(const fl_pjrt_plugin *p, const fl_pjrt_cache_key *key, PJRT_LoadedExecutable *loaded)
{
    size_t key_size;
    tiers *t = key->identity ? get_tiers(key->identity) : NULL;
    char *joined = t ? join_key(key, &key_size) : NULL;
    if (!joined) return;
    FL_PJRT_CALL(get, PJRT_LoadedExecutable_GetExecutable, .loaded_executable = loaded);
    fl_status status = fl_pjrt_error(p->api, p->api->PJRT_LoadedExecutable_GetExecutable(&get), "");
    if (!status) {
        keep(p, t, joined, key_size, get.executable);
        FL_PJRT_CALL(destroy, PJRT_Executable_Destroy, .executable = get.executable);
        fl_status_free(fl_pjrt_error(p->api, p->api->PJRT_Executable_Destroy(&destroy), ""));
    }
    fl_status_free(status);
    free(joined);
}
