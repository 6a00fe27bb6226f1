/* SPDX-License-Identifier: MIT */
/*
 * Records that are no samples, for --show-*-events. Source of the layout: perf script, 6.1,
 * measured.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <xperf/data.h>
#include <xperf/timeline.h>

#include "script.h"

/* --- bodies, behind the name of the record --- */

static void show_task(struct sink *out, const struct xp_record *record)
{
	const struct xp_record_task *task = (const void *)record;

	sink_char(out, '(');
	sink_int(out, (int)task->pid, 0);
	sink_char(out, ':');
	sink_int(out, (int)task->tid, 0);
	sink_text(out, "):(");
	sink_int(out, (int)task->parent_pid, 0);
	sink_char(out, ':');
	sink_int(out, (int)task->parent_tid, 0);
	sink_text(out, ")\n");
}

static void show_who(struct sink *out, uint32_t pid, uint32_t tid)
{
	sink_int(out, (int)pid, 0);
	sink_char(out, '/');
	sink_int(out, (int)tid, 0);
}

static void show_comm(struct sink *out, const struct xp_record *record)
{
	const struct xp_record_comm *comm = (const void *)record;

	sink_text(out, record->misc & XP_MISC_COMM_EXEC ? " exec: " : ": ");
	sink_escaped(out, (const char *)(comm + 1));
	sink_char(out, ':');
	show_who(out, comm->pid, comm->tid);
	sink_char(out, '\n');
}

static void show_number(struct sink *out, const char *before, uint64_t value, bool hex)
{
	sink_text(out, before);
	if (!hex || !value) {
		sink_dec(out, value, 0, ' ');
		return;
	}
	sink_text(out, "0x");
	sink_hex(out, value, 0, ' ');
}

/* " 1/2: [0x1000(0x1000) @ 0": begins both kinds of maps. */
static void show_map_start(struct sink *out, const struct xp_record_mmap *map)
{
	sink_char(out, ' ');
	show_who(out, map->pid, map->tid);
	show_number(out, ": [", map->address, true);
	show_number(out, "(", map->len, true);
	show_number(out, ") @ ", map->offset, true);
}

static void show_mmap(struct sink *out, const struct xp_record *record)
{
	const struct xp_record_mmap *map = (const void *)record;

	show_map_start(out, map);
	sink_text(out, record->misc & XP_MISC_MMAP_DATA ? "]: r " : "]: x ");
	sink_escaped(out, (const char *)(map + 1));
	sink_char(out, '\n');
}

static void show_inode(struct sink *out, const struct xp_record_mmap2 *map)
{
	sink_char(out, ' ');
	sink_hex(out, map->major, 2, '0');
	sink_char(out, ':');
	sink_hex(out, map->minor, 2, '0');
	show_number(out, " ", map->inode, false);
	show_number(out, " ", map->inode_generation, false);
}

static void show_build_id(struct sink *out, const struct xp_record_mmap2 *map)
{
	sink_text(out, " <");
	for (size_t i = 0; i < map->build_id_size && i < sizeof(map->build_id); i++)
		sink_hex(out, map->build_id[i], 2, '0');
	sink_char(out, '>');
}

static void show_mmap2(struct sink *out, const struct xp_record *record)
{
	enum { READ = 1, WRITE = 2, EXEC = 4, SHARED = 1 };
	const struct xp_record_mmap2 *map = (const void *)record;

	show_map_start(out, (const void *)map);
	if (record->misc & XP_MISC_MMAP_BUILD_ID)
		show_build_id(out, map);
	else
		show_inode(out, map);
	sink_text(out, "]: ");
	sink_char(out, map->prot & READ ? 'r' : '-');
	sink_char(out, map->prot & WRITE ? 'w' : '-');
	sink_char(out, map->prot & EXEC ? 'x' : '-');
	sink_char(out, map->flags & SHARED ? 's' : 'p');
	sink_char(out, ' ');
	sink_escaped(out, (const char *)(map + 1));
	sink_char(out, '\n');
}

static void show_lost(struct sink *out, const struct xp_record *record)
{
	const struct xp_record_lost *lost = (const void *)record;

	show_number(out, " lost ", lost->lost, false);
	sink_char(out, '\n');
}

static void show_lost_samples(struct sink *out, const struct xp_record *record)
{
	const struct xp_record_lost_samples *lost = (const void *)record;

	show_number(out, " lost ", lost->lost, false);
	sink_char(out, '\n');
}

static const char *switched(const struct xp_record *record)
{
	if (!(record->misc & XP_MISC_SWITCH_OUT))
		return " IN         ";
	return record->misc & XP_MISC_SWITCH_OUT_PREEMPT ? " OUT preempt" : " OUT        ";
}

