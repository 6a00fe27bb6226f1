/* SPDX-License-Identifier: MIT */
/* cli/trace.c, cli/diag.c: what -vv and PERF_TEST_ATTR write, where the caret stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/ctx.h>
#include <xperf/diag.h>
#include <xperf/sys.h>

#include "cli/cli.h"

static int next_fd;

static int fake_open(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
		     int group_fd, unsigned long flags)
{
	(void)sys, (void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return next_fd;
}

static int fake_close(const struct xp_sys *sys, int fd)
{
	(void)sys, (void)fd;
	return 0;
}

static const struct xp_sys fake = { .size = sizeof(fake),
				    .perf_event_open = fake_open,
				    .close = fake_close };
static const struct xp_ctx_opts seam = { .size = sizeof(seam), .sys = &fake };
static const struct cli cli = { .name = "xperf", .seam = &seam };

/* A recorded stderr. */
static FILE *record;
static int saved = -1;

static void record_start(void)
{
	record = tmpfile();
	assert_non_null(record);
	saved = dup(STDERR_FILENO);
	dup2(fileno(record), STDERR_FILENO);
}

static void record_end(char *text, size_t size)
{
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(record);
	text[fread(text, 1, size - 1, record)] = '\0';
	fclose(record);
}

static const struct xp_attr page_faults = {
	.type = 1,
	.size = 128,
	.config = 2,
	.sample_type = 1 << 16,
	.read_format = 3,
	.disabled = 1,
	.inherit = 1,
	.enable_on_exec = 1,
	.exclude_guest = 1,
};

static int open_event(struct xp_ctx *ctx, const struct xp_attr *attr, pid_t pid, int cpu, int fd)
{
	const struct xp_sys *sys = xp_ctx_sys(ctx);

	next_fd = fd;
	return sys->perf_event_open(sys, attr, pid, cpu, -1, 0);
}

#define LINE "------------------------------------------------------------\n"

/* The expected text is what perf 6.1 prints for these calls. */
static void verbose_shows_events_as_perf_does(void **state)
{
	static const char expected[] =
		LINE "perf_event_attr:\n"
		     "  type                             1\n"
		     "  size                             128\n"
		     "  config                           0x2\n"
		     "  sample_type                      IDENTIFIER\n"
		     "  read_format                      TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING\n"
		     "  disabled                         1\n"
		     "  inherit                          1\n"
		     "  enable_on_exec                   1\n"
		     "  exclude_guest                    1\n" LINE
		     "sys_perf_event_open: pid 7  cpu 0  group_fd -1  flags 0x8 = 3\n"
		     "sys_perf_event_open: pid 7  cpu 1  group_fd -1  flags 0x8 = 4\n" LINE
		     "perf_event_attr:\n"
		     "  size                             128\n"
		     "  { sample_period, sample_freq }   4000\n"
		     "  sample_type                      IP|TID|PERIOD|0x80000000\n"
		     "  freq                             1\n"
		     "  precise_ip                       2\n"
		     "  { wakeup_events, wakeup_watermark } 1\n"
		     "  { bp_addr, config1 }             0x1000\n"
		     "  clockid                          -1\n"
		     "  sample_max_stack                 127\n" LINE
		     "sys_perf_event_open: pid 7  cpu 0  group_fd -1  flags 0x8\n"
		     "sys_perf_event_open failed, error -2\n";
	const struct xp_attr cycles = {
		.size = 128,
		.sample_freq = 4000,
		.sample_type = 0x80000103,
		.freq = 1,
		.precise_ip = 2,
		.wakeup_events = 1,
		.bp_addr = 0x1000,
		.clockid = -1,
		.sample_max_stack = 127,
	};
	char text[4096];

	(void)state;
	record_start();
	struct xp_ctx *ctx = cli_ctx_new(&cli, 2);
	int first = open_event(ctx, &page_faults, 7, 0, 3);
	int second = open_event(ctx, &page_faults, 7, 1, 4);
	int third = open_event(ctx, &cycles, 7, 0, -ENOENT);
	cli_ctx_free(ctx);
	record_end(text, sizeof(text));
	assert_int_equal(first, 3);
	assert_int_equal(second, 4);
	assert_int_equal(third, -ENOENT);
	assert_string_equal(text, expected);
}

static void twins_are_shown_twice(void **state)
{
	char text[4096];
	int nr = 0;

	(void)state;
	record_start();
	struct xp_ctx *ctx = cli_ctx_new(&cli, 2);
	open_event(ctx, &page_faults, 7, -1, 3);
	open_event(ctx, &page_faults, 7, -1, 4);
	cli_ctx_free(ctx);
	record_end(text, sizeof(text));
	for (const char *s = text; (s = strstr(s, "perf_event_attr:")); s++)
		nr++;
	assert_int_equal(nr, 2);
}

