/* SPDX-License-Identifier: MIT */
/*
 * A run over a recording: first all of its side band becomes a timeline, then its samples are
 * printed in the order of their times.
 */
#include "run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/diag.h>
#include <xperf/disasm.h>
#include <xperf/timeline.h>

#include "header.h"
#include "ordered.h"
#include "rounds.h"
#include "script.h"

struct run {
	struct script script;
	uint64_t nr;                  /* records that were read in the second pass */
	uint64_t last_ns, misordered; /* of samples, for --debug-mode */
};

/* --- records --- */

static int show(const struct xp_record *record, uint64_t time_ns, uint64_t position, void *data)
{
	struct run *run = data;

	if (run->script.config->values->only_check) {
		if (record->type == XP_RECORD_SAMPLE) {
			run->misordered += time_ns < run->last_ns;
			run->last_ns = time_ns;
		}
		return 0;
	}
	run->script.now = time_ns;
	if (record->type == XP_RECORD_SAMPLE)
		return sample_show(&run->script, record, time_ns, position);
	run->script.moment = xp_timeline_moment(run->script.rec->timeline, time_ns, position);
	side_show(&run->script, record);
	return run->script.out.err;
}

/* Addresses, and pids, are in the same place of all samples of a recording. */
static void ahead(const struct xp_record *record, bool is_near, void *data)
{
	const struct script *script = &((struct run *)data)->script;
	const struct view *view = script->nr_views ? script->views : NULL;
	uint64_t type = view && !view->has_chain ? view->event->attr.sample_type : 0;
	size_t at = !!(type & XP_SAMPLE_IDENTIFIER);
	const uint64_t *words = (const uint64_t *)(record + 1);
	struct where where = { .mode = record->misc & XP_MISC_CPUMODE_MASK };

	if (record->type != XP_RECORD_SAMPLE || !(type & XP_SAMPLE_IP) || !(type & XP_SAMPLE_TID) ||
	    record->size < sizeof(*record) + (at + 2) * sizeof(*words))
		return;
	where.ip = words[at];
	memcpy(&where.pid, &words[at + 1], sizeof(where.pid));
	place_prefetch(script, view->fields, &where, is_near);
}

/* In the order of the file. Returns whether a record is printed in the order of time. */
static int keep(const struct xp_record *record, void *data)
{
	struct run *run = data;
	const struct config *config = run->script.config;

	run->script.now = ++run->nr;
	if (config->values->dump)
		dump_record(&run->script, record);
	if (record->type == XP_RECORD_FINISHED_ROUND && config->values->show_rounds &&
	    !config->values->json)
		sink_text(&run->script.out, "PERF_RECORD_FINISHED_ROUND\n");
	if (record->type == XP_RECORD_SAMPLE || side_is_shown(config, record->type))
		return 1;
	return counts_add(&run->script, record);
}

static int note(const struct xp_record *record, const struct xp_sample_id *id, void *data)
{
	struct run *run = data;

	(void)id;
	run->script.has_counts |= record->type == XP_RECORD_STAT;
	return 0;
}

static int walk(struct run *run)
{
	const struct xp_order_opts opts = {
		.size = sizeof(opts), .keep = keep, .ahead = ahead, .data = run
	};
	const struct values *values = run->script.config->values;
	/* What keep() prints stands between the samples. */
	bool is_alone = values->dump || values->show_rounds || run->script.has_counts;

	return recording_each_ordered(run->script.rec, &opts, is_alone, show, run);
}

/* --- the whole --- */

static int init(struct run *run, struct recording *rec, const struct config *config, int fd)
{
	struct script *script = &run->script;

	*run = (struct run){ .script = { .config = config, .rec = rec } };
	script->fields = config->values->fields;
	script->places = places_new();
	script->sources = sources_new();
	script->comms = comms_new();
	if (!script->places || !script->sources || !script->comms)
		return -ENOMEM;
	return sink_init(&script->out, fd);
}

static void fini(struct run *run)
{
	struct script *script = &run->script;

	apart_fini(script);
	for (int i = 0; i < script->nr_views; i++)
		free(script->views[i].name);
	free(script->views);
	free(script->missing);
	counts_free(script->counts);
	places_free(script->places);
	sources_free(script->sources);
	metrics_free(script->metrics);
	xp_disasm_free(script->disasm);
	free(script->branch_code);
	comms_free(script->comms);
	sink_fini(&script->out);
}

int run_script(struct recording *rec, const struct config *config, int fd)
{
	struct run run;
	int err = init(&run, rec, config, fd) ?: recording_load(rec, note, &run);

	rounds_print(stderr, "Warning: ", rec->data, &rec->cut_off);
	/* Streams have their features among the records. */
	if (!err && config->values->header) {
		header_print(stdout, rec->data, rec->path, config->values->full_header);
		err = fflush(stdout) ? -EIO : 0;
	}
	if (!err)
		err = prepare(&run.script, &rec->diag);
	bool is_prepared = !err;
	if (!err && config->values->per_event_dump)
		err = apart_open(&run.script, rec->path, &rec->diag);
	if (!err && config->values->json)
		json_start(&run.script);
	if (!err)
		err = walk(&run);
	/* What was read before the failure is shown. */
	int flushed = is_prepared ? sink_flush(&run.script.out) : 0;
	int apart = apart_close(&run.script, &rec->diag);
	missing_print(&run.script, stderr);
	if (config->values->only_check && !err)
		fprintf(stderr, "Misordered timestamps: %" PRIu64 "\n", run.misordered);
	if (run.script.out.err && run.script.out.err != -ENOMEM)
		xp_diag_set(&rec->diag, run.script.out.err, "standard output cannot be written: %s",
			    strerror(-run.script.out.err));
	err = err ? err : flushed ? flushed : apart;
	fini(&run);
	return err;
}
