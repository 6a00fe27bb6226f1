/* SPDX-License-Identifier: MIT */
/*
 * The terminal while it is drawn on: signals, its size, and what is written to standard error.
 *
 * A signal that stops or ends the program gives the terminal back first, by what is allowed in a
 * handler: tcsetattr(3) and write(2). What the library that draws writes is not interrupted.
 * Source: signal-safety(7), termios(3), ioctl_tty(2).
 */
#include "screen.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "backend.h"
#include "terminal.h"

/* Keys that say nothing, one after the other: the input has ended. */
enum { MOST_EMPTY = 100 };

struct screen {
	struct backend *backend;
	int errors;     /* where standard error goes meanwhile; -1: where it always goes */
	int old_errors; /* where it went before */
	const struct screen_watch *watch; /* NULL: nothing but keys */
};

/* Of the one terminal there is, for handlers. */
static struct {
	struct termios before, during;
	const char *begin, *end;
	volatile sig_atomic_t is_resized, is_interrupted;
} terminal;

static const int caught[] = { SIGINT, SIGTERM, SIGQUIT, SIGTSTP, SIGWINCH };
enum { NR_CAUGHT = sizeof(caught) / sizeof(caught[0]) };
static struct sigaction actions_before[NR_CAUGHT];

const char *screen_obstacle(void)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return "standard input and output are not both a terminal";
	if (!term || !*term)
		return "the environment does not name the type of the terminal (TERM)";
	return strcmp(term, "dumb") ? NULL : "a terminal of type 'dumb' cannot be drawn on";
}

/* --- signals --- */

static void send(const char *sequence)
{
	size_t len = strlen(sequence);

	while (len) {
		ssize_t nr = write(STDOUT_FILENO, sequence, len);

		if (nr <= 0)
			return;
		sequence += nr;
		len -= (size_t)nr;
	}
}

/* The signal does what it does by default, now. */
static void by_default(int sig)
{
	struct sigaction ours, theirs = { .sa_handler = SIG_DFL };
	sigset_t only, before;

	sigemptyset(&only);
	sigaddset(&only, sig);
	sigaction(sig, &theirs, &ours);
	raise(sig);
	pthread_sigmask(SIG_UNBLOCK, &only, &before);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	sigaction(sig, &ours, NULL);
}

static void give_back(int sig)
{
	send(terminal.end);
	tcsetattr(STDIN_FILENO, TCSANOW, &terminal.before);
	by_default(sig);
}

static void on_signal(int sig)
{
	int saved = errno;

	if (sig == SIGWINCH) {
		terminal.is_resized = 1;
	} else if (sig == SIGINT && !terminal.is_interrupted) {
		terminal.is_interrupted = 1;
	} else {
		/* Only after SIGTSTP does it go on, in the foreground again. */
		give_back(sig);
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal.during);
		send(terminal.begin);
		terminal.is_resized = 1;
	}
	errno = saved;
}

static sigset_t caught_set(void)
{
	sigset_t set;

	sigemptyset(&set);
	for (int i = 0; i < NR_CAUGHT; i++)
		sigaddset(&set, caught[i]);
	return set;
}

static sigset_t block(void)
{
	sigset_t set = caught_set(), before;

	pthread_sigmask(SIG_BLOCK, &set, &before);
	return before;
}

