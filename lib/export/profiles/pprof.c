/* SPDX-License-Identifier: MIT */
/*
 * pprof: a message Profile, compressed with gzip if zlib is there; its readers accept both. Fields
 * can be in any order, so what refers to others is written as it comes, and tables come last.
 *
 * A location is an address with what is inlined there. Threads are labels of samples, by the names
 * that perf_data_converter gives them.
 *
 * Source: proto/profile.proto of github.com/google/pprof.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "gzip.h"
#include "locations.h"
#include "message.h"
#include "types.h"

enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_TIME_NS = 9,
	PROFILE_DURATION_NS = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,

	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_LOCATION = 1,
	SAMPLE_VALUE = 2,
	SAMPLE_LABEL = 3,
	LABEL_KEY = 1,
	LABEL_TEXT = 2,
	LABEL_NUMBER = 3,
	MAPPING_ID = 1,
	MAPPING_LIMIT = 3,
	MAPPING_FILE = 5,
	MAPPING_BUILD_ID = 6,
	MAPPING_HAS_FUNCTIONS = 7, /* and three more: files, lines, inlined functions */
	LOCATION_ID = 1,
	LOCATION_MAPPING = 2,
	LOCATION_ADDRESS = 3,
	LOCATION_LINE = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_ID = 1,
	FUNCTION_NAME = 2,
	FUNCTION_SYSTEM_NAME = 3,
	FUNCTION_FILE = 4,
	FUNCTION_START_LINE = 5,
};

/* What is known of a file's locations. */
struct known {
	bool functions, sources, lines, inlined;
};

struct pprof {
	const struct export *export;
	const struct xp_tree *tree;
	struct out *out;
	struct locations locations;
	struct known *known; /* per file */
	uint32_t *ids;       /* per file, of its mapping */
	uint32_t *events;    /* per event, where its value is, of those with samples */
	uint32_t nr_values;
	struct xp_str message, part, inner;
	bool failed; /* without memory */
};

static uint64_t text_nr(struct pprof *pprof, const char *text)
{
	return xp_locations_text(&pprof->locations, text);
}

static void write_part(struct pprof *pprof, uint32_t field)
{
	message_part(&pprof->message, field, &pprof->part);
	if (pprof->failed || xp_message_write(&pprof->message, pprof->out))
		pprof->failed = true;
}

/* --- what is counted --- */

static void write_type(struct pprof *pprof, uint32_t field, const char *type, const char *unit)
{
	message_uint(&pprof->part, TYPE_TYPE, text_nr(pprof, type));
	message_uint(&pprof->part, TYPE_UNIT, text_nr(pprof, unit));
	write_part(pprof, field);
}

/* The first value is the number of samples, of all events; then each event has its own. */
static int write_types(struct pprof *pprof)
{
	char name[TYPE_NAME_MAX], period_of[TYPE_NAME_MAX] = "";
	const struct tree_event *first = NULL;

	pprof->events = calloc(pprof->tree->nr_events + 1, sizeof(*pprof->events));
	if (!pprof->events)
		return -ENOMEM;
	write_type(pprof, PROFILE_SAMPLE_TYPE, "samples", "count");
	pprof->nr_values = 1;
	for (uint32_t i = 0; i < pprof->tree->nr_events; i++) {
		const struct tree_event *event = &pprof->tree->events[i];

		if (!export_has_event(pprof->export, i))
			continue;
		pprof->events[i] = pprof->nr_values++;
		xp_type_name(pprof->tree, i, name);
		write_type(pprof, PROFILE_SAMPLE_TYPE, name, event->unit);
		if (!first) {
			first = event;
			memcpy(period_of, name, sizeof(name));
		}
	}
	if (!first)
		return 0;
	write_type(pprof, PROFILE_PERIOD_TYPE, period_of, first->unit);
	message_uint(&pprof->message, PROFILE_PERIOD, xp_type_period(first));
	message_uint(&pprof->message, PROFILE_DEFAULT_TYPE,
		     text_nr(pprof, pprof->export->opts.samples ? "samples" : period_of));
	return xp_message_write(&pprof->message, pprof->out);
}

/* --- where --- */

