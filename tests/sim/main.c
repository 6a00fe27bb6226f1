/* SPDX-License-Identifier: MIT */
/*
 * xperf-sim: the program on the simulated kernel.
 *
 *   XPERF_SIM=FILE        the scenario (scenario.c has the format)
 *   XPERF_SIM_FAIL=N:ERR  the N-th kernel call answers -ERR, a number or a name
 *   XPERF_SIM_LOG=FILE    every kernel call, one a line
 *   XPERF_SIM_TRUTH=FILE  what truly happened (sim.h, sim_write_truth())
 *   XPERF_SIM_STATS=FILE  "calls N", "opened N", "reads N", "ipis N", "hops N", one a line
 *
 * Exit status: the program's; 98 if it would have hung, 99 if it left descriptors or children.
 */
#include "model.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static int fail_on_request(struct sim *sim)
{
	char *text = getenv("XPERF_SIM_FAIL"), *end;

	if (!text)
		return 0;
	uint64_t n = strtoull(text, &end, 10);
	int err = *end == ':' ? errno_by_name(end + 1) : -1;
	if (err < 0) {
		fprintf(stderr, "XPERF_SIM_FAIL=%s: not N:ERRNO\n", text);
		return -1;
	}
	sim_fail_call(sim, n, err);
	return 0;
}

static FILE *file_on_request(const char *variable)
{
	const char *path = getenv(variable);

	return path ? fopen(path, "w") : NULL;
}

static void write_stats(const struct sim *sim, FILE *out)
{
	const struct sim_stats *stats = sim_stats(sim);

	fprintf(out, "calls %llu\nopened %llu\nreads %llu\nipis %llu\nhops %llu\n",
		(unsigned long long)stats->calls, (unsigned long long)stats->opened,
		(unsigned long long)stats->reads, (unsigned long long)stats->ipis,
		(unsigned long long)stats->hops);
}

/* What scripts asked for is written however the program ends. */
static struct {
	struct sim *sim;
	FILE *truth, *stats, *log;
} at_end;

static void finish(void)
{
	if (at_end.truth) {
		sim_write_truth(at_end.sim, at_end.truth);
		fclose(at_end.truth);
	}
	if (at_end.stats) {
		write_stats(at_end.sim, at_end.stats);
		fclose(at_end.stats);
	}
	sim_log_to(at_end.sim, NULL);
	if (at_end.log)
		fclose(at_end.log);
	sim_free(at_end.sim);
}

int main(int argc, char **argv)
{
	const char *scenario = getenv("XPERF_SIM");
	struct sim *sim = scenario ? sim_load(scenario) : sim_new("", "no scenario");

	if (!sim || fail_on_request(sim)) {
		sim_free(sim);
		return 97;
	}
	at_end.sim = sim;
	at_end.truth = file_on_request("XPERF_SIM_TRUTH");
	at_end.stats = file_on_request("XPERF_SIM_STATS");
	at_end.log = file_on_request("XPERF_SIM_LOG");
	sim_log_to(sim, at_end.log);
	sim_exit_when_stuck(sim);
	atexit(finish);

	struct xp_ctx_opts seam = sim_ctx_opts(sim);
	int status = cli_main(argc, argv, &seam);
	fflush(stdout);
	return sim_leaks(sim, stderr) ? 99 : status;
}
