/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: any bytes as the records of a recording of system calls, or of the scheduler, which
 * `report --syscalls` and `report --sched` sum up. The first byte says which of the two.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "cli/report/sched/sched-impl.h"
#include "cli/report/syscalls/syscalls-impl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define EVENTS XPERF_FUZZ_ROOT "/../../events/files/"

/* Of a file; the table of features follows the records. */
struct header {
	uint64_t magic, size, attr_size, attrs[2], data[2], event_types[2], features[4];
};

/* A recording whose records are replaced. */
struct base {
	uint8_t *at;
	size_t len;
	struct header header;
};

static void read_base(const char *path, struct base *ret)
{
	FILE *file = fopen(path, "r");

	assert(file);
	assert(!fseek(file, 0, SEEK_END));
	ret->len = (size_t)ftell(file);
	ret->at = malloc(ret->len);
	rewind(file);
	assert(ret->at && fread(ret->at, 1, ret->len, file) == ret->len);
	fclose(file);
	memcpy(&ret->header, ret->at, sizeof(ret->header));
}

static const struct base *base_of(bool is_sched)
{
	static struct base bases[2];
	static const char *const paths[] = { EVENTS "syscalls-i386", EVENTS "sched-record" };

	if (!bases[is_sched].at)
		read_base(paths[is_sched], &bases[is_sched]);
	return &bases[is_sched];
}

static void put(int fd, const void *bytes, size_t len)
{
	assert(write(fd, bytes, len) == (ssize_t)len);
}

/* What comes after the records moves with their end. */
static void put_features(int fd, const struct base *base, size_t at, uint64_t moved)
{
	uint64_t place[2];

	for (size_t bit = 0; bit < 64 * sizeof(base->header.features) / sizeof(uint64_t); bit++) {
		if (!(base->header.features[bit / 64] >> bit % 64 & 1))
			continue;
		memcpy(place, base->at + at, sizeof(place));
		place[0] += moved;
		put(fd, place, sizeof(place));
		at += sizeof(place);
	}
	put(fd, base->at + at, base->len - at);
}

static void put_recording(int fd, const struct base *base, const uint8_t *records, size_t len)
{
	struct header header = base->header;
	size_t end = header.data[0] + header.data[1];

	header.data[1] = len;
	put(fd, &header, sizeof(header));
	put(fd, base->at + sizeof(header), header.data[0] - sizeof(header));
	put(fd, records, len);
	put_features(fd, base, end, header.data[0] + len - end);
}

static void check_syscalls(struct recording *rec, FILE *file)
{
	const struct syscalls_opts opts = { 0 };
	const struct syscall_sum *row;
	struct syscalls syscalls = { 0 };
	struct syscall_sum all = { 0 };

	if (!syscalls_load(rec, false, &syscalls)) {
		for (size_t i = 0; (row = syscall_sums_at(syscalls.sums, i)); i++) {
			assert(row->nr_errors <= row->nr_calls && row->min_ns <= row->max_ns);
			assert(row->max_ns <= row->total_ns || !row->nr_calls);
			all.nr_calls += row->nr_calls;
			all.total_ns += row->total_ns;
		}
		assert(all.nr_calls == syscall_sums_total(syscalls.sums)->nr_calls);
		assert(all.total_ns == syscall_sums_total(syscalls.sums)->total_ns);
		syscalls_print(file, &syscalls, &opts);
		assert(!syscalls_print_json(file, &syscalls));
	}
	syscalls_fini(&syscalls);
}

static void check_sched(struct recording *rec, FILE *file)
{
	const struct sched_opts opts = { 0 };
	const struct sched_task *task;
	struct sched sched = { 0 };

	if (!sched_times_load(rec, &sched)) {
		uint64_t elapsed_ns = sched_sums_elapsed_ns(sched.sums);

		for (size_t i = 0; (task = sched_sums_at(sched.sums, i)); i++) {
			assert(task->max_run_ns <= elapsed_ns && task->open_run_ns <= elapsed_ns);
			assert(task->max_run_ns <= task->run_ns || !task->nr_runs);
			assert(task->woken.max_ns <= elapsed_ns);
			assert(task->preempted.max_ns <= elapsed_ns);
		}
		sched_print(file, &sched, &opts);
		assert(!sched_print_json(file, &sched));
	}
	sched_times_fini(&sched);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static FILE *nowhere;
	bool is_sched = size && data[0] & 1;
	struct recording_opts opts = { .force = true };
	struct recording rec = { 0 };
	struct xp_diag diag = { 0 };
	char path[32];
	int fd = memfd_create("recording", MFD_CLOEXEC);

	assert(fd >= 0);
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	assert(nowhere);
	put_recording(fd, base_of(is_sched), data + !!size, size - !!size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct xp_data_opts data_opts = { .size = sizeof(data_opts), .path = path };
	rec.path = path;
	assert(!xp_ctx_new(NULL, &rec.ctx));
	assert(!xp_data_open(rec.ctx, &data_opts, &rec.data, &diag));
	if (!recording_begin(&rec, &opts))
		(is_sched ? check_sched : check_syscalls)(&rec, nowhere);
	recording_fini(&rec);
	xp_data_close(rec.data);
	xp_ctx_free(rec.ctx);
	close(fd);
	return 0;
}
