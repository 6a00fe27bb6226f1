/* SPDX-License-Identifier: MIT */
/*
 * Profiles of pprof, of any program, become a tree. Each kind of value is an event, except the
 * number of samples, if there is another. Labels pid, tid and comm make tasks. The bytes are not
 * trusted.
 *
 * Source: as for pprof.c.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gzip.h"
#include "tree.h"
#include "vec.h"
#include "wire.h"

enum {
	MAX_TYPES = 64,
	MAX_LINES = 256,
	NO_TYPE = -1,
	CALLS_AT_LEAST = 1 << 20,
	CALLS_PER_BYTE = 8
};

/*
 * What has an id. @at: the message, which is decoded once, when it is needed. @nr: of a mapping,
 * its file in the tree; of a location, the first of its frames in profile->frames, the outermost,
 * of which there are @nr_frames. @name, @source, @start_line: of a
 * function
 */
struct entry {
	uint64_t id;
	struct wire at; /* value */
	const char *name, *source;
	uint32_t nr, nr_frames, is_known, start_line;
};

struct profile {
	struct xp_tree *tree;
	const char **texts; /* of tree->texts */
	size_t nr_texts;
	struct table mappings, locations, functions; /* struct entry */
	uint32_t *frames;                            /* of locations */
	size_t nr_frames, most_calls;
	uint32_t events[MAX_TYPES];
	int nr_types, samples_type; /* NO_TYPE: there is none of samples */
};

static const char *text_at(const struct profile *profile, uint64_t nr)
{
	return nr < profile->nr_texts ? profile->texts[nr] : "";
}

/* --- tables --- */

static int add_text(struct profile *profile, const struct wire *text)
{
	size_t len = (size_t)(text->end - text->at);
	const char *nul = memchr(text->at, '\0', len);
	const char *kept = xp_intern_add(&profile->tree->texts, (const char *)text->at,
					 nul ? (size_t)(nul - (const char *)text->at) : len);

	if (!kept || vec_add(&profile->texts, profile->nr_texts, sizeof(*profile->texts)))
		return -ENOMEM;
	profile->texts[profile->nr_texts++] = kept;
	return 0;
}

/* The id of mappings, locations and functions is their field 1. */
static int add_entry(struct table *table, const struct wire *message)
{
	struct wire rest = *message;
	struct wire_field field;
	uint64_t id = 0;
	uint32_t nr;
	int got;

	while ((got = wire_next(&rest, &field)) > 0)
		if (field.nr == 1)
			id = field.value;
	if (got < 0)
		return got;
	if (xp_table_intern(table, &id, &nr) < 0)
		return -ENOMEM;
	((struct entry *)xp_table_at(table, nr))->at = *message;
	return 0;
}

static struct entry *find_entry(const struct table *table, uint64_t id)
{
	uint64_t hash = xp_table_hash(table->seed, &id, sizeof(id));
	uint32_t nr;

	return xp_table_has(table, &id, sizeof(id), hash, &nr) ? xp_table_at(table, nr) : NULL;
}

static int read_tables(struct profile *profile, struct wire rest)
{
	struct wire_field field;
	int got, err = 0;

	while (!err && (got = wire_next(&rest, &field)) != 0) {
		if (got < 0)
			return got;
		if (!field.part.at)
			continue;
		if (field.nr == 3)
			err = add_entry(&profile->mappings, &field.part);
		else if (field.nr == 4)
			err = add_entry(&profile->locations, &field.part);
		else if (field.nr == 5)
			err = add_entry(&profile->functions, &field.part);
		else if (field.nr == 6)
			err = add_text(profile, &field.part);
	}
	return err;
}

/* The value of a field of numbers; 0: it is not there. */
static uint64_t number_in(struct wire message, uint32_t nr)
{
	struct wire_field field;
	uint64_t value = 0;

	while (wire_next(&message, &field) > 0)
		if (field.nr == nr)
			value = field.value;
	return value;
}

/* --- what is counted --- */

