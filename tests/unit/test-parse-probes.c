/* SPDX-License-Identifier: MIT */
/*
 * Probes: what their strings become on the kernels of tests/data/roots/probe and probe-old, what is
 * wrong with them and where, what the kernel's refusals mean. DIR in a string stands for where the
 * test makes its programs.
 */
#include "parse-fixture.h"

#include <linux/perf_event.h>

#include "unit/elf-files.h"

static const char command[] = "$CC -O0 -pie -fPIE -o pie $SRC/main.c $SRC/other.c && "
			      "$CC -O0 -no-pie -fno-pie -o fixed $SRC/main.c $SRC/other.c && "
			      "cp pie 'a,b:c d' && echo text >text";

/* The text with DIR replaced; overwritten by the next call. */
static const char *in_dir(const char *text)
{
	static char out[1024];
	size_t len = 0;

	for (; *text && len < sizeof(out) - sizeof(elf_dir); text++) {
		if (strncmp(text, "DIR", 3)) {
			out[len++] = *text;
			continue;
		}
		memcpy(out + len, elf_dir, sizeof(elf_dir) - 1);
		len += sizeof(elf_dir) - 1;
		text += 2;
	}
	out[len] = '\0';
	return out;
}

static struct xp_symbol_place place_of(const char *file, const char *name)
{
	struct xp_symbol_place place = { 0 };

	assert_int_equal(xp_symbol_find(elf_path(file), name, XP_SYMBOL_OTHER, &place, NULL), 0);
	return place;
}

enum { UPROBE = 8, KPROBE = 6 };

/* @symbol: whose offset in the file pie is added to @offset; NULL: of none */
static const struct good {
	int line;
	const char *text;
	uint32_t type;
	uint64_t config;
	const char *target;
	const char *symbol;
	uint64_t offset;
} good[] = {
#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, __VA_ARGS__                                                              \
	}
	ROW("uprobe:DIR/pie:leaf", UPROBE, 0, "DIR/pie", "leaf", 0),
	ROW("uprobe:DIR/pie:leaf%return", UPROBE, 1, "DIR/pie", "leaf", 0),
	ROW("uprobe:DIR/pie:leaf%return:u", UPROBE, 1, "DIR/pie", "leaf", 0),
	ROW("uprobe:DIR/pie:leaf+1", UPROBE, 0, "DIR/pie", "leaf", 1),
	ROW("uprobe:DIR/pie:leaf+0x4:u", UPROBE, 0, "DIR/pie", "leaf", 4),
	ROW("uprobe:DIR/pie:0x1129", UPROBE, 0, "DIR/pie", NULL, 0x1129),
	ROW("uprobe:DIR/pie:4393", UPROBE, 0, "DIR/pie", NULL, 4393),
	ROW("uprobe:/none:0x10", UPROBE, 0, "/none", NULL, 0x10),
	ROW("uprobe:relative/path:0x10", UPROBE, 0, "relative/path", NULL, 0x10),
	ROW("uprobe:'DIR/pie':'leaf'", UPROBE, 0, "DIR/pie", "leaf", 0),
	ROW("uprobe:\"DIR/pie\":'leaf'+2:u", UPROBE, 0, "DIR/pie", "leaf", 2),
	ROW("uprobe:DIR/pie:'leaf'%return", UPROBE, 1, "DIR/pie", "leaf", 0),
	ROW("uprobe:'DIR/a,b:c d':leaf", UPROBE, 0, "DIR/a,b:c d", "leaf", 0),
	ROW("kprobe:do_sys_openat2", KPROBE, 0, "do_sys_openat2", NULL, 0),
	ROW("kprobe:do_sys_openat2+0x10:k", KPROBE, 0, "do_sys_openat2", NULL, 0x10),
	ROW("kprobe:do_sys_openat2%return", KPROBE, 1, "do_sys_openat2", NULL, 0),
	ROW("kprobe:0xffffffff81234560", KPROBE, 0, NULL, NULL, 0xffffffff81234560),
#undef ROW
};

