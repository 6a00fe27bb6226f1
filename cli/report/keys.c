/* SPDX-License-Identifier: MIT */
/* "-s" and "-F": what rows are distinguished by, and which columns there are. */
#include <errno.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/suggest.h>

#include "numbers.h"

/* By enum extra. */
static const char *const extra_names[EXTRA_FIELD] = {
	[EXTRA_TRACE] = "trace",
	[EXTRA_TIME] = "time",
	[EXTRA_SOCKET] = "socket",
	[EXTRA_CGROUP] = "cgroup",
	[EXTRA_WEIGHT] = "weight",
	[EXTRA_CYCLES] = "cycles",
	[EXTRA_LOCAL_WEIGHT] = "local_weight",
	[EXTRA_ABORT] = "abort",
	[EXTRA_MISPREDICT] = "mispredict",
	[EXTRA_IN_TX] = "in_tx",
	[EXTRA_CGROUP_ID] = "cgroup_id",
	[EXTRA_TRANSACTION] = "transaction",
	[EXTRA_CODE_PAGE_SIZE] = "code_page_size",
	[EXTRA_DATA_PAGE_SIZE] = "data_page_size",
	[EXTRA_PHYSICAL] = "phys_daddr",
	[EXTRA_INS_LAT] = "ins_lat",
	[EXTRA_LOCAL_INS_LAT] = "local_ins_lat",
	[EXTRA_RETIRE_LAT] = "retire_lat",
	[EXTRA_LOCAL_RETIRE_LAT] = "local_retire_lat",
	[EXTRA_WEIGHT1] = "weight1",
	[EXTRA_WEIGHT2] = "weight2",
	[EXTRA_WEIGHT3] = "weight3",
	[EXTRA_STAGE_CYCLES] = "p_stage_cyc",
	[EXTRA_LOCAL_STAGE_CYCLES] = "local_p_stage_cyc",
	[EXTRA_PARALLELISM] = "parallelism",
	[EXTRA_PLAIN_COMM] = "comm_nodigit",
	[EXTRA_WAKER] = "waker",
	[EXTRA_OP] = "op",
	[EXTRA_MEM] = "mem",
	[EXTRA_SNOOP] = "snoop",
	[EXTRA_TLB] = "tlb",
	[EXTRA_LOCKED] = "locked",
	[EXTRA_BLOCKED] = "blocked",
	[EXTRA_DATA_SYMBOL] = "symbol_daddr",
	[EXTRA_DATA_DSO] = "dso_daddr",
	[EXTRA_CODE_SYMBOL] = "symbol_iaddr",
	[EXTRA_CACHE_LINE] = "dcacheline",
	[EXTRA_FROM] = "addr_from",
	[EXTRA_TO] = "addr_to",
	[SPLIT_OP] = "op",
	[SPLIT_CACHE] = "cache",
	[SPLIT_MEMORY] = "memory",
	[SPLIT_SNOOP] = "snoop",
	[SPLIT_DTLB] = "dtlb",
	[BRANCHES_PREDICTED] = "callchain_branch_predicted",
	[BRANCHES_ABORTED] = "callchain_branch_abort",
	[BRANCHES_CYCLES] = "callchain_branch_cycles",
};

const char *key_name(const struct plan *plan, int key, int event)
{
	if (key >= EXTRA_FIELD)
		return trace_field_name(plan, key, event);
	return key < XP_NR_KEYS ? xp_key_name((enum xp_key)key) : extra_names[key];
}

bool key_size(const struct xp_profile_row *row, int key, uint64_t *ret_size)
{
	const struct xp_frame *frame = &xp_profile_row_location(row)->frame;

	if (key == XP_KEY_SYMBOL_SIZE) {
		*ret_size = frame->function.size;
		return frame->function.name;
	}
	/* Old recordings have a kernel that ends where addresses do: its size is not known. */
	*ret_size = frame->map.end - frame->map.start;
	return frame->map.dso && *ret_size <= INT64_MAX;
}

/* As fields, op and snoop are shares, as keys they make rows. Returns -1 for none. */
static int find_key(const char *text, size_t len, bool is_field)
{
	for (int i = is_field ? SPLIT_OP : EXTRA_TRACE; i < EXTRA_FIELD; i++)
		if (strlen(extra_names[i]) == len && !memcmp(extra_names[i], text, len))
			return i;
	return is_field ? find_key(text, len, false) : xp_key_find(text, len);
}

