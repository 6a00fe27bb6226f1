/* SPDX-License-Identifier: MIT */
/*
 * What happens when there is no memory, or no descriptor: of each scenario the k-th allocation
 * fails, and then the k-th file cannot be opened. Each ends with that error, or as if nothing had
 * happened; nothing is leaked, and the same works right afterwards.
 *
 * The linker puts the functions below in place of those that the library calls (--wrap). To see
 * what one of them was for: test-scarce NAME K, with XPERF_TEST_STACK in the environment.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <xperf/xperf.h>

#include "str.h"
#include "unit/elf-files.h"

enum { MOST = 500, BASE = 0x10000000, MAPPED = 1 << 16, IDS = 1 };

/* --- what fails --- */

/* One that is counted; it fails when @left gets to 0. */
struct source {
	atomic_long left;
	atomic_bool is_on, has_failed;
};

static struct source memory, descriptors;

void __sanitizer_print_stack_trace(void) __attribute__((weak));

static bool fails(struct source *source)
{
	if (!source->is_on || atomic_fetch_sub(&source->left, 1) != 1)
		return false;
	source->has_failed = true;
	if (getenv("XPERF_TEST_STACK") && __sanitizer_print_stack_trace)
		__sanitizer_print_stack_trace();
	return true;
}

static bool no_memory(void)
{
	if (!fails(&memory))
		return false;
	errno = ENOMEM;
	return true;
}

static bool no_descriptor(void)
{
	if (!fails(&descriptors))
		return false;
	errno = EMFILE;
	return true;
}

/* Names are the linker's. */
#define WRAPPED_IF(is_none, none, type, name, parameters, arguments)                               \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return is_none() ? (none) : __real_##name arguments;                               \
	}
#define MEMORY(...)     WRAPPED_IF(no_memory, NULL, __VA_ARGS__)
#define DESCRIPTOR(...) WRAPPED_IF(no_descriptor, -1, __VA_ARGS__)

MEMORY(void *, malloc, (size_t len), (len))
MEMORY(void *, calloc, (size_t nr, size_t len), (nr, len))
MEMORY(void *, realloc, (void *old, size_t len), (old, len))
MEMORY(void *, reallocarray, (void *old, size_t nr, size_t len), (old, nr, len))
MEMORY(void *, aligned_alloc, (size_t at, size_t len), (at, len))
MEMORY(char *, strdup, (const char *text), (text))
MEMORY(char *, strndup, (const char *text, size_t len), (text, len))
MEMORY(char *, realpath, (const char *path, char *to), (path, to))
DESCRIPTOR(int, eventfd, (unsigned int value, int flags), (value, flags))
DESCRIPTOR(int, pipe2, (int fds[2], int flags), (fds, flags))
DESCRIPTOR(int, dup, (int fd), (fd))
DESCRIPTOR(int, mkostemp, (char *path, int flags), (path, flags))
DESCRIPTOR(int, mkostemp64, (char *path, int flags), (path, flags))
WRAPPED_IF(no_descriptor, NULL, DIR *, opendir, (const char *path), (path))

int __real_vasprintf(char **ret_text, const char *fmt, va_list ap);
int __wrap_vasprintf(char **ret_text, const char *fmt, va_list ap);
int __wrap_asprintf(char **ret_text, const char *fmt, ...);

__attribute__((format(printf, 2, 0))) int __wrap_vasprintf(char **ret_text, const char *fmt,
							   va_list ap)
{
	return no_memory() ? -1 : __real_vasprintf(ret_text, fmt, ap);
}

__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **ret_text, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	int len = __wrap_vasprintf(ret_text, fmt, ap);
	va_end(ap);
	return len;
}

#define OPENS(name, first, ...)                                                                    \
	int __real_##name(__VA_ARGS__, ...);                                                       \
	int __wrap_##name(__VA_ARGS__, ...);                                                       \
	int __wrap_##name(__VA_ARGS__, ...)                                                        \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
		va_list ap;                                                                        \
                                                                                                   \
		va_start(ap, flags);                                                               \
		if (flags & (O_CREAT | O_TMPFILE))                                                 \
			mode = va_arg(ap, mode_t);                                                 \
		va_end(ap);                                                                        \
		return no_descriptor() ? -1 : __real_##name first;                                 \
	}
