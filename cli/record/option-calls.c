/* SPDX-License-Identifier: MIT */
/* Parses the options of `xperf record` into its configuration. */
#include "option-calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xperf/attr.h>
#include <xperf/sampling.h>
#include <xperf/suggest.h>

#include "config.h"
#include "regs.h"

static void *place_of(const struct option *option, void *values)
{
	return (char *)values + option->offset;
}

static void set_flags(struct record_config *config, uint64_t flags, bool on)
{
	if (on)
		config->sampling.flags |= flags;
	else
		config->sampling.flags &= ~flags;
}

int parse_flag(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)arg;
	set_flags(values, option->offset, !negated);
	return 0;
}

int parse_choice(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)arg;
	*(enum choice *)place_of(option, values) = negated ? CHOICE_NO : CHOICE_YES;
	return 0;
}

int parse_refusal(const struct option *option, const char *arg, bool negated, void *values)
{
	return parse_choice(option, arg, !negated, values);
}

int parse_size(const struct option *option, const char *arg, bool negated, void *values)
{
	uint64_t *place = place_of(option, values);

	if (negated)
		*place = 0;
	else if (!value_size(arg, place) || !*place)
		return option_error(option, "'%s' is not a size, such as 512K (units: B, K, M, G)",
				    arg);
	return 0;
}

static bool is_readable(const char *text)
{
	return !access(text, R_OK);
}

static bool is_count(const char *text)
{
	uint64_t count;

	return value_number(text, &count) && count <= INT32_MAX;
}

/* What the values of options without effect must be all the same. */
static const struct {
	const char *option;
	bool (*is_valid)(const char *text);
	const char *what;
} unused_values[] = {
	{ "aio", is_count, "a number of writes" },
	{ "threads", value_threads,
	  "cpu, core, package, numa, or pairs of CPU lists: 0-1/0:2-3/2" },
	{ "affinity", value_affinity, "sys, node or cpu" },
	{ "num-thread-synthesize", is_count, "a number of threads" },
	{ "vmlinux", is_readable, "a file that can be read" },
};

int accept_without_effect(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	int room = sizeof(config->without_effect) / sizeof(config->without_effect[0]);

	for (size_t i = 0; arg && i < sizeof(unused_values) / sizeof(unused_values[0]); i++)
		if (!strcmp(unused_values[i].option, option->name) &&
		    !unused_values[i].is_valid(arg))
			return option_error(option, "'%s' is not %s", arg, unused_values[i].what);
	if (!negated && config->nr_without_effect < room)
		config->without_effect[config->nr_without_effect++] = option->name;
	return 0;
}

int parse_freq(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	uint64_t hz = 0;

	config->has_freq = !negated;
	config->freq_is_max = !negated && !strcmp(arg, "max");
	if (config->freq_is_max)
		hz = UINT64_MAX;
	else if (!negated && (!value_number(arg, &hz) || !hz))
		return option_error(option,
				    "'%s' is neither a number of samples per second nor "
				    "max",
				    arg);
	config->sampling.freq_hz = hz;
	return 0;
}

int parse_count(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	uint64_t period = 0;

	if (!negated && (!value_number(arg, &period) || !period))
		return option_error(option, "'%s' is not a number of events, 1 or more", arg);
	config->sampling.period = period;
	return 0;
}

static int no_callchain(const struct option *option, const char *arg)
{
	static const char *const modes[] = { "auto", "rules", "fp", "dwarf", "lbr" };
	struct xp_suggest suggest = { .word = arg, .len = strcspn(arg, ",") };
	unsigned long bytes;
	char end;

	if (sscanf(arg, "dwarf,%lu%c", &bytes, &end) >= 1 && bytes > 65528)
		return option_error(
			option, "the kernel copies at most 65528 bytes of a stack, not %lu", bytes);
	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		xp_suggest_offer(&suggest, modes[i]);
	if (suggest.best && strcmp(suggest.best, arg) != 0 && !strchr(arg, ','))
		return option_error(option, "there is no way '%s', did you mean '%s'?", arg,
				    suggest.best);
	return option_error(option,
			    "'%s' is not one of: auto, rules, fp, fp,FRAMES, fp,defer, dwarf, "
			    "dwarf,BYTES (up to 65528), dwarf,raw, dwarf,BYTES,raw, lbr",
			    arg);
}

/* "dwarf" of @mode with the size of @dump, if there is one; else @mode. */
static const char *with_dump(const char *mode, const char *dump, char text[64])
{
	if (!dump || strcmp(mode, "dwarf") != 0)
		return mode;
	snprintf(text, 64, "dwarf,%s", dump);
	return text;
}

