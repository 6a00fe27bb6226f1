/* SPDX-License-Identifier: MIT */
/*
 * PMUs of other drivers than the processor's, and files of sysfs: what the scenario says of them,
 * what the kernel shows of them, and what it refuses.
 *
 *  - A PMU with a cpumask counts for a part of the machine: on the CPUs of the mask, for no task,
 * no cgroup. One without counts beside the processor's, also for tasks.
 *  - Neither samples, nor leaves out a mode of the processor.
 *  - What root alone may write is EACCES for others.
 *
 * Source: perf_event_open(2), EINVAL and EACCES; arch/x86/events/msr.c and
 * arch/x86/events/intel/uncore.c for what the drivers refuse; Documentation/ABI/testing/
 * sysfs-bus-event_source-devices-{events,format}, sysfs-devices-mapping.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "scenario.h"

/* --- the scenario --- */

struct field {
	char name[24];
	int first; /* bit of config */
	int nr;
};

static struct field *find_field(const struct device *device, const char *name, size_t len)
{
	for (int i = 0; i < device->formats.nr; i++) {
		struct field *field = device->formats.at[i];

		if (strlen(field->name) == len && !strncmp(field->name, name, len))
			return field;
	}
	return NULL;
}

/* "event:0-7" */
static int parse_format(struct parser *p, struct device *device, char *text)
{
	struct field *field = xalloc(sizeof(*field));
	int last;

	vec_add(&device->formats, field);
	if (sscanf(text, "%23[^:]:%d-%d", field->name, &field->first, &last) != 3 ||
	    field->first < 0 || last < field->first || last > 63)
		return parse_error(p, "'%s' is no format like event:0-7", text);
	field->nr = last - field->first + 1;
	return 0;
}

/* "event=0x83,umask=0x04", as sysfs shows it, by the formats. */
static int config_of(struct parser *p, const struct device *device, const char *text,
		     uint64_t *ret_config)
{
	*ret_config = 0;
	while (*text) {
		size_t len = strcspn(text, "=,");
		const struct field *field = find_field(device, text, len);
		char *end;

		if (!field || text[len] != '=')
			return parse_error(p, "'%s' has no field of the PMU's formats", text);
		uint64_t value = strtoull(text + len + 1, &end, 0);
		if ((*end && *end != ',') || (field->nr < 64 && value >> field->nr))
			return parse_error(p, "'%s' is no value of its field", text);
		*ret_config |= value << field->first;
		text = end + (*end == ',');
	}
	return 0;
}

/* "EVENT=event=0x83,umask=0x04" */
static int parse_event(struct parser *p, struct device *device, char *word)
{
	struct scenario *sc = p->sc;
	char *config = strchr(word, '=');
	struct kind kind = { .type = device->type, .traits = KIND_USER };

	if (!config)
		return parse_error(p, "'%s' is no event like aperf=event=0x01", word);
	*config++ = '\0';
	if (config_of(p, device, config, &kind.config))
		return -1;
	if (sc->nr_kinds == MAX_KINDS)
		return parse_error(p, "too many events");
	if (snprintf(kind.name, sizeof(kind.name), "%s/%s/", device->name, word) >=
	    (int)sizeof(kind.name))
		return parse_error(p, "the name of '%s' is too long", word);
	vec_add(&device->events, xstrdup(word));
	vec_add(&device->events, xstrdup(config));
	sc->has_kind[sc->nr_kinds] = true;
	sc->kinds[sc->nr_kinds++] = kind;
	return 0;
}

static int parse_cpus(struct parser *p, struct device *device, char *list)
{
	char *save = NULL;
	uint64_t cpu;

	device->has_cpus = true;
	for (char *w = strtok_r(list, ",", &save); w; w = strtok_r(NULL, ",", &save)) {
		if (parse_number(p, w, &cpu) || cpu >= MAX_CPUS)
			return parse_error(p, "'%s' is no CPU", w);
		device->cpus[cpu] = true;
	}
	return 0;
}

static int parse_formats(struct parser *p, struct device *device, char *list)
{
	char *save = NULL;
	int err = 0;

	for (char *w = strtok_r(list, ",", &save); w && !err; w = strtok_r(NULL, ",", &save))
		err = parse_format(p, device, w);
	return err;
}