/* @period: of the type that the profile has one of, @period_type */
static int add_type(struct profile *profile, const struct wire *message, uint64_t period,
		    const char *period_type)
{
	const char *type = text_at(profile, number_in(*message, 1));
	const struct tree_event event = { .name = type,
					  .unit = text_at(profile, number_in(*message, 2)),
					  .sample_period = type == period_type ? period : 0 };

	if (profile->nr_types == MAX_TYPES)
		return -EBADMSG;
	if (!strcmp(type, "samples") || !strcmp(type, "sample"))
		profile->samples_type = profile->nr_types;
	return xp_tree_add_event(profile->tree, &event, &profile->events[profile->nr_types++]);
}

static int read_types(struct profile *profile, struct wire rest)
{
	struct wire all = rest;
	const uint64_t period = number_in(rest, 12);
	const char *period_type = NULL;
	struct wire_field field;
	int err = 0;

	while (wire_next(&all, &field) > 0)
		if (field.nr == 11 && field.part.at)
			period_type = text_at(profile, number_in(field.part, 1));
	while (!err && wire_next(&rest, &field) > 0)
		if (field.nr == 1)
			err = add_type(profile, &field.part, period, period_type);
	return err;
}

/* When, how long, and of what. */
static void read_times(struct profile *profile, struct wire rest)
{
	const char *comment = text_at(profile, number_in(rest, 13));

	if (*comment)
		profile->tree->info.title = comment;
	profile->tree->info.time_ns = number_in(rest, 9);
	profile->tree->info.duration_ns = number_in(rest, 10);
}

/* --- frames --- */

/* In hexadecimal; what is none of at most 20 bytes is left out, as those of Go are. */
static void parse_build_id(const char *text, struct tree_file *file)
{
	size_t len = strlen(text), nr = len / 2;
	unsigned int byte;
	int end;

	if (!len || len % 2 || nr > sizeof(file->build_id) ||
	    strspn(text, "0123456789abcdefABCDEF") != len)
		return;
	for (size_t i = 0; i < nr; i++, text += 2) {
		sscanf(text, "%2x%n", &byte, &end);
		file->build_id[i] = (uint8_t)byte;
	}
	file->build_id_len = (uint8_t)nr;
}

static int find_file(struct profile *profile, uint64_t id, uint32_t *ret_nr)
{
	struct entry *mapping = find_entry(&profile->mappings, id);

	*ret_nr = NO_FILE;
	if (!mapping)
		return 0;
	if (!mapping->is_known) {
		const char *path = text_at(profile, number_in(mapping->at, 5));
		const char *slash = strrchr(path, '/');
		struct tree_file file = { .path = path, .name = slash ? slash + 1 : path };

		parse_build_id(text_at(profile, number_in(mapping->at, 6)), &file);
		int err = *path ? xp_tree_add_file(profile->tree, &file, &mapping->nr) : 0;

		if (err)
			return err;
		mapping->nr = *path ? mapping->nr : NO_FILE;
		mapping->is_known = 1;
	}
	*ret_nr = mapping->nr;
	return 0;
}

static uint32_t marks_of(const struct profile *profile, uint32_t file)
{
	return file != NO_FILE && !strncmp(profile->tree->files[file].name, "[kernel", 7)
		       ? XP_MARK_KERNEL
		       : 0;
}

/* One more frame of the location that is decoded. */
static int push_frame(struct profile *profile, const struct tree_frame *frame)
{
	uint32_t nr;
	int err = xp_tree_add_frame(profile->tree, frame, &nr);

	if (err || vec_add(&profile->frames, profile->nr_frames, sizeof(*profile->frames)))
		return -ENOMEM;
	profile->frames[profile->nr_frames++] = nr;
	return 0;
}

/* A frame without a function: the name of its file. */
static int push_unknown(struct profile *profile, struct tree_frame *frame)
{
	const char *file =
		frame->file == NO_FILE ? "unknown" : profile->tree->files[frame->file].name;
	char name[4096];

	snprintf(name, sizeof(name), *file == '[' ? "%s" : "[%s]", file);
	frame->name = name;
	frame->marks |= XP_MARK_UNKNOWN;
	return push_frame(profile, frame);
}

