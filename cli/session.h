/* SPDX-License-Identifier: MIT */
/* The workload of a command, and the signals that reach the command while it measures. */
#ifndef CLI_SESSION_H
#define CLI_SESSION_H

#include <stdint.h>
#include <xperf/workload.h>

/* No deadline. */
#define NEVER UINT64_MAX

struct session {
	struct xp_ctx *ctx;
	int signal_fd;       /* -1: signals are not caught */
	int stop_signal;     /* that ends the measuring; 0: none yet */
	uint64_t stop_at_ns; /* when it came */
	int nr_usr2;         /* SIGUSR2 that came, where it is caught */

	/* this and the rest: of the workload that was prepared last */
	struct xp_workload *workload; /* NULL: none */
	bool started;
	bool ended;
	int exec_status;      /* exit status if it could not be executed: 126 or 127; 0: it could */
	struct xp_exit exit;  /* once it has ended */
	bool over;            /* it has ended, or is to be waited for no longer */
	uint64_t grace_at_ns; /* when a workload that was asked to end is waited for no longer */
};

/* Nothing is caught or run yet. */
void session_init(struct session *session, struct xp_ctx *ctx);

/*
 * Makes the descriptor on which signals and the end of children arrive; SIGUSR2 too, if
 * @with_usr2. Returns 0 or a negative errno with @diag filled.
 */
int session_catch_signals(struct session *session, bool with_usr2, struct xp_diag *diag);
/* Signals do again what they do elsewhere: a second one can cut short what takes long. */
void session_release_signals(struct session *session);

/* Makes the process of a workload, which waits. Returns likewise. */
int session_prepare(struct session *session, char *const *argv, struct xp_diag *diag);
/* Lets it go. Returns likewise, -EINTR if a signal came before. */
int session_start(struct session *session, struct xp_diag *diag);
/* Sends it SIGTERM, and the time it is waited for begins. */
void session_terminate(struct session *session);
/* Waits for the workload no longer, but looks whether it has ended. Returns likewise. */
int session_give_up(struct session *session, struct xp_diag *diag);
/* Handles the signals that have arrived. Returns likewise. */
int session_handle_signals(struct session *session, struct xp_diag *diag);
/* True if what stopped us came before the workload ran. A ^C ends it where it waits, too, which the
 * kernel may report first, as an error of opening or starting. */
bool session_is_called_off(struct session *session);
/* Names the option that shows where a command waited, if that is most of its time. @cpu_s: of all
 * its threads */
void session_say_waits(const char *command, double cpu_s, double wall_s);
/* The exit status of a command that failed with @diag: 127 if the workload was not found, 126 if it
 * could not be executed, EXIT_USAGE for what was typed wrongly, else EXIT_FAILED. */
int session_failure_status(const struct session *session, const struct xp_diag *diag);
/*
 * Decides that the program ends by the signal that stopped it, when all is written, as if it had
 * not caught it: who started it can tell. Returns the exit status that a shell shows for that; 0:
 * there was no signal.
 */
int session_end_by_signal(const struct session *session);
/* Ends the program so, if that was decided. */
void session_raise(void);
/* Lets go of the workload; if it runs, it goes on. */
void session_drop_workload(struct session *session);
/*
 * Lets go of signals and workload. If that runs and @failed, waits for it to end as if it had been
 * started alone: what it does is the user's, though it is no longer measured.
 */
void session_fini(struct session *session, bool failed);

#endif
