/* SPDX-License-Identifier: MIT */
/*
 * Sentences of `xperf record`. The lines in brackets, which scripts look for, are those of perf
 * 6.1, with its name in them; what is lost and what can be done about it comes behind them.
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
#include <xperf/profile.h>
#include <xperf/sampling.h>
#include <xperf/synth.h>

#include "chain-ends.h"
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

/* perf's own two lines. */
static void say_captured(const struct closing *closing)
{
	const struct record_config *config = closing->config;
	double bytes = (double)closing->file->bytes;
	const char *name = config->output ? config->output : "perf.data";
	const char *behind = config->timestamp_filename ? ".<timestamp>" : "";

	fprintf(stderr, "[ perf record: Woken up %" PRIu64 " times to write data ]\n",
		closing->stats->wakeups);
	fprintf(stderr, "[ perf record: Captured and wrote %.3f MB %s%s", bytes / MIB, name,
		behind);
	if (config->compress_level && !closing->stats->unwritten_samples)
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)",
			(double)closing->file_bytes / MIB, (double)closing->file_bytes / bytes);
	else if (closing->file_samples)
		fprintf(stderr, " (%" PRIu64 " samples)", closing->file_samples);
	fputs(" ]\n", stderr);
}

/* How much of each event the kernel had no room for. */
static void say_lost_events(const struct xp_evlist *evlist, uint64_t lost)
{
	uint64_t known = 0;

	fprintf(stderr, "Lost: %" PRIu64 " %s: the rings were full", lost,
		plural(lost, "record", "records"));
	for (int i = 0; i < xp_evlist_nr(evlist); i++) {
		struct xp_evsel *evsel = xp_evlist_at(evlist, i);
		uint64_t nr = xp_evsel_lost(evsel);

		if (nr)
			fprintf(stderr, "%s%s %" PRIu64, known ? ", " : ": ", xp_evsel_name(evsel),
				nr);
		known += nr;
	}
}

static void say_remedy(const struct closing *closing)
{
	const struct record_config *config = closing->config;
	size_t kib = xp_evlist_ring_pages(closing->evlist) * (size_t)sysconf(_SC_PAGESIZE) / 1024;

	fprintf(stderr, "; use larger rings (-m %zuK)", kib * 4);
	if (config->sampling.callchain == XP_CALLCHAIN_DWARF)
		fputs(", or smaller stacks (--call-graph dwarf,4096)", stderr);
	else if (config->sampling.period)
		fputs(", or a larger period (-c)", stderr);
	else
		fputs(", or a lower frequency (-F)", stderr);
	fputc('\n', stderr);
}

/* How many of the cut stacks are in a file that could not be written to its end is not known. */
static void say_slow_disk(const struct closing *closing)
{
	const struct xp_recorder_stats *stats = closing->stats;

	fprintf(stderr, "Lost: %s could not keep up: ",
		closing->config->sampling.unwinds &&
				closing->config->sampling.callchain == XP_CALLCHAIN_DWARF
			? "unwinding, or the disk,"
			: "the disk");
	if (stats->shed_samples)
		fprintf(stderr, "%" PRIu64 " %s dropped%s", stats->shed_samples,
			plural(stats->shed_samples, "sample was", "samples were"),
			stats->cut_stacks ? ", " : "");
	if (stats->cut_stacks && !stats->unwritten_samples)
		fprintf(stderr, "%" PRIu64 " %s cut short", stats->cut_stacks,
			plural(stats->cut_stacks, "stack was", "stacks were"));
	else if (stats->cut_stacks)
		fputs("stacks were cut short", stderr);
	fputs("; lower -F or compress with -z\n", stderr);
}

/* A lower rate than was asked for. */
static void say_slowed(const struct closing *closing)
{
	const struct xp_recorder_stats *stats = closing->stats;
	int percent = closing->config->max_cpu;

	if (stats->slowest < 2)
		return;
	fprintf(stderr,
		"Rate: for %.3f s clocks were sampled less often, at least 1/%u as often as asked "
		"for, to lose no samples",
		(double)stats->slowed_ns / 1e9, stats->slowest);
	if (percent < 100)
		fprintf(stderr, " and to take no more than %d %% of the machine (--max-cpu)",
			percent);
	fputs("; the periods of samples are right\n", stderr);
}

