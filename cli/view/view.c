/* SPDX-License-Identifier: MIT */
/* `xperf view`: a recording in a browser, or for the site that shows it. */
#include "view.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/export.h>
#include <xperf/suggest.h>

#include "browser.h"
#include "escape.h"
#include "export.h"
#include "options.h"
#include "serve.h"

struct values {
	struct export_values export;
	const char *in;
	bool no_open, serve;
	int seconds;
	FILE *out; /* for paths and addresses */
};

#define VALUE(field) .offset = offsetof(struct values, field)

static const struct option options[] = {
	{ 0, "in", OPTION_STRING, VALUE(in), .value = "viewer",
	  .help = "show it in: html (default), firefox, speedscope, perfetto, chrome" },
	{ 'o', "output", OPTION_STRING, VALUE(export.write.output), .value = "file",
	  .help = "write to this file and keep it" },
	{ 0, "no-open", OPTION_FLAG, VALUE(no_open),
	  .help = "write the file and print its name, and open nothing" },
	{ 0, "serve", OPTION_FLAG, VALUE(serve),
	  .help = "serve the report to browsers of this machine; the default over ssh" },
	{ 0, "for", OPTION_POSITIVE, VALUE(seconds), .value = "seconds",
	  .help = "serve the report for this long (default: until ^C)" },
	DIFF_OPTION(offsetof(struct values, export.diff)),
	CODE_OPTION(offsetof(struct values, export.write)),
	WRITE_OPTIONS(offsetof(struct values, export.write)),
	COLLECT_OPTIONS(offsetof(struct values, export.collect)),
	{ 0 },
};

/* --- files for sites --- */

/*
 * What a site reads, and what to do there; NULL: it is opened here. Sources, of the names of
 * buttons: locales/en-US/app.ftl of firefox-devtools/profiler
 * (Home--upload-from-file-input-button); README of jlfwong/speedscope;
 * docs/visualization/perfetto-ui.md of google/perfetto; chrome://tracing of Chromium.
 */
static const struct viewer {
	const char *name, *format, *how;
} viewers[] = {
	{ "html", "html", NULL },
	{ "firefox", "firefox",
	  "On https://profiler.firefox.com, 'Load a profile from file' opens it. It stays on your "
	  "machine unless you upload it there." },
	{ "speedscope", "speedscope",
	  "On https://www.speedscope.app, 'Browse' opens it. It stays on your machine." },
	{ "perfetto", "chrome",
	  "On https://ui.perfetto.dev, 'Open trace file' opens it. It stays on your machine." },
	{ "chrome", "chrome",
	  "In Chrome and Chromium, 'Load' on the page chrome://tracing opens it." },
};

static const struct viewer *find_viewer(const char *name)
{
	struct xp_suggest suggest = { .word = name, .len = strlen(name) };

	for (size_t i = 0; i < sizeof(viewers) / sizeof(viewers[0]); i++) {
		if (!strcmp(viewers[i].name, name))
			return &viewers[i];
		xp_suggest_offer(&suggest, viewers[i].name);
	}
	print_unknown("--in: there is no viewer", &suggest);
	fputs("Hint: there are html, firefox, speedscope, perfetto and chrome\n", stderr);
	return NULL;
}

static int write_for_site(const struct cli *cli, struct values *values, const struct viewer *viewer)
{
	struct write_opts *write = &values->export.write;
	char name[64];

	if (!write->output) {
		const struct xp_export_format *format = format_find(viewer->format);

		snprintf(name, sizeof(name), "xperf%s", format->suffix);
		write->output = name;
	}
	int status = export_recording(cli, &values->export);
	if (values->export.is_written) {
		fprintf(values->out, "%s\n", write->output);
		fflush(values->out);
		fprintf(stderr, "%s\n", viewer->how);
	}
	write->output = NULL;
	return status;
}

/* --- the report --- */

/* A new file that nobody else can read, where files of this session are. Returns 0 or a negative
 * errno. */