OPENS(open, (path, flags, mode), const char *path, int flags)
OPENS(open64, (path, flags, mode), const char *path, int flags)
OPENS(openat, (dir, path, flags, mode), int dir, const char *path, int flags)
OPENS(openat64, (dir, path, flags, mode), int dir, const char *path, int flags)

/* --- scenarios --- */

/* What a scenario has found, as one number, so that a success is one. */
static void note(uint64_t *sum, uint64_t value)
{
	*sum = (*sum ^ value) * UINT64_C(0x100000001b3) + 1;
}

static void note_text(uint64_t *sum, const char *text)
{
	for (; text && *text; text++)
		note(sum, (unsigned char)*text);
}

static struct xp_sys sys;

static int no_event(const struct xp_sys *self, const struct xp_attr *attr, pid_t pid, int cpu,
		    int group_fd, unsigned long flags)
{
	return no_descriptor()
		       ? -EMFILE
		       : xp_sys_linux()->perf_event_open(self, attr, pid, cpu, group_fd, flags);
}

static int context(const char *tree, struct xp_ctx **ret_ctx)
{
	const char *source = getenv("SOURCE_DIR");
	char root[4096] = "";

	if (tree)
		snprintf(root, sizeof(root), "%s/tests/data/roots/%s", source, tree);
	const struct xp_ctx_opts opts = { .size = sizeof(opts), .sys = &sys, .root = root };
	*ret_ctx = NULL;
	return xp_ctx_new(&opts, ret_ctx);
}

static int machine(uint64_t *sum)
{
	static const enum xp_aggr_mode modes[] = { XP_AGGR_SOCKET, XP_AGGR_CORE, XP_AGGR_NODE,
						   XP_AGGR_CACHE };
	struct xp_aggr *aggr = NULL;
	struct xp_cpus *cpus = NULL;
	struct xp_threads *threads = NULL;
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx;
	int err = context(NULL, &ctx) ?: xp_cpus_online(ctx, &cpus, &diag)
					   ?: xp_threads_any(&threads);

	for (size_t i = 0; !err && i < sizeof(modes) / sizeof(modes[0]); i++) {
		err = xp_aggr_new(ctx, modes[i], cpus, threads, &aggr);
		if (err)
			break;
		note(sum, (uint64_t)xp_aggr_nr(aggr));
		for (int row = 0; row < xp_aggr_nr(aggr); row++)
			note(sum, (uint64_t)xp_aggr_id_at(aggr, row)->nr_cpus);
		xp_aggr_free(aggr);
	}
	xp_threads_unref(threads);
	xp_cpus_unref(cpus);
	xp_ctx_free(ctx);
	return err;
}

static int events(uint64_t *sum)
{
	struct xp_evlist *evlist = NULL;
	struct xp_metrics *metrics = NULL;
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx;
	int err = context("parse", &ctx)
			  ?: xp_evlist_new(ctx, &evlist)
			  ?: xp_evlist_parse(evlist,
					     "{cycles,instructions:u}:S,page-faults/name=x/,"
					     "cpu/event=1,umask=2/k,r1a8,L1-dcache-loads,cycles:pp",
					     &diag)
			  ?: xp_evlist_add_default(evlist, XP_DEFAULT_DETAILED_3, false)
			  ?: xp_metrics_new(evlist, &metrics);

	for (int i = 0; !err && i < xp_evlist_nr(evlist); i++)
		note_text(sum, xp_evsel_name(xp_evlist_at(evlist, i)));
	xp_metrics_free(metrics);
	xp_evlist_free(evlist);
	xp_ctx_free(ctx);
	return err;
}

