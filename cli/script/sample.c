/* SPDX-License-Identifier: MIT */
/* A sample as text. Source of the layout: perf script, 6.1, measured. */
#include <errno.h>
#include <stdio.h>

#include "readings.h"
#include "script.h"

enum { COMM_WIDTH = 16, ID_WIDTH = 5, PERIOD_WIDTH = 10, WORD_WIDTH = 16, MISC_WIDTH = 6 };
enum { S_READ = 1 << 4, S_PERIOD = 1 << 8, S_WEIGHT_STRUCT = 1 << 24 };
enum { NS_PER_S = 1000000000 };

/* --- the start of a line --- */

/* A name as it is printed, kept for the next sample. */
static const struct sink *comm_text(struct script *script, const char *comm)
{
	struct sink *text = &script->comm_text;

	if (script->comm != comm) {
		text->len = 0;
		sink_escaped(text, comm);
		script->comm = comm;
	}
	return text;
}

static void show_comm(struct script *script, int32_t pid, int32_t tid, uint64_t time_ns,
		      bool padded)
{
	const char *comm = xp_timeline_comm_at(script->timeline, pid, tid, time_ns);
	const struct sink *text = comm_text(script, comm);

	if (padded && text->len < COMM_WIDTH)
		sink_blanks(&script->out, COMM_WIDTH - (int)text->len);
	sink_bytes(&script->out, text->buf, text->len);
	sink_char(&script->out, ' ');
}

static void show_ids(struct sink *out, uint32_t fields, int32_t pid, int32_t tid)
{
	if (fields & F_PID && fields & F_TID) {
		sink_int(out, pid, ID_WIDTH);
		sink_char(out, '/');
		sink_int(out, tid, -ID_WIDTH);
		sink_char(out, ' ');
	} else if (fields & (F_PID | F_TID)) {
		sink_int(out, fields & F_PID ? pid : tid, ID_WIDTH);
		sink_char(out, ' ');
	}
}

/* Processor mode; and bits of the record, as letters. */
static void show_misc(struct sink *out, uint16_t misc, uint32_t type)
{
	static const char *const modes[] = { "", "K", "U", "KUH", "G", "Kg", "", "" };
	char text[MISC_WIDTH + 1];
	const char *more = "";

	if ((type == XP_RECORD_MMAP || type == XP_RECORD_MMAP2) && misc & XP_MISC_MMAP_DATA)
		more = "M";
	else if (type == XP_RECORD_COMM && misc & XP_MISC_COMM_EXEC)
		more = "E";
	else if (type == XP_RECORD_SWITCH || type == XP_RECORD_SWITCH_CPU_WIDE)
		more = misc & XP_MISC_SWITCH_OUT_PREEMPT ? "Sp"
		       : misc & XP_MISC_SWITCH_OUT       ? "S"
							 : "";
	snprintf(text, sizeof(text), "%s%s", modes[misc & XP_MISC_CPUMODE_MASK], more);
	sink_padded(out, text, -MISC_WIDTH);
}

static void show_time(struct script *script, uint64_t time_ns)
{
	struct sink *out = &script->out;
	bool ns = script->config->values->ns;

	if (time_ns == XP_NO_TIME)
		time_ns = 0;
	sink_dec(out, time_ns / NS_PER_S, ID_WIDTH, ' ');
	sink_char(out, '.');
	if (ns)
		sink_dec(out, time_ns % NS_PER_S, 9, '0');
	else
		sink_dec(out, time_ns % NS_PER_S / 1000, 6, '0');
	sink_bytes(out, ": ", 2);
}

void show_start(struct script *script, uint32_t fields, const struct xp_sample_id *id, int32_t pid,
		int32_t tid, uint16_t misc, uint32_t type, bool padded)
{
	struct sink *out = &script->out;

	if (fields & F_COMM)
		show_comm(script, pid, tid, id->time_ns, padded);
	show_ids(out, fields, id->pid, id->tid);
	if (fields & F_CPU) {
		sink_char(out, '[');
		sink_dec(out, id->cpu < 0 ? UINT32_MAX : (uint64_t)id->cpu, 3, '0');
		sink_bytes(out, "] ", 2);
	}
	if (fields & F_MISC)
		show_misc(out, misc, type);
	if (fields & F_TIME)
		show_time(script, id->time_ns);
}

