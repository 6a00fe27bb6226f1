/* SPDX-License-Identifier: MIT */
/* "--symfs=DIRECTORY[,flat|,hierarchy]". */
#include "symbol-options.h"

#include <stdio.h>
#include <string.h>

int symfs_parse(const struct option *option, const char *arg, bool negated, void *values)
{
	struct symbol_opts *opts = (struct symbol_opts *)((char *)values + option->offset);
	const char *comma = negated ? NULL : strrchr(arg, ',');
	size_t len = negated ? 0 : comma ? (size_t)(comma - arg) : strlen(arg);

	opts->symfs = NULL;
	opts->symfs_flat = comma && !strcmp(comma, ",flat");
	if (negated)
		return 0;
	if (comma && !opts->symfs_flat && strcmp(comma, ",hierarchy") != 0)
		return option_error(option, "'%s' is neither flat nor hierarchy", comma + 1);
	if (len >= sizeof(opts->symfs_dir))
		return option_error(option, "'%s' is too long", arg);
	snprintf(opts->symfs_dir, sizeof(opts->symfs_dir), "%.*s", (int)len, arg);
	opts->symfs = opts->symfs_dir;
	return 0;
}
