/* SPDX-License-Identifier: MIT */
/*
 * Where a file ends: at a size, beyond which no samples are written, or at a switch, where the next
 * file takes over.
 *
 * Records that name something (tasks, maps, symbols) may lie in another ring than the samples that
 * need them, and be read later. So they are written beyond the end of the samples, too; and those
 * that come while the next file is being described are written into both. Older ones are
 * not, even if they are read only then: the description has what they say, and also what later
 * records of other rings say, which are not repeated.
 */
#include <errno.h>
#include <string.h>
#include <xperf/data.h>
#include <xperf/record.h>

#include "pieces.h"
#include "recorder-impl.h"
#include "writer.h"

bool xp_names_something(const struct xp_record *record)
{
	switch (record->type) {
	case XP_RECORD_MMAP:
	case XP_RECORD_MMAP2:
	case XP_RECORD_COMM:
	case XP_RECORD_FORK:
	case XP_RECORD_EXIT:
	case XP_RECORD_NAMESPACES:
	case XP_RECORD_KSYMBOL:
	case XP_RECORD_BPF_EVENT:
	case XP_RECORD_CGROUP:
	case XP_RECORD_TEXT_POKE:
		return true;
	default:
		return false;
	}
}

static void collect_names(struct xp_str *names, const char *records, size_t len)
{
	for (size_t at = 0, size; at < len; at += size) {
		const struct xp_record *record = (const void *)(records + at);

		size = record->size;
		if (xp_names_something(record))
			xp_str_add(names, records + at, size);
	}
}

/* Drops names that the description of the next file has. */
static void drop_described(struct xp_recorder *r)
{
	const uint64_t until_ns = atomic_load(&r->names_ns);
	struct xp_str *names = &r->names;
	size_t kept = 0;

	for (size_t at = 0, size; at < names->len; at += size) {
		const struct xp_record *record = (const void *)(names->s + at);

		size = record->size;
		if (xp_shed_time_of(&r->shed, record) <= until_ns)
			continue;
		memmove(names->s + kept, record, size);
		kept += size;
	}
	names->len = kept;
}

/* Writes what was collected, and forgets it. */
static int write_names(struct xp_str *names, struct xp_data_writer *writer)
{
	int err =
		names->failed ? -ENOMEM : xp_data_writer_write(writer, names->s, names->len, true);

	xp_str_fini(names);
	return err;
}

/* --- a size --- */

/* Of @records that do not fit any more, names are written all the same. */
static int write_beyond(struct xp_recorder *r, const char *records, size_t len)
{
	struct xp_str names = { 0 };
	struct iovec piece = { (void *)records, len };

	collect_names(&names, records, len);
	xp_scan_add(&r->scan, XP_NR_BEYOND, xp_pieces_samples(&piece, 1, 0));
	xp_scan_add(&r->scan, XP_BYTES_BEYOND, len - names.len);
	xp_scan_set(&r->scan, XP_IS_FULL, true);
	return write_names(&names, r->writer);
}

/* Compressed records take less room than they have now: what is left is looked at again. */
static int write_limited(struct xp_recorder *r, const char *records, size_t len)
{
	size_t at = 0;
	int err = 0;

	while (at < len && !err && !xp_scan_get(&r->scan, XP_IS_FULL)) {
		uint64_t bytes = r->earlier_bytes + xp_data_writer_bytes(r->writer);
		uint64_t room = bytes < r->opts.max_bytes ? r->opts.max_bytes - bytes : 0;
		struct iovec piece = { (void *)(records + at), len - at };
		size_t fits = xp_pieces_whole(&piece, 1, room < len - at ? room : len - at);

		if (!fits)
			break;
		err = xp_data_writer_write(r->writer, records + at, fits, true);
		at += fits;
	}
	return err || at == len ? err : write_beyond(r, records + at, len - at);
}

int xp_files_write(struct xp_recorder *r, const char *records, size_t len)
{
	if (r->old || atomic_load_explicit(&r->keeps_names, memory_order_acquire))
		collect_names(&r->names, records, len);
	if (r->old)
		write_names(&r->names, r->old);
	if (r->opts.max_bytes)
		return write_limited(r, records, len);
	return xp_data_writer_write(r->writer, records, len, true);
}

void xp_files_look(struct xp_recorder *r)
{
	uint64_t bytes = xp_data_writer_bytes(r->writer);
	bool reached = xp_scan_get(&r->scan, XP_IS_FULL) ||
		       (r->opts.switch_bytes && bytes >= r->opts.switch_bytes);

	xp_scan_set(&r->scan, XP_FILE_BYTES, bytes);
	if (reached && !r->size_reported)
		xp_recorder_notify(r, r->news_fd);
	r->size_reported = reached;
}

/* --- a switch --- */

void xp_files_note_unwritten(struct xp_recorder *r)
{
	xp_scan_set(&r->scan, XP_NR_UNWRITTEN,
		    r->unwritten + xp_data_writer_dropped_samples(r->writer));
}

/* The new file starts afresh, whatever became of the old one. */
void xp_files_switch(struct xp_recorder *r, struct xp_request *request)
{
	request->err = xp_data_writer_flush(r->writer);
	xp_files_note_unwritten(r);
	r->unwritten = xp_scan_get(&r->scan, XP_NR_UNWRITTEN);
	r->earlier_bytes += xp_data_writer_bytes(r->writer);
	r->old = r->writer;
	r->writer = request->writer;
	r->size_reported = false;
	atomic_store(&r->failed, 0);
	atomic_store(&r->keeps_names, false);
	drop_described(r);
	int err = write_names(&r->names, r->writer);
	if (!request->err)
		request->err = err;
}

void xp_files_end_switch(struct xp_recorder *r, struct xp_request *request)
{
	int err = xp_data_writer_flush(r->old);

	r->old = NULL;
	if (!request->err)
		request->err = err;
	sem_post(&request->answered);
}
