/* SPDX-License-Identifier: MIT */
/* What a sample holds, one row of a table per key: how it is found, and shown. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/traces.h>

#include "extras.h"
#include "header.h"

static uint64_t text_value(struct extras *extras, const char *text)
{
	return (uintptr_t)extras_keep(extras, text);
}

static const struct xp_attr *attr_of(const struct found *found)
{
	return &xp_data_event_at(found->extras->report->rec.data, found->event)->attr;
}

static uint64_t trace_of(const struct found *found)
{
	struct extras *extras = found->extras;
	const struct xp_attr *attr = attr_of(found);
	const struct xp_sample *sample = found->sample;
	const char *text = "N/A";

	if (attr->type == XP_TYPE_TRACEPOINT && extras->report->rec.traces &&
	    extras->plan->values->count.raw_trace)
		xp_traces_raw_text(extras->report->rec.traces, attr->config, sample->raw,
				   sample->raw_len, &text);
	else if (attr->type == XP_TYPE_TRACEPOINT && extras->report->rec.traces)
		xp_traces_text(extras->report->rec.traces, attr->config, sample->id.cpu,
			       sample->raw, sample->raw_len, &text);
	return text_value(extras, text);
}

static uint64_t field_of(const struct found *found)
{
	return text_value(found->extras,
			  trace_field_value(found->extras->report, found->extras->plan,
					    found->column, found->event, found->sample));
}

static uint64_t time_of(const struct found *found)
{
	uint64_t quantum = found->extras->plan->quantum_ns;

	return found->sample->id.time_ns / quantum * quantum;
}

/* Of the CPU, as the header of the recording has it; none is known: -1. */
static uint64_t socket_of(const struct found *found)
{
	return (uint64_t)(int64_t)header_socket(found->extras->report->rec.data,
						found->sample->id.cpu);
}

static uint64_t cgroup_of(const struct found *found)
{
	if (!(attr_of(found)->sample_type & XP_SAMPLE_CGROUP))
		return text_value(found->extras, "N/A");
	const char *path = cgroups_path(&found->extras->report->rec.cgroups, found->sample->cgroup);
	return text_value(found->extras, path ? path : "unknown");
}

/* Bits of a branch's flags. Source: linux/perf_event.h, struct perf_branch_entry. */
enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8, CYCLES_SHIFT = 4, CYCLES = 0xffff };

static uint64_t cycles_of(const struct found *found)
{
	return found->branch ? found->branch->flags >> CYCLES_SHIFT & CYCLES : 0;
}

/* Of a branch, its cycles, at least 1. Source: perf 6.1; of the layout of a sample's numbers:
 * linux/perf_event.h, union perf_sample_weight. */
static uint64_t weight_of(const struct found *found)
{
	if (found->branch)
		return cycles_of(found) ? cycles_of(found) : 1;
	return attr_of(found)->sample_type & XP_SAMPLE_WEIGHT_STRUCT
		       ? (uint32_t)found->sample->weight
		       : found->sample->weight;
}

static uint64_t second_weight_of(const struct found *found)
{
	return attr_of(found)->sample_type & XP_SAMPLE_WEIGHT_STRUCT
		       ? found->sample->weight >> 32 & 0xffff
		       : 0;
}

static uint64_t third_weight_of(const struct found *found)
{
	return attr_of(found)->sample_type & XP_SAMPLE_WEIGHT_STRUCT ? found->sample->weight >> 48
								     : 0;
}

static uint64_t transaction_of(const struct found *found)
{
	return found->sample->transaction;
}

static uint64_t code_page_size_of(const struct found *found)
{
	return found->sample->code_page_size;
}

static uint64_t data_page_size_of(const struct found *found)
{
	return found->sample->data_page_size;
}

static uint64_t physical_of(const struct found *found)
{
	return found->sample->phys_address;
}

static uint64_t parallelism_of(const struct found *found)
{
	return parallelism_at(found->extras->report->running, found->sample->id.time_ns);
}

