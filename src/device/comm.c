#include "device/comm.h"

#include "base/pool.h"
#include "base/text.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 64, SPINS = 2000 };

/* Where the members of one group meet, again and again: nobody comes to the next meeting before all have left the last one. */
typedef struct meeting {
    struct meeting *next; /* of the bucket */
    int64_t channel;
    uint32_t count, arrived, finished;
    int busy;            /* all have come, and not all shares are done */
    uint32_t generation; /* changes when those who wait may go on */
    pthread_cond_t go_on;
    const fl_offer **offers;
    uint32_t members[];
} meeting;

struct fl_comm {
    pthread_mutex_t lock;
    uint32_t count, references;
    uint32_t waiting, ended; /* members that wait for others to come; that are over */
    int spins, failed;
    fl_status failure; /* of the first that failed */
    meeting *buckets[BUCKETS];
    uint8_t *over; /* of each member */
    fl_member members[];
};

fl_status fl_comm_create(uint32_t replicas, uint32_t partitions, fl_comm **out)
{
    uint32_t count = replicas * partitions;
    fl_comm *c = calloc(1, sizeof *c + count * (sizeof *c->members + 1));
    FL_CHECK(c, FL_OOM, "out of host memory");
    pthread_mutex_init(&c->lock, NULL);
    c->count = c->references = count;
    c->spins = (int)count <= fl_pool_threads() ? SPINS : 0;
    c->over = (uint8_t *)(c->members + count);
    for (uint32_t i = 0; i < count; i++)
        c->members[i] = (fl_member){c, {replicas, partitions, i / partitions, i % partitions}, i};
    *out = c;
    return NULL;
}

const fl_member *fl_comm_member(const fl_comm *comm, uint32_t id)
{
    return &comm->members[id];
}

static void destroy(fl_comm *c)
{
    for (int i = 0; i < BUCKETS; i++)
        for (meeting *m = c->buckets[i], *next; m; m = next) {
            next = m->next;
            pthread_cond_destroy(&m->go_on);
            free(m);
        }
    pthread_mutex_destroy(&c->lock);
    fl_status_free(c->failure);
    free(c);
}

/* ---- failure; all with the lock held ---- */

/* Keeps the first; takes over `status`. */
static void fail(fl_comm *c, fl_status status)
{
    if (c->failed) {
        fl_status_free(status);
        return;
    }
    c->failure = status;
    __atomic_store_n(&c->failed, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < BUCKETS; i++)
        for (meeting *m = c->buckets[i]; m; m = m->next) pthread_cond_broadcast(&m->go_on);
}

static fl_status copy_of(fl_status status)
{
    return fl_error(fl_status_code(status), "%s", fl_status_message(status));
}

static const char *name_of(const meeting *m)
{
    for (uint32_t i = 0; i < m->count; i++)
        if (m->offers[i]) return fl_op_infos[m->offers[i]->op->code].name;
    return "a collective";
}

/* Members that all wait for others, or for some that have ended, would wait forever. */
static void check_progress(fl_comm *c)
{
    fl_text text = {0};
    if (c->failed || !c->waiting || c->waiting + c->ended < c->count) return;
    for (int i = 0; i < BUCKETS; i++)
        for (const meeting *m = c->buckets[i]; m; m = m->next)
            for (uint32_t k = 0; m->arrived && k < m->count && text.length < 400; k++)
                if (m->offers[k])
                    fl_text_printf(&text, "%s(%u, %u) in %s", text.length ? ", " : "",
                                   c->members[m->members[k]].at.replica,
                                   c->members[m->members[k]].at.partition, name_of(m));
    fail(c, fl_error(FL_INVALID, "devices wait for each other or for one that has ended: %s",
                     text.failed || !text.data ? "" : text.data));
    fl_text_free(&text);
}

/* ---- meetings ---- */

static int same_types(const fl_offer *a, const fl_offer *b)
{
    if (a->program == b->program && a->op == b->op) return 1;
    int same = a->op->code == b->op->code && a->op->operand_count == b->op->operand_count &&
               a->op->result_count == b->op->result_count;
    for (uint32_t k = 0; same && k < a->op->operand_count; k++)
        same = fl_type_equal(fl_type_of(a->program, a->op->operands[k]),
                             fl_type_of(b->program, b->op->operands[k]));
    for (uint32_t k = 0; same && k < a->op->result_count; k++)
        same = fl_type_equal(fl_type_of(a->program, a->op->first_result + k),
                             fl_type_of(b->program, b->op->first_result + k));
    return same;
}

static fl_status create_meeting(const fl_process_group *group, int64_t channel, meeting **out)
{
    size_t ids = (group->count * sizeof(uint32_t) + 7) & ~(size_t)7;
    meeting *m = calloc(1, sizeof *m + ids + group->count * sizeof *m->offers);
    FL_CHECK(m, FL_OOM, "out of host memory");
    m->channel = channel;
    m->count = group->count;
    m->offers = (const fl_offer **)((char *)m->members + ids);
    memcpy(m->members, group->members, group->count * sizeof *m->members);
    pthread_cond_init(&m->go_on, NULL);
    *out = m;
    return NULL;
}

/* With the lock held. */
static fl_status find_meeting(fl_comm *c, const fl_process_group *group, int64_t channel, meeting **out)
{
    meeting **at = &c->buckets[((uint64_t)channel * 7 + group->members[0] * 5 + group->count) % BUCKETS];
    for (; *at; at = &(*at)->next)
        if ((*at)->channel == channel && (*at)->count == group->count &&
            !memcmp((*at)->members, group->members, group->count * sizeof *group->members))
            break;
    if (!*at) FL_TRY(create_meeting(group, channel, at));
    *out = *at;
    return NULL;
}

