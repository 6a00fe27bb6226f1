/* SPDX-License-Identifier: MIT */
/* "-g": the words it takes. Source: perf-report(1). */
#include <stdlib.h>
#include <string.h>

#include "report.h"

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
	static const char *const keys[] = { "function", "address", "srcline" };

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
	for (int i = 0; i < 3; i++)
		if (is_word(text, len, keys[i])) {
			graph->by_address = i == 1;
			graph->by_line = i == 2;
			return true;
		}
	if (is_word(text, len, "branch"))
		return graph->branches = true;
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

	while (*text) {
		size_t len = strcspn(text, ",");
		char *end;
		double number = strtod(text, &end);

		if (end == text + len && len && nr_numbers < 2) {
			if (!(number >= 0 && number <= (nr_numbers ? INT32_MAX : 100)))
				return false;
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