/* The number of the control group's namespace that a thread was in, and of its device. */
static uint64_t cgroup_id_of(const struct found *found)
{
	const struct xp_sample_id *id = &found->sample->id;
	struct cgroup_namespace in =
		cgroups_namespace(&found->extras->report->rec.cgroups, id->tid, id->time_ns);
	char text[TEXT_BYTES];

	snprintf(text, sizeof(text), "%" PRIu64 "/%#" PRIx64, in.device, in.inode);
	return text_value(found->extras, in.inode ? text : "0/0x0");
}

/* The command, with one mark for each of its numbers: threads of a pool are one. */
static uint64_t plain_comm_of(const struct found *found)
{
	const struct xp_sample_id *id = &found->sample->id;
	const struct report *report = found->extras->report;
	const char *comm = xp_timeline_comm_at(report->rec.timeline, id->pid, id->tid,
					       recording_moment(&report->rec, id->time_ns));
	char text[TEXT_BYTES], *end = text;

	for (const char *at = comm ? comm : ""; *at && end < text + sizeof(text) - 4; at++) {
		if (!isdigit((unsigned char)*at))
			*end++ = *at;
		else if (!isdigit((unsigned char)at[1]))
			end = stpcpy(end, "<N>");
	}
	*end = '\0';
	return text_value(found->extras, text);
}

static uint64_t mispredict_of(const struct found *found)
{
	return found->branch ? found->branch->flags & (MISPREDICTED | PREDICTED) : 0;
}

static uint64_t abort_of(const struct found *found)
{
	return found->branch ? found->branch->flags & ABORT : 0;
}

static uint64_t in_tx_of(const struct found *found)
{
	return found->branch ? found->branch->flags & IN_TX : 0;
}

/* --- as text --- */

static void show_time(struct extras *extras, uint64_t ns)
{
	if (extras->plan->values->show.show_ns)
		snprintf(extras->shown, TEXT_BYTES, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
			 ns % 1000000000);
	else
		snprintf(extras->shown, TEXT_BYTES, "%" PRIu64 ".%06" PRIu64, ns / 1000000000,
			 ns / 1000 % 1000000);
}

static void show_socket(struct extras *extras, uint64_t socket)
{
	snprintf(extras->shown, TEXT_BYTES, "%.3d", (int)socket);
}

static void show_address(struct extras *extras, uint64_t address)
{
	snprintf(extras->shown, TEXT_BYTES, "%#" PRIx64, address);
}

static void show_number(struct extras *extras, uint64_t number)
{
	snprintf(extras->shown, TEXT_BYTES, "%" PRIu64, number);
}

static void show_cycles(struct extras *extras, uint64_t cycles)
{
	if (cycles)
		show_number(extras, cycles);
	else
		snprintf(extras->shown, TEXT_BYTES, "-");
}

static void show_mispredict(struct extras *extras, uint64_t flags)
{
	snprintf(extras->shown, TEXT_BYTES, "%s",
		 flags & PREDICTED      ? "N"
		 : flags & MISPREDICTED ? "Y"
					: "N/A");
}

static void show_abort(struct extras *extras, uint64_t flags)
{
	snprintf(extras->shown, TEXT_BYTES, "%s", flags ? "A" : ".");
}

static void show_in_tx(struct extras *extras, uint64_t flags)
{
	snprintf(extras->shown, TEXT_BYTES, "%s", flags ? "T" : ".");
}

static void show_page_size(struct extras *extras, uint64_t bytes)
{
	static const char *const units[] = { "", "K", "M", "G", "T", "P", "E" };
	int unit = 0;

	for (; bytes && bytes % 1024 == 0; unit++)
		bytes /= 1024;
	if (bytes)
		snprintf(extras->shown, TEXT_BYTES, "%" PRIu64 "%s", bytes, units[unit]);
	else
		snprintf(extras->shown, TEXT_BYTES, "N/A");
}

/* Source of the bits: linux/perf_event.h, PERF_TXN_*; of the words: perf 6.1. */
static void show_transaction(struct extras *extras, uint64_t transaction)
{
	static const struct {
		int bit;
		const char *word;
	} words[] = { { 0, "EL" },    { 1, "TX" },  { 2, "SYNC" },      { 3, "ASYNC" },
		      { 4, "RETRY" }, { 5, "CON" }, { 6, "CAP-WRITE" }, { 7, "CAP-READ" } };
	enum { SYNC_OR_ASYNC = 12, ABORT_SHIFT = 32 };
	char *at = extras->shown;

	*at = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (transaction >> words[i].bit & 1)
			at += sprintf(at, "%s ", words[i].word);
	if (transaction && !(transaction & SYNC_OR_ASYNC))
		at += sprintf(at, "NEITHER ");
	if (transaction >> ABORT_SHIFT)
		sprintf(at, ":%" PRIx64, transaction >> ABORT_SHIFT);
}

