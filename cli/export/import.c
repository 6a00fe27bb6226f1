/* SPDX-License-Identifier: MIT */
/* Call chains that another program has written, in the place of a recording. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <xperf/export.h>

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

/* A file that is no recording; NULL: it is one, or no file. */
static FILE *open_import(const char *path)
{
	struct stat st;
	FILE *file = !stat(path, &st) && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;

	if (file && is_recording(file)) {
		fclose(file);
		return NULL;
	}
	return file;
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

/* A profile of pprof, whose bytes are kept; gzip, or a first field that is one of kinds of values.
 */
static bool is_pprof(FILE *file)
{
	int first = fgetc(file), second = fgetc(file);

	rewind(file);
	return (first == 0x1f && second == 0x8b) || first == 0x0a;
}

static int read_pprof(FILE *file, struct xp_tree *tree)
{
	struct stat st;
	size_t size = fstat(fileno(file), &st) ? 0 : (size_t)st.st_size;
	void *bytes = malloc(size + 1);
	int err = !bytes ? -ENOMEM : fread(bytes, 1, size, file) != size ? -EIO : 0;

	if (!err)
		err = xp_tree_add_pprof(tree, bytes, size);
	free(bytes);
	return err;
}

static void report(const char *path, int err, size_t line)
{
	if (err == -EBADMSG && line)
		fprintf(stderr, "Error: '%s': line %zu has no call chain with a number\n",
			escaped(path), line);
	else if (err == -EBADMSG)
		fprintf(stderr, "Error: '%s' is no profile of pprof, or damaged\n", escaped(path));
	else if (err == -ENOSYS)
		fprintf(stderr, "Error: '%s' is compressed, and libz.so.1 cannot be loaded\n",
			escaped(path));
	else
		fprintf(stderr, "Error: '%s' cannot be read: %s\n", escaped(path), strerror(-err));
}

/* The option that asks for what call chains of other programs do not tell; NULL: none does. */
static const char *filter_of(const struct filter_opts *opts)
{
	const struct {
		const char *option, *value;
	} filters[] = {
		{ "comm", opts->comms },
		{ "pid", opts->pids },
		{ "tid", opts->tids },
		{ "cpu", opts->cpus },
		{ "dso", opts->dsos },
		{ "symbols", opts->symbols },
		{ "time", opts->time },
		{ "switch-on", opts->switch_on },
		{ "switch-off", opts->switch_off },
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++)
		if (filters[i].value)
			return filters[i].option;
	return NULL;
}

bool tree_is_imported(const char *path)
{
	struct xp_tree *tree = NULL;
	FILE *file = path ? open_import(path) : NULL;
	char line[4096];
	bool is_imported = file && is_pprof(file);

	if (file && !is_imported && !xp_tree_new(&tree))
		is_imported = fgets(line, sizeof(line), file) &&
			      !xp_tree_add_folded(tree, line, strlen(line));
	xp_tree_free(tree);
	if (file)
		fclose(file);
	return is_imported;
}

/* Returns false if a file is none that can be read here; else *ret_err is what failed, after a
 * message, or 0. */
static bool import_file(const char *path, struct xp_tree *tree, int *ret_err)
{
	FILE *file = path ? open_import(path) : NULL;
	bool is_imported = file;
	size_t line = 0;

	*ret_err = 0;
	if (file && is_pprof(file))
		*ret_err = read_pprof(file, tree);
	else if (file)
		is_imported = read_lines(file, tree, &line, ret_err);
	if (file)
		fclose(file);
	if (is_imported && !*ret_err)
		*ret_err = describe(tree, path);
	if (is_imported && *ret_err)
		report(path, *ret_err, line);
	return is_imported;
}

int tree_read(const struct cli *cli, const struct collect_opts *from, struct xp_tree *tree,
	      bool *ret_failed)
{
	int err;

	if (!import_file(from->read.input, tree, &err))
		return collect(cli, from, tree, ret_failed);
	const char *filter = filter_of(&from->read.filter);
	if (!err && filter) {
		fprintf(stderr,
			"Error: --%s: '%s' holds call chains without their samples, which cannot be "
			"chosen from\n",
			filter, escaped(from->read.input));
		err = -EINVAL;
	}
	*ret_failed = err;
	return err ? EXIT_FAILED : 0;
}