static void unblock(const sigset_t *before)
{
	pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* The handlers are there before the library could bring its own. */
static void catch_signals(void)
{
	struct sigaction ours = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	ours.sa_mask = caught_set();
	for (int i = 0; i < NR_CAUGHT; i++)
		sigaction(caught[i], &ours, &actions_before[i]);
}

static void release_signals(void)
{
	for (int i = 0; i < NR_CAUGHT; i++)
		sigaction(caught[i], &actions_before[i], NULL);
}

/* --- standard error --- */

static void keep_errors(struct screen *screen)
{
	screen->errors = screen->old_errors = -1;
	if (!isatty(STDERR_FILENO))
		return;
	fflush(stderr);
	screen->errors = memfd_create("stderr", MFD_CLOEXEC);
	screen->old_errors = dup(STDERR_FILENO);
	if (screen->errors >= 0 && screen->old_errors >= 0)
		dup2(screen->errors, STDERR_FILENO);
}

static void show_errors(struct screen *screen)
{
	char buf[4096];
	ssize_t nr;

	fflush(stderr);
	if (screen->errors >= 0 && screen->old_errors >= 0) {
		dup2(screen->old_errors, STDERR_FILENO);
		lseek(screen->errors, 0, SEEK_SET);
		while ((nr = read(screen->errors, buf, sizeof(buf))) > 0)
			if (write(STDERR_FILENO, buf, (size_t)nr) < nr)
				break;
	}
	if (screen->errors >= 0)
		close(screen->errors);
	if (screen->old_errors >= 0)
		close(screen->old_errors);
}

/* --- open, close --- */

int screen_open(const struct style_colors colors[NR_STYLES], struct screen **ret_screen,
		struct xp_diag *diag)
{
	struct screen *screen = calloc(1, sizeof(*screen));

	if (!screen)
		return -ENOMEM;
	tcgetattr(STDIN_FILENO, &terminal.before);
	terminal.begin = terminal.end = "";
	terminal.is_resized = terminal.is_interrupted = 0;
	fflush(stdout);
	sigset_t before = block();
	catch_signals();
	int err = backend_open(terminal_has_color(STDOUT_FILENO) ? colors : NULL, &screen->backend,
			       diag);
	if (!err) {
		tcgetattr(STDIN_FILENO, &terminal.during);
		terminal.begin = backend_sequence(screen->backend, true);
		terminal.end = backend_sequence(screen->backend, false);
		keep_errors(screen);
		*ret_screen = screen;
	} else {
		release_signals();
		free(screen);
	}
	unblock(&before);
	return err;
}

void screen_close(struct screen *screen)
{
	if (!screen)
		return;
	sigset_t before = block();
	backend_close(screen->backend);
	terminal.begin = terminal.end = "";
	show_errors(screen);
	release_signals();
	unblock(&before);
	free(screen);
}

/* --- drawing --- */

int screen_rows(const struct screen *screen)
{
	return backend_rows(screen->backend);
}

int screen_columns(const struct screen *screen)
{
	return backend_columns(screen->backend);
}

void screen_clear(struct screen *screen)
{
	backend_clear(screen->backend);
}

void screen_put(struct screen *screen, int row, int column, const char *text, int columns,
		enum style style)
{
	int left = screen_columns(screen) - column;

	if (row < 0 || row >= screen_rows(screen) || column < 0 || left <= 0 || columns <= 0)
		return;
	backend_put(screen->backend, row, column, text, columns < left ? columns : left, style);
}

bool screen_can_show(const struct screen *screen, const char *text)
{
	return backend_can_show(screen->backend, text);
}

void screen_show(struct screen *screen)
{
	sigset_t before = block();

	backend_show(screen->backend);
	unblock(&before);
}

/* --- keys --- */

static void resize(struct screen *screen)
{
	struct winsize size;

	terminal.is_resized = 0;
	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row && size.ws_col)
		backend_resize(screen->backend, size.ws_row, size.ws_col);
	else
		backend_redraw(screen->backend);
}

/* What signals have reported, as a key; 0: nothing. */
static int noted(struct screen *screen)
{
	if (terminal.is_interrupted) {
		terminal.is_interrupted = 0;
		return SCREEN_INTERRUPTED;
	}
	if (!terminal.is_resized)
		return 0;
	resize(screen);
	return SCREEN_RESIZED;
}

void screen_set_watch(struct screen *screen, const struct screen_watch *watch)
{
	screen->watch = watch;
}

/* Returns the shorter of the time that was asked for and what the watch needs; -1: any. */
static int shorter(const struct screen_watch *watch, int ms)
{
	int watched = watch ? watch->timeout_ms(watch->data) : -1;

	return ms < 0 || (watched >= 0 && watched < ms) ? watched : ms;
}

/* @ms: at most so long; -1: any time. Returns a key that says what happened; 0: there may be input,
 * or nothing came. *@nr_empty is how often there was input, which may be no key. */
static int wait_for_input(const struct screen_watch *watch, int ms, const sigset_t *unblocked,
			  int *nr_empty)
{
	struct pollfd fds[] = {
		{ .fd = STDIN_FILENO, .events = POLLIN },
		{ .fd = watch ? watch->fd : -1, .events = POLLIN },
	};
	int least = shorter(watch, ms);
	struct timespec timeout = { .tv_sec = least / 1000, .tv_nsec = least % 1000 * 1000000L };
	int nr = ppoll(fds, 2, least < 0 ? NULL : &timeout, unblocked);

	if (nr < 0)
		return errno == EINTR ? 0 : SCREEN_GONE;
	if (fds[0].revents & (POLLHUP | POLLERR | POLLNVAL))
		return SCREEN_GONE;
	*nr_empty += fds[0].revents != 0;
	return watch && (!nr || fds[1].revents) && watch->look(watch->data) ? SCREEN_NEWS : 0;
}

/* Returns 0 if there is none now. */
static int key_now(struct screen *screen)
{
	int key = noted(screen);

	return key ? key : backend_key(screen->backend);
}

int screen_key(struct screen *screen)
{
	sigset_t before = block();
	int key = 0;

	for (int nr = 0; !key && nr < MOST_EMPTY;) {
		key = key_now(screen);
		if (!key)
			key = wait_for_input(screen->watch, -1, &before, &nr);
	}
	unblock(&before);
	return key ? key : SCREEN_GONE;
}

int screen_key_within(struct screen *screen, int milliseconds)
{
	sigset_t before = block();
	int nr = 0, key = key_now(screen);

	if (!key)
		key = wait_for_input(screen->watch, milliseconds, &before, &nr) ?: key_now(screen);
	unblock(&before);
	return key;
}