static void show_switch(struct sink *out, const struct xp_record *record)
{
	sink_text(out, switched(record));
	sink_char(out, '\n');
}

static void show_switch_cpu_wide(struct sink *out, const struct xp_record *record)
{
	const uint32_t *ids = (const uint32_t *)(record + 1);

	sink_text(out, switched(record));
	sink_text(out, record->misc & XP_MISC_SWITCH_OUT ? "  next pid/tid: " : "  prev pid/tid: ");
	sink_int(out, (int)ids[0], 5);
	sink_char(out, '/');
	sink_int(out, (int)ids[1], -5);
	sink_char(out, '\n');
}

static void show_namespaces(struct sink *out, const struct xp_record *record)
{
	static const char *const names[] = { "net", "uts", "ipc", "pid", "user", "mnt", "cgroup" };
	const struct xp_record_namespaces *all = (const void *)record;
	const struct xp_namespace *at = (const void *)(all + 1);
	uint64_t room = (record->size - sizeof(*all)) / sizeof(*at);
	uint64_t nr = all->nr < room ? all->nr : room;

	sink_char(out, ' ');
	show_who(out, all->pid, all->tid);
	show_number(out, " - nr_namespaces: ", nr, false);
	sink_text(out, "\n\t\t[");
	for (uint64_t i = 0; i < nr; i++) {
		show_number(out, i && i % 4 == 0 ? "\n\t\t " : "", i, false);
		sink_char(out, '/');
		sink_text(out, i < sizeof(names) / sizeof(names[0]) ? names[i] : "?");
		show_number(out, ": ", at[i].device, false);
		show_number(out, "/", at[i].inode, true);
		sink_text(out, i + 1 < nr ? ", " : "]\n");
	}
}

static void show_ksymbol(struct sink *out, const struct xp_record *record)
{
	const struct xp_record_ksymbol *symbol = (const void *)record;

	sink_text(out, " addr ");
	sink_hex(out, symbol->address, 0, ' ');
	show_number(out, " len ", symbol->len, false);
	show_number(out, " type ", symbol->kind, false);
	sink_text(out, " flags 0x");
	sink_hex(out, symbol->flags, 0, ' ');
	sink_text(out, " name ");
	sink_escaped(out, (const char *)(symbol + 1));
	sink_char(out, '\n');
}

static void show_bpf_event(struct sink *out, const struct xp_record *record)
{
	const struct {
		struct xp_record header;
		uint16_t type, flags;
		uint32_t id;
	} *event = (const void *)record;

	show_number(out, " type ", event->type, false);
	show_number(out, ", flags ", event->flags, false);
	show_number(out, ", id ", event->id, false);
	sink_char(out, '\n');
}

static void show_cgroup(struct sink *out, const struct xp_record *record)
{
	const struct xp_record_cgroup *cgroup = (const void *)record;

	show_number(out, " cgroup: ", cgroup->id, false);
	sink_char(out, ' ');
	sink_escaped(out, (const char *)(cgroup + 1));
	sink_char(out, '\n');
}

static void show_code(struct sink *out, const char *title, const unsigned char *bytes, uint16_t len)
{
	enum { PER_LINE = 16 };

	for (uint16_t at = 0; at < len; at++) {
		if (at % PER_LINE == 0)
			sink_text(out, title);
		sink_char(out, ' ');
		sink_hex(out, bytes[at], 2, '0');
		if (at % PER_LINE == PER_LINE - 1 || at + 1 == len)
			sink_char(out, '\n');
	}
}

static void show_text_poke(struct sink *out, const struct xp_record *record)
{
	const struct {
		struct xp_record header;
		uint64_t address;
		uint16_t old_len, new_len;
		unsigned char bytes[];
	} *poke = (const void *)record;

	show_number(out, " ", poke->address, true);
	show_number(out, " old len ", poke->old_len, false);
	show_number(out, " new len ", poke->new_len, false);
	sink_char(out, '\n');
	show_code(out, "            old bytes:", poke->bytes, poke->old_len);
	show_code(out, "            new bytes:", poke->bytes + poke->old_len, poke->new_len);
}

/* --- which are shown --- */