/* Keys of perf whose facts are not known here. */
static const char *reason_of(const char *text, size_t len)
{
	static const struct {
		const char *name, *why;
	} reasons[] = {
		{ "type", "types of data are not known" },
		{ "typeoff", "types of data are not known" },
		{ "typecln", "types of data are not known" },
		{ "simd", "packets of Arm SPE are not decoded" },
		{ "ipc_null", "instructions per cycle are not computed; perf shows nothing here" },
		{ "ipc_lbr",
		  "instructions per cycle are not computed; cycles has those of branches" },
	};

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (strlen(reasons[i].name) == len && !memcmp(reasons[i].name, text, len))
			return reasons[i].why;
	return NULL;
}

static int refuse(struct plan *plan, struct report *report, const char *option, const char *text,
		  size_t len)
{
	struct xp_diag *diag = &report->rec.diag;
	struct xp_suggest suggest = { .word = text, .len = len };
	const char *reason = reason_of(text, len);

	plan->is_misused = true;
	if (reason)
		return xp_diag_set(diag, -EINVAL, "--%s: '%.*s': %s", option, (int)len, text,
				   reason);
	for (int i = 0; i < EXTRA_FIELD; i++)
		if (i != XP_KEY_TAG)
			xp_suggest_offer(&suggest, key_name(plan, i, 0));
	xp_diag_set(diag, -EINVAL, "--%s: '%.*s' is neither a key nor a field of a tracepoint",
		    option, (int)len, text);
	if (suggest.best)
		xp_diag_hint(diag, "Did you mean '%s'?", suggest.best);
	else
		xp_diag_hint(diag, "'xperf help report' lists the keys");
	return -EINVAL;
}

static bool have(const int *list, int nr, int key)
{
	for (int i = 0; i < nr; i++)
		if (list[i] == key)
			return true;
	return false;
}

bool keys_have(const struct plan *plan, int column)
{
	return have(plan->columns, plan->nr_columns, column);
}

static void add(int *list, int *nr, int key)
{
	if (!have(list, *nr, key))
		list[(*nr)++] = key;
}

/* A key, or the columns of a tracepoint's field. */
static int add_word(struct plan *plan, struct report *report, int *list, int *nr,
		    const char *option, const char *text, size_t len)
{
	int columns[MAX_FIELDS] = { find_key(text, len, list == plan->columns) };
	int found = columns[0] >= 0 ? 1 : trace_fields_find(plan, report, text, len, columns);

	for (int i = 0; i < found; i++)
		add(list, nr, columns[i]);
	return found > 0 ? 0 : found ? found : refuse(plan, report, option, text, len);
}

static int add_list(struct plan *plan, struct report *report, int *list, int *nr,
		    const char *option, const char *text)
{
	int err = 0;

	while (*text && !err) {
		size_t len = strcspn(text, ",");

		if (len)
			err = add_word(plan, report, list, nr, option, text, len);
		text += len + (text[len] == ',');
	}
	return err;
}

static bool only_tracepoints(const struct report *report)
{
	bool only = report->rec.nr_events > 0;

	for (int i = 0; i < report->rec.nr_events; i++)
		only &= xp_data_event_at(report->rec.data, i)->attr.type == XP_TYPE_TRACEPOINT;
	return only;
}

/* Source: perf 6.1. */
const char *keys_default(const struct plan *plan, const struct report *report)
{
	if (plan->values->count.mem_mode)
		return "local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,blocked,"
		       "local_ins_lat";
	if (plan->branches)
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	if (plan->values->count.default_sort)
		return plan->values->count.default_sort;
	return only_tracepoints(report) ? "trace" : "comm,dso,symbol";
}

/* Keys that -s names, or their default. */
struct given {
	int keys[MAX_COLUMNS];
	int nr;
};

static bool is_given(const struct given *given, int key)
{
	return have(given->keys, given->nr, key);
}

/* As a key, latency replaces overhead, unless that is one, too. Source: perf 7.2. */
static bool replaces_overhead(const struct given *given)
{
	return (is_given(given, XP_KEY_LATENCY) || is_given(given, XP_KEY_LATENCY_CHILDREN)) &&
	       !is_given(given, XP_KEY_OVERHEAD) && !is_given(given, XP_KEY_OVERHEAD_CHILDREN);
}

