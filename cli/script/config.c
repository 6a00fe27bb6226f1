/* SPDX-License-Identifier: MIT */
/* Reads what the options of `script` say. Source of --time: perf-script(1). */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- lists --- */

static int list_make(const char *text, struct list *list)
{
	char *copy = text ? strdup(text) : NULL, *rest = NULL;
	int err = text && !copy ? -1 : 0;

	for (char *word = copy ? strtok_r(copy, ",", &rest) : NULL; word && !err;
	     word = strtok_r(NULL, ",", &rest)) {
		char **at = reallocarray(list->at, (size_t)list->nr + 1, sizeof(*at));

		if (at)
			list->at = at;
		if (at && (at[list->nr] = strdup(word)))
			list->nr++;
		else
			err = -1;
	}
	free(copy);
	return err;
}

static void list_fini(struct list *list)
{
	for (int i = 0; i < list->nr; i++)
		free(list->at[i]);
	free(list->at);
	*list = (struct list){ 0 };
}

bool list_allows(const struct list *list, const char *text)
{
	for (int i = 0; i < list->nr; i++)
		if (!strcmp(list->at[i], text))
			return true;
	return !list->nr;
}

bool list_allows_number(const struct list *list, int32_t number)
{
	char text[16];

	if (!list->nr)
		return true;
	snprintf(text, sizeof(text), "%d", number);
	return list_allows(list, text);
}

static int check_numbers(const struct list *list, const char *option, struct xp_diag *diag)
{
	for (int i = 0; i < list->nr; i++)
		if (strspn(list->at[i], "0123456789") != strlen(list->at[i]) ||
		    strlen(list->at[i]) > strlen("2147483647")) {
			xp_diag_set(diag, -EINVAL, "%s: '%s' is no number", option, list->at[i]);
			return -1;
		}
	return 0;
}

static int complain(struct xp_diag *diag, const char *option, const char *text)
{
	xp_diag_set(diag, -EINVAL, "--%s: '%s' is no number", option, text);
	return -1;
}

