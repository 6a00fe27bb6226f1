/* SPDX-License-Identifier: MIT */
/*
 * `xperf top`: a profile that is shown while it is taken. A recorder runs beside (feed.h), its
 * last samples are kept (window.h), and each refresh is a report of them. Symbols are kept from one
 * refresh to the next (xp_symbols_renew()).
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "browse.h"
#include "escape.h"
#include "feed.h"
#include "terminal.h"
#include "values.h"
#include "window.h"

enum { DELAY_S = 2, INTERVALS = 5, LINES = 20, HEADING_LINES = 9, MS_PER_S = 1000 };

struct top {
	const struct cli *cli;
	struct top_values values;
	struct feed feed;
	struct window *window;
	struct screen_watch watch;
	struct kept_symbols symbols;
	int file;        /* what was shown last; -1: nothing */
	char path[32];   /* its name */
	int64_t next_ms; /* when to refresh */
	int nr_refreshes;
	struct feed_written shown; /* at the last refresh */
	bool has_ended;            /* the recorder has */
	int err;                   /* why nothing more is read; 0: it is */
};

/* --- what there is to show --- */

static bool is_over(const struct top *top)
{
	return top->has_ended || top->err ||
	       (top->values.refreshes && top->nr_refreshes == top->values.refreshes);
}

static int timeout_ms(void *data)
{
	const struct top *top = data;
	int64_t left = top->next_ms - feed_now_ms();

	return is_over(top) ? -1 : left < 0 ? 0 : (int)left;
}

/* Returns true when it is time for a refresh. */
static bool look(void *data)
{
	struct top *top = data;

	if (is_over(top))
		return false;
	int state = feed_state(&top->feed);
	top->err = state < 0 ? state : 0;
	top->has_ended = state > 0;
	if (is_over(top)) {
		top->watch.fd = -1;
		return true;
	}
	if (feed_now_ms() < top->next_ms)
		return false;
	/* Without skipping the time that was needed to draw, refreshes would follow at once. */
	top->next_ms = feed_now_ms() + (int64_t)top->values.delay_s * MS_PER_S;
	top->nr_refreshes++;
	return true;
}

/* Writes what is kept into a file in memory, which stays until the next one. Returns its name, or
 * NULL: there are no samples, or *ret_why is the reason. */
static const char *next(void *data, const char **ret_why)
{
	struct top *top = data;

	*ret_why = top->err         ? "The recording cannot be read any more"
		   : top->has_ended ? "What was recorded has ended; these are its last samples"
				    : NULL;
	if (*ret_why || !feed_samples(&top->feed))
		return NULL;
	int file = memfd_create("top", MFD_CLOEXEC);
	int err = file < 0 ? -errno : feed_write(&top->feed, file, &top->shown);
	if (err || !top->shown.nr_samples) {
		*ret_why = err ? "There is not enough memory for what is new" : NULL;
		if (file >= 0)
			close(file);
		return NULL;
	}
	if (top->file >= 0)
		close(top->file);
	top->file = file;
	snprintf(top->path, sizeof(top->path), "/proc/self/fd/%d", file);
	return top->path;
}

/* --- text --- */

static int lines_that_fit(const struct top *top)
{
	struct winsize size;

	if (top->values.entries)
		return top->values.entries;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_row <= HEADING_LINES)
		return LINES;
	return size.ws_row - HEADING_LINES;
}

/* Whether a line of the heading is left out: empty ones, and reasons below the first line of the
 * quality, which report shows. */
static bool is_skipped(const char *line, int *nr_quality)
{
	static const char quality[] = "# Quality: ", lost[] = "# Total Lost Samples: 0";

	if (!strncmp(line, quality, sizeof(quality) - 1))
		return (*nr_quality)++;
	return !strcmp(line, "#") || !strcmp(line, lost);
}

/* Which samples these are: at first there are fewer than there is room for. */
static void print_span(const struct top *top)
{
	int most = top->values.zero ? 1 : INTERVALS;
	int nr = top->shown.nr_intervals < most ? top->shown.nr_intervals : most;

	printf("# Shown: samples of the last %" PRId64 " s\n", (int64_t)nr * top->values.delay_s);
}

/* The heading, and the first lines of rows of each event. */
static void print_lines(const struct top *top, char *text)
{
	int most = lines_that_fit(top), nr = 0, nr_quality = 0;
	char *rest;

	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		bool is_heading = *line == '#';

		nr = is_heading ? 0 : nr + 1;
		if (nr <= most && !is_skipped(line, &nr_quality))
			puts(line);
	}
}

static int print_report(const struct top *top, struct loaded *loaded)
{
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		return -ENOMEM;
	stdio_print(file, &loaded->report, &loaded->plan);
	int err = fclose(file) ? -ENOMEM : 0;
	if (!err) {
		print_span(top);
		print_lines(top, text);
	}
	free(text);
	return err;
}

/* Returns 0 or the exit status. */
static int show_text(struct top *top, struct values *values)
{
	const char *why;
	const char *path = next(top, &why);

	if (isatty(STDOUT_FILENO))
		fputs("\033[H\033[J", stdout);
	if (!path) {
		puts("# No samples yet");
	} else {
		struct loaded *loaded = loaded_new(values, NULL, path);
		int err = loaded ? loaded_read(loaded, top->cli) : -ENOMEM;

		if (!err)
			err = print_report(top, loaded);
		int status = loaded_free(loaded, err);
		if (err)
			return status;
	}
	putchar('\n');
	return fflush(stdout) ? EXIT_FAILED : 0;
}

/* Consumes the signal that has come, which would end the program when it is let through. */
static void accept_signal(int signal_fd)
{
	struct signalfd_siginfo info;

	while (read(signal_fd, &info, sizeof(info)) < 0 && errno == EINTR)
		;
}

