/* SPDX-License-Identifier: MIT */
/*
 * Records and attributes that describe the recording itself.
 *
 * Source: perf.data-file-format.txt of perf; struct perf_record_id_index, _thread_map, _cpu_map,
 * _event_update and _time_conv of tools/lib/perf/include/perf/event.h: their layouts.
 */
#include <errno.h>
#include <stdlib.h>
#include <xperf/cpus.h>
#include <xperf/record.h>
#include <xperf/ring.h>

#include "bytes.h"
#include "cleanup.h"
#include "num.h"
#include "writer-impl.h"

/* Kinds of EVENT_UPDATE. */
enum { UPDATE_UNIT, UPDATE_SCALE, UPDATE_NAME, UPDATE_CPUS };

/* Kinds of CPU_MAP: the oldest one is a list. */
enum { CPU_MAP_LIST = 0 };

size_t xp_begin_record(struct xp_str *out, uint32_t type)
{
	size_t start = out->len;

	add_u32(out, type);
	add_u32(out, 0); /* misc and size, see xp_end_record() */
	return start;
}

void xp_end_record(struct xp_str *out, size_t start)
{
	add_padding(out, start);
	uint16_t size = (uint16_t)(out->len - start);
	if (!out->failed)
		memcpy(out->s + start + offsetof(struct xp_record, size), &size, sizeof(size));
}

/* --- attributes --- */

size_t xp_attr_bytes(const struct xp_attr *attr)
{
	static const uint8_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128, 136, 144 };
	const unsigned char *bytes = (const void *)attr;
	size_t last = sizeof(*attr);

	while (last > sizes[0] && !bytes[last - 1])
		last--;
	for (size_t i = 0; i < XP_ARRAY_LEN(sizes); i++)
		if (last <= sizes[i])
			return sizes[i];
	return sizeof(*attr);
}

void xp_encode_attr(const struct xp_attr *attr, size_t size, struct xp_str *out)
{
	struct xp_attr copy = *attr;

	copy.size = (uint32_t)size;
	add_bytes(out, &copy, size);
}

/* --- features --- */

void xp_encode_feature(int id, const struct xp_writer_feature *feature, struct xp_str *out)
{
	if (feature->body_len > XP_RECORD_BYTES_MAX - 16)
		return;
	size_t start = xp_begin_record(out, XP_RECORD_HEADER_FEATURE);
	add_u64(out, (uint64_t)id);
	add_bytes(out, feature->body, feature->body_len);
	xp_end_record(out, start);
}

/* --- events --- */

static size_t begin_update(struct xp_str *out, uint64_t kind, uint64_t id)
{
	size_t start = xp_begin_record(out, XP_RECORD_EVENT_UPDATE);

	add_u64(out, kind);
	add_u64(out, id);
	return start;
}

static void add_text_update(struct xp_str *out, uint64_t kind, uint64_t id, const char *text)
{
	enum { TEXT_MAX = 32000 };

	if (!text || !*text)
		return;
	size_t start = begin_update(out, kind, id);
	add_bytes(out, text, strnlen(text, TEXT_MAX));
	add_zeros(out, 1);
	xp_end_record(out, start);
}

/* A CPU list in its older form: its kind, how many, which. */
static size_t begin_cpus(struct xp_str *out)
{
	add_u16(out, CPU_MAP_LIST);
	add_u16(out, 0); /* how many, see end_cpus() */
	return out->len;
}

static void end_cpus(struct xp_str *out, size_t start)
{
	uint16_t nr = (uint16_t)((out->len - start) / sizeof(uint16_t));

	if (!out->failed)
		memcpy(out->s + start - sizeof(nr), &nr, sizeof(nr));
}

static int add_cpu_range(uint64_t first, uint64_t last, void *data)
{
	for (uint64_t cpu = first; cpu <= last; cpu++)
		add_u16(data, (uint16_t)cpu);
	return 0;
}

static void add_cpus_update(struct xp_str *out, uint64_t id, const char *cpus)
{
	enum { CPU_MAX = 30000 };

	if (!cpus)
		return;
	size_t start = begin_update(out, UPDATE_CPUS, id);
	size_t list = begin_cpus(out);
	int err = xp_num_ranges(cpus, CPU_MAX, add_cpu_range, out, NULL);
	end_cpus(out, list);
	xp_end_record(out, start);
	if (err && !out->failed)
		out->len = start;
}

