/* SPDX-License-Identifier: MIT */
/* What keys show in place of the rows, or print: functions, the header, the keys themselves. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>

#include "browse.h"
#include "function.h"
#include "header.h"
#include "sink.h"
#include "views.h"

static int show_function(struct browser *browser, const struct xp_frame *frame)
{
	struct sink out = SINK_KEPT;
	struct code_lines code = { 0 };
	struct xp_diag diag = { 0 };
	int err = annotator_print(browser->annotator, frame, browser->event, &out, &code, &diag);

	if (!err)
		err = browse_after(view_text(browser->screen, escaped(frame->function.name),
					     out.buf, view_hottest_line(out.buf), &code));
	else if (*diag.what)
		browse_say(browser, "%s", escaped(diag.what));
	code_lines_fini(&code);
	sink_fini(&out);
	return *diag.what ? 0 : err;
}

int browse_annotate(void *data)
{
	struct browser *browser = data;
	const struct xp_frame *frame = rows_function(&browser->rows);
	struct xp_diag diag = { 0 };

	if (!frame) {
		browse_say(browser, "This line is no function that could be annotated");
		return 0;
	}
	browse_announce(browser, "Reading addresses of samples");
	int err = browser->annotator ? 0
				     : annotator_new(browser->cli, &browser->now->values.read,
						     &browser->annotator, &diag);
	if (err && *diag.what)
		browse_say(browser, "%s", escaped(diag.what));
	return err ? (*diag.what ? 0 : err) : show_function(browser, frame);
}

/* What @print prints, as a text to scroll through. */
static int show_printed(struct browser *browser, const char *title,
			void (*print)(FILE *file, const struct browser *browser))
{
	char *text = NULL;
	size_t len;
	FILE *file = open_memstream(&text, &len);

	if (!file)
		return -ENOMEM;
	print(file, browser);
	int err = fclose(file) ? -ENOMEM
			       : browse_after(view_text(browser->screen, title, text, 0, NULL));
	free(text);
	return err;
}

static void print_header(FILE *file, const struct browser *browser)
{
	const struct report *report = &browser->now->report;

	quality_print(file, report);
	header_print(file, report->rec.data, report->rec.path, false);
}

int browse_show_header(void *data)
{
	return show_printed(data, "The recording", print_header);
}

int browse_show_help(void *data)
{
	struct browser *browser = data;
	char *text = actions_help(browse_actions);
	int got = text ? view_text(browser->screen, "Keys", text, 0, NULL) : -ENOMEM;

	free(text);
	return browse_after(got);
}

/* A file that is not there yet: perf.hist.0, perf.hist.1, ... Returns its descriptor or a negative
 * errno. */
static int create_numbered(char *name, size_t room)
{
	enum { MOST = 10000 };

	for (int i = 0; i < MOST; i++) {
		snprintf(name, room, "perf.hist.%d", i);
		int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd >= 0 ? fd : -errno;
	}
	return -EEXIST;
}

int browse_print_file(void *data)
{
	struct browser *browser = data;
	char name[32];
	int fd = create_numbered(name, sizeof(name));
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	if (!file)
		return fd < 0 ? fd : -ENOMEM;
	stdio_print(file, &browser->now->report, &browser->now->plan);
	bool is_short = ferror(file);
	if (fclose(file) || is_short)
		return -EIO;
	browse_say(browser, "The report was printed to the file %s", name);
	return 0;
}
