/* SPDX-License-Identifier: MIT */
/* The part of a scenario that describes the machine, its kernel and its user. */
#include "scenario.h"

#include <stdlib.h>
#include <string.h>

int parse_number(struct parser *p, const char *text, uint64_t *ret_value)
{
	uint64_t value = 0;

	if (*text < '0' || *text > '9')
		return parse_error(p, "'%s' is no number", text);
	for (const char *c = text; *c; c++) {
		if (*c == '_')
			continue;
		if (*c < '0' || *c > '9' || value > (UINT64_MAX - 9) / 10)
			return parse_error(p, "'%s' is no number", text);
		value = value * 10 + (uint64_t)(*c - '0');
	}
	*ret_value = value;
	return 0;
}

static const struct {
	const char *name;
	uint64_t ns;
} units[] = { { "ns", 1 }, { "us", 1000 }, { "ms", MICRO }, { "s", 1000 * MICRO } };

int parse_duration(struct parser *p, const char *text, uint64_t *ret_ns)
{
	size_t digits = strspn(text, "0123456789_");
	char number[32];

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (strcmp(text + digits, units[i].name) || digits >= sizeof(number))
			continue;
		memcpy(number, text, digits);
		number[digits] = '\0';
		if (parse_number(p, number, ret_ns))
			return -1;
		*ret_ns *= units[i].ns;
		return 0;
	}
	return parse_error(p, "'%s' is no time like 5ms", text);
}

int parse_list(struct parser *p, char *text, int (*fn)(struct parser *p, const char *word))
{
	char *save = NULL;
	int err = 0;

	for (char *w = strtok_r(text, ",", &save); w && !err; w = strtok_r(NULL, ",", &save))
		err = fn(p, w);
	return err;
}

char *value_of_key(char *word, const char *key)
{
	size_t len = strlen(key);

	return !strncmp(word, key, len) && word[len] == '=' ? word + len + 1 : NULL;
}

/* A key whose value is a number at an offset of the scenario. */
struct number_key {
	const char *key;
	size_t offset;
	size_t size;
};

#define KEY(key, field)                                                                            \
	{                                                                                          \
		key, offsetof(struct scenario, field), sizeof(((struct scenario *)0)->field)       \
	}

static const struct number_key number_keys[] = {
	KEY("cpus", nr_cpus),
	KEY("sockets", sockets),
	KEY("dies", dies),
	KEY("smt", smt),
	KEY("nodes", nodes),
	KEY("uid", uid),
	KEY("perfmon", perfmon),
	KEY("seccomp", seccomp),
	KEY("nofile", nofile_soft),
	KEY("nofile_max", nofile_hard),
	KEY("general", nr_general),
	KEY("watchdog", watchdog),
	KEY("precise", precise_max),
	KEY("attr_size", attr_size),
	KEY("memlock_kb", memlock_kb),
	KEY("max_sample_rate", max_sample_rate),
	KEY("mlock_kb", mlock_kb),
};

static void store(struct scenario *sc, const struct number_key *key, uint64_t value)
{
	char *at = (char *)sc + key->offset;

	if (key->size == 1)
		*(bool *)at = value;
	else if (key->size == 4)
		*(uint32_t *)at = (uint32_t)value;
	else
		*(uint64_t *)at = value;
}

static int parse_number_key(struct parser *p, char *word)
{
	uint64_t value;

	for (size_t i = 0; i < ARRAY_LEN(number_keys); i++) {
		const char *text = value_of_key(word, number_keys[i].key);

		if (!text)
			continue;
		if (parse_number(p, text, &value))
			return -1;
		store(p->sc, &number_keys[i], value);
		return 0;
	}
	return parse_error(p, "'%s' does not belong here", word);
}

static int parse_offline(struct parser *p, const char *word)
{
	uint64_t cpu;

	if (parse_number(p, word, &cpu) || cpu >= MAX_CPUS)
		return parse_error(p, "'%s' is no CPU", word);
	p->sc->offline[cpu] = true;
	return 0;
}

int parse_machine(struct parser *p)
{
	int err = 0;

	for (int i = 1; i < p->nr && !err; i++) {
		char *offline = value_of_key(p->words[i], "offline");

		err = offline ? parse_list(p, offline, parse_offline)
			      : parse_number_key(p, p->words[i]);
	}
	if (!err && (p->sc->nr_cpus < 1 || p->sc->nr_cpus > MAX_CPUS))
		return parse_error(p, "a machine has 1 to %d CPUs", MAX_CPUS);
	return err;
}

int parse_user(struct parser *p)
{
	int err = 0;

	for (int i = 1; i < p->nr && !err; i++) {
		const char *paranoid = value_of_key(p->words[i], "paranoid");

		if (paranoid)
			p->sc->paranoid = atoi(paranoid); /* may be negative */
		else
			err = parse_number_key(p, p->words[i]);
	}
	return err;
}

static int known_kind(struct parser *p, const char *word)
{
	int kind = scenario_kind(p->sc, word);

	return kind < 0 ? parse_error(p, "'%s' is no event", word) : kind;
}

static int parse_fixed(struct parser *p, const char *word)
{
	int kind = known_kind(p, word);

	if (kind < 0)
		return -1;
	if (p->sc->nr_fixed == MAX_FIXED)
		return parse_error(p, "at most %d fixed counters", MAX_FIXED);
	p->sc->fixed[p->sc->nr_fixed++] = kind;
	return 0;
}

static int parse_lacking(struct parser *p, const char *word)
{
	int kind = known_kind(p, word);

	if (kind >= 0)
		p->sc->has_kind[kind] = false;
	return kind < 0 ? -1 : 0;
}

