#include "pjrt/client_trace.h"

#include "base/checksum.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int is_set, file = -1;
static int is_on; /* what those read who have no lock */
static struct {
    uint64_t *sums; /* of programs that are in the file; open addressing, 0 is empty */
    size_t count, places;
} seen;

/* With the lock, like all below. 1: it is new. Without memory everything is. */
static int note(uint64_t sum)
{
    if (seen.count * 2 >= seen.places) {
        size_t places = seen.places ? seen.places * 2 : 256;
        uint64_t *sums = calloc(places, sizeof *sums);
        if (!sums) return 1;
        for (size_t i = 0; i < seen.places; i++) {
            size_t h = seen.sums[i] & (places - 1);
            while (seen.sums[i] && sums[h]) h = (h + 1) & (places - 1);
            if (seen.sums[i]) sums[h] = seen.sums[i];
        }
        free(seen.sums);
        seen.sums = sums;
        seen.places = places;
    }
    size_t h = sum & (seen.places - 1);
    for (; seen.sums[h]; h = (h + 1) & (seen.places - 1))
        if (seen.sums[h] == sum) return 0;
    seen.sums[h] = sum;
    seen.count++;
    return 1;
}

static fl_status set_file(const char *path)
{
    int fresh = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    FL_CHECK(!path || fresh >= 0, FL_INVALID, "%s: %s", path, strerror(errno));
    if (file >= 0) close(file);
    file = fresh;
    free(seen.sums);
    memset(&seen, 0, sizeof seen);
    is_set = 1;
    __atomic_store_n(&is_on, file >= 0, __ATOMIC_RELAXED);
    return NULL;
}

fl_status fl_pjrt_trace_to(const char *path)
{
    pthread_mutex_lock(&lock);
    fl_status status = set_file(path);
    pthread_mutex_unlock(&lock);
    return status;
}

static void read_setting(void)
{
    const char *path = getenv("TORCH_TPU_COMPILATION_TRACE");
    pthread_mutex_lock(&lock);
    if (!is_set) fl_status_free(set_file(path && *path ? path : NULL));
    pthread_mutex_unlock(&lock);
}

void fl_pjrt_trace_add(const char *name, const fl_program *program)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    fl_text text = {0};
    pthread_once(&once, read_setting);
    if (!__atomic_load_n(&is_on, __ATOMIC_RELAXED)) return;
    fl_text_printf(&text, FL_PJRT_TRACE_MARK "%s\n", name);
    fl_program_print(program, &text);
    fl_text_printf(&text, "// -----\n");
    pthread_mutex_lock(&lock);
    /* One write: records of several processes do not mix. */
    if (!text.failed && file >= 0 && note(fl_checksum(1, text.data, text.length)))
        (void)!write(file, text.data, text.length);
    pthread_mutex_unlock(&lock);
    fl_text_free(&text);
}