static void check_attr(const struct good *row, const struct xp_evsel *e)
{
	const char *target = (const char *)(uintptr_t)e->attr.config1;
	uint64_t offset = row->offset;

	if (row->symbol)
		offset += place_of("pie", row->symbol).offset;
	if (e->attr.type != row->type || e->attr.config != row->config ||
	    e->attr.probe_offset != offset)
		fail_msg("line %d: type %u config %#llx offset %#llx", row->line, e->attr.type,
			 (unsigned long long)e->attr.config,
			 (unsigned long long)e->attr.probe_offset);
	if (!target != !row->target || (target && strcmp(target, in_dir(row->target))))
		fail_msg("line %d: '%s'", row->line, target);
}

static void places_become_attributes(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct parsing f;

		setup_tree(&f, NULL, "probe");
		if (parse(&f, in_dir(good[i].text)))
			fail_msg("line %d: %s", good[i].line, f.diag.what);
		assert_int_equal(xp_evlist_nr(f.evlist), 1);
		/* Shown as written, so that it can be given again. */
		assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)), in_dir(good[i].text));
		check_attr(&good[i], xp_evlist_at(f.evlist, 0));
		assert_names_come_back(&f, good[i].text);
		teardown(&f);
	}
}

static void modifiers_and_groups_apply(void **state)
{
	struct parsing f;

	(void)state;
	setup_tree(&f, NULL, "probe");
	assert_int_equal(parse(&f, in_dir("{ uprobe : DIR/pie:leaf:u , kprobe:f } , cs")), 0);
	assert_int_equal(xp_evlist_nr(f.evlist), 3);
	const struct xp_evsel *first = xp_evlist_at(f.evlist, 0);
	const struct xp_evsel *second = xp_evlist_at(f.evlist, 1);
	assert_string_equal(xp_evsel_name(first), in_dir("uprobe:DIR/pie:leaf:u"));
	assert_true(first->attr.exclude_kernel);
	assert_string_equal(xp_evsel_name(second), "kprobe:f");
	assert_false(second->attr.exclude_kernel);
	assert_ptr_equal(xp_evsel_leader(second), first);
	teardown(&f);
}

static void markers_become_an_event_per_place(void **state)
{
	/* @shown: how many they are to the user; pie has the marker "plain" in two places */
	static const struct {
		const char *text;
		int nr, shown, switched;
		const char *first;
	} rows[] = {
		{ "sdt:DIR/pie:app:plain", 2, 1, 0, "sdt:DIR/pie:app:plain" },
		{ "sdt:DIR/pie:app:switched", 1, 1, 1, "sdt:DIR/pie:app:switched" },
		{ "sdt:'DIR/pie':app:switched:u", 1, 1, 1, "sdt:'DIR/pie':app:switched:u" },
		{ "sdt:DIR/pie:app:p*", 2, 1, 0, "sdt:DIR/pie:app:plain" },
		{ "sdt:DIR/pie:app:p*:u", 2, 1, 0, "sdt:DIR/pie:app:plain:u" },
		{ "sdt:DIR/pie:*:*", 3, 2, 1, "sdt:DIR/pie:app:plain" },
		{ "{sdt:DIR/pie:app:plain,cs}", 3, 2, 0, "sdt:DIR/pie:app:plain" },
		{ "sdt:DIR/pie:app:plain,sdt:DIR/pie:app:plain", 4, 2, 0, "sdt:DIR/pie:app:plain" },
	};
	struct xp_symbol_place semaphore = place_of("pie", "app_on_semaphore");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct parsing f;
		int switched = 0, shown = 0;

		setup_tree(&f, NULL, "probe");
		if (parse(&f, in_dir(rows[i].text)))
			fail_msg("%s: %s", rows[i].text, f.diag.what);
		assert_int_equal(xp_evlist_nr(f.evlist), rows[i].nr);
		assert_string_equal(xp_evsel_name(xp_evlist_at(f.evlist, 0)),
				    in_dir(rows[i].first));
		for (int e = 0; e < rows[i].nr; e++) {
			const struct xp_evsel *evsel = xp_evlist_at(f.evlist, e);

			assert_true(evsel->attr.type != UPROBE || evsel->attr.probe_offset);
			switched += evsel->attr.config == semaphore.offset << 32;
			shown += xp_evsel_merged_into(evsel) == evsel;
		}
		assert_int_equal(switched, rows[i].switched);
		assert_int_equal(shown, rows[i].shown);
		assert_names_come_back(&f, rows[i].text);
		teardown(&f);
	}
}

