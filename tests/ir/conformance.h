/* Finds and loads the conformance programs: FL_CONFORMANCE, else ../shared/conformance/stablehlo beside the source tree. */
#ifndef FL_TESTS_IR_CONFORMANCE_H
#define FL_TESTS_IR_CONFORMANCE_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct conformance_file {
    char path[1024]; /* of the folder, then '/' and the name */
    const char *name;
    char *data; /* NUL-terminated */
    size_t size;
} conformance_file;

/* The folder of this name; 0, with a line on stderr, when there is none. */
static inline int conformance_folder(const char *folder, char *out, size_t capacity)
{
    const char *root = getenv("FL_CONFORMANCE");
    if (root && *root) {
        snprintf(out, capacity, "%s/%s", root, folder);
    } else {
        const char *end = strstr(__FILE__, "tests/ir/");
        snprintf(out, capacity, "%.*s../shared/conformance/stablehlo/%s", end ? (int)(end - __FILE__) : 0,
                 __FILE__, folder);
    }
    DIR *dir = opendir(out);
    if (dir) return !closedir(dir);
    fprintf(stderr, "SKIPPED: no conformance programs at %s: set FL_CONFORMANCE\n", out);
    return 0;
}

static inline int conformance_load(const char *path, conformance_file *out)
{
    FILE *f = fopen(path, "rb");
    if (!f) return 0;
    snprintf(out->path, sizeof out->path, "%s", path);
    out->name = strrchr(out->path, '/') + 1;
    fseek(f, 0, SEEK_END);
    out->size = (size_t)ftell(f);
    rewind(f);
    out->data = malloc(out->size + 1);
    int ok = out->data && fread(out->data, 1, out->size, f) == out->size;
    if (ok) out->data[out->size] = 0;
    fclose(f);
    return ok;
}

/* Calls back for every file of the folder whose name ends with `suffix`; the number of them. */
static inline int conformance_each(const char *folder, const char *suffix,
                                   void (*test)(const conformance_file *))
{
    char path[700], file[1024];
    if (!conformance_folder(folder, path, sizeof path)) return 0;
    struct dirent **names;
    int count = scandir(path, &names, NULL, alphasort), found = 0;
    for (int i = 0; i < count; i++) {
        size_t length = strlen(names[i]->d_name), tail = strlen(suffix);
        conformance_file f;
        snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        int wanted = length > tail && !strcmp(names[i]->d_name + length - tail, suffix);
        free(names[i]);
        if (!wanted || !conformance_load(file, &f)) continue;
        test(&f);
        free(f.data);
        found++;
    }
    if (count >= 0) free(names);
    return found;
}

#endif
