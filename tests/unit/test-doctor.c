/* SPDX-License-Identifier: MIT */
/*
 * `xperf doctor` on machines of several kinds: small trees of files, and kernels that answer as
 * theirs would. What it prints is compared with tests/data/doctor/NAME.txt; with UPDATE_GOLDEN set
 * that is written instead.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <xperf/xperf.h>

#include "cli.h"

struct machine {
	const char *name;
	int open_event; /* what perf_event_open answers; 0: it opens */
	const char *hypervisor;
	bool tracefs_closed;
	rlim_t nofile, memlock;
	const char *debuginfod;
};

static const struct machine machines[] = {
	{ "desktop", -EACCES, NULL, true, 1048576, 8 << 20, "https://debuginfod.debian.net" },
	{ "container", -EPERM, "Xen", false, 1048576, 64 << 10, NULL },
	{ "vm-without-pmu", 0, "KVM", false, 20000, 8 << 20, "" },
	{ "arm-server", 0, NULL, false, 4096, RLIM_INFINITY, "https://debuginfod.ubuntu.com" },
};

static const struct machine *here;

static bool is_closed(const char *path)
{
	return here->tracefs_closed && strstr(path, "/sys/kernel/tracing");
}

static int fake_open(const struct xp_sys *sys, const char *path)
{
	return is_closed(path) ? -EACCES : xp_sys_linux()->open(sys, path);
}

static int fake_list_dir(const struct xp_sys *sys, const char *path, xp_dir_fn fn, void *data)
{
	return is_closed(path) ? -EACCES : xp_sys_linux()->list_dir(sys, path, fn, data);
}

static int fake_open_event(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
			   int group_fd, unsigned long flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return here->open_event ? here->open_event : xp_sys_linux()->open(sys, "/dev/null");
}

static int fake_rlimit(const struct xp_sys *sys, pid_t pid, int resource, const struct rlimit *set,
		       struct rlimit *ret_old)
{
	rlim_t limit = resource == RLIMIT_NOFILE ? here->nofile : here->memlock;

	(void)sys;
	assert_int_equal(pid, 0);
	assert_null(set);
	*ret_old = (struct rlimit){ limit, limit };
	return 0;
}

static bool fake_hypervisor(const struct xp_arch *arch, char *buf, size_t len)
{
	(void)arch;
	if (here->hypervisor)
		snprintf(buf, len, "%s", here->hypervisor);
	return here->hypervisor;
}

/* Runs the command with its standard output in @text. */
static void run(const struct machine *machine, char **argv, int argc, char *text, size_t size)
{
	struct xp_sys sys = *xp_sys_linux();
	struct xp_arch arch = { .size = sizeof(arch),
				.name = "test",
				.hypervisor = fake_hypervisor };
	char root[4096];
	const char *source = getenv("SOURCE_DIR");

	snprintf(root, sizeof(root), "%s/tests/data/roots/%s", source ? source : ".",
		 machine->name);
	here = machine;
	sys.open = fake_open;
	sys.list_dir = fake_list_dir;
	sys.perf_event_open = fake_open_event;
	sys.rlimit = fake_rlimit;
	struct xp_ctx_opts seam = {
		.size = sizeof(seam), .sys = &sys, .arch = &arch, .root = root
	};
	const struct cli cli = { .name = "xperf", .seam = &seam };
	if (machine->debuginfod)
		setenv("DEBUGINFOD_URLS", machine->debuginfod, 1);
	else
		unsetenv("DEBUGINFOD_URLS");

	FILE *record = tmpfile();
	assert_non_null(record);
	fflush(stdout);
	int saved = dup(STDOUT_FILENO);
	dup2(fileno(record), STDOUT_FILENO);
	int status = doctor_command.run(&cli, argc, argv);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(record);
	text[fread(text, 1, size - 1, record)] = '\0';
	fclose(record);
	assert_int_equal(status, 0);
}

static void read_golden(const char *name, const char *text, char *golden, size_t size)
{
	char path[4096];
	const char *source = getenv("SOURCE_DIR");
	bool update = getenv("UPDATE_GOLDEN");

	snprintf(path, sizeof(path), "%s/tests/data/doctor/%s.txt", source ? source : ".", name);
	FILE *file = fopen(path, update ? "w+" : "r");
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	if (update)
		fputs(text, file);
	rewind(file);
	golden[fread(golden, 1, size - 1, file)] = '\0';
	fclose(file);
}

static void machines_look_as_written(void **state)
{
	char name[] = "doctor", *argv[] = { name, NULL };
	char text[8192], golden[8192];

	(void)state;
	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++) {
		run(&machines[i], argv, 1, text, sizeof(text));
		read_golden(machines[i].name, text, golden, sizeof(golden));
		assert_string_equal(text, golden);
	}
}

static void json_has_a_schema(void **state)
{
	char name[] = "doctor", option[] = "--json", *argv[] = { name, option, NULL };
	char text[8192];

	(void)state;
	run(&machines[0], argv, 2, text, sizeof(text));
	assert_ptr_equal(
		strstr(text, "{\"schema\":\"xperf-doctor/1\",\"checks\":[\n{\"name\":\"kernel\","),
		text);
	assert_non_null(strstr(text, "\n{\"name\":\"perf_event_paranoid\",\"state\":\"off\","
				     "\"value\":\"3\",\"effect\":\"you cannot count anything\","
				     "\"fix\":\"sudo sysctl kernel.perf_event_paranoid=-1"));
	assert_non_null(
		strstr(text, "\n],\"can\":[],\"cannot\":[\"count and sample your own programs\","));
	assert_string_equal(text + strlen(text) - 3, "]}\n");
}

/* What a check finds fault with has an effect; what is fine has neither effect nor fix. */
static int check(const struct xp_check *check, void *data)
{
	++*(int *)data;
	assert_true(*check->name);
	assert_true(*check->value);
	assert_int_equal(check->state == XP_CHECK_OK, !*check->effect);
	assert_true(*check->effect || !*check->fix);
	assert_null(strchr(check->fix, '@'));
	return 0;
}

static void the_data_hold_together(void **state)
{
	struct xp_ctx *ctx;
	int nr = 0;

	(void)state;
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_doctor_examine(ctx, check, &nr), 0);
	assert_int_equal(nr, 20);
	xp_ctx_free(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(machines_look_as_written),
		cmocka_unit_test(json_has_a_schema),
		cmocka_unit_test(the_data_hold_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