static const struct entry *find_function(const struct profile *profile, uint64_t id)
{
	struct entry *function = find_entry(&profile->functions, id);

	if (function && !function->is_known) {
		function->name = text_at(profile, number_in(function->at, 2));
		function->source = text_at(profile, number_in(function->at, 4));
		function->start_line = (uint32_t)number_in(function->at, 5);
		function->is_known = 1;
	}
	return function;
}

static int push_line(struct profile *profile, const struct tree_frame *like,
		     const struct wire *line)
{
	const struct entry *function = find_function(profile, number_in(*line, 1));
	struct tree_frame frame = *like;

	if (!function || !*function->name)
		return push_unknown(profile, &frame);
	frame.name = function->name;
	/* The name of a file, where xperf knew no function. */
	size_t len = strlen(frame.name);
	if (len > 2 && frame.name[0] == '[' && frame.name[len - 1] == ']')
		frame.marks |= XP_MARK_UNKNOWN;
	frame.source = function->source;
	frame.start_line = *frame.source ? function->start_line : 0;
	frame.line = *frame.source ? (uint32_t)number_in(*line, 2) : 0;
	return push_frame(profile, &frame);
}

/* Its last line is outermost; of more than MAX_LINES, the innermost count. */
static int decode_location(struct profile *profile, struct entry *location)
{
	struct tree_frame frame = { .file = NO_FILE };
	struct wire lines[MAX_LINES], rest = location->at;
	struct wire_field field;
	size_t nr = 0;
	int err = find_file(profile, number_in(rest, 2), &frame.file);

	frame.address = frame.key_address = number_in(rest, 3);
	frame.marks = marks_of(profile, frame.file);
	while (nr < MAX_LINES && wire_next(&rest, &field) > 0)
		if (field.nr == 4)
			lines[nr++] = field.part;
	location->nr = (uint32_t)profile->nr_frames;
	if (!err && !nr)
		err = push_unknown(profile, &frame);
	while (!err && nr-- > 0) {
		err = push_line(profile, &frame, &lines[nr]);
		frame.marks |= XP_MARK_INLINED;
	}
	location->nr_frames = (uint32_t)profile->nr_frames - location->nr;
	location->is_known = !err;
	return err;
}

/* The frames of a location, called by *call. */
static int add_location(struct profile *profile, uint64_t id, uint32_t *call)
{
	struct entry *location = find_entry(&profile->locations, id);
	int err = location && !location->is_known ? decode_location(profile, location) : 0;

	for (uint32_t i = 0; !err && location && i < location->nr_frames; i++)
		err = xp_tree_add_call(profile->tree, *call, profile->frames[location->nr + i],
				       call);
	/* Few bytes could stand for very many frames. */
	return err ? err : profile->tree->calls.nr > profile->most_calls ? -EBADMSG : 0;
}

/* --- samples --- */

struct numbers {
	uint64_t *at;
	size_t nr, room;
};

struct sample {
	struct numbers locations, values;
	struct tree_task task;
};

static int add_numbers(struct numbers *numbers, struct wire_field field)
{
	uint64_t value;
	int got;

	for (bool first = true; (got = wire_number(&field, first, &value)) > 0; first = false) {
		if (vec_reserve(&numbers->at, numbers->nr, &numbers->room, sizeof(*numbers->at)))
			return -ENOMEM;
		numbers->at[numbers->nr++] = value;
	}
	return got;
}

static void read_label(const struct profile *profile, struct wire label, struct tree_task *task)
{
	const char *key = text_at(profile, number_in(label, 1));
	uint64_t number = number_in(label, 3);

	if (!strcmp(key, "pid") && number <= INT32_MAX)
		task->pid = (int32_t)number;
	else if (!strcmp(key, "tid") && number <= INT32_MAX)
		task->tid = (int32_t)number;
	else if (!strcmp(key, "cpu") && number <= INT32_MAX)
		task->cpu = (int32_t)number;
	else if (!strcmp(key, "cgroup"))
		task->cgroup = text_at(profile, number_in(label, 2));
	else if (!strcmp(key, "comm") || !strcmp(key, "thread_comm"))
		task->comm = text_at(profile, number_in(label, 2));
}

