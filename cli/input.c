/* SPDX-License-Identifier: MIT */
/* Opens the recording of a command, and tells at the end what was wrong with it. */
#include "input.h"
#include "escape.h"

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
		fputs("Warning: damage ", stderr);
		escape_print(stderr, text);
		fputc('\n', stderr);
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

int input_check_cpus(const struct xp_data *data, struct xp_diag *diag)
{
	const struct xp_data_event *event;

	for (int i = 0; (event = xp_data_event_at(data, i)); i++)
		if (event->attr.sample_type & XP_SAMPLE_CPU)
			return 0;
	xp_diag_set(diag, -EINVAL, "-C: the samples of this recording do not tell their CPU");
	xp_diag_hint(diag, "record with -a, -C or --sample-cpu");
	return -EINVAL;
}

void input_note_strangers(struct xp_diag *diag, uint64_t nr)
{
	if (nr)
		xp_diag_set(diag, -ENODATA,
			    "%llu samples have ids that no event of the recording has, and are "
			    "left out",
			    (unsigned long long)nr);
}

int input_close(struct input *input, int err, bool verbose)
{
	bool is_damaged = input->data && xp_data_is_damaged(input->data);

	/* What standard output failed with is reported where the program ends. */
	if (fflush(stdout) || ferror(stdout))
		err = 0;
	if (input->data)
		tell_damage(input->data, verbose);
	if (input->ctx)
		tell_failure(input, err);
	xp_data_close(input->data);
	cli_ctx_free(input->ctx);
	return err || is_damaged ? EXIT_FAILED : 0;
}