/* The expected text is what perf 6.1 writes for this call. */
static void opened_events_are_described_in_files(void **state)
{
	static const char expected[] =
		"[event-1-2-3]\nfd=3\ngroup_fd=-1\ncpu=-1\npid=7\nflags=8\ntype=1\nsize=128\n"
		"config=2\nsample_period=0\nsample_type=65536\nread_format=3\ndisabled=1\n"
		"inherit=1\npinned=0\nexclusive=0\nexclude_user=0\nexclude_kernel=0\n"
		"exclude_hv=0\nexclude_idle=0\nmmap=0\ncomm=0\nfreq=0\ninherit_stat=0\n"
		"enable_on_exec=1\ntask=0\nwatermark=0\nprecise_ip=0\nmmap_data=0\n"
		"sample_id_all=0\nexclude_host=0\nexclude_guest=1\nexclude_callchain_kernel=0\n"
		"exclude_callchain_user=0\nmmap2=0\ncomm_exec=0\nuse_clockid=0\n"
		"context_switch=0\nwrite_backward=0\nnamespaces=0\nwakeup_events=0\nbp_type=0\n"
		"config1=0\nconfig2=0\nbranch_sample_type=0\nsample_regs_user=0\n"
		"sample_stack_user=0\n";
	char dir[] = "/tmp/xperf-attr-XXXXXX", path[64], text[2048];

	(void)state;
	assert_non_null(mkdtemp(dir));
	setenv("PERF_TEST_ATTR", dir, 1);
	struct xp_ctx *ctx = cli_ctx_new(&cli, 0);
	assert_int_equal(open_event(ctx, &page_faults, 7, -1, -EACCES), -EACCES);
	assert_int_equal(open_event(ctx, &page_faults, 7, -1, 3), 3);
	cli_ctx_free(ctx);
	unsetenv("PERF_TEST_ATTR");

	snprintf(path, sizeof(path), "%s/event-1-2-3", dir);
	FILE *file = fopen(path, "re");
	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	unlink(path);
	snprintf(path, sizeof(path), "%s/event-1-2--1", dir);
	assert_int_equal(unlink(path), 0); /* the refused one, too */
	assert_int_equal(rmdir(dir), 0);
	assert_string_equal(text, expected);
}

static void unwritable_directory_is_one_sentence(void **state)
{
	char text[512];

	(void)state;
	setenv("PERF_TEST_ATTR", "/nonexistent/dir", 1);
	record_start();
	struct xp_ctx *ctx = cli_ctx_new(&cli, 0);
	record_end(text, sizeof(text));
	unsetenv("PERF_TEST_ATTR");
	assert_null(ctx);
	assert_string_equal(text, "Error: PERF_TEST_ATTR: cannot write into '/nonexistent/dir': "
				  "No such file or directory\n");
}

static void no_table_in_between_without_need(void **state)
{
	(void)state;
	struct xp_ctx *ctx = cli_ctx_new(&cli, 1);

	assert_non_null(ctx);
	assert_ptr_equal(xp_ctx_sys(ctx), &fake);
	cli_ctx_free(ctx);
}

static void carets(void **state)
{
	static const struct {
		const char *input, *label, *expected;
		int pos, len;
	} rows[] = {
		{ "cycles,foo", "event",
		  "event syntax error: 'cycles,foo'\n"
		  "                            \\___ no such event\nHint: try list\n",
		  7, 3 },
		{ "", "event",
		  "event syntax error: ''\n                     \\___ no such event\n"
		  "Hint: try list\n",
		  0, 1 },
		{ "", NULL, "Error: no such event\nHint: try list\n", 0, 1 },
		{ "0-3,x", NULL, "Error: no such event\n  0-3,x\n      ^\nHint: try list\n", 4, 1 },
		{ "a,bcd", NULL, "Error: no such event\n  a,bcd\n    ^~~\nHint: try list\n", 2, 3 },
		{ "\xc3\xa4,\tb", NULL,
		  "Error: no such event\n  \xc3\xa4,?b\n     ^\nHint: try list\n", 4, 1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct xp_diag diag;
		char text[512];

		xp_diag_set(&diag, -EINVAL, "no such event");
		xp_diag_at(&diag, rows[i].input, rows[i].pos, rows[i].len);
		xp_diag_hint(&diag, "try list");
		record_start();
		cli_print_diag(&diag, rows[i].label);
		record_end(text, sizeof(text));
		assert_string_equal(text, rows[i].expected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(verbose_shows_events_as_perf_does),
		cmocka_unit_test(twins_are_shown_twice),
		cmocka_unit_test(opened_events_are_described_in_files),
		cmocka_unit_test(unwritable_directory_is_one_sentence),
		cmocka_unit_test(no_table_in_between_without_need),
		cmocka_unit_test(carets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
