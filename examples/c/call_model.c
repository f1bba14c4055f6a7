/* Calls an exported model, a shared library of its own (tests/python/test_c_artifact.py does all of this):
 *   python: torch_tpu.export.save(torch.export.export(bert, (ids, mask)), "bert.mlirbc")
 *   fl compile bert.mlirbc -o bert.so && cc call_model.c ./bert.so -o call_model && ./call_model 7 42 3 */
#include "bert.h"

#include <stdio.h>
#include <stdlib.h>

enum { LENGTH = 12, WIDTH = 32 }; /* as it was exported */

int main(int argc, char **argv)
{
    int64_t ids[LENGTH] = {0};
    uint8_t mask[LENGTH] = {0}; /* a bool is a byte */
    static float hidden[LENGTH * WIDTH], pooled[WIDTH];

    for (int i = 0; i < LENGTH && i + 1 < argc; i++) {
        ids[i] = atoi(argv[i + 1]);
        mask[i] = 1;
    }
    const char *error = bert(ids, mask, hidden, pooled);
    if (error) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    for (int i = 0; i < WIDTH; i++) printf("%.9g\n", pooled[i]);
    return 0;
}
