/* SPDX-License-Identifier: MIT */
/* What a line begins with: who, where and when. Source of the layout: perf script, 6.1, measured.
 */
#include <stdlib.h>
#include <time.h>
#include <xperf/timeline.h>

#include "escape.h"
#include "script.h"

enum { COMM_WIDTH = 16, ID_WIDTH = 5, MISC_WIDTH = 6, NS_PER_S = 1000000000 };

/* --- names --- */

enum { NR_COMMS = 256, COMM_ROOM = 112 };

/* A name as it is printed. Those that are too long are not kept. */
struct comm {
	const char *comm; /* the timeline's */
	uint32_t len;
	char text[COMM_ROOM];
};

struct comms {
	struct comm at[NR_COMMS];
};

struct comms *comms_new(void)
{
	return calloc(1, sizeof(struct comms));
}

void comms_free(struct comms *comms)
{
	free(comms);
}

/* Returns NULL for one that is too long. */
static const struct comm *comm_of(struct comms *comms, const char *comm)
{
	size_t hash = (size_t)(((uintptr_t)comm * 0x9e3779b97f4a7c15ULL) >> 56);
	struct comm *slot = &comms->at[hash % NR_COMMS];
	size_t len = 0;

	if (slot->comm == comm)
		return slot;
	for (const char *at = comm; *at;) {
		if (len + ESCAPE_MAX > sizeof(slot->text))
			return NULL;
		len += escape_next(&at, slot->text + len);
		slot->comm = NULL;
	}
	slot->comm = comm;
	slot->len = (uint32_t)len;
	return slot;
}

/* Of a record: not one of the timeline's, which are kept. */
static void show_text(struct sink *out, const char *comm, bool padded)
{
	char piece[ESCAPE_MAX];
	int len = 0;

	for (const char *at = comm; *at;)
		len += (int)escape_next(&at, piece);
	if (padded && len < COMM_WIDTH)
		sink_blanks(out, COMM_WIDTH - len);
	sink_escaped(out, comm);
	sink_char(out, ' ');
}

static void show_comm(struct script *script, const char *comm, bool padded)
{
	struct sink *out = &script->out;
	const struct comm *kept = comm_of(script->comms, comm);

	if (!kept) {
		sink_escaped(out, comm);
	} else {
		if (padded && kept->len < COMM_WIDTH)
			sink_blanks(out, COMM_WIDTH - (int)kept->len);
		sink_bytes(out, kept->text, kept->len);
	}
	sink_char(out, ' ');
}

/* --- parts --- */

static char *put_ids(char *to, uint64_t fields, int32_t pid, int32_t tid)
{
	if (fields & F_PID && fields & F_TID) {
		to = put_int(to, pid, ID_WIDTH);
		*to++ = '/';
		to = put_int(to, tid, -ID_WIDTH);
	} else {
		to = put_int(to, fields & F_PID ? pid : tid, ID_WIDTH);
	}
	*to++ = ' ';
	return to;
}

static char *put_cpu(char *to, int32_t cpu)
{
	*to++ = '[';
	if (cpu < 0) {
		memcpy(to, "-01", 3);
		to += 3;
	} else {
		to = put_dec(to, (uint64_t)cpu, 3, '0');
	}
	*to++ = ']';
	*to++ = ' ';
	return to;
}

/* Processor mode; and bits of the record, as letters. */
static void show_misc(struct sink *out, uint16_t misc, uint32_t type)
{
	static const char *const modes[] = { "", "K", "U", "H", "G", "g", "", "" };
	const char *more = "";
	char text[MISC_WIDTH + 1];

	if ((type == XP_RECORD_MMAP || type == XP_RECORD_MMAP2) && misc & XP_MISC_MMAP_DATA)
		more = "M";
	else if (type == XP_RECORD_COMM && misc & XP_MISC_COMM_EXEC)
		more = "E";
	else if (type == XP_RECORD_SWITCH || type == XP_RECORD_SWITCH_CPU_WIDE)
		more = !(misc & XP_MISC_SWITCH_OUT)        ? ""
		       : misc & XP_MISC_SWITCH_OUT_PREEMPT ? "Sp"
							   : "S";
	strcpy(text, modes[misc & XP_MISC_CPUMODE_MASK]);
	strcat(text, more);
	sink_padded(out, text, -MISC_WIDTH);
}

/* --- times --- */

static char *put_time(char *to, uint64_t time_ns, bool ns)
{
	uint64_t rest = time_ns % NS_PER_S;

	to = put_dec(to, time_ns / NS_PER_S, ID_WIDTH, ' ');
	*to++ = '.';
	to = ns ? put_dec(to, rest, 9, '0') : put_dec(to, rest / 1000, 6, '0');
	*to++ = ':';
	*to++ = ' ';
	return to;
}

/* As --reltime and --deltatime want it. */
static uint64_t shown_time(struct script *script, uint64_t time_ns)
{
	const struct values *values = script->config->values;
	struct clock *clock = &script->clock;
	uint64_t before = clock->has_last ? clock->last_ns : time_ns;

	/* Records of what was there before have no time. */
	if (!time_ns)
		return 0;
	if (!clock->has_first) {
		clock->has_first = true;
		clock->first_ns = time_ns;
	}
	clock->has_last = true;
	clock->last_ns = time_ns;
	if (values->reltime)
		return time_ns - clock->first_ns;
	return values->deltatime ? time_ns - before : time_ns;
}

static void show_time_of_day(struct script *script, uint64_t time_ns)
{
	uint64_t wall_ns = time_ns + (uint64_t)script->clock.wall_ns;
	time_t seconds = (time_t)(wall_ns / NS_PER_S);
	struct sink *out = &script->out;
	struct tm tm;
	char text[64];

	if (!localtime_r(&seconds, &tm) || !strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S.", &tm))
		return;
	sink_text(out, text);
	if (script->config->values->ns)
		sink_dec(out, wall_ns % NS_PER_S, 9, '0');
	else
		sink_dec(out, wall_ns % NS_PER_S / 1000, 6, '0');
	sink_char(out, ' ');
}

void show_start(struct script *script, uint64_t fields, const struct xp_sample_id *id,
		const char *comm, uint16_t misc, uint32_t type, bool padded)
{
	struct sink *out = &script->out;
	uint64_t time_ns = id->time_ns == XP_NO_TIME ? 0 : script->now;
	char *to;

	if (fields & F_COMM && comm)
		show_text(out, comm, padded);
	else if (fields & F_COMM)
		show_comm(script,
			  xp_timeline_comm_at(script->rec->timeline, id->pid, id->tid, id->time_ns),
			  padded);
	to = sink_reserve(out, 2 * NUMBER_MAX + NUMBER_MAX);
	if (!to)
		return;
	if (fields & (F_PID | F_TID))
		to = put_ids(to, fields, id->pid, id->tid);
	if (fields & F_CPU)
		to = put_cpu(to, id->cpu);
	sink_commit(out, to);
	if (fields & F_MISC)
		show_misc(out, misc, type);
	if (fields & F_TOD)
		show_time_of_day(script, time_ns);
	to = sink_reserve(out, 2 * NUMBER_MAX);
	if (fields & F_TIME && to)
		sink_commit(out,
			    put_time(to, shown_time(script, time_ns), script->config->values->ns));
}
