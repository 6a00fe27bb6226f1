/* SPDX-License-Identifier: MIT */
/*
 * Samples as JSON, a line each. What is there does not depend on -F: a sample's line has all that
 * was recorded of it. The names are told in xperf-script(1); a change of them is a new version.
 */
#include "json.h"

#include <errno.h>

#include "script.h"

enum { FORMAT_VERSION = 1 };

/* Bits of sample_type, perf_event_open(2). */
static void put_string(struct sink *out, const char *text)
{
	sink_char(out, '"');
	while (*text && sink_room(out, JSON_MAX))
		out->len += json_next(&text, out->buf + out->len);
	sink_char(out, '"');
}

/* @name with its quotes and colon, and the comma before. */
static void put_text(struct sink *out, const char *name, const char *text)
{
	sink_text(out, name);
	if (text)
		put_string(out, text);
	else
		sink_text(out, "null");
}

static void put_number(struct sink *out, const char *name, uint64_t value)
{
	sink_text(out, name);
	sink_dec(out, value, 0, ' ');
}

/* Numbers of JSON are doubles to many readers: addresses are text. */
static void put_address(struct sink *out, const char *name, uint64_t value)
{
	sink_text(out, name);
	sink_text(out, "\"0x");
	sink_hex(out, value, 0, ' ');
	sink_char(out, '"');
}

void json_start(struct script *script)
{
	struct sink *out = &script->out;

	put_number(out, "{\"format\":\"xperf-script\",\"version\":", FORMAT_VERSION);
	put_number(out, ",\"doubtful_samples\":", script->rec->nr_doubtful);
	sink_text(out, ",\"events\":[");
	for (int i = 0; i < script->nr_views; i++) {
		sink_text(out, i ? "," : "");
		put_string(out, script->views[i].plain_name);
	}
	sink_text(out, "]}\n");
}

/* --- places --- */

static const char *mode_name(uint16_t mode)
{
	static const char *const names[] = { "unknown",      "kernel",     "user",    "hypervisor",
					     "guest kernel", "guest user", "unknown", "unknown" };

	return names[mode & XP_MISC_CPUMODE_MASK];
}

static void put_frame(struct sink *out, const struct xp_frame *frame)
{
	const struct xp_function *function = &frame->function;

	put_address(out, "\"ip\":", frame->ip);
	if (function->name) {
		put_text(out, ",\"symbol\":", function->name);
		put_number(out, ",\"offset\":", frame->address - function->start);
	}
	if (frame->map.dso)
		put_text(out, ",\"dso\":", frame->map.dso->name);
}

static void put_line(struct sink *out, const struct xp_line *line)
{
	if (!line->file)
		return;
	put_text(out, ",\"file\":", line->file);
	put_number(out, ",\"line\":", line->line);
}

/* Where it is in the source, and which functions were inlined there, the innermost first. */
static int put_lines(struct sink *out, const struct xp_frame *frame, bool is_return)
{
	const struct xp_line *lines;
	int nr = xp_frame_lines(frame, is_return, &lines);

	if (nr <= 0)
		return nr;
	put_line(out, &lines[nr - 1]);
	for (int i = 0; i + 1 < nr; i++) {
		put_text(out, i ? ",{\"symbol\":" : ",\"inlined\":[{\"symbol\":", lines[i].name);
		put_line(out, &lines[i]);
		sink_char(out, '}');
	}
	if (nr > 1)
		sink_char(out, ']');
	return 0;
}

static int put_place(struct script *script, const struct where *where)
{
	struct xp_frame frame = { .size = sizeof(frame) };

	if (xp_resolver_frame(script->rec->resolver, where->pid, where->mode, where->ip, false,
			      where->time_ns, &frame))
		return -ENOMEM;
	put_frame(&script->out, &frame);
	put_text(&script->out, ",\"mode\":", mode_name(where->mode));
	return script->config->values->inlines ? put_lines(&script->out, &frame, where->is_return)
					       : 0;
}

static int put_entry(struct script *script, const struct view *view, const struct where *where)
{
	struct sink *out = &script->out;

	(void)view;
	sink_text(out, script->nr_entries++ ? ",{" : "{");
	int err = put_place(script, where);
	sink_char(out, '}');
	return err;
}

static int put_branches(struct script *script, const struct xp_sample *sample)
{
	enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8, CYCLES_AT = 4 };
	struct sink *out = &script->out;

	sink_text(out, ",\"branches\":[");
	for (size_t i = 0; i < sample->nr_branches; i++) {
		const struct xp_branch *branch = &sample->branches[i];
		struct xp_frame from, to;

		if (branch_frame(script, sample, branch->from, &from) ||
		    branch_frame(script, sample, branch->to, &to))
			return -ENOMEM;
		sink_text(out, i ? ",{\"from\":{" : "{\"from\":{");
		put_frame(out, &from);
		sink_text(out, "},\"to\":{");
		put_frame(out, &to);
		put_number(out, "},\"cycles\":", branch->flags >> CYCLES_AT & 0xffff);
		sink_text(out, branch->flags & MISPREDICTED ? ",\"mispredicted\":true"
			       : branch->flags & PREDICTED  ? ",\"mispredicted\":false"
							    : "");
		sink_text(out, branch->flags & IN_TX ? ",\"in_tx\":true" : "");
		sink_text(out, branch->flags & ABORT ? ",\"abort\":true" : "");
		if (*branch_type(branch->flags))
			put_text(out, ",\"type\":", branch_type(branch->flags));
		sink_char(out, '}');
	}
	sink_char(out, ']');
	return 0;
}

/* --- what is no sample --- */