static bool parse_number(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* Symbols that begin with 0x are addresses. */
static int take_addresses(struct config *config, struct xp_diag *diag)
{
	struct list *symbols = &config->symbols;
	bool is_bad = false;
	int nr = 0;

	config->addresses = calloc((size_t)symbols->nr + 1, sizeof(*config->addresses));
	if (!config->addresses)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	for (int i = 0; i < symbols->nr; i++) {
		char *symbol = symbols->at[i];

		symbols->at[i] = NULL;
		if (strncmp(symbol, "0x", 2) != 0) {
			symbols->at[nr++] = symbol;
			continue;
		}
		is_bad |= !parse_number(symbol, &config->addresses[config->nr_addresses++]);
		free(symbol);
	}
	symbols->nr = nr;
	if (is_bad)
		return complain(diag, "symbols", config->values->symbols);
	if (!config->values->addr_range)
		return 0;
	if (!parse_number(config->values->addr_range, &config->addr_range))
		return complain(diag, "addr-range", config->values->addr_range);
	if (config->nr_addresses)
		return 0;
	xp_diag_set(diag, -EINVAL, "--addr-range says how far behind an address, but -S has none");
	xp_diag_hint(diag, "write -S 0xADDRESS");
	return -1;
}

/* What excludes each other. */
static int check_views(const struct values *values, struct xp_diag *diag)
{
	if (values->reltime && values->deltatime)
		return xp_diag_set(
			diag, -EINVAL,
			"--reltime and --deltatime: times are told one way or the other");
	if (values->json && (values->per_event_dump || values->dump))
		return xp_diag_set(diag, -EINVAL, "--json goes with no other form of output");
	if (values->max_stack < 0)
		return xp_diag_set(diag, -EINVAL, "--max-stack: %d is negative", values->max_stack);
	return 0;
}

int config_make(const struct values *values, struct config *config, struct xp_diag *diag)
{
	*config = (struct config){ .values = values };
	if (list_make(values->comms, &config->comms) ||
	    list_make(values->symbols, &config->symbols) ||
	    list_make(values->dsos, &config->dsos) || list_make(values->pids, &config->pids) ||
	    list_make(values->tids, &config->tids) || list_make(values->stop_bt, &config->stops)) {
		xp_diag_set(diag, -ENOMEM, "Out of memory");
		return -1;
	}
	if (check_numbers(&config->pids, "--pid", diag) ||
	    check_numbers(&config->tids, "--tid", diag) || take_addresses(config, diag) ||
	    check_views(values, diag))
		return -1;
	return values->cpus && xp_cpus_parse(values->cpus, &config->cpus, diag) ? -1 : 0;
}

void config_fini(struct config *config)
{
	list_fini(&config->comms);
	list_fini(&config->symbols);
	list_fini(&config->dsos);
	list_fini(&config->pids);
	list_fini(&config->tids);
	list_fini(&config->stops);
	free(config->addresses);
	xp_cpus_unref(config->cpus);
}

/* --- times --- */

/* "12.5" in nanoseconds. Returns what is behind it, NULL: it is no time. */
static const char *take_seconds(const char *text, uint64_t *ret_ns)
{
	enum { NS_DIGITS = 9 };
	char *at;
	uint64_t fraction = 0;
	unsigned long long seconds;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	seconds = strtoull(text, &at, 10);
	if (errno || seconds > UINT64_MAX / 1000000000 - 1)
		return NULL;
	bool has_fraction = *at == '.';
	at += has_fraction;
	for (int i = 0; i < NS_DIGITS; i++) {
		bool digit = has_fraction && *at >= '0' && *at <= '9';

		fraction = fraction * 10 + (digit ? (uint64_t)(*at - '0') : 0);
		at += digit;
	}
	*ret_ns = seconds * 1000000000 + fraction;
	return at + strspn(at, has_fraction ? "0123456789" : "");
}

/* "A,B": either may be missing. */
static bool parse_absolute(const char *text, struct time_range *range)
{
	*range = (struct time_range){ 0, UINT64_MAX };
	if (*text != ',')
		text = take_seconds(text, &range->first_ns);
	if (!text || *text != ',')
		return text && !*text;
	text++;
	if (*text)
		text = take_seconds(text, &range->last_ns);
	return text && !*text && range->first_ns <= range->last_ns;
}

/* "10%/2" or "0%-20%": parts of @range. */
static bool parse_part(const char *text, struct time_range whole, struct time_range *range)
{
	double length = (double)(whole.last_ns - whole.first_ns), from, to;
	int len = 0;

	if (sscanf(text, "%lf%%/%lf%n", &from, &to, &len) == 2 && len && !text[len]) {
		double each = from;

		from = each * (to - 1);
		to = each * to;
	} else if (sscanf(text, "%lf%%-%lf%%%n", &from, &to, &len) != 2 || !len || text[len]) {
		return false;
	}
	if (!(from >= 0 && from <= to && from <= 100))
		return false;
	to = to > 100 ? 100 : to;
	*range = (struct time_range){ whole.first_ns + (uint64_t)(from / 100 * length),
				      whole.first_ns + (uint64_t)(to / 100 * length) };
	return true;
}

int ranges_parse(const char *text, uint64_t first_ns, uint64_t last_ns, struct time_range **ret,
		 int *ret_nr, struct xp_diag *diag)
{
	const struct time_range whole = { first_ns, last_ns };
	bool parts = strchr(text, '%');
	char *copy = strdup(text), *rest = NULL;
	struct time_range *ranges = calloc(strlen(text) + 1, sizeof(*ranges));
	int nr = 0;
	bool good = copy && ranges;

	for (char *word = good ? strtok_r(copy, parts ? ", " : " ", &rest) : NULL; word && good;
	     word = strtok_r(NULL, parts ? ", " : " ", &rest), nr++)
		good = parts ? parse_part(word, whole, &ranges[nr])
			     : parse_absolute(word, &ranges[nr]);
	free(copy);
	if (good && nr) {
		*ret = ranges;
		*ret_nr = nr;
		return 0;
	}
	free(ranges);
	xp_diag_set(diag, -EINVAL, "--time: '%s' is no range of times", text);
	xp_diag_hint(diag, "write START,STOP in seconds, 10%%/2 or 0%%-20%%");
	return -1;
}
