/* SPDX-License-Identifier: MIT */
/*
 * Random histories of processes as recordings, summed up by one thread and by several: every sample
 * must be in the row of the thread, the name, the file and the address it was taken at, and the
 * results are the same, the order of the rows and all call chains included.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <unistd.h>
#include <xperf/xperf.h>

#include "histories.h"
#include "reader.h"

enum { NR_HISTORIES = 200, NR_TREES = 40, TRAILER = 24, HEADER_BYTES = 104 };

static const int threads[] = { 1, 2, 5 };

/* --- a recording --- */

static void write_record(const struct timed *rec, void *file)
{
	struct xp_record header = rec->header;
	bool has_trailer = header.type != XP_RECORD_SAMPLE;
	const uint64_t trailer[TRAILER / 8] = { UINT64_MAX, rec->time_ns, 0 };

	header.size = (uint16_t)(header.size + (has_trailer ? TRAILER : 0));
	fwrite(&header, sizeof(header), 1, file);
	fwrite(rec->bytes + sizeof(header), rec->header.size - sizeof(header), 1, file);
	if (has_trailer)
		fwrite(trailer, sizeof(trailer), 1, file);
}

/* The header, the event without ids, the records. */
static void write_recording(struct history *h, const char *path)
{
	const struct xp_attr attr = { .type = 1,
				      .size = sizeof(attr),
				      .sample_period = 1,
				      .sample_type = HISTORY_SAMPLE_TYPE,
				      .sample_id_all = 1 };
	uint64_t header[HEADER_BYTES / 8] = { UINT64_C(0x32454c4946524550), HEADER_BYTES,
					      sizeof(attr) + 16, HEADER_BYTES, sizeof(attr) + 16 };
	const uint64_t ids[2] = { 0 };
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	header[5] = HEADER_BYTES + sizeof(attr) + sizeof(ids);
	fwrite(header, sizeof(header), 1, file);
	fwrite(&attr, sizeof(attr), 1, file);
	fwrite(ids, sizeof(ids), 1, file);
	history_read(h, write_record, file);
	header[6] = (uint64_t)ftell(file) - header[5];
	rewind(file);
	fwrite(header, sizeof(header), 1, file);
	assert_int_equal(fclose(file), 0);
}

/* --- what is to come out --- */

/* Samples of one row. @offset: in the file; 0 in what has functions */
struct truth {
	int tid;
	const char *comm;
	char file[32];
	uint64_t offset, samples, period;
};

struct truths {
	struct truth *at;
	size_t nr;
};

/* The machine's own vDSO has symbols, and a program in the kernel is one. */
static bool has_functions(const char *file)
{
	return !strcmp(file, "[vdso]") || !strncmp(file, "bpf_prog_", 9);
}

static void add_truth(struct truths *truths, const struct truth *truth)
{
	truths->at[truths->nr] = *truth;
	if (has_functions(truth->file))
		truths->at[truths->nr].offset = 0;
	truths->nr++;
}

