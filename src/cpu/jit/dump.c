/* Kernels as text, for readers: what each loop does, vector operation by vector operation, and the bytes that it became.
 * FL_DUMP=asm prints it when a kernel is made. */
#include "base/text.h"
#include "cpu/jit/graph.h"

#include <stdio.h>
#include <string.h>

static const char *const types[] = {"i32", "i64", "f32", "f64", "mask"};

static void print_constant(fl_text *t, const fl_jnode *n)
{
    float f;
    double d;
    memcpy(&f, &n->bits, sizeof f);
    memcpy(&d, &n->bits, sizeof d);
    if (n->type == FL_T_F32)
        fl_text_printf(t, "%.9g", (double)f);
    else if (n->type == FL_T_F64)
        fl_text_printf(t, "%.17g", d);
    else
        fl_text_printf(t, "0x%llx", (unsigned long long)n->bits);
}

static void print_entry(fl_text *t, const fl_jgraph *g, const fl_jentry *e)
{
    const fl_jnode *n = &g->nodes[e->node];
    if (e->kind != FL_E_COMPUTE) {
        fl_text_printf(t, "    %s v%u\n", e->kind == FL_E_KEEP ? "keep" : "reload", e->node);
        return;
    }
    const fl_jop_info *info = &fl_jop_infos[n->op];
    if (fl_jop_is_store(n->op))
        fl_text_printf(t, "    %s", info->name);
    else
        fl_text_printf(t, "    v%u = %s.%s", e->node, info->name, types[n->type]);
    if (n->memory || n->op == FL_J_LOAD || fl_jop_is_store(n->op))
        fl_text_printf(t, " @%u %s", n->memory, fl_dtypes[n->dtype].name);
    if (n->imm) fl_text_printf(t, " #%u", n->imm);
    for (int k = 0; k < info->operands; k++) {
        const fl_jnode *operand = &g->nodes[n->v[k]];
        fl_text_printf(t, k ? ", " : " ");
        if (operand->op == FL_J_CONST)
            print_constant(t, operand);
        else
            fl_text_printf(t, "v%u", n->v[k]);
    }
    fl_text_printf(t, "\n");
}

static void print_list(fl_text *t, const fl_jgraph *g, const fl_jlist *list, const char *what,
                       uint32_t number)
{
    if (!list->count) return;
    fl_text_printf(t, "  %s %u\n", what, number);
    for (uint32_t i = 0; i < list->count; i++) print_entry(t, g, &list->entries[i]);
}

void fl_jdump(const fl_jgraph *g, const fl_jschedule *s, int lanes, const fl_jmade *made)
{
    fl_text t = {0};
    fl_text_printf(&t, "kernel %s, %d lanes, %u bytes of code from byte %u\n", g->target->name, lanes,
                   made->bytes, made->entry);
    for (uint32_t p = 0; p < s->phases + 2; p++) {
        print_list(&t, g, &s->sections[p], "section", p);
        if (p && p <= s->phases) print_list(&t, g, &s->loops[p - 1], "loop", p - 1);
    }
    for (uint32_t i = 0; i < made->bytes; i++)
        fl_text_printf(&t, "%s%02x%s", i % 32 ? "" : "  code ", made->code[i],
                       i % 32 == 31 || i + 1 == made->bytes ? "\n" : "");
    if (t.data) fputs(t.data, stderr);
    fl_text_free(&t);
}
