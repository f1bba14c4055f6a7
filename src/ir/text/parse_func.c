/* Functions. */
#include "ir/text/parser.h"

typedef struct signature {
    size_t names, types,
        attrs; /* where arguments begin: names on tokens, types, a dictionary each on literals */
    size_t result_types, result_attrs;
    int has_attrs, has_result_attrs; /* any that is not empty */
} signature;

static int push_dict(fl_parser *p, int *any)
{
    fl_literal dict = {.kind = FL_LIT_DICT}, *to;
    if (p->token.kind == '{' && !fl_parse_dict(p, &dict)) return 0;
    if (!(to = FL_PUSH(p, literals, fl_literal))) return 0;
    *to = dict;
    *any |= dict.count > 0;
    return 1;
}

static int push_type(fl_parser *p)
{
    fl_type type, *to;
    if (!fl_parse_value_type(p, &type) || !(to = FL_PUSH(p, types, fl_type))) return 0;
    *to = type;
    return 1;
}

/* (%a: t {attributes}, ...), or (t {attributes}, ...) without a body */
static int parse_args(fl_parser *p, signature *s)
{
    if (!fl_expect(p, '(', "'('")) return 0;
    while (p->token.kind != ')') {
        if (p->token.kind == FL_TOKEN_VALUE) {
            fl_token *name = FL_PUSH(p, tokens, fl_token);
            if (!name) return 0;
            *name = p->token;
            fl_lex_next(p);
            if (!fl_expect(p, ':', "':'")) return 0;
        }
        if (!push_type(p) || !push_dict(p, &s->has_attrs) || !fl_parse_location(p)) return 0;
        if (!fl_accept(p, ',')) break;
    }
    size_t named = p->tokens.count - s->names;
    if (named && named != p->types.count - s->types)
        return fl_expected(p, "a name for every argument, or for none");
    return fl_expect(p, ')', "',' or ')'");
}

/* -> t, or -> (t {attributes}, ...) */
static int parse_results(fl_parser *p, signature *s)
{
    s->result_types = p->types.count;
    s->result_attrs = p->literals.count;
    if (!fl_accept(p, FL_TOKEN_ARROW)) return 1;
    if (p->token.kind != '(') {
        fl_literal *to = FL_PUSH(p, literals, fl_literal);
        if (!to) return 0;
        *to = (fl_literal){.kind = FL_LIT_DICT};
        return push_type(p);
    }
    fl_lex_next(p);
    while (p->token.kind != ')') {
        if (!push_type(p) || !push_dict(p, &s->has_result_attrs)) return 0;
        if (!fl_accept(p, ',')) break;
    }
    return fl_expect(p, ')', "',' or ')'");
}

static int keep(fl_parser *p, const fl_literal *literal, const fl_literal **out)
{
    *out = fl_literal_keep(&p->builder.program->arena, literal);
    return *out ? 1 : fl_no_memory(p);
}

static int keep_dicts(fl_parser *p, int any, size_t from, size_t to, const fl_literal **out)
{
    fl_literal list = {.kind = FL_LIT_ARRAY, .count = (uint32_t)(to - from)};
    list.u.items = FL_AT(p, literals, fl_literal, from);
    return !any || keep(p, &list, out);
}

/* What the body returned, on the stack from `refs` on, is what was declared. */
static int check_results(fl_parser *p, const char *name, size_t refs, const fl_type *types, size_t count)
{
    size_t n = p->refs.count - refs;
    char expected[200], got[200];
    if (n != count)
        return fl_parse_error(p, p->last, "expected @%.60s to return %zu values, got %zu", name, count, n);
    for (size_t i = 0; i < n; i++) {
        const fl_type *type = fl_type_of(p->builder.program, *FL_AT(p, refs, fl_ref, refs + i));
        if (!fl_type_equal(type, &types[i]))
            return fl_parse_error(p, p->last, "expected result %zu of @%.60s to be %s, got %s", i, name,
                                  fl_type_text(&types[i], expected, sizeof expected),
                                  fl_type_text(type, got, sizeof got));
    }
    return 1;
}

static int end_func(fl_parser *p, fl_func *func, size_t refs)
{
    fl_func_end(&p->builder, func, FL_AT(p, refs, fl_ref, refs), (uint32_t)(p->refs.count - refs));
    p->refs.count = refs;
    fl_names_pop(p, 0);
    return fl_parse_check(p, p->last);
}

