/* Processes side by side: turns, meetings, messages, and interpreter.run_parallel. Only the process whose
 * turn it is runs, so nothing here or in the session needs a lock of its own; the turn goes round in the
 * order of ids. */
#include "ref/parallel.h"

#include <stdlib.h>

enum { MOST_PROCESSES = 1024, STACK_BYTES = 8 << 20 };

void fl_grid_single(fl_grid *grid, fl_process *process, fl_session *session)
{
    *grid = (fl_grid){.session = session, .replicas = 1, .partitions = 1, .count = 1, .processes = process};
    grid->last_message = &grid->messages;
    *process = (fl_process){.grid = grid};
}

static void free_copies(void **data, uint32_t count)
{
    for (uint32_t i = 0; data && i < count; i++) free(data[i]);
    free(data);
}

static void free_meeting(fl_meeting *m)
{
    free_copies(m->inputs, m->count * m->operand_count);
    free(m->members);
    free(m->types);
    free(m);
}

static void free_message(fl_message *m)
{
    free_copies(m->data, m->count);
    free(m->types);
    free(m);
}

void fl_grid_free(fl_grid *grid)
{
    while (grid->meetings) {
        fl_meeting *m = grid->meetings;
        grid->meetings = m->next;
        free_meeting(m);
    }
    while (grid->messages) {
        fl_message *m = grid->messages;
        grid->messages = m->next;
        free_message(m);
    }
}

/* ---- turns ---- */

/* Where processes wait, for an error message. */
static fl_status deadlock(const fl_grid *grid)
{
    fl_text text = {0};
    for (uint32_t i = 0; i < grid->count && text.length < 400; i++)
        if (grid->processes[i].state == FL_PROCESS_WAITING)
            fl_text_printf(&text, "%s(%u, %u) in %s", text.length ? ", " : "", grid->processes[i].replica,
                           grid->processes[i].partition, fl_op_infos[grid->processes[i].waits_in->code].name);
    fl_status status = fl_error(FL_INVALID, "processes wait for each other or for one that has ended: %s",
                                text.failed || !text.data ? "" : text.data);
    fl_text_free(&text);
    return status;
}

static void fail(fl_grid *grid, fl_status status) /* keeps the first */
{
    if (grid->failed)
        fl_status_free(status);
    else
        grid->status = status;
    grid->failed = 1;
    fl_grid_wake(grid);
}

void fl_grid_wake(fl_grid *grid)
{
    for (uint32_t i = 0; i < grid->count; i++)
        if (grid->processes[i].state == FL_PROCESS_WAITING) grid->processes[i].state = FL_PROCESS_READY;
}

/* The next process after `self` that can run; self when it alone can, grid->count when all are done. */
static uint32_t next_ready(const fl_grid *grid, uint32_t self)
{
    for (uint32_t step = 1; step <= grid->count; step++) {
        uint32_t id = (self + step) % grid->count;
        if (grid->processes[id].state == FL_PROCESS_READY) return id;
    }
    return grid->count;
}

/* Hands the turn on; the caller holds the mutex and is not READY any more. */
static void pass_turn(fl_grid *grid, uint32_t self)
{
    uint32_t next = next_ready(grid, self), waiting = 0;
    for (uint32_t i = 0; i < grid->count; i++) waiting += grid->processes[i].state == FL_PROCESS_WAITING;
    if (next == grid->count && waiting) {
        fail(grid, deadlock(grid));
        next = next_ready(grid, self);
    }
    grid->turn = next;
    if (next < grid->count && next != self) pthread_cond_signal(&grid->processes[next].turn);
}

static void await_turn(fl_process *process)
{
    while (process->grid->turn != process->id) pthread_cond_wait(&process->turn, &process->grid->mutex);
}

/* Why this process must stop: another one failed. Its own error is the one that is reported. */
static fl_status stopped(void)
{
    return fl_error(FL_INVALID, "another process failed");
}

fl_status fl_grid_wait(const fl_call *call)
{
    fl_process *self = call->interp->process;
    fl_grid *grid = self->grid;
    if (grid->failed) return stopped();
    self->state = FL_PROCESS_WAITING;
    self->waits_in = call->op;
    if (grid->count == 1) { /* nobody else could do what it waits for; there are no threads */
        fl_status status = deadlock(grid);
        self->state = FL_PROCESS_READY;
        return status;
    }
    pass_turn(grid, self->id);
    await_turn(self);
    return grid->failed ? stopped() : NULL;
}