static void write_location(struct pprof *pprof, uint32_t nr)
{
	const struct location *location = location_at(&pprof->locations, nr);
	const struct tree_frame *frame = tree_frame(pprof->tree, location->frame);

	message_uint(&pprof->part, LOCATION_ID, nr + 1);
	struct known none = { 0 },
		     *known = frame->file == NO_FILE ? &none : &pprof->known[frame->file];
	if (frame->file != NO_FILE)
		message_uint(&pprof->part, LOCATION_MAPPING, pprof->ids[frame->file]);
	message_uint(&pprof->part, LOCATION_ADDRESS, frame->address);
	while (location) {
		frame = tree_frame(pprof->tree, location->frame);
		known->functions |= !(frame->marks & XP_MARK_UNKNOWN);
		known->sources |= *frame->source != '\0';
		known->lines |= frame->line != 0;
		known->inlined |= location->outer != NO_CALL;
		message_uint(&pprof->inner, LINE_FUNCTION,
			     xp_locations_function(&pprof->locations, frame) + 1);
		message_uint(&pprof->inner, LINE_LINE, frame->line);
		message_part(&pprof->part, LOCATION_LINE, &pprof->inner);
		location = location_outer(&pprof->locations, location);
	}
	write_part(pprof, PROFILE_LOCATION);
}

static void write_mapping(struct pprof *pprof, uint32_t nr)
{
	const struct tree_file *file = &pprof->tree->files[nr];
	char build_id[2 * sizeof(file->build_id) + 1];

	xp_file_build_id(file, build_id);
	const struct known *known = &pprof->known[nr];
	message_uint(&pprof->part, MAPPING_ID, pprof->ids[nr]);
	/* Addresses are the file's own, wherever it was mapped. */
	message_uint(&pprof->part, MAPPING_LIMIT, UINT64_MAX);
	message_uint(&pprof->part, MAPPING_FILE, text_nr(pprof, file->path));
	message_uint(&pprof->part, MAPPING_BUILD_ID, text_nr(pprof, build_id));
	message_uint(&pprof->part, MAPPING_HAS_FUNCTIONS, known->functions);
	message_uint(&pprof->part, MAPPING_HAS_FUNCTIONS + 1, known->sources);
	message_uint(&pprof->part, MAPPING_HAS_FUNCTIONS + 2, known->lines);
	message_uint(&pprof->part, MAPPING_HAS_FUNCTIONS + 3, known->inlined);
	write_part(pprof, PROFILE_MAPPING);
}

/* --- samples --- */

static void put_label(struct pprof *pprof, const char *key, const char *text)
{
	if (!*text)
		return;
	message_uint(&pprof->inner, LABEL_KEY, text_nr(pprof, key));
	message_uint(&pprof->inner, LABEL_TEXT, text_nr(pprof, text));
	message_part(&pprof->part, SAMPLE_LABEL, &pprof->inner);
}

static void put_number(struct pprof *pprof, const char *key, int32_t number)
{
	if (number < 0)
		return;
	message_uint(&pprof->inner, LABEL_KEY, text_nr(pprof, key));
	message_uint(&pprof->inner, LABEL_NUMBER, (uint64_t)number);
	message_part(&pprof->part, SAMPLE_LABEL, &pprof->inner);
}

static void put_task(struct pprof *pprof, const struct tree_task *task)
{
	put_number(pprof, "pid", task->pid);
	put_number(pprof, "tid", task->tid);
	put_label(pprof, "comm", task->comm);
	put_number(pprof, "cpu", task->cpu);
	put_label(pprof, "cgroup", task->cgroup);
}

/* Locations, the innermost first. */
static void put_chain(struct pprof *pprof, uint32_t at)
{
	for (; at != NO_CALL; at = location_caller(pprof->tree, at))
		message_varint(&pprof->inner, pprof->locations.calls[at] + 1);
	message_part(&pprof->part, SAMPLE_LOCATION, &pprof->inner);
}

/* The marks of all frames of a call chain. */
static uint32_t marks_of(const struct xp_tree *tree, uint32_t at)
{
	uint32_t marks = 0;

	for (; at != NO_CALL; at = tree_call(tree, at)->parent)
		marks |= tree_frame(tree, tree_call(tree, at)->frame)->marks;
	return marks;
}

static void write_sample(struct pprof *pprof, const struct tree_stack *stack)
{
	const struct tree_event *event = &pprof->tree->events[stack->event];
	uint32_t marks = marks_of(pprof->tree, stack->call), at = pprof->events[stack->event];

	put_chain(pprof, stack->call);
	for (uint32_t i = 0; i < pprof->nr_values; i++)
		message_varint(&pprof->inner, !i ? stack->samples : i == at ? stack->period : 0);
	message_part(&pprof->part, SAMPLE_VALUE, &pprof->inner);
	put_task(pprof, tree_task(pprof->tree, stack->task));
	if (event->is_off_cpu)
		put_label(pprof, "state", "off-CPU");
	if (marks & XP_MARK_JOINED)
		put_label(pprof, "stack", "joined");
	if (marks & XP_MARK_CUT)
		put_label(pprof, "stack", "truncated");
	write_part(pprof, PROFILE_SAMPLE);
}

/* --- the whole --- */

