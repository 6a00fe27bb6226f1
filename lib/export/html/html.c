/* SPDX-License-Identifier: MIT */
/*
 * A report for a browser: the page that web/ makes, with the tree in it. What a browser could take
 * for markup is base64. The data: docs/html-report.md.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cleanup.h"
#include "html-page.h"
#include "html-tree.h"

static const char data_mark[] = "<!-- @DATA@ -->\n";

/* --- the head: JSON --- */

static void put_facts(struct json *json, const struct xp_tree *tree)
{
	json_array(json, "facts", &json_compact);
	for (uint32_t i = 0; i < tree->nr_notes; i++)
		if (tree->notes[i].kind == XP_NOTE_FACT) {
			json_array(json, NULL, &json_compact);
			json_string(json, NULL, tree->notes[i].what);
			json_string(json, NULL, tree->notes[i].text);
			json_end(json);
		}
	json_end(json);
}

/* The first note of quality is its line, the others are what there is to say of it. */
static void put_quality(struct json *json, const struct xp_tree *tree)
{
	static const char *const levels[] = {
		[XP_NOTE_GOOD] = "good", [XP_NOTE_NOTICE] = "note", [XP_NOTE_BAD] = "bad"
	};
	const char *line = "";

	for (uint32_t i = tree->nr_notes; i-- > 0;)
		if (tree->notes[i].kind == XP_NOTE_QUALITY)
			line = tree->notes[i].text;
	json_object(json, "quality", &json_compact);
	json_string(json, "line", line);
	json_array(json, "items", &json_compact);
	for (uint32_t i = 0; i < tree->nr_notes; i++) {
		const struct tree_note *note = &tree->notes[i];

		if (note->kind <= XP_NOTE_QUALITY)
			continue;
		json_object(json, NULL, &json_compact);
		json_string(json, "level", levels[note->kind]);
		json_string(json, "text", note->what);
		json_string(json, "remedy", note->text);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

static const char *unit_of(const struct html *html, const struct tree_event *event)
{
	if (html->export->opts.samples)
		return "events";
	return !strcmp(event->unit, "nanoseconds") ? "ns" : "events";
}

static void put_events(struct json *json, const struct html *html)
{
	json_array(json, "events", &json_compact);
	for (uint32_t i = 0; i < html->nr_events; i++) {
		const struct html_event *event = &html->events[i];
		const struct tree_event *of = &html->export->tree->events[event->number];

		json_object(json, NULL, &json_compact);
		json_string(json, "name", of->name);
		json_string(json, "unit", unit_of(html, of));
		json_uint(json, "step", event->step);
		json_uint(json, "sampleStep", event->sample_step);
		json_uint(json, "exact", event->exact);
		if (of->is_off_cpu)
			json_uint(json, "offCpu", 1);
		json_end(json);
	}
	json_end(json);
}

/* What a process is called; where only its samples are known, as the thread with its number. */
static const char *process_of(const struct html_samples *samples, uint32_t thread)
{
	const struct xp_tree *tree = samples->html->export->tree;
	const struct tree_task *task = tree_task(tree, samples->threads[thread]);
	const char *name = xp_tree_process(tree, task->pid);

	if (name)
		return name;
	for (uint32_t i = thread + 1; i-- > 0;) {
		const struct tree_task *other = tree_task(tree, samples->threads[i]);

		if (other->pid != task->pid)
			break;
		if (other->tid == task->pid)
			return other->comm;
	}
	return "";
}

static void put_threads(struct json *json, const struct html_samples *samples)
{
	json_array(json, "threads", &json_compact);
	for (uint32_t i = 0; i < samples->nr_threads; i++) {
		const struct tree_task *task =
			tree_task(samples->html->export->tree, samples->threads[i]);

		json_array(json, NULL, &json_compact);
		json_int(json, NULL, task->pid);
		json_int(json, NULL, task->tid);
		json_string(json, NULL, task->comm);
		json_string(json, NULL, process_of(samples, i));
		json_end(json);
	}
	json_end(json);
}

static void put_time(struct json *json, const struct xp_tree_info *info)
{
	if (!info->bucket_ns)
		return;
	json_object(json, "time", &json_compact);
	json_uint(json, "bucket", info->bucket_ns);
	json_uint(json, "buckets", info->nr_buckets);
	json_end(json);
}

static int put_head(const struct html_samples *samples, struct json *json)
{
	const struct html *html = samples->html;
	const struct export *export = html->export;

	json_object(json, NULL, &json_compact);
	json_uint(json, "version", 1);
	json_string(json, "program", xp_version());
	json_string(json, "title",
		    export->opts.title ? export->opts.title : export->tree->info.title);
	put_facts(json, export->tree);
	put_quality(json, export->tree);
	put_events(json, html);
	put_threads(json, samples);
	put_time(json, &export->tree->info);
	if (export->opts.base) {
		json_object(json, "base", &json_compact);
		json_string(json, "title", export->opts.base->info.title);
		json_end(json);
	}
	json_end(json);
	return 0;
}

static int put_code(const struct html_samples *samples, struct json *json)
{
	return xp_html_code(samples->html, json);
}

/* --- blocks --- */

static int keep(const void *bytes, size_t len, void *data)
{
	struct bytes *kept = data;

	xp_bytes_add(kept, bytes, len);
	return kept->err;
}

static int make_json(const struct html_samples *samples, struct bytes *bytes,
		     int (*put)(const struct html_samples *samples, struct json *json))
{
	struct out *out = calloc(1, sizeof(*out));
	struct json json;

	if (!out)
		return -ENOMEM;
	xp_out_init(out, keep, bytes);
	json_init(&json, &out->sink, ":");
	int err = put(samples, &json) ?: xp_out_flush(out);
	free(out);
	return err;
}

static int make_head(const struct html_samples *samples, struct bytes *bytes)
{
	return make_json(samples, bytes, put_head);
}

static int make_code(const struct html_samples *samples, struct bytes *bytes)
{
	return make_json(samples, bytes, put_code);
}

static int make_frames(const struct html_samples *samples, struct bytes *bytes)
{
	return xp_html_frames(samples->html, bytes);
}

static int make_tree(const struct html_samples *samples, struct bytes *bytes)
{
	return xp_html_nodes(samples->html, bytes);
}

static bool has_times(const struct xp_tree *tree)
{
	return tree->info.bucket_ns != 0;
}

static bool has_code(const struct xp_tree *tree)
{
	return tree->nr_codes != 0;
}

/* @is_there: NULL: it always is */
static const struct {
	const char *name;
	int (*make)(const struct html_samples *samples, struct bytes *bytes);
	bool (*is_there)(const struct xp_tree *tree);
} blocks[] = {
	{ "head", make_head, NULL },     { "frames", make_frames, NULL },
	{ "tree", make_tree, NULL },     { "samples", xp_html_samples, has_times },
	{ "code", make_code, has_code },
};

static int write_blocks(const struct html_samples *samples, struct out *out)
{
	const struct xp_tree *tree = samples->html->export->tree;
	int err = 0;

	for (size_t i = 0; !err && i < XP_ARRAY_LEN(blocks); i++) {
		struct bytes bytes = { 0 };

		if (blocks[i].is_there && !blocks[i].is_there(tree))
			continue;
		err = blocks[i].make(samples, &bytes)
			      ?: xp_bytes_write(&bytes, blocks[i].name, out);
		xp_bytes_fini(&bytes);
	}
	return err;
}

int xp_format_html(const struct export *export)
{
	const char *mark = strstr(xp_html_page, data_mark);
	struct html html;
	struct html_samples samples = { 0 };
	int err = xp_html_init(&html, export) ?: xp_html_samples_init(&samples, &html);

	if (!err) {
		xp_out_bytes(export->out, xp_html_page, (size_t)(mark - xp_html_page));
		err = write_blocks(&samples, export->out);
		xp_out_text(export->out, mark + strlen(data_mark));
	}
	xp_html_samples_fini(&samples);
	xp_html_fini(&html);
	return err;
}
