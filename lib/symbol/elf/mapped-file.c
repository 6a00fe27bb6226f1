/* SPDX-License-Identifier: MIT */
/*
 * A file can be replaced at its name while a process goes on with the old one. It is the right one
 * if it has the inode of the map, and its generation, as file systems use numbers again. Two file
 * systems show other devices for a map than of a file (btrfs, overlayfs): then the inode has to do.
 *
 * Source: proc(5), /proc/PID/root, /proc/PID/exe, /proc/PID/map_files; ioctl_iflags(2); of devices:
 * records of a program on overlayfs, Linux 6.18, whose inodes were those of stat(2).
 */
#include "mapped-file.h"

#include <errno.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "build-id.h"

size_t xp_mapped_name_len(const char *name)
{
	static const char gone[] = " (deleted)";
	size_t len = strlen(name), gone_len = sizeof(gone) - 1;

	return len > gone_len && !strcmp(name + len - gone_len, gone) ? len - gone_len : len;
}

static bool is_deleted(const struct mapped_file *mapped)
{
	return mapped->name[xp_mapped_name_len(mapped->name)];
}

/* Returns 0: the file system does not say. It is an int, whatever its number says. */
static uint32_t generation_of(int fd)
{
	uint32_t generation[2] = { 0 };

	return ioctl(fd, FS_IOC_GETVERSION, generation) ? 0 : generation[0];
}

enum likeness xp_mapped_file_compare(int fd, const struct mapped_file *mapped)
{
	struct stat st;

	if (mapped->id.len)
		return xp_build_id_is_of_fd(&mapped->id, fd) ? VERY_FILE : NOT_IT;
	if (!mapped->inode)
		return VERY_FILE;
	if (fstat(fd, &st) || st.st_ino != mapped->inode)
		return NOT_IT;
	uint32_t generation = mapped->inode_generation ? generation_of(fd) : 0;
	if (generation && generation != (uint32_t)mapped->inode_generation)
		return NOT_IT;
	return major(st.st_dev) == mapped->major && minor(st.st_dev) == mapped->minor ? VERY_FILE
										      : SAME_INODE;
}

/* The places to look at, in their order. Return false: it cannot be there. */
static bool by_root(char *path, const char *root, const struct mapped_file *mapped)
{
	return !is_deleted(mapped) && snprintf(path, PATH_MAX, "%s/proc/%d/root%s", root,
					       mapped->pid, mapped->name) < PATH_MAX;
}

static bool by_name(char *path, const char *root, const struct mapped_file *mapped)
{
	return !is_deleted(mapped) &&
	       snprintf(path, PATH_MAX, "%s%s", root, mapped->name) < PATH_MAX;
}

/* It can be open although it is in no directory (any more). Without an inode its name decides. */
static bool by_program(char *path, const char *root, const struct mapped_file *mapped)
{
	char target[PATH_MAX];

	if (snprintf(path, PATH_MAX, "%s/proc/%d/exe", root, mapped->pid) >= PATH_MAX)
		return false;
	if (mapped->inode || mapped->id.len)
		return true;
	ssize_t len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return false;
	target[len] = '\0';
	size_t its = xp_mapped_name_len(target);
	return its == xp_mapped_name_len(mapped->name) && !strncmp(target, mapped->name, its);
}

static bool by_map(char *path, const char *root, const struct mapped_file *mapped)
{
	return snprintf(path, PATH_MAX, "%s/proc/%d/map_files/%llx-%llx", root, mapped->pid,
			(unsigned long long)mapped->start,
			(unsigned long long)mapped->end) < PATH_MAX;
}

/* @has_name: what is there is called as the mapped file was */
static const struct {
	bool (*find)(char *path, const char *root, const struct mapped_file *mapped);
	bool has_name;
} places[] = {
	{ by_root, true },
	{ by_name, true },
	{ by_program, false },
	{ by_map, false },
};

/* What is said of two places: that there is another file, then that it may not be read. */
static int worse(int a, int b)
{
	static const int order[] = { -ESTALE, -EACCES, -EPERM };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return a;
}

int xp_mapped_file_open(const char *root, const struct mapped_file *mapped, char *ret_path)
{
	char path[PATH_MAX];
	int found = -ENOENT;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int fd = places[i].find(path, root, mapped) ? xp_build_id_open(path) : -ENOENT;
		enum likeness likeness = fd < 0 ? NOT_IT : xp_mapped_file_compare(fd, mapped);

		if (likeness == VERY_FILE || (likeness == SAME_INODE && found < 0)) {
			if (found >= 0)
				close(found);
			found = fd;
			strcpy(ret_path, path);
		} else {
			if (fd >= 0)
				close(fd);
			if (found < 0)
				found = worse(found, fd < 0               ? fd
						     : places[i].has_name ? -ESTALE
									  : -ENOENT);
		}
		if (likeness == VERY_FILE)
			break;
	}
	return found;
}
