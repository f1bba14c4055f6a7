/* A program as a whole, and the program of each partition on the reference interpreter's grid with shards cut from the same
 * arguments: every partition must return its shard of the whole results. */
#ifndef FL_TESTS_OPT_PARTITION_CASE_H
#define FL_TESTS_OPT_PARTITION_CASE_H

#include "check.h"
#include "ir/text/parse.h"
#include "opt/opt.h"
#include "opt/sharding.h"
#include "ref/reference.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static inline fl_program *parse_program(const char *text)
{
    fl_program *p = NULL;
    fl_status s = fl_parse_text(text, strlen(text), &p);
    CHECK_STRING(fl_status_message(s), "");
    fl_status_free(s);
    return p;
}

/* "2x3": axes 0 and 1. */
static inline void mesh_of_text(const char *text, fl_mesh *mesh)
{
    char *end;
    mesh->count = 1;
    for (mesh->axis_count = 0; *text >= '0' && *text <= '9'; text = *end == 'x' ? end + 1 : end) {
        mesh->sizes[mesh->axis_count] = strtoll(text, &end, 10);
        mesh->count *= mesh->sizes[mesh->axis_count++];
    }
}

/* "01,-,1?": dimension 0 cut by axes 0 and 1, dimension 1 not, dimension 2 by axis 1 and open for more; then "!01": replicated, or "+01":
 * unreduced. */
static inline const char *sharding_of_text(const char *text, fl_sharding *s)
{
    *s = (fl_sharding){.stated = 1};
    if (*text == '.') return text + 1; /* of rank 0 */
    for (;; text++) {
        int d = s->rank++;
        for (; *text && !strchr(", !?+", *text); text++)
            if (*text != '-') s->axes[d][s->count[d]++] = (uint8_t)(*text - '0');
        if (*text == '?') s->open |= (uint16_t)(1 << d), text++;
        if (*text != ',') break;
    }
    if (*text == '!')
        for (text++; *text >= '0' && *text <= '9'; text++) s->replicated |= (uint16_t)(1 << (*text - '0'));
    if (*text == '+')
        for (text++; *text >= '0' && *text <= '9'; text++) s->unreduced |= (uint16_t)(1 << (*text - '0'));
    return text;
}

/* Manual computations in the order of the program. */
static inline const fl_op *manual_of(const fl_block *block, long *n)
{
    const fl_op *found = NULL;
    for (uint32_t i = 0; i < block->op_count && !found; i++) {
        const fl_op *op = block->ops[i];
        if (op->code == FL_OP_manual_computation && !(*n)--) return op;
        for (uint32_t k = 0; k < op->region_count && !found; k++) found = manual_of(op->regions[k], n);
    }
    return found;
}

static inline const char *add_manual(const fl_program *p, fl_shardings *s, long n, const char *axes)
{
    fl_manual *m = &s->manuals[s->manual_count++];
    m->op = manual_of(p->main, &n);
    m->in = FL_NEW_ARRAY(&s->arena, fl_sharding, m->op->operand_count + 1);
    m->out = FL_NEW_ARRAY(&s->arena, fl_sharding, m->op->result_count + 1);
    for (; *axes >= '0' && *axes <= '9'; axes++) m->axes |= (uint16_t)(1 << (*axes - '0'));
    return axes;
}

/* The body of main's first loop. */
static inline const fl_block *loop_body(const fl_program *p)
{
    for (uint32_t i = 0; i < p->main->op_count; i++)
        if (p->main->ops[i]->code == FL_OP_while) return p->main->ops[i]->regions[1];
    return p->main;
}

/* "a0=0,- r0=-,1 v3=01 w0=-": of arguments, results, and the first results of main's operations and of its first loop's. "m0=01 i0=0,- o0=-,-": the first
 * manual computation has axes 0 and 1, its operand and its result these shardings. */