static int counting(uint64_t *sum)
{
	struct xp_open_opts opts = { .size = sizeof(opts), .inherit = true };
	struct xp_evlist *evlist = NULL;
	struct xp_counts *counts = NULL;
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx;
	int err = context(NULL, &ctx) ?: xp_evlist_new(ctx, &evlist)
				      ?: xp_evlist_parse(evlist, "task-clock:u,page-faults:u", &diag)
				      ?: xp_threads_one(ctx, getpid(), &opts.threads)
				      ?: xp_evlist_open(evlist, &opts, &diag)
				      ?: xp_counts_new(2, 1, 1, &counts)
				      ?: xp_evlist_enable(evlist)
				      ?: xp_evlist_disable(evlist)
				      ?: xp_evlist_read(evlist, NULL, counts);

	if (!err)
		note(sum, xp_counts_at(counts, 0, 0, 0)->enabled_ns > 0);
	xp_counts_free(counts);
	xp_evlist_free(evlist);
	xp_threads_unref(opts.threads);
	xp_ctx_free(ctx);
	return err;
}

/* IP, TID, TIME, CALLCHAIN */
static struct xp_data_event recorded(void)
{
	static const uint64_t id = 1;

	return (struct xp_data_event){
		.size = sizeof(struct xp_data_event),
		.name = "cpu-clock",
		.scale = 1,
		.ids = &id,
		.nr_ids = IDS,
		.attr = { .type = XP_TYPE_SOFTWARE,
			  .size = 128,
			  .sample_period = 1000,
			  .sample_type = XP_SAMPLE_IP | XP_SAMPLE_TID | XP_SAMPLE_TIME |
					 XP_SAMPLE_CALLCHAIN,
			  .sample_id_all = 1 },
	};
}

static uint64_t leaf_address;
static char recording[160];

static int write_with_id(struct xp_data_writer *writer, struct xp_record *record, size_t len)
{
	const struct xp_data_event event = recorded();
	const struct xp_sample_id id = { .pid = 7, .tid = 7, .time_ns = 5 };

	xp_sample_id_encode(&id, &event.attr, (char *)record + len);
	record->size = (uint16_t)(len + xp_sample_id_bytes(&event.attr));
	return xp_data_writer_write(writer, record, record->size, false);
}

static int write_records(struct xp_data_writer *writer)
{
	union {
		struct xp_record header;
		struct xp_record_mmap2 map;
		struct xp_record_comm comm;
		uint64_t room[64];
	} record = { .comm = { .header = { .type = XP_RECORD_COMM }, .pid = 7, .tid = 7 } };
	const struct xp_data_event event = recorded();
	struct xp_sample sample = { .size = sizeof(sample) };

	memcpy((char *)&record + sizeof(record.comm), "task", 5);
	int err = write_with_id(writer, &record.header, sizeof(record.comm) + 8);
	record.map = (struct xp_record_mmap2){ .header = { .type = XP_RECORD_MMAP2,
							   .misc = XP_MISC_USER },
					       .pid = 7,
					       .tid = 7,
					       .address = BASE,
					       .len = MAPPED,
					       .prot = 5,
					       .flags = 2 };
	strcpy((char *)&record + sizeof(record.map), elf_path("plain"));
	err = err ?: write_with_id(writer, &record.header, sizeof(record.map) + 64);
	for (uint64_t i = 0; !err && i < 20; i++) {
		const uint64_t ips[] = { XP_CONTEXT_USER, BASE + leaf_address + i % 3,
					 BASE + leaf_address + 40 * (i % 4) };

		sample.id = (struct xp_sample_id){ .pid = 7, .tid = 7, .time_ns = 10 + i };
		sample.ip = ips[1];
		sample.callchain = ips;
		sample.nr_callchain = 3;
		int len = xp_sample_encode(&sample, &event.attr, &record, sizeof(record));
		record.header.misc = XP_MISC_USER;
		err = len < 0 ? len : xp_data_writer_write(writer, &record, (size_t)len, true);
	}
	return err;
}

static int write_recording(struct xp_ctx *ctx, const char *path, int level)
{
	const struct xp_data_writer_opts opts = { .size = sizeof(opts),
						  .path = path,
						  .compress_level = level };
	const struct xp_data_event event = recorded();
	struct xp_data_writer *writer = NULL;
	struct xp_diag diag = { 0 };
	int err = xp_data_writer_open(ctx, &opts, &writer, &diag)
			  ?: xp_data_writer_add_event(writer, &event)
			  ?: xp_data_writer_add_feature(writer, XP_FEATURE_HOSTNAME, "host", 4)
			  ?: xp_data_writer_start(writer, &diag)
			  ?: write_records(writer)
			  ?: xp_data_writer_finish(writer, &diag);

	xp_data_writer_free(writer);
	return err;
}

