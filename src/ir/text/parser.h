/* Inside the text parser. Functions return 1, or 0 after an error, which is then in p->status (the first one stays). */
#ifndef FL_IR_TEXT_PARSER_H
#define FL_IR_TEXT_PARSER_H

#include "ir/build.h"
#include "ir/text/syntax.h"

#include <string.h>

/* Punctuation is its own character. */
typedef enum fl_token_kind {
    FL_TOKEN_END = 256,
    FL_TOKEN_ID,        /* stablehlo.add */
    FL_TOKEN_VALUE,     /* %arg0; the text of it and the next four begins with the sign */
    FL_TOKEN_HASH,      /* #stablehlo.gather, #map, #1 */
    FL_TOKEN_TYPE,      /* !stablehlo.token */
    FL_TOKEN_SYMBOL,    /* @main, @"a b" */
    FL_TOKEN_BLOCK,     /* ^bb0 */
    FL_TOKEN_INT,       /* 12, 0x1F */
    FL_TOKEN_FLOAT,     /* 1.5e-3 */
    FL_TOKEN_STRING,    /* with the quotes */
    FL_TOKEN_ARROW,     /* -> */
    FL_TOKEN_COLONS,    /* :: */
    FL_TOKEN_RESOURCES, /* {-# */
    FL_TOKEN_BAD
} fl_token_kind;

typedef struct fl_token {
    int kind;
    const char *start, *end;
} fl_token;

/* A growing array, used as a stack: who pushes, pops. Elements move when it grows. */
typedef struct fl_stack {
    void *data;
    size_t count, capacity;
} fl_stack;

/* Memory given back in reverse order. */
typedef struct fl_scratch_chunk fl_scratch_chunk;
typedef struct fl_scratch {
    fl_scratch_chunk *head;
    char *next, *end;
} fl_scratch;

typedef struct fl_value_name {
    const char *name; /* in the text, with the % */
    uint32_t length, hash;
    uint32_t next; /* in the bucket, + 1 */
    fl_ref first;
    uint32_t count;
} fl_value_name;

typedef struct fl_alias {
    const char *name; /* in the text, with the # or ! */
    uint32_t length;
    const char *start; /* of what it stands for */
} fl_alias;

typedef struct fl_func_site {
    const fl_func *func;
    const char *at;
} fl_func_site;

typedef struct fl_call_site { /* of operations that name functions */
    const fl_op *op;
    const char *at;
} fl_call_site;

typedef struct fl_resource {
    const char *name; /* in the program's arena */
    size_t name_length;
    const char *hex; /* the digits, without 0x */
    size_t digits;
} fl_resource;

typedef struct fl_parser {
    const char *text, *end;
    fl_token token;
    const char *last; /* the end of the token before */
    fl_status status;
    fl_builder builder;
    fl_scratch scratch;
    fl_stack refs, types, attrs, entries, literals, ints, blocks, names, tokens;
    uint32_t *buckets; /* of names: index + 1 */
    uint32_t bucket_count;
    fl_stack aliases, resources, funcs, calls;
    int resources_read, depth;
    size_t expanded; /* bytes of text that aliases stand for, read so far */
} fl_parser;

enum { FL_PARSE_DEPTH = 100 };