static void one_place_of_a_marker_has_a_name(void **state)
{
	struct parsing f;

	(void)state;
	setup_tree(&f, NULL, "probe");
	assert_int_equal(parse(&f, in_dir("sdt:DIR/pie:app:plain:u")), 0);
	for (int i = 0; i < 2; i++) {
		const struct xp_evsel *place = xp_evlist_at(f.evlist, i);
		char name[1024];

		snprintf(name, sizeof(name), "%s@%#llx:u", in_dir("sdt:DIR/pie:app:plain"),
			 (unsigned long long)place->attr.probe_offset);
		assert_string_equal(xp_evsel_own_name(place), name);
	}
	teardown(&f);
}

static void breakpoints_stand_at_fixed_symbols(void **state)
{
	/* Source: linux/hw_breakpoint.h: 1 reads, 2 writes, 4 executes. */
	static const struct {
		const char *text, *symbol;
		uint32_t type;
		uint64_t len;
	} rows[] = {
		{ "mem:&DIR/fixed:turns", "turns", 3, 4 },
		{ "mem:&DIR/fixed:turns:w:u", "turns", 2, 4 },
		{ "mem:&DIR/fixed:turns/2:r", "turns", 1, 2 },
		{ "mem:&DIR/fixed:app_on_semaphore", "app_on_semaphore", 3, 2 },
		{ "mem:&DIR/fixed:table", "table", 3, 4 },
		{ "mem:&DIR/fixed:leaf", "leaf", 4, sizeof(long) },
		{ "mem:&'DIR/fixed':'leaf'/1:x", "leaf", 4, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct parsing f;

		setup_tree(&f, NULL, "probe");
		if (parse(&f, in_dir(rows[i].text)))
			fail_msg("%s: %s", rows[i].text, f.diag.what);
		const struct xp_evsel *e = xp_evlist_at(f.evlist, 0);
		assert_string_equal(xp_evsel_name(e), in_dir(rows[i].text));
		assert_int_equal(e->attr.type, PERF_TYPE_BREAKPOINT);
		assert_int_equal(e->attr.bp_addr, place_of("fixed", rows[i].symbol).address);
		assert_int_equal(e->attr.bp_type, rows[i].type);
		assert_int_equal(e->attr.bp_len, rows[i].len);
		assert_names_come_back(&f, rows[i].text);
		teardown(&f);
	}
}

/* @at: what the complaint points to; "" is the end, or the next colon */
static const struct bad {
	int line;
	const char *root, *text;
	int err;
	const char *at, *says;
} bad[] = {
#define ROW(...)                                                                                   \
	{                                                                                          \
		__LINE__, "probe", __VA_ARGS__                                                     \
	}
#define OLD(...)                                                                                   \
	{                                                                                          \
		__LINE__, "probe-old", __VA_ARGS__                                                 \
	}
	ROW("uprobe:", -EINVAL, "", "path of the file is missing"),
	ROW("uprobe::leaf", -EINVAL, "", "path of the file is missing"),
	ROW("uprobe:DIR/pie", -EINVAL, "", "a function or an offset is missing"),
	ROW("uprobe:DIR/pie:", -EINVAL, "", "a function or an offset is missing"),
	ROW("uprobe:DIR/pie:%return", -EINVAL, "%return", "name of the function is missing"),
	ROW("uprobe:DIR/pie:leaf%ret", -EINVAL, "%ret", "nothing but '%return'"),
	ROW("uprobe:DIR/pie:leaf%return%return", -EINVAL, "%return%return",
	    "nothing but '%return'"),
	ROW("uprobe:DIR/pie:leaf+1%return", -EINVAL, "leaf+1%return",
	    "a function without an offset"),
	ROW("uprobe:DIR/pie:0x10%return", -EINVAL, "0x10%return", "a function without an offset"),
	ROW("uprobe:DIR/pie:leaf+", -EINVAL, "", "not an offset"),
	ROW("uprobe:DIR/pie:leaf+x", -EINVAL, "x", "not an offset"),
	ROW("uprobe:DIR/pie:0x", -EINVAL, "0x", "not an offset"),
	ROW("uprobe:DIR/pie:'leaf'x", -EINVAL, "x", "not an offset"),
	ROW("uprobe:DIR/pie:leaf+0x1000", -EINVAL, "+0x1000", "'leaf' has only"),
	ROW("uprobe:DIR/pie:leaf:x", -EINVAL, "x", "no modifier 'x'"),
	ROW("uprobe:DIR/pie:leaf:u:k", -EINVAL, ":", "unexpected ':'"),
	ROW("uprobe:'DIR/pie:leaf", -EINVAL, "'", "not closed"),
	ROW("uprobe:'DIR/pie'x:leaf", -EINVAL, "x", "':' is missing"),
	ROW("uprobe:DIR/pie:laef", -ENOENT, "laef", "Did you mean 'leaf'?"),
	ROW("uprobe:DIR/pie:table", -EINVAL, "table", "is not a function"),
	ROW("uprobe:DIR/pie:twice", -EEXIST, "twice", "has 2 functions 'twice'"),
	ROW("uprobe:DIR/pie:atoi", -ENOENT, "atoi", "in a library that it uses"),
	ROW("uprobe:DIR/none:leaf", -ENOENT, "DIR/none", "No such file"),
	ROW("uprobe:DIR/text:leaf", -ENOEXEC, "DIR/text", "is not an ELF file"),
	ROW("uprobe:DIR:leaf", -ENOEXEC, "DIR", "is not a regular file"),
	ROW("cs,{uprobe:DIR/pie:laef,cs}", -ENOENT, "laef", "'leaf'"),
	OLD("uprobe:DIR/pie:leaf%return", -EOPNOTSUPP, "leaf%return", "cannot probe returns"),

	ROW("kprobe:", -EINVAL, "", "a function or an offset is missing"),
	ROW("kprobe:f:u:k", -EINVAL, ":", "unexpected ':'"),
	OLD("kprobe:f", -ENOENT, "kprobe", "this kernel has no 'kprobe' PMU"),

	ROW("sdt:", -EINVAL, "", "path of the file is missing"),
	ROW("sdt:DIR/pie", -EINVAL, "", "provider is missing"),
	ROW("sdt:DIR/pie:app", -EINVAL, "", "name is missing"),
	ROW("sdt:DIR/pie:app:plain:u:k:k", -EINVAL, ":", "unexpected ':'"),
	ROW("sdt:DIR/pie:app:plian", -ENOENT, "app:plian", "Did you mean 'app:plain'?"),
	ROW("sdt:DIR/pie:zzz:yyyyyyyyyy", -ENOENT, "zzz:yyyyyyyyyy", ".note.stapsdt of"),
	ROW("sdt:DIR/pie:z*:*", -ENOENT, "z*:*", "has no marker 'z*:*'"),
	ROW("sdt:DIR/pie:app:plain@x", -EINVAL, "plain@x", "'@' must be followed"),
	ROW("sdt:DIR/pie:app:plain@1", -ENOENT, "app:plain@1", "no marker 'app:plain' at 0x1"),
	ROW("sdt:DIR/text:app:plain", -ENOEXEC, "DIR/text", "is not an ELF file"),
	OLD("sdt:DIR/pie:app:switched", -EOPNOTSUPP, "switched", "cannot switch the marker on"),

	ROW("mem:&", -EINVAL, "", "path of the file is missing"),
	ROW("mem:&leaf", -EINVAL, "", "symbol is missing"),
	ROW("mem:&DIR/fixed:laef", -ENOENT, "laef", "'leaf'"),
	ROW("mem:&DIR/fixed:own", -EINVAL, "own", "a different address in each thread"),
	ROW("mem:&DIR/fixed:leaf/z", -EINVAL, "z", "not the length"),
	ROW("mem:&DIR/fixed:leaf/", -EINVAL, "", "length of the breakpoint is missing"),
	ROW("mem:&DIR/fixed:leaf:rr", -EINVAL, "r", "given twice"),
	ROW("mem:&DIR/pie:leaf", -EINVAL, "DIR/pie", "position independent"),
#undef ROW
#undef OLD
};

static void every_mistake_is_one_sentence_with_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		const struct bad *row = &bad[i];
		struct parsing f;
		char text[512];

		setup_tree(&f, NULL, row->root);
		snprintf(text, sizeof(text), "%s", in_dir(row->text));
		int err = parse(&f, text);
		const char *at = in_dir(row->at);
		size_t len = strlen(at);
		if (err != row->err || f.diag.err != err)
			fail_msg("line %d: %d: %s", row->line, err, f.diag.what);
		if (strncmp(f.diag.input + f.diag.pos, at, len) ||
		    f.diag.len != (int)(len ? len : 1))
			fail_msg("line %d: at '%s', %d long: %s", row->line,
				 f.diag.input + f.diag.pos, f.diag.len, f.diag.what);
		if (!strstr(f.diag.what, row->says) && !strstr(f.diag.hint, row->says))
			fail_msg("line %d: '%s', '%s'", row->line, f.diag.what, f.diag.hint);
		assert_int_equal(xp_evlist_nr(f.evlist), 0);
		assert_int_equal(xp_evlist_parse(f.evlist, text, NULL), row->err);
		teardown(&f);
	}
}

