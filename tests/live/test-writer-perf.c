/* SPDX-License-Identifier: MIT */
/*
 * perf reads what the writer writes: files and streams, compressed or not, of a recorder that was
 * killed, from a disk that was full; and what it shows of the machine is what its own recording
 * shows.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include "writer-fixture.h"
#include "zstd.h"

/* Runs a shell command in the fixture's directory, @name a file there. Returns its output, stderr
 * included; static. */
static const char *run(const struct writer_fixture *f, const char *command)
{
	static char out[1 << 20];
	char line[512];
	int len =
		snprintf(line, sizeof(line), "cd '%s' && { %s\n} 2>&1 </dev/null", f->dir, command);

	assert_in_range(len, 1, sizeof(line) - 1);
	FILE *pipe = popen(line, "re");
	assert_non_null(pipe);
	out[fread(out, 1, sizeof(out) - 1, pipe)] = '\0';
	pclose(pipe);
	return out;
}

static int count(const char *text, const char *word)
{
	int nr = 0;

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		nr++;
	return nr;
}

static void shows(const struct writer_fixture *f, const char *command, const char *expected)
{
	const char *out = run(f, command);

	if (!strstr(out, expected))
		fail_msg("%s: no \"%s\" in\n%s", command, expected, out);
}

/* perf script shows as many samples as @nr, half of each event, and complains of nothing. */
static void shows_samples(const struct writer_fixture *f, int nr)
{
	const char *out = run(f, "perf script -i data -F event,ip 2>&1");

	if (count(out, "first:u: ") != (nr + 1) / 2 || count(out, "second: ") != nr / 2 ||
	    count(out, "\n") != nr)
		fail_msg("not %d samples: %.400s", nr, out);
}

static void finish(struct writer_fixture *f)
{
	assert_int_equal(xp_data_writer_finish(f->writer, &f->diag), 0);
}

static void perf_reads_a_file(void **state)
{
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	fixture_start(&f);
	assert_int_equal(fixture_send(&f, 9000, true), 0);
	finish(&f);
	shows_samples(&f, 9000);
	shows(&f, "perf evlist -i data", "first:u\nsecond\n");
	shows(&f, "perf evlist -v -i data",
	      "second: type: 1, size: 64, config: 0x1, { sample_period, sample_freq }: 1000, "
	      "sample_type: IP|TID|TIME|ID, sample_id_all: 1\n");
	shows(&f, "perf report -i data --stdio", "# Samples: 4K of event 'second'");
	fixture_fini(&f);
}

static bool has_zstd(void)
{
	struct xp_zstd *zstd;

	if (xp_zstd_compressor(1, &zstd, NULL))
		return false;
	xp_zstd_free(zstd);
	return true;
}

