/* SPDX-License-Identifier: MIT */
/* What the options of `xperf report` come to: what is shown of a recording, and filters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>

#include "header.h"
#include "kernel-copy.h"
#include "report.h"

bool plan_shows(const struct xp_profile_row *row, void *data)
{
	const struct plan *plan = data;
	const char *name = xp_profile_row_spot(row)->frame.function.name;

	return name && strstr(name, plan->values->symbol_filter);
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

bool plan_keeps_frame(const struct plan *plan, const struct xp_frame *frame)
{
	const struct xp_dso *dso = frame->map.dso;

	if (plan->dsos.text && !(dso && (words_have(&plan->dsos, dso->short_name) ||
					 words_have(&plan->dsos, dso->name))))
		return false;
	return !plan->symbols.text || words_have(&plan->symbols, frame->function.name);
}

bool plan_keeps(const struct xp_profile_row *row, void *data)
{
	const struct plan *plan = data;
	const struct xp_frame *frame = &xp_profile_row_spot(row)->frame;

	/* Without a guest's files there is nothing to tell of it. Source: perf 6.1. */
	if (row->place->level == 'g' || row->place->level == 'u')
		return false;
	if (plan->values->exclude_other && keys_have(plan, XP_KEY_PARENT) && !row->parent)
		return false;
	if (plan->values->symbol_filter && !plan_has_functions(plan) && !plan_shows(row, data))
		return false;
	return plan_keeps_frame(plan, frame) && words_have(&plan->comms, row->comm) &&
	       words_have_number(&plan->pids, row->pid) && words_have_number(&plan->tids, row->tid);
}

