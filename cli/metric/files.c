/* SPDX-License-Identifier: MIT */
/* Where files of metrics are. */
#include "metrics.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/metric.h>

#include "escape.h"

/* A file that is larger is none of metrics. */
enum { FILE_BYTES_MAX = (1 << 20) + 1 };

static void warn(const struct xp_diag *diag)
{
	fputs("Warning: ", stderr);
	escape_print(stderr, diag->what);
	fputs("; the file is left out\n", stderr);
}

static int read_file(struct xp_metric_defs *defs, const char *dir, const char *name)
{
	char *path = NULL, *text = malloc(FILE_BYTES_MAX);
	struct xp_diag diag = { 0 };
	FILE *file = NULL;
	int err = -ENOMEM;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		path = NULL;
	if (path && text)
		file = fopen(path, "re");
	if (file) {
		size_t len = fread(text, 1, FILE_BYTES_MAX, file);

		err = ferror(file) ? xp_diag_set(&diag, -EIO, "%s cannot be read", path)
				   : xp_metric_defs_parse(defs, text, len, path, &diag);
		fclose(file);
	} else if (path && text) {
		err = xp_diag_set(&diag, -errno, "%s cannot be read: %s", path, strerror(errno));
	}
	free(path);
	free(text);
	if (!err || err == -ENOMEM)
		return err;
	warn(&diag);
	return 0;
}

static int is_file_of_metrics(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return entry->d_name[0] != '.' && len > 4 && !strcmp(entry->d_name + len - 4, ".txt");
}

/* The files of a directory, in the order of their names. One that is not there has none. */
static int read_dir(struct xp_metric_defs *defs, const char *dir)
{
	struct dirent **entries = NULL;
	int nr = scandir(dir, &entries, is_file_of_metrics, alphasort);
	int err = 0;

	for (int i = 0; i < nr; i++) {
		err = err ? err : read_file(defs, dir, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return err;
}

/* Below the directory the program is in: beside bin, or, where it was built, beside the program. */
static int read_own(struct xp_metric_defs *defs)
{
	static const char *const places[] = { "../share/xperf/metrics", "share/xperf/metrics" };
	const char *given = getenv("XPERF_METRICS_DIR");
	char program[PATH_MAX], dir[PATH_MAX + 64];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	int err = 0;

	if (given && *given)
		return read_dir(defs, given);
	while (len > 0 && program[len - 1] != '/')
		len--;
	for (size_t i = 0; len > 0 && i < sizeof(places) / sizeof(places[0]) && !err; i++) {
		snprintf(dir, sizeof(dir), "%.*s%s", (int)len, program, places[i]);
		err = read_dir(defs, dir);
		if (xp_metric_defs_nr(defs))
			break;
	}
	return err;
}

/* Source: XDG Base Directory Specification. */
static int read_users(struct xp_metric_defs *defs)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	char dir[PATH_MAX];

	if (config && *config == '/')
		snprintf(dir, sizeof(dir), "%s/xperf/metrics", config);
	else if (home && *home)
		snprintf(dir, sizeof(dir), "%s/.config/xperf/metrics", home);
	else
		return 0;
	return read_dir(defs, dir);
}

int metrics_load(struct xp_metric_defs **ret_defs, struct xp_diag *diag)
{
	struct xp_metric_defs *defs;
	int err = xp_metric_defs_new(&defs);

	if (!err) {
		err = read_own(defs) ?: read_users(defs);
		if (err)
			xp_metric_defs_free(defs);
	}
	if (err)
		return xp_diag_set(diag, err, "Out of memory");
	*ret_defs = defs;
	return 0;
}
