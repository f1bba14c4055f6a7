/* Removal of operations whose results nobody uses. */
#include "opt/opt.h"
#include "opt/optimize.h"

fl_status fl_pass_dce(fl_editor *e)
{
    return fl_program_prune(e->b.program);
}
