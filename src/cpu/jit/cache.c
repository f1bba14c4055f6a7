/* Kernels by their records. Lookup takes no lock: the table is replaced as a whole when it grows, entries are never removed. */
#include "cpu/jit/graph.h"
#include "base/hash.h"
#include "base/switches.h"
#include "cpu/isa.h"
#include "cpu/jit/neon.h"
#include "cpu/jit/x86.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct fl_jcached {
    fl_jit_kernel kernel;
    uint64_t hash;
    uint32_t count;
    fl_jhard hard;
    fl_jrecord records[];
} fl_jcached;

typedef struct fl_jtable {
    uint32_t mask;
    _Atomic uint32_t used;
    struct fl_jtable *older; /* the table before this one, for leak checkers */
    _Atomic(fl_jcached *) entries[];
} fl_jtable;

static _Atomic(fl_jtable *) table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

const fl_jtarget *fl_jit_target(void)
{
    static _Atomic int known; /* 1 none, 2 AVX2, 3 AVX-512, 4 NEON */
    int state = atomic_load_explicit(&known, memory_order_relaxed);
    if (!state) {
        state = 1;
#if defined(__x86_64__)
        if (!fl_is_disabled("jit")) {
            fl_isa level = fl_isa_level();
            if (level >= FL_LEVEL_AVX2 && __builtin_cpu_supports("f16c")) state = 2;
            if (level == FL_LEVEL_AVX512 && __builtin_cpu_supports("avx512cd")) state = 3;
        }
#elif defined(__aarch64__)
        if (!fl_is_disabled("jit")) state = 4;
#endif
        atomic_store_explicit(&known, state, memory_order_relaxed);
    }
    return state == 4 ? &fl_neon : state == 3 ? &fl_x_avx512.base : state == 2 ? &fl_x_avx2.base : NULL;
}

static uint64_t hash_of(const fl_jit_builder *b)
{
    uint64_t words[2], h = b->count;
    for (uint32_t i = 0; i < b->count; i++) {
        memcpy(words, &b->records[i], sizeof words);
        h = fl_hash_mix(fl_hash_mix(h, words[0]), words[1]);
    }
    return h;
}

static fl_jcached *find(const fl_jtable *t, const fl_jit_builder *b, uint64_t hash)
{
    if (!t) return NULL;
    for (uint32_t i = (uint32_t)hash & t->mask;; i = (i + 1) & t->mask) {
        fl_jcached *e = atomic_load_explicit(&t->entries[i], memory_order_acquire);
        if (!e) return NULL;
        if (e->hash == hash && e->count == b->count && !memcmp(&e->hard, &fl_jit_hard, sizeof e->hard) &&
            !memcmp(e->records, b->records, b->count * sizeof *b->records))
            return e;
    }
}

static void put(fl_jtable *t, fl_jcached *e)
{
    uint32_t i = (uint32_t)e->hash & t->mask;
    while (atomic_load_explicit(&t->entries[i], memory_order_relaxed)) i = (i + 1) & t->mask;
    atomic_store_explicit(&t->entries[i], e, memory_order_release);
    t->used++;
}

/* With the lock held. Old tables stay: somebody may be reading them; all of them together are as large as the last. */
static int insert(fl_jcached *e)
{
    fl_jtable *t = atomic_load(&table);
    if (!t || 2 * t->used >= t->mask) {
        uint32_t size = t ? 2 * (t->mask + 1) : 256;
        fl_jtable *more = calloc(1, sizeof *more + size * sizeof more->entries[0]);
        if (!more) return 0;
        more->mask = size - 1;
        more->older = t;
        for (uint32_t i = 0; t && i <= t->mask; i++)
            if (atomic_load(&t->entries[i])) put(more, atomic_load(&t->entries[i]));
        atomic_store(&table, more);
        t = more;
    }
    put(t, e);
    return 1;
}

static int lanes_of(const fl_jgraph *g)
{
    int widest = 4;
    for (uint32_t i = 0; i < g->count; i++) {
        int bytes = g->nodes[i].type == FL_T_MASK ? 4 : fl_jtype_bytes(g->nodes[i].type);
        if (bytes > widest) widest = bytes;
    }
    return g->target->vector_bytes / widest;
}

static fl_status compile(const fl_jit_builder *b, fl_jit_kernel *out)
{
    fl_jgraph *g = fl_arena_alloc(b->arena, sizeof *g);
    FL_CHECK(g && fl_jgraph_begin(g, b->arena, b->target), FL_OOM, "out of memory while compiling a kernel");
    FL_CHECK(fl_jexpand_all(g, b->records, b->count), FL_UNSUPPORTED,
             "expected a kernel of fewer than %d operations", FL_J_MAX_NODES);
    fl_jschedule schedule;
    FL_CHECK(fl_jschedule_make(g, &schedule), FL_OOM, "out of memory while compiling a kernel");
    fl_jmade made = {0};
    FL_TRY(b->target->emit(g, &schedule, lanes_of(g), &made));
    const int dumps = getenv("FL_DUMP") != NULL;
    if (dumps && fl_is_listed("FL_DUMP", "asm")) fl_jdump(g, &schedule, lanes_of(g), &made);
    void *code;
    const char *name = dumps && fl_is_listed("FL_DUMP", "perf") ? "fl_kernel" : NULL;
    FL_TRY(fl_code_place(made.code, made.bytes, name, &code));
    *out = (fl_jit_kernel){.code_bytes = made.bytes,
                           .phases = (uint16_t)schedule.phases,
                           .cost_per_element = 0.1 * schedule.cost / lanes_of(g)};
    for (uint32_t i = 0; i < schedule.kept_count; i++)
        out->scratch_per_column += g->nodes[schedule.kept[i]].type == FL_T_MASK
                                       ? 1
                                       : (uint32_t)fl_jtype_bytes(g->nodes[schedule.kept[i]].type);
    void *entry = (char *)code + made.entry;
    memcpy(&out->run, &entry, sizeof entry);
    return NULL;
}

fl_status fl_jit_finish(fl_jit_builder *b, const fl_jit_kernel **out)
{
    FL_CHECK(b && !b->failed, FL_OOM, "out of memory while building a kernel");
    FL_CHECK(b->target, FL_UNSUPPORTED,
             "expected a processor with AVX2 or NEON, and no \"jit\" in FL_DISABLE");
    uint64_t hash = hash_of(b);
    fl_jtable *seen = atomic_load_explicit(&table, memory_order_acquire);
    const uint32_t used = seen ? atomic_load_explicit(&seen->used, memory_order_acquire) : 0;
    fl_jcached *e = find(seen, b, hash);
    if (e) {
        *out = &e->kernel;
        return NULL;
    }
    fl_jit_kernel kernel;
    FL_TRY(compile(b, &kernel));
    size_t bytes = b->count * sizeof *b->records;
    fl_jcached *made = malloc(sizeof *made + bytes);
    FL_CHECK(made, FL_OOM, "out of memory while compiling a kernel");
    *made = (fl_jcached){.kernel = kernel, .hash = hash, .count = b->count, .hard = fl_jit_hard};
    memcpy(made->records, b->records, bytes);
    pthread_mutex_lock(&lock);
    const int others = atomic_load(&table) != seen || (seen && seen->used != used);
    e = others ? find(atomic_load(&table), b, hash) : NULL; /* another thread may have been faster */
    int good = e || insert(made);
    pthread_mutex_unlock(&lock);
    if (e || !good) free(made);
    FL_CHECK(good, FL_OOM, "out of memory while compiling a kernel");
    *out = e ? &e->kernel : &made->kernel;
    return NULL;
}
