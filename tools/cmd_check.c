/* fl check: programs that check their own results, many files at once. */
#define _GNU_SOURCE /* strchrnul */
#include "fl.h"
#include "flambeau.h"
#include "ir/ir.h"
#include "ir/read.h"
#include "ref/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const char fl_help_check[] =
    "usage: fl check [--device ref|cpu|pjrt:PLUGIN] [--round-trip] [-j N] [--verbose]\n"
    "                [--list FILE] FILE...\n\n"
    "Runs the entry function of every program, on the reference interpreter. Programs say\n"
    "themselves what results they expect, with operations of the dialect `check`\n"
    "(check.expect_eq_const %x, dense<3> : tensor<i32>; expect_eq, expect_almost_eq,\n"
    "expect_close) or custom calls of these names; the entry function has no arguments. A program\n"
    "fails when it is invalid, does not run, or a check does not hold. Files are split at lines\n"
    "\"// -----\".\n\n"
    "  --device D     cpu: on the embedded device; programs that it cannot run (quantized\n"
    "                 tensors, tokens) are counted, and passed over; pjrt:PLUGIN: so too on the first\n"
    "                 device of a PJRT plugin, the path of a library\n"
    "  --round-trip   do not run: print each program and read it back, write it as an artifact\n"
    "                 and read that back; both must give the same program (operations outside\n"
    "                 StableHLO have no place in an artifact: then the text alone)\n"
    "  -j N           threads; default one a processor\n"
    "  --verbose      a line for each file, also where all is well\n"
    "  --list FILE    more files, one a line (\"-\": from standard input)\n\n"
    "Exit status 1 when anything fails.\n\n"
    "examples:\n"
    "  fl check my_test.mlir\n"
    "  fl check --round-trip exported/*.mlirbc\n"
    "  find tests -name '*.mlir' | fl check --list -\n";

typedef struct file_report {
    uint32_t programs, checks, failures; /* failures: programs */
    uint32_t artifacts;                  /* programs that went through an artifact */
    uint32_t passed_over;                /* programs that the device cannot run */
    int unreadable;
    fl_text log;
} file_report;

typedef struct job {
    const char **paths;
    file_report *reports;
    uint32_t count;
    const char *device; /* NULL: do not run, but round trips */
    atomic_uint next;
} job;

/* ---- one program ---- */

static fl_status same(const fl_program *program, const fl_program *back, const char *form)
{
    fl_text why = {0};
    fl_status status = NULL;
    if (!fl_program_equal(program, back, &why))
        status = fl_error(FL_VALUE, "%s does not read back to the same program: %s", form,
                          why.data ? why.data : "they differ");
    fl_text_free(&why);
    return status;
}

static fl_status compare_reading(const fl_program *program, const fl_text *form, const char *name)
{
    fl_program *back;
    FL_CHECK(!form->failed, FL_OOM, "out of host memory");
    FL_TRY(fl_status_prefix(fl_program_read(form->data, form->length, &back), "%s does not read back", name));
    fl_status status = same(program, back, name);
    fl_program_destroy(back);
    return status;
}

static fl_status round_trip(const fl_program *program, file_report *report)
{
    fl_text text = {0}, bytes = {0};
    fl_program_print(program, &text);
    fl_status status = compare_reading(program, &text, "the printed text");
    fl_text_free(&text);
    FL_TRY(status);
    status = fl_program_serialize(program, NULL, &bytes);
    if (fl_status_code(status) == FL_UNSUPPORTED) { /* an operation outside StableHLO */
        fl_status_free(status);
        status = NULL;
    } else if (!status) {
        status = compare_reading(program, &bytes, "the artifact");
        report->artifacts++;
    }
    fl_text_free(&bytes);
    return status;
}