static void say_losses(const struct closing *closing)
{
	const struct xp_recorder_stats *stats = closing->stats;

	say_slowed(closing);
	if (stats->lost) {
		say_lost_events(closing->evlist, stats->lost);
		say_remedy(closing);
	}
	if (stats->unwritten_samples)
		fprintf(stderr, "Lost: %" PRIu64 " %s read could not be written\n",
			stats->unwritten_samples,
			plural(stats->unwritten_samples, "sample that was", "samples that were"));
	if (stats->shed_samples || stats->cut_stacks)
		say_slow_disk(closing);
	if (stats->throttled)
		fprintf(stderr,
			"Throttled: the kernel stopped sampling %" PRIu64
			" %s because of too many interrupts; lower -F, or raise sysctl "
			"kernel.perf_cpu_time_max_percent\n",
			stats->throttled, plural(stats->throttled, "time", "times"));
}

/* Nothing was lost, and yet there is no sample: what the event has counted says why. */
static void say_why_none(const struct closing *closing)
{
	const struct record_config *config = closing->config;
	const struct target_args *target = &config->target;
	struct xp_evsel *evsel = xp_evlist_at(closing->evlist, 0);
	uint64_t counted = xp_evsel_counted(evsel);
	bool is_clock = is_clock_attr(xp_evsel_attr_const(evsel));
	const char *name = xp_evsel_name(evsel), *filter = xp_evsel_filter(evsel);
	/* What system calls are given are addresses. */
	bool is_text = !strncmp(name, "syscalls:", strlen("syscalls:")) && strpbrk(filter, "\"'") &&
		       !strstr(filter, ".ustring");

	fputs("No samples: ", stderr);
	if (closing->tally.dropped)
		fputs("the condition of --filter held for none of them\n", stderr);
	else if (config->delay.given && !counted)
		fprintf(stderr, "%s counted nothing while it was enabled (-D)\n", name);
	else if (is_clock && closing->children && *closing->children)
		fprintf(stderr,
			"the target ran for only %.3f ms; child processes that it had before are "
			"recorded with -p %s,%s\n",
			(double)counted / 1e6, target->pid_list, closing->children);
	else if (is_clock && (target->pid_list || target->tid_list || target->user))
		fprintf(stderr,
			"the target mostly slept, it ran for only %.3f ms; record for longer, or "
			"find where it sleeps: -e context-switches -c 1 -g\n",
			(double)counted / 1e6);
	else if (is_clock)
		fprintf(stderr, "%s counted %.3f ms; record for longer, or raise -F\n", name,
			(double)counted / 1e6);
	else if (counted)
		fprintf(stderr, "%s happened %" PRIu64 " %s; lower -c or raise -F\n", name, counted,
			plural(counted, "time", "times"));
	else
		fprintf(stderr, "%s %s%s\n", name,
			*filter ? "never happened where its --filter holds" : "did not happen",
			is_text ? "; texts of programs are compared as FIELD.ustring" : "");
}

/* As report finds them in the file. */
static struct chain_facts facts_of(const struct closing *closing)
{
	struct chain_facts facts = chain_facts_of_build();

	facts.is_summed = closing->is_by_rules;
	for (int i = 0; i < xp_evlist_nr(closing->evlist); i++)
		chain_facts_add(&facts, xp_evsel_attr_const(xp_evlist_at(closing->evlist, i)),
				closing->config->sampling.unwinds);
	return facts;
}

static void say_chain_ends(const struct closing *closing)
{
	const struct chain_facts facts = facts_of(closing);
	const struct chain_words words = {
		.prefix = "Call chains: ",
		.which = closing->has_all_chains ? "" : "the first ",
	};

	chain_ends_print(stderr, &words, &facts, closing->chain_ends);
}

static void say_dropped(const struct closing *closing)
{
	const struct xp_sample_tally *tally = &closing->tally;

	if (tally->dropped)
		fprintf(stderr, "Filter: %" PRIu64 " of %" PRIu64 " %s dropped in the kernel\n",
			tally->dropped, tally->kept + tally->dropped,
			plural(tally->kept + tally->dropped, "sample was", "samples were"));
}