static int read_recording(struct xp_ctx *ctx, const char *path, uint64_t *sum)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = path };
	struct xp_data *data = NULL;
	const struct xp_record *record;
	struct xp_diag diag = { 0 };
	int err = xp_data_open(ctx, &opts, &data, &diag), got = err;

	while (!err && (got = xp_data_next(data, &record, NULL)) > 0)
		note(sum, record->type << 16 | record->size);
	if (!got)
		note(sum, xp_data_nr_damages(data));
	xp_data_close(data);
	return got;
}

static int round_trip(uint64_t *sum)
{
	char path[160];
	struct xp_ctx *ctx;
	int err = context(NULL, &ctx);

	snprintf(path, sizeof(path), "%s", elf_path("written"));
	for (int level = 0; !err && level < 2; level++) {
		err = write_recording(ctx, path, level);
		if (err == -ENOSYS)
			err = 0;
		else
			err = err ?: read_recording(ctx, path, sum);
	}
	xp_ctx_free(ctx);
	return err;
}

/* What is made of a recording, in this order. */
struct work {
	struct xp_ctx *ctx;
	struct xp_data *data;
	struct xp_timeline *timeline;
	struct xp_profile *profile;
	struct xp_symbols *symbols;
	struct xp_resolver *resolver;
};

static int load(struct work *work)
{
	const struct xp_data_opts opts = { .size = sizeof(opts), .path = recording };
	struct xp_diag diag = { 0 };

	*work = (struct work){ 0 };
	return context(NULL, &work->ctx) ?: xp_data_open(work->ctx, &opts, &work->data, &diag)
					 ?: xp_timeline_new(&work->timeline)
					 ?: xp_timeline_load(work->timeline, work->data, NULL, NULL);
}

static void unload(struct work *work)
{
	xp_resolver_free(work->resolver);
	xp_symbols_free(work->symbols);
	xp_profile_free(work->profile);
	xp_timeline_free(work->timeline);
	xp_data_close(work->data);
	xp_ctx_free(work->ctx);
}

static int timeline(uint64_t *sum)
{
	struct xp_map map = { .size = sizeof(map) };
	struct work work;
	int err = load(&work);

	if (!err)
		note(sum, (uint64_t)xp_timeline_map_at(work.timeline, 7, XP_MISC_USER, BASE + 1, 20,
						       &map));
	unload(&work);
	return err;
}

static int profile_of(struct work *work)
{
	static const enum xp_key keys[] = { XP_KEY_OVERHEAD, XP_KEY_COMM, XP_KEY_DSO, XP_KEY_SYMBOL,
					    XP_KEY_SRCLINE };
	const struct xp_profile_opts how = { .size = sizeof(how),
					     .keys = keys,
					     .nr_keys = sizeof(keys) / sizeof(keys[0]),
					     .nr_events = 1,
					     .with_chains = true };
	const struct xp_fill_opts fill = { .size = sizeof(fill) };
	const struct xp_profile_row *row;
	int err = load(work) ?: xp_profile_new(work->timeline, &how, &work->profile)
			  ?: xp_profile_fill(work->profile, work->data, &fill)
			  ?: xp_symbols_new(work->ctx, NULL, &work->symbols)
			  ?: xp_resolver_new(work->timeline, work->symbols, &work->resolver)
			  ?: xp_profile_resolve(work->profile, work->resolver, NULL, NULL);

	for (size_t i = 0; !err && (row = xp_profile_row_at(work->profile, 0, i)); i++)
		if (row->location && row->location->frame.symtab &&
		    xp_symtab_get_state(row->location->frame.symtab) == XP_SYMTAB_NO_DESCRIPTOR)
			err = -EMFILE;
	return err;
}

