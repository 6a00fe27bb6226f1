/* SPDX-License-Identifier: MIT */
/*
 * Sentences of `xperf record` before it begins, while it goes on, and about files. Those of its end
 * are in closing.c.
 */
#include "messages.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/diag.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/sampling.h>
#include <xperf/synth.h>

#include "cli.h"
#include "escape.h"
#include "plural.h"
#include "software-event.h"

#define MIB (1024.0 * 1024.0)

/* --- before --- */

void say_before(struct xp_ctx *ctx, const struct record_config *config)
{
	if (config->quiet)
		return;
	for (int i = 0; config->verbose && i < config->nr_without_effect; i++)
		fprintf(stderr, "Note: --%s has no effect\n", config->without_effect[i]);
	if (config->freq_is_max)
		fprintf(stderr, "info: Using a maximum frequency rate of %" PRIu64 " Hz\n",
			xp_max_sample_rate(ctx));
}

static bool same_reason(const struct xp_evsel *a, const struct xp_evsel *b)
{
	return !strcmp(xp_evsel_reason(a), xp_evsel_reason(b)) &&
	       !xp_evsel_instead_of(a) == !xp_evsel_instead_of(b);
}

static bool was_said(const struct xp_evlist *evlist, int idx)
{
	for (int i = 0; i < idx; i++)
		if (same_reason(xp_evlist_at(evlist, i), xp_evlist_at(evlist, idx)))
			return true;
	return false;
}

void say_differences(const struct record_config *config, const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist) && !config->quiet; i++) {
		const struct xp_evsel *evsel = xp_evlist_at(evlist, i);
		struct wording buf;

		if (!*xp_evsel_reason(evsel) || was_said(evlist, i))
			continue;
		const char *instead_of = xp_evsel_instead_of(evsel);
		fprintf(stderr, "Note: %s%s", instead_of ? "sampling " : "", xp_evsel_name(evsel));
		for (int k = i + 1; k < xp_evlist_nr(evlist); k++)
			if (same_reason(evsel, xp_evlist_at(evlist, k)))
				fprintf(stderr, ", %s", xp_evsel_name(xp_evlist_at(evlist, k)));
		if (instead_of)
			fprintf(stderr, " instead of %s", instead_of);
		fprintf(stderr, ": %s\n", cli_words(xp_evsel_reason(evsel), &buf));
	}
}

static bool same_software_event(const struct xp_evsel *a, const struct xp_evsel *b)
{
	const struct xp_attr *x = xp_evsel_attr_const(a), *y = xp_evsel_attr_const(b);

	return is_shared_software_event(x) && x->type == y->type && x->config == y->config &&
	       xp_evsel_cgroup(a) == xp_evsel_cgroup(b) && x->sample_period && y->sample_period;
}

void say_same_events(const struct record_config *config, const struct xp_evlist *evlist)
{
	for (int i = 0; i < xp_evlist_nr(evlist) && !config->quiet; i++)
		for (int k = i + 1; k < xp_evlist_nr(evlist); k++) {
			const struct xp_evsel *a = xp_evlist_at(evlist, i);
			const struct xp_evsel *b = xp_evlist_at(evlist, k);

			if (!same_software_event(a, b))
				continue;
			fprintf(stderr,
				"Warning: Linux can mix up samples of %s and %s, which are the "
				"same event in the kernel: record one of them\n",
				xp_evsel_name(a), xp_evsel_name(b));
			return;
		}
}

void say_hidden_kernel(const struct record_config *config)
{
	if (!config->quiet)
		fputs("Note: the kernel hides its addresses, so kernel functions will have no "
		      "names; to show them: sudo sysctl kernel.kptr_restrict=0\n",
		      stderr);
}

void say_last_stacks(const struct record_config *config)
{
	if (!config->quiet)
		fputs("Note: offcpu-time has the call chain of the last sample before each wait, "
		      "because the kernel may not be sampled here; where tasks really wait: sudo "
		      "sysctl kernel.perf_event_paranoid=1\n",
		      stderr);
}

/* --- while it goes on --- */

/* Where a workload writes to the same terminal, it is the workload's. */
void status_init(struct status *status, const struct record_config *config)
{
	const char *term = getenv("TERM");
	bool is_ours = !config->workload || !isatty(STDOUT_FILENO);

	status->is_there = false;
	status->shown_at_all = is_ours && !config->quiet && isatty(STDERR_FILENO) && term &&
			       strcmp(term, "dumb") != 0;
}

void status_show(struct status *status, const struct xp_recorder_stats *stats, uint64_t since_ns)
{
	uint64_t lost = stats->lost + stats->shed_samples + stats->unwritten_samples;

	fprintf(stderr, "\r\033[K%" PRIu64 " s: %" PRIu64 " %s, %.1f MB", since_ns / 1000000000,
		stats->samples, plural(stats->samples, "sample", "samples"),
		(double)stats->bytes / MIB);
	if (lost)
		fprintf(stderr, ", %" PRIu64 " lost", lost);
	fflush(stderr);
	status->is_there = true;
}

void status_clear(struct status *status)
{
	if (status->is_there)
		fputs("\r\033[K", stderr);
	status->is_there = false;
}

/* --- at the end --- */

void say_switched(const struct record_config *config, const struct output_file *file)
{
	if (!config->quiet)
		fprintf(stderr, "[ perf record: Dump %s ]\n", file->name);
}

void say_changed(const struct record_config *config, int err)
{
	const char *what = "CPUs or cgroups appeared or disappeared while recording";

	if (config->quiet)
		return;
	if (!err)
		fprintf(stderr,
			"Warning: %s; CPUs that came are recorded, at most 0.25 s late; new "
			"cgroups are not\n",
			what);
	else if (err == -EOPNOTSUPP && record_to_pipe(config))
		fprintf(stderr,
			"Warning: %s; new ones are not recorded, because a stream describes its "
			"events once, at its beginning; record to a file\n",
			what);
	else if (err == -EOPNOTSUPP)
		fprintf(stderr, "Warning: %s; new ones are not recorded\n", what);
	else
		fprintf(stderr, "Warning: %s; not all new ones are recorded: %s\n", what,
			strerror(-err));
}

/* Files of which functions will have no names. */
static void say_lost_files(const struct xp_build_ids_kept *kept)
{
	fputs("Note: functions will have no names in ", stderr);
	escape_print(stderr, kept->a_lost_file);
	if (kept->lost > 1)
		fprintf(stderr, " and %" PRIu64 " other %s", kept->lost - 1,
			plural(kept->lost - 1, "file", "files"));
	fprintf(stderr, ", which %s gone\n", plural(kept->lost, "is", "are"));
}

void say_kept(const struct xp_build_ids_kept *kept, const char *dir, const struct xp_diag *diag)
{
	if (diag) {
		fputs("Warning: files that are gone are not kept, so their functions will have no "
		      "names: ",
		      stderr);
		escape_print(stderr, diag->what);
		fputc('\n', stderr);
	} else if (kept->bytes) {
		fprintf(stderr, "Note: %" PRIu64 " %s kept in ", kept->files,
			plural(kept->files, "file that is gone is", "files that are gone are"));
		escape_print(stderr, dir);
		fprintf(stderr, " (%.1f MB)\n", (double)kept->bytes / MIB);
	}
	if (!diag && kept->lost)
		say_lost_files(kept);
}