static int by_key(const void *a, const void *b)
{
	const struct truth *x = a, *y = b;
	int order = x->tid - y->tid;

	order = order ? order : strcmp(x->comm, y->comm);
	order = order ? order : strcmp(x->file, y->file);
	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

/* One of each row. */
static void sum_up(struct truths *truths)
{
	size_t nr = 0;

	qsort(truths->at, truths->nr, sizeof(*truths->at), by_key);
	for (size_t i = 0; i < truths->nr; i++)
		if (nr && !by_key(&truths->at[nr - 1], &truths->at[i])) {
			truths->at[nr - 1].samples += truths->at[i].samples;
			truths->at[nr - 1].period += truths->at[i].period;
		} else {
			truths->at[nr++] = truths->at[i];
		}
	truths->nr = nr;
}

static struct truths truths_of(const struct history *h)
{
	struct truths truths = { calloc(h->nr_samples + 1, sizeof(*truths.at)), 0 };

	assert_non_null(truths.at);
	for (size_t i = 0; i < h->nr_samples; i++) {
		const struct sample *sample = &h->samples[i];
		const char *slash;

		if (!sample->page.file)
			continue;
		struct truth truth = { sample->tid, comm_name(sample->comm),
				       "",          sample->page.offset,
				       1,           sample->period };
		slash = strrchr(file_name(sample->page.file), '/');
		snprintf(truth.file, sizeof(truth.file), "%s",
			 slash ? slash + 1 : file_name(sample->page.file));
		add_truth(&truths, &truth);
	}
	sum_up(&truths);
	return truths;
}

/* --- what came out --- */

struct summary {
	struct xp_ctx *ctx;
	struct xp_data *data;
	struct xp_timeline *timeline;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
	struct xp_profile *profile;
};

static void index_records(struct summary *s)
{
	const struct xp_record *record;
	struct xp_sample_id id;

	while (xp_data_next(s->data, &record, NULL) > 0) {
		if (record->type == XP_RECORD_SAMPLE)
			continue;
		assert_int_equal(
			xp_sample_id_decode(record, &xp_data_event_at(s->data, 0)->attr, &id), 0);
		uint64_t at = xp_data_position(s->data);
		assert_int_equal(xp_timeline_add_at(s->timeline, record, &id, at), 0);
		assert_int_equal(xp_profile_note_at(s->profile, record, &id, at), 0);
	}
	assert_int_equal(xp_timeline_seal(s->timeline), 0);
}

static void sum_up_file(struct summary *s, const char *path, int nr_threads)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD_CHILDREN, XP_KEY_PID, XP_KEY_COMM,
					    XP_KEY_DSO, XP_KEY_SYMBOL };
	const struct xp_data_opts data_opts = { .size = sizeof(data_opts), .path = path };
	const struct xp_profile_opts opts = { .size = sizeof(opts),
					      .keys = keys,
					      .nr_keys = sizeof(keys) / sizeof(keys[0]),
					      .nr_events = 1,
					      .with_chains = true,
					      .children = true };
	const struct xp_symbols_opts symbols = { .size = sizeof(symbols), .symfs = "/nowhere" };
	const struct xp_fill_opts fill = { .size = sizeof(fill), .nr_threads = nr_threads };

	assert_int_equal(xp_ctx_new(NULL, &s->ctx), 0);
	assert_int_equal(xp_data_open(s->ctx, &data_opts, &s->data, NULL), 0);
	assert_int_equal(xp_timeline_new(&s->timeline), 0);
	assert_int_equal(xp_profile_new(s->timeline, &opts, &s->profile), 0);
	index_records(s);
	assert_int_equal(xp_profile_fill(s->profile, s->data, &fill), 0);
	assert_int_equal(xp_data_nr_damages(s->data), 0);
	assert_int_equal(xp_symbols_new(s->ctx, &symbols, &s->symbols), 0);
	assert_int_equal(xp_resolver_new(s->timeline, s->symbols, &s->resolver), 0);
	assert_int_equal(xp_profile_resolve(s->profile, s->resolver, NULL, NULL), 0);
}

static void summary_free(struct summary *s)
{
	xp_profile_free(s->profile);
	xp_resolver_free(s->resolver);
	xp_symbols_free(s->symbols);
	xp_timeline_free(s->timeline);
	xp_data_close(s->data);
	xp_ctx_free(s->ctx);
}

