/* FL_PROFILE: the trace of a run is JSON, with an event for every step that ran. The run happens in a process of its own, because the
 * file is complete when a process ends. */
#define _GNU_SOURCE
#include "check.h"
#include "cpu/plan/plan.h"
#include "ir/build.h"

#include <ctype.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static void plan_and_run(const fl_program *p, void *in, void *out)
{
    fl_plan *plan = NULL;
    CHECK_OK(fl_plan_create(p, NULL, &plan));
    void *scratch = aligned_alloc(64, (plan->scratch_bytes + 127) & ~(size_t)63);
    CHECK_OK(fl_plan_run(plan, (void *[]){in}, (void *[]){out}, scratch));
    free(scratch);
    fl_plan_destroy(plan);
}

/* A loop that runs three times around a product, with a quote and a line break in the program's name. */
static void run_program(void)
{
    fl_builder b;
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "two \"words\"\nand more"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 2, (int64_t[]){4, 4})),
           state[] = {fl_scalar_i(&b, FL_I32, 0), x};
    fl_type types[] = {*fl_typeof(&b, state[0]), *fl_typeof(&b, x)};
    fl_block *regions[2] = {fl_region_begin(&b, types, 2)};
    fl_ref flag = fl_compare(&b, FL_LT, fl_block_arg(regions[0], 0), fl_scalar_i(&b, FL_I32, 3));
    fl_region_end(&b, regions[0], &flag, 1);
    regions[1] = fl_region_begin(&b, types, 2);
    const fl_dot_dims dims = {
        .lhs_contract = (int64_t[]){1}, .rhs_contract = (int64_t[]){0}, .contract_count = 1};
    fl_ref y = fl_block_arg(regions[1], 1), product = fl_dot_general(&b, y, y, &dims, FL_F32);
    fl_ref next[] = {fl_add(&b, fl_block_arg(regions[1], 0), fl_scalar_i(&b, FL_I32, 1)),
                     fl_add(&b, product, y)};
    fl_region_end(&b, regions[1], next, 2);
    fl_ref r = fl_build(&b, FL_OP_while, state, 2, NULL, 0, regions, 2) + 1;
    CHECK_OK(fl_builder_finish(&b, &r, 1, &p));
    float in[16] = {0.5f}, out[16];
    plan_and_run(p, in, out);
    CHECK(out[0] == 3.03515625f); /* x <- x * x + x: 0.75, 1.3125, ... */
    fl_program_destroy(p);
}

/* What reads all results of a loop that carries several. */
static void run_reader(void)
{
    enum { CARRIED = 6 };
    fl_builder b;
    fl_program *p = NULL;
    CHECK_OK(fl_builder_init(&b, "reader"));
    fl_ref x = fl_parameter(&b, fl_type_make(FL_F32, 2, (int64_t[]){4, 4})), state[1 + CARRIED],
           next[1 + CARRIED];
    fl_type types[1 + CARRIED];
    state[0] = fl_scalar_i(&b, FL_I32, 0);
    for (int i = 1; i <= CARRIED; i++) state[i] = x;
    for (int i = 0; i <= CARRIED; i++) types[i] = *fl_typeof(&b, state[i]);
    fl_block *regions[2] = {fl_region_begin(&b, types, 1 + CARRIED)};
    fl_ref flag = fl_compare(&b, FL_LT, fl_block_arg(regions[0], 0), fl_scalar_i(&b, FL_I32, 3));
    fl_region_end(&b, regions[0], &flag, 1);
    regions[1] = fl_region_begin(&b, types, 1 + CARRIED);
    next[0] = fl_add(&b, fl_block_arg(regions[1], 0), fl_scalar_i(&b, FL_I32, 1));
    for (int i = 1; i <= CARRIED; i++) {
        fl_ref y = fl_block_arg(regions[1], (uint32_t)i);
        next[i] = fl_mul(&b, y, fl_block_arg(regions[1], (uint32_t)(i == CARRIED ? 1 : i + 1)));
    }
    fl_region_end(&b, regions[1], next, 1 + CARRIED);
    fl_ref last = fl_build(&b, FL_OP_while, state, 1 + CARRIED, NULL, 0, regions, 2);
    fl_ref sum = last + 1;
    for (fl_ref i = 2; i <= CARRIED; i++) sum = fl_add(&b, sum, last + i);
    CHECK_OK(fl_builder_finish(&b, &sum, 1, &p));
    float in[16] = {1}, out[16];
    plan_and_run(p, in, out);
    CHECK(out[0] == CARRIED && out[1] == 0);
    fl_program_destroy(p);
}

/* --- a reader of JSON that only says whether it is JSON --- */

static const char *value(const char *s);

static const char *space(const char *s)
{
    while (s && isspace((unsigned char)*s)) s++;
    return s;
}

static const char *string(const char *s)
{
    if (!s || *s++ != '"') return NULL;
    for (; *s && *s != '"'; s++) {
        if ((unsigned char)*s < 32) return NULL;
        if (*s == '\\' && !*++s) return NULL;
    }
    return *s ? s + 1 : NULL;
}

static const char *members(const char *s, char end, int named)
{
    s = space(s + 1);
    if (*s == end) return s + 1;
    for (;;) {
        if (named) {
            s = space(string(s));
            if (!s || *s != ':') return NULL;
            s = space(s + 1);
        }
        s = space(value(s));
        if (!s) return NULL;
        if (*s == end) return s + 1;
        if (*s != ',') return NULL;
        s = space(s + 1);
    }
}

static const char *value(const char *s)
{
    char *end;
    if (*s == '{') return members(s, '}', 1);
    if (*s == '[') return members(s, ']', 0);
    if (*s == '"') return string(s);
    if (!isdigit((unsigned char)*s) && *s != '-') return NULL;
    strtod(s, &end);
    return end;
}

static int count(const char *text, const char *word)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, word)); at++) n++;
    return n;
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        run_program();
        run_reader();
        return check_result();
    }
    char path[] = "/tmp/fl_profile_XXXXXX", *child[] = {argv[0], "child", NULL};
    static char text[1 << 20];
    int fd = mkstemp(path), status = -1;
    pid_t pid;
    CHECK(fd >= 0);
    setenv("FL_PROFILE", path, 1);
    CHECK(posix_spawn(&pid, argv[0], NULL, NULL, child, environ) == 0);
    CHECK(waitpid(pid, &status, 0) == pid && status == 0);
    CHECK(read(fd, text, sizeof text - 1) > 0);
    close(fd);
    unlink(path);
    const char *end = space(value(text));
    CHECK(end && !*end);
    CHECK(count(text, "\"name\":\"dot_general\"") == 3);
    CHECK(count(text, "\"shapes\":\"f32[4,4] f32[4,4] -> f32[4,4]\",\"bytes\":192,\"flops\":128") == 3);
    CHECK(count(text, "\"bytes\":448,\"flops\":80") == 1); /* six of 64 bytes read, one written */
    CHECK(count(text, "\"cat\":\"program\"") == 2);
    CHECK(count(text, "peak GB/s") == 1);
    return check_result();
}
