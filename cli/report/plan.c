/* SPDX-License-Identifier: MIT */
/* What the options of `xperf report` come to: what is shown of a recording, and filters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>
#include <xperf/diag.h>

#include "escape.h"
#include "fill.h"
#include "header.h"
#include "numbers.h"

bool plan_shows(const struct xp_profile_row *row, void *data)
{
	const struct plan *plan = data;
	const char *name = xp_profile_row_location(row)->frame.function.name;

	return name && strstr(name, plan->values->count.symbol_filter);
}

bool plan_has_functions(const struct plan *plan)
{
	static const int functions[] = { XP_KEY_SYMBOL, XP_KEY_SYMOFF, XP_KEY_SYMBOL_FROM,
					 XP_KEY_SYMBOL_TO };
	bool has = false;

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		has |= keys_have(plan, functions[i]);
	return has;
}

bool plan_keeps(const struct xp_profile_row *row, void *data)
{
	const struct plan *plan = data;

	/* Without a guest's files there is nothing to show of it. Source: perf 6.1. */
	if (row->location->level == 'g' || row->location->level == 'u')
		return false;
	if (plan->values->count.exclude_other && keys_have(plan, XP_KEY_PARENT) && !row->parent)
		return false;
	if (plan->values->count.symbol_filter && !plan_has_functions(plan) &&
	    !plan_shows(row, data))
		return false;
	return recording_keeps_row(&plan->report->rec, row);
}

static int read_widths(struct plan *plan)
{
	const char *at = plan->values->show.widths;

	for (int i = 0; at && *at && i < MAX_COLUMNS; i++) {
		char *end;
		long width = strtol(at, &end, 10);

		if (end == at || (*end && *end != ',' && *end != '.') || width < 0 ||
		    width > 4096) {
			fprintf(stderr,
				"Error: --column-widths: '%s' is not a list of widths, like 9,12\n",
				plan->values->show.widths);
			return -1;
		}
		plan->widths[i] = (int)width;
		at = *end ? end + 1 : end;
	}
	return 0;
}

static int read_percentage(struct plan *plan)
{
	const struct values *values = plan->values;
	const char *how = values->count.percentage;

	plan->relative = how && !strcmp(how, "relative");
	if (how && !plan->relative && strcmp(how, "absolute") != 0) {
		fprintf(stderr, "Error: --percentage: '%s' is neither relative nor absolute\n",
			how);
		return -1;
	}
	return 0;
}

static int read_levels(struct plan *plan)
{
	const char *text = plan->values->count.parallelism;
	struct xp_diag diag = { 0 };

	if (!text || !xp_cpus_parse(text, &plan->levels, &diag))
		return 0;
	cli_print_diag(&diag, NULL);
	return -1;
}

/* "100ms" */
static int read_quantum(struct plan *plan)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	const char *text = plan->values->count.quantum ? plan->values->count.quantum : "100ms";
	char *end;
	double number = strtod(text, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != text && !strcmp(end, units[i].unit) && number * units[i].ns >= 1 &&
		    number * units[i].ns < 1e18) {
			plan->quantum_ns = (uint64_t)(number * units[i].ns);
			return 0;
		}
	fprintf(stderr, "Error: --time-quantum: '%s' is not a time with its unit, like 100ms\n",
		text);
	return -1;
}

/* Returns NULL, having printed what is wrong. */
static regex_t *read_regex(const char *option, const char *text)
{
	regex_t *regex = malloc(sizeof(*regex));

	if (regex && !regcomp(regex, text, REG_EXTENDED | REG_NOSUB))
		return regex;
	free(regex);
	fprintf(stderr, "Error: --%s: '%s' is not a regular expression\n", option, text);
	return NULL;
}

/* Source of the usual pattern: perf 6.1. */
static int read_parent(struct plan *plan)
{
	const char *text = plan->values->count.parent;

	plan->parent = read_regex("parent", text ? text : "^sys_|^do_page_fault");
	return plan->parent ? 0 : -1;
}