static int read_widths(struct plan *plan)
{
	const char *at = plan->values->widths;

	for (int i = 0; at && *at && i < MAX_COLUMNS; i++) {
		char *end;
		long width = strtol(at, &end, 10);

		if (end == at || (*end && *end != ',' && *end != '.') || width < 0 ||
		    width > 4096) {
			fprintf(stderr,
				"Error: --column-widths: '%s' is not a list of widths, like 9,12\n",
				plan->values->widths);
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
	const char *how = values->percentage;

	plan->relative = how && !strcmp(how, "relative");
	if (how && !plan->relative && strcmp(how, "absolute") != 0) {
		fprintf(stderr, "Error: --percentage: '%s' is neither relative nor absolute\n",
			how);
		return -1;
	}
	return 0;
}

static int read_filters(struct plan *plan)
{
	const struct values *values = plan->values;
	struct xp_diag diag = { 0 };

	if (words_read("comms", values->comms, &plan->comms) ||
	    words_read("dsos", values->dsos, &plan->dsos) ||
	    words_read("symbols", values->symbols, &plan->symbols) ||
	    words_read_numbers("pid", values->pids, &plan->pids) ||
	    words_read_numbers("tid", values->tids, &plan->tids))
		return -1;
	if ((values->cpus && xp_cpus_parse(values->cpus, &plan->cpus, &diag)) ||
	    (values->parallelism && xp_cpus_parse(values->parallelism, &plan->levels, &diag))) {
		cli_print_diag(&diag, NULL);
		return -1;
	}
	if (values->time) {
		plan->slices = slices_parse(values->time);
		return plan->slices ? 0 : -1;
	}
	return 0;
}

/* "100ms" */
static int read_quantum(struct plan *plan)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = { { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 } };
	const char *text = plan->values->quantum ? plan->values->quantum : "100ms";
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
	const char *text = plan->values->parent;

	plan->parent = read_regex("parent", text ? text : "^sys_|^do_page_fault");
	return plan->parent ? 0 : -1;
}

static int read_roots(struct plan *plan)
{
	if (!plan->values->roots)
		return 0;
	plan->roots = read_regex("ignore-callees", plan->values->roots);
	return plan->roots ? 0 : -1;
}

int plan_make(struct plan *plan, const struct values *values)
{
	*plan = (struct plan){ .values = values, .graph = values->graph };
	if (read_widths(plan) || read_percentage(plan) || read_filters(plan) ||
	    read_quantum(plan) || read_parent(plan) || read_roots(plan))
		return -1;
	return 0;
}

/* Rows are the group's, where events were recorded as one. */
static int settle_groups(struct plan *plan, const struct recording *rec)
{
	plan->leaders = calloc((size_t)rec->nr_events + 1, sizeof(*plan->leaders));
	if (!plan->leaders)
		return -ENOMEM;
	for (int i = 0; i < rec->nr_events; i++) {
		plan->leaders[i] = i;
		if (plan->values->no_group || plan->values->total_cycles)
			continue;
		plan->leaders[i] = xp_data_event_at(rec->input.data, i)->leader;
		plan->grouped |= plan->leaders[i] != i;
	}
	if (plan->grouped || !plan->values->group || plan->values->total_cycles)
		return 0;
	/* As perf has it, they are shown side by side all the same. */
	plan->grouped = plan->forced_group = rec->nr_events > 1;
	memset(plan->leaders, 0, (size_t)rec->nr_events * sizeof(*plan->leaders));
	return 0;
}

static uint64_t all_types(const struct recording *rec, bool combined)
{
	uint64_t types = combined ? 0 : UINT64_MAX;

	for (int i = 0; i < rec->nr_events; i++) {
		uint64_t type = xp_data_event_at(rec->input.data, i)->attr.sample_type;

		types = combined ? types | type : types & type;
	}
	return types;
}

/* Whether branches were asked for, and not recorded for the call chains (--call-graph lbr). */
static bool asked_for_branches(const struct recording *rec)
{
	size_t len;

	if (!xp_data_is_stream(rec->input.data))
		return xp_data_feature(rec->input.data, XP_FEATURE_BRANCH_STACK, &len);
	for (int i = 0; i < rec->nr_events; i++) {
		const struct xp_attr *attr = &xp_data_event_at(rec->input.data, i)->attr;

		if (attr->sample_type & XP_SAMPLE_BRANCH_STACK &&
		    !(attr->branch_sample_type & XP_BRANCH_CALL_STACK))
			return true;
	}
	return false;
}

/* Branches are what is shown where they were recorded, unless as a part of user stacks. Source:
 * perf 6.1. */
static bool shows_branches(const struct plan *plan, const struct recording *rec)
{
	uint64_t types = all_types(rec, true);

	if (plan->values->no_branches || plan->values->mem_mode || plan->branch_history ||
	    !(types & XP_SAMPLE_BRANCH_STACK))
		return false;
	return plan->values->branches || plan->values->total_cycles ||
	       (asked_for_branches(rec) && !(types & XP_SAMPLE_STACK_USER));
}

static int no_chains(struct recording *rec, const char *option, const char *what)
{
	struct xp_diag *diag = &rec->input.diag;

	xp_diag_set(diag, -ENODATA, "%s: '%s' has no %s", option, rec->input.path, what);
	xp_diag_hint(diag, "xperf record -g records call chains");
	return -ENODATA;
}

/* Accesses to memory have an address, a cost or a source. */
static int check_memory(const struct values *values, struct recording *rec)
{
	const uint64_t any =
		XP_SAMPLE_ADDR | XP_SAMPLE_WEIGHT | XP_SAMPLE_DATA_SRC | XP_SAMPLE_WEIGHT_STRUCT;

	if (!values->mem_mode || all_types(rec, true) & any)
		return 0;
	xp_diag_set(&rec->input.diag, -ENODATA, "--mem-mode: '%s' has no accesses to memory",
		    rec->input.path);
	xp_diag_hint(&rec->input.diag, "xperf record -d -W records addresses and costs");
	return -ENODATA;
}

/* What was asked for must have been recorded. */
static int check_chains(const struct plan *plan, struct recording *rec)
{
	const struct values *values = plan->values;
	bool has_chains = load_has_chains(rec),
	     has_branches = all_types(rec, true) & XP_SAMPLE_BRANCH_STACK;
	bool has_parent = keys_have(plan, XP_KEY_PARENT);

	if (values->exclude_other && !has_parent)
		return xp_diag_set(&rec->input.diag, -EINVAL,
				   "-x shows only rows with a parent: name it with -p");
	if (has_parent && !has_chains)
		return no_chains(rec, values->parent ? "-p" : "-s parent", "call chains");
	if (has_chains || has_branches)
		return 0;
	if (values->branch_history)
		return no_chains(rec, "--branch-history", "call chains or branches");
	if (plan->graph.is_given && plan->graph.mode != GRAPH_NONE)
		return no_chains(rec, "-g", "call chains");
	return 0;
}

/* Which CPUs are of the socket that is wanted. */
static int settle_socket(struct plan *plan, struct recording *rec)
{
	enum { MOST_CPUS = 8192 };
	char *end;
	long socket = plan->values->socket ? strtol(plan->values->socket, &end, 10) : 0;

	if (!plan->values->socket)
		return 0;
	if (!*plan->values->socket || *end || socket < 0 || socket > INT32_MAX) {
		plan->is_misused = true;
		return xp_diag_set(&rec->input.diag, -EINVAL,
				   "--socket-filter: '%s' is not a number", plan->values->socket);
	}
	plan->cpus_of_socket = calloc(MOST_CPUS, sizeof(*plan->cpus_of_socket));
	if (!plan->cpus_of_socket)
		return -ENOMEM;
	plan->nr_cpus_of_socket = MOST_CPUS;
	for (int i = 0; i < MOST_CPUS; i++)
		plan->cpus_of_socket[i] = header_socket(rec->input.data, i) == socket;
	return 0;
}

int plan_settle(struct plan *plan, struct recording *rec)
{
	const struct values *values = plan->values;

	plan->branch_history =
		values->branch_history ||
		(plan->graph.branches && all_types(rec, true) & XP_SAMPLE_BRANCH_STACK);
	bool has_chains = load_has_chains(rec) || plan->branch_history;

	plan->branches = shows_branches(plan, rec);
	if ((values->branches || values->total_cycles) && !plan->branches) {
		xp_diag_set(&rec->input.diag, -ENODATA, "%s: '%s' has no branches",
			    values->total_cycles ? "--total-cycles" : "-b", rec->input.path);
		xp_diag_hint(&rec->input.diag, "xperf record -b records branches");
		return -ENODATA;
	}
	plan->with_chains = has_chains && plan->graph.mode != GRAPH_NONE && !plan->branches;
	plan->children = has_chains && !values->no_children && !plan->branches;
	if (values->inverted || (plan->children && !plan->graph.order_set))
		plan->graph.callers_first = true;
	/* A hierarchy's sums would count twice what is called; an access was made by its row alone.
	 */
	plan->children &= !values->hierarchy && !values->mem_mode;
	plan->rec = rec;
	int err = check_memory(values, rec);
	if (!err)
		err = settle_groups(plan, rec);
	if (!err)
		err = settle_socket(plan, rec);
	if (!err)
		err = kernel_files_check(values->vmlinux, values->kallsyms, &rec->input.diag);
	if (!err)
		err = switches_new(rec, values, &plan->switches);
	if (!err)
		err = keys_settle(plan, rec);
	if (!err)
		err = check_chains(plan, rec);
	return err;
}

int plan_members(const struct plan *plan, const struct recording *rec, int event)
{
	int nr = 1;

	while (plan->grouped && event + nr < rec->nr_events && plan->leaders[event + nr] == event)
		nr++;
	return nr;
}

uint64_t plan_samples(const struct plan *plan, const struct recording *rec, int event)
{
	int nr = plan_members(plan, rec, event);
	uint64_t samples = 0;

	for (int i = 0; i < nr; i++) {
		struct xp_profile_total total = xp_profile_total_at(rec->profile, event + i);

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
	struct words *lists[] = { &plan->comms, &plan->dsos, &plan->symbols, &plan->pids,
				  &plan->tids };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]->text);
	xp_cpus_unref(plan->cpus);
	slices_free(plan->slices);
	xp_cpus_unref(plan->levels);
	switches_free(plan->switches);
	trace_fields_free(plan->fields);
	free(plan->cpus_of_socket);
	free(plan->leaders);
	regex_free(plan->parent);
	regex_free(plan->roots);
}