/* Checked here, where it is known which file it is from, and used by -g. */
int parse_default_callgraph(const struct option *option, const char *arg, bool negated,
			    void *values)
{
	const char **place = (const char **)(void *)((char *)values + option->offset);
	struct xp_sampling_opts tried = { .size = sizeof(tried) };
	bool is_dump = option->value[0] == 'B';
	char text[64];

	*place = negated ? NULL : arg;
	if (negated || (!is_dump && !strcmp(arg, "auto")))
		return 0;
	if (*arg && value_callchain(is_dump ? with_dump("dwarf", arg, text) : arg, &tried))
		return 0;
	return option_error(option, "'%s' is not %s", arg,
			    is_dump ? "a size of a stack: bytes, up to 65528"
				    : "one of: auto, fp, dwarf, dwarf,BYTES, lbr");
}

int parse_callgraph(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	struct xp_sampling_opts *sampling = &config->sampling;
	char text[64];

	if (!arg && !negated && sampling->callchain != XP_CALLCHAIN_NONE)
		return 0; /* as in perf, -g keeps the mode that --call-graph has chosen */
	if (!arg && !negated && config->default_chain)
		arg = with_dump(config->default_chain, config->default_dump, text);
	if (negated) {
		value_no_callchain(sampling);
		config->call_graph = CALL_GRAPH_AS_GIVEN;
		return 0;
	}
	bool is_auto = !arg || !strcmp(arg, "auto"), by_rules = arg && !strcmp(arg, "rules");
	if (!value_callchain(is_auto ? "fp" : by_rules ? "dwarf" : arg, sampling))
		return no_callchain(option, arg);
	config->call_graph = !is_auto ? CALL_GRAPH_AS_GIVEN
			     : arg    ? CALL_GRAPH_AUTO
				      : CALL_GRAPH_PLAIN;
	config->walks = by_rules ? CHOICE_YES : is_auto ? CHOICE_DEFAULT : CHOICE_NO;
	return 0;
}

int parse_timestamp(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)option;
	(void)arg;
	set_flags(values, XP_SAMPLING_TIME | XP_SAMPLING_NO_TIME, false);
	set_flags(values, negated ? XP_SAMPLING_NO_TIME : XP_SAMPLING_TIME, true);
	return 0;
}

static int set_branches(const struct option *option, struct record_config *config, uint64_t bits)
{
	if (config->sampling.branch_type)
		return option_error(option, "-b and -j exclude each other: both choose branches");
	config->sampling.branch_type = bits;
	return 0;
}

int parse_branch_any(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;

	(void)arg;
	if (!negated)
		return set_branches(option, config, XP_BRANCH_ANY);
	config->sampling.branch_type = 0;
	return 0;
}

int parse_branch_filter(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	uint64_t bits;

	if (negated) {
		config->sampling.branch_type = 0;
		return 0;
	}
	if (xp_branch_type_parse(arg, &bits))
		return option_error(
			option,
			"'%s' is not a list of: any, any_call, any_ret, ind_call, ind_jmp, call, "
			"cond, u, k, hv, in_tx, no_tx, abort_tx, stack, no_flags, no_cycles, "
			"hw_index, save_type, priv, counter",
			arg);
	return set_branches(option, config, bits);
}

int parse_regs(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	bool intr = !strcmp(option->name, "intr-regs");
	uint64_t *mask = intr ? &config->sampling.regs_intr : &config->sampling.regs_user;

	if (negated) {
		*mask = 0;
		return 0;
	}
	if (arg && !strcmp(arg, "?")) {
		regs_print();
		return -1;
	}
	return regs_parse(option, arg, mask);
}

int parse_clock(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;

	config->sampling.use_clockid = !negated;
	if (!negated && !value_clock(arg, &config->sampling.clockid))
		return option_error(option,
				    "'%s' is not a clock: monotonic, monotonic_raw, realtime, "
				    "boottime, tai, or a number",
				    arg);
	return 0;
}

/* One side of -m. */
static int set_pages(const struct option *option, const char *text, size_t *ret_pages,
		     bool *ret_rounded)
{
	bool rounded;

	if (!value_pages(text, ret_pages, &rounded))
		return option_error(option, "'%s' is not a number of pages, or a size like 512K",
				    text);
	if (*ret_pages > (size_t)sysconf(_SC_PHYS_PAGES))
		return option_error(option, "'%s' is more than the memory of this machine", text);
	*ret_rounded |= rounded;
	return 0;
}

