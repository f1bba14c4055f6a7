#include "ir/read.h"
#include "ir/bytecode/bytecode.h"
#include "ir/text/parse.h"

fl_status fl_program_read(const void *data, size_t size, fl_program **out)
{
    *out = NULL;
    if (fl_is_bytecode(data, size)) return fl_read_bytecode(data, size, out);
    return fl_parse_text(data, size, out);
}

fl_status fl_program_serialize(const fl_program *program, const char *version, fl_text *out)
{
    fl_vhlo_version target = fl_stablehlo_version();
    if (version) FL_TRY(fl_vhlo_version_parse(version, &target));
    FL_TRY(fl_write_bytecode(program, target, out));
    FL_CHECK(!out->failed, FL_OOM, "out of host memory");
    return NULL;
}

const char *fl_newest_version(void)
{
    return "1.20.0";
}
