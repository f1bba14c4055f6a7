/* Recording what a process compiles: a file of StableHLO programs, from which `fl cache warm` compiles them again: on another
 * host, after the plugin was replaced, for another kind of device. */
#ifndef FL_PJRT_CLIENT_TRACE_H
#define FL_PJRT_CLIENT_TRACE_H

#include "device/device.h"

/* From now on each program is appended to the file, once; NULL: none is. Without a call it is as TORCH_TPU_COMPILATION_TRACE
 * says. FL_INVALID when the file cannot be written to. */
fl_status fl_pjrt_trace_to(const char *path);

/* A program of a trace begins with this and its name. */
#define FL_PJRT_TRACE_MARK "// compiled for "

/* Appends the program, if it is new: the mark, its text, and the line that separates programs in a file. Several processes may
 * append to one file. */
void fl_pjrt_trace_add(const char *name, const fl_program *program);

/* Compiles a program of a trace as it is, for the cache's sake: the views of its arguments are part of it already. `device` is
 * one of a plugin. */
fl_status fl_pjrt_trace_compile(fl_device *device, const char *name, const fl_program *program);

#endif