static int profile(uint64_t *sum)
{
	const struct xp_profile_row *row;
	const struct xp_chain *chain;
	struct work work;
	int err = profile_of(&work);

	for (size_t i = 0; !err && (row = xp_profile_row_at(work.profile, 0, i)); i++) {
		note_text(sum, row->comm);
		note_text(sum, row->location ? row->location->frame.function.name : NULL);
		note(sum, row->sum.samples);
		err = xp_profile_chains(work.profile, 0, i, &chain);
		for (; !err && chain; chain = chain->child)
			note(sum, (uint64_t)chain->nr_locations);
	}
	unload(&work);
	return err;
}

static int keep_nothing(const void *bytes, size_t len, void *data)
{
	for (size_t i = 0; i < len; i++)
		note(data, ((const unsigned char *)bytes)[i]);
	return 0;
}

static int exports(uint64_t *sum)
{
	const struct xp_export_format *format;
	const struct xp_tree_opts how = { .size = sizeof(how) };
	struct xp_export_opts opts = { .size = sizeof(opts), .event = -1, .write = keep_nothing };
	struct xp_tree *tree = NULL;
	struct work work;
	int err = profile_of(&work) ?: xp_tree_new(&tree)
				    ?: xp_tree_add_profile(tree, work.profile, work.data, &how)
				    ?: xp_tree_add_folded(tree, "a;b;c 3", 7);

	for (size_t i = 0; !err && (format = xp_export_format_at(i)); i++) {
		uint64_t ignored = 0;

		opts.data = format->has & XP_EXPORT_SAMPLES ? &ignored : sum;
		opts.event = format->has & XP_EXPORT_EVENTS ? -1 : 0;
		if (!(format->has & (XP_EXPORT_SAMPLES | XP_EXPORT_BASE)))
			err = xp_export_tree(tree, format, &opts, NULL);
	}
	xp_tree_free(tree);
	unload(&work);
	return err;
}

static int symbols(uint64_t *sum)
{
	struct xp_symbols *all = NULL;
	struct xp_symtab *symtab;
	struct xp_function function = { 0 };
	const struct xp_line *lines;
	struct xp_ctx *ctx;
	int err = context(NULL, &ctx) ?: xp_symbols_new(ctx, NULL, &all)
				      ?: xp_symbols_open(all, elf_path("plain"), NULL, 0, &symtab);

	if (!err && xp_symtab_get_state(symtab) == XP_SYMTAB_NO_DESCRIPTOR)
		err = -EMFILE;
	if (!err)
		err = xp_symtab_find(symtab, leaf_address, &function);
	if (err > 0) {
		note_text(sum, function.name);
		err = xp_symtab_lines(symtab, leaf_address, &lines);
	}
	if (err > 0)
		note(sum, lines[0].line);
	xp_symbols_free(all);
	xp_ctx_free(ctx);
	return err < 0 ? err : 0;
}

static int map(void *data, uint64_t address, struct xp_unwind_map *ret_map)
{
	if (address < BASE || address >= BASE + MAPPED)
		return 0;
	*ret_map = (struct xp_unwind_map){ BASE, BASE + MAPPED, 0, NULL, true };
	return xp_unwind_open(data, elf_path("plain"), NULL, 0, &ret_map->file) ?: 1;
}

static int unwinding(uint64_t *sum)
{
	struct xp_unwind_calls calls = { .size = sizeof(calls), .map = map };
	uint64_t stack[8] = { BASE + leaf_address + 8 }, pcs[4], values[33] = { 0 };
#ifdef __x86_64__
	enum { RETURN = 6, SP = 7, PC = 8 };
#else
	enum { RETURN = 30, SP = 31, PC = 32 };
#endif
	struct xp_unwind_chain chain = { .size = sizeof(chain), .pcs = pcs, .max = 4 };
	const struct xp_unwind_start start = {
		.size = sizeof(start),
		.stack = stack,
		.stack_len = sizeof(stack),
		.space = 1,
		.regs = { .abi = 2,
			  .mask = (UINT64_C(2) << PC) - 1,
			  .values = values,
			  .nr = PC + 1 },
	};
	struct xp_symbols *all = NULL;
	struct xp_unwind *unwind = NULL;
	struct xp_unwinder *unwinder = NULL;
	struct xp_ctx *ctx;

	values[RETURN] = stack[0];
	values[SP] = 0x7f000000;
	values[PC] = BASE + leaf_address;
	int err = context(NULL, &ctx) ?: xp_symbols_new(ctx, NULL, &all)
				      ?: xp_unwind_new(all, NULL, &unwind);
	calls.data = unwind;
	err = err ?: xp_unwinder_new(unwind, NULL, &calls, &unwinder)
		  ?: xp_unwinder_walk(unwinder, &start, &chain);
	for (size_t i = 0; !err && i < chain.nr; i++)
		note(sum, pcs[i]);
	xp_unwinder_free(unwinder);
	xp_unwind_free(unwind);
	xp_symbols_free(all);
	xp_ctx_free(ctx);
	return err;
}