static inline fl_shardings *shardings_of_text(const fl_program *p, const char *mesh, const char *text)
{
    fl_shardings *s = calloc(1, sizeof *s);
    mesh_of_text(mesh, &s->mesh);
    s->value_count = p->def_count;
    s->values = calloc(p->def_count, sizeof *s->values);
    s->results = calloc(p->main->result_count + 1, sizeof *s->results);
    s->manuals = FL_NEW_ARRAY(&s->arena, fl_manual, 8);
    while (*text) {
        char kind = *text++, *end;
        long i = strtol(text, &end, 10);
        fl_manual *m = s->manual_count ? &s->manuals[s->manual_count - 1] : NULL;
        if (kind == 'm') {
            text = add_manual(p, s, i, end + 1);
            while (*text == ' ') text++;
            continue;
        }
        fl_sharding *to = kind == 'a'   ? &s->values[p->main->first_arg + (fl_ref)i]
                          : kind == 'r' ? &s->results[i]
                          : kind == 'i' ? &m->in[i]
                          : kind == 'o' ? &m->out[i]
                          : kind == 'w' ? &s->values[loop_body(p)->ops[i]->first_result]
                                        : &s->values[p->main->ops[i]->first_result];
        text = sharding_of_text(end + 1, to);
        while (*text == ' ') text++;
    }
    return s;
}

static inline void shardings_destroy(fl_shardings *s)
{
    free((void *)s->mesh.partitions);
    fl_arena_free(&s->arena);
    free(s->values);
    free(s->results);
    free(s);
}

/* ---- shards ---- */

/* The place of a partition, and its shard of a dense array: copied to `shard`, or compared with it. */
static inline int64_t place_of(const fl_mesh *mesh, int64_t partition)
{
    for (int64_t i = 0; mesh->partitions && i < mesh->count; i++)
        if (mesh->partitions[i] == partition) return i;
    return partition;
}

static inline void shard_starts(const fl_mesh *mesh, const fl_sharding *s, const fl_type *whole,
                                int64_t partition, int64_t *starts)
{
    int64_t place = place_of(mesh, partition), coordinates[FL_MOST_AXES];
    for (uint32_t a = mesh->axis_count; a-- > 0;) {
        coordinates[a] = place % mesh->sizes[a];
        place /= mesh->sizes[a];
    }
    for (int d = 0; d < whole->rank; d++) {
        int64_t size = whole->dims[d];
        starts[d] = 0;
        for (int k = 0; d < s->rank && k < s->count[d]; k++) {
            size /= mesh->sizes[s->axes[d][k]];
            starts[d] += coordinates[s->axes[d][k]] * size;
        }
    }
}

typedef void shard_element(void *user, char *whole, char *shard, size_t size);

static inline void each_element(const fl_mesh *mesh, const fl_sharding *s, const fl_type *whole,
                                int64_t partition, char *data, char *shard, shard_element *visit, void *user)
{
    fl_type share;
    int64_t starts[FL_MAX_RANK], index[FL_MAX_RANK] = {0};
    size_t size = fl_dtype_bytes((fl_dtype)whole->dtype);
    CHECK_OK(fl_sharding_shard_type(mesh, s, whole, &share));
    shard_starts(mesh, s, whole, partition, starts);
    int64_t n = fl_type_elements(&share);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = 0;
        for (int d = 0; d < whole->rank; d++) at = at * whole->dims[d] + starts[d] + index[d];
        visit(user, data + (size_t)at * size, shard + (size_t)i * size, size);
        for (int d = whole->rank; d-- > 0;) {
            if (++index[d] < share.dims[d]) break;
            index[d] = 0;
        }
    }
}

static inline void copy_element(void *user, char *whole, char *shard, size_t size)
{
    (void)user;
    memcpy(shard, whole, size);
}

/* ---- running ---- */

/* How far floats may be apart: sums in another order. */
typedef struct comparison {
    int dtype;
    double tolerance;
    int64_t different;
    double worst;
} comparison;

static inline double number_of(int dtype, const char *data)
{
    float f;
    double d;
    uint32_t word;
    uint16_t half;
    switch (dtype) {
    case FL_F32: return memcpy(&f, data, 4), f;
    case FL_F64: return memcpy(&d, data, 8), d;
    case FL_BF16: memcpy(&half, data, 2), word = (uint32_t)half << 16; return memcpy(&f, &word, 4), f;
    default: return NAN;
    }
}

