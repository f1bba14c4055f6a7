/* Modules: what stands in a file outside of functions. */
#include "ir/text/parse.h"
#include "ir/text/parser.h"

/* #name = attribute, !name = type: its place is remembered, and it is read again where it is used. Locations are dropped. */
static int parse_alias(fl_parser *p)
{
    fl_scratch mark = fl_scratch_mark(p);
    fl_token name = p->token;
    fl_literal literal;
    fl_type type;
    fl_lex_next(p);
    if (!fl_expect(p, '=', "'='")) return 0;
    if (fl_at_word(p, "loc")) return fl_parse_location(p);
    fl_alias *alias = FL_PUSH(p, aliases, fl_alias);
    if (!alias) return 0;
    *alias = (fl_alias){name.start, 0,
                        p->token.start}; /* without a name as yet, so that it does not find itself */
    if (name.kind == FL_TOKEN_TYPE ? !fl_parse_type(p, &type) : !fl_parse_literal(p, &literal)) return 0;
    if (fl_token_length(&name) > UINT32_MAX) return fl_parse_error(p, name.start, "expected a shorter name");
    FL_AT(p, aliases, fl_alias, p->aliases.count - 1)->length = (uint32_t)fl_token_length(&name);
    fl_scratch_release(p, mark);
    return 1;
}

static int skip_brackets(fl_parser *p)
{
    const char *end = fl_lex_skip(p->token.start, p->end);
    if (!end) return fl_expected(p, "brackets that are closed");
    fl_lex_seek(p, end);
    return 1;
}

/* Behind the word in that text; NULL: it is not there. */
static const char *behind(const char *at, const char *end, const char *word)
{
    size_t n = strlen(word);
    for (; (size_t)(end - at) >= n; at++)
        if (!memcmp(at, word, n)) return at + n;
    return NULL;
}

static char *put_text(char *at, const char *text, size_t length)
{
    memcpy(at, text, length);
    return at + length;
}

/* "sdy.mesh"() <{mesh = #sdy.mesh<...>, sym_name = "m"}> from `start` to `end` as @m = <...>; NULL: no memory, or another
 * operation. */
static char *pretty_mesh(fl_parser *p, const char *start, const char *end, size_t *out_length)
{
    static const char op[] = "sdy.mesh @", is[] = " = ";
    const char *mesh = behind(start, end, "#sdy.mesh"), *name = behind(start, end, "sym_name = \"");
    const char *mesh_end = mesh ? fl_lex_skip(mesh, end) : NULL;
    const char *name_end = name ? memchr(name, '"', (size_t)(end - name)) : NULL;
    char *text =
        mesh_end && name_end ? fl_scratch_alloc(p, (size_t)(end - start) + sizeof op + sizeof is) : NULL;
    if (!text) return NULL;
    char *at = put_text(text, op, sizeof op - 1);
    at = put_text(at, name, (size_t)(name_end - name));
    at = put_text(at, is, sizeof is - 1);
    at = put_text(at, mesh, (size_t)(mesh_end - mesh));
    *out_length = (size_t)(at - text);
    return text;
}

/* sdy.mesh @mesh = <["x"=2]>: kept as text, in this form */
static int parse_sdy(fl_parser *p)
{
    fl_scratch mark = fl_scratch_mark(p);
    const char *start = p->token.start;
    int generic = p->token.kind == FL_TOKEN_STRING;
    fl_literal text = {.kind = FL_LIT_OPAQUE}, *kept, *to;
    fl_type type;
    if (!generic && !fl_at_word(p, "sdy.mesh")) return fl_expected(p, "func.func, module or sdy.mesh");
    fl_lex_next(p);
    if (generic) {
        while (p->token.kind == '(' || p->token.kind == '<' || p->token.kind == '{')
            if (!skip_brackets(p)) return 0;
        if (!fl_expect(p, ':', "':'") || !fl_parse_type(p, &type)) return 0;
    } else {
        if (!fl_expect(p, FL_TOKEN_SYMBOL, "the name of a mesh, @name") || !fl_expect(p, '=', "'='"))
            return 0;
        if (p->token.kind != '<') return fl_expected(p, "'<'");
        if (!skip_brackets(p) || (p->token.kind == '{' && !skip_brackets(p))) return 0;
    }
    size_t length = (size_t)(p->last - start);
    if (length >= UINT32_MAX) return fl_parse_error(p, start, "expected a shorter operation");
    const char *pretty = generic ? pretty_mesh(p, start, p->last, &length) : NULL;
    text.count = (uint32_t)length;
    text.u.string = pretty ? pretty : start;
    kept = fl_literal_keep(&p->builder.program->arena, &text);
    if (!kept) return fl_no_memory(p);
    if (!(to = FL_PUSH(p, literals, fl_literal))) return 0;
    *to = *kept;
    fl_scratch_release(p, mark);
    return fl_parse_location(p);
}