static int value_of(enum xp_formula_use use, const char *name, double *ret_value,
		    struct xp_diag *diag, void *data)
{
	(void)use, (void)name, (void)diag, (void)data;
	*ret_value = 2;
	return 0;
}

static int metrics(uint64_t *sum)
{
	static const char text[] = "group: Group\ntext: about\n\tit\n\n"
				   "metric: first\ngroups: Group Other\nbrief: What it is\n"
				   "events: a b\nformula: (a + b) / max(a, 1) if a > 1 else 0\n"
				   "threshold: first > 3\ntext: about it\n";
	struct xp_metric_defs *defs = NULL;
	struct xp_diag diag = { 0 };
	double value = 0;
	int err = xp_metric_defs_new(&defs)
			  ?: xp_metric_defs_parse(defs, text, sizeof(text) - 1, "f", &diag)
			  ?: xp_formula_eval(xp_metric_defs_at(defs, 0)->formula, value_of, &value,
					     &diag, NULL);

	note(sum, (uint64_t)value);
	xp_metric_defs_free(defs);
	return err;
}

static int note_name(const char *name, void *data)
{
	note_text(data, name);
	return 0;
}

/* Those of this machine come and go: without their names. */
static int cgroups(uint64_t *sum)
{
	uint64_t names = 0;
	struct xp_diag diag = { 0 };
	struct xp_ctx *ctx;
	int err = context(NULL, &ctx) ?: xp_cgroups_walk(ctx, "/,.*", note_name, &names, &diag);

	if (ctx && err && !*diag.what)
		err = -EPROTO;

	note(sum, names != 0);
	xp_ctx_free(ctx);
	return err;
}

static int regions(uint64_t *sum)
{
	const struct xp_ctx_opts ctx = { .size = sizeof(ctx), .sys = &sys };
	const struct xp_regions_opts opts = { .size = sizeof(opts),
					      .events = "page-faults:u,task-clock:u",
					      .ctx = &ctx };
	struct xp_regions *all = NULL;
	struct xp_diag diag = { 0 };
	int err = xp_regions_new(&opts, &all, &diag) ?: xp_region_begin(all, "outer")
						     ?: xp_region_begin(all, "inner")
						     ?: xp_region_end(all, "inner")
						     ?: xp_region_end(all, "outer")
						     ?: xp_regions_write(all, elf_path("regions"),
									 &diag);

	for (int i = 0; !err && i < 2; i++)
		note_text(sum, xp_regions_event_name(all, i));
	xp_regions_free(all);
	return err;
}

static int note_record(const struct xp_record *record, void *data)
{
	note(data, record->type);
	return 0;
}

static int existing_tasks(uint64_t *sum)
{
	struct xp_threads *threads = NULL;
	struct xp_ctx *ctx;
	int err = context(NULL, &ctx) ?: xp_threads_one(ctx, getppid(), &threads)
				      ?: xp_synth_threads(ctx, threads, NULL, note_record, sum);

	xp_threads_unref(threads);
	xp_ctx_free(ctx);
	return err;
}

/* --- the sweep --- */

/* As the command line says; NULL, 0: all. */
static const char *only_name;
static long only_k;

void __lsan_do_leak_check(void) __attribute__((weak));
int __lsan_do_recoverable_leak_check(void) __attribute__((weak));