void json_count(struct script *script, const char *event, int32_t cpu, int32_t thread,
		const uint64_t values[4])
{
	static const char *const names[] = { ",\"value\":", ",\"enabled_ns\":", ",\"running_ns\":",
					     ",\"time_ns\":" };
	struct sink *out = &script->out;

	put_text(out, "{\"count\":", event);
	sink_text(out, ",\"cpu\":");
	sink_int(out, cpu, 0);
	sink_text(out, ",\"thread\":");
	sink_int(out, thread, 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		put_number(out, names[i], values[i]);
	sink_text(out, "}\n");
}

void json_record(struct script *script, const char *name, const struct xp_sample_id *id,
		 const char *text)
{
	struct sink *out = &script->out;

	put_text(out, "{\"record\":", name);
	sink_text(out, ",\"pid\":");
	sink_int(out, id->pid, 0);
	sink_text(out, ",\"tid\":");
	sink_int(out, id->tid, 0);
	if (id->time_ns != XP_NO_TIME)
		put_number(out, ",\"time_ns\":", id->time_ns);
	put_text(out, ",\"text\":", text);
	sink_text(out, "}\n");
}

/* --- what else there is --- */

static void put_regs(struct script *script, const char *name, const struct xp_regs *regs)
{
	struct sink *out = &script->out;
	char buf[8];
	int nr = 0;

	if (!regs->values)
		return;
	put_number(out, name, regs->abi);
	for (uint64_t mask = regs->mask; mask && nr < regs->nr; mask &= mask - 1, nr++) {
		sink_char(out, ',');
		put_string(out, reg_name(script->machine, __builtin_ctzll(mask), buf, sizeof(buf)));
		put_address(out, ":", regs->values[nr]);
	}
	sink_char(out, '}');
}

static void put_trace(struct script *script, const struct view *view,
		      const struct xp_sample *sample)
{
	const char *text;

	if (!sample->raw || !script->rec->traces || kind_of(&view->event->attr) != KIND_TRACEPOINT)
		return;
	if (xp_traces_text(script->rec->traces, view->event->attr.config, sample->id.cpu,
			   sample->raw, sample->raw_len, &text) >= 0)
		put_text(&script->out, ",\"trace\":", text);
}

static void put_memory(struct script *script, uint64_t type, const struct xp_sample *sample)
{
	struct sink *out = &script->out;

	if (type & XP_SAMPLE_ADDR)
		put_address(out, ",\"addr\":", sample->address);
	if (type & XP_SAMPLE_PHYS_ADDR)
		put_address(out, ",\"phys_addr\":", sample->phys_address);
	if (type & XP_SAMPLE_DATA_SRC)
		put_address(out, ",\"data_src\":", sample->data_source);
	if (type & XP_SAMPLE_WEIGHT)
		put_number(out, ",\"weight\":", sample->weight);
	if (type & XP_SAMPLE_WEIGHT_STRUCT) {
		put_number(out, ",\"weight\":", (uint32_t)sample->weight);
		put_number(out, ",\"ins_lat\":", sample->weight >> 32 & 0xffff);
		put_number(out, ",\"retire_lat\":", sample->weight >> 48);
	}
	if (type & XP_SAMPLE_TRANSACTION)
		put_address(out, ",\"transaction\":", sample->transaction);
	if (type & XP_SAMPLE_DATA_PAGE_SIZE)
		put_number(out, ",\"data_page_size\":", sample->data_page_size);
	if (type & XP_SAMPLE_CODE_PAGE_SIZE)
		put_number(out, ",\"code_page_size\":", sample->code_page_size);
	if (type & XP_SAMPLE_CGROUP)
		put_text(out, ",\"cgroup\":", cgroups_path(&script->rec->cgroups, sample->cgroup));
}

static void put_who(struct script *script, uint64_t type, const struct xp_sample_id *id)
{
	struct sink *out = &script->out;

	if (type & XP_SAMPLE_TID) {
		put_text(out, ",\"comm\":",
			 xp_timeline_comm_at(script->rec->timeline, id->pid, id->tid, id->time_ns));
		sink_text(out, ",\"pid\":");
		sink_int(out, id->pid, 0);
		sink_text(out, ",\"tid\":");
		sink_int(out, id->tid, 0);
	}
	if (type & XP_SAMPLE_CPU) {
		sink_text(out, ",\"cpu\":");
		sink_int(out, id->cpu, 0);
	}
	if (type & XP_SAMPLE_TIME)
		put_number(out, ",\"time_ns\":", script->now);
}

int json_show(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	const uint64_t type = view->event->attr.sample_type;
	const struct where where = { sample->ip, sample->id.time_ns, sample->id.pid,
				     sample->record->misc & XP_MISC_CPUMODE_MASK };
	struct sink *out = &script->out;
	int err = 0;

	put_text(out, "{\"event\":", view->plain_name);
	put_who(script, type, &sample->id);
	put_number(out, ",\"period\":", sample->period);
	put_trace(script, view, sample);
	put_memory(script, type, sample);
	if (type & XP_SAMPLE_IP) {
		sink_char(out, ',');
		err = put_place(script, &where);
	}
	if (view->has_chain && !err) {
		script->nr_entries = 0;
		sink_text(out, ",\"callchain\":[");
		err = chain_each(script, view, sample, put_entry);
		sink_char(out, ']');
	}
	if (sample->branches && !err)
		err = put_branches(script, sample);
	put_regs(script, ",\"user_regs\":{\"abi\":", &sample->user_regs);
	put_regs(script, ",\"intr_regs\":{\"abi\":", &sample->intr_regs);
	sink_text(out, "}\n");
	return err ? err : out->err;
}