static int read_roots(struct plan *plan)
{
	if (!plan->values->count.roots)
		return 0;
	plan->roots = read_regex("ignore-callees", plan->values->count.roots);
	return plan->roots ? 0 : -1;
}

int plan_make(struct plan *plan, const struct values *values)
{
	*plan = (struct plan){ .values = values, .graph = values->show.graph };
	if (read_widths(plan) || read_percentage(plan) || read_levels(plan) || read_quantum(plan) ||
	    read_parent(plan) || read_roots(plan))
		return -1;
	return 0;
}

bool plan_is_wait(const struct xp_data_event *event)
{
	return event->name && !strcmp(event->name, "offcpu-time") &&
	       event->attr.type == XP_TYPE_SOFTWARE;
}

/* Periods of clocks are nanoseconds. Source: perf_event_open(2), PERF_COUNT_SW_CPU_CLOCK. */
static bool is_clock(const struct xp_data_event *event)
{
	return event->attr.type == XP_TYPE_SOFTWARE &&
	       (event->attr.config == XP_SW_CPU_CLOCK || event->attr.config == XP_SW_TASK_CLOCK);
}

/* A clock and the waits after it, and no other event that has samples, but those of who ended the
 * waits: both are time. Returns the clock, -1: there is none. */
static int find_clock(const struct report *report)
{
	int clock = -1;

	for (int i = 0; i < report->rec.nr_events; i++) {
		const struct xp_data_event *event = xp_data_event_at(report->rec.data, i);

		if (plan_is_wait(event) && i && clock == i - 1)
			continue;
		if (is_clock(event) && clock < 0 && i + 1 < report->rec.nr_events &&
		    plan_is_wait(xp_data_event_at(report->rec.data, i + 1)))
			clock = i;
		else if (!plan_is_waking(event) && (event->attr.type != XP_TYPE_SOFTWARE ||
						    event->attr.config != XP_SW_DUMMY))
			return -1;
	}
	return clock;
}

/* What is shown of branches and accesses is no time. */
static void finalize_waits(struct plan *plan, const struct report *report)
{
	const struct count_opts *count = &plan->values->count;
	int clock = count->as_perf || count->group || count->no_group || count->mem_mode ||
				    count->total_cycles || plan->branches
			    ? -1
			    : find_clock(report);

	if (clock < 0)
		return;
	plan->leaders[clock + 1] = clock;
	plan->grouped = plan->forced_group = plan->with_waits = true;
}

/* Rows are the group's, where events were recorded as one. */
static int finalize_groups(struct plan *plan, const struct report *report)
{
	plan->leaders = calloc((size_t)report->rec.nr_events + 1, sizeof(*plan->leaders));
	if (!plan->leaders)
		return -ENOMEM;
	for (int i = 0; i < report->rec.nr_events; i++) {
		plan->leaders[i] = i;
		if (plan->values->count.no_group || plan->values->count.total_cycles)
			continue;
		plan->leaders[i] = xp_data_event_at(report->rec.data, i)->leader;
		plan->grouped |= plan->leaders[i] != i;
	}
	if (plan->grouped || !plan->values->count.group || plan->values->count.total_cycles)
		return 0;
	/* As perf has it, they are shown side by side all the same. */
	plan->grouped = plan->forced_group = report->rec.nr_events > 1;
	memset(plan->leaders, 0, (size_t)report->rec.nr_events * sizeof(*plan->leaders));
	return 0;
}

static uint64_t all_types(const struct report *report, bool combined)
{
	uint64_t types = combined ? 0 : UINT64_MAX;

	for (int i = 0; i < report->rec.nr_events; i++) {
		uint64_t type = xp_data_event_at(report->rec.data, i)->attr.sample_type;

		types = combined ? types | type : types & type;
	}
	return types;
}

