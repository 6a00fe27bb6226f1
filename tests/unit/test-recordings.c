/* SPDX-License-Identifier: MIT */
/*
 * Recordings of many perfs and machines, those of tests/data/perfdata and, if XPERF_CORPUS names
 * it, a corpus: each opens or is refused with a sentence, its records are what they should be, and
 * its samples, taken apart and put together again, are the same bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

#include "record.h"

/* Damaged on purpose, or by fuzzers: what their samples hold is anything. */
static bool is_damaged(const char *name)
{
	return strstr(name, "mal-") || strstr(name, "fuzz");
}

struct result {
	unsigned long long records, samples, odd;
};

/* Some recorders (hiperf) leave words behind what the event asks for: they are not looked at. */
static void check_sample(const struct xp_data *data, const struct xp_record *record,
			 struct result *result)
{
	static uint64_t again[8192];
	const struct xp_data_event *event = xp_data_event_at(data, xp_data_event_of(data, record));
	struct xp_sample sample = { .size = sizeof(sample) };

	result->samples++;
	if (!event || xp_sample_decode(record, &event->attr, &sample)) {
		result->odd++;
		return;
	}
	int len = xp_sample_encode(&sample, &event->attr, again, sizeof(again));
	if (len < 8 || len > record->size || memcmp(again + 1, record + 1, (size_t)len - 8) != 0)
		result->odd++;
}

static void walk(struct xp_data *data, const char *name, struct result *result)
{
	const struct xp_record *record;
	struct xp_piece payload;
	int got;

	while ((got = xp_data_next(data, &record, &payload)) > 0) {
		const struct xp_record_kind *kind = xp_record_kind(record->type);
		const uint8_t *bytes = payload.at;
		unsigned int sum = 0;

		if ((uintptr_t)record % 8 || !kind || record->size < kind->min)
			fail_msg("%s: record %llu at 0x%llx", name, result->records,
				 (unsigned long long)xp_data_offset(data));
		for (size_t i = 0; i < payload.len; i++)
			sum += bytes[i];
		result->records += sum < UINT32_MAX;
		if (record->type == XP_RECORD_SAMPLE)
			check_sample(data, record, result);
	}
	if (got && got != -ENOSYS)
		fail_msg("%s: %s", name, strerror(-got));
	for (size_t i = 0; xp_data_damage(data, i); i++)
		if (!strstr(xp_data_damage(data, i), "at offset 0x"))
			fail_msg("%s: damage without a place: %s", name, xp_data_damage(data, i));
	for (int i = 0; i < xp_data_nr_events(data); i++)
		if (!*xp_data_event_at(data, i)->name)
			fail_msg("%s: event %d has no name", name, i);
}

static void check_file(struct xp_ctx *ctx, const char *dir, const char *name)
{
	struct xp_data_opts opts = { .size = sizeof(opts), .force = true };
	struct result first = { 0 }, second = { 0 };
	struct xp_diag diag = { 0 };
	struct xp_data *data = NULL;
	char path[4096];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	opts.path = path;
	int err = xp_data_open(ctx, &opts, &data, &diag);
	if (err) {
		/* -ENOSYS: a build without zstd */
		if (diag.err != err || !*diag.what || (err != -ENOSYS && !is_damaged(name)))
			fail_msg("%s: %d, '%s'", name, err, diag.what);
		return;
	}
	walk(data, name, &first);
	uint64_t damages = xp_data_nr_damages(data);
	int events = xp_data_nr_events(data);
	assert_int_equal(xp_data_rewind(data), 0);
	walk(data, name, &second);
	if (memcmp(&first, &second, sizeof(first)) != 0 || damages != xp_data_nr_damages(data) ||
	    events != xp_data_nr_events(data))
		fail_msg("%s: not the same a second time", name);
	if (first.odd && !is_damaged(name))
		fail_msg("%s: %llu of %llu samples do not come back", name, first.odd,
			 first.samples);
	xp_data_close(data);
}

/* Recordings of a directory may lie beside archives of what belongs to them. */
static bool is_packed(const char *name)
{
	return fnmatch("*.tar*", name, 0) == 0;
}

static int check_dir(const char *dir)
{
	struct dirent **names;
	struct xp_ctx *ctx = NULL;
	int nr = scandir(dir, &names, NULL, alphasort), files = 0;

	if (nr < 0)
		fail_msg("%s: %s", dir, strerror(errno));
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	for (int i = 0; i < nr; i++) {
		const char *name = names[i]->d_name;

		if (name[0] != '.' && !is_packed(name)) {
			check_file(ctx, dir, name);
			files++;
		}
		free(names[i]);
	}
	free(names);
	xp_ctx_free(ctx);
	return files;
}

static void own_recordings(void **state)
{
	char dir[4096];

	(void)state;
	snprintf(dir, sizeof(dir), "%s/tests/data/perfdata/files", getenv("SOURCE_DIR"));
	assert_true(check_dir(dir) > 20);
}

static void corpus(void **state)
{
	const char *corpus = getenv("XPERF_CORPUS");
	char dir[4096];

	(void)state;
	if (!corpus) {
		print_message("XPERF_CORPUS names no corpus of recordings\n");
		skip();
	}
	snprintf(dir, sizeof(dir), "%s/files", corpus);
	assert_true(check_dir(dir) > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_recordings),
		cmocka_unit_test(corpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
