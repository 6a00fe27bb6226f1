/* SPDX-License-Identifier: MIT */
/*
 * Samples as JSON, a line each. What is there does not depend on -F: a sample's line has all that
 * was recorded of it. The names are in xperf-script(1); a change of them is a new version.
 */
#include "json-numbers.h"

#include <errno.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/resolve.h>
#include <xperf/symtab.h>
#include <xperf/traces.h>

#include "script.h"

enum { FORMAT_VERSION = 1 };

static void end_line(struct json *json)
{
	json_end(json);
	sink_char(json->out, '\n');
}

void json_start(struct script *script)
{
	struct json *json = &script->json;

	json_init(json, &script->out, ":");
	json_object(json, NULL, &json_compact);
	json_string(json, "format", "xperf-script");
	json_uint(json, "version", FORMAT_VERSION);
	json_uint(json, "doubtful_samples", script->rec->cut_off.nr_doubtful);
	json_array(json, "events", &json_compact);
	for (int i = 0; i < script->nr_views; i++)
		json_string(json, NULL, script->views[i].plain_name);
	json_end(json);
	end_line(json);
}

/* --- places --- */

static const char *mode_name(uint16_t mode)
{
	static const char *const names[] = { "unknown",      "kernel",     "user",    "hypervisor",
					     "guest kernel", "guest user", "unknown", "unknown" };

	return names[mode & XP_MISC_CPUMODE_MASK];
}

static void put_frame(struct json *json, const struct xp_frame *frame)
{
	const struct xp_function *function = &frame->function;

	json_hex(json, "ip", frame->ip);
	if (function->name) {
		json_string(json, "symbol", function->name);
		json_uint(json, "offset", frame->address - function->start);
	}
	if (frame->map.dso)
		json_string(json, "dso", frame->map.dso->name);
}

static void put_line(struct json *json, const struct xp_line *line)
{
	if (!line->file)
		return;
	json_string(json, "file", line->file);
	json_uint(json, "line", line->line);
}

/* Where it is in the source, and which functions were inlined there, the innermost first. */
static int put_lines(struct json *json, const struct xp_frame *frame, bool is_return)
{
	const struct xp_line *lines;
	int nr = xp_frame_lines(frame, is_return, &lines);

	if (nr <= 0)
		return nr;
	put_line(json, &lines[nr - 1]);
	if (nr == 1)
		return 0;
	json_array(json, "inlined", &json_compact);
	for (int i = 0; i + 1 < nr; i++) {
		json_object(json, NULL, &json_compact);
		json_string(json, "symbol", lines[i].name);
		put_line(json, &lines[i]);
		json_end(json);
	}
	json_end(json);
	return 0;
}

static int put_place(struct script *script, const struct view *view, const struct where *where)
{
	struct xp_frame frame = { .size = sizeof(frame) };

	if (xp_resolver_frame(script->rec->resolver, where->pid, where->mode, where->ip, false,
			      where->time_ns, &frame))
		return -ENOMEM;
	put_frame(&script->json, &frame);
	json_string(&script->json, "mode", mode_name(where->mode));
	return view->fields & F_INLINED ? put_lines(&script->json, &frame, where->is_return) : 0;
}

static int put_entry(struct script *script, const struct view *view, const struct where *where)
{
	struct json *json = &script->json;

	json_object(json, NULL, &json_compact);
	int err = put_place(script, view, where);
	if (where->is_joined)
		json_bool(json, "joined", true);
	json_end(json);
	return err;
}

/* Of the events of the group that have a counter, in their order. */
static void put_counters(struct script *script, const struct view *view, uint64_t word)
{
	int nr = counters_nr(script, view);

	json_array(&script->json, "counters", &json_compact);
	for (int i = 0; i < nr; i++)
		json_uint(&script->json, NULL, counter_of(script, word, i));
	json_end(&script->json);
}

static int put_branches(struct script *script, const struct view *view,
			const struct xp_sample *sample)
{
	enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8, CYCLES_AT = 4 };
	struct json *json = &script->json;

	json_array(json, "branches", &json_compact);
	for (size_t i = 0; i < sample->nr_branches; i++) {
		const struct xp_branch *branch = &sample->branches[i];
		struct xp_frame from, to;

		if (branch_frame(script, sample, branch->from, &from) ||
		    branch_frame(script, sample, branch->to, &to))
			return -ENOMEM;
		json_object(json, NULL, &json_compact);
		json_object(json, "from", &json_compact);
		put_frame(json, &from);
		json_end(json);
		json_object(json, "to", &json_compact);
		put_frame(json, &to);
		json_end(json);
		json_uint(json, "cycles", branch->flags >> CYCLES_AT & 0xffff);
		if (branch->flags & (MISPREDICTED | PREDICTED))
			json_bool(json, "mispredicted", branch->flags & MISPREDICTED);
		if (branch->flags & IN_TX)
			json_bool(json, "in_tx", true);
		if (branch->flags & ABORT)
			json_bool(json, "abort", true);
		if (*branch_type(branch->flags))
			json_string(json, "type", branch_type(branch->flags));
		if (sample->branch_counters && script->counter_width)
			put_counters(script, view, sample->branch_counters[i]);
		json_end(json);
	}
	json_end(json);
	return 0;
}