static void write_function(struct pprof *pprof, uint32_t nr)
{
	const struct located_function *function = function_at(&pprof->locations, nr);
	uint64_t name = text_nr(pprof, function->name);

	message_uint(&pprof->part, FUNCTION_ID, nr + 1);
	message_uint(&pprof->part, FUNCTION_NAME, name);
	message_uint(&pprof->part, FUNCTION_SYSTEM_NAME, name);
	message_uint(&pprof->part, FUNCTION_FILE, text_nr(pprof, function->source));
	message_uint(&pprof->part, FUNCTION_START_LINE, function->start_line);
	write_part(pprof, PROFILE_FUNCTION);
}

/* The file that is called as a task is, whose mapping readers expect first; NO_FILE: there is none.
 * Source: prctl(2), PR_SET_NAME: names of tasks are cut to 15 bytes. */
static uint32_t main_file(const struct pprof *pprof)
{
	enum { COMM_LEN = 15 };
	const struct xp_tree *tree = pprof->tree;

	for (uint32_t task = 0; task < tree->tasks.nr; task++)
		for (uint32_t i = 0; i < tree->nr_files; i++) {
			const char *comm = tree_task(tree, task)->comm;

			if (*comm && !strncmp(comm, tree->files[i].name, COMM_LEN))
				return i;
		}
	return NO_FILE;
}

/* Mappings have numbers in the order in which they are written: some readers take nothing else. */
static void number_mappings(struct pprof *pprof)
{
	uint32_t first = main_file(pprof), id = 1;

	if (first != NO_FILE)
		pprof->ids[first] = id++;
	for (uint32_t i = 0; i < pprof->tree->nr_files; i++)
		if (i != first)
			pprof->ids[i] = id++;
}

static void write_mappings(struct pprof *pprof)
{
	uint32_t first = main_file(pprof);

	if (first != NO_FILE)
		write_mapping(pprof, first);
	for (uint32_t i = 0; i < pprof->tree->nr_files; i++)
		if (i != first)
			write_mapping(pprof, i);
}

static void write_tables(struct pprof *pprof)
{
	const struct xp_tree_info *info = &pprof->tree->info;

	for (uint32_t i = 0; i < pprof->locations.locations.nr; i++)
		write_location(pprof, i);
	write_mappings(pprof);
	for (uint32_t i = 0; i < pprof->locations.functions.nr; i++)
		write_function(pprof, i);
	message_uint(&pprof->message, PROFILE_TIME_NS, info->time_ns);
	message_uint(&pprof->message, PROFILE_DURATION_NS, info->duration_ns);
	message_uint(&pprof->message, PROFILE_COMMENT, text_nr(pprof, info->title));
	for (uint32_t i = 0; i < pprof->locations.texts.nr; i++)
		xp_message_text(&pprof->message, PROFILE_STRING,
				xp_locations_text_at(&pprof->locations, i));
	if (xp_message_write(&pprof->message, pprof->out))
		pprof->failed = true;
}

static int write_profile(struct pprof *pprof)
{
	const struct xp_tree *tree = pprof->tree;

	pprof->known = calloc((size_t)tree->nr_files + 1, sizeof(*pprof->known));
	pprof->ids = calloc((size_t)tree->nr_files + 1, sizeof(*pprof->ids));
	int err = xp_locations_init(&pprof->locations, tree)
			  ?: (pprof->known && pprof->ids ? write_types(pprof) : -ENOMEM);
	if (!err)
		number_mappings(pprof);
	for (uint32_t i = 0; !err && i < tree->stacks.nr && !pprof->failed; i++)
		if (export_has_event(pprof->export, tree_stack(tree, i)->event))
			write_sample(pprof, tree_stack(tree, i));
	if (!err)
		write_tables(pprof);
	return err ? err : pprof->failed || pprof->locations.failed ? -ENOMEM : 0;
}

static int write_all(struct pprof *pprof)
{
	int err = write_profile(pprof);
	xp_locations_fini(&pprof->locations);
	xp_str_fini(&pprof->message);
	xp_str_fini(&pprof->part);
	xp_str_fini(&pprof->inner);
	free(pprof->known);
	free(pprof->ids);
	free(pprof->events);
	return err;
}

int xp_format_pprof(const struct export *export)
{
	struct pprof pprof = { .export = export, .tree = export->tree, .out = export->out };
	struct gzip *gzip = NULL;
	int err = xp_gzip_new(export->opts.write, export->opts.data, &gzip);

	if (err && err != -ENOSYS)
		return err;
	if (gzip) {
		export->out->write = xp_gzip_write;
		export->out->data = gzip;
	}
	err = write_all(&pprof) ?: xp_out_flush(export->out);
	if (!err && gzip)
		err = xp_gzip_end(gzip);
	xp_gzip_free(gzip);
	return err;
}
