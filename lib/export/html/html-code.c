/* SPDX-License-Identifier: MIT */
/* The block of code of an HTML report: JSON, see docs/html-report.md. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "html-tree.h"

/* Names of files of source, as numbers: few files have many lines. */
struct files {
	struct table known;
	bool failed;
};

struct file_name {
	const char *name;
};

static void put_file(struct json *json, struct files *files, const char *name)
{
	const struct file_name key = { name };
	uint32_t nr = 0;

	if (xp_table_intern(&files->known, &key, &nr) < 0)
		files->failed = true;
	json_uint(json, NULL, nr);
}

static void put_row(struct json *json, struct files *files, const struct xp_code_row *row)
{
	json_array(json, NULL, &json_compact);
	json_uint(json, NULL, row->kind);
	if (row->kind == XP_CODE_SKIPPED) {
		json_uint(json, NULL, row->offset);
	} else {
		json_string(json, NULL, row->text);
		json_uint(json, NULL, row->line);
		put_file(json, files, row->file);
	}
	if (row->kind == XP_CODE_INSTRUCTION)
		json_uint(json, NULL, row->offset);
	json_end(json);
}

/* The number of an event in the report; the number of events: it is not there. */
static uint32_t place_of(const struct html *html, int event)
{
	uint32_t i = 0;

	while (i < html->nr_events && html->events[i].number != (uint32_t)event)
		i++;
	return i;
}

static void put_sum(struct json *json, const struct html *html, const struct xp_code_sum *sum)
{
	uint32_t place = place_of(html, sum->event);

	if (place == html->nr_events)
		return;
	json_array(json, NULL, &json_compact);
	json_uint(json, NULL, sum->row);
	json_uint(json, NULL, place);
	json_uint(json, NULL, sum->samples);
	json_uint(json, NULL, html->export->opts.samples ? sum->samples : sum->period);
	json_end(json);
}

static void put_function(struct json *json, const struct html *html, struct files *files,
			 const struct tree_code *code)
{
	char address[32];

	snprintf(address, sizeof(address), "%" PRIx64, code->address);
	json_object(json, NULL, &json_compact);
	json_string(json, "name", code->function);
	json_string(json, "file", code->file);
	json_string(json, "address", address);
	json_array(json, "rows", &json_compact);
	for (size_t i = 0; i < code->nr_rows; i++)
		put_row(json, files, &code->rows[i]);
	json_end(json);
	json_array(json, "sums", &json_compact);
	for (size_t i = 0; i < code->nr_sums; i++)
		put_sum(json, html, &code->sums[i]);
	json_end(json);
	json_end(json);
}

int xp_html_code(const struct html *html, struct json *json)
{
	const struct xp_tree *tree = html->export->tree;
	struct files files = { .known = xp_table(sizeof(struct file_name),
						 sizeof(struct file_name)) };

	json_object(json, NULL, &json_compact);
	json_array(json, "functions", &json_compact);
	for (uint32_t i = 0; i < tree->nr_codes; i++)
		put_function(json, html, &files, &tree->codes[i]);
	json_end(json);
	json_array(json, "files", &json_compact);
	for (uint32_t i = 0; i < files.known.nr; i++)
		json_string(json, NULL,
			    ((const struct file_name *)xp_table_at(&files.known, i))->name);
	json_end(json);
	json_end(json);
	xp_table_fini(&files.known);
	return files.failed ? -ENOMEM : 0;
}