/* ---- lex.c ---- */
void fl_lex_next(fl_parser *p);
/* "line L:C: <message>"; `at` is a place in the text. */
int fl_parse_error(fl_parser *p, const char *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* "line L:C: expected <what>, got <the current token>" */
int fl_expected(fl_parser *p, const char *what);
int fl_no_memory(fl_parser *p);
/* Takes the builder's error over, if it has one, with a position. */
int fl_parse_check(fl_parser *p, const char *at);
/* Skips a balanced (...), [...], {...} or <...> that begins at `at`; NULL when it does not end. */
const char *fl_lex_skip(const char *at, const char *end);
/* Goes on reading at `at`. */
static inline void fl_lex_seek(fl_parser *p, const char *at)
{
    p->token.end = at;
    fl_lex_next(p);
}
static inline size_t fl_token_length(const fl_token *t)
{
    return (size_t)(t->end - t->start);
}
static inline int fl_token_is(const fl_token *t, const char *text)
{
    size_t n = strlen(text);
    return fl_token_length(t) == n && !memcmp(t->start, text, n);
}
static inline int fl_accept(fl_parser *p, int kind)
{
    if (p->token.kind != kind) return 0;
    fl_lex_next(p);
    return 1;
}
int fl_expect(fl_parser *p, int kind, const char *what);
static inline int fl_at_word(const fl_parser *p, const char *word)
{
    return p->token.kind == FL_TOKEN_ID && fl_token_is(&p->token, word);
}
int fl_accept_word(fl_parser *p, const char *word);
int fl_expect_word(fl_parser *p, const char *word);
/* Punctuation or word, as in syntax.def. */
int fl_expect_text(fl_parser *p, const char *text);
/* The current token, a string or the name of a symbol, without quotes and escapes; NUL-terminated scratch memory. */
int fl_parse_string(fl_parser *p, const char **out, uint32_t *out_length);
int fl_parse_location(fl_parser *p); /* loc(...), if there is one: dropped */
int fl_enter(fl_parser *p);          /* one level of nesting; leave with p->depth-- */
int fl_parse_alias_start(fl_parser *p,
                         fl_token *saved); /* if at an alias, goes to what it stands for: 2; else 1 */
void fl_parse_alias_end(fl_parser *p, int started, const fl_token *saved);

/* ---- memory.c ---- */
void *fl_push(fl_parser *p, fl_stack *stack,
              size_t size); /* a new element, not cleared; NULL after an error */
#define FL_PUSH(p, stack, type)  ((type *)fl_push((p), &(p)->stack, sizeof(type)))
#define FL_AT(p, stack, type, i) (&((type *)(p)->stack.data)[i])
void *fl_scratch_alloc(fl_parser *p, size_t bytes);
void *fl_scratch_copy(fl_parser *p, const void *data, size_t bytes);
/* Copies the elements from `base` on to scratch memory and pops them. */
void *fl_take(fl_parser *p, fl_stack *stack, size_t base, size_t size);
fl_scratch fl_scratch_mark(const fl_parser *p);
void fl_scratch_release(fl_parser *p, fl_scratch mark);
void fl_parser_free(fl_parser *p); /* all but status and builder */
/* Names of values. */
int fl_name_define(fl_parser *p, const fl_token *name, fl_ref first, uint32_t count);
int fl_name_use(fl_parser *p, fl_ref *out); /* %a or %a#1 */
void fl_names_pop(fl_parser *p, size_t count);

/* ---- number.c ---- */
/* Each reads one literal at *at, before `end`, as an element of `dtype`, moves *at behind it and writes
 * fl_dtype_bytes(dtype) bytes. NULL, or what was expected. */
const char *fl_read_element(const char **at, const char *end, fl_dtype dtype, void *out);
const char *fl_read_int(const char **at, const char *end, fl_dtype dtype, int64_t *out);
/* Without a sign before hexadecimal digits; f64: the nearest value. */
const char *fl_read_f64(const char **at, const char *end, double *out);
int fl_parse_i64(fl_parser *p, int64_t *out); /* an integer token, perhaps negative */
/* `digits` / 2 bytes; 0: a character that is none. */
int fl_read_hex(const char *hex, size_t digits, uint8_t *out);

/* ---- parse_type.c ---- */
int fl_parse_type(fl_parser *p, fl_type *out);            /* what `more` holds is scratch memory */
int fl_parse_value_type(fl_parser *p, fl_type *out);      /* one that a value may have */
fl_dtype fl_parse_dtype(const char *name, size_t length); /* f32; FL_DTYPE_NONE: no such type */
int fl_at_type(const fl_parser *p);                       /* whether the token can begin a type */
int fl_parse_result_types(fl_parser *p);                  /* t, or (t1, t2); pushes them */

/* ---- parse_op_types.c ---- */
int fl_parse_operand_type(fl_parser *p, fl_ref value); /* which must be the type of `value` */
int fl_parse_operand_types(fl_parser *p, size_t refs); /* t1, t2 of the operands from `refs` on */
/* (t1, t2) -> t3 for these operands; pushes the result types. */
int fl_parse_op_type(fl_parser *p, size_t refs);

/* ---- parse_dense.c ---- */
typedef struct fl_dense {
    fl_type type;
    const void *data; /* scratch memory */
    uint32_t count;   /* bytes: all elements, or one */
} fl_dense;
int fl_parse_dense(fl_parser *p, fl_dense *out); /* dense<...> : type; dense_resource<...> : type */

/* ---- parse_attr.c ---- */
int fl_parse_literal(fl_parser *p, fl_literal *out); /* any attribute; scratch memory */
int fl_parse_dict(fl_parser *p, fl_literal *out);    /* {name = value, ...} */
/* Sorts the entries from `base` on by name, takes them, and makes a dictionary; a name twice is an error. */
int fl_take_dict(fl_parser *p, size_t base, fl_literal *out);
int fl_parse_opaque(fl_parser *p,
                    fl_literal *out); /* the text of #dialect.name<...>, or of any other attribute */

/* ---- parse_key.c, parse_struct.c ---- */
typedef struct fl_parsed_op {
    const char *at; /* of its name */
    fl_opcode code;
    size_t refs, types, attrs, entries, blocks; /* where its parts begin on the stacks */
    fl_type value_type;                         /* of the attribute `value` */
    int has_value;
} fl_parsed_op;
int fl_parse_value(fl_parser *p, fl_parsed_op *op, fl_attr_key key); /* pushes the attribute */
int fl_parse_key_dict(fl_parser *p, fl_parsed_op *op); /* {name = value}: attributes and extra entries */
int fl_add_attr(fl_parser *p, const fl_parsed_op *op,
                const fl_attr *attr); /* an attribute twice is an error */
int fl_add_ints(fl_parser *p, const fl_parsed_op *op, fl_attr_key key,
                size_t base);                                   /* those on the stack from base on */
int fl_parse_enum(fl_parser *p, fl_attr_key key, int64_t *out); /* #stablehlo<fft_type RFFT> */
/* [#stablehlo<precision HIGH>, #stablehlo<precision DEFAULT>], or [HIGH, DEFAULT] */
int fl_parse_enums(fl_parser *p, fl_parsed_op *op, fl_attr_key key);
int fl_parse_bool(fl_parser *p, int64_t *out);
int fl_parse_dense_value(fl_parser *p, fl_parsed_op *op); /* the attribute `value`: dense<...> : type */
/* dense<[1, 0]> : tensor<2xindex>, also in arrays and arrays of arrays, becomes a list of integers. */
int fl_parse_flatten(fl_parser *p, const char *at, fl_literal *literal);
int fl_parse_ints(fl_parser *p); /* [1, 2]: pushed on the stack of integers */
int fl_parse_struct(fl_parser *p, fl_parsed_op *op, const fl_struct_info *info);
int fl_parse_struct_fields(fl_parser *p, fl_parsed_op *op,
                           const fl_struct_info *info);                /* <name = value, ...> */
int fl_parse_conv_dims(fl_parser *p, fl_parsed_op *op);                /* [b, f, 0]x[o, i, 0]->[b, f, 0] */
int fl_parse_special(fl_parser *p, fl_parsed_op *op, fl_attr_key key); /* structured LITERAL keys */

/* ---- parse_op.c, parse_forms.c ---- */
int fl_parse_statement(
    fl_parser *p, int *out_end); /* an operation; *out_end: it ended the block; operands pushed on refs */
int fl_parse_part(fl_parser *p, fl_parsed_op *op, const fl_part *part);
int fl_parse_types(fl_parser *p, fl_parsed_op *op, fl_type_part kind);
int fl_parse_sharding(fl_parser *p, fl_parsed_op *op);   /* parse_sdy.c: <@mesh, [{"x"}]> */
int fl_parse_axes(fl_parser *p, fl_parsed_op *op);       /* [{"x"}, {}] and others, see fl_syntax_axes */
int fl_parse_sdy_region(fl_parser *p, fl_parsed_op *op); /* manual_computation, named_computation */
int fl_parse_operands(fl_parser *p);                     /* %a, %b: pushed on refs; none is fine */
/* {...}; names: tokens from `names` on, types from `types` on, both popped; or, without names, a label ^bb0(...) */
int fl_parse_region(fl_parser *p, size_t names, size_t types, int named);
int fl_parse_block_args(fl_parser *p);  /* %a: t, %b: t): pushed on tokens and types */
int fl_parse_func(fl_parser *p);        /* parse_func.c: at func.func */
int fl_parse_check_calls(fl_parser *p); /* parse_calls.c: names of functions, calls and their types */
int fl_parse_body(
    fl_parser *p); /* operations up to the one that returns, and '}'; what it returns: pushed on refs */
int fl_define_args(fl_parser *p, const fl_block *block,
                   size_t names);                           /* names of arguments: tokens, popped */
fl_opcode fl_parse_opcode(const char *name, size_t length); /* FL_OP_NONE: unknown */

#endif