static int parse_body(fl_parser *p, fl_func *func, const char *name, signature *s)
{
    size_t refs = p->refs.count;
    if (p->token.kind == '{' && p->tokens.count - s->names != s->result_types - s->types)
        return fl_expected(p, "no body, as the arguments have no names");
    if (!fl_accept(p, '{')) {
        fl_func_declare(&p->builder, func, FL_AT(p, types, fl_type, s->result_types),
                        (uint32_t)(p->types.count - s->result_types));
        return fl_parse_check(p, p->last);
    }
    return fl_define_args(p, func->body, s->names) && fl_parse_body(p) &&
           check_results(p, name, refs, FL_AT(p, types, fl_type, s->result_types),
                         p->types.count - s->result_types) &&
           end_func(p, func, refs);
}

static int add_site(fl_parser *p, const fl_func *func, const char *at)
{
    fl_func_site *site = FL_PUSH(p, funcs, fl_func_site);
    if (!site) return 0;
    *site = (fl_func_site){func, at};
    return 1;
}

/* public @name(%a: t) -> t attributes {...} {...} */
static int parse_pretty(fl_parser *p, signature *s)
{
    const char *at, *name;
    uint32_t length;
    fl_literal attrs = {.kind = FL_LIT_DICT};
    fl_visibility visibility = fl_accept_word(p, "private")  ? FL_PRIVATE
                               : fl_accept_word(p, "public") ? FL_PUBLIC
                                                             : FL_VISIBILITY_NONE;
    if (!visibility) fl_accept_word(p, "nested");
    at = p->token.start;
    if (p->token.kind != FL_TOKEN_SYMBOL) return fl_expected(p, "the name of a function, @name");
    if (!fl_parse_string(p, &name, &length) || !parse_args(p, s) || !parse_results(p, s)) return 0;
    if (fl_accept_word(p, "attributes") && !fl_parse_dict(p, &attrs)) return 0;
    fl_func *func = fl_func_begin(&p->builder, name, FL_AT(p, types, fl_type, s->types),
                                  (uint32_t)(s->result_types - s->types));
    if (!fl_parse_check(p, at)) return 0;
    func->visibility = (uint8_t)visibility;
    if (attrs.count && !keep(p, &attrs, &func->attrs)) return 0;
    return keep_dicts(p, s->has_attrs, s->attrs, s->result_attrs, &func->arg_attrs) &&
           keep_dicts(p, s->has_result_attrs, s->result_attrs, p->literals.count, &func->result_attrs) &&
           add_site(p, func, at) && parse_body(p, func, name, s);
}

/* ---- "func.func"() <{...}> ({...}) {...} : () -> () ---- */

typedef struct generic_func {
    fl_literal first, second; /* dictionaries before and behind the body */
    fl_func *func;
    size_t refs;
} generic_func;

static const fl_literal *get(const generic_func *g, const char *name, fl_literal_kind kind)
{
    const fl_literal *l = fl_literal_get(&g->first, name);
    if (!l) l = fl_literal_get(&g->second, name);
    return l && l->kind == kind ? l : NULL;
}

static int parse_generic_body(fl_parser *p, generic_func *g)
{
    size_t names = p->tokens.count, types = p->types.count;
    const char *at = p->token.start;
    if (!fl_expect(p, '(', "'('") || !fl_expect(p, '{', "'{'")) return 0;
    if (fl_accept(p, '}')) return fl_expect(p, ')', "')'");
    if (fl_accept(p, FL_TOKEN_BLOCK)) {
        if (fl_accept(p, '(') && !fl_parse_block_args(p)) return 0;
        if (!fl_expect(p, ':', "':'")) return 0;
    }
    g->func =
        fl_func_begin(&p->builder, "", FL_AT(p, types, fl_type, types), (uint32_t)(p->types.count - types));
    p->types.count = types;
    return fl_parse_check(p, at) && fl_define_args(p, g->func->body, names) && fl_parse_body(p) &&
           fl_expect(p, ')', "')'");
}

