/* SPDX-License-Identifier: MIT */
/*
 * Makes a large recording of a small one: its samples again and again, each time later, with all
 * else as it is. For plain files (perf's and ours), not for streams or compressed ones.
 *
 * Usage: multiply IN OUT SAMPLES|BYTESm     at least so many samples, or bytes of records in MB
 */
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FINISHED_ROUND = 68, FEATURES = 256, GAP_NS = 1000 };

struct section {
	uint64_t offset, size;
};

struct header {
	uint64_t magic, size, attr_size;
	struct section attrs, data, types;
	uint64_t features[FEATURES / 64];
};

struct input {
	const uint8_t *at;
	size_t len;
	struct header header;
	size_t time_at; /* in a sample */
	uint64_t samples, bytes, span_ns;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static const struct perf_event_header *record_at(const struct input *in, uint64_t offset)
{
	const struct perf_event_header *record = (const void *)(in->at + offset);
	uint64_t end = in->header.data.offset + in->header.data.size;

	if (offset + sizeof(*record) > end)
		return NULL;
	if (record->size < sizeof(*record) || offset + record->size > end) {
		fprintf(stderr, "multiply: what is at 0x%llx is no record\n",
			(unsigned long long)offset);
		exit(1);
	}
	return record;
}

static uint64_t time_of(const struct input *in, const struct perf_event_header *record)
{
	uint64_t time;

	memcpy(&time, (const uint8_t *)record + in->time_at, sizeof(time));
	return time;
}

static void measure(struct input *in)
{
	const struct perf_event_header *record;
	uint64_t first = UINT64_MAX, last = 0;

	for (uint64_t at = in->header.data.offset; (record = record_at(in, at));
	     at += record->size) {
		if (record->type != PERF_RECORD_SAMPLE)
			continue;
		uint64_t time = time_of(in, record);

		first = time < first ? time : first;
		last = time > last ? time : last;
		in->samples++;
		in->bytes += record->size;
	}
	in->span_ns = last - first + GAP_NS;
}

static void open_input(struct input *in, const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		die(path);
	in->len = (size_t)st.st_size;
	in->at = mmap(NULL, in->len, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (in->at == MAP_FAILED || in->len < sizeof(in->header))
		die(path);
	memcpy(&in->header, in->at, sizeof(in->header));
	const struct perf_event_attr *attr = (const void *)(in->at + in->header.attrs.offset);
	uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	if (!(attr->sample_type & PERF_SAMPLE_TIME)) {
		fprintf(stderr, "multiply: '%s' has no times\n", path);
		exit(1);
	}
	in->time_at = sizeof(struct perf_event_header) +
		      8 * (size_t)__builtin_popcountll(attr->sample_type & before);
	measure(in);
}

static void put(FILE *out, const void *bytes, size_t len)
{
	if (len && fwrite(bytes, len, 1, out) != 1)
		die("multiply");
}

/* All records at first, then samples, and the ends of rounds, which let readers forget. */
static uint64_t put_records(FILE *out, const struct input *in, uint64_t round)
{
	static uint64_t copy[8192];
	const struct perf_event_header *record;
	uint64_t bytes = 0;

	for (uint64_t at = in->header.data.offset; (record = record_at(in, at));
	     at += record->size) {
		bool is_sample = record->type == PERF_RECORD_SAMPLE;

		if (round && !is_sample && record->type != FINISHED_ROUND)
			continue;
		memcpy(copy, record, record->size);
		if (is_sample) {
			uint64_t time = time_of(in, record) + in->span_ns * round;

			memcpy((uint8_t *)copy + in->time_at, &time, sizeof(time));
		}
		put(out, copy, record->size);
		bytes += record->size;
	}
	return bytes;
}

/* The list of features moves, and what it points to. */
static void put_features(FILE *out, const struct input *in, uint64_t moved)
{
	uint64_t at = in->header.data.offset + in->header.data.size;
	size_t nr = 0;

	for (size_t i = 0; i < FEATURES / 64; i++)
		nr += (size_t)__builtin_popcountll(in->header.features[i]);
	for (size_t i = 0; i < nr; i++, at += sizeof(struct section)) {
		struct section section;

		memcpy(&section, in->at + at, sizeof(section));
		section.offset += moved;
		put(out, &section, sizeof(section));
	}
	put(out, in->at + at, in->len - at);
}

int main(int argc, char **argv)
{
	struct input in = { 0 };
	char *unit;

	if (argc != 4) {
		fprintf(stderr, "Usage: multiply IN OUT SAMPLES|BYTESm\n");
		return 2;
	}
	open_input(&in, argv[1]);
	uint64_t wanted = strtoull(argv[3], &unit, 10);
	uint64_t each = *unit == 'm' ? in.bytes : in.samples;
	FILE *out = fopen(argv[2], "w");
	if (!out || !each)
		die(argv[2]);
	wanted *= *unit == 'm' ? 1000000 : 1;
	struct header header = in.header;
	uint64_t rounds = (wanted + each - 1) / each;
	put(out, in.at, header.data.offset);
	header.data.size = 0;
	for (uint64_t i = 0; i < rounds; i++)
		header.data.size += put_records(out, &in, i);
	put_features(out, &in, header.data.size - in.header.data.size);
	if (fseek(out, 0, SEEK_SET))
		die(argv[2]);
	put(out, &header, sizeof(header));
	if (fclose(out))
		die(argv[2]);
	printf("%llu\n", (unsigned long long)(in.samples * rounds));
	return 0;
}
