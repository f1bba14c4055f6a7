/* A compiler's refusal in plain words. Compilers say in prose what is short and by how much: what is looked for are the words
 * for the memory and the first two amounts. */
#include "pjrt/client_aot.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int has(const char *text, const char *word)
{
    size_t n = strlen(word);
    for (; *text; text++)
        if (!strncasecmp(text, word, n)) return 1;
    return 0;
}

/* An amount at `p`, such as 15.75G, 64KiB, or 268435456 after "size="; 0: none. *end: behind the number and its unit. */
static double amount(const char *text, const char *p, const char **end)
{
    static const char units[] = "KMGT";
    char *after;
    int sized = p - text >= 5 && !strncmp(p - 5, "size=", 5);
    double value = strtod(p, &after);
    const char *unit = *after ? strchr(units, toupper((unsigned char)*after)) : NULL;
    int letters = 0;
    while (isalpha((unsigned char)after[letters])) letters++;
    int is_unit = unit && (letters == 1 || !strncasecmp(after + 1, "iB", (size_t)letters - 1) ||
                           !strncasecmp(after + 1, "B", (size_t)letters - 1));
    int is_bytes = sized || !strncmp(after, " bytes", 6) || (letters == 1 && *after == 'B');
    *end = after;
    if (!is_unit) return is_bytes ? value : 0;
    for (const char *u = units; u <= unit; u++) value *= 1024;
    return value;
}

static void find_amounts(const char *text, uint64_t found[2])
{
    int n = 0;
    for (const char *p = text; *p && n < 2;) {
        int in_word = p > text && (isalnum((unsigned char)p[-1]) || p[-1] == '.');
        if (!isdigit((unsigned char)*p) || in_word) {
            p++;
            continue;
        }
        double bytes = amount(text, p, &p);
        if (bytes > 0 && bytes < 1e18) found[n++] = (uint64_t)bytes;
    }
    if (n < 2) found[0] = found[1] = 0;
}

static void explain_memory(const char *device, fl_aot_report *r, char *text)
{
    const char *what =
        r->failure == FL_AOT_VMEM ? "VMEM, the memory on the chip" : "HBM, the device's memory";
    char needed[40], available[40], short_of[40];
    uint64_t n = r->needed_bytes, a = r->available_bytes;
    if (n > a && a)
        snprintf(text, FL_AOT_MESSAGE, "out of %s: the program needs %s, a %s has %s: %s too much", what,
                 fl_size_text(n, needed, sizeof needed), device, fl_size_text(a, available, sizeof available),
                 fl_size_text(n - a, short_of, sizeof short_of));
    else
        snprintf(text, FL_AOT_MESSAGE, "out of %s on a %s", what, device);
}

/* What the memory was for, where the compiler says so: tag = 'input window allocation for operator input 0. ...'. */
static void explain_purpose(const char *message, char *text)
{
    const char *tag = strstr(message, "tag = '");
    size_t n = tag ? strcspn(tag + 7, ".'") : 0, length = strlen(text);
    if (n) snprintf(text + length, FL_AOT_MESSAGE - length, " (%.*s)", (int)(n < 200 ? n : 200), tag + 7);
}

/* The name in "custom call nope", "Custom emitter for nope not found", "untyped custom call to nope for Host". */
static int custom_call_name(const char *message, char *out, size_t room)
{
    static const char *const before[] = {"Custom emitter for ", "custom call to ", "Custom call target ",
                                         "custom call "};
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const char *p = strstr(message, before[i]);
        if (!p) continue;
        p += strlen(before[i]);
        while (*p == '"' || *p == '\'' || *p == '@') p++;
        size_t n = strcspn(p, " \"',;:\n");
        if (!n) continue;
        snprintf(out, room, "%.*s", (int)(n < 100 ? n : 100), p);
        return 1;
    }
    return 0;
}

void fl_aot_explain(fl_code code, const char *message, const char *device, fl_aot_report *r, char *text)
{
    char name[128];
    uint64_t amounts[2] = {0};
    if (code == FL_OOM) {
        find_amounts(message, amounts);
        r->failure = has(message, "vmem") ? FL_AOT_VMEM : FL_AOT_HBM;
        r->needed_bytes = amounts[0];
        r->available_bytes = amounts[1] ? amounts[1] : r->failure == FL_AOT_HBM ? r->memory_bytes : 0;
        explain_memory(device, r, text);
        explain_purpose(message, text);
    } else if (custom_call_name(message, name, sizeof name)) {
        r->failure = FL_AOT_CUSTOM_CALL;
        snprintf(text, FL_AOT_MESSAGE, "the compiler does not know the custom call \"%s\"", name);
    } else {
        r->failure = code == FL_UNSUPPORTED ? FL_AOT_UNSUPPORTED : FL_AOT_REFUSED;
        snprintf(text, FL_AOT_MESSAGE, "the compiler %s: %.1000s",
                 code == FL_UNSUPPORTED ? "does not support something in the program" : "refuses the program",
                 message);
    }
}
