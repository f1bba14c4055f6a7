/* Fuzzing without libFuzzer: runs every corpus file, then mutations of them, for a number of seconds or runs.
 *
 *     fuzz_text [--seconds S] [--runs N] [--seed X] [--files N] [--most-bytes N] FILE|FOLDER...
 *
 * A fixed seed gives a fixed sequence. What goes wrong (a signal, a sanitizer's finding, a failed invariant, more than 20 seconds for
 * one input) leaves the input in the file crash-<target> and ends with an error; run that file alone to see it again. */
#define _GNU_SOURCE
#include "fuzz.h"
#include "mutate.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SECONDS_PER_INPUT = 20 };

/* What is running, for the handlers. */
static const char *current_data;
static size_t current_size;
static char crash_path[256] = "crash";

static void keep_input(void)
{
    static const char text[] = "fuzz: the input is in the file crash-<target>\n";
    int f = open(crash_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (f < 0) return;
    for (size_t at = 0; at < current_size;) {
        ssize_t n = write(f, current_data + at, current_size - at);
        if (n <= 0) break;
        at += (size_t)n;
    }
    close(f);
    if (write(2, text, sizeof text - 1) < 0) return;
}

static void on_signal(int number)
{
    static const char late[] = "fuzz: one input takes too long\n";
    if (number == SIGALRM && write(2, late, sizeof late - 1) < 0) _exit(1);
    keep_input();
    signal(number == SIGALRM ? SIGABRT : number, SIG_DFL);
    raise(number == SIGALRM ? SIGABRT : number);
}

/* Sanitizers end the process themselves. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*callback)(void));

static void run_one(const fl_text *input)
{
    /* Its own block of just this size, so that a read beyond the end is found. */
    char *copy = malloc(input->length ? input->length : 1);
    if (!copy) return;
    if (input->length) memcpy(copy, input->data, input->length);
    current_data = copy;
    current_size = input->length;
    alarm(SECONDS_PER_INPUT);
    LLVMFuzzerTestOneInput((const uint8_t *)copy, input->length);
    alarm(0);
    current_size = 0;
    free(copy);
}

/* ---- the corpus ---- */

typedef struct paths {
    char **items;
    size_t count;
} paths;

static void add_path(paths *p, const char *path)
{
    char **items = realloc(p->items, (p->count + 1) * sizeof *items);
    if (!items) exit(1);
    p->items = items;
    if (!(items[p->count++] = strdup(path))) exit(1);
}

static void find_files(paths *p, const char *path, size_t most_bytes)
{
    struct stat info;
    struct dirent **entries;
    if (stat(path, &info)) return;
    if (!S_ISDIR(info.st_mode)) {
        if (info.st_size > 0 && (size_t)info.st_size <= most_bytes) add_path(p, path);
        return;
    }
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        fl_text inner = {0};
        fl_text_printf(&inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && inner.data) find_files(p, inner.data, most_bytes);
        fl_text_free(&inner);
        free(entries[i]);
    }
    if (n >= 0) free(entries);
}

static int load(const char *path, fl_text *out)
{
    char buffer[4096];
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    for (size_t n; (n = fread(buffer, 1, sizeof buffer, f)) > 0;) fl_text_append(out, buffer, n);
    fclose(f);
    return out->length && fl_fuzz_seed(out) && out->length;
}

/* At most `most_files` of them, evenly spread. */
static uint32_t load_corpus(const paths *p, size_t most_files, fl_text **out)
{
    size_t n = p->count < most_files ? p->count : most_files;
    uint32_t count = 0;
    fl_text *corpus = calloc(n + 1, sizeof *corpus);
    for (size_t i = 0; corpus && i < n; i++) {
        if (load(p->items[i * p->count / n], &corpus[count]))
            count++;
        else
            fl_text_free(&corpus[count]);
    }
    *out = corpus;
    return count;
}

/* ---- the command line ---- */

typedef struct options {
    double seconds;
    uint64_t runs, seed;
    size_t files, most_bytes;
} options;

static int take_option(const char *word, const char *value, options *o)
{
    uint64_t number = strtoull(value, NULL, 0);
    if (!strcmp(word, "--seconds"))
        o->seconds = atof(value);
    else if (!strcmp(word, "--runs"))
        o->runs = number;
    else if (!strcmp(word, "--seed"))
        o->seed = number;
    else if (!strcmp(word, "--files"))
        o->files = (size_t)number;
    else if (!strcmp(word, "--most-bytes"))
        o->most_bytes = (size_t)number;
    else
        return 0;
    return 1;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static uint64_t fuzz(const options *o, const fl_text *corpus, uint32_t count)
{
    fl_mutator m = {(o->seed + 1) * 0x9e3779b97f4a7c15ull, fl_fuzz_is_text, corpus, count, 4 * o->most_bytes};
    fl_text input = {0};
    uint64_t done = 0;
    for (double end = now() + o->seconds; count && done < o->runs && now() < end; done++) {
        fl_mutate(&m, &input);
        run_one(&input);
    }
    fl_text_free(&input);
    return done;
}

int main(int argc, char **argv)
{
    options o = {.seconds = 1, .runs = UINT64_MAX, .files = 100000, .most_bytes = 4096};
    paths p = {0};
    fl_text *corpus;
    const char *name = strrchr(argv[0], '/');
    snprintf(crash_path, sizeof crash_path, "crash-%s", name ? name + 1 : argv[0]);
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "--", 2) != 0) {
            find_files(&p, argv[i], o.most_bytes);
        } else if (i + 1 == argc || !take_option(argv[i], argv[i + 1], &o)) {
            fprintf(stderr, "%s: expected --seconds S, --runs N, --seed X, --files N or --most-bytes N\n",
                    argv[0]);
            return 2;
        } else {
            i++;
        }
    }
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(keep_input);
    for (const int *s = (const int[]){SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGALRM, 0}; *s; s++)
        if (*s == SIGALRM || *s == SIGABRT || !__sanitizer_set_death_callback) signal(*s, on_signal);
    uint32_t count = load_corpus(&p, o.files, &corpus);
    for (uint32_t i = 0; i < count; i++) run_one(&corpus[i]);
    uint64_t done = fuzz(&o, corpus, count);
    printf("%u seeds, %llu mutations: no finding\n", count, (unsigned long long)done);
    for (uint32_t i = 0; i < count; i++) fl_text_free(&corpus[i]);
    for (size_t i = 0; i < p.count; i++) free(p.items[i]);
    free(corpus);
    free(p.items);
    return count ? 0 : 1;
}