static uint64_t waker_of(const struct found *found)
{
	const struct report *report = found->extras->report;
	const struct xp_sample *sample = found->sample;
	uint64_t end_ns = sample->id.time_ns, wait_ns = sample->period;

	if (!plan_is_wait(xp_data_event_at(report->rec.data, found->event)))
		return text_value(found->extras, "N/A");
	const char *by = wakers_find(report->wakers, sample->id.tid,
				     wait_ns < end_ns ? end_ns - wait_ns : 0, end_ns);
	return text_value(found->extras, by ? by : "[unknown]");
}

/* By enum extra. */
static const struct extra_kind kinds[] = {
#define KIND(extra, find, show)    [EXTRA_##extra - XP_NR_KEYS] = { find, show, false, false, false }
#define MORE(extra, find, show)    [EXTRA_##extra - XP_NR_KEYS] = { find, show, true, false, false }
#define SUM(extra, find)           [EXTRA_##extra - XP_NR_KEYS] = { find, show_number, true, true, false }
#define ORDERED(extra, find, more) [EXTRA_##extra - XP_NR_KEYS] = { find, NULL, more, false, true }
	KIND(TRACE, trace_of, NULL),
	KIND(TIME, time_of, show_time),
	KIND(SOCKET, socket_of, show_socket),
	KIND(CGROUP, cgroup_of, NULL),
	SUM(WEIGHT, weight_of),
	MORE(LOCAL_WEIGHT, weight_of, show_number),
	MORE(CYCLES, cycles_of, show_cycles),
	KIND(MISPREDICT, mispredict_of, show_mispredict),
	KIND(ABORT, abort_of, show_abort),
	KIND(IN_TX, in_tx_of, show_in_tx),
	KIND(CGROUP_ID, cgroup_id_of, NULL),
	KIND(TRANSACTION, transaction_of, show_transaction),
	MORE(CODE_PAGE_SIZE, code_page_size_of, show_page_size),
	MORE(DATA_PAGE_SIZE, data_page_size_of, show_page_size),
	KIND(PHYSICAL, physical_of, show_address),
	SUM(INS_LAT, second_weight_of),
	MORE(LOCAL_INS_LAT, second_weight_of, show_number),
	SUM(RETIRE_LAT, third_weight_of),
	MORE(LOCAL_RETIRE_LAT, third_weight_of, show_number),
	SUM(STAGE_CYCLES, third_weight_of),
	MORE(LOCAL_STAGE_CYCLES, third_weight_of, show_number),
	MORE(WEIGHT1, weight_of, show_number),
	MORE(WEIGHT2, second_weight_of, show_number),
	MORE(WEIGHT3, third_weight_of, show_number),
	KIND(PARALLELISM, parallelism_of, show_number),
	KIND(PLAIN_COMM, plain_comm_of, NULL),
	KIND(WAKER, waker_of, NULL),
	ORDERED(OP, op_of, false),
	ORDERED(MEM, mem_of, false),
	ORDERED(SNOOP, snoop_of, false),
	ORDERED(TLB, tlb_of, false),
	ORDERED(LOCKED, locked_of, false),
	ORDERED(BLOCKED, blocked_of, false),
	ORDERED(DATA_SYMBOL, data_symbol_of, false),
	KIND(DATA_DSO, data_dso_of, NULL),
	ORDERED(CODE_SYMBOL, code_symbol_of, false),
	ORDERED(CACHE_LINE, cache_line_of, false),
	ORDERED(FROM, from_of, false),
	ORDERED(TO, to_of, false),
	ORDERED(FIELD, field_of, true),
#undef ORDERED
#undef SUM
#undef MORE
#undef KIND
};

const struct extra_kind *extra_kind(int column)
{
	return &kinds[(column < EXTRA_FIELD ? column : EXTRA_FIELD) - XP_NR_KEYS];
}
