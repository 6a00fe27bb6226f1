/* SPDX-License-Identifier: MIT */
/* Serving a report until the user has seen enough: see serve.h. */
#include "serve.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>
#include <xperf/sys.h>

#include "escape.h"
#include "http-server.h"

#define NS_PER_S 1000000000ULL

/* Those that end a program, unless they are ignored, as by nohup. Returns a descriptor on which
 * they arrive, or a negative errno. */
static int catch_signals(sigset_t *ret_before)
{
	static const int endings[] = { SIGINT, SIGTERM, SIGHUP };
	sigset_t signals;

	sigemptyset(&signals);
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		struct sigaction action;

		if (!sigaction(endings[i], NULL, &action) && action.sa_handler != SIG_IGN)
			sigaddset(&signals, endings[i]);
	}
	sigprocmask(SIG_BLOCK, &signals, ret_before);
	int fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	return fd < 0 ? -errno : fd;
}

/* Those that came are done with. */
static void release_signals(int fd, const sigset_t *before)
{
	struct signalfd_siginfo info;

	while (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		;
	close(fd);
	sigprocmask(SIG_SETMASK, before, NULL);
}

static void print_address(const struct server *server, int seconds, FILE *out)
{
	unsigned int port = server_port(server);
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	fprintf(out, "http://127.0.0.1:%u%s\n", port, server_path(server));
	fflush(out);
	if (seconds)
		fprintf(stderr, "A browser on this machine shows the report there, for %d s.",
			seconds);
	else
		fputs("A browser on this machine shows the report there, until ^C.", stderr);
	fprintf(stderr,
		" For one on another machine, run there first:\n"
		"    ssh -N -L %u:127.0.0.1:%u %s\n",
		port, port, *host ? escaped(host) : "HOST");
}

/* Clients may run out of time; nobody has to be woken up for it in the moment. */
static int wait_ms(const struct server *server, uint64_t now_ns, uint64_t end_ns)
{
	enum { LOOK_MS = 1000 };
	uint64_t left_ms = (end_ns - now_ns) / 1000000 + 1;

	if (end_ns == UINT64_MAX && !server_is_busy(server))
		return -1;
	return left_ms < LOOK_MS ? (int)left_ms : LOOK_MS;
}

static int serve_until(struct server *server, int stop_fd, int seconds)
{
	const struct xp_sys *sys = xp_sys_linux();
	uint64_t now_ns = sys->now(sys);
	uint64_t end_ns = seconds ? now_ns + (uint64_t)seconds * NS_PER_S : UINT64_MAX;
	int got = 0;

	while (!got && now_ns < end_ns) {
		got = server_step(server, stop_fd, now_ns, wait_ms(server, now_ns, end_ns));
		now_ns = sys->now(sys);
	}
	return got < 0 ? got : 0;
}

int serve(int fd, int seconds, FILE *out)
{
	struct server *server = NULL;
	sigset_t before;
	int err = server_new(fd, "text/html; charset=utf-8", &server);

	if (!err) {
		int stop_fd = catch_signals(&before);

		print_address(server, seconds, out);
		err = stop_fd < 0 ? stop_fd : serve_until(server, stop_fd, seconds);
		release_signals(stop_fd, &before);
	}
	server_free(server);
	if (err)
		fprintf(stderr, "Error: the report cannot be served: %s\n", strerror(-err));
	return err;
}