static int count_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	int nr = 0;

	assert_non_null(dir);
	while (readdir(dir))
		nr++;
	closedir(dir);
	return nr;
}

static int run_failing(struct source *source, long k, int (*scenario)(uint64_t *sum), uint64_t *sum)
{
	*sum = 0;
	source->left = k;
	source->has_failed = false;
	source->is_on = true;
	int err = scenario(sum);
	source->is_on = false;
	return err;
}

static int sweep(const char *name, int (*scenario)(uint64_t *sum), struct source *source,
		 const int *errors)
{
	uint64_t expected = 0, sum = 0;
	int nr_wrong = 0, fds, err = scenario(&expected);

	if (err) {
		print_message("%s: %s\n", name, strerror(-err));
		return 0;
	}
	/* Libraries are loaded now. */
	fds = count_descriptors();
	for (long k = only_k ? only_k : 1; k <= (only_k ? only_k : MOST); k++) {
		err = run_failing(source, k, scenario, &sum);
		bool is_wrong = err ? err != errors[0] && err != errors[1] : sum != expected;
		if (is_wrong) {
			print_error("%s, %ld: %d%s\n", name, k, err, err ? "" : ", other results");
			nr_wrong++;
		}
		int now = count_descriptors();
		if (now != fds) {
			print_error("%s, %ld: %d descriptors are left open\n", name, k, now - fds);
			fds = now;
			nr_wrong++;
		}
		if (!source->has_failed)
			break;
	}
	sum = 0;
	err = scenario(&sum);
	if (err || sum != expected) {
		print_error("%s: afterwards %d\n", name, err);
		nr_wrong++;
	}
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check()) {
		print_error("%s: leaks\n", name);
		nr_wrong++;
	}
	return nr_wrong;
}

static int sweep_all(struct source *source, const int *errors)
{
	static const struct {
		const char *name;
		int (*run)(uint64_t *sum);
	} scenarios[] = {
		{ "machine", machine },
		{ "events", events },
		{ "counting", counting },
		{ "round trip", round_trip },
		{ "timeline", timeline },
		{ "profile", profile },
		{ "exports", exports },
		{ "symbols", symbols },
		{ "unwinding", unwinding },
		{ "metrics", metrics },
		{ "cgroups", cgroups },
		{ "regions", regions },
		{ "existing tasks", existing_tasks },
	};
	int nr_wrong = 0;

	for (size_t i = 0; i < sizeof(scenarios) / sizeof(scenarios[0]); i++)
		if (!only_name || !strcmp(only_name, scenarios[i].name))
			nr_wrong += sweep(scenarios[i].name, scenarios[i].run, source, errors);
	return nr_wrong;
}

static void each_allocation_may_fail(void **state)
{
	static const int errors[] = { -ENOMEM, -ENOMEM };

	(void)state;
	assert_int_equal(sweep_all(&memory, errors), 0);
}

static void each_descriptor_may_be_missing(void **state)
{
	static const int errors[] = { -EMFILE, -EMFILE };

	(void)state;
	assert_int_equal(sweep_all(&descriptors, errors), 0);
}

static int set_up(void **state)
{
	struct xp_ctx *ctx;

	(void)state;
	sys = *xp_sys_linux();
	sys.perf_event_open = no_event;
	if (!elf_files_make("$CC -g -O0 -pie -fPIE -o plain $SRC/main.c $SRC/other.c"))
		return -1;
	leaf_address = elf_listed("plain", "leaf");
	snprintf(recording, sizeof(recording), "%s", elf_path("recording"));
	int err = context(NULL, &ctx) ?: write_recording(ctx, recording, 0);
	xp_ctx_free(ctx);
	return err;
}

static int tear_down(void **state)
{
	(void)state;
	elf_files_remove();
	return 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_allocation_may_fail),
		cmocka_unit_test(each_descriptor_may_be_missing),
	};

	only_name = argc > 1 ? argv[1] : NULL;
	only_k = argc > 2 ? atol(argv[2]) : 0;
	return cmocka_run_group_tests(tests, set_up, tear_down);
}
