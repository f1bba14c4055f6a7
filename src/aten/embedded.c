#include "aten/embedded.h"
#include "aten/table.h"
#include "ir/read.h"
#include "opt/opt.h"
#include "pjrt/client_wrap.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct embedded {
    fl_program *program; /* never changes */
    int keeps_kernels;
} embedded;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static embedded *programs;
static int64_t count, capacity;

static int is_pytorchs(fl_dtype dtype)
{
    switch (dtype) {
    case FL_I1:
    case FL_U8:
    case FL_I8:
    case FL_U16:
    case FL_I16:
    case FL_U32:
    case FL_I32:
    case FL_U64:
    case FL_I64:
    case FL_F16:
    case FL_BF16:
    case FL_F32:
    case FL_F64:
    case FL_C64:
    case FL_C128:
    case FL_F8E5M2:
    case FL_F8E4M3FN:
    case FL_F8E5M2FNUZ:
    case FL_F8E4M3FNUZ:
    case FL_F8E8M0FNU: return 1;
    default: return 0;
    }
}

static fl_status check_type(const fl_type *type, const char *what, uint32_t index)
{
    char text[160];
    FL_CHECK(type->kind == FL_TYPE_TENSOR && is_pytorchs((fl_dtype)type->dtype) && !fl_type_quant(type),
             FL_TYPE, "%s %u: expected a tensor of a type that PyTorch has, got %s", what, index,
             fl_type_text(type, text, sizeof text));
    return NULL;
}

static fl_status check_signature(const fl_program *p)
{
    for (uint32_t i = 0; i < p->main->arg_count; i++)
        FL_TRY(check_type(fl_type_of(p, p->main->first_arg + i), "argument", i));
    for (uint32_t i = 0; i < p->main->result_count; i++)
        FL_TRY(check_type(fl_type_of(p, p->main->results[i]), "result", i));
    return NULL;
}

static fl_status append(embedded added, int64_t *out_number)
{
    fl_status status = NULL;
    pthread_mutex_lock(&lock);
    if (count == capacity) {
        int64_t larger = capacity ? 2 * capacity : 16;
        embedded *grown = realloc(programs, (size_t)larger * sizeof *grown);
        if (grown)
            programs = grown, capacity = larger;
        else
            status = fl_error(FL_OOM, "out of host memory");
    }
    if (!status) {
        *out_number = count;
        programs[count++] = added;
    }
    pthread_mutex_unlock(&lock);
    return status;
}

fl_status fl_embedded_add(const void *data, size_t size, int keeps_kernels, int64_t *out_number)
{
    fl_program *program;
    FL_TRY(fl_program_read(data, size, &program));
    fl_status status = check_signature(program);
    if (!status) status = append((embedded){program, keeps_kernels}, out_number);
    if (status) fl_program_destroy(program);
    return status;
}

static fl_status find(int64_t number, embedded *out)
{
    *out = (embedded){0};
    pthread_mutex_lock(&lock);
    if (number >= 0 && number < count) *out = programs[number];
    pthread_mutex_unlock(&lock);
    FL_CHECK(out->program, FL_INDEX, "there is no program %lld", (long long)number);
    return NULL;
}

fl_status fl_embedded_find(int64_t number, const fl_program **out)
{
    embedded found;
    FL_TRY(find(number, &found));
    *out = found.program;
    return NULL;
}

fl_status fl_embedded_refine(int64_t number, const fl_type *types, uint32_t type_count, fl_program **out)
{
    embedded found;
    *out = NULL;
    FL_TRY(find(number, &found));
    fl_refine_arg *args = calloc(type_count + 1u, sizeof *args);
    FL_CHECK(args, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < type_count; i++) args[i].type = types[i];
    fl_status status = found.keeps_kernels ? fl_program_refine_for_tpu(found.program, args, type_count, out)
                                           : fl_program_refine(found.program, args, type_count, out);
    free(args);
    if (!status) status = fl_program_unshard(*out);
    if (status && *out) {
        fl_program_destroy(*out);
        *out = NULL;
    }
    return status;
}

/* program(Tensor[] inputs, int program) -> Tensor[] */
FL_LOWER(program)
{
    uint32_t n = fl_list_count(b, 0);
    fl_type *types = FL_NEW_ARRAY(&b->program->arena, fl_type, n + 1u);
    fl_ref *args = FL_NEW_ARRAY(&b->program->arena, fl_ref, n + 1u);
    FL_REQUIRE(b, types && args, FL_OOM, "out of host memory");
    for (uint32_t i = 0; i < n; i++) {
        args[i] = fl_list_in(b, 0, i);
        FL_REQUIRE(b, fl_list_tensor(b, 0, i), FL_TYPE, "input %u: expected a tensor, got none", i);
        types[i] = *fl_typeof(b, args[i]);
    }
    fl_program *program;
    fl_status status = fl_ok(b) ? fl_embedded_refine(fl_int(b, 1), types, n, &program) : NULL;
    if (status) fl_builder_fail(b, status);
    if (!fl_ok(b)) return;
    const fl_block *main = program->main;
    fl_ref *results = FL_NEW_ARRAY(&b->program->arena, fl_ref, main->result_count + 1u);
    status = results ? fl_wrap_inline(b, program, args, results) : fl_error(FL_OOM, "out of host memory");
    if (status) fl_builder_fail(b, status);
    for (uint32_t i = 0; !status && i < main->result_count; i++) fl_emit(b, results[i]);
    fl_program_destroy(program);
}