static fl_status run_checks(const fl_program *program, file_report *report, fl_text *log)
{
    fl_check_report checks = {0};
    fl_status status = fl_reference_check(program, &checks);
    report->checks += checks.checks;
    if (!status && checks.failures)
        status = fl_error(FL_VALUE, "%u of %u checks do not hold", checks.failures, checks.checks);
    if (checks.log.data) fl_text_append(log, checks.log.data, checks.log.length);
    fl_text_free(&checks.log);
    return status;
}

/* The lines of `from`, further in than the line above them. */
static void append_indented(fl_text *to, const fl_text *from)
{
    for (const char *at = from->data, *end; at && *at; at = *end ? end + 1 : end) {
        end = strchrnul(at, '\n');
        fl_text_printf(to, "    %.*s\n", (int)(end - at), at);
    }
}

/* A device runs checks as it runs all else: the first that does not hold is an error of the run. */
static fl_status run_device(const char *device, const fl_text *text, file_report *report)
{
    fl_module *module;
    fl_results *results = NULL;
    FL_TRY(fl_module_read(text->data, text->length, &module));
    fl_status status = fl_module_run(module, device, NULL, 0, &results);
    if (fl_status_code(status) == FL_UNSUPPORTED) {
        report->passed_over++;
        fl_status_free(status);
        status = NULL;
    }
    fl_results_free(results);
    fl_module_free(module);
    return status;
}

static fl_status check_text(const char *device, const fl_text *text, file_report *report, fl_text *log)
{
    fl_program *program;
    FL_CHECK(!text->failed, FL_OOM, "out of host memory");
    if (device && strcmp(device, "ref")) return run_device(device, text, report);
    FL_TRY(fl_program_read(text->data, text->length, &program));
    fl_status status = device ? run_checks(program, report, log) : round_trip(program, report);
    fl_program_destroy(program);
    return status;
}

static void check_part(const fl_input *in, uint32_t index, const char *device, file_report *report)
{
    fl_text text = {0}, log = {0};
    fl_input_part(in, index, &text);
    fl_status status = check_text(device, &text, report, &log);
    fl_text_free(&text);
    report->programs++;
    if (status) {
        report->failures++;
        fl_text_printf(&report->log, "  part %u: %s\n", in->parts[index].number, fl_status_message(status));
        append_indented(&report->log, &log);
        fl_status_free(status);
    }
    fl_text_free(&log);
}

/* ---- many files ---- */

static void check_file(const char *path, const char *device, file_report *report)
{
    fl_input in;
    fl_status status = fl_input_load(&in, path);
    if (status) {
        report->unreadable = 1;
        fl_text_printf(&report->log, "  %s\n", fl_status_message(status));
        fl_status_free(status);
    }
    for (uint32_t i = 0; !report->unreadable && i < in.count; i++) check_part(&in, i, device, report);
    fl_input_close(&in);
}

static void *work(void *arg)
{
    job *j = arg;
    for (uint32_t i; (i = atomic_fetch_add(&j->next, 1)) < j->count;)
        check_file(j->paths[i], j->device, &j->reports[i]);
    return NULL;
}

static void run_job(job *j, long threads)
{
    pthread_t others[64];
    long started = 0;
    if (threads > (long)j->count) threads = (long)j->count;
    while (started + 1 < threads && started < 64 && !pthread_create(&others[started], NULL, work, j))
        started++;
    work(j);
    while (started) pthread_join(others[--started], NULL);
}