/* @has_who: the first words are the process and thread it is about. */
static const struct side {
	size_t asked; /* offset of the option */
	bool has_who;
	void (*body)(struct sink *out, const struct xp_record *record);
} table[] = {
#define ASKED(field) offsetof(struct values, field)
	[XP_RECORD_MMAP] = { ASKED(show_mmap), true, show_mmap },
	[XP_RECORD_LOST] = { ASKED(show_lost), false, show_lost },
	[XP_RECORD_COMM] = { ASKED(show_task), true, show_comm },
	[XP_RECORD_EXIT] = { ASKED(show_task), true, show_task },
	[XP_RECORD_FORK] = { ASKED(show_task), true, show_task },
	[XP_RECORD_MMAP2] = { ASKED(show_mmap), true, show_mmap2 },
	[XP_RECORD_LOST_SAMPLES] = { ASKED(show_lost), false, show_lost_samples },
	[XP_RECORD_SWITCH] = { ASKED(show_switch), false, show_switch },
	[XP_RECORD_SWITCH_CPU_WIDE] = { ASKED(show_switch), false, show_switch_cpu_wide },
	[XP_RECORD_NAMESPACES] = { ASKED(show_namespaces), true, show_namespaces },
	[XP_RECORD_KSYMBOL] = { ASKED(show_bpf), false, show_ksymbol },
	[XP_RECORD_BPF_EVENT] = { ASKED(show_bpf), false, show_bpf_event },
	[XP_RECORD_TEXT_POKE] = { ASKED(show_text_poke), false, show_text_poke },
	[XP_RECORD_CGROUP] = { ASKED(show_cgroup), false, show_cgroup },
#undef ASKED
};

bool side_is_shown(const struct config *config, uint32_t type)
{
	/* code that is made is shown with code that changes */
	if (type == XP_RECORD_KSYMBOL && config->values->show_text_poke)
		return true;
	return type < sizeof(table) / sizeof(table[0]) && table[type].body &&
	       *((const bool *)((const char *)config->values + table[type].asked));
}

/* Process and thread a record is about: FORK has the parent's between. */
static void who_of(const struct xp_record *record, const struct xp_sample_id *id, int32_t *ret_pid,
		   int32_t *ret_tid)
{
	const uint32_t *words = (const uint32_t *)(record + 1);
	bool is_task = record->type == XP_RECORD_FORK || record->type == XP_RECORD_EXIT;

	*ret_pid = table[record->type].has_who ? (int32_t)words[0] : id->pid;
	*ret_tid = table[record->type].has_who ? (int32_t)words[is_task ? 2 : 1] : id->tid;
}

/* What the thread of a record is called: by COMM what it says, by FORK what its maker is, of which
 * it has the name. */
static const char *name_of(const struct script *script, const struct xp_record *record, int32_t pid,
			   int32_t tid, uint64_t time_ns)
{
	const struct xp_record_task *task = (const void *)record;
	const char *comm = NULL;

	if (record->type == XP_RECORD_COMM)
		return (const char *)record + sizeof(struct xp_record_comm);
	if (record->type == XP_RECORD_FORK)
		comm = xp_timeline_comm_at(script->rec->timeline, (int32_t)task->parent_pid,
					   (int32_t)task->parent_tid, time_ns);
	if (comm && *comm != ':')
		return comm;
	return xp_timeline_comm_at(script->rec->timeline, pid, tid, time_ns);
}

/* What the line of a record says, without its start and its end. */
static void show_as_json(struct script *script, const struct xp_record *record,
			 const struct xp_sample_id *id)
{
	struct sink text;

	if (sink_init(&text, -1)) {
		script->out.err = -ENOMEM;
		return;
	}
	table[record->type].body(&text, record);
	if (text.len && text.buf[text.len - 1] == '\n')
		text.len--;
	sink_char(&text, '\0');
	json_record(script, xp_record_name(record->type), id, text.buf + strspn(text.buf, " :"));
	sink_fini(&text);
}

void side_body(struct sink *out, const struct xp_record *record)
{
	if (record->type < sizeof(table) / sizeof(table[0]) && table[record->type].body)
		table[record->type].body(out, record);
	else
		sink_char(out, '\n');
}

void side_show(struct script *script, const struct xp_record *record)
{
	int idx = xp_data_event_of(script->rec->data, record);
	const struct view *view = idx >= 0 && idx < script->nr_views ? &script->views[idx] : NULL;
	struct xp_sample_id id = { -1, -1, 0, 0, 0, 0 };
	int32_t pid, tid;

	if (!view)
		return;
	if (view->event->attr.sample_id_all)
		xp_sample_id_decode(record, &view->event->attr, &id);
	who_of(record, &id, &pid, &tid);
	if (!view->event->attr.sample_id_all) {
		id.pid = pid;
		id.tid = tid;
	}
	if (script->config->values->json) {
		id.pid = pid;
		id.tid = tid;
		show_as_json(script, record, &id);
		return;
	}
	if (script->rec->without_times || (id.time_ns && id.time_ns != XP_NO_TIME))
		id.time_ns = script->moment;
	show_start(script, view->fields, &id, name_of(script, record, pid, tid, id.time_ns),
		   record->misc, record->type, !(view->fields & F_IP && view->has_chain));
	sink_text(&script->out, "PERF_RECORD_");
	sink_text(&script->out, xp_record_name(record->type));
	table[record->type].body(&script->out, record);
}