/* ---- meetings ---- */

static fl_status copy_operands(const fl_call *call, uint32_t count, void **copies)
{
    for (uint32_t k = 0; k < count; k++) {
        size_t bytes = fl_reference_bytes(call->in[k].type);
        copies[k] = calloc(bytes + 16, 1);
        FL_CHECK(copies[k], FL_OOM, "no memory for a value of %zu bytes", bytes);
        fl_move_bytes(copies[k], call->in[k].data, bytes);
    }
    return NULL;
}

static const fl_type **operand_types(const fl_call *call, uint32_t count)
{
    const fl_type **types = calloc(count + 1u, sizeof *types);
    for (uint32_t k = 0; types && k < count; k++) types[k] = call->in[k].type;
    return types;
}

static fl_status new_meeting(const fl_call *call, const uint32_t *members, uint32_t count,
                             uint32_t operand_count, int64_t channel, fl_meeting **out)
{
    fl_grid *grid = call->interp->process->grid;
    fl_meeting *m = calloc(1, sizeof *m);
    FL_CHECK(m, FL_OOM, "no memory for a collective");
    m->op = call->op;
    m->channel = channel;
    m->count = count;
    m->operand_count = operand_count;
    m->members = malloc(count * sizeof *m->members + 1);
    m->types = operand_types(call, operand_count);
    m->inputs = calloc((size_t)count * operand_count + 1, sizeof *m->inputs);
    m->next = grid->meetings;
    grid->meetings = m; /* freed with the grid whatever happens */
    FL_CHECK(m->members && m->types && m->inputs, FL_OOM, "no memory for a collective of %u processes",
             count);
    memcpy(m->members, members, count * sizeof *members);
    *out = m;
    return NULL;
}

static fl_meeting *open_meeting(const fl_grid *grid, const uint32_t *members, uint32_t count, int64_t channel)
{
    for (fl_meeting *m = grid->meetings; m; m = m->next)
        if (m->arrived < m->count && m->channel == channel && m->count == count &&
            !memcmp(m->members, members, count * sizeof *members))
            return m;
    return NULL;
}

static fl_status check_same(const fl_call *call, const fl_meeting *m, uint32_t operand_count)
{
    FL_CHECK(m->op->code == call->op->code, FL_INVALID,
             "expected all processes of a group in one operation, got %s and %s",
             fl_op_infos[m->op->code].name, fl_op_infos[call->op->code].name);
    int same = m->operand_count == operand_count;
    for (uint32_t k = 0; same && k < operand_count; k++) same = fl_type_equal(m->types[k], call->in[k].type);
    FL_CHECK(same, FL_INVALID, "expected operands of the same types in all processes of a group");
    return NULL;
}

fl_status fl_grid_meet(const fl_call *call, const uint32_t *members, uint32_t count, uint32_t operand_count,
                       int64_t channel, fl_meeting **out)
{
    fl_process *self = call->interp->process;
    uint32_t place = 0;
    if (self->grid->failed) return stopped();
    fl_meeting *m = open_meeting(self->grid, members, count, channel);
    if (m)
        FL_TRY(check_same(call, m, operand_count));
    else
        FL_TRY(new_meeting(call, members, count, operand_count, channel, &m));
    while (members[place] != self->id) place++;
    FL_TRY(copy_operands(call, operand_count, m->inputs + (size_t)place * operand_count));
    if (++m->arrived == m->count) fl_grid_wake(self->grid);
    while (m->arrived < m->count) FL_TRY(fl_grid_wait(call));
    *out = m;
    return NULL;
}

void fl_grid_leave(const fl_call *call, fl_meeting *meeting)
{
    fl_meeting **at = &call->interp->process->grid->meetings;
    if (++meeting->left < meeting->count) return;
    while (*at != meeting) at = &(*at)->next;
    *at = meeting->next;
    free_meeting(meeting);
}

/* ---- messages ---- */

