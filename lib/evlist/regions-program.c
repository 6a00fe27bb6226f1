/* SPDX-License-Identifier: MIT */
/*
 * The regions of the process: one set for the program, its libraries and its plugins, whatever they
 * were compiled with. It belongs to the process, as its environment does, so it is the one thing
 * that the library keeps by itself. Its summary is written when the process ends.
 *
 * libxperf.so is never unloaded (-z nodelete): threads that counted in a plugin come back here when
 * they end, and the plugin may be gone by then. A plugin with its own copy of the library takes
 * that with it; then they must not come back.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/regions.h>

#include "regions-impl.h"

static struct {
	pthread_mutex_t lock;
	bool was_asked; /* the environment */
	struct xp_regions *regions;
} program = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct xp_regions *xp_regions_program(struct xp_diag *diag)
{
	if (diag)
		diag->err = 0;
	pthread_mutex_lock(&program.lock);
	if (!program.was_asked)
		xp_regions_from_env(&program.regions, diag);
	program.was_asked = true;
	pthread_mutex_unlock(&program.lock);
	return program.regions;
}

/* After all that the program itself does at its end. */
__attribute__((destructor(101))) static void end_program(void)
{
	struct xp_diag diag;

	if (!program.regions)
		return;
	int err = xp_regions_write(program.regions, NULL, &diag);
	if (err && err != -EPERM)
		xp_regions_report(program.regions, &diag);
	xp_regions_stop_threads(program.regions);
}