/* Attributes other than those that make up the function. */
static int keep_other_attrs(fl_parser *p, const generic_func *g)
{
    static const char *const own[] = {"sym_name", "function_type", "sym_visibility", "arg_attrs",
                                      "res_attrs"};
    size_t base = p->entries.count;
    fl_literal dict;
    for (int k = 0; k < 2; k++) {
        const fl_literal *from = k ? &g->second : &g->first;
        for (uint32_t i = 0; i < from->count; i++) {
            size_t n = 0;
            while (n < 5 && strcmp(own[n], from->u.entries[i].name)) n++;
            fl_entry *to = n == 5 ? FL_PUSH(p, entries, fl_entry) : NULL;
            if (n == 5 && !to) return 0;
            if (to) *to = from->u.entries[i];
        }
    }
    if (p->entries.count == base) return 1;
    return fl_take_dict(p, base, &dict) && keep(p, &dict, &g->func->attrs);
}

static int finish_generic(fl_parser *p, const char *at, generic_func *g)
{
    const fl_literal *name = get(g, "sym_name", FL_LIT_STRING), *type = get(g, "function_type", FL_LIT_TYPE);
    const fl_literal *visibility = get(g, "sym_visibility", FL_LIT_STRING);
    const fl_literal *args = get(g, "arg_attrs", FL_LIT_ARRAY), *results = get(g, "res_attrs", FL_LIT_ARRAY);
    if (!name || !type || type->type->kind != FL_TYPE_FUNCTION)
        return fl_parse_error(p, at, "expected the attributes sym_name and function_type");
    const fl_type_more *m = type->type->more;
    uint32_t result_count = m->count - m->inputs;
    if (!g->func) {
        g->func = fl_func_begin(&p->builder, name->u.string, m->members, m->inputs);
        fl_func_declare(&p->builder, g->func, m->members + m->inputs, result_count);
        if (!fl_parse_check(p, at)) return 0;
    } else {
        int same = m->inputs == g->func->body->arg_count;
        for (uint32_t i = 0; same && i < m->inputs; i++)
            same =
                fl_type_equal(&m->members[i], fl_type_of(p->builder.program, fl_block_arg(g->func->body, i)));
        if (!same) return fl_parse_error(p, at, "expected arguments of the types that function_type says");
        if (!check_results(p, name->u.string, g->refs, m->members + m->inputs, result_count) ||
            !end_func(p, g->func, g->refs))
            return 0;
    }
    fl_func *func = g->func;
    if (!(func->name = fl_arena_strdup(&p->builder.program->arena, name->u.string))) return fl_no_memory(p);
    if (visibility && !strcmp(visibility->u.string, "private")) func->visibility = FL_PRIVATE;
    if (visibility && !strcmp(visibility->u.string, "public")) func->visibility = FL_PUBLIC;
    if ((args && args->count != m->inputs) || (results && results->count != result_count))
        return fl_parse_error(p, at, "expected a dictionary for each argument and each result");
    if ((args && !keep(p, args, &func->arg_attrs)) || (results && !keep(p, results, &func->result_attrs)))
        return 0;
    return keep_other_attrs(p, g) && add_site(p, func, at);
}

static int parse_generic(fl_parser *p)
{
    generic_func g = {.first = {.kind = FL_LIT_DICT}, .second = {.kind = FL_LIT_DICT}, .refs = p->refs.count};
    const char *at = p->token.start;
    if (!fl_expect(p, '(', "'('") || !fl_expect(p, ')', "')'")) return 0;
    if (fl_accept(p, '<') && !(fl_parse_dict(p, &g.first) && fl_expect(p, '>', "'>'"))) return 0;
    if (!parse_generic_body(p, &g)) return 0;
    if (p->token.kind == '{' && !fl_parse_dict(p, &g.second)) return 0;
    size_t types = p->types.count;
    if (!fl_expect(p, ':', "':'") || !fl_parse_op_type(p, p->refs.count)) return 0;
    p->types.count = types;
    return finish_generic(p, at, &g);
}

int fl_parse_func(fl_parser *p)
{
    fl_scratch mark = fl_scratch_mark(p);
    int generic = p->token.kind == FL_TOKEN_STRING;
    signature s = {.names = p->tokens.count, .types = p->types.count, .attrs = p->literals.count};
    fl_lex_next(p);
    if (!(generic ? parse_generic(p) : parse_pretty(p, &s)) || !fl_parse_location(p)) return 0;
    p->tokens.count = s.names;
    p->types.count = s.types;
    p->literals.count = s.attrs;
    fl_scratch_release(p, mark);
    return 1;
}
