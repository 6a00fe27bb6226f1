/* SPDX-License-Identifier: MIT */
/* cli/recording/: which samples count, and a recording read as a command reads it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "cli/recording/recording.h"
#include "made-recording.h"

enum { S = 1000000000 };

/* --- --time --- */

static void times_are_parsed(void **state)
{
	/* Of a recording from 10 to 20 s; @from 1, @to 0: refused. */
	static const struct {
		const char *text;
		int nr;
		uint64_t from_ns, to_ns; /* of the last span */
	} rows[] = {
		{ "", 0, 0, 0 },
		{ "12.5,13", 1, 12500000000, 13 * (uint64_t)S },
		{ "12.000000001,12.0000000019", 1, 12000000001, 12000000001 },
		{ ",13", 1, 0, 13 * (uint64_t)S },
		{ "12,", 1, 12 * (uint64_t)S, UINT64_MAX },
		{ "12", 1, 12 * (uint64_t)S, UINT64_MAX },
		{ ".5,1", 1, S / 2, S },
		{ "11,12 14,15", 2, 14 * (uint64_t)S, 15 * (uint64_t)S },
		{ "10%/2", 1, 11 * (uint64_t)S, 12 * (uint64_t)S },
		{ "50%-100%", 1, 15 * (uint64_t)S, 20 * (uint64_t)S },
		{ "0%-10%,30%-40%", 2, 13 * (uint64_t)S, 14 * (uint64_t)S },
		{ "0%-10% 30%/1", 2, 10 * (uint64_t)S, 13 * (uint64_t)S },
		{ "12.5%/3", 1, 12500000000, 13750000000 },
		{ "10%-10%", 1, 11 * (uint64_t)S, 11 * (uint64_t)S },
		/* refused */
		{ "soon", -1, 0, 0 },
		{ " ", -1, 0, 0 },
		{ "13,12", -1, 0, 0 },
		{ "12,13,14", -1, 0, 0 },
		{ "-1,2", -1, 0, 0 },
		{ "20000000000,", -1, 0, 0 },
		{ "20%-10%", -1, 0, 0 },
		{ "0%-101%", -1, 0, 0 },
		{ "30%/4", -1, 0, 0 },
		{ "10%/0", -1, 0, 0 },
		{ "10%", -1, 0, 0 },
		{ "10%-20%x", -1, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct time_spans spans = { 0 };
		struct xp_diag diag = { 0 };
		int err = times_parse(rows[i].text, &spans, &diag);

		if ((err != 0) != (rows[i].nr < 0))
			fail_msg("'%s': %d", rows[i].text, err);
		assert_int_equal(err != 0, diag.what[0] != 0);
		times_set_bounds(&spans, 10 * (uint64_t)S, 20 * (uint64_t)S);
		if (!err) {
			assert_int_equal(spans.nr, rows[i].nr);
			assert_true(times_have(&spans, rows[i].from_ns));
			assert_true(
				times_have(&spans, rows[i].to_ns - (rows[i].to_ns == UINT64_MAX)));
			/* Who knows when that was? */
			assert_int_equal(times_have(&spans, XP_NO_TIME), !rows[i].nr);
		}
		if (!err && spans.nr) {
			assert_int_equal(spans.at[spans.nr - 1].from_ns, rows[i].from_ns);
			assert_int_equal(spans.at[spans.nr - 1].to_ns, rows[i].to_ns);
		}
		times_fini(&spans);
	}
}

/* --- lists --- */

static void lists_let_pass_what_they_have(void **state)
{
	struct filter_opts opts = { .comms = "a,b c",
				    .pids = "7,08",
				    .symbols = "0x100,main",
				    .addr_range = "16",
				    .with_addresses = true };
	struct sample_filter filter;
	struct xp_diag diag = { 0 };

	(void)state;
	assert_int_equal(sample_filter_parse(&filter, &opts, &diag), 0);
	assert_true(sample_filter_pass_task(&filter, 7, 1, "a"));
	assert_true(sample_filter_pass_task(&filter, 8, 1, "b c"));
	assert_false(sample_filter_pass_task(&filter, 7, 1, "b"));
	assert_false(sample_filter_pass_task(&filter, 7, 1, NULL));
	assert_false(sample_filter_pass_task(&filter, 9, 1, "a"));
	struct xp_frame frame = { .size = sizeof(frame), .ip = 0x110 };
	assert_true(sample_filter_pass_frame(&filter, &frame));
	frame.ip = 0x111;
	assert_false(sample_filter_pass_frame(&filter, &frame));
	frame.function.name = "main";
	assert_true(sample_filter_pass_frame(&filter, &frame));
	frame.function.name = "domain";
	assert_false(sample_filter_pass_frame(&filter, &frame));
	sample_filter_fini(&filter);

	static const struct filter_opts wrong[] = {
		{ .pids = "x" },
		{ .pids = "-1" },
		{ .tids = "4294967296" },
		{ .cpus = "1-" },
		{ .comms = "file:///nonexistent" },
		{ .time = "soon" },
		{ .symbols = "0xg", .with_addresses = true },
	};
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		memset(&diag, 0, sizeof(diag));
		assert_true(sample_filter_parse(&filter, &wrong[i], &diag) < 0);
		assert_true(diag.what[0]);
		sample_filter_fini(&filter);
	}
}

/* --- a recording --- */

