/* SPDX-License-Identifier: MIT */
/* Which samples count. */
#include "sample-filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/attr.h>
#include <xperf/cpus.h>
#include <xperf/data.h>
#include <xperf/diag.h>
#include <xperf/resolve.h>
#include <xperf/sample.h>
#include <xperf/timeline.h>

static int parse_number(const char *option, const char *text, uint64_t *ret, struct xp_diag *diag)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 0);
	if (*text >= '0' && *text <= '9' && !*end && !errno)
		return 0;
	return xp_diag_set(diag, -EINVAL, "--%s: '%s' is not a number", option, text);
}

/* Symbols that begin with 0x are addresses. */
static int parse_addresses(struct sample_filter *filter, const struct filter_opts *opts,
			   struct xp_diag *diag)
{
	int err = 0;

	if (!opts->with_addresses)
		return 0;
	filter->addresses = calloc(filter->symbols.len + 1, sizeof(*filter->addresses));
	if (!filter->addresses)
		return xp_diag_set(diag, -ENOMEM, "Out of memory");
	for (const char *word = words_first(&filter->symbols); word && !err;
	     word = words_next(&filter->symbols, word))
		if (!strncmp(word, "0x", 2))
			err = parse_number("symbols", word,
					   &filter->addresses[filter->nr_addresses++], diag);
	if (err || !opts->addr_range)
		return err;
	err = parse_number("addr-range", opts->addr_range, &filter->addr_range, diag);
	if (err || filter->nr_addresses)
		return err;
	xp_diag_set(diag, -EINVAL, "--addr-range needs an address in -S");
	xp_diag_hint(diag, "write -S 0xADDRESS");
	return -EINVAL;
}

int sample_filter_parse(struct sample_filter *filter, const struct filter_opts *opts,
			struct xp_diag *diag)
{
	int err;

	*filter = (struct sample_filter){ .switches = { .on = opts->switch_on,
							.off = opts->switch_off,
							.is_shown = opts->show_on_off },
					  .first_ns = UINT64_MAX };
	filter->leaves_out = opts->time || opts->cpus || opts->switch_on || opts->switch_off ||
			     opts->comms || opts->pids || opts->tids || opts->dsos || opts->symbols;
	if ((err = words_parse("comms", opts->comms, &filter->comms, diag)) ||
	    (err = words_parse("dsos", opts->dsos, &filter->dsos, diag)) ||
	    (err = words_parse("symbols", opts->symbols, &filter->symbols, diag)) ||
	    (err = numbers_parse("pid", opts->pids, &filter->pids, diag)) ||
	    (err = numbers_parse("tid", opts->tids, &filter->tids, diag)) ||
	    (err = parse_addresses(filter, opts, diag)) ||
	    (err = times_parse(opts->time, &filter->times, diag)))
		return err;
	return opts->cpus ? xp_cpus_parse(opts->cpus, &filter->cpus, diag) : 0;
}

void sample_filter_fini(struct sample_filter *filter)
{
	times_fini(&filter->times);
	xp_cpus_unref(filter->cpus);
	switches_fini(&filter->switches);
	words_fini(&filter->comms);
	words_fini(&filter->dsos);
	words_fini(&filter->symbols);
	numbers_fini(&filter->pids);
	numbers_fini(&filter->tids);
	free(filter->addresses);
	*filter = (struct sample_filter){ 0 };
}

static int check_cpus(const struct xp_data *data, struct xp_diag *diag)
{
	const struct xp_data_event *event;

	for (int i = 0; (event = xp_data_event_at(data, i)); i++)
		if (event->attr.sample_type & XP_SAMPLE_CPU)
			return 0;
	xp_diag_set(diag, -EINVAL, "-C: the samples of this recording have no CPU");
	xp_diag_hint(diag, "record with -a, -C or --sample-cpu");
	return -EINVAL;
}

int sample_filter_check(struct sample_filter *filter, const struct xp_data *data,
			struct xp_diag *diag)
{
	if (filter->cpus && check_cpus(data, diag))
		return -EINVAL;
	if (filter->times.nr && !xp_data_has_times(data))
		return xp_diag_set(diag, -EINVAL,
				   "--time: the samples of this recording have no times");
	return switches_check(&filter->switches, data, diag);
}

bool sample_filter_needs_times(const struct sample_filter *filter)
{
	return filter->times.need_bounds || filter->switches.on || filter->switches.off;
}

int sample_filter_note(struct sample_filter *filter, int event, uint64_t time_ns)
{
	if (time_ns != XP_NO_TIME && time_ns < filter->first_ns)
		filter->first_ns = time_ns;
	if (time_ns != XP_NO_TIME && time_ns > filter->last_ns)
		filter->last_ns = time_ns;
	return switches_note(&filter->switches, event, time_ns);
}

/* What the recorder says of the first and the last sample, two u64, if it did. */
static void find_bounds(const struct xp_data *data, uint64_t bounds[2])
{
	uint64_t times[2];
	size_t len = 0;
	const void *body = xp_data_feature(data, XP_FEATURE_SAMPLE_TIME, &len);

	if (!body || len < sizeof(times))
		return;
	memcpy(times, body, sizeof(times));
	for (int i = 0; i < 2 && xp_data_is_swapped(data); i++)
		times[i] = __builtin_bswap64(times[i]);
	if (times[1] > times[0])
		memcpy(bounds, times, sizeof(times));
}

void sample_filter_finish(struct sample_filter *filter, const struct xp_data *data)
{
	uint64_t bounds[] = { filter->first_ns, filter->last_ns };

	if (filter->times.need_bounds)
		find_bounds(data, bounds);
	if (filter->times.need_bounds && bounds[0] <= bounds[1])
		times_set_bounds(&filter->times, bounds[0], bounds[1]);
	switches_finish(&filter->switches);
}

bool sample_filter_pass_at_any_time(const struct sample_filter *filter, int event, int cpu,
				    uint64_t time_ns)
{
	return (!filter->cpus || xp_cpus_find(filter->cpus, (struct xp_cpu){ cpu }) >= 0) &&
	       switches_have(&filter->switches, event, time_ns);
}

bool sample_filter_pass(const struct sample_filter *filter, int event, int cpu, uint64_t time_ns)
{
	return times_have(&filter->times, time_ns) &&
	       sample_filter_pass_at_any_time(filter, event, cpu, time_ns);
}

bool sample_filter_has_moments(const struct sample_filter *filter)
{
	return filter->times.nr || filter->cpus || filter->switches.on || filter->switches.off;
}

bool sample_filter_pass_task(const struct sample_filter *filter, int32_t pid, int32_t tid,
			     const char *comm)
{
	return numbers_have(&filter->pids, pid) && numbers_have(&filter->tids, tid) &&
	       words_have(&filter->comms, comm);
}

bool sample_filter_has_places(const struct sample_filter *filter)
{
	return filter->dsos.text || filter->symbols.text;
}

static bool is_at(const struct sample_filter *filter, uint64_t ip)
{
	for (size_t i = 0; i < filter->nr_addresses; i++)
		if (ip >= filter->addresses[i] && ip - filter->addresses[i] <= filter->addr_range)
			return true;
	return false;
}

bool sample_filter_pass_frame(const struct sample_filter *filter, const struct xp_frame *frame)
{
	const struct xp_dso *dso = frame->map.dso;

	if (filter->dsos.text && !(dso && (words_have(&filter->dsos, dso->short_name) ||
					   words_have(&filter->dsos, dso->name))))
		return false;
	return words_have(&filter->symbols, frame->function.name) || is_at(filter, frame->ip);
}