/* Whether branches were asked for, and not recorded for the call chains (--call-graph lbr). */
static bool asked_for_branches(const struct report *report)
{
	size_t len;

	if (!xp_data_is_stream(report->rec.data))
		return xp_data_feature(report->rec.data, XP_FEATURE_BRANCH_STACK, &len);
	for (int i = 0; i < report->rec.nr_events; i++) {
		const struct xp_attr *attr = &xp_data_event_at(report->rec.data, i)->attr;

		if (attr->sample_type & XP_SAMPLE_BRANCH_STACK &&
		    !(attr->branch_sample_type & XP_BRANCH_CALL_STACK))
			return true;
	}
	return false;
}

/* Branches are what is shown where they were recorded, unless as a part of user stacks. Source:
 * perf 6.1. */
static bool shows_branches(const struct plan *plan, const struct report *report)
{
	uint64_t types = all_types(report, true);

	if (plan->values->count.no_branches || plan->values->count.mem_mode ||
	    plan->branch_history || !(types & XP_SAMPLE_BRANCH_STACK))
		return false;
	return plan->values->count.branches || plan->values->count.total_cycles ||
	       (asked_for_branches(report) && !(types & XP_SAMPLE_STACK_USER));
}

static int no_chains(struct report *report, const char *option, const char *what)
{
	struct xp_diag *diag = &report->rec.diag;

	xp_diag_set(diag, -ENODATA, "%s: '%s' has no %s", option, report->rec.path, what);
	xp_diag_hint(diag, "xperf record -g records call chains");
	return -ENODATA;
}

/* Accesses to memory have an address, a cost or a source. */
static int check_memory(const struct values *values, struct report *report)
{
	const uint64_t any =
		XP_SAMPLE_ADDR | XP_SAMPLE_WEIGHT | XP_SAMPLE_DATA_SRC | XP_SAMPLE_WEIGHT_STRUCT;

	if (!values->count.mem_mode || all_types(report, true) & any)
		return 0;
	xp_diag_set(&report->rec.diag, -ENODATA, "--mem-mode: '%s' has no accesses to memory",
		    report->rec.path);
	xp_diag_hint(&report->rec.diag, "xperf record -d -W records addresses and costs");
	return -ENODATA;
}

/* Numbers of rows that are of something recorded. */
static int check_numbers(struct plan *plan, struct report *report)
{
	uint64_t types = all_types(report, true);
	struct xp_diag *diag = &report->rec.diag;

	for (int i = 0; i < plan->nr_columns; i++) {
		int column = plan->columns[i];
		bool is_split = number_is_split(column);

		if (!number_is_one(column))
			continue;
		if (plan->values->show.hierarchy) {
			plan->is_misused = true;
			return xp_diag_set(diag, -EINVAL, "--hierarchy has no column '%s'",
					   key_name(plan, column, 0));
		}
		if (types & (is_split ? XP_SAMPLE_DATA_SRC : XP_SAMPLE_BRANCH_STACK))
			continue;
		xp_diag_set(diag, -ENODATA, "%s: '%s' has no %s", key_name(plan, column, 0),
			    report->rec.path, is_split ? "sources of data" : "branches");
		xp_diag_hint(diag, "xperf record %s records them", is_split ? "-d" : "-b");
		return -ENODATA;
	}
	return 0;
}

/* What was asked for must have been recorded. */
static int check_chains(const struct plan *plan, struct report *report)
{
	const struct values *values = plan->values;
	bool has_chains = load_has_chains(report),
	     has_branches = all_types(report, true) & XP_SAMPLE_BRANCH_STACK;
	bool has_parent = keys_have(plan, XP_KEY_PARENT);

	if (values->count.exclude_other && !has_parent)
		return xp_diag_set(&report->rec.diag, -EINVAL,
				   "-x shows only rows with a parent: name it with -p");
	if (has_parent && !has_chains)
		return no_chains(report, values->count.parent ? "-p" : "-s parent", "call chains");
	if (has_chains || has_branches)
		return 0;
	if (values->count.branch_history)
		return no_chains(report, "--branch-history", "call chains or branches");
	/* As with perf it is no error: what is there is shown. */
	if (plan->graph.is_given && plan->graph.mode != GRAPH_NONE)
		fprintf(stderr, "Note: -g: '%s' has no call chains; xperf record -g records them\n",
			escaped(report->rec.path));
	return 0;
}

