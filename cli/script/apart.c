/* SPDX-License-Identifier: MIT */
/* --per-event-dump: a file per event, beside the recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "escape.h"
#include "script.h"

/* How many events before this one have its name. */
static int nr_namesakes(const struct script *script, const struct view *view)
{
	int nr = 0;

	for (const struct view *before = script->views; before < view; before++)
		nr += !strcmp(before->plain_name, view->plain_name);
	return nr;
}

/* "perf.data.EVENT.dump", "perf.data.EVENT.2.dump" of the second event of a name: perf writes both
 * to one file, over each other. What separates directories stays out of it. */
static char *path_of(const char *path, const char *event, int number)
{
	char *name = NULL, ordinal[16] = "";

	if (number > 1)
		snprintf(ordinal, sizeof(ordinal), ".%d", number);
	path = strcmp(path, "-") ? path : "perf.data";
	if (asprintf(&name, "%s.%s%s.dump", path, event, ordinal) < 0)
		return NULL;
	for (char *at = name + strlen(path); *at; at++)
		if (*at == '/')
			*at = '_';
	return name;
}

static int open_view(const struct script *script, struct view *view, const char *path,
		     struct xp_diag *diag)
{
	view->path = path_of(path, view->plain_name, nr_namesakes(script, view) + 1);
	if (!view->path)
		return -ENOMEM;
	int fd = open(view->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
	if (fd < 0)
		return xp_diag_set(diag, -errno, "'%s' cannot be written: %s", view->path,
				   strerror(errno));
	int err = sink_init(&view->file, fd);
	if (err)
		close(fd);
	return err;
}

int apart_open(struct script *script, const char *path, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < script->nr_views && !err; i++)
		err = open_view(script, &script->views[i], path, diag);
	return err;
}

/* To standard output, as in perf: there the names of the files are. */
static void report(const struct view *view)
{
	printf("[ %s script: Wrote %.3f MB ", program_invocation_short_name,
	       (double)view->file.written / (1 << 20));
	escape_print(stdout, view->path);
	printf(" (%llu samples) ]\n", (unsigned long long)view->nr_samples);
}

int apart_close(struct script *script, struct xp_diag *diag)
{
	int err = 0;

	for (int i = 0; i < script->nr_views; i++) {
		struct view *view = &script->views[i];
		int its = view->file.buf ? sink_flush(&view->file) : 0;

		if (its)
			err = xp_diag_set(diag, its, "'%s' cannot be written: %s", view->path,
					  strerror(-its));
		else if (view->file.buf)
			report(view);
	}
	return err;
}

void apart_fini(struct script *script)
{
	for (int i = 0; i < script->nr_views; i++) {
		struct view *view = &script->views[i];

		if (view->file.buf)
			close(view->file.fd);
		sink_fini(&view->file);
		free(view->path);
	}
}
