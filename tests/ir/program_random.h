/* Random well-typed programs for property tests: every family of operations, element type and kind of attribute. */
#ifndef FL_TESTS_IR_PROGRAM_RANDOM_H
#define FL_TESTS_IR_PROGRAM_RANDOM_H

#include "ir/random/compute.h"
#include "ir/random/control.h"
#include "ir/random/rare.h"

typedef void gen_family(gen *g);

static gen_family *const plain_families[] = {gen_same,
                                             gen_same,
                                             gen_same,
                                             gen_same,
                                             gen_compare,
                                             gen_select,
                                             gen_clamp,
                                             gen_convert,
                                             gen_convert,
                                             gen_constant,
                                             gen_iota,
                                             gen_reshape,
                                             gen_broadcast,
                                             gen_transpose,
                                             gen_slice,
                                             gen_pad,
                                             gen_concatenate,
                                             gen_dynamic_slice,
                                             gen_gather,
                                             gen_sort_forms,
                                             gen_top_k,
                                             gen_dot,
                                             gen_convolution,
                                             gen_linalg,
                                             gen_fft,
                                             gen_norm,
                                             gen_random_bits,
                                             gen_barrier,
                                             gen_dimension_size,
                                             gen_reduce,
                                             gen_reduce,
                                             gen_reduce_window,
                                             gen_select_and_scatter,
                                             gen_scatter,
                                             gen_map,
                                             gen_branches,
                                             gen_while,
                                             gen_call,
                                             gen_scan};

static gen_family *const rare_families[] = {gen_tuple,    gen_quantized,   gen_dynamic,   gen_collective,
                                            gen_transfer, gen_custom_call, gen_composite, gen_old,
                                            gen_chlo,     gen_chlo,        gen_tests,     gen_set_size};

static inline void random_operations(gen *g, int count)
{
    enum {
        PLAIN = sizeof plain_families / sizeof *plain_families,
        RARE = sizeof rare_families / sizeof *rare_families
    };
    for (int i = 0; i < count && fl_ok(g->b); i++) {
        if (g->everything && chance(g, 35))
            rare_families[below(g, RARE)](g);
        else
            plain_families[below(g, PLAIN)](g);
    }
}

/* Attributes of each argument or result, or NULL. */
static inline fl_literal *attributes_of_each(gen *g, uint32_t count)
{
    fl_literal *items = gen_alloc(g, count * sizeof *items), *all = gen_alloc(g, sizeof *all);
    if (!g->everything || chance(g, 60)) return NULL;
    for (uint32_t i = 0; i < count; i++) {
        fl_entry entry = {"test.note", random_literal(g, 1)};
        items[i] = literal_dict(g, chance(g, 50), &entry);
    }
    *all = (fl_literal){.kind = FL_LIT_ARRAY, .count = count, .u.items = items};
    return fl_literal_keep(&g->b->program->arena, all);
}

static inline void random_function(gen *g, const char *name, fl_type *types, uint32_t count,
                                   const fl_type *result, int length)
{
    fl_func *f = fl_func_begin(g->b, name, types, count);
    fl_ref results[3];
    uint32_t n = 0;
    if (!f) return;
    g->pool_count = 0;
    for (uint32_t i = 0; i < count; i++) keep_value(g, fl_block_arg(f->body, i));
    random_operations(g, length);
    if (result)
        results[n++] = like_type(g, *result);
    else
        while (n < 3) results[n++] = pick(g, "bsufc");
    fl_func_end(g->b, f, results, n);
    f->visibility = (uint8_t)(result ? FL_PRIVATE : chance(g, 50) ? FL_PUBLIC : FL_VISIBILITY_NONE);
    f->arg_attrs = attributes_of_each(g, count);
    f->result_attrs = attributes_of_each(g, n);
    if (g->everything && chance(g, 30)) {
        fl_entry entry = {"test.function", random_literal(g, 0)};
        fl_literal dict = literal_dict(g, 1, &entry);
        f->attrs = fl_literal_keep(&g->b->program->arena, &dict);
    }
}

static inline void random_module_parts(gen *g)
{
    fl_program *p = g->b->program;
    fl_entry entries[] = {{"mhlo.num_partitions", literal_int(FL_I32, 1 + below(g, 2))},
                          {"test.module", random_literal(g, 0)}};
    fl_literal mesh = literal_text(FL_LIT_OPAQUE, "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>");
    fl_literal others = literal_array(g, 1, &mesh);
    p->module_ops = fl_literal_keep(&p->arena, &others);
    if (chance(g, 40)) p->module_name = fl_arena_strdup(&p->arena, "random");
    if (chance(g, 40)) {
        fl_literal dict = literal_dict(g, 1 + (uint32_t)below(g, 2), entries);
        p->module_attrs = fl_literal_keep(&p->arena, &dict);
    }
    if (chance(g, 30)) {
        fl_type t = fl_type_make(FL_F32, 1, (int64_t[]){FL_DYNAMIC}), types[] = {t, token_type()};
        fl_func *f = fl_func_begin(g->b, "declared", types, 2);
        if (!f) return;
        fl_func_declare(g->b, f, &t, 1);
        f->visibility = FL_PRIVATE;
    }
}

/* The program of this number: the same one each time. An error is one of the generator or of the rules it has met. `main` takes
 * three arguments, tensor<2x3xf32>, tensor<2x3xi32> and tensor<2xf32>; with FL_RANDOM_EVERYTHING also an open one. */
static inline fl_status fl_random_program(uint64_t seed, fl_random_flags flags, fl_program **out)
{
    gen *g = calloc(1, sizeof *g);
    fl_type types[4] = {fl_type_make(FL_F32, 2, (int64_t[]){2, 3}),
                        fl_type_make(FL_I32, 2, (int64_t[]){2, 3}), fl_type_make(FL_F32, 1, (int64_t[]){2})};
    fl_type row[2] = {types[2], types[2]};
    *out = NULL;
    if (!g) return fl_error(FL_OOM, "out of host memory");
    g->b = &g->builder;
    g->state = seed * 2 + 1;
    g->everything = (flags & FL_RANDOM_EVERYTHING) != 0;
    g->tests = (flags & FL_RANDOM_TESTS) != 0;
    g->stablehlo_only = (flags & FL_RANDOM_STABLEHLO) != 0;
    fl_status s = fl_builder_init(g->b, "main");
    if (!s) {
        types[3] = fl_type_make(FL_F32, 2, (int64_t[]){FL_DYNAMIC, 3});
        if (chance(g, 50)) {
            random_function(g, "helper", row, 2, row, 3);
            g->callee = "helper";
        }
        if (g->everything) random_module_parts(g);
        random_function(g, "main", types, g->everything ? 4 : 3, NULL, 12 + below(g, 20));
        s = fl_builder_finish_module(g->b, out);
    }
    free(g);
    return s;
}

#endif
