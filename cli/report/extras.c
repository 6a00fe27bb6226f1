/* SPDX-License-Identifier: MIT */
/*
 * What samples hold that the profile knows nothing of, and rows can be distinguished by: each
 * combination that comes has a number, which the profile keeps.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>

#include "extras.h"
#include "hash.h"
#include "vec.h"

/* Texts: each once. */
struct text {
	struct text *next; /* in the same place */
	uint64_t hash;
	char bytes[];
};

/* Twice as many places, so that few texts share one. Returns 0 or -ENOMEM. */
static int spread_texts(struct extras *extras)
{
	size_t old = extras->texts ? extras->texts_mask + 1 : 0, nr = old ? old * 2 : 1024;
	struct text **texts = calloc(nr, sizeof(*texts));

	if (!texts)
		return -ENOMEM;
	for (size_t i = 0; i < old; i++)
		for (struct text *text = extras->texts[i], *next; text; text = next) {
			struct text **slot = &texts[text->hash & (nr - 1)];

			next = text->next;
			text->next = *slot;
			*slot = text;
		}
	free(extras->texts);
	extras->texts = texts;
	extras->texts_mask = nr - 1;
	return 0;
}

/* Returns NULL without memory. */
const char *extras_keep(struct extras *extras, const char *bytes)
{
	size_t len = strlen(bytes);
	uint64_t hash = xp_hash_bytes(extras->seed, bytes, len);

	if ((!extras->texts || extras->nr_texts > extras->texts_mask) && spread_texts(extras))
		return NULL;
	struct text **slot = &extras->texts[hash & extras->texts_mask], *text = *slot;
	while (text && (text->hash != hash || strcmp(text->bytes, bytes) != 0))
		text = text->next;
	if (text)
		return text->bytes;
	text = malloc(sizeof(*text) + len + 1);
	if (!text)
		return NULL;
	text->hash = hash;
	memcpy(text->bytes, bytes, len + 1);
	text->next = *slot;
	*slot = text;
	extras->nr_texts++;
	return text->bytes;
}

const char *extras_text(struct extras *extras, const struct xp_profile_row *row, int column)
{
	uint64_t value = extras->tags[row->tag].values[column - XP_NR_KEYS];
	const struct extra_kind *kind = extra_kind(column);

	if (!kind->show)
		return kind->has_order ? strchr((const char *)(uintptr_t)value, ' ') + 1
				       : (const char *)(uintptr_t)value;
	kind->show(extras, kind->is_sum ? value * row->sum.samples : value);
	return extras->shown;
}

int extras_compare_column(const struct extras *extras, uint32_t a, uint32_t b, int column)
{
	int at = column - XP_NR_KEYS;
	uint64_t left = extras->tags[a].values[at], right = extras->tags[b].values[at];
	int order = (left > right) - (left < right);

	if (order && !extra_kind(column)->show)
		order = strcmp((const char *)(uintptr_t)left, (const char *)(uintptr_t)right);
	return extra_kind(column)->more_first ? -order : order;
}

uint64_t extras_latency(uint32_t tag, uint64_t period, void *data)
{
	const struct extras *extras = data;

	return period / extras->tags[tag].values[EXTRA_PARALLELISM - XP_NR_KEYS];
}

int extras_compare(uint32_t a, uint32_t b, void *data)
{
	const struct extras *extras = data;
	int order = 0;

	for (int i = 0; !order && i < extras->nr_columns; i++)
		order = extras_compare_column(extras, a, b, extras->columns[i]);
	return order;
}

/* --- numbers --- */

static bool has_column(const struct extras *extras, int column)
{
	for (int i = 0; i < extras->nr_columns; i++)
		if (extras->columns[i] == column)
			return true;
	return false;
}

/* The number of a tag that was there before, or is new. @row: of its row; NULL: its own */
static int64_t know_tag(struct extras *extras, const struct tag *tag, const int64_t *row)
{
	enum { BYTES = offsetof(struct tag, row) };
	uint64_t hash = xp_hash_bytes(extras->seed, tag, BYTES);
	size_t at;

	for (struct index_walk walk = index_walk(&extras->index, hash); index_next(&walk, &at);)
		if (!memcmp(&extras->tags[at], tag, BYTES))
			return (int64_t)at;
	if (vec_add(&extras->tags, extras->nr_tags, sizeof(*tag)) ||
	    index_add(&extras->index, hash, extras->nr_tags))
		return -ENOMEM;
	extras->tags[extras->nr_tags] = *tag;
	extras->tags[extras->nr_tags].row = row ? (uint32_t)*row : extras->nr_tags;
	return extras->nr_tags++;
}

int64_t extras_tag(struct extras *extras, int event, const struct xp_sample *sample,
		   const struct xp_branch *branch)
{
	struct found found = {
		.extras = extras, .event = event, .sample = sample, .branch = branch
	};
	struct tag tag = { 0 };

	for (int i = 0; i < extras->nr_columns; i++) {
		int at = extras->columns[i] - XP_NR_KEYS;

		const struct extra_kind *kind = extra_kind(extras->columns[i]);

		found.column = extras->columns[i];
		tag.values[at] = kind->find(&found);
		if (!tag.values[at] && !kind->show)
			return -ENOMEM;
	}
	if (!extras->plan->has_numbers)
		return know_tag(extras, &tag, NULL);
	int64_t row = know_tag(extras, &tag, NULL);
	if (row < 0)
		return row;
	const struct xp_attr *attr = &xp_data_event_at(extras->report->rec.data, event)->attr;
	number_count(extras->plan, attr, sample, branch, &tag.counted);
	return know_tag(extras, &tag, &row);
}

uint32_t extras_row_tag(uint32_t tag, void *data)
{
	return ((const struct extras *)data)->tags[tag].row;
}

void extras_add_numbers(uint32_t tag, const struct xp_profile_sum *sum, uint64_t *numbers,
			void *data)
{
	number_add(&((const struct extras *)data)->tags[tag].counted, sum, numbers);
}

int extras_note(struct extras *extras, const struct xp_record *record, uint64_t time_ns)
{
	if (!extras || record->type != XP_RECORD_NAMESPACES || !has_column(extras, EXTRA_CGROUP_ID))
		return 0;
	return cgroups_add_namespaces(&extras->report->rec.cgroups, (const void *)record, time_ns);
}

int extras_new(struct report *report, const struct plan *plan, struct extras **ret_extras)
{
	struct extras *extras = calloc(1, sizeof(*extras));

	if (!extras)
		return -ENOMEM;
	extras->report = report;
	extras->plan = plan;
	extras->seed = xp_hash_seed();
	for (int i = 0; i < plan->nr_keys; i++)
		if (plan->keys[i] >= XP_NR_KEYS)
			extras->columns[extras->nr_columns++] = plan->keys[i];
	/* It is no key, perhaps, but what latency is made of. */
	if (plan->latency && !has_column(extras, EXTRA_PARALLELISM))
		extras->columns[extras->nr_columns++] = EXTRA_PARALLELISM;
	if (!extras->nr_columns && !plan->has_numbers) {
		free(extras);
		return 0;
	}
	*ret_extras = extras;
	return 0;
}

void extras_free(struct extras *extras)
{
	if (!extras)
		return;
	for (size_t i = 0; extras->texts && i <= extras->texts_mask; i++)
		for (struct text *text = extras->texts[i], *next; text; text = next) {
			next = text->next;
			free(text);
		}
	free(extras->texts);
	free(extras->tags);
	index_fini(&extras->index);
	free(extras);
}