/* What a command does that wants samples with names. */
struct seen {
	struct recording rec;
	uint64_t nr, nr_named;
	uint64_t first_ns, last_ns;
};

static int see(struct recorded *recorded, void *data)
{
	struct seen *seen = data;
	struct xp_frame frame = { .size = sizeof(frame) };

	if (!seen->nr++)
		seen->first_ns = recorded->time_ns;
	seen->last_ns = recorded->time_ns;
	if (recording_frame(&seen->rec, recorded, XP_MISC_USER, recorded->sample.ip, &frame))
		return -ENOMEM;
	seen->nr_named += !strcmp(recording_comm(&seen->rec, recorded), "name") && frame.map.dso &&
			  !strcmp(frame.map.dso->name, "/usr/bin/x");
	return 0;
}

/* Returns the exit status. */
static int read_it(const struct recording_opts *opts, struct seen *seen)
{
	static const struct cli cli = { .name = "xperf" };

	memset(seen, 0, sizeof(*seen));
	int err = recording_open(&seen->rec, &cli, opts);
	if (!err)
		err = recording_load(&seen->rec, NULL, NULL);
	if (!err)
		err = recording_each(&seen->rec, see, seen);
	return recording_close(&seen->rec, err, false);
}

enum { RECORDS = 1600 };

static void every_sample_has_names(void **state)
{
	struct recording_opts opts = { .with_symbols = true, .symbols.symfs = "/nonexistent" };
	struct made made;
	struct seen seen;

	(void)state;
	made_init(&made);
	free(made_make(&made, XP_DATA_FILE, 0, RECORDS).at);
	opts.input = made.path;
	assert_int_equal(read_it(&opts, &seen), 0);
	assert_int_equal(seen.nr, RECORDS);
	assert_in_range(seen.nr_named, 1, RECORDS);

	opts.filter.time = "0.000001100,0.000001199";
	assert_int_equal(read_it(&opts, &seen), 0);
	assert_int_equal(seen.nr, 100);
	assert_int_equal(seen.first_ns, 1100);
	assert_int_equal(seen.last_ns, 1199);
	opts.filter.cpus = "1,3";
	assert_int_equal(read_it(&opts, &seen), 0);
	assert_int_equal(seen.nr, 50);
	opts.filter.comms = "other";
	assert_int_equal(read_it(&opts, &seen), 0);
	assert_int_equal(seen.nr, 0);
	/* Rows are left out then, not samples. */
	opts.filter_rows = true;
	assert_int_equal(read_it(&opts, &seen), 0);
	assert_int_equal(seen.nr, 50);
	opts.filter.time = "soon";
	assert_int_equal(read_it(&opts, &seen), EXIT_USAGE);
	made_fini(&made);
}

/* Events switch wherever they are in the file. */
static void events_switch(void **state)
{
	struct recording_opts opts = { 0 };
	struct made made;
	struct seen on, off, both, shown;

	(void)state;
	made_init(&made);
	free(made_make(&made, XP_DATA_FILE, 0, RECORDS).at);
	opts.input = made.path;
	opts.with_symbols = true;
	opts.symbols.symfs = "/nonexistent";
	opts.filter.switch_on = "alone";
	assert_int_equal(read_it(&opts, &on), 0);
	/* The events take turns: leader, member:u, alone. */
	assert_int_equal(on.nr, RECORDS - 3);
	assert_int_equal(on.first_ns, 1003);
	opts.filter.switch_off = "leader";
	assert_int_equal(read_it(&opts, &both), 0);
	assert_int_equal(both.nr, 0);
	opts.filter.show_on_off = true;
	assert_int_equal(read_it(&opts, &shown), 0);
	assert_int_equal(shown.nr, RECORDS / 3 * 2);
	opts.filter = (struct filter_opts){ .switch_off = "member:u" };
	assert_int_equal(read_it(&opts, &off), 0);
	assert_int_equal(off.nr, 1);
	opts.filter.switch_off = "nosuch";
	assert_int_equal(read_it(&opts, &off), EXIT_FAILED);
	made_fini(&made);
}

/* What comes through a pipe can be read twice, too. */
static void a_pipe_is_read_as_a_file(void **state)
{
	struct recording_opts opts = { .with_symbols = true, .symbols.symfs = "/nonexistent" };
	struct made made;
	struct seen file, pipe;
	char command[512];

	(void)state;
	made_init(&made);
	free(made_make(&made, XP_DATA_PIPE, 0, RECORDS).at);
	opts.input = made.path;
	assert_int_equal(read_it(&opts, &file), 0);
	assert_int_equal(file.nr, RECORDS);
	snprintf(command, sizeof(command), "mkfifo '%s/fifo' && cat '%s' >'%s/fifo' &", made.dir,
		 made.path, made.dir);
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/fifo", made.dir);
	for (int i = 0; i < 10000 && access(command, F_OK); i++)
		usleep(1000);
	opts.input = command;
	assert_int_equal(read_it(&opts, &pipe), 0);
	assert_int_equal(pipe.nr, file.nr);
	assert_int_equal(pipe.nr_named, file.nr_named);
	made_fini(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_parsed),
		cmocka_unit_test(lists_let_pass_what_they_have),
		cmocka_unit_test(every_sample_has_names),
		cmocka_unit_test(events_switch),
		cmocka_unit_test(a_pipe_is_read_as_a_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
