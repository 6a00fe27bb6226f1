/* SPDX-License-Identifier: MIT */
/*
 * A recording that is read while the browser is on the screen: in a thread, of which this one sees
 * nothing but the progress.
 *
 * What the thread waits for in a read(2) of a stream ends with a signal. It is sent again and
 * again: one that comes just before the call would be lost. Source: signal(7), "Interruption of
 * system calls and library functions by signal handlers".
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "browse.h"

enum { WAKING = SIGURG, STEP_MS = 50 };

struct reading {
	const struct cli *cli;
	struct loaded *loaded;
	pthread_t waiting; /* for it */
	int err;
	atomic_bool is_done;
};

static void on_waking(int sig)
{
	(void)sig;
}

static void *read_all(void *arg)
{
	struct reading *reading = arg;

	reading->err = loaded_read(reading->loaded, reading->cli);
	reading->is_done = true;
	pthread_kill(reading->waiting, WAKING);
	return NULL;
}

/* What concerns the terminal comes to the thread that has it. */
static int start(struct reading *reading, pthread_t *ret_thread)
{
	static const int own[] = { WAKING, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
	sigset_t set, before;

	sigfillset(&set);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(&set, own[i]);
	pthread_sigmask(SIG_SETMASK, &set, &before);
	int err = pthread_create(ret_thread, NULL, read_all, reading);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -err;
}

static void draw(struct browser *browser, struct progress *progress, bool with_all)
{
	struct screen *screen = browser->screen;
	int last = screen_rows(screen) - 1, columns = screen_columns(screen);
	char stage[64], text[256];

	progress_text(progress, stage, sizeof(stage));
	snprintf(text, sizeof(text), "%s%s  Ctrl-C shows what there is so far  q quit", stage,
		 progress->is_stop_asked ? " (is being stopped)" : "");
	if (with_all)
		screen_clear(screen);
	screen_put(screen, last, 0, text, columns, STYLE_TITLE);
	screen_show(screen);
}

/* What the thread has is the system's to free: it may be waiting for anything. */
static _Noreturn void leave(struct browser *browser, int status)
{
	bool is_unread = status;

	screen_close(browser->screen);
	if (is_unread)
		fputs("Error: stopped with Ctrl-C before anything was read\n", stderr);
	fflush(NULL);
	_exit(status);
}

static void handle(struct browser *browser, struct progress *progress, int key)
{
	if (key == 'q' || key == SCREEN_GONE)
		leave(browser, 0);
	if (key != SCREEN_INTERRUPTED)
		return;
	if (progress->stage == STAGE_OPENING)
		leave(browser, EXIT_FAILED);
	progress_stop(progress);
}

static void wait_for(struct browser *browser, struct reading *reading, pthread_t thread)
{
	struct progress *progress = &reading->loaded->progress;
	int key = SCREEN_RESIZED;

	while (!reading->is_done) {
		draw(browser, progress, key == SCREEN_RESIZED);
		key = screen_key_within(browser->screen, STEP_MS);
		handle(browser, progress, key);
		if (progress->is_stop_asked && progress->stage == STAGE_READING)
			pthread_kill(thread, WAKING);
	}
	pthread_join(thread, NULL);
}

int browse_read(struct browser *browser, struct loaded *loaded)
{
	const struct sigaction ours = { .sa_handler = on_waking };
	struct reading reading = { .cli = browser->cli,
				   .loaded = loaded,
				   .waiting = pthread_self() };
	struct sigaction before;
	pthread_t thread;

	sigaction(WAKING, &ours, &before);
	int err = start(&reading, &thread);
	if (err) {
		sigaction(WAKING, &before, NULL);
		return err;
	}
	wait_for(browser, &reading, thread);
	sigaction(WAKING, &before, NULL);
	return reading.err;
}
