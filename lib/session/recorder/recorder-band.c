/* SPDX-License-Identifier: MIT */
/* Maps and tasks of one pass, sorted by time. A record that there is no memory for is like one that
 * the kernel has lost. */
#include "recorder-band.h"

#include <stdlib.h>
#include <string.h>

#include "live-maps.h"
#include "recorder-impl.h"
#include "vec.h"

static bool is_wanted(const struct xp_record *record)
{
	return xp_live_wants(record->type) || record->type == XP_RECORD_LOST;
}

static void report_loss(struct xp_band_pass *pass)
{
	const struct xp_record_lost lost = {
		.header = { .type = XP_RECORD_LOST, .size = sizeof(lost) }, .lost = 1
	};

	pass->listener.note(pass->listener.data, &lost.header, 0);
}

static void keep(struct xp_band_pass *pass, const struct xp_record *record, uint64_t time_ns)
{
	if (vec_reserve(&pass->records, pass->nr, &pass->room, sizeof(*pass->records)) ||
	    vec_reserve_more(&pass->bytes, pass->len, record->size, &pass->bytes_room, 1)) {
		report_loss(pass);
		return;
	}
	memcpy(pass->bytes + pass->len, record, record->size);
	pass->records[pass->nr++] = (struct xp_band_record){ time_ns, pass->len };
	pass->len += record->size;
}

void xp_band_collect(struct xp_band_pass *pass, const struct xp_shed *events, const char *records,
		     size_t len)
{
	if (!pass->listener.note)
		return;
	for (size_t at = 0; at < len;) {
		const struct xp_record *record = (const void *)(records + at);

		at += record->size;
		if (is_wanted(record))
			keep(pass, record, xp_shed_time_of(events, record));
	}
}

static int by_time(const void *a, const void *b)
{
	const struct xp_band_record *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

void xp_band_end_pass(struct xp_band_pass *pass, uint64_t began_ns)
{
	if (!pass->listener.note)
		return;
	if (pass->nr)
		qsort(pass->records, pass->nr, sizeof(*pass->records), by_time);
	for (size_t i = 0; i < pass->nr; i++)
		pass->listener.note(pass->listener.data,
				    (const void *)(pass->bytes + pass->records[i].at),
				    pass->records[i].time_ns);
	pass->listener.known(pass->listener.data, began_ns);
	/* What a process does after its last record may be later than this pass. */
	pass->is_due = pass->nr;
	pass->nr = pass->len = 0;
}

uint64_t xp_band_pause(struct xp_band_pass *pass, uint64_t now_ns, uint64_t spent_ns,
		       size_t ring_bytes)
{
	enum { MB_PER_SECOND = 16 }; /* that a CPU writes of maps and tasks, at most */
	uint64_t wanted = cpu_share_pause(&pass->share, now_ns, spent_ns);
	uint64_t longest = ring_bytes / 2 * (1000 / MB_PER_SECOND);

	return wanted < longest ? wanted : longest;
}

void xp_band_fini(struct xp_band_pass *pass)
{
	free(pass->records);
	free(pass->bytes);
	*pass = (struct xp_band_pass){ 0 };
}
