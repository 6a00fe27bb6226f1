/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as the records of a recording with two events, which are attributed and
 * summed up as for a report: no sample is lost, and what they were attributed to is there.
 */
#include "recording-check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { IP = 1, TID = 2, TIME = 4, ADDR = 8, CALLCHAIN = 32, CPU = 128, PERIOD = 256 };
enum { BRANCH_STACK = 1 << 11, IDENTIFIER = 1 << 16 };

/* Of the file: header, events, ids. */
struct head {
	struct {
		uint64_t magic, size, attr_size, attrs[2], data[2], event_types[2], features[4];
	} header;
	struct {
		struct xp_attr attr;
		uint64_t ids[2];
	} events[2];
	uint64_t ids[2];
};

static void make_head(struct head *head, size_t len)
{
	memset(head, 0, sizeof(*head));
	head->header.magic = UINT64_C(0x32454c4946524550);
	head->header.size = sizeof(head->header);
	head->header.attr_size = sizeof(head->events[0]);
	head->header.attrs[0] = offsetof(struct head, events);
	head->header.attrs[1] = sizeof(head->events);
	head->header.data[0] = sizeof(*head);
	head->header.data[1] = len;
	for (unsigned int i = 0; i < 2; i++) {
		struct xp_attr *attr = &head->events[i].attr;

		attr->size = sizeof(*attr);
		attr->type = 1;
		attr->config = i;
		attr->sample_period = 1;
		attr->sample_type = IDENTIFIER | IP | TID | TIME | CPU;
		attr->sample_type |= i ? BRANCH_STACK : ADDR | PERIOD | CALLCHAIN;
		attr->sample_id_all = 1;
		head->events[i].ids[0] = offsetof(struct head, ids) + i * sizeof(uint64_t);
		head->events[i].ids[1] = sizeof(uint64_t);
		head->ids[i] = i + 1;
	}
}

static int decode_id(const struct xp_data *data, const struct xp_record *record,
		     struct xp_sample_id *ret_id)
{
	*ret_id = (struct xp_sample_id){ -1, -1, XP_NO_TIME, 0, 0, -1 };
	return record->type < XP_RECORD_HEADER_ATTR
		       ? xp_sample_id_decode(record, &xp_data_event_at(data, 0)->attr, ret_id)
		       : 0;
}

/* The side band, which the profile must hear of before the samples. */
static void note_records(struct xp_profile *profile, struct xp_data *data)
{
	const struct xp_record *record;
	struct xp_sample_id id;

	assert(!xp_data_rewind(data));
	while (xp_data_next(data, &record, NULL) > 0)
		if (record->type != XP_RECORD_SAMPLE && !decode_id(data, record, &id))
			assert(!xp_profile_note(profile, record, &id));
}

static uint64_t add_samples(struct xp_profile *profile, struct xp_data *data)
{
	const struct xp_record *record;
	struct xp_sample sample = { .size = sizeof(sample) };
	uint64_t nr = 0;

	assert(!xp_data_rewind(data));
	while (xp_data_next(data, &record, NULL) > 0) {
		int event = xp_data_event_of(data, record);

		if (record->type != XP_RECORD_SAMPLE || event < 0 ||
		    xp_sample_decode(record, &xp_data_event_at(data, event)->attr, &sample))
			continue;
		assert(!xp_profile_add(profile, event, &sample));
		nr++;
	}
	return nr;
}

static uint64_t check_rows(struct xp_profile *profile, int event)
{
	const struct xp_profile_row *row;
	const struct xp_chain *chain;
	uint64_t nr = 0;

	for (size_t i = 0; (row = xp_profile_row_at(profile, event, i)); i++) {
		assert(row->comm && row->location);
		touch(row->comm, strlen(row->comm));
		assert(!xp_profile_chains(profile, event, i, &chain));
		nr += row->sum.samples;
	}
	return nr;
}

static void sum_up(struct xp_ctx *ctx, struct xp_data *data, const struct xp_timeline *timeline,
		   unsigned int variant)
{
	static const enum xp_key keys[] = { XP_KEY_COMM, XP_KEY_DSO, XP_KEY_SYMBOL };
	const struct xp_profile_opts opts = {
		.size = sizeof(opts),
		.keys = keys,
		.nr_keys = 3,
		.nr_events = 2,
		.with_chains = true,
		.children = variant & 1,
		.callers_first = variant & 2,
	};
	const struct xp_symbols_opts nowhere = { .size = sizeof(nowhere),
						 .symfs = "/nowhere",
						 .kallsyms = "/nowhere",
						 .debug_dir = "/nowhere" };
	struct xp_profile *profile;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;

	assert(!xp_profile_new(timeline, &opts, &profile));
	note_records(profile, data);
	uint64_t nr = add_samples(profile, data);
	assert(!xp_symbols_new(ctx, &nowhere, &symbols));
	assert(!xp_resolver_new(timeline, symbols, &resolver));
	assert(!xp_profile_resolve(profile, resolver, NULL, NULL));
	assert(check_rows(profile, 0) + check_rows(profile, 1) == nr);
	xp_profile_free(profile);
	xp_resolver_free(resolver);
	xp_symbols_free(symbols);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_timeline *timeline;
	struct machine machine;
	struct xp_data *file;

	if (!size)
		return 0;
	size_t len = sizeof(struct head) + size - 1;
	uint8_t *bytes = malloc(len);
	assert(bytes);
	make_head((struct head *)bytes, size - 1);
	memcpy(bytes + sizeof(struct head), data + 1, size - 1);
	struct xp_ctx *ctx = machine_ctx(&machine, bytes, len, false);
	assert(!machine_data(ctx, &file));
	assert(!xp_timeline_new(&timeline) && !xp_timeline_load(timeline, file, NULL, NULL));
	sum_up(ctx, file, timeline, data[0]);
	xp_timeline_free(timeline);
	xp_data_close(file);
	xp_ctx_free(ctx);
	free(bytes);
	return 0;
}