/* Which CPUs are of the socket that is wanted. */
static int finalize_socket(struct plan *plan, struct report *report)
{
	enum { MOST_CPUS = 8192 };
	char *end;
	long socket = plan->values->count.socket ? strtol(plan->values->count.socket, &end, 10) : 0;

	if (!plan->values->count.socket)
		return 0;
	if (!*plan->values->count.socket || *end || socket < 0 || socket > INT32_MAX) {
		plan->is_misused = true;
		return xp_diag_set(&report->rec.diag, -EINVAL,
				   "--socket-filter: '%s' is not a number",
				   plan->values->count.socket);
	}
	plan->cpus_of_socket = calloc(MOST_CPUS, sizeof(*plan->cpus_of_socket));
	if (!plan->cpus_of_socket)
		return -ENOMEM;
	plan->nr_cpus_of_socket = MOST_CPUS;
	for (int i = 0; i < MOST_CPUS; i++)
		plan->cpus_of_socket[i] = header_socket(report->rec.data, i) == socket;
	return 0;
}

int plan_finalize(struct plan *plan, struct report *report)
{
	const struct values *values = plan->values;

	plan->branch_history =
		values->count.branch_history ||
		(plan->graph.branches && all_types(report, true) & XP_SAMPLE_BRANCH_STACK);
	bool has_chains = load_has_chains(report) || plan->branch_history;

	plan->branches = shows_branches(plan, report);
	if ((values->count.branches || values->count.total_cycles) && !plan->branches) {
		xp_diag_set(&report->rec.diag, -ENODATA, "%s: '%s' has no branches",
			    values->count.total_cycles ? "--total-cycles" : "-b", report->rec.path);
		xp_diag_hint(&report->rec.diag, "xperf record -b records branches");
		return -ENODATA;
	}
	plan->with_chains = has_chains && plan->graph.mode != GRAPH_NONE && !plan->branches;
	plan->children = has_chains && !values->count.no_children && !plan->branches;
	if (values->show.inverted || (plan->children && !plan->graph.order_set))
		plan->graph.callers_first = true;
	/* A hierarchy's sums would count twice what is called; an access was made by its row alone.
	 */
	plan->children &= !values->show.hierarchy && !values->count.mem_mode;
	plan->report = report;
	int err = check_memory(values, report) ?: finalize_groups(plan, report);
	if (err)
		return err;
	finalize_waits(plan, report);
	return finalize_socket(plan, report)
		       ?: recording_check(&report->rec)
		       ?: keys_finalize(plan, report)
		       ?: check_numbers(plan, report)
		       ?: check_chains(plan, report);
}

int plan_members(const struct plan *plan, const struct report *report, int event)
{
	int nr = 1;

	while (plan->grouped && event + nr < report->rec.nr_events &&
	       plan->leaders[event + nr] == event)
		nr++;
	return nr;
}

uint64_t plan_samples(const struct plan *plan, const struct report *report, int event)
{
	int nr = plan_members(plan, report, event);
	uint64_t samples = 0;

	for (int i = 0; i < nr; i++) {
		struct xp_profile_total total = { .size = sizeof(total) };

		xp_profile_total_at(report->profile, event + i, &total);
		samples += plan->relative ? total.kept_samples : total.samples;
	}
	return samples;
}

static void regex_free(regex_t *regex)
{
	if (regex)
		regfree(regex);
	free(regex);
}

void plan_fini(struct plan *plan)
{
	xp_cpus_unref(plan->levels);
	trace_fields_free(plan->fields);
	free(plan->cpus_of_socket);
	free(plan->leaders);
	regex_free(plan->parent);
	regex_free(plan->roots);
}
