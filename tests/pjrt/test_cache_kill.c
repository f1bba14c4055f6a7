/* Four processes compile with the plugin that FL_PJRT_PLUGIN names and fill tiers 2 and 3; they are killed at random points, 200
 * times (FL_KILLS says another number): nobody computes anything wrong, and whoever starts next goes on. After one that finished,
 * the next compiles nothing. */
#include "check.h"
#include "ir/build.h"
#include "pjrt/client.h"
#include "pjrt/client_cache.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, PROGRAMS = 150, WRONG = 2, COMPILED = 3 };

/* ---- a worker: `test_cache_kill SEED` for ever, SEED 0: every program once ---- */

static fl_device *d;

/* y = x * n + n, of n elements. */
static fl_executable *compile(int64_t n)
{
    fl_builder b;
    fl_program *program = NULL;
    fl_executable *e = NULL;
    fl_status status = fl_builder_init(&b, "scale");
    if (status) exit(WRONG);
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 1, &n));
    fl_ref c = fl_full_like(&b, x, (double)n);
    fl_ref y = fl_add(&b, fl_mul(&b, x, c), c);
    status = fl_builder_finish(&b, &y, 1, &program);
    const fl_compile_options options = {.name = "scale"};
    if (!status) status = d->vtable->compile(d, program, &options, &e);
    if (status) {
        fprintf(stderr, "%s\n", fl_status_message(status));
        exit(WRONG);
    }
    fl_program_destroy(program);
    return e;
}

static void run(fl_executable *e, int64_t n)
{
    float in[PROGRAMS + 1], out[PROGRAMS + 1];
    size_t bytes = (size_t)n * sizeof *in;
    fl_buffer *x, *y;
    for (int64_t i = 0; i < n; i++) in[i] = (float)i;
    if (d->vtable->allocate(d, 0, bytes, &x) || d->vtable->allocate(d, 0, bytes, &y) ||
        d->vtable->upload(d, 0, in, bytes, x, 0))
        exit(WRONG);
    const fl_binding input = {.buffer = x}, output = {.buffer = y};
    if (d->vtable->execute(d, 0, e, &input, &output) || d->vtable->download(d, 0, y, 0, bytes, out))
        exit(WRONG);
    for (int64_t i = 0; i < n; i++)
        if (out[i] != (float)(i * n + n)) exit(WRONG);
    d->vtable->release(d, x);
    d->vtable->release(d, y);
}

static int work(unsigned seed)
{
    if (fl_pjrt_device_create(getenv("FL_PJRT_PLUGIN"), 0, &d)) return WRONG;
    for (unsigned i = 0; seed || i < PROGRAMS; i++) {
        unsigned n = seed ? (unsigned)rand_r(&seed) % PROGRAMS : i;
        fl_executable *e = compile(1 + n);
        run(e, 1 + n);
        d->vtable->destroy_executable(d, e);
    }
    uint64_t compiled, ns;
    fl_pjrt_cache_count(&compiled, &ns);
    return compiled ? COMPILED : 0;
}

/* ---- the test ---- */

static const char *self;

static pid_t start(int seed)
{
    char text[20];
    snprintf(text, sizeof text, "%d", seed);
    pid_t pid = fork();
    if (pid) return pid;
    execl(self, self, text, (char *)NULL);
    _exit(127);
}

/* What it ended with; below 0: by that signal. */
static int await(pid_t pid)
{
    int status = 0;
    CHECK(waitpid(pid, &status, 0) == pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void kill_them(int kills)
{
    unsigned state = 1;
    pid_t pids[WORKERS];
    for (int i = 0; i < WORKERS; i++) pids[i] = start(1 + i);
    for (int k = 0; k < kills; k++) {
        int i = rand_r(&state) % WORKERS;
        const struct timespec t = {0, rand_r(&state) % 20000000};
        nanosleep(&t, NULL);
        kill(pids[i], SIGKILL);
        CHECK_INT(await(pids[i]), -SIGKILL);
        pids[i] = start(100 + k);
    }
    for (int i = 0; i < WORKERS; i++) {
        kill(pids[i], SIGKILL);
        CHECK_INT(await(pids[i]), -SIGKILL);
    }
}

int main(int argc, char **argv)
{
    const char *text = getenv("FL_KILLS");
    char folder[] = "/tmp/flambeau_kill_XXXXXX", name[40], command[200];
    if (argc > 1) return work((unsigned)atoi(argv[1]));
    self = argv[0];
    CHECK(mkdtemp(folder));
    snprintf(name, sizeof name, "test_%ld", (long)getpid());
    setenv("TORCH_TPU_TIER3_COMPILATION_CACHE_ROOT", folder, 1);
    setenv("TORCH_TPU_TIER2_COMPILATION_CACHE", name, 1);
    kill_them(text ? atoi(text) : 200);
    int first = await(start(0));
    CHECK(first == 0 || first == COMPILED);
    CHECK_INT(await(start(0)), 0);
    setenv("TORCH_TPU_TIER2_COMPILATION_CACHE", "disabled", 1);
    CHECK_INT(await(start(0)), 0); /* tier 3 alone has all as well */
    snprintf(command, sizeof command, "rm -r %s /dev/shm/torch_tpu_cache*/%s", folder, name);
    CHECK(!system(command));
    return check_result();
}
