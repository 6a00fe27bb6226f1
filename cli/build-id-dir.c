/* SPDX-License-Identifier: MIT */
/* Where files are kept by build id. */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"

char *cli_build_id_dir(void)
{
	const char *given = getenv("PERF_BUILDID_DIR"), *home = getenv("HOME");
	char *dir = NULL;

	if (asprintf(&dir, "%s%s",
		     given && *given ? given
		     : home && *home ? home
				     : "",
		     given && *given ? "" : "/.debug") < 0)
		return NULL;
	return dir;
}
