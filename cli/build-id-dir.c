/* SPDX-License-Identifier: MIT */
/* Where files are kept by build id. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "defaults.h"

char *cli_build_id_dir(void)
{
	const char *given = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	const char *below;
	char *dir = NULL;

	if (!given || !*given)
		given = defaults_value("buildid.dir");
	if (!home)
		home = "";
	/* perf-config(1) writes "~/.debug". */
	below = !given || !*given ? "/.debug" : !strncmp(given, "~/", 2) ? given + 1 : NULL;
	if (asprintf(&dir, "%s%s", below ? home : "", below ? below : given) < 0)
		return NULL;
	return dir;
}
