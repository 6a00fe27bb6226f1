/* SPDX-License-Identifier: MIT */
/* What must hold of a recording that is read, whatever its bytes are. */
#ifndef TESTS_FUZZ_RECORDING_CHECK_H
#define TESTS_FUZZ_RECORDING_CHECK_H

#include "machine.h"
#include "record.h"

static inline unsigned int touch(const void *bytes, size_t len)
{
	const uint8_t *at = bytes;
	unsigned int sum = 0;

	for (size_t i = 0; i < len; i++)
		sum += at[i];
	return sum;
}

/* Everything a decoded sample points to is in the record. */
static inline void check_sample(const struct xp_record *record, const struct xp_attr *attr)
{
	static uint64_t again[8192];
	const uint8_t *end = (const uint8_t *)record + record->size;
	struct xp_sample s = { .size = sizeof(s) };

	if (xp_sample_decode(record, attr, &s))
		return;
	assert(!s.read || (const uint8_t *)(s.read + s.nr_read_words) <= end);
	assert(!s.callchain || (const uint8_t *)(s.callchain + s.nr_callchain) <= end);
	assert(!s.raw || (const uint8_t *)s.raw + s.raw_len <= end);
	assert(!s.branches || (const uint8_t *)(s.branches + s.nr_branches) <= end);
	assert(!s.stack || (const uint8_t *)s.stack + s.stack_len <= end);
	assert(s.stack_valid <= s.stack_len);
	assert(!s.aux || (const uint8_t *)s.aux + s.aux_len <= end);
	assert(!s.user_regs.abi || (const uint8_t *)(s.user_regs.values + s.user_regs.nr) <= end);
	int len = xp_sample_encode(&s, attr, again, sizeof(again));
	assert(len > 0 && (size_t)len <= sizeof(again));
}

static inline void check_record(const struct xp_data *data, const struct xp_record *record,
				const struct xp_piece *payload)
{
	const struct xp_record_kind *kind = xp_record_kind(record->type);
	int idx = xp_data_event_of(data, record);
	const struct xp_data_event *event = xp_data_event_at(data, idx < 0 ? 0 : idx);
	struct xp_sample_id id;

	assert((uintptr_t)record % 8 == 0 && kind && record->size >= kind->min);
	assert(idx >= -1 && idx < xp_data_nr_events(data));
	if (kind->text)
		assert(kind->text + strlen((const char *)record + kind->text) < record->size);
	touch(record, record->size);
	touch(payload->at, payload->len);
	if (event && record->type == XP_RECORD_SAMPLE)
		check_sample(record, &event->attr);
	else if (event)
		xp_sample_id_decode(record, &event->attr, &id);
}

static inline void check_events(const struct xp_data *data)
{
	for (int i = 0; i < xp_data_nr_events(data); i++) {
		const struct xp_data_event *event = xp_data_event_at(data, i);

		assert(event->name);
		touch(event->name, strlen(event->name));
		touch(event->ids, event->nr_ids * sizeof(uint64_t));
		assert(event->leader >= 0 && event->leader <= i);
	}
	for (int feature = 0; feature < XP_FEATURE_MAX; feature++) {
		size_t len = 0;
		const void *body = xp_data_feature(data, (enum xp_feature)feature, &len);

		touch(body, len);
	}
}

/* Returns how many records there are. */
static inline uint64_t check_records(struct xp_data *data)
{
	const struct xp_record *record;
	struct xp_piece payload;
	uint64_t nr = 0;
	int got;

	while ((got = xp_data_next(data, &record, &payload)) > 0) {
		check_record(data, record, &payload);
		nr++;
	}
	assert(got == 0 || got == -ENOSYS); /* without zstd */
	for (size_t i = 0; i < 100; i++)
		assert(!xp_data_damage(data, i) == (i >= xp_data_nr_damages(data)));
	return nr;
}

#endif