static int refusal;

static int refuse(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
		  int group_fd, unsigned long flags)
{
	(void)sys, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	return attr->type == PERF_TYPE_SOFTWARE ? -ENOSYS : refusal;
}

static void refusals_are_explained(void **state)
{
	static const struct {
		const char *text;
		int err;
		const char *what, *hint;
	} rows[] = {
		{ "uprobe:/none:0x10", -ENOENT, "there is no such file", "" },
		{ "uprobe:/none:0x10", -EINVAL, "outside of the file's code", "" },
		{ "uprobe:/none:0x10", -EIO, "file system does not allow", "" },
		{ "uprobe:/none:0x10", -524, "cannot probe the instruction", "" },
		{ "uprobe:/none:0x10", -EACCES, "probes need CAP_PERFMON", "as root" },
		{ "uprobe:/none:0x10:u", -EPERM, "probes need CAP_PERFMON", "as root" },
		{ "uprobe:/none:0x10", -ENOMEM, "Cannot allocate memory", "" },
		{ "kprobe:do_sys_openat", -ENOENT, "this kernel has no function 'do_sys_openat'",
		  "Did you mean 'do_sys_openat2'?" },
		{ "kprobe:jiffie", -ENOENT, "this kernel has no function 'jiffie'", "" },
		{ "kprobe:open_thign", -ENOENT, "no function", "'open_thing'" },
		{ "kprobe:do_sys_openat2", -EINVAL, "does not allow a probe there", "blacklist" },
		{ "kprobe:do_sys_openat2+1", -EILSEQ, "no instruction begins", "" },
		{ "kprobe:f", -EADDRNOTAVAIL, "several functions", "kprobe:0xADDRESS" },
	};
	struct xp_sys sys = *xp_sys_linux();

	(void)state;
	sys.perf_event_open = refuse;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct xp_open_opts opts = { .size = sizeof(opts) };
		struct parsing f;

		setup_tree(&f, &sys, "probe");
		assert_int_equal(parse(&f, rows[i].text), 0);
		assert_int_equal(xp_threads_any(&opts.threads), 0);
		assert_int_equal(xp_cpus_any(&opts.cpus), 0);
		refusal = rows[i].err;
		assert_int_equal(xp_evlist_open(f.evlist, &opts, &f.diag), refusal);
		if (!strstr(f.diag.what, rows[i].what) || !strstr(f.diag.hint, rows[i].hint))
			fail_msg("%s: '%s' '%s'", rows[i].text, f.diag.what, f.diag.hint);
		xp_threads_unref(opts.threads);
		xp_cpus_unref(opts.cpus);
		teardown(&f);
	}
}

