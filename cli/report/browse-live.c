/* SPDX-License-Identifier: MIT */
/* Rows that change while they are looked at: what was chosen is found again among the new ones. */
#include <errno.h>
#include <string.h>

#include "browse.h"
#include "function.h"
#include "hash.h"
#include "tree-marks.h"

enum { IDENTITY_BYTES = 1024 };

/* What a row is called, as far as rows are distinguished by it. */
static void identify(const struct rows *rows, const struct xp_profile_row *row,
		     char text[IDENTITY_BYTES])
{
	const struct xp_location *location = xp_profile_row_location(row);
	const char *name = location ? location->frame.function.name : NULL;
	const char *dso = rows_dso(rows, row);
	char task[WORDS_BYTES];

	if (!rows_task(rows, row, task, sizeof(task)))
		*task = '\0';
	snprintf(text, IDENTITY_BYTES, "%s\n%s\n%s", task, dso ? dso : "", name ? name : "");
}

static uint64_t identity(size_t row, void *data)
{
	const struct rows *rows = data;
	char text[IDENTITY_BYTES];

	identify(rows, rows_at(rows, row), text);
	return xp_hash_bytes(xp_hash_seed(), text, strlen(text));
}

/* What the user has chosen, in words: rows come and go. */
struct choices {
	char dso[WORDS_BYTES], task[WORDS_BYTES], words[WORDS_BYTES];
	struct tree_marks marks;
	bool full_names, no_kernel, no_user;
	int left;
};

/* Returns 0 or -ENOMEM. */
static int remember(const struct rows *rows, struct choices *choices)
{
	const struct row_filter *filter = &rows->filter;

	*choices = (struct choices){ .full_names = rows->full_names,
				     .no_kernel = filter->no_kernel,
				     .no_user = filter->no_user,
				     .left = rows->left };
	if (filter->dso)
		snprintf(choices->dso, WORDS_BYTES, "%s", rows_dso(rows, filter->dso));
	if (filter->task)
		rows_task(rows, filter->task, choices->task, WORDS_BYTES);
	memcpy(choices->words, filter->words, WORDS_BYTES);
	return tree_marks_save(&choices->marks, &rows->tree, identity);
}

static const struct xp_profile_row *row_of_dso(const struct rows *rows, const char *dso)
{
	for (size_t i = 0; *dso && i < rows->tree.nr_rows; i++)
		if (!strcmp(rows_dso(rows, rows_at(rows, i)), dso))
			return rows_at(rows, i);
	return NULL;
}

static const struct xp_profile_row *row_of_task(const struct rows *rows, const char *task)
{
	char text[WORDS_BYTES];

	for (size_t i = 0; *task && i < rows->tree.nr_rows; i++)
		if (!strcmp(rows_task(rows, rows_at(rows, i), text, sizeof(text)), task))
			return rows_at(rows, i);
	return NULL;
}

static int restore(struct rows *rows, const struct choices *choices)
{
	rows->filter.dso = row_of_dso(rows, choices->dso);
	rows->filter.task = row_of_task(rows, choices->task);
	memcpy(rows->filter.words, choices->words, WORDS_BYTES);
	rows->filter.no_kernel = choices->no_kernel;
	rows->filter.no_user = choices->no_user;
	rows->full_names = choices->full_names;
	rows->left = choices->left;
	return tree_marks_restore(&choices->marks, &rows->tree, identity);
}

/* The event that is shown stays, unless it has no samples any more. */
static int event_of(const struct browser *browser, const struct loaded *loaded)
{
	int event = loaded_next_event(loaded, browser->event - 1, 1);

	return event < 0 ? loaded_next_event(loaded, -1, 1) : event;
}

static int show(struct browser *browser, struct loaded *loaded)
{
	struct choices choices;
	int event = event_of(browser, loaded), err = remember(&browser->rows, &choices);

	if (err) {
		tree_marks_fini(&choices.marks);
		loaded_free(loaded, 0);
		return err;
	}
	rows_fini(&browser->rows);
	loaded_free(browser->now, 0);
	browser->now = loaded;
	annotator_free(browser->annotator);
	browser->annotator = NULL;
	browse_quality(browser);
	err = browse_event(browser, event) ?: restore(&browser->rows, &choices);
	tree_marks_fini(&choices.marks);
	return err;
}

int browse_next(struct browser *browser)
{
	const char *why = NULL;
	const char *name = browser->source->next(browser->source->data, &why);

	if (!name) {
		if (why)
			browse_say(browser, "%s", why);
		return 0;
	}
	struct loaded *loaded = loaded_new(&browser->now->values, browser->now->sort, name);
	int err = loaded ? loaded_read(loaded, browser->cli) : -ENOMEM;
	/* Without samples, what was there before stays. */
	if (err || loaded_next_event(loaded, -1, 1) < 0) {
		loaded_free(loaded, 0);
		return err;
	}
	return show(browser, loaded);
}
