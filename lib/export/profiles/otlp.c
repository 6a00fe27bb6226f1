/* SPDX-License-Identifier: MIT */
/*
 * OTLP profiles: a message ProfilesData, with a Profile per event and a dictionary for all. Entry 0
 * of each table of the dictionary means that there is none. Threads are attributes of samples.
 *
 * The format is in development, and its numbers have changed: these are of opentelemetry-proto 1.9,
 * profiles/v1development/profiles.proto and common/v1/common.proto. Names of attributes are those
 * of the semantic conventions of OpenTelemetry.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "locations.h"
#include "message.h"
#include "types.h"

enum {
	DATA_RESOURCE_PROFILES = 1,
	DATA_DICTIONARY = 2,
	RESOURCE_PROFILES_RESOURCE = 1,
	RESOURCE_PROFILES_SCOPE = 2,
	RESOURCE_ATTRIBUTE = 1,
	KEY_VALUE_KEY = 1,
	KEY_VALUE_VALUE = 2,
	ANY_TEXT = 1,
	SCOPE_PROFILES_SCOPE = 1,
	SCOPE_PROFILES_PROFILE = 2,
	SCOPE_NAME = 1,
	SCOPE_VERSION = 2,

	DICTIONARY_MAPPING = 1,
	DICTIONARY_LOCATION = 2,
	DICTIONARY_FUNCTION = 3,
	DICTIONARY_LINK = 4,
	DICTIONARY_STRING = 5,
	DICTIONARY_ATTRIBUTE = 6,
	DICTIONARY_STACK = 7,

	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_TIME_NS = 3,
	PROFILE_DURATION_NS = 4,
	PROFILE_PERIOD_TYPE = 5,
	PROFILE_PERIOD = 6,
	TYPE_TYPE = 1,
	TYPE_UNIT = 2,
	SAMPLE_STACK = 1,
	SAMPLE_ATTRIBUTES = 2,
	SAMPLE_VALUES = 4,
	MAPPING_LIMIT = 2,
	MAPPING_FILE = 4,
	MAPPING_ATTRIBUTES = 5,
	LOCATION_MAPPING = 1,
	LOCATION_ADDRESS = 2,
	LOCATION_LINE = 3,
	LOCATION_ATTRIBUTES = 4,
	LINE_FUNCTION = 1,
	LINE_LINE = 2,
	FUNCTION_NAME = 1,
	FUNCTION_SYSTEM_NAME = 2,
	FUNCTION_FILE = 3,
	FUNCTION_START_LINE = 4,
	STACK_LOCATIONS = 1,
	ATTRIBUTE_KEY = 1,
	ATTRIBUTE_VALUE = 2,
};

/* An entry of the table of attributes: numbers of texts. */
struct attribute {
	uint64_t key, text;
};

struct otlp {
	const struct export *export;
	const struct xp_tree *tree;
	struct locations locations;
	struct table attributes;
	struct table stacks; /* of calls of the tree; all but 0 have locations */
	struct xp_str data, dictionary, scope, part, inner, value;
	bool failed; /* without memory */
};

static uint64_t text_nr(struct otlp *otlp, const char *text)
{
	return xp_locations_text(&otlp->locations, text);
}

/* --- attributes --- */

/* Adds one to the list in otlp->inner; what is not known is left out. */
static void put_text(struct otlp *otlp, const char *key, const char *text)
{
	const struct attribute attribute = { text_nr(otlp, key), text_nr(otlp, text) };
	uint32_t nr = 0;

	if (!*text)
		return;
	if (xp_table_intern(&otlp->attributes, &attribute, &nr) < 0)
		otlp->failed = true;
	message_varint(&otlp->inner, nr + 1);
}

/* As text: servers make labels of no others. */
static void put_number(struct otlp *otlp, const char *key, int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	if (number >= 0)
		put_text(otlp, key, text);
}

/* The list becomes a field of otlp->part. */
static void put_list(struct otlp *otlp, uint32_t field)
{
	if (otlp->inner.len)
		message_part(&otlp->part, field, &otlp->inner);
}

/* --- profiles --- */

static void put_type(struct otlp *otlp, uint32_t field, const char *type, const char *unit)
{
	message_uint(&otlp->inner, TYPE_TYPE, text_nr(otlp, type));
	message_uint(&otlp->inner, TYPE_UNIT, text_nr(otlp, unit));
	message_part(&otlp->scope, field, &otlp->inner);
}

static uint64_t stack_nr(struct otlp *otlp, uint32_t call)
{
	const uint64_t key = call;
	uint32_t nr = 0;

	if (call == NO_CALL)
		return 0;
	if (xp_table_intern(&otlp->stacks, &key, &nr) < 0)
		otlp->failed = true;
	return nr + 1;
}