static uint64_t inherited;

static int open_and_note(const struct xp_sys *sys, const struct xp_attr *attr, pid_t pid, int cpu,
			 int group_fd, unsigned long flags)
{
	(void)sys, (void)pid, (void)cpu, (void)group_fd, (void)flags;
	/* The dummy that shows whether something was started is no event of the list. */
	if (attr->type != PERF_TYPE_SOFTWARE || attr->config != PERF_COUNT_SW_DUMMY)
		inherited = inherited << 1 | attr->inherit;
	return 1000;
}

static int close_nothing(const struct xp_sys *sys, int fd)
{
	return fd == 1000 ? 0 : xp_sys_linux()->close(sys, fd);
}

/* The kernel would read the path in the memory of whoever forks, and the fork would fail. */
static void probes_with_a_path_are_not_inherited(void **state)
{
	static const struct {
		const char *text;
		uint64_t inherited; /* a bit per event, the last one lowest */
	} rows[] = {
		{ "uprobe:/none:0x10,cs", 1 },
		{ "{cs,uprobe:/none:0x10},cs", 1 },
		{ "kprobe:f,kprobe:0x1000", 1 },
		{ "kprobe:do_sys_openat2,kprobe:open_thing%return", 3 },
		{ "cs,cs", 3 },
	};
	struct xp_sys sys = *xp_sys_linux();

	(void)state;
	sys.perf_event_open = open_and_note;
	sys.close = close_nothing;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct xp_open_opts opts = { .size = sizeof(opts), .inherit = true };
		struct parsing f;

		setup_tree(&f, &sys, "probe");
		assert_int_equal(parse(&f, rows[i].text), 0);
		assert_int_equal(xp_threads_one(f.ctx, getpid(), &opts.threads), 0);
		assert_int_equal(xp_cpus_any(&opts.cpus), 0);
		opts.enable_on_exec = true;
		inherited = 0;
		assert_int_equal(xp_evlist_open(f.evlist, &opts, &f.diag), 0);
		assert_int_equal(inherited, rows[i].inherited);
		/* Whether something was missed is known when the counts are read. */
		assert_string_equal(xp_evsel_reason(xp_evlist_at(f.evlist, 0)), "");
		xp_threads_unref(opts.threads);
		xp_cpus_unref(opts.cpus);
		teardown(&f);
	}
}

