/* Random programs with random shardings stated of some of their values, on 2 to 8 partitions: every partition returns its shard of
 * what the whole program returns, bit by bit; where floats are added up in another order, nearly so. */
#include "partition_case.h"
#include "ir/program_random.h"

enum { PROGRAMS = 400 };

static const char *const meshes[] = {"2", "3", "4", "2x3", "2x2", "2x4", "2x2x2", "3x2"};

/* Axes that divide the dimensions, at random. */
static fl_sharding random_sharding(gen *g, const fl_mesh *mesh, const fl_type *type)
{
    fl_sharding s = {.stated = 1, .rank = type->rank};
    int64_t left[FL_MAX_RANK];
    for (int d = 0; d < type->rank; d++) {
        left[d] = type->dims[d];
        if (chance(g, 40)) s.open |= (uint16_t)(1 << d);
    }
    for (uint32_t tries = 0; tries < mesh->axis_count && type->rank; tries++) {
        int d = below(g, type->rank);
        uint8_t axis = (uint8_t)((tries + (uint32_t)below(g, 2)) % mesh->axis_count);
        int used = 0;
        for (int e = 0; e < type->rank; e++)
            for (int k = 0; k < s.count[e]; k++) used |= s.axes[e][k] == axis;
        if (used || left[d] % mesh->sizes[axis]) continue;
        left[d] /= mesh->sizes[axis];
        s.axes[d][s.count[d]++] = axis;
    }
    if (chance(g, 10)) s.replicated = (uint16_t)(1 << below(g, (int)mesh->axis_count));
    for (int e = 0; e < type->rank; e++)
        for (int k = 0; k < s.count[e]; k++) s.replicated &= (uint16_t)~(1 << s.axes[e][k]);
    return s;
}

static void permute_partitions(gen *g, fl_mesh *mesh)
{
    int64_t *ids = malloc((size_t)mesh->count * sizeof *ids);
    for (int64_t i = 0; i < mesh->count; i++) {
        int64_t k = below(g, (int)i + 1);
        ids[i] = ids[k];
        ids[k] = i;
    }
    mesh->partitions = ids;
}

static fl_shardings *random_shardings(gen *g, const fl_program *p)
{
    fl_shardings *s = shardings_of_text(p, meshes[below(g, 8)], "");
    if (chance(g, 30)) permute_partitions(g, &s->mesh);
    for (fl_ref r = 1; r < p->def_count; r++) {
        const fl_def *def = &p->defs[r];
        if (def->block == p->main && fl_type_is_static(&def->type) && chance(g, 35))
            s->values[r] = random_sharding(g, &s->mesh, &def->type);
    }
    for (uint32_t i = 0; i < p->main->result_count; i++)
        if (chance(g, 40)) s->results[i] = random_sharding(g, &s->mesh, fl_type_of(p, p->main->results[i]));
    return s;
}

/* Whether floats may be added up in another order. */
static int adds_floats(const fl_program *part, const fl_block *block)
{
    for (uint32_t i = 0; i < block->op_count; i++) {
        const fl_op *op = block->ops[i];
        if (op->code == FL_OP_all_reduce || op->code == FL_OP_reduce_scatter) {
            fl_dtype t = (fl_dtype)fl_type_of(part, op->first_result)->dtype;
            fl_opcode code = (fl_opcode)op->regions[0]->ops[0]->code;
            if ((fl_is_float(t) || fl_is_complex(t)) && (code == FL_OP_add || code == FL_OP_multiply))
                return 1;
        }
        for (uint32_t k = 0; k < op->region_count; k++)
            if (adds_floats(part, op->regions[k])) return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int one = argc == 2, first = argc > 1 ? atoi(argv[1]) : 0, exact = 0, cut = 0;
    int last = argc > 2 ? atoi(argv[2]) : one ? first + 1 : PROGRAMS;
    int64_t rounded = 0;
    for (int i = first; i < last; i++) {
        fl_program *read = NULL, *p = NULL, *part = NULL;
        gen g = {.state = (uint64_t)i * 77 + 5};
        CHECK_OK(fl_random_program((uint64_t)i, FL_RANDOM_PLAIN, &read));
        if (!read) continue;
        CHECK_OK(fl_program_refine(read, NULL, 0, &p));
        fl_program_destroy(read);
        if (!p) continue;
        fl_shardings *s = random_shardings(&g, p);
        CHECK_OK(fl_program_partition(p, s, &part));
        if (part) {
            void *inputs[8];
            int64_t different = 0;
            tally t = {0};
            int sums = adds_floats(part, part->main);
            if (one) {
                fl_text text = {0};
                fl_program_print(p, &text);
                fl_program_print(part, &text);
                puts(text.data);
                fl_text_free(&text);
            }
            count_collectives(part->main, &t);
            CHECK_OK(fl_program_combine(&part));
            cut += t.gather || t.reduce || t.scatter || t.exchange || t.permute;
            for (uint32_t k = 0; k < p->main->arg_count; k++)
                inputs[k] = small_numbers(fl_type_of(p, p->main->first_arg + k), k + (uint32_t)i);
            fl_status status = run_both(p, part, s, inputs, sums ? 1e-5 : 0, &different);
            if (status) fprintf(stderr, "program %d: %s\n", i, fl_status_message(status)), check_failures++;
            fl_status_free(status);
            if (sums)
                rounded += different != 0;
            else
                exact++;
            if (!sums && different)
                fprintf(stderr, "program %d: %lld elements differ\n", i, (long long)different);
            CHECK(sums || !different);
            for (uint32_t k = 0; k < p->main->arg_count; k++) free(inputs[k]);
        }
        fl_program_destroy(part);
        fl_program_destroy(p);
        shardings_destroy(s);
    }
    printf("%d programs bit by bit, %d with collectives, %lld that add up floats differ by more than 1e-5\n",
           exact, cut, (long long)rounded);
    return check_result();
}
