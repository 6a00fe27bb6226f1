/* SPDX-License-Identifier: MIT */
/* A sample as text. Source of the layout: perf script, 6.1, measured. */
#include <errno.h>
#include <xperf/attr.h>
#include <xperf/data.h>
#include <xperf/timeline.h>
#include <xperf/traces.h>

#include "data-source.h"
#include "script.h"

enum { PERIOD_WIDTH = 10, WORD_WIDTH = 16, FLAGS_WIDTH = 24 };

void page_size_show(struct sink *out, uint64_t size)
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

static void show_trace(struct script *script, const struct view *view,
		       const struct xp_sample *sample)
{
	const char *text;

	if (!sample->raw || !script->rec->traces)
		return;
	if (xp_traces_text(script->rec->traces, view->event->attr.config, sample->id.cpu,
			   sample->raw, sample->raw_len, &text) < 0)
		return;
	sink_tabbed(&script->out, text);
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

/* Some events sample addresses of which a function or variable can be shown. */
static bool has_symbol(const struct xp_attr *attr)
{
	return attr->type == XP_TYPE_SOFTWARE &&
	       (attr->config == XP_SW_PAGE_FAULTS || attr->config == XP_SW_PAGE_FAULTS_MIN ||
		attr->config == XP_SW_PAGE_FAULTS_MAJ);
}

static int show_address(struct script *script, const struct view *view,
			const struct xp_sample *sample)
{
	struct where where = where_of(sample, sample->address);
	struct xp_map map = { .size = sizeof(map) };

	/* the kernel reads users' data */
	if (!xp_timeline_map_at(script->rec->timeline, where.pid, where.mode, where.ip,
				where.time_ns, &map))
		where.mode = where.mode == XP_MISC_USER ? XP_MISC_KERNEL : XP_MISC_USER;
	sink_hex(&script->out, sample->address, WORD_WIDTH, ' ');
	return has_symbol(&view->event->attr)
		       ? place_show(script, view->fields & ~(F_SRCLINE | F_INLINED), &where)
		       : 0;
}

static void show_weights(struct sink *out, uint64_t fields, const struct view *view,
			 const struct xp_sample *sample)
{
	bool parts = view->event->attr.sample_type & XP_SAMPLE_WEIGHT_STRUCT;

	if (fields & F_WEIGHT)
		sink_dec(out, parts ? (uint32_t)sample->weight : sample->weight, WORD_WIDTH, ' ');
	if (fields & F_INS_LAT)
		sink_dec(out, sample->weight >> 32 & 0xffff, WORD_WIDTH, ' ');
	if (fields & F_RETIRE_LAT)
		sink_dec(out, sample->weight >> 48, WORD_WIDTH, ' ');
}

static void show_group(struct script *script, uint64_t id)
{
	const char *path = cgroups_path(&script->rec->cgroups, id);

	sink_char(&script->out, ' ');
	sink_escaped(&script->out, path ? path : "unknown");
}

/* Where the data came from, in one column. Source of the layout: perf script, 6.1, measured. */
static void show_data_source(struct script *script, uint64_t source)
{
	static const char *const names[] = {
		[DATA_SOURCE_OP] = "|OP ",     [DATA_SOURCE_LEVEL] = "|LVL ",
		[DATA_SOURCE_SNOOP] = "|SNP ", [DATA_SOURCE_TLB] = "|TLB ",
		[DATA_SOURCE_LOCK] = "|LCK ",  [DATA_SOURCE_BLOCK] = "|BLK ",
	};
	enum { NR = sizeof(names) / sizeof(names[0]) };
	char text[NR * (DATA_SOURCE_MAX + 8)];
	int len = snprintf(text, sizeof(text), "%16llx ", (unsigned long long)source);

	for (int i = 0; i < NR; i++) {
		char part[DATA_SOURCE_MAX] = "";

		data_source_add(part, (enum data_source_part)i, source);
		len += snprintf(text + len, sizeof(text) - (size_t)len, "%s%s", names[i], part);
	}
	if (len > script->data_source_width)
		script->data_source_width = len;
	sink_padded(&script->out, text, -script->data_source_width);
}

/* --- what a BPF program has written --- */

enum { TITLE_WIDTH = 17 };

static void show_bytes(struct sink *out, const unsigned char *bytes, uint32_t at, uint32_t len)
{
	sink_padded(out, at ? "" : "BPF output:", TITLE_WIDTH);
	sink_char(out, ' ');
	sink_hex(out, at, 4, '0');
	sink_char(out, ':');
	sink_dump(out, bytes, at, len);
}

static void show_bpf_output(struct sink *out, const struct view *view,
			    const struct xp_sample *sample)
{
	const struct xp_attr *attr = &view->event->attr;

	if (attr->type != XP_TYPE_SOFTWARE || attr->config != XP_SW_BPF_OUTPUT || !sample->raw)
		return;
	sink_char(out, '\n');
	for (uint32_t at = 0; at < sample->raw_len; at += SINK_DUMP_BYTES)
		show_bytes(out, sample->raw, at, sample->raw_len);
}

/* --- the whole --- */

static int show_source(struct script *script, const struct xp_sample *sample)
{
	const struct where where = where_of(sample, sample->ip);

	return source_show(script, &where, sample->id.tid);
}

/* What stands before the place. */
static int show_before(struct script *script, const struct view *view,
		       const struct xp_sample *sample)
{
	struct sink *out = &script->out;
	uint64_t fields = view->fields;
	int err = 0;

	if (fields & F_PERIOD) {
		sink_dec(out, sample->period, PERIOD_WIDTH, ' ');
		sink_char(out, ' ');
	}
	if (fields & F_EVENT)
		sink_bytes(out, view->name, view->name_len);
	if (fields & F_FLAGS)
		sink_blanks(out, FLAGS_WIDTH);
	if (fields & F_TRACE)
		show_trace(script, view, sample);
	if (fields & F_ADDR)
		err = show_address(script, view, sample);
	if (fields & F_DATA_SRC)
		show_data_source(script, sample->data_source);
	show_weights(out, fields, view, sample);
	if (fields & F_CGROUP)
		show_group(script, sample->cgroup);
	return err;
}

static int show_behind(struct script *script, const struct view *view,
		       const struct xp_sample *sample)
{
	struct sink *out = &script->out;
	uint64_t fields = view->fields;
	int err = 0;

	if (fields & F_IREGS)
		regs_show(script, &sample->intr_regs);
	if (fields & F_UREGS)
		regs_show(script, &sample->user_regs);
	if (fields & (F_BRSTACK | F_BRSTACKSYM | F_BRSTACKOFF))
		err = branches_show(script, fields, sample);
	if (fields & F_BRCNTR)
		counters_show(script, view, sample);
	if (fields & F_BPF_OUTPUT)
		show_bpf_output(out, view, sample);
	if (fields & (F_INSN | F_INSN_LEN | F_DISASM) && !err)
		err = instruction_show(script, fields, sample);
	if (fields & F_BRANCH_CODE && !err)
		err = branch_code_show(script, fields, sample);
	if (fields & F_PHYS_ADDR)
		sink_hex(out, sample->phys_address, WORD_WIDTH, ' ');
	if (fields & F_DATA_PAGE_SIZE)
		page_size_show(out, sample->data_page_size);
	if (fields & F_CODE_PAGE_SIZE)
		page_size_show(out, sample->code_page_size);
	return err;
}

/* Fields that stand behind the place. */
#define BEHIND                                                                                     \
	(F_IREGS | F_UREGS | F_BRSTACK | F_BRSTACKSYM | F_BRSTACKOFF | F_BRCNTR | F_BPF_OUTPUT |   \
	 F_INSN | F_INSN_LEN | F_DISASM | F_BRANCH_CODE | F_PHYS_ADDR | F_DATA_PAGE_SIZE |         \
	 F_CODE_PAGE_SIZE)

static int show(struct script *script, const struct view *view, const struct xp_sample *sample)
{
	struct sink *out = &script->out;
	uint64_t fields = view->fields;

	if (fields & F_BRCNTR)
		counters_describe(script);
	show_start(script, fields, &sample->id, NULL, sample->record->misc, XP_RECORD_SAMPLE,
		   !(fields & F_IP && view->has_chain));
	int err = show_before(script, view, sample);
	if (fields & F_IP && !err)
		err = show_where(script, view, sample);
	if (fields & BEHIND && !err)
		err = show_behind(script, view, sample);
	sink_char(out, '\n');
	if (fields & F_SRCCODE && !err)
		err = show_source(script, sample);
	return err ? err : out->err;
}

/* Into the file of its event. */
static int show_apart(struct script *script, struct view *view, const struct xp_sample *sample)
{
	struct sink out = script->out;

	script->out = view->file;
	int err = show(script, view, sample);
	view->file = script->out;
	script->out = out;
	view->nr_samples++;
	return err;
}

static int show_one(struct recorded *recorded, void *data)
{
	struct script *script = data;
	struct view *view = &script->views[recorded->event];
	const struct values *values = script->config->values;

	if (script->metrics)
		metrics_note(script->metrics, recorded->event, &recorded->sample);
	if (values->json)
		return json_show(script, view, &recorded->sample);
	if (values->per_event_dump)
		return show_apart(script, view, &recorded->sample);
	return show(script, view, &recorded->sample);
}

/* Of a sample that is cut, what there is. */
int sample_show(struct script *script, const struct xp_record *record, uint64_t time_ns,
		uint64_t position)
{
	struct recorded recorded;
	int got = recording_decode(script->rec, record, time_ns, position, &recorded);

	int err = got > 0 ? recording_split(script->rec, &recorded, show_one, script) : got;
	return err || !script->metrics ? err : metrics_show(script);
}
