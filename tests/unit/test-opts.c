/* SPDX-License-Identifier: MIT */
/* Structures of options: every public function takes those of an older and of a newer caller alike.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>
#include <xperf/xperf.h>

#include "opts.h"

enum { TAIL = 16 };

static struct xp_ctx *ctx;
static struct xp_evlist *evlist;
static struct xp_timeline *timeline;
static struct xp_profile *profile;
static struct xp_tree *tree;

static int no_event(const struct xp_event_info *event, void *data)
{
	(void)event;
	(void)data;
	return 0;
}

static int no_record(const struct xp_record *record, void *data)
{
	(void)record;
	(void)data;
	return 0;
}

static int make_ctx(const void *opts, struct xp_diag *diag)
{
	struct xp_ctx *made = NULL;
	int err = xp_ctx_new(opts, &made);

	(void)diag;
	xp_ctx_free(made);
	return err;
}

static int make_functions(const void *opts, struct xp_diag *diag)
{
	struct xp_functions *made = NULL;
	int err = xp_functions_new(ctx, opts, &made, diag);

	xp_functions_free(made);
	return err;
}

static int make_disasm(const void *opts, struct xp_diag *diag)
{
	struct xp_disasm *made = NULL;
	int err = xp_disasm_new(opts, &made, diag);

	xp_disasm_free(made);
	return err;
}

static int open_list(const void *opts, struct xp_diag *diag)
{
	int err = xp_evlist_open(evlist, opts, diag);

	xp_evlist_close(evlist);
	return err;
}

static int open_sampling(const void *opts, struct xp_diag *diag)
{
	int err = xp_evlist_open_sampling(evlist, opts, diag);

	xp_evlist_close(evlist);
	return err;
}

static int config_sampling(const void *opts, struct xp_diag *diag)
{
	return xp_evlist_config_sampling(evlist, opts, diag);
}

static int map_rings(const void *opts, struct xp_diag *diag)
{
	return xp_evlist_map_rings(evlist, opts, diag);
}

static int map_ring(const void *opts, struct xp_diag *diag)
{
	struct xp_ring *ring;

	(void)diag;
	return xp_ring_map(ctx, -1, opts, &ring);
}

static int list_events(const void *opts, struct xp_diag *diag)
{
	return xp_events_list(ctx, opts, no_event, NULL, diag);
}

static int make_regions(const void *opts, struct xp_diag *diag)
{
	struct xp_regions *regions = NULL;
	int err = xp_regions_new(opts, &regions, diag);

	xp_regions_free(regions);
	return err;
}

static int open_data(const void *opts, struct xp_diag *diag)
{
	struct xp_data *data;

	return xp_data_open(ctx, opts, &data, diag);
}

static int open_writer(const void *opts, struct xp_diag *diag)
{
	struct xp_data_writer *writer = NULL;
	int err = xp_data_writer_open(ctx, opts, &writer, diag);

	xp_data_writer_free(writer);
	return err;
}

static int load_sums(const void *opts, struct xp_diag *diag)
{
	struct xp_stack_sums *sums = NULL;
	int err = xp_stack_sums_load(evlist, opts, &sums, diag);

	xp_stack_sums_free(sums);
	return err;
}

static int make_recorder(const void *opts, struct xp_diag *diag)
{
	struct xp_recorder *recorder;

	(void)diag;
	return xp_recorder_new(ctx, opts, &recorder);
}

static int make_profile(const void *opts, struct xp_diag *diag)
{
	struct xp_profile *made = NULL;
	int err = xp_profile_new(timeline, opts, &made);

	(void)diag;
	xp_profile_free(made);
	return err;
}

static int describe_tree(const void *opts, struct xp_diag *diag)
{
	(void)diag;
	return xp_tree_describe(tree, opts);
}

static int fill_tree(const void *opts, struct xp_diag *diag)
{
	(void)diag;
	return xp_tree_add_profile(tree, profile, NULL, opts);
}

static int write_nothing(const void *bytes, size_t len, void *data)
{
	(void)bytes, (void)len, (void)data;
	return 0;
}

static int write_tree(const void *opts, struct xp_diag *diag)
{
	return xp_export_tree(tree, xp_export_format_at(0), opts, diag);
}

static int fill_profile(const void *opts, struct xp_diag *diag)
{
	(void)diag;
	return xp_profile_fill(profile, NULL, opts);
}

static int make_symbols(const void *opts, struct xp_diag *diag)
{
	struct xp_symbols *symbols = NULL;
	int err = xp_symbols_new(ctx, opts, &symbols);

	(void)diag;
	xp_symbols_free(symbols);
	return err;
}

static int report_cgroups(const void *opts, struct xp_diag *diag)
{
	(void)diag;
	return xp_synth_cgroups(ctx, opts, no_record, NULL);
}

static struct xp_symbols *symbols;

static int make_unwind(const void *opts, struct xp_diag *diag)
{
	struct xp_unwind *unwind = NULL;
	int err = xp_unwind_new(symbols, opts, &unwind);

	(void)diag;
	xp_unwind_free(unwind);
	return err;
}

static int open_recorded(const void *recorded, struct xp_diag *diag)
{
	struct xp_unwind_file *file;
	struct xp_unwind *unwind;

	(void)diag;
	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
	int err = xp_unwind_open_file(unwind, recorded, &file);
	xp_unwind_free(unwind);
	return err;
}

static int open_symbols(const void *recorded, struct xp_diag *diag)
{
	struct xp_symtab *symtab;

	(void)diag;
	return xp_symbols_open_file(symbols, recorded, &symtab);
}

static int open_mapped(const void *mapped, struct xp_diag *diag)
{
	struct xp_unwind_file *file;
	struct xp_unwind *unwind;

	(void)diag;
	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
	int err = xp_unwind_open_mapped(unwind, mapped, &file);
	xp_unwind_free(unwind);
	return err;
}

static int no_map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	(void)data, (void)address, (void)ret_map;
	return 0;
}

static int make_unwinder(const void *calls, struct xp_diag *diag)
{
	struct xp_unwinder *unwinder = NULL;
	struct xp_unwind *unwind;

	(void)diag;
	assert_int_equal(xp_unwind_new(symbols, NULL, &unwind), 0);
	int err = xp_unwinder_new(unwind, "x86_64", calls, &unwinder);
	xp_unwinder_free(unwinder);
	xp_unwind_free(unwind);
	return err;
}

static int make_stacks(const void *opts, struct xp_diag *diag)
{
	struct xp_stacks *stacks = NULL;
	int err = xp_stacks_new(timeline, symbols, opts, &stacks);

	(void)diag;
	xp_stacks_free(stacks);
	return err;
}

static const enum xp_key keys[] = { XP_KEY_OVERHEAD };

/*
 * Options with which each function gets past the check of their size.
 * @returns: what it says then. The functions with -EINVAL miss what cannot be had here.
 * @says: has a struct xp_diag
 */