fl_status fl_grid_send(const fl_call *call, int kind, int64_t channel, int64_t source, int64_t target,
                       uint32_t count)
{
    fl_grid *grid = call->interp->process->grid;
    fl_message *m = calloc(1, sizeof *m);
    FL_CHECK(m, FL_OOM, "no memory for a message");
    *m = (fl_message){.kind = kind, .channel = channel, .source = source, .target = target, .count = count};
    m->types = operand_types(call, count);
    m->data = calloc(count + 1u, sizeof *m->data);
    fl_status status = m->types && m->data ? copy_operands(call, count, m->data)
                                           : fl_error(FL_OOM, "no memory for a message");
    if (status) {
        free_message(m);
        return status;
    }
    *grid->last_message = m;
    grid->last_message = &m->next;
    fl_grid_wake(grid);
    return NULL;
}

static fl_message **find_message(fl_grid *grid, int kind, int64_t channel, int64_t source, int64_t target)
{
    for (fl_message **at = &grid->messages; *at; at = &(*at)->next)
        if ((*at)->kind == kind && (*at)->channel == channel && (*at)->source == source &&
            (*at)->target == target)
            return at;
    return NULL;
}

fl_status fl_grid_receive(const fl_call *call, int kind, int64_t channel, int64_t source, int64_t target,
                          uint32_t count)
{
    fl_grid *grid = call->interp->process->grid;
    fl_message **at;
    while (!(at = find_message(grid, kind, channel, source, target))) FL_TRY(fl_grid_wait(call));
    fl_message *m = *at;
    *at = m->next;
    if (grid->last_message == &m->next) grid->last_message = at;
    int same = m->count == count;
    for (uint32_t k = 0; same && k < count; k++) same = fl_type_equal(m->types[k], call->out[k].type);
    for (uint32_t k = 0; same && k < count; k++)
        fl_move_bytes(call->out[k].data, m->data[k], fl_reference_bytes(call->out[k].type));
    free_message(m);
    FL_CHECK(same, FL_INVALID, "expected a message of the types of the results");
    return NULL;
}

/* ---- interpreter.run_parallel ---- */

static void *process_main(void *argument)
{
    fl_process *self = argument;
    fl_grid *grid = self->grid;
    pthread_mutex_lock(&grid->mutex);
    await_turn(self);
    if (!grid->failed) {
        fl_status status =
            fl_run_function(&self->interp, self->func, self->args, self->func->body->arg_count);
        if (status) fail(grid, fl_status_prefix(status, "process (%u, %u)", self->replica, self->partition));
    }
    self->state = FL_PROCESS_DONE;
    pass_turn(grid, self->id);
    pthread_mutex_unlock(&grid->mutex);
    return NULL;
}

/* Starts a thread for each process, which wait for their first turn, lets them run and joins them. */
static void run_threads(fl_grid *grid)
{
    pthread_attr_t attributes;
    uint32_t started = 0;
    int fine = !pthread_attr_init(&attributes);
    if (fine) pthread_attr_setstacksize(&attributes, STACK_BYTES);
    grid->turn = grid->count;
    pthread_mutex_lock(&grid->mutex);
    for (; fine && started < grid->count; started++)
        if (pthread_create(&grid->processes[started].thread, &attributes, process_main,
                           &grid->processes[started]))
            break;
    for (uint32_t i = started; i < grid->count; i++) grid->processes[i].state = FL_PROCESS_DONE;
    if (started < grid->count)
        fail(grid, fl_error(FL_OOM, "expected to start %u threads, got %u", grid->count, started));
    pass_turn(grid, grid->count - 1);
    /* pass_turn spares the caller its own signal, and the last process is not the caller here */
    if (grid->turn < grid->count) pthread_cond_signal(&grid->processes[grid->turn].turn);
    pthread_mutex_unlock(&grid->mutex);
    for (uint32_t i = 0; i < started; i++) pthread_join(grid->processes[i].thread, NULL);
    if (fine) pthread_attr_destroy(&attributes);
}

static const char *symbol_at(const fl_literal *array, uint32_t i)
{
    const fl_literal *item =
        array && array->kind == FL_LIT_ARRAY && i < array->count ? &array->u.items[i] : NULL;
    return item && item->kind == FL_LIT_SYMBOL ? item->u.string : NULL;
}