static int is_op(const fl_token *t, const char *name)
{
    fl_token bare = *t;
    if (t->kind == FL_TOKEN_STRING) bare.start++, bare.end--;
    return (t->kind == FL_TOKEN_ID || t->kind == FL_TOKEN_STRING) && fl_token_is(&bare, name);
}

static int parse_top(fl_parser *p)
{
    const fl_token *t = &p->token;
    const char *name = t->start + (t->kind == FL_TOKEN_STRING);
    if (t->kind == FL_TOKEN_HASH || t->kind == FL_TOKEN_TYPE) return parse_alias(p);
    if (is_op(t, "func.func")) return fl_parse_func(p);
    if ((t->kind == FL_TOKEN_ID || t->kind == FL_TOKEN_STRING) && fl_token_length(t) > 5 &&
        !memcmp(name, "sdy.", 4))
        return parse_sdy(p);
    return fl_expected(p, "func.func, module or sdy.mesh");
}

/* ---- modules ---- */

static int keep_attrs(fl_parser *p, fl_literal *attrs)
{
    fl_program *program = p->builder.program;
    const fl_literal *name = fl_literal_get(attrs, "sym_name");
    if (name && name->kind == FL_LIT_STRING &&
        !(program->module_name = fl_arena_strdup(&program->arena, name->u.string)))
        return fl_no_memory(p);
    if (name) {
        size_t base = p->entries.count;
        for (uint32_t i = 0; i < attrs->count; i++) {
            if (!strcmp(attrs->u.entries[i].name, "sym_name")) continue;
            fl_entry *to = FL_PUSH(p, entries, fl_entry);
            if (!to) return 0;
            *to = attrs->u.entries[i];
        }
        if (!fl_take_dict(p, base, attrs)) return 0;
    }
    if (!attrs->count) return 1;
    program->module_attrs = fl_literal_keep(&program->arena, attrs);
    return program->module_attrs ? 1 : fl_no_memory(p);
}

static int parse_module_body(fl_parser *p)
{
    if (!fl_expect(p, '{', "'{'")) return 0;
    if (fl_accept(p, FL_TOKEN_BLOCK) && !fl_expect(p, ':', "':'")) return 0;
    while (p->token.kind != '}')
        if (!parse_top(p)) return 0;
    return fl_expect(p, '}', "'}'");
}

/* module @name attributes {...} {...} */
static int parse_pretty_module(fl_parser *p)
{
    fl_literal attrs = {.kind = FL_LIT_DICT};
    const char *name = NULL;
    uint32_t length;
    fl_program *program = p->builder.program;
    if (p->token.kind == FL_TOKEN_SYMBOL && !fl_parse_string(p, &name, &length)) return 0;
    if (fl_accept_word(p, "attributes") && !fl_parse_dict(p, &attrs)) return 0;
    if (!keep_attrs(p, &attrs)) return 0;
    if (name && !(program->module_name = fl_arena_strdup(&program->arena, name))) return fl_no_memory(p);
    return parse_module_body(p);
}

/* "builtin.module"() <{...}> ({...}) {...} : () -> () */
static int parse_generic_module(fl_parser *p)
{
    fl_literal first = {.kind = FL_LIT_DICT}, second = {.kind = FL_LIT_DICT}, both;
    size_t base = p->entries.count;
    if (!fl_expect(p, '(', "'('") || !fl_expect(p, ')', "')'")) return 0;
    if (fl_accept(p, '<') && !(fl_parse_dict(p, &first) && fl_expect(p, '>', "'>'"))) return 0;
    if (!fl_expect(p, '(', "'('") || !parse_module_body(p) || !fl_expect(p, ')', "')'")) return 0;
    if (p->token.kind == '{' && !fl_parse_dict(p, &second)) return 0;
    for (int k = 0; k < 2; k++) {
        const fl_literal *from = k ? &second : &first;
        for (uint32_t i = 0; i < from->count; i++) {
            fl_entry *to = FL_PUSH(p, entries, fl_entry);
            if (!to) return 0;
            *to = from->u.entries[i];
        }
    }
    return fl_take_dict(p, base, &both) && keep_attrs(p, &both) && fl_expect(p, ':', "':'") &&
           fl_parse_op_type(p, p->refs.count);
}