/* Rows that have samples of their own, not only callers. */
static void check_truth(const struct summary *s, const struct truths *truths)
{
	size_t nr = xp_profile_nr_rows(s->profile, 0);
	struct truths found = { calloc(nr + 1, sizeof(*found.at)), 0 };
	const struct xp_profile_row *row;

	assert_non_null(found.at);
	for (size_t i = 0; i < nr; i++) {
		row = xp_profile_row_at(s->profile, 0, i);
		if (!row->sum.samples)
			continue;
		struct truth truth = { row->tid,          row->comm,        "",
				       row->location->ip, row->sum.samples, row->sum.period };
		assert_non_null(row->location->frame.map.dso);
		snprintf(truth.file, sizeof(truth.file), "%s",
			 row->location->frame.map.dso->short_name);
		add_truth(&found, &truth);
	}
	sum_up(&found);
	assert_int_equal(found.nr, truths->nr);
	for (size_t i = 0; i < found.nr; i++) {
		assert_int_equal(by_key(&found.at[i], &truths->at[i]), 0);
		assert_int_equal(found.at[i].samples, truths->at[i].samples);
		assert_int_equal(found.at[i].period, truths->at[i].period);
	}
	free(found.at);
}

static void check_same_place(const struct xp_location *a, const struct xp_location *b)
{
	assert_int_equal(a->ip, b->ip);
	assert_int_equal(a->level, b->level);
	assert_int_equal(!a->frame.map.dso, !b->frame.map.dso);
	if (a->frame.map.dso)
		assert_string_equal(a->frame.map.dso->name, b->frame.map.dso->name);
}

static void check_same_chains(const struct xp_chain *a, const struct xp_chain *b)
{
	assert_int_equal(a->hit, b->hit);
	assert_int_equal(a->below, b->below);
	assert_int_equal(a->nr_locations, b->nr_locations);
	for (int i = 0; i < a->nr_locations; i++)
		check_same_place(a->locations[i], b->locations[i]);
	a = a->child;
	b = b->child;
	for (; a && b; a = a->next, b = b->next)
		check_same_chains(a, b);
	assert_true(!a && !b);
}

static void check_same(const struct summary *a, const struct summary *b)
{
	size_t nr = xp_profile_nr_rows(a->profile, 0);

	assert_int_equal(xp_profile_nr_rows(b->profile, 0), nr);
	for (size_t i = 0; i < nr; i++) {
		const struct xp_profile_row *x = xp_profile_row_at(a->profile, 0, i);
		const struct xp_profile_row *y = xp_profile_row_at(b->profile, 0, i);
		const struct xp_chain *x_root, *y_root;

		assert_string_equal(x->comm, y->comm);
		assert_int_equal(x->tid, y->tid);
		assert_int_equal(x->pid, y->pid);
		assert_int_equal(x->sum.period, y->sum.period);
		assert_int_equal(x->sum.samples, y->sum.samples);
		assert_int_equal(x->sum.children_period, y->sum.children_period);
		check_same_place(x->location, y->location);
		if (i >= NR_TREES)
			continue;
		assert_int_equal(xp_profile_chains(a->profile, 0, i, &x_root), 0);
		assert_int_equal(xp_profile_chains(b->profile, 0, i, &y_root), 0);
		check_same_chains(x_root, y_root);
	}
}

static void check_history(uint64_t seed, const char *path)
{
	struct history *h = history_new(seed, seed % 4 == 0);
	struct summary summaries[sizeof(threads) / sizeof(threads[0])];
	size_t nr = sizeof(threads) / sizeof(threads[0]);
	uint64_t offsets[6];

	write_recording(h, path);
	struct truths truths = truths_of(h);
	assert_true(truths.nr > NR_STEPS / 20);
	for (size_t i = 0; i < nr; i++) {
		sum_up_file(&summaries[i], path, threads[i]);
		check_truth(&summaries[i], &truths);
	}
	assert_int_equal(xp_data_split(summaries[0].data, 5, offsets), 5);
	for (size_t i = 1; i < nr; i++)
		check_same(&summaries[0], &summaries[i]);
	for (size_t i = 0; i < nr; i++)
		summary_free(&summaries[i]);
	free(truths.at);
	history_free(h);
}

static void test_histories(void **state)
{
	char path[] = "/tmp/test-profile-random.XXXXXX";
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	for (uint64_t seed = 1; seed <= NR_HISTORIES; seed++)
		check_history(seed, path);
	unlink(path);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_histories),
	};

	return cmocka_run_group_tests_name("profile-random", tests, NULL, NULL);
}