/* With the lock held: the offer is there, or it is an error, which is that of the others, too. */
static fl_status arrive(const fl_member *self, const fl_process_group *group, int64_t channel,
                        const fl_offer *offer, meeting **out)
{
    fl_comm *c = self->comm;
    if (c->failed) return copy_of(c->failure);
    FL_TRY(find_meeting(c, group, channel, out));
    meeting *m = *out;
    for (uint32_t k = 0; k < m->count; k++) {
        const fl_member *other = &c->members[m->members[k]];
        FL_CHECK(!c->over[other->id], FL_INVALID, "%s: device (%u, %u) has ended and will not come",
                 fl_op_infos[offer->op->code].name, other->at.replica, other->at.partition);
        FL_CHECK(!m->offers[k] || same_types(m->offers[k], offer), FL_INVALID,
                 "expected all devices of a group in one operation of the same types, got %s and %s",
                 fl_op_infos[m->offers[k]->op->code].name, fl_op_infos[offer->op->code].name);
    }
    m->offers[group->self] = offer;
    m->arrived++;
    return NULL;
}

static void release(meeting *m)
{
    __atomic_add_fetch(&m->generation, 1, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&m->go_on);
}

static void over(meeting *m)
{
    memset(m->offers, 0, m->count * sizeof *m->offers);
    m->arrived = m->finished = 0;
    m->busy = 0;
    release(m);
}

/* Waits, without the lock, for the generation after this one; 0: the others failed before all had come. A failure does
 * not end the wait while shares are done: they touch this member's memory. */
static int await(fl_comm *c, meeting *m, uint32_t generation)
{
    for (int i = 0; i < c->spins; i++) {
        if (__atomic_load_n(&m->generation, __ATOMIC_ACQUIRE) != generation) return 1;
        fl_relax();
    }
    pthread_mutex_lock(&c->lock);
    while (m->generation == generation && (m->busy || !c->failed)) pthread_cond_wait(&m->go_on, &c->lock);
    int moved = m->generation != generation;
    pthread_mutex_unlock(&c->lock);
    return moved;
}

static fl_status failure_of(fl_comm *c)
{
    if (!__atomic_load_n(&c->failed, __ATOMIC_ACQUIRE)) return NULL;
    pthread_mutex_lock(&c->lock);
    fl_status status = copy_of(c->failure);
    pthread_mutex_unlock(&c->lock);
    return status;
}

/* All have come: the last one of them does everything. */
static fl_status share_all(fl_comm *c, meeting *m)
{
    fl_status status = NULL;
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < m->count && !status; i++) status = m->offers[i]->share(m->offers, m->count, i);
    pthread_mutex_lock(&c->lock);
    if (status) fail(c, copy_of(status));
    over(m);
    pthread_mutex_unlock(&c->lock);
    return status;
}

/* All have come, and each does its share, then waits for the others. */
static fl_status share_own(fl_comm *c, meeting *m, uint32_t self, uint32_t generation)
{
    fl_status status = m->offers[self]->share(m->offers, m->count, self);
    pthread_mutex_lock(&c->lock);
    if (status) fail(c, copy_of(status));
    int last = ++m->finished == m->count;
    if (last) over(m);
    pthread_mutex_unlock(&c->lock);
    if (!last) await(c, m, generation);
    return status ? status : failure_of(c);
}

fl_status fl_comm_meet(const fl_member *self, const fl_process_group *group, int64_t channel, int small,
                       const fl_offer *offer)
{
    fl_comm *c = self->comm;
    meeting *m = NULL;
    pthread_mutex_lock(&c->lock);
    fl_status status = arrive(self, group, channel, offer, &m);
    if (status) {
        if (!c->failed) fail(c, copy_of(status));
        pthread_mutex_unlock(&c->lock);
        return status;
    }
    uint32_t generation = m->generation;
    if (m->arrived == m->count) {
        m->busy = 1;
        c->waiting -= m->count - 1;
        if (small) return share_all(c, m);
        release(m);
        pthread_mutex_unlock(&c->lock);
    } else {
        c->waiting++;
        check_progress(c);
        pthread_mutex_unlock(&c->lock);
        if (!await(c, m, generation) || small) return failure_of(c);
    }
    return share_own(c, m, group->self, generation + 1);
}

void fl_comm_end(const fl_member *member, fl_status status)
{
    fl_comm *c = member->comm;
    pthread_mutex_lock(&c->lock);
    c->over[member->id] = 1;
    c->ended++;
    if (status && !c->failed)
        fail(c,
             fl_status_prefix(copy_of(status), "device (%u, %u)", member->at.replica, member->at.partition));
    for (int i = 0; i < BUCKETS && !c->failed; i++)
        for (const meeting *m = c->buckets[i]; m && !c->failed; m = m->next)
            for (uint32_t k = 0; m->arrived && k < m->count && !c->failed; k++)
                if (m->members[k] == member->id)
                    fail(c, fl_error(FL_INVALID, "%s: device (%u, %u) has ended and will not come",
                                     name_of(m), member->at.replica, member->at.partition));
    check_progress(c);
    int last = !--c->references;
    pthread_mutex_unlock(&c->lock);
    if (last) destroy(c);
}
