/* SPDX-License-Identifier: MIT */
/*
 * The kernel's functions as /proc/kallsyms lists them: "ADDRESS TYPE NAME [MODULE]".
 * Source: proc(5), "/proc/kallsyms"; nm(1) for the types.
 */
#include "kernel-symbols.h"

#include <stdlib.h>
#include <string.h>

#include "cleanup.h"
#include "ctx.h"

static const char function_types[] = "tTwW";

static int walk_line(char *line, xp_kernel_symbol_fn fn, void *data)
{
	char *type = strchr(line, ' ');

	if (!type || !type[1] || !strchr(function_types, type[1]) || type[2] != ' ')
		return 0;
	char *name = type + 3;
	name[strcspn(name, " \t")] = '\0';
	return fn(name, strtoull(line, NULL, 16), data);
}

int xp_kernel_functions_walk(struct xp_ctx *ctx, xp_kernel_symbol_fn fn, void *data)
{
	xp_auto_free char *text = NULL;
	char *rest = NULL;
	int err = xp_file_read(ctx, &text, NULL, "/proc/kallsyms");

	if (err)
		return err;
	for (char *line = strtok_r(text, "\n", &rest); line && !err;
	     line = strtok_r(NULL, "\n", &rest))
		err = walk_line(line, fn, data);
	return err;
}