static int parse_module(fl_parser *p)
{
    int generic = p->token.kind == FL_TOKEN_STRING;
    fl_lex_next(p);
    return (generic ? parse_generic_module(p) : parse_pretty_module(p)) && fl_parse_location(p);
}

static int parse_resources_end(fl_parser *p)
{
    for (const char *at = p->token.end; p->end - at >= 3; at++) {
        at = memchr(at, '#', (size_t)(p->end - at));
        if (!at || p->end - at < 3) break;
        if (memcmp(at, "#-}", 3)) continue;
        fl_lex_seek(p, at + 3);
        return 1;
    }
    return fl_expected(p, "resources that end with '#-}'");
}

static int parse_file(fl_parser *p)
{
    int modules = 0;
    fl_lex_next(p);
    while (p->token.kind != FL_TOKEN_END) {
        int is_module = is_op(&p->token, "module") || is_op(&p->token, "builtin.module");
        if (is_module && (modules++ || p->funcs.count))
            return fl_expected(p, "one module, or functions without a module, but not both");
        if (p->token.kind == FL_TOKEN_RESOURCES ? !parse_resources_end(p)
            : is_module                         ? !parse_module(p)
                                                : !parse_top(p))
            return 0;
    }
    return p->funcs.count ? 1 : fl_expected(p, "a function");
}

static int keep_module_ops(fl_parser *p)
{
    fl_program *program = p->builder.program;
    fl_literal list = {
        .kind = FL_LIT_ARRAY, .count = (uint32_t)p->literals.count, .u.items = p->literals.data};
    if (!list.count) return 1;
    program->module_ops = fl_literal_keep(&program->arena, &list);
    return program->module_ops ? 1 : fl_no_memory(p);
}

/* Stacks have memory from the beginning: a pointer to no elements is not NULL. */
static int prepare(fl_parser *p)
{
    fl_builder *b = &p->builder;
    fl_builder_fail(b, fl_builder_init(b, "main"));
    if (!fl_parse_check(p, p->text)) return 0;
    if (!FL_PUSH(p, refs, fl_ref) || !FL_PUSH(p, types, fl_type) || !FL_PUSH(p, attrs, fl_attr) ||
        !FL_PUSH(p, entries, fl_entry) || !FL_PUSH(p, literals, fl_literal) || !FL_PUSH(p, ints, int64_t) ||
        !FL_PUSH(p, blocks, fl_block *) || !FL_PUSH(p, tokens, fl_token))
        return 0;
    p->refs.count = p->types.count = p->attrs.count = p->entries.count = 0;
    p->literals.count = p->ints.count = p->blocks.count = p->tokens.count = 0;
    return 1;
}

fl_status fl_parse_text(const char *text, size_t length, fl_program **out)
{
    *out = NULL;
    if (!text) text = "", length = 0;
    fl_parser parser = {.text = text,
                        .end = text + length,
                        .last = text,
                        .token = {FL_TOKEN_END, text, text}},
              *p = &parser;
    int ok = prepare(p) && parse_file(p) && fl_parse_check_calls(p) && keep_module_ops(p);
    if (ok) {
        fl_builder_fail(&p->builder, fl_builder_finish_module(&p->builder, out));
        ok = fl_parse_check(p, text);
    }
    if (!ok) fl_builder_abandon(&p->builder);
    fl_parser_free(p);
    return p->status;
}

int fl_is_opaque_text(const char *text, size_t length)
{
    fl_literal literal;
    fl_parser parser = {.text = text,
                        .end = text + length,
                        .last = text,
                        .token = {FL_TOKEN_END, text, text}},
              *p = &parser;
    int ok = prepare(p);
    if (ok) fl_lex_next(p);
    ok = ok && fl_parse_literal(p, &literal) && p->token.kind == FL_TOKEN_END &&
         literal.kind == FL_LIT_OPAQUE && literal.count == length && !memcmp(literal.u.string, text, length);
    fl_status_free(p->status);
    fl_builder_abandon(&p->builder);
    fl_parser_free(p);
    return ok;
}