static void put_sample(struct otlp *otlp, const struct tree_stack *stack, uint64_t value)
{
	const struct tree_task *task = tree_task(otlp->tree, stack->task);

	message_uint(&otlp->part, SAMPLE_STACK, stack_nr(otlp, stack->call));
	put_number(otlp, "process.pid", task->pid);
	put_number(otlp, "thread.id", task->tid);
	put_text(otlp, "thread.name", task->comm);
	put_number(otlp, "cpu.logical_number", task->cpu);
	put_text(otlp, "process.linux.cgroup", task->cgroup);
	put_list(otlp, SAMPLE_ATTRIBUTES);
	message_varint(&otlp->inner, value);
	put_list(otlp, SAMPLE_VALUES);
	message_part(&otlp->scope, PROFILE_SAMPLE, &otlp->part);
}

/* Into otlp->value, as part of a scope. @samples: their number, instead of their weight */
static void put_profile(struct otlp *otlp, uint32_t event_nr, bool samples)
{
	const struct tree_event *event = &otlp->tree->events[event_nr];
	const struct xp_tree_info *info = &otlp->tree->info;
	char name[TYPE_NAME_MAX];

	xp_type_name(otlp->tree, event_nr, name);
	put_type(otlp, PROFILE_SAMPLE_TYPE, samples ? "samples" : name,
		 samples ? "count" : event->unit);
	for (uint32_t i = 0; i < otlp->tree->stacks.nr; i++) {
		const struct tree_stack *stack = tree_stack(otlp->tree, i);

		if (stack->event == event_nr)
			put_sample(otlp, stack, samples ? stack->samples : stack->period);
	}
	message_fixed(&otlp->scope, PROFILE_TIME_NS, info->time_ns);
	message_uint(&otlp->scope, PROFILE_DURATION_NS, info->duration_ns);
	put_type(otlp, PROFILE_PERIOD_TYPE, name, event->unit);
	message_uint(&otlp->scope, PROFILE_PERIOD, xp_type_period(event));
	message_part(&otlp->value, SCOPE_PROFILES_PROFILE, &otlp->scope);
}

static void put_resource_text(struct otlp *otlp, const char *key, const char *text)
{
	if (!*text)
		return;
	xp_message_text(&otlp->inner, ANY_TEXT, text);
	xp_message_text(&otlp->scope, KEY_VALUE_KEY, key);
	message_part(&otlp->scope, KEY_VALUE_VALUE, &otlp->inner);
	message_part(&otlp->part, RESOURCE_ATTRIBUTE, &otlp->scope);
}

/* There always is one: servers have crashed without. */
static void put_resource(struct otlp *otlp)
{
	char name[TYPE_NAME_MAX];

	put_resource_text(otlp, "service.name", xp_service_name(otlp->tree, name));
	put_resource_text(otlp, "host.name", otlp->tree->info.host);
	message_part(&otlp->data, RESOURCE_PROFILES_RESOURCE, &otlp->part);
}

/* Of clocks, servers want the number of samples, too. */
static void put_profiles(struct otlp *otlp, uint32_t event)
{
	bool is_time = !strcmp(otlp->tree->events[event].unit, "nanoseconds");
	bool only_samples = otlp->export->opts.samples;

	if (only_samples || (is_time && xp_type_is_counted(otlp->tree, event)))
		put_profile(otlp, event, true);
	if (!only_samples)
		put_profile(otlp, event, false);
}

static int write_profiles(struct otlp *otlp)
{
	struct xp_str all = { 0 };

	put_resource(otlp);
	xp_message_text(&otlp->part, SCOPE_NAME, "libxperf");
	xp_message_text(&otlp->part, SCOPE_VERSION, xp_version());
	message_part(&otlp->value, SCOPE_PROFILES_SCOPE, &otlp->part);
	for (uint32_t i = 0; i < otlp->tree->nr_events; i++)
		if (export_has_event(otlp->export, i))
			put_profiles(otlp, i);
	message_part(&otlp->data, RESOURCE_PROFILES_SCOPE, &otlp->value);
	message_part(&all, DATA_RESOURCE_PROFILES, &otlp->data);
	int err = xp_message_write(&all, otlp->export->out);
	xp_str_fini(&all);
	return err;
}

/* --- the dictionary --- */

static void put_entry(struct otlp *otlp, uint32_t table)
{
	message_part(&otlp->dictionary, table, &otlp->part);
}

static void put_mapping(struct otlp *otlp, const struct tree_file *file)
{
	char build_id[2 * sizeof(file->build_id) + 1];

	xp_file_build_id(file, build_id);
	message_uint(&otlp->part, MAPPING_LIMIT, UINT64_MAX);
	message_uint(&otlp->part, MAPPING_FILE, text_nr(otlp, file->path));
	put_text(otlp, "process.executable.build_id.gnu", build_id);
	put_list(otlp, MAPPING_ATTRIBUTES);
	put_entry(otlp, DICTIONARY_MAPPING);
}