/* --- what else a sample has --- */

static void show_page_size(struct sink *out, uint64_t size)
{
	static const char units[] = "\0KMGTPE";
	int unit = 0;

	sink_char(out, ' ');
	if (!size) {
		sink_text(out, "N/A");
		return;
	}
	while (size % 1024 == 0 && units[unit + 1]) {
		size /= 1024;
		unit++;
	}
	sink_dec(out, size, 0, ' ');
	if (unit)
		sink_char(out, units[unit]);
}

static void show_branches(struct sink *out, const struct xp_sample *sample)
{
	enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8 };

	for (size_t i = 0; i < sample->nr_branches; i++) {
		const struct xp_branch *branch = &sample->branches[i];
		uint64_t flags = branch->flags;

		sink_text(out, " 0x");
		sink_hex(out, branch->from, 0, ' ');
		sink_text(out, "/0x");
		sink_hex(out, branch->to, 0, ' ');
		sink_char(out, '/');
		sink_char(out, flags & MISPREDICTED ? 'M' : flags & PREDICTED ? 'P' : '-');
		sink_text(out, flags & IN_TX ? "/X" : "/-");
		sink_text(out, flags & ABORT ? "/A/" : "/-/");
		sink_dec(out, flags >> 4 & 0xffff, 0, ' ');
		sink_text(out, "/ ");
	}
}

static void show_trace(struct script *script, const struct view *view,
		       const struct xp_sample *sample)
{
	const char *text;

	if (!sample->raw || !script->traces)
		return;
	if (xp_traces_text(script->traces, view->event->attr.config, sample->id.cpu, sample->raw,
			   sample->raw_len, &text) < 0)
		return;
	sink_escaped(&script->out, text);
}

/* Where a sample was; @address: where its data were. */
static struct where where_of(const struct xp_sample *sample, uint64_t address)
{
	return (struct where){ address, sample->id.time_ns, sample->id.pid,
			       sample->record->misc & XP_MISC_CPUMODE_MASK };
}

static int show_where(struct script *script, const struct view *view,
		      const struct xp_sample *sample)
{
	const struct where where = where_of(sample, sample->ip);

	if (view->has_chain) {
		sink_char(&script->out, '\n');
		return chain_show(script, view, sample);
	}
	sink_char(&script->out, ' ');
	return frame_show(script, view->fields, &where);
}

/* Some events sample addresses of which a function or variable can be told. */
static bool has_symbol(const struct xp_attr *attr)
{
	enum { SOFTWARE = 1, PAGE_FAULTS = 2, MINOR_FAULTS = 5, MAJOR_FAULTS = 6 };

	return attr->type == SOFTWARE &&
	       (attr->config == PAGE_FAULTS || attr->config == MINOR_FAULTS ||
		attr->config == MAJOR_FAULTS);
}

static int show_address(struct script *script, const struct view *view,
			const struct xp_sample *sample)
{
	const struct where where = where_of(sample, sample->address);

	sink_hex(&script->out, sample->address, WORD_WIDTH, ' ');
	return has_symbol(&view->event->attr) ? symbol_show(script, view->fields, &where) : 0;
}

static void show_weights(struct sink *out, uint32_t fields, const struct view *view,
			 const struct xp_sample *sample)
{
	bool parts = view->event->attr.sample_type & S_WEIGHT_STRUCT;

	if (fields & F_WEIGHT)
		sink_dec(out, parts ? (uint32_t)sample->weight : sample->weight, WORD_WIDTH, ' ');
	if (fields & F_INS_LAT)
		sink_dec(out, sample->weight >> 32 & 0xffff, WORD_WIDTH, ' ');
	if (fields & F_RETIRE_LAT)
		sink_dec(out, sample->weight >> 48, WORD_WIDTH, ' ');
}

