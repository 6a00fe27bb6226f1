/* SPDX-License-Identifier: MIT */
/* Opens the recording of a command, and tells at the end what was wrong with it. */
#include "input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* As many damages as a screen has room for beside the result. */
enum { DAMAGES_SHOWN = 5 };

static const char *default_path(void)
{
	struct stat st;

	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : "perf.data";
}

int input_open(const struct cli *cli, const char *path, bool force, struct input *input)
{
	*input = (struct input){ .path = path ? path : default_path() };
	const struct xp_data_opts opts = { .size = sizeof(opts),
					   .path = input->path,
					   .force = force };

	input->ctx = cli_ctx_new(cli, 0);
	if (!input->ctx)
		return -ECANCELED;
	return xp_data_open(input->ctx, &opts, &input->data, &input->diag);
}

static void tell_damage(const struct xp_data *data, bool verbose)
{
	uint64_t nr = xp_data_nr_damages(data), shown = 0;
	const char *text;

	while ((verbose || shown < DAMAGES_SHOWN) && (text = xp_data_damage(data, shown))) {
		fprintf(stderr, "Warning: damage %s\n", text);
		shown++;
	}
	if (nr > shown)
		fprintf(stderr, "Warning: %llu more places are damaged%s\n",
			(unsigned long long)(nr - shown), verbose ? "" : "; -v shows where");
}

static void tell_failure(struct input *input, int err)
{
	if (!err) {
		if (input->diag.err)
			fprintf(stderr, "Warning: %s\n", input->diag.what);
		return;
	}
	if (!input->diag.err)
		xp_diag_set(&input->diag, err, "'%s' cannot be read: %s", input->path,
			    strerror(-err));
	cli_print_diag(&input->diag, NULL);
}

int input_close(struct input *input, int err, bool verbose)
{
	bool is_damaged = input->data && xp_data_nr_damages(input->data);

	fflush(stdout);
	if (err == -EPIPE)
		err = 0;
	if (is_damaged)
		tell_damage(input->data, verbose);
	if (input->ctx)
		tell_failure(input, err);
	xp_data_close(input->data);
	cli_ctx_free(input->ctx);
	return err || is_damaged ? EXIT_FAILED : 0;
}