static void put_location(struct otlp *otlp, const struct location *location)
{
	const struct tree_frame *frame = tree_frame(otlp->tree, location->frame);
	const char *kind = frame->marks & XP_MARK_KERNEL ? "kernel"
			   : frame->marks & XP_MARK_JIT  ? "jit"
							 : "native";

	message_uint(&otlp->part, LOCATION_MAPPING,
		     frame->file == NO_FILE ? 0 : (uint64_t)frame->file + 1);
	message_uint(&otlp->part, LOCATION_ADDRESS, frame->address);
	for (; location; location = location_outer(&otlp->locations, location)) {
		frame = tree_frame(otlp->tree, location->frame);
		message_uint(&otlp->inner, LINE_FUNCTION,
			     xp_locations_function(&otlp->locations, frame) + 1);
		message_uint(&otlp->inner, LINE_LINE, frame->line);
		message_part(&otlp->part, LOCATION_LINE, &otlp->inner);
	}
	put_text(otlp, "profile.frame.type", kind);
	put_list(otlp, LOCATION_ATTRIBUTES);
	put_entry(otlp, DICTIONARY_LOCATION);
}

static void put_function(struct otlp *otlp, const struct located_function *function)
{
	uint64_t name = text_nr(otlp, function->name);

	message_uint(&otlp->part, FUNCTION_NAME, name);
	message_uint(&otlp->part, FUNCTION_SYSTEM_NAME, name);
	message_uint(&otlp->part, FUNCTION_FILE, text_nr(otlp, function->source));
	message_uint(&otlp->part, FUNCTION_START_LINE, function->start_line);
	put_entry(otlp, DICTIONARY_FUNCTION);
}

static void put_stack(struct otlp *otlp, uint32_t call)
{
	for (; call != NO_CALL; call = location_caller(otlp->tree, call))
		message_varint(&otlp->inner, otlp->locations.calls[call] + 1);
	put_list(otlp, STACK_LOCATIONS);
	put_entry(otlp, DICTIONARY_STACK);
}

static void put_attribute_entry(struct otlp *otlp, const struct attribute *attribute)
{
	message_uint(&otlp->part, ATTRIBUTE_KEY, attribute->key);
	xp_message_text(&otlp->inner, ANY_TEXT,
			xp_locations_text_at(&otlp->locations, (uint32_t)attribute->text));
	message_part(&otlp->part, ATTRIBUTE_VALUE, &otlp->inner);
	put_entry(otlp, DICTIONARY_ATTRIBUTE);
}

/* Tables that number others come before those. */
static int write_dictionary(struct otlp *otlp)
{
	struct locations *locations = &otlp->locations;
	struct xp_str all = { 0 };

	put_entry(otlp, DICTIONARY_MAPPING);
	for (uint32_t i = 0; i < otlp->tree->nr_files; i++)
		put_mapping(otlp, &otlp->tree->files[i]);
	put_entry(otlp, DICTIONARY_LOCATION);
	for (uint32_t i = 0; i < locations->locations.nr; i++)
		put_location(otlp, location_at(locations, i));
	put_entry(otlp, DICTIONARY_FUNCTION);
	for (uint32_t i = 0; i < locations->functions.nr; i++)
		put_function(otlp, function_at(locations, i));
	put_entry(otlp, DICTIONARY_LINK);
	put_entry(otlp, DICTIONARY_STACK);
	for (uint32_t i = 0; i < otlp->stacks.nr; i++)
		put_stack(otlp, (uint32_t) * (const uint64_t *)xp_table_at(&otlp->stacks, i));
	put_entry(otlp, DICTIONARY_ATTRIBUTE);
	for (uint32_t i = 0; i < otlp->attributes.nr; i++)
		put_attribute_entry(otlp, xp_table_at(&otlp->attributes, i));
	for (uint32_t i = 0; i < locations->texts.nr; i++)
		xp_message_text(&otlp->dictionary, DICTIONARY_STRING,
				xp_locations_text_at(locations, i));
	message_part(&all, DATA_DICTIONARY, &otlp->dictionary);
	int err = xp_message_write(&all, otlp->export->out);
	xp_str_fini(&all);
	return err;
}

int xp_format_otlp(const struct export *export)
{
	struct otlp otlp = {
		.export = export,
		.tree = export->tree,
		.attributes = xp_table(sizeof(struct attribute), sizeof(struct attribute)),
		.stacks = xp_table(sizeof(uint64_t), sizeof(uint64_t)),
	};
	int err = xp_locations_init(&otlp.locations, export->tree)
			  ?: write_profiles(&otlp)
			  ?: write_dictionary(&otlp);

	if (!err && (otlp.failed || otlp.locations.failed))
		err = -ENOMEM;
	xp_locations_fini(&otlp.locations);
	xp_table_fini(&otlp.attributes);
	xp_table_fini(&otlp.stacks);
	xp_str_fini(&otlp.data);
	xp_str_fini(&otlp.dictionary);
	xp_str_fini(&otlp.scope);
	xp_str_fini(&otlp.part);
	xp_str_fini(&otlp.inner);
	xp_str_fini(&otlp.value);
	return err;
}
