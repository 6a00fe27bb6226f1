/* SPDX-License-Identifier: MIT */
/* Runs a script in Python: a child that reads what `script --json` prints from a pipe. */
#include "python.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli.h"
#include "escape.h"

extern char **environ;

/* Below the directory the program is in: beside bin, or, where it was built, beside the program. */
static bool find_module(char path[PATH_MAX + 64])
{
	static const char *const places[] = { "../share/xperf/python/perf_trace_context.py",
					      "share/xperf/python/perf_trace_context.py" };
	char program[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program));

	while (len > 0 && program[len - 1] != '/')
		len--;
	for (size_t i = 0; len > 0 && i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, PATH_MAX + 64, "%.*s%s", (int)len, program, places[i]);
		if (!access(path, R_OK))
			return true;
	}
	return false;
}

static int fail(const char *script, const char *why)
{
	fputs("Error: --script: '", stderr);
	escape_print(stderr, script);
	fprintf(stderr, "' cannot be run: %s\n", why);
	return -1;
}

/* Returns 0 or a positive errno. */
static int spawn(struct python *python, char **argv, int end)
{
	posix_spawn_file_actions_t actions;
	int fd = fcntl(end, F_DUPFD, 3); /* this one is inherited */
	char number[16];

	if (fd < 0)
		return errno;
	snprintf(number, sizeof(number), "%d", fd);
	argv[2] = number;
	posix_spawn_file_actions_init(&actions);
	int err = posix_spawnp(&python->pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(fd);
	return err;
}

int python_start(struct python *python, const char *script, char **arguments)
{
	char module[PATH_MAX + 64], name[] = "python3";
	size_t nr = 0;
	int ends[2];

	if (access(script, R_OK))
		return fail(script, strerror(errno));
	if (!find_module(module))
		return fail(script, "perf_trace_context.py of xperf is not installed");
	while (arguments[nr])
		nr++;
	char **argv = calloc(nr + 5, sizeof(*argv));
	if (!argv || pipe2(ends, O_CLOEXEC)) {
		free(argv);
		return fail(script, strerror(errno));
	}
	argv[0] = name;
	argv[1] = module;
	argv[3] = (char *)(uintptr_t)script;
	memcpy(argv + 4, arguments, nr * sizeof(*argv));
	fflush(stdout);
	int err = spawn(python, argv, ends[0]);
	close(ends[0]);
	free(argv);
	if (err) {
		close(ends[1]);
		return fail(script, err == ENOENT ? "python3 is not installed" : strerror(err));
	}
	signal(SIGPIPE, SIG_IGN);
	python->fd = ends[1];
	return 0;
}

int python_end(struct python *python)
{
	int status;

	close(python->fd);
	while (waitpid(python->pid, &status, 0) < 0)
		if (errno != EINTR)
			return EXIT_FAILED;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
