/* SPDX-License-Identifier: MIT */
/* Fuzz target: any bytes as the file of stored runs that `compare --import` reads. */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <xperf/diag.h>

#include "cli/compare/stored.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What is accepted is what comparisons rely on. */
static void check_run(const struct stored_run *run)
{
	const double *times = stored_find(run, "wall", "s");

	assert(run->command && run->name && run->nr_runs && run->nr_runs <= STORED_RUNS_MAX);
	assert(times);
	for (size_t i = 0; i < run->nr_runs; i++)
		assert(times[i] >= 0 && isfinite(times[i]));
	for (size_t s = 0; s < run->nr_series; s++) {
		assert(run->series[s].name && run->series[s].unit);
		for (size_t i = 0; i < run->nr_runs; i++)
			assert(!isinf(run->series[s].values[i]));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void *jsonc;
	struct stored_runs runs;
	struct xp_diag diag = { 0 };

	/* It stays loaded, so that not each input loads it. */
	if (!jsonc)
		jsonc = dlopen("libjson-c.so.5", RTLD_NOW | RTLD_LOCAL);
	int err = stored_parse(&runs, (const char *)data, size, &diag);
	assert(err == 0 || err == -EBADMSG || err == -ENOSYS || err == -ENOMEM);
	assert(!err || diag.what[0]);
	assert(err || (runs.nr && runs.nr <= STORED_RESULTS_MAX));
	for (size_t i = 0; !err && i < runs.nr; i++)
		check_run(&runs.at[i]);
	stored_fini(&runs);
	return 0;
}
