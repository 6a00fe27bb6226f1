/* SPDX-License-Identifier: MIT */
/* What the options of `xperf report` come to: keys, columns, filters. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/cpus.h>

#include "report.h"

/* Splits "a,b"; "file://NAME" is a file with one word per line. Returns 0 or -1. */
static int words_read(const char *option, const char *list, struct words *words)
{
	static const char scheme[] = "file://";

	if (!list)
		return 0;
	if (!strncmp(list, scheme, sizeof(scheme) - 1)) {
		FILE *file = fopen(list + sizeof(scheme) - 1, "re");
		size_t cap = 0;
		ssize_t len = file ? getdelim(&words->text, &cap, '\0', file) : -1;

		if (file)
			fclose(file);
		if (!file || len < 0) {
			fprintf(stderr, "Error: --%s: %s: %s\n", option, list + sizeof(scheme) - 1,
				file ? "it is empty" : strerror(errno));
			return -1;
		}
	} else {
		words->text = strdup(list);
	}
	if (!words->text)
		return -1;
	words->len = strlen(words->text);
	for (size_t i = 0; i < words->len; i++)
		if (words->text[i] == ',' || words->text[i] == '\n')
			words->text[i] = '\0';
	return 0;
}

bool words_have(const struct words *words, const char *word)
{
	if (!words->text)
		return true;
	for (size_t at = 0; word && at <= words->len; at += strlen(words->text + at) + 1)
		if (!strcmp(words->text + at, word))
			return true;
	return false;
}

static bool have_number(const struct words *words, int32_t number)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	return words_have(words, text);
}

bool plan_keeps(const struct xp_profile_row *row, void *data)
{
	const struct plan *plan = data;
	const struct xp_frame *frame = &row->place->frame;
	const struct xp_dso *dso = frame->map.dso;

	/* Without a guest's files there is nothing to tell of it. Source: perf 6.1. */
	if (row->place->level == 'g' || row->place->level == 'u')
		return false;
	if (plan->dsos.text && !(dso && (words_have(&plan->dsos, dso->short_name) ||
					 words_have(&plan->dsos, dso->name))))
		return false;
	return words_have(&plan->comms, row->comm) &&
	       (!plan->symbols.text || words_have(&plan->symbols, frame->function.name)) &&
	       have_number(&plan->pids, row->pid) && have_number(&plan->tids, row->tid);
}

static bool has_column(const struct plan *plan, enum xp_key key)
{
	for (int i = 0; i < plan->nr_columns; i++)
		if (plan->columns[i] == key)
			return true;
	return false;
}

static bool add_column(struct plan *plan, enum xp_key key)
{
	if (has_column(plan, key))
		return false;
	plan->columns[plan->nr_columns++] = key;
	return true;
}

static int add_keys(struct plan *plan, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, ",");
		int key = xp_key_find(text, len);
		bool again = false;

		if (len && key < 0) {
			fprintf(stderr, "Error: --sort: '%.*s' is no key; there are", (int)len,
				text);
			for (int i = 0; i < XP_NR_KEYS; i++)
				fprintf(stderr, "%s %s", i ? "," : "", xp_key_name(i));
			fputc('\n', stderr);
			return -1;
		}
		for (int i = 0; i < plan->nr_keys; i++)
			again |= (int)plan->keys[i] == key;
		if (len && !again)
			plan->keys[plan->nr_keys++] = (enum xp_key)key;
		text += len + (text[len] == ',');
	}
	return 0;
}

static int read_keys(struct plan *plan)
{
	static const char usual[] = "comm,dso,symbol";
	const char *sort = plan->values->sort;

	plan->symbol_first = sort && !strncmp(sort, "sym", 3);
	if (sort && *sort == '+' && add_keys(plan, usual))
		return -1;
	return add_keys(plan, !sort ? usual : *sort == '+' ? sort + 1 : sort);
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

static int read_percents(struct plan *plan)
{
	const struct values *values = plan->values;
	const char *limit = values->percent_limit, *how = values->percentage;
	char *end;

	if (limit) {
		plan->percent_limit = strtod(limit, &end);
		if (end == limit || (*end && strcmp(end, "%") != 0) ||
		    !isfinite(plan->percent_limit)) {
			fprintf(stderr, "Error: --percent-limit: '%s' is not a percentage\n",
				limit);
			return -1;
		}
		if (!plan->graph.is_set)
			plan->graph.min_percent = plan->percent_limit;
	}
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
	    words_read("pid", values->pids, &plan->pids) ||
	    words_read("tid", values->tids, &plan->tids))
		return -1;
	if (values->cpus && xp_cpus_parse(values->cpus, &plan->cpus, &diag)) {
		cli_print_diag(&diag, NULL);
		return -1;
	}
	if (values->time) {
		plan->slices = slices_parse(values->time);
		return plan->slices ? 0 : -1;
	}
	return 0;
}

