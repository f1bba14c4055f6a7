/* The file common_programs.mlir, which is part of fl. */
#include "cmd_cache.h"

__asm__(".section .rodata\n"
        ".local fl_common_begin, fl_common_end\n"
        "fl_common_begin: .incbin \"" FL_COMMON_PROGRAMS "\"\n"
        "fl_common_end: .byte 0\n"
        ".text\n");
extern const char fl_common_begin[], fl_common_end[];

const char *fl_common_programs(void)
{
    return fl_common_begin;
}

size_t fl_common_programs_size(void)
{
    return (size_t)(fl_common_end - fl_common_begin);
}
