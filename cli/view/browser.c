/* SPDX-License-Identifier: MIT */
/* Starting a browser, without a shell: see browser.h. */
#include "browser.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xperf/sys.h>

/* A browser has failed if it ends so soon, and says so. */
#define START_NS 3000000000

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

bool browser_is_seen(void)
{
	/* Desktops do not let root show what belongs to another user's session. */
	bool is_other_user = !geteuid() && is_set("SUDO_UID") && strcmp(getenv("SUDO_UID"), "0");

	return (is_set("DISPLAY") || is_set("WAYLAND_DISPLAY")) && !is_set("SSH_CONNECTION") &&
	       !is_other_user;
}

/* A session of its own: what ends a command in the terminal does not end the browser. What browsers
 * print is not for the user. */
static int start(char *const argv[], pid_t *ret_pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attr;

	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID);
	posix_spawn_file_actions_init(&actions);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_RDWR, 0);
	int err = -posix_spawnp(ret_pid, argv[0], &actions, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attr);
	return err;
}

/* Whether it goes on, or has ended well: some stay until their window is closed, others hand over
 * to one that runs. */
static bool does_run(pid_t pid)
{
	const struct xp_sys *sys = xp_sys_linux();
	struct pollfd ended = { .fd = sys->pidfd_open(sys, pid, 0), .events = POLLIN };
	int status = 0;

	if (ended.fd >= 0) {
		sys->poll(sys, &ended, 1, START_NS);
		sys->close(sys, ended.fd);
	}
	return waitpid(pid, &status, WNOHANG) != pid || !status;
}

/* @command: "firefox", "firefox -new-window %s"; its words are separated by blanks. It is changed.
 */
static bool open_by(char *command, const char *path)
{
	enum { MAX_WORDS = 16 };
	char *argv[MAX_WORDS + 2] = { NULL };
	char *rest = NULL, *target = (char *)(uintptr_t)path;
	bool has_target = false;
	int nr = 0;
	pid_t pid;

	for (char *word = strtok_r(command, " ", &rest); word && nr < MAX_WORDS;
	     word = strtok_r(NULL, " ", &rest)) {
		bool is_target = !strcmp(word, "%s");

		argv[nr++] = is_target ? target : word;
		has_target |= is_target;
	}
	if (!nr)
		return false;
	if (!has_target)
		argv[nr] = target;
	return !start(argv, &pid) && does_run(pid);
}

bool browser_open(const char *path)
{
	char usual[] = "xdg-open", *rest = NULL;
	char *all = is_set("BROWSER") ? strdup(getenv("BROWSER")) : NULL;
	bool is_open = false;

	for (char *one = all ? strtok_r(all, ":", &rest) : NULL; one && !is_open;
	     one = strtok_r(NULL, ":", &rest))
		is_open = open_by(one, path);
	free(all);
	return is_open || open_by(usual, path);
}
