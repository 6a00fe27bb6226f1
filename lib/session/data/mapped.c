/* SPDX-License-Identifier: MIT */
/*
 * Where the bytes of a mapped file are to be had: by its name, by its name below the root of its
 * process, or through the map itself; it is the right one if its device and inode are those of the
 * map. Two file systems tell other devices of a map than of a file (btrfs, overlayfs): then the
 * inode has to do.
 *
 * Source: proc(5), /proc/PID/root, /proc/PID/map_files, /sys/module.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "build-id.h"
#include "build-ids-impl.h"

static const char deleted[] = " (deleted)";

static bool is_deleted(const struct mapped *mapped)
{
	size_t len = strlen(deleted);

	return mapped->name_len > len && !strcmp(mapped->name + mapped->name_len - len, deleted);
}

/* How surely an open file is the mapped one. */
enum likeness { NOT_IT, SAME_INODE, VERY_FILE };

static enum likeness compare(int fd, const struct mapped *mapped)
{
	struct stat st;

	if (!mapped->inode)
		return VERY_FILE; /* nothing is known against it */
	if (fstat(fd, &st) || st.st_ino != mapped->inode)
		return NOT_IT;
	return major(st.st_dev) == mapped->major && minor(st.st_dev) == mapped->minor ? VERY_FILE
										      : SAME_INODE;
}

/* The places to look at, in their order. Return false: it cannot be there. */
static bool by_name(char *path, const char *root, const struct mapped *mapped)
{
	return !is_deleted(mapped) &&
	       snprintf(path, PATH_MAX, "%s%s", root, mapped->name) < PATH_MAX;
}

static bool by_root(char *path, const char *root, const struct mapped *mapped)
{
	return !is_deleted(mapped) && snprintf(path, PATH_MAX, "%s/proc/%d/root%s", root,
					       mapped->pid, mapped->name) < PATH_MAX;
}

static bool by_map(char *path, const char *root, const struct mapped *mapped)
{
	return snprintf(path, PATH_MAX, "%s/proc/%d/map_files/%llx-%llx", root, mapped->pid,
			(unsigned long long)mapped->start,
			(unsigned long long)mapped->end) < PATH_MAX;
}

static bool (*const places[])(char *path, const char *root, const struct mapped *mapped) = {
	by_name,
	by_root,
	by_map,
};

int xp_mapped_open(const char *root, const struct mapped *mapped, char *ret_path)
{
	char path[PATH_MAX];
	int found = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int fd = places[i](path, root, mapped) ? xp_build_id_open(path) : -ENOENT;
		enum likeness likeness = fd < 0 ? NOT_IT : compare(fd, mapped);

		if (likeness == VERY_FILE || (likeness == SAME_INODE && found < 0)) {
			if (found >= 0)
				close(found);
			found = fd;
			strcpy(ret_path, path);
		} else if (fd >= 0) {
			close(fd);
		}
		if (likeness == VERY_FILE)
			break;
	}
	return found;
}

/* A file of notes. Returns 0 or why not. */
static int read_notes(const char *path, struct xp_build_id *ret_id)
{
	char notes[8192];
	size_t len = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	while (len < sizeof(notes) && (n = read(fd, notes + len, sizeof(notes) - len)) > 0)
		len += (size_t)n;
	close(fd);
	return xp_build_id_of_notes(notes, len, &xp_notes_native, ret_id) ? 0 : -ENODATA;
}

/* The name of a module, from "[name]" or the path of its file. */
static bool module_name(const struct mapped *mapped, char *name, size_t size)
{
	const char *slash = strrchr(mapped->name, '/');
	const char *base = *mapped->name == '[' ? mapped->name + 1 : slash ? slash + 1 : "";
	const char *end = *mapped->name == '[' ? strchr(base, ']') : strstr(base, ".ko");

	if (!end || end == base || (size_t)(end - base) >= size ||
	    memchr(base, '/', (size_t)(end - base)))
		return false;
	for (; base < end; base++)
		*name++ = *base == '-' ? '_' : *base;
	*name = '\0';
	return true;
}

static int file_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	char path[PATH_MAX];
	int fd = xp_mapped_open(root, mapped, path);
	int err = fd < 0 ? fd : xp_build_id_of_fd(fd, ret_id);

	if (fd >= 0)
		close(fd);
	return err;
}

static int vdso_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	size_t len;
	const void *image = xp_vdso_image(&len);

	(void)root, (void)mapped;
	return image ? xp_build_id_of_image(image, len, ret_id) : -ENODATA;
}

static int kernel_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	char path[PATH_MAX];

	(void)mapped;
	snprintf(path, sizeof(path), "%s/sys/kernel/notes", root);
	return read_notes(path, ret_id);
}

static int module_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	char path[PATH_MAX], name[64];

	if (!module_name(mapped, name, sizeof(name)))
		return -ENODATA;
	snprintf(path, sizeof(path), "%s/sys/module/%s/notes/.note.gnu.build-id", root, name);
	return read_notes(path, ret_id);
}

int xp_mapped_build_id(const char *root, const struct mapped *mapped, struct xp_build_id *ret_id)
{
	static int (*const kinds[])(const char *root, const struct mapped *mapped,
				    struct xp_build_id *ret_id) = {
		[MAPPED_FILE] = file_id,
		[MAPPED_VDSO] = vdso_id,
		[MAPPED_KERNEL] = kernel_id,
		[MAPPED_MODULE] = module_id,
	};

	return kinds[mapped->kind](root, mapped, ret_id);
}
