/* SPDX-License-Identifier: MIT */
/* The directory of files by build id: see cache.h. */
#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "result.h"

enum { COPY_BYTES = 1 << 16 };

static bool is_hex(const char *text)
{
	return strspn(text, "0123456789abcdef") == strlen(text);
}

/* True if a path has no part that leads to where it does not say. */
static bool is_plain(const char *path)
{
	for (const char *at = path; *at; at += strcspn(at, "/"), at += *at == '/')
		if (*at == '.' &&
		    (strcspn(at, "/") == 1 || !strncmp(at, "../", 3) || !strcmp(at, "..")))
			return false;
	return *path;
}

/* --- looking --- */

int cache_find(const char *dir, const char *id, struct cache_entry *ret_entry)
{
	char link[CACHE_PATH], target[CACHE_PATH];

	if (strlen(id) < 3 || strlen(id) >= CACHE_ID_TEXT || !is_hex(id) ||
	    snprintf(link, sizeof(link), "%s/.build-id/%.2s/%s", dir, id, id + 2) >=
		    (int)sizeof(link))
		return 0;
	ssize_t len = readlink(link, target, sizeof(target) - 1);
	if (len < 7 || strncmp(target, "../../", 6) != 0)
		return 0;
	target[len] = '\0';
	const char *below = target + 6, *slash = strrchr(below, '/');
	if (!slash || slash == below || strcmp(slash + 1, id) != 0 || !is_plain(below))
		return 0;
	snprintf(ret_entry->id, sizeof(ret_entry->id), "%s", id);
	snprintf(ret_entry->name, sizeof(ret_entry->name), "%s%.*s", *below == '[' ? "" : "/",
		 (int)(slash - below), below);
	return snprintf(ret_entry->dir, sizeof(ret_entry->dir), "%s/%s", dir, below) <
	       (int)sizeof(ret_entry->dir);
}

static int is_of_id(const struct dirent *entry)
{
	return is_hex(entry->d_name);
}

/* The entries below one of the directories whose names are two digits. */
static int each_of(const char *dir, const char *digits,
		   int (*fn)(const struct cache_entry *entry, void *data), void *data)
{
	struct cache_entry *entry = calloc(1, sizeof(*entry));
	char path[CACHE_PATH], id[CACHE_ID_TEXT];
	struct dirent **names = NULL;
	int nr = 0, result = entry ? 0 : -ENOMEM;

	if (entry && snprintf(path, sizeof(path), "%s/.build-id/%s", dir, digits) < CACHE_PATH)
		nr = scandir(path, &names, is_of_id, alphasort);
	for (int i = 0; i < nr; i++) {
		if (snprintf(id, sizeof(id), "%s%s", digits, names[i]->d_name) < CACHE_ID_TEXT &&
		    !result && cache_find(dir, id, entry))
			result = fn(entry, data);
		free(names[i]);
	}
	free(names);
	free(entry);
	return result;
}

int cache_each(const char *dir, int (*fn)(const struct cache_entry *entry, void *data), void *data)
{
	char path[CACHE_PATH];
	struct dirent **names = NULL;
	int nr = 0, result = 0;

	if (snprintf(path, sizeof(path), "%s/.build-id", dir) < CACHE_PATH)
		nr = scandir(path, &names, is_of_id, alphasort);
	for (int i = 0; i < nr; i++) {
		if (!result && strlen(names[i]->d_name) == 2)
			result = each_of(dir, names[i]->d_name, fn, data);
		free(names[i]);
	}
	free(names);
	return result;
}

/* --- changing --- */

/* Makes the directories above a path, which is changed meanwhile. */
static int make_dirs_above(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int err = mkdir(path, 0700) ? errno : 0;
		*slash = '/';
		if (err && err != EEXIST)
			return -err;
	}
	return 0;
}

/* Whoever may write there could lead root to any place. */
static bool is_ours(const char *dir)
{
	struct stat st;

	return !stat(dir, &st) && st.st_uid == geteuid();
}

static int copy_file(const char *from, const char *to, struct xp_diag *diag)
{
	struct result result = { 0 };
	char buf[COPY_BYTES];
	size_t n;
	FILE *in = fopen(from, "re");

	if (!in)
		return xp_diag_set(diag, -errno, "%s cannot be read: %s", from, strerror(errno));
	int err = result_open(&result, to, NULL, false, diag);
	while (!err && (n = fread(buf, 1, sizeof(buf), in)) > 0)
		fwrite(buf, 1, n, result.file);
	if (!err && ferror(in))
		err = xp_diag_set(diag, -EIO, "%s cannot be read", from);
	if (result.file)
		err = result_close(&result, err, diag);
	fclose(in);
	return err;
}

int cache_add(const char *dir, const char *path, const char *id, struct xp_diag *diag)
{
	char to[CACHE_PATH], link_path[CACHE_PATH], target[CACHE_PATH];

	if (snprintf(to, sizeof(to), "%s/%s/%s/elf", dir, path + 1, id) >= CACHE_PATH ||
	    snprintf(link_path, sizeof(link_path), "%s/.build-id/%.2s/%s", dir, id, id + 2) >=
		    CACHE_PATH ||
	    snprintf(target, sizeof(target), "../../%s/%s", path + 1, id) >= CACHE_PATH)
		return xp_diag_set(diag, -ENAMETOOLONG, "The name of %s is too long", path);
	int err = make_dirs_above(to) ?: make_dirs_above(link_path);
	if (err)
		return xp_diag_set(diag, err, "The directory %s cannot be written: %s", dir,
				   strerror(-err));
	if (!is_ours(dir))
		return xp_diag_set(diag, -EPERM, "The directory %s belongs to another user", dir);
	if (link(path, to) && errno != EEXIST)
		err = copy_file(path, to, diag);
	if (!err && symlink(target, link_path) && errno != EEXIST)
		err = xp_diag_set(diag, -errno, "%s cannot be written: %s", link_path,
				  strerror(errno));
	return err;
}

/* Removes empty directories, from @path up to below @dir. */
static void remove_empty(const char *dir, char *path)
{
	size_t len = strlen(dir);

	while (strlen(path) > len + 1 && !rmdir(path)) {
		char *slash = strrchr(path, '/');

		if (!slash)
			break;
		*slash = '\0';
	}
}

const char *const cache_files[] = { "elf", "debug", "kallsyms", "vdso", "probes", "map", NULL };

int cache_remove(const char *dir, const struct cache_entry *entry, struct xp_diag *diag)
{
	char path[CACHE_PATH];
	int err = 0;

	for (const char *const *name = cache_files; *name; name++)
		if (snprintf(path, sizeof(path), "%s/%s", entry->dir, *name) < CACHE_PATH &&
		    unlink(path) && errno != ENOENT && errno != ENOTDIR && !err)
			err = errno;
	snprintf(path, sizeof(path), "%s", entry->dir);
	remove_empty(dir, path);
	if (snprintf(path, sizeof(path), "%s/.build-id/%.2s/%s", dir, entry->id, entry->id + 2) <
		    CACHE_PATH &&
	    unlink(path) && !err)
		err = errno;
	*strrchr(path, '/') = '\0';
	remove_empty(dir, path);
	return err ? xp_diag_set(diag, -err, "%s in %s cannot be removed: %s", entry->name, dir,
				 strerror(err))
		   : 0;
}
