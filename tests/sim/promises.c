/* SPDX-License-Identifier: MIT */
/* Promises of the kernel about processes, signals and descriptors, and the list of all promises. */
#include "promises.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <xperf/sys.h>

#include "promises-disk.h"
#include "promises-events.h"
#include "promises-rings.h"
#include "uapi.h"

struct promise_env promise_env;

#define SYS (promise_env.sys)

struct xp_child promise_spawn(char *const argv[])
{
	struct xp_child child;

	assert_int_equal(SYS->spawn(SYS, argv, &child), 0);
	assert_true(child.pid > 0);
	return child;
}

int promise_start(const struct xp_child *child)
{
	int err = 0;

	assert_int_equal(SYS->write(SYS, child->go_fd, "", 1), 1);
	ssize_t n = SYS->read(SYS, child->exec_fd, &err, sizeof(err));
	assert_true(n == 0 || n == sizeof(err));
	SYS->close(SYS, child->go_fd);
	SYS->close(SYS, child->exec_fd);
	return err;
}

int promise_wait(pid_t pid)
{
	int status = -1;

	assert_int_equal(SYS->wait(SYS, pid, 0, &status, NULL), pid);
	return status;
}

int promise_run_to_end(const struct xp_child *child)
{
	assert_int_equal(promise_start(child), 0);
	return promise_wait(child->pid);
}

static void exec_of_a_missing_command_is_reported(void **state)
{
	struct xp_child child = promise_spawn(promise_env.missing);

	(void)state;
	assert_int_equal(promise_start(&child), ENOENT);
	int status = promise_wait(child.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 127);
}

