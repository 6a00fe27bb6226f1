/* SPDX-License-Identifier: MIT */
/*
 * The samples of a recording that has just been made. They are looked at when it is over, from the
 * beginning of the file: nothing is done for it while samples come, and the side band that their
 * maps are known by comes before them.
 */
#include "chains.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/profile.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>
#include <xperf/symtab.h>

#include "chain-ends.h"
#include "escape.h"
#include "unnamed.h"

enum { MAX_BYTES = 8 << 20 };

struct pass {
	struct xp_data *data;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_profile *profile;
	bool is_cut; /* there is more in the file */
};

/* Calls @fn for the records at the beginning. */
static int each(struct pass *pass, int (*fn)(struct pass *pass, const struct xp_record *record))
{
	const struct xp_record *record;
	uint64_t bytes = 0;
	int more, err = xp_data_rewind(pass->data);

	while (!err && (more = xp_data_next(pass->data, &record, NULL)) != 0) {
		err = more < 0 ? more : fn(pass, record);
		bytes += more < 0 ? 0 : record->size;
		pass->is_cut = bytes > MAX_BYTES;
		if (pass->is_cut)
			break;
	}
	return err;
}

static const struct xp_attr *attr_of(const struct pass *pass, const struct xp_record *record)
{
	const struct xp_data_event *event =
		xp_data_event_at(pass->data, xp_data_event_of(pass->data, record));

	return event ? &event->attr : NULL;
}

static int note(struct pass *pass, const struct xp_record *record)
{
	struct xp_sample_id id = { .pid = -1, .tid = -1, .cpu = -1, .time_ns = XP_NO_TIME };
	uint64_t position = xp_data_position(pass->data);

	if (record->type >= XP_RECORD_HEADER_ATTR || record->type == XP_RECORD_SAMPLE)
		return 0;
	const struct xp_attr *attr = attr_of(pass, record);
	if (attr)
		xp_sample_id_decode(record, attr, &id);
	int err = xp_timeline_add_at(pass->timeline, record, &id, position);
	return err ? err : xp_profile_note_at(pass->profile, record, &id, position);
}

static int add(struct pass *pass, const struct xp_record *record)
{
	struct xp_sample sample = { .size = sizeof(sample) };
	const struct xp_attr *attr =
		record->type == XP_RECORD_SAMPLE ? attr_of(pass, record) : NULL;

	if (!attr || xp_sample_decode(record, attr, &sample))
		return 0;
	sample.id.time_ns =
		xp_timeline_moment(pass->timeline, sample.id.time_ns, xp_data_position(pass->data));
	return xp_profile_add(pass->profile, xp_data_event_of(pass->data, record), &sample);
}

static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_DSO, XP_KEY_SYMBOL };
enum { NR_KEYS = sizeof(keys) / sizeof(keys[0]) };

static int new_profile(struct pass *pass, int nr_keys)
{
	const struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = keys,
		.nr_keys = nr_keys,
		.nr_events = xp_data_nr_events(pass->data),
		.with_chains = true,
	};
	int err = xp_timeline_new(&pass->timeline);

	return err ? err : xp_profile_new(pass->timeline, &opts, &pass->profile);
}

static int new_resolver(struct pass *pass, struct xp_ctx *ctx, bool no_demangle)
{
	const struct xp_symbols_opts opts = { .size = sizeof(opts),
					      .no_demangle = no_demangle,
					      .this_machine = true };
	return xp_timeline_seal(pass->timeline)
		       ?: xp_symbols_new(ctx, &opts, &pass->symbols)
		       ?: xp_resolver_new(pass->timeline, pass->symbols, &pass->resolver);
}

static void fini(struct pass *pass)
{
	xp_profile_free(pass->profile);
	xp_resolver_free(pass->resolver);
	xp_symbols_free(pass->symbols);
	xp_timeline_free(pass->timeline);
	xp_data_close(pass->data);
}

/* Reads the beginning of the file into a profile. @by_function: names of functions are wanted */
static int read_samples(struct pass *pass, struct xp_ctx *ctx, const char *path, bool by_function)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = path, .force = true };

	return xp_data_open(ctx, &opts, &pass->data, NULL)
		       ?: new_profile(pass, by_function ? NR_KEYS : 1)
		       ?: each(pass, note)
		       ?: new_resolver(pass, ctx, !by_function)
		       ?: each(pass, add);
}