#define OPTS(type, ...)                                                                            \
	.bytes = sizeof(type), .opts = &(type)                                                     \
	{                                                                                          \
		.size = sizeof(type), __VA_ARGS__                                                  \
	}
static const struct {
	const char *type;
	int (*call)(const void *opts, struct xp_diag *diag);
	size_t bytes;
	const void *opts;
	int returns;
	bool says;
} rows[] = {
	{ "xp_ctx_opts", make_ctx, OPTS(struct xp_ctx_opts, 0) },
	{ "xp_open_opts", open_list, OPTS(struct xp_open_opts, 0), 0, true },
	{ "xp_open_opts", open_sampling, OPTS(struct xp_open_opts, 0), 0, true },
	{ "xp_sampling_opts", config_sampling, OPTS(struct xp_sampling_opts, 0), -EINVAL, true },
	{ "xp_rings_opts", map_rings, OPTS(struct xp_rings_opts, 0), -ENOTCONN, true },
	{ "xp_ring_opts", map_ring, OPTS(struct xp_ring_opts, .pages = 1), -EBADF },
	{ "xp_list_opts", list_events, OPTS(struct xp_list_opts, .kinds = 1 << XP_EVENT_TOOL), 0,
	  true },
	{ "xp_regions_opts", make_regions, OPTS(struct xp_regions_opts, .events = "page-faults"), 0,
	  true },
	{ "xp_data_opts", open_data, OPTS(struct xp_data_opts, .path = "/nonexistent"), -ENOENT,
	  true },
	{ "xp_data_writer_opts", open_writer,
	  OPTS(struct xp_data_writer_opts, .path = "/nonexistent/file"), -ENOENT, true },
	{ "xp_stack_sums_opts", load_sums, OPTS(struct xp_stack_sums_opts, 0), 0, true },
	{ "xp_recorder_opts", make_recorder, OPTS(struct xp_recorder_opts, 0), -EINVAL },
	{ "xp_profile_opts", make_profile,
	  OPTS(struct xp_profile_opts, .keys = keys, .nr_keys = 1, .nr_events = 1) },
	{ "xp_fill_opts", fill_profile, OPTS(struct xp_fill_opts, 0), -EINVAL },
	{ "xp_tree_info", describe_tree, OPTS(struct xp_tree_info, 0) },
	{ "xp_tree_opts", fill_tree, OPTS(struct xp_tree_opts, 0), -EINVAL },
	{ "xp_export_opts", write_tree,
	  OPTS(struct xp_export_opts, .write = write_nothing, .event = -1), 0, true },
	{ "xp_symbols_opts", make_symbols, OPTS(struct xp_symbols_opts, 0) },
	{ "xp_functions_opts", make_functions, OPTS(struct xp_functions_opts, 0), -ENODATA, true },
	{ "xp_disasm_opts", make_disasm, OPTS(struct xp_disasm_opts, 0), -ENOTSUP, true },
	{ "xp_unwind_opts", make_unwind, OPTS(struct xp_unwind_opts, 0) },
	{ "xp_symbol_file", open_symbols, OPTS(struct xp_symbol_file, .path = "/") },
	{ "xp_symbol_file", open_recorded, OPTS(struct xp_symbol_file, .path = "/") },
	{ "xp_unwind_mapped", open_mapped, OPTS(struct xp_unwind_mapped, .path = "/") },
	{ "xp_unwind_calls", make_unwinder, OPTS(struct xp_unwind_calls, .map = no_map) },
	{ "xp_stacks_opts", make_stacks, OPTS(struct xp_stacks_opts, 0) },
	{ "xp_synth_opts", report_cgroups, OPTS(struct xp_synth_opts, 0) },
};