static void perf_reads_a_compressed_file(void **state)
{
	struct writer_fixture f;

	(void)state;
	if (!has_zstd()) {
		print_message("skipped: there is no zstd\n");
		skip();
	}
	fixture_init(&f);
	fixture_open(&f, 1);
	assert_int_equal(xp_data_writer_start(f.writer, &f.diag), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(fixture_send(&f, 1000 + 2 * i, true), 0);
	finish(&f);
	shows_samples(&f, 10 * 1000 + 90);
	shows(&f, "perf report -i data --header-only", "# compressed : Zstd, level = 1, ratio = ");
	fixture_fini(&f);
}

static void perf_reads_a_stream(void **state)
{
	for (int level = 0; level <= has_zstd(); level++) {
		struct xp_data_writer_opts opts = { .size = sizeof(opts),
						    .shape = XP_DATA_PIPE,
						    .compress_level = level };
		static const char *const argv[] = { "xperf", "record" };
		struct writer_fixture f;

		(void)state;
		fixture_init(&f);
		opts.fd = open(f.path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		assert_int_equal(xp_data_writer_open(f.ctx, &opts, &f.writer, &f.diag), 0);
		for (int i = 0; i < 2; i++) {
			struct xp_data_event event = fixture_event(i);

			assert_int_equal(xp_data_writer_add_event(f.writer, &event), 0);
		}
		assert_int_equal(xp_data_writer_add_host(f.writer, 2, argv), 0);
		assert_int_equal(xp_data_writer_start(f.writer, &f.diag), 0);
		assert_int_equal(fixture_send(&f, 5000, true), 0);
		finish(&f);
		const char *out = run(&f, "cat data | perf script -i - -F event,ip");
		assert_int_equal(count(out, "first:u: "), 2500);
		assert_int_equal(count(out, "second: "), 2500);
		shows(&f, "cat data | perf report -i - --stdio --header",
		      "# cmdline : xperf record");
		close(opts.fd);
		fixture_fini(&f);
	}
}

/* A copy of the file behind each write. */
static void copy_now(struct writer_fixture *f)
{
	char command[64];

	snprintf(command, sizeof(command), "cp data killed.%d", (int)f->writes);
	assert_string_equal(run(f, command), "");
}

static void perf_reads_files_of_the_killed(void **state)
{
	(void)state;
	for (int level = 0; level <= has_zstd(); level++) {
		struct writer_fixture f;

		fixture_init(&f);
		fixture_open(&f, level);
		assert_int_equal(xp_data_writer_start(f.writer, &f.diag), 0);
		assert_int_equal(fixture_send(&f, 100, true), 0);
		assert_int_equal(fixture_flush(&f), 0);
		f.after_write = copy_now;
		assert_int_equal(fixture_send(&f, 100, true), 0);
		assert_int_equal(fixture_flush(&f), 0);
		assert_int_equal(f.writes, 8);
		for (int i = 6; i <= 8; i++) {
			char command[64];

			snprintf(command, sizeof(command), "mv killed.%d data", i);
			run(&f, command);
			shows_samples(&f, i < 8 ? 100 : 200);
		}
		fixture_fini(&f);
	}
}

/* --- the machine, as perf describes it --- */

static void perf_shows_the_same_machine(void **state)
{
	/* Without what changes between two recordings, BPF programs of others among it, and without
	 * order. */
	static const char compare[] =
		"for file in theirs data; do perf report --header-only -I -i $file |"
		" grep -Ev '^# (captured|header|data|feat|perf v|cmdline|event|node0 m|.*samp|miss|bpf|btf|\tsub_prog)' |"
		" sed -e 's/^# pmu mappings: //' -e 's/, /\\n/g' | sort >$file.txt; done;"
		" wc -l <data.txt; diff theirs.txt data.txt";
	static const char *const argv[] = { "xperf", "record", "true" };
	struct writer_fixture f;

	(void)state;
	fixture_init(&f);
	const char *out = run(&f, "perf record -e cpu-clock -o theirs true >/dev/null 2>&1 ||"
				  " echo failed");
	if (*out) {
		fixture_fini(&f);
		print_message("skipped: perf cannot record here\n");
		skip();
	}
	fixture_open(&f, 0);
	assert_int_equal(xp_data_writer_add_host(f.writer, 3, argv), 0);
	assert_int_equal(xp_data_writer_start(f.writer, &f.diag), 0);
	finish(&f);
	out = run(&f, compare);
	assert_true(strtol(out, NULL, 10) > 10);
	if (count(out, "\n") != 1)
		fail_msg("perf shows another machine:\n%s", out);
	shows(&f, "perf report --header-only -i data", "# cmdline : xperf record true");
	fixture_fini(&f);
}

/* --- a disk that is full --- */

/* Returns whether @dir is a small file system now, seen by this process only. */
static bool mount_small(const char *dir)
{
	return !unshare(CLONE_NEWNS) && !mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("tmpfs", dir, "tmpfs", 0, "size=256k");
}

static void a_small_disk_fills_up(void **state)
{
	struct writer_fixture f;
	struct data_check c;
	int err = 0;

	(void)state;
	fixture_init(&f);
	if (!mount_small(f.dir)) {
		fixture_fini(&f);
		print_message("skipped: no file system can be mounted\n");
		skip();
	}
	fixture_start(&f);
	for (int i = 0; i < 1000 && !err; i++) {
		err = fixture_send(&f, 100, true);
		if (!err)
			err = fixture_flush(&f);
	}
	assert_int_equal(err, -ENOSPC);
	assert_int_equal(xp_data_writer_finish(f.writer, &f.diag), -ENOSPC);
	fixture_verify(&f, &c);
	assert_in_range(c.data.size, 200000, 256 << 10);
	shows_samples(&f, (int)(c.given / sizeof(struct fixture_sample)));
	xp_data_writer_free(f.writer);
	f.writer = NULL;
	assert_int_equal(umount(f.dir), 0);
	fixture_fini(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perf_reads_a_file),
		cmocka_unit_test(perf_reads_a_compressed_file),
		cmocka_unit_test(perf_reads_a_stream),
		cmocka_unit_test(perf_reads_files_of_the_killed),
		cmocka_unit_test(perf_shows_the_same_machine),
		cmocka_unit_test(a_small_disk_fills_up),
	};

	if (system("perf version 2>/dev/null | grep -q 'version 6\\.1'")) {
		printf("skipped: perf 6.1 is not installed\n");
		return 77;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
