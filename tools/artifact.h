/* A program as C source: a function on plain arrays (fl compile). */
#ifndef FL_TOOLS_ARTIFACT_H
#define FL_TOOLS_ARTIFACT_H

#include "base/safetensors.h"
#include "fl.h"
#include "flambeau.h"

typedef struct fl_artifact {
    const char *name;   /* of the function; other functions begin with it and "_" */
    const char *source; /* the file that it is made of, for comments */
    const fl_module *module;
    const fl_safetensors *parameters; /* inputs of these names are parameters; NULL: none */
    int has_load;                     /* they are read from a file at run time, else part of the library */
} fl_artifact;

/* The header NAME.h, and the source. The source takes the program from the file `program_file`, and parameters from
 * `parameters_file`, when it is assembled. FL_UNSUPPORTED: inputs or outputs that C has no arrays for. */
fl_status fl_artifact_header(const fl_artifact *a, fl_text *out);
fl_status fl_artifact_source(const fl_artifact *a, const char *header, const char *program_file,
                             const char *parameters_file, fl_text *out);
/* A name that C lets users have, outside of fl_, which is for names of the source itself. */
int fl_is_identifier(const char *name);

#endif