void xp_encode_event_updates(const struct xp_data_event *event, struct xp_str *out)
{
	if (!event->nr_ids)
		return;
	uint64_t id = event->ids[0];

	add_text_update(out, UPDATE_NAME, id, event->name);
	add_text_update(out, UPDATE_UNIT, id, event->unit);
	if (event->scale != 1.0 && event->scale != 0.0) {
		size_t start = begin_update(out, UPDATE_SCALE, id);

		add_bytes(out, &event->scale, sizeof(event->scale));
		xp_end_record(out, start);
	}
	add_cpus_update(out, id, event->own_cpus);
}

/* --- what is recorded --- */

static int add_and_free(struct xp_data_writer *w, struct xp_str *out)
{
	struct iovec pieces[XP_WRITER_PIECES] = { { out->s, out->len } };
	int err = out->failed ? -ENOMEM : xp_writer_add(w, pieces, 1);

	xp_str_fini(out);
	return err;
}

int xp_data_writer_add_ids(struct xp_data_writer *writer, const struct xp_data_id *ids, size_t nr)
{
	enum { PER_RECORD = (XP_RECORD_BYTES_MAX - 16) / 32 };
	struct xp_str out = { 0 };

	for (size_t done = 0; done < nr;) {
		size_t n = nr - done < PER_RECORD ? nr - done : PER_RECORD;
		size_t start = xp_begin_record(&out, XP_RECORD_ID_INDEX);

		add_u64(&out, n);
		for (size_t end = done + n; done < end; done++) {
			add_u64(&out, ids[done].id);
			add_u64(&out, ids[done].idx);
			add_u64(&out, (uint64_t)ids[done].cpu);
			add_u64(&out, (uint64_t)ids[done].tid);
		}
		xp_end_record(&out, start);
	}
	return add_and_free(writer, &out);
}

int xp_data_writer_add_threads(struct xp_data_writer *writer, struct xp_threads *threads)
{
	enum { NAME_LEN = 16, THREADS_MAX = (XP_RECORD_BYTES_MAX - 16) / (8 + NAME_LEN) };
	int nr = xp_threads_nr(threads) < THREADS_MAX ? xp_threads_nr(threads) : THREADS_MAX;
	struct xp_str out = { 0 };
	size_t start = xp_begin_record(&out, XP_RECORD_THREAD_MAP);

	add_u64(&out, (uint64_t)nr);
	for (int i = 0; i < nr; i++) {
		const char *name = xp_threads_comm(threads, i);
		size_t len = strnlen(name, NAME_LEN - 1);

		add_u64(&out, (uint64_t)xp_threads_tid(threads, i));
		add_bytes(&out, name, len);
		add_zeros(&out, NAME_LEN - len);
	}
	xp_end_record(&out, start);
	return add_and_free(writer, &out);
}

int xp_data_writer_add_cpus(struct xp_data_writer *writer, const struct xp_cpus *cpus)
{
	struct xp_str out = { 0 };
	size_t start = xp_begin_record(&out, XP_RECORD_CPU_MAP);
	size_t list = begin_cpus(&out);

	for (int i = 0; i < xp_cpus_nr(cpus) && out.len < XP_RECORD_BYTES_MAX; i++)
		add_u16(&out, (uint16_t)xp_cpus_at(cpus, i).nr);
	end_cpus(&out, list);
	xp_end_record(&out, start);
	return add_and_free(writer, &out);
}

int xp_data_writer_add_time_conv(struct xp_data_writer *writer, const struct xp_time_conv *conv)
{
	struct xp_str out = { 0 };
	size_t start = xp_begin_record(&out, XP_RECORD_TIME_CONV);
	const uint8_t has[] = { conv->has_zero, conv->has_short };

	add_u64(&out, conv->shift);
	add_u64(&out, conv->mult);
	add_u64(&out, conv->zero);
	add_u64(&out, conv->cycles);
	add_u64(&out, conv->mask);
	add_bytes(&out, has, sizeof(has));
	xp_end_record(&out, start);
	return add_and_free(writer, &out);
}
