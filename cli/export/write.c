/* SPDX-License-Identifier: MIT */
/* Where a result goes: to a file, which is complete or as it was, or to standard output. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/export.h>

#include "export.h"

static int put(const void *bytes, size_t len, void *file)
{
	return fwrite(bytes, 1, len, file) == len ? 0 : -EIO;
}

static bool is_stdout(const struct write_opts *what)
{
	return !what->output || !strcmp(what->output, "-");
}

int writing_open(struct writing *writing, const struct write_opts *what, const char *input)
{
	int err = 0;

	*writing = (struct writing){ .what = what };
	if (!is_stdout(what))
		err = result_open(&writing->result, what->output, input ? input : "perf.data",
				  false, &writing->diag);
	writing->file = is_stdout(what) ? stdout : writing->result.file;
	writing->opts = what->opts;
	writing->opts.size = sizeof(writing->opts);
	writing->opts.write = put;
	writing->opts.data = writing->file;
	writing->opts.title = what->title;
	if (err)
		cli_print_diag(&writing->diag, NULL);
	return err;
}

int writing_close(struct writing *writing, int err)
{
	if (!is_stdout(writing->what)) {
		err = result_close(&writing->result, err, &writing->diag);
	} else if (fflush(stdout) || ferror(stdout)) {
		/* What that failed with is reported where the program ends. */
		return err ? err : -EIO;
	}
	if (!err || writing->is_reported)
		return err;
	if (!writing->diag.err)
		xp_diag_set(&writing->diag, err, "the %s format cannot be written: %s",
			    writing->what->format->name, strerror(-err));
	cli_print_diag(&writing->diag, NULL);
	return err;
}

int tree_write(const struct write_opts *what, const struct xp_tree *tree, const char *input)
{
	struct writing writing;
	int err = writing_open(&writing, what, input);

	if (err)
		return err;
	return writing_close(&writing,
			     xp_export_tree(tree, what->format, &writing.opts, &writing.diag));
}
