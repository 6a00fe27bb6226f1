/* SPDX-License-Identifier: MIT */
/* A tree is written to where it was asked for. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "export.h"
#include "result.h"

static int put(const void *bytes, size_t len, void *file)
{
	return fwrite(bytes, 1, len, file) == len ? 0 : -EIO;
}

static int write_to(const struct write_opts *what, const struct xp_tree *tree, FILE *file,
		    struct xp_diag *diag)
{
	struct xp_export_opts opts = what->opts;

	opts.size = sizeof(opts);
	opts.write = put;
	opts.data = file;
	opts.title = what->title;
	return xp_export_tree(tree, what->format, &opts, diag);
}

/* What standard output failed with is reported where the program ends. */
static int write_stdout(const struct write_opts *what, const struct xp_tree *tree,
			struct xp_diag *diag)
{
	int err = write_to(what, tree, stdout, diag);

	return fflush(stdout) || ferror(stdout) ? -EIO : err;
}

static int write_file(const struct write_opts *what, const struct xp_tree *tree, const char *input,
		      struct xp_diag *diag)
{
	struct result result = { 0 };
	int err = result_open(&result, what->output, input, false, diag);

	return err ? err : result_close(&result, write_to(what, tree, result.file, diag), diag);
}

int tree_write(const struct write_opts *what, const struct xp_tree *tree, const char *input)
{
	bool is_stdout = !what->output || !strcmp(what->output, "-");
	struct xp_diag diag = { 0 };
	int err =
		is_stdout ? write_stdout(what, tree, &diag) : write_file(what, tree, input, &diag);

	if (!err || (is_stdout && ferror(stdout)))
		return err;
	if (!diag.err)
		xp_diag_set(&diag, err, "the %s format cannot be written: %s", what->format->name,
			    strerror(-err));
	cli_print_diag(&diag, NULL);
	return err;
}
