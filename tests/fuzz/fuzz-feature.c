/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as a feature section of a recording with two events. The first byte says
 * which feature, and with its highest bit that the recording is of the other byte order.
 */
#include <byteswap.h>
#include <dlfcn.h>

#include "header.h"
#include "recording-check.h"
#include "traces.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum {
	NR_EVENTS = 2,
	HEADER = 104,
	EVENT = sizeof(struct xp_attr) + 16,
	BODY_AT = HEADER + NR_EVENTS * EVENT + NR_EVENTS * 8 + 16,
};

static void put_u32(uint8_t *at, uint32_t value, bool swapped)
{
	value = swapped ? bswap_32(value) : value;
	memcpy(at, &value, sizeof(value));
}

static void put_u64(uint8_t *at, uint64_t value, bool swapped)
{
	value = swapped ? bswap_64(value) : value;
	memcpy(at, &value, sizeof(value));
}

static void put_section(uint8_t *at, uint64_t offset, uint64_t len, bool swapped)
{
	put_u64(at, offset, swapped);
	put_u64(at + 8, len, swapped);
}

/* The events, of types that PMU mappings can name, with ids that descriptions can name. */
static void put_events(uint8_t *file, bool swapped)
{
	uint64_t ids_at = HEADER + NR_EVENTS * EVENT;

	for (unsigned int i = 0; i < NR_EVENTS; i++) {
		uint8_t *attr = file + HEADER + i * EVENT;

		put_u32(attr, 2 + i, swapped);
		put_u32(attr + offsetof(struct xp_attr, size), sizeof(struct xp_attr), swapped);
		put_u64(attr + offsetof(struct xp_attr, config), i, swapped);
		put_section(attr + sizeof(struct xp_attr), ids_at + i * 8, 8, swapped);
		put_u64(file + ids_at + i * 8, 'a' + i, swapped);
	}
}

static uint8_t *make_file(unsigned int feature, bool swapped, const uint8_t *body, size_t len)
{
	uint8_t *file = calloc(1, BODY_AT + len);

	assert(file);
	put_u64(file, UINT64_C(0x32454c4946524550), swapped);
	put_u64(file + 8, HEADER, swapped);
	put_u64(file + 16, EVENT, swapped);
	put_section(file + 24, HEADER, NR_EVENTS * EVENT, swapped);
	put_section(file + 40, BODY_AT - 16, 0, swapped);
	put_u64(file + 72 + feature / 64 * 8, UINT64_C(1) << feature % 64, swapped);
	put_events(file, swapped);
	put_section(file + BODY_AT - 16, BODY_AT, len, swapped);
	if (len)
		memcpy(file + BODY_AT, body, len);
	return file;
}

/* All of it, as a report does. */
static void print(const struct xp_data *data)
{
	static FILE *nowhere;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	assert(nowhere);
	header_print(nowhere, data, MACHINE_FILE, true);
	for (int cpu = -1; cpu < 4; cpu++)
		header_socket(data, cpu);
}

/* What the formats say, libtraceevent reads: that is not tried here. */
static void read_traces(const struct xp_data *data)
{
	struct xp_traces *traces;
	size_t len;
	const void *body = xp_data_feature(data, XP_FEATURE_TRACING_DATA, &len);

	if (!body || xp_traces_new(body, len, &traces, NULL))
		return;
	for (uint64_t id = 0; id < 16; id++) {
		const char *name = xp_traces_name(traces, id);

		assert(!name || strchr(name, ':'));
	}
	xp_traces_free(traces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_timeline *timeline;
	struct machine machine;
	struct xp_data *file;
	static void *library;

	if (!size)
		return 0;
	/* Loaded once, not for every recording. */
	if (!library)
		library = dlopen("libtraceevent.so.1", RTLD_NOW | RTLD_LOCAL);
	uint8_t *bytes = make_file(data[0] & 63, data[0] & 128, data + 1, size - 1);
	struct xp_ctx *ctx = machine_ctx(&machine, bytes, BODY_AT + size - 1, false);
	assert(!machine_data(ctx, &file) && xp_data_nr_events(file) == NR_EVENTS);
	check_events(file);
	print(file);
	read_traces(file);
	assert(!xp_timeline_new(&timeline) && !xp_timeline_load(timeline, file, NULL, NULL));
	for (int i = 0; i < xp_timeline_nr_dsos(timeline); i++)
		assert(xp_timeline_dso(timeline, i)->name &&
		       xp_timeline_dso(timeline, i)->short_name);
	xp_timeline_free(timeline);
	xp_data_close(file);
	xp_ctx_free(ctx);
	free(bytes);
	return 0;
}