/* --- what is no sample --- */

void json_count(struct script *script, const char *event, int32_t cpu, int32_t thread,
		const uint64_t values[4])
{
	static const char *const names[] = { "value", "enabled_ns", "running_ns", "time_ns" };
	struct json *json = &script->json;

	json_object(json, NULL, &json_compact);
	json_string(json, "count", event);
	json_int(json, "cpu", cpu);
	json_int(json, "thread", thread);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		json_uint(json, names[i], values[i]);
	end_line(json);
}

void json_record(struct script *script, const char *name, const struct xp_sample_id *id,
		 const char *text)
{
	struct json *json = &script->json;

	json_object(json, NULL, &json_compact);
	json_string(json, "record", name);
	json_int(json, "pid", id->pid);
	json_int(json, "tid", id->tid);
	if (id->time_ns != XP_NO_TIME)
		json_uint(json, "time_ns", id->time_ns);
	json_string(json, "text", text);
	end_line(json);
}

/* --- what else there is --- */

static void put_regs(struct script *script, const char *name, const struct xp_regs *regs)
{
	struct json *json = &script->json;
	char buf[8];
	int nr = 0;

	if (!regs->values)
		return;
	json_object(json, name, &json_compact);
	json_uint(json, "abi", regs->abi);
	for (uint64_t mask = regs->mask; mask && nr < regs->nr; mask &= mask - 1, nr++) {
		const char *reg =
			reg_name(script->machine, __builtin_ctzll(mask), buf, sizeof(buf));

		json_hex(json, reg, regs->values[nr]);
	}
	json_end(json);
}

static void put_trace(struct script *script, const struct view *view,
		      const struct xp_sample *sample)
{
	const char *text;

	if (!sample->raw || !script->rec->traces || kind_of(&view->event->attr) != KIND_TRACEPOINT)
		return;
	if (xp_traces_text(script->rec->traces, view->event->attr.config, sample->id.cpu,
			   sample->raw, sample->raw_len, &text) >= 0)
		json_string(&script->json, "trace", text);
}

static void put_memory(struct script *script, uint64_t type, const struct xp_sample *sample)
{
	struct json *json = &script->json;

	if (type & XP_SAMPLE_ADDR)
		json_hex(json, "addr", sample->address);
	if (type & XP_SAMPLE_PHYS_ADDR)
		json_hex(json, "phys_addr", sample->phys_address);
	if (type & XP_SAMPLE_DATA_SRC)
		json_hex(json, "data_src", sample->data_source);
	if (type & XP_SAMPLE_WEIGHT)
		json_uint(json, "weight", sample->weight);
	if (type & XP_SAMPLE_WEIGHT_STRUCT) {
		json_uint(json, "weight", (uint32_t)sample->weight);
		json_uint(json, "ins_lat", sample->weight >> 32 & 0xffff);
		json_uint(json, "retire_lat", sample->weight >> 48);
	}
	if (type & XP_SAMPLE_TRANSACTION)
		json_hex(json, "transaction", sample->transaction);
	if (type & XP_SAMPLE_DATA_PAGE_SIZE)
		json_uint(json, "data_page_size", sample->data_page_size);
	if (type & XP_SAMPLE_CODE_PAGE_SIZE)
		json_uint(json, "code_page_size", sample->code_page_size);
	if (type & XP_SAMPLE_CGROUP)
		json_string(json, "cgroup", cgroups_path(&script->rec->cgroups, sample->cgroup));
}

static void put_who(struct script *script, uint64_t type, const struct xp_sample_id *id)
{
	struct json *json = &script->json;

	if (type & XP_SAMPLE_TID) {
		json_string(
			json, "comm",
			xp_timeline_comm_at(script->rec->timeline, id->pid, id->tid, id->time_ns));
		json_int(json, "pid", id->pid);
		json_int(json, "tid", id->tid);
	}
	if (type & XP_SAMPLE_CPU) {
		json_int(json, "cpu", id->cpu);
	}
	if (type & XP_SAMPLE_TIME)
		json_uint(json, "time_ns", script->now);
}

int json_show(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	const uint64_t type = view->event->attr.sample_type;
	const struct where where = { sample->ip, sample->id.time_ns, sample->id.pid,
				     sample->record->misc & XP_MISC_CPUMODE_MASK };
	struct json *json = &script->json;
	int err = 0;

	json_object(json, NULL, &json_compact);
	json_string(json, "event", view->plain_name);
	put_who(script, type, &sample->id);
	json_uint(json, "period", sample->period);
	put_trace(script, view, sample);
	put_memory(script, type, sample);
	if (type & XP_SAMPLE_IP)
		err = put_place(script, view, &where);
	if (view->has_chain && !err) {
		json_array(json, "callchain", &json_compact);
		err = chain_each(script, view, sample, put_entry);
		json_end(json);
	}
	if (sample->branches && !err)
		err = put_branches(script, view, sample);
	put_regs(script, "user_regs", &sample->user_regs);
	put_regs(script, "intr_regs", &sample->intr_regs);
	end_line(json);
	return err ? err : json->out->err;
}