/* Until a signal ends it, which is how it is meant to end. */
static int run_text(struct top *top, int signal_fd)
{
	struct pollfd fds[] = { { .fd = top->feed.end, .events = POLLIN },
				{ .fd = signal_fd, .events = POLLIN } };
	int status = 0;

	while (!status && !is_over(top)) {
		if (poll(fds, 2, timeout_ms(top)) < 0 && errno != EINTR)
			return EXIT_FAILED;
		if (fds[1].revents) {
			accept_signal(signal_fd);
			break;
		}
		if (look(top) && !top->has_ended)
			status = show_text(top, &top->values.report);
	}
	return status;
}

/* --- the browser --- */

/* There is nothing to browse before the first samples. */
static int wait_for_samples(struct top *top, int signal_fd)
{
	struct pollfd fds[] = { { .fd = top->feed.end, .events = POLLIN },
				{ .fd = signal_fd, .events = POLLIN } };

	while (!is_over(top) && !fds[1].revents) {
		if (poll(fds, 2, timeout_ms(top)) < 0 && errno != EINTR)
			return -errno;
		if (look(top) && feed_samples(&top->feed))
			return 0;
	}
	if (fds[1].revents)
		accept_signal(signal_fd);
	return -ECANCELED;
}

static int run_browser(struct top *top, int signal_fd, const sigset_t *unblocked)
{
	const struct browse_source source = { &top->watch, next, top };
	const char *why;
	int err;

	fputs("Collecting samples ...", stderr);
	do {
		err = wait_for_samples(top, signal_fd);
		top->values.report.read.input = err ? NULL : next(top, &why);
	} while (!err && !top->values.report.read.input && !why);
	/* A shell writes its prompt over what is left on the line. */
	fputs("\r\033[K", stderr);
	if (err)
		return 0;
	if (!top->values.report.read.input)
		return EXIT_FAILED;
	/* The screen has the signals now. */
	sigprocmask(SIG_SETMASK, unblocked, NULL);
	return browse_live(top->cli, &top->values.report, &source);
}

/* --- the command --- */

static int open_signals(sigset_t *ret_before)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigprocmask(SIG_BLOCK, &set, ret_before);
	return signalfd(-1, &set, SFD_CLOEXEC);
}

/* Of the recorder; the options follow. */
static int begin_arguments(struct top_values *values)
{
	static const char *const words[] = { "xperf", "record", "-q", "-B", "-o-" };
	int err = 0;

	for (size_t i = 0; !err && i < sizeof(words) / sizeof(words[0]); i++)
		err = top_record(values, "%s", words[i]);
	return err;
}

/* Why the stream ended before it was over. */
static int print_failure(int err)
{
	struct xp_diag diag = { 0 };

	xp_diag_set(&diag, err, "The recording cannot be read: %s", strerror(-err));
	cli_print_diag(&diag, NULL);
	return EXIT_FAILED;
}

static int run_live(struct top *top)
{
	struct xp_diag diag = { 0 };
	sigset_t before;
	int signal_fd = open_signals(&before), status;

	int err =
		feed_open(&top->feed, top->values.record, top->window, top->values.delay_s, &diag);
	top->next_ms = feed_now_ms() + (int64_t)top->values.delay_s * MS_PER_S;
	top->watch = (struct screen_watch){ top->feed.end, timeout_ms, look, top };
	if (err) {
		cli_print_diag(&diag, NULL);
		status = EXIT_FAILED;
	} else if (browse_is_wanted(&top->values.report)) {
		status = run_browser(top, signal_fd, &before);
	} else {
		status = run_text(top, signal_fd);
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(signal_fd);
	if (top->err)
		status = print_failure(top->err);
	int failure = feed_close(&top->feed);

	return failure ? failure : status;
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct top top = {
		.cli = cli,
		.values = { .report = { .read = { .split_readings = true,
						  .filter_rows = true,
						  .with_symbols = true },
					.show = { .graph = { .mode = GRAPH_GRAPH,
							     .min_percent = 0.5 } } },
			    .delay_s = DELAY_S },
		.file = -1,
	};
	int first, status;

	top.values.report.read.kept = &top.symbols;
	if (begin_arguments(&top.values))
		return EXIT_FAILED;
	if (!options_parse(&top_command, argc, argv, &top.values, &first, &status))
		first = -1;
	else if (first < argc)
		status = options_misused(&top_command,
					 "unexpected argument '%s': no command is started here; "
					 "-p shows a running process",
					 argv[first]);
	else if (cli->seam) /* which a recorder of its own does not share */
		status = options_misused(&top_command, "a simulated machine cannot be watched");
	else if (top.values.report.count.group_leader < 0)
		status = options_misused(&top_command, "--group-sort-idx: %d is negative",
					 top.values.report.count.group_leader);
	else if (top.values.report.count.max_stack < 0)
		status = options_misused(&top_command, "--max-stack: %d is negative",
					 top.values.report.count.max_stack);
	else if (!(top.window = window_new(top.values.zero ? 2 : INTERVALS + 1, NULL)) ||
		 !(top.symbols.ctx = cli_ctx_new(cli, 0)))
		status = EXIT_FAILED;
	else
		status = run_live(&top);
	for (int i = 0; i < top.values.nr_record; i++)
		free(top.values.record[i]);
	window_free(top.window);
	xp_symbols_free(top.symbols.symbols);
	cli_ctx_free(top.symbols.ctx);
	if (top.file >= 0)
		close(top.file);
	return status;
}

const struct command top_command = {
	.name = "top",
	.summary = "Show a profile while it is taken",
	.usage = "[<options>]",
	.options = top_options,
	.run = run,
};
