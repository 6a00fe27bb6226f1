/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as a file of metrics, added to a set that has two. */
#include <assert.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <xperf/xperf.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char before[] = "group: Old\n"
			     "metric: old\nbrief: an old one\nevents: cycles\nformula: cycles\n"
			     "metric: m\nbrief: another\nformula: old * 2\n";

/* One line; a place, if there is one, is inside the text it quotes or right after it. */
static void check_diag(const struct xp_diag *diag, int err)
{
	assert(diag->err == err);
	assert(diag->what[0]);
	assert(!strpbrk(diag->what, "\n\r\t\x1b"));
	assert(!strpbrk(diag->input, "\n\r\t\x1b"));
	assert(diag->pos < 0 || (size_t)diag->pos <= strlen(diag->input));
}

static void check_text(const char *text)
{
	assert(text);
	assert(!strpbrk(text, "\n\r\t\x1b"));
}

static void check_def(const struct xp_metric_defs *defs, const struct xp_metric_def *def)
{
	struct xp_diag diag = { 0 };
	int err;

	assert(def->name[0] && def->brief[0] && def->formula && def->origin[0] && def->line > 0);
	assert(isfinite(def->scale) && def->scale > 0);
	assert(!def->threshold == !def->threshold_text[0]);
	check_text(def->groups);
	check_text(def->brief);
	check_text(def->text);
	check_text(def->events);
	check_text(def->unit);
	assert(xp_metric_defs_find(defs, def->name) == def);
	err = xp_metric_defs_check(defs, def, &diag);
	assert(!err || err == -ENOENT || err == -ELOOP);
	if (err)
		check_diag(&diag, err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct xp_metric_group *group;
	struct xp_diag diag = { 0 };
	struct xp_metric_defs *defs;

	if (xp_metric_defs_new(&defs))
		abort();
	assert(!xp_metric_defs_parse(defs, before, strlen(before), "before", NULL));
	int err = xp_metric_defs_parse(defs, (const char *)data, size, "file", &diag);
	if (err) {
		check_diag(&diag, err);
		assert(xp_metric_defs_nr(defs) == 2);
	}
	for (int i = 0; i < xp_metric_defs_nr(defs); i++)
		check_def(defs, xp_metric_defs_at(defs, i));
	for (int i = 0; (group = xp_metric_defs_group(defs, i)); i++)
		check_text(group->text);
	xp_metric_defs_free(defs);
	return 0;
}
