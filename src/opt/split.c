/* The registry of partitioners of custom calls. */
#include "opt/split.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    struct entry *next;
    fl_splitter splitter; /* without functions: batches */
    size_t size;
    char name[];
} entry;

static entry *entries;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static fl_status add(const char *name, size_t size, const fl_splitter *splitter)
{
    entry *e = size < 4096 ? malloc(sizeof *e + size) : NULL;
    FL_CHECK(e, FL_OOM, "out of host memory");
    *e = (entry){.splitter = *splitter, .size = size};
    memcpy(e->name, name, size);
    pthread_mutex_lock(&mutex);
    e->next = entries;
    entries = e;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

fl_status fl_splitter_register(const char *name, size_t size, const fl_splitter *splitter)
{
    FL_CHECK(splitter->partition, FL_INVALID, "expected a function that partitions");
    return add(name, size, splitter);
}

fl_status fl_split_batches_register(const char *name, size_t size)
{
    return add(name, size, &(fl_splitter){0});
}

static const entry *find(const fl_op *op, int batches)
{
    const char *target = op->code == FL_OP_custom_call ? fl_op_string(op, FL_ATTR_call_target_name) : NULL;
    if (!target) return NULL;
    pthread_mutex_lock(&mutex);
    const entry *e = entries;
    for (; e; e = e->next)
        if ((e->splitter.partition == NULL) == batches && e->size == strlen(target) &&
            !memcmp(e->name, target, e->size))
            break;
    pthread_mutex_unlock(&mutex);
    return e;
}

const fl_splitter *fl_splitter_of(const fl_op *op)
{
    const entry *e = find(op, 0);
    return e ? &e->splitter : NULL;
}

int fl_splits_batches(const fl_op *op)
{
    return find(op, 1) != NULL;
}
