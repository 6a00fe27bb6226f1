/* SPDX-License-Identifier: MIT */
/* The measured command as an object: started once, collected once, and never another process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <xperf/xperf.h>

#include "sim.h"

static const char machine[] = "program short\n run 4ms sys=25\n exit 3\n"
			      "program endless\n run forever\n"
			      "program locked exec_error=EACCES\n run 1ms\n";

struct fixture {
	struct sim *sim;
	struct xp_ctx *ctx;
	struct xp_workload *workload;
	struct xp_diag diag;
};

static void setup(struct fixture *f, const char *command)
{
	char *argv[] = { (char *)command, NULL };

	*f = (struct fixture){ .sim = sim_new(machine, "test-workload") };
	assert_non_null(f->sim);
	struct xp_ctx_opts opts = sim_ctx_opts(f->sim);
	assert_int_equal(xp_ctx_new(&opts, &f->ctx), 0);
	assert_int_equal(xp_workload_prepare(f->ctx, argv, &f->workload, &f->diag), 0);
	assert_true(xp_workload_pid(f->workload) > 0);
}

/* Whatever happened, nothing is left behind. */
static void teardown(struct fixture *f)
{
	xp_workload_free(f->workload);
	xp_ctx_free(f->ctx);
	assert_int_equal(sim_leaks(f->sim, stderr), 0);
	sim_free(f->sim);
}

static void it_runs_and_is_collected_once(void **state)
{
	struct xp_exit end = { 0 };
	struct rusage usage = { 0 };
	struct fixture f;

	(void)state;
	setup(&f, "short");
	assert_int_equal(xp_workload_wait(f.workload, false, &end), 0);
	assert_int_equal(xp_workload_usage(f.workload, &usage), -ENODATA);
	assert_int_equal(xp_workload_start(f.workload, &f.diag), 0);
	assert_int_equal(xp_workload_wait(f.workload, false, &end), 0);
	assert_int_equal(xp_workload_wait(f.workload, true, &end), 1);
	assert_int_equal(end.status, 3);
	assert_int_equal(end.signal, 0);
	assert_true(end.user_ns >= 3000000 && end.user_ns < 5000000);
	assert_true(end.system_ns >= 1000000 && end.system_ns < 3000000);
	assert_int_equal(xp_workload_wait(f.workload, true, &end), -ECHILD);
	assert_int_equal(xp_workload_usage(f.workload, &usage), 0);
	assert_int_equal(usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec,
			 end.user_ns / 1000);
	teardown(&f);
}

static void a_signal_ends_it_as_a_shell_says(void **state)
{
	struct xp_exit end = { 0 };
	struct fixture f;

	(void)state;
	setup(&f, "endless");
	assert_int_equal(xp_workload_start(f.workload, &f.diag), 0);
	assert_int_equal(xp_workload_kill(f.workload, SIGTERM), 0);
	assert_int_equal(xp_workload_wait(f.workload, true, &end), 1);
	assert_int_equal(end.signal, SIGTERM);
	assert_int_equal(end.status, 128 + SIGTERM);
	teardown(&f);
}

/* Its number may belong to somebody else by then. */
static void a_collected_process_is_not_killed(void **state)
{
	struct xp_exit end;
	struct fixture f;

	(void)state;
	setup(&f, "short");
	assert_int_equal(xp_workload_start(f.workload, &f.diag), 0);
	assert_int_equal(xp_workload_wait(f.workload, true, &end), 1);
	assert_int_equal(xp_workload_kill(f.workload, SIGTERM), -ESRCH);
	teardown(&f);
}

static void it_is_started_once(void **state)
{
	struct xp_exit end;
	struct fixture f;

	(void)state;
	setup(&f, "short");
	assert_int_equal(xp_workload_start(f.workload, &f.diag), 0);
	assert_int_equal(xp_workload_start(f.workload, &f.diag), -EALREADY);
	assert_true(f.diag.what[0]);
	assert_int_equal(xp_workload_wait(f.workload, true, &end), 1);
	assert_int_equal(end.signal, 0);
	assert_int_equal(end.status, 3);
	teardown(&f);
}

static void what_cannot_be_executed_is_reported(void **state)
{
	static const struct {
		const char *command;
		int err;
	} rows[] = { { "missing", -ENOENT }, { "locked", -EACCES } };

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;

		setup(&f, rows[i].command);
		assert_int_equal(xp_workload_start(f.workload, &f.diag), rows[i].err);
		assert_non_null(strstr(f.diag.what, rows[i].command));
		teardown(&f);
	}
}

static void killed_before_its_start_is_reported(void **state)
{
	struct xp_exit end;
	struct fixture f;

	(void)state;
	setup(&f, "short");
	assert_int_equal(xp_workload_kill(f.workload, SIGINT), 0);
	assert_int_equal(xp_workload_start(f.workload, &f.diag), -EPIPE);
	assert_non_null(strstr(f.diag.what, "ended before it was executed"));
	assert_int_equal(xp_workload_wait(f.workload, true, &end), 1);
	assert_int_equal(end.signal, SIGINT);
	teardown(&f);
}

static void never_started_leaves_nothing(void **state)
{
	struct fixture f;

	(void)state;
	setup(&f, "short");
	teardown(&f);
	xp_workload_free(NULL);
}

static void no_command_no_process(void **state)
{
	char *argv[] = { NULL };
	struct xp_workload *workload = NULL;
	struct fixture f;

	(void)state;
	setup(&f, "short");
	assert_int_equal(xp_workload_prepare(f.ctx, argv, &workload, &f.diag), -EINVAL);
	assert_null(workload);
	assert_true(f.diag.what[0]);
	sim_fail_named(f.sim, "spawn", 1, EAGAIN);
	char *command[] = { (char *)"short", NULL };
	assert_int_equal(xp_workload_prepare(f.ctx, command, &workload, &f.diag), -EAGAIN);
	assert_null(workload);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_runs_and_is_collected_once),
		cmocka_unit_test(a_signal_ends_it_as_a_shell_says),
		cmocka_unit_test(a_collected_process_is_not_killed),
		cmocka_unit_test(it_is_started_once),
		cmocka_unit_test(what_cannot_be_executed_is_reported),
		cmocka_unit_test(killed_before_its_start_is_reported),
		cmocka_unit_test(never_started_leaves_nothing),
		cmocka_unit_test(no_command_no_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
