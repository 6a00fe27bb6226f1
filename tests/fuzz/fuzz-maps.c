/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any records of tasks and maps, and any text as /proc/PID/maps, as the recorder notes
 * them for unwinding. What was mapped last is found, spaces are in order, and memory is what it is
 * said to be.
 *
 * The first byte: 0 for text, else records: operations of 12 bytes (band.h), with TURN_* as their
 * first byte others.
 */
#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "band.h"
#include "live-space.h"
#include "proc-text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TURN_RAW = 0xff, TURN_PRUNE = 0xfe, MAX_TURNS = 2000 };

/* --- what holds at any time --- */

static void check_space(const struct xp_live_space *space)
{
	assert(space->refs >= 1 && space->nr <= space->room);
	assert(space->nr_past <= XP_LIVE_PAST_MAX);
	for (size_t i = 0; i < space->nr; i++) {
		assert(space->at[i].start < space->at[i].end);
		assert(!i || space->at[i - 1].end <= space->at[i].start);
	}
	for (size_t i = 0; i < space->nr_past; i++)
		assert(space->past[i].map.since_ns < space->past[i].until_ns);
}

static void check_processes(const struct xp_live_maps *maps)
{
	for (uint32_t pid = 0; pid < 8; pid++) {
		uint64_t state;
		const struct xp_live_space *space = xp_live_space(maps, pid, UINT64_MAX, &state);

		assert(!space == !state);
		if (space)
			check_space(space);
		if (xp_live_space(maps, pid, maps->latest_ns / 2, &state))
			assert(state <= maps->state);
	}
}

/* Code that was mapped just now is what is there. */
static void check_map(const struct xp_live_maps *maps, uint32_t pid, uint64_t start, uint64_t len,
		      uint64_t offset, const char *name)
{
	enum { PLACES = 3 };
	struct xp_live_map found;
	uint64_t state, end = start + len;
	const struct xp_live_space *space = xp_live_space(maps, pid, UINT64_MAX, &state);

	if (end <= start)
		return;
	assert(space && state);
	for (uint64_t i = 0; i < PLACES; i++) {
		assert(xp_live_find(space, UINT64_MAX, start + len / PLACES * i, &found));
		assert(found.start == start && found.end == end && found.offset == offset);
		assert(found.is_executable);
	}
	const struct xp_live_file *file = xp_live_file(maps, found.file);
	assert(!file || !strcmp(file->name, name));
}

/* --- records --- */

static void add(struct xp_live_maps *maps, const struct xp_record *record, uint64_t time_ns)
{
	const struct xp_record_mmap2 *mmap = (const void *)record;
	int err = xp_live_add(maps, record, time_ns);

	assert(!err || err == -EBADMSG || err == -ENOMEM);
	/* Records of the kernel are passed over. */
	if (!err && record->type == XP_RECORD_MMAP2 &&
	    (record->misc & XP_MISC_CPUMODE_MASK) != XP_MISC_KERNEL && mmap->prot & PROT_EXEC)
		check_map(maps, mmap->pid, mmap->address, mmap->len, mmap->offset,
			  (const char *)(mmap + 1));
}

/* A record of any bytes: @op has its type, flags and length. Returns the bytes used. */
static size_t add_raw(struct xp_live_maps *maps, const uint8_t *op, size_t size, uint64_t time_ns)
{
	size_t len = (size_t)op[3] * 8, left = size - BAND_OP;
	struct xp_record *record;

	len = len < left ? len / 8 * 8 : left / 8 * 8;
	/* Of its own, so that a sanitizer sees what is read behind it. */
	record = malloc(sizeof(*record) + len);
	assert(record);
	*record = (struct xp_record){ op[1], op[2], (uint16_t)(sizeof(*record) + len) };
	memcpy(record + 1, op + BAND_OP, len);
	add(maps, record, time_ns);
	free(record);
	return len;
}

static void add_records(struct xp_live_maps *maps, const uint8_t *data, size_t size)
{
	uint64_t time_ns = 0, pruned_ns = 0;
	struct timed rec;

	for (int i = 0; i < MAX_TURNS && size >= BAND_OP; i++) {
		size_t used = BAND_OP;

		if (data[0] == TURN_RAW) {
			used += add_raw(maps, data, size, time_ns);
		} else if (data[0] == TURN_PRUNE) {
			xp_live_prune(maps, pruned_ns);
			pruned_ns = time_ns;
		} else {
			band_make(data, &time_ns, &rec);
			add(maps, &rec.header, time_ns);
		}
		data += used;
		size -= used;
	}
}

/* --- text --- */

static void add_line(struct xp_live_maps *maps, const char *line, size_t len)
{
	struct proc_map map;
	struct xp_record_mmap2 *mmap;

	if (xp_proc_map_parse(line, len, &map) || map.name_len > 4096)
		return;
	assert(map.name_len <= len);
	mmap = calloc(1, sizeof(*mmap) + map.name_len + 8);
	assert(mmap);
	mmap->header = (struct xp_record){ XP_RECORD_MMAP2, XP_MISC_USER,
					   (uint16_t)(sizeof(*mmap) + (map.name_len + 8) / 8 * 8) };
	mmap->pid = mmap->tid = 1;
	mmap->address = map.start;
	mmap->len = map.end - map.start;
	mmap->offset = map.offset;
	mmap->inode = map.inode;
	mmap->major = map.major;
	mmap->minor = map.minor;
	mmap->prot = map.prot;
	mmap->flags = map.flags;
	memcpy(mmap + 1, map.name, map.name_len);
	add(maps, &mmap->header, 0);
	free(mmap);
}

static void add_text(struct xp_live_maps *maps, const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	size_t len;

	assert(text);
	memcpy(text, data, size);
	for (size_t at = 0; at < size; at += len + 1) {
		const char *end = memchr(text + at, '\n', size - at);

		len = end ? (size_t)(end - text) - at : size - at;
		add_line(maps, text + at, len);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct xp_live_maps maps = { 0 };

	if (!size)
		return 0;
	if (data[0])
		add_records(&maps, data + 1, size - 1);
	else
		add_text(&maps, data + 1, size - 1);
	check_processes(&maps);
	xp_live_fini(&maps);
	return 0;
}