int plan_make(struct plan *plan, const struct values *values)
{
	*plan = (struct plan){ .values = values, .graph = values->graph };
	if (read_keys(plan) || read_widths(plan) || read_percents(plan) || read_filters(plan))
		return -1;
	return 0;
}

/* What is charged to callers needs call chains; the shares come first where nothing was said. */
void plan_settle(struct plan *plan, const struct recording *rec)
{
	const struct values *values = plan->values;
	bool has_chains = load_has_chains(rec);
	enum xp_key keys[MAX_COLUMNS];
	int nr = plan->nr_keys;

	plan->with_chains = has_chains && plan->graph.mode != GRAPH_NONE;
	plan->children = has_chains && !values->no_children;
	if (plan->children && !plan->graph.order_set)
		plan->graph.callers_first = true;
	if (plan->children)
		add_column(plan, XP_KEY_OVERHEAD_CHILDREN);
	add_column(plan, XP_KEY_OVERHEAD);
	memcpy(keys, plan->keys, sizeof(keys));
	plan->nr_keys = 0;
	for (int i = 0; i < plan->nr_columns; i++) {
		bool given = false;

		for (int k = 0; k < nr; k++)
			given |= keys[k] == plan->columns[i];
		if (!given)
			plan->keys[plan->nr_keys++] = plan->columns[i];
	}
	memcpy(plan->keys + plan->nr_keys, keys, (size_t)nr * sizeof(*keys));
	plan->nr_keys += nr;
	if (values->samples)
		add_column(plan, XP_KEY_SAMPLES);
	if (values->period)
		add_column(plan, XP_KEY_PERIOD);
	for (int i = 0; i < nr; i++)
		if (plan->children || keys[i] != XP_KEY_OVERHEAD_CHILDREN)
			add_column(plan, keys[i]);
}

void plan_fini(struct plan *plan)
{
	struct words *lists[] = { &plan->comms, &plan->dsos, &plan->symbols, &plan->pids,
				  &plan->tids };

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		free(lists[i]->text);
	xp_cpus_unref(plan->cpus);
	slices_free(plan->slices);
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return len && len <= strlen(word) && !strncmp(text, word, len);
}

/* One word of "-g". Returns false if it is none. */
static bool graph_word(const char *text, size_t len, struct graph *graph)
{
	static const struct {
		const char *word;
		int mode;
	} modes[] = {
		{ "graph", GRAPH_GRAPH },   { "flat", GRAPH_FLAT }, { "fractal", GRAPH_FRACTAL },
		{ "folded", GRAPH_FOLDED }, { "none", GRAPH_NONE },
	};
	static const char *const values[] = { "percent", "period", "count" };
	static const char *const orders[] = { "callee", "caller" };
	static const char *const keys[] = { "function", "address" };

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (is_word(text, len, modes[i].word)) {
			graph->mode = (enum graph_mode)modes[i].mode;
			return true;
		}
	for (int i = 0; i < 2; i++)
		if (is_word(text, len, orders[i])) {
			graph->callers_first = i;
			return graph->order_set = true;
		}
	for (int i = 0; i < 2; i++)
		if (is_word(text, len, keys[i])) {
			graph->by_address = i;
			return true;
		}
	for (int i = 0; i < 3; i++)
		if (is_word(text, len, values[i])) {
			graph->value = (enum graph_value)i;
			return true;
		}
	return false;
}

bool graph_parse(const char *text, struct graph *graph)
{
	int nr_numbers = 0;

	graph->is_set = true;
	while (*text) {
		size_t len = strcspn(text, ",");
		char *end;
		double number = strtod(text, &end);

		if (end == text + len && len && nr_numbers < 2) {
			if (nr_numbers++)
				graph->limit = (int)number;
			else
				graph->min_percent = number;
		} else if (len && !graph_word(text, len, graph)) {
			return false;
		}
		text += len + (text[len] == ',');
	}
	return true;
}
