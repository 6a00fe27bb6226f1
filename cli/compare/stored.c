/* SPDX-License-Identifier: MIT */
/* Files of stored runs: read whole, within bounds; jsonc.c makes runs of the text. */
#include "stored.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

static int read_text(const char *path, char *text, size_t *ret_len, struct xp_diag *diag)
{
	FILE *file = fopen(path, "re");
	int err = 0;

	if (!file)
		return xp_diag_set(diag, -errno, "%s cannot be opened: %s", path, strerror(errno));
	errno = 0;
	*ret_len = fread(text, 1, STORED_BYTES_MAX + 1, file);
	if (ferror(file))
		err = xp_diag_set(diag, errno ? -errno : -EIO, "%s cannot be read: %s", path,
				  strerror(errno));
	fclose(file);
	if (!err && *ret_len > STORED_BYTES_MAX)
		err = xp_diag_set(diag, -EFBIG, "%s is larger than %d MiB: that is no stored run",
				  path, STORED_BYTES_MAX >> 20);
	return err;
}

int stored_read(struct stored_runs *runs, const char *path, struct xp_diag *diag)
{
	char *text = malloc(STORED_BYTES_MAX + 1);
	struct xp_diag of_text = { 0 };
	size_t len = 0;

	*runs = (struct stored_runs){ 0 };
	if (!text)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	int err = read_text(path, text, &len, diag);
	if (!err) {
		err = stored_parse(runs, text, len, &of_text);
		if (err)
			xp_diag_set(diag, err, "%s cannot be compared with: %s", path,
				    of_text.what);
		if (err && of_text.hint[0])
			xp_diag_hint(diag, "%s", of_text.hint);
	}
	free(text);
	return err;
}

void stored_fini(struct stored_runs *runs)
{
	for (size_t i = 0; i < runs->nr; i++) {
		struct stored_run *run = &runs->at[i];

		for (size_t s = 0; s < run->nr_series; s++) {
			free(run->series[s].name);
			free(run->series[s].unit);
			free(run->series[s].values);
		}
		free(run->series);
		free(run->command);
		free(run->name);
	}
	free(runs->at);
	free(runs->host);
	*runs = (struct stored_runs){ 0 };
}

const double *stored_find(const struct stored_run *run, const char *name, const char *unit)
{
	for (size_t i = 0; i < run->nr_series; i++)
		if (!strcmp(run->series[i].name, name) && !strcmp(run->series[i].unit, unit))
			return run->series[i].values;
	return NULL;
}