/* The options of row @r in a structure of @bytes, of which the last has the value @last. */
static int try(size_t r, size_t bytes, char last, struct xp_diag *diag)
{
	_Alignas(max_align_t) char opts[512] = { 0 };

	assert_true(rows[r].bytes + TAIL <= sizeof(opts));
	memcpy(opts, rows[r].opts, rows[r].bytes);
	memcpy(opts, &bytes, sizeof(bytes));
	if (bytes)
		opts[bytes - 1] = last;
	*diag = (struct xp_diag){ 0 };
	return rows[r].call(opts, diag);
}

/* The same of a size that the structure does not have. */
static int try_size(size_t r, size_t size, struct xp_diag *diag)
{
	_Alignas(max_align_t) char opts[512] = { 0 };

	assert_true(rows[r].bytes <= sizeof(opts));
	memcpy(opts, rows[r].opts, rows[r].bytes);
	memcpy(opts, &size, sizeof(size));
	*diag = (struct xp_diag){ 0 };
	return rows[r].call(opts, diag);
}

static void every_structure_has_its_size(void **state)
{
	struct xp_diag diag;

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		const char *type = rows[r].type;

		if (try(r, 0, 0, &diag) != -EINVAL || (rows[r].says && !strstr(diag.hint, type)))
			fail_msg("%s without a size: %s. %s", type, diag.what, diag.hint);
		if (try(r, sizeof(size_t), 0, &diag) != -EINVAL)
			fail_msg("%s of the size of a pointer", type);
		if (try(r, rows[r].bytes, 0, &diag) != rows[r].returns)
			fail_msg("%s as it is: %s", type, diag.what);
		if (try(r, rows[r].bytes + TAIL, 0, &diag) != rows[r].returns)
			fail_msg("%s of a newer caller that does not use what is new", type);
		if (try_size(r, 1 << 30, &diag) != -E2BIG ||
		    (rows[r].says && !strstr(diag.what, "too large")))
			fail_msg("%s of a size that is no size: %s", type, diag.what);
		if (try(r, rows[r].bytes + TAIL, 1, &diag) != -E2BIG ||
		    (rows[r].says && !strstr(diag.what, type)))
			fail_msg("%s of a newer caller: %s", type, diag.what);
	}
}

