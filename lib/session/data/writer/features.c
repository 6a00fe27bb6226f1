/* SPDX-License-Identifier: MIT */
/*
 * Which features the writer makes itself, and when. Each is a row of a table and a function of a
 * file features-*.c.
 */
#include "features.h"

#include <errno.h>

#include "bytes.h"
#include "cleanup.h"
#include "writer-impl.h"

/* Until the end is reached, as if nothing had become smaller. */
enum { RATIO_UNKNOWN = 1 };

enum { COMPRESSED_VERSION = 1, COMPRESSED_ZSTD = 1 };

struct feature_row {
	enum xp_feature feature;
	xp_feature_fn encode;
};

/* Of the machine. */
static const struct feature_row of_host[] = {
	{ XP_FEATURE_TRACING_DATA, xp_feature_tracing_data },
	{ XP_FEATURE_HOSTNAME, xp_feature_hostname },
	{ XP_FEATURE_OSRELEASE, xp_feature_osrelease },
	{ XP_FEATURE_VERSION, xp_feature_version },
	{ XP_FEATURE_ARCH, xp_feature_arch },
	{ XP_FEATURE_NRCPUS, xp_feature_nrcpus },
	{ XP_FEATURE_CPUDESC, xp_feature_cpudesc },
	{ XP_FEATURE_CPUID, xp_feature_cpuid },
	{ XP_FEATURE_TOTAL_MEM, xp_feature_total_mem },
	{ XP_FEATURE_CMDLINE, xp_feature_cmdline },
	{ XP_FEATURE_CPU_TOPOLOGY, xp_feature_cpu_topology },
	{ XP_FEATURE_NUMA_TOPOLOGY, xp_feature_numa_topology },
	{ XP_FEATURE_PMU_MAPPINGS, xp_feature_pmu_mappings },
	{ XP_FEATURE_CACHE, xp_feature_cache },
	{ XP_FEATURE_MEM_TOPOLOGY, xp_feature_mem_topology },
	{ XP_FEATURE_CLOCKID, xp_feature_clockid },
	{ XP_FEATURE_CPU_PMU_CAPS, xp_feature_cpu_pmu_caps },
	{ XP_FEATURE_CLOCK_DATA, xp_feature_clock_data },
	{ XP_FEATURE_HYBRID_TOPOLOGY, xp_feature_hybrid_topology },
	{ XP_FEATURE_PMU_CAPS, xp_feature_pmu_caps },
};

/* Of the events; made at the start, when all are known. */
static const struct feature_row of_events[] = {
	{ XP_FEATURE_EVENT_DESC, xp_feature_event_desc },
	{ XP_FEATURE_BRANCH_STACK, xp_feature_branch_stack },
	{ XP_FEATURE_GROUP_DESC, xp_feature_group_desc },
};

/* Adds what each row finds out, where nobody has set it already. */
static int add_rows(struct xp_data_writer *w, const struct xp_feature_source *from,
		    const struct feature_row *rows, size_t nr)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++) {
		struct xp_str body = { 0 };

		if (!xp_writer_has(w, rows[i].feature) && !rows[i].encode(from, &body))
			err = body.failed
				      ? -ENOMEM
				      : xp_data_writer_add_feature(w, rows[i].feature,
								   xp_str_text(&body), body.len);
		xp_str_fini(&body);
	}
	return err;
}

static struct xp_feature_source source_of(const struct xp_data_writer *w)
{
	return (struct xp_feature_source){
		.ctx = w->ctx,
		.events = w->events,
		.nr_events = w->nr_events,
	};
}

int xp_data_writer_add_host(struct xp_data_writer *writer, int argc, const char *const *argv)
{
	struct xp_feature_source from = source_of(writer);

	from.argc = argc;
	from.argv = argv;
	return add_rows(writer, &from, of_host, XP_ARRAY_LEN(of_host));
}

static int add_compressed(struct xp_data_writer *w, uint32_t ratio)
{
	const uint32_t body[] = { COMPRESSED_VERSION, COMPRESSED_ZSTD, (uint32_t)w->zstd_level,
				  ratio, XP_WRITER_PACK_ROOM };

	return xp_data_writer_add_feature(w, XP_FEATURE_COMPRESSED, body, sizeof(body));
}

/* Also as a record: compressed records can be read then even when the recorder ends at a moment in
 * which the file has no table. */
static int start_compressed(struct xp_data_writer *w)
{
	int err = add_compressed(w, RATIO_UNKNOWN);

	if (!err && w->shape == &xp_writer_file)
		xp_encode_feature(XP_FEATURE_COMPRESSED, &w->features[XP_FEATURE_COMPRESSED],
				  &w->first);
	return err;
}

int xp_features_start(struct xp_data_writer *w)
{
	static const uint64_t dir_format = 0; /* one file of records, and what belongs to them */
	struct xp_feature_source from = source_of(w);
	int err = add_rows(w, &from, of_events, XP_ARRAY_LEN(of_events));

	if (!err && w->zstd)
		err = start_compressed(w);
	if (!err && w->output.inner)
		err = xp_data_writer_add_feature(w, XP_FEATURE_DIR_FORMAT, &dir_format,
						 sizeof(dir_format));
	return err;
}

/* AUXTRACE: where its records are, of those that are in the file. */
static int add_aux_index(struct xp_data_writer *w)
{
	struct xp_str body = { 0 };
	uint64_t end = w->data_offset + w->data_size, nr = 0, entry[2];

	add_u64(&body, 0); /* how many, known at the end */
	for (size_t at = 0; at < w->aux_index.len; at += sizeof(entry)) {
		memcpy(entry, w->aux_index.s + at, sizeof(entry));
		if (entry[0] >= end)
			break;
		add_bytes(&body, entry, sizeof(entry));
		nr++;
	}
	set_u64(&body, 0, nr);
	int err = body.failed
			  ? -ENOMEM
			  : xp_data_writer_add_feature(w, XP_FEATURE_AUXTRACE, body.s, body.len);
	xp_str_fini(&body);
	return err;
}

int xp_features_finish(struct xp_data_writer *w)
{
	int err = 0;

	if (w->packed_bytes)
		err = add_compressed(w, (uint32_t)(w->plain_bytes / w->packed_bytes));
	if (!err && w->aux_index.len)
		err = add_aux_index(w);
	return err;
}
