/* SPDX-License-Identifier: MIT */
/* Other rows in place of these: by other keys, or of another recording. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browse.h"
#include "function.h"
#include "views.h"

enum { MOST_FILES = 1000 };

/* Reads again; what was there before stays if that fails. */
static int reload(struct browser *browser, const char *sort, const char *input)
{
	const struct loaded *old = browser->now;
	struct loaded *loaded = loaded_new(&old->values, sort, input ? input : old->input);

	if (!loaded)
		return -ENOMEM;
	if (input) /* it may be of another machine */
		loaded->values.read.kept = NULL;
	int err = browse_read(browser, loaded);
	int event = err ? -1 : loaded_next_event(loaded, -1, 1);
	if (event < 0) {
		browse_say(browser, "%s",
			   !err                            ? "No sample matches"
			   : *loaded->report.rec.diag.what ? escaped(loaded->report.rec.diag.what)
							   : strerror(-err));
		loaded_free(loaded, 0);
		return 0;
	}
	rows_fini(&browser->rows);
	loaded_free(browser->now, 0);
	browser->now = loaded;
	if (input) {
		annotator_free(browser->annotator);
		browser->annotator = NULL;
	}
	browse_quality(browser);
	return browse_event(browser,
			    input ? event : loaded_next_event(loaded, browser->event - 1, 1));
}

int browse_sort(void *data)
{
	struct browser *browser = data;
	const struct loaded *now = browser->now;
	const char *old = now->values.count.sort;
	char keys[WORDS_BYTES];

	snprintf(keys, sizeof(keys), "%s", old ? old : keys_default(&now->plan, &now->report));
	int got = view_prompt(browser->screen, "Sort by: ", keys, sizeof(keys));
	return got ? browse_after(got) : reload(browser, *keys ? keys : NULL, NULL);
}

static bool is_recording(const char *name)
{
	static const char magic[8] = "PERFILE2"; /* xperf.data(5) */
	char begin[sizeof(magic)] = { 0 };
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		return false;
	bool is_one = read(fd, begin, sizeof(begin)) == sizeof(begin) &&
		      !memcmp(begin, magic, sizeof(magic));
	close(fd);
	return is_one;
}

static int is_candidate(const struct dirent *entry)
{
	return entry->d_type != DT_FIFO && entry->d_type != DT_DIR && is_recording(entry->d_name);
}

static int choose_file(struct browser *browser, struct dirent *const *files, int nr)
{
	const char *items[MOST_FILES];

	for (int i = 0; i < nr; i++)
		items[i] = escaped(files[i]->d_name);
	int got = view_menu(browser->screen, "Recordings of this directory", items, (size_t)nr);
	return got < 0 ? browse_after(got)
		       : reload(browser, browser->now->sort, files[got]->d_name);
}

int browse_open_other(void *data)
{
	struct browser *browser = data;
	struct dirent **files;
	int nr = scandir(".", &files, is_candidate, alphasort);

	if (nr < 0)
		return -errno;
	int err = choose_file(browser, files, nr < MOST_FILES ? nr : MOST_FILES);
	for (int i = 0; i < nr; i++)
		free(files[i]);
	free(files);
	return err;
}
