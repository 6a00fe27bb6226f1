/* SPDX-License-Identifier: MIT */
/*
 * What is said when a recording has ended. The first lines are those of perf 6.1, with its name in
 * them; what is lost and what can be done about it comes after them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/evlist.h>
#include <xperf/evsel.h>
#include <xperf/recorder.h>
#include <xperf/sampling.h>

#include "chain-ends.h"
#include "chain-reasons.h"
#include "messages.h"
#include "plural.h"
#include "software-event.h"

#define MIB (1024.0 * 1024.0)

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
	/* The arguments of system calls are addresses. */
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

/* The sums, and samples that had no room. */
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
