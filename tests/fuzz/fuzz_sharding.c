/* Shardings: whatever a program says of them is read for some number of partitions or refused, and the program of each partition
 * verifies. */
#include "fuzz.h"

#include "ir/read.h"
#include "opt/opt.h"
#include "opt/sharding.h"

#include <string.h>

const int fl_fuzz_is_text = 1;

int fl_fuzz_seed(fl_text *file)
{
    return file->data && strstr(file->data, "sharding") != NULL;
}

static void partition(const fl_program *p, int64_t count)
{
    fl_shardings *shardings = NULL;
    fl_program *each = NULL;
    fl_status status = fl_sharding_import(p, count, &shardings);
    if (!status) status = fl_program_partition(p, shardings, &each);
    if (each) {
        fl_status wrong = fl_program_verify(each);
        if (wrong) fl_fuzz_fail("the program of a partition does not verify", fl_status_message(wrong));
        fl_program_destroy(each);
    }
    fl_status_free(status);
    fl_shardings_free(shardings);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_program *p, *refined = NULL;
    fl_status status = fl_program_read(data, size, &p);
    if (status) {
        fl_status_free(status);
        return 0;
    }
    status = fl_program_refine(p, NULL, p->main->arg_count, &refined);
    if (!status) {
        partition(refined, 8);
        partition(refined, 6);
        fl_status_free(fl_program_unshard(refined));
        fl_program_destroy(refined);
    }
    fl_status_free(status);
    fl_program_destroy(p);
    return 0;
}
