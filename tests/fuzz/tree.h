/* SPDX-License-Identifier: MIT */
/*
 * The files of some machines, read once and then served from memory, so that a fuzz target spends
 * its time in the parser. Paths outside are not there.
 */
#ifndef TESTS_FUZZ_TREE_H
#define TESTS_FUZZ_TREE_H

#include <assert.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/sys.h>

struct tree_file {
	char *path;
	char *text; /* NULL: a directory */
	size_t len;
};

enum { TREE_OPEN_MAX = 8, TREE_FIRST_FD = 1000 };

static struct {
	struct tree_file *files; /* by path */
	size_t nr;
	struct {
		const struct tree_file *file; /* NULL: free */
		size_t offset;
	} open[TREE_OPEN_MAX];
} tree;

static int tree_add(const char *path, const struct stat *stat, int type, struct FTW *ftw)
{
	char text[4096];
	struct tree_file *file;

	(void)stat, (void)ftw;
	tree.files = realloc(tree.files, (tree.nr + 1) * sizeof(*tree.files));
	assert(tree.files);
	file = &tree.files[tree.nr++];
	*file = (struct tree_file){ .path = strdup(path) };
	if (type != FTW_F)
		return 0;
	FILE *in = fopen(path, "r");
	assert(in);
	file->len = fread(text, 1, sizeof(text), in);
	fclose(in);
	file->text = malloc(file->len + 1);
	memcpy(file->text, text, file->len);
	return 0;
}

static int tree_compare(const void *a, const void *b)
{
	return strcmp(((const struct tree_file *)a)->path, ((const struct tree_file *)b)->path);
}

static const struct tree_file *tree_find(const char *path)
{
	struct tree_file key = { .path = (char *)(uintptr_t)path };

	return bsearch(&key, tree.files, tree.nr, sizeof(key), tree_compare);
}

static int tree_open(const struct xp_sys *sys, const char *path)
{
	const struct tree_file *file = tree_find(path);

	(void)sys;
	if (!file)
		return -ENOENT;
	for (int i = 0; i < TREE_OPEN_MAX; i++)
		if (!tree.open[i].file) {
			tree.open[i].file = file;
			tree.open[i].offset = 0;
			return TREE_FIRST_FD + i;
		}
	abort(); /* descriptors leak */
}

static ssize_t tree_read(const struct xp_sys *sys, int fd, void *buf, size_t len)
{
	const struct tree_file *file = tree.open[fd - TREE_FIRST_FD].file;
	size_t *offset = &tree.open[fd - TREE_FIRST_FD].offset;

	(void)sys;
	if (!file->text)
		return -EISDIR;
	if (len > file->len - *offset)
		len = file->len - *offset;
	memcpy(buf, file->text + *offset, len);
	*offset += len;
	return (ssize_t)len;
}

static int tree_close(const struct xp_sys *sys, int fd)
{
	(void)sys;
	assert(tree.open[fd - TREE_FIRST_FD].file);
	tree.open[fd - TREE_FIRST_FD].file = NULL;
	return 0;
}

static int tree_list(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data)
{
	const struct tree_file *dir = tree_find(path);
	size_t len = strlen(path);
	int err = 0;

	(void)sys;
	if (!dir || dir->text)
		return dir ? -ENOTDIR : -ENOENT;
	for (const struct tree_file *f = dir + 1; !err && f < tree.files + tree.nr; f++) {
		if (strncmp(f->path, path, len))
			break;
		if (f->path[len] == '/' && !strchr(f->path + len + 1, '/'))
			err = fn(f->path + len + 1, data);
	}
	return err;
}

/* The kernel table of a target; reads the trees at the first call. */
static const struct xp_sys *tree_sys(const char *const *roots, size_t nr)
{
	static struct xp_sys sys;

	if (sys.open)
		return &sys;
	for (size_t i = 0; i < nr; i++)
		assert(!nftw(roots[i], tree_add, 16, FTW_PHYS));
	qsort(tree.files, tree.nr, sizeof(*tree.files), tree_compare);
	sys = *xp_sys_linux();
	sys.open = tree_open;
	sys.read = tree_read;
	sys.close = tree_close;
	sys.list_dir = tree_list;
	return &sys;
}

#endif