static inline void compare_element(void *user, char *whole, char *shard, size_t size)
{
    comparison *c = user;
    if (!memcmp(whole, shard, size)) return;
    int parts = fl_is_complex((fl_dtype)c->dtype) ? 2 : 1;
    int dtype = c->dtype == FL_C64 ? FL_F32 : c->dtype == FL_C128 ? FL_F64 : c->dtype;
    for (int i = 0; i < parts; i++) {
        size_t at = (size_t)i * size / 2;
        double a = number_of(dtype, whole + at), b = number_of(dtype, shard + at);
        if (isnan(a) && isnan(b) && c->tolerance > 0) continue;
        double far = fabs(a - b) / (1 + fabs(a));
        if (a == b && c->tolerance > 0) continue;
        if (!(far <= c->tolerance)) c->different++;
        if (far > c->worst) c->worst = far;
    }
}

static inline void type_list(fl_text *t, const fl_type *types, uint32_t count, int64_t times)
{
    char text[160];
    for (int64_t r = 0; r < times; r++)
        for (uint32_t i = 0; i < count; i++)
            fl_text_printf(t, "%s%s", r || i ? ", " : "", fl_type_text(&types[i], text, sizeof text));
}

/* A module with the program as @part, and a main that runs it on so many partitions side by side. */
static inline fl_program *grid_of(fl_program *part, int64_t partitions)
{
    fl_text t = {0};
    fl_type types[256];
    const fl_block *main = part->main;
    uint32_t args = main->arg_count, results = main->result_count;
    part->funcs[0]->name = part->name = "part";
    part->funcs[0]->visibility = FL_PRIVATE;
    part->module_name = NULL;
    part->module_attrs = NULL;
    fl_program_print(part, &t);
    while (t.length && t.data[t.length - 1] != '}')
        t.length--; /* inside the module, where it is printed as one */
    if (!strncmp(t.data, "module", 6)) t.length--;
    fl_text_printf(&t, "\nfunc.func @main(");
    for (int64_t i = 0; i < partitions * args; i++) {
        char text[160];
        const fl_type *type = fl_type_of(part, main->first_arg + (fl_ref)(i % args));
        fl_text_printf(&t, "%s%%p%lld: %s", i ? ", " : "", (long long)i,
                       fl_type_text(type, text, sizeof text));
    }
    for (uint32_t i = 0; i < results; i++) types[i] = *fl_type_of(part, main->results[i]);
    fl_text_printf(&t, ") -> (");
    type_list(&t, types, results, partitions);
    fl_text_printf(&t, ") {\n  %%r:%lld = \"interpreter.run_parallel\"(", (long long)(partitions * results));
    for (int64_t i = 0; i < partitions * args; i++)
        fl_text_printf(&t, "%s%%p%lld", i ? ", " : "", (long long)i);
    fl_text_printf(&t, ") {programs = [[");
    for (int64_t i = 0; i < partitions; i++) fl_text_printf(&t, "%s@part", i ? ", " : "");
    fl_text_printf(&t, "]]} : (");
    fl_type arg_types[256];
    for (uint32_t i = 0; i < args; i++) arg_types[i] = *fl_type_of(part, main->first_arg + i);
    type_list(&t, arg_types, args, partitions);
    fl_text_printf(&t, ") -> (");
    type_list(&t, types, results, partitions);
    fl_text_printf(&t, ")\n  return ");
    for (int64_t i = 0; i < partitions * results; i++)
        fl_text_printf(&t, "%s%%r#%lld", i ? ", " : "", (long long)i);
    fl_text_printf(&t, " : ");
    type_list(&t, types, results, partitions);
    fl_text_printf(&t, "\n}\n");
    if (!strncmp(t.data, "module", 6)) fl_text_printf(&t, "}\n");
    fl_program *grid = parse_program(t.data);
    if (!grid) fprintf(stderr, "%s\n", t.data);
    fl_text_free(&t);
    return grid;
}

