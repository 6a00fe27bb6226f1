/* SPDX-License-Identifier: MIT */
/* Recordings beside one that does not exist. */
#include "nearby.h"

#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>

/* The last ones by name are shown, the others counted: --switch-output names files by the time. */
enum { SHOWN = 3 };

struct found {
	char names[SHOWN + 1][NAME_MAX + 1];
	int nr;
};

static void add(struct found *found, const char *name)
{
	int at = found->nr < SHOWN ? found->nr : SHOWN;

	for (; at > 0 && strverscmp(name, found->names[at - 1]) > 0; at--)
		strcpy(found->names[at], found->names[at - 1]);
	snprintf(found->names[at], sizeof(found->names[at]), "%s", name);
	found->nr++;
}

static void find(const char *dir, const char *prefix, size_t len, struct found *found)
{
	DIR *entries = opendir(dir);
	const struct dirent *entry;

	while (entries && (entry = readdir(entries)))
		if (!strncmp(entry->d_name, prefix, len))
			add(found, entry->d_name);
	if (entries)
		closedir(entries);
}

void nearby_hint(const char *path, struct xp_diag *diag)
{
	static const char old[] = ".old";
	char *dir = strdup(path), *file = strdup(path);
	struct found found = { .nr = 0 };
	size_t at = 0, len;

	if (dir && file) {
		const char *name = basename(file);

		len = strlen(name);
		if (len > strlen(old) && !strcmp(name + len - strlen(old), old))
			len -= strlen(old);
		find(dirname(dir), name, len, &found);
	}
	free(dir);
	free(file);
	if (!found.nr)
		return;
	char text[sizeof(found.names)];
	for (int i = 0; i < found.nr && i < SHOWN; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s", i ? ", " : "",
				       found.names[i]);
	if (found.nr > SHOWN)
		snprintf(text + at, sizeof(text) - at, " and %d more", found.nr - SHOWN);
	xp_diag_hint(diag, "These recordings exist: %s", text);
}