/* Shares that stand first: with what was called, and own ones. */
static void shares_of(const struct plan *plan, const struct given *given, int shares[2])
{
	bool latency = plan->values->count.latency || replaces_overhead(given);

	shares[0] = latency ? XP_KEY_LATENCY_CHILDREN : XP_KEY_OVERHEAD_CHILDREN;
	shares[1] = latency ? XP_KEY_LATENCY : XP_KEY_OVERHEAD;
}

/* Columns that no -F names. */
static void add_numbers(struct plan *plan, const struct given *given)
{
	const struct values *values = plan->values;
	int shares[2];

	shares_of(plan, given, shares);
	for (int i = !plan->children; i < 2; i++)
		add(plan->columns, &plan->nr_columns, shares[i]);
	if (values->count.latency || !replaces_overhead(given))
		add(plan->columns, &plan->nr_columns, XP_KEY_OVERHEAD);
	if (values->show.cpu_utilization) {
		add(plan->columns, &plan->nr_columns, XP_KEY_OVERHEAD_SYS);
		add(plan->columns, &plan->nr_columns, XP_KEY_OVERHEAD_USER);
	}
	if (values->show.samples)
		add(plan->columns, &plan->nr_columns, XP_KEY_SAMPLES);
	if (values->show.period || plan->with_waits)
		add(plan->columns, &plan->nr_columns, XP_KEY_PERIOD);
}

/* Shares decide what comes first, unless they are named as keys, too. */
static void add_shares(struct plan *plan, const struct given *given)
{
	int shares[2];

	shares_of(plan, given, shares);
	for (int i = !plan->children; i < 2; i++)
		if (!is_given(given, shares[i]))
			add(plan->keys, &plan->nr_keys, shares[i]);
}

static bool is_children(int key)
{
	return key == XP_KEY_OVERHEAD_CHILDREN || key == XP_KEY_LATENCY_CHILDREN;
}

/* Numbers of rows are no keys: what has them is in the order of its share. Source: perf 7.2 */
static void add_key(struct plan *plan, int key)
{
	add(plan->keys, &plan->nr_keys, number_is_one(key) ? XP_KEY_OVERHEAD : key);
}

/* What keys and columns make necessary. */
static void note_keys(struct plan *plan)
{
	for (int i = 0; i < plan->nr_columns; i++)
		plan->has_numbers |= number_is_one(plan->columns[i]);
	for (int i = 0; i < plan->nr_keys; i++) {
		plan->latency |=
			plan->keys[i] == XP_KEY_LATENCY || plan->keys[i] == XP_KEY_LATENCY_CHILDREN;
		plan->parallelism |= plan->keys[i] == EXTRA_PARALLELISM;
	}
	plan->parallelism |= plan->latency || plan->levels;
}

int keys_finalize(struct plan *plan, struct report *report)
{
	const char *sort = plan->values->count.sort, *fields = plan->values->show.fields;
	bool only_fields = fields && *fields != '+';
	struct given given = { 0 };
	int err = 0;

	plan->symbol_first = sort && !strncmp(sort, "sym", 3);
	if (sort ? *sort == '+' : !only_fields)
		err = add_list(plan, report, given.keys, &given.nr, "sort",
			       keys_default(plan, report));
	if (sort && !err)
		err = add_list(plan, report, given.keys, &given.nr, "sort", sort + (*sort == '+'));
	if (!only_fields) {
		add_numbers(plan, &given);
		add_shares(plan, &given);
	}
	if (fields && !err)
		err = add_list(plan, report, plan->columns, &plan->nr_columns, "fields",
			       fields + (*fields == '+'));
	if (err)
		return err;
	if (plan->values->count.parent)
		add(given.keys, &given.nr, XP_KEY_PARENT);
	for (int i = 0; i < given.nr; i++)
		add_key(plan, given.keys[i]);
	for (int i = 0; i < plan->nr_columns; i++)
		add_key(plan, plan->columns[i]);
	for (int i = 0; i < given.nr; i++)
		if (plan->children || !is_children(given.keys[i]))
			add(plan->columns, &plan->nr_columns, given.keys[i]);
	note_keys(plan);
	return 0;
}
