/* SPDX-License-Identifier: MIT */
/* "-s" and "-F": what rows are told apart by, and which columns there are. */
#include <string.h>

#include "report.h"

/* By enum extra. */
static const char *const extra_names[NR_COLUMNS] = {
	[EXTRA_TRACE] = "trace",   [EXTRA_TIME] = "time",
	[EXTRA_SOCKET] = "socket", [EXTRA_CGROUP] = "cgroup",
	[EXTRA_ADDRESS] = "addr",  [EXTRA_WEIGHT] = "weight",
	[EXTRA_CYCLES] = "cycles", [EXTRA_LOCAL_WEIGHT] = "local_weight",
	[EXTRA_ABORT] = "abort",   [EXTRA_MISPREDICT] = "mispredict",
	[EXTRA_IN_TX] = "in_tx",
};

const char *key_name(int key)
{
	return key < XP_NR_KEYS ? xp_key_name((enum xp_key)key) : extra_names[key];
}

/* Returns -1 for none. */
static int find_key(const char *text, size_t len)
{
	for (int i = EXTRA_TRACE; i < NR_COLUMNS; i++)
		if (strlen(extra_names[i]) == len && !memcmp(extra_names[i], text, len))
			return i;
	return xp_key_find(text, len);
}

int keys_check(const char *list, const char *option)
{
	if (!list)
		return 0;
	for (list += *list == '+'; *list;) {
		size_t len = strcspn(list, ",");

		if (len && find_key(list, len) < 0) {
			fprintf(stderr, "Error: --%s: '%.*s' is no key; there are", option,
				(int)len, list);
			for (int i = 0; i < NR_COLUMNS; i++)
				if (i != XP_KEY_TAG)
					fprintf(stderr, "%s %s", i ? "," : "", key_name(i));
			fputc('\n', stderr);
			return -1;
		}
		list += len + (list[len] == ',');
	}
	return 0;
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

static void add_list(int *list, int *nr, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, ",");

		if (len)
			add(list, nr, find_key(text, len));
		text += len + (text[len] == ',');
	}
}

static bool only_tracepoints(const struct recording *rec)
{
	enum { TRACEPOINT = 2 };
	bool only = rec->nr_events > 0;

	for (int i = 0; i < rec->nr_events; i++)
		only &= xp_data_event(rec->input.data, i)->attr.type == TRACEPOINT;
	return only;
}

/* Source: perf 6.1. */
static const char *usual_keys(const struct plan *plan, const struct recording *rec)
{
	if (plan->branches)
		return "comm,dso_from,symbol_from,symbol_to,cycles";
	return only_tracepoints(rec) ? "trace" : "comm,dso,symbol";
}

/* Columns that no -F names. */
static void add_numbers(struct plan *plan)
{
	if (plan->children)
		add(plan->columns, &plan->nr_columns, XP_KEY_OVERHEAD_CHILDREN);
	add(plan->columns, &plan->nr_columns, XP_KEY_OVERHEAD);
	if (plan->values->samples)
		add(plan->columns, &plan->nr_columns, XP_KEY_SAMPLES);
	if (plan->values->period)
		add(plan->columns, &plan->nr_columns, XP_KEY_PERIOD);
}

/* Shares decide what comes first, unless they are named as keys, too. */
static void add_shares(struct plan *plan, const int *given, int nr_given)
{
	const int shares[] = { XP_KEY_OVERHEAD_CHILDREN, XP_KEY_OVERHEAD };

	for (int i = !plan->children; i < 2; i++)
		if (!have(given, nr_given, shares[i]))
			add(plan->keys, &plan->nr_keys, shares[i]);
}

void keys_settle(struct plan *plan, const struct recording *rec)
{
	const char *sort = plan->values->sort, *fields = plan->values->fields;
	bool only_fields = fields && *fields != '+';
	int given[MAX_COLUMNS], nr_given = 0;

	plan->symbol_first = sort && !strncmp(sort, "sym", 3);
	if (sort ? *sort == '+' : !only_fields)
		add_list(given, &nr_given, usual_keys(plan, rec));
	if (sort)
		add_list(given, &nr_given, sort + (*sort == '+'));
	if (!only_fields) {
		add_numbers(plan);
		add_shares(plan, given, nr_given);
	}
	if (fields)
		add_list(plan->columns, &plan->nr_columns, fields + (*fields == '+'));
	if (plan->values->parent)
		add(given, &nr_given, XP_KEY_PARENT);
	for (int i = 0; i < nr_given; i++)
		add(plan->keys, &plan->nr_keys, given[i]);
	for (int i = 0; i < plan->nr_columns; i++)
		add(plan->keys, &plan->nr_keys, plan->columns[i]);
	for (int i = 0; i < nr_given; i++)
		if (plan->children || given[i] != XP_KEY_OVERHEAD_CHILDREN)
			add(plan->columns, &plan->nr_columns, given[i]);
}
