/* The registry of custom calls, and those that are built in. */
#include "ref/attention.h"
#include "ref/custom.h"
#include "ref/factor.h"
#include "ref/groups.h"
#include "ref/interp.h"

#include <pthread.h>
#include <stdlib.h>

static fl_status identity(const fl_custom_args *args)
{
    FL_CHECK(args->in_count == args->out_count, FL_INVALID,
             "expected as many results as operands, %u, got %u", args->in_count, args->out_count);
    for (uint32_t i = 0; i < args->in_count; i++) {
        FL_CHECK(fl_type_equal(args->in[i].type, args->out[i].type), FL_INVALID,
                 "expected results of the operands' types");
        fl_copy_value(&args->out[i], &args->in[i]);
    }
    return NULL;
}

/* JAX keeps values alive with it. */
static fl_status sink(const fl_custom_args *args)
{
    FL_CHECK(args->out_count == 0, FL_INVALID, "expected no results, got %u", args->out_count);
    return NULL;
}

/* assert_what, then the numbers that the message mentions. */
static fl_status shape_assertion(const fl_custom_args *args)
{
    const fl_literal *message = fl_literal_get(args->op->extra, "error_message");
    FL_CHECK(args->in_count && args->in->type->dtype == FL_I1 && args->in->type->rank == 0, FL_INVALID,
             "expected an i1 scalar");
    FL_CHECK(fl_get(args->in, 0).u, FL_INVALID, "%s",
             message && message->kind == FL_LIT_STRING ? message->u.string
                                                       : "a shape assertion does not hold");
    return NULL;
}

/* ---- the registry ---- */

typedef struct entry {
    struct entry *next;
    const char *name;
    fl_custom_function *function;
    void *user;
} entry;

static entry built_in[] = {
    {&built_in[1], "Sharding", identity, NULL},
    {&built_in[2], "SPMDFullToShardShape", identity, NULL},
    {&built_in[3], "SPMDShardToFullShape", identity, NULL},
    {&built_in[4], "annotate_device_placement", identity, NULL},
    {&built_in[5], "shape_assertion", shape_assertion, NULL},
    {&built_in[6], "LayoutConstraint", identity, NULL}, /* within a program arrays lie as they like */
    {&built_in[7], "dce_sink", sink, NULL},
    {&built_in[8], "fl.attention", fl_attention_call, NULL},
    {NULL, "fl.attention_backward", fl_attention_backward_call, NULL},
};
static entry *entries = built_in;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static entry *find(const char *name)
{
    for (entry *e = entries; e; e = e->next)
        if (!strcmp(e->name, name)) return e;
    return NULL;
}

fl_status fl_custom_call_register(const char *name, fl_custom_function *function, void *user)
{
    fl_status status = NULL;
    pthread_mutex_lock(&mutex);
    entry *e = find(name);
    if (!e) {
        e = calloc(1, sizeof *e + strlen(name) + 1);
        if (e) {
            e->name = memcpy(e + 1, name, strlen(name) + 1);
            e->next = entries;
            entries = e;
        }
    }
    if (e) {
        e->function = function;
        e->user = user;
    } else {
        status = fl_error(FL_OOM, "no memory for custom call %s", name);
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

fl_custom_function *fl_custom_call_find(const char *name, void **out_user)
{
    pthread_mutex_lock(&mutex);
    const entry *e = find(name);
    fl_custom_function *function = e ? e->function : NULL;
    *out_user = e ? e->user : NULL;
    pthread_mutex_unlock(&mutex);
    return function ? function : fl_factor_find(name);
}

const fl_literal *fl_custom_config(const fl_op *op, const char *name)
{
    const fl_literal *config = fl_literal_get(op->extra, "mhlo.backend_config");
    return fl_literal_get(config ? config : fl_op_literal(op, FL_ATTR_backend_config), name);
}

/* ---- the operation ---- */

static fl_status check_index(const fl_call *call, const fl_index_check *check)
{
    int64_t n = fl_type_elements(call->in->type);
    int is_unsigned = fl_dtype_kind((fl_dtype)call->in->type->dtype) == FL_KIND_UINT;
    for (int64_t i = 0; i < n; i++) {
        fl_scalar s = fl_get(call->in, i);
        int64_t index = is_unsigned && s.i < 0 ? INT64_MAX : s.i;
        int valid = index >= check->low && index < check->high;
        if (!valid) return fl_index_error(check, index);
    }
    fl_copy_value(call->out, call->in);
    return NULL;
}

fl_status fl_run_custom_call(const fl_call *call)
{
    const char *target = fl_op_string(call->op, FL_ATTR_call_target_name);
    fl_index_check check;
    void *user;
    FL_CHECK(target, FL_INVALID, "expected call_target_name");
    if (fl_is_check_index(call->op, &check)) return check_index(call, &check);
    if (!strncmp(target, "check.", 6)) return fl_run_check_call(call, target);
    if (fl_is_ragged_all_to_all(call->op)) return fl_run_ragged_all_to_all(call);
    fl_custom_function *function = fl_custom_call_find(target, &user);
    const fl_custom_args args = {
        call->interp->program,  call->op, call->in, call->out, call->op->operand_count,
        call->op->result_count, user};
    const fl_literal *number = fl_op_literal(call->op, FL_ATTR_backend_config);
    const fl_environment *around = fl_session_of(call)->options.environment;
    if (number && number->kind == FL_LIT_INT && around && around->foreign)
        return fl_status_prefix(around->foreign(around->host, number->u.i, &args), "custom call %s", target);
    FL_CHECK(function, FL_UNSUPPORTED, "the reference interpreter has no custom call %s", target);
    return fl_status_prefix(function(&args), "custom call %s", target);
}