static int read_sample(const struct profile *profile, struct wire rest, struct sample *sample)
{
	struct wire_field field;
	int got, err = 0;

	sample->locations.nr = sample->values.nr = 0;
	sample->task = (struct tree_task){ .pid = -1, .tid = -1, .cpu = -1 };
	while (!err && (got = wire_next(&rest, &field)) != 0) {
		if (got < 0)
			return got;
		if (field.nr == 1)
			err = add_numbers(&sample->locations, field);
		else if (field.nr == 2)
			err = add_numbers(&sample->values, field);
		else if (field.nr == 3)
			read_label(profile, field.part, &sample->task);
	}
	return err;
}

/* How often it was seen, if that is known. Values that are negative, as of differences, do not
 * count. */
static uint64_t nr_samples(const struct profile *profile, const struct sample *sample)
{
	int at = profile->samples_type;

	return at != NO_TYPE && (size_t)at < sample->values.nr && (int64_t)sample->values.at[at] > 0
		       ? sample->values.at[at]
		       : 1;
}

static int count_sample(struct profile *profile, const struct sample *sample)
{
	struct tree_stack stack = { .call = NO_CALL, .samples = nr_samples(profile, sample) };
	int err = xp_tree_add_task(profile->tree, &sample->task, &stack.task);

	for (size_t i = sample->locations.nr; !err && i-- > 0;)
		err = add_location(profile, sample->locations.at[i], &stack.call);
	for (size_t i = 0; !err && i < sample->values.nr && i < (size_t)profile->nr_types; i++) {
		stack.event = profile->events[i];
		stack.period = sample->values.at[i];
		if ((int64_t)stack.period <= 0 ||
		    ((int)i == profile->samples_type && profile->nr_types > 1))
			continue;
		if (profile->tree->events[stack.event].period > UINT64_MAX - stack.period)
			return -EBADMSG;
		err = xp_tree_add_stack(profile->tree, &stack);
	}
	return err;
}

static int read_samples(struct profile *profile, struct wire rest)
{
	struct sample sample = { 0 };
	struct wire_field field;
	int err = 0;

	while (!err && wire_next(&rest, &field) > 0)
		if (field.nr == 2)
			err = read_sample(profile, field.part, &sample)
				      ?: count_sample(profile, &sample);
	free(sample.locations.at);
	free(sample.values.at);
	return err;
}

static int read_profile(struct xp_tree *tree, const uint8_t *bytes, size_t len)
{
	const struct wire all = { bytes, bytes + len };
	struct profile profile = {
		.tree = tree,
		.mappings = xp_table(sizeof(uint64_t), sizeof(struct entry)),
		.locations = xp_table(sizeof(uint64_t), sizeof(struct entry)),
		.functions = xp_table(sizeof(uint64_t), sizeof(struct entry)),
		.samples_type = NO_TYPE,
		.most_calls = tree->calls.nr + CALLS_AT_LEAST + len * CALLS_PER_BYTE,
	};
	int err = read_tables(&profile, all)
			  ?: read_types(&profile, all)
			  ?: (profile.nr_types ? read_samples(&profile, all) : -EBADMSG);

	if (!err)
		read_times(&profile, all);
	free(profile.texts);
	free(profile.frames);
	xp_table_fini(&profile.mappings);
	xp_table_fini(&profile.locations);
	xp_table_fini(&profile.functions);
	return err;
}

int xp_tree_add_pprof(struct xp_tree *tree, const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	void *unpacked = NULL;
	int err = 0;

	if (len >= 2 && at[0] == 0x1f && at[1] == 0x8b) {
		err = xp_gzip_unpack(bytes, len, &unpacked, &len);
		at = unpacked;
	}
	if (!err)
		err = read_profile(tree, at, len);
	free(unpacked);
	return err;
}
