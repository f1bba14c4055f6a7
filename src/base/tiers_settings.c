/* Which tiers there are: TorchTPU's variables, and two of our own. */
#include "base/tiers.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_BYTES (4ull << 30)
#define DEFAULT_WAIT  600 /* seconds; compilers take minutes for large programs */
#define HOST_ROOT     "/dev/shm/torch_tpu_cache"

static const char *setting(const char *name)
{
    const char *text = getenv(name);
    return text && *text ? text : NULL;
}

const char *fl_tier3_place(void)
{
    return setting("TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT");
}

/* The host's folder is in use when it is asked for, when there is a shared one, and when processes work together. */
static const char *host_name(void)
{
    const char *name = setting("TORCH_TPU_TIER2_COMPILATION_CACHE"), *world = setting("WORLD_SIZE");
    if (name) return strcmp(name, "disabled") ? name : NULL;
    return fl_tier3_place() || (world && atoi(world) > 1) ? "default" : NULL;
}

/* The folder of that name belongs to whoever came first; other users have their own beside it. */
static const char *host_root(void)
{
    static char own[sizeof HOST_ROOT + 24];
    struct stat st;
    if (lstat(HOST_ROOT, &st) || st.st_uid == geteuid()) return HOST_ROOT;
    snprintf(own, sizeof own, HOST_ROOT "_%lu", (unsigned long)geteuid());
    return own;
}

void fl_tier2_place(const char **out_path, const char **out_name)
{
    *out_name = host_name();
    *out_path = *out_name ? host_root() : NULL;
}

static uint64_t positive(const char *name, uint64_t otherwise)
{
    const char *text = setting(name);
    long long n = text ? atoll(text) : 0;
    return n > 0 ? (uint64_t)n : otherwise;
}

uint64_t fl_tiers_limit(void)
{
    return positive("TORCH_TPU_COMPILATION_CACHE_BYTES", DEFAULT_BYTES);
}

fl_status fl_tier_open(int tier, int make, fl_store **out)
{
    const char *path, *name = NULL;
    *out = NULL;
    if (tier == 2)
        fl_tier2_place(&path, &name);
    else
        path = fl_tier3_place();
    if (!path) return NULL;
    return (make ? fl_store_open_folder : fl_store_find_folder)(path, name, fl_tiers_limit(), out);
}

static fl_tiers all;
static int are_on;

static void open_all(void)
{
    all.wait_ns = positive("TORCH_TPU_COMPILATION_CACHE_WAIT", DEFAULT_WAIT) * 1000000000u;
    for (int t = 0; t < FL_TIERS; t++) {
        fl_status status = fl_tier_open(t + 2, 1, &all.stores[t]);
        if (status) all.problems[t] = strdup(fl_status_message(status));
        fl_status_free(status);
        are_on |= all.stores[t] || all.problems[t];
    }
}

fl_tiers *fl_tiers_get(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_all);
    return are_on ? &all : NULL;
}