static void a_child_never_released_exits(void **state)
{
	struct xp_child child = promise_spawn(promise_env.work);

	(void)state;
	SYS->close(SYS, child.go_fd);
	SYS->close(SYS, child.exec_fd);
	int status = promise_wait(child.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* A held child can be killed, by a ^C for example: the byte has no reader then. No SIGPIPE. */
static void a_killed_child_takes_no_byte(void **state)
{
	struct xp_child child = promise_spawn(promise_env.work);

	(void)state;
	assert_int_equal(SYS->kill(SYS, child.pid, SIGKILL), 0);
	assert_int_equal(WTERMSIG(promise_wait(child.pid)), SIGKILL);
	assert_int_equal(SYS->write(SYS, child.go_fd, "", 1), -EPIPE);
	SYS->close(SYS, child.go_fd);
	SYS->close(SYS, child.exec_fd);
}

static void wait_gives_status_and_usage_once(void **state)
{
	struct xp_child child = promise_spawn(promise_env.work);
	struct rusage usage = { 0 };
	int status;

	(void)state;
	assert_int_equal(SYS->wait(SYS, child.pid, WNOHANG, &status, &usage), 0);
	assert_int_equal(promise_start(&child), 0);
	assert_int_equal(SYS->wait(SYS, child.pid, 0, &status, &usage), child.pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_true(usage.ru_utime.tv_sec + usage.ru_utime.tv_usec + usage.ru_stime.tv_sec +
			    usage.ru_stime.tv_usec >
		    0);
	assert_int_equal(SYS->wait(SYS, child.pid, 0, &status, &usage), -ECHILD);
}

static void kill_ends_a_process(void **state)
{
	struct xp_child child = promise_spawn(promise_env.hold);

	(void)state;
	assert_int_equal(promise_start(&child), 0);
	assert_int_equal(SYS->kill(SYS, child.pid, 0), 0);
	assert_int_equal(SYS->kill(SYS, child.pid, SIGTERM), 0);
	int status = promise_wait(child.pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_int_equal(SYS->kill(SYS, child.pid, 0), -ESRCH);
}

/* pidfd_open(2): readable when the process has ended, also before it is waited for. */
static void a_pidfd_is_readable_at_the_end(void **state)
{
	struct xp_child child = promise_spawn(promise_env.work);
	int fd = SYS->pidfd_open(SYS, child.pid, 0);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(SYS->poll(SYS, &p, 1, 0), 0);
	assert_int_equal(promise_start(&child), 0);
	assert_int_equal(SYS->poll(SYS, &p, 1, -1), 1);
	assert_true(p.revents & POLLIN);
	assert_int_equal(SYS->poll(SYS, &p, 1, 0), 1);
	promise_wait(child.pid);
	SYS->close(SYS, fd);
	assert_int_equal(SYS->pidfd_open(SYS, child.pid, 0), -ESRCH);
	assert_int_equal(SYS->pidfd_open(SYS, 0, 0), -EINVAL);
	assert_int_equal(SYS->pidfd_open(SYS, -1, 0), -EINVAL);
}

/* signalfd(2) */
static void a_signal_is_read_once(void **state)
{
	static const int signals[] = { SIGUSR1, SIGCHLD };
	struct signalfd_siginfo info;
	int fd = SYS->signal_fd(SYS, signals, 2);
	struct pollfd p = { .fd = fd, .events = POLLIN };

	(void)state;
	assert_true(fd >= 0);
	while (SYS->read(SYS, fd, &info, sizeof(info)) > 0)
		; /* children of earlier checks */
	assert_int_equal(SYS->poll(SYS, &p, 1, 0), 0);
	assert_int_equal(SYS->kill(SYS, promise_env.self, SIGUSR1), 0);
	assert_int_equal(SYS->poll(SYS, &p, 1, -1), 1);
	assert_int_equal(SYS->read(SYS, fd, &info, sizeof(info)), sizeof(info));
	assert_int_equal(info.ssi_signo, SIGUSR1);
	assert_int_equal(SYS->read(SYS, fd, &info, sizeof(info)), -EAGAIN);

	struct xp_child child = promise_spawn(promise_env.work);
	promise_run_to_end(&child);
	assert_int_equal(SYS->read(SYS, fd, &info, sizeof(info)), sizeof(info));
	assert_int_equal(info.ssi_signo, SIGCHLD);
	SYS->close(SYS, fd);
}

static void a_timeout_passes(void **state)
{
	uint64_t before = SYS->now(SYS);

	(void)state;
	assert_int_equal(SYS->poll(SYS, NULL, 0, 2000000), 0);
	assert_true(SYS->now(SYS) - before >= 2000000);
}

/* sched_setaffinity(2): EINVAL where no CPU of the mask exists. */
static void hopping_needs_a_cpu(void **state)
{
	(void)state;
	assert_int_equal(SYS->run_on(SYS, 4000), -EINVAL);
	assert_int_equal(SYS->run_on(SYS, 0), 0);
	assert_int_equal(SYS->run_on(SYS, -1), 0);
}

static int open_dummies(int *fds, int max, int *ret_err)
{
	struct xp_attr attr = promise_software(PERF_COUNT_SW_DUMMY);
	int nr = 0;

	*ret_err = 0;
	while (nr < max && !*ret_err) {
		int fd = SYS->perf_event_open(SYS, &attr, 0, -1, -1, 0);

		if (fd < 0)
			*ret_err = fd;
		else
			fds[nr++] = fd;
	}
	return nr;
}

/* getrlimit(2), RLIMIT_NOFILE; perf_event_open(2), EMFILE */
static void descriptors_are_limited(void **state)
{
	struct rlimit old, low;
	int fds[80], err;

	(void)state;
	assert_int_equal(SYS->rlimit(SYS, 0, RLIMIT_NOFILE, NULL, &old), 0);
	low = (struct rlimit){ 64, old.rlim_max };
	assert_int_equal(SYS->rlimit(SYS, 0, RLIMIT_NOFILE, &low, NULL), 0);
	int nr = open_dummies(fds, 80, &err);
	assert_int_equal(err, -EMFILE);
	assert_int_equal(SYS->rlimit(SYS, 0, RLIMIT_NOFILE, &old, NULL), 0);
	assert_true(nr > 0);
	assert_int_equal(SYS->close_behind(SYS, fds, (size_t)nr), 0);
	for (int i = 0; i < nr; i++)
		assert_int_equal(SYS->ioctl(SYS, fds[i], PERF_EVENT_IOC_ENABLE, 0), -EBADF);
}

/* stat(2); bpf(2): EPERM without the privilege, else EINVAL */
static void files_and_programs_are_reported(void **state)
{
	struct stat st = { 0 };

	(void)state;
	assert_int_equal(SYS->stat(SYS, "/", &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	assert_int_equal(SYS->stat(SYS, "/no such file", &st), -ENOENT);
	int err = SYS->bpf(SYS, -1, &st, 8);
	assert_true(err == -EINVAL || err == -EPERM || err == -ENOSYS);
}

static int begin(void **state)
{
	(void)state;
	if (promise_env.begin)
		promise_env.begin();
	return 0;
}

static int end(void **state)
{
	(void)state;
	if (promise_env.end)
		promise_env.end();
	return 0;
}

#define PROMISE(check) cmocka_unit_test_setup_teardown(check, begin, end)

const struct CMUnitTest promises[] = {
	PROMISE(exec_of_a_missing_command_is_reported),
	PROMISE(a_child_never_released_exits),
	PROMISE(a_killed_child_takes_no_byte),
	PROMISE(wait_gives_status_and_usage_once),
	PROMISE(kill_ends_a_process),
	PROMISE(a_pidfd_is_readable_at_the_end),
	PROMISE(a_signal_is_read_once),
	PROMISE(a_timeout_passes),
	PROMISE(hopping_needs_a_cpu),
	PROMISE(descriptors_are_limited),
	PROMISE(files_and_programs_are_reported),
	PROMISE(promise_opening_is_refused),
	PROMISE(promise_size_is_reported),
	PROMISE(promise_group_membership),
	PROMISE(promise_enable_on_exec),
	PROMISE(promise_inherit),
	PROMISE(promise_other_cpu),
	PROMISE(promise_group_layout),
	PROMISE(promise_single_layout),
	PROMISE(promise_member_under_disabled_leader),
	PROMISE(promise_disabled_member),
	PROMISE(promise_short_buffer),
	PROMISE(promise_switches),
	PROMISE(promise_reset_keeps_times),
	PROMISE(promise_closed_leader),
	PROMISE(promise_event_polls_hup),
	PROMISE(promise_no_pmu),
	PROMISE(promise_too_large_group),
	PROMISE(promise_pinned_error_reads_end_of_file),
	PROMISE(promise_multiplexing_shows_in_times),
	PROMISE(promise_filter_is_accepted_once),
	PROMISE(promise_create_is_exclusive),
	PROMISE(promise_names_are_added),
	PROMISE(promise_writes_go_to_the_given_offset),
	PROMISE(promise_reads_from_the_given_offset),
	PROMISE(promise_no_reader_no_signal),
	PROMISE(promise_file_limit_no_signal),
	PROMISE(promise_names_change),
	PROMISE(promise_directories),
	PROMISE(promise_uname),
	PROMISE(promise_clocks),
	PROMISE(promise_counters_add_up),
	PROMISE(promise_set_priority_is_no_failure),
	PROMISE(promise_sampling_is_refused),
	PROMISE(promise_mapping_is_refused),
	PROMISE(promise_output_goes_to_rings_of_the_same_cpu),
	PROMISE(promise_samples_add_up),
	PROMISE(promise_a_full_ring_keeps_the_oldest),
	PROMISE(promise_a_paused_ring_reports_what_it_lost),
	PROMISE(promise_an_overwritten_ring_keeps_the_newest),
	PROMISE(promise_a_ring_polls_at_its_watermark),
	PROMISE(promise_a_ring_polls_hup_at_the_end),
	PROMISE(promise_clocks_are_sampled_in_time),
	PROMISE(promise_samples_know_their_event),
	PROMISE(promise_tasks_are_reported),
	PROMISE(promise_counts_of_children_are_reported),
	PROMISE(promise_switches_are_reported),
	PROMISE(promise_a_mapping_keeps_its_event),
	PROMISE(promise_registers_are_refused),
	PROMISE(promise_stacks_are_copied),
	PROMISE(promise_maps_have_build_ids),
	PROMISE(promise_cgroup_counts_its_tasks),
	PROMISE(promise_cgroup_is_refused),
	PROMISE(promise_maps_are_found),
	PROMISE(promise_a_second_descriptor_keeps_an_event),
};

const size_t nr_promises = sizeof(promises) / sizeof(promises[0]);

int promises_run(const char *name)
{
	return _cmocka_run_group_tests(name, promises, nr_promises, NULL, NULL);
}
