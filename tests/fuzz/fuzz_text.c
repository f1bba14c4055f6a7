/* Text: what is read is valid, and prints as text that reads back to the same program. */
#include "fuzz.h"

#include "ir/text/parse.h"

const int fl_fuzz_is_text = 1;

int fl_fuzz_seed(fl_text *file)
{
    return file->length < 4 || file->data[0] != 'M' || file->data[1] != 'L';
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fl_program *program;
    fl_text text = {0};
    fl_status status = fl_parse_text((const char *)data, size, &program);
    if (status) {
        fl_status_free(status);
        return 0;
    }
    status = fl_program_verify(program);
    if (status) fl_fuzz_fail("a program that was read does not verify", fl_status_message(status));
    fl_program_print(program, &text);
    fl_fuzz_must_read_back(program, &text, "the printed text");
    fl_text_free(&text);
    fl_program_destroy(program);
    return 0;
}
