/* SPDX-License-Identifier: MIT */
/*
 * What samples hold that the profile knows nothing of, and rows can be told apart by: each
 * combination that comes has a number, which the profile keeps.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <xperf/traces.h>

#include "header.h"
#include "report.h"

enum { NR_EXTRAS = NR_COLUMNS - XP_NR_KEYS, TRACEPOINT = 2, TEXT_BYTES = 64 };

/* Texts: each once. */
struct text {
	struct text *next; /* of the same hash */
	char bytes[];
};

struct tag {
	uint64_t values[NR_EXTRAS]; /* numbers, and addresses of texts */
};

enum { TEXT_SLOTS = 4096 };

struct extras {
	struct recording *rec;
	const struct plan *plan;
	struct xp_traces *traces; /* NULL: none */
	int columns[NR_EXTRAS];   /* those that are keys, in their order */
	int nr_columns;
	struct tag *tags;
	uint32_t nr_tags, tags_room;
	uint32_t *index; /* open addressing: tag + 1; 0: free */
	uint32_t index_mask;
	struct text *texts[TEXT_SLOTS];
	struct cgroup {
		uint64_t id;
		const char *path;
	} * cgroups;
	size_t nr_cgroups;
	char shown[TEXT_BYTES];
};

static uint64_t hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *at = bytes;
	uint64_t hash = 0xcbf29ce484222325;

	while (len--)
		hash = (hash ^ *at++) * 0x100000001b3;
	return hash ^ hash >> 32;
}

/* Returns NULL without memory. */
static const char *keep_text(struct extras *extras, const char *bytes)
{
	size_t len = strlen(bytes);
	struct text **slot = &extras->texts[hash_bytes(bytes, len) % TEXT_SLOTS], *text = *slot;

	while (text && strcmp(text->bytes, bytes) != 0)
		text = text->next;
	if (text)
		return text->bytes;
	text = malloc(sizeof(*text) + len + 1);
	if (!text)
		return NULL;
	memcpy(text->bytes, bytes, len + 1);
	text->next = *slot;
	*slot = text;
	return text->bytes;
}

/* --- what a sample holds --- */

struct found {
	struct extras *extras;
	int event;
	const struct xp_sample *sample;
	const struct xp_branch *branch; /* NULL: none */
};

static uint64_t text_value(struct extras *extras, const char *text)
{
	return (uintptr_t)keep_text(extras, text);
}

static uint64_t trace_of(const struct found *found)
{
	struct extras *extras = found->extras;
	const struct xp_attr *attr = &xp_data_event(extras->rec->input.data, found->event)->attr;
	const struct xp_sample *sample = found->sample;
	const char *text = "N/A";

	if (attr->type == TRACEPOINT && extras->traces)
		xp_traces_text(extras->traces, attr->config, sample->id.cpu, sample->raw,
			       sample->raw_len, &text);
	return text_value(extras, text);
}

static uint64_t time_of(const struct found *found)
{
	uint64_t quantum = found->extras->plan->quantum_ns;

	return found->sample->id.time_ns / quantum * quantum;
}

/* Of the CPU, as the header of the recording has it; none is known: -1. */
static uint64_t socket_of(const struct found *found)
{
	return (uint64_t)(int64_t)header_socket(found->extras->rec->input.data,
						found->sample->id.cpu);
}

static uint64_t cgroup_of(const struct found *found)
{
	const struct extras *extras = found->extras;

	for (size_t i = 0; i < extras->nr_cgroups; i++)
		if (extras->cgroups[i].id == found->sample->cgroup)
			return (uintptr_t)extras->cgroups[i].path;
	return text_value(found->extras, "unknown");
}

static uint64_t address_of(const struct found *found)
{
	return found->sample->address;
}

/* WEIGHT_STRUCT has two more numbers behind it. */
static uint64_t weight_of(const struct found *found)
{
	enum { WEIGHT_STRUCT = 1 << 24 };
	const struct xp_attr *attr =
		&xp_data_event(found->extras->rec->input.data, found->event)->attr;

	return attr->sample_type & WEIGHT_STRUCT ? (uint32_t)found->sample->weight
						 : found->sample->weight;
}

/* Bits of a branch's flags. Source: linux/perf_event.h, struct perf_branch_entry. */
enum { MISPREDICTED = 1, PREDICTED = 2, IN_TX = 4, ABORT = 8, CYCLES_SHIFT = 4, CYCLES = 0xffff };

static uint64_t cycles_of(const struct found *found)
{
	return found->branch ? found->branch->flags >> CYCLES_SHIFT & CYCLES : 0;
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
	if (extras->plan->values->show_ns)
		snprintf(extras->shown, TEXT_BYTES, "%" PRIu64 ".%09" PRIu64, ns / 1000000000,
			 ns % 1000000000);
	else
		snprintf(extras->shown, TEXT_BYTES, "%" PRIu64 ".%06" PRIu64, ns / 1000000000,
			 ns / 1000 % 1000000);
}

