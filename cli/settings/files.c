/* SPDX-License-Identifier: MIT */
/*
 * The files of settings: which there are, reading and writing them. Source: perf-config(1); perf
 * 6.1, measured: a file that PERF_CONFIG names need not exist.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "escape.h"
#include "result.h"
#include "settings.h"

/* A file that is larger is none of settings. */
enum { FILE_BYTES_MAX = 1 << 20 };

static const char system_path[] = "/etc/perfconfig";

/* The path of a place, to be freed; NULL without memory, or without a home. */
static char *path_of(enum settings_place place)
{
	const char *given = getenv("PERF_CONFIG"), *home = getenv("HOME");
	char *path = NULL;

	if (place == SETTINGS_SYSTEM)
		return strdup(system_path);
	if (place == SETTINGS_ANY && given && *given)
		return strdup(given);
	if (!home || !*home || asprintf(&path, "%s/.perfconfig", home) < 0)
		return NULL;
	return path;
}

/* Reads all of a file, to be freed. Returns 0, or a negative errno with @diag filled; -ENOENT
 * without. */
static int read_file(const char *path, FILE *file, char **ret_text, size_t *ret_len,
		     struct xp_diag *diag)
{
	char *text = malloc(FILE_BYTES_MAX + 1);
	size_t len = text ? fread(text, 1, FILE_BYTES_MAX + 1, file) : 0;

	if (text && !ferror(file) && len <= FILE_BYTES_MAX) {
		*ret_text = text;
		*ret_len = len;
		return 0;
	}
	int err = errno;
	free(text);
	if (!text)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	if (len > FILE_BYTES_MAX)
		return xp_diag_set(diag, -EFBIG, "%s is larger than 1 MB, and no file of settings",
				   path);
	return xp_diag_set(diag, -err, "%s cannot be read: %s", path, strerror(err));
}

static bool belongs_to_another(FILE *file)
{
	struct stat st;

	return fstat(fileno(file), &st) || (st.st_uid && st.st_uid != geteuid());
}

/* After a failure to open it. A folder that may not be searched has none of ours: `sudo -u` can
 * leave HOME as it was. */
static bool is_missing(const char *path)
{
	struct stat st;

	return errno == ENOENT || errno == ENOTDIR || (errno == EACCES && stat(path, &st));
}

/* Adds the settings of one file. */
static int load_file(struct settings *settings, const char *path, int is_users,
		     struct xp_diag *diag)
{
	FILE *file = fopen(path, "re");
	char *text;
	size_t len;

	if (!file && is_missing(path))
		return 0;
	if (!file)
		return xp_diag_set(diag, -errno, "%s cannot be read: %s", path, strerror(errno));
	if (is_users && belongs_to_another(file)) {
		fputs("Warning: ", stderr);
		escape_print(stderr, path);
		fputs(" belongs to another user and is ignored\n", stderr);
		fclose(file);
		return 0;
	}
	int err = read_file(path, file, &text, &len, diag);
	fclose(file);
	if (err)
		return err;
	err = settings_parse(settings, text, len, path, diag);
	free(text);
	return err;
}

int settings_load(struct settings *settings, enum settings_place place, struct xp_diag *diag)
{
	const char *given = getenv("PERF_CONFIG");
	bool is_given = place == SETTINGS_ANY && given && *given;
	int err = 0;

	if (place != SETTINGS_USER && !is_given)
		err = load_file(settings, system_path, false, diag);
	if (err || place == SETTINGS_SYSTEM)
		return err;
	char *path = path_of(place);
	if (path)
		err = load_file(settings, path, !is_given, diag);
	free(path);
	return err;
}

/* Replaces a file by itself with one setting changed. */
static int store_file(const char *path, const char *key, const char *value, struct xp_diag *diag)
{
	struct result result = { 0 };
	char *text = NULL, *changed = NULL;
	size_t len = 0, changed_len = 0;
	FILE *file = fopen(path, "re");
	int err = 0;

	if (file) {
		err = read_file(path, file, &text, &len, diag);
		fclose(file);
	} else if (errno != ENOENT) {
		err = xp_diag_set(diag, -errno, "%s cannot be read: %s", path, strerror(errno));
	}
	if (!err)
		err = settings_edit(text ? text : "", len, path, key, value, &changed, &changed_len,
				    diag);
	if (!err)
		err = result_open(&result, path, NULL, false, diag);
	if (!err) {
		fwrite(changed, 1, changed_len, result.file);
		err = result_close(&result, 0, diag);
	}
	free(text);
	free(changed);
	return err;
}

int settings_store(enum settings_place place, const char *key, const char *value,
		   struct xp_diag *diag)
{
	char *path = path_of(place);
	int err;

	if (!path)
		return xp_diag_set(diag, -ENOENT, "HOME is not set, so there is no ~/.perfconfig");
	if (!strcmp(path, "/dev/null"))
		err = xp_diag_set(diag, -EINVAL, "PERF_CONFIG is /dev/null: there are no settings");
	else
		err = store_file(path, key, value, diag);
	free(path);
	return err;
}
