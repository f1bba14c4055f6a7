/* Factors of custom calls: what sdy.sharding_rule says of them, or the leading dimensions of one that works in batches. */
#include "opt/rule.h"
#include "opt/split.h"

#include <stdlib.h>
#include <string.h>

/* "i" to "z", then "z_1", "z_2" ...: 0, 1, ...; -1: no factor. */
static int factor_name(const char **at)
{
    const char *c = *at;
    if (*c < 'i' || *c > 'z') return -1;
    int number = *c++ - 'i';
    if (c[-1] == 'z' && *c == '_') {
        char *end;
        long more = strtol(c + 1, &end, 10);
        if (more < 1 || more > FL_MOST_FACTORS) return -1;
        number += (int)more;
        c = end;
    }
    *at = c;
    return number;
}

/* The factors of a list such as need_replication={i, j}; as a set. */
static uint64_t named_set(const char *text, const char *name)
{
    const char *at = strstr(text, name);
    uint64_t set = 0;
    if (!at) return 0;
    for (at += strlen(name); *at && *at != '}'; at++) {
        int f = factor_name(&at);
        if (f >= 0 && f < FL_MOST_FACTORS) set |= (uint64_t)1 << f;
        if (*at == '}' || !*at) break;
    }
    return set;
}

/* {i=8, j=4} behind the mappings: sizes by factor, 0 where none is said. */
static void read_sizes(const char *text, int64_t *sizes)
{
    const char *at = strstr(text, ")->(");
    at = at ? strstr(at, ") {") : NULL;
    if (!at) return;
    for (at += 3; *at && *at != '}';) {
        int f = factor_name(&at);
        if (f < 0 || *at != '=') {
            at++;
            continue;
        }
        char *end;
        long long size = strtoll(at + 1, &end, 10);
        if (f < FL_MOST_FACTORS && size > 0) sizes[f] = size;
        at = end;
    }
}

typedef struct reader {
    fl_rule_maker *m;
    int factors[FL_MOST_FACTORS]; /* those of the maker; -2: not made yet */
    int64_t sizes[FL_MOST_FACTORS];
    uint64_t whole; /* factors that may not be cut */
} reader;

static void put(reader *r, uint32_t tensor, int dim, int number)
{
    if (number >= FL_MOST_FACTORS || dim >= fl_rule_type(r->m, tensor)->rank) return;
    if (r->factors[number] == -2)
        r->factors[number] = r->whole >> number & 1 ? -1 : fl_rule_factor(r->m, r->sizes[number]);
    fl_rule_put(r->m, tensor, dim, r->factors[number]);
}

/* ([i, jk], [k])->([i]): of each tensor the factors of each dimension. */
static void read_mappings(reader *r, const char *text)
{
    const char *at = strchr(text, '(');
    uint32_t tensor = 0, count = r->m->op->operand_count + r->m->op->result_count;
    int dim = 0;
    for (; at && *at && *at != '{' && tensor < count; at++) {
        const char *before = at;
        int number = factor_name(&at);
        if (number >= 0) {
            put(r, tensor, dim, number);
            at--;
        } else if (*before == ',') {
            dim++;
        } else if (*before == '[') {
            dim = 0;
        } else if (*before == ']') {
            tensor++;
            dim = 0;
        }
    }
}

/* The factors' sizes must make up the dimensions. */
static int fits(const fl_rule_maker *m)
{
    for (uint32_t t = 0; t < m->op->operand_count + m->op->result_count; t++) {
        const fl_type *type = fl_rule_type(m, t);
        for (int d = 0; d < type->rank; d++) {
            int64_t size = 1;
            for (uint32_t i = 0; i < m->pair_count; i++)
                if (m->pairs[i].tensor == t && m->pairs[i].at.dim == d)
                    size *= m->sizes[m->pairs[i].at.factor];
            if (type->dims[d] % size) return 0;
        }
    }
    return 1;
}

static int64_t batch_dims(const fl_op *op)
{
    const fl_literal *n =
        fl_literal_get(fl_literal_get(op->extra, "mhlo.frontend_attributes"), "num_batch_dims");
    return n && n->kind == FL_LIT_STRING && fl_splits_batches(op) ? strtol(n->u.string, NULL, 10) : 0;
}

static void batches(fl_rule_maker *m)
{
    int64_t count = batch_dims(m->op);
    uint32_t tensors = m->op->operand_count + m->op->result_count;
    for (int d = 0; d < count && tensors; d++) {
        int64_t size = fl_rule_type(m, 0)->rank > d ? fl_rule_type(m, 0)->dims[d] : 0;
        for (uint32_t t = 0; t < tensors; t++)
            if (fl_rule_type(m, t)->rank <= d || fl_rule_type(m, t)->dims[d] != size) return;
        int f = fl_rule_factor(m, size);
        for (uint32_t t = 0; t < tensors; t++) fl_rule_put(m, t, d, f);
    }
}

/* One that passes its operands on. */
static int passes_on(const fl_op *op)
{
    const char *target = fl_op_string(op, FL_ATTR_call_target_name);
    return target && !strcmp(target, "InspectSharding") && op->operand_count == 1 && op->result_count == 1;
}

void fl_factors_custom(fl_rule_maker *m)
{
    const fl_literal *rule = fl_literal_get(m->op->extra, "sdy.sharding_rule");
    reader r = {.m = m};
    if (!fl_splitter_of(m->op)) {
        batches(m);
        return;
    }
    if (passes_on(m->op)) {
        m->plain = 1;
        fl_factors_elementwise(m);
        return;
    }
    if (!rule || rule->kind != FL_LIT_OPAQUE) return;
    const char *text = rule->u.string;
    for (int f = 0; f < FL_MOST_FACTORS; f++) r.factors[f] = -2;
    read_sizes(text, r.sizes);
    r.whole = named_set(text, "need_replication={") | named_set(text, "blocked_propagation={");
    read_mappings(&r, text);
    if (!fits(m)) m->pair_count = m->factor_count = 0;
}
