#include "pjrt/client_host.h"
#include "pjrt/client.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VENDOR 0x1ae0u

/* Oldest first. */
static const struct {
    unsigned device;
    const char *name;
} chips[] = {{0x0027, "v3"},  {0x005e, "v4"},  {0x0063, "v5e"},   {0x0062, "v5p"},
             {0x006f, "v6e"}, {0x0076, "v7x"}, {0x007c, "tpu8t"}, {0x0083, "tpu8i"}};
enum { CHIPS = sizeof chips / sizeof *chips };

/* A number such as 0x1ae0; 0 when there is none. */
static unsigned read_id(const char *folder, const char *device, const char *file)
{
    char path[600];
    unsigned id = 0;
    if (snprintf(path, sizeof path, "%s/%s/%s", folder, device, file) >= (int)sizeof path) return 0;
    FILE *f = fopen(path, "r");
    if (!f) return 0;
    if (fscanf(f, "%x", &id) != 1) id = 0;
    fclose(f);
    return id;
}

int fl_pjrt_chips(const char *root, const char **out_name)
{
    char folder[256];
    int count = 0, newest = -1;
    const char *set = getenv("FL_SYSFS");
    if (!root) root = set && *set ? set : "/sys";
    if (out_name) *out_name = NULL;
    if (snprintf(folder, sizeof folder, "%s/bus/pci/devices", root) >= (int)sizeof folder) return 0;
    DIR *devices = opendir(folder);
    if (!devices) return 0;
    for (const struct dirent *e; (e = readdir(devices));) {
        if (*e->d_name == '.' || read_id(folder, e->d_name, "vendor") != VENDOR) continue;
        unsigned id = read_id(folder, e->d_name, "device");
        for (int i = 0; i < CHIPS; i++) {
            if (chips[i].device != id) continue;
            count++;
            if (i > newest) newest = i;
        }
    }
    closedir(devices);
    if (out_name && newest >= 0) *out_name = chips[newest].name;
    return count;
}

void fl_pjrt_prepare_host(void)
{
    static const char *const settings[][2] = {{"TPU_SKIP_MDS_QUERY", "1"},
                                              {"TPU_ACCELERATOR_TYPE", "v5litepod-1"},
                                              {"TPU_WORKER_HOSTNAMES", "localhost"},
                                              {"TPU_WORKER_ID", "0"}};
    if (fl_pjrt_chips(NULL, NULL)) return;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) setenv(settings[i][0], settings[i][1], 0);
}

static const char *tpu_library(void)
{
    const char *library = getenv("TPU_LIBRARY_PATH");
    return library && *library ? library : "libtpu.so";
}

static int can_load(const char *library)
{
    if (strchr(library, '/')) return !access(library, R_OK);
    void *handle = dlopen(library, RTLD_LAZY | RTLD_LOCAL); /* the one that is used in a moment */
    if (handle) dlclose(handle);
    return handle != NULL;
}

const char *fl_pjrt_selected(void)
{
    const char *name = getenv("TORCH_TPU_DEVICE");
    if (!name || !*name) return fl_pjrt_chips(NULL, NULL) && can_load(tpu_library()) ? tpu_library() : NULL;
    if (!strcmp(name, "embedded")) return NULL;
    return strcmp(name, "tpu") ? name : tpu_library();
}

int fl_pjrt_unused_chips(const char **out_name)
{
    const char *name = getenv("TORCH_TPU_DEVICE");
    return name && *name ? 0 : fl_pjrt_chips(NULL, out_name);
}
