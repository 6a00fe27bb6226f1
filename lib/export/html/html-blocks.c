/* SPDX-License-Identifier: MIT */
/* The blocks of frames and of nodes of an HTML report. Their order: docs/html-report.md. */
#include <errno.h>
#include <stdlib.h>

#include "html-tree.h"

/* --- frames --- */

struct text {
	const char *text;
	uint64_t number; /* value */
};

/* Numbers of a text, for texts in the order in which they come. Returns 0 or -ENOMEM. */
static int find_text(struct table *texts, const char *text, struct bytes *bytes, uint32_t *ret_nr)
{
	const struct text key = { .text = text };
	int is_new = xp_table_intern(texts, &key, ret_nr);

	if (is_new > 0)
		xp_bytes_add(bytes, text, strlen(text) + 1);
	return is_new < 0 ? -ENOMEM : 0;
}

static void add_column(struct bytes *bytes, const uint32_t *values, uint32_t nr)
{
	xp_bytes_number(bytes, nr);
	for (uint32_t i = 0; i < nr; i++)
		xp_bytes_number(bytes, values[i]);
}

int xp_html_frames(const struct html *html, struct bytes *bytes)
{
	struct table texts = xp_table(offsetof(struct text, number), sizeof(struct text));
	uint32_t nr = html->frames.nr;
	uint32_t *columns = calloc((size_t)nr * 3 + 1, sizeof(*columns));
	struct bytes raw = { 0 };
	int err = columns ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < nr; i++) {
		const struct html_frame *frame = html_frame(html, html->by_rank[i]);

		err = find_text(&texts, frame->name, &raw, &columns[i])
			      ?: find_text(&texts, frame->file, &raw, &columns[nr + i]);
		columns[2 * nr + i] = frame->kind;
	}
	if (!err)
		err = raw.err;
	if (!err) {
		xp_bytes_number(bytes, raw.len);
		xp_bytes_add(bytes, raw.at, raw.len);
		for (uint32_t i = 0; i < 3; i++)
			add_column(bytes, columns + i * nr, nr);
	}
	xp_table_fini(&texts);
	xp_bytes_fini(&raw);
	free(columns);
	return err;
}

/* --- nodes --- */

/* A frame below another, and its place among those. Callers are frames + 1; 0: the root. */
struct known {
	uint32_t caller, frame;
	uint64_t place; /* value */
};

/* Places of frames below those of their parents, and those that are met first. */
struct places {
	struct table known;
	uint32_t *nr_known; /* per caller */
	uint32_t *places, *fresh;
	uint32_t nr_fresh;
};

static int add_place(const struct html *html, struct places *places, uint32_t number)
{
	const struct html_node *node = html_node(html, html->order[number]);
	const struct html_node *parent = html_node(html, node->parent);
	const struct known key = {
		.caller = node->parent == HTML_ROOT ? 0 : parent->frame + 1,
		.frame = node->frame,
	};
	uint32_t nr;
	int is_new = xp_table_intern(&places->known, &key, &nr);

	if (is_new < 0)
		return -ENOMEM;
	struct known *known = xp_table_at(&places->known, nr);
	places->places[number - 1] = (uint32_t)known->place;
	if (!is_new)
		return 0;
	known->place = ++places->nr_known[key.caller];
	places->fresh[places->nr_fresh++] = (uint32_t)html_frame(html, node->frame)->rank;
	return 0;
}

static int add_frames_of_nodes(const struct html *html, struct bytes *bytes)
{
	uint32_t nr = html->nodes.nr;
	struct places places = {
		.known = xp_table(offsetof(struct known, place), sizeof(struct known)),
		.nr_known = calloc((size_t)html->frames.nr + 1, sizeof(uint32_t)),
		.places = calloc(nr, sizeof(uint32_t)),
		.fresh = calloc(nr, sizeof(uint32_t)),
	};
	int err = places.nr_known && places.places && places.fresh ? 0 : -ENOMEM;

	for (uint32_t i = 1; !err && i < nr; i++)
		err = add_place(html, &places, i);
	if (!err) {
		add_column(bytes, places.places, nr - 1);
		add_column(bytes, places.fresh, places.nr_fresh);
	}
	xp_table_fini(&places.known);
	free(places.nr_known);
	free(places.places);
	free(places.fresh);
	return err;
}

static void add_levels(const struct html *html, struct bytes *bytes)
{
	uint32_t depth = 0;

	xp_bytes_number(bytes, html->nodes.nr - 1);
	for (uint32_t i = 1; i < html->nodes.nr; i++) {
		const struct html_node *node = html_node(html, html->order[i]);

		xp_bytes_number(bytes, depth + 1 - node->depth);
		depth = node->depth;
	}
}

static void add_joined(const struct html *html, struct bytes *bytes)
{
	uint32_t nr = 0, last = 0;

	for (uint32_t i = 0; i < html->nodes.nr; i++)
		nr += html_node(html, i)->nr_joined != 0;
	xp_bytes_number(bytes, nr);
	for (uint32_t i = 0; i < html->nodes.nr; i++)
		if (html_node(html, html->order[i])->nr_joined) {
			xp_bytes_number(bytes, i - last);
			last = i;
		}
	xp_bytes_number(bytes, nr);
	for (uint32_t i = 0; i < html->nodes.nr; i++) {
		const struct html_node *node = html_node(html, html->order[i]);

		if (node->nr_joined)
			xp_bytes_number(bytes, node->nr_joined);
	}
}

static void add_sums(const struct html *html, uint32_t event, struct bytes *bytes)
{
	const struct html_sum *sums = &html->sums[(size_t)event * html->nr_chains];
	uint64_t step = html->events[event].step;

	xp_bytes_number(bytes, html->nr_chains);
	for (uint32_t i = 0; i < html->nr_chains; i++)
		xp_bytes_number(bytes, sums[i].samples);
	xp_bytes_number(bytes, html->nr_chains);
	for (uint32_t i = 0; i < html->nr_chains; i++)
		xp_bytes_signed(bytes, (int64_t)(sums[i].weight / step - sums[i].samples));
	if (!html->export->opts.base)
		return;
	xp_bytes_number(bytes, html->nr_chains);
	for (uint32_t i = 0; i < html->nr_chains; i++)
		xp_bytes_signed(bytes, (int64_t)sums[i].base);
}

int xp_html_nodes(const struct html *html, struct bytes *bytes)
{
	uint32_t last = 0;

	add_levels(html, bytes);
	int err = add_frames_of_nodes(html, bytes);
	if (err)
		return err;
	add_joined(html, bytes);
	xp_bytes_number(bytes, html->nr_chains);
	for (uint32_t i = 0; i < html->nr_chains; i++) {
		uint32_t number = html_node(html, html->chains[i])->number;

		xp_bytes_number(bytes, number - last);
		last = number;
	}
	for (uint32_t i = 0; i < html->nr_events; i++)
		add_sums(html, i, bytes);
	return bytes->err;
}
