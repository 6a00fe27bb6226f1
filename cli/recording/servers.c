/* SPDX-License-Identifier: MIT */
/* "--debuginfod[=URLS]": which servers, and how far it is with a file. */
#include "servers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <xperf/symtab.h>

#include "defaults.h"
#include "escape.h"

int servers_parse(const struct option *option, const char *arg, bool negated, void *values)
{
	bool *asked = (bool *)((char *)values + option->offset);

	*asked = !negated;
	if (negated)
		return 0;
	if (arg && setenv("DEBUGINFOD_URLS", arg, 1))
		return option_error(option, "not enough memory");
	const char *urls = getenv("DEBUGINFOD_URLS");
	if (!urls && (urls = defaults_value("buildid-cache.debuginfod")) &&
	    setenv("DEBUGINFOD_URLS", urls, 1))
		return option_error(option, "not enough memory");
	if (urls && *urls)
		return 0;
	return option_error(option, "no servers are given; use --debuginfod=URL, or set "
				    "DEBUGINFOD_URLS");
}

/* Says once what is waited for, where nobody sees it come. */
static void say_waiting(const char *name)
{
	enum { PATIENCE_S = 2 };
	static struct timespec begun;
	static bool was_said;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!begun.tv_sec)
		begun = now;
	if (was_said || now.tv_sec < begun.tv_sec + PATIENCE_S)
		return;
	was_said = true;
	fputs("Note: waiting for debug data of '", stderr);
	escape_print(stderr, name);
	fputs("' from ", stderr);
	escape_print(stderr, getenv("DEBUGINFOD_URLS"));
	fputs(", at most 30 s for a file\n", stderr);
}

static void show(void *data, const char *name, long done, long total)
{
	(void)data;
	if (total <= 0 || !isatty(STDERR_FILENO)) {
		say_waiting(name);
		return;
	}
	fputs("\r\033[K", stderr);
	if (done >= total)
		return;
	fputs("Getting debug data of ", stderr);
	escape_print(stderr, name);
	fprintf(stderr, ": %ld of %ld kB", done / 1024, total / 1024);
}

void servers_use(struct xp_symbols_opts *opts, bool asked)
{
	opts->debuginfod = asked;
	opts->debuginfod_progress = show;
}
