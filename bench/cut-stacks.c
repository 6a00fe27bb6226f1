/* SPDX-License-Identifier: MIT
 *
 * Copies a recording as if less of each stack had been recorded: cut-stacks IN OUT BYTES. The
 * samples stay in place, so that call chains can be compared with those of whole stacks, sample by
 * sample. Only recordings of one kind of event, uncompressed and of this machine's byte order.
 *
 * Source: linux/perf_event.h, PERF_RECORD_SAMPLE: the copy of the stack ends with how many of its
 * bytes are valid (dyn_size).
 */
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The beginning of a file. Source: tools/perf/Documentation/perf.data-file-format.txt (Linux 6.1)
 */
struct file_header {
	char magic[8];
	uint64_t size, attr_size;
	uint64_t attrs_offset, attrs_size;
	uint64_t data_offset, data_size;
};

/* Fields of one word before the call chain. */
static const uint64_t words_before[] = {
	PERF_SAMPLE_IDENTIFIER, PERF_SAMPLE_IP,   PERF_SAMPLE_TID,
	PERF_SAMPLE_TIME,       PERF_SAMPLE_ADDR, PERF_SAMPLE_ID,
	PERF_SAMPLE_STREAM_ID,  PERF_SAMPLE_CPU,  PERF_SAMPLE_PERIOD,
};

static uint64_t word_at(const uint8_t *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Where the number of valid bytes is; 0: there is no stack. */
static size_t valid_at(const uint8_t *record, size_t size, const struct perf_event_attr *attr)
{
	const uint64_t type = attr->sample_type;
	size_t at = sizeof(struct perf_event_header);
	uint64_t words, bytes;

	for (size_t i = 0; i < sizeof(words_before) / sizeof(*words_before); i++)
		at += type & words_before[i] ? 8 : 0;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		if (at + 8 > size || (words = word_at(record + at)) > size / 8)
			return 0;
		at += 8 + 8 * words;
	}
	if (at + 8 > size)
		return 0;
	words = word_at(record + at) ? (uint64_t)__builtin_popcountll(attr->sample_regs_user) : 0;
	at += 8 + 8 * words;
	if (at + 8 > size || !(bytes = word_at(record + at)) || bytes > size - at - 16)
		return 0;
	return at + 8 + bytes;
}

static int cut(uint8_t *file, size_t size, uint64_t bytes)
{
	const struct file_header *header = (const struct file_header *)file;
	const uint64_t wrong = PERF_SAMPLE_READ | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK;
	struct perf_event_attr attr = { 0 };
	uint8_t *at, *end;

	if (size < sizeof(*header) || memcmp(header->magic, "PERFILE2", 8) != 0 ||
	    header->attrs_offset > size || size - header->attrs_offset < header->attr_size ||
	    header->data_offset > size || size - header->data_offset < header->data_size)
		return -1;
	memcpy(&attr, file + header->attrs_offset,
	       header->attr_size < sizeof(attr) ? header->attr_size : sizeof(attr));
	if (attr.sample_type & wrong || !(attr.sample_type & PERF_SAMPLE_STACK_USER))
		return -1;
	at = file + header->data_offset;
	for (end = at + header->data_size; at < end;) {
		struct perf_event_header record;
		size_t valid;

		if ((size_t)(end - at) < sizeof(record))
			return -1;
		memcpy(&record, at, sizeof(record));
		if (record.size < sizeof(record) || record.size > end - at)
			return -1;
		valid = record.type == PERF_RECORD_SAMPLE ? valid_at(at, record.size, &attr) : 0;
		if (valid && word_at(at + valid) > bytes)
			memcpy(at + valid, &bytes, sizeof(bytes));
		at += record.size;
	}
	return 0;
}

int main(int argc, char **argv)
{
	FILE *in = argc == 4 ? fopen(argv[1], "rb") : NULL, *out;
	uint8_t *file;
	long size;

	if (!in || fseek(in, 0, SEEK_END) || (size = ftell(in)) < 0) {
		fprintf(stderr, "usage: cut-stacks IN OUT BYTES\n");
		return 2;
	}
	rewind(in);
	file = malloc((size_t)size + 1);
	if (!file || fread(file, 1, (size_t)size, in) != (size_t)size ||
	    cut(file, (size_t)size, strtoull(argv[3], NULL, 0))) {
		fprintf(stderr, "%s has no stacks that can be cut\n", argv[1]);
		return 1;
	}
	out = fopen(argv[2], "wb");
	if (!out || fwrite(file, 1, (size_t)size, out) != (size_t)size || fclose(out)) {
		perror(argv[2]);
		return 1;
	}
	return 0;
}
