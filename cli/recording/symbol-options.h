/* SPDX-License-Identifier: MIT */
/* The options of all commands that look up functions: where they are searched, how they are shown.
 */
#ifndef RECORDING_SYMBOL_OPTIONS_H
#define RECORDING_SYMBOL_OPTIONS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "options.h"
#include "servers.h"

/* Paths: NULL: not given. */
struct symbol_opts {
	const char *symfs, *vmlinux, *kallsyms;
	bool symfs_flat;
	bool no_vmlinux;
	bool no_demangle, demangle_kernel, demangle_full;
	bool debuginfod;
	char symfs_dir[PATH_MAX]; /* where symfs is, without what is after a comma */
};

/* Parses "DIRECTORY[,flat|,hierarchy]" (see option_fn); @offset is that of a struct symbol_opts. */
int symfs_parse(const struct option *option, const char *arg, bool negated, void *values);

#define SYMBOL_OPTION_AT(at, field) .offset = (at) + offsetof(struct symbol_opts, field)

/* Rows of a command's table. @at: where the struct symbol_opts is in the values. */
#define SYMBOL_OPTIONS(at)                                                                         \
	{ 0,                                                                                       \
	  "symfs",                                                                                 \
	  OPTION_CALL,                                                                             \
	  .offset = (at),                                                                          \
	  .call = symfs_parse,                                                                     \
	  .value = "directory[,flat]",                                                             \
	  .help = "search files below this directory; flat: in it" },                              \
		{ 'k',                                                                             \
		  "vmlinux",                                                                       \
		  OPTION_STRING,                                                                   \
		  SYMBOL_OPTION_AT(at, vmlinux),                                                   \
		  .value = "file",                                                                 \
		  .help = "read the kernel's symbols from this file" },                            \
		{ 0, "ignore-vmlinux", OPTION_FLAG, SYMBOL_OPTION_AT(at, no_vmlinux),              \
		  .help = "do not use the kernel's file, only the list of symbols" },              \
		{ 0,                                                                               \
		  "kallsyms",                                                                      \
		  OPTION_STRING,                                                                   \
		  SYMBOL_OPTION_AT(at, kallsyms),                                                  \
		  .value = "file",                                                                 \
		  .help = "read the kernel's symbols from this copy of /proc/kallsyms" },          \
		SERVERS_OPTION((at) + offsetof(struct symbol_opts, debuginfod)),                   \
		{ 0, "no-demangle", OPTION_FLAG, SYMBOL_OPTION_AT(at, no_demangle),                \
		  .help = "print names of functions as they are in the files" },                   \
	{                                                                                          \
		0, "demangle-kernel", OPTION_FLAG, SYMBOL_OPTION_AT(at, demangle_kernel),          \
			.help = "demangle names of the kernel, too"                                \
	}

#endif
