/* Artifacts: what is read is valid, and is written as an artifact, and as text, that read back to the same program. */
#include "fuzz.h"

#include "ir/bytecode/bytecode.h"
#include "ir/read.h"

const int fl_fuzz_is_text = 0;

/* Text becomes an artifact; a file of several programs gives the first. */
int fl_fuzz_seed(fl_text *file)
{
    fl_program *program;
    fl_text bytes = {0};
    if (fl_is_bytecode(file->data, file->length)) return 1;
    fl_status status = fl_program_read(file->data, file->length, &program);
    if (!status) {
        status = fl_program_serialize(program, NULL, &bytes);
        fl_program_destroy(program);
    }
    int good = !status && !bytes.failed;
    fl_status_free(status);
    fl_text_free(file);
    *file = bytes;
    return good;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_program *program;
    fl_text bytes = {0}, text = {0};
    fl_status status = fl_read_bytecode(data, size, &program);
    if (status) {
        fl_status_free(status);
        return 0;
    }
    status = fl_program_verify(program);
    if (status) fl_fuzz_fail("a program that was read does not verify", fl_status_message(status));
    status = fl_program_serialize(program, NULL, &bytes);
    if (!status)
        fl_fuzz_must_read_back(program, &bytes, "the artifact");
    else if (fl_status_code(status) != FL_UNSUPPORTED && fl_status_code(status) != FL_OOM)
        fl_fuzz_fail("a program that was read is not written", fl_status_message(status));
    fl_status_free(status);
    fl_text_free(&bytes);
    fl_program_print(program, &text);
    fl_fuzz_must_read_back(program, &text, "the printed text");
    fl_text_free(&text);
    fl_program_destroy(program);
    return 0;
}
