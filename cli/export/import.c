/* SPDX-License-Identifier: MIT */
/* Call chains that another program has written, in the place of a recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "escape.h"
#include "export.h"

/* Source: perf.data-file-format.txt of perf: what recordings of either byte order begin with. */
static bool is_recording(FILE *file)
{
	char magic[8] = "";
	size_t len = fread(magic, 1, sizeof(magic), file);

	rewind(file);
	return len < sizeof(magic) || !memcmp(magic, "PERFILE2", 8) ||
	       !memcmp(magic, "2ELIFREP", 8) || !memcmp(magic, "PERFFILE", 8) ||
	       !memcmp(magic, "ELIFFREP", 8);
}

/* Returns whether the first line is one of folded stacks, which are then read to the end.
 * *ret_line: of the one that is none. */
static bool read_lines(FILE *file, struct xp_tree *tree, size_t *ret_line, int *ret_err)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	*ret_line = 0;
	*ret_err = 0;
	while (!*ret_err && (len = getline(&line, &room, file)) >= 0) {
		*ret_err = xp_tree_add_folded(tree, line, (size_t)len);
		++*ret_line;
	}
	free(line);
	return *ret_err != -EBADMSG || *ret_line > 1;
}

static int describe(struct xp_tree *tree, const char *path)
{
	const struct xp_tree_info info = { .size = sizeof(info), .title = path };

	return xp_tree_describe(tree, &info);
}

static bool import_folded(const char *path, struct xp_tree *tree, int *ret_err)
{
	struct stat st;
	FILE *file = path && !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	size_t line;

	*ret_err = 0;
	if (!file)
		return false;
	bool is_folded = !is_recording(file) && read_lines(file, tree, &line, ret_err);
	fclose(file);
	if (!is_folded)
		return false;
	if (!*ret_err)
		*ret_err = describe(tree, path);
	if (*ret_err == -EBADMSG)
		fprintf(stderr, "Error: '%s': line %zu has no call chain with a number\n",
			escaped(path), line);
	else if (*ret_err)
		fprintf(stderr, "Error: '%s': %s\n", escaped(path), strerror(-*ret_err));
	return true;
}

int tree_read(const struct cli *cli, const struct collect_opts *from, struct write_opts *what,
	      struct xp_tree *tree, bool *ret_failed)
{
	int err;

	if (!import_folded(from->read.input, tree, &err))
		return collect(cli, from, tree, ret_failed);
	memset(what->opts.by, 0, sizeof(what->opts.by));
	*ret_failed = err;
	return err ? EXIT_FAILED : 0;
}