static void show_socket(struct extras *extras, uint64_t socket)
{
	snprintf(extras->shown, TEXT_BYTES, "%03d", (int)socket);
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

/* By enum extra; without show, values are texts. */
static const struct {
	uint64_t (*find)(const struct found *found);
	void (*show)(struct extras *extras, uint64_t value);
	bool more_first;
} kinds[NR_EXTRAS] = {
#define KIND(extra, find, show) [EXTRA_##extra - XP_NR_KEYS] = { find, show, false }
#define MORE(extra, find, show) [EXTRA_##extra - XP_NR_KEYS] = { find, show, true }
	KIND(TRACE, trace_of, NULL),
	KIND(TIME, time_of, show_time),
	KIND(SOCKET, socket_of, show_socket),
	KIND(CGROUP, cgroup_of, NULL),
	KIND(ADDRESS, address_of, show_address),
	MORE(WEIGHT, weight_of, show_number),
	MORE(LOCAL_WEIGHT, weight_of, show_number),
	MORE(CYCLES, cycles_of, show_cycles),
	KIND(MISPREDICT, mispredict_of, show_mispredict),
	KIND(ABORT, abort_of, show_abort),
	KIND(IN_TX, in_tx_of, show_in_tx),
#undef MORE
#undef KIND
};

const char *extras_text(struct extras *extras, uint32_t tag, int column)
{
	uint64_t value = extras->tags[tag].values[column - XP_NR_KEYS];

	if (!kinds[column - XP_NR_KEYS].show)
		return (const char *)(uintptr_t)value;
	kinds[column - XP_NR_KEYS].show(extras, value);
	return extras->shown;
}

int extras_compare_column(const struct extras *extras, uint32_t a, uint32_t b, int column)
{
	int at = column - XP_NR_KEYS;
	uint64_t left = extras->tags[a].values[at], right = extras->tags[b].values[at];
	int order = (left > right) - (left < right);

	if (order && !kinds[at].show)
		return strcmp((const char *)(uintptr_t)left, (const char *)(uintptr_t)right);
	return kinds[at].more_first ? -order : order;
}

int extras_compare(uint32_t a, uint32_t b, void *data)
{
	const struct extras *extras = data;
	int order = 0;

	for (int i = 0; !order && i < extras->nr_columns; i++)
		order = extras_compare_column(extras, a, b, extras->columns[i]);
	return order;
}

/* --- numbers --- */

static uint32_t *slot_of(const struct extras *extras, const struct tag *tag)
{
	uint32_t at = (uint32_t)hash_bytes(tag, sizeof(*tag)) & extras->index_mask;

	while (extras->index[at] &&
	       memcmp(&extras->tags[extras->index[at] - 1], tag, sizeof(*tag)) != 0)
		at = (at + 1) & extras->index_mask;
	return &extras->index[at];
}

static int grow(struct extras *extras)
{
	uint32_t room = extras->tags_room ? extras->tags_room * 2 : 256;
	struct tag *tags = reallocarray(extras->tags, room, sizeof(*tags));
	uint32_t *index = tags ? calloc((size_t)room * 2, sizeof(*index)) : NULL;

	if (tags)
		extras->tags = tags;
	if (!index)
		return -ENOMEM;
	free(extras->index);
	extras->index = index;
	extras->tags_room = room;
	extras->index_mask = room * 2 - 1;
	for (uint32_t i = 0; i < extras->nr_tags; i++)
		*slot_of(extras, &extras->tags[i]) = i + 1;
	return 0;
}

int64_t extras_tag(struct extras *extras, int event, const struct xp_sample *sample,
		   const struct xp_branch *branch)
{
	const struct found found = {
		.extras = extras, .event = event, .sample = sample, .branch = branch
	};
	struct tag tag = { 0 };

	for (int i = 0; i < extras->nr_columns; i++) {
		int at = extras->columns[i] - XP_NR_KEYS;

		tag.values[at] = kinds[at].find(&found);
		if (!tag.values[at] && !kinds[at].show)
			return -ENOMEM;
	}
	if (extras->nr_tags == extras->tags_room && grow(extras))
		return -ENOMEM;
	uint32_t *slot = slot_of(extras, &tag);
	if (!*slot) {
		extras->tags[extras->nr_tags++] = tag;
		*slot = extras->nr_tags;
	}
	return *slot - 1;
}

int extras_note(struct extras *extras, const struct xp_record *record)
{
	const struct xp_record_cgroup *cgroup = (const void *)record;
	struct cgroup *more;

	if (!extras || record->type != XP_RECORD_CGROUP)
		return 0;
	more = reallocarray(extras->cgroups, extras->nr_cgroups + 1, sizeof(*more));
	if (!more)
		return -ENOMEM;
	extras->cgroups = more;
	more[extras->nr_cgroups].id = cgroup->id;
	more[extras->nr_cgroups].path = keep_text(extras, (const char *)(cgroup + 1));
	return more[extras->nr_cgroups++].path ? 0 : -ENOMEM;
}

int extras_new(struct recording *rec, const struct plan *plan, struct extras **ret_extras)
{
	struct extras *extras = calloc(1, sizeof(*extras));
	const void *body;
	size_t len;

	if (!extras)
		return -ENOMEM;
	extras->rec = rec;
	extras->plan = plan;
	for (int i = 0; i < plan->nr_keys; i++)
		if (plan->keys[i] >= XP_NR_KEYS)
			extras->columns[extras->nr_columns++] = plan->keys[i];
	if (!extras->nr_columns) {
		free(extras);
		return 0;
	}
	body = xp_data_feature(rec->input.data, XP_FEATURE_TRACING_DATA, &len);
	/* What cannot be described is shown as such. */
	if (body && keys_have(plan, EXTRA_TRACE))
		xp_traces_new(body, len, &extras->traces, NULL);
	*ret_extras = extras;
	return 0;
}

void extras_free(struct extras *extras)
{
	if (!extras)
		return;
	for (size_t i = 0; i < TEXT_SLOTS; i++)
		for (struct text *text = extras->texts[i], *next; text; text = next) {
			next = text->next;
			free(text);
		}
	xp_traces_free(extras->traces);
	free(extras->cgroups);
	free(extras->tags);
	free(extras->index);
	free(extras);
}
