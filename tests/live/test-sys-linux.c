/* SPDX-License-Identifier: MIT */
/* The real table gives back what it borrows of the process: signal mask, SIGCHLD, affinity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <xperf/sys.h>

static const struct xp_sys *sys;

static bool is_blocked(int sig)
{
	sigset_t mask;

	assert_int_equal(sigprocmask(SIG_BLOCK, NULL, &mask), 0);
	return sigismember(&mask, sig);
}

static void block(int how, int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	assert_int_equal(sigprocmask(how, &set, NULL), 0);
}

static void borrow_and_return(int sig)
{
	int fd = sys->signal_fd(sys, &sig, 1);

	assert_true(fd >= 0);
	assert_true(is_blocked(sig));
	close(fd);
	assert_int_equal(sys->signal_fd(sys, NULL, 0), 0);
}

static void the_mask_comes_back_as_it_was_each_time(void **state)
{
	(void)state;
	borrow_and_return(SIGUSR1);
	assert_false(is_blocked(SIGUSR1));

	/* what the program changes in between is its own */
	block(SIG_BLOCK, SIGUSR2);
	borrow_and_return(SIGUSR1);
	assert_true(is_blocked(SIGUSR2));
	assert_false(is_blocked(SIGUSR1));
	block(SIG_UNBLOCK, SIGUSR2);
	assert_int_equal(sys->signal_fd(sys, NULL, 0), 0);
	assert_false(is_blocked(SIGUSR2));
}

static void no_descriptor_no_blocked_signal(void **state)
{
	static const int signals[] = { SIGUSR1 };
	struct rlimit old, none;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = (struct rlimit){ 0, old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	int fd = sys->signal_fd(sys, signals, 1);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_int_equal(fd, -EMFILE);
	assert_false(is_blocked(SIGUSR1));
}

static void on_child(int sig)
{
	(void)sig;
}

static void (*child_handler(void))(int)
{
	struct sigaction action;

	assert_int_equal(sigaction(SIGCHLD, NULL, &action), 0);
	return action.sa_handler;
}

static void what_sigchld_did_it_does_again(void **state)
{
	static const int signals[] = { SIGCHLD };
	void (*const handlers[])(int) = { SIG_DFL, SIG_IGN, on_child };
	void (*const meanwhile[])(int) = { SIG_DFL, SIG_DFL, on_child };

	(void)state;
	for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
		signal(SIGCHLD, handlers[i]);
		int fd = sys->signal_fd(sys, signals, 1);
		assert_true(fd >= 0);
		assert_ptr_equal(child_handler(), meanwhile[i]);
		close(fd);
		assert_int_equal(sys->signal_fd(sys, NULL, 0), 0);
		assert_ptr_equal(child_handler(), handlers[i]);
	}
	signal(SIGCHLD, SIG_DFL);
}

static void the_affinity_comes_back_as_it_was_each_time(void **state)
{
	cpu_set_t all, one, now;
	int cpu = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	assert_int_equal(sys->run_on(sys, cpu), 0);
	assert_int_equal(sys->run_on(sys, -1), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &all));

	/* the program binds itself; a hop and the way back do not undo it */
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	assert_int_equal(sys->run_on(sys, -1), 0);
	assert_int_equal(sys->run_on(sys, cpu), 0);
	assert_int_equal(sys->run_on(sys, -1), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&now, &one));
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
}

static void nothing_to_close_is_no_error(void **state)
{
	(void)state;
	assert_int_equal(sys->close_behind(sys, NULL, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mask_comes_back_as_it_was_each_time),
		cmocka_unit_test(no_descriptor_no_blocked_signal),
		cmocka_unit_test(what_sigchld_did_it_does_again),
		cmocka_unit_test(the_affinity_comes_back_as_it_was_each_time),
		cmocka_unit_test(nothing_to_close_is_no_error),
	};

	sys = xp_sys_linux();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