static int show(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	struct sink *out = &script->out;
	uint32_t fields = view->fields;
	int err = 0;

	show_start(script, fields, &sample->id, sample->id.pid, sample->id.tid,
		   sample->record->misc, XP_RECORD_SAMPLE, !(fields & F_IP && view->has_chain));
	if (fields & F_PERIOD) {
		sink_dec(out, sample->period, PERIOD_WIDTH, ' ');
		sink_char(out, ' ');
	}
	if (fields & F_EVENT)
		sink_bytes(out, view->name, view->name_len);
	if (fields & F_TRACE)
		show_trace(script, view, sample);
	if (fields & F_ADDR)
		err = show_address(script, view, sample);
	show_weights(out, fields, view, sample);
	if (fields & F_IP && !err)
		err = show_where(script, view, sample);
	if (fields & F_BRSTACK)
		show_branches(out, sample);
	if (fields & F_PHYS_ADDR)
		sink_hex(out, sample->phys_address, WORD_WIDTH, ' ');
	if (fields & F_DATA_PAGE_SIZE)
		show_page_size(out, sample->data_page_size);
	if (fields & F_CODE_PAGE_SIZE)
		show_page_size(out, sample->code_page_size);
	sink_char(out, '\n');
	return err ? err : out->err;
}

/* --- which are shown --- */

static bool is_in_time(const struct script *script, uint64_t time_ns)
{
	for (int i = 0; i < script->nr_ranges; i++)
		if (time_ns >= script->ranges[i].first_ns && time_ns <= script->ranges[i].last_ns)
			return true;
	return !script->nr_ranges;
}

static bool is_wanted(const struct script *script, const struct xp_sample_id *id)
{
	const struct config *config = script->config;

	return is_in_time(script, id->time_ns) &&
	       (!config->cpus || xp_cpus_find(config->cpus, (struct xp_cpu){ id->cpu }) >= 0) &&
	       list_allows_number(&config->pids, id->pid) &&
	       list_allows_number(&config->tids, id->tid) &&
	       (!config->comms.nr ||
		list_allows(&config->comms,
			    xp_timeline_comm_at(script->timeline, id->pid, id->tid, id->time_ns)));
}

/* True if it is in one of the files, and functions, the user wants to see. Returns -ENOMEM, too. */
static int is_wanted_place(struct script *script, const struct xp_sample *sample)
{
	const struct config *config = script->config;
	struct xp_frame frame;

	if (!config->dsos.nr && !config->symbols.nr)
		return true;
	int err = xp_resolver_frame(script->resolver, sample->id.pid,
				    sample->record->misc & XP_MISC_CPUMODE_MASK, sample->ip, false,
				    sample->id.time_ns, &frame);
	if (err)
		return err;
	const struct xp_dso *dso = frame.map.dso;
	if (config->dsos.nr && (!dso || (!list_allows(&config->dsos, dso->short_name) &&
					 !list_allows(&config->dsos, dso->name))))
		return false;
	return !config->symbols.nr ||
	       (frame.function.name && list_allows(&config->symbols, frame.function.name));
}

static int show_one(int event, const struct xp_sample *sample, void *data)
{
	struct script *script = data;
	int wanted = is_wanted_place(script, sample);

	return wanted > 0 ? show(script, &script->views[event], sample) : wanted;
}

int sample_show(struct script *script, const struct xp_record *record)
{
	int idx = xp_data_event_of(script->data, record);
	const struct view *view = idx >= 0 && idx < script->nr_views ? &script->views[idx] : NULL;
	struct xp_sample sample;

	if (!view)
		return 0;
	/* of one that is cut, what there is */
	xp_sample_decode(record, &view->event->attr, &sample);
	if (!is_wanted(script, &sample.id))
		return 0;
	if (!(view->event->attr.sample_type & S_PERIOD))
		sample.period = view->event->attr.sample_period;
	if (!script->readings)
		script->readings = readings_new(script->data);
	return script->readings ? readings_each(script->readings, idx, &sample, show_one, script)
				: -ENOMEM;
}
