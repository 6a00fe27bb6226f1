/* SPDX-License-Identifier: MIT */
/*
 * Samples as rows: CSV and lines of JSON, with the same columns.
 *
 * Source of CSV: RFC 4180; lines end as lines of text do here.
 */
#include <errno.h>
#include <stdio.h>

#include "json-text.h"
#include "json.h"
#include "stream.h"

int xp_chain_text(const struct xp_tree *tree, uint32_t call, struct xp_str *text)
{
	uint32_t path[1024], nr = 0;

	text->len = 0;
	/* Of a chain that is longer, the innermost frames. */
	for (; call != NO_CALL && nr < 1024; call = tree_call(tree, call)->parent)
		path[nr++] = tree_call(tree, call)->frame;
	while (nr--) {
		const struct tree_frame *frame = tree_frame(tree, path[nr]);
		const char *suffix = xp_mark_suffix(frame->marks);

		for (const char *at = frame->name; *at;) {
			size_t len = strcspn(at, ";");

			xp_str_add(text, at, len);
			at += len;
			if (*at) {
				xp_str_add(text, ":", 1);
				at++;
			}
		}
		if (*suffix)
			xp_str_add(text, suffix, strlen(suffix));
		if (nr)
			xp_str_add(text, ";", 1);
	}
	return text->failed ? -ENOMEM : 0;
}

/* The innermost frame of a sample; NULL: it has none. */
static const struct tree_frame *leaf_of(const struct xp_tree *tree, uint32_t call)
{
	return call == NO_CALL ? NULL : tree_frame(tree, tree_call(tree, call)->frame);
}

static const char *file_of(const struct xp_tree *tree, const struct tree_frame *frame)
{
	return frame && frame->file != NO_FILE ? tree->files[frame->file].path : "";
}

static void free_text(void *text)
{
	xp_str_fini(text);
}

/* --- CSV --- */

static int begin_csv(const struct export *export, void *state)
{
	(void)state;
	xp_out_text(export->out,
		    "time_ns,event,period,comm,pid,tid,cpu,cgroup,symbol,file,source,line,stack\n");
	return 0;
}

/* Quoted where it has to be. A text that a spreadsheet would take for a formula is quoted, too, and
 * begins with an apostrophe. */
static void put_field(struct out *out, const char *text)
{
	bool is_formula = *text && strchr("=+-@\t\r", *text);
	bool is_quoted = is_formula || text[strcspn(text, ",\"\n")];

	if (is_quoted)
		xp_out_char(out, '"');
	if (is_formula)
		xp_out_char(out, '\'');
	while (*text) {
		size_t plain = 0;

		while (json_text_is_plain(text[plain]))
			plain++;
		xp_out_bytes(out, text, plain);
		text += plain;
		if (*text == '"')
			xp_out_char(out, '"');
		if (*text)
			xp_out_plain(out, &text);
	}
	if (is_quoted)
		xp_out_char(out, '"');
}

static void put_column(struct out *out, const char *text)
{
	put_field(out, text);
	xp_out_char(out, ',');
}

static void put_number(struct out *out, int64_t number)
{
	if (number >= 0)
		xp_out_int(out, number);
	xp_out_char(out, ',');
}

static int write_csv(const struct export *export, void *state, const struct stream_sample *sample)
{
	const struct xp_tree *tree = export->tree;
	const struct tree_task *task = tree_task(tree, sample->task);
	const struct tree_frame *leaf = leaf_of(tree, sample->call);
	struct out *out = export->out;
	struct xp_str *stack = state;
	int err = xp_chain_text(tree, sample->call, stack);

	xp_out_dec(out, sample->time_ns);
	xp_out_char(out, ',');
	put_column(out, tree->events[sample->event].name);
	xp_out_dec(out, sample->period);
	xp_out_char(out, ',');
	put_column(out, task->comm);
	put_number(out, task->pid);
	put_number(out, task->tid);
	put_number(out, sample->cpu);
	put_column(out, task->cgroup);
	put_column(out, leaf && !(leaf->marks & XP_MARK_UNKNOWN) ? leaf->name : "");
	put_column(out, file_of(tree, leaf));
	put_column(out, leaf ? leaf->source : "");
	put_number(out, leaf && leaf->line ? (int64_t)leaf->line : -1);
	put_field(out, xp_str_text(stack));
	xp_out_text(out, "\n");
	return err;
}

const struct stream_format xp_stream_csv = {
	.state_bytes = sizeof(struct xp_str),
	.begin = begin_csv,
	.sample = write_csv,
	.free = free_text,
};

/* --- lines of JSON --- */

static void put_frames(struct json *json, const struct xp_tree *tree, uint32_t call)
{
	uint32_t path[1024], nr = 0;
	char name[4200];

	for (; call != NO_CALL && nr < 1024; call = tree_call(tree, call)->parent)
		path[nr++] = tree_call(tree, call)->frame;
	json_array(json, "stack", &json_compact);
	while (nr--) {
		const struct tree_frame *frame = tree_frame(tree, path[nr]);
		const char *suffix = xp_mark_suffix(frame->marks);

		if (*suffix)
			snprintf(name, sizeof(name), "%s%s", frame->name, suffix);
		json_string(json, NULL, *suffix ? name : frame->name);
	}
	json_end(json);
}

static int write_jsonl(const struct export *export, void *state, const struct stream_sample *sample)
{
	const struct xp_tree *tree = export->tree;
	const struct tree_task *task = tree_task(tree, sample->task);
	const struct tree_frame *leaf = leaf_of(tree, sample->call);
	struct json json;

	(void)state;
	json_init(&json, &export->out->sink, ":");
	json_object(&json, NULL, &json_compact);
	json_uint(&json, "time_ns", sample->time_ns);
	json_string(&json, "event", tree->events[sample->event].name);
	json_uint(&json, "period", sample->period);
	json_string(&json, "comm", task->comm);
	json_int(&json, "pid", task->pid);
	json_int(&json, "tid", task->tid);
	if (sample->cpu >= 0)
		json_int(&json, "cpu", sample->cpu);
	if (*task->cgroup)
		json_string(&json, "cgroup", task->cgroup);
	if (leaf && !(leaf->marks & XP_MARK_UNKNOWN))
		json_string(&json, "symbol", leaf->name);
	if (*file_of(tree, leaf))
		json_string(&json, "file", file_of(tree, leaf));
	if (leaf && *leaf->source) {
		json_string(&json, "source", leaf->source);
		json_uint(&json, "line", leaf->line);
	}
	put_frames(&json, tree, sample->call);
	json_end(&json);
	xp_out_char(export->out, '\n');
	return 0;
}

const struct stream_format xp_stream_jsonl = { .sample = write_jsonl };