/* By its address the kernel can hand a probe on. */
static void probes_of_the_kernel_are_inherited_by_address(void **state)
{
	struct xp_open_opts opts = { .size = sizeof(opts), .inherit = true };
	struct xp_sys sys = *xp_sys_linux();
	struct parsing f;

	(void)state;
	sys.perf_event_open = open_and_note;
	sys.close = close_nothing;
	setup_tree(&f, &sys, "probe");
	assert_int_equal(parse(&f, "kprobe:do_sys_openat2+0x10"), 0);
	assert_int_equal(xp_threads_one(f.ctx, getpid(), &opts.threads), 0);
	assert_int_equal(xp_evlist_open(f.evlist, &opts, &f.diag), 0);
	const struct xp_attr *attr = xp_evsel_attr(xp_evlist_at(f.evlist, 0));
	assert_int_equal(attr->kprobe_func, 0);
	assert_int_equal(attr->kprobe_addr, 0xffffffff81234570);
	xp_threads_unref(opts.threads);
	teardown(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_become_attributes),
		cmocka_unit_test(modifiers_and_groups_apply),
		cmocka_unit_test(markers_become_an_event_per_place),
		cmocka_unit_test(one_place_of_a_marker_has_a_name),
		cmocka_unit_test(breakpoints_stand_at_fixed_symbols),
		cmocka_unit_test(every_mistake_is_one_sentence_with_its_place),
		cmocka_unit_test(refusals_are_explained),
		cmocka_unit_test(probes_with_a_path_are_not_inherited),
		cmocka_unit_test(probes_of_the_kernel_are_inherited_by_address),
	};
	int failed = 77;

	if (xp_symbol_find("/proc/self/exe", "main", XP_SYMBOL_OTHER,
			   &(struct xp_symbol_place){ 0 }, NULL) == -ENOSYS)
		printf("skipped: no libelf\n");
	else if (!elf_files_make(command))
		printf("skipped: no compiler and linker that make the files\n");
	else
		failed = cmocka_run_group_tests(tests, NULL, NULL);
	elf_files_remove();
	return failed;
}