static int parse_having(struct parser *p, const char *word)
{
	int kind = known_kind(p, word);

	if (kind >= 0)
		p->sc->has_kind[kind] = true;
	return kind < 0 ? -1 : 0;
}

static int parse_pmu_cpu(struct parser *p, const char *word)
{
	uint64_t cpu;

	if (parse_number(p, word, &cpu))
		return -1;
	if (cpu >= MAX_CPUS)
		return parse_error(p, "no such CPU");
	p->sc->pmu_is_partial = true;
	p->sc->pmu_cpus[cpu] = true;
	return 0;
}

/* A key whose value is a list. */
struct list_key {
	const char *key;
	int (*parse)(struct parser *p, const char *word);
};

static const struct list_key pmu_lists[] = {
	{ "fixed", parse_fixed },
	{ "lacks", parse_lacking },
	{ "has", parse_having },
	{ "cpus", parse_pmu_cpu },
};

static int parse_pmu_word(struct parser *p, char *word)
{
	if (!strcmp(word, "uncore")) {
		p->sc->pmu_is_uncore = true;
		return 0;
	}
	if (!strcmp(word, "none")) {
		p->sc->has_pmu = false;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_LEN(pmu_lists); i++) {
		char *list = value_of_key(word, pmu_lists[i].key);

		if (list)
			return parse_list(p, list, pmu_lists[i].parse);
	}
	return parse_number_key(p, word);
}

int parse_pmu(struct parser *p)
{
	int err = 0;

	for (int i = 1; i < p->nr && !err; i++)
		err = parse_pmu_word(p, p->words[i]);
	return err;
}

/* Attribute flags by name and position. Source: linux/perf_event.h, struct perf_event_attr. */
static const struct {
	const char *name;
	int bit;
} flag_bits[] = {
	{ "exclude_host", 19 },   { "exclude_guest", 20 }, { "mmap2", 23 },
	{ "comm_exec", 24 },      { "use_clockid", 25 },   { "context_switch", 26 },
	{ "write_backward", 27 }, { "namespaces", 28 },    { "ksymbol", 29 },
	{ "bpf_event", 30 },      { "aux_output", 31 },    { "cgroup", 32 },
	{ "text_poke", 33 },      { "build_id", 34 },      { "inherit_thread", 35 },
	{ "remove_on_exec", 36 }, { "sigtrap", 37 },
};

static int parse_missing(struct parser *p, const char *word)
{
	if (!strcmp(word, "lost"))
		p->sc->lacks_lost = true;
	else if (!strcmp(word, "inherited_reads"))
		p->sc->lacks_inherited_reads = true;
	else if (!strcmp(word, "pidfd"))
		p->sc->lacks_pidfd = true;
	else if (!strcmp(word, "pidfd_thread"))
		p->sc->lacks_pidfd_thread = true;
	else
		for (size_t i = 0;; i++) {
			if (i == ARRAY_LEN(flag_bits))
				return parse_error(p, "'%s' is nothing a kernel may lack", word);
			if (strcmp(word, flag_bits[i].name))
				continue;
			p->sc->lacks_bits |= UINT64_C(1) << flag_bits[i].bit;
			break;
		}
	return 0;
}

int parse_kernel(struct parser *p)
{
	int err = 0;

	for (int i = 1; i < p->nr && !err; i++) {
		char *lacks = value_of_key(p->words[i], "lacks");

		err = lacks ? parse_list(p, lacks, parse_missing)
			    : parse_number_key(p, p->words[i]);
	}
	return err;
}

int parse_tracefs(struct parser *p)
{
	if (p->nr != 2 || strcmp(p->words[1], "none"))
		return parse_error(p, "only 'tracefs none'");
	p->sc->has_tracefs = false;
	return 0;
}

void scenario_add_cgroup(struct scenario *sc, const char *name)
{
	for (int i = 0; i < sc->cgroups.nr; i++)
		if (!strcmp(sc->cgroups.at[i], name))
			return;
	char *copy = xstrdup(name);
	char *slash = strrchr(copy, '/');
	vec_add(&sc->cgroups, copy);
	if (!slash)
		return;
	*slash = '\0';
	scenario_add_cgroup(sc, copy);
	*slash = '/';
}

int parse_cgroup(struct parser *p)
{
	if (p->nr < 2)
		return parse_error(p, "cgroup NAME ..., or none");
	if (!strcmp(p->words[1], "none")) {
		p->sc->has_cgroups = false;
		return 0;
	}
	for (int i = 1; i < p->nr; i++)
		scenario_add_cgroup(p->sc, p->words[i]);
	return 0;
}

int parse_hypervisor(struct parser *p)
{
	if (p->nr < 2)
		return parse_error(p, "a hypervisor has a name");
	snprintf(p->sc->hypervisor, sizeof(p->sc->hypervisor), "%s", p->words[1]);
	return 0;
}

static const struct number_key time_keys[] = {
	KEY("call", call_ns),   KEY("exec", exec_ns),   KEY("mux", mux_ns),
	KEY("slice", slice_ns), KEY("limit", limit_ns),
};

static int parse_time_word(struct parser *p, char *word)
{
	uint64_t ns;

	for (size_t i = 0; i < ARRAY_LEN(time_keys); i++) {
		const char *text = value_of_key(word, time_keys[i].key);

		if (!text)
			continue;
		if (parse_duration(p, text, &ns))
			return -1;
		store(p->sc, &time_keys[i], ns);
		return 0;
	}
	return parse_error(p, "'%s' does not belong here", word);
}

int parse_time(struct parser *p)
{
	int err = 0;

	for (int i = 1; i < p->nr && !err; i++)
		err = parse_time_word(p, p->words[i]);
	return err;
}
