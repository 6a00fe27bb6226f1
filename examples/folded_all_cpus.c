/* SPDX-License-Identifier: MIT */
/*
 * folded_all_cpus: what all CPUs do in the next second, as folded stacks for flame graphs.
 *
 *     folded_all_cpus [SECONDS [EVENT]]
 *
 * Each line is a stack and its number of samples: "bash;main;execute_command;… 12". Callers are
 * found by frame pointers. Records of tasks and maps go to the timeline as they come; samples are
 * kept, because functions are looked up when the timeline is complete.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/xperf.h>

struct work {
	struct xp_ctx *ctx;
	struct xp_evlist *events;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_record **samples;
	size_t nr, room;
};

static const struct xp_attr *attr_of(const struct work *work, int event)
{
	return xp_evsel_attr_const(xp_evlist_at(work->events, event));
}

static int keep(struct work *work, const struct xp_record *record)
{
	if (work->nr == work->room) {
		size_t room = work->room ? 2 * work->room : 1024;
		void *more = realloc(work->samples, room * sizeof(struct xp_record *));

		if (!more)
			return -1;
		work->samples = (struct xp_record **)more;
		work->room = room;
	}
	work->samples[work->nr] = (struct xp_record *)malloc(record->size);
	if (!work->samples[work->nr])
		return -1;
	memcpy(work->samples[work->nr++], record, record->size);
	return 0;
}

/* The events of a list record the same fields: the first one's attribute decodes all trailers. */
static int add(const struct xp_record *record, int event, void *data)
{
	struct work *work = (struct work *)data;
	struct xp_sample_id id;

	if (record->type == XP_RECORD_SAMPLE)
		return event == 0 ? keep(work, record) : 0;
	int err = xp_sample_id_decode(record, attr_of(work, 0), &id);
	return err ? err : xp_timeline_add(work->timeline, record, &id);
}

static int add_before(const struct xp_record *record, void *data)
{
	return add(record, -1, data);
}

/* What is there already. */
static int describe_system(struct work *work)
{
	const struct xp_synth_opts how = { .size = sizeof(how),
					   .id_bytes = xp_sample_id_bytes(attr_of(work, 0)) };
	struct xp_threads *all = NULL;
	int err = xp_threads_of_system(work->ctx, &all, NULL);

	if (!err)
		err = xp_synth_kernel(work->ctx, &how, add_before, work);
	if (!err)
		err = xp_synth_threads(work->ctx, all, &how, add_before, work);
	xp_threads_unref(all);
	return err;
}

static int sample(struct work *work, double seconds, const char *event, struct xp_diag *diag)
{
	const struct xp_sampling_opts how = { .size = sizeof(how),
					      .freq_hz = 99,
					      .callchain = XP_CALLCHAIN_FP };
	int err = xp_evlist_parse(work->events, event, diag);

	if (!err)
		err = xp_evlist_open_rings(work->events, &how, NULL, diag);
	if (!err)
		err = describe_system(work);
	if (!err)
		err = xp_evlist_enable(work->events);
	uint64_t end = xp_ctx_now(work->ctx) + (uint64_t)(seconds * 1e9);
	for (uint64_t now = 0; !err && now < end; now = xp_ctx_now(work->ctx)) {
		int nr = xp_evlist_poll(work->events, now ? (int64_t)(end - now) : 0);

		err = nr < 0 ? nr : xp_evlist_drain(work->events, add, work);
	}
	if (!err)
		err = xp_evlist_disable(work->events);
	return err ? err : xp_evlist_drain(work->events, add, work);
}

/* "bash;main;execute_command", the outermost first. */
static char *fold(struct work *work, const struct xp_sample *s)
{
	struct xp_frame frame = { .size = sizeof(frame) };
	uint16_t mode = XP_MISC_USER;
	size_t len = 0;
	char *line = NULL;
	FILE *out = open_memstream(&line, &len);
	const char **names = (const char **)calloc(s->nr_callchain + 1, sizeof(char *));
	size_t nr = 0;

	for (size_t i = 0; out && names && i < s->nr_callchain; i++) {
		uint64_t ip = s->callchain[i];

		if (ip == XP_CONTEXT_KERNEL || ip == XP_CONTEXT_USER)
			mode = ip == XP_CONTEXT_KERNEL ? XP_MISC_KERNEL : XP_MISC_USER;
		else if (ip < XP_CONTEXT_MAX &&
			 !xp_resolver_frame(work->resolver, s->id.pid, mode, ip, nr > 0,
					    s->id.time_ns, &frame))
			names[nr++] = frame.function.name ? frame.function.name : "[unknown]";
	}
	if (out && names) {
		fputs(xp_timeline_comm_at(work->timeline, s->id.pid, s->id.tid, s->id.time_ns),
		      out);
		while (nr)
			fprintf(out, ";%s", names[--nr]);
	}
	if (out)
		fclose(out);
	free(names);
	return line;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int show(struct work *work)
{
	char **lines = (char **)calloc(work->nr + 1, sizeof(char *));
	size_t nr = 0, same = 0;
	int err = lines ? xp_timeline_seal(work->timeline) : -1;

	if (!err)
		err = xp_symbols_new(work->ctx, NULL, &work->symbols);
	if (!err)
		err = xp_resolver_new(work->timeline, work->symbols, &work->resolver);
	for (size_t i = 0; !err && i < work->nr; i++) {
		struct xp_sample s = { .size = sizeof(s) };

		if (!xp_sample_decode(work->samples[i], attr_of(work, 0), &s) &&
		    (lines[nr] = fold(work, &s)))
			nr++;
	}
	if (nr)
		qsort(lines, nr, sizeof(char *), by_text);
	for (size_t i = 0; i < nr; i++, same++)
		if (i && strcmp(lines[i], lines[i - 1])) {
			printf("%s %zu\n", lines[i - 1], same);
			same = 0;
		}
	if (nr)
		printf("%s %zu\n", lines[nr - 1], same);
	while (nr)
		free(lines[--nr]);
	free(lines);
	return err;
}

int main(int argc, char **argv)
{
	struct work work = { NULL, NULL, NULL, NULL, NULL, NULL, 0, 0 };
	struct xp_diag diag = { 0 };
	int err = xp_ctx_new(NULL, &work.ctx);

	if (!err)
		err = xp_evlist_new(work.ctx, &work.events);
	if (!err)
		err = xp_timeline_new(&work.timeline);
	if (!err)
		err = sample(&work, argc > 1 ? strtod(argv[1], NULL) : 1.0,
			     argc > 2 ? argv[2] : "cpu-clock", &diag);
	if (!err)
		err = show(&work);
	if (err)
		fprintf(stderr, "folded_all_cpus: %s%s%s\n", diag.err ? diag.what : strerror(-err),
			*diag.hint ? ". " : "", diag.hint);
	xp_resolver_free(work.resolver);
	xp_symbols_free(work.symbols);
	xp_timeline_free(work.timeline);
	xp_evlist_free(work.events);
	while (work.nr)
		free(work.samples[--work.nr]);
	free(work.samples);
	xp_ctx_free(work.ctx);
	return err ? 1 : 0;
}