static bool sums_are_whole(const struct xp_stack_sums_stats *sums)
{
	return !sums || !(sums->missed || sums->waits_not_followed || sums->switches_unseen);
}

void put_lost_waits(FILE *file, const char *prefix, const struct xp_stack_sums_stats *sums)
{
	if (sums->waits_not_followed)
		fprintf(file,
			"%sthere was no room for the tasks of %" PRIu64
			" %s in the kernel; record fewer tasks\n",
			prefix, sums->waits_not_followed,
			plural(sums->waits_not_followed, "wait", "waits"));
	if (sums->switches_unseen)
		fprintf(file,
			"%sat %" PRIu64 " of %" PRIu64
			" context switches the kernel ran no BPF program; waits that began there are "
			"in no sum\n",
			prefix, sums->switches_unseen, sums->switches);
}

/* What was summed. What had no room is lost. */
static void say_sums(const struct closing *closing)
{
	const struct xp_stack_sums_stats *sums = closing->sums;

	if (!sums)
		return;
	fprintf(stderr,
		"Sums: %" PRIu64
		" %s summed in the kernel, in %.0f MiB of its memory; each sample of "
		"the file is a sum\n",
		sums->samples, plural(sums->samples, "sample was", "samples were"),
		(double)sums->bytes / MIB);
	if (closing->files_beyond)
		fprintf(stderr,
			"Rules: there was no room for those of %" PRIu64
			" %s, where frame pointers were followed\n",
			closing->files_beyond, plural(closing->files_beyond, "file", "files"));
	if (sums->missed)
		fprintf(stderr,
			"Lost: there was no room for %" PRIu64
			" %s in the kernel; sample less often (-F, -c)%s\n",
			sums->missed, plural(sums->missed, "sample", "samples"),
			closing->config->off_cpu ? ", or leave out shorter waits (--off-cpu=MIN)"
						 : "");
	put_lost_waits(stderr, "Lost: ", sums);
}

/* The option that shows what was recorded. */
static const char *view_of(const struct record_config *config)
{
	if (config->events.nr || (config->sched && config->syscalls))
		return "";
	return config->syscalls ? " --syscalls" : config->sched ? " --sched" : "";
}

/* One line for people: a program that calls us perf does not expect it. */
static void say_summary(const struct closing *closing)
{
	const struct xp_recorder_stats *stats = closing->stats;
	bool is_stream = record_to_pipe(closing->config);
	bool all = !stats->lost && sums_are_whole(closing->sums) && !stats->shed_samples &&
		   !stats->cut_stacks && !stats->unwritten_samples && !closing->has_late;
	const char *name = closing->file->name;

	bool none = all && !stats->samples && !stats->is_full &&
		    !(closing->config->sampling.flags & XP_SAMPLING_ONCE) &&
		    !closing->config->sched;

	bool complete = closing->chain_ends && chain_ends_all_complete(closing->chain_ends);

	const struct chain_facts facts = facts_of(closing);

	fprintf(stderr, "%" PRIu64 " %s in %.3f s%s%s%s", stats->samples,
		plural(stats->samples, "sample", "samples"), (double)closing->elapsed_ns / 1e9,
		all && !none ? ", nothing lost" : "", complete ? ", call chains complete" : "",
		complete ? chain_ends_but(closing->chain_ends, &facts) : "");
	if (is_stream || none)
		fputc('\n', stderr);
	else if (!strcmp(name, "perf.data"))
		fprintf(stderr, "; next: %s report%s\n", closing->program,
			view_of(closing->config));
	else
		fprintf(stderr, "; next: %s report%s -i %s\n", closing->program,
			view_of(closing->config), name);
	if (none)
		say_why_none(closing);
	if (!complete && closing->chain_ends &&
	    xp_chain_ends_nr(closing->chain_ends, XP_NR_CHAIN_ENDS))
		say_chain_ends(closing);
}

void say_closing(const struct closing *closing)
{
	if (closing->config->quiet)
		return;
	say_captured(closing);
	say_losses(closing);
	say_dropped(closing);
	say_sums(closing);
	if (strcmp(closing->program, "perf") != 0)
		say_summary(closing);
}