int chains_judge(struct xp_ctx *ctx, const char *path, struct xp_chain_ends **ret_ends,
		 bool *ret_is_all)
{
	struct xp_chain_ends *ends = NULL;
	struct pass pass = { 0 };
	int err = read_samples(&pass, ctx, path, false)
			  ?: xp_chain_ends_new(&ends)
			  ?: chain_ends_judge(pass.data, pass.profile, pass.resolver, ends);

	fini(&pass);
	if (err) {
		xp_chain_ends_free(ends);
		return err;
	}
	*ret_is_all = !pass.is_cut;
	*ret_ends = ends;
	return 0;
}

/* --- what was found --- */

/* Returns false: the function has no name. */
static bool put_function(const struct xp_location *location)
{
	const struct xp_line *lines;

	if (!location || !location->frame.function.name)
		return false;
	escape_print(stderr, location->frame.function.name);
	if (location->level != '.')
		return true;
	struct xp_frame start = location->frame;
	start.address = start.function.start;
	if (xp_frame_lines(&start, false, &lines) == 1 && lines[0].file) {
		const char *slash = strrchr(lines[0].file, '/');

		fputs(" (", stderr);
		escape_print(stderr, slash ? slash + 1 : lines[0].file);
		fprintf(stderr, ":%" PRIu32 ")", lines[0].line);
	}
	return true;
}

/* The function that called it most often: the first one in its chains that is another. */
static const struct xp_location *caller_of(struct xp_profile *profile, int event,
					   const struct xp_profile_row *row)
{
	const struct xp_chain *chain;
	const char *name = row->location->frame.function.name;

	if (xp_profile_chains(profile, event, 0, &chain))
		return NULL;
	for (chain = chain->child; chain; chain = chain->child)
		for (int i = 0; i < chain->nr_locations; i++) {
			const char *caller = chain->locations[i]->frame.function.name;

			if (!caller)
				return NULL;
			if (strcmp(caller, name) != 0)
				return chain->locations[i];
		}
	return NULL;
}

/* Prints the file of code that is in no function. */
static void put_place(const struct xp_location *location)
{
	const struct xp_dso *dso = location ? location->frame.map.dso : NULL;

	fputs("unknown code", stderr);
	if (!dso)
		return;
	fputs(" of ", stderr);
	escape_print(stderr, dso->name);
}

static void say_row(const struct pass *pass, int event, bool with_caller)
{
	struct xp_profile_total total = { .size = sizeof(total) };
	const struct xp_profile_row *row = xp_profile_row_at(pass->profile, event, 0);

	xp_profile_total_at(pass->profile, event, &total);
	if (!row || !total.period)
		return;
	fprintf(stderr, "%.0f %% in ", 100 * (double)row->sum.period / (double)total.period);
	if (put_function(row->location)) {
		const struct xp_location *caller =
			with_caller ? caller_of(pass->profile, event, row) : NULL;

		if (caller) {
			fputs(", called by ", stderr);
			escape_print(stderr, caller->frame.function.name);
		}
	} else {
		put_place(row->location);
	}
	if (pass->is_cut)
		fprintf(stderr, ", of the first %" PRIu64 " samples", total.samples);
	fputc('\n', stderr);
}

void chains_say_found(struct xp_ctx *ctx, const char *path, bool with_caller)
{
	struct pass pass = { 0 };
	int err = read_samples(&pass, ctx, path, true)
			  ?: xp_profile_resolve(pass.profile, pass.resolver, NULL, NULL);
	int nr = err ? 0 : xp_data_nr_events(pass.data), event = 0;

	while (event < nr && !xp_profile_nr_rows(pass.profile, event))
		event++;
	if (event < nr)
		say_row(&pass, event, with_caller);
	/* It is lost with the process. */
	if (event < nr)
		unnamed_print(stderr, pass.is_cut ? "Names, of the first samples: " : "Names: ",
			      pass.timeline, pass.profile, true);
	fini(&pass);
}
