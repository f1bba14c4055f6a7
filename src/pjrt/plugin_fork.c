/* A process may fork while clients exist: work under way ends first, and the child finds everything consistent. Its streams
 * start their threads anew when something is submitted to them. */
#include "pjrt/plugin.h"

#include <sched.h>

static pthread_mutex_t clients_lock = PTHREAD_MUTEX_INITIALIZER;
static PJRT_Client *clients;

static void each_stream(void (*act)(fl_stream *))
{
    for (PJRT_Client *c = clients; c; c = c->next)
        for (int i = 0; i < c->count; i++)
            if (c->devices[i].stream) act(c->devices[i].stream);
}

static int all_at_rest(void)
{
    for (PJRT_Client *c = clients; c; c = c->next)
        for (int i = 0; i < c->count; i++)
            if (c->devices[i].stream && !fl_stream_is_at_rest(c->devices[i].stream)) return 0;
    return 1;
}

/* Whoever holds one may be waiting for a stream that is held: then 0. */
static int hold_launches(void)
{
    for (PJRT_Client *c = clients; c; c = c->next) {
        if (!pthread_mutex_trylock(&c->launch)) continue;
        for (PJRT_Client *held = clients; held != c; held = held->next) pthread_mutex_unlock(&held->launch);
        return 0;
    }
    return 1;
}

/* Work of one device may wait for another's, and what runs when it ends may submit more: so no stream is held while any of
 * them works. */
static void before_fork(void)
{
    pthread_mutex_lock(&clients_lock);
    for (;;) {
        each_stream(fl_stream_drain);
        each_stream(fl_stream_lock);
        if (all_at_rest() && hold_launches()) break;
        each_stream(fl_stream_unlock);
        sched_yield();
    }
    for (PJRT_Client *c = clients; c; c = c->next) pthread_mutex_lock(&c->lock);
}

static void after_fork(void)
{
    for (PJRT_Client *c = clients; c; c = c->next) {
        pthread_mutex_unlock(&c->lock);
        pthread_mutex_unlock(&c->launch);
    }
    each_stream(fl_stream_unlock);
    pthread_mutex_unlock(&clients_lock);
}

static void after_fork_child(void)
{
    each_stream(fl_stream_forget_thread);
    after_fork();
}

static void install(void)
{
    pthread_atfork(before_fork, after_fork, after_fork_child);
}

/* After the client's devices exist, whose own handlers have to run after these. */
void fl_plugin_fork_enlist(PJRT_Client *client)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    pthread_mutex_lock(&clients_lock);
    client->next = clients;
    clients = client;
    pthread_mutex_unlock(&clients_lock);
}

void fl_plugin_fork_strike_off(PJRT_Client *client)
{
    pthread_mutex_lock(&clients_lock);
    for (PJRT_Client **at = &clients; *at; at = &(*at)->next)
        if (*at == client) {
            *at = client->next;
            break;
        }
    pthread_mutex_unlock(&clients_lock);
}