/* What partition k holds of an f32 result that is unreduced, added up with what the others of the sum hold. */
static inline char *added_up(const fl_shardings *s, const fl_sharding *is, char *const *got, uint32_t results,
                             int64_t k, size_t bytes)
{
    float *sum = calloc(1, bytes + 16);
    for (int64_t other = 0; other < s->mesh.count; other++) {
        int64_t a = place_of(&s->mesh, k), b = place_of(&s->mesh, other);
        int same = 1;
        for (uint32_t axis = s->mesh.axis_count; axis-- > 0;
             a /= s->mesh.sizes[axis], b /= s->mesh.sizes[axis])
            same &= is->unreduced >> axis & 1 || a % s->mesh.sizes[axis] == b % s->mesh.sizes[axis];
        const float *part = (const float *)got[other * results];
        for (size_t i = 0; same && i < bytes / sizeof *sum; i++) sum[i] += part[i];
    }
    return (char *)sum;
}

/* Runs both on the arguments. The number of elements that differ; -1 where running failed, with the status. */
static inline fl_status run_both(const fl_program *whole, fl_program *part, const fl_shardings *s,
                                 void *const *inputs, double tolerance, int64_t *out_different)
{
    const fl_block *main = whole->main;
    int64_t n = s->mesh.count;
    uint32_t args = main->arg_count, results = main->result_count;
    void **wanted = calloc(results + 1u, sizeof *wanted),
         **shards = calloc((size_t)n * args + 1, sizeof *shards),
         **got = calloc((size_t)n * results + 1, sizeof *got);
    *out_different = 0;
    for (uint32_t i = 0; i < results; i++)
        wanted[i] = calloc(1, fl_type_bytes(fl_type_of(whole, main->results[i])) + 16);
    fl_status status = fl_reference_run(whole, (const void *const *)inputs, wanted);
    for (int64_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < args; i++) {
            const fl_type *type = fl_type_of(whole, main->first_arg + i);
            char *shard = shards[k * args + i] = calloc(1, fl_type_bytes(type) + 16);
            each_element(&s->mesh, &s->values[main->first_arg + i], type, k, inputs[i], shard, copy_element,
                         NULL);
        }
        for (uint32_t i = 0; i < results; i++)
            got[k * results + i] = calloc(1, fl_type_bytes(fl_type_of(whole, main->results[i])) + 16);
    }
    fl_program *grid = status ? NULL : grid_of(part, n);
    if (grid) status = fl_reference_run(grid, (const void *const *)shards, got);
    for (int64_t k = 0; k < n && grid && !status; k++)
        for (uint32_t i = 0; i < results; i++) {
            const fl_type *type = fl_type_of(whole, main->results[i]);
            comparison c = {type->dtype, tolerance, 0, 0};
            const fl_sharding *is = &s->results[i];
            char *sum = !is->unreduced
                            ? NULL
                            : added_up(s, is, (char *const *)got + i, results, k, fl_type_bytes(type));
            each_element(&s->mesh, is, type, k, wanted[i], sum ? sum : got[k * results + i], compare_element,
                         &c);
            free(sum);
            *out_different += c.different;
        }
    if (!grid) *out_different = -1;
    for (uint32_t i = 0; i < results; i++) free(wanted[i]);
    for (int64_t i = 0; i < n * args; i++) free(shards[i]);
    for (int64_t i = 0; i < n * results; i++) free(got[i]);
    free(wanted);
    free(shards);
    free(got);
    fl_program_destroy(grid);
    return status;
}

/* ---- what a program holds ---- */

typedef struct tally {
    int gather, reduce, scatter, exchange,
        permute; /* all_gather, all_reduce, reduce_scatter, all_to_all, collective_permute */
} tally;

static inline void count_collectives(const fl_block *block, tally *t)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        t->gather += op->code == FL_OP_all_gather;
        t->reduce += op->code == FL_OP_all_reduce;
        t->scatter += op->code == FL_OP_reduce_scatter;
        t->exchange += op->code == FL_OP_all_to_all;
        t->permute += op->code == FL_OP_collective_permute;
        for (uint32_t k = 0; k < op->region_count; k++) count_collectives(op->regions[k], t);
    }
}

