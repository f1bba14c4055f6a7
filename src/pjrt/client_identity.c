/* What an executable of a plugin depends on besides its program and options. */
#define _GNU_SOURCE
#include "pjrt/client_cache.h"

#include "base/checksum.h"
#include "base/hash.h"
#include "base/tiers.h"
#include "flambeau.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* ---- the library ---- */

/* The build id among an ELF file's notes. NULL: it has none. */
static const unsigned char *find_build_id(const char *base, size_t *out_size)
{
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)base;
    const ElfW(Phdr) *parts = (const ElfW(Phdr) *)(base + head->e_phoff);
    for (int i = 0; i < head->e_phnum; i++) {
        const char *at = base + parts[i].p_vaddr, *end = at + parts[i].p_memsz;
        while (parts[i].p_type == PT_NOTE && end - at > (ptrdiff_t)sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)at;
            const char *name = at + sizeof *note, *content = name + ((note->n_namesz + 3) & ~3u);
            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && !memcmp(name, "GNU", 4)) {
                *out_size = note->n_descsz;
                return (const unsigned char *)content;
            }
            at = content + ((note->n_descsz + 3) & ~3u);
        }
    }
    return NULL;
}

static uint64_t checksum_file(const char *path)
{
    struct stat st;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    uint64_t sum = 0;
    void *bytes = MAP_FAILED;
    if (file >= 0 && !fstat(file, &st) && st.st_size > 0)
        bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes != MAP_FAILED) {
        sum = fl_checksum(0, bytes, (size_t)st.st_size);
        munmap(bytes, (size_t)st.st_size);
    }
    if (file >= 0) close(file);
    return sum;
}

/* What tells one build of the plugin from another on every host, whenever it was installed there: its build id, else a checksum of
 * the file. */
static void append_library(fl_text *text, const fl_pjrt_plugin *p)
{
    Dl_info where;
    const unsigned char *id = NULL;
    size_t size = 0;
    int found = dladdr(p->api, &where);
    if (found) id = find_build_id(where.dli_fbase, &size);
    if (!id)
        fl_text_printf(text, "%016llx", (unsigned long long)checksum_file(found ? where.dli_fname : p->path));
    for (size_t i = 0; id && i < size; i++) fl_text_printf(text, "%02x", id[i]);
}

/* ---- identity ---- */

char *fl_pjrt_cache_identity(const fl_pjrt_plugin *p)
{
    const PJRT_Api *api = p->api;
    const char *options = getenv("TORCH_TPU_DEVICE_OPTIONS");
    if (!fl_tiers_get() || !FL_PJRT_HAS(api, PJRT_Executable_Serialize) ||
        !FL_PJRT_HAS(api, PJRT_Executable_DeserializeAndLoad))
        return NULL;
    FL_PJRT_CALL(version, PJRT_Client_PlatformVersion, .client = p->client);
    fl_status_free(fl_pjrt_error(api, api->PJRT_Client_PlatformVersion(&version), ""));
    fl_text text = {0};
    fl_text_printf(&text, "flambeau %s, entries %u|%s %.*s|PJRT %d.%d|library ", fl_version(),
                   FL_ENTRY_FORMAT, p->platform, (int)version.platform_version_size,
                   version.platform_version ? version.platform_version : "",
                   api->pjrt_api_version.major_version, api->pjrt_api_version.minor_version);
    append_library(&text, p);
    fl_text_printf(&text, "|topology %016llx", (unsigned long long)topology_fingerprint(p));
    if (strcmp(p->platform, "tpu"))
        fl_text_printf(&text, "|processor %016llx", (unsigned long long)hash_processor());
    append_flags(&text, "XLA_FLAGS");
    append_flags(&text, "LIBTPU_INIT_ARGS");
    fl_text_printf(&text, "|options %s", options ? options : "");
    if (!text.failed) return text.data;
    fl_text_free(&text);
    return NULL;
}