static int parse_device_word(struct parser *p, struct device *device, char *word)
{
	char *cpus = value_of_key(word, "cpus"), *format = value_of_key(word, "format");
	const char *type = value_of_key(word, "type");
	uint64_t number;

	if (cpus)
		return parse_cpus(p, device, cpus);
	if (format)
		return parse_formats(p, device, format);
	if (!type)
		return parse_event(p, device, word);
	if (parse_number(p, type, &number))
		return -1;
	device->type = (uint32_t)number;
	return 0;
}

int parse_device(struct parser *p)
{
	int err = 0;

	p->program = NULL;
	if (p->nr < 3)
		return parse_error(p, "device NAME type=N [cpus=N,...] format=... [EVENT=...]");
	struct device *device = xalloc(sizeof(*device));
	device->name = xstrdup(p->words[1]);
	vec_add(&p->sc->devices, device);
	for (int i = 2; i < p->nr && !err; i++)
		err = parse_device_word(p, device, p->words[i]);
	if (!err && device->type <= PERF_TYPE_BREAKPOINT)
		return parse_error(p, "types up to %d are the kernel's own", PERF_TYPE_BREAKPOINT);
	return err;
}

int parse_sysfs(struct parser *p)
{
	p->program = NULL;
	if (p->nr != 3 || p->words[1][0] != '/')
		return parse_error(p, "sysfs PATH CONTENT");
	vec_add(&p->sc->sysfs, xstrdup(p->words[1]));
	vec_add(&p->sc->sysfs, xstrdup(p->words[2]));
	return 0;
}

static void free_all(struct vec *vec)
{
	for (int i = 0; i < vec->nr; i++)
		free(vec->at[i]);
	vec_fini(vec);
}

void devices_fini(struct scenario *sc)
{
	for (int i = 0; i < sc->devices.nr; i++) {
		struct device *device = sc->devices.at[i];

		free_all(&device->formats);
		free_all(&device->events);
		free(device->name);
		free(device);
	}
	vec_fini(&sc->devices);
	free_all(&sc->sysfs);
}

/* --- the files --- */

#define DEVICES "/sys/bus/event_source/devices"

static void put_cpus(const struct sim *sim, const struct device *device)
{
	char list[6 * MAX_CPUS + 1] = "";
	int len = 0;

	for (int cpu = 0; cpu < sim->sc.nr_cpus; cpu++)
		if (device->cpus[cpu])
			len += snprintf(list + len, sizeof(list) - (size_t)len, "%s%d",
					len ? "," : "", cpu);
	roots_put(sim, list, DEVICES "/%s/cpumask", device->name);
}

static void put_device(const struct sim *sim, const struct device *device)
{
	char text[64];

	snprintf(text, sizeof(text), "%u", device->type);
	roots_put(sim, text, DEVICES "/%s/type", device->name);
	if (device->has_cpus)
		put_cpus(sim, device);
	for (int i = 0; i < device->formats.nr; i++) {
		const struct field *field = device->formats.at[i];

		snprintf(text, sizeof(text), "config:%d-%d", field->first,
			 field->first + field->nr - 1);
		roots_put(sim, text, DEVICES "/%s/format/%s", device->name, field->name);
	}
	for (int i = 0; i < device->events.nr; i += 2)
		roots_put(sim, device->events.at[i + 1], DEVICES "/%s/events/%s", device->name,
			  (const char *)device->events.at[i]);
}

void devices_put(const struct sim *sim)
{
	for (int i = 0; i < sim->sc.devices.nr; i++)
		put_device(sim, sim->sc.devices.at[i]);
	for (int i = 0; i < sim->sc.sysfs.nr; i += 2)
		roots_put(sim, sim->sc.sysfs.at[i + 1], "%s", (const char *)sim->sc.sysfs.at[i]);
}

/* --- the kernel --- */

const struct device *device_of_type(const struct sim *sim, uint32_t type)
{
	for (int i = 0; i < sim->sc.devices.nr; i++) {
		const struct device *device = sim->sc.devices.at[i];

		if (device->type == type)
			return device;
	}
	return NULL;
}

static bool has_exclusion(const struct xp_attr *attr)
{
	return attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	       attr->exclude_idle || attr->exclude_host || attr->exclude_guest;
}

int device_check(const struct device *device, const struct xp_attr *attr, bool of_cpu, int cpu,
		 bool of_cgroup)
{
	if (attr->sample_period || has_exclusion(attr))
		return -EINVAL;
	if (device->has_cpus && (!of_cpu || of_cgroup || !device->cpus[cpu]))
		return -EINVAL;
	return 0;
}
