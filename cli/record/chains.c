/* SPDX-License-Identifier: MIT */
/*
 * The call chains of a recording that has just been made. They are judged when it is over, from
 * the beginning of the file: nothing is done for it while samples come, and the side band that
 * their maps are known by comes before them.
 */
#include "chains.h"

#include <errno.h>
#include <stdlib.h>
#include <xperf/data.h>
#include <xperf/profile.h>
#include <xperf/resolve.h>

#include "chain-ends.h"

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

static int new_profile(struct pass *pass)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD };
	const struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = keys,
		.nr_keys = 1,
		.nr_events = xp_data_nr_events(pass->data),
		.with_chains = true,
	};
	int err = xp_timeline_new(&pass->timeline);

	return err ? err : xp_profile_new(pass->timeline, &opts, &pass->profile);
}

static int new_resolver(struct pass *pass, struct xp_ctx *ctx)
{
	const struct xp_symbols_opts opts = { .size = sizeof(opts),
					      .no_demangle = true,
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

int chains_judge(struct xp_ctx *ctx, const char *path, struct xp_chain_ends **ret_ends,
		 bool *ret_is_all)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = path, .force = true };
	struct xp_chain_ends *ends = NULL;
	struct pass pass = { 0 };
	int err = xp_data_open(ctx, &opts, &pass.data, NULL)
			  ?: new_profile(&pass)
			  ?: each(&pass, note)
			  ?: new_resolver(&pass, ctx)
			  ?: each(&pass, add)
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