static int print_reports(const job *j, int verbose)
{
    uint64_t programs = 0, checks = 0, failures = 0, unreadable = 0, artifacts = 0, passed_over = 0;
    for (uint32_t i = 0; i < j->count; i++) {
        const file_report *r = &j->reports[i];
        programs += r->programs;
        checks += r->checks;
        failures += r->failures;
        artifacts += r->artifacts;
        passed_over += r->passed_over;
        unreadable += r->unreadable != 0;
        if (r->failures || r->unreadable)
            printf("FAIL %s\n%s", j->paths[i], r->log.data ? r->log.data : "");
        else if (verbose)
            printf("ok   %s\n", j->paths[i]);
    }
    if (!j->device)
        printf("%u files, %llu programs as text, %llu of them as artifacts: ", j->count,
               (unsigned long long)programs, (unsigned long long)artifacts);
    else if (strcmp(j->device, "ref"))
        printf("%u files, %llu programs, %llu of them not for this device: ", j->count,
               (unsigned long long)programs, (unsigned long long)passed_over);
    else
        printf("%u files, %llu programs, %llu checks: ", j->count, (unsigned long long)programs,
               (unsigned long long)checks);
    if (failures) printf("%llu programs failed\n", (unsigned long long)failures);
    if (unreadable) printf("%llu files could not be read\n", (unsigned long long)unreadable);
    if (!failures && !unreadable) printf("all fine\n");
    return failures ? FL_EXIT_FAILED : unreadable ? FL_EXIT_FILE : FL_EXIT_OK;
}

/* ---- the command line ---- */

typedef struct paths {
    const char **items;
    uint32_t count, capacity;
    fl_text list; /* lines of --list, cut into strings */
} paths;

static int add_path(paths *p, const char *path)
{
    if (p->count == p->capacity) {
        uint32_t capacity = p->capacity ? 2 * p->capacity : 64;
        const char **items = realloc(p->items, capacity * sizeof *items);
        if (!items) return fl_report(fl_error(FL_OOM, "out of host memory"));
        p->items = items;
        p->capacity = capacity;
    }
    p->items[p->count++] = path;
    return FL_EXIT_OK;
}

static int add_list(paths *p, const char *name)
{
    char *save, *line;
    if (!name || p->list.data) return fl_usage_error("check: expected one file after --list");
    fl_status status = fl_read_file(name, &p->list);
    if (status) return fl_report(status) ? FL_EXIT_FILE : 0;
    for (line = strtok_r(p->list.data, "\r\n", &save); line; line = strtok_r(NULL, "\r\n", &save)) {
        int exit = add_path(p, line);
        if (exit) return exit;
    }
    return FL_EXIT_OK;
}

static int check_all(const paths *p, const char *device, int verbose, long threads)
{
    job j = {.paths = p->items,
             .reports = calloc(p->count, sizeof *j.reports),
             .count = p->count,
             .device = device};
    if (!j.reports) return fl_report(fl_error(FL_OOM, "out of host memory"));
    run_job(&j, threads);
    int exit = print_reports(&j, verbose);
    for (uint32_t i = 0; i < j.count; i++) fl_text_free(&j.reports[i].log);
    free(j.reports);
    return exit;
}

int fl_cmd_check(int argc, char **argv)
{
    fl_args args = {argc, 1, argv, 0};
    paths p = {0};
    int trip = 0, verbose = 0, exit = FL_EXIT_OK;
    const char *number = NULL, *word = NULL, *device = "ref";
    long threads = sysconf(_SC_NPROCESSORS_ONLN);
    while (!exit && args.at < argc) {
        if (fl_take_flag(&args, "--round-trip"))
            trip = 1;
        else if (fl_take_flag(&args, "--verbose"))
            verbose = 1;
        else if (fl_take_value(&args, "--device", &device))
            exit = device ? 0 : fl_usage_error("check: expected a device after --device");
        else if (fl_take_value(&args, "-j", &number))
            exit = fl_parse_number(number, 1, &threads)
                       ? 0
                       : fl_usage_error("check: expected a number of threads after -j");
        else if (fl_take_value(&args, "--list", &word))
            exit = add_list(&p, word);
        else
            exit = (word = fl_take_operand(&args)) ? add_path(&p, word) : fl_unknown_option(&args);
    }
    if (!exit && !p.count) exit = fl_usage_error("check: expected a file; see fl help check");
    if (!exit && strcmp(device, "ref")) threads = 1; /* the device has one queue, and threads of its own */
    if (!exit) exit = check_all(&p, trip ? NULL : device, verbose, threads);
    free(p.items);
    fl_text_free(&p.list);
    return exit;
}
