#include "base/switches.h"

#include <stdlib.h>
#include <string.h>

int fl_is_listed(const char *variable, const char *word)
{
    const char *list = getenv(variable);
    const size_t n = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)); at += n)
        if ((at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ',')) return 1;
    return 0;
}