#define SAMPLING(...) config_sampling, OPTS(struct xp_sampling_opts, __VA_ARGS__)
#define WRITER(...)   open_writer, OPTS(struct xp_data_writer_opts, __VA_ARGS__)

static void what_cannot_be_meant_is_refused(void **state)
{
	const struct {
		int (*call)(const void *opts, struct xp_diag *diag);
		size_t bytes;
		const void *opts;
		const char *what;
	} wrong[] = {
		{ SAMPLING(.flags = 1ULL << 40), "does not know the sampling flags 0x10000000000" },
		{ SAMPLING(.flags = XP_SAMPLING_ALL_USER | XP_SAMPLING_ALL_KERNEL),
		  "of user space only and of the kernel only" },
		{ SAMPLING(.flags = XP_SAMPLING_TIME | XP_SAMPLING_NO_TIME), "without a time" },
		{ SAMPLING(.flags = XP_SAMPLING_NO_USER_CHAIN | XP_SAMPLING_NO_KERNEL_CHAIN),
		  "without user space and without the kernel" },
		{ SAMPLING(.callchain = (enum xp_callchain)77), "77 is not a kind of call chain" },
		{ SAMPLING(.stack_bytes = 65532), "65532 bytes of stack" },
		{ SAMPLING(.stack_bytes = 65536), "65536 bytes of stack" },
		{ SAMPLING(.max_stack = 65536), "65536 frames" },
		{ SAMPLING(.branch_type = 1ULL << 50 | 1), "branch types 0x4000000000000" },
		{ SAMPLING(.use_clockid = true, .clockid = 99), "99 is not a clock" },
		{ SAMPLING(.use_clockid = true, .clockid = -1), "-1 is not a clock" },
		{ SAMPLING(.regs_intr = 1ULL << 63 | 1ULL << 30), "no registers 0x" },
		{ list_events, OPTS(struct xp_list_opts, .kinds = 1 << XP_EVENT_NR_KINDS),
		  "names no kinds of events" },
		{ WRITER(.fd = -1), "No file is given to write" },
		{ WRITER(.fd = 1, .shape = (enum xp_data_shape)2), "not a kind of recording" },
		{ WRITER(.fd = 1, .compress_level = -1), "-1 is not a compression level" },
		{ WRITER(.fd = 1, .compress_level = 23), "23 is not a compression level" },
		{ make_symbols, OPTS(struct xp_symbols_opts, .debuginfod_limit_s = -1), "" },
		{ make_unwind, OPTS(struct xp_unwind_opts, .method = (enum xp_unwind_method)9),
		  "" },
		{ make_unwinder, OPTS(struct xp_unwind_calls, .map = NULL), "" },
		{ make_profile,
		  OPTS(struct xp_profile_opts, .keys = keys, .nr_keys = 1, .nr_events = 1,
		       .group_leader = XP_GROUP_SUM - 1),
		  "" },
		{ make_profile,
		  OPTS(struct xp_profile_opts, .keys = keys, .nr_keys = 1, .nr_events = 1,
		       .nr_threads = -1),
		  "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct xp_diag diag = { 0 };

		if (wrong[i].call(wrong[i].opts, &diag) != -EINVAL ||
		    !strstr(diag.what, wrong[i].what))
			fail_msg("row %zu: %s", i, diag.what);
	}
	assert_int_equal(xp_evlist_add_default(evlist, (enum xp_default_set)4, false), -EINVAL);
	assert_int_equal(xp_evlist_add_detailed(evlist, (enum xp_default_set)4), -EINVAL);
}

static void a_timeline_is_sealed_first(void **state)
{
	const struct xp_profile_opts opts = {
		.size = sizeof(opts), .keys = keys, .nr_keys = 1, .nr_events = 1
	};
	struct xp_timeline *open;
	const struct xp_record record = { .type = XP_RECORD_SAMPLE, .size = sizeof(record) };
	const struct xp_sample sample = { .size = sizeof(sample), .record = &record };
	struct xp_resolver *resolver;
	struct xp_profile *early;

	(void)state;
	assert_int_equal(xp_timeline_new(&open), 0);
	/* It is given the side band while that is read. */
	assert_int_equal(xp_profile_new(open, &opts, &early), 0);
	assert_int_equal(xp_profile_add(early, 0, &sample), -EINVAL);
	xp_profile_free(early);
	assert_int_equal(xp_resolver_new(open, NULL, &resolver), -EINVAL);
	xp_timeline_free(open);
}

static void events_are_configured_for_sampling(void **state)
{
	const struct xp_sampling_opts sampling = { .size = sizeof(sampling), .freq_hz = 99 };
	struct xp_open_opts opts = { .size = sizeof(opts) };
	struct xp_evlist *events;
	struct xp_diag diag;

	(void)state;
	assert_int_equal(xp_threads_one(ctx, 0, &opts.threads), 0);
	assert_int_equal(xp_evlist_new(ctx, &events), 0);
	assert_int_equal(xp_evlist_parse(events, "cpu-clock", NULL), 0);
	assert_int_equal(xp_evlist_open_sampling(events, &opts, &diag), -EINVAL);
	assert_non_null(strstr(diag.hint, "xp_evlist_config_sampling()"));
	assert_int_equal(xp_evlist_config_sampling(events, &sampling, &diag), 0);
	assert_int_equal(xp_evlist_parse(events, "page-faults", NULL), 0);
	assert_int_equal(xp_evlist_open_sampling(events, &opts, &diag), -EINVAL);
	xp_evlist_free(events);
	xp_threads_unref(opts.threads);
}

/* A structure that has grown since its first version. */
struct grown {
	size_t size;
	int first;
	int later;
};

static void older_callers_have_less(void **state)
{
	struct grown mine = { .first = 5, .later = 6 };
	struct grown theirs = { .size = offsetof(struct grown, later), .first = 7, .later = 8 };

	(void)state;
	assert_int_equal(XP_OPTS_COPY(&mine, &theirs, struct grown, first, NULL), 0);
	assert_int_equal(mine.size, sizeof(mine));
	assert_int_equal(mine.first, 7);
	assert_int_equal(mine.later, 0);

	theirs.size--;
	theirs.first = 9;
	assert_int_equal(XP_OPTS_COPY(&mine, &theirs, struct grown, first, NULL), -EINVAL);
	assert_int_equal(mine.first, 7);

	assert_int_equal(XP_OPTS_COPY(&mine, NULL, struct grown, first, NULL), 0);
	assert_int_equal(mine.size, sizeof(mine));
	assert_int_equal(mine.first, 0);
}

static int setup(void **state)
{
	const struct xp_profile_opts opts = {
		.size = sizeof(opts), .keys = keys, .nr_keys = 1, .nr_events = 1
	};
	struct xp_resolver *resolver;

	(void)state;
	assert_int_equal(xp_ctx_new(NULL, &ctx), 0);
	assert_int_equal(xp_evlist_new(ctx, &evlist), 0);
	assert_int_equal(xp_timeline_new(&timeline), 0);
	assert_int_equal(xp_timeline_seal(timeline), 0);
	assert_int_equal(xp_profile_new(timeline, &opts, &profile), 0);
	assert_int_equal(xp_tree_new(&tree), 0);
	assert_int_equal(xp_symbols_new(ctx, NULL, &symbols), 0);
	assert_int_equal(xp_resolver_new(timeline, symbols, &resolver), 0);
	assert_int_equal(xp_profile_resolve(profile, resolver, NULL, NULL), 0);
	xp_resolver_free(resolver);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	xp_profile_free(profile);
	xp_tree_free(tree);
	xp_symbols_free(symbols);
	xp_timeline_free(timeline);
	xp_evlist_free(evlist);
	xp_ctx_free(ctx);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_structure_has_its_size),
		cmocka_unit_test(older_callers_have_less),
		cmocka_unit_test(what_cannot_be_meant_is_refused),
		cmocka_unit_test(a_timeline_is_sealed_first),
		cmocka_unit_test(events_are_configured_for_sampling),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