/* Which functions run, and which of the operands are their arguments. */
static fl_status prepare(const fl_call *call, fl_grid *grid, const fl_literal *programs)
{
    uint32_t used = 0, results = 0;
    for (uint32_t i = 0; i < grid->count; i++) {
        fl_process *p = &grid->processes[i];
        *p = (fl_process){
            .grid = grid, .id = i, .replica = i / grid->partitions, .partition = i % grid->partitions};
        const fl_literal *row = &programs->u.items[p->replica];
        FL_CHECK(row->kind == FL_LIT_ARRAY && row->count == grid->partitions, FL_INVALID,
                 "expected %u programs for each replica", grid->partitions);
        FL_TRY(fl_find_function(call->interp->program, symbol_at(row, p->partition), &p->func));
        p->args = call->in + used;
        used += p->func->body->arg_count;
        results += p->func->body->result_count;
        FL_CHECK(used <= call->op->operand_count && results <= call->op->result_count, FL_INVALID,
                 "expected operands and results of all programs");
    }
    FL_CHECK(used == call->op->operand_count && results == call->op->result_count, FL_INVALID,
             "expected %u operands and %u results for these programs, got %u and %u", used, results,
             call->op->operand_count, call->op->result_count);
    return NULL;
}

static fl_status gather_results(const fl_call *call, const fl_grid *grid)
{
    const fl_tensor *out = call->out;
    for (uint32_t i = 0; i < grid->count; i++) {
        const fl_process *p = &grid->processes[i];
        const fl_block *body = p->func->body;
        for (uint32_t k = 0; k < body->result_count; k++, out++) {
            FL_CHECK(fl_type_equal(out->type, fl_type_of(call->interp->program, body->results[k])),
                     FL_INVALID, "@%s: expected another type of result %u", p->func->name, k);
            fl_copy_value(out, &(fl_tensor){out->type, p->interp.data[body->results[k]]});
        }
    }
    return NULL;
}

static fl_status run_grid(const fl_call *call, fl_grid *grid, const fl_literal *programs)
{
    FL_TRY(prepare(call, grid, programs));
    for (uint32_t i = 0; i < grid->count; i++)
        FL_TRY(fl_interp_init(&grid->processes[i].interp, &grid->processes[i], call->interp->program));
    pthread_mutex_init(&grid->mutex, NULL);
    for (uint32_t i = 0; i < grid->count; i++) pthread_cond_init(&grid->processes[i].turn, NULL);
    run_threads(grid);
    for (uint32_t i = 0; i < grid->count; i++) pthread_cond_destroy(&grid->processes[i].turn);
    pthread_mutex_destroy(&grid->mutex);
    if (grid->failed) return grid->status;
    return gather_results(call, grid);
}

fl_status fl_run_parallel(const fl_call *call)
{
    const fl_literal *programs = fl_op_literal(call->op, FL_ATTR_programs);
    const fl_grid *outer = call->interp->process->grid;
    FL_CHECK(outer->count == 1, FL_UNSUPPORTED, "run_parallel within run_parallel");
    FL_CHECK(programs && programs->kind == FL_LIT_ARRAY && programs->count &&
                 programs->u.items[0].kind == FL_LIT_ARRAY && programs->u.items[0].count,
             FL_INVALID, "expected programs for a grid of replicas and partitions");
    fl_grid grid = {.session = outer->session,
                    .replicas = programs->count,
                    .partitions = programs->u.items[0].count,
                    .infeed = fl_op_literal(call->op, FL_ATTR_infeed)};
    uint64_t count = (uint64_t)grid.replicas * grid.partitions;
    FL_CHECK(count <= MOST_PROCESSES, FL_UNSUPPORTED, "expected at most %d processes, got %llu",
             MOST_PROCESSES, (unsigned long long)count);
    grid.count = (uint32_t)count;
    grid.last_message = &grid.messages;
    grid.processes = calloc(grid.count, sizeof *grid.processes);
    FL_CHECK(grid.processes, FL_OOM, "no memory for %u processes", grid.count);
    fl_status status = run_grid(call, &grid, programs);
    for (uint32_t i = 0; i < grid.count; i++) fl_interp_free(&grid.processes[i].interp);
    fl_grid_free(&grid);
    free(grid.processes);
    return status;
}