static int make_private(char path[PATH_MAX])
{
	const char *const names[] = { "XDG_RUNTIME_DIR", "TMPDIR" };
	static const char suffix[] = ".html";
	int fd = -1;

	for (size_t i = 0; i <= sizeof(names) / sizeof(names[0]) && fd < 0; i++) {
		bool is_last = i == sizeof(names) / sizeof(names[0]);
		const char *dir = is_last ? "/tmp" : getenv(names[i]);

		if (dir && *dir == '/' &&
		    snprintf(path, PATH_MAX, "%s/xperf-XXXXXX%s", dir, suffix) < PATH_MAX)
			fd = mkostemps(path, sizeof(suffix) - 1, O_CLOEXEC);
	}
	if (fd < 0)
		return -errno;
	close(fd);
	return 0;
}

static int serve_file(const char *path, bool is_kept, const struct values *values)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "Error: '%s' cannot be read: %s\n", escaped(path), strerror(errno));
		return EXIT_FAILED;
	}
	/* Whatever ends the program, nothing is left. */
	if (!is_kept)
		unlink(path);
	int err = serve(fd, values->seconds, values->out);
	close(fd);
	return err ? EXIT_FAILED : 0;
}

/* @path: of a report. Returns the exit status. */
static int show(const char *path, bool is_kept, const struct values *values)
{
	char whole[PATH_MAX];
	bool is_here = !values->serve && !values->seconds && browser_is_seen();

	if (values->no_open) {
		fprintf(values->out, "%s\n", path);
		return 0;
	}
	if (is_here && browser_open(realpath(path, whole) ? whole : path)) {
		fprintf(stderr, "The report is in '%s', and a browser shows it\n", escaped(path));
		return 0;
	}
	if (is_here)
		fputs("Note: no browser could be started\n", stderr);
	return serve_file(path, is_kept, values);
}

static int show_report(const struct cli *cli, struct values *values)
{
	struct write_opts *write = &values->export.write;
	bool is_kept = write->output;
	char path[PATH_MAX];
	int err = is_kept ? 0 : make_private(path);

	if (err) {
		fprintf(stderr, "Error: a file for the report cannot be made: %s\n",
			strerror(-err));
		return EXIT_FAILED;
	}
	if (!is_kept)
		write->output = path;
	int status = export_recording(cli, &values->export);
	if (!values->export.is_written && !is_kept)
		unlink(path);
	if (values->export.is_written) {
		int failed = show(write->output, is_kept, values);

		status = failed ? failed : status;
	}
	if (!is_kept)
		write->output = NULL;
	return status;
}

/* --- the command --- */

int view_recording(const struct cli *cli, const char *input)
{
	struct values values = { .export = { .collect = COLLECT_DEFAULTS, .format = "html" },
				 .out = stderr };

	values.export.collect.read.input = input;
	return show_report(cli, &values);
}

static int view(const struct cli *cli, struct values *values)
{
	const struct viewer *viewer = find_viewer(values->in);

	if (!viewer)
		return EXIT_USAGE;
	if (viewer->how && (values->serve || values->seconds))
		return options_misused(&view_command, "--serve and --for are of --in html");
	if (values->no_open && (values->serve || values->seconds))
		return options_misused(
			&view_command,
			"--no-open writes a file, --serve and --for serve it: choose one");
	if (values->export.write.output && !strcmp(values->export.write.output, "-"))
		return options_misused(&view_command,
				       "-o needs the name of a file; 'xperf export "
				       "-f %s' writes to standard output",
				       viewer->format);
	values->export.format = viewer->format;
	return viewer->how ? write_for_site(cli, values, viewer) : show_report(cli, values);
}

static int run(const struct cli *cli, int argc, char **argv)
{
	struct values values = { .export.collect = COLLECT_DEFAULTS, .in = "html", .out = stdout };
	struct collect_opts *collect = &values.export.collect;
	int first, status;

	if (!options_parse(&view_command, argc, argv, &values, &first, &status))
		return status;
	if (argc - first > 1 || (first < argc && collect->read.input))
		return options_misused(&view_command, "unexpected argument '%s'", argv[argc - 1]);
	if (first < argc)
		collect->read.input = argv[first];
	return view(cli, &values);
}

const struct command view_command = {
	.name = "view",
	.summary = "Show a recording in a browser",
	.usage = "[<options>] [<recording>]",
	.options = options,
	.run = run,
};
