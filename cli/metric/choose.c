/* SPDX-License-Identifier: MIT */
/* Which metrics a list of names means. */
#include "metrics.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <xperf/diag.h>
#include <xperf/metric.h>
#include <xperf/suggest.h>

#include "vec.h"

bool metric_is_in_group(const struct xp_metric_def *def, const char *group)
{
	size_t len = strlen(group);

	for (const char *at = def->groups; *at; at += strcspn(at, " "), at += *at == ' ')
		if (strcspn(at, " ") == len && !strncasecmp(at, group, len))
			return true;
	return false;
}

static int add(struct metric_choices *choices, const struct xp_metric_def *def, bool by_name)
{
	for (int i = 0; i < choices->nr; i++)
		if (choices->at[i].def == def) {
			choices->at[i].by_name |= by_name;
			return 0;
		}
	if (vec_add(&choices->at, (size_t)choices->nr, sizeof(*choices->at)))
		return -ENOMEM;
	choices->at[choices->nr++] = (struct metric_choice){ def, by_name };
	return 0;
}

static bool is_meant(const struct xp_metric_def *def, const char *word)
{
	return !strcasecmp(word, "all") || metric_is_in_group(def, word) ||
	       (strpbrk(word, "*?[") && !fnmatch(word, def->name, FNM_CASEFOLD | FNM_NOESCAPE));
}

static int no_such(const struct xp_metric_defs *defs, const char *word, struct xp_diag *diag)
{
	struct xp_suggest suggest = { .word = word, .len = strlen(word) };
	const struct xp_metric_group *group;

	for (int i = 0; i < xp_metric_defs_nr(defs); i++)
		xp_suggest_offer(&suggest, xp_metric_defs_at(defs, i)->name);
	for (int i = 0; (group = xp_metric_defs_group(defs, i)); i++)
		xp_suggest_offer(&suggest, group->name);
	xp_diag_set(diag, -ENOENT, "There is no metric or group of metrics '%.100s'%s%s%s", word,
		    suggest.best ? "; did you mean '" : "", suggest.best ? suggest.best : "",
		    suggest.best ? "'?" : "");
	if (!xp_metric_defs_nr(defs))
		xp_diag_hint(diag, "no file of metrics was found; they belong to the package, in "
				   "share/xperf/metrics");
	return -ENOENT;
}

static int choose_word(const struct xp_metric_defs *defs, const char *word,
		       struct metric_choices *choices, struct xp_diag *diag)
{
	bool any = false;
	int err = 0;

	for (int i = 0; i < xp_metric_defs_nr(defs) && !err; i++) {
		const struct xp_metric_def *def = xp_metric_defs_at(defs, i);
		bool by_name = !strcasecmp(def->name, word);

		if (!by_name && !is_meant(def, word))
			continue;
		any = true;
		err = add(choices, def, by_name);
	}
	return err || any ? err : no_such(defs, word, diag);
}

int metrics_choose(const struct xp_metric_defs *defs, const char *text,
		   struct metric_choices *choices, struct xp_diag *diag)
{
	int err = 0;

	for (size_t len; !err; text += len + 1) {
		len = strcspn(text, ",");
		char *word = strndup(text, len);

		err = word ? choose_word(defs, word, choices, diag) : -ENOMEM;
		free(word);
		if (!text[len])
			break;
	}
	return err;
}

void metric_choices_fini(struct metric_choices *choices)
{
	free(choices->at);
	*choices = (struct metric_choices){ 0 };
}
