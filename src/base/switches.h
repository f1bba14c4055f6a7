/* Environment variables that hold comma-separated lists of words: FL_DISABLE, FL_DUMP. */
#ifndef FL_BASE_SWITCHES_H
#define FL_BASE_SWITCHES_H

/* Whether `word` is one of the words of the environment variable. */
int fl_is_listed(const char *variable, const char *word);

static inline int fl_is_disabled(const char *word)
{
    return fl_is_listed("FL_DISABLE", word);
}

#endif