int parse_pages(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	char text[32];

	config->pages = config->aux_pages = 0;
	config->pages_rounded = false;
	if (negated)
		return 0;
	size_t len = strcspn(arg, ",");
	if (len >= sizeof(text))
		return option_error(option, "'%s' is not PAGES, or PAGES,PAGES", arg);
	snprintf(text, sizeof(text), "%.*s", (int)len, arg);
	/* "-m ,4": only the AUX area's size is chosen. */
	int err = len || !arg[len] ? set_pages(option, text, &config->pages, &config->pages_rounded)
				   : 0;
	if (!err && arg[len] && strcmp(arg + len + 1, "0"))
		err = set_pages(option, arg + len + 1, &config->aux_pages, &config->pages_rounded);
	return err;
}

int parse_delay(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;

	if (negated) {
		free(config->delay.ranges);
		config->delay = (struct delay){ 0 };
		return 0;
	}
	if (!value_delay(arg, &config->delay))
		return option_error(option,
				    "'%s' is not a number of milliseconds, -1, or increasing "
				    "ranges such as 10-20,30-40",
				    arg);
	return 0;
}

int parse_snapshot(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	uint64_t size;

	/* "e": at the end, too, which always is; a size is the PMU's to choose. */
	if (!negated && arg && strcmp(arg, "e") && !value_size(arg + (*arg == 'e'), &size))
		return option_error(option, "'%s' is not e, a size, or both", arg);
	config->aux_snapshot = !negated;
	return 0;
}

int parse_aux_sample(const struct option *option, const char *arg, bool negated, void *values)
{
	enum { DEFAULT_BYTES = 4096 };
	struct record_config *config = values;
	uint64_t size = DEFAULT_BYTES;

	if (!negated && arg && (!value_size(arg, &size) || !size || size > UINT16_MAX))
		return option_error(option, "'%s' is not a number of bytes, 1 to 65535", arg);
	config->sampling.aux_sample_bytes = negated ? 0 : (uint32_t)size;
	return 0;
}

int parse_synth(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;

	if (negated)
		config->synth = 0;
	else if (!value_synth(arg, &config->synth))
		return option_error(option, "'%s' is not a list of: no, all, task, mmap, cgroup",
				    arg);
	return 0;
}

int parse_compress(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	uint64_t level = 1;

	if (!negated && arg && (!value_number(arg, &level) || !level || level > COMPRESS_MAX))
		return option_error(option, "'%s' is not a level, 1 to %d", arg, COMPRESS_MAX);
	config->compress_level = negated ? 0 : (int)level;
	return 0;
}

int parse_switch(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;

	if (negated)
		config->rule = (struct switch_rule){ 0 };
	else if (!value_switch(arg, &config->rule))
		return option_error(
			option, "'%s' is not signal, a size (B, K, M, G) or a time (s, m, h, d)",
			arg);
	return 0;
}

int parse_build_id_cache(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;

	(void)option;
	(void)arg;
	config->cache_build_ids = negated ? CHOICE_YES : CHOICE_NO;
	return 0;
}

int parse_latency(const struct option *option, const char *arg, bool negated, void *values)
{
	(void)option;
	(void)arg;
	set_flags(values, XP_SAMPLING_SWITCHES, !negated);
	return 0;
}

/* --off-cpu[=MIN], --off-cpu-thresh MS */
int parse_bpf(const struct option *option, const char *arg, bool negated, void *values)
{
	enum { DEFAULT_S = 10, MOST_S = 86400 };
	struct record_config *config = values;
	char *end = NULL;
	unsigned long seconds = arg ? strtoul(arg, &end, 10) : DEFAULT_S;

	if (!negated && arg && (end == arg || *end || *arg == '-' || !seconds || seconds > MOST_S))
		return option_error(option, "'%s' is not a number of seconds, 1 to %d", arg,
				    MOST_S);
	config->sums_ns = negated ? 0 : seconds * 1000000000ULL;
	return 0;
}

int parse_off_cpu(const struct option *option, const char *arg, bool negated, void *values)
{
	struct record_config *config = values;
	uint64_t min_ns = config->off_cpu_min_ns;

	if (!negated && arg && !value_wait(arg, &min_ns))
		return option_error(option,
				    "'%s' is not a time, such as 1ms, 500us or 2s; without a unit "
				    "it is milliseconds",
				    arg);
	config->off_cpu = !negated && (config->off_cpu || !strcmp(option->name, "off-cpu"));
	config->off_cpu_min_ns = negated ? 0 : min_ns;
	return 0;
}
