/* The public headers, which are part of fl: what it compiles includes them, whether they are installed or not. */
#include "fl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

__asm__(".section .rodata\n"
        ".local fl_header_begin, fl_header_end, fl_status_header_begin, fl_status_header_end\n"
        "fl_header_begin: .incbin \"" FL_PUBLIC_HEADER "\"\n"
        "fl_header_end: .byte 0\n"
        "fl_status_header_begin: .incbin \"" FL_STATUS_HEADER "\"\n"
        "fl_status_header_end: .byte 0\n"
        ".text\n");
extern const char fl_header_begin[], fl_header_end[], fl_status_header_begin[], fl_status_header_end[];

fl_status fl_write_headers(const char *folder)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/flambeau", folder);
    if (mkdir(path, 0777) && errno != EEXIST) return fl_error(FL_INVALID, "%s: %s", path, strerror(errno));
    snprintf(path, sizeof path, "%s/flambeau/status.h", folder);
    FL_TRY(
        fl_write_file(path, fl_status_header_begin, (size_t)(fl_status_header_end - fl_status_header_begin)));
    snprintf(path, sizeof path, "%s/flambeau.h", folder);
    return fl_write_file(path, fl_header_begin, (size_t)(fl_header_end - fl_header_begin));
}
