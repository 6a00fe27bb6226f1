/* SPDX-License-Identifier: MIT */
/*
 * What is different where somebody watches.
 * Source: no-color.org; environ(7), PAGER; perf(1), PERF_PAGER.
 */
#include "terminal.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool terminal_has_color(int fd)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (no_color && *no_color)
		return false;
	return isatty(fd) && term && strcmp(term, "dumb");
}

int terminal_columns(int fd)
{
	struct winsize size;

	return isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) ? size.ws_col : 0;
}

/* The command for the shell; NULL: none is wanted. */
static const char *pager_command(void)
{
	static const char *const variables[] = { "PERF_PAGER", "PAGER" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value)
			return *value && strcmp(value, "cat") ? value : NULL;
	}
	/* On a terminal that can do nothing, it waits for a key first. */
	const char *term = getenv("TERM");
	return term && *term && strcmp(term, "dumb") != 0 && strcmp(term, "unknown") != 0 ? "less"
											  : NULL;
}

static bool is_disabled;

void pager_disable(void)
{
	is_disabled = true;
}

static void become_pager(const char *command, int from)
{
	dup2(from, STDIN_FILENO);
	close(from);
	setenv("LESS", "FRX", 0);
	execl("/bin/sh", "sh", "-c", command, (char *)NULL);
	_exit(127);
}

/* The pager that is not installed must not swallow the text. */
static bool is_installed(const char *command)
{
	char probe[256];

	snprintf(probe, sizeof(probe), "command -v %.*s >/dev/null 2>&1",
		 (int)strcspn(command, " \t"), command);
	return !system(probe);
}

pid_t pager_start(void)
{
	const char *command = !is_disabled && isatty(STDOUT_FILENO) ? pager_command() : NULL;
	int ends[2];

	if (!command || !is_installed(command) || pipe(ends))
		return 0;
	fflush(NULL);
	pid_t pid = fork();
	if (!pid) {
		close(ends[1]);
		become_pager(command, ends[0]);
	}
	close(ends[0]);
	if (pid > 0) {
		dup2(ends[1], STDOUT_FILENO);
		/* An interrupt is for the reader, who is still reading. */
		signal(SIGINT, SIG_IGN);
	}
	close(ends[1]);
	return pid > 0 ? pid : 0;
}

void pager_end(pid_t pager)
{
	if (!pager)
		return;
	fflush(stdout);
	/* The end of the text is the end of the pipe. */
	dup2(STDERR_FILENO, STDOUT_FILENO);
	while (waitpid(pager, NULL, 0) < 0)
		;
	signal(SIGINT, SIG_DFL);
}