/* Small whole numbers: their sums are exact in any order. */
static inline void *small_numbers(const fl_type *type, uint32_t seed)
{
    int64_t n = fl_type_elements(type);
    char *data = calloc(1, fl_type_bytes(type) + 16);
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        int32_t v = (int32_t)(seed >> 24) % 7 - 3;
        float f = (float)v;
        uint32_t word;
        memcpy(&word, &f, 4);
        if (type->dtype == FL_F32) memcpy(data + 4 * i, &f, 4);
        if (type->dtype == FL_BF16) memcpy(data + 2 * i, (char *)&word + 2, 2);
        if (type->dtype == FL_C64) memcpy(data + 8 * i, &f, 4), memcpy(data + 8 * i + 4, &f, 4);
        if (type->dtype == FL_F64) memcpy(data + 8 * i, &(double){v}, 8);
        if (type->dtype == FL_I32) memcpy(data + 4 * i, &v, 4);
        if (type->dtype == FL_I64) memcpy(data + 8 * i, &(int64_t){v}, 8);
        if (type->dtype == FL_U32) memcpy(data + 4 * i, &(uint32_t){(uint32_t)(v & 3)}, 4);
        if (type->dtype == FL_I1) data[i] = (char)(v & 1);
    }
    return data;
}

/* `whole`: what the program computes, where that is no program for one device (manual computations); NULL: itself.
 * `collectives`: "gather=1 reduce=2", in this order; what is not named must not be there. NULL: any. */
static inline void partition_case(int line, const char *text, const char *whole, const char *mesh,
                                  const char *shardings, const char *collectives)
{
    fl_program *p = parse_program(text), *same = whole ? parse_program(whole) : p, *part = NULL;
    int before = check_failures;
    if (!p || !same) return;
    fl_shardings *s = shardings_of_text(p, *mesh == '-' ? mesh + 1 : mesh, shardings);
    if (*mesh == '-') { /* places are numbered from the end */
        int64_t *ids = malloc((size_t)s->mesh.count * sizeof *ids);
        for (int64_t i = 0; i < s->mesh.count; i++) ids[i] = s->mesh.count - 1 - i;
        s->mesh.partitions = ids;
    }
    fl_status status = fl_program_partition(p, s, &part);
    CHECK_STRING(fl_status_message(status), "");
    fl_status_free(status);
    if (part) {
        tally t = {0};
        char got[120] = "";
        void *inputs[64];
        int64_t different;
        fl_text printed = {0};
        fl_program_print(part, &printed);
        count_collectives(part->main, &t);
        CHECK_OK(fl_program_combine(&part));
        if (t.gather) sprintf(got + strlen(got), " gather=%d", t.gather);
        if (t.reduce) sprintf(got + strlen(got), " reduce=%d", t.reduce);
        if (t.scatter) sprintf(got + strlen(got), " scatter=%d", t.scatter);
        if (t.exchange) sprintf(got + strlen(got), " exchange=%d", t.exchange);
        if (t.permute) sprintf(got + strlen(got), " permute=%d", t.permute);
        if (collectives) CHECK_STRING(*got ? got + 1 : got, collectives);
        for (uint32_t i = 0; i < p->main->arg_count; i++)
            inputs[i] = small_numbers(fl_type_of(p, p->main->first_arg + i), i + 1);
        CHECK_OK(run_both(same, part, s, inputs, 0, &different));
        CHECK_INT(different, 0);
        for (uint32_t i = 0; i < p->main->arg_count; i++) free(inputs[i]);
        if (check_failures > before) fprintf(stderr, "line %d:\n%s\n", line, printed.data);
        fl_text_free(&printed);
    }
    shardings_destroy(s);
    fl_program_destroy(part);
    if (same != p) fl_program_destroy(same);
    fl_program_destroy(p);
}
#define PARTITION(text, ...) partition_case(__LINE__, text, NULL, __VA_ARGS__)
#define MANUAL(...)          partition_case(__LINE__, __VA_ARGS__)

#define F(args, results, body) "func.func @main(" args ") -> " results " {\n" body "}\n"

#endif
